//! The data of a batch: each shader before and after its run, and its output files.

use crate::failure::Exit;
use polyshade::spv::Code;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The folder in OUT that the batch uses for its own files.
pub(super) const FOLDER: &str = ".polyshade-batch";

/// The role of a file that a verb writes.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Role {
    Output,
    Variant(String),
    Report,
    /// The standard output of the verb.
    Printed,
}

/// A shader and the names of its outputs, one for each role of the plan.
pub(super) struct Job {
    pub(super) shader: String,
    pub(super) path: PathBuf,
    pub(super) outputs: Vec<String>,
    pub(super) refused: Option<Refused>,
}

/// The reason why a shader is not read.
#[derive(Clone)]
pub(super) struct Refused {
    pub(super) code: &'static Code,
    pub(super) message: String,
}

/// The result of a shader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Ok,
    /// The verb does not apply to the shader's stage.
    Skipped,
    Unsupported,
    Failed,
    Usage,
    #[serde(rename = "not run")]
    NotRun,
}

impl Status {
    /// Whether the shader makes the batch fail. The next run tries such a shader again.
    pub(super) fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Usage)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Skipped => "skipped",
            Self::Unsupported => "unsupported",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotRun => "not run",
        }
    }

    /// Returns the status of a shader for which the verb fails with this exit code.
    pub(super) fn of(exit: Exit) -> Self {
        match exit {
            // The verb of a single shader is never interrupted, because the batch handles signals.
            Exit::Failed | Exit::Interrupted => Self::Failed,
            Exit::Usage => Self::Usage,
            Exit::Unsupported => Self::Unsupported,
            Exit::OtherStage => Self::Skipped,
        }
    }

    /// Returns the exit code that the program would return for a single shader with this status.
    fn exit_code(self) -> Option<u8> {
        Some(match self {
            Self::Ok => 0,
            Self::Failed => Exit::Failed as u8,
            Self::Usage => Exit::Usage as u8,
            Self::Unsupported => Exit::Unsupported as u8,
            Self::Skipped => Exit::OtherStage as u8,
            Self::NotRun => return None,
        })
    }
}

/// The origin of a shader's result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Made,
    /// The result was left in the output folder by an earlier run.
    Folder,
}

/// An input or output file as listed in the report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FileEntry {
    pub(super) path: String,
    pub(super) bytes: u64,
    /// The number of SPIR-V words; `None` if the file is not SPIR-V.
    pub(super) words: Option<u64>,
    pub(super) sha256: String,
}

/// A shader as listed in the report and the index.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) shader: String,
    pub(super) status: Status,
    pub(super) exit_code: Option<u8>,
    pub(super) message: Option<String>,
    pub(super) code: Option<String>,
    /// The instruction that the message refers to.
    pub(super) instruction: Option<String>,
    /// `None` if the shader was not read.
    pub(super) input: Option<FileEntry>,
    pub(super) outputs: Vec<FileEntry>,
    /// The hash of the input, the options and the program.
    pub(super) key: String,
}

impl Entry {
    pub(super) fn not_run(shader: &str) -> Self {
        Self {
            shader: shader.to_owned(),
            status: Status::NotRun,
            exit_code: None,
            message: None,
            code: None,
            instruction: None,
            input: None,
            outputs: Vec::new(),
            key: String::new(),
        }
    }

    /// Returns the entry of a rejected shader. If the message begins with the shader's name, the name is removed.
    pub(super) fn refused(self, status: Status, code: &str, message: &str) -> Self {
        let without = |name: &str| message.strip_prefix(name)?.strip_prefix(": ");
        let message = without(&self.shader).unwrap_or(message).to_owned();
        Self { status, code: Some(code.to_owned()), message: Some(message), ..self }
    }

    /// Returns the entry with the exit code that belongs to its status.
    pub(super) fn coded(&self) -> Self {
        Self { exit_code: self.status.exit_code(), ..self.clone() }
    }
}

impl FileEntry {
    /// Describes a file with the contents `bytes`.
    pub(super) fn of(path: &str, bytes: &[u8]) -> Self {
        const MAGIC: [u8; 4] = [0x03, 0x02, 0x23, 0x07];
        const SWAPPED: [u8; 4] = [0x07, 0x23, 0x02, 0x03];
        let is_spirv = bytes.starts_with(&MAGIC) || bytes.starts_with(&SWAPPED);
        Self {
            path: path.to_owned(),
            bytes: bytes.len() as u64,
            words: is_spirv.then_some(bytes.len() as u64 / 4),
            sha256: hex(Sha256::new_with_prefix(bytes)),
        }
    }
}

/// Formats a digest as hexadecimal digits.
pub(super) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
