//! Draws whose vertices are not captured one after the other: with adjacency, or restarted by indices.

use super::feedback::{Feedback, function};
use crate::library;
use crate::moves::{self, Hook};
use crate::source::Source;
use crate::transform_feedback::known::HostWord;
use crate::transform_feedback::topology::Topology;
use polyshade_spv::{Cursor, Id, Patch};

impl Feedback<'_> {
    /// Replaces what finds the slots of a vertex of an instance, among `hooks`, by what knows neighbours and restarts,
    /// where there may be such. Returns what says how many primitives an instance has, where the table of segments
    /// does.
    pub(super) fn find_vertices(
        &self,
        p: &mut Patch<'_, '_>,
        hooks: &mut Vec<Hook<'static>>,
    ) -> Option<Hook<'static>> {
        let with_adjacency = self.draws.any(Topology::has_adjacency);
        if with_adjacency {
            let uint = p.uint();
            let function = function(p, "topology_with_adjacency", uint, |code| {
                let open = self.bound.added.open(code);
                self.topology(code, open)
            });
            hooks.push(Hook { name: "topology_with_adjacency", function });
            let names = ["of_captured", "count_of_segment_captured"];
            let names = &names[..if self.draws.restart() { 2 } else { 1 }];
            let linked = moves::link(p, &library::CAPTURE, names, hooks);
            let replaced = ["of_vertex", "count_of_segment"].into_iter().zip(linked);
            *hooks = replaced.map(|(name, function)| Hook { name, function }).collect();
        }
        let source = self.bound.segments?;
        hooks.push(self.topology_hook(p));
        hooks.push(Hook { name: "table_length", function: self.table_length(p, source) });
        hooks.push(Hook { name: "table_word", function: self.table_word(p, source) });
        let names = ["of_segment", "primitives_in_table"];
        let linked = moves::link(p, &library::CAPTURE, &names, hooks);
        *hooks = vec![Hook { name: "of_vertex", function: linked[0] }];
        Some(Hook { name: "primitives_per_instance", function: linked[1] })
    }

    /// What says the topology of what is captured, to functions that do not know it.
    pub(super) fn topology_hook(&self, p: &mut Patch<'_, '_>) -> Hook<'static> {
        let known = self.draws.captured_topology();
        let without = (known.is_none() && self.draws.any(Topology::has_adjacency))
            .then(|| moves::link(p, &library::CAPTURE, &["without_adjacency"], &[])[0]);
        let uint = p.uint();
        let function = function(p, "topology", uint, |code| {
            if let Some(known) = known {
                return code.p.uint_constant(known as u32);
            }
            let open = self.bound.added.open(code);
            let topology = self.topology(code, open);
            match without {
                Some(without) => code.call(uint, without, &[topology]),
                None => topology,
            }
        });
        Hook { name: "topology", function }
    }

    /// Emits `uint table_length()`: how many words the table of segments has.
    fn table_length(&self, p: &mut Patch<'_, '_>, source: Source) -> Id {
        let uint = p.uint();
        function(p, "table_length", uint, |code| match source {
            Source::Bound(block) => block.length(code).expect("the table is a storage buffer"),
            Source::Memory(_) => {
                let open = self.bound.added.open(code);
                self.in_words(code, open, HostWord::TableSize)
            }
        })
    }

    /// Emits `uint table_word(uint word)`.
    fn table_word(&self, p: &mut Patch<'_, '_>, source: Source) -> Id {
        let (id, at, uint) = (p.id(), p.lane(), p.uint());
        p.name(id, "table_word");
        let mut code = p.at(at);
        let word = code.begin_function(id, uint, &[uint])[0];
        let value = match source {
            Source::Bound(block) => {
                let pointer = block.pointer(&mut code, word);
                code.load(uint, pointer)
            }
            Source::Memory(_) => self.table_in_memory(&mut code, word),
        };
        code.end_function(Some(value));
        id
    }

    fn table_in_memory(&self, code: &mut Cursor<'_, '_, '_>, word: Id) -> Id {
        let open = self.bound.added.open(code);
        let halves = [HostWord::TableAddressLow, HostWord::TableAddressHigh];
        let memory = open.memory(code, halves.map(|half| self.number(half)));
        memory.expect("what is not bound is found by its address").load(code, word)
    }
}
