//! Chooses the bindings of added buffers and of the host parameters that describe the buffers.

use crate::code;
use crate::host::{Binding, DescriptorKind, LimitName, ParamSource, Requirements, Reserved, Set};
use crate::rewrite::{bindings, buffers_of};
use polyshade_spv::{Error, Module};
use std::ops::Range;

/// The number of descriptor sets that every Vulkan device supports (minimum of `maxBoundDescriptorSets`).
const SETS: u32 = 4;

/// Where the caller wants the host parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum ParamsAt {
    /// A storage buffer, at the binding after the last buffer.
    #[default]
    StorageBuffer,
    /// A uniform buffer, at the binding after the last buffer.
    Uniform,
    /// The given source.
    Source(ParamSource),
}

/// The requested bindings of buffers and host parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The set, and the binding of the first buffer, if requested.
    pub(crate) first: (Option<Set>, Option<Binding>),
    pub(crate) params: ParamsAt,
    /// The name of a buffer in error messages.
    pub(crate) buffer: &'static str,
}

/// The chosen bindings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// The set, and the binding of the first buffer; `None` if the buffers are read by address.
    first: Option<(Set, Binding)>,
    pub(crate) params: ParamSource,
}

impl Placement {
    /// Finds free bindings for `buffers` buffers and the host parameters, or uses the requested ones.
    pub(crate) fn new(
        m: &Module<'_>,
        wanted: &Wanted,
        reserved: &Reserved,
        buffers: u32,
    ) -> Result<Self, Error> {
        let given = match wanted.params {
            ParamsAt::Source(place) => Some(place),
            ParamsAt::StorageBuffer | ParamsAt::Uniform => None,
        };
        // Buffers that are read by address need no bindings.
        if let Some(params) = given.filter(|place| place.is_address()) {
            if wanted.first != (None, None) {
                let message = format!(
                    "{}s that are accessed by address cannot have a binding",
                    wanted.buffer
                );
                return Err(Error::new(&code::BINDING_WITH_ADDRESS, message));
            }
            return Ok(Self { first: None, params });
        }
        // Use the requested bindings, or find consecutive free ones.
        let (set, first) = match wanted.first {
            (Some(set), Some(binding)) => (set, binding),
            _ => {
                let mut used = bindings(m);
                used.extend(given.and_then(ParamSource::descriptor));
                find_room(&used, reserved, buffers + u32::from(given.is_none()), wanted)?
            }
        };
        let Some(behind) = first.0.checked_add(buffers).map(Binding) else {
            let message = format!(
                "cannot use {buffers} bindings from {} on: binding numbers have 32 bits",
                first.0
            );
            return Err(Error::new(&code::BINDING_OUT_OF_RANGE, message));
        };
        // The parameters follow the buffers unless they have a requested source.
        let params = match wanted.params {
            ParamsAt::StorageBuffer => ParamSource::StorageBuffer { set, binding: behind },
            ParamsAt::Uniform => ParamSource::Uniform { set, binding: behind },
            ParamsAt::Source(place) => place,
        };
        (first.0..behind.0).try_for_each(|one| reserved.check(set, Binding(one)))?;
        check_params(params, set, first..behind, wanted.buffer)?;
        Ok(Self { first: Some((set, first)), params })
    }

    /// Returns the set and binding of buffer `number`; `None` if it is read by address.
    pub(crate) fn buffer(&self, number: u32) -> Option<(Set, Binding)> {
        let (set, first) = self.first?;
        Some((set, Binding(first.0.saturating_add(number))))
    }
}

/// Fails if the host parameters would share a binding with a buffer.
fn check_params(
    params: ParamSource,
    set: Set,
    buffers: Range<Binding>,
    buffer: &str,
) -> Result<(), Error> {
    match params.descriptor() {
        Some((other, binding)) if other == set && buffers.contains(&binding) => {
            let message = format!(
                "binding {} of set {} would hold the host parameters and {buffer} {}",
                binding.0,
                set.0,
                binding.0 - buffers.start.0
            );
            Err(Error::new(&code::BINDING_PARAMS_CONFLICT, message))
        }
        _ => Ok(()),
    }
}

/// Finds `count` consecutive free bindings that fit `wanted`, and returns the first of them. Prefers the last set
/// that is entirely unused; otherwise they follow the used bindings of a set.
fn find_room(
    used: &[(Set, Binding)],
    reserved: &Reserved,
    count: u32,
    wanted: &Wanted,
) -> Result<(Set, Binding), Error> {
    let (set, binding) = wanted.first;
    let free = |set, first: u32| {
        let mut bindings = (first..first.saturating_add(count)).map(Binding);
        bindings.all(|one| reserved.is_free(set, one) && !used.contains(&(set, one)))
    };
    let sets: Vec<Set> = match set {
        Some(set) => vec![set],
        None => (0..SETS).rev().map(Set).collect(),
    };
    let start = binding.map_or(0, |binding| binding.0);
    let is_used = |set: Set| used.iter().any(|(other, _)| *other == set);
    if let Some(set) =
        sets.iter().find(|set| !is_used(**set) && reserved.is_unused(**set) && free(**set, start))
    {
        return Ok((*set, Binding(start)));
    }
    let behind = |set: Set| {
        if binding.is_some() {
            return free(set, start).then_some(start);
        }
        let last =
            used.iter().filter(|(other, _)| *other == set).map(|(_, binding)| binding.0).max();
        let first = last.map_or(0, |last| last.saturating_add(1));
        // The caller may have reserved individual bindings, so check each candidate.
        (first..first.saturating_add(MOST_SEARCHED)).find(|first| free(set, *first))
    };
    let mut found = sets.iter().filter_map(|set| Some((*set, Binding(behind(*set)?))));
    found.next().ok_or_else(|| {
        let place = match (set, binding) {
            (Some(set), _) => format!("set {}: all its bindings are reserved", set.0),
            (None, Some(binding)) => {
                format!("sets 0 to 3 from binding {} on: bindings are in use", binding.0)
            }
            (None, None) => "sets 0 to 3: all are reserved".to_owned(),
        };
        let message = format!("no bindings are free for {}s in {place}", wanted.buffer);
        Error::new(&code::BINDING_NONE_FREE, message)
            .help("give the descriptor set and the first binding")
    })
}

/// The maximum number of bindings that are tried in a set.
const MOST_SEARCHED: u32 = 1024;

/// Adds the limits on descriptors and push constants that `m` and its additions need together.
pub(crate) fn need_limits(m: &Module<'_>, needs: &mut Requirements) {
    let added = |kind| needs.descriptors.iter().filter(|one| one.kind == kind).count() as u32;
    let (storage, uniform) = buffers_of(m);
    let (storages, uniforms) =
        (added(DescriptorKind::StorageBuffer), added(DescriptorKind::UniformBuffer));
    let last_set = needs.descriptors.iter().map(|one| one.set.0).max();
    if let Some(last) = last_set {
        needs.need(LimitName::MaxBoundDescriptorSets, last.saturating_add(1));
    }
    if storages > 0 {
        let storages = storage.saturating_add(storages);
        needs.need(LimitName::MaxPerStageDescriptorStorageBuffers, storages);
    }
    if uniforms > 0 {
        let uniforms = uniform.saturating_add(uniforms);
        needs.need(LimitName::MaxPerStageDescriptorUniformBuffers, uniforms);
    }
    needs.need_push_constants();
}
