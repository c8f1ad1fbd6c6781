//! The planner refuses impossible requests and states the reason.

use crate::states::{
    anew, byte_count, change, counters, pipeline, resumed, storage, with_capture, with_storage,
};
use polyshade::ErrorKind;
use polyshade::host::{AddressSource, Binding, ParamSource, Set, SideEffects};
use polyshade_planner::{
    self as planner, Begin, Bound, ByteCount, Call, Counter, Device, Draw, Emitted, End,
    FeedbackBuffer, ParamRange, ParamValue, PassState, Path, Pipeline, Preset, Query, Step,
    Topology, TransformFeedback, Use, Uses,
};

#[track_caller]
pub(crate) fn refused(device: impl Into<Device>, pipeline: &Pipeline, draw: &Draw, reason: &str) {
    expect(device, pipeline, draw, ErrorKind::Unsupported, reason);
}

#[track_caller]
fn contradicts(device: impl Into<Device>, pipeline: &Pipeline, draw: &Draw, reason: &str) {
    expect(device, pipeline, draw, ErrorKind::Options, reason);
}

#[track_caller]
fn expect(
    device: impl Into<Device>,
    pipeline: &Pipeline,
    draw: &Draw,
    kind: ErrorKind,
    reason: &str,
) {
    let error = planner::plan(&device.into(), pipeline, draw).expect_err(reason);
    assert!(error.message().contains(reason), "{error}");
    assert_eq!(error.kind(), kind, "{error}");
}

#[test]
fn ranges_lie_in_their_buffers() {
    for (bound, reason) in [
        (Bound { buffer: None, buffer_size: 64, offset: 68, size: None }, "begins at byte 68"),
        (
            Bound { buffer: None, buffer_size: 64, offset: 32, size: Some(36) },
            "the range has 36 bytes, but only 32 bytes are left",
        ),
        (Bound { buffer: None, buffer_size: 64, offset: 2, size: Some(4) }, "in multiples of 4"),
        (Bound { buffer: None, buffer_size: 64, offset: 0, size: Some(6) }, "in multiples of 4"),
        (
            Bound { buffer: None, buffer_size: u64::MAX, offset: u64::MAX, size: Some(u64::MAX) },
            "but only 0 bytes are left",
        ),
    ] {
        for preset in [Preset::Vulkan, Preset::VulkanMobile] {
            let draw = change(|active| active.buffers[1] = Some(bound));
            contradicts(preset, &pipeline(), &draw, reason);
        }
    }
    let huge = Bound { buffer: None, buffer_size: 1 << 40, offset: 0, size: None };
    let draw = change(|active| active.buffers[1] = Some(huge));
    refused(Preset::Vulkan, &pipeline(), &draw, "a range of 1099511627776 bytes");
    refused(Preset::VulkanMobile, &pipeline(), &draw, "a storage buffer range of");
}

/// Vulkan cannot bind a range that begins at the end of its buffer, and an empty buffer has no other range.
#[test]
fn a_range_begins_in_its_buffer() {
    for (buffer_size, size) in [(4096, None), (4096, Some(0)), (0, None)] {
        let bound = Bound { buffer: None, buffer_size, offset: buffer_size, size };
        let draw = change(|active| active.buffers[1] = Some(bound));
        refused(Preset::Vulkan, &pipeline(), &draw, "pOffsets-02358");
        refused(Preset::VulkanMobile, &pipeline(), &draw, "an empty range at the end of a buffer");
    }
}

/// On the storage path the host owns the counters, and does not know the values that the application writes to them.
#[test]
fn counters_that_the_application_writes_are_not_the_hosts() {
    let written = |one| Uses { counters: vec![Use::Save, one], ..Uses::default() };
    for one in [Use::CopyDestination, Use::HostWrite] {
        let draw = Draw { before: written(one), ..resumed() };
        refused(Preset::VulkanMobile, &pipeline(), &draw, "that the application has written");
        assert!(planner::plan(&Preset::Vulkan.into(), &pipeline(), &draw).is_ok());
    }
    let read = Draw { before: written(Use::CopySource), ..resumed() };
    assert!(planner::plan(&Preset::VulkanMobile.into(), &pipeline(), &read).is_ok());
    let anew = Draw { before: written(Use::CopyDestination), ..anew() };
    assert!(planner::plan(&Preset::VulkanMobile.into(), &pipeline(), &anew).is_ok());
}

/// No barrier is possible between the read of the counter that provides the vertex count and the end of the capture.
#[test]
fn a_counter_that_counts_vertices_is_not_saved_by_the_same_draw() {
    let counted = |counter| {
        let count = ByteCount { before: vec![Use::Save], ..byte_count(Path::Extension, counter) };
        Draw { call: Call::ByteCount(count), ..resumed() }
    };
    let Some(own) = counters()[1] else { panic!("it has two") };
    contradicts(Preset::Vulkan, &pipeline(), &counted(own), "cannot save counter (7, 4)");
    let other = Counter { offset: 8, ..own };
    assert!(planner::plan(&Preset::Vulkan.into(), &pipeline(), &counted(other)).is_ok());
}

/// Metal's 31 slots are shared by buffers of every kind.
#[test]
fn metal_counts_what_stands_beside_storage_buffers() {
    let with = |storage_buffers, host| {
        with_storage(|storage| {
            (storage.storage_buffers, storage.params_at) = (storage_buffers, host);
        })
    };
    let own = ParamSource::StorageBuffer { set: Set(3), binding: Binding(2) };
    let pushed = ParamSource::PushConstant { offset: 0 };
    let reason = "need 32 storage buffers, but the device supports 31";
    refused(Preset::Metal, &with(31, own), &anew(), reason);
    refused(Preset::Metal, &with(30, pushed), &anew(), reason);
    assert!(planner::plan(&Preset::Metal.into(), &with(30, own), &anew()).is_ok());
    assert!(planner::plan(&Preset::Metal.into(), &with(29, pushed), &anew()).is_ok());
}

#[test]
fn counters_are_whole_words_of_buffers_that_are_there() {
    let odd = vec![Some(Counter { buffer: 0, offset: 2 })];
    let draw = change(|active| active.end = End::Save(odd));
    contradicts(Preset::Vulkan, &pipeline(), &draw, "the counter offset 2 is not a multiple of 4");
    let three = [counters(), counters()].concat();
    let draw = change(|active| active.begin = Begin::Resume(three));
    let reason = "4 counters are given, but the pipeline captures to 2 feedback buffers";
    contradicts(Preset::Vulkan, &pipeline(), &draw, reason);
}

#[test]
fn running_capture_is_left_alone() {
    let draw = change(|active| active.begin = Begin::Running);
    contradicts(Preset::Vulkan, &pipeline(), &draw, "cannot wait for other work");
    let outside = Draw { pass: PassState::Outside, before: Default::default(), ..draw };
    contradicts(Preset::Vulkan, &pipeline(), &outside, "no render pass is active");
    let draw = change(|active| active.end = End::Running);
    contradicts(Preset::Vulkan, &pipeline(), &draw, "cannot wait after the draw");
}

#[test]
fn a_device_and_its_api_agree() {
    let feature = Device::from(Preset::Vulkan).transform_feedback;
    let device = Device { transform_feedback: feature, ..Preset::Metal.into() };
    contradicts(device, &pipeline(), &anew(), "Metal has no VK_EXT_transform_feedback");
    let extension = with_capture(|capture| capture.path = Some(Path::Extension));
    refused(Preset::Metal, &extension, &anew(), "no VK_EXT_transform_feedback");
}

#[test]
fn limits_are_kept() {
    let five = with_capture(|capture| capture.buffers = vec![FeedbackBuffer::default(); 5]);
    refused(Preset::Vulkan, &five, &anew(), "cannot capture to 5 feedback buffers");
    let wide = with_capture(|capture| capture.buffers[0].stride = 4096);
    refused(
        Preset::Vulkan,
        &wide,
        &anew(),
        "4096 bytes of stride exceed the limit of 2048 (maxTransformFeedbackBufferDataStride)",
    );
    let odd = with_capture(|capture| capture.buffers[0].stride = 6);
    let more = with_capture(|capture| capture.buffers[0].data = Some(20));
    contradicts(Preset::Vulkan, &more, &anew(), "takes 20 bytes of buffer 0, whose stride");
    contradicts(Preset::Vulkan, &odd, &anew(), "6 bytes, is not a multiple of 4");
    let none = with_capture(|capture| capture.buffers[..].fill(FeedbackBuffer::default()));
    contradicts(Preset::Vulkan, &none, &anew(), "no feedback buffer captures anything");

    let mobile = Preset::VulkanMobile;
    let crowded = with_storage(|storage| storage.storage_buffers = 5);
    refused(mobile, &crowded, &anew(), "5 storage buffers, but the device supports 4");
    let far = with_storage(|storage| storage.set.0 = 4);
    refused(mobile, &far, &anew(), "5 descriptor sets, but the device supports 4");
    let pushed =
        with_storage(|storage| storage.params_at = ParamSource::PushConstant { offset: 100 });
    refused(mobile, &pushed, &anew(), "144 bytes of push constants exceed the limit of 128");
    let at = |offset| {
        let host = ParamSource::Address(AddressSource::PushConstant { offset });
        with_capture(|capture| {
            let storage = storage(capture);
            // No descriptors are bound, so their limits do not matter.
            (storage.params_at, storage.set.0, storage.storage_buffers) = (host, 99, 0);
            capture.path = Some(Path::Storage);
        })
    };
    refused(mobile, &at(120), &anew(), "does not support buffer addresses (bufferDeviceAddress");
    let reason = "136 bytes of push constants exceed the limit of 128";
    refused(Preset::Vulkan, &at(128), &anew(), reason);
    assert!(planner::plan(&Preset::Vulkan.into(), &at(120), &anew()).is_ok());
    let missing = with_capture(|capture| capture.storage = None);
    refused(mobile, &missing, &anew(), "does not describe the bindings of the storage path");
}

/// Each limit of the extension is tested at the needed value and one below it. The message contains the limit's name.
#[test]
fn limits_of_the_extension_have_their_names() {
    let pipeline = with_capture(|capture| {
        capture.buffers[0] = FeedbackBuffer { stride: 64, data: Some(60), ..Default::default() };
        capture.buffers[1] = FeedbackBuffer { stride: 48, data: None, ..Default::default() };
    });
    let enough = TransformFeedback {
        max_buffers: 2,
        max_buffer_size: 8192,
        max_stream_data: 108,
        max_buffer_data: 60,
        max_stride: 64,
        ..TransformFeedback::default()
    };
    let device = |has: TransformFeedback| Device {
        transform_feedback: Some(has),
        ..Device::from(Preset::Vulkan)
    };
    assert!(planner::plan(&device(enough), &pipeline, &anew()).is_ok());
    for (less, reason) in [
        (
            TransformFeedback { max_buffers: 1, ..enough },
            "2 feedback buffers exceed the limit of 1 (maxTransformFeedbackBuffers)",
        ),
        (
            TransformFeedback { max_buffer_size: 8188, ..enough },
            "a range of 8192 bytes exceeds the limit of 8188 (maxTransformFeedbackBufferSize)",
        ),
        (
            TransformFeedback { max_stream_data: 107, ..enough },
            "108 bytes of a vertex in a stream exceed the limit of 107 (maxTransformFeedbackStreamDataSize)",
        ),
        (
            TransformFeedback { max_buffer_data: 59, ..enough },
            "60 bytes of a vertex in a buffer exceed the limit of 59 (maxTransformFeedbackBufferDataSize)",
        ),
        (
            TransformFeedback { max_stride: 63, ..enough },
            "64 bytes of stride exceed the limit of 63 (maxTransformFeedbackBufferDataStride)",
        ),
    ] {
        refused(device(less), &pipeline, &anew(), reason);
    }
    // Vulkan guarantees one buffer, one stream, and 512 bytes per vertex.
    let least = device(TransformFeedback::default());
    let one = |stride| {
        with_capture(|capture| {
            capture.buffers = vec![FeedbackBuffer { stride, ..Default::default() }]
        })
    };
    assert!(planner::plan(&least, &one(512), &anew()).is_ok());
    refused(least.clone(), &one(516), &anew(), "516 bytes of stride exceed the limit of 512");
    refused(least, &with_capture(|_| {}), &anew(), "2 feedback buffers exceed the limit of 1");
}

#[test]
fn streams_need_a_device_that_has_them() {
    let streams = with_capture(|capture| capture.buffers[1].stream = 1);
    contradicts(Preset::Vulkan, &streams, &anew(), "stream 1 without a geometry stage");
    let points = Pipeline { geometry: Some(Emitted::Points), ..streams };
    assert!(planner::plan(&Preset::Vulkan.into(), &points, &anew()).is_ok());
    let lines = Pipeline { geometry: Some(Emitted::LineStrips), ..points.clone() };
    let reason = "several streams of lines or triangles (transformFeedbackStreamsLinesTriangles)";
    refused(Preset::Vulkan, &lines, &anew(), reason);
    let mut device = Device::from(Preset::Vulkan);
    let has = device.transform_feedback.as_mut().expect("the preset has it");
    has.geometry_streams = false;
    refused(device, &points, &anew(), "no geometry streams (geometryStreams)");
    let last = with_capture(|capture| capture.buffers[1].stream = 4);
    let last = Pipeline { geometry: Some(Emitted::Points), ..last };
    refused(Preset::Vulkan, &last, &anew(), "supports 4 streams (maxTransformFeedbackStreams)");
    let draw = Draw { queries: vec![Query::Stream(9)], ..anew() };
    refused(Preset::Vulkan, &pipeline(), &draw, "cannot query stream 9");
}

#[test]
fn what_the_variants_cannot_capture() {
    let mobile = Preset::VulkanMobile;
    // Refuse calls and stages.
    for (call, reason) in [
        (Call::Indexed, "were not made for draws with indices"),
        (Call::IndexedIndirect, "were not made for draws with indices"),
        (Call::Indirect, "the host does not know draw arguments in buffers"),
    ] {
        refused(mobile, &pipeline(), &Draw { call, ..anew() }, reason);
    }
    let geometry = Pipeline { geometry: Some(Emitted::Points), ..pipeline() };
    refused(mobile, &geometry, &anew(), "vertex stages only");
    // Refuse unbound buffers.
    let first = change(|active| active.buffers[0] = None);
    refused(Preset::Vulkan, &pipeline(), &first, "a counter for feedback buffer 1: an earlier");
    let uncounted = change(|active| {
        active.buffers[0] = None;
        (active.begin, active.end) = (Begin::Anew, End::Forget);
    });
    let uncounted = Draw { before: Uses::default(), next: Uses::default(), ..uncounted };
    assert!(planner::plan(&Preset::Vulkan.into(), &pipeline(), &uncounted).is_ok());
    let unbound = change(|active| active.buffers[1] = None);
    refused(mobile, &pipeline(), &unbound, "feedback buffer 1 captures outputs");
    assert!(planner::plan(&Preset::Vulkan.into(), &pipeline(), &unbound).is_ok());
    // Refuse topologies.
    let adjacency = Topology::TriangleListWithAdjacency;
    let pipeline = Pipeline { topology: adjacency, ..pipeline() };
    refused(mobile, &pipeline, &anew(), "were not made for a triangle list with adjacency");
    let made = with_storage(|storage| storage.topologies.extend(adjacency.captured()));
    let made = Pipeline { topology: adjacency, ..made };
    assert!(planner::plan(&mobile.into(), &made, &anew()).is_ok());
    let strip = Pipeline { topology: Topology::TriangleStrip, ..made };
    refused(mobile, &strip, &anew(), "the variants were not made for a triangle strip");
    assert!(planner::plan(&Preset::Vulkan.into(), &pipeline, &anew()).is_ok());
}

#[test]
fn a_vertex_stage_has_to_be_able_to_store() {
    let stored = with_capture(|capture| capture.path = Some(Path::Storage));
    refused(Preset::WebGpu, &stored, &anew(), "does not support stores in vertex stages");
    refused(Device::default(), &stored, &anew(), "vertexPipelineStoresAndAtomics");
    // Draw variants cannot be dispatched, and dispatch variants cannot be drawn.
    let drawn = named(&["topology", "first_vertex", "vertex_count", "first_instance"]);
    refused(Preset::WebGpu, &drawn, &anew(), "does not support stores in vertex stages");
    let dispatched = named(&["vertex_count", "instance_count", "first_instance"]);
    refused(Preset::VulkanMobile, &dispatched, &anew(), "must be dispatched, not drawn");
    for device in [Preset::WebGpu.into(), Device::default()] {
        let plan = planner::plan(&device, &pipeline(), &anew()).expect("a compute stage stores");
        assert_eq!(plan.path, Some(Path::Compute));
    }
    let fan = Pipeline { topology: Topology::TriangleFan, ..pipeline() };
    refused(Preset::WebGpuNative, &fan, &anew(), "lists and strips");
}

#[test]
fn side_effects_happen_once() {
    let fan = |side_effects| Pipeline {
        topology: Topology::TriangleFan,
        side_effects: Some(side_effects),
        ..pipeline()
    };
    let mobile = Preset::VulkanMobile;
    refused(mobile, &fan(SideEffects::Refuse), &anew(), "two passes would repeat");
    let discarded = Pipeline { rasterizer_discard: true, ..fan(SideEffects::InSecondPass) };
    refused(mobile, &discarded, &anew(), "the shader's own stores is not drawn");
    assert!(planner::plan(&mobile.into(), &fan(SideEffects::InFirstPass), &anew()).is_ok());
}

#[test]
fn counts_come_from_whoever_keeps_them() {
    let count = |path, stride| {
        let counter = Counter { buffer: 0, offset: 0 };
        let count = ByteCount { stride, ..byte_count(path, counter) };
        Draw { call: Call::ByteCount(count), ..Draw::default() }
    };
    let plain = Pipeline::default();
    refused(Preset::Metal, &plain, &count(Path::Extension, 16), "cannot read the vertex count");
    refused(Preset::Vulkan, &plain, &count(Path::Extension, 4096), "a vertex stride of 4096 bytes");
    contradicts(Preset::Vulkan, &plain, &count(Path::Extension, 0), "the vertex stride of 0 bytes");
    let captured = Draw { call: count(Path::Extension, 16).call, ..anew() };
    refused(Preset::VulkanMobile, &pipeline(), &captured, "does not know the value of the counter");
}

#[test]
fn other_contradictions() {
    contradicts(Preset::Vulkan, &Pipeline::default(), &anew(), "the pipeline captures nothing");
    let views = Pipeline { multiview: true, ..pipeline() };
    refused(Preset::Vulkan, &views, &anew(), "several views");
    let patches = Pipeline { topology: Topology::PatchList, ..pipeline() };
    contradicts(Preset::Vulkan, &patches, &anew(), "patch lists and tessellation stages");
    let draw = Draw { reads: vec![Use::Resume], ..anew() };
    contradicts(Preset::Vulkan, &pipeline(), &draw, "accesses counters");
    let draw = Draw { queries: vec![Query::Stream(0); 2], ..anew() };
    contradicts(Preset::Vulkan, &pipeline(), &draw, "is listed twice");
    let draw = Draw { reads: vec![Use::Vertices; 65], ..anew() };
    contradicts(Preset::Vulkan, &pipeline(), &draw, "more than 64 entries");
    let looped = Pipeline { topology: Topology::LineLoop, ..pipeline() };
    refused(Preset::Vulkan, &looped, &anew(), "cannot capture line loops");
}

/// Returns a pipeline whose variants read these host parameters, by name.
fn named(words: &[&str]) -> Pipeline {
    let words = words.iter().map(|word| (*word).to_owned());
    with_storage(|storage| storage.params = words.collect())
}

#[test]
fn words_are_filled_in_by_their_names() {
    let device = Preset::VulkanMobile.into();
    let pipeline = named(&["first_vertex", "slots", "limit", "start_1", "counter_0"]);
    let plan = planner::plan(&device, &pipeline, &resumed()).expect("it is planned");
    let words = plan.steps.iter().find_map(|step| match step {
        Step::FillIn(words) => Some(words),
        _ => None,
    });
    let words = words.expect("the host fills in words");
    let host_counter =
        |number: usize| ParamValue::Counter(counters()[number].expect("there are two"));
    let expected = [
        ParamValue::FirstVertex,
        ParamValue::Slots,
        ParamValue::Limit,
        ParamValue::Start(1),
        host_counter(0),
    ];
    assert_eq!(words.values, expected);
    let range = |offset, size, number| {
        let counter = host_counter(number);
        ParamRange { offset, size, counter, unbound: false }
    };
    assert_eq!(words.ranges, [range(4, 4096, 0), range(0, 8192, 1)]);
}

#[test]
fn words_that_nobody_knows() {
    for word in ["number", "start_2", "size_x", "offset"] {
        let reason = format!("unknown host parameter `{word}`");
        refused(Preset::VulkanMobile, &named(&[word]), &resumed(), &reason);
    }
}
