//! Replaces instructions and names that naga does not know, and removes debug information.

use polyshade_spv::{
    BuiltIn, Capability, Decoration, ExecutionMode, Id, Inst, Module, Op, Section, decode_text,
    is_debug_set,
};

/// The number of words in a module's header.
const HEADER: usize = 5;

/// Returns the words of the module without debug information, and with instructions that naga supports.
pub(super) fn reworded(module: &Module<'_>) -> Vec<u32> {
    let sets: Vec<Id> = module.section(Section::Imports).filter_map(non_semantic).collect();
    let mut words = module.words()[..HEADER].to_vec();
    for inst in module.instructions().filter(|inst| !is_left_out(*inst, &sets)) {
        match inst.op() {
            Op::EXECUTION_MODE_ID => words.extend(local_size(module, inst)),
            Op::DECORATE => {
                words.extend_from_slice(inst.words());
                if let (Some(number), Some(last)) = (of_webgpu(module, inst), words.last_mut()) {
                    *last = number.0;
                }
            }
            Op::TERMINATE_INVOCATION => words.push(first_word(Op::KILL, 1)),
            _ => words.extend_from_slice(inst.words()),
        }
    }
    words
}

/// Returns the WebGPU built-in for an OpenGL built-in. The vertex id includes the first vertex, as in Vulkan and
/// WebGPU. The instance id does not include the first instance, so it is renamed only if unused. glslang always
/// declares both.
fn of_webgpu(module: &Module<'_>, decorate: Inst<'_>) -> Option<BuiltIn> {
    let &[_, variable, decoration, number] = decorate.words() else { return None };
    if decoration != Decoration::BUILT_IN.0 {
        return None;
    }
    let is_used = || Id::new(variable).is_some_and(|id| module.code_uses_of(id).next().is_some());
    match BuiltIn(number) {
        BuiltIn::VERTEX_ID => Some(BuiltIn::VERTEX_INDEX),
        BuiltIn::INSTANCE_ID if !is_used() => Some(BuiltIn::INSTANCE_INDEX),
        _ => None,
    }
}

fn is_left_out(inst: Inst<'_>, sets: &[Id]) -> bool {
    match inst.op() {
        Op::LINE | Op::NO_LINE => true,
        Op::EXT_INST => Id::new(inst.words()[3]).is_some_and(|set| sets.contains(&set)),
        Op::EXT_INST_IMPORT => non_semantic(inst).is_some(),
        // Operations in WGSL have no scope. Gather offsets are replaced or rejected.
        Op::CAPABILITY => {
            [Capability::VULKAN_MEMORY_MODEL_DEVICE_SCOPE, Capability::IMAGE_GATHER_EXTENDED]
                .contains(&Capability(inst.words()[1]))
        }
        Op::EXTENSION => decode_text(&inst.words()[1..]) == "SPV_KHR_terminate_invocation",
        _ => false,
    }
}

/// Returns the result id of `import`, if its instructions do not affect the program.
fn non_semantic(import: Inst<'_>) -> Option<Id> {
    let name = decode_text(import.words().get(2..)?);
    import.result().filter(|_| is_debug_set(&name))
}

/// Converts `LocalSizeId` to `LocalSize` if no size is a specialization constant; returns other modes unchanged.
fn local_size(module: &Module<'_>, inst: Inst<'_>) -> Vec<u32> {
    let sizes = inst.words().get(3..).unwrap_or_default().iter();
    let is_fixed =
        |id: &Id| module.definition(*id).is_some_and(|constant| constant.op() == Op::CONSTANT);
    let sizes = sizes.map(|id| module.constant(Id::new(*id).filter(is_fixed)?));
    match sizes.collect::<Option<Vec<u32>>>() {
        Some(sizes) if inst.words()[2] == ExecutionMode::LOCAL_SIZE_ID.0 => {
            let mut words = vec![first_word(Op::EXECUTION_MODE, 3 + sizes.len() as u32)];
            words.extend([inst.words()[1], ExecutionMode::LOCAL_SIZE.0]);
            words.extend(sizes);
            words
        }
        _ => inst.words().to_vec(),
    }
}

fn first_word(op: Op, count: u32) -> u32 {
    count << 16 | u32::from(op.0)
}
