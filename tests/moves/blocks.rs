//! Blocks and structures with built-in members are taken over.

use crate::shader::{Shader, entry, named, outputs};
use polyshade::Error;
use polyshade::moves::{self, Copies, TakenOver};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{BuiltIn, Decoration, ErrorKind, Id, Module, Op, Patch, StorageClass, Type};
use polyshade_tests::shader::ShaderStage;

/// Wraps the entry point and takes all its outputs over, copying at its end.
fn take_outputs<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
) -> Result<Vec<TakenOver>, Error> {
    let entry = entry(m);
    let wrapper = moves::wrap(m, p, entry);
    moves::take_over(m, p, entry, &outputs(m, entry), Copies::At(wrapper.epilogue))
}

/// Takes `names` over, wrapped, copying an input before the body.
fn take_inputs<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    names: &[&str],
) -> Result<Vec<TakenOver>, Error> {
    let entry = entry(m);
    let wrapper = moves::wrap(m, p, entry);
    let variables: Vec<Id> = names.iter().map(|name| named(m, name)).collect();
    moves::take_over(m, p, entry, &variables, Copies::At(wrapper.prologue))
}

/// The structure that a variable holds, or that its arrays hold.
fn structure(shader: &Shader, variable: Id) -> Id {
    shader.module().innermost_element(shader.pointee(variable))
}

#[test]
fn built_in_members_move_to_a_copy_of_the_structure() {
    let shader = Shader::glsl(
        ShaderStage::Vertex,
        "invariant gl_Position;
         void main() { gl_Position = vec4(1.0); gl_PointSize = gl_Position.x; }",
    );
    let (taken, result) = shader.rewritten(take_outputs);
    let m = taken.module();
    let old = structure(&taken, result[0].private);
    let new = structure(&taken, result[0].interface.unwrap());
    assert_ne!(old, new);
    assert_eq!(m.decorations_of(old).count(), 0);
    assert!(m.decoration(new, Decoration::BLOCK).is_some());
    assert_eq!(m.member_builtin(new, 0), Some(BuiltIn::POSITION));
    assert!(m.member_decoration(new, 0, Decoration::INVARIANT).is_some());
    assert_eq!(m.member_builtin(new, 1), Some(BuiltIn::POINT_SIZE));
    assert_eq!(m.members(new).collect::<Vec<_>>(), m.members(old).collect::<Vec<_>>());
    assert_eq!(m.name(new).as_deref(), Some("gl_PerVertex"));
    assert_eq!(m.member_name(new, 0).as_deref(), Some("gl_Position"));

    let members = m.members(new).len();
    let main = taken.ops(taken.id("main"));
    assert_eq!(main.iter().filter(|op| **op == Op::STORE).count(), members, "each is copied");
}

#[test]
fn an_array_of_blocks_is_copied_member_by_member_of_every_element() {
    let shader = Shader::glsl(
        ShaderStage::Vertex,
        "layout(location = 0) out Block { vec4 a; float b[3]; } blocks[2];
         void main() { blocks[1].b[2] = 1.0; blocks[0].a = vec4(2.0); }",
    );
    let (taken, result) = shader.rewritten(|m, p| {
        let entry = entry(m);
        let wrapper = moves::wrap(m, p, entry);
        moves::take_over(m, p, entry, &[named(m, "blocks")], Copies::At(wrapper.epilogue))
    });
    let new = result[0].interface.unwrap();
    assert!(matches!(taken.module().ty(taken.pointee(new)), Some(Type::Array { .. })));
    assert_eq!(taken.location(new), Some(0));
    let main = taken.ops(taken.id("main"));
    assert_eq!(main.iter().filter(|op| **op == Op::STORE).count(), 4);
}

#[test]
fn an_input_array_of_blocks_with_built_in_members_is_copied_before_the_body() {
    let shader = Shader::glsl(
        ShaderStage::Geometry,
        "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
         layout(location = 0) in Block { flat int i; vec4 c; } block[];
         void main() {
             for (int i = 0; i < 3; ++i) {
                 gl_Position = gl_in[i].gl_Position + block[i].c * block[i].i;
                 EmitVertex();
             }
         }",
    );
    let (taken, result) = shader.rewritten(|m, p| take_inputs(m, p, &["gl_in", "block"]));
    for one in &result {
        assert_eq!(taken.class(one.private), StorageClass::PRIVATE);
        assert_eq!(taken.class(one.interface.unwrap()), StorageClass::INPUT);
        assert_eq!(taken.module().decorations_of(structure(&taken, one.private)).count(), 0);
    }
    let main = taken.ops(taken.id("main"));
    let members = |variable| taken.module().members(structure(&taken, variable)).len();
    let copies = 3 * (members(result[0].private) + members(result[1].private));
    assert_eq!(main.iter().filter(|op| **op == Op::STORE).count(), copies);
    assert_eq!(main[main.len() - 3], Op::FUNCTION_CALL, "the body runs behind all copies");
}

#[test]
fn a_flat_input_block_with_a_structure_in_it_is_taken_over() {
    let shader = Shader::glsl(
        ShaderStage::Fragment,
        "struct Inner { int i; vec2 v; };
         layout(location = 0) in Block { flat Inner inner; vec4 c; } block;
         layout(location = 0) out vec4 colour;
         void main() { Inner local = block.inner; colour = block.c * float(local.i); }",
    );
    let (taken, result) = shader.rewritten(|m, p| take_inputs(m, p, &["block"]));
    let new = structure(&taken, result[0].interface.unwrap());
    assert!(taken.module().member_decoration(new, 0, Decoration::FLAT).is_some());
    assert!(taken.module().decoration(new, Decoration::BLOCK).is_some());
}

#[test]
fn a_structure_without_decorations_is_copied_whole() {
    let shader = Shader::glsl(
        ShaderStage::Vertex,
        "struct S { vec4 a; float b; };
         layout(location = 2) out S s;
         void main() { S local = S(vec4(1.0), 2.0); s = local; s.b = 3.0; }",
    );
    let (taken, result) = shader.rewritten(|m, p| {
        let entry = entry(m);
        let wrapper = moves::wrap(m, p, entry);
        moves::take_over(m, p, entry, &[named(m, "s")], Copies::At(wrapper.epilogue))
    });
    assert_eq!(taken.pointee(result[0].private), taken.pointee(result[0].interface.unwrap()));
    let main = taken.ops(taken.id("main"));
    assert_eq!(main.iter().filter(|op| **op == Op::STORE).count(), 1);
}

#[test]
fn a_block_takes_its_transform_feedback_decorations_along() {
    let shader = Shader::glsl(
        ShaderStage::Vertex,
        "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32)
         out Block { vec4 a; vec4 b; } block;
         void main() { block.a = vec4(1.0); }",
    );
    let (taken, result) = shader.rewritten(|m, p| {
        let entry = entry(m);
        let wrapper = moves::wrap(m, p, entry);
        moves::take_over(m, p, entry, &[named(m, "block")], Copies::At(wrapper.epilogue))
    });
    let new = structure(&taken, result[0].interface.unwrap());
    let offset = |member| taken.module().member_decoration(new, member, Decoration::OFFSET);
    assert_eq!([offset(0), offset(1)], [Some(&[0][..]), Some(&[16])]);
}

/// Two outputs of one block type, in an array of `%length` elements each.
fn two_of_one_block(length: &str) -> Shader {
    Shader::assembled(&format!(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %v %w
               OpName %main "main"
               OpName %v "v"
               OpName %w "w"
               OpDecorate %block Block
               OpMemberDecorate %block 0 Flat
               OpDecorate %v Location 0
               OpDecorate %w Location 8
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
           %c = OpConstant %uint 1
      %length = {length} %uint 2
         %one = OpConstant %float 1
       %block = OpTypeStruct %float %float
       %array = OpTypeArray %block %length
     %pointer = OpTypePointer Output %array
     %p_float = OpTypePointer Output %float
           %v = OpVariable %pointer Output
           %w = OpVariable %pointer Output
        %main = OpFunction %void None %fn
       %label = OpLabel
       %chain = OpAccessChain %p_float %v %c %c
               OpStore %chain %one
               OpReturn
               OpFunctionEnd
        "#
    ))
}

#[test]
fn variables_that_share_a_structure_go_together_or_are_refused_by_name() {
    let shader = two_of_one_block("OpConstant");
    let error = shader.refused(ErrorKind::Unsupported, |m, p| {
        moves::take_over(m, p, entry(m), &[named(m, "v")], Copies::None)
    });
    assert_eq!(error.id(), Some(shader.id("w")), "{error}");

    let (taken, result) = shader.rewritten(take_outputs);
    for (one, location) in result.iter().zip([0, 8]) {
        let new = one.interface.unwrap();
        assert_eq!(taken.location(new), Some(location));
        let structure = structure(&taken, new);
        assert!(taken.module().member_decoration(structure, 0, Decoration::FLAT).is_some());
    }
}

#[test]
fn an_array_of_blocks_whose_length_the_host_decides_is_copied_whole_or_refused() {
    let shader = two_of_one_block("OpSpecConstant");
    let error = shader.refused(ErrorKind::Unsupported, take_outputs);
    assert!([shader.id("v"), shader.id("w")].contains(&error.id().unwrap()), "{error}");
    // Nothing is copied here, so the length does not matter.
    shader.rewritten(|m, p| {
        let entry = entry(m);
        moves::take_over(m, p, entry, &outputs(m, entry), Copies::None).map(|_| ())
    });
}

#[test]
fn all_outputs_of_many_shapes_are_copied_in_every_version() {
    let source = "
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; };
        layout(location = 0) out mat3 m; layout(location = 3) out dvec3 d;
        layout(location = 6) flat out ivec2 i[2];
        layout(location = 10) out Block { mat2 a[2]; } b;
        void main() {
            gl_Position = vec4(1.0); gl_ClipDistance[gl_VertexIndex % 3] = 1.0;
            m[1].x = 2.0; d = dvec3(m[0]); i[1].y = 3; b.a[1][0][1] = m[0][0];
        }";
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_3, SpirvVersion::SPIRV1_6] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, source);
        let (taken, result) = shader.rewritten(take_outputs);
        assert_eq!(result.len(), 5);
        let main = taken.ops(taken.id("main"));
        assert_eq!(main.iter().filter(|op| **op == Op::STORE).count(), 2 + 1 + 1 + 1 + 1);
    }
}

#[test]
fn inputs_and_outputs_of_a_tessellation_evaluation_shader_are_taken_over_together() {
    let shader = Shader::glsl(
        ShaderStage::TessellationEvaluation,
        "layout(triangles) in; layout(location = 0) in vec4 x[]; layout(location = 1) patch in vec4 y;
         layout(location = 0) out vec4 v;
         void main() { gl_Position = gl_in[1].gl_Position + x[2] + y; v = gl_TessCoord.xyzz; }",
    );
    let (taken, ()) = shader.rewritten(|m, p| {
        let entry = entry(m);
        let wrapper = moves::wrap(m, p, entry);
        let inputs = ["gl_in", "x", "y", "gl_TessCoord"].map(|name| named(m, name));
        moves::take_over(m, p, entry, &inputs, Copies::At(wrapper.prologue))?;
        moves::take_over(m, p, entry, &outputs(m, entry), Copies::At(wrapper.epilogue))?;
        Ok(())
    });
    let body = taken.id("main_body");
    for inst in taken.body(body) {
        taken.module().for_each_operand(inst, |_, id, _| {
            let class = taken.module().storage_class(id);
            let stays =
                [StorageClass::INPUT, StorageClass::OUTPUT].iter().all(|c| class != Some(*c));
            assert!(stays, "{inst:?}");
        });
    }
    let patch = taken.interface("main").into_iter();
    let patches = patch.filter(|id| taken.module().decoration(*id, Decoration::PATCH).is_some());
    assert_eq!(patches.count(), 1);
}
