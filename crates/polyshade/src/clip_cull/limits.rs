//! How many distances a device takes.

use super::marks::{KINDS, Kind};
use crate::host::{Distances, Feature, Limit, LimitName, Requirements};
use polyshade_spv::{Error, ErrorKind};

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
            needs.limits.push(Limit { name: name(kind), at_least: count });
        }
    }
    if clip > 0 && cull > 0 {
        let at_least = clip.saturating_add(cull);
        needs.limits.push(Limit { name: LimitName::MaxCombinedClipAndCullDistances, at_least });
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
pub(super) fn check(device: Distances, counts: [u32; 2]) -> Result<(), Error> {
    let [clip, cull] = counts;
    let combined = LimitName::MaxCombinedClipAndCullDistances;
    let all = [
        (name(Kind::Clip), clip, device.clip),
        (name(Kind::Cull), cull, device.cull),
        (combined, clip.saturating_add(cull), device.combined),
    ];
    match all.into_iter().find(|(_, count, limit)| count > limit) {
        Some((name, count, limit)) => {
            let message = format!(
                "{clip} clip and {cull} cull distances are {count} of {name}, of which there are {limit}"
            );
            Err(Error::new(ErrorKind::Unsupported, message))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_checked_by_name() {
        let device = Distances { clip: 6, cull: 4, combined: 8 };
        assert!(check(device, [4, 4]).is_ok());
        for (counts, name) in [([7, 0], "maxClip"), ([0, 5], "maxCull"), ([6, 3], "maxCombined")] {
            let error = check(device, counts).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
