//! Keeps debug instructions that lose no operand. Debug instructions do not keep code alive.

use super::index::At;
use super::kinds::{Kind, kind};
use super::mark::Marks;
use super::notes::Set;
use polyshade_spv::view::{ExtInst, ExtInstImport};
use polyshade_spv::{Id, Inst, Op, Section, is_debug_set};

/// Marks the debug instructions that lose no operand.
pub(super) fn mark(marks: &mut Marks<'_, '_>) {
    let m = marks.m();
    let is_debug = |import: ExtInstImport<'_>| is_debug_set(&import.name());
    let mut imports = m.section(Section::Imports).filter_map(ExtInstImport::of);
    if !imports.any(is_debug) {
        return;
    }
    for inst in m.instructions() {
        let Some(call) = ExtInst::of(inst) else { continue };
        if marks.analysis.set(call) == Set::Debug && keeps_operands(marks, inst, call.set()) {
            marks.live.insert(At::of(inst));
            m.for_each_operand(inst, |_, id, _| {
                if is_declared(marks, id) {
                    marks.want_type(id);
                }
            });
            marks.propagate();
        }
    }
}

/// Whether the block and all operands of `inst` stay.
fn keeps_operands(marks: &Marks<'_, '_>, inst: Inst<'_>, set: Id) -> bool {
    let m = marks.m();
    if inst.at() >= marks.analysis.bodies {
        let block = marks.analysis.block_of(At::of(inst));
        let label = block.map(|block| marks.analysis.graph.blocks[block].label);
        if !label.is_some_and(|label| marks.live.contains(label)) {
            return false;
        }
    }
    let mut all = true;
    m.for_each_operand(inst, |_, id, _| {
        let stays = marks.analysis.defined_at(id).is_none_or(|at| marks.live.contains(at));
        all &= stays || id == set || is_declared(marks, id);
    });
    all
}

/// Whether `id` is a type, a constant or a string: declared before all functions, without computing anything. Such an
/// operand is kept if the debug instruction stays.
fn is_declared(marks: &Marks<'_, '_>, id: Id) -> bool {
    let Some(inst) = marks.m().definition(id) else { return false };
    let is_code =
        matches!(inst.op(), Op::VARIABLE | Op::EXT_INST) || inst.at() >= marks.analysis.bodies;
    !is_code && kind(inst.op()) != Kind::Unknown
}
