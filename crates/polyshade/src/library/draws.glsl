// Draws that do not simply capture all vertices in order: draws with adjacency or with primitive restart.
//
// capture.glsl explains slots. Functions with an empty or trivial body are hooks.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "topologies.glsl"

// Hooks: functions of capture.glsl.
void of_vertex(const uint first, const uint limit, const uint slots, const uint vertex) {}
uint vertices_per_primitive(const uint topology) { return topology; }
uint primitives_per_instance(const uint topology, const uint vertices, const uint count) { return count; }
void capture(const uint vertex, const uint instance, const uint topology, const uint count) {}
uint topology() { return LINE_LIST; }

// The difference, or 0 if it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

#include "adjacency.glsl"

// The number of a vertex among the captured vertices. For an adjacent vertex, it is above any limit.
uint number_of_captured(const uint topology, const uint vertex) {
    const uint NEIGHBOUR = ~0u;
    switch (topology) {
        // Only the second and third of four vertices are captured.
        case LINE_LIST + ADJACENCY:
            return mix(NEIGHBOUR, (vertex >> 2) * 2u + (vertex & 3u) - 1u, (vertex + 1u & 2u) != 0u);
        case LINE_STRIP + ADJACENCY: return vertex - 1u;
        case TRIANGLE_LIST + ADJACENCY:
        case TRIANGLE_STRIP + ADJACENCY: return mix(vertex >> 1, NEIGHBOUR, (vertex & 1u) != 0u);
        default: return vertex;
    }
}

// Hook: the topology of the draw, which may have adjacency. Functions that take the number of a captured vertex get
// the topology without adjacency.
uint topology_with_adjacency() { return LINE_LIST + ADJACENCY; }

// Replaces `of_vertex` if the draw may have adjacent vertices.
void of_captured(const uint first, const uint limit, const uint slots, const uint vertex) {
    of_vertex(first, limit, slots, number_of_captured(topology_with_adjacency(), vertex));
}

// Hook: the number of captured vertices of a segment. With adjacency, the function below replaces it.
uint count_of_segment(const uint count) { return count; }

uint count_of_segment_captured(const uint count) { return count_of_captured(topology_with_adjacency(), count); }

// With primitive restart, a table lists the segments: the ranges between two restarts of an instance. Word 0 is the
// number of segments, word 1 the number of primitives in an instance. Two words follow for each segment: the position
// of its first index in the draw, and the number of primitives of the instance before it. One more segment, after the
// last, begins one position after the end of the indices, as if there were a restart.
uint table_length() { return 0u; }
uint table_word(const uint word) { return word; }

uint table(const uint word) { return word < table_length() ? table_word(word) : 0u; }

const uint TABLE_HEAD = 2u;

// Replaces `primitives_per_instance` for a whole draw.
uint primitives_in_table(const uint topology, const uint vertices, const uint count) { return table(1u); }

// Returns the last segment that begins at or before `position`, by binary search. 32 steps suffice for any table.
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

// Replaces `of_vertex`: stores a vertex to its slots in an instance. There is no vertex at the position of a restart.
void of_segment(const uint first, const uint limit, const uint slots, const uint position) {
    uint place = TABLE_HEAD + 2u * segment_around(position);
    uint begin = table(place);
    uint before = table(place + 1u);
    uint count = less(table(place + 2u), begin + 1u);
    uint vertices = vertices_per_primitive(topology());
    // The division avoids products that wrap around.
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

// Calls all functions that can be linked, because the compiler removes unused functions.
void main() {
    capture_with_adjacency(0u, 0u, 0u, 0u);
    of_captured(0u, 0u, 0u, 0u);
    count_of_segment_captured(0u);
    of_segment(0u, 0u, 0u, 0u);
    primitives_in_table(0u, 0u, 0u);
}
