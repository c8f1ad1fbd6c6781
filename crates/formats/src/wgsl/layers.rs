//! Rounds the layers of array textures, because Vulkan selects the nearest layer, but naga truncates.

use crate::image_operands::{COORDINATES, ImageInst, image_type};
use polyshade_spv::{Error, GlslOp, Inst, Module, Op, Type};

/// Returns the module with layers rounded to the nearest integer, and ties rounded to even.
pub(super) fn round(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let code = module.functions().flat_map(|function| function.instructions());
        // Fetches and reads have integer layers.
        let samples = code.filter(|inst| !matches!(inst.op(), Op::IMAGE_FETCH | Op::IMAGE_READ));
        for image in samples.filter_map(ImageInst::of) {
            let ty = image.image().and_then(|id| module.type_of(id));
            let layer = ty.and_then(|ty| layer(image_type(module, ty)?));
            let Some((layer, coordinates)) = layer.zip(image.coordinates()) else { continue };
            let Some(ty) = module.type_of(coordinates) else { continue };
            let Some(Type::Vector { component, .. }) = module.ty(ty) else { continue };
            // %a = OpCompositeExtract %coordinates LAYER
            // %b = OpExtInst RoundEven %a
            // OpCompositeInsert %b %coordinates LAYER
            let mut code = p.at(image.inst().before());
            let number = code.extract(component, coordinates, &[layer]);
            let number = code.glsl(GlslOp::ROUND_EVEN, component, &[number]);
            let words = [number.word(), coordinates.word(), layer];
            let coordinates = code.value(Op::COMPOSITE_INSERT, ty, &words);
            p.overwrite(image.inst().operand(COORDINATES), coordinates.word());
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Returns the component of the coordinates that is the layer, if the image is an array.
fn layer(image: Inst<'_>) -> Option<u32> {
    /// The number of coordinates of 1D, 2D and 3D images, and of cubes.
    const COORDINATES: [u32; 4] = [1, 2, 3, 3];
    let is_array = image.words()[5] == 1;
    let layer = COORDINATES.get(image.words()[3] as usize).copied();
    layer.filter(|_| is_array)
}
