//! A capture after many draws in one pass, as in programs that draw sprites.

use super::Scene;
use crate::loader::Instance;
use ash::vk;

/// Captures a triangle after `draws` empty draws. Returns the captured values and the counter.
pub(crate) fn capture_behind(instance: &Instance, driver: &str, draws: u32) -> (Vec<u32>, u32) {
    let device = instance.device(driver, true).expect("a device with transform feedback");
    // SAFETY: the scene is created, drawn, waited for, read and destroyed in this order.
    unsafe {
        let scene = Scene::new(&device);
        scene.submit(|commands| scene.record_many(commands, draws));
        let (captured, counters) = (scene.read(scene.target), scene.read(scene.counter));
        scene.destroy();
        (captured, counters[0])
    }
}

impl Scene<'_> {
    unsafe fn record_many(&self, commands: vk::CommandBuffer, draws: u32) {
        let (vulkan, feedback) = (&self.device.handle, self.device.feedback.fp());
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            self.empty_counter(commands);
            vulkan.cmd_begin_render_pass(commands, &self.begin(), vk::SubpassContents::INLINE);
            let (counter, zero) = self.bind(commands);
            (feedback.cmd_begin_transform_feedback_ext)(commands, 0, 1, counter, zero);
            for _ in 0..draws {
                vulkan.cmd_draw(commands, 2, 1, 0, 0);
            }
            vulkan.cmd_draw(commands, 3, 1, 100, 0);
            (feedback.cmd_end_transform_feedback_ext)(commands, 0, 1, counter, zero);
            vulkan.cmd_end_render_pass(commands);
        }
    }
}
