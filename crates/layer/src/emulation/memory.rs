//! Memory of the layer's that the host writes and shaders read and write: jobs, words, arguments, results.
//!
//! A device may have as few as 4,096 pieces of memory, and there may be any number of command buffers: so they share
//! chunks. A recording has an [`Arena`] of blocks, each larger than the one before, which are given back as a whole and
//! serve the next recording.

use crate::driver::Driver;
use crate::emulation::Emulator;
use ash::vk::{self, MemoryPropertyFlags};
use std::sync::{Mutex, PoisonError};

/// The bytes of the blocks that chunks are cut into. A larger request gets a chunk for itself.
const BLOCKS: [u64; 5] = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18];

/// The bytes of the first chunks that are cut, and how many of them there are before the next ones are so much larger.
const CHUNK: u64 = BLOCKS[4];
const CHUNKS_ALIKE: usize = 8;

/// How pieces are aligned: as anything is that shaders of ours read, and as indirect arguments are.
const ALIGNMENT: u64 = 16;

/// A buffer with memory of its own, which the host sees.
struct Chunk {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    address: u64,
    pointer: *mut u8,
    size: u64,
}

// SAFETY: the memory is nobody else's; who writes where is up to whoever was given a piece.
unsafe impl Send for Chunk {}
// SAFETY: as above.
unsafe impl Sync for Chunk {}

/// A part of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) buffer: vk::Buffer,
    /// Where it begins in the buffer, in bytes.
    pub(crate) offset: u64,
    pub(crate) address: u64,
    pointer: *mut u8,
    size: u64,
}

impl Chunk {
    /// A chunk of at least so many bytes.
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
        // SAFETY: the device is alive, all structures are valid, and what was created is destroyed where all fails.
        let made = unsafe {
            let handle = device.handle;
            (|| {
                let create = next.create_buffer.ok_or(lost)?;
                create(handle, &raw const info, std::ptr::null(), &raw mut chunk.buffer)
                    .result()?;
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
        // SAFETY: the device is alive and no longer uses the chunk; null is nothing.
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
    /// A part of it, from this byte on.
    fn part(&self, at: u64, size: u64) -> Self {
        assert!(at + size <= self.size, "a part lies in its piece");
        Self {
            offset: self.offset + at,
            address: self.address + at,
            // SAFETY: it lies in the piece.
            pointer: unsafe { self.pointer.add(at as usize) },
            size,
            ..*self
        }
    }

    /// Whether there is room for the words.
    pub(crate) fn holds(&self, words: &[u32]) -> bool {
        self.size >= size_of_val(words) as u64
    }

    /// Writes words from this byte on, as far as there is room.
    pub(crate) fn write(&self, at: u64, words: &[u32]) {
        let room = self.size.saturating_sub(at) as usize / 4;
        let count = words.len().min(room);
        // SAFETY: so many words lie in the piece, which whoever holds it writes alone.
        unsafe {
            let to = self.pointer.add(at as usize);
            to.copy_from_nonoverlapping(words.as_ptr().cast(), 4 * count);
        }
    }

    /// The word of 64 bits at this byte, or 0 behind the end.
    pub(crate) fn read(&self, at: u64) -> u64 {
        if at + 8 > self.size {
            return 0;
        }
        // SAFETY: it lies in the piece.
        unsafe { self.pointer.add(at as usize).cast::<u64>().read_volatile() }
    }
}

/// The address of a buffer that has one.
pub(crate) fn address(device: &Driver, buffer: vk::Buffer) -> u64 {
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
    // SAFETY: the buffer was created for it and has memory.
    device
        .next
        .get_buffer_device_address
        .map_or(0, |ask| unsafe { ask(device.handle, &raw const info) })
}

/// A piece that is given back at the end.
pub(crate) struct Block {
    pub(crate) piece: Piece,
    /// Its chunk, if that has nothing else.
    own: Option<Chunk>,
}

/// The memory of a recording.
#[derive(Default)]
pub(crate) struct Arena {
    blocks: Vec<Block>,
    /// How much of the last block is used.
    used: u64,
}

impl Arena {
    /// A piece of so many bytes.
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

    /// The words, in memory.
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

    /// Gives all of it back, which no commands use any more.
    pub(crate) fn clear(&mut self, device: &Driver, emulator: &Emulator) {
        self.used = 0;
        for block in self.blocks.drain(..) {
            emulator.chunks.give(device, block);
        }
    }
}

/// Chunks that are cut into blocks, and the blocks that wait for the next recording.
#[derive(Default)]
pub(crate) struct Chunks(Mutex<Cut>);

#[derive(Default)]
struct Cut {
    chunks: Vec<Chunk>,
    /// How much of the last chunk is cut.
    used: u64,
    waiting: [Vec<Piece>; BLOCKS.len()],
}

impl Chunks {
    /// A block of at least so many bytes.
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

    /// Takes back a block that no commands use any more.
    pub(crate) fn give(&self, device: &Driver, block: Block) {
        if let Some(chunk) = block.own {
            return chunk.destroy(device);
        }
        let mut cut = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let class = BLOCKS.iter().position(|size| *size == block.piece.size);
        cut.waiting[class.expect("blocks have these sizes")].push(block.piece);
    }

    /// Destroys all chunks, whose blocks were given back.
    pub(crate) fn destroy(&self, device: &Driver) {
        let cut = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        cut.chunks.into_iter().for_each(|chunk| chunk.destroy(device));
    }
}

impl Cut {
    /// Cuts a piece off the last chunk, or off a new one. Later chunks are larger, so that there are few.
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

/// The number of the type of memory that the host sees without flushes, of those allowed.
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
