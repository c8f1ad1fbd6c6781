//! Tests the playground in headless Chromium: its SPIR-V words equal those of the library of this build, it draws
//! with and without each lowering, and it shows faults and recovers from them.
//!
//! The tests are slow. `cargo xtask test --slow` builds the page and passes its folder in an environment variable.

mod page;
mod pictures;
mod words;

use libtest_mimic::{Arguments, Failed, Trial};
use page::{Accessible, Report};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

type Test = fn(&Report) -> Result<(), Failed>;

/// The tests, each with its name and whether the page must support GLSL.
const TESTS: [(&str, bool, Test); 12] = [
    ("its words are the library's", false, words::are_the_librarys),
    ("words of a flipped bit are noticed", false, words::a_flipped_bit_is_noticed),
    ("captured is what was drawn", false, pictures::captured_is_what_was_drawn),
    ("all examples draw", false, pictures::all_examples_draw),
    ("fetched attributes draw the same", true, pictures::fetched_attributes_draw_the_same),
    ("emulated distances cut the same", true, pictures::emulated_distances_cut_the_same),
    ("positions are kept and converted", true, pictures::positions_are_kept_and_converted),
    ("blending is that of the equations", true, pictures::blending_is_that_of_the_equations),
    ("faults are shown with their place", false, faults_are_shown_with_their_place),
    ("faults of GLSL are shown with their line", true, faults_of_glsl_are_shown_with_their_line),
    ("a link carries the state", false, a_link_carries_the_state),
    ("the keyboard reaches all, and all has a name", true, all_is_accessible),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = std::env::var_os("POLYSHADE_PLAYGROUND").map(PathBuf::from);
    let has_glsl = folder.as_ref().is_some_and(|folder| folder.join("glslang").is_dir());
    let is_there = folder.is_some();
    let report = Arc::new(LazyLock::new(move || {
        let folder = folder.expect("`cargo xtask playground --check` makes the page");
        page::report(&folder)
    }));
    let runs = |(name, needs_glsl, _): &(&str, bool, Test)| {
        let runs = !(is_there && *needs_glsl && !has_glsl);
        if !runs {
            println!("playground: {name}: skipped, as the page has no glslang");
        }
        runs
    };
    let trial = |(name, _, test): (&str, bool, Test)| {
        let report = Arc::clone(&report);
        Trial::test(format!("playground: {name}"), move || test(&report)).with_ignored_flag(true)
    };
    let trials = TESTS.into_iter().filter(runs).map(trial).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns an error unless the condition holds.
fn check(holds: bool, why: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(why().into()) }
}

/// The name of each fault, the component that reports it, and the beginning of its message.
const FAULTS: [(&str, &str, &str); 10] = [
    ("wgsl", "format", "fragment:2:"),
    ("stage", "page", "this is a fragment stage"),
    ("json", "options", "options:2:"),
    ("varying", "lowering", "capture, vertex stage: there is no output `nothing`"),
    ("link", "link", "the link cannot be read: "),
    ("panic", "panic", "panicked at "),
    ("empty", "page", "the vertex shader is empty"),
    ("empty options", "page", "the options are empty"),
    ("without WebGPU", "", "lowered in "),
    ("lost device", "", "the GPU stopped"),
];

fn faults_are_shown_with_their_place(report: &Report) -> Result<(), Failed> {
    FAULTS.into_iter().try_for_each(|fault| is_shown(report, fault))
}

fn faults_of_glsl_are_shown_with_their_line(report: &Report) -> Result<(), Failed> {
    is_shown(report, ("glsl", "glsl", "vertex:3: 'nonsense' : undeclared identifier"))
}

fn is_shown(report: &Report, (name, place, message): (&str, &str, &str)) -> Result<(), Failed> {
    let fault = report.faults.get(name).ok_or_else(|| format!("{name}: not tried"))?;
    let is_right = fault.message.as_ref().is_some_and(|text| text.starts_with(message))
        && fault.place.as_deref().unwrap_or_default() == place
        && fault.goes_on;
    check(is_right, || format!("{name}: {fault:?}, and not `{message}…` in {place}"))
}

fn a_link_carries_the_state(report: &Report) -> Result<(), Failed> {
    let link = &report.link;
    check(link.sent == link.found && link.sent.contains("multiply"), || format!("{link:#?}"))?;
    check(link.length < 2000, || format!("a link of {} letters", link.length))
}

fn all_is_accessible(report: &Report) -> Result<(), Failed> {
    let expected = Accessible {
        leaves: true,
        unnamed: Vec::new(),
        chosen: ["Fragment", "SPIR-V"].map(str::to_owned).into(),
        stops: 2,
        keeps_focus: true,
    };
    let found = &report.accessible;
    check(*found == expected, || format!("{found:#?}"))
}
