//! Push constants are added: an entry point has one block of them.

use crate::shader::{Shader, entry, named};
use polyshade::Error;
use polyshade::moves::{self, HostBlock};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{Decoration, ErrorKind, ExecutionModel, Id, Module, Op, Patch, StorageClass};
use polyshade_tests::shader::ShaderStage;

/// Appends two words at a byte and reads the second before the body.
fn append<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    offset: u32,
) -> Result<HostBlock, Error> {
    let entry = entry(m);
    let block = moves::push_constants(m, p, entry, offset, "host", &["first", "second"])?;
    let wrapper = moves::wrap(m, p, entry);
    block.load(&mut p.at(wrapper.prologue), 1);
    Ok(block)
}

fn vertex(block: &str, expression: &str) -> String {
    format!("{block} void main() {{ gl_Position = vec4({expression}); }}")
}

/// Offsets of all members of the block.
fn offsets(shader: &Shader, variable: Id) -> Vec<u32> {
    let structure = shader.pointee(variable);
    let members = 0..shader.module().members(structure).len() as u32;
    let offset = |member| shader.module().member_decoration(structure, member, Decoration::OFFSET);
    members.map(|member| offset(member).expect("each has one")[0]).collect()
}

#[test]
fn an_entry_point_without_push_constants_gets_a_block() {
    for (version, listed) in [
        (SpirvVersion::SPIRV1_0, false),
        (SpirvVersion::SPIRV1_3, false),
        (SpirvVersion::SPIRV1_5, true),
    ] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, &vertex("", "1.0"));
        let (added, block) = shader.rewritten(|m, p| append(m, p, 16));
        assert_eq!(added.class(block.variable), StorageClass::PUSH_CONSTANT);
        assert_eq!(offsets(&added, block.variable), [16, 20]);
        assert_eq!(added.id("host"), block.variable);
        assert_eq!(added.interface("main").contains(&block.variable), listed, "{version:?}");
    }
}

#[test]
fn members_are_appended_to_the_block_that_is_there() {
    for (members, expression, end) in [
        ("float a;", "pc.a", 4),
        ("vec3 a;", "pc.a.x", 12),
        ("vec4 a; mat3 b;", "pc.b[1].x", 64),
        ("float a[3];", "pc.a[1]", 12),
        ("int a; layout(offset = 32) vec2 b;", "pc.b.y", 40),
        ("struct { vec2 x; float y; } a;", "pc.a.y", 16),
    ] {
        let members = members.replace("struct { vec2 x; float y; }", "S");
        let block = format!(
            "struct S {{ vec2 x; float y; }}; layout(push_constant) uniform PC {{ {members} }} pc;"
        );
        let shader = Shader::glsl(ShaderStage::Vertex, &vertex(&block, expression));
        let variable = shader.id("pc");
        let before = offsets(&shader, variable);
        let (added, host) = shader.rewritten(|m, p| append(m, p, end));
        assert_eq!(host.variable, variable);
        assert_eq!(offsets(&added, variable), [&before[..], &[end, end + 4]].concat());
        let structure = added.pointee(variable);
        assert_eq!(structure, shader.pointee(variable), "the type keeps its id");
        let name = added.module().member_name(structure, before.len() as u32 + 1);
        assert_eq!(name.as_deref(), Some("second"));

        let error = shader.refused(ErrorKind::Options, |m, p| append(m, p, end - 4));
        assert_eq!(error.id(), Some(variable), "{members}: {error}");
    }
}

#[test]
fn an_offset_that_is_no_multiple_of_4_or_too_large_is_refused() {
    let shader = Shader::glsl(ShaderStage::Vertex, &vertex("", "1.0"));
    for offset in [1, 2, 3, 17, u32::MAX - 3, u32::MAX] {
        shader.refused(ErrorKind::Options, |m, p| append(m, p, offset));
    }
}

#[test]
fn a_block_that_ends_with_an_array_of_unknown_length_is_refused() {
    let shader = Shader::glsl(
        ShaderStage::Vertex,
        &vertex(
            "layout(constant_id = 0) const int N = 2;
             layout(push_constant) uniform PC { vec4 a[N]; } pc;",
            "pc.a[0].x",
        ),
    );
    let error = shader.refused(ErrorKind::Unsupported, |m, p| append(m, p, 64));
    assert!(error.message().contains("size"), "{error}");
}

/// A block in a module with two vertex entry points; `b` uses it too if that is said. The block's type is also that
/// of a private variable if that is said. The block is declared ahead of `uint`.
fn two_entry_points(b_uses: bool, other_use: bool) -> Shader {
    let b_uses = if b_uses { "%bc = OpAccessChain %p_float %pc %i0" } else { "" };
    let other = if other_use {
        "%p_other = OpTypePointer Uniform %block\n %other = OpVariable %p_other Uniform"
    } else {
        ""
    };
    let place = if other_use {
        "OpDecorate %other DescriptorSet 0\n OpDecorate %other Binding 0"
    } else {
        ""
    };
    Shader::assembled(&format!(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %a "a"
               OpEntryPoint Vertex %b "b"
               OpName %a "a"
               OpName %b "b"
               OpName %pc "pc"
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               {place}
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
       %block = OpTypeStruct %float
     %pointer = OpTypePointer PushConstant %block
     %p_float = OpTypePointer PushConstant %float
          %pc = OpVariable %pointer PushConstant
         %int = OpTypeInt 32 1
          %i0 = OpConstant %int 0
        %uint = OpTypeInt 32 0
          %u0 = OpConstant %uint 0
      {other}
           %a = OpFunction %void None %fn
          %al = OpLabel
          %ac = OpAccessChain %p_float %pc %u0
               OpReturn
               OpFunctionEnd
           %b = OpFunction %void None %fn
          %bl = OpLabel
               {b_uses}
               OpReturn
               OpFunctionEnd
        "#
    ))
}

fn append_to_a<'m>(m: &'m Module<'static>, p: &mut Patch<'m, 'static>) -> Result<HostBlock, Error> {
    let entry = m.entry_point("a", ExecutionModel::VERTEX)?;
    moves::push_constants(m, p, entry, 4, "host", &["first"])
}

#[test]
fn a_block_grows_that_is_declared_ahead_of_the_type_of_its_new_members() {
    let shader = two_entry_points(false, false);
    let (added, block) = shader.rewritten(append_to_a);
    assert_eq!(offsets(&added, block.variable), [0, 4]);
    assert_eq!(added.count(Op::TYPE_INT), 2, "it moved");
}

#[test]
fn a_block_that_another_entry_point_uses_is_refused_by_name() {
    let shader = two_entry_points(true, false);
    let error = shader.refused(ErrorKind::Unsupported, append_to_a);
    assert_eq!(error.id(), Some(shader.id("pc")), "{error}");
}

#[test]
fn a_block_whose_type_is_used_for_something_else_is_refused_by_name() {
    let shader = two_entry_points(false, true);
    let error = shader.refused(ErrorKind::Unsupported, append_to_a);
    assert_eq!(error.id(), Some(shader.pointee(shader.id("pc"))), "{error}");
}

#[test]
fn a_block_of_another_entry_point_is_left_alone() {
    let shader = two_entry_points(false, false);
    let (added, block) = shader.rewritten(|m, p| {
        let entry = m.entry_point("b", ExecutionModel::VERTEX)?;
        moves::push_constants(m, p, entry, 0, "host", &["first"])
    });
    assert_ne!(block.variable, shader.id("pc"));
    assert_eq!(offsets(&added, shader.id("pc")), [0]);
    assert_eq!(offsets(&added, block.variable), [0]);
}

#[test]
fn a_block_that_is_listed_but_not_used_is_still_the_one_block() {
    let shader = Shader::assembled(
        r#"; Version: 1.4
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %pc
               OpName %main "main"
               OpName %pc "pc"
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
       %block = OpTypeStruct %float
     %pointer = OpTypePointer PushConstant %block
          %pc = OpVariable %pointer PushConstant
        %main = OpFunction %void None %fn
       %label = OpLabel
               OpReturn
               OpFunctionEnd
        "#,
    );
    let (added, _) = shader.rewritten(|m, p| append(m, p, 4));
    let blocks = added.interface("main").into_iter();
    let classes = blocks.map(|id| added.class(id));
    assert_eq!(classes.filter(|class| *class == StorageClass::PUSH_CONSTANT).count(), 1);
    assert_eq!(named(added.module(), "pc"), shader.id("pc"));
}
