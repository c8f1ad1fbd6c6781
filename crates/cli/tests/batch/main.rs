//! What `polyshade batch` and the options for build systems promise.

mod build;
mod names;
mod result;
mod resume;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder to work in; `in` is the folder of shaders.
struct Work(TempDir);

impl Work {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        Self(folder)
    }

    /// With `count` different shaders in a few folders. One in ten is refused, and one in ten is not GLSL.
    fn with_shaders(count: usize) -> Self {
        let work = Self::new();
        for i in 0..count {
            let text = match i % 10 {
                3 => with_side_effect(),
                7 => "#version 450\nnonsense\n".to_owned(),
                _ => shader(i),
            };
            work.write(&format!("in/{}/{i:03}.vert", i % 7), &text);
        }
        work
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("the program starts")
    }

    /// Captures `gl_Position` of `in`, with further options.
    fn batch(&self, options: &str) -> Output {
        self.run(&format!("batch in capture --varyings gl_Position {options}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// The names and contents of all files in a folder.
    fn tree(&self, name: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = self.path(name);
        let files = walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap);
        let files = files.filter(|entry| entry.file_type().is_file());
        let inside = |path: &Path| path.strip_prefix(&root).unwrap().to_owned();
        files.map(|entry| (inside(entry.path()), fs::read(entry.path()).unwrap())).collect()
    }

    /// The names of the outputs in a folder, without the batch's own files.
    fn outputs(&self, name: &str) -> Vec<String> {
        let names = self.tree(name).into_keys().map(|path| path.to_str().unwrap().to_owned());
        names.filter(|name| !name.starts_with(".polyshade-batch")).collect()
    }
}

/// A shader of which no other number gives the same words.
fn shader(number: usize) -> String {
    format!("#version 450\nvoid main() {{ gl_Position = vec4({number}.0, 1.0, 2.0, 1.0); }}\n")
}

fn with_side_effect() -> String {
    "#version 450\nlayout(set = 0, binding = 0) buffer B { int n; };\nvoid main() { n = 1; gl_Position = vec4(1.0); }\n"
        .to_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn exits(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
}
