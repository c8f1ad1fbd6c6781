//! OpenGL's clip volume is as deep as it is wide, Vulkan's, Direct3D's and Metal's half of that; OpenGL's Y points up,
//! and phones scan out pictures that are turned. A shader that was written for one is drawn by the other.
//!
//! Of the position (x, y, z, w) that the shader wrote, z becomes (z + w) / 2, y is negated, and x and y are turned, in
//! this order, each where it is asked for. Transform feedback still sees what the shader wrote: what the extension
//! captures of the position is captured from an output that is added, and what the storage path stores is stored
//! before. So capture first, then convert.

mod emit;

use crate::host::{Lowered, Place, Target, Word, Words};
use crate::moves::Lowering;
use crate::position;
pub use crate::position::Changed;
use polyshade_spv::{Error, Module};

pub(crate) const LOWERING: Lowering =
    Lowering { name: "depth_convention", stages: position::STAGES };

/// Whether something is done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Switch {
    /// It is not.
    #[default]
    Off,
    /// It is.
    On,
    /// It is where this word is not 0.
    Word(Place),
}

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

/// Where it is said how far the picture is turned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Rotation {
    /// Here.
    By(Turn),
    /// In this word: quarters of a turn.
    Word(Place),
}

impl Default for Rotation {
    fn default() -> Self {
        Self::By(Turn::None)
    }
}

/// What is done to the position. Words that are given one place follow each other there: depth, flip, rotation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Options {
    /// Whether a depth from -w to w becomes one from 0 to w.
    pub depth: Switch,
    /// Whether Y points the other way.
    pub flip_y: Switch,
    /// How far the picture is turned, after Y was flipped: that of `VkSurfaceTransformFlagBitsKHR`.
    pub rotation: Rotation,
}

impl Options {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a depth from -w to w becomes one from 0 to w.
    #[must_use]
    pub fn depth(mut self, depth: Switch) -> Self {
        self.depth = depth;
        self
    }

    /// Whether Y points the other way.
    #[must_use]
    pub fn flip_y(mut self, flip_y: Switch) -> Self {
        self.flip_y = flip_y;
        self
    }

    /// How far the picture is turned, after Y was flipped: that of `VkSurfaceTransformFlagBitsKHR`.
    #[must_use]
    pub fn rotation(mut self, rotation: Rotation) -> Self {
        self.rotation = rotation;
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
/// position; what the [moves](crate::moves) refuse.
pub fn convert<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Changed>, Error> {
    let target = &target.into();
    if *options == Options::default() {
        target.entry_point(module, &LOWERING.stages)?;
        return Ok(Lowered::unchanged(module, Changed::default()));
    }
    let words = words(options);
    Words::check_apart(&words)?;
    position::change(module, target, &LOWERING, words, |m, p, entry, words| {
        emit::function(m, p, entry, target, options, words)
    })
}

/// The words that the options come to.
fn words(options: &Options) -> Vec<Words> {
    let switched = |switch| match switch {
        Switch::Off | Switch::On => None,
        Switch::Word(place) => Some(place),
    };
    let rotation = match options.rotation {
        Rotation::By(_) => None,
        Rotation::Word(place) => Some(place),
    };
    let depth = "1 where a depth from -w to w becomes one from 0 to w";
    let wanted = [
        (switched(options.depth), Word::new(emit::DEPTH, depth)),
        (switched(options.flip_y), Word::new(emit::FLIP_Y, "1 where Y points the other way")),
        (rotation, Word::new(emit::ROTATION, "quarters of a turn, clockwise")),
    ];
    let mut words = Vec::new();
    for (place, word) in wanted {
        if let Some(place) = place {
            Words::add(&mut words, place, [word]);
        }
    }
    words
}
