// The number of primitives in a draw. The including file defines the topologies and `less`.

uint vertices_per_primitive(const uint topology) {
    const uint LINES = 1u << LINE_LIST | 1u << LINE_STRIP | 1u << LINE_LOOP;
    return mix(3u - (LINES >> topology & 1u), 1u, topology == POINT_LIST);
}

// The number of primitives that `count` vertices form, with `vertices` each. A loop has one more line than a strip.
uint primitives_per_instance(const uint topology, const uint vertices, const uint count) {
    const uint LISTS = 1u << POINT_LIST | 1u << LINE_LIST | 1u << TRIANGLE_LIST;
    uint of_strip = less(count, vertices - 1u);
    uint closing = mix(0u, min(of_strip, 1u), topology == LINE_LOOP);
    return mix(of_strip + closing, count / vertices, (LISTS >> topology & 1u) != 0u);
}
