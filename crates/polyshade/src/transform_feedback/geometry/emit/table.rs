//! The functions with which `geometry.glsl` accesses the tables.

use crate::rewrite::{Hook, HostBlock};
use crate::source::Source;
use crate::transform_feedback::emit::feedback::{Feedback, function};
use polyshade_spv::{Capability, Id, Op, Patch};

/// Emits the functions that read the table of segments.
pub(super) fn segments_hooks(
    p: &mut Patch<'_, '_>,
    feedback: &Feedback<'_>,
    source: Source,
) -> Vec<Hook<'static>> {
    let length = feedback.table_length(p, source);
    let word = feedback.table_word(p, source);
    let names = [("segments_length", length), ("segments_word", word)];
    names.map(|(name, function)| Hook { name, function }).to_vec()
}

/// SPIR-V's number of the memory operand `NonPrivatePointer`.
const NON_PRIVATE: u32 = 0x20;

fn has_vulkan_memory_model(p: &Patch<'_, '_>) -> bool {
    p.module().has_capability(Capability::VULKAN_MEMORY_MODEL)
}

/// Emits the functions that access the table of counts.
pub(super) fn table_hooks(p: &mut Patch<'_, '_>, table: HostBlock) -> Vec<Hook<'static>> {
    let operands = if has_vulkan_memory_model(p) { &[NON_PRIVATE][..] } else { &[] };
    let (uint, void) = (p.uint(), p.void());
    let length = function(p, "table_length", uint, |code| {
        table.length(code).expect("the table is a storage buffer")
    });
    let (word, at) = (p.id(), p.slot());
    p.name(word, "table_word");
    let mut code = p.at(at);
    let index = code.begin_function(word, uint, &[uint])[0];
    let pointer = table.pointer(&mut code, index);
    let value = code.value(Op::LOAD, uint, &[&[pointer.word()], operands].concat());
    code.end_function(Some(value));
    let (put, at) = (p.id(), p.slot());
    p.name(put, "put_word");
    let mut code = p.at(at);
    let parameters = code.begin_function(put, void, &[uint, uint]);
    let pointer = table.pointer(&mut code, parameters[0]);
    code.emit(Op::STORE, &[&[pointer.word(), parameters[1].word()], operands].concat());
    code.end_function(None);
    let names = [("table_length", length), ("table_word", word), ("put_word", put)];
    names.map(|(name, function)| Hook { name, function }).to_vec()
}

/// Emits the function that waits for all invocations of the work group, and makes their stores visible.
pub(super) fn wait_for_table(p: &mut Patch<'_, '_>) -> Id {
    // SPIR-V's numbers of the scope `Workgroup`, and of the semantics `AcquireRelease` and `UniformMemory`.
    const WORKGROUP: u32 = 2;
    const SEMANTICS: u32 = 0x8 | 0x40;
    // In Vulkan's memory model also `MakeAvailable` and `MakeVisible`.
    const VULKAN_SEMANTICS: u32 = SEMANTICS | 0x2000 | 0x4000;
    let semantics = if has_vulkan_memory_model(p) { VULKAN_SEMANTICS } else { SEMANTICS };
    let (id, at, void) = (p.id(), p.slot(), p.void());
    p.name(id, "wait_for_table");
    let [scope, semantics] = [WORKGROUP, semantics].map(|word| p.uint_constant(word).word());
    let mut code = p.at(at);
    code.begin_function(id, void, &[]);
    code.emit(Op::CONTROL_BARRIER, &[scope, scope, semantics]);
    code.end_function(None);
    id
}
