// Transform feedback of a draw without indices: stores a vertex to its slots in the feedback buffers.
//
// A slot holds one vertex of a primitive. Slots are numbered consecutively in a draw, by instance, then by primitive.
// Functions with an empty or trivial body are hooks.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "topologies.glsl"

// Hooks: properties of the draw.
uint topology() { return POINT_LIST; }
bool provoking_last() { return false; }

// Hook: the number of primitives that fit into all buffers, if each has `vertices` vertices.
uint primitives_that_fit(const uint vertices) { return vertices; }

// Hook: stores the captured outputs of this vertex to a slot.
void store_to_slot(const uint slot) {}

// Hooks: whether a buffer is bound, and the function that stores to it.
bool is_bound() { return true; }
void store_to_buffer(const uint slot) {}

void store_where_bound(const uint slot) {
    if (is_bound()) {
        store_to_buffer(slot);
    }
}

// The difference, or 0 if it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

// The number of primitives of `vertices` vertices that fit into one buffer. All sizes are in words, and `stride` is
// not 0. `length` is the actual length of the buffer. Nothing is stored beyond it, whatever the host parameters are.
uint fit(const uint vertices, const uint stride, const uint length, const uint offset, const uint size,
         const uint reached) {
    return less(min(less(length, offset), size), reached) / (vertices * stride);
}

#include "primitives.glsl"

// Stores to a slot of an instance, if the slot is below `limit`. The slots of the instance begin at `first`.
void put(const uint first, const uint limit, const uint slot) {
    if (slot < limit) {
        store_to_slot(first + slot);
    }
}

// The following functions store a vertex to each of its slots among the `slots` of an instance. Some vertices have
// fewer slots, such as the first of a strip. A difference then wraps around and yields no slot below `limit`.

void of_list(const uint first, const uint limit, const uint slots, const uint vertex) {
    put(first, limit, vertex);
}

// Stores to each slot of a vertex, beginning with the last, which is number 0. The storing code is called only once,
// in a loop over the slots, because drivers compile it again for each call.
#define PUT_EACH(COUNT, SLOT) for (uint which = 0u; which < COUNT; ++which) { put(first, limit, SLOT); }

uint slot_of_line_strip(const uint vertex, const uint which) { return 2u * vertex - which; }

void of_line_strip(const uint first, const uint limit, const uint slots, const uint vertex) {
    PUT_EACH(2u, slot_of_line_strip(vertex, which))
}

uint slot_of_line_loop(const uint slots, const uint vertex, const uint which) {
    return mix(2u * vertex, slots, vertex < which) - which;
}

void of_line_loop(const uint first, const uint limit, const uint slots, const uint vertex) {
    PUT_EACH(2u, slot_of_line_loop(slots, vertex, which))
}

// Odd triangles have the opposite winding: (0, 2, 1), or with the provoking vertex last (1, 0, 2), which is the same
// cycle ending with that vertex.
uint slot_of_triangle_strip(const uint vertex, const uint which) {
    uint triangle = vertex - which;
    uint odd = (3u + uint(provoking_last()) - which) % 3u;
    return 3u * triangle + mix(odd, which, (triangle & 1u) == 0u);
}

void of_triangle_strip(const uint first, const uint limit, const uint slots, const uint vertex) {
    PUT_EACH(3u, slot_of_triangle_strip(vertex, which))
}

// The first vertex is in all triangles.
uint count_of_triangle_fan(const uint limit, const uint vertex) { return mix(2u, limit / 3u + 1u, vertex == 0u); }

// With the provoking vertex first: (i + 1, i + 2, 0); last: (0, i + 1, i + 2).
uint slot_of_triangle_fan(const uint vertex, const uint which) {
    uint of_first = 3u * which + mix(2u, 0u, provoking_last());
    return mix(3u * (vertex - 1u - which) + uint(provoking_last()) + which, of_first, vertex == 0u);
}

void of_triangle_fan(const uint first, const uint limit, const uint slots, const uint vertex) {
    uint count = count_of_triangle_fan(limit, vertex);
    PUT_EACH(count, slot_of_triangle_fan(vertex, which))
}

// The number of slots of a vertex of a list or a strip.
uint count_of_list_or_strip() {
    return mix(1u + uint(topology() == LINE_STRIP), 3u, topology() == TRIANGLE_STRIP);
}

// This slot is not below any limit.
const uint NO_SLOT = ~0u;

uint slot_of_list_or_strip(const uint vertex, const uint which) {
    switch (topology()) {
        case POINT_LIST:
        case LINE_LIST:
        case TRIANGLE_LIST: return vertex;
        case LINE_STRIP: return slot_of_line_strip(vertex, which);
        case TRIANGLE_STRIP: return slot_of_triangle_strip(vertex, which);
        default: return NO_SLOT;
    }
}

// A draw of a fan or a loop would run its shared vertices repeatedly. The host therefore draws points instead, and
// this function stores nothing for the original topology.
void of_list_or_strip(const uint first, const uint limit, const uint slots, const uint vertex) {
    uint count = count_of_list_or_strip();
    PUT_EACH(count, slot_of_list_or_strip(vertex, which))
}

uint slot_of_any(const uint slots, const uint vertex, const uint which) {
    switch (topology()) {
        case LINE_LOOP: return slot_of_line_loop(slots, vertex, which);
        case TRIANGLE_FAN: return slot_of_triangle_fan(vertex, which);
        default: return slot_of_list_or_strip(vertex, which);
    }
}

void of_any(const uint first, const uint limit, const uint slots, const uint vertex) {
    uint count = mix(count_of_list_or_strip(), 2u, topology() == LINE_LOOP);
    count = mix(count, count_of_triangle_fan(limit, vertex), topology() == TRIANGLE_FAN);
    PUT_EACH(count, slot_of_any(slots, vertex, which))
}

// Hook: one of the functions above.
void corners(const uint first, const uint limit, const uint slots, const uint vertex) {}

// Stores a vertex with any number. A vertex has no slot below its number minus 1, and no buffer has more than 2^30
// slots. The numbers of vertices with a slot are thus so small that products do not wrap around.
void of_vertex(const uint first, const uint limit, const uint slots, const uint vertex) {
    if (vertex <= limit) {
        corners(first, limit, slots, vertex);
    }
}

// The following two functions store a vertex of an instance that has `slots` slots. `limit` is the number of slots
// that fit, counted over all instances.

void of_one_instance(const uint vertex, const uint instance, const uint slots, const uint limit) {
    of_vertex(0u, min(slots, limit), slots, vertex);
}

void of_instance(const uint vertex, const uint instance, const uint slots, const uint limit) {
    // The division avoids a product that wraps around. A variable would take more words than computing it twice.
    if (instance <= limit / max(slots, 1u)) {
        of_vertex(instance * slots, min(slots, limit - instance * slots), slots, vertex);
    }
}

// Hook: one of the two functions above.
void of_draw(const uint vertex, const uint instance, const uint slots, const uint limit) {}

// Stores vertex `vertex` of `count`, both counted within instance `instance`, to each of its slots.
void capture(const uint vertex, const uint instance, const uint topology, const uint count) {
    uint vertices = vertices_per_primitive(topology);
    uint fits = primitives_that_fit(vertices);
    // If an instance does not fit, counting only one primitive more than fits gives the same result, and the product
    // cannot wrap around.
    uint primitives = min(primitives_per_instance(topology, vertices, count), fits + 1u);
    of_draw(vertex, instance, vertices * primitives, vertices * fits);
}

// Calls all functions that can be linked, because the compiler removes unused functions.
void main() {
    capture(0u, 0u, 0u, 0u);
    of_one_instance(0u, 0u, 0u, 0u);
    of_instance(0u, 0u, 0u, 0u);
    of_list(0u, 0u, 0u, 0u);
    of_line_strip(0u, 0u, 0u, 0u);
    of_line_loop(0u, 0u, 0u, 0u);
    of_triangle_strip(0u, 0u, 0u, 0u);
    of_triangle_fan(0u, 0u, 0u, 0u);
    of_list_or_strip(0u, 0u, 0u, 0u);
    of_any(0u, 0u, 0u, 0u);
    fit(0u, 0u, 0u, 0u, 0u, 0u);
    store_where_bound(0u);
}
