//! Indexed draws are captured as the native feature captures them, or as the model computes: every index type,
//! vertex offsets, primitive restart in every topology, and attributes that the shader fetches.

mod shaders;

use crate::cases::{ADJACENCY, LOOP, TOPOLOGIES};
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Capture, Case, native_draw};
use crate::hostile::only_written_in;
use crate::matrix::TWO_BUFFERS;
use crate::memory::bytes;
use crate::noise::Noise;
use crate::shaders::INDICES;
use crate::storage::{HOSTS, Storage, host_draw, options};
use polyshade::host::ParamSource;
use polyshade::transform_feedback::{self, IndexType, Options, Segments};
use polyshade_tests::sample::sample;
use polyshade_vulkan::model::{self, BufferLayout, Topology, Value};
use polyshade_vulkan::{
    self as vulkan, CaptureBuffers, Draw, Indices, ProvokingVertex, Range, Stage, Work,
    bind_capture, dispatch_capture, vk,
};
use std::ops;

const WIDTHS: [IndexType; 3] = [IndexType::Uint8, IndexType::Uint16, IndexType::Uint32];

/// A captured indexed draw. Its `case.draw.vertices` is the range of indices that it reads from the buffer.
#[derive(Debug, Clone)]
pub(crate) struct Indexed {
    pub(crate) case: Case,
    pub(crate) width: IndexType,
    /// All indices in the buffer.
    pub(crate) indices: Vec<u32>,
    pub(crate) vertex_offset: i32,
    pub(crate) restart: bool,
}

impl Indexed {
    /// Creates a draw of the indices `1, 2, …` in one instance, with room for all captured data.
    pub(crate) fn new(topology: Topology, width: IndexType, count: u32) -> Indexed {
        let indices = (1..=count).collect();
        let case = Case::new(topology, count);
        Indexed { case, width, indices, vertex_offset: 0, restart: false }
    }

    /// Returns the bytes of the index buffer.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        bytes_of(&self.indices, self.width)
    }

    /// Returns the vertices of each segment between restarts. An index outside the buffer reads as 0.
    fn segments(&self) -> Vec<Vec<u32>> {
        let restart = self.restart.then(|| self.width.restart());
        let numbers = self.case.draw.vertices.clone();
        segments(&self.indices, restart, numbers, self.vertex_offset)
    }

    fn model(&self, layout: &[BufferLayout], shader: impl Fn(u32, u32) -> Vec<Value>) -> Capture {
        let mut buffers = self.case.buffers(layout);
        let draw = &self.case.draw;
        let captured = model::capture_indexed(draw, &self.segments(), &mut buffers, shader);
        Capture { memory: buffers.into_iter().map(|buffer| buffer.memory).collect(), captured }
    }

    /// Adds the index buffer of a native draw to `work`.
    pub(crate) fn native(&self, work: &mut Work<'_>) -> Indices {
        let place = vulkan::Place { buffer: work.buffers.len(), offset: 0 };
        work.buffers.push(self.bytes());
        let vertices = &self.case.draw.vertices;
        Indices {
            place,
            index_type: native_type(self.width),
            count: vertices.len() as u32,
            first: vertices.start,
            vertex_offset: self.vertex_offset,
            restart: self.restart,
        }
    }

    /// Returns the segment table that the host makes.
    pub(crate) fn table(&self) -> Segments {
        let vertices = &self.case.draw.vertices;
        let topology = self.case.draw.topology;
        let (first, count) = (vertices.start, vertices.len() as u32);
        Segments::find(topology, self.width, &self.bytes(), first, count).expect("there are few")
    }

    /// Returns the draw parameters, with indices `lead` bytes after the start of the bound range.
    pub(crate) fn host(&self, lead: u32) -> transform_feedback::Draw {
        let table = self.restart.then(|| self.table());
        let indices = transform_feedback::Indices {
            index_type: self.width,
            address: 0,
            offset: lead,
            size: self.bytes().len() as u32,
            vertex_offset: self.vertex_offset,
            restarted: table.as_ref().map(Segments::primitives),
            table_address: 0,
            table_size: table.map_or(0, |table| 4 * table.table().len() as u32),
        };
        transform_feedback::Draw { indices: Some(indices), ..host_draw(&self.case.draw) }
    }
}

pub(crate) fn bytes_of(indices: &[u32], width: IndexType) -> Vec<u8> {
    let size = width.bytes() as usize;
    indices.iter().flat_map(|index| index.to_le_bytes()[..size].to_vec()).collect()
}

/// Returns the vertices of each segment between restarts. An index outside the buffer reads as 0.
pub(crate) fn segments(
    indices: &[u32],
    restart: Option<u32>,
    numbers: ops::Range<u32>,
    vertex_offset: i32,
) -> Vec<Vec<u32>> {
    let mut segments = vec![Vec::new()];
    for number in numbers {
        let index = indices.get(number as usize).copied().unwrap_or(0);
        if restart == Some(index) {
            segments.push(Vec::new());
        } else {
            let vertex = index.wrapping_add_signed(vertex_offset);
            segments.last_mut().expect("there is one").push(vertex);
        }
    }
    segments
}

pub(crate) fn native_type(width: IndexType) -> vk::IndexType {
    match width {
        IndexType::Uint8 => vk::IndexType::UINT8_EXT,
        IndexType::Uint16 => vk::IndexType::UINT16,
        IndexType::Uint32 => vk::IndexType::UINT32,
    }
}

/// Returns the offset of the indices in the bound range, in bytes. For small indices, it is not a multiple of 4.
pub(crate) fn lead(width: IndexType) -> u32 {
    3 * width.bytes()
}

/// Adds a capture pass that stores outputs to `outputs`, and returns its feedback buffers. `edit` may change
/// parameters.
pub(crate) fn capture_pass<'a>(
    storage: &Storage,
    words: &'a [u32],
    indexed: &Indexed,
    outputs: Option<Range>,
    mut edit: impl FnMut(&mut [u32]),
    work: &mut Work<'a>,
) -> (Draw<'a>, Vec<usize>) {
    // Add the indices and the segment table, whose size must not be 0.
    let feedback = storage.feedback(&indexed.case, work);
    let mut add = |mut bytes: Vec<u8>| {
        bytes.resize(bytes.len().next_multiple_of(4).max(4), 0xee);
        work.buffers.push(bytes);
        let buffer = work.buffers.len() - 1;
        Range { buffer, offset: 0, size: work.buffers[buffer].len() as u64 }
    };
    let before = vec![0xee; lead(indexed.width) as usize];
    let indices = Some(add([before, indexed.bytes()].concat()));
    let segments = indexed.restart.then(|| {
        let table = indexed.table();
        add(bytes(table.table()))
    });

    // Draw or dispatch with the host parameters.
    let draw = indexed.host(lead(indexed.width));
    let ranges = storage.ranges(&indexed.case);
    let mut params = storage.capture.layout.host_params(&draw, &ranges).expect("the draw is one");
    edit(&mut params);
    let mut pass = Draw {
        stages: vec![Stage::vertex(words)],
        vertices: indexed.case.draw.vertices.clone(),
        instances: indexed.case.draw.instances.clone(),
        ..Draw::default()
    };
    dispatch_capture(&storage.capture, &draw, &mut pass).expect("it is one");
    let buffers = CaptureBuffers { feedback: &feedback, indices, segments, outputs };
    bind_capture(&storage.capture, &params, &buffers, &mut pass, work);
    (pass, feedback.iter().map(|range| range.buffer).collect())
}

/// Captures all draws, with host parameters that `edit` may change.
#[track_caller]
fn run(
    storage: &Storage,
    driver: Driver,
    all: &[Indexed],
    mut edit: impl FnMut(&mut [u32]),
) -> Vec<Vec<Vec<u8>>> {
    let (mut work, mut feedback) = (Work::default(), Vec::new());
    for indexed in all {
        let (draw, buffers) =
            capture_pass(storage, &storage.words, indexed, None, &mut edit, &mut work);
        work.draws.push(draw);
        feedback.push(buffers);
    }
    let outcome = driver.run(&work);
    let memory = |buffers: Vec<usize>| {
        buffers.into_iter().map(|buffer| outcome.buffers[buffer].clone()).collect()
    };
    feedback.into_iter().map(memory).collect()
}

#[track_caller]
fn run_native(words: &[u32], layout: &[BufferLayout], all: &[Indexed]) -> Vec<Capture> {
    let (mut work, mut feedback) = (Work::default(), Vec::new());
    for indexed in all {
        feedback.push(work.buffers.len()..work.buffers.len() + layout.len());
        let mut draw = native_draw(words, layout, &indexed.case, &mut work);
        draw.indices = Some(indexed.native(&mut work));
        work.draws.push(draw);
    }
    let outcome = Driver::Lavapipe.run(&work);
    let captured = outcome.captured.iter().flatten();
    let capture = |(buffers, captured): (ops::Range<usize>, &vulkan::Captured)| Capture {
        memory: outcome.buffers[buffers].to_vec(),
        captured: *captured,
    };
    feedback.into_iter().zip(captured).map(capture).collect()
}

/// Returns the values of the shader `INDICES` for `TWO_BUFFERS`.
fn values(vertex: u32, instance: u32) -> Vec<Value> {
    let times = |one: u32, add| one.wrapping_mul(1000).wrapping_add(add);
    let mixed = bytes(&[times(vertex, 7), times(instance, 8), times(vertex, 9)]);
    let index = bytes(&[vertex, instance]);
    vec![Value { buffer: 0, offset: 0, bytes: mixed }, Value { buffer: 1, offset: 8, bytes: index }]
}

/// Compares captures with the model on both drivers, and with lavapipe's native feature if it has the topology.
#[track_caller]
fn is_right(options: &Options, all: &[Indexed]) {
    let layout = INDICES.layout(TWO_BUFFERS);
    let storage = Storage::of_words(INDICES.plain(), layout.clone(), options);
    // The captured bytes, on both drivers.
    let models: Vec<Capture> = all.iter().map(|one| one.model(&layout, values)).collect();
    for driver in DRIVERS {
        let memories = run(&storage, driver, all, |_| {});
        for ((indexed, model), memory) in all.iter().zip(&models).zip(memories) {
            let expected = &model.memory;
            assert!(*expected == memory, "{driver:?} {indexed:?}\n{expected:02x?}\n{memory:02x?}");
        }
    }
    // The counts that the host computes.
    for (indexed, model) in all.iter().zip(&models) {
        let (draw, ranges) = (indexed.host(0), storage.ranges(&indexed.case));
        let written = storage.capture.layout.primitives_written(&draw, &ranges);
        let counts = (written.expect("the ranges fit"), draw.primitives());
        assert_eq!(counts, (model.captured.written, model.captured.needed), "{indexed:?}");
    }
    // lavapipe's native feature, which has no line loops.
    let has_native =
        |(indexed, _): &(&Indexed, &Capture)| indexed.case.draw.topology != Topology::LineLoop;
    let (natives, models): (Vec<&Indexed>, Vec<&Capture>) =
        all.iter().zip(&models).filter(has_native).unzip();
    let natives: Vec<Indexed> = natives.into_iter().cloned().collect();
    let captures = run_native(&INDICES.native(TWO_BUFFERS), &layout, &natives);
    for ((indexed, model), native) in natives.iter().zip(models).zip(&captures) {
        assert!(model == native, "{indexed:?}\n{model:02x?}\n{native:02x?}");
    }
}

fn topologies() -> impl Iterator<Item = Topology> {
    TOPOLOGIES.into_iter().chain(ADJACENCY).chain(LOOP)
}

/// Returns options that accept any indexed draw, with an index type chosen by the host.
fn any(host: ParamSource) -> Options {
    options(TWO_BUFFERS, host).indexed(None).topologies(topologies())
}

/// Returns draws of every topology and provoking vertex mode. First vertices and numbers of leftover vertices vary.
fn shapes(restart: bool) -> Vec<Indexed> {
    let mut all = Vec::new();
    let mut noise = Noise::new();
    for topology in topologies() {
        for mode in [ProvokingVertex::First, ProvokingVertex::Last] {
            for count in [0, 1, 3, 5, 8, 13] {
                let width = WIDTHS[noise.below(3) as usize];
                let mut one = Indexed::new(topology, width, count + 4);
                one.case.draw.provoking_vertex = mode;
                one.case.draw.vertices = 2..2 + count;
                one.case.draw.instances = 3..5;
                one.vertex_offset = [0, 70, -1][noise.below(3) as usize];
                one.restart = restart;
                one.case.room = vec![6 * count + 2; 2];
                for at in 0..count {
                    let index = 1 + noise.below(40);
                    let ends = restart && noise.below(4) == 0;
                    one.indices[2 + at as usize] = if ends { width.restart() } else { index };
                }
                all.push(one);
            }
        }
    }
    all
}

#[test]
fn every_draw_with_indices_is_captured() {
    is_right(&any(HOSTS[0]), &shapes(false));
    is_right(&any(HOSTS[5]), &shapes(false));
}

#[test]
fn primitives_are_restarted() {
    is_right(&any(HOSTS[0]).restart(), &shapes(true));
    is_right(&any(HOSTS[5]).restart(), &shapes(true));
}

/// A compute stage reads indices and segment tables in the same way as a vertex stage.
#[test]
fn compute_stages_capture_draws_with_indices() {
    for host in [HOSTS[0], HOSTS[2], HOSTS[5]] {
        for restart in [false, true] {
            let some: Vec<Indexed> = shapes(restart).into_iter().step_by(3).collect();
            let options = if restart { any(host).restart() } else { any(host) }.compute();
            is_right(&options, &some);
            is_right(&options.limit_in_vertices(), &some);
        }
    }
}

/// With parameters in specialization constants, each draw needs its own shader, so only a few are drawn.
#[test]
fn words_about_indices_come_from_anywhere() {
    let pairs = HOSTS.into_iter().flat_map(|host| [(host, false), (host, true)]);
    for (host, restart) in sample(pairs, 4) {
        let few: Vec<Indexed> = shapes(restart).into_iter().step_by(11).collect();
        let options = if restart { any(host).restart() } else { any(host) };
        is_right(&options, &few);
        is_right(&options.limit_in_vertices(), &few);
    }
}

/// Options with one topology, one index type or one instance emit different code.
#[test]
fn what_is_known_of_indices_needs_no_code() {
    let pairs = topologies().zip(WIDTHS.into_iter().cycle());
    let all = pairs.flat_map(|pair| [(pair, false), (pair, true)]);
    for ((one, width), restart) in sample(all, 4) {
        let known = |indexed: &Indexed| indexed.case.draw.topology == one;
        let mut all: Vec<Indexed> = shapes(restart).into_iter().filter(known).collect();
        for indexed in &mut all {
            let ends = indexed.width.restart();
            let restarts = indexed.indices.iter_mut().filter(|index| **index == ends);
            restarts.for_each(|index| *index = width.restart());
            indexed.width = width;
            indexed.case.draw.instances = 4..5;
        }
        let known =
            options(TWO_BUFFERS, HOSTS[0]).indexed(Some(width)).topologies([one]).one_instance();
        is_right(&if restart { known.restart().limit_in_vertices() } else { known }, &all);
    }
}

/// Returns draws with random parameters: capacities, counters, instances, and ranges of indices.
fn noise(count: usize) -> Vec<Indexed> {
    let mut noise = Noise::new();
    let draw = |_| {
        let all: Vec<Topology> = topologies().collect();
        let topology = all[noise.below(all.len() as u32) as usize];
        let width = WIDTHS[noise.below(3) as usize];
        // Indices, some of which restart the primitive.
        let there = 1 + noise.below(60);
        let mut one = Indexed::new(topology, width, there);
        one.restart = true;
        let often = 2 + noise.below(12);
        for index in &mut one.indices {
            let ends = noise.below(often) == 0;
            *index = if ends { width.restart() } else { noise.below(250) };
        }
        // The range of indices, the instances and the room.
        let first = noise.below(there);
        one.case.draw.vertices = first..first + noise.below(there - first + 1);
        let instance = noise.below(9);
        one.case.draw.instances = instance..instance + noise.below(4);
        one.vertex_offset = noise.below(1000) as i32;
        one.case.draw.provoking_vertex =
            [ProvokingVertex::First, ProvokingVertex::Last][noise.below(2) as usize];
        one.case.reached = noise.below(4);
        let room = |_| one.case.reached + noise.below(200);
        one.case.room = (0..2).map(room).collect();
        one
    };
    (0..count).map(draw).collect()
}

#[test]
fn any_draw_is_captured() {
    is_right(&any(HOSTS[0]).restart(), &noise(300));
    is_right(&any(HOSTS[5]).restart(), &noise(300));
}

#[test]
fn indices_that_are_not_there_are_0() {
    let layout = INDICES.layout(TWO_BUFFERS);
    for host in [HOSTS[0], HOSTS[5]] {
        let storage = Storage::of_words(INDICES.plain(), layout.clone(), &any(host));
        let draws = WIDTHS.map(|width| {
            let mut one = Indexed::new(Topology::TriangleStrip, width, 9);
            one.case.draw.vertices = 4..40;
            one.case.room = vec![200; 2];
            one.vertex_offset = 5;
            one
        });
        for driver in DRIVERS {
            for (one, memory) in draws.iter().zip(run(&storage, driver, &draws, |_| {})) {
                assert!(one.model(&layout, values).memory == memory, "{driver:?} {one:?}");
            }
        }
    }
}

/// For any parameters, indices and segment table, nothing is written outside the ranges. On SwiftShader, which does
/// not check bounds, nothing is read outside the bound range either.
#[test]
fn noise_stays_in_the_ranges() {
    let storage =
        Storage::of_words(INDICES.plain(), INDICES.layout(TWO_BUFFERS), &any(HOSTS[0]).restart());
    let draws = noise(400);
    // Sizes and offsets stay correct, because they limit which memory is accessed.
    let kept: Vec<bool> = storage
        .capture
        .words
        .params
        .iter()
        .map(|word| word.name.starts_with("size") || word.name.starts_with("offset"))
        .collect();
    // Change the other parameters at random.
    for driver in DRIVERS {
        let mut noise = Noise::new();
        let memories = run(&storage, driver, &draws, |words| {
            for (word, _) in words.iter_mut().zip(&kept).filter(|(_, kept)| !**kept) {
                if noise.below(3) == 0 {
                    *word = noise.word();
                }
            }
        });
        assert!(memories.iter().flatten().any(|memory| !only_written_in(memory, 0..0)));
        for (one, memory) in draws.iter().zip(&memories) {
            for (buffer, memory) in one.case.buffers(&storage.layout).iter().zip(memory) {
                assert!(only_written_in(memory, buffer.range.clone()), "{driver:?} {one:?}");
            }
        }
    }
}

#[test]
fn wrong_words_are_noticed() {
    let layout = INDICES.layout(TWO_BUFFERS);
    let storage = Storage::of_words(INDICES.plain(), layout.clone(), &any(HOSTS[0]).restart());
    let draws = shapes(true);
    // Each wrong parameter changes at least one capture.
    for (name, what) in [
        ("index_type", "another width"),
        ("vertex_offset", "another base vertex"),
        ("index_offset", "indices before the first"),
        ("index_size", "fewer indices"),
        ("first_index", "other positions"),
    ] {
        let number = storage.capture.words.number(name).expect("it is a word") as usize;
        let memories = run(&storage, Driver::Lavapipe, &draws, |words| {
            words[number] = match name {
                "index_type" => (words[number] + 1) % 3,
                "index_size" => words[number] / 2,
                _ => words[number].wrapping_add(1),
            };
        });
        let is_wrong =
            |(one, memory): (&Indexed, &Vec<Vec<u8>>)| one.model(&layout, values).memory != *memory;
        assert!(draws.iter().zip(&memories).any(is_wrong), "{what}");
    }
    // Ignoring restarts changes at least one capture, too.
    let other = |one: &Indexed| Indexed { restart: false, ..one.clone() };
    let is_other = |one: &Indexed| one.model(&layout, values) != other(one).model(&layout, values);
    assert!(draws.iter().any(is_other));
}
