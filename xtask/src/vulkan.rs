//! Finds the two drivers and the two validation layers of the execution tests among Debian's files.
//!
//! The machine's own Vulkan set-up must not influence the tests, so environment variables tell the loader which
//! drivers and which layer to use. docs/testing.md describes the tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::command::{output, program, target};
use crate::files;

/// The two available versions of the Khronos validation layer. The newer version has more rules and fewer bugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValidationLayer {
    /// The older version, in the package `vulkan-validationlayers`.
    Debian,
    /// The newer version, in the package `chromium`.
    Chromium,
}

/// Makes glibc fill all allocated memory with zeros. lavapipe's tessellation reads clip and cull distances from
/// memory that it has not written, so the results of a draw would vary.
const ZEROED_MEMORY: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.malloc.perturb=255:glibc.malloc.tcache_count=0");

/// Whether LLVM optimizes the shaders that lavapipe compiles. Most test shaders are drawn once, and optimizing them
/// takes ten times longer than drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Optimizer {
    On,
    Off,
}

/// Returns the variables that make both drivers and one validation layer visible to the Vulkan loader, and that make
/// the drivers deterministic and fast.
pub(crate) fn variables(
    layer: ValidationLayer,
    optimizer: Optimizer,
) -> Result<Vec<(&'static str, OsString)>, String> {
    let manifests = [driver_manifest(Driver::Lavapipe)?, driver_manifest(Driver::SwiftShader)?];
    let drivers = std::env::join_paths(manifests)
        .map_err(|error| format!("a driver's path cannot be in a list: {error}"))?;
    let mut variables = vec![
        ("VK_DRIVER_FILES", drivers.clone()),
        // Loaders before 1.3.207 use this name.
        ("VK_ICD_FILENAMES", drivers),
        ("VK_LAYER_PATH", manifest_folder(layer)?.into()),
        (ZEROED_MEMORY.0, ZEROED_MEMORY.1.into()),
        // Cache the shaders that lavapipe compiles. The keys are their contents, the processor and the optimizer.
        ("MESA_SHADER_CACHE_DIR", target().join("mesa-shader-cache").into()),
    ];
    if optimizer == Optimizer::Off {
        variables.push(("GALLIVM_PERF", "nopt".into()));
    }
    Ok(variables)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// The driver of Mesa.
    Lavapipe,
    /// The driver in the package `chromium`.
    SwiftShader,
}

/// Returns the path of the manifest through which the Vulkan loader finds a driver.
pub(crate) fn driver_manifest(driver: Driver) -> Result<PathBuf, String> {
    match driver {
        Driver::Lavapipe => installed_file(&["mesa-vulkan-drivers"], "lvp_icd.", ".json"),
        Driver::SwiftShader => installed_file(&CHROMIUM, "vk_swiftshader_icd", ".json"),
    }
}

const CHROMIUM: [&str; 2] = ["chromium", "chromium-common"];

/// Returns a folder in which the loader finds the manifest of this validation layer but of no other layer.
fn manifest_folder(layer: ValidationLayer) -> Result<PathBuf, String> {
    match layer {
        ValidationLayer::Debian => {
            let packages = ["vulkan-validationlayers"];
            let manifest = installed_file(&packages, "VkLayer_khronos_validation", ".json")?;
            Ok(manifest.parent().expect("an installed file lies in a folder").to_owned())
        }
        ValidationLayer::Chromium => {
            let library = installed_file(&CHROMIUM, "libVkLayer_khronos_validation", ".so")?;
            let folder = target().join("chromium-validation-layer");
            let manifest = folder.join("VkLayer_khronos_validation.json");
            files::write(&manifest, chromium_manifest(&library))?;
            Ok(folder)
        }
    }
}

/// Returns a manifest for Chromium's copy of the layer, because the package contains no manifest.
fn chromium_manifest(library: &Path) -> String {
    format!(
        r#"{{
  "file_format_version": "1.2.0",
  "layer": {{
    "name": "VK_LAYER_KHRONOS_validation",
    "type": "GLOBAL",
    "library_path": "{}",
    "api_version": "1.4.0",
    "implementation_version": "1",
    "description": "Khronos validation layer, from Debian's package chromium",
    "instance_extensions": [
      {{ "name": "VK_EXT_debug_report", "spec_version": "9" }},
      {{ "name": "VK_EXT_debug_utils", "spec_version": "1" }},
      {{ "name": "VK_EXT_validation_features", "spec_version": "2" }},
      {{ "name": "VK_EXT_layer_settings", "spec_version": "2" }}
    ]
  }}
}}
"#,
        library.display()
    )
}

/// Returns a file that one of the Debian packages installed, by the beginning and the end of its path.
fn installed_file(packages: &[&str], prefix: &str, suffix: &str) -> Result<PathBuf, String> {
    let files = output(program("dpkg", ["--listfiles"]).args(packages))?;
    find(&files, prefix, suffix).ok_or_else(|| {
        format!("no {prefix}*{suffix} in Debian's {}: run `cargo xtask setup`", packages.join(", "))
    })
}

fn find(files: &str, prefix: &str, suffix: &str) -> Option<PathBuf> {
    let mut files = files.lines().map(Path::new);
    let named = |file: &&Path| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(prefix) && name.ends_with(suffix)
    };
    files.find(named).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_found_by_the_form_of_their_name() {
        let files = "/.\n/a/lvp_icd.d\n/a/lvp_icd.x86_64.json\n/a/radeon_icd.x86_64.json\n";
        assert_eq!(find(files, "lvp_icd.", ".json"), Some("/a/lvp_icd.x86_64.json".into()));
        assert_eq!(find(files, "vk_swiftshader_icd", ".json"), None);
    }

    #[test]
    fn each_layer_is_alone_in_its_folder() {
        let of = |layer| {
            let variables = variables(layer, Optimizer::On).expect("`cargo xtask setup` has run");
            assert_eq!(std::env::split_paths(&variables[0].1).filter(|p| p.exists()).count(), 2);
            let folder = PathBuf::from(&variables[2].1);
            let manifest = folder.join("VkLayer_khronos_validation.json");
            fs::read_to_string(manifest).expect("the folder holds the layer's manifest")
        };
        assert_ne!(of(ValidationLayer::Debian), of(ValidationLayer::Chromium));
    }
}
