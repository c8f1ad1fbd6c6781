//! Images and texel buffers, a few texels each.

use super::Given;
use crate::random::Random;
use polyshade::Module;
use polyshade::spv::{Id, Op, Type};
use polyshade_vulkan::{Texture, vk};

/// The width, height and depth of every image.
const SIZE: u32 = 4;
/// The texels of a texel buffer.
const TEXELS: usize = 64;

/// What an `OpTypeImage` says.
struct ImageType {
    sampled: Option<Type>,
    dimension: u32,
    is_depth: bool,
    is_array: bool,
    is_multisampled: bool,
    /// Read without a sampler and written: a storage image.
    is_storage: bool,
    format: u32,
}

const DIM_1D: u32 = 0;
const DIM_2D: u32 = 1;
const DIM_3D: u32 = 2;
const DIM_CUBE: u32 = 3;
const DIM_BUFFER: u32 = 5;
const DIM_SUBPASS: u32 = 6;

/// The formats of texels: SPIR-V's number (3.11), and how many channels there are of what.
const TEXELS_OF: [(u32, vk::Format, usize, Channel); 15] = [
    (1, vk::Format::R32G32B32A32_SFLOAT, 4, Channel::Float),
    (2, vk::Format::R16G16B16A16_SFLOAT, 4, Channel::Half),
    (3, vk::Format::R32_SFLOAT, 1, Channel::Float),
    (4, vk::Format::R8G8B8A8_UNORM, 4, Channel::Byte),
    (5, vk::Format::R8G8B8A8_SNORM, 4, Channel::Byte),
    (6, vk::Format::R32G32_SFLOAT, 2, Channel::Float),
    (21, vk::Format::R32G32B32A32_SINT, 4, Channel::Int),
    (22, vk::Format::R16G16B16A16_SINT, 4, Channel::Short),
    (23, vk::Format::R8G8B8A8_SINT, 4, Channel::Byte),
    (24, vk::Format::R32_SINT, 1, Channel::Int),
    (30, vk::Format::R32G32B32A32_UINT, 4, Channel::Int),
    (31, vk::Format::R16G16B16A16_UINT, 4, Channel::Short),
    (32, vk::Format::R8G8B8A8_UINT, 4, Channel::Byte),
    (33, vk::Format::R32_UINT, 1, Channel::Int),
    // No storage image has depths: `Unknown` is not looked up.
    (0, vk::Format::D32_SFLOAT, 1, Channel::Depth),
];

fn image_type(m: &Module<'_>, id: Id) -> Option<ImageType> {
    let inst = m.definition(id).filter(|inst| inst.op() == Op::TYPE_IMAGE)?;
    let words = inst.words();
    Some(ImageType {
        sampled: Id::new(words[2]).and_then(|ty| m.ty(ty)),
        dimension: words[3],
        is_depth: words[4] == 1,
        is_array: words[5] == 1,
        is_multisampled: words[6] == 1,
        is_storage: words[7] == 2,
        format: words[8],
    })
}

/// A resource of the image type `ty`, with a sampler of its own or without; or why there is none.
pub(crate) fn give(
    m: &Module<'_>,
    ty: Id,
    with_sampler: bool,
    random: &mut Random,
) -> Result<Given, String> {
    let image = image_type(m, ty).ok_or("is no image")?;
    let format = image.format()?;
    if image.dimension == DIM_BUFFER {
        let contents = texels(format, TEXELS, random)?;
        return Ok(Given::Texels { contents, format, storage: image.is_storage });
    }
    let (view, height, depth, layers) = image.shape()?;
    let (samples, count) = match image.is_multisampled {
        true => (vk::SampleCountFlags::TYPE_4, 1),
        false => (vk::SampleCountFlags::TYPE_1, SIZE * height * depth * layers),
    };
    let texture = Texture {
        view,
        format,
        width: SIZE,
        height,
        depth,
        layers,
        samples,
        contents: texels(format, count as usize, random)?,
        storage: image.is_storage,
        compare: image.is_depth,
    };
    Ok(match (image.is_storage, with_sampler) {
        (true, _) => Given::StorageImage(texture),
        (false, true) => Given::ImageWithSampler(texture),
        (false, false) => Given::Image(texture),
    })
}

impl ImageType {
    fn shape(&self) -> Result<(vk::ImageViewType, u32, u32, u32), String> {
        use vk::ImageViewType as View;
        Ok(match (self.dimension, self.is_array) {
            (DIM_1D, false) => (View::TYPE_1D, 1, 1, 1),
            (DIM_1D, true) => (View::TYPE_1D_ARRAY, 1, 1, 2),
            (DIM_2D, false) => (View::TYPE_2D, SIZE, 1, 1),
            (DIM_2D, true) => (View::TYPE_2D_ARRAY, SIZE, 1, 2),
            (DIM_3D, false) => (View::TYPE_3D, SIZE, SIZE, 1),
            (DIM_CUBE, false) => (View::CUBE, SIZE, 1, 6),
            (DIM_CUBE, true) => (View::CUBE_ARRAY, SIZE, 1, 12),
            (DIM_SUBPASS, _) => return Err("is an input attachment".into()),
            (other, _) => return Err(format!("is an image of dimension {other}")),
        })
    }

    fn format(&self) -> Result<vk::Format, String> {
        use vk::Format as F;
        if self.is_depth {
            return Ok(F::D32_SFLOAT);
        }
        if self.is_storage && self.format != 0 {
            let found = TEXELS_OF.iter().find(|(number, ..)| *number == self.format);
            let unknown = || format!("is an image of format {}", self.format);
            return found.map(|(_, format, ..)| *format).ok_or_else(unknown);
        }
        match self.sampled {
            Some(Type::Float { width: 32 }) => Ok(F::R32G32B32A32_SFLOAT),
            Some(Type::Int { width: 32, signed: true }) => Ok(F::R32G32B32A32_SINT),
            Some(Type::Int { width: 32, signed: false }) => Ok(F::R32G32B32A32_UINT),
            _ => Err("is an image whose texels have not 32 bits".into()),
        }
    }
}

/// What a channel of a texel holds.
#[derive(Clone, Copy)]
enum Channel {
    Float,
    Depth,
    Half,
    Int,
    Short,
    Byte,
}

impl Channel {
    /// A small number.
    fn bytes(self, random: &mut Random) -> Vec<u8> {
        match self {
            Channel::Float => {
                let small = random.below(4) as f32;
                random.colour().unwrap_or(small).to_ne_bytes().to_vec()
            }
            Channel::Depth => (random.below(5) as f32 / 4.0).to_ne_bytes().to_vec(),
            // 0 and 1.
            Channel::Half => random.one_of(&[0_u16, 0x3c00]).to_ne_bytes().to_vec(),
            Channel::Int => random.below(4).to_ne_bytes().to_vec(),
            Channel::Short => (random.below(4) as u16).to_ne_bytes().to_vec(),
            Channel::Byte => vec![random.below(128) as u8],
        }
    }
}

/// Texels of small numbers.
fn texels(format: vk::Format, count: usize, random: &mut Random) -> Result<Vec<u8>, String> {
    let found = TEXELS_OF.iter().find(|(_, other, ..)| *other == format);
    let unknown = || format!("is an image of format {format:?}");
    let (_, _, channels, channel) = *found.ok_or_else(unknown)?;
    Ok((0..count * channels).flat_map(|_| channel.bytes(random)).collect())
}
