//! Removes debug information together with the id that it describes.

use super::Patch;
use crate::grammar::Op;
use crate::view::{ExtInst, ExtInstImport};
use crate::{Id, Section};
use foldhash::HashSet;

/// Whether all extended instructions of the set `name` are only for debuggers and other tools.
pub fn is_debug_set(name: &str) -> bool {
    name.starts_with("NonSemantic.") || name.contains("DebugInfo")
}

impl Patch<'_, '_> {
    /// Removes the debug instructions that refer to `id`, directly or through other debug instructions.
    pub(super) fn remove_debug_of(&mut self, id: Id) {
        let module = self.module;
        let sets = module.section(Section::Imports).filter_map(ExtInstImport::of);
        let sets: Vec<Id> = sets
            .filter(|set| is_debug_set(&set.name()))
            .filter_map(|set| set.inst().result())
            .collect();
        if sets.is_empty() {
            return;
        }
        let mut seen = HashSet::from_iter([id]);
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            for inst in module.uses_of(id).filter(|inst| inst.op() == Op::EXT_INST) {
                let is_debug = ExtInst::of(inst).is_some_and(|call| sets.contains(&call.set()));
                if is_debug && inst.result().is_some_and(|result| seen.insert(result)) {
                    self.remove(inst);
                    open.extend(inst.result());
                }
            }
        }
    }
}
