//! Runs shaders on a Vulkan device without a window, and says what came out.
//!
//! Whether a rewritten shader still does what the original did is a question for a driver. So this crate takes plain
//! data, [`Work`] (buffers, targets, draws), runs it on a [`Device`] in one submission, and gives plain data back, an
//! [`Outcome`]: the buffers, the pixels and the counts. A device can be watched by the Khronos validation layer, whose
//! messages it keeps.
//!
//! A [`Sequence`] is drawn as polyshade's planner says, and waits for nothing else.
//!
//! [`capture_draw`] makes the capture pass of a draw, bound as polyshade says.
//!
//! Where no driver has the feature that a lowering replaces, [`model`] says what it would have done.

mod address;
mod blend;
pub mod blend_model;
mod blending;
mod capabilities;
mod capture;
mod check;
pub mod code;
mod counts;
mod depth;
mod descriptors;
mod device;
mod error;
mod features;
mod format;
mod image;
mod indexing;
mod instance;
mod interface;
mod memory;
pub mod model;
mod pipeline;
mod pipelines;
mod plan;
mod pull;
mod record;
mod required;
mod run;
mod runner;
mod support;
mod target_reads;
mod texture;
mod timing;
mod validation;
mod work;

pub use ash::vk;
pub use blend::{AdvancedBlend, Blend, BlendTerm, FixedBlend};
pub use capabilities::{
    Capabilities, PrimitivesGeneratedCapabilities, ProvokingVertexCapabilities,
    TransformFeedbackCapabilities, lavapipe_misreads,
};
pub use capture::{
    CaptureBuffers, Variants, bind_capture, capture_draw, dispatch_capture, place_words,
};
pub use counts::Counts;
pub use depth::DepthTest;
pub use device::{Device, Validation};
pub use error::Error;
pub use features::Features;
pub use format::texel_words;
pub use indexing::Indexing;
pub use instance::{DeviceName, find_layer};
pub use plan::{
    Counted, Executed, IndirectArguments, Item, PlannedDraw, Sequence, execute_in_encoders,
};
pub use pull::bind_pulled;
pub use required::{
    RequiredFeatures, required_bindings, required_extensions, required_push_constants,
};
pub use runner::Runner;
pub use target_reads::TargetReads;
pub use texture::Texture;
pub use validation::{FalsePositive, KNOWN_FALSE_POSITIVES, Layer, Message, Severity};
pub use work::{
    Address, AddressAt, Attribute, Captured, Constant, Descriptor, Draw, Indices, Outcome, Place,
    ProvokingVertex, Range, Resource, Stage, Target, TransformFeedback, VertexBuffer, VertexLayout,
    Work,
};
