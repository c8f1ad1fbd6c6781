//! A depth pre-pass with the position-only variant, followed by the full shader with an equality depth test. A pixel
//! becomes a hole if any bit of its depth differs.

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::position::{Given, SEEDS, inputs, lowered, module};
use crate::position_shaders::TANGLED;
use polyshade::Module;
use polyshade::position_only::{Options, Variant};
use polyshade_vulkan::{DepthTest, Draw, Outcome, Stage, Target, Work, vk};

const WIDTH: u32 = 32;
const HEIGHT: u32 = 24;

/// The indices of the colour and depth targets: after a pre-pass with the variant, then after one with the full
/// shader. The latter may have holes too, because drivers may round depths at the ends of their range.
const BEHIND: [usize; 2] = [0, 1];
const BEHIND_FULL: [usize; 2] = [2, 3];

/// Writes a colour to every pixel.
const FRAGMENT: &str = r"
    #version 450
    layout(location = 0) out uint colour;
    void main() { colour = 1; }";

/// Returns, for each pixel, whether it is coloured, and the bits of its depth.
fn pixels(outcome: &Outcome, [colour, depth]: [usize; 2]) -> Vec<(bool, u32)> {
    let words = |target: usize| {
        let chunks = outcome.targets[target].chunks_exact(4);
        chunks.map(|bytes| u32::from_ne_bytes(bytes.try_into().expect("four bytes")))
    };
    words(colour).zip(words(depth)).map(|(colour, depth)| (colour != 0, depth)).collect()
}

/// The stages before the last one.
pub(crate) struct Ahead {
    pub(crate) stages: Vec<(vk::ShaderStageFlags, Vec<u32>)>,
    pub(crate) last: vk::ShaderStageFlags,
    pub(crate) topology: vk::PrimitiveTopology,
}

impl Ahead {
    /// Returns no stages, for a pipeline whose last stage is the vertex stage.
    fn nothing() -> Self {
        let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
        Self { stages: Vec::new(), last: vk::ShaderStageFlags::VERTEX, topology }
    }

    pub(crate) fn stages<'a>(&'a self, last: &'a [u32]) -> Vec<Stage<'a>> {
        let ahead = self.stages.iter().map(|(stage, words)| Stage::new(*stage, words));
        ahead.chain([Stage::new(self.last, last)]).collect()
    }
}

/// Draws a pre-pass with `variant` and then `full`. To other targets, draws a pre-pass with `full` and then `full`
/// again.
fn pre_pass<'a>(
    given: &Given,
    ahead: &'a Ahead,
    variant: &'a Module<'_>,
    full: &'a Module<'_>,
    fragment: &'a [u32],
) -> Work<'a> {
    let target = |format| Target::new(format, WIDTH, HEIGHT);
    let far = 1_f32.to_ne_bytes().repeat((WIDTH * HEIGHT) as usize);
    let draw = |m: &'a Module<'_>, target: Option<usize>, depth| {
        let mut draw = match ahead.stages.first() {
            Some((_, vertex)) => given.draw_with(vertex),
            None => given.draw(m),
        };
        draw.stages = ahead.stages(m.words());
        draw.stages.extend(target.map(|_| Stage::fragment(fragment)));
        draw.topology = ahead.topology;
        Draw { target, depth: Some(depth), patch_control_points: 3, ..draw }
    };
    // Each pre-pass is followed by the full shader.
    Work {
        buffers: given.buffers.clone(),
        targets: [vk::Format::R32_UINT, vk::Format::D32_SFLOAT].map(target).repeat(2),
        pixels: vec![(BEHIND[1], far.clone()), (BEHIND_FULL[1], far)],
        draws: vec![
            draw(variant, None, DepthTest::nearest(BEHIND[1])),
            draw(full, Some(BEHIND[0]), DepthTest::equal(BEHIND[1])),
            draw(full, None, DepthTest::nearest(BEHIND_FULL[1])),
            draw(full, Some(BEHIND_FULL[0]), DepthTest::equal(BEHIND_FULL[1])),
        ],
        ..Work::default()
    }
}

/// Returns the number of pixels that `full` covers after its own pre-pass, and how many of them are wrong. Wrong
/// pixels are holes or have a different depth after the pre-pass with `variant`.
pub(crate) fn covered_and_wrong(
    driver: Driver,
    given: &Given,
    ahead: &Ahead,
    variant: &Module<'_>,
    full: &Module<'_>,
) -> (usize, usize) {
    let fragment = glsl::fragment(FRAGMENT);
    let outcome = driver.run(&pre_pass(given, ahead, variant, full, &fragment));
    let (behind, right) = (pixels(&outcome, BEHIND), pixels(&outcome, BEHIND_FULL));
    let covered = right.iter().filter(|(coloured, _)| *coloured).count();
    (covered, behind.iter().zip(&right).filter(|(one, other)| one != other).count())
}

#[test]
fn a_depth_pre_pass_leaves_no_hole() {
    let ahead = Ahead::nothing();
    let invariant = Options::new().invariant();
    for options in [invariant.clone(), invariant.precise()] {
        let mut drawn = 0;
        for tangled in &TANGLED {
            let m = module(tangled);
            let variant = lowered(&m, &options);
            let full = lowered(&m, &options.clone().variant(Variant::Full));
            for (driver, seed) in DRIVERS.iter().flat_map(|one| (0..SEEDS).map(move |i| (one, i))) {
                let (covered, wrong) =
                    covered_and_wrong(*driver, &inputs(seed), &ahead, &variant, &full);
                assert_eq!(wrong, 0, "{driver:?}, {}, of {covered} pixels", tangled.name);
                drawn += usize::from(covered > 0);
            }
        }
        // In some scenes, all random positions are outside the view.
        assert!(drawn > TANGLED.len() * DRIVERS.len(), "only {drawn} scenes are seen");
    }
}

/// If the same product is multiplied in a different order, the depth is only nearly equal, which leaves holes.
#[test]
fn a_position_that_is_computed_in_another_way_leaves_holes() {
    let ahead = Ahead::nothing();
    let shader = |position: &str| {
        let source = format!(
            "#version 450\nlayout(location = 0) in vec4 a;
            layout(set = 0, binding = 0) uniform U {{ mat4 m; vec4 unused[3]; mat4 n; vec4 v[16]; ivec4 i; }} u;
            void main() {{ gl_Position = {position}; gl_Position.zw = vec2(1.0 + gl_Position.z * 0.1, 2.0); }}"
        );
        let words = glsl::vertex(&source, "", polyshade_formats::SpirvVersion::SPIRV1_0);
        Module::parse_owned(words).expect("glslang's words parse")
    };
    let [full, other] = ["u.n * (u.m * a)", "(u.n * u.m) * a"].map(shader);
    for driver in DRIVERS {
        let (covered, wrong) = covered_and_wrong(driver, &inputs(1), &ahead, &full, &full);
        assert!(covered > 50 && wrong == 0, "{driver:?}: {wrong} of {covered}");
        let (_, wrong) = covered_and_wrong(driver, &inputs(1), &ahead, &other, &full);
        assert!(wrong > 10, "{driver:?}: {wrong} of {covered}");
    }
}
