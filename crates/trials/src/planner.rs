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
pub fn any_device(choices: &mut Choices) -> Device {
    let mut device = Device::from(choices.of(&Preset::ALL));
    if choices.maybe() {
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
    device.storage_alignment = choices.word();
    if choices.rarely() {
        device.max_storage_range = choices.word();
        device.max_bound_sets = choices.word();
    }
    if let Some(has) = &mut device.transform_feedback {
        has.queries = choices.maybe();
        has.draw = choices.maybe();
        has.max_streams = choices.below(5);
        has.streams_lines_triangles = choices.maybe();
    }
    device
}

fn any_use(choices: &mut Choices) -> Use {
    let stage = choices.of(&[ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Compute]);
    choices.of(&[
        Use::Capture(Path::Extension),
        Use::Capture(Path::Storage),
        Use::Vertices,
        Use::Indices,
        Use::IndirectArguments,
        Use::Uniform(stage),
        Use::Storage(stage),
        Use::Texels(stage),
        Use::Store(stage),
        Use::CopySource,
        Use::CopyDestination,
        Use::HostRead,
        Use::HostWrite,
    ])
}

fn uses(choices: &mut Choices) -> Uses {
    let of_counters = [Use::Save, Use::Resume, Use::ByteCount, Use::CopySource, Use::HostRead];
    Uses {
        captured: choices.list(2, any_use),
        counters: choices.list(2, |choices| choices.of(&of_counters)),
    }
}

fn counter(choices: &mut Choices) -> Counter {
    let offset = if choices.rarely() { choices.word() } else { 4 * choices.below(4) };
    Counter { buffer: choices.below(3), offset: offset.into() }
}

/// A pipeline that captures in some way, or not.
pub fn any_pipeline(choices: &mut Choices) -> Pipeline {
    const TOPOLOGIES: [Topology; 12] = [
        Topology::PointList,
        Topology::LineList,
        Topology::LineStrip,
        Topology::LineLoop,
        Topology::TriangleList,
        Topology::TriangleStrip,
        Topology::TriangleFan,
        Topology::LineListWithAdjacency,
        Topology::LineStripWithAdjacency,
        Topology::TriangleListWithAdjacency,
        Topology::TriangleStripWithAdjacency,
        Topology::PatchList,
    ];
    let effects = [SideEffects::Refuse, SideEffects::InCapture, SideEffects::InRaster];
    let emitted = [Emitted::Points, Emitted::LineStrips, Emitted::TriangleStrips];
    let topology = choices.of(&TOPOLOGIES);
    let hosts = [
        HostWords::StorageBuffer { set: Set(3), binding: Binding(9) },
        HostWords::PushConstant { offset: 16 },
        HostWords::Specialization { first_id: 5 },
    ];
    let buffer = |choices: &mut Choices| FeedbackBuffer {
        stride: if choices.rarely() { choices.word() } else { 4 * choices.below(9) },
        stream: if choices.rarely() { choices.below(5) } else { 0 },
        data: choices.rarely().then(|| 4 * choices.below(9)),
    };
    let capture = Capture {
        path: if choices.rarely() {
            Some(choices.of(&[Path::Extension, Path::Storage]))
        } else {
            None
        },
        buffers: choices.list(4, buffer),
        storage: (!choices.rarely()).then(|| Storage {
            set: Set(3),
            binding: Binding(choices.word()),
            host: choices.of(&hosts),
            storage_buffers: choices.below(6),
        }),
    };
    Pipeline {
        topology,
        provoking_vertex: choices.of(&[ProvokingVertex::First, ProvokingVertex::Last]),
        tessellation: (topology == Topology::PatchList) != choices.rarely(),
        geometry: if choices.rarely() { Some(choices.of(&emitted)) } else { None },
        rasterizer_discard: choices.maybe(),
        discard_constant: choices.perhaps(Choices::word),
        multiview: choices.rarely(),
        side_effects: choices.perhaps(|choices| choices.of(&effects)),
        capture: (!choices.rarely()).then_some(capture),
    }
}

/// A draw in any state.
pub fn any_draw(choices: &mut Choices) -> Draw {
    let bound = |choices: &mut Choices| {
        (!choices.rarely()).then(|| Bound {
            buffer_size: 4 * u64::from(choices.below(1000)),
            offset: 4 * u64::from(choices.below(100)),
            size: choices.perhaps(|choices| {
                u64::from(if choices.rarely() { choices.word() } else { 4 * choices.below(500) })
            }),
        })
    };
    let counters = |choices: &mut Choices| choices.list(4, |choices| choices.perhaps(counter));
    let active = Active {
        buffers: (0..choices.below(5)).map(|_| bound(choices)).collect(),
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
    };
    let count = |choices: &mut Choices| ByteCount {
        counter: counter(choices),
        path: choices.of(&[Path::Extension, Path::Storage]),
        counter_offset: 4 * choices.below(3),
        stride: 4 * choices.below(5),
        before: choices.list(1, |_| Use::Save),
    };
    Draw {
        call: match choices.below(8) {
            0 => Call::Indexed,
            1 => Call::Indirect,
            2 => Call::IndexedIndirect,
            3 => Call::ByteCount(count(choices)),
            _ => Call::Vertices,
        },
        pass: choices.of(&[PassState::Outside, PassState::Inside]),
        feedback: match choices.below(8) {
            0 => Feedback::Inactive,
            1 => Feedback::Paused,
            _ => Feedback::Active(active),
        },
        queries: choices.list(1, |choices| match choices.maybe() {
            true => Query::Stream(choices.below(2)),
            false => Query::PrimitivesGenerated(choices.below(2)),
        }),
        reads: choices.list(1, any_use),
        before: uses(choices),
        next: uses(choices),
    }
}
