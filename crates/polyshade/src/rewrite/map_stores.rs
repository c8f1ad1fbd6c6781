//! Passes the values that are stored to a built-in output through a function.

use super::FoundBuiltin;
use super::accesses::{Accesses, accesses};
use crate::code::{self, refuse, refuse_at};
use polyshade_spv::view::{Load, Store};
use polyshade_spv::{Error, Id, Inst, Module, Op, Patch};

/// Passes all values that are stored to `output` through `function`, which takes and returns a value of the output's
/// type. This is for per-vertex outputs that other invocations can see, so that changing them later would be too
/// late.
///
/// ```text
/// %new = OpFunctionCall %float %function %value
///        OpStore %pointer %new                      ; was %value
/// ```
///
/// # Errors
///
/// `Unsupported`: the shader loads the output, and would see the function's result; the output is stored in parts, as
/// an array of all vertices, or by an initializer; a pointer into the variable is passed on.
pub fn map_stores<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    output: FoundBuiltin,
    function: Id,
) -> Result<(), Error> {
    let variable = m.definition(output.variable).and_then(polyshade_spv::view::Variable::of);
    if variable.is_none_or(|variable| variable.initializer().is_some()) {
        let message = "cannot rewrite stores to the output: it has an initial value";
        return refuse(&code::INTERFACE_INITIALIZED_OUTPUT, message, output.variable);
    }
    let whole = usize::from(output.per_vertex) + usize::from(output.member.is_some());
    let Accesses { uses, paths, .. } = accesses(m, output.variable, usize::MAX)?;
    for inst in uses {
        let pointer = Load::of(inst).map(Load::pointer).or(Store::of(inst).map(Store::pointer));
        let path = &paths[&pointer.expect("an access is a load or a store")];
        if is_other_member(m, output, path) {
            continue;
        }
        let Some(store) = Store::of(inst) else {
            let message = "cannot rewrite stores to the output: the shader also loads it";
            return refuse_at(&code::INTERFACE_LOADED_OUTPUT, message, output.variable, inst);
        };
        // A store to the output calls the function for the stored value. A store to the block calls it for the
        // member.
        match (path.len(), output.member) {
            (length, _) if length == whole => {
                let new = p.at(inst.before()).call(output.ty, function, &[store.object()]);
                p.replace(inst, store.object(), new);
            }
            (length, Some(member)) if length + 1 == whole => {
                store_block(m, p, inst, output.ty, (member, function));
            }
            _ => {
                let message = "cannot rewrite stores to the output: it is stored in parts, or for all vertices at once";
                return refuse_at(&code::INTERFACE_PARTIAL_STORE, message, output.variable, inst);
            }
        }
    }
    Ok(())
}

/// Whether a path leads to another member of the output's block.
fn is_other_member(m: &Module<'_>, output: FoundBuiltin, path: &[Id]) -> bool {
    let member = path.get(usize::from(output.per_vertex)).and_then(|id| m.constant(*id));
    output.member.is_some() && member.is_some() && member != output.member
}

///
/// Passes one member of a stored block through the function.
/// ```text
/// %old   = OpCompositeExtract %float %block 1
/// %new   = OpFunctionCall %float %function %old
/// %other = OpCompositeInsert %gl_PerVertex %new %block 1
///          OpStore %pointer %other                        ; was %block
/// ```
fn store_block<'m>(
    m: &Module<'_>,
    p: &mut Patch<'m, '_>,
    inst: Inst<'m>,
    ty: Id,
    (member, function): (u32, Id),
) {
    let store = Store::of(inst).expect("the caller passes an OpStore");
    let Some(block) = m.type_of(store.object()) else { return };
    let mut code = p.at(inst.before());
    let old = code.extract(ty, store.object(), &[member]);
    let new = code.call(ty, function, &[old]);
    let operands = [new.word(), store.object().word(), member];
    let other = code.value(Op::COMPOSITE_INSERT, block, &operands);
    p.replace(inst, store.object(), other);
}
