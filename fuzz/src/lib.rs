//! What the fuzz targets share: words from bytes, and the two oracles, identity and `spirv-val`.

use std::io::Write;
use std::process::{Command, Stdio};

use polyshade_spv::{Module, Progress};

/// The whole words in the bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _rest) = bytes.as_chunks();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Asserts that an empty patch gives the very same words.
pub fn assert_identity(module: &Module<'_>) {
    let next = module.rewrite(|_, _| Ok(())).expect("an empty patch has no faults");
    assert_eq!(next.progress, Progress::Unchanged);
    assert!(next.module.words() == module.words(), "an empty patch changed the words");
}

/// Asks everything of the module that can be asked: no answer may panic, whatever it is.
pub fn look_around(module: &Module<'_>) {
    module.uses();
    module.decorations();
    for inst in module.instructions() {
        module.for_each_operand(inst, |_, id, _| drop(module.name(id)));
        let Some(id) = inst.result() else { continue };
        module.uses_of(id).for_each(drop);
        module.decorations_of(id).for_each(drop);
        let _ = (module.ty(id), module.pointer(id), module.type_of(id), module.constant(id));
        let _ = (module.root(id), module.storage_class(id), module.builtin(id));
    }
    module.variables().for_each(|variable| drop(module.reach(&[variable.result()])));
    module.functions().for_each(|function| drop(module.reachable(function.id())));
}

/// What `spirv-val` says of the module under the oldest Vulkan that takes its version.
pub fn validate(words: &[u32]) -> Result<(), String> {
    let environment = match words.get(1).map_or(0, |version| version >> 8 & 0xff) {
        0 => "vulkan1.0",
        1..=3 => "vulkan1.1",
        4 => "vulkan1.1spv1.4",
        5 => "vulkan1.2",
        _ => "vulkan1.3",
    };
    let mut validator = Command::new("spirv-val")
        .args(["--target-env", environment, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val is installed: run `cargo xtask setup`");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // It reads everything before it prints, so neither side waits for the other.
    let written = validator.stdin.take().expect("it was asked for").write_all(&bytes);
    let verdict = validator.wait_with_output().expect("spirv-val ends");
    match written {
        Ok(()) if verdict.status.success() => Ok(()),
        _ => Err(String::from_utf8_lossy(&verdict.stderr).into_owned()),
    }
}
