//! Where the counters are.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Who has the counters of captures by variants that store, and knows the parameters of their draws. The counters of
/// `VK_EXT_transform_feedback` are always the device's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum CounterOwner {
    /// The host: it knows all parameters of a draw when it records it, and commands are submitted once.
    #[default]
    Host,
    /// The device, by [shaders](crate::counter_pass) that the host dispatches before the draw, outside of passes: draws
    /// may take their parameters from buffers, counters may have been written by anything, and command buffers may be
    /// submitted again. The variants read their words from memory: behind an address, or in a buffer.
    Device,
}
