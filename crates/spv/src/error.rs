//! Errors, one word wide, and their stable names.

use crate::{ExecutionModel, Id};
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
    /// It cannot be done; the message has the reason.
    Unsupported,
    /// The options contradict themselves or each other.
    Options,
    /// Something outside of polyshade failed: a driver, another library, the operating system.
    Failed,
}

/// The stable name of an error, its [kind](ErrorKind), and one sentence on what to do about it. Messages may be
/// reworded; codes stay.
///
/// [`codes!`](crate::codes) declares the codes of a crate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code {
    name: &'static str,
    kind: ErrorKind,
    remedy: &'static str,
}

impl Code {
    /// A code. Its name has an area and a reason in kebab case: `capture.duplicate-varying`.
    pub const fn new(name: &'static str, kind: ErrorKind, remedy: &'static str) -> Self {
        Self { name, kind, remedy }
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The kind of every error with this code.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What to do about the error, in one sentence.
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

        /// Every code that is declared here.
        pub static CODES: &[&$crate::Code] = &[$(&$id),*];
    };
}

/// An error: its [code](Code), a message, and where known the word offset and the id it is about.
///
/// As wide as a pointer, so that results stay small.
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

/// One lowering of one stage, among those of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The field of the recipe.
    pub field: &'static str,
    /// The stage that is lowered.
    pub stage: ExecutionModel,
}

impl Error {
    /// An error with neither a place nor an id.
    #[cold]
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Content { code, at: None, id: None, message, help: None, step: None }))
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

    /// The same error with a suggestion of what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same error with the step that failed, of several lowerings that were done at once.
    #[must_use]
    pub fn in_step(mut self, step: Step) -> Self {
        self.0.step = Some(step);
        self
    }

    /// The same error without place and id: those of a version that whoever reads it does not have.
    #[must_use]
    pub fn without_place(mut self) -> Self {
        (self.0.at, self.0.id) = (None, None);
        self
    }

    /// The stable name of the error, by which a program can distinguish it.
    pub fn code(&self) -> &'static Code {
        self.0.code
    }

    /// Which kind of error this is: that of its [code](Self::code).
    pub fn kind(&self) -> ErrorKind {
        self.0.code.kind()
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

    /// The step that failed, of several lowerings that were done at once.
    pub fn step(&self) -> Option<Step> {
        self.0.step
    }

    /// A remedy, if one is known.
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
