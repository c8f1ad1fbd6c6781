//! Host parameters in push constants. An entry point has at most one push constant block, so parameters are added to
//! it.

use crate::shader::{Shader, entry};
use polyshade::Error;
use polyshade::clip_space::{self, Options};
use polyshade::host::{ParamSource, Value};
use polyshade::rewrite::{self, HostBlock};
use polyshade_spv::{Decoration, ErrorKind, Id, Module, Patch};
use polyshade_tests::shader::ShaderStage;

/// Appends two host parameters at an offset, and reads the second before the body.
fn append<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    offset: u32,
) -> Result<HostBlock, Error> {
    let entry = entry(m);
    let block = rewrite::push_constants(m, p, entry, offset, "host", &["first", "second"])?;
    let wrapper = rewrite::wrap(m, p, entry);
    block.load(&mut p.at(wrapper.prologue), 1);
    Ok(block)
}

fn vertex(block: &str, expression: &str) -> String {
    format!("{block} void main() {{ gl_Position = vec4({expression}); }}")
}

/// Returns the offsets of all members of the block.
fn offsets(shader: &Shader, variable: Id) -> Vec<u32> {
    let structure = shader.pointee(variable);
    let members = 0..shader.module().members(structure).len() as u32;
    let offset = |member| shader.module().member_decoration(structure, member, Decoration::OFFSET);
    members.map(|member| offset(member).expect("each has one")[0]).collect()
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

/// The pipeline layout needs one range, from the first parameter to the last.
#[test]
fn the_range_takes_in_words_at_several_places() {
    let shader = Shader::glsl(ShaderStage::Vertex, "void main() { gl_Position = vec4(1); }");
    let word = |offset| Value::Param(ParamSource::PushConstant { offset });
    for (places, range) in [([16, 24], 16..28), ([24, 4], 4..28), ([8, 8], 8..16)] {
        let [depth, flip] = places.map(word);
        let options = Options::new().depth(depth).flip_y(flip);
        let converted = clip_space::lower(shader.module(), "main", &options);
        let converted = converted.expect("the shader has a position");
        assert_eq!(converted.requirements.push_constants, Some(range), "{places:?}");
    }
}
