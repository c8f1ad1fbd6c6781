//! Draws, with the arguments of their commands.

use crate::driver::Driver;
use crate::emulation::Emulator;
use ash::vk;
use polyshade::transform_feedback::IndexType;
use polyshade_planner::counter_pass::Arguments;

/// One draw, or several draws of one command.
#[derive(Clone, Copy)]
pub(crate) struct RecordedDraw {
    pub(crate) arguments: DrawArguments,
    pub(crate) indexed: bool,
    pub(crate) draws: u32,
    /// Whether the command may have several draws.
    pub(crate) is_multi: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum DrawArguments {
    Direct {
        count: u32,
        instances: u32,
        first: u32,
        vertex_offset: i32,
        first_instance: u32,
        number: u32,
    },
    Indirect {
        place: (vk::Buffer, u64),
        stride: u32,
        count: Option<(vk::Buffer, u64)>,
    },
    Bytes {
        counter: (vk::Buffer, u64),
        offset: u32,
        stride: u32,
        instances: u32,
        first_instance: u32,
    },
}

impl RecordedDraw {
    pub(crate) fn direct(
        indexed: bool,
        numbers: [u32; 4],
        vertex_offset: i32,
        number: u32,
    ) -> Self {
        let [count, instances, first, first_instance] = numbers;
        let arguments = DrawArguments::Direct {
            count,
            instances,
            first,
            vertex_offset,
            first_instance,
            number,
        };
        Self { arguments, indexed, draws: 1, is_multi: false }
    }

    /// Returns the draw as one of `count` draws of a command.
    pub(crate) fn of_multi(self, count: u32) -> Self {
        Self { is_multi: count > 1, ..self }
    }

    pub(crate) fn indirect(
        indexed: bool,
        place: (vk::Buffer, u64),
        (draws, stride): (u32, u32),
        count: Option<(vk::Buffer, u64)>,
    ) -> Self {
        let arguments = DrawArguments::Indirect { place, stride, count };
        Self { arguments, indexed, draws, is_multi: draws > 1 }
    }

    /// Returns whether the host supplies the arguments.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self.arguments, DrawArguments::Direct { .. })
    }

    /// Returns the arguments for the counter pass, or `None` if a buffer has no address.
    pub(crate) fn arguments(&self, device: &Driver, emulator: &Emulator) -> Option<Arguments> {
        let at = |(buffer, offset)| emulator.place(device, buffer, offset).map(|(place, _)| place);
        Some(match self.arguments {
            DrawArguments::Direct {
                count,
                instances,
                first,
                vertex_offset,
                first_instance,
                ..
            } => {
                let instance_count = instances;
                Arguments::Direct { count, instance_count, first, vertex_offset, first_instance }
            }
            DrawArguments::Indirect { place, stride, count } => {
                let count = match count {
                    Some(count) => at(count)?,
                    None => 0,
                };
                Arguments::Indirect { place: at(place)?, stride, count, indexed: self.indexed }
            }
            DrawArguments::Bytes { counter, offset, stride, instances, first_instance } => {
                let (counter, instance_count) = (at(counter)?, instances);
                Arguments::ByteCount { counter, offset, stride, instance_count, first_instance }
            }
        })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Indices {
    pub(crate) address: u64,
    pub(crate) size: u32,
    pub(crate) index_type: IndexType,
}
