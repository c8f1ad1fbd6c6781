//! The entry point is wrapped.

use crate::shader::{Shader, entry, named};
use polyshade::moves;
use polyshade_formats::SpirvVersion;
use polyshade_spv::view::ExtInst;
use polyshade_spv::{Id, Module, Op, Patch, StorageClass};
use polyshade_tests::shader::ShaderStage;

/// Wraps, and counts in a new variable: 1 before the body, 2 behind it.
fn wrap_and_count<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
) -> Result<Id, polyshade::Error> {
    let entry = entry(m);
    let wrapper = moves::wrap(m, p, entry);
    let uint = p.uint();
    let counter = p.variable(StorageClass::PRIVATE, uint, None);
    moves::add_to_interface(m, p, entry, counter);
    let (one, two) = (p.uint_constant(1), p.uint_constant(2));
    // Whatever is emitted first, the body is between.
    p.at(wrapper.epilogue).store(counter, two);
    p.at(wrapper.prologue).store(counter, one);
    Ok(counter)
}

#[test]
fn the_wrapper_keeps_the_id_and_calls_the_body_between_prologue_and_epilogue() {
    let shader = Shader::glsl(
        ShaderStage::Fragment,
        "layout(location = 0) out float v;
         void main() { if (gl_FragCoord.x < 1.0) { return; } v = gl_FragCoord.y; }",
    );
    let main = shader.id("main");
    let (wrapped, _) = shader.rewritten(wrap_and_count);

    assert_eq!(wrapped.id("main"), main);
    let entry = entry(wrapped.module());
    assert_eq!(entry.function(), main);
    assert_eq!(entry.name(), "main");
    let expected = [
        Op::FUNCTION,
        Op::LABEL,
        Op::STORE,
        Op::FUNCTION_CALL,
        Op::STORE,
        Op::RETURN,
        Op::FUNCTION_END,
    ];
    assert_eq!(wrapped.ops(main), expected);
    let body = wrapped.id("main_body");
    assert_eq!(wrapped.calls(main), [body]);
    assert_eq!(wrapped.ops(body), shader.ops(main), "the body is as it was, early return and all");
    assert_eq!(wrapped.count(Op::EXECUTION_MODE), shader.count(Op::EXECUTION_MODE));
}

#[test]
fn a_body_that_discards_is_wrapped() {
    let shader = Shader::glsl(
        ShaderStage::Fragment,
        "layout(location = 0) in float x; layout(location = 0) out float v;
         void deep() { if (x < 0.5) discard; }
         void main() { if (x > 2.0) { v = 1.0; return; } deep(); v = x; }",
    );
    let (wrapped, _) = shader.rewritten(wrap_and_count);
    assert_eq!(wrapped.count(Op::KILL), 1);
    assert_eq!(wrapped.count(Op::FUNCTION), 3);
}

#[test]
fn a_new_variable_is_listed_in_the_interface_from_spirv_1_4_on() {
    let source = "layout(location = 0) out float v; void main() { v = 1.0; }";
    for (version, listed) in [
        (SpirvVersion::SPIRV1_0, false),
        (SpirvVersion::SPIRV1_3, false),
        (SpirvVersion::SPIRV1_4, true),
        (SpirvVersion::SPIRV1_6, true),
    ] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, source);
        let (wrapped, counter) = shader.rewritten(wrap_and_count);
        assert_eq!(wrapped.interface("main").contains(&counter), listed, "{version:?}");
    }
}

/// The debug definition of a function and one of its lines, as `glslang -gVS` writes them.
const DEBUG: &str = r#"
               OpCapability Shader
               OpExtension "SPV_KHR_non_semantic_info"
          %di = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main"
        %file = OpString "a.vert"
       %ident = OpString "main"
               OpName %main "main"
               OpName %helper "helper"
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
          %u0 = OpConstant %uint 0
          %u1 = OpConstant %uint 1
          %u3 = OpConstant %uint 3
          %u4 = OpConstant %uint 4
         %u11 = OpConstant %uint 11
        %u100 = OpConstant %uint 100
       %dtype = OpExtInst %void %di DebugTypeFunction %u3 %void
      %source = OpExtInst %void %di DebugSource %file
        %unit = OpExtInst %void %di DebugCompilationUnit %u100 %u4 %source %u11
   %dfunction = OpExtInst %void %di DebugFunction %ident %dtype %source %u1 %u0 %unit %ident %u3 %u1
     %dhelper = OpExtInst %void %di DebugFunction %ident %dtype %source %u1 %u0 %unit %ident %u3 %u1
        %main = OpFunction %void None %fn
       %label = OpLabel
       %scope = OpExtInst %void %di DebugScope %dfunction
        %line = OpExtInst %void %di DebugLine %source %u1 %u1 %u0 %u0
  %definition = OpExtInst %void %di DebugFunctionDefinition %dfunction %main
        %call = OpFunctionCall %void %helper
               OpReturn
               OpFunctionEnd
      %helper = OpFunction %void None %fn
      %hlabel = OpLabel
      %hscope = OpExtInst %void %di DebugScope %dhelper
 %hdefinition = OpExtInst %void %di DebugFunctionDefinition %dhelper %helper
               OpReturn
               OpFunctionEnd
"#;

#[test]
fn the_debug_definition_of_the_function_follows_the_body() {
    const DEBUG_FUNCTION_DEFINITION: u32 = 101;
    let shader = Shader::assembled(DEBUG);
    let (wrapped, _) = shader.rewritten(wrap_and_count);
    for function in ["main_body", "helper"].map(|name| named(wrapped.module(), name)) {
        let calls = wrapped.body(function).into_iter().filter_map(ExtInst::of);
        let mut definitions = calls.filter(|call| call.number() == DEBUG_FUNCTION_DEFINITION);
        let definition = definitions.next().expect("it is in the body");
        assert_eq!(definition.operands()[1], function.word());
        assert!(definitions.next().is_none());
    }
    assert!(!wrapped.ops(wrapped.id("main")).contains(&Op::EXT_INST));
}

#[test]
fn unknown_instructions_in_the_body_stay_there() {
    let shader = Shader::glsl(ShaderStage::Vertex, "void main() { gl_Position = vec4(1.0); }");
    let m = shader.module();
    let sprinkled = m.rewrite(|m, p| {
        let store = m.instructions().find(|inst| inst.op() == Op::STORE).unwrap();
        p.insert(store.after(), Op(0x7123), &[shader.id("main").word(), 1, u32::MAX]);
        Ok(())
    });
    // No validator knows the instruction, so the result is looked at as it is.
    let sprinkled = sprinkled.unwrap().module;
    let wrapped = sprinkled.rewrite(|m, p| {
        moves::wrap(m, p, entry(m));
        Ok(())
    });
    let wrapped = wrapped.unwrap().module;
    let unknown: Vec<_> = wrapped.instructions().filter(|inst| inst.op() == Op(0x7123)).collect();
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].words()[1..], [shader.id("main").word(), 1, u32::MAX]);
    let around = wrapped.function_around(unknown[0].at()).unwrap();
    assert_eq!(around.id(), named(&wrapped, "main_body"));
}
