//! Memory at an address instead of a binding (`SPV_KHR_physical_storage_buffer`).

use super::resource::array_block;
use crate::code;
use polyshade_spv::{
    Capability, Cursor, Decoration, Error, Id, Module, Op, Patch, Section, StorageClass,
};

/// The type of memory at an address: `{ uint words[]; }`, with any number of words.
///
/// An address is a `uvec2`, lower 32 bits first, because not every device supports 64-bit integers. It is converted
/// to a pointer where it is used, because SwiftShader does not support such pointers in a variable or an `OpPhi`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// The type of a pointer to the block.
    block: Id,
    /// The type of a pointer to a word in the block.
    word: Id,
}

/// Memory at an address, as a pointer that one function can use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointed {
    memory: Memory,
    block: Id,
}

/// The alignment of words in bytes. It is the only guarantee about an address.
const ALIGNMENT: u32 = 4;
/// The bit `Aligned` in the memory operands of a load or a store.
const ALIGNED: u32 = 2;

/// Enables addresses in the module, and declares the types of the memory.
///
/// # Errors
///
/// `Unsupported`: the module's addressing model is not one of those that Vulkan shaders use.
pub(crate) fn memory<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>) -> Result<Memory, Error> {
    const LOGICAL: u32 = 0;
    const PHYSICAL_STORAGE_BUFFER_64: u32 = 5348;
    let mut models = m.section(Section::MemoryModel);
    let model = models.find(|inst| inst.op() == Op::MEMORY_MODEL);
    let model = model.filter(|model| model.words().len() > 1);
    match model.map(|model| (model.words()[1], model)) {
        Some((PHYSICAL_STORAGE_BUFFER_64, _)) => {}
        Some((LOGICAL, model)) => p.overwrite(model.operand(1), PHYSICAL_STORAGE_BUFFER_64),
        _ => {
            let message = "the module has an addressing model that Vulkan does not allow";
            return Err(Error::new(&code::PARAMS_ADDRESSING_MODEL, message));
        }
    }
    p.capability(Capability::PHYSICAL_STORAGE_BUFFER_ADDRESSES);
    if m.version() < (1, 5) {
        p.extension("SPV_KHR_physical_storage_buffer");
    }
    let class = StorageClass::PHYSICAL_STORAGE_BUFFER;
    let block = array_block(p, Decoration::BLOCK);
    let uint = p.uint();
    Ok(Memory { block: p.pointer(class, block), word: p.pointer(class, uint) })
}

impl Memory {
    /// Emits the conversion of `address` to a pointer, for the current function.
    pub(crate) fn at(self, code: &mut Cursor<'_, '_, '_>, address: Id) -> Pointed {
        Pointed { memory: self, block: code.bitcast(self.block, address) }
    }
}

impl Pointed {
    /// Emits a load of the word at `index`.
    pub(crate) fn load(self, code: &mut Cursor<'_, '_, '_>, index: Id) -> Id {
        let (uint, pointer) = (code.p.uint(), self.pointer(code, index));
        code.value(Op::LOAD, uint, &[pointer.word(), ALIGNED, ALIGNMENT])
    }

    /// Emits a store to the word at `index`.
    pub(crate) fn store(self, code: &mut Cursor<'_, '_, '_>, index: Id, word: Id) {
        let pointer = self.pointer(code, index);
        code.emit(Op::STORE, &[pointer.word(), word.word(), ALIGNED, ALIGNMENT]);
    }

    fn pointer(self, code: &mut Cursor<'_, '_, '_>, index: Id) -> Id {
        let array = code.p.uint_constant(0);
        code.access_chain(self.memory.word, self.block, &[array, index])
    }
}
