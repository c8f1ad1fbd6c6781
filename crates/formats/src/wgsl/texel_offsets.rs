//! Adds offsets of texel fetches, which WGSL lacks and naga ignores, to the coordinates.

use crate::components::components;
use crate::image_operands::{CONST_OFFSET, ImageInst, OFFSET};
use polyshade_spv::{Cursor, Error, Id, Module, Op};

/// Returns the module without offsets of texel fetches.
pub(super) fn add(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let code = module.functions().flat_map(|function| function.instructions());
        let fetches = code.filter(|inst| matches!(inst.op(), Op::IMAGE_FETCH | Op::IMAGE_READ));
        for image in fetches.filter_map(ImageInst::of) {
            let mut operands = [CONST_OFFSET, OFFSET].into_iter();
            let offset = operands.find_map(|bit| Some((bit, image.operand(bit)?)));
            let Some(((bit, offset), coordinates)) = offset.zip(image.coordinates()) else {
                continue;
            };
            let Some(ty) = module.type_of(coordinates) else { continue };
            let inst = image.inst();
            let mut code = p.at(inst.before());
            let offset = as_long(module, &mut code, offset, components(module, ty).1);
            let sum = code.binary(Op::I_ADD, ty, coordinates, offset);
            code.emit(inst.op(), &image.without(bit, sum));
            p.remove(inst);
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Extends the offset with a 0 for the layer, so that it has as many components as the coordinates.
fn as_long(module: &Module<'_>, code: &mut Cursor<'_, '_, '_>, offset: Id, count: u32) -> Id {
    let Some(ty) = module.type_of(offset) else { return offset };
    let (component, own) = components(module, ty);
    let missing = count.saturating_sub(own);
    if missing == 0 {
        return offset;
    }
    let (ty, zero) = (code.p.vector(component, count), code.p.null(component));
    let mut parts = vec![offset];
    parts.resize(1 + missing as usize, zero);
    code.construct(ty, &parts)
}
