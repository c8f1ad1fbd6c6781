// What the shaders of the keeper share: the jobs that the host writes, and how memory is read.
//
// A place is an address, and (0, 0) where there is none. All places are the host's: whatever arguments, counts and
// counters hold, nothing else is written.

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Memory { uint words[]; };

// A word of what lies at a place. No pointer is ever in a variable: there are drivers that lose it there.
#define WORD(place, number) Memory(place).words[number]

layout(push_constant) uniform Push {
    uvec2 jobs;
    uint job_count;
};

// Instead of a number of jobs: `jobs` is where a list is, of which `List` in keeper.rs is the other half.
const uint LISTED = ~0u;

// The words of a job, of which `Job::words` in keeper.rs is the other half. Those that are places take two.
const uint JOB_SIZE = 256u;
const uint FLAGS = 0u;
const uint TOPOLOGY = 1u;
const uint STATE = 2u;
const uint BEGIN = 4u;
const uint END = 12u;
const uint QUERY = 20u;
const uint PREDICATE = 22u;
const uint MOST = 24u;
const uint ARGUMENT_STRIDE = 25u;
const uint ARGUMENTS = 26u;
const uint COUNT = 28u;
const uint DIRECT = 30u;
const uint COUNTER_OFFSET = 35u;
const uint VERTEX_STRIDE = 36u;
const uint WORD_COUNT = 37u;
const uint BUFFERS = 38u;
const uint TEMPLATE = 46u;
const uint BLOCKS = 48u;
const uint BLOCK_STRIDE = 50u;
const uint INDEX_TYPE = 51u;
const uint COMMANDS = 52u;
const uint TABLES = 54u;
const uint TABLE_STRIDE = 56u;
const uint INDEX_SIZE = 57u;
const uint INDICES = 58u;

// The flags.
const uint BEGINS = 1u;
const uint ENDS = 2u;
const uint DRAWS = 4u;
const uint PREDICATED = 8u;
const uint INVERTED = 16u;
const uint RESTARTS = 32u;
const uint INDIRECT = 64u;
const uint INDEXED_INDIRECT = 128u;
const uint BYTE_COUNT = 256u;

const uint MAX_BUFFERS = 4u;

// VkPrimitiveTopology's values, and one for OpenGL's line loop; with adjacency, they are ADJACENCY more.
const uint POINT_LIST = 0u;
const uint LINE_LIST = 1u;
const uint LINE_STRIP = 2u;
const uint TRIANGLE_LIST = 3u;
const uint TRIANGLE_STRIP = 4u;
const uint ADJACENCY = 5u;
const uint LINE_LOOP = 16u;

// The difference, or 0 where it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

#include "primitives.glsl"

#include "adjacency.glsl"

uvec2 behind(const uvec2 place, const uint bytes) {
    uint carry;
    uint low = uaddCarry(place.x, bytes, carry);
    return uvec2(low, place.y + carry);
}

uvec2 place_in(const uvec2 job, const uint number) { return uvec2(WORD(job, number), WORD(job, number + 1u)); }

bool is_there(const uvec2 place) { return place != uvec2(0u); }

bool has(const uvec2 job, const uint flag) { return (WORD(job, FLAGS) & flag) != 0u; }

uvec2 first_job() { return job_count == LISTED ? place_in(jobs, 0u) : jobs; }

uint number_of_jobs() { return job_count == LISTED ? WORD(jobs, 2u) : job_count; }

// How many draws of a job are drawn: conditional rendering and a count in a buffer leave some out.
uint count_of_draws(const uvec2 job) {
    uint most = WORD(job, MOST);
    uvec2 count = place_in(job, COUNT);
    if (is_there(count)) {
        most = min(most, WORD(count, 0u));
    }
    if (has(job, PREDICATED)) {
        bool is_zero = WORD(place_in(job, PREDICATE), 0u) == 0u;
        most = is_zero != has(job, INVERTED) ? 0u : most;
    }
    return most;
}

// Of a draw with indices, `first` and `count` are theirs.
struct Numbers {
    uint count;
    uint instances;
    uint first;
    uint vertex_offset;
    uint first_instance;
};

Numbers numbers_of_draw(const uvec2 job, const uint draw) {
    Numbers numbers = Numbers(WORD(job, DIRECT), WORD(job, DIRECT + 1u), WORD(job, DIRECT + 2u), WORD(job, DIRECT + 3u),
                              WORD(job, DIRECT + 4u));
    if (has(job, BYTE_COUNT)) {
        uint bytes = less(WORD(place_in(job, ARGUMENTS), 0u), WORD(job, COUNTER_OFFSET));
        numbers.count = bytes / max(WORD(job, VERTEX_STRIDE), 1u);
    }
    if (has(job, INDIRECT | INDEXED_INDIRECT)) {
        // Strides are less than 2^31, and so many draws need more memory than there is.
        uvec2 stride = uvec2(0u);
        umulExtended(WORD(job, ARGUMENT_STRIDE), draw, stride.y, stride.x);
        uvec2 there = behind(place_in(job, ARGUMENTS), stride.x);
        there.y += stride.y;
        numbers.count = WORD(there, 0u);
        numbers.instances = WORD(there, 1u);
        numbers.first = WORD(there, 2u);
        bool is_indexed = has(job, INDEXED_INDIRECT);
        numbers.first_instance = WORD(there, 3u);
        if (is_indexed) {
            numbers.vertex_offset = numbers.first_instance;
            numbers.first_instance = WORD(there, 4u);
        }
    }
    return numbers;
}
