//! Registers become built-in arrays.

use super::arrays::{ANY, CLASSES, arrays};
use super::limits::{self, requirements};
use super::marks::{KINDS, Kind, Linkage, Mark};
use super::prepare::{builtin_array, is_used, prepare, prepare_builtins};
use super::registers::{Marking, Register, builtin_blocks, is_written, linkage};
use super::relocate::{
    Relocation, Sites, clear_own, distance_array, interpolate, interpolation, relocate,
};
use crate::code;
use crate::host::{Lowered, Requirements, Target};
use crate::moves::{Frame, Place};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionModel, Module, Patch, StorageClass};

/// Which registers of a stage become built-in arrays.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    semantics: bool,
    inputs: Side,
    outputs: Side,
}

/// What the caller says of the inputs or the outputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
struct Side {
    marks: Vec<Mark>,
    linked: Option<Linkage>,
}

impl Default for Options {
    fn default() -> Self {
        Self { semantics: true, inputs: Side::default(), outputs: Side::default() }
    }
}

impl Options {
    /// The registers that `UserSemantic` decorations mark.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether `UserSemantic` decorations say what is a distance. They do unless told otherwise.
    #[must_use]
    pub fn semantics(mut self, semantics: bool) -> Self {
        self.semantics = semantics;
        self
    }

    /// Marks inputs. Components that nothing marks stay where they are.
    #[must_use]
    pub fn inputs(mut self, marks: impl IntoIterator<Item = Mark>) -> Self {
        self.inputs.marks.extend(marks);
        self
    }

    /// Marks outputs. Components that nothing marks stay where they are.
    #[must_use]
    pub fn outputs(mut self, marks: impl IntoIterator<Item = Mark>) -> Self {
        self.outputs.marks.extend(marks);
        self
    }

    /// What this stage and the one before it have together: it numbers the inputs. Unless said, the stage's own do.
    #[must_use]
    pub fn linked_inputs(mut self, linkage: Linkage) -> Self {
        self.inputs.linked = Some(linkage);
        self
    }

    /// What this stage and the one behind it have together: it numbers the outputs. Unless said, the stage's own do.
    #[must_use]
    pub fn linked_outputs(mut self, linkage: Linkage) -> Self {
        self.outputs.linked = Some(linkage);
        self
    }

    fn side(&self, class: StorageClass) -> &Side {
        if class == StorageClass::INPUT { &self.inputs } else { &self.outputs }
    }

    fn marking(&self, class: StorageClass) -> Marking<'_> {
        let Side { marks, linked } = self.side(class);
        Marking { semantics: self.semantics, marks, linked: linked.as_ref() }
    }
}

/// What is known of a stage whose distances lie in built-in arrays.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Normalized {
    /// The components that its inputs have, by their numbers in the arrays.
    pub inputs: Linkage,
    /// The components that its outputs have, by their numbers in the arrays.
    pub outputs: Linkage,
    /// How many clip and cull distances its inputs and its outputs have, also where they were built-in arrays before.
    pub counts: [[u32; 2]; 2],
}

/// The registers of a stage that hold distances, at its inputs and its outputs.
pub(super) fn own_linkages(frame: &Frame<'_>, options: &Options) -> Result<[Linkage; 2], Error> {
    let version = split(frame, options)?;
    let entry = frame.entry(&version)?;
    let side = |class| {
        let registers = options.marking(class).registers(&version, entry, class);
        linkage(&frame.found(&version, registers)?, None)
    };
    Ok([side(StorageClass::INPUT)?, side(StorageClass::OUTPUT)?])
}

/// Makes built-in arrays of the registers of a stage that are marked as distances.
///
/// The components of one kind are numbered register by register, with what is [linked](Options::linked_outputs). What
/// the stage never writes is 0, and inputs that are not linked are its own affair. A stage that writes no distance of
/// a kind does not declare its array.
///
/// # Errors
///
/// * `NotFound`: the entry point; a mark that no input or output has.
/// * `Options`: a component that is both; more than two registers; an output that is written and not linked.
/// * `Unsupported`: a distance that is no 32-bit float or has no location; more distances than the device takes; a
///   shader that uses the built-in array too; inputs that are interpolated in different ways; what the
///   [moves](crate::moves) refuse.
pub fn normalize<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Normalized>, Error> {
    normalize_in(&Frame::new(module, &target.into(), &ANY)?, options)
}

/// [`normalize`], of the module that `frame` was given.
pub(super) fn normalize_in<'m>(
    frame: &Frame<'m>,
    options: &Options,
) -> Result<Lowered<'m, Normalized>, Error> {
    let module = frame.given();
    let entry = frame.entry(module)?;
    let mut is_marked = false;
    for class in CLASSES {
        let marking = options.marking(class);
        is_marked |= !marking.blocks(module, entry, class).is_empty()
            || !marking.registers_or_none(module, entry, class)?.is_empty();
    }
    if !is_marked {
        let [inputs, outputs] = own_linkages(frame, options)?;
        let counts = counts(frame)?;
        let mut lowered = Lowered::unchanged(module, Normalized { inputs, outputs, counts });
        for counts in counts {
            limits::check(frame.target(), counts)?;
            lowered.requirements = lowered.requirements.join(requirements(counts));
        }
        return Ok(lowered);
    }

    let version = split(frame, options)?;
    let normalized = frame.rewrite(&version, |m, p, entry| {
        let sites = Sites::new(m, p, entry);
        let mut needs = Requirements::default();
        let (mut linkages, mut both) = (Vec::new(), Vec::new());
        for class in CLASSES {
            let registers = options.marking(class).registers(m, entry, class)?;
            let linkage = linkage(&registers, options.side(class).linked.as_ref())?;
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
    let outputs = linkages.pop().expect("both sides are looked at");
    let inputs = linkages.pop().expect("both sides are looked at");
    let result = Normalized { inputs, outputs, counts: [both[0], both[1]] };
    Ok(frame.made(normalized.module, requirements, result))
}

/// How many distances a stage has in built-in arrays.
fn counts(frame: &Frame<'_>) -> Result<[[u32; 2]; 2], Error> {
    let module = frame.given();
    if !KINDS.into_iter().any(|kind| module.has_capability(kind.capability())) {
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

/// A version in which marked blocks, and blocks with built-in arrays beside marked registers, are split.
fn split(frame: &Frame<'_>, options: &Options) -> Result<Module<'static>, Error> {
    prepare(frame, frame.isolated(), |m, entry| {
        let mut blocks = Vec::new();
        for class in CLASSES {
            let marking = options.marking(class);
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

/// One side of a stage.
struct SideOfStage<'m> {
    entry: EntryPoint<'m>,
    class: StorageClass,
    sites: Sites<'m>,
}

impl<'m> SideOfStage<'m> {
    /// Returns how many distances there are, clip and cull.
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
        for (i, kind) in KINDS.into_iter().enumerate() {
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

    /// What is written and not linked would clip no more; the next stage alone has no say in that. The outputs of
    /// tessellation control are never rasterized.
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
                    "component {} of location {} is a {kind} distance that the stage writes and that is not linked",
                    at.component, at.location
                );
                let error =
                    Error::new(&code::CLIP_UNLINKED_DISTANCE, message).about(register.variable);
                return Err(error.help("it would clip no more: link it, or do not mark it"));
            }
        }
        Ok(())
    }

    /// Whether the array of `kind` is declared: where an input is used, or an output written.
    fn is_needed(&self, m: &Module<'_>, registers: &[Register], kind: Kind) -> bool {
        let of_kind = |register: &&Register| register.distances().any(|(own, _)| own == kind);
        registers.iter().filter(of_kind).any(|register| match self.class {
            StorageClass::INPUT => is_used(m, register.variable),
            _ => is_written(m, register.variable),
        })
    }

    /// A shader has one built-in of each kind on a side.
    fn remove_unused_builtin(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        kind: Kind,
    ) -> Result<(), Error> {
        let Some(array) = builtin_array(m, self.entry, self.class, kind) else { return Ok(()) };
        if is_used(m, array) {
            let message =
                format!("the shader has {kind} distances in {} and in registers", kind.glsl_name());
            return Err(Error::new(&code::CLIP_DUPLICATE_DISTANCES, message).about(array));
        }
        p.remove_definition(array);
        Ok(())
    }
}
