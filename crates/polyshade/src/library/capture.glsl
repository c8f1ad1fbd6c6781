// Which slots of the feedback buffers a vertex goes to: transform feedback of a draw without indices.
//
// A slot is a corner of a primitive, numbered through the draw: instance after instance, primitive after primitive.
// Functions without a body of their own are hooks.

#version 450

// VkPrimitiveTopology's values, and one for OpenGL's line loop. With adjacency, it is ADJACENCY more.
const uint POINT_LIST = 0u;
const uint LINE_LIST = 1u;
const uint LINE_STRIP = 2u;
const uint TRIANGLE_LIST = 3u;
const uint TRIANGLE_STRIP = 4u;
const uint TRIANGLE_FAN = 5u;
const uint LINE_LOOP = 16u;
const uint ADJACENCY = 5u;

// The draw's.
uint topology() { return POINT_LIST; }
bool provoking_last() { return false; }

// How many primitives of this many vertices fit into every buffer.
uint primitives_that_fit(const uint vertices) { return vertices; }

// Stores the captured outputs of this vertex to a slot.
void store_to_slot(const uint slot) {}

// Whether one buffer is bound, and what stores to it.
bool is_bound() { return true; }
void store_to_buffer(const uint slot) {}

void store_where_bound(const uint slot) {
    if (is_bound()) {
        store_to_buffer(slot);
    }
}

// The difference, or 0 where it would be negative.
uint less(const uint from, const uint what) { return from - min(from, what); }

// How many primitives of `vertices` vertices fit into one buffer. All sizes are in words, `stride` is not 0. `length`
// is how long the buffer really is: whatever the host's words say, nothing beyond it counts as room.
uint fit(const uint vertices, const uint stride, const uint length, const uint offset, const uint size,
         const uint reached) {
    return less(min(less(length, offset), size), reached) / (vertices * stride);
}

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

// Stores to a slot of the instance whose slots begin at `first`, if it is one of the `limit` that fit.
void put(const uint first, const uint limit, const uint slot) {
    if (slot < limit) {
        store_to_slot(first + slot);
    }
}

// What follows stores a vertex to each of its slots among the `slots` of an instance. Where it has fewer than others,
// as the first one of a strip has, a difference wraps around and is no slot below `limit`.

void of_list(const uint first, const uint limit, const uint slots, const uint vertex) {
    put(first, limit, vertex);
}

void of_line_strip(const uint first, const uint limit, const uint slots, const uint vertex) {
    put(first, limit, 2u * vertex - 1u);
    put(first, limit, 2u * vertex);
}

void of_line_loop(const uint first, const uint limit, const uint slots, const uint vertex) {
    put(first, limit, mix(2u * vertex, slots, vertex == 0u) - 1u);
    put(first, limit, 2u * vertex);
}

// To a corner of a triangle of a strip.
void of_strip_triangle(const uint first, const uint limit, const uint triangle, const uint even,
                       const uint odd_if_first, const uint odd_if_last) {
    put(first, limit, 3u * triangle + mix(mix(odd_if_first, odd_if_last, provoking_last()), even,
                                          (triangle & 1u) == 0u));
}

// Odd triangles are wound the other way round: (0, 2, 1), or with the provoking vertex last the same cycle ending with
// it, (1, 0, 2).
void of_triangle_strip(const uint first, const uint limit, const uint slots, const uint vertex) {
    of_strip_triangle(first, limit, vertex - 2u, 2u, 1u, 2u);
    of_strip_triangle(first, limit, vertex - 1u, 1u, 2u, 0u);
    of_strip_triangle(first, limit, vertex, 0u, 0u, 1u);
}

// Provoking vertex first: (i + 1, i + 2, 0); last: (0, i + 1, i + 2).
void of_triangle_fan(const uint first, const uint limit, const uint slots, const uint vertex) {
    if (vertex == 0u) {
        for (uint slot = mix(2u, 0u, provoking_last()); slot < limit; slot += 3u) {
            store_to_slot(first + slot);
        }
    } else {
        uint corner = uint(provoking_last());
        put(first, limit, 3u * (vertex - 2u) + corner + 1u);
        put(first, limit, 3u * (vertex - 1u) + corner);
    }
}

// A fan or a loop that is drawn as it is would run its shared vertices again and again, so the host draws those as
// points.
void of_list_or_strip(const uint first, const uint limit, const uint slots, const uint vertex) {
    switch (topology()) {
        case POINT_LIST:
        case LINE_LIST:
        case TRIANGLE_LIST: put(first, limit, vertex); break;
        case LINE_STRIP: of_line_strip(first, limit, slots, vertex); break;
        case TRIANGLE_STRIP: of_triangle_strip(first, limit, slots, vertex); break;
    }
}

void of_any(const uint first, const uint limit, const uint slots, const uint vertex) {
    switch (topology()) {
        case LINE_LOOP: of_line_loop(first, limit, slots, vertex); break;
        case TRIANGLE_FAN: of_triangle_fan(first, limit, slots, vertex); break;
        default: of_list_or_strip(first, limit, slots, vertex);
    }
}

// One of the functions above.
void corners(const uint first, const uint limit, const uint slots, const uint vertex) {}

// The same, but that a vertex may be any number. It has no slot whose number is less than its own less one, so that
// the others are those whose products cannot wrap around: no buffer has more than 2^30 slots.
void of_vertex(const uint first, const uint limit, const uint slots, const uint vertex) {
    if (vertex <= limit) {
        corners(first, limit, slots, vertex);
    }
}

bool has_adjacency(const uint topology) { return topology - (LINE_LIST + ADJACENCY) <= TRIANGLE_STRIP - LINE_LIST; }

// The topology of what is captured where neighbours are left out.
uint without_adjacency(const uint topology) { return topology - mix(0u, ADJACENCY, has_adjacency(topology)); }

// How many of `count` vertices are not neighbours of others. A strip of lines has one at each end.
uint count_of_captured(const uint topology, const uint count) {
    switch (topology) {
        case LINE_LIST + ADJACENCY: return (count >> 2) * 2u;
        case LINE_STRIP + ADJACENCY: return less(count, 2u);
        case TRIANGLE_LIST + ADJACENCY: return count / 6u * 3u;
        case TRIANGLE_STRIP + ADJACENCY: return count >> 1;
        default: return count;
    }
}

// Which of those a vertex is; no number below any limit where it is a neighbour.
uint number_of_captured(const uint topology, const uint vertex) {
    const uint NEIGHBOUR = ~0u;
    switch (topology) {
        // The middle ones of four.
        case LINE_LIST + ADJACENCY:
            return mix(NEIGHBOUR, (vertex >> 2) * 2u + (vertex & 3u) - 1u, (vertex + 1u & 2u) != 0u);
        case LINE_STRIP + ADJACENCY: return vertex - 1u;
        case TRIANGLE_LIST + ADJACENCY:
        case TRIANGLE_STRIP + ADJACENCY: return mix(vertex >> 1, NEIGHBOUR, (vertex & 1u) != 0u);
        default: return vertex;
    }
}

// The draw's topology, where it may have adjacency; what is told the number of a captured vertex is told the topology
// without.
uint topology_with_adjacency() { return LINE_LIST + ADJACENCY; }

// In the place of `of_vertex` where there may be neighbours.
void of_captured(const uint first, const uint limit, const uint slots, const uint vertex) {
    of_vertex(first, limit, slots, number_of_captured(topology_with_adjacency(), vertex));
}

// How many of the vertices of a segment are captured: all, or with adjacency the second.
uint count_of_segment(const uint count) { return count; }

uint count_of_segment_captured(const uint count) { return count_of_captured(topology_with_adjacency(), count); }

// Where primitives are restarted, a table says where segments are: what lies between two restarts of an instance. Word
// 0 is how many segments there are, word 1 how many primitives an instance has. Then come two words a segment: the
// position in the indices of the draw where it begins, and how many primitives the instance has before it. One more,
// behind the last, begins one position behind the indices, as if there was a restart.
uint table_length() { return 0u; }
uint table_word(const uint word) { return word; }

uint table(const uint word) { return word < table_length() ? table_word(word) : 0u; }

const uint TABLE_HEAD = 2u;

// In the place of `primitives_per_instance` of a whole draw.
uint primitives_in_table(const uint topology, const uint vertices, const uint count) { return table(1u); }

// The last segment that begins at `position` or before, by halving what is left. No table takes more than 32 steps.
uint segment_around(const uint position) {
    uint first = 0u;
    uint count = table(0u);
    for (uint step = 0u; step < 32u && count > 1u; ++step) {
        uint ahead = count >> 1;
        bool is_ahead = table(TABLE_HEAD + 2u * (first + ahead)) <= position;
        first = mix(first, first + ahead, is_ahead);
        count = mix(ahead, count - ahead, is_ahead);
    }
    return first;
}

// In the place of `of_vertex`: to the slots of an instance. At a position where a restart is, there is no vertex.
void of_segment(const uint first, const uint limit, const uint slots, const uint position) {
    uint place = TABLE_HEAD + 2u * segment_around(position);
    uint begin = table(place);
    uint before = table(place + 1u);
    uint count = less(table(place + 2u), begin + 1u);
    uint vertices = vertices_per_primitive(topology());
    // By division: the products cannot wrap.
    if (position - begin < count && before <= limit / vertices) {
        uint room = limit - before * vertices;
        uint primitives = primitives_per_instance(topology(), vertices, count_of_segment(count));
        uint here = vertices * min(primitives, room + 1u);
        of_vertex(first + before * vertices, min(here, room), here, position - begin);
    }
}

// The two functions that follow store a vertex of an instance of `slots` slots, `limit` slots of all instances being
// those that fit.

void of_one_instance(const uint vertex, const uint instance, const uint slots, const uint limit) {
    of_vertex(0u, min(slots, limit), slots, vertex);
}

void of_instance(const uint vertex, const uint instance, const uint slots, const uint limit) {
    // By division: the product cannot wrap. Without a variable, which takes more words than a product.
    if (instance <= limit / max(slots, 1u)) {
        of_vertex(instance * slots, min(slots, limit - instance * slots), slots, vertex);
    }
}

// One of these two.
void of_draw(const uint vertex, const uint instance, const uint slots, const uint limit) {}

// Stores vertex `vertex` of `count`, both counted within instance `instance`, to every slot that it has.
void capture(const uint vertex, const uint instance, const uint topology, const uint count) {
    uint vertices = vertices_per_primitive(topology);
    uint fits = primitives_that_fit(vertices);
    // Of an instance of which not all fits, one primitive more than fits is as good as all: the product cannot wrap.
    uint primitives = min(primitives_per_instance(topology, vertices, count), fits + 1u);
    of_draw(vertex, instance, vertices * primitives, vertices * fits);
}

void capture_with_adjacency(const uint vertex, const uint instance, const uint topology, const uint count) {
    capture(vertex, instance, without_adjacency(topology), count_of_captured(topology, count));
}

// What is linked is called here: the compiler leaves out the rest.
void main() {
    capture(0u, 0u, 0u, 0u);
    of_one_instance(0u, 0u, 0u, 0u);
    of_instance(0u, 0u, 0u, 0u);
    of_list(0u, 0u, 0u, 0u);
    of_any(0u, 0u, 0u, 0u);
    fit(0u, 0u, 0u, 0u, 0u, 0u);
    store_where_bound(0u);
    without_adjacency(0u);
    capture_with_adjacency(0u, 0u, 0u, 0u);
    of_captured(0u, 0u, 0u, 0u);
    count_of_segment_captured(0u);
    of_segment(0u, 0u, 0u, 0u);
    primitives_in_table(0u, 0u, 0u);
}
