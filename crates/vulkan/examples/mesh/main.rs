//! A host in Rust. It follows a plan to capture a mesh from a vertex shader into a storage buffer, then draws the
//! mesh.
//!
//! The device does not need transform feedback. The result is an image file; no window is needed.
//!
//!     cargo run --release --package polyshade-vulkan --example mesh -- FOLDER-OF-SHADERS OUT.png
//!
//! The shaders are in `crates/capi/examples/shaders`. The file `draw.c` next to this folder is the same host in C.

mod gpu;

use ash::vk;
use gpu::{Gpu, SIZE};
use polyshade::Module;
use polyshade::host::{Binding, ParamSource, Set};
use polyshade::transform_feedback::{self, BufferRange, Layout, Options, Prepared, prepare};
use polyshade_planner::{self as planner, Accesses, Active, Barrier, Bound, Device, DrawCall};
use polyshade_planner::{
    Feedback, Path, Pipeline, Plan, Preset, Stages, Step, Topology, Use, Uses,
};
use std::error::Error;
use std::{env, fs};

/// The number of vertices in the strip of mesh.vert: 48 windings of 96 steps, and one more step to close the strip.
const VERTICES: u32 = 2 * (96 * 48 + 1);
/// The offset of the host parameters, after the shader's own push constants.
const WORDS_AT: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, picture] = &arguments[..] else {
        return Err("usage: mesh FOLDER-OF-SHADERS OUT.png".into());
    };
    let read = |name: &str| {
        Module::from_bytes(&fs::read(format!("{folder}/{name}"))?).map_err(Box::<dyn Error>::from)
    };
    let (shader, vertex, fragment) =
        (read("mesh.vert.spv")?, read("draw.vert.spv")?, read("draw.frag.spv")?);

    // The lowering.
    let varyings = ["v_position", "v_normal", "v_color"];
    let options = Options::new()
        .interleaved(varyings)
        .into_storage(Set(0), Binding(0))
        .params(ParamSource::PushConstant { offset: WORDS_AT });
    let prepared = prepare(&shader, "main", &options)?;
    let draw = transform_feedback::Draw {
        topology: transform_feedback::Topology::TriangleStrip,
        provoking_vertex: transform_feedback::ProvokingVertex::First,
        first_vertex: 0,
        vertex_count: VERTICES,
        first_instance: 0,
        instance_count: 1,
        draw_index: 0,
        indices: None,
    };
    // The number of bytes that the draw stores: a strip is stored as separate triangles.
    let layout = prepared.layout();
    let vertex_count = 3 * draw.topology.primitives(VERTICES);
    let size = vertex_count * layout.buffers[0].stride;
    let plan = plan(&prepared, size)?;
    print!("{plan}");

    // The capture and the draw.
    let gpu = Gpu::open()?;
    let mesh = gpu.buffer(
        size.into(),
        vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::VERTEX_BUFFER,
    )?;
    capture(&gpu, &prepared, &plan, &draw, mesh.buffer)?;
    let drawing = drawing(&gpu, [&vertex, &fragment], layout)?;
    let pixels = gpu.draw(drawing, mesh.buffer, vertex_count)?;

    let mut encoder = png::Encoder::new(fs::File::create(picture)?, SIZE, SIZE);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}

/// Plans the capture for a mobile device with dynamic rendering. An engine would query its device, and cache plans.
fn plan(prepared: &Prepared<'_>, size: u32) -> Result<Plan, Box<dyn Error>> {
    let device = Device { dynamic_rendering: true, ..Device::from(Preset::VulkanMobile) };
    let pipeline = Pipeline {
        topology: Topology::TriangleStrip,
        rasterizer_discard: true,
        capture: Some(planner::Capture { path: Some(Path::Storage), ..prepared.into() }),
        ..Pipeline::default()
    };
    let bound = Bound { buffer: None, buffer_size: size.into(), offset: 0, size: None };
    let draw = planner::Draw {
        feedback: Feedback::Active(Active { buffers: vec![Some(bound)], ..Active::default() }),
        next: Uses { captured: vec![Use::Vertices], ..Uses::default() },
        ..planner::Draw::default()
    };
    Ok(planner::plan(&device, &pipeline, &draw)?)
}

/// Records the steps of the plan.
fn capture(
    gpu: &Gpu,
    prepared: &Prepared<'_>,
    plan: &Plan,
    draw: &transform_feedback::Draw,
    into: vk::Buffer,
) -> Result<(), Box<dyn Error>> {
    let words = u32::try_from(prepared.params().params.len())?;
    let descriptors = &prepared.requirements().descriptors;
    let layout = gpu.storage_layout(descriptors[0].binding.0, WORDS_AT + 4 * words)?;
    for step in &plan.steps {
        match step {
            Step::BindPipeline(bind) => {
                // Maps the planner's name of the variant to the lowering's name.
                let planner::Variant::CaptureOnly = bind.variant else {
                    return Err(format!("there is no variant {:?}", bind.variant).into());
                };
                let variant = prepared.variant(transform_feedback::Variant::CaptureOnly)?;
                let stages = [(vk::ShaderStageFlags::VERTEX, variant.module.words())];
                let pipeline = gpu.pipeline(
                    layout.pipeline,
                    &stages,
                    vk::PrimitiveTopology::POINT_LIST,
                    None,
                )?;
                gpu.bind_pipeline(pipeline);
            }
            Step::BindStorage(range) => {
                gpu.bind_storage(&layout, range.set.0, into, range.offset, range.size)?;
            }
            Step::FillIn(words) => {
                let ranges: Vec<BufferRange> = words
                    .ranges
                    .iter()
                    .map(|range| BufferRange {
                        offset: range.offset,
                        size: range.size,
                        ..BufferRange::default()
                    })
                    .collect();
                let values = prepared.layout().host_params(draw, &ranges)?;
                let written = prepared.layout().primitives_written(draw, &ranges)?;
                println!("{written} of {} triangles are captured", draw.primitives());
                gpu.push(&layout, &[[0; WORDS_AT as usize / 4].as_slice(), &values].concat());
            }
            Step::BeginPass(_) => gpu.begin_pass(),
            Step::EndPass(_) => gpu.end_pass(),
            Step::Draw(DrawCall::Vertices) => gpu.draw_vertices(draw.vertex_count),
            Step::Barriers(barriers) => barriers.iter().for_each(|one| wait(gpu, one)),
            // The example captures once into an empty buffer, so nothing reads the counter.
            Step::Advance(_) => {}
            other => return Err(format!("this host has nothing for {other:?}").into()),
        }
    }
    Ok(())
}

/// Records a barrier of the plan. Its stages and accesses have Vulkan's values.
fn wait(gpu: &Gpu, barrier: &Barrier) {
    let stages = |stages: Stages| vk::PipelineStageFlags::from_raw(stages.bits());
    let accesses = |accesses: Accesses| vk::AccessFlags::from_raw(accesses.bits());
    gpu.wait(
        (stages(barrier.from.stages), accesses(barrier.from.accesses)),
        (stages(barrier.to.stages), accesses(barrier.to.accesses)),
    );
}

/// Creates the pipeline that draws the mesh, with the attribute offsets of the layout.
fn drawing(
    gpu: &Gpu,
    [vertex, fragment]: [&Module<'_>; 2],
    layout: &Layout,
) -> Result<vk::Pipeline, Box<dyn Error>> {
    let buffer = &layout.buffers[0];
    let attributes: Vec<_> = (0..)
        .zip(&buffer.captured)
        .map(|(location, captured)| vk::VertexInputAttributeDescription {
            location,
            binding: 0,
            format: vk::Format::R32G32B32_SFLOAT,
            offset: captured.offset,
        })
        .collect();
    let binding = [vk::VertexInputBindingDescription {
        binding: 0,
        stride: buffer.stride,
        input_rate: vk::VertexInputRate::VERTEX,
    }];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&binding)
        .vertex_attribute_descriptions(&attributes);
    let stages = [
        (vk::ShaderStageFlags::VERTEX, vertex.words()),
        (vk::ShaderStageFlags::FRAGMENT, fragment.words()),
    ];
    let empty = gpu.empty_layout()?;
    Ok(gpu.pipeline(empty, &stages, vk::PrimitiveTopology::TRIANGLE_LIST, Some(&input))?)
}
