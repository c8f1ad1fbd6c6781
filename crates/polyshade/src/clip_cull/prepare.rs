//! Makes versions of a module in which the built-in arrays are separate variables.

use super::registers::{blocks_of, builtin_blocks};
use super::semantics::{DISTANCE_KINDS, DistanceKind};
use crate::rewrite::{self, Frame};
use foldhash::HashSet;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, Id, Module, Op, Section, StorageClass};

/// Returns a new version, made from `version`, in which the blocks that `blocks` returns are split.
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

/// Splits the blocks with built-in arrays of distances among the inputs, outputs or both, depending on `classes`.
pub(super) fn prepare_builtins(
    frame: &Frame<'_>,
    version: &Module<'_>,
    classes: &[StorageClass],
) -> Result<Module<'static>, Error> {
    prepare(frame, version, |m, entry| {
        classes.iter().flat_map(|class| builtin_blocks(m, entry, *class)).collect()
    })
}

/// Splits all output blocks of built-ins if the stage has built-in output arrays of distances.
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

/// Returns the input or output variable of `entry` that is the built-in array of `kind`. Block members do not count.
pub(super) fn builtin_array(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
    kind: DistanceKind,
) -> Option<Id> {
    let is_array = |id: &Id| m.builtin(*id) == Some(kind.builtin());
    rewrite::interface(m, entry, class).into_iter().find(is_array)
}

/// Whether the code of any function uses the variable.
pub(super) fn is_used(m: &Module<'_>, variable: Id) -> bool {
    m.code_uses_of(variable).next().is_some()
}

/// Returns a version without unneeded capabilities for distances, and without unused block types that declare
/// distances.
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
        // Find the distances that structures and variables still declare.
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
        // Remove unused structures, and the capabilities for distances that nothing declares any more.
        for id in dead {
            p.remove_definition(id);
        }
        rewrite::remove_capabilities(m, p, |capability| {
            let mut kinds = DISTANCE_KINDS.iter().filter(|kind| kind.capability() == capability);
            kinds.any(|kind| !needed.contains(kind))
        });
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Returns the structure `id` and the types that contain it, or `None` if anything except types, names and decorations
/// uses them.
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
    // Types are removed after their users.
    types.reverse();
    Some(types)
}
