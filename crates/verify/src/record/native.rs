//! Captures the outputs of a shader with the driver's transform feedback, as a second source in addition to the
//! recorder.

use crate::leaves::Leaf;
use polyshade::rewrite;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Id, Module, StorageClass, Type,
};
use polyshade_vulkan::TransformFeedbackCapabilities;
use std::collections::HashSet;

/// The vertex size in bytes from which some drivers, such as lavapipe 22.3.6, capture incorrectly.
const LARGEST: u32 = 512;

/// Returns the module with transform feedback decorations for all outputs that are not [left out](is_left_out). The
/// outputs are captured in the order of `leaves`, which must be the leaves of the module. `None` if decorations
/// cannot express that layout, or if the driver does not support it.
pub(crate) fn decorate(
    m: &Module<'_>,
    name: &str,
    leaves: &[Leaf],
    has: TransformFeedbackCapabilities,
) -> Option<Vec<u32>> {
    let entry = m.entry_point(name, ExecutionModel::VERTEX).ok()?;
    let stride: u32 = leaves.iter().map(Leaf::words).sum::<u32>() * 4;
    let limit = has.max_buffer_data_stride.min(has.max_buffer_data_size);
    let limit = limit.min(has.max_stream_data_size).min(LARGEST - 1);
    // lavapipe 22.3.6 captures outputs incorrectly if they share a location.
    let is_whole = |leaf: &Leaf| leaf.register.is_none_or(|(_, component)| component == 0);
    let is_plain = |leaf: &Leaf| leaf.words() > 0 && leaf.bits == 32 && is_whole(leaf);
    if stride == 0 || stride > limit || !leaves.iter().all(is_plain) {
        return None;
    }
    let variables = rewrite::interface(m, entry, StorageClass::OUTPUT);
    let mut blocks = HashSet::new();
    if !variables.iter().all(|variable| can_be_decorated(m, *variable, &mut blocks)) {
        return None;
    }
    let rewritten = m.rewrite(|m, p| {
        let entry: EntryPoint<'_> = m.entry_point(name, ExecutionModel::VERTEX)?;
        p.capability(Capability::TRANSFORM_FEEDBACK);
        p.mode(entry.function(), ExecutionMode::XFB, &[]);
        for variable in variables {
            p.decorate(variable, Decoration::XFB_BUFFER, &[0]);
            p.decorate(variable, Decoration::XFB_STRIDE, &[stride]);
        }
        // Each variable or member gets the offset of its first leaf.
        let (mut offset, mut last) = (0, None);
        for leaf in leaves {
            let block = block_of(m, leaf.variable);
            let member = block.and_then(|_| leaf.path.first().copied());
            if last != Some((leaf.variable, member)) && !is_left_out(leaves, leaf) {
                let of = block.unwrap_or(leaf.variable);
                p.decorate_maybe_member(of, member, Decoration::OFFSET, &[offset]);
            }
            last = Some((leaf.variable, member));
            offset += 4 * leaf.words();
        }
        Ok(())
    });
    Some(rewritten.ok()?.module.into_words())
}

/// Whether a leaf is skipped, leaving a gap. lavapipe 22.3.6 captures cull distances incorrectly if there are clip
/// distances.
pub(crate) fn is_left_out(leaves: &[Leaf], leaf: &Leaf) -> bool {
    leaf.builtin == Some(BuiltIn::CULL_DISTANCE)
        && leaves.iter().any(|other| other.builtin == Some(BuiltIn::CLIP_DISTANCE))
}

/// Returns the structure type of a variable that is a single block.
fn block_of(m: &Module<'_>, variable: Id) -> Option<Id> {
    let ty = m.pointee(variable)?;
    matches!(m.ty(ty), Some(Type::Struct { .. })).then_some(ty)
}

/// Whether one offset per variable, or per member of a block, is sufficient. Blocks must be unshared and without
/// offsets.
fn can_be_decorated(m: &Module<'_>, variable: Id, blocks: &mut HashSet<Id>) -> bool {
    let Some(ty) = m.pointee(variable) else { return false };
    let Some(block) = block_of(m, variable) else { return is_basic(m, ty) };
    let is_block = |decoration| matches!(decoration, Decoration::BLOCK | Decoration::BUILT_IN);
    let mut decorations = m.decorations_of(block);
    decorations.any(|one| is_block(one.decoration))
        && m.decorations_of(block).all(|one| one.decoration != Decoration::OFFSET)
        && m.members(block).all(|member| is_basic(m, member))
        && blocks.insert(block)
}

/// Whether a type is a scalar, vector or matrix, or an array of these.
fn is_basic(m: &Module<'_>, ty: Id) -> bool {
    let element = match m.ty(ty) {
        Some(Type::Array { element, .. }) => element,
        _ => ty,
    };
    !matches!(m.ty(element), Some(Type::Array { .. } | Type::Struct { .. }) | None)
}
