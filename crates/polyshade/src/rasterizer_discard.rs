//! Emulates rasterizer discard by moving every primitive outside of the clip volume.
//!
//! Some APIs cannot disable rasterization for a shader with outputs, or need another pipeline to do so. The position
//! becomes (-3, -3, -3, 1), which is outside of the clip volume of every API. Transform feedback still captures the
//! original position: the extension captures an added output, and the storage-buffer variants store the outputs before
//! the change. Therefore, lower transform feedback first.
//!
//! ```
//! # use polyshade::host::{ParamSource, Value};
//! # use polyshade::rasterizer_discard::{self, Options};
//! # use polyshade::{Error, Module};
//! # fn discard(words: &[u32]) -> Result<(), Error> {
//! let vertex = Module::parse(words)?;
//! let options = Options::new().when(Value::Param(ParamSource::Specialization { first_id: 7 }));
//! let discarding = rasterizer_discard::lower(&vertex, "main", &options)?;
//! # Ok(())
//! # }
//! ```

use crate::host::{Changed, HostParam, HostParams, Lowered, Target, Value};
use crate::position;
use crate::rewrite::{self, Lowering};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, Id, Module, Op, Patch};

/// The version of the shaders from [`lower`]. It increases when the same input gives a different module.
pub const VERSION: u32 = 3;

const LOWERING: Lowering = position::changed_by("rasterizer_discard");

/// The condition for the discard.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Options {
    /// Whether primitives are discarded; as a host parameter, 0 is false.
    pub when: Value<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Self { when: Value::Fixed(true) }
    }
}

impl Options {
    /// Returns options that always discard.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether primitives are discarded; as a host parameter, 0 is false.
    #[must_use]
    pub fn when(mut self, when: impl Into<Value<bool>>) -> Self {
        self.when = when.into();
        self
    }
}

/// Makes a variant of a vertex, tessellation evaluation or geometry shader that moves every vertex outside of the clip
/// volume. The variant is `module` itself if the shader has no position or `options` never discard.
///
/// # Errors
///
/// * `NotFound`: the entry point.
/// * `Options`: a source of the host parameter that the shader already uses or that is reserved.
/// * `Unsupported`: another stage; a position that is not a vector of four floats; a module that is already lowered;
///   no free location for a position that the extension captures; the errors of the [rewrite tools](crate::rewrite).
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Changed>, Error> {
    let target = &target.into();
    let mut words = Vec::new();
    match options.when {
        Value::Fixed(true) => {}
        Value::Fixed(false) => {
            LOWERING.stages.entry_point(module, target)?;
            return Ok(Lowered::unchanged(module, Changed::default()));
        }
        Value::Param(place) => {
            HostParams::add(
                &mut words,
                place,
                [HostParam::new(NAME, "not 0: nothing is rasterized")],
            );
        }
    }
    rewrite::change_output(module, target, &LOWERING, words, |m, p, entry, output, words| {
        position::check(m, output)?;
        emit(m, p, entry, target, words)
    })
}

/// Emits the function that computes the new position from the original one.
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
    words: &[HostParams],
) -> Result<Id, Error> {
    let (bool, float) = (p.bool(), p.float());
    let (vec4, bvec4) = (p.vector(float, 4), p.vector(bool, 4));
    let [minus_three, one] = [-3.0, 1.0].map(|value| p.float_constant(value));
    let outside = p.composite_constant(vec4, &[minus_three, minus_three, minus_three, one]);
    let words = rewrite::host_params(m, p, entry, target.reservations(), words, NAME)?;

    Ok(rewrite::define_function(p, "discard_position", (vec4, &[vec4]), |code, parameters| {
        let Some(word) = words.find(code, NAME) else { return Some(outside) };
        let zero = code.p.uint_constant(0);
        let discards = code.binary(Op::I_NOT_EQUAL, bool, word, zero);
        // Before SPIR-V 1.4, a scalar condition cannot select vectors.
        let all = code.construct(bvec4, &[discards; 4]);
        Some(code.select(vec4, all, outside, parameters[0]))
    }))
}

const NAME: &str = "rasterizer_discard";
