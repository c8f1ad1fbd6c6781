//! Emulates advanced blend equations: the fragment shader reads the destination colour and blends.
//!
//! Few drivers have `VK_EXT_blend_operation_advanced`, which has the blend modes of design tools. This lowering
//! demotes the shader's colour outputs to private variables. At every exit of the shader, it blends them with the
//! contents of the attachment and writes the result. Fixed-function blending must be off; the write mask still
//! applies. All 46 equations, the three overlap modes and both kinds of alpha are supported, separately for each
//! target. The features of fixed-function blending are supported as well, so each target can use either kind: factors
//! and operations, second sources, logic operations, alpha to coverage.
//!
//! ```
//! # use polyshade::{Error, Module, advanced_blend, host::ParamSource};
//! # fn blend(words: &[u32]) -> Result<(), Error> {
//! let fragment = Module::parse(words)?;
//! let options = advanced_blend::Options::new()
//!     .all_khr()
//!     .select(ParamSource::PushConstant { offset: 16 });
//! let blended = advanced_blend::lower(&fragment, "main", &options)?;
//! println!("{} targets are blended", blended.result.len());
//! # Ok(())
//! # }
//! ```

mod colours;
mod coverage;
mod emit;
mod emit_fixed_function;
mod equation;
mod fetch;
mod fixed_function;
mod format;
mod functions;
mod logic;
mod names;
mod needs;
mod options;
mod outputs;
mod requirements;
mod words;

pub use equation::Equation;
pub use fixed_function::{BlendComponent, Factor, FixedFunctionBlend, Operation};
pub use format::{Format, FormatClass};
pub use logic::LogicOperation;
pub use options::{Alpha, ArrayLayerSource, Blending, ColorBlend, Destination, Options, Overlap};

pub use requirements::interlock_features;

use crate::code::{self, refuse};
use crate::host::{HostParams, Lowered, Target};
use crate::rewrite::{Frame, Stages};
use outputs::{Colour, Numbers, Piece};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionModel, Id, Module};
use std::collections::BTreeMap;

/// The version of the code that [`lower`] emits.
pub const VERSION: u32 = 5;

/// Lowers the fragment shader `module` to a shader that blends as `options` require.
///
/// The result lists the blending of each blended target, by location. Targets that have no output in the shader do
/// not change; nor do integer outputs without a logic operation. The second source of a blended target is removed:
/// either it becomes a factor, or nothing reads it.
///
/// # Errors
///
/// * `NotFound`: the module has no such entry point.
/// * `Options`: a target has no equation, or several without a selector; options for equations are set for another
///   kind of blending; the options blend an integer format; a factor is a second source that the shader does not
///   have; a set and binding or a specialization constant is already in use or reserved.
/// * `Unsupported`: colours in structures, or in arrays with a specialization-constant size; logic operations for
///   float, sRGB and signed normalized formats, and for outputs with another type than the format's; alpha to
///   coverage without an alpha at location 0, or with storage images; alpha to one if location 0 is not blended or
///   has integers; multisampling if the shader reads its sample mask or stores to memory and does not already run
///   once per sample; storage images with an sRGB format, in a shader without early fragment tests, with an interlock
///   already, or with the Vulkan memory model; the errors of the [rewrite tools](crate::rewrite).
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, BTreeMap<u32, ColorBlend>>, Error> {
    options.check()?;
    let frame = Frame::new(module, &target.into(), &STAGES)?;
    let version = frame.isolated();
    let plan = frame.found(version, Plan::new(version, frame.entry(version)?, options))?;
    HostParams::check_apart(&plan.words)?;
    let reserved = frame.target().reservations();
    let next = frame.rewrite(version, |m, p, entry| match plan.blended.as_slice() {
        [] => Ok(()),
        _ => emit::emit(m, p, entry, (options, reserved), &plan),
    })?;
    let requirements = requirements::requirements(version, options, &plan);
    let blended = plan.blended.iter().map(|one| (one.location, one.target.clone()));
    let result = blended.collect();
    let words = plan.words;
    let (module, progress, ()) = frame.finish(next);
    Ok(Lowered { module, progress, params: words, requirements, result })
}

const STAGES: Stages =
    Stages { models: &[ExecutionModel::FRAGMENT], otherwise: "has no colours to blend" };

/// The options applied to one module. All decisions are made here, before any code is emitted.
struct Plan<'o> {
    blended: Vec<Blended<'o>>,
    /// The parts that are not blended of variables that are blended only in part.
    copied: Vec<Piece>,
    /// The host parameters, grouped by source.
    words: Vec<HostParams>,
    /// Whether host parameters select the equations.
    selects: bool,
    /// Whether the shader emulates alpha to coverage.
    coverage: bool,
}

/// A target, and the outputs that its colour consists of.
struct Blended<'o> {
    location: u32,
    pieces: Vec<Piece>,
    /// The outputs of the second source. They are removed from the interface.
    second: Vec<Piece>,
    numbers: Numbers,
    target: &'o ColorBlend,
}

impl Blended<'_> {
    /// Whether a blend factor uses the second source.
    fn reads_second(&self) -> bool {
        match self.target.blending() {
            Blending::FixedFunction(fixed_function) => {
                fixed_function.factors().any(Factor::is_of_second_source)
            }
            Blending::Equations(_) | Blending::Logic(_) => false,
        }
    }
}

impl<'o> Plan<'o> {
    fn new<'m>(
        m: &'m Module<'_>,
        entry: EntryPoint<'m>,
        options: &'o Options,
    ) -> Result<Self, Error> {
        // Separate the colours to blend from the colours to copy.
        let (mut blended, mut copied) = (Vec::new(), Vec::new());
        for (location, colour) in outputs::colours(m, entry)? {
            let target = options.target_at(location);
            let blends = target.map(|target| target.blends(location, &colour)).transpose()?;
            if options.alpha_to_one && location == 0 {
                check_alpha_to_one(&colour, blends.flatten().is_some())?;
            }
            let Colour { first, second } = colour;
            match (target, blends.flatten()) {
                (Some(target), Some(numbers)) => {
                    blended.push(Blended { location, pieces: first, second, numbers, target });
                }
                _ => copied.extend(first.into_iter().chain(second)),
            }
        }
        // Find the host parameters that the blended targets need.
        let is_selected = |one: &&Blended<'_>| !one.target.equations().is_empty();
        let selected: Vec<u32> =
            blended.iter().filter(is_selected).map(|one| one.location).collect();
        let has_constants = blended.iter().any(|one| match one.target.blending() {
            Blending::FixedFunction(fixed_function) => {
                fixed_function.factors().any(Factor::is_of_constants)
            }
            Blending::Equations(_) | Blending::Logic(_) => false,
        });
        let words = words::words(options, &selected, has_constants);
        let selects = options.select.is_some() && !selected.is_empty();
        let coverage = options.coverage_samples.is_some();
        let plan = Self { blended, copied, words, selects, coverage };
        if coverage {
            plan.check_coverage(entry.function(), options)?;
        }
        Ok(plan)
    }

    /// Fails if the shader cannot emulate alpha to coverage.
    fn check_coverage(&self, entry: Id, options: &Options) -> Result<(), Error> {
        if matches!(options.destination, Destination::StorageImage { .. }) {
            let message = "cannot emulate alpha to coverage with storage images: coverage does not mask their stores";
            return refuse(&code::BLEND_COVERAGE_STORAGE_IMAGE, message, entry);
        }
        let Some(first) = self.blended.iter().find(|blended| blended.location == 0) else {
            let message = "cannot emulate alpha to coverage: the output at location 0 is not blended in the shader";
            return Err(Error::new(&code::BLEND_COVERAGE_NOT_BLENDED, message).about(entry).help(
                "leave alphaToCoverageEnable on: the alpha is the value that the shader writes",
            ));
        };
        if !coverage::has_alpha(&first.pieces) {
            let message = "cannot emulate alpha to coverage: the output at location 0 has no alpha";
            return refuse(&code::BLEND_COVERAGE_NO_ALPHA, message, first.pieces[0].variable);
        }
        Ok(())
    }
}

/// Fails for alpha to one if the colour at location 0 has integers or is not blended.
fn check_alpha_to_one(first: &Colour, is_blended: bool) -> Result<(), Error> {
    let Some(piece) = first.first.first() else { return Ok(()) };
    match (is_blended, piece.numbers) {
        (true, Numbers::Floats) | (false, Numbers::Signed | Numbers::Unsigned) => Ok(()),
        (true, Numbers::Signed | Numbers::Unsigned) => refuse(
            &code::BLEND_ALPHA_TO_ONE_INTEGER,
            "cannot emulate alpha to one: the output at location 0 has integer components",
            piece.variable,
        ),
        (false, Numbers::Floats) => {
            let message = "cannot emulate alpha to one: the output at location 0 is not blended in the shader";
            Err(Error::new(&code::BLEND_ALPHA_TO_ONE_NOT_BLENDED, message)
                .about(piece.variable)
                .help("leave alphaToOneEnable on: the alpha is the value that the shader writes"))
        }
    }
}

impl ColorBlend {
    /// Returns the component type of `colour`. Returns `None` if the target's blending does not apply to such a
    /// colour.
    fn blends(&self, location: u32, colour: &Colour) -> Result<Option<Numbers>, Error> {
        let (Some(numbers), Some(piece)) = (colour.numbers(), colour.first.first()) else {
            return Ok(None);
        };
        let format = self.attachment_format();
        match (self.blending(), numbers) {
            (Blending::Equations(_), Numbers::Signed | Numbers::Unsigned) => Ok(None),
            (Blending::FixedFunction(_), Numbers::Signed | Numbers::Unsigned) => Ok(None),
            (Blending::Equations(_), Numbers::Floats) => Ok(Some(numbers)),
            (Blending::FixedFunction(fixed_function), Numbers::Floats) => {
                let needs_second = fixed_function.factors().any(Factor::is_of_second_source);
                if needs_second && colour.second.is_empty() {
                    let message = format!(
                        "a blend factor reads the second source, but location {location} has none"
                    );
                    return refuse(&code::BLEND_NO_SECOND_SOURCE, message, piece.variable);
                }
                Ok(Some(numbers))
            }
            (Blending::Logic(_), numbers) => {
                let written = match numbers {
                    Numbers::Floats => "floats",
                    Numbers::Signed => "signed integers",
                    Numbers::Unsigned => "unsigned integers",
                };
                let fits = match format.class() {
                    FormatClass::Uint => numbers == Numbers::Unsigned,
                    FormatClass::Sint => numbers == Numbers::Signed,
                    _ => numbers == Numbers::Floats,
                };
                if !fits {
                    let message = format!(
                        "the output at location {location} consists of {written}, but its format is {format}"
                    );
                    return Err(Error::new(&code::BLEND_FORMAT_MISMATCH, message)
                        .about(piece.variable)
                        .help("give the format of the attachment, or leave the target as it is"));
                }
                Ok(Some(numbers))
            }
        }
    }

    /// Fails for options that no shader can satisfy.
    fn check(&self, options: &Options) -> Result<(), Error> {
        let format = self.attachment_format();
        // Each target needs exactly one selectable equation, or a format that its logic operation supports.
        let is_advanced = match self.blending() {
            Blending::Equations(equations) if equations.is_empty() => {
                let message = "cannot blend a target: its list of equations is empty";
                return Err(Error::new(&code::BLEND_NO_EQUATION, message));
            }
            Blending::Equations(equations) => {
                if options.select.is_none() && equations.len() > 1 {
                    let message = format!(
                        "a target has {} equations, but no host parameter selects one",
                        equations.len()
                    );
                    return Err(Error::new(&code::BLEND_NO_SELECTOR, message).help(
                        "add a host parameter that selects the equation, or give one equation",
                    ));
                }
                true
            }
            Blending::FixedFunction(_) => false,
            Blending::Logic(_) => {
                check_logic(format)?;
                false
            }
        };
        // The format must support the kind of blending, and so must the options.
        let is_stored = matches!(options.destination, Destination::StorageImage { .. });
        if is_stored && format.class() == FormatClass::Srgb {
            let message = "cannot blend in an sRGB storage image: its stores are not encoded";
            return Err(Error::new(&code::BLEND_SRGB_STORAGE_IMAGE, message)
                .help("read the destination in another way, or draw to another format"));
        }
        let is_logic = matches!(self.blending(), Blending::Logic(_));
        if format.class().is_integer() && !is_logic {
            let message = format!("cannot blend an attachment with an integer format: {format}");
            return Err(Error::new(&code::BLEND_INTEGER_FORMAT, message));
        }
        let plain = self.overlap == Overlap::default()
            && self.source == Alpha::default()
            && self.destination == Alpha::default()
            && !self.clamp_results;
        if !is_advanced && !plain {
            let message =
                "overlap, kinds of alpha and clamping of results apply only to advanced equations";
            return Err(Error::new(&code::BLEND_ADVANCED_ONLY, message));
        }
        Ok(())
    }
}

/// Fails for formats with bits that a logic operation in the shader cannot combine.
fn check_logic(format: Format) -> Result<(), Error> {
    let message = match format.class() {
        FormatClass::Uint | FormatClass::Sint => return Ok(()),
        FormatClass::Unorm => match format.bits().into_iter().max() {
            Some(0..=MOST_STEPS) => return Ok(()),
            _ => "logic operations on normalized components of more than 16 bits are not supported",
        },
        FormatClass::Snorm => {
            "logic operations on signed normalized formats are not supported: a shader cannot distinguish their two \
                values for -1"
        }
        FormatClass::Srgb | FormatClass::Float => {
            "logic operations do not apply to floating-point and sRGB formats: Vulkan passes the source through"
        }
    };
    Err(Error::new(&code::BLEND_LOGIC_FORMAT, message))
}

/// The maximum number of bits of a normalized component. A float represents such values precisely enough to round
/// them correctly, and no format has more bits.
const MOST_STEPS: u8 = 16;

impl Options {
    /// Fails for options that no shader can satisfy.
    fn check(&self) -> Result<(), Error> {
        let targets = self.every_target.iter().chain(self.targets.values().flatten());
        for target in targets {
            target.check(self)?;
        }
        match self.coverage_samples {
            Some(samples) if !samples.is_power_of_two() || samples > coverage::MOST_SAMPLES => {
                let message = format!(
                    "alpha to coverage supports a power of two from 1 to 32 samples, not {samples}"
                );
                Err(Error::new(&code::BLEND_SAMPLE_COUNT, message))
            }
            Some(samples) if (samples > 1) != self.multisampled => {
                let message = format!(
                    "alpha to coverage has {samples} samples, but multisampled attachments are{} requested",
                    if self.multisampled { "" } else { " not" },
                );
                Err(Error::new(&code::BLEND_SAMPLE_COUNT_MISMATCH, message))
            }
            _ => self.check_params(),
        }
    }

    /// Fails if the selectors and the blend constants have the same kind of source but cannot both be added.
    fn check_params(&self) -> Result<(), Error> {
        use crate::host::ParamSource;
        let (Some(select), Some(constants)) = (self.select, self.constants.place()) else {
            return Ok(());
        };
        let kind = std::mem::discriminant(&select);
        let are_numbered =
            matches!(select, ParamSource::PushConstant { .. } | ParamSource::Specialization { .. });
        if are_numbered && kind == std::mem::discriminant(&constants) && select != constants {
            let message = "blend constants and selectors of the same kind of source must have the same source";
            return Err(Error::new(&code::BLEND_CONSTANTS_SOURCE, message)
                .help("give both the same source"));
        }
        Ok(())
    }
}
