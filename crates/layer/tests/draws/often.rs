//! Captures in a secondary command buffer that passes execute several times.

use super::Scene;
use crate::loader::Instance;
use crate::objects::memory_barrier;
use ash::vk;

/// Captures in a secondary command buffer that pass `i` executes `passes[i]` times. Returns the captured values.
pub(crate) fn capture_often(instance: &Instance, driver: &str, passes: &[usize]) -> Vec<u32> {
    let device = instance.device(driver, true).expect("a device with transform feedback");
    let scene = Scene::new(&device);
    // SAFETY: all objects are alive, and the commands are valid usage.
    scene.bare.submit(|commands| unsafe { scene.record_often(commands, passes) });
    scene.target.read()
}

impl Scene<'_> {
    /// Records the passes with their executions; each execution resumes at its counter.
    unsafe fn record_often(&self, commands: vk::CommandBuffer, passes: &[usize]) {
        use vk::CommandBufferUsageFlags as Usage;
        let (vulkan, feedback) = (&self.bare.device.handle, self.bare.device.feedback.fp());
        let inherited = vk::CommandBufferInheritanceInfo::default().render_pass(self.canvas.pass);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(Usage::RENDER_PASS_CONTINUE | Usage::SIMULTANEOUS_USE)
            .inheritance_info(&inherited);
        let contents = vk::SubpassContents::SECONDARY_COMMAND_BUFFERS;
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            let secondary = self.bare.allocate(vk::CommandBufferLevel::SECONDARY);
            vulkan.begin_command_buffer(secondary, &begin).expect("it begins");
            let (counter, zero) = self.bind(secondary);
            (feedback.cmd_begin_transform_feedback_ext)(secondary, 0, 1, counter, zero);
            vulkan.cmd_draw(secondary, 3, 1, 0, 0);
            (feedback.cmd_end_transform_feedback_ext)(secondary, 0, 1, counter, zero);
            vulkan.end_command_buffer(secondary).expect("it ends");
            self.empty_counter(commands);
            for times in passes {
                self.canvas.begin_pass(commands, contents);
                if *times > 0 {
                    vulkan.cmd_execute_commands(commands, &vec![secondary; *times]);
                }
                vulkan.cmd_end_render_pass(commands);
                self.wait_for_counters(commands);
            }
        }
    }

    /// Waits for counter writes before later reads.
    unsafe fn wait_for_counters(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let written =
            Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT | Access::TRANSFORM_FEEDBACK_WRITE_EXT;
        let read = Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT | written;
        let (barrier, captures) = ([memory_barrier(written, read)], Stage::TRANSFORM_FEEDBACK_EXT);
        let (flags, vulkan) = (vk::DependencyFlags::empty(), &self.bare.device.handle);
        // SAFETY: no render pass is active.
        unsafe {
            vulkan.cmd_pipeline_barrier(commands, captures, captures, flags, &barrier, &[], &[]);
        }
    }
}
