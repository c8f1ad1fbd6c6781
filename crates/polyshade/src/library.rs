//! The GLSL library, compiled by `cargo xtask codegen` and committed as SPIR-V.
//!
//! Library functions take and return values. Where a function needs code that depends on the lowering, it calls a
//! *hook*: a function whose body the [linker](crate::rewrite::link()) replaces. Parameters are `const`, so the
//! compiler passes them by value.

use crate::rewrite::Library;
use std::sync::LazyLock;

pub(crate) static BLEND: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/blend.spv")));

pub(crate) static CAPTURE: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/capture.spv")));

pub(crate) static DRAWS: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/draws.spv")));

pub(crate) static FETCH: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/fetch.spv")));

pub(crate) static FIXED: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/fixed.spv")));

pub(crate) static GEOMETRY: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/geometry.spv")));

pub(crate) static CUT: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/cut.spv")));

pub(crate) static TESSELLATOR: LazyLock<Library> =
    LazyLock::new(|| parse(include_bytes!("library/tessellator.spv")));

fn parse(bytes: &[u8]) -> Library {
    let (words, _) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Library::new(&words).expect("the embedded library is a valid module")
}
