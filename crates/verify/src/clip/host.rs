//! What the host fills in: masks, and planes.

use super::expected::Setting;
use crate::Steps;
use crate::random::Random;
use polyshade::clip_cull::Enabled;
use polyshade::host::Place;
use polyshade_vulkan::{Constant, Descriptor, Draw, Range, Resource, Work};

/// What the host may fill in.
pub(super) fn settings(steps: &Steps, seed: u64) -> Vec<Setting> {
    let mut random = Random::new(seed, 1 << 41);
    let count = steps.planes.map_or(0, |planes| planes.count);
    let masks = match steps.enable {
        Some((Enabled::Constant(mask), _)) => vec![mask],
        // Each plane is on once, and off.
        Some((Enabled::Word(_), _)) => vec![0x5555_5555, 0xaaaa_aaaa],
        None => vec![u32::MAX],
    };
    let mut plane = || [(); 4].map(|()| random.number() as f32 / 8.0);
    let planes: Vec<[f32; 4]> = (0..count).map(|_| plane()).collect();
    masks.into_iter().map(|mask| Setting { mask, planes: planes.clone() }).collect()
}

/// Fills it in, for the last of the stages that `draw` has by now.
pub(super) fn bind(steps: &Steps, setting: &Setting, draw: &mut Draw<'_>, work: &mut Work<'_>) {
    if let Some(planes) = steps.planes {
        let words: Vec<u32> =
            setting.planes.iter().flatten().map(|value| value.to_bits()).collect();
        fill_in(planes.words, &words, draw, work);
    }
    match steps.enable {
        Some((Enabled::Word(place), _)) => fill_in(place, &[setting.mask], draw, work),
        Some((Enabled::Constant(_), _)) | None => {}
    }
}

/// Puts words where the last of the stages reads them.
fn fill_in(place: Place, words: &[u32], draw: &mut Draw<'_>, work: &mut Work<'_>) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let buffer = |mut bytes: Vec<u8>, work: &mut Work<'_>| {
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        let range = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
        work.buffers.push(bytes);
        range
    };
    match place {
        Place::PushConstant { offset } => {
            let (start, end) = (offset as usize, offset as usize + bytes.len());
            draw.push_constants.resize(draw.push_constants.len().max(end), 0);
            draw.push_constants[start..end].copy_from_slice(&bytes);
        }
        Place::Specialization { first_id } => {
            let stage = draw.stages.last_mut().expect("the lowered stage is there");
            let constants = (first_id..).zip(words.iter().copied().map(Constant::Bits32));
            stage.specialization.extend(constants);
        }
        Place::Uniform { set, binding } => {
            let resource = Resource::UniformBuffer(buffer(bytes, work));
            draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
        }
        Place::StorageBuffer { set, binding } => {
            let resource = Resource::StorageBuffer(buffer(bytes, work));
            draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
        }
    }
}
