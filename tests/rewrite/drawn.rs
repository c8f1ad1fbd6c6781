//! The lowerings that consist of rewrite tools have their intended effect on two drivers.

use crate::drivers::{DRIVERS, Driver};
use crate::shader::Shader;
use polyshade_tests::lowerings::{blend, discard_rasterization, library_of};
use polyshade_tests::shader::ShaderStage;
use polyshade_vulkan::{Constant, Descriptor, Draw, Range, Resource, Stage, Target, Work, vk};

const TARGET: Target = Target::new(vk::Format::R32G32B32A32_SFLOAT, 4, 4);

/// A triangle that covers every pixel; its position is written before an early return and after it.
const COVER: &str = "
    void main() {
        gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, -1, 0, 1);
        if (gl_VertexIndex != 2) return;
        gl_Position.y = 3.0;
    }";

const WHITE: &str = "layout(location = 0) out vec4 v; void main() { v = vec4(1.0); }";

/// One colour for each column: discarded two calls deep, returned early from a loop, returned early, and written at
/// the end.
const COLUMNS: &str = "
    layout(location = 0) out vec4 colour;
    void deeper(int column) { if (column == 0) discard; }
    void deep(int column) { if (column < 2) { deeper(column); colour.a = 0.5; return; } }
    void main() {
        int column = int(gl_FragCoord.x);
        colour = vec4(0.25, 0.5, 0.125, 1.0);
        for (int i = 0; i < 3; ++i) {
            if (column == i) { deep(column); if (column != 2) return; }
        }
        if (column == 2) { colour.rgb = vec3(0.75, 0.0, 1.0); return; }
        colour = vec4(0.0);
    }";

fn draw<'a>(stages: Vec<Stage<'a>>) -> Draw<'a> {
    Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        target: Some(0),
        ..Draw::new(stages, 0..3)
    }
}

/// Returns the first row of the target after one draw.
#[track_caller]
fn row(driver: Driver, draw: Draw<'_>, buffers: Vec<Vec<u8>>) -> Vec<[f32; 4]> {
    let work = Work { buffers, targets: vec![TARGET], draws: vec![draw], ..Work::default() };
    let pixels = driver.run(&work).targets.swap_remove(0);
    let floats: Vec<f32> =
        pixels.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
    let rows: Vec<_> = floats.as_chunks().0.chunks(TARGET.width as usize).collect();
    assert!(rows.iter().all(|row| *row == rows[0]), "{driver:?}: rows differ");
    rows[0].to_vec()
}

#[test]
fn a_shader_draws_unless_its_constant_discards() {
    let vertex = Shader::glsl(ShaderStage::Vertex, COVER);
    let fragment = Shader::glsl(ShaderStage::Fragment, WHITE);
    let (lowered, ()) = vertex.rewritten(|m, p| discard_rasterization(m, p, 7));
    for driver in DRIVERS {
        let with = |specialization| {
            let vertex = Stage { specialization, ..Stage::vertex(lowered.module().words()) };
            let fragment = Stage::fragment(fragment.module().words());
            row(driver, draw(vec![vertex, fragment]), Vec::new())
        };
        for off in [vec![], vec![(7, Constant::Bits32(0))]] {
            assert_eq!(with(off), [[1.0; 4]; 4], "{driver:?}");
        }
        assert_eq!(with(vec![(7, Constant::Bits32(1))]), [[0.0; 4]; 4], "{driver:?}");
    }
}

/// `GL_MULTIPLY_KHR` of premultiplied colours with nonzero alpha.
fn multiplied(source: [f32; 4], destination: [f32; 4]) -> [f32; 4] {
    let [sa, da] = [source[3], destination[3]];
    let mut result = [sa + da - sa * da; 4];
    for i in 0..3 {
        let mixed = source[i] / sa * (destination[i] / da) * sa * da;
        result[i] = mixed + source[i] * (1.0 - da) + destination[i] * (1.0 - sa);
    }
    result
}

const MULTIPLY: &str = include_str!("../libraries/multiply.glsl");

const DESTINATION: [f32; 4] = [0.5, 0.25, 0.75, 0.875];

/// Returns a row of columns that a GLSL equation blends with [`DESTINATION`].
#[track_caller]
fn blended(driver: Driver, equation: &str) -> Vec<[f32; 4]> {
    let vertex = Shader::glsl(ShaderStage::Vertex, COVER);
    let fragment = Shader::glsl(ShaderStage::Fragment, COLUMNS);
    let equation = library_of(equation).unwrap();
    let (lowered, ()) = fragment.rewritten(|m, p| blend(m, p, &equation));

    let [vertex, fragment] = [&vertex, &lowered].map(|shader| shader.module().words());
    let mut draw = draw(vec![Stage::vertex(vertex), Stage::fragment(fragment)]);
    let resource = Resource::UniformBuffer(Range { buffer: 0, offset: 0, size: 16 });
    draw.descriptors = vec![Descriptor::new(1, 0, resource)];
    let bytes = DESTINATION.iter().flat_map(|value| value.to_ne_bytes()).collect();
    row(driver, draw, vec![bytes])
}

fn is_close(pixel: [f32; 4], expected: [f32; 4]) -> bool {
    pixel.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6)
}

/// Returns the expected colours of the columns.
fn expected() -> [[f32; 4]; 4] {
    [
        [0.0; 4],
        multiplied([0.25, 0.5, 0.125, 0.5], DESTINATION),
        multiplied([0.75, 0.0, 1.0, 1.0], DESTINATION),
        DESTINATION,
    ]
}

#[test]
fn a_shader_multiplies_by_the_destination_however_its_body_returns() {
    for driver in DRIVERS {
        let row = blended(driver, MULTIPLY);
        for (column, (pixel, expected)) in row.into_iter().zip(expected()).enumerate() {
            let close = is_close(pixel, expected);
            assert!(close, "{driver:?}, column {column}: {pixel:?}, expected {expected:?}");
        }
    }
}

#[test]
fn an_equation_that_is_broken_on_purpose_is_noticed() {
    let broken = MULTIPLY.replace("dst.rgb * (1.0 - src.a)", "dst.rgb");
    assert_ne!(broken, MULTIPLY);
    for driver in DRIVERS {
        let row = blended(driver, &broken).into_iter();
        let close: Vec<bool> = row.zip(expected()).map(|(a, b)| is_close(a, b)).collect();
        assert_eq!(close, [true, false, false, true], "{driver:?}");
    }
}
