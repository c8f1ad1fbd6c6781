//! A driver that dies takes its process with it. So the corpus runs in processes of their own: some modules in
//! each; where one dies, each of them in one; where that dies too, it is the driver's if the original alone kills it,
//! and the shader's if it lives with accesses kept in bounds.

use super::{Compared, What, vertex_shaders};
use crate::drivers::Driver;
use std::path::PathBuf;
use std::process::Command;

/// How many modules a process looks at.
const MODULES: usize = 64;
/// What the process is told: the modules, one a line, and what to draw of them.
const THESE: &str = "POLYSHADE_CORPUS_MODULES";
const DRAWN: &str = "POLYSHADE_CORPUS_DRAWN";
/// How its last line begins.
const COUNTS: &str = "counted:";
const FAULT: &str = "fault:";

/// Compares the shaders in all of `modules`.
pub(super) fn compare(driver: Driver, modules: &[PathBuf], all: &mut Compared) {
    for some in modules.chunks(MODULES) {
        if run(driver, some, What::Everything, all).is_ok() {
            continue;
        }
        for one in some.chunks(1) {
            let Err(died) = run(driver, one, What::Everything, all) else { continue };
            let path = one[0].display();
            println!("{driver:?} {path}: it {died}");
            if run(driver, one, What::Originals, &mut Compared::default()).is_err() {
                println!("    of the original");
                all.skipped += 1;
            } else if run(driver, one, What::InBounds, all).is_err() {
                all.faults.push(format!("{driver:?} {path}: of a variant it {died}"));
            }
        }
    }
}

/// Looks at some modules in a process of its own, and counts what it found; `Err` where it did not come back.
fn run(driver: Driver, modules: &[PathBuf], what: What, all: &mut Compared) -> Result<(), String> {
    let lines: Vec<String> = modules.iter().map(|path| path.display().to_string()).collect();
    let this = std::env::current_exe().expect("the test was started from a file");
    let child = Command::new(this)
        .args(["--exact", "--nocapture", "--test-threads=1", "position_corpus::apart::these"])
        .env(THESE, lines.join("\n"))
        .env(DRAWN, format!("{driver:?} {what:?}"))
        .output()
        .expect("it can be started again");
    let text = String::from_utf8_lossy(&child.stdout);
    let name = format!("{driver:?}");
    text.lines().filter(|line| line.starts_with(&name)).for_each(|line| println!("{line}"));
    let counted = text.lines().find_map(|line| line.strip_prefix(COUNTS));
    let Some(counted) = counted.filter(|_| child.status.success()) else {
        return Err(format!("dies of {}", child.status));
    };
    let numbers: Vec<usize> =
        counted.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    let [shaders, outputs, covered, skipped] = numbers[..] else { panic!("{counted}") };
    all.shaders += shaders;
    all.outputs += outputs;
    all.covered += covered;
    all.skipped += skipped;
    all.faults.extend(text.lines().filter_map(|line| line.strip_prefix(FAULT)).map(str::to_owned));
    Ok(())
}

/// What such a process does; in any other there is nothing to do.
#[test]
fn these() {
    let (Ok(modules), Ok(drawn)) = (std::env::var(THESE), std::env::var(DRAWN)) else { return };
    let is = |word: &str| drawn.split(' ').any(|one| one == word);
    let driver = if is("Lavapipe") { Driver::Lavapipe } else { Driver::SwiftShader };
    let all = [What::Originals, What::InBounds, What::Everything];
    let what = all.into_iter().find(|what| is(&format!("{what:?}"))).expect("it is one of them");
    let mut all = Compared::default();
    all.all(driver, what, vertex_shaders(modules.lines().map(PathBuf::from).collect()));
    for fault in &all.faults {
        println!("{FAULT}{}", fault.replace('\n', " "));
    }
    // The test's name stands on the line that it begins with.
    println!("\n{COUNTS} {} {} {} {}", all.shaders, all.outputs, all.covered, all.skipped);
}
