//! The verbs: a file and a line each.

use crate::advice;
use crate::failure::Failure;
use clap::Subcommand;
use std::process::{ExitCode, Termination};

macro_rules! verbs {
    ($($file:ident: $Verb:ident,)*) => {
        $(pub(crate) mod $file;)*

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
