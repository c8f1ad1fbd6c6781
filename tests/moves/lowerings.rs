//! Three lowerings of about thirty lines each, written with nothing else than the moves: what they need is there.

use crate::link::library;
use crate::shader::{Shader, named, outputs};
use polyshade::host::{Binding, Set};
use polyshade::moves::{self, Copies, Library};
use polyshade::{Error, ErrorKind};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{BuiltIn, Decoration, ExecutionModel, Id, Module, Op, Patch, StorageClass};
use polyshade_tests::shader::ShaderStage;

/// Where rasterizer discard is missing: behind a boolean specialization constant the position lies outside of clip
/// space, so that nothing is drawn.
///
/// ```text
/// %old   = OpLoad %vec4 %position
/// %new   = OpSelect %vec4 %discards %outside %old      ; (-3, -3, -3, 1)
///          OpStore %position %new
/// ```
pub(crate) fn discard_rasterization<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    spec_id: u32,
) -> Result<(), Error> {
    let entry = m.entry_point("main", ExecutionModel::VERTEX)?;
    let wrapper = moves::wrap(m, p, entry);

    let (bool, float) = (p.bool(), p.float());
    let (vec4, bvec4) = (p.vector(float, 4), p.vector(bool, 4));
    let [minus_three, one] = [-3.0, 1.0].map(|value| p.float_constant(value));
    let outside = p.composite_constant(vec4, &[minus_three, minus_three, minus_three, one]);
    let discards = p.spec_constant_bool(spec_id, false);

    let position = moves::find_builtin(m, entry, StorageClass::OUTPUT, BuiltIn::POSITION)
        .ok_or_else(|| Error::new(ErrorKind::NotFound, "the shader has no position to move"))?;
    let mut code = p.at(wrapper.epilogue);
    let position = position.pointer(&mut code);
    // A scalar condition selects vectors from SPIR-V 1.4 on only.
    let discards = code.construct(bvec4, &[discards; 4]);
    let old = code.load(vec4, position);
    let new = code.select(vec4, discards, outside, old);
    code.store(position, new);
    Ok(())
}

const VERTEX: &str = "
    layout(location = 0) in vec4 x; layout(location = 0) out vec4 v;
    void main() {
        v = x;
        gl_Position = x;
        if (x.x > 1.0) return;
        gl_Position.y = -x.y;
    }";

#[test]
fn the_position_moves_outside_behind_a_specialization_constant() {
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_3, SpirvVersion::SPIRV1_5] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, VERTEX);
        let (lowered, ()) = shader.rewritten(|m, p| discard_rasterization(m, p, 7));
        let main = lowered.ops(lowered.id("main"));
        assert_eq!(main.iter().filter(|op| **op == Op::SELECT).count(), 1);
        assert_eq!(lowered.interface("main"), shader.interface("main"));
        let flag = lowered.module().preamble().find(|inst| inst.op() == Op::SPEC_CONSTANT_FALSE);
        let flag = flag.unwrap().result().unwrap();
        assert_eq!(lowered.module().decoration(flag, Decoration::SPEC_ID), Some(&[7][..]));
        assert!(lowered.text().contains("%float_n3 %float_n3 %float_n3 %float_1"));
    }
}

#[test]
fn a_position_that_is_a_variable_of_its_own_moves_too() {
    let shader = Shader::assembled(
        r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %position
               OpName %main "main"
               OpDecorate %position BuiltIn Position
        %void = OpTypeVoid
          %fn = OpTypeFunction %void
       %float = OpTypeFloat 32
        %vec4 = OpTypeVector %float 4
        %null = OpConstantNull %vec4
     %pointer = OpTypePointer Output %vec4
    %position = OpVariable %pointer Output
        %main = OpFunction %void None %fn
       %label = OpLabel
               OpStore %position %null
               OpReturn
               OpFunctionEnd
        "#,
    );
    let (lowered, ()) = shader.rewritten(|m, p| discard_rasterization(m, p, 0));
    assert!(!lowered.ops(lowered.id("main")).contains(&Op::ACCESS_CHAIN));
}

#[test]
fn a_shader_without_a_position_is_refused() {
    let shader = Shader::glsl(
        ShaderStage::Vertex,
        "layout(location = 0) out vec4 v; void main() { v = vec4(1.0); }",
    );
    shader.refused(ErrorKind::NotFound, |m, p| discard_rasterization(m, p, 0));
}

/// The equation of `GL_MULTIPLY_KHR` over premultiplied colours (OpenGL ES 3.2, 15.1.5.1).
pub(crate) const MULTIPLY: &str = "
    vec3 colour(const vec4 c) { return c.a == 0.0 ? vec3(0.0) : c.rgb / c.a; }
    vec4 blend(const vec4 src, const vec4 dst) {
        float both = src.a * dst.a;
        vec3 mixed = colour(src) * colour(dst) * both;
        mixed += src.rgb * (1.0 - dst.a) + dst.rgb * (1.0 - src.a);
        return vec4(mixed, src.a + dst.a - both);
    }
    void main() { blend(vec4(1.0), vec4(1.0)); }";

/// Where a blend equation is missing: the shader reads the destination, four words of a uniform block here, and
/// blends by itself, however the body returned. Where it discards, nothing is written.
pub(crate) fn blend<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    equation: &Library,
) -> Result<(), Error> {
    let entry = m.entry_point("main", ExecutionModel::FRAGMENT)?;
    let wrapper = moves::wrap(m, p, entry);
    let colour = outputs(m, entry)
        .into_iter()
        .find(|id| m.decoration(*id, Decoration::LOCATION) == Some(&[0]))
        .ok_or_else(|| Error::new(ErrorKind::NotFound, "the shader has no output 0"))?;
    let taken = moves::take_over(m, p, entry, &[colour], Copies::Uncopied)?[0];
    let at = (Set(1), Binding(0));
    let destination =
        moves::uniform_block(m, p, entry, at, "destination", &["red", "green", "blue", "alpha"])?;
    let blend = moves::link(p, equation, &["blend"], &[])[0];

    let float = p.float();
    let vec4 = p.vector(float, 4);
    let mut code = p.at(wrapper.epilogue);
    let components = [0, 1, 2, 3].map(|number| {
        let bits = destination.load(&mut code, number);
        code.bitcast(float, bits)
    });
    let dst = code.construct(vec4, &components);
    let src = code.load(vec4, taken.private);
    let blended = code.call(vec4, blend, &[src, dst]);
    code.store(taken.interface.expect("one was asked for"), blended);
    Ok(())
}

const DISCARDS: &str = "
    layout(location = 0) in vec4 x;
    layout(location = 0) out vec4 colour;
    layout(location = 1) out vec4 other;
    void shade(float y) {
        if (y < 0.5) { if (x.z > 0.25) discard; colour.a = y; return; }
        colour = x * y;
    }
    void main() {
        other = x;
        colour = vec4(1.0);
        if (x.x > 2.0) return;
        for (int i = 0; i < 4; ++i) {
            if (x.w > float(i)) { shade(x.y); return; }
        }
        colour.rgb = vec3(0.5);
    }";

#[test]
fn a_fragment_shader_blends_however_its_body_returns() {
    let equation = library(MULTIPLY);
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_3, SpirvVersion::SPIRV1_6] {
        let shader = Shader::glsl_for(version, ShaderStage::Fragment, DISCARDS);
        let colour = shader.id("colour");
        let (lowered, ()) = shader.rewritten(|m, p| blend(m, p, &equation));
        let m = lowered.module();
        assert_eq!(lowered.class(colour), StorageClass::PRIVATE);

        let written: Vec<Id> = lowered
            .interface("main")
            .into_iter()
            .filter(|id| {
                lowered.location(*id) == Some(0) && lowered.class(*id) == StorageClass::OUTPUT
            })
            .collect();
        assert_eq!(written.len(), 1, "one output has location 0");
        let stores: Vec<Id> = m
            .uses_of(written[0])
            .filter(|inst| inst.op() == Op::STORE)
            .map(|inst| m.function_around(inst.at()).unwrap().id())
            .collect();
        assert_eq!(stores, [lowered.id("main")], "it is written once, behind the body");
        assert_eq!(
            lowered.calls(lowered.id("main")),
            [lowered.id("main_body"), lowered.id("blend")]
        );
        let ends =
            |shader: &Shader| shader.count(Op::KILL) + shader.count(Op::TERMINATE_INVOCATION);
        assert_eq!(ends(&lowered), ends(&shader));
        assert_eq!(lowered.location(lowered.id("other")), Some(1));
    }
}

/// Where outputs of a tessellation-control shader must lie elsewhere: everything uses another variable. Other
/// invocations see it, so it is not copied.
fn move_output<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    (from, to): (u32, u32),
) -> Result<Id, Error> {
    let entry = m.entry_point("main", ExecutionModel::TESSELLATION_CONTROL)?;
    let all = outputs(m, entry);
    let has = |id: &Id, location| m.decoration(*id, Decoration::LOCATION) == Some(&[location][..]);
    if let Some(taken) = all.iter().find(|id| has(id, to)) {
        return Err(Error::new(ErrorKind::Options, "the location is taken").about(*taken));
    }
    let not_there = || Error::new(ErrorKind::NotFound, format!("no output {from}"));
    let old = all.into_iter().find(|id| has(id, from)).ok_or_else(not_there)?;

    let pointer = m.type_of(old).expect("a variable has a type");
    let (class, ty) = m.pointer(pointer).expect("a variable's type is a pointer");
    let new = p.variable(class, ty, None);
    for applied in m.decorations_of(old) {
        let moves = applied.decoration == Decoration::LOCATION;
        let operands = if moves { &[to][..] } else { applied.operands };
        p.decorate(new, applied.decoration, operands);
    }
    if let Some(name) = m.name(old) {
        p.name(new, &format!("{name}_moved"));
    }
    p.join_interface(entry, new);
    moves::redirect(m, p, old, new)?;
    p.remove_definition(old);
    Ok(new)
}

const CONTROL: &str = "
    layout(vertices = 4) out;
    layout(location = 0) in vec4 x[];
    layout(location = 0) out vec4 v[];
    layout(location = 1) patch out vec2 w;
    struct S { float a; vec2 b[2]; };
    layout(location = 2) out S s[];
    void main() {
        v[gl_InvocationID] = x[gl_InvocationID];
        s[gl_InvocationID].b[1].x = 1.0;
        barrier();
        if (gl_InvocationID > 2) return;
        v[gl_InvocationID].x += v[gl_InvocationID ^ 1].y;
        if (gl_InvocationID == 0) { w.y = v[3].x; }
        gl_TessLevelOuter[0] = 1.0;
    }";

#[test]
fn a_tessellation_control_output_moves_to_another_location() {
    let shader = Shader::glsl(ShaderStage::TessellationControl, CONTROL);
    for (name, from) in [("v", 0), ("w", 1), ("s", 2)] {
        let old = shader.id(name);
        let (moved, new) = shader.rewritten(|m, p| move_output(m, p, (from, 9)));
        assert_eq!(moved.location(new), Some(9));
        assert_eq!(moved.id(&format!("{name}_moved")), new);
        assert_eq!(moved.pointee(new), shader.pointee(old));
        assert!(moved.module().definition(old).is_none());
        assert_eq!(moved.module().uses_of(old).count(), 0);
        let patch =
            |shader: &Shader, id| shader.module().decoration(id, Decoration::PATCH).is_some();
        assert_eq!(patch(&moved, new), patch(&shader, old));
        assert_eq!(moved.ops(moved.id("main")), shader.ops(shader.id("main")));
        assert_eq!(moved.interface("main").len(), shader.interface("main").len());
    }
}

#[test]
fn a_location_that_is_taken_is_refused_by_name() {
    let shader = Shader::glsl(ShaderStage::TessellationControl, CONTROL);
    let error = shader.refused(ErrorKind::Options, |m, p| move_output(m, p, (0, 1)));
    assert_eq!(error.id(), Some(named(shader.module(), "w")));
    shader.refused(ErrorKind::NotFound, |m, p| move_output(m, p, (7, 9)));
}
