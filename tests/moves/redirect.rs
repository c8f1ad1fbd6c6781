//! What uses one variable uses another.

use crate::shader::{Shader, entry, named};
use polyshade::moves;
use polyshade_spv::{Decoration, ErrorKind, Op, Rewritten, StorageClass};
use polyshade_tests::shader::ShaderStage;

const CONTROL: &str = "
    layout(vertices = 3) out;
    layout(location = 0) in vec4 x[];
    layout(location = 1) out vec4 v[];
    void put(out float component) { component = 2.0; }
    void main() {
        gl_out[gl_InvocationID].gl_Position = x[gl_InvocationID];
        v[gl_InvocationID] = x[gl_InvocationID];
        if (x[0].x < 0.0) { return; }
        put(v[gl_InvocationID].y);
        v[gl_InvocationID].z = v[0].w;
    }";

#[test]
fn chains_from_an_arrayed_output_start_from_the_other_variable() {
    let shader = Shader::glsl(ShaderStage::TessellationControl, CONTROL);
    let old = shader.id("v");
    let (redirected, new) = shader.rewritten(|m, p| {
        let old = named(m, "v");
        let (_, ty) = m.pointer(m.type_of(old).unwrap()).unwrap();
        let new = p.variable(StorageClass::OUTPUT, ty, None);
        p.decorate(new, Decoration::LOCATION, &[5]);
        p.join_interface(entry(m), new);
        moves::redirect(m, p, old, new)?;
        Ok(new)
    });
    let users = |id| -> Vec<Op> {
        let uses = redirected.module().uses_of(id);
        uses.filter(|inst| redirected.module().function_around(inst.at()).is_some())
            .map(|inst| inst.op())
            .collect()
    };
    assert_eq!(users(old), []);
    let before = shader.module().uses_of(old).filter(|inst| inst.op() == Op::ACCESS_CHAIN).count();
    assert_eq!(users(new), vec![Op::ACCESS_CHAIN; before]);
    assert!(before >= 4);
    assert!(redirected.interface("main").contains(&old), "interfaces stay as they are");
    assert_eq!(redirected.location(old), Some(1));
}

/// Copies of pointers and of memory, a whole load, and a function that gets the pointer and is defined first.
const COPIES: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %old %new
               OpName %main "main"
               OpName %old "old"
               OpName %new "new"
               OpName %set "set"
               OpDecorate %old Location 0
               OpDecorate %new Location 1
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
         %one = OpConstant %float 1
     %pointer = OpTypePointer Output %float
    %function = OpTypePointer Function %float
          %sn = OpTypeFunction %void %pointer
         %old = OpVariable %pointer Output
         %new = OpVariable %pointer Output
         %set = OpFunction %void None %sn
   %parameter = OpFunctionParameter %pointer
      %slabel = OpLabel
               OpStore %parameter %one
               OpReturn
               OpFunctionEnd
        %main = OpFunction %void None %fn
       %label = OpLabel
       %local = OpVariable %function Function
        %copy = OpCopyObject %pointer %old
               OpStore %copy %one
               OpCopyMemory %local %old
               OpCopyMemory %old %local
        %call = OpFunctionCall %void %set %old
               OpReturn
               OpFunctionEnd
"#;

#[test]
fn copies_and_calls_use_the_other_variable() {
    let shader = Shader::assembled_before_legalization(COPIES);
    let (redirected, ()) =
        shader.rewritten(|m, p| moves::redirect(m, p, named(m, "old"), named(m, "new")));
    let text = redirected.text();
    for line in [
        "OpCopyObject %_ptr_Output_float %new",
        "OpCopyMemory %new %",
        "OpFunctionCall %void %set %new",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let main = &text[text.find("%main = OpFunction").unwrap()..];
    assert!(!main.contains("%old"), "{main}");
}

#[test]
fn an_unknown_instruction_that_may_use_the_variable_is_refused_where_it_stands() {
    let shader = Shader::assembled_before_legalization(COPIES);
    let m = shader.module();
    let old = shader.id("old");
    let sprinkled = m.rewrite(|m, p| {
        let store = m.instructions().filter(|inst| inst.op() == Op::STORE).last().unwrap();
        p.insert(store.after(), Op(0x7123), &[old.word()]);
        Ok(store.end())
    });
    let Rewritten { module: sprinkled, value: behind_store, .. } = sprinkled.unwrap();
    let error = sprinkled
        .rewrite(|m, p| moves::redirect(m, p, old, named(m, "new")))
        .map(|_| ())
        .unwrap_err();
    assert_eq!((error.kind(), error.id()), (ErrorKind::Unsupported, Some(old)));
    assert_eq!(error.word_offset(), Some(behind_store));
    let fine = sprinkled.rewrite(|m, p| moves::redirect(m, p, named(m, "new"), old));
    assert!(fine.is_ok(), "it does not use that one");
}
