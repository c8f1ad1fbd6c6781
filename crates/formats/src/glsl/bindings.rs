//! Assigns distinct bindings to HLSL resources. HLSL numbers constants, textures, samplers and writable resources
//! separately, and numbers are optional. Vulkan has one numbering for all resources. glslang uses the register
//! number, or 0, as the binding, so bindings may collide. The first resource with a binding keeps it, and other
//! resources get the lowest free bindings in their set.

use polyshade_spv::{Decoration, Id, Module, Patch, StorageClass};

/// Gives each resource a distinct binding.
pub(super) fn complete<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>) {
    let number = |id, decoration| m.decoration(id, decoration)?.first().copied();
    let resources: Vec<Id> = m
        .variables()
        .filter(|variable| {
            let class = variable.storage_class();
            [StorageClass::UNIFORM, StorageClass::UNIFORM_CONSTANT, StorageClass::STORAGE_BUFFER]
                .contains(&class)
        })
        .map(|variable| variable.result())
        .collect();
    let place = |id| {
        let set = number(id, Decoration::DESCRIPTOR_SET).unwrap_or(0);
        (set, number(id, Decoration::BINDING).unwrap_or(0))
    };
    let declared: Vec<(u32, u32)> = resources.iter().map(|id| place(*id)).collect();

    // The first resource keeps its binding. Later resources move to a binding that no resource declares.
    let mut taken = Vec::new();
    for id in resources {
        let (set, mut binding) = place(id);
        if taken.contains(&(set, binding)) {
            let is_free = |binding: &u32| {
                ![&declared, &taken].iter().any(|them| them.contains(&(set, *binding)))
            };
            binding = (0..).find(is_free).expect("resources are fewer than bindings");
            p.undecorate(id, |member, decoration| {
                member.is_none() && decoration == Decoration::BINDING
            });
            p.decorate(id, Decoration::BINDING, &[binding]);
        }
        taken.push((set, binding));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShaderStage;
    use crate::glsl::{Language, SourceText};

    #[test]
    fn no_two_resources_share_a_binding() {
        let text = "cbuffer A : register(b1) { float4 a; }; cbuffer B { float4 b; };\n\
            RWByteAddressBuffer c : register(u1); cbuffer D : register(b0, space2) { float4 d; };\n\
            float4 main() : SV_Position { c.Store(0, 1); return a + b + d; }\n";
        let words = SourceText::new(text, Language::Hlsl, ShaderStage::Vertex).compile();
        let words = words.expect("it compiles");
        let m = Module::parse(&words).expect("it was compiled");
        let mut places: Vec<(u32, u32)> = m
            .variables()
            .filter_map(|variable| {
                let number = |decoration| m.decoration(variable.result(), decoration);
                Some((number(Decoration::DESCRIPTOR_SET)?[0], number(Decoration::BINDING)?[0]))
            })
            .collect();
        places.sort_unstable();
        assert_eq!(
            places,
            [(0, 0), (0, 1), (0, 2), (2, 0)],
            "a, b and c by themselves are 1, 0 and 1"
        );
    }
}
