//! The triangles of a patch cover its domain once, without gaps.

use super::pipeline::{Native, Pipeline};
use super::random::level;
use super::shaders::Modes;
use super::{ITEM, LEVELS, NATIVE_ROOM, PATCHES, SPACINGS, areas, modes, patches, run};
use crate::drivers::{DRIVERS, Driver};
use crate::noise::Noise;
use std::collections::BTreeSet;

/// A side of a domain, where one coordinate is constant: the number and the value of the coordinate.
type Side = (usize, f32);

fn sides(domain: &str) -> &'static [Side] {
    match domain {
        "quads" => &[(0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0)],
        _ => &[(0, 0.0), (1, 0.0), (2, 0.0)],
    }
}

/// Returns the point of a side that is as far from the other end.
fn mirrored(domain: &str, (constant, _): Side, mut point: [f32; 3]) -> [f32; 3] {
    match domain {
        "quads" => point[1 - constant] = 1.0 - point[1 - constant],
        _ => point.swap((constant + 1) % 3, (constant + 2) % 3),
    }
    point
}

/// Returns -1 for patches of clockwise triangles where v increases upwards, otherwise 1.
pub(super) fn orientation(vertices: &[[f32; 3]]) -> f64 {
    areas(vertices).iter().sum::<f64>().signum()
}

/// Checks that triangles with this orientation cover the domain. An edge inside the domain must belong to a triangle on
/// each side, and both ends of each side of the domain must have the same points.
pub(super) fn check(domain: &str, vertices: &[[f32; 3]], orientation: f64) -> Result<(), String> {
    // Coordinates are multiples of 2⁻²⁴, so areas and their sum are exact.
    let areas = areas(vertices);
    if let Some(number) = areas.iter().position(|area| area * orientation <= 0.0) {
        let corners = &vertices[3 * number..][..3];
        return Err(format!("the triangle {corners:?} has the area {}", areas[number]));
    }
    let (area, expected) =
        (areas.iter().sum::<f64>().abs(), if domain == "quads" { 2.0 } else { 1.0 });
    if area != expected {
        return Err(format!("the area is {area}, not {expected}"));
    }
    let bits = |point: [f32; 3]| point.map(f32::to_bits);
    let edges = vertices.chunks_exact(3);
    let edges = edges.flat_map(|corners| [0, 1, 2].map(|at| [corners[at], corners[(at + 1) % 3]]));
    let edges: Vec<[[f32; 3]; 2]> = edges.collect();
    let directed: BTreeSet<_> = edges.iter().map(|edge| edge.map(bits)).collect();
    if directed.len() != edges.len() {
        return Err("triangles overlap".to_owned());
    }
    for [from, to] in edges {
        let is_on = |(coordinate, value): &&Side| {
            [from, to].iter().all(|point| point[*coordinate] == *value)
        };
        let partner = match sides(domain).iter().find(is_on) {
            Some(side) => [to, from].map(|point| mirrored(domain, *side, point)),
            None => [to, from],
        };
        if !directed.contains(&partner.map(bits)) {
            return Err(format!("the edge {from:?} to {to:?} has no partner"));
        }
    }
    Ok(())
}

/// Returns patches with the levels of the other tests and with random levels.
fn all_modes(domain: &'static str, spacing: &'static str, order: &'static str) -> Modes {
    let mut noise = Noise::new();
    let mut levels = LEVELS.to_vec();
    levels.resize_with(PATCHES, || [0; 6].map(|_| level(&mut noise)));
    Modes { order, levels, ..modes(domain, spacing) }
}

#[test]
fn triangles_cover_the_domain() {
    for domain in ["triangles", "quads"] {
        for (spacing, order) in SPACINGS.iter().flat_map(|one| ["cw", "ccw"].map(|two| (*one, two)))
        {
            let modes = all_modes(domain, spacing, order);
            let native = patches(&Native::new(&modes).capture(ITEM, NATIVE_ROOM));
            for (lower_left, sign) in [(false, 1.0), (true, -1.0)] {
                let pipeline = Pipeline::of_shaders(modes.shaders(), lower_left);
                for driver in DRIVERS {
                    let found = patches(&run(&pipeline, driver, ITEM).1);
                    for (patch, vertices) in &found {
                        let expected = sign * orientation(&native[patch]);
                        check(domain, vertices, expected).unwrap_or_else(|error| {
                            panic!("{driver:?} {domain} {spacing} {order} {patch:?}: {error}")
                        });
                    }
                }
            }
        }
    }
}

#[test]
fn gaps_are_noticed() {
    for domain in ["triangles", "quads"] {
        let modes = Modes { levels: vec![[6.0; 6]], ..modes(domain, "fractional_odd_spacing") };
        let pipeline = Pipeline::new(&modes);
        let found = patches(&run(&pipeline, Driver::Lavapipe, ITEM).1);
        let vertices = found.values().next().expect("there is a patch");
        let sign = orientation(vertices);
        check(domain, vertices, sign).expect("the patch has no gaps");
        let is_noticed = |change: fn(&mut Vec<[f32; 3]>)| {
            let mut changed = vertices.clone();
            change(&mut changed);
            check(domain, &changed, sign).is_err()
        };
        assert!(check(domain, vertices, -sign).is_err());
        // A missing triangle, a reversed one, and one in the place of another.
        assert!(is_noticed(|vertices| vertices.truncate(vertices.len() - 3)));
        assert!(is_noticed(|vertices| vertices.swap(0, 1)));
        assert!(is_noticed(|vertices| vertices.copy_within(0..3, 3)));
        // A point in the middle of the patch that differs in one of its triangles.
        assert!(is_noticed(|vertices| {
            let last = vertices.len() - 1;
            vertices[last][0] += 1.0 / 16_777_216.0;
        }));
        // A point of an edge that moves in all triangles.
        assert!(is_noticed(|vertices| {
            let is_inside = |point: &&[f32; 3]| point[0] == 0.0 && point[1] > 0.0 && point[1] < 1.0;
            let moved = *vertices.iter().find(is_inside).expect("the edge has several segments");
            for vertex in vertices.iter_mut().filter(|vertex| **vertex == moved) {
                vertex[1] += 1.0 / 16_777_216.0;
                vertex[2] -= if vertex[2] > 0.0 { 1.0 / 16_777_216.0 } else { 0.0 };
            }
        }));
    }
}
