//! The host parameters of a plan and its counter passes as text.

use super::super::state::Topology;
use super::super::steps::{CounterPass, ParamValue, ParamValues};
use polyshade::host::ParamSource;
use std::fmt;

impl fmt::Display for ParamValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            ParamSource::StorageBuffer { set, binding } => {
                write!(f, "fill in the storage buffer at set {} binding {}:", set.0, binding.0)?;
            }
            ParamSource::Uniform { set, binding } => {
                write!(f, "fill in the uniform buffer at set {} binding {}:", set.0, binding.0)?;
            }
            ParamSource::PushConstant { offset } => {
                write!(f, "fill in push constants from byte {offset} on:")?;
            }
            ParamSource::Specialization { first_id } => {
                write!(f, "fill in specialization constants from {first_id} on:")?;
            }
            ParamSource::Address(pointer) => {
                write!(f, "fill in memory, and its address at {pointer}:")?;
            }
        }
        for (index, (name, word)) in self.names.iter().zip(&self.values).enumerate() {
            write!(f, "{} {name}={word}", if index > 0 { "," } else { "" })?;
            if let ("topology", ParamValue::Constant(number)) = (name.as_str(), word)
                && let Some(topology) = Topology::CAPTURED.iter().find(|one| says(**one, *number))
            {
                write!(f, " ({})", topology.name())?;
            }
        }
        Ok(())
    }
}

/// Whether `number` is the value of the topology's host parameter.
fn says(topology: Topology, number: u32) -> bool {
    topology.captured().is_some_and(|captured| captured as u32 == number)
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => value.fmt(f),
            Self::FirstVertex
            | Self::VertexCount
            | Self::InstanceCount
            | Self::FirstInstance
            | Self::IndexType
            | Self::VertexOffset
            | Self::DrawIndex => f.write_str("the draw's"),
            Self::PrimitiveCount => f.write_str("input primitives of an instance"),
            Self::Slots => f.write_str("corners of an instance"),
            Self::Limit => f.write_str("corners that fit"),
            Self::Start(number) => write!(f, "start in buffer {number}"),
            Self::AddressLow { buffer, offset } => {
                write!(f, "lower half of the address of byte {offset} of buffer {buffer}")
            }
            Self::AddressHigh { .. } | Self::IndexAddressHigh | Self::TableAddressHigh => {
                f.write_str("upper half")
            }
            Self::Counter(counter) => write!(f, "the host's {counter}"),
            Self::Running(number) => write!(f, "where buffer {number} was left"),
            Self::DeviceCounter(number) => write!(f, "device counter of buffer {number}"),
            Self::IndexOffset => f.write_str("offset of index 0"),
            Self::IndexSize => f.write_str("size of the index buffer"),
            Self::IndexAddressLow => f.write_str("lower half of the address of index 0"),
            Self::TableAddressLow => f.write_str("lower half of the address of the segments"),
            Self::TableSize => f.write_str("size of the segments"),
        }
    }
}

impl fmt::Display for CounterPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dispatch: counter pass")?;
        if let Some(counters) = &self.begin {
            write!(f, "; begin with {counters}")?;
        }
        if let Some(count) = &self.count {
            write!(f, "; vertices counted by the device, {count}")?;
        }
        if let Some(words) = &self.params {
            write!(f, "; {words}")?;
        }
        for query in &self.queries {
            write!(f, "; count {query}")?;
        }
        if let Some(counters) = &self.end {
            write!(f, "; end with {counters}")?;
        }
        Ok(())
    }
}
