//! The owner of the counters.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The owner of the counters of captures by variants that store; it also knows the arguments of the draws. The device
/// always owns the counters of `VK_EXT_transform_feedback`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum CounterOwner {
    /// The host. It knows all arguments of a draw when it records the draw, and submits each command buffer once.
    #[default]
    Host,
    /// The device, by [shaders](crate::counter_pass) that the host dispatches before the draw, outside of passes.
    /// Draws may take their arguments from buffers, any command may write the counters, and command buffers may be
    /// submitted again. The variants read their host parameters from memory: through an address, or from a buffer.
    Device,
}
