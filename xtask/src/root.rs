//! A bare Debian in a folder, which shows whether programs need other files of this machine.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{as_root, output, run, target};
use crate::setup::{self, Package};

const DEBOOTSTRAP: &[Package] = &[("debootstrap", "makes a bare Debian in a folder")];

/// The Debian release that the project supports.
const RELEASE: &str = "bookworm";

/// The root folder of a minimal Debian, which is removed when this value is dropped.
pub(crate) struct Root {
    path: PathBuf,
}

impl Root {
    /// Creates a root. The Debian packages are downloaded once and kept in the folder of build outputs.
    pub(crate) fn bare(name: &str) -> Result<Self, String> {
        setup::run_setup_of(DEBOOTSTRAP)?;
        let roots = target().join("roots");
        let bare = roots.join("bare");
        if !bare.join("etc/debian_version").exists() || bare.join("debootstrap").exists() {
            remove(&bare)?;
            run(as_root("debootstrap", &["--variant=minbase", RELEASE])?.arg(&bare))?;
        }
        let path = roots.join(name);
        // Clean up in case an earlier run was killed.
        let _ = output(as_root("umount", &["--quiet"])?.arg(path.join("proc")));
        remove(&path)?;
        run(as_root("cp", &["-a"])?.arg(&bare).arg(&path))?;
        let root = Self { path };
        // Programs find their own executable through `/proc`.
        run(as_root("mount", &["-t", "proc", "proc"])?.arg(root.path.join("proc")))?;
        Ok(root)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives programs in the root this machine's settings for network access: host names, certificates
    /// and package sources.
    pub(crate) fn reach_network(&self) -> Result<(), String> {
        for path in
            ["/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/etc/apt"]
        {
            let there = self.path.join(&path[1..]);
            run(as_root("mkdir", &["-p"])?.arg(there.parent().unwrap_or(&self.path)))?;
            run(as_root("cp", &["-aLT", path])?.arg(there))?;
        }
        Ok(())
    }

    /// Runs a script in the root without this process's environment variables. The script stops when a command fails.
    pub(crate) fn run(&self, script: &str) -> Result<(), String> {
        let mut chroot = as_root("chroot", &[])?;
        chroot.arg(&self.path);
        let path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
        run(chroot.args(["env", "-i", path, "HOME=/", "sh", "-euc", script]))
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let unmount = || run(as_root("umount", &[])?.arg(self.path.join("proc")));
        if let Err(error) = unmount().and_then(|()| remove(&self.path)) {
            eprintln!("xtask: {error}");
        }
    }
}

fn remove(path: &Path) -> Result<(), String> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    run(as_root("rm", &["-rf", "--one-file-system"])?.arg(path))
}
