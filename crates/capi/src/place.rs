//! Numbers of the header for enumerations of the library. Each is mapped in one place.

use crate::failure::Failure;
use polyshade::clip_space::SurfaceRotation;
use polyshade::host::{AddressSource, Binding, DescriptorKind, ParamSource, Set, Value};
use polyshade::spv::ExecutionModel;

/// A stage: `VkShaderStageFlagBits`.
pub const POLYSHADE_STAGE_VERTEX: u32 = 0x01;
pub const POLYSHADE_STAGE_TESSELLATION_CONTROL: u32 = 0x02;
pub const POLYSHADE_STAGE_TESSELLATION_EVALUATION: u32 = 0x04;
pub const POLYSHADE_STAGE_GEOMETRY: u32 = 0x08;
pub const POLYSHADE_STAGE_FRAGMENT: u32 = 0x10;
pub const POLYSHADE_STAGE_COMPUTE: u32 = 0x20;
pub const POLYSHADE_STAGE_TASK: u32 = 0x40;
pub const POLYSHADE_STAGE_MESH: u32 = 0x80;

const STAGES: [(u32, ExecutionModel); 8] = [
    (POLYSHADE_STAGE_VERTEX, ExecutionModel::VERTEX),
    (POLYSHADE_STAGE_TESSELLATION_CONTROL, ExecutionModel::TESSELLATION_CONTROL),
    (POLYSHADE_STAGE_TESSELLATION_EVALUATION, ExecutionModel::TESSELLATION_EVALUATION),
    (POLYSHADE_STAGE_GEOMETRY, ExecutionModel::GEOMETRY),
    (POLYSHADE_STAGE_FRAGMENT, ExecutionModel::FRAGMENT),
    (POLYSHADE_STAGE_COMPUTE, ExecutionModel::GL_COMPUTE),
    (POLYSHADE_STAGE_TASK, ExecutionModel::TASK_EXT),
    (POLYSHADE_STAGE_MESH, ExecutionModel::MESH_EXT),
];

/// Returns the stage of a `VkShaderStageFlagBits`; `None` for 0.
pub(crate) fn stage(bit: u32) -> Result<Option<ExecutionModel>, Failure> {
    let found = STAGES.iter().find(|(number, _)| *number == bit).map(|(_, model)| *model);
    match (bit, found) {
        (0, _) => Ok(None),
        (_, Some(model)) => Ok(Some(model)),
        (_, None) => Err(Failure::argument(format!("unknown stage {bit:#x}"))),
    }
}

/// Returns the `VkShaderStageFlagBits` of a stage; 0 if there is none.
pub(crate) fn stage_bit(model: ExecutionModel) -> u32 {
    let model = match model {
        ExecutionModel::TASK_NV => ExecutionModel::TASK_EXT,
        ExecutionModel::MESH_NV => ExecutionModel::MESH_EXT,
        model => model,
    };
    STAGES.iter().find(|(_, one)| *one == model).map_or(0, |(bit, _)| *bit)
}

/// The lowering chooses the source, or there is none.
pub const POLYSHADE_SOURCE_NONE: u32 = 0;
/// A storage buffer at `set` and `binding`.
pub const POLYSHADE_SOURCE_STORAGE_BUFFER: u32 = 1;
/// A uniform buffer at `set` and `binding`.
pub const POLYSHADE_SOURCE_UNIFORM: u32 = 2;
/// The push constants from byte `number` on.
pub const POLYSHADE_SOURCE_PUSH_CONSTANT: u32 = 3;
/// The specialization constants from id `number` on.
pub const POLYSHADE_SOURCE_SPECIALIZATION: u32 = 4;
/// Memory whose address is in a uniform buffer at `set` and `binding`.
pub const POLYSHADE_SOURCE_ADDRESS_IN_UNIFORM: u32 = 5;
/// Memory whose address is in the push constants from byte `number` on.
pub const POLYSHADE_SOURCE_ADDRESS_IN_PUSH_CONSTANT: u32 = 6;
/// Memory whose address is in two specialization constants from id `number` on, the lower half first.
pub const POLYSHADE_SOURCE_ADDRESS_IN_SPECIALIZATION: u32 = 7;
/// Memory whose address is in the vertex attribute at location `number`: two 32-bit unsigned integers, the lower half
/// first. The vertex buffer has a stride of 0.
pub const POLYSHADE_SOURCE_ADDRESS_IN_ATTRIBUTE: u32 = 8;

/// The source from which the shader reads host parameters. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_param_source {
    /// `POLYSHADE_SOURCE_…`
    pub kind: u32,
    /// The descriptor set, if the kind has one.
    pub set: u32,
    /// The binding, if the kind has one.
    pub binding: u32,
    /// The byte of push constants, the id of the specialization constant or the location of the attribute, if any.
    pub number: u32,
}

/// A value: fixed for all draws, or a host parameter. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_value {
    /// The source of the host parameter; `POLYSHADE_SOURCE_NONE` for a fixed value.
    pub param: polyshade_param_source,
    /// The fixed value.
    pub fixed: u32,
}

impl polyshade_param_source {
    pub(crate) fn read(self, what: &str) -> Result<Option<ParamSource>, Failure> {
        let Self { kind, set, binding, number } = self;
        let (set, binding) = (Set(set), Binding(binding));
        Ok(Some(match kind {
            POLYSHADE_SOURCE_NONE => return Ok(None),
            POLYSHADE_SOURCE_STORAGE_BUFFER => ParamSource::StorageBuffer { set, binding },
            POLYSHADE_SOURCE_UNIFORM => ParamSource::Uniform { set, binding },
            POLYSHADE_SOURCE_PUSH_CONSTANT => ParamSource::PushConstant { offset: number },
            POLYSHADE_SOURCE_SPECIALIZATION => ParamSource::Specialization { first_id: number },
            POLYSHADE_SOURCE_ADDRESS_IN_UNIFORM => {
                ParamSource::Address(AddressSource::Uniform { set, binding })
            }
            POLYSHADE_SOURCE_ADDRESS_IN_PUSH_CONSTANT => {
                ParamSource::Address(AddressSource::PushConstant { offset: number })
            }
            POLYSHADE_SOURCE_ADDRESS_IN_SPECIALIZATION => {
                ParamSource::Address(AddressSource::Specialization { first_id: number })
            }
            POLYSHADE_SOURCE_ADDRESS_IN_ATTRIBUTE => {
                ParamSource::Address(AddressSource::Attribute { location: number })
            }
            _ => return Err(Failure::argument(format!("{what}: unknown source {kind}"))),
        }))
    }

    /// Reads a source that must not be `POLYSHADE_SOURCE_NONE`.
    pub(crate) fn needed(self, what: &str) -> Result<ParamSource, Failure> {
        self.read(what)?.ok_or_else(|| Failure::argument(format!("{what}: no source is given")))
    }

    pub(crate) fn of(place: ParamSource) -> Self {
        let none = Self { kind: POLYSHADE_SOURCE_NONE, set: 0, binding: 0, number: 0 };
        let at = |kind, set: Set, binding: Binding| Self {
            kind,
            set: set.0,
            binding: binding.0,
            number: 0,
        };
        let behind = |kind, number| Self { kind, number, ..none };
        // Every kind has either a set and a binding, or a number.
        match place {
            ParamSource::StorageBuffer { set, binding } => {
                at(POLYSHADE_SOURCE_STORAGE_BUFFER, set, binding)
            }
            ParamSource::Uniform { set, binding } => at(POLYSHADE_SOURCE_UNIFORM, set, binding),
            ParamSource::PushConstant { offset } => behind(POLYSHADE_SOURCE_PUSH_CONSTANT, offset),
            ParamSource::Specialization { first_id } => {
                behind(POLYSHADE_SOURCE_SPECIALIZATION, first_id)
            }
            ParamSource::Address(AddressSource::Uniform { set, binding }) => {
                at(POLYSHADE_SOURCE_ADDRESS_IN_UNIFORM, set, binding)
            }
            ParamSource::Address(AddressSource::PushConstant { offset }) => {
                behind(POLYSHADE_SOURCE_ADDRESS_IN_PUSH_CONSTANT, offset)
            }
            ParamSource::Address(AddressSource::Specialization { first_id }) => {
                behind(POLYSHADE_SOURCE_ADDRESS_IN_SPECIALIZATION, first_id)
            }
            ParamSource::Address(AddressSource::Attribute { location }) => {
                behind(POLYSHADE_SOURCE_ADDRESS_IN_ATTRIBUTE, location)
            }
        }
    }
}

impl polyshade_value {
    fn read<T>(
        self,
        what: &str,
        fixed: impl FnOnce(u32) -> Option<T>,
    ) -> Result<Value<T>, Failure> {
        if let Some(place) = self.param.read(what)? {
            return Ok(Value::Param(place));
        }
        let message = || Failure::argument(format!("{what}: {} is not a valid value", self.fixed));
        fixed(self.fixed).map(Value::Fixed).ok_or_else(message)
    }

    pub(crate) fn boolean(self, what: &str) -> Result<Value<bool>, Failure> {
        self.read(what, |fixed| (fixed < 2).then_some(fixed == 1))
    }

    pub(crate) fn number(self, what: &str) -> Result<Value<u32>, Failure> {
        self.read(what, Some)
    }

    /// Reads a number of quarter turns.
    pub(crate) fn rotation(self, what: &str) -> Result<Value<SurfaceRotation>, Failure> {
        let rotations = [
            SurfaceRotation::None,
            SurfaceRotation::Quarter,
            SurfaceRotation::Half,
            SurfaceRotation::ThreeQuarters,
        ];
        self.read(what, |fixed| rotations.get(fixed as usize).copied())
    }
}

/// The type of a descriptor: `VkDescriptorType`.
pub const POLYSHADE_DESCRIPTOR_SAMPLED_IMAGE: u32 = 2;
pub const POLYSHADE_DESCRIPTOR_STORAGE_IMAGE: u32 = 3;
pub const POLYSHADE_DESCRIPTOR_UNIFORM_BUFFER: u32 = 6;
pub const POLYSHADE_DESCRIPTOR_STORAGE_BUFFER: u32 = 7;
pub const POLYSHADE_DESCRIPTOR_INPUT_ATTACHMENT: u32 = 10;

/// Returns the `VkDescriptorType` of a kind; `POLYSHADE_NONE` for a kind that is newer than this table.
pub(crate) fn descriptor_type(kind: DescriptorKind) -> u32 {
    match kind {
        DescriptorKind::SampledImage => POLYSHADE_DESCRIPTOR_SAMPLED_IMAGE,
        DescriptorKind::StorageImage => POLYSHADE_DESCRIPTOR_STORAGE_IMAGE,
        DescriptorKind::UniformBuffer => POLYSHADE_DESCRIPTOR_UNIFORM_BUFFER,
        DescriptorKind::StorageBuffer => POLYSHADE_DESCRIPTOR_STORAGE_BUFFER,
        DescriptorKind::InputAttachment => POLYSHADE_DESCRIPTOR_INPUT_ATTACHMENT,
        _ => crate::failure::POLYSHADE_NONE,
    }
}

/// Checks that a reserved member is 0.
pub(crate) fn check_reserved(reserved: u32, what: &str) -> Result<(), Failure> {
    match reserved {
        0 => Ok(()),
        _ => Err(Failure::argument(format!("{what}: a reserved member is {reserved}, not 0"))),
    }
}

/// Checks that all flags are known.
pub(crate) fn check_flags(flags: u32, known: u32, what: &str) -> Result<(), Failure> {
    match flags & !known {
        0 => Ok(()),
        unknown => Err(Failure::argument(format!("{what} has unknown flags {unknown:#x}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_as_they_went() {
        for kind in 1..9 {
            let place = polyshade_param_source { kind, set: 1, binding: 2, number: 3 };
            let read = place.needed("it").expect("there are so many");
            let back = polyshade_param_source::of(read);
            assert_eq!((back.kind, back.needed("it").ok()), (kind, Some(read)));
        }
        assert!(
            polyshade_param_source { kind: 9, set: 0, binding: 0, number: 0 }.read("it").is_err()
        );
    }

    #[test]
    fn stages_come_back_as_they_went() {
        for bit in (0..8).map(|bit| 1 << bit) {
            let model = stage(bit).expect("there are so many").expect("it is not 0");
            assert_eq!(stage_bit(model), bit);
        }
        assert!(stage(3).is_err() && stage(0x100).is_err());
    }
}
