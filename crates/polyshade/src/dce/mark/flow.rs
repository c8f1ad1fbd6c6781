//! Marks the control flow that a live instruction needs: the block, constructs and function that contain it.

use super::{At, Block, Construct, Function, Marks, Open, all_of};
use crate::dce::graph::BlockRecord;
use polyshade_spv::view::ReturnValue;

impl Marks<'_, '_> {
    /// Marks a construct with a live instruction, and the constructs around it.
    #[inline(never)]
    fn live_construct(&mut self, construct: Construct) {
        let mut next = Some(construct);
        while let Some(construct) = next {
            let one = &mut self.analysis.graph.constructs[construct];
            if std::mem::replace(&mut one.live, true) {
                break;
            }
            next = one.parent;
            self.open.push(Open::Construct(construct));
        }
    }

    /// Marks the body of a function that contains a live instruction.
    pub(super) fn live_body(&mut self, function: Function) {
        if let Some(body) = self.analysis.functions[function].body {
            self.live_construct(body);
        }
    }

    /// Marks an endless loop or an unstructured body, and its function. An observer can detect both.
    pub(super) fn live_endless(&mut self, construct: Construct, function: Function) {
        self.live_construct(construct);
        self.effect(function);
    }

    /// Marks the construct that contains a block with a live instruction.
    #[inline]
    pub(super) fn live_block(&mut self, block: Option<Block>) {
        let inside = block.and_then(|block| self.analysis.graph.blocks[block].inside);
        // Nearly all constructs are already live (benchmark `position`).
        if let Some(construct) = inside.filter(|one| !self.analysis.graph.constructs[*one].live) {
            self.live_construct(construct);
        }
    }

    /// Marks the terminator of a block.
    pub(super) fn live_terminator(&mut self, block: Option<Block>) {
        let Some(block) = block else { return };
        let BlockRecord { terminator, merge, heads, .. } = self.analysis.graph.blocks[block];
        self.live(terminator);
        if let Some(merge) = merge {
            self.live(merge);
        }
        if let Some(construct) = heads {
            self.live_construct(construct);
        }
    }

    pub(super) fn visit_construct(&mut self, construct: Construct) {
        let construct = self.analysis.graph.constructs[construct];
        if construct.header.is_some() {
            self.live_block(construct.header);
            self.live_terminator(construct.header);
        } else if let Some(first) = construct.first {
            self.visit_body(first);
        }
        let mut next = construct.loops;
        while let Some(inner) = next {
            let inner = self.analysis.graph.constructs[inner];
            // A loop's header stays even if the loop is removed.
            if let Some(header) = inner.header {
                self.live(self.analysis.graph.blocks[header].label);
            }
            next = inner.next_loop;
        }
        let mut next = construct.first;
        while let Some(block) = next {
            let record = self.analysis.graph.blocks[block];
            self.live(record.label);
            if record.heads.is_none() {
                self.live_terminator(Some(block));
            }
            next = record.next;
        }
        let mut next = construct.exits;
        while let Some(exit) = next {
            let (block, after) = self.analysis.graph.exits[exit];
            self.live_terminator(Some(block));
            next = after;
        }
    }

    /// Marks the frame and the early returns of a function that contains a live instruction.
    fn visit_body(&mut self, first: Block) {
        let Some(function) = self.function_around(self.analysis.graph.blocks[first].label) else {
            return;
        };
        self.keep_frame(function);
        for number in std::mem::take(&mut self.analysis.functions[function].early_returns) {
            self.live_terminator(Some(self.analysis.early_returns[number]));
        }
    }

    /// Marks the first and last instructions and the parameters of a function.
    pub(super) fn keep_frame(&mut self, function: Function) {
        let function = &self.analysis.functions[function];
        let (at, end, parameters) = (function.at, function.end, function.parameters.clone());
        self.live(at);
        self.live(At::from_word(end - 1));
        for parameter in all_of(parameters) {
            self.live(self.analysis.parameters[parameter].at);
        }
    }

    fn function_around(&self, at: At) -> Option<Function> {
        self.analysis.function(self.m().function_around(at.word())?.id())
    }

    /// Marks that a live instruction has an effect outside of its function.
    pub(super) fn live_effect_at(&mut self, at: At) {
        let block = self.analysis.block_of(at);
        let label = block.map(|block| self.analysis.graph.blocks[block].label);
        if let Some(function) = label.and_then(|label| self.function_around(label)) {
            self.effect(function);
        }
    }

    /// Marks that a function has an observed effect.
    pub(super) fn effect(&mut self, function: Function) {
        if !std::mem::replace(&mut self.analysis.functions[function].has_effect, true) {
            self.open.push(Open::Effect(function));
        }
    }

    pub(super) fn visit_effect(&mut self, function: Function) {
        let mut next = self.analysis.functions[function].calls;
        while let Some(call) = next {
            let call = &self.analysis.calls[call];
            let (at, caller) = (call.at, call.caller);
            next = call.next;
            self.live(at);
            self.effect(caller);
        }
    }

    pub(super) fn visit_result(&mut self, function: Function) {
        let function = &mut self.analysis.functions[function];
        if std::mem::replace(&mut function.result_wanted, true) {
            return;
        }
        for number in function.returned.clone() {
            let returned = ReturnValue::of(self.terminator(self.analysis.returned[number]));
            self.want(returned.expect("the block returns a value").value());
        }
    }
}
