//! Stores to an output pass through a function.

use crate::shader::{Shader, entry};
use polyshade::Error;
use polyshade::rewrite;
use polyshade_formats::SpirvVersion;
use polyshade_spv::view::{FunctionCall, Store};
use polyshade_spv::{BuiltIn, ErrorKind, Module, Op, Patch};
use polyshade_tests::shader::ShaderStage;

const CONTROL: &str = "layout(vertices = 3) out;";

/// Passes the stage's point size through a function that returns 2.
fn set_to_two<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>) -> Result<(), Error> {
    let size = rewrite::find_output(m, entry(m), BuiltIn::POINT_SIZE).expect("it is written");
    let (function, at, two) = (p.id(), p.slot(), p.float_constant(2.0));
    p.name(function, "two");
    let mut code = p.at(at);
    code.begin_function(function, size.ty, &[size.ty]);
    code.end_function(Some(two));
    rewrite::map_stores(m, p, size, function)
}

/// Returns the number of stores that store the function's results, and the number of all stores.
fn stores(shader: &Shader) -> (usize, usize) {
    let (shader, ()) = shader.rewritten(set_to_two);
    let (m, two) = (shader.module(), shader.id("two"));
    let results: Vec<_> = m
        .instructions()
        .filter_map(FunctionCall::of)
        .filter(|call| call.function() == two)
        .filter_map(|call| call.inst().result())
        .collect();
    let stores: Vec<_> = m.instructions().filter_map(Store::of).collect();
    let new = stores.iter().filter(|store| results.contains(&store.object())).count();
    (new, stores.len())
}

#[test]
fn every_store_goes_through_it() {
    let source = "
        void set() { gl_out[gl_InvocationID].gl_PointSize = 5.0; }
        void main() {
            gl_out[gl_InvocationID].gl_Position = vec4(0);
            gl_out[gl_InvocationID].gl_PointSize = 3.0;
            set();
        }";
    let shader = Shader::glsl(ShaderStage::TessellationControl, &format!("{CONTROL}{source}"));
    assert_eq!(stores(&shader), (2, 3));
}

#[test]
fn a_mesh_stage_has_its_vertices_in_an_array_too() {
    let source = "
#extension GL_EXT_mesh_shader : require
        layout(local_size_x = 1) in;
        layout(points, max_vertices = 1, max_primitives = 1) out;
        void main() {
            SetMeshOutputsEXT(1, 1);
            gl_MeshVerticesEXT[0].gl_PointSize = 3.0;
            gl_PrimitivePointIndicesEXT[0] = 0;
        }";
    let shader = Shader::glsl_for(SpirvVersion::SPIRV1_4, ShaderStage::Mesh, source);
    assert_eq!(stores(&shader), (1, 2));
}

/// Assembles a control stage with a block of built-ins and this body.
fn control(body: &str) -> Shader {
    Shader::assembled(&format!(
        r#"
                   OpCapability Tessellation
                   OpMemoryModel Logical GLSL450
                   OpEntryPoint TessellationControl %main "main" %out %invocation
                   OpExecutionMode %main OutputVertices 3
                   OpName %main "main"
                   OpName %out "out"
                   OpDecorate %invocation BuiltIn InvocationId
                   OpMemberDecorate %block 0 BuiltIn Position
                   OpMemberDecorate %block 1 BuiltIn PointSize
                   OpDecorate %block Block
           %void = OpTypeVoid
             %fn = OpTypeFunction %void
          %float = OpTypeFloat 32
           %vec4 = OpTypeVector %float 4
            %int = OpTypeInt 32 1
           %uint = OpTypeInt 32 0
          %three = OpConstant %uint 3
          %block = OpTypeStruct %vec4 %float
         %blocks = OpTypeArray %block %three
     %ptr_blocks = OpTypePointer Output %blocks
      %ptr_block = OpTypePointer Output %block
        %ptr_int = OpTypePointer Input %int
            %out = OpVariable %ptr_blocks Output
     %invocation = OpVariable %ptr_int Input
           %zero = OpConstantNull %block
       %all_zero = OpConstantNull %blocks
           %main = OpFunction %void None %fn
          %label = OpLabel
                   {body}
                   OpReturn
                   OpFunctionEnd"#
    ))
}

#[test]
fn a_block_that_is_stored_at_once_is_put_together_anew() {
    let body = "%own = OpLoad %int %invocation
        %pointer = OpAccessChain %ptr_block %out %own
        OpStore %pointer %zero";
    let (shader, ()) = control(body).rewritten(set_to_two);
    let stored = shader.module().instructions().find_map(Store::of).expect("it is stored");
    let inserted = shader.module().definition(stored.object()).expect("it is computed");
    assert_eq!(inserted.op(), Op::COMPOSITE_INSERT);
    assert_eq!(shader.calls(shader.id("main")), [shader.id("two")]);
}

#[test]
fn what_cannot_go_through_it_is_refused() {
    let refused = |body: &str, why: &str| {
        let source = format!("{CONTROL} void main() {{ {body} }}");
        let shader = Shader::glsl(ShaderStage::TessellationControl, &source);
        let error = shader.refused(ErrorKind::Unsupported, set_to_two);
        assert!(error.message().contains(why), "{body}: {error}");
    };
    let own = "gl_out[gl_InvocationID].gl_PointSize";
    refused(&format!("{own} = 1.0; {own} += 1.0;"), "the shader also loads it");
    refused(
        "float all = gl_out[0].gl_PointSize; gl_out[gl_InvocationID].gl_PointSize = all;",
        "the shader also loads it",
    );
    let error = control("OpStore %out %all_zero").refused(ErrorKind::Unsupported, set_to_two);
    assert!(error.message().contains("for all vertices at once"), "{error}");
}
