//! `RUN: rewrite NAME ARGUMENT…`: runs a rewrite tool in this process, because the program has no verbs for rewrite
//! tools.
//!
//! Arguments are numbers and names from the shader's `OpName` instructions. `and` joins edits of one patch, and
//! `then` begins the next version. Added values are used immediately, so that the golden diff shows their positions.

mod edits;
mod passes;

use polyshade::{Error, ErrorKind};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{ExecutionModel, Id, Module, code};

use self::edits::EDITS;
use self::passes::PASSES;
use super::sprinkle;
use crate::shader;

polyshade_spv::codes! {
    TEST_INVARIANT: Malformed, "test.invariant", "Fix the rewrite tool: it breaks its own guarantee.";
    TEST_NAME: NotFound, "test.name", "Give the name of one id.";
    TEST_MOVE: Options, "test.move", "Write an edit of the table, with its arguments.";
}

/// A refusal: the exit code and the text that the program would give for such an error.
pub(super) struct Refusal {
    pub(super) exit: i32,
    pub(super) text: String,
}

/// Returns the result of the tools of a `RUN:` line on `words`.
pub(super) fn run(line: &[String], words: &[u32]) -> Result<Vec<u32>, Refusal> {
    let unread = |error: Error| Refusal { exit: 1, text: error.to_string() };
    let mut module = Module::parse_owned(words.to_vec()).map_err(unread)?;
    for version in line.split(|word| word == "then") {
        let version: Vec<&str> = version.iter().map(String::as_str).collect();
        module = next(&module, &version).map_err(|error| Refusal::of(&error, &module))?;
    }
    Ok(module.into_words())
}

/// Makes the next version twice; both must be equal.
fn next(module: &Module<'static>, edits: &[&str]) -> Result<Module<'static>, Error> {
    let pass = PASSES.iter().find(|(name, _)| Some(name) == edits.first());
    let once = || match pass {
        Some((_, pass)) => pass(module, &edits[1..]),
        None => edited(module, edits),
    };
    let (first, second) = (once()?, once()?);
    if first.words() != second.words() {
        return Err(Error::new(&TEST_INVARIANT, "the same edits give different words"));
    }
    Ok(first)
}

/// Returns the version that a patch with all these edits makes.
fn edited(module: &Module<'static>, edits: &[&str]) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|m, p| {
        for edit in edits.split(|word| *word == "and") {
            let (name, arguments) = edit.split_first().ok_or_else(|| misspelt(edit))?;
            let row = EDITS.iter().find(|(there, _)| there == name);
            let (_, edit) = row.ok_or_else(|| misspelt(edit))?;
            edit(m, p, arguments)?;
        }
        Ok(())
    });
    Ok(next?.module.into_owned())
}

impl Refusal {
    /// Formats the message, the name of the related id and the instruction at the error's position, one per line.
    fn of(error: &Error, m: &Module<'_>) -> Self {
        let mut text = format!("{}\n", error.message());
        if let Some(id) = error.id() {
            let name = m.name(id).map_or_else(|| id.to_string(), |name| name.into_owned());
            text += &format!("about: {name}.\n");
        }
        if let Some(line) = error.word_offset().and_then(|at| line_at(m, at)) {
            text += &format!("at: {line}\n");
        }
        let exit = match error.kind() {
            ErrorKind::Malformed | ErrorKind::Limit | ErrorKind::NotFound | ErrorKind::Failed => 1,
            ErrorKind::Options => 2,
            ErrorKind::Unsupported => 3,
        };
        Self { exit, text }
    }
}

/// Returns the line of the instruction at word `at` in the disassembly, which omits unknown instructions.
fn line_at(m: &Module<'_>, at: u32) -> Option<String> {
    let before = m.instructions().filter(|inst| inst.at() < at);
    let known = before.filter(|inst| inst.words() != sprinkle::INSTRUCTION).count();
    let text = shader::disassemble(&sprinkle::strip(m.words())).ok()?;
    text.lines().nth(known).map(|line| line.trim().to_owned())
}

/// Returns the entry point to edit: the first one.
fn entry<'m>(m: &'m Module<'_>) -> Result<EntryPoint<'m>, Error> {
    m.entry_points()
        .next()
        .ok_or_else(|| Error::new(&code::ENTRY_POINT_NOT_FOUND, "no entry point"))
}

/// Returns the only id with the name `name`.
fn named(m: &Module<'_>, name: &str) -> Result<Id, Error> {
    let ids = (1..m.bound()).filter_map(Id::new);
    let found: Vec<Id> = ids.filter(|id| m.name(*id).is_some_and(|own| own == name)).collect();
    match found[..] {
        [id] => Ok(id),
        _ => Err(Error::new(
            &TEST_NAME,
            format!("{name} is not the name of exactly one id: {found:?}"),
        )),
    }
}

fn number(text: &str) -> Result<u32, Error> {
    text.parse().map_err(|_| misspelt(&[text]))
}

fn model(text: &str) -> Result<ExecutionModel, Error> {
    match text {
        "vertex" => Ok(ExecutionModel::VERTEX),
        "fragment" => Ok(ExecutionModel::FRAGMENT),
        _ => Err(misspelt(&[text])),
    }
}

fn misspelt(words: &[&str]) -> Error {
    Error::new(&TEST_MOVE, format!("unknown edit or wrong arguments: {}", words.join(" ")))
}
