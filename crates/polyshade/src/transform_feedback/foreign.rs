//! What a module says itself about transform feedback is taken out: a driver without the extension may crash on it.

use polyshade_spv::view::{CapabilityInst, EntryPoint, Mode};
use polyshade_spv::{
    Capability, Decoration, ExecutionMode, Id, Module, Patch, Section, StorageClass,
};

/// Takes the `Xfb` mode of `entry`, the `xfb_*` decorations of its outputs, and the capability if nothing else needs
/// it.
pub(super) fn strip<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
    for id in entry.interface().filter(|id| m.storage_class(*id) == Some(StorageClass::OUTPUT)) {
        p.undecorate(id, |_, decoration| is_xfb(decoration));
        let Some((_, pointee)) = m.type_of(id).and_then(|ty| m.pointer(ty)) else { continue };
        strip_structure(m, p, m.innermost_element(pointee));
    }
    let is_mode = |mode: &Mode<'_>| mode.mode() == ExecutionMode::XFB;
    let modes = || m.section(Section::ExecutionModes).filter_map(Mode::of).filter(is_mode);
    for mode in modes().filter(|mode| mode.entry_point() == entry.function()) {
        p.remove(mode.inst());
    }
    if modes().any(|mode| mode.entry_point() != entry.function()) {
        return;
    }
    let capabilities = m.section(Section::Capabilities).filter_map(CapabilityInst::of);
    for inst in capabilities.filter(|inst| inst.capability() == Capability::TRANSFORM_FEEDBACK) {
        p.remove(inst.inst());
    }
}

/// The offsets of a structure that is also laid out in a buffer stay: they are not about transform feedback.
fn strip_structure<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, structure: Id) {
    if !m.decorations_of(structure).any(|applied| is_xfb(applied.decoration)) {
        return;
    }
    let in_buffer = m.variables().any(|variable| {
        !matches!(
            variable.storage_class(),
            StorageClass::OUTPUT | StorageClass::INPUT | StorageClass::PRIVATE
        ) && m
            .pointer(variable.pointer_type())
            .is_some_and(|(_, ty)| m.innermost_element(ty) == structure)
    });
    p.undecorate(structure, |_, decoration| {
        is_xfb(decoration) && !(in_buffer && decoration == Decoration::OFFSET)
    });
}

fn is_xfb(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::XFB_BUFFER | Decoration::XFB_STRIDE | Decoration::OFFSET)
}
