//! Ranks the shaders of a batch by the share of their work that a position-only pass saves.

use super::entry::{Entry, Role, Status};
use super::plan::Plan;
use crate::code;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Version of the ranking's structure, which increases when a field is removed or changes its meaning.
const VERSION: u32 = 1;

/// The savings of one shader.
struct Ranked {
    shader: String,
    /// The instructions and the input bytes per vertex, for the original and then for the position-only variant.
    instructions: [u64; 2],
    input_bytes: [u64; 2],
    gains_little: bool,
}

impl Ranked {
    /// Returns the number of instructions that the position-only variant saves.
    fn saved(&self) -> u64 {
        self.instructions[0].saturating_sub(self.instructions[1])
    }

    /// Returns the saved share of the original's instructions in millionths, an integer that can be sorted.
    fn share(&self) -> u64 {
        (self.saved() * 1_000_000).checked_div(self.instructions[0]).unwrap_or(0)
    }

    fn of(shader: &str, report: &Value) -> Option<Self> {
        let cost = &report["result"];
        let both = |what: &str| {
            let number = |variant: &str| cost[variant][what].as_u64();
            Some([number("original")?, number("position_only")?])
        };
        Some(Self {
            shader: shader.to_owned(),
            instructions: both("instructions")?,
            input_bytes: both("input_bytes")?,
            gains_little: cost["gains_little"].as_bool()?,
        })
    }
}

/// The finished shaders, sorted by the share of work that a position-only pass saves, in descending order.
pub(super) struct Ranking(Vec<Ranked>);

impl Ranking {
    /// Reads the reports below `out`, which the verb wrote in this run or an earlier one.
    pub(super) fn read(out: &Path, plan: &Plan, entries: &[Entry]) -> Result<Self, Failure> {
        let report = plan.roles.iter().position(|role| *role == Role::Report);
        let done = entries.iter().filter(|entry| entry.status == Status::Ok);
        let read = |entry: &Entry| {
            let file = report.and_then(|report| entry.outputs.get(report));
            let path = out.join(&file.expect("the verb writes a report").path);
            let failed = |why: String| Failure::at(&code::CLI_INVALID_INPUT, &path, why);
            let bytes = fs::read(&path).map_err(|error| Failure::file(&path, error))?;
            let value: Value =
                serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
            Ranked::of(&entry.shader, &value)
                .ok_or_else(|| failed("this report has no savings".to_owned()))
        };
        let mut ranked = done.map(read).collect::<Result<Vec<_>, _>>()?;
        ranked.sort_by_cached_key(|one| {
            (Reverse(one.share()), Reverse(one.saved()), one.shader.clone())
        });
        Ok(Self(ranked))
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let head = ["saves", "instructions", "in bytes a vertex"];
        let _ = write!(text, "{:>7}  {:>15}  {:>17}  shader", head[0], head[1], head[2]);
        for one in &self.0 {
            let percent = (one.share() as f64 / 1e4).round();
            let [instructions, bytes] =
                [one.instructions, one.input_bytes].map(|[from, to]| format!("{from} → {to}"));
            let _ =
                write!(text, "\n{percent:>5} %  {instructions:>15}  {bytes:>17}  {}", one.shader);
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let shaders = self.0.iter().map(|one| {
            let both = |[original, position_only]: [u64; 2]| {
                json!({ "original": original, "position_only": position_only })
            };
            json!({
                "shader": one.shader,
                "saved": one.share() as f64 / 1e6,
                "instructions": both(one.instructions),
                "input_bytes": both(one.input_bytes),
                "gains_little": one.gains_little,
            })
        });
        json!({ "version": VERSION, "shaders": shaders.collect::<Vec<_>>() })
    }
}
