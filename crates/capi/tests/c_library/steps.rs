//! Geometry stages and tessellation: the same words as the Rust library, and a program in C and one in C++ that call
//! each function.

use crate::calls::{capture, check, first_layout, hash, json, lowered_words, zeros};
use crate::compiler::{Language, Library, Program, Sanitizers, here, run};
use polyshade::Module;
use polyshade::host::{Binding, Set};
use polyshade::transform_feedback::{self, Layout, Options, Topology, geometry, tessellation};
use polyshade_capi::error::*;
use polyshade_capi::failure::*;
use polyshade_capi::layout::*;
use polyshade_capi::module::*;
use polyshade_capi::options::*;
use polyshade_capi::result::*;
use polyshade_capi::steps::*;
use polyshade_capi::target::*;
use std::ffi::CStr;
use std::path::PathBuf;
use std::process::Command;
use std::ptr::{null, null_mut};

/// The shaders: of geometry with a varying and with a constant number of primitives, and of tessellation.
const CASES: [&str; 3] =
    ["capture/geometry", "capture/geometry-constant-count", "tessellation/triangles"];

/// Assembles the shaders into a folder, and returns their paths.
fn assembled(folder: &tempfile::TempDir) -> [PathBuf; 3] {
    let mut number = 0;
    CASES.map(|case| {
        number += 1;
        let to = folder.path().join(format!("{number}.spv"));
        let from = here(&format!("../../tests/cases/{case}.spvasm"));
        let mut assembler = Command::new("spirv-as");
        run(assembler.args(["--target-env", "spv1.0"]).arg(from).arg("-o").arg(&to));
        to
    })
}

/// Returns the words of a shader.
fn words(case: usize) -> Vec<u32> {
    let folder = tempfile::tempdir().expect("there is room");
    let bytes = std::fs::read(&assembled(&folder)[case]).expect("it was assembled");
    bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect()
}

/// Steps of `module`, lowered by the C library.
struct Steps {
    module: *mut polyshade_module,
    result: *mut polyshade_result,
}

/// A function of the C library that lowers steps.
type LowerSteps = unsafe extern "C" fn(
    *const polyshade_module,
    *const polyshade_target,
    u32,
    *const polyshade_layout,
    *const polyshade_options,
    *mut *mut polyshade_result,
    *mut polyshade_error,
) -> polyshade_status;

impl Steps {
    #[track_caller]
    fn new(
        lower: LowerSteps,
        (words, entry): (&[u32], &CStr),
        (steps, before): (u32, *const polyshade_layout),
        options: &polyshade_options,
    ) -> Self {
        let (mut module, mut result) = (null_mut(), null_mut());
        let mut target = zeros!(polyshade_target);
        target.entry = entry.as_ptr();
        let (at, count) = (words.as_ptr(), words.len());
        check(|error| unsafe { polyshade_module_parse(at, count, &raw mut module, error) });
        let target = &raw const target;
        check(|error| unsafe {
            lower(module, target, steps, before, options, &raw mut result, error)
        });
        Self { module, result }
    }

    /// Asserts that the outputs are these steps, with the same words.
    #[track_caller]
    fn assert_are(&self, expected: &[(u32, &[u32])]) {
        assert_eq!(unsafe { polyshade_result_count(self.result) }, expected.len() as u32);
        for (index, (step, expected)) in (0..).zip(expected) {
            let mut output = zeros!(polyshade_output);
            check(|error| unsafe {
                polyshade_result_output(self.result, index, &raw mut output, error)
            });
            assert_eq!(output.step, *step);
            assert!(lowered_words(self.result, index) == *expected, "step {step}");
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        unsafe { polyshade_result_release(self.result) };
        unsafe { polyshade_module_release(self.module) };
    }
}

fn spilling() -> Options {
    Options::new().compute().spill_outputs().topologies(Topology::ALL)
}

/// Returns the layout of a vertex stage that spills its outputs, as a handle that the test leaks.
fn handle(layout: &Layout) -> *mut polyshade_layout {
    let saved = serde_json::json!({"format": "polyshade-layout", "version": 1, "layout": layout});
    let (bytes, mut handle) = (saved.to_string(), null_mut());
    let (at, count) = (bytes.as_ptr(), bytes.len());
    check(|error| unsafe { polyshade_layout_load(at, count, &raw mut handle, error) });
    handle
}

#[test]
fn steps_of_geometry_are_those_of_the_rust_library() {
    let words = words(0);
    let m = Module::parse(&words).expect("it is a module");
    let vertex = transform_feedback::prepare(&m, "before", &spilling()).expect("it spills");
    let options = Options::new().compute().spill_outputs().interleaved(["g"]).one_instance();
    let before = vertex.layout();
    let step = |lowered: Result<polyshade::host::Lowered<'_, Layout>, _>| {
        lowered.expect("it can be lowered").module.words().to_vec()
    };
    let expected = [
        (POLYSHADE_GEOMETRY_COUNT, step(geometry::count(&m, "main", before, &options))),
        (POLYSHADE_GEOMETRY_SUM, step(geometry::sum(&m, "main", before, &options))),
        (POLYSHADE_GEOMETRY_CAPTURE, step(geometry::capture(&m, "main", before, &options))),
        (POLYSHADE_GEOMETRY_RASTER, step(geometry::raster(&m, "main", before, &options))),
    ];

    let varyings = [c"g".as_ptr()];
    let mut capture = capture(POLYSHADE_OPTIONS_CAPTURE_STORAGE, &varyings);
    capture.flags = POLYSHADE_CAPTURE_COMPUTE
        | POLYSHADE_CAPTURE_SPILL_OUTPUTS
        | POLYSHADE_CAPTURE_ONE_INSTANCE;
    let as_json = json(
        POLYSHADE_OPTIONS_CAPTURE_STORAGE,
        c"{\"options\":{\"varyings\":{\"interleaved\":[{\"name\":\"g\"}]},\
          \"draws\":{\"compute\":true,\"spill_outputs\":true,\"one_instance\":true}}}",
    );
    let before = handle(before);
    for options in [&capture.base, &as_json.base] {
        let all = expected.iter().fold(0, |all, (step, _)| all | step);
        let lower = polyshade_lower_geometry;
        let steps = Steps::new(lower, (&words, c"main"), (all, before), options);
        let expected: Vec<_> = expected.iter().map(|(step, words)| (*step, &words[..])).collect();
        steps.assert_are(&expected);
        let one = Steps::new(lower, (&words, c"main"), (expected[1].0, before), options);
        one.assert_are(&expected[1..2]);
    }
    unsafe { polyshade_layout_release(before) };
}

#[test]
fn steps_of_tessellation_are_those_of_the_rust_library() {
    let words = words(2);
    let m = Module::parse(&words).expect("it is a module");
    let vertex = transform_feedback::prepare(&m, "vertex", &spilling()).expect("it spills");
    let options = Options::new().into_storage(Set(2), Binding(5));
    let control = tessellation::control(&m, "control", vertex.layout(), 3, &options);
    let control = control.expect("it can be lowered");
    let layout = control.result.clone().lower_left_origin();
    let evaluated = tessellation::evaluation(&m, "evaluation", &layout, &options);
    let evaluated = evaluated.expect("it can be lowered");
    let tessellated = tessellation::tessellate(&m, "evaluation", &layout, &options);
    let tessellated = tessellated.expect("it can be lowered");
    let allocated = tessellation::allocate(&m, "evaluation", &layout, &options);
    let allocated = allocated.expect("it can be lowered");

    let kind = POLYSHADE_OPTIONS_TESSELLATION;
    let mut capture = zeros!(polyshade_capture_options, kind);
    (capture.set, capture.binding, capture.patch_control_points) = (2, 5, 3);
    capture.flags = POLYSHADE_CAPTURE_HAS_SET
        | POLYSHADE_CAPTURE_HAS_BINDING
        | POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN;
    let as_json = json(
        kind,
        c"{\"patch_control_points\":3,\"lower_left_origin\":true,\"options\":{\"set\":2,\"binding\":5}}",
    );
    assert_eq!(hash(&capture.base, null()), hash(&as_json.base, null()));
    let before = handle(vertex.layout());
    for options in [&capture.base, &as_json.base] {
        let (lower, step) = (polyshade_lower_tessellation, POLYSHADE_TESSELLATION_CONTROL);
        let first = Steps::new(lower, (&words, c"control"), (step, before), options);
        first.assert_are(&[(step, control.module.words())]);
        let control = first_layout(first.result);
        let others = [
            (POLYSHADE_TESSELLATION_ALLOCATE, allocated.module.words()),
            (POLYSHADE_TESSELLATION_TESSELLATE, tessellated.module.words()),
            (POLYSHADE_TESSELLATION_EVALUATION, evaluated.module.words()),
        ];
        let steps = others.iter().fold(0, |all, (step, _)| all | step);
        let rest = Steps::new(lower, (&words, c"evaluation"), (steps, control), options);
        rest.assert_are(&others);
        unsafe { polyshade_layout_release(control) };
    }
    unsafe { polyshade_layout_release(before) };

    // The origin changes the tessellator, so the hash covers it.
    let upper_left = polyshade_capture_options { flags: 3, ..capture };
    assert_ne!(hash(&upper_left.base, null()), hash(&capture.base, null()));
    let plain = tessellation::tessellate(&m, "evaluation", &control.result, &Options::new());
    assert!(plain.expect("it can be lowered").module.words() != tessellated.module.words());
}

fn c_program(library: Library, sanitizers: Sanitizers) -> Program {
    Program::new(Language::C99, &here("tests/c/steps.c"), library, sanitizers)
}

#[test]
fn a_program_in_c_gets_known_sizes_and_errors() {
    let program = c_program(Library::Shared, Sanitizers::AddressAndUndefined);
    let folder = tempfile::tempdir().expect("there is room");
    let printed = run(program.command().args(assembled(&folder)));
    assert_eq!(printed, "217 checks, 0 wrong\n");
}

#[test]
fn a_program_in_c_leaves_no_memory_behind() {
    let program = c_program(Library::Shared, Sanitizers::None);
    let folder = tempfile::tempdir().expect("there is room");
    run(program.under_valgrind().args(assembled(&folder)));
}

#[test]
fn a_program_in_cpp_calls_the_wrappers() {
    let source = here("tests/c/steps.cpp");
    let sanitizers = Sanitizers::AddressAndUndefined;
    let program = Program::new(Language::Cpp17, &source, Library::Shared, sanitizers);
    let folder = tempfile::tempdir().expect("there is room");
    let printed = run(program.command().args(assembled(&folder)));
    let expected = "4 steps, 1492 bytes of counts, 256 lines written\n600 lines emitted\n\
                    3 steps, 7128 bytes of patches\nc-api.argument\n";
    assert_eq!(printed, expected);
}
