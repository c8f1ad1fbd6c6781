//! Resources and built-ins are added.

use crate::shader::{Shader, entry, named};
use polyshade::Error;
use polyshade::host::{Binding, Set};
use polyshade::moves::{self, HostBlock};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{
    BuiltIn, Decoration, ErrorKind, ExecutionModel, Id, Module, Op, Patch, StorageClass, Type,
};
use polyshade_tests::shader::ShaderStage;

const EMPTY: &str = "void main() {}";

/// Adds a storage buffer of a type of its own.
fn storage_buffer<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    at: (Set, Binding),
    name: &str,
) -> Result<HostBlock, Error> {
    let words = moves::word_array(m, p);
    moves::storage_buffer(m, p, entry(m), words, at, name)
}

/// The decorations of a variable's set and binding.
fn place(shader: &Shader, variable: Id) -> [u32; 2] {
    let one = |decoration| shader.module().decoration(variable, decoration).unwrap()[0];
    [one(Decoration::DESCRIPTOR_SET), one(Decoration::BINDING)]
}

#[test]
fn a_storage_buffer_has_the_class_of_its_version() {
    for (version, class, kind, listed) in [
        (SpirvVersion::SPIRV1_0, StorageClass::UNIFORM, Decoration::BUFFER_BLOCK, false),
        (SpirvVersion::SPIRV1_2, StorageClass::UNIFORM, Decoration::BUFFER_BLOCK, false),
        (SpirvVersion::SPIRV1_3, StorageClass::STORAGE_BUFFER, Decoration::BLOCK, false),
        (SpirvVersion::SPIRV1_4, StorageClass::STORAGE_BUFFER, Decoration::BLOCK, true),
        (SpirvVersion::SPIRV1_6, StorageClass::STORAGE_BUFFER, Decoration::BLOCK, true),
    ] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, EMPTY);
        let (added, block) =
            shader.rewritten(|m, p| storage_buffer(m, p, (Set(2), Binding(5)), "words"));
        assert_eq!((block.class, added.class(block.variable)), (class, class), "{version:?}");
        let structure = added.pointee(block.variable);
        assert!(added.module().decoration(structure, kind).is_some(), "{version:?}");
        assert_eq!(place(&added, block.variable), [2, 5]);
        assert_eq!(added.interface("main").contains(&block.variable), listed, "{version:?}");
        assert_eq!(added.id("words"), block.variable);
        let words = added.module().members(structure).next().unwrap();
        assert_eq!(added.module().ty(words), Some(Type::Other(Op::TYPE_RUNTIME_ARRAY)));
        assert_eq!(added.module().decoration(words, Decoration::ARRAY_STRIDE), Some(&[4][..]));
    }
}

#[test]
fn the_extension_gives_the_storage_buffer_its_class_before_spirv_1_3() {
    let shader = Shader::assembled(
        r#"
               OpCapability Shader
               OpExtension "SPV_KHR_storage_buffer_storage_class"
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main"
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
        %main = OpFunction %void None %fn
       %label = OpLabel
               OpReturn
               OpFunctionEnd
        "#,
    );
    let (added, block) =
        shader.rewritten(|m, p| storage_buffer(m, p, (Set(0), Binding(0)), "words"));
    assert_eq!(added.class(block.variable), StorageClass::STORAGE_BUFFER);
}

#[test]
fn one_type_serves_as_many_storage_buffers_as_there_are() {
    let shader = Shader::glsl(ShaderStage::Vertex, EMPTY);
    let (added, [first, second]) = shader.rewritten(|m, p| {
        let words = moves::word_array(m, p);
        let first = (Set(0), Binding(0));
        let second = (Set(0), Binding(1));
        Ok([
            moves::storage_buffer(m, p, entry(m), words, first, "a")?,
            moves::storage_buffer(m, p, entry(m), words, second, "b")?,
        ])
    });
    assert_eq!(added.pointee(first.variable), added.pointee(second.variable));
    assert_eq!([place(&added, first.variable), place(&added, second.variable)], [[0, 0], [0, 1]]);
}

#[test]
fn a_uniform_block_has_its_words_at_multiples_of_4() {
    let shader = Shader::glsl_for(SpirvVersion::SPIRV1_5, ShaderStage::Fragment, EMPTY);
    let (added, block) = shader.rewritten(|m, p| {
        let at = (Set(1), Binding(2));
        moves::uniform_block(m, p, entry(m), at, "host", &["first", "second", "third"])
    });
    let m = added.module();
    let structure = added.pointee(block.variable);
    for (number, name) in (0..).zip(["first", "second", "third"]) {
        let offset = m.member_decoration(structure, number, Decoration::OFFSET);
        assert_eq!(offset, Some(&[number * 4][..]));
        assert_eq!(m.member_name(structure, number).as_deref(), Some(name));
    }
    assert_eq!(m.members(structure).len(), 3);
    assert_eq!(place(&added, block.variable), [1, 2]);
    assert!(added.interface("main").contains(&block.variable));
}

/// A uniform block at set 1, binding 3, decorated directly or by a group.
fn with_binding(by_group: bool) -> Shader {
    let (target, group) = if by_group {
        ("%group", "%group = OpDecorationGroup\n OpGroupDecorate %group %u")
    } else {
        ("%u", "")
    };
    Shader::assembled(&format!(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main"
               OpName %u "u"
               OpDecorate {target} DescriptorSet 1
               OpDecorate {target} Binding 3
               {group}
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
       %block = OpTypeStruct %float
     %pointer = OpTypePointer Uniform %block
           %u = OpVariable %pointer Uniform
        %main = OpFunction %void None %fn
       %label = OpLabel
               OpReturn
               OpFunctionEnd
        "#
    ))
}

#[test]
fn a_set_and_binding_that_the_shader_has_is_refused_by_name() {
    for by_group in [false, true] {
        let shader = with_binding(by_group);
        let taken = (Set(1), Binding(3));
        let error = shader.refused(ErrorKind::Options, |m, p| storage_buffer(m, p, taken, "words"));
        assert_eq!(error.id(), Some(shader.id("u")), "by group: {by_group}");
        shader.refused(ErrorKind::Options, |m, p| {
            moves::uniform_block(m, p, entry(m), taken, "words", &["a"])
        });
        for free in [(Set(1), Binding(4)), (Set(0), Binding(3)), (Set(3), Binding(1))] {
            shader.rewritten(|m, p| storage_buffer(m, p, free, "words"));
        }
    }
}

#[test]
fn a_set_and_binding_that_this_patch_has_added_is_refused_too() {
    let shader = Shader::glsl(ShaderStage::Vertex, EMPTY);
    shader.refused(ErrorKind::Options, |m, p| {
        let at = (Set(0), Binding(7));
        storage_buffer(m, p, at, "first")?;
        moves::uniform_block(m, p, entry(m), at, "second", &["a"])
    });
}

#[test]
fn a_built_in_input_that_is_there_is_used_with_its_type() {
    let shader =
        Shader::glsl(ShaderStage::Vertex, "void main() { gl_Position = vec4(gl_VertexIndex); }");
    let there = shader.id("gl_VertexIndex");
    let (added, [vertex, instance]) = shader.rewritten(|m, p| {
        let uint = p.uint();
        let mut input = |builtin| moves::input_builtin(m, p, entry(m), builtin, uint);
        Ok([input(BuiltIn::VERTEX_INDEX), input(BuiltIn::INSTANCE_INDEX)])
    });
    let m = added.module();
    assert_eq!(vertex.0, there);
    assert_eq!(m.ty(vertex.1), Some(Type::Int { width: 32, signed: true }), "the one it has");
    assert_eq!(m.builtin(instance.0), Some(BuiltIn::INSTANCE_INDEX));
    assert_eq!(m.ty(instance.1), Some(Type::Int { width: 32, signed: false }));
    assert_eq!(added.class(instance.0), StorageClass::INPUT);
    assert!(added.interface("main").contains(&instance.0));
    assert_eq!(added.interface("main").len(), shader.interface("main").len() + 1);
}

#[test]
fn a_built_in_of_another_entry_point_is_not_used() {
    let shader = Shader::assembled(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %a "a"
               OpEntryPoint Vertex %b "b" %index
               OpName %index "index"
               OpDecorate %index BuiltIn VertexIndex
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
         %int = OpTypeInt 32 1
     %pointer = OpTypePointer Input %int
       %index = OpVariable %pointer Input
           %a = OpFunction %void None %fn
          %al = OpLabel
               OpReturn
               OpFunctionEnd
           %b = OpFunction %void None %fn
          %bl = OpLabel
               OpReturn
               OpFunctionEnd
        "#,
    );
    let (added, (new, _)) = shader.rewritten(|m, p| {
        let entry = m.entry_point("a", ExecutionModel::VERTEX)?;
        let int = p.int();
        Ok(moves::input_builtin(m, p, entry, BuiltIn::VERTEX_INDEX, int))
    });
    assert_ne!(new, named(added.module(), "index"));
    assert_eq!(added.interface("a"), [new]);
    assert_eq!(added.interface("b"), [shader.id("index")]);
}

#[test]
fn a_built_in_integer_that_a_fragment_shader_gets_is_flat() {
    let shader = Shader::glsl(
        ShaderStage::Fragment,
        "layout(location = 0) out vec4 v; void main() { v = vec4(gl_FragCoord.x); }",
    );
    let (added, _) = shader.rewritten(|m, p| {
        let int = p.int();
        p.capability(polyshade_spv::Capability::SAMPLE_RATE_SHADING);
        let (sample, ty) = moves::input_builtin(m, p, entry(m), BuiltIn::SAMPLE_ID, int);
        let wrapper = moves::wrap(m, p, entry(m));
        p.at(wrapper.prologue).load(ty, sample);
        Ok(())
    });
    let sample = added
        .module()
        .variables()
        .find(|variable| added.module().builtin(variable.result()) == Some(BuiltIn::SAMPLE_ID));
    let sample = sample.unwrap().result();
    assert!(added.module().decoration(sample, Decoration::FLAT).is_some());
}

#[test]
fn a_built_in_output_is_in_the_interface() {
    let shader = Shader::glsl(ShaderStage::Vertex, EMPTY);
    let (added, new) = shader.rewritten(|m, p| {
        let float = p.float();
        Ok(moves::add_output_builtin(p, entry(m), BuiltIn::POINT_SIZE, float))
    });
    assert_eq!(added.class(new), StorageClass::OUTPUT);
    assert_eq!(added.module().builtin(new), Some(BuiltIn::POINT_SIZE));
    assert!(added.interface("main").contains(&new));
}
