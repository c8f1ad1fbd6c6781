//! Rasterizes triangles as Metal does with one sample per pixel (section 3.2.2 of Metal's guide). A pixel is covered
//! if its centre is inside the triangle, and attributes are interpolated at the centre. In Vulkan's terms, the
//! viewport is flipped.
//!
//! Points are weighted sums of the three vertices in homogeneous coordinates. Triangles therefore need no clipping.
//! Instead, pixels with negative w or outside of the depth range are skipped.

use crate::signature::{CLIP_DISTANCES, FIRST_USER, Interpolation, POSITION};

/// The outputs of a vertex: the position, the clip distances and all other outputs, four words each.
pub(crate) type Vertex<'v> = &'v [[u32; 4]];

/// The maximum number of clip distances of a vertex.
const DISTANCES: usize = 8;

/// The inputs of a fragment function, with their interpolation.
pub(crate) struct Varyings {
    /// For each input, its index in the vertex outputs, counted from [`FIRST_USER`], if the vertex has it.
    pub(crate) of: Vec<(Option<usize>, Interpolation)>,
}

/// How many fragments run together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lanes {
    One,
    /// Four fragments, some of which may be helpers for covered fragments. Derivatives are differences between the
    /// four.
    Quad,
}

/// A triangle in an image.
pub(crate) struct Triangle<'t> {
    pub(crate) corners: [Vertex<'t>; 3],
    /// The width and height of the image.
    pub(crate) size: (u32, u32),
    pub(crate) primitive: u32,
    pub(crate) varyings: &'t Varyings,
}

impl Triangle<'_> {
    /// Returns the fragments, row by row, encoded as input of a program. Each consists of a flag whether it is a
    /// helper, the number of its pixel, its position, a flag whether it is front-facing, the number of its primitive,
    /// and the interpolated inputs.
    pub(crate) fn fragments(&self, lanes: Lanes) -> Vec<Vec<u32>> {
        let position =
            |corner: Vertex<'_>| corner[POSITION].map(|word| f64::from(f32::from_bits(word)));
        let positions = self.corners.map(position);
        let Some(weights) = Weights::of(positions) else { return Vec::new() };
        // Keep a quad if any of its pixels is covered.
        let side = if lanes == Lanes::Quad { 2 } else { 1 };
        let mut fragments = Vec::new();
        for y in (0..self.size.1).step_by(side) {
            for x in (0..self.size.0).step_by(side) {
                let places = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
                let each = places[..side * side].iter();
                let each = each.map(|place| self.fragment(&weights, &positions, *place));
                let each: Vec<_> = each.collect();
                if each.iter().any(|(is_covered, _)| *is_covered) {
                    fragments.extend(each.into_iter().map(|(_, words)| words));
                }
            }
        }
        fragments
    }

    /// Returns a fragment, and whether its pixel is covered.
    fn fragment(
        &self,
        weights: &Weights,
        positions: &[[f64; 4]; 3],
        (x, y): (u32, u32),
    ) -> (bool, Vec<u32>) {
        let (width, height) = self.size;
        let [from_left, from_top] = [x, y].map(|part| f64::from(part) + 0.5);
        let place =
            [2.0 * from_left / f64::from(width) - 1.0, 1.0 - 2.0 * from_top / f64::from(height)];
        let (is_inside, of) = weights.at(place);
        let depth: f64 = (0..3).map(|i| of[i] * positions[i][2]).sum();
        // Perspective-correct weights are the weights divided by their sum, which is 1 / w.
        let inverse: f64 = of.iter().sum();
        let by_place = of.map(|weight| weight / inverse);
        let on_screen = [0, 1, 2].map(|i| of[i] * positions[i][3]);
        let is_kept = |distance: usize| {
            let part = |corner: Vertex<'_>| corner[CLIP_DISTANCES + distance / 4][distance % 4];
            let distances = self.corners.map(|corner| f64::from(f32::from_bits(part(corner))));
            (0..3).map(|i| by_place[i] * distances[i]).sum::<f64>() >= 0.0
        };
        let is_seen = inverse > 0.0 && (0.0..=1.0).contains(&depth);
        let is_covered =
            is_inside && is_seen && x < width && y < height && (0..DISTANCES).all(is_kept);
        // Helper fragments may be outside of the image.
        let pixel = y.min(height - 1) * width + x.min(width - 1);
        // The words of the fragment: its position and primitive, then its inputs.
        let mut words = vec![u32::from(!is_covered), pixel];
        words.extend([from_left, from_top, depth, inverse].map(|part| (part as f32).to_bits()));
        words.extend([u32::from(weights.area < 0.0), self.primitive]);
        for (from, how) in &self.varyings.of {
            let parts = from.map(|from| self.corners.map(|corner| corner[FIRST_USER + from]));
            words.extend(match (parts, how) {
                (None, _) => [0; 4],
                (Some([first, ..]), Interpolation::Flat) => first,
                (Some(parts), Interpolation::Perspective) => mixed(parts, by_place),
                (Some(parts), Interpolation::NoPerspective) => mixed(parts, on_screen),
            });
        }
        (is_covered, words)
    }
}

/// Interpolates floats of the three vertices. Values that are equal in all vertices are kept bit by bit.
fn mixed(parts: [[u32; 4]; 3], weights: [f64; 3]) -> [u32; 4] {
    [0, 1, 2, 3].map(|part| {
        let of = parts.map(|words| words[part]);
        let floats = of.map(|word| f64::from(f32::from_bits(word)));
        match of[0] == of[1] && of[1] == of[2] {
            true => of[0],
            false => ((0..3).map(|i| weights[i] * floats[i]).sum::<f64>() as f32).to_bits(),
        }
    })
}

/// The weights of the vertices as linear functions of a point on the screen.
struct Weights {
    /// The factors of x, y and 1, for each vertex.
    of: [[f64; 3]; 3],
    /// Twice the area on the screen if all vertices have positive w; positive if they are counter-clockwise.
    area: f64,
}

impl Weights {
    /// Returns the weights for a triangle; `None` if it has no area on the screen.
    fn of(positions: [[f64; 4]; 3]) -> Option<Weights> {
        let [a, b, c] = positions.map(|[x, y, _, w]| [x, y, w]);
        let rows = [cross(b, c), cross(c, a), cross(a, b)];
        let area: f64 = (0..3).map(|i| a[i] * rows[0][i]).sum();
        (area.is_finite() && area != 0.0)
            .then(|| Weights { of: rows.map(|row| row.map(|part| part / area)), area })
    }

    /// Returns the weights at a point, and whether the point is inside. A point on an edge is treated as if it were
    /// moved slightly to the right, and much less upwards, so that triangles with a common edge share no pixel.
    fn at(&self, [x, y]: [f64; 2]) -> (bool, [f64; 3]) {
        let weights = self.of.map(|[by_x, by_y, rest]| by_x * x + by_y * y + rest);
        let is_inside = weights.iter().zip(self.of).all(|(weight, [by_x, by_y, _])| {
            *weight > 0.0 || *weight == 0.0 && (by_x > 0.0 || by_x == 0.0 && by_y > 0.0)
        });
        (is_inside, weights)
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| {
        let (next, last) = ((i + 1) % 3, (i + 2) % 3);
        a[next] * b[last] - a[last] * b[next]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a vertex at a position, with one additional output.
    fn vertex(position: [f32; 4], value: f32) -> [[u32; 4]; FIRST_USER + 1] {
        [position, [0.0; 4], [0.0; 4], [value; 4]].map(|words| words.map(f32::to_bits))
    }

    fn drawn(corners: &[[[u32; 4]; 4]; 3], how: Interpolation) -> Vec<Vec<u32>> {
        lanes(corners, how, Lanes::One)
    }

    fn lanes(corners: &[[[u32; 4]; 4]; 3], how: Interpolation, lanes: Lanes) -> Vec<Vec<u32>> {
        let varyings = &Varyings { of: vec![(Some(0), how)] };
        let corners = corners.each_ref().map(|corner| &corner[..]);
        Triangle { corners, size: (8, 8), primitive: 5, varyings }.fragments(lanes)
    }

    /// Returns two triangles that fill the image, with arbitrary w.
    fn halves(w: [f32; 4]) -> [[[[u32; 4]; 4]; 3]; 2] {
        let corner = |i: usize| {
            let [x, y] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]][i];
            vertex([x * w[i], y * w[i], 0.5 * w[i], w[i]], i as f32)
        };
        [[0, 1, 2].map(corner), [3, 2, 1].map(corner)]
    }

    #[test]
    fn triangles_that_share_an_edge_share_no_pixel_and_leave_none_out() {
        for w in [[1.0; 4], [1.0, 2.0, 2.0, 5.0]] {
            let [one, other] = halves(w).map(|half| drawn(&half, Interpolation::Perspective));
            let mut pixels: Vec<u32> = one.iter().chain(&other).map(|words| words[1]).collect();
            pixels.sort_unstable();
            assert_eq!(pixels, (0..64).collect::<Vec<_>>());
            // Both triangles are counter-clockwise.
            assert!(one.iter().chain(&other).all(|words| words[6..8] == [0, 5]));
        }
    }

    #[test]
    fn values_are_interpolated_by_place_on_the_screen_or_not_at_all() {
        let half = &halves([1.0, 3.0, 1.0, 1.0])[0];
        // The centre of the lower left pixel is a sixteenth of the way to each of the two other corners.
        let value = |how| {
            let all = drawn(half, how);
            let found = all.iter().find(|words| words[1] == 56).expect("it is covered");
            (f32::from_bits(found[8]), f32::from_bits(found[5]))
        };
        let (by_place, inverse) = value(Interpolation::Perspective);
        let (on_screen, _) = value(Interpolation::NoPerspective);
        let near = |one: f32, other: f32| (one - other).abs() < 1e-6;
        assert!(near(inverse, (14.0 + 1.0 / 3.0 + 1.0) / 16.0), "{inverse}");
        assert!(near(by_place, (1.0 / 3.0 + 2.0) / 16.0 / inverse), "{by_place}");
        assert!(near(on_screen, 3.0 / 16.0), "{on_screen}");
        assert_eq!(value(Interpolation::Flat).0, 0.0);
    }

    #[test]
    fn quads_have_all_that_is_covered_and_what_helps() {
        let half = &halves([1.0; 4])[0];
        let (alone, quads) = (
            drawn(half, Interpolation::Perspective),
            lanes(half, Interpolation::Perspective, Lanes::Quad),
        );
        assert!(quads.len().is_multiple_of(4) && quads.len() > alone.len());
        let mut covered: Vec<_> = quads.iter().filter(|words| words[0] == 0).collect();
        covered.sort_by_key(|words| words[1]);
        assert_eq!(covered, alone.iter().collect::<Vec<_>>());
        for quad in quads.chunks(4) {
            let pixels: Vec<u32> = quad.iter().map(|words| words[1] - quad[0][1]).collect();
            assert_eq!(pixels, [0, 1, 8, 9]);
        }
    }

    #[test]
    fn what_is_behind_the_eye_or_clipped_or_too_deep_is_left_out() {
        let mut corners = halves([1.0; 4])[0];
        let all = drawn(&corners, Interpolation::Flat).len();
        corners[1][CLIP_DISTANCES] = [-1.0_f32, 0.0, 0.0, 0.0].map(f32::to_bits);
        corners[0][CLIP_DISTANCES] = [1.0_f32, 0.0, 0.0, 0.0].map(f32::to_bits);
        let clipped = drawn(&corners, Interpolation::Flat).len();
        assert!(clipped > 0 && clipped < all, "{clipped} of {all}");
        corners[0][POSITION][2] = 9.0_f32.to_bits();
        assert!(drawn(&corners, Interpolation::Flat).len() < clipped);
        // The visible part is beyond the edge between the two other vertices, either across the diagonal or outside
        // of the image.
        let seen = |w| drawn(&halves(w)[0], Interpolation::Flat).len();
        assert_eq!(seen([-1.0, 1.0, 1.0, 1.0]), 64 - all);
        assert_eq!(seen([1.0, -1.0, 1.0, 1.0]), 0);
    }
}
