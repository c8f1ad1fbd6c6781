//! Every kind of resource in vertex shaders, alone and in an array. Each is read, and written if that is allowed.

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::memory::{bytes, words};
use polyshade_formats::SpirvVersion;
use polyshade_vulkan::vk::{self, ImageViewType as Type};
use polyshade_vulkan::{Descriptor, Draw, Outcome, Range, Resource, Stage, Texture, Work};

/// Compiles a vertex shader that fills `words`.
#[track_caller]
pub(crate) fn shader(declarations: &str, body: &str) -> Vec<u32> {
    let source = format!(
        "#version 450
        #extension GL_EXT_samplerless_texture_functions : enable
        layout(set = 3, binding = 0) buffer Words {{ uint words[]; }};
        {declarations}
        void main() {{ {body} gl_Position = vec4(0); gl_PointSize = 1.0; }}"
    );
    // Before SPIR-V 1.4, specialization constant operations are limited to 32-bit types.
    glsl::vertex(&source, "", SpirvVersion::SPIRV1_5)
}

/// Runs one vertex of a shader, and returns the `found` words that it writes and the outcome.
#[track_caller]
fn run<'a>(
    driver: Driver,
    vertex: &'a [u32],
    mut work: Work<'a>,
    found: usize,
) -> (Vec<u32>, Outcome) {
    let buffer = work.buffers.len();
    work.buffers.push(vec![0; 4 * found]);
    let range = Range { buffer, offset: 0, size: 4 * found as u64 };
    let mut draw = Draw::new(vec![Stage::vertex(vertex)], 0..1);
    draw.descriptors = work.draws.remove(0).descriptors;
    draw.descriptors.push(Descriptor::new(3, 0, Resource::StorageBuffer(range)));
    work.draws.push(draw);
    let mut outcome = driver.run(&work);
    let found = words(&outcome.buffers.remove(buffer));
    (found, outcome)
}

/// Returns work with only textures, buffers and descriptors.
fn bound(
    textures: Vec<Texture>,
    buffers: Vec<Vec<u8>>,
    descriptors: Vec<Descriptor>,
) -> Work<'static> {
    let draws = vec![Draw { descriptors, ..Draw::default() }];
    Work { textures, buffers, draws, ..Work::default() }
}

/// Returns an `R32_UINT` texture with texels that count from 100.
fn counting(view: Type, [width, height, depth]: [u32; 3], layers: u32) -> Texture {
    let texels = (100..100 + width * height * depth * layers).collect::<Vec<_>>();
    Texture {
        view,
        format: vk::Format::R32_UINT,
        width,
        height,
        depth,
        layers,
        contents: bytes(&texels),
        ..Texture::default()
    }
}

#[test]
fn texels_of_buffers_are_read_and_written() {
    let vertex = shader(
        "layout(set = 0, binding = 0) uniform usamplerBuffer numbers;
        layout(set = 0, binding = 1) uniform samplerBuffer colours;
        layout(set = 1, binding = 0, r32ui) uniform uimageBuffer both;",
        "words[0] = texelFetch(numbers, 2).x;
        words[1] = uint(textureSize(numbers));
        words[2] = uint(texelFetch(colours, 1).z * 255.0);
        words[3] = imageLoad(both, 1).x;
        imageStore(both, 0, uvec4(77));",
    );
    for driver in DRIVERS {
        // Views of parts of one buffer.
        let range = |offset, size| Range { buffer: 0, offset, size };
        let numbers = Resource::UniformTexels { range: range(0, 16), format: vk::Format::R32_UINT };
        let colours = vk::Format::R8G8B8A8_UNORM;
        let colours = Resource::UniformTexels { range: range(256, 8), format: colours };
        let both = Resource::StorageTexels { range: range(512, 8), format: vk::Format::R32_UINT };
        let mut buffer = vec![0; 520];
        buffer[..16].copy_from_slice(&bytes(&[10, 11, 12, 13]));
        buffer[256..264].copy_from_slice(&[0, 0, 0, 0, 0, 0, 255, 0]);
        buffer[516..].copy_from_slice(&bytes(&[55]));
        let descriptors = vec![
            Descriptor::new(0, 0, numbers),
            Descriptor::new(0, 1, colours),
            Descriptor::new(1, 0, both),
        ];
        let (found, outcome) = run(driver, &vertex, bound(vec![], vec![buffer], descriptors), 4);
        assert_eq!(found, [12, 4, 255, 55], "{driver:?}");
        assert_eq!(words(&outcome.buffers[0][512..]), [77, 55], "{driver:?}");
    }
}

struct View {
    view: Type,
    /// The name of the type in GLSL.
    name: &'static str,
    size: [u32; 3],
    layers: u32,
    /// The coordinates at which the last texel is sampled.
    last: &'static str,
    /// The coordinates of a stored texel, and its index.
    stored: (&'static str, usize),
}

const fn view(
    view: Type,
    name: &'static str,
    size: [u32; 3],
    layers: u32,
    last: &'static str,
    stored: (&'static str, usize),
) -> View {
    View { view, name, size, layers, last, stored }
}

const VIEWS: &[View] = &[
    view(Type::TYPE_1D, "1D", [3, 1, 1], 1, "0.99", ("1", 1)),
    view(Type::TYPE_1D_ARRAY, "1DArray", [3, 1, 1], 2, "vec2(0.99, 1)", ("ivec2(1)", 4)),
    view(Type::TYPE_2D, "2D", [3, 2, 1], 1, "vec2(0.99)", ("ivec2(1)", 4)),
    view(Type::TYPE_2D_ARRAY, "2DArray", [3, 2, 1], 2, "vec3(0.99, 0.99, 1)", ("ivec3(1)", 10)),
    view(Type::TYPE_3D, "3D", [3, 2, 2], 1, "vec3(0.99)", ("ivec3(1)", 10)),
    view(Type::CUBE, "Cube", [1, 1, 1], 6, "vec3(0, 0, -1)", ("ivec3(0, 0, 5)", 5)),
    view(
        Type::CUBE_ARRAY,
        "CubeArray",
        [1, 1, 1],
        12,
        "vec4(0, 0, -1, 1)",
        ("ivec3(0, 0, 11)", 11),
    ),
];

impl View {
    fn texture(&self) -> Texture {
        counting(self.view, self.size, self.layers)
    }
}

#[test]
fn textures_of_every_view_are_sampled_with_their_sampler_or_with_another() {
    for known in VIEWS {
        let View { view, name, last, .. } = known;
        let vertex = shader(
            &format!(
                "layout(set = 0, binding = 0) uniform usampler{name} whole;
                layout(set = 0, binding = 1) uniform utexture{name} image;
                layout(set = 1, binding = 1) uniform sampler nearest;"
            ),
            &format!(
                "words[0] = textureLod(whole, {last}, 0.0).x;
                words[1] = textureLod(usampler{name}(image, nearest), {last}, 0.0).x;"
            ),
        );
        for driver in DRIVERS {
            let texture = known.texture();
            let texels = words(&texture.contents).len() as u32;
            let descriptors = vec![
                Descriptor::new(0, 0, Resource::ImageWithSampler(0)),
                Descriptor::new(0, 1, Resource::Image(0)),
                Descriptor::new(1, 1, Resource::Sampler { compare: false }),
            ];
            let work = bound(vec![texture], vec![], descriptors);
            let (found, outcome) = run(driver, &vertex, work, 2);
            assert_eq!(found, [99 + texels; 2], "{driver:?} {view:?}");
            assert_eq!(outcome.textures, [[0_u8; 0]], "{driver:?} {view:?}");
        }
    }
}

#[test]
fn levels_are_sampled_and_fetched() {
    let vertex = shader(
        "layout(set = 0, binding = 0) uniform usampler2DArray numbers;",
        "for (int i = 0; i < 3; ++i) {
            words[2 * i] = textureLod(numbers, vec3(1), i).x;
            words[2 * i + 1] = texelFetch(numbers, ivec3(0, 0, 1), i).x;
        }
        words[6] = textureQueryLevels(numbers);",
    );
    // Three levels of 4 × 2, 2 × 1 and 1 × 1 texels, each with two layers.
    let whole = counting(Type::TYPE_2D_ARRAY, [4, 2, 1], 2);
    let contents = bytes(&(100..122).collect::<Vec<u32>>());
    let texture = Texture { levels: 3, contents, ..whole };
    for driver in DRIVERS {
        let descriptors = vec![Descriptor::new(0, 0, Resource::ImageWithSampler(0))];
        let (found, _) = run(driver, &vertex, bound(vec![texture.clone()], vec![], descriptors), 7);
        assert_eq!(found, [115, 108, 119, 118, 121, 121, 3], "{driver:?}");
    }
}

#[test]
fn one_texel_fills_a_texture() {
    let vertex = shader(
        "layout(set = 0, binding = 0) uniform texture2D image;",
        "words[0] = packUnorm4x8(texelFetch(image, ivec2(0, 0), 0));
        words[1] = packUnorm4x8(texelFetch(image, ivec2(4, 2), 0));",
    );
    let texture = Texture { width: 5, height: 3, contents: vec![1, 2, 3, 4], ..Texture::default() };
    for driver in DRIVERS {
        let descriptors = vec![Descriptor::new(0, 0, Resource::Image(0))];
        let (found, _) = run(driver, &vertex, bound(vec![texture.clone()], vec![], descriptors), 2);
        assert_eq!(found, [0x0403_0201; 2], "{driver:?}");
    }
}

#[test]
fn texels_with_several_samples_are_fetched() {
    let vertex = shader(
        "layout(set = 0, binding = 0) uniform usampler2DMS numbers;
        layout(set = 0, binding = 1) uniform sampler2DMS colours;
        layout(set = 0, binding = 2) uniform sampler2DMS depths;",
        "words[0] = texelFetch(numbers, ivec2(1), 3).y;
        words[1] = packUnorm4x8(texelFetch(colours, ivec2(1), 2));
        words[2] = uint(texelFetch(depths, ivec2(1), 1).x * 4.0);",
    );
    let texture = |format, contents| Texture {
        format,
        width: 2,
        height: 2,
        samples: vk::SampleCountFlags::TYPE_4,
        contents,
        ..Texture::default()
    };
    let textures = vec![
        texture(vk::Format::R32G32_UINT, bytes(&[8, 9])),
        texture(vk::Format::R8G8B8A8_UNORM, vec![0, 51, 102, 255]),
        texture(vk::Format::D32_SFLOAT, 0.75_f32.to_ne_bytes().to_vec()),
    ];
    for driver in DRIVERS {
        let with_sampler =
            |at: u32| Descriptor::new(0, at, Resource::ImageWithSampler(at as usize));
        let descriptors = (0..3).map(with_sampler).collect();
        let (found, _) = run(driver, &vertex, bound(textures.clone(), vec![], descriptors), 3);
        assert_eq!(found, [9, 0xff66_3300, 3], "{driver:?}");
    }
}

#[test]
fn shadow_samplers_compare() {
    let vertex = shader(
        "layout(set = 0, binding = 0) uniform sampler2DShadow whole;
        layout(set = 0, binding = 1) uniform texture2D image;
        layout(set = 0, binding = 2) uniform samplerShadow comparing;",
        "words[0] = uint(textureLod(whole, vec3(0.1, 0.5, 0.4), 0.0));
        words[1] = uint(textureLod(whole, vec3(0.1, 0.5, 0.6), 0.0));
        words[2] = uint(textureLod(sampler2DShadow(image, comparing), vec3(0.9, 0.5, 0.6), 0.0));
        words[3] = uint(textureLod(sampler2DShadow(image, comparing), vec3(0.9, 0.5, 0.8), 0.0));",
    );
    let half = |value: f32| (value * 65535.0) as u16;
    let formats = [
        (vk::Format::D32_SFLOAT, [0.5_f32, 0.7].map(f32::to_ne_bytes).concat()),
        (vk::Format::D16_UNORM, [half(0.5), half(0.7)].map(u16::to_ne_bytes).concat()),
    ];
    for driver in DRIVERS {
        for (format, contents) in formats.clone() {
            let texture =
                Texture { format, width: 2, contents, compare: true, ..Texture::default() };
            let descriptors = vec![
                Descriptor::new(0, 0, Resource::ImageWithSampler(0)),
                Descriptor::new(0, 1, Resource::Image(0)),
                Descriptor::new(0, 2, Resource::Sampler { compare: true }),
            ];
            let (found, _) = run(driver, &vertex, bound(vec![texture], vec![], descriptors), 4);
            assert_eq!(found, [1, 0, 1, 0], "{driver:?} {format:?}");
        }
    }
}

#[test]
fn storage_images_of_every_view_are_read_and_written() {
    for known in VIEWS {
        let View { view, name, stored: (place, at), .. } = known;
        let vertex = shader(
            &format!("layout(set = 0, binding = 0, r32ui) uniform uimage{name} image;"),
            &format!(
                "words[0] = imageLoad(image, {place}).x;
                imageStore(image, {place}, uvec4(7));
                words[1] = imageLoad(image, {place}).x;"
            ),
        );
        for driver in DRIVERS {
            let texture = Texture { storage: true, ..known.texture() };
            let descriptors = vec![Descriptor::new(0, 0, Resource::StorageImage(0))];
            let mut expected = words(&texture.contents);
            let before = std::mem::replace(&mut expected[*at], 7);
            let work = bound(vec![texture], vec![], descriptors);
            let (found, outcome) = run(driver, &vertex, work, 2);
            assert_eq!(found, [before, 7], "{driver:?} {view:?}");
            assert_eq!(words(&outcome.textures[0]), expected, "{driver:?} {view:?}");
        }
    }
}

#[test]
fn a_texture_is_stored_to_and_sampled() {
    let vertex = shader(
        "layout(set = 0, binding = 0, rgba8) uniform image2D image;
        layout(set = 0, binding = 1) uniform texture2D texels;",
        "words[0] = packUnorm4x8(texelFetch(texels, ivec2(1, 0), 0));
        imageStore(image, ivec2(0), vec4(1, 0, 1, 0));",
    );
    for driver in DRIVERS {
        let contents = vec![0, 0, 0, 0, 9, 8, 7, 6];
        let texture = Texture { width: 2, contents, storage: true, ..Texture::default() };
        let descriptors = vec![
            Descriptor::new(0, 0, Resource::StorageImage(0)),
            Descriptor::new(0, 1, Resource::Image(0)),
        ];
        let (found, outcome) = run(driver, &vertex, bound(vec![texture], vec![], descriptors), 1);
        assert_eq!(found, [0x0607_0809], "{driver:?}");
        assert_eq!(outcome.textures, [[255, 0, 255, 0, 9, 8, 7, 6]], "{driver:?}");
    }
}

#[test]
fn every_element_of_an_array_is_bound() {
    let vertex = shader(
        "layout(set = 0, binding = 0) uniform Uniform { uint value; } uniforms[2];
        layout(set = 0, binding = 1) buffer Storage { uint value; } storages[3];
        layout(set = 1, binding = 0) uniform usampler2D textures[2];
        layout(set = 1, binding = 1) uniform utexture2D images[2];
        layout(set = 1, binding = 2) uniform sampler samplers[2];
        layout(set = 1, binding = 3, r32ui) uniform uimage2D stored[2];
        layout(set = 2, binding = 0) uniform usamplerBuffer texels[2];
        layout(set = 2, binding = 1, r32ui) uniform uimageBuffer both[2];",
        "words[0] = uniforms[0].value;
        words[1] = uniforms[1].value;
        words[2] = storages[2].value;
        storages[1].value = 70;
        words[3] = textureLod(textures[1], vec2(0), 0.0).x;
        words[4] = textureLod(usampler2D(images[1], samplers[1]), vec2(0), 0.0).x;
        words[5] = imageLoad(stored[1], ivec2(0)).x;
        imageStore(stored[0], ivec2(0), uvec4(71));
        words[6] = texelFetch(texels[1], 0).x;
        words[7] = imageLoad(both[1], 0).x;",
    );
    let buffer = |index: u32| {
        let mut buffer = vec![0; 256];
        buffer[..4].copy_from_slice(&(index + 1).to_ne_bytes());
        buffer
    };
    let range = |buffer| Range { buffer, offset: 0, size: 4 };
    let format = vk::Format::R32_UINT;
    let texels = |buffer| Resource::UniformTexels { range: range(buffer), format };
    let both = |buffer| Resource::StorageTexels { range: range(buffer), format };
    let element = |set, binding, resources: &[Resource]| {
        let element = |(element, &resource)| Descriptor { set, binding, element, resource };
        (0..).zip(resources).map(element).collect::<Vec<_>>()
    };
    let descriptors = [
        element(0, 0, &[0, 1].map(|buffer| Resource::UniformBuffer(range(buffer)))),
        element(0, 1, &[2, 3, 4].map(|buffer| Resource::StorageBuffer(range(buffer)))),
        element(1, 0, &[0, 1].map(Resource::ImageWithSampler)),
        element(1, 1, &[0, 2].map(Resource::Image)),
        element(1, 2, &[Resource::Sampler { compare: false }; 2]),
        element(1, 3, &[3, 4].map(Resource::StorageImage)),
        element(2, 0, &[5, 6].map(texels)),
        element(2, 1, &[7, 8].map(both)),
    ];
    for driver in DRIVERS {
        let texture = |value: u32| Texture {
            format,
            contents: value.to_ne_bytes().to_vec(),
            storage: value >= 53,
            ..Texture::default()
        };
        let mut descriptors = descriptors.concat();
        // The order of descriptors does not matter.
        descriptors.reverse();
        let textures = (50..55).map(texture).collect();
        let work = bound(textures, (0..9).map(buffer).collect(), descriptors);
        let (found, outcome) = run(driver, &vertex, work, 8);
        assert_eq!(found, [1, 2, 5, 51, 52, 54, 7, 9], "{driver:?}");
        assert_eq!(words(&outcome.buffers[3])[0], 70, "{driver:?}");
        assert_eq!(words(&outcome.textures[3]), [71], "{driver:?}");
    }
}
