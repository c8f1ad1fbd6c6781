//! Removes the point size, because WebGPU only has points of one pixel.

use super::private;
use polyshade_spv::view::{AccessChain, Store, Variable};
use polyshade_spv::{BuiltIn, Error, Id, Inst, Module, Op, Patch, StorageClass};

const ONE: u32 = 1.0_f32.to_bits();

/// Returns the module with a `Private` variable instead of the point size.
pub(super) fn drop(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        for size in sizes(module) {
            match size {
                Size::Variable(variable, ty) => private::make(module, p, variable, ty, |_| true),
                Size::Member(chains, ty) if !chains.is_empty() => {
                    let size = p.variable(StorageClass::PRIVATE, ty, None);
                    chains.iter().for_each(|chain| replace_uses(module, p, *chain, size));
                }
                Size::Member(..) => {}
            }
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Whether a size other than 1 may be written.
pub(super) fn is_written(module: &Module<'_>) -> bool {
    let is_one = |id: Id| {
        module.definition(id).is_some_and(|inst| inst.op() == Op::CONSTANT)
            && module.constant(id) == Some(ONE)
    };
    let writes = |inst: Inst<'_>| match Store::of(inst) {
        Some(store) => !is_one(store.object()),
        None => inst.op() != Op::LOAD,
    };
    let is_written_by = |pointer: Id| module.code_uses_of(pointer).any(writes);
    sizes(module).any(|size| match size {
        Size::Variable(variable, _) => {
            variable.initializer().is_some_and(|value| !is_one(value))
                || is_written_by(variable.result())
        }
        Size::Member(chains, _) => chains.into_iter().any(is_written_by),
    })
}

/// The point size that an entry point may write.
enum Size<'m> {
    /// A variable, and its type.
    Variable(Variable<'m>, Id),
    /// A member of a block: the pointers to it, and its type.
    Member(Vec<Id>, Id),
}

fn sizes<'m>(module: &'m Module<'_>) -> impl Iterator<Item = Size<'m>> {
    module.variables().filter_map(|variable| {
        let (class, ty) = module.pointer(variable.pointer_type())?;
        let id = variable.result();
        if class != StorageClass::OUTPUT {
            None
        } else if module.builtin(id) == Some(BuiltIn::POINT_SIZE) {
            Some(Size::Variable(variable, ty))
        } else {
            let is_size = |member| module.member_builtin(ty, member) == Some(BuiltIn::POINT_SIZE);
            let (member, float) =
                (0..).zip(module.members(ty)).find(|(member, _)| is_size(*member))?;
            Some(Size::Member(chains(module, id, member), float))
        }
    })
}

/// The pointers to a member of a block.
fn chains(module: &Module<'_>, block: Id, member: u32) -> Vec<Id> {
    let chains = module.code_uses_of(block).filter_map(AccessChain::of);
    let to_member = chains.filter(|chain| {
        let mut indices = chain.indices();
        indices.next().and_then(|index| module.constant(index)) == Some(member)
    });
    to_member.filter_map(|chain| chain.inst().result()).collect()
}

/// Replaces all uses of a pointer by another one.
fn replace_uses<'m>(module: &'m Module<'_>, p: &mut Patch<'m, '_>, chain: Id, to: Id) {
    for user in module.code_uses_of(chain) {
        p.replace(user, chain, to);
    }
    p.remove_definition(chain);
}
