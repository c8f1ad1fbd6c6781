//! Instructions of the extended set `GLSL.std.450`.

use polyshade_spv::view::{ExtInst, ExtInstImport};
use polyshade_spv::{GlslOp, Inst, Module};

/// Returns the view of `inst`, if it is an instruction of `GLSL.std.450`. Its number is a [`GlslOp`].
pub(crate) fn glsl_instruction<'i>(module: &Module<'_>, inst: Inst<'i>) -> Option<ExtInst<'i>> {
    let call = ExtInst::of(inst)?;
    let import = module.definition(call.set()).and_then(ExtInstImport::of)?;
    (import.name() == GlslOp::SET).then_some(call)
}
