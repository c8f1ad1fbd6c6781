//! The part of a shader that decides coverage, the rest of it, and what each costs.
//!
//! A tiler runs the geometry twice: to find which triangle touches which bin, and to shade. The first run needs
//! position and a few other outputs only; so do a depth pre-pass, shadow maps, occlusion queries, and culling in a
//! compute stage. [`lower`] makes that variant, or its [complement](Variant::Complement) with exactly the other
//! outputs.
//!
//! The kept outputs are bit for bit those of the full shader, as far as the driver compiles the same instructions to
//! the same arithmetic, which `Invariant` promises; [`Options::invariant`] adds it to all variants, the [full
//! shader](Variant::Full) among them.
//!
//! ```
//! # use polyshade::{Error, Module, position_only};
//! # fn binning(words: &[u32]) -> Result<Vec<u32>, Error> {
//! let vertex = Module::parse(words)?;
//! let variant = position_only::lower(&vertex, "main", &position_only::Options::new())?;
//! # Ok(variant.module.into_words())
//! # }
//! ```

mod cost;
mod options;
mod outputs;
mod precise;
mod read_back;

pub use cost::{Cost, cost};
pub use options::{Keep, Options, Variant};

use crate::code;
use crate::host::{Lowered, Requirements, Target};
use crate::rewrite::{Frame, Stages, dce};
use crate::transform_feedback::foreign;
use outputs::{Outputs, Unneeded};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ExecutionMode, ExecutionModel, Module, Rewritten};

/// The version of the words that [`lower`] makes.
pub const VERSION: u32 = 5;

/// The stages that can be the last before rasterization, which are those that are reduced.
pub const STAGES: &[ExecutionModel] = REDUCED.models;

const REDUCED: Stages = Stages {
    models: &[
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
        ExecutionModel::MESH_EXT,
        ExecutionModel::MESH_NV,
    ],
    otherwise: "is not the last before rasterization",
};

/// Reduces the outputs of `module` to those of the [variant](Options::variant) that the options ask for, and removes
/// all that only the others needed.
///
/// The module must be for the stage that is last before rasterization. Unused inputs and resources leave it, unless
/// [`Options::keep_interface`] keeps them; the others keep their ids, sets, bindings and locations. Other entry points
/// stay as they are.
///
/// # Errors
///
/// * `NotFound`: the entry point, or an output that is to be kept.
/// * `Options`: several stages have an entry point of this name, and the target does not name the stage.
/// * `Unsupported`: side effects, where the options refuse them or where a kept output needs one that is removed; an
///   output that is removed though the shader reads it, in a geometry or mesh stage; the errors of the [rewrite
///   tools](crate::rewrite).
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m>, Error> {
    let frame = Frame::new(module, &target.into(), &REDUCED)?;
    let variant = options.chosen();
    let made = match variant {
        Variant::PositionOnly | Variant::Complement => reduce(&frame, options, variant)?,
        Variant::Full if options.is_invariant() || options.is_precise() => full(&frame, options)?,
        Variant::Full => return Ok(Lowered::unchanged(module, ())),
    };
    let last = match variant {
        Variant::PositionOnly if options.is_precise() => precise::decorate(&frame, &made, &made)?,
        Variant::Full if options.is_precise() => {
            // The instructions that decide coverage have the same ids in both variants.
            let deciding = reduce(&frame, options, Variant::PositionOnly)?;
            precise::decorate(&frame, &made, &deciding)?
        }
        Variant::PositionOnly | Variant::Complement | Variant::Full => made,
    };
    Ok(frame.made(last, Requirements::default(), ()))
}

fn full(frame: &Frame<'_>, options: &Options) -> Result<Module<'static>, Error> {
    let decorated = frame.rewrite(frame.isolated(), |m, p, entry| {
        if options.is_invariant() {
            Outputs::find(m, entry, options)?.make_invariant(m, p);
        }
        Ok(())
    })?;
    Ok(decorated.module.into_owned())
}

fn reduce(
    frame: &Frame<'_>,
    options: &Options,
    variant: Variant,
) -> Result<Module<'static>, Error> {
    let prepared = prepare(frame, options, variant)?;
    let m = &prepared.module;
    let dead = find_unneeded(frame, m, options, variant)?;
    let wanted = dead.elimination(options, variant, frame.target().entry_name(), frame.model());
    let reduced = frame.found(m, dce(m, &wanted))?;
    let stays = reduced.value;
    if stays.is_empty() {
        return Ok(reduced.module.into_owned());
    }

    // What goes and is read has to be memory of the shader's own first.
    let own = read_back::demote_to_private(frame, m, &stays, dead.variables());
    let m = &frame.found(m, own)?;
    let dead = find_unneeded(frame, m, options, variant)?;
    let wanted = dead.elimination(options, variant, frame.target().entry_name(), frame.model());
    let reduced = frame.found(m, dce(m, &wanted))?;
    let undecided = match reduced.value.first() {
        Some(id) => Err(Error::new(
            &code::POSITION_ONLY_INSEPARABLE,
            "an output that goes cannot be told from one that stays",
        )
        .about(*id)),
        None => Ok(reduced.module.into_owned()),
    };
    frame.found(m, undecided)
}

/// What goes from `variant`.
fn find_unneeded(
    frame: &Frame<'_>,
    m: &Module<'_>,
    options: &Options,
    variant: Variant,
) -> Result<Unneeded, Error> {
    let entry = frame.entry(m)?;
    let outputs = frame.found(m, Outputs::find(m, entry, options))?;
    Ok(outputs.unneeded(variant))
}

/// A version with what the options add, and without the capturing that is not this variant's.
fn prepare<'v>(
    frame: &'v Frame<'_>,
    options: &Options,
    variant: Variant,
) -> Result<Rewritten<'v, ()>, Error> {
    frame.rewrite(frame.isolated(), |m, p, entry| {
        if options.is_invariant() {
            Outputs::find(m, entry, options)?.make_invariant(m, p);
        }
        let captures = variant == Variant::PositionOnly && options.captures();
        if !captures {
            foreign::strip(m, p, entry);
        }
        Ok(())
    })
}

/// Whether the shader says how it is captured by transform feedback.
fn is_captured(m: &Module<'_>, entry: EntryPoint<'_>) -> bool {
    m.mode(entry.function(), ExecutionMode::XFB).is_some()
}

/// Whether `decoration` says that an output is captured.
fn captures(decoration: Decoration) -> bool {
    decoration == Decoration::OFFSET
}

fn not_found(message: String) -> Error {
    Error::new(&code::POSITION_ONLY_OUTPUT_NOT_FOUND, message)
}
