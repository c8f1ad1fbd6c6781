//! Render passes, dynamic rendering, and secondary command buffers in them.

use crate::emulation::recording::RenderPassScope;
use crate::settings::slice;
use ash::vk;

noted! {
    cmd_begin_render_pass(info: *const vk::RenderPassBeginInfo<'_>, contents: vk::SubpassContents)
        |device, emulator, recording, commands|
        recording.open(device, emulator, commands, RenderPassScope::Subpass((*info).render_pass, 0));
    cmd_begin_render_pass_2(
        info: *const vk::RenderPassBeginInfo<'_>,
        begin: *const vk::SubpassBeginInfo<'_>
    ) |device, emulator, recording, commands|
        recording.open(device, emulator, commands, RenderPassScope::Subpass((*info).render_pass, 0));
    cmd_next_subpass(contents: vk::SubpassContents)
        |_device, _emulator, recording, commands| recording.next_subpass();
    cmd_next_subpass_2(begin: *const vk::SubpassBeginInfo<'_>, end: *const vk::SubpassEndInfo<'_>)
        |_device, _emulator, recording, commands| recording.next_subpass();
    cmd_end_render_pass()
        |device, emulator, recording, commands| recording.close(device, emulator),
        then recording.compact(device, emulator, commands);
    cmd_end_render_pass_2(end: *const vk::SubpassEndInfo<'_>)
        |device, emulator, recording, commands| recording.close(device, emulator),
        then recording.compact(device, emulator, commands);
    cmd_begin_rendering(info: *const vk::RenderingInfo<'_>)
        |device, emulator, recording, commands|
        recording.begin_rendering(device, emulator, commands, &*info);
    cmd_end_rendering()
        |device, emulator, recording, commands| recording.close(device, emulator),
        then recording.compact(device, emulator, commands);
    cmd_end_rendering_2(end: *const std::ffi::c_void)
        |device, emulator, recording, commands| recording.close(device, emulator),
        then recording.compact(device, emulator, commands);
    cmd_execute_commands(count: u32, executed: *const vk::CommandBuffer)
        |device, emulator, recording, commands| {
            for one in slice(executed, count) {
                if let Some(secondary) = emulator.recording(*one) {
                    recording.execute(device, emulator, *one, secondary);
                }
            }
        };
}
