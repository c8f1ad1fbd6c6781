//! Tests of the planner: its results for every combination of device and state, and the rules that every plan must
//! follow.

mod api_rules;
mod blending;
mod device_counters;
mod distances;
mod goldens;
mod hazards;
mod limits;
#[allow(dead_code, reason = "the execution tests use all of it")]
#[path = "../execution/noise.rs"]
mod noise;
mod page;
mod passes;
mod random;
mod recipes;
mod refusals;
mod rewritten;
mod rules;
mod shader_runs;
mod states;
mod sync;
mod usage_scopes;
mod vertex_order;
