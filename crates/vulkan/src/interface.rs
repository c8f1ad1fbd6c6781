//! Checks that a draw has all resources that its shaders use, because a driver may crash without them.

use crate::descriptors::Binding;
use crate::error::Error;
use crate::work::Draw;
use ash::vk;
use polyshade::spv::view::{EntryPoint, Variable};
use polyshade::spv::{Capability, Decoration, ExecutionModel, Id, Module, Op, StorageClass, Type};
use std::collections::HashSet;

/// Word indices in `OpTypeImage`: its `Dim` and its `Sampled`.
const DIM: usize = 3;
const SAMPLED: usize = 7;

/// Rejects an entry point that uses a binding, an attribute, a push constant or addresses that the draw lacks.
pub(crate) fn check(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    draw: &Draw<'_>,
    bindings: &[Binding],
) -> Result<(), Error> {
    if draw.addresses.is_empty() && m.has_capability(Capability::PHYSICAL_STORAGE_BUFFER_ADDRESSES)
    {
        return Err(Error::Unsupported(
            "addresses of buffers that the draw does not provide".to_owned(),
        ));
    }
    // The variables that the entry point uses.
    let mut used = HashSet::new();
    for function in m.reachable(entry.function()) {
        let Some(body) = m.function(function) else { continue };
        for inst in body.instructions() {
            m.for_each_operand(inst, |_, id, _| {
                used.insert(id);
            });
        }
    }
    for variable in m.variables().filter(|variable| used.contains(&variable.result())) {
        let class = variable.storage_class();
        match class {
            StorageClass::PUSH_CONSTANT => check_push_constants(m, variable, draw)?,
            StorageClass::INPUT if entry.model() == ExecutionModel::VERTEX => {
                check_attribute(m, variable, draw)?;
            }
            StorageClass::UNIFORM
            | StorageClass::UNIFORM_CONSTANT
            | StorageClass::STORAGE_BUFFER => check_binding(m, variable, bindings)?,
            _ => {}
        }
    }
    Ok(())
}

/// Returns the first operand of a decoration, if the decoration exists.
fn decoration(m: &Module<'_>, id: Id, decoration: Decoration) -> Option<u32> {
    m.decoration(id, decoration).and_then(|operands| operands.first().copied())
}

fn pointee(m: &Module<'_>, variable: Variable<'_>) -> Option<Id> {
    m.pointer(variable.pointer_type()).map(|pointer| pointer.1)
}

/// Returns the length of an array, or 1 for another type or an unknown length.
pub(crate) fn array_length(m: &Module<'_>, ty: Id) -> u32 {
    match m.ty(ty) {
        Some(Type::Array { length, .. }) => m.constant(length).unwrap_or(1),
        _ => 1,
    }
}

/// Checks that every member begins within the push constants.
fn check_push_constants(
    m: &Module<'_>,
    variable: Variable<'_>,
    draw: &Draw<'_>,
) -> Result<(), Error> {
    let Some(block) = pointee(m, variable) else { return Ok(()) };
    let offset = |(member, _)| m.member_decoration(block, member, Decoration::OFFSET)?.first();
    let last = (0..).zip(m.members(block)).filter_map(offset).copied().max();
    let given = draw.push_constants.len();
    match last {
        Some(last) if last as usize >= given => Err(Error::Work(format!(
            "a shader has a push constant at byte {last}, but the draw has {given} bytes"
        ))),
        _ => Ok(()),
    }
}

fn check_attribute(m: &Module<'_>, variable: Variable<'_>, draw: &Draw<'_>) -> Result<(), Error> {
    let location = decoration(m, variable.result(), Decoration::LOCATION);
    let (Some(first), Some(ty)) = (location, pointee(m, variable)) else { return Ok(()) };
    let layouts = draw.vertex_buffers.iter().map(|buffer| &buffer.layout);
    let given = layouts.flat_map(|layout| &layout.attributes).map(|attribute| attribute.location);
    let given = given.collect::<HashSet<_>>();
    let (count, step) = attributes(m, ty);
    // If there are more locations than attributes, one is missing.
    let most = count.min(given.len() as u32 + 1);
    let mut wanted = (0..most).map(|index| first.saturating_add(index.saturating_mul(step)));
    match wanted.find(|location| !given.contains(location)) {
        None => Ok(()),
        Some(location) => Err(Error::Work(format!(
            "a shader has an attribute at location {location}, but the draw has none there"
        ))),
    }
}

/// Returns the number of attributes of a variable, one per column and element, and the locations of each attribute.
fn attributes(m: &Module<'_>, ty: Id) -> (u32, u32) {
    let length = array_length(m, ty);
    let element = m.innermost_element(ty);
    let (columns, column) = match m.ty(element) {
        Some(Type::Matrix { column, count }) => (count, column),
        _ => (1, element),
    };
    let wide = match m.ty(column) {
        Some(Type::Vector { component, count: 3.. }) => {
            m.ty(component).is_some_and(|ty| match ty {
                Type::Float { width } | Type::Int { width, .. } => width == 64,
                _ => false,
            })
        }
        _ => false,
    };
    (length.saturating_mul(columns), if wide { 2 } else { 1 })
}

fn check_binding(
    m: &Module<'_>,
    variable: Variable<'_>,
    bindings: &[Binding],
) -> Result<(), Error> {
    let id = variable.result();
    let set = decoration(m, id, Decoration::DESCRIPTOR_SET);
    let binding = decoration(m, id, Decoration::BINDING);
    let (Some(set), Some(binding)) = (set, binding) else { return Ok(()) };
    let Some(ty) = pointee(m, variable) else { return Ok(()) };

    let types = descriptor_types(m, variable.storage_class(), m.innermost_element(ty));
    let elements = array_length(m, ty);
    let bound = bindings.iter().find(|bound| bound.set == set && bound.binding == binding);
    match bound {
        Some(bound) if types.contains(&bound.descriptor_type) && elements <= bound.count => Ok(()),
        _ => {
            let bound = bound.map(|bound| (bound.count, bound.descriptor_type));
            Err(Error::Work(format!(
                "set {set}, binding {binding}: a shader has {elements} of {types:?}, but {bound:?} is bound"
            )))
        }
    }
}

/// The descriptor types for a variable (Vulkan, "Shader Resource and Descriptor Type Correspondence").
fn descriptor_types(m: &Module<'_>, class: StorageClass, ty: Id) -> &'static [vk::DescriptorType] {
    use vk::DescriptorType as Descriptor;
    let Some(inst) = m.definition(ty) else { return &[] };
    let buffered = |image: &[u32]| image.get(DIM) == Some(&(spirv::Dim::DimBuffer as u32));
    match inst.op() {
        Op::TYPE_STRUCT if class == StorageClass::STORAGE_BUFFER => &[Descriptor::STORAGE_BUFFER],
        Op::TYPE_STRUCT if m.decoration(ty, Decoration::BUFFER_BLOCK).is_some() => {
            &[Descriptor::STORAGE_BUFFER]
        }
        Op::TYPE_STRUCT => &[Descriptor::UNIFORM_BUFFER],
        Op::TYPE_SAMPLER => &[Descriptor::SAMPLER, Descriptor::COMBINED_IMAGE_SAMPLER],
        Op::TYPE_SAMPLED_IMAGE => {
            let image = Id::new(inst.words()[2]).and_then(|image| m.definition(image));
            if image.is_some_and(|image| buffered(image.words())) {
                &[Descriptor::UNIFORM_TEXEL_BUFFER]
            } else {
                &[Descriptor::COMBINED_IMAGE_SAMPLER]
            }
        }
        Op::TYPE_IMAGE if inst.words().get(DIM) == Some(&(spirv::Dim::DimSubpassData as u32)) => {
            &[Descriptor::INPUT_ATTACHMENT]
        }
        Op::TYPE_IMAGE if inst.words().get(SAMPLED) == Some(&1) => {
            if buffered(inst.words()) {
                &[Descriptor::UNIFORM_TEXEL_BUFFER]
            } else {
                &[Descriptor::SAMPLED_IMAGE, Descriptor::COMBINED_IMAGE_SAMPLER]
            }
        }
        Op::TYPE_IMAGE if buffered(inst.words()) => &[Descriptor::STORAGE_TEXEL_BUFFER],
        Op::TYPE_IMAGE => &[Descriptor::STORAGE_IMAGE],
        _ => &[],
    }
}
