//! Properties that hold for every lowering and every rewrite tool, tested on unusual modules: modules that are large in
//! one way, and transformed modules.

mod any_recipe;
mod assembly;
mod controls;
mod debug_information;
mod ids;
mod places;
mod plain_data;
mod recipe;
mod shapes;
mod texts;
mod transformations;
