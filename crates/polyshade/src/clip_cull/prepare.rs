//! The version that is lowered: its entry point shares nothing, and the built-in arrays are variables of their own.

use super::registers::{blocks_of, builtin_blocks};
use super::semantics::{DISTANCE_KINDS, DistanceKind};
use crate::rewrite::{self, Frame};
use foldhash::HashSet;
use polyshade_spv::view::{CapabilityInst, EntryPoint};
use polyshade_spv::{Decoration, Error, Id, Module, Op, Section, StorageClass};

/// The next version of `version`, in which `blocks` of the entry point are split.
pub(super) fn prepare(
    frame: &Frame<'_>,
    version: &Module<'_>,
    blocks: impl Fn(&Module<'_>, EntryPoint<'_>) -> Vec<Id>,
) -> Result<Module<'static>, Error> {
    let split = frame.rewrite(version, |m, p, entry| {
        for block in blocks(m, entry) {
            rewrite::split_block(m, p, entry, block)?;
        }
        Ok(())
    })?;
    Ok(split.module.into_owned())
}

/// [`prepare`], with the blocks that have built-in arrays of distances on this side.
pub(super) fn prepare_builtins(
    frame: &Frame<'_>,
    version: &Module<'_>,
    classes: &[StorageClass],
) -> Result<Module<'static>, Error> {
    prepare(frame, version, |m, entry| {
        classes.iter().flat_map(|class| builtin_blocks(m, entry, *class)).collect()
    })
}

/// [`prepare`], with all blocks of built-ins among the outputs of a stage that has distances there.
pub(super) fn prepare_blocks(
    frame: &Frame<'_>,
    version: &Module<'_>,
) -> Result<Module<'static>, Error> {
    let class = StorageClass::OUTPUT;
    prepare(frame, version, |m, entry| {
        let has_distances = !builtin_blocks(m, entry, class).is_empty()
            || DISTANCE_KINDS
                .into_iter()
                .any(|kind| builtin_array(m, entry, class, kind).is_some());
        match has_distances {
            true => blocks_of(m, entry, class, |_| true),
            false => Vec::new(),
        }
    })
}

/// The built-in array of one kind that is a variable of its own among the inputs or outputs of `entry`.
pub(super) fn builtin_array(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
    kind: DistanceKind,
) -> Option<Id> {
    let is_array = |id: &Id| m.builtin(*id) == Some(kind.builtin());
    rewrite::interface(m, entry, class).into_iter().find(is_array)
}

/// Whether something in a function uses the variable.
pub(super) fn is_used(m: &Module<'_>, variable: Id) -> bool {
    m.code_uses_of(variable).next().is_some()
}

/// A version without the capabilities for distances that nothing needs any more, and without the blocks that declare
/// them but have no variable.
pub(super) fn without_unused(
    frame: &Frame<'_>,
    version: &Module<'_>,
) -> Result<Module<'static>, Error> {
    let next = frame.rewrite(version, |m, p, _| {
        let is_distance = |words: &[u32]| {
            words
                .first()
                .and_then(|word| DISTANCE_KINDS.into_iter().find(|kind| kind.builtin().0 == *word))
        };
        let mut needed = Vec::new();
        let mut dead = Vec::new();
        for structure in m.section(Section::Globals).filter(|inst| inst.op() == Op::TYPE_STRUCT) {
            let id = structure.result().expect("a type has an id");
            let members = m.decorations_of(id).filter(|applied| {
                applied.member.is_some() && applied.decoration == Decoration::BUILT_IN
            });
            let kinds: Vec<DistanceKind> =
                members.filter_map(|applied| is_distance(applied.operands)).collect();
            if kinds.is_empty() {
                continue;
            }
            match unused_types(m, id) {
                Some(types) => dead.extend(types),
                None => needed.extend(kinds),
            }
        }
        for variable in m.variables() {
            let builtin = m.decoration(variable.result(), Decoration::BUILT_IN);
            needed.extend(builtin.and_then(is_distance));
        }
        for id in dead {
            p.remove_definition(id);
        }
        for declared in m.section(Section::Capabilities).filter_map(CapabilityInst::of) {
            let unneeded = |kind: &DistanceKind| {
                declared.capability() == kind.capability() && !needed.contains(kind)
            };
            if DISTANCE_KINDS.iter().any(unneeded) {
                p.remove(declared.inst());
            }
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// The structure `id` and the types made of it, if nothing but names and decorations uses them.
fn unused_types(m: &Module<'_>, id: Id) -> Option<Vec<Id>> {
    let mut types = vec![id];
    let mut seen = HashSet::from_iter([id]);
    let mut next = 0;
    while let Some(ty) = types.get(next).copied() {
        next += 1;
        for user in m.uses_of(ty).filter(|user| user.at() >= m.section_end(Section::Annotations)) {
            let is_type = matches!(
                user.op(),
                Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY | Op::TYPE_POINTER | Op::TYPE_STRUCT
            );
            let result = user.result().filter(|_| is_type)?;
            if seen.insert(result) {
                types.push(result);
            }
        }
    }
    // Users before what they use.
    types.reverse();
    Some(types)
}
