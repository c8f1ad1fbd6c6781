//! The bindings of resources that Vulkan binds together with another resource, or does not bind at all.

use super::{Place, Wgsl, WgslResource};
use crate::Error;
use polyshade_spv::{Decoration, Id, Module};
use std::collections::{BTreeMap, BTreeSet};

/// The binding of a variable, if it has one.
pub(super) fn place_of(module: &Module<'_>, variable: Id) -> Option<Place> {
    let number = |decoration| module.decoration(variable, decoration)?.first().copied();
    let set = number(Decoration::DESCRIPTOR_SET)?;
    Some(Place { set, binding: number(Decoration::BINDING)? })
}

/// Returns the bindings of these resources. Resources without a binding in `options` get, in order, the first binding
/// after all other bindings of the same set. Push constants use set 0.
///
/// # Errors
///
/// `Options`: a given binding belongs to another resource, one resource has two bindings, or no binding is left.
pub(super) fn places(
    module: &Module<'_>,
    resources: &BTreeSet<WgslResource>,
    options: &Wgsl,
) -> Result<BTreeMap<WgslResource, Place>, Error> {
    let variables = module.variables();
    let mut taken: BTreeSet<Place> =
        variables.filter_map(|variable| place_of(module, variable.result())).collect();
    let mut places = BTreeMap::new();
    for (resource, place) in &options.places {
        if !resources.contains(resource) {
            continue;
        }
        if !taken.insert(*place) {
            let Place { set, binding } = place;
            let message = format!("binding {binding} of set {set} is already used");
            return Err(Error::Options(message));
        }
        if places.insert(*resource, *place).is_some() {
            let message = "a resource of WGSL is given two bindings";
            return Err(Error::Options(message.to_owned()));
        }
    }
    // Also reserve the bindings in `options` for resources of later calls.
    taken.extend(options.places.iter().map(|(_, place)| *place));
    for resource in resources {
        let set = match resource {
            WgslResource::Element { array, .. } => array.set,
            WgslResource::Sampler(texture) => texture.set,
            WgslResource::PushConstants => 0,
        };
        if places.contains_key(resource) {
            continue;
        }
        let there = taken.iter().filter(|place| place.set == set);
        let binding = match there.map(|place| place.binding).max() {
            Some(last) => last.checked_add(1),
            None => Some(0),
        };
        let Some(binding) = binding else {
            let message = format!("no binding is free after the last one of set {set}");
            return Err(Error::Options(message));
        };
        let place = Place { set, binding };
        taken.insert(place);
        places.insert(*resource, place);
    }
    Ok(places)
}
