//! Adds host parameters to a module. The host chooses the source that the shader reads them from.

use super::locations::{add_at, locations};
use super::push_constants::{Span, push_constant_spans};
use super::{
    HostBlock, Memory, Pointed, WordArray, memory, spec_constants, storage_buffer, uniform_block,
    word_array,
};
use crate::code;
use crate::host::{AddressSource, HostParam, HostParams, ParamSource, Reserved};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Decoration, Error, ExecutionModel, Id, Module, Patch, StorageClass};
use std::vec;

/// Host parameters that emitted code can read.
#[derive(Clone, Debug)]
pub struct ParamReader<'w>(Vec<(&'w HostParams, Added)>);

/// The added parameters of one source.
#[derive(Clone, Debug)]
pub(crate) enum Added {
    /// Members of a block.
    Block(HostBlock),
    /// Specialization constants.
    Constants(Vec<Id>),
    /// Memory at an address.
    Memory(Memory, Address),
}

/// Where the address of parameters is.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    /// The halves of the address are these parameters.
    HostParams(Box<Added>),
    /// The address is this input, a `uvec2`.
    Input(Id),
}

/// The parameters of one source, prepared for loads in one function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Open<'a> {
    Block(HostBlock),
    Constants(&'a [Id]),
    Memory(Memory, Pointed),
}

impl Added {
    /// Emits the code that all later loads of parameters in one function share.
    pub(crate) fn open(&self, code: &mut Cursor<'_, '_, '_>) -> Open<'_> {
        match self {
            Self::Block(block) => Open::Block(*block),
            Self::Constants(constants) => Open::Constants(constants),
            Self::Memory(memory, address) => {
                let address = match address {
                    Address::HostParams(words) => {
                        let words = words.open(code);
                        pair(code, words, [0, 1])
                    }
                    Address::Input(input) => {
                        let ty = uvec2(code.p);
                        code.load(ty, *input)
                    }
                };
                Open::Memory(*memory, memory.at(code, address))
            }
        }
    }

    /// Emits a load of parameter `number`, a `uint`.
    pub(crate) fn load(&self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
        self.open(code).load(code, number)
    }
}

impl Open<'_> {
    /// Emits a load of parameter `number`, a `uint`.
    pub(crate) fn load(self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
        match self {
            Self::Block(block) => block.load(code, number),
            Self::Constants(constants) => constants[number as usize],
            Self::Memory(_, memory) => {
                let index = code.p.uint_constant(number);
                memory.load(code, index)
            }
        }
    }

    /// Emits the memory access for the address that two parameters hold, lower half first. Returns `None` if the
    /// parameters themselves are not in memory.
    pub(crate) fn memory(self, code: &mut Cursor<'_, '_, '_>, halves: [u32; 2]) -> Option<Pointed> {
        let Self::Memory(memory, _) = self else { return None };
        let address = pair(code, self, halves);
        Some(memory.at(code, address))
    }
}

/// Emits a `uvec2` of two parameters.
fn pair(code: &mut Cursor<'_, '_, '_>, words: Open<'_>, halves: [u32; 2]) -> Id {
    let halves = halves.map(|half| words.load(code, half));
    let ty = uvec2(code.p);
    code.construct(ty, &halves)
}

fn uvec2(p: &mut Patch<'_, '_>) -> Id {
    let uint = p.uint();
    p.vector(uint, 2)
}

impl ParamReader<'_> {
    /// Emits a load of the parameter called `name`, a `uint`; `None` if it does not exist.
    pub fn find(&self, code: &mut Cursor<'_, '_, '_>, name: &str) -> Option<Id> {
        let mut groups = self.0.iter();
        groups.find_map(|(words, added)| Some(added.load(code, words.number(name)?)))
    }

    /// Emits a load of parameter `number` of the first group, a `uint`.
    ///
    /// # Panics
    ///
    /// If the parameter does not exist.
    pub fn load_number(&self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
        self.0[0].1.load(code, number)
    }

    /// Emits a load of the parameter called `name`, a `uint`.
    ///
    /// # Panics
    ///
    /// If the parameter does not exist.
    pub fn load(&self, code: &mut Cursor<'_, '_, '_>, name: &str) -> Id {
        self.find(code, name).expect("the lowering declares this host parameter")
    }
}

/// Adds the parameters `words` to `entry`. Each source gets a block called `name`.
///
/// # Errors
///
/// `Options`: a descriptor, push constant or specialization constant is already in use or reserved. `Unsupported`:
/// the push constants cannot grow.
pub fn host_params<'w, 'm>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    reserved: &Reserved,
    words: &'w [HostParams],
    name: &str,
) -> Result<ParamReader<'w>, Error> {
    check_attributes(m, entry, words)?;
    let mut pushed = Pushed { groups: words, blocks: None };
    let groups = words.iter().map(|group| {
        let added = add_group(m, p, entry, reserved, (group, name), (None, &mut pushed))?;
        Ok((group, added))
    });
    groups.collect::<Result<_, Error>>().map(ParamReader)
}

/// Fails if an address cannot be an attribute, because the stage has no attributes or an input already has the
/// location.
pub(crate) fn check_attributes(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    groups: &[HostParams],
) -> Result<(), Error> {
    for (group, location) in groups.iter().filter_map(|group| Some((group, group.location()?))) {
        let taken = || locations(m, entry, StorageClass::INPUT);
        if entry.model() != ExecutionModel::VERTEX {
            let message = format!(
                "cannot read host parameters at {}: only vertex stages have attributes",
                group.source
            );
            return Err(Error::new(&code::PARAMS_ATTRIBUTE_STAGE, message));
        }
        if taken().iter().any(|taken| taken.contains(&location)) {
            let message = format!(
                "cannot read host parameters at {}: the shader has an input there",
                group.source
            );
            return Err(Error::new(&code::PARAMS_ATTRIBUTE_TAKEN, message));
        }
    }
    Ok(())
}

/// Adds the parameters of one source. If the source is an attribute, its location must be [free](check_attributes),
/// or used only by an input that is removed. `array` is the type of storage buffers, if it is already declared.
pub(crate) fn add_words<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    reserved: &Reserved,
    (words, name): (&HostParams, &str),
    array: Option<WordArray>,
) -> Result<Added, Error> {
    let mut pushed = Pushed { groups: std::slice::from_ref(words), blocks: None };
    add_group(m, p, entry, reserved, (words, name), (array, &mut pushed))
}

/// The push constants of all groups: parameters or addresses. An entry point has only one push-constant block, so the
/// first group that needs push constants adds the members of all groups.
struct Pushed<'g> {
    groups: &'g [HostParams],
    /// The members of the block for the remaining groups, in order.
    blocks: Option<vec::IntoIter<HostBlock>>,
}

impl Pushed<'_> {
    /// Returns the members of the block for the next group.
    fn next<'m>(
        &mut self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        name: &str,
    ) -> Result<HostBlock, Error> {
        let blocks = match &mut self.blocks {
            Some(blocks) => blocks,
            None => {
                let spans: Vec<Span<'_>> = self.groups.iter().filter_map(span).collect();
                let blocks = push_constant_spans(m, p, entry, name, &spans)?;
                self.blocks.insert(blocks.into_iter())
            }
        };
        Ok(blocks.next().expect("each group takes its block once"))
    }
}

/// The names of the halves of an address.
const HALVES: [&str; 2] = ["address_low", "address_high"];

/// Returns the push constants that a group needs.
fn span(group: &HostParams) -> Option<Span<'_>> {
    let Some((ParamSource::PushConstant { offset }, _)) = group.filled_in() else { return None };
    let names = if group.source.is_address() { HALVES.to_vec() } else { names_of(group) };
    Some(Span { offset, names })
}

fn names_of(words: &HostParams) -> Vec<&str> {
    words.params.iter().map(|word| word.name.as_ref()).collect()
}

/// Adds a group of parameters, which must be one of the groups of `pushed`.
fn add_group<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    reserved: &Reserved,
    (words, name): (&HostParams, &str),
    (array, pushed): (Option<WordArray>, &mut Pushed<'_>),
) -> Result<Added, Error> {
    reserved.check_params(words)?;
    Ok(match words.source {
        ParamSource::StorageBuffer { set, binding } => {
            let array = array.unwrap_or_else(|| word_array(m, p));
            let block = storage_buffer(m, p, entry, array, (set, binding), name)?;
            p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
            Added::Block(block)
        }
        ParamSource::Uniform { set, binding } => {
            let names = names_of(words);
            Added::Block(uniform_block(m, p, entry, (set, binding), name, &names)?)
        }
        ParamSource::PushConstant { .. } => Added::Block(pushed.next(m, p, entry, name)?),
        ParamSource::Specialization { first_id } => {
            Added::Constants(spec_constants(m, p, first_id, &names_of(words))?)
        }
        // The address is an attribute, or it is itself a group of two parameters.
        ParamSource::Address(AddressSource::Attribute { location }) => {
            let memory = memory(m, p)?;
            let ty = uvec2(p);
            let input = add_at(p, entry, (StorageClass::INPUT, location), ty, name);
            Added::Memory(memory, Address::Input(input))
        }
        ParamSource::Address(pointer) => {
            let memory = memory(m, p)?;
            let place = pointer.place().expect("only attributes lack a source");
            let halves = HALVES.map(|name| HostParam::new(name, ""));
            let address = HostParams { source: place, params: halves.to_vec() };
            let added = add_group(m, p, entry, reserved, (&address, name), (None, pushed))?;
            Added::Memory(memory, Address::HostParams(Box::new(added)))
        }
    })
}
