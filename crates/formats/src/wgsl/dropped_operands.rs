//! Image operands that WGSL lacks, and that naga ignores.

use crate::image_operands::{
    BIAS, CONST_OFFSETS, GRAD, ImageInst, LOD, MIN_LOD, OFFSET, image_type,
};
use polyshade_spv::{Id, Module, Op};

/// The image operands that naga ignores for some instructions, with their SPIR-V names.
const NAMES: [(u32, &str); 6] = [
    (BIAS, "Bias"),
    (LOD, "Lod"),
    (GRAD, "Grad"),
    (OFFSET, "Offset"),
    (CONST_OFFSETS, "ConstOffsets"),
    (MIN_LOD, "MinLod"),
];

/// Returns an image operand that would be missing in the text of the module, if there is one.
pub(super) fn refused(module: &Module<'_>) -> Option<String> {
    let code = module.functions().flat_map(|function| function.instructions());
    code.filter_map(ImageInst::of).find_map(|image| {
        let op = image.inst().op();
        let dropped = match op {
            Op::IMAGE_FETCH | Op::IMAGE_READ => 0,
            Op::IMAGE_GATHER | Op::IMAGE_DREF_GATHER => {
                BIAS | LOD | GRAD | OFFSET | CONST_OFFSETS | MIN_LOD
            }
            _ if image.compares() => BIAS | LOD | GRAD | OFFSET | CONST_OFFSETS | MIN_LOD,
            _ => LOD | OFFSET | CONST_OFFSETS | MIN_LOD,
        };
        let is_dropped = |bit: u32| dropped & image.mask() & bit != 0;
        let (_, name) = NAMES
            .into_iter()
            .find(|(bit, _)| is_dropped(*bit) && !(*bit == LOD && has_level(module, image)))?;
        let op = spirv::Op::from_u32(op.0.into())?;
        Some(match name {
            "Lod" => format!("WGSL has no Op{op:?} of depth textures with a Lod that is not 0"),
            _ => format!("WGSL has no Op{op:?} with {name}"),
        })
    })
}

/// Whether WGSL supports the level of an access. Depth textures support only level 0.
fn has_level(module: &Module<'_>, image: ImageInst<'_>) -> bool {
    let ty = image.image().and_then(|id| module.type_of(id));
    let is_depth = |ty: Id| image_type(module, ty).is_some_and(|inst| inst.words()[4] == 1);
    let is_zero = image.operand(LOD).and_then(|id| module.constant(id)) == Some(0);
    is_zero || !image.compares() && !ty.is_some_and(is_depth)
}
