//! Defines the values that a shader leaves undefined, so that its variants can be compared.
//!
//! An output that is not written on some path is undefined. An initializer defines it in the original and in every
//! variant, once as zero and once as another value. If a variant reads or leaves more undefined values than the
//! original, one of the two runs differs. `OpUndef` and shuffle components without a source get the same value.
//!
//! A driver may evaluate `a * b + c` with one or two roundings, and lavapipe's choice differs between shaders.
//! Therefore all arithmetic is decorated `NoContraction`. Defined results do not change.

use polyshade::spv::view::{CapabilityInst, Mode, Variable};
use polyshade::spv::{
    Capability, Decoration, ExecutionMode, Id, Inst, Op, Patch, Section, StorageClass, Type,
};
use polyshade::{Error, Module};

/// The deepest nesting of types: SPIR-V's limit for structures (2.17).
const DEEPEST: u32 = 255;

/// The value of everything that a shader leaves undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filler {
    /// Zero and false.
    Zero,
    /// True, or a number that is not a usual default. The number is small because shaders may count to it.
    Poison,
}

/// The poison of integers, and of floats of 16, 32 and 64 bits: 77 and 77.25.
const INTEGER: u32 = 77;
const FLOATS: [(u32, &[u32]); 3] = [(16, &[0x54d4]), (32, &[0x429a_8000]), (64, &[0, 0x4053_5000])];

/// The maximum length of an array that is poisoned.
const MOST_ELEMENTS: u32 = 256;

/// Returns `module` with `filler` as the value of everything undefined, and with arithmetic decorated
/// `NoContraction`.
///
/// Every `Output`, `Private` and `Function` variable without an initializer gets one; `OpUndef` becomes a constant.
///
/// # Errors
///
/// `Limit` if the module becomes too large.
pub fn initialise(module: &Module<'_>, filler: Filler) -> Result<Module<'static>, Error> {
    let rewritten = module.rewrite(|m, p| {
        for inst in m.instructions() {
            if inst.op().can_be_contracted()
                && let Some(id) = inst.result()
                && m.decoration(id, Decoration::NO_CONTRACTION).is_none()
            {
                p.decorate(id, Decoration::NO_CONTRACTION, &[]);
            }
            match inst.op() {
                Op::UNDEF => define(m, p, inst, filler),
                Op::VECTOR_SHUFFLE => define_components(m, p, inst, filler),
                _ => {}
            }
            let Some(variable) = Variable::of(inst) else { continue };
            let class = variable.storage_class();
            let undefined = [StorageClass::OUTPUT, StorageClass::PRIVATE, StorageClass::FUNCTION];
            if !undefined.contains(&class) || variable.initializer().is_some() {
                continue;
            }
            let Some((_, ty)) = m.pointer(variable.pointer_type()) else { continue };
            let Some((op, operands)) = filled(m, p, ty, filler, inst) else { continue };
            let value = p.declare_before(op, &operands, inst.at());
            let words =
                [variable.pointer_type().word(), variable.result().word(), class.0, value.word()];
            p.remove(inst);
            p.insert(inst.after(), Op::VARIABLE, &words);
        }
        Ok(())
    })?;
    Ok(rewritten.module.into_owned())
}

/// Replaces an `OpUndef` by a constant.
fn define<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, undefined: Inst<'m>, filler: Filler) {
    let (Some(ty), Some(result)) = (undefined.result_type(), undefined.result()) else { return };
    let Some((op, mut operands)) = filled(m, p, ty, filler, undefined) else { return };
    operands.insert(1, result.word());
    // Constants cannot be inside a function: an `OpUndef` there moves to the end of the declarations.
    let declarations = p.end_of(Section::Globals);
    let place = undefined.after().min(declarations);
    p.remove(undefined);
    p.insert(place, op, &operands);
}

/// Replaces the undefined components of a shuffle by components of a constant.
fn define_components<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    shuffle: Inst<'m>,
    filler: Filler,
) {
    const UNDEFINED: u32 = u32::MAX;
    const VECTORS: usize = 5;
    let (Some(ty), Some(result)) = (shuffle.result_type(), shuffle.result()) else { return };
    let Some(Type::Vector { component, .. }) = m.ty(ty) else { return };
    let components = &shuffle.words()[VECTORS..];
    let undefined = (0..).zip(components).filter(|(_, from)| **from == UNDEFINED);
    let undefined: Vec<u32> = undefined.map(|(number, _)| number).collect();
    let Some((last, others)) = undefined.split_last() else { return };

    // The shuffle selects component 0 instead, and then constants are inserted.
    let Some((op, operands)) = filled(m, p, component, filler, shuffle) else { return };
    let value = p.declare_before(op, &operands, shuffle.at());
    let mut vector = p.id();
    let mut words = shuffle.words()[1..].to_vec();
    words[1] = vector.word();
    let components = words[VECTORS - 1..].iter_mut();
    components.filter(|from| **from == UNDEFINED).for_each(|from| *from = 0);
    p.remove(shuffle);
    p.insert(shuffle.after(), Op::VECTOR_SHUFFLE, &words);
    for number in others.iter().chain([last]) {
        let next = if number == last { result } else { p.id() };
        let words = [ty.word(), next.word(), value.word(), vector.word(), *number];
        p.insert(shuffle.after(), Op::COMPOSITE_INSERT, &words);
        vector = next;
    }
}

/// Returns the opcode and the operands, without the result id, of the constant `filler` of type `ty`, placed before
/// `user`. Returns `None` if the type has parts other than numbers and booleans.
fn filled<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    ty: Id,
    filler: Filler,
    user: Inst<'m>,
) -> Option<(Op, Vec<u32>)> {
    let zero = is_data(m, ty, DEEPEST).then(|| (Op::CONSTANT_NULL, vec![ty.word()]))?;
    match filler {
        Filler::Zero => Some(zero),
        Filler::Poison => poison(m, p, ty, user).or(Some(zero)),
    }
}

/// Returns a constant in the form of [`filled`] whose parts are all poison; `None` if a part cannot be poison.
fn poison<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    ty: Id,
    user: Inst<'m>,
) -> Option<(Op, Vec<u32>)> {
    let mut operands = vec![ty.word()];
    let parts: Vec<Id> = match m.ty(ty)? {
        Type::Bool => return Some((Op::CONSTANT_TRUE, operands)),
        Type::Float { width } => {
            operands.extend(FLOATS.iter().find(|(own, _)| *own == width)?.1);
            return Some((Op::CONSTANT, operands));
        }
        Type::Int { width, .. } => {
            operands.extend(if width == 64 { &[INTEGER, 0][..] } else { &[INTEGER] });
            return Some((Op::CONSTANT, operands));
        }
        Type::Vector { component: part, count } | Type::Matrix { column: part, count } => {
            vec![part; count as usize]
        }
        Type::Array { element, length } => {
            let is_fixed = m.definition(length).is_some_and(|inst| inst.op() == Op::CONSTANT);
            let count = m.constant(length).filter(|count| is_fixed && *count <= MOST_ELEMENTS)?;
            vec![element; count as usize]
        }
        Type::Struct { id } => m.members(id).collect(),
        Type::Void | Type::Pointer { .. } | Type::Other(_) => return None,
    };
    for part in parts {
        let (op, words) = poison(m, p, part, user)?;
        operands.push(p.declare_before(op, &words, user.at()).word());
    }
    Some((Op::CONSTANT_COMPOSITE, operands))
}

/// Returns `module` without transform feedback, so that recorders also work on devices without the extension.
///
/// # Errors
///
/// `Limit` if the module becomes too large.
pub(crate) fn without_feedback(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let of_feedback =
        [Decoration::XFB_BUFFER, Decoration::XFB_STRIDE, Decoration::OFFSET, Decoration::STREAM];
    let rewritten = module.rewrite(|m, p| {
        let feedback = [Capability::TRANSFORM_FEEDBACK, Capability::GEOMETRY_STREAMS];
        for inst in m.preamble() {
            let capability = CapabilityInst::of(inst).map(CapabilityInst::capability);
            let mode = Mode::of(inst).map(Mode::mode);
            if capability.is_some_and(|one| feedback.contains(&one))
                || mode == Some(ExecutionMode::XFB)
            {
                p.remove(inst);
            }
        }
        let element = |variable: Variable<'_>| {
            Some(m.innermost_element(m.pointer(variable.pointer_type())?.1))
        };
        // A structure may also be used in a buffer block, which needs its offsets. Nested structures are not
        // decorated `Block`.
        let (outputs, others): (Vec<_>, Vec<_>) =
            m.variables().partition(|one| one.storage_class() == StorageClass::OUTPUT);
        let kept: Vec<_> = others.into_iter().filter_map(element).collect();
        for output in outputs {
            p.undecorate(output.result(), |_, decoration| of_feedback.contains(&decoration));
            let is_own =
                |ty: &Id| m.decoration(*ty, Decoration::BLOCK).is_some() && !kept.contains(ty);
            if let Some(ty) = element(output).filter(is_own) {
                p.undecorate(ty, |_, decoration| of_feedback.contains(&decoration));
            }
        }
        Ok(())
    })?;
    Ok(rewritten.module.into_owned())
}

/// Whether `ty` consists of numbers and booleans only, and therefore has a zero.
fn is_data(m: &Module<'_>, ty: Id, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match m.ty(ty) {
        Some(Type::Bool | Type::Int { .. } | Type::Float { .. }) => true,
        Some(Type::Vector { component, .. }) => is_data(m, component, depth),
        Some(Type::Matrix { column, .. }) => is_data(m, column, depth),
        Some(Type::Array { element, .. }) => is_data(m, element, depth),
        Some(Type::Struct { id }) => m.members(id).all(|member| is_data(m, member, depth)),
        Some(Type::Void | Type::Pointer { .. } | Type::Other(_)) | None => false,
    }
}
