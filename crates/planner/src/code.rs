//! The codes of this crate's errors. [`polyshade::code`] has the error codes of modules and lowerings.

polyshade_spv::codes! {
    PLAN_NOTHING_CAPTURED: Options, "plan.nothing-captured",
        "Describe the capture of the pipeline, with at least one buffer that captures outputs.";
    PLAN_INVALID_DEVICE: Options, "plan.invalid-device",
        "Describe VK_EXT_transform_feedback for Vulkan devices only.";
    PLAN_PATCHES: Options, "plan.patches",
        "Use patch lists exactly if the pipeline has tessellation stages.";
    PLAN_EMITTED_VERTICES: Options, "plan.emitted-vertices",
        "Give the number of emitted vertices exactly if the pipeline has a geometry stage.";
    PLAN_TOO_MANY_ENTRIES: Options, "plan.too-many-entries",
        "Shorten the list of accesses or queries.";
    PLAN_INVALID_ACCESS: Options, "plan.invalid-access",
        "List accesses to counters with the counters, not with the captured data.";
    PLAN_DUPLICATE_QUERY: Options, "plan.duplicate-query",
        "List each query once.";
    PLAN_INVALID_BYTE_COUNT: Options, "plan.invalid-byte-count",
        "Give a vertex stride that is a positive multiple of 4.";
    PLAN_COUNTER_MISALIGNED: Options, "plan.counter-misaligned",
        "Give counter offsets that are multiples of 4.";
    PLAN_COUNTER_IN_USE: Options, "plan.counter-in-use",
        "Save to a different counter than the one that gives the vertex count of the draw.";
    PLAN_INVALID_STRIDE: Options, "plan.invalid-stride",
        "Give a stride that is a multiple of 4, within the limit and large enough for the captured outputs.";
    PLAN_BUFFER_COUNT: Options, "plan.buffer-count",
        "Bind and count no more feedback buffers than the pipeline captures.";
    PLAN_RANGE_OUT_OF_BOUNDS: Options, "plan.range-out-of-bounds",
        "Give a range that lies within its buffer.";
    PLAN_RANGE_MISALIGNED: Options, "plan.range-misaligned",
        "Give offsets and sizes of ranges that are multiples of 4.";
    PLAN_WAIT_DURING_CAPTURE: Options, "plan.wait-during-capture",
        "End the capture before a draw that has to wait for other work.";
    PLAN_CAPTURE_OUTSIDE_PASS: Options, "plan.capture-outside-pass",
        "Describe the render pass in which the capture is active.";
    PLAN_STREAM_STAGE: Options, "plan.stream-stage",
        "Capture streams other than 0 in pipelines with a geometry stage only.";
    PLAN_OTHER_DRAW: Options, "plan.other-draw",
        "Use the plan with the device, pipeline and draw that it was made for.";
    PLAN_TOO_MANY_ATTACHMENTS: Options, "plan.too-many-attachments",
        "List no more attachments than maxColorAttachments.";
    PLAN_NO_EQUATION: Options, "plan.no-equation",
        "Give each attachment that is blended with advanced equations at least one equation.";

    PLAN_MISSING_FEATURE: Unsupported, "plan.missing-feature",
        "Choose another path, or a device that has the feature.";
    PLAN_DEVICE_LIMIT: Unsupported, "plan.device-limit",
        "Stay within the limits of the device, or choose another path.";
    PLAN_TOO_MANY_BUFFERS: Unsupported, "plan.too-many-buffers",
        "Capture to four feedback buffers at most.";
    PLAN_MULTIVIEW: Unsupported, "plan.multiview",
        "Draw each view in a separate render pass.";
    PLAN_TOPOLOGY: Unsupported, "plan.topology",
        "Choose another path or another topology.";
    PLAN_PRIMITIVE_RESTART: Unsupported, "plan.primitive-restart",
        "Plan for strips with primitive restart, and for lists without.";
    PLAN_PROVOKING_VERTEX: Unsupported, "plan.provoking-vertex",
        "Plan for the first vertex as the provoking vertex.";
    PLAN_HOST_READS_BUFFERS: Unsupported, "plan.host-reads-buffers",
        "Draw a topology that the API supports, or draw without index and argument buffers.";
    PLAN_HOST_COUNTERS: Unsupported, "plan.host-counters",
        "Put the counters on the device.";
    PLAN_QUERY: Unsupported, "plan.query",
        "Query draws without argument buffers, tessellation and geometry stages, or put the counters on the device.";
    PLAN_PARAMS_SOURCE: Unsupported, "plan.params-source",
        "Lower the shader with host parameters in a buffer or at an address.";
    PLAN_UNKNOWN_PARAM: Unsupported, "plan.unknown-param",
        "List only host parameters that the capture has.";
    PLAN_NO_STORAGE_LAYOUT: Unsupported, "plan.no-storage-layout",
        "Describe the resources that the variants bind on the storage path.";
    PLAN_STAGE: Unsupported, "plan.stage",
        "Capture geometry and tessellation stages with VK_EXT_transform_feedback.";
    PLAN_VARIANT_MISMATCH: Unsupported, "plan.variant-mismatch",
        "Make variants for draws of this kind.";
    PLAN_SIDE_EFFECTS: Unsupported, "plan.side-effects",
        "Choose the variant that keeps the shader's stores to memory, and draw it.";
    PLAN_STORES_BESIDE_OUTPUTS: Unsupported, "plan.stores-beside-outputs",
        "Draw lists or strips without indices.";
    PLAN_PASS_MUST_END: Unsupported, "plan.pass-must-end",
        "Let the plan end the render pass, or wait for other work before it begins.";
    PLAN_UNBOUND_BUFFER: Unsupported, "plan.unbound-buffer",
        "Bind every feedback buffer, or make variants that access buffers by address and allow unbound buffers.";
    PLAN_EMPTY_RANGE: Unsupported, "plan.empty-range",
        "Bind a range that is not empty.";
    PLAN_OVERLAPPING_RANGES: Unsupported, "plan.overlapping-ranges",
        "Place the feedback ranges of one buffer further apart.";
    PLAN_COUNTER_AFTER_UNBOUND: Unsupported, "plan.counter-after-unbound",
        "Bind every feedback buffer whose number is lower than that of the last one with a counter.";
    PLAN_TOO_MANY_DISTANCES: Unsupported, "plan.too-many-distances",
        "Use eight clip and cull distances at most.";
    PLAN_APPROXIMATE_DISTANCES: Unsupported, "plan.approximate-distances",
        "Allow approximate distances, which discard fragments.";
    PLAN_BLENDING_PATH: Unsupported, "plan.blending-path",
        "Choose another blending path, or a device that supports one.";
}
