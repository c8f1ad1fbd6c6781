//! `polyshade layer`: installs the Vulkan layer for all applications, or runs one application with it.

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
/// docs/layer.md describes the layer, its limits and its settings.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "Examples:\n  \
    polyshade layer run -- vulkaninfo --summary\n  \
    polyshade layer run --hide VK_EXT_transform_feedback -- glxinfo -B\n  \
    polyshade layer run --provide shaderCullDistance -- vulkaninfo\n  \
    polyshade layer install && POLYSHADE_LAYER_ENABLE=1 vulkaninfo --summary\n  \
    polyshade layer status\n  \
    polyshade layer uninstall";

#[derive(Subcommand)]
enum What {
    /// Copy the library and write an implicit manifest, through which the loader finds the layer for every application
    Install(Install),
    /// Remove the files that `install` wrote
    Uninstall {
        #[command(flatten)]
        place: Place,
    },
    /// Print which layer is installed, and which layer the Vulkan loader finds
    Status,
    /// Run a program with the layer, which need not be installed
    Run(Run),
}

#[derive(Args)]
struct Install {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    library: Library,

    /// Enable the layer for every application, not only if POLYSHADE_LAYER_ENABLE is 1
    #[arg(long)]
    always: bool,
}

#[derive(Args)]
struct Place {
    /// Install under /usr/local/lib and /etc for all users, instead of in the user's own data folder
    #[arg(long)]
    system: bool,
}

#[derive(Args)]
struct Library {
    /// The layer's library [default: the library in or near the folder of this program]
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    library: Library,

    /// Mode of the layer: auto, pass-through or debug-null [default: auto]
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,

    /// Device extensions and features to hide, separated by commas; features: geometryShader, tessellationShader,
    /// shaderClipDistance, shaderCullDistance
    #[arg(long, value_name = "NAMES")]
    hide: Option<String>,

    /// Features to provide if the driver lacks them or they are hidden: shaderClipDistance, shaderCullDistance,
    /// VK_EXT_depth_clip_control
    #[arg(long, value_name = "NAMES")]
    provide: Option<String>,

    /// Report the limits of a portability driver, such as a driver on Metal: no triangle fans, few vertex attributes
    #[arg(long)]
    portability: bool,

    /// Least severe level of the layer's messages: off, error, warning, info or debug [default: warning]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,

    /// Write to this folder the shaders of captures, before and after rewriting, and the plans of their draws
    #[arg(long, value_name = "DIR")]
    dump: Option<String>,

    /// Capture only in pipelines with these numbers, which count from 0 in the order of creation: 3 or 3-7
    #[arg(long, value_name = "FIRST-LAST")]
    pipelines: Option<String>,

    /// Fail to create pipelines that cannot be captured, instead of drawing with them
    #[arg(long)]
    refuse: bool,

    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.what {
        What::Install(install) => install::install(install)?,
        What::Uninstall { place } => install::uninstall(place)?,
        What::Status => status::run()?,
        What::Run(run) => return start::run(run),
    }
    Ok(ExitCode::SUCCESS)
}
