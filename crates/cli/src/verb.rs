//! The verbs, each in its own file. They are declared here because `cargo fmt` does not find modules that a macro
//! declares.

pub(crate) mod batch;
pub(crate) mod blend;
pub(crate) mod capture;
pub(crate) mod clip;
pub(crate) mod clip_space;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod info;
pub(crate) mod layer;
pub(crate) mod man;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub(crate) mod position_only;
pub(crate) mod rasterizer_discard;
pub(crate) mod tessellation;
pub(crate) mod verify;
pub(crate) mod vertex_pulling;

use crate::advice;
use crate::failure::Failure;
use clap::Subcommand;
use std::process::{ExitCode, Termination};

macro_rules! verbs {
    ($($file:ident: $Verb:ident $(, formerly $old:literal)?;)*) => {
        #[derive(Subcommand)]
        pub(crate) enum Verb {
            $($(#[command(alias = $old)])? $Verb(Box<$file::Arguments>),)*
        }

        impl Verb {
            pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
                match self {
                    $(Self::$Verb(arguments) => {
                        let done = $file::run(arguments).map(Termination::report);
                        let verb = stringify!($file).replace('_', "-");
                        done.map_err(|failure| advice::add(failure, &verb))
                    })*
                }
            }
        }
    };
}

verbs! {
    batch: Batch;
    blend: Blend;
    capture: Capture;
    clip: Clip;
    clip_space: ClipSpace, formerly "depth";
    completions: Completions;
    convert: Convert;
    info: Info;
    layer: Layer;
    man: Man;
    pipeline: Pipeline, formerly "lower";
    plan: Plan;
    position_only: PositionOnly, formerly "position";
    rasterizer_discard: RasterizerDiscard, formerly "discard";
    tessellation: Tessellation;
    verify: Verify;
    vertex_pulling: VertexPulling, formerly "pull";
}
