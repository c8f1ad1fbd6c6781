//! Measures what it costs a driver that a shader fetches its attributes, by format, and its indices, beside the fixed
//! function: nanoseconds a vertex, without rasterization.
//!
//!     cargo run --release -p polyshade-tests --bin fetch-cost
//!
//! Drivers are those that `VK_DRIVER_FILES` names.

use polyshade::Module;
use polyshade::host::{Binding, Place, Pointer, Set};
use polyshade::transform_feedback::{self, Topology, Varying, strip};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Format, Options, Rate};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::processor;
use polyshade_tests::scene::{HEAVY, TRIVIAL, known, measure};
use polyshade_vulkan::{Attribute as Bound, Device, Variants, VertexLayout, vk};
use std::error::Error;

/// Formats that all devices take, and what the shader reads.
const FORMATS: [(vk::Format, &str); 9] = [
    (vk::Format::R32_SFLOAT, "float"),
    (vk::Format::R32G32B32_SFLOAT, "vec3"),
    (vk::Format::R32G32B32A32_SFLOAT, "vec4"),
    (vk::Format::R16G16B16A16_SFLOAT, "vec4"),
    (vk::Format::R16G16B16A16_SNORM, "vec4"),
    (vk::Format::R8G8B8A8_UNORM, "vec4"),
    (vk::Format::A2B10G10R10_UNORM_PACK32, "vec4"),
    (vk::Format::R8G8B8A8_UINT, "uvec4"),
    (vk::Format::R32G32B32A32_SINT, "ivec4"),
];

/// Where an address is.
fn address(offset: u32) -> Place {
    Place::Address(Pointer::PushConstant { offset })
}

fn main() -> Result<(), Box<dyn Error>> {
    for (name, device) in processor::devices()? {
        println!("{name}");
        for (format, ty) in FORMATS {
            attribute(&device, format, ty)?;
        }
        for (what, text) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
            let words = compile(text, ShaderStage::Vertex, SpirvVersion::SPIRV1_0)?;
            indices(&device, what, &words)?;
        }
    }
    Ok(())
}

/// One attribute of this format, in a buffer of its own.
fn told(format: vk::Format) -> Result<Options, Box<dyn Error>> {
    let format: Format = format!("{format:?}").parse()?;
    let buffer = Buffer { stride: Some(format.size()), rate: Some(Rate::Vertex) };
    let attribute = Attribute { buffer: 0, offset: Some(0), format: Some(format) };
    Ok(Options::new().attribute(0, attribute).buffer(0, buffer))
}

/// Where captures bind nothing.
fn descriptors(told: Options) -> Options {
    told.storage(Some(Set(2)), Some(Binding(0)))
}

/// Prints what an attribute of one format takes. All of it is used, and nothing lies outside of clip space, where
/// drivers have more to do.
fn attribute(device: &Device, format: vk::Format, ty: &str) -> Result<(), Box<dyn Error>> {
    let text = format!(
        "#version 450
        layout(location = 0) in {ty} a;
        void main() {{
            vec4 within = clamp(vec4(a{}), 0.0, 1.0);
            gl_Position = vec4(within.xyz * within.w, 1);
            gl_PointSize = 1;
        }}",
        if ty == "vec3" { ", 1" } else { "" }
    );
    let words = compile(&text, ShaderStage::Vertex, SpirvVersion::SPIRV1_3)?;
    let module = Module::parse(&words)?;
    let told = told(format)?;
    let stride = told.buffers()[&0].stride.unwrap_or(0);
    let attributes = vec![Bound { location: 0, format, offset: 0 }];
    let layout = VertexLayout { stride, rate: vk::VertexInputRate::VERTEX, attributes };
    let points = vk::PrimitiveTopology::POINT_LIST;
    let fixed = measure(device, |scene, count| {
        scene.plain(&words, points, count);
        scene.layout = Some(layout.clone());
        Ok(())
    })?;
    print!("  {format:?}: fixed function {fixed:.3}");
    let ways = [("descriptors", descriptors(told.clone())), ("address", told.words(address(0)))];
    for (how, told) in ways {
        let pulled = vertex_pulling::lower(&module, "main", &told)?;
        let time = measure(device, |scene, count| {
            scene.plain(pulled.module.words(), points, count);
            scene.pulled(&pulled, &told);
            Ok(())
        })?;
        print!(", fetched by {how} {time:.3}");
    }
    println!();
    Ok(())
}

/// Prints what a captured triangle list takes: with indices and without, of attributes that are fetched and not.
fn indices(device: &Device, what: &str, decorated: &[u32]) -> Result<(), Box<dyn Error>> {
    let (list, drawn) = (Topology::TriangleList, vk::PrimitiveTopology::TRIANGLE_LIST);
    let decorating = Module::parse(decorated)?;
    let module = strip(&decorating)?;
    let known = known(Varying::from("captured"), list);
    println!("  {what}, triangle list:");
    if device.capabilities().transform_feedback.is_some() {
        for indexed in [false, true] {
            let time = measure(device, |scene, count| {
                scene.plain(decorated, drawn, count);
                scene.by_the_driver();
                if indexed {
                    scene.indexed();
                }
                Ok(())
            })?;
            let how = if indexed { "with indices" } else { "without" };
            println!("    by the driver, {how}: {time:.3}");
        }
    }
    let plain = Variants::new(&module, "main", &known)?;
    let time = measure(device, |scene, count| scene.captured(&plain, list, count))?;
    println!("    by stores, attributes by the fixed function: {time:.3}");
    let told = told(vk::Format::R32G32B32A32_SFLOAT)?;
    let addressed = transform_feedback::Options::new().interleaved(["captured"]).words(address(8));
    let addressed = addressed.topologies([list]).one_instance().one_limit();
    let by_address = (told.clone().words(address(0)), addressed);
    let by_descriptors = (descriptors(told), known);
    for (how, (told, known)) in [("descriptors", by_descriptors), ("addresses", by_address)] {
        let pulled = vertex_pulling::lower(&module, "main", &told)?;
        let width = Some(transform_feedback::IndexType::Uint32);
        for (what, known, indexed) in [
            ("attributes", known.clone(), false),
            ("attributes and indices", known.indexed(width), true),
        ] {
            let variants = Variants::new(&pulled.module, "main", &known)?;
            let time = measure(device, |scene, count| {
                match indexed {
                    true => scene.captured_by_index(&variants, list, count)?,
                    false => scene.captured(&variants, list, count)?,
                }
                scene.pulled(&pulled, &told);
                Ok(())
            })?;
            println!("    by stores, {what} fetched, {how}: {time:.3}");
        }
    }
    Ok(())
}
