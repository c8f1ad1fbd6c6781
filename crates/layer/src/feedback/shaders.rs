//! Shader modules: the layer removes the extension's capabilities and decorations, because drivers may abort on them.

use crate::device::Device;
use crate::feedback::objects::keep_module;
use crate::log::Level;
use crate::spirv::{mentions_feedback, words};
use ash::vk;
use polyshade::Module;
use polyshade::spv::ErrorKind;
use polyshade::transform_feedback::strip;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) enum Stripped {
    Unchanged,
    Changed(Vec<u32>),
    /// The module uses a part of the extension that cannot be removed.
    Refused,
}

/// Removes the extension from a module whose vertex stream `rasterized` is rasterized. If that fails, logs the reason.
pub(super) fn stripped(device: &Device, words: &[u32], rasterized: u32) -> Stripped {
    if !mentions_feedback(words) && rasterized == 0 {
        return Stripped::Unchanged;
    }
    // A panic must not end the application.
    let made = catch_unwind(AssertUnwindSafe(|| {
        let module = Module::parse(words)?;
        strip(&module, rasterized).map(Module::into_words)
    }));
    let why = match made {
        Ok(Ok(words)) => return Stripped::Changed(words),
        Ok(Err(error)) if error.kind() == ErrorKind::Unsupported => error.to_string(),
        Ok(Err(error)) => format!("malformed: {error}"),
        Err(_) => "a bug in polyshade".to_owned(),
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

pub(crate) unsafe extern "system" fn create_shader_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    module: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_shader_module else { return vk::Result::ERROR_UNKNOWN };
        let stripped = match device.has_feedback {
            true => stripped(device, words(&*info), 0),
            false => Stripped::Unchanged,
        };
        let given = words(&*info);
        let placeholder = device.recipes.as_ref().and_then(|one| one.placeholder(given));
        let code = match (&stripped, placeholder) {
            (Stripped::Refused, _) => return vk::Result::ERROR_UNKNOWN,
            (_, Some(placeholder)) => placeholder,
            (Stripped::Changed(words), None) => &words[..],
            (Stripped::Unchanged, None) => given,
        };
        let changed = (*info).code(code);
        let result = next(device.handle, &raw const changed, allocator, module);
        if result == vk::Result::SUCCESS {
            if matches!(stripped, Stripped::Changed(_)) {
                device
                    .log
                    .say(Level::Debug, format_args!("shader module {:?} was stripped", *module));
            }
            // The original code is kept for captures and recipes.
            keep_module(device, *module, given);
        }
        result
    }
}
