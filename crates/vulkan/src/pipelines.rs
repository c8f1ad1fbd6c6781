//! Pipelines that a device keeps for later runs. Tests often repeat pipeline states, and software drivers take longer
//! to compile shaders than to draw.

use crate::error::Error;
use ash::vk;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of pipelines to keep. Compiled shaders take memory.
const MOST: usize = 128;

/// A pipeline with its layouts and render pass.
pub(crate) struct Pipeline {
    pub(crate) handle: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) render_pass: vk::RenderPass,
    /// One set layout for every set up to the highest set that is used.
    pub(crate) set_layouts: Vec<vk::DescriptorSetLayout>,
}

impl Pipeline {
    /// # Safety
    ///
    /// The pipeline belongs to the device, and nothing uses it, now or later.
    pub(crate) unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            device.destroy_pipeline(self.handle, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_render_pass(self.render_pass, None);
            let destroy = |layout: &_| device.destroy_descriptor_set_layout(*layout, None);
            self.set_layouts.iter().for_each(destroy);
        }
    }
}

/// The pipelines of a device, by hashes of their states. The hashes are wide enough to be unique.
#[derive(Default)]
pub(crate) struct Pipelines(Mutex<HashMap<u128, Arc<Pipeline>>>);

impl Pipelines {
    /// Returns the pipeline with this key. Creates it if it does not exist.
    pub(crate) fn get(
        &self,
        device: &ash::Device,
        key: u128,
        create: impl FnOnce() -> Result<Pipeline, Error>,
    ) -> Result<Arc<Pipeline>, Error> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = lock().get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        // The lock is not held during compilation, so that other threads need not wait.
        let pipeline = Arc::new(create()?);
        let mut kept = lock();
        if let Some(other) = kept.get(&key) {
            // SAFETY: it was just created, and nothing uses it.
            unsafe { pipeline.destroy(device) };
            return Ok(Arc::clone(other));
        }
        if kept.len() >= MOST {
            kept.retain(|_, pipeline| {
                let is_used = Arc::strong_count(pipeline) > 1;
                if !is_used {
                    // SAFETY: no run uses it.
                    unsafe { pipeline.destroy(device) };
                }
                is_used
            });
        }
        kept.insert(key, Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// # Safety
    ///
    /// No run on the device is in progress.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device) {
        let kept = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: guaranteed by the caller.
        kept.drain().for_each(|(_, pipeline)| unsafe { pipeline.destroy(device) });
    }
}
