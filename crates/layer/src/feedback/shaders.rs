//! Shader modules: what SPIR-V says of the extension never reaches the driver, which may abort on it.

use crate::device::Device;
use crate::log::Level;
use ash::vk;
use polyshade::Module;
use polyshade::spv::{Capability, ErrorKind};
use polyshade::transform_feedback::strip;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The opcodes of `OpCapability` and `OpFunction`.
const OP_CAPABILITY: u32 = 17;
const OP_FUNCTION: u32 = 54;
const HEADER: usize = 5;

/// What a module becomes.
pub(super) enum Stripped {
    /// It says nothing of the extension.
    Unchanged,
    /// These words.
    Changed(Vec<u32>),
    /// It says something that cannot be taken out.
    Refused,
}

/// Takes what a module says of the extension out of it; why it cannot be taken out goes to the log.
pub(super) fn stripped(device: &Device, words: &[u32]) -> Stripped {
    if !mentions_feedback(words) {
        return Stripped::Unchanged;
    }
    // A panic must not end the application.
    let made = catch_unwind(AssertUnwindSafe(|| {
        let module = Module::parse(words)?;
        strip(&module).map(Module::into_words)
    }));
    let why = match made {
        Ok(Ok(words)) => return Stripped::Changed(words),
        Ok(Err(error)) if error.kind() == ErrorKind::Unsupported => error.to_string(),
        Ok(Err(error)) => format!("malformed: {error}"),
        Err(_) => "a fault of polyshade's".to_owned(),
    };
    device.log.say(
        Level::Error,
        format_args!(
            "a shader of {} words with transform feedback was refused: {why}",
            words.len()
        ),
    );
    Stripped::Refused
}

/// Whether a module declares the capability. Most do not, and are not even parsed; whatever else is wrong with them is
/// the driver's to say.
fn mentions_feedback(words: &[u32]) -> bool {
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let (op, length) = (first & 0xffff, (first >> 16) as usize);
        if op == OP_FUNCTION || length == 0 {
            return false;
        }
        let Capability(feedback) = Capability::TRANSFORM_FEEDBACK;
        if op == OP_CAPABILITY && words.get(at + 1) == Some(&feedback) {
            return true;
        }
        at += length;
    }
    false
}

/// The words of a module that is to be created.
///
/// # Safety
///
/// The structure is valid, and its words live for as long as the result is used.
pub(super) unsafe fn words<'w>(info: &vk::ShaderModuleCreateInfo<'_>) -> &'w [u32] {
    if info.p_code.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(info.p_code, info.code_size / 4) }
}

/// `vkCreateShaderModule`.
pub(crate) unsafe extern "system" fn create_shader_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    module: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_shader_module else { return vk::Result::ERROR_UNKNOWN };
        let stripped = match device.has_feedback {
            true => stripped(device, words(&*info)),
            false => Stripped::Unchanged,
        };
        let words = match stripped {
            Stripped::Unchanged => return next(device.handle, info, allocator, module),
            Stripped::Changed(words) => words,
            Stripped::Refused => return vk::Result::ERROR_UNKNOWN,
        };
        let changed = (*info).code(&words);
        let result = next(device.handle, &raw const changed, allocator, module);
        if result == vk::Result::SUCCESS {
            device.log.say(Level::Debug, format_args!("shader module {:?} was stripped", *module));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: [u32; HEADER] = [0x0723_0203, 0x1_0000, 0, 1, 0];

    #[test]
    fn the_capability_is_found_among_others() {
        let with = |rest: &[u32]| [&MAGIC, rest].concat();
        assert!(mentions_feedback(&with(&[2 << 16 | 17, 1, 2 << 16 | 17, 53])));
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
