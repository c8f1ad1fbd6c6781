//! What a module says itself about transform feedback is taken out: a driver without the extension may crash on it.

use crate::moves;
use polyshade_spv::view::{CapabilityInst, EntryPoint, Mode};
use polyshade_spv::{Capability, Decoration, ExecutionMode, Module, Patch, Section, StorageClass};

/// Takes the `Xfb` mode of `entry`, the `xfb_*` decorations of its outputs, and the capability if nothing else needs
/// it. A module that says nothing of transform feedback stays as it is.
pub(crate) fn strip<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
    let modes = || {
        let modes = m.section(Section::ExecutionModes).filter_map(Mode::of);
        modes.filter(|mode| mode.mode() == ExecutionMode::XFB)
    };
    let capabilities = || {
        let capabilities = m.section(Section::Capabilities).filter_map(CapabilityInst::of);
        capabilities.filter(|inst| inst.capability() == Capability::TRANSFORM_FEEDBACK)
    };
    if modes().next().is_none() && capabilities().next().is_none() {
        return;
    }

    strip_outputs(m, p, entry);
    for mode in modes().filter(|mode| mode.entry_point() == entry.function()) {
        p.remove(mode.inst());
    }
    if modes().all(|mode| mode.entry_point() == entry.function()) {
        capabilities().for_each(|inst| p.remove(inst.inst()));
    }
}

/// Takes the `xfb_*` decorations of the outputs of `entry`, and nothing else.
pub(super) fn strip_outputs<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
    let laid_out = moves::laid_out_types(m);
    for id in moves::interface(m, entry, StorageClass::OUTPUT) {
        p.undecorate(id, |_, decoration| is_xfb(decoration));
        let Some(pointee) = m.pointee(id) else { continue };
        let structure = m.innermost_element(pointee);
        // The offsets of a structure that is also in a buffer are the buffer's.
        let stays = |decoration| decoration == Decoration::OFFSET && laid_out.contains(&structure);
        p.undecorate(structure, |_, decoration| is_xfb(decoration) && !stays(decoration));
    }
}

fn is_xfb(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::XFB_BUFFER | Decoration::XFB_STRIDE | Decoration::OFFSET)
}
