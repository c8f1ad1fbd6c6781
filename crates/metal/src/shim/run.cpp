// Calls a function for every vertex, every thread or every fragment. Buffers lie between inaccessible pages.
//
// Standard input and output are words in this machine's byte order. The input has the limit of processor time in
// seconds; the number of pieces of memory, and for each its size in bytes and its bytes; the number of draws, and for
// each
//
// - the bound buffers: their number; for each, Metal's index, the number of the piece, and the first byte;
// - the textures: their number; for each, Metal's index, the number of the piece, the width, height, depth and
//   layers;
// - the kind of invocations: 0 for vertices, 1 for fragments, 2 for patches, and the input of the function of that
//   name.
//
// The output has the bytes of each piece.

#include "invocation.h"

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace {

// The exit status after an invalid access; the last line of the error output describes it.
constexpr int AT_FAULT = 3;
// The limits of a Metal function.
constexpr size_t BUFFERS = 31, TEXTURES = 128, COLOURS = 8;
// The stack size of a lane in bytes.
constexpr size_t STACK = size_t(1) << 20;
// Stands for no piece of memory.
constexpr uint32_t NONE = ~0u;
// The number of inaccessible bytes on both sides of a piece of memory, where stray accesses fault.
constexpr size_t GUARD = size_t(1) << 20;
// The alignment of pieces, and the value of the padding bytes after a piece.
constexpr size_t ALIGNMENT = 16;
constexpr char SLACK = char(0xc5);

struct Memory {
    char *pages, *bytes;
    size_t mapped, size;
};
std::vector<Memory> memory;
size_t page;

[[noreturn]] void fail(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    text[length] = '\n';
    if (write(STDERR_FILENO, text, length + 1) < 0) {}
    _exit(AT_FAULT);
}

uint32_t number() {
    uint32_t word;
    if (fread(&word, sizeof word, 1, stdin) != 1) fail("the input ends too early");
    return word;
}

size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

// Allocates aligned memory that ends directly before an inaccessible page, or less than ALIGNMENT bytes before it.
Memory allocate(size_t size) {
    size_t inside = round_up(size, page);
    Memory one = {nullptr, nullptr, inside + 2 * GUARD, size};
    void *at = mmap(nullptr, one.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) fail("out of memory");
    one.pages = static_cast<char *>(at);
    if (inside > 0 && mprotect(one.pages + GUARD, inside, PROT_READ | PROT_WRITE) != 0)
        fail("out of memory");
    one.bytes = one.pages + GUARD + inside - round_up(size, ALIGNMENT);
    memset(one.bytes + size, SLACK, round_up(size, ALIGNMENT) - size);
    return one;
}

void check_slack() {
    for (size_t i = 0; i < memory.size(); i++)
        for (const char *at = memory[i].bytes + memory[i].size; (at - memory[i].bytes) % ALIGNMENT; at++)
            if (*at != SLACK)
                fail("memory %zu, of %zu bytes, is written at byte %td", i, memory[i].size, at - memory[i].bytes);
}

void name_memory(int, siginfo_t *what, void *) {
    const char *at = static_cast<const char *>(what->si_addr);
    for (size_t i = 0; i < memory.size(); i++)
        if (at >= memory[i].pages && at < memory[i].pages + memory[i].mapped)
            fail("memory %zu, of %zu bytes, is accessed at byte %td", i, memory[i].size, at - memory[i].bytes);
    fail("memory that is not bound is accessed");
}

void read_memory() {
    for (uint32_t count = number(); count > 0; count--) {
        memory.push_back(allocate(number()));
        Memory &one = memory.back();
        if (one.size > 0 && fread(one.bytes, one.size, 1, stdin) != 1) fail("the input ends too early");
    }
}

typedef unsigned Words[4];

struct Attribute {
    bool of_instances;
    std::vector<uint32_t> words;
};

void read_words(std::vector<uint32_t> &words) {
    for (uint32_t &word : words) word = number();
}

// An invocation that takes turns with other invocations: a fragment of a quad with derivatives, an invocation of a
// patch, or a thread of a threadgroup with barriers. A lane runs until it waits for the other lanes.
struct Lane {
    Invocation of;
    uint32_t pixel;
    bool is_helper, is_discarded, is_done;
    std::vector<uint32_t> inputs;
    Words outputs[COLOURS];
    // The values for the lane's current and previous derivative.
    float values[2][4];
    unsigned times;
    ucontext_t context;
    std::unique_ptr<char[]> stack;
};
constexpr uint32_t QUAD = 4, LANES = 128;
Lane lanes[LANES];
uint32_t lane, lane_count;
bool in_turns;
ucontext_t all_lanes;

void run_lane() {
    polyshade_call(lanes[lane].of);
    lanes[lane].is_done = true;
}

void run_in_turns() {
    for (lane = 0; lane < lane_count; lane++) {
        Lane &one = lanes[lane];
        one.is_done = false, one.times = 0;
        memset(one.values, 0, sizeof one.values);
        getcontext(&one.context);
        if (!one.stack) one.stack.reset(new char[STACK]);
        one.context.uc_stack.ss_sp = one.stack.get();
        one.context.uc_stack.ss_size = STACK;
        one.context.uc_link = &all_lanes;
        makecontext(&one.context, run_lane, 0);
    }
    in_turns = true;
    for (uint32_t done = 0; done < lane_count;)
        for (lane = done = 0; lane < lane_count; lane++) {
            if (!lanes[lane].is_done) swapcontext(&all_lanes, &lanes[lane].context);
            done += lanes[lane].is_done;
        }
    in_turns = false;
}

// Reads the attributes of each location (their number; for each, whether it is per instance, the number of elements,
// and four words per element); the vertices (their number; their indices); the base vertex, the first instance, and
// the number of instances; the piece for the outputs; and the number of four-word outputs of a vertex, which are
// consecutive. In a dispatch, vertices are the threads of a threadgroup, instances are threadgroups, and the base
// vertex is the number of threadgroups in a row. The last word states whether the threads of a threadgroup wait for
// each other.
void vertices(Invocation of) {
    std::vector<Attribute> attributes(number());
    for (Attribute &one : attributes) {
        one.of_instances = number() != 0;
        one.words.resize(4 * size_t(number()));
        read_words(one.words);
    }
    std::vector<uint32_t> vertices(number());
    read_words(vertices);
    of.base_vertex = number(), of.base_instance = number();
    uint32_t instances = number(), kept = number(), slots = number();
    bool waits = number() != 0;
    if (waits && vertices.size() > LANES) fail("a threadgroup has more than %u threads", LANES);
    lane_count = vertices.size();
    if (kept != NONE) of.outputs = reinterpret_cast<Words *>(memory[kept].bytes);

    std::vector<Words> fetched(attributes.size());
    of.inputs = fetched.data();
    for (uint32_t instance = 0; instance < instances; instance++) {
        for (uint32_t vertex : vertices) {
            of.vertex = vertex, of.instance = of.base_instance + instance;
            if (of.base_vertex != 0) {
                of.grid[0] = of.instance % of.base_vertex * unsigned(vertices.size()) + vertex;
                of.grid[1] = of.instance / of.base_vertex;
            }
            for (size_t i = 0; i < attributes.size(); i++) {
                size_t element = 4 * size_t(attributes[i].of_instances ? of.instance : vertex);
                bool is_there = element < attributes[i].words.size();
                for (int c = 0; c < 4; c++) fetched[i][c] = is_there ? attributes[i].words[element + c] : 0;
            }
            if (waits) lanes[vertex].of = of;
            else polyshade_call(of);
            if (kept != NONE) of.outputs += slots;
        }
        if (waits) run_in_turns();
    }
}

// Reads the number of vertices and of invocations of a patch, and of four-word outputs of a vertex; then the patches
// (their number; the outputs of their vertices, consecutively). The results exist only during the draw.
void patches(Invocation of, char **buffers) {
    uint32_t vertices = number(), invocations = number(), slots = number(), count = number();
    size_t before = memory.size();
    char *read = nullptr;
    for (const PatchBuffer *one = polyshade_patch_buffers; one->of != OF_NOTHING; one++) {
        size_t each = one->of == OF_VERTICES ? vertices : one->of == OF_CONTROL_POINTS ? invocations : 1;
        memory.push_back(allocate(one->size * each * count));
        buffers[one->index] = memory.back().bytes;
        if (one->of == OF_VERTICES) read = memory.back().bytes;
    }
    std::vector<uint32_t> words(4 * size_t(slots));
    for (size_t vertex = 0; vertex < size_t(vertices) * count; vertex++) {
        read_words(words);
        if (read != nullptr) polyshade_place(read, vertex, reinterpret_cast<const Words *>(words.data()));
    }
    lane_count = invocations;
    for (uint32_t patch = 0; patch < count; patch++) {
        for (uint32_t i = 0; i < invocations; i++) {
            lanes[i].of = of;
            lanes[i].of.vertex = i, lanes[i].of.instance = patch;
            lanes[i].of.grid[0] = patch * invocations + i;
        }
        run_in_turns();
    }
    check_slack();
    for (; memory.size() > before; memory.pop_back()) munmap(memory.back().pages, memory.back().mapped);
}

// Reads the colours of the framebuffer (their number; the piece of each, pixel by pixel); the number of four-word
// inputs of a fragment; the number of fragments that run together, 1 or 4; the fragments (their number; for each,
// whether it is a helper, the number of its pixel, its position, whether it is front-facing, the number of its
// primitive, and its inputs).
void fragments(const Invocation &of) {
    std::vector<uint32_t> colours(number());
    read_words(colours);
    uint32_t inputs = number();
    lane_count = number();
    auto place = [&](const Lane &one, size_t colour) {
        return memory[colours[colour]].bytes + one.pixel * sizeof(Words);
    };
    for (uint32_t count = number(); count > 0; count -= lane_count) {
        for (lane = 0; lane < lane_count; lane++) {
            Lane &one = lanes[lane];
            one.of = of;
            one.is_helper = number(), one.pixel = number();
            for (float &part : one.of.position) {
                uint32_t word = number();
                memcpy(&part, &word, sizeof part);
            }
            one.of.is_front = number(), one.of.primitive = number();
            one.inputs.resize(4 * inputs);
            read_words(one.inputs);
            for (size_t i = 0; i < colours.size(); i++) memcpy(one.outputs[i], place(one, i), sizeof(Words));
            one.of.inputs = reinterpret_cast<const Words *>(one.inputs.data()), one.of.outputs = one.outputs;
            one.is_discarded = one.is_helper;
        }
        lane = 0;
        if (lane_count == 1) polyshade_call(lanes[0].of);
        else run_in_turns();
        for (lane = 0; lane < lane_count; lane++)
            for (size_t i = 0; i < colours.size() && !lanes[lane].is_discarded; i++)
                memcpy(place(lanes[lane], i), lanes[lane].outputs[i], sizeof(Words));
    }
}

void draw() {
    char *buffers[BUFFERS] = {};
    for (uint32_t count = number(); count > 0; count--) {
        uint32_t index = number(), which = number(), offset = number();
        buffers[index] = memory[which].bytes + offset;
    }
    for (unsigned i = 0; i < polyshade_take_count; i++)
        if (buffers[polyshade_takes[i]] == nullptr) fail("buffer %u is not bound", polyshade_takes[i]);
    static Texels textures[TEXTURES];
    memset(textures, 0, sizeof textures);
    for (uint32_t count = number(); count > 0; count--) {
        Texels &one = textures[number()];
        one.words = reinterpret_cast<const Words *>(memory[number()].bytes);
        one.width = number(), one.height = number(), one.depth = number(), one.layers = number();
    }

    Invocation of = {};
    of.buffers = buffers, of.textures = textures;
    switch (number()) {
    case 0: vertices(of); break;
    case 1: fragments(of); break;
    default: patches(of, buffers);
    }
    check_slack();
}

} // namespace

void polyshade_discard() { lanes[lane].is_discarded = true; }

unsigned polyshade_exchange(const float (&mine)[4], float (&all)[4][4]) {
    if (lane_count != QUAD) fail("a derivative is computed for a single fragment, not a quad");
    unsigned own = lane, time = lanes[own].times++ % 2;
    memcpy(lanes[own].values[time], mine, sizeof mine);
    swapcontext(&lanes[own].context, &all_lanes);
    for (uint32_t i = 0; i < QUAD; i++) memcpy(all[i], lanes[i].values[time], sizeof all[i]);
    return own;
}

void polyshade_wait() {
    if (!in_turns) fail("a barrier waits for invocations that run sequentially");
    swapcontext(&lanes[lane].context, &all_lanes);
}

void polyshade_has_no_texture() { fail("a texture that is not bound is read"); }

int main() {
    page = size_t(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = name_memory;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
    // Processor time is limited, not elapsed time, so a busy machine does not end processes early.
    const rlim_t seconds = number();
    const rlimit limit = {seconds, seconds};
    setrlimit(RLIMIT_CPU, &limit);

    read_memory();
    for (uint32_t count = number(); count > 0; count--) draw();
    for (const Memory &one : memory)
        if (one.size > 0 && fwrite(one.bytes, one.size, 1, stdout) != 1) fail("the output cannot be written");
    return fflush(stdout) == 0 ? 0 : 1;
}
