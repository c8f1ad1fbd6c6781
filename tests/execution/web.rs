//! Draws with the output of each verb in WebGPU, translated to WGSL.

use crate::blend::{Mode, bytes, colours, cover, equations, floats, lower};
use crate::drivers::DRIVERS;
use crate::glsl;
use crate::memory::bytes as words;
use crate::position::{inputs, module};
use crate::position_shaders::{TANGLED, Tangled};
use crate::webgpu::{Outcome, WebGpu, tests_in_webgpu};
use polyshade::advanced_blend::{
    Alpha, ArrayLayerSource, ColorBlend as Blending, Destination, Equation, FormatClass, Options,
};
use polyshade::host::{Binding, ParamSource, Set};
use polyshade::position_only;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_vulkan::{
    Descriptor, Draw, Place, Range, Resource, Stage, Target, Texture, VertexBuffer, VertexLayout,
    Work, vk,
};

tests_in_webgpu!(
    blends_as_the_model_says,
    draws_position_only_variants_where_they_draw_the_full_shader,
    samples_as_the_drivers_do,
    samples_where_neighbours_may_not_come,
    reads_members_where_they_lie,
    binds_elements_of_arrays_each_by_itself,
    reads_tight_arrays,
    hands_on_what_wgsl_has_at_locations_of_its_own,
    draws_points_of_size_1,
    copies_structures_of_buffers,
);

/// Every equation, with destinations from a texture. Push constants, which WGSL replaces by a uniform buffer, select
/// the equation.
fn blends_as_the_model_says(by: WebGpu) {
    let mode = Mode { source: Alpha::Straight, ..Mode::PLAIN };
    let blending = mode.of(Blending::new(Equation::ALL).format(FormatClass::Float));
    let destination =
        Destination::Texture { set: Set(3), binding: Binding(0), layer: ArrayLayerSource::One };
    let selected = ParamSource::PushConstant { offset: 0 };
    let options = Options::new().every_target(blending).select(selected).destination(destination);
    let (vertex, fragment) = (cover(), lower(&glsl::fragment(equations::COPY), &options));
    let mut work = equations::work([&vertex, &fragment], &Equation::ALL, mode);
    // The destination is a separate texture.
    let (_, pixels) = work.pixels[0].clone();
    work.textures.push(Texture { contents: pixels, ..work.textures[0].clone() });
    for draw in &mut work.draws {
        draw.descriptors[0].resource = Resource::Image(1);
    }
    let targets = by.run(&work).targets;
    let results: Vec<_> = targets.iter().map(|target| colours(target)).collect();
    for (equation, results) in Equation::ALL.into_iter().zip(&results) {
        let wrong = equations::wrong(equation, mode, results);
        assert_eq!(wrong.len(), 0, "{:#?}", &wrong[..wrong.len().min(4)]);
        let mut others = Equation::ALL.into_iter().filter(|other| *other != equation);
        assert!(others.all(|other| equations::is_noticed(other, mode, results)), "{equation}");
    }
}

/// Shaders that cannot be printed as WGSL, which has no fall-through between cases and no point size. naga does not
/// support all extended instructions that store.
const NOT_WGSL: [&str; 3] =
    ["branches", "extended instructions that store", "point size and clip distances"];

/// In every fragment, the position of each variant equals the full shader's position bit for bit.
fn draws_position_only_variants_where_they_draw_the_full_shader(by: WebGpu) {
    const FRAGMENT: &str = "#version 450
        layout(location = 0) out uvec2 pixel;
        void main() { pixel = uvec2(1u, floatBitsToUint(gl_FragCoord.z)); }";
    let fragment = glsl::fragment(FRAGMENT);
    let is_wgsl = |tangled: &&Tangled| !NOT_WGSL.contains(&tangled.name);
    let tangled: Vec<&Tangled> = TANGLED.iter().filter(is_wgsl).collect();
    assert_eq!(tangled.len(), TANGLED.len() - NOT_WGSL.len());
    let modules = tangled.iter().map(|tangled| {
        let full = module(tangled);
        let options = position_only::Options::new();
        let variant = position_only::lower(&full, "main", &options).expect(tangled.name).module;
        [full.words().to_vec(), variant.words().to_vec()]
    });
    let modules: Vec<[Vec<u32>; 2]> = modules.collect();
    let given = inputs(1);
    let mut work = Work { buffers: given.buffers.clone(), ..Work::default() };
    for vertex in modules.iter().flatten() {
        work.draws.push(Draw {
            stages: vec![Stage::vertex(vertex), Stage::fragment(&fragment)],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            target: Some(work.targets.len()),
            ..given.draw_with(vertex)
        });
        work.targets.push(Target::new(vk::Format::R32G32_UINT, 32, 24));
    }
    let targets = by.run(&work).targets;
    let pictures: Vec<&[Vec<u8>]> = targets.chunks(2).collect();
    for (tangled, both) in tangled.iter().zip(&pictures) {
        assert!(both[0] == both[1], "{}", tangled.name);
    }
    // The pictures differ from each other.
    let drawn = |picture: &Vec<u8>| picture.iter().any(|byte| *byte != 0);
    assert!(pictures.iter().filter(|both| drawn(&both[0])).count() > tangled.len() / 2);
    assert!(pictures[0][0] != pictures[1][0]);
}

/// Returns a draw of a triangle with a uniform buffer at binding 0 and a storage buffer at binding 1, of `words`
/// words.
fn of_two_buffers<'a>([vertex, fragment]: [&'a [u32]; 2], words: u16) -> Draw<'a> {
    let range = |buffer| Range { buffer, offset: 0, size: 4 * u64::from(words) };
    let descriptors = vec![
        Descriptor::new(0, 0, Resource::UniformBuffer(range(0))),
        Descriptor::new(0, 1, Resource::StorageBuffer(range(1))),
    ];
    triangle([vertex, fragment], descriptors)
}

/// Returns a draw of a triangle into the first target, with these resources.
fn triangle<'a>([vertex, fragment]: [&'a [u32]; 2], descriptors: Vec<Descriptor>) -> Draw<'a> {
    Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        descriptors,
        target: Some(0),
        ..Draw::new(vec![Stage::vertex(vertex), Stage::fragment(fragment)], 0..3)
    }
}

/// Returns the first target after the draws. Checks that all targets equal every driver's targets byte for byte.
#[track_caller]
fn drawn_alike(by: WebGpu, work: &Work<'_>) -> Vec<u8> {
    left_alike(by, work).targets.remove(0)
}

/// Returns the outcome of the work. Checks that all targets equal every driver's targets byte for byte.
#[track_caller]
fn left_alike(by: WebGpu, work: &Work<'_>) -> Outcome {
    let outcome = by.run(work);
    for driver in DRIVERS {
        for (found, right) in outcome.targets.iter().zip(&driver.run(work).targets) {
            let (found, right) = (colours(found), colours(right));
            assert!(found == right, "{driver:?}: {found:?} and not {right:?}");
        }
    }
    outcome
}

/// Returns a square texture of this size. Different values of `step` make different textures.
fn texture(size: u32, step: u8) -> Texture {
    Texture {
        format: vk::Format::R8G8B8A8_UNORM,
        width: size,
        height: size,
        contents: (0..size * size * 4).map(|at| (at as u8).wrapping_mul(step)).collect(),
        ..Texture::default()
    }
}

/// Combined image samplers that are passed to a function and fetched from, together with push constants.
fn samples_as_the_drivers_do(by: WebGpu) {
    const SIZE: u32 = 16;
    const FRAGMENT: &str = "#version 450
        layout(set = 0, binding = 1) uniform sampler2D one;
        layout(set = 1, binding = 0) uniform sampler2D other;
        layout(push_constant) uniform Push { vec4 tint; ivec2 texel; };
        layout(location = 0) out vec4 colour;
        vec4 sampled(sampler2D image, vec2 at) { return textureLod(image, at, 0.0); }
        void main() {
            vec2 at = gl_FragCoord.xy / 16.0;
            colour = tint * sampled(one, at) + sampled(other, at.yx) + texelFetch(one, texel, 0);
        }";
    let (vertex, fragment) = (cover(), glsl::fragment(FRAGMENT));
    let constants = [bytes([[0.5, 2.0, 1.0, 0.25]]), words(&[3, 5])].concat();
    let descriptors = vec![
        Descriptor::new(0, 1, Resource::ImageWithSampler(0)),
        Descriptor::new(1, 0, Resource::ImageWithSampler(1)),
    ];
    let draw = Draw { push_constants: constants, ..triangle([&vertex, &fragment], descriptors) };
    let mut work = Work {
        textures: vec![texture(SIZE, 7), texture(SIZE, 13)],
        targets: vec![floats(SIZE, SIZE)],
        draws: vec![draw],
        ..Work::default()
    };
    let found = drawn_alike(by, &work);
    // The textures differ.
    work.textures.swap(0, 1);
    assert!(found != DRIVERS[0].run(&work).targets[0]);
}

/// Implicit derivatives in a branch that only some fragments take, and the largest float.
fn samples_where_neighbours_may_not_come(by: WebGpu) {
    const FRAGMENT: &str = "#version 450
        layout(set = 0, binding = 0) uniform sampler2D image;
        layout(location = 0) out vec4 colour;
        void main() {
            vec2 at = gl_FragCoord.xy / 8.0;
            if (gl_FragCoord.x < 4.0) colour = texture(image, at) + dFdx(at).xxyy;
            else colour = min(vec4(3.402823466e38), vec4(at, 1.0, 2.0));
        }";
    const SIZE: u32 = 8;
    let (vertex, fragment) = (cover(), glsl::fragment(FRAGMENT));
    let image = Descriptor::new(0, 0, Resource::ImageWithSampler(0));
    let draw = triangle([&vertex, &fragment], vec![image]);
    let mut work = Work {
        textures: vec![texture(SIZE, 7)],
        targets: vec![floats(SIZE, SIZE)],
        draws: vec![draw],
        ..Work::default()
    };
    // The texture affects the result.
    let found = drawn_alike(by, &work);
    work.textures[0] = texture(SIZE, 13);
    assert!(found != DRIVERS[0].run(&work).targets[0]);
}

/// Members of buffers have the offsets that the module gives them: after padding, which WGSL must declare, and in
/// `std140` arrays, including arrays of structures, with elements that are 16 bytes apart.
fn reads_members_where_they_lie(by: WebGpu) {
    const FRAGMENT: &str = "#version 450
        struct Small { float less; int least; };
        layout(set = 0, binding = 0, std140) uniform Wide {
            float one[3]; layout(offset = 64) vec2 two[2]; layout(offset = 112) float last;
            layout(offset = 128, row_major) mat4 rows; float many[2][3]; Small small[2];
        };
        layout(set = 0, binding = 1, std430) readonly buffer Tight {
            layout(offset = 8) float first; layout(offset = 32) vec4 next; float rest[];
        };
        layout(location = 0) out vec4 colour;
        void main() {
            int at = int(gl_FragCoord.x);
            colour = vec4(one[at % 3], two[at % 2].y, last, first) + next * rest[at];
            colour += rows[2] + rows * vec4(1, 2, 3, 4) + many[at / 2][at % 3];
            colour.x += small[at % 2].less + intBitsToFloat(small[1].least);
        }";
    const WIDTH: u32 = 4;
    const COUNT: u16 = 80;
    let (vertex, fragment) = (cover(), glsl::fragment(FRAGMENT));
    let numbers = |count: u16| (0..count).flat_map(|one| f32::from(one).to_ne_bytes()).collect();
    let draw = of_two_buffers([&vertex, &fragment], COUNT);
    let work = Work {
        buffers: vec![numbers(COUNT), numbers(COUNT)],
        targets: vec![floats(WIDTH, 1)],
        draws: vec![draw],
        ..Work::default()
    };
    let found = drawn_alike(by, &work);
    // The values are those at the members' offsets.
    assert_eq!(colours(&found)[0], [667.0, 591.0, 658.0, 688.0]);
}

/// Arrays of buffers, textures and combined image samplers with some unused elements.
fn binds_elements_of_arrays_each_by_itself(by: WebGpu) {
    const SIZE: u32 = 4;
    const FRAGMENT: &str = "#version 450
        layout(set = 0, binding = 0) uniform U { vec4 first; float many[4]; } u[3];
        layout(set = 0, binding = 1) readonly buffer S { float rest[]; } s[3];
        layout(set = 1, binding = 0) uniform sampler2D images[3];
        layout(location = 0) out vec4 colour;
        void main() {
            int at = int(gl_FragCoord.x);
            vec2 there = gl_FragCoord.xy / 4.0;
            colour = u[0].first + u[2].many[at] + vec4(s[1].rest[at], s[2].rest[at], s[1].rest.length(), 0)
                + texture(images[1], there) + 2.0 * textureLod(images[2], there, 0.0);
        }";
    let (vertex, fragment) = (cover(), glsl::fragment(FRAGMENT));
    let buffer =
        |step: u16| (0..32 * step).flat_map(|one| f32::from(one * step).to_ne_bytes()).collect();
    let range = |buffer: u32| Range {
        buffer: buffer as usize,
        offset: 0,
        size: 4 * 32 * (u64::from(buffer) + 1),
    };
    let descriptors = (0..3).flat_map(|element| {
        [
            (0, 0, Resource::UniformBuffer(range(element))),
            (0, 1, Resource::StorageBuffer(range(3 + element))),
            (1, 0, Resource::ImageWithSampler(element as usize)),
        ]
        .map(|(set, binding, resource)| Descriptor { set, binding, element, resource })
    });
    let draw = triangle([&vertex, &fragment], descriptors.collect());
    let mut work = Work {
        buffers: (1..7).map(buffer).collect(),
        textures: [7, 13, 29].map(|step| texture(SIZE, step)).to_vec(),
        targets: vec![floats(SIZE, SIZE)],
        draws: vec![draw],
        ..Work::default()
    };
    let found = drawn_alike(by, &work);
    // Each element that the shader names affects the result.
    for (buffer, is_named) in [true, false, true, false, true, true].into_iter().enumerate() {
        work.buffers[buffer].rotate_left(4);
        assert_eq!(found != DRIVERS[0].run(&work).targets[0], is_named, "{buffer}");
        work.buffers[buffer].rotate_right(4);
    }
    work.textures.swap(1, 2);
    assert!(found != DRIVERS[0].run(&work).targets[0]);
}

/// Arrays of scalars in uniform blocks with a stride of 4 bytes, which WGSL does not support.
fn reads_tight_arrays(by: WebGpu) {
    const FRAGMENT: &str = "#version 450
        #extension GL_EXT_scalar_block_layout : require
        layout(set = 0, binding = 0, std430) uniform Tight {
            float one[8]; float last; layout(offset = 48) int many[2][4];
        };
        layout(location = 0) out vec4 colour;
        void main() {
            int at = int(gl_FragCoord.x);
            float all[8] = one;
            colour = vec4(one[at], last + float(many[1][2]), float(many[at / 2][uint(at) % 4u]), all[at + 2] + one[6]);
        }";
    const WIDTH: u32 = 4;
    let (vertex, fragment) = (cover(), glsl::fragment(FRAGMENT));
    let floats_in = (0_u16..12).flat_map(|one| f32::from(one).to_ne_bytes());
    let integers = (12_i32..20).flat_map(i32::to_ne_bytes);
    let range = Range { buffer: 0, offset: 0, size: 80 };
    let buffer = Descriptor::new(0, 0, Resource::UniformBuffer(range));
    let draw = triangle([&vertex, &fragment], vec![buffer]);
    let work = Work {
        buffers: vec![floats_in.chain(integers).collect()],
        targets: vec![floats(WIDTH, 1)],
        draws: vec![draw],
        ..Work::default()
    };
    let found = drawn_alike(by, &work);
    // The values are those at the members' offsets.
    assert_eq!(colours(&found)[3], [3.0, 26.0, 19.0, 11.0]);
}

const VARYINGS_OUT: &str = "#version 450
    layout(location = 0) in vec4 at;
    layout(location = 1) in mat2 m;
    layout(location = 3) in vec3 many[2];
    layout(location = 5, component = 1) in float one;
    layout(location = 5, component = 2) in vec2 two;
    struct Part { mat2x3 m; float c[2]; };
    layout(location = 0) out Part part;
    layout(location = 4) out Block {
        noperspective vec2 uv[1]; flat ivec2 k[2]; centroid vec4 w;
    } block;
    layout(location = 8) out mat2 not_read;
    layout(location = 10, component = 0) out vec2 not_read_either;
    layout(location = 10, component = 2) out float z;
    void main() {
        not_read = m;
        not_read_either = two;
        part.m = mat2x3(vec3(m[0], 1.0), vec3(m[1], 2.0));
        part.c[gl_VertexIndex % 2] = many[gl_VertexIndex % 2].y;
        part.c[1 - gl_VertexIndex % 2] = many[0].z;
        block.uv[0] = at.xy;
        block.k = ivec2[2](ivec2(many[0].xy), ivec2(many[1].xz));
        block.w = at;
        z = one + two.x;
        gl_Position = vec4(at.xy * at.w, 0.5 * at.w, at.w);
    }";

const VARYINGS_IN: &str = "#version 450
    struct Part { mat2x3 m; float c[2]; };
    layout(location = 0) in Part part;
    layout(location = 4) in Block { noperspective vec2 uv[1]; flat ivec2 k[2]; centroid vec4 w; } block;
    layout(location = 10, component = 2) in float z;
    layout(location = 0, component = 0) out vec2 low;
    layout(location = 0, component = 2) out vec2 high;
    layout(location = 1) out vec4 others[1];
    vec4 whole(vec4 value) { return floor(value * 16.0); }
    void main() {
        Part all = part;
        vec4 both = whole(vec4(all.m[0].x, part.m[1].y, all.c[0], part.c[1]));
        low = both.xy + vec2(block.k[1]);
        high = both.zw;
        others[int(gl_FragCoord.y)] = whole(vec4(block.uv[0].x, block.w.xw, z)) + block.k[0].yyyy;
    }";

/// Arrays, matrices, structures and partly used locations in attributes, between stages and in targets. The fragment
/// stage reads only some of the vertex stage's outputs.
fn hands_on_what_wgsl_has_at_locations_of_its_own(by: WebGpu) {
    const WIDTH: u32 = 8;
    const LOCATIONS: u16 = 6;
    let vertex = glsl::vertex(VARYINGS_OUT, "", SpirvVersion::SPIRV1_0);
    let fragment = glsl::fragment(VARYINGS_IN);
    // The vertices of a triangle that contains the middle of the target's only row, with different depths, followed
    // by numbers.
    let corners = [[-1.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0], [-1.0, 1.0, 0.0, 4.0]];
    let attributes = (0_u16..3).zip(corners).flat_map(|(vertex, corner)| {
        let number = move |one| f32::from(vertex * 31 + one * 7 % 23) / 4.0;
        corner.into_iter().chain((4..4 * LOCATIONS).map(number)).flat_map(f32::to_ne_bytes)
    });
    let format = vk::Format::R32G32B32A32_SFLOAT;
    let layout = VertexLayout::vectors((0..LOCATIONS.into()).map(|location| (location, format)));
    let draw = Draw {
        vertex_buffers: vec![VertexBuffer { place: Place { buffer: 0, offset: 0 }, layout }],
        other_targets: vec![1],
        ..triangle([&vertex, &fragment], Vec::new())
    };
    let mut work = Work {
        buffers: vec![attributes.collect()],
        targets: vec![floats(WIDTH, 1), floats(WIDTH, 1)],
        draws: vec![draw],
        ..Work::default()
    };
    drawn_alike(by, &work);
    // Each attribute that reaches the fragment stage affects the result.
    let targets = DRIVERS[0].run(&work).targets;
    for location in 0..usize::from(LOCATIONS) {
        for vertex in work.buffers[0].chunks_mut(16 * usize::from(LOCATIONS)) {
            vertex[16 * location..][..16].rotate_left(4);
        }
        assert!(targets != DRIVERS[0].run(&work).targets, "{location}");
        for vertex in work.buffers[0].chunks_mut(16 * usize::from(LOCATIONS)) {
            vertex[16 * location..][..16].rotate_right(4);
        }
    }
}

/// Points, with an explicit size of 1.
fn draws_points_of_size_1(by: WebGpu) {
    const VERTEX: &str = "#version 450
        void main() {
            gl_Position = vec4(float(gl_VertexIndex) / 2.0 - 0.75, 0.0, 0.0, 1.0);
            gl_PointSize = 1.0;
        }";
    const FRAGMENT: &str = "#version 450
        layout(location = 0) out vec4 colour;
        void main() { colour = gl_FragCoord; }";
    let vertex = glsl::vertex(VERTEX, "", SpirvVersion::SPIRV1_0);
    let fragment = glsl::fragment(FRAGMENT);
    let draw = Draw {
        target: Some(0),
        ..Draw::new(vec![Stage::vertex(&vertex), Stage::fragment(&fragment)], 0..3)
    };
    let work = Work { targets: vec![floats(4, 1)], draws: vec![draw], ..Work::default() };
    let found = drawn_alike(by, &work);
    let drawn = colours(&found).iter().filter(|colour| colour[3] == 1.0).count();
    assert_eq!(drawn, 3);
}

/// Copies between a structure in a buffer and one without offsets, in both directions (`OpCopyLogical`).
fn copies_structures_of_buffers(by: WebGpu) {
    const FRAGMENT: &str = "#version 450
        struct Inner { vec3 a; float b[3]; };
        struct Outer { Inner inner[2]; mat2x4 m; float last; };
        layout(set = 0, binding = 0, std140) uniform Read { Outer read; };
        layout(set = 0, binding = 1, std140) buffer Written { Outer written; };
        layout(location = 0) out vec4 colour;
        void main() {
            Outer one = read;
            one.inner[1].b[2] += 1.0;
            written = one;
            colour = vec4(one.inner[0].a.y, one.inner[1].b[int(gl_FragCoord.x)], one.m[1].x, one.last);
        }";
    const SIZE: u16 = 64;
    let fragment = glsl::compiled(ShaderStage::Fragment, FRAGMENT, SpirvVersion::SPIRV1_4);
    let vertex = cover();
    // Copy the numbers through the shader.
    let draw = of_two_buffers([&vertex, &fragment], SIZE);
    let numbers = (0..SIZE).flat_map(|one| f32::from(one).to_ne_bytes()).collect();
    let work = Work {
        buffers: vec![numbers, vec![0; 4 * usize::from(SIZE)]],
        targets: vec![floats(3, 1)],
        draws: vec![draw],
        ..Work::default()
    };
    // The buffers equal the drivers'.
    let found = left_alike(by, &work).buffers.remove(1);
    assert!(found.iter().any(|byte| *byte != 0));
    for driver in DRIVERS {
        assert!(found == driver.run(&work).buffers[1], "{driver:?}");
    }
}
