//! Installs Python packages for some chores: in separate environments, and none for the system.

use std::path::Path;

use crate::command::{output, program, run};
use crate::setup::{self, Package};

const PYTHON: &[Package] = &[("python3-venv", "keeps Python packages in folders of their own")];

/// Returns the interpreter of an environment in this folder with the packages that a file of the workspace lists. The
/// environment is created if it is missing.
pub(crate) fn environment(
    folder: &Path,
    requirements: &str,
    dependencies: Dependencies,
) -> Result<String, String> {
    setup::run_setup_of(PYTHON)?;
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    if output(&mut program(&python, ["-m", "pip", "--version"])).is_err() {
        run(program("python3", ["-m", "venv", "--clear"]).arg(folder))?;
    }
    let mut install = program(&python, ["-m", "pip", "install", "--quiet", "--retries=1"]);
    install.args(match dependencies {
        Dependencies::Named => None,
        Dependencies::Listed => Some("--no-deps"),
    });
    run(install.args(["--requirement", requirements]))?;
    Ok(python)
}

/// The origin of a package's dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependencies {
    /// The packages name their dependencies.
    Named,
    /// The list contains the required dependencies.
    Listed,
}
