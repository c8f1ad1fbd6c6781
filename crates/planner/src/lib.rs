//! What to draw, bind and wait for, so that a draw is captured: on any device, by the rules of its API.
//!
//! A draw with transform feedback is one command where the device has the feature. Where it has not, it may be two
//! passes with other shaders, words that the host fills in, and counters that it keeps; what the captured data is used
//! for next has to wait for other stages; and some APIs can wait for nothing inside a pass. [`plan`] says all of that
//! as a list of [`Step`]s. It is a function of plain data: it knows no handle, makes no object, and answers every
//! input with a plan or with the reason why there is none. [`plan_blending`] says the same of blending.
//!
//! ```
//! use polyshade_planner::{Active, Capture, Device, Draw, Feedback, Pipeline, Preset, plan};
//! # use polyshade_planner::{Bound, FeedbackBuffer, Step};
//! let device = Device::from(Preset::Vulkan);
//! let buffers = vec![FeedbackBuffer { stride: 16, ..FeedbackBuffer::default() }];
//! let capture = Capture { buffers, ..Capture::default() };
//! let pipeline = Pipeline { capture: Some(capture), ..Pipeline::default() };
//! let buffers = vec![Some(Bound { buffer_size: 4096, offset: 0, size: None })];
//! let feedback = Feedback::Active(Active { buffers, ..Active::default() });
//! let draw = Draw { feedback, ..Draw::default() };
//! let plan = plan(&device, &pipeline, &draw)?;
//! assert!(plan.steps.iter().any(|step| matches!(step, Step::BeginFeedback(_))));
//! println!("{plan}");
//! # Ok::<(), polyshade::Error>(())
//! ```

mod blending;
mod check;
mod device;
mod distances;
mod draft;
mod extension;
mod state;
mod steps;
mod storage;
mod sync;
mod text;

pub use blending::{
    Action, AdvancedBlending, AttachmentBlending, Before, Between, Blending, BlendingOrder,
    BlendingPath, BlendingPlan, BlendingState, Change, Interlock, Layout, NativeBlending,
    Overlapping, Usage, plan_blending,
};
pub use device::{
    Api, Device, Preset, PrimitivesGenerated, ProvokingVertexModes, RasterizationOff,
};
pub use distances::{
    DistanceForm, DistancePlan, DistanceStep, DistanceSupport, DistanceWay, Distances, distances,
};
pub use polyshade::host::TransformFeedback;
pub use state::{
    Active, Begin, Bound, ByteCount, Call, Capture, Counter, Draw, Emitted, End, Feedback,
    FeedbackBuffer, PassState, Path, Pipeline, Query, Storage, Topology, Uses,
};
pub use steps::{
    Assembly, Attachments, Bind, Contents, Corners, CountedBy, Counters, DrawCall, FeedbackRange,
    Pass, PassScope, Plan, Position, Rasterization, Step, StorageRange, Variant, Word, Words,
};
pub use sync::{Accesses, Barrier, Resource, Scope, ShaderStage, Stages, Use, barrier};

use draft::Draft;
use polyshade::transform_feedback::SideEffects;
use polyshade_spv::{Error, ErrorKind};

/// What to do for a draw on a device.
///
/// # Errors
///
/// * `Options`: the state contradicts itself, or the API forbids it: a range outside of its buffer, a counter that is
///   not there, waiting while capture runs.
/// * `Unsupported`: the device or the variants cannot do it, and the message says why.
pub fn plan(device: &Device, pipeline: &Pipeline, draw: &Draw) -> Result<Plan, Error> {
    check::state(device, pipeline, draw)?;
    let path = path(device, pipeline);
    match (&draw.feedback, &pipeline.capture) {
        (Feedback::Active(_), None) => {
            Err(contradiction("capture is active, and the pipeline captures nothing"))
        }
        (Feedback::Active(active), Some(capture)) => match path {
            Path::Extension => extension::plan(device, pipeline, draw, capture, active),
            Path::Storage => storage::plan(device, pipeline, draw, capture, active),
        },
        (Feedback::Inactive | Feedback::Paused, _) => plan_uncaptured(device, pipeline, draw, path),
    }
}

/// Which way a pipeline captures on a device; of one that captures nothing, which way others do.
fn path(device: &Device, pipeline: &Pipeline) -> Path {
    let wanted = pipeline.capture.as_ref().and_then(|capture| capture.path);
    wanted.unwrap_or(match device.transform_feedback {
        Some(_) => Path::Extension,
        None => Path::Storage,
    })
}

/// A draw that must capture nothing.
fn plan_uncaptured(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    path: Path,
) -> Result<Plan, Error> {
    let variant = match (&pipeline.capture, path) {
        (None, _) => Variant::Original,
        // It captures only between begin and end, so that pausing needs no other pipeline.
        (Some(_), Path::Extension) => Variant::Extension,
        // Its stores are gone from the raster-only variant.
        (Some(_), Path::Storage) if pipeline.side_effects == Some(SideEffects::InCapture) => {
            Variant::Original
        }
        (Some(_), Path::Storage) => Variant::RasterOnly,
    };
    let mut steps = Draft::new(device, pipeline, draw, path);
    steps.wait_before()?;
    if pipeline.rasterizer_discard {
        steps.open_small_pass();
    } else {
        steps.open_application_pass();
    }
    let queries = steps.begin_queries(false)?;
    let (position, rasterization) = steps.rasterization();
    steps.draw(variant, position, rasterization)?;
    steps.end_queries(&queries);
    steps.finish(None, None)
}

fn contradiction(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Options, message)
}

fn unsupported(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, message)
}
