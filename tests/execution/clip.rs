//! Clip and cull distances: pipelines with normalized registers draw the same pictures as handwritten built-in
//! arrays.

mod arrays;
pub(crate) mod chain;
mod emulate;
mod exact;
mod front_ends;
mod hlsl;
mod last;
mod samples;
pub(crate) mod shape;
mod vkd3d;

use crate::drivers::{DRIVERS, Driver};
use crate::noise::Noise;
use chain::{Stages, pictures};
use polyshade::clip_cull::{DistanceKind, DistanceSemantic};
use polyshade_tests::sample::sample;
use polyshade_vulkan::lavapipe_misreads;
use shape::{Chain, Form, Shape, Style};

pub(crate) const CHAINS: [Chain; 4] = [
    Chain { tessellation: false, geometry: false },
    Chain { tessellation: false, geometry: true },
    Chain { tessellation: true, geometry: false },
    Chain { tessellation: true, geometry: true },
];

/// Returns the drivers that support the stages of a chain.
pub(crate) fn drivers(chain: Chain) -> &'static [Driver] {
    if chain.tessellation || chain.geometry { &DRIVERS[..1] } else { &DRIVERS }
}

/// Returns random shapes whose originals the driver draws correctly.
pub(crate) fn shapes(noise: &mut Noise, driver: Driver, chain: Chain, count: usize) -> Vec<Shape> {
    let is_drawn = |shape: &Shape| driver != Driver::Lavapipe || !lavapipe_misreads(shape.counts());
    std::iter::repeat_with(|| Shape::random(noise, chain)).filter(is_drawn).take(count).collect()
}

/// The pictures of one shape, from the lowered stages and from the handwritten stages.
type Pictures = (Vec<Vec<u8>>, Vec<Vec<u8>>);

/// Draws shapes in both styles with every seed.
#[track_caller]
fn draw(
    driver: Driver,
    shapes: &[Shape],
    seeds: &[u32],
    lowered: impl Fn(&Shape) -> Stages,
) -> Vec<Pictures> {
    let lowered: Vec<Stages> = shapes.iter().map(lowered).collect();
    let by_hand: Vec<Stages> = shapes.iter().map(|shape| shape.stages(Style::Arrays)).collect();
    let [lowered, by_hand] = [lowered, by_hand].map(|stages| pictures(driver, &stages, seeds));
    let of_shapes = lowered.chunks(seeds.len()).zip(by_hand.chunks(seeds.len()));
    of_shapes.map(|(lowered, by_hand)| (lowered.to_vec(), by_hand.to_vec())).collect()
}

/// Returns whether the two styles of a shape differ.
#[track_caller]
fn differs(
    driver: Driver,
    shape: &Shape,
    seeds: &[u32],
    lowered: impl Fn(&Shape) -> Stages,
) -> bool {
    let drawn = draw(driver, std::slice::from_ref(shape), seeds, &lowered);
    drawn.iter().any(|(lowered, by_hand)| lowered != by_hand)
}

/// Returns the simplest shape found whose two styles also differ.
#[track_caller]
fn shrink(driver: Driver, mut shape: Shape, seeds: &[u32]) -> Shape {
    // Simplify one property at a time.
    let simpler = |shape: &Shape| -> Vec<Shape> {
        let mut simpler = vec![
            Shape { dynamic: false, ..shape.clone() },
            Shape { read: false, ..shape.clone() },
            Shape { callee: false, ..shape.clone() },
            Shape { sometimes: 8, ..shape.clone() },
        ];
        if shape.form != Form::Array {
            simpler.push(Shape { form: Form::Split, ..shape.clone() });
            for part in 0..shape.parts.len() {
                let mut fewer = shape.clone();
                fewer.parts.remove(part);
                simpler.push(fewer);
            }
        }
        simpler.retain(|other| other != shape && !other.parts.is_empty());
        simpler
    };
    // Repeat while a simpler shape differs.
    while let Some(next) =
        simpler(&shape).into_iter().find(|one| differs(driver, one, seeds, Shape::normalized))
    {
        shape = next;
    }
    shape
}

/// Compares both styles of `shapes` random shapes of a chain, each with `seeds` seeds.
#[track_caller]
fn matrix(chain: Chain, shapes: usize, seeds: u32) {
    let is_drawn = |picture: &&Vec<u8>| picture.iter().any(|byte| *byte != 0);
    for driver in drivers(chain) {
        let mut noise = Noise::new();
        let shapes = self::shapes(&mut noise, *driver, chain, shapes);
        let seeds: Vec<u32> = (0..seeds).map(|_| noise.bits()).collect();
        for some in sample(shapes.chunks(16), 10) {
            let drawn = draw(*driver, some, &seeds, Shape::normalized);
            let count = drawn.iter().flat_map(|(_, by_hand)| by_hand).filter(is_drawn).count();
            assert!(count * 2 > some.len() * seeds.len(), "{driver:?}: {count} pictures are drawn");
            for (shape, (lowered, by_hand)) in some.iter().zip(drawn) {
                if lowered != by_hand {
                    let least = shrink(*driver, shape.clone(), &seeds);
                    panic!("{driver:?}: the pictures differ, at least of {least:#?}");
                }
            }
        }
    }
}

#[test]
fn vertex_and_fragment_stages_draw_what_arrays_by_hand_draw() {
    matrix(CHAINS[0], 640, 1);
}

#[test]
fn geometry_stages_draw_what_arrays_by_hand_draw() {
    matrix(CHAINS[1], 520, 1);
}

#[test]
fn tessellation_stages_draw_what_arrays_by_hand_draw() {
    matrix(CHAINS[2], 480, 1);
}

#[test]
fn all_stages_draw_what_arrays_by_hand_draw() {
    matrix(CHAINS[3], 400, 1);
}

/// Checks that shapes of every chain draw the same after their handwritten arrays were converted and converted back.
#[track_caller]
fn round_trip(seed: u32, lowered: impl Fn(&Shape) -> Stages) {
    for chain in CHAINS {
        for driver in drivers(chain) {
            let mut noise = Noise::new();
            noise.skip(seed);
            let shapes = shapes(&mut noise, *driver, chain, 16);
            let drawn = draw(*driver, &shapes, &[5, 6, 7], &lowered);
            for (shape, (one, by_hand)) in shapes.iter().zip(drawn) {
                assert!(one == by_hand, "{driver:?}: {shape:#?}");
            }
        }
    }
}

#[test]
fn registers_made_of_arrays_are_arrays_again() {
    round_trip(100, Shape::there_and_back);
}

#[test]
fn one_array_made_of_two_is_two_again() {
    round_trip(200, Shape::combined_and_separated);
}

/// Returns the number of shapes whose pictures differ if `lowered` makes the stages.
#[track_caller]
fn differing(driver: Driver, chain: Chain, lowered: impl Fn(&Shape) -> Stages) -> usize {
    let mut noise = Noise::new();
    let mut shapes = shapes(&mut noise, driver, chain, 24);
    shapes.iter_mut().for_each(|shape| shape.read = true);
    let drawn = draw(driver, &shapes, &[1, 2, 3, 4], lowered);
    drawn.iter().filter(|(lowered, by_hand)| lowered != by_hand).count()
}

#[test]
fn kinds_that_are_mistaken_are_seen() {
    let swapped = |shape: &Shape| {
        shape.normalized_with(|semantic| {
            let kind = if semantic.kind == DistanceKind::Clip {
                DistanceKind::Cull
            } else {
                DistanceKind::Clip
            };
            DistanceSemantic { kind, ..semantic }
        })
    };
    for driver in DRIVERS {
        let differing = differing(driver, CHAINS[0], swapped);
        assert!(differing >= 20, "{driver:?}: {differing}");
    }
}

#[test]
fn stages_that_number_differently_are_seen() {
    let shifted = |shape: &Shape| {
        let mut stages = shape.stages(Style::Arrays);
        let last = stages.len() - 1;
        stages[last].1 = shape.fragment_numbered_from_the_end();
        stages
    };
    for driver in DRIVERS {
        let differing = differing(driver, CHAINS[0], shifted);
        assert!(differing >= 12, "{driver:?}: {differing}");
    }
}

#[test]
fn shapes_that_differ_shrink() {
    let mut noise = Noise::new();
    let shape = Shape { read: true, ..Shape::random(&mut noise, CHAINS[0]) };
    assert!(!differs(Driver::Lavapipe, &shape, &[1], Shape::normalized));
    // No simpler shape differs, so the shape is unchanged.
    assert_eq!(shrink(Driver::Lavapipe, shape.clone(), &[1]), shape);
}
