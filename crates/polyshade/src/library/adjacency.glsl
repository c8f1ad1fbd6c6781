// Vertices of draws with adjacency. The including file defines the topologies and `less`.

bool has_adjacency(const uint topology) { return topology - (LINE_LIST + ADJACENCY) <= TRIANGLE_STRIP - LINE_LIST; }

// The topology of the captured primitives: the draw's topology without adjacency.
uint without_adjacency(const uint topology) { return topology - mix(0u, ADJACENCY, has_adjacency(topology)); }

// The number of captured vertices among `count` vertices. A line strip has one adjacent vertex at each end.
uint count_of_captured(const uint topology, const uint count) {
    switch (topology) {
        case LINE_LIST + ADJACENCY: return (count >> 2) * 2u;
        case LINE_STRIP + ADJACENCY: return less(count, 2u);
        case TRIANGLE_LIST + ADJACENCY: return count / 6u * 3u;
        case TRIANGLE_STRIP + ADJACENCY: return count >> 1;
        default: return count;
    }
}
