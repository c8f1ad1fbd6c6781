//! How many distances a device takes.

use super::marks::{KINDS, Kind};
use crate::host::{Feature, LimitName, Requirements, Target};
use polyshade_spv::Error;

/// Which distances the device lacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Lacking {
    /// Clip distances, and so cull distances too: a device that has these has those.
    #[default]
    All,
    /// Cull distances only, as Metal does. Clip distances stay as they are.
    Cull,
}

impl Lacking {
    pub(super) fn is_lacked(self, kind: Kind) -> bool {
        self == Self::All || kind == Kind::Cull
    }

    /// Whether there is anything to do for so many clip and cull distances.
    pub(crate) fn is_needed(self, counts: [u32; 2]) -> bool {
        KINDS.into_iter().zip(counts).any(|(kind, count)| count > 0 && self.is_lacked(kind))
    }
}

/// What a stage with this many distances, clip and cull, needs of the device.
pub(super) fn requirements(counts: [u32; 2]) -> Requirements {
    let [clip, cull] = counts;
    let mut needs = Requirements::default();
    for (kind, count) in KINDS.into_iter().zip(counts) {
        if count > 0 {
            needs.features.push(feature(kind));
            needs.need(name(kind), count);
        }
    }
    if clip > 0 && cull > 0 {
        needs.need(LimitName::MaxCombinedClipAndCullDistances, clip.saturating_add(cull));
    }
    needs
}

pub(super) fn feature(kind: Kind) -> Feature {
    match kind {
        Kind::Clip => Feature::ShaderClipDistance,
        Kind::Cull => Feature::ShaderCullDistance,
    }
}

fn name(kind: Kind) -> LimitName {
    match kind {
        Kind::Clip => LimitName::MaxClipDistances,
        Kind::Cull => LimitName::MaxCullDistances,
    }
}

/// An error where a stage has more distances than the device takes.
pub(super) fn check(target: &Target, [clip, cull]: [u32; 2]) -> Result<(), Error> {
    let needed = [
        (name(Kind::Clip), clip),
        (name(Kind::Cull), cull),
        (LimitName::MaxCombinedClipAndCullDistances, clip.saturating_add(cull)),
    ];
    let what = format!("{clip} clip and {cull} cull distances are");
    target.device_limits().check(&what, &needed)
}
