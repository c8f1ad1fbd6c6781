// A geometry stage as a compute stage: finds input vertices, and sums the numbers of emitted primitives.
//
// Functions with an empty or trivial body are hooks.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "topologies.glsl"

// Hook: whether the last vertex is the provoking vertex.
bool provoking_last() { return false; }

// The difference, or 0 if it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

#include "primitives.glsl"
#include "adjacency.glsl"

// The number of primitives that `count` vertices form.
uint primitives_of(const uint topology, const uint count) {
    uint captured = without_adjacency(topology);
    return primitives_per_instance(captured, vertices_per_primitive(captured), count_of_captured(topology, count));
}

// The vertex at `corner` of a triangle of a strip. An odd triangle has the opposite winding: (0, 2, 1), or with the
// provoking vertex last (1, 0, 2).
uint of_strip(const uint primitive, const uint corner) {
    return primitive + mix((3u + uint(provoking_last()) - corner) % 3u, corner, (primitive & 1u) == 0u);
}

// With the provoking vertex first: (i + 1, i + 2, 0); last: (0, i + 1, i + 2).
uint of_fan(const uint primitive, const uint corner) {
    uint turned = mix((corner + 1u) % 3u, corner, provoking_last());
    return mix(primitive + turned, 0u, turned == 0u);
}

// Each vertex of a strip precedes an adjacent vertex. Corners alternate between vertices of the triangle and vertices
// that are adjacent to the edge from the corner before to the corner after.
uint of_strip_with_adjacency(const uint primitive, const uint corner, const uint count) {
    uint from = of_strip(primitive, corner >> 1) - primitive;
    uint to = of_strip(primitive, ((corner >> 1) + 1u) % 3u) - primitive;
    bool is_last = primitive + 1u == less(count, 4u) >> 1;
    // The edges from 0 to 1, from 1 to 2, and from 0 to 2.
    uint adjacent = 2u * primitive + 3u;
    adjacent = mix(adjacent, 2u * primitive + mix(6u, 5u, is_last), from + to == 3u);
    adjacent = mix(adjacent, mix(2u * primitive - 2u, 1u, primitive == 0u), from + to == 1u);
    return mix(2u * (primitive + from), adjacent, (corner & 1u) != 0u);
}

// The vertex at `corner` of a primitive of a draw of `count` vertices. Corners include adjacent vertices.
uint vertex_of(const uint topology, const uint primitive, const uint corner, const uint count) {
    switch (topology) {
        case POINT_LIST: return primitive;
        case LINE_LIST: return 2u * primitive + corner;
        case LINE_STRIP:
        case LINE_STRIP + ADJACENCY: return primitive + corner;
        case LINE_LOOP: return mix(primitive + corner, 0u, primitive + corner == count);
        case TRIANGLE_LIST: return 3u * primitive + corner;
        case TRIANGLE_STRIP: return of_strip(primitive, corner);
        case TRIANGLE_FAN: return of_fan(primitive, corner);
        case LINE_LIST + ADJACENCY: return 4u * primitive + corner;
        case TRIANGLE_LIST + ADJACENCY: return 6u * primitive + corner;
        default: return of_strip_with_adjacency(primitive, corner, count);
    }
}

// Hooks: the number of vertices in the buffer of inputs, and the function that loads one of them.
uint vertices_in_buffer() { return 0u; }
void load_vertex(const uint corner, const uint vertex) {}

void load_in_buffer(const uint corner, const uint vertex) {
    if (vertex < vertices_in_buffer()) {
        load_vertex(corner, vertex);
    }
}

// With primitive restart, a table lists the segments between restarts, as draws.glsl explains.
const uint SEGMENTS_HEAD = 2u;

// Hooks: the table of segments.
uint segments_length() { return 0u; }
uint segments_word(const uint word) { return word; }

uint segments(const uint word) { return word < segments_length() ? segments_word(word) : 0u; }

// The number of primitives of an instance.
uint primitives_of_segments(const uint topology, const uint count) { return segments(1u); }

// The last segment with at most `primitive` primitives before it, by binary search. 32 steps suffice for any table.
uint segment_of(const uint primitive) {
    uint first = 0u;
    uint count = segments(0u);
    for (uint step = 0u; step < 32u && count > 1u; ++step) {
        uint ahead = count >> 1;
        bool is_ahead = segments(SEGMENTS_HEAD + 2u * (first + ahead) + 1u) <= primitive;
        first = mix(first, first + ahead, is_ahead);
        count = mix(ahead, count - ahead, is_ahead);
    }
    return SEGMENTS_HEAD + 2u * first;
}

// Replaces `vertex_of` for draws with primitive restart.
uint vertex_of_segments(const uint topology, const uint primitive, const uint corner, const uint count) {
    uint segment = segment_of(primitive);
    uint begin = segments(segment);
    uint length = less(segments(segment + 2u), begin + 1u);
    return begin + vertex_of(topology, primitive - segments(segment + 1u), corner, length);
}

// The table of counts. It begins with a VkDrawIndirectCommand for the emitted vertices of stream 0, and the numbers of
// primitives emitted to streams 0 to 3. An entry for each invocation follows, and one more: the numbers of primitives
// that the invocations before it emit, a word for each emitted stream.
const uint TABLE_HEAD = 8u;
const uint TOTALS = 4u;

// Hooks: the table.
uint table_length() { return 0u; }
uint table_word(const uint word) { return word; }
void put_word(const uint word, const uint value) {}

uint table(const uint word) { return word < table_length() ? table_word(word) : 0u; }

void put_table(const uint word, const uint value) {
    if (word < table_length()) {
        put_word(word, value);
    }
}

// Sums stay at the largest number instead of wrapping around.
uint add(const uint one, const uint other) { return mix(one + other, ~0u, one + other < one); }

// The number of the first primitive of an invocation, if each invocation emits `each` primitives.
uint first_primitive(const uint invocation, const uint each) {
    return mix(invocation * each, ~0u, invocation > ~0u / max(each, 1u));
}

const uint INVOCATIONS = 64u;

// Hook: waits until all invocations have written to the table.
void wait_for_table() {}

// Replaces the counts of the invocations by sums, in one work group. Each invocation sums a part of the table, and
// stores its sum behind the table. After a barrier, it adds the sums of the parts before its own. Entries beyond the
// table do not count, so the number of steps is limited whatever the host parameters are.
// `most` limits the primitives of the command.
void sum_counts(const uint invocation, const uint all, const uint streams, const uint numbers, const uint vertices,
                const uint most) {
    uint count = min(all, less(table_length(), TABLE_HEAD) / streams);
    uint size = count / INVOCATIONS + uint(count % INVOCATIONS != 0u);
    uint begin = min(invocation * size, count);
    uint end = min(begin + size, count);
    uint parts = TABLE_HEAD + (count + 1u) * streams;
    for (uint stream = 0u; stream < streams; ++stream) {
        uint sum = 0u;
        for (uint at = begin; at < end; ++at) {
            sum = add(sum, table(TABLE_HEAD + at * streams + stream));
        }
        put_table(parts + invocation * streams + stream, sum);
    }
    // Streams without emits have no primitives.
    if (invocation == 0u) {
        for (uint word = 0u; word < TABLE_HEAD; ++word) {
            put_table(word, uint(word == 1u));
        }
    }
    wait_for_table();
    for (uint stream = 0u; stream < streams; ++stream) {
        uint sum = 0u;
        for (uint part = 0u; part < invocation; ++part) {
            sum = add(sum, table(parts + part * streams + stream));
        }
        for (uint at = begin; at < end; ++at) {
            uint word = TABLE_HEAD + at * streams + stream;
            uint here = table(word);
            put_table(word, sum);
            sum = add(sum, here);
        }
        if (invocation == INVOCATIONS - 1u) {
            uint number = numbers >> 8u * stream & 3u;
            put_table(TABLE_HEAD + count * streams + stream, sum);
            put_table(TOTALS + number, sum);
            if (number == 0u) {
                put_table(0u, min(sum, most) * vertices);
            }
        }
    }
}

// Calls all functions that can be linked, because the compiler removes unused functions.
void main() {
    primitives_of(0u, 0u);
    vertex_of(0u, 0u, 0u, 0u);
    load_in_buffer(0u, 0u);
    primitives_of_segments(0u, 0u);
    vertex_of_segments(0u, 0u, 0u, 0u);
    first_primitive(0u, 0u);
    sum_counts(0u, 0u, 0u, 0u, 0u, 0u);
}
