//! `clip --exact`: clips and culls in the pipeline's geometry stage, or in a generated one.

use crate::Done;
use crate::failure::Failure;
use crate::named::named;
use clap::Args;
use polyshade::clip_cull::{DistanceCounts, Emulated, GeometryClip, Primitive};
use polyshade::host::Device;
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::ProvokingVertex;
use std::path::PathBuf;

/// The options that conflict with `--exact`. They must also conflict with every option that needs `--exact`, because
/// clap ignores `requires` if the required option conflicts with a given one.
const OTHERS: [&str; 2] = ["to", "emulate"];

/// The options of `--exact`.
#[derive(Args)]
pub(crate) struct Options {
    /// Emulate distances exactly: the geometry stage clips and culls its primitives. After a vertex or tessellation
    /// evaluation stage, a geometry stage is generated, which needs --geometry and --location
    #[arg(long, conflicts_with_all = OTHERS)]
    pub(super) exact: bool,

    /// With --exact: write the generated geometry stage to this file
    #[arg(long, value_name = "FILE", requires = "exact", conflicts_with_all = OTHERS)]
    pub(super) geometry: Option<PathBuf>,

    /// With --exact: input primitives of the generated geometry stage
    #[arg(long, value_parser = named(PRIMITIVES), requires = "exact", conflicts_with_all = OTHERS,
        default_value = "triangles")]
    primitive: Primitive,

    /// With --exact: pass the distances to the fragment stage as ordinary inputs at --location, because it reads them
    #[arg(long, requires_all = ["exact", "location"], conflicts_with_all = OTHERS)]
    hand_on: bool,

    /// With --exact: locations at which the fragment stage reads floats with `flat`; integers, and outputs that the
    /// shader itself decorates with `Flat`, need not be listed
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "exact",
        conflicts_with_all = OTHERS)]
    flat: Vec<u32>,

    /// With --exact: locations that the fragment stage reads with `noperspective`
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "exact",
        conflicts_with_all = OTHERS)]
    no_perspective: Vec<u32>,

    /// With --exact: the provoking vertex, which provides the values of flat inputs
    #[arg(long, value_parser = named(VERTICES), requires = "exact", conflicts_with_all = OTHERS,
        default_value = "first")]
    provoking: ProvokingVertex,

    /// With --exact: `maxGeometryOutputVertices` of the device
    #[arg(long, value_name = "N", requires = "exact", conflicts_with_all = OTHERS,
        default_value_t = 256)]
    max_geometry_vertices: u32,

    /// With --exact: `maxGeometryOutputComponents` of the device
    #[arg(long, value_name = "N", requires = "exact", conflicts_with_all = OTHERS,
        default_value_t = 64)]
    max_geometry_components: u32,

    /// With --exact: `maxGeometryTotalOutputComponents` of the device
    #[arg(long, value_name = "N", requires = "exact", conflicts_with_all = OTHERS,
        default_value_t = 1024)]
    max_geometry_total: u32,
}

const PRIMITIVES: [(&str, &str, Primitive); 3] = [
    ("points", "", Primitive::Points),
    ("lines", "", Primitive::Lines),
    ("triangles", "", Primitive::Triangles),
];

const VERTICES: [(&str, &str, ProvokingVertex); 2] =
    [("first", "", ProvokingVertex::First), ("last", "", ProvokingVertex::Last)];

impl Options {
    /// Rejects options that need another option or have no effect in this stage.
    pub(super) fn check_stage(&self, model: ExecutionModel, location: Option<u32>) -> Done {
        if let Some(both) = self.flat.iter().find(|one| self.no_perspective.contains(one)) {
            return Err(Failure::usage(format!(
                "location {both} is in --flat and in --no-perspective: flat values are not interpolated"
            )));
        }
        let makes_one = self.exact && model != ExecutionModel::GEOMETRY;
        let lacking = if makes_one && location.is_none() {
            "--exact needs --location: the location at which the geometry stage reads the distances"
        } else if self.exact && !makes_one && self.geometry.is_some() {
            "--geometry has no meaning for a shader that is a geometry stage"
        } else {
            return Ok(());
        };
        Err(Failure::usage(lacking))
    }

    /// Fails if the generated geometry stage has no output file.
    pub(super) fn check_geometry(&self, model: ExecutionModel) -> Done {
        if self.exact && model != ExecutionModel::GEOMETRY && self.geometry.is_none() {
            return Err(Failure::usage("--exact needs --geometry: the file of the geometry stage"));
        }
        Ok(())
    }

    /// Sets the device's limits for geometry stages.
    pub(super) fn limit(&self, device: &mut Device) {
        device.max_geometry_vertices = self.max_geometry_vertices;
        device.max_geometry_components = self.max_geometry_components;
        device.max_geometry_total = self.max_geometry_total;
    }

    /// Returns the form of the distances in the form that `verify` takes.
    pub(super) fn form(
        &self,
        location: Option<u32>,
        native_clip: bool,
    ) -> polyshade_verify::ClipForm {
        polyshade_verify::ClipForm::ClippedInGeometry {
            location,
            native_clip,
            keeps_distances: self.hand_on,
        }
    }

    /// Returns the step that clips exactly. After a stage that is not a geometry stage, it generates one.
    pub(super) fn clip(
        &self,
        emulated: Emulated,
        model: ExecutionModel,
        (location, signature): (Option<u32>, Option<DistanceCounts>),
    ) -> GeometryClip {
        let mut clip = GeometryClip::default();
        clip.emulated = emulated;
        (clip.read_at, clip.signature) = (location, signature);
        clip.keep_at = location.filter(|_| self.hand_on);
        clip.flat.extend(&self.flat);
        clip.no_perspective.extend(&self.no_perspective);
        clip.provoking = self.provoking;
        if model != ExecutionModel::GEOMETRY {
            clip.location = location.expect("the options are checked first");
            clip.generate = Some(self.primitive);
        }
        clip
    }
}
