//! The keeper: its pipelines, and the lists of jobs that are done in front of render passes.

use crate::driver::Driver;
use ash::vk::{self, AccessFlags, PipelineStageFlags as Stage, ShaderStageFlags};
use polyshade_planner::keeper::{self, Job, Predicate, Shader};

/// The keeper's pipelines.
pub(crate) struct Keeper {
    pub(super) layout: vk::PipelineLayout,
    pub(super) keep: vk::Pipeline,
    pub(super) segments: vk::Pipeline,
}

pub(super) const LOST: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

impl Keeper {
    pub(crate) fn new(device: &Driver) -> Result<Self, vk::Result> {
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(ShaderStageFlags::COMPUTE)
            .size(keeper::PUSH_CONSTANTS)];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        let create = device.next.create_pipeline_layout.ok_or(LOST)?;
        let mut layout = vk::PipelineLayout::null();
        // SAFETY: the structure is valid.
        unsafe {
            create(device.handle, &raw const info, std::ptr::null(), &raw mut layout).result()?;
        }
        let null = vk::Pipeline::null();
        let mut keeper = Self { layout, keep: null, segments: null };
        let made = pipeline(device, layout, Shader::Keep).and_then(|keep| {
            keeper.keep = keep;
            keeper.segments = pipeline(device, layout, Shader::Segments)?;
            Ok(())
        });
        if let Err(error) = made {
            keeper.destroy(device);
            return Err(error);
        }
        Ok(keeper)
    }

    pub(crate) fn destroy(self, device: &Driver) {
        // SAFETY: nobody uses them any more; null is nothing.
        unsafe {
            for pipeline in [self.keep, self.segments] {
                if let Some(destroy) = device.next.destroy_pipeline {
                    destroy(device.handle, pipeline, std::ptr::null());
                }
            }
            if let Some(destroy) = device.next.destroy_pipeline_layout {
                destroy(device.handle, self.layout, std::ptr::null());
            }
        }
    }
}

fn pipeline(
    device: &Driver,
    layout: vk::PipelineLayout,
    shader: Shader,
) -> Result<vk::Pipeline, vk::Result> {
    let info = vk::ShaderModuleCreateInfo::default().code(shader.words());
    let create_module = device.next.create_shader_module.ok_or(LOST)?;
    let create = device.next.create_compute_pipelines.ok_or(LOST)?;
    let mut module = vk::ShaderModule::null();
    let mut made = vk::Pipeline::null();
    // SAFETY: all structures are valid, and the module is destroyed when the pipeline is made.
    unsafe {
        create_module(device.handle, &raw const info, std::ptr::null(), &raw mut module)
            .result()?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let cache = vk::PipelineCache::null();
        let result =
            create(device.handle, cache, 1, &raw const info, std::ptr::null(), &raw mut made);
        if let Some(destroy) = device.next.destroy_shader_module {
            destroy(device.handle, module, std::ptr::null());
        }
        result.result()?;
    }
    Ok(made)
}

/// The jobs of a render pass, or of a secondary command buffer inside one.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Jobs {
    pub(super) words: Vec<u32>,
    /// The most draws of a job with restarts.
    pub(super) restarted: u32,
}

impl Jobs {
    pub(crate) fn push(&mut self, job: &Job) {
        if let Some(draws) = job.draws.as_ref().filter(|draws| draws.segments.is_some()) {
            self.restarted = self.restarted.max(draws.count);
        }
        self.words.extend(job.words());
    }

    /// Adds others.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.restarted = self.restarted.max(other.restarted);
        self.words.extend(&other.words);
    }

    /// Adds those of a secondary command buffer that is executed here, under this conditional rendering.
    pub(super) fn execute(&mut self, other: &Self, predicate: Option<Predicate>) {
        let first = self.words.len();
        self.extend(other);
        if let Some(predicate) = predicate {
            Job::inherit(&mut self.words[first..], predicate);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.restarted = 0;
    }

    pub(super) fn count(&self) -> u32 {
        self.words.len() as u32 / (Job::SIZE / 4)
    }
}

/// A barrier for all memory.
///
/// # Safety
///
/// The command buffer is one of the device's, and being recorded.
pub(crate) unsafe fn barrier(
    device: &Driver,
    commands: vk::CommandBuffer,
    (src, written): (Stage, AccessFlags),
    (dst, access): (Stage, AccessFlags),
) {
    let memory = vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(access);
    let (flags, none) = (vk::DependencyFlags::empty(), std::ptr::null());
    if let Some(barrier) = device.next.cmd_pipeline_barrier {
        // SAFETY: the caller's promise.
        unsafe {
            barrier(commands, src, dst, flags, 1, &raw const memory, 0, none, 0, std::ptr::null());
        }
    }
}
