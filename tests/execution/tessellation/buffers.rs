//! Too small buffers and wrong host parameters have no effects outside the buffers.

use super::pipeline::{Item, Pipeline, Tessellated};
use super::shaders::{CONTROL_POINTS, Modes, WORDS};
use super::{DOMAINS, ITEM, PATCHES, modes, run};
use crate::controls::patch;
use crate::drivers::{DRIVERS, Driver};
use crate::noise::Noise;
use crate::sweep::pick;
use polyshade::transform_feedback::Layout;

/// The place of the needed numbers of points and indices in the table, of the number of patches that fit, and of the
/// numbers before each patch.
const NEEDED: usize = Layout::NEEDED_OFFSET as usize / 4;
const FITTING: usize = NEEDED + 2;
const SUMS: usize = 16;

/// Tessellates with room for some points and indices. Checks that the draw consists of the patches that fit.
fn draws_what_fits(
    pipeline: &Pipeline,
    driver: Driver,
    (whole, captured): &(Tessellated, Vec<u32>),
    [points, indices]: [u32; 2],
) {
    let mut given = pipeline.ample(ITEM);
    // No buffer is empty.
    let indices = indices.max(1);
    [given.sizes[2], given.sizes[3]] = [12 * u64::from(points), 4 * u64::from(indices)];
    let made = pipeline.tessellate(driver, ITEM, &given);
    let sums: Vec<&[u32]> = whole.table[SUMS..][..2 * (PATCHES + 1)].chunks(2).collect();
    let fits = |sums: &&[u32]| sums[0] <= points && sums[1] <= indices;
    let fitting = sums.iter().rposition(fits).expect("no patch fits always");
    assert_eq!(made.table[FITTING] as usize, fitting, "{driver:?} {points} {indices}");
    assert_eq!(made.table[NEEDED..FITTING], whole.table[NEEDED..FITTING]);
    assert_eq!(made.table[0], sums[fitting][1]);
    let found = pipeline.capture(driver, &made);
    let expected = &captured[..WORDS * sums[fitting][1] as usize];
    assert!(found == expected, "{driver:?} {points} {indices}");
}

#[test]
fn patches_that_do_not_fit_are_dropped() {
    for domain in DOMAINS {
        let modes = modes(domain, "fractional_even_spacing");
        let pipeline = Pipeline::new(&modes);
        for driver in DRIVERS {
            let whole = run(&pipeline, driver, ITEM);
            let table = &whole.0.table;
            assert_eq!(table[NEEDED..FITTING], table[SUMS + 2 * PATCHES..][..2]);
            let [all_points, all_indices] = [table[NEEDED], table[NEEDED + 1]];
            for patch in [0, 1, 9, PATCHES] {
                let [points, indices] = [0, 1].map(|at| table[SUMS + 2 * patch + at]);
                for less in [0, 1] {
                    let points = points.saturating_sub(less);
                    draws_what_fits(&pipeline, driver, &whole, [points, all_indices]);
                    let indices = indices.saturating_sub(less);
                    draws_what_fits(&pipeline, driver, &whole, [all_points, indices]);
                }
            }
        }
    }
}

/// With a table that is too short, only the first patches count.
#[test]
fn a_short_table_has_the_first_patches() {
    let pipeline = Pipeline::new(&modes("quads", "equal_spacing"));
    for driver in DRIVERS {
        let (whole, captured) = run(&pipeline, driver, ITEM);
        let mut given = pipeline.ample(ITEM);
        for patches in [0, 1, 9] {
            let fewer = Item { vertices: CONTROL_POINTS * patches, instances: 1 };
            given.sizes[1] = pipeline.ample(fewer).sizes[1];
            let made = pipeline.tessellate(driver, ITEM, &given);
            let indices = whole.table[SUMS + 2 * patches as usize + 1];
            assert_eq!([made.table[0], made.table[FITTING]], [indices, patches], "{driver:?}");
            let found = pipeline.capture(driver, &made);
            assert!(found == captured[..WORDS * indices as usize], "{driver:?} {patches}");
        }
    }
}

/// [`Pipeline::tessellate`] checks the bytes around the buffers.
#[test]
fn noise_stays_in_the_buffers() {
    let item = Item { vertices: 2 * CONTROL_POINTS, instances: 2 };
    for (domain, points) in DOMAINS.into_iter().zip([false, true, false]) {
        let levels = vec![[64.0; 6], [f32::INFINITY; 6], [3.0, 7.0, 64.0, 1.0, 64.0, 2.0]];
        let modes = Modes { levels, points, ..modes(domain, "equal_spacing") };
        let pipeline = Pipeline::new(&modes);
        for driver in DRIVERS {
            let mut noise = Noise::new();
            let mut draws = 0;
            for round in 0..32 {
                let mut given = pipeline.ample(item);
                for size in std::iter::once(&mut given.inputs).chain(&mut given.sizes) {
                    let less = 4 * u64::from(noise.below(*size as u32 / 4));
                    *size = pick(&mut noise, &[4, less, *size, *size, *size, *size, *size, *size]);
                }
                given.params.fill_with(|| pick(&mut noise, &[u32::MAX, 1 << 31, 3, 9]));
                if noise.below(4) == 0 {
                    given.params.fill_with(|| noise.word());
                }
                given.groups = pick(&mut noise, &[given.groups, [4, 3, 2], [9, 1, 1]]);
                let made = pipeline.tessellate(driver, item, &given);
                let words = (made.indices.len() / 4).max(1);
                assert!(made.table[0] as usize <= words, "{driver:?} {domain} {round}: {given:?}");
                pipeline.capture(driver, &made);
                draws += u32::from(made.table[0] > 0);
            }
            assert!(draws > 7, "{driver:?} {domain}: only {draws} draws have primitives");
        }
    }
}

#[test]
#[should_panic(expected = "a stage writes beyond its buffer")]
fn stores_outside_a_buffer_are_noticed() {
    let modes = Modes { levels: vec![[1.0; 6]], ..modes("quads", "equal_spacing") };
    let mut pipeline = Pipeline::new(&modes);
    // The stages get a wrong length of the buffer of indices.
    for stage in &mut pipeline.stages[1..] {
        let length = "OpArrayLength %uint %polyshade_indices 0";
        stage.words = patch(&stage.words, |line| {
            line.contains(length).then(|| line.replace(length, "OpCopyObject %uint %uint_64"))
        });
    }
    let item = Item { vertices: CONTROL_POINTS, instances: 1 };
    let mut given = pipeline.ample(item);
    given.sizes[3] = 4;
    pipeline.tessellate(Driver::SwiftShader, item, &given);
}
