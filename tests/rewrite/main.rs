//! Tests of rewrite tools and lowerings that cannot be cases, because they test properties, error positions or
//! corpora.

mod blend;
mod blend_fixed;
mod dce_corpus;
mod dce_sizes;
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
