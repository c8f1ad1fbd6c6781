//! Images that show the position and depth of primitives, which depend only on the stages before rasterization.

use crate::record::Placement;
use crate::verdict::{Difference, Part, Stop, Value};
use polyshade_vulkan::{Counts, Draw, Outcome, Stage, Target, Work, vk};

const SIDE: u32 = 64;

/// The bytes of a pixel: a float for the depth or another value, and a float for the facing, which is 0 if uncovered.
const PIXEL: usize = 8;

/// Adds a fragment stage and a target to a draw of the stages before rasterization.
pub(crate) fn rasterize<'w>(
    draw: &mut Draw<'w>,
    topology: vk::PrimitiveTopology,
    fragment: &'w [u32],
    work: &mut Work<'w>,
) {
    draw.stages.push(Stage::fragment(fragment));
    draw.topology = topology;
    draw.target = Some(work.targets.len());
    work.targets.push(Target::new(vk::Format::R32G32_SFLOAT, SIDE, SIDE));
}

/// The maximum number of primitives per placement and topology that are drawn.
const MOST: usize = 12;

/// The topologies, and the number of vertices per primitive.
const TOPOLOGIES: [(vk::PrimitiveTopology, u32); 2] =
    [(vk::PrimitiveTopology::TRIANGLE_LIST, 3), (vk::PrimitiveTopology::LINE_LIST, 2)];

/// A primitive that is drawn in a separate draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Primitive {
    pub(crate) topology: vk::PrimitiveTopology,
    /// The vertices of the primitive, in one instance.
    pub(crate) placement: Placement,
}

impl Primitive {
    /// Returns the vertex index and instance index of each vertex.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let Placement { first_vertex, vertices, first_instance, .. } = self.placement;
        (first_vertex..first_vertex + vertices).map(move |vertex| (vertex, first_instance))
    }
}

pub(crate) fn primitives(placement: Placement) -> Vec<Primitive> {
    let (first, instances) = (placement.first_vertex, placement.ranges().1);
    let mut primitives = Vec::new();
    for (topology, vertices) in TOPOLOGIES {
        let firsts = (0..placement.vertices / vertices).map(|number| first + number * vertices);
        let all = instances.clone().flat_map(|first_instance| {
            firsts.clone().map(move |first_vertex| Placement {
                first_vertex,
                vertices,
                first_instance,
                instances: 1,
            })
        });
        primitives.extend(all.take(MOST).map(|placement| Primitive { topology, placement }));
    }
    primitives
}

/// Whether all drivers can draw a position in reasonable time. SwiftShader takes minutes for lines far outside the
/// viewport.
pub(crate) fn is_drawable(position: [f32; 4]) -> bool {
    position.iter().all(|value| value.abs() <= 1e4) && position[3].abs() >= 1e-4
}

/// Whether no edge of a primitive passes through (0, 0, 0, 0), which does not project to the screen. Rounding decides
/// where drivers clip such an edge.
pub(crate) fn has_place(positions: &[[f32; 4]]) -> bool {
    let dot = |one: &[f32; 4], other: &[f32; 4]| -> f64 {
        one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
    };
    positions.iter().all(|one| {
        positions.iter().all(|other| {
            let (along, most) = (dot(one, other), dot(one, one) * dot(other, other));
            along >= 0.0 || along * along < most * (1.0 - 1e-6)
        })
    })
}

fn covered(image: &[u8]) -> u64 {
    image.chunks_exact(PIXEL).filter(|pixel| seen(pixel).is_some()).count() as u64
}

/// The contents of a covered pixel.
#[derive(Debug, Clone, Copy)]
struct Seen {
    depth: f32,
    /// 1 for front faces, 2 for back faces.
    side: f32,
}

fn seen(pixel: &[u8]) -> Option<Seen> {
    let float =
        |at: usize| f32::from_ne_bytes([pixel[at], pixel[at + 1], pixel[at + 2], pixel[at + 3]]);
    let [depth, side] = [0, 4].map(float);
    (side != 0.0).then_some(Seen { depth, side })
}

/// The precision of a comparison of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// Every pixel is equal bit for bit.
    Exact,
    /// Coverage and facing are equal except at edges. There, each covered pixel has a covered pixel of the other
    /// image nearby. All pixels of a line are at an edge.
    AwayFromEdges,
    /// As `AwayFromEdges`, and values are nearly equal, too. At edges, values are near the neighbouring pixels'
    /// values, because the two shaders may clip to different vertices.
    Near,
}

/// The tolerance of values, as a fraction of the largest value in an image.
const NEAR: f32 = 1.0 / 256.0;

/// The number of edge pixels that may lack a match nearby, or may have a value that is not near a neighbouring
/// pixel's value. A clipped primitive may be smaller than a driver's precision, and primitives may overlap.
const ODD: usize = 2;

/// The images and the query results of each draw.
pub(crate) type Images = (Outcome, Vec<Counts>);

/// Compares images, which have the names `titles`, and also the query results if they must be equal. Returns the
/// number of covered pixels.
pub(crate) fn compare(
    part: Part,
    [right, found]: [&Images; 2],
    exactness: Exactness,
    titles: impl IntoIterator<Item = String>,
) -> Result<u64, Stop> {
    let mut pixels = 0;
    let images = right.0.targets.iter().zip(&found.0.targets);
    let counts = right.1.iter().zip(&found.1);
    for (title, ((one, other), counts)) in titles.into_iter().zip(images.zip(counts)) {
        let difference = difference(part, one, other, exactness);
        let difference = difference.or_else(|| miscounted(part, counts, exactness));
        if let Some(difference) = difference {
            return Err(Difference { draw: Some(title), ..difference }.into());
        }
        pixels += covered(one);
    }
    Ok(pixels)
}

/// Whether the two images of each pair are equal except at edges.
pub(crate) fn are_alike([one, other]: [&Images; 2]) -> Vec<bool> {
    let images = one.0.targets.iter().zip(&other.0.targets);
    let exactness = Exactness::AwayFromEdges;
    let differ = |(one, other): (&Vec<u8>, &Vec<u8>)| difference(Part::Host, one, other, exactness);
    images.map(|pair| differ(pair).is_none()).collect()
}

/// Returns the difference of query results, in an exact comparison.
fn miscounted(
    part: Part,
    (right, found): (&Counts, &Counts),
    exactness: Exactness,
) -> Option<Difference> {
    let clipping = right.clipping.zip(found.clipping).filter(|(one, other)| one != other);
    if exactness != Exactness::Exact || right.samples == found.samples && clipping.is_none() {
        return None;
    }
    Some(Difference::new(part, format!("queries count {found:?}, not {right:?}")))
}

/// Returns the first pixel that differs.
fn difference(part: Part, right: &[u8], found: &[u8], exactness: Exactness) -> Option<Difference> {
    let pixels = right.chunks_exact(PIXEL).zip(found.chunks_exact(PIXEL));
    let mut odd = 0;
    let values = right.chunks_exact(PIXEL).filter_map(|pixel| Some(seen(pixel)?.depth));
    let values = values.filter(|value| value.is_finite());
    let most = values.fold(0.0, |most: f32, value| most.max(value.abs()));
    (0..).zip(pixels).find_map(|(number, (one, other))| {
        let at = (number % SIDE, number / SIDE);
        let (one, other) = (seen(one), seen(other));
        let error = match exactness {
            Exactness::Exact => 0.0,
            Exactness::AwayFromEdges => f32::INFINITY,
            Exactness::Near => NEAR * most,
        };
        let same = match (one, other) {
            _ if exactness == Exactness::Exact => is_same(one, other),
            (None, None) => true,
            (Some(one), Some(other)) if is_between([one], other, error) => true,
            _ => {
                let is_odd = match other {
                    Some(other) => {
                        // The value may match the same pixel, or lie between the values of the pixels around it.
                        let around = around(SIDE, at).filter_map(|at| seen_at(right, at));
                        !is_between(around, other, error)
                    }
                    None => !around(SIDE, at).any(|at| is_covered(found, at)),
                };
                odd += usize::from(is_odd);
                is_edge(SIDE, at, |at| is_covered(right, at)) && odd <= ODD
            }
        };
        if same {
            return None;
        }
        Some(Difference {
            pixel: Some(at),
            expected: Some(value(one)),
            found: Some(value(other)),
            ..Difference::new(part, "the images differ")
        })
    })
}

/// Whether a value lies within the range of the values `seen` that have the same facing, up to an error.
fn is_between(seen: impl IntoIterator<Item = Seen>, other: Seen, error: f32) -> bool {
    let seen = seen.into_iter().filter(|one| one.side == other.side);
    let range = seen
        .map(|one| [one.depth; 2])
        .reduce(|[least, most], [depth, _]| [least.min(depth), most.max(depth)]);
    range.is_some_and(|[least, most]| {
        let is_number = least - error <= other.depth && other.depth <= most + error;
        is_number || least.is_nan() && other.depth.is_nan()
    })
}

fn is_same(one: Option<Seen>, other: Option<Seen>) -> bool {
    let Some((right, found)) = one.zip(other) else { return one.is_none() && other.is_none() };
    let are_none = right.depth.is_nan() && found.depth.is_nan();
    right.side == found.side && (right.depth.to_bits() == found.depth.to_bits() || are_none)
}

fn seen_at(image: &[u8], (x, y): (u32, u32)) -> Option<Seen> {
    let at = (y * SIDE + x) as usize * PIXEL;
    seen(&image[at..at + PIXEL])
}

fn is_covered(image: &[u8], at: (u32, u32)) -> bool {
    seen_at(image, at).is_some()
}

/// A pixel and its neighbours, in an image `side` pixels wide and high.
fn around(side: u32, (x, y): (u32, u32)) -> impl Iterator<Item = (u32, u32)> {
    let around = move |at: u32| at.saturating_sub(1)..=(at + 1).min(side - 1);
    around(y).flat_map(move |y| around(x).map(move |x| (x, y)))
}

/// Whether a pixel has both covered and uncovered neighbours, in an image `side` pixels wide and high.
pub(crate) fn is_edge(side: u32, at: (u32, u32), is_covered: impl Fn((u32, u32)) -> bool) -> bool {
    let mut covered = around(side, at).map(is_covered);
    let first = covered.next();
    covered.any(|covered| Some(covered) != first)
}

fn value(seen: Option<Seen>) -> Value {
    let Some(Seen { depth, side }) = seen else {
        return Value { bits: vec![0], number: "nothing".to_owned() };
    };
    let back = if side == 1.0 { "" } else { " of a back face" };
    Value { bits: vec![depth.to_bits()], number: format!("{depth:?}{back}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes an image of a square with depth 0.5, in which some pixels have another depth or are uncovered.
    fn image(others: &[(u32, u32, Option<f32>)]) -> Vec<u8> {
        let pixel = |number: u32| {
            let (x, y) = (number % SIDE, number / SIDE);
            let inside = (8..24).contains(&x) && (8..24).contains(&y);
            let other = others.iter().find(|other| (other.0, other.1) == (x, y));
            let depth = other.map_or(inside.then_some(0.5), |other| other.2);
            let [z, is_there] = depth.map_or([0.0, 0.0], |depth| [depth, 1.0_f32]);
            [z.to_ne_bytes(), is_there.to_ne_bytes()].concat()
        };
        (0..SIDE * SIDE).flat_map(pixel).collect()
    }

    fn pixel(found: &[u8], exactness: Exactness) -> Option<(u32, u32)> {
        difference(Part::Lowered, &image(&[]), found, exactness)?.pixel
    }

    #[test]
    fn a_pixel_that_is_not_there_or_as_deep_is_seen() {
        assert_eq!(covered(&image(&[])), 256);
        assert_eq!(pixel(&image(&[]), Exactness::Exact), None);
        for other in [None, Some(0.500_001), Some(f32::NAN)] {
            assert_eq!(pixel(&image(&[(8, 9, other)]), Exactness::Exact), Some((8, 9)));
        }
        assert_eq!(pixel(&image(&[(40, 2, Some(0.5))]), Exactness::Exact), Some((40, 2)));
    }

    #[test]
    fn what_queries_count_is_compared_where_edges_are() {
        let counts = |samples, clipping| Counts { samples, clipping };
        let is_other =
            |one, other, exactness| miscounted(Part::Lowered, (&one, &other), exactness).is_some();
        let (one, twice) = (counts(256, Some([1, 1])), counts(512, None));
        assert!(is_other(one, twice, Exactness::Exact));
        assert!(is_other(one, counts(256, Some([1, 2])), Exactness::Exact));
        assert!(!is_other(one, counts(256, None), Exactness::Exact));
        assert!(!is_other(one, twice, Exactness::AwayFromEdges));
    }

    #[test]
    fn edges_may_be_elsewhere_and_nothing_else() {
        let at_edges = image(&[(8, 9, None), (24, 12, Some(0.5)), (12, 12, Some(0.25))]);
        assert_eq!(pixel(&at_edges, Exactness::AwayFromEdges), None);
        let inside = image(&[(12, 12, None)]);
        assert_eq!(pixel(&inside, Exactness::AwayFromEdges), Some((12, 12)));
        let outside = image(&[(40, 2, Some(0.5))]);
        assert_eq!(pixel(&outside, Exactness::AwayFromEdges), Some((40, 2)));
    }

    #[test]
    fn an_edge_through_the_origin_has_no_place() {
        let corner = |scale: f32| [scale, scale, -scale, 0.5 * scale];
        let other = [1.0, 0.0, 0.0, -1.0];
        assert!(has_place(&[corner(1.0), corner(2.0), other]));
        assert!(has_place(&[corner(1.0), [-1.0, -1.0, 1.0, 0.5]]));
        assert!(!has_place(&[other, corner(-1.5), corner(3.8)]));
    }

    #[test]
    fn the_side_that_is_seen_is_compared() {
        let mut turned = image(&[]);
        let at = (12 * SIDE as usize + 12) * PIXEL + 4;
        turned[at..at + 4].copy_from_slice(&2.0_f32.to_ne_bytes());
        for exactness in [Exactness::Exact, Exactness::AwayFromEdges, Exactness::Near] {
            assert_eq!(pixel(&turned, exactness), Some((12, 12)));
        }
    }

    #[test]
    fn values_at_edges_are_those_of_pixels_around_but_for_a_few() {
        let with = |rows: std::ops::Range<u32>| {
            let pixels: Vec<_> = rows.map(|y| (8, y, Some(0.25))).collect();
            pixel(&image(&pixels), Exactness::Near)
        };
        assert_eq!(with(10..12), None);
        assert_eq!(with(10..13), Some((8, 12)));
    }

    #[test]
    fn a_line_is_all_edge_and_may_be_beside_where_it_was_but_not_gone() {
        let line = |row: u32, length: u32| -> Vec<u8> {
            let pixels: Vec<_> = (30..30 + length).map(|x| (x, row, Some(0.5))).collect();
            image(&pixels)
        };
        let difference = |right: &[u8], found: &[u8]| {
            let exactness = Exactness::AwayFromEdges;
            difference(Part::Lowered, right, found, exactness)?.pixel
        };
        assert_eq!(difference(&line(40, 9), &line(41, 9)), None);
        assert_eq!(difference(&line(40, 9), &line(44, 9)), Some((32, 40)));
        assert_eq!(difference(&line(40, 9), &image(&[])), Some((32, 40)));
        assert_eq!(difference(&line(40, 2), &image(&[])), None);
    }
}
