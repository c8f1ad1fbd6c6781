//! The program's options that errors of the library come of. The library names its own options, or none.

use crate::Arguments;
use crate::failure::Failure;
use clap::CommandFactory;

/// Errors by a phrase of their message or help, in which `…` stands for anything, with the options; the first counts.
/// Of the options, those are named that the verb has.
const ADVICE: &[(&str, &[&str])] = &[
    // Any lowering.
    ("say which pass keeps its side effects", &["--side-effects"]),
    ("say which run keeps its side effects", &["--side-effects"]),
    ("say how many output components the device has", &["--max-output-components"]),
    ("say which stage", &["--stage"]),
    ("specialization constant … is reserved", &["--reserve-constant", "--words"]),
    ("bytes … of the push constants are reserved", &["--reserve-push-constants", "--words"]),
    ("binding … of set … is reserved", &["--reserve", "--words"]),
    ("binding … of set … is the shader's own", PLACES),
    ("binding … of set … is added twice", PLACES),
    ("specialization constant … is the shader's own", PLACES),
    ("specialization constants cannot be numbered", PLACES),
    ("push constants cannot begin at byte", PLACES),
    ("the size of the push constants is not known", PLACES),
    ("the push constants of the shader end at byte", PLACES),
    ("words at … overlap those at", PLACES),
    ("words at …, but only vertex stages have attributes", PLACES),
    ("words at …, where the shader has an input", PLACES),
    ("words at …, but a compute stage captures", PLACES),
    ("that are found by addresses have no binding", &["--set", "--binding", "--words"]),
    ("there are no … bindings from", &["--binding"]),
    ("would hold the host words and", &["--words", "--binding"]),
    ("say where they go", &["--set", "--binding", "--reserve"]),
    // `capture`
    ("there is no varying to capture", &["--varyings", "--stream-output"]),
    ("name what to capture", &["--varyings", "--stream-output"]),
    ("is for interleaved varyings only", &["--separate"]),
    ("two outputs are at location", &["--varyings"]),
    ("splits a component of 64 bits", &["--varyings", "--stream-output"]),
    ("there would be a feedback buffer", &["--varyings", "--separate", "--stream-output"]),
    ("the stride of buffer", &["--strides"]),
    ("bytes of feedback buffer …, whose stride is", &["--strides"]),
    ("a vertex takes more than … bytes of feedback buffer", &["--varyings", "--stream-output"]),
    ("is captured twice", &["--repeats"]),
    ("two outputs are captured to byte", &["--varyings"]),
    ("elements: a vertex takes … bytes at most", &["--varyings", "--specialize"]),
    ("takes more than … bytes of a vertex", &["--varyings", "--specialize"]),
    ("say the value of constant", &["--specialize"]),
    ("say the values of the shader's constants", &["--specialize"]),
    ("specialization constant … is given two values", &["--specialize"]),
    ("two output variables share the name", &["--varyings"]),
    ("one buffer would capture vertex streams", &["--varyings"]),
    ("no draw has a topology", &["--topologies"]),
    ("outputs are passed through a buffer that is bound", &["--pass-through", "--words"]),
    ("outputs are passed through by draws without indices", &["--pass-through", "--restart"]),
    ("outputs are passed through only where", &["--pass-through"]),
    ("must fetch it (vertex_pulling)", &["--pull"]),
    ("it has no vertex attribute, not even one", &["--pull-words"]),
    // `blend`
    ("select with a word, or ask for one equation", &["--select", "--equations"]),
    ("a target is to be blended without an equation", &["--equations", "--target"]),
    ("a factor is of the second source", &["--blend"]),
    ("alpha to coverage is of 1 to 32 samples", &["--alpha-to-coverage"]),
    ("samples, and attachments of several samples are", &["--alpha-to-coverage", "--multisampled"]),
    ("the blend constants stand right behind", &["--blend-constants", "--select"]),
    ("say the attachment's format", &["--attachment-format", "--format-class"]),
    ("there is no format of", &["--attachment-format"]),
    ("input attachment index", &["--index"]),
    ("a format of integers is not blended", &["--attachment-format"]),
    (
        "overlap, kinds of alpha and clamping",
        &["--overlap", "--source-alpha", "--destination-alpha", "--clamp-results"],
    ),
    // `pull`
    ("the shader reads location", &["--attribute"]),
    ("say that elements may overlap", &["--access-beyond-stride"]),
    ("the stride of vertex buffer", &["--buffer"]),
    ("no attribute is in vertex buffer", &["--attribute"]),
    ("of which nothing is said", &["--buffer"]),
    ("ends behind 4 GiB", &["--attribute"]),
    ("the offset of attribute", &["--attribute"]),
    // `clip`
    ("the tessellation evaluation stage makes", &["--primitive"]),
    ("distance that the stage writes and that is not linked", &["--linked", "--marks"]),
    ("is marked as clip and cull", &["--inputs", "--outputs", "--marks"]),
    ("clip and cull distances take", &["--inputs", "--outputs", "--marks"]),
    ("there are no clip planes", &["--planes"]),
    ("the stage has cull distances in an array of their own already", &["--to"]),
    ("distances of a kind, and there are to be", &["--linked"]),
    ("there is no location … behind location", &["--location"]),
    ("is taken or reserved", &["--location", "--reserve-location"]),
    ("say at which location they are handed on", &["--location"]),
];

/// Options that have a place in them.
const PLACES: &[&str] = &[
    "--set",
    "--binding",
    "--words",
    "--select",
    "--range",
    "--flip-y",
    "--rotate",
    "--when",
    "--planes-at",
    "--planes-in",
    "--enable",
];

/// The failure with the options of `verb` that it comes of.
pub(crate) fn add(failure: Failure, verb: &str) -> Failure {
    if !failure.is_of_library() {
        return failure;
    }
    let text = format!("{}\n{}", failure.message(), failure.suggestion().unwrap_or_default());
    let Some((_, options)) = ADVICE.iter().find(|(phrase, _)| has(&text, phrase)) else {
        return failure;
    };
    let command = Arguments::command();
    let Some(command) = command.find_subcommand(verb) else { return failure };
    let is_there = |option: &str| {
        command.get_arguments().any(|one| one.get_long() == option.strip_prefix("--"))
    };
    // `capture --pull` has its own options for the places of vertex buffers.
    let pulls = failure.message().contains(": pull, vertex stage: ");
    let options = options.iter().map(|option| match option.strip_prefix("--") {
        Some(name) if pulls && is_there(&format!("--pull-{name}")) => format!("--pull-{name}"),
        _ => (*option).to_owned(),
    });
    let options: Vec<String> = options.filter(|option| is_there(option)).collect();
    let help = match (failure.suggestion(), options.join(", ")) {
        (_, options) if options.is_empty() => return failure,
        (Some(help), options) => format!("{help} ({options})"),
        (None, options) => format!("see {options}"),
    };
    failure.help(help)
}

/// Whether a text has the parts of a phrase, in their order, in one line.
fn has(text: &str, phrase: &str) -> bool {
    text.lines().any(|line| {
        let after = |rest: &str, part: &str| rest.find(part).map(|at| at + part.len());
        let mut at = Some(0);
        for part in phrase.split('…') {
            at = at.and_then(|at| Some(at + after(&line[at..], part)?));
        }
        at.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::{ADVICE, has};
    use std::fs;
    use std::path::Path;

    /// Refusals that no option of the program gives, by a phrase, and why.
    const OTHERS: &[(&str, &str)] = &[
        (" ranges\", ranges.len()", "`capture` draws nothing"),
        ("a feedback buffer is not bound", "`capture` draws nothing"),
        ("draw.indices", "`capture` draws nothing"),
        ("pass no outputs through", "`capture` draws nothing"),
        ("drawn, not dispatched", "`capture` dispatches nothing"),
        ("indices.index_type", "`capture` draws nothing"),
        ("a draw has less than 2^32 - 1 indices", "`capture` draws nothing"),
        ("what is known of the draws means nothing", "the program refuses these options itself"),
        ("the stages of a pipeline are to be given", "the program sorts them"),
        ("{field}: {why}", "it names the field of the recipe"),
        ("-> Result<Self, Error>", "what cannot be read is told with the option by clap"),
        ("no format of a colour attachment", "clap names the option"),
        ("there is no blend equation", "clap names the option"),
        ("there is no logic operation", "clap names the option"),
        ("concat!(\"there is no \"", "clap names the option"),
        ("is not SOURCE,DESTINATION", "clap names the option"),
        ("is no vertex format", "clap names the option"),
        ("there is no repair", "clap names the option"),
        ("is no place for", "clap names the option"),
        ("marks no distances", "clap names the option"),
        ("names no semantic", "clap names the option"),
        ("names no locations", "clap names the option"),
        ("is no entry of a stream output declaration", "clap names the option"),
        ("is not a location", "clap names the option"),
        ("an output to keep has no name", "clap names the option"),
    ];

    /// The sources of a folder, without their tests.
    fn sources(folder: &Path, into: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).expect("it is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("it is text");
                let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
                into.push((path.display().to_string(), code.to_owned()));
            }
        }
    }

    fn library() -> Vec<(String, String)> {
        let mut all = Vec::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../polyshade/src");
        sources(&folder, &mut all);
        all
    }

    /// Where a refusal of options is made.
    const MADE: [&str; 3] = ["Error::new(ErrorKind::Options", "refuse(format!(", "contradiction("];

    /// A new refusal of the library fails here until the options that it comes of are said.
    #[test]
    fn every_refusal_of_options_has_advice_or_a_reason() {
        let mut lacking = Vec::new();
        let mut count = 0;
        for (file, code) in library() {
            let lines: Vec<&str> = code.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let is_closure = line.contains("= |message");
                if is_closure || !MADE.iter().any(|made| line.contains(made)) {
                    continue;
                }
                count += 1;
                let around = lines[at.saturating_sub(9)..lines.len().min(at + 4)].join(" ");
                let phrases = ADVICE.iter().map(|one| one.0).chain(OTHERS.iter().map(|one| one.0));
                if !phrases.into_iter().any(|phrase| has(&around, phrase)) {
                    lacking.push(format!("{file}:{}: {}", at + 1, line.trim()));
                }
            }
        }
        assert!(count > 50, "{count}");
        assert!(lacking.is_empty(), "{lacking:#?}");
    }

    #[test]
    fn advice_is_for_errors_that_there_are() {
        let all: String =
            library().into_iter().map(|(_, code)| code.replace('\n', " ") + "\n").collect();
        let phrases = ADVICE.iter().map(|one| one.0).chain(OTHERS.iter().map(|one| one.0));
        let lost: Vec<&str> = phrases.filter(|phrase| !has(&all, phrase)).collect();
        assert!(lost.is_empty(), "{lost:#?}");
    }

    #[test]
    fn parts_of_a_phrase_stand_in_their_order() {
        assert!(has("binding 3 of set 1 is reserved", "binding … of set … is reserved"));
        assert!(!has("set 1 of binding 3", "binding … of set"));
    }
}
