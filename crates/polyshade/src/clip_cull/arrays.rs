//! Converts built-in arrays of distances to registers, to one array, or to two arrays.

use super::limits::{self, requirements};
use super::options::{DistanceCounts, Distances, Registers, StageDistances};
use super::prepare::{builtin_array, is_used, prepare_builtins, without_unused};
use super::registers::{
    Register, Scalar, builtin_blocks, has_distances, is_per_vertex, is_written,
};
use super::relocate::{
    Relocation, Sites, clear_own, distance_array, interpolate, interpolation, relocate,
};
use super::semantics::{Component, DISTANCE_KINDS, DistanceKind, DistanceSemantic};
use crate::code::{self, refuse};
use crate::host::{Lowered, Requirements, Target};
use crate::rewrite::{self, Frame, Place, Stages, float_dimensions};
use crate::transform_feedback::Components;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ExecutionModel, Id, Module, Op, Patch, StorageClass, Type};

/// The inputs and the outputs of a stage.
pub(super) const CLASSES: [StorageClass; 2] = [StorageClass::INPUT, StorageClass::OUTPUT];

/// A built-in array of distances that the stage uses.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) kind: DistanceKind,
    pub(super) count: u32,
    pub(super) register: Register,
}

/// Returns the built-in arrays that the stage uses among its inputs or outputs, clip distances first. Removes unused
/// arrays.
pub(super) fn arrays<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
) -> Result<Vec<Array>, Error> {
    let mut found = Vec::new();
    for kind in DISTANCE_KINDS {
        let Some(variable) = builtin_array(m, entry, class, kind) else { continue };
        let in_use = match class {
            StorageClass::INPUT => is_used(m, variable),
            _ => is_written(m, variable),
        };
        if !in_use && !is_used(m, variable) {
            p.remove_definition(variable);
            continue;
        }
        let (vertices, count) = shape(m, variable, is_per_vertex(entry.model(), class))?;
        let component = |number| Component { location: number / 4, component: number % 4 };
        let scalar =
            |number| Scalar { path: vec![number], component: component(number), kind: Some(kind) };
        let scalars = (0..count).map(scalar).collect();
        found.push(Array { kind, count, register: Register { variable, vertices, scalars } });
    }
    Ok(found)
}

pub(super) fn find(arrays: &[Array], kind: DistanceKind) -> Option<&Array> {
    arrays.iter().find(|array| array.kind == kind)
}

/// Returns the number of distances of a kind.
pub(super) fn count(arrays: &[Array], kind: DistanceKind) -> u32 {
    find(arrays, kind).map_or(0, |array| array.count)
}

/// Returns the kinds of the built-in arrays that the entry point declares, as variables and as block members.
pub(super) fn declared(m: &Module<'_>, entry: EntryPoint<'_>) -> Vec<DistanceKind> {
    let mut kinds = Vec::new();
    for class in CLASSES {
        let arrays = DISTANCE_KINDS
            .into_iter()
            .filter(|kind| builtin_array(m, entry, class, *kind).is_some());
        kinds.extend(arrays);
        for block in builtin_blocks(m, entry, class) {
            let structure = m.pointee(block).map_or(block, |ty| m.innermost_element(ty));
            for member in 0..m.members(structure).len() as u32 {
                let builtin = m.member_builtin(structure, member);
                kinds.extend(
                    DISTANCE_KINDS.into_iter().find(|kind| builtin == Some(kind.builtin())),
                );
            }
        }
    }
    kinds
}

/// Returns the length of the outer array with one element per vertex, if any, and the number of distances per vertex.
fn shape(m: &Module<'_>, variable: Id, per_vertex: bool) -> Result<(Option<Id>, u32), Error> {
    let ty = m.pointee(variable).ok_or_else(|| {
        Error::new(&code::INTERFACE_NOT_A_VARIABLE, "the type of a built-in array is not a pointer")
            .about(variable)
    })?;
    let (vertices, inner) = match m.ty(ty) {
        Some(Type::Array { element, length }) if per_vertex => (Some(length), element),
        _ => (None, ty),
    };
    let is_array = matches!(m.ty(inner), Some(Type::Array { .. }));
    match float_dimensions(m, inner).as_deref() {
        Some([count]) if is_array && per_vertex == vertices.is_some() => Ok((vertices, *count)),
        _ => refuse(
            &code::CLIP_DISTANCE_TYPE,
            "the distances are not an array of floats with a known length",
            variable,
        ),
    }
}

/// Adds the features for distances that other entry points of the lowered module still need, because the device may
/// lack these features.
pub(super) fn with_others<'m, T>(
    frame: &Frame<'_>,
    mut lowered: Lowered<'m, T>,
) -> Result<Lowered<'m, T>, Error> {
    let m = &lowered.module;
    if m.entry_points().len() > 1 {
        let own = declared(m, frame.entry(m)?);
        let others =
            |kind: &DistanceKind| m.has_capability(kind.capability()) && !own.contains(kind);
        let features = DISTANCE_KINDS.into_iter().filter(others).map(limits::feature).collect();
        let others = Requirements { features, ..Requirements::default() };
        lowered.requirements = std::mem::take(&mut lowered.requirements).join(others);
    }
    Ok(lowered)
}

/// The form that the arrays are converted to.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Vectors at these locations of inputs and outputs.
    Registers(Registers),
    /// One array, clip distances first.
    Combined { clip: Option<u32> },
    /// Two arrays, made from one array that starts with `clip` clip distances.
    Separate { clip: u32 },
}

/// Applies [`Step::ToRegisters`](super::Step::ToRegisters).
pub(crate) fn to_registers<'m>(
    module: &'m Module<'_>,
    target: &Target,
    registers: Registers,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let frame = Frame::new(module, target, &ANY)?;
    let rearranged = registers_in(&frame, frame.isolated(), registers, &CLASSES)?;
    with_others(&frame, frame.lowered(rearranged))
}

/// Applies the step to the inputs, the outputs, or both, depending on `classes`.
pub(super) fn registers_in(
    frame: &Frame<'_>,
    version: &Module<'_>,
    registers: Registers,
    classes: &[StorageClass],
) -> Result<Lowered<'static, StageDistances>, Error> {
    let mut rearranged = rearrange(frame, version, Form::Registers(registers), classes)?;
    rearranged.module = without_unused(frame, &rearranged.module)?;
    Ok(rearranged)
}

/// The stages that can have distances: all except compute and ray tracing stages.
pub(super) const ANY: Stages = Stages {
    models: &[
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_CONTROL,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
        ExecutionModel::MESH_EXT,
        ExecutionModel::MESH_NV,
        ExecutionModel::FRAGMENT,
    ],
    otherwise: "has no clip or cull distances",
};

/// Applies [`Step::Combine`](super::Step::Combine) or [`Step::Separate`](super::Step::Separate), which `form` states.
pub(super) fn convert<'m>(
    module: &'m Module<'_>,
    target: &Target,
    form: Form,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let frame = Frame::new(module, target, &ANY)?;
    let rearranged = rearrange(&frame, frame.isolated(), form, &CLASSES)?;
    with_others(&frame, frame.lowered(rearranged))
}

fn rearrange(
    frame: &Frame<'_>,
    version: &Module<'_>,
    form: Form,
    classes: &[StorageClass],
) -> Result<Lowered<'static, StageDistances>, Error> {
    let version = prepare_builtins(frame, version, classes)?;
    let target = frame.target();
    let next = frame.rewrite(&version, |m, p, entry| {
        // Find the arrays. A stage without arrays stays unchanged.
        let mut counts = [[0; 2]; 2];
        let mut marks = [Vec::new(), Vec::new()];
        let mut sides = Vec::new();
        for (i, class) in CLASSES.into_iter().enumerate() {
            if classes.contains(&class) && has_distances(entry.model(), class) {
                sides.push((i, class, arrays(m, p, entry, class)?));
            }
        }
        sides.retain(|(_, _, found)| !found.is_empty());
        if sides.is_empty() {
            return Ok((counts, marks));
        }
        let sites = Sites::new(m, p, entry);
        for (i, class, found) in sides {
            let registers = found.iter().map(|array| &array.register);
            let interpolation = &interpolation(m, entry, registers)?;
            let side = StageInterface { entry, class, form, arrays: &found, target, interpolation };
            let (places, new) = side.places(m, p)?;
            if entry.model() == ExecutionModel::TESSELLATION_CONTROL
                && class == StorageClass::OUTPUT
                && !matches!(form, Form::Registers(_))
            {
                for array in &new.arrays {
                    clear_own(m, p, entry, *array, sites.prologue);
                }
            }
            counts[i] = new.counts;
            marks[i] = new.marks;
            relocate(m, p, entry, class, &places, sites)?;
        }
        Ok((counts, marks))
    })?;
    let ([inputs, outputs], marks) = next.value;
    let requirements = match form {
        Form::Registers(_) => Requirements::default(),
        _ => requirements(inputs).join(requirements(outputs)),
    };
    let (module, progress) = (next.module.into_owned(), next.progress);
    let [of_inputs, of_outputs] = marks;
    let result = StageDistances {
        inputs: Distances::new(inputs, of_inputs),
        outputs: Distances::new(outputs, of_outputs),
    };
    Ok(Lowered { module, progress, params: Vec::new(), requirements, result })
}

/// The inputs or the outputs of a stage.
struct StageInterface<'s, 'm> {
    entry: EntryPoint<'m>,
    class: StorageClass,
    form: Form,
    arrays: &'s [Array],
    target: &'s Target,
    interpolation: &'s [Decoration],
}

/// The variables that replace the arrays.
#[derive(Default)]
struct New {
    /// Built-in arrays and their lengths.
    arrays: Vec<(Id, u32)>,
    counts: [u32; 2],
    marks: Vec<DistanceSemantic>,
}

impl<'m> StageInterface<'_, 'm> {
    fn places(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
    ) -> Result<(Vec<Relocation>, New), Error> {
        let own = DISTANCE_KINDS.map(|kind| count(self.arrays, kind));
        let mut new = New::default();
        let targets: Vec<(DistanceKind, Place)> = match self.form {
            Form::Registers(Registers { inputs, outputs, signature }) => {
                let location = if self.class == StorageClass::INPUT { inputs } else { outputs };
                new.counts = signature_of(signature, own)?;
                let vertices = self.arrays.iter().find_map(|array| array.register.vertices);
                let StageInterface { entry, class, target, interpolation, .. } = *self;
                let place = RegisterPlace { entry, class, target, location, interpolation };
                let (places, marks) = add_registers(m, p, place, new.counts, vertices)?;
                new.marks = marks;
                places
            }
            Form::Combined { clip } => {
                let clip = at_least(clip, own[0])?;
                new.counts = [clip.saturating_add(own[1]), 0];
                limits::check(self.target, new.counts)?;
                let places = self.add_arrays(p, &mut new);
                let cull = places[clip as usize..].iter();
                let culls = cull.map(|(_, place)| (DistanceKind::Cull, place.clone()));
                places[..clip as usize].iter().cloned().chain(culls).collect()
            }
            Form::Separate { clip } => {
                if own[1] > 0 {
                    let message = "the stage already has cull distances in a separate array";
                    return Err(Error::new(&code::CLIP_ALREADY_SEPARATE, message));
                }
                let clip = clip.min(own[0]);
                new.counts = [clip, own[0] - clip];
                limits::check(self.target, new.counts)?;
                let places = self.add_arrays(p, &mut new);
                places.into_iter().map(|(_, place)| (DistanceKind::Clip, place)).collect()
            }
        };
        let relocation = |array: &Array| relocation(array, &targets);
        Ok((self.arrays.iter().map(relocation).collect(), new))
    }

    /// Adds built-in arrays of the lengths in `new.counts`, and returns the place of each element.
    fn add_arrays(&self, p: &mut Patch<'m, '_>, new: &mut New) -> Vec<(DistanceKind, Place)> {
        let vertices = self.arrays.iter().find_map(|array| array.register.vertices);
        let mut places = Vec::new();
        for (kind, count) in DISTANCE_KINDS.into_iter().zip(new.counts) {
            if count > 0 {
                let variable = distance_array(p, self.entry, self.class, (kind, count), vertices);
                interpolate(p, variable, self.interpolation);
                new.arrays.push((variable, count));
                places.extend((0..count).map(|i| (kind, Place { variable, path: vec![i] })));
            }
        }
        places
    }
}

/// Returns the number of distances in the signature, which must be at least `own`. Without a signature, returns `own`.
pub(super) fn at_least(signature: Option<u32>, own: u32) -> Result<u32, Error> {
    match signature {
        Some(signature) if signature < own => {
            let message = format!(
                "the stage has {own} distances of one kind, but the signature has {signature}"
            );
            Err(Error::new(&code::CLIP_FEWER_DISTANCES, message))
        }
        _ => Ok(signature.unwrap_or(own)),
    }
}

/// Returns the numbers of distances in the signature, or `own` without a signature.
pub(super) fn signature_of(
    signature: Option<DistanceCounts>,
    own: [u32; 2],
) -> Result<[u32; 2], Error> {
    let clip = at_least(signature.map(|counts| counts.clip), own[0])?;
    Ok([clip, at_least(signature.map(|counts| counts.cull), own[1])?])
}

/// The location and decorations of added registers.
#[derive(Clone, Copy)]
pub(super) struct RegisterPlace<'s, 'm> {
    pub(super) entry: EntryPoint<'m>,
    pub(super) class: StorageClass,
    pub(super) target: &'s Target,
    /// The location of the first register.
    pub(super) location: u32,
    /// The interpolation decorations, for inputs of a fragment stage.
    pub(super) interpolation: &'s [Decoration],
}

/// The places of distances in registers, and their semantics.
pub(super) type AddedRegisters = (Vec<(DistanceKind, Place)>, Vec<DistanceSemantic>);

/// Adds vectors for `counts` clip and cull distances. If `vertices` is set, each variable is an array of this length.
pub(super) fn add_registers<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    place: RegisterPlace<'_, 'm>,
    counts: [u32; 2],
    vertices: Option<Id>,
) -> Result<AddedRegisters, Error> {
    let [clip, cull] = counts;
    let total = clip.saturating_add(cull);
    if total > MOST {
        let message = format!("{total} distances do not fit into two registers of four");
        return Err(Error::new(&code::CLIP_TOO_MANY_DISTANCES, message));
    }
    let mut variables = Vec::new();
    for register in 0..total.div_ceil(4) {
        let name = "distances";
        let location = behind(place.location, register)?;
        let place = RegisterPlace { location, ..place };
        let (variable, _) = add_register(m, p, place, (name, total, register), vertices)?;
        variables.push((variable, location));
    }
    let (mut places, mut marks) = (Vec::new(), Vec::new());
    for number in 0..total {
        let kind = if number < clip { DistanceKind::Clip } else { DistanceKind::Cull };
        let (variable, location) = variables[number as usize / 4];
        let component = Components::new(number % 4, 1).expect("a vector has four components");
        marks.push(DistanceSemantic::new(kind, location, component));
        let is_scalar = number % 4 == 0 && number + 1 == total;
        let path = if is_scalar { Vec::new() } else { vec![number % 4] };
        places.push((kind, Place { variable, path }));
    }
    Ok((places, marks))
}

/// Adds the vector number `register` for `total` distances at the location of `place`, and returns it with its width.
/// The vector is only as wide as needed, because unused components would be interpolated too.
pub(super) fn add_register<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    place: RegisterPlace<'_, 'm>,
    (name, total, register): (&str, u32, u32),
    vertices: Option<Id>,
) -> Result<(Id, u32), Error> {
    let float = p.float();
    check_free(m, place.entry, place.class, place.target, place.location)?;
    let width = (total - 4 * register).min(4);
    let mut ty = if width == 1 { float } else { p.vector(float, width) };
    if let Some(vertices) = vertices {
        ty = p.declare(Op::TYPE_ARRAY, &[ty.word(), vertices.word()]);
    }
    let variable = p.variable(place.class, ty, None);
    p.name(variable, &format!("polyshade_{name}_{register}"));
    p.decorate(variable, Decoration::LOCATION, &[place.location]);
    interpolate(p, variable, place.interpolation);
    p.join_interface(place.entry, variable);
    Ok((variable, width))
}

/// Returns `location + count`, or an error on overflow.
pub(super) fn behind(location: u32, count: u32) -> Result<u32, Error> {
    location.checked_add(count).ok_or_else(|| {
        let message =
            format!("cannot use location {location} + {count}: location numbers have 32 bits");
        Error::new(&code::CLIP_LOCATION_OUT_OF_RANGE, message)
    })
}

/// Refuses a location that an input or output of `entry` already uses, or that is reserved.
fn check_free<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    target: &Target,
    location: u32,
) -> Result<(), Error> {
    let taken = rewrite::locations(m, entry, class);
    let is_taken = taken.iter().any(|range| range.contains(&location));
    if is_taken || !target.reservations().is_free_location(location) {
        let side = if class == StorageClass::INPUT { "inputs" } else { "outputs" };
        let message = format!("location {location} of the {side} is taken or reserved");
        return Err(Error::new(&code::CLIP_LOCATION_TAKEN, message));
    }
    Ok(())
}

/// Returns the relocation of an array to the `targets` of its kind.
pub(super) fn relocation(array: &Array, targets: &[(DistanceKind, Place)]) -> Relocation {
    let of_kind = targets.iter().filter(|(kind, _)| *kind == array.kind);
    let places = of_kind.map(|(_, place)| Some(place.clone())).take(array.count as usize);
    Relocation { register: array.register.clone(), places: places.collect() }
}

/// The maximum number of distances in registers.
pub(super) const MOST: u32 = 8;
