//! Rewrites or rejects instructions that SPIRV-Cross mistranslates to HLSL.

use crate::glsl_instructions::glsl_instruction;
use crate::image_operands::{BIAS, CONST_OFFSETS, GRAD, ImageInst, LOD, image_type};
use crate::{Error, gather_offsets, wide_arithmetic};
use polyshade_spv::view::ExtInstImport;
use polyshade_spv::{Capability, GlslOp, Id, Inst, Module, Op, Patch, Section, Type};
use spirv::ImageFormat;

/// The first shader model with ray queries.
const RAY_QUERIES: u32 = 65;

/// The extended instruction set for printing.
const PRINTING: &str = "NonSemantic.DebugPrintf";

/// Returns the module without the instructions that SPIRV-Cross mistranslates; `None` if it cannot be parsed.
///
/// # Errors
///
/// Instructions without an equivalent in HLSL.
pub(super) fn mended(words: &[u32], shader_model: u32) -> Result<Option<Vec<u32>>, Error> {
    // SPIRV-Cross reports why a module cannot be parsed.
    let Ok(module) = Module::parse(words) else { return Ok(None) };
    let unsupported =
        |error: polyshade_spv::Error| Error::Unsupported(error.without_place().to_string());
    if shader_model < RAY_QUERIES && module.has_capability(Capability::RAY_QUERY_KHR) {
        let message = "shader models before 6.5 have no ray queries (RayQueryKHR)";
        return Err(Error::Unsupported(message.to_owned()));
    }
    let mut imports = module.section(Section::Imports).filter_map(ExtInstImport::of);
    if imports.any(|import| import.name() == PRINTING) {
        return Err(Error::Unsupported(format!("HLSL has no printf ({PRINTING})")));
    }
    let module = wide_arithmetic::expand(&module).map_err(unsupported)?;
    let module = gather_offsets::split(&module).map_err(unsupported)?;
    if let Some(message) = refused(&module) {
        return Err(Error::Unsupported(message));
    }
    let module = module.rewrite(|module, p| {
        for inst in module.functions().flat_map(|function| function.instructions()) {
            match inst.op() {
                Op::EXT_INST => snap(module, p, inst),
                Op::IMAGE_READ => complete(module, p, inst),
                _ => {}
            }
        }
        Ok(())
    });
    Ok(Some(module.map_err(unsupported)?.module.into_words()))
}

/// Returns the image operand that HLSL does not have, if any. HLSL compares only at level 0 or an implicit level.
fn refused(module: &Module<'_>) -> Option<String> {
    let code = module.functions().flat_map(|function| function.instructions());
    code.filter_map(ImageInst::of).find_map(|image| {
        let has = |bit| image.mask() & bit != 0;
        let is_zero = || image.operand(LOD).and_then(|id| module.constant(id)) == Some(0);
        let name = match image.compares() {
            true if has(BIAS) => "Bias",
            true if has(GRAD) => "Grad",
            true if has(LOD) && !is_zero() => "a Lod that is not 0",
            _ if has(CONST_OFFSETS) => "ConstOffsets",
            _ => return None,
        };
        let op = spirv::Op::from_u32(image.inst().op().0.into())?;
        Some(format!("HLSL has no Op{op:?} with {name}"))
    })
}

/// Rounds interpolation offsets to sixteenths of a pixel, from -8 to 7, because HLSL's offsets are integers in these
/// units.
fn snap<'m>(module: &'m Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'m>) {
    let Some(call) = glsl_instruction(module, inst) else { return };
    let (GlslOp::INTERPOLATE_AT_OFFSET, &[_, offset]) = (GlslOp(call.number()), call.operands())
    else {
        return;
    };
    let offset = Id::new(offset).and_then(|id| Some((id, module.type_of(id)?)));
    let Some((offset, ty)) = offset else { return };
    let [sixteen, least, most] = [16.0, -8.0, 7.0].map(|number| {
        let number = p.float_constant(number);
        p.composite_constant(ty, &[number, number])
    });
    let mut code = p.at(inst.before());
    let sixteenths = code.binary(Op::F_MUL, ty, offset, sixteen);
    let whole = code.glsl(GlslOp::ROUND_EVEN, ty, &[sixteenths]);
    let offset = code.glsl(GlslOp::F_CLAMP, ty, &[whole, least, most]);
    p.overwrite(inst.operand(6), offset.word());
}

/// Sets components that a format lacks to 0, and the fourth component to 1. SPIRV-Cross repeats the last existing
/// component.
fn complete<'m>(module: &'m Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'m>) {
    let image = Id::new(inst.words()[3]).and_then(|id| module.type_of(id));
    let format = image.and_then(|ty| image_type(module, ty)).map(|image| image.words()[8]);
    let (Some(there), Some((ty, result))) =
        (format.and_then(components), inst.result_type().zip(inst.result()))
    else {
        return;
    };
    let Some(Type::Vector { component, count: 4 }) = module.ty(ty) else { return };
    let one = match module.ty(component) {
        Some(Type::Float { width: 32 }) => 1.0_f32.to_bits(),
        Some(Type::Int { width: 32, .. }) => 1,
        _ => return,
    };
    let last = p.declare(Op::CONSTANT, &[component.word(), one]);
    let (zero, read) = (p.null(component), p.id());
    p.set_result(inst, read);
    let mut code = p.at(inst.after());
    let mut words = vec![ty.word(), result.word()];
    words.extend((0..there).map(|part| code.extract(component, read, &[part]).word()));
    words.resize(5, zero.word());
    words.push(last.word());
    code.emit(Op::COMPOSITE_CONSTRUCT, &words);
}

/// The number of components of a format, if it is less than four.
fn components(format: u32) -> Option<u32> {
    use ImageFormat as Format;
    Some(match ImageFormat::from_u32(format)? {
        Format::R32f | Format::R16f | Format::R16 | Format::R8 | Format::R16Snorm => 1,
        Format::R8Snorm | Format::R32i | Format::R16i | Format::R8i => 1,
        Format::R32ui | Format::R16ui | Format::R8ui => 1,
        Format::Rg32f | Format::Rg16f | Format::Rg16 | Format::Rg8 | Format::Rg16Snorm => 2,
        Format::Rg8Snorm | Format::Rg32i | Format::Rg16i | Format::Rg8i => 2,
        Format::Rg32ui | Format::Rg16ui | Format::Rg8ui => 2,
        Format::R11fG11fB10f => 3,
        _ => return None,
    })
}
