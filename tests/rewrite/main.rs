//! Tests of rewrite tools and lowerings that cannot be cases, because they test properties, error positions, corpora
//! or drivers.

mod blend;
mod blend_fixed;
mod dce_corpus;
mod dce_sizes;
mod decorate_corpus;
mod drawn;
mod geometry;
mod isolate;
mod link;
mod map_stores;
mod nonsense;
mod outside;
mod position_only;
mod push_constants;
mod shader;
mod tessellation;
mod unknown;

use polyshade_tests::drivers;
