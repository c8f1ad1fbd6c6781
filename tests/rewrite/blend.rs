//! Checks with `spirv-val` that modules which `advanced_blend` lowers are valid.

use crate::shader::{Shader, count};
use polyshade::advanced_blend::{
    self, Alpha, ArrayLayerSource, ColorBlend, Destination, Equation, FormatClass, Options, Overlap,
};
use polyshade::host::{Binding, ParamSource, Reserved, Set, Target};
use polyshade::{ErrorKind, Module};
use polyshade_formats::SpirvVersion;
use polyshade_spv::view::FunctionCall;
use polyshade_spv::{Decoration, Id, Op};
use polyshade_tests::shader::{ShaderStage, validate};
use std::fmt::Write;

pub(crate) const COLOUR: &str = "
    layout(location = 0) out vec4 colour;
    void main() {
        colour = gl_FragCoord;
        if (gl_FragCoord.x < 2.0) return;
        colour.x = 0.5;
    }";

/// Lowers a shader, and validates the result with `spirv-val`.
#[track_caller]
pub(crate) fn lowered(shader: &Shader, options: &Options) -> Module<'static> {
    let lowered = advanced_blend::lower(shader.module(), "main", options);
    let module = lowered.unwrap_or_else(|error| panic!("{error}")).module.into_owned();
    validate(module.words()).unwrap_or_else(|error| panic!("{error}"));
    module
}

/// Returns each kind of destination.
pub(crate) fn destinations() -> [Destination; 6] {
    let (set, binding) = (Set(2), Binding(5));
    let texture = |layer| Destination::Texture { set, binding, layer };
    [
        Destination::InputAttachment { set, binding, index: 3 },
        texture(ArrayLayerSource::One),
        texture(ArrayLayerSource::Layer),
        texture(ArrayLayerSource::View),
        Destination::TileImage,
        Destination::StorageImage { set, binding },
    ]
}

#[test]
fn every_version_and_destination_is_valid() {
    let early = COLOUR.replace("void main", "layout(early_fragment_tests) in; void main");
    for version in [
        SpirvVersion::SPIRV1_0,
        SpirvVersion::SPIRV1_3,
        SpirvVersion::SPIRV1_4,
        SpirvVersion::SPIRV1_5,
        SpirvVersion::SPIRV1_6,
    ] {
        let shader = Shader::glsl_for(version, ShaderStage::Fragment, &early);
        for destination in destinations() {
            let options = Options::new().equations([Equation::Multiply]);
            let options = options.destination(destination);
            lowered(&shader, &options);
            lowered(&shader, &options.multisampled());
        }
    }
}

#[test]
fn every_equation_and_selection_is_valid() {
    let shader = Shader::glsl(ShaderStage::Fragment, COLOUR);
    let (set, binding) = (Set(1), Binding(0));
    for place in [
        ParamSource::PushConstant { offset: 16 },
        ParamSource::Uniform { set, binding },
        ParamSource::StorageBuffer { set, binding },
        ParamSource::Specialization { first_id: 7 },
    ] {
        let module = lowered(&shader, &Options::new().all().select(place));
        assert_eq!(count(&module, Op::SWITCH), 1, "one indexed branch");
        let switch = module.instructions().find(|inst| inst.op() == Op::SWITCH).unwrap();
        assert_eq!(switch.words().len(), 3 + 2 * Equation::ALL.len());
    }
}

#[test]
fn one_equation_adds_no_branch_and_no_other_equation() {
    let shader = Shader::glsl(ShaderStage::Fragment, COLOUR);
    for equation in Equation::ALL {
        let module = lowered(&shader, &Options::new().equations([equation]));
        for op in [Op::SWITCH, Op::BRANCH_CONDITIONAL, Op::BRANCH] {
            assert_eq!(count(&module, op), shader.count(op), "{equation}: {op:?}");
        }
        let named = |other: &Equation| {
            let name = format!("blend_{}", other.name().replace('-', "_"));
            module.functions().any(|f| module.name(f.id()).is_some_and(|own| own == name))
        };
        let there: Vec<Equation> = Equation::ALL.into_iter().filter(named).collect();
        assert_eq!(there, [equation]);
    }
}

#[test]
fn relaxed_precision_is_not_said_of_the_blended_colour() {
    let source =
        "layout(location = 0) out mediump vec4 colour; void main() { colour = vec4(0.5); }";
    let shader = Shader::glsl(ShaderStage::Fragment, source);
    let options = Options::new().equations([Equation::SoftLight]);
    let module = lowered(&shader, &options);
    let relaxed = module
        .variables()
        .map(|variable| variable.result())
        .filter(|id| module.decoration(*id, Decoration::RELAXED_PRECISION).is_some());
    assert_eq!(relaxed.count(), 1, "the colour that bodies write");
    let in_code = |inst: &polyshade_spv::Inst<'_>| {
        let result = inst.result().filter(|_| module.function_around(inst.at()).is_some());
        result.is_some_and(|id| module.decoration(id, Decoration::RELAXED_PRECISION).is_some())
    };
    assert_eq!(module.instructions().filter(in_code).count(), 0);
}

#[test]
fn targets_that_are_alike_share_their_code() {
    let source = "
        layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out uvec4 c;
        layout(location = 3) out vec4 d;
        void main() { a = vec4(0.1); b = vec4(0.2); c = uvec4(3); d = vec4(0.4); }";
    let shader = Shader::glsl(ShaderStage::Fragment, source);
    let straight = ColorBlend::new([Equation::Screen])
        .source(Alpha::Straight)
        .destination(Alpha::Straight)
        .overlap(Overlap::Conjoint)
        .format(FormatClass::Snorm)
        .clamp_results()
        .without_alpha();
    let options = Options::new().equations([Equation::Screen]).target(3, straight);
    let lowered = advanced_blend::lower(shader.module(), "main", &options).unwrap();
    validate(lowered.module.words()).unwrap();
    let m = &lowered.module;
    // Equal targets share a function, and all targets share the equation.
    let named = |name: &str| {
        m.functions().filter(|f| m.name(f.id()).is_some_and(|own| own == name)).count()
    };
    assert_eq!(named("polyshade_blend_target"), 2);
    assert_eq!(named("blend_screen"), 1);
    let locations: Vec<u32> = lowered.result.keys().copied().collect();
    assert_eq!(locations, [0, 1, 3]);
    let bindings: Vec<u32> =
        lowered.requirements.descriptors.iter().map(|one| one.binding.0).collect();
    assert_eq!(bindings, [0, 1, 3]);
}

/// Counts the executable instructions of a function and its callees.
fn cost(m: &Module<'_>, function: Id) -> usize {
    let body = m.function(function).expect("it is a function");
    let instructions = body.instructions().map(|inst| match inst.op() {
        Op::FUNCTION
        | Op::FUNCTION_PARAMETER
        | Op::FUNCTION_END
        | Op::LABEL
        | Op::VARIABLE
        | Op::RETURN
        | Op::RETURN_VALUE => 0,
        Op::FUNCTION_CALL => {
            let call = FunctionCall::of(inst).expect("it is a call");
            cost(m, call.function())
        }
        _ => 1,
    });
    instructions.sum()
}

/// Counts the instructions that one equation adds to a shader.
fn added(target: ColorBlend) -> usize {
    let shader = Shader::glsl(ShaderStage::Fragment, COLOUR);
    let module = lowered(&shader, &Options::new().every_target(target));
    let main = module.entry_points().next().expect("there is one").function();
    cost(&module, main) - cost(shader.module(), shader.id("main"))
}

#[test]
fn the_documented_cost_is_that_of_today() {
    let mut table = String::from("| Equation | premultiplied | straight |\n|---|---|---|\n");
    for equation in Equation::ALL {
        let target = || ColorBlend::new([equation]);
        let straight = target().source(Alpha::Straight).destination(Alpha::Straight);
        let _ = writeln!(table, "| {equation} | {} | {} |", added(target()), added(straight));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lowerings/advanced-blend.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.contains(&table), "docs/lowerings/advanced-blend.md should have\n{table}");
}

#[track_caller]
pub(crate) fn refused(target: &Target, options: &Options, kind: ErrorKind, part: &str) {
    let shader = Shader::glsl(ShaderStage::Fragment, COLOUR);
    let error = advanced_blend::lower(shader.module(), target, options).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

/// Options that the program cannot express are refused. Other refusals are cases in `cases/blend`.
#[test]
fn what_cannot_be_honoured_is_refused() {
    let none = Options::new().equations([]);
    refused(&"main".into(), &none, ErrorKind::Options, "its list of equations is empty");
    let reserved = Target::new("main").reserved(Reserved::new().binding(Set(3), Binding(0)));
    let multiply = Options::new().equations([Equation::Multiply]);
    refused(&reserved, &multiply, ErrorKind::Options, "reserved");
}
