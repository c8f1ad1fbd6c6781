//! Advanced blend equations where the device has none: the fragment shader reads the destination and blends.
//!
//! `VK_EXT_blend_operation_advanced` has the blend modes of every design tool, and few drivers have the extension. Here
//! the shader's colours are taken over, blended with what the attachment holds behind every exit of the shader, and
//! written. Fixed-function blending is off meanwhile; the write mask still applies. All 46 equations, the three overlap
//! modes and both kinds of alpha are there, each target with its own.
//!
//! ```
//! # use polyshade::{Error, Module, advanced_blend::{self, Select}, transform_feedback::HostWords};
//! # fn blend(words: &[u32]) -> Result<(), Error> {
//! let fragment = Module::parse(words)?;
//! let options = advanced_blend::Options::new("main")
//!     .all_khr()
//!     .select(Select::Words(HostWords::PushConstant { offset: 16 }));
//! let blended = advanced_blend::lower(&fragment, &options)?;
//! println!("{} targets are blended", blended.targets.len());
//! # Ok(())
//! # }
//! ```

mod emit;
mod equation;
mod fetch;
mod options;
mod outputs;
mod requirements;

pub use equation::Equation;
pub use options::{Alpha, Destination, FormatClass, Layer, Options, Overlap, Select, Target};
pub use requirements::{Descriptor, Ordering, Purpose, Requirements};

use crate::moves;
use outputs::Piece;
use polyshade_spv::{Error, ErrorKind, ExecutionModel, Module};

/// A fragment shader that blends, and what the host has to know.
#[derive(Debug)]
pub struct Lowered<'m> {
    /// The shader. The module itself where no target is blended.
    pub module: Module<'m>,
    /// The targets that are blended, in the order of their locations. That of the words that select, too.
    pub targets: Vec<BlendedTarget>,
    /// What the device must have and the host must bind and order.
    pub requirements: Requirements,
}

/// What [`lower`] would come to, without its words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preview {
    /// The targets that are blended, in the order of their locations.
    pub targets: Vec<BlendedTarget>,
    /// What the device must have and the host must bind and order.
    pub requirements: Requirements,
}

/// A target that is blended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlendedTarget {
    /// Its location.
    pub location: u32,
    /// How it is blended.
    pub target: Target,
}

/// Makes the fragment shader `module` blend as `options` say.
///
/// Targets that the shader has no output for, and outputs of integers, stay as they are.
///
/// # Errors
///
/// * `NotFound`: the entry point.
/// * `Options`: a target without an equation; several equations and nothing that selects among them; a set and binding
///   or a specialization constant that the shader has already, or that is reserved.
/// * `Unsupported`: colours in structures, in arrays whose size depends on a constant, or of a second source; for
///   storage images, a shader without early fragment tests, with an interlock of its own, or with the Vulkan memory
///   model; what the [moves] refuse.
pub fn lower<'m>(module: &'m Module<'_>, options: &Options) -> Result<Lowered<'m>, Error> {
    let plan = Plan::new(module, options)?;
    let Preview { targets, requirements } = plan.preview(module, options);
    if plan.blended.is_empty() {
        return Ok(Lowered { module: module.borrowed(), targets, requirements });
    }
    let isolated = moves::isolate(module, &options.entry, ExecutionModel::FRAGMENT)?;
    let m = &isolated.module;
    // Outputs of the isolated version may have other ids.
    let rewritten = Plan::new(m, options)
        .and_then(|plan| m.rewrite(|m, p| emit::emit(m, p, options, &plan)))
        .map_err(|error| if isolated.is_changed() { error.without_place() } else { error })?;
    Ok(Lowered { module: rewritten.module.into_owned(), targets, requirements })
}

/// What [`lower`] would come to: the same errors, and no words are written.
///
/// # Errors
///
/// Those of [`lower`].
pub fn preview(module: &Module<'_>, options: &Options) -> Result<Preview, Error> {
    let plan = Plan::new(module, options)?;
    let preview = plan.preview(module, options);
    if !plan.blended.is_empty() {
        let isolated = moves::isolate(module, &options.entry, ExecutionModel::FRAGMENT)?;
        let m = &isolated.module;
        Plan::new(m, options)
            .and_then(|plan| m.rehearse(|m, p| emit::emit(m, p, options, &plan)))
            .map_err(|error| if isolated.is_changed() { error.without_place() } else { error })?;
    }
    Ok(preview)
}

/// What the options come to for one module: everything but the code.
struct Plan<'o> {
    blended: Vec<Blended<'o>>,
    /// The other parts of variables that are blended in part.
    copied: Vec<Piece>,
    /// The names of the words that select: one a target that is blended.
    words: Vec<String>,
}

/// A target, and the outputs that make its colour.
struct Blended<'o> {
    location: u32,
    pieces: Vec<Piece>,
    target: &'o Target,
}

impl<'o> Plan<'o> {
    fn new(m: &Module<'_>, options: &'o Options) -> Result<Self, Error> {
        options.check()?;
        let entry = m.entry_point(&options.entry, ExecutionModel::FRAGMENT)?;
        let (mut blended, mut copied) = (Vec::new(), Vec::new());
        for (location, pieces) in outputs::colours(m, entry)? {
            match options.target_at(location) {
                Some(target) => blended.push(Blended { location, pieces, target }),
                None => copied.extend(pieces),
            }
        }
        let words = match options.select {
            Select::Constant => Vec::new(),
            Select::Words(_) => {
                blended.iter().map(|blended| format!("equation_{}", blended.location)).collect()
            }
        };
        Ok(Self { blended, copied, words })
    }

    fn preview(&self, m: &Module<'_>, options: &Options) -> Preview {
        let target = |blended: &Blended<'_>| BlendedTarget {
            location: blended.location,
            target: blended.target.clone(),
        };
        Preview {
            targets: self.blended.iter().map(target).collect(),
            requirements: Requirements::new(m, options, self),
        }
    }
}

impl Options {
    /// Refuses what cannot be asked of any shader.
    fn check(&self) -> Result<(), Error> {
        let targets = self.every_target.iter().chain(self.targets.values().flatten());
        for target in targets {
            if target.equations.is_empty() {
                let message = "a target is to be blended without an equation";
                return Err(Error::new(ErrorKind::Options, message));
            }
            if self.select == Select::Constant && target.equations.len() > 1 {
                let message = format!(
                    "there are {} equations for a target, and nothing selects one",
                    target.equations.len()
                );
                return Err(Error::new(ErrorKind::Options, message)
                    .help("select with a word, or ask for one equation"));
            }
        }
        Ok(())
    }
}
