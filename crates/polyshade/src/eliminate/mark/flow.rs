//! What becomes live with a block, a construct, a function.

use super::{Marks, Open};
use crate::eliminate::graph::{self, Block};
use polyshade_spv::view::ReturnValue;

impl Marks<'_, '_> {
    pub(in crate::eliminate) fn live_construct(&mut self, mut construct: u32) {
        while let Some(one) = self.survey.graph.constructs.get_mut(construct as usize)
            && !one.live
        {
            one.live = true;
            self.open.push(Open::Construct(construct));
            construct = one.parent;
        }
    }

    pub(super) fn live_block(&mut self, block: u32) {
        if let Some(block) = self.survey.graph.blocks.get(block as usize) {
            self.live_construct(block.inside);
        }
    }

    pub(super) fn live_terminator(&mut self, block: u32) {
        if let Some(Block { terminator, merge, heads, .. }) =
            self.survey.graph.blocks.get(block as usize).copied()
        {
            self.live(terminator);
            if merge != 0 {
                self.live(merge);
            }
            self.live_construct(heads);
        }
    }

    pub(super) fn visit_construct(&mut self, construct: u32) {
        let construct = self.survey.graph.constructs[construct as usize];
        if construct.header == graph::NONE {
            self.visit_body(construct.first);
        } else {
            self.live_block(construct.header);
            self.live_terminator(construct.header);
        }
        let mut inner = construct.loops;
        while let Some(one) = self.survey.graph.constructs.get(inner as usize) {
            // The header of a loop stays without the loop.
            let (header, next) = (one.header, one.next_loop);
            self.live(self.survey.graph.blocks[header as usize].label);
            inner = next;
        }
        let mut block = construct.first;
        while block != graph::NONE {
            let Block { label, heads, next, .. } = self.survey.graph.blocks[block as usize];
            self.live(label);
            if heads == graph::NONE {
                self.live_terminator(block);
            }
            block = next;
        }
        let mut exit = construct.exits;
        while let Some((block, next)) = self.survey.graph.exits.get(exit as usize).copied() {
            self.live_terminator(block);
            exit = next;
        }
    }

    /// Something in a function is live: what a function is made of is too, and where it returns early.
    pub(super) fn visit_body(&mut self, first: u32) {
        let Some(block) = self.survey.graph.blocks.get(first as usize) else { return };
        let Some(around) = self.m().function_around(block.label) else { return };
        let Some(number) = self.survey.function(around.id()) else { return };
        self.keep_frame(number);
        let returns = std::mem::take(&mut self.survey.functions[number as usize].early_returns);
        for block in returns {
            self.live_terminator(block);
        }
    }

    pub(super) fn keep_frame(&mut self, number: u32) {
        let function = &self.survey.functions[number as usize];
        let (at, end, parameters) = (function.at, function.end, function.parameters.clone());
        self.live(at);
        self.live(end - 1);
        for parameter in parameters {
            self.live(self.survey.parameters[parameter as usize].at);
        }
    }

    /// The body that a block stands in.
    pub(super) fn body_of(&self, block: u32) -> Option<u32> {
        let label = self.survey.graph.blocks.get(block as usize)?.label;
        self.survey.function(self.m().function_around(label)?.id())
    }

    pub(super) fn effect_in(&mut self, function: Option<u32>) {
        if let Some(function) = function {
            self.effect(function);
        }
    }

    pub(super) fn effect(&mut self, function: u32) {
        if !std::mem::replace(&mut self.survey.functions[function as usize].has_effect, true) {
            self.open.push(Open::Effect(function));
        }
    }

    pub(super) fn visit_effect(&mut self, function: u32) {
        let mut call = self.survey.functions[function as usize].calls;
        while let Some(one) = self.survey.calls.get(call as usize) {
            let (at, caller, next) = (one.at, one.caller, one.next);
            self.live(at);
            self.effect(caller);
            call = next;
        }
    }

    pub(super) fn visit_result(&mut self, function: u32) {
        let function = &mut self.survey.functions[function as usize];
        if std::mem::replace(&mut function.result_wanted, true) {
            return;
        }
        for block in std::mem::take(&mut function.returned) {
            let terminator = self.survey.graph.blocks[block as usize].terminator;
            let returned = ReturnValue::of(self.m().inst_at(terminator));
            self.want(returned.expect("the block returns a value").value());
        }
    }
}
