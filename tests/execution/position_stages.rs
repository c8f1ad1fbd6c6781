//! Tessellation evaluation and geometry stages as last stages, on lavapipe. Native captures and a depth pre-pass show
//! that the variants' positions equal the originals' bit for bit.

use crate::drivers::Driver;
use crate::glsl;
use crate::noise::Noise;
use crate::position::{Given, lowered};
use crate::position_depth::{Ahead, covered_and_wrong};
use polyshade::Module;
use polyshade::position_only::{Options, Variant};
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_vulkan::{Attribute, Draw, Range, TransformFeedback, Work, vk};

const VERTICES: u32 = 48;
/// The size of a buffer for all emitted positions, in bytes.
const ROOM: usize = 1 << 18;

const VERTEX: &str = "#version 450
    layout(location = 0) in vec4 a_place;
    layout(location = 0) out vec4 v_place;
    void main() { v_place = a_place.wzyx; gl_Position = vec4(a_place.xyz * 0.5, 1.0); }";

const CONTROL: &str = "#version 450
    layout(vertices = 3) out;
    layout(location = 0) in vec4 v_place[];
    layout(location = 0) out vec4 c_place[];
    void main() {
        gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
        c_place[gl_InvocationID] = v_place[gl_InvocationID];
        gl_TessLevelOuter[0] = 3.0; gl_TessLevelOuter[1] = 2.0; gl_TessLevelOuter[2] = 4.0;
        gl_TessLevelInner[0] = 3.0;
    }";

const EVALUATION: &str = "#version 450
    layout(triangles, equal_spacing) in;
    layout(location = 0) in vec4 c_place[];
    layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };
    layout(location = 0) out vec4 e_colour;
    layout(location = 1) out vec2 e_where;
    void main() {
        vec4 place = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y
            + gl_in[2].gl_Position * gl_TessCoord.z;
        vec4 bent = place; vec4 colour = vec4(0.0);
        for (int i = 0; i < 3; ++i) { bent += 0.1 * sin(bent.yzxw); colour += c_place[i] * gl_TessCoord[i]; }
        e_colour = normalize(colour + bent); e_where = gl_TessCoord.xy;
        gl_Position = vec4(bent.xy, bent.z * 0.25 + 0.5, 1.0);
    }";

const GEOMETRY: &str = "#version 450
    layout(triangles) in;
    layout(triangle_strip, max_vertices = 6) out;
    layout(location = 0) in vec4 v_place[];
    layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };
    layout(location = 0) out vec4 g_colour;
    void main() {
        vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
        vec4 colour = v_place[0] * v_place[1];
        for (int k = 0; k < 2; ++k) {
            if (k == 1 && middle.x > 0.3) break;
            for (int i = 0; i < 3; ++i) {
                vec4 place = mix(gl_in[i].gl_Position, middle, 0.3 * float(k));
                colour = sin(colour + v_place[i]);
                g_colour = colour;
                gl_Position = vec4(place.xy, place.z * 0.25 + 0.5, 1.0);
                EmitVertex();
            }
            EndPrimitive();
        }
    }";

/// Returns pipelines, each as the stages before the last stage and the last stage.
fn pipelines() -> [(Ahead, Module<'static>); 2] {
    let compiled = |stage, source| glsl::stage(stage, source, "", SpirvVersion::SPIRV1_3);
    let vertex = || (vk::ShaderStageFlags::VERTEX, compiled(ShaderStage::Vertex, VERTEX));
    let control = compiled(ShaderStage::TessellationControl, CONTROL);
    let last = |stage, source| Module::parse_owned(compiled(stage, source)).expect("it parses");
    let patches = Ahead {
        stages: vec![vertex(), (vk::ShaderStageFlags::TESSELLATION_CONTROL, control)],
        last: vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        topology: vk::PrimitiveTopology::PATCH_LIST,
    };
    let triangles = Ahead {
        stages: vec![vertex()],
        last: vk::ShaderStageFlags::GEOMETRY,
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
    };
    [
        (patches, last(ShaderStage::TessellationEvaluation, EVALUATION)),
        (triangles, last(ShaderStage::Geometry, GEOMETRY)),
    ]
}

fn given() -> Given {
    let mut noise = Noise::new();
    let mut float = || (noise.below(4001) as f32 / 1000.0 - 2.0).to_ne_bytes();
    let format = vk::Format::R32G32B32A32_SFLOAT;
    Given {
        buffers: vec![(0..VERTICES * 4).flat_map(|_| float()).collect()],
        descriptors: Vec::new(),
        stride: 16,
        attributes: vec![Attribute { location: 0, format, offset: 0 }],
        vertices: VERTICES,
        instances: 1,
    }
}

/// Returns lavapipe's capture of a pipeline that ends with `last`, which has `xfb_*` decorations.
fn captured(ahead: &Ahead, last: &Module<'_>) -> (u64, Vec<u8>) {
    let given = given();
    let mut draw = given.draw_with(&ahead.stages[0].1);
    draw.stages = ahead.stages(last.words());
    let mut work = Work { buffers: given.buffers.clone(), ..Work::default() };
    work.buffers.push(vec![0xa5; ROOM]);
    let range = Range { buffer: 1, offset: 0, size: ROOM as u64 };
    work.draws.push(Draw {
        topology: ahead.topology,
        patch_control_points: 3,
        transform_feedback: Some(TransformFeedback { buffers: vec![range], ..Default::default() }),
        ..draw
    });
    let mut outcome = Driver::Lavapipe.run(&work);
    (outcome.captured[0].expect("it captures").written, outcome.buffers.swap_remove(1))
}

#[test]
fn the_last_stages_variant_hands_on_the_same_positions_bit_for_bit() {
    for (ahead, last) in pipelines() {
        let variant = lowered(&last, &Options::new().capture_in_position_only());
        assert!(variant.words().len() < last.words().len());
        let (written, positions) = captured(&ahead, &last);
        assert!(written > 10, "{:?}: {written} primitives", ahead.last);
        assert!(captured(&ahead, &variant) == (written, positions), "{:?}", ahead.last);
    }
}

#[test]
fn a_position_that_the_last_stage_computes_otherwise_is_noticed() {
    for (ahead, last) in pipelines() {
        let text = polyshade_tests::shader::disassemble(last.words()).expect("it is valid");
        let constant = text.lines().find(|line| line.contains("OpConstant %float 0.25"));
        let name = constant.and_then(|line| line.split_whitespace().next()).expect("it is used");
        let broken = text.replace(
            &format!("{name} = OpConstant %float 0.25"),
            &format!("{name} = OpConstant %float 0.25000003"),
        );
        let words = polyshade_tests::shader::assemble(&broken).expect("it is still a module");
        let broken = Module::parse_owned(words).expect("it is a module");
        assert!(captured(&ahead, &broken) != captured(&ahead, &last), "{:?}", ahead.last);
    }
}

#[test]
fn a_depth_pre_pass_with_the_last_stages_variant_leaves_no_hole() {
    for (ahead, last) in pipelines() {
        let options = Options::new().invariant().precise();
        let variant = lowered(&last, &options);
        let full = lowered(&last, &options.variant(Variant::Full));
        let (covered, wrong) =
            covered_and_wrong(Driver::Lavapipe, &given(), &ahead, &variant, &full);
        assert!(covered > 50 && wrong == 0, "{:?}: {wrong} of {covered}", ahead.last);
    }
}
