//! Every lowering and every rewrite tool on unusual modules: those that are large in one way, and transformed ones.

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
