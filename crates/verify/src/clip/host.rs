//! The host parameters: masks and planes.

use super::model::{Model, Setting};
use crate::ClipSteps;
use crate::random::Random;
use polyshade::host::Value;
use polyshade_vulkan::{Draw, Work, place_words};

/// Returns the sets of host parameters to compare.
pub(super) fn settings(steps: &ClipSteps, seed: u64) -> Vec<Setting> {
    let mut random = Random::new(seed, 1 << 41);
    let masks = match steps.mask.map(|(enabled, _)| enabled) {
        Some(Value::Fixed(mask)) => vec![mask],
        // For any two planes, each plane is enabled once while the other is disabled. There are also masks with all
        // planes enabled and with none.
        Some(Value::Param(_)) => {
            [0, 0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0].map(|mask: u32| [mask, !mask]).concat()
        }
        None => vec![u32::MAX],
    };
    let plane = |_| [(); 4].map(|()| random.number() as f32 / 8.0);
    let planes: Vec<_> = (0..steps.planes.map_or(0, |planes| planes.count)).map(plane).collect();
    masks.into_iter().map(|mask| Setting { mask, planes: planes.clone() }).collect()
}

/// Writes the host parameters of a model, if there is one, for the last stage that `draw` has so far.
pub(super) fn bind(model: Option<&Model>, draw: &mut Draw<'_>, work: &mut Work<'_>) {
    let Some(Model { steps, setting, .. }) = model else { return };
    let last = draw.stages.len() - 1;
    if let Some(planes) = steps.planes {
        let words: Vec<u32> = setting.planes.iter().flatten().map(|one| one.to_bits()).collect();
        place_words(planes.params, &words, last, draw, work);
    }
    if let Some(Value::Param(place)) = steps.mask.map(|(enabled, _)| enabled) {
        place_words(place, &[setting.mask], last, draw, work);
    }
}
