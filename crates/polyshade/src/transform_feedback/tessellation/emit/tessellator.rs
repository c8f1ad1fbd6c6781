//! Makes the compute stages of the tessellator. `library/tessellator.glsl` has its rules.

use super::{Stage, procedure};
use crate::host::Reserved;
use crate::library;
use crate::rewrite::{self, Hook, HostBlock};
use crate::transform_feedback::emit::feedback::function;
use crate::transform_feedback::emit::{compute, drop_capabilities};
use crate::transform_feedback::geometry::{table_hooks, wait_for_table};
use crate::transform_feedback::native_xfb;
use crate::transform_feedback::patches::{Domain, Spacing};
use crate::transform_feedback::tessellation::{Buffer, Plan};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Error, GlslOp, Id, Module, Op, Patch, Position, StorageClass};

/// Makes `Allocate`.
pub(in super::super) fn allocate<'m, 'w>(
    m: &'m Module<'w>,
    p: &mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    context: (&Plan, &Reserved),
) -> Result<(), Error> {
    let (stage, at) = Stage::tessellator(m, p, entry, context);
    let added = stage.host_params(p)?;
    let local = compute::local_number(p, entry, at);
    let mut hooks = stage.hooks(p)?;
    let count = ["count_triangles", "count_quads", "count_isolines"][stage.domain()];
    let count = rewrite::link(p, &library::TESSELLATOR, &[count], &hooks)[0];
    hooks.push(Hook { name: "count_patch", function: count });
    hooks.push(Hook { name: "wait_for_table", function: wait_for_table(p) });
    let allocate = rewrite::link(p, &library::TESSELLATOR, &["allocate"], &hooks)[0];
    let mut code = p.at(at);
    let [_, per_instance, patches] = stage.counts(&mut code, &added);
    let void = code.p.void();
    let [spacing, points, _] = stage.modes(&mut code);
    code.call(void, allocate, &[local, patches, per_instance, spacing, points]);
    Ok(())
}

/// Makes `Tessellate`.
pub(in super::super) fn tessellate<'m, 'w>(
    m: &'m Module<'w>,
    p: &mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    context: (&Plan, &Reserved),
) -> Result<(), Error> {
    let (stage, at) = Stage::tessellator(m, p, entry, context);
    let patch = compute::group_number(p, entry, at);
    let local = compute::local_number(p, entry, at);
    let hooks = stage.hooks(p)?;
    let write = ["write_triangles", "write_quads", "write_isolines"][stage.domain()];
    let write = rewrite::link(p, &library::TESSELLATOR, &[write], &hooks)[0];
    let mut code = p.at(at);
    let void = code.p.void();
    let [spacing, points, turned] = stage.modes(&mut code);
    code.call(void, write, &[local, patch, spacing, points, turned]);
    Ok(())
}

impl<'s, 'm, 'w> Stage<'s, 'm, 'w> {
    /// Replaces the evaluation shader by an empty compute stage, and returns the position of its code.
    fn tessellator(
        m: &'m Module<'w>,
        p: &mut Patch<'m, 'w>,
        entry: EntryPoint<'m>,
        context: (&'s Plan, &'s Reserved),
    ) -> (Self, Position<'m>) {
        let at = rewrite::replace_body(m, p, entry);
        // The inputs and outputs are dead code like the shader.
        let mut unused = rewrite::interface(m, entry, StorageClass::OUTPUT);
        native_xfb::strip_around(m, p, entry, &unused);
        unused.extend(rewrite::interface(m, entry, StorageClass::INPUT));
        drop_capabilities(m, p, &unused, true);
        unused.iter().for_each(|variable| p.leave_interface(entry, *variable));
        let stage = Self::new(m, p, entry, context);
        compute::change_stage(p, entry);
        (stage, at)
    }

    /// Emits the functions with which the library accesses the buffers.
    fn hooks(&self, p: &mut Patch<'m, 'w>) -> Result<Vec<Hook<'static>>, Error> {
        let patches = self.buffer(p, Buffer::Patches, true)?;
        let table = self.buffer(p, Buffer::Table, false)?;
        let points = self.buffer(p, Buffer::Points, false)?;
        let indices = self.buffer(p, Buffer::Indices, false)?;
        let mut hooks = table_hooks(p, table);
        hooks.push(Hook { name: "level", function: self.level(p, patches) });
        let blocks =
            [(points, "points_length", "put_point"), (indices, "indices_length", "put_index")];
        for (block, length, put) in blocks {
            let uint = p.uint();
            let of_block = function(p, length, uint, |code| {
                block.length(code).expect("the buffer is a storage buffer")
            });
            hooks.push(Hook { name: length, function: of_block });
            let store = procedure(p, put, 2, |code, parameters| {
                let pointer = block.pointer(code, parameters[0]);
                code.store(pointer, parameters[1]);
            });
            hooks.push(Hook { name: put, function: store });
        }
        Ok(hooks)
    }

    /// Emits `float level(uint patch, uint number)`. Patches beyond the buffer have undefined levels.
    fn level(&self, p: &mut Patch<'m, 'w>, patches: HostBlock) -> Id {
        let (uint, float) = (p.uint(), p.float());
        rewrite::define_function(p, "level", (float, &[uint; 2]), |code, parameters| {
            let stride = self.layout().stride();
            let index = super::place(code, parameters[0], stride, parameters[1]);
            let length = patches.length(code).expect("the patches are in a storage buffer");
            let one = code.p.uint_constant(1);
            let last = code.binary(Op::I_SUB, uint, length, one);
            let index = code.glsl(GlslOp::U_MIN, uint, &[index, last]);
            let pointer = patches.pointer(code, index);
            let bits = code.load(uint, pointer);
            Some(code.bitcast(float, bits))
        })
    }

    fn domain(&self) -> usize {
        match self.layout().modes.domain {
            Some(Domain::Triangles) | None => 0,
            Some(Domain::Quads) => 1,
            Some(Domain::Isolines) => 2,
        }
    }

    /// Returns the spacing, whether there are only points, and whether triangles are reversed.
    fn modes(&self, code: &mut Cursor<'_, '_, '_>) -> [Id; 3] {
        let modes = self.layout().modes;
        let spacing = match modes.spacing {
            Some(Spacing::Equal) | None => 0,
            Some(Spacing::FractionalEven) => 1,
            Some(Spacing::FractionalOdd) => 2,
        };
        // The library's triangles are counterclockwise where v increases upwards, as with a lower left origin.
        let clockwise = modes.clockwise == Some(true);
        let turned = clockwise == self.layout().lower_left;
        let bool = code.p.bool();
        let [points, turned] = [modes.points, turned].map(|flag| {
            let op = if flag { Op::CONSTANT_TRUE } else { Op::CONSTANT_FALSE };
            code.p.declare(op, &[bool.word()])
        });
        [code.p.uint_constant(spacing), points, turned]
    }
}
