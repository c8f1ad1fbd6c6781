//! `polyshade-verify`: that it finds shaders equal that are, and different that are broken on purpose.

mod blend;
mod broken;
mod clip;
mod clip_fragment;
mod equal;
mod extension;
mod position;
mod refused;
mod subject;
