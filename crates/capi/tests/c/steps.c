/* Captures geometry stages in compute stages and in draws, lowers tessellation, and compares sizes, host parameters and
 * descriptors with known values; then makes wrong calls. Run it with three modules: a geometry shader that emits a
 * varying number of lines, one that emits two for each, and tessellation shaders. */
#include "polyshade.h"
#include <stdio.h>
#include <string.h>

static polyshade_error error;
static int checks, wrong;

static void check(int line, const char *text, int is) {
    checks++;
    if (!is) {
        wrong++;
        printf("line %d: %s; the last error is %d `%s`\n", line, text, (int)error.status, error.message);
    }
}

#define CHECK(is) check(__LINE__, #is, (is) != 0)
#define OK(call) check(__LINE__, #call, (call) == POLYSHADE_OK)
/* A call that fails with this status and code. */
#define FAILS(wanted, wanted_code, call)                                                                               \
    check(__LINE__, #call, (call) == POLYSHADE_ERROR_##wanted && strcmp(error.code, wanted_code) == 0)

static polyshade_target target(const char *entry) {
    polyshade_target target = polyshade_target_init();
    target.entry = entry;
    return target;
}

static const char *const varyings[] = {"g"};

static polyshade_capture_options capture_options(uint32_t flags) {
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.flags = flags;
    options.varyings = varyings;
    options.varying_count = 1;
    options.topologies = 1u << POLYSHADE_TOPOLOGY_LINE_LIST;
    return options;
}

static polyshade_draw line_list(void) {
    polyshade_draw draw = polyshade_draw_init();
    draw.topology = POLYSHADE_TOPOLOGY_LINE_LIST;
    draw.vertex_count = 200;
    draw.first_instance = 7;
    draw.instance_count = 3;
    return draw;
}

static const polyshade_range range = {0, 0, 4096, 0, 0};

/* Returns the layout of an output, and releases the result. */
static polyshade_layout *layout_of(polyshade_result *result, uint32_t index) {
    polyshade_layout *layout = NULL;
    OK(polyshade_result_layout(result, index, &layout, &error));
    polyshade_result_release(result);
    return layout;
}

/* Returns the layout of a vertex shader as a compute stage that spills its outputs. */
static polyshade_layout *vertex_layout(polyshade_module *module, const char *entry) {
    polyshade_target of_vertex = target(entry);
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.flags = POLYSHADE_CAPTURE_COMPUTE | POLYSHADE_CAPTURE_SPILL_OUTPUTS;
    options.topologies = 1u << POLYSHADE_TOPOLOGY_LINE_LIST;
    options.variants = POLYSHADE_VARIANT_SPILL_OUTPUTS;
    polyshade_result *result = NULL;
    OK(polyshade_lower(module, &of_vertex, &options.base, &result, &error));
    return layout_of(result, 0);
}

/* The stage, the number of host parameters, and the purposes of the descriptors, at their bindings, in hexadecimal. */
static void check_output(int line, polyshade_result *result, uint32_t index, const char *expected) {
    polyshade_output output = polyshade_output_init();
    OK(polyshade_result_output(result, index, &output, &error));
    char found[128];
    int length = snprintf(found, sizeof found, "step %u stage %x params %u:", (unsigned)output.step,
                          (unsigned)output.stage, (unsigned)output.host_param_count);
    for (uint32_t i = 0; i < output.descriptor_count && length < 100; i++) {
        polyshade_descriptor one = polyshade_descriptor_init();
        OK(polyshade_result_descriptor(result, index, i, &one, &error));
        length += snprintf(found + length, sizeof found - (size_t)length, " %u@%u", (unsigned)one.purpose,
                           (unsigned)one.binding);
    }
    check(line, found, strcmp(found, expected) == 0);
    size_t words = 0;
    OK(polyshade_result_copy_words(result, index, NULL, &words, &error));
    CHECK(words > 5 && output.has_layout && output.variant == 0);
}

#define OUTPUT(result, index, expected) check_output(__LINE__, result, index, expected)

static int params_are(const polyshade_layout *layout, const polyshade_draw *draw, uint32_t ranges,
                      const char *expected) {
    uint32_t values[16];
    size_t count = 16;
    char found[128] = "";
    if (polyshade_layout_host_params(layout, draw, &range, ranges, values, &count, &error) != POLYSHADE_OK) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s%u", i == 0 ? "" : " ", (unsigned)values[i]);
    }
    return strcmp(found, expected) == 0;
}

static int groups_are(const polyshade_layout *layout, const polyshade_draw *draw, uint32_t x) {
    uint32_t groups[3];
    polyshade_status status = polyshade_layout_work_groups(layout, draw, &groups, &error);
    return status == POLYSHADE_OK && groups[0] == x && groups[1] == 1 && groups[2] == 1;
}

/* The device knows how many primitives are emitted: two or fewer for each of 300. */
static void counted(polyshade_module *module) {
    polyshade_layout *before = vertex_layout(module, "before");
    polyshade_draw draw = line_list();
    uint64_t size = 0;
    CHECK(groups_are(before, &draw, 10));
    OK(polyshade_layout_outputs_size(before, &draw, &size, &error));
    CHECK(size == 600 * 8);

    uint32_t steps = POLYSHADE_GEOMETRY_COUNT | POLYSHADE_GEOMETRY_SUM | POLYSHADE_GEOMETRY_CAPTURE;
    steps |= POLYSHADE_GEOMETRY_RASTER;
    polyshade_capture_options options = capture_options(POLYSHADE_CAPTURE_COMPUTE | POLYSHADE_CAPTURE_SPILL_OUTPUTS);
    polyshade_result *result = NULL;
    OK(polyshade_lower_geometry(module, NULL, steps, before, &options.base, &result, &error));
    CHECK(polyshade_result_count(result) == 4);
    OUTPUT(result, 0, "step 2 stage 20 params 5: 8@1 9@2 3@4");
    OUTPUT(result, 1, "step 4 stage 20 params 5: 9@2 7@3 3@4");
    OUTPUT(result, 2, "step 8 stage 20 params 5: 1@0 8@1 9@2 7@3 3@4");
    OUTPUT(result, 3, "step 16 stage 1 params 0: 7@3");
    polyshade_layout *layout = layout_of(result, 2);

    polyshade_layout_info info = polyshade_layout_info_init();
    OK(polyshade_layout_describe(layout, &info, &error));
    CHECK(info.is_dispatched && info.needs_counts && info.outputs_stride == 8 && info.patch_stride == 0);
    CHECK(info.emitted_topology == POLYSHADE_TOPOLOGY_LINE_LIST && info.primitives_per_input[0] == 0);
    polyshade_buffer_layout buffer = polyshade_buffer_layout_init();
    OK(polyshade_layout_buffer(layout, 0, &buffer, &error));
    CHECK(buffer.stride == 8 && buffer.stream == 0);
    CHECK(groups_are(layout, &draw, 5));
    CHECK(params_are(layout, &draw, 1, "200 3 0 4096 0"));
    OK(polyshade_layout_counts_size(layout, &draw, &size, &error));
    CHECK(size == 32 + 4 * (300 + 65));
    OK(polyshade_layout_outputs_size(layout, &draw, &size, &error));
    CHECK(size == 300 * 2 * 2 * 8);

    /* 450 lines were emitted, and 4096 bytes hold 256 of 16 bytes. */
    uint32_t emitted[4] = {450, 9, 0, 0};
    polyshade_range advanced = range;
    OK(polyshade_layout_primitives_of(layout, 0, emitted[0], &range, 1, &size, &error));
    CHECK(size == 256);
    OK(polyshade_layout_primitives_of(layout, 1, emitted[1], &range, 1, &size, &error));
    CHECK(size == 9);
    OK(polyshade_layout_advance_by(layout, emitted, &advanced, 1, &error));
    CHECK(advanced.counter == 4096 && advanced.length == 4096);
    FAILS(UNSUPPORTED, "geometry.unknown-count", polyshade_layout_emitted(layout, &draw, emitted, &error));
    FAILS(UNSUPPORTED, "geometry.unknown-count", polyshade_layout_advance(layout, &draw, &advanced, 1, &error));
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_primitives_of(layout, 4, 1, &range, 1, &size, &error));
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_primitives_of(layout, 0, 1, &range, 1, NULL, &error));
    FAILS(OPTIONS, "capture.range-count", polyshade_layout_primitives_of(layout, 0, 1, NULL, 0, &size, &error));
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_advance_by(layout, NULL, &advanced, 1, &error));
    FAILS(OPTIONS, "capture.range-count", polyshade_layout_advance_by(layout, emitted, NULL, 0, &error));
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_counts_size(layout, &draw, NULL, &error));
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_counts_size(NULL, &draw, &size, &error));
    draw.topology = POLYSHADE_TOPOLOGY_POINT_LIST;
    FAILS(OPTIONS, "capture.draw-mismatch", polyshade_layout_counts_size(layout, &draw, &size, &error));
    polyshade_layout_release(layout);
    polyshade_layout_release(before);
}

/* Every invocation emits two lines, and both stages are drawn. A saved layout does what the layout does. */
static void drawn(polyshade_module *module) {
    polyshade_target of_vertex = target("before");
    polyshade_capture_options options = capture_options(0);
    polyshade_result *result = NULL;
    OK(polyshade_lower_geometry(module, &of_vertex, POLYSHADE_GEOMETRY_VERTEX, NULL, &options.base, &result, &error));
    OUTPUT(result, 0, "step 1 stage 1 params 0:");
    polyshade_layout *before = layout_of(result, 0);

    OK(polyshade_lower_geometry(module, NULL, POLYSHADE_GEOMETRY_CAPTURE, before, &options.base, &result, &error));
    OUTPUT(result, 0, "step 8 stage 8 params 5: 1@0 3@3");
    polyshade_need need = polyshade_need_init();
    OK(polyshade_result_need(result, 0, 0, &need, &error));
    CHECK(need.kind == POLYSHADE_NEED_FEATURE && strcmp(need.name, "vertexPipelineStoresAndAtomics") == 0);
    polyshade_layout *made = layout_of(result, 0), *layout = NULL;
    static uint8_t saved[4096];
    size_t byte_count = sizeof saved;
    OK(polyshade_layout_save(made, saved, &byte_count, &error));
    OK(polyshade_layout_load(saved, byte_count, &layout, &error));
    polyshade_layout_release(made);

    polyshade_layout_info info = polyshade_layout_info_init();
    OK(polyshade_layout_describe(layout, &info, &error));
    CHECK(!info.is_dispatched && !info.needs_counts && info.primitives_per_input[0] == 2);
    polyshade_draw draw = line_list();
    CHECK(params_are(layout, &draw, 1, "100 7 0 4096 0"));
    uint32_t emitted[4] = {1, 1, 1, 1};
    uint64_t size = 1;
    OK(polyshade_layout_emitted(layout, &draw, emitted, &error));
    CHECK(emitted[0] == 600 && emitted[1] == 0 && emitted[3] == 0);
    OK(polyshade_layout_counts_size(layout, &draw, &size, &error));
    CHECK(size == 0);
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_emitted(layout, &draw, NULL, &error));
    uint32_t groups[3];
    FAILS(OPTIONS, "capture.not-compute", polyshade_layout_work_groups(layout, &draw, &groups, &error));
    polyshade_layout_release(layout);
    polyshade_layout_release(before);
}

/* Returns the status of a call that must leave no handle if it fails. */
static polyshade_status geometry(polyshade_module *module, uint32_t steps, const polyshade_layout *before,
                                 const polyshade_options *options) {
    polyshade_result *result = (polyshade_result *)&checks;
    polyshade_status status = polyshade_lower_geometry(module, NULL, steps, before, options, &result, &error);
    CHECK(status != POLYSHADE_OK && result == NULL);
    return status;
}

static void wrong_geometry(polyshade_module *counted, polyshade_module *constant) {
    polyshade_layout *spilled = vertex_layout(counted, "before");
    polyshade_capture_options options = capture_options(POLYSHADE_CAPTURE_COMPUTE);
    polyshade_capture_options of_draws = capture_options(0);
    const polyshade_options *base = &options.base;
    uint32_t capture = POLYSHADE_GEOMETRY_CAPTURE;
    FAILS(ARGUMENT, "c-api.argument", geometry(NULL, capture, spilled, base));
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, capture, NULL, base));
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, capture, spilled, NULL));
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, 0, spilled, base));
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, 32, spilled, base));
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, POLYSHADE_GEOMETRY_VERTEX | capture, spilled, base));
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, POLYSHADE_GEOMETRY_VERTEX, spilled, base));
    FAILS(ARGUMENT, "c-api.argument",
          polyshade_lower_geometry(counted, NULL, capture, spilled, base, NULL, &error));
    /* The entry point is a geometry stage, and no vertex stage. */
    FAILS(UNSUPPORTED, "entry-point.unsupported-stage", geometry(counted, POLYSHADE_GEOMETRY_VERTEX, NULL, &of_draws.base));
    FAILS(OPTIONS, "geometry.constant-count", geometry(constant, POLYSHADE_GEOMETRY_COUNT, spilled, base));
    FAILS(OPTIONS, "capture.spill-not-requested", geometry(counted, POLYSHADE_GEOMETRY_RASTER, spilled, base));
    /* The layout of a stage that does not spill outputs, or does not pass the number of the instance. */
    polyshade_result *result = NULL;
    OK(polyshade_lower_geometry(counted, NULL, capture, spilled, base, &result, &error));
    polyshade_layout *other = layout_of(result, 0);
    FAILS(OPTIONS, "geometry.inputs", geometry(counted, capture, other, base));
    options.flags = 0;
    FAILS(OPTIONS, "geometry.inputs", geometry(counted, capture, spilled, base));
    options.flags = POLYSHADE_CAPTURE_COMPUTE | POLYSHADE_CAPTURE_LIMIT_IN_VERTICES;
    FAILS(UNSUPPORTED, "geometry.option", geometry(counted, capture, spilled, base));
    options = capture_options(POLYSHADE_CAPTURE_COMPUTE);
    options.topologies = 1u << POLYSHADE_TOPOLOGY_TRIANGLE_LIST;
    FAILS(OPTIONS, "geometry.topology", geometry(counted, capture, spilled, base));
    options = capture_options(POLYSHADE_CAPTURE_COMPUTE);
    options.variants = POLYSHADE_VARIANT_RASTER_ONLY;
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, capture, spilled, base));
    options.variants = 0;
    options.patch_control_points = 3;
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, capture, spilled, base));
    options.patch_control_points = 0;
    options.flags |= POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN;
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, capture, spilled, base));
    options = polyshade_capture_options_init(POLYSHADE_OPTIONS_TESSELLATION);
    FAILS(ARGUMENT, "c-api.argument", geometry(counted, capture, spilled, base));
    FAILS(ARGUMENT, "c-api.argument", polyshade_lower(counted, NULL, base, &result, &error));
    CHECK(result == NULL);
    polyshade_layout_release(other);
    polyshade_layout_release(spilled);
}

/* Returns the result of a call, which is NULL if it fails. */
static polyshade_result *tessellation(polyshade_module *module, const char *entry, uint32_t steps,
                                      const polyshade_layout *before, const polyshade_capture_options *options) {
    polyshade_target of_stage = target(entry);
    polyshade_result *result = (polyshade_result *)&checks;
    polyshade_status status =
        polyshade_lower_tessellation(module, &of_stage, steps, before, &options->base, &result, &error);
    CHECK(status == error.status && (status == POLYSHADE_OK) == (result != NULL));
    return result;
}

static void wrong_tessellation(polyshade_module *module, const polyshade_layout *before,
                               const polyshade_layout *control) {
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_TESSELLATION);
    options.patch_control_points = 3;
    uint32_t first = POLYSHADE_TESSELLATION_CONTROL, last = POLYSHADE_TESSELLATION_EVALUATION;
#define FAILED(wanted, wanted_code, entry, steps, layout)                                                              \
    FAILS(wanted, wanted_code, (tessellation(module, entry, steps, layout, &options), error.status))
    FAILED(ARGUMENT, "c-api.argument", "control", first, NULL);
    FAILED(ARGUMENT, "c-api.argument", "evaluation", last, NULL);
    FAILED(ARGUMENT, "c-api.argument", "evaluation", 0, control);
    FAILED(ARGUMENT, "c-api.argument", "evaluation", 16, control);
    FAILED(ARGUMENT, "c-api.argument", "evaluation", first | last, control);
    FAILED(UNSUPPORTED, "entry-point.unsupported-stage", "evaluation", first, before);
    FAILED(UNSUPPORTED, "entry-point.unsupported-stage", "control", last, control);
    FAILED(NOT_FOUND, "entry-point.not-found", "main", last, control);
    FAILED(OPTIONS, "tessellation.inputs", "control", first, control);
    FAILED(OPTIONS, "tessellation.inputs", "evaluation", last, before);
    options.patch_control_points = 33;
    FAILED(UNSUPPORTED, "tessellation.option", "control", first, before);
    options.patch_control_points = 3;
    options.variants = POLYSHADE_VARIANT_CAPTURE_ONLY;
    FAILED(ARGUMENT, "c-api.argument", "control", first, before);
    options.variants = 0;
    options.varyings = varyings;
    options.varying_count = 1;
    FAILED(UNSUPPORTED, "tessellation.option", "control", first, before);
    options = capture_options(0);
    FAILED(ARGUMENT, "c-api.argument", "control", first, before);

    polyshade_draw draw = line_list();
    polyshade_tessellation_sizes sizes = polyshade_tessellation_sizes_init();
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_tessellation_sizes(NULL, &draw, 2, &sizes, &error));
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_tessellation_sizes(control, NULL, 2, &sizes, &error));
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_tessellation_sizes(control, &draw, 2, NULL, &error));
    sizes.size = 8;
    FAILS(ARGUMENT, "c-api.argument", polyshade_layout_tessellation_sizes(control, &draw, 2, &sizes, &error));
}

/* 66 patches of three vertices in each of three instances. */
static void tessellated(polyshade_module *module) {
    polyshade_layout *before = vertex_layout(module, "vertex");
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_TESSELLATION);
    options.patch_control_points = 3;
    options.params.kind = POLYSHADE_SOURCE_PUSH_CONSTANT;
    polyshade_result *result = tessellation(module, "control", POLYSHADE_TESSELLATION_CONTROL, before, &options);
    OUTPUT(result, 0, "step 1 stage 20 params 2: 8@0 10@1");
    polyshade_layout *control = layout_of(result, 0);

    uint32_t steps = POLYSHADE_TESSELLATION_ALLOCATE | POLYSHADE_TESSELLATION_TESSELLATE;
    steps |= POLYSHADE_TESSELLATION_EVALUATION;
    result = tessellation(module, "evaluation", steps, control, &options);
    CHECK(polyshade_result_count(result) == 3);
    OUTPUT(result, 0, "step 2 stage 20 params 2: 10@1 9@2 11@3 5@4");
    OUTPUT(result, 1, "step 4 stage 20 params 0: 10@1 9@2 11@3 5@4");
    OUTPUT(result, 2, "step 8 stage 1 params 0: 10@1 11@3");
    polyshade_layout *layout = layout_of(result, 2);

    polyshade_layout_info info = polyshade_layout_info_init();
    OK(polyshade_layout_describe(control, &info, &error));
    CHECK(info.is_dispatched && info.patch_stride == 36 && info.emitted_topology == POLYSHADE_NONE);
    OK(polyshade_layout_describe(layout, &info, &error));
    CHECK(info.patch_stride == 36 && info.emitted_topology == POLYSHADE_TOPOLOGY_TRIANGLE_LIST);
    polyshade_draw draw = line_list();
    CHECK(groups_are(control, &draw, 198) && groups_are(layout, &draw, 198));
    CHECK(params_are(control, &draw, 0, "200 3"));
    polyshade_tessellation_sizes sizes = polyshade_tessellation_sizes_init();
    OK(polyshade_layout_tessellation_sizes(layout, &draw, 2, &sizes, &error));
    CHECK(sizes.patches == 198 * 36 && sizes.table == 64 + 8 * (198 + 65));
    CHECK(sizes.points == 198 * 10 * 12 && sizes.indices == 198 * 21 * 4);
    OK(polyshade_layout_tessellation_sizes(before, &draw, 2, &sizes, &error));
    CHECK(sizes.patches == 0 && sizes.indices == 0);
    wrong_tessellation(module, before, control);
    polyshade_layout_release(layout);
    polyshade_layout_release(control);
    polyshade_layout_release(before);
}

static polyshade_module *read_module(const char *path) {
    static uint32_t words[16384];
    FILE *file = fopen(path, "rb");
    polyshade_module *module = NULL;
    if (file != NULL) {
        size_t count = fread(words, 4, sizeof words / 4, file);
        fclose(file);
        OK(polyshade_module_parse(words, count, &module, &error));
    }
    CHECK(module != NULL);
    return module;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        return 2;
    }
    error = polyshade_error_init();
    polyshade_module *modules[3];
    for (int i = 0; i < 3; i++) {
        modules[i] = read_module(argv[i + 1]);
    }
    counted(modules[0]);
    drawn(modules[1]);
    wrong_geometry(modules[0], modules[1]);
    tessellated(modules[2]);
    for (int i = 0; i < 3; i++) {
        polyshade_module_release(modules[i]);
    }
    printf("%d checks, %d wrong\n", checks, wrong);
    return wrong != 0;
}
