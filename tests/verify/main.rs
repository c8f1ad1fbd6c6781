//! `polyshade-verify`: that it finds shaders equal that are, and different that are broken on purpose.

mod blend;
mod broken;
mod clip;
mod equal;
mod extension;
mod position;
mod refused;
mod subject;
