//! The codes of this crate's errors. The codes for modules that cannot be parsed are in [`polyshade_spv::code`].

use polyshade_spv::{Code, Error, Id, Inst};

polyshade_spv::codes! {
    // Entry points, interfaces and side effects; any lowering can return these codes.
    ENTRY_POINT_AMBIGUOUS_STAGE: Options, "entry-point.ambiguous-stage",
        "Name the stage: several entry points of the module share this name.";
    ENTRY_POINT_UNSUPPORTED_STAGE: Unsupported, "entry-point.unsupported-stage",
        "Choose an entry point of a stage that this lowering supports.";
    LOWERING_ALREADY_APPLIED: Unsupported, "lowering.already-applied",
        "Apply the lowering once, to the module as the compiler wrote it.";
    SPIRV_UNKNOWN_INSTRUCTION: Unsupported, "spirv.unknown-instruction",
        "Compile the shader without the extension that adds this instruction.";
    INTERFACE_NOT_A_VARIABLE: Unsupported, "interface.not-a-variable",
        "Validate the module: the interface of an entry point must list variables.";
    INTERFACE_NO_FREE_LOCATION: Unsupported, "interface.no-free-location",
        "State how many output components the device has, or let the shader use fewer locations.";
    INTERFACE_INTERPOLATED_INPUT: Unsupported, "interface.interpolated-input",
        "Read the input without interpolateAtCentroid, interpolateAtSample and interpolateAtOffset.";
    INTERFACE_SHARED_PARAMETER: Unsupported, "interface.shared-parameter",
        "Inline the function: it is called with pointers to variables that change and to other variables.";
    INTERFACE_SHARED_TYPE: Unsupported, "interface.shared-type",
        "Declare a separate structure or array type for the variable that changes.";
    INTERFACE_SMALL_TYPE: Unsupported, "interface.small-type",
        "Declare the capability Int8, Int16 or Float16, or use 32-bit inputs and outputs.";
    INTERFACE_TOO_MANY_DIMENSIONS: Unsupported, "interface.too-many-dimensions",
        "Use arrays of fewer dimensions as inputs and outputs.";
    INTERFACE_UNKNOWN_LENGTH: Unsupported, "interface.unknown-length",
        "Give the array a constant length, or access its elements one by one.";
    INTERFACE_NOT_FLOATS: Unsupported, "interface.not-floats",
        "Declare the variable with 32-bit floats only.";
    INTERFACE_DYNAMIC_STORE: Unsupported, "interface.dynamic-store",
        "Store to a component with a constant index, or store the whole output.";
    INTERFACE_UNSUPPORTED_ACCESS: Unsupported, "interface.unsupported-access",
        "Inline functions that take pointers to the variable, and use only loads and stores on it.";
    INTERFACE_INITIALIZED_OUTPUT: Unsupported, "interface.initialized-output",
        "Store the initial value at the start of the shader.";
    INTERFACE_LOADED_OUTPUT: Unsupported, "interface.loaded-output",
        "Keep the value in a variable of the shader, and load that variable.";
    INTERFACE_PARTIAL_STORE: Unsupported, "interface.partial-store",
        "Store all components of the output at once, for one vertex at a time.";
    INTERFACE_POSITION_TYPE: Unsupported, "interface.position-type",
        "Declare Position as a vector of four 32-bit floats.";
    BLOCK_ARRAYED: Unsupported, "block.arrayed",
        "Declare the blocks of the array as separate variables.";
    BLOCK_INITIALIZER: Unsupported, "block.initializer",
        "Store the initial value of the block at the start of the shader.";
    BLOCK_NOT_A_STRUCTURE: Unsupported, "block.not-a-structure",
        "Name a variable whose type is a structure.";
    BLOCK_USED_AS_A_WHOLE: Unsupported, "block.used-as-a-whole",
        "Load and store the members of the block one by one.";
    SIDE_EFFECTS_UNASSIGNED: Unsupported, "side-effects.unassigned",
        "Choose the variant that keeps the shader's stores to memory.";
    SIDE_EFFECTS_READ_BACK: Unsupported, "side-effects.read-back",
        "Write to memory that the shader does not read, or use a single pass.";
    SIDE_EFFECTS_RESULT_USED: Unsupported, "side-effects.result-used",
        "Do not use the result of the atomic instruction, or use a single pass.";
    FRAGMENT_EARLY_TESTS: Unsupported, "fragment.early-tests",
        "Do not write depth, stencil or the sample mask, and do not discard, if fragment tests must be early.";
    FRAGMENT_PER_SAMPLE: Unsupported, "fragment.per-sample",
        "Use attachments with one sample, or remove code that depends on the number of invocations.";
    SPECIALIZATION_CONFLICTING_VALUES: Options, "specialization.conflicting-values",
        "Give each specialization constant one value.";
    SPECIALIZATION_NOT_FOUND: NotFound, "specialization.not-found",
        "Give the SpecId of one of the shader's specialization constants.";
    DEVICE_MISSING_FEATURE: Unsupported, "device.missing-feature",
        "Use a device that has the feature, or capture with storage buffers.";
    DEVICE_LIMIT: Unsupported, "device.limit",
        "Stay within the limits of the device, or state larger limits if the device has them.";

    // Bindings and host parameters.
    BINDING_RESERVED: Options, "binding.reserved",
        "Choose a binding that is not reserved.";
    BINDING_TAKEN: Options, "binding.taken",
        "Choose a binding that the shader does not use.";
    BINDING_DUPLICATE: Options, "binding.duplicate",
        "Give each added resource a different binding.";
    BINDING_NONE_FREE: Options, "binding.none-free",
        "Choose the descriptor set and the first binding, or reserve less.";
    BINDING_OUT_OF_RANGE: Options, "binding.out-of-range",
        "Choose a smaller first binding.";
    BINDING_WITH_ADDRESS: Options, "binding.with-address",
        "Choose either a descriptor set and binding, or buffer device addresses.";
    BINDING_PARAMS_CONFLICT: Options, "binding.params-conflict",
        "Choose a binding for the host parameters that differs from those of all added buffers.";
    PARAMS_OVERLAP: Options, "params.overlap",
        "Give each group of host parameters a different source.";
    PARAMS_INVALID_SOURCE: Options, "params.invalid-source",
        "Write the source of host parameters in one of the listed forms.";
    PARAMS_ATTRIBUTE_STAGE: Options, "params.attribute-stage",
        "Use a vertex attribute for host parameters in vertex stages only.";
    PARAMS_ATTRIBUTE_TAKEN: Options, "params.attribute-taken",
        "Choose a location at which the vertex stage has no input.";
    PARAMS_PUSH_CONSTANTS_RESERVED: Options, "params.push-constants-reserved",
        "Choose an offset in the push constants that is not reserved.";
    PARAMS_PUSH_CONSTANTS_OFFSET: Options, "params.push-constants-offset",
        "Choose an offset that is a multiple of 4 and within the push constants.";
    PARAMS_PUSH_CONSTANTS_OVERLAP: Options, "params.push-constants-overlap",
        "Choose an offset after the shader's own push constants.";
    PARAMS_PUSH_CONSTANTS_SIZE: Unsupported, "params.push-constants-size",
        "Put the host parameters elsewhere: the size of the shader's push constants is unknown.";
    PARAMS_PUSH_CONSTANTS_TYPE: Unsupported, "params.push-constants-type",
        "Put the host parameters elsewhere: the shader's push constants are not a typed structure.";
    PARAMS_PUSH_CONSTANTS_SHARED: Unsupported, "params.push-constants-shared",
        "Put the host parameters elsewhere: the push-constant block has other users.";
    PARAMS_SPECIALIZATION_RESERVED: Options, "params.specialization-reserved",
        "Choose a SpecId that is not reserved.";
    PARAMS_SPECIALIZATION_TAKEN: Options, "params.specialization-taken",
        "Choose a SpecId that the shader does not use.";
    PARAMS_SPECIALIZATION_RANGE: Options, "params.specialization-range",
        "Choose a smaller first SpecId.";
    PARAMS_ADDRESSING_MODEL: Unsupported, "params.addressing-model",
        "Put the host parameters in a buffer that is bound, or use a module with logical addressing.";

    // Transform feedback.
    CAPTURE_NO_VARYINGS: Options, "capture.no-varyings",
        "Name at least one output to capture.";
    CAPTURE_NO_XFB_MODE: Options, "capture.no-xfb-mode",
        "Name the outputs to capture, or compile the shader with the Xfb execution mode.";
    CAPTURE_OUTPUT_NOT_FOUND: NotFound, "capture.output-not-found",
        "Name an output of the entry point.";
    CAPTURE_AMBIGUOUS_NAME: Options, "capture.ambiguous-name",
        "Name the output by its location: two outputs share the name.";
    CAPTURE_AMBIGUOUS_LOCATION: Options, "capture.ambiguous-location",
        "Name the outputs, or give their ids: two are at the same location.";
    CAPTURE_INVALID_VARYING: Options, "capture.invalid-varying",
        "Write the varying as a name, location=3, semantic=TEXCOORD1 or id=20.";
    CAPTURE_INVALID_STREAM_OUTPUT: Options, "capture.invalid-stream-output",
        "Write the entry as SEMANTIC0.xyz, 1:SEMANTIC0.xyz, $SKIP.xy or location=3.xy.";
    CAPTURE_GAP_IN_SEPARATE: Options, "capture.gap-in-separate",
        "Use gl_NextBuffer and gl_SkipComponents with interleaved varyings only.";
    CAPTURE_DUPLICATE_VARYING: Options, "capture.duplicate-varying",
        "Name each output once, or allow duplicates.";
    CAPTURE_OVERLAP: Options, "capture.overlap",
        "Capture each output to bytes of the vertex that no other output takes.";
    CAPTURE_SPLIT_COMPONENT: Options, "capture.split-component",
        "Capture both halves of a 64-bit component.";
    CAPTURE_TOO_MANY_BUFFERS: Options, "capture.too-many-buffers",
        "Capture to four feedback buffers at most.";
    CAPTURE_INVALID_STRIDE: Options, "capture.invalid-stride",
        "Give a stride that is a multiple of 4 and not over the limit.";
    CAPTURE_STRIDE_TOO_SMALL: Options, "capture.stride-too-small",
        "Give a stride that holds all outputs that the buffer captures.";
    CAPTURE_VERTEX_TOO_LARGE: Options, "capture.vertex-too-large",
        "Capture fewer outputs to one buffer, or give arrays a smaller size.";
    CAPTURE_AGGREGATE: Unsupported, "capture.aggregate",
        "Name the members of the structure, or the elements of the array.";
    CAPTURE_NESTED_TOO_DEEP: Unsupported, "capture.nested-too-deep",
        "Name a more deeply nested member of the output.";
    CAPTURE_COMPONENT_TYPE: Unsupported, "capture.component-type",
        "Capture outputs whose components are 32 or 64 bits wide.";
    CAPTURE_VECTOR_SIZE: Unsupported, "capture.vector-size",
        "Validate the module: vectors and matrix columns have two to four components.";
    CAPTURE_SPECIALIZED_SIZE: Unsupported, "capture.specialized-size",
        "Give the values of the specialization constants that the size of the output depends on.";
    CAPTURE_STREAM_STAGE: Malformed, "capture.stream-stage",
        "Decorate outputs with Stream in geometry stages only.";
    CAPTURE_SPECIALIZED_STREAM: Unsupported, "capture.specialized-stream",
        "Give the vertex stream as a constant that is not a specialization constant.";
    CAPTURE_STREAMS_SHARE_BUFFER: Options, "capture.streams-share-buffer",
        "Capture outputs of different vertex streams to different buffers.";
    GEOMETRY_OPTION: Unsupported, "geometry.option",
        "Leave out the option. Restart and spilled outputs need a geometry stage that runs as a compute stage.";
    GEOMETRY_TOPOLOGY: Options, "geometry.topology",
        "Name only topologies that form the input primitive of the geometry stage.";
    GEOMETRY_MODES: Malformed, "geometry.modes",
        "Validate the module: a geometry stage states its input and output primitives and the number of vertices.";
    GEOMETRY_UNKNOWN_COUNT: Unsupported, "geometry.unknown-count",
        "Use the functions that take the emitted numbers: constants, or numbers from the table of counts.";
    GEOMETRY_CONSTANT_COUNT: Options, "geometry.constant-count",
        "Leave out the count and its sum, and capture directly.";
    GEOMETRY_INPUTS: Options, "geometry.inputs",
        "Give the layout of the vertex stage: with spilled outputs before a compute stage, else of geometry::vertex.";
    GEOMETRY_LOCATION_TAKEN: Options, "geometry.location-taken",
        "Reserve the location in the target of geometry::vertex: the geometry stage has an input there.";
    GEOMETRY_RASTER_OUTPUT: Unsupported, "geometry.raster-output",
        "Do not write the output, or capture without rasterizing: a vertex stage cannot write it.";
    TESSELLATION_OPTION: Unsupported, "tessellation.option",
        "Give only bindings, bound host parameters, specialization constants and 1 to 32 vertices of a patch.";
    TESSELLATION_INPUTS: Options, "tessellation.inputs",
        "Give the layout of a vertex stage with spilled outputs, and to the later stages that of the control stage.";
    TESSELLATION_MODES: Malformed, "tessellation.modes",
        "State the number of vertices in the control shader, and the same modes in both shaders or in one of them.";
    TESSELLATION_BUILT_IN: Unsupported, "tessellation.built-in",
        "Do not read the built-in input: the stage that runs the shader instead lacks it.";
    CAPTURE_INCOMPLETE_DECORATIONS: Malformed, "capture.incomplete-decorations",
        "Decorate the output with XfbBuffer and XfbStride as well as Offset.";
    CAPTURE_CONFLICTING_STRIDES: Malformed, "capture.conflicting-strides",
        "Give all outputs of one XfbBuffer the same XfbStride.";
    CAPTURE_MISALIGNED_DECORATIONS: Malformed, "capture.misaligned-decorations",
        "Make Offset and XfbStride multiples of the size of a component.";
    CAPTURE_OUTPUT_ALREADY_LOWERED: Unsupported, "capture.output-already-lowered",
        "Capture first, and apply the other lowering to the result.";
    CAPTURE_ENTRY_POINT_TAKEN: Unsupported, "capture.entry-point-taken",
        "Rename the module's compute entry point, or capture in the vertex stage.";
    CAPTURE_COMPUTE_ATTRIBUTE: Unsupported, "capture.compute-attribute",
        "Give the address of the vertex-pulling parameters in another way: compute stages have no attributes.";
    CAPTURE_COMPUTE_BUILT_IN: Unsupported, "capture.compute-built-in",
        "Capture in the vertex stage: compute stages lack a built-in input that the shader reads.";
    CAPTURE_NEEDS_VERTEX_PULLING: Unsupported, "capture.needs-vertex-pulling",
        "Apply vertex pulling first.";
    CAPTURE_NO_COMBINED_VARIANT: Unsupported, "capture.no-combined-variant",
        "Capture and rasterize with two variants.";
    CAPTURE_NO_TOPOLOGY: Options, "capture.no-topology",
        "List at least one topology.";
    CAPTURE_SPILL_NOT_REQUESTED: Options, "capture.spill-not-requested",
        "Set `spill_outputs` in the options of the capture.";
    CAPTURE_SPILL_BY_ADDRESS: Options, "capture.spill-by-address",
        "Put the host parameters in a buffer that is bound, or do without `spill_outputs`.";
    CAPTURE_SPILL_RESTART: Options, "capture.spill-restart",
        "Draw without primitive restart, or do without `spill_outputs`.";
    CAPTURE_SPILL_TOO_LARGE: Unsupported, "capture.spill-too-large",
        "Do without `spill_outputs`: the outputs of a vertex take too many bytes.";
    CAPTURE_SPILL_EMPTY: Unsupported, "capture.spill-empty",
        "Do without `spill_outputs`: the shader has no outputs that can be stored.";
    CAPTURE_DRAWS_WITH_EXTENSION: Options, "capture.draws-with-extension",
        "Restrict draws only if the shader captures with storage buffers.";
    CAPTURE_DRAW_MISMATCH: Options, "capture.draw-mismatch",
        "Make variants for draws with this topology, these instances and these indices.";
    CAPTURE_DRAW_TOO_LARGE: Options, "capture.draw-too-large",
        "Split the draw.";
    CAPTURE_INDICES_MISALIGNED: Options, "capture.indices-misaligned",
        "Align the indices to their size, and the segment table to 4 bytes.";
    CAPTURE_NO_SEGMENT_TABLE: Options, "capture.no-segment-table",
        "Give the segment table of the index buffer.";
    CAPTURE_NOT_COMPUTE: Options, "capture.not-compute",
        "Draw these variants, or make variants for a compute stage.";
    CAPTURE_RANGE_COUNT: Options, "capture.range-count",
        "Give one range for each feedback buffer.";
    CAPTURE_RANGE_MISALIGNED: Options, "capture.range-misaligned",
        "Give offsets, sizes and addresses of feedback buffers that are multiples of 4.";
    CAPTURE_UNBOUND_BUFFER: Options, "capture.unbound-buffer",
        "Bind every feedback buffer, or make variants that allow unbound buffers.";

    // Position-only shaders.
    POSITION_ONLY_INVALID_OUTPUT: Options, "position-only.invalid-output",
        "Write the output as position, point-size, another built-in, location=3 or a name.";
    POSITION_ONLY_OUTPUT_NOT_FOUND: NotFound, "position-only.output-not-found",
        "Name an output of the entry point.";
    POSITION_ONLY_INSEPARABLE: Unsupported, "position-only.inseparable",
        "Inline functions that take pointers to kept and to dropped outputs.";
    POSITION_ONLY_OUTPUT_READ: Unsupported, "position-only.output-read",
        "Keep the output: the shader reads it in a stage with several invocations.";

    // Clip and cull distances.
    CLIP_NO_PLANES: Options, "clip.no-planes",
        "Give at least one clip plane.";
    CLIP_VERTEX_NOT_FOUND: NotFound, "clip.vertex-not-found",
        "Name an output that holds the position in the space of the clip planes.";
    CLIP_OWN_DISTANCES: Unsupported, "clip.own-distances",
        "Add clip planes only to shaders that write no clip distances.";
    CLIP_TOO_MANY_DISTANCES: Unsupported, "clip.too-many-distances",
        "Use eight clip and cull distances at most.";
    CLIP_TOO_MANY_REGISTERS: Options, "clip.too-many-registers",
        "Mark clip and cull distances in two registers at most.";
    CLIP_FEWER_DISTANCES: Options, "clip.fewer-distances",
        "Give a signature with at least as many distances as the stage declares.";
    CLIP_ALREADY_SEPARATE: Options, "clip.already-separate",
        "Leave the distances as they are: clip and cull distances are in separate arrays already.";
    CLIP_DISTANCE_TYPE: Unsupported, "clip.distance-type",
        "Declare distances as 32-bit floats, or as arrays or vectors of them with a constant size.";
    CLIP_DISTANCE_LOCATION: Unsupported, "clip.distance-location",
        "Decorate the distance with a Location.";
    CLIP_DUPLICATE_DISTANCES: Unsupported, "clip.duplicate-distances",
        "Write distances either to the built-in array or to registers.";
    CLIP_UNLINKED_DISTANCE: Options, "clip.unlinked-distance",
        "Link the distance, or list no semantic for it.";
    CLIP_INVALID_SEMANTIC: Options, "clip.invalid-semantic",
        "Write a semantic as clip=3, cull=4.xy or clip=3-4.";
    CLIP_CONFLICTING_SEMANTICS: Options, "clip.conflicting-semantics",
        "Mark a component either as clip or as cull distance.";
    CLIP_SEMANTIC_NOT_FOUND: NotFound, "clip.semantic-not-found",
        "Mark locations at which the stage has an input or output.";
    CLIP_NO_LOCATION: Options, "clip.no-location",
        "Give the location at which the previous stage passes the distances.";
    CLIP_LOCATION_TAKEN: Options, "clip.location-taken",
        "Choose a location that is neither used nor reserved.";
    CLIP_LOCATION_OUT_OF_RANGE: Options, "clip.location-out-of-range",
        "Choose a smaller location.";
    CLIP_MASK_CAPTURED: Unsupported, "clip.mask-captured",
        "Give a location at which the original distances are captured.";
    CLIP_CAPTURED_DISTANCES: Unsupported, "clip.captured-distances",
        "Do not capture the distances with the extension, or capture them with storage buffers.";
    CLIP_CAPTURED_STAGE: Unsupported, "clip.captured-stage",
        "Do not capture the stage with the extension, or capture it with storage buffers.";
    CLIP_PRIMITIVE_MISMATCH: Options, "clip.primitive-mismatch",
        "Give the primitives that the tessellation evaluation stage emits.";
    CLIP_UNREADABLE_BUILT_IN: Unsupported, "clip.unreadable-built-in",
        "Do not write the built-in output: geometry stages cannot read it.";
    CLIP_OUTPUT_TYPE: Unsupported, "clip.output-type",
        "Give outputs constant sizes and types that geometry stages can read.";
    CLIP_INTERPOLATION: Unsupported, "clip.interpolation",
        "Read distances with the interpolation that clipping uses: perspective, at the centre of the pixel.";
    CLIP_MIXED_INTERPOLATION: Unsupported, "clip.mixed-interpolation",
        "Give all distances the same interpolation decorations.";
    CLIP_POST_DEPTH_COVERAGE: Unsupported, "clip.post-depth-coverage",
        "Do not read the sample mask with the execution mode PostDepthCoverage.";
    CLIP_GEOMETRY_MODES: Unsupported, "clip.geometry-modes",
        "Validate the module: a geometry stage needs an output primitive and OutputVertices.";
    CLIP_STREAMS: Unsupported, "clip.streams",
        "Emit vertices to stream 0 only.";
    CLIP_NO_SIGNATURE: Options, "clip.no-signature",
        "Give the numbers of clip and cull distances that the last stage writes.";

    // Vertex pulling.
    VERTEX_PULLING_INVALID_FORMAT: Options, "vertex-pulling.invalid-format",
        "Name a vertex format as VkFormat does, such as r8g8b8a8_unorm.";
    VERTEX_PULLING_FORMAT_MISMATCH: Options, "vertex-pulling.format-mismatch",
        "Give the attribute a format with the numeric type that the shader reads.";
    VERTEX_PULLING_INVALID_STRIDE: Options, "vertex-pulling.invalid-stride",
        "Give a stride within the limit that is a multiple of the format's alignment.";
    VERTEX_PULLING_INVALID_OFFSET: Options, "vertex-pulling.invalid-offset",
        "Give an offset that is a multiple of the format's alignment and ends below 4 GiB.";
    VERTEX_PULLING_BEYOND_STRIDE: Options, "vertex-pulling.beyond-stride",
        "Let the attribute end within the stride, or allow access beyond it.";
    VERTEX_PULLING_UNUSED_BUFFER: Options, "vertex-pulling.unused-buffer",
        "Describe only vertex buffers that hold attributes.";
    VERTEX_PULLING_BUFFER_NOT_DESCRIBED: Options, "vertex-pulling.buffer-not-described",
        "Describe the vertex buffer of each attribute.";
    VERTEX_PULLING_INPUT_LOCATION: Unsupported, "vertex-pulling.input-location",
        "Decorate each input with a Location, outside of structures.";
    VERTEX_PULLING_INPUT_TYPE: Unsupported, "vertex-pulling.input-type",
        "Declare the input as a number, vector, matrix or array of these.";
    VERTEX_PULLING_INPUT_RANGE: Unsupported, "vertex-pulling.input-range",
        "Use only locations and components that devices support for the input.";
    VERTEX_PULLING_SPECIALIZED_SIZE: Unsupported, "vertex-pulling.specialized-size",
        "Give the input array a size that is not specialized.";

    // Blending.
    BLEND_UNKNOWN_NAME: Options, "blend.unknown-name",
        "Name one of the listed blend factors, operations or equations.";
    BLEND_INVALID_EXPRESSION: Options, "blend.invalid-expression",
        "Write the blend function as SOURCE,DESTINATION or SOURCE,DESTINATION,OPERATION.";
    BLEND_INVALID_FORMAT: Options, "blend.invalid-format",
        "Name a colour format as VkFormat does, such as R8G8B8A8_UNORM.";
    BLEND_NO_EQUATION: Options, "blend.no-equation",
        "Give each blended target an equation.";
    BLEND_NO_SELECTOR: Options, "blend.no-selector",
        "Give one equation, or a host parameter that selects one.";
    BLEND_NO_SECOND_SOURCE: Options, "blend.no-second-source",
        "Use factors of the first source, or write the output with index 1.";
    BLEND_INTEGER_FORMAT: Options, "blend.integer-format",
        "Do not blend attachments with an integer format.";
    BLEND_ADVANCED_ONLY: Options, "blend.advanced-only",
        "Use overlap, kinds of alpha and clamping with advanced equations only.";
    BLEND_CONSTANTS_SOURCE: Options, "blend.constants-source",
        "Give the blend constants and the selector the same source.";
    BLEND_SAMPLE_COUNT: Options, "blend.sample-count",
        "Give a power of two from 1 to 32 as the number of samples.";
    BLEND_SAMPLE_COUNT_MISMATCH: Options, "blend.sample-count-mismatch",
        "Request multisampled attachments exactly if alpha to coverage has several samples.";
    BLEND_INPUT_ATTACHMENT_TAKEN: Options, "blend.input-attachment-taken",
        "Choose an input attachment index that the shader does not use.";
    BLEND_FORMAT_MISMATCH: Unsupported, "blend.format-mismatch",
        "Give the format of the attachment, or leave the target as it is.";
    BLEND_LOGIC_FORMAT: Unsupported, "blend.logic-format",
        "Use logic operations with integer and unsigned normalized formats only.";
    BLEND_SRGB_STORAGE_IMAGE: Unsupported, "blend.srgb-storage-image",
        "Read the destination in another way, or draw to a format that is not sRGB.";
    BLEND_COVERAGE_STORAGE_IMAGE: Unsupported, "blend.coverage-storage-image",
        "Read the destination in another way: coverage does not mask storage images.";
    BLEND_COVERAGE_NOT_BLENDED: Unsupported, "blend.coverage-not-blended",
        "Leave alphaToCoverageEnable on: the output at location 0 is not blended here.";
    BLEND_COVERAGE_NO_ALPHA: Unsupported, "blend.coverage-no-alpha",
        "Write an output with alpha at location 0.";
    BLEND_ALPHA_TO_ONE_INTEGER: Unsupported, "blend.alpha-to-one-integer",
        "Do not request alpha to one for integer outputs.";
    BLEND_ALPHA_TO_ONE_NOT_BLENDED: Unsupported, "blend.alpha-to-one-not-blended",
        "Leave alphaToOneEnable on: the output at location 0 is not blended here.";
    BLEND_INVALID_OUTPUT: Malformed, "blend.invalid-output",
        "Validate the module: Index, Component or Location of an output is out of range.";
    BLEND_OVERLAPPING_OUTPUTS: Unsupported, "blend.overlapping-outputs",
        "Give each output components that no other output has.";
    BLEND_MIXED_TYPES: Unsupported, "blend.mixed-types",
        "Give all outputs at one location the same component type.";
    BLEND_OUTPUT_TYPE: Unsupported, "blend.output-type",
        "Declare outputs as scalars or vectors, outside of structures.";
    BLEND_SPECIALIZED_SIZE: Unsupported, "blend.specialized-size",
        "Give the array of outputs a size that is not specialized.";
    BLEND_SHARED_VARIABLE: Unsupported, "blend.shared-variable",
        "Declare outputs that are blended and outputs that are not as separate variables.";
    BLEND_OWN_INTERLOCK: Unsupported, "blend.own-interlock",
        "Read the destination in another way: the shader has a fragment shader interlock.";
    BLEND_MEMORY_MODEL: Unsupported, "blend.memory-model",
        "Compile the shader with the memory model GLSL450, or read the destination in another way.";
    BLEND_SAMPLE_MASK: Unsupported, "blend.sample-mask",
        "Read the destination in another way: the shader writes the sample mask.";

    // Lowering several stages of a pipeline together.
    PIPELINE_STAGE_ORDER: Options, "pipeline.stage-order",
        "List each stage of the pipeline once, in the order in which they run.";
    PIPELINE_MISSING_STAGE: Options, "pipeline.missing-stage",
        "Add the stage to the pipeline, or remove the field of the recipe.";
    PIPELINE_NOT_RASTERIZED: Options, "pipeline.not-rasterized",
        "Remove the field of the recipe: the capture-only variant is not rasterized.";
}

/// Refuses a module because of the variable, function, type or other thing `id`.
pub(crate) fn refuse<T>(
    code: &'static Code,
    message: impl Into<String>,
    id: Id,
) -> Result<T, Error> {
    Err(Error::new(code, message).about(id))
}

/// Refuses a module because of `inst`, which concerns the thing `id`.
pub(crate) fn refuse_at<T>(
    code: &'static Code,
    message: impl Into<String>,
    id: Id,
    inst: Inst<'_>,
) -> Result<T, Error> {
    Err(Error::new(code, message).about(id).at(inst.at()))
}
