//! Clip and cull distances of the layer, against those of the driver.

use crate::graphics::compiled;
use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use crate::picture::{Draw, Picture};
use ash::{ext, vk};
use polyshade_formats::ShaderStage;
use vk::PrimitiveTopology as Topology;
use vk::ShaderStageFlags as Flags;

const DRIVERS: [&str; 2] = [LAVAPIPE, SWIFTSHADER];

const NATIVE: Settings<'_> = &[];
const BOTH: Settings<'_> = &[
    (c"hide", c"shaderClipDistance,shaderCullDistance"),
    (c"provide", c"shaderClipDistance,shaderCullDistance"),
];
const WITH_CAPTURES: Settings<'_> = &[
    (c"hide", c"VK_EXT_transform_feedback,shaderClipDistance,shaderCullDistance"),
    (c"provide", c"shaderClipDistance,shaderCullDistance"),
];
const CULL: Settings<'_> = &[(c"hide", c"shaderCullDistance"), (c"provide", c"shaderCullDistance")];

/// The number of vertices in a draw.
const VERTICES: u32 = 48;

/// Draws scattered triangles, clipped at `x = -0.5` and `y = 0.25`, which are edges of pixels. Every third triangle is
/// culled. `CAPTURED` and `LAID` stand for qualifiers of captures.
const VERTEX: &str = "#version 450
CAPTURED out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    LAID float gl_ClipDistance[CLIP];
    float gl_CullDistance[1];
};
layout(location = 0) flat out uint number;
void main() {
    uint triangle = gl_VertexIndex / 3, corner = gl_VertexIndex % 3;
    uint bits = (gl_VertexIndex * 2654435761u) ^ (gl_VertexIndex << 7);
    vec2 place = vec2(bits >> 8 & 255u, bits >> 20 & 255u) / 96 - 1.3;
    float w = 1 + 0.5 * corner;
    gl_Position = vec4(place * w, 0, w);
    gl_PointSize = 3;
    gl_ClipDistance[0] = (place.x + 0.5) * w;
    gl_ClipDistance[1] = (0.25 - place.y) * w;
    gl_CullDistance[0] = triangle % 3 == 0 ? -1 : float(corner) - 1;
    number = triangle + 1;
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) flat in uint number;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(number / 255.0, 0, 0, 1); }";

/// The color depends on whether the fragment is right of the middle, which is the edge of a pixel.
const READING: &str = "#version 450
in float gl_ClipDistance[2];
in float gl_CullDistance[1];
layout(location = 0) flat in uint number;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(number / 255.0, step(0.5, gl_ClipDistance[0]), 0, 1); }";

/// Moves the triangles to the left, and reads and writes distances.
const GEOMETRY: &str = "#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
} gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
layout(location = 0) flat in uint given[];
layout(location = 0) flat out uint number;
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position - vec4(0.25 * gl_in[i].gl_Position.w, 0, 0, 0);
        gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[0];
        gl_CullDistance[0] = -gl_in[i].gl_CullDistance[0];
        number = given[i];
        EmitVertex();
    }
}";

const CONTROL: &str = "#version 450
layout(vertices = 3) out;
in gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
} gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_out[];
layout(location = 0) flat in uint given[];
layout(location = 0) flat out uint handed[];
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_out[gl_InvocationID].gl_ClipDistance[0] = gl_in[gl_InvocationID].gl_ClipDistance[0];
    gl_out[gl_InvocationID].gl_ClipDistance[1] = gl_in[gl_InvocationID].gl_CullDistance[0];
    handed[gl_InvocationID] = given[gl_InvocationID];
    gl_TessLevelOuter = float[4](1, 1, 1, 1);
    gl_TessLevelInner = float[2](1, 1);
}";

const EVALUATION: &str = "#version 450
layout(triangles) in;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
layout(location = 0) flat in uint handed[];
layout(location = 0) flat out uint number;
void main() {
    int i = gl_TessCoord.x == 1 ? 0 : gl_TessCoord.y == 1 ? 1 : 2;
    gl_Position = gl_in[i].gl_Position;
    gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[0];
    gl_CullDistance[0] = gl_in[i].gl_ClipDistance[1];
    number = handed[i];
}";

type Stages = Vec<(Flags, Vec<u32>)>;

fn vertex(source: &str) -> (Flags, Vec<u32>) {
    let source = source.replace("CAPTURED", "").replace("LAID", "").replace("CLIP", "2");
    (Flags::VERTEX, compiled(&source, ShaderStage::Vertex))
}

/// Returns the vertex stage with a number of clip distances that is a specialization constant.
fn specialized_vertex() -> (Flags, Vec<u32>) {
    let constant = "#version 450\nlayout(constant_id = 0) const int count = 1;";
    let source = VERTEX.replace("gl_ClipDistance[1]", "gl_ClipDistance[count - 1]");
    vertex(&source.replace("CLIP", "count").replace("#version 450", constant))
}

/// Returns the vertex stage with captured clip distances.
fn captured_vertex() -> (Flags, Vec<u32>) {
    let source = VERTEX
        .replace("CAPTURED", "layout(xfb_buffer = 0, xfb_stride = 8)")
        .replace("LAID", "layout(xfb_offset = 0)")
        .replace("CLIP", "2");
    (Flags::VERTEX, compiled(&source, ShaderStage::Vertex))
}

fn fragment(source: &str) -> (Flags, Vec<u32>) {
    (Flags::FRAGMENT, compiled(source, ShaderStage::Fragment))
}

fn features() -> vk::PhysicalDeviceFeatures {
    vk::PhysicalDeviceFeatures {
        shader_clip_distance: vk::TRUE,
        shader_cull_distance: vk::TRUE,
        occlusion_query_precise: vk::TRUE,
        ..Default::default()
    }
}

/// Creates a device with distances and, if the driver has them, the optional stages.
fn device(instance: &Instance, driver: &str) -> Device {
    let stages = vk::Bool32::from(driver == LAVAPIPE);
    let features = vk::PhysicalDeviceFeatures {
        geometry_shader: stages,
        tessellation_shader: stages,
        ..features()
    };
    instance.device_of(driver, &[], &[1.0], features).expect("a device with distances")
}

fn draw(stages: &[(Flags, Vec<u32>)], topology: Topology) -> Draw<'_> {
    Draw { stages, topology, count: VERTICES, discards: false, negative_depths: false, constant: 2 }
}

/// The pipeline without a fragment stage, which only counts samples. With one, it would be pipeline 0.
const WITHOUT_FRAGMENT: usize = 4;

/// Returns pipelines that use distances in all stages of a driver.
fn pipelines(driver: &str) -> Vec<(Stages, Topology)> {
    let vertex = vertex(VERTEX);
    let plain = vec![vertex.clone(), fragment(FRAGMENT)];
    let reading = vec![vertex.clone(), fragment(READING)];
    let mut all = vec![
        (plain.clone(), Topology::TRIANGLE_LIST),
        (reading.clone(), Topology::TRIANGLE_LIST),
        (reading, Topology::TRIANGLE_STRIP),
        (plain, Topology::POINT_LIST),
        (vec![vertex.clone()], Topology::TRIANGLE_LIST),
        // Vulkan allows any order of the stages.
        (vec![fragment(READING), vertex.clone()], Topology::TRIANGLE_LIST),
        // The pipeline decides how many distances there are: two.
        (vec![specialized_vertex(), fragment(FRAGMENT)], Topology::TRIANGLE_LIST),
    ];
    if driver == LAVAPIPE {
        let geometry = (Flags::GEOMETRY, compiled(GEOMETRY, ShaderStage::Geometry));
        let control = compiled(CONTROL, ShaderStage::TessellationControl);
        let control = (Flags::TESSELLATION_CONTROL, control);
        let evaluation = compiled(EVALUATION, ShaderStage::TessellationEvaluation);
        let evaluation = (Flags::TESSELLATION_EVALUATION, evaluation);
        let fragment = fragment(FRAGMENT);
        let geometry = vec![vertex.clone(), geometry, fragment.clone()];
        all.push((geometry, Topology::TRIANGLE_LIST));
        all.push((vec![vertex, control, evaluation, fragment], Topology::PATCH_LIST));
    }
    all
}

#[test]
fn pictures_are_those_of_the_driver() {
    let of_driver = Instance::new(NATIVE, Validation::Below);
    for settings in [BOTH, CULL] {
        let of_layer = Instance::new(settings, Validation::Below);
        for driver in DRIVERS {
            let [native, own] = [&of_driver, &of_layer].map(|one| device(one, driver));
            let [native, own] = [&native, &own].map(Picture::new);
            let mut samples = Vec::new();
            for (number, (stages, topology)) in pipelines(driver).iter().enumerate() {
                let draw = draw(stages, *topology);
                let [expected, found] =
                    [&native, &own].map(|picture| picture.draw(&draw).expect("a picture"));
                let name = format!("pipeline {number} on {driver} with {settings:?}");
                assert_eq!(found.0, expected.0, "{name}");
                // SwiftShader also counts the samples that it clips.
                assert!(driver == SWIFTSHADER || found.1 == expected.1, "{name}");
                samples.push(found.1);
            }
            assert!(samples[0] > 0);
            assert_eq!(samples[WITHOUT_FRAGMENT], samples[0], "{driver} with {settings:?}");
        }
        of_layer.assert_silent();
    }
    of_driver.assert_silent();
}

/// The control: the picture without distances differs from the others.
#[test]
fn a_picture_without_distances_differs() {
    let instance = Instance::new(BOTH, Validation::Below);
    let lines = VERTEX.lines().filter(|line| !line.contains("Distance"));
    let unclipped = lines.collect::<Vec<_>>().join("\n");
    for driver in DRIVERS {
        let device = device(&instance, driver);
        let picture = Picture::new(&device);
        let [clipped, whole] = [VERTEX, &unclipped].map(|source| {
            let stages = vec![vertex(source), fragment(FRAGMENT)];
            picture.draw(&draw(&stages, Topology::TRIANGLE_LIST)).expect("a picture")
        });
        assert!(clipped.1 < whole.1, "{} samples of {}", clipped.1, whole.1);
    }
    instance.assert_silent();
}

#[test]
fn features_and_limits_are_reported() {
    let hidden = Instance::new(&[BOTH[0]], Validation::Below);
    let provided = Instance::new(BOTH, Validation::Below);
    for driver in DRIVERS {
        for (instance, is_there) in [(&hidden, vk::FALSE), (&provided, vk::TRUE)] {
            let physical = instance.physical(driver);
            let mut chained = vk::PhysicalDeviceFeatures2::default();
            // SAFETY: the device belongs to the instance.
            let (plain, limits) = unsafe {
                instance.handle.get_physical_device_features2(physical, &mut chained);
                let properties = instance.handle.get_physical_device_properties(physical);
                (instance.handle.get_physical_device_features(physical), properties.limits)
            };
            for features in [plain, chained.features] {
                let found = [features.shader_clip_distance, features.shader_cull_distance];
                assert_eq!(found, [is_there; 2], "{driver}");
            }
            assert!(limits.max_combined_clip_and_cull_distances >= 8);
        }
        let refused = hidden.device_of(driver, &[], &[1.0], features()).err();
        assert_eq!(refused, Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        // Pipeline libraries have stages without the stages that they are linked with.
        let libraries = ext::graphics_pipeline_library::NAME.to_string_lossy().into_owned();
        assert!(!provided.extensions(driver).contains(&libraries));
    }
}

/// The driver's own feature stays the driver's, and draws are the driver's in any case.
#[test]
fn only_pipelines_are_the_layers() {
    // The drivers stay loaded while an instance is alive, so their commands stay where they are.
    let instances = [NATIVE, &BOTH[1..], BOTH]
        .map(|settings| Instance::with_layers(settings, &[polyshade_layer::LAYER_NAME]));
    let [native, unneeded, provided] = instances.each_ref().map(|instance| {
        let device = device(instance, LAVAPIPE);
        [c"vkCreateGraphicsPipelines", c"vkCmdDraw"].map(|name| device.command(instance, name))
    });
    assert_eq!(native, unneeded);
    assert_ne!(native[0], provided[0]);
    assert_eq!(native[1], provided[1]);
}

/// Draws triangles and captures this number of values of each vertex, with the extension and the features of the driver
/// and of the layer. Returns the pixels, the number of covered samples and the captured values of both.
fn drawn_and_captured(stages: &Stages, values: u32) -> [(Vec<u32>, u32, Vec<u32>); 2] {
    [NATIVE, WITH_CAPTURES].map(|settings| {
        let instance = Instance::new(settings, Validation::Below);
        let features = vk::PhysicalDeviceFeatures { geometry_shader: vk::TRUE, ..features() };
        let device = instance.device_able(LAVAPIPE, features);
        let draw = draw(stages, Topology::TRIANGLE_LIST);
        let drawn = Picture::new(&device).draw_captured(&draw, values * VERTICES);
        instance.assert_silent();
        drawn.expect("a picture")
    })
}

/// The layer's transform feedback captures the distances that the shader wrote.
#[test]
fn emulated_distances_are_captured() {
    let [native, own] = drawn_and_captured(&vec![captured_vertex(), fragment(FRAGMENT)], 2);
    assert_eq!(own, native);
    assert!(native.2.iter().any(|word| *word != 7), "nothing was captured");
}

/// The distances between a vertex and a capturing geometry stage are values that the driver supports.
#[test]
fn geometry_stages_with_emulated_distances_capture() {
    let source = GEOMETRY
        .replace("out gl_PerVertex { vec4", "out gl_PerVertex { layout(xfb_offset = 0) vec4")
        .replace("out gl_PerVertex", "layout(xfb_buffer = 0, xfb_stride = 16) out gl_PerVertex");
    let geometry = (Flags::GEOMETRY, compiled(&source, ShaderStage::Geometry));
    let stages = vec![vertex(VERTEX), geometry, fragment(FRAGMENT)];
    let [native, own] = drawn_and_captured(&stages, 4);
    assert_eq!(own, native);
    assert!(native.2.iter().all(|word| *word != 7), "something was not captured");
}

/// The beginning of a main function that discards fragments after early tests.
const EARLY: &str = "layout(early_fragment_tests) in; void main() { if (number == 2) discard;";

/// Fragments that early tests count cannot be discarded later, if the shader itself discards some of them. The driver's
/// transform feedback cannot capture distances that it does not get.
#[test]
fn pipelines_that_cannot_be_lowered_are_refused() {
    let early = FRAGMENT.replace("void main() {", EARLY);
    let instance = Instance::new(BOTH, Validation::Above);
    let device = instance.device_able(LAVAPIPE, features());
    let picture = Picture::new(&device);
    for stages in [[vertex(VERTEX), fragment(&early)], [captured_vertex(), fragment(FRAGMENT)]] {
        let refused = picture.draw(&draw(&stages, Topology::TRIANGLE_LIST)).err();
        assert_eq!(refused, Some(vk::Result::ERROR_UNKNOWN));
    }
    instance.assert_silent();
}

/// Pipelines that derive from a refused pipeline are refused, too. With early return, all later ones are.
#[test]
fn only_refused_pipelines_of_a_call_are_null() {
    use vk::PipelineCreateFlags as Create;
    for driver in DRIVERS {
        let instance = Instance::new(BOTH, Validation::Below);
        let device = device(&instance, driver);
        let picture = Picture::new(&device);
        let stages = [
            [vertex(VERTEX), fragment(FRAGMENT)],
            [vertex(VERTEX), fragment(&FRAGMENT.replace("void main() {", EARLY))],
        ];
        let [good, bad] = stages.each_ref().map(|stages| draw(stages, Topology::TRIANGLE_LIST));
        let created = |infos: &[vk::GraphicsPipelineCreateInfo<'_>]| {
            let (made, why) = picture.create(infos).expect_err("one is refused");
            assert_eq!(why, vk::Result::ERROR_UNKNOWN);
            // SAFETY: no commands use the pipelines.
            made.iter().for_each(|one| unsafe { device.handle.destroy_pipeline(*one, None) });
            made.iter().map(|one| *one != vk::Pipeline::null()).collect::<Vec<_>>()
        };
        let (of_bases, of_early) = picture
            .with_info(&good, |good| {
                let of_bad = picture.with_info(&bad, |bad| {
                    let [base, bad] = [good, bad].map(|one| one.flags(Create::ALLOW_DERIVATIVES));
                    let derived = good.flags(Create::DERIVATIVE);
                    let derived = [0, 1].map(|index| derived.base_pipeline_index(index));
                    let early = bad.flags(Create::EARLY_RETURN_ON_FAILURE);
                    (created(&[base, bad, derived[0], derived[1]]), created(&[good, early, good]))
                });
                of_bad.expect("modules")
            })
            .expect("modules");
        assert_eq!(of_bases, [true, false, true, false], "{driver}");
        assert_eq!(of_early, [true, false, false], "{driver}");
        instance.assert_silent();
    }
}

/// A pipeline without a fragment stage that never rasterizes gets none.
#[test]
fn pipelines_that_never_rasterize_need_no_fragment_stage() {
    for driver in DRIVERS {
        let instance = Instance::new(BOTH, Validation::Below);
        let device = device(&instance, driver);
        let stages = vec![vertex(VERTEX)];
        let draw = Draw { discards: true, ..draw(&stages, Topology::TRIANGLE_LIST) };
        let (pixels, samples) = Picture::new(&device).draw(&draw).expect("a picture");
        assert_eq!((pixels.iter().max(), samples), (Some(&0), 0));
        instance.assert_silent();
    }
}
