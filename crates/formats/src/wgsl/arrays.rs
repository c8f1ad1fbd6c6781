//! Replaces arrays of descriptors, which WGSL lacks, by a variable for each element.

use super::places::place_of;
use super::{Place, WgslResource};
use polyshade_spv::view::{AccessChain, TypePointer, Variable};
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Op, Patch, Section, StorageClass, Type};
use std::collections::{BTreeMap, BTreeSet};

/// An array of descriptors that is only indexed by constants.
pub(super) struct Descriptors<'m> {
    variable: Variable<'m>,
    class: StorageClass,
    element: Id,
    place: Place,
    /// The access chains to elements, each with the index of the element.
    chains: Vec<(AccessChain<'m>, u32)>,
}

/// Returns the arrays of descriptors that become variables. Arrays of textures and samplers with indices that are not
/// constant stay arrays. wgpu supports such arrays (`binding_array`), but browsers do not. Arrays of buffers cannot
/// stay, because naga would treat an array as one buffer.
///
/// # Errors
///
/// The reason why an array of buffers cannot become variables.
pub(super) fn arrays<'m>(module: &'m Module<'_>) -> Result<Vec<Descriptors<'m>>, String> {
    let mut arrays = Vec::new();
    for variable in module.variables() {
        let id = variable.result();
        let Some((class, pointee)) = module.pointer(variable.pointer_type()) else { continue };
        let is_array = matches!(
            module.ty(pointee),
            Some(Type::Array { .. } | Type::Other(Op::TYPE_RUNTIME_ARRAY))
        );
        let is_buffer = matches!(class, StorageClass::UNIFORM | StorageClass::STORAGE_BUFFER);
        if !is_array || !(is_buffer || class == StorageClass::UNIFORM_CONSTANT) {
            continue;
        }
        match Descriptors::of(module, variable, class, pointee) {
            Some(array) => arrays.push(array),
            None if is_buffer => {
                let name = module.name(id).filter(|name| !name.is_empty());
                let name = name.map_or_else(|| id.to_string(), |name| format!("`{name}`"));
                return Err(format!(
                    "WGSL has no arrays of buffers, and the indices of {name} are not all constants"
                ));
            }
            None => {}
        }
    }
    Ok(arrays)
}

impl<'m> Descriptors<'m> {
    fn of(
        module: &'m Module<'_>,
        variable: Variable<'m>,
        class: StorageClass,
        array: Id,
    ) -> Option<Self> {
        let Some(Type::Array { element, length }) = module.ty(array) else { return None };
        if matches!(module.ty(element), Some(Type::Array { .. })) {
            return None;
        }
        let (id, length) = (variable.result(), module.constant(length)?);
        let chain = |inst: Inst<'m>| {
            let chain = AccessChain::of(inst).filter(|chain| chain.base() == id)?;
            let index = module.constant(chain.indices().next()?)?;
            let is_plain = matches!(inst.op(), Op::ACCESS_CHAIN | Op::IN_BOUNDS_ACCESS_CHAIN);
            (is_plain && index < length).then_some((chain, index))
        };
        let chains = module.code_uses_of(id).map(chain).collect::<Option<_>>()?;
        Some(Self { variable, class, element, place: place_of(module, id)?, chains })
    }

    fn indices(&self) -> BTreeSet<u32> {
        self.chains.iter().map(|(_, index)| *index).collect()
    }

    /// Returns the elements that need a new binding. The first element keeps the binding of the array.
    pub(super) fn resources(&self) -> impl Iterator<Item = WgslResource> {
        let array = self.place;
        let others = self.indices().into_iter().filter(|index| *index > 0);
        others.map(move |index| WgslResource::Element { array, index })
    }
}

/// Returns the module with a variable for each used element of `arrays`, at the given bindings.
pub(super) fn split(
    module: &Module<'_>,
    places: &BTreeMap<WgslResource, Place>,
) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let mut gone = BTreeSet::new();
        for array in arrays(module).into_iter().flatten() {
            let variables = array.indices().into_iter().map(|index| {
                let own = WgslResource::Element { array: array.place, index };
                let place = places.get(&own).copied().unwrap_or(array.place);
                (index, array.declare(module, p, index, place))
            });
            let variables: BTreeMap<u32, Id> = variables.collect();
            for (chain, index) in &array.chains {
                lead_to(module, p, *chain, variables[index]);
            }
            for entry in module.entry_points() {
                if entry.interface().any(|one| one == array.variable.result()) {
                    variables.values().for_each(|variable| p.join_interface(entry, *variable));
                }
            }
            gone.insert(array.variable.result());
        }
        // naga also rejects unused arrays of unsized types, and needs an extension for arrays of textures.
        for pointer in module.section(Section::Globals).filter_map(TypePointer::of) {
            for ty in [pointer.result(), pointer.pointee()] {
                if is_unused(module, ty, &gone) {
                    gone.insert(ty);
                }
            }
        }
        gone.into_iter().for_each(|id| p.remove_definition(id));
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Whether an array type, or a pointer type to an array, has users, and all of the users are in `gone`.
fn is_unused(module: &Module<'_>, ty: Id, gone: &BTreeSet<Id>) -> bool {
    let names = module.section_end(Section::Annotations);
    let mut users = module.uses_of(ty).filter(|user| user.at() >= names).peekable();
    users.peek().is_some()
        && users.all(|user| user.result().is_some_and(|result| gone.contains(&result)))
}

impl<'m> Descriptors<'m> {
    fn declare(
        &self,
        module: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        index: u32,
        place: Place,
    ) -> Id {
        let array = self.variable.result();
        let variable = p.variable(self.class, self.element, None);
        for applied in module.decorations_of(array) {
            if applied.decoration != Decoration::BINDING
                && applied.decoration != Decoration::DESCRIPTOR_SET
            {
                p.copy_decoration(variable, None, &applied);
            }
        }
        p.decorate(variable, Decoration::DESCRIPTOR_SET, &[place.set]);
        p.decorate(variable, Decoration::BINDING, &[place.binding]);
        if let Some(name) = module.name(array).filter(|name| !name.is_empty()) {
            p.name(variable, &format!("{name}_{index}"));
        }
        variable
    }
}

/// Replaces the array of an access chain by the variable for its element.
fn lead_to<'m>(module: &'m Module<'_>, p: &mut Patch<'m, '_>, chain: AccessChain<'m>, element: Id) {
    let inst = chain.inst();
    let (Some(ty), Some(result)) = (inst.result_type(), inst.result()) else { return };
    let rest: Vec<u32> = chain.indices().skip(1).map(Id::word).collect();
    if rest.is_empty() {
        for user in module.code_uses_of(result) {
            p.replace(user, result, element);
        }
        p.remove_definition(result);
    } else {
        p.insert(
            inst.before(),
            inst.op(),
            &[&[ty.word(), result.word(), element.word()], &*rest].concat(),
        );
        p.remove(inst);
    }
}
