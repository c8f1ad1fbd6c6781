//! What becomes live with a read of memory, in this function and in those that it calls or is called by.

use super::{Marks, Open};
use crate::moves::eliminate::parts::{NONE, Owner, Write};
use polyshade_spv::Id;
use polyshade_spv::view::FunctionCall;

impl Marks<'_, '_> {
    /// Something live reads `part`.
    pub(super) fn visit_read(&mut self, part: u32) {
        self.touch(part);
        if let Owner::Parameter(number) = self.survey.parts.root(part).owner
            && !std::mem::replace(&mut self.survey.parameters[number as usize].read, true)
        {
            let function = self.survey.parameters[number as usize].function;
            let mut call = self.survey.functions[function as usize].live_calls;
            while let Some(one) = self.survey.calls.get(call as usize) {
                let (at, next) = (one.at, one.next_live);
                self.read_argument(at, number);
                call = next;
            }
        }
    }

    /// Marks what may have written what is read from `part`.
    pub(super) fn touch(&mut self, part: u32) {
        let mut writes = std::mem::take(&mut self.found);
        self.survey.parts.read(part, |write| writes.push(write));
        for Write { by, argument, .. } in writes.drain(..) {
            let Some(number) = argument else {
                self.live(by);
                continue;
            };
            let callee = self.survey.calls[by as usize].callee;
            let Some(parameter) = self.parameter(callee, number) else { continue };
            self.open.push(Open::Wanted(parameter));
            match self.survey.parameters[parameter as usize].written {
                true => self.live_writing_call(by, parameter),
                false => self.survey.parameters[parameter as usize].waiting.push(by),
            }
        }
        self.found = writes;
    }

    pub(super) fn parameter(&self, function: u32, number: u32) -> Option<u32> {
        let parameters = &self.survey.functions[function as usize].parameters;
        Some(parameters.start + number).filter(|parameter| parameters.contains(parameter))
    }

    pub(super) fn argument(&self, call_at: u32, parameter: u32) -> Option<Id> {
        let call = FunctionCall::of(self.m().inst_at(call_at))?;
        let function = self.survey.parameters[parameter as usize].function;
        let first = self.survey.functions[function as usize].parameters.start;
        call.arguments().nth((parameter - first) as usize)
    }

    pub(super) fn read_argument(&mut self, call_at: u32, parameter: u32) {
        if let Some(part) = self.argument(call_at, parameter).and_then(|id| self.survey.part(id)) {
            self.open.push(Open::Read(part));
        }
    }

    /// A call that writes, through `parameter`, what something live reads.
    pub(super) fn live_writing_call(&mut self, call: u32, parameter: u32) {
        let at = self.survey.calls[call as usize].at;
        self.live(at);
        if let Some(part) = self.argument(at, parameter).and_then(|id| self.survey.part(id)) {
            self.wrote(part, at);
        }
    }

    pub(super) fn visit_wanted(&mut self, parameter: u32) {
        let parameter = &mut self.survey.parameters[parameter as usize];
        if !std::mem::replace(&mut parameter.wanted, true) && parameter.part != NONE {
            let part = parameter.part;
            self.touch(part);
        }
    }

    pub(super) fn visit_written(&mut self, number: u32) {
        let parameter = &mut self.survey.parameters[number as usize];
        if std::mem::replace(&mut parameter.written, true) {
            return;
        }
        for call in std::mem::take(&mut parameter.waiting) {
            self.live_writing_call(call, number);
        }
    }

    /// Something live, in the function around word `at`, writes to `part`.
    pub(super) fn wrote(&mut self, part: u32, at: u32) {
        match self.survey.parts.root(part).owner {
            Owner::Function => {}
            Owner::Parameter(number) => self.open.push(Open::Written(number)),
            Owner::Module => {
                let body = self.body_of(self.survey.notes[at as usize]);
                self.effect_in(body);
            }
        }
    }
}
