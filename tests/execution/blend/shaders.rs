//! Difficult shaders: several exits, partial writes of colours, and other outputs.

use super::{Mode, bytes, colours, cover, draw, lower, modelled};
use crate::drivers::DRIVERS;
use crate::noise::Noise;
use polyshade::advanced_blend::{ColorBlend as Blending, Equation, FormatClass, Options};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_vulkan::{Descriptor, Draw, Resource, Target, Work, vk};

/// Premultiplied colours that differ from pixel to pixel.
const PATTERN: &str = r"
    #extension GL_EXT_demote_to_helper_invocation : enable
    vec4 pattern(float k) {
        vec2 at = gl_FragCoord.xy / 16.0;
        float alpha = 0.25 + 0.75 * fract(at.x * 3.0 + at.y);
        return vec4(fract(at.x * k), fract(at.y * k + 0.3), fract((at.x + at.y) * k), 1.0) * alpha;
    }";

/// A fragment shader, with the declared components of its targets.
struct Case {
    name: &'static str,
    source: &'static str,
    /// For each target: the components, or an integer target.
    targets: &'static [Declared],
}

#[derive(Clone, Copy, PartialEq)]
enum Declared {
    Floats(usize),
    Integers,
}

const fn case(name: &'static str, targets: &'static [Declared], source: &'static str) -> Case {
    Case { name, source, targets }
}

const ONE: &[Declared] = &[Declared::Floats(4)];
const TWO: &[Declared] = &[Declared::Floats(4), Declared::Floats(4)];

const CASES: &[Case] = &[
    case(
        "early returns",
        ONE,
        "layout(location = 0) out vec4 colour;
         bool half_done(float x) { if (x < 2.0) { return true; } colour *= 0.75; return false; }
         void main() {
             colour = pattern(1.0);
             if (gl_FragCoord.x < 6.0) {
                 if (gl_FragCoord.y < 8.0) { colour.r *= 0.5; return; }
                 for (int i = 0; i < 4; ++i) {
                     if (float(i) > gl_FragCoord.x) { colour *= 0.9; return; }
                 }
             }
             if (half_done(gl_FragCoord.x - 7.0)) return;
             colour.gb = pattern(2.0).gb * colour.a;
         }",
    ),
    case(
        "discards",
        ONE,
        "layout(location = 0) out vec4 colour;
         void deep(float x) { for (int i = 0; i < 3; ++i) { if (x > 9.0 + i && i == 1) discard; } }
         void main() {
             colour = pattern(1.0);
             if (gl_FragCoord.y > 12.0) { if (gl_FragCoord.x < 4.0) discard; return; }
             deep(gl_FragCoord.x);
             colour *= 0.5 + 0.5 * clamp(abs(dFdx(colour.r)), 0.0, 1.0);
         }",
    ),
    case(
        "demotes",
        ONE,
        "layout(location = 0) out vec4 colour;
         void deep() { if (int(gl_FragCoord.x) % 3 == 1) demote; }
         void main() {
             colour = pattern(1.0);
             deep();
             if (gl_FragCoord.y < 3.0) return;
             colour *= 0.5 + 0.25 * clamp(abs(dFdx(gl_FragCoord.x)), 0.0, 1.0);
         }",
    ),
    case(
        "read back, and passed on",
        ONE,
        "layout(location = 0) out vec4 colour;
         void dim(inout vec4 c, out float alpha) { c.rgb *= 0.5; alpha = c.a; }
         void main() {
             colour = pattern(1.0);
             float alpha;
             dim(colour, alpha);
             colour.r = min(colour.g + colour.b, alpha);
             colour.g += colour.r * 0.25;
         }",
    ),
    case(
        "an array, indexed by a variable",
        TWO,
        "layout(location = 0) out vec4 colours[2];
         void main() {
             colours[0] = pattern(1.0);
             colours[1] = pattern(2.0);
             colours[int(gl_FragCoord.x) & 1] *= 0.5;
         }",
    ),
    case(
        "an array of one",
        ONE,
        "layout(location = 0) out vec4 colours[1]; void main() { colours[0] = pattern(3.0); }",
    ),
    case(
        "split by component",
        TWO,
        "layout(location = 0) out vec2 rg; layout(location = 0, component = 2) out float b;
         layout(location = 0, component = 3) out float a;
         layout(location = 1, component = 1) out vec3 gba; layout(location = 1) out float r;
         void main() {
             vec4 one = pattern(1.0); rg = one.rg; b = one.b; a = one.a;
             vec4 two = pattern(2.0); r = two.r; gba = two.gba;
         }",
    ),
    case(
        "narrow",
        &[Declared::Floats(3), Declared::Floats(1), Declared::Floats(2)],
        "layout(location = 0) out vec3 three; layout(location = 1) out float one; layout(location = 2) out vec2 two;
         void main() { three = pattern(1.0).rgb; one = pattern(2.0).r; two = pattern(3.0).rg; }",
    ),
    case(
        "beside integers",
        &[Declared::Floats(4), Declared::Integers, Declared::Floats(4)],
        "layout(location = 0) out vec4 a; layout(location = 1) out uvec4 numbers; layout(location = 2) out vec4 c;
         void main() { a = pattern(1.0); numbers = uvec4(gl_FragCoord.xyxy) + 7u; c = pattern(2.0); }",
    ),
    case(
        "by sample",
        ONE,
        "layout(location = 0) out vec4 colour;
         void main() { colour = pattern(1.0) * (1.0 - 0.25 * gl_SamplePosition.x); }",
    ),
    case(
        "masked",
        ONE,
        "layout(location = 0) out vec4 colour;
         void main() {
             colour = pattern(1.0);
             gl_SampleMask[0] = int(gl_FragCoord.x + gl_FragCoord.y) % 3 == 1 ? 0 : 1;
         }",
    ),
    case(
        "with a depth",
        ONE,
        "layout(location = 0) out vec4 colour;
         void main() {
             gl_FragDepth = 0.5;
             colour = pattern(1.0);
             if (gl_FragCoord.x < 5.0) return;
             gl_FragDepth = 0.25;
         }",
    ),
    case(
        "tested early",
        ONE,
        "layout(early_fragment_tests) in; layout(location = 0) out vec4 colour;
         void main() { colour = pattern(1.0); if (gl_FragCoord.x < 5.0) discard; }",
    ),
    case(
        "with a value from the start",
        ONE,
        "layout(location = 0) out vec4 colour; float seen = 0.5;
         void main() { colour = pattern(1.0) * seen; seen = colour.r; colour.g = min(seen, colour.a); }",
    ),
];

const SIDE: u32 = 16;
const PIXELS: usize = (SIDE * SIDE) as usize;
/// The initial contents of the original's targets in two draws. A pixel that keeps both values was not written.
const FILLS: [f32; 2] = [0.125, 0.875];

fn compiled(case: &Case, version: SpirvVersion) -> Vec<u32> {
    let source = format!("#version 450\n{PATTERN}\n{}", case.source);
    compile(&source, ShaderStage::Fragment, version)
        .unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

fn destinations(target: usize) -> Vec<[f32; 4]> {
    let mut noise = Noise::new();
    noise.skip(target as u32);
    let mut unit = || noise.below(1 << 16) as f32 / 65536.0;
    (0..PIXELS)
        .map(|_| {
            let alpha = 0.25 + 0.75 * unit();
            [unit() * alpha, unit() * alpha, unit() * alpha, alpha]
        })
        .collect()
}

/// Returns the original's draws over both fills, then the lowered draw. Each location has its own target.
fn work<'a>(case: &Case, vertex: &'a [u32], original: &'a [u32], lowered: &'a [u32]) -> Work<'a> {
    let count = case.targets.len();
    let mut work = Work::default();
    for run in 0..3 {
        let first = run * count;
        // Create targets with a fill or with destinations.
        for (i, declared) in case.targets.iter().enumerate() {
            let float = *declared != Declared::Integers;
            let format =
                if float { vk::Format::R32G32B32A32_SFLOAT } else { vk::Format::R32G32B32A32_UINT };
            work.targets.push(Target::new(format, SIDE, SIDE));
            let pixels = match FILLS.get(run) {
                Some(fill) => vec![[*fill; 4]; PIXELS],
                None => destinations(i),
            };
            work.pixels.push((first + i, bytes(pixels)));
        }
        // Add the original's two draws, then the lowered draw.
        let shader = if run < 2 { original } else { lowered };
        let is_float = |i: &usize| case.targets[*i] != Declared::Integers;
        let read = (0..count)
            .filter(is_float)
            .map(|i| Descriptor::new(3, i as u32, Resource::InputAttachment(first + i)));
        work.draws.push(Draw {
            other_targets: (first + 1..first + count).collect(),
            descriptors: if run < 2 { Vec::new() } else { read.collect() },
            ..draw([vertex, shader], first)
        });
    }
    work
}

fn soft_light(source: [f32; 4], destination: [f32; 4]) -> [f64; 4] {
    let [source, destination] = [source, destination].map(|colour| colour.map(f64::from));
    modelled(vk::BlendOp::SOFTLIGHT_EXT, Mode::PLAIN, source, destination)
}

/// Checks the pixels of one target, and returns the number of unwritten pixels or a description of the fault.
fn check(
    components: usize,
    filled: [&[u8]; 2],
    drawn: &[u8],
    destinations: &[[f32; 4]],
) -> Result<usize, String> {
    let (sources, others, drawn) = (colours(filled[0]), colours(filled[1]), colours(drawn));
    let mut unwritten = 0;
    for (at, destination) in destinations.iter().enumerate() {
        let mut source = [0.0, 0.0, 0.0, 1.0];
        source[..components].copy_from_slice(&sources[at][..components]);
        let written = sources[at][..components] == others[at][..components];
        unwritten += usize::from(!written);
        let expected =
            if written { soft_light(source, *destination) } else { destination.map(f64::from) };
        let near = |i: usize| (f64::from(drawn[at][i]) - expected[i]).abs() < 1e-5;
        if !(0..components).all(near) {
            return Err(format!(
                "pixel {at}: {source:?} over {destination:?} gives {:?}, not {expected:?}",
                drawn[at]
            ));
        }
    }
    Ok(unwritten)
}

fn options() -> Options {
    let blending = Blending::new([Equation::SoftLight]).format(FormatClass::Float);
    Options::new().every_target(blending)
}

#[test]
fn awkward_shaders_blend_as_others_do() {
    let vertex = cover();
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_3, SpirvVersion::SPIRV1_6] {
        for case in CASES {
            let original = compiled(case, version);
            let lowered = lower(&original, &options());
            let work = work(case, &vertex, &original, &lowered);
            for driver in DRIVERS {
                let targets = driver.run(&work).targets;
                let count = case.targets.len();
                for (i, declared) in case.targets.iter().enumerate() {
                    let [one, two, drawn] = [0, 1, 2].map(|run| &targets[run * count + i][..]);
                    let place = format!("{driver:?} {version:?} {}, target {i}", case.name);
                    let Declared::Floats(components) = *declared else {
                        assert_eq!(one, drawn, "{place}");
                        continue;
                    };
                    let unwritten = check(components, [one, two], drawn, &destinations(i))
                        .unwrap_or_else(|error| panic!("{place}: {error}"));
                    let leaves = ["discards", "demotes", "masked", "tested early"];
                    assert_eq!(unwritten > 0, leaves.contains(&case.name), "{place}");
                    assert!(unwritten < PIXELS / 2, "{place}");
                }
            }
        }
    }
}

#[test]
fn a_shader_that_does_not_blend_is_noticed() {
    let vertex = cover();
    for case in CASES {
        let original = compiled(case, SpirvVersion::SPIRV1_0);
        let work = work(case, &vertex, &original, &original);
        let targets = DRIVERS[0].run(&work).targets;
        let count = case.targets.len();
        let Declared::Floats(components) = case.targets[0] else { continue };
        let [one, two, drawn] = [0, 1, 2].map(|run| &targets[run * count][..]);
        let checked = check(components, [one, two], drawn, &destinations(0));
        assert!(checked.is_err(), "{}", case.name);
    }
}
