//! Tests of the layer: between the real loader and both drivers, and above a mock driver that records all calls.

mod alone;
mod bare;
mod below;
mod captured;
mod discarding;
mod draws;
mod hide;
mod linked;
mod loader;
mod made_up;
mod made_up_loader;
mod many;
mod memory;
mod narrow;
mod newer;
mod null;
mod objects;
mod others;
mod parameters;
mod pass_through;
mod queries;
mod reached;
mod streams;
mod strict;
mod unfit;
mod without_loader;
