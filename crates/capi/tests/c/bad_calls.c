/* Wrong calls, each with its expected error. None may end the program, write where it was given no memory, or leave a
 * handle. Run it with the shader on which it tries wrong options. */
#include "polyshade.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static polyshade_error error;
static int calls, wrong;

static void expect(int line, polyshade_status wanted, const char *text, polyshade_status got) {
    calls++;
    int has_code = strchr(error.code, '.') != NULL;
    if (got == wanted && error.status == wanted && has_code && strstr(error.message, text) != NULL) {
        return;
    }
    wrong++;
    printf("line %d: wanted %d `%s`, got %d `%s`\n", line, (int)wanted, text, (int)got, error.message);
}

#define EXPECT(status, text, call) expect(__LINE__, POLYSHADE_ERROR_##status, text, call)
#define ARGUMENT(text, call) EXPECT(ARGUMENT, text, call)
#define OPTIONS(text, call) EXPECT(OPTIONS, text, call)

/* Checks that a call that failed left no handle. */
static void expect_null(int line, const void *handle) {
    if (handle != NULL) {
        wrong++;
        printf("line %d: a call that failed left a handle\n", line);
    }
}

static polyshade_module *module;
static polyshade_result *result;
static polyshade_target target;

static polyshade_status lower(const polyshade_options *options) {
    polyshade_result *none = (polyshade_result *)&calls;
    polyshade_status status = polyshade_lower(module, &target, options, &none, &error);
    expect_null(__LINE__, none);
    return status;
}

static void modules(const uint32_t *words, size_t count) {
    polyshade_module *none = NULL;
    const uint8_t *bytes = (const uint8_t *)words;
    ARGUMENT("module is NULL", polyshade_module_parse(words, count, NULL, &error));
    ARGUMENT("words is NULL", polyshade_module_parse(NULL, count, &none, &error));
    ARGUMENT("not aligned to 4", polyshade_module_parse((const uint32_t *)(const void *)(bytes + 1), 1, &none, &error));
    ARGUMENT("more than fit in memory", polyshade_module_parse(words, SIZE_MAX, &none, &error));
    ARGUMENT("more than fit in memory", polyshade_module_parse(words, SIZE_MAX / 4, &none, &error));
    EXPECT(MALFORMED, "", polyshade_module_parse(NULL, 0, &none, &error));
    EXPECT(MALFORMED, "", polyshade_module_parse(words, 4, &none, &error));
    EXPECT(MALFORMED, "", polyshade_module_parse(words, count - 1, &none, &error));
    EXPECT(MALFORMED, "", polyshade_module_parse(words + 1, count - 1, &none, &error));
    ARGUMENT("not a whole number of words", polyshade_module_parse_bytes(bytes, 7, &none, &error));
    ARGUMENT("bytes is NULL", polyshade_module_parse_bytes(NULL, 20, &none, &error));
    expect_null(__LINE__, none);

    size_t room = count - 1;
    uint32_t few[1];
    ARGUMENT("module is NULL", polyshade_module_copy_words(NULL, few, &room, &error));
    ARGUMENT("the count is NULL", polyshade_module_copy_words(module, few, NULL, &error));
    EXPECT(BUFFER, "the buffer holds", polyshade_module_copy_words(module, few, &room, &error));
    if (room != count) {
        wrong++;
        printf("a buffer that is too small is not told how much is needed\n");
    }
    ARGUMENT("hash is NULL", polyshade_module_hash(module, NULL, &error));
    ARGUMENT("module is NULL", polyshade_module_hash(NULL, (uint8_t *)few, &error));
}

static void reflection(void) {
    polyshade_module_info info = polyshade_module_info_init();
    polyshade_entry_point entry = polyshade_entry_point_init();
    polyshade_variable variable = polyshade_variable_init();
    polyshade_capturable capturable = polyshade_capturable_init();
    ARGUMENT("polyshade_module_info is NULL", polyshade_module_describe(module, NULL, &error));
    info.size = 4;
    ARGUMENT("states a size of 4 bytes", polyshade_module_describe(module, &info, &error));
    info.size = 0xdeadbeef;
    ARGUMENT("states a size of 3735928559 bytes", polyshade_module_describe(module, &info, &error));
    EXPECT(NOT_FOUND, "entry point 9 does not exist", polyshade_module_entry(module, 9, &entry, &error));
    EXPECT(NOT_FOUND, "variable 99 does not exist", polyshade_module_variable(module, 0, 99, &variable, &error));
    EXPECT(NOT_FOUND, "varying 99 does not exist", polyshade_module_capturable(module, 0, 99, &capturable, &error));
    EXPECT(NOT_FOUND, "entry point 4294967295 does not exist", polyshade_module_variable(module, POLYSHADE_NONE, 0, &variable, &error));
}

static void targets(void) {
    polyshade_rasterizer_discard_options discard = polyshade_rasterizer_discard_options_init();
    polyshade_device device = polyshade_device_init();
    discard.when.fixed = 1;
    target.entry = "nothing";
    EXPECT(NOT_FOUND, "nothing", lower(&discard.base));
    target.entry = "\xff";
    ARGUMENT("the entry point is not UTF-8", lower(&discard.base));
    target.entry = NULL;
    target.stage = 3;
    ARGUMENT("unknown stage 0x3", lower(&discard.base));
    target.stage = POLYSHADE_STAGE_FRAGMENT;
    EXPECT(NOT_FOUND, "fragment", lower(&discard.base));
    target.stage = 0;
    target.flags = 8;
    ARGUMENT("unknown flags 0x8", lower(&discard.base));
    target.flags = 0;
    target.set_count = 1;
    ARGUMENT("the reserved sets is NULL", lower(&discard.base));
    target.set_count = SIZE_MAX;
    ARGUMENT("more than 65536", lower(&discard.base));
    target.set_count = 0;
    target.device = &device;
    device.size = 1;
    ARGUMENT("polyshade_device states", lower(&discard.base));
    target.device = NULL;
    target.size = 0;
    ARGUMENT("polyshade_target states a size of 0 bytes", lower(&discard.base));
    target = polyshade_target_init();
    ARGUMENT("polyshade_device is NULL", polyshade_device_defaults(NULL, &error));
}

static void captures(void) {
    const char *position[] = {"v_position", NULL};
    const char *nothing[] = {"v_nothing"};
    const char *twice[] = {"v_position", "v_position"};
    polyshade_capture_options good = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    good.varyings = position;
    good.varying_count = 1;
    polyshade_capture_options options = good;

    ARGUMENT("polyshade_options is NULL", lower(NULL));
    ARGUMENT("module is NULL", polyshade_lower(NULL, NULL, &good.base, &result, &error));
    ARGUMENT("result is NULL", polyshade_lower(module, NULL, &good.base, NULL, &error));
    options.base.kind = 77;
    ARGUMENT("unknown kind 77 of options", lower(&options.base));
    options.base.kind = POLYSHADE_OPTIONS_RECIPE;
    ARGUMENT("must be given as JSON", lower(&options.base));
    options.base.kind = POLYSHADE_OPTIONS_CAPTURE_STORAGE;
    options.base.size = sizeof(polyshade_options);
    ARGUMENT("polyshade_capture_options states a size of 8 bytes", lower(&options.base));
    options = good;
    options.flags = 1u << 31;
    ARGUMENT("unknown flags 0x80000000", lower(&options.base));
    options = good;
    options.mode = 4;
    ARGUMENT("unknown capture mode 4", lower(&options.base));
    options = good;
    options.varying_count = 2;
    ARGUMENT("the varyings is NULL", lower(&options.base));
    options.varyings = NULL;
    ARGUMENT("the varyings is NULL", lower(&options.base));
    options = good;
    options.varyings = nothing;
    EXPECT(NOT_FOUND, "no output `v_nothing`", lower(&options.base));
    options.varyings = twice;
    options.varying_count = 2;
    OPTIONS("captured twice", lower(&options.base));
    options.varying_count = 0;
    OPTIONS("", lower(&options.base));
    options = good;
    options.mode = POLYSHADE_CAPTURE_STREAM_OUTPUT;
    options.stride_count = 1;
    ARGUMENT("the strides is NULL", lower(&options.base));
    options = good;
    options.params.kind = 9;
    ARGUMENT("unknown source 9", lower(&options.base));
    options = good;
    options.side_effects = 3;
    ARGUMENT("unknown side effects 3", lower(&options.base));
    options = good;
    options.topologies = 1u << 30;
    ARGUMENT("unknown flags 0x40000000", lower(&options.base));
    options = good;
    options.variants = 8;
    ARGUMENT("unknown flags 0x8", lower(&options.base));
    options.base.kind = POLYSHADE_OPTIONS_CAPTURE_EXTENSION;
    ARGUMENT("has no variants", lower(&options.base));
    options = good;
    options.flags |= POLYSHADE_CAPTURE_COMPUTE;
    options.params.kind = POLYSHADE_SOURCE_ADDRESS_IN_ATTRIBUTE;
    OPTIONS("a compute stage has no vertex attributes", lower(&options.base));
    options = good;
    options.constant_count = 1;
    ARGUMENT("the constants is NULL", lower(&options.base));
    polyshade_constant constant = {99, 0, 1};
    options.constants = &constant;
    EXPECT(NOT_FOUND, "99", lower(&options.base));
    polyshade_binding binding = {2, 1};
    options = good;
    options.flags = POLYSHADE_CAPTURE_HAS_SET | POLYSHADE_CAPTURE_HAS_BINDING;
    options.set = 2;
    options.binding = 1;
    target.bindings = &binding;
    target.binding_count = 1;
    OPTIONS("reserved", lower(&options.base));
    target = polyshade_target_init();
}

static void other_options(void) {
    polyshade_rasterizer_discard_options discard = polyshade_rasterizer_discard_options_init();
    discard.when.fixed = 2;
    ARGUMENT("the discard: 2", lower(&discard.base));
    polyshade_clip_space_options depth = polyshade_clip_space_options_init();
    depth.rotation.fixed = 4;
    ARGUMENT("the rotation: 4", lower(&depth.base));
    polyshade_position_only_options keep = polyshade_position_only_options_init();
    const char *empty[] = {""};
    keep.keep = empty;
    keep.keep_count = 1;
    OPTIONS("the name of an output to keep is empty", lower(&keep.base));
    keep.keep_count = 0;
    keep.variant = 3;
    ARGUMENT("unknown variant 3", lower(&keep.base));
    polyshade_clip_options clip = polyshade_clip_options_init();
    polyshade_clip_step step;
    memset(&step, 0, sizeof step);
    clip.steps = &step;
    clip.step_count = 1;
    ARGUMENT("unknown step 0", lower(&clip.base));
    step.step = POLYSHADE_CLIP_USER_PLANES;
    step.planes = 1;
    ARGUMENT("no source is given", lower(&clip.base));
    step.params.kind = POLYSHADE_SOURCE_PUSH_CONSTANT;
    step.planes = 0;
    OPTIONS("the number of clip planes is 0", lower(&clip.base));
    step.step = POLYSHADE_CLIP_NORMALIZE;
    const char *semantics[] = {"clip=x"};
    step.outputs = semantics;
    step.output_count = 1;
    OPTIONS("clip=x", lower(&clip.base));
    step.step = POLYSHADE_CLIP_IN_GEOMETRY;
    step.flags = POLYSHADE_CLIP_GENERATE;
    step.primitive = 3;
    ARGUMENT("unknown primitive 3", lower(&clip.base));
    step.flags = 512;
    ARGUMENT("unknown flags 0x200", lower(&clip.base));
    clip.step_count = 65;
    ARGUMENT("65 steps are more than 64", lower(&clip.base));

    polyshade_vertex_pulling_options pulling = polyshade_vertex_pulling_options_init();
    polyshade_attribute attribute = {0, 0, 0, 0, "VK_FORMAT_NONE"};
    pulling.attributes = &attribute;
    pulling.attribute_count = 1;
    OPTIONS("is not a vertex format", lower(&pulling.base));
    attribute.format = "VK_FORMAT_R32G32_SFLOAT";
    OPTIONS("vertex buffer 0", lower(&pulling.base));
    polyshade_vertex_buffer buffer = {0, 8, 5, 0};
    pulling.buffers = &buffer;
    pulling.buffer_count = 1;
    ARGUMENT("unknown vertex rate 5", lower(&pulling.base));

    polyshade_blend_options blend = polyshade_blend_options_init();
    polyshade_color_blend color;
    memset(&color, 0, sizeof color);
    uint32_t equation = 7;
    color.equations = &equation;
    color.equation_count = 1;
    blend.targets = &color;
    blend.target_count = 1;
    ARGUMENT("VkBlendOp 7 is not an advanced blend equation", lower(&blend.base));
    color.blending = POLYSHADE_BLENDING_FIXED_FUNCTION;
    color.source_color = 19;
    ARGUMENT("unknown VkBlendFactor 19", lower(&blend.base));
    color.blending = POLYSHADE_BLENDING_LOGIC;
    color.logic_op = 16;
    ARGUMENT("unknown VkLogicOp 16", lower(&blend.base));
    color.blending = POLYSHADE_BLENDING_NONE;
    color.location = POLYSHADE_NONE;
    ARGUMENT("without a location", lower(&blend.base));
    blend.destination = 4;
    ARGUMENT("unknown destination 4", lower(&blend.base));
    uint32_t word = 0;
    ARGUMENT("VkBlendOp 4294967295", polyshade_blend_word(POLYSHADE_NONE, &word, &error));
    ARGUMENT("unknown kind 0 of options", polyshade_lowering_version(0, &word, &error));
    ARGUMENT("the format is NULL", polyshade_vertex_format_info(NULL, NULL, &error));
}

static void plans(void) {
    polyshade_plan *plan = NULL;
    polyshade_plan_info info = polyshade_plan_info_init();
    polyshade_step step = polyshade_step_init();
    if (polyshade_plan_make("{\"device\":\"metal\"}", &plan, &error) != POLYSHADE_OK) {
        wrong++;
        return;
    }
    ARGUMENT("plan is NULL", polyshade_plan_describe(NULL, &info, &error));
    ARGUMENT("polyshade_plan_info is NULL", polyshade_plan_describe(plan, NULL, &error));
    ARGUMENT("plan is NULL", polyshade_plan_step(NULL, 0, &step, &error));
    EXPECT(NOT_FOUND, "step 99 does not exist", polyshade_plan_step(plan, 99, &step, &error));
    polyshade_plan_release(plan);

    uint32_t words[POLYSHADE_JOB_WORDS], size = 0;
    size_t count = 0;
    polyshade_job job = polyshade_job_init();
    ARGUMENT("polyshade_job is NULL", polyshade_job_words(NULL, words, &error));
    ARGUMENT("words is NULL", polyshade_job_words(&job, NULL, &error));
    job.flags = 64;
    ARGUMENT("unknown flags 0x40", polyshade_job_words(&job, words, &error));
    job.flags = POLYSHADE_JOB_DRAWS;
    job.arguments_kind = 4;
    ARGUMENT("unknown kind 4 of arguments", polyshade_job_words(&job, words, &error));
    job.topology = POLYSHADE_TOPOLOGY_PATCH_LIST;
    ARGUMENT("topology 10 is unknown", polyshade_job_words(&job, words, &error));
    job = polyshade_job_init();
    job.flags = POLYSHADE_JOB_DRAWS | POLYSHADE_JOB_RESTARTED;
    job.index_type = 7;
    ARGUMENT("unknown index type 7", polyshade_job_words(&job, words, &error));
    ARGUMENT("list is NULL", polyshade_list_words(NULL, words, &error));
    ARGUMENT("unknown index type 7", polyshade_counter_pass_table_size(7, 0, &size, &error));
    polyshade_param_value word = {99, 0, 0, NULL};
    ARGUMENT("the values is NULL", polyshade_counter_pass_template(&word, NULL, 1, words, &count, &error));
    ARGUMENT("unknown kind 99 of parameter value", polyshade_counter_pass_template(&word, words, 1, words, &count, &error));
}

static void json(void) {
    polyshade_json_options json = polyshade_json_options_init(POLYSHADE_OPTIONS_CLIP_SPACE);
    ARGUMENT("the options is NULL", lower(&json.base));
    json.json = "{";
    EXPECT(JSON, "the options: EOF", lower(&json.base));
    json.json = "{\"height\":1}";
    EXPECT(JSON, "unknown field `height`", lower(&json.base));
    json.json = "\xc3(";
    ARGUMENT("not UTF-8", lower(&json.base));
    json.json = "{}";
    json.of = POLYSHADE_OPTIONS_JSON;
    ARGUMENT("unknown kind 2147483648 of options", lower(&json.base));
    json.of = POLYSHADE_OPTIONS_RECIPE;
    json.json = "{\"blend\":{}}";
    OPTIONS("no fragment stage", lower(&json.base));

    polyshade_stage stage = {module, NULL};
    polyshade_rasterizer_discard_options discard = polyshade_rasterizer_discard_options_init();
    ARGUMENT("takes a recipe, not rasterizer_discard", polyshade_lower_pipeline(&stage, 1, &discard.base, &result, &error));
    ARGUMENT("stages is NULL", polyshade_lower_pipeline(NULL, 1, &json.base, &result, &error));
    ARGUMENT("17 stages are more", polyshade_lower_pipeline(&stage, 17, &json.base, &result, &error));
    stage.module = NULL;
    ARGUMENT("the module of a stage is NULL", polyshade_lower_pipeline(&stage, 1, &json.base, &result, &error));
    expect_null(__LINE__, result);
    ARGUMENT("hash is NULL", polyshade_options_hash(&json.base, NULL, NULL, &error));
    ARGUMENT("the count is NULL", polyshade_options_json(&json.base, NULL, NULL, &error));

    polyshade_plan *plan = NULL;
    ARGUMENT("the state is NULL", polyshade_plan_make(NULL, &plan, &error));
    EXPECT(JSON, "the state", polyshade_plan_make("[]", &plan, &error));
    OPTIONS("no device is named", polyshade_plan_make("{}", &plan, &error));
    OPTIONS("unknown preset `x`", polyshade_plan_make("{\"device\":\"x\"}", &plan, &error));
    expect_null(__LINE__, plan);
    plans();
}

static void results_and_layouts(void) {
    const char *position[] = {"v_position"};
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.varyings = position;
    options.varying_count = 1;
    if (polyshade_lower(module, NULL, &options.base, &result, &error) != POLYSHADE_OK) {
        wrong++;
        return;
    }
    polyshade_output output = polyshade_output_init();
    polyshade_host_param word = polyshade_host_param_init();
    polyshade_layout *layout = NULL;
    size_t none = 0;
    ARGUMENT("result is NULL", polyshade_result_output(NULL, 0, &output, &error));
    EXPECT(NOT_FOUND, "output 1 does not exist", polyshade_result_output(result, 1, &output, &error));
    EXPECT(NOT_FOUND, "parameter 99 does not exist", polyshade_result_host_param(result, 0, 99, &word, &error));
    ARGUMENT("layout is NULL", polyshade_result_layout(result, 0, NULL, &error));
    EXPECT(BUFFER, "holds 0 elements", polyshade_result_json(result, 0, (char *)&word, &none, &error));
    polyshade_result_layout(result, 0, &layout, &error);

    polyshade_draw draw = polyshade_draw_init();
    polyshade_range range = {0, 0, 64, 0, 0};
    uint32_t words[32];
    size_t count = 32;
    ARGUMENT("layout is NULL", polyshade_layout_host_params(NULL, &draw, &range, 1, words, &count, &error));
    ARGUMENT("polyshade_draw is NULL", polyshade_layout_host_params(layout, NULL, &range, 1, words, &count, &error));
    OPTIONS("2 ranges", polyshade_layout_host_params(layout, &draw, (polyshade_range[2]){range, range}, 2, words, &count, &error));
    uint32_t groups[3];
    ARGUMENT("layout is NULL", polyshade_layout_work_groups(NULL, &draw, &groups, &error));
    OPTIONS("drawn, not dispatched", polyshade_layout_work_groups(layout, &draw, &groups, &error));
    range.length = 63;
    OPTIONS("multiples of 4", polyshade_layout_advance(layout, &draw, &range, 1, &error));
    range.length = 64;
    range.flags = POLYSHADE_RANGE_UNBOUND;
    OPTIONS("not bound", polyshade_layout_primitives(layout, &draw, &range, 1, NULL, NULL, &error));
    range.flags = 2;
    ARGUMENT("a range has unknown flags 0x2", polyshade_layout_advance(layout, &draw, &range, 1, &error));
    draw.topology = 15;
    ARGUMENT("topology 15 is unknown", polyshade_layout_advance(layout, &draw, &range, 1, &error));
    draw.topology = 0;
    draw.provoking_vertex = 2;
    ARGUMENT("unknown provoking vertex 2", polyshade_layout_advance(layout, &draw, &range, 1, &error));
    draw.provoking_vertex = 0;
    draw.flags = 4;
    ARGUMENT("a draw has unknown flags 0x4", polyshade_layout_advance(layout, &draw, &range, 1, &error));
    draw.flags = POLYSHADE_DRAW_RESTARTED;
    ARGUMENT("without indices cannot use primitive restart", polyshade_layout_advance(layout, &draw, &range, 1, &error));
    draw.flags = POLYSHADE_DRAW_INDEXED;
    range.flags = 0;
    OPTIONS("indices", polyshade_layout_host_params(layout, &draw, &range, 1, words, &count, &error));
    draw.index_type = 2;
    ARGUMENT("unknown index type 2", polyshade_layout_advance(layout, &draw, &range, 1, &error));
    uint32_t primitives = 0;
    ARGUMENT("the indices is NULL", polyshade_segments_find(3, 0, NULL, 4, 0, 2, words, &count, &primitives, &error));
    OPTIONS("2^32 - 1 indices", polyshade_segments_find(3, 0, NULL, 0, 0, UINT32_MAX, words, &count, &primitives, &error));
    count = 1;
    EXPECT(BUFFER, "holds 1 elements, but needs 6", polyshade_segments_find(3, 0, NULL, 0, 0, 2, words, &count, &primitives, &error));

    polyshade_layout *loaded = NULL;
    polyshade_captured captured = polyshade_captured_init();
    EXPECT(JSON, "the layout", polyshade_layout_load((const uint8_t *)"x", 1, &loaded, &error));
    ARGUMENT("too many for a layout", polyshade_layout_load((const uint8_t *)"x", SIZE_MAX, &loaded, &error));
    EXPECT(NOT_FOUND, "feedback buffer 4 does not exist", polyshade_layout_captured(layout, 4, 0, &captured, &error));
    EXPECT(NOT_FOUND, "captured varying 1 does not exist", polyshade_layout_captured(layout, 0, 1, &captured, &error));
    expect_null(__LINE__, loaded);
    polyshade_layout_release(layout);
    polyshade_result_release(result);
}

/* A call without a status accepts NULL silently; a call with an error struct of unknown size does nothing. */
static void silent(void) {
    size_t count = 7;
    polyshade_allocator allocator = polyshade_allocator_init();
    polyshade_module_release(polyshade_module_retain(NULL));
    polyshade_layout_release(polyshade_layout_retain(NULL));
    polyshade_result_release(polyshade_result_retain(NULL));
    polyshade_plan_release(polyshade_plan_retain(NULL));
    wrong += polyshade_module_words(NULL, &count) != NULL || count != 0;
    wrong += polyshade_module_words(NULL, NULL) != NULL || polyshade_result_count(NULL) != 0;
    wrong += polyshade_plan_json(NULL) != NULL || polyshade_plan_text(NULL) != NULL;
    wrong += polyshade_module_hash(NULL, NULL, NULL) != POLYSHADE_ERROR_ARGUMENT;
    ARGUMENT("the allocator lacks a function", polyshade_set_allocator(&allocator, &error));
    ARGUMENT("polyshade_allocator is NULL", polyshade_set_allocator(NULL, &error));
    error.size = 4;
    wrong += polyshade_device_defaults(NULL, &error) != POLYSHADE_ERROR_ARGUMENT;
    error = polyshade_error_init();
}

int main(int argc, char **argv) {
    static uint32_t words[65536];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        return 2;
    }
    size_t count = fread(words, 4, sizeof words / 4, file);
    fclose(file);
    error = polyshade_error_init();
    target = polyshade_target_init();
    if (polyshade_module_parse(words, count, &module, &error) != POLYSHADE_OK) {
        return 2;
    }
    modules(words, count);
    reflection();
    targets();
    captures();
    other_options();
    json();
    results_and_layouts();
    silent();
    polyshade_module_release(module);
    printf("%d bad calls, %d wrong answers\n", calls, wrong);
    return wrong != 0;
}
