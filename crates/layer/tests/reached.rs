//! The structures that reach the driver, for barriers, passes, submissions and pipelines.

use crate::draws::VERTEX;
use crate::made_up::{self, of_same, seen};
use crate::made_up_loader::Layer;
use crate::without_loader::{FEEDBACK, NULL_MODE, call, close, destroy, open};
use ash::vk::{self, AccessFlags as Access, PipelineStageFlags as Stage, TaggedStructure as _};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use std::ptr::null;

const FEEDBACK_2: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::TRANSFORM_FEEDBACK_EXT;
const WRITE_2: vk::AccessFlags2 = vk::AccessFlags2::TRANSFORM_FEEDBACK_WRITE_EXT;
const HOST_2: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::HOST;

/// Calls a function with a device on which the layer provides transform feedback.
fn with_device(test: impl FnOnce(&Layer, vk::Device)) {
    let layer = Layer::load();
    let (instance, physical) = open(&layer, NULL_MODE);
    let device = layer.device(instance, physical, &[FEEDBACK], null()).expect("a device");
    seen();
    test(&layer, device);
    destroy(&layer, device);
    close(&layer, instance, physical);
}

#[test]
fn newer_barriers_and_passes_have_no_stage_of_the_extension() {
    with_device(|layer, device| {
        let commands: vk::CommandBuffer = of_same(device);
        let barrier =
            call!(layer.of_device(device, c"vkCmdPipelineBarrier2"), PFN_vkCmdPipelineBarrier2);
        assert!(
            layer.of_device(device, c"vkCmdPipelineBarrier2KHR").is_none(),
            "the driver lacks it"
        );
        let buffers = [vk::BufferMemoryBarrier2::default()
            .src_stage_mask(FEEDBACK_2)
            .src_access_mask(WRITE_2)
            .dst_stage_mask(HOST_2)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let info = vk::DependencyInfo::default().buffer_memory_barriers(&buffers);
        // SAFETY: the arguments are valid.
        unsafe { barrier(commands, &raw const info) };
        let got = seen();
        assert_eq!(got.stages, [Stage::VERTEX_SHADER, Stage::HOST]);
        assert_eq!(got.accesses, [Access::SHADER_WRITE, Access::HOST_READ]);
        assert_eq!(buffers[0].src_stage_mask, FEEDBACK_2, "the application's is as it was");

        let create =
            call!(layer.of_device(device, c"vkCreateRenderPass2KHR"), PFN_vkCreateRenderPass2);
        let mut inner = vk::MemoryBarrier2::default()
            .src_stage_mask(FEEDBACK_2)
            .src_access_mask(WRITE_2)
            .dst_stage_mask(HOST_2);
        let dependency = [vk::SubpassDependency2::default()
            .src_stage_mask(Stage::TRANSFORM_FEEDBACK_EXT)
            .dst_stage_mask(Stage::HOST)
            .push_next(&mut inner)];
        let info = vk::RenderPassCreateInfo2::default().dependencies(&dependency);
        let mut pass = vk::RenderPass::null();
        // SAFETY: the arguments are valid.
        let result = unsafe { create(device, &raw const info, null(), &raw mut pass) };
        assert_eq!(result, vk::Result::SUCCESS);
        let got = seen();
        let twice = [Stage::VERTEX_SHADER, Stage::HOST, Stage::VERTEX_SHADER, Stage::HOST];
        assert_eq!((got.stages, got.accesses[0]), (twice.to_vec(), Access::SHADER_WRITE));
        made_up::free(commands);
    });
}

#[test]
fn markers_are_written_at_stages_that_the_driver_knows() {
    with_device(|layer, device| {
        let commands: vk::CommandBuffer = of_same(device);
        let name = c"vkCmdWriteBufferMarkerAMD";
        let first = call!(layer.of_device(device, name), PFN_vkCmdWriteBufferMarkerAMD);
        let name = c"vkCmdWriteBufferMarker2AMD";
        let second = call!(layer.of_device(device, name), PFN_vkCmdWriteBufferMarker2AMD);
        // SAFETY: the arguments are valid.
        unsafe {
            first(commands, Stage::TRANSFORM_FEEDBACK_EXT, vk::Buffer::null(), 0, 1);
            first(commands, Stage::BOTTOM_OF_PIPE, vk::Buffer::null(), 0, 1);
            second(commands, FEEDBACK_2, vk::Buffer::null(), 0, 1);
        }
        let expected = [Stage::VERTEX_SHADER, Stage::BOTTOM_OF_PIPE, Stage::VERTEX_SHADER];
        assert_eq!(seen().stages, expected);
        made_up::free(commands);
    });
}

#[test]
fn submissions_wait_at_stages_that_the_driver_knows() {
    with_device(|layer, device| {
        let queue: vk::Queue = of_same(device);
        let submit = call!(layer.of_device(device, c"vkQueueSubmit"), PFN_vkQueueSubmit);
        let semaphores = [vk::Semaphore::null()];
        let masks = [[Stage::TRANSFORM_FEEDBACK_EXT], [Stage::ALL_COMMANDS]];
        let one = |masks| {
            vk::SubmitInfo::default().wait_semaphores(&semaphores).wait_dst_stage_mask(masks)
        };
        let submits = [one(&masks[0]), one(&masks[1])];
        // SAFETY: the arguments are valid.
        let result = unsafe { submit(queue, 2, submits.as_ptr(), vk::Fence::null()) };
        assert_eq!(result, vk::Result::SUCCESS);
        assert_eq!(seen().stages, [Stage::VERTEX_SHADER, Stage::ALL_COMMANDS]);

        let submit = call!(layer.of_device(device, c"vkQueueSubmit2KHR"), PFN_vkQueueSubmit2);
        let semaphores = [vk::SemaphoreSubmitInfo::default().stage_mask(FEEDBACK_2)];
        let submits = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(&semaphores)
            .signal_semaphore_infos(&semaphores)];
        // SAFETY: the arguments are valid.
        let result = unsafe { submit(queue, 1, submits.as_ptr(), vk::Fence::null()) };
        assert_eq!(result, vk::Result::SUCCESS);
        assert_eq!(seen().stages, [Stage::VERTEX_SHADER; 2]);
        made_up::free(queue);
    });
}

/// Returns whether SPIR-V declares the capability of transform feedback.
fn captures(words: &[u32]) -> bool {
    words.windows(2).any(|pair| pair == [2 << 16 | 17, 53])
}

#[test]
fn shaders_reach_the_driver_without_what_they_capture() {
    let words = compile(VERTEX, ShaderStage::Vertex, SpirvVersion::SPIRV1_0).expect("it compiles");
    assert!(captures(&words));
    with_device(|layer, device| {
        let create =
            call!(layer.of_device(device, c"vkCreateShaderModule"), PFN_vkCreateShaderModule);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let mut module = vk::ShaderModule::null();
        // SAFETY: the arguments are valid.
        let result = unsafe { create(device, &raw const info, null(), &raw mut module) };
        assert_eq!(result, vk::Result::SUCCESS);
        let stripped = seen().code;
        assert!(!captures(&stripped) && stripped.len() < words.len());

        // The same code inline in a stage, after a structure that must be copied, with a stream selection.
        let mut code = info;
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
        let mut stage = vk::PipelineShaderStageCreateInfo::default().push_next(&mut code);
        stage = stage.push_next(&mut size);
        let stages = [stage];
        let mut stream = vk::PipelineRasterizationStateStreamCreateInfoEXT::default();
        let mut clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default();
        let state = vk::PipelineRasterizationStateCreateInfo::default();
        let state = state.push_next(&mut stream).push_next(&mut clip);
        let info =
            vk::GraphicsPipelineCreateInfo::default().stages(&stages).rasterization_state(&state);
        let create = call!(
            layer.of_device(device, c"vkCreateGraphicsPipelines"),
            PFN_vkCreateGraphicsPipelines
        );
        let cache = vk::PipelineCache::null();
        let mut made = vk::Pipeline::null();
        // SAFETY: the arguments are valid.
        let result = unsafe { create(device, cache, 1, &raw const info, null(), &raw mut made) };
        assert_eq!(result, vk::Result::SUCCESS);
        let got = seen();
        assert_eq!(got.code, stripped);
        let clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::STRUCTURE_TYPE;
        assert_eq!(got.chain, [clip]);
        assert_eq!(made_up::types(state.p_next).len(), 2, "the application's is as it was");
    });
}

#[test]
fn a_shader_that_cannot_be_stripped_does_not_reach_the_driver() {
    let mut words =
        compile(VERTEX, ShaderStage::Vertex, SpirvVersion::SPIRV1_0).expect("it compiles");
    words.truncate(words.len() - 2);
    with_device(|layer, device| {
        let create =
            call!(layer.of_device(device, c"vkCreateShaderModule"), PFN_vkCreateShaderModule);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let mut module = vk::ShaderModule::null();
        // SAFETY: the arguments are valid.
        let result = unsafe { create(device, &raw const info, null(), &raw mut module) };
        assert_eq!((result, seen().code.len()), (vk::Result::ERROR_UNKNOWN, 0));
    });
}
