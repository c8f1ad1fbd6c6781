//! Treats one shader of a batch: skips it if its outputs are up to date, and otherwise runs the verb.

use super::Run;
use super::cache::{Cache, Key};
use super::command::VerbResult;
use super::entry::{Entry, FileEntry, Job, Refused, Role, Source, Status};
use super::index::Stage;
use crate::code;
use crate::failure::Exit;
use crate::printable::printable;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Returns the result of a shader, and whether it was computed, reused or found in the cache.
///
/// `stage` belongs to this thread. Files that remain in it affect no other shader, and the batch removes them.
pub(super) fn treat(run: &Run<'_>, at: usize, stage: &Stage) -> (Entry, Source) {
    let job = &run.plan.jobs[at];
    let entry = Entry::not_run(&job.shader);
    let before = run.index.before(&job.shader);
    if let Some(Refused { code, message }) = &job.refused {
        let status = Status::of(Exit::of(code));
        return (entry.refused(status, code.name(), message), Source::Made);
    }
    // Read the shader, and reuse the result of an earlier run if nothing changed.
    let read = metadata(&job.path).and_then(|metadata| Ok((read(&job.path, &metadata)?, metadata)));
    let (bytes, metadata) = match read {
        Ok(read) => read,
        Err(error) => {
            return (withdrawn(run, job, failed(entry, &error)), Source::Made);
        }
    };
    let input = FileEntry::of(&job.shader, &bytes);
    let key = run.command.key(&input.sha256);
    let may_reuse = !includes(&bytes);
    if may_reuse
        && !run.arguments.force
        && let Some(before) = before
        && before.key == key
        && is_done(run, job, before)
    {
        return (before.clone(), Source::Folder);
    }

    // Look for the result in the cache.
    let cache = run.cache.filter(|_| may_reuse);
    let cache = cache.map(|cache| (cache, Cache::key(run.command, &run.plan.roles, job, &key)));
    let _mark = stage.mark(&job.shader);
    let cached = cache.as_ref().and_then(|(cache, key)| from_cache(run, job, (cache, key), stage));
    if let Some(entry) = cached {
        // If the index line is lost, the next run only treats the shader again.
        let _ = run.index.record(&entry);
        return (entry, Source::Cache);
    }

    // Run the verb, and record the result.
    let entry = Entry { key, input: Some(input), ..entry };
    let (entry, contents) = match made(run, job, (bytes, &metadata), stage) {
        Ok(Ok((outputs, contents))) => (Entry { status: Status::Ok, outputs, ..entry }, contents),
        Ok(Err(result)) => {
            (withdrawn(run, job, refusal(entry, result, job, &stage.folder)), Vec::new())
        }
        Err(error) => (withdrawn(run, job, failed(entry, &error)), Vec::new()),
    };
    if !entry.status.is_failure() {
        let _ = run.index.record(&entry);
        let may_change = entry.status == Status::Unsupported && run.command.asks_device;
        if let Some((cache, key)) = cache.filter(|_| !may_change) {
            let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
            cache.keep(&key, &entry.coded(), &contents);
        }
    }
    (entry, Source::Made)
}

/// Moves a result from the cache to its place. If that fails, the verb is run for the shader and reports the error.
fn from_cache(
    run: &Run<'_>,
    job: &Job,
    (cache, key): (&Cache, &Key),
    stage: &Stage,
) -> Option<Entry> {
    if run.arguments.force {
        return None;
    }
    let (entry, contents) = cache.find(key)?;
    if entry.status != Status::Ok {
        let entry = withdrawn(run, job, entry);
        return (!entry.status.is_failure()).then_some(entry);
    }
    let is_missing = |name: &&String| !entry.outputs.iter().any(|output| output.path == **name);
    let mut missing = job.outputs.iter().filter(is_missing);
    missing.try_for_each(|name| run.index.remove(name)).ok()?;
    publish(run, job, stage, &entry.outputs, &contents).ok()?;
    Some(entry)
}

/// Whether the source text may include other files, which may change while the text stays the same.
fn includes(text: &[u8]) -> bool {
    const DIRECTIVE: &[u8] = b"include";
    text.windows(DIRECTIVE.len()).any(|part| part == DIRECTIVE)
}

/// Returns the metadata of a regular file. Fails for other files, because reading a pipe would wait.
fn metadata(path: &Path) -> io::Result<Metadata> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() { Ok(metadata) } else { Err(io::Error::other("this is not a file")) }
}

/// Reads a file, and fails if its size differs from the size in `metadata`.
fn read(path: &Path, metadata: &Metadata) -> io::Result<Vec<u8>> {
    let size = metadata.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size).map_err(io::Error::other)? + 1);
    File::open(path)?.take(size + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(changed()) }
}

fn changed() -> io::Error {
    io::Error::other("the shader changed while it was read")
}

/// Whether an earlier run finished this shader and all its outputs still exist.
fn is_done(run: &Run<'_>, job: &Job, before: &Entry) -> bool {
    let names = before.outputs.iter().map(|output| &output.path);
    match before.status {
        Status::Ok => {
            names.eq(&job.outputs) && before.outputs.iter().all(|output| run.index.holds(output))
        }
        Status::Unsupported if run.command.asks_device => false,
        Status::Unsupported | Status::Skipped => {
            !job.outputs.iter().any(|name| run.index.path(name).exists())
        }
        Status::Failed | Status::Usage | Status::NotRun => false,
    }
}

type Outputs = (Vec<FileEntry>, Vec<Vec<u8>>);

/// Runs the verb, and moves its outputs to their places.
fn made(
    run: &Run<'_>,
    job: &Job,
    (bytes, metadata): (Vec<u8>, &Metadata),
    stage: &Stage,
) -> io::Result<Result<Outputs, VerbResult>> {
    let contents = match run.command.run(job, bytes, &run.plan.roles, &stage.folder) {
        VerbResult::Done(contents) => contents,
        result => return Ok(Err(result)),
    };
    if run.command.isolate {
        let after = self::metadata(&job.path)?;
        if after.len() != metadata.len() || after.modified()? != metadata.modified()? {
            return Err(changed());
        }
    }
    let mut outputs = (Vec::with_capacity(job.outputs.len()), Vec::new());
    for ((name, role), bytes) in job.outputs.iter().zip(&run.plan.roles).zip(contents) {
        match bytes {
            Some(bytes) => {
                outputs.0.push(FileEntry::of(name, &bytes));
                outputs.1.push(bytes);
            }
            // The verb writes no geometry stage for a shader without distances.
            None if matches!(role, Role::Variant(_)) => run.index.remove(name)?,
            None => return Err(io::Error::other(format!("{name}: it was not written"))),
        }
    }
    publish(run, job, stage, &outputs.0, &outputs.1)?;
    Ok(Ok(outputs))
}

/// Moves the outputs of a shader to their places.
fn publish(
    run: &Run<'_>,
    job: &Job,
    stage: &Stage,
    outputs: &[FileEntry],
    contents: &[Vec<u8>],
) -> io::Result<()> {
    remove_former(run, job)?;
    outputs.iter().zip(contents).try_for_each(|(output, bytes)| {
        let named = |error| io::Error::other(format!("{}: {error}", output.path));
        run.index.publish(stage, output, bytes).map_err(named)
    })
}

/// Returns the entry of a shader whose files could not be read or written.
fn failed(entry: Entry, error: &io::Error) -> Entry {
    entry.refused(Status::Failed, code::CLI_FILE.name(), &error.to_string())
}

/// Returns the entry of a shader for which the verb failed.
fn refusal(entry: Entry, result: VerbResult, job: &Job, stage: &Path) -> Entry {
    let VerbResult::Failed { exit, code, message, instruction } = result else { return entry };
    // The report must not depend on the locations of the folders.
    let stage = printable(&stage.join("").display().to_string());
    let path = printable(&job.path.display().to_string());
    let message = message.replace(&stage, "").replace(&path, &job.shader);
    Entry { instruction, ..entry }.refused(Status::of(exit), &code, &message)
}

/// Removes the outputs that an earlier run wrote, because a rejected shader has no outputs.
fn withdrawn(run: &Run<'_>, job: &Job, entry: Entry) -> Entry {
    let removed = job.outputs.iter().try_for_each(|name| run.index.remove(name));
    match removed.and_then(|()| remove_former(run, job)) {
        Ok(()) => entry,
        Err(error) => {
            let message = entry.message.clone().unwrap_or_default();
            let message = format!("{message}; cannot remove an output of an earlier run: {error}");
            entry.refused(Status::Failed, code::CLI_FILE.name(), &message)
        }
    }
}

/// Removes outputs that an earlier run wrote under other names.
fn remove_former(run: &Run<'_>, job: &Job) -> io::Result<()> {
    let former = run.index.before(&job.shader).map_or(&[][..], |before| &before.outputs);
    let gone = former.iter().filter(|output| !run.plan.has_output(&output.path));
    let mut ours = gone.filter(|output| run.index.holds(output));
    ours.try_for_each(|output| run.index.remove(&output.path))
}
