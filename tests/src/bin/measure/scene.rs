//! Draws that are measured without rasterization.

use crate::{Result, time};
use polyshade::host::{Binding, Lowered, ParamSource, Set};
use polyshade::transform_feedback::{self, BufferRange, IndexType, Options, Topology, Varying};
use polyshade::vertex_pulling::{self, Pulled};
use polyshade_tests::made::host_draw;
use polyshade_vulkan::{
    CaptureBuffers, Device, Draw, Indices, Place as At, Range, Stage, TransformFeedback, Variants,
    VertexBuffer, VertexLayout, Work, bind_pulled, capture_draw, model, vk,
};
use std::collections::BTreeMap;

/// The number of vertices in a small draw and in a large draw.
const FEW: u32 = 3 << 6;
const MANY: u32 = 3 << 15;
/// The number of draws in a run. The fixed cost of a run, such as memory for the buffers, varies by milliseconds.
const DRAWS: usize = 8;

/// A cheap shader with a captured vec4. The benchmark of the layer uses the same shader.
pub(crate) const TRIVIAL: &str =
    include_str!("../../../../crates/layer/benches/shaders/trivial.vert");
/// An expensive shader with the same capture.
pub(crate) const HEAVY: &str = include_str!("../../../../crates/layer/benches/shaders/heavy.vert");

/// The descriptor set of feedback buffers and host parameters. Shaders that use this set are not measured.
pub(crate) const SET: u32 = 3;

/// Returns options that capture `varying` from any draw.
pub(crate) fn options(varying: Varying) -> Options {
    let options = Options::new().interleaved([varying]).into_storage(Set(SET), Binding(0));
    options.params(ParamSource::StorageBuffer { set: Set(SET), binding: Binding(8) })
}

/// Returns options that capture `varying` from draws of one topology and one instance, with one limit for all buffers.
pub(crate) fn known(varying: Varying, topology: Topology) -> Options {
    options(varying).topologies([topology]).one_instance().limit_in_vertices()
}

/// The indices of a scene's buffers: attributes, captured vertices and vertex indices.
const ATTRIBUTES: usize = 0;
const FEEDBACK: usize = 1;
const INDICES: usize = 2;

/// A draw.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// A draw with the original shader.
    Plain(&'a [u32]),
    /// A draw that the driver captures, according to the shader's decorations.
    Native(&'a [u32]),
    Capture(&'a Variants<'a>),
    /// A draw that reloads the outputs that a capture pass has stored.
    ReloadOutputs(&'a [u32]),
}

/// The topology and the vertex input of draws.
pub(crate) struct Scene<'a> {
    pub(crate) topology: Topology,
    pub(crate) indexed: bool,
    /// The fixed-function vertex input.
    pub(crate) layout: VertexLayout,
    /// The shader with vertex pulling, which replaces fixed-function vertex fetch.
    pub(crate) pulled: Option<(&'a Lowered<'a, Pulled>, &'a vertex_pulling::Options)>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(topology: Topology) -> Self {
        let layout = VertexLayout::vectors([(0, vk::Format::R32G32B32A32_SFLOAT)]);
        Self { topology, indexed: false, layout, pulled: None }
    }

    /// Returns the time per vertex, in nanoseconds.
    pub(crate) fn measure(&self, device: &Device, steps: &[Step<'a>]) -> Result<f64> {
        let work = |vertices| -> Result<Work<'a>> {
            let mut work = self.work(steps, vertices, MANY)?;
            work.draws = vec![work.draws; DRAWS].concat();
            Ok(work)
        };
        let vertices = f64::from(MANY - FEW) * DRAWS as f64;
        time::per_unit(device, [&work(FEW)?, &work(MANY)?], vertices)
    }

    /// Returns draws of `vertices` vertices, with buffers for `room` vertices. A vertex of a strip may be captured
    /// three times.
    pub(crate) fn work(&self, steps: &[Step<'a>], vertices: u32, room: u32) -> Result<Work<'a>> {
        // Fill the buffers.
        let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 16) as f32 / 65536.0;
        let attributes = (0..4 * room).flat_map(|i| number(i).to_ne_bytes()).collect();
        let feedback = vec![0; 3 * 16 * room as usize];
        let indices = (0..room).flat_map(u32::to_ne_bytes).collect();
        let mut work = Work { buffers: vec![attributes, feedback, indices], ..Work::default() };
        for step in steps {
            let mut draw = match *step {
                Step::Plain(words) | Step::Native(words) => self.plain(words, vertices),
                Step::Capture(variants) => self.capture(variants, vertices, &mut work)?,
                Step::ReloadOutputs(words) => {
                    let captured = work.draws.last().cloned().unwrap_or_default();
                    let Draw { stages, topology, .. } = self.plain(words, vertices);
                    Draw { stages, topology, vertex_buffers: Vec::new(), ..captured }
                }
            };
            // Add the feedback buffer and the vertex input.
            if let Step::Native(_) = step {
                let buffers = vec![whole(&work, FEEDBACK)];
                draw.transform_feedback = Some(TransformFeedback { buffers, ..Default::default() });
            }
            if let Some((pulled, options)) = self.pulled {
                let ranges = BTreeMap::from([(0, whole(&work, ATTRIBUTES))]);
                bind_pulled(pulled, options, &ranges, 0, &mut draw, &mut work);
            } else if !matches!(step, Step::ReloadOutputs(_)) {
                let place = At { buffer: ATTRIBUTES, offset: 0 };
                draw.vertex_buffers = vec![VertexBuffer { place, layout: self.layout.clone() }];
            }
            work.draws.push(draw);
        }
        Ok(work)
    }

    fn plain(&self, words: &'a [u32], count: u32) -> Draw<'a> {
        let topology = model::native_topology(self.topology).unwrap_or_default();
        let indices = self.indexed.then_some(Indices {
            place: At { buffer: INDICES, offset: 0 },
            index_type: vk::IndexType::UINT32,
            count,
            first: 0,
            vertex_offset: 0,
            restart: false,
        });
        Draw { topology, indices, ..Draw::new(vec![Stage::vertex(words)], 0..count) }
    }

    fn capture(
        &self,
        variants: &'a Variants<'a>,
        vertex_count: u32,
        work: &mut Work<'a>,
    ) -> Result<Draw<'a>> {
        let indices = self.indexed.then(|| whole(work, INDICES));
        // Describe the draw, with the indices if there are any.
        let draw = transform_feedback::Draw {
            indices: indices.map(|range| transform_feedback::Indices {
                index_type: IndexType::Uint32,
                address: 0,
                offset: 0,
                size: range.size as u32,
                vertex_offset: 0,
                restarted: None,
                table_address: 0,
                table_size: 0,
            }),
            ..host_draw(self.topology, vertex_count, 1)
        };
        // Bind the feedback buffer, and a buffer for spilled outputs if the variants need one.
        let ranges = [whole(work, FEEDBACK)];
        let range = BufferRange { size: ranges[0].size as u32, ..BufferRange::default() };
        let outputs = match variants.layout.outputs_stride() {
            0 => None,
            _ => {
                work.buffers.push(vec![0; variants.layout.outputs_size(&draw)? as usize]);
                Some(whole(work, work.buffers.len() - 1))
            }
        };
        let buffers = CaptureBuffers { indices, outputs, ..CaptureBuffers::from(&ranges[..]) };
        Ok(capture_draw(variants, &draw, &[range], &buffers, work)?)
    }
}

fn whole(work: &Work<'_>, buffer: usize) -> Range {
    Range { buffer, offset: 0, size: work.buffers[buffer].len() as u64 }
}
