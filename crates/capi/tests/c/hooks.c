/* Provides all memory of the library by hooks that count it, and checks that all of it is freed. */
#define _ISOC11_SOURCE
#include "polyshade.h"
#include <stdio.h>
#include <stdlib.h>

static size_t taken, given_back;
static int wrong;

/* Stores the size before the returned memory, so that give_back can compare it. */
static void *allocate(void *user_data, size_t size, size_t alignment) {
    size_t head = alignment < 16 ? 16 : alignment;
    size_t room = (head + size + alignment - 1) / alignment * alignment;
    char *memory = aligned_alloc(alignment < 16 ? 16 : alignment, (room + 15) / 16 * 16);
    wrong += user_data != &taken || size == 0;
    *(size_t *)(void *)(memory + head - sizeof(size_t)) = size;
    taken += size;
    return memory + head;
}

static void give_back(void *user_data, void *memory, size_t size, size_t alignment) {
    size_t head = alignment < 16 ? 16 : alignment;
    wrong += user_data != &taken || *(size_t *)(void *)((char *)memory - sizeof(size_t)) != size;
    given_back += size;
    free((char *)memory - head);
}

/* Parses, lowers and releases; returns the number of bytes that are still allocated. */
static size_t round_trip(const uint32_t *words, size_t count) {
    polyshade_error error = polyshade_error_init();
    polyshade_module *module = NULL;
    polyshade_result *result = NULL;
    const char *varyings[] = {"v_position"};
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.varyings = varyings;
    options.varying_count = 1;
    wrong += polyshade_module_parse(words, count, &module, &error) != POLYSHADE_OK;
    wrong += polyshade_lower(module, NULL, &options.base, &result, &error) != POLYSHADE_OK;
    polyshade_result_release(result);
    polyshade_module_release(module);
    return taken - given_back;
}

int main(int argc, char **argv) {
    static uint32_t words[65536];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        return 2;
    }
    size_t count = fread(words, 4, sizeof words / 4, file);
    fclose(file);

    polyshade_error error = polyshade_error_init();
    polyshade_allocator allocator = polyshade_allocator_init();
    allocator.user_data = &taken;
    allocator.allocate = allocate;
    allocator.free = give_back;
    wrong += polyshade_set_allocator(&allocator, &error) != POLYSHADE_OK;

    /* The library caches its unpacked shaders. */
    size_t kept = round_trip(words, count), once = taken;
    size_t left = round_trip(words, count);
    /* A second allocator is refused. */
    wrong += polyshade_set_allocator(&allocator, &error) != POLYSHADE_ERROR_ARGUMENT;
    printf("%u bytes were taken, %u are kept, then %u, %d answers are wrong\n", (unsigned)taken, (unsigned)kept,
           (unsigned)left, wrong);
    return wrong != 0 || once < 10000 || left != kept;
}
