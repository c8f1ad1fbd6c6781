//! Splits combined image samplers, which WGSL lacks, into a texture and a sampler.

use super::places::place_of;
use super::{Place, WgslResource};
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Op, Patch, Section, StorageClass, view};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the bindings of the combined image samplers.
///
/// # Errors
///
/// The reason why a combined image sampler cannot be split.
pub(super) fn combined(module: &Module<'_>) -> Result<BTreeSet<Place>, String> {
    let mut places = BTreeSet::new();
    for variable in module.variables().map(|variable| variable.result()) {
        let Some(pointee) = module.pointee(variable) else { continue };
        if image_of(module, module.innermost_element(pointee)).is_none() {
            continue;
        }
        let name = module.name(variable);
        let name = name.map_or_else(|| variable.to_string(), |name| format!("`{name}`"));
        if image_of(module, pointee).is_none() {
            return Err(format!(
                "WGSL has no arrays of combined image samplers, and {name} is one"
            ));
        }
        match place_of(module, variable) {
            Some(place) if needs_sampler(module, variable) => {
                places.insert(place);
            }
            Some(_) => {}
            None => return Err(format!("the combined image sampler {name} has no binding")),
        }
    }
    Ok(places)
}

/// Whether the shader may use not only the image, but also the sampler of a combined image sampler.
fn needs_sampler(module: &Module<'_>, variable: Id) -> bool {
    module.code_uses_of(variable).any(|inst| match (inst.op(), inst.result()) {
        (Op::LOAD, Some(value)) => module.code_uses_of(value).any(|inst| inst.op() != Op::IMAGE),
        _ => true,
    })
}

/// Returns the module with a separate sampler at the given binding for each combined image sampler in `places`. All
/// other combined image samplers become only textures.
pub(super) fn split(
    module: &Module<'_>,
    places: &BTreeMap<WgslResource, Place>,
) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let types = Types::split(module, p);
        let mut split = Split { module, types, samplers: BTreeMap::new() };
        for variable in module.variables() {
            split.variable(p, variable.inst(), places);
        }
        for function in module.section(Section::Globals).filter(|one| one.op() == Op::TYPE_FUNCTION)
        {
            split.function_type(p, function);
        }
        // Types come first, because parameters precede their uses.
        for inst in module.functions().flat_map(|function| function.instructions()) {
            split.code(p, inst);
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// The sampler types that replace the types of combined image samplers.
struct Types {
    /// For each pointer type to combined image samplers, which becomes a pointer to images, the pointer type to
    /// samplers.
    pointers: BTreeMap<Id, Id>,
    /// The sampler type, if there are such pointers.
    sampler: Option<Id>,
}

impl Types {
    fn split<'m>(module: &'m Module<'_>, p: &mut Patch<'m, '_>) -> Self {
        let mut types = Self { pointers: BTreeMap::new(), sampler: None };
        for pointer in module.section(Section::Globals).filter_map(view::TypePointer::of) {
            let Some(image) = image_of(module, pointer.pointee()) else { continue };
            let (at, id) = (pointer.inst().at(), pointer.result());
            let sampler = p.declare_before(Op::TYPE_SAMPLER, &[], at);
            let class = StorageClass::UNIFORM_CONSTANT;
            types.sampler = Some(sampler);
            types.pointers.insert(id, p.pointer_before(class, sampler, at));
            p.overwrite(pointer.inst().operand(3), image.word());
        }
        types
    }
}

/// The image type of a sampled image type.
fn image_of(module: &Module<'_>, ty: Id) -> Option<Id> {
    let sampled = module.definition(ty).filter(|inst| inst.op() == Op::TYPE_SAMPLED_IMAGE)?;
    Id::new(sampled.words()[2])
}

struct Split<'m, 'w> {
    module: &'m Module<'w>,
    types: Types,
    /// For each pointer to an image, the pointer to its sampler.
    samplers: BTreeMap<Id, Id>,
}

impl<'m, 'w> Split<'m, 'w> {
    fn variable(
        &mut self,
        p: &mut Patch<'m, 'w>,
        inst: Inst<'m>,
        places: &BTreeMap<WgslResource, Place>,
    ) {
        let (Some(ty), Some(variable)) = (inst.result_type(), inst.result()) else { return };
        let Some(pointer) = self.types.pointers.get(&ty).copied() else { return };
        let place = place_of(self.module, variable).map(WgslResource::Sampler);
        let Some(Place { set, binding }) = place.and_then(|place| places.get(&place)) else {
            return;
        };
        // The sampler has the binding in `places`, and is in the same interfaces as the combined image sampler.
        let sampler = p.id();
        let class = StorageClass::UNIFORM_CONSTANT;
        p.insert(inst.after(), Op::VARIABLE, &[pointer.word(), sampler.word(), class.0]);
        p.decorate(sampler, Decoration::DESCRIPTOR_SET, &[*set]);
        p.decorate(sampler, Decoration::BINDING, &[*binding]);
        if let Some(name) = self.module.name(variable) {
            p.name(sampler, &format!("{name}_sampler"));
        }
        for entry in self.module.entry_points() {
            if entry.interface().any(|one| one == variable) {
                p.join_interface(entry, sampler);
            }
        }
        self.samplers.insert(variable, sampler);
    }

    /// Adds a sampler parameter after each parameter that points to a combined image sampler.
    fn function_type(&self, p: &mut Patch<'m, 'w>, inst: Inst<'m>) {
        let sampler = |ty: u32| self.types.pointers.get(&Id::new(ty)?).copied();
        // The words are the result, the return type and the parameters.
        let (ends, parameters) = inst.words()[1..].split_at(2);
        self.doubled(p, inst, ends, parameters, &sampler);
    }

    /// Rewrites the instruction. If `more` returns an id for an operand, the id is inserted after that operand.
    fn doubled(
        &self,
        p: &mut Patch<'m, 'w>,
        inst: Inst<'m>,
        first: &[u32],
        operands: &[u32],
        more: &dyn Fn(u32) -> Option<Id>,
    ) {
        if !operands.iter().any(|operand| more(*operand).is_some()) {
            return;
        }
        let mut words = first.to_vec();
        for operand in operands {
            words.push(*operand);
            words.extend(more(*operand).map(Id::word));
        }
        p.remove(inst);
        p.insert(inst.before(), inst.op(), &words);
    }

    fn code(&mut self, p: &mut Patch<'m, 'w>, inst: Inst<'m>) {
        match inst.op() {
            Op::FUNCTION_PARAMETER => {
                let (Some(ty), Some(id)) = (inst.result_type(), inst.result()) else { return };
                let Some(pointer) = self.types.pointers.get(&ty) else { return };
                let sampler = p.id();
                let words = [pointer.word(), sampler.word()];
                p.insert(inst.after(), Op::FUNCTION_PARAMETER, &words);
                self.samplers.insert(id, sampler);
            }
            Op::FUNCTION_CALL => {
                let sampler = |argument: u32| self.samplers.get(&Id::new(argument)?).copied();
                // The words are the result type, the result, the function and the arguments.
                let (ends, arguments) = inst.words()[1..].split_at(3);
                self.doubled(p, inst, ends, arguments, &sampler);
            }
            Op::LOAD => self.load(p, inst),
            // If only the image is loaded, `OpImage` becomes a copy.
            Op::IMAGE => {
                let sampled = Id::new(inst.words()[3]).and_then(|id| self.module.definition(id));
                let is_image =
                    sampled.is_some_and(|load| load.op() == Op::LOAD && self.is_image_only(load));
                if let Some((ty, result)) = inst.result_type().zip(inst.result())
                    && is_image
                {
                    p.remove(inst);
                    let words = [ty.word(), result.word(), inst.words()[3]];
                    p.insert(inst.before(), Op::COPY_OBJECT, &words);
                }
            }
            _ => {}
        }
    }

    /// Whether `load` loads a combined image sampler that has become only an image.
    fn is_image_only(&self, load: Inst<'m>) -> bool {
        let pointer = Id::new(load.words()[3]);
        let is_combined = load.result_type().is_some_and(|ty| image_of(self.module, ty).is_some());
        is_combined && pointer.is_some_and(|pointer| !self.samplers.contains_key(&pointer))
    }

    /// Loads the image and the sampler separately, and combines them for the uses.
    fn load(&mut self, p: &mut Patch<'m, 'w>, inst: Inst<'m>) {
        let Some((ty, result)) = inst.result_type().zip(inst.result()) else { return };
        let Some(image_type) = image_of(self.module, ty) else { return };
        let pointer = Id::new(inst.words()[3]);
        let sampler = pointer.and_then(|pointer| self.samplers.get(&pointer)).copied();
        let (Some(sampler), Some(sampler_type)) = (sampler, self.types.sampler) else {
            return p.set_result_type(inst, image_type);
        };
        let image = p.id();
        p.set_result_type(inst, image_type);
        p.set_result(inst, image);
        let mut at = p.at(inst.after());
        let sampler = at.load(sampler_type, sampler);
        let words = [ty.word(), result.word(), image.word(), sampler.word()];
        at.emit(Op::SAMPLED_IMAGE, &words);
    }
}
