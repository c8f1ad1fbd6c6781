//! Shaders that draw together with a tested stage: GLSL, compiled by `cargo xtask codegen` and committed as SPIR-V.

use crate::verdict::{Stop, not_comparable};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{ExecutionModel, Id, Patch, Position};
use polyshade::{Error, Module, rewrite};
use std::sync::LazyLock;

/// `library/cover.vert`.
pub(crate) static COVER: LazyLock<Vec<u32>> =
    LazyLock::new(|| words(include_bytes!("library/cover.spv")));

/// `library/depth.frag`.
pub(crate) static DEPTH: LazyLock<Vec<u32>> =
    LazyLock::new(|| words(include_bytes!("library/depth.spv")));

/// `library/finish.tese`.
pub(crate) static FINISH: LazyLock<Vec<u32>> =
    LazyLock::new(|| words(include_bytes!("library/finish.spv")));

/// `library/place.vert`.
pub(crate) static PLACE: LazyLock<Vec<u32>> =
    LazyLock::new(|| words(include_bytes!("library/place.spv")));

/// `library/pass_through.tesc`.
pub(crate) static PASS_THROUGH_TESC: LazyLock<Vec<u32>> =
    LazyLock::new(|| words(include_bytes!("library/pass_through.spv")));

/// Extends one of the library stages. `add` appends code to the entry point, and returns new interface variables.
pub(crate) fn extend(
    base: &[u32],
    model: ExecutionModel,
    add: impl for<'m> FnOnce(
        &'m Module<'_>,
        &mut Patch<'m, '_>,
        EntryPoint<'m>,
        Position<'m>,
    ) -> Vec<Id>,
) -> Result<Vec<u32>, Stop> {
    let base = Module::parse(base).expect("glslang's SPIR-V parses");
    let extended = base.rewrite(|m, p| {
        let entry = m.entry_point("main", model)?;
        let at = rewrite::wrap(m, p, entry).epilogue;
        let added = add(m, p, entry, at);
        added.into_iter().for_each(|variable| p.join_interface(entry, variable));
        Ok(())
    });
    let extended = extended.map_err(|error: Error| {
        not_comparable(format!("cannot generate the {model} stage: {error}"))
    })?;
    Ok(extended.module.into_words())
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    bytes.chunks_exact(4).map(word).collect()
}
