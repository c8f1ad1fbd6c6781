//! Applies several lowerings to the stages of a pipeline in the right order.
//!
//! The order of some lowerings matters: for example, transform feedback must capture a position before the position
//! is converted. In addition, each lowering changes only one stage, but the locations and bindings that it adds must
//! be free in all stages. A [`Recipe`] has one field per lowering, so a caller can neither choose a wrong order nor
//! repeat a step. [`lower`] finds out which resources the stages use, which distances they pass to each other, and
//! which locations are free.
//!
//! The steps are as follows, in this order, each with the reason for its place. The *last* stage is the last stage
//! before rasterization.
//!
//! 1. [`vertex_pulling`](Recipe::vertex_pulling), in the vertex stage. A capture of indexed draws, or in a compute
//!    stage, requires that the shader fetches its attributes.
//! 2. [`capture`](Recipe::capture), in the last stage. It captures the outputs as the original shader wrote them, by
//!    their original names.
//! 3. [`normalize`](Recipe::normalize), in all stages. All later steps expect distances in built-in arrays.
//! 4. [`planes`](Recipe::planes), in the last stage. The masks of step 5 apply to these planes, too.
//! 5. [`masks`](Recipe::masks), in the last and the fragment stage. Emulation must see the masked distances.
//! 6. [`position_only`](Recipe::position_only), in the last stage. It keeps built-in distances, but it would remove
//!    the ordinary outputs that an emulation adds.
//! 7. [`emulate`](Recipe::emulate), in the last and the fragment stage. It is the last step that changes distances.
//! 8. [`clip_space`](Recipe::clip_space), in the last stage. It must precede rasterizer discard, because it must not
//!    convert a position that discards.
//! 9. [`rasterizer_discard`](Recipe::rasterizer_discard), in the last stage.
//! 10. [`blend`](Recipe::blend), in the fragment stage. An interlock must begin in the function of the entry point.
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

/// The version of the recipe code itself. It increases by one when recipes emit different code for the same input.
const OWN_VERSION: u32 = 1;

/// The sum of the versions of the recipe code and of all lowerings, so it increases when any of these does.
pub const VERSION: u32 = OWN_VERSION
    + advanced_blend::VERSION
    + clip_cull::VERSION
    + clip_space::VERSION
    + position_only::VERSION
    + rasterizer_discard::VERSION
    + transform_feedback::VERSION
    + transform_feedback::EXTENSION_VERSION
    + vertex_pulling::VERSION;

/// The lowerings that the stages of one pipeline need. A field that is `None` is skipped.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Recipe {
    /// Makes the vertex stage fetch its attributes.
    pub vertex_pulling: Option<vertex_pulling::Options>,
    /// Captures the outputs of the last stage (transform feedback).
    pub capture: Option<Capture>,
    /// Moves distances from registers into built-in arrays in all stages, with consistent numbers between stages.
    /// Stages without an entry in the map use their semantics.
    pub normalize: Option<BTreeMap<ExecutionModel, Normalize>>,
    /// Clips the last stage's primitives against planes that the host provides.
    pub planes: Option<UserPlanes>,
    /// Turns off clipping against disabled planes.
    pub masks: Option<Masks>,
    /// Reduces the last stage to the outputs that determine coverage, or to all other outputs.
    pub position_only: Option<position_only::Options>,
    /// Emulates clip and cull distances that the device lacks: the fragment stage discards fragments outside of the
    /// clip volume.
    pub emulate: Option<Emulated>,
    /// Converts the position of the last stage.
    pub clip_space: Option<clip_space::Options>,
    /// Discards all primitives before rasterization, either always or depending on a host parameter.
    pub rasterizer_discard: Option<rasterizer_discard::Options>,
    /// Blends in the fragment stage.
    pub blend: Option<advanced_blend::Options>,
}

/// How the last stage is captured.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Capture {
    /// With `VK_EXT_transform_feedback`.
    Extension(transform_feedback::Options),
    /// Into storage buffers.
    Storage {
        /// The variant that the pipeline draws or dispatches. If the options request a [compute
        /// stage](transform_feedback::Options::compute), [`Variant::CaptureOnly`] turns the vertex stage into a
        /// compute stage. If the variant is not rasterized, no later lowering applies to its last stage. Recipes that
        /// differ only in the variant use the same bindings and locations.
        variant: Variant,
        /// The captured outputs and their destination.
        options: transform_feedback::Options,
    },
}

/// The clip planes that are enabled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Masks {
    /// Bit `i` enables plane `i`.
    pub enabled: Value<u32>,
    /// Whether the fragment stage reads the unmasked distances, and `VK_EXT_transform_feedback` captures them. They
    /// get locations that are free in both stages.
    #[cfg_attr(feature = "serde", serde(default))]
    pub keep_original: bool,
}

/// The results of the lowerings of one stage. A field is `None` if the recipe does not apply the lowering to the
/// stage.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Made {
    /// The result of vertex pulling.
    pub pulled: Option<Pulled>,
    /// The layout of a capture into storage buffers.
    pub stored: Option<Layout>,
    /// The result of a capture with `VK_EXT_transform_feedback`.
    pub decorated: Option<Decorated>,
    /// The distances after registers became arrays.
    pub normalized: Option<StageDistances>,
    /// The distances after the host's planes were added.
    pub planes: Option<StageDistances>,
    /// The distances of the last stage after masking.
    pub masks: Option<StageDistances>,
    /// The unmasked distances that the fragment stage reads.
    pub original: Option<StageDistances>,
    /// The emulated distances.
    pub emulated: Option<StageDistances>,
    /// The result of the conversion of the position.
    pub clip_space: Option<Changed>,
    /// The result of rasterizer discard.
    pub rasterizer_discard: Option<Changed>,
    /// How each colour target blends, by its location.
    pub blended: Option<BTreeMap<u32, ColorBlend>>,
}

/// Applies `recipe` to the stages of a pipeline, which are in pipeline order. The result has one element for each
/// stage, with the host parameters and requirements of all its lowerings. Each element is a separate module that has
/// only the entry point of its stage.
///
/// Each stage avoids the descriptors, push constants and specialization constants of the other stages, and the
/// locations of the next stage's inputs. A target needs to reserve only resources that are used outside of these
/// stages.
///
/// # Errors
///
/// The message begins with the name of the recipe's field. A word offset or id refers to the module of the stage that
/// the message names.
///
/// * `Options`: the stages are not in pipeline order; the pipeline has no stage for a field; the recipe reduces the
///   outputs of a variant that is not rasterized.
/// * The errors of the lowerings, and `Unsupported` if too few locations are free.
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
    /// Whether the pipeline rasterizes its primitives.
    fn is_rasterized(&self) -> bool {
        let captures = [Variant::CaptureOnly, Variant::SpillOutputs];
        !matches!(&self.capture, Some(Capture::Storage { variant, .. }) if captures.contains(variant))
    }

    /// Returns the descriptors that the recipe's options specify. Vertex pulling and captures are skipped, because
    /// they can choose free descriptors. `colours` are the locations of the fragment stage's outputs.
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
