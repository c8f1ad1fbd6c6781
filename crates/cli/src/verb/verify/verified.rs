//! The verbs whose results can be verified, and the conversion of their arguments into the form that `verify` takes.

use crate::failure::Failure;
use crate::input::Input;
use crate::stage::{before_rasterization, only_entry};
use crate::verb::{blend, capture, clip, position_only as of_position, vertex_pulling as pulling};
use clap::Subcommand;
use polyshade::advanced_blend;
use polyshade::host::Target;
use polyshade::position_only::{self, Keep};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback;
use polyshade::vertex_pulling;
use polyshade::{Error, Module};
use polyshade_verify::{Asked, Captured, ClipSteps, Distances, Lowering, Part, Pulls, Reduced};

/// A verb with its options.
#[derive(Subcommand)]
pub(super) enum Verified {
    /// Transform feedback in storage buffers or through the extension
    Capture {
        #[command(flatten)]
        input: Box<Input>,
        #[command(flatten)]
        rewrite: Box<capture::Rewrite>,
    },
    /// The variant with the outputs that decide coverage, and the variant with the other outputs
    #[command(alias = "position")]
    PositionOnly {
        #[command(flatten)]
        input: Box<Input>,
        #[command(flatten)]
        rewrite: Box<of_position::Rewrite>,
    },
    /// Vertex attributes that the shader fetches
    #[command(alias = "pull")]
    VertexPulling {
        #[command(flatten)]
        input: Box<Input>,
        #[command(flatten)]
        rewrite: Box<pulling::Rewrite>,
    },
    /// Clip and cull distances in another form
    Clip {
        #[command(flatten)]
        input: Box<Input>,
        #[command(flatten)]
        rewrite: Box<clip::Rewrite>,
    },
    /// Advanced blend equations in the fragment shader
    Blend {
        #[command(flatten)]
        input: Box<Input>,
        #[command(flatten)]
        rewrite: Box<blend::Rewrite>,
    },
}

/// A function that applies steps to a module.
type Lower<'v> = Box<dyn Fn(&Module<'_>) -> Result<Module<'static>, Error> + 'v>;

/// The lowering that a verb applies to a shader.
pub(super) enum Specified<'v> {
    Stores(Target, transform_feedback::Options, Asked),
    Extension(Target, transform_feedback::Options, Asked),
    PositionOnly(Target, position_only::Options, Vec<Keep>, bool),
    VertexPulling(Target, vertex_pulling::Options),
    Clip(Lower<'v>, ClipSteps),
    Blend(Target, &'v blend::Rewrite, advanced_blend::Options),
}

impl Verified {
    /// Returns the input with the shader that the verb rewrites.
    pub(super) fn input(&self) -> &Input {
        match self {
            Self::Capture { input, .. }
            | Self::PositionOnly { input, .. }
            | Self::VertexPulling { input, .. }
            | Self::Clip { input, .. }
            | Self::Blend { input, .. } => input,
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Capture { .. } => "capture",
            Self::PositionOnly { .. } => "position-only",
            Self::VertexPulling { .. } => "vertex-pulling",
            Self::Clip { .. } => "clip",
            Self::Blend { .. } => "blend",
        }
    }

    /// Returns the variants of the verb, beginning with the one that the verb writes to --output.
    pub(super) fn parts(&self) -> &'static [Part] {
        match self {
            Self::Capture { rewrite, .. } if rewrite.is_by_extension() => &[Part::Lowered],
            Self::Capture { .. } => &[Part::CaptureOnly, Part::RasterOnly, Part::Both],
            Self::PositionOnly { .. } => &[Part::PositionOnly, Part::Complement, Part::Full],
            Self::VertexPulling { .. } | Self::Clip { .. } | Self::Blend { .. } => &[Part::Lowered],
        }
    }

    /// Returns the entry point to rewrite.
    pub(super) fn entry(
        &self,
        input: &Input,
        module: &Module<'_>,
    ) -> Result<(String, ExecutionModel), Failure> {
        match self {
            Self::Capture { rewrite, .. } if rewrite.is_by_extension() => {
                before_rasterization(input, module)
            }
            Self::Capture { .. } | Self::VertexPulling { .. } => {
                only_entry(input, module, &[ExecutionModel::VERTEX])
            }
            Self::PositionOnly { .. } => before_rasterization(input, module),
            Self::Clip { .. } => clip::only_entry(input, module),
            Self::Blend { .. } => only_entry(input, module, &[ExecutionModel::FRAGMENT]),
        }
    }

    /// Returns the lowering of this entry point. Rejects options that have no effect.
    pub(super) fn specify<'v>(
        &'v self,
        (entry, stage): (&'v str, ExecutionModel),
    ) -> Result<Specified<'v>, Failure> {
        match self {
            Self::Capture { rewrite, .. } => {
                let target = rewrite.target(entry, stage)?;
                let (options, asked) = (rewrite.options(), rewrite.asked());
                Ok(match rewrite.is_by_extension() {
                    true => Specified::Extension(target, options, asked),
                    false => Specified::Stores(target, options, asked),
                })
            }
            Self::PositionOnly { rewrite, .. } => Ok(Specified::PositionOnly(
                rewrite.free.target(entry, stage),
                rewrite.options(),
                rewrite.keep().to_vec(),
                rewrite.captures(),
            )),
            Self::VertexPulling { rewrite, .. } => {
                Ok(Specified::VertexPulling(rewrite.free.target(entry, stage), rewrite.options()))
            }
            Self::Clip { rewrite, .. } => {
                let listed = rewrite.check()?;
                rewrite.check_stage(stage)?;
                let steps = rewrite.verified(&listed, stage);
                let lower = move |m: &Module<'_>| {
                    let lowered = rewrite.lower(m, (entry, stage), &listed)?;
                    Ok(lowered.module.into_owned())
                };
                Ok(Specified::Clip(Box::new(lower), steps))
            }
            Self::Blend { rewrite, .. } => {
                Ok(Specified::Blend(rewrite.free.target(entry, stage), rewrite, rewrite.options()))
            }
        }
    }

    /// Rejects options that have no effect.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Capture { rewrite, .. } => rewrite.check(),
            Self::Blend { rewrite, .. } => rewrite.check(),
            Self::VertexPulling { rewrite, .. } => rewrite.check_unfed(),
            // Their options are rejected when they are read.
            Self::PositionOnly { .. } | Self::Clip { .. } => Ok(()),
        }
    }

    /// Returns the ids and the bits of the specialization constants to replace.
    pub(super) fn specialization(&self) -> Vec<(u32, u64)> {
        match self {
            Self::Capture { rewrite, .. } => rewrite.specialization().to_vec(),
            Self::PositionOnly { .. }
            | Self::VertexPulling { .. }
            | Self::Clip { .. }
            | Self::Blend { .. } => Vec::new(),
        }
    }
}

impl Specified<'_> {
    pub(super) fn lowering(&self) -> Lowering<'_> {
        let captured =
            |target, options, asked: &Asked| Captured { target, options, asked: asked.clone() };
        match self {
            Self::Stores(target, options, asked) => {
                Lowering::Stores(captured(target, options, asked))
            }
            Self::Extension(target, options, asked) => {
                Lowering::Extension(captured(target, options, asked))
            }
            Self::PositionOnly(target, options, keep, captures) => {
                let (keep, captures) = (keep.clone(), *captures);
                Lowering::Position(Reduced { target, options, keep, captures })
            }
            Self::VertexPulling(target, options) => Lowering::Pull(Pulls { target, options }),
            Self::Blend(target, rewrite, options) => {
                Lowering::Blend(rewrite.blends(target, options))
            }
            Self::Clip(lower, steps) => Lowering::Clip(Distances { lower: lower.as_ref(), steps }),
        }
    }
}
