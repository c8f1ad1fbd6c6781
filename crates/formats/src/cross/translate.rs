//! Calls SPIRV-Cross.

use super::bindings::{self, Attachments, OwnBuffers, ResourceKind};
use super::framebuffer_fetch::{self, Coherence, Others};
use super::names::{self, Language};
use super::{
    EntryPoint, Glsl, Hlsl, InputAttachments, Msl, MslBuffer, MslTexture, MslTextureKind, Platform,
    PointSize, Profile, Rules, Target, Text,
};
use super::{combined, control, copies, hlsl_instructions, msl_text, refused_before, strings};
use crate::Error;
use spirv_cross2::compile::CompilableTarget;
use spirv_cross2::compile::glsl::GlslVersion;
use spirv_cross2::compile::hlsl::HlslShaderModel;
use spirv_cross2::compile::msl::{BindTarget, MetalPlatform, ResourceBinding};
use spirv_cross2::reflect::ResourceType;
use spirv_cross2::{Compiler, Module, SpirvCrossError, targets};
use std::num::NonZeroU32;

pub(super) fn write(words: &[u32], entry: EntryPoint<'_>, target: &Target) -> Result<Text, Error> {
    let escaped = strings::escaped(words)?;
    let words = escaped.as_deref().unwrap_or(words);
    match target {
        Target::Msl(options) => {
            let is_texture = options.input_attachments == Some(InputAttachments::Texture);
            let colors = if is_texture { &[] } else { &options.colors[..] };
            let numbered = framebuffer_fetch::numbered(words, colors)?;
            let words = numbered.as_deref().unwrap_or(words);
            let renamed = names::renamed(words, Language::Msl)?;
            msl(renamed.as_deref().unwrap_or(words), entry, options)
        }
        Target::Glsl(options) => {
            let is_texture = options.input_attachments == Some(InputAttachments::Texture);
            let is_own = options.rules == Rules::Vulkan;
            let colors = if is_texture || is_own { &[] } else { &options.colors[..] };
            let numbered = framebuffer_fetch::numbered(words, colors)?;
            glsl(numbered.as_deref().unwrap_or(words), entry, options)
        }
        Target::Hlsl(options) => hlsl(words, entry, *options),
    }
}

fn msl(words: &[u32], entry: EntryPoint<'_>, options: &Msl) -> Result<Text, Error> {
    let without_copies = copies::loaded_and_stored(words)?;
    let words = without_copies.as_deref().unwrap_or(words);
    let (mut compiler, model) = compiler::<targets::Msl>(words, entry)?;
    rename(&mut compiler, entry.name, model).map_err(refused)?;
    let (version, fetches) = fetching(words, options)?;
    check_stage(model, version)?;
    let is_control = model == spirv::ExecutionModel::TessellationControl;
    if is_control {
        control::choose_domain(&mut compiler, words, options.domain, refused)?;
    }
    let resources = bindings::resources(&compiler).map_err(refused)?;
    let rasterized = is_rasterized(&mut compiler, model).map_err(refused)?;
    let own = OwnBuffers::new(model, &options.buffers);
    let mut given = bindings::metal_indices(&resources, &options.buffers, &own)?;
    let attachments = if fetches { Attachments::Colours } else { Attachments::Textures };
    let textures = bindings::metal_textures(&resources, attachments);
    // A colour has the number of its input attachment, unless the options set another.
    for resource in resources.iter().filter(|one| !fetches || one.kind != ResourceKind::Attachment)
    {
        let binding = match resource.buffer() {
            MslBuffer::Descriptor { set, binding } => ResourceBinding::from_qualified(set, binding),
            _ => ResourceBinding::PushConstantBuffer,
        };
        let buffer = given.iter().find(|(other, _)| other.buffer() == resource.buffer());
        let texture = |kind| {
            let is_it = |one: &&MslTexture| {
                (one.set, one.binding, one.kind) == (resource.set, resource.binding, kind)
            };
            textures.iter().find(is_it).map_or(0, |one| one.index)
        };
        let target = BindTarget {
            buffer: buffer.map_or(0, |(_, index)| *index),
            texture: texture(MslTextureKind::Texture),
            sampler: texture(MslTextureKind::Sampler),
            count: NonZeroU32::new(resource.count),
        };
        compiler.add_resource_binding(model, binding, &target).map_err(refused)?;
    }

    let mut settings = targets::Msl::options();
    settings.version = version.into();
    settings.framebuffer_fetch_subpass = fetches;
    settings.invariant_fp_math = msl_text::is_invariant_by_arithmetic(words, version);
    settings.platform = match options.platform {
        Platform::Macos => MetalPlatform::MacOS,
        Platform::Ios => MetalPlatform::iOS,
    };
    if let Some(index) = own.index(MslBuffer::Sizes) {
        settings.buffer_size_buffer_index = index;
    }
    control::configure(&mut settings, &own);
    // A point size is only for Vulkan's point lists. Without a position, nothing is rasterized.
    settings.disable_rasterization = rasterized == Rasterized::Nothing;
    let artifact = compiler.compile(&settings).map_err(refused)?;
    if !is_control && rasterized == Rasterized::Outputs && artifact.is_rasterization_disabled() {
        let (major, minor) = version;
        return Err(Error::Unsupported(format!(
            "a vertex function of MSL {major}.{minor} that writes buffers cannot have outputs; one of MSL 2.1 can"
        )));
    }
    let sizes = artifact.buffer_requirements().needs_buffer_size_buffer;
    let mut buffers: Vec<(MslBuffer, u32)> =
        given.drain(..).map(|(resource, index)| (resource.buffer(), index)).collect();
    buffers.extend(sizes.then_some((MslBuffer::Sizes, settings.buffer_size_buffer_index)));
    if is_control {
        buffers.extend(control::taken(&artifact, &own));
    }
    let source = msl_text::checked(artifact.to_string(), words)?;
    Ok(Text { source, buffers, textures })
}

/// Renames the entry point if its name is reserved in MSL.
fn rename(
    compiler: &mut Compiler<targets::Msl>,
    name: &str,
    model: spirv::ExecutionModel,
) -> Result<(), SpirvCrossError> {
    match names::other(name, Language::Msl) {
        Some(other) => compiler.rename_entry_point(name, other, model),
        None => Ok(()),
    }
}

/// The first version of MSL with object and mesh functions.
const MESHES: (u32, u32) = (3, 0);

/// Returns an error for a stage that Metal does not have. For such stages, SPIRV-Cross prints unusable text or
/// aborts.
fn check_stage(model: spirv::ExecutionModel, version: (u32, u32)) -> Result<(), Error> {
    use spirv::ExecutionModel as Model;
    let message = match model {
        Model::Vertex
        | Model::TessellationControl
        | Model::TessellationEvaluation
        | Model::Fragment
        | Model::GLCompute => return Ok(()),
        Model::TaskEXT | Model::MeshEXT if version >= MESHES => return Ok(()),
        Model::TaskEXT | Model::MeshEXT => "task and mesh stages need MSL 3.0".to_owned(),
        other => format!("Metal has no {other:?} stage"),
    };
    Err(Error::Unsupported(message))
}

/// The first version of MSL for macOS with `[[color(n)]]` on arguments.
const FETCH_ON_MACOS: (u32, u32) = (2, 3);

/// Returns the version of MSL, and whether attachments are fetched.
fn fetching(words: &[u32], options: &Msl) -> Result<((u32, u32), bool), Error> {
    let has_attachments = framebuffer_fetch::has_input_attachments(words);
    let fetches = match options.input_attachments {
        Some(InputAttachments::FetchNonCoherent) => {
            return Err(Error::Unsupported("MSL has no non-coherent framebuffer fetch".to_owned()));
        }
        Some(InputAttachments::Texture) => false,
        Some(InputAttachments::Fetch) | None => has_attachments,
    };
    let on_macos = options.platform == Platform::Macos;
    match options.version {
        None if fetches && on_macos => Ok((FETCH_ON_MACOS, true)),
        None => Ok(((2, 1), fetches)),
        Some(version) if fetches && on_macos && version < FETCH_ON_MACOS => {
            let (major, minor) = version;
            Err(Error::Unsupported(format!(
                "MSL {major}.{minor} for macOS has no framebuffer fetch; use MSL 2.3, or read textures"
            )))
        }
        Some(version) => Ok((version, fetches)),
    }
}

/// Whether a stage has outputs for the rasterizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rasterized {
    /// There is a position or a varying.
    Outputs,
    /// There are no outputs, or only a point size.
    Nothing,
}

fn is_rasterized(
    compiler: &mut Compiler<targets::Msl>,
    model: spirv::ExecutionModel,
) -> Result<Rasterized, SpirvCrossError> {
    use spirv::ExecutionModel::{TessellationEvaluation, Vertex};
    if !matches!(model, Vertex | TessellationEvaluation) {
        return Ok(Rasterized::Outputs);
    }
    let proof = compiler.update_active_builtins();
    let active = compiler.active_interface_variables()?;
    let resources = compiler.shader_resources_for_active_variables(active)?;
    let varyings = resources.resources_for_type(ResourceType::StageOutput)?.count();
    let mut outputs = varyings > 0;
    for builtin in [
        spirv::BuiltIn::Position,
        spirv::BuiltIn::ClipDistance,
        spirv::BuiltIn::CullDistance,
        spirv::BuiltIn::Layer,
        spirv::BuiltIn::ViewportIndex,
    ] {
        outputs |= compiler.has_active_builtin(builtin, spirv::StorageClass::Output, proof)?;
    }
    Ok(if outputs { Rasterized::Outputs } else { Rasterized::Nothing })
}

fn glsl(words: &[u32], entry: EntryPoint<'_>, options: &Glsl) -> Result<Text, Error> {
    let coherence = match options.input_attachments {
        Some(InputAttachments::FetchNonCoherent) => Coherence::NonCoherent,
        _ => Coherence::Coherent,
    };
    let fetched = match (options.rules, options.input_attachments) {
        (Rules::Vulkan, _) | (_, Some(InputAttachments::Texture)) => None,
        (Rules::OpenGl, None) if !has_inout(options.version) => None,
        (Rules::OpenGl, None) => framebuffer_fetch::read_outputs(words, entry, Others::Stay)?,
        (Rules::OpenGl, Some(_)) => framebuffer_fetch::read_outputs(words, entry, Others::Refuse)?,
    };
    let Some(fetched) = fetched else { return glsl_as_it_is(words, entry, options, None) };
    if !has_inout(options.version) {
        let message = "this version of GLSL cannot read outputs; 130 and 300 es can";
        return Err(Error::Unsupported(message.to_owned()));
    }
    let extension = Some(coherence.extension());
    let mut text = glsl_as_it_is(&fetched.words, entry, options, extension)?;
    text.source = framebuffer_fetch::declare_inout(&text.source, &fetched.locations, coherence)?;
    Ok(text)
}

/// Whether the GLSL version has user-defined fragment outputs, which may be `inout`.
fn has_inout((number, profile): (u32, Profile)) -> bool {
    match profile {
        Profile::Core => number >= 130,
        Profile::Es => number >= 300,
    }
}

fn glsl_as_it_is(
    words: &[u32],
    entry: EntryPoint<'_>,
    options: &Glsl,
    extension: Option<&'static str>,
) -> Result<Text, Error> {
    let (mut compiler, _) = compiler::<targets::Glsl>(words, entry)?;
    if options.rules == Rules::OpenGl {
        combined::textures_and_samplers(&mut compiler).map_err(refused)?;
    }
    if let Some(extension) = extension {
        compiler.require_extension(extension).map_err(refused)?;
    }
    if options.rules == Rules::OpenGl {
        let resources = bindings::resources(&compiler).map_err(refused)?;
        let kinds = [
            &[ResourceKind::Uniform][..],
            &[ResourceKind::Storage],
            &bindings::TEXTURES,
            &[ResourceKind::Image],
        ];
        bindings::without_sets(&resources, &kinds, "OpenGL has no descriptor sets")?;
    }
    let mut settings = targets::Glsl::options();
    settings.version = glsl_version(options.version)?;
    settings.vulkan_semantics = options.rules == Rules::Vulkan;
    // Without this setting, built-in blocks are not redeclared, and have other members than in the shader.
    settings.seperate_shader_objects = true;
    source(&compiler.compile(&settings).map_err(refused)?)
}

fn glsl_version((number, profile): (u32, Profile)) -> Result<GlslVersion, Error> {
    Ok(match (number, profile) {
        (110, Profile::Core) => GlslVersion::Glsl110,
        (120, Profile::Core) => GlslVersion::Glsl120,
        (130, Profile::Core) => GlslVersion::Glsl130,
        (140, Profile::Core) => GlslVersion::Glsl140,
        (150, Profile::Core) => GlslVersion::Glsl150,
        (330, Profile::Core) => GlslVersion::Glsl330,
        (400, Profile::Core) => GlslVersion::Glsl400,
        (410, Profile::Core) => GlslVersion::Glsl410,
        (420, Profile::Core) => GlslVersion::Glsl420,
        (430, Profile::Core) => GlslVersion::Glsl430,
        (440, Profile::Core) => GlslVersion::Glsl440,
        (450, Profile::Core) => GlslVersion::Glsl450,
        (460, Profile::Core) => GlslVersion::Glsl460,
        (100, Profile::Es) => GlslVersion::Glsl100Es,
        (300, Profile::Es) => GlslVersion::Glsl300Es,
        (310, Profile::Es) => GlslVersion::Glsl310Es,
        (320, Profile::Es) => GlslVersion::Glsl320Es,
        _ => return Err(Error::Options(format!("GLSL has no version {number}"))),
    })
}

/// The first shader model in which a vertex shader may write buffers.
const BUFFERS_IN_ANY_STAGE: u32 = 50;
/// The first shader model with register spaces.
const REGISTER_SPACES: u32 = 51;

fn hlsl(words: &[u32], entry: EntryPoint<'_>, options: Hlsl) -> Result<Text, Error> {
    let mended = hlsl_instructions::mended(words, options.shader_model)?;
    let words = mended.as_deref().unwrap_or(words);
    let renamed = names::renamed(words, Language::Hlsl)?;
    let words = renamed.as_deref().unwrap_or(words);
    let (mut compiler, _) = compiler::<targets::Hlsl>(words, entry)?;
    let mut lacks = |builtin, class| {
        let proof = compiler.update_active_builtins();
        compiler.has_active_builtin(builtin, class, proof).map_err(refused)
    };
    if options.point_size == PointSize::Refuse
        && lacks(spirv::BuiltIn::PointSize, spirv::StorageClass::Output)?
    {
        let message = "the shader writes PointSize, which Direct3D does not have";
        return Err(Error::PointSize(message.to_owned()));
    }
    // If the shader has no other input, SPIRV-Cross would write a constant.
    if lacks(spirv::BuiltIn::PointCoord, spirv::StorageClass::Input)? {
        let message = "the shader reads PointCoord, which Direct3D does not have";
        return Err(Error::Unsupported(message.to_owned()));
    }
    let resources = bindings::resources(&compiler).map_err(refused)?;
    let model = options.shader_model;
    let name = || format!("{}.{}", model / 10, model % 10);
    if model < BUFFERS_IN_ANY_STAGE && resources.iter().any(|one| one.kind == ResourceKind::Storage)
    {
        let message = format!("shader model {} has no storage buffers; 5.0 has them", name());
        return Err(Error::Unsupported(message));
    }
    if model < REGISTER_SPACES {
        let kinds = [
            &[ResourceKind::Uniform][..],
            &[ResourceKind::Storage, ResourceKind::Image],
            &bindings::TEXTURES,
            &[ResourceKind::Sampler],
        ];
        let why = format!("shader model {} has no register spaces", name());
        bindings::without_sets(&resources, &kinds, &why)?;
    }
    let mut settings = targets::Hlsl::options();
    settings.shader_model = shader_model(model)?;
    settings.point_size_compat = options.point_size == PointSize::Drop;
    source(&compiler.compile(&settings).map_err(refused)?)
}

fn shader_model(number: u32) -> Result<HlslShaderModel, Error> {
    Ok(match number {
        30 => HlslShaderModel::ShaderModel3_0,
        40 => HlslShaderModel::ShaderModel4_0,
        41 => HlslShaderModel::ShaderModel4_1,
        50 => HlslShaderModel::ShaderModel5_0,
        51 => HlslShaderModel::ShaderModel5_1,
        60 => HlslShaderModel::ShaderModel6_0,
        61 => HlslShaderModel::ShaderModel6_1,
        62 => HlslShaderModel::ShaderModel6_2,
        63 => HlslShaderModel::ShaderModel6_3,
        64 => HlslShaderModel::ShaderModel6_4,
        65 => HlslShaderModel::ShaderModel6_5,
        66 => HlslShaderModel::ShaderModel6_6,
        67 => HlslShaderModel::ShaderModel6_7,
        68 => HlslShaderModel::ShaderModel6_8,
        _ => return Err(Error::Options(format!("unknown shader model {number}"))),
    })
}

fn compiler<T: targets::Target>(
    words: &[u32],
    entry: EntryPoint<'_>,
) -> Result<(Compiler<T>, spirv::ExecutionModel), Error> {
    let model = spirv::ExecutionModel::from_u32(entry.model);
    let model = model
        .ok_or_else(|| Error::Unsupported("the stage is unknown to SPIRV-Cross".to_owned()))?;
    refused_before::check(words)?;
    let mut compiler = Compiler::<T>::new(Module::from_words(words)).map_err(refused)?;
    compiler.set_entry_point(entry.name, model).map_err(refused)?;
    Ok((compiler, model))
}

fn source(artifact: &impl ToString) -> Result<Text, Error> {
    Ok(Text { source: artifact.to_string(), buffers: Vec::new(), textures: Vec::new() })
}

/// Returns the message of SPIRV-Cross, without the text that the Rust binding adds.
fn refused(error: SpirvCrossError) -> Error {
    let text = match &error {
        SpirvCrossError::InvalidSpirv(text)
        | SpirvCrossError::UnsupportedSpirv(text)
        | SpirvCrossError::OutOfMemory(text)
        | SpirvCrossError::InvalidArgument(text) => text.clone(),
        other => other.to_string(),
    };
    Error::Unsupported(format!("SPIRV-Cross says: {}", text.trim_end().trim_end_matches('.')))
}
