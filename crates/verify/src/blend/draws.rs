//! The draws: triangles that overlap, fed with what the fragment stage reads.

use super::{Run, Selection, Source, Stop, Target};
use crate::constants::Specialization;
use crate::feeder::{self, Varying};
use crate::inputs::Inputs;
use crate::leaves::{self, Kind, Leaf};
use crate::library;
use crate::run::{cannot_run, not_comparable};
use crate::targets::{self, Colour, Picture, SIDE};
use crate::verdict::Part;
use polyshade::Module;
use polyshade::advanced_blend::{Destination, Select};
use polyshade::host::{Place, Purpose};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, StorageClass};
use polyshade_vulkan::{
    Attribute, Constant, Descriptor, Draw, Error, Range, Resource, Stage, Texture, Work, vk,
};
use std::ops;

/// The corners of all triangles.
pub(super) const CORNERS: u32 = 9;
const TRIANGLES: usize = CORNERS as usize / 3;

/// Refuses inputs that the vertex stage of ours does not hand on.
pub(super) fn check_inputs(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    specialization: &Specialization,
) -> Result<(), Stop> {
    let leaves = leaves::leaves(m, entry, StorageClass::INPUT, specialization);
    let is_lacking = |leaf: &&Leaf| match leaf.builtin {
        Some(builtin) => matches!(builtin, BuiltIn::CLIP_DISTANCE | BuiltIn::CULL_DISTANCE),
        None => leaf.bits != 32,
    };
    match leaves.map_err(not_comparable)?.iter().find(is_lacking) {
        Some(leaf) => Err(not_comparable(format!("input {} is not made", leaf.title()))),
        None => Ok(()),
    }
}

/// The vertex stage that hands on each attribute at its location.
pub(super) fn feeder(inputs: &Inputs) -> Result<Vec<u32>, Stop> {
    let varying = |attribute: Attribute| {
        let (kind, count) = shape(attribute.format);
        Varying {
            attribute: attribute.location,
            location: attribute.location,
            kind,
            count,
            is_of_patch: false,
        }
    };
    feeder::feeder(&library::COVER, inputs.attributes().map(varying), &[])
}

/// What a format of an attribute has.
fn shape(format: vk::Format) -> (Kind, u32) {
    use vk::Format as F;
    match format {
        F::R32_SFLOAT => (Kind::Float, 1),
        F::R32G32_SFLOAT => (Kind::Float, 2),
        F::R32G32B32_SFLOAT => (Kind::Float, 3),
        F::R32_SINT => (Kind::Int, 1),
        F::R32G32_SINT => (Kind::Int, 2),
        F::R32G32B32_SINT => (Kind::Int, 3),
        F::R32G32B32A32_SINT => (Kind::Int, 4),
        F::R32_UINT => (Kind::Uint, 1),
        F::R32G32_UINT => (Kind::Uint, 2),
        F::R32G32B32_UINT => (Kind::Uint, 3),
        F::R32G32B32A32_UINT => (Kind::Uint, 4),
        _ => (Kind::Float, 4),
    }
}

impl Target {
    /// What the shader writes, with black for what it does not.
    fn source(&self, pixel: Colour) -> Colour {
        let mut source = Colour::of([0.0, 0.0, 0.0, 1.0]);
        for leaf in &self.drawn.leaves {
            let (_, first) = leaf.register.unwrap_or((0, 0));
            let components = first as usize..(first + leaf.count).min(4) as usize;
            source.0[components.clone()].copy_from_slice(&pixel.0[components]);
        }
        source
    }
}

/// What is there before the original is drawn: two pictures that differ everywhere, so that what is the same in both
/// afterwards has been drawn.
const BEFORE: [u32; 2] = [0x7e55_aa33, 0x1357_9bdf];

impl Run<'_> {
    /// What the original writes to each target, for each triangle.
    pub(super) fn draw_sources(&self) -> Result<Vec<Vec<Source>>, Stop> {
        let text = |error: Error| not_comparable(format!("the original: {error}"));
        let mut sources = Vec::new();
        for triangle in 0..TRIANGLES {
            let mut drawn = Vec::new();
            for before in BEFORE {
                let before = vec![Colour([before; 4]); (SIDE * SIDE) as usize];
                let mut work = Work::default();
                self.add_targets(&vec![before; self.targets.len()], &mut work);
                let draw = self.draw(self.original.words(), triangle, 0, &mut work);
                work.draws.push(draw);
                drawn.push(targets::pictures(&self.device.run(&work).map_err(text)?));
            }
            let of_target = |(number, target): (usize, &Target)| {
                let pixels = drawn[0][number].iter().zip(&drawn[1][number]);
                let is_output = !target.drawn.leaves.is_empty();
                pixels
                    .map(|(one, other)| {
                        (is_output && target.drawn.is_same(*one, *other))
                            .then(|| target.source(*one))
                    })
                    .collect()
            };
            sources.push(self.targets.iter().enumerate().map(of_target).collect());
        }
        Ok(sources)
    }

    /// Draws triangles one behind the other with the lowered shader, over pictures, for each selection by itself.
    pub(super) fn draw_blended(
        &self,
        words: &[u32],
        selections: &[Selection],
        (triangles, before): (ops::Range<usize>, &[Vec<Picture>]),
    ) -> Result<Vec<Vec<Picture>>, Stop> {
        let mut work = Work::default();
        for (selection, before) in selections.iter().zip(before) {
            let first = self.add_targets(before, &mut work);
            for triangle in triangles.clone() {
                let mut draw = self.draw(words, triangle, first, &mut work);
                self.bind(selection, (first, before), &mut draw, &mut work);
                work.draws.push(draw);
            }
        }
        let outcome = self.device.run(&work).map_err(|error| cannot_run(Part::Lowered, &error))?;
        let all = targets::pictures(&outcome);
        Ok(all.chunks(self.targets.len()).map(<[Picture]>::to_vec).collect())
    }

    /// Adds targets that hold these pictures; returns the index of the first.
    fn add_targets(&self, pictures: &[Picture], work: &mut Work<'_>) -> usize {
        targets::add(self.targets.iter().map(|target| &target.drawn), pictures, work)
    }

    /// A draw of one triangle to the targets from `target` on, with the original's own inputs.
    fn draw<'w>(
        &'w self,
        fragment: &'w [u32],
        triangle: usize,
        target: usize,
        work: &mut Work<'w>,
    ) -> Draw<'w> {
        let first = 3 * triangle as u32;
        let mut draw = Draw {
            stages: vec![
                Stage::vertex(&self.feeder),
                Stage { entry_point: self.job.entry, ..Stage::fragment(fragment) },
            ],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            target: Some(target),
            other_targets: (target + 1..target + self.targets.len()).collect(),
            vertices: first..first + 3,
            instances: 0..1,
            ..Draw::default()
        };
        self.inputs.install(work).give(&mut draw);
        draw.stages[0].specialization.clear();
        draw
    }

    /// Binds destinations, and fills in the words that select.
    fn bind(
        &self,
        selection: &Selection,
        (first, before): (usize, &[Picture]),
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) {
        let blended = &self.lowered.result;
        let words = blended.iter().filter_map(|one| selection.words.get(one.location as usize));
        let words: Vec<u32> = words.map(|(word, _)| *word).collect();
        let filled_in: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        for one in &self.lowered.requirements.descriptors {
            let resource = match one.purpose {
                Purpose::Destination { location, .. } => match self.blends.destination {
                    Destination::Texture { .. } => {
                        work.textures.push(texture(before.get(location as usize)));
                        Resource::Image(work.textures.len() - 1)
                    }
                    _ => Resource::InputAttachment(first + location as usize),
                },
                Purpose::Words => {
                    let mut bytes = filled_in.clone();
                    bytes.resize(bytes.len().next_multiple_of(16), 0);
                    let size = bytes.len() as u64;
                    work.buffers.push(bytes);
                    let range = Range { buffer: work.buffers.len() - 1, offset: 0, size };
                    match self.blends.select {
                        Select::Words(Place::Uniform { .. }) => Resource::UniformBuffer(range),
                        _ => Resource::StorageBuffer(range),
                    }
                }
                // What is not bound fails the draw.
                _ => continue,
            };
            draw.descriptors.push(Descriptor::new(one.set.0, one.binding.0, resource));
        }
        match self.blends.select {
            Select::Words(Place::PushConstant { offset }) => {
                let (start, end) = (offset as usize, offset as usize + filled_in.len());
                draw.push_constants.resize(draw.push_constants.len().max(end), 0);
                draw.push_constants[start..end].copy_from_slice(&filled_in);
            }
            Select::Words(Place::Specialization { first_id }) => {
                let constants = (first_id..).zip(words.into_iter().map(Constant::Bits32));
                draw.stages[1].specialization.extend(constants);
            }
            Select::Words(Place::Uniform { .. } | Place::StorageBuffer { .. })
            | Select::Constant => {}
        }
    }
}

/// A copy of a target.
fn texture(picture: Option<&Picture>) -> Texture {
    Texture {
        format: vk::Format::R32G32B32A32_SFLOAT,
        width: SIDE,
        height: SIDE,
        contents: picture.map(targets::bytes).unwrap_or_default(),
        ..Texture::default()
    }
}
