//! Formats blending plans as text, for people and for tests.

use super::{
    Action, Before, Between, BlendingOrder, BlendingPath, BlendingPlan, Change, Layout, Usage,
};
use crate::text::scope_name;
use std::fmt;

impl fmt::Display for BlendingPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for BlendingPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "blend by: {}", self.path)?;
        writeln!(f, "order: {}", self.order)?;
        if !self.lowered.is_empty() {
            writeln!(
                f,
                "blended in the shader: {}",
                list(self.lowered.iter().map(u32::to_string))
            )?;
        }
        writeln!(f, "pass: {}", scope_name(self.scope))?;
        for change in &self.changes {
            writeln!(f, "  {change}")?;
        }
        if let Some(between) = &self.between {
            writeln!(f, "{between}")?;
        }
        let extensions = self.extensions.iter().map(|one| one.name());
        for name in extensions.chain(self.features.iter().map(|one| one.name())) {
            writeln!(f, "enable: {name}")?;
        }
        Ok(())
    }
}

fn list(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for BlendingOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Coherent => "coherent, within draws and between them",
            Self::BetweenDraws => "between draws; within a draw there is none, so none may cover a pixel twice",
            Self::SplitDraws => {
                "between draws; within a draw there is none: split draws until none covers a pixel twice"
            }
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RenderPassObject => f.write_str("a render pass object, for the subpass"),
            Self::BlendingOff(location) => write!(f, "location {location}: blending off"),
            Self::AlphaUnchanged => f.write_str("pipeline: no alpha to coverage or to one"),
            Self::Loaded(location) => write!(f, "location {location}: loaded or cleared"),
            Self::InputAttachment { location, index } => {
                write!(f, "location {location}: input attachment {index} as well")
            }
            Self::Usage(usage) => write!(f, "images: usage {usage}"),
            Self::Layout(layout) => write!(f, "images: layout {layout}"),
            Self::SelfDependency(from, to) => {
                write!(f, "subpass: depends on itself by region, {from} -> {to}")
            }
            Self::RasterizationOrder => {
                f.write_str("subpass and pipeline: rasterization order of colour accesses")
            }
            Self::SampleShading => f.write_str("pipeline: the shader runs for each sample"),
            Self::StorageImage(location) => {
                write!(f, "location {location}: a storage image, and no attachment")
            }
            Self::PipelinePerEquation => f.write_str("pipeline: one for each equation"),
        }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InputAttachment => "INPUT_ATTACHMENT",
            Self::Storage => "STORAGE",
            Self::TransferSource => "TRANSFER_SRC; of the copy TRANSFER_DST and SAMPLED",
        })
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::General => "GENERAL",
            Self::RenderingLocalRead => "RENDERING_LOCAL_READ",
        })
    }
}

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.before {
            Before::OverlappingDraws => {
                "before each draw over pixels that were drawn to, cleared or copied to since: "
            }
            Before::BlendedDraws => "after clears, copies and draws that are not blended: ",
        })?;
        match self.action {
            Action::Barrier(from, to) => write!(f, "barrier by region, {from} -> {to}"),
            Action::BarrierBetweenPasses(from, to) => {
                write!(f, "end the pass, barrier, {from} -> {to}, continue with its contents")
            }
            Action::Copy => {
                f.write_str("end the pass, copy the attachment, continue with its contents")
            }
        }
    }
}
