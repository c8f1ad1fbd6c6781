//! Transform feedback where the device has none: a vertex stage's outputs are captured by writing storage buffers.
//!
//! Of a draw become up to two passes. The *capture* pass runs [`Capture::capture_only`], which has no stage output, as
//! a point list without indices; the *raster* pass runs [`Capture::raster_only`], which stores nothing. With rasterizer
//! discard only the first is drawn. Where a stage can store and rasterize at once, lists and strips can be drawn in
//! one pass with [`Capture::both`].
//!
//! The rules are those of `VK_EXT_transform_feedback` and OpenGL 4.6, 13.3: primitives are captured whole, in order,
//! and only while they fit into every buffer.
//!
//! ```
//! # use polyshade::{Error, Module, moves::{Binding, Set}, transform_feedback};
//! # fn capture(words: &[u32]) -> Result<(), Error> {
//! let vertex = Module::parse(words)?;
//! let options = transform_feedback::Options::new("main")
//!     .interleaved(["v_position", "v_velocity"])
//!     .into_storage(Set(3), Binding(0));
//! let capture = transform_feedback::capture(&vertex, &options)?;
//! println!("{} bytes a vertex", capture.layout.buffers[0].stride);
//! # Ok(())
//! # }
//! ```

mod effects;
mod emit;
mod foreign;
mod host;
mod layout;
mod names;
mod options;

pub use host::{BufferRange, Counts, Draw, HostLayout, HostWord, ProvokingVertex, Topology};
pub use layout::{BufferLayout, Captured, Layout};
pub use options::{HostWords, Options, SideEffects};

use crate::moves::{self, Binding, Set};
use effects::Effects;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ErrorKind, ExecutionModel, Module};

/// The most feedback buffers that a draw writes.
pub const MAX_BUFFERS: usize = 4;
/// The largest stride of a feedback buffer, in bytes: no device that has the feature takes more than 2048.
pub const MAX_STRIDE: u32 = 65_536;

/// The variants of a vertex shader that capture, and what the host has to know.
#[derive(Debug)]
pub struct Capture<'m> {
    /// Stores, and has no stage output but `PointSize`. Drawn as a point list without indices over the vertices and
    /// instances of the draw, with rasterization off, whatever the topology of the draw is.
    pub capture_only: Module<'static>,
    /// Has the outputs and stores nothing. Drawn as ever. The module itself where there was nothing to take out.
    pub raster_only: Module<'m>,
    /// Stores and has the outputs. Drawn as ever, without indices: lists and strips only, as a fan or a line loop
    /// would be stored by no invocation.
    pub both: Module<'static>,
    /// What is captured where.
    pub layout: Layout,
    /// What the host fills in for each draw.
    pub host: HostLayout,
    /// What the device must have and the host must bind.
    pub requirements: Requirements,
}

/// What the variants that store need of the device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirements {
    /// Vulkan features by their names.
    pub features: Vec<&'static str>,
    /// Descriptors that are added for the vertex stage.
    pub descriptors: Vec<Descriptor>,
}

/// A descriptor that is added for the vertex stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Its set.
    pub set: Set,
    /// Its binding.
    pub binding: Binding,
    /// `storage buffer` or `uniform buffer`.
    pub kind: &'static str,
    /// What it is for.
    pub purpose: String,
}

/// Makes the variants of the vertex shader `module` that capture what `options` name.
///
/// # Errors
///
/// * `NotFound`: the entry point, or a varying.
/// * `Options`: nothing to capture; more than [`MAX_BUFFERS`] buffers or [`MAX_STRIDE`] bytes a
///   vertex; a varying that two variables share or that is captured twice; a set and binding that
///   the shader has already.
/// * `Unsupported`: a varying whose type is not made of 32-bit scalars, a structure or an array of arrays named as a
///   whole; side effects of the shader where the options refuse them or where a pass cannot do without; push
///   constants that cannot grow; what the [moves] refuse.
pub fn capture<'m>(module: &'m Module<'_>, options: &Options) -> Result<Capture<'m>, Error> {
    let isolated = moves::isolate(module, options.entry(), ExecutionModel::VERTEX)?;
    // Where nothing changed, what is known of the module stays known.
    let m = if isolated.is_changed() { &isolated.module } else { module };
    let variants = || {
        let plan = Plan::new(m, options)?;
        let capture_only = emit::capture_only(m, options, &plan)?;
        let both = emit::both(m, options, &plan)?;
        let raster_only = emit::raster_only(m, options, &plan)?;
        Ok((plan, capture_only, both, raster_only))
    };
    // Offsets and ids are those of the version that was isolated, which nobody but us has seen.
    let place = |error: Error| if isolated.is_changed() { error.without_place() } else { error };
    let (plan, capture_only, both, raster_only) = variants().map_err(place)?;
    // Isolation alone is no reason for other words.
    let raster_only = raster_only.unwrap_or_else(|| module.borrowed());
    let requirements = requirements(options, &plan);
    let (host, layout) = (plan.host, plan.layout);
    Ok(Capture { capture_only, raster_only, both, layout, host, requirements })
}

/// What the options come to for one module: everything but the code.
struct Plan<'m> {
    layout: Layout,
    /// For each buffer the scalars that are stored, with their place in the vertex.
    stores: Vec<Vec<layout::Stored>>,
    host: HostLayout,
    effects: Effects<'m>,
}

impl<'m> Plan<'m> {
    fn new(m: &'m Module<'_>, options: &Options) -> Result<Self, Error> {
        let entry = m.entry_point(options.entry(), ExecutionModel::VERTEX)?;
        let (layout, stores) = layout::lay_out(m, entry, options)?;
        let buffers = layout.buffers.len();
        let place = options.host_words();
        check_bindings(options.storage(), buffers as u32, place)?;
        let host = HostLayout::new(place, buffers);
        Ok(Self { layout, stores, host, effects: Effects::find(m, entry) })
    }
}

/// Each buffer has a binding of its own.
fn check_bindings(
    (set, first): (Set, Binding),
    buffers: u32,
    host: HostWords,
) -> Result<(), Error> {
    let Some(last) = first.0.checked_add(buffers) else {
        let message = format!("there are no {buffers} bindings from {} on", first.0);
        return Err(Error::new(ErrorKind::Options, message));
    };
    let (HostWords::StorageBuffer { set: host_set, binding }
    | HostWords::Uniform { set: host_set, binding }) = host
    else {
        return Ok(());
    };
    if host_set == set && (first.0..last).contains(&binding.0) {
        let message = format!(
            "binding {} of set {} would hold the host words and feedback buffer {}",
            binding.0,
            set.0,
            binding.0 - first.0
        );
        return Err(Error::new(ErrorKind::Options, message));
    }
    Ok(())
}

fn requirements(options: &Options, plan: &Plan<'_>) -> Requirements {
    let (set, first) = options.storage();
    let mut descriptors: Vec<Descriptor> = (0..plan.layout.buffers.len() as u32)
        .map(|i| Descriptor {
            set,
            binding: Binding(first.0.saturating_add(i)),
            kind: "storage buffer",
            purpose: format!("feedback buffer {i}"),
        })
        .collect();
    let host = match plan.host.place {
        HostWords::StorageBuffer { set, binding } => Some((set, binding, "storage buffer")),
        HostWords::Uniform { set, binding } => Some((set, binding, "uniform buffer")),
        HostWords::PushConstant { .. } | HostWords::Specialization { .. } => None,
    };
    descriptors.extend(host.map(|(set, binding, kind)| Descriptor {
        set,
        binding,
        kind,
        purpose: "host words".to_owned(),
    }));
    Requirements { features: vec!["vertexPipelineStoresAndAtomics"], descriptors }
}

/// An output that can be named for capture.
#[derive(Clone, Debug)]
pub struct Varying {
    /// Its name.
    pub name: String,
    /// The 32-bit components that it has as a whole, or why it cannot be captured as a whole.
    pub components: Result<u32, Error>,
}

/// The outputs of `entry` that have a name to capture them by, in the order of its interface.
pub fn varyings(m: &Module<'_>, entry: EntryPoint<'_>) -> Vec<Varying> {
    let outputs = names::Outputs::of(m, entry);
    let varying = |name: &str| {
        let vectors = outputs.find(m, name).and_then(|part| layout::vectors(m, &part, name));
        let components =
            vectors.map(|vectors| vectors.iter().map(|(_, _, components)| components).sum());
        Varying { name: name.to_owned(), components }
    };
    outputs.names().map(varying).collect()
}
