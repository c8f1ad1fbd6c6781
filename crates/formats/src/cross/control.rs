//! Tessellation control stages in MSL, which are kernels with inputs and outputs in buffers.

use super::bindings::OwnBuffers;
use super::{Domain, MslBuffer};
use crate::Error;
use polyshade_spv::view::AccessChain;
use polyshade_spv::{BuiltIn, Id, Inst, Module, Op, StorageClass};
use spirv::ExecutionMode as Mode;
use spirv_cross2::compile::CompiledArtifact;
use spirv_cross2::compile::msl::CompilerOptions;
use spirv_cross2::reflect::ExecutionModeArguments;
use spirv_cross2::{Compiler, SpirvCrossError, targets};

/// Chooses the domain, which determines the layout of the tessellation levels. `given` is for stages that do not
/// declare it.
pub(super) fn choose_domain(
    compiler: &mut Compiler<targets::Msl>,
    words: &[u32],
    given: Option<Domain>,
    refused: fn(SpirvCrossError) -> Error,
) -> Result<(), Error> {
    let unsupported = |message: &str| Err(Error::Unsupported(message.to_owned()));
    let modes = compiler.execution_modes().map_err(refused)?.to_vec();
    if !modes.contains(&Mode::OutputVertices) {
        return unsupported("the tessellation control stage does not declare OutputVertices");
    }
    if modes.contains(&Mode::Isolines) {
        return unsupported("Metal has no isolines");
    }
    // The domain that the stage declares takes precedence.
    let declared = [Mode::Triangles, Mode::Quads].into_iter().find(|mode| modes.contains(mode));
    let given = given.map(|domain| match domain {
        Domain::Triangles => Mode::Triangles,
        Domain::Quads => Mode::Quads,
    });
    let Some(domain) = declared.or(given) else {
        return unsupported(
            "in MSL a tessellation control stage is a kernel for one domain, which only the evaluation stage \
             declares: name it (`--msl-domain`)",
        );
    };
    if domain == Mode::Triangles && chooses_levels(words) {
        return unsupported(
            "Metal's triangles have three outer tessellation levels and one inner level, and the shader may \
             write others: its indices are not constants",
        );
    }
    compiler.set_execution_mode(domain, Some(ExecutionModeArguments::None));
    Ok(())
}

/// Whether tessellation levels are written with unknown indices. With constant indices, SPIRV-Cross omits the levels
/// that triangles do not have. Otherwise, it would write outer levels beyond the end of their array into the inner
/// level, and write all inner levels to that level.
fn chooses_levels(words: &[u32]) -> bool {
    // SPIRV-Cross reports modules that cannot be parsed.
    let Ok(module) = Module::parse(words) else { return false };
    let levels = [BuiltIn::TESS_LEVEL_OUTER, BuiltIn::TESS_LEVEL_INNER];
    let is_level = |id: Id| {
        module.storage_class(id) == Some(StorageClass::OUTPUT)
            && module.builtin(id).is_some_and(|builtin| levels.contains(&builtin))
    };
    let is_constant = |id: Id| module.definition(id).is_some_and(|inst| inst.op() == Op::CONSTANT);
    let chooses = |inst: Inst<'_>| match AccessChain::of(inst) {
        Some(chain) => !chain.indices().all(is_constant),
        None => ![Op::LOAD, Op::STORE].contains(&inst.op()),
    };
    let mut levels =
        module.variables().map(|variable| variable.result()).filter(|id| is_level(*id));
    levels.any(|level| module.code_uses_of(level).any(chooses))
}

/// Configures a kernel whose threadgroups may process several patches, with all inputs and outputs in buffers.
pub(super) fn configure(settings: &mut CompilerOptions, own: &OwnBuffers) {
    let indices = [
        (MslBuffer::Vertices, &mut settings.shader_input_buffer_index),
        (MslBuffer::Factors, &mut settings.shader_tess_factor_output_buffer_index),
        (MslBuffer::Patches, &mut settings.shader_patch_output_buffer_index),
        (MslBuffer::ControlPoints, &mut settings.shader_output_buffer_index),
        (MslBuffer::Counts, &mut settings.indirect_params_buffer_index),
    ];
    for (buffer, setting) in indices {
        let Some(index) = own.index(buffer) else { continue };
        *setting = index;
        settings.multi_patch_workgroup = true;
    }
}

/// The buffers that the kernel uses, with their indices.
pub(super) fn taken(
    artifact: &CompiledArtifact<targets::Msl>,
    own: &OwnBuffers,
) -> Vec<(MslBuffer, u32)> {
    let needs = artifact.buffer_requirements();
    let all = [
        (MslBuffer::Vertices, needs.needs_input_threadgroup_buffer),
        (MslBuffer::Factors, true),
        (MslBuffer::Patches, needs.needs_patch_output_buffer),
        (MslBuffer::ControlPoints, needs.needs_output_buffer),
        (MslBuffer::Counts, true),
    ];
    let index = |(buffer, is_taken): (MslBuffer, bool)| {
        is_taken.then(|| own.index(buffer).map(|index| (buffer, index)))?
    };
    all.into_iter().filter_map(index).collect()
}
