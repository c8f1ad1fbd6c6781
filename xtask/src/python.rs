//! Python packages that some chores need, each chore's in an environment of its own, and none for the system.

use std::path::Path;

use crate::command::{output, program, run};
use crate::setup::{self, Package};

const PYTHON: &[Package] = &[("python3-venv", "keeps Python packages in folders of their own")];

/// The interpreter of an environment in this folder that has all that a file of the workspace lists. It is made where
/// it is missing.
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

/// Where what a package depends on comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependencies {
    /// The packages name them.
    Named,
    /// They are in the list, as far as they are needed.
    Listed,
}
