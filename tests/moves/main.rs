//! Each move by itself, and lowerings written with nothing else.

mod blocks;
mod drawn;
#[path = "../execution/drivers.rs"]
mod drivers;
mod isolate;
mod link;
mod lowerings;
mod push_constants;
mod redirect;
mod resources;
mod shader;
mod take_over;
mod wrap;
