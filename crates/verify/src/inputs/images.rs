//! Images and texel buffers with a few texels.

use super::Given;
use crate::random::Random;
use polyshade::Module;
use polyshade::spv::{Id, Op, Type};
use polyshade_vulkan::vk::{Format as F, ImageViewType as View};
use polyshade_vulkan::{Texture, vk};

/// The width, height and depth of every image.
const SIZE: u32 = 4;
/// The mip levels of sampled images.
const LEVELS: u32 = 3;
/// The number of texels in a texel buffer.
const TEXELS: usize = 64;

const DIM_1D: u32 = 0;
const DIM_2D: u32 = 1;
const DIM_3D: u32 = 2;
const DIM_CUBE: u32 = 3;
const DIM_BUFFER: u32 = 5;
const DIM_SUBPASS: u32 = 6;

/// The signs of texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signs {
    /// Only positive texels, because they are control inputs or colours.
    Positive,
    /// Both signs, if the format is signed.
    Both,
}

/// Makes a small number for one channel of a texel.
type Channel = fn(&mut Random, Signs) -> Vec<u8>;

const FLOAT: Channel = |random, signs| {
    let small = signed(random, signs, 4) as f32;
    random.colour().unwrap_or(small).to_ne_bytes().to_vec()
};
const DEPTH: Channel = |random, _| (random.below(5) as f32 / 4.0).to_ne_bytes().to_vec();
// 0, 1 or -1.
const HALF: Channel = |random, signs| {
    let half = [0xbc00_u16, 0, 0x3c00][(signed(random, signs, 2) + 1) as usize];
    half.to_ne_bytes().to_vec()
};
const UINT: Channel = |random, _| random.below(4).to_ne_bytes().to_vec();
const USHORT: Channel = |random, _| (random.below(4) as u16).to_ne_bytes().to_vec();
const UBYTE: Channel = |random, _| vec![random.below(128) as u8];
const INT: Channel = |random, signs| signed(random, signs, 4).to_ne_bytes().to_vec();
const SHORT: Channel = |random, signs| (signed(random, signs, 4) as i16).to_ne_bytes().to_vec();
const BYTE: Channel = |random, signs| (signed(random, signs, 128) as i8).to_ne_bytes().to_vec();

/// A number whose magnitude is below `end`.
fn signed(random: &mut Random, signs: Signs, end: u32) -> i32 {
    let number = random.below(end) as i32;
    if signs == Signs::Both && random.below(2) == 0 { -number } else { number }
}

/// The texel formats: SPIR-V's value (3.11), Vulkan's format, the number of channels, and how to make a channel.
const TEXELS_OF: [(u32, F, usize, Channel); 15] = [
    (1, F::R32G32B32A32_SFLOAT, 4, FLOAT),
    (2, F::R16G16B16A16_SFLOAT, 4, HALF),
    (3, F::R32_SFLOAT, 1, FLOAT),
    (4, F::R8G8B8A8_UNORM, 4, UBYTE),
    (5, F::R8G8B8A8_SNORM, 4, BYTE),
    (6, F::R32G32_SFLOAT, 2, FLOAT),
    (21, F::R32G32B32A32_SINT, 4, INT),
    (22, F::R16G16B16A16_SINT, 4, SHORT),
    (23, F::R8G8B8A8_SINT, 4, BYTE),
    (24, F::R32_SINT, 1, INT),
    (30, F::R32G32B32A32_UINT, 4, UINT),
    (31, F::R16G16B16A16_UINT, 4, USHORT),
    (32, F::R8G8B8A8_UINT, 4, UBYTE),
    (33, F::R32_UINT, 1, UINT),
    // Depth is not a storage image format, so `of_number` never looks up this entry's number, `Unknown`.
    (0, F::D32_SFLOAT, 1, DEPTH),
];

/// Makes a resource of the image type `ty`, perhaps with a combined sampler, or returns why that is impossible.
pub(crate) fn give(
    m: &Module<'_>,
    ty: Id,
    with_sampler: bool,
    (signs, random): (Signs, &mut Random),
) -> Result<Given, String> {
    let image = m.definition(ty).filter(|inst| inst.op() == Op::TYPE_IMAGE);
    let operands = image.and_then(|inst| inst.words()[2..].first_chunk());
    let [sampled, dimension, is_depth, is_array, is_multisampled, access, number] =
        *operands.ok_or("is not an image")?;
    let [compare, is_array, is_multisampled] =
        [is_depth, is_array, is_multisampled].map(|flag| flag == 1);
    // A storage image, for writes and for reads without a sampler.
    let storage = access == 2;
    let format = match number {
        _ if compare => F::D32_SFLOAT,
        1.. if storage => of_number(number)?,
        _ => of_components(Id::new(sampled).and_then(|ty| m.ty(ty)))?,
    };
    if dimension == DIM_BUFFER {
        let contents = texels(format, TEXELS, (signs, random))?;
        return Ok(Given::Texels { contents, format, storage });
    }
    let (view, height, depth, layers) = shape(dimension, is_array)?;
    // If two devices are compared, one may be the CPU model of Metal, which supports only the first level.
    let levels = if storage || random.is_of_moderates() { 1 } else { LEVELS };
    let texels_of = |level: u32| -> u32 {
        [SIZE, height, depth].into_iter().map(|size| (size >> level).max(1)).product()
    };
    let (samples, levels, count) = match is_multisampled {
        true => (vk::SampleCountFlags::TYPE_4, 1, 1),
        false => {
            let texels = (0..levels).map(texels_of).sum::<u32>();
            (vk::SampleCountFlags::TYPE_1, levels, texels * layers)
        }
    };
    let texture = Texture {
        view,
        format,
        width: SIZE,
        height,
        depth,
        layers,
        levels,
        samples,
        contents: texels(format, count as usize, (signs, random))?,
        storage,
        compare,
    };
    Ok(match (storage, with_sampler) {
        (true, _) => Given::StorageImage(texture),
        (false, true) => Given::ImageWithSampler(texture),
        (false, false) => Given::Image(texture),
    })
}

/// Returns the view type, the height and depth, and the number of layers.
fn shape(dimension: u32, is_array: bool) -> Result<(View, u32, u32, u32), String> {
    Ok(match (dimension, is_array) {
        (DIM_1D, false) => (View::TYPE_1D, 1, 1, 1),
        (DIM_1D, true) => (View::TYPE_1D_ARRAY, 1, 1, 2),
        (DIM_2D, false) => (View::TYPE_2D, SIZE, 1, 1),
        (DIM_2D, true) => (View::TYPE_2D_ARRAY, SIZE, 1, 2),
        (DIM_3D, false) => (View::TYPE_3D, SIZE, SIZE, 1),
        (DIM_CUBE, false) => (View::CUBE, SIZE, 1, 6),
        (DIM_CUBE, true) => (View::CUBE_ARRAY, SIZE, 1, 12),
        (DIM_SUBPASS, _) => return Err("is an input attachment".into()),
        (other, _) => return Err(format!("is an image of the unsupported dimension {other}")),
    })
}

/// Returns the format that the module declares.
fn of_number(number: u32) -> Result<F, String> {
    let found = TEXELS_OF.iter().find(|(own, ..)| *own == number);
    found
        .map(|(_, format, ..)| *format)
        .ok_or_else(|| format!("is an image of the unsupported format {number}"))
}

/// Returns a format with components of the type that the shader reads.
fn of_components(sampled: Option<Type>) -> Result<F, String> {
    match sampled {
        Some(Type::Float { width: 32 }) => Ok(F::R32G32B32A32_SFLOAT),
        Some(Type::Int { width: 32, signed: true }) => Ok(F::R32G32B32A32_SINT),
        Some(Type::Int { width: 32, signed: false }) => Ok(F::R32G32B32A32_UINT),
        _ => Err("is an image whose components are not 32 bits wide".into()),
    }
}

fn texels(
    format: F,
    count: usize,
    (signs, random): (Signs, &mut Random),
) -> Result<Vec<u8>, String> {
    let found = TEXELS_OF.iter().find(|(_, other, ..)| *other == format);
    let unknown = || format!("is an image of the unsupported format {format:?}");
    let (_, _, channels, channel) = *found.ok_or_else(unknown)?;
    Ok((0..count * channels).flat_map(|_| channel(random, signs)).collect())
}
