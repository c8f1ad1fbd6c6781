//! The evaluation stage draws the pictures that lavapipe's tessellation draws.

use super::pipeline::{Item, Native, Pipeline};
use super::shaders::{CONTROL_POINTS, Modes};
use super::{SPACINGS, modes};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::memory::words;
use polyshade_vulkan::{Draw, Stage, Target, Work, vk};

/// Four by four patches, each of 16 by 16 pixels, and the patches in them.
const TARGET: Target = Target::new(vk::Format::R32G32B32A32_UINT, 64, 64);
const PATCHES: u32 = 16;
const ITEM: Item = Item { vertices: CONTROL_POINTS * PATCHES, instances: 1 };

/// Every pixel shows its patch and its place in the patch. Pixels are in the middle between the steps of the place, so
/// rounding errors do not show, and neither does the shape of the triangles.
const PIXELS: &str = r"
    #version 450
    layout(location = 0) in vec3 e_coordinates;
    layout(location = 1) flat in uvec4 e_exact;
    layout(location = 0) out uvec4 pixel;
    void main() { pixel = uvec4(e_exact.x + 1u, e_exact.w, floor(e_coordinates.xy * 16.0)); }";

/// Draws a picture.
fn picture<'a>(
    driver: Driver,
    mut draw: Draw<'a>,
    mut work: Work<'a>,
    pixels: &'a [u32],
) -> Vec<u32> {
    draw.stages.push(Stage::fragment(pixels));
    draw.target = Some(0);
    work.targets.push(TARGET);
    work.draws.push(draw);
    words(&driver.run(&work).targets[0])
}

fn drawn(driver: Driver, modes: &Modes, pixels: &[u32]) -> Vec<u32> {
    let pipeline = Pipeline::new(modes);
    let made = pipeline.tessellate(driver, ITEM, &pipeline.ample(ITEM));
    let mut work = Work::default();
    let draw = pipeline.draw(&made, &mut work);
    picture(driver, draw, work, pixels)
}

fn is_complete(picture: &[u32]) -> bool {
    picture.chunks_exact(4).all(|pixel| pixel[0] != 0)
}

/// The levels are powers of two, so all positions are exact in any rasterizer.
#[test]
fn pictures_are_native_ones() {
    let pixels = glsl::fragment(PIXELS);
    for domain in ["triangles", "quads"] {
        let levels = [1.0, 2.0, 4.0, 8.0, 16.0].map(|level| [level; 6]).to_vec();
        let mut modes = Modes { levels, ..modes(domain, "equal_spacing") };
        let native = Native::new(&modes);
        let expected = picture(Driver::Lavapipe, native.draw(ITEM), Work::default(), &pixels);
        assert_eq!(is_complete(&expected), domain == "quads");
        for driver in DRIVERS {
            let found = drawn(driver, &modes, &pixels);
            let different =
                found.chunks(4).zip(expected.chunks(4)).filter(|(one, other)| one != other);
            assert_eq!(different.count(), 0, "{driver:?} {domain}");
        }
        modes.levels[2][0] = 0.0;
        assert!(drawn(Driver::SwiftShader, &modes, &pixels) != expected, "{domain}");
    }
}

/// The shared edges of the patches have equal levels.
#[test]
fn patches_have_no_gaps_between_them() {
    let pixels = glsl::fragment(PIXELS);
    for spacing in SPACINGS {
        let levels = [[5.3, 5.3, 5.3, 5.3, 2.5, 7.1], [5.3, 5.3, 5.3, 5.3, 1.0, 13.9]];
        let mut modes = Modes { levels: levels.to_vec(), ..modes("quads", spacing) };
        for driver in DRIVERS {
            assert!(is_complete(&drawn(driver, &modes, &pixels)), "{driver:?} {spacing}");
        }
        // Without some patches, there are gaps.
        modes.levels[1][0] = 0.0;
        assert!(!is_complete(&drawn(Driver::SwiftShader, &modes, &pixels)));
    }
}
