//! Calls that lower a module or the stages of a pipeline.

use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi;
use crate::module::polyshade_module;
use crate::options::{
    Asked, Kind, POLYSHADE_OPTIONS_RECIPE, Storage, polyshade_options, read, variant_bit,
};
use crate::result::{Output, Report, polyshade_result};
use crate::target::{self, polyshade_target};
use polyshade::advanced_blend::ColorBlend;
use polyshade::clip_cull::Clipped;
use polyshade::host::{Changed, Lowered, Target};
use polyshade::recipe::{self, Made};
use polyshade::transform_feedback::{self, Decorated, Layout};
use polyshade::vertex_pulling::Pulled;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A stage of a pipeline. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_stage {
    pub module: *const polyshade_module,
    /// The target; NULL means the entry point `main`.
    pub target: *const polyshade_target,
}

/// The largest number of stages of a pipeline.
const MAX_STAGES: usize = 16;

/// Lowers one stage. `options` points to the `base` of a struct of options; a recipe is allowed. `target` may be
/// NULL. The caller must release `*result`, which is NULL if the call fails and does not depend on `module`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_lower(
    module: *const polyshade_module,
    target: *const polyshade_target,
    options: *const polyshade_options,
    result: *mut *mut polyshade_result,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        lower_module((module, target, options), result, |frame, asked| frame.lower(asked))
    })
}

/// Reads the arguments of a function that lowers one module, and writes the outputs that `lower` makes to `*result`.
pub(crate) fn lower_module(
    (module, target, options): (
        *const polyshade_module,
        *const polyshade_target,
        *const polyshade_options,
    ),
    result: *mut *mut polyshade_result,
    lower: impl FnOnce(&Frame<'_>, &Asked) -> Result<Vec<Output>, Failure>,
) -> Result<(), Failure> {
    ffi::clear_out(result, "result")?;
    let module = ffi::share(module, "module")?;
    let (target, asked) = (target::read(target)?, read(options)?);
    let frame = Frame { given: &module, target: &target, kind: asked.kind() };
    let outputs = lower(&frame, &asked)?;
    ffi::hand_out(result, Arc::new(polyshade_result { outputs }));
    Ok(())
}

/// Lowers the stages of a pipeline, in pipeline order, by a recipe: one output for each stage. The caller must
/// release `*result`, which is NULL if the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_lower_pipeline(
    stages: *const polyshade_stage,
    stage_count: usize,
    options: *const polyshade_options,
    result: *mut *mut polyshade_result,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::clear_out(result, "result")?;
        if stage_count > MAX_STAGES {
            let message = format!("{stage_count} stages are more than {MAX_STAGES}");
            return Err(Failure::argument(message));
        }
        // The modules stay alive while they are lowered, because each stage takes a reference.
        let stages = ffi::slice(stages, stage_count, "stages")?.iter().map(|stage| {
            Ok((ffi::share(stage.module, "the module of a stage")?, target::read(stage.target)?))
        });
        let stages = stages.collect::<Result<Vec<_>, Failure>>()?;
        let asked = read(options)?;
        let Asked::Recipe(recipe) = &asked else {
            let message = format!("a pipeline takes a recipe, not {}", asked.kind().name);
            return Err(Failure::argument(message));
        };
        let outputs = lower_pipeline(&stages, recipe)?;
        ffi::hand_out(result, Arc::new(polyshade_result { outputs }));
        Ok(())
    })
}

/// The input module, the target, and the kind of lowering.
pub(crate) struct Frame<'g> {
    pub(crate) given: &'g Arc<polyshade_module>,
    pub(crate) target: &'g Target,
    pub(crate) kind: &'static Kind,
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
            params: lowered.params,
            requirements: lowered.requirements,
            result: result.expect("all keys are strings"),
        })
    }

    fn capture(&self, storage: &Storage) -> Result<Vec<Output>, Failure> {
        let m = &self.given.module;
        let prepared = transform_feedback::prepare(m, self.target, &storage.options)?;
        let made = storage.variants.iter().map(|variant| {
            let lowered = prepared.variant(*variant)?;
            Ok(self.with_layout(lowered).variant(variant_bit(*variant)))
        });
        made.collect()
    }

    /// Returns the output of a lowering whose result is a layout.
    pub(crate) fn with_layout(&self, lowered: Lowered<'_, Layout>) -> Output {
        let layout = lowered.result.clone();
        self.output(lowered).layout(layout)
    }
}

macro_rules! lower {
    ($($Name:ident($number:literal, $name:literal, $verb:literal, $version:expr)
        $Options:ty => $lower:expr, $page:literal;)*) => {
        impl Frame<'_> {
            /// Lowers one stage to one output or several.
            fn lower(&self, asked: &Asked) -> Result<Vec<Output>, Failure> {
                let (m, target) = (&self.given.module, self.target);
                match asked {
                    Asked::CaptureStorage(storage) => self.capture(storage),
                    $(Asked::$Name(options) => {
                        Ok(Outcome::outputs($lower(m, target, options)?, self))
                    })*
                    Asked::Recipe(recipe) => {
                        lower_pipeline(&[(self.given.clone(), target.clone())], recipe)
                    }
                    Asked::Tessellation(_) => Err(Failure::argument(
                        "tessellation has several steps: call polyshade_lower_tessellation",
                    )),
                }
            }
        }
    };
}

polyshade::lowerings!(lower);

/// A result of a lowering of one stage, which becomes outputs.
trait Outcome: Sized {
    fn outputs(lowered: Lowered<'_, Self>, frame: &Frame<'_>) -> Vec<Output>;
}

macro_rules! one_output {
    ($($Result:ty),*) => {
        $(impl Outcome for $Result {
            fn outputs(lowered: Lowered<'_, Self>, frame: &Frame<'_>) -> Vec<Output> {
                vec![frame.output(lowered)]
            }
        })*
    };
}

one_output!((), Pulled, BTreeMap<u32, ColorBlend>);

impl Outcome for Decorated {
    fn outputs(lowered: Lowered<'_, Self>, frame: &Frame<'_>) -> Vec<Output> {
        let layout = lowered.result.layout.clone();
        vec![frame.output(lowered).layout(layout)]
    }
}

impl Outcome for Changed {
    fn outputs(lowered: Lowered<'_, Self>, frame: &Frame<'_>) -> Vec<Output> {
        let location = lowered.result.location;
        vec![frame.output(lowered).location(location)]
    }
}

/// Returns the stage, and a geometry stage that was generated after it.
impl Outcome for Clipped {
    fn outputs(lowered: Lowered<'_, Self>, frame: &Frame<'_>) -> Vec<Output> {
        let mut geometry = None;
        let stage = lowered.map(|clipped| {
            geometry = clipped.geometry;
            clipped.distances
        });
        let stage = frame.output(stage);
        let target = Target::new("main");
        let after = Frame { target: &target, ..*frame };
        std::iter::once(stage).chain(geometry.map(|made| after.output(*made))).collect()
    }
}

fn lower_pipeline(
    stages: &[(Arc<polyshade_module>, Target)],
    recipe: &recipe::Recipe,
) -> Result<Vec<Output>, Failure> {
    let kind = Kind::of(POLYSHADE_OPTIONS_RECIPE)?;
    let given = stages.iter().map(|(module, target)| (&module.module, target.clone()));
    let lowered = recipe::lower(&given.collect::<Vec<_>>(), recipe)?;
    let outputs = stages.iter().zip(lowered).map(|((given, target), lowered)| {
        let Made { stored, decorated, .. } = &lowered.result;
        let layout = stored.clone().or_else(|| Some(decorated.as_ref()?.layout.clone()));
        let location =
            [lowered.result.clip_space, lowered.result.rasterizer_discard].into_iter().flatten();
        let location = location.filter_map(|changed| changed.location).next_back();
        let output = Frame { given, target, kind }.output(lowered).location(location);
        layout.into_iter().fold(output, Output::layout)
    });
    Ok(outputs.collect())
}
