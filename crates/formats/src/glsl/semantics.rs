//! HLSL's semantics, which glslang discards. It flattens the inputs and outputs of the entry point and names each by
//! its path, such as `@entryPointOutput.light.colour`. This module finds the semantic in the source and uses DXC's
//! name instead, such as `out.var.COLOR0`.

mod source;

use polyshade_spv::{Decoration, Module, Op, Patch, StorageClass};
pub(super) use source::Declarations;

/// glslang's name for the return value of the entry point.
const RETURNED: &str = "@entryPointOutput";

/// Gives inputs and outputs with a semantic, except built-ins, the names that DXC uses.
pub(super) fn complete<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, declared: &Declarations<'_>) {
    for variable in m.variables() {
        let id = variable.result();
        let prefix = match variable.storage_class() {
            StorageClass::INPUT => "in.var.",
            StorageClass::OUTPUT => "out.var.",
            _ => continue,
        };
        // Built-ins have no location.
        let name = m.decoration(id, Decoration::LOCATION).and_then(|_| m.name(id));
        let Some(semantic) = name.and_then(|path| semantic_of(&path, declared)) else { continue };
        m.uses_of(id).filter(|user| user.op() == Op::NAME).for_each(|name| p.remove(name));
        p.name(id, &format!("{prefix}{semantic}"));
    }
}

/// Returns the semantic at a path of members and elements, such as `returned.lights[1].colour`.
fn semantic_of(path: &str, declared: &Declarations<'_>) -> Option<String> {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (root, mut steps) = path.split_at(end);
    let mut at = match root {
        RETURNED => declared.returned(),
        parameter => declared.parameter(parameter),
    }?;
    let mut element = 0;
    while !steps.is_empty() {
        if let Some(member) = steps.strip_prefix('.') {
            let end = member.find(['.', '[']).unwrap_or(member.len());
            // DXC has other numbers if a whole structure has one semantic, or for array elements of structures.
            if at.semantic.is_some() || element != 0 {
                return None;
            }
            at = declared.member(at.ty, &member[..end])?;
            steps = &member[end..];
        } else {
            let (index, rest) = steps.strip_prefix('[')?.split_once(']')?;
            element = index.parse::<u32>().ok()?;
            steps = rest;
        }
    }
    let semantic = at.semantic?;
    if element == 0 {
        return Some(semantic.to_owned());
    }
    let name = semantic.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let first = semantic[name.len()..].parse::<u32>().unwrap_or(0);
    Some(format!("{name}{}", first.checked_add(element)?))
}

#[cfg(test)]
mod tests {
    use crate::ShaderStage;
    use crate::glsl::{Language, SourceText};
    use polyshade_spv::{Decoration, Module};

    fn names(text: &str, stage: ShaderStage) -> Vec<String> {
        let words = SourceText::new(text, Language::Hlsl, stage).define("N", "4").compile();
        let words = words.expect("it compiles");
        let m = Module::parse(&words).expect("it was compiled");
        let located = m.variables().filter_map(|variable| {
            let id = variable.result();
            m.decoration(id, Decoration::LOCATION)?;
            Some(m.name(id)?.into_owned())
        });
        let mut names: Vec<String> = located.collect();
        names.sort();
        names
    }

    #[test]
    fn inputs_and_outputs_are_called_as_dxc_calls_them() {
        let text = "// struct Out { float4 a : WRONG; };\n\
            #define COLOUR(n) COLOR##n\n\
            typedef float2 Place;\n\
            struct In { float4 p : POSITION; Place uv : TEXCOORD; };\n\
            struct Deep { float3 n : NORMAL; float4 t[2] : TEXCOORD4; };\n\
            struct Out { float4 p : SV_Position; vector<float, 2> a : A, b : B;\n\
              nointerpolation precise float3 c : COLOUR(1); Deep d; float2x2 m : MATRIX; };\n\
            cbuffer C : register(b0) { float4 k : packoffset(c0); };\n\
            float helper(float f : NOT) { return f; }\n\
            Out main(In i, uint id : SV_VertexID, out float extra : FOG, inout float io : IO,\n\
              [[vk::location(7)]] float4 w[N] : WEIGHTS2, out Deep whole : WHOLE) {\n\
              Out o; o.p = i.p * w[0] + k; o.a = i.uv; o.b = i.uv; o.c = helper(id); o.d.n = 1; o.d.t[0] = 2;\n\
              o.d.t[1] = 3; o.m = float2x2(1, 2, 3, 4); extra = 3; whole = o.d; return o; }\n";
        let expected = [
            "in.var.IO",
            "in.var.POSITION",
            "in.var.TEXCOORD",
            "in.var.WEIGHTS2",
            "out.var.A",
            "out.var.B",
            "out.var.COLOR1",
            "out.var.FOG",
            "out.var.IO",
            "out.var.MATRIX",
            "out.var.NORMAL",
            "out.var.TEXCOORD4",
            "out.var.TEXCOORD5",
            "whole.n",
            "whole.t[0]",
            "whole.t[1]",
        ];
        assert_eq!(names(text, ShaderStage::Vertex), expected);
    }

    #[test]
    fn what_a_function_returns_may_have_the_semantic_itself() {
        let text = "float4 main(float2 uv : TEXCOORD3) : SV_Target1 { return uv.xyxy; }\n";
        assert_eq!(names(text, ShaderStage::Fragment), ["in.var.TEXCOORD3", "out.var.SV_Target1"]);
    }

    #[test]
    fn streams_have_the_semantics_of_their_vertices() {
        let text = "struct V { float4 p : SV_Position; float2 uv : TEXCOORD; };\n\
            [maxvertexcount(3)] void main(triangle V v[3], inout TriangleStream<V> s) {\n\
              for (int i = 0; i < 3; i++) s.Append(v[i]); }\n";
        assert_eq!(names(text, ShaderStage::Geometry), ["in.var.TEXCOORD", "out.var.TEXCOORD"]);
    }
}
