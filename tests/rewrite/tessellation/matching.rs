//! Inputs of the evaluation shader, and the outputs of the control shader that they match.

use super::{Options, VERTEX, control_module, evaluation_module, loaded, steps};

/// An interface of two stages: the outputs and inputs, and the code that writes and reads them.
struct Interface<'s> {
    outputs: &'s str,
    writes: &'s str,
    inputs: &'s str,
    reads: &'s str,
}

/// Returns the offsets that the evaluation shader loads of a patch and of a vertex.
#[track_caller]
fn matched(Interface { outputs, writes, inputs, reads }: Interface<'_>) -> [Vec<u32>; 2] {
    let head = "#version 450\n#define I gl_InvocationID\n";
    let stages = [
        format!("{head}layout(vertices = 2) out; {outputs} void main() {{ {writes} }}"),
        format!("{head}layout(quads) in; {inputs} void main() {{ gl_Position = vec4({reads}); }}"),
    ];
    let stages = [control_module(&stages[0]), evaluation_module(&stages[1])];
    let [.., drawn] = steps(stages, VERTEX, &Options::new());
    ["load_patch", "load_vertex"].map(|name| loaded(&drawn.module, name))
}

/// Returns the offsets that the evaluation shader loads of a vertex, and none of a patch.
#[track_caller]
fn of_vertex(outputs: &str, inputs: &str, reads: &str) -> Vec<u32> {
    let [of_patch, of_vertex] = matched(Interface { outputs, writes: "", inputs, reads });
    assert!(of_patch.is_empty());
    of_vertex
}

/// Returns the offsets that the evaluation shader loads of a patch, and none of a vertex.
#[track_caller]
fn of_patch(outputs: &str, inputs: &str, reads: &str) -> Vec<u32> {
    let [of_patch, of_vertex] = matched(Interface { outputs, writes: "", inputs, reads });
    assert!(of_vertex.is_empty());
    of_patch
}

#[test]
fn inputs_match_outputs_at_locations() {
    let vector = "layout(location = 1) out vec4 v[];";
    let split =
        "layout(location = 1) in vec2 a[]; layout(location = 1, component = 3) in float b[];";
    assert_eq!(of_vertex(vector, split, "a[1], b[0], 1"), [0, 1, 3]);
    let split =
        "layout(location = 1) out vec2 a[]; layout(location = 1, component = 2) out vec2 b[];";
    let later = "layout(location = 1, component = 3) in float v[];";
    assert_eq!(of_vertex(split, later, "v[0]"), [3]);
    // An input without an output of all its components is undefined.
    let others = "layout(location = 1) in vec4 v[]; layout(location = 7) in float w[];";
    assert!(of_vertex(split, others, "v[0] + w[1]").is_empty());
    let structure = "struct S { vec3 a; uint b[2]; mat2 c; }; layout(location = 2) out S s[];";
    let inputs = "layout(location = 3) in flat uint b[][2]; layout(location = 6) in vec2 c[];";
    assert_eq!(of_vertex(structure, inputs, "b[0][0], b[1][1], c[1]"), [3, 4, 7, 8]);
    let block = "layout(location = 2) out Block { vec3 a; layout(location = 9) uint b; } s[];";
    let other = "layout(location = 9) in Block { uint b; layout(location = 2) vec3 a; } s[];";
    assert_eq!(of_vertex(block, other, "s[0].a, s[1].b"), [3, 0, 1, 2]);
    let wide = "layout(location = 1) out dvec4 d[];";
    let offsets = [0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(of_vertex(wide, "layout(location = 1) in dvec4 d[];", "d[0]"), offsets);
}

#[test]
fn inputs_match_outputs_of_patches() {
    let array = "layout(location = 1) patch out vec3 v[3];";
    let element = "layout(location = 2) patch in vec2 v; layout(location = 5) patch in vec2 w;";
    assert_eq!(of_patch(array, element, "v, w"), [9, 10]);
    let elements = "layout(location = 2) patch in vec3 v[2];";
    assert_eq!(of_patch(array, elements, "v[0] + v[1], 1"), [9, 10, 11, 12, 13, 14]);
    let block = "layout(location = 1) patch out Block { vec3 a; float b[2]; };";
    let named = "layout(location = 1) patch in Block { vec3 a; float b[2]; } c;";
    assert_eq!(of_patch(block, named, "c.a, c.b[0] + c.b[1]"), [6, 7, 8, 9, 10]);
    // An output of vertices is no output of the patch.
    assert!(of_patch("layout(location = 2) out vec2 v[];", element, "v, w").is_empty());
}

#[test]
fn inputs_match_outputs_that_are_built_in() {
    let reads = "gl_TessLevelOuter[3], gl_TessLevelInner[0], gl_in[1].gl_PointSize,
        gl_in[0].gl_ClipDistance[1]) + gl_in[0].gl_Position + vec4(0";
    let block = "gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; }";
    let [outputs, inputs] = ["out", "in"].map(|way| format!("{way} {block} gl_{way}[];"));
    let found = |writes| matched(Interface { outputs: &outputs, writes, inputs: &inputs, reads });
    let writes = "gl_out[I].gl_Position = vec4(1); gl_out[I].gl_PointSize = 1;
        gl_out[I].gl_ClipDistance[0] = 1; gl_out[I].gl_ClipDistance[1] = 2;
        gl_TessLevelOuter[0] = 1; gl_TessLevelInner[1] = 1;";
    assert_eq!(found(writes), [vec![3, 4], vec![0, 1, 2, 3, 4, 5, 6]]);
    // The control shader writes neither levels nor other members.
    assert_eq!(found("gl_out[I].gl_Position = vec4(1);"), [vec![], vec![0, 1, 2, 3]]);
}
