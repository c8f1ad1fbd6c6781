//! Depths from -1 to 1 (`VK_EXT_depth_clip_control`) of the layer, against those of the driver.

use crate::graphics::compiled;
use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use crate::picture::{Draw, Picture};
use ash::{ext, vk};
use polyshade_formats::ShaderStage;
use vk::ShaderStageFlags as Flags;

const DEPTH_CLIP: &std::ffi::CStr = ext::depth_clip_control::NAME;

const NATIVE: Settings<'_> = &[];
const PROVIDED: Settings<'_> =
    &[(c"hide", c"VK_EXT_depth_clip_control"), (c"provide", c"VK_EXT_depth_clip_control")];
const WITH_CAPTURES: Settings<'_> = &[
    (c"hide", c"VK_EXT_depth_clip_control,VK_EXT_transform_feedback"),
    (c"provide", c"VK_EXT_depth_clip_control"),
];

const VERTICES: u32 = 36;

/// Draws scattered points, with depths from -1.5 to 1.25 in steps of a quarter. The position is captured.
const VERTEX: &str = "#version 450
layout(xfb_buffer = 0, xfb_stride = 16) out gl_PerVertex {
    layout(xfb_offset = 0) vec4 gl_Position;
    float gl_PointSize;
};
void main() {
    uint bits = (gl_VertexIndex * 2654435761u) ^ (gl_VertexIndex << 7);
    vec2 place = vec2(bits >> 8 & 255u, bits >> 20 & 255u) / 128 - 1;
    float w = 1 + gl_VertexIndex % 3;
    gl_Position = vec4(place, gl_VertexIndex % 12 * 0.25 - 1.5, 1) * w;
    gl_PointSize = 3;
}";

const GEOMETRY: &str = "#version 450
layout(points) in;
layout(points, max_vertices = 1) out;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];
layout(xfb_buffer = 0, xfb_stride = 16) out gl_PerVertex {
    layout(xfb_offset = 0) vec4 gl_Position;
    float gl_PointSize;
};
void main() {
    gl_Position = gl_in[0].gl_Position + vec4(0, 0, 0.25 * gl_in[0].gl_Position.w, 0);
    gl_PointSize = 2;
    EmitVertex();
}";

/// Depths are multiples of an eighth.
const FRAGMENT: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_FragCoord.z * 8 / 255, 0, 0, 1); }";

type Stages = Vec<(Flags, Vec<u32>)>;

fn stages(has_geometry: bool) -> Stages {
    // Only the last stage may capture.
    let uncaptured = VERTEX
        .replace("layout(xfb_buffer = 0, xfb_stride = 16)", "")
        .replace("layout(xfb_offset = 0)", "");
    let vertex = if has_geometry { &uncaptured } else { VERTEX };
    let mut stages = vec![(Flags::VERTEX, compiled(vertex, ShaderStage::Vertex))];
    if has_geometry {
        stages.push((Flags::GEOMETRY, compiled(GEOMETRY, ShaderStage::Geometry)));
    }
    stages.push((Flags::FRAGMENT, compiled(FRAGMENT, ShaderStage::Fragment)));
    stages
}

fn device(instance: &Instance) -> Device {
    let features = vk::PhysicalDeviceFeatures {
        geometry_shader: vk::TRUE,
        occlusion_query_precise: vk::TRUE,
        shader_tessellation_and_geometry_point_size: vk::TRUE,
        ..Default::default()
    };
    let extensions = [ext::transform_feedback::NAME, DEPTH_CLIP];
    instance.device_of(LAVAPIPE, &extensions, &[1.0], features).expect("a device")
}

/// Draws points and captures their positions. Returns the pixels, the number of samples, and the positions.
fn drawn(instance: &Instance, stages: &Stages, negative_depths: bool) -> (Vec<u32>, u32, Vec<u32>) {
    let device = device(instance);
    let mut picture = Picture::new(&device);
    let topology = vk::PrimitiveTopology::POINT_LIST;
    let draw =
        Draw { stages, topology, count: VERTICES, discards: false, negative_depths, constant: 0 };
    picture.draw_captured(&draw, 4 * VERTICES).expect("a picture")
}

#[test]
fn depths_are_converted_and_the_original_positions_captured() {
    let instances = [NATIVE, PROVIDED, WITH_CAPTURES]
        .map(|settings| Instance::new(settings, Validation::Below));
    for has_geometry in [false, true] {
        let stages = stages(has_geometry);
        let [native, own, capturing] =
            instances.each_ref().map(|instance| drawn(instance, &stages, true));
        assert_eq!(own, native, "geometry: {has_geometry}");
        assert_eq!(capturing, native, "geometry: {has_geometry}");
        // The control: other depths give another picture, of the same positions.
        let [control, own] = [0, 1].map(|number: usize| drawn(&instances[number], &stages, false));
        assert_eq!(own, control);
        assert_ne!(control.0, native.0);
        assert_eq!(control.2, native.2);
    }
    instances.iter().for_each(Instance::assert_silent);
}

#[test]
fn the_extension_is_reported() {
    let is_listed = |instance: &Instance, driver| {
        instance.extensions(driver).iter().any(|name| *name == *DEPTH_CLIP.to_string_lossy())
    };
    let hidden = Instance::new(&[PROVIDED[0]], Validation::Below);
    let provided = Instance::new(PROVIDED, Validation::Below);
    for driver in [LAVAPIPE, SWIFTSHADER] {
        for (instance, is_there) in [(&hidden, false), (&provided, true)] {
            assert_eq!(is_listed(instance, driver), is_there);
            let mut control = vk::PhysicalDeviceDepthClipControlFeaturesEXT::default();
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut control);
            let physical = instance.physical(driver);
            // SAFETY: the device belongs to the instance.
            unsafe { instance.handle.get_physical_device_features2(physical, &mut features) };
            assert_eq!(control.depth_clip_control, vk::Bool32::from(is_there));
            let device = instance.device_with(driver, &[DEPTH_CLIP]).map(drop);
            let expected =
                if is_there { Ok(()) } else { Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT) };
            assert_eq!(device, expected);
        }
    }
}
