//! Random devices, pipelines, draws and blending states for the planner.

use crate::Choices;
use polyshade::advanced_blend::{
    Alpha, BlendComponent, Equation, Factor, FixedFunctionBlend, LogicOperation, Operation, Overlap,
};
use polyshade::host::{AddressSource, Binding, ParamSource, Set, SideEffects};
use polyshade::transform_feedback::{self, ProvokingVertex};
use polyshade_planner::{
    Active, AdvancedBlending, AttachmentBlending, Begin, Blending, BlendingPath, BlendingState,
    Bound, ByteCount, Call, Capture, Counter, CounterOwner, Device, Draw, Emitted, End, Feedback,
    FeedbackBuffer, Interlock, NativeBlending, Overlapping, PassState, Path, Pipeline, Preset,
    Query, RasterizationOff, ShaderStage, Storage, StoredIndices, StoredOutputs, Topology, Use,
    Uses,
};

/// Returns a preset, with random changes.
pub fn any_device(choices: &mut Choices) -> Device {
    let mut device = Device::from(choices.of(&Preset::ALL));
    if choices.maybe() {
        return device;
    }
    // Choose features of the device.
    device.vertex_stores = choices.maybe();
    device.buffer_addresses = choices.maybe();
    device.stores_beside_outputs = choices.maybe();
    device.rasterization_off = choices.of(&[
        RasterizationOff::Always,
        RasterizationOff::WithoutOutputs,
        RasterizationOff::Never,
    ]);
    device.passes_without_attachments = choices.maybe();
    device.dynamic_rendering = choices.maybe();
    device.triangle_fans = choices.maybe();
    // Choose limits, some of which rarely differ from the preset.
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
    device.blending = blending(choices);
    device
}

/// Returns random blending features.
fn blending(choices: &mut Choices) -> Blending {
    Blending {
        native: choices.perhaps(|choices| NativeBlending {
            coherent: choices.maybe(),
            max_attachments: choices.below(4),
            independent: choices.maybe(),
            straight_source: choices.maybe(),
            straight_destination: choices.maybe(),
            correlated_overlap: choices.maybe(),
            all_operations: choices.maybe(),
            clamped_results: choices.maybe(),
        }),
        ordered_attachments: choices.rarely(),
        framebuffer_fetch: choices.maybe(),
        tile_images: choices.rarely(),
        interlock: choices
            .rarely()
            .then(|| Interlock { pixel: choices.maybe(), sample: choices.maybe() }),
        local_read: choices.maybe(),
        local_read_multisampled: choices.maybe(),
        sample_shading: choices.maybe(),
        independent_blend: choices.maybe(),
        logic_operations: choices.maybe(),
        second_source_attachments: choices.below(3),
        max_attachments: if choices.rarely() { choices.word() } else { 4 },
        max_input_attachments: if choices.rarely() { choices.below(3) } else { 4 },
    }
}

/// Returns attachments with random blending.
pub fn any_blending(choices: &mut Choices) -> BlendingState {
    let attachment = |choices: &mut Choices| match choices.below(6) {
        0 => None,
        1 => Some(AttachmentBlending::Logic(choices.of(&LogicOperation::ALL))),
        2 => Some(AttachmentBlending::FixedFunction(fixed_function(choices))),
        _ => Some(AttachmentBlending::Advanced(AdvancedBlending {
            equations: choices.list(2, |choices| choices.of(&Equation::ALL)),
            overlap: choices.of(&[Overlap::Uncorrelated, Overlap::Disjoint, Overlap::Conjoint]),
            source: choices.of(&[Alpha::Premultiplied, Alpha::Straight]),
            destination: choices.of(&[Alpha::Premultiplied, Alpha::Straight]),
            clamp_results: choices.rarely(),
        })),
    };
    BlendingState {
        attachments: choices.list(3, attachment),
        multisampled: choices.maybe(),
        layered: choices.rarely(),
        overlap: choices.of(&[
            Overlapping::WithinDraws,
            Overlapping::BetweenDraws,
            Overlapping::Never,
        ]),
        early_tests: choices.maybe(),
        plain_attachments: choices.maybe(),
        rendering_only: choices.maybe(),
        path: if choices.rarely() { Some(choices.of(&BlendingPath::ALL)) } else { None },
    }
}

/// Returns random fixed-function blending.
pub(crate) fn fixed_function(choices: &mut Choices) -> FixedFunctionBlend {
    let term = |choices: &mut Choices| BlendComponent {
        source: choices.of(&Factor::ALL),
        destination: choices.of(&Factor::ALL),
        operation: choices.of(&Operation::ALL),
    };
    FixedFunctionBlend { color: term(choices), alpha: term(choices) }
}

fn any_use(choices: &mut Choices) -> Use {
    let stage = choices.of(&[ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Compute]);
    choices.of(&[
        Use::Capture(Path::Extension),
        Use::Capture(Path::Storage),
        Use::Capture(Path::Compute),
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

const COUNTER_OWNERS: [CounterOwner; 2] = [CounterOwner::Host, CounterOwner::Device];

fn uses(choices: &mut Choices) -> Uses {
    let of_counters = [Use::Save, Use::Resume, Use::ByteCount, Use::CopySource, Use::HostRead];
    Uses {
        captured: choices.list(2, any_use),
        counters: choices.list(2, |choices| choices.of(&of_counters)),
        inputs: choices.list(1, any_use),
    }
}

fn counter(choices: &mut Choices) -> Counter {
    let offset = if choices.rarely() { choices.word() } else { 4 * choices.below(4) };
    Counter { buffer: choices.below(3), offset: offset.into() }
}

/// Returns a random pipeline, with or without a capture.
pub fn any_pipeline(choices: &mut Choices) -> Pipeline {
    let topologies = [&Topology::CAPTURED[..], &[Topology::PatchList]].concat();
    let effects = [SideEffects::Refuse, SideEffects::InFirstPass, SideEffects::InSecondPass];
    let emitted = [Emitted::Points, Emitted::LineStrips, Emitted::TriangleStrips];
    let topology = choices.of(&topologies);
    let words =
        ["limit", "slots", "start_0", "start_9", "flags", "size_1", "address_high_1", "other"];
    let hosts = [
        ParamSource::StorageBuffer { set: Set(3), binding: Binding(9) },
        ParamSource::PushConstant { offset: 16 },
        ParamSource::Specialization { first_id: 5 },
        ParamSource::Address(AddressSource::PushConstant { offset: 120 }),
        ParamSource::Address(AddressSource::Uniform { set: Set(2), binding: Binding(1) }),
    ];
    let buffer = |choices: &mut Choices| FeedbackBuffer {
        stride: if choices.rarely() { choices.word() } else { 4 * choices.below(9) },
        stream: if choices.rarely() { choices.below(5) } else { 0 },
        data: choices.rarely().then(|| 4 * choices.below(9)),
    };
    let capture = Capture {
        path: if choices.rarely() {
            Some(choices.of(&[Path::Extension, Path::Storage, Path::Compute]))
        } else {
            None
        },
        buffers: choices.list(4, buffer),
        storage: (!choices.rarely()).then(|| Storage {
            set: Set(3),
            binding: Binding(choices.word()),
            params_at: choices.of(&hosts),
            storage_buffers: choices.below(6),
            params: if choices.rarely() { vec![choices.of(&words).to_owned()] } else { Vec::new() },
            topologies: if choices.rarely() {
                vec![transform_feedback::Topology::TriangleList]
            } else {
                Vec::new()
            },
            unbound_buffers: choices.maybe(),
            indices: choices.perhaps(any_indices),
            outputs: choices.perhaps(|choices| StoredOutputs {
                buffer: Binding(choices.word()),
                stride: 4 * choices.below(20),
            }),
        }),
    };
    Pipeline {
        topology,
        provoking_vertex: choices.of(&[ProvokingVertex::First, ProvokingVertex::Last]),
        primitive_restart: choices.rarely(),
        tessellation: (topology == Topology::PatchList) != choices.rarely(),
        geometry: if choices.rarely() { Some(choices.of(&emitted)) } else { None },
        rasterizer_discard: choices.maybe(),
        discard_constant: choices.perhaps(Choices::word),
        multiview: choices.rarely(),
        side_effects: choices.perhaps(|choices| choices.of(&effects)),
        shader_cost: choices.perhaps(|choices| choices.below(2000)),
        capture: (!choices.rarely()).then_some(capture),
    }
}

fn any_indices(choices: &mut Choices) -> StoredIndices {
    StoredIndices {
        buffer: choices.perhaps(|choices| Binding(choices.word())),
        restart: choices.maybe(),
        segments: choices.perhaps(|choices| Binding(choices.word())),
        draw_index: choices.maybe(),
    }
}

/// Returns a draw in a random state.
pub fn any_draw(choices: &mut Choices) -> Draw {
    let bound = |choices: &mut Choices| {
        (!choices.rarely()).then(|| Bound {
            buffer: choices.perhaps(|choices| choices.below(2)),
            buffer_size: 4 * u64::from(if choices.maybe() { 800 } else { choices.below(1000) }),
            offset: 4 * u64::from(choices.below(100)),
            size: choices.perhaps(|choices| {
                u64::from(if choices.rarely() { choices.word() } else { 4 * choices.below(500) })
            }),
        })
    };
    let counters = |choices: &mut Choices| choices.list(4, |choices| choices.perhaps(counter));
    let active = Active {
        buffers: (0..if choices.maybe() { 4 } else { choices.below(5) })
            .map(|_| bound(choices))
            .collect(),
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
        counter_owner: choices.of(&COUNTER_OWNERS),
    };
    let count = |choices: &mut Choices| ByteCount {
        counter: counter(choices),
        path: choices.of(&[Path::Extension, Path::Storage, Path::Compute]),
        counter_owner: choices.of(&COUNTER_OWNERS),
        counter_offset: 4 * choices.below(3),
        stride: 4 * choices.below(5),
        before: choices.list(1, |_| Use::Save),
    };
    Draw {
        vertices: choices.perhaps(|choices| choices.below(500)),
        call: match choices.below(8) {
            0 => Call::Indexed,
            1 => Call::Indirect,
            2 => Call::IndexedIndirect,
            3 => Call::ByteCount(count(choices)),
            _ => Call::Vertices,
        },
        pass: choices.of(&[
            PassState::Outside,
            PassState::Interruptible,
            PassState::Uninterruptible,
        ]),
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
