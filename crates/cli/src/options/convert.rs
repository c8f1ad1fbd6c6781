//! `polyshade convert`: how shaders are read and written, which every verb takes from here.

use super::{Acts, Table, Together, Witness};

const TWO: &str = "@vertex fn one() -> @builtin(position) vec4f { return vec4f(1.0); }
@fragment fn two() -> @location(0) vec4f { return vec4f(2.0); }
";

const MACRO: &str = "#version 450
#ifdef SCALE
void main() { gl_Position = vec4(SCALE); }
#else
void main() { gl_Position = vec4(1.0); }
#endif
";

const INCLUDES: &str = "#version 450
#extension GL_GOOGLE_include_directive : require
#include \"number.glsl\"
void main() { gl_Position = vec4(NUMBER); }
";

const UNIFORM: &str = "#version 450
layout(set = 1, binding = 2) uniform Block { vec4 value; };
void main() { gl_Position = value; gl_PointSize = 1.0; }
";

const ATTACHMENT: &str = "#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput a;
layout(location = 0) out vec4 c;
void main() { c = subpassLoad(a); }
";

const COMBINED: &str = "#version 450
layout(set = 0, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 c;
void main() { c = texture(t, vec2(0.5)); }
";

const POINTS: &str = "#version 450
void main() { gl_Position = vec4(0.0); gl_PointSize = 2.0; }
";

const CONTROL: &str = "#version 450
layout(vertices = 1) out;
void main() { gl_TessLevelOuter[0] = 1.0; }
";

const INVALID: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%one = OpConstant %float 1
%two = OpConstant %float 2
%main = OpFunction %void None %fn
%label = OpLabel
%sum = OpIAdd %float %one %two
OpReturn
OpFunctionEnd
";

const fn on(file: &'static str, source: &'static str, line: &'static str) -> Witness {
    Witness { file, source, line }
}

const fn acts(option: &'static str, value: &'static str, on: usize) -> Acts {
    Acts { option, value, on }
}

const SAME_TEXT: &str =
    "of this shader all versions and platforms have the same text, if they have any";

pub(super) const TABLE: Table = Table {
    verb: "convert",
    witnesses: &[
        on("a.wgsl", TWO, "-o %d/out.glsl"),
        on("a.glsl", MACRO, ""),
        on("a.text", MACRO, "--stage vert"),
        on("a.vert", MACRO, ""),
        on("a.vert", INCLUDES, ""),
        on("a.spvasm", INVALID, ""),
        on("a.vert", MACRO, "-o %d/out.text"),
        on("a.vert", UNIFORM, "-o %d/out.metal"),
        on("a.vert", UNIFORM, "-o %d/out.glsl"),
        on("a.frag", ATTACHMENT, "-o %d/out.metal"),
        on("a.vert", UNIFORM, "-o %d/out.hlsl --hlsl-drop-point-size"),
        on("a.vert", UNIFORM, "-o %d/out.hlsl"),
        on("a.vert", MACRO, "--spirv-version 1.6 --validate"),
        on("a.frag", ATTACHMENT, "-o %d/out.metal --msl-version 2.1"),
        on("a.frag", COMBINED, "-o %d/out.wgsl"),
        on("a.vert", POINTS, "-o %d/out.wgsl"),
        on("a.tesc", CONTROL, "-o %d/out.metal"),
    ],
    acts: &[
        acts("--entry", "one", 0),
        acts("--stage", "vert", 1),
        acts("--language", "hlsl", 2),
        acts("--spirv-version", "1.5", 3),
        acts("--define", "SCALE=3.0", 3),
        acts("--include-dir", "%i/included", 4),
        acts("--validate", "", 5),
        acts("--target-env", "vulkan1.0", 12),
        acts("--format", "msl", 6),
        acts("--msl-version", "2.1", 9),
        acts("--msl-platform", "ios", 13),
        acts("--msl-buffer", "1:2=7", 7),
        acts("--msl-domain", "quads", 16),
        acts("--glsl-version", "460", 8),
        acts("--glsl-vulkan", "", 8),
        acts("--input-attachments", "texture", 9),
        acts("--attachment-color", "0=1", 9),
        acts("--hlsl-shader-model", "30", 10),
        acts("--hlsl-drop-point-size", "", 11),
        acts("--wgsl-binding", "0:1=3:4", 14),
        acts("--wgsl-drop-point-size", "", 15),
    ],
    together: &[
        Together { options: ["--msl-version", "--msl-platform"], why: SAME_TEXT },
        Together { options: ["--msl-version", "--input-attachments"], why: SAME_TEXT },
        Together { options: ["--msl-platform", "--input-attachments"], why: SAME_TEXT },
        Together { options: ["--entry", "--stage"], why: "the name or the stage is enough" },
        Together { options: ["--stage", "--entry"], why: "the name or the stage is enough" },
    ],
    idle: &[],
};
