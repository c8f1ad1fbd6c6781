//! `clip --exact`: a geometry stage, which there is or which is made, does what the device lacks.

use super::report::Taken;
use crate::Done;
use crate::failure::{Exit, Failure};
use clap::{Args, ValueEnum};
use polyshade::clip_cull::{
    Exact, GeometryLimits, Interpolation, Kind, Primitive, Provoking, Registers, cut, generate,
    to_registers,
};
use polyshade::host::Target;
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use std::path::PathBuf;

/// What --exact is told.
#[derive(Args)]
pub(crate) struct Options {
    /// Do without distances, exactly: the geometry stage cuts and drops what it emits. Behind a vertex or tessellation
    /// evaluation stage one is made; it needs --geometry and --location
    #[arg(long, conflicts_with_all = ["to", "emulate"])]
    pub(super) exact: bool,

    /// With --exact: where the geometry stage goes that is made
    #[arg(long, value_name = "FILE", requires = "exact")]
    pub(super) geometry: Option<PathBuf>,

    /// With --exact: what is drawn, which a geometry stage is made for
    #[arg(long, value_enum, requires = "geometry", default_value = "triangles")]
    primitive: Drawn,

    /// With --exact: the fragment stage reads distances, and gets them as ordinary values at --location
    #[arg(long, requires_all = ["exact", "location"])]
    hand_on: bool,

    /// With --exact: locations at which the fragment stage reads flat floats; integers, and what the shader decorates,
    /// need not be said
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "exact")]
    flat: Vec<u32>,

    /// With --exact: locations that the fragment stage interpolates without perspective
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "exact")]
    no_perspective: Vec<u32>,

    /// With --exact: the vertex that flat values come from
    #[arg(long, value_enum, requires = "exact", default_value = "first")]
    provoking: Vertex,

    /// With --exact: `maxGeometryOutputVertices` of the device
    #[arg(long, value_name = "N", requires = "exact", default_value_t = 256)]
    max_geometry_vertices: u32,

    /// With --exact: `maxGeometryOutputComponents` of the device
    #[arg(long, value_name = "N", requires = "exact", default_value_t = 64)]
    max_geometry_components: u32,

    /// With --exact: `maxGeometryTotalOutputComponents` of the device
    #[arg(long, value_name = "N", requires = "exact", default_value_t = 1024)]
    max_geometry_total: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Drawn {
    Points,
    Lines,
    Triangles,
}

#[derive(Clone, Copy, ValueEnum)]
enum Vertex {
    First,
    Last,
}

/// A kind of distances.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Native {
    Clip,
    Cull,
}

impl Native {
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Clip => Kind::Clip,
            Self::Cull => Kind::Cull,
        }
    }
}

impl Options {
    /// Refuses what a stage cannot do without another option, or does not need.
    pub(super) fn check_stage(&self, model: ExecutionModel, location: Option<u32>) -> Done {
        let makes_one = self.exact && model != ExecutionModel::GEOMETRY;
        let lacking = if makes_one && self.geometry.is_none() {
            "--exact needs --geometry: where the geometry stage goes"
        } else if makes_one && location.is_none() {
            "--exact needs --location: where distances are handed to the geometry stage"
        } else if self.exact && !makes_one && self.geometry.is_some() {
            "--geometry is for shaders that are no geometry stage themselves"
        } else {
            return Ok(());
        };
        Err(Failure::new(Exit::Usage, lacking))
    }

    fn exact(&self, native: &[Native], location: Option<u32>) -> Exact {
        let flat = self.flat.iter().copied();
        let interpolation = flat.fold(Interpolation::default(), Interpolation::flat);
        let without = self.no_perspective.iter().copied();
        let exact = Exact::new()
            .interpolation(without.fold(interpolation, Interpolation::no_perspective))
            .provoking(match self.provoking {
                Vertex::First => Provoking::First,
                Vertex::Last => Provoking::Last,
            })
            .limits(GeometryLimits {
                output_vertices: self.max_geometry_vertices,
                output_components: self.max_geometry_components,
                total_output_components: self.max_geometry_total,
            });
        let exact = native.iter().map(|one| one.kind()).fold(exact, Exact::native);
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
        native: &[Native],
        location: Option<u32>,
        taken: &mut Taken,
    ) -> Result<(Module<'static>, Option<Module<'static>>), Error> {
        let exact = self.exact(native, location);
        if model == ExecutionModel::GEOMETRY {
            let done = cut(current, target, &exact)?;
            taken.outputs("cut", done.result.counts, &done.requirements);
            // What is read is not there either.
            let Some(location) = location else { return Ok((done.module.into_owned(), None)) };
            let at = Registers { inputs: location, outputs: location, linked: None };
            let read = to_registers(&done.module, target, at)?;
            taken.read(&read.result);
            return Ok((read.module.into_owned(), None));
        }
        let primitive = match self.primitive {
            Drawn::Points => Primitive::Points,
            Drawn::Lines => Primitive::Lines,
            Drawn::Triangles => Primitive::Triangles,
        };
        let location = location.expect("the options are checked first");
        let done = generate(current, target, primitive, location, &exact)?;
        let needs = match &done.geometry {
            Some(geometry) => &geometry.requirements,
            None => &done.last.requirements,
        };
        taken.outputs("generate", done.last.result, needs);
        Ok((done.last.module.into_owned(), done.geometry.map(|geometry| geometry.module)))
    }
}
