//! Pipelines that use features which the layer provides: their lowered shaders, and state without structures that the
//! driver does not know.

use super::shaders::{Stripped, stripped};
use crate::device::Device;
use crate::log::Level;
use crate::pnext::{Change, Copied, find};
use crate::recipes::{GivenStage, Recipes};
use crate::settings::slice;
use crate::spirv::{specialize, words};
use ash::vk::{self, TaggedStructure as _};
use std::ffi::CStr;

type Info = vk::GraphicsPipelineCreateInfo<'static>;
type Code = vk::ShaderModuleCreateInfo<'static>;
type ViewportState = vk::PipelineViewportStateCreateInfo<'static>;
type DepthControl = vk::PipelineViewportDepthClipControlCreateInfoEXT<'static>;
type CreationFeedback = vk::PipelineCreationFeedbackCreateInfo<'static>;

/// The parts of a pipeline that change.
#[derive(Default)]
pub(super) struct LoweredPipeline {
    /// The SPIR-V of each stage. If distances need a fragment stage that the pipeline lacks, one is added at the end.
    pub(super) shaders: Option<Vec<Vec<u32>>>,
    /// The viewport state and its chain.
    pub(super) viewport: Option<(Box<ViewportState>, Copied)>,
}

/// Lowers a pipeline.
///
/// # Safety
///
/// The structure is valid, and the structures it points to live for as long as the result is used.
pub(super) unsafe fn lowered(
    device: &Device,
    info: &Info,
    rasterized: u32,
) -> Result<LoweredPipeline, vk::Result> {
    let Some(recipes) = &device.recipes else { return Ok(LoweredPipeline::default()) };
    // SAFETY: guaranteed by the caller.
    let control = unsafe { depth_control(recipes, info) };
    let converts_depth =
        control.is_some_and(|(_, control)| control.negative_one_to_one == vk::TRUE);
    // SAFETY: guaranteed by the caller.
    let shaders = unsafe { lowered_shaders((device, recipes), info, rasterized, converts_depth) }?;
    let viewport = match control {
        // SAFETY: guaranteed by the caller.
        Some((state, _)) => Some(unsafe { without_depth_control(device, state) }?),
        None => None,
    };
    Ok(LoweredPipeline { shaders, viewport })
}

/// Returns the structure with the range of the depths, and the state that contains it, if the layer provides it.
///
/// # Safety
///
/// The same requirements as for [`lowered`].
unsafe fn depth_control<'s>(
    recipes: &Recipes,
    info: &Info,
) -> Option<(&'s ViewportState, &'s DepthControl)> {
    // SAFETY: guaranteed by the caller. Vulkan ignores the state of pipelines that never rasterize.
    unsafe {
        if !recipes.provides_depth_clip() || never_rasterizes(info) {
            return None;
        }
        let state = info.p_viewport_state.as_ref()?;
        Some((state, find::<DepthControl>(state.p_next)?.as_ref()?))
    }
}

/// Returns the SPIR-V of each stage of a pipeline that converts depths or has distances which the driver lacks.
///
/// # Safety
///
/// The same requirements as for [`lowered`].
unsafe fn lowered_shaders(
    (device, recipes): (&Device, &Recipes),
    info: &Info,
    rasterized: u32,
    converts_depth: bool,
) -> Result<Option<Vec<Vec<u32>>>, vk::Result> {
    let fails = |why: &str| {
        device.fault(format_args!("vkCreateGraphicsPipelines fails: {why}"));
        vk::Result::ERROR_UNKNOWN
    };
    // SAFETY: guaranteed by the caller.
    let stages = unsafe { slice(info.p_stages, info.stage_count) };
    let given = stages.iter().map(|stage| {
        // SAFETY: guaranteed by the caller.
        let inline = unsafe { find::<Code>(stage.p_next).map(|code| words(&*code)) };
        // SAFETY: guaranteed by the caller.
        inline.or_else(|| unsafe { recipes.module(stage.module) })
    });
    let given = given.collect::<Option<Vec<_>>>();
    let given = given.ok_or_else(|| fails("the SPIR-V of a stage is not known"))?;
    if !converts_depth && !given.iter().any(|words| recipes.has_distances(words)) {
        return Ok(None);
    }
    let mut shaders = Vec::new();
    for (stage, words) in stages.iter().zip(given) {
        let stream = if stage.stage == vk::ShaderStageFlags::GEOMETRY { rasterized } else { 0 };
        let mut words = match device.has_feedback.then(|| stripped(device, words, stream)) {
            None | Some(Stripped::Unchanged) => words.to_vec(),
            Some(Stripped::Changed(words)) => words,
            Some(Stripped::Refused) => return Err(vk::Result::ERROR_UNKNOWN),
        };
        // SAFETY: guaranteed by the caller.
        if let Some(info) = unsafe { stage.p_specialization_info.as_ref() } {
            // SAFETY: guaranteed by the caller.
            let (entries, data) = unsafe {
                let entries = slice(info.p_map_entries, info.map_entry_count);
                (entries, slice(info.p_data.cast::<u8>(), info.data_size as u32))
            };
            specialize(&mut words, entries, data);
        }
        // SAFETY: guaranteed by the caller.
        let entry = unsafe { CStr::from_ptr(stage.p_name) };
        let entry = entry.to_str().map_err(|_| fails("the name of an entry point is not UTF-8"))?;
        shaders.push(GivenStage { stage: stage.stage, words, entry: entry.to_owned() });
    }
    let lowered = recipes.lower(&shaders, converts_depth).map_err(|why| fails(&why))?;
    device.log.say(Level::Debug, format_args!("a recipe lowered the shaders of a pipeline"));
    Ok(Some(lowered))
}

/// Returns the viewport state without the structure that the driver does not know, and its chain.
///
/// # Safety
///
/// The same requirements as for [`lowered`].
unsafe fn without_depth_control(
    device: &Device,
    state: &ViewportState,
) -> Result<(Box<ViewportState>, Copied), vk::Result> {
    // SAFETY: guaranteed by the caller.
    let chain = unsafe { without(device, state.p_next, DepthControl::STRUCTURE_TYPE) }?;
    let mut state = Box::new(*state);
    state.p_next = chain.first();
    Ok((state, chain))
}

/// Returns the chain of a pipeline with an added stage without the structure that has an element for each of the
/// application's stages. It tells the application that there is no feedback.
///
/// # Safety
///
/// The same requirements as for [`lowered`].
pub(super) unsafe fn without_creation_feedback(
    device: &Device,
    info: &Info,
) -> Result<Copied, vk::Result> {
    // SAFETY: guaranteed by the caller. The application lets the driver write all feedback.
    unsafe {
        if let Some(feedback) = find::<CreationFeedback>(info.p_next) {
            let none = vk::PipelineCreationFeedbackFlags::empty();
            (*(*feedback).p_pipeline_creation_feedback).flags = none;
            for i in 0..(*feedback).pipeline_stage_creation_feedback_count as usize {
                (*(*feedback).p_pipeline_stage_creation_feedbacks.add(i)).flags = none;
            }
        }
        without(device, info.p_next, CreationFeedback::STRUCTURE_TYPE)
    }
}

/// Returns a chain without the structure of a type.
///
/// # Safety
///
/// The structures stay valid for as long as the result is used.
pub(super) unsafe fn without(
    device: &Device,
    first: *const std::ffi::c_void,
    dropped: vk::StructureType,
) -> Result<Copied, vk::Result> {
    let drops = |s_type| (s_type == dropped).then_some(Change::Drop);
    // SAFETY: guaranteed by the caller.
    unsafe { Copied::new(first, drops) }.map_err(|unknown| {
        device.fault(format_args!(
            "a pipeline was refused: cannot remove {dropped:?}, which follows a structure of type {unknown:?}"
        ));
        vk::Result::ERROR_UNKNOWN
    })
}

/// Returns whether a pipeline discards all primitives, and no command can change this.
///
/// # Safety
///
/// The structure is valid.
pub(super) unsafe fn never_rasterizes(info: &Info) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let state = info.p_rasterization_state.as_ref();
        let dynamic = info.p_dynamic_state.as_ref();
        let dynamic =
            dynamic.map_or(&[][..], |all| slice(all.p_dynamic_states, all.dynamic_state_count));
        state.is_some_and(|state| state.rasterizer_discard_enable == vk::TRUE)
            && !dynamic.contains(&vk::DynamicState::RASTERIZER_DISCARD_ENABLE)
    }
}
