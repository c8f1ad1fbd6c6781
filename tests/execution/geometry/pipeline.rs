//! Runs a vertex and a geometry stage as compute stages, and natively on lavapipe.

use super::shaders::VERTEX;
use crate::drivers::Driver;
use crate::feedback::{Capture, Case, FILL, GUARD, native_draw};
use crate::glsl;
use crate::indexed::Indexed;
use crate::memory::words;
use crate::shaders::{Shader, Varyings};
use polyshade::Module;
use polyshade::host::{Binding, HostParams, Lowered, Purpose, Set};
use polyshade::transform_feedback::{self, IndexType, Layout, Options, Topology, geometry};
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_tests::shader::validate;
use polyshade_vulkan::model::BufferLayout;
use polyshade_vulkan::{Captured, Descriptor, Draw, Range, Resource, Stage, Work, place_words, vk};

/// The draws of a pipeline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Draws {
    pub(crate) indexed: bool,
    pub(crate) restart: bool,
}

/// A draw with or without indices. Without them, only the case counts.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) draws: Draws,
    pub(crate) indexed: Indexed,
}

impl Item {
    pub(crate) fn case(&self) -> &Case {
        &self.indexed.case
    }

    fn host(&self) -> transform_feedback::Draw {
        let draw = self.indexed.host(0);
        transform_feedback::Draw { indices: draw.indices.filter(|_| self.draws.indexed), ..draw }
    }
}

/// A compute or vertex stage that the lowering made.
pub(crate) struct Made {
    pub(crate) words: Vec<u32>,
    descriptors: Vec<polyshade::host::Descriptor>,
}

impl Made {
    fn of<T>(lowered: &Lowered<'_, T>) -> Self {
        let words = lowered.module.words().to_vec();
        validate(&words).unwrap_or_else(|error| panic!("{error}"));
        Self { words, descriptors: lowered.requirements.descriptors.clone() }
    }

    /// Returns a draw with the stage, its buffers and its host parameters.
    fn draw<'a>(
        &'a self,
        stage: vk::ShaderStageFlags,
        (params, values): (&HostParams, &[u32]),
        bound: &[(Purpose, Range)],
        work: &mut Work<'a>,
    ) -> Draw<'a> {
        let mut draw = Draw { stages: vec![Stage::new(stage, &self.words)], ..Draw::default() };
        for one in &self.descriptors {
            if let Some((_, range)) = bound.iter().find(|(purpose, _)| *purpose == one.purpose) {
                let resource = Resource::StorageBuffer(*range);
                draw.descriptors.push(Descriptor::new(one.set.0, one.binding.0, resource));
            }
        }
        place_words(params.source, values, 0, &mut draw, work);
        draw
    }
}

/// The stages of a pipeline without a geometry stage, and their layouts and host parameters.
pub(crate) struct Pipeline {
    vertex: Made,
    vertex_layout: Layout,
    vertex_params: HostParams,
    pub(crate) layout: Layout,
    pub(crate) params: HostParams,
    /// `Count`, `Sum` and `Capture`.
    pub(crate) stages: [Made; 3],
    /// `Raster`, if the options spill outputs.
    raster: Option<Made>,
}

/// The buffers of an item, by their indices in the work.
pub(crate) struct Places {
    pub(crate) feedback: Vec<usize>,
    pub(crate) counts: usize,
    pub(crate) vertices: usize,
    pub(crate) emitted: Option<Range>,
}

fn leaked(words: Vec<u32>) -> &'static Module<'static> {
    Box::leak(Box::new(Module::parse(words.leak()).expect("glslang's words parse")))
}

/// Prepares the vertex stage.
fn vertex(draws: Draws) -> transform_feedback::Prepared<'static> {
    let module = leaked(glsl::vertex(VERTEX, "", SpirvVersion::SPIRV1_3));
    let options = Options::new().compute().spill_outputs().topologies(Topology::ALL);
    let options = match draws.indexed {
        true => options.indexed(Some(IndexType::Uint32)),
        false => options,
    };
    transform_feedback::prepare(module, "main", &options).expect("it is prepared")
}

/// Returns the options for these varyings.
pub(crate) fn options(varyings: Varyings) -> Options {
    let options = Options::new().into_storage(Set(0), Binding(0));
    match varyings {
        Varyings::Interleaved(names) => options.interleaved(names.split_whitespace()),
        Varyings::Separate(names) => options.separate(names.split_whitespace()),
    }
}

impl Pipeline {
    pub(crate) fn new(shader: &Shader, options: &Options, draws: Draws) -> Self {
        Self::of_words(shader.plain_stage(ShaderStage::Geometry), options, draws)
    }

    pub(crate) fn of_words(words: Vec<u32>, options: &Options, draws: Draws) -> Self {
        let vertex = vertex(draws);
        let before = vertex.layout();
        let options = if draws.restart { options.clone().restart() } else { options.clone() };
        let module = leaked(words);
        let [count, sum, capture] = [
            geometry::count(module, "main", before, &options),
            geometry::sum(module, "main", before, &options),
            geometry::capture(module, "main", before, &options),
        ]
        .map(|made| made.unwrap_or_else(|error| panic!("{error}")));
        let raster = (capture.result.outputs_stride() > 0)
            .then(|| geometry::raster(module, "main", before, &options).expect("it is made"));
        let spilled = vertex.variant(transform_feedback::Variant::SpillOutputs);
        Self {
            vertex: Made::of(&spilled.expect("it is made")),
            vertex_layout: before.clone(),
            vertex_params: vertex.params().clone(),
            layout: capture.result.clone(),
            params: capture.params[0].clone(),
            stages: [Made::of(&count), Made::of(&sum), Made::of(&capture)],
            raster: raster.as_ref().map(Made::of),
        }
    }

    /// Adds the dispatches of an item. `change` may change the host parameters of the geometry stage.
    pub(crate) fn add<'a>(
        &'a self,
        item: &Item,
        layout: &[BufferLayout],
        mut change: impl FnMut(&mut Vec<u32>),
        work: &mut Work<'a>,
    ) -> Places {
        // The buffers.
        let draw = item.host();
        let vertex_draw = transform_feedback::Draw {
            indices: draw.indices.map(|one| transform_feedback::Indices { restarted: None, ..one }),
            ..draw
        };
        let mut add = |size: u64| {
            let size = size.max(4);
            work.buffers.push(vec![FILL; 2 * GUARD + size as usize]);
            Range { buffer: work.buffers.len() - 1, offset: GUARD as u64, size }
        };
        let vertices = add(self.vertex_layout.outputs_size(&vertex_draw).expect("it is a draw"));
        let counts = add(self.layout.counts_size(&draw).expect("it is a draw"));
        let emitted = match self.raster.is_some() {
            true => self.layout.outputs_size(&draw).expect("it is a draw"),
            false => 0,
        };
        let emitted = add(emitted);
        let mut whole = |bytes: Vec<u8>| {
            let size = bytes.len() as u64;
            work.buffers.push(bytes);
            Range { buffer: work.buffers.len() - 1, offset: 0, size }
        };
        let indices = whole(item.indexed.bytes());
        let table: Vec<u8> = match item.draws.restart {
            true => {
                item.indexed.table().table().iter().flat_map(|word| word.to_ne_bytes()).collect()
            }
            false => vec![0; 4],
        };
        let segments = whole(table);
        let feedback = item.case().feedback(layout, work);
        // The vertex stage.
        let params = self.vertex_layout.host_params(&vertex_draw, &[]).expect("it is a draw");
        let params = (&self.vertex_params, &params[..]);
        let bound = [(Purpose::Outputs, vertices), (Purpose::Indices, indices)];
        let compute = vk::ShaderStageFlags::COMPUTE;
        let mut pass = self.vertex.draw(compute, params, &bound, work);
        pass.dispatch = Some(self.vertex_layout.work_groups(&vertex_draw).expect("it is a draw"));
        work.draws.push(pass);
        // The geometry stage.
        let ranges = item.case().ranges(layout);
        let mut params = self.layout.host_params(&draw, &ranges).expect("it is a draw");
        change(&mut params);
        let groups = self.layout.work_groups(&draw).expect("it is a draw");
        let mut bound = vec![
            (Purpose::Inputs, vertices),
            (Purpose::Counts, counts),
            (Purpose::Outputs, emitted),
            (Purpose::Segments, segments),
        ];
        bound.extend((0..).map(Purpose::Feedback).zip(feedback.iter().copied()));
        for (made, groups) in self.stages.iter().zip([groups, [1, 1, 1], groups]) {
            let mut pass = made.draw(compute, (&self.params, &params), &bound, work);
            pass.dispatch = Some(groups);
            work.draws.push(pass);
        }
        let feedback = feedback.iter().map(|range| range.buffer).collect();
        let emitted = self.raster.is_some().then_some(emitted);
        Places { feedback, counts: counts.buffer, vertices: vertices.buffer, emitted }
    }

    /// Returns the draw of `vertices` emitted vertices.
    pub(crate) fn raster<'a>(
        &'a self,
        emitted: Range,
        vertices: u32,
        work: &mut Work<'a>,
    ) -> Draw<'a> {
        let made = self.raster.as_ref().expect("the outputs are spilled");
        let values = vec![0; self.params.params.len()];
        let bound = [(Purpose::Outputs, emitted)];
        let draw = made.draw(vk::ShaderStageFlags::VERTEX, (&self.params, &values), &bound, work);
        Draw { vertices: 0..vertices, instances: 0..1, ..draw }
    }

    /// Captures all items on a driver. The counts are those of stream 0.
    pub(crate) fn run(
        &self,
        driver: Driver,
        items: &[Item],
        layout: &[BufferLayout],
    ) -> Vec<Capture> {
        let mut work = Work::default();
        let add = |item: &Item| self.add(item, layout, |_| (), &mut work);
        let places: Vec<Places> = items.iter().map(add).collect();
        let outcome = driver.run(&work);
        let captured = |(item, places): (&Item, &Places)| {
            let needed = emitted(&outcome.buffers[places.counts])[0];
            let written = self.layout.primitives_written_of(0, needed, &item.case().ranges(layout));
            let written = written.expect("the ranges fit");
            let memory = places.feedback.iter().map(|one| outcome.buffers[*one].clone()).collect();
            Capture { memory, captured: Captured { written, needed: needed.into() } }
        };
        items.iter().zip(&places).map(captured).collect()
    }
}

/// Returns the numbers of primitives that were emitted to each vertex stream, from the table of counts.
pub(crate) fn emitted(counts: &[u8]) -> [u32; 4] {
    let at = (GUARD + Layout::EMITTED_OFFSET as usize) / 4;
    words(counts)[at..at + 4].try_into().expect("there are four")
}

/// Captures all items with lavapipe's native feature.
pub(crate) fn run_native(shader: &Shader, varyings: Varyings, items: &[Item]) -> Vec<Capture> {
    let layout = shader.layout(varyings);
    let vertex = glsl::vertex(VERTEX, "", SpirvVersion::SPIRV1_3);
    let geometry = shader.native_stage(ShaderStage::Geometry, varyings);
    let mut work = Work::default();
    let mut firsts = Vec::new();
    for item in items {
        firsts.push(work.buffers.len());
        let mut draw = native_draw(&vertex, &layout, item.case(), &mut work);
        draw.stages.push(Stage::new(vk::ShaderStageFlags::GEOMETRY, &geometry));
        draw.indices = item.draws.indexed.then(|| item.indexed.native(&mut work));
        work.draws.push(draw);
    }
    let outcome = Driver::Lavapipe.run(&work);
    let memory = |first: &usize| outcome.buffers[*first..first + layout.len()].to_vec();
    let captured = outcome.captured.iter().flatten();
    let both = firsts.iter().map(memory).zip(captured);
    both.map(|(memory, captured)| Capture { memory, captured: *captured }).collect()
}
