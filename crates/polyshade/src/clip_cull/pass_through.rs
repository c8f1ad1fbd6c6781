//! Generates a geometry stage for pipelines without one.
//!
//! The generated stage passes on all outputs of the previous stage, with the distances in built-in arrays. Then it is
//! lowered like any other geometry stage.

use super::arrays::{MOST, arrays, count, registers_in, with_others};
use super::geometry::clip_in_geometry;
use super::limits::{Emulated, requirements};
use super::options::{GeometryClip, Registers, StageDistances};
use super::prepare::{prepare_blocks, prepare_builtins, without_unused};
use super::primitives::Primitive;
use super::read::read_registers;
use super::registers::is_written;
use super::relocate::distance_array;
use super::semantics::DISTANCE_KINDS;
use super::varyings::{Leaf, leaves};
use crate::code::{self, refuse};
use crate::host::{Lowered, Target};
use crate::rewrite::{self, Frame, Stages};
use foldhash::{HashMap, HashMapExt};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Capability, Decoration, Error, ExecutionMode, ExecutionModel, Id, Module, Op, Patch,
    Position, StorageClass, Type,
};

/// Applies [`Step::ClipInGeometry`](super::Step::ClipInGeometry) after a vertex or tessellation evaluation stage.
pub(super) fn generate<'m>(
    module: &'m Module<'_>,
    target: &Target,
    primitive: Primitive,
    clip: &GeometryClip,
) -> Result<(Lowered<'m, StageDistances>, Option<Lowered<'static, StageDistances>>), Error> {
    let frame = Frame::new(module, target, &STAGES)?;
    let location = clip.location;
    check(&frame, primitive)?;
    let registers = Registers { inputs: location, outputs: location, signature: None };
    let at = Registers {
        inputs: clip.read_at.unwrap_or(location),
        signature: clip.signature,
        ..registers
    };
    let (read, inputs) = read_registers(&frame, clip.emulated, Some(at))?;
    let counts = distances(&frame, &read)?;
    if !clip.emulated.is_needed(counts) {
        let is_read = !inputs.inputs.registers.is_empty();
        let result = StageDistances { outputs: counts.into(), ..inputs };
        let requirements = requirements(counts);
        let last = match is_read {
            true => frame.made(without_unused(&frame, &read)?, requirements, result),
            false => Lowered { requirements, ..Lowered::unchanged(module, result) },
        };
        return Ok((with_others(&frame, last)?, None));
    }
    // The given stage writes its distances to registers, which the generated stage reads.
    let split = prepare_blocks(&frame, &read)?;
    let mut last = registers_in(&frame, &split, registers, &[StorageClass::OUTPUT])?;
    last.result.inputs = inputs.inputs;
    let plain = frame.found(&last.module, pass_through(&frame, &last, primitive))?;
    let mut device = target.device_limits().clone();
    if clip.emulated == Emulated::All {
        // The built-in arrays are removed below, so the device's limits do not apply to them.
        device.max_clip_distances = MOST;
        device.max_cull_distances = MOST;
        device.max_combined_distances = MOST;
    }
    let geometry_target = Target::new("main")
        .stage(ExecutionModel::GEOMETRY)
        .device(device)
        .reserved(target.reservations().clone())
        .names(target.has_names());
    // Errors about the generated stage must not refer to the given module.
    let geometry = clip_in_geometry(&plain, &geometry_target, clip)
        .map_err(Error::without_place)?
        .into_owned();
    Ok((with_others(&frame, frame.lowered(last))?, Some(geometry)))
}

const STAGES: Stages = Stages {
    models: &[ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION],
    otherwise: "cannot be followed by a geometry stage",
};

fn check(frame: &Frame<'_>, primitive: Primitive) -> Result<(), Error> {
    let module = frame.given();
    let entry = frame.entry(module)?;
    let has = |wanted| module.mode(entry.function(), wanted).is_some();
    if has(ExecutionMode::XFB) {
        let message =
            "the stage is captured, but a geometry stage after it would be captured instead";
        return refuse(&code::CLIP_CAPTURED_STAGE, message, entry.function());
    }
    if frame.model() == ExecutionModel::VERTEX {
        return Ok(());
    }
    let made = if has(ExecutionMode::POINT_MODE) {
        Primitive::Points
    } else if has(ExecutionMode::ISOLINES) {
        Primitive::Lines
    } else {
        Primitive::Triangles
    };
    // The tessellation control stage may declare these modes instead, so check them only if this stage declares any.
    let is_said = [
        ExecutionMode::TRIANGLES,
        ExecutionMode::QUADS,
        ExecutionMode::ISOLINES,
        ExecutionMode::POINT_MODE,
    ];
    if made != primitive && is_said.into_iter().any(has) {
        let message = format!("the tessellation evaluation stage emits {made}, not {primitive}");
        return Err(Error::new(&code::CLIP_PRIMITIVE_MISMATCH, message));
    }
    Ok(())
}

/// Returns the numbers of clip and cull distances that the stage writes.
fn distances(frame: &Frame<'_>, version: &Module<'_>) -> Result<[u32; 2], Error> {
    let class = StorageClass::OUTPUT;
    let version = prepare_builtins(frame, version, &[class])?;
    frame.rehearse(&version, |m, p, entry| {
        let found = arrays(m, p, entry, class)?;
        Ok(DISTANCE_KINDS.map(|kind| count(&found, kind)))
    })
}

/// Returns a geometry stage that copies the outputs of `last` at each vertex, with built-in arrays of distances.
fn pass_through(
    frame: &Frame<'_>,
    last: &Lowered<'_, StageDistances>,
    primitive: Primitive,
) -> Result<Module<'static>, Error> {
    let before = &last.module;
    let from = frame.entry(before)?;
    let outputs = outputs(before, from, primitive)?;
    let empty = Module::empty(before.version(), ExecutionModel::GEOMETRY);
    let filled = empty.rewrite(|m, p| {
        p.set_names(frame.target().has_names());
        p.set_first_id(frame.target().reservations().first_id());
        let entry = m.entry_point("main", ExecutionModel::GEOMETRY)?;
        p.mode(entry.function(), primitive.input_mode(), &[]);
        p.mode(entry.function(), ExecutionMode::INVOCATIONS, &[1]);
        p.mode(entry.function(), primitive.output_mode(), &[]);
        p.mode(entry.function(), ExecutionMode::OUTPUT_VERTICES, &[primitive.vertices()]);
        let end = m.function(entry.function()).into_iter().flat_map(|body| body.instructions());
        let end = end.into_iter().find(|inst| inst.op() == Op::RETURN);
        let at = end.expect("the new stage has an OpReturn").before();
        copy_capabilities(before, p);
        if outputs.iter().any(|output| before.builtin(*output) == Some(BuiltIn::POINT_SIZE)) {
            p.capability(Capability::GEOMETRY_POINT_SIZE);
        }
        let mut mirror = Mirror { m: before, p, entry, primitive, types: HashMap::new() };
        let mut pairs = Vec::new();
        for output in outputs {
            let number = before.decoration(output, Decoration::LOCATION).and_then(|at| at.first());
            // The locations of the distances were free before, so only distances use them.
            let is_distance = number.is_some_and(|at| {
                last.result.outputs.registers.iter().any(|semantic| semantic.locations.first == *at)
            });
            pairs.push(mirror.pair(output, !is_distance)?);
        }
        mirror.write(at, &pairs, &last.result)
    })?;
    Ok(filled.module.into_owned())
}

/// Returns the outputs that the geometry stage reads. `PointSize` is included only for points.
fn outputs(m: &Module<'_>, entry: EntryPoint<'_>, primitive: Primitive) -> Result<Vec<Id>, Error> {
    let mut outputs = Vec::new();
    for output in rewrite::interface(m, entry, StorageClass::OUTPUT) {
        match m.builtin(output) {
            None | Some(BuiltIn::POSITION) => outputs.push(output),
            Some(BuiltIn::POINT_SIZE) => {
                if primitive == Primitive::Points {
                    outputs.push(output);
                }
            }
            Some(_) if !is_written(m, output) => {}
            Some(other) => {
                let message =
                    format!("geometry stages cannot read {other:?}, which the stage writes");
                return refuse(&code::CLIP_UNREADABLE_BUILT_IN, message, output);
            }
        }
    }
    Ok(outputs)
}

/// Declares the capabilities of `from` for 16- and 64-bit types.
fn copy_capabilities(from: &Module<'_>, p: &mut Patch<'_, '_>) {
    const OF_TYPES: [Capability; 5] = [
        Capability::FLOAT16,
        Capability::FLOAT64,
        Capability::INT64,
        Capability::INT16,
        Capability::STORAGE_INPUT_OUTPUT16,
    ];
    for capability in OF_TYPES.into_iter().filter(|capability| from.has_capability(*capability)) {
        p.capability(capability);
        if capability == Capability::STORAGE_INPUT_OUTPUT16 {
            p.extension("SPV_KHR_16bit_storage");
        }
    }
}

/// An output of the previous stage, and the corresponding input and output of the geometry stage.
struct Pair {
    leaves: Vec<Leaf>,
    /// The types of the leaves.
    types: Vec<Id>,
    input: Id,
    /// `None` for distances, which are not passed on unchanged.
    output: Option<Id>,
    location: Option<u32>,
}

/// Declares the outputs of the previous stage in the geometry stage.
struct Mirror<'s, 'm, 'w, 'b> {
    /// The module of the previous stage.
    m: &'s Module<'b>,
    p: &'s mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    primitive: Primitive,
    /// The declared types, by original type and storage class. Structures have different decorations in inputs and
    /// outputs.
    types: HashMap<(Id, StorageClass), Id>,
}

impl<'m> Mirror<'_, 'm, '_, '_> {
    fn pair(&mut self, output: Id, goes_on: bool) -> Result<Pair, Error> {
        let leaves = leaves(self.m, output, &Default::default())?;
        let (input, new) = (StorageClass::INPUT, StorageClass::OUTPUT);
        let ty = self.m.type_of(output).and_then(|ty| self.m.pointer(ty));
        let (_, ty) = ty.expect("an output with leaves has a pointer type");
        let types: Result<_, Error> =
            leaves.iter().map(|leaf| self.declare(leaf.ty, input, DEEPEST)).collect();
        let element = self.declare(ty, input, DEEPEST)?;
        let array = self.p.array(element, self.primitive.vertices());
        let location = self.m.decoration(output, Decoration::LOCATION);
        let location = location.and_then(|words| words.first().copied());
        let output_ty = self.declare(ty, new, DEEPEST)?;
        let input = self.variable(output, input, array);
        let new = goes_on.then(|| self.variable(output, new, output_ty));
        Ok(Pair { leaves, types: types?, input, output: new, location })
    }

    fn variable(&mut self, of: Id, class: StorageClass, ty: Id) -> Id {
        let variable = self.p.variable(class, ty, None);
        for applied in
            self.m.decorations_of(of).filter(|applied| is_kept(applied.decoration, class))
        {
            self.p.copy_decoration(variable, None, &applied);
        }
        if let Some(name) = self.m.name(of) {
            let suffix = if class == StorageClass::INPUT { "_in" } else { "" };
            self.p.name(variable, &format!("{name}{suffix}"));
        }
        self.p.join_interface(self.entry, variable);
        variable
    }

    /// Declares the type `ty` of the previous stage.
    fn declare(&mut self, ty: Id, class: StorageClass, depth: u32) -> Result<Id, Error> {
        if let Some(known) = self.types.get(&(ty, class)) {
            return Ok(*known);
        }
        let refuse = || {
            Error::new(
                &code::CLIP_OUTPUT_TYPE,
                "an output has a type that geometry stages cannot read",
            )
            .about(ty)
        };
        let inner = depth.checked_sub(1).ok_or_else(refuse)?;
        let new = match self.m.ty(ty).ok_or_else(refuse)? {
            Type::Int { width, signed } => {
                self.p.declare(Op::TYPE_INT, &[width, u32::from(signed)])
            }
            Type::Float { width } => self.p.declare(Op::TYPE_FLOAT, &[width]),
            Type::Vector { component, count } => {
                let component = self.declare(component, class, inner)?;
                self.p.vector(component, count)
            }
            Type::Matrix { column, count } => {
                let column = self.declare(column, class, inner)?;
                self.p.declare(Op::TYPE_MATRIX, &[column.word(), count])
            }
            Type::Array { element, length } => {
                let length = self.m.constant(length).ok_or_else(refuse)?;
                let element = self.declare(element, class, inner)?;
                self.p.array(element, length)
            }
            Type::Struct { id } => self.structure(id, class, inner)?,
            _ => return Err(refuse()),
        };
        self.types.insert((ty, class), new);
        Ok(new)
    }

    fn structure(&mut self, id: Id, class: StorageClass, depth: u32) -> Result<Id, Error> {
        let members: Vec<Id> = self.m.members(id).collect();
        let members: Result<Vec<Id>, Error> =
            members.into_iter().map(|member| self.declare(member, class, depth)).collect();
        let new = self.p.structure(&members?);
        let is_copied = |decoration| is_kept(decoration, class);
        rewrite::copy_annotations(self.m, self.p, (id, new), is_copied);
        Ok(new)
    }

    /// Emits the vertices, each with all outputs, the distances, and `PrimitiveId`.
    fn write(
        &mut self,
        at: Position<'m>,
        pairs: &[Pair],
        last: &StageDistances,
    ) -> Result<(), Error> {
        let class = StorageClass::OUTPUT;
        let int = self.p.int();
        let (number_in, number) = {
            let (m, p) = (self.p.module(), &mut *self.p);
            let id = BuiltIn::PRIMITIVE_ID;
            let (input, _) = rewrite::input_builtin(m, p, self.entry, id, int);
            (input, rewrite::add_output_builtin(p, self.entry, id, int))
        };
        let mut arrays = [None, None];
        for (kind, count) in DISTANCE_KINDS.into_iter().zip(last.outputs.counts().to_array()) {
            if count > 0 {
                arrays[kind as usize] =
                    Some(distance_array(self.p, self.entry, class, (kind, count), None));
            }
        }
        for vertex in 0..self.primitive.vertices() {
            for pair in pairs {
                self.pass_on(at, pair, vertex);
            }
            self.write_distances(at, pairs, last, arrays, vertex);
            let mut code = self.p.at(at);
            let value = code.load(int, number_in);
            code.store(number, value);
            code.emit(Op::EMIT_VERTEX, &[]);
        }
        self.p.at(at).emit(Op::END_PRIMITIVE, &[]);
        Ok(())
    }

    /// Emits the load of one leaf of an input for a vertex.
    fn load(&mut self, at: Position<'m>, pair: &Pair, leaf: usize, vertex: u32) -> Id {
        let ty = pair.types[leaf];
        let path = [&[vertex], pair.leaves[leaf].path.as_slice()].concat();
        let mut code = self.p.at(at);
        let from = code.part(StorageClass::INPUT, ty, pair.input, &path);
        code.load(ty, from)
    }

    fn pass_on(&mut self, at: Position<'m>, pair: &Pair, vertex: u32) {
        let Some(output) = pair.output else { return };
        for (number, leaf) in pair.leaves.iter().enumerate() {
            let value = self.load(at, pair, number, vertex);
            let ty = pair.types[number];
            let mut code = self.p.at(at);
            let to = code.part(StorageClass::OUTPUT, ty, output, &leaf.path);
            code.store(to, value);
        }
    }

    fn write_distances(
        &mut self,
        at: Position<'m>,
        pairs: &[Pair],
        last: &StageDistances,
        arrays: [Option<Id>; 2],
        vertex: u32,
    ) {
        let float = self.p.float();
        let mut numbers = [0, 0];
        for semantic in &last.outputs.registers {
            let place = semantic.locations;
            let pair = pairs.iter().find(|pair| pair.location == Some(place.first));
            let pair = pair.expect("the registers are outputs");
            let mut value = self.load(at, pair, 0, vertex);
            if pair.types[0] != float {
                value = self.p.at(at).extract(float, value, &[place.components.first()]);
            }
            let kind = semantic.kind as usize;
            let array = arrays[kind].expect("every kind with a semantic has an array");
            let mut code = self.p.at(at);
            let to = code.part(StorageClass::OUTPUT, float, array, &[numbers[kind]]);
            code.store(to, value);
            numbers[kind] += 1;
        }
    }
}

/// The maximum nesting depth of types. `leaves` has already refused deeper outputs.
const DEEPEST: u32 = 32;

/// Whether the geometry stage copies this decoration.
fn is_kept(decoration: Decoration, class: StorageClass) -> bool {
    let everywhere = matches!(
        decoration,
        Decoration::BLOCK
            | Decoration::BUILT_IN
            | Decoration::LOCATION
            | Decoration::COMPONENT
            | Decoration::RELAXED_PRECISION
    );
    let of_outputs = matches!(
        decoration,
        Decoration::FLAT
            | Decoration::NO_PERSPECTIVE
            | Decoration::CENTROID
            | Decoration::SAMPLE
            | Decoration::INVARIANT
    );
    everywhere || (class == StorageClass::OUTPUT && of_outputs)
}
