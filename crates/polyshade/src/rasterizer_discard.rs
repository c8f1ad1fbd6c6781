//! Rasterizer discard by the position: where rasterization cannot be switched off for a shader that has outputs, or
//! not without another pipeline, every primitive goes where everything is clipped.
//!
//! The position becomes (-3, -3, -3, 1), outside of the clip volume of every convention. Transform feedback still sees
//! what the shader wrote: what the extension captures of the position is captured from an output that is added, and
//! what the storage path stores is stored before. So capture first, then discard.

use crate::moves;
use crate::position::{self, Change, Changed, Emitted};
use crate::transform_feedback::Requirements;
use polyshade_spv::{Error, Id, Module, Op, Patch};

/// When nothing is rasterized.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum When {
    /// Always.
    #[default]
    Always,
    /// Where the specialization constant with this number is not 0, its value unless set.
    Specialization(u32),
}

/// Which entry point discards what it hands on, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    change: Change,
    when: When,
}

impl Options {
    /// Of the vertex entry point `entry`, always.
    pub fn new(entry: impl Into<String>) -> Self {
        Self { change: Change::new(entry.into()), when: When::Always }
    }

    /// When nothing is rasterized.
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    position::setters!();
}

/// A shader that discards.
#[derive(Debug)]
pub struct Discarding<'m> {
    /// The shader. The module itself where it has no position.
    pub module: Module<'m>,
    /// The location of an output that was added: the extension captures it instead of the position.
    pub location: Option<u32>,
    /// What the device must have.
    pub requirements: Requirements,
}

/// Makes a variant of the vertex, tessellation evaluation or geometry shader `module` that moves every vertex outside
/// of the clip volume.
///
/// # Errors
///
/// `NotFound`: the entry point. `Options`: a specialization constant that the shader has already, or that is reserved.
/// `Unsupported`: another stage; a position that is not a vector of four floats; a module in which this has been done;
/// no free location where the extension captures the position; what the [moves] refuse.
pub fn lower<'m>(module: &'m Module<'_>, options: &Options) -> Result<Discarding<'m>, Error> {
    let Options { change, when } = options;
    if let When::Specialization(id) = when {
        change.reserved.check_constants(*id..id.saturating_add(1))?;
    }
    let changed = position::change(module, change, position::RASTERIZER_DISCARD, |m, p, _| {
        let function = emit(m, p, *when)?;
        Ok(Emitted { function, push_constants: None })
    })?;
    let Changed { module, location, requirements } = changed;
    Ok(Discarding { module, location, requirements })
}

/// Emits the function.
///
/// ```text
/// %discards = OpINotEqual %bool %rasterizer_discard %uint_0
///      %all = OpCompositeConstruct %v4bool %discards %discards %discards %discards
///      %new = OpSelect %v4float %all %outside %old      ; (-3, -3, -3, 1)
/// ```
fn emit<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, when: When) -> Result<Id, Error> {
    let (bool, float) = (p.bool(), p.float());
    let (vec4, bvec4) = (p.vector(float, 4), p.vector(bool, 4));
    let [minus_three, one] = [-3.0, 1.0].map(|value| p.float_constant(value));
    let outside = p.composite_constant(vec4, &[minus_three, minus_three, minus_three, one]);
    let constant = match when {
        When::Always => None,
        When::Specialization(id) => Some(moves::spec_constants(m, p, id, &[NAME])?[0]),
    };

    let (function, at) = (p.id(), p.lane());
    p.name(function, "discard_position");
    let mut code = p.at(at);
    let old = code.begin_function(function, vec4, &[vec4])[0];
    let new = match constant {
        None => outside,
        Some(constant) => {
            let zero = code.p.uint_constant(0);
            let discards = code.binary(Op::I_NOT_EQUAL, bool, constant, zero);
            // A scalar condition selects vectors from SPIR-V 1.4 on only.
            let all = code.construct(bvec4, &[discards; 4]);
            code.select(vec4, all, outside, old)
        }
    };
    code.end_function(Some(new));
    Ok(function)
}

const NAME: &str = "rasterizer_discard";
