//! Emits the code that fetches attributes.

use super::fetch::{self, Functions};
use super::format::{Field, Numbers};
use super::inputs::{Input, Leaf, Number};
use super::{Attribute, Options, Rate};
use crate::host::{HostParams, Reserved};
use crate::placement::Placement;
use crate::rewrite::{self, Copies, Open, WordArray};
use crate::source::{self, Source, Span};
use foldhash::HashMap;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Capability, Cursor, Decoration, Error, Id, Module, Op, Patch, Position, StorageClass,
};
use std::collections::BTreeMap;

/// The prefix of a host parameter's name. A buffer number or a location follows it.
#[derive(Clone, Copy)]
pub(super) struct Name(&'static str);

pub(super) const ADDRESS_LOW: Name = Name("vertex_address_low");
pub(super) const ADDRESS_HIGH: Name = Name("vertex_address_high");
pub(super) const BUFFER_OFFSET: Name = Name("vertex_offset");
pub(super) const BUFFER_SIZE: Name = Name("vertex_size");
pub(super) const STRIDE: Name = Name("vertex_stride");
pub(super) const RATE: Name = Name("vertex_rate");
pub(super) const OFFSET: Name = Name("attribute_offset");
pub(super) const FORMAT: Name = Name("attribute_format");
pub(super) const LAYOUT: Name = Name("attribute_layout");
pub(super) const FIRST_INSTANCE: &str = "first_instance";

impl Name {
    pub(super) fn of(self, number: u32) -> String {
        format!("{}_{number}", self.0)
    }
}

/// The inputs to fill, and the sources of their values.
pub(super) struct Pull<'c> {
    pub(super) options: &'c Options,
    pub(super) placement: Placement,
    pub(super) inputs: &'c [Input],
    /// The numbers of the vertex buffers, in the order of their bindings.
    pub(super) buffers: &'c [u32],
    pub(super) words: Option<&'c HostParams>,
    pub(super) reserved: &'c Reserved,
}

/// Makes the inputs `Private`, and fills them before the original shader code runs.
pub(super) fn pull<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    pull: &Pull<'_>,
) -> Result<(), Error> {
    let variables: Vec<Id> = pull.inputs.iter().map(|input| input.variable).collect();
    let wrapper = rewrite::wrap(m, p, entry);
    rewrite::demote_to_private(m, p, entry, &variables, Copies::None)?;
    let at = wrapper.prologue;
    // Add the buffers and host parameters.
    let is_bound = !pull.buffers.is_empty() && !pull.placement.params.is_address();
    let array = is_bound.then(|| rewrite::word_array(m, p));
    let sources = match pull.buffers {
        [] => BTreeMap::new(),
        _ => sources(m, p, entry, pull, array)?,
    };
    let added = match pull.words {
        Some(words) => {
            let named = (words, "polyshade_vertex_input");
            Some(rewrite::add_words(m, p, entry, pull.reserved, named, array)?)
        }
        None => None,
    };
    // Link the functions that the code calls.
    let common = Functions::common(p, pull.inputs, pull.options);
    let functions = link(p, pull, &sources, &common);
    let open = added.as_ref().map(|added| added.open(&mut p.at(at)));
    let host = pull.words.zip(open);
    let indices = indices(m, p, entry, (pull, host), at);
    // Fill each input.
    let mut emit =
        Emit { pull, host, sources, common, functions, indices, open: HashMap::default() };
    let mut code = p.at(at);
    for input in pull.inputs {
        for leaf in &input.leaves {
            emit.leaf(&mut code, input.variable, leaf);
        }
    }
    Ok(())
}

/// Adds the vertex buffers, or the types for memory that is accessed by address.
fn sources<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    pull: &Pull<'_>,
    array: Option<WordArray>,
) -> Result<BTreeMap<u32, Source>, Error> {
    let Some(array) = array else {
        let memory = rewrite::memory(m, p)?;
        let of_memory = |buffer: &u32| (*buffer, Source::Memory(memory));
        return Ok(pull.buffers.iter().map(of_memory).collect());
    };
    let add = |(number, buffer): (u32, &u32)| {
        let at = pull.placement.buffer(number).expect("buffers without an address are bound");
        let name = format!("polyshade_vertex_buffer_{buffer}");
        let block = rewrite::storage_buffer(m, p, entry, array, at, &name)?;
        p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
        Ok((*buffer, Source::Bound(block)))
    };
    (0..).zip(pull.buffers).map(add).collect()
}

/// Links the functions that read the buffers: once if buffers are read by address, otherwise once per buffer.
fn link(
    p: &mut Patch<'_, '_>,
    pull: &Pull<'_>,
    sources: &BTreeMap<u32, Source>,
    common: &Functions,
) -> BTreeMap<u32, Functions> {
    let leaves = || pull.inputs.iter().flat_map(|input| &input.leaves);
    let readers = |of: Option<u32>| {
        leaves().filter_map(move |leaf| {
            let attribute = pull.options.attribute_at(leaf.location)?;
            let counts = of.is_none_or(|buffer| buffer == attribute.buffer);
            counts.then(|| fetch::reader(attribute.format, leaf))
        })
    };
    let mut functions = BTreeMap::new();
    // All buffers that are read by address share the functions of the first one.
    for (buffer, source) in sources {
        let of = match source {
            Source::Bound(_) => Some(*buffer),
            Source::Memory(_) if functions.is_empty() => None,
            Source::Memory(_) => break,
        };
        let word_at = source::word_at(p, *source);
        functions.insert(*buffer, common.of_buffer(p, word_at, readers(of)));
    }
    functions
}

/// The indices that select elements, each a `uint`.
#[derive(Clone, Copy, Default)]
struct Indices {
    vertex: Option<Id>,
    instance: Option<Id>,
    first_instance: Option<Id>,
}

/// Loads the indices that are needed for the input rates of the buffers.
fn indices<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    (pull, host): (&Pull<'_>, Option<(&HostParams, Open<'_>)>),
    at: Position<'m>,
) -> Indices {
    // The rates determine which indices are needed.
    let rates = || pull.buffers.iter().map(|one| pull.options.buffers[one].rate);
    let needs_vertex = rates().any(|rate| matches!(rate, None | Some(Rate::Vertex)));
    let by_instance = |rate| match rate {
        Some(Rate::Instance { divisor }) => divisor > 0,
        rate => rate.is_none(),
    };
    let needs_instance = rates().any(by_instance);
    let needs_first = pull.options.needs_first_instance(pull.buffers);
    let uint = p.uint();
    let load = |p: &mut Patch<'m, '_>, builtin, needed: bool| {
        needed.then(|| rewrite::load_integer_builtin(m, p, entry, (builtin, uint), at))
    };
    // The first instance is a built-in or a host parameter.
    let vertex = load(p, BuiltIn::VERTEX_INDEX, needs_vertex);
    let instance = load(p, BuiltIn::INSTANCE_INDEX, needs_instance);
    let first_instance = match host {
        Some((words, open)) if needs_first && !pull.options.base_instance => {
            let number = words.number(FIRST_INSTANCE).expect("the host fills it in");
            Some(open.load(&mut p.at(at), number))
        }
        _ => {
            if needs_first {
                p.capability(Capability::DRAW_PARAMETERS);
                if m.version() < (1, 3) {
                    p.extension("SPV_KHR_shader_draw_parameters");
                }
            }
            load(p, BuiltIn::BASE_INSTANCE, needs_first)
        }
    };
    Indices { vertex, instance, first_instance }
}

/// The values that all attributes of a buffer share.
#[derive(Clone, Copy)]
struct Opened {
    /// A `uvec2`: the address of the buffer, or a null value if the buffer is bound.
    memory: Id,
    element: Id,
    stride: Id,
    /// The start and end of the buffer in bytes.
    start: Id,
    end: Id,
}

struct Emit<'c> {
    pull: &'c Pull<'c>,
    host: Option<(&'c HostParams, Open<'c>)>,
    sources: BTreeMap<u32, Source>,
    common: Functions,
    /// Functions by buffer number. The functions of the first buffer serve all buffers that are read by address.
    functions: BTreeMap<u32, Functions>,
    indices: Indices,
    open: HashMap<u32, Opened>,
}

impl Emit<'_> {
    /// Emits a load of a host parameter.
    fn word(&self, code: &mut Cursor<'_, '_, '_>, name: Name, number: u32) -> Id {
        let (words, open) = self.host.expect("a buffer has words");
        let number = words.number(&name.of(number));
        open.load(code, number.expect("the host fills in all parameters that the code reads"))
    }

    /// Emits a constant for a fixed value, or a load of the host parameter.
    fn known(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        known: Option<u32>,
        (name, number): (Name, u32),
    ) -> Id {
        match known {
            Some(known) => code.p.uint_constant(known),
            None => self.word(code, name, number),
        }
    }

    /// Emits the values that all attributes of a buffer share.
    fn opened(&mut self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Opened {
        if let Some(opened) = self.open.get(&number) {
            return *opened;
        }
        let uint = code.p.uint();
        let buffer = self.pull.options.buffers[&number];
        // Find the range of the buffer.
        let Span { memory, start, length } = match self.sources[&number] {
            Source::Bound(block) => {
                let start = self.word(code, BUFFER_OFFSET, number);
                Span::bound(code, block, start)
            }
            Source::Memory(_) => {
                let halves = [ADDRESS_LOW, ADDRESS_HIGH].map(|half| self.word(code, half, number));
                Span::memory(code, halves)
            }
        };
        let size = self.word(code, BUFFER_SIZE, number);
        let end = self.common.call(code, "end_of", &[start, size, length]);
        // Find the element, and the distance to the next element.
        let element = self.element(code, number, buffer.rate);
        let mut stride = self.known(code, buffer.stride, (STRIDE, number));
        if buffer.stride.is_none() {
            let mask = code.p.uint_constant(super::MAX_STRIDE);
            stride = code.binary(Op::BITWISE_AND, uint, stride, mask);
        }
        let opened = Opened { memory, element, stride, start, end };
        self.open.insert(number, opened);
        opened
    }

    /// Emits the index of the element.
    fn element(&self, code: &mut Cursor<'_, '_, '_>, number: u32, rate: Option<Rate>) -> Id {
        let Indices { vertex, instance, first_instance } = self.indices;
        let known = match rate {
            Some(Rate::Vertex) => vertex,
            Some(Rate::Instance { divisor: 0 }) => first_instance,
            Some(Rate::Instance { divisor: 1 }) => instance,
            _ => None,
        };
        known.unwrap_or_else(|| {
            let numbers = [vertex, instance, first_instance];
            let [vertex, instance, first] =
                numbers.map(|one| one.unwrap_or_else(|| code.p.uint_constant(0)));
            let rate = self.known(code, rate.map(Rate::word), (RATE, number));
            self.common.call(code, "element_by_rate", &[rate, vertex, instance, first])
        })
    }

    /// Emits a store of the attribute at a location to its part of the variable.
    fn leaf(&mut self, code: &mut Cursor<'_, '_, '_>, variable: Id, leaf: &Leaf) {
        let components = match self.pull.options.attribute_at(leaf.location) {
            None => (0..leaf.count).map(|one| absent(code, leaf, leaf.first + one)).collect(),
            Some(attribute) => self.fetched(code, leaf, attribute),
        };
        let (ty, value) = match components[..] {
            [scalar] => (leaf.component, scalar),
            _ => {
                let ty = code.p.vector(leaf.component, leaf.count);
                (ty, code.construct(ty, &components))
            }
        };
        let mut pointer = variable;
        if !leaf.path.is_empty() {
            let path: Vec<Id> = leaf.path.iter().map(|one| code.p.uint_constant(*one)).collect();
            let to = code.p.pointer(StorageClass::PRIVATE, ty);
            pointer = code.access_chain(to, variable, &path);
        }
        code.store(pointer, value);
    }

    /// Emits the components of an attribute, fetched and converted.
    fn fetched(
        &mut self,
        code: &mut Cursor<'_, '_, '_>,
        leaf: &Leaf,
        attribute: &Attribute,
    ) -> Vec<Id> {
        // Find the attribute in the buffer.
        let opened = self.opened(code, attribute.buffer);
        let offset = self.known(code, attribute.offset, (OFFSET, leaf.location));
        let components = leaf.first..leaf.first + leaf.count;
        let host = attribute.format.is_none() && !leaf.number.is_wide();
        let words = host.then(|| [FORMAT, LAYOUT].map(|name| self.word(code, name, leaf.location)));
        let size = match (attribute.format, words) {
            (Some(format), _) => code.p.uint_constant(format.size()),
            (None, Some(words)) => self.common.call(code, "size_of", &words),
            (None, None) => code.p.uint_constant(8 * components.end),
        };
        let Opened { memory, element, stride, start, end } = opened;
        let place = fetch::place(self.pull.options.robustness);
        let place = self.common.call(code, place, &[element, stride, start, offset, size, end]);
        // Read each word once, even if several components share it.
        let functions = self.functions.get(&attribute.buffer).or(self.functions.values().next());
        let functions = functions.expect("functions that read buffers are linked");
        let mut read: HashMap<u32, Id> = HashMap::default();
        let mut word = |code: &mut Cursor<'_, '_, '_>, number: u32| {
            *read.entry(number).or_insert_with(|| {
                let number = code.p.uint_constant(number);
                let arguments = [memory, place, number, size];
                match fetch::reader(attribute.format, leaf) {
                    reader @ fetch::ALIGNED_WORD => functions.call(code, reader, &arguments[..3]),
                    reader => functions.call(code, reader, &arguments),
                }
            })
        };
        // Decode each component.
        let component = |one| {
            if let Some([widths, positions]) = words {
                let absent = absent_bits(leaf, one);
                let [one, absent] = [one, absent].map(|number| code.p.uint_constant(number));
                let arguments = [memory, place, widths, positions, one, absent];
                let bits = functions.call(code, fetch::ANY_COMPONENT, &arguments);
                return typed(code, leaf, bits);
            }
            let numbers = attribute.format.map_or(Numbers::Uint, |format| format.numbers());
            let wide = Field { position: 64 * one, bits: 64 };
            let field = attribute.format.map_or(wide, |format| format.field(one));
            match field.bits {
                0 => absent(code, leaf, one),
                64 => {
                    let halves = [0, 1].map(|half| word(code, field.position / 32 + half));
                    let uint = code.p.uint();
                    let uvec2 = code.p.vector(uint, 2);
                    let pair = code.construct(uvec2, &halves);
                    code.bitcast(leaf.component, pair)
                }
                _ => {
                    let word = word(code, field.position / 32);
                    let bits = self.common.decode(code, (numbers, field), word);
                    typed(code, leaf, bits)
                }
            }
        };
        components.map(component).collect()
    }
}

/// Returns the bits of the default value for a component that the format lacks.
fn absent_bits(leaf: &Leaf, component: u32) -> u32 {
    match (component, leaf.number) {
        (3, Number::Float(_)) => 1.0_f32.to_bits(),
        (3, _) => 1,
        _ => 0,
    }
}

/// Emits the default value for a component that the format lacks.
fn absent(code: &mut Cursor<'_, '_, '_>, leaf: &Leaf, component: u32) -> Id {
    let bits = absent_bits(leaf, component);
    if bits == 0 {
        return code.p.null(leaf.component);
    }
    let bits = code.p.uint_constant(bits);
    typed(code, leaf, bits)
}

/// Converts `bits`, the bits of a 32-bit number, to the type of the component.
fn typed(code: &mut Cursor<'_, '_, '_>, leaf: &Leaf, bits: Id) -> Id {
    let ty = leaf.component;
    match leaf.number {
        Number::Uint(32) => bits,
        Number::Float(32) | Number::Int(32) => code.bitcast(ty, bits),
        Number::Float(_) => {
            let float = code.p.float();
            let number = code.bitcast(float, bits);
            code.value(Op::F_CONVERT, ty, &[number.word()])
        }
        Number::Uint(_) => code.value(Op::U_CONVERT, ty, &[bits.word()]),
        Number::Int(_) => {
            let int = code.p.int();
            let number = code.bitcast(int, bits);
            code.value(Op::S_CONVERT, ty, &[number.word()])
        }
    }
}
