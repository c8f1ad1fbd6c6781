//! Who keeps the counters.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Who keeps the counters of captures by variants that store, and knows the numbers of their draws. The extension's
/// counters are the device's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Keeper {
    /// The host: it knows all numbers of a draw when it records it, and commands are submitted once.
    #[default]
    Host,
    /// The device, by [shaders](crate::keeper) that the host dispatches before the draw, outside of passes: draws may
    /// take their numbers from buffers, counters may have been written by anything, and command buffers may be
    /// submitted again. The variants have to find their words in memory: behind an address, or in a buffer.
    Device,
}
