//! Blocks become variables, and vectors scalars of others.

use crate::shader::{Shader, entry, named};
use polyshade::moves::{self, Place, Scattered};
use polyshade_spv::{Decoration, ErrorKind, Op, StorageClass};
use polyshade_tests::shader::ShaderStage;

const BLOCKS: &str = "
    layout(location = 3) out Values { vec4 a; float unused; mat2 b; } values;
    void main() {
        values.a.x = 1.0;
        values.b[1] = vec2(2.0);
        gl_Position = values.a;
    }";

#[test]
fn members_that_are_used_become_variables_at_their_locations() {
    let shader = Shader::glsl(ShaderStage::Vertex, BLOCKS);
    let (split, members) =
        shader.rewritten(|m, p| moves::split_block(m, p, entry(m), named(m, "values")));
    let locations: Vec<_> =
        members.iter().map(|one| (one.member, split.location(one.variable))).collect();
    assert_eq!(locations, [(0, Some(3)), (2, Some(5))]);
}

#[test]
fn arrays_of_blocks_are_split_where_each_vertex_has_one() {
    let source = "
        layout(location = 3) in Values { vec4 a; } values[];
        layout(points) in;
        layout(points, max_vertices = 1) out;
        void main() { gl_Position = values[0].a; EmitVertex(); }";
    let shader = Shader::glsl(ShaderStage::Geometry, source);
    let (split, members) =
        shader.rewritten(|m, p| moves::split_block(m, p, entry(m), named(m, "values")));
    assert_eq!(members.len(), 1);
    assert_eq!(split.location(members[0].variable), Some(3));
    let array = "layout(location = 3) out Values { vec4 a; vec4 b; } values[2]; void main() { values[1].b = vec4(1); }";
    let shader = Shader::glsl(ShaderStage::Vertex, array);
    shader.refused(ErrorKind::Unsupported, |m, p| {
        moves::split_block(m, p, entry(m), named(m, "values"))
    });
    // A variable that is no block has no members to name.
    let variable = members[0].variable;
    split.refused(ErrorKind::Unsupported, move |m, p| moves::split_block(m, p, entry(m), variable));
}

const VECTORS: &str = "
    layout(points) in;
    layout(points, max_vertices = 1) out;
    layout(location = 1) in vec3 from[];
    void main() {
        vec3 whole = from[0];
        gl_Position = vec4(whole, from[0][gl_PrimitiveIDIn]);
        EmitVertex();
    }";

#[test]
fn loads_go_to_the_places_of_the_scalars_and_what_goes_nowhere_is_zero() {
    let shader = Shader::glsl(ShaderStage::Geometry, VECTORS);
    let (scattered, new) = shader.rewritten(|m, p| {
        let (float, one, two) = (p.float(), p.uint_constant(1), p.uint_constant(2));
        let array = p.declare(Op::TYPE_ARRAY, &[float.word(), two.word()]);
        let array = p.declare(Op::TYPE_ARRAY, &[array.word(), one.word()]);
        let new = p.variable(StorageClass::INPUT, array, None);
        p.decorate(new, Decoration::LOCATION, &[4]);
        p.join_interface(entry(m), new);
        let place = |index| Some(Place { variable: new, path: vec![index] });
        let places = [place(1), None, place(0)];
        let what = Scattered {
            variable: named(m, "from"),
            per_vertex: true,
            write_only: false,
            places: &places,
        };
        moves::scatter(m, p, what, StorageClass::INPUT)?;
        Ok(new)
    });
    let chains = scattered.module().uses_of(new).filter(|inst| inst.op() == Op::ACCESS_CHAIN);
    // Two of the whole vector, and two candidates of the component that is chosen.
    assert_eq!(chains.count(), 4);
    assert_eq!(scattered.count(Op::SELECT), 2);
    assert!(!scattered.text().contains("%from"));
}

#[test]
fn what_is_not_made_of_floats_is_refused() {
    let source = "layout(location = 1) out ivec2 v; void main() { v = ivec2(1); }";
    let shader = Shader::glsl(ShaderStage::Vertex, source);
    shader.refused(ErrorKind::Unsupported, |m, p| {
        let variable = named(m, "v");
        let what = Scattered { variable, per_vertex: false, write_only: false, places: &[] };
        moves::scatter(m, p, what, StorageClass::OUTPUT)
    });
}
