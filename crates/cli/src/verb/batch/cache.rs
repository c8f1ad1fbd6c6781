//! A cache of results that machines and runs share: the folder `DIR/.polyshade-batch/cache`, with one file for each
//! key.
//!
//! The key is the hash of everything that determines a result. A file therefore never changes, and two writers of the
//! same file write the same bytes. A file's modification time is the time of its last use. A file is renamed to its
//! final name only when it is complete, and it begins with the hash of the rest. Files that a crash or a disk error
//! damaged are ignored and written again. Because of the folder's name, a batch does not search it for shaders.

use super::command::Command;
use super::entry::{Entry, FOLDER, FileEntry, Job, Role, Status, hex};
use crate::failure::Failure;
use crate::output::with_permissions;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;
use walkdir::WalkDir;

/// Version of the files' format. It is part of every key, so files of another version are not found.
const VERSION: u32 = 1;

pub(super) struct Cache {
    folder: PathBuf,
    damaged: AtomicUsize,
    unwritten: AtomicUsize,
    unremoved: AtomicUsize,
}

/// The total size of all results, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size(u64);

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit);
        let shift = match unit {
            "" => Some(0),
            "K" => Some(10),
            "M" => Some(20),
            "G" => Some(30),
            "T" => Some(40),
            _ => None,
        };
        let size = shift.and_then(|shift| number.parse::<u64>().ok()?.checked_mul(1 << shift));
        size.map(Self)
            .ok_or("a size is a number of bytes, or a number with the suffix K, M, G or T")
    }
}

/// The key of a result, as hexadecimal digits.
pub(super) struct Key(String);

#[derive(Serialize, Deserialize)]
struct Header {
    polyshade_batch_cache: u32,
    key: String,
    /// The hash of all bytes after the header line.
    sha256: String,
    entry: u64,
}

impl Cache {
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let own = folder.join(FOLDER).join("cache");
        fs::create_dir_all(&own).map_err(|error| Failure::file(folder, error))?;
        Ok(Self { folder: own, damaged: 0.into(), unwritten: 0.into(), unremoved: 0.into() })
    }

    /// Returns the cache key of a shader from its index key. The result also depends on the names of the shader and
    /// of the outputs: extensions select formats, and messages contain names.
    pub(super) fn key(command: &Command, roles: &[Role], job: &Job, index_key: &str) -> Key {
        let mut hash = Sha256::new();
        let mut add = |part: &str| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        add(&VERSION.to_string());
        add(index_key);
        // The messages of a separate process differ from the messages of a call in this process.
        add(if command.isolate { "process" } else { "call" });
        add(&job.shader);
        for (role, output) in roles.iter().zip(&job.outputs) {
            add(match role {
                Role::Output => "output",
                Role::Variant(name) => name,
                Role::Report => "report",
                Role::Printed => "printed",
            });
            add(output);
        }
        Key(hex(hash))
    }

    fn file(&self, key: &Key) -> PathBuf {
        let (first, rest) = key.0.split_at(2);
        self.folder.join(first).join(rest)
    }

    /// Returns the result with this key, and the contents of its outputs.
    pub(super) fn find(&self, key: &Key) -> Option<(Entry, Vec<Vec<u8>>)> {
        let mut file = File::open(self.file(key)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let found = parsed(key, &bytes);
        match found {
            None => drop(self.damaged.fetch_add(1, Ordering::Relaxed)),
            // If this fails, the result counts as not used recently.
            Some(_) => drop(file.set_modified(SystemTime::now())),
        }
        found
    }

    /// Removes the least recently used files until the remaining files have at most `size` bytes. A removed result is
    /// computed again when it is needed.
    pub(super) fn trim(&self, size: Size) {
        let files = WalkDir::new(&self.folder).into_iter().filter_map(Result::ok);
        let files = files.filter(|file| file.file_type().is_file()).filter_map(|file| {
            let about = file.metadata().ok()?;
            Some((about.modified().ok()?, about.len(), file.into_path()))
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, of_file, path) in files {
            if bytes <= size.0 {
                return;
            }
            match fs::remove_file(path) {
                Ok(()) => bytes -= of_file,
                Err(_) => drop(self.unremoved.fetch_add(1, Ordering::Relaxed)),
            }
        }
    }

    /// Stores a result. Errors are only counted, because a result that is not stored can be computed again.
    pub(super) fn keep(&self, key: &Key, entry: &Entry, outputs: &[&[u8]]) {
        if self.write(key, entry, outputs).is_err() {
            self.unwritten.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn write(&self, key: &Key, entry: &Entry, outputs: &[&[u8]]) -> io::Result<()> {
        let entry = serde_json::to_vec(entry)?;
        let mut hash = Sha256::new_with_prefix(&entry);
        outputs.iter().for_each(|output| hash.update(output));
        let mut bytes = serde_json::to_vec(&Header {
            polyshade_batch_cache: VERSION,
            key: key.0.clone(),
            sha256: hex(hash),
            entry: entry.len() as u64,
        })?;
        bytes.push(b'\n');
        bytes.extend(entry);
        outputs.iter().for_each(|output| bytes.extend(*output));

        let file = self.file(key);
        let folder = file.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut new = with_permissions(None).prefix("new-").tempfile_in(folder)?;
        new.write_all(&bytes)?;
        new.persist(&file)?;
        Ok(())
    }

    /// Returns the problems with the cache as messages for the user.
    pub(super) fn complaints(&self) -> Vec<String> {
        let counts = [
            (&self.damaged, "results in the cache were damaged, and are computed again"),
            (&self.unwritten, "results could not be written to the cache"),
            (&self.unremoved, "results could not be removed from the cache"),
        ];
        let counts = counts.map(|(count, what)| (count.load(Ordering::Relaxed), what));
        let some = counts.into_iter().filter(|(count, _)| *count > 0);
        some.map(|(count, what)| format!("{count} {what}")).collect()
    }
}

/// Parses a result from a file's bytes, if the file is complete and belongs to the key.
fn parsed(key: &Key, bytes: &[u8]) -> Option<(Entry, Vec<Vec<u8>>)> {
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = (&bytes[..line], &bytes[line + 1..]);
    let header: Header = serde_json::from_slice(line).ok()?;
    if header.key != key.0 || hex(Sha256::new_with_prefix(rest)) != header.sha256 {
        return None;
    }
    let (entry, mut rest) = rest.split_at_checked(usize::try_from(header.entry).ok()?)?;
    let entry: Entry = serde_json::from_slice(entry).ok()?;
    let mut outputs = Vec::with_capacity(entry.outputs.len());
    for output in &entry.outputs {
        let (bytes, behind) = rest.split_at_checked(usize::try_from(output.bytes).ok()?)?;
        if FileEntry::of(&output.path, bytes) != *output {
            return None;
        }
        outputs.push(bytes.to_vec());
        rest = behind;
    }
    let is_result = !entry.status.is_failure() && entry.status != Status::NotRun;
    (rest.is_empty() && is_result).then_some((entry, outputs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread;

    fn result() -> (Key, Entry, Vec<u8>) {
        let bytes = vec![7; 1000];
        let outputs = vec![FileEntry::of("a.spv", &bytes)];
        let entry = Entry { status: Status::Ok, outputs, ..Entry::not_run("a.vert") }.coded();
        (Key("0123".to_owned()), entry, bytes)
    }

    #[test]
    fn what_is_not_whole_is_not_there() {
        let folder = tempfile::tempdir().expect("there is room");
        let cache = Cache::open(folder.path()).expect("the folder is there");
        let (key, entry, bytes) = result();
        assert!(cache.find(&key).is_none());
        cache.keep(&key, &entry, &[&bytes]);
        assert_eq!(cache.find(&key), Some((entry.clone(), vec![bytes.clone()])));
        assert!(cache.complaints().is_empty());

        let file = cache.file(&key);
        let whole = fs::read(&file).expect("the result was kept");
        for length in 0..whole.len() {
            assert!(parsed(&key, &whole[..length]).is_none(), "{length} of {}", whole.len());
        }
        for at in 0..whole.len() {
            let mut other = whole.clone();
            other[at] ^= 1;
            // This does not test the version, which is part of the key.
            let found = parsed(&key, &other);
            assert!(found.is_none_or(|found| found == (entry.clone(), vec![bytes.clone()])));
        }
        assert!(parsed(&Key("0124".to_owned()), &whole).is_none());

        fs::write(&file, &whole[..whole.len() - 1]).expect("there is room");
        assert!(cache.find(&key).is_none());
        assert_eq!(cache.complaints().len(), 1);
        cache.keep(&key, &entry, &[&bytes]);
        assert!(cache.find(&key).is_some());
    }

    #[test]
    fn a_reader_beside_writers_finds_the_whole_or_nothing() {
        let folder = tempfile::tempdir().expect("there is room");
        let (key, entry, bytes) = result();
        let barrier = Barrier::new(3);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let cache = Cache::open(folder.path()).expect("the folder is there");
                    barrier.wait();
                    (0..200).for_each(|_| cache.keep(&key, &entry, &[&bytes]));
                    assert!(cache.complaints().is_empty());
                });
            }
            let cache = Cache::open(folder.path()).expect("the folder is there");
            barrier.wait();
            for _ in 0..1000 {
                let found = cache.find(&key);
                assert!(found.is_none_or(|found| found == (entry.clone(), vec![bytes.clone()])));
            }
            assert!(cache.complaints().is_empty());
        });
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let folder = tempfile::tempdir().expect("there is room");
        let cache = Cache::open(folder.path()).expect("the folder is there");
        let (_, entry, bytes) = result();
        let keys = ["0100", "0200", "0300"].map(|key| Key(key.to_owned()));
        for (age, key) in [1, 3, 2].into_iter().zip(&keys) {
            cache.keep(key, &entry, &[&bytes]);
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(100 - age);
            let file = File::open(cache.file(key)).expect("the result was kept");
            file.set_modified(time).expect("the file is ours");
        }
        // Finding a result counts as using it.
        assert!(cache.find(&keys[1]).is_some());
        let each = fs::metadata(cache.file(&keys[0])).expect("the result was kept").len();
        let there = || keys.each_ref().map(|key| cache.file(key).exists());
        cache.trim(Size(3 * each));
        assert_eq!(there(), [true, true, true]);
        cache.trim(Size(3 * each - 1));
        assert_eq!(there(), [true, true, false]);
        cache.trim(Size(each));
        assert_eq!(there(), [false, true, false]);
        cache.trim(Size(0));
        assert_eq!(there(), [false; 3]);
        assert!(cache.complaints().is_empty());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!("0".parse(), Ok(Size(0)));
        assert_eq!("300M".parse(), Ok(Size(300 << 20)));
        for wrong in ["", "M", "1m", "1.5G", "-1", "99999999T"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().expect("there is room");
        let cache = Cache::open(folder.path()).expect("the folder is there");
        let (key, entry, bytes) = result();
        // Put a file where the cache needs a folder.
        fs::write(cache.folder.join("01"), "").expect("there is room");
        cache.keep(&key, &entry, &[&bytes]);
        assert_eq!(cache.complaints(), ["1 results could not be written to the cache"]);
        assert!(Cache::open(&cache.folder.join("01")).is_err());
    }
}
