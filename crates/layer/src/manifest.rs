//! The manifest: the file by which the Vulkan loader finds the layer.
//!
//! An *explicit* layer is loaded for applications that ask for it, or that are started with `VK_INSTANCE_LAYERS`; an
//! *implicit* one for all, unless a variable of the environment says otherwise.

use crate::{LAYER_NAME, portability};
use ash::{ext, vk};
use serde_json::{Value, json};
use std::ffi::CStr;
use std::path::Path;

/// The name of the manifest's file.
pub const FILE_NAME: &str = "VkLayer_polyshade_polyfill.json";

/// The variable that switches an implicit layer on, with the value `1`.
pub const ENABLE: &str = "POLYSHADE_LAYER_ENABLE";

/// The variable that switches an implicit layer off, with any value.
pub const DISABLE: &str = "POLYSHADE_LAYER_DISABLE";

/// For whom the layer is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// For those who ask for it.
    Explicit,
    /// For all processes in which [`ENABLE`] is `1`.
    ImplicitWhenEnabled,
    /// For all.
    Implicit,
}

/// The commands of `VK_EXT_transform_feedback`.
pub(crate) const FEEDBACK_COMMANDS: [&str; 6] = [
    "vkCmdBindTransformFeedbackBuffersEXT",
    "vkCmdBeginTransformFeedbackEXT",
    "vkCmdEndTransformFeedbackEXT",
    "vkCmdBeginQueryIndexedEXT",
    "vkCmdEndQueryIndexedEXT",
    "vkCmdDrawIndirectByteCountEXT",
];

/// The name of the library's file on this system.
pub fn library_name() -> String {
    format!("{}polyshade_layer{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// The manifest of the layer whose library is at this path.
pub fn manifest(library: &Path, kind: LayerKind) -> String {
    let text = |text: &CStr| text.to_string_lossy().into_owned();
    let version = vk::HEADER_VERSION_COMPLETE;
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    let mut layer = json!({
        "name": text(LAYER_NAME),
        "type": "GLOBAL",
        "library_path": library,
        "api_version": format!("{major}.{minor}.{}", vk::api_version_patch(version)),
        "implementation_version": "1",
        "description": text(crate::DESCRIPTION),
        "functions": {
            "vkNegotiateLoaderLayerInterfaceVersion": "vkNegotiateLoaderLayerInterfaceVersion",
        },
        "library_arch": if cfg!(target_pointer_width = "64") { "64" } else { "32" },
        // The loader refuses to create devices with extensions that neither a driver nor a manifest lists.
        "device_extensions": [{
            "name": text(ext::transform_feedback::NAME),
            "spec_version": ext::transform_feedback::SPEC_VERSION.to_string(),
            "entrypoints": FEEDBACK_COMMANDS,
        }, {
            "name": text(ext::primitives_generated_query::NAME),
            "spec_version": ext::primitives_generated_query::SPEC_VERSION.to_string(),
        }],
    });
    if kind == LayerKind::Explicit {
        // Loaders before 1.3.270 list it of implicit layers too, and then create no instance that enables it.
        layer["instance_extensions"] = json!([{
            "name": text(ext::layer_settings::NAME),
            "spec_version": ext::layer_settings::SPEC_VERSION.to_string(),
        }]);
        // For a setting. For implicit layers the loader would list it of every device.
        let portability = json!({ "name": text(portability::NAME), "spec_version": "1" });
        layer["device_extensions"]
            .as_array_mut()
            .into_iter()
            .for_each(|all| all.push(portability.clone()));
    } else {
        layer["disable_environment"] = json!({ DISABLE: "1" });
    }
    if kind == LayerKind::ImplicitWhenEnabled {
        layer["enable_environment"] = json!({ ENABLE: "1" });
    }
    let manifest: Value = json!({ "file_format_version": "1.2.1", "layer": layer });
    format!("{manifest:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_implicit_layers_have_variables() {
        let of = |kind| {
            let text = manifest(Path::new("/lib/x.so"), kind);
            let value: Value = serde_json::from_str(&text).expect("the manifest is JSON");
            let layer = &value["layer"];
            assert_eq!(layer["library_path"], "/lib/x.so");
            assert_eq!(layer["library_arch"], usize::BITS.to_string());
            assert_eq!(layer["instance_extensions"].is_array(), kind == LayerKind::Explicit);
            ["enable_environment", "disable_environment"].map(|name| layer[name].is_object())
        };
        assert_eq!(of(LayerKind::Explicit), [false, false]);
        assert_eq!(of(LayerKind::ImplicitWhenEnabled), [true, true]);
        assert_eq!(of(LayerKind::Implicit), [false, true]);
    }
}
