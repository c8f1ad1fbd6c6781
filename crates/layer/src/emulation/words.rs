//! What shaders of ours are told of a draw, and where the counter pass finds restarts.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::calls::{Call, Indices, Said};
use crate::emulation::memory::Piece;
use crate::emulation::recording::{Recording, Tables, Target};
use crate::emulation::state::VertexBuffer;
use crate::emulation::told::{Fetched, Told};
use crate::emulation::variants::Variant;
use ash::vk;
use polyshade_planner::Word;
use polyshade_planner::counter_pass::{self, Segments};
use std::collections::BTreeMap;

/// The bytes of tables of restarts that draws of a recording do not share. Each has room for a restart at every index.
/// Further draws share a pool, which is so many bytes larger than one such table.
const MOST_TABLES: u64 = 64 << 20;

/// The least bytes of a pool, where there is not enough memory.
const LEAST_TABLES: u64 = 1 << 20;

impl Recording {
    /// Where the restarts of a draw's indices are looked for.
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
        let draws = u64::from(call.draws.max(1));
        let room = u64::from(table_size) * draws;
        if self.table_bytes + room <= MOST_TABLES {
            self.table_bytes += room;
            let tables = self.arena.take(device, emulator, room)?.address;
            return Ok(Segments {
                index_type,
                indices: address,
                size,
                tables,
                table_size,
                pool: 0,
            });
        }
        // As if each index was drawn once.
        let size_of_pool = u64::from(table_size) + MOST_TABLES;
        let pool = match self.tables.filter(|pool| pool.wanted >= size_of_pool) {
            Some(pool) => pool,
            None => self.pool(device, emulator, size_of_pool)?,
        };
        self.tables = Some(pool);
        let tables = self.arena.take(device, emulator, 4 * draws)?.address;
        let (pool, table_size) = (pool.address, pool.size);
        Ok(Segments { index_type, indices: address, size, tables, table_size, pool })
    }

    /// A pool of at least so many bytes, or of fewer where there are not so many.
    fn pool(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        wanted: u64,
    ) -> Result<Tables, vk::Result> {
        let asked = wanted;
        let wanted = wanted.min(u64::from(u32::MAX) - 15);
        let some = |size| Some((size, self.arena.take(device, emulator, size).ok()?));
        let found = std::iter::successors(Some(wanted), |size| Some(size / 2));
        let found = found.take_while(|size| *size >= LEAST_TABLES).find_map(some);
        let (size, piece) = found.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        piece.write(0, &Segments::pool(size as u32));
        Ok(Tables { address: piece.address, size: size as u32, wanted: asked })
    }

    /// The blocks of words of a draw, and what the counter pass makes them of.
    pub(super) fn blocks(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        variant: &Variant,
        call: &Call,
        indices: Option<Indices>,
        (draws, last): (&counter_pass::Draws, bool),
    ) -> Result<(Piece, Piece), vk::Result> {
        let captured = variant.words.iter().map(|told| self.told_of_capture(told, last));
        let mut words: Vec<Word> = captured.collect();
        words.extend(self.fetched(device, emulator, variant));
        let of_indices = indices.map_or(0, |indices| indices.address);
        let template = counter_pass::template(&words, |word| match word {
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
        let size = variant.block_stride() * call.draws.max(1) * self.executions();
        Ok((self.kept(device, emulator, size)?, template))
    }

    /// What a word of the capture is.
    fn told_of_capture(&self, told: &Told, last: bool) -> Word {
        let target = |number: usize| self.targets[number];
        let address = |number| target(number).map_or(0, |target: Target| target.address);
        match *told {
            Told::Kept(word) => word,
            Told::Flags => {
                let unbound = (0..).zip(&self.targets).filter(|(_, target)| target.is_none());
                let unbound: u32 = unbound.map(|(number, _)| 2_u32 << number).sum();
                Word::Constant(u32::from(last) | unbound)
            }
            Told::AddressLow(number) => Word::Constant(address(number) as u32),
            Told::AddressHigh(number) => Word::Constant((address(number) >> 32) as u32),
            Told::Size(number) => Word::Constant(target(number).map_or(0, |one| one.size)),
        }
    }

    /// The words by which the shader fetches attributes.
    fn fetched(&self, device: &Driver, emulator: &Emulator, variant: &Variant) -> Vec<Word> {
        if variant.pulled.is_empty() {
            return Vec::new();
        }
        let range =
            |bound: &VertexBuffer| emulator.range(device, (bound.buffer, bound.offset, bound.size));
        // Once for each buffer: the driver is asked for its address.
        let bound = self.vertex_buffers.iter();
        let ranges: BTreeMap<u32, (u64, u32)> =
            bound.filter_map(|(number, bound)| Some((*number, range(bound)?))).collect();
        let range = |number: u32| ranges.get(&number).copied().unwrap_or((0, 0));
        let word = |fetched: &Fetched| match *fetched {
            Fetched::FirstInstance => Word::FirstInstance,
            Fetched::AddressLow(number) => Word::Constant(range(number).0 as u32),
            Fetched::AddressHigh(number) => Word::Constant((range(number).0 >> 32) as u32),
            Fetched::Size(number) => Word::Constant(range(number).1),
            Fetched::Nothing => Word::Constant(0),
        };
        variant.pulled.iter().map(word).collect()
    }

    /// Memory that the counter pass writes in front of a pass. Where others have the pass nobody may: so it says first
    /// that there is nothing to draw and no room.
    pub(super) fn kept(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        size: u32,
    ) -> Result<Piece, vk::Result> {
        match self.resumes || self.suspends || self.is_secondary {
            true => self.arena.put(device, emulator, &vec![0; size as usize / 4]),
            false => self.arena.take(device, emulator, size.into()),
        }
    }
}

impl Variant {
    /// The bytes of the words of the capture, behind which those are by which attributes are fetched.
    pub(super) fn capture_size(&self) -> u32 {
        4 * self.words.len() as u32
    }

    /// The words of a block.
    pub(super) fn word_count(&self) -> u32 {
        (self.words.len() + self.pulled.len()) as u32
    }

    /// From one block of words to the next.
    pub(super) fn block_stride(&self) -> u32 {
        (4 * self.word_count()).next_multiple_of(16)
    }
}
