//! `cargo xtask piglit`: OpenGL's tests of transform feedback, through Mesa's zink, over the layer.
//!
//! zink makes Vulkan of OpenGL, and without transform feedback falls to OpenGL 2.1. Which tests pass over which driver
//! in which mode of the layer is committed, by name: a layer that is not loaded shows as tests that are skipped. What
//! passes with the mode that captures nothing proves nothing, and so is known.

mod results;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::command::{Incremental, cargo, output, program, run, target, workspace};
use crate::setup::{Package, run_setup, run_setup_of};
use crate::vulkan::{Driver, driver_manifest};
use results::{Results, names};

/// What the tests need beyond what all others do.
const PACKAGES: &[Package] = &[
    ("piglit", "OpenGL's tests"),
    ("libgl1-mesa-dri", "zink, OpenGL over Vulkan"),
    ("libegl1", "by which piglit opens windows"),
    ("xvfb", "an X server without a screen"),
];

/// The layer's extension.
const FEEDBACK: &str = "VK_EXT_transform_feedback";

/// A driver, and what the layer does.
struct Case {
    name: &'static str,
    driver: Driver,
    mode: &'static str,
    hide: &'static str,
}

const CASES: [Case; 7] = [
    Case::new("swiftshader-pass-through", Driver::SwiftShader, "pass-through", ""),
    Case::new("swiftshader-null", Driver::SwiftShader, "debug-null", ""),
    Case::new("swiftshader-captured", Driver::SwiftShader, "auto", ""),
    Case::new("lavapipe-pass-through", Driver::Lavapipe, "pass-through", ""),
    Case::new("lavapipe-hidden", Driver::Lavapipe, "pass-through", FEEDBACK),
    Case::new("lavapipe-null", Driver::Lavapipe, "debug-null", FEEDBACK),
    Case::new("lavapipe-captured", Driver::Lavapipe, "auto", FEEDBACK),
];

/// Runs the tests in all cases, or in those whose names contain the filter, and compares what passes with the committed
/// lists, or writes them.
pub(crate) fn run_piglit(filter: Option<&str>, bless: bool) -> Result<(), String> {
    run_setup()?;
    run_setup_of(PACKAGES)?;
    let mut build = cargo(["build", "--quiet", "--release", "--package", "polyshade-layer"]);
    run(Incremental::ByHand.apply(&mut build))?;
    let server = Server::start()?;
    let folder = lists().join("expected");
    let gate = names(&read(&lists().join("swiftshader.list"))?);
    // On a machine that is busy these run out of time, or lavapipe ends.
    let unsteady = names(&read(&lists().join("unsteady.list"))?);

    let mut table =
        String::from("case                        pass  fail  skip other  of the gate  seconds\n");
    let mut faults = Vec::new();
    for case in CASES.iter().filter(|case| filter.is_none_or(|filter| case.name.contains(filter))) {
        let begin = Instant::now();
        let results = case.run(&server, &lists().join("all.list"), "first")?;
        let path = folder.join(format!("{}.txt", case.name));
        let mut passed: BTreeSet<String> = &results.passed() - &unsteady;
        if bless {
            let text: String = passed.iter().map(|name| format!("{name}\n")).collect();
            fs::create_dir_all(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        } else {
            let expected = names(&read(&path)?);
            passed.extend(case.run_again(&server, &expected, &passed)?);
            passed = &passed - &unsteady;
            faults.extend(differences(case.name, &expected, &passed));
        }
        let seconds = begin.elapsed().as_secs();
        let of_gate = passed.intersection(&gate).count();
        table += &format!("{:<26} {} {of_gate:>12} {seconds:>8}\n", case.name, results.counts());
    }
    println!("\n{table}");
    if faults.is_empty() {
        return Ok(());
    }
    let mend = "if that is what is to be, run `cargo xtask piglit --bless`, and read the diff";
    Err(format!("{}\n{mend}", faults.join("\n")))
}

impl Case {
    const fn new(
        name: &'static str,
        driver: Driver,
        mode: &'static str,
        hide: &'static str,
    ) -> Self {
        Self { name, driver, mode, hide }
    }

    /// Runs the tests of a list.
    fn run(&self, server: &Server, list: &Path, name: &str) -> Result<Results, String> {
        let folder = target().join("piglit").join(format!("{}-{name}", self.name));
        // A test that hangs ends; the others go on.
        let line = ["run", "all", "--platform", "x11_egl", "--ignore-missing", "--all-concurrent"];
        let mut command = program("nice", ["-n", "19", "piglit"]);
        command.args(line).args(["--timeout", "120", "--log-level", "quiet", "--overwrite"]);
        command.arg("--test-list").arg(list).arg(&folder).envs(self.variables(server)?);
        run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let text = output(&mut program(
            "piglit",
            [OsString::from("summary"), "console".into(), folder.into()],
        ))?;
        Ok(Results::read(&text, &names(&read(&lists().join("all.list"))?)))
    }

    /// Runs those once more that should have passed: a machine that is busy has tests run out of time.
    fn run_again(
        &self,
        server: &Server,
        expected: &BTreeSet<String>,
        passed: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, String> {
        let lost: BTreeSet<&String> = expected.difference(passed).collect();
        if lost.is_empty() {
            return Ok(BTreeSet::new());
        }
        let all = read(&lists().join("all.list"))?;
        let wanted = all.lines().filter(|line| names(line).iter().any(|name| lost.contains(name)));
        let text: String = wanted.map(|line| format!("{line}\n")).collect();
        let list = target().join("piglit").join(format!("{}-again.list", self.name));
        fs::write(&list, text).map_err(|error| format!("{}: {error}", list.display()))?;
        Ok(self.run(server, &list, "again")?.passed())
    }

    /// What leads OpenGL to zink, zink to the driver, and the loader to the layer.
    fn variables(&self, server: &Server) -> Result<Vec<(&'static str, OsString)>, String> {
        let driver: OsString = driver_manifest(self.driver)?.into();
        Ok(vec![
            ("DISPLAY", server.display.clone().into()),
            ("LIBGL_ALWAYS_SOFTWARE", "1".into()),
            ("MESA_LOADER_DRIVER_OVERRIDE", "zink".into()),
            ("GALLIUM_DRIVER", "zink".into()),
            ("VK_DRIVER_FILES", driver.clone()),
            ("VK_ICD_FILENAMES", driver),
            ("VK_LAYER_PATH", layer_folder()?.into()),
            ("VK_INSTANCE_LAYERS", "VK_LAYER_POLYSHADE_polyfill".into()),
            ("POLYSHADE_LAYER_MODE", self.mode.into()),
            ("POLYSHADE_LAYER_HIDE", self.hide.into()),
        ])
    }
}

/// The folder of the lists.
fn lists() -> PathBuf {
    workspace().join("crates/layer/tests/piglit")
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The folder of a manifest that leads to the layer that was built: `polyshade layer run` writes one like it, but takes
/// the whole program to be built.
fn layer_folder() -> Result<PathBuf, String> {
    let folder = target().join("piglit").join("layer");
    let library = target().join("release/libpolyshade_layer.so");
    let commands = [
        "BindTransformFeedbackBuffers",
        "BeginTransformFeedback",
        "EndTransformFeedback",
        "BeginQueryIndexed",
        "EndQueryIndexed",
        "DrawIndirectByteCount",
    ];
    let commands = commands.map(|command| format!("\"vkCmd{command}EXT\"")).join(", ");
    let manifest = format!(
        r#"{{
  "file_format_version": "1.2.0",
  "layer": {{
    "name": "VK_LAYER_POLYSHADE_polyfill",
    "type": "GLOBAL",
    "library_path": "{}",
    "api_version": "1.3.281",
    "implementation_version": "1",
    "description": "the layer that was just built",
    "device_extensions": [
      {{ "name": "{FEEDBACK}", "spec_version": "1", "entrypoints": [{commands}] }},
      {{ "name": "VK_EXT_primitives_generated_query", "spec_version": "1" }}
    ]
  }}
}}
"#,
        library.display()
    );
    let path = folder.join("VkLayer_polyshade_polyfill.json");
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, manifest));
    written.map(|()| folder).map_err(|error| format!("{}: {error}", path.display()))
}

/// What passes and should not, and the other way round.
fn differences(case: &str, expected: &BTreeSet<String>, passed: &BTreeSet<String>) -> Vec<String> {
    let lost = expected.difference(passed).map(|name| format!("{case}: {name} does not pass"));
    let new = passed
        .difference(expected)
        .map(|name| format!("{case}: {name} passes, and is not expected to"));
    lost.chain(new).collect()
}

/// An X server without a screen, which ends with this value.
struct Server {
    child: Child,
    display: String,
}

impl Server {
    /// Starts one on a display that is free.
    fn start() -> Result<Self, String> {
        let mut command = Command::new("Xvfb");
        // Without the second, it forgets all when its first client goes.
        command.args(["-displayfd", "1", "-noreset", "-nolisten", "tcp"]);
        command.args(["-screen", "0", "640x480x24"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("Xvfb did not start: {error}"))?;
        let mut line = String::new();
        let stdout = child.stdout.take().expect("the output is piped");
        let read = BufReader::new(stdout).read_line(&mut line);
        let server = Self { child, display: format!(":{}", line.trim()) };
        match read {
            Ok(length) if length > 0 => Ok(server),
            _ => Err("Xvfb found no display".to_owned()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_passes_otherwise_is_told() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(differences("c", &set(&["a", "b"]), &set(&["a", "b"])), [""; 0]);
        assert_eq!(
            differences("c", &set(&["a", "b"]), &set(&["b", "d"])),
            ["c: a does not pass", "c: d passes, and is not expected to"]
        );
    }

    #[test]
    fn every_gate_is_a_part_of_the_whole_list() {
        let list = |name| names(&read(&lists().join(name)).expect("the list is committed"));
        let all = list("all.list");
        for name in ["swiftshader.list", "lavapipe-hidden.list"] {
            let gate = list(name);
            assert_eq!(gate.len(), 235);
            assert!(gate.is_subset(&all), "{:?}", gate.difference(&all).next());
        }
    }
}
