//! What the verbs that change the position take.

use crate::Done;
use crate::depfile::Build;
use crate::format::Formats;
use crate::input::Input;
use crate::output::{Modules, Outputs, print_text};
use crate::requirements;
use clap::Args;
use polyshade::Reserved;
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::Requirements;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The shader, what has to stay free in it, and where the results go.
#[derive(Args)]
pub(crate) struct Change {
    #[command(flatten)]
    pub(crate) input: Input,

    /// Add no specialization constant with this number
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    reserve_constant: Vec<u32>,

    /// Add no output at this location: the next stage uses it for something else
    #[arg(long, value_delimiter = ',', value_name = "LOCATION")]
    reserve_location: Vec<u32>,

    /// Give what is added no SPIR-V id below this one
    #[arg(long, value_name = "ID")]
    reserve_ids_below: Option<u32>,

    /// How many components the device lets the stage hand on, for an output that VK_EXT_transform_feedback captures
    /// instead of the position
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) max_output_components: u32,

    /// Give what is added no debug names
    #[arg(long)]
    pub(crate) no_names: bool,

    /// Where the shader goes; standard output if left out, or if it is `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where a report goes: what the host fills in, and requirements, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report to standard output; the module goes to a file
    #[arg(long)]
    json: bool,

    /// Write no module: say what would be filled in
    #[arg(long, conflicts_with_all = ["output", "depfile"])]
    dry_run: bool,

    #[command(flatten)]
    build: Build,

    /// Print what changed in the shader, disassembled, to standard output; the module goes to a file
    #[arg(long, requires = "output", conflicts_with_all = ["json", "dry_run"])]
    diff: bool,

    #[command(flatten)]
    formats: Formats,
}

/// What a change came to.
pub(crate) struct Report<'r> {
    pub(crate) lowering: &'static str,
    pub(crate) entry: &'r str,
    pub(crate) stage: ExecutionModel,
    /// What the host fills in: where, a name, and what it says.
    pub(crate) words: Vec<Word>,
    /// The location of an output that was added.
    pub(crate) location: Option<u32>,
    pub(crate) requirements: &'r Requirements,
}

/// A word that the host fills in.
pub(crate) struct Word {
    pub(crate) place: Place,
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
}

/// Where it is.
pub(crate) enum Place {
    /// It is the specialization constant with this number.
    Specialization(u32),
    /// It is in the push constants, at this offset.
    PushConstant(u32),
}

impl Change {
    /// What has to stay free.
    pub(crate) fn reserved(&self) -> Reserved {
        let reserved = Reserved::new().ids_below(self.reserve_ids_below.unwrap_or(0));
        let reserved = self.reserve_location.iter().fold(reserved, |r, at| r.location(*at));
        self.reserve_constant.iter().fold(reserved, |reserved, id| reserved.specialization(*id))
    }

    /// Refuses options of formats that are not written.
    pub(crate) fn check(&self) -> Done {
        let output = (!self.dry_run).then(|| self.output());
        self.formats.check(output.into_iter())
    }

    fn output(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new("-"))
    }

    /// Writes the module, made of the one `before`, and the report, or prints what would be done.
    pub(crate) fn finish(&self, report: &Report<'_>, before: &[u32], words: &[u32]) -> Done {
        let mut outputs = Outputs::of(Modules {
            formats: self.formats.clone(),
            entry: Some((report.entry.to_owned(), report.stage)),
            validate: self.input.validate,
            target_env: self.input.target_env.clone(),
        });
        if !self.dry_run {
            outputs.add_module(self.output(), words)?;
        }
        if self.diff {
            outputs.add_diff(before, words)?;
        }
        let json = report.to_json(outputs.msl_report());
        if let Some(file) = &self.report {
            outputs.add(file, json.clone().into_bytes())?;
        }
        if self.dry_run {
            outputs.write()?;
            return print_text(&if self.json { json } else { report.to_text() });
        }
        if self.json {
            outputs.add(Path::new("-"), format!("{json}\n").into_bytes())?;
        }
        self.build.apply(&self.input, &mut outputs)?;
        outputs.write()
    }
}

impl Report<'_> {
    fn to_json(&self, msl: Option<Value>) -> String {
        let words: Vec<Value> = self
            .words
            .iter()
            .map(|word| {
                let place = match word.place {
                    Place::Specialization(id) => {
                        json!({ "kind": "specialization constant", "id": id })
                    }
                    Place::PushConstant(offset) => {
                        json!({ "kind": "push constant", "offset": offset })
                    }
                };
                json!({ "name": word.name, "meaning": word.meaning, "place": place })
            })
            .collect();
        let mut report = json!({
            "version": 1,
            "lowering": self.lowering,
            "lowering_version": polyshade::LOWERING_VERSION,
            "entry_point": self.entry,
            "stage": self.stage.to_string(),
            "host_words": words,
            "added_location": self.location,
            "requirements": requirements::to_json(self.requirements),
        });
        if let Some(msl) = msl {
            report["msl"] = msl;
        }
        serde_json::to_string_pretty(&report).expect("a report has no keys but strings")
    }

    fn to_text(&self) -> String {
        let mut text = format!("{} of {} ({})\n", self.lowering, self.entry, self.stage);
        if !self.words.is_empty() {
            let _ = writeln!(text, "\nfill in, 32 bits each");
        }
        for word in &self.words {
            let place = match word.place {
                Place::Specialization(id) => format!("specialization constant {id}"),
                Place::PushConstant(offset) => format!("push constants at byte {offset}"),
            };
            let _ = writeln!(text, "  {place}: {}, {}", word.name, word.meaning);
        }
        if let Some(location) = self.location {
            let _ = writeln!(text, "\nadded an output at location {location} that is captured");
        }
        text.push_str(&requirements::to_text(self.requirements));
        text
    }
}
