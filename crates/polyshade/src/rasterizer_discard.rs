//! Rasterizer discard by the position: where rasterization cannot be switched off for a shader that has outputs, or
//! not without another pipeline, every primitive goes where everything is clipped.
//!
//! The position becomes (-3, -3, -3, 1), outside of the clip volume of every convention. Transform feedback still sees
//! what the shader wrote: what the extension captures of the position is captured from an output that is added, and
//! what the storage path stores is stored before. So capture first, then discard.

use crate::host::{Lowered, Place, Target, Word, Words};
use crate::moves::{self, Lowering};
use crate::position;
pub use crate::position::Changed;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, Id, Module, Op, Patch};

pub(crate) const LOWERING: Lowering =
    Lowering { name: "rasterizer_discard", stages: position::STAGES };

/// When nothing is rasterized.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum When {
    /// Always.
    #[default]
    Always,
    /// Where this word is not 0.
    Word(Place),
}

/// When a stage discards what it hands on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Options {
    /// When nothing is rasterized.
    pub when: When,
}

impl Options {
    /// Always.
    pub fn new() -> Self {
        Self::default()
    }

    /// When nothing is rasterized.
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }
}

/// Makes a variant of the vertex, tessellation evaluation or geometry shader `module` that moves every vertex outside
/// of the clip volume. The module itself where it has no position.
///
/// # Errors
///
/// `NotFound`: the entry point. `Options`: a word where the shader has something already, or where something is
/// reserved. `Unsupported`: another stage; a position that is not a vector of four floats; a module in which this has
/// been done; no free location where the extension captures the position; what the [moves] refuse.
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Changed>, Error> {
    let mut words = Vec::new();
    if let When::Word(place) = options.when {
        Words::add(&mut words, place, [Word::new(NAME, "not 0: nothing is rasterized")]);
    }
    let target = &target.into();
    position::change(module, target, &LOWERING, words, |m, p, entry, words| {
        emit(m, p, entry, target, words)
    })
}

/// Emits the function.
///
/// ```text
/// %discards = OpINotEqual %bool %rasterizer_discard %uint_0
///      %all = OpCompositeConstruct %v4bool %discards %discards %discards %discards
///      %new = OpSelect %v4float %all %outside %old      ; (-3, -3, -3, 1)
/// ```
fn emit<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    target: &Target,
    words: &[Words],
) -> Result<Id, Error> {
    let (bool, float) = (p.bool(), p.float());
    let (vec4, bvec4) = (p.vector(float, 4), p.vector(bool, 4));
    let [minus_three, one] = [-3.0, 1.0].map(|value| p.float_constant(value));
    let outside = p.composite_constant(vec4, &[minus_three, minus_three, minus_three, one]);
    let word = match words {
        [] => None,
        [words, ..] => {
            Some(moves::host_words(m, p, entry, target.reservations(), (words, NAME), None)?)
        }
    };

    let (function, at) = (p.id(), p.lane());
    p.name(function, "discard_position");
    let mut code = p.at(at);
    let old = code.begin_function(function, vec4, &[vec4])[0];
    let new = match word {
        None => outside,
        Some(word) => {
            let word = word.load(&mut code, 0);
            let zero = code.p.uint_constant(0);
            let discards = code.binary(Op::I_NOT_EQUAL, bool, word, zero);
            // A scalar condition selects vectors from SPIR-V 1.4 on only.
            let all = code.construct(bvec4, &[discards; 4]);
            code.select(vec4, all, outside, old)
        }
    };
    code.end_function(Some(new));
    Ok(function)
}

const NAME: &str = "rasterizer_discard";
