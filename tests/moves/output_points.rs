//! Where outputs are handed on, and which locations are free for more of them.

use crate::shader::{Shader, entry, named};
use polyshade::host::Reserved;
use polyshade::moves;
use polyshade_spv::{ErrorKind, Op, StorageClass};
use polyshade_tests::shader::ShaderStage;

/// The instructions of `main` and of what it calls that store or emit, with `%mark` for stores to the new output.
fn stores_and_emits(shader: &Shader) -> Vec<&'static str> {
    let (m, mark) = (shader.module(), shader.id("mark"));
    let functions = m.reachable(shader.id("main")).into_iter().filter_map(|id| m.function(id));
    let instructions = functions.flat_map(|function| function.instructions());
    instructions
        .filter_map(|inst| match inst.op() {
            Op::EMIT_VERTEX | Op::EMIT_STREAM_VERTEX => Some("emit"),
            Op::FUNCTION_CALL => Some("call"),
            Op::STORE if inst.words()[1] == mark.word() => Some("mark"),
            _ => None,
        })
        .collect()
}

/// Stores to a new output before each output point, and twice behind where it goes on.
fn marked(stage: ShaderStage, source: &str) -> (Shader, Vec<Option<u32>>) {
    Shader::glsl(stage, source).rewritten(|m, p| {
        let points = moves::output_points(m, p, entry(m))?;
        let uint = p.uint();
        let mark = moves::add_output(p, entry(m), 9, uint, "mark");
        let one = p.uint_constant(1);
        for point in &points {
            p.at(point.before).store(mark, one);
            if let Some(after) = point.after {
                p.at(after).store(mark, one);
                p.at(after).store(mark, one);
            }
        }
        Ok(points.iter().map(|point| point.stream).collect())
    })
}

#[test]
fn a_vertex_stage_hands_on_behind_its_body() {
    let source = "void main() { gl_Position = vec4(1); if (gl_VertexIndex > 1) return; }";
    let (shader, streams) = marked(ShaderStage::Vertex, source);
    assert_eq!(streams, [Some(0)]);
    assert_eq!(stores_and_emits(&shader), ["call", "mark"]);
    assert_eq!(shader.location(shader.id("mark")), Some(9));
    assert!(shader.interface("main").contains(&shader.id("mark")));
}

#[test]
fn a_tessellation_evaluation_stage_does_too() {
    let source = "layout(quads) in; void main() { gl_Position = vec4(1); }";
    let (shader, streams) = marked(ShaderStage::TessellationEvaluation, source);
    assert_eq!((streams, stores_and_emits(&shader)), (vec![Some(0)], vec!["call", "mark"]));
}

#[test]
fn a_geometry_stage_hands_on_at_each_emit() {
    let source = "
        layout(points) in;
        layout(points, max_vertices = 3) out;
        layout(stream = 2, location = 0) out float other;
        void last() { gl_Position = vec4(2); EmitStreamVertex(0); }
        void main() {
            gl_Position = vec4(1);
            EmitVertex();
            other = 1.0;
            EmitStreamVertex(2);
            last();
        }";
    let (shader, streams) = marked(ShaderStage::Geometry, source);
    assert_eq!(streams, [Some(0), Some(2), Some(0)]);
    let one = ["mark", "emit", "mark", "mark"];
    let expected = [&one[..], &one[..], &["call"], &one[..]].concat();
    assert_eq!(stores_and_emits(&shader), expected);
}

#[test]
fn other_stages_have_no_output_points() {
    let source = "layout(location = 0) out vec4 colour; void main() { colour = vec4(1); }";
    let shader = Shader::glsl(ShaderStage::Fragment, source);
    let error = shader
        .refused(ErrorKind::Unsupported, |m, p| moves::output_points(m, p, entry(m)).map(drop));
    assert!(error.message().contains("does not hand on vertices"), "{error}");
}

/// The free locations below 40 of a vertex shader with these outputs.
fn free(outputs: &str, reserved: &Reserved) -> Vec<u32> {
    let shader = Shader::glsl(ShaderStage::Vertex, &format!("{outputs}\nvoid main() {{}}"));
    let m = shader.module();
    moves::free_output_locations(m, entry(m), reserved, 40).collect()
}

#[test]
fn locations_are_free_where_no_output_is() {
    let outputs = "
        layout(location = 1) out mat3 matrix;                            // 1 to 3
        layout(location = 5) flat out dvec3 wide[2];                     // 5 to 8
        layout(location = 10, component = 2) out vec2 packed;
        layout(location = 12) out struct { vec2 a[2]; float b; } nested; // 12 to 14
        out Block { layout(location = 20) vec4 c; layout(location = 17) vec4 d[2]; };
        layout(location = 23) out Blocks { vec4 e; vec4 f; } blocks[3];  // 23 to 28
    ";
    let taken = [1..=3, 5..=8, 10..=10, 12..=14, 17..=18, 20..=20, 23..=28];
    let is_free = |location: &u32| !taken.iter().any(|range| range.contains(location));
    let expected: Vec<u32> = (0..40).filter(is_free).collect();
    assert_eq!(free(outputs, &Reserved::new()), expected);

    let reserved = Reserved::new().location(0).location(30);
    let expected: Vec<u32> = expected.into_iter().filter(|at| ![0, 30].contains(at)).collect();
    assert_eq!(free(outputs, &reserved), expected);
}

#[test]
fn an_output_of_unknown_size_takes_all_that_follows() {
    let outputs = "
        layout(constant_id = 1) const int count = 2;
        layout(location = 3) out vec4 open[count];
        layout(location = 1) out vec4 other;";
    assert_eq!(free(outputs, &Reserved::new()), [0, 2]);
}

#[test]
fn built_ins_take_no_location() {
    assert_eq!(free("invariant gl_Position;", &Reserved::new()).len(), 40);
    let shader = Shader::glsl(ShaderStage::Vertex, "void main() { gl_Position = vec4(1); }");
    let m = shader.module();
    assert_eq!(moves::end_of_output_locations(m, entry(m)), 0);
    let block = m.variables().find(|variable| variable.storage_class() == StorageClass::OUTPUT);
    assert!(block.is_some() && named(m, "gl_PerVertex").word() > 0);
}
