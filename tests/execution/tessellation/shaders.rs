//! A pipeline with tessellation stages, for any domain and levels.

use crate::glsl::compiled;
use polyshade_formats::{ShaderStage, SpirvVersion};
use std::fmt::Write;

/// The number of vertices of a patch.
pub(super) const CONTROL_POINTS: u32 = 3;

const VERTEX: &str = r"
layout(location = 0) out vec3 v_value;
layout(location = 1) out uint v_number;
layout(location = 3) out NUMBER v_wide;
void main() {
    v_number = uint(gl_VertexIndex) + 100u * uint(gl_InstanceIndex);
    v_value = vec3(v_number, v_number * 2u, 7);
    v_wide = NUMBER(v_number) / NUMBER(3);
    gl_Position = vec4(v_number, 1, 2, 3);
}";

/// Invocations read the outputs of others after a barrier. A function takes a pointer to an input.
const CONTROL: &str = r"
layout(location = 0) in vec3 v_value[];
layout(location = 1) in uint v_number[];
layout(location = 3) in NUMBER v_wide[];
layout(location = 0) out vec3 c_value[];
layout(location = 1) out uvec2 c_number[];
layout(location = 2) patch out vec2 c_list[2];
layout(location = 5) patch out Block { uint c_primitive; float c_first; };
void change(inout vec3 value) { value.y += 1.0; }
void main() {
    int next = (gl_InvocationID + 1) % OUTPUTS;
    c_value[gl_InvocationID] = v_value[gl_InvocationID % gl_PatchVerticesIn];
    change(c_value[gl_InvocationID]);
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % 3].gl_Position + vec4(gl_InvocationID);
    barrier();
    uint changed = floatBitsToUint(c_value[next].y + c_value[(next + 1) % OUTPUTS].x);
    c_number[gl_InvocationID] = uvec2(v_number[next % 3], changed);
    if (gl_InvocationID == 1) {
        c_list[0] = vec2(gl_PatchVerticesIn, c_value[3].y);
        c_list[1] = c_list[0] + gl_out[2].gl_Position.xw + vec2(float(v_wide[2] * NUMBER(3)));
        c_primitive = uint(gl_PrimitiveID);
        c_first = v_value[0].x;
    }
    int row = 6 * (gl_PrimitiveID % (LEVELS.length() / 6));
    if (gl_InvocationID == 0) {
        for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = LEVELS[row + i];
        for (int i = 0; i < 2; ++i) gl_TessLevelInner[i] = LEVELS[row + 4 + i];
    }
}";

/// `e_exact` does not depend on the coordinates, and differs from patch to patch.
const EVALUATION: &str = r"
layout(location = 0) in vec3 c_value[];
layout(location = 1) in uvec2 c_number[];
layout(location = 2) patch in vec2 c_list[2];
layout(location = 5) patch in Block { uint c_primitive; float c_first; };
layout(location = 0) out vec3 e_coordinates;
layout(location = 1) out uvec4 e_exact;
void main() {
    e_coordinates = gl_TessCoord;
    uint hash = floatBitsToUint(c_first);
    for (int i = 0; i < gl_PatchVerticesIn; ++i) {
        hash = hash * 31u + c_number[i].x;
        hash = hash * 31u + c_number[i].y;
        hash = hash * 31u + floatBitsToUint(c_value[i].z + gl_in[i].gl_Position.w);
    }
    hash = hash * 31u + floatBitsToUint(c_list[1].x) + 3u * floatBitsToUint(c_list[1].y);
    hash = hash * 31u + floatBitsToUint(gl_TessLevelOuter[1]) + floatBitsToUint(gl_TessLevelInner[0]);
    e_exact = uvec4(gl_PrimitiveID, floatBitsToUint(c_first), c_primitive, hash);
    vec2 corner = vec2(gl_PrimitiveID % 4, gl_PrimitiveID / 4) / 2.0 - 1.0;
    gl_Position = vec4(corner + gl_TessCoord.xy / 2.0, 0, 1);
    gl_PointSize = 1.0;
}";

/// The names of the captured outputs, 28 bytes in total.
pub(super) const CAPTURED: [&str; 2] = ["e_coordinates", "e_exact"];

/// The number of 32-bit values of a captured vertex.
pub(super) const WORDS: usize = 7;

/// The modes of the tessellator, and the levels of the patches.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Modes {
    pub(super) domain: &'static str,
    pub(super) spacing: &'static str,
    pub(super) order: &'static str,
    pub(super) points: bool,
    /// The number of vertices after the control stage, at least 4.
    pub(super) outputs: u32,
    /// Whether an output of the vertex stage has 64 bits, which SwiftShader does not support.
    pub(super) wide: bool,
    /// The levels of the patches, which repeat: four outer and two inner levels.
    pub(super) levels: Vec<[f32; 6]>,
}

/// The words of the shaders.
pub(super) struct Shaders {
    pub(super) vertex: Vec<u32>,
    pub(super) control: Vec<u32>,
    pub(super) evaluation: Vec<u32>,
}

impl Modes {
    /// Returns the vertices of a primitive.
    pub(super) fn corners(&self) -> usize {
        match self.domain {
            _ if self.points => 1,
            "isolines" => 2,
            _ => 3,
        }
    }

    pub(super) fn shaders(&self) -> Shaders {
        Shaders { vertex: self.vertex(), control: self.control(), evaluation: self.evaluation() }
    }

    fn first_lines(&self) -> String {
        let number = if self.wide { "double" } else { "float" };
        format!("#version 450\n#define NUMBER {number}\n")
    }

    fn vertex(&self) -> Vec<u32> {
        let source = format!("{}{VERTEX}", self.first_lines());
        compiled(ShaderStage::Vertex, &source, SpirvVersion::SPIRV1_3)
    }

    fn control(&self) -> Vec<u32> {
        let mut levels = String::new();
        for level in self.levels.iter().flatten() {
            write!(levels, "uintBitsToFloat({}u),", level.to_bits())
                .expect("a String takes any text");
        }
        let levels = levels.trim_end_matches(',');
        let outputs = self.outputs;
        let head = format!(
            "{}#define OUTPUTS {outputs}\nlayout(vertices = OUTPUTS) out;\nconst float LEVELS[] = float[]({levels});",
            self.first_lines()
        );
        let source = format!("{head}{CONTROL}");
        compiled(ShaderStage::TessellationControl, &source, SpirvVersion::SPIRV1_3)
    }

    fn evaluation(&self) -> Vec<u32> {
        let Self { domain, spacing, order, .. } = self;
        let points = if self.points { ", point_mode" } else { "" };
        let head = format!("#version 450\nlayout({domain}, {spacing}, {order}{points}) in;");
        let source = format!("{head}{EVALUATION}");
        compiled(ShaderStage::TessellationEvaluation, &source, SpirvVersion::SPIRV1_3)
    }
}
