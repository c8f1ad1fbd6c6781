//! Treats one shader of a batch: skips it if its outputs are up to date, and otherwise runs the verb.

use super::Run;
use super::command::VerbResult;
use super::entry::{Entry, FileEntry, Job, Refused, Role, Source, Status};
use super::index::Stage;
use crate::code;
use crate::failure::Exit;
use crate::printable::printable;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Returns the result of a shader, and whether it was computed or reused.
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
    if !includes(&bytes)
        && !run.arguments.force
        && let Some(before) = before
        && before.key == key
        && is_done(run, job, before)
    {
        return (before.clone(), Source::Folder);
    }

    // Run the verb, and record the result.
    let _mark = stage.mark(&job.shader);
    let entry = Entry { key, input: Some(input), ..entry };
    let entry = match made(run, job, (bytes, &metadata), stage) {
        Ok(Ok(outputs)) => Entry { status: Status::Ok, outputs, ..entry },
        Ok(Err(result)) => withdrawn(run, job, refusal(entry, result, job, &stage.folder)),
        Err(error) => withdrawn(run, job, failed(entry, &error)),
    };
    if !entry.status.is_failure() {
        // If the index line is lost, the next run only treats the shader again.
        let _ = run.index.record(&entry);
    }
    (entry, Source::Made)
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

/// Runs the verb, and moves its outputs to their places.
fn made(
    run: &Run<'_>,
    job: &Job,
    (bytes, metadata): (Vec<u8>, &Metadata),
    stage: &Stage,
) -> io::Result<Result<Vec<FileEntry>, VerbResult>> {
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
    let (mut outputs, mut written) = (Vec::with_capacity(job.outputs.len()), Vec::new());
    for ((name, role), bytes) in job.outputs.iter().zip(&run.plan.roles).zip(contents) {
        match bytes {
            Some(bytes) => {
                outputs.push(FileEntry::of(name, &bytes));
                written.push(bytes);
            }
            // The verb writes no geometry stage for a shader without distances.
            None if matches!(role, Role::Variant(_)) => run.index.remove(name)?,
            None => return Err(io::Error::other(format!("{name}: it was not written"))),
        }
    }
    // Move the outputs to their places.
    remove_former(run, job)?;
    for (output, bytes) in outputs.iter().zip(&written) {
        let named = |error| io::Error::other(format!("{}: {error}", output.path));
        run.index.publish(stage, output, bytes).map_err(named)?;
    }
    Ok(Ok(outputs))
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
