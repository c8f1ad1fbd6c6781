//! The options of `polyshade blend` for fixed-function state: factors, logic operations, formats, constants,
//! coverage.

use super::Rewrite;
use crate::Done;
use crate::code;
use crate::failure::Failure;
use crate::given::with;
use clap::Args;
use polyshade::advanced_blend::{
    Blending, ColorBlend, FixedFunctionBlend, Format, FormatClass, LogicOperation, Options,
};
use polyshade::host::ParamSource;
use std::str::FromStr;

/// Options for emulating fixed-function blending in the shader.
#[derive(Args)]
pub(crate) struct Fixed {
    /// Fixed-function blending of every target, or of one target: source factor, destination factor, and an operation
    /// (default: add). After a slash follow the factors and the operation of alpha, if they differ
    #[arg(long, value_name = "[LOCATION=]SRC,DST[,OP][/SRC,DST[,OP]]")]
    #[arg(value_parser = at_location::<FixedFunctionBlend>)]
    pub(super) blend: Vec<(Option<u32>, FixedFunctionBlend)>,

    /// Logic operation on the bits of every target, or of one target: and, xor, or-inverted, …
    #[arg(long, value_name = "[LOCATION=]OPERATION", value_parser = at_location::<LogicOperation>)]
    pub(super) logic_op: Vec<(Option<u32>, LogicOperation)>,

    /// Format of every attachment, or of one attachment, by its VkFormat name; it determines the format class,
    /// whether alpha exists, and the number of bits for logic operations
    #[arg(long, value_name = "[LOCATION=]FORMAT", value_parser = at_location::<Format>)]
    pub(super) attachment_format: Vec<(Option<u32>, Format)>,

    /// Blend constants: four numbers, or the source of four host parameters: push-constant=OFFSET (bytes),
    /// specialization=ID, uniform=SET:BINDING, storage=SET:BINDING. The prefix address: before one of the first three
    /// means that it holds the parameters' 64-bit address. If --select has the same source, its parameters come first
    /// [default: 0,0,0,0]
    #[arg(long, value_name = "R,G,B,A|PLACE", value_parser = constants, allow_hyphen_values = true,
        requires = "blend")]
    blend_constants: Option<Constants>,

    /// Convert the alpha of location 0 into the coverage of this many samples. Use this instead of
    /// alphaToCoverageEnable, which must be off
    #[arg(long, value_name = "SAMPLES")]
    pub(super) alpha_to_coverage: Option<u32>,
}

#[derive(Clone, Copy)]
enum Constants {
    Given([f32; 4]),
    Words(ParamSource),
}

fn at_location<T: FromStr<Err = polyshade::Error>>(
    text: &str,
) -> Result<(Option<u32>, T), polyshade::Error> {
    let (location, value) = match text.split_once('=') {
        Some((location, value)) => match location.trim().parse() {
            Ok(location) => (Some(location), value),
            Err(_) => {
                let message = format!("`{location}` is not a location");
                return Err(polyshade::Error::new(&code::CLI_USAGE, message));
            }
        },
        None => (None, text),
    };
    Ok((location, value.parse()?))
}

fn constants(text: &str) -> Result<Constants, String> {
    if let Ok(place) = text.parse() {
        return Ok(Constants::Words(place));
    }
    let numbers: Option<Vec<f32>> =
        text.split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.map(Constants::Given).ok_or_else(|| {
        "blend constants are R,G,B,A, push-constant=OFFSET, specialization=ID, uniform=SET:BINDING, \
         storage=SET:BINDING, or address: followed by one of the first three of these sources"
            .to_owned()
    })
}

impl Fixed {
    /// Returns the targets of these options with their locations; `None` means all locations.
    pub(super) fn targets(&self) -> impl Iterator<Item = (Option<u32>, ColorBlend)> {
        let fixed_function =
            self.blend.iter().map(|(at, how)| (*at, ColorBlend::fixed_function(*how)));
        let logic =
            self.logic_op.iter().map(|(at, operation)| (*at, ColorBlend::logic(*operation)));
        fixed_function.chain(logic)
    }

    /// Blends every target in the same way. An attachment with its own format becomes a separate target. Integer
    /// attachments are not blended unless a logic operation applies to them.
    pub(super) fn every(
        &self,
        options: Options,
        blending: impl Fn(Option<u32>) -> ColorBlend,
    ) -> Options {
        let options = options.every_target(blending(None));
        self.own_formats().fold(options, |options, location| {
            let target = blending(Some(location));
            let is_logic = matches!(target.blending(), Blending::Logic(_));
            match target.format_class().is_integer() && !is_logic {
                true => options.unblended(location),
                false => options.target(location, target),
            }
        })
    }

    /// Adds the blend constants and the alpha-to-coverage conversion.
    pub(super) fn apply(&self, mut options: Options) -> Options {
        options = match self.blend_constants {
            Some(Constants::Given(constants)) => options.blend_constants(constants),
            Some(Constants::Words(place)) => options.blend_constants_in(place),
            None => options,
        };
        with(options, self.alpha_to_coverage, Options::alpha_to_coverage)
    }

    /// Returns the format of the attachment at a location, or of every attachment if `location` is `None`.
    pub(super) fn format(&self, location: Option<u32>, class: Option<FormatClass>) -> Format {
        let of = |location: Option<u32>| {
            self.attachment_format.iter().find(|(at, _)| *at == location).map(|(_, format)| *format)
        };
        let own = location.and_then(|location| of(Some(location)));
        own.or_else(|| of(None)).unwrap_or_else(|| class.unwrap_or_default().into())
    }

    /// Returns the locations for which the user gave a separate format.
    pub(super) fn own_formats(&self) -> impl Iterator<Item = u32> {
        self.attachment_format.iter().filter_map(|(location, _)| *location)
    }

    /// Rejects options that contradict each other or that have no effect.
    pub(super) fn check(&self, rewrite: &Rewrite) -> Done {
        let usage = |message: String| Err(Failure::usage(message));
        // Each target may be blended by only one option.
        let advanced = rewrite.target.iter().map(|(location, _)| Some(*location));
        let every = rewrite.equations.iter().map(|_| None);
        let fixed_function = self.blend.iter().map(|(location, _)| *location);
        let logic = self.logic_op.iter().map(|(location, _)| *location);
        let mut asked: Vec<Option<u32>> =
            every.chain(advanced).chain(fixed_function.clone()).chain(logic).collect();
        asked.sort_unstable();
        if let Some(twice) = asked.windows(2).find(|pair| pair[0] == pair[1]) {
            return usage(match twice[0] {
                Some(location) => {
                    format!("the target at location {location} is blended in two ways")
                }
                None => "every target is blended in two ways".to_owned(),
            });
        }
        // Each attachment may have only one format.
        let mut formats: Vec<Option<u32>> =
            self.attachment_format.iter().map(|(location, _)| *location).collect();
        formats.sort_unstable();
        if formats.windows(2).any(|pair| pair[0] == pair[1]) {
            return usage("an attachment has two formats".to_owned());
        }
        if formats.first() == Some(&None) && rewrite.format_class.is_some() {
            return usage("--format-class has no meaning beside --attachment-format".to_owned());
        }
        Ok(())
    }
}
