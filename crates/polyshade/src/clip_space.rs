//! Converts a shader's positions to the clip space of another API.
//!
//! The clip volume is -w ≤ z ≤ w in OpenGL, and 0 ≤ z ≤ w in Vulkan, Direct3D and Metal. The y axis points up in
//! OpenGL and down in Vulkan. Some phones display rotated images. The options select up to three changes to a position
//! (x, y, z, w), in this order: z becomes (z + w) / 2, y is negated, and x and y are rotated. Transform feedback still
//! captures the original position: the extension captures an added output, and the storage-buffer variants store the
//! outputs before the conversion. Therefore, lower transform feedback first.
//!
//! ```
//! # use polyshade::clip_space::{self, Options};
//! # use polyshade::host::{ParamSource, Value};
//! # use polyshade::{Error, Module};
//! # fn convert(words: &[u32]) -> Result<(), Error> {
//! let vertex = Module::parse(words)?;
//! let flip = Value::Param(ParamSource::PushConstant { offset: 64 });
//! let options = Options::new().depth(true).flip_y(flip);
//! let converted = clip_space::lower(&vertex, "main", &options)?;
//! println!("the host fills in {:?}", converted.params);
//! # Ok(())
//! # }
//! ```

mod emit;

use crate::host::{Changed, HostParam, HostParams, Lowered, Target, Value};
use crate::position;
use crate::rewrite::{self, Lowering};
use polyshade_spv::{Error, Module};

/// The version of the shaders from [`lower`]. It increases when the same input gives a different module.
pub const VERSION: u32 = 4;

const LOWERING: Lowering = position::changed_by("clip_space");

/// The clockwise rotation of the displayed image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SurfaceRotation {
    /// No rotation.
    #[default]
    None,
    /// By 90 degrees: the top edge moves to the right.
    Quarter,
    /// By 180 degrees.
    Half,
    /// By 270 degrees: the top edge moves to the left.
    ThreeQuarters,
}

/// The changes to the position. If several host parameters have the same source, their order is depth, flip, rotation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Options {
    /// Whether depths from -w to w are converted to depths from 0 to w; as a host parameter, 0 is false.
    pub depth: Value<bool>,
    /// Whether Y is negated; as a host parameter, 0 is false.
    pub flip_y: Value<bool>,
    /// The rotation after the flip, as in `VkSurfaceTransformFlagBitsKHR`. As a host parameter, it is the number of
    /// quarter turns.
    pub rotation: Value<SurfaceRotation>,
}

impl Options {
    /// Returns options that change nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether depths from -w to w are converted to depths from 0 to w.
    #[must_use]
    pub fn depth(mut self, depth: impl Into<Value<bool>>) -> Self {
        self.depth = depth.into();
        self
    }

    /// Sets whether Y is negated.
    #[must_use]
    pub fn flip_y(mut self, flip_y: impl Into<Value<bool>>) -> Self {
        self.flip_y = flip_y.into();
        self
    }

    /// Sets the rotation after the flip, as in `VkSurfaceTransformFlagBitsKHR`.
    #[must_use]
    pub fn rotation(mut self, rotation: impl Into<Value<SurfaceRotation>>) -> Self {
        self.rotation = rotation.into();
        self
    }
}

/// Makes a variant of a vertex, tessellation evaluation or geometry shader with a converted position. The variant is
/// `module` itself if the shader has no position or `options` change nothing.
///
/// # Errors
///
/// * `NotFound`: the entry point.
/// * `Options`: a source of a host parameter that the shader already uses, that is reserved, or that another parameter
///   also uses.
/// * `Unsupported`: another stage; a position that is not a vector of four floats; a module that is already lowered;
///   push constants that cannot grow; no free location for a position that the extension captures; the errors of the
///   [rewrite tools](crate::rewrite).
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Changed>, Error> {
    let target = &target.into();
    if *options == Options::default() {
        LOWERING.stages.entry_point(module, target)?;
        return Ok(Lowered::unchanged(module, Changed::default()));
    }
    let words = words(options);
    HostParams::check_apart(&words)?;
    rewrite::change_output(module, target, &LOWERING, words, |m, p, entry, output, words| {
        position::check(m, output)?;
        emit::function(m, p, entry, target, options, words)
    })
}

/// Returns the host parameters that the options need.
pub(crate) fn words(options: &Options) -> Vec<HostParams> {
    let depth = "1: depths from -w to w become depths from 0 to w";
    let wanted = [
        (options.depth.place(), HostParam::new(emit::DEPTH, depth)),
        (options.flip_y.place(), HostParam::new(emit::FLIP_Y, "1: Y is inverted")),
        (
            options.rotation.place(),
            HostParam::new(emit::ROTATION, "rotation in quarter turns, clockwise"),
        ),
    ];
    let mut words = Vec::new();
    for (place, word) in wanted {
        if let Some(place) = place {
            HostParams::add(&mut words, place, [word]);
        }
    }
    words
}
