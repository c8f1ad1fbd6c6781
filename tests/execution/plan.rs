//! Captures by plans that are interrupted anywhere capture the same data as one uninterrupted capture.

use crate::drivers::Driver;
use crate::hazards::hazards;
use crate::memory::bytes;
use crate::noise::Noise;
use crate::plan_buffers::{bounds, memory, model_buffers};
use crate::shaders::{INDICES, Shader, Varyings};
use crate::storage::{HOSTS, Storage, host_draw, options};
pub(crate) use crate::ways::{KEPT_WAYS, WAYS, Way, ways};
use polyshade::transform_feedback::{self, Options, ProvokingVertex};
use polyshade_planner::{
    self as planner, Active, Begin, Capture, Counter, CounterOwner, Device, Draw as DrawState, End,
    Feedback, FeedbackBuffer, PassState, Path, Pipeline, Plan, Query, Topology, Use, Uses, Variant,
};
use polyshade_tests::sample::sample_by;
use polyshade_vulkan::model::{self, BufferLayout, Value};
use polyshade_vulkan::{Captured, Draw, Executed, Item, PlannedDraw, Sequence, Stage};
use std::ops::Range;

pub(crate) const VARYINGS: Varyings =
    Varyings::Interleaved("v_index gl_NextBuffer v_mixed gl_SkipComponents1");

/// The number of interrupted captures, and the number of captures in each submission.
const CASES: usize = 2_400;
const BATCH: usize = 40;

/// All variants of one shader, and its layout.
pub(crate) struct Rig {
    pub(crate) original: Vec<u32>,
    pub(crate) native: Vec<u32>,
    pub(crate) storage: Storage,
}

impl Rig {
    pub(crate) fn new(shader: &Shader, varyings: Varyings) -> Rig {
        // Push constants let draws with different parameters share a pipeline.
        Self::with(shader, varyings, &options(varyings, HOSTS[2]))
    }

    /// Creates the variants for a way of capturing.
    pub(crate) fn of(shader: &Shader, varyings: Varyings, way: Way) -> Rig {
        let place = match way.counter_owner {
            CounterOwner::Host => HOSTS[2],
            CounterOwner::Device => HOSTS[5],
        };
        let options = options(varyings, place);
        Self::with(shader, varyings, &Self::asked(options, way.path))
    }

    /// Adapts the options to a path that captures with storage buffers.
    pub(crate) fn asked(options: Options, path: Path) -> Options {
        if path == Path::Compute { options.compute() } else { options }
    }

    /// Creates the variants with these options for the storage path.
    pub(crate) fn with(shader: &Shader, varyings: Varyings, options: &Options) -> Rig {
        // The original shader, except that it writes a point size.
        let original = shader.native(Varyings::Separate(""));
        let storage = Storage::of_words(original.clone(), shader.layout(varyings), options);
        Rig { original, native: shader.native(varyings), storage }
    }

    pub(crate) fn layout(&self) -> &[BufferLayout] {
        &self.storage.layout
    }

    /// Returns the pipeline's state for a path.
    pub(crate) fn pipeline(&self, topology: Topology, path: Path) -> Pipeline {
        let capture = &self.storage.capture;
        let stored = Capture::stored(&capture.layout, &capture.words, &capture.requirements);
        let capture = Capture { path: Some(path), ..stored };
        let strides = |buffer: &FeedbackBuffer| (buffer.stride, buffer.stream);
        let expected = self.layout().iter().map(|layout| (layout.stride, 0));
        assert!(capture.buffers.iter().map(strides).eq(expected));
        let capture = Some(capture);
        Pipeline { topology, rasterizer_discard: true, capture, ..Pipeline::default() }
    }

    pub(crate) fn variants(&self) -> Vec<(Variant, &[u32])> {
        let capture = &self.storage.capture;
        let both = capture.both.iter().map(|both| (Variant::Both, both.words()));
        let others = [
            (Variant::Original, &self.original[..]),
            (Variant::Extension, &self.native),
            (Variant::CaptureOnly, capture.capture_only.words()),
            (Variant::RasterOnly, capture.raster_only.words()),
        ];
        let spilled = capture.spilled.iter().flat_map(|[spill_outputs, reload_outputs]| {
            [
                (Variant::SpillOutputs, spill_outputs.words()),
                (Variant::ReloadOutputs, reload_outputs.words()),
            ]
        });
        others.into_iter().chain(both).chain(spilled).collect()
    }

    pub(crate) fn planned<'a>(
        &'a self,
        plan: &'a Plan,
        numbers: transform_feedback::Draw,
        feedback: Vec<usize>,
    ) -> PlannedDraw<'a> {
        PlannedDraw {
            plan,
            draw: Draw { stages: vec![Stage::vertex(&self.original)], ..Draw::default() },
            numbers,
            variants: self.variants(),
            capture: Some(&self.storage.capture),
            feedback,
            arguments: None,
            predicate: None,
        }
    }
}

/// The event between two draws of a capture.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Between {
    /// None: the capture stays active.
    Run,
    /// The capture pauses, this many draws are not captured, and it resumes.
    Pause(u32),
}

/// A capture in pieces.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) topology: Topology,
    pieces: Vec<(Range<u32>, Range<u32>)>,
    /// The event after each piece but the last.
    between: Vec<Between>,
    /// The number of vertices that fit into each buffer.
    room: [u32; 2],
    /// Whether one draw contains the vertices of all pieces.
    one_draw: bool,
}

const LISTS: [Topology; 3] = [Topology::PointList, Topology::LineList, Topology::TriangleList];
const ALL: [Topology; 6] = [
    Topology::PointList,
    Topology::LineList,
    Topology::LineStrip,
    Topology::TriangleList,
    Topology::TriangleStrip,
    Topology::TriangleFan,
];

impl Script {
    pub(crate) fn random(noise: &mut Noise) -> Script {
        let one_draw = noise.below(2) == 0;
        let topologies: &[Topology] = if one_draw { &LISTS } else { &ALL };
        let topology = topologies[noise.below(topologies.len() as u32) as usize];
        let vertices = topology.captured().expect("it is captured").vertices_per_primitive();
        let (mut first, mut pieces) = (noise.below(50), Vec::new());
        for _ in 0..noise.below(4) + 1 {
            let count = match one_draw {
                true => vertices * noise.below(4),
                false => noise.below(8),
            };
            let instances = if one_draw { 0..1 } else { 2..3 + noise.below(2) };
            pieces.push((first..first + count, instances));
            first += count + if one_draw { 0 } else { noise.below(9) };
        }
        let between = |_| match noise.below(3) {
            0 => Between::Run,
            paused => Between::Pause(paused - 1),
        };
        let between = (1..pieces.len()).map(between).collect();
        let room = [noise.below(40) + 1, noise.below(40) + 1];
        Script { topology, pieces, between, room, one_draw }
    }

    /// Returns the same capture without interruptions, either as one draw or as draws between one begin and one end.
    fn uninterrupted(&self) -> Script {
        let (between, pieces) = match self.one_draw {
            true => {
                let (first, last) = (&self.pieces[0], &self.pieces[self.pieces.len() - 1]);
                (Vec::new(), vec![(first.0.start..last.0.end, first.1.clone())])
            }
            false => (vec![Between::Run; self.between.len()], self.pieces.clone()),
        };
        Script { pieces, between, ..self.clone() }
    }

    /// Returns whether the capture stays active between the first two draws, with room for both.
    pub(crate) fn runs_on(&self) -> bool {
        let [first, second, ..] = &self.pieces[..] else { return false };
        let count = |(vertices, instances): &Numbers| vertices.len() * instances.len();
        let counts = [count(first), count(second)];
        self.between[0] == Between::Run
            && counts.iter().all(|count| *count > 0)
            && self.room.iter().all(|room| counts[0] + counts[1] < *room as usize)
    }

    pub(crate) fn memory(&self, layout: &[BufferLayout]) -> Vec<Vec<u8>> {
        memory(layout, &self.room)
    }

    /// Returns the model's buffer contents after all pieces, and the counts of each piece.
    pub(crate) fn model(&self, layout: &[BufferLayout]) -> (Vec<Vec<u8>>, Vec<Captured>) {
        let mut buffers = model_buffers(layout, self.memory(layout));
        let mut counts = Vec::new();
        for (vertices, instances) in &self.pieces {
            let draw = model::Draw {
                topology: self.topology.captured().expect("it is captured"),
                provoking_vertex: ProvokingVertex::First,
                vertices: vertices.clone(),
                instances: instances.clone(),
            };
            counts.push(model::capture(&draw, &mut buffers, indices));
        }
        (buffers.into_iter().map(|buffer| buffer.memory).collect(), counts)
    }

    /// Returns the state and the vertex range of each draw.
    fn states(
        &self,
        layout: &[BufferLayout],
        counters: u32,
        path: Path,
    ) -> Vec<(DrawState, Numbers)> {
        let buffers = bounds(layout, &self.room);
        let counter =
            |index| Some(Counter { buffer: counters, offset: 4 * u64::from(index as u32) });
        let counters = (0..buffers.len()).map(counter).collect::<Vec<_>>();
        let mut states = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| self.between[before]);
            let paused = matches!(before, Some(Between::Pause(_)));
            let begin = match before {
                None => Begin::Anew,
                Some(Between::Run) => Begin::Running,
                Some(Between::Pause(_)) => Begin::Resume(counters.clone()),
            };
            let end = match self.between.get(index) {
                Some(Between::Run) => End::Running,
                Some(Between::Pause(_)) | None => End::Save(counters.clone()),
            };
            let active =
                Active { counter_owner: CounterOwner::Host, buffers: buffers.clone(), begin, end };
            // Draws of an active capture store to different bytes, but the validation layer compares whole ranges.
            let stored = before.is_some() && path != Path::Extension;
            let captured = if paused || stored { vec![Use::Capture(path)] } else { Vec::new() };
            let saved = if paused { vec![Use::Save] } else { Vec::new() };
            let state = DrawState {
                pass: PassState::Interruptible,
                feedback: Feedback::Active(active),
                before: Uses { inputs: Vec::new(), captured, counters: saved },
                ..DrawState::default()
            };
            states.push((state, piece.clone()));
            if let Some(Between::Pause(draws)) = self.between.get(index) {
                let feedback = Feedback::Paused;
                let paused =
                    DrawState { pass: PassState::Interruptible, feedback, ..DrawState::default() };
                states.extend((0..*draws).map(|_| (paused.clone(), (7..13, 0..2))));
            }
        }
        states
    }
}

pub(crate) type Numbers = (Range<u32>, Range<u32>);

/// Returns the outputs of `INDICES`, in the layout of the varyings.
pub(crate) fn indices(vertex: u32, instance: u32) -> Vec<Value> {
    let times = |one: u32, add| one.wrapping_mul(1000).wrapping_add(add);
    let mixed = [times(vertex, 7), times(instance, 8), times(vertex, 9)];
    vec![
        Value { buffer: 0, offset: 0, bytes: bytes(&[vertex, instance]) },
        Value { buffer: 1, offset: 0, bytes: bytes(&mixed) },
    ]
}

pub(crate) fn numbers(
    topology: Topology,
    (vertices, instances): &(Range<u32>, Range<u32>),
) -> transform_feedback::Draw {
    host_draw(&model::Draw {
        topology: topology.captured().expect("it is captured"),
        provoking_vertex: ProvokingVertex::First,
        vertices: vertices.clone(),
        instances: instances.clone(),
    })
}

/// Returns the plans of a script's draws, with `queries` around each captured piece.
pub(crate) fn plans(
    rig: &Rig,
    device: &Device,
    path: Path,
    (index, script): (usize, &Script),
    queries: &[Query],
) -> Vec<(Plan, Numbers)> {
    let pipeline = rig.pipeline(script.topology, path);
    let first = index * (rig.layout().len() + 1);
    let counters = (first + rig.layout().len()) as u32;
    let plan = |(mut state, numbers): (DrawState, Numbers)| {
        state.queries = queries.to_vec();
        let plan = planner::plan(device, &pipeline, &state);
        (plan.unwrap_or_else(|error| panic!("{error}: {state:?}")), numbers)
    };
    script.states(rig.layout(), counters, path).into_iter().map(plan).collect()
}

/// Executes scripts in one submission. `edit` may break their plans.
fn execute(
    rig: &Rig,
    way: Way,
    scripts: &[Script],
    edit: impl Fn(&mut Plan),
) -> (Vec<Vec<Vec<u8>>>, Executed) {
    let Way { driver, path, scope, .. } = way;
    let device = way.device();
    let queries = [Query::Stream(0)];
    // Plan and edit.
    let mut plans: Vec<_> = scripts
        .iter()
        .enumerate()
        .map(|indexed| plans(rig, &device, path, indexed, &queries))
        .collect();
    plans.iter_mut().flatten().for_each(|(plan, _)| edit(plan));

    let mut sequence = Sequence { scope, ..Sequence::default() };
    // Each script is one pass with its own buffers.
    for (script, plans) in scripts.iter().zip(&plans) {
        let first = sequence.work.buffers.len();
        sequence.work.buffers.extend(script.memory(rig.layout()));
        sequence.work.buffers.push(vec![0; 4 * rig.layout().len()]);
        let feedback = (first..first + rig.layout().len()).collect::<Vec<_>>();
        sequence.items.push(Item::BeginPass(None));
        for (plan, piece) in plans {
            let planned = rig.planned(plan, numbers(script.topology, piece), feedback.clone());
            sequence.items.push(Item::Draw(Box::new(planned)));
        }
        sequence.items.push(Item::EndPass);
    }
    // Execute, and drop the counters.
    let executed = execute_checked(driver, &sequence);
    let buffers = executed.outcome.buffers.chunks(rig.layout().len() + 1);
    let memories = buffers.map(|buffers| buffers[..rig.layout().len()].to_vec()).collect();
    (memories, executed)
}

/// Executes a sequence after checking that it has no hazards; the driver and the validation layer check it too.
#[track_caller]
pub(crate) fn execute_checked(driver: Driver, sequence: &Sequence<'_>) -> Executed {
    assert_eq!(hazards(sequence), Vec::<String>::new(), "{driver:?}");
    driver.execute(sequence)
}

pub(crate) fn scripts(count: usize) -> Vec<Script> {
    let mut noise = Noise::new();
    (0..count).map(|_| Script::random(&mut noise)).collect()
}

#[test]
fn interrupted_captures_are_whole() {
    let native = Rig::of(&INDICES, VARYINGS, WAYS[0]);
    let rigs = ways().map(|way| (way, Rig::of(&INDICES, VARYINGS, way))).collect::<Vec<_>>();
    let scripts = scripts(CASES);
    let pauses = |script: &Script| script.between.iter().any(|one| *one != Between::Run);
    assert!(scripts.iter().filter(|script| pauses(script)).count() >= CASES / 2);
    for (number, batch) in scripts.chunks(BATCH).enumerate() {
        let whole = batch.iter().map(Script::uninterrupted).collect::<Vec<_>>();
        let (expected, _) = execute(&native, WAYS[0], &whole, |_| {});
        for (script, expected) in batch.iter().zip(&expected) {
            assert!(script.model(native.layout()).0 == *expected, "{script:?}");
        }
        for (way, rig) in sample_by(number, &rigs, 3) {
            let (memories, executed) = execute(rig, *way, batch, |_| {});
            for ((script, expected), memory) in batch.iter().zip(&expected).zip(&memories) {
                assert!(memory == expected, "{way:?} {script:?}\n{memory:02x?}\n{expected:02x?}");
            }
            let counts = batch.iter().flat_map(|script| counts(script, rig.layout()));
            let counted = executed.queries.iter().map(|counted| counted.counts);
            assert_eq!(counted.collect::<Vec<_>>(), counts.collect::<Vec<_>>(), "{way:?}");
        }
    }
}

/// Returns the query results around all draws of a script: zero for paused draws.
pub(crate) fn counts(script: &Script, layout: &[BufferLayout]) -> Vec<Captured> {
    let mut counts = Vec::new();
    for (index, count) in script.model(layout).1.into_iter().enumerate() {
        counts.push(count);
        if let Some(Between::Pause(draws)) = script.between.get(index) {
            counts.extend((0..*draws).map(|_| Captured { written: 0, needed: 0 }));
        }
    }
    counts
}

/// Resuming at a wrong counter is detected, whether the host or the device owns the counters.
#[test]
fn a_wrong_counter_is_noticed() {
    use polyshade_planner::{ParamValue, Step};
    let scripts = scripts(BATCH);
    // Drop the counters of native captures, and reset those of the storage path.
    let forget = |plan: &mut Plan| {
        for step in &mut plan.steps {
            match step {
                Step::BeginFeedback(counters) => *counters = Default::default(),
                Step::FillIn(words) => {
                    for word in &mut words.values {
                        if matches!(word, ParamValue::Counter(_) | ParamValue::Running(_)) {
                            *word = ParamValue::Constant(0);
                        }
                    }
                }
                _ => {}
            }
        }
    };
    for way in ways() {
        let rig = Rig::of(&INDICES, VARYINGS, way);
        let (right, _) = execute(&rig, way, &scripts, |_| {});
        let (wrong, _) = execute(&rig, way, &scripts, forget);
        let differ = right.iter().zip(&wrong).filter(|(right, wrong)| right != wrong).count();
        assert!(differ > BATCH / 10, "{way:?}: only {differ}");
    }
}

#[test]
fn a_paused_draw_that_captures_is_noticed() {
    let paused = |script: &Script| script.between.contains(&Between::Pause(1));
    let script = scripts(200).into_iter().find(paused).expect("there is one among so many");
    let script = Script { room: [200, 200], ..script };
    for way in ways().filter(|way| way.path != Path::Extension) {
        let rig = Rig::of(&INDICES, VARYINGS, way);
        let (right, _) = execute(&rig, way, std::slice::from_ref(&script), |_| {});
        let mut running = script.clone();
        let at =
            script.between.iter().position(|one| *one == Between::Pause(1)).expect("it pauses");
        running.between.insert(at, Between::Pause(0));
        running.pieces.insert(at + 1, (7..13, 0..2));
        let (wrong, _) = execute(&rig, way, &[running], |_| {});
        assert!(right != wrong, "{way:?}");
    }
}
