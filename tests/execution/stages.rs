//! Other parts of a draw: constants, attributes, indices, and the stages after the vertex stage.

use crate::drivers::{DRIVERS, Driver};
use crate::extension_stages::{LINES, PATCHES, POINTS, STREAMS};
use crate::glsl;
use crate::memory::{bytes, words};
use crate::resources::shader;
use polyshade::Module;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_vulkan::{
    Attribute, Constant, Descriptor, Draw, Indices, Place, Range, Resource, Stage, Target,
    VertexBuffer, VertexLayout, Work, vk,
};

/// Returns a draw with a shader from [`shader`]. Its `words` are in buffer 0.
fn draw(vertex: &[u32], words: u64) -> Draw<'_> {
    let range = Range { buffer: 0, offset: 0, size: 4 * words };
    Draw {
        descriptors: vec![Descriptor::new(3, 0, Resource::StorageBuffer(range))],
        ..Draw::new(vec![Stage::vertex(vertex)], 0..1)
    }
}

/// Returns a vertex buffer with these attributes, as buffer 1.
fn attributes(attributes: Vec<Attribute>) -> VertexBuffer {
    let layout = VertexLayout { stride: 32, rate: vk::VertexInputRate::VERTEX, attributes };
    VertexBuffer { place: Place { buffer: 1, offset: 0 }, layout }
}

/// Returns the contents of the first buffer after the draw.
#[track_caller]
fn run(driver: Driver, draw: Draw<'_>, buffers: Vec<Vec<u8>>) -> Vec<u32> {
    let work = Work { buffers, draws: vec![draw], ..Work::default() };
    words(&driver.run(&work).buffers[0])
}

/// Returns the features of a module that the driver lacks.
fn missing(driver: Driver, module: &[u32]) -> Vec<String> {
    let m = Module::parse(module).expect("glslang's words parse");
    driver.device().capabilities().missing(&m)
}

#[test]
fn constants_of_every_size_are_specialized() {
    use Constant::{Bits8, Bits16, Bits32, Bits64};
    let extension = "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n";
    // Types and expressions, each with a value, the expected words, and the capability that SwiftShader lacks.
    let cases = [
        ("bool", "c ? 5 : 6, 0", Bits32(1), [5, 0], ""),
        ("int", "uint(c), 0", Bits32(0x8000_0001), [0x8000_0001, 0], ""),
        ("float", "floatBitsToUint(c), 0", Bits32(2.5_f32.to_bits()), [0x4020_0000, 0], ""),
        ("int8_t", "uint(int(c)), 0", Bits8(0x81), [0xffff_ff81, 0], "Int8"),
        ("uint16_t", "uint(c), 0", Bits16(0x8001), [0x8001, 0], "Int16"),
        ("float16_t", "floatBitsToUint(float(c)), 0", Bits16(0x3e00), [0x3fc0_0000, 0], "Float16"),
        (
            "uint64_t",
            "uint(c), uint(c >> 32)",
            Bits64(0x8765_4321_0fed_cba9),
            [0x0fed_cba9, 0x8765_4321],
            "Int64",
        ),
        ("double", "unpackDouble2x32(c)", Bits64(2.5_f64.to_bits()), [0, 0x4004_0000], "Float64"),
    ];
    for (name, value, constant, expected, lacks) in cases {
        let declaration = format!(
            "{extension}layout(constant_id = 4) const {name} c = {name}(0);
            layout(constant_id = 5) const uint other = 1;"
        );
        let body =
            format!("uvec2 v = uvec2({value}); words[0] = v.x; words[1] = v.y; words[2] = other;");
        let vertex = shader(&declaration, &body);
        for driver in DRIVERS {
            if driver == Driver::SwiftShader && !lacks.is_empty() {
                let lacks = format!("capability {lacks} (shader{lacks})");
                assert_eq!(missing(driver, &vertex), [lacks], "{name}");
                continue;
            }
            assert_eq!(missing(driver, &vertex), [""; 0], "{driver:?} {name}");
            let mut draw = draw(&vertex, 3);
            // The size of a constant must not affect the next one.
            draw.stages[0].specialization = vec![(4, constant), (5, Bits32(9))];
            let found = run(driver, draw, vec![vec![0; 12]]);
            assert_eq!(found, [expected[0], expected[1], 9], "{driver:?} {name}");
        }
    }
}

#[test]
fn attributes_of_every_width_are_read() {
    use vk::Format as F;
    let [one, negative] = [1.0_f32, -1.0].map(f32::to_bits);
    // Shader types and formats, each with an element and its expected components.
    let cases: [(&str, F, Vec<u8>, [u32; 4]); 8] = [
        ("uvec4", F::R8G8B8A8_UINT, vec![1, 2, 3, 255], [1, 2, 3, 255]),
        ("ivec2", F::R8G8_SINT, vec![0xff, 2], [u32::MAX, 2, 0, 0]),
        ("vec2", F::R8G8_UNORM, vec![255, 0], [one, 0, 0, 0]),
        ("ivec2", F::R16G16_SINT, vec![0xfe, 0xff, 5, 0], [u32::MAX - 1, 5, 0, 0]),
        ("vec2", F::R16G16_SFLOAT, vec![0, 0x3c, 0, 0xbc], [one, negative, 0, 0]),
        ("uint", F::R32_UINT, bytes(&[8]), [8, 0, 0, 0]),
        ("vec3", F::R32G32B32_SFLOAT, bytes(&[one, 0, negative]), [one, 0, negative, 0]),
        ("uvec4", F::R32G32B32A32_UINT, bytes(&[1, 2, 3, 4]), [1, 2, 3, 4]),
    ];
    for (name, format, element, expected) in cases {
        let bits = match name {
            "vec2" => "uvec4(floatBitsToUint(a), 0, 0)",
            "vec3" => "uvec4(floatBitsToUint(a), 0)",
            "uint" => "uvec4(a, 0, 0, 0)",
            "ivec2" => "uvec4(a, 0, 0)",
            _ => "a",
        };
        let body = format!("uvec4 v = {bits}; for (int i = 0; i < 4; ++i) words[i] = v[i];");
        let vertex = shader(&format!("layout(location = 2) in {name} a;"), &body);
        for driver in DRIVERS {
            assert!(driver.device().takes_vertex_format(format), "{driver:?} {format:?}");
            let mut draw = draw(&vertex, 4);
            draw.vertex_buffers =
                vec![attributes(vec![Attribute { location: 2, format, offset: 0 }])];
            let found = run(driver, draw, vec![vec![0; 16], element.clone()]);
            assert_eq!(found, expected, "{driver:?} {format:?}");
        }
    }
}

#[test]
fn matrices_take_an_attribute_a_column() {
    let vertex = shader(
        "layout(location = 2) in mat2 a[2];",
        "words[0] = uint(a[0][0].x + a[0][1].x + a[1][0].x + a[1][1].x);",
    );
    let format = vk::Format::R32G32_SFLOAT;
    let with = |columns: u32| {
        let attribute = |i| Attribute { location: 2 + i, format, offset: 8 * i };
        let vertex_buffers = vec![attributes((0..columns).map(attribute).collect())];
        Draw { vertex_buffers, ..draw(&vertex, 1) }
    };
    let columns = bytes(&[1.0_f32, 0.0, 2.0, 0.0, 4.0, 0.0, 8.0, 0.0].map(f32::to_bits));
    for driver in DRIVERS {
        let buffers = vec![vec![0; 4], columns.clone()];
        assert_eq!(run(driver, with(4), buffers.clone()), [15], "{driver:?}");
        let work = Work { buffers, draws: vec![with(3)], ..Work::default() };
        let refused = driver.device().run(&work).expect_err("a column is missing").to_string();
        assert!(
            refused.contains("an attribute at location 5, but the draw has none there"),
            "{refused}"
        );
    }
}

#[test]
fn indices_choose_the_vertices() {
    let vertex = shader("", "words[gl_VertexIndex] += 1;");
    let short = [9_u16, 1, 3, 5, 9].map(u16::to_ne_bytes).concat();
    let long = [9_u32, 1, 3, 5, 9].map(u32::to_ne_bytes).concat();
    for driver in DRIVERS {
        for (index_type, width, buffer) in
            [(vk::IndexType::UINT16, 2, &short), (vk::IndexType::UINT32, 4, &long)]
        {
            let indices = Indices {
                place: Place { buffer: 1, offset: width },
                index_type,
                count: 2,
                first: 1,
                vertex_offset: -2,
                restart: false,
            };
            let draw = Draw { indices: Some(indices), ..draw(&vertex, 4) };
            let found = run(driver, draw, vec![vec![0; 16], buffer.clone()]);
            assert_eq!(found, [0, 1, 0, 1], "{driver:?} {index_type:?}");
        }
    }
}

/// Draws lines from left to right in one row of eight pixels; the vertex index determines each position.
fn line_pixels(driver: Driver, restart: bool) -> Vec<u32> {
    let vertex = glsl::vertex(
        "#version 450
        void main() { gl_Position = vec4(float(gl_VertexIndex) / 4.0 - 1.0, 0, 0, 1); }",
        "",
        SpirvVersion::SPIRV1_3,
    );
    let fragment = glsl::fragment(
        "#version 450
        layout(location = 0) out uint colour;
        void main() { colour = 1; }",
    );
    let last = if restart { 0xffff } else { 4_u16 };
    let indices = Indices {
        place: Place { buffer: 0, offset: 0 },
        index_type: vk::IndexType::UINT16,
        count: 5,
        first: 0,
        vertex_offset: 0,
        restart,
    };
    let draw = Draw {
        stages: vec![Stage::vertex(&vertex), Stage::fragment(&fragment)],
        topology: vk::PrimitiveTopology::LINE_STRIP,
        indices: Some(indices),
        target: Some(0),
        instances: 0..1,
        ..Draw::default()
    };
    let work = Work {
        buffers: vec![[0, 2, last, 6, 8].map(u16::to_ne_bytes).concat()],
        targets: vec![Target::new(vk::Format::R32_UINT, 8, 1)],
        draws: vec![draw],
        ..Work::default()
    };
    words(&driver.run(&work).targets[0])
}

#[test]
fn the_largest_index_starts_a_strip_anew() {
    for driver in DRIVERS {
        assert_eq!(line_pixels(driver, true), [1, 1, 0, 0, 0, 0, 1, 1], "{driver:?}");
        assert_eq!(line_pixels(driver, false), [1; 8], "{driver:?}");
    }
}

/// On lavapipe, other tests also compare what these stages compute.
#[test]
fn tessellation_and_geometry_stages_are_refused_where_they_are_missing() {
    use vk::ShaderStageFlags as Flags;
    let (patches, points) = (PATCHES.compiled(), POINTS.compiled());
    let evaluation = LINES.plain_stage(ShaderStage::TessellationEvaluation);
    let geometry = STREAMS.plain_stage(ShaderStage::Geometry);
    let tessellated = vec![
        Stage::vertex(&patches[0].1),
        Stage::new(Flags::TESSELLATION_CONTROL, &patches[1].1),
        Stage::new(Flags::TESSELLATION_EVALUATION, &evaluation),
    ];
    let tessellated = Draw {
        topology: vk::PrimitiveTopology::PATCH_LIST,
        patch_control_points: 2,
        ..Draw::new(tessellated, 0..2)
    };
    let emitted =
        Draw::new(vec![Stage::vertex(&points[0].1), Stage::new(Flags::GEOMETRY, &geometry)], 0..1);
    for (draw, module, lacks) in [
        (tessellated, &patches[1].1, "capability Tessellation (tessellationShader)"),
        (emitted, &geometry, "capability Geometry (geometryShader)"),
    ] {
        assert_eq!(missing(Driver::Lavapipe, module), [""; 0]);
        assert!(missing(Driver::SwiftShader, module).contains(&lacks.to_owned()));
        let work = Work { draws: vec![draw], ..Work::default() };
        Driver::Lavapipe.run(&work);
        let (outcome, messages) = Driver::SwiftShader.run_watched(&work);
        assert!(outcome.is_err() && messages.is_empty(), "{lacks}");
    }
}
