//! The new interface variable, and the code that copies values from or to it.

use super::{Copies, is_of_interface, pointee};
use crate::code::{self, refuse_at};
use crate::rewrite::copy_annotations;
use polyshade_spv::view::Variable;
use polyshade_spv::{Decoration, Error, Id, Module, Op, Patch, Position, StorageClass, Type};

/// Adds an interface variable with the storage class, decorations and name of `old`. A decorated structure type is
/// copied, with all its decorations and names.
pub(super) fn renew<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    old: Variable<'m>,
    copies: Copies<'_>,
) -> Id {
    let ty = renewed_type(m, p, pointee(m, old));
    let new = p.variable(old.storage_class(), ty, None);
    // The precision of the original value does not apply to the value that replaces it.
    let is_replaced = matches!(copies, Copies::Uncopied);
    let is_lost = |decoration| is_replaced && decoration == Decoration::RELAXED_PRECISION;
    for applied in m.decorations_of(old.result()).filter(|applied| !is_lost(applied.decoration)) {
        p.copy_decoration(new, None, &applied);
    }
    if let Some(name) = m.name(old.result()) {
        p.name(new, &format!("{name}_interface"));
    }
    new
}

fn renewed_type<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, ty: Id) -> Id {
    let (arrays, structure) =
        array_lengths(m, ty).expect("arrays with too many dimensions were rejected");
    if !m.decorations_of(structure).any(|applied| is_of_interface(applied.decoration)) {
        return ty;
    }

    let members: Vec<Id> = m.members(structure).collect();
    let copy = p.structure(&members);
    copy_annotations(m, p, (structure, copy), |_| true);
    arrays
        .iter()
        .rev()
        .fold(copy, |element, length| p.declare(Op::TYPE_ARRAY, &[element.word(), length.word()]))
}

/// Emits copies between the `Private` variable that `old` becomes and `new`: from `new` for an input, to `new` for an
/// output. If the structure type was copied, the two types differ, so the members are copied one by one.
pub(super) fn copy_members<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    at: Position<'m>,
    old: Variable<'m>,
    new: Id,
) -> Result<(), Error> {
    let class = old.storage_class();
    let ty = pointee(m, old);
    let Some(leaves) = leaves(m, ty) else {
        let message =
            "cannot copy an array of blocks: its length is not known, or it has too many members";
        return refuse_at(&code::INTERFACE_UNKNOWN_LENGTH, message, old.result(), old.inst());
    };
    let mut code = p.at(at);
    for (path, leaf) in leaves {
        let private = code.part(StorageClass::PRIVATE, leaf, old.result(), &path);
        let interface = code.part(class, leaf, new, &path);
        let (from, to) =
            if class == StorageClass::INPUT { (interface, private) } else { (private, interface) };
        let value = code.load(leaf, from);
        code.store(to, value);
    }
    Ok(())
}

/// Returns the largest parts of `ty` that have the same type in the structure and in its copy, and the indices of
/// each part. The only part is `ty` itself, unless it is a decorated structure or an array of such structures.
/// Returns `None` if an array length is not known, or if there are too many parts.
fn leaves(m: &Module<'_>, ty: Id) -> Option<Vec<(Vec<u32>, Id)>> {
    let (arrays, structure) = array_lengths(m, ty)?;
    if !m.decorations_of(structure).any(|applied| is_of_interface(applied.decoration)) {
        return Some(vec![(Vec::new(), ty)]);
    }

    let lengths: Vec<u32> =
        arrays.iter().map(|length| m.constant(*length)).collect::<Option<_>>()?;
    let members = m.members(structure);
    let elements =
        lengths.iter().try_fold(1_u32, |product, length| product.checked_mul(*length))?;
    // Limit arrays of empty structures as well: they take just as long to walk.
    elements.checked_mul(members.len().max(1) as u32).filter(|leaves| *leaves <= MOST_LEAVES)?;

    let mut leaves = Vec::new();
    for element in 0..elements {
        // `path` holds the digits of the element's number; the array lengths are the bases.
        let mut path = vec![0; lengths.len()];
        let mut rest = element;
        for (index, length) in path.iter_mut().zip(&lengths).rev() {
            *index = rest % length;
            rest /= length;
        }
        for (member, ty) in (0..).zip(m.members(structure)) {
            leaves.push(([path.as_slice(), &[member]].concat(), ty));
        }
    }
    Some(leaves)
}

/// The maximum number of block members that are copied one by one.
const MOST_LEAVES: u32 = 16_384;
/// The maximum nesting of arrays; no front end nests more.
const MOST_ARRAYS: usize = 32;

/// Returns the lengths of the nested arrays in `ty`, outermost first, and their element type. `None` if the nesting
/// is too deep.
pub(super) fn array_lengths(m: &Module<'_>, mut ty: Id) -> Option<(Vec<Id>, Id)> {
    let mut lengths = Vec::new();
    while let Some(Type::Array { element, length }) = m.ty(ty) {
        if lengths.len() == MOST_ARRAYS {
            return None;
        }
        lengths.push(length);
        ty = element;
    }
    Some((lengths, ty))
}
