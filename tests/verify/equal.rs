//! Shaders with every kind of varying, every notation for varyings and every kind of input. `verify` finds all of
//! them equal.

use crate::subject::{Driver, Subject, reason, vertex};
use polyshade::host::{AddressSource, Binding, ParamSource, Set};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::drivers::DRIVERS;
use polyshade_tests::shader::{assemble, disassemble};

/// Inputs of every basic type.
const INPUTS: &str = r"
    layout(location = 0) in vec4 a;
    layout(location = 1) in uvec4 b;
    layout(location = 2) in ivec3 c;
    layout(location = 3) in vec2 d;
";

fn shader(glsl: &str) -> Vec<u32> {
    vertex(&format!("{INPUTS}{glsl}"))
}

#[test]
fn scalars_vectors_and_matrices() {
    let words = shader(
        r"
        layout(location = 0) out float v_float;
        layout(location = 1) out vec3 v_vec3;
        layout(location = 2) flat out uvec4 v_uvec4;
        layout(location = 3) flat out int v_int;
        layout(location = 4) out mat3x2 v_mat3x2;
        layout(location = 7) out mat2x4 v_mat2x4;
        layout(location = 9) out vec2 v_unwritten;
        void main() {
            v_float = a.x / a.y;
            v_vec3 = a.zyx * 0.5 + d.xyx;
            v_uvec4 = b.wzyx;
            v_int = c.y + gl_VertexIndex - gl_InstanceIndex;
            v_mat3x2 = mat3x2(a.x, a.y, a.z, a.w, d.x, d.y);
            v_mat2x4 = mat2x4(a, a.wzyx);
            gl_Position = a;
        }",
    );
    let all = "v_float v_vec3 v_uvec4 v_int v_mat3x2 v_mat2x4 v_unwritten gl_Position";
    Subject::interleaved(words.clone(), all).is_equal();
    Subject::interleaved(words.clone(), "v_mat2x4 v_float").is_equal();
    Subject::separate(words.clone(), "v_uvec4 v_mat3x2 gl_Position v_vec3").is_equal();
    let gaps = "gl_SkipComponents2 v_vec3 gl_NextBuffer v_float gl_SkipComponents4 v_int \
        gl_SkipComponents1 gl_NextBuffer gl_NextBuffer v_mat3x2";
    Subject::interleaved(words, gaps).is_equal();
}

#[test]
fn a_structure_that_lies_in_a_buffer_too() {
    let text = include_str!("../cases/capture/structure-also-in-a-buffer.spvasm");
    Subject::interleaved(assemble(text).unwrap(), "o.a").is_equal();
}

#[test]
fn arrays_structures_and_their_leaves() {
    let words = shader(
        r"
        struct Inner { vec2 p; uint q[2]; };
        struct Outer { float f; Inner inner[2]; mat2 m; };
        layout(location = 0) out float v_floats[3];
        layout(location = 3) out vec3 v_vectors[2][2];
        layout(location = 7) flat out Outer v_outer;
        layout(location = 20) out mat2 v_matrices[2];
        void main() {
            for (int i = 0; i < 3; ++i) v_floats[i] = a[i] + float(i);
            for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) v_vectors[i][j] = a.xyz * float(2 * i + j);
            v_outer.f = d.x;
            for (int i = 0; i < 2; ++i) {
                v_outer.inner[i].p = d * float(i + 1);
                v_outer.inner[i].q[0] = b[i];
                v_outer.inner[i].q[1] = b[i + 2];
            }
            v_outer.m = mat2(a);
            v_matrices[0] = mat2(a.wzyx);
            v_matrices[1] = mat2(a.yxwz);
            gl_Position = a;
        }",
    );
    Subject::interleaved(words.clone(), "v_floats v_matrices").is_equal();
    Subject::interleaved(words.clone(), "v_floats[2] v_floats[0] v_matrices[1]").is_equal();
    Subject::interleaved(words.clone(), "v_vectors[1][0] v_vectors[0][1]").is_equal();
    let leaves = "v_outer.inner[1].p v_outer.f v_outer.inner[0].q[1] v_outer.m";
    Subject::interleaved(words.clone(), leaves).is_equal();
    Subject::separate(words, "v_outer.inner[0].q v_outer.inner[1].q[0] v_floats[1]").is_equal();
}

#[test]
fn blocks_with_and_without_an_instance_and_arrays_of_them() {
    let words = shader(
        r"
        layout(location = 0) out Named { vec3 colour; flat uint index[2]; } named;
        layout(location = 5) out Bare { vec2 bare_place; float bare_weight; };
        layout(location = 10) out Many { vec2 p; mat2 q; } many[2];
        void main() {
            named.colour = a.xyz;
            named.index[0] = b.x;
            named.index[1] = b.y;
            bare_place = d.yx;
            bare_weight = a.w;
            for (int i = 0; i < 2; ++i) { many[i].p = a.xy * float(i + 1); many[i].q = mat2(a) * float(i + 2); }
            gl_Position = a;
        }",
    );
    Subject::interleaved(words.clone(), "Named.index Named.colour bare_weight").is_equal();
    Subject::separate(words.clone(), "bare_place Named.index[1]").is_equal();
    Subject::interleaved(words, "Many[1].q Many[0].p Many[1].p").is_equal();
}

/// Returns a shader that writes cull distances in `cull` and a packed component in `fourth`.
fn with_built_ins(declarations: &str, cull: &str, fourth: &str) -> Vec<u32> {
    shader(&format!(
        "{declarations}
        layout(location = 0) out vec2 v_low;
        layout(location = 0, component = 2) out float v_third;
        void main() {{
            gl_Position = a * 2.0;
            gl_PointSize = abs(d.x) + 1.0;
            for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = a[i];
            {cull}
            v_low = a.xy;
            v_third = a.z;
            {fourth}
        }}"
    ))
}

#[test]
fn built_ins_and_packed_components() {
    let words = with_built_ins(
        "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; float gl_CullDistance[2]; };
        layout(location = 0, component = 3) out float v_fourth;",
        "gl_CullDistance[0] = d.x; gl_CullDistance[1] = d.y;",
        "v_fourth = a.w;",
    );
    for list in [
        "gl_ClipDistance gl_Position gl_CullDistance",
        "gl_ClipDistance[2] gl_PointSize gl_CullDistance[1]",
        "location=0",
        "location=0.yz gl_Position",
    ] {
        Subject::interleaved(words.clone(), list).is_equal_by_stores();
    }
    Subject::separate(words, "v_third v_low v_fourth").is_equal_by_stores();

    // Cull distances are not declared, because lavapipe captures incorrectly with them.
    let block =
        "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; };";
    let words = with_built_ins(block, "", "");
    for list in ["gl_ClipDistance[2] gl_PointSize gl_ClipDistance[0]", "location=0.yz gl_Position"]
    {
        Subject::interleaved(words.clone(), list).is_equal();
    }
    Subject::separate(words, "v_third v_low gl_ClipDistance").is_equal();
}

#[test]
fn locations() {
    let words = shader(
        r"
        layout(location = 1) out vec3 v_one;
        layout(location = 2) out mat2 v_two;
        layout(location = 5) flat out uint v_five;
        void main() { v_one = a.xyz; v_two = mat2(a); v_five = b.z; gl_Position = a; }",
    );
    Subject::interleaved(words.clone(), "location=1-3").is_equal();
    Subject::interleaved(words.clone(), "location=5 location=2.y location=1.xy").is_equal();
    Subject::separate(words, "location=3 location=5").is_equal();
}

#[test]
fn stream_output_entries() {
    let words = shader(
        r"
        layout(location = 0) out vec4 v_zero;
        layout(location = 1) out vec2 v_one;
        layout(location = 2) flat out uvec3 v_two;
        void main() { v_zero = a; v_one = d; v_two = b.xyz; gl_Position = a.wzyx; }",
    );
    let text = disassemble(&words).expect("it can be read");
    let names = [("v_zero", "TEXCOORD0"), ("v_one", "TEXCOORD1"), ("v_two", "COLOR")];
    let text = names.iter().fold(text, |text, (from, to)| {
        text.replace(&format!("\"{from}\""), &format!("\"out.var.{to}\""))
    });
    let mut words = assemble(&text).expect("names are only names");
    words[1] = 0x0001_0300;
    let entries =
        "TEXCOORD0.yzw 1:texcoord1 COLOR0.x $SKIP.xy 1:$SKIP.x 1:SV_Position.xy location=2.yz";
    Subject::stream_output(words.clone(), entries, &[]).is_equal();
    Subject::stream_output(words, "2:COLOR.z TEXCOORD0.x", &[32, 0, 12]).is_equal();
}

#[test]
fn decorations_of_the_shader_itself() {
    let words = shader(
        r"
        layout(xfb_buffer = 0, xfb_stride = 48) out;
        layout(location = 0, xfb_buffer = 0, xfb_offset = 8) out vec3 v_vector;
        layout(location = 1, xfb_buffer = 2, xfb_offset = 4, xfb_stride = 20) flat out uint v_ids[3];
        layout(location = 4, xfb_buffer = 0, xfb_offset = 24) out Block { float f; mat2 m; } block;
        layout(location = 8) out float v_free;
        void main() {
            v_vector = a.xyz;
            for (int i = 0; i < 3; ++i) v_ids[i] = b[i];
            block.f = d.y;
            block.m = mat2(a);
            v_free = 1.0;
            gl_Position = a;
        }",
    );
    Subject::decorated(words).is_equal();
}

#[test]
fn wide_components() {
    let words = shader(
        r"
        layout(location = 0) flat out double v_double;
        layout(location = 1) flat out dvec3 v_dvec3;
        layout(location = 3) out float v_float;
        void main() {
            v_double = double(a.x) / 3.0;
            v_dvec3 = dvec3(a.xyz) * 0.1;
            v_float = a.w;
            gl_Position = a;
        }",
    );
    let subject = Subject::interleaved(words, "v_float v_double v_dvec3");
    subject.is_equal_on(Driver::Lavapipe);
    subject.is_equal_by_extension();
    let why = reason(Driver::SwiftShader, subject.verify(Driver::SwiftShader));
    assert!(why.contains("shaderFloat64"), "{why}");
}

#[test]
fn bits_and_precision() {
    let words = shader(
        r"
        layout(location = 0) out float v_bits;
        layout(location = 1) flat out uint v_integer;
        layout(location = 2) out mediump vec4 v_medium;
        layout(location = 3) flat out mediump ivec2 v_medium_int;
        invariant gl_Position;
        void main() {
            v_bits = uintBitsToFloat(b.x);
            v_integer = b.y;
            v_medium = a;
            v_medium_int = c.xy;
            gl_Position = a;
        }",
    );
    for seed in 0..3 {
        let subject = Subject::interleaved(words.clone(), "v_bits v_medium v_integer v_medium_int");
        Subject { seed, ..subject }.is_equal();
    }
}

#[test]
fn resources_of_every_kind() {
    let words = shader(
        r"
        layout(set = 0, binding = 0) uniform Uniforms { mat4 m; vec3 v; float f[3]; int n; } uniforms;
        layout(set = 0, binding = 1) readonly buffer Storage { uint count; vec2 items[]; } storage_;
        layout(set = 1, binding = 0) uniform sampler2D image;
        layout(set = 1, binding = 1) uniform texture2D texture_;
        layout(set = 1, binding = 2) uniform sampler sampler_;
        layout(set = 1, binding = 3) uniform samplerBuffer texels;
        layout(set = 1, binding = 4) uniform usampler2DArray many[2];
        layout(push_constant) uniform Push { layout(row_major) mat2x3 r; float s; } push;
        layout(constant_id = 7) const int special = 3;
        layout(location = 0) out vec4 v_sum;
        layout(location = 1) out vec4 v_image;
        layout(location = 2) flat out uvec4 v_integers;
        layout(location = 3) out float v_array[special];
        void main() {
            v_sum = uniforms.m * a + vec4(uniforms.v, uniforms.f[2]);
            for (int i = 0; i < uniforms.n; ++i) v_sum.xy += storage_.items[i + gl_VertexIndex];
            v_image = textureLod(image, d, 0.0) + textureLod(sampler2D(texture_, sampler_), d.yx, 0.0);
            v_image += texelFetch(texels, gl_VertexIndex);
            v_integers = texelFetch(many[1], ivec3(1, 2, 1), 0) + uvec4(storage_.count);
            v_sum.zw += (push.r * d).xy * push.s;
            for (int i = 0; i < special; ++i) v_array[i] = float(i) + a.x;
            gl_Position = a;
        }",
    );
    // Without a value of the constant, the number of outputs is unknown, so the extension's limits cannot be checked.
    Subject::interleaved(words.clone(), "v_sum v_image v_integers").is_equal_by_stores();
    let mut subject = Subject::interleaved(words, "v_array gl_Position");
    subject.options = subject.options.specialize(7, 5);
    subject.specialization = vec![(7, 5)];
    subject.is_equal();
}

#[test]
fn returns_and_indices() {
    let words = shader(
        r"
        layout(location = 0) out vec4 v_early;
        layout(location = 1) out vec2 v_corner;
        const vec2 corners[4] = vec2[](vec2(0, 1), vec2(2, 3), vec2(4, 5), vec2(6, 7));
        void main() {
            v_corner = corners[gl_VertexIndex];
            gl_Position = a;
            if (a.x > 1.0) return;
            v_early = a + d.xyxy;
        }",
    );
    Subject::interleaved(words, "v_early v_corner").is_equal();
}

#[test]
fn host_words_come_from_anywhere() {
    let words = shader(
        r"
        layout(push_constant) uniform Push { vec4 scale; } push;
        layout(location = 0) out vec4 v_scaled;
        void main() { v_scaled = a * push.scale; gl_Position = a; }",
    );
    // Shaders with parameters at an address take seconds to compile, so each source is tested on only one driver.
    let places = [
        ParamSource::Uniform { set: Set(2), binding: Binding(1) },
        ParamSource::PushConstant { offset: 16 },
        ParamSource::StorageBuffer { set: Set(0), binding: Binding(3) },
        ParamSource::Address(AddressSource::Uniform { set: Set(2), binding: Binding(1) }),
        ParamSource::Address(AddressSource::PushConstant { offset: 24 }),
        ParamSource::Address(AddressSource::Specialization { first_id: 9 }),
        ParamSource::Address(AddressSource::Attribute { location: 7 }),
    ];
    for (place, driver) in places.into_iter().zip(DRIVERS.into_iter().cycle()) {
        let mut subject = Subject::interleaved(words.clone(), "v_scaled gl_Position");
        subject.options = subject.options.params(place);
        subject.is_equal_on(driver);
    }
}

#[test]
fn every_version_of_spirv() {
    let source = format!(
        "#version 450\n{INPUTS} layout(location = 0) out mat2 v_matrix;
        void main() {{ v_matrix = mat2(a); gl_Position = a; }}"
    );
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_4, SpirvVersion::SPIRV1_6] {
        let words = compile(&source, ShaderStage::Vertex, version).expect("it is GLSL");
        Subject::interleaved(words, "v_matrix gl_Position").is_equal();
    }
}
