//! Replaces each gather with `ConstOffsets` by four gathers with one offset each. Each of the four provides one
//! texel. naga ignores `ConstOffsets`, and so does SPIRV-Cross for HLSL.

use crate::image_operands::{CONST_OFFSETS, ImageInst};
use polyshade_spv::{Error, Id, Inst, Module, Op, Type};

/// The component of a gather that contains the texel at the rounded-down coordinates.
const FIRST: u32 = 3;

/// Returns the module without `ConstOffsets`, unless the offsets are not constants.
pub(crate) fn split(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let code = module.functions().flat_map(|function| function.instructions());
        for image in code.filter_map(ImageInst::of) {
            let offsets = image.operand(CONST_OFFSETS).and_then(|id| module.definition(id));
            let offsets = offsets.filter(|inst| inst.op() == Op::CONSTANT_COMPOSITE);
            let inst = image.inst();
            let (Some(offsets), Some((ty, result))) =
                (offsets, inst.result_type().zip(inst.result()))
            else {
                continue;
            };
            let Some(Type::Vector { component, .. }) = module.ty(ty) else { continue };
            let mut code = p.at(inst.before());
            let texels = parts(offsets).map(|offset| {
                let texels = code.value(inst.op(), ty, &image.with_offset(offset));
                code.extract(component, texels, &[FIRST])
            });
            let mut words = vec![ty.word(), result.word()];
            words.extend(texels.map(Id::word));
            code.emit(Op::COMPOSITE_CONSTRUCT, &words);
            p.remove(inst);
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Returns the constituents of a composite constant.
fn parts(constant: Inst<'_>) -> impl Iterator<Item = Id> {
    constant.words()[3..].iter().filter_map(|word| Id::new(*word))
}
