//! Compute stages tessellate patches as lavapipe does natively, on both drivers. Where the Vulkan specification leaves
//! the triangulation to the implementation, the result must cover the domain without gaps.

mod pipeline;
mod shaders;

use crate::drivers::{DRIVERS, Driver};
use pipeline::{Item, Native, Pipeline, Tessellated};
use polyshade::transform_feedback::Topology;
use polyshade::transform_feedback::tessellation::{Options, Sizes};
use polyshade_vulkan::vk;
use shaders::{CONTROL_POINTS, Modes, WORDS};
use std::collections::BTreeMap;

pub(crate) fn native(topology: Topology) -> vk::PrimitiveTopology {
    match topology {
        Topology::PointList => vk::PrimitiveTopology::POINT_LIST,
        Topology::LineList => vk::PrimitiveTopology::LINE_LIST,
        _ => vk::PrimitiveTopology::TRIANGLE_LIST,
    }
}

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
    Modes { domain, spacing, order: "ccw", points: false, wide: false, levels: LEVELS.to_vec() }
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

/// The positions of native points: they have 16 bits after the point, and errors add up along an edge.
const TOLERANCE: f32 = 1e-4;

fn is_near(one: &[f32; 3], other: &[f32; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= TOLERANCE)
}

/// Returns the points with different positions. An inner level of just above 1 gives points very close to an edge.
fn points(vertices: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let mut points: Vec<[f32; 3]> = Vec::new();
    for vertex in vertices {
        if !points.iter().any(|point| is_near(point, vertex)) {
            points.push(*vertex);
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

/// Compares the patches with native ones. Without `positions`, compares only the numbers of points and vertices.
fn compare(
    found: &Patches,
    expected: &Patches,
    (corners, positions): (usize, bool),
) -> Result<(), String> {
    if !found.keys().eq(expected.keys()) {
        return Err(format!("patches {:x?}, not {:x?}", found.keys(), expected.keys()));
    }
    for ((patch, found), expected) in found.iter().zip(expected.values()) {
        if found.len() != expected.len() {
            return Err(format!(
                "patch {patch:x?}: {} vertices, not {}",
                found.len(),
                expected.len()
            ));
        }
        let [one, other] = [points(found), points(expected)];
        if one.len() != other.len() {
            return Err(format!("patch {patch:x?}: {} points, not {}", one.len(), other.len()));
        }
        if !positions {
            continue;
        }
        if let Some(lost) = one.iter().find(|one| !other.iter().any(|other| is_near(one, other))) {
            return Err(format!("patch {patch:x?}: {lost:?} is not a native point"));
        }
        if corners == 3 {
            let sum = |vertices: &[[f32; 3]]| areas(vertices).iter().sum::<f64>();
            if (sum(found) - sum(expected)).abs() > 1e-4 {
                return Err(format!(
                    "patch {patch:x?}: area {}, not {}",
                    sum(found),
                    sum(expected)
                ));
            }
        }
    }
    Ok(())
}

const ITEM: Item = Item { vertices: 3 * 14 + 2, instances: 2 };

fn sizes(pipeline: &Pipeline) -> Sizes {
    pipeline.layout.sizes(ITEM.vertices, ITEM.instances, 64.0)
}

fn run(pipeline: &Pipeline, driver: Driver) -> (Tessellated, Vec<u32>) {
    let made = pipeline.tessellate(driver, ITEM, sizes(pipeline));
    let captured = pipeline.capture(driver, &made);
    (made, captured)
}

#[test]
fn patches_are_divided_as_natively() {
    for (domain, spacing) in DOMAINS.iter().flat_map(|one| SPACINGS.map(|other| (*one, other))) {
        for points in [false, true] {
            let modes = Modes { points, ..modes(domain, spacing) };
            let native = Native::new(&modes).capture(ITEM, 4 << 20);
            let expected = patches(&native);
            let pipeline = Pipeline::new(&modes, &Options::new(CONTROL_POINTS));
            for driver in DRIVERS {
                let (made, captured) = run(&pipeline, driver);
                let positions = spacing == "equal_spacing";
                let result = compare(&patches(&captured), &expected, (modes.corners(), positions));
                result.unwrap_or_else(|error| {
                    panic!("{driver:?} {domain} {spacing} {points}: {error}")
                });
                assert_eq!(captured.len() / WORDS, made.table[0] as usize);
            }
        }
    }
}
