//! Our GLSL, compiled by `cargo xtask codegen` and committed as SPIR-V: the stages that a shader is drawn with.

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

/// `library/relay.tesc`.
pub(crate) static RELAY: LazyLock<Vec<u32>> =
    LazyLock::new(|| words(include_bytes!("library/relay.spv")));

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    bytes.chunks_exact(4).map(word).collect()
}
