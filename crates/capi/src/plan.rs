//! Plans of draws and of blending: the state is JSON, and the plan is structs, JSON and text.

mod owned;
pub mod step;
pub mod words;

use crate::code;
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, c_text, element, polyshade_status};
use crate::ffi::{self, versioned};
use owned::OwnedStep;
use polyshade_planner::{
    self as planner, BlendingState, Device, DistancePlan, Distances, Draw, Path, Pipeline, Plan,
    Preset, VertexOrder,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ffi::{CString, c_char};
use std::sync::Arc;
use step::polyshade_step;

/// A plan: the steps of a draw, or of blending. It is immutable, and any number of threads may use it at once.
pub struct polyshade_plan {
    json: CString,
    text: CString,
    info: polyshade_plan_info,
    steps: Vec<OwnedStep>,
}

/// Nothing is captured.
pub const POLYSHADE_PATH_NONE: u32 = 0;
/// `VK_EXT_transform_feedback` captures.
pub const POLYSHADE_PATH_EXTENSION: u32 = 1;
/// Variants of the shader that store to buffers capture.
pub const POLYSHADE_PATH_STORAGE: u32 = 2;
/// A compute stage captures.
pub const POLYSHADE_PATH_COMPUTE: u32 = 3;

/// A description of a plan.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_plan_info {
    /// `sizeof(polyshade_plan_info)`
    pub size: u32,
    /// `POLYSHADE_PATH_…`
    pub path: u32,
    /// Whether any vertex of a primitive may be captured first; the winding is preserved.
    pub any_corner_first: u32,
    /// The number of steps; 0 for a plan of blending, which is available only as JSON and text.
    pub step_count: u32,
}

versioned!(polyshade_plan_info, 16);

/// The state of a plan, in the format of `polyshade plan`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    device: Option<Value>,
    pipeline: Option<Pipeline>,
    draw: Option<Draw>,
    distances: Option<Distances>,
    blend: Option<BlendingState>,
}

impl State {
    fn device(&mut self) -> Result<Device, Failure> {
        match self.device.take() {
            None => Err(Failure::new(&code::C_API_STATE, "no device is named")),
            Some(Value::String(name)) => {
                let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
                let none = || format!("unknown preset `{name}`");
                let none = || Failure::new(&code::C_API_STATE, none());
                found.map(Device::from).ok_or_else(none)
            }
            Some(device) => {
                serde_json::from_value(device).map_err(|error| Failure::json("the device", &error))
            }
        }
    }
}

fn plan(mut state: State) -> Result<polyshade_plan, Failure> {
    let device = state.device()?;
    let State { pipeline, draw, distances, blend, .. } = state;
    if let Some(blend) = blend {
        if pipeline.is_some() || draw.is_some() || distances.is_some() {
            let message = "a state describes either a draw or blending, not both";
            return Err(Failure::new(&code::C_API_STATE, message));
        }
        let plan = planner::plan_blending(&device, &blend)?;
        return Ok(made(&device, &plan, None, plan.to_string()));
    }
    let (pipeline, draw) = (pipeline.unwrap_or_default(), draw.unwrap_or_default());
    let plan = planner::plan(&device, &pipeline, &draw)?;
    let distances =
        distances.map(|one| planner::distances(&device, &pipeline, &one)).transpose()?;
    let text = distances.as_ref().map(DistancePlan::to_string).unwrap_or_default();
    let made = made(&device, &plan, distances.as_ref(), format!("{plan}{text}"));
    Ok(polyshade_plan {
        info: describe(&plan),
        steps: plan.steps.iter().map(OwnedStep::new).collect(),
        ..made
    })
}

fn made(
    device: &Device,
    plan: &impl Serialize,
    distances: Option<&DistancePlan>,
    text: String,
) -> polyshade_plan {
    let mut report = json!({ "version": 1, "device": device, "plan": plan });
    if let Some(distances) = distances {
        report["distances"] = json!(distances);
    }
    let info = polyshade_plan_info { path: POLYSHADE_PATH_NONE, ..ffi::zeroed() };
    let (json, text) = (c_text(&report.to_string()), c_text(&text));
    polyshade_plan { json, text, info, steps: Vec::new() }
}

fn describe(plan: &Plan) -> polyshade_plan_info {
    polyshade_plan_info {
        size: 0,
        path: match plan.path {
            None => POLYSHADE_PATH_NONE,
            Some(Path::Extension) => POLYSHADE_PATH_EXTENSION,
            Some(Path::Storage) => POLYSHADE_PATH_STORAGE,
            Some(Path::Compute) => POLYSHADE_PATH_COMPUTE,
        },
        any_corner_first: (plan.vertex_order == VertexOrder::AnyRotation).into(),
        step_count: plan.steps.len() as u32,
    }
}

/// Plans a draw or the blending of attachments. `state` is JSON in the format of `polyshade plan`, with the device.
/// The caller must release `*plan`, which is NULL if the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_plan_make(
    state: *const c_char,
    plan: *mut *mut polyshade_plan,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::clear_out(plan, "plan")?;
        let state = serde_json::from_str(ffi::text(state, "the state")?);
        let state = state.map_err(|error| Failure::json("the state", &error))?;
        ffi::hand_out(plan, Arc::new(self::plan(state)?));
        Ok(())
    })
}

/// Increments the reference count of a plan, and returns the plan. NULL returns NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_plan_retain(plan: *mut polyshade_plan) -> *mut polyshade_plan {
    ffi::retain(plan);
    plan
}

/// Decrements the reference count of a plan, and frees the plan with the last reference. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_plan_release(plan: *mut polyshade_plan) {
    guard_value((), || ffi::release(plan));
}

/// Returns the plan as JSON, in the format of the program. The text is valid as long as the plan. NULL returns NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_plan_json(plan: *const polyshade_plan) -> *const c_char {
    guard_value(std::ptr::null(), || {
        ffi::handle(plan, "plan").map_or(std::ptr::null(), |plan| plan.json.as_ptr())
    })
}

/// Returns the plan as text for people. The text is valid as long as the plan. NULL returns NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_plan_text(plan: *const polyshade_plan) -> *const c_char {
    guard_value(std::ptr::null(), || {
        ffi::handle(plan, "plan").map_or(std::ptr::null(), |plan| plan.text.as_ptr())
    })
}

/// Describes a plan in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_plan_describe(
    plan: *const polyshade_plan,
    info: *mut polyshade_plan_info,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || ffi::answer(info, ffi::handle(plan, "plan")?.info))
}

/// Describes a step in `*step`, whose `size` must be set. The host executes the steps in their order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_plan_step(
    plan: *const polyshade_plan,
    index: u32,
    step: *mut polyshade_step,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::answer(step, element(&ffi::handle(plan, "plan")?.steps, index, "step")?.step)
    })
}
