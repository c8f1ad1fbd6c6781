//! Inputs for a vertex shader of any making: small numbers wherever its interface has a place for one.

use crate::noise::Noise;
use crate::position::Given;
use polyshade::Module;
use polyshade::spv::{BuiltIn, Decoration, Id, Op, StorageClass, Type};
use polyshade_vulkan::{Attribute, Descriptor, Range, Resource, Texture, vk};

const VERTICES: u32 = 48;
/// The elements of an array without a length, and the bytes that a block may have.
const ELEMENTS: u32 = 16;
const MOST_BYTES: u32 = 1 << 16;
/// The most elements of an array of descriptors, and the texels along each side of an image.
const MOST_DESCRIPTORS: u32 = 64;
const SIDE: u32 = 4;

/// What `m`, with one entry point, is given; or why it cannot be.
pub(crate) fn given(m: &Module<'_>) -> Result<Given, String> {
    let mut noise = Noise::new();
    let mut given = Given {
        buffers: vec![Vec::new()],
        textures: Vec::new(),
        descriptors: Vec::new(),
        push_constants: Vec::new(),
        stride: 16,
        attributes: Vec::new(),
        vertices: VERTICES,
        instances: 2,
    };
    let mut filler = Filler { m, noise: &mut noise, bytes: Vec::new() };
    for variable in m.variables() {
        let (id, class) = (variable.result(), variable.storage_class());
        let Some((_, ty)) = m.pointer(variable.pointer_type()) else { continue };
        match class {
            StorageClass::INPUT => attributes(m, id, ty, &mut given)?,
            StorageClass::PUSH_CONSTANT => given.push_constants = filler.block(ty)?,
            StorageClass::UNIFORM
            | StorageClass::STORAGE_BUFFER
            | StorageClass::UNIFORM_CONSTANT => resources(&mut filler, id, class, ty, &mut given)?,
            _ => {}
        }
    }
    given.stride = 16 * given.attributes.len().max(1) as u32;
    let attributes = given.attributes.clone();
    for _ in 0..VERTICES {
        for attribute in &attributes {
            let float = attribute.format == vk::Format::R32G32B32A32_SFLOAT;
            given.buffers[0].extend((0..4).flat_map(|_| match float {
                true => ((noise.below(4001) as f32) / 1000.0 - 2.0).to_ne_bytes(),
                false => noise.below(4).to_ne_bytes(),
            }));
        }
    }
    Ok(given)
}

fn literal(m: &Module<'_>, id: Id, decoration: Decoration) -> Option<u32> {
    m.decoration(id, decoration).and_then(|words| words.first().copied())
}

/// One attribute for every location that the input takes.
fn attributes(m: &Module<'_>, id: Id, ty: Id, given: &mut Given) -> Result<(), String> {
    let Some(location) = literal(m, id, Decoration::LOCATION) else {
        return match m.builtin(id) {
            Some(BuiltIn::VERTEX_INDEX | BuiltIn::INSTANCE_INDEX) => Ok(()),
            Some(BuiltIn::BASE_VERTEX | BuiltIn::BASE_INSTANCE | BuiltIn::DRAW_INDEX) => Ok(()),
            _ => Err("an input of a kind that is not made here".to_owned()),
        };
    };
    let (element, elements) = match m.ty(ty) {
        Some(Type::Array { element, length }) => (element, m.constant(length).unwrap_or(1)),
        _ => (ty, 1),
    };
    let (column, columns) = match m.ty(element) {
        Some(Type::Matrix { column, count }) => (column, count),
        _ => (element, 1),
    };
    let component = match m.ty(column) {
        Some(Type::Vector { component, .. }) => component,
        _ => column,
    };
    let format = match m.ty(component) {
        Some(Type::Float { width: 32 }) => vk::Format::R32G32B32A32_SFLOAT,
        Some(Type::Int { width: 32, signed: true }) => vk::Format::R32G32B32A32_SINT,
        Some(Type::Int { width: 32, signed: false }) => vk::Format::R32G32B32A32_UINT,
        _ => return Err("an input that has not 32 bits".to_owned()),
    };
    for location in location..location + elements * columns {
        if given.attributes.iter().any(|one| one.location == location) {
            return Err("inputs that share a location".to_owned());
        }
        let offset = 16 * given.attributes.len() as u32;
        given.attributes.push(Attribute { location, format, offset });
    }
    Ok(())
}

fn resources(
    filler: &mut Filler<'_, '_, '_>,
    id: Id,
    class: StorageClass,
    ty: Id,
    given: &mut Given,
) -> Result<(), String> {
    let m = filler.m;
    let set = literal(m, id, Decoration::DESCRIPTOR_SET).unwrap_or(0);
    let binding = literal(m, id, Decoration::BINDING).ok_or("a resource without a binding")?;
    let (ty, count) = match m.ty(ty) {
        Some(Type::Array { element, length }) => (element, m.constant(length).unwrap_or(0)),
        Some(Type::Other(Op::TYPE_RUNTIME_ARRAY)) => return Err("endless descriptors".to_owned()),
        _ => (ty, 1),
    };
    if !(1..=MOST_DESCRIPTORS).contains(&count) {
        return Err("an array of too many descriptors".to_owned());
    }
    if given.descriptors.iter().any(|one| (one.set, one.binding) == (set, binding)) {
        return Err("two resources with one binding".to_owned());
    }
    for element in 0..count {
        let resource = match class {
            StorageClass::UNIFORM_CONSTANT => image(m, ty, given)?,
            _ => {
                let bytes = filler.block(ty)?;
                let (buffer, size) = (given.buffers.len(), bytes.len() as u64);
                given.buffers.push(bytes);
                let range = Range { buffer, offset: 0, size };
                let is_storage = class == StorageClass::STORAGE_BUFFER
                    || m.decoration(ty, Decoration::BUFFER_BLOCK).is_some();
                match is_storage {
                    true => Resource::StorageBuffer(range),
                    false => Resource::UniformBuffer(range),
                }
            }
        };
        given.descriptors.push(Descriptor { set, binding, element, resource });
    }
    Ok(())
}

/// A sampler, an image, or both.
fn image(m: &Module<'_>, ty: Id, given: &mut Given) -> Result<Resource, String> {
    let inst = m.definition(ty).ok_or("a resource without a type")?;
    let (image, sampled) = match inst.op() {
        Op::TYPE_SAMPLER => return Ok(Resource::Sampler { compare: false }),
        Op::TYPE_SAMPLED_IMAGE => (Id::new(inst.words()[2]).and_then(|id| m.definition(id)), true),
        _ => (Some(inst), false),
    };
    let image = image.filter(|inst| inst.op() == Op::TYPE_IMAGE).ok_or("a resource of no kind")?;
    let words = image.words();
    let (dim, compare, arrayed) = (words[3], words[4] == 1, words[5] == 1);
    if words[6] != 0 || words[7] == 2 {
        return Err("an image that is multisampled, or stored to".to_owned());
    }
    use vk::ImageViewType as View;
    let (view, height, depth, layers) = match (dim, arrayed) {
        (0, false) => (View::TYPE_1D, 1, 1, 1),
        (1, false) => (View::TYPE_2D, SIDE, 1, 1),
        (1, true) => (View::TYPE_2D_ARRAY, SIDE, 1, SIDE),
        (2, false) => (View::TYPE_3D, SIDE, SIDE, 1),
        (3, false) => (View::CUBE, SIDE, 1, 6),
        _ => return Err("an image of a kind that is not made here".to_owned()),
    };
    let format = match Id::new(words[2]).and_then(|id| m.ty(id)) {
        _ if compare => vk::Format::D32_SFLOAT,
        Some(Type::Float { width: 32 }) => vk::Format::R32G32B32A32_SFLOAT,
        Some(Type::Int { width: 32, signed: true }) => vk::Format::R32G32B32A32_SINT,
        Some(Type::Int { width: 32, signed: false }) => vk::Format::R32G32B32A32_UINT,
        _ => return Err("an image of other than 32 bits".to_owned()),
    };
    let texels = SIDE * height * depth * layers * if compare { 1 } else { 4 };
    let value = |i: u32| match format {
        vk::Format::R32G32B32A32_SINT | vk::Format::R32G32B32A32_UINT => (i % 4).to_ne_bytes(),
        _ => ((i % 7) as f32 / 8.0).to_ne_bytes(),
    };
    let contents = (0..texels).flat_map(value).collect();
    let (width, textures) = (SIDE, given.textures.len());
    let shape = Texture { view, format, width, height, depth, layers, ..Texture::default() };
    given.textures.push(Texture { contents, compare: compare && sampled, ..shape });
    Ok(match sampled {
        true => Resource::ImageWithSampler(textures),
        false => Resource::Image(textures),
    })
}

/// Fills blocks.
struct Filler<'f, 'm, 'w> {
    m: &'m Module<'w>,
    noise: &'f mut Noise,
    bytes: Vec<u8>,
}

/// How the matrices of a member lie.
#[derive(Clone, Copy, Default)]
struct Matrix {
    stride: u32,
    row_major: bool,
}

impl Filler<'_, '_, '_> {
    fn block(&mut self, ty: Id) -> Result<Vec<u8>, String> {
        self.fill(ty, 0, Matrix::default())?;
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.resize(bytes.len().next_multiple_of(16).max(16), 0);
        Ok(bytes)
    }

    fn fill(&mut self, ty: Id, at: u32, matrix: Matrix) -> Result<(), String> {
        let m = self.m;
        let stride = || literal(m, ty, Decoration::ARRAY_STRIDE).ok_or("an array has no stride");
        match m.ty(ty) {
            Some(Type::Struct { id }) => (0..).zip(m.members(id)).try_for_each(|(member, ty)| {
                let literal = |kind| m.member_decoration(id, member, kind)?.first().copied();
                let offset = literal(Decoration::OFFSET).ok_or("a member has no offset")?;
                let stride = literal(Decoration::MATRIX_STRIDE).unwrap_or(16);
                let row_major = m.member_decoration(id, member, Decoration::ROW_MAJOR).is_some();
                self.fill(ty, at.saturating_add(offset), Matrix { stride, row_major })
            }),
            Some(Type::Array { element, length }) => {
                let (stride, length) = (stride()?, m.constant(length).ok_or("a length")?);
                (0..length).try_for_each(|i| self.fill(element, at + i * stride, matrix))
            }
            Some(Type::Other(Op::TYPE_RUNTIME_ARRAY)) => {
                let element = m.definition(ty).and_then(|inst| Id::new(inst.words()[2]));
                let (stride, element) = (stride()?, element.ok_or("an element")?);
                (0..ELEMENTS).try_for_each(|i| self.fill(element, at + i * stride, matrix))
            }
            Some(Type::Matrix { column, count }) => {
                let Some(Type::Vector { component, count: rows }) = m.ty(column) else {
                    return Err("a matrix of no vectors".to_owned());
                };
                (0..count * rows).try_for_each(|i| {
                    let (column, row) = (i / rows, i % rows);
                    let (major, minor) =
                        if matrix.row_major { (row, column) } else { (column, row) };
                    self.fill(component, at + major * matrix.stride + minor * 4, matrix)
                })
            }
            Some(Type::Vector { component, count }) => {
                (0..count).try_for_each(|i| self.fill(component, at + i * 4, matrix))
            }
            Some(Type::Float { width: 32 }) => {
                let value = self.noise.below(3001) as f32 / 1000.0 - 1.0;
                self.put(at, value.to_ne_bytes())
            }
            Some(Type::Int { width: 32, .. }) => {
                let value = self.noise.below(4);
                self.put(at, value.to_ne_bytes())
            }
            _ => Err("a member that has not 32 bits".to_owned()),
        }
    }

    fn put(&mut self, at: u32, value: [u8; 4]) -> Result<(), String> {
        if at >= MOST_BYTES {
            return Err("a block that is too large".to_owned());
        }
        let (at, end) = (at as usize, at as usize + 4);
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[at..end].copy_from_slice(&value);
        Ok(())
    }
}
