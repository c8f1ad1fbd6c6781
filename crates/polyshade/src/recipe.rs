//! Several lowerings of a pipeline at once, in the order that is right: what is wanted is said, and not in which steps.
//!
//! Some lowerings are right in one order only: a position that was converted can no longer be captured as the shader
//! wrote it. And each lowering sees one stage, while what it adds must be free in all of them. A [`Recipe`] has a field
//! for each lowering, so that neither an order nor a step that is made twice can be asked for; [`lower`] finds in the
//! modules what the stages use, which distances they link and which locations are free.
//!
//! What is done, in this order, and why it comes before what follows. The *last* stage is the last one before
//! rasterization.
//!
//! 1. [`vertex_pulling`](Recipe::vertex_pulling), of the vertex stage. A capture of draws with indices, or in a compute
//!    stage, takes no other attributes.
//! 2. [`capture`](Recipe::capture), of the last stage. What is captured is what the shader wrote, by its names.
//! 3. [`normalize`](Recipe::normalize), of all stages. All that follows knows distances as built-in arrays.
//! 4. [`planes`](Recipe::planes), of the last stage. Masks turn planes of the host off, too.
//! 5. [`masks`](Recipe::masks), of the last and the fragment stage. Distances are emulated as they clip.
//! 6. [`position_only`](Recipe::position_only), of the last stage. It keeps built-in distances, and drops ordinary
//!    values.
//! 7. [`emulate`](Recipe::emulate), of the last and the fragment stage. It is the last that is done to distances.
//! 8. [`clip_space`](Recipe::clip_space), of the last stage. A position that discards is not converted.
//! 9. [`rasterizer_discard`](Recipe::rasterizer_discard), of the last stage.
//! 10. [`blend`](Recipe::blend), of the fragment stage. An interlock begins in the function of the entry point.
//!
//! ```
//! # use polyshade::{Error, Module, host::{ParamSource, Target}};
//! use polyshade::clip_space::Options;
//! use polyshade::recipe::{self, Recipe};
//!
//! # fn pipeline(vertex: &Module<'_>, fragment: &Module<'_>) -> Result<(), Error> {
//! let mut recipe = Recipe::default();
//! recipe.normalize = Some(Default::default());
//! recipe.clip_space = Some(Options::new().depth(true));
//! let stages = [(vertex, Target::new("main")), (fragment, Target::new("main"))];
//! let lowered = recipe::lower(&stages, &recipe)?;
//! assert!(lowered[0].result.clip_space.is_some());
//! # Ok(())
//! # }
//! ```

mod pipeline;

use crate::advanced_blend::{self, ColorBlend};
use crate::clip_cull::{self, Emulated, Normalize, StageDistances, UserPlanes};
use crate::clip_space;
use crate::host::{Changed, Lowered, ParamSource, Reserved, Target, Value};
use crate::position_only;
use crate::rasterizer_discard;
use crate::transform_feedback::{self, Decorated, Layout, Variant};
use crate::vertex_pulling::{self, Pulled};
use pipeline::Pipeline;
use polyshade_spv::{Error, ExecutionModel, Module};
use std::collections::BTreeMap;

/// How often recipes themselves came to make other words.
const OWN_VERSION: u32 = 1;

/// Grows by one whenever the version of a lowering that recipes make does: the sum of them, and of their own.
pub const VERSION: u32 = OWN_VERSION
    + advanced_blend::VERSION
    + clip_cull::VERSION
    + clip_space::VERSION
    + position_only::VERSION
    + rasterizer_discard::VERSION
    + transform_feedback::VERSION
    + transform_feedback::EXTENSION_VERSION
    + vertex_pulling::VERSION;

/// What the stages of one pipeline want. A field that is not there is not done.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Recipe {
    /// The vertex stage fetches its attributes.
    pub vertex_pulling: Option<vertex_pulling::Options>,
    /// Transform feedback captures the last stage.
    pub capture: Option<Capture>,
    /// Distances in registers become built-in arrays, in all stages, numbered for the stages that meet. Stages that are
    /// not named here go by their semantics.
    pub normalize: Option<BTreeMap<ExecutionModel, Normalize>>,
    /// The last stage is clipped against planes of the host's.
    pub planes: Option<UserPlanes>,
    /// Disabled planes do not clip.
    pub masks: Option<Masks>,
    /// The last stage is reduced to the outputs that decide coverage, or to the others.
    pub position_only: Option<position_only::Options>,
    /// The fragment stage discards what the distances of the last stage cut off, where the device has none.
    pub emulate: Option<Emulated>,
    /// The position of the last stage is converted.
    pub clip_space: Option<clip_space::Options>,
    /// Nothing is rasterized, or not always.
    pub rasterizer_discard: Option<rasterizer_discard::Options>,
    /// The fragment stage blends.
    pub blend: Option<advanced_blend::Options>,
}

/// How the last stage is captured.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Capture {
    /// By `VK_EXT_transform_feedback`.
    Extension(transform_feedback::Options),
    /// Into storage buffers.
    Storage {
        /// Which variant the pipeline draws, or dispatches: where options ask for a [compute
        /// stage](transform_feedback::Options::compute), [`Variant::CaptureOnly`] makes one of the vertex stage. Of a
        /// variant that is not rasterized nothing else is done to the last stage; a recipe with another variant and the
        /// same options finds the same places.
        variant: Variant,
        /// What is captured, and where it goes.
        options: transform_feedback::Options,
    },
}

/// Which clip planes clip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Masks {
    /// Bit `i` enables plane `i`.
    pub enabled: Value<u32>,
    /// Whether the fragment stage reads, and `VK_EXT_transform_feedback` captures, the unmasked distances: at locations
    /// that are free in both stages.
    #[cfg_attr(feature = "serde", serde(default))]
    pub keep_original: bool,
}

/// What each lowering says of one stage, where it was asked for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Made {
    /// Of attributes that are fetched.
    pub pulled: Option<Pulled>,
    /// Of a capture into storage buffers.
    pub stored: Option<Layout>,
    /// Of a capture by the extension.
    pub decorated: Option<Decorated>,
    /// Of registers that became arrays.
    pub normalized: Option<StageDistances>,
    /// Of the host's planes.
    pub planes: Option<StageDistances>,
    /// Of planes that are off, in the last stage.
    pub masks: Option<StageDistances>,
    /// Of the unmasked distances that the fragment stage reads.
    pub original: Option<StageDistances>,
    /// Of distances that are emulated.
    pub emulated: Option<StageDistances>,
    /// Of the position's convention.
    pub clip_space: Option<Changed>,
    /// Of rasterizer discard.
    pub rasterizer_discard: Option<Changed>,
    /// Of blending.
    pub blended: Option<BTreeMap<u32, ColorBlend>>,
}

/// Makes of the stages of a pipeline, in its order, what `recipe` says. There is a result for each stage, with the
/// words and requirements of all that was done to it. Each stage gets a module of its own, with its entry point alone.
///
/// What the other stages use is reserved for each: their descriptors, push constants and specialization constants, and
/// the locations of the next stage's inputs. A target reserves what is beyond the pipeline.
///
/// # Errors
///
/// The message begins with the field of the recipe that it is about. A place and an id are of the module of the stage
/// that the message names.
///
/// * `Options`: stages out of order; a field for which the pipeline has no stage; a reduction of a variant that is not
///   rasterized.
/// * Those of the lowerings, and `Unsupported` where too few locations are free.
pub fn lower<'m>(
    stages: &[(&'m Module<'_>, Target)],
    recipe: &Recipe,
) -> Result<Vec<Lowered<'m, Made>>, Error> {
    let mut pipeline = Pipeline::new(stages)?;
    pipeline.check(recipe)?;
    if let Some(options) = &recipe.vertex_pulling {
        pipeline.pull(options, recipe)?;
    }
    if let Some(capture) = &recipe.capture {
        pipeline.capture(capture, recipe)?;
    }
    if let Some(options) = &recipe.normalize {
        pipeline.normalize(options, recipe)?;
    }
    if recipe.is_rasterized() {
        pipeline.clip(recipe)?;
        pipeline.change_position(recipe)?;
    }
    if let Some(options) = &recipe.blend {
        pipeline.blend(options)?;
    }
    Ok(pipeline.finish())
}

impl Recipe {
    /// Whether what is drawn goes on to rasterization.
    fn is_rasterized(&self) -> bool {
        let captures = [Variant::CaptureOnly, Variant::SpillOutputs];
        !matches!(&self.capture, Some(Capture::Storage { variant, .. }) if captures.contains(variant))
    }

    /// The descriptors that are asked for by their numbers, by all but vertex pulling and the capture, which find room
    /// beside them. `colours` are the locations of the fragment stage's outputs.
    fn descriptors(&self, colours: Vec<u32>) -> Reserved {
        let planes = self.planes.map(|planes| planes.params);
        let masks = self.masks.and_then(|masks| masks.enabled.place());
        let discard = self.rasterizer_discard.as_ref().and_then(|discard| discard.when.place());
        let depth = self.clip_space.iter().flat_map(clip_space::words).map(|words| words.source);
        let places = planes.into_iter().chain(masks).chain(depth).chain(discard);
        let blend = self.blend.as_ref().map(|blend| blend.descriptors(colours));
        let all = places.filter_map(ParamSource::descriptor).chain(blend.into_iter().flatten());
        all.fold(Reserved::new(), |reserved, (set, binding)| reserved.binding(set, binding))
    }
}
