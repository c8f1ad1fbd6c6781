//! The parameters that the layer's shaders read for a draw, and the tables in which the counter pass stores segments.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::draw_calls::{DrawArguments, Indices, RecordedDraw};
use crate::emulation::lowered::Emitted;
use crate::emulation::memory::Piece;
use crate::emulation::recording::{CapturedRange, Recording, Tables};
use crate::emulation::shader_params::{CaptureParam, PullingParam};
use crate::emulation::state::VertexBuffer;
use crate::emulation::variants::Variant;
use ash::vk;
use polyshade_planner::ParamValue;
use polyshade_planner::counter_pass::{self, Segments};
use std::collections::BTreeMap;

/// The maximum total size in bytes of segment tables that belong to single draws of a recording. Each table can hold a
/// restart at every index. Further draws share a pool of this size plus the size of one such table.
const MOST_TABLES: u64 = 64 << 20;

/// The minimum size in bytes of a pool, if memory is short.
const LEAST_TABLES: u64 = 1 << 20;

impl Recording {
    /// Allocates the segment tables for an indexed draw with primitive restart.
    pub(super) fn segments(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        call: &RecordedDraw,
        indices: Indices,
    ) -> Result<Segments, vk::Result> {
        let Indices { address, size, index_type } = indices;
        let most = match call.arguments {
            DrawArguments::Direct { count, .. } => {
                count.saturating_mul(index_type.bytes()).min(size)
            }
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
                is_built: false,
            });
        }
        // The size assumes that each index is drawn once.
        let size_of_pool = u64::from(table_size) + MOST_TABLES;
        let pool = match self.tables.filter(|pool| pool.wanted >= size_of_pool) {
            Some(pool) => pool,
            None => self.pool(device, emulator, size_of_pool)?,
        };
        self.tables = Some(pool);
        let tables = self.arena.take(device, emulator, 4 * draws)?.address;
        let (pool, table_size) = (pool.address, pool.size);
        let (indices, is_built) = (address, false);
        Ok(Segments { index_type, indices, size, tables, table_size, pool, is_built })
    }

    /// Allocates a pool of `wanted` bytes, or a smaller one if memory is short.
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

    /// Returns the template from which the counter pass writes the host parameters of a draw. Draws with the same state
    /// share it, unless it contains a number of a draw in a multi-draw, or the size of a segment table.
    pub(super) fn template(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        variant: &Variant,
        call: &RecordedDraw,
        indices: Option<Indices>,
        (table_size, last): (u32, bool),
    ) -> Result<Piece, vk::Result> {
        let number = match call.arguments {
            DrawArguments::Direct { number, .. } => number,
            _ => 0,
        };
        let which = usize::from(indices.is_some());
        let is_shared = number == 0 && table_size == 0 && self.sparse.is_none();
        let prepared = self.prepared[which].as_ref().filter(|_| is_shared);
        if let Some(template) = prepared.and_then(|one| one.template) {
            return Ok(template);
        }
        let captured = variant.words.iter().map(|param| self.capture_param(param, last));
        let mut words: Vec<ParamValue> = captured.collect();
        words.extend(self.pulling_params(device, emulator, variant));
        // The host knows these values. The counter pass fills in all other values for each draw.
        let of_indices = indices.map_or(0, |indices| indices.address);
        let template = counter_pass::template(&words, |word| match word {
            ParamValue::Constant(value) => *value,
            ParamValue::DrawIndex => number,
            ParamValue::IndexType => indices.map_or(0, |one| one.index_type as u32),
            ParamValue::IndexSize => indices.map_or(0, |one| one.size),
            ParamValue::IndexAddressLow => of_indices as u32,
            ParamValue::IndexAddressHigh => (of_indices >> 32) as u32,
            ParamValue::TableSize => table_size,
            _ => 0,
        });
        let template = self.arena.put(device, emulator, &template)?;
        if let Some(prepared) = self.prepared[which].as_mut().filter(|_| is_shared) {
            prepared.template = Some(template);
        }
        Ok(template)
    }

    /// Returns the memory to which the current draw captures for a transform feedback buffer.
    pub(super) fn target(&self, number: usize) -> Option<CapturedRange> {
        self.sparse.as_ref().map_or(self.targets, |sparse| sparse.targets)[number]
    }

    fn capture_param(&self, param: &CaptureParam, last: bool) -> ParamValue {
        let target = |number: usize| self.target(number);
        let address = |number| target(number).map_or(0, |target: CapturedRange| target.address);
        let counts = self.sparse.as_ref().map(|sparse| sparse.counts);
        let of_counts = counts.map_or(0, |counts| counts.address);
        match *param {
            CaptureParam::Kept(word) => word,
            CaptureParam::Flags => {
                let unbound = (0..).zip(&self.targets).filter(|(_, target)| target.is_none());
                let unbound: u32 = unbound.map(|(number, _)| 2_u32 << number).sum();
                ParamValue::Constant(u32::from(last) | unbound)
            }
            CaptureParam::AddressLow(number) => ParamValue::Constant(address(number) as u32),
            CaptureParam::AddressHigh(number) => {
                ParamValue::Constant((address(number) >> 32) as u32)
            }
            CaptureParam::Size(number) => {
                ParamValue::Constant(target(number).map_or(0, |one| one.size))
            }
            CaptureParam::CountsLow => ParamValue::Constant(of_counts as u32),
            CaptureParam::CountsHigh => ParamValue::Constant((of_counts >> 32) as u32),
            CaptureParam::CountsSize => {
                ParamValue::Constant(counts.map_or(0, |counts| counts.size))
            }
        }
    }

    fn pulling_params(
        &self,
        device: &Driver,
        emulator: &Emulator,
        variant: &Variant,
    ) -> Vec<ParamValue> {
        if variant.pulled.is_empty() {
            return Vec::new();
        }
        let range =
            |bound: &VertexBuffer| emulator.range(device, (bound.buffer, bound.offset, bound.size));
        // Computed once for each buffer, because each range asks the driver for the buffer's address.
        let bound = (0..).zip(&self.vertex_buffers);
        let ranges: BTreeMap<u32, (u64, u32)> =
            bound.filter_map(|(number, bound)| Some((number, range(bound.as_ref()?)?))).collect();
        let range = |number: u32| ranges.get(&number).copied().unwrap_or((0, 0));
        let word = |param: &PullingParam| match *param {
            PullingParam::FirstInstance => ParamValue::FirstInstance,
            PullingParam::AddressLow(number) => ParamValue::Constant(range(number).0 as u32),
            PullingParam::AddressHigh(number) => {
                ParamValue::Constant((range(number).0 >> 32) as u32)
            }
            PullingParam::Size(number) => ParamValue::Constant(range(number).1),
            PullingParam::Nothing => ParamValue::Constant(0),
        };
        variant.pulled.iter().map(word).collect()
    }

    /// Allocates memory that the counter pass writes before a render pass. If another command buffer begins the pass,
    /// the memory may never be written. It therefore starts with zeros: an empty draw that captures nothing.
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
    /// Returns the template for the job of a vertex stream after stream 0.
    pub(super) fn stream_template(&self, emitted: &Emitted, stream: u32) -> Vec<u32> {
        let words: Vec<ParamValue> = self.words.iter().map(CaptureParam::value).collect();
        counter_pass::stream_template(&words, |buffer| emitted.streams[buffer as usize] == stream)
    }

    /// Returns the size in bytes of the capture parameters. The vertex-pulling parameters follow them.
    pub(super) fn capture_size(&self) -> u32 {
        4 * self.words.len() as u32
    }

    /// Returns the number of 32-bit parameters in a block.
    pub(super) fn word_count(&self) -> u32 {
        (self.words.len() + self.pulled.len()) as u32
    }

    /// Returns the distance in bytes between two parameter blocks.
    pub(super) fn block_stride(&self) -> u32 {
        (4 * self.word_count()).next_multiple_of(16)
    }
}
