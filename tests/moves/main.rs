//! Each move by itself, and lowerings written with nothing else.

mod blend;
mod blocks;
mod decorate_corpus;
mod drawn;
mod eliminate;
mod eliminate_corpus;
mod eliminate_sizes;
mod isolate;
mod link;
mod lowerings;
mod nonsense;
mod output_points;
mod position_only;
mod push_constants;
mod redirect;
mod resources;
mod scatter;
mod shader;
mod take_over;
mod wrap;

use polyshade_tests::drivers;
