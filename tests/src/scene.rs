//! Draws that are measured: nanoseconds a vertex, without rasterization.

use crate::processor;
use polyshade::Error as Refused;
use polyshade::host::{Binding, Lowered, Place, Set};
use polyshade::transform_feedback::{
    self, BufferRange, Options, ProvokingVertex, Topology, Varying,
};
use polyshade::vertex_pulling::{self, Pulled};
use polyshade_vulkan::{
    CaptureBuffers, Device, Draw, Place as At, Range, Stage, TransformFeedback, Variants,
    VertexBuffer, VertexLayout, Work, bind_pulled, capture_draw, vk,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Vertices of a small and of a large draw: what the large takes longer is the vertices' own.
const FEW: u32 = 3 << 6;
const MANY: u32 = 3 << 15;
/// The draws of a run: what a run takes beside them, such as memory for the buffers, differs by milliseconds.
const DRAWS: usize = 8;
/// Each is measured this often, and the shortest time counts: others share the machine.
pub const RUNS: u32 = 8;

/// Bytes of a vector.
const VECTOR: usize = 16;

/// Shaders of which a vector of four components is captured; the benchmark of the layer draws with them, too.
pub const TRIVIAL: &str = include_str!("../../crates/layer/benches/shaders/trivial.vert");
/// The same, with much to compute.
pub const HEAVY: &str = include_str!("../../crates/layer/benches/shaders/heavy.vert");

/// Where the feedback buffers and the words of the host go. Shaders that use them are not compared.
pub const SET: u32 = 3;

/// Captures `varying` from draws of which nothing is known.
pub fn options(varying: Varying) -> Options {
    let options = Options::new().interleaved([varying]).into_storage(Set(SET), Binding(0));
    options.words(Place::StorageBuffer { set: Set(SET), binding: Binding(8) })
}

/// The same, of draws of which all is known.
pub fn known(varying: Varying, topology: Topology) -> Options {
    options(varying).topologies([topology]).one_instance().one_limit()
}

/// The buffers of a scene: attributes, what is captured, and indices.
const ATTRIBUTES: usize = 0;
const FEEDBACK: usize = 1;
const INDICES: usize = 2;

/// A draw, and what it is bound to.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The work, without the draw.
    pub work: Work<'a>,
    /// The draw.
    pub draw: Draw<'a>,
    /// How the attributes are bound, unless the shader fetches them.
    pub layout: Option<VertexLayout>,
}

impl<'a> Scene<'a> {
    /// With attributes for so many vertices, room for three vectors of each, as those of strips are captured thrice,
    /// and indices.
    pub fn new(vertices: u32) -> Self {
        let number =
            |i: u32| ((i.wrapping_mul(2_654_435_761) >> 16) as f32 / 65536.0).to_ne_bytes();
        let attributes = (0..4 * vertices).flat_map(number).collect();
        let feedback = vec![0; 3 * VECTOR * vertices as usize];
        let indices = (0..vertices).flat_map(u32::to_ne_bytes).collect();
        let work = Work { buffers: vec![attributes, feedback, indices], ..Work::default() };
        let layout = VertexLayout::vectors([(0, vk::Format::R32G32B32A32_SFLOAT)]);
        Self { work, draw: Draw::default(), layout: Some(layout) }
    }

    /// Three vertices of a shader as it is.
    pub fn of(words: &'a [u32]) -> Self {
        let mut scene = Self::new(3);
        scene.plain(words, vk::PrimitiveTopology::TRIANGLE_LIST, 3);
        scene
    }

    fn whole(&self, buffer: usize) -> Range {
        Range { buffer, offset: 0, size: self.work.buffers[buffer].len() as u64 }
    }

    /// What is captured into.
    pub fn feedback(&self) -> Range {
        self.whole(FEEDBACK)
    }

    /// Draws `count` vertices of a shader as it is.
    pub fn plain(&mut self, words: &'a [u32], topology: vk::PrimitiveTopology, count: u32) {
        self.draw = Draw { topology, ..Draw::new(vec![Stage::vertex(words)], 0..count) };
    }

    /// Has the draw take its vertices from the indices.
    pub fn indexed(&mut self) {
        self.draw.indices = Some(polyshade_vulkan::Indices {
            place: At { buffer: INDICES, offset: 0 },
            index_type: vk::IndexType::UINT32,
            count: self.draw.vertices.len() as u32,
            first: 0,
            vertex_offset: 0,
            restart: false,
        });
    }

    /// Has the driver capture what the shader's decorations say.
    pub fn by_the_driver(&mut self) {
        let feedback = TransformFeedback { buffers: vec![self.feedback()], ..Default::default() };
        self.draw.transform_feedback = Some(feedback);
    }

    /// The capture pass of `count` vertices.
    ///
    /// # Errors
    ///
    /// What the layout refuses of the draw.
    pub fn captured(
        &mut self,
        variants: &'a Variants<'_>,
        topology: Topology,
        count: u32,
    ) -> Result<(), Refused> {
        self.capture(variants, (topology, count), None)
    }

    /// The capture pass of `count` vertices that the indices name.
    ///
    /// # Errors
    ///
    /// What the layout refuses of the draw.
    pub fn captured_by_index(
        &mut self,
        variants: &'a Variants<'_>,
        topology: Topology,
        count: u32,
    ) -> Result<(), Refused> {
        let size = self.whole(INDICES).size as u32;
        let indices = transform_feedback::Indices {
            index_type: transform_feedback::IndexType::Uint32,
            address: 0,
            offset: 0,
            size,
            vertex_offset: 0,
            restarted: None,
            table_address: 0,
            table_size: 0,
        };
        self.capture(variants, (topology, count), Some(indices))
    }

    fn capture(
        &mut self,
        variants: &'a Variants<'_>,
        (topology, vertex_count): (Topology, u32),
        indices: Option<transform_feedback::Indices>,
    ) -> Result<(), Refused> {
        let draw = transform_feedback::Draw {
            topology,
            provoking_vertex: ProvokingVertex::First,
            first_vertex: 0,
            vertex_count,
            first_instance: 0,
            instance_count: 1,
            draw_index: 0,
            indices,
        };
        let ranges = [self.feedback()];
        let range = BufferRange { size: ranges[0].size as u32, ..BufferRange::default() };
        let indices = indices.map(|_| self.whole(INDICES));
        let outputs = match variants.layout.outputs_stride() {
            0 => None,
            _ => Some(self.add_outputs(variants.layout.outputs_size(&draw)?)),
        };
        let buffers = CaptureBuffers { indices, outputs, ..CaptureBuffers::from(&ranges[..]) };
        self.draw = capture_draw(variants, &draw, &[range], &buffers, &mut self.work)?;
        Ok(())
    }

    fn add_outputs(&mut self, size: u64) -> Range {
        self.work.buffers.push(vec![0; size as usize]);
        self.whole(self.work.buffers.len() - 1)
    }

    /// What is drawn behind [`captured`](Self::captured), as it has passed through its buffer.
    pub fn passed_through(&mut self, words: &'a [u32], topology: vk::PrimitiveTopology) {
        self.draw.stages = vec![Stage::vertex(words)];
        self.draw.topology = topology;
    }

    /// Has the shader fetch its attributes, as `told` says that they are.
    pub fn pulled(&mut self, pulled: &Lowered<'_, Pulled>, told: &vertex_pulling::Options) {
        let ranges = BTreeMap::from([(0, self.whole(ATTRIBUTES))]);
        bind_pulled(pulled, told, &ranges, 0, &mut self.draw, &mut self.work);
        self.layout = None;
    }
}

/// Nanoseconds a vertex of what `make` makes of a scene and a number of vertices.
///
/// # Errors
///
/// Those of `make` and of the device.
pub fn measure<'a>(
    device: &Device,
    make: impl Fn(&mut Scene<'a>, u32) -> Result<(), Refused>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let least = |count| -> Result<Duration, Box<dyn std::error::Error>> {
        let mut scene = Scene::new(MANY);
        make(&mut scene, count)?;
        let place = At { buffer: ATTRIBUTES, offset: 0 };
        let bound = scene.layout.map(|layout| VertexBuffer { place, layout });
        scene.draw.vertex_buffers = bound.into_iter().collect();
        scene.work.draws = vec![scene.draw; DRAWS];
        Ok(processor::of_draws(device, &scene.work, RUNS)?)
    };
    let (few, many) = (least(FEW)?, least(MANY)?);
    let vertices = f64::from(MANY - FEW) * DRAWS as f64;
    Ok(many.saturating_sub(few).as_nanos() as f64 / vertices)
}
