//! Advanced blend equations: `verify` finds them equal to the model, and different if they have a deliberate fault.

mod words_and_alphas;

use crate::subject::{self, DRIVERS, Driver, job, judge_by};
use crate::undefined;
use polyshade::advanced_blend::{
    self, Alpha, ColorBlend, Destination, Equation, FormatClass, Options, Overlap,
};
use polyshade::host::{AddressSource, Binding, ParamSource, Set, Target};
use polyshade::spv::ExecutionModel;
use polyshade_formats::ShaderStage;
use polyshade_tests::sample::sample;
use polyshade_verify::{BlendedAs, Blends, Difference, Lowering, Part, Verdict};
use polyshade_vulkan::blend_model::Clamping;
use polyshade_vulkan::{AdvancedBlend, Runner, vk};

pub(crate) fn fragment(glsl: &str) -> Vec<u32> {
    subject::compiled(ShaderStage::Fragment, glsl)
}

/// A shader with an input, an image and a uniform, which discards some pixels.
pub(crate) fn shader() -> Vec<u32> {
    fragment(
        "layout(location = 0) in vec4 v_colour;
        layout(location = 1) in vec2 v_place;
        layout(location = 2) flat in uint v_id;
        layout(set = 0, binding = 0) uniform Uniforms { vec4 tint; };
        layout(set = 0, binding = 1) uniform sampler2D image;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = v_colour;
            if (v_place.x > 0.75) colour = texture(image, v_place) * tint;
            if (v_place.y > 0.7 || v_id == 12345u) discard;
            colour.rgb *= colour.a;
        }",
    )
}

/// A case, in terms that do not depend on the lowering.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) words: Vec<u32>,
    pub(crate) asked: BlendedAs,
    pub(crate) alpha_to_one: bool,
    pub(crate) select: Option<ParamSource>,
    pub(crate) destination: Destination,
    pub(crate) given: Vec<(Part, Vec<u32>)>,
}

const PUSHED: Option<ParamSource> = Some(ParamSource::PushConstant { offset: 0 });

fn attachment() -> Destination {
    Destination::InputAttachment { set: Set(3), binding: Binding(0), index: 0 }
}

impl Case {
    pub(crate) fn new(words: Vec<u32>, equations: &[Equation]) -> Case {
        let asked = BlendedAs {
            equations: equations.to_vec(),
            how: AdvancedBlend {
                source_premultiplied: true,
                destination_premultiplied: true,
                overlap: vk::BlendOverlapEXT::UNCORRELATED,
            },
            clamping: Clamping::Unorm,
            clamp_results: false,
            without_alpha: false,
        };
        let (select, destination, given) = (PUSHED, attachment(), Vec::new());
        Case { words, asked, alpha_to_one: false, select, destination, given }
    }

    fn target(&self) -> ColorBlend {
        let alpha = |premultiplied| match premultiplied {
            true => Alpha::Premultiplied,
            false => Alpha::Straight,
        };
        let mut target = ColorBlend::new(self.asked.equations.iter().copied())
            .source(alpha(self.asked.how.source_premultiplied))
            .destination(alpha(self.asked.how.destination_premultiplied))
            .overlap(match self.asked.how.overlap {
                vk::BlendOverlapEXT::DISJOINT => Overlap::Disjoint,
                vk::BlendOverlapEXT::CONJOINT => Overlap::Conjoint,
                _ => Overlap::Uncorrelated,
            })
            .format(match self.asked.clamping {
                Clamping::Unorm => FormatClass::Unorm,
                Clamping::Snorm => FormatClass::Snorm,
                Clamping::Float => FormatClass::Float,
            });
        if self.asked.clamp_results {
            target = target.clamp_results();
        }
        if self.asked.without_alpha {
            target = target.without_alpha();
        }
        target
    }

    pub(crate) fn options(&self) -> Options {
        let options = Options::new().every_target(self.target());
        let options = if self.alpha_to_one { options.alpha_to_one() } else { options };
        options.select(self.select).destination(self.destination)
    }

    #[track_caller]
    fn verify(&self, driver: Driver, options: &Options) -> Verdict {
        self.verify_by(&*driver.unwatched(), options)
    }

    /// Verifies the case on any runner.
    #[track_caller]
    pub(crate) fn verify_by(&self, runner: &dyn Runner, options: &Options) -> Verdict {
        let module = subject::parsed(&self.words);
        let lowering = Lowering::Blend(Blends {
            target: &Target::new("main"),
            options,
            every_target: Some(self.asked.clone()),
            targets: [].into(),
            select: self.select,
            destination: self.destination,
            multisampled: false,
            alpha_to_coverage: false,
            alpha_to_one: self.alpha_to_one,
        });
        let mut job = job(&module, ExecutionModel::FRAGMENT, lowering);
        job.given = self.given.clone();
        judge_by(runner, &job)
    }

    #[track_caller]
    fn is_equal(&self) {
        for driver in subject::sampled(&DRIVERS, &self.words) {
            let equal = subject::equal(driver, self.verify(driver, &self.options()));
            assert!(equal.pixels > 200, "{driver:?}: {equal:?}");
        }
    }

    /// Replaces polyshade's variant by the shader `words`, lowered with these options and perhaps edited.
    pub(crate) fn replaced_by(
        mut self,
        words: &[u32],
        options: &Options,
        edit: impl FnOnce(Vec<u32>) -> Vec<u32>,
    ) -> Case {
        let module = subject::parsed(words);
        let lowered = advanced_blend::lower(&module, "main", options).expect("it can be lowered");
        self.given = vec![(Part::Lowered, edit(lowered.module.into_words()))];
        self
    }

    /// Returns the difference with these options.
    #[track_caller]
    fn difference(&self, options: &Options) -> Difference {
        let find = |driver| subject::difference(driver, self.verify(driver, options));
        let key = |one: &Difference| (one.part, one.message.clone());
        subject::agreed(&DRIVERS, &self.words, find, key)
    }
}

#[test]
fn every_equation_is_the_models() {
    Case::new(shader(), &Equation::ALL).is_equal();
}

/// Returns cases with each overlap, each form of colours and each format.
pub(crate) fn modes() -> Vec<Case> {
    let equations = [Equation::SrcOver, Equation::ColorDodge, Equation::HslHue, Equation::Plus];
    let mut cases = Vec::new();
    for overlap in [
        vk::BlendOverlapEXT::UNCORRELATED,
        vk::BlendOverlapEXT::DISJOINT,
        vk::BlendOverlapEXT::CONJOINT,
    ] {
        for [source_premultiplied, destination_premultiplied] in
            [[false, false], [false, true], [true, false]]
        {
            for clamping in [Clamping::Unorm, Clamping::Snorm, Clamping::Float] {
                let mut case = Case::new(shader(), &equations);
                case.asked.how =
                    AdvancedBlend { source_premultiplied, destination_premultiplied, overlap };
                case.asked.clamping = clamping;
                cases.push(case);
            }
        }
    }
    cases
}

#[test]
fn overlaps_alphas_and_formats_are_the_models() {
    sample(modes(), 7).for_each(|case| case.is_equal());
}

/// Returns cases with clamped results, without a destination alpha, and with a source alpha of 1.
pub(crate) fn clamped() -> [Case; 3] {
    let equations = [Equation::Plus, Equation::Minus, Equation::SrcOver];
    [0, 1, 2].map(|what| {
        let mut case = Case::new(shader(), &equations);
        case.asked.clamp_results = what == 0;
        case.asked.without_alpha = what == 1;
        case.alpha_to_one = what == 2;
        case
    })
}

#[test]
fn clamped_results_and_alphas_that_are_one() {
    clamped().into_iter().for_each(|case| case.is_equal());
}

/// Returns cases with one equation of the shader `words`.
pub(crate) fn one_equation(words: &[u32]) -> [Case; 3] {
    let equations = [Equation::Multiply, Equation::SoftLight, Equation::Contrast];
    equations.map(|one| Case { select: None, ..Case::new(words.to_vec(), &[one]) })
}

/// Returns cases with the selecting parameter in each place that has no address.
pub(crate) fn selected() -> [Case; 3] {
    let (set, binding) = (Set(2), Binding(1));
    let places = [
        ParamSource::Specialization { first_id: 3 },
        ParamSource::Uniform { set, binding },
        ParamSource::StorageBuffer { set, binding },
    ];
    places.map(selected_at)
}

fn selected_at(place: ParamSource) -> Case {
    Case { select: Some(place), ..Case::new(shader(), &[Equation::Screen, Equation::Xor]) }
}

#[test]
fn one_equation_and_words_wherever_they_are() {
    sample(one_equation(&shader()), 3).for_each(|case| case.is_equal());
    let address = AddressSource::Uniform { set: Set(2), binding: Binding(1) };
    let by_address = selected_at(ParamSource::Address(address));
    sample(selected().into_iter().chain([by_address]), 2).for_each(|case| case.is_equal());
}

/// Returns a case whose destination is in a texture.
pub(crate) fn from_texture() -> Case {
    let layer = advanced_blend::ArrayLayerSource::One;
    let destination = Destination::Texture { set: Set(1), binding: Binding(0), layer };
    Case { destination, ..Case::new(shader(), &[Equation::Overlay, Equation::Darken]) }
}

#[test]
fn the_destination_is_in_a_texture() {
    from_texture().is_equal();
}

#[test]
fn several_targets_narrow_ones_and_integers() {
    let words = fragment(
        "layout(location = 0) in vec4 v_colour;
        layout(location = 0) out vec4 first;
        layout(location = 1) out uvec2 integers;
        layout(location = 2) out vec3 narrow;
        void main() {
            first = vec4(v_colour.rgb * v_colour.a, v_colour.a);
            integers = uvec2(gl_FragCoord.xy);
            narrow = v_colour.bgr;
        }",
    );
    Case::new(words, &[Equation::Multiply, Equation::Difference, Equation::HardMix]).is_equal();
}

/// The driver leaves an unwritten component undefined, even if it is the destination of the next triangle.
#[test]
fn a_component_that_is_not_written() {
    let words = fragment(
        "layout(location = 0) in vec4 v_colour;
        layout(location = 0) out vec3 narrow;
        layout(location = 1) out float single;
        void main() { narrow = v_colour.bgr; single = v_colour.a; }",
    );
    Case::new(words, &[Equation::Screen, Equation::Exclusion]).is_equal();
}

#[test]
fn another_equation() {
    let case = Case { select: None, ..Case::new(shader(), &[Equation::Multiply]) };
    let mut other = case.clone();
    other.asked.equations = vec![Equation::Screen];
    let found = case.difference(&other.options());
    assert!(found.pixel.is_some() && found.expected.is_some(), "{found}");
    assert_eq!(found.message, "multiply gives a different result");
}

#[test]
fn another_overlap_and_another_alpha() {
    let case = Case { select: None, ..Case::new(shader(), &[Equation::ColorBurn]) };
    let hows = [
        AdvancedBlend { overlap: vk::BlendOverlapEXT::CONJOINT, ..case.asked.how },
        AdvancedBlend { source_premultiplied: false, ..case.asked.how },
        AdvancedBlend { destination_premultiplied: false, ..case.asked.how },
    ];
    for how in hows {
        let mut other = case.clone();
        other.asked.how = how;
        assert!(case.difference(&other.options()).message.contains("gives a different result"));
    }
}

#[test]
fn a_word_that_means_another_equation() {
    let case = Case::new(shader(), &[Equation::Multiply, Equation::Screen]);
    let swapped = Options::new()
        .every_target(ColorBlend::new([Equation::Screen, Equation::Darken]))
        .select(PUSHED);
    let given = case.clone().replaced_by(&case.words, &swapped, |lowered| lowered);
    // The number of `multiply` selects no equation there, so the source passes through.
    assert_eq!(given.difference(&case.options()).message, "multiply gives a different result");
}

/// Returns the difference after edits of lines of the lowered shader.
#[track_caller]
fn edited(edit: impl Fn(&str) -> Option<String>) -> Difference {
    let case = Case { select: None, ..Case::new(shader(), &[Equation::SrcOver]) };
    let options = case.options();
    let case = case.replaced_by(&shader(), &options, |lowered| subject::edited(&lowered, edit));
    case.difference(&case.options())
}

#[test]
fn a_discard_that_is_lost() {
    let found = edited(|line| line.trim().eq("OpKill").then(|| "OpReturn".to_owned()));
    assert_eq!(found.message, "a pixel that is not covered is written");
}

/// The tested colours include the branch points of equations, and greys.
#[test]
fn comparisons_that_are_strict_and_were_not() {
    let words = fragment(
        "layout(location = 0) in vec4 i; layout(location = 0) out vec4 colour;
        void main() { colour = vec4(i.rgb, 1.0) * i.a; }",
    );
    for (comparison, strict) in [
        ("OpFOrdGreaterThanEqual ", "OpFOrdGreaterThan "),
        ("OpFOrdLessThanEqual ", "OpFOrdLessThan "),
    ] {
        let edit = |line: &str| line.contains(comparison).then(|| line.replace(comparison, strict));
        let case = Case::new(words.clone(), &Equation::ALL);
        let options = case.options();
        let case = case.replaced_by(&words, &options, |lowered| subject::edited(&lowered, edit));
        let found = case.difference(&options);
        assert!(found.message.contains("gives a different result"), "{found}");
    }
}

#[test]
fn alpha_that_is_not_one_though_nothing_is_blended() {
    let mut case = Case::new(shader(), &[Equation::Screen]);
    case.alpha_to_one = true;
    let mut other = case.clone();
    other.alpha_to_one = false;
    let found = case.difference(&other.options());
    assert!(found.expected.is_some(), "{found}");
}

/// Correct shaders that an earlier `verify` reported as different.
#[test]
fn shaders_that_are_hard_to_compare() {
    let black = "layout(location = 0) out vec4 colour; void main() { colour = vec4(0, 0, 0, 1); }";
    Case::new(fragment(black), &[Equation::HslLuminosity]).is_equal();
    let gap = "layout(location = 2) out vec4 colour;
        void main() { colour = vec4(0.25, 0.5, 0.125, 0.75); }";
    Case::new(fragment(gap), &[Equation::Multiply]).is_equal();
    let index = "layout(location = 2) in vec2 place; layout(location = 3) flat in int i;
        layout(location = 0) out vec4 colour;
        layout(set = 1, binding = 0) uniform texture2D images[2];
        layout(set = 2, binding = 0) uniform sampler point;
        void main() {
            colour = clamp(texture(sampler2D(images[i], point), place), 0.0, 1.0);
            colour.rgb *= colour.a;
        }";
    let words = fragment(index);
    for driver in DRIVERS {
        let case = Case::new(words.clone(), &[Equation::Multiply]);
        subject::equal(driver, case.verify(driver, &case.options()));
    }
}

#[test]
fn a_second_source_that_the_device_lacks_says_nothing() {
    for (driver, count, code, lacks) in [
        (Driver::SwiftShader, 1, "", "dualSrcBlend"),
        (Driver::Lavapipe, 2, "one[1] = vec4(1.0);", "dual-source blending with 2 targets"),
    ] {
        let words = fragment(&format!(
            "layout(location = 0, index = 0) out vec4 one[{count}];
            layout(location = 0, index = 1) out vec4 other;
            void main() {{ one[0] = vec4(0.5); {code} other = vec4(0.25); }}"
        ));
        let case = Case::new(words, &[Equation::Multiply]);
        let why = subject::reason(driver, case.verify(driver, &case.options()));
        assert!(why.contains(lacks), "{why}");
    }
}

#[test]
fn what_is_not_drawn_says_nothing() {
    let reason = |destination, lacks: &str| {
        for driver in subject::sampled(&DRIVERS, &shader()) {
            let case = Case::new(shader(), &[Equation::Multiply]);
            let case = Case { destination, select: None, ..case };
            let why = subject::reason(driver, case.verify(driver, &case.options()));
            assert!(why.contains(lacks), "{why}");
        }
    };
    reason(Destination::TileImage, "VK_EXT_shader_tile_image");
    let other = Destination::InputAttachment { set: Set(3), binding: Binding(0), index: 2 };
    reason(other, "input attachments only from index 0");
    let layer = advanced_blend::ArrayLayerSource::Layer;
    let layered = Destination::Texture { set: Set(1), binding: Binding(0), layer };
    reason(layered, "layered targets");
}

#[test]
fn a_shader_without_defined_colours_says_nothing() {
    let words = fragment(
        "layout(location = 0) out vec4 colour;
        void main() { colour = vec4(1.0, 0.0, 0.0, -1.0); }",
    );
    for driver in subject::sampled(&DRIVERS, &words) {
        let mut case = Case::new(words.clone(), &[Equation::Multiply]);
        case.asked.clamping = Clamping::Float;
        let why = subject::reason(driver, case.verify(driver, &case.options()));
        assert!(why.contains("blending is undefined for"), "{why}");
    }
}

/// Returns a case with the lowered form of another shader.
fn with_another(words: &[u32], given: &[u32]) -> Case {
    let case = Case::new(words.to_vec(), &[Equation::Screen]);
    let options = case.options();
    case.replaced_by(given, &options, |lowered| lowered)
}

#[test]
fn what_is_no_number_may_be_anything_and_numbers_may_not() {
    let shader = |colour: &str, other: &str| {
        fragment(&format!(
            "layout(location = 0) in vec2 place; layout(location = 1) flat in int i;
            layout(location = 0) out vec4 colour;
            void main() {{ colour = vec4(place.x > 0.5 ? {colour} : {other}); }}"
        ))
    };
    let none = shader("intBitsToFloat(0x7fc00000 | i & 1)", "0.25");
    with_another(&none, &shader("0.0", "0.25")).is_equal();
    let wrong = with_another(&none, &shader("0.0", "0.75"));
    let found = wrong.difference(&wrong.options());
    assert!(found.message.contains("gives a different result"), "{found}");
}

#[test]
fn colours_that_are_left_to_the_driver_may_be_anything_and_others_may_not() {
    let left = undefined::fragment("if (way > 0.0) v_some = vec4(1.0);");
    let zero = undefined::fragment("v_some = vec4(way > 0.0 ? 1.0 : 0.0);");
    with_another(&left, &left).is_equal();
    with_another(&left, &zero).is_equal();
    let right = with_another(&zero, &left);
    let found = right.difference(&right.options());
    assert!(found.message.contains("gives a different result"), "{found}");
}

/// llvmpipe blends with the colour of the last pixel that leaves the loop, but outputs each pixel's own colour.
#[test]
fn colours_that_a_driver_computes_otherwise_may_be_anything_and_others_may_not() {
    let shader = |first: &str| {
        fragment(&format!(
            "layout(location = 0) in vec4 first;
            layout(location = 1) in vec4 step;
            layout(location = 2) in float end;
            layout(location = 0) out vec4 colour;
            void main() {{
                vec4 sum = first * {first};
                int left = 9;
                do {{ sum += step * 0.125; }} while (sum.x < end && --left > 0);
                colour = sum;
            }}"
        ))
    };
    let right = shader("0.25");
    with_another(&right, &right).is_equal();
    let wrong = with_another(&right, &shader("0.375"));
    let found = wrong.difference(&wrong.options());
    assert!(found.message.contains("gives a different result"), "{found}");
}
