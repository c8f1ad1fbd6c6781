//! The data of a batch: a shader before it is treated and after, and the files that it gives.

use crate::failure::Exit;
use polyshade::spv::Code;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The folder in OUT that is the batch's own.
pub(super) const FOLDER: &str = ".polyshade-batch";

/// The kind of a file that a verb writes.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Role {
    Output,
    Variant(String),
    Report,
    /// Its standard output.
    Printed,
}

/// One shader, and the outputs that it has if it is done: one for each of the plan's roles.
pub(super) struct Job {
    pub(super) shader: String,
    pub(super) path: PathBuf,
    pub(super) outputs: Vec<String>,
    pub(super) refused: Option<Refused>,
}

/// Why a shader is not read.
#[derive(Clone)]
pub(super) struct Refused {
    pub(super) code: &'static Code,
    pub(super) message: String,
}

/// How a shader ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Ok,
    /// The shader is of no stage that the verb is for.
    Skipped,
    Unsupported,
    Failed,
    Usage,
    #[serde(rename = "not run")]
    NotRun,
}

impl Status {
    /// Whether the shader makes the batch fail, and is tried again by the next run.
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

    /// The status of a shader that the verb refuses.
    pub(super) fn of(exit: Exit) -> Self {
        match exit {
            // No verb of one shader ends by an interruption: that is the batch's own.
            Exit::Failed | Exit::Interrupted => Self::Failed,
            Exit::Usage => Self::Usage,
            Exit::Unsupported => Self::Unsupported,
            Exit::OtherStage => Self::Skipped,
        }
    }

    /// How the program exits on such a shader alone.
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

/// Where the result of a shader is from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Made,
    /// An earlier run left it in the folder of outputs.
    Folder,
    Cache,
}

/// A file as the report shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FileEntry {
    pub(super) path: String,
    pub(super) bytes: u64,
    /// Of SPIR-V only.
    pub(super) words: Option<u64>,
    pub(super) sha256: String,
}

/// A shader as the report shows it, and as the index remembers it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) shader: String,
    pub(super) status: Status,
    pub(super) exit_code: Option<u8>,
    pub(super) message: Option<String>,
    /// The code of the error.
    pub(super) code: Option<String>,
    /// The instruction that the message is about.
    pub(super) instruction: Option<String>,
    /// Without one, the shader was not read.
    pub(super) input: Option<FileEntry>,
    pub(super) outputs: Vec<FileEntry>,
    /// Of the input, the options and the program.
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

    /// The entry of a shader that was refused, with a message that may begin with the shader's name.
    pub(super) fn refused(self, status: Status, code: &str, message: &str) -> Self {
        let without = |name: &str| message.strip_prefix(name)?.strip_prefix(": ");
        let message = without(&self.shader).unwrap_or(message).to_owned();
        Self { status, code: Some(code.to_owned()), message: Some(message), ..self }
    }

    /// The entry with the exit code of its status.
    pub(super) fn coded(&self) -> Self {
        Self { exit_code: self.status.exit_code(), ..self.clone() }
    }
}

impl FileEntry {
    /// Describes a file that holds `bytes`.
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

/// A digest as hexadecimal digits.
pub(super) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
