//! Memory of the layer that the host writes and shaders read and write: jobs, parameters, draw arguments, results.
//!
//! A device may allow as few as 4,096 memory allocations, and an application may have any number of command buffers,
//! so command buffers share chunks. A recording allocates from an [`Arena`] of blocks of increasing size. The arena
//! returns all blocks at once, and the next recording reuses them.

use crate::driver::Driver;
use crate::emulation::Emulator;
use ash::vk::{self, MemoryPropertyFlags};
use std::sync::{Mutex, PoisonError};

/// The sizes in bytes of the blocks that chunks are cut into. A larger request gets its own chunk.
const BLOCKS: [u64; 5] = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18];

/// The size in bytes of the first chunks. The size grows by this amount after every `CHUNKS_ALIKE` chunks.
const CHUNK: u64 = BLOCKS[4];
const CHUNKS_ALIKE: usize = 8;

/// The alignment of pieces in bytes, sufficient for the layer's shaders and for indirect arguments.
const ALIGNMENT: u64 = 16;

/// A buffer with its own host-visible memory.
struct Chunk {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    address: u64,
    pointer: *mut u8,
    size: u64,
}

// SAFETY: the layer owns the memory; only the holder of a piece writes to it.
unsafe impl Send for Chunk {}
// SAFETY: as above.
unsafe impl Sync for Chunk {}

#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) buffer: vk::Buffer,
    /// The offset in the buffer, in bytes.
    pub(crate) offset: u64,
    pub(crate) address: u64,
    pointer: *mut u8,
    size: u64,
}

impl Chunk {
    /// Creates a chunk of at least `size` bytes.
    fn new(device: &Driver, emulator: &Emulator, size: u64) -> Result<Self, vk::Result> {
        let size = size.max(1).next_multiple_of(ALIGNMENT);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let next = &device.next;
        let lost = vk::Result::ERROR_INITIALIZATION_FAILED;
        let mut chunk = Self {
            buffer: vk::Buffer::null(),
            memory: vk::DeviceMemory::null(),
            address: 0,
            pointer: std::ptr::null_mut(),
            size,
        };
        // SAFETY: the device is alive, all structures are valid, and created objects are destroyed if a call fails.
        let made = unsafe {
            let handle = device.handle;
            (|| {
                let create = next.create_buffer.ok_or(lost)?;
                create(handle, &raw const info, std::ptr::null(), &raw mut chunk.buffer)
                    .result()?;
                // The driver chooses size and memory types; the memory must allow device addresses.
                let mut needs = vk::MemoryRequirements::default();
                let ask = next.get_buffer_memory_requirements.ok_or(lost)?;
                ask(handle, chunk.buffer, &raw mut needs);
                let kind = emulator.memory_type(needs.memory_type_bits).ok_or(lost)?;
                let mut flags = vk::MemoryAllocateFlagsInfo::default()
                    .flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(kind)
                    .push_next(&mut flags);
                let allocate = next.allocate_memory.ok_or(lost)?;
                allocate(handle, &raw const info, std::ptr::null(), &raw mut chunk.memory)
                    .result()?;
                let bind = next.bind_buffer_memory.ok_or(lost)?;
                bind(handle, chunk.buffer, chunk.memory, 0).result()?;
                // The memory stays mapped until the chunk is destroyed.
                let mut pointer = std::ptr::null_mut();
                let (map, flags) = (next.map_memory.ok_or(lost)?, vk::MemoryMapFlags::empty());
                map(handle, chunk.memory, 0, vk::WHOLE_SIZE, flags, &raw mut pointer).result()?;
                chunk.pointer = pointer.cast();
                chunk.address = address(device, chunk.buffer);
                Ok(())
            })()
        };
        match made {
            Ok(()) => Ok(chunk),
            Err(error) => {
                chunk.destroy(device);
                Err(error)
            }
        }
    }

    fn piece(&self, offset: u64, size: u64) -> Piece {
        let (buffer, address, pointer) = (self.buffer, self.address, self.pointer);
        Piece { buffer, offset: 0, address, pointer, size: self.size }.part(offset, size)
    }

    fn destroy(self, device: &Driver) {
        // SAFETY: the device is alive and no longer uses the chunk; null handles are ignored.
        unsafe {
            if let Some(destroy) = device.next.destroy_buffer {
                destroy(device.handle, self.buffer, std::ptr::null());
            }
            if let Some(free) = device.next.free_memory {
                free(device.handle, self.memory, std::ptr::null());
            }
        }
    }
}

// SAFETY: as above.
unsafe impl Send for Piece {}
// SAFETY: as above.
unsafe impl Sync for Piece {}

impl Piece {
    /// Returns the part of `size` bytes that begins at byte `at`.
    fn part(&self, at: u64, size: u64) -> Self {
        assert!(at + size <= self.size, "a part lies in its piece");
        Self {
            offset: self.offset + at,
            address: self.address + at,
            // SAFETY: the offset lies in the piece.
            pointer: unsafe { self.pointer.add(at as usize) },
            size,
            ..*self
        }
    }

    /// Returns whether the piece is large enough for the values.
    pub(crate) fn holds(&self, words: &[u32]) -> bool {
        self.size >= size_of_val(words) as u64
    }

    /// Writes values from byte `at` on, as far as they fit.
    pub(crate) fn write(&self, at: u64, words: &[u32]) {
        let room = self.size.saturating_sub(at) as usize / 4;
        let count = words.len().min(room);
        // SAFETY: the values lie in the piece, and only its holder writes to it.
        unsafe {
            let to = self.pointer.add(at as usize);
            to.copy_from_nonoverlapping(words.as_ptr().cast(), 4 * count);
        }
    }

    /// Returns the 64-bit value at byte `at`, or 0 if the piece ends before it.
    pub(crate) fn read(&self, at: u64) -> u64 {
        if at + 8 > self.size {
            return 0;
        }
        // SAFETY: the value lies in the piece.
        unsafe { self.pointer.add(at as usize).cast::<u64>().read_volatile() }
    }
}

/// Returns the device address of a buffer that has one.
pub(crate) fn address(device: &Driver, buffer: vk::Buffer) -> u64 {
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
    // SAFETY: the buffer was created with device address usage and has memory.
    device
        .next
        .get_buffer_device_address
        .map_or(0, |ask| unsafe { ask(device.handle, &raw const info) })
}

/// A piece of memory that is returned as a whole.
pub(crate) struct Block {
    pub(crate) piece: Piece,
    /// The block's chunk, if the chunk contains only this block.
    own: Option<Chunk>,
}

#[derive(Default)]
pub(crate) struct Arena {
    blocks: Vec<Block>,
    /// The number of bytes used in the last block.
    used: u64,
}

impl Arena {
    pub(crate) fn take(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        size: u64,
    ) -> Result<Piece, vk::Result> {
        let size = size.max(1).next_multiple_of(ALIGNMENT);
        let last = self.blocks.last().filter(|last| last.piece.size - self.used >= size);
        if last.is_none() {
            let larger = BLOCKS[self.blocks.len().min(BLOCKS.len() - 1)];
            self.blocks.push(emulator.chunks.take(device, emulator, size.max(larger))?);
            self.used = 0;
        }
        let last = self.blocks.last().ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let piece = last.piece.part(self.used, size);
        self.used += size;
        Ok(piece)
    }

    /// Allocates a piece and writes the values to it.
    pub(crate) fn put(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        words: &[u32],
    ) -> Result<Piece, vk::Result> {
        let piece = self.take(device, emulator, 4 * words.len() as u64)?;
        piece.write(0, words);
        Ok(piece)
    }

    /// Returns all blocks to the pool. No pending commands may use them.
    pub(crate) fn clear(&mut self, device: &Driver, emulator: &Emulator) {
        self.used = 0;
        for block in self.blocks.drain(..) {
            emulator.chunks.give(device, block);
        }
    }
}

/// The chunks that are cut into blocks, and the free blocks.
#[derive(Default)]
pub(crate) struct Chunks(Mutex<Cut>);

#[derive(Default)]
struct Cut {
    chunks: Vec<Chunk>,
    /// The number of bytes already cut from the last chunk.
    used: u64,
    waiting: [Vec<Piece>; BLOCKS.len()],
}

impl Chunks {
    /// Returns a block of at least `size` bytes.
    pub(crate) fn take(
        &self,
        device: &Driver,
        emulator: &Emulator,
        size: u64,
    ) -> Result<Block, vk::Result> {
        let Some(class) = BLOCKS.iter().position(|block| *block >= size) else {
            let chunk = Chunk::new(device, emulator, size)?;
            return Ok(Block { piece: chunk.piece(0, chunk.size), own: Some(chunk) });
        };
        let mut cut = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = match cut.waiting[class].pop() {
            Some(piece) => piece,
            None => cut.cut(device, emulator, BLOCKS[class])?,
        };
        Ok(Block { piece, own: None })
    }

    /// Takes back a block. No pending commands may use it.
    pub(crate) fn give(&self, device: &Driver, block: Block) {
        if let Some(chunk) = block.own {
            return chunk.destroy(device);
        }
        let mut cut = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let class = BLOCKS.iter().position(|size| *size == block.piece.size);
        cut.waiting[class.expect("every block has one of these sizes")].push(block.piece);
    }

    /// Destroys all chunks. All blocks must have been returned.
    pub(crate) fn destroy(&self, device: &Driver) {
        let cut = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        cut.chunks.into_iter().for_each(|chunk| chunk.destroy(device));
    }
}

impl Cut {
    /// Cuts a piece from the last chunk, or from a new one. Later chunks are larger, which limits their number.
    fn cut(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        size: u64,
    ) -> Result<Piece, vk::Result> {
        let last = self.chunks.last().filter(|last| last.size - self.used >= size);
        if last.is_none() {
            let larger = 1 + self.chunks.len() / CHUNKS_ALIKE;
            self.chunks.push(Chunk::new(device, emulator, CHUNK * larger as u64)?);
            self.used = 0;
        }
        let last = self.chunks.last().ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let piece = last.piece(self.used, size);
        self.used += size;
        Ok(piece)
    }
}

/// Returns a host-visible and host-coherent memory type among those in the mask, preferably a device-local one.
pub(crate) fn shared_type(
    properties: &vk::PhysicalDeviceMemoryProperties,
    allowed: u32,
) -> Option<u32> {
    let shared = MemoryPropertyFlags::HOST_VISIBLE | MemoryPropertyFlags::HOST_COHERENT;
    let types = &properties.memory_types[..properties.memory_type_count as usize];
    let find = |flags| {
        let fits = |(number, one): &(u32, &vk::MemoryType)| {
            allowed >> number & 1 == 1 && one.property_flags.contains(flags)
        };
        (0..).zip(types).find(fits).map(|(number, _)| number)
    };
    find(shared | MemoryPropertyFlags::DEVICE_LOCAL).or_else(|| find(shared))
}
