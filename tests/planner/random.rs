//! Any state gives a plan that keeps the rules, or a reason.

use crate::noise::Noise;
use crate::rules::broken;
use crate::states::{anew, pipeline, resumed};
use polyshade::ErrorKind;
use polyshade::moves::{Binding, Set};
use polyshade::planner::{
    self, Active, Begin, Bound, ByteCount, Call, Capture, Counter, Device, Draw, Emitted, End,
    Feedback, FeedbackBuffer, PassState, Path, Pipeline, Plan, Preset, Query, RasterizationOff,
    ShaderStage, Step, Storage, Topology, Use, Uses, Variant,
};
use polyshade::transform_feedback::{HostWords, ProvokingVertex, SideEffects};
use std::collections::{HashMap, HashSet};

const CASES: u32 = 200_000;

impl Noise {
    fn yes(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Seldom.
    fn rarely(&mut self) -> bool {
        self.below(16) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.yes().then(|| value(self))
    }

    fn list<T>(&mut self, most: u32, mut value: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| value(self)).collect()
    }
}

fn device(noise: &mut Noise) -> Device {
    let mut device = Device::from(noise.pick(&Preset::ALL));
    if noise.yes() {
        return device;
    }
    device.vertex_stores = noise.yes();
    device.stores_beside_outputs = noise.yes();
    device.rasterization_off = noise.pick(&[
        RasterizationOff::Always,
        RasterizationOff::WithoutOutputs,
        RasterizationOff::Never,
    ]);
    device.passes_without_attachments = noise.yes();
    device.dynamic_rendering = noise.yes();
    device.triangle_fans = noise.yes();
    device.storage_alignment = noise.word();
    if noise.rarely() {
        device.max_storage_range = noise.word();
        device.max_bound_sets = noise.word();
    }
    if let Some(has) = &mut device.transform_feedback {
        has.queries = noise.yes();
        has.draw = noise.yes();
        has.max_streams = noise.below(5);
        has.streams_lines_triangles = noise.yes();
    }
    device
}

fn any_use(noise: &mut Noise) -> Use {
    let stage = noise.pick(&[ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Compute]);
    noise.pick(&[
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

fn uses(noise: &mut Noise) -> Uses {
    let of_counters = [Use::Save, Use::Resume, Use::ByteCount, Use::CopySource, Use::HostRead];
    Uses {
        captured: noise.list(2, any_use),
        counters: noise.list(2, |noise| noise.pick(&of_counters)),
    }
}

fn counter(noise: &mut Noise) -> Counter {
    let offset = if noise.rarely() { noise.word() } else { 4 * noise.below(4) };
    Counter { buffer: noise.below(3), offset: offset.into() }
}

fn any_pipeline(noise: &mut Noise) -> Pipeline {
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
    let topology = noise.pick(&TOPOLOGIES);
    let hosts = [
        HostWords::StorageBuffer { set: Set(3), binding: Binding(9) },
        HostWords::PushConstant { offset: 16 },
        HostWords::Specialization { first_id: 5 },
    ];
    let buffer = |noise: &mut Noise| FeedbackBuffer {
        stride: if noise.rarely() { noise.word() } else { 4 * noise.below(9) },
        stream: if noise.rarely() { noise.below(5) } else { 0 },
        data: noise.rarely().then(|| 4 * noise.below(9)),
    };
    let capture = Capture {
        path: if noise.rarely() {
            Some(noise.pick(&[Path::Extension, Path::Storage]))
        } else {
            None
        },
        buffers: noise.list(4, buffer),
        storage: (!noise.rarely()).then(|| Storage {
            set: Set(3),
            binding: Binding(noise.word()),
            host: noise.pick(&hosts),
            storage_buffers: noise.below(6),
        }),
    };
    Pipeline {
        topology,
        provoking_vertex: noise.pick(&[ProvokingVertex::First, ProvokingVertex::Last]),
        tessellation: (topology == Topology::PatchList) != noise.rarely(),
        geometry: if noise.rarely() { Some(noise.pick(&emitted)) } else { None },
        rasterizer_discard: noise.yes(),
        discard_constant: noise.maybe(Noise::word),
        multiview: noise.rarely(),
        side_effects: noise.maybe(|noise| noise.pick(&effects)),
        capture: (!noise.rarely()).then_some(capture),
    }
}

fn any_draw(noise: &mut Noise) -> Draw {
    let bound = |noise: &mut Noise| {
        (!noise.rarely()).then(|| Bound {
            buffer_size: 4 * u64::from(noise.below(1000)),
            offset: 4 * u64::from(noise.below(100)),
            size: noise.maybe(|noise| {
                u64::from(if noise.rarely() { noise.word() } else { 4 * noise.below(500) })
            }),
        })
    };
    let counters = |noise: &mut Noise| noise.list(4, |noise| noise.maybe(counter));
    let active = Active {
        buffers: (0..noise.below(5)).map(|_| bound(noise)).collect(),
        begin: match noise.below(3) {
            0 => Begin::Anew,
            1 => Begin::Resume(counters(noise)),
            _ => Begin::Running,
        },
        end: match noise.below(3) {
            0 => End::Forget,
            1 => End::Save(counters(noise)),
            _ => End::Running,
        },
    };
    let count = |noise: &mut Noise| ByteCount {
        counter: counter(noise),
        path: noise.pick(&[Path::Extension, Path::Storage]),
        counter_offset: 4 * noise.below(3),
        stride: 4 * noise.below(5),
        before: noise.list(1, |_| Use::Save),
    };
    Draw {
        call: match noise.below(8) {
            0 => Call::Indexed,
            1 => Call::Indirect,
            2 => Call::IndexedIndirect,
            3 => Call::ByteCount(count(noise)),
            _ => Call::Vertices,
        },
        pass: noise.pick(&[PassState::Outside, PassState::Inside]),
        feedback: match noise.below(8) {
            0 => Feedback::Inactive,
            1 => Feedback::Paused,
            _ => Feedback::Active(active),
        },
        queries: noise.list(1, |noise| match noise.yes() {
            true => Query::Stream(noise.below(2)),
            false => Query::PrimitivesGenerated(noise.below(2)),
        }),
        reads: noise.list(1, any_use),
        before: uses(noise),
        next: uses(noise),
    }
}

/// Over all of these states there are plans of every kind, refusals, and no plan that breaks a rule.
#[test]
fn every_state_has_a_plan_or_a_reason() {
    let mut noise = Noise::new();
    let mut variants = HashSet::new();
    let (mut plans, mut refused) = (0, 0);
    let mut reasons: HashMap<String, u32> = HashMap::new();
    for _ in 0..CASES {
        let (device, pipeline, draw) =
            (device(&mut noise), any_pipeline(&mut noise), any_draw(&mut noise));
        match planner::plan(&device, &pipeline, &draw) {
            Ok(plan) => {
                plans += 1;
                let broken = broken(&device, &pipeline, &draw, &plan);
                assert_eq!(broken, None, "{device:?}\n{pipeline:?}\n{draw:?}\n{plan}");
                variants.extend(plan.steps.iter().filter_map(|step| match step {
                    Step::BindPipeline(bind) => Some(bind.variant),
                    _ => None,
                }));
                assert_eq!(planner::plan(&device, &pipeline, &draw), Ok(plan));
            }
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Options | ErrorKind::Unsupported));
                refused += 1;
                let letters = |c: &char| !c.is_ascii_digit();
                *reasons.entry(error.message().chars().filter(letters).collect()).or_default() += 1;
            }
        }
    }
    assert_eq!(variants.len(), 5, "{variants:?}");
    assert!(plans > CASES / 20 && refused > CASES / 20, "{plans} plans, {refused} refusals");
    assert!(reasons.len() > 30, "{reasons:?}");
}

/// Broken plans, each of which some rule must notice.
#[test]
fn rules_notice_broken_plans() {
    let mut found = HashSet::new();
    let mut note = |edit: fn(&mut Vec<Step>), preset: Preset, draw: &Draw| {
        let (device, pipeline) = (Device::from(preset), pipeline());
        let mut plan = planner::plan(&device, &pipeline, draw).expect("it has a plan");
        assert_eq!(broken(&device, &pipeline, draw, &plan), None);
        edit(&mut plan.steps);
        let rule = broken(&device, &pipeline, draw, &plan).expect("a rule is broken");
        assert!(found.insert(rule), "it has been broken before: {plan}");
    };
    note(|steps| steps.retain(|s| !matches!(s, Step::EndPass(_))), Preset::Vulkan, &resumed());
    note(|steps| steps.retain(|s| !matches!(s, Step::Draw(_))), Preset::Metal, &anew());
    note(|steps| steps.reverse(), Preset::Vulkan, &anew());
    note(|steps| drop(steps.pop()), Preset::VulkanMobile, &resumed());
    note(|steps| steps.retain(|s| !matches!(s, Step::EndFeedback(_))), Preset::Vulkan, &anew());
    note(both_instead, Preset::Metal, &anew());
    note(hurry, Preset::Vulkan, &resumed());
}

/// Waits for captured data only.
fn hurry(steps: &mut Vec<Step>) {
    for step in steps {
        if let Step::Barriers(barriers) = step {
            barriers.retain(|one| one.resource == planner::Resource::Captured);
        }
    }
}

fn both_instead(steps: &mut Vec<Step>) {
    for step in steps {
        if let Step::BindPipeline(bind) = step {
            bind.variant = Variant::Both;
        }
    }
}

/// Plans are keys: equal states have equal plans, and plans that differ do so as keys.
#[test]
fn plans_are_keys() {
    let device = Device::from(Preset::Vulkan);
    let plan = |draw: &Draw| planner::plan(&device, &pipeline(), draw).expect("it has a plan");
    let keys: HashSet<Plan> = [anew(), resumed(), anew()].iter().map(plan).collect();
    assert_eq!(keys.len(), 2);
}
