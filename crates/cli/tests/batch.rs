//! Tests `polyshade batch` and the options for build systems.

mod build;
mod names;
mod result;
mod resume;
#[cfg(feature = "glsl")]
mod verbs;

use crate::work::Work;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, SystemTime};

/// Returns a temporary folder for a test. The shaders are in its subfolder `in`.
fn work() -> Work {
    let work = Work::new();
    fs::create_dir(work.path("in")).unwrap();
    work
}

impl Work {
    /// Creates `count` different shaders in a few folders. One in ten is unsupported, and one in ten is not GLSL.
    fn with_shaders(count: usize) -> Self {
        let work = work();
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

    /// Captures `gl_Position` of the shaders in `in`, with further options.
    fn batch(&self, options: &str) -> Output {
        self.run(&format!("batch in capture --varyings gl_Position {options}"))
    }

    /// Returns the names and contents of all files in a folder.
    fn tree(&self, name: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = self.path(name);
        let files = walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap);
        let files = files.filter(|entry| entry.file_type().is_file());
        let inside = |path: &Path| path.strip_prefix(&root).unwrap().to_owned();
        files.map(|entry| (inside(entry.path()), fs::read(entry.path()).unwrap())).collect()
    }

    /// Returns the outputs in a folder, without the batch's own files.
    fn made(&self, name: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut tree = self.tree(name);
        tree.retain(|path, _| !path.starts_with(".polyshade-batch"));
        tree
    }

    /// Returns the names of the outputs in a folder.
    fn outputs(&self, name: &str) -> Vec<String> {
        self.made(name).into_keys().map(|path| path.to_str().unwrap().to_owned()).collect()
    }

    /// Returns the number of lines in the index of a folder of outputs.
    fn lines(&self, name: &str) -> usize {
        let index = self.path(name).join(".polyshade-batch/index.jsonl");
        fs::read_to_string(index).map_or(0, |text| text.lines().count())
    }

    /// Waits until the batch that writes to a folder has done a few shaders, but not all.
    fn wait_for(&self, name: &str, batch: &mut Child) {
        while self.lines(name) < 10 {
            assert!(batch.try_wait().unwrap().is_none(), "it ended too soon");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

fn make_old(file: &Path) {
    File::options().write(true).open(file).unwrap().set_modified(long_ago()).unwrap();
}

fn is_old(file: &Path) -> bool {
    fs::metadata(file).unwrap().modified().unwrap() == long_ago()
}

/// Returns a shader whose words differ for each number.
fn shader(number: usize) -> String {
    format!("#version 450\nvoid main() {{ gl_Position = vec4({number}.0, 1.0, 2.0, 1.0); }}\n")
}

fn with_side_effect() -> String {
    "#version 450\nlayout(set = 0, binding = 0) buffer B { int n; };\nvoid main() { n = 1; gl_Position = vec4(1.0); }\n"
        .to_owned()
}
