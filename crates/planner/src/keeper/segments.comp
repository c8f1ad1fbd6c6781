// Finds what lies between restarts in the indices of draws, as `transform_feedback::Segments` does: a workgroup makes the
// table of a draw. Each of its invocations walks a part of the indices three times: once to say how many restarts there
// are and where the last one is, once to count the primitives of the segments that end there, and once to write them.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "jobs.glsl"

const uint INVOCATIONS = 128u;

layout(local_size_x = INVOCATIONS) in;

uint word_at(const uvec2 memory, const uint index) { return LOAD_GIVEN(memory, index); }

#include "index.glsl"

// Of each part, and when they are added up, of all parts before: how many restarts there are, where the indices behind
// the last one begin, and how many primitives.
shared uint restarts[INVOCATIONS];
shared uint begins[INVOCATIONS];
shared uint primitives[INVOCATIONS];

// No position of an index.
const uint NONE = ~0u;

// Where the table is, and how many words it may have.
shared uvec2 table;
shared uint table_words;

// Finds room for a table with so many segments.
void place_table(const uvec2 job, const uint draw, const uint segments) {
    table = behind(place_in(job, TABLES), draw * LOAD(job, TABLE_STRIDE));
    table_words = LOAD(job, TABLE_STRIDE) >> 2;
#ifndef BOUND
    uvec2 pool = place_in(job, POOL);
    if (is_there(pool)) {
        uint size = 1u + segments;
        uint room = LOAD(pool, POOL_ROOM);
        // Where nothing is left, nothing is added: the sum does not wrap around.
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

bool is_restart(const uvec2 job, const uint number) {
    uvec2 place = place_in(job, INDICES);
    uint type = min(LOAD(job, INDEX_TYPE), 2u);
    uint lead = place.x & 3u;
    uint end = lead + min(LOAD(job, INDEX_SIZE), ~lead);
    return index_at(uvec2(place.x - lead, place.y), number, type, lead, end) == ~0u >> 32u - (8u << type);
}

uint primitives_of_segment(const uvec2 job, const uint count) {
    uint topology = LOAD(job, TOPOLOGY);
    uint captured = without_adjacency(topology);
    uint vertices = vertices_per_primitive(captured);
    return primitives_per_instance(captured, vertices, count_of_captured(topology, count));
}

// Writes a segment, unless it is behind the end of the table.
void write_segment(const uint number, const uint position, const uint before) {
    const uint HEAD = 2u;
    if (number < less(table_words, HEAD) >> 1) {
        STORE(table, HEAD + 2u * number, position);
        STORE(table, HEAD + 2u * number + 1u, before);
    }
}

void main() {
    uvec2 job = behind(first_job(), gl_WorkGroupID.y * JOB_SIZE);
    uint draw = gl_WorkGroupID.x;
    // The same for all invocations, which WGSL does not know: all of them reach the barriers.
    bool is_meant = has(job, RESTARTS) && draw < count_of_draws(job);
    Numbers numbers = Numbers(0u, 0u, 0u, 0u, 0u);
    if (is_meant) {
        numbers = numbers_of_draw(job, draw);
    }
    // Behind the buffer nothing restarts. A draw of more indices than this has more vertices than anybody captures.
    uint count = min(numbers.count, NONE - 1u);
    uint there = less(LOAD(job, INDEX_SIZE) >> min(LOAD(job, INDEX_TYPE), 2u), numbers.first);
    uint walked = min(count, there);
    uint part = walked / INVOCATIONS + 1u;
    uint me = gl_LocalInvocationID.x;
    uint first = min(me * part, walked);
    uint last = min(first + part, walked);

    uint found = 0u;
    uint behind_last = NONE;
    for (uint position = first; position < last; ++position) {
        if (is_restart(job, numbers.first + position)) {
            ++found;
            behind_last = position + 1u;
        }
    }
    restarts[me] = found;
    begins[me] = behind_last;
    barrier();
    if (me == 0u) {
        uint sum = 0u;
        uint begin = 0u;
        for (uint one = 0u; one < INVOCATIONS; ++one) {
            uint here = restarts[one];
            uint behind_it = begins[one];
            restarts[one] = sum;
            begins[one] = begin;
            sum += here;
            begin = behind_it == NONE ? begin : behind_it;
        }
        // The last segment is followed by the end.
        if (is_meant) {
            place_table(job, draw, sum + 2u);
        }
    }
    barrier();

    uint begin = begins[me];
    uint sum = 0u;
    for (uint position = first; position < last; ++position) {
        if (is_restart(job, numbers.first + position)) {
            sum += primitives_of_segment(job, position - begin);
            begin = position + 1u;
        }
    }
    primitives[me] = sum;
    barrier();
    if (me == 0u) {
        uint all = 0u;
        for (uint one = 0u; one < INVOCATIONS; ++one) {
            uint here = primitives[one];
            primitives[one] = all;
            all += here;
        }
    }
    barrier();

    begin = begins[me];
    uint before = primitives[me];
    uint number = restarts[me];
    for (uint position = first; position < last; ++position) {
        if (is_restart(job, numbers.first + position)) {
            write_segment(number, begin, before);
            before += primitives_of_segment(job, position - begin);
            begin = position + 1u;
            ++number;
        }
    }
    // The last part is followed by the end.
    if (is_meant && me == INVOCATIONS - 1u && table_words != 0u) {
        write_segment(number, begin, before);
        before += primitives_of_segment(job, less(count, begin));
        write_segment(number + 1u, count + 1u, before);
        STORE(table, 0u, number + 1u);
        STORE(table, 1u, before);
    }
}
