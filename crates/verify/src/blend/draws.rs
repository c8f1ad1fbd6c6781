//! The draws of overlapping triangles, and the inputs of the fragment stage.

use super::{BlendRun, BlendTarget, Pixel, Selected, SourceColours, Stop, doubled};
use crate::leaves::ScalarKind;
use crate::run::cannot_run_original;
use crate::targets::{self, BEFORE, Colour, Image, SIDE};
use crate::verdict::Part;
use polyshade::Module;
use polyshade::advanced_blend::Destination;
use polyshade::host::Purpose;
use polyshade_vulkan::{Descriptor, Draw, Resource, Stage, Texture, Work, place_words, vk};
use std::ops;

/// The number of vertices of all triangles.
pub(super) const CORNERS: u32 = 18;
const TRIANGLES: usize = CORNERS as usize / 3;

impl BlendTarget {
    /// Returns the colour that the shader writes to a pixel, given the colours of the draws over each background.
    fn pixel(&self, drawn: [Colour; 2]) -> Result<Pixel, Stop> {
        if self.drawn.leaves.is_empty() || !self.drawn.is_covered(drawn)? {
            return Ok(Pixel::Uncovered);
        }
        let source = self.source(drawn[0]);
        let is_float = self.drawn.kind() == Some(ScalarKind::Float);
        // Without `SignedZeroInfNanPreserve`, a result computed from a NaN is undefined.
        match is_float && source.floats().into_iter().any(f32::is_nan) {
            true => Ok(Pixel::Undefined),
            false => Ok(Pixel::Covered(source)),
        }
    }

    /// Returns the colour that the shader writes. Components that it does not write are those of opaque black.
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

impl BlendRun<'_> {
    /// Draws the original's source colours to each target, per triangle. Colours that differ between the fillers are
    /// undefined.
    pub(super) fn draw_sources(&self) -> Result<Vec<Vec<SourceColours>>, Stop> {
        let mut sources = self.draw_module(self.task.original)?;
        let Some(other) = self.task.other() else { return Ok(sources) };
        let others = self.draw_module(other)?;
        let pixels = sources.iter_mut().flatten().flatten();
        for (one, other) in pixels.zip(others.iter().flatten().flatten()) {
            if one != other {
                *one = Pixel::Undefined;
            }
        }
        Ok(sources)
    }

    /// Removes colours from `sources` that change if the original [doubles](doubled) them. Returns whether there are
    /// any.
    pub(super) fn leave_out_unsteady(
        &self,
        sources: &mut [Vec<SourceColours>],
    ) -> Result<bool, Stop> {
        let doubled = self.draw_module(&doubled::doubled(self.task, self.task.original)?)?;
        let targets = self.targets.iter().cycle();
        let pairs = sources.iter_mut().flatten().zip(doubled.iter().flatten());
        Ok(targets.zip(pairs).fold(false, |is_any, (target, (sources, doubled))| {
            doubled::leave_out(&target.drawn, sources, doubled) || is_any
        }))
    }

    /// Draws the source colours of the original with one of the fillers.
    fn draw_module(&self, module: &Module<'_>) -> Result<Vec<Vec<SourceColours>>, Stop> {
        let mut sources = Vec::new();
        for triangle in 0..TRIANGLES {
            let mut drawn = Vec::new();
            for before in BEFORE {
                let before = vec![before; (SIDE * SIDE) as usize];
                let mut work = Work::default();
                self.add_targets(&vec![before; self.targets.len()], &mut work);
                let draw = self.draw(module.words(), triangle, 0, &mut work);
                work.draws.push(draw);
                let outcome = self.task.device.run(&work).map_err(cannot_run_original)?;
                drawn.push(targets::images(&outcome));
            }
            let of_target = |(number, target): (usize, &BlendTarget)| {
                let pixels = drawn[0][number].iter().zip(&drawn[1][number]);
                pixels.map(|(one, other)| target.pixel([*one, *other])).collect()
            };
            let of_triangle = self.targets.iter().enumerate().map(of_target);
            sources.push(of_triangle.collect::<Result<_, _>>()?);
        }
        Ok(sources)
    }

    /// Draws triangles one after the other over images with the lowered shader, separately for each selection.
    pub(super) fn draw_blended(
        &self,
        words: &[u32],
        selections: &[Vec<Selected>],
        (triangles, before): (ops::Range<usize>, &[Vec<Image>]),
    ) -> Result<Vec<Vec<Image>>, Stop> {
        let mut work = Work::default();
        for (selection, before) in selections.iter().zip(before) {
            let first = self.add_targets(before, &mut work);
            for triangle in triangles.clone() {
                let mut draw = self.draw(words, triangle, first, &mut work);
                self.bind(selection, (first, before), &mut draw, &mut work);
                work.draws.push(draw);
            }
        }
        let outcome = self.task.run(Part::Lowered, &work)?;
        let all = targets::images(&outcome);
        Ok(all.chunks(self.targets.len()).map(<[Image]>::to_vec).collect())
    }

    /// Adds targets with these images as contents. Returns the index of the first.
    fn add_targets(&self, images: &[Image], work: &mut Work<'_>) -> usize {
        targets::add(self.targets.iter().map(|target| &target.drawn), images, work)
    }

    /// Builds a draw of one triangle to the targets from `target` on, with the inputs of the original.
    fn draw<'w>(
        &'w self,
        fragment: &'w [u32],
        triangle: usize,
        target: usize,
        work: &mut Work<'w>,
    ) -> Draw<'w> {
        let first = 3 * triangle as u32;
        let stage = Stage { entry_point: self.task.job.entry, ..Stage::fragment(fragment) };
        let targets = (target, self.targets.len());
        let mut draw = targets::draw(&self.synthetic_vertex, stage, targets, first..first + 3);
        self.inputs.install(work).give(&mut draw);
        draw.stages[0].specialization.clear();
        draw
    }

    /// Binds the destinations, and writes the parameters that select equations.
    fn bind(
        &self,
        selection: &[Selected],
        (first, before): (usize, &[Image]),
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) {
        let blended = &self.lowered.result;
        let words = blended.keys().filter_map(|location| selection.get(*location as usize));
        let words: Vec<u32> = words.map(|(word, _)| *word).collect();
        let mut reads_words = Vec::new();
        for one in &self.lowered.requirements.descriptors {
            let resource = match one.purpose {
                Purpose::Destination { location, .. } => match self.blends.destination {
                    Destination::Texture { .. } => {
                        work.textures.push(texture(before.get(location as usize)));
                        Resource::Image(work.textures.len() - 1)
                    }
                    _ => Resource::InputAttachment(first + location as usize),
                },
                Purpose::HostParams => {
                    reads_words.push((one.set, one.binding));
                    continue;
                }
                _ => continue,
            };
            draw.descriptors.push(Descriptor::new(one.set.0, one.binding.0, resource));
        }
        // If the requirements lack the parameters, they are not bound, and the draw fails.
        if let Some(place) = self.blends.select
            && place.descriptor().is_none_or(|at| reads_words.contains(&at))
        {
            place_words(place, &words, draw.stages.len() - 1, draw, work);
        }
    }
}

/// Makes a texture that is a copy of a target.
fn texture(image: Option<&Image>) -> Texture {
    Texture {
        format: vk::Format::R32G32B32A32_SFLOAT,
        width: SIDE,
        height: SIDE,
        contents: image.map(targets::bytes).unwrap_or_default(),
        ..Texture::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::tests::target;

    #[test]
    fn a_pixel_is_drawn_or_left_or_undefined_and_never_changes() {
        let target =
            BlendTarget { drawn: target(ScalarKind::Float, 2), how: None, alpha_to_one: false };
        let pixel = |drawn: [[u32; 2]; 2]| {
            target.pixel(drawn.map(|[red, green]| Colour([red, green, 7, 8]))).ok()
        };
        let [half, nan] = [0.5_f32, f32::NAN].map(f32::to_bits);
        let [one, other] = BEFORE.map(|before| before.0[0]);
        let drawn = Colour::of([0.5, 0.5, 0.0, 1.0]);
        assert_eq!(pixel([[half; 2], [half; 2]]), Some(Pixel::Covered(drawn)));
        assert_eq!(pixel([[one; 2], [other; 2]]), Some(Pixel::Uncovered));
        assert_eq!(pixel([[half, nan], [half, nan]]), Some(Pixel::Undefined));
        assert_eq!(pixel([[half, one], [half, other]]), None);
        assert_eq!(pixel([[other; 2], [one; 2]]), None);
    }
}
