//! The vertex shaders whose outputs are captured.
//!
//! A macro `XFB_name` precedes every captured output (`XFB_name_1_` for an element, `XFB_Block_member` for a member).
//! The macro expands to `xfb_*` qualifiers for the native feature and to nothing for polyshade, so both compile from
//! the same text. All arithmetic is exact, so every driver computes the same bits. Vulkan requires a point size,
//! which `POINT_SIZE` writes; polyshade adds it itself.

use crate::glsl;
use polyshade::transform_feedback::Options;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_vulkan::model::{self, BufferLayout, Entry};
use std::fmt::Write;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Shader {
    pub(crate) source: &'static str,
    /// The shader's outputs: names and numbers of 32-bit components.
    pub(crate) outputs: &'static [(&'static str, u32)],
}

/// The varyings to capture, as OpenGL lists them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Varyings {
    /// Names separated by blanks, interleaved in one buffer.
    Interleaved(&'static str),
    /// Names separated by blanks, one buffer each.
    Separate(&'static str),
}

impl Varyings {
    /// Returns options that capture the varyings by their names.
    pub(crate) fn add_to(self, options: Options) -> Options {
        match self {
            Varyings::Interleaved(names) => options.interleaved(names.split_whitespace()),
            Varyings::Separate(names) => options.separate(names.split_whitespace()),
        }
    }
}

impl Shader {
    /// Returns the layout that the specification defines for the captured varyings.
    pub(crate) fn layout(&self, varyings: Varyings) -> Vec<BufferLayout> {
        match varyings {
            Varyings::Interleaved(names) => {
                let entries = names.split_whitespace().map(|name| self.entry(name));
                model::interleave(&entries.collect::<Vec<_>>())
            }
            Varyings::Separate(names) => {
                let entries = names.split_whitespace().map(|name| self.entry(name));
                entries.flat_map(|entry| model::interleave(&[entry])).collect()
            }
        }
    }

    fn entry(&self, name: &'static str) -> Entry<'static> {
        if name == "gl_NextBuffer" {
            return Entry::NextBuffer;
        }
        if let Some(count) = name.strip_prefix("gl_SkipComponents") {
            return Entry::Skip(count.parse().expect("a number of components"));
        }
        let output = self.outputs.iter().find(|output| output.0 == name);
        let &(name, components) = output.unwrap_or_else(|| panic!("no output {name}"));
        Entry::Varying(name, components)
    }

    /// Compiles the shader without `xfb_*` qualifiers.
    pub(crate) fn plain(&self) -> Vec<u32> {
        self.plain_for(SpirvVersion::SPIRV1_3)
    }

    /// Compiles the shader without `xfb_*` qualifiers to a version of SPIR-V.
    pub(crate) fn plain_for(&self, version: SpirvVersion) -> Vec<u32> {
        let defines = format!("#define POINT_SIZE\n{}", self.defines(&[]));
        glsl::vertex(self.source, &defines, version)
    }

    /// Compiles the shader with the qualifiers of the native feature.
    pub(crate) fn native(&self, varyings: Varyings) -> Vec<u32> {
        self.native_stage(ShaderStage::Vertex, varyings)
    }

    /// Compiles the shader for another stage, with the qualifiers of the native feature.
    pub(crate) fn native_stage(&self, stage: ShaderStage, varyings: Varyings) -> Vec<u32> {
        self.compile(stage, &self.layout(varyings))
    }

    /// Compiles a shader for any stage, without `xfb_*` qualifiers and with a point size.
    pub(crate) fn plain_stage(&self, stage: ShaderStage) -> Vec<u32> {
        self.compile(stage, &[])
    }

    fn compile(&self, stage: ShaderStage, layout: &[BufferLayout]) -> Vec<u32> {
        let defines = self.defines(layout);
        let defines = format!("#define POINT_SIZE gl_PointSize = 1.0\n{defines}");
        glsl::stage(stage, self.source, &defines, SpirvVersion::SPIRV1_3)
    }

    fn defines(&self, layout: &[BufferLayout]) -> String {
        let mut defines = String::new();
        for (name, _) in self.outputs {
            let macro_name = name.replace(|c: char| !c.is_alphanumeric(), "_");
            write!(defines, "#define XFB_{macro_name} ").expect("strings can be written to");
            let places = layout.iter().enumerate().flat_map(|(buffer, layout)| {
                layout.varyings.iter().map(move |varying| (buffer, layout.stride, varying))
            });
            for (buffer, stride, (_, offset)) in places.filter(|place| place.2.0 == *name) {
                let qualifiers = format!(
                    "layout(xfb_buffer = {buffer}, xfb_offset = {offset}, xfb_stride = {stride})"
                );
                defines.push_str(&qualifiers);
            }
            defines.push('\n');
        }
        defines
    }
}

/// Outputs the vertex index and the instance index, each in two outputs.
pub(crate) const INDICES: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) XFB_v_index flat out uvec2 v_index;
        layout(location = 1) XFB_v_mixed flat out uvec3 v_mixed;
        layout(location = 2) XFB_v_vertex flat out uint v_vertex;
        layout(location = 3) XFB_v_instance flat out uint v_instance;
        void main() {
            v_index = uvec2(gl_VertexIndex, gl_InstanceIndex);
            v_mixed = v_index.xyx * 1000u + uvec3(7u, 8u, 9u);
            v_vertex = v_index.x;
            v_instance = v_index.y;
            gl_Position = vec4(0, 0, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[("v_index", 2), ("v_mixed", 3), ("v_vertex", 1), ("v_instance", 1)],
};

/// Outputs scalars and vectors of floats and integers.
pub(crate) const VECTORS: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) XFB_v_float out float v_float;
        layout(location = 1) XFB_v_vec2 out vec2 v_vec2;
        layout(location = 2) XFB_v_vec3 out vec3 v_vec3;
        layout(location = 3) XFB_v_vec4 out vec4 v_vec4;
        layout(location = 4) XFB_v_int flat out int v_int;
        layout(location = 5) XFB_v_ivec3 flat out ivec3 v_ivec3;
        layout(location = 6) XFB_v_uint flat out uint v_uint;
        layout(location = 7) XFB_v_uvec4 flat out uvec4 v_uvec4;
        void main() {
            float f = float(gl_VertexIndex) * 0.25 + float(gl_InstanceIndex) * 64.0;
            v_float = f;
            v_vec2 = vec2(f, -f);
            v_vec3 = vec3(f) + vec3(1, 2, 3);
            v_vec4 = vec4(f, f * 2.0, f * 4.0, -0.0);
            v_int = -gl_VertexIndex;
            v_ivec3 = ivec3(gl_VertexIndex, gl_InstanceIndex, -2147483647) - 1;
            v_uint = uint(gl_VertexIndex) * 2654435761u;
            v_uvec4 = v_uint ^ uvec4(1, 0x80000000, 0x7fc00001, 0xff800001);
            gl_Position = vec4(f, 0, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[
        ("v_float", 1),
        ("v_vec2", 2),
        ("v_vec3", 3),
        ("v_vec4", 4),
        ("v_int", 1),
        ("v_ivec3", 3),
        ("v_uint", 1),
        ("v_uvec4", 4),
    ],
};

/// Outputs NaNs (quiet and signalling), infinities and denormals.
pub(crate) const BITS: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) XFB_v_bits out vec4 v_bits;
        layout(location = 1) XFB_v_more out vec3 v_more;
        void main() {
            uint i = uint(gl_VertexIndex);
            v_bits = uintBitsToFloat(uvec4(0x7f800001u, 0x7fc00000u, 0xffa5a500u, 0x7fbfff00u) + i);
            v_more = uintBitsToFloat(uvec3(0xff800000u, 1u + i, 0x80000000u));
            gl_Position = vec4(0, 0, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[("v_bits", 4), ("v_more", 3)],
};

/// Outputs matrices and arrays. Some are written in a loop, and some through an `out` parameter.
pub(crate) const AGGREGATES: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) XFB_v_mat2 out mat2 v_mat2;
        layout(location = 2) XFB_v_mat3 out mat3 v_mat3;
        layout(location = 5) XFB_v_mat4x3 out mat4x3 v_mat4x3;
        layout(location = 9) XFB_v_floats out float v_floats[3];
        layout(location = 12) XFB_v_vectors out vec2 v_vectors[2];
        layout(location = 14) XFB_v_integers flat out ivec3 v_integers[2];
        void fill(out mat4x3 matrix, float f) {
            for (int column = 0; column < 4; ++column)
                matrix[column] = vec3(f, float(column), f + 1.0);
        }
        void main() {
            float f = float(gl_VertexIndex) * 0.5 + float(gl_InstanceIndex) * 32.0;
            v_mat2 = mat2(f, 1, 2, f + 3.0);
            v_mat3 = mat3(1, 2, 3, f, 5, 6, 7, f, 9);
            fill(v_mat4x3, f);
            for (int i = 0; i < 3; ++i)
                v_floats[i] = f * float(i + 1);
            v_vectors = vec2[2](vec2(f, 1), vec2(2, f));
            v_integers[0] = ivec3(gl_VertexIndex, 1, 2);
            v_integers[1] = ivec3(3, gl_InstanceIndex, 4);
            gl_Position = vec4(f, f, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[
        ("v_mat2", 4),
        ("v_mat3", 9),
        ("v_mat4x3", 12),
        ("v_floats", 3),
        ("v_vectors", 4),
        ("v_integers", 6),
    ],
};

/// Outputs built-ins and another variable, and returns early.
pub(crate) const BUILT_INS: Shader = Shader {
    source: r"
        #version 450
        out gl_PerVertex {
            XFB_gl_Position vec4 gl_Position;
            XFB_gl_PointSize float gl_PointSize;
            XFB_gl_ClipDistance float gl_ClipDistance[3];
        };
        layout(location = 0) XFB_v_colour out vec4 v_colour;
        void main() {
            float f = float(gl_VertexIndex - 3) * 0.125;
            gl_Position = vec4(f, f * 2.0, 0.5, float(gl_InstanceIndex) - 1.0);
            gl_PointSize = 1.0 + float(gl_InstanceIndex);
            gl_ClipDistance[0] = f;
            gl_ClipDistance[1] = -f;
            gl_ClipDistance[2] = float(gl_VertexIndex);
            v_colour = vec4(0.25);
            if (gl_VertexIndex % 3 == 1)
                return;
            v_colour = vec4(f, 0, 1, f + 1.0);
        }",
    outputs: &[("gl_Position", 4), ("gl_PointSize", 1), ("gl_ClipDistance", 3), ("v_colour", 4)],
};

/// Outputs blocks and arrays, to capture members and elements. The native feature cannot capture an element, so it
/// captures a copy.
pub(crate) const PARTS: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) out Block {
            XFB_Block_colour vec3 colour;
            XFB_Block_weight float weight;
            XFB_Block_counts flat ivec2 counts[2];
        } block;
        layout(location = 6) out vec2 v_pairs[3];
        layout(location = 9) XFB_v_pairs_2_ out vec2 v_copy;
        void main() {
            float f = float(gl_VertexIndex) + float(gl_InstanceIndex) * 16.0;
            block.colour = vec3(f, 1, 2);
            block.weight = f * 0.5;
            block.counts = ivec2[2](ivec2(gl_VertexIndex, 1), ivec2(2, gl_InstanceIndex));
            for (int i = 0; i < 3; ++i)
                v_pairs[i] = vec2(f, float(i));
            v_copy = v_pairs[2];
            gl_Position = vec4(f, 0, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[("Block.colour", 3), ("Block.weight", 1), ("Block.counts", 4), ("v_pairs[2]", 2)],
};

/// Outputs with all kinds of qualifiers and with shared locations. The shader reads no vertex or instance index.
pub(crate) const QUALIFIED: Shader = Shader {
    source: r"
        #version 450
        invariant gl_Position;
        layout(location = 2, component = 0) XFB_v_low out vec2 v_low;
        layout(location = 2, component = 2) XFB_v_high out vec2 v_high;
        layout(location = 4) XFB_v_medium out mediump vec3 v_medium;
        layout(location = 5) XFB_v_straight noperspective centroid out float v_straight;
        layout(location = 6) XFB_v_precise precise out vec2 v_precise;
        void main() {
            float f = float(gl_InstanceIndex) + 0.123456789;
            v_low = vec2(f, 1);
            v_high = vec2(2, f);
            v_medium = vec3(f, 3, 4);
            v_straight = f;
            v_precise = vec2(5, f);
            gl_Position = vec4(0, 0, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[("v_low", 2), ("v_high", 2), ("v_medium", 3), ("v_straight", 1), ("v_precise", 2)],
};
