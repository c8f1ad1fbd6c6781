//! Compute stages tessellate patches as lavapipe does natively, on both drivers. Where the Vulkan specification leaves
//! the triangulation to the implementation, the result must cover the domain without gaps.

mod buffers;
mod coverage;
mod faults;
mod geometry;
mod pictures;
mod pipeline;
mod random;
mod shaders;

use crate::controls::patch;
use crate::drivers::{DRIVERS, Driver};
use pipeline::{Item, Native, Pipeline, Tessellated};
use shaders::{Modes, Shaders, WORDS};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const DOMAINS: [&str; 3] = ["triangles", "quads", "isolines"];
const SPACINGS: [&str; 3] = ["equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"];

/// Levels of patches: equal, different, minimal, discarded, fractional and invalid ones.
const LEVELS: [[f32; 6]; 12] = [
    [4.0, 4.0, 4.0, 4.0, 4.0, 4.0],
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [2.0, 3.0, 5.0, 7.0, 6.0, 3.0],
    [1.0, 4.0, 1.0, 1.0, 1.0, 1.0],
    [3.0, 0.0, 3.0, 3.0, 3.0, 3.0],
    [1.5, 2.25, 3.75, 6.5, 4.125, 2.5],
    [8.0, 1.0, 2.0, 9.0, 1.0, 5.0],
    [1.0, 1.0, 1.0, 1.0, 7.0, 2.0],
    [f32::NAN, 2.0, 2.0, 2.0, 2.0, 2.0],
    [2.0, 2.0, 2.0, 2.0, f32::NAN, -1.0],
    [1e9, 3.0, 1.0, 2.0, 3.0, f32::INFINITY],
    [5.0, 5.0, 5.0, 5.0, 1.0, 1.0],
];

fn modes(domain: &'static str, spacing: &'static str) -> Modes {
    Modes {
        domain,
        spacing,
        order: "ccw",
        points: false,
        outputs: 4,
        wide: false,
        levels: LEVELS.to_vec(),
    }
}

/// The captured vertices of the patches, by the values that do not depend on coordinates.
type Patches = BTreeMap<[u32; 4], Vec<[f32; 3]>>;

fn patches(captured: &[u32]) -> Patches {
    let mut patches = Patches::new();
    for vertex in captured.chunks_exact(WORDS) {
        let coordinates = [0, 1, 2].map(|at| f32::from_bits(vertex[at]));
        let exact = [3, 4, 5, 6].map(|at| vertex[at]);
        patches.entry(exact).or_default().push(coordinates);
    }
    patches
}

/// Native positions have 16 bits after the point. Up to half of a bit is wrong for each segment up to the middle of an
/// edge, which has 64 segments at most.
const TOLERANCE: f32 = 2.5e-4;

fn is_near(one: &[f32; 3], other: &[f32; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= TOLERANCE)
}

/// Returns the points with different positions. An inner level of just above 1 gives points very close to an edge.
fn points(vertices: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let different: BTreeSet<[u32; 3]> = vertices.iter().map(|one| one.map(f32::to_bits)).collect();
    let mut points: Vec<[f32; 3]> = Vec::new();
    for vertex in different.into_iter().map(|one| one.map(f32::from_bits)) {
        if !points.iter().any(|point| is_near(point, &vertex)) {
            points.push(vertex);
        }
    }
    points
}

/// Returns twice the signed area of each triangle.
fn areas(vertices: &[[f32; 3]]) -> Vec<f64> {
    let area = |corners: &[[f32; 3]]| {
        let [a, b, c] = [0, 1, 2].map(|at| corners[at].map(f64::from));
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    vertices.chunks_exact(3).map(area).collect()
}

/// The properties that are compared with native patches. Each includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Compared {
    /// The values that do not depend on coordinates.
    Patches,
    /// The numbers of vertices.
    Vertices,
    /// The numbers of different points. If an edge has short segments, the native number is not exact.
    Points,
    /// The positions of the points, and the areas of triangles.
    Positions,
}

impl Compared {
    /// The spacing of points is only exact where the specification determines it, and natively is not for fractions.
    fn for_spacing(spacing: &str) -> Self {
        if spacing == "equal_spacing" { Self::Positions } else { Self::Points }
    }
}

/// Compares the patches with native ones. Primitives have this number of corners.
fn compare(
    found: &Patches,
    expected: &Patches,
    (corners, compared): (usize, Compared),
) -> Result<(), String> {
    if !found.keys().eq(expected.keys()) {
        return Err(format!("patches {:x?}, not {:x?}", found.keys(), expected.keys()));
    }
    for ((patch, found), expected) in found.iter().zip(expected.values()) {
        compare_patch(found, expected, (corners, compared))
            .map_err(|error| format!("patch {patch:x?}: {error}"))?;
    }
    Ok(())
}

fn compare_patch(
    found: &[[f32; 3]],
    expected: &[[f32; 3]],
    (corners, compared): (usize, Compared),
) -> Result<(), String> {
    if compared < Compared::Vertices {
        return Ok(());
    }
    let [one, other] = [found.len(), expected.len()];
    if one != other {
        return Err(format!("{one} vertices, not {other}"));
    }
    if compared < Compared::Points {
        return Ok(());
    }
    let [one, other] = [points(found), points(expected)];
    if one.len() != other.len() {
        return Err(format!("{} points, not {}", one.len(), other.len()));
    }
    if compared < Compared::Positions {
        return Ok(());
    }
    if let Some(lost) = one.iter().find(|one| !other.iter().any(|other| is_near(one, other))) {
        return Err(format!("{lost:?} is not a native point"));
    }
    let [one, other] = [found, expected].map(|vertices| areas(vertices).iter().sum::<f64>());
    if corners == 3 && (one - other).abs() > 1e-4 {
        return Err(format!("area {one}, not {other}"));
    }
    Ok(())
}

const ITEM: Item = Item { vertices: 3 * 14 + 2, instances: 2 };

/// The number of patches of the item.
const PATCHES: usize = 28;

/// A size in bytes that suffices for the native capture of `PATCHES` patches with the largest levels.
const NATIVE_ROOM: usize = 20 << 20;

fn run(pipeline: &Pipeline, driver: Driver, item: Item) -> (Tessellated, Vec<u32>) {
    let made = pipeline.tessellate(driver, item, &pipeline.ample(item));
    let captured = pipeline.capture(driver, &made);
    (made, captured)
}

#[test]
fn patches_are_divided_as_natively() {
    for (domain, spacing) in DOMAINS.iter().flat_map(|one| SPACINGS.map(|other| (*one, other))) {
        for points in [false, true] {
            let modes = Modes { points, ..modes(domain, spacing) };
            let expected = patches(&Native::new(&modes).capture(ITEM, NATIVE_ROOM));
            let pipeline = Pipeline::new(&modes);
            for driver in DRIVERS {
                let (made, captured) = run(&pipeline, driver, ITEM);
                let compared = Compared::for_spacing(spacing);
                let result = compare(&patches(&captured), &expected, (modes.corners(), compared));
                result.unwrap_or_else(|error| {
                    panic!("{driver:?} {domain} {spacing} {points}: {error}")
                });
                assert_eq!(captured.len() / WORDS, made.table[0] as usize);
            }
        }
    }
}

/// SwiftShader does not support 64-bit values.
#[test]
fn outputs_with_64_bits_are_passed_on() {
    let modes = Modes { wide: true, ..modes("triangles", "equal_spacing") };
    let expected = patches(&Native::new(&modes).capture(ITEM, NATIVE_ROOM));
    let pipeline = Pipeline::new(&modes);
    let (_, captured) = run(&pipeline, Driver::Lavapipe, ITEM);
    let result = compare(&patches(&captured), &expected, (modes.corners(), Compared::Positions));
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// The control shader may state the modes instead of the evaluation shader.
#[test]
fn modes_of_the_control_shader_count() {
    for domain in DOMAINS {
        let modes = Modes { order: "cw", ..modes(domain, "fractional_odd_spacing") };
        let expected = Pipeline::new(&modes);
        let shaders = modes.shaders();
        let mut moved = String::new();
        let evaluation = patch(&shaders.evaluation, |line| {
            let is_mode = line.trim().starts_with("OpExecutionMode %main");
            is_mode.then(|| {
                writeln!(moved, "{line}").expect("a String takes any text");
                String::new()
            })
        });
        let control = patch(&shaders.control, |line| {
            line.contains("OutputVertices").then(|| format!("{line}\n{moved}"))
        });
        let pipeline = Pipeline::of_shaders(Shaders { control, evaluation, ..shaders }, false);
        for driver in DRIVERS {
            let [found, expected] = [&pipeline, &expected].map(|one| run(one, driver, ITEM).1);
            assert!(found == expected, "{driver:?} {domain}");
        }
    }
}
