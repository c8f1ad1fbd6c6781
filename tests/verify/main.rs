//! `polyshade-verify`: that it finds shaders equal that are, and different that are broken on purpose.

mod broken;
mod equal;
mod refused;
mod subject;
