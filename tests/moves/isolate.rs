//! What entry points share is cloned.

use crate::shader::Shader;
use polyshade::moves;
use polyshade_spv::view::Decorate;
use polyshade_spv::{Decoration, ErrorKind, ExecutionModel, Id, Module, Op, Section, StorageClass};
use std::collections::HashSet;

/// Entry points `a` and `b` that share a function, which loops and switches, a private variable, an output, and the
/// block with built-in members of their own outputs; and `c`, which shares nothing but a uniform.
pub(crate) const SHARED: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %a "a" %out %pa
               OpEntryPoint Vertex %b "b" %out %pb
               OpEntryPoint Fragment %c "c"
               OpExecutionMode %c OriginUpperLeft
               OpName %a "a"
               OpName %b "b"
               OpName %c "c"
               OpName %shared "shared"
               OpName %private "private"
               OpName %out "out"
               OpName %uniform "uniform"
               OpName %only "only"
               OpName %per "per"
               OpMemberName %per 0 "position"
               OpDecorate %out Location 3
               OpDecorate %per Block
               OpMemberDecorate %per 0 BuiltIn Position
               OpDecorate %sum RelaxedPrecision
               OpDecorate %ublock Block
               OpMemberDecorate %ublock 0 Offset 0
               OpDecorate %uniform DescriptorSet 0
               OpDecorate %uniform Binding 0
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %bool = OpTypeBool
        %vec4 = OpTypeVector %float 4
          %u0 = OpConstant %uint 0
          %u4 = OpConstant %uint 4
         %one = OpConstant %float 1
        %ones = OpConstantComposite %vec4 %one %one %one %one
         %per = OpTypeStruct %vec4
      %ublock = OpTypeStruct %float
    %p_ublock = OpTypePointer Uniform %ublock
   %p_uniform = OpTypePointer Uniform %float
       %p_per = OpTypePointer Output %per
      %p_vec4 = OpTypePointer Output %vec4
       %p_out = OpTypePointer Output %float
   %p_private = OpTypePointer Private %float
     %private = OpVariable %p_private Private %one
        %only = OpVariable %p_private Private
         %out = OpVariable %p_out Output
          %pa = OpVariable %p_per Output
          %pb = OpVariable %p_per Output
     %uniform = OpVariable %p_ublock Uniform
      %shared = OpFunction %void None %fn
       %start = OpLabel
        %load = OpLoad %float %private
               OpBranch %head
        %head = OpLabel
           %i = OpPhi %uint %u0 %start %next %latch
               OpLoopMerge %done %latch None
               OpBranch %check
       %check = OpLabel
        %less = OpULessThan %bool %i %u4
               OpBranchConditional %less %work %done
        %work = OpLabel
               OpSelectionMerge %join None
               OpSwitch %i %join 1 %case 2 %join
        %case = OpLabel
         %sum = OpFAdd %float %load %one
               OpStore %out %sum
               OpBranch %join
        %join = OpLabel
               OpBranch %latch
       %latch = OpLabel
        %next = OpIAdd %uint %i %u4
               OpBranch %head
        %done = OpLabel
               OpReturn
               OpFunctionEnd
           %a = OpFunction %void None %fn
          %al = OpLabel
          %ac = OpAccessChain %p_vec4 %pa %u0
               OpStore %ac %ones
               OpStore %private %one
               OpStore %only %one
       %acall = OpFunctionCall %void %shared
          %au = OpAccessChain %p_uniform %uniform %u0
               OpReturn
               OpFunctionEnd
           %b = OpFunction %void None %fn
          %bl = OpLabel
          %bc = OpAccessChain %p_vec4 %pb %u0
               OpStore %bc %ones
       %bcall = OpFunctionCall %void %shared
               OpReturn
               OpFunctionEnd
           %c = OpFunction %void None %fn
          %cl = OpLabel
          %cu = OpAccessChain %p_uniform %uniform %u0
               OpReturn
               OpFunctionEnd
"#;

/// Functions, private and interface variables, and structures of outputs that an entry point uses.
fn belongings(m: &Module<'_>, name: &str) -> HashSet<Id> {
    let entry = m.entry_points().find(|entry| entry.name() == name).unwrap();
    let mut all: HashSet<Id> = m.reachable(entry.function()).into_iter().collect();
    for function in all.clone() {
        for inst in m.function(function).unwrap().instructions() {
            m.for_each_operand(inst, |_, id, _| {
                let classes = [StorageClass::PRIVATE, StorageClass::INPUT, StorageClass::OUTPUT];
                let is_global = m.variables().any(|variable| variable.result() == id);
                if is_global && classes.contains(&m.storage_class(id).unwrap()) {
                    all.insert(id);
                }
            });
        }
    }
    all.extend(entry.interface());
    let structures: Vec<Id> = all
        .iter()
        .filter(|id| m.storage_class(**id) == Some(StorageClass::OUTPUT))
        .map(|id| m.pointer(m.type_of(*id).unwrap()).unwrap().1)
        .filter(|ty| m.definition(*ty).unwrap().op() == Op::TYPE_STRUCT)
        .collect();
    all.extend(structures);
    all
}

#[test]
fn an_isolated_entry_point_has_nothing_that_another_has() {
    let shader = Shader::assembled(SHARED);
    let before = [belongings(shader.module(), "a"), belongings(shader.module(), "b")];
    assert!(before[0].intersection(&before[1]).count() >= 4, "they share what they can");
    for (name, other) in [("a", "b"), ("b", "a")] {
        let (isolated, changed) = shader.isolated(name, ExecutionModel::VERTEX);
        assert!(changed);
        let (mine, others) =
            (belongings(isolated.module(), name), belongings(isolated.module(), other));
        assert!(mine.is_disjoint(&others), "{:?}", mine.intersection(&others));
        assert_eq!(others, belongings(shader.module(), other), "the other keeps its ids");
    }
}

#[test]
fn clones_have_the_decorations_names_and_initialisers_of_the_originals() {
    let shader = Shader::assembled(SHARED);
    let (isolated, _) = shader.isolated("a", ExecutionModel::VERTEX);
    let m = isolated.module();
    let [output, block] = isolated.interface("a")[..] else { panic!("two outputs") };
    assert_eq!(isolated.location(output), Some(3));
    assert_eq!(m.name(output).as_deref(), Some("out"));
    let structure = isolated.pointee(block);
    assert!(m.decoration(structure, Decoration::BLOCK).is_some());
    assert_eq!(m.member_name(structure, 0).as_deref(), Some("position"));
    let relaxed = |module: &Module<'_>| {
        let all = module.section(Section::Annotations).filter_map(Decorate::of);
        all.filter(|one| one.decoration() == Decoration::RELAXED_PRECISION).count()
    };
    assert_eq!((relaxed(shader.module()), relaxed(m)), (1, 2));
    let initialised = m.variables().filter(|variable| variable.initializer().is_some());
    assert_eq!(initialised.count(), 2);
}

#[test]
fn what_is_not_shared_is_not_cloned() {
    let shader = Shader::assembled(SHARED);
    let (isolated, _) = shader.isolated("a", ExecutionModel::VERTEX);
    assert_eq!(isolated.count(Op::FUNCTION), shader.count(Op::FUNCTION) + 1);
    for name in ["uniform", "only", "a", "b", "c"] {
        assert_eq!(isolated.id(name), shader.id(name), "{name} is there once");
    }
    assert_eq!(isolated.module().entry_points().len(), 3);
}

#[test]
fn nothing_changes_where_nothing_is_shared() {
    let shader = Shader::assembled(SHARED);
    let (isolated, changed) = shader.isolated("c", ExecutionModel::FRAGMENT);
    assert!(!changed);
    assert_eq!(isolated.module().words(), shader.module().words());

    let (once, _) = shader.isolated("a", ExecutionModel::VERTEX);
    let (twice, changed) = once.isolated("a", ExecutionModel::VERTEX);
    assert!(!changed, "{}", twice.text());
    assert!(!once.isolated("b", ExecutionModel::VERTEX).1, "then the other shares nothing too");
}

#[test]
fn an_entry_point_that_is_not_there_is_not_found() {
    let shader = Shader::assembled(SHARED);
    for (name, model) in [("d", ExecutionModel::VERTEX), ("c", ExecutionModel::VERTEX)] {
        let error = moves::isolate(shader.module(), name, model).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.message().contains(name));
    }
}

/// One function under two entry points, in a version with its own rules for interfaces.
fn one_function(version: &str) -> Shader {
    let uniform = if version == "4" { "%uniform" } else { "" };
    Shader::assembled(&format!(
        r#"; Version: 1.{version}
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "a" %v {uniform}
               OpEntryPoint Fragment %main "b" %v {uniform}
               OpExecutionMode %main OriginUpperLeft
               OpExecutionMode %main DepthReplacing
               OpName %main "main"
               OpName %uniform "uniform"
               OpDecorate %group Location 0
               OpDecorate %group RelaxedPrecision
       %group = OpDecorationGroup
               OpGroupDecorate %group %v
               OpDecorate %ublock Block
               OpMemberDecorate %ublock 0 Offset 0
               OpDecorate %uniform DescriptorSet 0
               OpDecorate %uniform Binding 0
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
          %u0 = OpConstant %uint 0
      %ublock = OpTypeStruct %float
    %p_ublock = OpTypePointer Uniform %ublock
   %p_uniform = OpTypePointer Uniform %float
     %pointer = OpTypePointer Output %float
           %v = OpVariable %pointer Output
     %uniform = OpVariable %p_ublock Uniform
        %main = OpFunction %void None %fn
       %label = OpLabel
       %chain = OpAccessChain %p_uniform %uniform %u0
       %value = OpLoad %float %chain
               OpStore %v %value
               OpReturn
               OpFunctionEnd
        "#
    ))
}

#[test]
fn a_function_under_two_entry_points_is_cloned_with_its_modes() {
    for version in ["0", "3", "4"] {
        let shader = one_function(version);
        let (isolated, changed) = shader.isolated("b", ExecutionModel::FRAGMENT);
        assert!(changed);
        let m = isolated.module();
        let functions: Vec<Id> = m.entry_points().map(|entry| entry.function()).collect();
        let old = shader.module().entry_points().next().unwrap().function();
        assert_eq!(functions[0], old);
        assert_ne!(functions[1], old);
        for function in functions {
            assert_eq!(m.modes(function).count(), 2);
        }
        let (a, b) = (isolated.interface("a"), isolated.interface("b"));
        let output = |all: &[Id]| {
            let is_output = |id: &&Id| isolated.class(**id) == StorageClass::OUTPUT;
            *all.iter().find(is_output).expect("there is one output")
        };
        let outputs = [output(&a), output(&b)];
        assert_ne!(outputs[0], outputs[1]);
        assert_eq!(outputs.map(|id| isolated.location(id)), [Some(0); 2], "by way of the group");
        assert_eq!(a.contains(&shader.id("uniform")), version == "4");
        assert_eq!(b.contains(&shader.id("uniform")), version == "4", "uniforms stay shared");
    }
}

#[test]
fn a_shared_function_with_an_unknown_instruction_is_refused_where_that_stands() {
    let shader = Shader::assembled(SHARED);
    let m = shader.module();
    let sprinkled_into = |function: &str| {
        let next = m.rewrite(|m, p| {
            let body = m.function(shader.id(function)).unwrap();
            let label = body.instructions().find(|inst| inst.op() == Op::LABEL).unwrap();
            p.insert(label.after(), Op(0x7123), &[shader.id("shared").word()]);
            Ok(label.end())
        });
        let next = next.unwrap();
        (next.value, next.module.into_owned())
    };
    let (at, sprinkled) = sprinkled_into("shared");
    let error = moves::isolate(&sprinkled, "a", ExecutionModel::VERTEX).map(|_| ()).unwrap_err();
    assert_eq!((error.kind(), error.word_offset()), (ErrorKind::Unsupported, Some(at)));
    assert_eq!(error.id(), Some(shader.id("shared")));
    assert!(moves::isolate(&sprinkled, "c", ExecutionModel::FRAGMENT).is_ok());

    let (_, sprinkled) = sprinkled_into("b");
    assert!(moves::isolate(&sprinkled, "a", ExecutionModel::VERTEX).is_ok());
}
