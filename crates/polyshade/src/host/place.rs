//! Host parameters, and the sources from which the shader reads them.

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

/// A source from which the shader reads host parameters.
///
/// The text form is `storage=SET:BINDING`, `uniform=SET:BINDING`, `push-constant=OFFSET` or `specialization=ID`, or
/// `address:` followed by an [`AddressSource`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ParamSource {
    /// A storage buffer range.
    StorageBuffer {
        /// Descriptor set.
        set: Set,
        /// Binding.
        binding: Binding,
    },
    /// A uniform buffer.
    Uniform {
        /// Descriptor set.
        set: Set,
        /// Binding.
        binding: Binding,
    },
    /// Push constants from this offset on. The offset is a multiple of 4, and follows the push constants of the
    /// shader itself.
    PushConstant {
        /// Offset in bytes.
        offset: u32,
    },
    /// Specialization constants with consecutive ids, each 0 by default.
    Specialization {
        /// The `SpecId` of the first constant.
        first_id: u32,
    },
    /// Memory at the address that the [`AddressSource`] holds. The address must be a multiple of 4, which is not
    /// checked.
    Address(AddressSource),
}

/// A source from which the shader reads a 64-bit address (`VkDeviceAddress`).
///
/// The text form is `uniform=SET:BINDING`, `push-constant=OFFSET`, `specialization=ID` or `attribute=LOCATION`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AddressSource {
    /// The first 8 bytes of a uniform buffer.
    Uniform {
        /// Descriptor set.
        set: Set,
        /// Binding.
        binding: Binding,
    },
    /// Eight bytes of push constants from this offset on. The offset is a multiple of 4, and follows the push
    /// constants of the shader itself.
    PushConstant {
        /// Offset in bytes.
        offset: u32,
    },
    /// Two specialization constants, each 0 by default: the lower 32 bits, then the upper 32 bits.
    Specialization {
        /// The `SpecId` of the lower half.
        first_id: u32,
    },
    /// A vertex attribute with two 32-bit unsigned integers (`VK_FORMAT_R32G32_UINT`), the lower half first. The
    /// value is the same for all vertices because its vertex buffer has a stride of 0. Only vertex stages support it.
    /// No input of the shader may use this location, except an input that [`vertex_pulling`](crate::vertex_pulling)
    /// replaces.
    Attribute {
        /// The location of the attribute.
        location: u32,
    },
}

impl AddressSource {
    /// Returns the same source as a [`ParamSource`] of two parameters: the two halves of the address. Returns `None`
    /// for an attribute, which is not a source of host parameters.
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
    /// Returns the set and binding of the descriptor that holds the parameters or their address, if there is one.
    pub fn descriptor(self) -> Option<(Set, Binding)> {
        match self {
            Self::StorageBuffer { set, binding } | Self::Uniform { set, binding } => {
                Some((set, binding))
            }
            Self::PushConstant { .. } | Self::Specialization { .. } => None,
            Self::Address(pointer) => pointer.place()?.descriptor(),
        }
    }

    /// Whether the shader reads an address, and the parameters from memory at that address.
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
                    "`{text}` is not a source of an address: use uniform=SET:BINDING, push-constant=OFFSET, \
                        specialization=ID or attribute=LOCATION"
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
        // Numbers are decimal, and descriptors have the form `SET:BINDING`.
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
                "`{text}` is not a source of host parameters: use storage=SET:BINDING, uniform=SET:BINDING, \
                    push-constant=OFFSET or specialization=ID, or the prefix address: with one of the \
                    last three or with attribute=LOCATION"
            );
            Error::new(&code::PARAMS_INVALID_SOURCE, message)
        })
    }
}

/// A value that is either fixed when the shader is lowered, or read from a host parameter when the shader runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Value<T> {
    /// A value that is fixed at lowering.
    Fixed(T),
    /// The value of the host parameter at this source.
    Param(ParamSource),
}

impl<T> Value<T> {
    /// Returns the source of the host parameter; `None` for a fixed value.
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

/// A 32-bit parameter that the host fills in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostParam {
    /// The name of the parameter in the shader.
    pub name: Cow<'static, str>,
    /// The meaning of the parameter, as text for the user.
    pub meaning: Cow<'static, str>,
}

impl HostParam {
    /// Creates a parameter called `name`.
    pub fn new(name: impl Into<Cow<'static, str>>, meaning: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), meaning: meaning.into() }
    }
}

/// Consecutive host parameters. In a buffer, in push constants or at an address, parameter `i` is `4 * i` bytes after
/// the start. As a specialization constant, its id is `first_id + i`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostParams {
    /// The source from which the shader reads the parameters.
    pub source: ParamSource,
    /// The parameters, in order.
    pub params: Vec<HostParam>,
}

impl HostParams {
    /// Returns the index of the parameter called `name`.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.params.iter().position(|word| word.name == name).map(|number| number as u32)
    }

    /// Returns the range of push constants, in bytes, that holds the parameters or their address, if any.
    pub fn push_constants(&self) -> Option<Range<u32>> {
        match self.filled_in() {
            Some((ParamSource::PushConstant { offset }, words)) => {
                Some(offset..offset.saturating_add(words * 4))
            }
            _ => None,
        }
    }

    /// Returns the ids of the specialization constants that hold the parameters or their address, if any.
    pub fn specialization(&self) -> Option<Range<u32>> {
        match self.filled_in() {
            Some((ParamSource::Specialization { first_id }, words)) => {
                Some(first_id..first_id.saturating_add(words))
            }
            _ => None,
        }
    }

    /// Returns the location of the attribute that holds their address, if any.
    pub fn location(&self) -> Option<u32> {
        match self.source {
            ParamSource::Address(AddressSource::Attribute { location }) => Some(location),
            _ => None,
        }
    }

    /// Returns the source that the host fills in, and the number of 32-bit values at it: 2 for an address. `None` if
    /// the source is an attribute.
    pub(crate) fn filled_in(&self) -> Option<(ParamSource, u32)> {
        match self.source {
            ParamSource::Address(pointer) => Some((pointer.place()?, 2)),
            place => Some((place, self.params.len() as u32)),
        }
    }

    /// Fails if two groups of parameters overlap.
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
                let message = format!(
                    "host parameters at {} overlap those at {}",
                    other.source, group.source
                );
                return Err(Error::new(&code::PARAMS_OVERLAP, message));
            }
        }
        Ok(())
    }

    /// Adds `words` to the group with the source `place`, and creates the group if needed. Returns the indices of the
    /// added parameters.
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
