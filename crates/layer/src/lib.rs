//! `VK_LAYER_POLYSHADE_polyfill`: a Vulkan layer that provides features which the driver lacks.
//!
//! It provides `VK_EXT_transform_feedback` by capturing in vertex shaders (`emulation`) and, if the settings say so,
//! features of pipelines by lowering their shaders (`recipes`). It hides the extensions and features that the settings
//! name. In the mode `debug-null` it advertises the extension and captures nothing.
//! Devices that do not need the layer get the driver's own commands. `docs/layer.md` is the user guide.
//!
//! The loader calls [`vkNegotiateLoaderLayerInterfaceVersion`] and finds all other commands through it. Applications
//! that link the layer as a static library call [`polyshade_layer_link`].

pub mod android;
pub mod chain;
mod commands;
mod device;
mod driver;
mod emulation;
mod features;
mod feedback;
mod instance;
mod known;
mod linked;
mod log;
pub mod manifest;
mod names;
mod physical;
mod pipeline_features;
mod pnext;
mod portability;
mod procs;
mod recipes;
mod registry;
mod reported_features;
pub mod settings;
mod spirv;
mod structures;
#[cfg(target_os = "android")]
mod system;
mod two_call;
mod usages;

pub use features::Feature;
pub use linked::{polyshade_layer_link, polyshade_layer_vkGetInstanceProcAddr};
pub use log::Level;
pub use procs::vkNegotiateLoaderLayerInterfaceVersion;

use std::ffi::CStr;

/// The layer's name.
pub const LAYER_NAME: &CStr = c"VK_LAYER_POLYSHADE_polyfill";

/// The layer's description, as layer lists show it.
const DESCRIPTION: &CStr = c"polyshade: features that the driver lacks";
