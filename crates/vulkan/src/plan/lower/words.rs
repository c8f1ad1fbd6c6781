//! Computes the host parameters of variants. Addresses are written later.

use super::names::{feedback, indices, without_indices};
use super::{Lowering, Pending, not_captured};
use crate::capture::place_words;
use crate::error::Error;
use crate::work::{Place, Range};
use polyshade::transform_feedback::{self, BufferRange};
use polyshade_planner::{ParamRange, ParamValue, ParamValues};

impl<'a> Lowering<'a, '_> {
    pub(super) fn fill_in(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        words: &ParamValues,
    ) -> Result<(), Error> {
        let range = |range: &ParamRange| {
            if range.unbound {
                return Ok(BufferRange::UNBOUND);
            }
            let ParamRange { offset, size, counter, .. } = *range;
            let counter = self.word(pending, &counter)?;
            Ok(BufferRange { offset, size, counter, ..BufferRange::default() })
        };
        pending.ranges = words.ranges.iter().map(range).collect::<Result<_, Error>>()?;
        let values = words.values.iter().map(|word| self.word(pending, word));
        let values = values.collect::<Result<Vec<u32>, Error>>()?;
        let Some(draw) = &mut pending.bound else {
            return Err(Error::work("host parameters are written without a pipeline"));
        };
        let block = place_words(words.source, &values, 0, draw, &mut self.lowered.work);
        if let Some(block) = block {
            let first = Place { buffer: block, offset: 0 };
            self.tell_addresses(pending, words, first)?;
        }
        Ok(())
    }

    /// Requests that the addresses among the parameters are written; `first` is the place of the first parameter.
    pub(super) fn tell_addresses(
        &mut self,
        pending: &Pending<'_, 'a>,
        words: &ParamValues,
        first: Place,
    ) -> Result<(), Error> {
        for (number, word) in (0..).zip(&words.values) {
            let of = match word {
                ParamValue::AddressLow { buffer, offset } => {
                    let buffer = feedback(pending.planned, *buffer as usize)?;
                    Place { buffer, offset: *offset }
                }
                ParamValue::IndexAddressLow => indices(pending.planned)?.place,
                ParamValue::TableAddressLow => match pending.table {
                    Some(Range { buffer, offset, .. }) => Place { buffer, offset },
                    None => continue,
                },
                _ => continue,
            };
            let to = Place { offset: first.offset + 4 * number, ..first };
            self.lowered.work.addresses.push((of, to));
        }
        Ok(())
    }

    pub(super) fn word(&self, pending: &Pending<'_, '_>, word: &ParamValue) -> Result<u32, Error> {
        let numbers = &pending.numbers;
        let of_indices = || numbers.indices.ok_or_else(without_indices);
        match word {
            ParamValue::Constant(value) => Ok(*value),
            ParamValue::FirstVertex => Ok(numbers.first_vertex),
            ParamValue::VertexCount => Ok(numbers.vertex_count),
            ParamValue::InstanceCount => Ok(numbers.instance_count),
            ParamValue::FirstInstance => Ok(numbers.first_instance),
            ParamValue::PrimitiveCount => Ok(primitives_per_instance(numbers)),
            ParamValue::Slots => Ok(corners(numbers, primitives_per_instance(numbers).into())),
            ParamValue::Limit => {
                let capture = pending.planned.capture.ok_or_else(not_captured)?;
                Ok(corners(numbers, capture.layout.primitives_written(numbers, &pending.ranges)?))
            }
            ParamValue::Start(number) => {
                let range = pending.ranges.get(*number as usize).copied().unwrap_or_default();
                Ok(range.offset.saturating_add(range.counter))
            }
            // Addresses are written when the buffers exist.
            ParamValue::AddressLow { .. }
            | ParamValue::AddressHigh { .. }
            | ParamValue::IndexAddressLow
            | ParamValue::IndexAddressHigh
            | ParamValue::TableAddressLow
            | ParamValue::TableAddressHigh => Ok(0),
            ParamValue::IndexType => of_indices().map(|one| one.index_type as u32),
            ParamValue::VertexOffset => of_indices().map(|one| one.vertex_offset.cast_unsigned()),
            ParamValue::DrawIndex => Ok(numbers.draw_index),
            ParamValue::IndexOffset => of_indices().map(|one| one.offset),
            ParamValue::IndexSize => of_indices().map(|one| one.size),
            ParamValue::TableSize => of_indices().map(|one| one.table_size),
            // The counter pass fills in these values.
            ParamValue::DeviceCounter(_) => Ok(0),
            ParamValue::Counter(counter) => self.counter(counter),
            ParamValue::Running(number) => self
                .running
                .get(*number as usize)
                .copied()
                .ok_or_else(|| Error::work("capture is resumed before it has begun")),
        }
    }
}

fn primitives_per_instance(numbers: &transform_feedback::Draw) -> u32 {
    let restarted = numbers.indices.and_then(|indices| indices.restarted);
    restarted.unwrap_or_else(|| numbers.topology.primitives(numbers.vertex_count))
}

/// Returns the number of vertices in these primitives of a draw. It saturates, because no buffer is that large.
fn corners(draw: &transform_feedback::Draw, primitives: u64) -> u32 {
    let corners = primitives * u64::from(draw.topology.vertices_per_primitive());
    u32::try_from(corners).unwrap_or(u32::MAX)
}
