//! Links the code for draws with adjacency or primitive restart, whose captured vertices are not consecutive.

use super::feedback::{Feedback, function};
use crate::library;
use crate::rewrite::{self, Hook};
use crate::source::Source;
use crate::transform_feedback::draw_constraints::DrawParam;
use crate::transform_feedback::topology::Topology;
use polyshade_spv::{Id, Patch};

impl Feedback<'_> {
    /// Links the functions for adjacency and restart. The first hook finds the slots of a vertex in an instance; it
    /// calls `corners`, which ignores adjacency and restart. The second hook exists only with a table of segments. It
    /// returns the number of primitives per instance from the table. Both hooks replace functions of the library.
    pub(super) fn find_vertices(
        &self,
        p: &mut Patch<'_, '_>,
        corners: Hook<'static>,
    ) -> (Hook<'static>, Option<Hook<'static>>) {
        let with_adjacency = self.draws.any(Topology::has_adjacency);
        if !with_adjacency && self.bound.segments.is_none() {
            return (corners, None);
        }
        let of_vertex = rewrite::link(p, &library::CAPTURE, &["of_vertex"], &[corners])[0];
        let mut hooks = vec![Hook { name: "of_vertex", function: of_vertex }];
        if with_adjacency {
            let uint = p.uint();
            let function = function(p, "topology_with_adjacency", uint, |code| {
                let open = self.bound.added.open(code);
                self.topology(code, open)
            });
            hooks.push(Hook { name: "topology_with_adjacency", function });
            let names = ["of_captured", "count_of_segment_captured"];
            let names = &names[..if self.draws.restart() { 2 } else { 1 }];
            let linked = rewrite::link(p, &library::DRAWS, names, &hooks);
            let replaced = ["of_vertex", "count_of_segment"].into_iter().zip(linked);
            hooks = replaced.map(|(name, function)| Hook { name, function }).collect();
        }
        let Some(source) = self.bound.segments else { return (hooks.swap_remove(0), None) };
        let names = ["vertices_per_primitive", "primitives_per_instance"];
        let of_primitives = rewrite::link(p, &library::CAPTURE, &names, &[]);
        let of_primitives = names.into_iter().zip(of_primitives);
        hooks.extend(of_primitives.map(|(name, function)| Hook { name, function }));
        hooks.push(self.topology_hook(p));
        hooks.push(Hook { name: "table_length", function: self.table_length(p, source) });
        hooks.push(Hook { name: "table_word", function: self.table_word(p, source) });
        let names = ["of_segment", "primitives_in_table"];
        let linked = rewrite::link(p, &library::DRAWS, &names, &hooks);
        let [of_vertex, primitives] = ["of_vertex", "primitives_per_instance"];
        (
            Hook { name: of_vertex, function: linked[0] },
            Some(Hook { name: primitives, function: linked[1] }),
        )
    }

    /// Links the function that captures a vertex. It calls `capture`, which ignores adjacency.
    pub(super) fn capture_with_adjacency(&self, p: &mut Patch<'_, '_>, capture: Id) -> Id {
        if !self.draws.any(Topology::has_adjacency) {
            return capture;
        }
        let hook = Hook { name: "capture", function: capture };
        rewrite::link(p, &library::DRAWS, &["capture_with_adjacency"], &[hook])[0]
    }

    /// Links the hook that returns the topology of the captured primitives, without adjacency.
    pub(super) fn topology_hook(&self, p: &mut Patch<'_, '_>) -> Hook<'static> {
        let known = self.draws.captured_topology();
        let without = (known.is_none() && self.draws.any(Topology::has_adjacency))
            .then(|| rewrite::link(p, &library::DRAWS, &["without_adjacency"], &[])[0]);
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

    /// Emits the functions that store to the table of counts at an address.
    pub(in super::super) fn counts_hooks(&self, p: &mut Patch<'_, '_>) -> Vec<Hook<'static>> {
        let (uint, void) = (p.uint(), p.void());
        let length = function(p, "table_length", uint, |code| {
            let open = self.bound.added.open(code);
            self.in_words(code, open, DrawParam::CountsSize)
        });
        let put =
            rewrite::define_function(p, "put_word", (void, &[uint; 2]), |code, parameters| {
                let open = self.bound.added.open(code);
                let halves = [DrawParam::CountsAddressLow, DrawParam::CountsAddressHigh];
                let memory = open.memory(code, halves.map(|half| self.number(half)));
                let memory = memory.expect("the host parameters are at an address, too");
                memory.store(code, parameters[0], parameters[1]);
                None
            });
        let names = [("table_length", length), ("put_word", put)];
        names.map(|(name, function)| Hook { name, function }).to_vec()
    }

    /// Emits `uint table_length()`, which returns the number of 32-bit values in the table of segments.
    pub(in super::super) fn table_length(&self, p: &mut Patch<'_, '_>, source: Source) -> Id {
        let uint = p.uint();
        function(p, "table_length", uint, |code| match source {
            Source::Bound(block) => block.length(code).expect("the table is a storage buffer"),
            Source::Memory(_) => {
                let open = self.bound.added.open(code);
                self.in_words(code, open, DrawParam::TableSize)
            }
        })
    }

    /// Emits `uint table_word(uint word)`, which reads a 32-bit value of the table of segments.
    pub(in super::super) fn table_word(&self, p: &mut Patch<'_, '_>, source: Source) -> Id {
        let uint = p.uint();
        rewrite::define_function(p, "table_word", (uint, &[uint]), |code, parameters| {
            Some(match source {
                Source::Bound(block) => {
                    let pointer = block.pointer(code, parameters[0]);
                    code.load(uint, pointer)
                }
                Source::Memory(_) => {
                    let open = self.bound.added.open(code);
                    let halves = [DrawParam::TableAddressLow, DrawParam::TableAddressHigh];
                    let memory = open.memory(code, halves.map(|half| self.number(half)));
                    memory.expect("unbound buffers have addresses").load(code, parameters[0])
                }
            })
        })
    }
}
