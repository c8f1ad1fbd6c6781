/* Threads that lower one module, hash one set of options and read one layout at once must get equal results. */
#define _POSIX_C_SOURCE 200809L
#include "polyshade.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 8

static polyshade_module *module;

typedef struct seen {
    uint8_t module_hash[32], options_hash[32];
    uint32_t words[32];
    size_t word_count;
    uint32_t capturable;
    int failed;
} seen;

static void *work(void *argument) {
    seen *own = argument;
    polyshade_error error = polyshade_error_init();
    polyshade_module *held = polyshade_module_retain(module);
    const char *varyings[] = {"v_position", "v_normal"};
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.varyings = varyings;
    options.varying_count = 2;

    polyshade_entry_point entry = polyshade_entry_point_init();
    polyshade_result *result = NULL;
    polyshade_module *lowered = NULL;
    polyshade_layout *layout = NULL;
    polyshade_draw draw = polyshade_draw_init();
    polyshade_range range = {0, 0, 4096, 0, 0};
    draw.topology = POLYSHADE_TOPOLOGY_TRIANGLE_STRIP;
    draw.vertex_count = 50;
    draw.instance_count = 1;
    own->word_count = 32;
    own->failed |= polyshade_module_entry(held, 0, &entry, &error);
    own->failed |= polyshade_lower(held, NULL, &options.base, &result, &error);
    own->failed |= polyshade_result_module(result, 0, &lowered, &error);
    own->failed |= polyshade_result_layout(result, 0, &layout, &error);
    polyshade_result_release(result);
    own->failed |= polyshade_module_hash(lowered, own->module_hash, &error);
    own->failed |= polyshade_options_hash(&options.base, NULL, own->options_hash, &error);
    own->failed |= polyshade_layout_host_params(layout, &draw, &range, 1, own->words, &own->word_count, &error);
    own->capturable = entry.capturable_count;
    polyshade_layout_release(layout);
    polyshade_module_release(lowered);
    polyshade_module_release(held);
    return NULL;
}

int main(int argc, char **argv) {
    static uint8_t bytes[262144];
    static seen all[THREADS];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        return 2;
    }
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (polyshade_module_parse_bytes(bytes, count, &module, NULL) != POLYSHADE_OK) {
        return 2;
    }
    pthread_t threads[THREADS];
    for (int number = 0; number < THREADS; number++) {
        if (pthread_create(&threads[number], NULL, work, &all[number]) != 0) {
            return 2;
        }
    }
    for (int number = 0; number < THREADS; number++) {
        pthread_join(threads[number], NULL);
        if (all[number].failed || memcmp(&all[number], &all[0], sizeof(seen)) != 0) {
            printf("thread %d has something else\n", number);
            return 1;
        }
    }
    polyshade_module_release(module);
    printf("%d threads agree\n", THREADS);
    return 0;
}
