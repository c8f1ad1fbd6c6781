//! How many distances a device takes.

use super::marks::{KINDS, Kind};
use crate::transform_feedback::Limit;
use polyshade_spv::{Error, ErrorKind};

/// How many distances a device takes in one stage, by Vulkan's names. Each is 8 unless said otherwise: what every
/// device has that has the feature at all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// `maxClipDistances`.
    pub clip: u32,
    /// `maxCullDistances`.
    pub cull: u32,
    /// `maxCombinedClipAndCullDistances`.
    pub combined: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { clip: 8, cull: 8, combined: 8 }
    }
}

/// What the result needs of the device.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Requirements {
    /// Vulkan features by their names.
    pub features: Vec<&'static str>,
    /// Vulkan limits.
    pub limits: Vec<Limit>,
}

impl Requirements {
    /// Of a stage with this many distances, clip and cull.
    pub(super) fn new(counts: [u32; 2]) -> Self {
        let [clip, cull] = counts;
        let mut features = Vec::new();
        let mut limits = Vec::new();
        for (kind, count) in KINDS.into_iter().zip(counts) {
            if count > 0 {
                features.push(match kind {
                    Kind::Clip => "shaderClipDistance",
                    Kind::Cull => "shaderCullDistance",
                });
                limits.push(Limit { name: name(kind), at_least: count });
            }
        }
        if clip > 0 && cull > 0 {
            limits.push(Limit { name: COMBINED, at_least: clip.saturating_add(cull) });
        }
        Self { features, limits }
    }

    /// What this or `other` needs.
    pub(super) fn join(mut self, other: Self) -> Self {
        for feature in other.features {
            if !self.features.contains(&feature) {
                self.features.push(feature);
            }
        }
        for limit in other.limits {
            match self.limits.iter_mut().find(|own| own.name == limit.name) {
                Some(own) => own.at_least = own.at_least.max(limit.at_least),
                None => self.limits.push(limit),
            }
        }
        self
    }
}

const COMBINED: &str = "maxCombinedClipAndCullDistances";

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Clip => "maxClipDistances",
        Kind::Cull => "maxCullDistances",
    }
}

impl Limits {
    /// An error where a stage has more distances than the device takes.
    pub(super) fn check(self, counts: [u32; 2]) -> Result<(), Error> {
        let [clip, cull] = counts;
        let all = [
            (name(Kind::Clip), clip, self.clip),
            (name(Kind::Cull), cull, self.cull),
            (COMBINED, clip.saturating_add(cull), self.combined),
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_checked_by_name() {
        let limits = Limits { clip: 6, cull: 4, combined: 8 };
        assert!(limits.check([4, 4]).is_ok());
        for (counts, name) in [([7, 0], "maxClip"), ([0, 5], "maxCull"), ([6, 3], "maxCombined")] {
            let error = limits.check(counts).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
