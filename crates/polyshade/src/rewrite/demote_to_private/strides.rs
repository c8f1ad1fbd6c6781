//! Removes array strides: a `Private` variable has no memory layout, so its arrays must not have a stride. Some
//! producers decorate every array with a stride, including arrays in outputs.

use super::{Copies, aggregate_parts, laid_out_types, pointee};
use crate::code::{self, refuse_at};
use foldhash::{HashSet, HashSetExt};
use polyshade_spv::view::Variable;
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Op, Patch, Type};

/// How the array strides in the types of demoted variables are removed.
pub(super) struct Strides {
    /// Arrays that no other memory uses. They lose their stride decoration.
    dropped: Vec<Id>,
    /// Variables that share their array type with a buffer. They get another array type.
    replaced: HashSet<Id>,
}

impl Strides {
    pub(super) fn find(
        m: &Module<'_>,
        taken: &[Variable<'_>],
        copies: Copies,
    ) -> Result<Self, Error> {
        let mut strides = Self { dropped: Vec::new(), replaced: HashSet::new() };
        let strided = strided_arrays(m, taken);
        if strided.is_empty() {
            return Ok(strides);
        }
        let laid_out = laid_out_types(m);
        for (array, variable) in strided {
            if !laid_out.contains(&array) {
                strides.dropped.push(array);
            } else if pointee(m, variable) == array
                && only_elements_are_used(m, variable)
                // Copies need the same type for source and target.
                && !matches!(copies, Copies::At(_))
            {
                strides.replaced.insert(variable.result());
            } else {
                let message = "cannot demote a variable to Private: a buffer shares its array type with an ArrayStride";
                return refuse_at(
                    &code::INTERFACE_SHARED_TYPE,
                    message,
                    variable.result(),
                    variable.inst(),
                );
            }
        }
        Ok(strides)
    }

    /// Returns the pointee type that `variable` has as a `Private` variable.
    pub(super) fn private_type(
        &self,
        m: &Module<'_>,
        p: &mut Patch<'_, '_>,
        variable: Variable<'_>,
    ) -> Id {
        let ty = pointee(m, variable);
        if !self.replaced.contains(&variable.result()) {
            return ty;
        }
        let Some(Type::Array { element, length }) = m.ty(ty) else { return ty };
        let operands = [element.word(), length.word()];
        p.declare_before(Op::TYPE_ARRAY, &operands, variable.inst().at())
    }

    pub(super) fn drop(&self, p: &mut Patch<'_, '_>) {
        for array in &self.dropped {
            p.undecorate(*array, |_, decoration| decoration == Decoration::ARRAY_STRIDE);
        }
    }
}

/// Returns the arrays in the types of `taken` that have a stride. An array that is the whole type of several
/// variables is listed with each of these variables; any other array is listed with one variable.
fn strided_arrays<'m>(m: &Module<'_>, taken: &[Variable<'m>]) -> Vec<(Id, Variable<'m>)> {
    let is_array = |ty| {
        let op = m.definition(ty).map(Inst::op);
        matches!(op, Some(Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY))
    };
    let is_strided = |ty| is_array(ty) && m.decoration(ty, Decoration::ARRAY_STRIDE).is_some();
    let (mut seen, mut open) = (HashSet::new(), Vec::new());
    let mut strided = Vec::new();
    for variable in taken {
        let whole = pointee(m, *variable);
        if is_strided(whole) {
            strided.push((whole, *variable));
        }
        open.extend(aggregate_parts(m, whole));
        while let Some(ty) = open.pop() {
            if seen.insert(ty) {
                open.extend(aggregate_parts(m, ty));
                if is_strided(ty) {
                    strided.push((ty, *variable));
                }
            }
        }
    }
    strided
}

/// Whether the variable is only used by access chains to its elements, so that its own type does not matter.
fn only_elements_are_used(m: &Module<'_>, variable: Variable<'_>) -> bool {
    m.uses_of(variable.result()).all(|user| {
        let is_of_elements = matches!(
            user.op(),
            Op::ACCESS_CHAIN
                | Op::IN_BOUNDS_ACCESS_CHAIN
                | Op::ENTRY_POINT
                | Op::NAME
                | Op::DECORATE
                | Op::GROUP_DECORATE
        );
        is_of_elements || m.is_for_tools(user)
    })
}
