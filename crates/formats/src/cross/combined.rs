//! Combines textures and samplers for OpenGL's GLSL. Each pair that a shader uses becomes one variable.

use spirv_cross2::handle::{Handle, VariableId};
use spirv_cross2::reflect::DecorationValue;
use spirv_cross2::{Compiler, SpirvCrossError, targets};

/// The name of the sampler for textures that are read without a sampler.
const DUMMY: &str = "SPIRV_Cross_DummySampler";

/// Adds the pairs, named `SPIRV_Cross_Combined` followed by both names. The first pair with a texture gets the
/// texture's binding. Further pairs with that texture get no binding.
pub(super) fn textures_and_samplers(
    compiler: &mut Compiler<targets::Glsl>,
) -> Result<(), SpirvCrossError> {
    let dummy = compiler.create_dummy_sampler_for_combined_images()?;
    if let Some(sampler) = dummy.sampler_id {
        compiler.set_name(sampler, DUMMY)?;
    }
    compiler.build_combined_image_samplers(dummy)?;

    let mut bound: Vec<u32> = Vec::new();
    for pair in compiler.combined_image_samplers()?.collect::<Vec<_>>() {
        let (texture, sampler) = (pair.image_id, pair.sampler_id);
        let name =
            format!("SPIRV_Cross_Combined{}{}", name(compiler, texture)?, name(compiler, sampler)?);
        compiler.set_name(pair.combined_id, name)?;
        let binding = compiler.decoration(texture, spirv::Decoration::Binding)?;
        if let Some(DecorationValue::Literal(binding)) = binding
            && !bound.contains(&texture.id())
        {
            bound.push(texture.id());
            let decoration = spirv::Decoration::Binding;
            compiler.set_decoration(pair.combined_id, decoration, Some(binding))?;
        }
    }
    Ok(())
}

fn name(
    compiler: &Compiler<targets::Glsl>,
    variable: Handle<VariableId>,
) -> Result<String, SpirvCrossError> {
    let name = compiler.name(variable)?;
    Ok(name.map_or_else(|| format!("_{}", variable.id()), |name| name.to_string()))
}
