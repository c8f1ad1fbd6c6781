//! Tests that the committed modules match their GLSL, and that the inputs have the sizes for which the
//! limits were set.

use std::fs;
use std::path::Path;

use polyshade_benches::inputs;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};

fn is_current(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs");
    let source =
        fs::read_to_string(folder.join(name).with_extension("vert")).expect("the GLSL is there");
    let words =
        compile(&source, ShaderStage::Vertex, SpirvVersion::SPIRV1_0).expect("the GLSL compiles");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let path = folder.join(name).with_extension("spv");
    if std::env::var_os("POLYSHADE_BLESS").is_some() {
        fs::write(&path, &bytes).expect("the module can be written");
    }
    let committed = fs::read(&path).expect("the module is there");
    assert!(committed == bytes, "{name}.spv is out of date: run `cargo xtask bless`");
}

#[test]
fn the_small_input_is_current() {
    is_current("small");
}

#[test]
fn the_medium_input_is_current() {
    is_current("medium");
}

#[test]
fn the_inputs_have_their_sizes_and_are_valid_for_rspirv() {
    for (name, sizes) in [
        ("small", 250..400),
        ("medium", 3_000..4_000),
        ("kb100", 24_000..26_000),
        ("large", 230_000..280_000),
        ("mb10", 2_500_000..2_700_000),
    ] {
        let words = inputs::words(name).expect("there is an input of this name");
        assert!(sizes.contains(&words.len()), "{name} has {} words", words.len());
        rspirv::dr::load_words(&words).expect("rspirv reads it");
    }
    assert!(inputs::words("huge").is_none());
}
