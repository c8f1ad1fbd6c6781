//! What a build lacks is refused by the feature's name: run by `cargo xtask test` on a build without any.

use std::fs;
use std::process::Command;

/// A module with an empty vertex shader.
const MODULE: &str = "\
    07230203 00010000 00000000 00000005 00000000 00020011 00000001 0003000e 00000000 00000001 \
    0005000f 00000000 00000003 6e69616d 00000000 00020013 00000001 00030021 00000002 00000001 \
    00050036 00000001 00000003 00000000 00000002 000200f8 00000004 000100fd 00010038";

#[test]
fn what_a_build_lacks_is_refused_by_the_name_of_its_feature() {
    let folder = tempfile::tempdir().unwrap();
    let words = MODULE.split_whitespace().map(|word| u32::from_str_radix(word, 16).unwrap());
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    fs::write(folder.path().join("a.spv"), bytes).unwrap();
    for name in ["a.spvasm", "a.vert", "a.vert.hlsl", "a.wgsl"] {
        fs::write(folder.path().join(name), "nothing that any of them reads").unwrap();
    }
    for (line, feature, is_in) in [
        ("convert a.spvasm -o x.spv", "tools", cfg!(feature = "tools")),
        ("convert a.spv -o x.spvasm", "tools", cfg!(feature = "tools")),
        ("convert a.spv --validate -o x.spv", "tools", cfg!(feature = "tools")),
        ("convert a.vert -o x.spv", "glsl", cfg!(feature = "glsl")),
        ("convert a.vert.hlsl -o x.spv", "glsl", cfg!(feature = "glsl")),
        ("convert a.spv -o x.metal", "cross", cfg!(feature = "cross")),
        ("convert a.spv -o x.vert", "cross", cfg!(feature = "cross")),
        ("convert a.spv -o x.hlsl", "cross", cfg!(feature = "cross")),
        ("convert a.wgsl -o x.spv", "wgsl", cfg!(feature = "wgsl")),
        ("convert a.spv -o x.wgsl", "wgsl", cfg!(feature = "wgsl")),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
        let command = command.current_dir(folder.path()).args(line.split_whitespace());
        let output = command.output().expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr);
        let refused = error.contains(&format!("needs the feature `{feature}`"));
        assert_eq!(refused, !is_in, "{line}: {error}");
        assert_eq!(output.status.code() == Some(3) && refused, !is_in, "{line}: {error}");
        assert!(
            is_in
                || !fs::read_dir(folder.path())
                    .unwrap()
                    .any(|entry| { entry.unwrap().file_name().to_string_lossy().starts_with('x') })
        );
    }
}
