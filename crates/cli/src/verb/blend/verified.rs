//! Converts the blending of each target into the form that `verify` takes.

use super::{Equations, Rewrite};
use polyshade::advanced_blend::{Alpha, FormatClass, Options, Overlap};
use polyshade::host::Target;
use polyshade_verify::{BlendedAs, Blends};
use polyshade_vulkan::blend_model::Clamping;
use polyshade_vulkan::{AdvancedBlend, vk};
use std::collections::BTreeMap;

impl Rewrite {
    /// Returns the blending in the form that `verify` takes.
    pub(in crate::verb) fn blends<'o>(
        &self,
        target: &'o Target,
        options: &'o Options,
    ) -> Blends<'o> {
        let mut targets = BTreeMap::new();
        if let Some(equations) = &self.equations {
            let own = self.fixed.own_formats();
            let is_integer =
                |at| self.fixed.format(Some(at), self.format_class).class().is_integer();
            let blended = |at| (!is_integer(at)).then(|| self.blended_as(equations, Some(at)));
            targets.extend(own.map(|at| (at, blended(at))));
        }
        targets.extend(self.target.iter().map(|(location, equations)| {
            let as_asked = |equations| self.blended_as(equations, Some(*location));
            (*location, equations.as_ref().map(as_asked))
        }));
        Blends {
            target,
            options,
            every_target: self.equations.as_ref().map(|all| self.blended_as(all, None)),
            targets,
            select: self.select,
            destination: self.read_from(),
            multisampled: self.multisampled,
            alpha_to_coverage: self.fixed.alpha_to_coverage.is_some(),
            alpha_to_one: self.alpha_to_one,
        }
    }

    fn blended_as(&self, equations: &Equations, location: Option<u32>) -> BlendedAs {
        let format = self.fixed.format(location, self.format_class);
        BlendedAs {
            equations: equations.0.clone(),
            how: AdvancedBlend {
                source_premultiplied: matches!(self.source_alpha, Alpha::Premultiplied),
                destination_premultiplied: matches!(self.destination_alpha, Alpha::Premultiplied),
                overlap: match self.overlap {
                    Overlap::Uncorrelated => vk::BlendOverlapEXT::UNCORRELATED,
                    Overlap::Disjoint => vk::BlendOverlapEXT::DISJOINT,
                    Overlap::Conjoint => vk::BlendOverlapEXT::CONJOINT,
                },
            },
            clamping: match format.class() {
                FormatClass::Snorm => Clamping::Snorm,
                FormatClass::Float => Clamping::Float,
                _ => Clamping::Unorm,
            },
            clamp_results: self.clamp_results,
            without_alpha: self.without_alpha || !format.has_alpha(),
        }
    }
}
