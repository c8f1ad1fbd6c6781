//! `polyshade blend`: advanced blend equations in the fragment shader.

mod fixed;
mod report;
mod verified;

use super::capture::reservation;
use crate::Done;
use crate::depfile::Build;
use crate::failure::{Exit, Failure};
use crate::format::Formats;
use crate::input::Input;
use crate::output::{Modules, Outputs, print_text};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use fixed::Fixed;
use polyshade::Reserved;
use polyshade::advanced_blend::{
    self, Alpha, Destination, Equation, FormatClass, Layer, Options, Overlap, Preview, Select,
    Target,
};
use polyshade::moves::{Binding, Set};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::HostWords;
use report::Report;
use std::path::{Path, PathBuf};

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

    /// What selects among equations: a word for each target that is blended, unless each has one equation
    #[arg(long, value_enum, default_value_t = By::Constant)]
    select: By,

    /// Descriptor set of the words that select [default: that of the destination]
    #[arg(long, value_name = "N")]
    select_set: Option<u32>,

    /// Binding of the words that select [default: 8 behind the destination's]
    #[arg(long, value_name = "N")]
    select_binding: Option<u32>,

    /// Where the words that select begin in the push constants, in bytes [default: 0]
    #[arg(long, value_name = "BYTES")]
    select_offset: Option<u32>,

    /// Number of the first specialization constant that selects [default: 0]
    #[arg(long, value_name = "N")]
    select_first_id: Option<u32>,

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

    /// Add nothing to this descriptor set, or to this binding of it: other stages use it
    #[arg(long, value_delimiter = ',', value_name = "SET[:BINDING]", value_parser = reservation)]
    reserve: Vec<(Set, Option<Binding>)>,

    /// Give what is added no debug names
    #[arg(long)]
    no_names: bool,
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

    /// Where the shader goes; standard output if left out, or if it is `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where a report goes: targets, words and requirements, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report to standard output; the module goes to a file
    #[arg(long)]
    json: bool,

    /// Write no module: say what would be blended, bound and filled in
    #[arg(long, conflicts_with_all = ["output", "depfile"])]
    dry_run: bool,

    #[command(flatten)]
    build: Build,

    /// Print what changed in the shader, disassembled, to standard output; the module goes to a file
    #[arg(long, requires = "output", conflicts_with_all = ["json", "dry_run"])]
    diff: bool,

    #[command(flatten)]
    formats: Formats,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum By {
    /// Nothing: each target has one equation
    Constant,
    /// Specialization constants
    Specialization,
    /// Push constants
    PushConstant,
    /// A uniform buffer
    Uniform,
    /// A storage buffer
    Storage,
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
/// Where the words that select are, behind the destinations: as many as a device commonly has.
const BEHIND: u32 = 8;

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let rewrite = &arguments.rewrite;
    rewrite.check()?;
    arguments.formats.check(arguments.files())?;
    let words = arguments.input.words()?;
    let module = arguments.input.parse(&words)?;
    let entry = arguments.input.entry_name(&module, ExecutionModel::FRAGMENT)?;
    let failed = |error| Failure::of(&error, Some(&module));
    let options = rewrite.options(&entry);
    let select = rewrite.selection();
    if arguments.dry_run {
        let preview = advanced_blend::preview(&module, &options).map_err(failed)?;
        return arguments.preview(&Report { entry: &entry, select, preview: &preview });
    }

    let lowered = advanced_blend::lower(&module, &options).map_err(failed)?;
    let mut outputs = Outputs::of(Modules {
        formats: arguments.formats.clone(),
        entry: Some((entry.clone(), ExecutionModel::FRAGMENT)),
        validate: arguments.input.validate,
        target_env: arguments.input.target_env.clone(),
    });
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    outputs.add_module(output, lowered.module.words())?;
    if arguments.diff {
        outputs.add_diff(module.words(), lowered.module.words())?;
    }
    let preview = Preview { targets: lowered.targets, requirements: lowered.requirements };
    let report = Report { entry: &entry, select, preview: &preview };
    if let Some(file) = &arguments.report {
        outputs.add(file, report.to_json().into_bytes())?;
    }
    if arguments.json {
        outputs.add(Path::new("-"), format!("{}\n", report.to_json()).into_bytes())?;
    }
    arguments.build.apply(&arguments.input, &mut outputs)?;
    outputs.write()
}

impl Arguments {
    /// The report alone.
    fn preview(&self, report: &Report<'_>) -> Done {
        if let Some(file) = &self.report {
            let mut outputs = Outputs::default();
            outputs.add(file, report.to_json().into_bytes())?;
            outputs.write()?;
        }
        print_text(&if self.json { report.to_json() } else { report.to_text() })
    }

    /// Where modules go.
    fn files(&self) -> impl Iterator<Item = &Path> {
        let output = (!self.dry_run).then(|| self.output.as_deref().unwrap_or(Path::new("-")));
        output.into_iter()
    }
}

impl Rewrite {
    /// What the options ask of the library.
    pub(super) fn options(&self, entry: &str) -> Options {
        let mut options = Options::new(entry)
            .destination(self.read_from())
            .select(self.selection())
            .reserved(self.reserved())
            .names(!self.no_names);
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
    fn blending(&self, equations: &Equations, location: Option<u32>) -> Target {
        let alpha = |alpha| match alpha {
            Alphas::Premultiplied => Alpha::Premultiplied,
            Alphas::Straight => Alpha::Straight,
        };
        let target = Target::new(equations.0.iter().copied())
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
    fn finish(&self, target: Target, location: Option<u32>) -> Target {
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

    fn selection(&self) -> Select {
        let set = Set(self.select_set.or(self.set).unwrap_or(SET));
        let behind = self.binding.unwrap_or(0).saturating_add(BEHIND);
        let binding = Binding(self.select_binding.unwrap_or(behind));
        Select::Words(match self.select {
            By::Constant => return Select::Constant,
            By::Specialization => {
                HostWords::Specialization { first_id: self.select_first_id.unwrap_or(0) }
            }
            By::PushConstant => HostWords::PushConstant { offset: self.select_offset.unwrap_or(0) },
            By::Uniform => HostWords::Uniform { set, binding },
            By::Storage => HostWords::StorageBuffer { set, binding },
        })
    }

    fn reserved(&self) -> Reserved {
        self.reserve.iter().fold(Reserved::new(), |reserved, (set, binding)| match binding {
            Some(binding) => reserved.binding(*set, *binding),
            None => reserved.set(*set),
        })
    }

    /// An option that nothing reads was meant for something else.
    pub(super) fn check(&self) -> Done {
        self.fixed.check(self)?;
        let advanced = self.equations.is_some() || self.target.iter().any(|(_, one)| one.is_some());
        let buffer = matches!(self.select, By::Uniform | By::Storage);
        let bound = self.destination != From::TileImage;
        let attachment = self.destination == From::InputAttachment;
        let select = "--select";
        let destination = "--destination";
        let blend = "--blend or --logic-op";
        let unused = [
            ("--select-set", self.select_set.is_some() && !buffer, select),
            ("--select-binding", self.select_binding.is_some() && !buffer, select),
            (
                "--select-offset",
                self.select_offset.is_some() && self.select != By::PushConstant,
                select,
            ),
            (
                "--select-first-id",
                self.select_first_id.is_some() && self.select != By::Specialization,
                select,
            ),
            ("--set", self.set.is_some() && !bound, destination),
            ("--binding", self.binding.is_some() && !bound, destination),
            ("--index", self.index.is_some() && !attachment, destination),
            ("--layer", self.layer.is_some() && self.destination != From::Texture, destination),
            ("--select", self.select != By::Constant && !advanced, blend),
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
