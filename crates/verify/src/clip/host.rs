//! What the host fills in: masks, and planes.

use super::model::Setting;
use crate::Steps;
use crate::random::Random;
use polyshade::host::Value;
use polyshade_vulkan::{Draw, Work, place_words};

/// What the host may fill in.
pub(super) fn settings(steps: &Steps, seed: u64) -> Vec<Setting> {
    let mut random = Random::new(seed, 1 << 41);
    let count = steps.planes.map_or(0, |planes| planes.count);
    let masks = match steps.enable {
        Some((Value::Fixed(mask), _)) => vec![mask],
        // Of any two planes, each is on once while the other is off.
        Some((Value::Word(_), _)) => {
            let masks = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0_u32];
            masks.into_iter().flat_map(|mask| [mask, !mask]).collect()
        }
        None => vec![u32::MAX],
    };
    let mut plane = || [(); 4].map(|()| random.number() as f32 / 8.0);
    let planes: Vec<[f32; 4]> = (0..count).map(|_| plane()).collect();
    masks.into_iter().map(|mask| Setting { mask, planes: planes.clone() }).collect()
}

/// Fills it in, for the last of the stages that `draw` has by now.
pub(super) fn bind(steps: &Steps, setting: &Setting, draw: &mut Draw<'_>, work: &mut Work<'_>) {
    let last = draw.stages.len() - 1;
    if let Some(planes) = steps.planes {
        let words: Vec<u32> =
            setting.planes.iter().flatten().map(|value| value.to_bits()).collect();
        place_words(planes.words, &words, last, draw, work);
    }
    match steps.enable {
        Some((Value::Word(place), _)) => {
            place_words(place, &[setting.mask], last, draw, work);
        }
        Some((Value::Fixed(_), _)) | None => {}
    }
}
