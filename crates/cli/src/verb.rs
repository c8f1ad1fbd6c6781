//! The verbs: a file each. `cargo fmt` finds none that a macro declares.

pub(crate) mod batch;
pub(crate) mod blend;
pub(crate) mod capture;
pub(crate) mod clip;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod depth;
pub(crate) mod discard;
pub(crate) mod info;
pub(crate) mod layer;
pub(crate) mod lower;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod position;
pub(crate) mod pull;
pub(crate) mod verify;

use crate::advice;
use crate::failure::Failure;
use clap::Subcommand;
use std::process::{ExitCode, Termination};

macro_rules! verbs {
    ($($file:ident: $Verb:ident,)*) => {
        #[derive(Subcommand)]
        pub(crate) enum Verb {
            $($Verb(Box<$file::Arguments>),)*
        }

        impl Verb {
            pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
                match self {
                    $(Self::$Verb(arguments) => {
                        let done = $file::run(arguments).map(Termination::report);
                        done.map_err(|failure| advice::add(failure, stringify!($file)))
                    })*
                }
            }
        }
    };
}

verbs! {
    batch: Batch,
    blend: Blend,
    capture: Capture,
    clip: Clip,
    completions: Completions,
    convert: Convert,
    depth: Depth,
    discard: Discard,
    info: Info,
    layer: Layer,
    lower: Lower,
    man: Man,
    position: Position,
    plan: Plan,
    pull: Pull,
    verify: Verify,
}
