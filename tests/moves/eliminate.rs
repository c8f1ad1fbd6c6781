//! What is dead is removed, and nothing else.

use crate::shader::Shader;
use polyshade::moves::{Elimination, eliminate};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{ErrorKind, ExecutionModel, Id, Module, Op};
use polyshade_tests::shader::{ShaderStage, assemble, validate};

/// What is left of `m`, which must be valid and have nothing dead in it.
#[track_caller]
fn left(m: &Module<'_>, wanted: &Elimination) -> Module<'static> {
    let left = eliminate(m, wanted).unwrap_or_else(|error| panic!("{error}"));
    let left = left.module.into_owned();
    validate(left.words()).unwrap_or_else(|error| panic!("{error}"));
    assert!(!eliminate(&left, wanted).expect("it was not refused").is_changed());
    left
}

#[track_caller]
fn left_of(stage: ShaderStage, source: &str) -> Module<'static> {
    left(Shader::glsl(stage, source).module(), &Elimination::new())
}

fn count(m: &Module<'_>, op: Op) -> usize {
    m.instructions().filter(|inst| inst.op() == op).count()
}

fn has_name(m: &Module<'_>, name: &str) -> bool {
    (1..m.bound()).filter_map(Id::new).any(|id| m.name(id).as_deref() == Some(name))
}

#[test]
fn what_is_needed_by_outputs_and_effects_stays_as_it_is() {
    let source = "layout(location = 0) in vec4 x; layout(location = 0) out vec4 v;
        layout(binding = 0) buffer B { float s[]; };
        vec4 twice(vec4 y) { return y * 2.0; }
        void main() { v = twice(x); if (x.x > 0.0) s[1] = x.y; }";
    let shader = Shader::glsl(ShaderStage::Fragment, source);
    let m = left(shader.module(), &Elimination::new());
    let code = |m: &Module<'_>| {
        let words = m
            .functions()
            .flat_map(|body| body.instructions())
            .flat_map(|inst| inst.words().to_vec());
        words.collect::<Vec<_>>()
    };
    assert!(code(&m) == code(shader.module()));
}

#[test]
fn values_functions_resources_and_types_that_nothing_needs_go() {
    let m = left_of(
        ShaderStage::Fragment,
        "layout(location = 0) in vec4 x; layout(location = 1) in vec2 unused;
         layout(location = 0) out vec4 v; layout(binding = 0) uniform sampler2D picture;
         vec4 never(vec4 y) { return y * 2.0; }
         void main() { vec4 dead = texture(picture, unused); dead = never(dead); v = x; }",
    );
    assert_eq!(count(&m, Op::FUNCTION), 1);
    assert_eq!([Op::TYPE_SAMPLED_IMAGE, Op::TYPE_IMAGE].map(|op| count(&m, op)), [0, 0]);
    assert!(!["unused", "picture", "never(vf4;", "dead"].iter().any(|name| has_name(&m, name)));
    assert_eq!(m.entry_points().next().unwrap().interface().len(), 2);
}

#[test]
fn a_discard_and_what_decides_it_stay() {
    let m = left_of(
        ShaderStage::Fragment,
        "layout(location = 0) in vec4 x; layout(location = 0) out vec4 v;
         void gone(float y) { if (y < 0.5) discard; }
         void main() { gone(x.x); v = vec4(1.0); }",
    );
    assert_eq!(
        [Op::KILL, Op::FUNCTION_CALL, Op::SELECTION_MERGE].map(|op| count(&m, op)),
        [1, 1, 1]
    );
}

#[test]
fn one_call_of_a_function_goes_and_another_stays() {
    let m = left_of(
        ShaderStage::Vertex,
        "layout(location = 0) in vec4 x;
         void add(inout vec4 y, vec4 z) { y += z; }
         void main() { vec4 a = x; vec4 b = x; add(a, x); add(b, x * 3.0); add(b, a); gl_Position = a; }",
    );
    assert_eq!(count(&m, Op::FUNCTION_CALL), 1);
    assert_eq!(count(&m, Op::VECTOR_TIMES_SCALAR), 0);
}

#[test]
fn a_result_that_nobody_uses_is_not_computed() {
    let m = left_of(
        ShaderStage::Vertex,
        "layout(location = 0) in vec4 x;
         float both(out vec4 y) { y = x; return sin(x.x) * cos(x.y); }
         void main() { vec4 a; both(a); gl_Position = a; }",
    );
    assert_eq!([Op::FUNCTION_CALL, Op::EXT_INST, Op::UNDEF].map(|op| count(&m, op)), [1, 0, 1]);
}

#[test]
fn only_the_entry_point_that_is_asked_for_is_reduced() {
    let words = assemble(TWO).unwrap();
    validate(&words).unwrap();
    let m = Module::parse_owned(words).unwrap();
    let all = left(&m, &Elimination::new());
    assert_eq!(count(&all, Op::F_ADD), 0);
    let one = left(&m, &Elimination::new().only("one", ExecutionModel::VERTEX));
    assert_eq!(count(&one, Op::F_ADD), 1);
}

/// Two entry points, each with a dead sum.
const TWO: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %one "one"
               OpEntryPoint Vertex %two "two"
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
          %x = OpConstant %float 1
        %one = OpFunction %void None %fn
         %l1 = OpLabel
         %s1 = OpFAdd %float %x %x
               OpReturn
               OpFunctionEnd
        %two = OpFunction %void None %fn
         %l2 = OpLabel
         %s2 = OpFAdd %float %x %x
               OpReturn
               OpFunctionEnd
"#;

#[test]
fn a_dead_output_goes_and_one_that_is_read_stays_as_memory() {
    let source = "layout(location = 0) in vec4 x; layout(location = 0) out vec4 a;
        layout(location = 1) out vec4 b; void main() { a = x; b = x * 2.0; gl_Position = a; }";
    let shader = Shader::glsl(ShaderStage::Vertex, source);
    let wanted = ["a", "b"].map(|name| shader.id(name));
    let wanted = wanted.into_iter().fold(Elimination::new(), Elimination::without_output);
    let m = left(shader.module(), &wanted);
    assert!(has_name(&m, "a") && !has_name(&m, "b"));
}

#[test]
fn effects_are_refused_dropped_or_kept() {
    let source = "layout(location = 0) out vec4 v; layout(binding = 0) buffer B { uint n; };
        void main() { atomicAdd(n, 1u); v = vec4(1.0); }";
    let shader = Shader::glsl(ShaderStage::Fragment, source);
    let m = shader.module();
    assert_eq!(count(&left(m, &Elimination::new()), Op::ATOMIC_I_ADD), 1);
    let without = left(m, &Elimination::new().without_effects());
    assert_eq!(count(&without, Op::ATOMIC_I_ADD) + count(&without, Op::TYPE_STRUCT), 0);
    let error = eliminate(m, &Elimination::new().refuse_effects()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn unknown_instructions_stay_with_all_they_may_use() {
    let shader = Shader::glsl(
        ShaderStage::Vertex,
        "layout(location = 0) in vec4 x; void main() { vec4 a = x; a *= 3.0; gl_Position = x; }",
    );
    let m = shader.module();
    let sprinkled = m
        .rewrite(|m, p| {
            let stored = m.instructions().filter(|inst| inst.op() == Op::STORE).nth(1).unwrap();
            let sum = m.instructions().find(|inst| inst.op() == Op::VECTOR_TIMES_SCALAR).unwrap();
            p.insert(stored.after(), Op(0x7123), &[sum.result().unwrap().word(), u32::MAX]);
            Ok(())
        })
        .unwrap()
        .module;
    let left = eliminate(&sprinkled, &Elimination::new()).unwrap().module;
    assert_eq!([Op(0x7123), Op::VECTOR_TIMES_SCALAR].map(|op| count(&left, op)), [1, 1]);
}

#[test]
fn control_flow_that_is_not_structured_stays() {
    // A loop without a merge instruction: no Vulkan takes it, but drivers are given such.
    let words = assemble(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main"
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
       %true = OpConstantTrue %bool
       %main = OpFunction %void None %fn
         %l1 = OpLabel
               OpBranch %l2
         %l2 = OpLabel
               OpBranchConditional %true %l2 %l3
         %l3 = OpLabel
               OpReturn
               OpFunctionEnd
    "#,
    );
    let m = Module::parse_owned(words.unwrap()).unwrap();
    assert!(!eliminate(&m, &Elimination::new()).unwrap().is_changed());
}

#[test]
fn phis_keep_the_branches_that_they_come_from() {
    let source = "layout(location = 0) in vec4 x;
        void main() { bool b = x.x > 0.0 && x.y > 1.0; bool c = x.z > 0.0 || x.w > 1.0; gl_Position = b ? x : -x; }";
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_6] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, source);
        let m = left(shader.module(), &Elimination::new());
        assert_eq!([Op::PHI, Op::SELECTION_MERGE].map(|op| count(&m, op)), [1, 2], "{version:?}");
    }
}

#[test]
fn names_decorations_and_lines_of_what_went_go() {
    let words = assemble(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main"
       %file = OpString "a.vert"
               OpName %main "main"
               OpName %sum "sum"
               OpDecorate %sum RelaxedPrecision
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
          %x = OpConstant %float 1
       %main = OpFunction %void None %fn
         %l1 = OpLabel
               OpLine %file 1 1
        %sum = OpFAdd %float %x %x
               OpLine %file 2 1
               OpReturn
               OpFunctionEnd
    "#,
    );
    let m = Module::parse_owned(words.unwrap()).unwrap();
    let m = left(&m, &Elimination::new());
    assert_eq!(
        [Op::NAME, Op::DECORATE, Op::LINE, Op::CONSTANT].map(|op| count(&m, op)),
        [1, 0, 1, 0]
    );
}

/// A function that is passed a structure of two and a float, and looks at the first member of the one.
const PASSED: &str = "; Version: 1.0
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main \"main\" %x %y %z %v
    OpEntryPoint Fragment %other \"other\" %x %y %z %v
    OpExecutionMode %main OriginUpperLeft
    OpExecutionMode %other OriginUpperLeft
    OpDecorate %x Location 0
    OpDecorate %y Location 1
    OpDecorate %z Location 2
    OpDecorate %v Location 0
    %void = OpTypeVoid
    %procedure = OpTypeFunction %void
    %float = OpTypeFloat 32
    %pair = OpTypeStruct %float %float
    %takes = OpTypeFunction %float %pair %float
    %input = OpTypePointer Input %float
    %output = OpTypePointer Output %float
    %x = OpVariable %input Input
    %y = OpVariable %input Input
    %z = OpVariable %input Input
    %v = OpVariable %output Output
    %first = OpFunction %float None %takes
    %of = OpFunctionParameter %pair
    %and = OpFunctionParameter %float
    %1 = OpLabel
    %part = OpCompositeExtract %float %of 0
    %twice = OpFAdd %float %part %part
    OpReturnValue %twice
    OpFunctionEnd
    %main = OpFunction %void None %procedure
    %2 = OpLabel
    %xs = OpLoad %float %x
    %ys = OpLoad %float %y
    %zs = OpLoad %float %z
    %both = OpCompositeConstruct %pair %xs %ys
    %result = OpFunctionCall %float %first %both %zs
    OpStore %v %result
    OpReturn
    OpFunctionEnd
    %other = OpFunction %void None %procedure
    %3 = OpLabel
    OpStore %v %half
    OpReturn
    OpFunctionEnd";

#[test]
fn what_is_passed_by_value_is_computed_as_far_as_it_is_looked_at() {
    let text = PASSED.replace("%pair = ", "%half = OpConstant %float 0.5\n    %pair = ");
    let m = left(Shader::assembled(&text).module(), &Elimination::new());
    let inputs = m.entry_points().map(|entry| entry.interface().len()).collect::<Vec<_>>();
    assert_eq!(inputs, [2, 2], "x and v");
    assert_eq!([Op::LOAD, Op::F_ADD, Op::FUNCTION_CALL].map(|op| count(&m, op)), [1, 1, 1]);
}

#[test]
fn what_a_shader_that_stays_whole_passes_stays() {
    let call = "%half = OpFunctionCall %float %first %pairs %ones\n    OpStore %v %half";
    let text = PASSED.replace("OpStore %v %half", call).replace(
        "%pair = OpTypeStruct %float %float",
        "%pair = OpTypeStruct %float %float\n    %ones = OpConstant %float 1\n    \
         %pairs = OpConstantComposite %pair %ones %ones",
    );
    let shader = Shader::assembled(&text);
    let only_main = Elimination::new().only("main", ExecutionModel::FRAGMENT);
    let m = left(shader.module(), &only_main);
    assert_eq!(count(&m, Op::UNDEF), 0, "the function is the other shader's too");
}
