//! Finds the locations of inputs and outputs, and adds outputs at free locations.

use super::{interface, is_per_vertex};
use crate::host::Reserved;
use foldhash::{HashMap, HashMapExt};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Id, Module, Patch, StorageClass, Type};
use std::ops::Range;

/// Returns the locations below `end` that are not reserved and that no output of `entry` uses, in order.
pub fn free_output_locations(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    reserved: &Reserved,
    end: u32,
) -> impl Iterator<Item = u32> {
    let mut taken = locations(m, entry, StorageClass::OUTPUT);
    taken.sort_unstable_by_key(|range| range.start);
    let (mut next, mut passed) = (0, 0);
    let unused = std::iter::from_fn(move || {
        while let Some(range) = taken.get(passed).filter(|range| range.start <= next) {
            next = range.end.max(next);
            passed += 1;
        }
        let location = next;
        next = next.saturating_add(1);
        (location < end).then_some(location)
    });
    unused.filter(|location| reserved.is_free_location(*location))
}

/// Returns the first location after all outputs of `entry`.
pub fn end_of_output_locations(m: &Module<'_>, entry: EntryPoint<'_>) -> u32 {
    let taken = locations(m, entry, StorageClass::OUTPUT);
    taken.iter().map(|range| range.end).max().unwrap_or(0)
}

/// Adds an output to `entry` at `location`.
pub fn add_output<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    location: u32,
    ty: Id,
    name: &str,
) -> Id {
    add_at(p, entry, (StorageClass::OUTPUT, location), ty, name)
}

/// Adds an input or output, as `class` selects, to `entry` at `location`.
pub(crate) fn add_at<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    (class, location): (StorageClass, u32),
    ty: Id,
    name: &str,
) -> Id {
    let variable = p.variable(class, ty, None);
    p.decorate(variable, Decoration::LOCATION, &[location]);
    p.name(variable, name);
    p.join_interface(entry, variable);
    variable
}

/// Returns the locations of each input or output, as `class` selects. A variable of unknown size takes all locations
/// from its first one on.
pub(crate) fn locations(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
) -> Vec<Range<u32>> {
    let per_vertex = is_per_vertex(entry.model(), class);
    let mut sizes = Sizes::new(m);
    let variables = interface(m, entry, class).into_iter();
    variables.flat_map(|variable| locations_of(m, &mut sizes, variable, per_vertex)).collect()
}

/// Returns the locations of one variable.
pub(crate) fn locations_of(
    m: &Module<'_>,
    sizes: &mut Sizes<'_, '_>,
    variable: Id,
    per_vertex: bool,
) -> Vec<Range<u32>> {
    let number = |words: Option<&[u32]>| words.and_then(|words| words.first()).copied();
    let Some(mut ty) = m.pointee(variable) else { return Vec::new() };
    if let (Some(Type::Array { element, .. }), true) = (m.ty(ty), per_vertex)
        && m.decoration(variable, Decoration::PATCH).is_none()
    {
        ty = element;
    }
    let range = |first: u32, count: Option<u32>| {
        first..count.map_or(u32::MAX, |count| first.saturating_add(count))
    };
    if let Some(first) = number(m.decoration(variable, Decoration::LOCATION)) {
        return vec![range(first, sizes.known_locations(ty))];
    }
    // All elements of an array of blocks take the same number of locations, and these are consecutive.
    let block = m.innermost_element(ty);
    let of_member = |(member, ty_of_member): (u32, Id)| {
        let first = number(m.member_decoration(block, member, Decoration::LOCATION))?;
        let rest = if block == ty { ty_of_member } else { ty };
        Some(range(first, sizes.known_locations(rest)))
    };
    (0..).zip(m.members(block)).filter_map(of_member).collect()
}

/// Returns the members of `structure`, each with its number, type and locations. A member without a location follows
/// the member before it. `first` is the location of the structure, if it has one.
pub(crate) fn member_locations(
    m: &Module<'_>,
    structure: Id,
    first: Option<u32>,
) -> impl Iterator<Item = (u32, Id, Option<Range<u32>>)> {
    let (mut next, mut sizes) = (first, Sizes::new(m));
    (0..).zip(m.members(structure)).map(move |(member, ty)| {
        let own = m.member_decoration(structure, member, Decoration::LOCATION);
        let start = own.and_then(|words| words.first().copied()).or(next);
        let taken = start.map(|start| start..start.saturating_add(sizes.locations(ty)));
        next = taken.as_ref().map(|taken| taken.end);
        (member, ty, taken)
    })
}

/// The maximum nesting of types: SPIR-V's limit for structures (2.17). In an invalid module, an array may contain
/// itself.
const DEEPEST: u32 = 255;

/// Computes how many locations types take.
pub(crate) struct Sizes<'s, 'm> {
    m: &'s Module<'m>,
    /// The results for types that were already visited.
    known: HashMap<Id, Option<u32>>,
}

impl<'s, 'm> Sizes<'s, 'm> {
    pub(crate) fn new(m: &'s Module<'m>) -> Self {
        Self { m, known: HashMap::new() }
    }

    /// Returns the number of locations of an output of type `ty` (Vulkan, "Location and Component Assignment"): one
    /// for a vector, two if it has three or four 64-bit components. Returns 1 if the number is not known.
    pub(crate) fn locations(&mut self, ty: Id) -> u32 {
        self.known_locations(ty).unwrap_or(1)
    }

    /// Does the same as `locations`, but returns `None` if the number is not known.
    fn known_locations(&mut self, ty: Id) -> Option<u32> {
        self.within(ty, DEEPEST)
    }

    fn within(&mut self, ty: Id, depth: u32) -> Option<u32> {
        if let Some(known) = self.known.get(&ty) {
            return *known;
        }
        let size = self.of_type(ty, depth.checked_sub(1)?);
        self.known.insert(ty, size);
        size
    }

    fn of_type(&mut self, ty: Id, depth: u32) -> Option<u32> {
        let m = self.m;
        match m.ty(ty)? {
            Type::Array { element, length } => {
                Some(m.constant(length)?.saturating_mul(self.within(element, depth)?))
            }
            Type::Matrix { column, count } => {
                Some(count.saturating_mul(self.within(column, depth)?))
            }
            Type::Struct { id } => {
                let mut members = m.members(id);
                members.try_fold(0_u32, |sum, member| {
                    Some(sum.saturating_add(self.within(member, depth)?))
                })
            }
            Type::Vector { component, count } if count > 2 => match m.ty(component)? {
                Type::Int { width: 64, .. } | Type::Float { width: 64 } => Some(2),
                _ => Some(1),
            },
            _ => Some(1),
        }
    }
}
