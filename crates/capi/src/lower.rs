//! Lowerings: a module and options in, a result out.

use crate::border;
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::module::polyshade_module;
use crate::options::{Asked, EmulateLast, Kind, polyshade_options, read, variant_bit};
use crate::result::{Output, Report, polyshade_result};
use crate::target::{self, polyshade_target};
use polyshade::clip_cull::Registers;
use polyshade::host::{Changed, Lowered, Target};
use polyshade::recipe::{self, Made};
use polyshade::transform_feedback::Layout;
use polyshade::{
    advanced_blend, clip_cull, depth_convention, position_only, rasterizer_discard,
    transform_feedback, vertex_pulling,
};
use serde::Serialize;
use std::sync::Arc;

/// A stage of a pipeline. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_stage {
    pub module: *const polyshade_module,
    /// NULL is the entry point `main`.
    pub target: *const polyshade_target,
}

/// The most stages of a pipeline.
const MAX_STAGES: usize = 16;

/// Lowers one stage. `options` is the `base` of a struct of options. `*result` has to be released; it is NULL where
/// the call fails. A recipe of one stage is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_lower(
    module: *const polyshade_module,
    target: *const polyshade_target,
    options: *const polyshade_options,
    result: *mut *mut polyshade_result,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        border::clear_out(result, "result")?;
        let module = border::share(module, "module")?;
        let (target, asked) = (target::read(target)?, read(options)?);
        let outputs = lower_one(&module, &target, &asked)?;
        border::hand_out(result, Arc::new(polyshade_result { outputs }));
        Ok(())
    })
}

/// Lowers the stages of a pipeline, in its order, by a recipe: an output each.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_lower_pipeline(
    stages: *const polyshade_stage,
    stage_count: usize,
    options: *const polyshade_options,
    result: *mut *mut polyshade_result,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        border::clear_out(result, "result")?;
        if stage_count > MAX_STAGES {
            let message = format!("{stage_count} stages are more than {MAX_STAGES}");
            return Err(Failure::argument(message));
        }
        let stages = border::slice(stages, stage_count, "stages")?.iter().map(|stage| {
            Ok((border::share(stage.module, "the module of a stage")?, target::read(stage.target)?))
        });
        let stages = stages.collect::<Result<Vec<_>, Failure>>()?;
        let asked = read(options)?;
        let Asked::Recipe(recipe) = &asked else {
            let message = format!("a pipeline takes a recipe, not {}", asked.kind().name());
            return Err(Failure::argument(message));
        };
        let outputs = lower_pipeline(&stages, recipe)?;
        border::hand_out(result, Arc::new(polyshade_result { outputs }));
        Ok(())
    })
}

/// What outputs are made of: the module that was given, the target, and the kind of lowering.
struct Frame<'g> {
    given: &'g Arc<polyshade_module>,
    target: &'g Target,
    kind: Kind,
}

impl Frame<'_> {
    fn output<T: Serialize>(&self, lowered: Lowered<'_, T>) -> Output {
        let module = match lowered.is_changed() {
            true => polyshade_module::new(lowered.module.into_owned()),
            false => self.given.clone(),
        };
        let result = serde_json::to_value(&lowered.result);
        Output::new(Report {
            module,
            is_changed: lowered.progress == polyshade::spv::Progress::Changed,
            kind: self.kind,
            entry: self.target.entry_name().to_owned(),
            words: lowered.words,
            requirements: lowered.requirements,
            result: result.expect("results have no keys but strings"),
        })
    }

    fn with_layout(&self, lowered: Lowered<'_, Layout>, variant: u32) -> Output {
        let layout = lowered.result.clone();
        self.output(lowered).variant(variant).layout(layout)
    }

    fn changed(&self, lowered: Lowered<'_, Changed>) -> Output {
        let location = lowered.result.location;
        self.output(lowered).location(location)
    }
}

fn lower_one(
    given: &Arc<polyshade_module>,
    target: &Target,
    asked: &Asked,
) -> Result<Vec<Output>, Failure> {
    let frame = Frame { given, target, kind: asked.kind() };
    let m = &given.module;
    let output = match asked {
        Asked::Storage(storage) => {
            let prepared = transform_feedback::prepare(m, target, &storage.options)?;
            let made = storage.variants.iter().map(|variant| {
                Ok(frame.with_layout(prepared.variant(*variant)?, variant_bit(*variant)))
            });
            return made.collect();
        }
        Asked::Extension(options) => {
            let lowered = transform_feedback::decorate(m, target, options)?;
            let layout = lowered.result.layout.clone();
            frame.output(lowered).layout(layout)
        }
        Asked::Pulling(options) => frame.output(vertex_pulling::lower(m, target, options)?),
        Asked::PositionOnly(options) => frame.output(position_only::derive(m, target, options)?),
        Asked::PositionComplement(options) => {
            frame.output(position_only::complement(m, target, options)?)
        }
        Asked::PositionFull(options) => frame.output(position_only::full(m, target, options)?),
        Asked::Depth(options) => frame.changed(depth_convention::convert(m, target, options)?),
        Asked::Discard(options) => frame.changed(rasterizer_discard::lower(m, target, options)?),
        Asked::Blend(options) => frame.output(advanced_blend::lower(m, target, options)?),
        Asked::Normalize(options) => frame.output(clip_cull::normalize(m, target, options)?),
        Asked::Enable(asked) => {
            frame.output(clip_cull::enable(m, target, asked.enabled, asked.as_written)?)
        }
        Asked::Planes(planes) => frame.output(clip_cull::user_planes(m, target, *planes)?),
        Asked::Combine(asked) => frame.output(clip_cull::combine(m, target, asked.clip)?),
        Asked::Separate(asked) => frame.output(clip_cull::separate(m, target, asked.clip)?),
        Asked::Registers(options) => frame.output(clip_cull::to_registers(m, target, *options)?),
        Asked::EmulateLast(asked) => {
            let EmulateLast { lacking, location: outputs, inputs, linked } = *asked;
            let registers = Registers { inputs: inputs.unwrap_or(outputs), outputs, linked };
            frame.output(clip_cull::emulate_last(m, target, lacking, registers)?)
        }
        Asked::EmulateFragment(asked) => {
            let (lacking, location, counts) = (asked.lacking, asked.location, asked.counts);
            frame.output(clip_cull::emulate_fragment(m, target, lacking, location, counts)?)
        }
        Asked::Cut(options) => frame.output(clip_cull::cut(m, target, options)?),
        Asked::Generate(asked) => {
            let (primitive, location) = (asked.primitive, asked.location);
            let (stage, made) = clip_cull::generate(m, target, primitive, location, &asked.exact)?;
            let geometry = Target::new("main");
            let behind = Frame { given, target: &geometry, kind: frame.kind };
            let made = made.map(|made| behind.output(made));
            return Ok(std::iter::once(frame.output(stage)).chain(made).collect());
        }
        Asked::Repair(repairs) => frame.output(clip_cull::repair(m, target, repairs)?),
        Asked::Recipe(recipe) => {
            return lower_pipeline(&[(given.clone(), target.clone())], recipe);
        }
    };
    Ok(vec![output])
}

fn lower_pipeline(
    stages: &[(Arc<polyshade_module>, Target)],
    recipe: &recipe::Recipe,
) -> Result<Vec<Output>, Failure> {
    let given = stages.iter().map(|(module, target)| (&module.module, target.clone()));
    let lowered = recipe::lower(&given.collect::<Vec<_>>(), recipe)?;
    let outputs = stages.iter().zip(lowered).map(|((given, target), lowered)| {
        let Made { stored, decorated, .. } = &lowered.result;
        let layout = stored.clone().or_else(|| Some(decorated.as_ref()?.layout.clone()));
        let location = [lowered.result.depth, lowered.result.discard].into_iter().flatten();
        let location = location.filter_map(|changed| changed.location).next_back();
        let frame = Frame { given, target, kind: Kind::Recipe };
        let output = frame.output(lowered).location(location);
        layout.into_iter().fold(output, Output::layout)
    });
    Ok(outputs.collect())
}
