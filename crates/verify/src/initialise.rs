//! What a shader leaves to the driver is settled, so that two variants of it can be compared.
//!
//! An output that is not written on some path holds whatever the driver finds there. With an initialiser it holds that,
//! in the original and in every variant alike: once zero, and once something else, so that a variant that leaves more
//! to the driver than the original does has another result in one of both. And a driver may round `a * b + c` once or
//! twice, as it likes, and not the same way in every shader: lavapipe does so. So all arithmetic is decorated as
//! `precise` asks for.
//! What is defined does not change.

use polyshade::spv::view::{CapabilityInst, Mode, Variable};
use polyshade::spv::{
    Capability, Decoration, ExecutionMode, Id, Inst, Op, Patch, StorageClass, Type,
};
use polyshade::{Error, Module};

/// How deep types may nest: SPIR-V's limit for structures (2.17).
const DEEPEST: u32 = 255;

/// What is put where a shader leaves what it holds to the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filler {
    /// Zero, and false.
    Zero,
    /// A number that is nobody's default, and true. It is small, as shaders may count to it.
    Poison,
}

/// The poison of integers, and of floats of 16, 32 and 64 bits: 77 and 77.25.
const INTEGER: u32 = 77;
const FLOATS: [(u32, &[u32]); 3] = [(16, &[0x54d4]), (32, &[0x429a_8000]), (64, &[0, 0x4053_5000])];

/// The longest array that is poisoned.
const MOST_ELEMENTS: u32 = 256;

/// `module` with `filler` in every output, `Private` and `Function` variable that has no initialiser of its own, and
/// with arithmetic that is not contracted.
///
/// # Errors
///
/// `Limit`, where the module would be too large.
pub fn initialise(module: &Module<'_>, filler: Filler) -> Result<Module<'static>, Error> {
    let rewritten = module.rewrite(|m, p| {
        for inst in m.instructions() {
            if inst.op().can_be_contracted()
                && let Some(id) = inst.result()
                && m.decoration(id, Decoration::NO_CONTRACTION).is_none()
            {
                p.decorate(id, Decoration::NO_CONTRACTION, &[]);
            }
            let Some(variable) = Variable::of(inst) else { continue };
            let class = variable.storage_class();
            let undefined = matches!(
                class,
                StorageClass::OUTPUT | StorageClass::PRIVATE | StorageClass::FUNCTION
            );
            if !undefined || variable.initializer().is_some() {
                continue;
            }
            let Some((_, ty)) = m.pointer(variable.pointer_type()) else { continue };
            if !is_data(m, ty, DEEPEST) {
                continue;
            }
            let poison = match filler {
                Filler::Zero => None,
                Filler::Poison => poison(m, p, ty, inst),
            };
            let value = poison
                .unwrap_or_else(|| p.declare_before(Op::CONSTANT_NULL, &[ty.word()], inst.at()));
            let words =
                [variable.pointer_type().word(), variable.result().word(), class.0, value.word()];
            p.remove(inst);
            p.insert(inst.after(), Op::VARIABLE, &words);
        }
        Ok(())
    })?;
    Ok(rewritten.module.into_owned())
}

/// A constant that is poison throughout, for use by `user`; `None` where a part of it has none.
fn poison<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, ty: Id, user: Inst<'m>) -> Option<Id> {
    let parts: Vec<Id> = match m.ty(ty)? {
        Type::Bool => return Some(p.declare_before(Op::CONSTANT_TRUE, &[ty.word()], user.at())),
        number @ (Type::Int { .. } | Type::Float { .. }) => {
            let bits = match number {
                Type::Float { width } => FLOATS.iter().find(|(own, _)| *own == width)?.1,
                Type::Int { width: 64, .. } => &[INTEGER, 0],
                _ => &[INTEGER],
            };
            return Some(p.declare_before(Op::CONSTANT, &[&[ty.word()], bits].concat(), user.at()));
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
    let mut words = vec![ty.word()];
    for part in parts {
        words.push(poison(m, p, part, user)?.word());
    }
    Some(p.declare_before(Op::CONSTANT_COMPOSITE, &words, user.at()))
}

/// `module` without transform feedback of its own: what it computes is recorded otherwise, on devices without it too.
///
/// # Errors
///
/// `Limit`, where the module would be too large.
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
        // Blocks of buffers have offsets, too, and may share their structure. What lies in them is no block.
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

/// Whether `ty` is made of numbers and booleans alone, and so has a zero.
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
