// Writes the results of available queries, or of all queries with `in_any_case`. Other values in memory do not change.

#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Memory { uint words[]; };

// The parameters of the copy, which `copy` in queries.rs writes.
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Copying {
    uvec2 from;
    uvec2 to;
    // The address of the driver's results: a 64-bit count and a 64-bit availability for each query. The layer's count
    // of points drawn for captures is subtracted from the driver's count. 0 if only the layer counts.
    uvec2 counted;
    // The index of the first value of a query to copy, and the number of values to copy.
    uint first;
    uint numbers;
    // The size of a value in the results, in 32-bit values.
    uint width;
    uint with_availability;
    uint in_any_case;
};

layout(push_constant) uniform Push {
    uvec2 copying;
    uint count;
};

// The 32-bit values of a query: primitives written, primitives needed, availability.
const uint QUERY = 6u;
const uint AVAILABLE = 4u;

// Returns the difference, but at least 0, as in `vkGetQueryPoolResults`.
uvec2 difference(const uvec2 from, const uvec2 subtracted) {
    uint borrow;
    uint low = usubBorrow(from.x, subtracted.x, borrow);
    bool is_less = from.y < subtracted.y || (from.y == subtracted.y && borrow != 0u);
    return is_less ? uvec2(0u) : uvec2(low, from.y - subtracted.y - borrow);
}

void main() {
    Copying how = Copying(copying);
    uint query = gl_GlobalInvocationID.x;
    if (query < count) {
        uint from = QUERY * query;
        uint to = how.width * (how.numbers + how.with_availability) * query;
        uint available = Memory(how.from).words[from + AVAILABLE];
        uvec2 counted = uvec2(0u);
        bool is_counted = how.counted != uvec2(0u);
        if (is_counted) {
            Memory driver = Memory(how.counted);
            counted = uvec2(driver.words[4u * query], driver.words[4u * query + 1u]);
            // In a multiview pass, the driver ends the queries of all views.
            available = min(driver.words[4u * query + 2u], 1u);
        }
        if ((available | how.in_any_case) != 0u) {
            for (uint number = 0u; number < how.numbers; ++number) {
                uint at = from + 2u * (how.first + number);
                uvec2 value = uvec2(Memory(how.from).words[at], Memory(how.from).words[at + 1u]);
                if (is_counted) {
                    value = available != 0u ? difference(counted, value) : uvec2(0u);
                }
                for (uint word = 0u; word < how.width; ++word) {
                    Memory(how.to).words[to + how.width * number + word] = value[word];
                }
            }
        }
        if (how.with_availability != 0u) {
            uint at = to + how.width * how.numbers;
            Memory(how.to).words[at] = available;
            if (how.width > 1u) {
                Memory(how.to).words[at + 1u] = 0u;
            }
        }
    }
}
