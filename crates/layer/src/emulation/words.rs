//! What shaders of ours are told of a draw, and where the keeper finds restarts.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::calls::{Call, Indices, Said};
use crate::emulation::memory::Piece;
use crate::emulation::recording::{Recording, Target};
use crate::emulation::state::VertexBuffer;
use crate::emulation::told::{Fetched, Told};
use crate::emulation::variants::Variant;
use ash::vk;
use polyshade_planner::Word;
use polyshade_planner::keeper::{self, Segments};
use std::collections::BTreeMap;

impl Recording {
    pub(super) fn segments(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        call: &Call,
        indices: Indices,
    ) -> Result<Segments, vk::Result> {
        let Indices { address, size, index_type } = indices;
        let most = match call.arguments {
            Said::Direct { count, .. } => count.saturating_mul(index_type.bytes()).min(size),
            _ => size,
        };
        let table_size = Segments::table_size(index_type, most);
        let room = u64::from(table_size) * u64::from(call.draws.max(1));
        let tables = self.arena.take(device, emulator, room)?.address;
        Ok(Segments { index_type, indices: address, size, tables, table_size })
    }

    /// The blocks of words of a draw, and what the keeper makes them of.
    pub(super) fn blocks(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        variant: &Variant,
        call: &Call,
        indices: Option<Indices>,
        (draws, last): (&keeper::Draws, bool),
    ) -> Result<(Piece, Piece), vk::Result> {
        let unbound = (0..).zip(&self.targets).filter(|(_, target)| target.is_none());
        let unbound: u32 = unbound.map(|(number, _)| 2_u32 << number).sum();
        let address =
            |number: usize| self.targets[number].map_or(0, |target: Target| target.address);
        let word = |told: &Told| match *told {
            Told::Kept(word) => word,
            Told::Flags => Word::Constant(u32::from(last) | unbound),
            Told::AddressLow(number) => Word::Constant(address(number) as u32),
            Told::AddressHigh(number) => Word::Constant((address(number) >> 32) as u32),
            Told::Size(number) => Word::Constant(self.targets[number].map_or(0, |one| one.size)),
        };
        let words: Vec<Word> = variant.words.iter().map(word).collect();
        let of_indices = indices.map_or(0, |indices| indices.address);
        let template = keeper::template(&words, |word| match word {
            Word::Constant(value) => *value,
            Word::DrawIndex => match call.arguments {
                Said::Direct { number, .. } => number,
                _ => 0,
            },
            Word::IndexType => indices.map_or(0, |one| one.index_type as u32),
            Word::IndexSize => indices.map_or(0, |one| one.size),
            Word::IndexAddressLow => of_indices as u32,
            Word::IndexAddressHigh => (of_indices >> 32) as u32,
            Word::TableSize => draws.segments.map_or(0, |one| one.table_size),
            _ => 0,
        });
        let template = self.arena.put(device, emulator, &template)?;
        let size = block_stride(variant) * call.draws.max(1);
        Ok((self.kept(device, emulator, size)?, template))
    }

    /// Memory that the keeper writes in front of a pass. Where others share the pass nobody may: so it says first that
    /// there is nothing to draw and no room.
    pub(super) fn kept(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        size: u32,
    ) -> Result<Piece, vk::Result> {
        match self.resumes || self.suspends {
            true => self.arena.put(device, emulator, &vec![0; size as usize / 4]),
            false => self.arena.take(device, emulator, size.into()),
        }
    }

    /// Where it stands what the shader fetches attributes by.
    pub(super) fn pulled(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        variant: &Variant,
        call: &Call,
    ) -> Result<u64, String> {
        if variant.pulled.is_empty() {
            return Ok(0);
        }
        let range =
            |bound: &VertexBuffer| emulator.range(device, (bound.buffer, bound.offset, bound.size));
        // Once for each buffer: the driver is asked for its address.
        let bound = self.vertex_buffers.iter();
        let ranges: BTreeMap<u32, (u64, u32)> =
            bound.filter_map(|(number, bound)| Some((*number, range(bound)?))).collect();
        let range = |number: u32| ranges.get(&number).copied().unwrap_or((0, 0));
        let word = |fetched: &Fetched| match *fetched {
            Fetched::FirstInstance => call.first_instance().ok_or_else(|| {
                "attributes with a divisor, of an indirect draw with indices".to_owned()
            }),
            Fetched::AddressLow(number) => Ok(range(number).0 as u32),
            Fetched::AddressHigh(number) => Ok((range(number).0 >> 32) as u32),
            Fetched::Size(number) => Ok(range(number).1),
            Fetched::Nothing => Ok(0),
        };
        let words = variant.pulled.iter().map(word).collect::<Result<Vec<_>, _>>()?;
        let block = self.arena.put(device, emulator, &words);
        block.map(|block| block.address).map_err(|error| format!("no memory: {error}"))
    }
}

/// From one block of words to the next.
pub(super) fn block_stride(variant: &Variant) -> u32 {
    (4 * variant.words.len() as u32).next_multiple_of(16)
}
