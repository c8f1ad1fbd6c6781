//! A bare Debian in a folder: what works there needs nothing of the machine that it was built on.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{output, program, run, target};
use crate::setup::{self, Package};

const DEBOOTSTRAP: &[Package] = &[("debootstrap", "makes a bare Debian in a folder")];

/// The release that the project is for.
const RELEASE: &str = "bookworm";

/// The root folder of a Debian without anything that can be left out. It is removed when this is dropped.
pub(crate) struct Root {
    path: PathBuf,
}

impl Root {
    /// A new one. The packages that it is made of are downloaded once, and kept in the folder of build outputs.
    pub(crate) fn bare(name: &str) -> Result<Self, String> {
        setup::run_setup_of(DEBOOTSTRAP)?;
        let roots = target().join("roots");
        let bare = roots.join("bare");
        if !bare.join("etc/debian_version").exists() || bare.join("debootstrap").exists() {
            remove(&bare)?;
            run(as_root("debootstrap", &["--variant=minbase", RELEASE])?.arg(&bare))?;
        }
        let path = roots.join(name);
        // What a run that was killed has left.
        let _ = output(as_root("umount", &["--quiet"])?.arg(path.join("proc")));
        remove(&path)?;
        run(as_root("cp", &["-a"])?.arg(&bare).arg(&path))?;
        let root = Self { path };
        // Programs find themselves there.
        run(as_root("mount", &["-t", "proc", "proc"])?.arg(root.path.join("proc")))?;
        Ok(root)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Has programs there find the network as they do here: names, certificates, and where packages come from.
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

    /// Runs a script there, with nothing of this environment. It stops where a command fails.
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

/// A command with the rights that another root folder takes.
fn as_root(name: &str, args: &[&str]) -> Result<std::process::Command, String> {
    let is_root = output(&mut program("id", ["-u"]))?.trim() == "0";
    let mut line = if is_root { vec![name] } else { vec!["sudo", name] };
    line.extend(args);
    Ok(program(line[0], &line[1..]))
}
