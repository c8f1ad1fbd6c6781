//! The ways to select an output for capture.

use crate::code;
use polyshade_spv::{BuiltIn, Error, Id};
use std::fmt;
use std::str::FromStr;

/// An output, or a part of an output, to capture.
///
/// The text form is an OpenGL name, `location=` with a [range of locations](Locations), `semantic=` with an HLSL
/// semantic, or `id=` with a SPIR-V id.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Varying {
    /// An OpenGL name: `name`, `name[i]`, `name.member`, `Block.member` with the name of the block, `gl_Position`, …
    /// `gl_NextBuffer` switches to the next buffer; `gl_SkipComponents1` to `gl_SkipComponents4` skip 4 to 16 bytes.
    Name(String),
    /// The outputs at these locations. Use this for stripped modules, which have no names.
    Locations(Locations),
    /// A whole built-in output.
    BuiltIn(BuiltIn),
    /// The output with this semantic, ignoring case. The semantic is the `UserSemantic` decoration, part of the name
    /// from DXC (`out.var.SEMANTIC0`), or the system value of a built-in.
    Semantic {
        /// The name of the semantic, without the index.
        name: String,
        /// The index of the semantic.
        index: u32,
        /// The components, counted from the first component of the output; [`Components::ALL`] selects all its
        /// components.
        components: Components,
    },
    /// A whole output variable, by its id in the module. Use this for variables that share a name and a location.
    Variable(Id),
}

/// Components of consecutive locations, ordered by location, then component. Components without an output are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Locations {
    /// The first location.
    pub first: u32,
    /// The last location.
    pub last: u32,
    /// The components of each location.
    pub components: Components,
}

/// Consecutive components of a location or register, from 0 to 3, each 32 bits wide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct Components {
    first: u32,
    count: u32,
}

impl Components {
    /// All four components.
    pub const ALL: Self = Self { first: 0, count: 4 };

    /// Returns `count` components from `first` on; `None` if the range is empty or extends past component 3.
    pub fn new(first: u32, count: u32) -> Option<Self> {
        let fits = first < 4 && count > 0 && count <= 4 - first;
        fits.then_some(Self { first, count })
    }

    /// Returns the first component.
    pub fn first(self) -> u32 {
        self.first
    }

    /// Returns the number of components.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Returns the component after the last one.
    pub(super) fn end(self) -> u32 {
        self.first + self.count
    }

    /// Parses consecutive component letters, such as `yz`.
    fn of_letters(letters: &str) -> Option<Self> {
        let first = LETTERS.find(letters.chars().next()?)?;
        let here = LETTERS[first..].starts_with(letters);
        if here { Self::new(first as u32, letters.len() as u32) } else { None }
    }
}

const LETTERS: &str = "xyzw";

impl fmt::Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&LETTERS[self.first as usize..self.end() as usize])
    }
}

#[cfg(feature = "serde")]
impl From<Components> for String {
    fn from(components: Components) -> Self {
        components.to_string()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<String> for Components {
    type Error = String;

    /// Parses consecutive component letters, such as `yz`.
    fn try_from(text: String) -> Result<Self, String> {
        Self::of_letters(&text)
            .ok_or_else(|| format!("`{text}` does not consist of consecutive components of xyzw"))
    }
}

impl fmt::Display for Locations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "location={}", self.first)?;
        if self.last != self.first {
            write!(f, "-{}", self.last)?;
        }
        if self.components != Components::ALL {
            write!(f, ".{}", self.components)?;
        }
        Ok(())
    }
}

impl fmt::Display for Varying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Locations(locations) => locations.fmt(f),
            Self::BuiltIn(builtin) => builtin.fmt(f),
            Self::Semantic { .. } => write!(f, "semantic={}", self.shown()),
            Self::Variable(id) => write!(f, "id={}", id.word()),
        }
    }
}

impl Varying {
    /// Returns the number of 32-bit components to skip, or `None` if the varying is not a gap.
    pub(super) fn gap(&self) -> Option<u32> {
        let Self::Name(name) = self else { return None };
        let components = number(name.strip_prefix(SKIP)?)?;
        (1..=4).contains(&components).then_some(components)
    }

    /// Returns the text of the varying, without `semantic=`.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Semantic { name, index, components: Components::ALL } => format!("{name}{index}"),
            Self::Semantic { name, index, components } => format!("{name}{index}.{components}"),
            _ => self.to_string(),
        }
    }
}

impl From<&str> for Varying {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for Varying {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<&String> for Varying {
    fn from(name: &String) -> Self {
        Self::Name(name.clone())
    }
}

impl From<Locations> for Varying {
    fn from(locations: Locations) -> Self {
        Self::Locations(locations)
    }
}

impl From<Id> for Varying {
    fn from(variable: Id) -> Self {
        Self::Variable(variable)
    }
}

impl From<BuiltIn> for Varying {
    fn from(builtin: BuiltIn) -> Self {
        Self::BuiltIn(builtin)
    }
}

impl FromStr for Varying {
    type Err = Error;

    /// Parses a name, `location=3`, `location=3-5`, `location=3.yz`, `semantic=TEXCOORD1.xy` or `id=20`.
    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(rest) = text.strip_prefix("semantic=") {
            let message = || format!("`{text}` is not a semantic");
            return semantic(rest)
                .ok_or_else(|| Error::new(&code::CAPTURE_INVALID_VARYING, message()));
        }
        if let Some(id) = text.strip_prefix("id=") {
            let id = number(id).and_then(Id::new);
            return id.map(Self::Variable).ok_or_else(|| {
                Error::new(
                    &code::CAPTURE_INVALID_VARYING,
                    format!("`{text}` is not an id: ids are numbers from 1 on"),
                )
            });
        }
        match text.strip_prefix("location=") {
            None => Ok(text.into()),
            Some(rest) => locations(rest).map(Self::Locations).ok_or_else(|| {
                let message = format!("`{text}` does not name locations");
                Error::new(&code::CAPTURE_INVALID_VARYING, message)
                    .help("write them as location=3, location=3-5 or location=3.yz")
            }),
        }
    }
}

/// Parses a number in an OpenGL name: digits only, without leading zeros.
pub(super) fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|letter| letter.is_ascii_digit());
    text.parse().ok().filter(|_| plain && (text == "0" || !text.starts_with('0')))
}

pub(crate) fn locations(text: &str) -> Option<Locations> {
    let (numbers, components) = match text.split_once('.') {
        None => (text, Components::ALL),
        Some((numbers, letters)) => (numbers, Components::of_letters(letters)?),
    };
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some(Locations { first, last, components })
}

/// An entry of a Direct3D stream output declaration (`D3D11_SO_DECLARATION_ENTRY`).
///
/// The text form has the syntax of HLSL's `ConstructGSWithSO`: `SEMANTIC3.xy`, `1:SEMANTIC3.xy` for slot 1, or
/// `$SKIP.xyz` for a gap. For modules without semantics, use `location=3.xy`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StreamOutputEntry {
    /// The varying to capture. The name `gl_SkipComponentsN` stands for a gap.
    pub varying: Varying,
    /// The number of the buffer. The entry follows the earlier entries of the same slot there.
    pub slot: u32,
}

impl FromStr for StreamOutputEntry {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        entry(text.trim()).ok_or_else(|| {
            let message = format!("`{text}` is not an entry of a stream output declaration");
            Error::new(&code::CAPTURE_INVALID_STREAM_OUTPUT, message).help(
                "entries are SEMANTIC0.xyz, 1:SEMANTIC0.xyz for slot 1, $SKIP.xy, location=3.xy",
            )
        })
    }
}

fn entry(text: &str) -> Option<StreamOutputEntry> {
    let (slot, text) = match text.split_once(':') {
        Some((slot, rest)) => (number(slot.trim())?, rest.trim()),
        None => (0, text),
    };
    let varying = match text.strip_prefix("$SKIP") {
        Some("") => Varying::Name(skip_name(4)),
        Some(rest) => {
            let gap = Components::of_letters(rest.strip_prefix('.')?)?;
            Varying::Name(skip_name(gap.count()))
        }
        None => match text.strip_prefix("location=") {
            Some(rest) => Varying::Locations(locations(rest)?),
            None => semantic(text)?,
        },
    };
    Some(StreamOutputEntry { varying, slot })
}

/// Returns OpenGL's name for a gap.
fn skip_name(components: u32) -> String {
    format!("{SKIP}{components}")
}

const SKIP: &str = "gl_SkipComponents";

/// Parses a semantic, such as `TEXCOORD3.xy`.
fn semantic(text: &str) -> Option<Varying> {
    let (semantic, components) = match text.split_once('.') {
        Some((semantic, letters)) => (semantic, Components::of_letters(letters)?),
        None => (text, Components::ALL),
    };
    let (name, index) = split_semantic(semantic)?;
    Some(Varying::Semantic { name: name.to_owned(), index, components })
}

/// Splits a semantic into name and index: `TEXCOORD3` has index 3, `COLOR` has 0.
pub(super) fn split_semantic(text: &str) -> Option<(&str, u32)> {
    let name = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = &text[name.len()..];
    let index = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    (!name.is_empty() && name.chars().all(is_word)).then_some((name, index))
}

impl fmt::Display for StreamOutputEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.varying.gap(), &self.varying) {
            (Some(gap), _) => write!(f, "$SKIP.{}", &"xyzw"[..gap as usize]),
            (None, varying) => f.write_str(&varying.shown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read_and_shown() {
        for text in ["location=3", "location=3-5", "location=0.yz", "location=7-8.w"] {
            let varying: Varying = text.parse().expect("it names locations");
            let Varying::Locations(locations) = varying else { panic!("{varying:?}") };
            assert_eq!(locations.to_string(), text);
        }
        assert_eq!(
            "location".parse::<Varying>().expect("any text is a name"),
            Varying::from("location")
        );
        assert_eq!("id=20".parse::<Varying>().expect("it is an id").to_string(), "id=20");
        for text in [
            "id=0",
            "id=x",
            "location=",
            "location=5-3",
            "location=1.xz",
            "location=1.",
            "location=x",
            "location=+1",
            "location=01",
        ] {
            assert!(text.parse::<Varying>().is_err(), "{text}");
        }
    }

    #[test]
    fn stream_output_entries_are_read() {
        let entry: StreamOutputEntry = " 2:TEXCOORD12.zw".parse().expect("it is an entry");
        let (name, components) =
            ("TEXCOORD".to_owned(), Components::new(2, 2).expect("a vector has four"));
        assert_eq!(entry.varying, Varying::Semantic { name, index: 12, components });
        assert_eq!((entry.slot, entry.to_string().as_str()), (2, "TEXCOORD12.zw"));
        assert_eq!("semantic=TEXCOORD12.zw".parse(), Ok(entry.varying));

        for (text, gap) in [("$SKIP.x", 1), ("$SKIP.yz", 2), ("$SKIP", 4)] {
            let entry: StreamOutputEntry = text.parse().expect("it is an entry");
            assert_eq!(entry.varying.gap(), Some(gap), "{text}");
        }
        for text in ["", "x:COLOR", "COLOR.zx", "7", "a b", "1:", "$SKIPx"] {
            assert!(text.parse::<StreamOutputEntry>().is_err(), "{text}");
        }
    }

    #[test]
    fn components_stay_within_a_location() {
        assert!(Components::new(3, 1).is_some());
        assert!(Components::new(0, 0).is_none());
        assert!(Components::new(2, 3).is_none());
        assert!(Components::new(4, u32::MAX).is_none());
    }
}
