//! The Vulkan part of the example: a device without a window, one command buffer, and helpers that an engine usually
//! has. The example does not destroy its objects; the system frees them when the program ends.

use ash::vk;
use std::error::Error;
use std::slice;

/// The width and height of the image, in pixels.
pub(crate) const SIZE: u32 = 512;

const COLOR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
const BACKGROUND: [f32; 4] = [0.09, 0.10, 0.13, 1.0];

pub(crate) struct Gpu {
    device: ash::Device,
    memory: vk::PhysicalDeviceMemoryProperties,
    queue: vk::Queue,
    commands: vk::CommandBuffer,
    _instance: ash::Instance,
    // The loader's library must stay open as long as any object created through it.
    _entry: ash::Entry,
}

/// A buffer and its memory, which the host can access.
pub(crate) struct Buffer {
    pub(crate) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
}

/// The layout of a pipeline that stores to one buffer.
pub(crate) struct StorageLayout {
    pub(crate) pipeline: vk::PipelineLayout,
    set: vk::DescriptorSetLayout,
    binding: u32,
}

impl Gpu {
    /// Opens the first device with the features for captures into storage buffers, and starts recording commands.
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        // SAFETY: the library is the system's Vulkan loader; handles are used with the device that they came from.
        unsafe {
            let entry = ash::Entry::load()?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None)?;
            let devices = instance.enumerate_physical_devices()?;
            let physical = *devices.first().ok_or("there is no device")?;
            let properties = instance.get_physical_device_properties(physical);
            println!("on {}", properties.device_name_as_c_str()?.to_string_lossy());

            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let features =
                vk::PhysicalDeviceFeatures::default().vertex_pipeline_stores_and_atomics(true);
            let mut newer = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&features)
                .push_next(&mut newer);
            let device = instance.create_device(physical, &info, None)?;
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            Ok(Self {
                memory: instance.get_physical_device_memory_properties(physical),
                queue: device.get_device_queue(0, 0),
                commands,
                device,
                _instance: instance,
                _entry: entry,
            })
        }
    }

    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        wanted: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Box<dyn Error>> {
        let types = (0..).zip(self.memory.memory_types_as_slice());
        let mut fitting = types.filter(|(number, kind)| {
            needs.memory_type_bits >> number & 1 == 1 && kind.property_flags.contains(wanted)
        });
        let (number, _) = fitting.next().ok_or("there is no memory of that kind")?;
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(number);
        // SAFETY: the device lives as long as `self`.
        Ok(unsafe { self.device.allocate_memory(&info, None) }?)
    }

    pub(crate) fn buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Result<Buffer, Box<dyn Error>> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: the memory is new, and meets the requirements of the buffer.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let memory =
                self.allocate(self.device.get_buffer_memory_requirements(buffer), visible)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            Ok(Buffer { buffer, memory })
        }
    }

    fn attachment(
        &self,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
        aspect: vk::ImageAspectFlags,
    ) -> Result<(vk::Image, vk::ImageView), Box<dyn Error>> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        // SAFETY: the memory is new, and meets the requirements of the image.
        unsafe {
            let image = self.device.create_image(&info, None)?;
            let needs = self.device.get_image_memory_requirements(image);
            let memory = self.allocate(needs, vk::MemoryPropertyFlags::empty())?;
            self.device.bind_image_memory(image, memory, 0)?;
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(whole(aspect));
            Ok((image, self.device.create_image_view(&info, None)?))
        }
    }

    /// Creates a layout with a storage buffer at this binding of its only set, and with this number of
    /// push constant bytes.
    pub(crate) fn storage_layout(
        &self,
        binding: u32,
        push_constants: u32,
    ) -> Result<StorageLayout, vk::Result> {
        let vertex = vk::ShaderStageFlags::VERTEX;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .binding(binding)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vertex)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let ranges =
            [vk::PushConstantRange { stage_flags: vertex, offset: 0, size: push_constants }];
        // SAFETY: the device lives as long as `self`.
        unsafe {
            let set = self.device.create_descriptor_set_layout(&info, None)?;
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(slice::from_ref(&set))
                .push_constant_ranges(&ranges);
            let pipeline = self.device.create_pipeline_layout(&info, None)?;
            Ok(StorageLayout { pipeline, set, binding })
        }
    }

    /// Creates a layout without resources.
    pub(crate) fn empty_layout(&self) -> Result<vk::PipelineLayout, vk::Result> {
        let info = vk::PipelineLayoutCreateInfo::default();
        // SAFETY: the device lives as long as `self`.
        unsafe { self.device.create_pipeline_layout(&info, None) }
    }

    /// Creates a pipeline. With vertex input, the pipeline draws to the image; otherwise it rasterizes nothing.
    pub(crate) fn pipeline(
        &self,
        layout: vk::PipelineLayout,
        stages: &[(vk::ShaderStageFlags, &[u32])],
        topology: vk::PrimitiveTopology,
        input: Option<&vk::PipelineVertexInputStateCreateInfo<'_>>,
    ) -> Result<vk::Pipeline, vk::Result> {
        let stages = stages.iter().map(|(stage, words)| {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: the words are valid SPIR-V, from a lowering or from a file that a compiler has written.
            let module = unsafe { self.device.create_shader_module(&info, None) }?;
            Ok(vk::PipelineShaderStageCreateInfo::default()
                .stage(*stage)
                .module(module)
                .name(c"main"))
        });
        let stages = stages.collect::<Result<Vec<_>, vk::Result>>()?;
        // Without vertex input, there are no attachments.
        let without_input = vk::PipelineVertexInputStateCreateInfo::default();
        let color_formats = if input.is_some() { &[COLOR][..] } else { &[] };
        let mut rendering =
            vk::PipelineRenderingCreateInfo::default().color_attachment_formats(color_formats);
        if input.is_some() {
            rendering = rendering.depth_attachment_format(DEPTH);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let (viewports, scissors) = ([viewport()], [area()]);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(input.is_none())
            .line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS);
        let written = vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA);
        let blended = vec![written; color_formats.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blended);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(input.unwrap_or(&without_input))
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut rendering);
        // SAFETY: the structures of the description live until the call returns.
        let made = unsafe {
            self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None)
        };
        made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error)
    }

    pub(crate) fn bind_pipeline(&self, pipeline: vk::Pipeline) {
        // SAFETY: commands are being recorded, and the pipeline belongs to this device.
        unsafe {
            self.device.cmd_bind_pipeline(self.commands, vk::PipelineBindPoint::GRAPHICS, pipeline)
        };
    }

    /// Binds a range of a buffer as the layout's storage buffer.
    pub(crate) fn bind_storage(
        &self,
        layout: &StorageLayout,
        number: u32,
        buffer: vk::Buffer,
        offset: u64,
        range: u64,
    ) -> Result<(), vk::Result> {
        let storage = vk::DescriptorType::STORAGE_BUFFER;
        let sizes = [vk::DescriptorPoolSize { ty: storage, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let bound = [vk::DescriptorBufferInfo { buffer, offset, range }];
        // SAFETY: commands are being recorded; set, layout and buffer are this device's and live until it ends.
        unsafe {
            let pool = self.device.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(slice::from_ref(&layout.set));
            let sets = self.device.allocate_descriptor_sets(&info)?;
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[0])
                .dst_binding(layout.binding)
                .descriptor_type(storage)
                .buffer_info(&bound);
            self.device.update_descriptor_sets(&[write], &[]);
            self.device.cmd_bind_descriptor_sets(
                self.commands,
                vk::PipelineBindPoint::GRAPHICS,
                layout.pipeline,
                number,
                &sets,
                &[],
            );
        }
        Ok(())
    }

    /// Pushes constants from byte 0 on.
    pub(crate) fn push(&self, layout: &StorageLayout, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // SAFETY: commands are being recorded; the layout has the range.
        unsafe {
            self.device.cmd_push_constants(
                self.commands,
                layout.pipeline,
                vk::ShaderStageFlags::VERTEX,
                0,
                &bytes,
            )
        };
    }

    /// Begins a pass without attachments.
    pub(crate) fn begin_pass(&self) {
        let info = vk::RenderingInfo::default().render_area(area()).layer_count(1);
        // SAFETY: commands are being recorded, outside of passes.
        unsafe { self.device.cmd_begin_rendering(self.commands, &info) };
    }

    pub(crate) fn end_pass(&self) {
        // SAFETY: commands are being recorded, in a pass.
        unsafe { self.device.cmd_end_rendering(self.commands) };
    }

    pub(crate) fn draw_vertices(&self, count: u32) {
        // SAFETY: commands are being recorded, in a pass, and everything that the pipeline needs is bound.
        unsafe { self.device.cmd_draw(self.commands, count, 1, 0, 0) };
    }

    /// Records a barrier from the source stages and accesses to the destination stages and accesses.
    pub(crate) fn wait(
        &self,
        from: (vk::PipelineStageFlags, vk::AccessFlags),
        to: (vk::PipelineStageFlags, vk::AccessFlags),
    ) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1);
        // SAFETY: commands are being recorded, outside of passes.
        unsafe {
            self.device.cmd_pipeline_barrier(
                self.commands,
                from.0,
                to.0,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
    }

    fn move_image(
        &self,
        image: vk::Image,
        aspect: vk::ImageAspectFlags,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .old_layout(from)
            .new_layout(to)
            .image(image)
            .subresource_range(whole(aspect));
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: commands are being recorded, outside of passes.
        unsafe {
            self.device.cmd_pipeline_barrier(
                self.commands,
                all,
                all,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            );
        }
    }

    /// Draws vertices from a buffer, submits all recorded commands, and returns the pixels of the image.
    pub(crate) fn draw(
        &self,
        pipeline: vk::Pipeline,
        vertices: vk::Buffer,
        count: u32,
    ) -> Result<Vec<u8>, Box<dyn Error>> {
        let drawn = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let tested = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let copied = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let (of_color, of_depth) = (vk::ImageAspectFlags::COLOR, vk::ImageAspectFlags::DEPTH);
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let (color, color_view) = self.attachment(COLOR, usage, of_color)?;
        let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        let (depth, depth_view) = self.attachment(DEPTH, usage, of_depth)?;
        let cleared = vk::RenderingAttachmentInfo::default().load_op(vk::AttachmentLoadOp::CLEAR);
        let background = vk::ClearValue { color: vk::ClearColorValue { float32: BACKGROUND } };
        let far =
            vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } };
        let colors = [cleared.image_view(color_view).image_layout(drawn).clear_value(background)];
        let depths = cleared.image_view(depth_view).image_layout(tested).clear_value(far);
        let info = vk::RenderingInfo::default()
            .render_area(area())
            .layer_count(1)
            .color_attachments(&colors)
            .depth_attachment(&depths);
        let size = u64::from(4 * SIZE * SIZE);
        let pixels = self.buffer(size, vk::BufferUsageFlags::TRANSFER_DST)?;
        let region = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default().aspect_mask(of_color).layer_count(1),
            )
            .image_extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 });

        // The pass, then the copy to host-readable memory.
        self.move_image(color, of_color, vk::ImageLayout::UNDEFINED, drawn);
        self.move_image(depth, of_depth, vk::ImageLayout::UNDEFINED, tested);
        // SAFETY: commands are being recorded; all handles are this device's and live until it ends.
        unsafe {
            self.device.cmd_begin_rendering(self.commands, &info);
            self.bind_pipeline(pipeline);
            self.device.cmd_bind_vertex_buffers(self.commands, 0, &[vertices], &[0]);
            self.draw_vertices(count);
            self.end_pass();
            self.move_image(color, of_color, drawn, copied);
            self.device.cmd_copy_image_to_buffer(
                self.commands,
                color,
                copied,
                pixels.buffer,
                &[region],
            );
        }
        self.wait(
            (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE),
            (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ),
        );
        self.run()?;
        // SAFETY: the device has written all bytes and has finished.
        unsafe {
            let mapped =
                self.device.map_memory(pixels.memory, 0, size, vk::MemoryMapFlags::empty())?;
            Ok(slice::from_raw_parts(mapped.cast::<u8>(), size as usize).to_vec())
        }
    }

    fn run(&self) -> Result<(), vk::Result> {
        let submitted = vk::SubmitInfo::default().command_buffers(slice::from_ref(&self.commands));
        // SAFETY: the commands are complete, and the queue is used by one thread.
        unsafe {
            self.device.end_command_buffer(self.commands)?;
            self.device.queue_submit(self.queue, &[submitted], vk::Fence::null())?;
            self.device.device_wait_idle()
        }
    }
}

fn area() -> vk::Rect2D {
    vk::Extent2D { width: SIZE, height: SIZE }.into()
}

fn viewport() -> vk::Viewport {
    let size = SIZE as f32;
    vk::Viewport { x: 0.0, y: 0.0, width: size, height: size, min_depth: 0.0, max_depth: 1.0 }
}

fn whole(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1)
}
