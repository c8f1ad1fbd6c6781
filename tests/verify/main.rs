//! `polyshade-verify` finds equivalent shaders equal, and shaders with deliberate faults different.

mod blend;
mod broken;
mod clip;
mod clip_control;
mod clip_evaluation;
mod clip_fragment;
mod clip_geometry;
mod clip_later;
mod equal;
mod extension;
mod indexed;
mod metal;
mod metal_against;
mod metal_fragments;
mod metal_stages;
mod position;
mod pull;
mod refused;
mod stage;
mod subject;
mod undefined;
