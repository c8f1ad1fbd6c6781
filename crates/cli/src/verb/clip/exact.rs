//! `clip --exact`: the pipeline's geometry stage, or one that is generated, clips and culls.

use super::report::Taken;
use crate::Done;
use crate::code;
use crate::failure::Failure;
use crate::named::named;
use clap::Args;
use polyshade::clip_cull::{Exact, Lacking, Primitive, cut, generate};
use polyshade::host::{Device, Target};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::ProvokingVertex;
use polyshade::{Error, Module};
use std::path::PathBuf;

/// Forms beside which there is no --exact. Where a required option conflicts with one that is there, clap asks for it
/// no more: so what needs --exact conflicts with them too.
const OTHERS: [&str; 2] = ["to", "emulate"];

/// The options of --exact.
#[derive(Args)]
pub(crate) struct Options {
    /// Do without distances, exactly: the geometry stage cuts and drops what it emits. Behind a vertex or tessellation
    /// evaluation stage one is made; it needs --geometry and --location
    #[arg(long, conflicts_with_all = OTHERS)]
    pub(super) exact: bool,

    /// With --exact: where the generated geometry stage goes
    #[arg(long, value_name = "FILE", requires = "exact", conflicts_with_all = OTHERS)]
    pub(super) geometry: Option<PathBuf>,

    /// With --exact: the primitives that the generated geometry stage takes
    #[arg(long, value_parser = named(PRIMITIVES), requires = "exact", conflicts_with_all = OTHERS,
        default_value = "triangles")]
    primitive: Primitive,

    /// With --exact: the fragment stage reads distances, and gets them as ordinary values at --location
    #[arg(long, requires_all = ["exact", "location"], conflicts_with_all = OTHERS)]
    hand_on: bool,

    /// With --exact: locations at which the fragment stage reads flat floats; integers, and outputs that the shader
    /// itself decorates, need not be named
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "exact",
        conflicts_with_all = OTHERS)]
    flat: Vec<u32>,

    /// With --exact: locations that the fragment stage interpolates without perspective
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "exact",
        conflicts_with_all = OTHERS)]
    no_perspective: Vec<u32>,

    /// With --exact: the vertex that flat values come from
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
    /// Refuses options that lack another one, or that the stage does not need.
    pub(super) fn check_stage(&self, model: ExecutionModel, location: Option<u32>) -> Done {
        if let Some(both) = self.flat.iter().find(|one| self.no_perspective.contains(one)) {
            let message = format!(
                "location {both} is in --flat and in --no-perspective: what is flat is not interpolated"
            );
            return Err(Failure::new(&code::CLI_USAGE, message));
        }
        let makes_one = self.exact && model != ExecutionModel::GEOMETRY;
        let lacking = if makes_one && location.is_none() {
            "--exact needs --location: where distances are handed to the geometry stage"
        } else if self.exact && !makes_one && self.geometry.is_some() {
            "--geometry is for shaders that are no geometry stage themselves"
        } else {
            return Ok(());
        };
        Err(Failure::new(&code::CLI_USAGE, lacking))
    }

    /// Refuses to make a geometry stage that goes nowhere.
    pub(super) fn check_geometry(&self, model: ExecutionModel) -> Done {
        if self.exact && model != ExecutionModel::GEOMETRY && self.geometry.is_none() {
            let message = "--exact needs --geometry: where the geometry stage goes";
            return Err(Failure::new(&code::CLI_USAGE, message));
        }
        Ok(())
    }

    /// What a geometry stage of the device may emit.
    pub(super) fn limit(&self, device: &mut Device) {
        device.max_geometry_vertices = self.max_geometry_vertices;
        device.max_geometry_components = self.max_geometry_components;
        device.max_geometry_total = self.max_geometry_total;
    }

    /// The form of the distances, for `verify`.
    pub(super) fn form(&self, location: Option<u32>, native_clip: bool) -> polyshade_verify::Form {
        polyshade_verify::Form::Exact { location, native_clip, hand_on: self.hand_on }
    }

    fn exact(&self, lacking: Lacking, location: Option<u32>, linked: Option<[u32; 2]>) -> Exact {
        let exact = Exact::new().provoking(self.provoking).lacking(lacking);
        let exact = location.into_iter().fold(exact, |exact, at| exact.read(at, linked));
        let exact = self.flat.iter().copied().fold(exact, Exact::flat);
        let exact = self.no_perspective.iter().copied().fold(exact, Exact::no_perspective);
        match location.filter(|_| self.hand_on) {
            Some(location) => exact.hand_on(location),
            None => exact,
        }
    }

    /// The stage, and the geometry stage behind it that is made.
    pub(super) fn lower(
        &self,
        current: &Module<'_>,
        (target, model): (&Target, ExecutionModel),
        lacking: Lacking,
        (location, linked): (Option<u32>, Option<[u32; 2]>),
        taken: &mut Taken,
    ) -> Result<(Module<'static>, Option<Module<'static>>), Error> {
        let exact = self.exact(lacking, location, linked);
        if model == ExecutionModel::GEOMETRY {
            let done = cut(current, target, &exact)?;
            taken.outputs("cut", done.result.outputs, &done.requirements);
            taken.read(&done.result);
            return Ok((done.module.into_owned(), None));
        }
        let location = location.expect("the options are checked first");
        let (last, geometry) = generate(current, target, self.primitive, location, &exact)?;
        let needs = geometry.as_ref().map_or(&last.requirements, |made| &made.requirements);
        taken.outputs("generate", last.result.outputs, needs);
        taken.read(&last.result);
        Ok((last.module.into_owned(), geometry.map(|made| made.module)))
    }
}
