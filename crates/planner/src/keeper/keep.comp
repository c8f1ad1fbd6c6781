// Keeps the counters on the device: from what begins a capture and the arguments of its draws come the words that the
// variants read, the commands that draw them, what queries count, and the counters at the end.
//
// Jobs are done in their order, by one invocation: each begins where the one before has ended.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "jobs.glsl"

layout(local_size_x = 1) in;

// What words of the variants are, where they are no constants: `template` in keeper.rs is the other half.
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

// The product, or the largest number where it is larger.
uint most_of(const uvec2 one, const uint other) {
    uvec2 both = product(one.x, other);
    return one.y == 0u && both.y == 0u ? both.x : ~0u;
}

void add_to(const uvec2 place, const uint number, const uvec2 what) {
    uvec2 all = sum(place_in(place, number), what);
    STORE(place, number, all.x);
    STORE(place, number + 1u, all.y);
}

void begin(const uvec2 job) {
    uvec2 state = place_in(job, STATE);
    for (uint buffer_number = 0u; buffer_number < MAX_BUFFERS; ++buffer_number) {
        uvec2 counter = place_in(job, BEGIN + 2u * buffer_number);
        uint reached = 0u;
        if (is_there(counter)) {
            reached = LOAD_GIVEN(counter, 0u);
        }
        STORE_STATE(state, buffer_number, reached);
    }
}

void end(const uvec2 job) {
    uvec2 state = place_in(job, STATE);
    for (uint buffer_number = 0u; buffer_number < MAX_BUFFERS; ++buffer_number) {
        uvec2 counter = place_in(job, END + 2u * buffer_number);
        if (is_there(counter)) {
            STORE_GIVEN(counter, 0u, LOAD_STATE(state, buffer_number));
        }
    }
}

// How many primitives of so many vertices fit into every buffer that takes some, if there are `needed`.
uvec2 fitting(const uvec2 job, const uvec2 needed, const uint vertices) {
    uvec2 state = place_in(job, STATE);
    uvec2 written = needed;
    for (uint buffer_number = 0u; buffer_number < MAX_BUFFERS; ++buffer_number) {
        uint size = LOAD(job, BUFFERS + 2u * buffer_number);
        uint stride = LOAD(job, BUFFERS + 2u * buffer_number + 1u);
        if (stride != 0u) {
            uint room = less(size, LOAD_STATE(state, buffer_number)) / (stride * vertices);
            written = uvec2(written.y == 0u ? min(written.x, room) : room, 0u);
        }
    }
    return written;
}

void advance(const uvec2 job, const uint corners) {
    uvec2 state = place_in(job, STATE);
    for (uint buffer_number = 0u; buffer_number < MAX_BUFFERS; ++buffer_number) {
        // What fits does not wrap around.
        STORE_STATE(state, buffer_number, LOAD_STATE(state, buffer_number) + LOAD(job, BUFFERS + 2u * buffer_number + 1u) * corners);
    }
}

// Writes the words that the variant reads in this draw.
void write_words(const uvec2 job, const uint number, const Numbers numbers, const uint slots, const uint limit,
                 const uvec2 table) {
    uvec2 state = place_in(job, STATE);
    uvec2 template_place = place_in(job, TEMPLATE);
    uvec2 block = behind(place_in(job, BLOCKS), number * LOAD(job, BLOCK_STRIDE));
    uint count = LOAD(job, WORD_COUNT);
    for (uint word = 0u; word < count; ++word) {
        uint value = LOAD(template_place, count + word);
        switch (LOAD(template_place, word)) {
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
            // What is bound begins so many bytes in front of the range, a multiple of 4.
            case REACHED: value = (value & ~3u) + LOAD_STATE(state, value & 3u); break;
        }
        STORE(block, word, value);
    }
}

// Writes by how many work groups the vertices of all instances are dispatched, as `Layout::work_groups` says. Of more
// than can be numbered, those that can.
void write_groups(const uvec2 place, const Numbers numbers) {
    const uint INVOCATIONS = 64u;
    const uint ROW = 65535u;
    const uint MOST_ROWS = 1023u;
    uvec2 vertices = product(numbers.count, numbers.instances);
    uint groups = vertices.y == 0u ? vertices.x / INVOCATIONS + uint(vertices.x % INVOCATIONS != 0u) : ROW * MOST_ROWS;
    uint rows = min((groups + ROW - 1u) / ROW, MOST_ROWS);
    STORE(place, 0u, rows > 1u ? ROW : groups);
    STORE(place, 1u, rows);
    STORE(place, 2u, 1u);
}

// Where the table of a draw is.
uvec2 table_of(const uvec2 job, const uint number) {
    uvec2 pool = place_in(job, POOL);
    uvec2 tables = place_in(job, TABLES);
    return is_there(pool) ? behind(pool, 8u * LOAD(tables, number)) : behind(tables, number * LOAD(job, TABLE_STRIDE));
}

void draw(const uvec2 job, const uint number, const bool is_drawn) {
    Numbers numbers = numbers_of_draw(job, number);
    numbers.instances = is_drawn ? numbers.instances : 0u;
    uint topology = LOAD(job, TOPOLOGY);
    uint captured = without_adjacency(topology);
    uint vertices = vertices_per_primitive(captured);
    uint primitives = primitives_per_instance(captured, vertices, count_of_captured(topology, numbers.count));
    uvec2 table = uvec2(0u);
    if (has(job, RESTARTS)) {
        table = table_of(job, number);
        // Of what is not drawn there is none.
        primitives = is_drawn ? LOAD(table, 1u) : 0u;
    }
    uvec2 needed = product(primitives, numbers.instances);
    uvec2 written = fitting(job, needed, vertices);

    uint limit = most_of(written, vertices);
    write_words(job, number, numbers, most_of(uvec2(primitives, 0u), vertices), limit, table);
    uvec2 commands = behind(place_in(job, COMMANDS), COMMAND_SIZE * number);
    if (is_there(place_in(job, COMMANDS))) {
        STORE(commands, 0u, numbers.count);
        STORE(commands, 1u, numbers.instances);
        STORE(commands, 2u, numbers.first);
        STORE(commands, 3u, numbers.first_instance);
    }
    if (is_there(place_in(job, GROUPS))) {
        write_groups(behind(place_in(job, GROUPS), GROUPS_SIZE * number), numbers);
    }
    advance(job, limit);
    uvec2 query = place_in(job, QUERY);
    if (is_there(query)) {
        add_to(query, 0u, written);
        add_to(query, 2u, needed);
    }
}

void main() {
    uvec2 first = first_job();
    uint count = number_of_jobs();
    for (uint number = 0u; number < count; ++number) {
        uvec2 job = behind(first, number * JOB_SIZE);
        if (has(job, BEGINS)) {
            begin(job);
        }
        if (has(job, DRAWS)) {
            uint drawn = count_of_draws(job);
            for (uint one = 0u; one < LOAD(job, MOST); ++one) {
                draw(job, one, one < drawn);
            }
            // The tables are found, and the pool is free for those of the next time.
            uvec2 pool = place_in(job, POOL);
            if (is_there(pool)) {
                STORE(pool, POOL_TAKEN, 0u);
            }
        }
        if (has(job, ENDS)) {
            end(job);
        }
    }
}
