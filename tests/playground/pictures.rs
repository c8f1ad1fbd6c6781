//! Tests of the pictures and captures of the playground page.

use crate::check;
use crate::page::{Bytes, Picture, Pictures, Report};
use libtest_mimic::Failed;

/// Red, green, blue and alpha of a pixel.
type Pixel = [u8; 4];

/// The number of pixels in a picture.
const PIXELS: usize = 256 * 256;

/// The number of words in a vertex of the page, and in a captured vertex, which has a fourth position component.
const GIVEN: usize = 12;
const CAPTURED: usize = 13;

/// The captured words equal the attributes bit for bit.
pub(crate) fn captured_is_what_was_drawn(report: &Report) -> Result<(), Failed> {
    let copied = &report.copied;
    let fault = || copied.fault.clone().unwrap_or_default();
    let captured = words(&copied.captured.as_ref().ok_or_else(fault)?.0);
    let given = words(&copied.given.0);
    check(given.len() > 1000 * GIVEN, || format!("{} words are given", given.len()))?;
    let expected = given.chunks_exact(GIVEN).flat_map(|vertex| {
        let (position, rest) = vertex.split_at(3);
        [position, &[1f32.to_bits()], rest].concat()
    });
    let expected: Vec<u32> = expected.collect();
    check(expected.len() == given.len() / GIVEN * CAPTURED, || "a vertex has a w".to_owned())?;
    let found = &captured[..expected.len()];
    let first = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    check(first.is_none(), || format!("word {first:?} is another"))?;
    // Nothing is stored after the vertices.
    check(captured[expected.len()..].iter().all(|word| *word == 0), || "more is stored".to_owned())
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

fn pixels(bytes: &Bytes) -> Vec<Pixel> {
    let pixels: Vec<Pixel> =
        bytes.0.chunks_exact(4).map(|one| [one[0], one[1], one[2], one[3]]).collect();
    assert_eq!(pixels.len(), PIXELS);
    pixels
}

fn drawn(name: &str, picture: &Picture) -> Result<Vec<Pixel>, Failed> {
    let fault = || format!("{name}: {}", picture.fault.as_deref().unwrap_or("nothing was drawn"));
    Ok(pixels(picture.pixels.as_ref().ok_or_else(fault)?))
}

/// Returns the pictures of the first example of a lowering.
fn example(report: &Report, lowering: &str) -> Result<[Vec<Pixel>; 2], Failed> {
    let pictures = of(report, lowering)?;
    Ok([drawn(lowering, &pictures.before)?, drawn(lowering, &pictures.after)?])
}

fn of<'r>(report: &'r Report, lowering: &str) -> Result<&'r Pictures, Failed> {
    let found = report.pictures.iter().find(|one| one.lowering == lowering);
    Ok(found.ok_or_else(|| format!("no example of {lowering} was drawn"))?)
}

fn is_covered(pixel: &Pixel) -> bool {
    pixel[3] != 0
}

fn covered(pixels: &[Pixel]) -> usize {
    pixels.iter().filter(|pixel| is_covered(pixel)).count()
}

fn differing(one: &[Pixel], other: &[Pixel]) -> usize {
    one.iter().zip(other).filter(|(one, other)| one != other).count()
}

pub(crate) fn all_examples_draw(report: &Report) -> Result<(), Failed> {
    check(!report.pictures.is_empty(), || "nothing was drawn".to_owned())?;
    report.pictures.iter().try_for_each(|pictures| {
        let name = &pictures.lowering;
        check(pictures.fault.is_none(), || format!("{name}: {:?}", pictures.fault))?;
        let [before, after] = [&pictures.before, &pictures.after].map(|one| drawn(name, one));
        let (before, after) = (before?, after?);
        check(covered(&before) > 5000, || format!("{name} draws {}", covered(&before)))?;
        let is_empty = covered(&after) == 0;
        check(is_empty == (name == "discard"), || format!("{name} leaves {}", covered(&after)))
    })
}

pub(crate) fn fetched_attributes_draw_the_same(report: &Report) -> Result<(), Failed> {
    let [before, after] = example(report, "pull")?;
    check(before == after, || format!("{} pixels differ", differing(&before, &after)))?;
    // Other pictures differ.
    let [other, _] = example(report, "clip")?;
    check(differing(&before, &other) > 500, || "all pictures are the same".to_owned())
}

/// The number of fragments at edges that may differ.
const EDGES: usize = 20;

pub(crate) fn emulated_distances_cut_the_same(report: &Report) -> Result<(), Failed> {
    let [whole, cut] = example(report, "planes")?;
    let is_less = covered(&cut) + 1000 < covered(&whole) && covered(&cut) > 1000;
    check(is_less, || format!("{} of {} are left", covered(&cut), covered(&whole)))?;
    let is_within =
        cut.iter().zip(&whole).all(|(cut, whole)| !is_covered(cut) || is_covered(whole));
    check(is_within, || "more is covered than was".to_owned())?;
    let [native, emulated] = example(report, "clip")?;
    let beside = differing(&native, &emulated);
    check(beside <= EDGES, || format!("{beside} pixels differ from the feature's"))?;
    check(differing(&native, &whole) > 500, || "the feature cuts nothing".to_owned())
}

pub(crate) fn positions_are_kept_and_converted(report: &Report) -> Result<(), Failed> {
    let [full, position] = example(report, "position")?;
    let same = full.iter().zip(&position).all(|(one, other)| is_covered(one) == is_covered(other));
    check(same, || "the variant covers other pixels".to_owned())?;
    let [whole, _] = example(report, "planes")?;
    let [half, converted] = example(report, "depth")?;
    check(covered(&half) < covered(&whole), || "OpenGL's depth is WebGPU's".to_owned())?;
    let beside = differing(&converted, &whole);
    check(beside <= EDGES, || format!("{beside} pixels differ from what depth was made of"))
}

/// The tolerance for results that are computed from 8-bit pixels.
const TOLERANCE: f32 = 4.0;

/// The equation `hardlight` of `VK_EXT_blend_operation_advanced`. The equation `overlay` exchanges source and
/// destination.
fn hard_light(source: f32, destination: f32) -> f32 {
    if source <= 0.5 {
        2.0 * source * destination
    } else {
        1.0 - 2.0 * (1.0 - source) * (1.0 - destination)
    }
}

fn overlay(source: f32, destination: f32) -> f32 {
    hard_light(destination, source)
}

pub(crate) fn blending_is_that_of_the_equations(report: &Report) -> Result<(), Failed> {
    let tiles = &of(report, "blend")?.tiles;
    let tile = |name: &str| tiles.get(name).map(pixels).ok_or_else(|| format!("no tile of {name}"));
    let [by_factors, chosen] = example(report, "blend")?;
    let (backdrop, hardlight) = (pixels(&report.backdrop), tile("hardlight")?);
    check(tile("dst")? == backdrop, || "what was there does not stay".to_owned())?;
    check(chosen == hardlight, || "another equation is drawn large".to_owned())?;
    check(differing(&by_factors, &hardlight) > 10_000, || "factors do the same".to_owned())?;

    let over = tile("src-over")?;
    let channels = by_factors.as_flattened().iter().zip(over.as_flattened());
    let farthest = channels.map(|(one, other)| one.abs_diff(*other)).max();
    check(farthest <= Some(1), || format!("src-over is {farthest:?} beside factors"))?;

    let source = tile("src")?;
    let wrong = |equation| wrong(equation, &source, &backdrop, &hardlight);
    let (right, control) = (wrong(hard_light), wrong(overlay));
    check(right == 0, || format!("{right} channels are not of hardlight"))?;
    check(control > 10_000, || format!("overlay is noticed at {control} channels only"))
}

/// Returns the number of wrong channels, for an opaque destination and a premultiplied source.
fn wrong(
    equation: fn(f32, f32) -> f32,
    source: &[Pixel],
    destination: &[Pixel],
    result: &[Pixel],
) -> usize {
    let of_pixel = |at: usize| {
        let alpha = f32::from(source[at][3]) / 255.0;
        (0..3).filter(move |channel| {
            let [multiplied, under, found] =
                [source, destination, result].map(|image| f32::from(image[at][*channel]) / 255.0);
            let straight = (multiplied / alpha).min(1.0);
            let expected = alpha * equation(straight, under) + (1.0 - alpha) * under;
            (expected - found).abs() * 255.0 > TOLERANCE
        })
    };
    // The colour of a nearly transparent source is not precise enough.
    let opaque = (0..PIXELS).filter(|at| source[*at][3] > 127);
    opaque.flat_map(of_pixel).count()
}
