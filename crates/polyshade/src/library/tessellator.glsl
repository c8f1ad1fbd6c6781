// The tessellator as compute stages: one counts the points and indices of all patches, one writes them.
//
// Functions with an empty or trivial body are hooks.

#version 450
#extension GL_GOOGLE_include_directive : require

const uint EQUAL = 0u;
const uint FRACTIONAL_EVEN = 1u;
const uint FRACTIONAL_ODD = 2u;

// Hook: an outer level (0 to 3) or inner level (4 and 5).
float level(const uint patch_number, const uint number) { return 0.0; }

// The table of patches. It begins with a VkDrawIndexedIndirectCommand, a VkDispatchIndirectCommand for an invocation
// for each index, and the numbers below. An entry for each patch follows, and one more: the numbers of points and of
// indices before the patch.
const uint TABLE_HEAD = 16u;
const uint PER_INSTANCE = 8u;
const uint NEEDED = 9u;
const uint FITTING = 11u;

// Hooks: the table.
uint table_length() { return 0u; }
uint table_word(const uint word) { return word; }
void put_word(const uint word, const uint value) {}

// Hooks: the buffer of points, with three words a point (u, v and the number of the patch), and the buffer of indices.
uint points_length() { return 0u; }
void put_point(const uint word, const uint value) {}
uint indices_length() { return 0u; }
void put_index(const uint word, const uint value) {}

// The difference, or 0 if it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

// Sums stay at the largest number instead of wrapping around.
uint add(const uint one, const uint other) { return mix(one + other, ~0u, one + other < one); }

uint table(const uint word) { return word < table_length() ? table_word(word) : 0u; }

void put_table(const uint word, const uint value) {
    if (word < table_length()) {
        put_word(word, value);
    }
}

const uint INVOCATIONS = 64u;

// Positions are integers, of which ONE is 1.0. Floats have enough bits for them, and 1 - position is exact.
const uint ONE = 1u << 24;

// Levels are integers, of which UNIT is 1.0.
const uint UNIT = 1u << 17;

// Whether a float is above 0. Compares bits, because devices need not support NaN in comparisons.
bool is_positive(const float number) { return floatBitsToUint(number) - 1u < 0x7f800000u; }

// A level as a number of UNITs, clamped as the spacing requires. Rounds up, so that the number of segments is correct.
uint clamped(const float given, const uint spacing) {
    float least = spacing == FRACTIONAL_EVEN ? 2.0 : 1.0;
    float most = spacing == FRACTIONAL_ODD ? 63.0 : 64.0;
    float inside = is_positive(given) ? clamp(given, least, most) : least;
    return uint(ceil(inside * float(UNIT)));
}

// The length of an edge, if a longer segment has the length UNIT, and the number of its segments.
uvec2 divided(const uint clamped_level, const uint spacing) {
    uint segments = (clamped_level + UNIT - 1u) / UNIT;
    if (spacing == EQUAL) {
        return uvec2(segments * UNIT, segments);
    }
    segments += (segments & 1u) ^ uint(spacing == FRACTIONAL_ODD);
    return uvec2(clamped_level, segments);
}

uvec2 outer_edge(const uint patch_number, const uint side, const uint spacing) {
    return divided(clamped(level(patch_number, side), spacing), spacing);
}

// The position of a point of an edge. Shorter segments are at both ends. The second half of the edge mirrors the
// first half, so that patches can share an edge in either direction.
uint position(const uvec2 edge, const uint at) {
    uint nearer = min(at, edge.y - at);
    // Twice the length from the end of the edge. It is at most the length of the edge, so at most 2^23.
    uint rest = mix(edge.x - (edge.y - 2u * nearer) * UNIT, 0u, nearer == 0u);
    uint quotient = 0u;
    for (uint digit = 0u; digit < 3u; ++digit) {
        quotient = (quotient << 8) + (rest << 8) / edge.x;
        rest = (rest << 8) % edge.x;
    }
    uint found = (quotient + 1u) >> 1;
    return mix(found, ONE - found, 2u * at > edge.y);
}

uint sum(const uvec4 numbers) { return numbers.x + numbers.y + numbers.z + numbers.w; }

// The numbers of segments of the outer edges, or zeros if the patch is discarded.
uvec4 outer_segments(const uint patch_number, const uint sides, const uint spacing) {
    uvec4 segments = uvec4(0u);
    bool is_kept = true;
    for (uint side = 0u; side < sides; ++side) {
        is_kept = is_kept && is_positive(level(patch_number, side));
        segments[side] = outer_edge(patch_number, side, spacing).y;
    }
    return is_kept ? segments : uvec4(0u);
}

// The temporary subdivision of the outer edges by the inner levels, as two edges; triangles only use the first.
// `around` is the number of segments of all outer edges. Inner levels of 1 are raised a bit unless all levels are 1.
uvec4 inner_edges(const uint patch_number, const uint sides, const uint spacing, const uint around) {
    uint along_u = clamped(level(patch_number, 4u), spacing);
    uint along_v = mix(along_u, clamped(level(patch_number, 5u), spacing), sides == 4u);
    bool is_one = around == sides && max(along_u, along_v) == UNIT;
    along_u += uint(along_u == UNIT && !is_one);
    along_v += uint(along_v == UNIT && !is_one);
    return uvec4(divided(along_u, spacing), divided(along_v, spacing));
}

// The numbers of the first point and of the first index of a patch.
uvec2 first_of_patch(const uint patch_number) {
    uint word = TABLE_HEAD + 2u * patch_number;
    return uvec2(table(word), table(word + 1u));
}

// Whether the patch has points and its points and indices fit in the buffers.
bool is_written(const uint patch_number, const uint around) {
    return patch_number < table(FITTING) && around != 0u;
}

void store_point(const uint number, const uvec2 place, const uint patch_number) {
    if (number < points_length() / 3u) {
        // The product is exact, whereas a quotient need not be.
        put_point(3u * number, floatBitsToUint(float(place.x) * (1.0 / 16777216.0)));
        put_point(3u * number + 1u, floatBitsToUint(float(place.y) * (1.0 / 16777216.0)));
        put_point(3u * number + 2u, patch_number);
    }
}

void store_index(const uint word, const uint value) {
    if (word < indices_length()) {
        put_index(word, value);
    }
}

// Stores a triangle of a patch.
void store_triangle(const uvec2 first, const uint number, const uvec3 corners, const bool turned) {
    uint word = add(first.y, 3u * number);
    store_index(word, first.x + corners.x);
    store_index(add(word, 1u), first.x + mix(corners.y, corners.z, turned));
    store_index(add(word, 2u), first.x + mix(corners.z, corners.y, turned));
}

// In point mode, an index for each point.
void store_indices_of_points(const uint invocation, const uvec2 first, const uint count) {
    for (uint at = invocation; at < count; at += INVOCATIONS) {
        store_index(add(first.y, at), first.x + at);
    }
}

// A side, and the number of an element of this side, if each side has a number of elements.
uvec2 side_of(const uvec4 sizes, const uint number) {
    uint side = 0u;
    uint rest = number;
    while (side < 3u && rest >= sizes[side]) {
        rest -= sizes[side];
        ++side;
    }
    return uvec2(side, rest);
}

// The number of elements of the sides before a side.
uint before_side(const uvec4 sizes, const uint side) {
    uint count = 0u;
    for (uint at = 0u; at < side; ++at) {
        count += sizes[at];
    }
    return count;
}

// Triangles between two parallel rows of points: each segment of a row forms a triangle with a point of the other row.
// The inner row lacks the first and last of `inner` segments. Triangles are in the order of the middles of their
// segments, which are (2 i + 1) / (2 outer) and (2 i + 3) / (2 inner).
// This function returns the number of inner segments before an outer segment. If two middles are equal, the inner
// segment is first in the first half, but last in the second half. This makes both halves symmetrical.
uint inner_before(const uint outer, const uint inner, const uint at) {
    uint middle = (2u * at + 1u) * inner - uint(2u * at + 1u >= outer);
    return min(less(middle / outer, 1u) >> 1, inner - 2u);
}

// A triangle between two rows: the number of its first outer point, the number of its first inner point, and whether
// it has an outer segment. The binary search needs at most 7 steps for at most 64 outer segments.
uvec3 triangle_between(const uint outer, const uint inner, const uint number) {
    uint low = 0u;
    uint high = outer;
    for (uint step = 0u; step < 7u && low < high; ++step) {
        uint middle = (low + high) >> 1;
        bool is_before = middle + inner_before(outer, inner, middle) < number;
        low = mix(low, middle + 1u, is_before);
        high = mix(middle, high, is_before);
    }
    return uvec3(low, number - low, uint(low + inner_before(outer, inner, low) == number));
}

// The number of the first point of a ring of the triangles domain, if an edge has `segments` inner segments.
// Ring 0 is the outer one. Rings are counterclockwise; side 0 is u = 0, from v = 1 to w = 1.
uint first_of_ring(const uint ring, const uint segments, const uint around) {
    return mix(around + 3u * (ring - 1u) * (segments - ring), 0u, ring == 0u);
}

// Each pair of rings has as many triangles as segments.
uvec2 count_triangles(const uint patch_number, const uint spacing, const bool points) {
    uint around = sum(outer_segments(patch_number, 3u, spacing));
    if (around == 0u) {
        return uvec2(0u);
    }
    uint segments = inner_edges(patch_number, 3u, spacing, around).y;
    uint last = segments >> 1;
    uint is_odd = segments & 1u;
    uint of_points = first_of_ring(last, segments, around) + mix(1u, 3u, is_odd == 1u);
    // With one segment, this is 3 - 3 + 0 + 1.
    uint of_triangles = around + 3u * (segments - 2u) + 6u * (last - 1u) * (segments - 1u - last) + is_odd;
    return uvec2(of_points, mix(3u * of_triangles, of_points, points));
}

// A point of the triangles domain, by its distance from a side and its coordinate along the side; u + v + w = 1.
uvec2 place_in_triangle(const uint side, const uint from_side, const uint along) {
    uint back = ONE - from_side - along;
    if (side == 0u) {
        return uvec2(from_side, back);
    }
    return side == 1u ? uvec2(along, from_side) : uvec2(back, along);
}

// A point of an inner ring. It is on a line that is perpendicular to a side and runs through a point of the temporary
// subdivision: the distance from the side grows by 2 q, and both other coordinates decrease by q. At corners, two
// coordinates are equal, so q is a third of the position; it is rounded up, so that rings never touch each other. The
// limits of the coordinate are the corners.
uvec2 place_in_ring(const uvec2 edge, const uint ring, const uint at) {
    uint segments = edge.y - 2u * ring;
    uint side = at / max(segments, 1u);
    uint third = (position(edge, ring) + 2u) / 3u;
    uint along = position(edge, ring + at - side * segments) - third;
    return place_in_triangle(side, 2u * third, max(min(along, ONE - 4u * third), 2u * third));
}

// Stores the triangles of the triangles domain, from the outermost pair of rings to the innermost triangle, if any.
void store_rings(const uint invocation, const uvec2 first, const uvec4 outer, const uint inner, const bool turned) {
    uint stored = 0u;
    uvec4 row = outer;
    uint segments = inner;
    uint ring = 0u;
    for (; segments >= 2u; ++ring) {
        uvec4 sizes = row + (segments - 2u) * uvec4(1u, 1u, 1u, 0u);
        uint begin = first_of_ring(ring, inner, sum(outer));
        uint begin_inside = first_of_ring(ring + 1u, inner, sum(outer));
        for (uint number = invocation; number < sum(sizes); number += INVOCATIONS) {
            uvec2 side = side_of(sizes, number);
            uvec3 found = triangle_between(row[side.x], segments, side.y);
            uint outside = before_side(row, side.x) + found.x;
            uint inside = side.x * (segments - 2u) + found.y;
            uint around_inside = max(3u * (segments - 2u), 1u);
            uint next = mix(begin_inside + (inside + 1u) % around_inside, begin + (outside + 1u) % sum(row),
                            found.z == 1u);
            uvec3 corners = uvec3(begin + outside % sum(row), next, begin_inside + inside % around_inside);
            store_triangle(first, stored + number, corners, turned);
        }
        stored += sum(sizes);
        segments -= 2u;
        row = segments * uvec4(1u, 1u, 1u, 0u);
    }
    if (segments == 1u && invocation == 0u) {
        uint begin = first_of_ring(ring, inner, sum(outer));
        store_triangle(first, stored, uvec3(begin, begin + 1u, begin + 2u), turned);
    }
}

void write_triangles(const uint invocation, const uint patch_number, const uint spacing, const bool points,
                     const bool turned) {
    uvec4 outer = outer_segments(patch_number, 3u, spacing);
    uint around = sum(outer);
    if (!is_written(patch_number, around)) {
        return;
    }
    uvec2 first = first_of_patch(patch_number);
    for (uint at = invocation; at < around; at += INVOCATIONS) {
        uvec2 side = side_of(outer, at);
        uint along = position(outer_edge(patch_number, side.x, spacing), side.y);
        store_point(add(first.x, at), place_in_triangle(side.x, 0u, along), patch_number);
    }
    uvec2 edge = inner_edges(patch_number, 3u, spacing, around).xy;
    for (uint ring = 1u; 2u * ring <= edge.y; ++ring) {
        uint begin = first_of_ring(ring, edge.y, around);
        uint count = max(3u * (edge.y - 2u * ring), 1u);
        for (uint at = invocation; at < count; at += INVOCATIONS) {
            store_point(add(first.x, begin + at), place_in_ring(edge, ring, at), patch_number);
        }
    }
    if (points) {
        store_indices_of_points(invocation, first, count_triangles(patch_number, spacing, true).x);
    } else {
        store_rings(invocation, first, outer, edge.y, turned);
    }
}

// In the quads domain, the points on the outer edges precede the points inside, which are in rows from u = 0 to u = 1.
uvec2 count_quads(const uint patch_number, const uint spacing, const bool points) {
    uint around = sum(outer_segments(patch_number, 4u, spacing));
    if (around == 0u) {
        return uvec2(0u);
    }
    uvec4 inner = inner_edges(patch_number, 4u, spacing, around);
    uint inside = (inner.y - 1u) * (inner.w - 1u);
    // Without points inside, this is 4 - 2.
    uint of_triangles = around + 2u * inside - 2u;
    return uvec2(around + inside, mix(3u * of_triangles, around + inside, points));
}

// A point on a side of a rectangle. Sides are counterclockwise; side 0 is u = 0, from v = 1.
uvec2 place_on_side(const uint side, const uint at, const uvec2 size) {
    uint along_u = mix(at, size.x - at, side == 3u);
    uint along_v = mix(at, size.y - at, side == 0u);
    uint across = mix(0u, mix(size.y, size.x, side == 2u), side >= 2u);
    return (side & 1u) == 0u ? uvec2(across, along_v) : uvec2(along_u, across);
}

// Stores the triangles between the outer edges and the points inside. `inner` has the numbers of segments along u, v.
void store_border(const uint invocation, const uvec2 first, const uvec4 outer, const uvec2 inner, const bool turned) {
    uint around = sum(outer);
    uvec4 sizes = outer + inner.yxyx - uvec4(2u);
    for (uint number = invocation; number < sum(sizes); number += INVOCATIONS) {
        uvec2 side = side_of(sizes, number);
        uvec3 found = triangle_between(outer[side.x], mix(inner.x, inner.y, (side.x & 1u) == 0u), side.y);
        uint outside = before_side(outer, side.x) + found.x;
        uvec2 inside = place_on_side(side.x, found.y, inner - uvec2(2u));
        uvec2 next_inside = place_on_side(side.x, found.y + 1u, inner - uvec2(2u));
        uint next = mix(around + next_inside.y * (inner.x - 1u) + next_inside.x, (outside + 1u) % around,
                        found.z == 1u);
        uvec3 corners = uvec3(outside % around, next, around + inside.y * (inner.x - 1u) + inside.x);
        store_triangle(first, number, corners, turned);
    }
}

// Stores two triangles for each rectangle between four points inside. The diagonals point to the middle of the patch.
void store_grid(const uint invocation, const uvec2 first, const uint around, const uvec2 inner, const bool turned) {
    uint stored = around + 2u * (inner.x + inner.y) - 8u;
    uint width = inner.x - 2u;
    for (uint number = invocation; number < 2u * width * (inner.y - 2u); number += INVOCATIONS) {
        uint row = (number >> 1) / width;
        uint column = (number >> 1) % width;
        uint corner = around + row * (width + 1u) + column;
        uint opposite = corner + width + 2u;
        bool is_second = (number & 1u) == 1u;
        uvec3 corners = uvec3(corner, mix(corner + 1u, opposite, is_second), mix(opposite, opposite - 1u, is_second));
        if ((2u * column + 3u < inner.x) != (2u * row + 3u < inner.y)) {
            corners = uvec3(mix(corner, opposite, is_second), mix(corner + 1u, opposite - 1u, is_second),
                            mix(opposite - 1u, corner + 1u, is_second));
        }
        store_triangle(first, stored + number, corners, turned);
    }
}

void write_quads(const uint invocation, const uint patch_number, const uint spacing, const bool points,
                 const bool turned) {
    uvec4 outer = outer_segments(patch_number, 4u, spacing);
    uint around = sum(outer);
    if (!is_written(patch_number, around)) {
        return;
    }
    uvec2 first = first_of_patch(patch_number);
    for (uint at = invocation; at < around; at += INVOCATIONS) {
        uvec2 side = side_of(outer, at);
        uint along = position(outer_edge(patch_number, side.x, spacing), side.y);
        store_point(add(first.x, at), place_on_side(side.x, along, uvec2(ONE)), patch_number);
    }
    uvec4 inner = inner_edges(patch_number, 4u, spacing, around);
    uint width = inner.y - 1u;
    for (uint at = invocation; at < width * (inner.w - 1u); at += INVOCATIONS) {
        uvec2 place = uvec2(position(inner.xy, at % width + 1u), position(inner.zw, at / width + 1u));
        store_point(add(first.x, around + at), place, patch_number);
    }
    if (points) {
        store_indices_of_points(invocation, first, around + width * (inner.w - 1u));
    } else if (width != 0u) {
        store_border(invocation, first, outer, inner.yw, turned);
        store_grid(invocation, first, around, inner.yw, turned);
    } else if (invocation < 2u) {
        store_triangle(first, invocation, uvec3(0u, invocation + 1u, invocation + 2u), turned);
    }
}

// The number of lines, which has equal spacing always, and the number of segments of a line; zeros if discarded.
uvec2 lines_and_segments(const uint patch_number, const uint spacing) {
    bool is_kept = is_positive(level(patch_number, 0u)) && is_positive(level(patch_number, 1u));
    uvec2 counts = uvec2(outer_edge(patch_number, 0u, EQUAL).y, outer_edge(patch_number, 1u, spacing).y);
    return is_kept ? counts : uvec2(0u);
}

uvec2 count_isolines(const uint patch_number, const uint spacing, const bool points) {
    uvec2 counts = lines_and_segments(patch_number, spacing);
    uint of_points = counts.x * (counts.y + 1u);
    return uvec2(of_points, mix(2u * counts.x * counts.y, of_points, points));
}

// Lines have no orientation, so `turned` has no effect.
void write_isolines(const uint invocation, const uint patch_number, const uint spacing, const bool points,
                    const bool turned) {
    uvec2 counts = lines_and_segments(patch_number, spacing);
    if (!is_written(patch_number, counts.x)) {
        return;
    }
    uvec2 first = first_of_patch(patch_number);
    uvec2 across = outer_edge(patch_number, 0u, EQUAL);
    uvec2 along = outer_edge(patch_number, 1u, spacing);
    uint of_line = counts.y + 1u;
    for (uint at = invocation; at < counts.x * of_line; at += INVOCATIONS) {
        uvec2 place = uvec2(position(along, at % of_line), position(across, at / of_line));
        store_point(add(first.x, at), place, patch_number);
    }
    if (points) {
        store_indices_of_points(invocation, first, counts.x * of_line);
        return;
    }
    for (uint at = invocation; at < counts.x * counts.y; at += INVOCATIONS) {
        uint point = first.x + at + at / counts.y;
        store_index(add(first.y, 2u * at), point);
        store_index(add(first.y, 2u * at + 1u), point + 1u);
    }
}

#include "allocate.glsl"

// Calls all functions that can be linked, because the compiler removes unused functions.
void main() {
    count_triangles(0u, 0u, false);
    count_quads(0u, 0u, false);
    count_isolines(0u, 0u, false);
    write_triangles(0u, 0u, 0u, false, false);
    write_quads(0u, 0u, 0u, false, false);
    write_isolines(0u, 0u, 0u, false, false);
    allocate(0u, 0u, 0u, 0u, false);
}
