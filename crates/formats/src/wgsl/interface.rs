//! Replaces inputs and outputs that WGSL does not support by scalars and vectors with one location each.
//!
//! An array, matrix or structure becomes one variable per scalar and vector in it, with the locations that Vulkan
//! assigns. Variables with a `Component` become one vector of four components per location, even if the module uses
//! fewer, so that separately translated stages match. The original variables become `Private`. The functions of entry
//! points copy inputs at the start, and outputs before they return. They also store initializers, which naga ignores.

mod leaves;

use super::private;
use crate::code;
use leaves::{Leaf, Varying, is_of_interface};
use polyshade_spv::view::{EntryPoint, Variable};
use polyshade_spv::{Decoration, Error, ExecutionModel, Id, Inst, Module, Op, Patch, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

/// The components of a location.
const COMPONENTS: u32 = 4;

/// Returns the module with inputs and outputs that WGSL supports.
///
/// # Errors
///
/// Variables that share a location but cannot form one vector, and variables with pointers that are passed to
/// functions.
pub(super) fn flatten(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        // Other stages have arrays of inputs and outputs, but WGSL does not have these stages.
        let is_written = |entry: EntryPoint<'_>| {
            matches!(
                entry.model(),
                ExecutionModel::VERTEX | ExecutionModel::FRAGMENT | ExecutionModel::GL_COMPUTE
            )
        };
        if module.entry_points().any(|entry| !is_written(entry)) {
            return Ok(());
        }
        let all = module.variables().filter_map(|variable| Varying::of(module, variable));
        let all: Vec<Varying<'_>> = all.collect();
        let slots = slots(module, &all)?;
        let new: Vec<New<'_, '_>> = slots
            .iter()
            .filter(|(_, slot)| slot.is_new())
            .map(|(place, slot)| slot.declare(module, p, place))
            .collect();
        let moved = new.iter().flat_map(|one| one.parts.iter().map(|(old, _)| old.result()));
        let moved: BTreeSet<Id> = moved.collect();

        // First add copies, then make the original variables private.
        let functions: BTreeSet<Id> = module.entry_points().map(|entry| entry.function()).collect();
        for function in functions {
            copy(module, p, function, &new);
        }
        let moved = all.iter().filter(|one| moved.contains(&one.variable.result()));
        make_private(module, p, &moved.collect::<Vec<_>>())
    })?;
    Ok(next.module.into_owned())
}

/// The location of an input or output in WGSL.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place<'s> {
    class: StorageClass,
    /// The offsets of the entry points that have the input or output.
    entries: Vec<u32>,
    location: u32,
    /// The operand of `Index`, for dual-source blending.
    index: Option<&'s [u32]>,
}

/// The inputs or outputs at a location.
struct Slot<'s, 'm> {
    parts: Vec<(&'s Varying<'m>, &'s Leaf)>,
}

/// The inputs and outputs of the module, by location.
fn slots<'s, 'm>(
    module: &Module<'_>,
    all: &'s [Varying<'m>],
) -> Result<BTreeMap<Place<'s>, Slot<'s, 'm>>, Error> {
    let mut slots: BTreeMap<Place<'_>, Slot<'_, '_>> = BTreeMap::new();
    for varying in all {
        let id = varying.variable.result();
        let has = |entry: &EntryPoint<'_>| entry.interface().any(|one| one == id);
        let entries: Vec<u32> =
            module.entry_points().filter(has).map(|entry| entry.inst().at()).collect();
        for leaf in varying.leaves.iter().filter(|_| !entries.is_empty()) {
            let place = Place {
                class: varying.class,
                entries: entries.clone(),
                location: leaf.location,
                index: leaf.decorations.get(&Decoration::INDEX).map(Vec::as_slice),
            };
            slots.entry(place).or_insert(Slot { parts: Vec::new() }).parts.push((varying, leaf));
        }
    }
    slots.iter().try_for_each(|(place, slot)| slot.check(place))?;
    Ok(slots)
}

/// An input or output of the WGSL text that is not in the module.
struct New<'s, 'm> {
    variable: Id,
    ty: Id,
    class: StorageClass,
    entries: Vec<u32>,
    /// Whether this is a vector that combines all variables at the location.
    is_shared: bool,
    parts: Vec<(Variable<'m>, &'s Leaf)>,
}

impl<'s, 'm> Slot<'s, 'm> {
    fn is_shared(&self) -> bool {
        self.parts.len() > 1 || self.parts.iter().any(|(_, leaf)| leaf.component.is_some())
    }

    /// Whether the module has no variable that is equal to this input or output.
    fn is_new(&self) -> bool {
        self.is_shared() || self.parts.iter().any(|(varying, _)| !varying.is_plain())
    }

    /// Rejects variables that cannot be combined into one vector.
    fn check(&self, place: &Place<'_>) -> Result<(), Error> {
        let (_, first) = &self.parts[0];
        let mut taken = 0_u32;
        for (varying, leaf) in &self.parts {
            let begin = leaf.component.unwrap_or_default();
            let end = begin.saturating_add(leaf.count);
            let is_alike = leaf.scalar == first.scalar && leaf.decorations == first.decorations;
            let components = if end > COMPONENTS { u32::MAX } else { (1 << end) - (1 << begin) };
            if !is_alike || taken & components != 0 || end > COMPONENTS {
                let location = place.location;
                let message =
                    format!("the input at location {location} is not a vector of four components");
                return Err(Error::new(&code::FORMAT_NOT_EXPRESSIBLE, message)
                    .about(varying.variable.result()));
            }
            taken |= components;
        }
        Ok(())
    }

    fn declare(
        &self,
        module: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        place: &Place<'_>,
    ) -> New<'s, 'm> {
        let (_, first) = &self.parts[0];
        let is_shared = self.is_shared();
        let ty = if is_shared { p.vector(first.scalar, COMPONENTS) } else { first.ty };
        // Add the decorations and the name of the variable, then add it to the interfaces of its entry points.
        let variable = p.variable(place.class, ty, None);
        p.decorate(variable, Decoration::LOCATION, &[place.location]);
        for (decoration, operands) in &first.decorations {
            p.decorate(variable, *decoration, operands);
        }
        let names = self.parts.iter().map(|(_, leaf)| &*leaf.name).filter(|name| !name.is_empty());
        let name = names.collect::<Vec<_>>().join("_");
        if !name.is_empty() {
            p.name(variable, &name);
        }
        let entries = place.entries.clone();
        for entry in module.entry_points().filter(|entry| entries.contains(&entry.inst().at())) {
            p.join_interface(entry, variable);
        }
        let parts = self.parts.iter().map(|(varying, leaf)| (varying.variable, *leaf)).collect();
        New { variable, ty, class: place.class, entries, is_shared, parts }
    }
}

/// Emits copies between the new variables and the original variables, in the entry points with `function`.
fn copy<'m>(module: &'m Module<'_>, p: &mut Patch<'m, '_>, function: Id, new: &[New<'_, '_>]) {
    let Some(body) = module.function(function) else { return };
    let entries = module.entry_points().filter(|entry| entry.function() == function);
    let entries: Vec<u32> = entries.map(|entry| entry.inst().at()).collect();
    let of = |class| {
        new.iter().filter(move |one| one.class == class).filter(|one| {
            let mut of_function = one.entries.iter().filter(|entry| entries.contains(entry));
            of_function.next().is_some()
        })
    };

    let is_behind_variables = |inst: &Inst<'_>| {
        !matches!(inst.op(), Op::FUNCTION | Op::FUNCTION_PARAMETER | Op::LABEL | Op::VARIABLE)
    };
    if let Some(first) = body.instructions().find(is_behind_variables) {
        initialise(module, p, first, &entries);
        of(StorageClass::INPUT).for_each(|one| one.read(p, first));
    }
    for end in body.instructions().filter(|inst| inst.op() == Op::RETURN) {
        of(StorageClass::OUTPUT).for_each(|one| one.write(p, end));
    }
}

/// Stores the initializers of the outputs of `entries` before `inst`.
fn initialise<'m>(module: &Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'m>, entries: &[u32]) {
    let has = |id: Id| {
        let mut entries =
            module.entry_points().filter(|entry| entries.contains(&entry.inst().at()));
        entries.any(|entry| entry.interface().any(|one| one == id))
    };
    let outputs =
        module.variables().filter(|variable| variable.storage_class() == StorageClass::OUTPUT);
    for variable in outputs.filter(|variable| has(variable.result())) {
        if let Some(value) = variable.initializer() {
            p.at(inst.before()).store(variable.result(), value);
        }
    }
}

impl New<'_, '_> {
    /// Copies an input to the original variables before `inst`.
    fn read<'m>(&self, p: &mut Patch<'m, '_>, inst: Inst<'m>) {
        let whole = p.at(inst.before()).load(self.ty, self.variable);
        for (old, leaf) in &self.parts {
            let to = pointer(p, inst, old.result(), leaf);
            let mut code = p.at(inst.before());
            let begin = leaf.component.unwrap_or_default();
            let part = match (self.is_shared, leaf.count) {
                (false, _) => whole,
                (true, 1) => code.extract(leaf.ty, whole, &[begin]),
                (true, count) => {
                    let mut operands = vec![whole.word(), whole.word()];
                    operands.extend(begin..begin + count);
                    code.value(Op::VECTOR_SHUFFLE, leaf.ty, &operands)
                }
            };
            code.store(to, part);
        }
    }

    /// Copies the original variables to an output before `inst`.
    fn write<'m>(&self, p: &mut Patch<'m, '_>, inst: Inst<'m>) {
        let (_, first) = &self.parts[0];
        let mut components = [None; COMPONENTS as usize];
        let mut whole = None;
        for (old, leaf) in &self.parts {
            let from = pointer(p, inst, old.result(), leaf);
            let mut code = p.at(inst.before());
            let part = code.load(leaf.ty, from);
            whole = Some(part);
            for index in (0..leaf.count).filter(|_| self.is_shared) {
                let path = if leaf.count == 1 { &[][..] } else { &[index] };
                let at = leaf.component.unwrap_or_default() + index;
                components[at as usize] = Some(code.extract(leaf.scalar, part, path));
            }
        }
        let whole = match whole {
            Some(whole) if !self.is_shared => whole,
            _ => {
                let zero = p.null(first.scalar);
                let components = components.map(|component| component.unwrap_or(zero));
                p.at(inst.before()).construct(self.ty, &components)
            }
        };
        p.at(inst.before()).store(self.variable, whole);
    }
}

/// Emits a pointer to a part of a `Private` variable.
fn pointer<'m>(p: &mut Patch<'m, '_>, inst: Inst<'m>, variable: Id, leaf: &Leaf) -> Id {
    let ty = p.pointer(StorageClass::PRIVATE, leaf.ty);
    let indices: Vec<Id> = leaf.path.iter().map(|index| p.uint_constant(*index)).collect();
    p.at(inst.before()).access_chain(ty, variable, &indices)
}

/// Makes the variables, and all pointers into them, `Private`.
fn make_private<'m>(
    module: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    moved: &[&Varying<'m>],
) -> Result<(), Error> {
    for varying in moved {
        private::make(module, p, varying.variable, varying.ty, is_of_interface);
    }
    let structures = moved.iter().flat_map(|varying| &varying.structures);
    for structure in structures.collect::<BTreeSet<_>>() {
        p.undecorate(*structure, |_, decoration| is_of_interface(decoration));
    }
    let ids: Vec<Id> = moved.iter().map(|varying| varying.variable.result()).collect();
    for pointer in module.reach(&ids).pointers {
        if pointer.op() == Op::FUNCTION_PARAMETER {
            let message = "a pointer to an input or output is passed to a function";
            return Err(Error::new(&code::FORMAT_NOT_EXPRESSIBLE, message));
        }
        let pointee = pointer.result_type().and_then(|ty| module.pointer(ty));
        if let Some((_, pointee)) = pointee {
            let private = p.pointer(StorageClass::PRIVATE, pointee);
            p.set_result_type(pointer, private);
        }
    }
    Ok(())
}
