//! What becomes live with a read of memory, in this function and in those that it calls or is called by.

use super::{Marks, Open};
use crate::eliminate::parts::{NONE, Owner, Write};
use crate::eliminate::records::MOST_MEMBERS;
use crate::eliminate::survey::Note;
use polyshade_spv::Id;
use polyshade_spv::view::FunctionCall;

/// How many parts of what a parameter points to are read one by one.
const MOST_READS: usize = 64;

impl Marks<'_, '_> {
    /// Something live reads `part`.
    pub(super) fn visit_read(&mut self, part: u32) {
        self.touch(part);
        let root = *self.survey.parts.root(part);
        let Owner::Parameter(number) = root.owner else { return };
        let parameter = &mut self.survey.parameters[number as usize];
        let whole = part == root.part || parameter.reads.len() >= MOST_READS;
        if parameter.read || !whole && parameter.reads.contains(&part) {
            return;
        }
        match whole {
            true => parameter.read = true,
            false => parameter.reads.push(part),
        }
        let read = if whole { root.part } else { part };
        self.for_each_argument(number, |marks, argument| {
            if let Some(part) = marks.survey.part(argument) {
                let part = marks.survey.parts.alike(read, part);
                marks.open.push(Open::Read(part));
            }
        });
    }

    /// A live call reads what it passes the address of, as far as its function reads it.
    pub(super) fn read_through(&mut self, argument: u32, parameter: u32) {
        if self.survey.parameters[parameter as usize].read {
            return self.open.push(Open::Read(argument));
        }
        for number in 0..self.survey.parameters[parameter as usize].reads.len() {
            let read = self.survey.parameters[parameter as usize].reads[number];
            let part = self.survey.parts.alike(read, argument);
            self.open.push(Open::Read(part));
        }
    }

    /// Marks what may have written what is read from `part`.
    pub(super) fn touch(&mut self, part: u32) {
        let mut writes = std::mem::take(&mut self.found);
        let (parts, notes) = (&mut self.survey.parts, &self.survey.notes);
        parts.read(part, |write, key| {
            writes.push((write, key));
            // Only what stores a structure is noted.
            write.argument.is_none() && notes[write.by as usize + 1] != 0
        });
        for (Write { by, argument, .. }, key) in writes.drain(..) {
            let Some(number) = argument else {
                self.live_write(by, key);
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

    /// Marks an instruction that writes what is read, or a member of it that is.
    fn live_write(&mut self, by: u32, key: Option<u32>) {
        match (self.survey.note(by), key) {
            (Note::Value(value), Some(key)) if key < MOST_MEMBERS => {
                self.want_member_at(by, value, key);
            }
            _ => self.want_at(by),
        }
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
