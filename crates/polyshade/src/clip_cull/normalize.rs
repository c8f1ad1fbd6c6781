//! Converts registers to built-in arrays.

use super::arrays::{ANY, CLASSES, arrays};
use super::limits::{self, requirements};
use super::options::{Distances, Normalize, StageDistances};
use super::prepare::{builtin_array, is_used, prepare, prepare_builtins};
use super::registers::{Marking, Register, builtin_blocks, is_written, linkage};
use super::relocate::{
    Relocation, Sites, clear_own, distance_array, interpolate, interpolation, relocate,
};
use super::semantics::{DISTANCE_KINDS, DistanceKind, DistanceSemantic, Linkage};
use crate::code::{self, refuse};
use crate::host::{Lowered, Requirements, Target};
use crate::rewrite::{Frame, Place};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionModel, Module, Patch, StorageClass};

/// The options, with numbers for the linked distances.
struct Sides<'o> {
    options: &'o Normalize,
    inputs: Option<Linkage>,
    outputs: Option<Linkage>,
}

impl<'o> Sides<'o> {
    fn new(options: &'o Normalize) -> Result<Self, Error> {
        let number = |linked: &Option<Vec<DistanceSemantic>>| {
            linked.as_ref().map(|linked| Linkage::new(linked.iter().copied())).transpose()
        };
        let inputs = number(&options.linked_inputs)?;
        Ok(Self { options, inputs, outputs: number(&options.linked_outputs)? })
    }

    fn marking(&self, class: StorageClass) -> Marking<'_> {
        let Normalize { inputs, outputs, user_semantics, .. } = self.options;
        let (marks, linked) = match class == StorageClass::INPUT {
            true => (inputs, &self.inputs),
            false => (outputs, &self.outputs),
        };
        Marking { semantics: *user_semantics, marks, linked: linked.as_ref() }
    }
}

/// Returns the register distances of a stage: first those of the inputs, then those of the outputs.
pub(super) fn own_linkages(frame: &Frame<'_>, options: &Normalize) -> Result<[Linkage; 2], Error> {
    let sides = Sides::new(options)?;
    let version = split(frame, &sides)?;
    let entry = frame.entry(&version)?;
    let side = |class| {
        let registers = sides.marking(class).registers(&version, entry, class);
        linkage(&frame.found(&version, registers)?, None)
    };
    Ok([side(StorageClass::INPUT)?, side(StorageClass::OUTPUT)?])
}

/// Applies [`Step::Normalize`](super::Step::Normalize).
pub(super) fn normalize<'m>(
    module: &'m Module<'_>,
    target: &Target,
    options: &Normalize,
) -> Result<Lowered<'m, StageDistances>, Error> {
    normalize_in(&Frame::new(module, target, &ANY)?, options)
}

/// Applies the step to the module of `frame`.
pub(super) fn normalize_in<'m>(
    frame: &Frame<'m>,
    options: &Normalize,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let module = frame.given();
    let entry = frame.entry(module)?;
    let sides = Sides::new(options)?;
    let mut is_marked = false;
    for class in CLASSES {
        let marking = sides.marking(class);
        is_marked |= !marking.blocks(module, entry, class).is_empty()
            || !marking.registers_or_none(module, entry, class)?.is_empty();
    }
    // Without marked registers, the module stays unchanged, but the requirements of its built-in arrays are reported.
    if !is_marked {
        let [inputs, outputs] = own_linkages(frame, options)?;
        let counts = counts(frame)?;
        let mut lowered = Lowered::unchanged(module, distances([&inputs, &outputs], counts));
        for counts in counts {
            limits::check(frame.target(), counts)?;
            lowered.requirements = lowered.requirements.join(requirements(counts));
        }
        return Ok(lowered);
    }

    let version = split(frame, &sides)?;
    let normalized = frame.rewrite(&version, |m, p, entry| {
        let sites = Sites::new(m, p, entry);
        let mut needs = Requirements::default();
        let (mut linkages, mut both) = (Vec::new(), Vec::new());
        for class in CLASSES {
            let marking = sides.marking(class);
            let registers = marking.registers(m, entry, class)?;
            let linkage = linkage(&registers, marking.linked)?;
            let side = SideOfStage { entry, class, sites };
            let counts = side.normalize(m, p, &registers, &linkage)?;
            limits::check(frame.target(), counts)?;
            needs = needs.join(requirements(counts));
            linkages.push(linkage);
            both.push(counts);
        }
        Ok((linkages, both, needs))
    })?;
    let (mut linkages, both, requirements) = normalized.value;
    let outputs = linkages.pop().expect("both inputs and outputs have a linkage");
    let inputs = linkages.pop().expect("both inputs and outputs have a linkage");
    let result = distances([&inputs, &outputs], [both[0], both[1]]);
    Ok(frame.made(normalized.module, requirements, result))
}

fn distances(linkages: [&Linkage; 2], counts: [[u32; 2]; 2]) -> StageDistances {
    let [inputs, outputs] = linkages.map(Linkage::semantics);
    let [of_inputs, of_outputs] = counts;
    StageDistances {
        inputs: Distances::new(of_inputs, inputs),
        outputs: Distances::new(of_outputs, outputs),
    }
}

/// Returns the numbers of distances in the built-in input and output arrays of a stage.
fn counts(frame: &Frame<'_>) -> Result<[[u32; 2]; 2], Error> {
    let module = frame.given();
    if !DISTANCE_KINDS.into_iter().any(|kind| module.has_capability(kind.capability())) {
        return Ok([[0, 0]; 2]);
    }
    let version = prepare_builtins(frame, frame.isolated(), &CLASSES)?;
    let counted = frame.rewrite(&version, |m, p, entry| {
        let mut both = [[0, 0]; 2];
        for (counts, class) in both.iter_mut().zip(CLASSES) {
            for array in arrays(m, p, entry, class)? {
                counts[array.kind as usize] = array.count;
            }
        }
        Ok(both)
    })?;
    Ok(counted.value)
}

/// Returns a version in which blocks with marked members are split. If the inputs or outputs have registers, their
/// blocks with built-in arrays are split too.
fn split(frame: &Frame<'_>, sides: &Sides<'_>) -> Result<Module<'static>, Error> {
    prepare(frame, frame.isolated(), |m, entry| {
        let mut blocks = Vec::new();
        for class in CLASSES {
            let marking = sides.marking(class);
            let marked = marking.blocks(m, entry, class);
            let registers = marking.registers_or_none(m, entry, class);
            if !marked.is_empty() || registers.is_ok_and(|registers| !registers.is_empty()) {
                blocks.extend(builtin_blocks(m, entry, class));
            }
            blocks.extend(marked);
        }
        let mut seen = Vec::new();
        blocks.retain(|block| {
            !seen.contains(block) && {
                seen.push(*block);
                true
            }
        });
        blocks
    })
}

/// The inputs or the outputs of a stage.
struct SideOfStage<'m> {
    entry: EntryPoint<'m>,
    class: StorageClass,
    sites: Sites<'m>,
}

impl<'m> SideOfStage<'m> {
    /// Converts the registers. Returns the numbers of clip and cull distances.
    fn normalize(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        registers: &[Register],
        linkage: &Linkage,
    ) -> Result<[u32; 2], Error> {
        if registers.is_empty() {
            return Ok([0, 0]);
        }
        let vertices = registers.iter().find_map(|register| register.vertices);
        let interpolation = interpolation(m, self.entry, registers)?;
        let mut counts = [0, 0];
        let mut arrays = [None, None];
        for (i, kind) in DISTANCE_KINDS.into_iter().enumerate() {
            self.remove_unused_builtin(m, p, kind)?;
            if !self.is_needed(m, registers, kind) {
                continue;
            }
            counts[i] = linkage.count(kind);
            let array = distance_array(p, self.entry, self.class, (kind, counts[i]), vertices);
            interpolate(p, array, &interpolation);
            arrays[i] = Some(array);
            let is_control = self.entry.model() == ExecutionModel::TESSELLATION_CONTROL;
            if is_control && self.class == StorageClass::OUTPUT {
                let at = self.sites.prologue;
                clear_own(m, p, self.entry, (array, counts[i]), at);
            }
        }

        // Distances move to the array of their kind. Other components stay in place.
        self.check_linked(m, registers, linkage)?;
        let relocations: Vec<Relocation> = registers
            .iter()
            .map(|register| {
                let places = register.scalars.iter().map(|scalar| match scalar.kind {
                    None => Some(Place { variable: register.variable, path: scalar.path.clone() }),
                    Some(kind) => {
                        let number = linkage.number(kind, scalar.component)?;
                        let variable = arrays[kind as usize]?;
                        Some(Place { variable, path: vec![number] })
                    }
                });
                Relocation { register: register.clone(), places: places.collect() }
            })
            .collect();
        relocate(m, p, self.entry, self.class, &relocations, self.sites)?;
        Ok(counts)
    }

    /// Refuses distances that the stage writes but that are not linked, because they would silently stop clipping.
    /// Accepts tessellation control stages, whose outputs are never rasterized.
    fn check_linked(
        &self,
        m: &Module<'_>,
        registers: &[Register],
        linkage: &Linkage,
    ) -> Result<(), Error> {
        let is_control = self.entry.model() == ExecutionModel::TESSELLATION_CONTROL;
        if self.class == StorageClass::INPUT || is_control {
            return Ok(());
        }
        for register in registers.iter().filter(|register| is_written(m, register.variable)) {
            let mut distances = register.distances();
            let lost = distances.find(|(kind, at)| linkage.number(*kind, *at).is_none());
            if let Some((kind, at)) = lost {
                let message = format!(
                    "component {} of location {} is a {kind} distance that the stage writes but that is not linked",
                    at.component, at.location
                );
                let error =
                    Error::new(&code::CLIP_UNLINKED_DISTANCE, message).about(register.variable);
                return Err(error.help(
                    "it would no longer have an effect: link it, or list no semantic for it",
                ));
            }
        }
        Ok(())
    }

    /// Whether the array of `kind` is needed: the stage uses an input of this kind, or writes an output.
    fn is_needed(&self, m: &Module<'_>, registers: &[Register], kind: DistanceKind) -> bool {
        let of_kind = |register: &&Register| register.distances().any(|(own, _)| own == kind);
        registers.iter().filter(of_kind).any(|register| match self.class {
            StorageClass::INPUT => is_used(m, register.variable),
            _ => is_written(m, register.variable),
        })
    }

    /// Removes an unused built-in array of `kind`, because inputs and outputs can have only one such array each.
    /// Refuses an array that the shader uses.
    fn remove_unused_builtin(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        kind: DistanceKind,
    ) -> Result<(), Error> {
        let Some(array) = builtin_array(m, self.entry, self.class, kind) else { return Ok(()) };
        if is_used(m, array) {
            let message =
                format!("the shader has {kind} distances in {} and in registers", kind.glsl_name());
            return refuse(&code::CLIP_DUPLICATE_DISTANCES, message, array);
        }
        p.remove_definition(array);
        Ok(())
    }
}
