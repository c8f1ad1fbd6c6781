//! Reports which layers are installed, and which layer the loader finds.

use super::places::{Files, of_system, of_user};
use crate::Done;
use crate::failure::Failure;
use crate::output::print_text;
use polyshade_layer::LAYER_NAME;
use polyshade_layer::manifest::{DISABLE, ENABLE};
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;

/// Prints a line for each place of installation, and then the layer that the loader finds.
pub(super) fn run() -> Done {
    let mut lines = vec![
        format!("for this user: {}", describe(&of_user()?)),
        format!("for all users: {}", describe(&of_system())),
    ];
    for name in [ENABLE, DISABLE] {
        let value = std::env::var_os(name);
        lines.extend(value.map(|value| format!("{name} is set to {}", value.display())));
    }
    // Print these lines first, because they are also true if the loader fails.
    print_text(&lines.join("\n"))?;
    let layer = polyshade_vulkan::find_layer(LAYER_NAME)
        .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let name = LAYER_NAME.to_string_lossy();
    print_text(&match layer {
        Some(layer) => format!("the Vulkan loader finds {name}: {layer}"),
        None => format!("the Vulkan loader does not find {name}"),
    })
}

/// Describes the installation at a place and any faults in it.
fn describe(files: &Files) -> String {
    let manifest = files.manifest.display();
    let text = match fs::read_to_string(&files.manifest) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return format!("not installed: {manifest} does not exist");
        }
        Err(error) => return format!("{manifest}: {error}"),
    };
    let Ok(value) = serde_json::from_str::<Value>(&text) else {
        return format!("{manifest} is not JSON: install the layer again");
    };
    let layer = &value["layer"];
    let Some(library) = layer["library_path"].as_str() else {
        return format!("{manifest} names no library: install the layer again");
    };
    if let Err(error) = fs::metadata(library) {
        return format!("{manifest} names {library}: {error}");
    }
    let when = if layer["enable_environment"].is_object() {
        format!("enabled where {ENABLE}=1 is set")
    } else {
        format!("enabled unless {DISABLE} is set")
    };
    format!("{manifest} names {library}, {when}")
}
