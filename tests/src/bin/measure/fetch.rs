//! Measures vertex pulling for each format, and index fetches in the shader, compared with the fixed function.

use crate::scene::{HEAVY, Scene, Step, TRIVIAL, known};
use crate::{Result, row, vertex};
use polyshade::Module;
use polyshade::host::{AddressSource, Binding, ParamSource, Set};
use polyshade::transform_feedback::{self, IndexType, Topology, strip};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Format, Options, Rate};
use polyshade_vulkan::{Attribute as Bound, Device, Variants, VertexLayout, vk};

/// Formats that all devices support, each with the type of the shader's input.
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

pub(crate) fn measure(device: &Device) -> Result<()> {
    for (format, ty) in FORMATS {
        attribute(device, format, ty)?;
    }
    for (name, text) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
        indices(device, name, &vertex(text)?)?;
    }
    Ok(())
}

/// Returns a source of host parameters: an address in push constants.
fn address(offset: u32) -> ParamSource {
    ParamSource::Address(AddressSource::PushConstant { offset })
}

/// Returns options for one attribute of this format, in its own buffer.
fn one_attribute(format: vk::Format) -> Result<Options> {
    let format: Format = format!("{format:?}").parse()?;
    let buffer = Buffer { stride: Some(format.size()), rate: Some(Rate::Vertex) };
    let attribute = Attribute { buffer: 0, offset: Some(0), format: Some(format) };
    Ok(Options::new().attribute(0, attribute).buffer(0, buffer))
}

/// Binds vertex buffers as descriptors, at bindings that captures do not use.
fn by_descriptors(options: Options) -> Options {
    options.storage(Some(Set(2)), Some(Binding(0)))
}

/// Prints the cost of an attribute of one format. The shader uses all components. No vertex is outside clip space,
/// because drivers do more work for such vertices.
fn attribute(device: &Device, format: vk::Format, ty: &str) -> Result<()> {
    let words = vertex(&format!(
        "#version 450
        layout(location = 0) in {ty} a;
        void main() {{
            vec4 within = clamp(vec4(a{}), 0.0, 1.0);
            gl_Position = vec4(within.xyz * within.w, 1);
            gl_PointSize = 1;
        }}",
        if ty == "vec3" { ", 1" } else { "" }
    ))?;
    // Measure fixed-function fetch, then both sources of pulled attributes.
    let module = Module::parse(&words)?;
    let options = one_attribute(format)?;
    let stride = options.buffers()[&0].stride.unwrap_or(0);
    let attributes = vec![Bound { location: 0, format, offset: 0 }];
    let layout = VertexLayout { stride, rate: vk::VertexInputRate::VERTEX, attributes };
    let fixed = Scene { layout, ..Scene::new(Topology::PointList) };
    let mut times = vec![("fixed function", fixed.measure(device, &[Step::Plain(&words)])?)];
    for (name, options) in [
        ("fetched by descriptors", by_descriptors(options.clone())),
        ("by an address", options.params(address(0))),
    ] {
        let pulled = vertex_pulling::lower(&module, "main", &options)?;
        let scene = Scene { pulled: Some((&pulled, &options)), ..Scene::new(Topology::PointList) };
        times.push((name, scene.measure(device, &[Step::Plain(pulled.module.words())])?));
    }
    row(&format!("{format:?}"), &times);
    Ok(())
}

/// Prints the cost of a captured list with and without indices, and with fixed-function and pulled attributes.
fn indices(device: &Device, name: &str, decorated: &[u32]) -> Result<()> {
    let list = Topology::TriangleList;
    let decorating = Module::parse(decorated)?;
    let module = strip(&decorating, 0)?;
    let known = known("captured".into(), list);
    let mut times = Vec::new();
    // Measure the native feature, with and without indices.
    if device.capabilities().transform_feedback.is_some() {
        for (name, indexed) in [("by the driver", false), ("the same with indices", true)] {
            let scene = Scene { indexed, ..Scene::new(list) };
            times.push((name, scene.measure(device, &[Step::Native(decorated)])?));
        }
    }
    // The storage path, first with fixed-function attributes.
    let plain = Variants::new(&module, "main", &known)?;
    let plain = Scene::new(list).measure(device, &[Step::Capture(&plain)])?;
    times.push(("by stores", plain));
    let attribute = one_attribute(vk::Format::R32G32B32A32_SFLOAT)?;
    let addressed = transform_feedback::Options::new().interleaved(["captured"]).params(address(8));
    let addressed = addressed.topologies([list]).one_instance().limit_in_vertices();
    // Pulled attributes, with and without indices.
    for (names, options, known) in [
        (["attributes by descriptors", "and indices"], by_descriptors(attribute.clone()), known),
        (["attributes by addresses", "and indices"], attribute.params(address(0)), addressed),
    ] {
        let pulled = vertex_pulling::lower(&module, "main", &options)?;
        let with_indices = known.clone().indexed(Some(IndexType::Uint32));
        for (name, known, indexed) in [(names[0], known, false), (names[1], with_indices, true)] {
            let variants = Variants::new(&pulled.module, "main", &known)?;
            let scene = Scene { indexed, pulled: Some((&pulled, &options)), ..Scene::new(list) };
            times.push((name, scene.measure(device, &[Step::Capture(&variants)])?));
        }
    }
    row(&format!("{name}, triangle list"), &times);
    Ok(())
}
