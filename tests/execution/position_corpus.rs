//! The vertex shaders of a corpus, where there is one beside the project: what their variants compute is what they
//! compute, and a depth pre-pass leaves no hole.

mod apart;

use crate::drivers::Driver;
use crate::position::{Given, capture_all};
use crate::position_depth::{Ahead, covered_and_wrong, fragment, pre_pass};
use crate::position_inputs::given;
use polyshade::Module;
use polyshade::moves::{Binding, Set};
use polyshade::position_only::{self, Options, SideEffects};
use polyshade::spv::view::{EntryPoint, Mode};
use polyshade::spv::{ExecutionModel, Op, Section};
use polyshade::transform_feedback;
use polyshade_tests::shader;
use polyshade_tests::tree::{self, files};
use polyshade_verify::initialise;
use spirv_tools::TargetEnv;
use spirv_tools::opt::{Optimizer, Passes};
use std::path::PathBuf;

/// Of how many modules one is looked at, where `POLYSHADE_CORPUS` is not `all`: all of them take minutes.
const STEP: usize = 12;
/// Shaders whose modules are not even made: the validation layers do not come back from one with decoration groups.
const ENDLESS: &[&str] = &["constant-composite-block-no-array-stride.asm.vert"];
/// The most buffers that one capture fills.
const MOST_BUFFERS: usize = 4;

/// The modules of the corpus.
fn modules() -> Vec<PathBuf> {
    let is_module = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".spv") && !ENDLESS.iter().any(|endless| name.contains(endless))
    };
    files(&tree::corpus()).into_iter().filter(is_module).collect()
}

/// Every vertex entry point of the modules that `spirv-val` accepts, as the only one of its module, called `main`.
///
/// What a driver may compute as it likes is settled: see [`initialise`](fn@initialise).
fn vertex_shaders(modules: Vec<PathBuf>) -> impl Iterator<Item = (PathBuf, Module<'static>)> {
    modules.into_iter().flat_map(|path| {
        let words = shader::read(&path).ok().filter(|words| shader::validate(words).is_ok());
        let m = words.and_then(|words| Module::parse_owned(words).ok());
        let alone = |m: Module<'static>| {
            let vertex = m.entry_points().filter(|one| one.model() == ExecutionModel::VERTEX);
            vertex.map(|entry| initialise(&only(&m, entry)).expect("it fits")).collect::<Vec<_>>()
        };
        m.map(alone).unwrap_or_default().into_iter().map(move |m| (path.clone(), m))
    })
}

/// `m` with one entry point, called `main`.
fn only<'m>(m: &'m Module<'_>, entry: EntryPoint<'_>) -> Module<'m> {
    const MAIN: [u32; 2] = [u32::from_le_bytes(*b"main"), 0];
    let (function, interface) = (entry.function(), entry.interface().map(|id| id.word()));
    let words = [ExecutionModel::VERTEX.0, function.word()].into_iter().chain(MAIN);
    let words: Vec<u32> = words.chain(interface).collect();
    let rewritten = m.rewrite(|m, p| {
        for other in m.entry_points() {
            p.remove(other.inst());
        }
        let modes = m.section(Section::ExecutionModes).filter_map(Mode::of);
        for mode in modes.filter(|mode| mode.entry_point() != function) {
            p.remove(mode.inst());
        }
        let last = m.entry_points().last().expect("it was just seen");
        p.insert(last.inst().after(), Op::ENTRY_POINT, &words);
        Ok(())
    });
    rewritten.expect("nothing contradicts").module
}

/// What can be captured of `m`, a few outputs at once.
fn outputs(m: &Module<'_>) -> Vec<Vec<String>> {
    let entry = m.entry_points().next().expect("there is one");
    let all = transform_feedback::capturable(m, entry).into_iter();
    let names = all.filter(|one| one.components.is_ok()).map(|one| one.varying.to_string());
    names.collect::<Vec<_>>().chunks(MOST_BUFFERS).map(<[String]>::to_vec).collect()
}

/// What `m` writes to `outputs`; `Err` where it cannot be run.
fn written(
    driver: Driver,
    m: &Module<'_>,
    given: &Given,
    outputs: &[String],
) -> Result<Vec<Vec<u8>>, String> {
    let options = transform_feedback::Options::new("main")
        .separate(outputs.iter().map(String::as_str))
        .side_effects(transform_feedback::SideEffects::InRaster)
        .into_storage(Set(3), Binding(100));
    let capture = transform_feedback::capture(m, &options).map_err(|error| error.to_string())?;
    let (work, feedback) = capture_all(&capture, given).map_err(|error| error.to_string())?;
    let (outcome, messages) = driver.run_watched(&work);
    let outcome = outcome.map_err(|error| error.to_string())?;
    match messages.first() {
        Some(message) => Err(message.to_string()),
        None => Ok(feedback.into_iter().map(|at| outcome.buffers[at].clone()).collect()),
    }
}

/// How many shaders were compared, and the faults of their variants.
#[derive(Default)]
struct Compared {
    shaders: usize,
    outputs: usize,
    covered: usize,
    /// Those that cannot be run.
    skipped: usize,
    faults: Vec<String>,
}

impl Compared {
    /// Compares what there is of these shaders.
    fn all(
        &mut self,
        driver: Driver,
        what: What,
        shaders: impl Iterator<Item = (PathBuf, Module<'static>)>,
    ) {
        for (path, m) in shaders {
            let path = path.display().to_string();
            let compared = match what {
                What::Originals => original(driver, &m),
                What::InBounds => in_bounds(&m).and_then(|m| self.shader(driver, &path, &m)),
                What::Everything => self.as_it_is_or_in_bounds(driver, &path, &m),
            };
            match compared {
                Ok(()) => self.shaders += 1,
                Err(why) => {
                    println!("{driver:?} {path}: {why}");
                    self.skipped += 1;
                }
            }
        }
    }

    /// SwiftShader checks no bounds, and what lies behind a buffer is another thing each time: there a shader that
    /// differs is compared once more, with its accesses kept in bounds.
    fn as_it_is_or_in_bounds(
        &mut self,
        driver: Driver,
        path: &str,
        m: &Module<'_>,
    ) -> Result<(), String> {
        let mut own = Compared::default();
        let mut compared = own.shader(driver, path, m);
        if let (Driver::SwiftShader, Some(fault)) = (driver, own.faults.first()) {
            println!("{fault}; in bounds:");
            own = Compared::default();
            compared = in_bounds(m).and_then(|m| own.shader(driver, path, &m));
        }
        self.outputs += own.outputs;
        self.covered += own.covered;
        self.faults.extend(own.faults);
        compared
    }

    fn shader(&mut self, driver: Driver, path: &str, m: &Module<'_>) -> Result<(), String> {
        let missing = driver.device().capabilities().missing(m);
        if let Some(missing) = missing.first() {
            return Err(missing.clone());
        }
        let given = given(m)?;
        let options = Options::new("main").side_effects(SideEffects::InPositionOnly);
        let derived = [position_only::derive(m, &options), position_only::complement(m, &options)];
        let [variant, complement] = derived.map(|one| one.map_err(|error| error.to_string()));
        let (variant, complement) = (variant?, complement?);
        for (name, variant) in [("position", &variant), ("complement", &complement)] {
            for outputs in outputs(variant) {
                let original = written(driver, m, &given, &outputs)?;
                let found = written(driver, variant, &given, &outputs);
                self.outputs += outputs.len();
                if found.as_ref() != Ok(&original) {
                    let why = found.err().unwrap_or_else(|| "they differ".to_owned());
                    self.faults.push(format!("{driver:?} {path}, {name}, {outputs:?}: {why}"));
                }
            }
        }
        // Where nothing is the position, any is.
        if !outputs(&variant).concat().iter().any(|output| output == "gl_Position") {
            return Ok(());
        }
        let (fragment, nothing) = (fragment(), Ahead::nothing());
        let work = pre_pass(&given, &nothing, m, m, &fragment);
        let (outcome, messages) = driver.run_watched(&work);
        if outcome.is_err() || !messages.is_empty() {
            return Err("the original cannot be drawn as triangles".to_owned());
        }
        let (covered, wrong) = covered_and_wrong(driver, &given, &variant, m);
        self.covered += usize::from(covered > 0);
        if wrong > 0 {
            self.faults.push(format!("{driver:?} {path}: {wrong} holes in {covered} pixels"));
        }
        Ok(())
    }
}

/// What is drawn of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Everything,
    /// The same where the shader is kept from accesses out of bounds.
    InBounds,
    /// All that its variants are compared with, and nothing else.
    Originals,
}

/// `m` with indices that stay within what they index.
fn in_bounds(m: &Module<'_>) -> Result<Module<'static>, String> {
    let mut optimizer = spirv_tools::opt::create(Some(TargetEnv::Universal_1_6));
    optimizer.register_pass(Passes::GraphicsRobustAccess);
    let clamped = optimizer.optimize(m.words(), &mut |_| {}, None);
    let clamped = clamped.map_err(|error| error.to_string())?.as_words().to_vec();
    Module::parse_owned(clamped).map_err(|error| error.to_string())
}

/// Draws all that the variants of a shader are compared with.
fn original(driver: Driver, m: &Module<'_>) -> Result<(), String> {
    if let Some(missing) = driver.device().capabilities().missing(m).first() {
        return Err(missing.clone());
    }
    let given = given(m)?;
    for outputs in outputs(m) {
        written(driver, m, &given, &outputs)?;
    }
    let _ = driver.run_watched(&pre_pass(&given, &Ahead::nothing(), m, m, &fragment()));
    Ok(())
}

/// Compares the shaders of all modules on one driver, or of one in some.
fn compare(driver: Driver) {
    let is_all = std::env::var("POLYSHADE_CORPUS").is_ok_and(|which| which == "all");
    let modules: Vec<PathBuf> =
        modules().into_iter().step_by(if is_all { 1 } else { STEP }).collect();
    let mut all = Compared::default();
    apart::compare(driver, &modules, &mut all);
    let Compared { shaders, outputs, covered, skipped, faults } = all;
    println!(
        "{driver:?}: {shaders} shaders and {outputs} outputs compared, {covered} cover pixels; {skipped} cannot be run"
    );
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    assert!(shaders >= skipped, "{skipped} of {} cannot be run", shaders + skipped);
}

#[test]
fn corpus_variants_are_the_full_shader_bit_for_bit_and_leave_no_hole_on_lavapipe() {
    compare(Driver::Lavapipe);
}

#[test]
fn corpus_variants_are_the_full_shader_bit_for_bit_and_leave_no_hole_on_swiftshader() {
    compare(Driver::SwiftShader);
}
