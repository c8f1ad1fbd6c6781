//! `polyshade-verify`: that it finds shaders equal that are, and different that are broken on purpose.

mod blend;
mod broken;
mod clip;
mod clip_control;
mod clip_evaluation;
mod clip_fragment;
mod clip_geometry;
mod equal;
mod extension;
mod later;
mod position;
mod refused;
mod subject;
