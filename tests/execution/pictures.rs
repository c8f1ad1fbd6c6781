//! Pictures of shaders of any stage with changed positions. They depend on the depth, both varyings and the host's
//! constants.

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use polyshade::spv::ExecutionModel;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_vulkan::{Constant, Draw, Stage, Target, Work, vk};

/// A shader with positions inside and outside OpenGL's clip volume, and the macro `FIX` at every export.
pub(crate) struct Scene {
    pub(crate) stage: ShaderStage,
    pub(crate) source: &'static str,
    pub(crate) topology: vk::PrimitiveTopology,
}

const VERTEX: Scene = Scene {
    stage: ShaderStage::Vertex,
    source: r"
        #version 450
        layout(location = 0) XFB_v_colour out vec2 v_colour;
        out gl_PerVertex { XFB_gl_Position vec4 gl_Position; float gl_PointSize; };
        void main() {
            uint noise = uint(gl_VertexIndex) * 2654435761u + 12345u;
            vec4 bytes = vec4(uvec4(noise, noise >> 8, noise >> 16, noise >> 24) & 255u) / 128.0 - 1.0;
            v_colour = bytes.xy;
            gl_Position = vec4(bytes.zwx * 1.5, 1.0 + bytes.y * 0.25);
            gl_PointSize = 2.0;
            if (gl_VertexIndex % 3 == 1) {
                FIX;
                return;
            }
            gl_Position.x += 0.25;
            FIX;
        }",
    topology: vk::PrimitiveTopology::TRIANGLE_LIST,
};

const GEOMETRY: Scene = Scene {
    stage: ShaderStage::Geometry,
    source: r"
        #version 450
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 4) out;
        layout(location = 0) in vec2 v_colour[];
        in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];
        layout(location = 0) XFB_v_colour out vec2 g_colour;
        out gl_PerVertex { XFB_gl_Position vec4 gl_Position; float gl_PointSize; };
        void corner(int i) {
            g_colour = v_colour[i];
            gl_Position = gl_in[i].gl_Position;
            gl_PointSize = 1.0;
            FIX;
            EmitVertex();
        }
        void main() {
            for (int i = 0; i < 3; ++i)
                corner(i);
            g_colour = vec2(0.5);
            gl_Position = gl_in[1].gl_Position + vec4(0.5, -0.25, 0.25, 0);
            gl_PointSize = 1.0;
            FIX;
            EmitVertex();
        }",
    topology: vk::PrimitiveTopology::TRIANGLE_LIST,
};

const EVALUATION: Scene = Scene {
    stage: ShaderStage::TessellationEvaluation,
    source: r"
        #version 450
        layout(triangles, equal_spacing, ccw) in;
        layout(location = 0) in vec2 c_colour[];
        in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[gl_MaxPatchVertices];
        layout(location = 0) XFB_v_colour out vec2 e_colour;
        out gl_PerVertex { XFB_gl_Position vec4 gl_Position; float gl_PointSize; };
        void main() {
            e_colour = c_colour[0] * gl_TessCoord.x + c_colour[1] * gl_TessCoord.y;
            gl_Position = gl_in[0].gl_Position * gl_TessCoord.x
                + gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * gl_TessCoord.z;
            gl_PointSize = 1.0;
            FIX;
        }",
    topology: vk::PrimitiveTopology::PATCH_LIST,
};

/// Only the first of two vertex streams has a position.
const STREAMS: Scene = Scene {
    stage: ShaderStage::Geometry,
    source: r"
        #version 450
        layout(triangles) in;
        layout(points, max_vertices = 9) out;
        layout(location = 0) in vec2 v_colour[];
        in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];
        layout(location = 0) XFB_v_colour out vec2 g_colour;
        out gl_PerVertex { XFB_gl_Position vec4 gl_Position; float gl_PointSize; };
        layout(stream = 1, location = 1) flat out uint t_number;
        void other(int i) {
            t_number = uint(i);
            EmitStreamVertex(1);
            EndStreamPrimitive(1);
        }
        void main() {
            for (int i = 0; i < 3; ++i) {
                other(i);
                g_colour = v_colour[i];
                gl_Position = gl_in[i].gl_Position;
                gl_PointSize = 3.0;
                FIX;
                EmitStreamVertex(0);
                EndStreamPrimitive(0);
                other(7);
            }
        }",
    topology: vk::PrimitiveTopology::TRIANGLE_LIST,
};

/// A shader of each stage, and one with several streams.
pub(crate) const SCENES: [Scene; 4] = [VERTEX, EVALUATION, GEOMETRY, STREAMS];

const CONTROL: &str = "
    #version 450
    layout(vertices = 3) out;
    layout(location = 0) in vec2 v_colour[];
    in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[gl_MaxPatchVertices];
    out gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_out[];
    layout(location = 0) out vec2 c_colour[];
    void main() {
        c_colour[gl_InvocationID] = v_colour[gl_InvocationID];
        gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
        gl_out[gl_InvocationID].gl_PointSize = 1.0;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
        gl_TessLevelInner[0] = 2.0;
    }";

/// Writes a coverage flag, the depth, and the varying.
const FRAGMENT: &str = r"
    #version 450
    layout(location = 0) in vec2 v_colour;
    layout(location = 0) out uvec4 pixel;
    void main() {
        pixel = uvec4(1, floatBitsToUint(vec3(gl_FragCoord.z, v_colour)));
    }";

const VERTICES: u32 = 24;
const TARGET: Target = Target::new(vk::Format::R32G32B32A32_UINT, 20, 20);

/// The specialization constants and push constants that the host sets.
#[derive(Clone, Default)]
pub(crate) struct Host {
    pub(crate) constants: Vec<(u32, Constant)>,
    pub(crate) push_constants: Vec<u8>,
}

impl Scene {
    /// Compiles the shader with `fix` as the macro `FIX`, and with these `xfb_*` qualifiers for colour and position.
    pub(crate) fn words(&self, fix: &str, colour: &str, position: &str) -> Vec<u32> {
        let defines = format!(
            "#define FIX {fix}\n#define XFB_v_colour {colour}\n#define XFB_gl_Position {position}"
        );
        glsl::stage(self.stage, self.source, &defines, SpirvVersion::SPIRV1_3)
    }

    /// Compiles the unchanged shader.
    pub(crate) fn plain(&self) -> Vec<u32> {
        self.words("", "", "")
    }

    pub(crate) fn model(&self) -> ExecutionModel {
        match self.stage {
            ShaderStage::Vertex => ExecutionModel::VERTEX,
            ShaderStage::TessellationEvaluation => ExecutionModel::TESSELLATION_EVALUATION,
            _ => ExecutionModel::GEOMETRY,
        }
    }

    pub(crate) fn drivers(&self) -> &'static [Driver] {
        if self.stage == ShaderStage::Vertex { &DRIVERS } else { &DRIVERS[..1] }
    }

    /// Draws the picture of these words.
    #[track_caller]
    pub(crate) fn picture(&self, driver: Driver, words: &[u32], host: &Host) -> Vec<u8> {
        let ahead = self.ahead();
        let fragment = glsl::fragment(FRAGMENT);
        let mut draw = self.draw(words, &ahead, host);
        draw.stages.push(Stage::fragment(&fragment));
        draw.target = Some(0);
        let work = Work { targets: vec![TARGET], draws: vec![draw], ..Work::default() };
        driver.run(&work).targets.swap_remove(0)
    }

    /// Returns the shaders of the previous stages.
    pub(crate) fn ahead(&self) -> Vec<(vk::ShaderStageFlags, Vec<u32>)> {
        use vk::ShaderStageFlags as Flags;
        let vertex = || (Flags::VERTEX, VERTEX.plain());
        match self.stage {
            ShaderStage::Vertex => Vec::new(),
            ShaderStage::TessellationEvaluation => {
                let kind = ShaderStage::TessellationControl;
                let control = glsl::stage(kind, CONTROL, "", SpirvVersion::SPIRV1_3);
                vec![vertex(), (Flags::TESSELLATION_CONTROL, control)]
            }
            _ => vec![vertex()],
        }
    }

    /// Returns a draw that has neither a fragment stage nor a target.
    pub(crate) fn draw<'a>(
        &self,
        words: &'a [u32],
        ahead: &'a [(vk::ShaderStageFlags, Vec<u32>)],
        host: &Host,
    ) -> Draw<'a> {
        let own = glsl::flags(self.stage);
        let mut stages: Vec<Stage<'a>> =
            ahead.iter().map(|(stage, words)| Stage::new(*stage, words)).collect();
        let specialization = host.constants.clone();
        stages.push(Stage { specialization, ..Stage::new(own, words) });
        Draw {
            topology: self.topology,
            patch_control_points: 3,
            push_constants: host.push_constants.clone(),
            ..Draw::new(stages, 0..VERTICES)
        }
    }
}

pub(crate) fn is_empty(picture: &[u8]) -> bool {
    picture.iter().all(|byte| *byte == 0)
}
