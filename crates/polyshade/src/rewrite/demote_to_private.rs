//! Demotes interface variables to `Private` variables. These keep the ids, so that function bodies do not change.

mod renew;
mod strides;

use crate::code::{self, refuse_at};
use crate::effects::glsl;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use polyshade_spv::view::{EntryPoint, Function, TypePointer, Variable};
use polyshade_spv::{
    Capability, Decoration, Error, GlslOp, Id, Inst, Module, Op, Patch, Position, Section,
    StorageClass, Type,
};
use renew::{array_lengths, copy_members, renew};
use strides::Strides;

/// A variable that was demoted to `Private`.
#[derive(Clone, Copy, Debug)]
pub struct Demoted {
    /// The `Private` variable. It has the original id, which function bodies use.
    pub private: Id,
    /// The pointee type: the original type, perhaps without array strides.
    pub ty: Id,
    /// The new interface variable, if there is one.
    pub interface: Option<Id>,
}

/// Whether a new interface variable replaces the old one, and where values are copied between it and the `Private`
/// variable.
#[derive(Clone, Copy, Debug)]
pub enum Copies<'m> {
    /// There is no new variable: only the lowering uses the values that the shader stores.
    None,
    /// A new variable gets the decorations of the old one, but no values are copied.
    Uncopied,
    /// Inputs are read from a new variable at this position, and outputs are written to it there.
    At(Position<'m>),
}

/// Turns `variables`, which are inputs or outputs of `entry`, into `Private` variables. The ids stay, so instructions
/// that use the variables do not change, except for the types of pointers into them, in every function that receives
/// one.
///
/// Interface decorations (location, built-in, interpolation, …) are removed from the old variable, and from its
/// structure if it is a block. The new variable, if there is one, gets these decorations and a copy of the structure.
/// Initializers stay on the `Private` variable. Without a new variable, `RelaxedPrecision` is removed as well.
///
/// # Errors
///
/// `Unsupported`: an instruction needs the interface variable itself (`InterpolateAtOffset` and similar); a function
/// parameter may also point into a variable that is not demoted; a variable that is not demoted has the same
/// structure type; a buffer has the same array type with a stride.
pub fn demote_to_private<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    variables: &[Id],
    copies: Copies<'m>,
) -> Result<Vec<Demoted>, Error> {
    demote_to_private_and_hide(m, p, entry, variables, &[], copies)
}

/// Does the same as [`demote_to_private`], but never gives the variables in `out` a new interface variable, whatever
/// `copies` is.
///
/// # Errors
///
/// The errors of [`demote_to_private`].
pub fn demote_to_private_and_hide<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    variables: &[Id],
    out: &[Id],
    copies: Copies<'m>,
) -> Result<Vec<Demoted>, Error> {
    demote(m, p, entry, variables, out, (StorageClass::PRIVATE, copies))
}

/// Turns `variables` into `Workgroup` variables like [`demote_to_private`], without new interface variables. They must
/// not have initial values.
pub(crate) fn demote_to_workgroup<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    variables: &[Id],
) -> Result<(), Error> {
    demote(m, p, entry, variables, &[], (StorageClass::WORKGROUP, Copies::None))?;
    Ok(())
}

fn demote<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    variables: &[Id],
    out: &[Id],
    (class, copies): (StorageClass, Copies<'m>),
) -> Result<Vec<Demoted>, Error> {
    let taken = variables
        .iter()
        .map(|id| m.definition(*id).and_then(Variable::of).ok_or(*id))
        .collect::<Result<Vec<Variable<'m>>, Id>>()
        .map_err(|id| {
            Error::new(&code::INTERFACE_NOT_A_VARIABLE, "the id to demote is not a variable")
                .about(id)
        })?;
    let pointers = pointers_into(m, variables)?;
    let structures = shared_structures(m, &taken)?;
    check_private(m, &taken)?;
    let strides = Strides::find(m, &taken, copies)?;

    let mut result = Vec::with_capacity(taken.len());
    for variable in &taken {
        let interface = match copies {
            Copies::None => None,
            _ if out.contains(&variable.result()) => None,
            Copies::Uncopied | Copies::At(_) => Some(renew(m, p, *variable, copies)),
        };
        if let (Some(interface), Copies::At(at)) = (interface, copies) {
            copy_members(m, p, at, *variable, interface)?;
        }
        let ty = strides.private_type(m, p, *variable);
        result.push(Demoted { private: variable.result(), ty, interface });
    }

    // Without a new variable, the lowering needs the exact bits of the value, which drivers may not keep under
    // `RelaxedPrecision`.
    let alone = matches!(copies, Copies::None);
    let goes = |decoration| {
        is_of_interface(decoration) || alone && decoration == Decoration::RELAXED_PRECISION
    };
    for (variable, taken) in taken.iter().zip(&result) {
        set_class(m, p, entry, (*variable, class, taken.ty), goes);
        if let Some(interface) = taken.interface {
            p.join_interface(entry, interface);
        }
    }
    let laid_out = if structures.is_empty() { HashSet::new() } else { laid_out_types(m) };
    for structure in structures {
        let stays = |decoration| decoration == Decoration::OFFSET && laid_out.contains(&structure);
        p.undecorate(structure, |_, decoration| goes(decoration) && !stays(decoration));
    }
    strides.drop(p);
    retype(m, p, class, &pointers);
    Ok(result)
}

/// Gives the variable another storage class. Before SPIR-V 1.4, interfaces list only inputs and outputs, so this
/// removes it from the interface. From 1.4 on, it stays: an interface lists every global variable that the entry point
/// uses.
fn set_class<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    (variable, class, pointee): (Variable<'m>, StorageClass, Id),
    goes: impl Fn(Decoration) -> bool,
) {
    let id = variable.result();
    let pointer = p.pointer_before(class, pointee, variable.inst().at());
    p.set_result_type(variable.inst(), pointer);
    variable.set_storage_class(p, class);
    p.undecorate(id, |_, decoration| goes(decoration));
    if m.version() < (1, 4) {
        p.leave_interface(entry, id);
    }
}

/// Gives every pointer into a demoted variable a type of this class.
fn retype<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    class: StorageClass,
    pointers: &[Inst<'m>],
) {
    let mut parameters: HashMap<Id, Id> = HashMap::new();
    let (mut functions, mut seen) = (Vec::<Function<'m>>::new(), HashSet::new());
    for inst in pointers {
        let Some((_, pointee)) = inst.result_type().and_then(|ty| m.pointer(ty)) else { continue };
        let pointer = p.pointer(class, pointee);
        p.set_result_type(*inst, pointer);
        if inst.op() == Op::FUNCTION_PARAMETER {
            parameters.insert(inst.result().expect("a parameter has an id"), pointer);
            let function =
                m.function_around(inst.at()).expect("a parameter stands in a function").function();
            if seen.insert(function.result()) {
                functions.push(function);
            }
        }
    }

    // Functions with retyped parameters need a new function type.
    for function in functions {
        let body = m.function(function.result()).expect("the function is defined");
        let types: Vec<Id> = body
            .parameters()
            .map(|id| {
                parameters
                    .get(&id)
                    .copied()
                    .or_else(|| m.type_of(id))
                    .expect("a parameter has a type")
            })
            .collect();
        let ty = p.function_type(function.return_type(), &types);
        function.set_function_type(p, ty);
    }
}

/// Returns every instruction that has a pointer into one of `variables` as its result, including parameters.
fn pointers_into<'m>(m: &'m Module<'_>, variables: &[Id]) -> Result<Vec<Inst<'m>>, Error> {
    let reach = m.reach(variables);
    if let Some(inst) = reach.uses.iter().find(|inst| interpolates(m, **inst)) {
        let pointer = Id::new(inst.words()[5]).unwrap_or(variables[0]);
        let message = "cannot demote the input to Private: an interpolation function reads it";
        return refuse_at(&code::INTERFACE_INTERPOLATED_INPUT, message, m.root(pointer), *inst);
    }

    // A parameter must point into demoted variables always or never.
    let is_parameter = |inst: &Inst<'_>| inst.op() == Op::FUNCTION_PARAMETER;
    if !reach.pointers.iter().any(is_parameter) {
        return Ok(reach.pointers);
    }
    let results = reach.pointers.iter().filter_map(|inst| inst.result());
    let inside: HashSet<Id> = results.chain(variables.iter().copied()).collect();
    let is_parameter = |id: Id| m.definition(id).as_ref().is_some_and(is_parameter);
    for call in &reach.calls {
        let Some(callee) = m.function(call.function()) else { continue };
        for (argument, parameter) in call.arguments().zip(callee.parameters()) {
            if inside.contains(&parameter) && is_parameter(parameter) && !inside.contains(&argument)
            {
                let message = "cannot demote variables to Private: a function is called with pointers to them and to \
                    another variable";
                return refuse_at(
                    &code::INTERFACE_SHARED_PARAMETER,
                    message,
                    argument,
                    call.inst(),
                );
            }
        }
    }
    Ok(reach.pointers)
}

/// Fails if `Private` variables cannot have the types of these variables.
///
/// A stage can have 8-bit or 16-bit inputs and outputs without the capability for other variables of such a type.
fn check_private(m: &Module<'_>, variables: &[Variable<'_>]) -> Result<(), Error> {
    let (mut seen, mut open) = (HashSet::new(), Vec::new());
    for variable in variables {
        let unsupported =
            |code, message| refuse_at(code, message, variable.result(), variable.inst());
        let whole = pointee(m, *variable);
        if array_lengths(m, whole).is_none() {
            return unsupported(
                &code::INTERFACE_TOO_MANY_DIMENSIONS,
                "the variable is an array of arrays of too many dimensions",
            );
        }
        open.push(whole);
        while let Some(id) = open.pop() {
            // Numbers and vectors are examined each time, because that is cheaper than remembering them.
            let ty = match m.ty(id) {
                Some(Type::Vector { component, .. }) => m.ty(component),
                ty => ty,
            };
            let needed = match ty {
                Some(Type::Int { width: 16, .. }) => Some(Capability::INT16),
                Some(Type::Int { width: 8, .. }) => Some(Capability::INT8),
                Some(Type::Float { width: 16 }) => Some(Capability::FLOAT16),
                _ => None,
            };
            if needed.is_some_and(|needed| !m.has_capability(needed)) {
                return unsupported(
                    &code::INTERFACE_SMALL_TYPE,
                    "cannot demote a variable of 8 or 16 bits to Private: the module may have such a type only for \
                        inputs and outputs",
                );
            }
            match ty {
                Some(Type::Matrix { column, .. }) if seen.insert(id) => open.push(column),
                Some(Type::Array { element, .. }) if seen.insert(id) => open.push(element),
                Some(Type::Struct { id }) if seen.insert(id) => open.extend(m.members(id)),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whether this is `InterpolateAtCentroid`, `…Sample` or `…Offset` of `GLSL.std.450`.
fn interpolates(m: &Module<'_>, inst: Inst<'_>) -> bool {
    let interpolation = [
        GlslOp::INTERPOLATE_AT_CENTROID,
        GlslOp::INTERPOLATE_AT_SAMPLE,
        GlslOp::INTERPOLATE_AT_OFFSET,
    ];
    glsl(m, inst, &interpolation).is_some()
}

/// Returns the structures with decorations that a `Private` variable cannot have. Fails if a variable that is not
/// demoted uses such a structure.
fn shared_structures(m: &Module<'_>, taken: &[Variable<'_>]) -> Result<Vec<Id>, Error> {
    let mut structures = Vec::new();
    for variable in taken {
        let structure = m.innermost_element(pointee(m, *variable));
        let decorated =
            || m.decorations_of(structure).any(|applied| is_of_interface(applied.decoration));
        if matches!(m.ty(structure), Some(Type::Struct { .. }))
            && !structures.contains(&structure)
            && decorated()
        {
            structures.push(structure);
        }
    }
    if structures.is_empty() {
        return Ok(structures);
    }

    // No variable that is not demoted may use these structures.
    let ids: HashSet<Id> = taken.iter().map(|variable| variable.result()).collect();
    let wanted: HashSet<Id> = structures.iter().copied().collect();
    let sharing = m
        .variables()
        .filter(|other| !ids.contains(&other.result()))
        .find(|other| wanted.contains(&m.innermost_element(pointee(m, *other))));
    match sharing {
        Some(other) => refuse_at(
            &code::INTERFACE_SHARED_TYPE,
            "cannot demote a variable to Private: another variable shares its structure",
            other.result(),
            other.inst(),
        ),
        None => Ok(structures),
    }
}

fn pointee(m: &Module<'_>, variable: Variable<'_>) -> Id {
    // Variables with untyped pointers do not occur here: they have a different opcode.
    m.pointer(variable.pointer_type()).map_or(variable.pointer_type(), |(_, pointee)| pointee)
}

/// Returns the structures and arrays that have an explicit memory layout, such as members of a buffer. The offsets in
/// them are not transform feedback offsets.
pub(crate) fn laid_out_types(m: &Module<'_>) -> HashSet<Id> {
    let has_layout = |class| {
        !matches!(
            class,
            StorageClass::INPUT
                | StorageClass::OUTPUT
                | StorageClass::PRIVATE
                | StorageClass::FUNCTION
        )
    };
    let pointers = m.section(Section::Globals).filter_map(TypePointer::of);
    let mut open: Vec<Id> = pointers
        .filter(|pointer| has_layout(pointer.storage_class()))
        .map(|pointer| pointer.pointee())
        .collect();
    let mut seen = HashSet::new();
    while let Some(ty) = open.pop() {
        let mut parts = aggregate_parts(m, ty).peekable();
        if parts.peek().is_some() && seen.insert(ty) {
            open.extend(parts);
        }
    }
    seen
}

/// Returns the member types of a structure or the element type of an array, and nothing for other types.
fn aggregate_parts(m: &Module<'_>, ty: Id) -> impl Iterator<Item = Id> {
    let element = match m.ty(ty) {
        Some(Type::Array { element, .. }) => Some(element),
        Some(Type::Other(Op::TYPE_RUNTIME_ARRAY)) => Some(m.innermost_element(ty)),
        _ => None,
    };
    element.into_iter().chain(m.members(ty))
}

/// Whether a decoration belongs to the interface, so that it has no meaning on a `Private` variable or its members.
pub(crate) fn is_of_interface(decoration: Decoration) -> bool {
    matches!(
        decoration,
        Decoration::BLOCK
            | Decoration::BUILT_IN
            | Decoration::LOCATION
            | Decoration::COMPONENT
            | Decoration::INDEX
            | Decoration::NO_PERSPECTIVE
            | Decoration::FLAT
            | Decoration::PATCH
            | Decoration::CENTROID
            | Decoration::SAMPLE
            | Decoration::INVARIANT
            | Decoration::STREAM
            | Decoration::OFFSET
            | Decoration::XFB_BUFFER
            | Decoration::XFB_STRIDE
            | Decoration::EXPLICIT_INTERP_AMD
            | Decoration::PER_VERTEX_KHR
            | Decoration::PER_PRIMITIVE_EXT
            | Decoration::PER_VIEW_NV
            | Decoration::PER_TASK_NV
            | Decoration::VIEWPORT_RELATIVE_NV
            | Decoration::SECONDARY_VIEWPORT_RELATIVE_NV
            | Decoration::PASSTHROUGH_NV
            | Decoration::OVERRIDE_COVERAGE_NV
            | Decoration::USER_SEMANTIC
    )
}
