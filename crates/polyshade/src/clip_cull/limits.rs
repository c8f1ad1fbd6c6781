//! How many distances a device takes.

use super::marks::{KINDS, Kind};
use crate::host::{Feature, LimitName, Requirements, Target};
use polyshade_spv::Error;

/// What a stage with this many distances, clip and cull, needs of the device.
pub(super) fn requirements(counts: [u32; 2]) -> Requirements {
    let [clip, cull] = counts;
    let mut needs = Requirements::default();
    for (kind, count) in KINDS.into_iter().zip(counts) {
        if count > 0 {
            needs.features.push(match kind {
                Kind::Clip => Feature::ShaderClipDistance,
                Kind::Cull => Feature::ShaderCullDistance,
            });
            needs.need(name(kind), count);
        }
    }
    if clip > 0 && cull > 0 {
        needs.need(LimitName::MaxCombinedClipAndCullDistances, clip.saturating_add(cull));
    }
    needs
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
