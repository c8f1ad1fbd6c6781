//! Metal may fuse a multiplication and an addition. The captured values of `invariant` outputs still equal the
//! rasterized values, although two functions compute them.

use crate::glsl;
use crate::noise::Noise;
use crate::shaders::Varyings;
use crate::storage::{HOSTS, host_draw, options};
use polyshade::Module;
use polyshade::spv::{Decoration, Op};
use polyshade::transform_feedback::BufferRange;
use polyshade_formats::SpirvVersion;
use polyshade_metal::{Contraction, Metal};
use polyshade_vulkan::model::{self, Topology};
use polyshade_vulkan::{
    Draw, Place, ProvokingVertex, Range, Runner, Stage, Variants, VertexBuffer, VertexLayout, Work,
    bind_capture, vk,
};

const SHADER: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) OF_SUM out vec4 v_sum;
out gl_PerVertex { OF_POSITION vec4 gl_Position; };
void main() {
    vec4 c = a * 0.7123, d = b * 0.3331;
    v_sum = c * d + d.yxwz;
    gl_Position = vec4(c.xyz * d.w + d.xyz, 2.0) * c.x + d;
}";

const VERTICES: u32 = 300;

/// The size of a vertex's attributes and the size of a captured vector, in bytes.
const ATTRIBUTES: u32 = 32;
const VECTOR: u32 = 16;

/// Returns the variants that capture an output. The qualifiers may make outputs `invariant`.
fn variants(output: &str, [of_position, of_sum]: [&str; 2]) -> Variants<'static> {
    let defines = format!("#define OF_POSITION {of_position}\n#define OF_SUM {of_sum}");
    let words = glsl::vertex(SHADER, &defines, SpirvVersion::SPIRV1_0);
    let module = Module::parse_owned(words).expect("glslang's words parse");
    let varyings = Varyings::Interleaved(output.to_owned().leak());
    // The raster-only variant borrows the module. Leaking it is acceptable, because a test has few modules.
    let module = Box::leak(Box::new(module));
    Variants::new(module, "main", &options(varyings, HOSTS[2])).expect("it is captured")
}

/// Captures a triangle list with one of the variants, and returns the captured data.
fn captured(metal: &Metal, variants: &Variants<'_>, words: &[u32]) -> Vec<u8> {
    // Random attributes.
    let mut noise = Noise::new();
    let mut number = || 0.1 + f64::from(noise.below(1 << 20)) / f64::from(1 << 20);
    let attributes = (0..VERTICES * ATTRIBUTES / 4).flat_map(|_| (number() as f32).to_ne_bytes());
    let size = VERTICES * VECTOR;
    let buffers = vec![vec![0; size as usize], attributes.collect()];
    let mut work = Work { buffers, ..Work::default() };
    let (r32g32b32a32, place) = (vk::Format::R32G32B32A32_SFLOAT, Place { buffer: 1, offset: 0 });
    let layout = VertexLayout::vectors([(0, r32g32b32a32), (1, r32g32b32a32)]);
    let mut draw = Draw {
        stages: vec![Stage::vertex(words)],
        vertices: 0..VERTICES,
        instances: 0..1,
        vertex_buffers: vec![VertexBuffer { place, layout }],
        ..Draw::default()
    };
    // Bind the capture.
    let list = host_draw(&model::Draw {
        topology: Topology::TriangleList,
        provoking_vertex: ProvokingVertex::First,
        vertices: 0..VERTICES,
        instances: 0..1,
    });
    let range = BufferRange { address: 0, offset: 0, size, counter: 0 };
    let host_params = variants.layout.host_params(&list, &[range]).expect("it is such a draw");
    let feedback = [Range { buffer: 0, offset: 0, size: size.into() }];
    bind_capture(variants, &host_params, &feedback[..].into(), &mut draw, &mut work);
    work.draws.push(draw);
    metal.run(&work).unwrap_or_else(|error| panic!("{error}")).buffers.remove(0)
}

/// Returns the words of a module without `NoContraction`.
fn contracted(module: &Module<'_>) -> Vec<u32> {
    let no_contraction = |words: &[u32]| words.get(2) == Some(&Decoration::NO_CONTRACTION.0);
    let kept = module
        .instructions()
        .filter(|inst| !(inst.op() == Op::DECORATE && no_contraction(inst.words())));
    let header = &module.words()[..5];
    header.iter().copied().chain(kept.flat_map(|inst| inst.words().to_vec())).collect()
}

#[test]
fn invariant_outputs_are_captured_as_they_are_rasterized() {
    let exact = Metal::new().expect("a machine that builds polyshade has a C++ compiler");
    let mut metal = Metal::new().expect("as above");
    metal.set_contraction(Contraction::Fast).expect("this processor rounds once");
    for (output, qualifiers) in [
        ("gl_Position", ["invariant", ""]),
        ("v_sum", ["", "invariant"]),
        ("v_sum", ["invariant"; 2]),
    ] {
        let variants = variants(output, qualifiers);
        // The variant rasterizes the captured values, and declares `invariant` outputs as the original does.
        let both = variants.both.as_ref().expect("lists are captured at once");
        let rasterized = captured(&metal, &variants, both.words());
        let alone = captured(&metal, &variants, variants.capture_only.words());
        assert!(alone == rasterized, "{output} {qualifiers:?}");
        assert!(alone == captured(&exact, &variants, both.words()), "{output} {qualifiers:?}");
        // The equality depends on the lowering's `NoContraction` decorations.
        let broken = captured(&metal, &variants, &contracted(&variants.capture_only));
        assert!(broken != rasterized, "{output} {qualifiers:?}");
    }
    for output in ["gl_Position", "v_sum"] {
        let variants = variants(output, [""; 2]);
        let [once, twice] =
            [&metal, &exact].map(|metal| captured(metal, &variants, variants.capture_only.words()));
        assert!(once != twice, "{output} is contracted where it may be");
    }
}
