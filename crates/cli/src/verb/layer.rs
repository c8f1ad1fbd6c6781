//! `polyshade layer`: the Vulkan layer, for all applications or for one.

mod install;
mod places;
mod start;
mod status;

use crate::failure::Failure;
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Installs the Vulkan layer VK_LAYER_POLYSHADE_polyfill, or runs a program with it.
///
/// docs/layer.md says what the layer does and does not do, and which settings it has.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "Examples:\n  \
    polyshade layer run -- vulkaninfo --summary\n  \
    polyshade layer run --hide VK_EXT_transform_feedback -- glxinfo -B\n  \
    polyshade layer install && POLYSHADE_LAYER_ENABLE=1 vulkaninfo --summary\n  \
    polyshade layer status\n  \
    polyshade layer uninstall";

#[derive(Subcommand)]
enum What {
    /// Copy the library and write an implicit manifest, by which the loader finds it for every application
    Install(Install),
    /// Remove what `install` wrote
    Uninstall {
        #[command(flatten)]
        place: Place,
    },
    /// Say what is installed, and what the Vulkan loader finds
    Status,
    /// Run a program with the layer, installed or not
    Run(Run),
}

#[derive(Args)]
struct Install {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    library: Library,

    /// On for every application, and not only where POLYSHADE_LAYER_ENABLE is 1
    #[arg(long)]
    always: bool,
}

#[derive(Args)]
struct Place {
    /// For all users, under /usr/local/lib and /etc, instead of under the user's own data folder
    #[arg(long)]
    system: bool,
}

#[derive(Args)]
struct Library {
    /// The layer's library, if it does not lie beside this program
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    library: Library,

    /// What the layer does: auto, pass-through or debug-null
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,

    /// What the driver is not to have, with commas between: extensions of devices, geometryShader, tessellationShader
    #[arg(long, value_name = "NAMES")]
    hide: Option<String>,

    /// Have drivers be portability drivers, as those above Metal are: without fans, with few attributes
    #[arg(long)]
    portability: bool,

    /// What the layer tells: off, error, warning, info or debug
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,

    /// A folder for the shaders of captures, before and after, and for what is drawn, bound and written with them
    #[arg(long, value_name = "DIR")]
    dump: Option<String>,

    /// Capture only with these pipelines, by their number in the order of creation: 3, 3-7
    #[arg(long, value_name = "FIRST-LAST")]
    pipelines: Option<String>,

    /// Refuse to create pipelines that cannot be captured, instead of drawing with them
    #[arg(long)]
    refuse: bool,

    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.what {
        What::Install(install) => install::install(install)?,
        What::Uninstall { place } => install::uninstall(place)?,
        What::Status => status::run()?,
        What::Run(run) => return start::run(run),
    }
    Ok(ExitCode::SUCCESS)
}
