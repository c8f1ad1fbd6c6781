//! Vertex shaders of a corpus with what they take to be drawn, by any driver: attributes of numbers, and buffers.

use polyshade::spv::view::Variable;
use polyshade::spv::{
    Capability, Decoration, ExecutionModel, Id, Module, Section, StorageClass, Type,
};
use polyshade_vulkan::{
    Descriptor, Draw, Place, Range, Resource, Stage, VertexBuffer, VertexLayout, Work, vk,
};
use std::path::Path;

use crate::shader;

/// Bytes of each buffer that is bound: more than a small shader reads.
const BYTES: u64 = 1 << 16;

/// A shader, and what is bound for it.
pub struct Drawable {
    /// The module, whose vertex entry point is `main`.
    pub words: Vec<u32>,
    attributes: Vec<(u32, vk::Format)>,
    uniform: Vec<(u32, u32)>,
    storage: Vec<(u32, u32)>,
    has_push_constants: bool,
}

impl Drawable {
    /// The shader of a file. Nothing where it is no valid vertex shader of this many words, or takes something else.
    pub fn read(path: &Path, words: std::ops::Range<usize>) -> Option<Self> {
        let module = shader::read(path).ok().filter(|module| words.contains(&module.len()))?;
        if shader::validate(&module).is_err() {
            return None;
        }
        let m = Module::parse(&module).ok()?;
        m.entry_point("main", ExecutionModel::VERTEX).ok()?;
        let mut capabilities = m.section(Section::Capabilities);
        // Drivers die of what they lack.
        if !capabilities.all(|inst| inst.words()[1] == Capability::SHADER.0) {
            return None;
        }
        let mut drawable = Self {
            words: Vec::new(),
            attributes: Vec::new(),
            uniform: Vec::new(),
            storage: Vec::new(),
            has_push_constants: false,
        };
        for variable in m.variables() {
            drawable.add(&m, variable)?;
        }
        Some(Self { words: module, ..drawable })
    }

    fn add(&mut self, m: &Module<'_>, variable: Variable<'_>) -> Option<()> {
        let id = variable.result();
        let number = |decoration| m.decoration(id, decoration)?.first().copied();
        let (_, pointee) = m.pointer(variable.pointer_type())?;
        let place = || Some((number(Decoration::DESCRIPTOR_SET)?, number(Decoration::BINDING)?));
        let is_storage = m.decoration(pointee, Decoration::BUFFER_BLOCK).is_some();
        match variable.storage_class() {
            StorageClass::INPUT if number(Decoration::BUILT_IN).is_none() => {
                // Members of a block of built-in inputs have no place.
                let location = number(Decoration::LOCATION)?;
                self.attributes.push((location, format(m, pointee)?));
            }
            StorageClass::PUSH_CONSTANT => self.has_push_constants = true,
            StorageClass::UNIFORM if !is_storage => {
                self.uniform.push(structure(m, pointee, place())?)
            }
            StorageClass::UNIFORM | StorageClass::STORAGE_BUFFER => {
                self.storage.push(structure(m, pointee, place())?);
            }
            StorageClass::UNIFORM_CONSTANT => return None,
            _ => {}
        }
        Some(())
    }

    /// Binds all of it to a draw, by a buffer of zeros that `work` gets.
    pub fn bind(&self, work: &mut Work<'_>, draw: &mut Draw<'_>) {
        let buffer = work.buffers.len();
        work.buffers.push(vec![0; BYTES as usize]);
        let range = Range { buffer, offset: 0, size: BYTES };
        let uniform = Range { size: BYTES / 4, ..range };
        let storage = self.storage.iter().map(|place| (place, Resource::StorageBuffer(range)));
        let uniform = self.uniform.iter().map(|place| (place, Resource::UniformBuffer(uniform)));
        let resources = storage.chain(uniform);
        let bound =
            resources.map(|((set, binding), resource)| Descriptor::new(*set, *binding, resource));
        draw.descriptors.extend(bound);
        if !self.attributes.is_empty() {
            let layout = VertexLayout::vectors(self.attributes.iter().copied());
            draw.vertex_buffers = vec![VertexBuffer { place: Place { buffer, offset: 0 }, layout }];
        }
        if self.has_push_constants {
            draw.push_constants = vec![0; 128];
        }
    }

    /// Three vertices of a variant of the shader.
    pub fn draw<'a>(&self, variant: &'a [u32]) -> Draw<'a> {
        let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
        Draw { topology, ..Draw::new(vec![Stage::vertex(variant)], 0..3) }
    }
}

/// The place of a buffer that is no array of such.
fn structure(m: &Module<'_>, ty: Id, place: Option<(u32, u32)>) -> Option<(u32, u32)> {
    place.filter(|_| matches!(m.ty(ty), Some(Type::Struct { .. })))
}

/// The format of an attribute of 32-bit numbers.
fn format(m: &Module<'_>, ty: Id) -> Option<vk::Format> {
    let (component, count) = match m.ty(ty)? {
        Type::Vector { component, count } => (m.ty(component)?, count),
        scalar => (scalar, 1),
    };
    let formats = match component {
        Type::Float { width: 32 } => [
            vk::Format::R32_SFLOAT,
            vk::Format::R32G32_SFLOAT,
            vk::Format::R32G32B32_SFLOAT,
            vk::Format::R32G32B32A32_SFLOAT,
        ],
        Type::Int { width: 32, signed: false } => [
            vk::Format::R32_UINT,
            vk::Format::R32G32_UINT,
            vk::Format::R32G32B32_UINT,
            vk::Format::R32G32B32A32_UINT,
        ],
        Type::Int { width: 32, signed: true } => [
            vk::Format::R32_SINT,
            vk::Format::R32G32_SINT,
            vk::Format::R32G32B32_SINT,
            vk::Format::R32G32B32A32_SINT,
        ],
        _ => return None,
    };
    formats.get(count as usize - 1).copied()
}
