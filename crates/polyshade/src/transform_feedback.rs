//! Transform feedback: captures the outputs of a vertex stage into buffers.
//!
//! With `VK_EXT_transform_feedback`, [`decorate`] makes the extension capture. Without it, [`prepare`] generates
//! variants of a vertex shader that write its outputs to storage buffers. A draw then takes up to two passes:
//!
//! * The *capture* pass runs [`Variant::CaptureOnly`], which has no stage outputs, as a point list without indices.
//! * The *raster* pass runs [`Variant::RasterOnly`], which stores nothing. Rasterizer discard makes it unnecessary.
//!
//! [`Variant::Both`] draws lists and strips in one pass if the stage can store and rasterize at once. If vertex
//! stages cannot store, [a compute stage](Options::compute) replaces the capture pass. For an expensive shader, the
//! capture pass can [store all outputs](Options::spill_outputs), which [`Variant::ReloadOutputs`] reads in the raster
//! pass. [`Prepared`] lists the bindings and host parameters, and makes each variant on request.
//!
//! The rules are those of `VK_EXT_transform_feedback` and OpenGL 4.6, 13.3: primitives are captured whole, in order,
//! and only if they fit into every buffer. A *slot* is the place of a vertex of a primitive in the captured sequence.
//!
//! ```
//! # use polyshade::{Error, Module, host::{Binding, Set}, transform_feedback};
//! use polyshade::transform_feedback::Variant;
//!
//! # fn capture(words: &[u32]) -> Result<(), Error> {
//! let vertex = Module::parse(words)?;
//! let options = transform_feedback::Options::new()
//!     .interleaved(["v_position", "v_velocity"])
//!     .into_storage(Set(3), Binding(0));
//! let capture = transform_feedback::prepare(&vertex, "main", &options)?;
//! println!("{} bytes a vertex", capture.layout().buffers[0].stride);
//! let shader = capture.variant(Variant::CaptureOnly)?.module;
//! # Ok(())
//! # }
//! ```

mod capturable;
mod decorated;
mod dispatch;
mod draw;
mod effects;
mod emit;
mod extension;
pub(crate) mod foreign;
mod host;
mod indices;
mod known;
mod layout;
mod leaves;
mod names;
mod options;
mod outputs;
mod select;
mod spilled;
mod stripped;
mod topology;
mod varying;

pub use capturable::capturable;
pub use draw::{BufferRange, Draw, ProvokingVertex, WORK_GROUP_SIZE};
pub use extension::{Decorated, decorate};
pub use indices::{IndexType, Indices, Segments};
pub use layout::{BufferLayout, Captured, Layout};
pub use options::Options;
pub use stripped::strip;
pub use topology::Topology;
pub(crate) use varying::locations;
pub use varying::{Components, Locations, StreamOutputEntry, Varying};

use crate::code;
use crate::host::{
    Binding, Descriptor, DescriptorKind, Extension, Feature, HostParams, Lowered, Purpose,
    Requirements, Set, SideEffects, Target,
};
use crate::placement::{Placement, need_limits};
use crate::rewrite::{self, DceOptions, Frame, Stages};
use effects::Effects;
use known::HostWord;
use outputs::Outputs;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ExecutionModel, Module, Patch};

/// The version of the shaders from [`Prepared::variant`]; it grows when the same input gives a different module.
pub const VERSION: u32 = 9;
/// The version of the shaders from [`decorate`]; it grows when the same input gives a different module.
pub const EXTENSION_VERSION: u32 = 3;
/// The maximum number of feedback buffers.
pub const MAX_BUFFERS: usize = 4;
/// The largest stride of a feedback buffer, in bytes. No device with the extension supports more than 2048.
pub const MAX_STRIDE: u32 = 65_536;

/// A shader generated from a vertex shader whose outputs are captured into storage buffers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Variant {
    /// Stores the captured outputs; its only stage output is `PointSize`. Draw it with rasterization off, as a point
    /// list without indices over the vertices and instances of the draw, whatever the topology of the draw is. For a
    /// draw [with indices](Options::indexed), use as many vertices as there are indices, from `firstIndex` on. As a
    /// [compute stage](Options::compute) it is [dispatched](Layout::work_groups).
    CaptureOnly,
    /// Has the original outputs and stores nothing; the module itself if there is nothing to remove. Draw it as the
    /// original.
    RasterOnly,
    /// Stores and has the original outputs. Draw it as the original, without indices, for lists and strips only: in a
    /// triangle fan or line loop, no invocation would store.
    Both,
    /// Does the work of [`CaptureOnly`](Self::CaptureOnly), and also stores all outputs for
    /// [`ReloadOutputs`](Self::ReloadOutputs). It keeps the shader's own stores, whatever the [side
    /// effects](crate::host::SideEffects) option is: they happen once here. It needs [`Options::spill_outputs`].
    SpillOutputs,
    /// Has the original outputs, which it loads from the buffer that [`SpillOutputs`](Self::SpillOutputs) has
    /// written. Nothing else of the shader is left. Draw it as the original, but without indices: over as many
    /// vertices as there are indices, from `firstIndex` on. It needs [`Options::spill_outputs`].
    ReloadOutputs,
}

/// A prepared capture of one vertex shader, which makes variants on request.
#[derive(Debug)]
pub struct Prepared<'m> {
    frame: Frame<'m>,
    side_effects: SideEffects,
    writes_point_size: bool,
    plan: Plan,
    requirements: Requirements,
}

const STAGES: Stages =
    Stages { models: &[ExecutionModel::VERTEX], otherwise: "is captured with the extension only" };

/// Finds the outputs that `options` name in the vertex shader `module`, and decides on layout, bindings and parameters.
///
/// # Errors
///
/// * `NotFound`: the entry point, a varying or a specialization constant.
/// * `Options`: no varying to capture; more than [`MAX_BUFFERS`] buffers or [`MAX_STRIDE`] bytes a vertex; a varying
///   that two variables share or that is captured twice; half of a 64-bit component; a reserved set and binding.
/// * `Malformed`: transform feedback decorations that contradict each other, if the options capture by decorations.
/// * `Unsupported`: a varying with components that are not 32- or 64-bit numbers, or whose size depends on a
///   specialization constant; a name that stands for a whole structure or array of arrays; a stage other than vertex;
///   vertex attributes if draws have indices or [a compute stage](Options::compute) captures; built-in inputs that a
///   compute stage lacks; the errors of the [rewrite tools](crate::rewrite).
pub fn prepare<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Prepared<'m>, Error> {
    let frame = Frame::specialized(module, &target.into(), &STAGES, options.constants())?;
    let m = frame.isolated();
    let plan = frame.found(m, Plan::new(&frame, options))?;
    let requirements = with_others(&frame, m, plan.requirements(m, plan.outputs_at()))?;
    let (side_effects, writes_point_size) =
        (options.side_effects_kept(), options.writes_point_size());
    Ok(Prepared { frame, side_effects, writes_point_size, plan, requirements })
}

/// Adds the extension to `requirements` if other entry points of the module capture with it. The module then still
/// needs `transformFeedback`, which the device may lack.
fn with_others(
    frame: &Frame<'_>,
    m: &Module<'_>,
    requirements: Requirements,
) -> Result<Requirements, Error> {
    if !foreign::others_capture(m, frame.entry(m)?) {
        return Ok(requirements);
    }
    Ok(requirements.join(Requirements {
        extensions: vec![Extension::TransformFeedback],
        features: vec![Feature::TransformFeedback],
        ..Requirements::default()
    }))
}

impl<'m> Prepared<'m> {
    /// Returns the layout of the captured outputs in the feedback buffers.
    pub fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    /// Returns the parameters that the host sets for each draw.
    pub fn params(&self) -> &HostParams {
        &self.plan.words
    }

    /// Returns the device features and the bindings that the storing variants need. Only
    /// [`SpillOutputs`](Variant::SpillOutputs) uses the buffer for [spilled outputs](Options::spill_outputs).
    pub fn requirements(&self) -> &Requirements {
        &self.requirements
    }

    /// Makes one variant.
    ///
    /// # Errors
    ///
    /// * `Options`: a set and binding that the shader already uses; [`SpillOutputs`](Variant::SpillOutputs) or
    ///   [`ReloadOutputs`](Variant::ReloadOutputs) without [`Options::spill_outputs`].
    /// * `Unsupported`: side effects of the shader that the options refuse or that a pass cannot omit; push constants
    ///   that cannot grow; the errors of the [rewrite tools](crate::rewrite).
    pub fn variant(&self, variant: Variant) -> Result<Lowered<'m, Layout>, Error> {
        self.emit(variant).map(|lowered| lowered.map(|()| self.plan.layout.clone()))
    }

    /// Checks that [`variant`](Self::variant) would succeed, without writing a module.
    ///
    /// # Errors
    ///
    /// Those of [`variant`](Self::variant).
    pub fn check(&self, variant: Variant) -> Result<(), Error> {
        let version = self.frame.isolated();
        self.frame.rehearse(version, |m, p, entry| self.edit(m, p, entry, variant))
    }

    fn emit(&self, variant: Variant) -> Result<Lowered<'m>, Error> {
        let version = self.frame.isolated();
        if variant == Variant::ReloadOutputs {
            return self.reloaded(version);
        }
        let next = self.frame.rewrite(version, |m, p, entry| self.edit(m, p, entry, variant))?;
        let (module, progress, result) = self.frame.finish(next);
        let (words, requirements) = match variant {
            Variant::RasterOnly | Variant::ReloadOutputs => (Vec::new(), Requirements::default()),
            Variant::CaptureOnly | Variant::Both if self.plan.outputs_at().is_some() => {
                (vec![self.plan.words.clone()], self.plan.requirements(version, None))
            }
            Variant::CaptureOnly | Variant::Both | Variant::SpillOutputs => {
                (vec![self.plan.words.clone()], self.requirements.clone())
            }
        };
        let requirements = with_others(&self.frame, version, requirements)?;
        Ok(Lowered { module, progress, params: words, requirements, result })
    }

    /// Makes `ReloadOutputs`: first adds the loads, then eliminates the original code, which is dead.
    fn reloaded(&self, version: &Module<'m>) -> Result<Lowered<'m>, Error> {
        let variant = Variant::ReloadOutputs;
        let replaced =
            self.frame.rewrite(version, |m, p, entry| self.edit(m, p, entry, variant))?.module;
        let (name, model) = (self.frame.target().entry_name(), self.frame.model());
        let wanted = DceOptions::new().only(name, model);
        let reduced = self.frame.found(&replaced, rewrite::dce(&replaced, &wanted))?;
        let requirements = self.plan.requirements_of_reload(version);
        let requirements = with_others(&self.frame, version, requirements)?;
        let words = vec![self.plan.words.clone()];
        let made = self.frame.made(reduced.module.into_owned(), requirements, ());
        Ok(Lowered { params: words, ..made })
    }

    fn edit<'e>(
        &self,
        m: &'e Module<'_>,
        p: &mut Patch<'e, '_>,
        entry: EntryPoint<'e>,
        variant: Variant,
    ) -> Result<(), Error> {
        match variant {
            Variant::CaptureOnly | Variant::SpillOutputs => {
                return emit::capture(m, p, entry, self, variant);
            }
            Variant::ReloadOutputs => return emit::reload_outputs(m, p, entry, self),
            Variant::RasterOnly => emit::raster_only(m, p, self)?,
            Variant::Both => emit::both(m, p, entry, self)?,
        }
        foreign::strip(m, p, entry);
        Ok(())
    }
}

/// The result of applying the options to one module: everything except the generated code.
#[derive(Debug)]
struct Plan {
    layout: Layout,
    /// The captured pieces of each buffer.
    stores: Vec<Vec<layout::Stored>>,
    /// The outputs that `SpillOutputs` stores for `ReloadOutputs`.
    spilled: Vec<layout::Stored>,
    placement: Placement,
    words: HostParams,
    /// The parameters in `words`, as the code generator identifies them.
    host_params: Vec<HostWord>,
    effects: Effects,
}

impl Plan {
    fn new(frame: &Frame<'_>, options: &Options) -> Result<Self, Error> {
        // The layout of the captured and the spilled outputs.
        let m = frame.isolated();
        let entry = frame.entry(m)?;
        let outputs = Outputs::of(m, entry);
        let (mut layout, stores) = select::lay_out(frame, entry, options, &outputs)?;
        layout.draws = options.draws().clone();
        layout.draws.check_topologies()?;
        let spilled = match layout.draws.spill_outputs {
            true => spilled::lay_out(m, entry, &outputs)?,
            false => Vec::new(),
        };
        layout.outputs_stride = 4 * spilled::words(&spilled);
        let name = frame.target().entry_name();
        if layout.draws.compute && m.entry_point(name, ExecutionModel::GL_COMPUTE).is_ok() {
            let message = "the module has a compute stage of this name already";
            return Err(
                Error::new(&code::CAPTURE_ENTRY_POINT_TAKEN, message).about(entry.function())
            );
        }
        // Bindings and host parameters: the parameters depend on whether buffers have addresses.
        let buffers = layout.buffers.len() as u32;
        let reserved = frame.target().reservations();
        let bound = buffers + layout.draws.further_buffers();
        let placement = Placement::new(m, &options.wanted(), reserved, bound)?;
        layout.draws.by_address = placement.params.is_address();
        layout.draws.check_spill_outputs()?;
        layout.draws.asks_draw_index = emit::asks_draw_index(m, entry, &layout.draws)?;
        let host_params = layout.draws.host_params(buffers);
        let words = known::words(&layout.draws, placement.params, &host_params);
        reserved.check_params(&words)?;
        if layout.draws.compute && words.location().is_some() {
            let message = format!("words at {}, but a compute stage captures", words.source);
            return Err(Error::new(&code::PARAMS_ATTRIBUTE_STAGE, message));
        }
        rewrite::check_attributes(m, entry, std::slice::from_ref(&words))?;
        let effects = Effects::find(m, entry);
        Ok(Self { layout, stores, spilled, placement, words, host_params, effects })
    }

    /// Whether a captured output, or with `passes` a spilled one, is `Invariant`.
    fn stores_invariant(&self, m: &Module<'_>, passes: bool) -> bool {
        let spilled = self.spilled.iter().filter(|_| passes);
        let mut stored = self.stores.iter().flatten().chain(spilled);
        stored.any(|stored| stored.piece.leaf.part.said(m, Decoration::INVARIANT).is_some())
    }

    /// Returns the requirements of the storing variants. `outputs` is the binding of the spilled outputs, if used.
    fn requirements(&self, m: &Module<'_>, outputs: Option<(Set, Binding)>) -> Requirements {
        let (stage, features) = match self.layout.draws.compute {
            true => (ExecutionModel::GL_COMPUTE, Vec::new()),
            false => (ExecutionModel::VERTEX, vec![Feature::VertexPipelineStoresAndAtomics]),
        };
        let feedback = (0..).zip(&self.stores).filter(|(_, stores)| !stores.is_empty());
        let feedback = feedback.map(|(number, _)| (number, Purpose::Feedback(number)));
        let behind = self.stores.len() as u32;
        let indices = [(behind, Purpose::Indices), (behind + 1, Purpose::Segments)];
        let indices = indices.into_iter().take(self.layout.draws.index_buffers() as usize);
        let descriptors = feedback.chain(indices).filter_map(|(number, purpose)| {
            Some(buffer(self.placement.buffer(number)?, purpose, stage))
        });
        let outputs = outputs.map(|place| buffer(place, Purpose::Outputs, stage));
        let mut requirements = Requirements {
            features,
            descriptors: descriptors.chain(outputs).collect(),
            ..Requirements::default()
        };
        requirements.read(std::slice::from_ref(&self.words), stage);
        need_limits(m, &mut requirements);
        requirements
    }

    /// Returns the requirements of `ReloadOutputs`, which stores nothing.
    fn requirements_of_reload(&self, m: &Module<'_>) -> Requirements {
        let stage = ExecutionModel::VERTEX;
        let outputs = self.outputs_at().map(|place| buffer(place, Purpose::Outputs, stage));
        let descriptors = outputs.into_iter().collect();
        let mut requirements = Requirements { descriptors, ..Requirements::default() };
        requirements.read(std::slice::from_ref(&self.words), stage);
        need_limits(m, &mut requirements);
        requirements
    }

    /// Returns the binding of the buffer for spilled outputs, if outputs are spilled.
    fn outputs_at(&self) -> Option<(Set, Binding)> {
        let draws = &self.layout.draws;
        let number = self.stores.len() as u32 + draws.index_buffers();
        self.placement.buffer(number).filter(|_| draws.spill_outputs)
    }
}

/// Returns the descriptor of a storage buffer.
fn buffer((set, binding): (Set, Binding), purpose: Purpose, stage: ExecutionModel) -> Descriptor {
    Descriptor { set, binding, kind: DescriptorKind::StorageBuffer, purpose, stage }
}
