//! The parameters of the layer's shaders, identified by their names when a variant is created.

use polyshade::host::HostParams;
use polyshade::transform_feedback::{MAX_BUFFERS, Topology};
use polyshade_planner::ParamValue;

pub(crate) enum CaptureParam {
    /// A value that the counter pass or its template writes.
    Kept(ParamValue),
    /// Whether the last vertex is the provoking vertex, and which transform feedback buffers are unbound.
    Flags,
    /// The lower half of the address of the range bound as this transform feedback buffer.
    AddressLow(usize),
    AddressHigh(usize),
    Size(usize),
    /// The lower half of the address of the table of counts.
    CountsLow,
    CountsHigh,
    CountsSize,
}

pub(crate) enum PullingParam {
    FirstInstance,
    /// The lower half of the address of the range bound as this vertex buffer.
    AddressLow(u32),
    AddressHigh(u32),
    Size(u32),
    Nothing,
}

/// Splits a parameter name into its text and the number at its end.
fn parts(name: &str) -> (&str, u32) {
    let parts = name.rsplit_once('_');
    let numbered = parts.and_then(|(what, number)| Some((what, number.parse().ok()?)));
    numbered.unwrap_or((name, 0))
}

impl CaptureParam {
    /// Returns the value that the counter pass writes; a constant if it writes none.
    pub(super) fn value(&self) -> ParamValue {
        match self {
            Self::Kept(value) => *value,
            _ => ParamValue::Constant(0),
        }
    }

    /// Returns the parameters of a capture for draws of this topology.
    pub(super) fn all(words: &HostParams, topology: Topology) -> Vec<Self> {
        let param = |name: &str| {
            let (what, number) = parts(name);
            let buffer = number as usize;
            debug_assert!(buffer < MAX_BUFFERS, "{name}");
            match what {
                "topology" => Self::Kept(ParamValue::Constant(topology as u32)),
                "flags" => Self::Flags,
                "address_low" => Self::AddressLow(buffer),
                "address_high" => Self::AddressHigh(buffer),
                "size" => Self::Size(buffer),
                "counts_address_low" => Self::CountsLow,
                "counts_address_high" => Self::CountsHigh,
                "counts_size" => Self::CountsSize,
                "counter" => Self::Kept(ParamValue::DeviceCounter(number)),
                of_draw => {
                    Self::Kept(ParamValue::of_draw(of_draw).unwrap_or(ParamValue::Constant(0)))
                }
            }
        };
        words.params.iter().map(|word| param(&word.name)).collect()
    }
}

impl PullingParam {
    pub(super) fn all(words: &HostParams) -> Vec<Self> {
        let param = |name: &str| match parts(name) {
            ("first_instance", _) => Self::FirstInstance,
            ("vertex_address_low", number) => Self::AddressLow(number),
            ("vertex_address_high", number) => Self::AddressHigh(number),
            ("vertex_size", number) => Self::Size(number),
            _ => Self::Nothing,
        };
        words.params.iter().map(|word| param(&word.name)).collect()
    }
}
