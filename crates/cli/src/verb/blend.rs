//! `polyshade blend`: advanced blend equations in the fragment shader.

mod fixed;
mod report;
mod verified;

use crate::Done;
use crate::change::or_place;
use crate::failure::{Exit, Failure};
use crate::input::Input;
use crate::report::Report;
use crate::target::Free;
use crate::writing::Writing;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use fixed::Fixed;
use polyshade::advanced_blend::{
    self, Alpha, ColorBlend, Destination, Equation, FormatClass, Layer, Options, Overlap, Select,
};
use polyshade::host::{Binding, Set, Target};
use polyshade::spv::ExecutionModel;
use serde_json::json;

/// What is blended, and how.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// The equations of every target: names as multiply or HSL_HUE, khr for the 15 of KHR_blend_equation_advanced, all
    /// for all 46
    #[arg(long, value_name = "A,B,…|khr|all", value_parser = equations,
        required_unless_present_any = ["target", "blend", "logic_op"])]
    equations: Option<Equations>,

    /// The equations of one target, in place of --equations; none leaves it as it is
    #[arg(long, value_name = "LOCATION=A,B,…|none", value_parser = target)]
    target: Vec<(u32, Option<Equations>)>,

    /// What selects among equations: constant, where each target has one; or the place of a word for each target that
    /// has any: push-constant=OFFSET, specialization=ID, uniform=SET:BINDING, storage=SET:BINDING
    #[arg(long, value_name = "PLACE", default_value = "constant", value_parser = select)]
    select: Select,

    /// Where the shader reads the destination
    #[arg(long, value_enum, default_value_t = From::InputAttachment)]
    destination: From,

    /// Descriptor set of the destination [default: 3]
    #[arg(long, value_name = "N")]
    set: Option<u32>,

    /// Binding of the destination at location 0; the others follow [default: 0]
    #[arg(long, value_name = "N")]
    binding: Option<u32>,

    /// Index of the input attachment at location 0; the others follow [default: 0]
    #[arg(long, value_name = "N")]
    index: Option<u32>,

    /// Which layer of a texture to read: of one, that of gl_Layer, that of the view
    #[arg(long, value_enum)]
    layer: Option<Layers>,

    /// The attachments have several samples: run for each
    #[arg(long)]
    multisampled: bool,

    /// How source and destination cover a pixel together
    #[arg(long, value_enum, default_value_t = Overlaps::Uncorrelated)]
    overlap: Overlaps,

    /// Whether what the shader writes is multiplied by its alpha
    #[arg(long, value_enum, default_value_t = Alphas::Premultiplied)]
    source_alpha: Alphas,

    /// Whether what the attachment holds is multiplied by its alpha, before and after
    #[arg(long, value_enum, default_value_t = Alphas::Premultiplied)]
    destination_alpha: Alphas,

    /// Clamp results to 0 to 1
    #[arg(long)]
    clamp_results: bool,

    /// Class of the attachments' formats, where --attachment-format does not say it: it decides how the source is
    /// clamped [default: unorm]
    #[arg(long, value_parser = format_class())]
    format_class: Option<FormatClass>,

    /// The attachment's alpha reads as 1, whatever it holds
    #[arg(long)]
    without_alpha: bool,

    /// The source's alpha is 1: in place of alphaToOneEnable, which has to be off
    #[arg(long)]
    alpha_to_one: bool,

    #[command(flatten)]
    fixed: Fixed,

    #[command(flatten)]
    free: Free,
}

/// Blends in the fragment shader, with the equations of VK_EXT_blend_operation_advanced: for devices without them. What
/// fixed function does can be done there too, target by target.
///
/// The shader reads the destination and writes the blended colour, so fixed-function blending is off. --report lists
/// what the host binds and orders.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

    #[command(flatten)]
    writing: Writing,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum From {
    /// The attachment as an input attachment
    InputAttachment,
    /// The attachment as a tile image (SPV_EXT_shader_tile_image)
    TileImage,
    /// A copy of the attachment in a sampled image
    Texture,
    /// A storage image in place of the attachment, under fragment shader interlock
    StorageImage,
}

#[derive(Clone, Copy, ValueEnum)]
enum Layers {
    One,
    Layer,
    View,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Overlaps {
    Uncorrelated,
    Disjoint,
    Conjoint,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Alphas {
    Premultiplied,
    Straight,
}

fn select(text: &str) -> Result<Select, String> {
    or_place(text, &[("constant", Select::Constant)], Select::Words)
}

/// Classes by their names.
fn format_class() -> impl TypedValueParser<Value = FormatClass> {
    let class = |name: String| FormatClass::ALL.into_iter().find(|class| class.name() == name);
    PossibleValuesParser::new(FormatClass::ALL.map(FormatClass::name))
        .map(move |name| class(name).expect("only names of classes are possible"))
}

/// Equations as one value.
#[derive(Clone)]
struct Equations(Vec<Equation>);

fn equations(text: &str) -> Result<Equations, polyshade::Error> {
    let mut all = Vec::new();
    for name in text.split(',') {
        match name.trim() {
            "all" => all.extend(Equation::ALL),
            "khr" => all.extend(Equation::KHR),
            name => all.push(name.parse()?),
        }
    }
    Ok(Equations(all))
}

fn target(text: &str) -> Result<(u32, Option<Equations>), String> {
    let wrong = || "a target is given as LOCATION=EQUATIONS or LOCATION=none".to_owned();
    let (location, names) = text.split_once('=').ok_or_else(wrong)?;
    let location = location.trim().parse().map_err(|_| wrong())?;
    if names.trim() == "none" {
        return Ok((location, None));
    }
    let equations = equations(names).map_err(|error| error.to_string())?;
    Ok((location, Some(equations)))
}

/// The last of the sets that every Vulkan device has.
const SET: u32 = 3;

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, writing } = arguments;
    rewrite.check()?;
    writing.check(std::iter::empty())?;
    let words = input.words()?;
    let module = input.parse(&words)?;
    let entry = input.entry_name(&module, ExecutionModel::FRAGMENT)?;
    let lowered = advanced_blend::lower(&module, rewrite.target(&entry), &rewrite.options())
        .map_err(|error| Failure::of(&error, Some(&module)))?;
    let result = json!({ "targets": report::targets(&lowered.result), "state": report::STATE });
    let text = report::text(&lowered.result);
    let named = (entry.as_str(), ExecutionModel::FRAGMENT);
    let report = Report::new("advanced_blend", named, &result, text)
        .needs(&lowered.words, &lowered.requirements);
    writing.finish(input, &report, (module.words(), lowered.module.words()), &[])
}

impl Rewrite {
    /// The entry point, and what has to stay free.
    pub(super) fn target(&self, entry: &str) -> Target {
        self.free.target(entry, ExecutionModel::FRAGMENT)
    }

    /// What the options ask of the library.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::new().destination(self.read_from()).select(self.select);
        if self.multisampled {
            options = options.multisampled();
        }
        if let Some(equations) = &self.equations {
            options = options.every_target(self.blending(equations, None));
            // An attachment of another format is a target of its own.
            for location in self.fixed.own_formats() {
                options = options.target(location, self.blending(equations, Some(location)));
            }
        }
        for (location, equations) in &self.target {
            options = match equations {
                Some(equations) => {
                    options.target(*location, self.blending(equations, Some(*location)))
                }
                None => options.unblended(*location),
            };
        }
        self.fixed.apply(options, |target, location| self.finish(target, location))
    }

    /// A target with these equations.
    fn blending(&self, equations: &Equations, location: Option<u32>) -> ColorBlend {
        let alpha = |alpha| match alpha {
            Alphas::Premultiplied => Alpha::Premultiplied,
            Alphas::Straight => Alpha::Straight,
        };
        let target = ColorBlend::new(equations.0.iter().copied())
            .overlap(match self.overlap {
                Overlaps::Uncorrelated => Overlap::Uncorrelated,
                Overlaps::Disjoint => Overlap::Disjoint,
                Overlaps::Conjoint => Overlap::Conjoint,
            })
            .source(alpha(self.source_alpha))
            .destination(alpha(self.destination_alpha));
        self.finish(if self.clamp_results { target.clamp_results() } else { target }, location)
    }

    /// What holds for a target however it is blended.
    fn finish(&self, target: ColorBlend, location: Option<u32>) -> ColorBlend {
        let mut target = target.format(self.fixed.format(location, self.format_class));
        if self.without_alpha {
            target = target.without_alpha();
        }
        if self.alpha_to_one {
            target = target.alpha_to_one();
        }
        target
    }

    fn read_from(&self) -> Destination {
        let (set, binding) = (Set(self.set.unwrap_or(SET)), Binding(self.binding.unwrap_or(0)));
        match self.destination {
            From::InputAttachment => {
                Destination::InputAttachment { set, binding, index: self.index.unwrap_or(0) }
            }
            From::TileImage => Destination::TileImage,
            From::Texture => {
                let layer = match self.layer.unwrap_or(Layers::One) {
                    Layers::One => Layer::One,
                    Layers::Layer => Layer::Layer,
                    Layers::View => Layer::View,
                };
                Destination::Texture { set, binding, layer }
            }
            From::StorageImage => Destination::StorageImage { set, binding },
        }
    }

    /// An option that nothing reads was meant for something else.
    pub(super) fn check(&self) -> Done {
        self.fixed.check(self)?;
        let advanced = self.equations.is_some() || self.target.iter().any(|(_, one)| one.is_some());
        let bound = self.destination != From::TileImage;
        let attachment = self.destination == From::InputAttachment;
        let destination = "--destination";
        let blend = "--blend or --logic-op";
        let unused = [
            ("--set", self.set.is_some() && !bound, destination),
            ("--binding", self.binding.is_some() && !bound, destination),
            ("--index", self.index.is_some() && !attachment, destination),
            ("--layer", self.layer.is_some() && self.destination != From::Texture, destination),
            ("--select", self.select != Select::Constant && !advanced, blend),
            ("--overlap", self.overlap != Overlaps::Uncorrelated && !advanced, blend),
            ("--source-alpha", self.source_alpha != Alphas::Premultiplied && !advanced, blend),
            (
                "--destination-alpha",
                self.destination_alpha != Alphas::Premultiplied && !advanced,
                blend,
            ),
            ("--clamp-results", self.clamp_results && !advanced, blend),
        ];
        match unused.iter().find(|(_, unused, _)| *unused) {
            Some((name, _, what)) => {
                let message = format!("{name} has no meaning for what {what} asks for");
                Err(Failure::new(Exit::Usage, message))
            }
            None => Ok(()),
        }
    }
}
