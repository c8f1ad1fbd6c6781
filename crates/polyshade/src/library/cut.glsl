// Discards primitives that a geometry stage emits by their cull distances, and cuts them by their clip distances.
//
// Vertices are stored in slots. The lowering defines the contents of slots, and how vertices are emitted.

#version 450

// The vertices of a primitive use the first slots. New vertices use the following slots.
const uint CORNERS_OF_LINE = 2u;
const uint CORNERS_OF_TRIANGLE = 3u;

// Each of eight planes adds at most one vertex to a triangle.
const uint MOST_CORNERS = 11u;

// The largest finite float.
const float LARGEST = 3.4028234663852886e38;

// Hook: saves the vertex that the shader emits to a slot.
void save(const uint slot) {}

// Hook: interpolates a vertex at `part` (0 to 1) of the way from `outside` to `inside`.
void interpolate(const uint slot, const uint outside, const uint inside, const float part) {}

// Hook: emits a vertex, with the flat values of the provoking vertex.
void emit(const uint slot, const uint provoking) {}

// Hook: ends a strip.
void end_strip() {}

// Hooks: the clip or cull distance of a vertex.
float clip_distance(const uint slot, const uint plane) { return 0.0; }
float cull_distance(const uint slot, const uint number) { return 0.0; }

// NaN counts as negative.
bool is_negative(const float distance) { return !(distance >= 0.0); }

// The distance of a new vertex from the outside vertex, as a fraction of the edge. Both triangles at an edge compute
// the same value.
float part_to_plane(const float outside, const float inside) {
    precise float part = outside / (outside - inside);
    return part;
}

// Whether one cull distance is negative at all vertices.
bool is_culled(const uvec3 corners, const uint cull) {
    for (uint i = 0u; i < cull; ++i) {
        if (is_negative(cull_distance(corners.x, i)) && is_negative(cull_distance(corners.y, i)) &&
            is_negative(cull_distance(corners.z, i))) {
            return true;
        }
    }
    return false;
}

// Infinite values and NaN cannot be interpolated.
bool is_finite(const uvec3 corners, const uint clip) {
    for (uint plane = 0u; plane < clip; ++plane) {
        vec3 distances = vec3(clip_distance(corners.x, plane), clip_distance(corners.y, plane),
                              clip_distance(corners.z, plane));
        if (!all(lessThanEqual(abs(distances), vec3(LARGEST)))) {
            return false;
        }
    }
    return true;
}

bool is_kept(const uvec3 corners, const uint clip, const uint cull) {
    return !is_culled(corners, cull) && is_finite(corners, clip);
}

// Cuts the triangle by one plane after another (Sutherland and Hodgman), and emits the remaining polygon as a strip.
void emit_cut_triangle(const uvec3 corners, const uint provoking, const uint clip) {
    uint polygon[MOST_CORNERS];
    polygon[0] = corners.x;
    polygon[1] = corners.y;
    polygon[2] = corners.z;
    uint count = CORNERS_OF_TRIANGLE;
    uint free = CORNERS_OF_TRIANGLE;
    for (uint plane = 0u; plane < clip; ++plane) {
        uint left[MOST_CORNERS];
        uint left_count = 0u;
        for (uint i = 0u; i < count; ++i) {
            uint here = polygon[i];
            uint next = polygon[i + 1u < count ? i + 1u : 0u];
            float distance_here = clip_distance(here, plane);
            float distance_next = clip_distance(next, plane);
            bool is_inside = distance_here >= 0.0;
            if (is_inside && left_count < MOST_CORNERS) {
                left[left_count++] = here;
            }
            if (is_inside != (distance_next >= 0.0) && left_count < MOST_CORNERS) {
                if (is_inside) {
                    interpolate(free, next, here, part_to_plane(distance_next, distance_here));
                } else {
                    interpolate(free, here, next, part_to_plane(distance_here, distance_next));
                }
                left[left_count++] = free++;
            }
        }
        polygon = left;
        count = left_count;
        if (count < CORNERS_OF_TRIANGLE) {
            return;
        }
    }

    // A strip covers a convex polygon if it takes vertices alternately from both ends of the list.
    uint low = 0u;
    uint high = count - 1u;
    emit(polygon[low++], provoking);
    while (low <= high) {
        emit(polygon[low++], provoking);
        if (low <= high) {
            emit(polygon[high--], provoking);
        }
    }
    end_strip();
}

// Cuts the line at both ends.
void emit_cut_line(const uint first, const uint second, const uint provoking, const uint clip) {
    float from_first = 0.0;
    float from_second = 0.0;
    for (uint plane = 0u; plane < clip; ++plane) {
        float distance_first = clip_distance(first, plane);
        float distance_second = clip_distance(second, plane);
        if (distance_first < 0.0 && distance_second < 0.0) {
            return;
        }
        if (distance_first < 0.0) {
            from_first = max(from_first, part_to_plane(distance_first, distance_second));
        }
        if (distance_second < 0.0) {
            from_second = max(from_second, part_to_plane(distance_second, distance_first));
        }
    }
    if (from_first + from_second >= 1.0) {
        return;
    }

    uint start = first;
    uint end = second;
    if (from_first > 0.0) {
        start = CORNERS_OF_LINE;
        interpolate(start, first, second, from_first);
    }
    if (from_second > 0.0) {
        end = CORNERS_OF_LINE + 1u;
        interpolate(end, second, first, from_second);
    }
    emit(start, provoking);
    emit(end, provoking);
    end_strip();
}

// Handles a vertex that the shader emits after `count` other vertices of its strip. Returns the new count. `provoking`
// is the number of the vertex that a primitive takes its flat values from.
uint emit_to_triangles(const uint count, const uint provoking, const uint clip, const uint cull) {
    save(count % CORNERS_OF_TRIANGLE);
    if (count >= 2u) {
        uvec3 corners = (uvec3(count) - uvec3(2u, 1u, 0u)) % CORNERS_OF_TRIANGLE;
        uint flat_corner = corners[provoking];
        // Every other triangle of a strip has the opposite winding.
        if ((count & 1u) == 1u) {
            corners = corners.xzy;
        }
        if (is_kept(corners, clip, cull)) {
            emit_cut_triangle(corners, flat_corner, clip);
        }
    }
    return count + 1u;
}

uint emit_to_lines(const uint count, const uint provoking, const uint clip, const uint cull) {
    save(count % CORNERS_OF_LINE);
    if (count >= 1u) {
        uvec2 corners = (uvec2(count) - uvec2(1u, 0u)) % CORNERS_OF_LINE;
        if (is_kept(corners.xyy, clip, cull)) {
            emit_cut_line(corners.x, corners.y, corners[provoking], clip);
        }
    }
    return count + 1u;
}

uint emit_to_points(const uint count, const uint provoking, const uint clip, const uint cull) {
    save(0u);
    if (is_culled(uvec3(0u), cull)) {
        return count;
    }
    for (uint plane = 0u; plane < clip; ++plane) {
        if (is_negative(clip_distance(0u, plane))) {
            return count;
        }
    }
    emit(0u, provoking);
    return count;
}

void main() {
    emit_to_triangles(0u, 0u, 0u, 0u);
    emit_to_lines(0u, 0u, 0u, 0u);
    emit_to_points(0u, 0u, 0u, 0u);
}
