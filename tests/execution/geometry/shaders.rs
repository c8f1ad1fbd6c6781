//! The shaders: a vertex stage with every kind of output, and geometry stages that read them.

use crate::shaders::Shader;
use polyshade::transform_feedback::Topology;
use std::fmt::Write;

/// The vertex stage: every kind of output that a geometry stage can read.
pub(super) const VERTEX: &str = r"
    #version 450
    struct Pair { vec2 a; uint b; };
    layout(location = 0) flat out uvec2 v_index;
    layout(location = 1, component = 1) out vec3 v_packed;
    layout(location = 2) out float v_list[2];
    layout(location = 4) flat out Pair v_pair;
    layout(location = 7) out Block { vec4 v_member; mat2 v_matrix; };
    out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
    void main() {
        float f = float(gl_VertexIndex) * 0.25;
        v_index = uvec2(gl_VertexIndex, gl_InstanceIndex);
        v_packed = vec3(f, -f, 2);
        v_list = float[](f + 1.0, f + 2.0);
        v_pair = Pair(vec2(f, 3), uint(gl_VertexIndex) * 3u);
        v_member = vec4(4, f, 5, 6);
        v_matrix = mat2(f, 7, 8, f);
        gl_Position = vec4(f, 1, 2, 1);
        gl_PointSize = 1.0;
        gl_ClipDistance = float[](f, 9.0);
    }";

/// What precedes the body of every geometry stage.
const INPUTS: &str = r"
    struct Pair { vec2 a; uint b; };
    layout(location = 0) flat in uvec2 v_index[];
    layout(location = 1, component = 1) in vec3 v_packed[];
    layout(location = 2) in float v_list[][2];
    layout(location = 4) flat in Pair v_pair[];
    layout(location = 7) in Block { vec4 v_member; mat2 v_matrix; } blocks[];
    in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; } gl_in[];
    layout(location = 0) XFB_g_index flat out uvec4 g_index;
    layout(location = 1) XFB_g_values out vec4 g_values;
    layout(location = 2) XFB_g_more out vec3 g_more;
    out gl_PerVertex { XFB_gl_Position vec4 gl_Position; float gl_PointSize; };
    uint random(uint seed) {
        seed = seed * 747796405u + 2891336453u;
        seed = ((seed >> ((seed >> 28) + 4u)) ^ seed) * 277803737u;
        return (seed >> 22) ^ seed;
    }
    uint seed() {
        return random(v_index[0].x + 31u * v_index[0].y + 977u * uint(gl_InvocationID));
    }
    void write(uint k) {
        uint corner = k % CORNERS;
        g_index = uvec4(v_index[corner], gl_PrimitiveIDIn, k + 100u * uint(gl_InvocationID));
        g_values = vec4(v_packed[corner].yz, v_list[corner][k % 2u], gl_in[corner].gl_ClipDistance[1]);
        g_more = vec3(v_pair[corner].a.x, float(v_pair[corner].b), blocks[corner].v_matrix[1].y);
        gl_Position = gl_in[corner].gl_Position + blocks[corner].v_member;
        gl_PointSize = 1.0;
    }";

pub(super) const OUTPUTS: &[(&str, u32)] =
    &[("g_index", 4), ("g_values", 4), ("g_more", 3), ("gl_Position", 4)];

/// An input primitive: its layout qualifier, its number of vertices, and its topologies.
pub(super) const PRIMITIVES: [(&str, u32, &[Topology]); 5] = [
    ("points", 1, &[Topology::PointList]),
    ("lines", 2, &[Topology::LineList, Topology::LineStrip]),
    ("triangles", 3, &[Topology::TriangleList, Topology::TriangleStrip, Topology::TriangleFan]),
    ("lines_adjacency", 4, &[Topology::LineListWithAdjacency, Topology::LineStripWithAdjacency]),
    (
        "triangles_adjacency",
        6,
        &[Topology::TriangleListWithAdjacency, Topology::TriangleStripWithAdjacency],
    ),
];

/// The text of a geometry stage.
pub(super) fn source(input: usize, output: &str, invocations: u32, body: &str) -> &'static str {
    let (name, corners, _) = PRIMITIVES[input];
    let mut text = String::from("#version 450\n");
    write!(
        text,
        "layout({name}, invocations = {invocations}) in; layout({output}, max_vertices = 15) out;
        const uint CORNERS = {corners};\n{INPUTS}\n{body}"
    )
    .expect("strings can be written to");
    text.leak()
}

/// Draws primitives at random positions, with the values that `SCENE_PIXELS` reads.
pub(super) const SCENE: &str = r"
    void main() {
        uint state = seed();
        for (uint strip = 0u; strip < 3u; ++strip) {
            for (uint k = 0u; k < 2u + strip; ++k) {
                state = random(state);
                write(k);
                uvec4 bytes = uvec4(state, state >> 8, state >> 16, state >> 24) & 255u;
                g_values = vec4(bytes) / 256.0;
                gl_Position = vec4(g_values.yw * 2.0 - 1.0, 0.5, 1.0);
                gl_PointSize = 1.0 + g_values.x * 4.0;
                EmitVertex();
            }
            EndPrimitive();
        }
    }";

/// Writes an interpolated varying and one of the provoking vertex to every pixel.
pub(super) const SCENE_PIXELS: &str = r"
    #version 450
    layout(location = 0) flat in uvec4 g_index;
    layout(location = 1) in vec4 g_values;
    layout(location = 0) out uvec4 pixel;
    void main() {
        pixel = uvec4(g_index.xz + 1u, floatBitsToUint(g_values.xy));
    }";

/// Emits points to two vertex streams, several for each input.
pub(super) const STREAMS: Shader = Shader {
    source: r"
        #version 450
        layout(points) in;
        layout(points, max_vertices = 5) out;
        layout(location = 0) flat in uvec2 v_index[];
        layout(stream = 0) out;
        layout(location = 0) XFB_s_index flat out uvec2 s_index;
        layout(location = 1) XFB_s_list flat out uvec3 s_list;
        layout(stream = 1) out;
        layout(location = 3) XFB_t_index flat out uint t_index;
        layout(location = 4) XFB_t_list flat out uvec2 t_list;
        void main() {
            for (uint k = 0u; k < 1u + v_index[0].x % 3u; ++k) {
                t_index = v_index[0].x;
                t_list = uvec2(k, 7);
                EmitStreamVertex(1);
                EndStreamPrimitive(1);
            }
            s_index = v_index[0] + 5u;
            s_list = uvec3(1, 2, v_index[0].x);
            gl_Position = vec4(0);
            gl_PointSize = 1.0;
            EmitStreamVertex(0);
            EndStreamPrimitive(0);
        }",
    outputs: &[("s_index", 2), ("s_list", 3), ("t_index", 1), ("t_list", 2)],
};
