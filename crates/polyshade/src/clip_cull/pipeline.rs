//! All stages of a pipeline at once: where two meet, both must number the distances alike.

use super::marks::Linkage;
use super::normalize::{Normalized, Options, normalize, own_linkages};
use polyshade_spv::{Error, ErrorKind, ExecutionModel, Module};

/// The stages that hand distances on, in their order.
const ORDER: [ExecutionModel; 6] = [
    ExecutionModel::VERTEX,
    ExecutionModel::TESSELLATION_CONTROL,
    ExecutionModel::TESSELLATION_EVALUATION,
    ExecutionModel::GEOMETRY,
    ExecutionModel::MESH_EXT,
    ExecutionModel::FRAGMENT,
];

/// [`normalize`] for the stages of one pipeline, which are in the pipeline's order. Where two stages meet, what either
/// marks is a distance on both sides, and numbered for both.
///
/// # Errors
///
/// Those of [`normalize`]; `Options` where the stages are out of order.
pub fn normalize_pipeline<'m>(
    stages: &[(&'m Module<'_>, Options)],
) -> Result<Vec<Normalized<'m>>, Error> {
    let place =
        |options: &Options| ORDER.iter().position(|model| *model == options.target().model());
    if stages.windows(2).any(|pair| place(&pair[0].1) >= place(&pair[1].1)) {
        let message = "the stages of a pipeline are to be given in its order, each once";
        return Err(Error::new(ErrorKind::Options, message));
    }

    let own: Vec<[Linkage; 2]> =
        stages.iter().map(|(m, options)| own_linkages(m, options)).collect::<Result<_, _>>()?;
    let mut linked: Vec<Options> = stages.iter().map(|(_, options)| options.clone()).collect();
    for (before, pair) in own.windows(2).enumerate() {
        let [[_, outputs], [inputs, _]] = pair else { continue };
        let mut together = outputs.clone();
        together.join(inputs);
        together.check()?;
        linked[before] = linked[before].clone().linked_outputs(together.clone());
        linked[before + 1] = linked[before + 1].clone().linked_inputs(together);
    }
    stages.iter().zip(&linked).map(|((m, _), options)| normalize(m, options)).collect()
}
