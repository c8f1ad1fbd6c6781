//! Memory of the layer's that the host writes and shaders read and write: jobs, words, arguments, results.
//!
//! A recording has an [`Arena`], which grows and is given back as a whole. Its chunks serve the next recording.

use crate::driver::Driver;
use crate::emulation::Emulator;
use ash::vk::{self, MemoryPropertyFlags};
use std::sync::{Mutex, PoisonError};

/// The bytes of a chunk, unless something larger is asked for.
const CHUNK: u64 = 256 * 1024;

/// How pieces are aligned: as anything is that shaders of ours read, and as indirect arguments are.
const ALIGNMENT: u64 = 16;

/// The most chunks that wait for the next recording.
const MOST_WAITING: usize = 64;

/// A buffer with memory of its own, which the host sees.
pub(crate) struct Chunk {
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
    pub(crate) fn new(device: &Driver, emulator: &Emulator, size: u64) -> Result<Self, vk::Result> {
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

    /// Everything of it.
    pub(crate) fn whole(&self) -> Piece {
        self.piece(0, self.size)
    }

    fn piece(&self, offset: u64, size: u64) -> Piece {
        Piece {
            buffer: self.buffer,
            offset,
            address: self.address + offset,
            // SAFETY: the piece lies in the chunk, as its callers see to.
            pointer: unsafe { self.pointer.add(offset as usize) },
            size,
        }
    }

    pub(crate) fn destroy(self, device: &Driver) {
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

impl Piece {
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

/// The memory of a recording.
#[derive(Default)]
pub(crate) struct Arena {
    chunks: Vec<Chunk>,
    /// How much of the last chunk is used.
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
        let last = self.chunks.last().filter(|last| last.size - self.used >= size);
        if last.is_none() {
            self.chunks.push(emulator.chunks.take(device, emulator, size)?);
            self.used = 0;
        }
        let last = self.chunks.last().ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let piece = last.piece(self.used, size);
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
        for chunk in self.chunks.drain(..) {
            emulator.chunks.give(device, chunk);
        }
    }
}

/// Chunks that wait for the next recording.
#[derive(Default)]
pub(crate) struct Chunks(Mutex<Vec<Chunk>>);

impl Chunks {
    fn take(&self, device: &Driver, emulator: &Emulator, size: u64) -> Result<Chunk, vk::Result> {
        let waiting = || self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match (size <= CHUNK).then(waiting).flatten() {
            Some(chunk) => Ok(chunk),
            None => Chunk::new(device, emulator, size.max(CHUNK)),
        }
    }

    fn give(&self, device: &Driver, chunk: Chunk) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if chunk.size == CHUNK && waiting.len() < MOST_WAITING {
            waiting.push(chunk);
        } else {
            drop(waiting);
            chunk.destroy(device);
        }
    }

    /// Destroys what waits.
    pub(crate) fn destroy(&self, device: &Driver) {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(|chunk| chunk.destroy(device));
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
