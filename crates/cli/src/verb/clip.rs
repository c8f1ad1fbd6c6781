//! `polyshade clip`: converts, masks, adds and emulates clip and cull distances.

mod exact;
mod report;
mod text;

use crate::Done;
use crate::examples;
use crate::failure::Failure;
use crate::input::Input;
use crate::named::named;
use crate::stage;
use crate::target::Free;
use crate::writing::{Beside, Writing};
use clap::{Args, ValueEnum};
use polyshade::clip_cull::{
    self, Clipped, DistanceCounts, DistanceKind, DistanceSemantic, Emulated, Normalize, Registers,
    Step, UserPlanes,
};
use polyshade::host::{Device, Lowered, ParamSource, Target, Value};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_verify::{ClipSteps, DistanceSemantics};
use std::path::PathBuf;
pub(crate) use text::Semantics;
use text::{Space, counts, mask, read_semantics, space};

/// Options that select the steps.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// Form of the resulting distances [default: arrays, if no other step is requested]
    #[arg(long, value_enum)]
    to: Option<Form>,

    /// Inputs that are distances, in addition to those with a semantic: clip=3, cull=4.xy, clip=3-4
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    inputs: Vec<DistanceSemantic>,

    /// Outputs that are distances, in addition to those with a semantic, in the syntax of --inputs
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    outputs: Vec<DistanceSemantic>,

    /// The distances that this stage shares with the previous one; they determine the array indices of input distances
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    linked_inputs: Vec<DistanceSemantic>,

    /// The distances that this stage shares with the next one; they determine the array indices of output distances
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    linked_outputs: Vec<DistanceSemantic>,

    /// A JSON file with the same lists: inputs, outputs, linked_inputs, linked_outputs
    #[arg(long, value_name = "FILE", alias = "marks")]
    semantics: Option<PathBuf>,

    /// Ignore the module's semantics SV_ClipDistance and SV_CullDistance
    #[arg(long)]
    no_semantics: bool,

    /// First location of --to registers, and of the distances that --exact reads or writes for the next stage
    #[arg(long, value_name = "N")]
    location: Option<u32>,

    /// Numbers of clip and cull distances in the interface between two stages; this stage may have fewer
    #[arg(long, value_name = "CLIP,CULL", value_parser = counts, alias = "linked")]
    signature: Option<DistanceCounts>,

    /// Enabled clip planes: a number whose bit i is plane i, or the source of such a 32-bit number:
    /// push-constant=OFFSET (bytes), specialization=ID, uniform=SET:BINDING, storage=SET:BINDING. The prefix address:
    /// before one of the first three means that it holds the 64-bit address of the number
    #[arg(long, value_name = "MASK", value_parser = mask)]
    enable: Option<Value<u32>>,

    /// With --enable: also write the unmasked distances, to this location and the next one
    #[arg(long, value_name = "N", requires = "enable", alias = "as-written")]
    keep_original_at: Option<u32>,

    /// Number of clip planes that the host provides
    #[arg(long, value_name = "N", requires = "planes_at")]
    planes: Option<u32>,

    /// Source of the planes: push-constant=OFFSET (bytes), specialization=ID, uniform=SET:BINDING,
    /// storage=SET:BINDING. The prefix address: before one of the first three means that it holds the 64-bit address
    /// of the planes
    #[arg(long, value_name = "PLACE", requires = "planes")]
    planes_at: Option<ParamSource>,

    /// Coordinate space of the planes: clip, or location=N for the space of the output at location N
    #[arg(long, value_name = "SPACE", value_parser = space, requires = "planes")]
    planes_in: Option<Space>,

    /// Emulate distances in the last stage before rasterization and in the fragment stage, which discards fragments.
    /// LOCATION is the first of four locations that pass the distances between the two stages. In a fragment stage,
    /// --signature is required
    #[arg(long, value_name = "LOCATION", conflicts_with = "to")]
    emulate: Option<u32>,

    #[command(flatten)]
    exact: exact::Options,

    /// Kinds of distances that the device supports; if clip is among them, --emulate and --exact keep clip distances
    /// and emulate only cull distances
    #[arg(long, value_parser = named(KIND_NAMES), value_delimiter = ',', value_name = "KIND,…")]
    native: Vec<DistanceKind>,

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

/// Converts clip and cull distances into a form that the target accepts.
///
/// The steps run in this order: registers become built-in arrays, the host's planes are added, disabled planes are
/// masked, and then the form is converted or the distances are emulated. Registers always become built-in arrays
/// first.
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

const KIND_NAMES: [(&str, &str, DistanceKind); 2] =
    [("clip", "", DistanceKind::Clip), ("cull", "", DistanceKind::Cull)];

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Form {
    /// Built-in arrays, converted from registers
    Arrays,
    /// Registers, converted from built-in arrays
    Registers,
    /// One built-in array, clip distances first
    Combined,
    /// Two built-in arrays, split from one array that begins with as many clip distances as --signature has
    Separate,
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, writing } = arguments;
    let listed = rewrite.check()?;
    writing.check(rewrite.exact.geometry.as_deref().into_iter())?;
    let module = input.module()?;
    let (entry, model) = only_entry(input, &module)?;
    rewrite.exact.check_geometry(model)?;
    // Run the steps.
    rewrite.check_stage(model)?;
    let options = rewrite.options(&listed, model);
    let target = rewrite.target(&entry, model);
    let lowered = clip_cull::lower(&module, target, &options)
        .map_err(|error| input.refused(&error, &module))?;
    // Write the shader, and the generated geometry stage if there is one.
    let geometry = rewrite.exact.geometry.as_deref().zip(lowered.result.geometry.as_ref());
    let beside: Vec<Beside<'_>> =
        geometry.map(|(file, made)| (file, made.module.words())).into_iter().collect();
    let is_without_arrays =
        !rewrite.asks_for_arrays() && lowered.result.unchanged.first() == Some(&0);
    let taken = options.steps.iter().skip(usize::from(is_without_arrays));
    let names: Vec<&str> = taken.map(report::name).collect();
    let report = report::report((&entry, model), &names, &lowered);
    writing.finish(input, &report, (module.words(), lowered.module.words()), &beside)
}

/// The stages that write or read distances.
const STAGES: [ExecutionModel; 7] = [
    ExecutionModel::VERTEX,
    ExecutionModel::TESSELLATION_CONTROL,
    ExecutionModel::TESSELLATION_EVALUATION,
    ExecutionModel::GEOMETRY,
    ExecutionModel::MESH_EXT,
    ExecutionModel::MESH_NV,
    ExecutionModel::FRAGMENT,
];

/// Returns the requested entry point, or the only entry point of a supported stage.
pub(super) fn only_entry(
    input: &Input,
    module: &Module<'_>,
) -> Result<(String, ExecutionModel), Failure> {
    stage::only_entry(input, module, &STAGES)
}

impl Rewrite {
    /// Rejects options that have no effect, and reads the file of semantics.
    pub(super) fn check(&self) -> Result<Semantics, Failure> {
        let registers = self.to == Some(Form::Registers);
        let location = [("--location", self.location.is_some() && !registers && !self.exact.exact)];
        Failure::of_unused(&location, "without --to registers or --exact")?;
        let rearranged = !matches!(self.to, None | Some(Form::Arrays));
        let has_signature = rearranged || self.emulate.is_some() || self.location.is_some();
        let unused = [("--signature", self.signature.is_some() && !has_signature)];
        let without =
            "without --emulate, --exact with --location, or --to registers, combined or separate";
        Failure::of_unused(&unused, without)?;
        let lacking = match self.to {
            Some(Form::Registers) if self.location.is_none() => "--to registers needs --location",
            Some(Form::Separate) if self.signature.is_none() => "--to separate needs --signature",
            _ => return self.semantics.as_deref().map_or(Ok(Semantics::default()), read_semantics),
        };
        Err(Failure::usage(lacking))
    }

    /// Rejects options that need another option in this stage.
    pub(super) fn check_stage(&self, model: ExecutionModel) -> Done {
        let is_fragment = model == ExecutionModel::FRAGMENT;
        if self.emulate.is_some() && is_fragment && self.signature.is_none() {
            return Err(Failure::usage("--emulate in a fragment stage needs --signature"));
        }
        if !self.native.is_empty() && self.emulate.is_none() && !self.exact.exact {
            return Err(Failure::usage("--native needs --emulate or --exact"));
        }
        self.exact.check_stage(model, self.location)
    }

    /// Runs the requested steps.
    pub(super) fn lower<'m>(
        &self,
        module: &'m Module<'_>,
        (entry, model): (&str, ExecutionModel),
        listed: &Semantics,
    ) -> Result<Lowered<'m, Clipped>, Error> {
        clip_cull::lower(module, self.target(entry, model), &self.options(listed, model))
    }

    /// Returns the requested steps. Registers become built-in arrays first.
    fn options(&self, listed: &Semantics, model: ExecutionModel) -> clip_cull::Options {
        let mut steps = vec![Step::Normalize(self.normalize(listed))];
        steps.extend(self.user_planes().map(Step::UserPlanes));
        steps.extend(self.mask());
        let (emulated, signature) = (self.emulated(), self.signature);
        if let Some(location) = self.emulate {
            steps.push(Step::Emulate { emulated, location, inputs: None, signature });
        }
        if self.exact.exact {
            let clip = self.exact.clip(emulated, model, (self.location, signature));
            steps.push(Step::ClipInGeometry(clip));
        }
        // Convert the form in the last step.
        let clip = signature.map(|counts| counts.clip);
        match self.to {
            None | Some(Form::Arrays) => {}
            Some(Form::Combined) => steps.push(Step::Combine { clip }),
            Some(Form::Separate) => {
                let clip = clip.expect("the options are checked first");
                steps.push(Step::Separate { clip });
            }
            Some(Form::Registers) => {
                let at = self.location.expect("the options are checked first");
                steps.push(Step::ToRegisters(Registers { inputs: at, outputs: at, signature }));
            }
        }
        steps.into()
    }

    fn target(&self, entry: &str, model: ExecutionModel) -> Target {
        let mut device = Device::default();
        device.max_clip_distances = self.max_clip;
        device.max_cull_distances = self.max_cull;
        device.max_combined_distances = self.max_combined;
        self.exact.limit(&mut device);
        self.free.target(entry, model).device(device)
    }

    /// Returns the distances to emulate. A device with only cull distances counts as having neither kind, because no
    /// such device is known.
    fn emulated(&self) -> Emulated {
        if self.native.contains(&DistanceKind::Clip) { Emulated::Cull } else { Emulated::All }
    }

    fn user_planes(&self) -> Option<UserPlanes> {
        let vertex = self.planes_in.and_then(|Space(location)| location);
        Some(UserPlanes { count: self.planes?, params: self.planes_at?, vertex })
    }

    fn mask(&self) -> Option<Step> {
        let keep_original_at = self.keep_original_at;
        self.enable.map(|enabled| Step::Mask { enabled, keep_original_at })
    }

    /// Whether the conversion of registers to built-in arrays counts as a step.
    fn asks_for_arrays(&self) -> bool {
        let takes_steps = self.planes.is_some() || self.enable.is_some();
        let has_form = self.emulate.is_some() || self.exact.exact || self.to.is_some();
        self.to == Some(Form::Arrays) || !takes_steps && !has_form
    }

    fn normalize(&self, listed: &Semantics) -> Normalize {
        let mut options = Normalize::default();
        options.user_semantics = !self.no_semantics;
        options.inputs = all(&self.inputs, &listed.inputs);
        options.outputs = all(&self.outputs, &listed.outputs);
        options.linked_inputs = linked(&self.linked_inputs, &listed.linked_inputs);
        options.linked_outputs = linked(&self.linked_outputs, &listed.linked_outputs);
        options
    }

    /// Returns these options in the form that `verify` takes, with the semantics of a file.
    pub(super) fn verified(&self, listed: &Semantics, model: ExecutionModel) -> ClipSteps {
        let takes_steps = self.planes.is_some() || self.enable.is_some();
        let location = self.location.unwrap_or(0);
        let native_clip = self.native.contains(&DistanceKind::Clip);
        let form = match (self.emulate, self.to) {
            (Some(location), _) => polyshade_verify::ClipForm::Emulated { location, native_clip },
            _ if self.exact.exact => self.exact.form(self.location, native_clip),
            (None, None) if takes_steps => polyshade_verify::ClipForm::Kept,
            (None, None | Some(Form::Arrays)) => polyshade_verify::ClipForm::Arrays,
            (None, Some(Form::Registers)) => polyshade_verify::ClipForm::Registers { location },
            (None, Some(Form::Combined)) => polyshade_verify::ClipForm::Combined,
            (None, Some(Form::Separate)) => polyshade_verify::ClipForm::Separate,
        };
        // A vertex stage emulates the distances that it writes, regardless of the signature.
        let is_kept = model == ExecutionModel::VERTEX && self.emulate.is_some();
        let counts =
            self.signature.filter(|_| !is_kept).map(|DistanceCounts { clip, cull }| [clip, cull]);
        ClipSteps {
            planes: self.user_planes(),
            mask: self.enable.map(|enabled| (enabled, self.keep_original_at)),
            form,
            inputs: DistanceSemantics {
                semantics: all(&self.inputs, &listed.inputs),
                linked: linked(&self.linked_inputs, &listed.linked_inputs),
            },
            outputs: DistanceSemantics {
                semantics: all(&self.outputs, &listed.outputs),
                linked: linked(&self.linked_outputs, &listed.linked_outputs),
            },
            user_semantics: !self.no_semantics,
            counts,
        }
    }
}

/// Concatenates the semantics of both lists.
fn all(own: &[DistanceSemantic], listed: &[DistanceSemantic]) -> Vec<DistanceSemantic> {
    [own, listed].concat()
}

/// Concatenates the linked semantics of both lists, or returns `None` if both are empty.
fn linked(own: &[DistanceSemantic], listed: &[DistanceSemantic]) -> Option<Vec<DistanceSemantic>> {
    Some(all(own, listed)).filter(|all| !all.is_empty())
}
