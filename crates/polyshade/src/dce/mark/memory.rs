//! Marks the writes that a read depends on, in the same function and in its callers and callees.

use super::{
    At, Call, Function, Index, Key, Marks, Note, Open, Owner, Parameter, Part, Writer, all_of,
};
use crate::dce::records::MOST_MEMBERS;
use polyshade_spv::Id;
use polyshade_spv::view::FunctionCall;

/// The maximum number of parts of a parameter's pointee that are tracked separately when read.
const MOST_READS: usize = 64;

impl Marks<'_, '_> {
    /// Marks everything that a read of `part` depends on.
    pub(super) fn visit_read(&mut self, part: Part) {
        self.want_writes_to(part);
        let root = *self.analysis.parts.root(part);
        let Owner::Parameter(number) = root.owner else { return };
        let parameter = &mut self.analysis.parameters[number];
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
            if let Some(part) = marks.analysis.part(argument) {
                let part = marks.analysis.parts.corresponding(read, part);
                marks.open.push(Open::Read(part));
            }
        });
    }

    /// Marks as read the memory that a live call passes by pointer, as far as the called function reads it.
    pub(super) fn read_through(&mut self, argument: Part, parameter: Parameter) {
        if self.analysis.parameters[parameter].read {
            return self.open.push(Open::Read(argument));
        }
        for number in 0..self.analysis.parameters[parameter].reads.len() {
            let read = self.analysis.parameters[parameter].reads[number];
            let part = self.analysis.parts.corresponding(read, argument);
            self.open.push(Open::Read(part));
        }
    }

    /// Marks the possible writers that a read of `part` depends on.
    fn want_writes_to(&mut self, part: Part) {
        let mut found = std::mem::take(&mut self.found);
        let analysis = &mut self.analysis;
        let (parts, notes) = (&mut analysis.parts, &analysis.notes);
        parts.read(part, |by, key| {
            found.push((by, key));
            // A write of a whole structure is examined member by member.
            matches!(by, Writer::Inst(at) if notes.has_note(at))
        });
        for (by, key) in found.drain(..) {
            match by {
                Writer::Inst(at) => self.want_write(at, key),
                Writer::Call { call, argument } => self.want_write_of_call(call, argument),
            }
        }
        self.found = found;
    }

    /// Handles a call that may write memory that is read. It becomes live once an instruction in its function that
    /// writes the memory is live.
    fn want_write_of_call(&mut self, call: Call, argument: u32) {
        let callee = self.analysis.calls[call].callee;
        let Some(parameter) = self.parameter(callee, argument) else { return };
        self.open.push(Open::Wanted(parameter));
        match self.analysis.parameters[parameter].written {
            true => self.live_writing_call(call, parameter),
            false => self.analysis.parameters[parameter].waiting.push(call),
        }
    }

    /// Marks an instruction that writes memory that is read, or only the member that is read.
    fn want_write(&mut self, at: At, key: Option<Key>) {
        let member = key.and_then(|key| key.member(MOST_MEMBERS));
        match (self.analysis.note(at), member) {
            (Note::Value(value), Some(member)) => self.want_member_at(at, value, member),
            _ => self.want_at(at),
        }
    }

    fn parameter(&self, function: Function, number: u32) -> Option<Parameter> {
        let parameters = self.analysis.functions[function].parameters.clone();
        all_of(parameters).nth(number as usize)
    }

    pub(super) fn argument(&self, at: At, parameter: Parameter) -> Option<Id> {
        let call = FunctionCall::of(self.analysis.inst(at))?;
        let function = self.analysis.parameters[parameter].function;
        let first = self.analysis.functions[function].parameters.start;
        call.arguments().nth(parameter.number() - first.number())
    }

    /// Marks a call that writes memory that is read, through `parameter`.
    fn live_writing_call(&mut self, call: Call, parameter: Parameter) {
        let at = self.analysis.calls[call].at;
        self.live(at);
        if let Some(part) = self.argument(at, parameter).and_then(|id| self.analysis.part(id)) {
            self.live_write_to(part, at);
        }
    }

    pub(super) fn visit_wanted(&mut self, parameter: Parameter) {
        let parameter = &mut self.analysis.parameters[parameter];
        if !std::mem::replace(&mut parameter.wanted, true)
            && let Some(part) = parameter.part
        {
            self.want_writes_to(part);
        }
    }

    pub(super) fn visit_written(&mut self, number: Parameter) {
        let parameter = &mut self.analysis.parameters[number];
        if std::mem::replace(&mut parameter.written, true) {
            return;
        }
        for call in std::mem::take(&mut parameter.waiting) {
            self.live_writing_call(call, number);
        }
    }

    /// Records that the live instruction at `at` writes to `part`, which callers or other functions may see.
    pub(super) fn live_write_to(&mut self, part: Part, at: At) {
        match self.analysis.parts.root(part).owner {
            Owner::Function => {}
            Owner::Parameter(number) => self.open.push(Open::Written(number)),
            Owner::Module => self.live_effect_at(at),
        }
    }
}
