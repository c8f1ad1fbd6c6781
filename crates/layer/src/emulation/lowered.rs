//! Lowers the shaders of capturing pipelines.

use crate::emulation::layouts::{Addresses, Layout};
use crate::emulation::pipeline_info::{Captured, Shader, VertexInput};
use crate::emulation::shader_params::{CaptureParam, PullingParam};
use crate::recipes::{GivenStage, Recipes};
use crate::reported_features::MOST_STREAMS;
use crate::spirv;
use ash::vk::ShaderStageFlags;
use polyshade::host::{self, AddressSource, Device, ParamSource, Reserved, SideEffects, Target};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{
    self, MAX_BUFFERS, Topology, Variant as CaptureVariant, geometry,
};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Format, Rate};
use polyshade::{Error, Module};
use polyshade_planner::counter_pass::Geometry;
use std::sync::Arc;

/// The parts of a draw's state that select a variant.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Key {
    pub(crate) topology: u32,
    /// For indexed draws, whether primitive restart is enabled.
    pub(crate) restarts: Option<bool>,
    /// The vertex input state, if the shader pulls its attributes.
    pub(crate) pulled: Option<VertexInput>,
}

/// The capturing shaders of a variant.
pub(super) struct Lowered {
    pub(super) vertex: Vec<u32>,
    pub(super) geometry: Option<Vec<u32>>,
    /// The host parameters of the capture, then the host parameters of vertex pulling.
    pub(super) host: Vec<host::HostParams>,
    pub(super) capture: Vec<CaptureParam>,
    pub(super) pulled: Vec<PullingParam>,
    pub(super) strides: [u32; MAX_BUFFERS],
    pub(super) captured: [Vec<u32>; MAX_BUFFERS],
    pub(super) stores: bool,
    pub(super) emitted: Option<Emitted>,
}

/// The primitives that a geometry stage emits.
#[derive(Clone, Copy)]
pub(crate) struct Emitted {
    /// A list.
    pub(crate) topology: Topology,
    /// The number of primitives to each vertex stream for each input primitive.
    pub(crate) primitives: [u32; MOST_STREAMS],
    /// The number of invocations for each input primitive, if the primitives are stored sparsely. `primitives` is then
    /// their maximum.
    pub(crate) invocations: Option<u32>,
    /// The vertex stream that each transform feedback buffer captures.
    pub(crate) streams: [u32; MAX_BUFFERS],
    /// Whether a shader reads the number of a draw in a multi-draw.
    pub(crate) reads_draw_index: bool,
}

/// Returns the topology for a `VkPrimitiveTopology` value.
pub(crate) fn topology(number: u32) -> Topology {
    let found = Topology::ALL.into_iter().find(|one| *one as u32 == number);
    found.unwrap_or(Topology::PointList)
}

/// Lowers the shaders for captures. Fails if the pipeline layout has no place for the addresses.
/// If a geometry stage captures, `recipes` first lower the distances between the stages.
pub(super) fn lowered(
    captured: &Captured,
    layout: &Layout,
    key: &Key,
    recipes: Option<&Recipes>,
) -> Result<Lowered, String> {
    let addresses = layout.addresses.ok_or(
        "the push constants have no 16 free bytes, and portability drivers do not support vertex buffers with stride 0",
    )?;
    let lowered = match &captured.geometry {
        None => lower(&captured.vertex, key, addresses),
        Some(geometry) => {
            let Addresses::Pushed(at) = addresses else {
                return Err("the push constants have no 16 free bytes".to_owned());
            };
            let stages = without_distances((&captured.vertex, geometry), recipes)?;
            lower_geometry((&stages.0, &stages.1), layout.most_outputs, at)
        }
    };
    lowered.map_err(|error| error.to_string())
}

/// Returns a vertex and a geometry stage without the distances that the driver lacks.
fn without_distances(
    (vertex, geometry): (&Arc<Shader>, &Arc<Shader>),
    recipes: Option<&Recipes>,
) -> Result<(Arc<Shader>, Arc<Shader>), String> {
    let has_distances = |recipes: &&Recipes| {
        [vertex, geometry].into_iter().any(|shader| recipes.has_distances(&shader.words))
    };
    let Some(recipes) = recipes.filter(has_distances) else {
        return Ok((Arc::clone(vertex), Arc::clone(geometry)));
    };
    let given = |stage, shader: &Shader| {
        let (mut words, entry) = (shader.words.to_vec(), shader.entry.clone());
        let (entries, data) = &shader.constants;
        spirv::specialize(&mut words, entries, data);
        GivenStage { stage, words, entry }
    };
    let given =
        [given(ShaderStageFlags::VERTEX, vertex), given(ShaderStageFlags::GEOMETRY, geometry)];
    // The added fragment stage is not used.
    let mut made = recipes.lower(&given, false)?.into_iter();
    let mut with = |shader: &Shader| {
        let (entry, constants) = (shader.entry.clone(), shader.constants.clone());
        Arc::new(Shader { words: made.next().unwrap_or_default().into(), entry, constants })
    };
    Ok((with(vertex), with(geometry)))
}

/// Lowers the shader. It reads two addresses: first the vertex-pulling parameters, then the capture parameters.
fn lower(stage: &Shader, key: &Key, addresses: Addresses) -> Result<Lowered, Error> {
    let address = |number| {
        ParamSource::Address(match addresses {
            Addresses::Pushed(at) => AddressSource::PushConstant { offset: at + 8 * number },
            Addresses::Bound => AddressSource::Attribute { location: number },
        })
    };
    let target = Target::new(stage.entry.as_str()).stage(ExecutionModel::VERTEX).names(false);
    let module = Module::parse(&stage.words)?;
    let (mut pulled, mut host) = (Vec::new(), Vec::new());
    let fetched = match &key.pulled {
        None => None,
        Some(input) => {
            let options = pulling(input)?.params(address(0));
            let fetched = vertex_pulling::lower(&module, &target, &options)?;
            pulled = fetched.params.first().map_or_else(Vec::new, PullingParam::all);
            host.extend(fetched.params.iter().cloned());
            Some(fetched)
        }
    };
    let module = fetched.as_ref().map_or(&module, |fetched| &fetched.module);
    let topology = topology(key.topology);
    let mut options = transform_feedback::Options::new()
        .decorated()
        .topologies([topology])
        .unbound_buffers()
        .limit_in_vertices()
        .params(address(1));
    if let Some(restart) = key.restarts {
        options = options.indexed(None).constant_attributes([0]);
        if restart {
            options = options.restart();
        }
    }
    let captured = |options: &_| {
        let prepared = transform_feedback::prepare(module, &target, options)?;
        let variant = prepared.variant(CaptureVariant::CaptureOnly)?;
        Ok::<_, Error>((variant.into_owned(), prepared.params().clone()))
    };
    // If the shader itself stores to memory, only the original draw does these stores.
    let (variant, stores) = match captured(&options) {
        Ok(variant) => (variant, false),
        Err(_) => (captured(&options.side_effects(SideEffects::InSecondPass))?, true),
    };
    let (variant, words) = variant;
    let (strides, captured) = (strides(&variant.result), captured_words(&variant.result));
    let capture = CaptureParam::all(&words, topology);
    host.insert(0, words);
    let vertex = variant.module.into_words();
    let (geometry, emitted) = (None, None);
    Ok(Lowered { vertex, geometry, host, capture, pulled, strides, captured, stores, emitted })
}

/// Lowers a vertex shader and the geometry shader that captures. The geometry shader reads the address of the capture
/// parameters, after the address of the vertex-pulling parameters, which it does not have.
fn lower_geometry(
    (vertex, geometry): (&Shader, &Shader),
    most_outputs: u32,
    at: u32,
) -> Result<Lowered, Error> {
    let target =
        |shader: &Shader, stage| Target::new(shader.entry.as_str()).stage(stage).names(false);
    // The vertex stage passes the instance at a location that the geometry stage does not use.
    let mut limits = Device::default();
    limits.output_components = most_outputs;
    let reserved = spirv::locations(&geometry.words).fold(Reserved::new(), Reserved::location);
    let targets = (
        target(vertex, ExecutionModel::VERTEX).device(limits).reserved(reserved),
        target(geometry, ExecutionModel::GEOMETRY),
    );
    let address = AddressSource::PushConstant { offset: at + 8 };
    let options = transform_feedback::Options::new()
        .decorated()
        .unbound_buffers()
        .params(ParamSource::Address(address));
    let reads_draw_index = spirv::reads_draw_index(&vertex.words);
    let (vertex, module) = (Module::parse(&vertex.words)?, Module::parse(&geometry.words)?);
    let captured = |options: &transform_feedback::Options| {
        let before = geometry::vertex(&vertex, targets.0.clone(), options)?;
        // The values of specialization constants may decide how many primitives are emitted.
        let options = geometry.specialized(options.clone());
        let lowered = geometry::capture(&module, targets.1.clone(), &before.result, &options)?;
        Ok::<_, Error>((before.module.into_words(), lowered.into_owned()))
    };
    // If a shader itself stores to memory, only the original draw does these stores.
    let ((vertex, lowered), stores) = match captured(&options) {
        Ok(shaders) => (shaders, false),
        Err(_) => (captured(&options.side_effects(SideEffects::InSecondPass))?, true),
    };
    let emitted = Emitted::of(&lowered.result, reads_draw_index);
    let (strides, captured) = (strides(&lowered.result), captured_words(&lowered.result));
    let host = lowered.params;
    let capture = host.iter().flat_map(|words| CaptureParam::all(words, emitted.topology));
    let capture = capture.collect();
    let geometry = Some(lowered.module.into_words());
    let (pulled, emitted) = (Vec::new(), Some(emitted));
    Ok(Lowered { vertex, geometry, host, capture, pulled, strides, captured, stores, emitted })
}

/// Returns the number of bytes per vertex in each transform feedback buffer.
fn strides(layout: &transform_feedback::Layout) -> [u32; MAX_BUFFERS] {
    let mut strides = [0; MAX_BUFFERS];
    for (stride, buffer) in strides.iter_mut().zip(&layout.buffers) {
        *stride = if buffer.captured.is_empty() { 0 } else { buffer.stride };
    }
    strides
}

/// Returns the places of the captured 32-bit words in a vertex, for each transform feedback buffer.
fn captured_words(layout: &transform_feedback::Layout) -> [Vec<u32>; MAX_BUFFERS] {
    let mut words = [const { Vec::new() }; MAX_BUFFERS];
    for (words, buffer) in words.iter_mut().zip(&layout.buffers) {
        let captured = buffer.captured.iter();
        words.extend(captured.flat_map(|one| one.offset / 4..one.offset / 4 + one.components));
    }
    words
}

impl Emitted {
    /// Returns whether vertex streams after stream 0 emit or capture anything.
    pub(crate) fn has_streams(&self) -> bool {
        (1..MOST_STREAMS).any(|stream| self.has_stream(stream))
    }

    /// Returns the primitives of stream 0 for the counter pass.
    pub(crate) fn geometry(&self, indexed: bool) -> Geometry {
        Geometry {
            topology: self.topology,
            primitives: self.primitives[0],
            emitted: 0,
            indexed,
            has_streams: self.has_streams(),
        }
    }

    pub(crate) fn has_stream(&self, stream: usize) -> bool {
        self.primitives[stream] > 0 || self.streams.contains(&(stream as u32))
    }

    /// Returns the primitives of the layout of a geometry stage.
    fn of(layout: &transform_feedback::Layout, reads_draw_index: bool) -> Self {
        let sparse = layout.sparse_primitives();
        let invocations = sparse.map(|_| layout.invocations_per_input());
        let primitives = sparse.or_else(|| layout.primitives_per_input());
        let primitives = primitives.expect("numbers that are not constant are stored sparsely");
        let streams = std::array::from_fn(|buffer| layout.stream(buffer));
        let topology = layout.emitted_topology().expect("the layout is of a geometry stage");
        Self { topology, primitives, invocations, streams, reads_draw_index }
    }
}

/// Returns the vertex-pulling options for a vertex input state.
fn pulling(input: &VertexInput) -> Result<vertex_pulling::Options, Error> {
    let mut options = vertex_pulling::Options::new().access_beyond_stride(true);
    for &(location, buffer, format, offset) in &input.attributes {
        let format: Format = format!("{format:?}").parse()?;
        let attribute = Attribute { buffer, format: Some(format), offset: Some(offset) };
        options = options.attribute(location, attribute);
    }
    for &(number, stride, divisor) in &input.bindings {
        let rate = divisor.map_or(Rate::Vertex, |divisor| Rate::Instance { divisor });
        options = options.buffer(number, Buffer { rate: Some(rate), stride: Some(stride) });
    }
    Ok(options)
}
