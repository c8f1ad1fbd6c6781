//! The device features and limits for distances.

use super::semantics::{DISTANCE_KINDS, DistanceKind};
use crate::host::{Feature, LimitName, Requirements, Target};
use polyshade_spv::Error;

/// The kinds of distances that the device lacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Emulated {
    /// Clip and cull distances. A device without clip distances has no cull distances either.
    #[default]
    All,
    /// Cull distances only, as on Metal. Clip distances stay built-in.
    Cull,
}

impl Emulated {
    pub(super) fn includes(self, kind: DistanceKind) -> bool {
        self == Self::All || kind == DistanceKind::Cull
    }

    /// Whether a stage with `counts` clip and cull distances uses a kind that the device lacks.
    pub(crate) fn is_needed(self, counts: [u32; 2]) -> bool {
        DISTANCE_KINDS.into_iter().zip(counts).any(|(kind, count)| count > 0 && self.includes(kind))
    }
}

/// Returns the requirements of a stage with `counts` clip and cull distances.
pub(super) fn requirements(counts: [u32; 2]) -> Requirements {
    let [clip, cull] = counts;
    let mut needs = Requirements::default();
    for (kind, count) in DISTANCE_KINDS.into_iter().zip(counts) {
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

/// Removes the features and limits for distances from `needs`.
pub(super) fn without_distances(mut needs: Requirements) -> Requirements {
    for kind in DISTANCE_KINDS {
        needs.features.retain(|feature_of| *feature_of != feature(kind));
        needs.limits.remove(&name(kind));
    }
    needs.limits.remove(&LimitName::MaxCombinedClipAndCullDistances);
    needs
}

pub(super) fn feature(kind: DistanceKind) -> Feature {
    match kind {
        DistanceKind::Clip => Feature::ShaderClipDistance,
        DistanceKind::Cull => Feature::ShaderCullDistance,
    }
}

fn name(kind: DistanceKind) -> LimitName {
    match kind {
        DistanceKind::Clip => LimitName::MaxClipDistances,
        DistanceKind::Cull => LimitName::MaxCullDistances,
    }
}

/// Refuses more clip and cull distances than the device supports.
pub(super) fn check(target: &Target, [clip, cull]: [u32; 2]) -> Result<(), Error> {
    let needed = [
        (name(DistanceKind::Clip), clip),
        (name(DistanceKind::Cull), cull),
        (LimitName::MaxCombinedClipAndCullDistances, clip.saturating_add(cull)),
    ];
    let what = format!("cannot use {clip} clip and {cull} cull distances:");
    target.device_limits().check(&what, &needed)
}
