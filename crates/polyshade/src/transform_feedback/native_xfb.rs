//! Removes the module's own transform feedback, which may crash drivers without the extension.

use crate::rewrite;
use foldhash::{HashSet, HashSetExt};
use polyshade_spv::view::{Decorate, EntryPoint, MemberDecorate, Mode};
use polyshade_spv::{
    Capability, Decoration, ExecutionMode, Id, Module, Patch, Section, StorageClass,
};
use std::cell::LazyCell;

/// Removes the `Xfb` mode of `entry` and the `xfb_*` decorations of its outputs. If no other entry point has the mode,
/// also removes the capability and all other decorations that need it, because these decorations have no effect. A
/// module without transform feedback stays unchanged.
pub(crate) fn strip<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
    strip_around(m, p, entry, &[]);
}

/// Removes transform feedback like [`strip`], but skips the decorations of the outputs `taken_over`. The edit that
/// demotes these outputs to private variables removes their decorations, and an id can be removed from a decoration
/// group only once.
pub(super) fn strip_around<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    taken_over: &[Id],
) {
    let modes = || captures(m);
    if modes().next().is_none() && !m.has_capability(Capability::TRANSFORM_FEEDBACK) {
        return;
    }

    let others = others_capture(m, entry);
    match others {
        true if taken_over.is_empty() => strip_outputs(m, p, entry),
        true => {}
        false => strip_all(m, p, taken_over),
    }
    for mode in modes().filter(|mode| mode.entry_point() == entry.function()) {
        p.remove(mode.inst());
    }
    if !others {
        let is_feedback = |capability| capability == Capability::TRANSFORM_FEEDBACK;
        rewrite::remove_capabilities(m, p, is_feedback);
    }
}

fn captures<'m>(m: &'m Module<'_>) -> impl Iterator<Item = Mode<'m>> {
    let modes = m.section(Section::ExecutionModes).filter_map(Mode::of);
    modes.filter(|mode| mode.mode() == ExecutionMode::XFB)
}

/// Whether an entry point other than `entry` captures. If so, every variant still declares the capability.
pub(super) fn others_capture(m: &Module<'_>, entry: EntryPoint<'_>) -> bool {
    captures(m).any(|mode| mode.entry_point() != entry.function())
}

/// Removes the `xfb_*` decorations of the outputs of `entry`.
pub(super) fn strip_outputs<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
    let outputs = rewrite::interface(m, entry, StorageClass::OUTPUT);
    strip_variables(m, p, &outputs, &mut HashSet::new());
}

/// Removes the `xfb_*` decorations of all output variables, even outside of interfaces, and of all other ids.
fn strip_all<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, taken_over: &[Id]) {
    let with_structure = |id: &Id| [Some(*id), m.pointee(*id).map(|ty| m.innermost_element(ty))];
    let mut stripped = HashSet::with_capacity(2 * taken_over.len());
    stripped.extend(taken_over.iter().flat_map(with_structure).flatten());
    let outputs = m.variables().filter(|one| one.storage_class() == StorageClass::OUTPUT);
    let outputs: Vec<Id> = outputs.map(|one| one.result()).collect();
    strip_variables(m, p, &outputs, &mut stripped);
    for inst in m.section(Section::Annotations) {
        let of_whole = Decorate::of(inst).map(|one| (one.target(), one.decoration()));
        let decorated = of_whole
            .or_else(|| MemberDecorate::of(inst).map(|one| (one.target(), one.decoration())));
        let needs = |decoration| is_xfb(decoration) && decoration != Decoration::OFFSET;
        // If the target is a decoration group, the decoration is removed from the group.
        if let Some((target, decoration)) = decorated
            && needs(decoration)
            && stripped.insert(target)
        {
            p.undecorate(target, |_, decoration| needs(decoration));
        }
    }
}

/// Removes the `xfb_*` decorations of variables and of their structures, and adds the variables and structures to
/// `stripped`.
fn strip_variables<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    variables: &[Id],
    stripped: &mut HashSet<Id>,
) {
    let laid_out = LazyCell::new(|| rewrite::laid_out_types(m));
    for &id in variables {
        if stripped.insert(id) {
            p.undecorate(id, |_, decoration| is_xfb(decoration));
        }
        let Some(pointee) = m.pointee(id) else { continue };
        let structure = m.innermost_element(pointee);
        if !stripped.insert(structure) {
            continue;
        }
        // If explicitly laid out memory also uses the structure, the offsets belong to that memory and stay.
        let stays = |decoration| decoration == Decoration::OFFSET && laid_out.contains(&structure);
        p.undecorate(structure, |_, decoration| is_xfb(decoration) && !stays(decoration));
    }
}

fn is_xfb(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::XFB_BUFFER | Decoration::XFB_STRIDE | Decoration::OFFSET)
}
