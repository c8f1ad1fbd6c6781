// Draws whose vertices are not captured one after the other: with adjacency, or restarted by indices.
//
// Slots are those of capture.glsl. Functions without a body of their own are hooks.

#version 450
#extension GL_GOOGLE_include_directive : require

// VkPrimitiveTopology's values; with adjacency, they are ADJACENCY more.
const uint LINE_LIST = 1u;
const uint LINE_STRIP = 2u;
const uint TRIANGLE_LIST = 3u;
const uint TRIANGLE_STRIP = 4u;
const uint ADJACENCY = 5u;

// Those of capture.glsl.
void of_vertex(const uint first, const uint limit, const uint slots, const uint vertex) {}
uint vertices_per_primitive(const uint topology) { return topology; }
uint primitives_per_instance(const uint topology, const uint vertices, const uint count) { return count; }
void capture(const uint vertex, const uint instance, const uint topology, const uint count) {}
uint topology() { return LINE_LIST; }

// The difference, or 0 where it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

#include "adjacency.glsl"

// Which of those a vertex is; no number below any limit where it is a neighbour.
uint number_of_captured(const uint topology, const uint vertex) {
    const uint NEIGHBOUR = ~0u;
    switch (topology) {
        // The middle ones of four.
        case LINE_LIST + ADJACENCY:
            return mix(NEIGHBOUR, (vertex >> 2) * 2u + (vertex & 3u) - 1u, (vertex + 1u & 2u) != 0u);
        case LINE_STRIP + ADJACENCY: return vertex - 1u;
        case TRIANGLE_LIST + ADJACENCY:
        case TRIANGLE_STRIP + ADJACENCY: return mix(vertex >> 1, NEIGHBOUR, (vertex & 1u) != 0u);
        default: return vertex;
    }
}

// The draw's topology, where it may have adjacency; what is told the number of a captured vertex is told the topology
// without.
uint topology_with_adjacency() { return LINE_LIST + ADJACENCY; }

// In the place of `of_vertex` where there may be neighbours.
void of_captured(const uint first, const uint limit, const uint slots, const uint vertex) {
    of_vertex(first, limit, slots, number_of_captured(topology_with_adjacency(), vertex));
}

// How many of the vertices of a segment are captured: all, or with adjacency the second.
uint count_of_segment(const uint count) { return count; }

uint count_of_segment_captured(const uint count) { return count_of_captured(topology_with_adjacency(), count); }

// Where primitives are restarted, a table says where segments are: what lies between two restarts of an instance. Word
// 0 is how many segments there are, word 1 how many primitives an instance has. Then come two words a segment: the
// position in the indices of the draw where it begins, and how many primitives the instance has before it. One more,
// behind the last, begins one position behind the indices, as if there was a restart.
uint table_length() { return 0u; }
uint table_word(const uint word) { return word; }

uint table(const uint word) { return word < table_length() ? table_word(word) : 0u; }

const uint TABLE_HEAD = 2u;

// In the place of `primitives_per_instance` of a whole draw.
uint primitives_in_table(const uint topology, const uint vertices, const uint count) { return table(1u); }

// The last segment that begins at `position` or before, by halving what is left. No table takes more than 32 steps.
uint segment_around(const uint position) {
    uint first = 0u;
    uint count = table(0u);
    for (uint step = 0u; step < 32u && count > 1u; ++step) {
        uint ahead = count >> 1;
        bool is_ahead = table(TABLE_HEAD + 2u * (first + ahead)) <= position;
        first = mix(first, first + ahead, is_ahead);
        count = mix(ahead, count - ahead, is_ahead);
    }
    return first;
}

// In the place of `of_vertex`: to the slots of an instance. At a position where a restart is, there is no vertex.
void of_segment(const uint first, const uint limit, const uint slots, const uint position) {
    uint place = TABLE_HEAD + 2u * segment_around(position);
    uint begin = table(place);
    uint before = table(place + 1u);
    uint count = less(table(place + 2u), begin + 1u);
    uint vertices = vertices_per_primitive(topology());
    // By division: the products cannot wrap.
    if (position - begin < count && before <= limit / vertices) {
        uint room = limit - before * vertices;
        uint primitives = primitives_per_instance(topology(), vertices, count_of_segment(count));
        uint here = vertices * min(primitives, room + 1u);
        of_vertex(first + before * vertices, min(here, room), here, position - begin);
    }
}

void capture_with_adjacency(const uint vertex, const uint instance, const uint topology, const uint count) {
    capture(vertex, instance, without_adjacency(topology), count_of_captured(topology, count));
}

// What is linked is called here: the compiler leaves out the rest.
void main() {
    capture_with_adjacency(0u, 0u, 0u, 0u);
    of_captured(0u, 0u, 0u, 0u);
    count_of_segment_captured(0u);
    of_segment(0u, 0u, 0u, 0u);
    primitives_in_table(0u, 0u, 0u);
}
