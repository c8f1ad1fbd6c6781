//! Vertex pulling: the vertex stage fetches its attributes from storage buffers or from addresses. This replaces
//! fixed-function vertex input: devices differ in the formats, alignments and strides that they support.
//!
//! Every input with a location becomes a `Private` variable, which is filled before the original shader code runs.
//! Its value follows Vulkan's "Vertex Input Extraction": the vertex or instance index, with divisors, selects an
//! element, which is converted from its format and completed from (0, 0, 0, 1). Each format, offset, stride and rate
//! is either fixed when the shader is lowered, or a host parameter, which allows dynamic vertex input.
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

/// The version of the code that [`lower`] emits.
pub const VERSION: u32 = 1;

const LOWERING: Lowering = Lowering {
    name: "vertex_pulling",
    stages: Stages { models: &[ExecutionModel::VERTEX], otherwise: "has no vertex attributes" },
    changes: None,
};

/// The result of vertex pulling.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Pulled {
    /// The numbers of the vertex buffers that the shader reads, in the order of their bindings.
    pub buffers: Vec<u32>,
    /// The locations that the shader reads but that have no attribute. Their value is (0, 0, 0, 1).
    pub absent: Vec<u32>,
}

/// Returns a version of the vertex shader `module` that fetches its attributes. A module without attributes does not
/// change.
///
/// # Errors
///
/// * `NotFound`: the module has no such entry point.
/// * `Options`: attributes and buffers do not fit each other; a format's numeric type differs from the input's; a
///   binding, push constant or specialization constant is already in use or reserved.
/// * `Unsupported`: another stage; an input that is a structure, has no location, or is an array with a
///   specialization-constant length; push constants that cannot grow; the errors of the [rewrite
///   tools](crate::rewrite).
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Pulled>, Error> {
    let target = &target.into();
    options.check()?;
    let lowered = rewrite::lower(module, target, &LOWERING, |m, p, entry| {
        // Find the inputs, choose bindings, and list the host parameters.
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
        // Emit the code.
        emit::pull(m, p, entry, &pull)?;
        let requirements = requirements(m, (&words, placement), buffers, options);
        Ok((Vec::from_iter(words), requirements, pulled))
    })?;
    let Lowered { module, progress, result: (words, requirements, result), .. } = lowered;
    Ok(Lowered { module, progress, params: words, requirements, result })
}

/// Returns the buffers that the inputs read, and the locations without an attribute.
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

/// Returns the host parameters. Returns `None` if nothing is fetched.
fn words(
    inputs: &[Input],
    options: &Options,
    buffers: &[u32],
    placement: Placement,
) -> Option<HostParams> {
    let mut words = Vec::new();
    let mut say = |name: String, meaning| words.push(HostParam::new(name, meaning));
    // Parameters for each buffer.
    for number in buffers {
        let buffer = options.buffers[number];
        if placement.params.is_address() {
            say(
                emit::ADDRESS_LOW.of(*number),
                "the lower 32 bits of the address of the vertex buffer",
            );
            say(
                emit::ADDRESS_HIGH.of(*number),
                "the upper 32 bits of the address of the vertex buffer",
            );
        } else {
            say(
                emit::BUFFER_OFFSET.of(*number),
                "bytes from the start of the bound range to the vertex buffer",
            );
        }
        say(emit::BUFFER_SIZE.of(*number), "bytes of the vertex buffer; 0 if none is bound");
        if buffer.stride.is_none() {
            say(emit::STRIDE.of(*number), "bytes from one element to the next, below 2^16");
        }
        if buffer.rate.is_none() {
            say(
                emit::RATE.of(*number),
                "0 for per-vertex attributes, else 1 + the instance divisor",
            );
        }
    }
    // Parameters for each attribute.
    let leaves = inputs.iter().flat_map(|input| &input.leaves);
    let locations: BTreeSet<u32> = leaves.map(|leaf| leaf.location).collect();
    for location in locations {
        let Some(attribute) = options.attribute_at(location) else { continue };
        if attribute.offset.is_none() {
            say(emit::OFFSET.of(location), "byte offset of the attribute in an element");
        }
        if attribute.format.is_none() {
            say(emit::FORMAT.of(location), "bits of the components, and their numeric format");
            say(emit::LAYOUT.of(location), "the bits at which the components begin");
        }
    }
    if options.needs_first_instance(buffers) && !options.base_instance {
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
    if options.needs_first_instance(buffers) && options.base_instance {
        requirements.features.push(Feature::ShaderDrawParameters);
    }
    requirements.read(words.as_slice(), stage);
    need_limits(m, &mut requirements);
    requirements
}
