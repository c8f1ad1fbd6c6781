//! Instructions for debuggers and other tools are weak: they keep no code alive, and one that loses an operand goes.

use super::kinds::{Kind, kind};
use super::mark::Marks;
use super::survey::Set;
use polyshade_spv::view::{ExtInst, ExtInstImport};
use polyshade_spv::{Id, Inst, Op, Section};

/// Marks those that have all they speak of.
pub(super) fn mark(marks: &mut Marks<'_, '_>) {
    let m = marks.m();
    let is_debug = |import: ExtInstImport<'_>| {
        let name = import.name();
        name.starts_with("NonSemantic.") || name.contains("DebugInfo")
    };
    let mut imports = m.section(Section::Imports).filter_map(ExtInstImport::of);
    if !imports.any(is_debug) {
        return;
    }
    for inst in m.instructions() {
        let Some(call) = ExtInst::of(inst) else { continue };
        if marks.survey.set(call) == Set::Debug && has_all(marks, inst, call.set()) {
            marks.live.insert(inst.at());
            m.for_each_operand(inst, |_, id, _| {
                if is_said(marks, id) {
                    marks.want_shape(id);
                }
            });
            marks.follow();
        }
    }
}

/// Whether everything that `inst` speaks of stays.
fn has_all(marks: &Marks<'_, '_>, inst: Inst<'_>, set: Id) -> bool {
    let m = marks.m();
    if inst.at() >= marks.survey.bodies {
        let block = marks.survey.notes[inst.at() as usize];
        let label = marks.survey.graph.blocks.get(block as usize).map(|block| block.label);
        if !label.is_some_and(|label| marks.live.contains(label)) {
            return false;
        }
    }
    let mut all = true;
    m.for_each_operand(inst, |_, id, _| {
        let stays = m.defined_at(id).is_none_or(|at| marks.live.contains(at));
        all &= stays || id == set || is_said(marks, id);
    });
    all
}

/// Whether `id` is something that is declared for the sake of what is said: a type, a constant, a string.
fn is_said(marks: &Marks<'_, '_>, id: Id) -> bool {
    let Some(inst) = marks.m().definition(id) else { return false };
    let is_code =
        matches!(inst.op(), Op::VARIABLE | Op::EXT_INST) || inst.at() >= marks.survey.bodies;
    !is_code && kind(inst.op()) != Kind::Unknown
}
