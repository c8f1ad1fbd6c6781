//! What of the moves and lowerings is not said by a case: properties, errors with computed places, corpora, drivers.

mod blend;
mod blend_fixed;
mod decorate_corpus;
mod drawn;
mod eliminate_corpus;
mod eliminate_sizes;
mod isolate;
mod link;
mod nonsense;
mod outside;
mod position_only;
mod push_constants;
mod shader;
mod through;
mod unknown;

use polyshade_tests::drivers;
