//! Runs a captured geometry stage as a compute stage or in draws, and natively on lavapipe.

use super::shaders::VERTEX;
use crate::drivers::Driver;
use crate::extension;
use crate::feedback::{Capture, Case, FILL, GUARD, native_draw};
use crate::glsl;
use crate::indexed::Indexed;
use crate::memory::{bytes, words};
use crate::shaders::{Shader, Varyings};
use polyshade::Module;
use polyshade::host::{Binding, HostParams, Purpose, Set};
use polyshade::transform_feedback::{self, IndexType, Layout, Options, Topology, geometry};
use polyshade_formats::{ShaderStage, SpirvVersion};
pub(crate) use polyshade_tests::made::Made;
use polyshade_vulkan::model::{self, BufferLayout};
use polyshade_vulkan::{Captured, Draw, Range, Stage, Work, vk};

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

/// The stages that run in front of a captured geometry stage.
pub(crate) enum Before {
    /// A compute stage, its layout and its host parameters.
    Dispatched(Made, Box<Layout>, HostParams),
    /// The vertex stage of draws with a geometry stage.
    Drawn(Made),
}

/// The stages that capture, and their layouts and host parameters.
pub(crate) struct Pipeline {
    before: Before,
    pub(crate) layout: Layout,
    pub(crate) params: HostParams,
    /// `Count`, `Sum` and `Capture`, or only `Capture`.
    pub(crate) stages: Vec<Made>,
    /// `Raster`, if the options spill outputs.
    raster: Option<Made>,
}

/// The buffers of an item, by their indices in the work.
pub(crate) struct Places {
    pub(crate) feedback: Vec<usize>,
    pub(crate) counts: usize,
    /// The outputs of the vertex stage, if it is dispatched.
    pub(crate) vertices: Option<usize>,
    pub(crate) emitted: Option<Range>,
}

pub(crate) fn leaked(words: Vec<u32>) -> &'static Module<'static> {
    Box::leak(Box::new(Module::parse(words.leak()).expect("glslang's words parse")))
}

/// Prepares the vertex stage before a compute stage.
fn vertex(module: &'static Module<'static>, draws: Draws) -> transform_feedback::Prepared<'static> {
    let options = Options::new().compute().spill_outputs().topologies(Topology::ALL);
    let options = match draws.indexed {
        true => options.indexed(Some(IndexType::Uint32)),
        false => options,
    };
    transform_feedback::prepare(module, "main", &options).expect("it is prepared")
}

/// Returns the options of a compute stage for these varyings.
pub(crate) fn options(varyings: Varyings) -> Options {
    drawn_options(varyings).compute()
}

/// Returns the options of a geometry stage that stays one.
pub(crate) fn drawn_options(varyings: Varyings) -> Options {
    extension::options(varyings).into_storage(Set(0), Binding(0))
}

impl Pipeline {
    pub(crate) fn new(shader: &Shader, options: &Options, draws: Draws) -> Self {
        Self::of_words(shader.plain_stage(ShaderStage::Geometry), options, draws)
    }

    /// Makes a pipeline of compute stages.
    pub(crate) fn of_words(words: Vec<u32>, options: &Options, draws: Draws) -> Self {
        let module = leaked(glsl::vertex(VERTEX, "", SpirvVersion::SPIRV1_3));
        let vertex = vertex(module, draws);
        let spilled = vertex.variant(transform_feedback::Variant::SpillOutputs);
        let made = Made::of(&spilled.expect("it is made"));
        let before = vertex.layout();
        let options = if draws.restart { options.clone().restart() } else { options.clone() };
        let stages = Before::Dispatched(made, Box::new(before.clone()), vertex.params().clone());
        Self::after(stages, before, leaked(words), &options)
    }

    /// Makes a pipeline whose geometry stage stays one.
    pub(crate) fn drawn(words: Vec<u32>, options: &Options) -> Self {
        Self::drawn_after(VERTEX, words, options)
    }

    /// Does the same with another vertex stage.
    pub(crate) fn drawn_after(vertex: &str, words: Vec<u32>, options: &Options) -> Self {
        let module = leaked(glsl::vertex(vertex, "", SpirvVersion::SPIRV1_3));
        let vertex = geometry::vertex(module, "main", options);
        let vertex = vertex.unwrap_or_else(|error| panic!("{error}"));
        let before = Before::Drawn(Made::of(&vertex));
        Self::after(before, &vertex.result, leaked(words), options)
    }

    pub(crate) fn after(
        stages: Before,
        before: &Layout,
        module: &'static Module<'static>,
        options: &Options,
    ) -> Self {
        let capture = geometry::capture(module, "main", before, options);
        let capture = capture.unwrap_or_else(|error| panic!("{error}"));
        let counted = [
            geometry::count(module, "main", before, options),
            geometry::sum(module, "main", before, options),
        ];
        let counted: Vec<Made> = counted.iter().flatten().map(Made::of).collect();
        let uses_table =
            capture.requirements.descriptors.iter().any(|one| one.purpose == Purpose::Counts);
        assert_eq!(counted.len(), 2 * usize::from(uses_table));
        let raster = (capture.result.outputs_stride() > 0)
            .then(|| geometry::raster(module, "main", before, options).expect("it is made"));
        Self {
            before: stages,
            layout: capture.result.clone(),
            params: capture.params[0].clone(),
            stages: counted.into_iter().chain([Made::of(&capture)]).collect(),
            raster: raster.as_ref().map(Made::of),
        }
    }

    /// Adds the draws or dispatches of an item. `change` may change the host parameters of the geometry stage.
    pub(crate) fn add<'a>(
        &'a self,
        item: &Item,
        layout: &[BufferLayout],
        mut change: impl FnMut(&mut Vec<u32>),
        work: &mut Work<'a>,
    ) -> Places {
        let draw = item.host();
        let mut bound = Vec::new();
        // The vertex stage.
        let vertices = match &self.before {
            Before::Drawn(_) => None,
            Before::Dispatched(made, layout, params) => {
                let indices = whole(item.indexed.bytes(), work);
                let outputs = dispatch_vertex((made, layout, params), &draw, indices, work);
                bound.push((Purpose::Inputs, outputs));
                Some(outputs.buffer)
            }
        };
        // The buffers.
        let counts = room(self.layout.counts_size(&draw).expect("it is a draw"), work);
        let emitted = match self.raster.is_some() {
            true => self.layout.outputs_size(&draw).expect("it is a draw"),
            false => 0,
        };
        let emitted = room(emitted, work);
        let table: Vec<u8> = match item.draws.restart {
            true => bytes(item.indexed.table().table()),
            false => vec![0; 4],
        };
        let segments = whole(table, work);
        let feedback = item.case().feedback(layout, work);
        bound.extend([
            (Purpose::Counts, counts),
            (Purpose::Outputs, emitted),
            (Purpose::Segments, segments),
        ]);
        bound.extend((0..).map(Purpose::Feedback).zip(feedback.iter().copied()));
        // The stages that count and capture.
        let ranges = item.case().ranges(layout);
        let mut params = self.layout.host_params(&draw, &ranges).expect("it is a draw");
        change(&mut params);
        let capture = self.stages.len() - 1;
        for (number, made) in self.stages.iter().enumerate() {
            let is_sum = capture == 2 && number == 1;
            let pass = match &self.before {
                Before::Drawn(vertex) if !is_sum => {
                    self.drawn_pass((vertex, made), item, &params, &bound, work)
                }
                _ => {
                    let compute = vk::ShaderStageFlags::COMPUTE;
                    let mut pass = made.draw(compute, (&self.params, &params), &bound, work);
                    pass.dispatch = Some(match is_sum {
                        true => [1, 1, 1],
                        false => self.layout.work_groups(&draw).expect("it is a draw"),
                    });
                    pass
                }
            };
            work.draws.push(pass);
        }
        let feedback = feedback.iter().map(|range| range.buffer).collect();
        let emitted = self.raster.is_some().then_some(emitted);
        Places { feedback, counts: counts.buffer, vertices, emitted }
    }

    /// Returns a draw of an item with a geometry stage that counts or captures.
    fn drawn_pass<'a>(
        &'a self,
        (vertex, made): (&'a Made, &'a Made),
        item: &Item,
        params: &[u32],
        bound: &[(Purpose, Range)],
        work: &mut Work<'a>,
    ) -> Draw<'a> {
        let stage = vk::ShaderStageFlags::GEOMETRY;
        let mut pass = made.draw(stage, (&self.params, params), bound, work);
        pass.stages.insert(0, Stage::vertex(&vertex.words));
        let draw = &item.case().draw;
        pass.topology = model::native_topology(draw.topology).expect("a device draws it");
        pass.provoking_vertex = draw.provoking_vertex;
        pass.vertices = draw.vertices.clone();
        pass.instances = draw.instances.clone();
        pass.indices = item.draws.indexed.then(|| item.indexed.native(work));
        pass
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

    /// Returns the numbers of emitted primitives of an item, from the table of counts or from the layout.
    pub(crate) fn emitted(&self, item: &Item, counts: &[u8]) -> [u32; 4] {
        let constant = self.layout.primitives_emitted(&item.host()).expect("it is a draw");
        constant.unwrap_or_else(|| emitted(counts))
    }

    /// Captures all items on a driver. The counts are those of stream 0.
    pub(crate) fn run(
        &self,
        driver: Driver,
        items: &[Item],
        layout: &[BufferLayout],
    ) -> Vec<Capture> {
        self.run_with(driver, items, layout, |_| ())
    }

    /// Does the same after `change`.
    pub(crate) fn run_with(
        &self,
        driver: Driver,
        items: &[Item],
        layout: &[BufferLayout],
        change: impl FnOnce(&mut Work<'_>),
    ) -> Vec<Capture> {
        let mut work = Work::default();
        let add = |item: &Item| self.add(item, layout, |_| (), &mut work);
        let places: Vec<Places> = items.iter().map(add).collect();
        change(&mut work);
        let outcome = driver.run(&work);
        let captured = |(item, places): (&Item, &Places)| {
            let needed = self.emitted(item, &outcome.buffers[places.counts])[0];
            let written = self.layout.primitives_written_of(0, needed, &item.case().ranges(layout));
            let written = written.expect("the ranges fit");
            let memory = places.feedback.iter().map(|one| outcome.buffers[*one].clone()).collect();
            Capture { memory, captured: Captured { written, needed: needed.into() } }
        };
        items.iter().zip(&places).map(captured).collect()
    }
}

/// Adds a buffer with a range of `size` bytes between guards.
pub(crate) fn room(size: u64, work: &mut Work<'_>) -> Range {
    let size = size.max(4);
    work.buffers.push(vec![FILL; 2 * GUARD + size as usize]);
    Range { buffer: work.buffers.len() - 1, offset: GUARD as u64, size }
}

/// Adds a buffer with these bytes.
pub(crate) fn whole(bytes: Vec<u8>, work: &mut Work<'_>) -> Range {
    let size = bytes.len() as u64;
    work.buffers.push(bytes);
    Range { buffer: work.buffers.len() - 1, offset: 0, size }
}

/// Adds the dispatch of a vertex stage, and returns the buffer with its outputs.
fn dispatch_vertex<'a>(
    (made, layout, params): (&'a Made, &Layout, &HostParams),
    draw: &transform_feedback::Draw,
    indices: Range,
    work: &mut Work<'a>,
) -> Range {
    let draw = transform_feedback::Draw {
        indices: draw.indices.map(|one| transform_feedback::Indices { restarted: None, ..one }),
        ..*draw
    };
    let outputs = room(layout.outputs_size(&draw).expect("it is a draw"), work);
    let values = layout.host_params(&draw, &[]).expect("it is a draw");
    let bound = [(Purpose::Outputs, outputs), (Purpose::Indices, indices)];
    let mut pass = made.draw(vk::ShaderStageFlags::COMPUTE, (params, &values), &bound, work);
    pass.dispatch = Some(layout.work_groups(&draw).expect("it is a draw"));
    work.draws.push(pass);
    outputs
}

/// Returns the numbers of primitives that were emitted to each vertex stream, from the table of counts.
fn emitted(counts: &[u8]) -> [u32; 4] {
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
