//! Transform feedback. Where the device has none, [`capture`] makes a vertex stage write its outputs to storage
//! buffers; where it has `VK_EXT_transform_feedback`, [`decorate`] makes the extension capture them.
//!
//! With storage buffers, of a draw become up to two passes. The *capture* pass runs [`Capture::capture_only`], which
//! has no stage output, as a point list without indices; the *raster* pass runs [`Capture::raster_only`], which stores
//! nothing. With rasterizer discard only the first is drawn. Where a stage can store and rasterize at once, lists and
//! strips can be drawn in one pass with [`Capture::both`].
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

mod capturable;
mod decorated;
mod effects;
mod emit;
mod extension;
pub(crate) mod foreign;
mod host;
mod layout;
mod leaves;
mod names;
mod options;
mod outputs;
mod placement;
mod requirements;
mod select;
mod varying;

pub use capturable::{Capturable, capturable};
pub use extension::{Decorated, decorate};
pub(crate) use foreign::strip as strip_capture;
pub use host::{BufferRange, Counts, Draw, HostLayout, HostWord, ProvokingVertex, Topology};
pub use layout::{BufferLayout, Captured, Layout};
pub use options::{Host, HostWords, Options, SideEffects};
pub use requirements::{Descriptor, Limit, Purpose, Requirements};
pub(crate) use varying::locations;
pub use varying::{Components, Locations, StreamOutputEntry, StreamOutputSource, Varying};

use crate::moves;
use placement::Placement;
use polyshade_spv::{Error, ErrorKind, ExecutionModel, Id, Module, StorageClass};

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

/// What a capture comes to, without its variants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preview {
    /// What is captured where.
    pub layout: Layout,
    /// What the host fills in for each draw.
    pub host: HostLayout,
    /// What the device must have and the host must bind.
    pub requirements: Requirements,
}

/// Makes the variants of the vertex shader `module` that capture what `options` name.
///
/// # Errors
///
/// * `NotFound`: the entry point, a varying, or a specialization constant.
/// * `Options`: nothing to capture; more than [`MAX_BUFFERS`] buffers or [`MAX_STRIDE`] bytes a vertex; a varying that
///   two variables share or that is captured twice; half a component of 64 bits; a set and binding that the shader has
///   already, or that is reserved.
/// * `Malformed`: decorations for transform feedback that contradict each other, where they are to be captured.
/// * `Unsupported`: a varying whose type is not made of numbers of 32 or 64 bits, or whose size depends on a
///   specialization constant; by name, a structure or an array of arrays as a whole; another stage than the vertex
///   stage; side effects of the shader where the options refuse them or where a pass cannot do without; push constants
///   that cannot grow; what the [moves] refuse.
pub fn capture<'m>(module: &'m Module<'_>, options: &Options) -> Result<Capture<'m>, Error> {
    check_stage(options)?;
    let prepared = Prepared::new(module, options)?;
    let m = prepared.module(module);
    let variants = || {
        let plan = Plan::new(m, options, &prepared.given)?;
        let capture_only = m.rewrite(|m, p| emit::capture_only(m, p, options, &plan))?;
        let both = m.rewrite(|m, p| emit::both(m, p, options, &plan))?;
        let raster_only = m.rewrite(|m, p| emit::raster_only(m, p, options))?;
        let capture_only = capture_only.module.into_owned();
        let raster_only = raster_only.is_changed().then(|| raster_only.module.into_owned());
        Ok((plan, capture_only, both.module.into_owned(), raster_only))
    };
    let (plan, capture_only, both, raster_only) =
        variants().map_err(|error| prepared.place(error))?;
    let Preview { layout, host, requirements } = plan.preview(m);
    let raster_only = raster_only.unwrap_or_else(|| prepared.unchanged(module));
    Ok(Capture { capture_only, raster_only, both, layout, host, requirements })
}

/// What [`capture`] would come to: the same errors, and no words are written.
///
/// # Errors
///
/// Those of [`capture`].
pub fn preview(module: &Module<'_>, options: &Options) -> Result<Preview, Error> {
    check_stage(options)?;
    let prepared = Prepared::new(module, options)?;
    let m = prepared.module(module);
    let rehearse = || {
        let plan = Plan::new(m, options, &prepared.given)?;
        m.rehearse(|m, p| emit::capture_only(m, p, options, &plan))?;
        m.rehearse(|m, p| emit::both(m, p, options, &plan))?;
        m.rehearse(|m, p| emit::raster_only(m, p, options))?;
        Ok(plan.preview(m))
    };
    rehearse().map_err(|error| prepared.place(error))
}

fn check_stage(options: &Options) -> Result<(), Error> {
    match options.stage_wanted() {
        ExecutionModel::VERTEX => Ok(()),
        other => {
            let message = format!("a {other} stage is captured with the extension only");
            Err(Error::new(ErrorKind::Unsupported, message))
        }
    }
}

/// The version that is lowered: specialized, and the entry point isolated.
struct Prepared {
    /// `None` where it is the module itself.
    version: Option<Module<'static>>,
    /// Whether constants have their values for good.
    specialized: bool,
    /// The outputs as the caller knows them: isolation gives some another id.
    given: Vec<Id>,
}

impl Prepared {
    fn new(module: &Module<'_>, options: &Options) -> Result<Self, Error> {
        let specialized = moves::specialize(module, options.constants())?;
        let is_specialized = specialized.is_changed();
        // Where nothing changed, what is known of the module stays known.
        let m = if is_specialized { &specialized.module } else { module };
        let isolated = moves::isolate(m, options.entry(), options.stage_wanted())?;
        let version = if isolated.is_changed() {
            Some(isolated.module.into_owned())
        } else {
            drop(isolated);
            is_specialized.then(|| specialized.module.into_owned())
        };
        let entry = module.entry_point(options.entry(), options.stage_wanted())?;
        let given = moves::interface(module, entry, StorageClass::OUTPUT);
        Ok(Self { version, specialized: is_specialized, given })
    }

    fn module<'p, 'm: 'p>(&'p self, module: &'p Module<'m>) -> &'p Module<'m> {
        self.version.as_ref().unwrap_or(module)
    }

    /// Offsets and ids are those of the version that is lowered, which nobody but us has seen.
    fn place(&self, error: Error) -> Error {
        if self.version.is_some() { error.without_place() } else { error }
    }

    /// The result where nothing is to be edited. Isolation alone is no reason for other words.
    fn unchanged<'m>(&self, module: &'m Module<'_>) -> Module<'m> {
        match &self.version {
            Some(version) if self.specialized => version.borrowed().into_owned(),
            _ => module.borrowed(),
        }
    }
}

/// What the options come to for one module: everything but the code.
struct Plan {
    layout: Layout,
    /// For each buffer what is stored there.
    stores: Vec<Vec<layout::Stored>>,
    placement: Placement,
    host: HostLayout,
}

impl Plan {
    fn new(m: &Module<'_>, options: &Options, given: &[Id]) -> Result<Self, Error> {
        let entry = m.entry_point(options.entry(), ExecutionModel::VERTEX)?;
        let (layout, stores) = select::lay_out(m, entry, options, given)?;
        let buffers = layout.buffers.len();
        let placement = Placement::new(m, options, buffers as u32)?;
        let host = HostLayout::new(placement.host, buffers);
        if let HostWords::Specialization { first_id } = placement.host {
            let numbers = first_id..first_id.saturating_add(host.words.len() as u32);
            options.reservations().check_constants(numbers)?;
        }
        Ok(Self { layout, stores, placement, host })
    }

    fn preview(self, m: &Module<'_>) -> Preview {
        let requirements = Requirements::new(m, &self);
        Preview { layout: self.layout, host: self.host, requirements }
    }
}
