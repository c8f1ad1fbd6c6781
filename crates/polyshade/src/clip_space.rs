//! OpenGL's clip volume is as deep as it is wide, Vulkan's, Direct3D's and Metal's half of that; OpenGL's Y points up,
//! and phones scan out pictures that are turned. A shader that was written for one is drawn by the other.
//!
//! Of the position (x, y, z, w) that the shader wrote, z becomes (z + w) / 2, y is negated, and x and y are turned, in
//! this order, each where it is asked for. Transform feedback still sees what the shader wrote: what the extension
//! captures of the position is captured from an output that is added, and what the storage path stores is stored
//! before. So capture first, then convert.
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

/// The version of the words that [`lower`] makes.
pub const VERSION: u32 = 4;

const LOWERING: Lowering = position::changed_by("clip_space");

/// How far the picture is turned, clockwise as it is seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Turn {
    /// Not at all.
    #[default]
    None,
    /// By 90 degrees: what was on top is on the right.
    Quarter,
    /// By 180 degrees.
    Half,
    /// By 270 degrees: what was on top is on the left.
    ThreeQuarters,
}

/// What is done to the position. Words that are given one place follow each other there: depth, flip, rotation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Options {
    /// Whether a depth from -w to w becomes one from 0 to w; the word is 0 where it does not.
    pub depth: Value<bool>,
    /// Whether Y points the other way; the word is 0 where it does not.
    pub flip_y: Value<bool>,
    /// How far the picture is turned, after Y was flipped: that of `VkSurfaceTransformFlagBitsKHR`.
    /// The word counts quarters of a turn.
    pub rotation: Value<Turn>,
}

impl Options {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a depth from -w to w becomes one from 0 to w.
    #[must_use]
    pub fn depth(mut self, depth: impl Into<Value<bool>>) -> Self {
        self.depth = depth.into();
        self
    }

    /// Whether Y points the other way.
    #[must_use]
    pub fn flip_y(mut self, flip_y: impl Into<Value<bool>>) -> Self {
        self.flip_y = flip_y.into();
        self
    }

    /// How far the picture is turned, after Y was flipped: that of `VkSurfaceTransformFlagBitsKHR`.
    #[must_use]
    pub fn rotation(mut self, rotation: impl Into<Value<Turn>>) -> Self {
        self.rotation = rotation.into();
        self
    }
}

/// Makes a variant of the vertex, tessellation evaluation or geometry shader `module` whose position is that of another
/// convention. The module itself where it has no position, or where nothing is to be done.
///
/// # Errors
///
/// `NotFound`: the entry point. `Options`: a word where the shader has something already, where something is reserved,
/// or where another word is. `Unsupported`: another stage; a position that is not a vector of four floats; a module in
/// which this has been done; push constants that cannot grow; no free location where the extension captures the
/// position; the errors of the [rewrite tools](crate::rewrite).
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

/// The words that the options come to.
pub(crate) fn words(options: &Options) -> Vec<HostParams> {
    let depth = "1 where a depth from -w to w becomes one from 0 to w";
    let wanted = [
        (options.depth.place(), HostParam::new(emit::DEPTH, depth)),
        (options.flip_y.place(), HostParam::new(emit::FLIP_Y, "1 where Y points the other way")),
        (options.rotation.place(), HostParam::new(emit::ROTATION, "quarters of a turn, clockwise")),
    ];
    let mut words = Vec::new();
    for (place, word) in wanted {
        if let Some(place) = place {
            HostParams::add(&mut words, place, [word]);
        }
    }
    words
}
