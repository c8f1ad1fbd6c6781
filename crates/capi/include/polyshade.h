/*
 * polyshade as a C library: docs/c-api.md is the guide. Written by `cargo xtask codegen`.
 *
 * A pointer is NULL or valid during the call. A call that needs an object refuses NULL by name. Text is UTF-8 and
 * ends with a zero. No call keeps a pointer of its caller, except polyshade_set_allocator.
 */

#ifndef POLYSHADE_H
#define POLYSHADE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The shader that executes the jobs. Dispatch one work group.
#define POLYSHADE_COUNTER_PASS_COUNT 0

// The shader that builds the segment tables. Dispatch (the most draws of a job) × (the number of jobs) × 1 work
// groups. For more than 65,535 draws, dispatch 65,535 in x and the number of such rows in z.
#define POLYSHADE_COUNTER_PASS_SEGMENTS 1

// `POLYSHADE_COUNTER_PASS_COUNT` for devices without `bufferDeviceAddress`. A place is
// `(binding + 1) << 32 | offset`, in a storage buffer at one of the bindings 0 to 7 of set 0, all of which must be
// bound. The counter pass's memory is at binding 0, except for the capture states, which are at binding 1.
// Arguments, counts, counters, indices and predicates may be at any of them.
#define POLYSHADE_COUNTER_PASS_COUNT_BOUND 2

// `POLYSHADE_COUNTER_PASS_SEGMENTS` for such devices.
#define POLYSHADE_COUNTER_PASS_SEGMENTS_BOUND 3

// The bytes of push constants of every shader: the place of the first job (8 bytes) and the number of jobs, or the
// place of a list and `POLYSHADE_LIST_COUNT`.
#define POLYSHADE_COUNTER_PASS_PUSH_CONSTANTS 12

// The 32-bit words of a job, whose address is a multiple of 4.
#define POLYSHADE_JOB_WORDS 67

// The bytes of the state of a capture.
#define POLYSHADE_JOB_STATE_SIZE 16

// The bytes of a query result: the primitives written, then the primitives needed, 8 bytes each.
#define POLYSHADE_JOB_QUERY_SIZE 16

// The bytes from the arguments of a capturing draw (`VkDrawIndirectCommand`) to those of the next.
#define POLYSHADE_JOB_COMMAND_SIZE 20

// The bytes of the arguments of a capturing dispatch (`VkDispatchIndirectCommand`).
#define POLYSHADE_JOB_GROUPS_SIZE 12

// The value in place of the number of jobs in the push constants, if the place is that of a list.
#define POLYSHADE_LIST_COUNT 4294967295

// The 32-bit words of a list, whose address is a multiple of 4.
#define POLYSHADE_LIST_WORDS 10

// The byte offset in a list of the `VkDispatchIndirectCommand` for `POLYSHADE_COUNTER_PASS_COUNT`.
#define POLYSHADE_LIST_COUNTER_PASS 16

// The byte offset in a list of the `VkDispatchIndirectCommand` for `POLYSHADE_COUNTER_PASS_SEGMENTS`.
#define POLYSHADE_LIST_SEGMENTS 28

// The capture begins with the counters at `begin`, or with 0 where the place is 0.
#define POLYSHADE_JOB_BEGINS 1

// The capture ends, and the counters are written to `end`.
#define POLYSHADE_JOB_ENDS 2

// The job has draws: the members after `query` are read.
#define POLYSHADE_JOB_DRAWS 4

// Conditional rendering depends on the 32-bit value at `predicate`.
#define POLYSHADE_JOB_PREDICATED 8

// Conditional rendering draws if the value is 0, not if it is other than 0.
#define POLYSHADE_JOB_INVERTED 16

// Indices may restart primitives: `index_type`, `indices`, `index_size`, `tables` and `table_size` are read.
#define POLYSHADE_JOB_RESTARTED 32

// The host knows the arguments: `count` to `first_instance`.
#define POLYSHADE_ARGUMENTS_DIRECT 0

// `VkDrawIndirectCommand`s at `arguments`.
#define POLYSHADE_ARGUMENTS_INDIRECT 1

// `VkDrawIndexedIndirectCommand`s at `arguments`.
#define POLYSHADE_ARGUMENTS_INDEXED_INDIRECT 2

// The vertex count is (the counter at `arguments` - `counter_offset`) / `vertex_stride`, rounded down. The host
// gives `instance_count` and `first_instance`.
#define POLYSHADE_ARGUMENTS_BYTE_COUNT 3

// `VkPrimitiveTopology`, and the line loop of OpenGL.
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

// Occurs only in plans: patches cannot be captured into storage buffers.
#define POLYSHADE_TOPOLOGY_PATCH_LIST 10

#define POLYSHADE_TOPOLOGY_LINE_LOOP 16

// The first vertex of a primitive is the provoking vertex, as in Vulkan.
#define POLYSHADE_PROVOKING_FIRST 0

// The last vertex of a primitive is the provoking vertex, as in OpenGL.
#define POLYSHADE_PROVOKING_LAST 1

// `VkIndexType`.
#define POLYSHADE_INDEX_TYPE_UINT16 0

#define POLYSHADE_INDEX_TYPE_UINT32 1

#define POLYSHADE_INDEX_TYPE_UINT8 1000265000

// The draw has indices: `vertex_offset` and the members whose names begin with `index_` are read.
#define POLYSHADE_DRAW_INDEXED 1

// Indices may restart primitives: `primitives` and the members whose names begin with `table_` are read, too.
#define POLYSHADE_DRAW_RESTARTED 2

// The feedback buffer is not bound; the other members are ignored.
#define POLYSHADE_RANGE_UNBOUND 1

// The offset in the table of counts of the numbers of primitives that a geometry stage has emitted: four 32-bit
// integers, one for each vertex stream. A `VkDrawIndirectCommand` is at the start of the table.
#define POLYSHADE_COUNTS_EMITTED_OFFSET 16

// The offset in the table of tessellation of the `VkDispatchIndirectCommand` of a compute stage with one invocation
// for each index. A `VkDrawIndexedIndirectCommand` is at the start of the table.
#define POLYSHADE_TESSELLATION_DISPATCH_OFFSET 20

// The offset in the table of tessellation of the numbers of points and of indices that the draw needs: two 32-bit
// integers, 2^32 - 1 at most.
#define POLYSHADE_TESSELLATION_NEEDED_OFFSET 36

// The call succeeded.
#define POLYSHADE_OK 0

// The words are not a well-formed module.
#define POLYSHADE_ERROR_MALFORMED 1

// A limit of SPIR-V would be exceeded.
#define POLYSHADE_ERROR_LIMIT 2

// The call names an object that does not exist.
#define POLYSHADE_ERROR_NOT_FOUND 3

// The request is valid but not supported; the message gives the reason.
#define POLYSHADE_ERROR_UNSUPPORTED 4

// The options contradict themselves or each other.
#define POLYSHADE_ERROR_OPTIONS 5

// An argument is invalid: a NULL or unaligned pointer, a size or number out of range, or text that is not UTF-8.
#define POLYSHADE_ERROR_ARGUMENT 6

// A text is not valid JSON of the expected form.
#define POLYSHADE_ERROR_JSON 7

// The buffer is too small; the count has the required size.
#define POLYSHADE_ERROR_BUFFER 8

// polyshade itself failed. The process can continue; please report the call.
#define POLYSHADE_ERROR_INTERNAL 9

// No value: for word offsets, locations, indices and so on.
#define POLYSHADE_NONE 4294967295

// An input of the stage.
#define POLYSHADE_CLASS_INPUT 1

// An output of the stage.
#define POLYSHADE_CLASS_OUTPUT 3

// A type other than numbers and booleans, such as a structure.
#define POLYSHADE_SCALAR_OTHER 0

#define POLYSHADE_SCALAR_FLOAT 1

#define POLYSHADE_SCALAR_INT 2

#define POLYSHADE_SCALAR_UINT 3

#define POLYSHADE_SCALAR_BOOL 4

// The attachments are multisampled.
#define POLYSHADE_BLEND_MULTISAMPLED 1

// The source alpha at location 0 is blended as 1.
#define POLYSHADE_BLEND_ALPHA_TO_ONE 2

// The destination is an input attachment.
#define POLYSHADE_DESTINATION_INPUT_ATTACHMENT 0

// The destination is a sampled texture that holds a copy of the attachment.
#define POLYSHADE_DESTINATION_TEXTURE 1

// The destination is a tile image of `VK_EXT_shader_tile_image`.
#define POLYSHADE_DESTINATION_TILE_IMAGE 2

// The destination is a storage image, under fragment shader interlock.
#define POLYSHADE_DESTINATION_STORAGE_IMAGE 3

// The texture has one layer.
#define POLYSHADE_LAYER_ONE 0

// The texture has layers, indexed by `gl_Layer`.
#define POLYSHADE_LAYER_LAYER 1

// The texture has layers, indexed by `gl_ViewIndex`.
#define POLYSHADE_LAYER_VIEW 2

// Blends with the advanced `equations`.
#define POLYSHADE_BLENDING_EQUATIONS 0

// Blends with the blend factors and operations of the fixed function.
#define POLYSHADE_BLENDING_FIXED_FUNCTION 1

// Applies a logic operation.
#define POLYSHADE_BLENDING_LOGIC 2

// Does not blend.
#define POLYSHADE_BLENDING_NONE 3

// The results of equations are clamped to 0 … 1.
#define POLYSHADE_COLOR_CLAMPED 1

// The attachment has no alpha, whatever its format has: destination alpha reads as 1.
#define POLYSHADE_COLOR_WITHOUT_ALPHA 2

// The class of a format.
#define POLYSHADE_FORMAT_UNORM 0

#define POLYSHADE_FORMAT_SNORM 1

#define POLYSHADE_FORMAT_FLOAT 2

#define POLYSHADE_FORMAT_SRGB 3

#define POLYSHADE_FORMAT_UINT 4

#define POLYSHADE_FORMAT_SINT 5

// One buffer; `gl_NextBuffer` among the names begins the next one.
#define POLYSHADE_CAPTURE_INTERLEAVED 0

// One buffer for each varying.
#define POLYSHADE_CAPTURE_SEPARATE 1

// Stream output entries of Direct3D: `SEMANTIC0.xy`, `1:SEMANTIC0`, `$SKIP.xyz`.
#define POLYSHADE_CAPTURE_STREAM_OUTPUT 2

// The transform feedback decorations of the module.
#define POLYSHADE_CAPTURE_DECORATED 3

// `set` is valid.
#define POLYSHADE_CAPTURE_HAS_SET 1

// `binding` is valid.
#define POLYSHADE_CAPTURE_HAS_BINDING 2

// A varying that is named twice is captured twice; without this flag it is an error.
#define POLYSHADE_CAPTURE_ALLOW_DUPLICATES 4

// The host parameters are in a uniform buffer, at the binding after the last feedback buffer.
#define POLYSHADE_CAPTURE_PARAMS_IN_UNIFORM 8

// `POLYSHADE_VARIANT_CAPTURE_ONLY` does not write `PointSize`.
#define POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE 16

// No draw has more than one instance.
#define POLYSHADE_CAPTURE_ONE_INSTANCE 32

// One host parameter limits the captured vertices, instead of the sizes of the ranges.
#define POLYSHADE_CAPTURE_LIMIT_IN_VERTICES 64

// Feedback buffers may be unbound.
#define POLYSHADE_CAPTURE_UNBOUND_BUFFERS 128

// Draws have indices, of any type. The shader must not have vertex attributes other than `constant_attributes`:
// apply vertex pulling first.
#define POLYSHADE_CAPTURE_INDEXED 256

// Indices may restart primitives; implies `POLYSHADE_CAPTURE_INDEXED`.
#define POLYSHADE_CAPTURE_RESTART 512

// `POLYSHADE_VARIANT_CAPTURE_ONLY` is a compute stage, which the host dispatches. The shader must not have vertex
// attributes: apply vertex pulling first. `POLYSHADE_VARIANT_BOTH` is not available, and
// `POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE` has no effect.
#define POLYSHADE_CAPTURE_COMPUTE 1024

// The variants `POLYSHADE_VARIANT_SPILL_OUTPUTS` and `POLYSHADE_VARIANT_RELOAD_OUTPUTS` are available; for a geometry
// stage, the step `POLYSHADE_GEOMETRY_RASTER`.
#define POLYSHADE_CAPTURE_SPILL_OUTPUTS 2048

// For `POLYSHADE_OPTIONS_TESSELLATION`: the origin of the domain is at the lower left, as in OpenGL. Only
// `POLYSHADE_TESSELLATION_TESSELLATE` depends on it.
#define POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN 4096

// The invocations of a work group of the compute stage, in x.
#define POLYSHADE_WORK_GROUP_SIZE 64

// Captures, and has no outputs but `PointSize`; drawn as points, not rasterized. The default if `variants` is 0.
#define POLYSHADE_VARIANT_CAPTURE_ONLY 1

// Has the stage outputs and does not capture.
#define POLYSHADE_VARIANT_RASTER_ONLY 2

// Captures and has the stage outputs; for lists and strips.
#define POLYSHADE_VARIANT_BOTH 4

// Captures, and stores all outputs in a buffer; needs `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
#define POLYSHADE_VARIANT_SPILL_OUTPUTS 16

// Reads the outputs that `POLYSHADE_VARIANT_SPILL_OUTPUTS` stored; needs `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
#define POLYSHADE_VARIANT_RELOAD_OUTPUTS 32

// Shaders with stores or atomics are unsupported.
#define POLYSHADE_SIDE_EFFECTS_REFUSE 0

// The shader's stores and atomics stay in the pass that captures, or in the position-only variant.
#define POLYSHADE_SIDE_EFFECTS_FIRST 1

// The shader's stores and atomics stay in the pass that rasterizes, or in the complement.
#define POLYSHADE_SIDE_EFFECTS_SECOND 2

// Makes built-in arrays of registers. Reads `inputs`, `outputs`, `linked_inputs` and `linked_outputs`.
#define POLYSHADE_CLIP_NORMALIZE 1

// Adds clip planes of the host. Reads `planes`, `params` and `vertex`.
#define POLYSHADE_CLIP_USER_PLANES 2

// Keeps disabled planes from clipping. Reads `enabled` and `keep_at`.
#define POLYSHADE_CLIP_MASK 3

// Makes one array of both kinds. Reads `clip`.
#define POLYSHADE_CLIP_COMBINE 4

// Makes two arrays of one. Reads `clip`.
#define POLYSHADE_CLIP_SEPARATE 5

// Makes ordinary vectors of the arrays. Reads `read_at`, `location`, `clip` and `cull`.
#define POLYSHADE_CLIP_TO_REGISTERS 6

// Discards fragments. Reads `location`, `clip`, `cull` and `read_at`. The last stage before rasterization and the
// fragment stage both need the step. The fragment stage needs `POLYSHADE_CLIP_SIGNATURE` and ignores `read_at`.
#define POLYSHADE_CLIP_EMULATE 7

// Clips and culls in a geometry stage. Reads `keep_at`, `read_at`, `clip`, `cull`, `flat`, `no_perspective`,
// `provoking`, and with `POLYSHADE_CLIP_GENERATE` `primitive` and `location`. A generated stage is the second output.
#define POLYSHADE_CLIP_IN_GEOMETRY 8

// `UserSemantic` decorations are ignored.
#define POLYSHADE_CLIP_WITHOUT_SEMANTICS 1

// `linked_inputs` is valid.
#define POLYSHADE_CLIP_LINKED_INPUTS 2

// `linked_outputs` is valid.
#define POLYSHADE_CLIP_LINKED_OUTPUTS 4

// `clip` and `cull` are the numbers of distances of the signature.
#define POLYSHADE_CLIP_SIGNATURE 8

// `read_at` is valid.
#define POLYSHADE_CLIP_READ_AT 16

// `keep_at` is valid.
#define POLYSHADE_CLIP_KEEP_AT 32

// `vertex` is valid.
#define POLYSHADE_CLIP_VERTEX 64

// The device supports clip distances and lacks only cull distances.
#define POLYSHADE_CLIP_NATIVE_CLIP 128

// `primitive` is valid: the lowering generates a geometry stage.
#define POLYSHADE_CLIP_GENERATE 256

// The primitives of a generated geometry stage.
#define POLYSHADE_PRIMITIVE_POINTS 0

#define POLYSHADE_PRIMITIVE_LINES 1

#define POLYSHADE_PRIMITIVE_TRIANGLES 2

// Options of any other kind as JSON: `polyshade_json_options`.
#define POLYSHADE_OPTIONS_JSON 2147483648

// Capture into storage buffers: `polyshade_capture_options`.
#define POLYSHADE_OPTIONS_CAPTURE_STORAGE 1

// Capture by `VK_EXT_transform_feedback`: `polyshade_capture_options`.
#define POLYSHADE_OPTIONS_CAPTURE_EXTENSION 2

// Vertex pulling: `polyshade_vertex_pulling_options`.
#define POLYSHADE_OPTIONS_VERTEX_PULLING 3

// Position-only variants: `polyshade_position_only_options`.
#define POLYSHADE_OPTIONS_POSITION_ONLY 4

// Conversion of clip space: `polyshade_clip_space_options`.
#define POLYSHADE_OPTIONS_CLIP_SPACE 5

// Rasterizer discard: `polyshade_rasterizer_discard_options`.
#define POLYSHADE_OPTIONS_RASTERIZER_DISCARD 6

// Blending in the fragment shader: `polyshade_blend_options`.
#define POLYSHADE_OPTIONS_ADVANCED_BLEND 7

// Clip and cull distances: `polyshade_clip_options`.
#define POLYSHADE_OPTIONS_CLIP_CULL 8

// Several lowerings of a pipeline: JSON in the format of `polyshade pipeline`, in `polyshade_json_options`.
#define POLYSHADE_OPTIONS_RECIPE 9

// Tessellation as compute stages, for `polyshade_lower_tessellation`: `polyshade_capture_options`.
#define POLYSHADE_OPTIONS_TESSELLATION 10

// Outputs that the variant does not keep stay in the interface.
#define POLYSHADE_POSITION_ONLY_KEEP_INTERFACE 1

// The kept outputs are `Invariant`.
#define POLYSHADE_POSITION_ONLY_INVARIANT 2

// The arithmetic from which the kept outputs are computed is `NoContraction`.
#define POLYSHADE_POSITION_ONLY_PRECISE 4

// The position-only variant captures by transform feedback, if the shader is decorated for it. Without this flag
// only the full shader captures.
#define POLYSHADE_POSITION_ONLY_CAPTURES 8

// The variant with the outputs that decide coverage.
#define POLYSHADE_POSITION_ONLY_VARIANT_POSITION_ONLY 0

// The complement: the variant with exactly the other outputs.
#define POLYSHADE_POSITION_ONLY_VARIANT_COMPLEMENT 1

// The variant with all outputs, to be drawn together with the position-only variant.
#define POLYSHADE_POSITION_ONLY_VARIANT_FULL 2

// `set` is valid.
#define POLYSHADE_VERTEX_PULLING_HAS_SET 1

// `binding` is valid.
#define POLYSHADE_VERTEX_PULLING_HAS_BINDING 2

// Reads out of bounds behave as with `robustBufferAccess`, not as with `robustBufferAccess2`.
#define POLYSHADE_VERTEX_PULLING_ROBUST_ACCESS 4

// An attribute may extend beyond the stride of its buffer.
#define POLYSHADE_VERTEX_PULLING_BEYOND_STRIDE 8

// The shader reads the first instance from `BaseInstance`, not from a host parameter.
#define POLYSHADE_VERTEX_PULLING_BASE_INSTANCE 16

// The buffer advances with vertices.
#define POLYSHADE_RATE_VERTEX 0

// The buffer advances with instances.
#define POLYSHADE_RATE_INSTANCE 1

// A stage: `VkShaderStageFlagBits`.
#define POLYSHADE_STAGE_VERTEX 1

#define POLYSHADE_STAGE_TESSELLATION_CONTROL 2

#define POLYSHADE_STAGE_TESSELLATION_EVALUATION 4

#define POLYSHADE_STAGE_GEOMETRY 8

#define POLYSHADE_STAGE_FRAGMENT 16

#define POLYSHADE_STAGE_COMPUTE 32

#define POLYSHADE_STAGE_TASK 64

#define POLYSHADE_STAGE_MESH 128

// The lowering chooses the source, or there is none.
#define POLYSHADE_SOURCE_NONE 0

// A storage buffer at `set` and `binding`.
#define POLYSHADE_SOURCE_STORAGE_BUFFER 1

// A uniform buffer at `set` and `binding`.
#define POLYSHADE_SOURCE_UNIFORM 2

// The push constants from byte `number` on.
#define POLYSHADE_SOURCE_PUSH_CONSTANT 3

// The specialization constants from id `number` on.
#define POLYSHADE_SOURCE_SPECIALIZATION 4

// Memory whose address is in a uniform buffer at `set` and `binding`.
#define POLYSHADE_SOURCE_ADDRESS_IN_UNIFORM 5

// Memory whose address is in the push constants from byte `number` on.
#define POLYSHADE_SOURCE_ADDRESS_IN_PUSH_CONSTANT 6

// Memory whose address is in two specialization constants from id `number` on, the lower half first.
#define POLYSHADE_SOURCE_ADDRESS_IN_SPECIALIZATION 7

// Memory whose address is in the vertex attribute at location `number`: two 32-bit unsigned integers, the lower half
// first. The vertex buffer has a stride of 0.
#define POLYSHADE_SOURCE_ADDRESS_IN_ATTRIBUTE 8

// The type of a descriptor: `VkDescriptorType`.
#define POLYSHADE_DESCRIPTOR_SAMPLED_IMAGE 2

#define POLYSHADE_DESCRIPTOR_STORAGE_IMAGE 3

#define POLYSHADE_DESCRIPTOR_UNIFORM_BUFFER 6

#define POLYSHADE_DESCRIPTOR_STORAGE_BUFFER 7

#define POLYSHADE_DESCRIPTOR_INPUT_ATTACHMENT 10

// Nothing is captured.
#define POLYSHADE_PATH_NONE 0

// `VK_EXT_transform_feedback` captures.
#define POLYSHADE_PATH_EXTENSION 1

// Variants of the shader that store to buffers capture.
#define POLYSHADE_PATH_STORAGE 2

// A compute stage captures.
#define POLYSHADE_PATH_COMPUTE 3

// Begins the pass `pass`.
#define POLYSHADE_STEP_BEGIN_PASS 1

// Ends the pass with the attachments `pass.attachments`. Contents that a later pass loads must be stored.
#define POLYSHADE_STEP_END_PASS 2

// Records `barriers` in one command.
#define POLYSHADE_STEP_BARRIERS 3

// Begins `query` on the device.
#define POLYSHADE_STEP_BEGIN_QUERY 4

// Ends `query` on the device.
#define POLYSHADE_STEP_END_QUERY 5

// The host adds the primitives that it counts for the draw (`polyshade_layout_primitives`) to the result of `query`.
#define POLYSHADE_STEP_COUNT 6

// Binds `pipeline`.
#define POLYSHADE_STEP_BIND_PIPELINE 7

// Binds a feedback buffer as the storage buffer `storage`.
#define POLYSHADE_STEP_BIND_STORAGE 8

// Binds the index buffer as a storage buffer at `storage.set` and `storage.binding`, at a multiple of the device's
// alignment. The host parameter `index_offset` is the distance from the start of the binding to index 0.
#define POLYSHADE_STEP_BIND_INDICES 9

// Binds the table of `polyshade_segments_find` as a storage buffer at `storage.set` and `storage.binding`.
#define POLYSHADE_STEP_BIND_SEGMENTS 10

// Binds `ranges` as transform feedback buffers, from number 0 on.
#define POLYSHADE_STEP_BIND_FEEDBACK 11

// The host fills in the host parameters `words`.
#define POLYSHADE_STEP_FILL_IN 12

// Begins the capture with `counters`: `vkCmdBeginTransformFeedbackEXT` with `firstCounterBuffer` 0.
#define POLYSHADE_STEP_BEGIN_FEEDBACK 13

// Ends the capture and saves `counters`: `vkCmdEndTransformFeedbackEXT`.
#define POLYSHADE_STEP_END_FEEDBACK 14

// Records the draw command `draw`.
#define POLYSHADE_STEP_DRAW 15

// The host advances its counters (`polyshade_layout_advance`) and saves them as `counters`.
#define POLYSHADE_STEP_ADVANCE 16

// Writes the host's counters to the application's buffers at `counters`.
#define POLYSHADE_STEP_WRITE_COUNTERS 17

// Dispatches `POLYSHADE_COUNTER_PASS_SEGMENTS`.
#define POLYSHADE_STEP_FIND_SEGMENTS 18

// Dispatches `POLYSHADE_COUNTER_PASS_COUNT` for a job of `counter_pass`.
#define POLYSHADE_STEP_COUNTER_PASS 19

// Binds the compute pipeline of the capture, outside render passes. An API that has compute passes begins one here.
#define POLYSHADE_STEP_BIND_COMPUTE 20

// Dispatches the capture with the work groups of `polyshade_layout_work_groups`, for the vertices of `draw`, or with
// the arguments that the counter pass has written. An API that has compute passes ends the pass afterwards.
#define POLYSHADE_STEP_DISPATCH 21

// Binds the buffer of spilled outputs as a storage buffer at `storage.set` and `storage.binding`. The host provides
// `polyshade_layout_outputs_size` bytes, and the same buffer wherever the plan binds it.
#define POLYSHADE_STEP_BIND_OUTPUTS 22

// The application's attachments.
#define POLYSHADE_ATTACHMENTS_APPLICATION 0

#define POLYSHADE_ATTACHMENTS_NONE 1

// One color attachment of one pixel, to which nothing is drawn.
#define POLYSHADE_ATTACHMENTS_DUMMY 2

// The application's load operations.
#define POLYSHADE_CONTENTS_AS_ASKED 0

// Load operations: the pass resumes.
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

// The primitives written and needed by the capture of a stream.
#define POLYSHADE_QUERY_STREAM 1

// The primitives emitted to a stream, captured or not.
#define POLYSHADE_QUERY_PRIMITIVES_GENERATED 2

// The unchanged shader.
#define POLYSHADE_BOUND_ORIGINAL 0

// The variants of a capture into storage buffers, with the values of `POLYSHADE_VARIANT_…`.
#define POLYSHADE_BOUND_CAPTURE_ONLY 1

#define POLYSHADE_BOUND_RASTER_ONLY 2

#define POLYSHADE_BOUND_BOTH 4

// The variant that captures, stores all outputs in a buffer, and has no stage outputs.
#define POLYSHADE_BOUND_SPILL_OUTPUTS 16

// The variant that reads the outputs that `POLYSHADE_BOUND_SPILL_OUTPUTS` has stored.
#define POLYSHADE_BOUND_RELOAD_OUTPUTS 32

// The variant with the decorations of `VK_EXT_transform_feedback`.
#define POLYSHADE_BOUND_EXTENSION 8

// The topology of the draw.
#define POLYSHADE_ASSEMBLY_AS_DRAWN 0

// A point list, whatever the topology of the draw is.
#define POLYSHADE_ASSEMBLY_POINTS 1

// Another topology that the API supports, with indices that the host makes.
#define POLYSHADE_ASSEMBLY_REWRITTEN 2

// The draw's vertices and instances.
#define POLYSHADE_CALL_VERTICES 0

// The application's draw command, with its indices, its indirect arguments, or both.
#define POLYSHADE_CALL_INDEXED 1

#define POLYSHADE_CALL_INDIRECT 2

#define POLYSHADE_CALL_INDEXED_INDIRECT 3

// One vertex for each index of the draw, from `firstIndex` on, without the index buffer.
#define POLYSHADE_CALL_OVER_INDICES 4

// The arguments that the counter pass has written: for each draw of a multi-draw one `VkDrawIndirectCommand`, or one
// `VkDispatchIndirectCommand` if a dispatch captures. The host binds the parameters of each draw before it.
#define POLYSHADE_CALL_FROM_COUNTER_PASS 5

// Indices of the host, which assemble the primitives.
#define POLYSHADE_CALL_REWRITTEN 6

// `vkCmdDrawIndirectByteCountEXT`
#define POLYSHADE_CALL_BYTE_COUNT 7

// The draw's instances, with the vertex count that the host computes from `counted_by`.
#define POLYSHADE_CALL_COUNTED_BY_HOST 8

// The contents of feedback buffers.
#define POLYSHADE_RESOURCE_CAPTURED 1

// The counters of all feedback buffers.
#define POLYSHADE_RESOURCE_COUNTERS 2

// The counter from which a draw takes its vertex count.
#define POLYSHADE_RESOURCE_COUNT 3

// The attachments of the pass that was ended.
#define POLYSHADE_RESOURCE_ATTACHMENTS 4

// The indirect arguments, indices and attributes of a draw.
#define POLYSHADE_RESOURCE_INPUTS 5

// The memory of the counter pass.
#define POLYSHADE_RESOURCE_DEVICE_COUNTERS 6

// The spilled outputs, which one pass stores and the next pass reads.
#define POLYSHADE_RESOURCE_OUTPUTS 7

// The value is `number`.
#define POLYSHADE_PARAM_CONSTANT 0

// `firstVertex`, or `firstIndex`
#define POLYSHADE_PARAM_FIRST_VERTEX 1

// `vertexCount`, or `indexCount`
#define POLYSHADE_PARAM_VERTEX_COUNT 2

// `firstInstance`
#define POLYSHADE_PARAM_FIRST_INSTANCE 3

// The vertices of all primitives of an instance, where each primitive counts its own.
#define POLYSHADE_PARAM_SLOTS 4

// The vertices, counted in the same way, of all primitives that fit into every range.
#define POLYSHADE_PARAM_LIMIT 5

// The byte at which the draw begins in feedback buffer `number`: the offset of its range plus the filled bytes.
#define POLYSHADE_PARAM_START 6

// The lower and upper half of the address of byte `offset` of the memory to which feedback buffer `number` is bound.
#define POLYSHADE_PARAM_ADDRESS_LOW 7

#define POLYSHADE_PARAM_ADDRESS_HIGH 8

// The host's copy of the counter at byte `offset` of buffer `number`.
#define POLYSHADE_PARAM_COUNTER 9

// The counter of feedback buffer `number` after the previous draw.
#define POLYSHADE_PARAM_RUNNING 10

// The filled bytes of feedback buffer `number`, which only the device knows.
#define POLYSHADE_PARAM_DEVICE_COUNTER 11

// The index type: 0, 1 or 2 for 8, 16 or 32 bits.
#define POLYSHADE_PARAM_INDEX_TYPE 12

// `vertexOffset`
#define POLYSHADE_PARAM_VERTEX_OFFSET 13

// The number of the draw in a multi-draw.
#define POLYSHADE_PARAM_DRAW_INDEX 14

// The bytes from the start of the binding to index 0.
#define POLYSHADE_PARAM_INDEX_OFFSET 15

// The bytes of the index buffer from index 0 on.
#define POLYSHADE_PARAM_INDEX_SIZE 16

// The lower and the upper half of the address of index 0.
#define POLYSHADE_PARAM_INDEX_ADDRESS_LOW 17

#define POLYSHADE_PARAM_INDEX_ADDRESS_HIGH 18

// The lower and the upper half of the address of the segment table.
#define POLYSHADE_PARAM_TABLE_ADDRESS_LOW 19

#define POLYSHADE_PARAM_TABLE_ADDRESS_HIGH 20

// The bytes of the segment table.
#define POLYSHADE_PARAM_TABLE_SIZE 21

// The draw's `instanceCount`.
#define POLYSHADE_PARAM_INSTANCE_COUNT 22

// The input primitives of one instance of the draw.
#define POLYSHADE_PARAM_PRIMITIVE_COUNT 23

// No order between draws is needed.
#define POLYSHADE_ORDERING_NONE 0

// Attachment accesses in rasterization order, or a barrier between draws that overlap.
#define POLYSHADE_ORDERING_ATTACHMENT_ACCESS 1

// Coherent tile image reads.
#define POLYSHADE_ORDERING_TILE_IMAGE 2

// The fragment shader interlock of the shader orders the accesses.
#define POLYSHADE_ORDERING_INTERLOCK 3

// A copy of the attachment before each draw that overlaps an earlier one.
#define POLYSHADE_ORDERING_COPY 4

// A feedback buffer: `number` is its number.
#define POLYSHADE_PURPOSE_FEEDBACK 1

// A vertex buffer: `number` is its number.
#define POLYSHADE_PURPOSE_VERTEX_BUFFER 2

// Host parameters.
#define POLYSHADE_PURPOSE_HOST_PARAMS 3

// The destination of blending: `number` is the location, and `index` the `InputAttachmentIndex`.
#define POLYSHADE_PURPOSE_DESTINATION 4

// The index buffer: that of the draw, or that of `POLYSHADE_TESSELLATION_TESSELLATE`.
#define POLYSHADE_PURPOSE_INDICES 5

// The table of `polyshade_segments_find`.
#define POLYSHADE_PURPOSE_SEGMENTS 6

// The spilled outputs of vertices, for a second pass: `polyshade_layout_outputs_size` bytes.
#define POLYSHADE_PURPOSE_OUTPUTS 7

// The outputs of the vertex stage, which the next stage loads: the buffer for the spilled outputs of its layout.
#define POLYSHADE_PURPOSE_INPUTS 8

// The table of counts of a geometry stage, or the table of tessellation.
#define POLYSHADE_PURPOSE_COUNTS 9

// The patches of tessellation.
#define POLYSHADE_PURPOSE_PATCHES 10

// The points of tessellated patches.
#define POLYSHADE_PURPOSE_POINTS 11

// An extension.
#define POLYSHADE_NEED_EXTENSION 1

// A feature.
#define POLYSHADE_NEED_FEATURE 2

// A limit of at least `at_least`.
#define POLYSHADE_NEED_LIMIT 3

// The vertex stage of the draws of the steps `COUNT` and `CAPTURE`, unless these are compute stages. It takes the
// vertex shader and no layout, and is requested without other steps.
#define POLYSHADE_GEOMETRY_VERTEX 1

// The stage that counts the emitted primitives.
#define POLYSHADE_GEOMETRY_COUNT 2

// The compute stage that sums the counts: one work group.
#define POLYSHADE_GEOMETRY_SUM 4

// The stage that stores the emitted primitives.
#define POLYSHADE_GEOMETRY_CAPTURE 8

// The vertex stage that draws the emitted primitives; needs `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
#define POLYSHADE_GEOMETRY_RASTER 16

// The compute stage that runs the control shader: one work group for each patch. It takes the control shader and the
// layout of the vertex stage, and is requested without other steps.
#define POLYSHADE_TESSELLATION_CONTROL 1

// The compute stage that computes the places of the points and indices of each patch: one work group.
#define POLYSHADE_TESSELLATION_ALLOCATE 2

// The compute stage that stores points and indices: one work group for each patch.
#define POLYSHADE_TESSELLATION_TESSELLATE 4

// The evaluation shader as a vertex stage.
#define POLYSHADE_TESSELLATION_EVALUATION 8

// The lowering gives no names to the objects that it adds.
#define POLYSHADE_TARGET_WITHOUT_NAMES 1

// The major version of the header. It increases when programs must be recompiled.
#define POLYSHADE_VERSION_MAJOR 0

// The minor version. It increases when something is added.
#define POLYSHADE_VERSION_MINOR 1

// The patch version. It increases when nothing is added.
#define POLYSHADE_VERSION_PATCH 0

// A capture layout: where varyings are stored. It is immutable, and any number of threads may use it at once.
typedef struct polyshade_layout polyshade_layout;

// A SPIR-V module. It is immutable, and any number of threads may use it at once.
typedef struct polyshade_module polyshade_module;

// A plan: the steps of a draw, or of blending. It is immutable, and any number of threads may use it at once.
typedef struct polyshade_plan polyshade_plan;

// The result of a lowering: one output or several. It is immutable, and any number of threads may use it at once.
typedef struct polyshade_result polyshade_result;

// The status of a call: `POLYSHADE_OK` or `POLYSHADE_ERROR_…`.
typedef int32_t polyshade_status;

// The functions from which the library takes its memory.
typedef struct polyshade_allocator {
    // `sizeof(polyshade_allocator)`
    uint32_t size;
    // 0
    uint32_t flags;
    // The first argument of both functions.
    void *user_data;
    // Returns `size` bytes, more than 0, at a multiple of `alignment`, a power of two. Several threads may call it
    // at once. It must not return NULL, which ends the process, must not leave by `longjmp` or an exception, and
    // must not call the library.
    void *(*allocate)(void *user_data, size_t size, size_t alignment);
    // Frees memory of `allocate`; `size` and `alignment` are those of the allocation.
    void (*free)(void *user_data, void *memory, size_t size, size_t alignment);
} polyshade_allocator;

// The error of one call, in the caller's memory: nothing must be freed. Every call writes it.
typedef struct polyshade_error {
    // `sizeof(polyshade_error)`
    uint32_t size;
    // The status that the call returned.
    polyshade_status status;
    // The offset in the module, in words, or `POLYSHADE_NONE`.
    uint32_t word_offset;
    // The SPIR-V id that the error is about, or 0.
    uint32_t id;
    // The length of the whole message, which `message` may truncate.
    uint32_t message_length;
    // The length of the whole suggestion, which `help` may truncate; 0 if there is none.
    uint32_t help_length;
    // The message, without the offset, in lower case. It ends with a zero.
    char message[512];
    // A suggestion. It ends with a zero.
    char help[256];
    // The code of the error, such as `capture.duplicate-varying`; docs/errors.md lists all. It is the same in every
    // version, and empty if the call succeeded.
    char code[64];
} polyshade_error;

// A job of the counter pass: begin, draw and end for one capture. Places are addresses (`VkDeviceAddress`),
// multiples of 4, of memory that the host owns, or those of `POLYSHADE_COUNTER_PASS_COUNT_BOUND`; 0 is none.
typedef struct polyshade_job {
    // `sizeof(polyshade_job)`
    uint32_t size;
    // `POLYSHADE_JOB_…`
    uint32_t flags;
    // The place of `POLYSHADE_JOB_STATE_SIZE` bytes of state for the capture. A job that does not begin the capture
    // continues from the state that the previous job has left.
    uint64_t state;
    // The places of the feedback buffers' counters.
    uint64_t begin[4];
    // The places to which the counters are written.
    uint64_t end[4];
    // The place of `POLYSHADE_JOB_QUERY_SIZE` bytes, to which the job adds the query results.
    uint64_t query;
    // `POLYSHADE_TOPOLOGY_…`: the application's topology.
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
    // The number of draws, or the maximum if `count_place` is not 0.
    uint32_t draw_count;
    uint64_t arguments;
    // The place of the draw count of a multi-draw, or 0.
    uint64_t count_place;
    // The bytes from the arguments of one draw to those of the next.
    uint32_t arguments_stride;
    uint32_t counter_offset;
    uint32_t vertex_stride;
    // The number of host parameters that the variants read.
    uint32_t param_count;
    uint64_t predicate;
    // The size of each feedback range in bytes; 0 if it captures nothing or is not bound.
    uint32_t range_sizes[4];
    // The bytes of a vertex in each range.
    uint32_t strides[4];
    // The place of the words of `polyshade_counter_pass_template`.
    uint64_t template_;
    // The place of `draw_count` blocks, to which the host parameters are written.
    uint64_t blocks;
    // The bytes from one block to the next.
    uint32_t block_stride;
    // `POLYSHADE_INDEX_TYPE_…`
    uint32_t index_type;
    // The place to which the arguments of the capturing draws are written: `draw_count` times
    // `POLYSHADE_JOB_COMMAND_SIZE` bytes.
    uint64_t commands;
    // The place of index 0, a multiple of the size of an index.
    uint64_t indices;
    // The place to which the segment tables are written, one for each draw.
    uint64_t tables;
    // The bytes of the index buffer from index 0 on.
    uint32_t index_size;
    // The bytes of a table, from `polyshade_counter_pass_table_size`.
    uint32_t table_size;
    // The place to which the arguments of the capturing dispatches are written: `draw_count` times
    // `POLYSHADE_JOB_GROUPS_SIZE` bytes.
    uint64_t groups;
} polyshade_job;

// A list of jobs, for jobs that the host knows only after it has recorded their dispatches. Both shaders are
// dispatched indirectly, and the host writes the list before it submits the commands. The struct never grows.
typedef struct polyshade_list {
    // The place of the first job.
    uint64_t jobs;
    // The number of jobs.
    uint32_t count;
    // The most draws of a job with `POLYSHADE_JOB_RESTARTED`; 0 if no job has the flag.
    uint32_t restarted;
} polyshade_list;

// The value of one host parameter. The struct never grows.
typedef struct polyshade_param_value {
    // `POLYSHADE_PARAM_…`
    uint32_t kind;
    // The number that the kind describes.
    uint32_t number;
    // The offset that the kind describes.
    uint64_t offset;
    // The name of the parameter in the lowering's report; NULL in `polyshade_param_range.counter`.
    const char *name;
} polyshade_param_value;

// A draw of the application.
typedef struct polyshade_draw {
    // `sizeof(polyshade_draw)`
    uint32_t size;
    // `POLYSHADE_TOPOLOGY_…`
    uint32_t topology;
    // `POLYSHADE_PROVOKING_…`
    uint32_t provoking_vertex;
    // `firstVertex`, or `firstIndex` for a draw with indices.
    uint32_t first_vertex;
    // `vertexCount`, or `indexCount` for a draw with indices.
    uint32_t vertex_count;
    // `firstInstance`
    uint32_t first_instance;
    // `instanceCount`
    uint32_t instance_count;
    // `POLYSHADE_DRAW_…`
    uint32_t flags;
    // The device address of the index buffer, if the shader reads indices by address.
    uint64_t index_address;
    // The device address of the table of `polyshade_segments_find`, if the shader reads the table by address.
    uint64_t table_address;
    // The byte offset of index 0 in the binding, or from the address on; a multiple of the size of an index.
    uint32_t index_offset;
    // The bytes of the index buffer from index 0 on. Indices beyond the end read as 0.
    uint32_t index_size;
    // `POLYSHADE_INDEX_TYPE_…`
    uint32_t index_type;
    // `vertexOffset`
    int32_t vertex_offset;
    // The value of `gl_DrawID`, if the shader reads it.
    uint32_t draw_index;
    // The number of primitives of an instance, from `polyshade_segments_find`.
    uint32_t primitives;
    // The size of the table, in bytes.
    uint32_t table_size;
    // 0
    uint32_t reserved;
} polyshade_draw;

// The range of a feedback buffer that a draw captures into, in bytes. The struct never grows.
typedef struct polyshade_range {
    // The device address of the buffer, if the shader finds the buffer by address.
    uint64_t address;
    // The offset of the range in the binding, or from the address on.
    uint32_t offset;
    // The size of the range.
    uint32_t length;
    // The counter: the bytes that earlier draws have filled.
    uint32_t counter;
    // `POLYSHADE_RANGE_…`
    uint32_t flags;
} polyshade_range;

// The sizes of the buffers of tessellation, in bytes.
typedef struct polyshade_tessellation_sizes {
    // `sizeof(polyshade_tessellation_sizes)`
    uint32_t size;
    // 0
    uint32_t reserved;
    // The buffer with the purpose `POLYSHADE_PURPOSE_PATCHES`.
    uint64_t patches;
    // The buffer with the purpose `POLYSHADE_PURPOSE_COUNTS`.
    uint64_t table;
    // The buffer with the purpose `POLYSHADE_PURPOSE_POINTS`. With a smaller one, fewer patches are drawn.
    uint64_t points;
    // The buffer with the purpose `POLYSHADE_PURPOSE_INDICES`. With a smaller one, fewer patches are drawn.
    uint64_t indices;
} polyshade_tessellation_sizes;

// The first member of every struct of options. Calls take a pointer to this member.
typedef struct polyshade_options {
    // The size of the whole struct, in bytes.
    uint32_t size;
    // `POLYSHADE_OPTIONS_…`: the type of the struct, and the lowering.
    uint32_t kind;
} polyshade_options;

// A binding of a descriptor set. The struct never grows.
typedef struct polyshade_binding {
    uint32_t set;
    uint32_t binding;
} polyshade_binding;

// The range of numbers from `first` to before `end`. The struct never grows.
typedef struct polyshade_span {
    uint32_t first;
    uint32_t end;
} polyshade_span;

// The features and limits of a device. `polyshade_device_defaults` writes the minimum of every Vulkan device. A
// member that is set to 0 afterwards means 0, not the default.
typedef struct polyshade_device {
    // `sizeof(polyshade_device)`
    uint32_t size;
    // `maxVertexOutputComponents`, or the corresponding limit of the lowered stage.
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
    // Whether the device has `VK_EXT_transform_feedback`; the following members are its limits.
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

// The entry point to lower, the resources to leave free, and the device. A struct of zeros, except for `size`, means
// the entry point `main` of the only stage that has it, nothing reserved, and any Vulkan device.
typedef struct polyshade_target {
    // `sizeof(polyshade_target)`
    uint32_t size;
    // `POLYSHADE_TARGET_…`
    uint32_t flags;
    // The name of the entry point; NULL means `main`.
    const char *entry;
    // `POLYSHADE_STAGE_…`; 0 means the only stage that has the entry point.
    uint32_t stage;
    // Added instructions use no ids less than this.
    uint32_t ids_below;
    // The descriptor sets to leave free.
    const uint32_t *sets;
    size_t set_count;
    // The bindings to leave free.
    const struct polyshade_binding *bindings;
    size_t binding_count;
    // The locations to leave free.
    const uint32_t *locations;
    size_t location_count;
    // The ids of specialization constants to leave free.
    const uint32_t *constants;
    size_t constant_count;
    // The bytes of the push constants to leave free.
    const struct polyshade_span *push_constants;
    size_t push_constant_count;
    // The device; NULL means the minimum of every Vulkan device.
    const struct polyshade_device *device;
} polyshade_target;

// A description of a layout.
typedef struct polyshade_layout_info {
    // `sizeof(polyshade_layout_info)`
    uint32_t size;
    // The number of feedback buffers.
    uint32_t buffer_count;
    // The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`.
    uint32_t topologies;
    // Whether feedback buffers may be unbound.
    uint32_t takes_unbound;
    // Whether the stage is a compute stage, which the host dispatches.
    uint32_t is_dispatched;
    // The size in bytes of the spilled outputs of one vertex; 0 if outputs are not spilled.
    uint32_t outputs_stride;
    // The topology of the primitives that a geometry stage or tessellation emits: `POLYSHADE_TOPOLOGY_…`, a list.
    // `POLYSHADE_NONE` for a vertex stage, and for a control stage that does not state the domain.
    uint32_t emitted_topology;
    // Whether a geometry stage needs the steps that count, and the table of counts.
    uint32_t needs_counts;
    // For a geometry stage that emits constant numbers of primitives: the number that all its invocations together
    // emit to each vertex stream for one input primitive. Otherwise 0.
    uint32_t primitives_per_input[4];
    // The size in bytes of a patch of tessellation; 0 without tessellation.
    uint32_t patch_stride;
    // For a geometry stage that stores its primitives sparsely: the maximum number of primitives that all its
    // invocations together emit to each vertex stream for one input primitive. Otherwise 0.
    uint32_t sparse_primitives[4];
    // The number of invocations of a geometry stage for each input primitive; 1 for other stages.
    uint32_t invocations_per_input;
} polyshade_layout_info;

// The contents of one feedback buffer.
typedef struct polyshade_buffer_layout {
    // `sizeof(polyshade_buffer_layout)`
    uint32_t size;
    // The bytes from one vertex to the next.
    uint32_t stride;
    // The bytes from the start of a vertex to the end of its last captured varying, or 0.
    uint32_t data;
    // The number of captured varyings.
    uint32_t captured_count;
    // The vertex stream that the buffer captures; 0 without a geometry stage.
    uint32_t stream;
} polyshade_buffer_layout;

// One captured varying.
typedef struct polyshade_captured {
    // `sizeof(polyshade_captured)`
    uint32_t size;
    // The bytes from the start of the vertex.
    uint32_t offset;
    // The number of 32-bit components; a 64-bit component counts as two.
    uint32_t components;
    // 0
    uint32_t reserved;
    // The name by which the options requested it. It is valid as long as the layout.
    const char *name;
} polyshade_captured;

// A stage of a pipeline. The struct never grows.
typedef struct polyshade_stage {
    const struct polyshade_module *module;
    // The target; NULL means the entry point `main`.
    const struct polyshade_target *target;
} polyshade_stage;

// A description of a vertex format.
typedef struct polyshade_vertex_format {
    // `sizeof(polyshade_vertex_format)`
    uint32_t size;
    // The bytes of an element.
    uint32_t bytes;
    // The alignment of elements, in bytes.
    uint32_t alignment;
    // The values of the host parameters that select the format.
    uint32_t words[2];
} polyshade_vertex_format;

// A description of a plan.
typedef struct polyshade_plan_info {
    // `sizeof(polyshade_plan_info)`
    uint32_t size;
    // `POLYSHADE_PATH_…`
    uint32_t path;
    // Whether any vertex of a primitive may be captured first; the winding is preserved.
    uint32_t any_corner_first;
    // The number of steps; 0 for a plan of blending, which is available only as JSON and text.
    uint32_t step_count;
} polyshade_plan_info;

// A render pass or rendering scope. The struct never grows.
typedef struct polyshade_pass {
    // `POLYSHADE_ATTACHMENTS_…`
    uint32_t attachments;
    // `POLYSHADE_CONTENTS_…`: the contents of the attachments when the pass begins.
    uint32_t contents;
    // `POLYSHADE_SCOPE_…`: the command that begins the pass.
    uint32_t scope;
} polyshade_pass;

// A query. The struct never grows.
typedef struct polyshade_query {
    // `POLYSHADE_QUERY_…`
    uint32_t kind;
    // The vertex stream.
    uint32_t stream;
} polyshade_query;

// A pipeline: the key of a pipeline object, with the modules and the application's other state. It never grows.
typedef struct polyshade_pipeline {
    // `POLYSHADE_BOUND_…`: the variant of the last stage before rasterization.
    uint32_t variant;
    // Whether the variant moves the position out of the clip volume.
    uint32_t is_moved_away;
    // The `SpecId` to set to 1 to move the position; `POLYSHADE_NONE` if the variant always moves it.
    uint32_t discard_constant;
    uint32_t rasterizes;
    // `POLYSHADE_ASSEMBLY_…`
    uint32_t assembly;
    // `POLYSHADE_TOPOLOGY_…`
    uint32_t topology;
    // `POLYSHADE_PROVOKING_…`
    uint32_t provoking_vertex;
    // `POLYSHADE_ATTACHMENTS_…`: the attachments of the pass, whose formats the pipeline is made for.
    uint32_t attachments;
} polyshade_pipeline;

// A range of a feedback buffer, bound as a storage buffer. The struct never grows.
typedef struct polyshade_storage_range {
    uint32_t set;
    uint32_t binding;
    // The number of the feedback buffer.
    uint32_t buffer;
    // 0
    uint32_t reserved;
    // The offset of the binding, a multiple of the device's alignment. The host parameter `offset` is the distance
    // from there to the feedback range.
    uint64_t offset;
    // The size of the binding, in bytes.
    uint64_t length;
} polyshade_storage_range;

// A counter in a buffer. The struct never grows.
typedef struct polyshade_counter {
    // The number that the host has given to the buffer; `POLYSHADE_NONE` if there is no counter.
    uint32_t buffer;
    // 0
    uint32_t reserved;
    // The offset in the buffer, in bytes.
    uint64_t offset;
} polyshade_counter;

// The counter that gives a draw its vertex count: (counter - `offset`) / `stride`, rounded down. It never grows.
typedef struct polyshade_counted_by {
    struct polyshade_counter counter;
    uint32_t offset;
    uint32_t stride;
} polyshade_counted_by;

// A draw command. The struct never grows.
typedef struct polyshade_draw_call {
    // `POLYSHADE_CALL_…`
    uint32_t kind;
    // Whether `counted_by` gives the vertex count.
    uint32_t is_counted;
    struct polyshade_counted_by counted_by;
} polyshade_draw_call;

// A barrier. The struct never grows.
typedef struct polyshade_barrier {
    // `POLYSHADE_RESOURCE_…`
    uint32_t resource;
    // `VkPipelineStageFlags`, like `to_stages`.
    uint32_t from_stages;
    // `VkAccessFlags`, like `to_accesses`.
    uint32_t from_accesses;
    uint32_t to_stages;
    uint32_t to_accesses;
} polyshade_barrier;

// A range bound as a transform feedback buffer, in bytes. The struct never grows.
typedef struct polyshade_feedback_range {
    uint64_t offset;
    uint64_t length;
    // Whether a buffer is bound.
    uint32_t is_bound;
    // 0
    uint32_t reserved;
} polyshade_feedback_range;

// The source from which the shader reads host parameters. The struct never grows.
typedef struct polyshade_param_source {
    // `POLYSHADE_SOURCE_…`
    uint32_t kind;
    // The descriptor set, if the kind has one.
    uint32_t set;
    // The binding, if the kind has one.
    uint32_t binding;
    // The byte of push constants, the id of the specialization constant or the location of the attribute, if any.
    uint32_t number;
} polyshade_param_source;

// A feedback range in bytes, from the start of the binding, or from its own start if the shader finds the range by
// address. The struct never grows.
typedef struct polyshade_param_range {
    uint32_t offset;
    // 0 if the buffer captures nothing.
    uint32_t length;
    // Whether the buffer is not bound; the other members are then 0.
    uint32_t is_unbound;
    // 0
    uint32_t reserved;
    // The filled bytes of the range.
    struct polyshade_param_value counter;
} polyshade_param_range;

// The host parameters of a variant, in their order, and the feedback ranges from which they are computed, indexed by
// feedback buffer: the input of `polyshade_layout_host_params`. The struct never grows.
typedef struct polyshade_param_values {
    // Where the shader reads the parameters.
    struct polyshade_param_source source;
    uint32_t value_count;
    uint32_t range_count;
    const struct polyshade_param_value *values;
    const struct polyshade_param_range *ranges;
} polyshade_param_values;

// A dispatch of the counter pass for a draw. The struct never grows.
typedef struct polyshade_counter_pass {
    // Whether the capture begins, with `begin_counters`.
    uint32_t begins;
    // Whether the capture ends and saves `end_counters`.
    uint32_t ends;
    // Whether `counted_by` gives the vertex count.
    uint32_t is_counted;
    uint32_t begin_count;
    uint32_t end_count;
    // The number of `strides`.
    uint32_t stride_count;
    uint32_t query_count;
    // 0
    uint32_t reserved;
    struct polyshade_counted_by counted_by;
    const struct polyshade_counter *begin_counters;
    const struct polyshade_counter *end_counters;
    // The host parameters of the variant; NULL if nothing is captured.
    const struct polyshade_param_values *params;
    // The bytes of a vertex in each feedback buffer; 0 if the buffer captures nothing or is not bound.
    const uint32_t *strides;
    // The queries that count the draw.
    const struct polyshade_query *queries;
} polyshade_counter_pass;

// A step. Members that its kind does not use are 0, `POLYSHADE_NONE` or NULL. Pointers are valid while the plan is.
typedef struct polyshade_step {
    // `sizeof(polyshade_step)`
    uint32_t size;
    // `POLYSHADE_STEP_…`
    uint32_t kind;
    struct polyshade_pass pass;
    // The number of `barriers`, `ranges` or `counters`.
    uint32_t count;
    struct polyshade_query query;
    struct polyshade_pipeline pipeline;
    struct polyshade_storage_range storage;
    struct polyshade_draw_call draw;
    const struct polyshade_barrier *barriers;
    const struct polyshade_feedback_range *ranges;
    // Indexed by feedback buffer; for `POLYSHADE_STEP_WRITE_COUNTERS` a packed list without indices.
    const struct polyshade_counter *counters;
    const struct polyshade_param_values *params;
    const struct polyshade_counter_pass *counter_pass;
} polyshade_step;

// A description of a module.
typedef struct polyshade_module_info {
    // `sizeof(polyshade_module_info)`
    uint32_t size;
    // The SPIR-V version: 256 times the major version, plus the minor version.
    uint32_t spirv_version;
    // The id bound: all ids are less than it.
    uint32_t bound;
    // The number of entry points.
    uint32_t entry_count;
} polyshade_module_info;

// A description of an entry point.
typedef struct polyshade_entry_point {
    // `sizeof(polyshade_entry_point)`
    uint32_t size;
    // `POLYSHADE_STAGE_…`; 0 for a stage outside Vulkan's graphics and compute pipelines.
    uint32_t stage;
    // The number of input and output variables, and of the members of blocks among them.
    uint32_t variable_count;
    // The number of varyings that `polyshade_module_capturable` lists, with those that cannot be captured.
    uint32_t capturable_count;
    // The name. It is valid as long as the module.
    const char *name;
} polyshade_entry_point;

// An input or output variable, or a member of a block.
typedef struct polyshade_variable {
    // `sizeof(polyshade_variable)`
    uint32_t size;
    // The id of the variable.
    uint32_t id;
    // The number of the member, or `POLYSHADE_NONE` for the whole variable.
    uint32_t member;
    // `POLYSHADE_CLASS_…`
    uint32_t storage_class;
    // The location, or `POLYSHADE_NONE` if the variable has none, like a built-in.
    uint32_t location;
    // The `Component` decoration, or 0.
    uint32_t component;
    // The number of the `BuiltIn` in SPIR-V, or `POLYSHADE_NONE`.
    uint32_t builtin;
    // `POLYSHADE_SCALAR_…`
    uint32_t scalar;
    // The bits of a component.
    uint32_t width;
    // The components of a vector or of a matrix column, or 1.
    uint32_t components;
    // The columns of a matrix, or 1.
    uint32_t columns;
    // The elements of an array, over all dimensions; 0 if the type is no array or a length is not known.
    uint32_t elements;
    // The name, which may be empty. It is valid as long as the module.
    const char *name;
} polyshade_variable;

// A varying, and whether it can be captured.
typedef struct polyshade_capturable {
    // `sizeof(polyshade_capturable)`
    uint32_t size;
    // The number of 32-bit components; 0 if the varying cannot be captured.
    uint32_t components;
    // The name by which options request the varying. It is valid as long as the module.
    const char *name;
    // The reason why the varying cannot be captured, or NULL. It is valid as long as the module.
    const char *refused;
} polyshade_capturable;

// A description of an output.
typedef struct polyshade_output {
    // `sizeof(polyshade_output)`
    uint32_t size;
    // `POLYSHADE_STAGE_…`
    uint32_t stage;
    // `POLYSHADE_VARIANT_…` for a capture into storage buffers, else 0.
    uint32_t variant;
    // Whether the module differs from the input module.
    uint32_t is_changed;
    // Whether the output has a capture layout.
    uint32_t has_layout;
    // The number of host parameters.
    uint32_t host_param_count;
    // The number of descriptors that the host binds.
    uint32_t descriptor_count;
    // The number of extensions, features and limits that the device must have.
    uint32_t need_count;
    // `POLYSHADE_ORDERING_…`
    uint32_t ordering;
    // The location of an output that was added to the shader, or `POLYSHADE_NONE`.
    uint32_t location;
    // The range of bytes of the push constants that the host fills in; empty if `push_constants_end` is 0.
    uint32_t push_constants_first;
    uint32_t push_constants_end;
    // `POLYSHADE_GEOMETRY_…` or `POLYSHADE_TESSELLATION_…` for a step of `polyshade_lower_geometry` or
    // `polyshade_lower_tessellation`, else 0.
    uint32_t step;
} polyshade_output;

// A host parameter: a 32-bit value that the host fills in.
typedef struct polyshade_host_param {
    // `sizeof(polyshade_host_param)`
    uint32_t size;
    // Its index among the parameters of `source`: it is `4 * number` bytes after the start, or the specialization
    // constant whose id is `number` greater than the first.
    uint32_t number;
    // Where the shader reads it.
    struct polyshade_param_source source;
    // The name and the meaning are valid as long as the result.
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
    // The number that `purpose` describes.
    uint32_t number;
    // The `InputAttachmentIndex`, or `POLYSHADE_NONE`.
    uint32_t index;
} polyshade_descriptor;

// A requirement on the device.
typedef struct polyshade_need {
    // `sizeof(polyshade_need)`
    uint32_t size;
    // `POLYSHADE_NEED_…`
    uint32_t kind;
    // The minimum of a limit; else 0.
    uint32_t at_least;
    // 0
    uint32_t reserved;
    // Its name in Vulkan. It is valid as long as the result.
    const char *name;
} polyshade_need;

// The value of a specialization constant. The struct never grows.
typedef struct polyshade_constant {
    // Its `SpecId`.
    uint32_t id;
    // 0
    uint32_t reserved;
    // The bits of the value.
    uint64_t bits;
} polyshade_constant;

// Options of a capture. For tessellation, only the bindings, the source of host parameters, the specialization
// constants, `patch_control_points` and `POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN` have a meaning; the others must be 0.
typedef struct polyshade_capture_options {
    // The size, and `POLYSHADE_OPTIONS_CAPTURE_STORAGE`, `…_CAPTURE_EXTENSION` or `…_TESSELLATION`.
    struct polyshade_options base;
    // `POLYSHADE_CAPTURE_…`, added up.
    uint32_t flags;
    // The mode: `POLYSHADE_CAPTURE_INTERLEAVED`, `…_SEPARATE`, `…_STREAM_OUTPUT` or `…_DECORATED`.
    uint32_t mode;
    // The captured outputs: names as in OpenGL, `location=3.xy` or `id=20`; in the stream output mode its entries.
    const char *const *varyings;
    size_t varying_count;
    // The strides of the slots in the stream output mode, in bytes.
    const uint32_t *strides;
    size_t stride_count;
    // Specialization constants that the lowering replaces by these values.
    const struct polyshade_constant *constants;
    size_t constant_count;
    // The descriptor set of the feedback buffers.
    uint32_t set;
    // The binding of the first feedback buffer.
    uint32_t binding;
    // The source of host parameters; `POLYSHADE_SOURCE_NONE`: a storage buffer one binding after the feedback buffers.
    struct polyshade_param_source params;
    // `POLYSHADE_SIDE_EFFECTS_…`
    uint32_t side_effects;
    // The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`; 0 allows all without adjacency, or all
    // that form the input primitive of a geometry stage.
    uint32_t topologies;
    // `POLYSHADE_VARIANT_…`, added up: one output for each, in the order of their values. 0 for other kinds than
    // `POLYSHADE_OPTIONS_CAPTURE_STORAGE`, and for `polyshade_lower_geometry`.
    uint32_t variants;
    // The vertex attributes that are the same for all vertices, which indexed draws may have: bits `1 << location`.
    uint32_t constant_attributes;
    // For `POLYSHADE_OPTIONS_TESSELLATION`: the number of vertices of a patch of the draw, 1 to 32. Only
    // `POLYSHADE_TESSELLATION_CONTROL` reads it.
    uint32_t patch_control_points;
    // 0
    uint32_t reserved;
} polyshade_capture_options;

// A vertex attribute. The struct never grows.
typedef struct polyshade_attribute {
    uint32_t location;
    // The number of its vertex buffer.
    uint32_t buffer;
    // The offset in bytes; `POLYSHADE_NONE`: a host parameter.
    uint32_t offset;
    // 0
    uint32_t reserved;
    // Vulkan's name of the format, such as `VK_FORMAT_R32G32B32_SFLOAT`; NULL: host parameters.
    const char *format;
} polyshade_attribute;

// A vertex buffer. The struct never grows.
typedef struct polyshade_vertex_buffer {
    uint32_t number;
    // The stride in bytes; `POLYSHADE_NONE`: a host parameter.
    uint32_t stride;
    // `POLYSHADE_RATE_…`; `POLYSHADE_NONE`: a host parameter.
    uint32_t rate;
    // The number of instances that read one element.
    uint32_t divisor;
} polyshade_vertex_buffer;

// Options of vertex pulling: the attributes and the vertex buffers.
typedef struct polyshade_vertex_pulling_options {
    // The size, and `POLYSHADE_OPTIONS_VERTEX_PULLING`.
    struct polyshade_options base;
    // `POLYSHADE_VERTEX_PULLING_…`, added up.
    uint32_t flags;
    // The descriptor set of the vertex buffers.
    uint32_t set;
    // The binding of the first vertex buffer.
    uint32_t binding;
    // 0
    uint32_t reserved;
    // The source of host parameters; `POLYSHADE_SOURCE_NONE`: a storage buffer one binding after the vertex buffers.
    struct polyshade_param_source params;
    const struct polyshade_attribute *attributes;
    size_t attribute_count;
    const struct polyshade_vertex_buffer *buffers;
    size_t buffer_count;
} polyshade_vertex_pulling_options;

// Options of a position-only variant, or of one that is drawn together with it and must have equal other members.
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
    // The kept outputs: `position`, `point-size`, `clip-distance` and so on, `location=3`, or a name. An empty list
    // means the outputs that the rasterizer needs.
    const char *const *keep;
    size_t keep_count;
} polyshade_position_only_options;

// A value: fixed for all draws, or a host parameter. The struct never grows.
typedef struct polyshade_value {
    // The source of the host parameter; `POLYSHADE_SOURCE_NONE` for a fixed value.
    struct polyshade_param_source param;
    // The fixed value.
    uint32_t fixed;
} polyshade_value;

// Options of the conversion of clip space: depth range, Y and rotation.
typedef struct polyshade_clip_space_options {
    // The size, and `POLYSHADE_OPTIONS_CLIP_SPACE`.
    struct polyshade_options base;
    // Whether the shader's depth range is -w … w, to be converted to 0 … w.
    struct polyshade_value depth;
    // Whether Y is negated.
    struct polyshade_value flip_y;
    // The number of quarter turns by which the image is rotated clockwise, after the flip of Y.
    struct polyshade_value rotation;
} polyshade_clip_space_options;

// Options of rasterizer discard.
typedef struct polyshade_rasterizer_discard_options {
    // The size, and `POLYSHADE_OPTIONS_RASTERIZER_DISCARD`.
    struct polyshade_options base;
    // Whether the stage discards all primitives; a fixed 1 discards them always.
    struct polyshade_value when;
} polyshade_rasterizer_discard_options;

// The blending of one color attachment. The struct never grows.
typedef struct polyshade_color_blend {
    // The location of the output; `POLYSHADE_NONE`: every output that no other element names.
    uint32_t location;
    // `POLYSHADE_BLENDING_…`
    uint32_t blending;
    // `POLYSHADE_COLOR_…`, added up.
    uint32_t flags;
    // `VkBlendOverlapEXT`
    uint32_t overlap;
    // Whether the source color is not premultiplied by its alpha.
    uint32_t straight_source;
    // Whether the destination color is not premultiplied by its alpha.
    uint32_t straight_destination;
    // `POLYSHADE_FORMAT_…`
    uint32_t format_class;
    // The bits of red, green, blue and alpha, one byte each, red in the lowest byte; 0 if they do not matter.
    uint32_t format_bits;
    // The `VkBlendOp` of each equation; an empty list means all equations.
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

// Options of blending: the targets, and the place of the destination.
typedef struct polyshade_blend_options {
    // The size, and `POLYSHADE_OPTIONS_ADVANCED_BLEND`.
    struct polyshade_options base;
    // `POLYSHADE_BLEND_…`, added up.
    uint32_t flags;
    // The number of samples for alpha to coverage in the shader; 0 turns it off.
    uint32_t coverage_samples;
    // `POLYSHADE_DESTINATION_…`
    uint32_t destination;
    // The set, binding and `InputAttachmentIndex` of the attachment at location 0, if the destination has them.
    uint32_t set;
    uint32_t binding;
    uint32_t index;
    // `POLYSHADE_LAYER_…`, for a texture.
    uint32_t layer;
    // The blend constants, if `constants_in` is `POLYSHADE_SOURCE_NONE`.
    float constants[4];
    // The source of the blend constants as host parameters; `POLYSHADE_SOURCE_NONE`: they are in `constants`.
    struct polyshade_param_source constants_in;
    // The host parameters that select equations; `POLYSHADE_SOURCE_NONE`: each target has one equation.
    struct polyshade_param_source select;
    // 0
    uint32_t reserved;
    // The blending of the attachments.
    const struct polyshade_color_blend *targets;
    size_t target_count;
} polyshade_blend_options;

// A change to the distances of a stage. A step ignores members that its constant does not name. The struct never
// grows.
typedef struct polyshade_clip_step {
    // `POLYSHADE_CLIP_NORMALIZE`, …
    uint32_t step;
    // Flags, `POLYSHADE_CLIP_WITHOUT_SEMANTICS` to `POLYSHADE_CLIP_GENERATE`, added up.
    uint32_t flags;
    // The numbers of clip and cull distances of the signature between two stages.
    uint32_t clip;
    uint32_t cull;
    // The first location of the distances that the stage writes as ordinary outputs.
    uint32_t location;
    // The first location of the distances that the stage reads as ordinary inputs.
    uint32_t read_at;
    // The first location at which the stage also writes its unchanged distances.
    uint32_t keep_at;
    // The number of planes, at most 8.
    uint32_t planes;
    // The location of a vec4 output; the planes are in its space, not in clip space.
    uint32_t vertex;
    // `POLYSHADE_PRIMITIVE_…`
    uint32_t primitive;
    // `POLYSHADE_PROVOKING_…`
    uint32_t provoking;
    // 0
    uint32_t reserved;
    // The source of the planes: four floats, 16 bytes, for each.
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
    // The locations that the fragment stage takes from the provoking vertex.
    const uint32_t *flat;
    size_t flat_count;
    // The locations that the fragment stage interpolates linearly in screen space.
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
    // The kind of the options in `json`.
    uint32_t of;
    // 0
    uint32_t reserved;
    // The options in the format of `polyshade_options_json`. Members that are missing have their default.
    const char *json;
} polyshade_json_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Makes the library take all its memory from the caller's functions. This must be the first call: later it fails
// with `POLYSHADE_ERROR_ARGUMENT`, because the library already has memory of the system's allocator. A static
// library that is linked with other Rust code uses that code's allocator, which is chosen before `main`.
polyshade_status polyshade_set_allocator(const struct polyshade_allocator *allocator,
                                         struct polyshade_error *error);

// Returns the SPIR-V of a shader (`POLYSHADE_COUNTER_PASS_…`), and the number of its words in `*word_count`. The
// entry point is `main`. The words are never freed. Returns NULL for an unknown shader.
const uint32_t *polyshade_counter_pass_words(uint32_t shader,
                                             size_t *word_count);

// Writes the `POLYSHADE_JOB_WORDS` words of a job, as the shaders read them, to `words`.
polyshade_status polyshade_job_words(const struct polyshade_job *job,
                                     uint32_t *words,
                                     struct polyshade_error *error);

// Writes the `POLYSHADE_LIST_WORDS` words of a list, as the shaders and indirect dispatches read them, to `words`.
polyshade_status polyshade_list_words(const struct polyshade_list *list,
                                      uint32_t *words,
                                      struct polyshade_error *error);

// Writes the template of a variant's host parameters, for `polyshade_job.template`, to `buffer`. `words` are `count`
// parameters of a plan, and `values` holds the value of each that the host knows. Values that the device computes
// are ignored. A draw index counts from its value on; the value of a start is the offset of the range in the
// binding. `*word_count` is the capacity of `buffer`, and becomes the number of words. If `buffer` is NULL, only the
// number is written.
polyshade_status polyshade_counter_pass_template(const struct polyshade_param_value *words,
                                                 const uint32_t *values,
                                                 size_t count,
                                                 uint32_t *buffer,
                                                 size_t *word_count,
                                                 struct polyshade_error *error);

// Writes the size in bytes of a draw's segment table to `*table_size`, for an index buffer of `index_size` bytes.
polyshade_status polyshade_counter_pass_table_size(uint32_t index_type,
                                                   uint32_t index_size,
                                                   uint32_t *table_size,
                                                   struct polyshade_error *error);

// Finds the primitive restarts in the indices of a draw. `indices` are the `byte_count` bytes of the index buffer
// from index 0 on, little-endian. The draw reads `index_count` of them from number `first_index` on. Writes the
// words of the table, which the host copies to a buffer that the shader reads, to `table`, and the primitives of an
// instance to `*primitives`. `*word_count` is the capacity of `table`, and becomes the number of words. If `table`
// is NULL, only the numbers are written.
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

// Writes the size in bytes of the table of counts of a geometry stage for a draw; 0 if there is no table. Returns
// `POLYSHADE_ERROR_OPTIONS` if the stage was not made for such a draw.
polyshade_status polyshade_layout_counts_size(const struct polyshade_layout *layout,
                                              const struct polyshade_draw *draw,
                                              uint64_t *size,
                                              struct polyshade_error *error);

// Writes the numbers of primitives that a draw with a geometry stage emits to the four vertex streams to the four
// elements of `emitted`, 2^32 - 1 at most. Returns `POLYSHADE_ERROR_UNSUPPORTED` if only the device knows them: then
// the table of counts has them (`needs_counts`), or the number of each invocation (`sparse_primitives`).
polyshade_status polyshade_layout_emitted(const struct polyshade_layout *layout,
                                          const struct polyshade_draw *draw,
                                          uint32_t *emitted,
                                          struct polyshade_error *error);

// Writes the number of primitives that a draw with a geometry stage stores, of the `emitted` ones of the vertex
// stream `stream`: those that fit into all ranges of the buffers that capture this stream.
polyshade_status polyshade_layout_primitives_of(const struct polyshade_layout *layout,
                                                uint32_t stream,
                                                uint32_t emitted,
                                                const struct polyshade_range *ranges,
                                                size_t range_count,
                                                uint64_t *written,
                                                struct polyshade_error *error);

// Advances the counters (`counter`) of the `range_count` elements of `ranges` by the bytes that a draw with a geometry
// stage stores. The four elements of `emitted` are the numbers of primitives that the draw has emitted to the vertex
// streams. The table of counts has no element in `ranges`. If the call fails, the counters do not change.
polyshade_status polyshade_layout_advance_by(const struct polyshade_layout *layout,
                                             const uint32_t *emitted,
                                             struct polyshade_range *ranges,
                                             size_t range_count,
                                             struct polyshade_error *error);

// Writes the sizes of the buffers of tessellation for a draw to `*sizes`, whose `size` must be set, if no level of a
// patch exceeds `level`; 64 is the maximum. `layout` is that of a step after the control stage. The sizes are 0
// without tessellation.
polyshade_status polyshade_layout_tessellation_sizes(const struct polyshade_layout *layout,
                                                     const struct polyshade_draw *draw,
                                                     float level,
                                                     struct polyshade_tessellation_sizes *sizes,
                                                     struct polyshade_error *error);

// Writes the 32-byte SHA-256 of options and a target, which may be NULL, to `hash`. Equal options have the same hash
// on every machine, whether they are structs or JSON; a new version of the lowering changes it. With
// `polyshade_module_hash`, or for a pipeline with the hashes of all its modules, it is the key of a cache.
polyshade_status polyshade_options_hash(const struct polyshade_options *options,
                                        const struct polyshade_target *target,
                                        uint8_t *hash,
                                        struct polyshade_error *error);

// Increments the reference count of a layout, and returns the layout. NULL returns NULL.
struct polyshade_layout *polyshade_layout_retain(struct polyshade_layout *layout);

// Decrements the reference count of a layout, and frees the layout with the last reference. NULL is ignored.
void polyshade_layout_release(struct polyshade_layout *layout);

// Saves a layout as bytes to `buffer`, for any machine and for later versions of the library. `*byte_count` is the
// capacity of `buffer`, and becomes the number of bytes. If `buffer` is NULL, only the number is written.
polyshade_status polyshade_layout_save(const struct polyshade_layout *layout,
                                       uint8_t *buffer,
                                       size_t *byte_count,
                                       struct polyshade_error *error);

// Loads a layout from the bytes of a `polyshade_layout_save` call. The caller must release `*layout`; it is NULL on
// failure.
polyshade_status polyshade_layout_load(const uint8_t *bytes,
                                       size_t byte_count,
                                       struct polyshade_layout **layout,
                                       struct polyshade_error *error);

// Describes a layout in `*info`, whose `size` must be set.
polyshade_status polyshade_layout_describe(const struct polyshade_layout *layout,
                                           struct polyshade_layout_info *info,
                                           struct polyshade_error *error);

// Describes a feedback buffer in `*info`, whose `size` must be set.
polyshade_status polyshade_layout_buffer(const struct polyshade_layout *layout,
                                         uint32_t buffer,
                                         struct polyshade_buffer_layout *info,
                                         struct polyshade_error *error);

// Describes a captured varying of a feedback buffer in `*captured`, whose `size` must be set.
polyshade_status polyshade_layout_captured(const struct polyshade_layout *layout,
                                           uint32_t buffer,
                                           uint32_t index,
                                           struct polyshade_captured *captured,
                                           struct polyshade_error *error);

// Writes the host parameters of a draw that captures into `ranges`, one for each feedback buffer, to `buffer`. For a
// geometry stage with `sparse_primitives`, the range of the table of counts follows those of the buffers.
// `*word_count` is the capacity of `buffer`, and becomes the number of parameters. If `buffer` is NULL, only the
// number is written.
polyshade_status polyshade_layout_host_params(const struct polyshade_layout *layout,
                                              const struct polyshade_draw *draw,
                                              const struct polyshade_range *ranges,
                                              size_t range_count,
                                              uint32_t *buffer,
                                              size_t *word_count,
                                              struct polyshade_error *error);

// Writes the numbers of work groups in x, y and z of the dispatch that captures a draw. A work group has
// `POLYSHADE_WORK_GROUP_SIZE` × 1 × 1 invocations. Returns `POLYSHADE_ERROR_OPTIONS` if the variants are drawn, not
// dispatched, or were not made for such a draw.
polyshade_status polyshade_layout_work_groups(const struct polyshade_layout *layout,
                                              const struct polyshade_draw *draw,
                                              uint32_t (*groups)[3],
                                              struct polyshade_error *error);

// Writes the size in bytes of the buffer for the spilled outputs of a draw. Returns `POLYSHADE_ERROR_OPTIONS` if the
// variants were made without `POLYSHADE_CAPTURE_SPILL_OUTPUTS` or not for such a draw.
polyshade_status polyshade_layout_outputs_size(const struct polyshade_layout *layout,
                                               const struct polyshade_draw *draw,
                                               uint64_t *size,
                                               struct polyshade_error *error);

// Writes the number of primitives of a draw that fit into all ranges, and are stored, to `*written`, and the number
// of all its primitives to `*generated`. Either pointer may be NULL.
polyshade_status polyshade_layout_primitives(const struct polyshade_layout *layout,
                                             const struct polyshade_draw *draw,
                                             const struct polyshade_range *ranges,
                                             size_t range_count,
                                             uint64_t *written,
                                             uint64_t *generated,
                                             struct polyshade_error *error);

// Advances the counters (`counter`) of the `range_count` elements of `ranges` by the bytes that a draw stores. If
// the call fails, the counters do not change.
polyshade_status polyshade_layout_advance(const struct polyshade_layout *layout,
                                          const struct polyshade_draw *draw,
                                          struct polyshade_range *ranges,
                                          size_t range_count,
                                          struct polyshade_error *error);

// Lowers one stage. `options` points to the `base` of a struct of options; a recipe is allowed. `target` may be
// NULL. The caller must release `*result`, which is NULL if the call fails and does not depend on `module`.
polyshade_status polyshade_lower(const struct polyshade_module *module,
                                 const struct polyshade_target *target,
                                 const struct polyshade_options *options,
                                 struct polyshade_result **result,
                                 struct polyshade_error *error);

// Lowers the stages of a pipeline, in pipeline order, by a recipe: one output for each stage. The caller must
// release `*result`, which is NULL if the call fails.
polyshade_status polyshade_lower_pipeline(const struct polyshade_stage *stages,
                                          size_t stage_count,
                                          const struct polyshade_options *options,
                                          struct polyshade_result **result,
                                          struct polyshade_error *error);

// Parses a module of `word_count` words, and copies them. Words of the other byte order are swapped. The caller must
// release `*module`, which is NULL if the call fails.
polyshade_status polyshade_module_parse(const uint32_t *words,
                                        size_t word_count,
                                        struct polyshade_module **module,
                                        struct polyshade_error *error);

// Parses a module of `byte_count` bytes, as in a file, at any alignment, and copies them. The caller must release
// `*module`, which is NULL if the call fails.
polyshade_status polyshade_module_parse_bytes(const uint8_t *bytes,
                                              size_t byte_count,
                                              struct polyshade_module **module,
                                              struct polyshade_error *error);

// Increments the reference count of a module, and returns the module. NULL returns NULL.
struct polyshade_module *polyshade_module_retain(struct polyshade_module *module);

// Decrements the reference count of a module, and frees the module with the last reference. NULL is ignored.
void polyshade_module_release(struct polyshade_module *module);

// Returns the words of a module, valid as long as the module, and their number in `*word_count`; NULL for NULL.
const uint32_t *polyshade_module_words(const struct polyshade_module *module,
                                       size_t *word_count);

// Copies the words of a module to `buffer`. `*word_count` is the capacity of `buffer`, and becomes the number of
// words. If `buffer` is NULL, only the number is written.
polyshade_status polyshade_module_copy_words(const struct polyshade_module *module,
                                             uint32_t *buffer,
                                             size_t *word_count,
                                             struct polyshade_error *error);

// Writes the 32-byte SHA-256 of the module's little-endian words to `hash`, for the key of a cache.
polyshade_status polyshade_module_hash(const struct polyshade_module *module,
                                       uint8_t *hash,
                                       struct polyshade_error *error);

// Writes the value of the host parameter that selects the equation of a `VkBlendOp` to `*word`.
polyshade_status polyshade_blend_word(uint32_t blend_op,
                                      uint32_t *word,
                                      struct polyshade_error *error);

// Writes the options of any struct as JSON to `buffer`. `*length` is the capacity of `buffer`, and becomes the
// length of the text with its terminating zero. If `buffer` is NULL, only the length is written.
polyshade_status polyshade_options_json(const struct polyshade_options *options,
                                        char *buffer,
                                        size_t *length,
                                        struct polyshade_error *error);

// Describes the vertex format with a name such as `VK_FORMAT_R8G8B8A8_UNORM` in `*format`, whose `size` must be set.
polyshade_status polyshade_vertex_format_info(const char *name,
                                              struct polyshade_vertex_format *format,
                                              struct polyshade_error *error);

// Plans a draw or the blending of attachments. `state` is JSON in the format of `polyshade plan`, with the device.
// The caller must release `*plan`, which is NULL if the call fails.
polyshade_status polyshade_plan_make(const char *state,
                                     struct polyshade_plan **plan,
                                     struct polyshade_error *error);

// Increments the reference count of a plan, and returns the plan. NULL returns NULL.
struct polyshade_plan *polyshade_plan_retain(struct polyshade_plan *plan);

// Decrements the reference count of a plan, and frees the plan with the last reference. NULL is ignored.
void polyshade_plan_release(struct polyshade_plan *plan);

// Returns the plan as JSON, in the format of the program. The text is valid as long as the plan. NULL returns NULL.
const char *polyshade_plan_json(const struct polyshade_plan *plan);

// Returns the plan as text for people. The text is valid as long as the plan. NULL returns NULL.
const char *polyshade_plan_text(const struct polyshade_plan *plan);

// Describes a plan in `*info`, whose `size` must be set.
polyshade_status polyshade_plan_describe(const struct polyshade_plan *plan,
                                         struct polyshade_plan_info *info,
                                         struct polyshade_error *error);

// Describes a step in `*step`, whose `size` must be set. The host executes the steps in their order.
polyshade_status polyshade_plan_step(const struct polyshade_plan *plan,
                                     uint32_t index,
                                     struct polyshade_step *step,
                                     struct polyshade_error *error);

// Describes a module in `*info`, whose `size` must be set.
polyshade_status polyshade_module_describe(const struct polyshade_module *module,
                                           struct polyshade_module_info *info,
                                           struct polyshade_error *error);

// Describes an entry point in `*info`, whose `size` must be set.
polyshade_status polyshade_module_entry(const struct polyshade_module *module,
                                        uint32_t index,
                                        struct polyshade_entry_point *info,
                                        struct polyshade_error *error);

// Describes a variable of an entry point in `*info`, whose `size` must be set. Members of a block follow the block.
polyshade_status polyshade_module_variable(const struct polyshade_module *module,
                                           uint32_t entry_index,
                                           uint32_t index,
                                           struct polyshade_variable *info,
                                           struct polyshade_error *error);

// Describes a varying of an entry point, and whether it can be captured, in `*info`, whose `size` must be set.
polyshade_status polyshade_module_capturable(const struct polyshade_module *module,
                                             uint32_t entry_index,
                                             uint32_t index,
                                             struct polyshade_capturable *info,
                                             struct polyshade_error *error);

// Increments the reference count of a result, and returns the result. NULL returns NULL.
struct polyshade_result *polyshade_result_retain(struct polyshade_result *result);

// Decrements the reference count of a result, and frees the result with the last reference. NULL is ignored.
void polyshade_result_release(struct polyshade_result *result);

// Returns the number of outputs of a result; 0 for NULL.
uint32_t polyshade_result_count(const struct polyshade_result *result);

// Describes an output in `*info`, whose `size` must be set.
polyshade_status polyshade_result_output(const struct polyshade_result *result,
                                         uint32_t index,
                                         struct polyshade_output *info,
                                         struct polyshade_error *error);

// Returns the module of an output. The caller must release `*module`; it is NULL on failure, and outlives the result.
polyshade_status polyshade_result_module(const struct polyshade_result *result,
                                         uint32_t index,
                                         struct polyshade_module **module,
                                         struct polyshade_error *error);

// Returns the layout of an output. The caller must release `*layout`; it is NULL on failure, and outlives the result.
polyshade_status polyshade_result_layout(const struct polyshade_result *result,
                                         uint32_t index,
                                         struct polyshade_layout **layout,
                                         struct polyshade_error *error);

// Copies the words of an output's module to `buffer`. `*word_count` is the capacity of `buffer`, and becomes the
// number of words. If `buffer` is NULL, only the number is written.
polyshade_status polyshade_result_copy_words(const struct polyshade_result *result,
                                             uint32_t index,
                                             uint32_t *buffer,
                                             size_t *word_count,
                                             struct polyshade_error *error);

// Describes a host parameter in `*word`, whose `size` must be set.
polyshade_status polyshade_result_host_param(const struct polyshade_result *result,
                                             uint32_t output_index,
                                             uint32_t index,
                                             struct polyshade_host_param *word,
                                             struct polyshade_error *error);

// Describes a descriptor that the host binds in `*info`, whose `size` must be set.
polyshade_status polyshade_result_descriptor(const struct polyshade_result *result,
                                             uint32_t output_index,
                                             uint32_t index,
                                             struct polyshade_descriptor *info,
                                             struct polyshade_error *error);

// Describes an extension, feature or limit that the device must have in `*need`, whose `size` must be set.
polyshade_status polyshade_result_need(const struct polyshade_result *result,
                                       uint32_t output_index,
                                       uint32_t index,
                                       struct polyshade_need *need,
                                       struct polyshade_error *error);

// Writes an output as JSON, as in the program's reports, to `buffer`. `*length` is the capacity of `buffer`, and
// becomes the length of the text with its terminating zero. If `buffer` is NULL, only the length is written.
polyshade_status polyshade_result_json(const struct polyshade_result *result,
                                       uint32_t index,
                                       char *buffer,
                                       size_t *length,
                                       struct polyshade_error *error);

// Lowers a geometry stage that is captured after a vertex stage. `steps` are `POLYSHADE_GEOMETRY_…`, added up: one
// output for each, in the order of their values. `options` are of the kind `POLYSHADE_OPTIONS_CAPTURE_STORAGE`; with
// `POLYSHADE_CAPTURE_COMPUTE`, the steps `COUNT`, `SUM` and `CAPTURE` are compute stages. `before` is the layout of
// the vertex stage: of `POLYSHADE_GEOMETRY_VERTEX`, or before compute stages of a capture of the vertex shader with
// `POLYSHADE_CAPTURE_COMPUTE` and `POLYSHADE_CAPTURE_SPILL_OUTPUTS`. The steps `COUNT` and `SUM` fail with
// `POLYSHADE_ERROR_OPTIONS` if no counts are needed (`needs_counts` in the layout of `CAPTURE`). The caller must
// release `*result`, which is NULL if the call fails.
polyshade_status polyshade_lower_geometry(const struct polyshade_module *module,
                                          const struct polyshade_target *target,
                                          uint32_t steps,
                                          const struct polyshade_layout *before,
                                          const struct polyshade_options *options,
                                          struct polyshade_result **result,
                                          struct polyshade_error *error);

// Lowers tessellation to compute stages and a vertex stage. `steps` are `POLYSHADE_TESSELLATION_…`, added up: one
// output for each, in the order of their values. `POLYSHADE_TESSELLATION_CONTROL` takes the control shader, and
// `before` is the layout of a capture of the vertex shader with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`. The other steps
// take the evaluation shader, and `before` is the layout of the control stage. `options` are of the kind
// `POLYSHADE_OPTIONS_TESSELLATION`. The caller must release `*result`, which is NULL if the call fails.
polyshade_status polyshade_lower_tessellation(const struct polyshade_module *module,
                                              const struct polyshade_target *target,
                                              uint32_t steps,
                                              const struct polyshade_layout *before,
                                              const struct polyshade_options *options,
                                              struct polyshade_result **result,
                                              struct polyshade_error *error);

// Writes the minimum of every Vulkan device, without transform feedback, to `*device`, whose `size` must be set.
polyshade_status polyshade_device_defaults(struct polyshade_device *device,
                                           struct polyshade_error *error);

// Returns the version of the loaded library: 65,536 × the major, plus 256 × the minor, plus the patch version.
uint32_t polyshade_version(void);

// Returns the version of the loaded library as text, which is never freed.
const char *polyshade_version_text(void);

// Writes the version of the lowering of a kind of options (`POLYSHADE_OPTIONS_…`) to `*version`. It increases when
// the lowering produces other words for equal inputs, and is part of `polyshade_options_hash`.
polyshade_status polyshade_lowering_version(uint32_t kind,
                                            uint32_t *version,
                                            struct polyshade_error *error);

/* Each returns a struct of zeros with its size. */

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

static inline polyshade_draw polyshade_draw_init(void) {
    polyshade_draw value;
    memset(&value, 0, sizeof value);
    value.size = (uint32_t)sizeof value;
    return value;
}

static inline polyshade_tessellation_sizes polyshade_tessellation_sizes_init(void) {
    polyshade_tessellation_sizes value;
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
