//! Plans, as the program makes them of a state: JSON in, JSON and text out.

use crate::border;
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, POLYSHADE_ERROR_OPTIONS, c_text, polyshade_status};
use polyshade_planner::{
    self as planner, BlendingState, Device, DistancePlan, Distances, Draw, Pipeline, Preset,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// What to draw, bind and wait for. It never changes, and any number of threads may use it at once.
pub struct polyshade_plan {
    json: CString,
    text: CString,
}

/// A state, as `polyshade plan` takes it.
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
            None => Err(Failure::new(POLYSHADE_ERROR_OPTIONS, "no device is named")),
            Some(Value::String(name)) => {
                let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
                let none = || format!("there is no preset `{name}`");
                let none = || Failure::new(POLYSHADE_ERROR_OPTIONS, none());
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
            let message = "a state is of a draw, or of blending";
            return Err(Failure::new(POLYSHADE_ERROR_OPTIONS, message));
        }
        let plan = planner::plan_blending(&device, &blend)?;
        return Ok(made(&device, &plan, None, &plan.to_string()));
    }
    let (pipeline, draw) = (pipeline.unwrap_or_default(), draw.unwrap_or_default());
    let plan = planner::plan(&device, &pipeline, &draw)?;
    let distances =
        distances.map(|one| planner::distances(&device, &pipeline, &one)).transpose()?;
    let text = distances.as_ref().map(DistancePlan::to_string).unwrap_or_default();
    Ok(made(&device, &plan, distances.as_ref(), &format!("{plan}{text}")))
}

fn made(
    device: &Device,
    plan: &impl Serialize,
    distances: Option<&DistancePlan>,
    text: &str,
) -> polyshade_plan {
    let mut report = json!({ "version": 1, "device": device, "plan": plan });
    if let Some(distances) = distances {
        report["distances"] = json!(distances);
    }
    polyshade_plan { json: c_text(&report.to_string()), text: c_text(text) }
}

/// Plans a draw or the blending of attachments: `state` is JSON as `polyshade plan` takes it, the device in it.
/// `*plan` has to be released; it is NULL where the call fails.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_plan_make(
    state: *const c_char,
    plan: *mut *mut polyshade_plan,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        border::clear_out(plan, "plan")?;
        let state = serde_json::from_str(border::text(state, "the state")?);
        let state = state.map_err(|error| Failure::json("the state", &error))?;
        border::hand_out(plan, Arc::new(self::plan(state)?));
        Ok(())
    })
}

/// Counts one holder more, and gives the plan back. NULL stays NULL.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_plan_retain(plan: *mut polyshade_plan) -> *mut polyshade_plan {
    border::retain(plan);
    plan
}

/// Counts one holder less; behind the last one the plan is freed. NULL is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_plan_release(plan: *mut polyshade_plan) {
    guard_value((), || border::release(plan));
}

/// The plan as JSON, as the program writes it; it lives as long as the plan. NULL where `plan` is.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_plan_json(plan: *const polyshade_plan) -> *const c_char {
    guard_value(std::ptr::null(), || {
        border::handle(plan, "plan").map_or(std::ptr::null(), |plan| plan.json.as_ptr())
    })
}

/// The plan for people; it lives as long as the plan. NULL where `plan` is.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_plan_text(plan: *const polyshade_plan) -> *const c_char {
    guard_value(std::ptr::null(), || {
        border::handle(plan, "plan").map_or(std::ptr::null(), |plan| plan.text.as_ptr())
    })
}
