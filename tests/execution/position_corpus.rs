//! Runs `polyshade verify position` on the vertex shaders of the corpus, if it exists next to the project. The
//! variants must compute the same positions and draw with the same depth.
//!
//! The program verifies each shader in a separate process, so a crash or hang of a driver affects no other shader.

use crate::drivers::{DRIVERS, Driver};
use crate::position::module;
use crate::position_shaders::TANGLED;
use polyshade::Module;
use polyshade::spv::ExecutionModel;
use polyshade_tests::sample::sample;
use polyshade_tests::tree::{self, files};
use polyshade_tests::{program, shader};
use spirv_tools::TargetEnv;
use spirv_tools::opt::{Optimizer, Passes};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One of this many modules is verified, because verifying all modules takes minutes.
const STEP: usize = 24;

/// A module in which chromium's validation layer loops without end, so that `verify` stops it after a minute.
const ENDLESS: &str =
    "shaders-msl-no-opt_asm_vert_constant-composite-block-no-array-stride.asm.vert.vert.spv";

/// Returns the sampled modules that `spirv-val` accepts, with the names of their vertex entry points.
fn vertex_shaders() -> Vec<(PathBuf, String)> {
    let is_module = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "spv") && !path.ends_with(ENDLESS)
    };
    let modules = files(&tree::corpus()).into_iter().filter(is_module);
    let vertex = |path: PathBuf| {
        let words = shader::read(&path).ok().filter(|words| shader::validate(words).is_ok());
        let m = words.and_then(|words| Module::parse_owned(words).ok());
        let names = |m: Module<'_>| {
            let vertex = m.entry_points().filter(|one| one.model() == ExecutionModel::VERTEX);
            vertex.map(|entry| (path.clone(), entry.name().into_owned())).collect()
        };
        m.map_or_else(Vec::new, names)
    };
    sample(modules, STEP).flat_map(vertex).collect()
}

/// The result for a shader.
enum Found {
    /// The variants compute the same values. The flag states whether pixels were drawn.
    Equal(bool),
    /// The reason why it cannot be compared.
    NotComparable(String),
    /// A difference, or a crash of the driver on a variant.
    Different(String),
}

/// Verifies the variants in `given` instead of polyshade's, unless `given` is empty.
fn verify(program: &Path, driver: Driver, path: &Path, entry: &str, given: &str) -> Found {
    let mut verify = Command::new(program);
    verify.args(["verify", "position-only"]).arg(path).args(["--side-effects", "in-position"]);
    verify.args(["--entry", entry, "--device", driver.name(), "--validation", "--vertices", "48"]);
    if !given.is_empty() {
        verify.args(["--rewritten", given]);
    }
    let output = verify.arg("--json").output().expect("the program starts");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => Found::Equal(!report.contains("\"pixels\": 0,")),
        Some(3) => Found::NotComparable(report),
        _ => Found::Different(format!("{report}{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Verifies with accesses clamped to bounds. SwiftShader does not check bounds, and memory after buffers varies.
fn verify_in_bounds(program: &Path, driver: Driver, path: &Path, entry: &str) -> Found {
    let words = shader::read(path).expect("it was read before");
    let mut optimizer = spirv_tools::opt::create(Some(TargetEnv::Universal_1_6));
    optimizer.register_pass(Passes::GraphicsRobustAccess);
    let clamped = match optimizer.optimize(&words, &mut |_| {}, None) {
        Ok(clamped) => shader::bytes(clamped.as_words()),
        Err(error) => return Found::NotComparable(format!("accesses are not kept: {error}")),
    };
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("in-bounds.spv");
    std::fs::write(&path, clamped).expect("there is room");
    verify(program, driver, &path, entry, "")
}

fn compare(driver: Driver) {
    let program = program::build();
    let (mut equal, mut drawn, mut skipped, mut faults) = (0, 0, 0, Vec::new());
    for (path, entry) in vertex_shaders() {
        let mut found = verify(&program, driver, &path, &entry, "");
        // On SwiftShader, out-of-bounds accesses may cause a difference.
        if let (Driver::SwiftShader, Found::Different(why)) = (driver, &found) {
            println!("{driver:?} {}: {why}; in bounds:", path.display());
            found = verify_in_bounds(&program, driver, &path, &entry);
        }
        match found {
            Found::Equal(is_drawn) => {
                equal += 1;
                drawn += usize::from(is_drawn);
            }
            Found::NotComparable(why) => {
                println!("{driver:?} {}: {why}", path.display());
                skipped += 1;
            }
            Found::Different(why) => faults.push(format!("{driver:?} {}: {why}", path.display())),
        }
    }
    // Some shaders must be equal and drawn.
    println!("{driver:?}: {equal} shaders are equal, {drawn} are drawn; {skipped} cannot be run");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    assert!(equal >= skipped, "{skipped} of {} cannot be run", equal + skipped);
    assert!(equal == 0 || drawn > 0, "nothing is drawn");
}

#[test]
fn corpus_variants_are_the_full_shader_bit_for_bit_and_as_deep_on_lavapipe() {
    compare(Driver::Lavapipe);
}

#[test]
fn corpus_variants_are_the_full_shader_bit_for_bit_and_as_deep_on_swiftshader() {
    compare(Driver::SwiftShader);
}

/// A control: a shader is not its own complement.
#[test]
fn a_variant_that_is_another_is_noticed() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("full.spv");
    let words = module(&TANGLED[0]).into_words();
    std::fs::write(&path, shader::bytes(&words)).expect("there is room");
    let complement = format!("complement={}", path.display());
    let program = program::build();
    for driver in DRIVERS {
        let found = |given| verify(&program, driver, &path, "main", given);
        assert!(matches!(found(""), Found::Equal(true)), "{driver:?}");
        assert!(matches!(found(&complement), Found::Different(_)), "{driver:?}");
    }
}
