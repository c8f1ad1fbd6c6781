//! The semantics of registers, and the numbering of distances between linked stages.

use crate::code;
use crate::host::as_text;
use crate::transform_feedback::{Components, Locations, locations};
use polyshade_spv::{BuiltIn, Capability, Error};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The effect of a distance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DistanceKind {
    /// Clips the parts of a primitive where the distance is negative.
    Clip,
    /// Culls a primitive if the distance is negative at all its vertices.
    Cull,
}

/// Both kinds of distances.
pub const DISTANCE_KINDS: [DistanceKind; 2] = [DistanceKind::Clip, DistanceKind::Cull];

impl DistanceKind {
    /// Returns the built-in array for these distances.
    pub fn builtin(self) -> BuiltIn {
        match self {
            Self::Clip => BuiltIn::CLIP_DISTANCE,
            Self::Cull => BuiltIn::CULL_DISTANCE,
        }
    }

    /// Returns the capability that a module with these distances needs.
    pub fn capability(self) -> Capability {
        match self {
            Self::Clip => Capability::CLIP_DISTANCE,
            Self::Cull => Capability::CULL_DISTANCE,
        }
    }

    /// Returns GLSL's name of the built-in array.
    pub fn glsl_name(self) -> &'static str {
        match self {
            Self::Clip => "gl_ClipDistance",
            Self::Cull => "gl_CullDistance",
        }
    }

    /// Returns the kind that the Direct3D semantic `name` denotes; the name may end with an index.
    pub(super) fn of_semantic(name: &str) -> Option<Self> {
        let base = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        if base.eq_ignore_ascii_case("SV_ClipDistance") {
            Some(Self::Clip)
        } else if base.eq_ignore_ascii_case("SV_CullDistance") {
            Some(Self::Cull)
        } else {
            None
        }
    }
}

impl fmt::Display for DistanceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clip => "clip",
            Self::Cull => "cull",
        })
    }
}

/// A semantic that marks components of locations as clip or cull distances.
///
/// The text form is `clip=` or `cull=` with a [range of locations](Locations): `clip=3`, `cull=4.xy`, `clip=3-4`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub struct DistanceSemantic {
    /// The kind of the distances.
    pub kind: DistanceKind,
    /// The locations and components of the distances.
    pub locations: Locations,
}

impl DistanceSemantic {
    /// Returns the semantic for `components` of the register at `location`.
    pub fn new(kind: DistanceKind, location: u32, components: Components) -> Self {
        Self { kind, locations: Locations { first: location, last: location, components } }
    }

    /// Whether the semantic marks this component.
    pub(super) fn covers(&self, location: u32, component: u32) -> bool {
        let Locations { first, last, components } = self.locations;
        (first..=last).contains(&location)
            && (components.first()..components.first() + components.count()).contains(&component)
    }
}

impl fmt::Display for DistanceSemantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locations = self.locations.to_string();
        let range = locations.strip_prefix("location=").unwrap_or(&locations);
        write!(f, "{}={range}", self.kind)
    }
}

as_text!(DistanceSemantic);

impl FromStr for DistanceSemantic {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (kind, range) = text.trim().split_once('=').unwrap_or((text, ""));
        let kind = DISTANCE_KINDS.into_iter().find(|known| known.to_string() == kind);
        match kind.zip(locations(range)) {
            Some((kind, locations)) => Ok(Self { kind, locations }),
            None => {
                let message = format!("`{text}` is not a distance semantic");
                let error = Error::new(&code::CLIP_INVALID_SEMANTIC, message);
                Err(error.help("write a semantic as clip=3, cull=4.xy or clip=3-4"))
            }
        }
    }
}

/// A component of a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Component {
    pub(super) location: u32,
    pub(super) component: u32,
}

/// The maximum number of registers for clip and cull distances together (Direct3D, system-value semantics).
const MOST_REGISTERS: usize = 2;

/// The distances that two linked stages share, numbered by register, then component. The number of a component is its
/// index in the built-in array. Both stages must use the same numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Linkage {
    clip: BTreeSet<Component>,
    cull: BTreeSet<Component>,
}

impl Linkage {
    /// Returns the linkage with the components that `marks` mark.
    ///
    /// # Errors
    ///
    /// `Options`: a component marked as both clip and cull distance; more than two registers.
    pub(super) fn new(marks: impl IntoIterator<Item = DistanceSemantic>) -> Result<Self, Error> {
        let mut linkage = Self::default();
        for mark in marks {
            let Locations { first, last, components } = mark.locations;
            for location in (first..=last).take(MOST_REGISTERS + 1) {
                for component in components.first()..components.first() + components.count() {
                    linkage.add(mark.kind, Component { location, component });
                }
            }
        }
        linkage.check()?;
        Ok(linkage)
    }

    pub(super) fn add(&mut self, kind: DistanceKind, component: Component) {
        match kind {
            DistanceKind::Clip => self.clip.insert(component),
            DistanceKind::Cull => self.cull.insert(component),
        };
    }

    /// Adds the distances of `other`.
    pub(super) fn join(&mut self, other: &Self) {
        self.clip.extend(&other.clip);
        self.cull.extend(&other.cull);
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(both) = self.clip.intersection(&self.cull).next() {
            let Component { location, component } = both;
            let message = format!(
                "component {component} of location {location} is marked as both clip and cull distance"
            );
            return Err(Error::new(&code::CLIP_CONFLICTING_SEMANTICS, message));
        }
        let all = self.clip.iter().chain(&self.cull);
        if let Some(Component { location, component }) = all.clone().find(|one| one.component > 3) {
            let message = format!("location {location} has no component {component}");
            return Err(Error::new(&code::CLIP_DISTANCE_LOCATION, message));
        }
        let registers: BTreeSet<u32> = all.map(|component| component.location).collect();
        if registers.len() > MOST_REGISTERS {
            let listed: Vec<String> = registers.iter().map(u32::to_string).collect();
            let message = format!(
                "clip and cull distances take at most {MOST_REGISTERS} registers together, but are marked in {}: \
                    locations {}",
                registers.len(),
                listed.join(", ")
            );
            return Err(Error::new(&code::CLIP_TOO_MANY_REGISTERS, message));
        }
        Ok(())
    }

    /// Returns the components of one kind, sorted by number.
    pub(super) fn of(&self, kind: DistanceKind) -> impl ExactSizeIterator<Item = Component> + '_ {
        match kind {
            DistanceKind::Clip => self.clip.iter().copied(),
            DistanceKind::Cull => self.cull.iter().copied(),
        }
    }

    /// Returns the number of distances of one kind.
    pub(super) fn count(&self, kind: DistanceKind) -> u32 {
        self.of(kind).len() as u32
    }

    /// Returns one semantic per component: clip distances first, each kind sorted by number.
    pub(super) fn semantics(&self) -> Vec<DistanceSemantic> {
        let of_kind = |kind| {
            self.of(kind).filter_map(move |Component { location, component }| {
                Some(DistanceSemantic::new(kind, location, Components::new(component, 1)?))
            })
        };
        DISTANCE_KINDS.into_iter().flat_map(of_kind).collect()
    }

    /// Returns the number of a component, or `None` if the component is not a distance of this kind.
    pub(super) fn number(&self, kind: DistanceKind, component: Component) -> Option<u32> {
        self.of(kind).position(|other| other == component).map(|number| number as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_and_shown() {
        for text in ["clip=3", "cull=4.xy", "clip=3-4", "cull=0.w"] {
            assert_eq!(mark(text).to_string(), text);
        }
        for text in ["", "clip", "clip=", "plane=3", "clip=3.xz", "cull=x"] {
            assert!(text.parse::<DistanceSemantic>().is_err(), "{text}");
        }
    }

    fn mark(text: &str) -> DistanceSemantic {
        text.parse().expect("it is a mark")
    }

    #[test]
    fn numbers_go_by_register_whatever_the_order() {
        let marks = ["clip=4.xy", "clip=1.zw", "cull=1.xy"].map(mark);
        let linkage = Linkage::new(marks).expect("they are apart");
        let number = |location, component| {
            linkage.number(DistanceKind::Clip, Component { location, component })
        };
        assert_eq!([number(1, 2), number(1, 3), number(4, 0)], [Some(0), Some(1), Some(2)]);
        assert_eq!(number(1, 0), None);
        assert_eq!(linkage.count(DistanceKind::Cull), 2);
    }

    #[test]
    fn a_third_register_and_a_component_that_is_both_are_refused() {
        for (marks, code) in [
            (["clip=1-2", "cull=3"], &code::CLIP_TOO_MANY_REGISTERS),
            (["clip=1.xy", "cull=1.yz"], &code::CLIP_CONFLICTING_SEMANTICS),
        ] {
            assert_eq!(Linkage::new(marks.map(mark)).unwrap_err().code(), code);
        }
        assert!(Linkage::new(["clip=1-2", "cull=2"].map(mark)).is_err());
    }

    #[test]
    fn semantics_are_told_by_name_whatever_their_index() {
        assert_eq!(DistanceKind::of_semantic("SV_ClipDistance"), Some(DistanceKind::Clip));
        assert_eq!(DistanceKind::of_semantic("sv_culldistance7"), Some(DistanceKind::Cull));
        assert_eq!(DistanceKind::of_semantic("SV_ClipDistances"), None);
    }
}
