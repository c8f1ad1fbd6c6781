//! Transform feedback: captures the outputs of a vertex stage into buffers.
//!
//! If the device has `VK_EXT_transform_feedback`, [`decorate`] prepares a shader for capture by the extension.
//! Otherwise, [`prepare`] generates variants of a vertex shader that write its outputs to storage buffers. A draw then
//! takes up to two passes:
//!
//! * The *capture* pass runs [`Variant::CaptureOnly`], which has no stage outputs, as a point list without indices.
//! * The *raster* pass runs [`Variant::RasterOnly`], which stores nothing. Draws with rasterizer discard do not need
//!   it.
//!
//! [`Variant::Both`] captures and draws lists and strips in one pass. On devices whose vertex stages cannot store, [a
//! compute stage](Options::compute) replaces the capture pass. For an expensive shader, the capture pass can [store
//! all outputs](Options::spill_outputs), and [`Variant::ReloadOutputs`] loads them in the raster pass. [`Prepared`]
//! lists the bindings and host parameters, and makes each variant on request.
//!
//! The rules of `VK_EXT_transform_feedback` and of OpenGL 4.6, section 13.3, apply: primitives are captured whole, in
//! order, and only if they fit into every buffer. A *slot* is the position of one vertex in the captured sequence; a
//! vertex that several primitives share has several slots.
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
mod draw_constraints;
mod effects;
mod emit;
mod emitted;
mod extension;
pub mod geometry;
mod host;
mod indices;
mod layout;
mod leaves;
mod names;
pub(crate) mod native_xfb;
mod options;
mod outputs;
mod patches;
mod select;
mod spilled;
mod spilled_output;
mod stripped;
pub mod tessellation;
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

use crate::code::{self, refuse};
use crate::host::{
    Binding, Descriptor, DescriptorKind, Extension, Feature, HostParams, Lowered, Purpose,
    Requirements, Set, SideEffects, Target,
};
use crate::placement::{Placement, need_limits};
use crate::rewrite::{self, DceOptions, Frame, Stages};
use draw_constraints::DrawParam;
use effects::Effects;
use outputs::Outputs;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ExecutionModel, Module, Patch};

/// The version of the shaders from [`Prepared::variant`]. It increases when the same input gives a different module.
pub const VERSION: u32 = 11;
/// The version of the shaders from [`decorate`]. It increases when the same input gives a different module.
pub const EXTENSION_VERSION: u32 = 3;
/// The maximum number of feedback buffers.
pub const MAX_BUFFERS: usize = 4;
/// The largest stride of a feedback buffer, in bytes. No device with the extension supports more than 2048.
pub const MAX_STRIDE: u32 = 65_536;

/// A kind of shader that [`prepare`] generates from a vertex shader to capture its outputs into storage buffers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Variant {
    /// Stores the captured outputs; its only stage output is `PointSize`. Draw it with rasterizer discard, as a point
    /// list without indices, for any topology. Use the vertices and instances of the original draw. For a draw [with
    /// indices](Options::indexed), set `firstVertex` to `firstIndex` and `vertexCount` to `indexCount`. If the variant
    /// is a [compute stage](Options::compute), [dispatch](Layout::work_groups) it instead.
    CaptureOnly,
    /// Has the original outputs and stores nothing. It is the module itself if there is nothing to remove. Use it for
    /// the original draw.
    RasterOnly,
    /// Stores the captured outputs and has the original stage outputs. Use it for draws without indices, with lists
    /// and strips only. It cannot capture triangle fans and line loops.
    Both,
    /// Stores the captured outputs like [`CaptureOnly`](Self::CaptureOnly), and also all outputs for
    /// [`ReloadOutputs`](Self::ReloadOutputs). It always keeps the shader's own stores, whatever the [side
    /// effects](crate::host::SideEffects) option is, because the shader runs only in this pass. It needs
    /// [`Options::spill_outputs`].
    SpillOutputs,
    /// Loads the original outputs from the buffer that [`SpillOutputs`](Self::SpillOutputs) has written, and contains
    /// no other code. Use it for the original draw, but without indices: for a draw with indices, set `firstVertex` to
    /// `firstIndex` and `vertexCount` to `indexCount`. It needs [`Options::spill_outputs`].
    ReloadOutputs,
}

/// A prepared capture of one vertex shader. It makes the variants on request.
#[derive(Debug)]
pub struct Prepared<'m> {
    frame: Frame<'m>,
    side_effects: SideEffects,
    writes_point_size: bool,
    plan: Plan,
    requirements: Requirements,
}

const STAGES: Stages = Stages {
    models: &[ExecutionModel::VERTEX],
    otherwise: "can be captured only with VK_EXT_transform_feedback",
};

/// Finds the outputs that `options` select, and determines the layout, bindings and host parameters.
///
/// # Errors
///
/// * `NotFound`: the entry point, a varying or a specialization constant.
/// * `Options`: no varying to capture; more than [`MAX_BUFFERS`] buffers, or more than [`MAX_STRIDE`] bytes per
///   vertex; a varying that selects two variables or is captured twice; half of a 64-bit component; a reserved set and
///   binding.
/// * `Malformed`: contradictory transform feedback decorations, if [decorations](Options::decorated) select the
///   outputs.
/// * `Unsupported`: a varying with components that are not 32- or 64-bit numbers, or whose size depends on a
///   specialization constant; the name of a whole structure or array of arrays; a stage other than vertex; vertex
///   attributes, if draws have indices or [a compute stage](Options::compute) captures; built-in inputs that a compute
///   stage lacks; the errors of the [rewrite tools](crate::rewrite).
pub fn prepare<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Prepared<'m>, Error> {
    let frame = Frame::specialized(module, &target.into(), &STAGES, &options.constants)?;
    let m = frame.isolated();
    let plan = frame.found(m, Plan::new(&frame, options))?;
    let requirements = with_others(&frame, m, plan.requirements(m, plan.outputs_at()))?;
    let (side_effects, writes_point_size) = (options.side_effects, options.point_size);
    Ok(Prepared { frame, side_effects, writes_point_size, plan, requirements })
}

/// Adds `VK_EXT_transform_feedback` to `requirements` if other entry points of the module use it for capture. The
/// module then still needs the `transformFeedback` feature, which the device may lack.
fn with_others(
    frame: &Frame<'_>,
    m: &Module<'_>,
    requirements: Requirements,
) -> Result<Requirements, Error> {
    if !native_xfb::others_capture(m, frame.entry(m)?) {
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
    /// * `Unsupported`: side effects of the shader that the options refuse, or that cannot be removed from a pass;
    ///   push constants that cannot grow; the errors of the [rewrite tools](crate::rewrite).
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

    /// Makes `ReloadOutputs`: first adds the loads, then eliminates the original code, which is then dead.
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
        let stores = matches!(variant, Variant::CaptureOnly | Variant::Both);
        if stores && self.plan.stores.is_empty() {
            let message = "cannot capture: the list of varyings is empty";
            return refuse(&code::CAPTURE_NO_VARYINGS, message, entry.function());
        }
        match variant {
            Variant::CaptureOnly | Variant::SpillOutputs => {
                return emit::capture(m, p, entry, self, variant);
            }
            Variant::ReloadOutputs => return emit::reload_outputs(m, p, entry, self),
            Variant::RasterOnly => emit::raster_only(m, p, self)?,
            Variant::Both => emit::both(m, p, entry, self)?,
        }
        native_xfb::strip(m, p, entry);
        Ok(())
    }
}

/// The decisions that the options lead to for one module. Code generation reads them.
#[derive(Debug)]
struct Plan {
    layout: Layout,
    /// The captured pieces of each buffer.
    stores: Vec<Vec<layout::Stored>>,
    /// The outputs that `SpillOutputs` stores for `ReloadOutputs` or a geometry stage.
    spilled: Vec<layout::Stored>,
    placement: Placement,
    words: HostParams,
    /// The parameters in `words`, in the form that the code generator uses.
    host_params: Vec<DrawParam>,
    effects: Effects,
}

impl Plan {
    fn new(frame: &Frame<'_>, options: &Options) -> Result<Self, Error> {
        // The layout of the captured and the spilled outputs.
        let m = frame.isolated();
        let entry = frame.entry(m)?;
        let outputs = Outputs::of(m, entry);
        let (mut layout, stores) = select::lay_out(frame, entry, options, &outputs)?;
        layout.draws = options.draws.clone();
        layout.draws.check_topologies()?;
        let spilled = match layout.draws.spill_outputs {
            true => spilled::lay_out(m, entry, &outputs)?,
            false => Vec::new(),
        };
        layout.outputs_stride = 4 * spilled::words(&spilled);
        layout.spilled = spilled::list(&outputs, &spilled);
        if layout.draws.compute {
            check_name(m, frame.target().entry_name(), entry, &[ExecutionModel::GL_COMPUTE])?;
        }
        // Bindings and host parameters. Which parameters exist depends on whether buffers have addresses.
        let buffers = layout.buffers.len() as u32;
        let reserved = frame.target().reservations();
        let bound = buffers + layout.draws.further_buffers();
        let placement = Placement::new(m, &options.wanted(), reserved, bound)?;
        layout.draws.by_address = placement.params.is_address();
        layout.draws.check_spill_outputs()?;
        layout.draws.asks_draw_index = emit::asks_draw_index(m, entry, &layout.draws)?;
        let host_params = layout.draws.host_params(buffers);
        let words = draw_constraints::words(&layout.draws, placement.params, &host_params);
        reserved.check_params(&words)?;
        if layout.draws.compute && words.location().is_some() {
            let message = format!(
                "cannot read host parameters at {}: a compute stage has no vertex attributes",
                words.source
            );
            return Err(Error::new(&code::PARAMS_ATTRIBUTE_STAGE, message));
        }
        rewrite::check_attributes(m, entry, std::slice::from_ref(&words))?;
        let effects = Effects::find(m, entry);
        Ok(Self { layout, stores, spilled, placement, words, host_params, effects })
    }

    /// Whether a captured output is `Invariant`. With `passes`, checks the spilled outputs too.
    fn stores_invariant(&self, m: &Module<'_>, passes: bool) -> bool {
        let spilled = self.spilled.iter().filter(|_| passes);
        let mut stored = self.stores.iter().flatten().chain(spilled);
        stored.any(|stored| stored.piece.leaf.part.decoration(m, Decoration::INVARIANT).is_some())
    }

    /// Returns the requirements of the storing variants. `outputs` is the binding of the spilled outputs, if any.
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

/// Refuses to give `entry` another stage if the module already has an entry point of this name in one of `stages`.
fn check_name(
    m: &Module<'_>,
    name: &str,
    entry: EntryPoint<'_>,
    stages: &[ExecutionModel],
) -> Result<(), Error> {
    let Some(stage) = stages.iter().find(|stage| m.entry_point(name, **stage).is_ok()) else {
        return Ok(());
    };
    let message = format!("the module already has a {stage} entry point with this name");
    refuse(&code::CAPTURE_ENTRY_POINT_TAKEN, message, entry.function())
}
