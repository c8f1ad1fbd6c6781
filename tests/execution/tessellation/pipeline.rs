//! Runs the stages that provide tessellation, and lavapipe's own tessellation.

use super::shaders::{CAPTURED, CONTROL_POINTS, Modes, Shaders, WORDS};
use crate::drivers::Driver;
use crate::geometry::pipeline::{Made, leaked, room, whole};
use crate::memory::{bytes, words};
use polyshade::host::{HostParams, Purpose};
use polyshade::transform_feedback::{
    self, BufferRange, Draw as HostDraw, IndexType, Indices, Layout, Options, Topology, Variant,
    tessellation,
};
use polyshade_tests::made::host_draw;
use polyshade_vulkan::model::native_topology;
use polyshade_vulkan::{Descriptor, Draw, Range, Resource, Stage, TransformFeedback, Work, vk};

/// A draw of patches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) vertices: u32,
    pub(super) instances: u32,
}

/// The stages, and their layouts and host parameters.
pub(super) struct Pipeline {
    vertex: Made,
    vertex_layout: Layout,
    vertex_params: HostParams,
    pub(super) layout: Layout,
    params: HostParams,
    /// `Control`, `Allocate` and `Tessellate`.
    pub(super) stages: [Made; 3],
    pub(super) evaluation: Made,
}

/// The sizes of the buffers, the host parameters, and the numbers of work groups.
#[derive(Debug, Clone)]
pub(super) struct Room {
    /// The size of the spilled outputs of the vertex stage.
    pub(super) inputs: u64,
    /// The sizes of patches, table, points and indices.
    pub(super) sizes: [u64; 4],
    pub(super) params: Vec<u32>,
    pub(super) groups: [u32; 3],
}

/// The buffers after the stages.
pub(super) struct Tessellated {
    pub(super) patches: Vec<u8>,
    pub(super) table: Vec<u32>,
    pub(super) points: Vec<u8>,
    pub(super) indices: Vec<u8>,
}

impl Pipeline {
    pub(super) fn new(modes: &Modes) -> Self {
        Self::of_shaders(modes.shaders(), false)
    }

    /// Makes a pipeline with the origin of the domain at the lower or upper left.
    pub(super) fn of_shaders(shaders: Shaders, lower_left: bool) -> Self {
        let before = leaked(shaders.vertex);
        let spills = Options::new().compute().spill_outputs();
        let before = transform_feedback::prepare(before, "main", &spills).expect("it is prepared");
        let spilled = before.variant(Variant::SpillOutputs).expect("it is made");
        let (control, options) = (leaked(shaders.control), Options::new());
        let control =
            tessellation::control(control, "main", before.layout(), CONTROL_POINTS, &options);
        let control = control.unwrap_or_else(|error| panic!("{error}"));
        let shader = leaked(shaders.evaluation);
        let layout = control.result.clone();
        let layout = if lower_left { layout.lower_left_origin() } else { layout };
        let (layout, options, target) = (&layout, &options, "main");
        let allocate = tessellation::allocate(shader, target, layout, options).expect("it is made");
        let points = tessellation::tessellate(shader, target, layout, options).expect("it is made");
        let drawn = tessellation::evaluation(shader, target, layout, options).expect("it is made");
        Self {
            vertex: Made::of(&spilled),
            vertex_layout: before.layout().clone(),
            vertex_params: before.params().clone(),
            layout: drawn.result.clone(),
            params: control.params[0].clone(),
            stages: [Made::of(&control), Made::of(&allocate), Made::of(&points)],
            evaluation: Made::of(&drawn),
        }
    }

    /// Returns the topology of the evaluated primitives.
    pub(super) fn topology(&self) -> Topology {
        self.layout.emitted_topology().expect("the domain is stated")
    }

    /// Returns room for an item with any levels.
    pub(super) fn ample(&self, item: Item) -> Room {
        let Item { vertices, instances } = item;
        let draw = host_draw(Topology::PointList, vertices, instances);
        Room {
            inputs: self.vertex_layout.outputs_size(&draw).expect("it is a draw"),
            sizes: self.layout.tessellation_sizes(&draw, 64.0),
            params: self.layout.host_params(&draw, &[]).expect("it is a draw"),
            groups: self.layout.work_groups(&draw).expect("they fit"),
        }
    }

    /// Tessellates an item, and checks that the stages write nothing outside the buffers.
    pub(super) fn tessellate(&self, driver: Driver, item: Item, given: &Room) -> Tessellated {
        let mut work = Work::default();
        let compute = vk::ShaderStageFlags::COMPUTE;
        // The vertex stage.
        let draw = host_draw(Topology::PointList, item.vertices, item.instances);
        let inputs = room(given.inputs, &mut work);
        let values = self.vertex_layout.host_params(&draw, &[]).expect("it is a draw");
        let bound = [(Purpose::Outputs, inputs)];
        let params = (&self.vertex_params, values.as_slice());
        let mut pass = self.vertex.draw(compute, params, &bound, &mut work);
        pass.dispatch = Some(self.vertex_layout.work_groups(&draw).expect("it is dispatched"));
        work.draws.push(pass);
        // The other stages.
        let [patches, table, points, indices] = given.sizes.map(|size| room(size, &mut work));
        let bound = [
            (Purpose::Inputs, inputs),
            (Purpose::Patches, patches),
            (Purpose::Counts, table),
            (Purpose::Points, points),
            (Purpose::Indices, indices),
        ];
        for (number, made) in self.stages.iter().enumerate() {
            let mut pass = made.draw(compute, (&self.params, &given.params), &bound, &mut work);
            pass.dispatch = Some(if number == 1 { [1, 1, 1] } else { given.groups });
            work.draws.push(pass);
        }
        let outcome = driver.run(&work);
        let inside = |range: Range| {
            let bytes = &outcome.buffers[range.buffer];
            let (start, end) = (range.offset as usize, (range.offset + range.size) as usize);
            let guards = [&bytes[..start], &bytes[end..]];
            let is_kept = |guard: &&[u8]| guard.iter().all(|byte| *byte == crate::feedback::FILL);
            assert!(guards.iter().all(is_kept), "a stage writes beyond its buffer");
            bytes[start..end].to_vec()
        };
        inside(inputs);
        Tessellated {
            patches: inside(patches),
            table: words(&inside(table)),
            points: inside(points),
            indices: inside(indices),
        }
    }

    /// Captures the primitives with the evaluation stage, which is a vertex stage now, in a compute stage.
    pub(super) fn capture(&self, driver: Driver, made: &Tessellated) -> Vec<u32> {
        let count = made.table[0];
        if count == 0 {
            return Vec::new();
        }
        let topology = self.topology();
        let options = Options::new()
            .interleaved(CAPTURED)
            .compute()
            .indexed(Some(IndexType::Uint32))
            .topologies([topology]);
        let shader = leaked(self.evaluation.words.clone());
        let prepared = transform_feedback::prepare(shader, "main", &options);
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
        let capture = Made::of(&prepared.variant(Variant::CaptureOnly).expect("it is made"));
        let mut work = Work::default();
        let bound = self.bound(made, &mut work);
        let size = 4 * WORDS as u64 * u64::from(count);
        let feedback = room(size, &mut work);
        let indices = Indices {
            index_type: IndexType::Uint32,
            address: 0,
            offset: 0,
            size: made.indices.len() as u32,
            vertex_offset: 0,
            restarted: None,
            table_address: 0,
            table_size: 0,
        };
        let draw = HostDraw { indices: Some(indices), ..host_draw(topology, count, 1) };
        let range = BufferRange { size: size as u32, ..BufferRange::default() };
        let values = prepared.layout().host_params(&draw, &[range]).expect("it is a draw");
        let all: Vec<_> = bound.iter().copied().chain([(Purpose::Feedback(0), feedback)]).collect();
        let compute = vk::ShaderStageFlags::COMPUTE;
        let mut pass = capture.draw(compute, (prepared.params(), &values), &all, &mut work);
        self.add_descriptors(&bound, &mut pass);
        pass.dispatch = Some(prepared.layout().work_groups(&draw).expect("it is dispatched"));
        work.draws.push(pass);
        let outcome = driver.run(&work);
        let start = feedback.offset as usize;
        words(&outcome.buffers[feedback.buffer][start..start + size as usize])
    }

    /// Returns the draw of an item as a picture. The work has no other contents.
    pub(super) fn draw<'a>(&'a self, made: &Tessellated, work: &mut Work<'a>) -> Draw<'a> {
        let bound = self.bound(made, work);
        let mut draw =
            Draw { stages: vec![Stage::vertex(&self.evaluation.words)], ..Draw::default() };
        self.add_descriptors(&bound, &mut draw);
        draw.topology = native_topology(self.topology()).expect("Vulkan has it");
        draw.instances = 0..1;
        draw.indices = Some(polyshade_vulkan::Indices {
            place: polyshade_vulkan::Place { buffer: bound[3].1.buffer, offset: 0 },
            index_type: vk::IndexType::UINT32,
            count: made.table[0],
            first: 0,
            vertex_offset: 0,
            restart: false,
        });
        draw
    }

    /// Adds the buffers to `work`.
    pub(super) fn bound(&self, made: &Tessellated, work: &mut Work<'_>) -> [(Purpose, Range); 4] {
        [
            (Purpose::Patches, whole(made.patches.clone(), work)),
            (Purpose::Counts, whole(bytes(&made.table), work)),
            (Purpose::Points, whole(made.points.clone(), work)),
            (Purpose::Indices, whole(made.indices.clone(), work)),
        ]
    }

    /// Adds the descriptors of the evaluation stage.
    pub(super) fn add_descriptors(&self, bound: &[(Purpose, Range)], draw: &mut Draw<'_>) {
        for one in &self.evaluation.descriptors {
            let found = bound.iter().find(|(purpose, _)| *purpose == one.purpose);
            let (_, range) = found.expect("the buffer exists");
            let resource = Resource::StorageBuffer(*range);
            draw.descriptors.push(Descriptor::new(one.set.0, one.binding.0, resource));
        }
    }
}

/// The stages of the native pipeline.
pub(super) struct Native {
    shaders: Shaders,
    /// The last stage, which is a geometry stage or none.
    geometry: Option<Vec<u32>>,
    /// The number of vertices of a captured primitive.
    corners: usize,
}

fn decorated(words: Vec<u32>, captured: [&str; 2]) -> Vec<u32> {
    let options = Options::new().interleaved(captured);
    let decorated = transform_feedback::decorate(leaked(words), "main", &options);
    decorated.expect("it is decorated").module.words().to_vec()
}

impl Native {
    pub(super) fn new(modes: &Modes) -> Self {
        let shaders = modes.shaders();
        let evaluation = decorated(shaders.evaluation, CAPTURED);
        let shaders = Shaders { evaluation, ..shaders };
        Self { shaders, geometry: None, corners: modes.corners() }
    }

    /// Captures these outputs of a geometry stage, which emits the primitives that it gets.
    pub(super) fn with_geometry(modes: &Modes, words: Vec<u32>, captured: [&str; 2]) -> Self {
        let geometry = Some(decorated(words, captured));
        Self { shaders: modes.shaders(), geometry, corners: modes.corners() }
    }

    /// Returns a draw of an item.
    pub(super) fn draw(&self, item: Item) -> Draw<'_> {
        let stages = [
            (vk::ShaderStageFlags::VERTEX, &self.shaders.vertex),
            (vk::ShaderStageFlags::TESSELLATION_CONTROL, &self.shaders.control),
            (vk::ShaderStageFlags::TESSELLATION_EVALUATION, &self.shaders.evaluation),
        ];
        let geometry = self.geometry.iter().map(|words| (vk::ShaderStageFlags::GEOMETRY, words));
        let stages = stages.into_iter().chain(geometry);
        Draw {
            stages: stages.map(|(stage, words)| Stage::new(stage, words)).collect(),
            topology: vk::PrimitiveTopology::PATCH_LIST,
            patch_control_points: CONTROL_POINTS,
            vertices: 0..item.vertices,
            instances: 0..item.instances,
            ..Draw::default()
        }
    }

    /// Captures an item with lavapipe's tessellation and transform feedback, which `room` bytes suffice for.
    pub(super) fn capture(&self, item: Item, room: usize) -> Vec<u32> {
        let mut work = Work::default();
        let feedback = whole(vec![0; room], &mut work);
        let mut draw = self.draw(item);
        draw.transform_feedback =
            Some(TransformFeedback { buffers: vec![feedback], ..TransformFeedback::default() });
        work.draws.push(draw);
        let outcome = match self.geometry {
            Some(_) => Driver::Lavapipe.run_alone(&work),
            None => Driver::Lavapipe.run(&work),
        };
        let captured = outcome.captured[0].expect("the draw captures");
        assert_eq!(captured.written, captured.needed, "the room suffices");
        let mut words = words(&outcome.buffers[0]);
        words.truncate(captured.written as usize * WORDS * self.corners);
        words
    }
}
