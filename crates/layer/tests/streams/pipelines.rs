//! The pipelines of streams: complete or linked, for passes or dynamic rendering, with static or dynamic state.

use super::case::{Emits, Look};
use crate::loader::Device;
use crate::objects::FORMAT;
use ash::vk::{self, DynamicState, GraphicsPipelineLibraryFlagsEXT as Part};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};

/// Captures an attribute per vertex and one per instance to two buffers. With `NUMBERED`, it adds the draw index.
const VERTEX: &str = "
layout(location = 0) in uint of_vertex;
layout(location = 3) in vec2 of_instance;
layout(push_constant) uniform Push { uint added; };
layout(location = 0, xfb_buffer = 0, xfb_offset = 4, xfb_stride = 12) out uvec2 numbers;
layout(location = 1, xfb_buffer = 2, xfb_offset = 0, xfb_stride = 8) out vec2 pair;
layout(location = 2) flat out uint shown;
void main() {
    numbers = uvec2(of_vertex + added, gl_VertexIndex * 100 + gl_InstanceIndex);
#ifdef NUMBERED
    numbers.y += 1000000 * gl_DrawIDARB;
#endif
    pair = of_instance + vec2(of_vertex);
    shown = numbers.x * 7 + numbers.y;
    gl_Position = vec4(vec2(uvec2(37, 53) * gl_VertexIndex & 15) / 8.0 - 0.95, 0, 1);
    gl_PointSize = 1;
}";

/// Emits two strips in each of two invocations.
const GEOMETRY: &str = "
layout(constant_id = 5) const int LENGTH = 100;
layout(INPUT, invocations = 2) in;
layout(OUTPUT, max_vertices = 15) out;
layout(location = 0) in uvec2 numbers_in[];
layout(location = 1) in vec2 pair_in[];
layout(location = 2) flat in uint shown_in[];
layout(location = 0, xfb_buffer = 0, xfb_offset = 4, xfb_stride = 12) out uvec2 numbers;
layout(location = 1, STREAM xfb_buffer = 2, xfb_offset = 0, xfb_stride = 8) out vec2 pair;
layout(location = 2) flat out uint shown;
void main() {
    for (int strip = 0; strip < 2; ++strip) {
        int length = LENGTH + strip;
#ifdef VARIES
        length -= int(numbers_in[0].x + gl_InvocationID) % 3;
#endif
        for (int i = 0; i < length; ++i) {
            int from = (i + gl_InvocationID) % gl_in.length();
            numbers = numbers_in[from] + uvec2(i, strip);
#ifdef COUNTED
            numbers.y += 1000 * gl_PrimitiveIDIn;
#endif
            pair = pair_in[from] + vec2(strip, gl_InvocationID);
            shown = shown_in[from] + i;
            gl_Position = gl_in[from].gl_Position + vec4(strip, i, 0, 0) / 4;
            gl_PointSize = 1;
#ifdef STREAMS
            EmitStreamVertex(0);
            if (strip == 1 || i == 0) {
                pair = pair_in[from] + vec2(strip, gl_InvocationID);
                EmitStreamVertex(1);
            }
#else
            EmitVertex();
#endif
        }
#ifndef STREAMS
        EndPrimitive();
#endif
    }
}";

const FRAGMENT: &str = "
layout(location = 2) flat in uint shown;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(uvec4(1, 3, 5, 7) * shown & 31) / 255.0; }";

/// The width and height of the image, in pixels.
pub(super) const SIDE: u32 = 8;

/// Attributes: location, binding, format and offset.
pub(super) const ATTRIBUTES: [(u32, u32, vk::Format, u32); 2] =
    [(0, 0, vk::Format::R32_UINT, 4), (3, 1, vk::Format::R32G32_SFLOAT, 0)];

/// Bindings: number and rate. All bindings have the same stride.
pub(super) const BINDINGS: [(u32, vk::VertexInputRate); 2] =
    [(0, vk::VertexInputRate::VERTEX), (1, vk::VertexInputRate::INSTANCE)];
pub(super) const STRIDE: u32 = 8;

pub(super) struct Shaders(Vec<(vk::ShaderStageFlags, vk::ShaderModule)>);

impl Shaders {
    pub(super) fn new(device: &Device, look: &Look) -> Self {
        let head = match (look.numbered, look.geometry) {
            (true, None) => "#extension GL_ARB_shader_draw_parameters : require\n#define NUMBERED",
            (true, Some(_)) => "#define COUNTED",
            (false, _) => "",
        };
        let mut sources = vec![
            (vk::ShaderStageFlags::VERTEX, ShaderStage::Vertex, VERTEX.to_owned()),
            (vk::ShaderStageFlags::FRAGMENT, ShaderStage::Fragment, FRAGMENT.to_owned()),
        ];
        if let Some(emits) = look.geometry {
            let stream = if emits == Emits::Streams { "stream = 1," } else { "" };
            let source = GEOMETRY.replace("INPUT", input(look)).replace("OUTPUT", output(emits));
            let source = source.replace("STREAM ", stream);
            let streams = if stream.is_empty() { "" } else { "#define STREAMS\n" };
            let varies = if look.varies { "#define VARIES\n" } else { "" };
            let source = format!("{streams}{varies}{source}");
            sources.insert(1, (vk::ShaderStageFlags::GEOMETRY, ShaderStage::Geometry, source));
        }
        let modules = sources.into_iter().map(|(flag, stage, source)| {
            let source = format!("#version 450\n{head}{source}");
            let words = compile(&source, stage, SpirvVersion::SPIRV1_0).expect("it compiles");
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            // SAFETY: the code is SPIR-V.
            (flag, unsafe { device.handle.create_shader_module(&info, None) }.expect("a module"))
        });
        Self(modules.collect())
    }

    pub(super) unsafe fn destroy(self, device: &Device) {
        for (_, module) in self.0 {
            // SAFETY: no more pipelines are created from the modules.
            unsafe { device.handle.destroy_shader_module(module, None) };
        }
    }
}

/// Returns the input primitive of a geometry stage.
fn input(look: &Look) -> &'static str {
    use vk::PrimitiveTopology as Topology;
    match look.topology {
        Topology::POINT_LIST => "points",
        Topology::LINE_LIST | Topology::LINE_STRIP => "lines",
        Topology::LINE_LIST_WITH_ADJACENCY | Topology::LINE_STRIP_WITH_ADJACENCY => {
            "lines_adjacency"
        }
        Topology::TRIANGLE_LIST_WITH_ADJACENCY | Topology::TRIANGLE_STRIP_WITH_ADJACENCY => {
            "triangles_adjacency"
        }
        _ => "triangles",
    }
}

fn output(emits: Emits) -> &'static str {
    match emits {
        Emits::Points | Emits::Streams => "points",
        Emits::LineStrip => "line_strip",
        Emits::TriangleStrip => "triangle_strip",
    }
}

/// Creates a pass with one color attachment, for pipelines without dynamic rendering.
pub(super) unsafe fn pass(device: &Device) -> vk::RenderPass {
    let attachments = [vk::AttachmentDescription {
        format: FORMAT,
        samples: vk::SampleCountFlags::TYPE_1,
        load_op: vk::AttachmentLoadOp::LOAD,
        store_op: vk::AttachmentStoreOp::STORE,
        initial_layout: vk::ImageLayout::GENERAL,
        final_layout: vk::ImageLayout::GENERAL,
        ..Default::default()
    }];
    let targets = [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::GENERAL }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&targets)];
    let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
    // SAFETY: the structure is valid.
    unsafe { device.handle.create_render_pass(&info, None) }.expect("a pass")
}

/// Creates a pipeline, and the libraries that it is linked from.
pub(super) unsafe fn pipelines(
    device: &Device,
    look: &Look,
    shaders: &Shaders,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> Vec<vk::Pipeline> {
    let mut parts = vec![Part::VERTEX_INPUT_INTERFACE, Part::PRE_RASTERIZATION_SHADERS];
    // A pipeline that never rasterizes has no other parts.
    if look.dynamic || !look.discard {
        parts.extend([Part::FRAGMENT_SHADER, Part::FRAGMENT_OUTPUT_INTERFACE]);
    }
    let made_of = |parts, libraries: &[_]| {
        let what = Made { device, look, shaders, pass, layout };
        // SAFETY: the caller's objects are alive.
        unsafe { what.pipeline(parts, libraries) }
    };
    if !look.libraries {
        let whole = parts.into_iter().fold(Part::empty(), |all, part| all | part);
        return vec![made_of(whole, &[])];
    }
    let libraries: Vec<_> = parts.into_iter().map(|part| made_of(part, &[])).collect();
    let linked = made_of(Part::empty(), &libraries);
    [linked].into_iter().chain(libraries).collect()
}

struct Made<'m> {
    device: &'m Device,
    look: &'m Look,
    shaders: &'m Shaders,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
}

/// The specialization constants: no stage has the first, and only the geometry stage has the second.
const CONSTANTS: [vk::SpecializationMapEntry; 2] = [
    vk::SpecializationMapEntry { constant_id: 6, offset: 0, size: 4 },
    vk::SpecializationMapEntry { constant_id: 5, offset: 4, size: 4 },
];

fn part_of(stage: vk::ShaderStageFlags) -> Part {
    match stage {
        vk::ShaderStageFlags::FRAGMENT => Part::FRAGMENT_SHADER,
        _ => Part::PRE_RASTERIZATION_SHADERS,
    }
}

impl Made<'_> {
    /// Creates a pipeline or a library of these parts.
    unsafe fn pipeline(&self, parts: Part, libraries: &[vk::Pipeline]) -> vk::Pipeline {
        let Self { device, look, shaders, .. } = self;
        let values = [7_u32, 4].map(u32::to_ne_bytes).concat();
        let constants = vk::SpecializationInfo::default().map_entries(&CONSTANTS).data(&values);
        let stages = shaders.0.iter().filter(|(flag, _)| parts.contains(part_of(*flag)));
        let stage = |&(flag, module): &_| {
            let stage = vk::PipelineShaderStageCreateInfo::default().name(c"main");
            stage.stage(flag).module(module).specialization_info(&constants)
        };
        let stages: Vec<_> = stages.map(stage).collect();
        let (attributes, bindings) = vertex_input();
        let divisors = divisors(look);
        let mut divided = Divided::default().vertex_binding_divisors(&divisors);
        let mut input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_attribute_descriptions(&attributes)
            .vertex_binding_descriptions(&bindings);
        if look.divisor.is_some() && !look.dynamic_input {
            input = input.push_next(&mut divided);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(look.topology)
            .primitive_restart_enable(look.restart);
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewports(&VIEWPORT).scissors(&SCISSOR);
        let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
            .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
        let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(look.discard)
            .line_width(1.0);
        if look.provokes_last {
            raster = raster.push_next(&mut provoking);
        }
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&BLENDING);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        let dynamic = dynamic_state(look);
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let formats = [FORMAT];
        let mut rendering =
            vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let mut library = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(parts);
        let mut linked = vk::PipelineLibraryCreateInfoKHR::default().libraries(libraries);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blending)
            .dynamic_state(&dynamic)
            .layout(self.layout);
        if look.dynamic_rendering {
            info = info.push_next(&mut rendering);
        } else {
            info = info.render_pass(self.pass);
        }
        if look.libraries && libraries.is_empty() {
            info = info.flags(vk::PipelineCreateFlags::LIBRARY_KHR).push_next(&mut library);
        }
        if !libraries.is_empty() {
            info = vk::GraphicsPipelineCreateInfo::default()
                .layout(self.layout)
                .push_next(&mut linked);
        }
        let cache = vk::PipelineCache::null();
        // SAFETY: all structures are valid.
        unsafe { device.handle.create_graphics_pipelines(cache, &[info], None) }.expect("one")[0]
    }
}

const VIEWPORT: [vk::Viewport; 1] = [vk::Viewport {
    x: 0.0,
    y: 0.0,
    width: SIDE as f32,
    height: SIDE as f32,
    min_depth: 0.0,
    max_depth: 1.0,
}];

const SCISSOR: [vk::Rect2D; 1] = [vk::Rect2D {
    offset: vk::Offset2D { x: 0, y: 0 },
    extent: vk::Extent2D { width: SIDE, height: SIDE },
}];

/// Additive blending, so that the image shows every draw, even if later draws cover it.
const BLENDING: [vk::PipelineColorBlendAttachmentState; 1] =
    [vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: vk::BlendFactor::ONE,
        dst_color_blend_factor: vk::BlendFactor::ONE,
        color_blend_op: vk::BlendOp::ADD,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        dst_alpha_blend_factor: vk::BlendFactor::ONE,
        alpha_blend_op: vk::BlendOp::ADD,
        color_write_mask: vk::ColorComponentFlags::RGBA,
    }];

type Divided<'d> = vk::PipelineVertexInputDivisorStateCreateInfoEXT<'d>;

fn divisors(look: &Look) -> [vk::VertexInputBindingDivisorDescriptionEXT; 1] {
    let (binding, divisor) = (BINDINGS[1].0, look.divisor.unwrap_or(1));
    [vk::VertexInputBindingDivisorDescriptionEXT { binding, divisor }]
}

fn vertex_input()
-> ([vk::VertexInputAttributeDescription; 2], [vk::VertexInputBindingDescription; 2]) {
    let attributes = ATTRIBUTES.map(|(location, binding, format, offset)| {
        vk::VertexInputAttributeDescription { location, binding, format, offset }
    });
    let bindings = BINDINGS.map(|(binding, input_rate)| vk::VertexInputBindingDescription {
        binding,
        stride: STRIDE,
        input_rate,
    });
    (attributes, bindings)
}

fn dynamic_state(look: &Look) -> Vec<DynamicState> {
    let mut all = Vec::new();
    if look.dynamic {
        all.extend([
            DynamicState::PRIMITIVE_TOPOLOGY,
            DynamicState::PRIMITIVE_RESTART_ENABLE,
            DynamicState::RASTERIZER_DISCARD_ENABLE,
        ]);
    }
    if look.dynamic_input {
        all.push(DynamicState::VERTEX_INPUT_EXT);
    } else if look.dynamic {
        all.push(DynamicState::VERTEX_INPUT_BINDING_STRIDE);
    }
    all
}
