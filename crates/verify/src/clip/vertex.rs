//! Vertex stages: what a lowered one hands on is made of what the original does, and a scene of its primitives is cut
//! as the device's own clip distances cut it.
//!
//! The other side of the picture is a vertex stage of ours: it takes the recorded positions and distances from vertex
//! buffers, and hands them on natively. Whether a primitive is culled is decided on the CPU.

use super::expected::{Expected, Interface, Key, Right, Setting, components, expected};
use super::{scene, too_many};
use crate::compare::Recording;
use crate::initialise::without_feedback;
use crate::leaves::{Kind, Leaf};
use crate::random::Random;
use crate::run::{
    Original, Report, Stop, cannot_run, check_device, check_messages, each_seed, is_about_points,
    not_comparable, parse, variant,
};
use crate::verdict::{Difference, Equal, Part, Value, Verdict};
use crate::{Job, Phase, Steps};
use polyshade::Module;
use polyshade::clip_cull::{Enabled, Words};
use polyshade_vulkan::{Constant, Descriptor, Device, Draw, Range, Resource, Work};
use std::iter;

/// Compares a lowered stage with the original.
pub(super) fn verify(
    job: &Job<'_>,
    steps: &Steps,
    device: &Device,
    (module, lowered): (&Module<'_>, &Module<'_>),
    report: &mut Report<'_>,
) -> Verdict {
    if let Some(why) = too_many(steps) {
        return Verdict::NotComparable(why);
    }
    each_seed(job, |seed| {
        let original = Original::new(job, device, module, seed)?;
        let interface = Interface {
            words: components(&original.leaves),
            leaves: &original.leaves,
            counts: None,
            marked: &steps.outputs,
        };
        let expected = expected(module, &interface, steps).map_err(not_comparable)?;
        let run = Run { original, steps, lowered, expected, seed };
        run.compare(report)
    })
}

/// One comparison, with one set of inputs.
pub(super) struct Run<'r> {
    pub(super) original: Original<'r>,
    pub(super) steps: &'r Steps,
    lowered: &'r Module<'r>,
    pub(super) expected: Expected,
    seed: u64,
}

/// What a lowered stage hands on, with what the host fills in.
pub(super) struct Drawn {
    pub(super) setting: Setting,
    pub(super) leaves: Vec<Leaf>,
    /// For each placement.
    pub(super) recordings: Vec<Recording>,
}

impl Run<'_> {
    fn compare(&self, report: &mut Report<'_>) -> Result<Equal, Stop> {
        let mut equal = Equal::default();
        report(Phase::Original);
        let recordings = self.original.record(&mut equal)?;

        let device = self.original.device;
        let words = variant(self.original.job, Part::Lowered, self.lowered.words())?;
        let module = without_feedback(&parse(Part::Lowered, &words)?)
            .map_err(|error| Stop::from(Difference::new(Part::Lowered, error.to_string())))?;
        check_device(device, &module)?;
        for setting in self.settings() {
            report(Phase::Rewritten);
            let drawn = self.record(&module, setting)?;
            self.compare_outputs(&recordings, &drawn)?;
            check_messages(device, Part::Lowered, |message| !is_about_points(message))?;
            equal.words += drawn.recordings.iter().map(|one| one.words.len() as u64).sum::<u64>();
            report(Phase::Rewritten);
            equal.pixels += scene::compare(self, &module, &recordings, &drawn)?;
            check_messages(device, Part::Lowered, |message| !is_about_points(message))?;
        }
        Ok(equal)
    }

    /// What the host may fill in: masks, and planes.
    fn settings(&self) -> Vec<Setting> {
        let mut random = Random::new(self.seed, 1 << 41);
        let count = self.steps.planes.map_or(0, |planes| planes.count);
        let masks = match self.steps.enable {
            Some((Enabled::Constant(mask), _)) => vec![mask],
            // Each plane is on once, and off.
            Some((Enabled::Specialization(_) | Enabled::Word(_), _)) => {
                vec![0x5555_5555, 0xaaaa_aaaa]
            }
            None => vec![u32::MAX],
        };
        let mut plane = || [(); 4].map(|()| random.number() as f32 / 8.0);
        let planes: Vec<[f32; 4]> = (0..count).map(|_| plane()).collect();
        masks.into_iter().map(|mask| Setting { mask, planes: planes.clone() }).collect()
    }

    /// Fills in what the host does.
    pub(super) fn bind(&self, setting: &Setting, draw: &mut Draw<'_>, work: &mut Work<'_>) {
        if let Some(planes) = self.steps.planes {
            let words: Vec<u32> =
                setting.planes.iter().flatten().map(|value| value.to_bits()).collect();
            fill_in(planes.words, &words, draw, work);
        }
        match self.steps.enable {
            Some((Enabled::Word(words), _)) => fill_in(words, &[setting.mask], draw, work),
            Some((Enabled::Specialization(id), _)) => {
                draw.stages[0].specialization.push((id, Constant::Bits32(setting.mask)));
            }
            Some((Enabled::Constant(_), _)) | None => {}
        }
    }

    fn record(&self, module: &Module<'_>, setting: Setting) -> Result<Drawn, Stop> {
        let broken = |why: String| Stop::from(Difference::new(Part::Lowered, why));
        let (original, mut recordings) = (&self.original, Vec::new());
        let mut leaves = Vec::new();
        for placement in original.placements {
            let recorder = original.recorder(module, placement).map_err(broken)?;
            let recording =
                original.run_recorder(&recorder, placement, &original.inputs, |draw, work| {
                    self.bind(&setting, draw, work);
                    Ok(())
                });
            recordings.push(recording.map_err(|error| cannot_run(Part::Lowered, &error))?);
            leaves = recorder.leaves;
        }
        Ok(Drawn { setting, leaves, recordings })
    }

    /// Every component is there and has its value, and there are no others.
    fn compare_outputs(&self, recordings: &[Recording], drawn: &Drawn) -> Result<(), Stop> {
        let found = components(&drawn.leaves);
        let kinds =
            drawn.leaves.iter().flat_map(|leaf| iter::repeat_n(leaf.kind, leaf.words() as usize));
        let kinds: Vec<Kind> = kinds.collect();
        let broken = |why: String| Stop::from(Difference::new(Part::Lowered, why));
        let Expected { components: wanted, left, .. } = &self.expected;
        let is_known = |key: &&Key| wanted.contains_key(key) || left.contains(key);
        if let Some(key) = found.keys().find(|key| !is_known(key)) {
            return Err(broken(format!("it has the output {}, and should not", key.title())));
        }
        for (right, found_words) in recordings.iter().zip(&drawn.recordings) {
            let placement = right.placement;
            let stride = |words: &[u32]| (words.len() / placement.slots() as usize).max(1);
            let strides = [stride(&right.words), stride(&found_words.words)];
            let vertices = (0..placement.slots() as usize).map(|slot| {
                let of = |words: &[u32], stride: usize| words[slot * stride..][..stride].to_vec();
                (of(&right.words, strides[0]), of(&found_words.words, strides[1]))
            });
            for (slot, (right, words)) in (0_u32..).zip(vertices) {
                for (key, source) in &self.expected.components {
                    let right = source.value(&right, &drawn.setting);
                    // What is never written need not be there.
                    let bits = found.get(key).map_or(0, |word| words[*word]);
                    let is_float = found.get(key).is_none_or(|word| kinds[*word] == Kind::Float);
                    if right.is(bits, is_float) {
                        continue;
                    }
                    let vertex = placement.first_vertex + slot % placement.vertices;
                    let instance = placement.first_instance + slot / placement.vertices;
                    let is_there = found.contains_key(key);
                    let message = match is_there {
                        true => "an output has another value".to_owned(),
                        false => format!("it lacks the output {}", key.title()),
                    };
                    return Err(Difference {
                        draw: Some(format!("{:?}", drawn.setting)),
                        vertex: Some((vertex, instance)),
                        varying: Some(key.title()),
                        expected: Some(value(right)),
                        found: is_there.then(|| value(Right::Bits(bits))),
                        ..Difference::new(Part::Lowered, message)
                    }
                    .into());
                }
            }
        }
        Ok(())
    }
}

fn value(right: Right) -> Value {
    match right {
        Right::Bits(bits) => {
            let number = format!("{:?}", f32::from_bits(bits));
            Value { bits: vec![bits], number }
        }
        Right::Near(number, error) => Value {
            bits: vec![(number as f32).to_bits()],
            number: format!("{number:?} ± {error:e}"),
        },
    }
}

/// Puts words where a shader reads them.
fn fill_in(place: Words, words: &[u32], draw: &mut Draw<'_>, work: &mut Work<'_>) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let buffer = |mut bytes: Vec<u8>, work: &mut Work<'_>| {
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        let range = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
        work.buffers.push(bytes);
        range
    };
    match place {
        Words::PushConstant { offset } => {
            let (start, end) = (offset as usize, offset as usize + bytes.len());
            draw.push_constants.resize(draw.push_constants.len().max(end), 0);
            draw.push_constants[start..end].copy_from_slice(&bytes);
        }
        Words::Uniform { set, binding } => {
            let resource = Resource::UniformBuffer(buffer(bytes, work));
            draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
        }
        Words::StorageBuffer { set, binding } => {
            let resource = Resource::StorageBuffer(buffer(bytes, work));
            draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
        }
    }
}
