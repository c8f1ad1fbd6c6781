//! Chooses the lowerings that a device needs for a pipeline's clip and cull distances.
//!
//! Exact mechanisms are preferred: the device's own distances, then a geometry stage, then discarded fragments.

use super::check;
use super::device::{Device, DistanceSupport};
use super::state::{Emitted, Pipeline};
use crate::code;
use polyshade::clip_cull::{DistanceKind, Primitive};
use polyshade_spv::Error;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::fmt;

/// The form of the distances in the shaders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum DistanceForm {
    /// `ClipDistance` and `CullDistance` arrays.
    #[default]
    Arrays,
    /// One `ClipDistance` array, clip distances first.
    Combined,
    /// Registers, as in Direct3D.
    Registers,
}

/// The clip and cull distances of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Distances {
    /// The number of clip distances of the last stage before rasterization.
    pub clip: u32,
    /// The number of cull distances of that stage.
    pub cull: u32,
    /// The form of the distances in the shaders.
    pub form: DistanceForm,
    /// Whether the application may disable some planes, as in OpenGL.
    pub planes_off: bool,
    /// Whether the fragment stage reads the distances.
    pub fragment_reads: bool,
    /// The maximum number of vertices that the geometry stage emits; 0 if there is no geometry stage.
    pub emitted_vertices: u32,
    /// Whether queries that count primitives are active.
    pub counted: bool,
    /// Whether discarding fragments may replace clipping. Pixels at edges may then differ, and with multisampling
    /// whole pixels are discarded.
    pub approximate: bool,
}

/// The stage in which clip distances, or cull distances, take effect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum DistanceWay {
    /// The pipeline has no such distances.
    None,
    /// In the device's clipping and culling.
    Native,
    /// In a geometry stage, with exact results.
    Geometry,
    /// In the fragment stage. This is exact for cull distances, and accurate to a pixel for clip distances.
    Fragment,
}

/// A [`Step`](polyshade::clip_cull::Step) for clip and cull distances, and the stages that it rewrites, in the order
/// of execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum DistanceStep {
    /// `Normalize`, in all stages.
    Normalize,
    /// `Separate`, in all stages.
    Separate,
    /// `Mask`, in the last stage before rasterization.
    Enable,
    /// `Mask` with `keep_original_at`: the fragment stage reads unmasked distances as ordinary inputs.
    HandOn,
    /// `ClipInGeometry`, in the geometry stage.
    Cut,
    /// `ClipInGeometry` in a generated geometry stage after the last stage.
    Generate,
    /// `Emulate`, in the last stage before rasterization.
    EmulateLast,
    /// `Emulate`, in the fragment stage.
    EmulateFragment,
    /// `ToRegisters`, because distances have become ordinary variables. It rewrites a stage before the last stage if
    /// the last stage reads its distances, and a fragment stage that reads distances but does not emulate them.
    ReadRegisters,
}

impl DistanceStep {
    /// The name of the step in `clip_cull::Step`, with the stage if the step exists for several.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normalize => "normalize",
            Self::Separate => "separate",
            Self::Enable => "mask",
            Self::HandOn => "mask, with the originals",
            Self::Cut => "clip_in_geometry",
            Self::Generate => "clip_in_geometry, generated",
            Self::EmulateLast => "emulate, in the last stage",
            Self::EmulateFragment => "emulate, in the fragment stage",
            Self::ReadRegisters => "to_registers, of the other stages",
        }
    }
}

/// How the distances of a pipeline are implemented on a device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct DistancePlan {
    /// Where clip distances take effect.
    pub clip: DistanceWay,
    /// Where cull distances take effect.
    pub cull: DistanceWay,
    /// The lowerings, in the order in which they are applied.
    pub steps: Vec<DistanceStep>,
    /// The reasons why the device's own distances are not used; empty if they are used.
    pub reasons: Vec<String>,
}

impl fmt::Display for DistancePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |way| match way {
            DistanceWay::None => "none",
            DistanceWay::Native => "native",
            DistanceWay::Geometry => "in a geometry stage",
            DistanceWay::Fragment => "in the fragment stage",
        };
        writeln!(f, "clip distances: {}; cull distances: {}", name(self.clip), name(self.cull))?;
        for reason in &self.reasons {
            writeln!(f, "since {reason}")?;
        }
        for step in &self.steps {
            writeln!(f, "{}", step.name())?;
        }
        Ok(())
    }
}

/// The maximum number of distances that the lowerings support: two registers of four.
const MOST: u32 = 8;

/// Plans how a device implements the clip and cull distances of a pipeline.
///
/// # Errors
///
/// * `Options`: the state contradicts itself.
/// * `Unsupported`: neither the device nor a lowering supports the distances. The message gives the reason and names
///   the limits.
pub fn distances(
    device: &Device,
    pipeline: &Pipeline,
    distances: &Distances,
) -> Result<DistancePlan, Error> {
    check(pipeline, distances)?;
    let choice = Choice { device: &device.distances, pipeline, wanted: distances };
    let counts = [distances.clip, distances.cull];
    let mut reasons = Vec::new();
    // Prefer the device's own distances, if it supports all of them.
    let lacking = choice.lacking(&mut reasons);
    let [mut clip, mut cull] = counts.map(|count| match count {
        0 => DistanceWay::None,
        _ => DistanceWay::Native,
    });
    if lacking.is_empty() {
        return Ok(DistancePlan { clip, cull, steps: choice.steps(clip, cull), reasons });
    }

    if counts.iter().sum::<u32>() > MOST {
        let message = format!("{}: at most {MOST} distances can be emulated", reasons.join("; "));
        return Err(Error::new(&code::PLAN_TOO_MANY_DISTANCES, message));
    }
    // Else use a geometry stage if it can clip, and otherwise discard fragments.
    let way = match choice.no_geometry(lacking.contains(&DistanceKind::Clip)) {
        None => DistanceWay::Geometry,
        Some(why) => {
            reasons.push(why);
            DistanceWay::Fragment
        }
    };
    if lacking.contains(&DistanceKind::Clip) {
        if way == DistanceWay::Fragment && !distances.approximate {
            let message = format!(
                "{}: discarding fragments is approximate, which the options do not allow",
                reasons.join("; ")
            );
            return Err(Error::new(&code::PLAN_APPROXIMATE_DISTANCES, message));
        }
        clip = way;
    }
    if lacking.contains(&DistanceKind::Cull) {
        cull = way;
    }
    Ok(DistancePlan { clip, cull, steps: choice.steps(clip, cull), reasons })
}

fn check(pipeline: &Pipeline, distances: &Distances) -> Result<(), Error> {
    check::patches(pipeline)?;
    if pipeline.geometry.is_some() != (distances.emitted_vertices > 0) {
        let message = "a geometry stage and a number of emitted vertices require each other";
        return Err(Error::new(&code::PLAN_EMITTED_VERTICES, message));
    }
    Ok(())
}

struct Choice<'s> {
    device: &'s DistanceSupport,
    pipeline: &'s Pipeline,
    wanted: &'s Distances,
}

impl Choice<'_> {
    /// The kinds of distances that the device does not support, with the reasons.
    fn lacking(&self, reasons: &mut Vec<String>) -> Vec<DistanceKind> {
        let Distances { clip, cull, .. } = *self.wanted;
        let mut lacking = Vec::new();
        let each = [
            (DistanceKind::Clip, clip, self.device.clip, "maxClipDistances"),
            (DistanceKind::Cull, cull, self.device.cull, "maxCullDistances"),
        ];
        for (kind, count, limit, name) in each {
            if count > limit {
                lacking.push(kind);
                reasons.push(match limit {
                    0 => format!("the device has no {kind} distances"),
                    _ => format!("{count} {kind} distances are more than {name}, {limit}"),
                });
            }
        }
        let total = clip.saturating_add(cull);
        if lacking.is_empty() && total > self.device.combined && total > 0 {
            reasons.push(format!(
                "{clip} clip and {cull} cull distances are more than maxCombinedClipAndCullDistances, {}",
                self.device.combined
            ));
            lacking.push(DistanceKind::Cull);
            if clip > self.device.combined {
                lacking.insert(0, DistanceKind::Clip);
            }
        }
        // If clipping ran first, the device would decide from the clipped vertices whether to cull the primitive.
        if lacking == [DistanceKind::Clip] && cull > 0 {
            reasons.push("primitives must be culled before they are clipped".to_owned());
            lacking.push(DistanceKind::Cull);
        }
        lacking.retain(|kind| [clip, cull][*kind as usize] > 0);
        lacking
    }

    /// Returns why no geometry stage can clip, if none can.
    fn no_geometry(&self, clips: bool) -> Option<String> {
        let limit = self.device.geometry_vertices;
        if limit == 0 {
            return Some("the device has no geometry stage".to_owned());
        }
        if self.pipeline.capture.is_some() || self.wanted.counted {
            return Some(
                "a geometry stage would drop primitives that must be captured or counted"
                    .to_owned(),
            );
        }
        let (primitive, before) = match self.pipeline.geometry {
            Some(emitted) => (of_emitted(emitted), self.wanted.emitted_vertices),
            None if self.pipeline.topology.has_adjacency() => {
                return Some(
                    "a geometry stage cannot be generated for primitives with adjacency".to_owned(),
                );
            }
            None => (Primitive::Triangles, 3),
        };
        let planes = if clips { self.wanted.clip } else { 0 };
        let vertices = primitive.most_vertices(before, planes);
        (vertices > limit).then(|| {
            format!(
                "{vertices} vertices would be emitted, more than maxGeometryOutputVertices, {limit}"
            )
        })
    }

    fn steps(&self, clip: DistanceWay, cull: DistanceWay) -> Vec<DistanceStep> {
        let Distances { form, planes_off, fragment_reads, .. } = *self.wanted;
        // First the form of the distances, then the masks, then clipping and culling, then the remaining stages.
        let mut steps = Vec::new();
        match form {
            _ if clip.max(cull) == DistanceWay::None => return steps,
            DistanceForm::Arrays => {}
            DistanceForm::Combined => steps.push(DistanceStep::Separate),
            DistanceForm::Registers => steps.push(DistanceStep::Normalize),
        }
        let hands_on =
            fragment_reads && clip.max(cull) == DistanceWay::Native && !self.device.fragment_reads;
        if hands_on {
            steps.push(DistanceStep::HandOn);
        } else if planes_off && self.wanted.clip > 0 {
            steps.push(DistanceStep::Enable);
        }
        match clip.max(cull) {
            DistanceWay::Fragment => {
                steps.extend([DistanceStep::EmulateLast, DistanceStep::EmulateFragment]);
            }
            DistanceWay::Geometry => steps.push(match self.pipeline.geometry {
                Some(_) => DistanceStep::Cut,
                None => DistanceStep::Generate,
            }),
            DistanceWay::None | DistanceWay::Native => {}
        }
        let has_others = self.pipeline.tessellation || self.pipeline.geometry.is_some();
        let is_moved = match clip.max(cull) {
            DistanceWay::None | DistanceWay::Native => hands_on,
            DistanceWay::Geometry => fragment_reads || has_others,
            DistanceWay::Fragment => has_others,
        };
        if is_moved {
            steps.push(DistanceStep::ReadRegisters);
        }
        steps
    }
}

fn of_emitted(emitted: Emitted) -> Primitive {
    match emitted {
        Emitted::Points => Primitive::Points,
        Emitted::LineStrips => Primitive::Lines,
        Emitted::TriangleStrips => Primitive::Triangles,
    }
}
