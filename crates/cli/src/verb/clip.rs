//! `polyshade clip`: clip and cull distances in the form that the target takes.

mod exact;
mod report;
mod text;

use crate::Done;
use crate::code;
use crate::examples;
use crate::failure::Failure;
use crate::input::Input;
use crate::named::named;
use crate::stage;
use crate::target::Free;
use crate::writing::{Beside, Writing};
use clap::{Args, ValueEnum};
use polyshade::clip_cull::{
    self, Kind, Lacking, Linkage, Mark, Planes, Registers, Repair, emulate_fragment, emulate_last,
};
use polyshade::host::{Device, Place, Target, Value};
use polyshade::spv::{ExecutionModel, Progress};
use polyshade::{Error, Module};
use polyshade_verify::{Marked, Steps};
pub(crate) use report::Taken;
use std::path::PathBuf;
pub(crate) use text::Marks;
use text::{Space, counts, mask, read_marks, space};

/// The steps that are taken.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// Repair defects of producers: capability (missing), unused (arrays and members), size (arrays without a length,
    /// or too long), xfb (mode and decorations)
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    repair: Vec<Repair>,

    /// The form of the result [default: arrays, where nothing else is asked for]
    #[arg(long, value_enum)]
    to: Option<Form>,

    /// Inputs that are distances, beside those with a semantic: clip=3, cull=4.xy, clip=3-4
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    inputs: Vec<Mark>,

    /// Outputs that are distances, beside those with a semantic
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    outputs: Vec<Mark>,

    /// The distances that this stage shares with the one before it, which number the inputs
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    linked_inputs: Vec<Mark>,

    /// The distances that this stage shares with the one behind it, which number the outputs
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    linked_outputs: Vec<Mark>,

    /// A JSON file with lists of the same: inputs, outputs, linked_inputs, linked_outputs
    #[arg(long, value_name = "FILE")]
    marks: Option<PathBuf>,

    /// Do not take semantics (SV_ClipDistance, SV_CullDistance) for marks
    #[arg(long)]
    no_semantics: bool,

    /// The first location of --to registers, and of distances that --exact hands on or reads
    #[arg(long, value_name = "N")]
    location: Option<u32>,

    /// How many clip and cull distances the stages that meet have, where this one may have fewer
    #[arg(long, value_name = "CLIP,CULL", value_parser = counts)]
    linked: Option<[u32; 2]>,

    /// Clip planes that are on: a number whose bit i is plane i, or the place of a word: push-constant=OFFSET,
    /// specialization=ID, uniform=SET:BINDING, storage=SET:BINDING; the first three behind address: hold its address
    #[arg(long, value_name = "MASK", value_parser = mask)]
    enable: Option<Value<u32>>,

    /// With --enable: the first location at which distances go on as they were written
    #[arg(long, value_name = "N", requires = "enable")]
    as_written: Option<u32>,

    /// How many clip planes of the host's to clip against
    #[arg(long, value_name = "N", requires = "planes_at")]
    planes: Option<u32>,

    /// Where the host puts the planes: push-constant=OFFSET, specialization=ID, uniform=SET:BINDING,
    /// storage=SET:BINDING; the first three behind address: hold their address
    #[arg(long, value_name = "PLACE", requires = "planes")]
    planes_at: Option<Place>,

    /// The space of the planes: clip, or location=N for that of an output
    #[arg(long, value_name = "SPACE", value_parser = space, requires = "planes")]
    planes_in: Option<Space>,

    /// Do without distances, in the vertex and fragment stages alone: the first of four locations between them. A
    /// fragment stage needs --linked
    #[arg(long, value_name = "LOCATION", conflicts_with = "to")]
    emulate: Option<u32>,

    #[command(flatten)]
    exact: exact::Options,

    /// Kinds that the device has, where others are emulated: clip distances then stay
    #[arg(long, value_parser = named(KIND_NAMES), value_delimiter = ',', value_name = "KIND,…")]
    native: Vec<Kind>,

    /// `maxClipDistances` of the device
    #[arg(long, value_name = "N", default_value_t = 8)]
    max_clip: u32,

    /// `maxCullDistances` of the device
    #[arg(long, value_name = "N", default_value_t = 8)]
    max_cull: u32,

    /// `maxCombinedClipAndCullDistances` of the device
    #[arg(long, value_name = "N", default_value_t = 8)]
    max_combined: u32,

    #[command(flatten)]
    free: Free,
}

/// Brings clip and cull distances into the form that the target takes.
///
/// Steps are taken in this order: repairs, registers to built-in arrays, planes of the host's, planes that are off, the
/// form, emulation. Registers become built-in arrays whatever else is asked for.
#[derive(Args)]
#[command(after_help = examples::of("clip"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

    #[command(flatten)]
    writing: Writing,
}

const KIND_NAMES: [(&str, &str, Kind); 2] = [("clip", "", Kind::Clip), ("cull", "", Kind::Cull)];

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Form {
    /// Built-in arrays, of registers
    Arrays,
    /// Registers, of built-in arrays
    Registers,
    /// One built-in array, clip distances first
    Combined,
    /// Two built-in arrays, of one whose first are clip distances: as many as --linked says
    Separate,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, writing } = arguments;
    let marks = rewrite.check()?;
    writing.check(rewrite.exact.geometry.as_deref().into_iter())?;
    let words = input.words()?;
    let module = input.parse(&words)?;
    let (entry, model) = only_entry(input, &module)?;
    rewrite.exact.check_geometry(model)?;
    rewrite.check_stage(model)?;
    let mut taken = Taken::new(model);
    let lowered = rewrite
        .lower(&module, (&entry, model), &marks, &mut taken)
        .map_err(|error| input.refused(&error, &module))?;
    let geometry = rewrite.exact.geometry.as_deref().zip(lowered.geometry.as_ref());
    let beside: Vec<Beside<'_>> =
        geometry.map(|(file, geometry)| (file, geometry.words())).into_iter().collect();
    let report = taken.report(&entry);
    writing.finish(input, &report, (module.words(), lowered.module.words()), &beside)
}

/// The result for a shader.
pub(super) struct Lowered {
    pub(super) module: Module<'static>,
    /// The geometry stage that is made to come behind it.
    pub(super) geometry: Option<Module<'static>>,
}

impl From<Module<'static>> for Lowered {
    fn from(module: Module<'static>) -> Self {
        Self { module, geometry: None }
    }
}

/// The stages that hand on distances, or read them.
const STAGES: [ExecutionModel; 7] = [
    ExecutionModel::VERTEX,
    ExecutionModel::TESSELLATION_CONTROL,
    ExecutionModel::TESSELLATION_EVALUATION,
    ExecutionModel::GEOMETRY,
    ExecutionModel::MESH_EXT,
    ExecutionModel::MESH_NV,
    ExecutionModel::FRAGMENT,
];

/// The entry point that was asked for, or the only one.
pub(super) fn only_entry(
    input: &Input,
    module: &Module<'_>,
) -> Result<(String, ExecutionModel), Failure> {
    stage::only_entry(input, module, &STAGES)
}

impl Rewrite {
    /// Refuses options that have no effect, and reads the file of marks.
    pub(super) fn check(&self) -> Result<Marks, Failure> {
        let registers = self.to == Some(Form::Registers);
        let location = [("--location", self.location.is_some() && !registers && !self.exact.exact)];
        Failure::of_unused(&location, "without --to registers or --exact")?;
        let rearranged = !matches!(self.to, None | Some(Form::Arrays));
        let is_linked = rearranged || self.emulate.is_some() || self.location.is_some();
        let linked = [("--linked", self.linked.is_some() && !is_linked)];
        let without =
            "without --emulate, --exact with --location, or --to registers, combined or separate";
        Failure::of_unused(&linked, without)?;
        let lacking = match self.to {
            Some(Form::Registers) if self.location.is_none() => "--to registers needs --location",
            Some(Form::Separate) if self.linked.is_none() => "--to separate needs --linked",
            _ => return self.marks.as_deref().map_or(Ok(Marks::default()), read_marks),
        };
        Err(Failure::new(&code::CLI_USAGE, lacking))
    }

    /// Refuses options that lack another one for this stage.
    pub(super) fn check_stage(&self, model: ExecutionModel) -> Done {
        let is_fragment = model == ExecutionModel::FRAGMENT;
        if self.emulate.is_some() && is_fragment && self.linked.is_none() {
            let message = "--emulate in a fragment stage needs --linked";
            return Err(Failure::new(&code::CLI_USAGE, message));
        }
        if !self.native.is_empty() && self.emulate.is_none() && !self.exact.exact {
            let message = "--native goes with --emulate or --exact";
            return Err(Failure::new(&code::CLI_USAGE, message));
        }
        self.exact.check_stage(model, self.location)
    }

    /// Takes the steps that were asked for.
    pub(super) fn lower(
        &self,
        module: &Module<'_>,
        (entry, model): (&str, ExecutionModel),
        marks: &Marks,
        taken: &mut Taken,
    ) -> Result<Lowered, Error> {
        let target = self.target(entry, model);
        let mut current = module.borrowed().into_owned();
        if !self.repair.is_empty() {
            let done = clip_cull::repair(&current, &target, &self.repair)?.into_owned();
            taken.repairs = done.result;
            taken.steps.push("repair");
            current = done.module;
        }
        // All that follows knows distances as built-in arrays.
        current = self.normalize(current, &target, marks, taken)?;
        if let Some(planes) = self.user_planes() {
            let done = clip_cull::user_planes(&current, &target, planes)?.into_owned();
            taken.clipped("planes", &done);
            current = done.module;
        }
        if let Some(enabled) = self.enable {
            let done = clip_cull::enable(&current, &target, enabled, self.as_written)?.into_owned();
            taken.clipped("enable", &done);
            current = done.module;
        }
        if let Some(location) = self.emulate {
            let lacking = self.lacking();
            let done = match (model, self.linked) {
                (ExecutionModel::FRAGMENT, Some(linked)) => {
                    emulate_fragment(&current, &target, lacking, location, linked)
                }
                (_, linked) => {
                    let registers = Registers { inputs: location, outputs: location, linked };
                    emulate_last(&current, &target, lacking, registers)
                }
            }?;
            taken.emulated(&done);
            return Ok(done.module.into_owned().into());
        }
        if self.exact.exact {
            let (lacking, read) = (self.lacking(), (self.location, self.linked));
            let (module, geometry) =
                self.exact.lower(&current, (&target, model), lacking, read, taken)?;
            return Ok(Lowered { module, geometry });
        }
        let module = match self.to {
            None | Some(Form::Arrays) => current,
            Some(form) => self.rearrange(&current, &target, form, taken)?,
        };
        Ok(module.into())
    }

    fn target(&self, entry: &str, model: ExecutionModel) -> Target {
        let mut device = Device::default();
        device.max_clip_distances = self.max_clip;
        device.max_cull_distances = self.max_cull;
        device.max_combined_distances = self.max_combined;
        self.exact.limit(&mut device);
        self.free.target(entry, model).device(device)
    }

    /// A device with cull distances alone, of which none is known, counts as lacking both.
    fn lacking(&self) -> Lacking {
        if self.native.contains(&Kind::Clip) { Lacking::Cull } else { Lacking::All }
    }

    fn user_planes(&self) -> Option<Planes> {
        let vertex = self.planes_in.and_then(|Space(location)| location);
        Some(Planes { count: self.planes?, words: self.planes_at?, vertex })
    }

    /// Whether the built-in arrays that registers become are a step of its own.
    fn asks_for_arrays(&self) -> bool {
        let takes_steps = !self.repair.is_empty() || self.planes.is_some() || self.enable.is_some();
        let has_form = self.emulate.is_some() || self.exact.exact || self.to.is_some();
        self.to == Some(Form::Arrays) || !takes_steps && !has_form
    }

    fn normalize(
        &self,
        current: Module<'static>,
        target: &Target,
        listed: &Marks,
        taken: &mut Taken,
    ) -> Result<Module<'static>, Error> {
        let mut options = clip_cull::Options::new()
            .semantics(!self.no_semantics)
            .inputs(all(&self.inputs, &listed.inputs))
            .outputs(all(&self.outputs, &listed.outputs));
        if let Some(linked) = linkage(&self.linked_inputs, &listed.linked_inputs)? {
            options = options.linked_inputs(linked);
        }
        if let Some(linked) = linkage(&self.linked_outputs, &listed.linked_outputs)? {
            options = options.linked_outputs(linked);
        }
        let done = clip_cull::normalize(&current, target, &options)?.into_owned();
        if self.asks_for_arrays() || done.progress == Progress::Changed {
            taken.normalized(&done);
        }
        Ok(done.module)
    }

    /// The same steps in the form of `verify`, with the marks of a file.
    pub(super) fn steps(&self, listed: &Marks, model: ExecutionModel) -> Result<Steps, Error> {
        let takes_steps = !self.repair.is_empty() || self.planes.is_some() || self.enable.is_some();
        let location = self.location.unwrap_or(0);
        let native_clip = self.native.contains(&Kind::Clip);
        let form = match (self.emulate, self.to) {
            (Some(location), _) => polyshade_verify::Form::Emulated { location, native_clip },
            _ if self.exact.exact => self.exact.form(self.location, native_clip),
            (None, None) if takes_steps => polyshade_verify::Form::Kept,
            (None, None | Some(Form::Arrays)) => polyshade_verify::Form::Arrays,
            (None, Some(Form::Registers)) => polyshade_verify::Form::Registers { location },
            (None, Some(Form::Combined)) => polyshade_verify::Form::Combined,
            (None, Some(Form::Separate)) => polyshade_verify::Form::Separate,
        };
        // A vertex stage emulates the distances that it has, whatever is linked.
        let is_kept = model == ExecutionModel::VERTEX && self.emulate.is_some();
        let counts = self.linked.filter(|_| !is_kept);
        Ok(Steps {
            repairs: !self.repair.is_empty(),
            planes: self.user_planes(),
            enable: self.enable.map(|enabled| (enabled, self.as_written)),
            form,
            inputs: Marked {
                marks: all(&self.inputs, &listed.inputs),
                linked: linkage(&self.linked_inputs, &listed.linked_inputs)?,
            },
            outputs: Marked {
                marks: all(&self.outputs, &listed.outputs),
                linked: linkage(&self.linked_outputs, &listed.linked_outputs)?,
            },
            semantics: !self.no_semantics,
            counts,
        })
    }

    fn rearrange(
        &self,
        current: &Module<'_>,
        target: &Target,
        form: Form,
        taken: &mut Taken,
    ) -> Result<Module<'static>, Error> {
        let clip = self.linked.map(|[clip, _]| clip);
        let (done, step) = match form {
            Form::Combined => (clip_cull::combine(current, target, clip)?, "combined"),
            Form::Separate => {
                let clip = clip.expect("the options are checked first");
                (clip_cull::separate(current, target, clip)?, "separate")
            }
            Form::Registers | Form::Arrays => {
                let at = self.location.expect("the options are checked first");
                let registers = Registers { inputs: at, outputs: at, linked: self.linked };
                (clip_cull::to_registers(current, target, registers)?, "registers")
            }
        };
        taken.rearranged(step, &done);
        Ok(done.module.into_owned())
    }
}

/// The marks of both lists.
fn all(own: &[Mark], listed: &[Mark]) -> Vec<Mark> {
    [own, listed].concat()
}

fn linkage(own: &[Mark], listed: &[Mark]) -> Result<Option<Linkage>, Error> {
    match all(own, listed) {
        marks if marks.is_empty() => Ok(None),
        marks => Linkage::new(marks).map(Some),
    }
}
