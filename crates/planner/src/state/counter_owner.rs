//! The owner of the counters.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The owner of the counters of captures by variants that store. The owner also knows the arguments of the draws.
/// With `VK_EXT_transform_feedback`, the device always owns the counters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum CounterOwner {
    /// The host, which knows all arguments of a draw when it records the draw, and submits each command buffer only
    /// once.
    #[default]
    Host,
    /// The device. The host dispatches [shaders](crate::counter_pass) before the draw, outside of passes, that
    /// advance the counters. Draws may take their arguments from buffers, any command may write the counters, and
    /// command buffers may be submitted again. The variants read their host parameters from memory: through an
    /// address, or from a buffer.
    Device,
}
