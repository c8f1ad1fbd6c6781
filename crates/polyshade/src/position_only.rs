//! Reduces a shader to the outputs that determine coverage, or to all other outputs, and estimates the cost of each
//! variant.
//!
//! A tiler runs the geometry twice: first to find the bins that each triangle touches, then to shade. The first run
//! needs only the position and a few other outputs. So do a depth pre-pass, shadow maps, occlusion queries, and
//! culling in a compute stage. [`lower`] creates a variant with only these outputs, or its
//! [complement](Variant::Complement), which has exactly the other outputs.
//!
//! The kept outputs equal the full shader's outputs bit for bit, provided that the driver compiles the same
//! instructions to the same arithmetic. `Invariant` guarantees this; [`Options::invariant`] adds it to all variants,
//! including the [full shader](Variant::Full).
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

use crate::code::{self, refuse};
use crate::host::{Lowered, Requirements, Target};
use crate::rewrite::{Frame, Stages, dce};
use crate::transform_feedback::native_xfb;
use outputs::{Outputs, Unneeded};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ExecutionMode, ExecutionModel, Module, Rewritten};

/// The version of the code that [`lower`] emits.
pub const VERSION: u32 = 5;

/// The stages that can be reduced: all stages that can be the last before rasterization.
pub const STAGES: &[ExecutionModel] = REDUCED.models;

const REDUCED: Stages = Stages {
    models: &[
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
        ExecutionModel::MESH_EXT,
        ExecutionModel::MESH_NV,
    ],
    otherwise: "is not the last stage before rasterization",
};

/// Reduces `module` to the outputs of the [variant](Options::variant) in the options. Removes everything that only
/// other outputs need.
///
/// The module must be for the last stage before rasterization. Unused inputs and resources are removed, unless
/// [`Options::keep_interface`] keeps them. The remaining inputs and resources keep their ids, sets, bindings and
/// locations. Other entry points do not change.
///
/// # Errors
///
/// * `NotFound`: the entry point, or an output to be kept, does not exist.
/// * `Options`: several stages have an entry point of this name, and the target does not select the stage.
/// * `Unsupported`: the shader has side effects, and the options refuse them or a kept output needs a side effect
///   that is removed; a geometry or mesh stage reads an output that is removed; the errors of the [rewrite
///   tools](crate::rewrite).
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m>, Error> {
    let frame = Frame::new(module, &target.into(), &REDUCED)?;
    let variant = options.variant;
    let made = match variant {
        Variant::PositionOnly | Variant::Complement => reduce(&frame, options, variant)?,
        Variant::Full if options.invariant || options.precise => full(&frame, options)?,
        Variant::Full => return Ok(Lowered::unchanged(module, ())),
    };
    let last = match variant {
        Variant::PositionOnly if options.precise => precise::decorate(&frame, &made, &made)?,
        Variant::Full if options.precise => {
            // The instructions that determine coverage have the same ids in the position-only and the full variant.
            let deciding = reduce(&frame, options, Variant::PositionOnly)?;
            precise::decorate(&frame, &made, &deciding)?
        }
        Variant::PositionOnly | Variant::Complement | Variant::Full => made,
    };
    Ok(frame.made(last, Requirements::default(), ()))
}

fn full(frame: &Frame<'_>, options: &Options) -> Result<Module<'static>, Error> {
    let decorated = frame.rewrite(frame.isolated(), |m, p, entry| {
        if options.invariant {
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

    // A removed output that the shader reads must first become private memory.
    let own = read_back::demote_to_private(frame, m, &stays, &dead.variables);
    let m = &frame.found(m, own)?;
    let dead = find_unneeded(frame, m, options, variant)?;
    let wanted = dead.elimination(options, variant, frame.target().entry_name(), frame.model());
    let reduced = frame.found(m, dce(m, &wanted))?;
    let undecided = match reduced.value.first() {
        Some(id) => refuse(
            &code::POSITION_ONLY_INSEPARABLE,
            "cannot separate an output that is dropped from an output that is kept",
            *id,
        ),
        None => Ok(reduced.module.into_owned()),
    };
    frame.found(m, undecided)
}

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

/// Adds the decorations that the options request, and removes transform feedback if this variant must not capture.
fn prepare<'v>(
    frame: &'v Frame<'_>,
    options: &Options,
    variant: Variant,
) -> Result<Rewritten<'v, ()>, Error> {
    frame.rewrite(frame.isolated(), |m, p, entry| {
        if options.invariant {
            Outputs::find(m, entry, options)?.make_invariant(m, p);
        }
        let captures = variant == Variant::PositionOnly && options.captures;
        if !captures {
            native_xfb::strip(m, p, entry);
        }
        Ok(())
    })
}

/// Whether the entry point has the `Xfb` execution mode.
fn is_captured(m: &Module<'_>, entry: EntryPoint<'_>) -> bool {
    m.mode(entry.function(), ExecutionMode::XFB).is_some()
}

/// Whether `decoration` captures an output.
fn captures(decoration: Decoration) -> bool {
    decoration == Decoration::OFFSET
}

fn not_found(message: String) -> Error {
    Error::new(&code::POSITION_ONLY_OUTPUT_NOT_FOUND, message)
}
