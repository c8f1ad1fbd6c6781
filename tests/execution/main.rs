//! Execution tests: shaders, and what polyshade makes of them, on real drivers.
//!
//! docs/testing.md says what they need and how to run them.

mod blend;
mod cases;
mod clip;
mod controls;
mod depth;
mod device;
mod discard;
mod dispatched;
mod extension;
mod extension_stages;
mod feedback;
mod glsl;
mod hazards;
mod hostile;
mod indexed;
mod inputs;
mod kept;
mod kinds;
mod known;
mod matrix;
mod memory;
mod metal_contraction;
mod metal_plans;
mod model;
mod noise;
mod passed;
mod passed_plans;
mod pictures;
mod plan;
mod plan_discard;
mod plan_draws;
mod plan_items;
mod plan_streams;
mod position;
mod position_corpus;
mod position_depth;
mod position_shaders;
mod position_stages;
mod pull;
mod raster;
mod recipe;
mod refusals;
mod resources;
mod sequences;
mod shaders;
mod stages;
mod storage;
mod sweep;
mod unbound;
mod ways;
mod web;
mod webgpu;

use polyshade_tests::drivers;
