//! Rejects blending that a device does not support.

use crate::blend::BlendTerm;
use crate::device::Device;
use crate::error::Error;
use crate::work::Draw;
use ash::vk;

fn is_advanced(operation: vk::BlendOp) -> bool {
    (vk::BlendOp::ZERO_EXT..=vk::BlendOp::BLUE_EXT).contains(&operation)
}

impl BlendTerm {
    fn has_second_source(self) -> bool {
        let second = vk::BlendFactor::SRC1_COLOR..=vk::BlendFactor::ONE_MINUS_SRC1_ALPHA;
        [self.source, self.destination].iter().any(|factor| second.contains(factor))
    }
}

impl Draw<'_> {
    fn check_second_source(&self, targets: usize, device: &Device) -> Result<(), Error> {
        let has = device.capabilities();
        if has.features.dual_src_blend != vk::TRUE {
            return Err(Error::Missing("dual-source blending"));
        }
        if targets > has.limits.max_fragment_dual_src_attachments as usize {
            return Err(Error::Missing("dual-source blending with that many targets"));
        }
        Ok(())
    }

    pub(crate) fn check_blending(&self, device: &Device) -> Result<(), Error> {
        let targets = self.target.iter().count() + self.other_targets.len();
        if self.blends.len() > targets {
            return Err(Error::work("more targets are blended than the draw has"));
        }
        let features = device.capabilities().features;
        if self.fixed_blend.logic_operation.is_some() && features.logic_op != vk::TRUE {
            return Err(Error::Missing("logic operations"));
        }
        let terms = self.blends.iter().filter_map(|blend| blend.terms).flatten();
        if terms.clone().any(BlendTerm::has_second_source) {
            self.check_second_source(targets, device)?;
        }
        let advanced = terms.filter(|term| is_advanced(term.operation)).count();
        if advanced == 0 && self.advanced_blend.is_none() {
            return Ok(());
        }
        let Some(has) = device.capabilities().blending.native else {
            return Err(Error::Missing("advanced blend equations"));
        };
        if targets > has.max_attachments as usize {
            return Err(Error::Missing("advanced blend equations with that many targets"));
        }
        let Some(wanted) = self.advanced_blend else { return Ok(()) };
        let lacks = !wanted.source_premultiplied && !has.straight_source
            || !wanted.destination_premultiplied && !has.straight_destination
            || wanted.overlap != vk::BlendOverlapEXT::UNCORRELATED && !has.correlated_overlap;
        if lacks {
            return Err(Error::Missing("advanced blending with this premultiplication or overlap"));
        }
        Ok(())
    }
}
