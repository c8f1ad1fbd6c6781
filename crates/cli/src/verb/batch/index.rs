//! The index in a batch's output folder, which lets the next run continue an interrupted one.
//!
//! `OUT/.polyshade-batch` contains `index.jsonl`, with a line for each finished shader; `lock`, which the current run
//! holds; and, during a run, `stage`, which holds outputs until they are complete. A run adds a line after it has
//! moved the shader's outputs to their places. The end of a run sorts the lines, so that the folder's contents do not
//! depend on the order of the work.

use super::entry::{Entry, FOLDER, FileEntry, Status};
use super::plan::Plan;
use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Version of the index's lines. A line of another version is ignored, and its shader runs again.
const VERSION: u32 = 1;

/// The first line of the index.
#[derive(Serialize, Deserialize)]
struct Header {
    polyshade_batch_index: u32,
}

/// The open index. It locks the output folder against other runs until it is dropped.
pub(super) struct Index {
    out: PathBuf,
    before: BTreeMap<String, Entry>,
    /// The shaders that were in progress when a crash or a signal ended the last run.
    ended_at: Vec<String>,
    journal: Mutex<File>,
    _lock: File,
}

impl Index {
    pub(super) fn open(out: &Path) -> Result<Self, Failure> {
        let folder = out.join(FOLDER);
        let failed = |error: io::Error| Failure::file(&folder, error);
        fs::create_dir_all(&folder).map_err(failed)?;
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(folder.join("lock"));
        let lock = lock.map_err(failed)?;
        match fs4::FileExt::try_lock(&lock) {
            Ok(()) => {}
            Err(fs4::TryLockError::WouldBlock) => {
                let message = "another batch writes to this folder";
                return Err(Failure::file(out, message));
            }
            Err(fs4::TryLockError::Error(error)) => return Err(failed(error)),
        }

        let ended_at = left_at(&folder.join("stage"));
        // Remove the incomplete outputs of a run that was killed.
        match fs::remove_dir_all(folder.join("stage")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let before = load(&folder.join("index.jsonl"));
        write(&folder, before.values()).map_err(failed)?;
        let journal = OpenOptions::new().append(true).open(folder.join("index.jsonl"));
        let journal = Mutex::new(journal.map_err(failed)?);
        Ok(Self { out: out.to_owned(), before, ended_at, journal, _lock: lock })
    }

    /// Returns the shaders that were in progress when a crash or a signal ended the last run.
    pub(super) fn ended_at(&self) -> &[String] {
        &self.ended_at
    }

    /// Returns the result that an earlier run recorded for a shader.
    pub(super) fn before(&self, shader: &str) -> Option<&Entry> {
        self.before.get(shader)
    }

    /// Returns the folder in which a thread keeps its outputs until they are complete.
    pub(super) fn stage(&self, thread: usize) -> Stage {
        let folder = self.out.join(FOLDER).join("stage").join(thread.to_string());
        // Ignore errors: a missing folder causes an error later, when an output is written, and missing marks only
        // make the next message shorter.
        let _ = fs::create_dir_all(&folder);
        let marks = OpenOptions::new().create(true).append(true).open(folder.with_extension(MARK));
        Stage { folder, marks: marks.ok() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// Whether the file exists and has the recorded contents.
    pub(super) fn holds(&self, file: &FileEntry) -> bool {
        let path = self.path(&file.path);
        let size = fs::metadata(&path).map(|metadata| metadata.len());
        if size.ok() != Some(file.bytes) {
            return false;
        }
        fs::read(path).is_ok_and(|bytes| FileEntry::of(&file.path, &bytes) == *file)
    }

    /// Moves an output from the stage folder to its place. An unchanged file keeps its modification time.
    pub(super) fn publish(&self, stage: &Stage, file: &FileEntry, bytes: &[u8]) -> io::Result<()> {
        if self.holds(file) {
            return Ok(());
        }
        let staged = stage.folder.join("output");
        fs::write(&staged, bytes)?;
        let place = self.path(&file.path);
        // Most folders already exist, so create missing ones only if the renaming fails.
        fs::rename(&staged, &place).or_else(|_| {
            fs::create_dir_all(place.parent().unwrap_or(&self.out))?;
            fs::rename(&staged, &place)
        })
    }

    /// Removes an output if it exists, and then the folders that have become empty.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.path(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(()),
            removed => removed?,
        }
        let folders = Path::new(name).ancestors().skip(1).filter(|folder| *folder != Path::new(""));
        for folder in folders {
            if fs::remove_dir(self.out.join(folder)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Records that a shader is finished.
    pub(super) fn record(&self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(&entry.coded())?;
        line.push(b'\n');
        let mut journal = self.journal.lock().expect("no thread panics while it writes");
        journal.write_all(&line)
    }

    /// Writes the index of all finished shaders, and removes the outputs of deleted shaders.
    pub(super) fn finish(self, plan: &Plan, entries: &[Entry]) -> io::Result<()> {
        let done = |entry: &&Entry| {
            matches!(entry.status, Status::Ok | Status::Skipped | Status::Unsupported)
        };
        let mut lines: BTreeMap<&str, &Entry> =
            entries.iter().filter(done).map(|entry| (entry.shader.as_str(), entry)).collect();
        let not_run = entries.iter().filter(|entry| entry.status == Status::NotRun);
        let not_run: BTreeSet<&str> = not_run.map(|entry| entry.shader.as_str()).collect();
        // Keep earlier results of shaders that this run did not reach. Remove the outputs of deleted shaders.
        for (shader, before) in &self.before {
            let taken = |file: &FileEntry| plan.has_output(&file.path);
            if plan.has_shader(shader) {
                if not_run.contains(shader.as_str()) {
                    lines.insert(shader, before);
                }
            } else if !plan.folder().join(shader).exists() {
                let mut gone =
                    before.outputs.iter().filter(|file| !taken(file) && self.holds(file));
                gone.try_for_each(|file| self.remove(&file.path))?;
            } else if !before.outputs.iter().any(taken) {
                lines.insert(shader, before);
            }
        }
        let folder = self.out.join(FOLDER);
        write(&folder, lines.into_values())?;
        match fs::remove_dir_all(folder.join("stage")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// A thread's folder for incomplete outputs, and the file that names the shader in progress.
pub(super) struct Stage {
    pub(super) folder: PathBuf,
    /// The names of the shaders. A zero byte follows the name of each finished shader.
    marks: Option<File>,
}

/// The extension of the files that name the shaders in progress.
const MARK: &str = "shader";

impl Stage {
    /// Records that the thread works on `shader` until the returned mark is dropped.
    pub(super) fn mark(&self, shader: &str) -> Mark<'_> {
        let _ = self.marks.as_ref().map(|mut file| file.write_all(shader.as_bytes()));
        Mark(self)
    }
}

/// Marks a shader as in progress until it is dropped.
pub(super) struct Mark<'s>(&'s Stage);

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        // If writing fails, the next run reports one finished shader as interrupted.
        let _ = self.0.marks.as_ref().map(|mut file| file.write_all(b"\0"));
    }
}

/// Returns the shaders that were in progress in a run that did not remove its `stage` folder.
fn left_at(stage: &Path) -> Vec<String> {
    let files = fs::read_dir(stage).into_iter().flatten().flatten().map(|file| file.path());
    let marks = files.filter(|file| file.extension().is_some_and(|ending| ending == MARK));
    let marks = marks.filter_map(|file| fs::read_to_string(file).ok());
    let last = marks.map(|text| text.rsplit('\0').next().unwrap_or_default().to_owned());
    let mut shaders: Vec<String> = last.filter(|shader| !shader.is_empty()).collect();
    shaders.sort();
    shaders
}

/// Returns the last entry of each shader. Incomplete lines and lines of another version are skipped.
fn load(file: &Path) -> BTreeMap<String, Entry> {
    let text = fs::read(file).unwrap_or_default();
    let mut lines = text.split(|byte| *byte == b'\n');
    let header = lines.next().and_then(|line| serde_json::from_slice::<Header>(line).ok());
    if header.is_none_or(|header| header.polyshade_batch_index != VERSION) {
        return BTreeMap::new();
    }
    let entries = lines.filter_map(|line| serde_json::from_slice::<Entry>(line).ok());
    entries.map(|entry| (entry.shader.clone(), entry)).collect()
}

fn write<'a>(folder: &Path, entries: impl Iterator<Item = &'a Entry>) -> io::Result<()> {
    let mut text = serde_json::to_vec(&Header { polyshade_batch_index: VERSION })?;
    text.push(b'\n');
    for entry in entries {
        serde_json::to_writer(&mut text, &entry.coded())?;
        text.push(b'\n');
    }
    fs::create_dir_all(folder.join("stage"))?;
    let new = folder.join("stage").join("index.jsonl");
    fs::write(&new, text)?;
    fs::rename(new, folder.join("index.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_a_shader_that_is_not_done() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let entry = Entry { status: Status::Ok, ..Entry::not_run("a.vert") };
        let other = Entry { shader: "b.vert".to_owned(), ..entry.clone() };
        write(folder.path(), [&entry, &other].into_iter()).expect("the folder is there");
        let file = folder.path().join("index.jsonl");
        assert_eq!(load(&file).len(), 2);

        let whole = fs::read(&file).expect("it was written");
        fs::write(&file, &whole[..whole.len() - 5]).expect("the folder is there");
        assert_eq!(load(&file).into_keys().collect::<Vec<_>>(), ["a.vert"]);
        fs::write(&file, &whole[1..]).expect("the folder is there");
        assert_eq!(load(&file).len(), 0);
    }
}
