//! Runs OpenGL programs with the layer through Mesa's zink, which implements OpenGL on Vulkan.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::command::{Incremental, TESTED, cargo, program, run, target, workspace};
use crate::setup::{Package, run_setup, run_setup_of};
use crate::vulkan::{Driver, driver_manifest};

/// The packages that are needed only for OpenGL.
const PACKAGES: &[Package] = &[
    ("libgl1-mesa-dri", "zink, OpenGL over Vulkan"),
    ("libegl1", "by which programs open windows"),
    ("xvfb", "an X server without a screen"),
];

/// The options that hide the driver's transform feedback, so that the layer provides it.
pub(crate) const HIDDEN: &[&str] = &["--hide", "VK_EXT_transform_feedback"];

/// Installs and builds the prerequisites for OpenGL with the layer, installs further packages, and starts
/// an X server.
pub(crate) fn prepare(packages: &[Package]) -> Result<Server, String> {
    run_setup()?;
    run_setup_of(PACKAGES)?;
    run_setup_of(packages)?;
    let mut build = cargo(["build", "--quiet", "--examples", "--lib", "--bin", "polyshade"]);
    run(Incremental::ByHand.apply(build.args(TESTED)))?;
    Server::start()
}

/// Returns a command to which a program and its arguments must be appended. It runs the program on a driver with the
/// layer and these options of `polyshade layer run`.
pub(crate) fn command(
    server: &Server,
    driver: Driver,
    options: &[&str],
) -> Result<Command, String> {
    let polyshade = target().join("release/polyshade");
    let mut command = program(&polyshade.to_string_lossy(), ["layer", "run"]);
    command.args(options);
    let driver = driver_manifest(driver)?;
    command.env("DISPLAY", &server.display).env("LIBGL_ALWAYS_SOFTWARE", "1");
    command.env("MESA_LOADER_DRIVER_OVERRIDE", "zink").env("GALLIUM_DRIVER", "zink");
    command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver).arg("--");
    Ok(command)
}

/// Runs `examples/godot-particles`, a Godot game, on lavapipe with hidden transform feedback.
pub(crate) fn run_demo() -> Result<(), String> {
    let server = prepare(&[(
        "godot3-runner",
        "a game engine, which moves particles by transform feedback",
    )])?;
    let image: PathBuf = target().join("particles.png");
    let project = workspace().join("examples/godot-particles");
    let mut game = command(&server, Driver::Lavapipe, HIDDEN)?;
    game.args(["godot3-runner", "--fixed-fps", "60", "--path"]).arg(project);
    run(game.env("PICTURE", &image))?;
    println!(
        "{}: the picture that Godot drew; without the layer's emulation, Godot finds OpenGL 2.1 and exits",
        image.display()
    );
    Ok(())
}

/// An X server without a screen. It ends when this value is dropped.
pub(crate) struct Server {
    child: Child,
    display: String,
}

impl Server {
    /// Starts a server on a free display.
    fn start() -> Result<Self, String> {
        let mut command = Command::new("Xvfb");
        // Without `-noreset`, the server resets when its last client disconnects.
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
        // Errors are ignored, because the server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
