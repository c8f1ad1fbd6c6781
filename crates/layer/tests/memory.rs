//! The driver memory that the layer allocates, counted by a test driver.

use crate::alone::is_alone;
use crate::bare::{Bare, Seen};
use crate::linked::linked;
use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use crate::narrow;
use ash::vk;

const FORCED: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];

const SHADER: &str = "#version 450
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint number;
void main() { number = gl_VertexIndex; gl_Position = vec4(0); gl_PointSize = 1; }";

/// The number of simultaneous command buffers: far more than the maximum number of memory chunks.
const COMMANDS: usize = 20_000;

/// Captures the draws that `draw` records in a pass.
unsafe fn capture(
    bare: &Bare<'_>,
    commands: vk::CommandBuffer,
    (pipeline, target): (vk::Pipeline, Seen),
    draw: impl FnOnce(&Device),
) {
    let vulkan = &bare.device.handle;
    bare.begin_pass(commands);
    // SAFETY: all objects are alive, and the commands are valid usage.
    unsafe {
        vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        bare.device.bind_target(commands, 0, &target);
        bare.device.capture(commands, || draw(bare.device));
        vulkan.cmd_end_render_pass(commands);
    }
}

#[test]
fn command_buffers_share_memory_and_passes_before_captures_take_none() {
    if !is_alone("memory::command_buffers_share_memory_and_passes_before_captures_take_none") {
        return;
    }
    let instance = linked(narrow::get_instance_proc_addr, FORCED);
    let device = instance.device(LAVAPIPE, true).expect("a device");
    let mut bare = Bare::new(&device, 0);
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let pipeline = bare.pipeline(SHADER, vk::PrimitiveTopology::POINT_LIST, &input);
    for _ in 0..10 {
        // SAFETY: all objects are alive, and the commands are valid usage.
        bare.record(|commands| unsafe {
            bare.begin_pass(commands);
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.handle.cmd_bind_pipeline(commands, point, pipeline);
            device.handle.cmd_draw(commands, 3, 1, 0, 0);
            device.handle.cmd_end_render_pass(commands);
        });
    }
    assert_eq!(narrow::allocated().len(), 0);

    let target = bare.buffer(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, 8);
    narrow::allocated();
    let record = |commands| {
        // SAFETY: as above.
        unsafe {
            capture(&bare, commands, (pipeline, target), |device| {
                device.handle.cmd_draw(commands, 3, 1, 0, 0);
            });
        }
    };
    for _ in 0..COMMANDS {
        bare.record(record);
    }
    let allocated = narrow::allocated();
    // Chunks grow: five times as many command buffers need twice as many chunks.
    assert!(allocated.len() < 64, "{} pieces of memory", allocated.len());
    assert!(allocated.iter().sum::<u64>() < 2048 * COMMANDS as u64, "{allocated:?}");
    bare.reset();
    for _ in 0..COMMANDS {
        bare.record(record);
    }
    assert_eq!(narrow::allocated().len(), 0, "it is used again");
    bare.reset();
    bare.submit(record);
    assert_eq!(target.read()[..4], [0, 1, 2, 7]);
}

/// As in engines, all draws share one large index buffer.
const DRAWS: u32 = 400;
const INDICES: usize = 8 << 20;

/// The indices of a draw, one of which restarts the strip, and the vertices of the lines in the strip.
const STRIP: [u16; 6] = [1, 2, 0xffff, 3, 4, 5];
const LINES: [u32; 6] = [1, 2, 3, 4, 4, 5];

#[test]
fn draws_of_a_large_index_buffer_share_the_tables_of_restarts() {
    if !is_alone("memory::draws_of_a_large_index_buffer_share_the_tables_of_restarts") {
        return;
    }
    let instance = linked(narrow::get_instance_proc_addr, FORCED);
    draw_strips(&instance, LAVAPIPE);
    let allocated = narrow::allocated();
    assert!(allocated.iter().all(|size| *size < 256 << 20), "{allocated:?}");
    assert!(allocated.len() < 20, "{allocated:?}");
    let instance = Instance::new(&[], Validation::Below);
    draw_strips(&instance, SWIFTSHADER);
    instance.assert_silent();
}

/// Captures all draws with one command, then each draw with its own command. Does both twice.
fn draw_strips(instance: &Instance, driver: &str) {
    use vk::BufferUsageFlags as Usage;
    let features = vk::PhysicalDeviceFeatures::default().multi_draw_indirect(true);
    let device = &instance.device_able(driver, features);
    let mut bare = Bare::new(device, 0);
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let pipeline = bare.pipeline(SHADER, vk::PrimitiveTopology::LINE_STRIP, &input);
    let captured = LINES.len() * DRAWS as usize;
    let target = bare.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, 2 * captured);
    let indices = bare.buffer(Usage::INDEX_BUFFER, INDICES / 2);
    let arguments = bare.buffer(Usage::INDIRECT_BUFFER, 5 * DRAWS as usize);
    let pair = |pair: &[u16]| u32::from(pair[0]) | u32::from(pair[1]) << 16;
    // Draws alternate between the first and the last strip of the index buffer.
    indices.fill(STRIP.chunks_exact(2).map(pair).cycle());
    let last = (INDICES - INDICES % STRIP.len() - STRIP.len()) as u32;
    let first = |draw: u32| if draw.is_multiple_of(2) { 0 } else { last };
    arguments.fill((0..DRAWS).flat_map(|draw| [6, 1, first(draw), 10 * draw, 0]));
    let expected: Vec<u32> =
        (0..DRAWS).flat_map(|draw| LINES.map(|vertex| 10 * draw + vertex)).collect();
    for commands_of_draws in [1, DRAWS] {
        let draws = DRAWS / commands_of_draws;
        // SAFETY: all objects are alive, and the commands are valid usage.
        let record = |commands| unsafe {
            let width = vk::IndexType::UINT16;
            device.handle.cmd_bind_index_buffer(commands, indices.buffer, 0, width);
            capture(&bare, commands, (pipeline, target), |device| {
                for number in 0..commands_of_draws {
                    let (from, at) = (arguments.buffer, 20 * u64::from(number * draws));
                    device.handle.cmd_draw_indexed_indirect(commands, from, at, draws, 20);
                }
            });
        };
        for _ in 0..2 {
            target.fill(std::iter::repeat(7));
            bare.submit(record);
            let words = target.read();
            assert_eq!(words[..captured], expected);
            assert!(words[captured..].iter().all(|word| *word == 7));
        }
    }
}
