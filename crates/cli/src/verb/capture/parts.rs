//! The variants that `polyshade capture --variant` writes.

use crate::failure::Failure;
use polyshade::transform_feedback::Variant;
use std::path::{Path, PathBuf};

/// A variant that `--variant` names.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A variant of a vertex stage that is captured.
    Captured(Variant),
    /// With `--after`, the vertex stage.
    Vertex,
    /// With `--after`, a stage that replaces the geometry stage.
    Geometry(Step),
}

/// The stages that replace a geometry stage, besides the one that captures.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Count,
    Sum,
    Raster,
}

pub(super) const VARIANTS: [(&str, Part); 9] = [
    ("capture-only", Part::Captured(Variant::CaptureOnly)),
    ("raster-only", Part::Captured(Variant::RasterOnly)),
    ("both", Part::Captured(Variant::Both)),
    ("spill-outputs", Part::Captured(Variant::SpillOutputs)),
    ("reload-outputs", Part::Captured(Variant::ReloadOutputs)),
    ("vertex", Part::Vertex),
    ("count", Part::Geometry(Step::Count)),
    ("sum", Part::Geometry(Step::Sum)),
    ("raster", Part::Geometry(Step::Raster)),
];

pub(super) fn variant(text: &str) -> Result<(Part, PathBuf), String> {
    variant_of(text, &VARIANTS)
}

/// Parses `NAME=FILE`, where NAME is one of `variants`.
pub(crate) fn variant_of<T: Copy>(
    text: &str,
    variants: &[(&str, T)],
) -> Result<(T, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("a variant is given as NAME=FILE")?;
    let Some((_, part)) = variants.iter().find(|(other, _)| *other == name) else {
        let names: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        return Err(format!("unknown variant `{name}`: the variants are {names}"));
    };
    if file.is_empty() {
        return Err("a variant is given as NAME=FILE".to_owned());
    }
    Ok((*part, file.into()))
}

/// Returns the variants of a captured vertex stage. Fails if there are others.
pub(super) fn captured(parts: &[(Part, PathBuf)]) -> Result<Vec<(Variant, &Path)>, Failure> {
    let captured = parts.iter().map(|(part, file)| match part {
        Part::Captured(variant) => Ok((*variant, file.as_path())),
        Part::Vertex | Part::Geometry(_) => {
            Err(Failure::usage("the variants vertex, count, sum and raster need --after"))
        }
    });
    captured.collect()
}
