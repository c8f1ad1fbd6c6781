//! Interface variables become private ones.

use crate::shader::{Shader, entry, named, outputs};
use polyshade::Error;
use polyshade::moves::{self, Copies, TakenOver};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{Decoration, ErrorKind, ExecutionModel, Id, Module, Op, Patch, StorageClass};
use polyshade_tests::shader::ShaderStage;

/// Wraps the entry point and takes these variables over, copying at its end.
fn take_over<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    names: &[&str],
) -> Result<Vec<TakenOver>, Error> {
    let entry = entry(m);
    let wrapper = moves::wrap(m, p, entry);
    let variables: Vec<Id> = names.iter().map(|name| named(m, name)).collect();
    moves::take_over(m, p, entry, &variables, Copies::At(wrapper.epilogue))
}

const DECORATED: &str = "
    layout(location = 1, component = 1) flat out vec2 v;
    layout(location = 2) noperspective centroid out float w;
    void main() { v.x = 1.0; if (v.x > 0.5) return; v = vec2(w); w = 2.0; }";

#[test]
fn an_output_is_private_under_its_id_and_its_decorations_go_to_a_new_one() {
    let shader = Shader::glsl(ShaderStage::Vertex, DECORATED);
    let (v, w) = (shader.id("v"), shader.id("w"));
    let (taken, result) = shader.rewritten(|m, p| take_over(m, p, &["v", "w"]));
    assert_eq!([result[0].private, result[1].private], [v, w]);
    let [new_v, new_w] = [0, 1].map(|i| result[i].interface.expect("one was asked for"));

    let m = taken.module();
    for (old, new) in [(v, new_v), (w, new_w)] {
        assert_eq!(taken.class(old), StorageClass::PRIVATE);
        assert_eq!(taken.class(new), StorageClass::OUTPUT);
        assert_eq!(taken.pointee(old), taken.pointee(new));
        assert_eq!(m.decorations_of(old).count(), 0);
        let decorations = |shader: &Shader, id| -> Vec<(Decoration, Vec<u32>)> {
            let all = shader.module().decorations_of(id);
            all.map(|one| (one.decoration, one.operands.to_vec())).collect()
        };
        assert_eq!(decorations(&taken, new), decorations(&shader, old));
    }
    assert!(m.decoration(new_w, Decoration::CENTROID).is_some());
    assert_eq!(taken.interface("main"), [new_v, new_w]);
    assert_eq!(taken.id("v"), v, "the name stays");
}

#[test]
fn the_body_stays_as_it_is_but_for_the_types_of_its_chains() {
    let shader = Shader::glsl(ShaderStage::Vertex, DECORATED);
    let (taken, _) = shader.rewritten(|m, p| take_over(m, p, &["v", "w"]));
    let (old, new) = (shader.body(shader.id("main")), taken.body(taken.id("main_body")));
    assert_eq!(old.len(), new.len());
    for (old, new) in old.iter().zip(&new).skip(1) {
        if old.op() == Op::ACCESS_CHAIN {
            assert_ne!(old.words()[1], new.words()[1]);
            assert_eq!(old.words()[2..], new.words()[2..]);
        } else {
            assert_eq!(old.words(), new.words());
        }
    }
    let copies = [Op::LOAD, Op::STORE, Op::LOAD, Op::STORE];
    assert_eq!(taken.ops(taken.id("main"))[3..7], copies);
}

#[test]
fn without_copies_there_is_no_new_variable_or_one_that_is_not_written() {
    let shader = Shader::glsl(ShaderStage::Vertex, DECORATED);
    let (alone, result) = shader.rewritten(|m, p| {
        let entry = entry(m);
        moves::take_over(m, p, entry, &outputs(m, entry), Copies::None)
    });
    assert_eq!(result.len(), 2);
    assert!(result.iter().all(|taken| taken.interface.is_none()));
    assert_eq!(alone.interface("main"), []);
    assert_eq!(alone.module().variables().count(), 2);

    let (uncopied, result) = shader.rewritten(|m, p| {
        let entry = entry(m);
        moves::take_over(m, p, entry, &outputs(m, entry), Copies::Uncopied)
    });
    let new: Vec<Id> = result.iter().filter_map(|taken| taken.interface).collect();
    assert_eq!(uncopied.interface("main"), new);
    for id in new {
        let uses = uncopied.module().uses_of(id);
        assert!(
            uses.into_iter().all(|inst| uncopied.module().function_around(inst.at()).is_none())
        );
    }
}

#[test]
fn an_input_is_copied_before_the_body() {
    let shader = Shader::glsl(
        ShaderStage::Fragment,
        "layout(location = 3) flat in ivec4 x; layout(location = 0) out vec4 v;
         void main() { v = vec4(x[1]); }",
    );
    let (taken, result) = shader.rewritten(|m, p| {
        let entry = entry(m);
        let wrapper = moves::wrap(m, p, entry);
        moves::take_over(m, p, entry, &[named(m, "x")], Copies::At(wrapper.prologue))
    });
    let (private, interface) = (result[0].private, result[0].interface.unwrap());
    assert_eq!(taken.class(interface), StorageClass::INPUT);
    assert_eq!(taken.class(private), StorageClass::PRIVATE);
    let main = taken.body(taken.id("main"));
    let ops: Vec<Op> = main.iter().map(|inst| inst.op()).collect();
    assert_eq!(ops[2..5], [Op::LOAD, Op::STORE, Op::FUNCTION_CALL]);
    assert_eq!(main[2].words()[3], interface.word());
    assert_eq!(main[3].words()[1], private.word());
    assert_eq!(taken.location(interface), Some(3));
    assert!(taken.module().decoration(private, Decoration::FLAT).is_none());
}

#[test]
fn from_spirv_1_4_on_the_private_variable_is_listed_too() {
    for (version, private_listed) in [
        (SpirvVersion::SPIRV1_0, false),
        (SpirvVersion::SPIRV1_3, false),
        (SpirvVersion::SPIRV1_4, true),
        (SpirvVersion::SPIRV1_6, true),
    ] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, DECORATED);
        let (taken, result) = shader.rewritten(|m, p| take_over(m, p, &["v"]));
        let interface = taken.interface("main");
        assert_eq!(interface.contains(&result[0].private), private_listed, "{version:?}");
        assert!(interface.contains(&result[0].interface.unwrap()));
    }
}

/// Pointers into `%v` and `%w`: by a chain of a chain, copied, and passed through two functions, the inner one of
/// which is defined first and the outer one last. `%w` is initialised.
const POINTERS: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %v %w %x
               OpName %main "main"
               OpName %v "v"
               OpName %w "w"
               OpName %x "x"
               OpName %inner "inner"
               OpName %outer "outer"
               OpDecorate %v Location 0
               OpDecorate %w Location 4
               OpDecorate %x Location 8
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %vec4 = OpTypeVector %float 4
          %u0 = OpConstant %uint 0
          %u2 = OpConstant %uint 2
         %one = OpConstant %float 1
        %ones = OpConstantComposite %vec4 %one %one %one %one
       %array = OpTypeArray %vec4 %u2
     %p_array = OpTypePointer Output %array
      %p_vec4 = OpTypePointer Output %vec4
     %p_float = OpTypePointer Output %float
       %local = OpTypePointer Function %vec4
          %fp = OpTypeFunction %void %p_vec4
           %v = OpVariable %p_array Output
           %w = OpVariable %p_vec4 Output %ones
           %x = OpVariable %p_vec4 Output
       %inner = OpFunction %void None %fp
          %ip = OpFunctionParameter %p_vec4
      %ilabel = OpLabel
      %ichain = OpAccessChain %p_float %ip %u2
               OpStore %ichain %one
               OpReturn
               OpFunctionEnd
        %main = OpFunction %void None %fn
       %label = OpLabel
    %variable = OpVariable %local Function
       %chain = OpAccessChain %p_vec4 %v %u0
        %deep = OpInBoundsAccessChain %p_float %chain %u2
        %copy = OpCopyObject %p_float %deep
               OpStore %copy %one
               OpCopyMemory %variable %chain
               OpCopyMemory %w %variable
      %called = OpFunctionCall %void %outer %chain
  %call_again = OpFunctionCall %void %outer %w
               OpReturn
               OpFunctionEnd
       %outer = OpFunction %void None %fp
          %op = OpFunctionParameter %p_vec4
      %olabel = OpLabel
       %ocall = OpFunctionCall %void %inner %op
               OpReturn
               OpFunctionEnd
"#;

#[test]
fn pointers_change_their_type_through_chains_copies_and_two_levels_of_functions() {
    let shader = Shader::assembled_before_legalization(POINTERS);
    let (taken, result) = shader.rewritten(|m, p| take_over(m, p, &["v", "w"]));
    let m = taken.module();
    let new: Vec<Id> = result.iter().filter_map(|taken| taken.interface).collect();
    for function in ["inner", "outer"].map(|name| taken.id(name)) {
        let parameter = m.function(function).unwrap().parameters().next().unwrap();
        assert_eq!(m.storage_class(parameter), Some(StorageClass::PRIVATE));
    }
    for body in m.functions().filter(|body| body.id() != taken.id("main")) {
        for inst in body.instructions().filter_map(|inst| inst.result()) {
            assert_ne!(m.storage_class(inst), Some(StorageClass::OUTPUT), "{inst}");
        }
    }
    assert_eq!(taken.interface("main"), [&[taken.id("x")][..], &new].concat());
}

#[test]
fn a_function_may_get_the_private_variable_where_it_could_not_get_the_output() {
    let whole = "OpFunctionCall %void %outer %w\n %again = OpFunctionCall %void %outer %x";
    let text = POINTERS.replace("OpFunctionCall %void %outer %chain", whole);
    let shader = Shader::assembled_before_legalization(&text);
    let (taken, _) = shader.rewritten(|m, p| take_over(m, p, &["w", "x"]));
    taken.for_vulkan();
}

#[test]
fn an_initialiser_stays_on_the_private_variable() {
    let shader = Shader::assembled_before_legalization(POINTERS);
    let (taken, result) = shader.rewritten(|m, p| take_over(m, p, &["v", "w"]));
    let initializer = |id| taken.variable(id).initializer();
    let old = shader.variable(shader.id("w")).initializer();
    assert!(old.is_some());
    assert_eq!(initializer(result[1].private), old);
    assert_eq!(initializer(result[1].interface.unwrap()), None);
    assert_eq!(initializer(result[0].private), None);
}

#[test]
fn a_function_that_also_gets_a_pointer_into_what_stays_is_refused_by_name() {
    let shader = Shader::assembled_before_legalization(POINTERS);
    let (v, w) = (shader.id("v"), shader.id("w"));
    let error = shader.refused(ErrorKind::Unsupported, |m, p| take_over(m, p, &["v"]));
    assert_eq!(error.id(), Some(w), "{error}");
    let at = error.word_offset().unwrap();
    let call = shader.module().instructions().find(|inst| inst.at() == at).unwrap();
    assert_eq!((call.op(), call.words()[4]), (Op::FUNCTION_CALL, w.word()));

    let error = shader.refused(ErrorKind::Unsupported, |m, p| take_over(m, p, &["w"]));
    assert_eq!(shader.module().root(error.id().unwrap()), v, "{error}");
}

#[test]
fn an_unknown_instruction_keeps_the_ids_it_may_use() {
    let shader = Shader::assembled_before_legalization(POINTERS);
    let m = shader.module();
    let operands = [shader.id("w").word(), shader.id("x").word()];
    let sprinkled = m.rewrite(|m, p| {
        let store = m.instructions().filter(|inst| inst.op() == Op::STORE).last().unwrap();
        p.insert(store.after(), Op(0x7123), &operands);
        Ok(())
    });
    let sprinkled = sprinkled.unwrap().module.into_owned();
    let taken = sprinkled.rewrite(|m, p| take_over(m, p, &["v", "w"]).map(|_| ()));
    let taken = taken.unwrap().module;
    let unknown = taken.instructions().find(|inst| inst.op() == Op(0x7123)).unwrap();
    assert_eq!(unknown.words()[1..], operands);
}

#[test]
fn a_private_pointer_type_that_is_declared_later_is_used_and_moves_before_the_variable() {
    let shader = Shader::assembled(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %v
               OpName %main "main"
               OpName %v "v"
               OpName %ptr "ptr"
               OpDecorate %v Location 0
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
         %one = OpConstant %float 1
     %pointer = OpTypePointer Output %float
           %v = OpVariable %pointer Output
         %ptr = OpTypePointer Private %float
           %q = OpVariable %ptr Private
        %main = OpFunction %void None %fn
       %label = OpLabel
               OpStore %v %one
               OpStore %q %one
               OpReturn
               OpFunctionEnd
        "#,
    );
    let (taken, _) = shader.rewritten(|m, p| take_over(m, p, &["v"]));
    assert_eq!(taken.variable(taken.id("v")).pointer_type(), taken.id("ptr"));
    assert_eq!(taken.count(Op::TYPE_POINTER), 2);
}

#[test]
fn a_variable_leaves_its_decoration_group_and_the_others_stay_in_it() {
    let shader = Shader::assembled(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %v %w
               OpName %main "main"
               OpName %v "v"
               OpName %w "w"
               OpDecorate %flat Flat
               OpDecorate %flat RelaxedPrecision
        %flat = OpDecorationGroup
               OpGroupDecorate %flat %v %w
               OpDecorate %v Location 0
               OpDecorate %w Location 1
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
         %one = OpConstant %float 1
     %pointer = OpTypePointer Output %float
           %v = OpVariable %pointer Output
           %w = OpVariable %pointer Output
        %main = OpFunction %void None %fn
       %label = OpLabel
               OpStore %v %one
               OpReturn
               OpFunctionEnd
        "#,
    );
    let (taken, result) = shader.rewritten(|m, p| take_over(m, p, &["v"]));
    let m = taken.module();
    let has = |id, decoration| m.decoration(id, decoration).is_some();
    let (old, new, other) = (result[0].private, result[0].interface.unwrap(), taken.id("w"));
    for (decoration, expected) in
        [(Decoration::FLAT, [false, true, true]), (Decoration::RELAXED_PRECISION, [true; 3])]
    {
        assert_eq!([old, new, other].map(|id| has(id, decoration)), expected, "{decoration:?}");
    }
}

#[test]
fn what_an_interpolation_function_points_to_is_refused_by_name() {
    let shader = Shader::glsl(
        ShaderStage::Fragment,
        "layout(location = 0) in vec4 x; layout(location = 1) in vec4 y;
         layout(location = 0) out vec4 v;
         void main() { v = interpolateAtOffset(x, vec2(0.1)) + interpolateAtCentroid(x.y) + y; }",
    );
    let take = |m: &Module<'static>, name: &str| named(m, name);
    let error = shader.refused(ErrorKind::Unsupported, |m, p| {
        moves::take_over(m, p, entry(m), &[take(m, "x")], Copies::None)
    });
    assert_eq!(error.id(), Some(shader.id("x")), "{error}");
    let at = error.word_offset().unwrap();
    let inst = shader.module().instructions().find(|inst| inst.at() == at);
    assert_eq!(inst.unwrap().op(), Op::EXT_INST);
    shader.rewritten(|m, p| {
        moves::take_over(m, p, entry(m), &[take(m, "y")], Copies::None).map(|_| ())
    });
}

#[test]
fn an_isolated_entry_point_loses_its_outputs_and_the_other_keeps_its_own() {
    let shader = Shader::assembled(crate::isolate::SHARED);
    let (isolated, _) = shader.isolated("a", ExecutionModel::VERTEX);
    let others = shader.interface("b");
    let (taken, _) = isolated.rewritten(|m, p| {
        let entry = m.entry_point("a", ExecutionModel::VERTEX)?;
        moves::take_over(m, p, entry, &outputs(m, entry), Copies::None)
    });
    let classes = |name| -> Vec<StorageClass> {
        taken.interface(name).into_iter().map(|id| taken.class(id)).collect()
    };
    assert!(!classes("a").contains(&StorageClass::OUTPUT));
    assert_eq!(taken.interface("b"), others);
    assert!(classes("b").contains(&StorageClass::OUTPUT));
}
