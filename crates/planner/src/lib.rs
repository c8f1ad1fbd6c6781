//! Plans of draws with transform feedback: the passes, bindings and barriers with which a device captures a draw.
//!
//! On a device with `VK_EXT_transform_feedback`, a draw with transform feedback is one command. On other devices, the
//! draw may become two passes with other shaders, the host writes parameters and keeps counters, and barriers before
//! the next use of the captured data need other stages. Some APIs have no barriers inside a pass. [`plan`] returns
//! all the work as a list of [`Step`]s, or the reason why the draw cannot be captured. Its arguments are plain data,
//! without handles or objects. [`plan_blending`] plans blending in the same way.
//!
//! ```
//! use polyshade_planner::{Active, Capture, Device, Draw, Feedback, Pipeline, Preset, plan};
//! # use polyshade_planner::{Bound, FeedbackBuffer, Step};
//! let device = Device::from(Preset::Vulkan);
//! let buffers = vec![FeedbackBuffer { stride: 16, ..FeedbackBuffer::default() }];
//! let capture = Capture { buffers, ..Capture::default() };
//! let pipeline = Pipeline { capture: Some(capture), ..Pipeline::default() };
//! let buffers = vec![Some(Bound { buffer: None, buffer_size: 4096, offset: 0, size: None })];
//! let feedback = Feedback::Active(Active { buffers, ..Active::default() });
//! let draw = Draw { feedback, ..Draw::default() };
//! let plan = plan(&device, &pipeline, &draw)?;
//! assert!(plan.steps.iter().any(|step| matches!(step, Step::BeginFeedback(_))));
//! println!("{plan}");
//! # Ok::<(), polyshade::Error>(())
//! ```

mod blending;
mod builder;
mod check;
pub mod code;
mod compute;
pub mod counter_pass;
mod device;
mod distances;
mod extension;
mod picture;
mod ranges;
mod shader_runs;
mod state;
mod steps;
mod storage;
mod sync;
mod text;

pub use blending::{
    Action, AdvancedBlending, AttachmentBlending, Before, Between, BlendingOrder, BlendingPath,
    BlendingPlan, BlendingState, Change, Layout, Overlapping, Usage, plan_blending,
};
pub use device::{
    Api, Blending, Device, DistanceSupport, Interlock, NativeBlending, Preset, PrimitivesGenerated,
    ProvokingVertexModes, RasterizationOff, SpillCostModel,
};
pub use distances::{DistanceForm, DistancePlan, DistanceStep, DistanceWay, Distances, distances};
pub use picture::picture;
pub use polyshade::host::{SideEffects, TransformFeedback};
pub use state::{
    Active, Begin, Bound, ByteCount, Call, Capture, Counter, CounterOwner, Draw, Emitted, End,
    Feedback, FeedbackBuffer, PassState, Path, Pipeline, Query, ShaderStage, Storage,
    StoredIndices, StoredOutputs, Topology, Use, Uses,
};
pub use steps::{
    Assembly, Attachments, Bind, Contents, CountedBy, CounterPass, Counters, DrawCall,
    FeedbackRange, ParamRange, ParamValue, ParamValues, Pass, PassScope, Plan, Position,
    Rasterization, ShaderRuns, SpillCost, Step, StorageRange, Variant, VertexOrder,
};
pub use sync::{Accesses, Barrier, Resource, Scope, Stages, barrier};

use builder::PlanBuilder;

use polyshade_spv::Error;

/// Plans a draw on a device.
///
/// # Errors
///
/// * `Options`: the state contradicts itself, or the API forbids it: a range outside of its buffer, a counter that
///   does not exist, a barrier while capture runs.
/// * `Unsupported`: the device or the variants cannot capture the draw. The message gives the reason.
pub fn plan(device: &Device, pipeline: &Pipeline, draw: &Draw) -> Result<Plan, Error> {
    check::state(device, pipeline, draw)?;
    let path = path(device, pipeline);
    match (&draw.feedback, &pipeline.capture) {
        (Feedback::Active(_), None) => Err(Error::new(
            &code::PLAN_NOTHING_CAPTURED,
            "capture is active, but the pipeline captures nothing",
        )),
        (Feedback::Active(active), Some(capture)) => match path {
            Path::Extension => extension::plan(device, pipeline, draw, capture, active),
            Path::Storage => storage::plan(device, pipeline, draw, capture, active),
            Path::Compute => compute::plan(device, pipeline, draw, capture, active),
        },
        (Feedback::Inactive | Feedback::Paused, _) => plan_uncaptured(device, pipeline, draw, path),
    }
}

/// Returns the mechanism by which a pipeline captures on a device, even if the pipeline captures nothing.
fn path(device: &Device, pipeline: &Pipeline) -> Path {
    let capture = pipeline.capture.as_ref();
    // Variants with named host parameters are drawn, unless the names include those of a dispatch.
    let is_drawn = |one: &Storage| !one.params.is_empty() && !one.is_dispatched();
    let is_drawn = capture.and_then(|capture| capture.storage.as_ref()).is_some_and(is_drawn);
    capture.and_then(|capture| capture.path).unwrap_or(match device.transform_feedback {
        Some(_) => Path::Extension,
        None if device.vertex_stores || is_drawn => Path::Storage,
        None => Path::Compute,
    })
}

/// Plans a draw that is not captured.
fn plan_uncaptured(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    path: Path,
) -> Result<Plan, Error> {
    let variant = match (&pipeline.capture, path) {
        (None, _) => Variant::Original,
        // The decorated shader captures only while transform feedback is active, so a paused draw needs no other
        // pipeline.
        (Some(_), Path::Extension) => Variant::Extension,
        // The raster-only variant lacks the shader's side effects, which the first pass executes.
        (Some(_), Path::Storage | Path::Compute)
            if pipeline.side_effects == Some(SideEffects::InFirstPass) =>
        {
            Variant::Original
        }
        (Some(_), Path::Storage | Path::Compute) => Variant::RasterOnly,
    };
    // Barriers and the counter pass come first, because they are outside of render passes.
    let mut steps = PlanBuilder::new(device, pipeline, draw, path);
    steps.wait_before()?;
    steps.count_on_device()?;
    steps.open_pass();
    let queries = steps.begin_queries(false)?;
    let (position, rasterization) = steps.rasterization();
    steps.draw(variant, position, rasterization)?;
    steps.end_queries(&queries);
    steps.wait_after()?;
    steps.finish(None, None)
}
