//! Installs the missing Debian packages that are needed for building and testing.

use std::fs;

use crate::command::{as_root, output, program, run, target, workspace};
use crate::python;
use crate::spirv_tools;

/// The name of a package, and the purpose for which it is needed.
pub(crate) type Package = (&'static str, &'static str);

/// The requirements file with the Python package that contains the Vulkan registry.
const REGISTRY: &str = "xtask/vulkan-registry.txt";

/// The packages for testing, in addition to the compiler, which `xtask/compiler.sh` installs.
const PACKAGES: &[Package] = &[
    ("git", "lists the files that `cargo xtask tidy` reads"),
    ("pkg-config", "finds the C library for the programs that test it"),
    ("cmake", "finds it in another way, for the same"),
    ("make", "builds shaders by `polyshade batch`, as a user's build does"),
    ("libvulkan-dev", "the headers that a host in C draws with"),
    ("libvulkan1", "the Vulkan loader"),
    ("mesa-vulkan-drivers", "lavapipe, the first of the two drivers"),
    ("chromium", "SwiftShader, the second driver, and the newer validation layer"),
    ("vulkan-validationlayers", "the older validation layer"),
    ("mangohud", "another layer, an overlay"),
    ("vkbasalt", "another layer, which post-processes the picture"),
    ("spirv-tools", "spirv-val, the fuzz targets' oracle"),
    ("vkd3d-compiler", "compiles Direct3D's shaders, as its users have them"),
    ("valgrind", "counts the benchmarks' instructions"),
];

/// Installs the missing packages. Uses `sudo` unless the user is root.
pub(crate) fn run_setup() -> Result<(), String> {
    // xtask itself needs only a C compiler, so the C++ compiler may be missing.
    run(&mut program("sh", ["xtask/compiler.sh"]))?;
    run_setup_of(PACKAGES)?;
    spirv_tools::install();
    if let Err(why) = install_registry() {
        println!("setup: keeps Debian's Vulkan registry: {why}");
    }
    Ok(())
}

/// Copies the Vulkan registry to the path where a test of the layer reads it, because Debian's registry is older.
fn install_registry() -> Result<(), String> {
    let folder = target().join("vulkan-registry");
    let (listed, registry) = (fs::read(workspace().join(REGISTRY)), folder.join("vk.xml"));
    let of = folder.join("package.txt");
    if registry.exists() && fs::read(&of).ok() == listed.as_ref().ok().cloned() {
        return Ok(());
    }
    let packages = python::packages(&folder.join("python"), REGISTRY)?;
    let found = packages.join("vulkan_object/vk.xml");
    fs::copy(found, &registry)
        .and_then(|_| fs::write(&of, listed?))
        .map_err(|error| format!("{}: {error}", registry.display()))
}

/// Installs the given packages that are missing, for tasks that need additional packages.
pub(crate) fn run_setup_of(packages: &[Package]) -> Result<(), String> {
    let installed = output(&mut program(
        "dpkg-query",
        ["--show", "--showformat=${binary:Package} ${db:Status-Status}\n"],
    ))
    .map_err(|error| format!("{error}\nthe tests need Debian's packages: see docs/testing.md"))?;
    let missing = missing(packages, &installed);
    if missing.is_empty() {
        println!("setup: all {} Debian packages are installed", packages.len());
        return Ok(());
    }

    println!("setup: installing:");
    for (name, purpose) in &missing {
        println!("  {name:<24} {purpose}");
    }
    apt_get(&["update", "-qq"])?;
    let mut install = vec!["install", "-y", "-qq", "--no-install-recommends"];
    install.extend(missing.iter().map(|(name, _)| name));
    apt_get(&install)
}

/// Returns the packages that are missing in `installed`, dpkg's list with lines `name[:architecture] status`.
fn missing(packages: &[Package], installed: &str) -> Vec<Package> {
    let there = |wanted: &str| {
        installed.lines().any(|line| {
            let (name, status) = line.split_once(' ').unwrap_or((line, ""));
            name.split(':').next() == Some(wanted) && status == "installed"
        })
    };
    packages.iter().copied().filter(|(name, _)| !there(name)).collect()
}

/// Runs `apt-get ARGS…`. Uses `sudo` unless the user is root.
pub(crate) fn apt_get(args: &[&str]) -> Result<(), String> {
    // Set the variable with `env`, because `sudo` drops its caller's variables.
    let line = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "-o=Dpkg::Use-Pty=0"];
    run(as_root("env", &line)?.args(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_missing_unless_fully_installed() {
        let all: String = PACKAGES.iter().map(|(name, _)| format!("{name} installed\n")).collect();
        assert!(missing(PACKAGES, &all).is_empty());

        let removed = all.replace("valgrind installed", "valgrind config-files");
        let absent = removed.replace("chromium installed", "chromium-common installed");
        let foreign = absent.replace("libvulkan1 ", "libvulkan1:amd64 ");
        let names: Vec<_> = missing(PACKAGES, &foreign).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["chromium", "valgrind"]);
    }
}
