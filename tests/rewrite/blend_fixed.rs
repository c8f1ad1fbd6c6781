//! Checks with `spirv-val` that modules to which `advanced_blend` adds fixed-function operations are valid.

use crate::blend::{COLOUR, destinations, lowered, refused};
use crate::shader::{Shader, count};
use polyshade::ErrorKind;
use polyshade::advanced_blend::{
    self, BlendComponent, ColorBlend, Equation, Factor, FixedFunctionBlend, Format, FormatClass,
    LogicOperation, Options, Overlap,
};
use polyshade::host::{Binding, ParamSource, Set};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{Decoration, Op, StorageClass};
use polyshade_tests::shader::{ShaderStage, validate};

const SECOND: &str = "
    layout(location = 0, index = 0) out vec4 colour; layout(location = 0, index = 1) out vec4 factor;
    void fill(out vec4 to, float x) { to = vec4(x); }
    void main() { fill(colour, 0.5); if (gl_FragCoord.x < 2.0) return; fill(factor, 0.25); }";

fn over() -> FixedFunctionBlend {
    FixedFunctionBlend::both(BlendComponent::add(Factor::One, Factor::OneMinusSrcAlpha))
}

#[test]
fn fixed_function_is_valid_in_every_version_and_destination() {
    let early =
        |source: &str| source.replace("void main", "layout(early_fragment_tests) in; void main");
    let integers =
        "layout(location = 0) out ivec3 numbers; void main() { numbers = ivec3(7, -7, 1); }";
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_3, SpirvVersion::SPIRV1_6] {
        let shader =
            |source: &str| Shader::glsl_for(version, ShaderStage::Fragment, &early(source));
        let (plain, second, integers) = (shader(COLOUR), shader(SECOND), shader(integers));
        for destination in destinations() {
            let options = |target| Options::new().every_target(target).destination(destination);
            lowered(&plain, &options(ColorBlend::fixed_function(over())));
            lowered(&plain, &options(ColorBlend::logic(LogicOperation::Nor)).multisampled());
            let signed = ColorBlend::logic(LogicOperation::Nor).format(FormatClass::Sint);
            lowered(&integers, &options(signed));
            let dual = FixedFunctionBlend::both(BlendComponent::add(
                Factor::One,
                Factor::OneMinusSrc1Color,
            ));
            let module = lowered(&second, &options(ColorBlend::fixed_function(dual)));
            assert_eq!(count(&module, Op::SWITCH) + count(&module, Op::PHI), 0);
        }
    }
}

#[test]
fn a_second_source_leaves_the_interface() {
    let shader = Shader::glsl(ShaderStage::Fragment, SECOND);
    let dual =
        FixedFunctionBlend::both(BlendComponent::add(Factor::Src1Alpha, Factor::OneMinusSrc1Color));
    for target in [
        ColorBlend::fixed_function(dual),
        ColorBlend::fixed_function(over()),
        ColorBlend::new([Equation::Screen]),
    ] {
        let module = lowered(&shader, &Options::new().every_target(target));
        let outputs: Vec<_> =
            module.variables().filter(|one| one.storage_class() == StorageClass::OUTPUT).collect();
        assert_eq!(outputs.len(), 1);
        assert_eq!(module.decoration(outputs[0].result(), Decoration::INDEX), Some(&[0][..]));
    }
    let arrays =
        "layout(location = 0) out vec4 a[2]; layout(location = 0, index = 1) out vec4 b[2];
                  void main() { a[0] = a[1] = vec4(1); b[0] = b[1] = vec4(0.5); }";
    let arrays = Shader::glsl(ShaderStage::Fragment, arrays);
    lowered(&arrays, &Options::new().every_target(ColorBlend::fixed_function(dual)));
    // Without blending, the fixed function gets both outputs.
    for unblended in [Options::new().unblended(0), Options::new()] {
        let left = advanced_blend::lower(shader.module(), "main", &unblended).unwrap();
        assert_eq!(left.module.words(), shader.module().words());
    }
}

#[test]
fn words_of_selection_and_constants_share_a_place_or_have_two() {
    let source = "layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
                  void main() { a = vec4(0.5); b = vec4(0.25); }";
    let shader = Shader::glsl(ShaderStage::Fragment, source);
    let constant = FixedFunctionBlend::both(BlendComponent::add(
        Factor::ConstantColor,
        Factor::OneMinusConstantAlpha,
    ));
    let (set, binding) = (Set(1), Binding(0));
    let push = ParamSource::PushConstant { offset: 8 };
    let uniform = ParamSource::Uniform { set, binding };
    let options = |select, constants| {
        Options::new()
            .target(0, ColorBlend::new([Equation::Multiply, Equation::Screen]))
            .target(1, ColorBlend::fixed_function(constant))
            .select(select)
            .blend_constants_in(constants)
    };
    for (select, constants, places, bytes) in
        [(push, push, 1, Some(8..28)), (push, uniform, 2, Some(8..12)), (uniform, uniform, 1, None)]
    {
        let lowered =
            advanced_blend::lower(shader.module(), "main", &options(select, constants)).unwrap();
        validate(lowered.module.words()).unwrap();
        assert_eq!(lowered.params.len(), places);
        assert_eq!(lowered.requirements.push_constants, bytes);
        let names = lowered.params.iter().flat_map(|one| &one.params).map(|word| &word.name);
        let constants = names.filter(|name| name.starts_with("blend_constant_"));
        assert_eq!(constants.count(), 4);
    }
    let other = options(push, ParamSource::PushConstant { offset: 64 });
    let error = advanced_blend::lower(shader.module(), "main", &other).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Options);
    assert!(error.to_string().contains("must have the same source"), "{error}");
    // Without a constant factor, the shader has no parameters for blend constants.
    let without = options(push, push).target(1, ColorBlend::fixed_function(over()));
    let lowered = advanced_blend::lower(shader.module(), "main", &without).unwrap();
    assert_eq!(lowered.requirements.push_constants, Some(8..12));
}

/// Options that the program cannot express are refused. Other refusals are cases in `cases/blend`.
#[test]
fn what_fixed_function_cannot_do_here_is_refused() {
    let all = |target| Options::new().every_target(target);
    let refused = |options, kind, part: &str| refused(&"main".into(), &options, kind, part);
    let wide = Format::new(FormatClass::Unorm, [32, 0, 0, 0]).unwrap();
    let wide = ColorBlend::logic(LogicOperation::Xor).format(wide);
    refused(all(wide), ErrorKind::Unsupported, "more than 16 bits");
    let disjoint = ColorBlend::fixed_function(over()).overlap(Overlap::Disjoint);
    refused(all(disjoint), ErrorKind::Options, "apply only to advanced equations");
    for samples in [0, 64] {
        let options = all(ColorBlend::fixed_function(over())).alpha_to_coverage(samples);
        refused(options, ErrorKind::Options, "from 1 to 32 samples");
    }
}

#[test]
fn targets_that_no_shader_reads_keep_their_outputs() {
    let source = "layout(location = 0) out uvec4 a; layout(location = 1) out vec4 b;
                  void main() { a = uvec4(1); b = vec4(0.5); }";
    let shader = Shader::glsl(ShaderStage::Fragment, source);
    // Options for every target do not change integers without a logic operation.
    let all = Options::new().every_target(ColorBlend::fixed_function(over()));
    let lowered = advanced_blend::lower(shader.module(), "main", &all).unwrap();
    let locations: Vec<u32> = lowered.result.keys().copied().collect();
    assert_eq!(locations, [1]);
}
