//! The bindings of the variants, and the host parameters.

use super::super::check;
use super::super::device::{Api, Device};
use super::super::state::{Active, Begin, Bound, Capture, CounterOwner, Path, Pipeline, Storage};
use super::super::steps::{ParamRange, ParamValue, ParamValues, StorageRange};
use crate::code;
use polyshade::host::{Binding, Set};
use polyshade::transform_feedback::{ProvokingVertex, Topology};
use polyshade_spv::Error;

/// The range of a buffer that captures nothing.
const NOTHING: ParamRange =
    ParamRange { offset: 0, size: 0, counter: ParamValue::Constant(0), unbound: false };

/// Returns the bindings of the feedback buffers, if the shader has bindings, and the host parameters that locate the
/// feedback ranges.
pub(super) fn bindings(
    device: &Device,
    pipeline: &Pipeline,
    capture: &Capture,
    storage: &Storage,
    active: &Active,
    (path, topology): (Path, Topology),
) -> Result<(Vec<StorageRange>, ParamValues), Error> {
    let (mut bindings, mut ranges) = (Vec::new(), Vec::new());
    let mut offsets = Vec::new();
    for (number, buffer) in (0..).zip(&capture.buffers) {
        if buffer.stride == 0 {
            ranges.push(NOTHING);
            offsets.push(0);
            continue;
        }
        let Some(Some(bound)) = active.buffers.get(number as usize) else {
            // A descriptor cannot be left unbound.
            if storage.unbound_buffers && storage.params_at.is_address() {
                ranges.push(ParamRange { unbound: true, ..NOTHING });
                offsets.push(0);
                continue;
            }
            let message = format!(
                "feedback buffer {number} captures outputs but is not bound: only variants that access buffers by \
                    address and allow unbound buffers ignore it"
            );
            return Err(Error::new(&code::PLAN_UNBOUND_BUFFER, message));
        };
        let counter = counter(active, number);
        offsets.push(bound.offset);
        if storage.params_at.is_address() {
            ranges.push(ParamRange { offset: 0, size: memory_range(bound)?, counter, ..NOTHING });
            continue;
        }
        let (range, lead, size) = storage_range(device, bound)?;
        let binding = Binding(storage.binding.0.saturating_add(number));
        bindings.push(StorageRange { set: storage.set, binding, buffer: number, ..range });
        ranges.push(ParamRange { offset: lead, size, counter, unbound: false });
    }
    check_overlaps(device, active, &bindings)?;
    let last = pipeline.provoking_vertex == ProvokingVertex::Last;
    let word = |name: &str| {
        let value = value(name, topology, last, (&ranges, &offsets));
        value.ok_or_else(|| {
            Error::new(&code::PLAN_UNKNOWN_PARAM, format!("unknown host parameter `{name}`"))
        })
    };
    let names = match &storage.params[..] {
        [] => any_draw(ranges.len(), storage, path),
        names => names.to_vec(),
    };
    let words = names.iter().map(|name| word(name)).collect::<Result<_, Error>>()?;
    Ok((bindings, ParamValues { source: storage.params_at, values: words, names, ranges }))
}

/// Returns the names of the host parameters for variants that support any draw and capture to `buffers` buffers.
fn any_draw(buffers: usize, storage: &Storage, path: Path) -> Vec<String> {
    let by_address = storage.params_at.is_address();
    let of_vertices = match storage.indices {
        None => ["topology", "flags", "first_vertex", "vertex_count"],
        Some(_) => ["topology", "flags", "first_index", "index_count"],
    };
    let of_instances: &[&str] = match path {
        Path::Compute => &["instance_count", "first_instance"],
        Path::Storage | Path::Extension => &["first_instance"],
    };
    let (indices, restart) =
        (storage.indices.is_some(), storage.indices.is_some_and(|one| one.restart));
    let of_indices = [
        ("index_type", indices),
        ("vertex_offset", indices),
        ("draw_index", storage.indices.is_some_and(|one| one.draw_index)),
        ("index_offset", indices && !by_address),
        ("index_address_low", indices && by_address),
        ("index_address_high", indices && by_address),
        ("index_size", indices),
        ("table_address_low", restart && by_address),
        ("table_address_high", restart && by_address),
        ("table_size", restart && by_address),
    ];
    let of_indices = of_indices.into_iter().filter(|(_, is)| *is).map(|(name, _)| name.to_owned());
    let of_buffer = |number| {
        let names: &[&str] = match by_address {
            true => &["address_low", "address_high", "size", "counter"],
            false => &["offset", "size", "counter"],
        };
        names.iter().map(move |name| format!("{name}_{number}"))
    };
    let of_draw = of_vertices.iter().chain(of_instances).map(|name| (*name).to_owned());
    of_draw.chain(of_indices).chain((0..buffers).flat_map(of_buffer)).collect()
}

/// Returns the value of the host parameter with this name.
fn value(
    name: &str,
    topology: Topology,
    last: bool,
    (ranges, offsets): (&[ParamRange], &[u64]),
) -> Option<ParamValue> {
    Some(match name {
        "topology" => ParamValue::Constant(topology as u32),
        "flags" => {
            let unbound = (0..).zip(ranges).filter(|(_, range)| range.unbound);
            ParamValue::Constant(
                u32::from(last) | unbound.map(|(number, _)| 2_u32 << number).sum::<u32>(),
            )
        }
        _ => {
            if let Some(word) = ParamValue::of_draw(name) {
                return Some(word);
            }
            let (name, number) = name.rsplit_once('_')?;
            let number: u32 = number.parse().ok()?;
            let range = ranges.get(number as usize)?;
            let (buffer, offset) = (number, offsets[number as usize]);
            match name {
                "offset" => ParamValue::Constant(range.offset),
                "size" => ParamValue::Constant(range.size),
                "counter" => range.counter,
                "start" => ParamValue::Start(number),
                "address_low" | "address_high" if range.unbound => ParamValue::Constant(0),
                "address_low" => ParamValue::AddressLow { buffer, offset },
                "address_high" => ParamValue::AddressHigh { buffer, offset },
                _ => return None,
            }
        }
    })
}

/// Returns the aligned binding that contains a feedback range, the offset of the feedback range in it, and its size.
fn storage_range(device: &Device, bound: &Bound) -> Result<(StorageRange, u32, u32), Error> {
    let range = check::range(bound)?;
    let lead = range.offset % u64::from(device.storage_alignment.max(1));
    let offset = range.offset - lead;
    // Shaders do not store to an empty range, but a binding cannot be empty.
    let size = (lead + range.size).max(4);
    let most = device.max_storage_range;
    if size > u64::from(most) {
        return Err(Error::new(
            &code::PLAN_DEVICE_LIMIT,
            format!("a storage buffer range of {size} bytes exceeds the limit of {most}"),
        ));
    }
    if size > bound.buffer_size - offset {
        return Err(Error::new(
            &code::PLAN_EMPTY_RANGE,
            "an empty range at the end of a buffer cannot be bound",
        ));
    }
    let bound = StorageRange { set: Set(0), binding: Binding(0), buffer: 0, offset, size };
    // Both values are less than `size`, which fits in 32 bits.
    Ok((bound, lead as u32, range.size as u32))
}

/// Rejects overlapping writable bindings of one buffer, which WebGPU forbids. Feedback ranges that overlap are
/// assumed to be in different buffers, unless the host states that the buffer is the same.
fn check_overlaps(
    device: &Device,
    active: &Active,
    bindings: &[StorageRange],
) -> Result<(), Error> {
    if device.api != Api::WebGpu {
        return Ok(());
    }
    let bound = |one: &StorageRange| {
        active.buffers[one.buffer as usize].expect("a buffer with a binding is bound")
    };
    let overlap = |(from, size): (u64, u64), (other, other_size): (u64, u64)| {
        from < other + other_size && other < from + size
    };
    for (number, one) in bindings.iter().enumerate() {
        for other in &bindings[..number] {
            let (first, second) = (bound(other), bound(one));
            let are_apart = || -> Result<bool, Error> {
                let (first, second) = (check::range(&first)?, check::range(&second)?);
                Ok(!overlap((first.offset, first.size), (second.offset, second.size)))
            };
            let may_be_one = match (first.buffer, second.buffer) {
                (Some(first), Some(second)) => first == second,
                _ => first.buffer_size == second.buffer_size && are_apart()?,
            };
            if may_be_one && overlap((one.offset, one.size), (other.offset, other.size)) {
                let (alignment, number) = (device.storage_alignment, one.buffer);
                return Err(Error::new(
                    &code::PLAN_OVERLAPPING_RANGES,
                    format!(
                        "cannot bind feedback ranges {} and {number} of one buffer: bindings begin at multiples of \
                            {alignment} bytes, so they would overlap, and WebGPU forbids overlapping writable bindings",
                        other.buffer
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// The size of a feedback range that the shader addresses directly.
fn memory_range(bound: &Bound) -> Result<u32, Error> {
    let size = check::range(bound)?.size;
    u32::try_from(size).map_err(|_| {
        Error::new(
            &code::PLAN_DEVICE_LIMIT,
            format!("a feedback range of {size} bytes is too large: its size has 32 bits"),
        )
    })
}

/// Returns the value that states where capture continues in a feedback buffer.
fn counter(active: &Active, number: u32) -> ParamValue {
    match &active.begin {
        _ if active.counter_owner == CounterOwner::Device => ParamValue::DeviceCounter(number),
        Begin::Anew => ParamValue::Constant(0),
        Begin::Running => ParamValue::Running(number),
        Begin::Resume(counters) => match counters.get(number as usize) {
            Some(Some(counter)) => ParamValue::Counter(*counter),
            Some(None) | None => ParamValue::Constant(0),
        },
    }
}
