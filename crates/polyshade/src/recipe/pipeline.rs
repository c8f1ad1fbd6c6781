//! The stages of a pipeline while the lowerings of a recipe are applied.

mod distances;

use super::{Capture, Made, Recipe};
use crate::advanced_blend;
use crate::clip_cull::{self, Normalize, Runs, Step as ClipStep};
use crate::code;
use crate::host::{Feature, HostParams, Lowered, Requirements, Reserved, Target};
use crate::rewrite::{self, DceOptions, Stages};
use crate::transform_feedback;
use crate::vertex_pulling;
use crate::{clip_space, position_only, rasterizer_discard};
use polyshade_spv::view::{EntryPoint, Mode};
use polyshade_spv::{
    Error, ExecutionModel, Module, Progress, Section, Step as FailedStep, StorageClass,
};
use std::collections::BTreeMap;

/// The end of the locations that are searched. No device has more (`maxVertexOutputComponents` and similar limits).
const END_OF_LOCATIONS: u32 = 1024;

pub(super) struct Pipeline<'m> {
    stages: Vec<Stage<'m>>,
    /// The index of the last stage before rasterization.
    last: Option<usize>,
    fragment: Option<usize>,
    /// The resources that lowerings added to any stage.
    added: Reserved,
}

struct Stage<'m> {
    given: &'m Module<'m>,
    target: Target,
    model: ExecutionModel,
    /// The descriptors, push constants and specialization constants of the shader itself.
    own: Reserved,
    /// The locations of the shader's inputs.
    inputs: Reserved,
    lowered: Lowered<'m, Made>,
}

impl<'m> Pipeline<'m> {
    pub(super) fn new(given: &[(&'m Module<'_>, Target)]) -> Result<Self, Error> {
        let stages = given.iter().map(|(module, target)| Stage::new(module, target));
        let stages: Vec<Stage<'m>> = stages.collect::<Result<_, _>>()?;
        Stages::check_order(stages.iter().map(|stage| stage.model))?;
        let fragment = stages.iter().position(|stage| stage.model == ExecutionModel::FRAGMENT);
        let others = [ExecutionModel::FRAGMENT, ExecutionModel::TASK_NV, ExecutionModel::TASK_EXT];
        let last = stages.iter().rposition(|stage| !others.contains(&stage.model));
        Ok(Self { stages, last, fragment, added: Reserved::new() })
    }

    /// Fails for recipes that do not fit the stages of this pipeline.
    pub(super) fn check(&self, recipe: &Recipe) -> Result<(), Error> {
        let missing = |field: &str, stage: &str| {
            let message = format!("{field}: the pipeline has no {stage}");
            Err(Error::new(&code::PIPELINE_MISSING_STAGE, message))
        };
        // Every field of the recipe needs a stage to change.
        let of_last = [
            ("capture", recipe.capture.is_some()),
            ("planes", recipe.planes.is_some()),
            ("masks", recipe.masks.is_some()),
            ("position_only", recipe.position_only.is_some()),
            ("emulate", recipe.emulate.is_some()),
            ("clip_space", recipe.clip_space.is_some()),
            ("rasterizer_discard", recipe.rasterizer_discard.is_some()),
        ];
        let of_fragment =
            [("emulate", recipe.emulate.is_some()), ("blend", recipe.blend.is_some())];
        let wanted = |fields: &[(&'static str, bool)]| {
            fields.iter().find(|(_, is_wanted)| *is_wanted).map(|(field, _)| *field)
        };
        if let (None, Some(field)) = (self.last, wanted(&of_last)) {
            return missing(field, "stage before rasterization");
        }
        if let (None, Some(field)) = (self.fragment, wanted(&of_fragment)) {
            return missing(field, "fragment stage");
        }
        if recipe.vertex_pulling.is_some() && self.vertex().is_none() {
            return missing("vertex_pulling", "vertex stage");
        }
        // Options must not contradict each other or the stages.
        if recipe.position_only.is_some() && !recipe.is_rasterized() {
            let message = "position_only: the capture-only variant is not rasterized";
            return Err(Error::new(&code::PIPELINE_NOT_RASTERIZED, message));
        }
        let there = |model: &&ExecutionModel| self.stages.iter().any(|one| one.model == **model);
        match recipe.normalize.iter().flat_map(BTreeMap::keys).find(|model| !there(model)) {
            Some(model) => missing("normalize", &format!("{model} stage")),
            None => Ok(()),
        }
    }

    fn vertex(&self) -> Option<usize> {
        self.stages.iter().position(|stage| stage.model == ExecutionModel::VERTEX)
    }

    pub(super) fn pull(
        &mut self,
        options: &vertex_pulling::Options,
        recipe: &Recipe,
    ) -> Result<(), Error> {
        let Some(vertex) = self.vertex() else { return Ok(()) };
        self.added = recipe.descriptors(self.colours()?);
        if let Some(Capture::Storage { options: capture, .. }) = &recipe.capture
            && !options.are_placed()
        {
            self.added = std::mem::take(&mut self.added).join(&capture.reserved());
        }
        let made = self.step(vertex, "vertex_pulling", |m, target| {
            vertex_pulling::lower(m, target, options)
        })?;
        self.made(vertex).pulled = Some(made);
        let needs = &self.stages[vertex].lowered.requirements;
        self.added = reserve(Reserved::new(), needs);
        Ok(())
    }

    pub(super) fn capture(&mut self, capture: &Capture, recipe: &Recipe) -> Result<(), Error> {
        let Some(last) = self.last else { return Ok(()) };
        let field = "capture";
        let (variant, options) = match capture {
            Capture::Storage { variant, options } => (*variant, options),
            Capture::Extension(options) => {
                let made = self.step(last, field, |m, target| {
                    transform_feedback::decorate(m, target, options)
                })?;
                self.made(last).decorated = Some(made);
                return Ok(());
            }
        };
        let before = std::mem::take(&mut self.added);
        self.added = before.clone().join(&recipe.descriptors(self.colours()?));
        // An attribute that holds the address of the vertex-pulling parameters has the same value for all vertices.
        let constant = self.stages[last].lowered.params.iter().filter_map(HostParams::location);
        let options = options.clone().constant_attributes(constant);
        let mut needs = Requirements::default();
        let made = self.step(last, field, |m, target| {
            let prepared = transform_feedback::prepare(m, target, &options)?;
            needs = prepared.requirements().clone();
            prepared.variant(variant)
        })?;
        self.made(last).stored = Some(made);
        self.stages[last].capture_in_compute();
        // All variants of a draw share one pipeline layout, so every variant reserves the descriptors of the capture.
        self.added = reserve(before, &needs);
        Ok(())
    }

    /// The locations of the fragment stage's outputs.
    fn colours(&self) -> Result<Vec<u32>, Error> {
        let Some(fragment) = self.fragment else { return Ok(Vec::new()) };
        let Stage { given, target, model, .. } = &self.stages[fragment];
        let entry = given.entry_point(target.entry_name(), *model)?;
        Ok(locations(given, entry, StorageClass::OUTPUT))
    }

    pub(super) fn normalize(
        &mut self,
        options: &BTreeMap<ExecutionModel, Normalize>,
        recipe: &Recipe,
    ) -> Result<(), Error> {
        let has_distances = |(number, stage): &(usize, &Stage<'_>)| {
            !matches!(stage.model, ExecutionModel::TASK_NV | ExecutionModel::TASK_EXT)
                && (recipe.is_rasterized() || Some(*number) != self.last)
        };
        let stages = self.stages.iter().enumerate().filter(has_distances);
        let (numbers, stages): (Vec<usize>, Vec<_>) = stages
            .map(|(number, stage)| {
                let own = options.get(&stage.model).cloned().unwrap_or_default();
                (number, (&stage.lowered.module, self.target(number), own))
            })
            .unzip();
        let normalized =
            clip_cull::normalize_pipeline(&stages).map_err(|error| match numbers[..] {
                [only] => self.about(only, "normalize", &error),
                // The error does not say which stage it concerns.
                _ => named("normalize", &error),
            })?;
        let steps: Vec<Step<_>> = normalized.into_iter().map(Step::of).collect();
        for (number, step) in numbers.into_iter().zip(steps) {
            let made = self.keep(number, step);
            self.made(number).normalized = Some(made);
        }
        Ok(())
    }

    /// Applies the lowerings of distances. The reduction comes between masking and emulation, because it recognizes
    /// the outputs that determine coverage by their built-in arrays.
    pub(super) fn clip(&mut self, recipe: &Recipe) -> Result<(), Error> {
        let Some(last) = self.last else { return Ok(()) };
        if let Some(planes) = recipe.planes {
            let made = self.clip_step(last, "planes", ClipStep::UserPlanes(planes))?;
            self.made(last).planes = Some(made);
        }
        if let Some(masks) = recipe.masks {
            self.mask(last, masks)?;
        }
        if let Some(options) = &recipe.position_only {
            self.step(last, "position_only", |m, target| position_only::lower(m, target, options))?;
        }
        match (recipe.emulate, self.fragment) {
            (Some(emulate), Some(fragment)) => {
                let blend = recipe.blend.as_ref();
                let runs = match blend.is_some_and(advanced_blend::Options::is_multisampled) {
                    true => Runs::ForEachSample,
                    false => Runs::AsItIs,
                };
                self.emulate(last, fragment, emulate, runs)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn change_position(&mut self, recipe: &Recipe) -> Result<(), Error> {
        let Some(last) = self.last else { return Ok(()) };
        if let Some(options) = &recipe.clip_space {
            let made =
                self.step(last, "clip_space", |m, target| clip_space::lower(m, target, options))?;
            self.made(last).clip_space = Some(made);
        }
        if let Some(options) = &recipe.rasterizer_discard {
            let made = self.step(last, "rasterizer_discard", |m, target| {
                rasterizer_discard::lower(m, target, options)
            })?;
            self.made(last).rasterizer_discard = Some(made);
        }
        Ok(())
    }

    pub(super) fn blend(&mut self, options: &advanced_blend::Options) -> Result<(), Error> {
        let Some(fragment) = self.fragment else { return Ok(()) };
        let made =
            self.step(fragment, "blend", |m, target| advanced_blend::lower(m, target, options))?;
        self.made(fragment).blended = Some(made);
        Ok(())
    }

    pub(super) fn finish(self) -> Vec<Lowered<'m, Made>> {
        self.stages.into_iter().map(|stage| stage.lowered).collect()
    }

    /// Applies one lowering to the current version of a stage, with its current target, and keeps the result.
    fn step<T>(
        &mut self,
        number: usize,
        field: &'static str,
        lower: impl for<'v> FnOnce(&'v Module<'_>, Target) -> Result<Lowered<'v, T>, Error>,
    ) -> Result<T, Error> {
        let lowered = lower(&self.stages[number].lowered.module, self.target(number));
        let step = Step::of(lowered.map_err(|error| self.about(number, field, &error))?);
        Ok(self.keep(number, step))
    }

    fn keep<T>(&mut self, number: usize, step: Step<T>) -> T {
        let Step { module, words, requirements, result } = step;
        self.added = reserve(std::mem::take(&mut self.added), &requirements);
        let lowered = &mut self.stages[number].lowered;
        if let Some(module) = module {
            (lowered.module, lowered.progress) = (module, Progress::Changed);
        }
        lowered.params.extend(words);
        lowered.requirements = std::mem::take(&mut lowered.requirements).join(requirements);
        result
    }

    fn made(&mut self, number: usize) -> &mut Made {
        &mut self.stages[number].lowered.result
    }

    /// Returns the target of a stage. It reserves the resources of the other stages and of earlier steps.
    fn target(&self, number: usize) -> Target {
        let target = &self.stages[number].target;
        let others = self.stages.iter().enumerate().filter(|(other, _)| *other != number);
        let mut reserved = target.reservations().clone().join(&self.added);
        for (_, other) in others {
            reserved = reserved.join(&other.own);
        }
        if let Some(next) = self.stages.get(number + 1) {
            reserved = reserved.join(&next.inputs);
        }
        target.clone().reserved(reserved)
    }

    /// Adds the names of the field and the stage to the error. Removes an id or word offset that the original module
    /// does not have.
    fn about(&self, number: usize, field: &'static str, error: &Error) -> Error {
        let Stage { given, model, lowered, .. } = &self.stages[number];
        let named = named(&format!("{field}, {model} stage"), error)
            .in_step(FailedStep { field, stage: *model });
        let id = error.id().filter(|id| given.defined_at(*id).is_some());
        let named = id.into_iter().fold(named, Error::about);
        let at = error.word_offset().filter(|_| !lowered.is_changed());
        at.into_iter().fold(named, Error::at)
    }
}

/// Returns the error with `name` before its message and without id and word offset.
fn named(name: &str, error: &Error) -> Error {
    let named = Error::new(error.code(), format!("{name}: {}", error.message()));
    error.suggestion().into_iter().fold(named, Error::help)
}

/// The result of applying one lowering to one stage.
struct Step<T> {
    /// `None` if the lowering did not change the module.
    module: Option<Module<'static>>,
    words: Vec<HostParams>,
    requirements: Requirements,
    result: T,
}

impl<T> Step<T> {
    fn of(lowered: Lowered<'_, T>) -> Self {
        let module = lowered.is_changed().then(|| lowered.module.into_owned());
        let Lowered { params, requirements, result, .. } = lowered;
        Self { module, words: params, requirements, result }
    }
}

impl<'m> Stage<'m> {
    fn new(module: &'m Module<'_>, target: &Target) -> Result<Self, Error> {
        let entry = Stages::GRAPHICS.entry_point(module, target)?;
        let inputs = locations(module, entry, StorageClass::INPUT);
        let mut lowered = Lowered::unchanged(module, Made::default());
        if module.entry_points().len() > 1 {
            (lowered.module, lowered.progress) = (alone(module, entry)?, Progress::Changed);
        }
        Ok(Self {
            given: module,
            target: target.clone().stage(entry.model()),
            model: entry.model(),
            own: rewrite::resources_of(module, entry),
            inputs: inputs.into_iter().fold(Reserved::new(), Reserved::location),
            lowered,
        })
    }

    /// Corrects the requirements if a capture turned this stage into a compute stage. The bindings move to the
    /// compute stage, and host parameters replace the built-ins of a draw.
    fn capture_in_compute(&mut self) {
        let Lowered { module, requirements, .. } = &mut self.lowered;
        let is_compute = |entry: EntryPoint<'_>| entry.model() == ExecutionModel::GL_COMPUTE;
        if module.entry_points().any(is_compute) {
            let bound = requirements.descriptors.iter_mut();
            bound.for_each(|one| one.stage = ExecutionModel::GL_COMPUTE);
            requirements.features.retain(|feature| *feature != Feature::ShaderDrawParameters);
        }
    }
}

/// Returns the module with `entry` as its only entry point. Other entry points may need capabilities that a lowering
/// removes.
fn alone(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Module<'static>, Error> {
    let next = m.rewrite(|m, p| {
        for other in m.entry_points().filter(|other| other.inst().at() != entry.inst().at()) {
            p.remove(other.inst());
        }
        let modes = m.section(Section::ExecutionModes).filter_map(Mode::of);
        for mode in modes.filter(|mode| mode.entry_point() != entry.function()) {
            p.remove(mode.inst());
        }
        Ok(())
    })?;
    Ok(rewrite::dce(&next.module, &DceOptions::of_unreached())?.module.into_owned())
}

/// Adds the resources in `needs` to `reserved`.
fn reserve(reserved: Reserved, needs: &Requirements) -> Reserved {
    let bound = needs.descriptors.iter();
    let reserved = bound.fold(reserved, |reserved, one| reserved.binding(one.set, one.binding));
    let bytes = needs.push_constants.iter().cloned();
    let reserved = bytes.fold(reserved, Reserved::push_constants);
    needs.specialization.iter().cloned().flatten().fold(reserved, Reserved::specialization)
}

/// Returns the locations that the inputs or outputs of a stage use, as `class` selects.
fn locations(m: &Module<'_>, entry: EntryPoint<'_>, class: StorageClass) -> Vec<u32> {
    let taken = rewrite::locations(m, entry, class).into_iter();
    taken.flat_map(|range| range.start..range.end.min(END_OF_LOCATIONS)).collect()
}
