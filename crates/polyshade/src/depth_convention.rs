//! OpenGL's clip volume is as deep as it is wide, Vulkan's, Direct3D's and Metal's half of that; OpenGL's Y points up,
//! and phones scan out pictures that are turned. A shader that was written for one is drawn by the other.
//!
//! Of the position (x, y, z, w) that the shader wrote, z becomes (z + w) / 2, y is negated, and x and y are turned, in
//! this order, each where it is asked for. Transform feedback still sees what the shader wrote: what the extension
//! captures of the position is captured from an output that is added, and what the storage path stores is stored
//! before. So capture first, then convert.

mod emit;

use crate::position::{self, Change, Changed};
use crate::transform_feedback::Requirements;
use polyshade_spv::{Error, ErrorKind, Module};

/// Whether something is done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Switch {
    /// It is not.
    #[default]
    Off,
    /// It is.
    On,
    /// It is where the specialization constant with this number is not 0, its value unless set.
    Specialization(u32),
    /// It is where a word of the push constants is not 0.
    PushConstant,
}

/// How far the picture is turned, clockwise as it is seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
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
pub enum Rotation {
    /// Here.
    By(Turn),
    /// In the specialization constant with this number: quarters of a turn, 0 unless set.
    Specialization(u32),
    /// In a word of the push constants: quarters of a turn.
    PushConstant,
}

impl Default for Rotation {
    fn default() -> Self {
        Self::By(Turn::None)
    }
}

/// What is done to the position of which entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    change: Change,
    depth: Switch,
    flip_y: Switch,
    rotation: Rotation,
    push_constants: u32,
}

impl Options {
    /// Of the vertex entry point `entry`: nothing yet.
    pub fn new(entry: impl Into<String>) -> Self {
        let change = Change::new(entry.into());
        let (depth, flip_y) = (Switch::Off, Switch::Off);
        Self { change, depth, flip_y, rotation: Rotation::default(), push_constants: 0 }
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

    /// Where the words in the push constants begin, in bytes: a multiple of 4 behind what the shader has itself. Those
    /// that there are follow each other: depth, flip, rotation.
    #[must_use]
    pub fn push_constants(mut self, offset: u32) -> Self {
        self.push_constants = offset;
        self
    }

    position::setters!();
}

/// A shader that hands on another position.
#[derive(Debug)]
pub struct Converted<'m> {
    /// The shader. The module itself where it has no position, or where nothing is to be done.
    pub module: Module<'m>,
    /// What the host fills in, 32 bits each.
    pub words: Vec<Word>,
    /// The location of an output that was added: the extension captures it instead of the position.
    pub location: Option<u32>,
    /// What the device must have.
    pub requirements: Requirements,
}

/// A word that the host fills in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// What it is called in the shader.
    pub name: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// Where it is.
    pub place: Place,
}

/// Where a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// It is the specialization constant with this number.
    Specialization(u32),
    /// It is in the push constants, at this offset in bytes.
    PushConstant(u32),
}

/// Makes a variant of the vertex, tessellation evaluation or geometry shader `module` whose position is that of another
/// convention.
///
/// # Errors
///
/// `NotFound`: the entry point. `Options`: a specialization constant that the shader has already, that is reserved or
/// is given twice; push constants before the end of the shader's. `Unsupported`: another stage; a position that is not
/// a vector of four floats; a module in which this has been done; push constants that cannot grow; no free location
/// where the extension captures the position; what the [moves](crate::moves) refuse.
pub fn convert<'m>(module: &'m Module<'_>, options: &Options) -> Result<Converted<'m>, Error> {
    let words = words(options)?;
    let nothing = options.depth == Switch::Off
        && options.flip_y == Switch::Off
        && options.rotation == Rotation::By(Turn::None);
    if nothing {
        module.entry_point(&options.change.entry, options.change.stage)?;
        let (location, requirements) = (None, Requirements::default());
        return Ok(Converted { module: module.borrowed(), words, location, requirements });
    }
    let lowering = position::DEPTH_CONVENTION;
    let changed = position::change(module, &options.change, lowering, |m, p, entry| {
        emit::function(m, p, entry, options, &words)
    })?;
    let Changed { module, location, requirements } = changed;
    Ok(Converted { module, words, location, requirements })
}

/// The words that the options come to, in the order of the push constants.
fn words(options: &Options) -> Result<Vec<Word>, Error> {
    let Options { depth, flip_y, rotation, .. } = options;
    let switch = |switch: &Switch| match switch {
        Switch::Off | Switch::On => None,
        Switch::Specialization(id) => Some(Some(*id)),
        Switch::PushConstant => Some(None),
    };
    let rotation = match rotation {
        Rotation::By(_) => None,
        Rotation::Specialization(id) => Some(Some(*id)),
        Rotation::PushConstant => Some(None),
    };
    let wanted = [
        (emit::DEPTH, "1 where a depth from -w to w becomes one from 0 to w", switch(depth)),
        (emit::FLIP_Y, "1 where Y points the other way", switch(flip_y)),
        (emit::ROTATION, "quarters of a turn, clockwise", rotation),
    ];
    let mut words: Vec<Word> = Vec::new();
    let mut offset = options.push_constants;
    for (name, meaning, source) in wanted {
        let place = match source {
            None => continue,
            Some(Some(id)) => Place::Specialization(id),
            Some(None) => Place::PushConstant(offset),
        };
        match place {
            Place::Specialization(id) => {
                options.change.reserved.check_constants(id..id.saturating_add(1))?;
                if words.iter().any(|word| word.place == place) {
                    let message = format!("specialization constant {id} would say two things");
                    return Err(Error::new(ErrorKind::Options, message));
                }
            }
            Place::PushConstant(_) => offset = offset.saturating_add(4),
        }
        words.push(Word { name, meaning, place });
    }
    Ok(words)
}
