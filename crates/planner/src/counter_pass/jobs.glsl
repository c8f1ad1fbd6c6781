// Shared by the shaders of the counter pass: the jobs that the host writes, and memory accesses.
//
// A location is an address or, if BOUND is defined, an offset and a buffer number, starting at 1; (0, 0) is no
// location. All locations come from the host: the values of arguments, counts and counters never decide where the
// shaders write.

#ifdef BOUND

layout(std430, set = 0, binding = 0) buffer Memory0 { uint words[]; } memory0;
layout(std430, set = 0, binding = 1) buffer Memory1 { uint words[]; } memory1;
layout(std430, set = 0, binding = 2) buffer Memory2 { uint words[]; } memory2;
layout(std430, set = 0, binding = 3) buffer Memory3 { uint words[]; } memory3;
layout(std430, set = 0, binding = 4) buffer Memory4 { uint words[]; } memory4;
layout(std430, set = 0, binding = 5) buffer Memory5 { uint words[]; } memory5;
layout(std430, set = 0, binding = 6) buffer Memory6 { uint words[]; } memory6;
layout(std430, set = 0, binding = 7) buffer Memory7 { uint words[]; } memory7;

// Accesses a word of a buffer, unless it is beyond the end.
#define WORD_OF(memory, act) if (at < memory.words.length()) { act(memory.words[at]); }
#define READ(word) value = word
#define WRITE(word) word = value

// Accesses a word of the buffer with this number.
#define WORD_IN(number, act)                   \
    switch (number) {                          \
        case 1u: WORD_OF(memory0, act) break;  \
        case 2u: WORD_OF(memory1, act) break;  \
        case 3u: WORD_OF(memory2, act) break;  \
        case 4u: WORD_OF(memory3, act) break;  \
        case 5u: WORD_OF(memory4, act) break;  \
        case 6u: WORD_OF(memory5, act) break;  \
        case 7u: WORD_OF(memory6, act) break;  \
        case 8u: WORD_OF(memory7, act) break;  \
    }

// Functions that load and store a word, either of any buffer or of a fixed buffer.
#define ACCESS(load, store, one_of)                                            \
    uint load(const uvec2 place, const uint number) {                          \
        uint at = (place.x >> 2) + number;                                     \
        uint value = 0u;                                                       \
        one_of(place.y, READ)                                                  \
        return value;                                                          \
    }                                                                          \
    void store(const uvec2 place, const uint number, const uint value) {       \
        uint at = (place.x >> 2) + number;                                     \
        one_of(place.y, WRITE)                                                 \
    }

// The counter pass's own data is in the first two buffers, because code that can access any buffer is eight times as
// long.
#define OWN(number, act) WORD_OF(memory0, act)
#define STATES(number, act) WORD_OF(memory1, act)

ACCESS(load, store, WORD_IN)
ACCESS(load_own, store_own, OWN)
ACCESS(load_state, store_state, STATES)

#define LOAD(place, number) load_own(place, number)
#define STORE(place, number, value) store_own(place, number, value)
#define LOAD_STATE(place, number) load_state(place, number)
#define STORE_STATE(place, number, value) store_state(place, number, value)
#define LOAD_GIVEN(place, number) load(place, number)
#define STORE_GIVEN(place, number, value) store(place, number, value)

#else

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

// Coherent, because invocations read words that other invocations of their workgroup have written.
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Memory { uint words[]; };

// A word at a location. No variable holds a pointer, because some drivers miscompile pointer variables.
#define LOAD(place, number) Memory(place).words[number]
#define STORE(place, number, value) Memory(place).words[number] = value

// The state of a capture.
#define LOAD_STATE(place, number) LOAD(place, number)
#define STORE_STATE(place, number, value) STORE(place, number, value)

// Memory that may be in the application's buffers.
#define LOAD_GIVEN(place, number) LOAD(place, number)
#define STORE_GIVEN(place, number, value) STORE(place, number, value)

#endif

layout(push_constant) uniform Push {
    uvec2 jobs;
    uint job_count;
};

// Replaces the number of jobs. `jobs` is then the location of a list (`List` in counter_pass.rs).
const uint LISTED = ~0u;

// Offsets in a job, in words; `Job::words` in encoding.rs writes them. A location takes two words.
const uint JOB_SIZE = 268u;
const uint COMMAND_SIZE = 20u;
const uint GROUPS_SIZE = 12u;
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
const uint GROUPS = 60u;
const uint POOL = 62u;
const uint EMITTED = 64u;
const uint EMITTED_AT = 65u;

// Bits of the word at FLAGS.
const uint BEGINS = 1u;
const uint ENDS = 2u;
const uint DRAWS = 4u;
const uint PREDICATED = 8u;
const uint INVERTED = 16u;
const uint RESTARTS = 32u;
const uint INDIRECT = 64u;
const uint INDEXED_INDIRECT = 128u;
const uint BYTE_COUNT = 256u;
const uint INDEXED_COMMANDS = 512u;
const uint STREAMS = 1024u;
const uint TABLES_BUILT = 2048u;

const uint MAX_BUFFERS = 4u;

// VkPrimitiveTopology's values, and one for OpenGL's line loop; topologies with adjacency have ADJACENCY added.
const uint POINT_LIST = 0u;
const uint LINE_LIST = 1u;
const uint LINE_STRIP = 2u;
const uint TRIANGLE_LIST = 3u;
const uint TRIANGLE_STRIP = 4u;
const uint ADJACENCY = 5u;
const uint LINE_LOOP = 16u;

// The difference, or 0 if it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

#include "primitives.glsl"

#include "adjacency.glsl"

// Operations on 64-bit numbers, lower half first, without the carry instructions that WGSL lacks.
uvec2 sum(const uvec2 one, const uvec2 other) {
    uint low = one.x + other.x;
    return uvec2(low, one.y + other.y + uint(low < other.x));
}

uvec2 product(const uint one, const uint other) {
    const uint HALF = 0xffffu;
    uint low_high = (one & HALF) * (other >> 16);
    uint high_low = (one >> 16) * (other & HALF);
    uint middle = ((one & HALF) * (other & HALF) >> 16) + (low_high & HALF) + (high_low & HALF);
    uint high = (one >> 16) * (other >> 16) + (low_high >> 16) + (high_low >> 16) + (middle >> 16);
    return uvec2(one * other, high);
}

uvec2 behind(const uvec2 place, const uint bytes) { return sum(place, uvec2(bytes, 0u)); }

uvec2 place_in(const uvec2 job, const uint number) { return uvec2(LOAD(job, number), LOAD(job, number + 1u)); }

bool is_there(const uvec2 place) { return place != uvec2(0u); }

bool has(const uvec2 job, const uint flag) { return (LOAD(job, FLAGS) & flag) != 0u; }

uvec2 first_job() { return job_count == LISTED ? place_in(jobs, 0u) : jobs; }

uint number_of_jobs() { return job_count == LISTED ? LOAD(jobs, 2u) : job_count; }

// The words of a pool of tables, as in `Segments::pool` in counter_pass.rs: an empty table (two words) for draws
// without their own table, then the used and the available space in units of 8 bytes. The tables of the draws follow.
const uint POOL_TAKEN = 2u;
const uint POOL_ROOM = 3u;
const uint POOL_HEAD = 2u;

// The number of draws of a job that execute, considering conditional rendering and a draw count in a buffer.
uint count_of_draws(const uvec2 job) {
    uint most = LOAD(job, MOST);
    uvec2 count = place_in(job, COUNT);
    if (is_there(count)) {
        most = min(most, LOAD_GIVEN(count, 0u));
    }
    if (has(job, PREDICATED)) {
        bool is_zero = LOAD_GIVEN(place_in(job, PREDICATE), 0u) == 0u;
        most = is_zero != has(job, INVERTED) ? 0u : most;
    }
    return most;
}

// The arguments of a draw. For an indexed draw, `first` and `count` refer to indices.
struct Numbers {
    uint count;
    uint instances;
    uint first;
    uint vertex_offset;
    uint first_instance;
};

Numbers numbers_of_draw(const uvec2 job, const uint draw) {
    Numbers numbers = Numbers(LOAD(job, DIRECT), LOAD(job, DIRECT + 1u), LOAD(job, DIRECT + 2u), LOAD(job, DIRECT + 3u),
                              LOAD(job, DIRECT + 4u));
    if (has(job, BYTE_COUNT)) {
        uint bytes = less(LOAD_GIVEN(place_in(job, ARGUMENTS), 0u), LOAD(job, COUNTER_OFFSET));
        numbers.count = bytes / max(LOAD(job, VERTEX_STRIDE), 1u);
    }
    if (has(job, INDIRECT | INDEXED_INDIRECT)) {
        uvec2 there = sum(place_in(job, ARGUMENTS), product(LOAD(job, ARGUMENT_STRIDE), draw));
        numbers.count = LOAD_GIVEN(there, 0u);
        numbers.instances = LOAD_GIVEN(there, 1u);
        numbers.first = LOAD_GIVEN(there, 2u);
        bool is_indexed = has(job, INDEXED_INDIRECT);
        numbers.first_instance = LOAD_GIVEN(there, 3u);
        if (is_indexed) {
            numbers.vertex_offset = numbers.first_instance;
            numbers.first_instance = LOAD_GIVEN(there, 4u);
        }
    }
    return numbers;
}
