//! Parses the page's requests and answers them.

use crate::lower::{self, Asked};
use polyshade::advanced_blend::Equation;
use polyshade::transform_feedback::capturable;
use polyshade::{Error, ErrorKind, Module};
use polyshade_formats::wgsl::{self, Place, Wgsl, WgslResource};
use polyshade_formats::{SpirvVersion, tools};
use serde::Deserialize;
use serde_json::{Value, json};

/// A request from the page.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Compiles a WGSL shader to SPIR-V words.
    Read { name: String, source: String },
    /// Writes SPIR-V words as WGSL.
    Write { words: Vec<u32> },
    /// Describes a module.
    Describe { words: Vec<u32> },
    /// Lowers the stages of a pipeline.
    Lower(Box<Asked>),
    /// Lists the blend equations in the order of their selector values, which start at 1.
    Equations,
    /// Panics, so that the page's tests can check that the page recovers.
    Panic,
}

/// Returns the answer: `{"ok": …}`, or `{"error": {"message": …}}` with further details of the error.
pub fn answer(request: &str) -> String {
    let parsed = serde_json::from_str(request).map_err(|error| of_text(&error, "request"));
    let answer = match parsed.and_then(perform) {
        Ok(answer) => json!({ "ok": answer }),
        Err(error) => json!({ "error": error }),
    };
    answer.to_string()
}

fn perform(request: Request) -> Result<Value, Value> {
    match request {
        Request::Read { name, source } => {
            let words = wgsl::read(&source, &name, SpirvVersion::SPIRV1_3);
            let words = words.map_err(|error| of_format(&error))?;
            Ok(json!({ "words": words }))
        }
        Request::Write { words } => write(&words),
        Request::Describe { words } => describe(&words),
        Request::Lower(asked) => lower::lower(&asked),
        Request::Equations => Ok(json!(Equation::ALL.to_vec())),
        Request::Panic => panic!("the page requested a panic"),
    }
}

/// Returns the module as WGSL, and the resources with different bindings in WGSL.
fn write(words: &[u32]) -> Result<Value, Value> {
    let text = wgsl::write(words, &Wgsl::default()).map_err(|error| of_format(&error))?;
    let at = |Place { set, binding }: Place| json!({ "set": set, "binding": binding });
    let bound = text.bound.iter().map(|bound| {
        let what = match bound.resource {
            WgslResource::Element { array, index } => json!({ "element": index, "of": at(array) }),
            WgslResource::Sampler(of) => json!({ "sampler_of": at(of) }),
            WgslResource::PushConstants => json!("push_constants"),
        };
        json!({ "what": what, "set": bound.place.set, "binding": bound.place.binding })
    });
    Ok(json!({ "source": text.source, "bound": bound.collect::<Vec<_>>() }))
}

fn describe(words: &[u32]) -> Result<Value, Value> {
    let module = Module::parse(words).map_err(|error| of_module(&error, None))?;
    let entries = module.entry_points().map(|entry| {
        let captured = capturable(&module, entry).into_iter().map(|(varying, components)| {
            let refused = components.as_ref().err().map(Error::message);
            json!({
                "name": varying.to_string(),
                "varying": varying,
                "components": components.as_ref().ok(),
                "refused": refused,
            })
        });
        json!({
            "name": entry.name(),
            "stage": entry.model().to_string(),
            "capturable": captured.collect::<Vec<_>>(),
        })
    });
    let entries: Vec<Value> = entries.collect();
    Ok(json!({ "shape": shape(&module)?, "entries": entries }))
}

/// Returns the size and the assembly of a module.
pub(crate) fn shape(module: &Module<'_>) -> Result<Value, Value> {
    let listing = tools::listing(module.words()).map_err(|error| of_format(&error))?;
    Ok(json!({
        "count": module.words().len(),
        "instructions": module.instructions().count(),
        "listing": listing,
    }))
}

/// Describes an error in JSON that the page sent.
pub(crate) fn of_text(error: &serde_json::Error, of: &str) -> Value {
    let text = error.to_string();
    // Remove the position from the message, because it is returned as numbers.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    json!({ "in": of, "message": message, "line": error.line(), "column": error.column() })
}

fn of_format(error: &polyshade_formats::Error) -> Value {
    json!({ "in": "format", "code": error.code().name(), "message": error.to_string() })
}

/// Describes an error of the library, with the line of the listing to which the error refers, if known.
pub(crate) fn of_module(error: &Error, module: Option<&Module<'_>>) -> Value {
    let kind = match error.kind() {
        ErrorKind::Malformed => "malformed",
        ErrorKind::Limit => "limit",
        ErrorKind::NotFound => "not found",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Options => "options",
        ErrorKind::Failed => "failed",
    };
    let line = module.zip(error.word_offset()).and_then(|(module, word)| {
        module.instructions().take_while(|inst| inst.at() <= word).count().checked_sub(1)
    });
    json!({
        "in": "lowering",
        "code": error.code().name(),
        "kind": kind,
        "message": error.message(),
        "help": error.suggestion(),
        "word": error.word_offset(),
        "assembly_line": line.map(|line| line + 1),
    })
}
