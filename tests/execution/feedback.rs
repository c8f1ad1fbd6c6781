//! Captured draws, by the native feature and by the model.

use crate::drivers::Driver;
use crate::shaders::{Shader, Varyings};
use polyshade::transform_feedback::BufferRange;
use polyshade_vulkan::model::{self, BufferLayout, Topology, Value};
use polyshade_vulkan::{
    Captured, Draw, Place, ProvokingVertex, Range, Stage, TransformFeedback, Work, vk,
};
use std::collections::HashMap;

/// The initial value of every byte of memory.
pub(crate) const FILL: u8 = 0xa5;

/// The number of bytes before and after the bound range: a multiple of every alignment.
pub(crate) const GUARD: usize = 256;

/// The number of bytes before and after the writable range, within the bound range.
pub(crate) const LEAD: usize = 8;
pub(crate) const TAIL: usize = 60;

/// A draw, and the space for its captured data.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) draw: model::Draw,
    /// The number of vertices that fit into each buffer, and the number already in it.
    pub(crate) room: Vec<u32>,
    pub(crate) reached: u32,
}

/// The result of a case: the whole memory of each buffer, including guards, and the counts if they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) memory: Vec<Vec<u8>>,
    pub(crate) captured: Captured,
}

impl Case {
    /// Creates a draw of the first vertices of the first instance, with room for all captured data.
    pub(crate) fn new(topology: Topology, vertices: u32) -> Case {
        let draw = model::Draw {
            topology,
            provoking_vertex: ProvokingVertex::First,
            vertices: 0..vertices,
            instances: 0..1,
        };
        Case { draw, room: vec![3 * vertices + 2; 4], reached: 0 }
    }

    /// Returns the buffers before the draw.
    pub(crate) fn buffers(&self, layout: &[BufferLayout]) -> Vec<model::Buffer> {
        let buffer = |(layout, &room): (&BufferLayout, &u32)| {
            let size = (layout.stride * room) as usize;
            let begin = GUARD + LEAD;
            model::Buffer {
                memory: vec![FILL; begin + size + TAIL + GUARD],
                range: begin..begin + size,
                stride: layout.stride as usize,
                reached: (layout.stride * self.reached) as usize,
            }
        };
        layout.iter().zip(&self.room).map(buffer).collect()
    }

    /// Returns the feedback ranges of the draw, which begin `LEAD` bytes after the bound ranges.
    pub(crate) fn ranges(&self, layout: &[BufferLayout]) -> Vec<BufferRange> {
        let range = |buffer: model::Buffer| BufferRange {
            offset: LEAD as u32,
            size: buffer.range.len() as u32,
            counter: buffer.reached as u32,
            ..BufferRange::default()
        };
        self.buffers(layout).into_iter().map(range).collect()
    }

    /// Adds the feedback buffers to `work`, and returns the bound range of each.
    pub(crate) fn feedback(&self, layout: &[BufferLayout], work: &mut Work<'_>) -> Vec<Range> {
        let bound = self.buffers(layout).into_iter().map(|buffer| {
            let size = LEAD + buffer.range.len() + TAIL;
            work.buffers.push(buffer.memory);
            Range { buffer: work.buffers.len() - 1, offset: GUARD as u64, size: size as u64 }
        });
        bound.collect()
    }

    /// Returns the model's result, given the values of each vertex.
    pub(crate) fn model(
        &self,
        layout: &[BufferLayout],
        shader: impl Fn(u32, u32) -> Vec<Value>,
    ) -> Capture {
        let mut buffers = self.buffers(layout);
        let captured = model::capture(&self.draw, &mut buffers, shader);
        Capture { memory: buffers.into_iter().map(|buffer| buffer.memory).collect(), captured }
    }
}

/// Returns a layout without varyings, from the stride of each buffer.
pub(crate) fn with_strides(strides: &[u32]) -> Vec<BufferLayout> {
    let buffer = |stride: &u32| BufferLayout { stride: *stride, varyings: Vec::new() };
    strides.iter().map(buffer).collect()
}

/// Returns the memory of each case.
pub(crate) fn memories(captures: Vec<Capture>) -> Vec<Vec<Vec<u8>>> {
    captures.into_iter().map(|capture| capture.memory).collect()
}

/// Returns Vulkan's topology. Vulkan has no line loop.
pub(crate) fn native_topology(topology: Topology) -> vk::PrimitiveTopology {
    model::native_topology(topology).expect("Vulkan has no line loop")
}

/// Returns a draw with the native feature. It adds the buffers of the layout and the counters to `work`.
pub(crate) fn native_draw<'a>(
    words: &'a [u32],
    layout: &[BufferLayout],
    case: &Case,
    work: &mut Work<'a>,
) -> Draw<'a> {
    let mut feedback = TransformFeedback::default();
    let mut counters = Vec::new();
    for buffer in case.buffers(layout) {
        feedback.buffers.push(Range {
            buffer: work.buffers.len(),
            offset: buffer.range.start as u64,
            // An empty range cannot be bound. A range that is too small for a vertex has the same effect.
            size: buffer.range.len().max(4) as u64,
        });
        counters.extend((buffer.reached as u32).to_ne_bytes());
        work.buffers.push(buffer.memory);
    }
    let resume = Place { buffer: work.buffers.len(), offset: 0 };
    feedback.resume = (case.reached > 0).then_some(resume);
    work.buffers.push(counters);
    Draw {
        stages: vec![Stage::vertex(words)],
        topology: native_topology(case.draw.topology),
        provoking_vertex: case.draw.provoking_vertex,
        transform_feedback: Some(feedback),
        vertices: case.draw.vertices.clone(),
        instances: case.draw.instances.clone(),
        ..Draw::default()
    }
}

/// Runs all cases with lavapipe's native transform feedback, in one submission.
#[track_caller]
pub(crate) fn run_native(shader: &Shader, varyings: Varyings, cases: &[Case]) -> Vec<Capture> {
    run_decorated(&shader.native(varyings), &shader.layout(varyings), cases)
}

/// Runs all cases natively, with a shader that already has `xfb_*` decorations.
#[track_caller]
pub(crate) fn run_decorated(
    words: &[u32],
    layout: &[BufferLayout],
    cases: &[Case],
) -> Vec<Capture> {
    let mut work = Work::default();
    for case in cases {
        let draw = native_draw(words, layout, case, &mut work);
        work.draws.push(draw);
    }

    let outcome = Driver::Lavapipe.run(&work);
    let memories = outcome.buffers.chunks(layout.len() + 1).map(|c| c[..layout.len()].to_vec());
    let captured = outcome.captured.into_iter().flatten();
    memories.zip(captured).map(|(memory, captured)| Capture { memory, captured }).collect()
}

/// Returns the shader's outputs for each vertex. Captures points on lavapipe, so that order and space do not matter.
#[track_caller]
pub(crate) fn vertex_values(
    shader: &Shader,
    varyings: Varyings,
    cases: &[Case],
) -> impl Fn(u32, u32) -> Vec<Value> {
    // Capture the vertices as points.
    let points = |case: &Case| {
        let vertices = case.draw.vertices.len() * case.draw.instances.len();
        let draw = model::Draw { topology: Topology::PointList, ..case.draw.clone() };
        Case { draw, room: vec![vertices as u32; 4], reached: 0 }
    };
    let points = cases.iter().map(points).collect::<Vec<_>>();
    let captures = run_native(shader, varyings, &points);
    let layout = shader.layout(varyings);

    // Record the values by vertex and instance.
    let mut values = HashMap::new();
    for (case, capture) in points.iter().zip(&captures) {
        let model::Draw { vertices, instances, .. } = case.draw.clone();
        let indices = instances.flat_map(|i| vertices.clone().map(move |v| (v, i)));
        for (slot, indices) in indices.enumerate() {
            let record = |(buffer, layout): (usize, &BufferLayout)| {
                let stride = layout.stride as usize;
                let at = GUARD + LEAD + slot * stride;
                Value { buffer, offset: 0, bytes: capture.memory[buffer][at..at + stride].to_vec() }
            };
            values.insert(indices, layout.iter().enumerate().map(record).collect::<Vec<_>>());
        }
    }
    move |vertex, instance| values[&(vertex, instance)].clone()
}
