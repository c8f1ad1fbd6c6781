//! Keeps the files of a verb that a batch runs in memory: the shader, the written files and the printed text.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

pub(crate) type Files = Vec<(PathBuf, Vec<u8>)>;

struct Held {
    shader: (PathBuf, Vec<u8>),
    written: Files,
    printed: Vec<u8>,
}

/// The written files and the printed text of a verb that ran in memory.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) files: Files,
    pub(crate) printed: Vec<u8>,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Runs a verb on this thread, which reads `bytes` in place of the file at `path`. Returns the verb's result, the
/// files that it wrote and the text that it printed.
pub(crate) fn hold<T>(path: &Path, bytes: Vec<u8>, verb: impl FnOnce() -> T) -> (T, Made) {
    let (shader, written, printed) = ((path.to_owned(), bytes), Vec::new(), Vec::new());
    HELD.set(Some(Held { shader, written, printed }));
    let result = verb();
    let made = HELD.take().map(|held| Made { files: held.written, printed: held.printed });
    (result, made.unwrap_or_default())
}

/// Whether this thread keeps outputs in memory.
pub(crate) fn is_held() -> bool {
    HELD.with_borrow(Option::is_some)
}

/// Returns the contents of the file at `path`, if they are in memory.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    HELD.with_borrow(|held| {
        let (shader, bytes) = &held.as_ref()?.shader;
        (shader == path).then(|| bytes.clone())
    })
}

/// Keeps the files if this thread keeps outputs in memory; otherwise returns them.
pub(crate) fn write(files: Files) -> Files {
    HELD.with_borrow_mut(|held| match held {
        Some(held) => {
            held.written.extend(files);
            Vec::new()
        }
        None => files,
    })
}

/// Keeps bytes for standard output if this thread keeps outputs in memory; otherwise returns `false`.
pub(crate) fn print(bytes: &[u8]) -> bool {
    HELD.with_borrow_mut(|held| match held {
        Some(held) => {
            held.printed.extend_from_slice(bytes);
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_verb_reads_and_writes_is_held_while_it_runs() {
        let (shader, other) = (Path::new("a.vert"), Path::new("b.vert"));
        let file = |bytes: &[u8]| (other.to_owned(), bytes.to_vec());
        let (read, made) = hold(shader, b"text".to_vec(), || {
            assert!(is_held() && write(vec![file(b"one")]).is_empty() && print(b"said"));
            [shader, other].map(read)
        });
        assert_eq!(read, [Some(b"text".to_vec()), None]);
        assert_eq!(
            (made.files.as_slice(), made.printed.as_slice()),
            (&[file(b"one")][..], &b"said"[..])
        );
        assert!(!print(b"more"));
        assert!(!is_held() && super::read(shader).is_none());
        assert_eq!(write(vec![file(b"two")]), [file(b"two")]);
    }
}
