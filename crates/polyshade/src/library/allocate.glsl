// The table of patches, for tessellator.glsl.

// Hook: the function that counts the points and indices of a patch of the domain.
uvec2 count_patch(const uint patch_number, const uint spacing, const bool points) { return uvec2(0u); }

// Hook: waits until all invocations have written to the table.
void wait_for_table() {}

uvec2 add_both(const uvec2 one, const uvec2 other) { return uvec2(add(one.x, other.x), add(one.y, other.y)); }

void put_both(const uint word, const uvec2 values) {
    put_table(word, values.x);
    put_table(word + 1u, values.y);
}

// Of the first `count` patches, the number of those that fit. Sums never decrease, so a binary search finds it.
uint count_fitting(const uint count) {
    uint low = 0u;
    uint high = count;
    for (uint step = 0u; step < 32u && low < high; ++step) {
        uint middle = high - ((high - low) >> 1);
        uvec2 end = first_of_patch(middle);
        bool is_fitting = end.x <= points_length() / 3u && end.y <= indices_length();
        low = mix(low, middle, is_fitting);
        high = mix(middle - 1u, high, is_fitting);
    }
    return low;
}

void put_head(const uint count, const uint per_instance) {
    uint fitting = count_fitting(count);
    uint indices = first_of_patch(fitting).y;
    uint groups = indices / INVOCATIONS + uint(indices % INVOCATIONS != 0u);
    for (uint word = 0u; word < TABLE_HEAD; ++word) {
        put_table(word, uint(word == 1u || word == 7u));
    }
    put_table(0u, indices);
    put_table(5u, min(groups, 65535u));
    put_table(6u, max((groups + 65534u) / 65535u, 1u));
    put_table(PER_INSTANCE, per_instance);
    put_both(NEEDED, first_of_patch(count));
    put_table(FITTING, fitting);
}

// Fills the table, in one work group. Each invocation counts a part of the patches, and stores its sums behind the
// table. After a barrier, it adds the sums of the parts before its own. Patches for which the table is too short do
// not count, so the number of steps is limited whatever the host parameters are.
void allocate(const uint invocation, const uint patches, const uint per_instance, const uint spacing,
              const bool points) {
    uint count = min(patches, less(table_length(), TABLE_HEAD + 2u + 2u * INVOCATIONS) >> 1);
    uint size = count / INVOCATIONS + uint(count % INVOCATIONS != 0u);
    uint begin = min(invocation * size, count);
    uint end = min(begin + size, count);
    uint parts = TABLE_HEAD + (count + 1u) * 2u;
    uvec2 before = uvec2(0u);
    for (uint at = begin; at < end; ++at) {
        uvec2 here = count_patch(at, spacing, points);
        put_both(TABLE_HEAD + 2u * at, here);
        before = add_both(before, here);
    }
    put_both(parts + 2u * invocation, before);
    wait_for_table();
    before = uvec2(0u);
    for (uint part = 0u; part < invocation; ++part) {
        uint word = parts + 2u * part;
        before = add_both(before, uvec2(table(word), table(word + 1u)));
    }
    for (uint at = begin; at < end; ++at) {
        uvec2 here = first_of_patch(at);
        put_both(TABLE_HEAD + 2u * at, before);
        before = add_both(before, here);
    }
    if (invocation == INVOCATIONS - 1u) {
        put_both(TABLE_HEAD + 2u * count, before);
    }
    wait_for_table();
    if (invocation == 0u) {
        put_head(count, per_instance);
    }
}
