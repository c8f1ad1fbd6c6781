//! Turns removed outputs that the shader reads into private memory.

use crate::code::{self, refuse};
use crate::rewrite::{self, Copies, Frame};
use polyshade_spv::{Error, ExecutionModel, Id, Module};

/// Returns a version in which function bodies use private variables instead of the outputs `variables`. Outputs in
/// `dead` are removed. The final values of the other outputs are copied to new output variables.
///
/// # Errors
///
/// `Unsupported`: the stage exports its outputs more than once; the errors of the rewrite tools.
pub(super) fn demote_to_private(
    frame: &Frame<'_>,
    m: &Module<'_>,
    variables: &[Id],
    dead: &[Id],
) -> Result<Module<'static>, Error> {
    let model = frame.model();
    let by_itself = [ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION];
    let is_copied = variables.iter().any(|id| !dead.contains(id));
    if is_copied && !by_itself.contains(&model) {
        let message = format!("cannot drop an output: a {model} stage reads it");
        return refuse(&code::POSITION_ONLY_OUTPUT_READ, message, variables[0]);
    }
    let own = frame.rewrite(m, |m, p, entry| {
        let (whole, blocks): (Vec<Id>, Vec<Id>) =
            variables.iter().partition(|id| dead.contains(id));
        rewrite::demote_to_private(m, p, entry, &whole, Copies::None)?;
        if !blocks.is_empty() {
            let wrapper = rewrite::wrap(m, p, entry);
            rewrite::demote_to_private(m, p, entry, &blocks, Copies::At(wrapper.epilogue))?;
        }
        Ok(())
    })?;
    Ok(own.module.into_owned())
}
