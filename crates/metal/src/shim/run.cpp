// Calls a vertex function for every vertex of draws. Buffers lie between memory that cannot be accessed.
//
// Standard input and output are words of this machine's order. In: the seconds that all may take; how many pieces of
// memory there are, and for each its size in bytes and its bytes; how many draws, and for each: the bindings (how
// many; Metal's index, the number of the memory, the first byte), the attributes (how many locations; for each whether
// it steps with instances, and how many elements of four words, which follow), the vertices (how many; their numbers,
// which follow; the base vertex), the first instance and the number of instances. Of a dispatch, the vertices are the
// threads of a threadgroup, the instances are threadgroups, and the base vertex is how many of them a row has. Out: the
// bytes of each piece.

#include "invocation.h"

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

// How a process ends whose shader did what it may not; the last line of its error output says what.
constexpr int AT_FAULT = 3;
// Metal has 31 buffers for a vertex function.
constexpr size_t BUFFERS = 31;
// The bytes on both sides of a piece of memory that cannot be accessed: what goes astray comes down there.
constexpr size_t GUARD = size_t(1) << 20;
// The alignment of the memory that is bound, and what fills the bytes behind what is not a multiple of it.
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

// The last byte lies before a page that cannot be accessed, or so few before it that the first is aligned.
Memory allocate(size_t size) {
    size_t inside = round_up(size, page);
    Memory one = {nullptr, nullptr, inside + 2 * GUARD, size};
    void *at = mmap(nullptr, one.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) fail("there is no memory left");
    one.pages = static_cast<char *>(at);
    if (inside > 0 && mprotect(one.pages + GUARD, inside, PROT_READ | PROT_WRITE) != 0)
        fail("there is no memory left");
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
    fail("memory is accessed that is not bound");
}

void read_memory() {
    for (uint32_t count = number(); count > 0; count--) {
        memory.push_back(allocate(number()));
        Memory &one = memory.back();
        if (one.size > 0 && fread(one.bytes, one.size, 1, stdin) != 1) fail("the input ends too early");
    }
}

struct Attribute {
    bool of_instances;
    std::vector<uint32_t> words;
};

void draw() {
    char *buffers[BUFFERS] = {};
    for (uint32_t count = number(); count > 0; count--) {
        uint32_t index = number(), which = number(), offset = number();
        buffers[index] = memory[which].bytes + offset;
    }
    for (unsigned i = 0; i < polyshade_take_count; i++)
        if (buffers[polyshade_takes[i]] == nullptr) fail("buffer %u is not bound", polyshade_takes[i]);

    std::vector<Attribute> attributes(number());
    for (Attribute &one : attributes) {
        one.of_instances = number() != 0;
        one.words.resize(4 * size_t(number()));
        for (uint32_t &word : one.words) word = number();
    }
    std::vector<uint32_t> vertices(number());
    for (uint32_t &vertex : vertices) vertex = number();
    uint32_t base_vertex = number(), first_instance = number(), instances = number();

    std::vector<unsigned[4]> fetched(attributes.size());
    for (uint32_t instance = first_instance; instance < first_instance + instances; instance++)
        for (uint32_t vertex : vertices) {
            for (size_t i = 0; i < attributes.size(); i++) {
                size_t element = 4 * size_t(attributes[i].of_instances ? instance : vertex);
                bool is_there = element < attributes[i].words.size();
                for (int c = 0; c < 4; c++) fetched[i][c] = is_there ? attributes[i].words[element + c] : 0;
            }
            polyshade_call({vertex, instance, base_vertex, first_instance, buffers, fetched.data()});
        }
    check_slack();
}

} // namespace

int main() {
    page = size_t(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = name_memory;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
    alarm(number());

    read_memory();
    for (uint32_t count = number(); count > 0; count--) draw();
    for (const Memory &one : memory)
        if (one.size > 0 && fwrite(one.bytes, one.size, 1, stdout) != 1) fail("the output cannot be written");
    return fflush(stdout) == 0 ? 0 : 1;
}
