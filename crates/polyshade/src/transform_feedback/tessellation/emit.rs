//! Emits the parts that all stages share.

mod control;
mod evaluation;
mod tessellator;

use super::interface::Placed;
use super::{Buffer, Plan};
use crate::host::Reserved;
use crate::rewrite::{self, Added, Copies, HostBlock, WordArray};
use crate::transform_feedback::emit::spill_outputs;
use crate::transform_feedback::patches::{Patches, TESSELLATION_MODES};
pub(super) use control::control;
pub(super) use evaluation::evaluation;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Capability, Cursor, Decoration, Error, ExecutionModel, Id, Module, Op, Patch};
pub(super) use tessellator::{allocate, tessellate};

/// The capabilities that only tessellation stages need.
const CAPABILITIES: [Capability; 2] =
    [Capability::TESSELLATION, Capability::TESSELLATION_POINT_SIZE];

/// A stage under construction.
struct Stage<'s, 'm, 'w> {
    m: &'m Module<'w>,
    entry: EntryPoint<'m>,
    plan: &'s Plan,
    reserved: &'s Reserved,
    array: WordArray,
}

/// Where a value is in a buffer: the number of the first 32-bit unit of its vertex or patch.
#[derive(Clone, Copy)]
struct Source {
    block: HostBlock,
    start: Id,
}

impl<'s, 'm, 'w> Stage<'s, 'm, 'w> {
    /// Removes the modes and capabilities of tessellation stages.
    fn new(
        m: &'m Module<'w>,
        p: &mut Patch<'m, 'w>,
        entry: EntryPoint<'m>,
        (plan, reserved): (&'s Plan, &'s Reserved),
    ) -> Self {
        for mode in
            m.modes(entry.function()).filter(|mode| TESSELLATION_MODES.contains(&mode.mode()))
        {
            p.remove(mode.inst());
        }
        let models =
            [ExecutionModel::TESSELLATION_CONTROL, ExecutionModel::TESSELLATION_EVALUATION];
        if m.entry_points().filter(|one| models.contains(&one.model())).count() == 1 {
            rewrite::remove_capabilities(m, p, |capability| CAPABILITIES.contains(&capability));
            p.capability(Capability::SHADER);
        }
        let array = rewrite::word_array(m, p);
        Self { m, entry, plan, reserved, array }
    }

    /// Makes the inputs that the stage loads or computes private.
    fn demote_inputs(&self, p: &mut Patch<'m, 'w>) -> Result<(), Error> {
        let inputs = &self.plan.inputs.variables;
        rewrite::demote_to_private(self.m, p, self.entry, inputs, Copies::None)?;
        Ok(())
    }

    /// Adds the host parameters.
    fn host_params(&self, p: &mut Patch<'m, 'w>) -> Result<Added, Error> {
        let words = (&self.plan.words, "polyshade_host");
        rewrite::add_words(self.m, p, self.entry, self.reserved, words, Some(self.array))
    }

    /// Emits the numbers of vertices and of patches of an instance, and of all patches.
    fn counts(&self, code: &mut Cursor<'_, '_, '_>, added: &Added) -> [Id; 3] {
        let [vertices, instances] = [0, 1].map(|number| added.load(code, number));
        let uint = code.p.uint();
        let each = code.p.uint_constant(self.layout().input_vertices);
        let patches = code.binary(Op::U_DIV, uint, vertices, each);
        [vertices, patches, code.binary(Op::I_MUL, uint, patches, instances)]
    }

    fn layout(&self) -> &'s Patches {
        &self.plan.patches
    }

    /// Adds a buffer. If it is `read`, the shader does not write it.
    fn buffer(
        &self,
        p: &mut Patch<'m, 'w>,
        buffer: Buffer,
        read: bool,
    ) -> Result<HostBlock, Error> {
        let place = self.plan.placement.buffer(buffer as u32).expect("the buffers are bound");
        let name = buffer.name();
        let block = rewrite::storage_buffer(self.m, p, self.entry, self.array, place, name)?;
        if read {
            p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
        }
        Ok(block)
    }
}

/// Emits a function with these parameters, all `uint`.
fn procedure(
    p: &mut Patch<'_, '_>,
    name: &str,
    parameters: usize,
    body: impl FnOnce(&mut Cursor<'_, '_, '_>, &[Id]),
) -> Id {
    let (uint, void) = (p.uint(), p.void());
    rewrite::define_function(p, name, (void, &vec![uint; parameters]), |code, parameters| {
        body(code, parameters);
        None
    })
}

/// Emits loads from a buffer to private inputs. `corner` is the number of the vertex, for inputs of vertices.
fn load(code: &mut Cursor<'_, '_, '_>, placed: &[Placed], source: Source, corner: Option<Id>) {
    for Placed { leaf, word } in placed {
        spill_outputs::load_input(code, source.block, leaf, (source.start, *word), corner);
    }
}

/// Emits `number` × `bytes` / 4 + `first`.
fn place(code: &mut Cursor<'_, '_, '_>, number: Id, bytes: u32, first: Id) -> Id {
    let uint = code.p.uint();
    let size = code.p.uint_constant(bytes / 4);
    let start = code.binary(Op::I_MUL, uint, number, size);
    code.binary(Op::I_ADD, uint, start, first)
}
