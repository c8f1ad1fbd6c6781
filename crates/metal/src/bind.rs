//! Binds the buffers and textures of a draw to Metal's indices.

use crate::words::{bytes, count, narrow};
use polyshade_formats::cross::{MslBuffer, MslTextureKind, Text};
use polyshade_vulkan::{Draw, Error, Range, Resource, Texture, Work, texel_words, vk};

/// The pieces of memory that a process reads and writes: the buffers, targets and textures of a work. Additional
/// pieces belong to only one process.
#[derive(Clone)]
pub(crate) struct Memory {
    pub(crate) pieces: Vec<Vec<u8>>,
    buffers: usize,
    targets: usize,
    textures: Vec<Extent>,
}

/// The width, height, depth and layers of a texture.
#[derive(Clone, Copy)]
struct Extent([u32; 4]);

impl Memory {
    pub(crate) fn new(work: &Work<'_>) -> Result<Memory, Error> {
        let mut pieces = work.buffers.clone();
        for (number, target) in work.targets.iter().enumerate() {
            let size = PIXEL * target.width as usize * target.height as usize;
            let pixels = work.pixels.iter().find(|(other, _)| *other == number);
            let pixels = pixels.map_or_else(|| vec![0; size], |(_, pixels)| pixels.clone());
            let is_whole = pixels.len() == size && FORMATS.contains(&target.format);
            if !is_whole || target.samples != vk::SampleCountFlags::TYPE_1 {
                return Err(Error::Unsupported(format!("a target of {:?}", target.format)));
            }
            pieces.push(pixels);
        }
        let mut textures = Vec::new();
        for Texture { width, height, depth, layers, .. } in &work.textures {
            textures.push(Extent([*width, *height, *depth, *layers]));
        }
        for (texture, Extent(extent)) in work.textures.iter().zip(&textures) {
            let texels = extent.iter().map(|size| *size as usize).product();
            pieces.push(texture_bytes(texture.format, &texture.contents, texels)?);
        }
        Ok(Memory { pieces, buffers: work.buffers.len(), targets: work.targets.len(), textures })
    }

    /// Returns the number of the piece that holds a target.
    pub(crate) fn target(&self, number: usize) -> Result<u32, Error> {
        let is_there = number < self.targets;
        let missing = || Error::Work("a target does not exist".to_owned());
        is_there.then(|| (self.buffers + number) as u32).ok_or_else(missing)
    }

    /// Removes the pieces that belong to only one process.
    pub(crate) fn keep(&mut self) {
        self.pieces.truncate(self.buffers + self.targets + self.textures.len());
    }

    /// Returns the contents of the buffers and of the targets.
    pub(crate) fn into_outcome(mut self) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let mut targets = self.pieces.split_off(self.buffers);
        targets.truncate(self.targets);
        (self.pieces, targets)
    }
}

/// The size of a pixel in bytes. Targets have four 32-bit components.
const PIXEL: usize = 16;
const FORMATS: [vk::Format; 3] =
    [vk::Format::R32G32B32A32_SFLOAT, vk::Format::R32G32B32A32_SINT, vk::Format::R32G32B32A32_UINT];

/// Returns four words for each texel. If the contents are shorter than the texture, they are repeated.
fn texture_bytes(format: vk::Format, contents: &[u8], texels: usize) -> Result<Vec<u8>, Error> {
    let unread = || Error::Unsupported(format!("a texture of {format:?}"));
    let words = texel_words(format, contents).ok_or_else(unread)?;
    let all: Vec<u32> = words.iter().copied().cycle().take(texels).flatten().collect();
    Ok(bytes(&all))
}

/// Encodes the buffers and textures of a draw, in the format of `shim/run.cpp`. Both lists begin with their length. A
/// buffer consists of Metal's index, the number of its piece and the first byte. A texture consists of Metal's index,
/// the number of its piece and the extent.
pub(crate) fn bind(
    draw: &Draw<'_>,
    printed: &Text,
    memory: &mut Memory,
) -> Result<Vec<u32>, Error> {
    let (mut buffers, mut textures, mut sizes) = (Vec::new(), Vec::new(), Vec::<u32>::new());
    for one in &draw.descriptors {
        let texture_index = || {
            let is_it = |other: &&polyshade_formats::cross::MslTexture| {
                (other.set, other.binding, other.kind)
                    == (one.set, one.binding, MslTextureKind::Texture)
            };
            printed.textures.iter().find(is_it).map(|found| found.index + one.element)
        };
        match one.resource {
            Resource::StorageBuffer(range) | Resource::UniformBuffer(range) => {
                let wanted = MslBuffer::Descriptor { set: one.set, binding: one.binding };
                let Some(first) = index_of(printed, wanted) else { continue };
                let index = first + one.element;
                buffers.push([index, narrow(range.buffer as u64)?, narrow(range.offset)?]);
                sizes.resize(sizes.len().max(index as usize + 1), 0);
                sizes[index as usize] = narrow(range.size)?;
            }
            Resource::Image(number) | Resource::ImageWithSampler(number) => {
                let Extent(extent) = memory.textures[number];
                let piece = (memory.buffers + memory.targets + number) as u32;
                textures.extend(texture_index().map(|index| (index, piece, extent)));
            }
            Resource::UniformTexels { range, format } => {
                let (piece, texels) = texel_buffer(memory, range, format)?;
                textures.extend(texture_index().map(|index| (index, piece, [texels, 1, 1, 1])));
            }
            // All samplers are treated as nearest filters, and colours are fetched by number, so neither needs a
            // binding.
            Resource::Sampler { .. } | Resource::InputAttachment(_) => {}
            other => return Err(Error::Unsupported(format!("{other:?} on Metal"))),
        }
    }
    // Buffers that SPIRV-Cross adds.
    let own = [
        (MslBuffer::Sizes, bytes(&sizes)),
        (MslBuffer::PushConstants, draw.push_constants.clone()),
        (MslBuffer::Counts, bytes(&counts(draw))),
    ];
    for (buffer, contents) in own {
        if let Some(index) = index_of(printed, buffer) {
            buffers.push([index, count(&memory.pieces), 0]);
            memory.pieces.push(contents);
        }
    }
    // The words, in the format of `shim/run.cpp`.
    let mut words = vec![count(&buffers)];
    words.extend(buffers.into_iter().flatten());
    words.push(count(&textures));
    for (index, piece, extent) in textures {
        words.extend([index, piece]);
        words.extend(extent);
    }
    Ok(words)
}

/// Returns the number of vertices of a patch, and the number of patches.
fn counts(draw: &Draw<'_>) -> [u32; 2] {
    let vertices = draw.vertices.len() as u32;
    [draw.patch_control_points, vertices.checked_div(draw.patch_control_points).unwrap_or(0)]
}

fn index_of(printed: &Text, wanted: MslBuffer) -> Option<u32> {
    let found = printed.buffers.iter().find(|(buffer, _)| *buffer == wanted);
    found.map(|(_, index)| *index)
}

/// Adds a piece with the texels that a buffer contains before the draw. Returns the number of the piece, and the
/// number of texels.
fn texel_buffer(
    memory: &mut Memory,
    range: Range,
    format: vk::Format,
) -> Result<(u32, u32), Error> {
    let bytes = range.offset as usize..(range.offset + range.size) as usize;
    let contents = memory.pieces.get(range.buffer).and_then(|piece| piece.get(bytes));
    let contents =
        contents.ok_or_else(|| Error::Work("a texel buffer is missing or too small".to_owned()))?;
    let unread = || Error::Unsupported(format!("texels of {format:?}"));
    let texels = texel_words(format, contents).ok_or_else(unread)?.len();
    let piece = texture_bytes(format, contents, texels)?;
    memory.pieces.push(piece);
    Ok((count(&memory.pieces) - 1, texels as u32))
}
