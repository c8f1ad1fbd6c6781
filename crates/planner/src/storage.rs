//! Plans draws that are captured by variants that store to buffers.

mod words;

use super::builder::PlanBuilder;
use super::check::check_counter_pass;
use super::device::{Api, Device, RasterizationOff};
use super::shader_runs::shader_runs;
use super::state::{
    Active, Begin, Call, Capture, Counter, CounterOwner, Draw, End, Path, Pipeline, Query,
    STORAGE_BUFFERS, Storage, StoredIndices, Use,
};
use super::steps::{
    CounterPass, Counters, DrawCall, ParamRange, ParamValues, Plan, Position, Rasterization,
    ShaderRuns, Step, StorageRange, Variant, VertexOrder,
};
use super::sync::{Resource, barrier};
use crate::code;
use polyshade::host::{AddressSource, ParamSource, SideEffects};
use polyshade::transform_feedback::Topology;
use polyshade_spv::Error;
use words::bindings;

/// The passes of a captured draw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One pass that captures and does not rasterize.
    CaptureOnly,
    /// One draw that captures and rasterizes.
    AtOnce,
    /// A draw that captures, then a draw that rasterizes.
    CaptureThenRaster,
    /// A draw that captures and stores all outputs, then a draw that reads the stored outputs.
    CaptureThenPass,
}

/// The bindings and host parameters of a capture by variants that store.
pub(super) struct Stored<'s> {
    pub(super) storage: &'s Storage,
    /// The bindings of the feedback buffers.
    pub(super) bindings: Vec<StorageRange>,
    pub(super) words: ParamValues,
}

impl<'s> Stored<'s> {
    /// Returns the bindings and parameters of a draw that a device captures on `path`, or the reason why it cannot.
    pub(super) fn new(
        device: &Device,
        pipeline: &Pipeline,
        draw: &Draw,
        (capture, active): (&'s Capture, &Active),
        path: Path,
    ) -> Result<Self, Error> {
        let storage = self::storage(capture)?;
        check_limits(device, storage)?;
        let topology = check_draw(pipeline, draw, storage, active.counter_owner)?;
        match active.counter_owner {
            CounterOwner::Host => check_counters(draw, active)?,
            CounterOwner::Device => check_place(device, storage)?,
        }
        let of_draw = (path, topology);
        let (bindings, words) = bindings(device, pipeline, capture, storage, active, of_draw)?;
        check_words(device, &words)?;
        Ok(Self { storage, bindings, words })
    }

    /// Returns the steps that bind all buffers and write the host parameters. If the device owns the counters, a
    /// counter pass is added to `steps` and writes the parameters instead.
    pub(super) fn bound(
        self,
        steps: &mut PlanBuilder<'_>,
        capture: &Capture,
        active: &Active,
    ) -> Result<Vec<Step>, Error> {
        let buffers = self.bindings.into_iter().map(Step::BindStorage);
        let mut bound: Vec<Step> = buffers.chain(bindings_of_indices(self.storage)).collect();
        match active.counter_owner {
            CounterOwner::Host => bound.push(Step::FillIn(self.words)),
            CounterOwner::Device => {
                let queries = steps.counted_queries()?;
                steps.counter_pass(keep(capture, active, self.words, queries));
            }
        }
        Ok(bound)
    }
}

/// Returns the pipeline's description of the variants.
fn storage(capture: &Capture) -> Result<&Storage, Error> {
    let missing = "the pipeline does not describe the bindings of the storage path";
    capture.storage.as_ref().ok_or_else(|| Error::new(&code::PLAN_NO_STORAGE_LAYOUT, missing))
}

pub(super) fn plan(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    capture: &Capture,
    active: &Active,
) -> Result<Plan, Error> {
    let storage = self::storage(capture)?;
    if !device.vertex_stores {
        let message =
            "the device does not support stores in vertex stages (vertexPipelineStoresAndAtomics)";
        return Err(Error::new(&code::PLAN_MISSING_FEATURE, message));
    }
    if storage.is_dispatched() {
        return Err(Error::new(
            &code::PLAN_VARIANT_MISMATCH,
            "the variants must be dispatched, not drawn",
        ));
    }
    let stored = Stored::new(device, pipeline, draw, (capture, active), Path::Storage)?;
    let shader_runs = shader_runs(device, pipeline, draw, storage);
    let shape = shape(device, pipeline, storage, shader_runs)?;

    let mut steps = PlanBuilder::new(device, pipeline, draw, Path::Storage);
    let are_two = matches!(shape, Shape::CaptureThenRaster | Shape::CaptureThenPass);
    steps.shader_runs = shader_runs.filter(|_| are_two);
    steps.wait_before()?;
    let outputs = binding_of_outputs(storage).filter(|_| shape == Shape::CaptureThenPass);
    let bound: Vec<Step> = outputs.chain(stored.bound(&mut steps, capture, active)?).collect();
    let queries = steps.begin_queries(true)?;
    let is_drawn = shape == Shape::AtOnce && !pipeline.rasterizer_discard;
    let apart = !is_drawn && steps.is_interrupted();
    match apart {
        true => steps.open_own_pass(),
        false if shape == Shape::CaptureThenPass => steps.open_pass_of_capture(),
        false => steps.open_pass(),
    }
    let capturing = steps.steps.len();
    match shape {
        Shape::AtOnce => {
            let (position, rasterization) = steps.rasterization();
            steps.draw(Variant::Both, position, rasterization)?;
            // Each draw of a multi-draw has its own host parameters.
            if let Some(Step::Draw(call @ DrawCall::Indirect)) = steps.steps.last_mut() {
                *call = DrawCall::FromCounterPass;
            }
        }
        Shape::CaptureOnly | Shape::CaptureThenRaster => steps.draw_points(Variant::CaptureOnly)?,
        Shape::CaptureThenPass => steps.draw_points(Variant::SpillOutputs)?,
    }
    let before_draw = capturing + 1;
    steps.steps.splice(before_draw..before_draw, bound.iter().cloned());
    match shape {
        Shape::AtOnce | Shape::CaptureOnly => {}
        Shape::CaptureThenRaster => {
            steps.open_pass();
            steps.draw(Variant::RasterOnly, Position::Unchanged, Rasterization::On)?;
        }
        Shape::CaptureThenPass => steps.pass_on(&bound)?,
    }
    steps.end_queries(&queries);

    advance(&mut steps, active, capture.buffers.len());
    match apart || shape == Shape::CaptureThenPass {
        true => steps.wait_after_reads()?,
        false => steps.wait_after()?,
    }
    write_counters(&mut steps, draw, active);
    steps.finish(Some(Path::Storage), Some(VertexOrder::AsProvoked))
}

/// Returns steps that bind the index buffer and the segment table, if the variants have these bindings.
fn bindings_of_indices(storage: &Storage) -> impl Iterator<Item = Step> {
    let StoredIndices { buffer, segments, .. } = storage.indices.unwrap_or_default();
    let buffer = buffer.map(|binding| Step::BindIndices(storage.set, binding));
    let segments = segments.map(|binding| Step::BindSegments(storage.set, binding));
    buffer.into_iter().chain(segments)
}

/// Returns a step that binds the outputs buffer, if the variants have that binding.
pub(super) fn binding_of_outputs(storage: &Storage) -> impl Iterator<Item = Step> {
    storage.outputs.map(|outputs| Step::BindOutputs(storage.set, outputs.buffer)).into_iter()
}

/// Returns the counter pass of the draw.
fn keep(
    capture: &Capture,
    active: &Active,
    words: ParamValues,
    queries: Vec<Query>,
) -> CounterPass {
    let strides = strides(&words, capture);
    let saved = active.end.counters();
    CounterPass {
        begin: (active.begin != Begin::Running)
            .then(|| Counters { counters: active.begin.counters().to_vec() }),
        params: Some(words),
        strides,
        queries,
        end: (!saved.is_empty()).then(|| Counters { counters: saved.to_vec() }),
        ..CounterPass::default()
    }
}

/// Returns the vertex stride of each feedback buffer in bytes; 0 for unbound buffers.
pub(super) fn strides(words: &ParamValues, capture: &Capture) -> Vec<u32> {
    let stride = |(range, stride): (&ParamRange, u32)| match range.unbound {
        true => 0,
        false => stride,
    };
    let strides = capture.buffers.iter().map(|buffer| buffer.stride);
    words.ranges.iter().zip(strides).map(stride).collect()
}

fn check_limits(device: &Device, storage: &Storage) -> Result<(), Error> {
    let by_address = storage.params_at.is_address();
    if by_address && !device.buffer_addresses {
        return Err(Error::new(
            &code::PLAN_MISSING_FEATURE,
            "the device does not support buffer addresses (bufferDeviceAddress)",
        ));
    }
    let of_buffers = (!by_address).then_some(storage.set.0);
    let last_set = of_buffers.max(storage.params_at.descriptor().map(|(set, _)| set.0));
    let (sets, most) = (last_set.map_or(0, |set| set.saturating_add(1)), device.max_bound_sets);
    if sets > most {
        return Err(Error::new(
            &code::PLAN_DEVICE_LIMIT,
            format!("the variants need {sets} descriptor sets, but the device supports {most}"),
        ));
    }
    let (buffers, most) = (buffers(device, storage), device.max_storage_buffers);
    if buffers > most {
        return Err(Error::new(
            &code::PLAN_DEVICE_LIMIT,
            format!(
                "the variants need {buffers} storage buffers, but the device supports {most} ({STORAGE_BUFFERS})"
            ),
        ));
    }
    Ok(())
}

/// Returns the topology of the host parameters, or an error if the variants cannot capture the draw.
fn check_draw(
    pipeline: &Pipeline,
    draw: &Draw,
    storage: &Storage,
    counter_owner: CounterOwner,
) -> Result<Topology, Error> {
    if pipeline.geometry.is_some() || pipeline.tessellation {
        return Err(Error::new(&code::PLAN_STAGE, "the storage path captures vertex stages only"));
    }
    check_indices(pipeline, draw, storage)?;
    match &draw.call {
        Call::Indirect | Call::IndexedIndirect if counter_owner == CounterOwner::Host => {
            let message =
                "the host does not know draw arguments in buffers: put the counters on the device";
            return Err(Error::new(&code::PLAN_HOST_COUNTERS, message));
        }
        Call::ByteCount(count) if counter_owner == CounterOwner::Host && count.is_on_device() => {
            return Err(Error::new(
                &code::PLAN_HOST_COUNTERS,
                "the host does not know the value of the counter that gives the vertex count",
            ));
        }
        Call::Vertices
        | Call::Indexed
        | Call::Indirect
        | Call::IndexedIndirect
        | Call::ByteCount(_) => {}
    }
    // The variants must support the topology.
    let name = pipeline.topology.name();
    let topology = pipeline.topology.captured().ok_or_else(|| {
        Error::new(&code::PLAN_TOPOLOGY, format!("the storage path does not capture a {name}"))
    })?;
    let is_meant = match storage.topologies[..] {
        [] => !pipeline.topology.has_adjacency(),
        _ => storage.topologies.contains(&topology),
    };
    if !is_meant {
        return Err(Error::new(
            &code::PLAN_VARIANT_MISMATCH,
            format!("the variants were not made for a {name}"),
        ));
    }
    Ok(topology)
}

/// Rejects indexed draws if the variants are for non-indexed draws, and non-indexed draws if they are for indexed
/// draws.
fn check_indices(pipeline: &Pipeline, draw: &Draw, storage: &Storage) -> Result<(), Error> {
    let is_indexed = matches!(draw.call, Call::Indexed | Call::IndexedIndirect);
    let message = match storage.indices {
        None if is_indexed => "the variants were not made for draws with indices",
        Some(_) if !is_indexed => "the variants are for draws with indices",
        Some(indices) if indices.restart && !pipeline.primitive_restart => {
            "the variants restart primitives, but the pipeline does not"
        }
        Some(indices) if !indices.restart && pipeline.primitive_restart => {
            "the variants were not made for indices that restart primitives"
        }
        None | Some(_) => return Ok(()),
    };
    Err(Error::new(&code::PLAN_VARIANT_MISMATCH, message))
}

/// Checks that the variants read their host parameters from memory, because the device writes them for each draw.
fn check_place(device: &Device, storage: &Storage) -> Result<(), Error> {
    match storage.params_at {
        ParamSource::Address(_) => Ok(()),
        ParamSource::StorageBuffer { .. } | ParamSource::Uniform { .. } => {
            check_counter_pass(device)
        }
        ParamSource::PushConstant { .. } | ParamSource::Specialization { .. } => {
            let message = "counters on the device need variants that read their parameters from a buffer or at an \
                address";
            Err(Error::new(&code::PLAN_PARAMS_SOURCE, message))
        }
    }
}

fn check_words(device: &Device, words: &ParamValues) -> Result<(), Error> {
    let (offset, bytes) = match words.source {
        ParamSource::PushConstant { offset } => (offset, 4 * words.values.len() as u64),
        ParamSource::Address(AddressSource::PushConstant { offset }) => (offset, 8),
        _ => return Ok(()),
    };
    let end = u64::from(offset) + bytes;
    let most = device.max_push_constants;
    if end > u64::from(most) {
        return Err(Error::new(
            &code::PLAN_DEVICE_LIMIT,
            format!("{end} bytes of push constants exceed the limit of {most}"),
        ));
    }
    Ok(())
}

/// The number of storage buffers that count against the limit. On Metal, the host parameters always take a buffer,
/// and the buffer sizes that the shader queries take another one.
fn buffers(device: &Device, storage: &Storage) -> u32 {
    let beside = match storage.params_at {
        _ if device.api != Api::Metal => 0,
        ParamSource::StorageBuffer { .. } | ParamSource::Specialization { .. } => 1,
        ParamSource::Uniform { .. } | ParamSource::PushConstant { .. } => 2,
        // The shader queries no buffer size if a specialization constant holds the address.
        ParamSource::Address(AddressSource::Specialization { .. }) => 0,
        ParamSource::Address(_) => 1,
    };
    storage.storage_buffers.saturating_add(beside)
}

/// Rejects counters that the application has written, because a host that owns the counters does not know their
/// values.
fn check_counters(draw: &Draw, active: &Active) -> Result<(), Error> {
    let resumed = active.begin.counters().iter().any(Option::is_some);
    let counted = match &draw.call {
        Call::ByteCount(count) => count.before.as_slice(),
        Call::Vertices | Call::Indexed | Call::Indirect | Call::IndexedIndirect => &[],
    };
    let before = draw.before.counters.iter().filter(|_| resumed).chain(counted);
    match before.copied().find(|one| one.writes() && *one != Use::Save) {
        Some(one) => {
            let message = format!(
                "the host does not know the value of a counter that the application has written ({one:?})"
            );
            Err(Error::new(&code::PLAN_HOST_COUNTERS, message))
        }
        None => Ok(()),
    }
}

fn shape(
    device: &Device,
    pipeline: &Pipeline,
    storage: &Storage,
    shader_runs: Option<ShaderRuns>,
) -> Result<Shape, Error> {
    let at_once = device.stores_beside_outputs
        && pipeline.topology.is_list_or_strip()
        && storage.indices.is_none();
    if device.rasterization_off == RasterizationOff::Never {
        // Every shader has a position on such devices, so no variant is without outputs.
        return match at_once {
            true => Ok(Shape::AtOnce),
            false => Err(Error::new(
                &code::PLAN_STORES_BESIDE_OUTPUTS,
                format!(
                    "{} can capture only lists and strips without indices: the capturing variant must also write its \
                        outputs",
                    device.api.name()
                ),
            )),
        };
    }
    if pipeline.rasterizer_discard {
        return match pipeline.side_effects {
            Some(SideEffects::InSecondPass) if at_once => Ok(Shape::AtOnce),
            _ => check_capture_alone(pipeline).map(|()| Shape::CaptureOnly),
        };
    }
    if at_once {
        return Ok(Shape::AtOnce);
    }
    match shader_runs.is_some_and(ShaderRuns::is_once) {
        true => Ok(Shape::CaptureThenPass),
        false => check_two_passes(pipeline).map(|()| Shape::CaptureThenRaster),
    }
}

/// Rejects shaders with side effects if two passes would repeat the effects.
pub(super) fn check_two_passes(pipeline: &Pipeline) -> Result<(), Error> {
    match pipeline.side_effects {
        Some(SideEffects::Refuse) => Err(Error::new(
            &code::PLAN_SIDE_EFFECTS,
            "the shader has side effects, which two passes would repeat",
        )),
        Some(SideEffects::InFirstPass | SideEffects::InSecondPass) | None => Ok(()),
    }
}

/// Rejects shaders with side effects if rasterizer discard omits the pass that has the effects.
pub(super) fn check_capture_alone(pipeline: &Pipeline) -> Result<(), Error> {
    match pipeline.side_effects {
        Some(SideEffects::InSecondPass) => Err(Error::new(
            &code::PLAN_SIDE_EFFECTS,
            "the pass that keeps the shader's own stores is not drawn",
        )),
        Some(SideEffects::Refuse | SideEffects::InFirstPass) | None => Ok(()),
    }
}

/// Adds a step in which the host advances its counters, and saves them if capture ends with the draw.
pub(super) fn advance(steps: &mut PlanBuilder<'_>, active: &Active, buffers: usize) {
    if active.counter_owner == CounterOwner::Device {
        return;
    }
    let mut saved = active.end.counters().to_vec();
    saved.resize(buffers, None);
    if active.end != End::Forget {
        steps.steps.push(Step::Advance(saved));
    }
}

/// Adds a step that writes the host's counters to the application's buffers, if commands other than captures read
/// them.
pub(super) fn write_counters(steps: &mut PlanBuilder<'_>, draw: &Draw, active: &Active) {
    let by_host = |one: &&Use| matches!(one, Use::Resume | Use::Save | Use::ByteCount);
    let next = &draw.next.counters;
    let saved: Vec<Counter> = active.end.counters().iter().flatten().copied().collect();
    let has_device_counters = active.counter_owner == CounterOwner::Device;
    if has_device_counters || saved.is_empty() || next.iter().all(|one| by_host(&one)) {
        return;
    }
    let (before, write) = (&draw.before.counters, [Use::CopyDestination]);
    let before: Vec<Use> = before.iter().filter(|one| !by_host(one)).copied().collect();
    steps.close();
    steps.wait(barrier(Resource::Counters, &before, &write).into_iter().collect());
    steps.steps.push(Step::WriteCounters(saved));
    let next: Vec<Use> = next.iter().filter(|one| !by_host(one)).copied().collect();
    let after = barrier(Resource::Counters, &write, &next);
    steps.wait(after.into_iter().collect());
}
