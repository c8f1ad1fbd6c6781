//! Words that the host fills in, and where the shader reads them.

use crate::code;
use polyshade_spv::Error;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Number of a descriptor set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Set(pub u32);

/// Number of a binding in a descriptor set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Binding(pub u32);

/// Where the shader reads 32-bit words that the host fills in.
///
/// As text it is `storage=SET:BINDING`, `uniform=SET:BINDING`, `push-constant=OFFSET` or `specialization=ID`, or
/// `address:` before a [`AddressSource`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ParamSource {
    /// A range of a storage buffer.
    StorageBuffer {
        /// Its set.
        set: Set,
        /// Its binding.
        binding: Binding,
    },
    /// A uniform buffer.
    Uniform {
        /// Its set.
        set: Set,
        /// Its binding.
        binding: Binding,
    },
    /// Push constants from this byte on: a multiple of 4 behind what the shader has itself.
    PushConstant {
        /// In bytes.
        offset: u32,
    },
    /// Specialization constants with consecutive numbers, each 0 unless set.
    Specialization {
        /// Number of the first.
        first_id: u32,
    },
    /// In memory, from the address on that stands here. It is a multiple of 4, and nothing checks it.
    Address(AddressSource),
}

/// Where the shader reads an address (`VkDeviceAddress`), which has 64 bits.
///
/// As text it is `uniform=SET:BINDING`, `push-constant=OFFSET`, `specialization=ID` or `attribute=LOCATION`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AddressSource {
    /// The first 8 bytes of a uniform buffer.
    Uniform {
        /// Its set.
        set: Set,
        /// Its binding.
        binding: Binding,
    },
    /// 8 bytes of push constants from this one on: a multiple of 4 behind what the shader has itself.
    PushConstant {
        /// In bytes.
        offset: u32,
    },
    /// Two specialization constants, each 0 unless set: the lower 32 bits, then the upper ones.
    Specialization {
        /// Number of the lower one.
        first_id: u32,
    },
    /// A vertex attribute of two unsigned integers of 32 bits (`VK_FORMAT_R32G32_UINT`), the lower half first, the same
    /// for all vertices: its vertex buffer has a stride of 0. Only vertex stages have one, and no input of the shader
    /// may be at its location, but such as [`vertex_pulling`](crate::vertex_pulling) replaces.
    Attribute {
        /// Its location.
        location: u32,
    },
}

impl AddressSource {
    /// The same place as one for words, the halves of the address; nothing for an attribute, which holds no words.
    pub fn place(self) -> Option<ParamSource> {
        match self {
            Self::Uniform { set, binding } => Some(ParamSource::Uniform { set, binding }),
            Self::PushConstant { offset } => Some(ParamSource::PushConstant { offset }),
            Self::Specialization { first_id } => Some(ParamSource::Specialization { first_id }),
            Self::Attribute { .. } => None,
        }
    }
}

impl ParamSource {
    /// The set and binding, where it is a descriptor or the address of it is in one.
    pub fn descriptor(self) -> Option<(Set, Binding)> {
        match self {
            Self::StorageBuffer { set, binding } | Self::Uniform { set, binding } => {
                Some((set, binding))
            }
            Self::PushConstant { .. } | Self::Specialization { .. } => None,
            Self::Address(pointer) => pointer.place()?.descriptor(),
        }
    }

    /// Whether the words are in memory that is found by its address.
    pub fn is_address(self) -> bool {
        matches!(self, Self::Address(_))
    }
}

impl fmt::Display for ParamSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StorageBuffer { set, binding } => write!(f, "storage={}:{}", set.0, binding.0),
            Self::Uniform { set, binding } => write!(f, "uniform={}:{}", set.0, binding.0),
            Self::PushConstant { offset } => write!(f, "push-constant={offset}"),
            Self::Specialization { first_id } => write!(f, "specialization={first_id}"),
            Self::Address(pointer) => write!(f, "address:{pointer}"),
        }
    }
}

impl fmt::Display for AddressSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Attribute { location } = self {
            return write!(f, "attribute={location}");
        }
        self.place().map_or(Ok(()), |place| place.fmt(f))
    }
}

impl FromStr for AddressSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let attribute = text.strip_prefix("attribute=").map(str::parse);
        if let Some(Ok(location)) = attribute {
            return Ok(Self::Attribute { location });
        }
        match text.parse() {
            Ok(ParamSource::Uniform { set, binding }) => Ok(Self::Uniform { set, binding }),
            Ok(ParamSource::PushConstant { offset }) => Ok(Self::PushConstant { offset }),
            Ok(ParamSource::Specialization { first_id }) => Ok(Self::Specialization { first_id }),
            Ok(ParamSource::StorageBuffer { .. } | ParamSource::Address(_)) | Err(_) => {
                let message = format!(
                    "`{text}` is no place for an address: uniform=SET:BINDING, push-constant=OFFSET, \
                     specialization=ID and attribute=LOCATION are"
                );
                Err(Error::new(&code::PARAMS_INVALID_SOURCE, message))
            }
        }
    }
}

impl FromStr for ParamSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(of) = text.strip_prefix("address:") {
            return of.parse().map(Self::Address);
        }
        let number = |text: &str| text.parse::<u32>().ok();
        let pair = |text: &str| {
            let (set, binding) = text.split_once(':')?;
            Some((Set(number(set)?), Binding(number(binding)?)))
        };
        let place = match text.split_once('=') {
            Some(("storage", at)) => {
                pair(at).map(|(set, binding)| Self::StorageBuffer { set, binding })
            }
            Some(("uniform", at)) => pair(at).map(|(set, binding)| Self::Uniform { set, binding }),
            Some(("push-constant", at)) => number(at).map(|offset| Self::PushConstant { offset }),
            Some(("specialization", at)) => {
                number(at).map(|first_id| Self::Specialization { first_id })
            }
            _ => None,
        };
        place.ok_or_else(|| {
            let message = format!(
                "`{text}` is no place for words: storage=SET:BINDING, uniform=SET:BINDING, \
                 push-constant=OFFSET and specialization=ID are, and behind address: the last three and \
                 attribute=LOCATION"
            );
            Error::new(&code::PARAMS_INVALID_SOURCE, message)
        })
    }
}

/// Something that is known when the shader is lowered, or that the host says with a word when it draws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Value<T> {
    /// This.
    Fixed(T),
    /// What the word at this place says.
    Param(ParamSource),
}

impl<T> Value<T> {
    /// Where the word is, if there is one.
    pub fn place(&self) -> Option<ParamSource> {
        match self {
            Self::Fixed(_) => None,
            Self::Param(place) => Some(*place),
        }
    }
}

impl<T: Default> Default for Value<T> {
    fn default() -> Self {
        Self::Fixed(T::default())
    }
}

impl<T> From<T> for Value<T> {
    fn from(value: T) -> Self {
        Self::Fixed(value)
    }
}

/// One word that the host fills in, 32 bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostParam {
    /// Its name in the shader.
    pub name: Cow<'static, str>,
    /// What it means.
    pub meaning: Cow<'static, str>,
}

impl HostParam {
    /// A word called `name`.
    pub fn new(name: impl Into<Cow<'static, str>>, meaning: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), meaning: meaning.into() }
    }
}

/// Words that follow each other. Word `i` lies `4 * i` bytes behind the start of the buffer or the offset of the push
/// constants or the address, or is the specialization constant with the number `first_id + i`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostParams {
    /// Where the shader reads them.
    pub source: ParamSource,
    /// The parameters, in their order.
    pub params: Vec<HostParam>,
}

impl HostParams {
    /// The number of the word with this name.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.params.iter().position(|word| word.name == name).map(|number| number as u32)
    }

    /// The bytes of push constants that they, or their address, take, where they are there.
    pub fn push_constants(&self) -> Option<Range<u32>> {
        match self.filled_in() {
            Some((ParamSource::PushConstant { offset }, words)) => {
                Some(offset..offset.saturating_add(words * 4))
            }
            _ => None,
        }
    }

    /// The numbers of specialization constants that they, or their address, take, where they are such.
    pub fn specialization(&self) -> Option<Range<u32>> {
        match self.filled_in() {
            Some((ParamSource::Specialization { first_id }, words)) => {
                Some(first_id..first_id.saturating_add(words))
            }
            _ => None,
        }
    }

    /// The location of the attribute that is their address, where one is.
    pub fn location(&self) -> Option<u32> {
        match self.source {
            ParamSource::Address(AddressSource::Attribute { location }) => Some(location),
            _ => None,
        }
    }

    /// Where the shader begins to read, and how many words there are there: those of an address, where there is one.
    /// Nothing, where that is an attribute.
    pub(crate) fn filled_in(&self) -> Option<(ParamSource, u32)> {
        match self.source {
            ParamSource::Address(pointer) => Some((pointer.place()?, 2)),
            place => Some((place, self.params.len() as u32)),
        }
    }

    /// An error where two groups would be in one place in part.
    pub(crate) fn check_apart(groups: &[Self]) -> Result<(), Error> {
        for (number, group) in groups.iter().enumerate() {
            let behind = &groups[number + 1..];
            let overlaps = |one: Option<Range<u32>>, other: Option<Range<u32>>| {
                one.zip(other)
                    .is_some_and(|(one, other)| one.start < other.end && other.start < one.end)
            };
            let overlapping = behind.iter().find(|other| {
                overlaps(group.push_constants(), other.push_constants())
                    || overlaps(group.specialization(), other.specialization())
                    || group
                        .source
                        .descriptor()
                        .is_some_and(|at| other.source.descriptor() == Some(at))
                    || group.location().is_some_and(|at| other.location() == Some(at))
            });
            if let Some(other) = overlapping {
                let message =
                    format!("words at {} overlap those at {}", other.source, group.source);
                return Err(Error::new(&code::PARAMS_OVERLAP, message));
            }
        }
        Ok(())
    }

    /// Adds `words` to the group at `place`, or makes one; returns the numbers that they get.
    pub fn add(
        groups: &mut Vec<Self>,
        place: ParamSource,
        words: impl IntoIterator<Item = HostParam>,
    ) -> Range<u32> {
        let number = match groups.iter().position(|group| group.source == place) {
            Some(number) => number,
            None => {
                groups.push(Self { source: place, params: Vec::new() });
                groups.len() - 1
            }
        };
        let group = &mut groups[number].params;
        let first = group.len() as u32;
        group.extend(words);
        first..group.len() as u32
    }
}
