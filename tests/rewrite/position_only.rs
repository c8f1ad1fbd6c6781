//! The code that position-only variants keep is unchanged.

use crate::shader::Shader;
use polyshade::Module;
use polyshade::position_only::{self, Options, Variant};
use polyshade_spv::{Decoration, Id, Op, StorageClass};
use polyshade_tests::shader::{ShaderStage, validate};
use std::collections::BTreeMap;

/// Returns both variants of the entry point `main`.
fn both<'m>(m: &'m Module<'_>) -> [Module<'m>; 2] {
    [Variant::PositionOnly, Variant::Complement].map(|variant| {
        position_only::lower(m, "main", &Options::new().variant(variant)).unwrap().module
    })
}

/// Returns the words of every instruction in functions that has a result, by result id.
fn code(m: &Module<'_>) -> BTreeMap<Id, Vec<u32>> {
    let code = m.functions().flat_map(|body| body.instructions());
    code.filter_map(|inst| Some((inst.result()?, inst.words().to_vec()))).collect()
}

#[test]
fn what_stays_is_computed_by_the_same_instructions_in_the_same_order() {
    let source = "layout(location = 0) in vec4 x; layout(location = 0) out vec4 v;
        layout(binding = 2, set = 1) uniform U { mat4 m; float k; };
        layout(constant_id = 5) const float c = 2.0;
        void main() { precise vec4 p = m * x + x * c; v = p * k; gl_Position = p; }";
    let shader = Shader::glsl(ShaderStage::Vertex, source);
    let full = code(shader.module());
    for m in both(shader.module()) {
        validate(m.words()).unwrap();
        let mut last = 0;
        for inst in m.functions().flat_map(|body| body.instructions()) {
            let Some(id) = inst.result() else { continue };
            // Member indices may change.
            let chain = inst.op() == Op::ACCESS_CHAIN;
            let before = &full[&id];
            assert!(inst.words() == before.as_slice() || chain && inst.words()[0] == before[0]);
            let at = shader.module().defined_at(id).expect("it was just found");
            assert!(at > last, "{inst:?}");
            last = at;
        }
        let decorated = |m: &Module<'_>, id| m.decoration(id, Decoration::NO_CONTRACTION).is_some();
        let sums = m.instructions().filter(|inst| inst.op() == Op::F_ADD);
        assert!(sums.filter_map(|inst| inst.result()).all(|id| decorated(&m, id)));
        // Resources and constants keep the bindings and ids that the host uses.
        let uniform =
            m.variables().find(|one| one.storage_class() == StorageClass::UNIFORM).unwrap();
        let literal = |kind| m.decoration(uniform.result(), kind).and_then(|words| words.first());
        assert_eq!(literal(Decoration::BINDING), Some(&2));
        assert_eq!(literal(Decoration::DESCRIPTOR_SET), Some(&1));
        let constant = m.instructions().find(|inst| inst.op() == Op::SPEC_CONSTANT).unwrap();
        assert_eq!(m.decoration(constant.result().unwrap(), Decoration::SPEC_ID), Some(&[5][..]));
    }
}
