//! Words that the host fills in are added where the host wants them.

use super::{
    HostBlock, WordArray, push_constants, spec_constants, storage_buffer, uniform_block, word_array,
};
use crate::host::{Place, Reserved, Words};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Decoration, Error, Id, Module, Patch};

/// Words that code can read.
#[derive(Clone, Debug)]
pub enum HostWords {
    /// In a block.
    Block(HostBlock),
    /// Specialization constants.
    Constants(Vec<Id>),
}

impl HostWords {
    /// Emits word `number`, a `uint`.
    pub fn load(&self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
        match self {
            Self::Block(block) => block.load(code, number),
            Self::Constants(constants) => constants[number as usize],
        }
    }
}

/// Adds `words` for `entry`, in a block called `name`. `array` is the type of a storage buffer, where there is one
/// already.
///
/// # Errors
///
/// `Options`: a descriptor, push constants or specialization constants that are the shader's own, or reserved.
/// `Unsupported`: push constants that cannot grow.
pub fn host_words<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    reserved: &Reserved,
    (words, name): (&Words, &str),
    array: Option<WordArray>,
) -> Result<HostWords, Error> {
    let names: Vec<&str> = words.words.iter().map(|word| word.name.as_ref()).collect();
    reserved.check_words(words)?;
    Ok(match words.place {
        Place::StorageBuffer { set, binding } => {
            let array = array.unwrap_or_else(|| word_array(m, p));
            let block = storage_buffer(m, p, entry, array, (set, binding), name)?;
            p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
            HostWords::Block(block)
        }
        Place::Uniform { set, binding } => {
            HostWords::Block(uniform_block(m, p, entry, (set, binding), name, &names)?)
        }
        Place::PushConstant { offset } => {
            HostWords::Block(push_constants(m, p, entry, offset, name, &names)?)
        }
        Place::Specialization { first_id } => {
            HostWords::Constants(spec_constants(m, p, first_id, &names)?)
        }
    })
}
