//! What position-only variants leave as it was.

use crate::shader::Shader;
use polyshade::Module;
use polyshade::position_only::{self, Options};
use polyshade_spv::{Decoration, Id, Op, StorageClass};
use polyshade_tests::shader::{ShaderStage, assemble, validate};
use std::collections::BTreeMap;

/// Both variants of the entry point `main`.
fn both<'m>(m: &'m Module<'_>) -> [Module<'m>; 2] {
    let options = Options::new();
    let variants = [
        position_only::derive(m, "main", &options),
        position_only::complement(m, "main", &options),
    ];
    variants.map(|variant| variant.unwrap().module)
}

/// The words of every instruction in functions, by result.
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
            // Members may have other numbers.
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
        // Resources and constants keep what the host knows them by.
        let uniform =
            m.variables().find(|one| one.storage_class() == StorageClass::UNIFORM).unwrap();
        let literal = |kind| m.decoration(uniform.result(), kind).and_then(|words| words.first());
        assert_eq!(literal(Decoration::BINDING), Some(&2));
        assert_eq!(literal(Decoration::DESCRIPTOR_SET), Some(&1));
        let constant = m.instructions().find(|inst| inst.op() == Op::SPEC_CONSTANT).unwrap();
        assert_eq!(m.decoration(constant.result().unwrap(), Decoration::SPEC_ID), Some(&[5][..]));
    }
}

#[test]
fn the_positions_of_all_views_are_kept_and_what_depends_on_the_view_stays() {
    let source = "#extension GL_EXT_multiview : require
        layout(location = 0) in vec4 x; layout(location = 0) out vec4 v;
        layout(binding = 0) uniform U { mat4 m[4]; mat4 n[4]; };
        void main() { gl_Position = m[gl_ViewIndex] * x; v = n[gl_ViewIndex] * x; }";
    let shader = Shader::glsl(ShaderStage::Vertex, source);
    for m in both(shader.module()) {
        validate(m.words()).unwrap();
        let products = m.instructions().filter(|inst| inst.op() == Op::MATRIX_TIMES_VECTOR);
        assert_eq!(products.count(), 1);
        assert!(m.has_capability(polyshade_spv::Capability::MULTI_VIEW));
    }

    // One position for each view at once, as an array.
    let words = assemble(PER_VIEW).unwrap();
    let m = Module::parse_owned(words).unwrap();
    let variant = position_only::derive(&m, "main", &Options::new()).unwrap().module;
    let stores = |m: &Module<'_>| m.instructions().filter(|inst| inst.op() == Op::STORE).count();
    assert_eq!([stores(&m), stores(&variant)], [3, 2]);
}

/// Writes `PositionPerViewNV` and a varying.
const PER_VIEW: &str = r#"
               OpCapability Shader
               OpCapability PerViewAttributesNV
               OpCapability MultiView
               OpExtension "SPV_NVX_multiview_per_view_attributes"
               OpExtension "SPV_KHR_multiview"
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %x %position %views %v
               OpDecorate %x Location 0
               OpDecorate %v Location 0
               OpDecorate %position BuiltIn Position
               OpDecorate %views BuiltIn PositionPerViewNV
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
    %v4float = OpTypeVector %float 4
       %uint = OpTypeInt 32 0
        %two = OpConstant %uint 2
        %one = OpConstant %uint 1
      %array = OpTypeArray %v4float %two
         %in = OpTypePointer Input %v4float
        %out = OpTypePointer Output %v4float
      %out_a = OpTypePointer Output %array
          %x = OpVariable %in Input
   %position = OpVariable %out Output
      %views = OpVariable %out_a Output
          %v = OpVariable %out Output
       %main = OpFunction %void None %fn
      %label = OpLabel
          %a = OpLoad %v4float %x
          %b = OpFAdd %v4float %a %a
          %c = OpFMul %v4float %a %b
               OpStore %position %a
      %place = OpAccessChain %out %views %one
               OpStore %place %b
               OpStore %v %c
               OpReturn
               OpFunctionEnd
"#;

#[test]
fn structures_of_hlsl_and_wgsl_are_taken_apart() {
    // As a compiler of HLSL makes it: all outputs are returned at once, stored at once, and read one by one.
    let source = "layout(location = 0) in vec4 x; layout(location = 1) in vec4 y;
        layout(location = 0) out vec4 v; layout(location = 1) out vec4 w;
        struct In { vec4 place; vec4 other; }; struct All { vec4 place; vec4 v; vec4 w; };
        All shade(In i) { All all; all.place = i.place * 2.0; all.v = sin(i.other); all.w = cos(i.place); return all; }
        All entry(In i) { All all = shade(i); all.v += 1.0; return all; }
        void main() { In i; i.place = x; i.other = y; All all = entry(i);
            gl_Position = all.place; v = all.v; w = all.w; }";
    let shader = Shader::glsl(ShaderStage::Vertex, source);
    let m = position_only::derive(shader.module(), "main", &Options::new()).unwrap().module;
    validate(m.words()).unwrap();
    let count = |op| m.instructions().filter(|inst| inst.op() == op).count();
    assert_eq!([Op::EXT_INST, Op::F_ADD, Op::VECTOR_TIMES_SCALAR].map(count), [0, 0, 1]);
    let inputs = m.variables().filter(|one| one.storage_class() == StorageClass::INPUT);
    assert_eq!(inputs.count(), 1);
    let again = position_only::derive(&m, "main", &Options::new()).unwrap().module;
    assert!(again.words() == m.words());
}
