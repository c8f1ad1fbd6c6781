//! Tests resources with different bindings in WGSL than in Vulkan: separate textures and samplers,
//! and push constants.

use crate::work::{Work, json};
use serde_json::json;

/// Has combined image samplers that are passed to a function, used for comparison, or only used for texel fetches.
/// Also has push constants.
const FRAGMENT: &str = "#version 450
layout(set = 0, binding = 1) uniform sampler2D albedo;
layout(set = 1, binding = 0) uniform sampler2DShadow shadow;
layout(set = 1, binding = 1) uniform sampler2D table;
layout(push_constant) uniform Push { vec4 tint; float depth; };
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
vec4 sampled(sampler2D image, float scale) {
    return texture(image, at * scale) + textureLod(image, at, 1.0);
}
void main() {
    colour = tint * sampled(albedo, 2.0) + texelFetch(table, ivec2(3, 4), 0);
    colour *= texture(shadow, vec3(at, depth)) * vec4(textureSize(albedo, 0), 1, 1);
}
";

/// Has push constants with an array whose elements are 4 bytes apart, which uniform buffers do not allow.
const TIGHT: &str = "#version 450
layout(push_constant) uniform Push { float weights[4]; };
void main() { gl_Position = vec4(weights[gl_VertexIndex & 3]); }
";

const ARRAY: &str = "#version 450
layout(set = 0, binding = 0) uniform sampler2D images[2];
layout(location = 0) flat in int which;
layout(location = 0) out vec4 colour;
void main() { colour = texture(images[which], vec2(0.5)); }
";

/// Has arrays of descriptors of every kind, with unused elements and one unused array.
const ELEMENTS: &str = "#version 450
layout(set = 0, binding = 0) uniform U { vec4 first; } u[3];
layout(set = 0, binding = 1) buffer S { uint count; vec4 rest[]; } s[2];
layout(set = 1, binding = 0) uniform sampler2D images[8];
layout(set = 1, binding = 1) uniform texture2D textures[2];
layout(set = 1, binding = 2) uniform sampler2D unused[2];
layout(location = 0) out vec4 colour;
void main() {
    s[1].count = s[0].rest.length();
    colour = u[0].first + u[2].first + s[1].rest[3] + texture(images[5], vec2(0.5));
    colour += texelFetch(sampler2D(textures[1], sampler_of), ivec2(0), 0);
}
";

fn work() -> Work {
    Work::with(&[("a.frag", FRAGMENT), ("tight.vert", TIGHT), ("array.frag", ARRAY)])
}

/// Returns the declaration of a variable with this group and binding.
fn declared(text: &str, group: u32, binding: u32) -> &str {
    let place = format!("@group({group}) @binding({binding}) ");
    let rest = text.split_once(&place).unwrap_or_else(|| panic!("{place}: {text}")).1;
    rest.trim_start().split(';').next().expect("a declaration ends")
}

#[test]
fn combined_image_samplers_become_textures_and_samplers() {
    let work = work();
    work.succeeds("convert a.frag -o a.wgsl");
    let text = work.text("a.wgsl");
    for (group, binding, declaration) in [
        (0, 1, "var albedo: texture_2d<f32>"),
        (0, 2, "var albedo_sampler: sampler"),
        (1, 0, "var shadow: texture_depth_2d"),
        (1, 1, "var table: texture_2d<f32>"),
        (1, 2, "var shadow_sampler: sampler_comparison"),
    ] {
        assert_eq!(declared(&text, group, binding), declaration);
    }
    assert!(!text.contains("table_sampler"), "texels are fetched without a sampler: {text}");
    assert!(declared(&text, 0, 3).starts_with("var<uniform>"), "{text}");
    work.succeeds("info a.wgsl");
}

#[test]
fn they_are_bound_where_the_user_says_and_the_report_tells() {
    let work = work();
    let options = "--wgsl-binding 0:1=3:7 --wgsl-binding push=2:5";
    let blend = "blend a.frag --equations multiply --destination texture";
    let report = json(&work.succeeds(&format!("{blend} {options} -o a.wgsl --json")));
    let text = work.text("a.wgsl");
    assert_eq!(declared(&text, 3, 7), "var albedo_sampler: sampler");
    assert!(declared(&text, 2, 5).starts_with("var<uniform>"), "{text}");
    let sampler = |set: u32, binding: u32, to: [u32; 2]| {
        let of = json!({ "set": set, "binding": binding });
        json!({ "of": of, "kind": "sampler", "set": to[0], "binding": to[1] })
    };
    let constants =
        json!({ "of": "push constants", "kind": "uniform buffer", "set": 2, "binding": 5 });
    let resources = json!([sampler(0, 1, [3, 7]), sampler(1, 0, [1, 2]), constants]);
    assert_eq!(report["wgsl"], json!([{ "file": "a.wgsl", "resources": resources }]));
}

#[test]
fn elements_of_arrays_become_variables() {
    let sampler = "layout(set = 1, binding = 3) uniform sampler sampler_of;\nlayout(location";
    let shader = ELEMENTS.replacen("layout(location", sampler, 1);
    let work = Work::with(&[("a.frag", &shader)]);
    let blend = "blend a.frag --equations multiply --destination texture";
    let report =
        json(&work.succeeds(&format!("{blend} --wgsl-binding 1:0[5]=2:6 -o a.wgsl --json")));
    let text = work.text("a.wgsl");
    for (group, binding, declaration) in [
        (0, 0, "var<uniform> u_0_: U"),
        (0, 1, "var<storage, read_write> s_0_: S"),
        (0, 2, "var<uniform> u_2_: U"),
        (0, 3, "var<storage, read_write> s_1_: S"),
        (1, 4, "var textures_1_: texture_2d<f32>"),
        (2, 6, "var images_5_: texture_2d<f32>"),
        (2, 7, "var images_5_sampler: sampler"),
    ] {
        assert_eq!(declared(&text, group, binding), declaration);
    }
    for other in ["@group(1) @binding(0)", "unused", "enable "] {
        assert!(!text.contains(other), "{text}");
    }
    let element = json!({ "set": 1, "binding": 0, "element": 5 });
    let bound = json!({ "of": element, "kind": "element of the array", "set": 2, "binding": 6 });
    let resources = report["wgsl"][0]["resources"].as_array().expect("they are listed");
    assert!(resources.contains(&bound), "{resources:?}");
    work.fails("convert a.frag -o b.wgsl --wgsl-binding 1:0[4]=2:6", 2, "this element of an array");

    // naga would declare a single buffer for the dynamically indexed array.
    let dynamic = shader.replace("u[2]", "u[int(gl_FragCoord.x)]");
    let work = Work::with(&[("a.frag", &dynamic)]);
    work.fails("convert a.frag -o a.wgsl", 3, "the indices of `u` are not all constants");
}

#[test]
fn push_constants_that_are_no_uniform_become_read_only_storage() {
    let work = work();
    work.succeeds("convert tight.vert -o a.wgsl");
    let text = work.text("a.wgsl");
    assert!(declared(&text, 0, 0).starts_with("var<storage> "), "{text}");
}

/// WGSL has no explicit offsets, and naga ignores them, so padding members must be added.
#[test]
fn members_keep_their_places() {
    let shader = "#version 450
        layout(set = 0, binding = 0) uniform Scene { mat4 unused; float one[3]; vec4 colour; };
        void main() { gl_Position = colour * one[gl_VertexIndex]; }";
    let work = Work::with(&[("a.vert", shader)]);
    work.succeeds("position-only a.vert -o a.wgsl");
    let text = work.text("a.wgsl");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let after = |line: &str| lines.iter().position(|one| *one == line).expect("it is there") + 1;
    let scene = &lines[after("struct Scene {")..][..3];
    assert_eq!(scene[0], "@size(64) hole_0: u32,");
    assert_eq!(scene[2], "colour: vec4<f32>,");
    let element = scene[1].strip_prefix("one: array<").and_then(|rest| rest.strip_suffix(", 3>,"));
    let element = format!("struct {} {{", element.expect("it is an array"));
    assert!(lines[after(&element)].starts_with("@size(12) "), "{text}");
}

#[test]
fn what_naga_does_not_know_is_said_otherwise() {
    let module = "; SPIR-V
; Version: 1.6
; Bound: 20
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability VulkanMemoryModelDeviceScope
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %1 \"main\"
OpExecutionModeId %1 LocalSizeId %2 %3 %3
%4 = OpTypeVoid
%5 = OpTypeFunction %4
%6 = OpTypeInt 32 0
%2 = OpConstant %6 8
%3 = OpConstant %6 1
%1 = OpFunction %4 None %5
%7 = OpLabel
OpReturn
OpFunctionEnd
";
    let work = Work::with(&[("a.spvasm", module)]);
    work.succeeds("convert a.spvasm -o a.wgsl");
    assert!(work.text("a.wgsl").contains("@workgroup_size(8, 1, 1)"));

    let shader = "#version 450
        #extension GL_EXT_terminate_invocation : require
        layout(location = 0) out vec4 colour;
        void main() { colour = vec4(1.0); if (gl_FragCoord.x < 2.0) terminateInvocation; }";
    work.write("t.frag", shader);
    work.succeeds("convert t.frag -o t.wgsl");
    assert!(work.text("t.wgsl").contains("discard;"));
}

/// naga transposes some row-major matrices, but not all.
#[test]
fn matrices_by_rows_are_read_right_or_refused() {
    let uniform = "#version 450
        layout(row_major, set = 0, binding = 0) uniform Scene { mat4 one; mat4 more[2]; };
        void main() { gl_Position = CODE; }";
    let work = Work::with(&[]);
    let write = |name: &str, code: &str| work.write(name, &uniform.replace("CODE", code));
    write("a.vert", "one[1] + more[gl_VertexIndex] * vec4(1.0)");
    work.succeeds("convert a.vert -o a.wgsl");
    assert!(work.text("a.wgsl").contains("transpose("));
    write("b.vert", "vec4(1.0); mat4 all[2] = more; gl_Position += all[gl_VertexIndex][1]");
    work.fails("convert b.vert -o b.wgsl", 3, "rows and columns");
    let stored = "#version 450
        layout(row_major, set = 0, binding = 0) buffer Scene { mat4 one; };
        void main() { one = mat4(1.0); }";
    work.write("c.comp", stored);
    work.fails("convert c.comp -o c.wgsl", 3, "rows and columns");
}

/// Types in an invalid module may contain themselves, which must not end the process.
#[test]
fn types_of_themselves_end_no_process() {
    let module = "; SPIR-V
; Version: 1.3
; Bound: 20
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 \"main\"
OpExecutionMode %1 LocalSize 1 1 1
DECORATION
%4 = OpTypeVoid
%5 = OpTypeFunction %4
TYPES
%1 = OpFunction %4 None %5
%7 = OpLabel
OpReturn
OpFunctionEnd
";
    for (decoration, types) in [
        (
            "OpMemberDecorate %8 0 RowMajor",
            "%8 = OpTypeStruct %8\n%9 = OpTypePointer StorageBuffer %8",
        ),
        ("OpDecorate %9 ArrayStride 64", "%8 = OpTypeVector %8 4\n%9 = OpTypeRuntimeArray %8"),
    ] {
        let module = module.replace("DECORATION", decoration).replace("TYPES", types);
        let work = Work::with(&[("a.spvasm", module.as_str())]);
        let printed = work.says(3, "convert a.spvasm -o a.wgsl");
        assert!(!printed.contains("crashed"), "{printed}");
    }
}

/// OpenGL's vertex number has the same meaning as WebGPU's.
#[test]
fn opengl_counts_vertices_as_webgpu_does() {
    let shader = "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex); }";
    let work = Work::with(&[("a.vert", shader)]);
    work.succeeds("convert a.vert -o a.spvasm");
    let module = work.text("a.spvasm");
    assert!(module.contains("BuiltIn VertexIndex"), "{module}");
    work.write("b.spvasm", &module.replace("BuiltIn VertexIndex", "BuiltIn VertexId"));
    work.succeeds("convert a.spvasm -o a.wgsl");
    work.succeeds("convert b.spvasm -o b.wgsl");
    assert_eq!(work.text("a.wgsl"), work.text("b.wgsl"));

    // The instance numbers differ, because OpenGL's does not include the base instance.
    work.write("c.vert", &shader.replace("VertexIndex", "InstanceIndex"));
    work.succeeds("convert c.vert -o c.spvasm");
    work.write("d.spvasm", &work.text("c.spvasm").replace("InstanceIndex", "InstanceId"));
    work.says(3, "convert d.spvasm -o d.wgsl");
    assert!(!work.has("d.wgsl"));
}

/// naga panics on some modules, which must result in an error of one line.
#[test]
fn where_naga_gives_up_nobody_reads_of_a_panic() {
    let shader = "#version 450
        layout(set = 0, binding = 0) buffer Counts { uvec4 counts; };
        void main() { atomicAdd(counts[gl_LocalInvocationIndex & 3u], 1u); }";
    let work = Work::with(&[("a.comp", shader)]);
    let printed = work.says(3, "convert a.comp -o a.wgsl");
    assert!(
        printed.contains("naga panics on this module") && !printed.contains("panicked"),
        "{printed}"
    );
}

#[test]
fn places_that_are_taken_or_of_nothing_are_refused() {
    let work = work();
    let convert = "convert a.frag -o a.wgsl --wgsl-binding";
    work.fails(&format!("{convert} push=1:1"), 2, "binding 1 of set 1 is already used");
    work.fails(
        &format!("{convert} push=2:0 --wgsl-binding 0:1=2:0"),
        2,
        "binding 0 of set 2 is already used",
    );
    work.fails(&format!("{convert} push=2:0 --wgsl-binding push=2:1"), 2, "two bindings");
    work.fails(
        &format!("{convert} push=0:4294967295"),
        2,
        "no binding is free after the last one of set 0",
    );
    work.fails(&format!("{convert} 1:1=2:0"), 2, "no WGSL output has this combined image sampler");
    work.fails("convert array.frag -o a.wgsl --wgsl-binding push=2:0", 3, "`images` is one");
    work.fails("convert tight.vert -o a.metal --wgsl-binding push=2:0", 2, "--wgsl-binding");
    assert!(!work.has("a.wgsl"));
}
