// Finds the segments between restarts in the indices of draws, as `transform_feedback::Segments` does. One workgroup
// builds the table of one draw. Each invocation walks its part of the indices three times: to count the restarts and
// find the last one, to count the primitives of the segments that end in the part, and to write the segments.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "jobs.glsl"

const uint INVOCATIONS = 128u;

layout(local_size_x = INVOCATIONS) in;

uint word_at(const uvec2 memory, const uint index) { return LOAD_GIVEN(memory, index); }

#include "index.glsl"

// For each part, and after the prefix sum for all parts before it: the number of restarts, the position after the
// last restart, and the number of primitives.
shared uint restarts[INVOCATIONS];
shared uint begins[INVOCATIONS];
shared uint primitives[INVOCATIONS];

// Stands for no index position.
const uint NONE = ~0u;

// The location of the table, and its maximum size in words.
shared uvec2 table;
shared uint table_words;

// Allocates space for a table with this number of segments.
void place_table(const uvec2 job, const uint draw, const uint segments) {
    table = behind(place_in(job, TABLES), draw * LOAD(job, TABLE_STRIDE));
    table_words = LOAD(job, TABLE_STRIDE) >> 2;
#ifndef BOUND
    uvec2 pool = place_in(job, POOL);
    if (is_there(pool)) {
        uint size = 1u + segments;
        uint room = LOAD(pool, POOL_ROOM);
        // Nothing is added to a full pool, or the sum would wrap around after some billion segments.
        uint at = atomicAdd(Memory(pool).words[POOL_TAKEN], 0u);
        at = at < room ? atomicAdd(Memory(pool).words[POOL_TAKEN], min(size, room)) : room;
        bool fits = at < room && size <= room - at;
        at = fits ? POOL_HEAD + at : 0u;
        STORE(place_in(job, TABLES), draw, at);
        table = behind(pool, 8u * at);
        table_words = fits ? 2u * size : 0u;
    }
#endif
}

// The indices of a draw: aligned memory that holds the index buffer from byte `start` to `end`, each index of
// 2^`type` bytes, and the number of the draw's first index.
struct Indices {
    uvec2 memory;
    uint type;
    uint start;
    uint end;
    uint first;
};

Indices indices_of(const uvec2 job, const uint first) {
    uvec2 place = place_in(job, INDICES);
    uint lead = place.x & 3u;
    uint end = lead + min(LOAD(job, INDEX_SIZE), ~lead);
    return Indices(uvec2(place.x - lead, place.y), min(LOAD(job, INDEX_TYPE), 2u), lead, end, first);
}

bool is_restart(const Indices indices, const uint position) {
    uint index = index_at(indices.memory, indices.first + position, indices.type, indices.start, indices.end);
    return index == ~0u >> 32u - (8u << indices.type);
}

// The number of indices per loop iteration, unrolled, because drivers stop loops after some number of iterations.
const uint INDICES_OF_ROUND = 8u;
#define EACH_OF_ROUND(act) act(0u) act(1u) act(2u) act(3u) act(4u) act(5u) act(6u) act(7u)

// Returns a mask with one bit per index of an iteration, set if the index restarts primitives.
uint restarts_of_round(const Indices indices, const uint position, const uint last) {
    uint found = 0u;
#define LOOK_AT(one) found |= uint(one < last - position && is_restart(indices, position + one)) << one;
    EACH_OF_ROUND(LOOK_AT)
    return found;
}

uint primitives_of_segment(const uvec2 job, const uint count) {
    uint topology = LOAD(job, TOPOLOGY);
    uint captured = without_adjacency(topology);
    uint vertices = vertices_per_primitive(captured);
    return primitives_per_instance(captured, vertices, count_of_captured(topology, count));
}

// Writes a segment, unless it is beyond the end of the table.
void write_segment(const uint number, const uint position, const uint before) {
    const uint HEAD = 2u;
    if (number < less(table_words, HEAD) >> 1) {
        STORE(table, HEAD + 2u * number, position);
        STORE(table, HEAD + 2u * number + 1u, before);
    }
}

// Writes the last segment, the end marker after it, and the number of segments and primitives of the table.
void write_end(const uvec2 job, const uint number, const uint begin, const uint before, const uint count) {
    write_segment(number, begin, before);
    uint all = before + primitives_of_segment(job, less(count, begin));
    write_segment(number + 1u, count + 1u, all);
    STORE(table, 0u, number + 1u);
    STORE(table, 1u, all);
}

// Replaces the values of each part by the sum over all previous parts, and returns the total.
uint add_restarts_up() {
    uint all = 0u;
    uint begin = 0u;
    for (uint one = 0u; one < INVOCATIONS; ++one) {
        uint here = restarts[one];
        uint behind_it = begins[one];
        restarts[one] = all;
        begins[one] = begin;
        all += here;
        begin = behind_it == NONE ? begin : behind_it;
    }
    return all;
}

void add_primitives_up() {
    uint all = 0u;
    for (uint one = 0u; one < INVOCATIONS; ++one) {
        uint here = primitives[one];
        primitives[one] = all;
        all += here;
    }
}

// The numbers of the draw and of its job. The workgroups of a list are numbered consecutively, in rows.
uvec2 draw_and_job() {
    const uint ROW = 65535u;
    if (job_count != LISTED) {
        return uvec2(gl_WorkGroupID.z * ROW + gl_WorkGroupID.x, gl_WorkGroupID.y);
    }
    uint number = gl_WorkGroupID.y * ROW + gl_WorkGroupID.x;
    uint draws_of_job = max(LOAD(jobs, 3u), 1u);
    return uvec2(number % draws_of_job, number / draws_of_job);
}

// The turns in which parts are walked.
const uint TO_COUNT = 0u;
const uint TO_ADD_UP = 1u;
const uint TO_WRITE = 2u;

void main() {
    uvec2 which = draw_and_job();
    bool is_listed = which.y < max(number_of_jobs(), 1u) || job_count != LISTED;
    uvec2 job = behind(first_job(), is_listed ? which.y * JOB_SIZE : 0u);
    uint draw = which.x;
    // This value is uniform in the workgroup, but WGSL cannot prove it. All invocations must therefore reach the
    // barriers.
    bool is_own = is_listed && !has(job, TABLES_BUILT);
    bool is_meant = is_own && has(job, RESTARTS) && draw < count_of_draws(job);
    Numbers numbers = Numbers(0u, 0u, 0u, 0u, 0u);
    if (is_meant) {
        numbers = numbers_of_draw(job, draw);
    }
#ifndef BOUND
    // A draw beyond the count gets the empty table, because the count may change before the counter pass reads the
    // count.
    bool has_pool = is_there(place_in(job, POOL));
    if (gl_LocalInvocationID.x == 0u && is_own && !is_meant && has_pool && draw < LOAD(job, MOST)) {
        STORE(place_in(job, TABLES), draw, 0u);
    }
#endif
    // Indices beyond the end of the buffer never restart. No capture has more vertices than this limit.
    uint count = min(numbers.count, NONE - 1u);
    uint there = less(LOAD(job, INDEX_SIZE) >> min(LOAD(job, INDEX_TYPE), 2u), numbers.first);
    uint walked = min(count, there);
    uint part = walked / INVOCATIONS + 1u;
    uint me = gl_LocalInvocationID.x;
    uint first = min(me * part, walked);
    uint last = min(first + part, walked);
    Indices indices = indices_of(job, numbers.first);

    uint begin = NONE;
    uint before = 0u;
    uint number = 0u;
    for (uint turn = TO_COUNT; turn <= TO_WRITE; ++turn) {
        begin = turn == TO_COUNT ? NONE : begins[me];
        before = turn == TO_WRITE ? primitives[me] : 0u;
        number = turn == TO_WRITE ? restarts[me] : 0u;
        uint rounds = (last - first + INDICES_OF_ROUND - 1u) / INDICES_OF_ROUND;
        for (uint one = 0u; one < rounds; ++one) {
            uint position = first + INDICES_OF_ROUND * one;
            uint found = restarts_of_round(indices, position, last);
            if (turn == TO_COUNT) {
                number += bitCount(found);
                begin = found == 0u ? begin : position + uint(findMSB(found)) + 1u;
            } else if (found != 0u) {
#define END_SEGMENT(one)                                                       \
    if ((found >> one & 1u) != 0u) {                                           \
        if (turn == TO_WRITE) {                                                \
            write_segment(number, begin, before);                              \
        }                                                                      \
        before += primitives_of_segment(job, position + one - begin);          \
        begin = position + one + 1u;                                           \
        ++number;                                                              \
    }
                EACH_OF_ROUND(END_SEGMENT)
            }
        }
        if (turn == TO_COUNT) {
            restarts[me] = number;
            begins[me] = begin;
        }
        if (turn == TO_ADD_UP) {
            primitives[me] = before;
        }
        barrier();
        if (me == 0u && turn == TO_COUNT) {
            uint all = add_restarts_up();
            // One more entry, for the end marker after the last segment.
            if (is_meant) {
                place_table(job, draw, all + 2u);
            }
        }
        if (me == 0u && turn == TO_ADD_UP) {
            add_primitives_up();
        }
        barrier();
    }
    if (is_meant && me == INVOCATIONS - 1u && table_words != 0u) {
        write_end(job, number, begin, before, count);
    }
}
