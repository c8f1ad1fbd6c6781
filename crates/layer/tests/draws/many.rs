//! A capture after many draws in one pass, as in programs that draw sprites.

use super::Scene;
use crate::loader::Instance;
use ash::vk;

/// Captures a triangle after `draws` empty draws. Returns the captured values and the counter.
pub(crate) fn capture_behind(instance: &Instance, driver: &str, draws: u32) -> (Vec<u32>, u32) {
    let device = instance.device(driver, true).expect("a device with transform feedback");
    let scene = Scene::new(&device);
    // SAFETY: all objects are alive, and the commands are valid usage.
    scene.bare.submit(|commands| unsafe { scene.record_many(commands, draws) });
    (scene.target.read(), scene.counter.read()[0])
}

impl Scene<'_> {
    unsafe fn record_many(&self, commands: vk::CommandBuffer, draws: u32) {
        let (vulkan, feedback) = (&self.bare.device.handle, self.bare.device.feedback.fp());
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            self.empty_counter(commands);
            self.canvas.begin_pass(commands, vk::SubpassContents::INLINE);
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
