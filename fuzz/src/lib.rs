//! Code that the fuzz targets share: the conversion of bytes to words, valid modules to begin with, and oracles.

pub mod ffi;
pub mod steps;
pub mod texts;

mod plans;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Module, Progress};
use polyshade_testing::{Choices, Trial};

/// Returns all complete words in the bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _rest) = bytes.as_chunks();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Asserts that an empty patch leaves the words unchanged.
pub fn assert_identity(module: &Module<'_>) {
    let next = module.rewrite(|_, _| Ok(())).expect("an empty patch has no faults");
    assert_eq!(next.progress, Progress::Unchanged);
    assert!(next.module.words() == module.words(), "an empty patch changed the words");
}

/// Calls every query of a module. None of them may panic for any module.
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

/// Runs one of the `trials` on the module in `bytes`. The choice of the trial and its options is seeded by the
/// generator and schema words of the header, which are otherwise unused. So every module is a valid input, and a
/// mutation of the module can also change the options.
pub fn attempt_any(bytes: &[u8], trials: &[Trial]) {
    let words = words(bytes);
    let Ok(module) = Module::parse(&words) else { return };
    let mut choices = Choices::seeded(u64::from(words[2]) << 32 | u64::from(words[4]));
    let Some((trial, entry)) = any(&module, trials, &mut choices) else { return };
    let Ok(variants) = trial.attempt(&module, entry, &mut choices) else { return };
    for (name, variant) in variants {
        let again = Module::parse(variant.words());
        let again = again.unwrap_or_else(|error| panic!("{}: {name}: {error}", trial.name));
        assert_identity(&again);
    }
}

/// Chooses an entry point and a trial that supports its stage.
pub fn any<'m>(
    module: &'m Module<'_>,
    trials: &[Trial],
    choices: &mut Choices,
) -> Option<(Trial, EntryPoint<'m>)> {
    let entries: Vec<EntryPoint<'m>> = module.entry_points().take(8).collect();
    if entries.is_empty() {
        return None;
    }
    let entry = choices.of(&entries);
    let taking: Vec<Trial> =
        trials.iter().filter(|trial| trial.takes(entry.model())).copied().collect();
    (!taking.is_empty()).then(|| (choices.of(&taking), entry))
}

/// The number of cases that a target draws from an input that is only a seed. There are several because a case takes
/// less time than the fuzzer's own work after each input.
pub const CASES: usize = 64;

/// Returns a hash of all bytes.
pub fn seed(bytes: &[u8]) -> u64 {
    fnv(bytes.iter().map(|byte| u64::from(*byte)))
}

/// Returns a hash of all words.
pub fn hash(words: &[u32]) -> u64 {
    fnv(words.iter().map(|word| u64::from(*word))) >> 32
}

/// Returns the FNV-1a hash of the values.
fn fnv(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0xcbf2_9ce4_8422_2325, |hash, value| (hash ^ value).wrapping_mul(0x100_0000_01b3))
}

/// The seeds that can be parsed. They are in the folder to which `cargo xtask fuzz` writes them.
pub static SEEDS: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/seeds");
    let files = std::fs::read_dir(&folder).expect("`cargo xtask fuzz` writes the seeds");
    let mut paths: Vec<_> = files.map(|file| file.expect("it is listed").path()).collect();
    paths.sort();
    let read = |path| words(&std::fs::read(path).expect("it can be read"));
    paths.iter().map(read).filter(|words| Module::parse(words).is_ok()).collect()
});

/// The seeds that are valid modules.
pub static VALID: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let valid: Vec<Vec<u32>> =
        SEEDS.iter().filter(|words| validate(words).is_ok()).cloned().collect();
    assert!(valid.len() > 100, "of {} seeds {} are valid", SEEDS.len(), valid.len());
    valid
});

/// Validates a module with `spirv-val`, for the oldest Vulkan version that accepts its SPIR-V version.
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
    // `spirv-val` reads all of its input before it prints, so the processes cannot wait for each other.
    let written = validator.stdin.take().expect("it was asked for").write_all(&bytes);
    let verdict = validator.wait_with_output().expect("spirv-val ends");
    let message = String::from_utf8_lossy(&verdict.stderr);
    match written {
        Ok(()) if verdict.status.success() => Ok(()),
        // This validator does not know some newer capabilities, such as tile images. The file tests use
        // a newer validator.
        _ if message.contains("Invalid capability operand") => Ok(()),
        _ => Err(message.into_owned()),
    }
}
