//! Vertex pulling: the vertex stage fetches its attributes itself, from storage buffers or by addresses, instead of the
//! fixed function that has a few formats, alignments and strides on one device and others on the next.
//!
//! Every input with a location becomes a `Private` variable, which is filled before the shader begins. What is read is
//! what Vulkan says that vertex input is ("Vertex Input Extraction"): the element by vertex or instance index, divisors
//! heeded, converted by the format, and filled up from (0, 0, 0, 1). Formats, offsets, strides and rates are known
//! when the shader is lowered, or are host parameters, each for itself: that is dynamic vertex input.
//!
//! ```
//! # use polyshade::vertex_pulling::{self, Attribute, Buffer, Options, Rate};
//! # use polyshade::{Error, Module};
//! # fn pull(words: &[u32]) -> Result<(), Error> {
//! let vertex = Module::parse(words)?;
//! let position = Attribute { buffer: 0, offset: Some(0), format: Some("r32g32b32_sfloat".parse()?) };
//! let colour = Attribute { buffer: 0, offset: Some(12), format: Some("r8g8b8a8_unorm".parse()?) };
//! let buffer = Buffer { stride: Some(16), rate: Some(Rate::Vertex) };
//! let options = Options::new().attribute(0, position).attribute(1, colour).buffer(0, buffer);
//! let pulled = vertex_pulling::lower(&vertex, "main", &options)?;
//! println!("the host binds {:?}", pulled.requirements.descriptors);
//! # Ok(())
//! # }
//! ```

mod emit;
mod fetch;
mod format;
mod inputs;
mod options;

pub use format::Format;
pub use options::{Attribute, Buffer, MAX_STRIDE, Options, Rate, Robustness};

use crate::host::{
    Descriptor, DescriptorKind, Feature, HostParam, HostParams, Lowered, Purpose, Requirements,
    Target,
};
use crate::placement::{Placement, need_limits};
use crate::rewrite::{self, Lowering, Stages};
use inputs::Input;
use polyshade_spv::{Error, ExecutionModel, Module};
use std::collections::BTreeSet;

/// The version of the words that [`lower`] makes.
pub const VERSION: u32 = 1;

const LOWERING: Lowering = Lowering {
    name: "vertex_pulling",
    stages: Stages { models: &[ExecutionModel::VERTEX], otherwise: "has no vertex attributes" },
    changes: None,
};

/// What is known of a shader that fetches its attributes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Pulled {
    /// The numbers of the vertex buffers that it reads, in the order of their bindings.
    pub buffers: Vec<u32>,
    /// The locations that it reads without an attribute: they are (0, 0, 0, 1).
    pub absent: Vec<u32>,
}

/// Makes a variant of the vertex shader `module` that fetches its attributes. The module itself where it has none.
///
/// # Errors
///
/// `NotFound`: the entry point. `Options`: attributes and buffers that do not fit each other; a format whose numbers
/// are not those that the shader reads; a place where the shader has something already, or where something is reserved.
/// `Unsupported`: another stage; an input that is a structure, has no location, or is an array as long as a
/// specialization constant says; push constants that cannot grow; the errors of the [rewrite tools](crate::rewrite).
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Pulled>, Error> {
    let target = &target.into();
    options.check()?;
    let lowered = rewrite::lower(module, target, &LOWERING, |m, p, entry| {
        let inputs = inputs::find(m, entry, options)?;
        if inputs.is_empty() {
            return Ok(Default::default());
        }
        let pulled = read_by(&inputs, options);
        let count = pulled.buffers.len() as u32;
        let reserved = target.reservations();
        let placement = Placement::new(m, &options.wanted(), reserved, count)?;
        let words = words(&inputs, options, &pulled.buffers, placement);
        let buffers = &pulled.buffers;
        let pull = emit::Pull {
            options,
            placement,
            inputs: &inputs,
            buffers,
            words: words.as_ref(),
            reserved,
        };
        emit::pull(m, p, entry, &pull)?;
        let requirements = requirements(m, (&words, placement), buffers, options);
        Ok((Vec::from_iter(words), requirements, pulled))
    })?;
    let Lowered { module, progress, result: (words, requirements, result), .. } = lowered;
    Ok(Lowered { module, progress, params: words, requirements, result })
}

/// What the inputs are read from.
fn read_by(inputs: &[Input], options: &Options) -> Pulled {
    let (mut buffers, mut absent) = (BTreeSet::new(), BTreeSet::new());
    for leaf in inputs.iter().flat_map(|input| &input.leaves) {
        match options.attribute_at(leaf.location) {
            Some(attribute) => buffers.insert(attribute.buffer),
            None => absent.insert(leaf.location),
        };
    }
    Pulled { buffers: buffers.into_iter().collect(), absent: absent.into_iter().collect() }
}

/// What the host says with each draw; nothing where nothing is fetched.
fn words(
    inputs: &[Input],
    options: &Options,
    buffers: &[u32],
    placement: Placement,
) -> Option<HostParams> {
    let mut words = Vec::new();
    let mut say = |name: String, meaning| words.push(HostParam::new(name, meaning));
    for number in buffers {
        let buffer = options.buffer_numbered(*number);
        if placement.params.is_address() {
            say(
                emit::ADDRESS_LOW.of(*number),
                "the lower 32 bits of the address of the vertex buffer",
            );
            say(emit::ADDRESS_HIGH.of(*number), "the upper 32 bits");
        } else {
            say(emit::BUFFER_OFFSET.of(*number), "bytes before the vertex buffer in what is bound");
        }
        say(emit::BUFFER_SIZE.of(*number), "bytes of the vertex buffer; 0 where there is none");
        if buffer.stride.is_none() {
            say(emit::STRIDE.of(*number), "bytes from an element to the next, below 2^16");
        }
        if buffer.rate.is_none() {
            say(emit::RATE.of(*number), "0 where vertices step, else 1 + the divisor of instances");
        }
    }
    let leaves = inputs.iter().flat_map(|input| &input.leaves);
    let locations: BTreeSet<u32> = leaves.map(|leaf| leaf.location).collect();
    for location in locations {
        let Some(attribute) = options.attribute_at(location) else { continue };
        if attribute.offset.is_none() {
            say(emit::OFFSET.of(location), "bytes before the attribute in an element");
        }
        if attribute.format.is_none() {
            say(emit::FORMAT.of(location), "bits of the components, and the kind of their numbers");
            say(emit::LAYOUT.of(location), "the bits at which the components begin");
        }
    }
    if options.needs_first_instance(buffers) && !options.asks_base_instance() {
        say(emit::FIRST_INSTANCE.to_owned(), "the first instance of the draw");
    }
    (!words.is_empty()).then_some(HostParams { source: placement.params, params: words })
}

fn requirements(
    m: &Module<'_>,
    (words, placement): (&Option<HostParams>, Placement),
    buffers: &[u32],
    options: &Options,
) -> Requirements {
    let stage = ExecutionModel::VERTEX;
    let descriptors = (0..).zip(buffers).filter_map(|(number, buffer)| {
        let (set, binding) = placement.buffer(number)?;
        let (kind, purpose) = (DescriptorKind::StorageBuffer, Purpose::VertexBuffer(*buffer));
        Some(Descriptor { set, binding, kind, purpose, stage })
    });
    let mut requirements =
        Requirements { descriptors: descriptors.collect(), ..Requirements::default() };
    if options.needs_first_instance(buffers) && options.asks_base_instance() {
        requirements.features.push(Feature::ShaderDrawParameters);
    }
    requirements.read(words.as_slice(), stage);
    need_limits(m, &mut requirements);
    requirements
}
