//! `polyshade clip`.

use super::{Acts, Table, Together, Witness};

const ARRAYS: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 1) out vec4 v;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
void main() {
    v = a;
    gl_Position = a;
    gl_ClipDistance[0] = a.x;
    gl_ClipDistance[1] = a.y;
    gl_CullDistance[0] = a.z;
}
";

const REGISTERS: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 1) out vec4 v;
void main() { v = a; gl_Position = a; }
";

const INPUTS: &str = "#version 450
layout(location = 1) in vec4 a;
layout(location = 0) out vec4 c;
void main() { c = a; }
";

const UNUSED: &str = "#version 450
layout(location = 0) in vec4 a;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() { gl_Position = a; }
";

const SEMANTIC: &str = "OpCapability Shader
OpExtension \"SPV_GOOGLE_hlsl_functionality1\"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %position %distance
OpDecorate %position BuiltIn Position
OpDecorate %distance Location 1
OpDecorateStringGOOGLE %distance UserSemantic \"SV_ClipDistance0\"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%out_v4 = OpTypePointer Output %v4
%position = OpVariable %out_v4 Output
%distance = OpVariable %out_v4 Output
%one = OpConstant %float 1
%ones = OpConstantComposite %v4 %one %one %one %one
%main = OpFunction %void None %fn
%label = OpLabel
OpStore %position %ones
OpStore %distance %ones
OpReturn
OpFunctionEnd
";

const fn on(source: &'static str, line: &'static str) -> Witness {
    Witness { file: "a.vert", source, line }
}

const fn acts(option: &'static str, value: &'static str, on: usize) -> Acts {
    Acts { option, value, on }
}

const LINKED: &str = "what is linked is marked too";

pub(super) const TABLE: Table = Table {
    verb: "clip",
    witnesses: &[
        on(ARRAYS, ""),
        on(ARRAYS, "--location 4"),
        on(ARRAYS, "--to registers"),
        on(ARRAYS, "--to registers --location 4"),
        on(REGISTERS, ""),
        Witness { file: "a.frag", source: INPUTS, line: "" },
        on(REGISTERS, "--outputs clip=1.x"),
        Witness { file: "a.frag", source: INPUTS, line: "--inputs clip=1.x" },
        Witness { file: "a.spvasm", source: SEMANTIC, line: "" },
        on(ARRAYS, "--enable 1"),
        on(REGISTERS, "--planes-at push-constant=16"),
        on(REGISTERS, "--planes 2"),
        on(REGISTERS, "--planes 2 --planes-at push-constant=16"),
        on(ARRAYS, "--emulate 5"),
        on(ARRAYS, "--exact --location 5"),
        on(ARRAYS, "--location 5 --geometry %d/geometry.spv"),
        on(ARRAYS, "--exact --location 5 --geometry %d/geometry.spv"),
        on(UNUSED, ""),
        on(ARRAYS, "--enable specialization=5"),
        on(ARRAYS, "--enable storage=1:0"),
        on(ARRAYS, "--to combined"),
    ],
    acts: &[
        acts("--repair", "unused", 17),
        acts("--to", "registers", 1),
        acts("--inputs", "clip=1", 5),
        acts("--outputs", "clip=1.y", 4),
        acts("--linked-inputs", "clip=1.xy", 7),
        acts("--linked-outputs", "clip=1.xyz", 6),
        acts("--marks", "%i/marks.json", 4),
        acts("--no-semantics", "", 8),
        acts("--location", "4", 2),
        acts("--linked", "3,1", 3),
        acts("--enable", "1", 0),
        acts("--as-written", "5", 9),
        acts("--planes", "2", 10),
        acts("--planes-at", "push-constant=16", 11),
        acts("--planes-in", "location=1", 12),
        acts("--emulate", "5", 0),
        acts("--exact", "", 15),
        acts("--geometry", "%d/geometry.spv", 14),
        acts("--primitive", "lines", 16),
        acts("--hand-on", "", 16),
        acts("--flat", "1", 16),
        acts("--no-perspective", "1", 16),
        acts("--provoking", "last", 16),
        acts("--max-geometry-vertices", "1", 16),
        acts("--max-geometry-components", "8", 16),
        acts("--max-geometry-total", "16", 16),
        acts("--native", "clip", 13),
        acts("--max-clip", "1", 12),
        acts("--max-cull", "0", 0),
        acts("--max-combined", "1", 20),
        acts("--reserve", "1:0", 19),
        acts("--reserve-constant", "5", 18),
        acts("--reserve-location", "5", 13),
        acts("--reserve-push-constants", "16-19", 12),
        acts("--reserve-ids-below", "1000", 9),
        acts("--no-names", "", 12),
    ],
    together: &[
        Together {
            options: ["*", "--no-semantics"],
            why: "no output of this witness is a distance then, so that there is nothing to do",
        },
        Together {
            options: ["--linked", "--emulate"],
            why: "it is for the fragment stage: the one before emulates the distances that it has",
        },
        Together { options: ["--outputs", "--linked-outputs"], why: LINKED },
        Together { options: ["--marks", "--linked-outputs"], why: LINKED },
    ],
    idle: &[],
};
