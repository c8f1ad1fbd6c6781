//! What can go wrong, one word wide.

use crate::Id;
use std::fmt;

/// Which kind of thing went wrong. The program's exit codes follow from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// The input is not a well-formed module.
    Malformed,
    /// A limit of SPIR-V would be exceeded: 65,535 words an instruction, 4,194,303 ids.
    Limit,
    /// Something that was named is not there.
    NotFound,
    /// It cannot be done, and the message says why.
    Unsupported,
    /// The options contradict themselves or each other.
    Options,
}

/// An error: its [kind](ErrorKind), a message, and where known the word offset and the id it is about.
///
/// As wide as a pointer, so that results stay small.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Content>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Content {
    kind: ErrorKind,
    at: Option<u32>,
    id: Option<Id>,
    message: String,
    help: Option<String>,
}

impl Error {
    /// An error with neither a place nor an id.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Content { kind, at: None, id: None, message: message.into(), help: None }))
    }

    #[cold]
    pub(crate) fn malformed(message: impl Into<String>, at: usize) -> Self {
        Self::new(ErrorKind::Malformed, message).at(at as u32)
    }

    /// The same error with the word offset it is about.
    #[must_use]
    pub fn at(mut self, at: u32) -> Self {
        self.0.at = Some(at);
        self
    }

    /// The same error with the id it is about.
    #[must_use]
    pub fn about(mut self, id: Id) -> Self {
        self.0.id = Some(id);
        self
    }

    /// An `Unsupported` error about `id`.
    pub fn unsupported(message: impl Into<String>, id: Id) -> Self {
        Self::new(ErrorKind::Unsupported, message).about(id)
    }

    /// The same error with a suggestion of what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same error without place and id: those of a version that whoever reads it does not have.
    #[must_use]
    pub fn without_place(mut self) -> Self {
        (self.0.at, self.0.id) = (None, None);
        self
    }

    /// Which kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Offset, in words from the start of the module, of the instruction or word at fault.
    pub fn word_offset(&self) -> Option<u32> {
        self.0.at
    }

    /// The id that the error is about.
    pub fn id(&self) -> Option<Id> {
        self.0.id
    }

    /// The fact, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it, where there is something to say.
    pub fn suggestion(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match (self.0.id, self.0.at) {
            (Some(id), Some(at)) => write!(f, " (id {id}, at word {at:#x})"),
            (Some(id), None) => write!(f, " (id {id})"),
            (None, Some(at)) => write!(f, " (at word {at:#x})"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {}
