//! Vertex shaders of a corpus that any driver can draw, because they have only float attributes and buffers.

use polyshade::rewrite;
use polyshade::spv::view::Variable;
use polyshade::spv::{Capability, Decoration, ExecutionModel, Module, Section, StorageClass, Type};
use polyshade_tests::shader;
use polyshade_vulkan::{
    Descriptor, Draw, Place, Range, Resource, VertexBuffer, VertexLayout, Work, vk,
};
use std::path::Path;

/// The size of the bound buffer, in bytes: enough for a small shader, and within the limits of every device.
const BYTES: u64 = 1 << 14;

/// A shader and its bindings.
pub(crate) struct Drawable {
    /// The module, whose vertex entry point is `main`.
    pub(crate) words: Vec<u32>,
    locations: Vec<u32>,
    buffers: Vec<Buffer>,
}

struct Buffer {
    set: u32,
    binding: u32,
    resource: fn(Range) -> Resource,
}

impl Drawable {
    /// Reads a valid vertex shader with a length in this range. Returns `None` for other shaders and other inputs.
    pub(crate) fn read(path: &Path, words: std::ops::Range<usize>) -> Option<Self> {
        let module = shader::read(path).ok().filter(|module| words.contains(&module.len()))?;
        shader::validate(&module).ok()?;
        let m = Module::parse(&module).ok()?;
        m.entry_point("main", ExecutionModel::VERTEX).ok()?;
        let mut capabilities = m.section(Section::Capabilities);
        // Drivers crash on capabilities that they lack.
        if !capabilities.all(|inst| inst.words()[1] == Capability::SHADER.0) {
            return None;
        }
        let mut drawable = Self { words: Vec::new(), locations: Vec::new(), buffers: Vec::new() };
        m.variables().try_for_each(|variable| drawable.add(&m, variable))?;
        Some(Self { words: module.clone(), ..drawable })
    }

    fn add(&mut self, m: &Module<'_>, variable: Variable<'_>) -> Option<()> {
        let number = |decoration| m.decoration(variable.result(), decoration)?.first().copied();
        let (_, pointee) = m.pointer(variable.pointer_type())?;
        let is_storage = m.decoration(pointee, Decoration::BUFFER_BLOCK).is_some();
        match (variable.storage_class(), m.ty(pointee)?) {
            (StorageClass::INPUT, ty) if number(Decoration::BUILT_IN).is_none() => {
                let is_attribute = matches!(ty, Type::Float { .. } | Type::Vector { .. });
                rewrite::float_dimensions(m, pointee).filter(|_| is_attribute)?;
                self.locations.push(number(Decoration::LOCATION)?);
            }
            (class @ (StorageClass::UNIFORM | StorageClass::STORAGE_BUFFER), ty) => {
                let is_uniform = class == StorageClass::UNIFORM && !is_storage;
                let (set, binding) =
                    (number(Decoration::DESCRIPTOR_SET)?, number(Decoration::BINDING)?);
                // Arrays of buffers are not supported.
                matches!(ty, Type::Struct { .. }).then_some(())?;
                let resource =
                    if is_uniform { Resource::UniformBuffer } else { Resource::StorageBuffer };
                self.buffers.push(Buffer { set, binding, resource });
            }
            (StorageClass::UNIFORM_CONSTANT, _) => return None,
            _ => {}
        }
        Some(())
    }

    /// Binds a new zero-filled buffer to a draw.
    pub(crate) fn bind(&self, work: &mut Work<'_>, draw: &mut Draw<'_>) {
        let range = Range { buffer: work.buffers.len(), offset: 0, size: BYTES };
        work.buffers.push(vec![0; BYTES as usize]);
        draw.descriptors.extend(
            self.buffers.iter().map(|buffer| {
                Descriptor::new(buffer.set, buffer.binding, (buffer.resource)(range))
            }),
        );
        let attributes = self.locations.iter().map(|at| (*at, vk::Format::R32G32B32A32_SFLOAT));
        let place = Place { buffer: range.buffer, offset: 0 };
        let layout = VertexLayout::vectors(attributes);
        let is_fed = !self.locations.is_empty();
        draw.vertex_buffers =
            is_fed.then_some(VertexBuffer { place, layout }).into_iter().collect();
        draw.push_constants = vec![0; 128];
    }
}
