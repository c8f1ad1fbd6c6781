//! Every lowering and every move on modules that nobody writes: those that are large in one way, and those that say the
//! same in another way.

mod any_recipe;
mod assembly;
mod controls;
mod debug_information;
mod disguises;
mod ids;
mod places;
mod plain_data;
mod recipe;
mod shapes;
mod texts;
