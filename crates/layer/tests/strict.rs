//! Tests calls that some drivers need, although the tested drivers capture correctly without them.

mod driver;

use crate::alone::is_alone;
use crate::bare::{Bare, Seen};
use crate::draws::VERTEX;
use crate::graphics::{Drawing, words};
use crate::linked::linked;
use crate::loader::{Device, Instance, LAVAPIPE};
use ash::ext;
use ash::vk::{
    self, AccessFlags as Access, CommandBufferUsageFlags as Usage, PipelineStageFlags as Stage,
    ProvokingVertexModeEXT as Mode,
};
use driver::{Barrier, barriers, get_instance_proc_addr, provoking_modes};

const TRIANGLES: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_LIST;

fn instance() -> Instance {
    linked(get_instance_proc_addr, &[(c"hide", c"VK_EXT_transform_feedback")])
}

/// Captures a triangle.
unsafe fn capture(
    bare: &Bare<'_>,
    commands: vk::CommandBuffer,
    pipeline: vk::Pipeline,
    target: Seen,
) {
    let vulkan = &bare.device.handle;
    // SAFETY: the objects are alive, and a render pass is active.
    unsafe {
        vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        bare.device.bind_target(commands, 0, &target);
        bare.device.capture(commands, || vulkan.cmd_draw(commands, 3, 1, 0, 0));
    }
}

/// A command buffer begins a pass before the secondary command buffer exists that the pass executes. Another command
/// buffer, which is submitted earlier, executes it too.
#[test]
fn counter_passes_wait_for_draws_whose_parameters_they_overwrite() {
    if !is_alone("strict::counter_passes_wait_for_draws_whose_parameters_they_overwrite") {
        return;
    }
    let instance = instance();
    let device = instance.device(LAVAPIPE, true).expect("a device");
    let (vulkan, mut bare) = (&device.handle, Bare::new(&device, 0));
    let pipeline = bare.pipeline(VERTEX, TRIANGLES, &Default::default());
    let target = bare.buffer(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, 16);
    let inherited = vk::CommandBufferInheritanceInfo::default().render_pass(bare.pass);
    let contents = vk::SubpassContents::SECONDARY_COMMAND_BUFFERS;
    for (usage, is_shared) in [(Usage::SIMULTANEOUS_USE, true), (Usage::empty(), false)] {
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(Usage::RENDER_PASS_CONTINUE | usage)
            .inheritance_info(&inherited);
        // SAFETY: all objects are alive, and the commands are not submitted.
        unsafe {
            let pool = vulkan.create_command_pool(&Default::default(), None).expect("a pool");
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .level(vk::CommandBufferLevel::SECONDARY)
                .command_buffer_count(1);
            let mut between = Vec::new();
            bare.record(|later| {
                barriers();
                bare.begin_pass_of(contents, later);
                let before_dispatch = barriers()[0];
                let secondary = vulkan.allocate_command_buffers(&info).expect("commands");
                vulkan.begin_command_buffer(secondary[0], &begin).expect("it begins");
                capture(&bare, secondary[0], pipeline, target);
                vulkan.end_command_buffer(secondary[0]).expect("it ends");
                bare.record(|earlier| {
                    bare.begin_pass_of(contents, earlier);
                    vulkan.cmd_execute_commands(earlier, &secondary);
                    vulkan.cmd_end_render_pass(earlier);
                    barriers();
                });
                between = [barriers(), vec![before_dispatch]].concat();
                if is_shared {
                    vulkan.cmd_execute_commands(later, &secondary);
                }
                vulkan.cmd_end_render_pass(later);
            });
            vulkan.destroy_command_pool(pool, None);
            let waits = |one: &Barrier| {
                one.src.contains(Stage::VERTEX_SHADER | Stage::DRAW_INDIRECT)
                    && one.dst.contains(Stage::COMPUTE_SHADER)
            };
            assert_eq!(between.iter().any(waits), is_shared, "{between:?}");
        }
    }
}

/// Without `provokingVertexModePerPipeline`, all pipelines in a render pass have the same mode.
#[test]
fn capturing_pipelines_have_the_provoking_vertex_mode_of_their_originals() {
    if !is_alone("strict::capturing_pipelines_have_the_provoking_vertex_mode_of_their_originals") {
        return;
    }
    let instance = instance();
    let extensions = [ext::transform_feedback::NAME, ext::provoking_vertex::NAME];
    let device = instance.device_with(LAVAPIPE, &extensions).expect("a device");
    let mut bare = Bare::new(&device, 0);
    let target = bare.buffer(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, 16);
    for (provokes_last, mode) in [(false, Mode::FIRST_VERTEX), (true, Mode::LAST_VERTEX)] {
        let vertex = words(VERTEX);
        let drawing = Drawing { provokes_last, ..Drawing::new(&vertex, TRIANGLES) };
        let pipeline = bare.pipeline_of(drawing, &Default::default());
        bare.record(|commands| {
            bare.begin_pass(commands);
            // SAFETY: all objects are alive, and the commands are not submitted.
            unsafe {
                capture(&bare, commands, pipeline, target);
                device.handle.cmd_end_render_pass(commands);
            }
        });
        assert_eq!(provoking_modes(), [mode; 2], "the original's, and the capturing one's");
    }
}

/// Creates a render pass with a dependency.
unsafe fn pass(device: &Device, dependency: vk::SubpassDependency) -> vk::RenderPass {
    let (subpasses, dependencies) = ([Default::default()], [dependency]);
    let info = vk::RenderPassCreateInfo::default().subpasses(&subpasses);
    // SAFETY: the structures are valid.
    unsafe { device.handle.create_render_pass(&info.dependencies(&dependencies), None) }
        .expect("a pass")
}

/// Creates a render pass with a dependency, whose chain may contain a barrier.
unsafe fn pass_2(device: &Device, dependency: vk::SubpassDependency2<'_>) -> vk::RenderPass {
    let (subpasses, dependencies) = ([Default::default()], [dependency]);
    let info = vk::RenderPassCreateInfo2::default().subpasses(&subpasses);
    // SAFETY: the structures are valid.
    unsafe { device.handle.create_render_pass2(&info.dependencies(&dependencies), None) }
        .expect("a pass")
}

/// The counter pass reads arguments, indices and counters before the render pass begins.
#[test]
fn counter_passes_wait_for_writes_that_the_render_pass_waits_for() {
    if !is_alone("strict::counter_passes_wait_for_writes_that_the_render_pass_waits_for") {
        return;
    }
    let instance = instance();
    let device = instance.device(LAVAPIPE, true).expect("a device");
    let mut bare = Bare::new(&device, 0);
    bare.buffer(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, 16);
    let older = |src_stage_mask, dst_stage_mask| vk::SubpassDependency {
        src_subpass: vk::SUBPASS_EXTERNAL,
        src_stage_mask,
        dst_stage_mask,
        ..Default::default()
    };
    let newer = |src, dst| {
        let dependency = vk::SubpassDependency2::default().src_subpass(vk::SUBPASS_EXTERNAL);
        dependency.src_stage_mask(src).dst_stage_mask(dst)
    };
    let (copies, colors) = (Stage::TRANSFER, Stage::COLOR_ATTACHMENT_OUTPUT);
    let (arguments, captures) = (Stage::DRAW_INDIRECT, Stage::TRANSFORM_FEEDBACK_EXT);
    let behind = vk::SubpassDependency {
        src_subpass: 0,
        dst_subpass: vk::SUBPASS_EXTERNAL,
        ..older(copies, arguments)
    };
    let mut barrier = vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::COPY)
        .dst_stage_mask(vk::PipelineStageFlags2::INDEX_INPUT);
    let chained = newer(colors, colors).push_next(&mut barrier);
    // SAFETY: all objects are alive, and the commands are not submitted.
    unsafe {
        for (pass, expected) in [
            (pass(&device, older(colors, colors)), Stage::empty()),
            (pass(&device, behind), Stage::empty()),
            (pass(&device, older(copies, arguments)), copies),
            (pass(&device, older(colors, Stage::ALL_COMMANDS)), colors),
            (pass_2(&device, newer(copies, captures)), copies),
            (pass_2(&device, newer(captures, captures)), Stage::VERTEX_SHADER),
            (pass_2(&device, chained), Stage::ALL_COMMANDS),
        ] {
            let own = std::mem::replace(&mut bare.pass, pass);
            bare.record(|commands| {
                barriers();
                bare.begin_pass(commands);
                let Barrier { src, written, dst } = barriers()[0];
                assert_eq!((src, dst), (Stage::COMPUTE_SHADER | expected, Stage::COMPUTE_SHADER));
                assert_eq!(written == Access::MEMORY_WRITE, !expected.is_empty());
                device.handle.cmd_end_render_pass(commands);
            });
            bare.reset();
            bare.pass = own;
            device.handle.destroy_render_pass(pass, None);
        }
    }
}
