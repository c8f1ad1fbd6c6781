//! `polyshade blend`: makes the fragment shader blend its outputs.

mod fixed;
mod report;
mod verified;

use crate::Done;
use crate::examples;
use crate::failure::Failure;
use crate::input::Input;
use crate::lowering::Lowering;
use crate::named::named;
use crate::report::Report;
use crate::stage::only_entry;
use crate::target::Free;
use crate::writing::Writing;
use clap::{Args, ValueEnum};
use fixed::Fixed;
use polyshade::advanced_blend::{
    self, Alpha, ArrayLayerSource, ColorBlend, Destination, Equation, FormatClass, Options, Overlap,
};
use polyshade::host::{Binding, ParamSource, Set};
use polyshade::spv::ExecutionModel;
use serde_json::json;

/// Options that select the targets and the way in which each target is blended.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// Equations of every target: names such as multiply or HSL_HUE; khr selects the 15 equations of
    /// KHR_blend_equation_advanced, and all selects all 46
    #[arg(long, value_name = "A,B,…|khr|all", value_parser = equations,
        required_unless_present_any = ["target", "blend", "logic_op"])]
    equations: Option<Equations>,

    /// Equations of one target, which override --equations; none leaves the target unchanged
    #[arg(long, value_name = "LOCATION=A,B,…|none", value_parser = target)]
    target: Vec<(u32, Option<Equations>)>,

    /// Source of the host parameters that select an equation, one parameter for each target with several equations:
    /// push-constant=OFFSET (bytes), specialization=ID, uniform=SET:BINDING, storage=SET:BINDING. The prefix address:
    /// before one of the first three means that it holds the 64-bit address of the parameters
    #[arg(long, value_name = "PLACE")]
    select: Option<ParamSource>,

    /// Where the shader reads the destination
    #[arg(long, value_enum, default_value_t = From::InputAttachment)]
    destination: From,

    /// Descriptor set of the destination [default: 3]
    #[arg(long, value_name = "N")]
    set: Option<u32>,

    /// Binding of the destination of location 0; the binding of another location is this number plus the location
    /// [default: 0]
    #[arg(long, value_name = "N")]
    binding: Option<u32>,

    /// Input attachment index of location 0; the index of another location is this number plus the location [default:
    /// 0]
    #[arg(long, value_name = "N")]
    index: Option<u32>,

    /// Array layer that --destination texture reads: the only layer, the layer in gl_Layer, or the view index
    /// [default: one]
    #[arg(long, value_parser = named(LAYERS))]
    layer: Option<ArrayLayerSource>,

    /// The attachments are multisampled; the shader runs once for each sample
    #[arg(long)]
    multisampled: bool,

    /// How source and destination are assumed to overlap within a pixel
    #[arg(long, value_parser = named(OVERLAPS), default_value = "uncorrelated")]
    overlap: Overlap,

    /// Whether the colour that the shader writes is already multiplied by its alpha
    #[arg(long, value_parser = named(ALPHAS), default_value = "premultiplied")]
    source_alpha: Alpha,

    /// Whether the colour in the attachment is multiplied by its alpha, before and after blending
    #[arg(long, value_parser = named(ALPHAS), default_value = "premultiplied")]
    destination_alpha: Alpha,

    /// Clamp results to [0, 1]
    #[arg(long)]
    clamp_results: bool,

    /// Class of the attachments' formats, if --attachment-format does not name them. It determines the range to which
    /// the source is clamped [default: unorm]
    #[arg(long, value_parser = named(FormatClass::ALL.map(|class| (class.name(), "", class))))]
    format_class: Option<FormatClass>,

    /// Read the attachment's alpha as 1, whatever value it contains
    #[arg(long)]
    without_alpha: bool,

    /// Blend with an alpha of 1 at location 0. Use this instead of alphaToOneEnable, which must be off
    #[arg(long)]
    alpha_to_one: bool,

    #[command(flatten)]
    fixed: Fixed,

    #[command(flatten)]
    pub(super) free: Free,
}

/// Blends in the fragment shader, with the equations of VK_EXT_blend_operation_advanced, for devices without the
/// extension. It can also replace fixed-function blending, target by target.
///
/// The shader reads the destination and writes the blended colour, so fixed-function blending must be off. --report
/// lists the host's bindings and barriers.
#[derive(Args)]
#[command(after_help = examples::of("blend"))]
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
    /// A storage image in place of the attachment, protected by fragment shader interlock
    StorageImage,
}

const LAYERS: [(&str, &str, ArrayLayerSource); 3] = [
    ("one", "", ArrayLayerSource::One),
    ("layer", "", ArrayLayerSource::Layer),
    ("view", "", ArrayLayerSource::View),
];

const OVERLAPS: [(&str, &str, Overlap); 3] = [
    ("uncorrelated", "", Overlap::Uncorrelated),
    ("disjoint", "", Overlap::Disjoint),
    ("conjoint", "", Overlap::Conjoint),
];

const ALPHAS: [(&str, &str, Alpha); 2] =
    [("premultiplied", "", Alpha::Premultiplied), ("straight", "", Alpha::Straight)];

/// The equations that an option lists.
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

/// The highest descriptor set that every Vulkan device supports.
const SET: u32 = 3;

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, writing } = arguments;
    rewrite.check()?;
    writing.check(std::iter::empty())?;
    let module = input.module()?;
    let (entry, _) = only_entry(input, &module, &[ExecutionModel::FRAGMENT])?;
    let target = rewrite.free.target(&entry, ExecutionModel::FRAGMENT);
    let lowered = advanced_blend::lower(&module, target, &rewrite.options())
        .map_err(|error| input.refused(&error, &module))?;
    let state = report::state(rewrite.read_from(), &lowered.result, rewrite.multisampled);
    let result = json!({ "targets": report::targets(&lowered.result), "state": state });
    let text = report::text(&lowered.result, &state);
    let named = (entry.as_str(), ExecutionModel::FRAGMENT);
    let report = Report::new(Lowering::AdvancedBlend, named, &result, text)
        .needs(&lowered.params, &lowered.requirements);
    writing.finish(input, &report, (module.words(), lowered.module.words()), &[])
}

impl Rewrite {
    /// Converts the command-line options to the library's options.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::new().destination(self.read_from()).select(self.select);
        if self.multisampled {
            options = options.multisampled();
        }
        if self.alpha_to_one {
            options = options.alpha_to_one();
        }
        // Apply settings for all locations first, because settings for one location override them.
        if let Some(equations) = &self.equations {
            options = self.fixed.every(options, |location| self.blending(equations, location));
        }
        for (_, target) in self.fixed.targets().filter(|(location, _)| location.is_none()) {
            options = self.fixed.every(options, |at| self.finish(target.clone(), at));
        }
        for (location, equations) in &self.target {
            options = match equations {
                Some(equations) => {
                    options.target(*location, self.blending(equations, Some(*location)))
                }
                None => options.unblended(*location),
            };
        }
        for (location, target) in self.fixed.targets() {
            if let Some(location) = location {
                options = options.target(location, self.finish(target, Some(location)));
            }
        }
        self.fixed.apply(options)
    }

    /// Returns a target that is blended with these equations.
    fn blending(&self, equations: &Equations, location: Option<u32>) -> ColorBlend {
        let target = ColorBlend::new(equations.0.iter().copied())
            .overlap(self.overlap)
            .source(self.source_alpha)
            .destination(self.destination_alpha);
        self.finish(if self.clamp_results { target.clamp_results() } else { target }, location)
    }

    /// Applies the options that apply to every kind of blending.
    fn finish(&self, target: ColorBlend, location: Option<u32>) -> ColorBlend {
        let target = target.format(self.fixed.format(location, self.format_class));
        if self.without_alpha { target.without_alpha() } else { target }
    }

    fn read_from(&self) -> Destination {
        let (set, binding) = (Set(self.set.unwrap_or(SET)), Binding(self.binding.unwrap_or(0)));
        match self.destination {
            From::InputAttachment => {
                Destination::InputAttachment { set, binding, index: self.index.unwrap_or(0) }
            }
            From::TileImage => Destination::TileImage,
            From::Texture => {
                Destination::Texture { set, binding, layer: self.layer.unwrap_or_default() }
            }
            From::StorageImage => Destination::StorageImage { set, binding },
        }
    }

    /// Rejects options that have no effect.
    pub(super) fn check(&self) -> Done {
        self.fixed.check(self)?;
        let advanced = self.equations.is_some() || self.target.iter().any(|(_, one)| one.is_some());
        let bound = self.destination != From::TileImage;
        let attachment = self.destination == From::InputAttachment;
        let of_destination = [
            ("--set", self.set.is_some() && !bound),
            ("--binding", self.binding.is_some() && !bound),
            ("--index", self.index.is_some() && !attachment),
            ("--layer", self.layer.is_some() && self.destination != From::Texture),
        ];
        Failure::of_unused(&of_destination, "for this --destination")?;
        let of_equations = [
            ("--select", self.select.is_some()),
            ("--overlap", self.overlap != Overlap::Uncorrelated),
            ("--source-alpha", self.source_alpha != Alpha::Premultiplied),
            ("--destination-alpha", self.destination_alpha != Alpha::Premultiplied),
            ("--clamp-results", self.clamp_results),
        ];
        match advanced {
            true => Ok(()),
            false => Failure::of_unused(&of_equations, "for --blend and --logic-op"),
        }
    }
}
