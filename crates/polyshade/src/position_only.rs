//! The part of a shader that decides coverage, the rest of it, and what each costs.
//!
//! A tiler runs the geometry twice: to find which triangle touches which bin, and to shade. The first run needs
//! position and a few other outputs only; so do a depth pre-pass, shadow maps, occlusion queries, and culling in a
//! compute stage. [`derive`](fn@derive) makes that variant: the same shader without the other outputs, and without
//! all that only they needed. [`complement`] makes the one with exactly the other outputs.
//!
//! What is kept is bit for bit what the full shader writes, as far as the driver compiles the same instructions to the
//! same arithmetic, which `Invariant` promises; [`Options::invariant`] adds it to all variants, and [`full`] is the
//! full shader with it.
//!
//! ```
//! # use polyshade::{Error, Module, position_only};
//! # fn binning(words: &[u32]) -> Result<Vec<u32>, Error> {
//! let vertex = Module::parse(words)?;
//! let variant = position_only::derive(&vertex, &position_only::Options::new("main"))?;
//! # Ok(variant.into_words())
//! # }
//! ```

mod cost;
mod options;
mod outputs;
mod precise;
mod read_back;

pub use cost::{Cost, Report, cost};
pub use options::{Feedback, Keep, Options, SideEffects};

use crate::moves::{self, eliminate};
use crate::transform_feedback::foreign;
use crate::unsupported;
use outputs::Outputs;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    Decoration, Error, ErrorKind, ExecutionMode, ExecutionModel, Module, Rewritten,
};

/// The stages that can be the last before rasterization, which are those that are reduced.
pub const STAGES: [ExecutionModel; 5] = [
    ExecutionModel::VERTEX,
    ExecutionModel::TESSELLATION_EVALUATION,
    ExecutionModel::GEOMETRY,
    ExecutionModel::MESH_EXT,
    ExecutionModel::MESH_NV,
];

/// The variants that are made of one shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    PositionOnly,
    Complement,
}

/// The variant of `module` with the outputs that decide coverage, or those that `options` keep, and nothing else.
///
/// The module must be for the stage that is last before rasterization. Inputs and resources that nothing needs any
/// more leave it, unless [`Options::keep_interface`] says otherwise; what stays keeps its id, set, binding and
/// location. Other entry points stay as they are.
///
/// # Errors
///
/// * `NotFound`: the entry point, or an output that is to be kept.
/// * `Options`: several stages have an entry point of this name, and the options do not say which.
/// * `Unsupported`: side effects, where the options refuse them or where what is kept needs one that goes; an output
///   that goes though the shader reads it, in a geometry or mesh stage; what the [moves] refuse.
pub fn derive(module: &Module<'_>, options: &Options) -> Result<Module<'static>, Error> {
    let variant = reduce(module, options, Variant::PositionOnly)?;
    if options.is_precise() { precise::decorate(&variant, &variant) } else { Ok(variant) }
}

/// The variant of `module` with exactly the outputs that [`derive`](fn@derive) takes out. Position may still be
/// computed where one of them depends on it.
///
/// # Errors
///
/// Those of [`derive`](fn@derive).
pub fn complement(module: &Module<'_>, options: &Options) -> Result<Module<'static>, Error> {
    reduce(module, options, Variant::Complement)
}

/// The full shader, with `Invariant` on what [`derive`](fn@derive) keeps, and `NoContraction` on what decides it, where
/// the options ask for it: what is drawn together with the variants.
///
/// # Errors
///
/// `NotFound` and `Options` as [`derive`](fn@derive), and all of its errors for `NoContraction`.
pub fn full<'m>(module: &'m Module<'_>, options: &Options) -> Result<Module<'m>, Error> {
    let (name, model) = options.entry_point(module)?;
    if !options.is_invariant() && !options.is_precise() {
        moves::isolate(module, &name, model)?;
        return Ok(module.borrowed());
    }
    let isolated = moves::isolate(module, &name, model)?.module;
    let decorated = isolated.rewrite(|m, p| {
        if options.is_invariant() {
            let entry = m.entry_point(&name, model)?;
            Outputs::find(m, entry, options)?.make_invariant(m, p);
        }
        Ok(())
    })?;
    let full = decorated.module;
    if !options.is_precise() {
        return Ok(full.into_owned());
    }
    // What decides coverage has the same ids in both.
    precise::decorate(&full, &reduce(module, options, Variant::PositionOnly)?)
}

/// What `module` costs, and the variants that `options` make of it.
///
/// # Errors
///
/// Those of [`derive`](fn@derive).
pub fn report(module: &Module<'_>, options: &Options) -> Result<Report, Error> {
    let (name, model) = options.entry_point(module)?;
    let of = |m: &Module<'_>| m.entry_point(&name, model).map(|entry| cost(m, entry));
    Ok(Report {
        original: of(module)?,
        position_only: of(&derive(module, options)?)?,
        complement: of(&complement(module, options)?)?,
    })
}

fn reduce(
    module: &Module<'_>,
    options: &Options,
    variant: Variant,
) -> Result<Module<'static>, Error> {
    let (name, model) = options.entry_point(module)?;
    let isolated = moves::isolate(module, &name, model)?;
    // Where nothing changed, what is known of the module stays known.
    let m = if isolated.is_changed() { &isolated.module } else { module };
    let prepared = prepare(m, options, variant, &name, model)?;
    let m = if prepared.is_changed() { &prepared.module } else { m };

    let entry = m.entry_point(&name, model)?;
    let outputs = Outputs::find(m, entry, options)?;
    let dead = outputs.unneeded(variant);
    let reduced = eliminate(m, &dead.elimination(options, variant, &name, model))?;
    let stays = reduced.value;
    if stays.is_empty() {
        return Ok(reduced.module.into_owned());
    }

    // What goes and is read has to be memory of the shader's own first.
    let own = read_back::take_over(m, &name, model, &stays, dead.variables())?;
    let m = &own.module;
    let outputs = Outputs::find(m, m.entry_point(&name, model)?, options)?;
    let dead = outputs.unneeded(variant);
    let reduced = eliminate(m, &dead.elimination(options, variant, &name, model))?;
    match reduced.value.first() {
        Some(id) => Err(unsupported("an output that goes cannot be told from one that stays", *id)),
        None => Ok(reduced.module.into_owned()),
    }
}

/// A version with what the options add, and without the capturing that is not this variant's.
fn prepare<'m>(
    m: &'m Module<'_>,
    options: &Options,
    variant: Variant,
    name: &str,
    model: ExecutionModel,
) -> Result<Rewritten<'m, ()>, Error> {
    m.rewrite(|m, p| {
        let entry = m.entry_point(name, model)?;
        if options.is_invariant() {
            Outputs::find(m, entry, options)?.make_invariant(m, p);
        }
        let captures =
            variant == Variant::PositionOnly && options.feedback_in() == Feedback::InPositionOnly;
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
    Error::new(ErrorKind::NotFound, message)
}
