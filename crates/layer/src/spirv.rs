//! Scans of SPIR-V that the application passes.

use ash::vk;
use polyshade::spv::{Capability, Decoration};

/// The opcodes of `OpCapability`, `OpFunction`, `OpDecorate` and `OpMemberDecorate`.
const OP_CAPABILITY: u32 = 17;
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
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let (op, length) = (first & 0xffff, (first >> 16) as usize);
        if op == OP_FUNCTION || length == 0 {
            return false;
        }
        let declared = words.get(at + 1).map(|capability| Capability(*capability));
        if op == OP_CAPABILITY && declared.is_some_and(|one| OF_THE_EXTENSION.contains(&one)) {
            return true;
        }
        at += length;
    }
    false
}

/// Returns whether a module captures outputs. A shader may have the execution mode `Xfb` without any captured output.
pub(crate) fn captures(words: &[u32]) -> bool {
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let (op, length) = (first & 0xffff, (first >> 16) as usize);
        let decoration = match op {
            OP_DECORATE => 2,
            OP_MEMBER_DECORATE => 3,
            OP_FUNCTION => return false,
            _ => length,
        };
        if length == 0 {
            return false;
        }
        if decoration < length && words.get(at + decoration) == Some(&Decoration::XFB_BUFFER.0) {
            return true;
        }
        at += length;
    }
    false
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
    fn what_is_no_module_is_the_drivers_to_refuse() {
        for words in [&[][..], &MAGIC, &[0; 9], &[u32::MAX; 7], &[2 << 16 | 17; 6]] {
            assert!(!mentions_feedback(words));
        }
    }
}
