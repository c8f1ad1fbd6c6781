//! Any device, pipeline and draw to plan for.

use crate::Choices;
use polyshade::moves::{Binding, Set};
use polyshade::planner::{
    Active, Begin, Bound, ByteCount, Call, Capture, Counter, Device, Draw, Emitted, End, Feedback,
    FeedbackBuffer, PassState, Path, Pipeline, Preset, Query, RasterizationOff, ShaderStage,
    Storage, Topology, Use, Uses,
};
use polyshade::transform_feedback::{HostWords, ProvokingVertex, SideEffects};

/// A device like one of the presets.
pub fn device(choices: &mut Choices) -> Device {
    let mut device = Device::from(choices.of(&Preset::ALL));
    if choices.below(4) < 3 {
        return device;
    }
    device.vertex_stores = choices.maybe();
    device.stores_beside_outputs = choices.maybe();
    device.rasterization_off = choices.of(&[
        RasterizationOff::Always,
        RasterizationOff::WithoutOutputs,
        RasterizationOff::Never,
    ]);
    device.passes_without_attachments = choices.maybe();
    device.dynamic_rendering = choices.maybe();
    device.triangle_fans = choices.maybe();
    device.max_bound_sets = choices.number();
    device.max_storage_buffers = choices.number();
    device.max_storage_range = choices.number();
    device.storage_alignment = choices.number();
    device.max_push_constants = choices.number();
    if let Some(feedback) = &mut device.transform_feedback {
        feedback.max_streams = choices.number();
        feedback.max_buffers = choices.number();
        feedback.max_buffer_size = u64::from(choices.number());
        feedback.max_stream_data = choices.number();
        feedback.max_buffer_data = choices.number();
        feedback.max_stride = choices.number();
        feedback.queries = choices.maybe();
        feedback.draw = choices.maybe();
        feedback.geometry_streams = choices.maybe();
        feedback.streams_lines_triangles = choices.maybe();
    }
    if choices.maybe() {
        device.provoking_vertex = None;
    }
    if choices.maybe() {
        device.primitives_generated = None;
    }
    device
}

/// A pipeline that captures in some way, or not.
pub fn pipeline(choices: &mut Choices) -> Pipeline {
    Pipeline {
        topology: topology(choices),
        provoking_vertex: choices.of(&[ProvokingVertex::First, ProvokingVertex::Last]),
        tessellation: choices.below(8) == 7,
        geometry: match choices.below(8) {
            7 => Some(choices.of(&[Emitted::Points, Emitted::LineStrips, Emitted::TriangleStrips])),
            _ => None,
        },
        rasterizer_discard: choices.maybe(),
        discard_constant: choices.maybe().then(|| choices.number()),
        multiview: choices.below(8) == 7,
        side_effects: choices.of(&[
            None,
            Some(SideEffects::InCapture),
            Some(SideEffects::InRaster),
            Some(SideEffects::Refuse),
        ]),
        capture: (choices.below(8) < 7).then(|| capture(choices)),
    }
}

fn topology(choices: &mut Choices) -> Topology {
    choices.of(&[
        Topology::TriangleList,
        Topology::PointList,
        Topology::LineList,
        Topology::LineStrip,
        Topology::LineLoop,
        Topology::TriangleStrip,
        Topology::TriangleFan,
        Topology::LineListWithAdjacency,
        Topology::LineStripWithAdjacency,
        Topology::TriangleListWithAdjacency,
        Topology::TriangleStripWithAdjacency,
        Topology::PatchList,
    ])
}

fn capture(choices: &mut Choices) -> Capture {
    let (set, binding) = (Set(choices.number()), Binding(choices.number()));
    let host = match choices.below(4) {
        0 => HostWords::StorageBuffer { set, binding: Binding(choices.number()) },
        1 => HostWords::Uniform { set, binding: Binding(choices.number()) },
        2 => HostWords::PushConstant { offset: choices.number() },
        _ => HostWords::Specialization { first_id: choices.number() },
    };
    let buffer = |choices: &mut Choices| FeedbackBuffer {
        stride: choices.offset(),
        stream: choices.below(8) / 7 * choices.number(),
        data: (choices.below(4) == 3).then(|| choices.number()),
    };
    Capture {
        path: choices.of(&[None, Some(Path::Extension), Some(Path::Storage)]),
        buffers: (0..choices.below(6)).map(|_| buffer(choices)).collect(),
        storage: (choices.below(8) < 7).then(|| Storage {
            set,
            binding,
            host,
            storage_buffers: choices.number(),
        }),
    }
}

/// A draw in any state.
pub fn draw(choices: &mut Choices) -> Draw {
    let call = match choices.below(5) {
        0 => Call::Vertices,
        1 => Call::Indexed,
        2 => Call::Indirect,
        3 => Call::IndexedIndirect,
        _ => Call::ByteCount(ByteCount {
            counter: counter(choices),
            path: choices.of(&[Path::Extension, Path::Storage]),
            counter_offset: choices.number(),
            stride: choices.number(),
            before: uses(choices),
        }),
    };
    let feedback = match choices.below(8) {
        0..5 => Feedback::Active(active(choices)),
        5 | 6 => Feedback::Paused,
        _ => Feedback::Inactive,
    };
    let query = |choices: &mut Choices| match choices.below(2) {
        0 => Query::Stream(choices.below(5)),
        _ => Query::PrimitivesGenerated(choices.below(5)),
    };
    Draw {
        call,
        pass: choices.of(&[PassState::Outside, PassState::Inside]),
        feedback,
        queries: (0..choices.below(3)).map(|_| query(choices)).collect(),
        reads: uses(choices),
        before: Uses { captured: uses(choices), counters: uses(choices) },
        next: Uses { captured: uses(choices), counters: uses(choices) },
    }
}

fn active(choices: &mut Choices) -> Active {
    let bound = |choices: &mut Choices| {
        (choices.below(8) < 7).then(|| Bound {
            buffer_size: u64::from(choices.number()) << choices.below(32),
            offset: u64::from(choices.offset()),
            size: choices.maybe().then(|| u64::from(choices.number())),
        })
    };
    Active {
        buffers: (0..choices.below(6)).map(|_| bound(choices)).collect(),
        begin: match choices.below(3) {
            0 => Begin::Anew,
            1 => Begin::Resume(counters(choices)),
            _ => Begin::Running,
        },
        end: match choices.below(3) {
            0 => End::Forget,
            1 => End::Save(counters(choices)),
            _ => End::Running,
        },
    }
}

fn counters(choices: &mut Choices) -> Vec<Option<Counter>> {
    let one = |choices: &mut Choices| (choices.below(4) < 3).then(|| counter(choices));
    (0..choices.below(6)).map(|_| one(choices)).collect()
}

fn counter(choices: &mut Choices) -> Counter {
    Counter { buffer: choices.below(3), offset: u64::from(choices.offset()) }
}

fn uses(choices: &mut Choices) -> Vec<Use> {
    (0..choices.below(3)).map(|_| choices.of(&USES)).collect()
}

const USES: [Use; 21] = [
    Use::Capture(Path::Extension),
    Use::Capture(Path::Storage),
    Use::Vertices,
    Use::Indices,
    Use::IndirectArguments,
    Use::Uniform(ShaderStage::Vertex),
    Use::Storage(ShaderStage::Compute),
    Use::Storage(ShaderStage::Fragment),
    Use::Texels(ShaderStage::Geometry),
    Use::Store(ShaderStage::TessellationControl),
    Use::Store(ShaderStage::TessellationEvaluation),
    Use::Store(ShaderStage::Compute),
    Use::CopySource,
    Use::CopyDestination,
    Use::HostRead,
    Use::HostWrite,
    Use::Resume,
    Use::Save,
    Use::ByteCount,
    Use::Uniform(ShaderStage::Fragment),
    Use::Texels(ShaderStage::Vertex),
];
