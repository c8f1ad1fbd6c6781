//! Headless Chromium, with WebGPU on its own SwiftShader.

use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The time limit of a page, from the browser's start to the page's answer. On an idle machine, an answer takes
/// seconds.
pub const LIMIT: Duration = Duration::from_secs(3600);

/// A browser process, which is killed on drop.
pub struct Browser {
    child: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser that opens this address.
    pub fn open(address: &str) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder can be created");
        let mut command = Command::new("chromium");
        command.args(["--headless=new", "--no-sandbox", "--no-first-run"]);
        command.args(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]);
        command.args(["--disable-background-networking", "--disable-component-update"]);
        command.args(["--disable-sync", "--disable-quic"]);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg(address);
        // The browser has its own driver, so variables for other drivers are removed.
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH", "GLIBC_TUNABLES"] {
            command.env_remove(name);
        }
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.expect("`cargo xtask setup` installs chromium");
        Self { child, _profile: profile }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
