// Advances the counters on the device: from the begin of a capture and the arguments of its draws, this shader
// computes the host parameters of the variants, the arguments of the draws that capture, the query results, and the
// counters at the end.
//
// Each draw begins where the previous one ends, and there may be many draws, so each invocation of one workgroup
// handles a part of them. In the first turn, each invocation adds up the bytes that its part would capture. Then the
// parts take turns in order. If a part fits as a whole, or none of it fits, it is passed in one step. Otherwise its
// invocation walks it draw by draw. In the last turn, all parts that were passed are walked in parallel. Commands
// draw nothing until they are written.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "jobs.glsl"

const uint INVOCATIONS = 32u;

// The minimum number of draws per part, if there are enough draws. A turn costs more than walking a few draws.
const uint DRAWS_OF_PART = 64u;

layout(local_size_x = INVOCATIONS) in;

// The kinds of host parameters that are not constants, as `template` in counter_pass.rs writes them.
const uint FIRST = 1u;
const uint VERTICES = 2u;
const uint FIRST_INSTANCE = 3u;
const uint VERTEX_OFFSET = 4u;
const uint DRAW_INDEX = 5u;
const uint SLOTS = 6u;
const uint LIMIT = 7u;
const uint TABLE_LOW = 8u;
const uint TABLE_HIGH = 9u;
const uint REACHED = 10u;
const uint INSTANCES = 11u;
const uint PRIMITIVES = 12u;
const uint UNCHANGED = 13u;

// The product as 32 bits, or the largest number on overflow.
uint most_of(const uvec2 one, const uint other) {
    uvec2 both = product(one.x, other);
    return one.y == 0u && both.y == 0u ? both.x : ~0u;
}

// The 32-bit product, or the largest number on overflow.
uint product_at_most(const uint one, const uint other) { return most_of(uvec2(one, 0u), other); }

uvec4 less_of_each(const uvec4 from, const uvec4 what) { return from - min(from, what); }

// The number of draws in each invocation's share of the jobs.
shared uint draws_of_jobs[INVOCATIONS];

// The number of parts that have draws.
uint parts;

// The first job and draw of a part, and its number of draws.
struct Part {
    uint job;
    uint draw;
    uint count;
};

// The sum over a part: the bytes of each buffer (saturating) and the primitives that the part captures if all of it
// fits; the range sizes that decide whether it fits; and whether the part can be passed in one step.
struct Sum {
    uvec4 bytes;
    uvec2 primitives;
    uvec4 least_size;
    uvec4 most_size;
    // 0 if a draw does not store to the buffer.
    uvec4 least_primitive;
    uvec2 state;
    uvec2 query;
    bool is_plain;
};

// The sum over this invocation's part.
Sum sum_of_part;

// The filled bytes of each buffer where the current draw begins.
uvec4 reached;

void add_to(const uvec2 place, const uint number, const uvec2 what) {
    uvec2 all = sum(uvec2(LOAD(place, number), LOAD(place, number + 1u)), what);
    STORE(place, number, all.x);
    STORE(place, number + 1u, all.y);
}

void count(const uvec2 query, const uvec2 written, const uvec2 needed) {
    if (is_there(query)) {
        add_to(query, 0u, written);
        add_to(query, 2u, needed);
    }
}

uvec4 load_reached(const uvec2 state) {
    return uvec4(LOAD_STATE(state, 0u), LOAD_STATE(state, 1u), LOAD_STATE(state, 2u), LOAD_STATE(state, 3u));
}

void store_reached(const uvec2 state) {
    STORE_STATE(state, 0u, reached.x);
    STORE_STATE(state, 1u, reached.y);
    STORE_STATE(state, 2u, reached.z);
    STORE_STATE(state, 3u, reached.w);
}

void begin(const uvec2 job) {
    for (uint buffer_number = 0u; buffer_number < MAX_BUFFERS; ++buffer_number) {
        uvec2 counter = place_in(job, BEGIN + 2u * buffer_number);
        reached[buffer_number] = 0u;
        if (is_there(counter)) {
            reached[buffer_number] = LOAD_GIVEN(counter, 0u);
        }
    }
}

void end(const uvec2 job) {
    for (uint buffer_number = 0u; buffer_number < MAX_BUFFERS; ++buffer_number) {
        uvec2 counter = place_in(job, END + 2u * buffer_number);
        if (is_there(counter)) {
            STORE_GIVEN(counter, 0u, reached[buffer_number]);
        }
    }
}

// Every other word of a job from `first` on: the sizes or the strides of the buffers.
uvec4 of_each_buffer(const uvec2 job, const uint first) {
    return uvec4(LOAD(job, first), LOAD(job, first + 2u), LOAD(job, first + 4u), LOAD(job, first + 6u));
}

// The number of primitives, of at most `needed`, that fit into every capturing buffer. Each has `vertices` vertices.
uvec2 fitting(const uvec4 sizes, const uvec4 strides, const uvec2 needed, const uint vertices) {
    uvec4 room = less_of_each(sizes, reached) / max(strides * vertices, uvec4(1u));
    room = mix(room, uvec4(~0u), equal(strides, uvec4(0u)));
    uint most = min(min(room.x, room.y), min(room.z, room.w));
    bool fits = strides == uvec4(0u) || needed.y == 0u && needed.x <= most;
    return fits ? needed : uvec2(most, 0u);
}

void advance(const uvec4 strides, const uint corners) {
    uvec4 before = reached;
    reached += uvec4(product_at_most(strides.x, corners), product_at_most(strides.y, corners),
                     product_at_most(strides.z, corners), product_at_most(strides.w, corners));
    reached = mix(reached, uvec4(~0u), lessThan(reached, before));
}

// Writes the host parameters that the variant reads in this draw.
void write_words(const uvec2 job, const uint number, const Numbers numbers, const uint primitives, const uint slots,
                 const uint limit, const uvec2 table) {
    uvec2 template_place = place_in(job, TEMPLATE);
    uvec2 block = behind(place_in(job, BLOCKS), number * LOAD(job, BLOCK_STRIDE));
    uint count = LOAD(job, WORD_COUNT);
    bool is_lost = LOAD(job, EMITTED) != 0u && primitives == 0u;
    for (uint word = 0u; word < count; ++word) {
        uint kind = LOAD(template_place, word);
        if (kind == UNCHANGED) {
            continue;
        }
        uint value = LOAD(template_place, count + word);
        switch (kind) {
            case FIRST: value = numbers.first; break;
            case VERTICES: value = numbers.count; break;
            case FIRST_INSTANCE: value = numbers.first_instance; break;
            case VERTEX_OFFSET: value = numbers.vertex_offset; break;
            case DRAW_INDEX: value += number; break;
            case SLOTS: value = slots; break;
            case LIMIT: value = limit; break;
            case TABLE_LOW: value = table.x; break;
            case TABLE_HIGH: value = table.y; break;
            case INSTANCES: value = numbers.instances; break;
            case PRIMITIVES: value = primitives; break;
            // `value` contains the distance from the start of the binding to the range, a multiple of 4. The geometry
            // stage of a draw without a table runs nevertheless, so its buffers are full.
            case REACHED: value = is_lost ? ~3u : (value & ~3u) + reached[value & 3u]; break;
        }
        STORE(block, word, value);
    }
}

// Writes the workgroup counts to dispatch the vertices of all instances, as `Layout::work_groups` returns them,
// limited to the maximum number of workgroups.
void write_groups(const uvec2 place, const Numbers numbers) {
    const uint GROUP = 64u;
    const uint ROW = 65535u;
    const uint MOST_ROWS = 1023u;
    uvec2 vertices = product(numbers.count, numbers.instances);
    uint groups = vertices.y == 0u ? vertices.x / GROUP + uint(vertices.x % GROUP != 0u) : ROW * MOST_ROWS;
    uint rows = min((groups + ROW - 1u) / ROW, MOST_ROWS);
    STORE(place, 0u, rows > 1u ? ROW : groups);
    STORE(place, 1u, rows);
    STORE(place, 2u, 1u);
}

// The location of the table of a draw.
uvec2 table_of(const uvec2 job, const uint number) {
    uvec2 pool = place_in(job, POOL);
    uvec2 tables = place_in(job, TABLES);
    return is_there(pool) ? behind(pool, 8u * LOAD(tables, number)) : behind(tables, number * LOAD(job, TABLE_STRIDE));
}

// Writes the draw command or the dispatch command of a draw that captures.
void write_command(const uvec2 job, const uint number, const Numbers numbers) {
    uvec2 commands = behind(place_in(job, COMMANDS), COMMAND_SIZE * number);
    if (is_there(place_in(job, COMMANDS))) {
        STORE(commands, 0u, numbers.count);
        STORE(commands, 1u, numbers.instances);
        STORE(commands, 2u, numbers.first);
        bool is_indexed = has(job, INDEXED_COMMANDS);
        STORE(commands, 3u, is_indexed ? numbers.vertex_offset : numbers.first_instance);
        STORE(commands, 4u, numbers.first_instance);
    }
    if (is_there(place_in(job, GROUPS))) {
        write_groups(behind(place_in(job, GROUPS), GROUPS_SIZE * number), numbers);
    }
}

// Adds a draw to the part's sum.
void add_up(const uvec2 job, const uvec4 sizes, const uvec4 strides, const uvec2 needed, const uint vertices) {
    sum_of_part.primitives = sum(sum_of_part.primitives, needed);
    bool is_first = sum_of_part.state == uvec2(0u);
    sum_of_part.state = is_first ? place_in(job, STATE) : sum_of_part.state;
    sum_of_part.query = is_first ? place_in(job, QUERY) : sum_of_part.query;
    bool is_same = sum_of_part.state == place_in(job, STATE) && sum_of_part.query == place_in(job, QUERY);
    // The vertex count may come from a counter that an earlier job saves, and a full buffer limits only its stream.
    sum_of_part.is_plain = sum_of_part.is_plain && is_same && !has(job, BYTE_COUNT | STREAMS);
    if (needed != uvec2(0u)) {
        bvec4 is_unused = equal(strides, uvec4(0u));
        sum_of_part.least_size = min(sum_of_part.least_size, mix(sizes, uvec4(~0u), is_unused));
        sum_of_part.most_size = max(sum_of_part.most_size, mix(sizes, uvec4(0u), is_unused));
        sum_of_part.least_primitive = min(sum_of_part.least_primitive, strides * vertices);
    }
}

void draw(const uvec2 job, const uint number, const bool is_drawn, const bool adds_up, const bool is_plain) {
    Numbers numbers = numbers_of_draw(job, number);
    numbers.instances = is_drawn ? numbers.instances : 0u;
    uint topology = LOAD(job, TOPOLOGY);
    uint captured = without_adjacency(topology);
    uint vertices = vertices_per_primitive(captured);
    uint primitives = primitives_per_instance(captured, vertices, count_of_captured(topology, numbers.count));
    uvec2 table = uvec2(0u);
    if (has(job, RESTARTS)) {
        table = table_of(job, number);
        // A skipped draw has no table.
        primitives = is_drawn ? LOAD(table, 1u) : 0u;
    }
    uint slots = product_at_most(primitives, vertices);
    // A geometry stage emits this many primitives for each input primitive.
    uint emitted = LOAD(job, EMITTED);
    vertices = emitted != 0u ? emitted & 3u : vertices;
    uint captured_primitives = emitted != 0u ? product_at_most(primitives, emitted >> 2) : primitives;
    uvec2 needed = product(captured_primitives, numbers.instances);
    uvec2 emitted_at = place_in(job, EMITTED_AT);
    if (is_there(emitted_at)) {
        // A draw without a table emits, but its primitives are lost.
        bool is_kept = primitives != 0u && numbers.instances != 0u;
        needed = uvec2(is_kept ? LOAD(emitted_at, number) : 0u, 0u);
    }
    uvec4 sizes = of_each_buffer(job, BUFFERS);
    uvec4 strides = of_each_buffer(job, BUFFERS + 1u);
    uvec2 written = needed;
    if (adds_up) {
        add_up(job, sizes, strides, needed, vertices);
        // If no later turn reaches this draw, it draws nothing.
        numbers.instances = 0u;
    } else {
        written = fitting(sizes, strides, needed, vertices);
    }

    uint limit = most_of(written, vertices);
    if (!adds_up) {
        write_words(job, number, numbers, primitives, slots, limit, table);
    }
    write_command(job, number, numbers);
    advance(strides, limit);
    if (!adds_up && !is_plain) {
        count(place_in(job, QUERY), written, needed);
    }
}

// The number of steps for a job: a job without draws takes one as well.
uint draws_of(const uvec2 job) { return has(job, DRAWS) ? max(LOAD(job, MOST), 1u) : 1u; }

// Walks a part. This adds the part up (`adds_up`), or writes the parameters and commands of a passed part
// (`is_plain`), or otherwise executes the part.
void walk(const Part part, const bool adds_up, const bool is_plain) {
    bool is_turn = !adds_up && !is_plain;
    uint number = part.job;
    uint one = part.draw;
    uint drawn = 0u;
    for (uint done = 0u; done < part.count; ++done) {
        uvec2 job = behind(first_job(), number * JOB_SIZE);
        uvec2 state = place_in(job, STATE);
        bool begins = one == 0u && has(job, BEGINS);
        bool ends = one + 1u == draws_of(job);
        bool saves = ends && has(job, ENDS);
        sum_of_part.is_plain = sum_of_part.is_plain && !begins && !saves;
        if (one == 0u || done == 0u) {
            drawn = has(job, DRAWS) ? count_of_draws(job) : 0u;
            // The tables are complete, so the pool is free for the next dispatch.
            uvec2 pool = place_in(job, POOL);
            if (is_there(pool)) {
                STORE(pool, POOL_TAKEN, 0u);
            }
            if (is_turn) {
                reached = load_reached(state);
            }
        }
        if (is_turn && begins) {
            begin(job);
        }
        if (has(job, DRAWS) && one < LOAD(job, MOST)) {
            draw(job, one, one < drawn, adds_up, is_plain);
        }
        if (is_turn && (ends || done + 1u == part.count)) {
            store_reached(state);
        }
        if (is_turn && saves) {
            end(job);
        }
        number += uint(ends);
        one = ends ? 0u : one + 1u;
    }
}

// Passes the part in one step, if all of it fits or nothing does.
bool pass() {
    if (!sum_of_part.is_plain || !is_there(sum_of_part.state)) {
        return false;
    }
    uvec4 start = load_reached(sum_of_part.state);
    uvec4 bytes = sum_of_part.bytes;
    uvec4 room = less_of_each(sum_of_part.least_size, start);
    bool all_fit = all(lessThanEqual(bytes, room)) && all(notEqual(bytes, uvec4(~0u)));
    bvec4 is_full = lessThan(less_of_each(sum_of_part.most_size, start), sum_of_part.least_primitive);
    bool none_fits = any(is_full) && sum_of_part.primitives != uvec2(0u);
    if (!all_fit && !none_fits) {
        return false;
    }
    reached = all_fit ? start + bytes : start;
    store_reached(sum_of_part.state);
    count(sum_of_part.query, all_fit ? sum_of_part.primitives : uvec2(0u), sum_of_part.primitives);
    reached = start;
    return true;
}

// The part of this invocation, if all draws are divided evenly.
Part own_part(const uint me) {
    uvec2 first = first_job();
    uint count = number_of_jobs();
    uint jobs_of_part = count / INVOCATIONS + 1u;
    uint draws = 0u;
    for (uint job = min(me * jobs_of_part, count); job < min((me + 1u) * jobs_of_part, count); ++job) {
        draws += draws_of(behind(first, job * JOB_SIZE));
    }
    draws_of_jobs[me] = draws;
    barrier();

    uint all = 0u;
    for (uint one = 0u; one < INVOCATIONS; ++one) {
        all += draws_of_jobs[one];
    }
    uint draws_of_part = max(all / INVOCATIONS + 1u, DRAWS_OF_PART);
    parts = (all + draws_of_part - 1u) / draws_of_part;
    uint begin = min(me * draws_of_part, all);
    uint before = 0u;
    uint one = 0u;
    while (one < INVOCATIONS && before + draws_of_jobs[one] <= begin) {
        before += draws_of_jobs[one];
        ++one;
    }
    uint job = one * jobs_of_part;
    for (; job < count; ++job) {
        uint here = draws_of(behind(first, job * JOB_SIZE));
        if (before + here > begin) {
            break;
        }
        before += here;
    }
    return Part(job, begin - before, min(draws_of_part, all - begin));
}

void main() {
    uint me = gl_LocalInvocationID.x;
    Part part = own_part(me);
    uvec4 none = uvec4(~0u);
    sum_of_part = Sum(uvec4(0u), uvec2(0u), none, uvec4(0u), none, uvec2(0u), uvec2(0u), true);
    reached = uvec4(0u);
    bool is_passed = false;
#ifdef BOUND
    // WGSL allows barriers only where control flow is provably uniform.
    const uint first_turn = 0u;
    const uint last_turn = INVOCATIONS + 1u;
#else
    // A single part needs only its own turn.
    uint first_turn = parts > 1u ? 0u : 1u;
    uint last_turn = parts > 1u ? parts + 1u : 1u;
#endif
    for (uint turn = first_turn; turn <= last_turn; ++turn) {
        bool adds_up = turn == 0u;
        bool is_own = turn == me + 1u;
        bool is_last = turn == last_turn && !is_own;
        if (is_own) {
            is_passed = pass();
        }
        if (adds_up || is_own && !is_passed || is_last && is_passed) {
            walk(part, adds_up, is_last);
        }
        if (adds_up) {
            sum_of_part.bytes = reached;
        }
        memoryBarrierBuffer();
        barrier();
    }
}
