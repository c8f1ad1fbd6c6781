//! Errors and their stable codes. An error is one pointer wide.

use crate::{ExecutionModel, Id};
use std::fmt;

/// The kind of an error. The exit codes of the command-line tool follow from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// The input is not a well-formed module.
    Malformed,
    /// A limit of SPIR-V would be exceeded: 65,535 words per instruction, 4,194,303 ids.
    Limit,
    /// A thing that the caller named does not exist.
    NotFound,
    /// The request is not supported; the message gives the reason.
    Unsupported,
    /// An option is invalid, or two options contradict each other.
    Options,
    /// Something outside of polyshade failed: a driver, another library, the operating system.
    Failed,
}

/// The stable name of an error, its [kind](ErrorKind), and a remedy in one sentence. Messages may change, but codes
/// may not.
///
/// [`codes!`](crate::codes) declares the codes of a crate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code {
    name: &'static str,
    kind: ErrorKind,
    remedy: &'static str,
}

impl Code {
    /// Creates a code. Its name has an area and a reason in kebab case: `capture.duplicate-varying`.
    pub const fn new(name: &'static str, kind: ErrorKind, remedy: &'static str) -> Self {
        Self { name, kind, remedy }
    }

    /// The stable name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The kind of every error with this code.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The remedy, in one sentence.
    pub const fn remedy(&self) -> &'static str {
        self.remedy
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares [codes](Code) as statics, and lists them in `CODES`.
///
/// ```
/// polyshade_spv::codes! {
///     POINTS_SIZE_TYPE: Unsupported, "points.size-type", "Declare the point size as a 32-bit float.";
/// }
/// assert_eq!(CODES[0].name(), "points.size-type");
/// let error = polyshade_spv::Error::new(&POINTS_SIZE_TYPE, "the point size is a double");
/// assert_eq!(error.kind(), polyshade_spv::ErrorKind::Unsupported);
/// ```
#[macro_export]
macro_rules! codes {
    ($($id:ident: $kind:ident, $name:literal, $remedy:literal;)*) => {
        $(
            #[doc = $remedy]
            pub static $id: $crate::Code = $crate::Code::new($name, $crate::ErrorKind::$kind, $remedy);
        )*

        /// Every code that this module declares.
        pub static CODES: &[&$crate::Code] = &[$(&$id),*];
    };
}

/// An error: its [code](Code), a message and, if known, the word offset and the id of the fault.
///
/// An error is as wide as a pointer, so that results stay small.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Content>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Content {
    code: &'static Code,
    at: Option<u32>,
    id: Option<Id>,
    message: String,
    help: Option<String>,
    step: Option<Step>,
}

/// One of a pipeline's lowerings: a recipe field and the stage that it lowers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The field of the recipe.
    pub field: &'static str,
    /// The lowered stage.
    pub stage: ExecutionModel,
}

impl Error {
    /// Creates an error without a word offset or id.
    #[cold]
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Content { code, at: None, id: None, message, help: None, step: None }))
    }

    /// Adds the word offset of the fault.
    #[must_use]
    pub fn at(mut self, at: u32) -> Self {
        self.0.at = Some(at);
        self
    }

    /// Adds the id of the fault.
    #[must_use]
    pub fn about(mut self, id: Id) -> Self {
        self.0.id = Some(id);
        self
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Records the step that failed when one call runs several lowerings.
    #[must_use]
    pub fn in_step(mut self, step: Step) -> Self {
        self.0.step = Some(step);
        self
    }

    /// Removes the word offset and the id: they belong to a version that the caller does not have.
    #[must_use]
    pub fn without_place(mut self) -> Self {
        (self.0.at, self.0.id) = (None, None);
        self
    }

    /// The stable code of the error. Programs can distinguish errors by it.
    pub fn code(&self) -> &'static Code {
        self.0.code
    }

    /// The kind of the error's [code](Self::code).
    pub fn kind(&self) -> ErrorKind {
        self.0.code.kind()
    }

    /// The offset of the faulty instruction or word, in words from the start of the module.
    pub fn word_offset(&self) -> Option<u32> {
        self.0.at
    }

    /// The id of the fault.
    pub fn id(&self) -> Option<Id> {
        self.0.id
    }

    /// The message, without the word offset and the id.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The step that failed, if one call ran several lowerings.
    pub fn step(&self) -> Option<Step> {
        self.0.step
    }

    /// The suggestion, if there is one.
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
