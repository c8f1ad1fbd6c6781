//! Installs Python packages that some tasks need, in separate environments instead of system-wide.

use std::path::{Path, PathBuf};

use crate::command::{output, program, run};
use crate::setup::{self, Package};

const PYTHON: &[Package] = &[("python3-venv", "keeps Python packages in folders of their own")];

/// Returns the interpreter of a Python environment in this folder, with the packages that a file of the workspace
/// lists. Creates the environment if it is missing.
pub(crate) fn environment(folder: &Path, requirements: &str) -> Result<String, String> {
    setup::run_setup_of(PYTHON)?;
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    if output(&mut program(&python, ["-m", "pip", "--version"])).is_err() {
        run(program("python3", ["-m", "venv", "--clear"]).arg(folder))?;
    }
    // The list contains all required packages.
    let install = ["-m", "pip", "install", "--quiet", "--retries=1", "--no-deps"];
    run(program(&python, install).args(["--requirement", requirements]))?;
    Ok(python)
}

/// Returns the folder of the packages that a file of the workspace lists completely, which are installed in `folder`.
pub(crate) fn packages(folder: &Path, requirements: &str) -> Result<PathBuf, String> {
    let python = environment(folder, requirements)?;
    let path = "import sysconfig; print(sysconfig.get_path('purelib'))";
    Ok(output(&mut program(&python, ["-c", path]))?.trim().into())
}
