/*
 * Captures outputs of a vertex shader into storage buffers, and prints the descriptors, host parameters and sizes of a
 * draw.
 *
 *     lower SHADER.spv VARYING... [-o OUT.spv]
 *
 * To build it with an installed library:
 *
 *     cc -std=c99 lower.c $(pkg-config --cflags --libs polyshade) -o lower
 */
#include <polyshade.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static polyshade_error error;

/* Ends the program if a call failed. */
static void check(polyshade_status status) {
    if (status == POLYSHADE_OK) {
        return;
    }
    fprintf(stderr, "error %d: %s", (int)status, error.message);
    if (error.word_offset != POLYSHADE_NONE) {
        fprintf(stderr, " (at word 0x%x)", (unsigned)error.word_offset);
    }
    fprintf(stderr, error.help_length > 0 ? "\n%s\n" : "\n%s", error.help);
    exit(1);
}

static polyshade_module *read_module(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    long length = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(length > 0 ? (size_t)length : 1);
    size_t count = bytes == NULL ? 0 : fread(bytes, 1, (size_t)length, file);
    fclose(file);

    polyshade_module *module = NULL;
    check(polyshade_module_parse_bytes(bytes, count, &module, &error));
    free(bytes);
    return module;
}

static void write_module(const char *path, const polyshade_result *result) {
    /* Two calls: the first returns the number of words, the second the words. */
    size_t count = 0;
    check(polyshade_result_copy_words(result, 0, NULL, &count, &error));
    uint32_t *words = malloc(count * sizeof *words);
    check(polyshade_result_copy_words(result, 0, words, &count, &error));

    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(words, sizeof *words, count, file) != count || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    free(words);
    printf("wrote %zu words\n", count);
}

/* Lists the outputs that can be captured, if the caller names none. */
static void list(const polyshade_module *module) {
    polyshade_module_info info = polyshade_module_info_init();
    check(polyshade_module_describe(module, &info, &error));
    for (uint32_t entry = 0; entry < info.entry_count; entry++) {
        polyshade_entry_point point = polyshade_entry_point_init();
        check(polyshade_module_entry(module, entry, &point, &error));
        printf("%s, stage 0x%x\n", point.name, (unsigned)point.stage);
        for (uint32_t index = 0; index < point.capturable_count; index++) {
            polyshade_capturable one = polyshade_capturable_init();
            check(polyshade_module_capturable(module, entry, index, &one, &error));
            printf("  %s: %s\n", one.name, one.refused == NULL ? "can be captured" : one.refused);
        }
    }
}

static void print_output(const polyshade_result *result) {
    polyshade_output output = polyshade_output_init();
    check(polyshade_result_output(result, 0, &output, &error));
    printf("%s\n", output.is_changed ? "bind" : "nothing to do");
    for (uint32_t index = 0; index < output.descriptor_count; index++) {
        polyshade_descriptor one = polyshade_descriptor_init();
        check(polyshade_result_descriptor(result, 0, index, &one, &error));
        printf("  set %u binding %u: descriptor type %u for %s %u\n", (unsigned)one.set,
               (unsigned)one.binding, (unsigned)one.descriptor_type,
               one.purpose == POLYSHADE_PURPOSE_FEEDBACK ? "feedback buffer" : "words", (unsigned)one.number);
    }
    printf("need\n");
    for (uint32_t index = 0; index < output.need_count; index++) {
        polyshade_need one = polyshade_need_init();
        check(polyshade_result_need(result, 0, index, &one, &error));
        printf("  %s", one.name);
        printf(one.kind == POLYSHADE_NEED_LIMIT ? " of at least %u\n" : "\n", (unsigned)one.at_least);
    }
}

/* Prints the host parameters for a draw of 100 vertices as a strip into one range of 64 KiB for each buffer. */
static void print_words(const polyshade_result *result, const polyshade_layout *layout) {
    polyshade_layout_info info = polyshade_layout_info_init();
    check(polyshade_layout_describe(layout, &info, &error));
    polyshade_range ranges[4];
    memset(ranges, 0, sizeof ranges);
    for (uint32_t buffer = 0; buffer < info.buffer_count; buffer++) {
        ranges[buffer].length = 65536;
        polyshade_buffer_layout held = polyshade_buffer_layout_init();
        check(polyshade_layout_buffer(layout, buffer, &held, &error));
        printf("buffer %u, %u bytes a vertex\n", (unsigned)buffer, (unsigned)held.stride);
        for (uint32_t index = 0; index < held.captured_count; index++) {
            polyshade_captured one = polyshade_captured_init();
            check(polyshade_layout_captured(layout, buffer, index, &one, &error));
            printf("  byte %u: %s, %u components\n", (unsigned)one.offset, one.name, (unsigned)one.components);
        }
    }

    polyshade_draw draw = polyshade_draw_init();
    draw.topology = POLYSHADE_TOPOLOGY_TRIANGLE_STRIP;
    draw.vertex_count = 100;
    draw.instance_count = 1;
    uint32_t words[32];
    size_t count = sizeof words / sizeof *words;
    check(polyshade_layout_host_params(layout, &draw, ranges, info.buffer_count, words, &count, &error));
    printf("fill in\n");
    for (uint32_t index = 0; index < count; index++) {
        polyshade_host_param word = polyshade_host_param_init();
        check(polyshade_result_host_param(result, 0, index, &word, &error));
        printf("  %u %s = %u\n", (unsigned)word.number, word.name, (unsigned)words[index]);
    }

    uint64_t written = 0, generated = 0;
    check(polyshade_layout_primitives(layout, &draw, ranges, info.buffer_count, &written, &generated, &error));
    check(polyshade_layout_advance(layout, &draw, ranges, info.buffer_count, &error));
    printf("%u of %u primitives are stored, %u bytes\n", (unsigned)written, (unsigned)generated,
           (unsigned)ranges[0].counter);
}

int main(int argc, char **argv) {
    error = polyshade_error_init();
    const char *output = NULL;
    if (argc > 3 && strcmp(argv[argc - 2], "-o") == 0) {
        output = argv[argc - 1];
        argc -= 2;
    }
    if (argc < 2) {
        fprintf(stderr, "usage: lower SHADER.spv VARYING... [-o OUT.spv]\n");
        return 2;
    }
    polyshade_module *module = read_module(argv[1]);
    if (argc == 2) {
        list(module);
        polyshade_module_release(module);
        return 0;
    }

    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.varyings = (const char *const *)(argv + 2);
    options.varying_count = (size_t)(argc - 2);
    polyshade_result *result = NULL;
    check(polyshade_lower(module, NULL, &options.base, &result, &error));
    /* The result does not depend on the module. */
    polyshade_module_release(module);

    polyshade_layout *layout = NULL;
    check(polyshade_result_layout(result, 0, &layout, &error));
    print_output(result);
    print_words(result, layout);
    if (output != NULL) {
        write_module(output, result);
    }
    polyshade_layout_release(layout);
    polyshade_result_release(result);
    return 0;
}
