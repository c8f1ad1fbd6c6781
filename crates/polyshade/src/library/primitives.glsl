// How many primitives a draw has. Topologies are named, and `less` is written, where this is included.

uint vertices_per_primitive(const uint topology) {
    const uint LINES = 1u << LINE_LIST | 1u << LINE_STRIP | 1u << LINE_LOOP;
    return mix(3u - (LINES >> topology & 1u), 1u, topology == POINT_LIST);
}

// How many primitives of `vertices` vertices `count` vertices make. A loop closes what a strip leaves open.
uint primitives_per_instance(const uint topology, const uint vertices, const uint count) {
    const uint LISTS = 1u << POINT_LIST | 1u << LINE_LIST | 1u << TRIANGLE_LIST;
    uint of_strip = less(count, vertices - 1u);
    uint closing = mix(0u, min(of_strip, 1u), topology == LINE_LOOP);
    return mix(of_strip + closing, count / vertices, (LISTS >> topology & 1u) != 0u);
}
