/*
 * polyshade as a C library: docs/c-api.md is the guide. Written by `cargo xtask codegen`.
 *
 * Every pointer is NULL or points to what it says, for as long as the call lasts. NULL is refused by name where
 * something is needed. Text is UTF-8 and ends with a zero. No call keeps a pointer of its caller's, but for the allocator.
 */

#ifndef POLYSHADE_H
#define POLYSHADE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Does the jobs, in one workgroup.
#define POLYSHADE_COUNTER_PASS_COUNT 0

// Makes the tables of segments: as many workgroups as jobs have draws at most, by as many as there are jobs. Of more
// than 65,535 draws, rows of so many are dispatched, as the third dimension.
#define POLYSHADE_COUNTER_PASS_SEGMENTS 1

// Both for devices without addresses: a place is `(binding + 1) << 32 | offset`, of a storage buffer at one of the
// bindings 0 to 7 of set 0, each of which is bound to something. What the counter pass has is at binding 0, but for
// the states, which are at binding 1; arguments, counts, counters, indices and predicates are anywhere.
#define POLYSHADE_COUNTER_PASS_COUNT_BOUND 2

// `POLYSHADE_COUNTER_PASS_SEGMENTS` for the same.
#define POLYSHADE_COUNTER_PASS_SEGMENTS_BOUND 3

// Bytes of push constants of all: the place of the first job, and how many there are; or the place of a list, and
// `POLYSHADE_LIST_COUNT`.
#define POLYSHADE_COUNTER_PASS_PUSH_CONSTANTS 12

// Words of a job, at an address that is a multiple of 4.
#define POLYSHADE_JOB_WORDS 64

// Bytes of the state of a capture.
#define POLYSHADE_JOB_STATE_SIZE 16

// Bytes that are counted for a query: the primitives written and those needed, 8 each.
#define POLYSHADE_JOB_QUERY_SIZE 16

// Bytes of the arguments of a draw that captures.
#define POLYSHADE_JOB_COMMAND_SIZE 16

// Bytes of the work groups of a draw that is dispatched to capture.
#define POLYSHADE_JOB_GROUPS_SIZE 12

// What stands in push constants in place of a number of jobs, where the address is that of a list.
#define POLYSHADE_LIST_COUNT 4294967295

// Words of a list, at an address that is a multiple of 4.
#define POLYSHADE_LIST_WORDS 10

// Bytes into a list at which the `VkDispatchIndirectCommand` of `POLYSHADE_COUNTER_PASS_COUNT` stands.
#define POLYSHADE_LIST_COUNTER_PASS 16

// The same of `POLYSHADE_COUNTER_PASS_SEGMENTS`.
#define POLYSHADE_LIST_SEGMENTS 28

// Capture begins with the counters at `begin`; where there is none, with 0.
#define POLYSHADE_JOB_BEGINS 1

// Capture ends, and the counters are written to `end`.
#define POLYSHADE_JOB_ENDS 2

// There are draws: the members behind `query` are looked at.
#define POLYSHADE_JOB_DRAWS 4

// Conditional rendering looks at 32 bits at `predicate`.
#define POLYSHADE_JOB_PREDICATED 8

// It draws where they are 0, rather than where they are not.
#define POLYSHADE_JOB_INVERTED 16

// Indices may restart primitives: the members from `index_type` on are looked at.
#define POLYSHADE_JOB_RESTARTED 32

// The host knows the numbers: `count` to `first_instance`.
#define POLYSHADE_ARGUMENTS_DIRECT 0

// `VkDrawIndirectCommand`s at `arguments`.
#define POLYSHADE_ARGUMENTS_INDIRECT 1

// `VkDrawIndexedIndirectCommand`s there.
#define POLYSHADE_ARGUMENTS_INDEXED_INDIRECT 2

// What the counter at `arguments` exceeds `counter_offset` by, divided by `vertex_stride` and rounded down; the host
// knows the instances.
#define POLYSHADE_ARGUMENTS_BYTE_COUNT 3

// `VkPrimitiveTopology`, and the line loop that only OpenGL has.
#define POLYSHADE_TOPOLOGY_POINT_LIST 0

#define POLYSHADE_TOPOLOGY_LINE_LIST 1

#define POLYSHADE_TOPOLOGY_LINE_STRIP 2

#define POLYSHADE_TOPOLOGY_TRIANGLE_LIST 3

#define POLYSHADE_TOPOLOGY_TRIANGLE_STRIP 4

#define POLYSHADE_TOPOLOGY_TRIANGLE_FAN 5

#define POLYSHADE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY 6

#define POLYSHADE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY 7

#define POLYSHADE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY 8

#define POLYSHADE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY 9

// Only plans say it: patches are not captured into storage buffers.
#define POLYSHADE_TOPOLOGY_PATCH_LIST 10

#define POLYSHADE_TOPOLOGY_LINE_LOOP 16

// The first vertex of a primitive is the provoking one, as in Vulkan.
#define POLYSHADE_PROVOKING_FIRST 0

// The last one is, as in OpenGL.
#define POLYSHADE_PROVOKING_LAST 1

// `VkIndexType`.
#define POLYSHADE_INDEX_TYPE_UINT16 0

#define POLYSHADE_INDEX_TYPE_UINT32 1

#define POLYSHADE_INDEX_TYPE_UINT8 1000265000

// The draw has indices: the members that begin with `index_` and `vertex_offset` are looked at.
#define POLYSHADE_DRAW_INDEXED 1

// Indices may restart primitives: `primitives` and the members that begin with `table_` are looked at, too.
#define POLYSHADE_DRAW_RESTARTED 2

// The feedback buffer is not bound; the other members mean nothing.
#define POLYSHADE_RANGE_UNBOUND 1

// It is done.
#define POLYSHADE_OK 0

// The words are no well-formed module.
#define POLYSHADE_ERROR_MALFORMED 1

// A limit of SPIR-V would be exceeded.
#define POLYSHADE_ERROR_LIMIT 2

// Something that was named is not there.
#define POLYSHADE_ERROR_NOT_FOUND 3

// It cannot be done, and the message says why.
#define POLYSHADE_ERROR_UNSUPPORTED 4

// The options contradict themselves or each other.
#define POLYSHADE_ERROR_OPTIONS 5

// The call itself is wrong: a pointer is NULL or not aligned, a size or number is none, a text is not UTF-8.
#define POLYSHADE_ERROR_ARGUMENT 6

// A text is not the JSON that is wanted.
#define POLYSHADE_ERROR_JSON 7

// The buffer is too small; the count says how much is needed.
#define POLYSHADE_ERROR_BUFFER 8

// A fault of polyshade's own, which went no further. Please report it.
#define POLYSHADE_ERROR_INTERNAL 9

// No word offset, no location, no index.
#define POLYSHADE_NONE 4294967295

// A stage's input.
#define POLYSHADE_CLASS_INPUT 1

// A stage's output.
#define POLYSHADE_CLASS_OUTPUT 3

// Something else: no number, vector or matrix.
#define POLYSHADE_SCALAR_OTHER 0

#define POLYSHADE_SCALAR_FLOAT 1

#define POLYSHADE_SCALAR_INT 2

#define POLYSHADE_SCALAR_UINT 3

#define POLYSHADE_SCALAR_BOOL 4

// Attachments are multisampled.
#define POLYSHADE_BLEND_MULTISAMPLED 1

// The alpha of location 0 is blended as 1.
#define POLYSHADE_BLEND_ALPHA_TO_ONE 2

// The destination is an input attachment.
#define POLYSHADE_DESTINATION_INPUT_ATTACHMENT 0

// A texture with a copy of the attachment.
#define POLYSHADE_DESTINATION_TEXTURE 1

// Read by `VK_EXT_shader_tile_image`.
#define POLYSHADE_DESTINATION_TILE_IMAGE 2

// A storage image, under an interlock.
#define POLYSHADE_DESTINATION_STORAGE_IMAGE 3

// The texture has one layer.
#define POLYSHADE_LAYER_ONE 0

// The layer that `gl_Layer` says.
#define POLYSHADE_LAYER_LAYER 1

// The layer of the view.
#define POLYSHADE_LAYER_VIEW 2

// Blended by `equations`.
#define POLYSHADE_BLENDING_EQUATIONS 0

// Blended by factors and operations.
#define POLYSHADE_BLENDING_ORDINARY 1

// Blended by a logic operation.
#define POLYSHADE_BLENDING_LOGIC 2

// Not blended.
#define POLYSHADE_BLENDING_NONE 3

// Results are clamped.
#define POLYSHADE_COLOR_CLAMPED 1

// The attachment has no alpha, whatever its format has.
#define POLYSHADE_COLOR_WITHOUT_ALPHA 2

// The classes of formats.
#define POLYSHADE_FORMAT_UNORM 0

#define POLYSHADE_FORMAT_SNORM 1

#define POLYSHADE_FORMAT_FLOAT 2

#define POLYSHADE_FORMAT_SRGB 3

#define POLYSHADE_FORMAT_UINT 4

#define POLYSHADE_FORMAT_SINT 5

// One buffer, until `gl_NextBuffer` says otherwise.
#define POLYSHADE_CAPTURE_INTERLEAVED 0

// A buffer for each varying.
#define POLYSHADE_CAPTURE_SEPARATE 1

// Direct3D's entries: `SEMANTIC0.xy`, `1:SEMANTIC0`, `$SKIP.xyz`.
#define POLYSHADE_CAPTURE_STREAM_OUTPUT 2

// What the module's own decorations say.
#define POLYSHADE_CAPTURE_DECORATED 3

// `set` is meant.
#define POLYSHADE_CAPTURE_HAS_SET 1

// `binding` is meant.
#define POLYSHADE_CAPTURE_HAS_BINDING 2

// What is named twice is captured twice.
#define POLYSHADE_CAPTURE_ALLOW_DUPLICATES 4

// The host parameters are in a uniform buffer behind the last feedback buffer.
#define POLYSHADE_CAPTURE_PARAMS_IN_UNIFORM 8

// The variant that only captures does not write `PointSize`.
#define POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE 16

// No draw has more than one instance.
#define POLYSHADE_CAPTURE_ONE_INSTANCE 32

// One word says how much fits, rather than the sizes of the ranges.
#define POLYSHADE_CAPTURE_LIMIT_IN_VERTICES 64

// Feedback buffers may be unbound.
#define POLYSHADE_CAPTURE_UNBOUND_BUFFERS 128

// Draws have indices, of any type; the shader has no attributes but such as it pulls.
#define POLYSHADE_CAPTURE_INDEXED 256

// Indices may restart primitives; implies `POLYSHADE_CAPTURE_INDEXED`.
#define POLYSHADE_CAPTURE_RESTART 512

// The variant that only captures is a compute stage, which is dispatched; the shader has no attributes but such as it
// pulls, there is no variant that does both, and `POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE` means nothing.
#define POLYSHADE_CAPTURE_COMPUTE 1024

// There are a variant that also stores all outputs, and one that reads them back.
#define POLYSHADE_CAPTURE_SPILL_OUTPUTS 2048

// The invocations of a work group of that stage, in x.
#define POLYSHADE_WORK_GROUP_SIZE 64

// Stores, and has no output; drawn as points with rasterization off. What is made where `variants` is 0.
#define POLYSHADE_VARIANT_CAPTURE_ONLY 1

// Has the outputs and stores nothing.
#define POLYSHADE_VARIANT_RASTER_ONLY 2

// Does both; for lists and strips.
#define POLYSHADE_VARIANT_BOTH 4

// Stores as the first, and all outputs; with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
#define POLYSHADE_VARIANT_SPILL_OUTPUTS 16

// Has the outputs that the variant before stored; with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
#define POLYSHADE_VARIANT_RELOAD_OUTPUTS 32

// A shader with stores and atomics of its own is refused.
#define POLYSHADE_SIDE_EFFECTS_REFUSE 0

// They stay in the pass that captures, or in the position-only variant.
#define POLYSHADE_SIDE_EFFECTS_FIRST 1

// They stay in the pass that rasterizes, or in the complement.
#define POLYSHADE_SIDE_EFFECTS_SECOND 2

// Registers become built-in arrays: `inputs`, `outputs`, `linked_inputs`, `linked_outputs`.
#define POLYSHADE_CLIP_NORMALIZE 1

// Clip planes of the host: `planes`, `words`, `vertex`.
#define POLYSHADE_CLIP_USER_PLANES 2

// Disabled planes do not clip: `enabled`, `keep_at`.
#define POLYSHADE_CLIP_MASK 3

// One array of both kinds: `clip`.
#define POLYSHADE_CLIP_COMBINE 4

// Two arrays of one: `clip`.
#define POLYSHADE_CLIP_SEPARATE 5

// Arrays become vectors: `read_at`, `location`, `clip` and `cull`.
#define POLYSHADE_CLIP_TO_REGISTERS 6

// The fragment stage discards: `location`, `clip` and `cull`. The last stage before rasterization and the fragment
// stage both need the step; the fragment stage needs `POLYSHADE_CLIP_SIGNATURE`, and only the other reads at
// `read_at`.
#define POLYSHADE_CLIP_EMULATE 7

// A geometry stage clips and culls: `keep_at`, `read_at`, `clip` and `cull`, `flat`, `no_perspective`, `provoking`,
// and where one is generated `primitive` and `location`. That stage is the second output.
#define POLYSHADE_CLIP_IN_GEOMETRY 8

// `UserSemantic` decorations do not count.
#define POLYSHADE_CLIP_WITHOUT_SEMANTICS 1

// `linked_inputs` is set.
#define POLYSHADE_CLIP_LINKED_INPUTS 2

// `linked_outputs` is set.
#define POLYSHADE_CLIP_LINKED_OUTPUTS 4

// `clip` and `cull` are the numbers of distances of the signature.
#define POLYSHADE_CLIP_SIGNATURE 8

// `read_at` is set.
#define POLYSHADE_CLIP_READ_AT 16

// `keep_at` is set.
#define POLYSHADE_CLIP_KEEP_AT 32

// `vertex` is set.
#define POLYSHADE_CLIP_VERTEX 64

// The device has clip distances, and lacks cull distances only.
#define POLYSHADE_CLIP_NATIVE_CLIP 128

// `primitive` is set: a geometry stage is generated.
#define POLYSHADE_CLIP_GENERATE 256

// The primitives that are drawn.
#define POLYSHADE_PRIMITIVE_POINTS 0

#define POLYSHADE_PRIMITIVE_LINES 1

#define POLYSHADE_PRIMITIVE_TRIANGLES 2

// JSON of any of the other kinds: `polyshade_json_options`.
#define POLYSHADE_OPTIONS_JSON 2147483648

// Capture into storage buffers: `polyshade_capture_options`.
#define POLYSHADE_OPTIONS_CAPTURE_STORAGE 1

// Capture by `VK_EXT_transform_feedback`: `polyshade_capture_options`.
#define POLYSHADE_OPTIONS_CAPTURE_EXTENSION 2

// Vertex pulling: `polyshade_vertex_pulling_options`.
#define POLYSHADE_OPTIONS_VERTEX_PULLING 3

// Position-only variants: `polyshade_position_only_options`.
#define POLYSHADE_OPTIONS_POSITION_ONLY 4

// Depth range, Y and rotation: `polyshade_clip_space_options`.
#define POLYSHADE_OPTIONS_CLIP_SPACE 5

// Rasterizer discard: `polyshade_rasterizer_discard_options`.
#define POLYSHADE_OPTIONS_RASTERIZER_DISCARD 6

// Blending in the shader: `polyshade_blend_options`.
#define POLYSHADE_OPTIONS_ADVANCED_BLEND 7

// Clip and cull distances: `polyshade_clip_options`.
#define POLYSHADE_OPTIONS_CLIP_CULL 8

// Several lowerings of a pipeline; JSON as `polyshade pipeline` takes it.
#define POLYSHADE_OPTIONS_RECIPE 9

// Outputs that are not kept stay in the interface.
#define POLYSHADE_POSITION_ONLY_KEEP_INTERFACE 1

// The position is `Invariant`.
#define POLYSHADE_POSITION_ONLY_INVARIANT 2

// Nothing that the position is computed of is contracted.
#define POLYSHADE_POSITION_ONLY_PRECISE 4

// What is captured natively is captured by the position-only variant.
#define POLYSHADE_POSITION_ONLY_CAPTURES 8

// The outputs that decide coverage.
#define POLYSHADE_POSITION_ONLY_VARIANT_POSITION_ONLY 0

// Exactly the other outputs.
#define POLYSHADE_POSITION_ONLY_VARIANT_COMPLEMENT 1

// All outputs, to be drawn together with the position-only variant.
#define POLYSHADE_POSITION_ONLY_VARIANT_FULL 2

// `set` is meant.
#define POLYSHADE_VERTEX_PULLING_HAS_SET 1

// `binding` is meant.
#define POLYSHADE_VERTEX_PULLING_HAS_BINDING 2

// Out of bounds is as `robustBufferAccess` has it, rather than `robustBufferAccess2`.
#define POLYSHADE_VERTEX_PULLING_ROBUST_ACCESS 4

// Attributes may reach beyond the stride of their buffer.
#define POLYSHADE_VERTEX_PULLING_BEYOND_STRIDE 8

// The shader finds the first instance by `BaseInstance`, and not by a host parameter.
#define POLYSHADE_VERTEX_PULLING_BASE_INSTANCE 16

// Vertices step through the buffer.
#define POLYSHADE_RATE_VERTEX 0

// Instances do.
#define POLYSHADE_RATE_INSTANCE 1

// The stage: `VkShaderStageFlagBits`.
#define POLYSHADE_STAGE_VERTEX 1

#define POLYSHADE_STAGE_TESSELLATION_CONTROL 2

#define POLYSHADE_STAGE_TESSELLATION_EVALUATION 4

#define POLYSHADE_STAGE_GEOMETRY 8

#define POLYSHADE_STAGE_FRAGMENT 16

#define POLYSHADE_STAGE_COMPUTE 32

#define POLYSHADE_STAGE_TASK 64

#define POLYSHADE_STAGE_MESH 128

// The lowering chooses a place, or there is none.
#define POLYSHADE_SOURCE_NONE 0

// In a storage buffer at `set` and `binding`.
#define POLYSHADE_SOURCE_STORAGE_BUFFER 1

// In a uniform buffer at `set` and `binding`.
#define POLYSHADE_SOURCE_UNIFORM 2

// In push constants from byte `number` on.
#define POLYSHADE_SOURCE_PUSH_CONSTANT 3

// In specialization constants from id `number` on.
#define POLYSHADE_SOURCE_SPECIALIZATION 4

// In memory whose address is in a uniform buffer at `set` and `binding`.
#define POLYSHADE_SOURCE_ADDRESS_IN_UNIFORM 5

// In memory whose address is in push constants from byte `number` on.
#define POLYSHADE_SOURCE_ADDRESS_IN_PUSH_CONSTANT 6

// In memory whose address is in two specialization constants from id `number` on.
#define POLYSHADE_SOURCE_ADDRESS_IN_SPECIALIZATION 7

// In memory whose address is in the vertex attribute at location `number`, of two unsigned integers of 32 bits, the
// lower half first, whose vertex buffer has a stride of 0.
#define POLYSHADE_SOURCE_ADDRESS_IN_ATTRIBUTE 8

// What is bound: `VkDescriptorType`.
#define POLYSHADE_DESCRIPTOR_SAMPLED_IMAGE 2

#define POLYSHADE_DESCRIPTOR_STORAGE_IMAGE 3

#define POLYSHADE_DESCRIPTOR_UNIFORM_BUFFER 6

#define POLYSHADE_DESCRIPTOR_STORAGE_BUFFER 7

#define POLYSHADE_DESCRIPTOR_INPUT_ATTACHMENT 10

// Nothing is captured.
#define POLYSHADE_PATH_NONE 0

// `VK_EXT_transform_feedback` captures.
#define POLYSHADE_PATH_EXTENSION 1

// Variants that store capture.
#define POLYSHADE_PATH_STORAGE 2

// A compute stage captures.
#define POLYSHADE_PATH_COMPUTE 3

// A pass begins: `pass`.
#define POLYSHADE_STEP_BEGIN_PASS 1

// The pass ends, whose attachments `pass` says; they are stored where a later pass loads them.
#define POLYSHADE_STEP_END_PASS 2

// `barriers`, all in one command.
#define POLYSHADE_STEP_BARRIERS 3

// The device begins to count: `query`.
#define POLYSHADE_STEP_BEGIN_QUERY 4

// The device ends counting: `query`.
#define POLYSHADE_STEP_END_QUERY 5

// The host adds what it computes for the draw to the result of `query`.
#define POLYSHADE_STEP_COUNT 6

// `pipeline` is bound.
#define POLYSHADE_STEP_BIND_PIPELINE 7

// A feedback buffer is bound as a storage buffer: `storage`.
#define POLYSHADE_STEP_BIND_STORAGE 8

// The index buffer is bound as a storage buffer at the set and binding of `storage`, from a multiple of the device's
// alignment on: the host parameter `index_offset` is the distance from there to index 0.
#define POLYSHADE_STEP_BIND_INDICES 9

// The table that `polyshade_segments_find` makes is bound as a storage buffer, at the set and binding of `storage`.
#define POLYSHADE_STEP_BIND_SEGMENTS 10

// `ranges` are bound as feedback buffers from number 0 on.
#define POLYSHADE_STEP_BIND_FEEDBACK 11

// The host fills in `words`.
#define POLYSHADE_STEP_FILL_IN 12

// Capture begins with `counters`: `vkCmdBeginTransformFeedbackEXT`, from counter buffer 0 on.
#define POLYSHADE_STEP_BEGIN_FEEDBACK 13

// Capture ends, and `counters` are saved: `vkCmdEndTransformFeedbackEXT`.
#define POLYSHADE_STEP_END_FEEDBACK 14

// The draw: `draw`.
#define POLYSHADE_STEP_DRAW 15

// The host advances its counters (`polyshade_layout_advance`) and saves them to `counters`.
#define POLYSHADE_STEP_ADVANCE 16

// The host's counters are written to the application's buffers, at `counters`.
#define POLYSHADE_STEP_WRITE_COUNTERS 17

// `POLYSHADE_COUNTER_PASS_SEGMENTS` is dispatched.
#define POLYSHADE_STEP_FIND_SEGMENTS 18

// `POLYSHADE_COUNTER_PASS_COUNT` is dispatched, for a job of `counter_pass`.
#define POLYSHADE_STEP_COUNTER_PASS 19

// The compute stage that captures is bound, outside of passes; where the API has passes of dispatches, in one.
#define POLYSHADE_STEP_BIND_COMPUTE 20

// A dispatch captures, of the work groups that `polyshade_layout_work_groups` says of the draw, whose vertices are
// those of `draw`, or of those that the counter pass has written; then the pass of dispatches ends, where there are
// such.
#define POLYSHADE_STEP_DISPATCH 21

// The buffer for outputs is bound as a storage buffer, at `storage.set` and `storage.binding`: memory
// of the host's, of `polyshade_layout_outputs_size` bytes, the same one wherever the plan binds it.
#define POLYSHADE_STEP_BIND_OUTPUTS 22

// The next steps are recorded before the application's pass, which cannot end, after the steps of earlier draws
// there.
#define POLYSHADE_STEP_RECORD_BEFORE_PASS 23

// The next steps are recorded in the pass, where a plan begins.
#define POLYSHADE_STEP_RECORD_IN_PASS 24

// The next steps are recorded after the pass.
#define POLYSHADE_STEP_RECORD_AFTER_PASS 25

// The application's.
#define POLYSHADE_ATTACHMENTS_APPLICATION 0

#define POLYSHADE_ATTACHMENTS_NONE 1

// One colour attachment of one pixel, to which nothing is drawn.
#define POLYSHADE_ATTACHMENTS_DUMMY 2

// As the application asks for it.
#define POLYSHADE_CONTENTS_AS_ASKED 0

// Loaded: a pass that was ended goes on.
#define POLYSHADE_CONTENTS_LOAD 1

#define POLYSHADE_CONTENTS_DONT_CARE 2

// `vkCmdBeginRenderPass`
#define POLYSHADE_SCOPE_RENDER_PASS 0

// `vkCmdBeginRendering`
#define POLYSHADE_SCOPE_RENDERING 1

// A render command encoder of Metal.
#define POLYSHADE_SCOPE_ENCODER 2

// A render pass encoder of WebGPU.
#define POLYSHADE_SCOPE_PASS_ENCODER 3

// Primitives written and needed by the capture of a stream.
#define POLYSHADE_QUERY_STREAM 1

// Primitives emitted to a stream, captured or not.
#define POLYSHADE_QUERY_PRIMITIVES_GENERATED 2

// The shader as it is.
#define POLYSHADE_BOUND_ORIGINAL 0

// The variants that store: the numbers of `POLYSHADE_VARIANT_…`.
#define POLYSHADE_BOUND_CAPTURE_ONLY 1

#define POLYSHADE_BOUND_RASTER_ONLY 2

#define POLYSHADE_BOUND_BOTH 4

// The variant that only captures, and stores all outputs.
#define POLYSHADE_BOUND_SPILL_OUTPUTS 16

// The variant that reads back the outputs that the one before stored.
#define POLYSHADE_BOUND_RELOAD_OUTPUTS 32

// The variant that is decorated for `VK_EXT_transform_feedback`.
#define POLYSHADE_BOUND_EXTENSION 8

// Of the topology that the draw has.
#define POLYSHADE_ASSEMBLY_AS_DRAWN 0

// As points, whatever is captured.
#define POLYSHADE_ASSEMBLY_POINTS 1

// Of another topology that the API has, by indices that the host makes.
#define POLYSHADE_ASSEMBLY_REWRITTEN 2

// The draw's vertices and instances.
#define POLYSHADE_CALL_VERTICES 0

// As the application asks for it, with its indices, its arguments, or both.
#define POLYSHADE_CALL_INDEXED 1

#define POLYSHADE_CALL_INDIRECT 2

#define POLYSHADE_CALL_INDEXED_INDIRECT 3

// As many points as the draw has indices, from `firstIndex` on, without the index buffer.
#define POLYSHADE_CALL_OVER_INDICES 4

// With the `VkDrawIndirectCommand`s that the counter pass has written, or with its `VkDispatchIndirectCommand`s where
// a dispatch captures, one for each draw of a multi-draw, whose words are bound before.
#define POLYSHADE_CALL_FROM_COUNTER_PASS 5

// With indices of the host's, which put the primitives together.
#define POLYSHADE_CALL_REWRITTEN 6

// `vkCmdDrawIndirectByteCountEXT`
#define POLYSHADE_CALL_BYTE_COUNT 7

// The draw's instances, and as many vertices as the host computes.
#define POLYSHADE_CALL_COUNTED_BY_HOST 8

// What feedback buffers hold.
#define POLYSHADE_RESOURCE_CAPTURED 1

// The counters of all feedback buffers.
#define POLYSHADE_RESOURCE_COUNTERS 2

// The counter that a draw takes its number of vertices from.
#define POLYSHADE_RESOURCE_COUNT 3

// The attachments of the pass that was ended.
#define POLYSHADE_RESOURCE_ATTACHMENTS 4

// Arguments, indices and attributes of a draw.
#define POLYSHADE_RESOURCE_INPUTS 5

// The memory of the counter pass.
#define POLYSHADE_RESOURCE_DEVICE_COUNTERS 6

// The outputs of vertices, where one pass stores them and the next reads them.
#define POLYSHADE_RESOURCE_OUTPUTS 7

// It is `number`.
#define POLYSHADE_PARAM_CONSTANT 0

// `firstVertex`, or `firstIndex`
#define POLYSHADE_PARAM_FIRST_VERTEX 1

// `vertexCount`, or `indexCount`
#define POLYSHADE_PARAM_VERTEX_COUNT 2

// `firstInstance`
#define POLYSHADE_PARAM_FIRST_INSTANCE 3

// The corners of all primitives of an instance.
#define POLYSHADE_PARAM_SLOTS 4

// The corners of all primitives that fit into every range.
#define POLYSHADE_PARAM_LIMIT 5

// Where the draw begins in feedback buffer `number`: its range's offset and what of it is filled.
#define POLYSHADE_PARAM_START 6

// The lower half of the address of byte `offset` of the memory to which feedback buffer `number` is bound, and the
// upper.
#define POLYSHADE_PARAM_ADDRESS_LOW 7

#define POLYSHADE_PARAM_ADDRESS_HIGH 8

// What the host keeps of the counter at byte `offset` of buffer `number`.
#define POLYSHADE_PARAM_COUNTER 9

// Where the draw before has left feedback buffer `number`.
#define POLYSHADE_PARAM_RUNNING 10

// What of feedback buffer `number` is filled, which the device alone knows.
#define POLYSHADE_PARAM_DEVICE_COUNTER 11

// How wide indices are: 0, 1 or 2 for 8, 16 or 32 bits.
#define POLYSHADE_PARAM_INDEX_TYPE 12

// `vertexOffset`
#define POLYSHADE_PARAM_VERTEX_OFFSET 13

// The number of the draw in a multi-draw.
#define POLYSHADE_PARAM_DRAW_INDEX 14

// The distance from the start of what is bound to index 0.
#define POLYSHADE_PARAM_INDEX_OFFSET 15

// The bytes of the index buffer from index 0 on.
#define POLYSHADE_PARAM_INDEX_SIZE 16

// The lower half of the address of index 0, and the upper.
#define POLYSHADE_PARAM_INDEX_ADDRESS_LOW 17

#define POLYSHADE_PARAM_INDEX_ADDRESS_HIGH 18

// The lower half of the address of the table of segments, and the upper.
#define POLYSHADE_PARAM_TABLE_ADDRESS_LOW 19

#define POLYSHADE_PARAM_TABLE_ADDRESS_HIGH 20

// The bytes of the table.
#define POLYSHADE_PARAM_TABLE_SIZE 21

// The draw's `instanceCount`.
#define POLYSHADE_PARAM_INSTANCE_COUNT 22

// No order between draws is needed.
#define POLYSHADE_ORDERING_NONE 0

// Accesses of attachments in the order of rasterization, or a barrier between draws that overlap.
#define POLYSHADE_ORDERING_ATTACHMENT_ACCESS 1

// Coherent reads of tile images.
#define POLYSHADE_ORDERING_TILE_IMAGE 2

// By the interlock in the shader.
#define POLYSHADE_ORDERING_INTERLOCK 3

// A copy of the attachment before each draw that overlaps an earlier one.
#define POLYSHADE_ORDERING_COPY 4

// A feedback buffer: `number` is which.
#define POLYSHADE_PURPOSE_FEEDBACK 1

// A vertex buffer: `number` is which.
#define POLYSHADE_PURPOSE_VERTEX_BUFFER 2

// Host parameters.
#define POLYSHADE_PURPOSE_HOST_PARAMS 3

// What is blended with: `number` is the location, `index` the input attachment's index.
#define POLYSHADE_PURPOSE_DESTINATION 4

// The index buffer.
#define POLYSHADE_PURPOSE_INDICES 5

// The table that `polyshade_segments_find` makes.
#define POLYSHADE_PURPOSE_SEGMENTS 6

// The outputs of vertices, for a second pass: `polyshade_layout_outputs_size` bytes.
#define POLYSHADE_PURPOSE_OUTPUTS 7

// An extension.
#define POLYSHADE_NEED_EXTENSION 1

// A feature.
#define POLYSHADE_NEED_FEATURE 2

// A limit, of at least `at_least`.
#define POLYSHADE_NEED_LIMIT 3

// What is added gets no names.
#define POLYSHADE_TARGET_WITHOUT_NAMES 1

// The version of the header. The major one grows where a program has to be compiled anew.
#define POLYSHADE_VERSION_MAJOR 0

// Grows where something is added.
#define POLYSHADE_VERSION_MINOR 1

// Grows where nothing is.
#define POLYSHADE_VERSION_PATCH 0

// What is captured where. It never changes, and any number of threads may use it at once.
typedef struct polyshade_layout polyshade_layout;

// A SPIR-V module. It never changes, and any number of threads may use it at once.
typedef struct polyshade_module polyshade_module;

// What to draw, bind and wait for. It never changes, and any number of threads may use it at once.
typedef struct polyshade_plan polyshade_plan;

// What came of a lowering: one output or several. It never changes, and any number of threads may use it at once.
typedef struct polyshade_result polyshade_result;

// What a call answers: `POLYSHADE_OK`, or one of the numbers behind it.
typedef int32_t polyshade_status;

// Where the library's memory comes from.
typedef struct polyshade_allocator {
    // `sizeof(polyshade_allocator)`
    uint32_t size;
    // 0
    uint32_t flags;
    // What the functions are called with.
    void *user_data;
    // Gives `size` bytes, more than none, at a multiple of `alignment`, a power of two. It may be called by several
    // threads at once. It must not give NULL, which ends the process, must not come back by `longjmp` or an exception,
    // and must not call the library.
    void *(*allocate)(void *user_data, size_t size, size_t alignment);
    // Frees what `allocate` gave, with the numbers that it was asked with.
    void (*free)(void *user_data, void *memory, size_t size, size_t alignment);
} polyshade_allocator;

// What went wrong with one call. It is the caller's memory: nothing has to be freed.
typedef struct polyshade_error {
    // `sizeof(polyshade_error)`
    uint32_t size;
    // What the call answered.
    polyshade_status status;
    // Where in the module, in words, or `POLYSHADE_NONE`.
    uint32_t word_offset;
    // The SPIR-V id that it is about, or 0.
    uint32_t id;
    // The length of the whole message, also where `message` has no room for it.
    uint32_t message_length;
    // The length of all that could be done about it, 0 where nothing is known.
    uint32_t help_length;
    // The fact, without the place, in lower case.
    char message[512];
    // What to do about it.
    char help[256];
    // The code of the error, such as `capture.duplicate-varying`, which no version changes: docs/errors.md lists all.
    // Empty where the call was made.
    char code[64];
} polyshade_error;

// What is done for a capture: it begins, draws, ends. Places are addresses (`VkDeviceAddress`), multiples of 4, of
// memory that the host owns, or those of `POLYSHADE_COUNTER_PASS_COUNT_BOUND`; 0 is none.
typedef struct polyshade_job {
    // `sizeof(polyshade_job)`
    uint32_t size;
    // `POLYSHADE_JOB_…`
    uint32_t flags;
    // `POLYSHADE_JOB_STATE_SIZE` bytes for a capture. A job that does not begin goes on from what the one before has
    // left there.
    uint64_t state;
    // Where the counters of the feedback buffers are.
    uint64_t begin[4];
    // Where they are written.
    uint64_t end[4];
    // `POLYSHADE_JOB_QUERY_SIZE` bytes to which is added what is counted.
    uint64_t query;
    // `POLYSHADE_TOPOLOGY_…`: the application's.
    uint32_t topology;
    // `POLYSHADE_ARGUMENTS_…`
    uint32_t arguments_kind;
    // `vertexCount`, or `indexCount`
    uint32_t count;
    // `instanceCount`
    uint32_t instance_count;
    // `firstVertex`, or `firstIndex`
    uint32_t first;
    // `vertexOffset`
    int32_t vertex_offset;
    // `firstInstance`
    uint32_t first_instance;
    // How many draws there are, at most.
    uint32_t draw_count;
    uint64_t arguments;
    // Where it stands how many draws there are, if it does.
    uint64_t count_place;
    // From the arguments of one draw to the next.
    uint32_t arguments_stride;
    uint32_t counter_offset;
    uint32_t vertex_stride;
    // How many words the variants read.
    uint32_t word_count;
    uint64_t predicate;
    // The size of each feedback range; 0 where nothing is captured or bound.
    uint32_t range_sizes[4];
    // The bytes of a vertex in it.
    uint32_t strides[4];
    // What `polyshade_counter_pass_template` gives.
    uint64_t template_;
    // Where the words go: `draw_count` blocks.
    uint64_t blocks;
    // From one block to the next.
    uint32_t block_stride;
    // `POLYSHADE_INDEX_TYPE_…`
    uint32_t index_type;
    // Where the arguments go that capture: `draw_count` of `POLYSHADE_JOB_COMMAND_SIZE` bytes.
    uint64_t commands;
    // Where index 0 is: a multiple of the size of an index.
    uint64_t indices;
    // Where the tables of segments go, one a draw.
    uint64_t tables;
    // The bytes of the index buffer from index 0 on.
    uint32_t index_size;
    // The bytes of a table: what `polyshade_counter_pass_table_size` says.
    uint32_t table_size;
    // Where the work groups go of draws that are dispatched to capture: `draw_count` of `POLYSHADE_JOB_GROUPS_SIZE`
    // bytes.
    uint64_t groups;
} polyshade_job;

// Jobs that are known later than the commands which do them: both shaders are dispatched indirectly, and the list is
// written before the commands are submitted. It never grows.
typedef struct polyshade_list {
    // Where the first job is.
    uint64_t jobs;
    // How many there are.
    uint32_t count;
    // The most draws of a job whose indices may restart primitives; 0 where there is none.
    uint32_t restarted;
} polyshade_list;

// What one word is. It never grows.
typedef struct polyshade_param_value {
    // `POLYSHADE_PARAM_…`
    uint32_t kind;
    // What the kind says.
    uint32_t number;
    // What the kind says.
    uint64_t offset;
    // Its name, as a lowering's report has it. NULL where it is what of a range is filled.
    const char *name;
} polyshade_param_value;

// How every struct of options begins. A call takes a pointer to this member.
typedef struct polyshade_options {
    // The size of the whole struct.
    uint32_t size;
    // `POLYSHADE_OPTIONS_…`: which struct it is, and which lowering it asks for.
    uint32_t kind;
} polyshade_options;

// A binding of a descriptor set. It never grows.
typedef struct polyshade_binding {
    uint32_t set;
    uint32_t binding;
} polyshade_binding;

// Numbers from `first` on, as far as `end`, which is not one of them. It never grows.
typedef struct polyshade_span {
    uint32_t first;
    uint32_t end;
} polyshade_span;

// What a device offers. `polyshade_device_defaults` fills in what every Vulkan device has; what is written here
// afterwards is meant as it is: a 0 says that there is none.
typedef struct polyshade_device {
    // `sizeof(polyshade_device)`
    uint32_t size;
    // `maxVertexOutputComponents` and its like.
    uint32_t output_components;
    // `maxClipDistances`
    uint32_t max_clip_distances;
    // `maxCullDistances`
    uint32_t max_cull_distances;
    // `maxCombinedClipAndCullDistances`
    uint32_t max_combined_distances;
    // `maxGeometryOutputVertices`
    uint32_t max_geometry_vertices;
    // `maxGeometryOutputComponents`
    uint32_t max_geometry_components;
    // `maxGeometryTotalOutputComponents`
    uint32_t max_geometry_total;
    // Whether there is `VK_EXT_transform_feedback`; what follows is its limits.
    uint32_t has_transform_feedback;
    // `maxTransformFeedbackStreams`
    uint32_t max_streams;
    // `maxTransformFeedbackBuffers`
    uint32_t max_buffers;
    // `maxTransformFeedbackStreamDataSize`
    uint32_t max_stream_data;
    // `maxTransformFeedbackBufferDataSize`
    uint32_t max_buffer_data;
    // `maxTransformFeedbackBufferDataStride`
    uint32_t max_stride;
    // `maxTransformFeedbackBufferSize`
    uint64_t max_buffer_size;
    // `transformFeedbackQueries`
    uint32_t has_queries;
    // `transformFeedbackDraw`
    uint32_t has_draw;
    // `geometryStreams`
    uint32_t has_geometry_streams;
    // `transformFeedbackStreamsLinesTriangles`
    uint32_t has_streams_lines_triangles;
} polyshade_device;

// Which entry point is lowered, what has to stay free, and for what device. All zeros but `size` is the entry point
// `main` of the only stage that has it, with nothing reserved, for any Vulkan device.
typedef struct polyshade_target {
    // `sizeof(polyshade_target)`
    uint32_t size;
    // `POLYSHADE_TARGET_…`
    uint32_t flags;
    // The entry point; NULL is `main`.
    const char *entry;
    // `POLYSHADE_STAGE_…`; 0 is the only stage that has the entry point.
    uint32_t stage;
    // Ids below this one are not used for what is added.
    uint32_t ids_below;
    // Descriptor sets that stay free.
    const uint32_t *sets;
    size_t set_count;
    // Bindings that stay free.
    const struct polyshade_binding *bindings;
    size_t binding_count;
    // Locations that stay free.
    const uint32_t *locations;
    size_t location_count;
    // Ids of specialization constants that stay free.
    const uint32_t *constants;
    size_t constant_count;
    // Bytes of the push constants that stay free.
    const struct polyshade_span *push_constants;
    size_t push_constant_count;
    // NULL is what every Vulkan device offers.
    const struct polyshade_device *device;
} polyshade_target;

// What a layout is like.
typedef struct polyshade_layout_info {
    // `sizeof(polyshade_layout_info)`
    uint32_t size;
    // How many feedback buffers there are.
    uint32_t buffer_count;
    // The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`.
    uint32_t topologies;
    // Whether buffers may be unbound.
    uint32_t takes_unbound;
} polyshade_layout_info;

// What one feedback buffer holds for each vertex.
typedef struct polyshade_buffer_layout {
    // `sizeof(polyshade_buffer_layout)`
    uint32_t size;
    // Bytes from one vertex to the next.
    uint32_t stride;
    // Bytes of a vertex that are stored or lie before what is: 0 where nothing is.
    uint32_t data;
    // How many varyings are stored.
    uint32_t captured_count;
} polyshade_buffer_layout;

// One captured varying.
typedef struct polyshade_captured {
    // `sizeof(polyshade_captured)`
    uint32_t size;
    // Bytes from the start of the vertex.
    uint32_t offset;
    // How many 32-bit components; one of 64 bits counts as two.
    uint32_t components;
    // 0
    uint32_t reserved;
    // What it was asked for by. It lives as long as the layout.
    const char *name;
} polyshade_captured;

// A draw, as the application asks for it.
typedef struct polyshade_draw {
    // `sizeof(polyshade_draw)`
    uint32_t size;
    // `POLYSHADE_TOPOLOGY_…`
    uint32_t topology;
    // `POLYSHADE_PROVOKING_…`
    uint32_t provoking_vertex;
    // `firstVertex`; of a draw with indices, `firstIndex`
    uint32_t first_vertex;
    // `vertexCount`; of a draw with indices, `indexCount`
    uint32_t vertex_count;
    // `firstInstance`
    uint32_t first_instance;
    // `instanceCount`
    uint32_t instance_count;
    // `POLYSHADE_DRAW_…`
    uint32_t flags;
    // The address of the index buffer, where the shader finds it by that.
    uint64_t index_address;
    // The address of the table that `polyshade_segments_find` makes, where the shader finds it by that.
    uint64_t table_address;
    // Where index 0 is in what the descriptor binds, or from the address on: a multiple of the size of an index.
    uint32_t index_offset;
    // Bytes of the index buffer from there on. Indices behind are 0.
    uint32_t index_size;
    // `POLYSHADE_INDEX_TYPE_…`
    uint32_t index_type;
    // `vertexOffset`
    int32_t vertex_offset;
    // What the shader reads as `gl_DrawID`, if it does.
    uint32_t draw_index;
    // The primitives of an instance, as `polyshade_segments_find` says.
    uint32_t primitives;
    // Bytes of the table.
    uint32_t table_size;
    // 0
    uint32_t reserved;
} polyshade_draw;

// The range of a feedback buffer that is captured into, in bytes. It never grows.
typedef struct polyshade_range {
    // The address of the buffer, where the shader finds it by that.
    uint64_t address;
    // Where the range begins in what the descriptor binds, or from the address on.
    uint32_t offset;
    // How long it is.
    uint32_t length;
    // How much of it draws before have filled: the counter.
    uint32_t reached;
    // `POLYSHADE_RANGE_…`
    uint32_t flags;
} polyshade_range;

// A stage of a pipeline. It never grows.
typedef struct polyshade_stage {
    const struct polyshade_module *module;
    // NULL is the entry point `main`.
    const struct polyshade_target *target;
} polyshade_stage;

// What a vertex format is like.
typedef struct polyshade_vertex_format {
    // `sizeof(polyshade_vertex_format)`
    uint32_t size;
    // Bytes of an element.
    uint32_t bytes;
    // Elements lie at multiples of so many bytes.
    uint32_t alignment;
    // The words by which a host says the format.
    uint32_t words[2];
} polyshade_vertex_format;

// What a plan is like.
typedef struct polyshade_plan_info {
    // `sizeof(polyshade_plan_info)`
    uint32_t size;
    // `POLYSHADE_PATH_…`
    uint32_t path;
    // Whether any corner of a primitive may be captured first, with the winding preserved.
    uint32_t any_corner_first;
    // How many steps there are: none of a plan of blending, which is JSON.
    uint32_t step_count;
} polyshade_plan_info;

// A pass. It never grows.
typedef struct polyshade_pass {
    // `POLYSHADE_ATTACHMENTS_…`
    uint32_t attachments;
    // `POLYSHADE_CONTENTS_…`: how the contents of attachments begin.
    uint32_t contents;
    // `POLYSHADE_SCOPE_…`: what begins it.
    uint32_t scope;
} polyshade_pass;

// A query. It never grows.
typedef struct polyshade_query {
    // `POLYSHADE_QUERY_…`
    uint32_t kind;
    // The vertex stream.
    uint32_t stream;
} polyshade_query;

// A pipeline. With the modules and the rest of the application's state it is all that a pipeline is made of. It never
// grows.
typedef struct polyshade_pipeline {
    // `POLYSHADE_BOUND_…`: the variant of the last stage before rasterization.
    uint32_t variant;
    // Whether its position is moved out of the clip volume.
    uint32_t is_moved_away;
    // The specialization constant that is set to 1 for that; `POLYSHADE_NONE` where the variant always does it.
    uint32_t discard_constant;
    uint32_t rasterizes;
    // `POLYSHADE_ASSEMBLY_…`
    uint32_t assembly;
    // `POLYSHADE_TOPOLOGY_…`
    uint32_t topology;
    // `POLYSHADE_PROVOKING_…`
    uint32_t provoking_vertex;
    // `POLYSHADE_ATTACHMENTS_…`: those of the pass, whose formats it is made for.
    uint32_t attachments;
} polyshade_pipeline;

// A range that is bound as a storage buffer. It never grows.
typedef struct polyshade_storage_range {
    uint32_t set;
    uint32_t binding;
    // The number of the feedback buffer.
    uint32_t buffer;
    // 0
    uint32_t reserved;
    // A multiple of the device's alignment: the host parameter `offset` is the distance from there to the feedback
    // range.
    uint64_t offset;
    // The bytes that are bound.
    uint64_t length;
} polyshade_storage_range;

// A counter in memory. It never grows.
typedef struct polyshade_counter {
    // The number that the host has given to the buffer that holds it; `POLYSHADE_NONE` where there is no counter.
    uint32_t buffer;
    // 0
    uint32_t reserved;
    // Bytes into the buffer.
    uint64_t offset;
} polyshade_counter;

// A counter that says how many vertices are drawn: what it exceeds `offset` by, divided by `stride` and rounded down.
// It never grows.
typedef struct polyshade_counted_by {
    struct polyshade_counter counter;
    uint32_t offset;
    uint32_t stride;
} polyshade_counted_by;

// A draw command. It never grows.
typedef struct polyshade_draw_call {
    // `POLYSHADE_CALL_…`
    uint32_t kind;
    // Whether `counted_by` says how many vertices there are.
    uint32_t is_counted;
    struct polyshade_counted_by counted_by;
} polyshade_draw_call;

// A barrier. It never grows.
typedef struct polyshade_barrier {
    // `POLYSHADE_RESOURCE_…`
    uint32_t resource;
    // `VkPipelineStageFlags`, as `to_stages` is.
    uint32_t from_stages;
    // `VkAccessFlags`, as `to_accesses` is.
    uint32_t from_accesses;
    uint32_t to_stages;
    uint32_t to_accesses;
} polyshade_barrier;

// A range that is bound as a feedback buffer. It never grows.
typedef struct polyshade_feedback_range {
    uint64_t offset;
    uint64_t length;
    // Whether something is bound.
    uint32_t is_bound;
    // 0
    uint32_t reserved;
} polyshade_feedback_range;

// Where the shader reads host parameters. It never grows.
typedef struct polyshade_param_source {
    // `POLYSHADE_SOURCE_…`
    uint32_t kind;
    // The descriptor set, where the kind has one.
    uint32_t set;
    // The binding, where the kind has one.
    uint32_t binding;
    // The byte of the push constants, the id of the specialization constant or the location of the attribute, where
    // the kind has one.
    uint32_t number;
} polyshade_param_source;

// A feedback range, from the start of what is bound, or from its own start where it is found by its address. It never
// grows.
typedef struct polyshade_param_range {
    uint32_t offset;
    // 0 for a buffer that captures nothing.
    uint32_t length;
    // Whether nothing is bound there; the others are 0.
    uint32_t is_unbound;
    // 0
    uint32_t reserved;
    // What of it is filled.
    struct polyshade_param_value reached;
} polyshade_param_range;

// The words of a variant, in their order, and the ranges that they come of, by the numbers of the feedback buffers:
// what `polyshade_layout_host_params` is given. It never grows.
typedef struct polyshade_param_values {
    // Where they go.
    struct polyshade_param_source place;
    uint32_t word_count;
    uint32_t range_count;
    const struct polyshade_param_value *words;
    const struct polyshade_param_range *ranges;
} polyshade_param_values;

// A dispatch of the counter pass for a draw. It never grows.
typedef struct polyshade_counter_pass {
    // Whether capture begins, with `begin_counters`.
    uint32_t begins;
    // Whether capture ends, and `end_counters` are saved.
    uint32_t ends;
    // Whether `counted_by` says how many vertices there are.
    uint32_t is_counted;
    uint32_t begin_count;
    uint32_t end_count;
    // How many `strides` there are.
    uint32_t stride_count;
    uint32_t query_count;
    // 0
    uint32_t reserved;
    struct polyshade_counted_by counted_by;
    const struct polyshade_counter *begin_counters;
    const struct polyshade_counter *end_counters;
    // What the variants read; NULL where nothing is captured.
    const struct polyshade_param_values *words;
    // The bytes of a vertex in each feedback buffer; 0 where nothing is captured or bound.
    const uint32_t *strides;
    // What counts the draw.
    const struct polyshade_query *queries;
} polyshade_counter_pass;

// A step. What its kind does not name is 0, none or NULL. What pointers lead to lives as long as the plan.
typedef struct polyshade_step {
    // `sizeof(polyshade_step)`
    uint32_t size;
    // `POLYSHADE_STEP_…`
    uint32_t kind;
    struct polyshade_pass pass;
    // How many `barriers`, `ranges` or `counters` there are.
    uint32_t count;
    struct polyshade_query query;
    struct polyshade_pipeline pipeline;
    struct polyshade_storage_range storage;
    struct polyshade_draw_call draw;
    const struct polyshade_barrier *barriers;
    const struct polyshade_feedback_range *ranges;
    // By the numbers of the feedback buffers.
    const struct polyshade_counter *counters;
    const struct polyshade_param_values *words;
    const struct polyshade_counter_pass *counter_pass;
} polyshade_step;

// What a module is like.
typedef struct polyshade_module_info {
    // `sizeof(polyshade_module_info)`
    uint32_t size;
    // The version of SPIR-V: 256 times the major one, and the minor one.
    uint32_t spirv_version;
    // All ids are below.
    uint32_t bound;
    // How many entry points there are.
    uint32_t entry_count;
} polyshade_module_info;

// An entry point.
typedef struct polyshade_entry_point {
    // `sizeof(polyshade_entry_point)`
    uint32_t size;
    // `POLYSHADE_STAGE_…`; 0 of a stage that Vulkan's graphics and compute pipelines lack.
    uint32_t stage;
    // How many interface variables, and members of blocks, there are.
    uint32_t variable_count;
    // How many varyings can be captured, or are refused by name.
    uint32_t capturable_count;
    // It lives as long as the module.
    const char *name;
} polyshade_entry_point;

// An interface variable, or a member of one that is a block.
typedef struct polyshade_variable {
    // `sizeof(polyshade_variable)`
    uint32_t size;
    // The id of the variable.
    uint32_t id;
    // The number of the member, or `POLYSHADE_NONE` of a variable as a whole.
    uint32_t member;
    // `POLYSHADE_CLASS_…`
    uint32_t storage_class;
    // `POLYSHADE_NONE` where there is none, as of built-ins.
    uint32_t location;
    // 0 unless it is decorated.
    uint32_t component;
    // SPIR-V's number, or `POLYSHADE_NONE`.
    uint32_t builtin;
    // `POLYSHADE_SCALAR_…`
    uint32_t scalar;
    // Bits of a component.
    uint32_t width;
    // Components of a vector or of a column.
    uint32_t components;
    // Columns of a matrix, or 1.
    uint32_t columns;
    // Elements of all dimensions of an array, or 0 where it is none or of a length that is not known.
    uint32_t elements;
    // The name, which may be empty. It lives as long as the module.
    const char *name;
} polyshade_variable;

// A varying that can be captured, or why not.
typedef struct polyshade_capturable {
    // `sizeof(polyshade_capturable)`
    uint32_t size;
    // How many 32-bit components it has; 0 where it is refused.
    uint32_t components;
    // By which it is asked for. It lives as long as the module.
    const char *name;
    // Why it cannot be captured, or NULL. It lives as long as the module.
    const char *refused;
} polyshade_capturable;

// What an output is like.
typedef struct polyshade_output {
    // `sizeof(polyshade_output)`
    uint32_t size;
    // `POLYSHADE_STAGE_…`
    uint32_t stage;
    // `POLYSHADE_VARIANT_…` of a capture into storage buffers, or 0.
    uint32_t variant;
    // Whether its words are others than those that were given.
    uint32_t is_changed;
    // Whether it has a capture layout.
    uint32_t has_layout;
    // The number of host parameters.
    uint32_t host_param_count;
    // How many descriptors it binds.
    uint32_t descriptor_count;
    // How many extensions, features and limits the device must have.
    uint32_t need_count;
    // `POLYSHADE_ORDERING_…`
    uint32_t ordering;
    // The location of an output that was added, or `POLYSHADE_NONE`.
    uint32_t location;
    // The bytes of the push constants that the host fills in: none where `end` is 0.
    uint32_t push_constants_first;
    uint32_t push_constants_end;
} polyshade_output;

// A word that the host fills in, 32 bits.
typedef struct polyshade_host_param {
    // `sizeof(polyshade_host_param)`
    uint32_t size;
    // Its number in the words at this place: byte `4 * number`, or the specialization constant so many ids behind.
    uint32_t number;
    // Where the words are that it is one of.
    struct polyshade_param_source place;
    // It lives as long as the result, as does the meaning.
    const char *name;
    const char *meaning;
} polyshade_host_param;

// A descriptor that the host binds.
typedef struct polyshade_descriptor {
    // `sizeof(polyshade_descriptor)`
    uint32_t size;
    uint32_t set;
    uint32_t binding;
    // `VkDescriptorType`
    uint32_t descriptor_type;
    // `POLYSHADE_STAGE_…`
    uint32_t stage;
    // `POLYSHADE_PURPOSE_…`
    uint32_t purpose;
    // What the purpose says.
    uint32_t number;
    // `POLYSHADE_NONE` where there is none.
    uint32_t index;
} polyshade_descriptor;

// Something that the device must have.
typedef struct polyshade_need {
    // `sizeof(polyshade_need)`
    uint32_t size;
    // `POLYSHADE_NEED_…`
    uint32_t kind;
    // Of a limit.
    uint32_t at_least;
    // 0
    uint32_t reserved;
    // What Vulkan calls it. It lives as long as the result.
    const char *name;
} polyshade_need;

// The value of a specialization constant. It never grows.
typedef struct polyshade_constant {
    // Its `SpecId`.
    uint32_t id;
    // 0
    uint32_t reserved;
    // Its bits.
    uint64_t bits;
} polyshade_constant;

// What to capture, and how.
typedef struct polyshade_capture_options {
    // The size, and `POLYSHADE_OPTIONS_CAPTURE_STORAGE` or `POLYSHADE_OPTIONS_CAPTURE_EXTENSION`.
    struct polyshade_options base;
    // `POLYSHADE_CAPTURE_…`, added up.
    uint32_t flags;
    // `POLYSHADE_CAPTURE_INTERLEAVED` and its like.
    uint32_t mode;
    // What is captured: OpenGL's names, `location=3.xy`, `id=20`; for a stream output its entries.
    const char *const *varyings;
    size_t varying_count;
    // The strides of a stream output's slots, in bytes.
    const uint32_t *strides;
    size_t stride_count;
    // Specialization constants that become plain constants.
    const struct polyshade_constant *constants;
    size_t constant_count;
    // The set of the feedback buffers.
    uint32_t set;
    // The binding of the first.
    uint32_t binding;
    // Where the host parameters are; `POLYSHADE_SOURCE_NONE`: in a storage buffer behind the last feedback buffer.
    struct polyshade_param_source params;
    // `POLYSHADE_SIDE_EFFECTS_…`
    uint32_t side_effects;
    // The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`; 0 is all without adjacency.
    uint32_t topologies;
    // `POLYSHADE_VARIANT_…`, added up: an output each, in this order. Only into storage buffers.
    uint32_t variants;
    // The vertex attributes that are the same for all vertices, which draws with indices may have: bits
    // `1 << location`.
    uint32_t constant_attributes;
} polyshade_capture_options;

// A vertex attribute. It never grows.
typedef struct polyshade_attribute {
    uint32_t location;
    // The number of its vertex buffer.
    uint32_t buffer;
    // In bytes; `POLYSHADE_NONE`: a host parameter.
    uint32_t offset;
    // 0
    uint32_t reserved;
    // Vulkan's name of the format, such as `VK_FORMAT_R32G32B32_SFLOAT`; NULL: host parameters.
    const char *format;
} polyshade_attribute;

// A vertex buffer. It never grows.
typedef struct polyshade_vertex_buffer {
    uint32_t number;
    // In bytes; `POLYSHADE_NONE`: a host parameter.
    uint32_t stride;
    // `POLYSHADE_RATE_…`; `POLYSHADE_NONE`: a host parameter.
    uint32_t rate;
    // How many instances read one element.
    uint32_t divisor;
} polyshade_vertex_buffer;

// Which attributes there are, and where.
typedef struct polyshade_vertex_pulling_options {
    // The size, and `POLYSHADE_OPTIONS_VERTEX_PULLING`.
    struct polyshade_options base;
    // `POLYSHADE_VERTEX_PULLING_…`, added up.
    uint32_t flags;
    // The set of the vertex buffers.
    uint32_t set;
    // The binding of the first.
    uint32_t binding;
    // 0
    uint32_t reserved;
    // Where the host parameters are; `POLYSHADE_SOURCE_NONE`: in a storage buffer behind the last vertex buffer.
    struct polyshade_param_source params;
    const struct polyshade_attribute *attributes;
    size_t attribute_count;
    const struct polyshade_vertex_buffer *buffers;
    size_t buffer_count;
} polyshade_vertex_pulling_options;

// A position-only variant, or one that is drawn together with it: all take the same other members.
typedef struct polyshade_position_only_options {
    // The size, and `POLYSHADE_OPTIONS_POSITION_ONLY`.
    struct polyshade_options base;
    // `POLYSHADE_POSITION_ONLY_VARIANT_…`
    uint32_t variant;
    // 0
    uint32_t reserved;
    // `POLYSHADE_POSITION_ONLY_…`, added up.
    uint32_t flags;
    // `POLYSHADE_SIDE_EFFECTS_…`
    uint32_t side_effects;
    // What is kept: `position`, `point-size`, `clip-distance`, …, `location=3`, or a name. None is all that the
    // rasterizer needs.
    const char *const *keep;
    size_t keep_count;
} polyshade_position_only_options;

// A value that is the same for all draws, or a host parameter. It never grows.
typedef struct polyshade_value {
    // Where the word is; `POLYSHADE_SOURCE_NONE` for a fixed value.
    struct polyshade_param_source word;
    // The fixed value.
    uint32_t fixed;
} polyshade_value;

// Depth range, Y and rotation.
typedef struct polyshade_clip_space_options {
    // The size, and `POLYSHADE_OPTIONS_CLIP_SPACE`.
    struct polyshade_options base;
    // Whether depth goes from -1 to 1.
    struct polyshade_value depth;
    // Whether Y points up.
    struct polyshade_value flip_y;
    // By how many quarters what is drawn is turned.
    struct polyshade_value rotation;
} polyshade_clip_space_options;

// Whether nothing is rasterized.
typedef struct polyshade_rasterizer_discard_options {
    // The size, and `POLYSHADE_OPTIONS_RASTERIZER_DISCARD`.
    struct polyshade_options base;
    // Whether nothing is: a fixed 1 is always.
    struct polyshade_value when;
} polyshade_rasterizer_discard_options;

// How a colour attachment is blended. It never grows.
typedef struct polyshade_color_blend {
    // The output that it is of; `POLYSHADE_NONE`: every one that is not named.
    uint32_t location;
    // `POLYSHADE_BLENDING_…`
    uint32_t blending;
    // `POLYSHADE_COLOR_…`, added up.
    uint32_t flags;
    // `VkBlendOverlapEXT`
    uint32_t overlap;
    // Whether the source is not multiplied by its alpha.
    uint32_t straight_source;
    // Whether the destination is not.
    uint32_t straight_destination;
    // `POLYSHADE_FORMAT_…`
    uint32_t format_class;
    // Bits of red, green, blue and alpha, a byte each from the lowest on; 0 where it does not matter.
    uint32_t format_bits;
    // `VkBlendOp` of each equation; none is all that there are.
    const uint32_t *equations;
    size_t equation_count;
    // `VkLogicOp`
    uint32_t logic_op;
    // As in `VkPipelineColorBlendAttachmentState`.
    uint32_t color_op;
    uint32_t source_color;
    uint32_t destination_color;
    uint32_t alpha_op;
    uint32_t source_alpha;
    uint32_t destination_alpha;
    // 0
    uint32_t reserved;
} polyshade_color_blend;

// What to blend, and where the destination is.
typedef struct polyshade_blend_options {
    // The size, and `POLYSHADE_OPTIONS_ADVANCED_BLEND`.
    struct polyshade_options base;
    // `POLYSHADE_BLEND_…`, added up.
    uint32_t flags;
    // Alpha to coverage of so many samples; 0 is none.
    uint32_t coverage_samples;
    // `POLYSHADE_DESTINATION_…`
    uint32_t destination;
    // The set, the binding and the index of the attachment at location 0, where the destination has them.
    uint32_t set;
    uint32_t binding;
    uint32_t index;
    // `POLYSHADE_LAYER_…`, of a texture.
    uint32_t layer;
    // Blend constants, where no place is said.
    float constants[4];
    // Where the blend constants are; `POLYSHADE_SOURCE_NONE`: in `constants`.
    struct polyshade_param_source constants_in;
    // Where the equation's word is, where there are several to choose from.
    struct polyshade_param_source select;
    // 0
    uint32_t reserved;
    // How attachments are blended.
    const struct polyshade_color_blend *targets;
    size_t target_count;
} polyshade_blend_options;

// A change to the distances of a stage. A step ignores the members that its constant does not name. It never grows.
typedef struct polyshade_clip_step {
    // `POLYSHADE_CLIP_NORMALIZE`, …
    uint32_t step;
    // The flags above, added up.
    uint32_t flags;
    // The numbers of clip and cull distances of the signature between two stages.
    uint32_t clip;
    uint32_t cull;
    // The first location of the distances that the stage writes as ordinary values.
    uint32_t location;
    // The first location of the distances that the stage reads as ordinary values.
    uint32_t read_at;
    // The first location at which the stage also writes its distances as they were.
    uint32_t keep_at;
    // The number of planes, at most 8.
    uint32_t planes;
    // The location of a vec4 output, in whose space the planes are.
    uint32_t vertex;
    // `POLYSHADE_PRIMITIVE_…`
    uint32_t primitive;
    // `POLYSHADE_PROVOKING_…`
    uint32_t provoking;
    // 0
    uint32_t reserved;
    // The place of the planes' floats, 16 bytes a plane.
    struct polyshade_param_source params;
    // Bit `i` enables plane `i`.
    struct polyshade_value enabled;
    // 0
    uint32_t padding;
    // Registers, as text: `clip=3`, `cull=4.xy`, `clip=3-4`.
    const char *const *inputs;
    size_t input_count;
    const char *const *outputs;
    size_t output_count;
    const char *const *linked_inputs;
    size_t linked_input_count;
    const char *const *linked_outputs;
    size_t linked_output_count;
    // Locations that the fragment stage takes from the provoking vertex.
    const uint32_t *flat;
    size_t flat_count;
    // Locations that the fragment stage interpolates linearly in screen space.
    const uint32_t *no_perspective;
    size_t no_perspective_count;
} polyshade_clip_step;

// The steps of a stage, in their order.
typedef struct polyshade_clip_options {
    // The size, and `POLYSHADE_OPTIONS_CLIP_CULL`.
    struct polyshade_options base;
    const struct polyshade_clip_step *steps;
    size_t step_count;
} polyshade_clip_options;

// Options of any kind as JSON.
typedef struct polyshade_json_options {
    // The size, and `POLYSHADE_OPTIONS_JSON`.
    struct polyshade_options base;
    // The kind that the JSON is of.
    uint32_t of;
    // 0
    uint32_t reserved;
    // What the options of that kind are, as `polyshade_options_json` writes them. What is not said is the default.
    const char *json;
} polyshade_json_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Takes all memory from the caller's functions. This must be the first call of all: afterwards it is refused with
// `POLYSHADE_ERROR_ARGUMENT`, as the library has memory of the system's. A static library that is linked with other
// Rust code shares that code's allocator, which is settled before `main`.
polyshade_status polyshade_set_allocator(const struct polyshade_allocator *allocator,
                                         struct polyshade_error *error);

// The SPIR-V of a shader (`POLYSHADE_COUNTER_PASS_…`), whose entry point is `main`; it lives for ever. `*word_count`
// says how many words there are. NULL where there is no such shader.
const uint32_t *polyshade_counter_pass_words(uint32_t shader,
                                             size_t *word_count);

// Writes the words of a job, as the shaders read them: `POLYSHADE_JOB_WORDS` of them.
polyshade_status polyshade_job_words(const struct polyshade_job *job,
                                     uint32_t *words,
                                     struct polyshade_error *error);

// Writes the words of a list, as the shaders and the dispatches read them: `POLYSHADE_LIST_WORDS` of them.
polyshade_status polyshade_list_words(const struct polyshade_list *list,
                                      uint32_t *words,
                                      struct polyshade_error *error);

// Writes the template of the words that variants read, which a job names: `words` as a plan says them, and for each of
// the `count` the value that the host knows, in `values`; what the device finds is not looked at there, a draw's
// number counts from the value on, and where capture starts from where the range begins in what is bound. Where
// `buffer` is NULL, `*word_count` becomes the number of its words; else it says how many `buffer` holds, and becomes
// how many there are.
polyshade_status polyshade_counter_pass_template(const struct polyshade_param_value *words,
                                                 const uint32_t *values,
                                                 size_t count,
                                                 uint32_t *buffer,
                                                 size_t *word_count,
                                                 struct polyshade_error *error);

// Says how many bytes the table of segments of a draw has whose index buffer has `index_size`.
polyshade_status polyshade_counter_pass_table_size(uint32_t index_type,
                                                   uint32_t index_size,
                                                   uint32_t *table_size,
                                                   struct polyshade_error *error);

// Finds where the indices of a draw restart primitives. `indices` are the bytes of the index buffer from index 0 on,
// little-endian; the draw has `index_count` of them from number `first_index` on. The words of the table go into a
// buffer that the shader reads: where `table` is NULL, `*word_count` becomes their number; else it says how many
// `table` holds, and becomes how many there are. `*primitives` becomes those of an instance.
polyshade_status polyshade_segments_find(uint32_t topology,
                                         uint32_t index_type,
                                         const uint8_t *indices,
                                         size_t byte_count,
                                         uint32_t first_index,
                                         uint32_t index_count,
                                         uint32_t *table,
                                         size_t *word_count,
                                         uint32_t *primitives,
                                         struct polyshade_error *error);

// Hashes options and a target, which may be NULL: 32 bytes. The same question hashes the same however it is put, and
// on every machine; another version of the lowering hashes otherwise. With `polyshade_module_hash` it is the key of
// a cache; for a pipeline, with those of all stages.
polyshade_status polyshade_options_hash(const struct polyshade_options *options,
                                        const struct polyshade_target *target,
                                        uint8_t *hash,
                                        struct polyshade_error *error);

// Counts one holder more, and gives the layout back. NULL stays NULL.
struct polyshade_layout *polyshade_layout_retain(struct polyshade_layout *layout);

// Counts one holder less; behind the last one the layout is freed. NULL is fine.
void polyshade_layout_release(struct polyshade_layout *layout);

// Saves a layout as bytes, for any machine and for later versions of the library. Where `buffer` is NULL,
// `*byte_count` becomes their number; else it says how many `buffer` holds, and becomes how many there are.
polyshade_status polyshade_layout_save(const struct polyshade_layout *layout,
                                       uint8_t *buffer,
                                       size_t *byte_count,
                                       struct polyshade_error *error);

// Loads what was saved. `*layout` has to be released; it is NULL where the call fails.
polyshade_status polyshade_layout_load(const uint8_t *bytes,
                                       size_t byte_count,
                                       struct polyshade_layout **layout,
                                       struct polyshade_error *error);

// Says what a layout is like.
polyshade_status polyshade_layout_describe(const struct polyshade_layout *layout,
                                           struct polyshade_layout_info *info,
                                           struct polyshade_error *error);

// Says what a feedback buffer holds.
polyshade_status polyshade_layout_buffer(const struct polyshade_layout *layout,
                                         uint32_t buffer,
                                         struct polyshade_buffer_layout *info,
                                         struct polyshade_error *error);

// Says where a varying of a feedback buffer is.
polyshade_status polyshade_layout_captured(const struct polyshade_layout *layout,
                                           uint32_t buffer,
                                           uint32_t index,
                                           struct polyshade_captured *captured,
                                           struct polyshade_error *error);

// Fills in the host parameters for a draw that captures into `ranges`, one for each feedback buffer. Where
// `buffer` is NULL, `*word_count` becomes their number; else it says how many `buffer` holds, and becomes how many
// there are.
polyshade_status polyshade_layout_host_params(const struct polyshade_layout *layout,
                                              const struct polyshade_draw *draw,
                                              const struct polyshade_range *ranges,
                                              size_t range_count,
                                              uint32_t *buffer,
                                              size_t *word_count,
                                              struct polyshade_error *error);

// Says how many work groups, in x, y and z, of `POLYSHADE_WORK_GROUP_SIZE` × 1 × 1 invocations each, the dispatch has
// that captures a draw. `POLYSHADE_ERROR_OPTIONS`: the variants are drawn, not dispatched, or the draw is none of
// those that they were made for.
polyshade_status polyshade_layout_work_groups(const struct polyshade_layout *layout,
                                              const struct polyshade_draw *draw,
                                              uint32_t (*groups)[3],
                                              struct polyshade_error *error);

// The size in bytes of the buffer for the outputs of a draw. `POLYSHADE_ERROR_OPTIONS`: the
// variants were not made with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`, or the draw is none of those that they were made for.
polyshade_status polyshade_layout_outputs_size(const struct polyshade_layout *layout,
                                               const struct polyshade_draw *draw,
                                               uint64_t *size,
                                               struct polyshade_error *error);

// Says how many primitives of a draw fit into all ranges and are stored. Either pointer may be NULL: `*generated`
// becomes how many the draw has.
polyshade_status polyshade_layout_primitives(const struct polyshade_layout *layout,
                                             const struct polyshade_draw *draw,
                                             const struct polyshade_range *ranges,
                                             size_t range_count,
                                             uint64_t *written,
                                             uint64_t *generated,
                                             struct polyshade_error *error);

// Moves the counters of `ranges`, `range_count` of them, on by what a draw stores. Where the call fails they stay.
polyshade_status polyshade_layout_advance(const struct polyshade_layout *layout,
                                          const struct polyshade_draw *draw,
                                          struct polyshade_range *ranges,
                                          size_t range_count,
                                          struct polyshade_error *error);

// Lowers one stage. `options` is the `base` of a struct of options. `*result` has to be released; it is NULL where
// the call fails. A recipe of one stage is fine.
polyshade_status polyshade_lower(const struct polyshade_module *module,
                                 const struct polyshade_target *target,
                                 const struct polyshade_options *options,
                                 struct polyshade_result **result,
                                 struct polyshade_error *error);

// Lowers the stages of a pipeline, in its order, by a recipe: an output each.
polyshade_status polyshade_lower_pipeline(const struct polyshade_stage *stages,
                                          size_t stage_count,
                                          const struct polyshade_options *options,
                                          struct polyshade_result **result,
                                          struct polyshade_error *error);

// Reads a module of `word_count` words, which are copied. Words of the other byte order are turned.
// `*module` has to be released; it is NULL where the call fails.
polyshade_status polyshade_module_parse(const uint32_t *words,
                                        size_t word_count,
                                        struct polyshade_module **module,
                                        struct polyshade_error *error);

// The same of bytes, as a file has them, at any alignment.
polyshade_status polyshade_module_parse_bytes(const uint8_t *bytes,
                                              size_t byte_count,
                                              struct polyshade_module **module,
                                              struct polyshade_error *error);

// Counts one holder more, and gives the module back. NULL stays NULL.
struct polyshade_module *polyshade_module_retain(struct polyshade_module *module);

// Counts one holder less; behind the last one the module is freed. NULL is fine.
void polyshade_module_release(struct polyshade_module *module);

// The module's words, which live as long as it does. `*word_count` says how many there are. NULL where `module` is.
const uint32_t *polyshade_module_words(const struct polyshade_module *module,
                                       size_t *word_count);

// Copies the module's words. Where `buffer` is NULL, `*word_count` becomes their number; else it says how many words
// `buffer` holds, and becomes how many there are.
polyshade_status polyshade_module_copy_words(const struct polyshade_module *module,
                                             uint32_t *buffer,
                                             size_t *word_count,
                                             struct polyshade_error *error);

// The SHA-256 of the module's words, little-endian, 32 bytes: with `polyshade_options_hash` the key of a cache.
polyshade_status polyshade_module_hash(const struct polyshade_module *module,
                                       uint8_t *hash,
                                       struct polyshade_error *error);

// The word by which a host chooses the equation of this `VkBlendOp`.
polyshade_status polyshade_blend_word(uint32_t blend_op,
                                      uint32_t *word,
                                      struct polyshade_error *error);

// Writes options, whatever struct they are in, as JSON: text that ends with a zero, which `*length` counts. Where
// `buffer` is NULL, `*length` becomes the length; else it says how much `buffer` holds, and becomes how much there
// is.
polyshade_status polyshade_options_json(const struct polyshade_options *options,
                                        char *buffer,
                                        size_t *length,
                                        struct polyshade_error *error);

// Says what the vertex format of this name is like, such as `VK_FORMAT_R8G8B8A8_UNORM`.
polyshade_status polyshade_vertex_format_info(const char *name,
                                              struct polyshade_vertex_format *format,
                                              struct polyshade_error *error);

// Plans a draw or the blending of attachments: `state` is JSON as `polyshade plan` takes it, the device in it.
// `*plan` has to be released; it is NULL where the call fails.
polyshade_status polyshade_plan_make(const char *state,
                                     struct polyshade_plan **plan,
                                     struct polyshade_error *error);

// Counts one holder more, and gives the plan back. NULL stays NULL.
struct polyshade_plan *polyshade_plan_retain(struct polyshade_plan *plan);

// Counts one holder less; behind the last one the plan is freed. NULL is fine.
void polyshade_plan_release(struct polyshade_plan *plan);

// The plan as JSON, as the program writes it; it lives as long as the plan. NULL where `plan` is.
const char *polyshade_plan_json(const struct polyshade_plan *plan);

// The plan for people; it lives as long as the plan. NULL where `plan` is.
const char *polyshade_plan_text(const struct polyshade_plan *plan);

// Says what a plan is like.
polyshade_status polyshade_plan_describe(const struct polyshade_plan *plan,
                                         struct polyshade_plan_info *info,
                                         struct polyshade_error *error);

// Says what a step is. The steps are done in their order.
polyshade_status polyshade_plan_step(const struct polyshade_plan *plan,
                                     uint32_t index,
                                     struct polyshade_step *step,
                                     struct polyshade_error *error);

// Says what a module is like.
polyshade_status polyshade_module_describe(const struct polyshade_module *module,
                                           struct polyshade_module_info *info,
                                           struct polyshade_error *error);

// Says what an entry point is like.
polyshade_status polyshade_module_entry(const struct polyshade_module *module,
                                        uint32_t index,
                                        struct polyshade_entry_point *info,
                                        struct polyshade_error *error);

// Says what a variable of an entry point's interface is like. Members of a block follow it.
polyshade_status polyshade_module_variable(const struct polyshade_module *module,
                                           uint32_t entry_index,
                                           uint32_t index,
                                           struct polyshade_variable *info,
                                           struct polyshade_error *error);

// Says what can be captured of an entry point, by name.
polyshade_status polyshade_module_capturable(const struct polyshade_module *module,
                                             uint32_t entry_index,
                                             uint32_t index,
                                             struct polyshade_capturable *info,
                                             struct polyshade_error *error);

// Counts one holder more, and gives the result back. NULL stays NULL.
struct polyshade_result *polyshade_result_retain(struct polyshade_result *result);

// Counts one holder less; behind the last one the result is freed. NULL is fine.
void polyshade_result_release(struct polyshade_result *result);

// How many outputs a result has; 0 where it is NULL.
uint32_t polyshade_result_count(const struct polyshade_result *result);

// Says what an output is like.
polyshade_status polyshade_result_output(const struct polyshade_result *result,
                                         uint32_t index,
                                         struct polyshade_output *info,
                                         struct polyshade_error *error);

// Gives the module of an output, which has to be released. It needs the result no more.
polyshade_status polyshade_result_module(const struct polyshade_result *result,
                                         uint32_t index,
                                         struct polyshade_module **module,
                                         struct polyshade_error *error);

// Gives the capture layout of an output, which has to be released. It needs the result no more.
polyshade_status polyshade_result_layout(const struct polyshade_result *result,
                                         uint32_t index,
                                         struct polyshade_layout **layout,
                                         struct polyshade_error *error);

// Copies the words of an output's module. Where `buffer` is NULL, `*word_count` becomes their number; else it says
// how many `buffer` holds, and becomes how many there are.
polyshade_status polyshade_result_copy_words(const struct polyshade_result *result,
                                             uint32_t index,
                                             uint32_t *buffer,
                                             size_t *word_count,
                                             struct polyshade_error *error);

// Says what a word is that the host fills in.
polyshade_status polyshade_result_host_param(const struct polyshade_result *result,
                                             uint32_t output_index,
                                             uint32_t index,
                                             struct polyshade_host_param *word,
                                             struct polyshade_error *error);

// Says what a descriptor is that the host binds.
polyshade_status polyshade_result_descriptor(const struct polyshade_result *result,
                                             uint32_t output_index,
                                             uint32_t index,
                                             struct polyshade_descriptor *info,
                                             struct polyshade_error *error);

// Says what an extension, feature or limit is that the device must have.
polyshade_status polyshade_result_need(const struct polyshade_result *result,
                                       uint32_t output_index,
                                       uint32_t index,
                                       struct polyshade_need *need,
                                       struct polyshade_error *error);

// Writes all that is known of an output as JSON, as the program's reports are: text that ends with a zero, which
// `*length` counts. Where `buffer` is NULL, `*length` becomes the length; else it says how much `buffer` holds, and
// becomes how much there is.
polyshade_status polyshade_result_json(const struct polyshade_result *result,
                                       uint32_t index,
                                       char *buffer,
                                       size_t *length,
                                       struct polyshade_error *error);

// Fills in what every Vulkan device offers, without transform feedback. `size` has to be set.
polyshade_status polyshade_device_defaults(struct polyshade_device *device,
                                           struct polyshade_error *error);

// The version of the library that runs: 65,536 times the major one, 256 times the minor one, and the patch.
uint32_t polyshade_version(void);

// The same as text, which is never freed.
const char *polyshade_version_text(void);

// The version of the lowering that options of this kind ask for: it grows where the lowering makes other words of the
// same module, target and options. It is part of `polyshade_options_hash`.
polyshade_status polyshade_lowering_version(uint32_t kind,
                                            uint32_t *version,
                                            struct polyshade_error *error);

/* Each gives a struct of zeros that says its size. */

static inline polyshade_allocator polyshade_allocator_init(void) {
    polyshade_allocator value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_error polyshade_error_init(void) {
    polyshade_error value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_job polyshade_job_init(void) {
    polyshade_job value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_device polyshade_device_init(void) {
    polyshade_device value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_target polyshade_target_init(void) {
    polyshade_target value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_layout_info polyshade_layout_info_init(void) {
    polyshade_layout_info value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_buffer_layout polyshade_buffer_layout_init(void) {
    polyshade_buffer_layout value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_captured polyshade_captured_init(void) {
    polyshade_captured value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_draw polyshade_draw_init(void) {
    polyshade_draw value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_vertex_format polyshade_vertex_format_init(void) {
    polyshade_vertex_format value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_plan_info polyshade_plan_info_init(void) {
    polyshade_plan_info value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_step polyshade_step_init(void) {
    polyshade_step value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_module_info polyshade_module_info_init(void) {
    polyshade_module_info value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_entry_point polyshade_entry_point_init(void) {
    polyshade_entry_point value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_variable polyshade_variable_init(void) {
    polyshade_variable value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_capturable polyshade_capturable_init(void) {
    polyshade_capturable value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_output polyshade_output_init(void) {
    polyshade_output value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_host_param polyshade_host_param_init(void) {
    polyshade_host_param value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_descriptor polyshade_descriptor_init(void) {
    polyshade_descriptor value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_need polyshade_need_init(void) {
    polyshade_need value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_capture_options polyshade_capture_options_init(uint32_t kind) {
    polyshade_capture_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = kind;
    return value;
}

static inline polyshade_vertex_pulling_options polyshade_vertex_pulling_options_init(void) {
    polyshade_vertex_pulling_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = POLYSHADE_OPTIONS_VERTEX_PULLING;
    return value;
}

static inline polyshade_position_only_options polyshade_position_only_options_init(void) {
    polyshade_position_only_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = POLYSHADE_OPTIONS_POSITION_ONLY;
    return value;
}

static inline polyshade_clip_space_options polyshade_clip_space_options_init(void) {
    polyshade_clip_space_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = POLYSHADE_OPTIONS_CLIP_SPACE;
    return value;
}

static inline polyshade_rasterizer_discard_options polyshade_rasterizer_discard_options_init(void) {
    polyshade_rasterizer_discard_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = POLYSHADE_OPTIONS_RASTERIZER_DISCARD;
    return value;
}

static inline polyshade_blend_options polyshade_blend_options_init(void) {
    polyshade_blend_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = POLYSHADE_OPTIONS_ADVANCED_BLEND;
    return value;
}

static inline polyshade_clip_options polyshade_clip_options_init(void) {
    polyshade_clip_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = POLYSHADE_OPTIONS_CLIP_CULL;
    return value;
}

static inline polyshade_json_options polyshade_json_options_init(uint32_t kind) {
    polyshade_json_options value;
    memset(&value, 0, sizeof value);
    value.base.size = (uint32_t)sizeof value;
    value.base.kind = POLYSHADE_OPTIONS_JSON;
    value.of = kind;
    return value;
}

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* POLYSHADE_H */
