/*
 * Plans a draw, and prints the steps that a host executes.
 *
 *     plan STATE.json
 *
 * The state has the format of `polyshade plan`; examples/plans has some. To build it with an installed library:
 *
 *     cc -std=c99 plan.c $(pkg-config --cflags --libs polyshade) -o plan
 */
#include <polyshade.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static polyshade_error error;

/* Ends the program if a call failed. */
static void check(polyshade_status status) {
    if (status != POLYSHADE_OK) {
        fprintf(stderr, "error %d: %s\n", (int)status, error.message);
        exit(1);
    }
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    long length = ftell(file);
    rewind(file);
    char *text = malloc(length > 0 ? (size_t)length + 1 : 1);
    if (text == NULL) {
        perror(path);
        exit(1);
    }
    size_t count = length > 0 ? fread(text, 1, (size_t)length, file) : 0;
    fclose(file);
    text[count] = '\0';
    return text;
}

static void print_counters(const polyshade_counter *counters, uint32_t count) {
    for (uint32_t number = 0; number < count; number++) {
        if (counters[number].buffer == POLYSHADE_NONE) {
            printf(" none");
        } else {
            printf(" %" PRIu32 ":%" PRIu64, counters[number].buffer, counters[number].offset);
        }
    }
}

static void print_params(const polyshade_param_values *params) {
    printf("fill in %" PRIu32 " host parameters from a source of kind %" PRIu32 ":", params->value_count, params->source.kind);
    for (uint32_t number = 0; number < params->value_count; number++) {
        const polyshade_param_value *param = &params->values[number];
        if (param->kind == POLYSHADE_PARAM_CONSTANT) {
            printf(" %s=%" PRIu32, param->name, param->number);
        } else {
            printf(" %s", param->name);
        }
    }
    printf("\n");
}

/* Prints the data that a host makes for the counter pass: a template of the host parameters, and a job. A real host
 * has memory for all of it, and writes the addresses to the job. */
static void print_counter_pass(const polyshade_counter_pass *counter_pass) {
    polyshade_job job = polyshade_job_init();
    job.flags = (counter_pass->begins ? POLYSHADE_JOB_BEGINS : 0) | (counter_pass->ends ? POLYSHADE_JOB_ENDS : 0);
    size_t template_words = 0;
    if (counter_pass->params != NULL) {
        /* The host knows constants, sizes and addresses. This example writes the constants, and 0 for all others. */
        uint32_t *values = calloc(counter_pass->params->value_count, sizeof *values);
        if (values == NULL) {
            perror("a template");
            exit(1);
        }
        for (uint32_t number = 0; number < counter_pass->params->value_count; number++) {
            const polyshade_param_value *param = &counter_pass->params->values[number];
            values[number] = param->kind == POLYSHADE_PARAM_CONSTANT ? param->number : 0;
        }
        check(polyshade_counter_pass_template(counter_pass->params->values, values, counter_pass->params->value_count, NULL, &template_words,
                                        &error));
        free(values);
        job.flags |= POLYSHADE_JOB_DRAWS;
        job.topology = POLYSHADE_TOPOLOGY_TRIANGLE_LIST;
        job.arguments_kind = POLYSHADE_ARGUMENTS_INDEXED_INDIRECT;
        job.draw_count = 1;
        job.param_count = counter_pass->params->value_count;
        for (uint32_t number = 0; number < counter_pass->stride_count; number++) {
            job.strides[number] = counter_pass->strides[number];
        }
    }
    uint32_t words[POLYSHADE_JOB_WORDS];
    check(polyshade_job_words(&job, words, &error));
    size_t shader_words = 0;
    polyshade_counter_pass_words(POLYSHADE_COUNTER_PASS_COUNT, &shader_words);
    printf("dispatch the counter pass%s for a job with flags %#" PRIx32 ", a template of %zu words, %" PRIu32 " queries;",
           shader_words > 0 ? "" : ", which is missing,", words[0], template_words, counter_pass->query_count);
    printf(" begin with");
    print_counters(counter_pass->begin_counters, counter_pass->begin_count);
    printf("; end with");
    print_counters(counter_pass->end_counters, counter_pass->end_count);
    printf("\n");
}

static void print_step(const polyshade_step *step) {
    switch (step->kind) {
    case POLYSHADE_STEP_BEGIN_PASS:
        printf("begin a pass, scope %" PRIu32 ", attachments %" PRIu32 ", contents %" PRIu32 "\n", step->pass.scope,
               step->pass.attachments, step->pass.contents);
        break;
    case POLYSHADE_STEP_END_PASS:
        printf("end the pass\n");
        break;
    case POLYSHADE_STEP_BARRIERS:
        printf("vkCmdPipelineBarrier:");
        for (uint32_t number = 0; number < step->count; number++) {
            const polyshade_barrier *one = &step->barriers[number];
            printf(" %#" PRIx32 " -> %#" PRIx32 " (accesses %#" PRIx32 " -> %#" PRIx32 ")", one->from_stages,
                   one->to_stages, one->from_accesses, one->to_accesses);
        }
        printf("\n");
        break;
    case POLYSHADE_STEP_BEGIN_QUERY:
        printf("begin a query of kind %" PRIu32 ", stream %" PRIu32 "\n", step->query.kind, step->query.stream);
        break;
    case POLYSHADE_STEP_END_QUERY:
        printf("end the query\n");
        break;
    case POLYSHADE_STEP_COUNT:
        printf("count on the host, for stream %" PRIu32 "\n", step->query.stream);
        break;
    case POLYSHADE_STEP_BIND_PIPELINE:
        printf("vkCmdBindPipeline: variant %" PRIu32 ", topology %" PRIu32 ", %s\n", step->pipeline.variant,
               step->pipeline.topology, step->pipeline.rasterizes ? "rasterized" : "not rasterized");
        break;
    case POLYSHADE_STEP_BIND_STORAGE:
        printf("vkCmdBindDescriptorSets: feedback buffer %" PRIu32 " at set %" PRIu32 " binding %" PRIu32
               ", %" PRIu64 " bytes from %" PRIu64 " on\n",
               step->storage.buffer, step->storage.set, step->storage.binding, step->storage.length,
               step->storage.offset);
        break;
    case POLYSHADE_STEP_BIND_INDICES:
    case POLYSHADE_STEP_BIND_SEGMENTS:
        printf("vkCmdBindDescriptorSets: %s at set %" PRIu32 " binding %" PRIu32 "\n",
               step->kind == POLYSHADE_STEP_BIND_INDICES ? "index buffer" : "table of segments", step->storage.set,
               step->storage.binding);
        break;
    case POLYSHADE_STEP_BIND_FEEDBACK:
        printf("vkCmdBindTransformFeedbackBuffersEXT:");
        for (uint32_t number = 0; number < step->count; number++) {
            const polyshade_feedback_range *range = &step->ranges[number];
            if (range->is_bound) {
                printf(" %" PRIu64 "+%" PRIu64, range->offset, range->length);
            } else {
                printf(" none");
            }
        }
        printf("\n");
        break;
    case POLYSHADE_STEP_FILL_IN:
        print_params(step->params);
        break;
    case POLYSHADE_STEP_BEGIN_FEEDBACK:
    case POLYSHADE_STEP_END_FEEDBACK:
        printf(step->kind == POLYSHADE_STEP_BEGIN_FEEDBACK ? "vkCmdBeginTransformFeedbackEXT:"
                                                           : "vkCmdEndTransformFeedbackEXT:");
        print_counters(step->counters, step->count);
        printf("\n");
        break;
    case POLYSHADE_STEP_DRAW:
        printf("draw, call %" PRIu32 "\n", step->draw.kind);
        break;
    case POLYSHADE_STEP_BIND_COMPUTE:
        printf("bind the compute pipeline that captures\n");
        break;
    case POLYSHADE_STEP_DISPATCH:
        printf("dispatch polyshade_layout_work_groups, call %" PRIu32 "\n", step->draw.kind);
        break;
    case POLYSHADE_STEP_ADVANCE:
        printf("polyshade_layout_advance, save to");
        print_counters(step->counters, step->count);
        printf("\n");
        break;
    case POLYSHADE_STEP_WRITE_COUNTERS:
        printf("vkCmdUpdateBuffer:");
        print_counters(step->counters, step->count);
        printf("\n");
        break;
    case POLYSHADE_STEP_FIND_SEGMENTS:
        printf("dispatch what finds segments\n");
        break;
    case POLYSHADE_STEP_COUNTER_PASS:
        print_counter_pass(step->counter_pass);
        break;
    default:
        /* A step of a later version of the library. */
        fprintf(stderr, "step %" PRIu32 " is not known\n", step->kind);
        exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: plan STATE.json\n");
        return 2;
    }
    error = polyshade_error_init();
    char *state = read_text(arguments[1]);
    polyshade_plan *plan = NULL;
    check(polyshade_plan_make(state, &plan, &error));
    free(state);

    polyshade_plan_info info = polyshade_plan_info_init();
    check(polyshade_plan_describe(plan, &info, &error));
    printf("path %" PRIu32 ", %" PRIu32 " steps\n", info.path, info.step_count);
    for (uint32_t index = 0; index < info.step_count; index++) {
        polyshade_step step = polyshade_step_init();
        check(polyshade_plan_step(plan, index, &step, &error));
        print_step(&step);
    }
    polyshade_plan_release(plan);
    return 0;
}
