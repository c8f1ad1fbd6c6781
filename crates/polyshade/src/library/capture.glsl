// Which slots of the feedback buffers a vertex goes to: transform feedback of a draw without indices.
//
// A slot is a corner of a primitive, numbered through the draw: instance after instance, primitive after primitive.

#version 450

// VkPrimitiveTopology's values, and one for OpenGL's line loop.
const uint POINT_LIST = 0u;
const uint LINE_LIST = 1u;
const uint LINE_STRIP = 2u;
const uint TRIANGLE_LIST = 3u;
const uint TRIANGLE_STRIP = 4u;
const uint TRIANGLE_FAN = 5u;
const uint LINE_LOOP = 16u;

// Hook: how many primitives of this many vertices fit into every buffer.
uint primitives_that_fit(const uint vertices) { return vertices; }

// Hook: stores the captured outputs of this vertex to a slot.
void store_to_slot(const uint slot) {}

// How many primitives of `vertices` vertices fit into one buffer. All sizes are in words, `stride` is not 0. `length`
// is how long the buffer really is: whatever the host's words say, nothing beyond it counts as room.
uint fit(const uint vertices, const uint stride, const uint length, const uint offset, const uint size,
         const uint reached) {
    uint there = length > offset ? min(length - offset, size) : 0u;
    uint room = there > reached ? there - reached : 0u;
    return room / (vertices * stride);
}

uint vertices_per_primitive(const uint topology) {
    if (topology == POINT_LIST) {
        return 1u;
    }
    return topology == LINE_LIST || topology == LINE_STRIP || topology == LINE_LOOP ? 2u : 3u;
}

uint primitives_per_instance(const uint topology, const uint count) {
    switch (topology) {
        case POINT_LIST: return count;
        case LINE_LIST: return count / 2u;
        case LINE_STRIP: return count - min(count, 1u);
        case LINE_LOOP: return count < 2u ? 0u : count;
        case TRIANGLE_LIST: return count / 3u;
        case TRIANGLE_STRIP:
        case TRIANGLE_FAN: return count - min(count, 2u);
    }
    return 0u;
}

// Corner of a triangle strip's triangle at which its vertex `offset` stands. Odd triangles are wound the other way
// round: (0, 2, 1), or with the provoking vertex last the same cycle ending with it, (1, 0, 2).
uint strip_corner(const uint triangle, const uint offset, const bool provoking_last) {
    if ((triangle & 1u) == 0u) {
        return offset;
    }
    if (provoking_last) {
        return offset == 2u ? 2u : 1u - offset;
    }
    return offset == 0u ? 0u : 3u - offset;
}

// Stores to the corner of a primitive, `limit` of which are left in this instance.
void put(const uint first, const uint limit, const uint primitive, const uint vertices, const uint corner) {
    if (primitive < limit) {
        store_to_slot((first + primitive) * vertices + corner);
    }
}

// Stores vertex `vertex` of `count`, both counted within instance `instance`, to every slot that it has.
void capture(const uint vertex, const uint instance, const uint topology, const uint flags, const uint count) {
    bool provoking_last = (flags & 1u) != 0u;
    uint vertices = vertices_per_primitive(topology);
    uint primitives = primitives_per_instance(topology, count);
    uint fits = primitives_that_fit(vertices);
    // By division: the product below cannot wrap.
    if (vertex >= count || primitives == 0u || instance > fits / primitives) {
        return;
    }
    uint first = instance * primitives;
    uint limit = min(primitives, fits - first);

    switch (topology) {
        case POINT_LIST:
        case LINE_LIST:
        case TRIANGLE_LIST:
            put(first, limit, vertex / vertices, vertices, vertex % vertices);
            break;
        case LINE_STRIP:
        case LINE_LOOP:
            put(first, limit, vertex, vertices, 0u);
            if (vertex > 0u) {
                put(first, limit, vertex - 1u, vertices, 1u);
            } else if (topology == LINE_LOOP) {
                put(first, limit, count - 1u, vertices, 1u);
            }
            break;
        case TRIANGLE_STRIP:
            for (uint offset = 0u; offset < 3u; ++offset) {
                if (vertex >= offset) {
                    uint triangle = vertex - offset;
                    put(first, limit, triangle, vertices, strip_corner(triangle, offset, provoking_last));
                }
            }
            break;
        case TRIANGLE_FAN:
            // Provoking vertex first: (i + 1, i + 2, 0); last: (0, i + 1, i + 2).
            if (vertex == 0u) {
                for (uint triangle = 0u; triangle < limit; ++triangle) {
                    put(first, limit, triangle, vertices, provoking_last ? 0u : 2u);
                }
            } else {
                put(first, limit, vertex - 1u, vertices, provoking_last ? 1u : 0u);
                if (vertex > 1u) {
                    put(first, limit, vertex - 2u, vertices, provoking_last ? 2u : 1u);
                }
            }
            break;
    }
}

// The same where the draw has its own topology. A fan or a loop would run its shared vertices again and again, so the
// host draws those as points, and nothing is stored here.
void capture_as_drawn(const uint vertex, const uint instance, const uint topology, const uint flags,
                      const uint count) {
    if (topology <= TRIANGLE_STRIP) {
        capture(vertex, instance, topology, flags, count);
    }
}

// What is linked is called here: the compiler leaves out the rest.
void main() {
    capture(0u, 0u, 0u, 0u, 0u);
    capture_as_drawn(0u, 0u, 0u, 0u, 0u);
    fit(0u, 0u, 0u, 0u, 0u, 0u);
}
