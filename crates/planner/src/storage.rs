//! Plans of draws that are captured by variants that store to buffers.

use super::check;
use super::device::{Api, Device, RasterizationOff};
use super::draft::Draft;
use super::state::{
    Active, Begin, Bound, Call, Capture, Counter, Draw, End, Path, Pipeline, STORAGE_BUFFERS,
    Storage, Use,
};
use super::steps::{
    Assembly, Bind, Corners, Plan, Position, Rasterization, Step, StorageRange, Variant, Word,
    WordRange, Words,
};
use super::sync::{Resource, barrier};
use super::unsupported;
use polyshade::host::{Binding, Place, Pointer, Set};
use polyshade::transform_feedback::{ProvokingVertex, SideEffects};
use polyshade_spv::Error;

/// The passes of a captured draw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One pass that captures; nothing is rasterized.
    CaptureOnly,
    /// One draw that does both.
    AtOnce,
    /// A draw that captures, then one that rasterizes.
    CaptureThenRaster,
}

pub(super) fn plan(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    capture: &Capture,
    active: &Active,
) -> Result<Plan, Error> {
    let Some(storage) = &capture.storage else {
        return Err(unsupported("the pipeline does not say what the storage path binds"));
    };
    check_device(device, storage)?;
    let topology = check_draw(pipeline, draw, storage)?;
    check_counters(draw, active)?;
    let shape = shape(device, pipeline)?;
    let (bindings, words) = bindings(device, pipeline, capture, storage, active, topology)?;
    check_words(device, &words)?;

    let mut steps = Draft::new(device, pipeline, draw, Path::Storage);
    steps.wait_before()?;
    let queries = steps.begin_queries(true)?;
    open_pass(&mut steps, device, pipeline, shape);
    let capturing = steps.steps.len();
    match shape {
        Shape::AtOnce => {
            let (position, rasterization) = steps.rasterization();
            steps.draw(Variant::Both, position, rasterization)?;
        }
        Shape::CaptureOnly | Shape::CaptureThenRaster => {
            steps.bind(Bind {
                variant: Variant::CaptureOnly,
                position: Position::Kept,
                rasterization: Rasterization::Off,
                assembly: Assembly::Points,
            });
            let call = steps.call()?;
            steps.steps.push(Step::Draw(call));
        }
    }
    let before_draw = capturing + 1;
    let bound = bindings.into_iter().map(Step::BindStorage).chain([Step::FillIn(words)]);
    steps.steps.splice(before_draw..before_draw, bound);
    if shape == Shape::CaptureThenRaster {
        steps.open_application_pass();
        steps.draw(Variant::RasterOnly, Position::Kept, Rasterization::On)?;
    }
    steps.end_queries(&queries);

    advance(&mut steps, active, capture.buffers.len());
    let elsewhere = device.api != Api::Vulkan && shape == Shape::CaptureThenRaster;
    match elsewhere {
        true => steps.wait_after_reads()?,
        false => steps.wait_after()?,
    }
    write_counters(&mut steps, draw, active);
    steps.finish(Some(Path::Storage), Some(Corners::AsProvoked))
}

fn check_device(device: &Device, storage: &Storage) -> Result<(), Error> {
    if !device.vertex_stores {
        let message = "the device lets no vertex stage store (vertexPipelineStoresAndAtomics)";
        return Err(unsupported(message));
    }
    let by_address = storage.host.is_address();
    if by_address && !device.buffer_addresses {
        return Err(unsupported("the device has no addresses of buffers (bufferDeviceAddress)"));
    }
    let of_buffers = (!by_address).then_some(storage.set.0);
    let last_set = of_buffers.max(storage.host.descriptor().map(|(set, _)| set.0));
    let (sets, most) = (last_set.map_or(0, |set| set.saturating_add(1)), device.max_bound_sets);
    if sets > most {
        return Err(unsupported(format!("{sets} descriptor sets, only {most}")));
    }
    let (buffers, most) = (buffers(device, storage), device.max_storage_buffers);
    if buffers > most {
        return Err(unsupported(format!(
            "{buffers} storage buffers, only {most} ({STORAGE_BUFFERS})"
        )));
    }
    Ok(())
}

/// The topology of the host words, or an error where the variants cannot capture the draw.
fn check_draw(
    pipeline: &Pipeline,
    draw: &Draw,
    storage: &Storage,
) -> Result<polyshade::transform_feedback::Topology, Error> {
    if pipeline.geometry.is_some() || pipeline.tessellation {
        return Err(unsupported("the storage path captures vertex stages only"));
    }
    match &draw.call {
        Call::Vertices => {}
        Call::Indexed | Call::IndexedIndirect => {
            return Err(unsupported("the storage path captures no draws with indices"));
        }
        Call::Indirect => {
            let message = "the storage path captures no draws with arguments in buffers: \
                the host keeps the counters, and has to know how many vertices there are";
            return Err(unsupported(message));
        }
        Call::ByteCount(count) if count.path == Path::Extension => {
            return Err(unsupported("the host does not know the counter that counts the vertices"));
        }
        Call::ByteCount(_) => {}
    }
    let name = pipeline.topology.name();
    let topology = pipeline
        .topology
        .captured()
        .ok_or_else(|| unsupported(format!("the storage path does not capture a {name}")))?;
    let is_meant = match storage.topologies[..] {
        [] => !pipeline.topology.has_adjacency(),
        _ => storage.topologies.contains(&topology),
    };
    if !is_meant {
        return Err(unsupported(format!("the variants were not made for a {name}")));
    }
    Ok(topology)
}

fn check_words(device: &Device, words: &Words) -> Result<(), Error> {
    let (offset, bytes) = match words.place {
        Place::PushConstant { offset } => (offset, 4 * words.words.len() as u64),
        Place::Address(Pointer::PushConstant { offset }) => (offset, 8),
        _ => return Ok(()),
    };
    let end = u64::from(offset) + bytes;
    let most = device.max_push_constants;
    if end > u64::from(most) {
        return Err(unsupported(format!("{end} bytes of push constants, only {most}")));
    }
    Ok(())
}

/// The buffers that count against the limit. On Metal host words take one whatever they are, and so do the sizes of the
/// buffers, which the shader asks for.
fn buffers(device: &Device, storage: &Storage) -> u32 {
    let beside = match storage.host {
        _ if device.api != Api::Metal => 0,
        Place::StorageBuffer { .. } | Place::Specialization { .. } => 1,
        Place::Uniform { .. } | Place::PushConstant { .. } => 2,
        // No size is asked for where nothing but a word says it.
        Place::Address(Pointer::Specialization { .. }) => 0,
        Place::Address(_) => 1,
    };
    storage.storage_buffers.saturating_add(beside)
}

/// What the application has written to a counter the host, which keeps the counters, does not know.
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
                "a counter that was written ({one:?}): the host keeps the counters, and does not know its value"
            );
            Err(unsupported(message))
        }
        None => Ok(()),
    }
}

fn shape(device: &Device, pipeline: &Pipeline) -> Result<Shape, Error> {
    let at_once = device.stores_beside_outputs && pipeline.topology.is_list_or_strip();
    if device.rasterization_off == RasterizationOff::Never {
        // Every shader has a position there, so no variant is without outputs.
        return match at_once {
            true => Ok(Shape::AtOnce),
            false => Err(unsupported(format!(
                "{} captures only what it can store beside outputs, lists and strips",
                device.api.name()
            ))),
        };
    }
    if pipeline.rasterizer_discard {
        return match pipeline.side_effects {
            Some(SideEffects::InRaster) if at_once => Ok(Shape::AtOnce),
            Some(SideEffects::InRaster) => {
                Err(unsupported("the shader's own stores are in a pass that is not drawn"))
            }
            Some(SideEffects::Refuse | SideEffects::InCapture) | None => Ok(Shape::CaptureOnly),
        };
    }
    match pipeline.side_effects {
        _ if at_once => Ok(Shape::AtOnce),
        Some(SideEffects::Refuse) => {
            Err(unsupported("the shader stores by itself, which two passes would do twice"))
        }
        Some(SideEffects::InCapture | SideEffects::InRaster) | None => Ok(Shape::CaptureThenRaster),
    }
}

/// Opens the pass in which the draw captures.
fn open_pass(steps: &mut Draft<'_>, device: &Device, pipeline: &Pipeline, shape: Shape) {
    match (shape, device.api) {
        (Shape::AtOnce, _) if !pipeline.rasterizer_discard => steps.open_application_pass(),
        // Nothing of what is stored inside the application's pass could be used in it.
        (_, Api::Metal | Api::WebGpu) => steps.open_own_pass(),
        (Shape::CaptureThenRaster, Api::Vulkan) => steps.open_application_pass(),
        (Shape::CaptureOnly | Shape::AtOnce, Api::Vulkan) => steps.open_small_pass(),
    }
}

/// The range of a buffer to which nothing goes.
const NOTHING: WordRange =
    WordRange { offset: 0, size: 0, reached: Word::Constant(0), unbound: false };

/// The bindings of the feedback buffers, where they have some, and the host words that locate the feedback ranges.
fn bindings(
    device: &Device,
    pipeline: &Pipeline,
    capture: &Capture,
    storage: &Storage,
    active: &Active,
    topology: polyshade::transform_feedback::Topology,
) -> Result<(Vec<StorageRange>, Words), Error> {
    let (mut bindings, mut ranges) = (Vec::new(), Vec::new());
    let mut offsets = Vec::new();
    for (number, buffer) in (0..).zip(&capture.buffers) {
        if buffer.stride == 0 {
            ranges.push(NOTHING);
            offsets.push(0);
            continue;
        }
        let Some(Some(bound)) = active.buffers.get(number as usize) else {
            // Something would have to be bound to a descriptor.
            if storage.unbound_buffers && storage.host.is_address() {
                ranges.push(WordRange { unbound: true, ..NOTHING });
                offsets.push(0);
                continue;
            }
            let message = format!(
                "feedback buffer {number} captures something and is not bound, which only variants \
                 ignore that are made for it and find their buffers by addresses"
            );
            return Err(unsupported(message));
        };
        let reached = reached(active, number);
        offsets.push(bound.offset);
        if storage.host.is_address() {
            ranges.push(WordRange { offset: 0, size: memory_range(bound)?, reached, ..NOTHING });
            continue;
        }
        let (range, lead, size) = storage_range(device, bound)?;
        let binding = Binding(storage.binding.0.saturating_add(number));
        bindings.push(StorageRange { set: storage.set, binding, buffer: number, ..range });
        ranges.push(WordRange { offset: lead, size, reached, unbound: false });
    }
    let last = pipeline.provoking_vertex == ProvokingVertex::Last;
    let word = |name: &str| {
        let value = value(name, topology, last, (&ranges, &offsets));
        value.ok_or_else(|| unsupported(format!("the host has no word `{name}`")))
    };
    let words = match &storage.words[..] {
        [] => any_draw(ranges.len(), storage.host).iter().map(|name| word(name)).collect(),
        names => names.iter().map(|name| word(name)).collect::<Result<_, Error>>(),
    }?;
    Ok((bindings, Words { place: storage.host, words, ranges }))
}

/// The names of the words of variants for any draw, which captures into so many buffers.
fn any_draw(buffers: usize, place: Place) -> Vec<String> {
    let of_draw = ["topology", "flags", "first_vertex", "vertex_count", "first_instance"];
    let of_buffer = |number| {
        let names: &[&str] = match place.is_address() {
            true => &["address_low", "address_high", "size", "reached"],
            false => &["offset", "size", "reached"],
        };
        names.iter().map(move |name| format!("{name}_{number}"))
    };
    of_draw.map(str::to_owned).into_iter().chain((0..buffers).flat_map(of_buffer)).collect()
}

/// The host word of this name.
fn value(
    name: &str,
    topology: polyshade::transform_feedback::Topology,
    last: bool,
    (ranges, offsets): (&[WordRange], &[u64]),
) -> Option<Word> {
    Some(match name {
        "topology" => Word::Constant(topology as u32),
        "flags" => {
            let unbound = (0..).zip(ranges).filter(|(_, range)| range.unbound);
            Word::Constant(
                u32::from(last) | unbound.map(|(number, _)| 2_u32 << number).sum::<u32>(),
            )
        }
        "first_vertex" => Word::FirstVertex,
        "vertex_count" => Word::VertexCount,
        "slots" => Word::Slots,
        "first_instance" => Word::FirstInstance,
        "limit" => Word::Limit,
        _ => {
            let (name, number) = name.rsplit_once('_')?;
            let number: u32 = number.parse().ok()?;
            let range = ranges.get(number as usize)?;
            let (buffer, offset) = (number, offsets[number as usize]);
            match name {
                "offset" => Word::Constant(range.offset),
                "size" => Word::Constant(range.size),
                "reached" => range.reached,
                "start" => Word::Start(number),
                "address_low" | "address_high" if range.unbound => Word::Constant(0),
                "address_low" => Word::AddressLow { buffer, offset },
                "address_high" => Word::AddressHigh { buffer, offset },
                _ => return None,
            }
        }
    })
}

/// The aligned range of a buffer that is bound so that a feedback range can be stored to, the offset of the feedback
/// range in it, and its size.
fn storage_range(device: &Device, bound: &Bound) -> Result<(StorageRange, u32, u32), Error> {
    let range = check::range(bound)?;
    let lead = range.offset % u64::from(device.storage_alignment.max(1));
    let offset = range.offset - lead;
    // Nothing is stored to an empty range, and nothing empty can be bound.
    let size = (lead + range.size).max(4);
    let most = device.max_storage_range;
    if size > u64::from(most) {
        return Err(unsupported(format!("{size} bytes of a storage buffer, only {most}")));
    }
    if size > bound.buffer_size - offset {
        return Err(unsupported("an empty range at the end of a buffer cannot be bound"));
    }
    let bound = StorageRange { set: Set(0), binding: Binding(0), buffer: 0, offset, size };
    // Both are less than `size`, which has 32 bits.
    Ok((bound, lead as u32, range.size as u32))
}

/// The size of a feedback range that is found by its address.
fn memory_range(bound: &Bound) -> Result<u32, Error> {
    let size = check::range(bound)?.size;
    u32::try_from(size).map_err(|_| unsupported(format!("{size} bytes of a feedback range")))
}

/// Where capture continues in a feedback buffer.
fn reached(active: &Active, number: u32) -> Word {
    match &active.begin {
        Begin::Anew => Word::Constant(0),
        Begin::Running => Word::Running(number),
        Begin::Resume(counters) => match counters.get(number as usize) {
            Some(Some(counter)) => Word::Counter(*counter),
            Some(None) | None => Word::Constant(0),
        },
    }
}

/// The host advances its counters, and saves them where the draw ends capture.
fn advance(steps: &mut Draft<'_>, active: &Active, buffers: usize) {
    let mut saved = active.end.counters().to_vec();
    saved.resize(buffers, None);
    if active.end != End::Forget {
        steps.steps.push(Step::Advance(saved));
    }
}

/// Where other commands than captures read the counters, the host writes them to the application's buffers.
fn write_counters(steps: &mut Draft<'_>, draw: &Draw, active: &Active) {
    let by_host = |one: &&Use| matches!(one, Use::Resume | Use::Save | Use::ByteCount);
    let next = &draw.next.counters;
    let saved: Vec<Counter> = active.end.counters().iter().flatten().copied().collect();
    if saved.is_empty() || next.iter().all(|one| by_host(&one)) {
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
