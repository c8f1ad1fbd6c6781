//! The manifest: the file through which the Vulkan loader finds the layer.
//!
//! The loader loads an *explicit* layer for applications that enable it or that run with `VK_INSTANCE_LAYERS` set, and
//! an *implicit* layer for all applications, unless an environment variable disables it.

use crate::{LAYER_NAME, portability};
use ash::{ext, vk};
use serde_json::{Value, json};
use std::ffi::CStr;
use std::path::Path;

/// The file name of the manifest.
pub const FILE_NAME: &str = "VkLayer_polyshade_polyfill.json";

/// The environment variable that enables an implicit layer if its value is `1`.
pub const ENABLE: &str = "POLYSHADE_LAYER_ENABLE";

/// The environment variable that disables an implicit layer, with any value.
pub const DISABLE: &str = "POLYSHADE_LAYER_DISABLE";

/// The applications for which the loader loads the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// Applications that enable the layer.
    Explicit,
    /// All processes in which [`ENABLE`] is `1`.
    ImplicitWhenEnabled,
    /// All processes.
    Implicit,
}

pub(crate) const FEEDBACK_COMMANDS: [&str; 6] = [
    "vkCmdBindTransformFeedbackBuffersEXT",
    "vkCmdBeginTransformFeedbackEXT",
    "vkCmdEndTransformFeedbackEXT",
    "vkCmdBeginQueryIndexedEXT",
    "vkCmdEndQueryIndexedEXT",
    "vkCmdDrawIndirectByteCountEXT",
];

/// Returns the file name of the layer's library on this system.
pub fn library_name() -> String {
    format!("{}polyshade_layer{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Returns the manifest for the layer's library at this path.
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
        // Loaders before 1.3.270 also list this extension for implicit layers, but then create no instance that
        // enables it.
        layer["instance_extensions"] = json!([{
            "name": text(ext::layer_settings::NAME),
            "spec_version": ext::layer_settings::SPEC_VERSION.to_string(),
        }]);
        // The setting `portability` needs this extension. For an implicit layer, the loader would list it for every
        // device.
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
