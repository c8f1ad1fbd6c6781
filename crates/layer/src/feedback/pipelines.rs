//! Pipelines: SPIR-V in the `pNext` chain instead of a module, the state that selects a vertex stream, and
//! pipelines that recipes lower.

use super::lowered_pipelines::{
    LoweredPipeline, lowered, never_rasterizes, without, without_creation_feedback,
};
use super::shaders::{Stripped, stripped};
use crate::device::Device;
use crate::emulation::Emulator;
use crate::emulation::pipeline_info::create_flags;
use crate::emulation::variants::register;
use crate::feedback::objects::destroy_pipeline;
use crate::log::Level;
use crate::pnext::{Change, Copied, find};
use crate::settings::slice;
use crate::spirv::words;
use ash::vk::{self, Handle as _, TaggedStructure as _};

type Code = vk::ShaderModuleCreateInfo<'static>;
type StreamState = vk::PipelineRasterizationStateStreamCreateInfoEXT<'static>;

/// A shader stage, possibly with changed SPIR-V.
struct Stage<'d> {
    info: vk::PipelineShaderStageCreateInfo<'static>,
    // The chain and the SPIR-V that the structure points to.
    kept: Option<(Copied, Vec<u32>)>,
    /// The module that replaces the application's.
    made: Option<(&'d Device, vk::ShaderModule)>,
}

impl<'d> Stage<'d> {
    /// Returns a stage of a pipeline that rasterizes vertex stream `rasterized`.
    ///
    /// # Safety
    ///
    /// The structure is valid, and its chain lives for as long as the result is used.
    unsafe fn new(
        device: &'d Device,
        info: &vk::PipelineShaderStageCreateInfo<'static>,
        rasterized: u32,
    ) -> Result<Self, vk::Result> {
        let mut info = *info;
        // Only the emulation of transform feedback removes parts of a shader that is not lowered.
        if !device.has_feedback {
            return Ok(Self { info, kept: None, made: None });
        }
        let is_geometry = info.stage == vk::ShaderStageFlags::GEOMETRY;
        let rasterized = if is_geometry { rasterized } else { 0 };
        // SAFETY: guaranteed by the caller.
        let inline = unsafe { find::<Code>(info.p_next).map(|code| words(&*code)) };
        // The application's module contains stream 0 only.
        let module = match inline {
            None if rasterized != 0 => {
                let modules = device.emulator.get().map(|emulator| &emulator.modules);
                // SAFETY: guaranteed by the caller.
                modules.and_then(|modules| unsafe { modules.get(info.module.as_raw()) })
            }
            _ => None,
        };
        let module = module.map(|words| &words[..]);
        let words = inline.or(module).map(|words| stripped(device, words, rasterized));
        let words = match words {
            None | Some(Stripped::Unchanged) => return Ok(Self { info, kept: None, made: None }),
            Some(Stripped::Refused) => return Err(vk::Result::ERROR_UNKNOWN),
            Some(Stripped::Changed(words)) => words,
        };
        if module.is_some() {
            // SAFETY: guaranteed by the caller.
            return unsafe { Self::with_words(device, &info, &words) };
        }
        // The chain points to the stripped SPIR-V.
        let edits = |s_type| (s_type == Code::STRUCTURE_TYPE).then_some(Change::Edit);
        // SAFETY: guaranteed by the caller.
        let mut chain = unsafe { Copied::new(info.p_next, edits) }.map_err(|unknown| {
            let what =
                "a shader with transform feedback was refused: it follows a structure of type";
            device.log.say(Level::Error, format_args!("{what} {unknown:?}"));
            vk::Result::ERROR_UNKNOWN
        })?;
        if let Some(code) = chain.copy::<Code>() {
            code.p_code = words.as_ptr();
            code.code_size = size_of_val(words.as_slice());
        }
        info.p_next = chain.first();
        Ok(Self { info, kept: Some((chain, words)), made: None })
    }

    /// Returns a stage with a module of the layer.
    ///
    /// # Safety
    ///
    /// The same requirements as for [`Stage::new`].
    unsafe fn with_words(
        device: &'d Device,
        info: &vk::PipelineShaderStageCreateInfo<'static>,
        words: &[u32],
    ) -> Result<Self, vk::Result> {
        let mut info = *info;
        // SAFETY: guaranteed by the caller.
        let chain = unsafe { without(device, info.p_next, Code::STRUCTURE_TYPE) }?;
        info.p_next = chain.first();
        info.module = device.create_shader_module(words)?;
        Ok(Self { info, kept: Some((chain, Vec::new())), made: Some((device, info.module)) })
    }

    fn is_changed(&self) -> bool {
        self.kept.is_some() || self.made.is_some()
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        if let Some((device, module)) = self.made {
            // SAFETY: pipelines do not need the module after their creation.
            unsafe { device.destroy_shader_module(module) };
        }
    }
}

/// The changed create info of a graphics pipeline, and the structures that it points to.
struct Graphics<'d> {
    info: vk::GraphicsPipelineCreateInfo<'static>,
    _stages: Vec<Stage<'d>>,
    _stage_infos: Vec<vk::PipelineShaderStageCreateInfo<'static>>,
    _rasterization: Option<Rasterization>,
    _viewport: Option<(Box<vk::PipelineViewportStateCreateInfo<'static>>, Copied)>,
    _chain: Option<Copied>,
}

/// A rasterization state without the structure that selects a stream, its chain, and the stream.
struct Rasterization {
    state: Box<vk::PipelineRasterizationStateCreateInfo<'static>>,
    _chain: Copied,
    rasterized: u32,
}

impl<'d> Graphics<'d> {
    /// # Safety
    ///
    /// The structure is valid, and the structures it points to live for as long as the result is used.
    unsafe fn new(
        device: &'d Device,
        info: &vk::GraphicsPipelineCreateInfo<'static>,
    ) -> Result<Self, vk::Result> {
        let mut info = *info;
        // SAFETY: guaranteed by the caller.
        let stages = unsafe { slice(info.p_stages, info.stage_count) };
        // SAFETY: guaranteed by the caller.
        let rasterization = unsafe { without_stream(device, &info) };
        let rasterized = rasterization.as_ref().map_or(0, |one| one.rasterized);
        // SAFETY: guaranteed by the caller.
        let LoweredPipeline { shaders, viewport } = unsafe { lowered(device, &info, rasterized) }?;
        let stages: Vec<_> = match shaders {
            // SAFETY: guaranteed by the caller.
            Some(shaders) => unsafe { lowered_stages(device, &info, &shaders) }?,
            None => {
                let stages = stages.iter();
                // SAFETY: guaranteed by the caller.
                let stages = stages.map(|stage| unsafe { Stage::new(device, stage, rasterized) });
                stages.collect::<Result<_, _>>()?
            }
        };
        let stage_infos: Vec<_> = stages.iter().map(|stage| stage.info).collect();
        if stages.iter().any(Stage::is_changed) {
            info.p_stages = stage_infos.as_ptr();
        }
        let is_added = stage_infos.len() != info.stage_count as usize;
        info.stage_count = stage_infos.len() as u32;
        let chain = match is_added {
            // SAFETY: guaranteed by the caller.
            true => Some(unsafe { without_creation_feedback(device, &info) }?),
            false => None,
        };
        if let Some(chain) = &chain {
            info.p_next = chain.first();
        }
        if let Some(Rasterization { state, .. }) = &rasterization {
            info.p_rasterization_state = &raw const **state;
        }
        if let Some((state, _)) = &viewport {
            info.p_viewport_state = &raw const **state;
        }
        Ok(Self {
            info,
            _stages: stages,
            _stage_infos: stage_infos,
            _rasterization: rasterization,
            _viewport: viewport,
            _chain: chain,
        })
    }
}

/// Returns the stages of a pipeline with modules of the layer. An added fragment stage is omitted if the pipeline
/// never rasterizes.
///
/// # Safety
///
/// The same requirements as for [`Graphics::new`].
unsafe fn lowered_stages<'d>(
    device: &'d Device,
    info: &vk::GraphicsPipelineCreateInfo<'static>,
    lowered: &[Vec<u32>],
) -> Result<Vec<Stage<'d>>, vk::Result> {
    // SAFETY: guaranteed by the caller.
    let stages = unsafe { slice(info.p_stages, info.stage_count) };
    // SAFETY: guaranteed by the caller.
    let discards = unsafe { never_rasterizes(info) };
    let added = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::FRAGMENT)
        .name(c"main");
    let added = (!discards).then_some(added);
    let stages = stages.iter().chain(&added).zip(lowered);
    // SAFETY: guaranteed by the caller.
    stages.map(|(stage, words)| unsafe { Stage::with_words(device, stage, words) }).collect()
}

/// Returns the rasterization state without the structure that selects a stream, if it has one.
///
/// # Safety
///
/// The same requirements as for [`Graphics::new`].
unsafe fn without_stream(
    device: &Device,
    info: &vk::GraphicsPipelineCreateInfo<'static>,
) -> Option<Rasterization> {
    // SAFETY: guaranteed by the caller. A pointer that Vulkan ignores may be invalid, and is not followed.
    let state = unsafe {
        if !device.has_feedback || !has_rasterization_state(info) {
            return None;
        }
        info.p_rasterization_state.as_ref()?
    };
    // SAFETY: guaranteed by the caller.
    let rasterized = unsafe { (*find::<StreamState>(state.p_next)?).rasterization_stream };
    // The driver gets a copy of the state without the structure.
    let drops = |s_type| (s_type == StreamState::STRUCTURE_TYPE).then_some(Change::Drop);
    // SAFETY: guaranteed by the caller.
    match unsafe { Copied::new(state.p_next, drops) } {
        Ok(chain) => {
            let mut state = Box::new(*state);
            state.p_next = chain.first();
            Some(Rasterization { state, _chain: chain, rasterized })
        }
        Err(unknown) => {
            let what = "cannot remove the rasterization stream that follows a structure of type";
            device.log.say(Level::Warning, format_args!("{what} {unknown:?}"));
            None
        }
    }
}

/// Returns whether Vulkan reads the rasterization state of a pipeline. A pipeline library has this state only if it
/// contains pre-rasterization shaders. A pipeline that is linked from libraries has none.
///
/// # Safety
///
/// The same requirements as for [`Graphics::new`].
unsafe fn has_rasterization_state(info: &vk::GraphicsPipelineCreateInfo<'static>) -> bool {
    type Parts = vk::GraphicsPipelineLibraryCreateInfoEXT<'static>;
    type Libraries = vk::PipelineLibraryCreateInfoKHR<'static>;
    let before = vk::GraphicsPipelineLibraryFlagsEXT::PRE_RASTERIZATION_SHADERS;
    // SAFETY: guaranteed by the caller.
    unsafe {
        match find::<Parts>(info.p_next) {
            Some(parts) => (*parts).flags.contains(before),
            None => find::<Libraries>(info.p_next).is_none_or(|all| (*all).library_count == 0),
        }
    }
}

pub(crate) unsafe extern "system" fn create_graphics_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows, and all arguments live until this function returns.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_graphics_pipelines else {
            return vk::Result::ERROR_UNKNOWN;
        };
        let infos: *const vk::GraphicsPipelineCreateInfo<'static> = infos.cast();
        if !device.has_feedback && device.recipes.is_none() {
            return next(device.handle, cache, count, infos, allocator, pipelines);
        }
        let infos = slice(infos, count);
        let all: Vec<_> = infos.iter().map(|info| Graphics::new(device, info)).collect();
        // Variants for captures are created later, from the registered state.
        let changed =
            all.iter().map(|one| one.as_ref().map(|one| one.info).map_err(|error| *error));
        let mut result = create_all(infos, changed, pipelines, |count, infos, pipelines| {
            next(device.handle, cache, count, infos, allocator, pipelines)
        });
        if let Some(emulator) = device.emulator.get() {
            register(emulator, infos, pipelines);
            for number in 0..infos.len() {
                let made = pipelines.add(number);
                if refuses(device, emulator, *made) {
                    destroy_pipeline(device.handle, *made, allocator);
                    *made = vk::Pipeline::null();
                    result = vk::Result::ERROR_UNKNOWN;
                }
            }
        }
        result
    }
}

/// Returns whether the setting `refuse` forbids a pipeline because it cannot be captured, and logs the reason.
///
/// # Safety
///
/// The pipeline was just created, or is null.
unsafe fn refuses(device: &Device, emulator: &Emulator, pipeline: vk::Pipeline) -> bool {
    if !emulator.debugging.refuse {
        return false;
    }
    // SAFETY: guaranteed by the caller.
    let graphics = unsafe { emulator.pipelines.get(pipeline.as_raw()) };
    let why = graphics.and_then(|graphics| graphics.refusal(emulator.recipes.as_deref()));
    if let Some(why) = &why {
        device.fault(format_args!("vkCreateGraphicsPipelines fails: {why}"));
    }
    why.is_some()
}

/// `vkCreateComputePipelines`. A compute shader captures nothing, but its module may also contain capturing shaders.
pub(crate) unsafe extern "system" fn create_compute_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows, and all arguments live until this function returns.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_compute_pipelines else {
            return vk::Result::ERROR_UNKNOWN;
        };
        let infos: *const vk::ComputePipelineCreateInfo<'static> = infos.cast();
        if !device.has_feedback {
            return next(device.handle, cache, count, infos, allocator, pipelines);
        }
        let infos = slice(infos, count);
        let stages: Vec<_> = infos.iter().map(|info| Stage::new(device, &info.stage, 0)).collect();
        let changed = infos.iter().zip(&stages).map(|(info, stage)| match stage {
            Ok(stage) => Ok(info.stage(stage.info)),
            Err(error) => Err(*error),
        });
        create_all(infos, changed, pipelines, |count, infos, pipelines| {
            next(device.handle, cache, count, infos, allocator, pipelines)
        })
    }
}

/// The create info of a graphics or compute pipeline.
trait CreateInfo: Copy {
    /// # Safety
    ///
    /// The structure is valid.
    unsafe fn all_flags(&self) -> vk::PipelineCreateFlags;

    /// Returns the create info for a call that creates this pipeline alone, after the pipelines `earlier`. Returns
    /// `None` if it derives from one of them that was not created.
    ///
    /// # Safety
    ///
    /// The structure is valid.
    unsafe fn alone(self, earlier: &[vk::Pipeline]) -> Option<Self>;
}

macro_rules! create_infos {
    ($($Info:ident)*) => {
        $(impl CreateInfo for vk::$Info<'static> {
            unsafe fn all_flags(&self) -> vk::PipelineCreateFlags {
                // SAFETY: guaranteed by the caller.
                unsafe { create_flags(self.p_next, self.flags) }
            }

            unsafe fn alone(mut self, earlier: &[vk::Pipeline]) -> Option<Self> {
                // SAFETY: guaranteed by the caller.
                let derives = unsafe { self.all_flags() }.contains(vk::PipelineCreateFlags::DERIVATIVE);
                if derives && let Ok(base) = usize::try_from(self.base_pipeline_index) {
                    self.base_pipeline_handle = *earlier.get(base)?;
                    self.base_pipeline_index = -1;
                }
                (!derives || self.base_pipeline_handle != vk::Pipeline::null()).then_some(self)
            }
        })*
    };
}

create_infos! { GraphicsPipelineCreateInfo ComputePipelineCreateInfo }

/// Creates pipelines: with one call, or, if some are refused, the others one by one. Refused pipelines become null.
///
/// # Safety
///
/// The structures are valid, and `pipelines` points to as many pipelines.
unsafe fn create_all<I: CreateInfo>(
    given: &[I],
    changed: impl Iterator<Item = Result<I, vk::Result>>,
    pipelines: *mut vk::Pipeline,
    create: impl Fn(u32, *const I, *mut vk::Pipeline) -> vk::Result,
) -> vk::Result {
    let changed: Vec<_> = changed.collect();
    let accepted: Vec<_> = changed.iter().filter_map(|info| info.ok()).collect();
    if accepted.len() == given.len() {
        return create(accepted.len() as u32, accepted.as_ptr(), pipelines);
    }
    let (mut result, mut has_ended) = (vk::Result::SUCCESS, false);
    for (number, (info, given)) in changed.into_iter().zip(given).enumerate() {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let made = pipelines.add(number);
            *made = vk::Pipeline::null();
            if has_ended {
                continue;
            }
            let earlier = std::slice::from_raw_parts(pipelines, number);
            let of_one = info.and_then(|info| info.alone(earlier).ok_or(vk::Result::ERROR_UNKNOWN));
            let of_one = of_one.map_or_else(|error| error, |info| create(1, &raw const info, made));
            // An error takes precedence over a success code, such as `VK_PIPELINE_COMPILE_REQUIRED`.
            if of_one != vk::Result::SUCCESS && result.as_raw() >= 0 {
                result = of_one;
            }
            let ends_early = vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE;
            has_ended = of_one != vk::Result::SUCCESS && given.all_flags().contains(ends_early);
        }
    }
    result
}
