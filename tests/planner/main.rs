//! The planner: what it says for every combination of device and state, and what holds for every plan.

mod api_rules;
mod blending;
mod corners;
mod distances;
mod executions;
mod goldens;
mod hazards;
mod kept;
mod limits;
#[allow(dead_code, reason = "the execution tests use all of it")]
#[path = "../execution/noise.rs"]
mod noise;
mod page;
mod random;
mod recipes;
mod refusals;
mod rewritten;
mod rules;
mod states;
mod sync;
mod usage_scopes;
mod waits;
