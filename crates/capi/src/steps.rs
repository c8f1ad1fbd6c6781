//! Calls that lower the steps of a captured geometry stage and of tessellation.
//!
//! Each step makes one stage. The steps of a shader have the same options, and take the layout of the stage before it.

use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi;
use crate::layout::polyshade_layout;
use crate::lower::{Frame, lower_module};
use crate::module::polyshade_module;
use crate::options::{Asked, Storage, Tessellation, polyshade_options};
use crate::place::check_flags;
use crate::result::{Output, polyshade_result};
use crate::target::polyshade_target;
use polyshade::host::{Lowered, Target};
use polyshade::transform_feedback::{Layout, Options, geometry, tessellation};
use polyshade::{Error, Module};

/// The vertex stage of the draws of the steps `COUNT` and `CAPTURE`, unless these are compute stages. It takes the
/// vertex shader and no layout, and is requested without other steps.
pub const POLYSHADE_GEOMETRY_VERTEX: u32 = 1;
/// The stage that counts the emitted primitives.
pub const POLYSHADE_GEOMETRY_COUNT: u32 = 2;
/// The compute stage that sums the counts: one work group.
pub const POLYSHADE_GEOMETRY_SUM: u32 = 4;
/// The stage that stores the emitted primitives.
pub const POLYSHADE_GEOMETRY_CAPTURE: u32 = 8;
/// The vertex stage that draws the emitted primitives; needs `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
pub const POLYSHADE_GEOMETRY_RASTER: u32 = 16;

/// The compute stage that runs the control shader: one work group for each patch. It takes the control shader and the
/// layout of the vertex stage, and is requested without other steps.
pub const POLYSHADE_TESSELLATION_CONTROL: u32 = 1;
/// The compute stage that computes the places of the points and indices of each patch: one work group.
pub const POLYSHADE_TESSELLATION_ALLOCATE: u32 = 2;
/// The compute stage that stores points and indices: one work group for each patch.
pub const POLYSHADE_TESSELLATION_TESSELLATE: u32 = 4;
/// The evaluation shader as a vertex stage.
pub const POLYSHADE_TESSELLATION_EVALUATION: u32 = 8;

/// The lowering of a step that takes the layout of another stage.
type LowerStep =
    for<'m> fn(&'m Module<'_>, Target, &Layout, &Options) -> Result<Lowered<'m, Layout>, Error>;

const GEOMETRY: [(u32, LowerStep); 4] = [
    (POLYSHADE_GEOMETRY_COUNT, geometry::count),
    (POLYSHADE_GEOMETRY_SUM, geometry::sum),
    (POLYSHADE_GEOMETRY_CAPTURE, geometry::capture),
    (POLYSHADE_GEOMETRY_RASTER, geometry::raster),
];

const TESSELLATION: [(u32, LowerStep); 3] = [
    (POLYSHADE_TESSELLATION_ALLOCATE, tessellation::allocate),
    (POLYSHADE_TESSELLATION_TESSELLATE, tessellation::tessellate),
    (POLYSHADE_TESSELLATION_EVALUATION, tessellation::evaluation),
];

/// Lowers a geometry stage that is captured after a vertex stage. `steps` are `POLYSHADE_GEOMETRY_…`, added up: one
/// output for each, in the order of their values. `options` are of the kind `POLYSHADE_OPTIONS_CAPTURE_STORAGE`; with
/// `POLYSHADE_CAPTURE_COMPUTE`, the steps `COUNT`, `SUM` and `CAPTURE` are compute stages. `before` is the layout of
/// the vertex stage: of `POLYSHADE_GEOMETRY_VERTEX`, or before compute stages of a capture of the vertex shader with
/// `POLYSHADE_CAPTURE_COMPUTE` and `POLYSHADE_CAPTURE_SPILL_OUTPUTS`. The steps `COUNT` and `SUM` fail with
/// `POLYSHADE_ERROR_OPTIONS` if no counts are needed (`needs_counts` in the layout of `CAPTURE`). The caller must
/// release `*result`, which is NULL if the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_lower_geometry(
    module: *const polyshade_module,
    target: *const polyshade_target,
    steps: u32,
    before: *const polyshade_layout,
    options: *const polyshade_options,
    result: *mut *mut polyshade_result,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        lower_module((module, target, options), result, |frame, asked| {
            let Asked::CaptureStorage(storage) = asked else {
                let message = format!(
                    "a geometry stage takes options of a capture into storage buffers, not of {}",
                    asked.kind().name
                );
                return Err(Failure::argument(message));
            };
            frame.geometry(steps, before, storage)
        })
    })
}

/// Lowers tessellation to compute stages and a vertex stage. `steps` are `POLYSHADE_TESSELLATION_…`, added up: one
/// output for each, in the order of their values. `POLYSHADE_TESSELLATION_CONTROL` takes the control shader, and
/// `before` is the layout of a capture of the vertex shader with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`. The other steps
/// take the evaluation shader, and `before` is the layout of the control stage. `options` are of the kind
/// `POLYSHADE_OPTIONS_TESSELLATION`. The caller must release `*result`, which is NULL if the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_lower_tessellation(
    module: *const polyshade_module,
    target: *const polyshade_target,
    steps: u32,
    before: *const polyshade_layout,
    options: *const polyshade_options,
    result: *mut *mut polyshade_result,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        lower_module((module, target, options), result, |frame, asked| {
            let Asked::Tessellation(options) = asked else {
                let kind = asked.kind().name;
                let message = format!("tessellation takes its own options, not those of {kind}");
                return Err(Failure::argument(message));
            };
            frame.tessellation(steps, before, options)
        })
    })
}

impl Frame<'_> {
    fn geometry(
        &self,
        steps: u32,
        before: *const polyshade_layout,
        storage: &Storage,
    ) -> Result<Vec<Output>, Failure> {
        check_steps(steps, POLYSHADE_GEOMETRY_VERTEX, &GEOMETRY)?;
        if storage.variants != Storage::default().variants {
            return Err(Failure::argument("a geometry stage has steps instead of variants"));
        }
        if steps != POLYSHADE_GEOMETRY_VERTEX {
            let before = &ffi::handle(before, "before")?.layout;
            return self.steps(steps, &GEOMETRY, before, &storage.options);
        }
        if !before.is_null() {
            return Err(Failure::argument("the vertex stage is the first: before must be NULL"));
        }
        let (m, target) = (&self.given.module, self.target.clone());
        let lowered = geometry::vertex(m, target, &storage.options)?;
        Ok(vec![self.with_layout(lowered).step(steps)])
    }

    fn tessellation(
        &self,
        steps: u32,
        before: *const polyshade_layout,
        asked: &Tessellation,
    ) -> Result<Vec<Output>, Failure> {
        check_steps(steps, POLYSHADE_TESSELLATION_CONTROL, &TESSELLATION)?;
        let before = &ffi::handle(before, "before")?.layout;
        let Tessellation { patch_control_points, lower_left_origin, options } = asked;
        if steps == POLYSHADE_TESSELLATION_CONTROL {
            let (m, target) = (&self.given.module, self.target.clone());
            let lowered = tessellation::control(m, target, before, *patch_control_points, options)?;
            return Ok(vec![self.with_layout(lowered).step(steps)]);
        }
        match lower_left_origin {
            true => self.steps(steps, &TESSELLATION, &before.clone().lower_left_origin(), options),
            false => self.steps(steps, &TESSELLATION, before, options),
        }
    }

    /// Lowers the requested steps of `table`.
    fn steps(
        &self,
        steps: u32,
        table: &[(u32, LowerStep)],
        before: &Layout,
        options: &Options,
    ) -> Result<Vec<Output>, Failure> {
        let wanted = table.iter().filter(|(step, _)| steps & step != 0);
        let outputs = wanted.map(|(step, lower)| {
            let lowered = lower(&self.given.module, self.target.clone(), before, options)?;
            Ok(self.with_layout(lowered).step(*step))
        });
        outputs.collect()
    }
}

/// Checks that `steps` is either `first`, which takes another shader than the steps of `table`, or some of these.
fn check_steps(steps: u32, first: u32, table: &[(u32, LowerStep)]) -> Result<(), Failure> {
    let others: u32 = table.iter().map(|(step, _)| step).sum();
    check_flags(steps, first | others, "steps")?;
    if steps == 0 {
        return Err(Failure::argument("steps is 0"));
    }
    if steps & first != 0 && steps != first {
        let message = format!("step {first:#x} takes another shader than the other steps");
        return Err(Failure::argument(message));
    }
    Ok(())
}
