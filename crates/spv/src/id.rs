//! Ids.

use std::fmt;
use std::num::NonZeroU32;

/// The id of a type, constant, variable, value, function or label. It is the only kind of handle that stays valid
/// after an edit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Id(NonZeroU32);

impl Id {
    /// The id with this number; `None` for 0.
    pub fn new(word: u32) -> Option<Self> {
        NonZeroU32::new(word).map(Self)
    }

    /// The number of the id, as it is encoded in a word.
    pub fn word(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
