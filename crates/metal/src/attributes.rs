//! The vertex inputs of a draw: attributes and vertex indices.

use crate::words::count;
use polyshade_vulkan::{Attribute, Draw, Error, VertexBuffer, vk};

/// Encodes the attributes of all locations up to the last used location. Each attribute consists of a flag whether it
/// is per instance, the number of elements, and the elements.
pub(crate) fn attributes(draw: &Draw<'_>, memory: &[Vec<u8>]) -> Result<Vec<u32>, Error> {
    let all = || {
        draw.vertex_buffers.iter().flat_map(|buffer| {
            buffer.layout.attributes.iter().map(move |attribute| (buffer, attribute))
        })
    };
    let locations = all().map(|(_, attribute)| attribute.location + 1).max().unwrap_or(0);
    let mut words = vec![locations];
    for location in 0..locations {
        let Some((buffer, attribute)) = all().find(|(_, one)| one.location == location) else {
            words.extend([0, 0]);
            continue;
        };
        let of_instances = buffer.layout.rate == vk::VertexInputRate::INSTANCE;
        let elements = elements(buffer, *attribute, memory)?;
        words.extend([u32::from(of_instances), count(&elements)]);
        words.extend(elements.into_iter().flatten());
    }
    Ok(words)
}

/// Returns the attribute of each element in its buffer, as four words. Missing components are filled from (0, 0, 0,
/// 1).
fn elements(
    buffer: &VertexBuffer,
    attribute: Attribute,
    memory: &[Vec<u8>],
) -> Result<Vec<[u32; 4]>, Error> {
    let (components, is_float) = format(attribute.format).ok_or_else(|| {
        Error::Unsupported(format!("an attribute of format {:?}", attribute.format))
    })?;
    let bytes =
        memory.get(buffer.place.buffer).and_then(|one| one.get(buffer.place.offset as usize..));
    let bytes =
        bytes.ok_or_else(|| Error::Work("a vertex buffer is missing or too small".to_owned()))?;
    let one = if is_float { 1.0_f32.to_bits() } else { 1 };
    let element = |number: usize| {
        let first = number * buffer.layout.stride as usize + attribute.offset as usize;
        let found = bytes.get(first..first + 4 * components)?;
        let mut words = [0, 0, 0, one];
        for (word, bytes) in words.iter_mut().zip(found.chunks_exact(4)) {
            *word = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Some(words)
    };
    // With a stride of 0, there is only one element.
    let most = if buffer.layout.stride == 0 { 1 } else { usize::MAX };
    Ok((0..most).map_while(element).collect())
}

/// Returns the number of 32-bit components of a format, and whether the components are floats.
fn format(format: vk::Format) -> Option<(usize, bool)> {
    Some(match format {
        vk::Format::R32_SFLOAT => (1, true),
        vk::Format::R32G32_SFLOAT => (2, true),
        vk::Format::R32G32B32_SFLOAT => (3, true),
        vk::Format::R32G32B32A32_SFLOAT => (4, true),
        vk::Format::R32_SINT | vk::Format::R32_UINT => (1, false),
        vk::Format::R32G32_SINT | vk::Format::R32G32_UINT => (2, false),
        vk::Format::R32G32B32_SINT | vk::Format::R32G32B32_UINT => (3, false),
        vk::Format::R32G32B32A32_SINT | vk::Format::R32G32B32A32_UINT => (4, false),
        _ => return None,
    })
}

/// Returns the vertex indices in the order of the draw, and the base vertex.
pub(crate) fn vertices(draw: &Draw<'_>, memory: &[Vec<u8>]) -> Result<(Vec<u32>, u32), Error> {
    let Some(indices) = draw.indices else {
        return Ok((draw.vertices.clone().collect(), draw.vertices.start));
    };
    let size = match indices.index_type {
        vk::IndexType::UINT8_EXT => 1,
        vk::IndexType::UINT16 => 2,
        _ => 4,
    };
    let first = indices.place.offset as usize + size * indices.first as usize;
    let bytes = memory.get(indices.place.buffer);
    let bytes = bytes.and_then(|one| one.get(first..first + size * indices.count as usize));
    let bytes = bytes.ok_or_else(|| Error::Work("an index buffer is too small".to_owned()))?;
    // Skip restart indices, because they only separate primitives.
    let restart = u32::MAX >> (32 - 8 * size as u32);
    let number = |bytes: &[u8]| {
        let mut word = [0; 4];
        word[..size].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    };
    let vertices = bytes
        .chunks_exact(size)
        .map(number)
        .filter(|index| !(indices.restart && *index == restart))
        .map(|index| index.wrapping_add_signed(indices.vertex_offset));
    Ok((vertices.collect(), indices.vertex_offset.cast_unsigned()))
}
