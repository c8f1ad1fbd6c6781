//! `cargo xtask fresh`: runs README's two commands in a bare Debian with the Rust toolchain and a clone of the last
//! commit, and prints their run times. Nothing is built or downloaded there in advance.

use std::fs;
use std::time::Instant;

use crate::command::{output, program, run, workspace};
use crate::root::Root;

pub(crate) fn run_fresh(first: bool) -> Result<(), String> {
    let readme = fs::read_to_string(workspace().join("README.md"));
    let readme = readme.map_err(|error| format!("README.md: {error}"))?;
    let commands = commands(&readme);
    let root = Root::bare("fresh")?;
    root.reach_network()?;
    let sysroot = output(&mut program("rustc", ["--print", "sysroot"]))?;
    run(program("cp", ["-a", sysroot.trim()]).arg(root.path().join("rust")))?;
    let clone = ["clone", "--quiet", "--no-hardlinks", "."];
    run(program("git", clone).arg(root.path().join("polyshade")))?;

    let mut took = Vec::new();
    for command in commands.into_iter().take(if first { 1 } else { 2 }) {
        let begin = Instant::now();
        root.run(&format!("export PATH=/rust/bin:$PATH\ncd /polyshade\n{command}"))?;
        took.push(format!("{:>5} s  {command}", begin.elapsed().as_secs()));
    }
    println!("{}", took.join("\n"));
    Ok(())
}

/// Returns the commands in the section `## Try it` of README.
fn commands(readme: &str) -> Vec<&str> {
    let section = readme.split("\n## ").find(|section| section.starts_with("Try it\n"));
    let blocks = section.into_iter().flat_map(|section| section.split("```sh\n").skip(1));
    blocks.filter_map(|block| Some(block.split_once("\n```")?.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readme_has_two_commands_that_need_nothing_but_rust() {
        let readme = fs::read_to_string(workspace().join("README.md")).expect("there is one");
        let commands = commands(&readme);
        assert_eq!(commands.len(), 2, "{commands:?}");
        let installs = |command: &&str| command.starts_with("sh xtask/compiler.sh && cargo ");
        assert!(commands.iter().all(installs), "{commands:?}");
        assert!(workspace().join("xtask/compiler.sh").exists());
    }
}
