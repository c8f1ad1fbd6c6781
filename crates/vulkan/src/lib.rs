//! Runs shaders on a Vulkan device without a window, and returns the results.
//!
//! Only a driver can show whether a rewritten shader still behaves like the original. This crate takes plain data,
//! [`Work`] (buffers, targets, draws), runs it on a [`Device`] in one submission, and returns plain data, an
//! [`Outcome`]: the buffers, the pixels and the counts. The Khronos validation layer can check a device, and the
//! device keeps the layer's messages.
//!
//! A [`Sequence`] is executed exactly as polyshade's planner states, with no further waits.
//!
//! [`capture_draw`] builds the capture pass of a draw, and binds everything that polyshade requires.
//!
//! [`model`] computes the results of transform feedback, and [`blend_model`] computes the results of advanced
//! blending. The comparison of results then needs no driver that supports these features.

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
pub use capabilities::{Capabilities, TransformFeedbackCapabilities, lavapipe_misreads};
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
