//! The stages that a lowering supports, and the search for an entry point among them.

use crate::code;
use crate::host::Target;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionModel, Module};

/// The stages that a lowering supports.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    /// The supported execution models. There is at least one.
    pub models: &'static [ExecutionModel],
    /// The end of the error message for any other stage. It follows "a … stage".
    pub otherwise: &'static str,
}

impl Stages {
    /// The stages of a graphics pipeline, in order.
    pub(crate) const GRAPHICS: Self = Self {
        models: &[
            ExecutionModel::VERTEX,
            ExecutionModel::TESSELLATION_CONTROL,
            ExecutionModel::TESSELLATION_EVALUATION,
            ExecutionModel::GEOMETRY,
            ExecutionModel::TASK_NV,
            ExecutionModel::MESH_NV,
            ExecutionModel::TASK_EXT,
            ExecutionModel::MESH_EXT,
            ExecutionModel::FRAGMENT,
        ],
        otherwise: "does not belong to a graphics pipeline",
    };

    /// Fails unless the stages are in the order of a graphics pipeline and occur at most once.
    pub(crate) fn check_order(models: impl Iterator<Item = ExecutionModel>) -> Result<(), Error> {
        let graphics = Self::GRAPHICS.models;
        let places = models.map(|model| graphics.iter().position(|one| *one == model));
        if places.is_sorted_by(|one, next| one < next) {
            return Ok(());
        }
        let message = "the stages of a pipeline must be given in pipeline order, each once";
        Err(Error::new(&code::PIPELINE_STAGE_ORDER, message))
    }

    /// Returns the entry point of the requested stage, or of the only supported stage that has an entry point of this
    /// name.
    ///
    /// # Errors
    ///
    /// `NotFound`: the entry point does not exist. `Options`: several stages have an entry point of this name.
    /// `Unsupported`: the stage is not supported.
    pub(crate) fn entry_point<'m>(
        &self,
        m: &'m Module<'_>,
        target: &Target,
    ) -> Result<EntryPoint<'m>, Error> {
        if let Some(stage) = target.stage {
            let entry = m.entry_point(target.entry_name(), stage)?;
            return if self.models.contains(&stage) { Ok(entry) } else { Err(self.refuse(entry)) };
        }
        let named = || m.entry_points().filter(|entry| entry.name() == target.entry_name());
        let mut lowered = named().filter(|entry| self.models.contains(&entry.model()));
        match (lowered.next(), lowered.next(), named().next()) {
            (Some(entry), None, _) => Ok(entry),
            (Some(one), Some(other), _) => {
                let message = format!(
                    "`{}` is an entry point of the {} and of the {} stage",
                    target.entry_name(),
                    one.model(),
                    other.model()
                );
                Err(Error::new(&code::ENTRY_POINT_AMBIGUOUS_STAGE, message).help("name the stage"))
            }
            (None, _, Some(entry)) => Err(self.refuse(entry)),
            // This call fails with an error that lists the existing entry points.
            (None, _, None) => m.entry_point(target.entry_name(), self.models[0]),
        }
    }

    fn refuse(&self, entry: EntryPoint<'_>) -> Error {
        Error::new(
            &code::ENTRY_POINT_UNSUPPORTED_STAGE,
            format!("a {} stage {}", entry.model(), self.otherwise),
        )
        .about(entry.function())
    }
}
