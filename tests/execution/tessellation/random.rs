//! Random pipelines, levels and draws. A failing pipeline is simplified as long as it still fails.

use super::pipeline::{Item, Native, Pipeline};
use super::shaders::Modes;
use super::{Compared, DOMAINS, NATIVE_ROOM, SPACINGS, compare, coverage, patches, run};
use crate::drivers::DRIVERS;
use crate::noise::Noise;
use crate::property::{check_groups, numbers};
use crate::sweep::pick;
use proptest::prelude::*;

/// The number of pipelines, unless `POLYSHADE_GROUPS` is set, and the most different patches of each.
const GROUPS: u32 = 24;
const PATCHES: usize = 8;

/// A pipeline and its draw.
#[derive(Debug, Clone)]
struct Group {
    modes: Modes,
    item: Item,
}

/// Returns a random level, which is mostly small.
pub(super) fn level(noise: &mut Noise) -> f32 {
    let integer = (1 + noise.below(6)) as f32;
    match noise.below(64) {
        0..=24 => integer,
        25..=44 => integer + noise.below(1 << 16) as f32 / 65536.0,
        45 => f32::from_bits(integer.to_bits() + 1),
        46 => f32::from_bits(integer.to_bits() - 1),
        47..=52 => 2.0 * integer,
        53..=55 => integer + 1.0 / (1 << noise.below(24)) as f32,
        56 => 64.0 - noise.below(256) as f32 / 64.0,
        57 => pick(noise, &[1e9, f32::INFINITY]),
        58 => pick(noise, &[0.0, -0.0, -1.0, -1e9]),
        59 => pick(noise, &[f32::NAN, f32::NEG_INFINITY, -f32::NAN]),
        _ => pick(noise, &[0.5, 1e-30, 0.999_999_9]),
    }
}

/// Returns whether lavapipe's tessellator has the exact level. It rounds fractions to 16 bits, so a level just above an
/// integer can have too few segments.
fn is_native(level: &f32) -> bool {
    (level * 65536.0).fract() == 0.0 || !level.is_finite()
}

impl Group {
    fn drawn((common, levels): (Vec<u32>, Vec<Vec<u32>>)) -> Self {
        let noise = &mut Noise::drawn(common);
        let levels = levels.into_iter().map(|numbers| {
            let noise = &mut Noise::drawn(numbers);
            [0; 6].map(|_| level(noise))
        });
        let modes = Modes {
            domain: pick(noise, &DOMAINS),
            spacing: pick(noise, &SPACINGS),
            order: pick(noise, &["ccw", "cw"]),
            points: noise.below(4) == 3,
            outputs: pick(noise, &[4, 12]),
            wide: false,
            levels: levels.collect(),
        };
        let item = Item { vertices: noise.below(26), instances: 1 + noise.below(3) };
        Self { modes, item }
    }

    /// Returns a description of the difference, if any.
    fn compare(&self) -> Result<(), String> {
        let Modes { domain, spacing, .. } = self.modes;
        let corners = self.modes.corners();
        let native = patches(&Native::new(&self.modes).capture(self.item, NATIVE_ROOM));
        let pipeline = Pipeline::new(&self.modes);
        let compared = match spacing {
            "equal_spacing" => Compared::Positions,
            _ if self.modes.levels.iter().flatten().all(is_native) => Compared::Vertices,
            _ => Compared::Patches,
        };
        for driver in DRIVERS {
            let found = patches(&run(&pipeline, driver, self.item).1);
            let described = |error: String| format!("{driver:?}: {error}");
            compare(&found, &native, (corners, compared)).map_err(described)?;
            for (patch, vertices) in found.iter().filter(|_| corners == 3) {
                let expected = coverage::orientation(&native[patch]);
                coverage::check(domain, vertices, expected).map_err(described)?;
            }
        }
        Ok(())
    }
}

#[test]
fn any_patch_is_divided_as_natively() {
    let levels = prop::collection::vec(numbers(12..=30), 1..=PATCHES);
    let drawn = (numbers(7..=7), levels);
    check_groups((GROUPS, 64), drawn.prop_map(Group::drawn), Group::compare);
}
