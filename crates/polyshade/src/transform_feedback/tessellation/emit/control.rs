//! Makes the compute stage that runs a control shader.

use super::{Source, Stage, load, place, procedure};
use crate::host::Reserved;
use crate::library;
use crate::rewrite::{self, Hook, HostBlock, Wrapper};
use crate::transform_feedback::emit::{
    compute, drop_capabilities, fill_builtin, spill_outputs, words_of_value,
};
use crate::transform_feedback::geometry::{NON_PRIVATE, has_vulkan_memory_model};
use crate::transform_feedback::layout::Piece;
use crate::transform_feedback::native_xfb;
use crate::transform_feedback::tessellation::interface::Placed;
use crate::transform_feedback::tessellation::{Buffer, Plan};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Cursor, Error, GlslOp, Id, Module, Op, Patch, Position, StorageClass,
};

/// The numbers of an invocation.
struct Numbers {
    /// The number of the patch over all instances.
    patch: Id,
    instance: Id,
    /// The number of the patch in its instance.
    primitive: Id,
    /// The number of the output vertex.
    vertex: Id,
    /// The number of vertices of an instance.
    vertices: Id,
}

/// Makes `Control`. The outputs are in shared memory, because invocations of a patch read each other's outputs.
pub(in super::super) fn control<'m, 'w>(
    m: &'m Module<'w>,
    p: &mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    context: (&Plan, &Reserved),
) -> Result<(), Error> {
    let Wrapper { prologue, epilogue } = rewrite::wrap(m, p, entry);
    let outputs = rewrite::interface(m, entry, StorageClass::OUTPUT);
    native_xfb::strip_around(m, p, entry, &outputs);
    let inputs = &context.0.inputs.variables;
    let taken: Vec<Id> = outputs.iter().chain(inputs).copied().collect();
    drop_capabilities(m, p, &taken, true);
    let stage = Stage::new(m, p, entry, context);
    rewrite::demote_to_workgroup(m, p, entry, &outputs)?;
    stage.demote_inputs(p)?;
    compute::change_stage_to(p, entry, stage.layout().vertices);
    stage.strengthen_barriers(p);
    if has_vulkan_memory_model(m) {
        stage.share_accesses(p, &outputs);
    }

    // Before the shader's code, the invocation finds its patch and loads all input vertices.
    let numbers = stage.numbers(p, prologue)?;
    stage.fill_numbers(p, &numbers, prologue);
    stage.load_inputs(p, &numbers, prologue)?;

    // After it, each invocation stores its vertex, and the first one also stores the outputs of the patch.
    let [scope, semantics] = [WORKGROUP, semantics(m)].map(|word| p.uint_constant(word).word());
    p.at(epilogue).emit(Op::CONTROL_BARRIER, &[scope, scope, semantics]);
    stage.store_outputs(p, &numbers, epilogue)
}

// SPIR-V's numbers of scopes.
const WORKGROUP: u32 = 2;
const SUBGROUP: u32 = 3;
const INVOCATION: u32 = 4;

// SPIR-V's numbers of memory semantics: all orders, the order `AcquireRelease`, and two kinds of memory.
const ORDERS: u32 = 0x2 | 0x4 | 0x8 | 0x10;
const ACQUIRE_RELEASE: u32 = 0x8;
const WORKGROUP_MEMORY: u32 = 0x100;
const OUTPUT_MEMORY: u32 = 0x1000;

/// Returns the semantics of a barrier for shared memory. Vulkan's memory model also needs `MakeAvailable` and
/// `MakeVisible`.
fn semantics(m: &Module<'_>) -> u32 {
    let semantics = ACQUIRE_RELEASE | WORKGROUP_MEMORY;
    if has_vulkan_memory_model(m) { semantics | 0x2000 | 0x4000 } else { semantics }
}

impl<'m, 'w> Stage<'_, 'm, 'w> {
    /// Makes the shader's barriers order the accesses to shared memory. In a control stage, they order the accesses to
    /// outputs without any semantics.
    fn strengthen_barriers(&self, p: &mut Patch<'m, 'w>) {
        let m = self.m;
        let constant = |word: u32| Id::new(word).and_then(|id| m.constant(id));
        let reachable = m.reachable(self.entry.function());
        let functions = reachable.into_iter().filter_map(|id| m.function(id));
        for inst in functions.flat_map(|function| function.instructions()) {
            // The operands of the scope and of the semantics of the memory.
            let (scope, stated) = match inst.op() {
                Op::CONTROL_BARRIER => (2, constant(inst.words()[3]).unwrap_or(0)),
                Op::MEMORY_BARRIER => match constant(inst.words()[2]) {
                    Some(stated) if stated & (OUTPUT_MEMORY | WORKGROUP_MEMORY) != 0 => (1, stated),
                    _ => continue,
                },
                _ => continue,
            };
            let semantics = stated & !(OUTPUT_MEMORY | ORDERS) | semantics(m);
            let semantics = p.uint_constant(semantics).word();
            p.overwrite(inst.operand(scope + 1), semantics);
            if constant(inst.words()[scope]).is_none_or(|one| [SUBGROUP, INVOCATION].contains(&one))
            {
                let wide = p.uint_constant(WORKGROUP).word();
                p.overwrite(inst.operand(scope), wide);
            }
        }
    }

    /// Marks loads, stores and copies of outputs as accesses that barriers order, as Vulkan's memory model requires.
    fn share_accesses(&self, p: &mut Patch<'m, 'w>, outputs: &[Id]) {
        for inst in self.m.reach(outputs).uses {
            let operands = match inst.op() {
                Op::LOAD => 4,
                Op::STORE | Op::COPY_MEMORY => 3,
                Op::COPY_MEMORY_SIZED => 4,
                _ => continue,
            };
            match inst.words().get(operands) {
                Some(stated) => p.overwrite(inst.operand(operands), stated | NON_PRIVATE),
                None => {
                    let words = [&inst.words()[1..], &[NON_PRIVATE]].concat();
                    p.insert(inst.before(), inst.op(), &words);
                    p.remove(inst);
                }
            }
        }
    }

    /// Emits, at `at`, the numbers of the invocation, and a return for work groups without a patch.
    fn numbers(&self, p: &mut Patch<'m, 'w>, at: Position<'m>) -> Result<Numbers, Error> {
        let added = self.host_params(p)?;
        let patch = compute::group_number(p, self.entry, at);
        let vertex = compute::local_number(p, self.entry, at);
        let [vertices, patches, all] = self.counts(&mut p.at(at), &added);
        let uint = p.uint();
        compute::return_from(p, at, patch, all);
        // Avoid division by 0, although invocations without a patch have returned.
        let mut code = p.at(at);
        let one = code.p.uint_constant(1);
        let divisor = code.glsl(GlslOp::U_MAX, uint, &[patches, one]);
        let instance = code.binary(Op::U_DIV, uint, patch, divisor);
        let primitive = code.binary(Op::U_MOD, uint, patch, divisor);
        Ok(Numbers { patch, instance, primitive, vertex, vertices })
    }

    fn fill_numbers(&self, p: &mut Patch<'m, 'w>, numbers: &Numbers, at: Position<'m>) {
        let mut code = p.at(at);
        for input in &self.plan.inputs.computed {
            let value = match input.builtin {
                BuiltIn::INVOCATION_ID => numbers.vertex,
                BuiltIn::PATCH_VERTICES => code.p.uint_constant(self.layout().input_vertices),
                _ => numbers.primitive,
            };
            fill_builtin(&mut code, (input.variable, input.ty), value);
        }
    }

    /// Emits, at `at`, the loads of the input vertices. Vertices beyond the buffer are not loaded.
    fn load_inputs(
        &self,
        p: &mut Patch<'m, 'w>,
        numbers: &Numbers,
        at: Position<'m>,
    ) -> Result<(), Error> {
        let inputs = &self.plan.inputs;
        let (layout, block) = (self.layout(), self.buffer(p, Buffer::Inputs, true)?);
        let load_vertex = procedure(p, "load_vertex", 2, |code, parameters| {
            let zero = code.p.uint_constant(0);
            let start = place(code, parameters[1], layout.input_stride, zero);
            load(code, &inputs.of_vertex, Source { block, start }, Some(parameters[0]));
        });
        let load_vertex =
            spill_outputs::load_in_buffer(p, load_vertex, (block, layout.input_stride / 4));
        let mut code = p.at(at);
        let (uint, void) = (code.p.uint(), code.p.void());
        let of_instance = code.binary(Op::I_MUL, uint, numbers.instance, numbers.vertices);
        let first = place(&mut code, numbers.primitive, 4 * layout.input_vertices, of_instance);
        for corner in 0..layout.input_vertices.min(inputs.vertices) {
            let corner = code.p.uint_constant(corner);
            let vertex = code.binary(Op::I_ADD, uint, first, corner);
            code.call(void, load_vertex, &[corner, vertex]);
        }
        Ok(())
    }

    /// Emits, at `at`, the stores of the outputs. Patches beyond the buffer are not stored.
    fn store_outputs(
        &self,
        p: &mut Patch<'m, 'w>,
        numbers: &Numbers,
        at: Position<'m>,
    ) -> Result<(), Error> {
        let (outputs, layout) = (&self.plan.outputs, self.layout());
        let (block, uint) = (self.buffer(p, Buffer::Patches, false)?, p.uint());
        let vertex = p.variable(StorageClass::PRIVATE, uint, None);
        rewrite::add_to_interface(self.m, p, self.entry, vertex);
        p.at(at).store(vertex, numbers.vertex);
        let store_vertex = self.store_function(p, block, (&outputs.of_vertex, Some(vertex)));
        let store_patch = self.store_function(p, block, (&outputs.of_patch, None));
        let mut code = p.at(at);
        let (bool, void) = (code.p.bool(), code.p.void());
        let length = block.length(&mut code).expect("the patches are in a storage buffer");
        let stride = code.p.uint_constant(layout.stride() / 4);
        let end = code.binary(Op::U_DIV, uint, length, stride);
        let zero = code.p.uint_constant(0);
        let is_first = code.binary(Op::I_EQUAL, bool, numbers.vertex, zero);
        let end_for_first = code.select(uint, is_first, end, zero);
        for (store, end) in [(store_vertex, end), (store_patch, end_for_first)] {
            p.at(at).call(void, store, &[zero, end, numbers.patch]);
        }
        Ok(())
    }

    /// Links a function `void (uint first, uint end, uint patch)` that stores outputs if the patch precedes the end.
    /// `local` is the variable with the number of the vertex, for outputs of vertices.
    fn store_function(
        &self,
        p: &mut Patch<'m, 'w>,
        block: HostBlock,
        (placed, local): (&[Placed], Option<Id>),
    ) -> Id {
        let layout = self.layout();
        let name = if local.is_some() { "store_vertex" } else { "store_patch" };
        let before = local.map_or(0, |_| layout.patch_bytes / 4);
        let store = procedure(p, name, 1, |code, parameters| {
            let uint = code.p.uint();
            let first = code.p.uint_constant(before);
            let mut start = place(code, parameters[0], layout.stride(), first);
            let vertex = local.map(|local| code.load(uint, local));
            if let Some(vertex) = vertex {
                start = place(code, vertex, layout.vertex_bytes, start);
            }
            for one in placed {
                store_one(code, one, Source { block, start }, vertex);
            }
        });
        let hook = Hook { name: "store_to_slot", function: store };
        rewrite::link(p, &library::CAPTURE, &["put"], &[hook])[0]
    }
}

/// Emits the store of an output from shared memory.
fn store_one(
    code: &mut Cursor<'_, '_, '_>,
    Placed { leaf, word }: &Placed,
    target: Source,
    vertex: Option<Id>,
) {
    let pointer = spill_outputs::part_of(code, StorageClass::WORKGROUP, leaf, vertex);
    let operands = if has_vulkan_memory_model(code.p.module()) { &[NON_PRIVATE][..] } else { &[] };
    let value = code.value(Op::LOAD, leaf.part.ty, &[&[pointer.word()], operands].concat());
    let uint = code.p.uint();
    let words = words_of_value(code, &Piece::whole(leaf.clone()), value);
    for (word, bits) in (*word..).zip(words) {
        let offset = code.p.uint_constant(word);
        let index = code.binary(Op::I_ADD, uint, target.start, offset);
        let pointer = target.block.pointer(code, index);
        code.store(pointer, bits);
    }
}
