//! Scans of SPIR-V that the application passes.

use ash::vk;
use polyshade::spv::{BuiltIn, Capability, Decoration, ExecutionModel};
use std::collections::HashMap;
use std::ops::Range;

/// The opcodes of `OpEntryPoint`, `OpCapability`, `OpSpecConstantTrue`, `OpSpecConstantFalse`, `OpSpecConstant`,
/// `OpFunction`, `OpDecorate` and `OpMemberDecorate`.
const OP_ENTRY_POINT: u32 = 15;
const OP_CAPABILITY: u32 = 17;
const OP_SPEC_CONSTANT_TRUE: u32 = 48;
const OP_SPEC_CONSTANT_FALSE: u32 = 49;
const OP_SPEC_CONSTANT: u32 = 50;
const OP_FUNCTION: u32 = 54;
const OP_DECORATE: u32 = 71;
const OP_MEMBER_DECORATE: u32 = 72;
const HEADER: usize = 5;

/// The capabilities that drivers without the extension lack.
const OF_THE_EXTENSION: [Capability; 2] =
    [Capability::TRANSFORM_FEEDBACK, Capability::GEOMETRY_STREAMS];

/// Returns whether a module declares a capability of the extension. Most modules do not. The layer does not parse
/// these modules, and the driver reports their errors.
pub(crate) fn mentions_feedback(words: &[u32]) -> bool {
    has_capability(words, &OF_THE_EXTENSION)
}

/// Returns whether a module declares any of these capabilities.
pub(crate) fn has_capability(words: &[u32], any: &[Capability]) -> bool {
    let mut capabilities = declarations(words).filter(|(op, _)| *op == OP_CAPABILITY);
    capabilities
        .any(|(_, operands)| operands.first().is_some_and(|one| any.contains(&Capability(*one))))
}

/// Returns whether a module captures outputs. A shader may have the execution mode `Xfb` without any captured output.
pub(crate) fn captures(words: &[u32]) -> bool {
    decorations(words).any(|operands| operands.first() == Some(&Decoration::XFB_BUFFER.0))
}

/// Returns whether a module reads the number of a draw in a multi-draw.
pub(crate) fn reads_draw_index(words: &[u32]) -> bool {
    decorations(words).any(|operands| *operands == [Decoration::BUILT_IN.0, BuiltIn::DRAW_INDEX.0])
}

/// Returns the locations in a module.
pub(crate) fn locations(words: &[u32]) -> impl Iterator<Item = u32> {
    decorations(words).filter_map(|operands| match operands {
        [kind, location] if *kind == Decoration::LOCATION.0 => Some(*location),
        _ => None,
    })
}

/// Returns whether a module has a specialization constant with this id.
pub(crate) fn specializes(words: &[u32], id: u32) -> bool {
    decorations(words).any(|operands| *operands == [Decoration::SPEC_ID.0, id])
}

/// Makes the values of a pipeline the defaults of the module's specialization constants with 32 or 64 bits, and of its
/// booleans. Lengths of arrays may depend on them.
pub(crate) fn specialize(words: &mut [u32], entries: &[vk::SpecializationMapEntry], data: &[u8]) {
    let ids: HashMap<u32, u32> = declarations(words)
        .filter_map(|(op, operands)| match *operands {
            [id, kind, number] if op == OP_DECORATE && kind == Decoration::SPEC_ID.0 => {
                Some((id, number))
            }
            _ => None,
        })
        .collect();
    let value = |id: u32| {
        let number = ids.get(&id)?;
        let entry = entries.iter().find(|entry| entry.constant_id == *number)?;
        data.get(entry.offset as usize..)?.get(..entry.size)
    };
    let places: Vec<Range<usize>> = places(words).collect();
    for place in places {
        let inst = &mut words[place];
        let op = inst[0] & 0xffff;
        let Some(value) = inst.get(2).and_then(|id| value(*id)) else { continue };
        let literals = value.chunks_exact(4);
        let literals: Vec<u32> = literals
            .map(|bytes| u32::from_ne_bytes(bytes.try_into().expect("a chunk has four bytes")))
            .collect();
        match op {
            OP_SPEC_CONSTANT if 4 * (inst.len() - 3) == value.len() => {
                inst[3..].copy_from_slice(&literals);
            }
            OP_SPEC_CONSTANT_TRUE | OP_SPEC_CONSTANT_FALSE if literals.len() == 1 => {
                let is_true = literals[0] != 0;
                let op = if is_true { OP_SPEC_CONSTANT_TRUE } else { OP_SPEC_CONSTANT_FALSE };
                inst[0] = inst[0] & !0xffff | op;
            }
            _ => {}
        }
    }
}

/// Returns whether all entry points of a module are stages of graphics pipelines.
pub(crate) fn has_only_graphics_stages(words: &[u32]) -> bool {
    let graphics = [
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_CONTROL,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
        ExecutionModel::FRAGMENT,
        ExecutionModel::TASK_EXT,
        ExecutionModel::MESH_EXT,
    ];
    let mut entries = declarations(words).filter(|(op, _)| *op == OP_ENTRY_POINT);
    entries.all(|(_, operands)| {
        operands.first().is_some_and(|stage| graphics.contains(&ExecutionModel(*stage)))
    })
}

/// Returns whether a module has a vertex or geometry stage.
pub(crate) fn has_vertex_or_geometry_stage(words: &[u32]) -> bool {
    let stages = [ExecutionModel::VERTEX, ExecutionModel::GEOMETRY].map(|stage| stage.0);
    let mut entries = declarations(words).filter(|(op, _)| *op == OP_ENTRY_POINT);
    entries.any(|(_, operands)| operands.first().is_some_and(|stage| stages.contains(stage)))
}

/// Returns the decorations of a module and their operands, without the decorated id and member.
fn decorations(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    declarations(words).filter_map(|(op, operands)| match op {
        OP_DECORATE => operands.get(1..),
        OP_MEMBER_DECORATE => operands.get(2..),
        _ => None,
    })
}

/// Returns the opcode and the operands of each instruction before the functions.
fn declarations(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    places(words).map(|place| (words[place.start] & 0xffff, &words[place.start + 1..place.end]))
}

/// Returns the place of each instruction before the functions.
fn places(words: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let mut at = HEADER;
    std::iter::from_fn(move || {
        let &first = words.get(at)?;
        let (op, length) = (first & 0xffff, (first >> 16) as usize);
        let place = at..at + length;
        if op == OP_FUNCTION || length == 0 || place.end > words.len() {
            return None;
        }
        at = place.end;
        Some(place)
    })
}

/// Returns the words of a module that is being created.
///
/// # Safety
///
/// The structure is valid, and its code lives for as long as the result is used.
pub(crate) unsafe fn words<'w>(info: &vk::ShaderModuleCreateInfo<'_>) -> &'w [u32] {
    if info.p_code.is_null() {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(info.p_code, info.code_size / 4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: [u32; HEADER] = [0x0723_0203, 0x1_0000, 0, 1, 0];

    #[test]
    fn the_capability_is_found_among_others() {
        let with = |rest: &[u32]| [&MAGIC, rest].concat();
        assert!(mentions_feedback(&with(&[2 << 16 | 17, 1, 2 << 16 | 17, 53])));
        assert!(mentions_feedback(&with(&[2 << 16 | 17, 2, 2 << 16 | 17, 54])));
        assert!(!mentions_feedback(&with(&[2 << 16 | 17, 1])));
        assert!(!mentions_feedback(&with(&[5 << 16 | 54, 0, 0, 0, 0, 2 << 16 | 17, 53])));
    }

    #[test]
    fn values_of_a_pipeline_become_defaults() {
        let with = |numbers: [u32; 3], switch: u32| {
            let decorate = |id, number| [4 << 16 | OP_DECORATE, id, Decoration::SPEC_ID.0, number];
            let constant = |id, value| [4 << 16 | OP_SPEC_CONSTANT, 9, id, value];
            let parts: [&[u32]; 8] = [
                &MAGIC,
                &decorate(1, 7),
                &decorate(2, 8),
                &decorate(3, 9),
                &constant(1, numbers[0]),
                &[5 << 16 | OP_SPEC_CONSTANT, 10, 2, numbers[1], numbers[2]],
                &[3 << 16 | switch, 11, 3],
                &constant(4, 5),
            ];
            parts.concat()
        };
        let mut words = with([1, 2, 3], OP_SPEC_CONSTANT_FALSE);
        let entry =
            |constant_id, offset, size| vk::SpecializationMapEntry { constant_id, offset, size };
        let data: Vec<u8> = [4_u32, 5, 6, 1].into_iter().flat_map(u32::to_ne_bytes).collect();
        // Entries for other constants, of another size and outside of the data change nothing.
        let others = [entry(6, 0, 4), entry(7, 14, 4)];
        specialize(&mut words, &others, &data);
        assert_eq!(words, with([1, 2, 3], OP_SPEC_CONSTANT_FALSE));
        specialize(&mut words, &[entry(8, 0, 4)], &data);
        assert_eq!(words, with([1, 2, 3], OP_SPEC_CONSTANT_FALSE));
        specialize(&mut words, &[entry(7, 0, 4), entry(8, 4, 8), entry(9, 12, 4)], &data);
        assert_eq!(words, with([4, 5, 6], OP_SPEC_CONSTANT_TRUE));
    }

    #[test]
    fn what_is_no_module_is_the_drivers_to_refuse() {
        for words in [&[][..], &MAGIC, &[0; 9], &[u32::MAX; 7], &[2 << 16 | 17; 6]] {
            assert!(!mentions_feedback(words));
            specialize(&mut words.to_vec(), &[], &[]);
        }
    }
}
