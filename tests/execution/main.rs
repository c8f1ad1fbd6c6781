//! Execution tests: shaders, and what polyshade makes of them, on real drivers.
//!
//! docs/testing.md says what they need and how to run them.

mod cases;
mod controls;
mod device;
mod drivers;
mod feedback;
mod glsl;
mod hostile;
mod inputs;
mod matrix;
mod model;
mod noise;
mod raster;
mod sequences;
mod shaders;
mod storage;
mod sweep;
