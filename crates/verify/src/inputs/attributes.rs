//! Vertex attributes: random numbers and special values.

use super::control_inputs::{self, MOST_SMALL};
use crate::constants::Specialization;
use crate::leaves::{self, Leaf, ScalarKind};
use crate::random::{Random, Values};
use polyshade::Module;
use polyshade::spv::StorageClass;
use polyshade::spv::view::EntryPoint;
use polyshade_vulkan::{Attribute, VertexLayout, vk};
use std::collections::BTreeMap;

/// The attributes of one input rate: per vertex or per instance.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    pub(crate) layout: VertexLayout,
    /// The elements, beginning with element 0.
    pub(crate) bytes: Vec<u8>,
}

/// The kind of contents of one location.
#[derive(Debug, Clone, Copy)]
struct Location {
    number: u32,
    kind: ScalarKind,
    bits: u32,
    components: u32,
    /// If the numbers must be small, their exclusive upper limit.
    small: Option<u32>,
    /// Whether the shader uses the bits as floats.
    is_float: bool,
}

/// The number of vertices of a triangle. For blending, the first five triangles get the colours that `corner`
/// returns.
const TRIANGLE: u32 = 3;

/// The random number purpose for the colours that `corner` returns.
const CORNER: u64 = 1 << 43;

const FLOATS: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    1e-30,
    -1e-30,
    1e30,
    -1e30,
    3.402_823_5e38,
    1.175_494_4e-38,
    1e-40,
    -1e-45,
    f32::INFINITY,
    f32::NEG_INFINITY,
];
const DOUBLES: [f64; 8] = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, 0.1, 5e-324];
/// Integers that include the bits of infinities and of quiet and signalling NaNs, which copies must keep.
const INTEGERS: [u32; 12] = [
    0,
    1,
    2,
    0xffff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7f80_0001,
    0x7fc1_2345,
    0xffa5_a5a5,
    0x7f81_2345,
];

/// Makes streams of `count` elements with the inputs of the stage `entry`, or returns why that is impossible.
pub(crate) fn streams(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    specialization: &Specialization,
    (values, seed): (Values, u64),
    count: u32,
) -> Result<Vec<Stream>, String> {
    let leaves = leaves::leaves(m, entry, StorageClass::INPUT, specialization)?;
    let mut locations = BTreeMap::new();
    for leaf in leaves.iter().filter(|leaf| leaf.builtin.is_none()) {
        let control_use = control_inputs::control_use(m, leaf.variable, specialization);
        let small = control_use.controls.then_some(control_use.end());
        add(&mut locations, leaf, (small, control_use.is_float))?;
    }
    // The host may choose the input rate. Here every fourth location is per instance.
    let rate = |location: u32| match location % 4 {
        3 => vk::VertexInputRate::INSTANCE,
        _ => vk::VertexInputRate::VERTEX,
    };
    let streams = [vk::VertexInputRate::VERTEX, vk::VertexInputRate::INSTANCE].map(|wanted| {
        let of_stream = locations.values().filter(|location| rate(location.number) == wanted);
        let of_stream: Vec<Location> = of_stream.copied().collect();
        (!of_stream.is_empty()).then(|| stream(&of_stream, wanted, (values, seed), count))
    });
    Ok(streams.into_iter().flatten().collect())
}

fn add(
    locations: &mut BTreeMap<u32, Location>,
    leaf: &Leaf,
    (small, is_float): (Option<u32>, bool),
) -> Result<(), String> {
    let Some((number, component)) = leaf.register else {
        return Err(format!("input {} has no location", leaf.title()));
    };
    let (ScalarKind::Float | ScalarKind::Int | ScalarKind::Uint, 32 | 64) = (leaf.kind, leaf.bits)
    else {
        return Err(format!("input {} has {} bits", leaf.title(), leaf.bits));
    };
    let components = component / leaf.bits.div_ceil(32) + leaf.count;
    let new = Location { number, kind: leaf.kind, bits: leaf.bits, components, small, is_float };
    let here = locations.entry(number).or_insert(new);
    if (here.kind, here.bits) != (new.kind, new.bits) || components > 4 {
        return Err(format!("the inputs at location {number} do not fit into one vertex format"));
    }
    here.components = here.components.max(components);
    here.small = here.small.into_iter().chain(small).min();
    here.is_float |= is_float;
    Ok(())
}

fn stream(
    locations: &[Location],
    rate: vk::VertexInputRate,
    (values, seed): (Values, u64),
    count: u32,
) -> Stream {
    // First the layout of the attributes.
    let mut stride = 0_u32;
    let mut attributes = Vec::new();
    for what in locations {
        let size = what.bits / 8;
        stride = stride.next_multiple_of(size);
        let format = format(what.kind, what.bits, what.components);
        attributes.push(Attribute { location: what.number, format, offset: stride });
        stride += size * what.components;
    }
    // Then the contents.
    let stride = stride.next_multiple_of(8);
    let mut bytes = vec![0; (stride * count) as usize];
    for (what, attribute) in locations.iter().zip(&attributes) {
        let mut random = Random::of(values, seed, u64::from(what.number));
        for element in 0..count {
            let value = match (distance(*what, element, &random), element / TRIANGLE) {
                (Some(distance), _) => distance.to_ne_bytes().repeat(what.components as usize),
                (None, 0..5) if random.is_of_colours() => {
                    corner(*what, element, &mut Random::of(values, seed, CORNER))
                }
                _ if !random.is_of_colours() && random.below(4) == 0 => {
                    value(*what, &mut random).repeat(what.components as usize)
                }
                _ => (0..what.components).flat_map(|_| value(*what, &mut random)).collect(),
            };
            let at = (element * stride + attribute.offset) as usize;
            bytes[at..at + value.len()].copy_from_slice(&value);
        }
    }
    Stream { layout: VertexLayout { stride, rate, attributes }, bytes }
}

/// Returns a colour at a branch of the blend equations. The components are 0, ½ and 1 or a grey, or smaller
/// components with alpha ½, or components that formats clamp. Neighbouring locations get different colours.
fn corner(what: Location, element: u32, random: &mut Random) -> Vec<u8> {
    if (what.kind, what.bits) != (ScalarKind::Float, 32) {
        return (0..what.components).flat_map(|_| value(what, random)).collect();
    }
    let (triangle, vertex) = (element / TRIANGLE, element % TRIANGLE);
    let is_flat = triangle > 2;
    let first = random.below(3) + what.number + if is_flat { 0 } else { vertex };
    let turned = |parts: [f32; 3]| [0, 1, 2].map(|part| parts[(first + part) as usize % 3]);
    let ([r, g, b], [x, y, z]) = (turned([0.0, 0.5, 1.0]), turned([-0.25, 1.5, 0.75]));
    // Opaque colours come last, because the destination alpha stays 1 after them.
    let colour = match triangle {
        0 => [r / 2.0, g / 2.0, b / 2.0, 0.5],
        1 => [x, y, z, 1.25],
        2 | 3 => [r, g, b, 1.0],
        _ => [r, r, r, 1.0],
    };
    colour.into_iter().take(what.components as usize).flat_map(f32::to_ne_bytes).collect()
}

/// Returns the value of all floats of an element, for tests of distances; `None` for inputs that control the shader.
fn distance(what: Location, element: u32, random: &Random) -> Option<f32> {
    let is_free = (what.kind, what.bits, what.small) == (ScalarKind::Float, 32, None);
    random.distance(element).filter(|_| is_free)
}

fn value(what: Location, random: &mut Random) -> Vec<u8> {
    if let (ScalarKind::Float, 32, Some(colour)) = (what.kind, what.bits, random.colour()) {
        return colour.to_ne_bytes().to_vec();
    }
    let is_edge = random.below(4) == 0;
    let is_float = what.bits == 32 && (what.kind == ScalarKind::Float || what.is_float);
    if random.is_of_normals() && is_float && what.small.is_none() {
        let is_taken = if random.is_of_moderates() { is_moderate } else { is_plain };
        let edge = is_edge.then(|| random.one_of(&FLOATS)).filter(|float| is_taken(*float));
        return edge.unwrap_or_else(|| random.number() as f32).to_ne_bytes().to_vec();
    }
    let small = random.below(what.small.unwrap_or(MOST_SMALL));
    match (what.kind, what.bits) {
        (ScalarKind::Float, 32) if what.small.is_some() => (small as f32).to_ne_bytes().to_vec(),
        (ScalarKind::Float, 32) if is_edge => random.one_of(&FLOATS).to_ne_bytes().to_vec(),
        (ScalarKind::Float, 32) => (random.number() as f32).to_ne_bytes().to_vec(),
        (ScalarKind::Float, _) if what.small.is_some() => f64::from(small).to_ne_bytes().to_vec(),
        (ScalarKind::Float, _) if is_edge => random.one_of(&DOUBLES).to_ne_bytes().to_vec(),
        (ScalarKind::Float, _) => random.number().to_ne_bytes().to_vec(),
        (_, 64) if is_edge && what.small.is_none() => random.bits().to_ne_bytes().to_vec(),
        (_, 64) => u64::from(small).to_ne_bytes().to_vec(),
        _ if random.is_of_normals() && what.is_float => 0_u32.to_ne_bytes().to_vec(),
        _ if what.small.is_some() => small.to_ne_bytes().to_vec(),
        _ if random.below(2) == 0 => random.one_of(&INTEGERS).to_ne_bytes().to_vec(),
        _ => random.below(100).to_ne_bytes().to_vec(),
    }
}

/// Whether neither a float nor its product or quotient with a small number is a denormal.
fn is_plain(float: f32) -> bool {
    float == 0.0 || float.is_infinite() || (1e-35..1e35).contains(&float.abs())
}

/// Whether neither a float nor its square is a denormal or infinite.
fn is_moderate(float: f32) -> bool {
    float == 0.0 || (1e-18..1e18).contains(&float.abs())
}

/// Returns the format with 1 to 4 components of this type and width.
pub(crate) fn format(kind: ScalarKind, bits: u32, components: u32) -> vk::Format {
    let of_one = match (kind, bits) {
        (ScalarKind::Float, 64) => vk::Format::R64_SFLOAT,
        (ScalarKind::Int, 64) => vk::Format::R64_SINT,
        (_, 64) => vk::Format::R64_UINT,
        (ScalarKind::Float, _) => vk::Format::R32_SFLOAT,
        (ScalarKind::Int, _) => vk::Format::R32_SINT,
        _ => vk::Format::R32_UINT,
    };
    // `vk::Format` has values for three types per number of components.
    vk::Format::from_raw(of_one.as_raw() + 3 * (components as i32 - 1))
}
