//! Plans how a device blends attachments, by fixed function or in the shader. A plan also states how overlapping
//! primitives are ordered, and which changes to the pass are required.
//!
//! Few devices implement advanced blend equations. On other devices the shader blends
//! ([`advanced_blend`](polyshade::advanced_blend)). It has several ways to read the destination colour. Some of these
//! reads are in primitive order, others need a barrier. [`plan_blending`] chooses the first mechanism that the device
//! supports, in the order of [`BlendingPath::ALL`], and lists the changes that the host has to make.
//!
//! ```
//! use polyshade::advanced_blend::Equation;
//! use polyshade_planner::{AdvancedBlending, AttachmentBlending, BlendingPath, BlendingState};
//! use polyshade_planner::{Device, Preset, plan_blending};
//! let device = Device::from(Preset::VulkanMobile);
//! let multiply = AdvancedBlending { equations: vec![Equation::Multiply], ..AdvancedBlending::default() };
//! let attachments = vec![Some(AttachmentBlending::Advanced(multiply))];
//! let state = BlendingState { attachments, ..BlendingState::default() };
//! let plan = plan_blending(&device, &state)?;
//! assert_eq!(plan.path, BlendingPath::Attachment);
//! println!("{plan}");
//! # Ok::<(), polyshade::Error>(())
//! ```

mod needs;
mod state;
mod text;

pub use state::{AdvancedBlending, AttachmentBlending, BlendingState, Overlapping};

use super::device::{Api, Device};
use super::steps::PassScope;
use super::sync::{Accesses, Scope, Stages};
use crate::code;
use polyshade::host::{Extension, Feature};
use polyshade_spv::Error;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A mechanism of blending.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum BlendingPath {
    /// Fixed function, without advanced equations.
    FixedFunction,
    /// `VK_EXT_blend_operation_advanced` with coherent operations.
    NativeCoherent,
    /// The shader reads the attachment in primitive order: rasterization-order access, or framebuffer fetch.
    OrderedAttachment,
    /// The shader reads the tile image, in primitive order.
    TileImage,
    /// The shader reads and writes a storage image under ordered interlock.
    Interlock,
    /// `VK_EXT_blend_operation_advanced`, with barriers.
    Native,
    /// The shader reads the attachment, with barriers.
    Attachment,
    /// The shader reads a copy of the attachment.
    Copy,
}

impl BlendingPath {
    /// All mechanisms, in the order of preference.
    pub const ALL: [Self; 8] = [
        Self::FixedFunction,
        Self::NativeCoherent,
        Self::OrderedAttachment,
        Self::TileImage,
        Self::Interlock,
        Self::Native,
        Self::Attachment,
        Self::Copy,
    ];

    /// The name of the mechanism.
    pub fn name(self) -> &'static str {
        match self {
            Self::FixedFunction => "fixed function",
            Self::NativeCoherent => "native, coherent",
            Self::OrderedAttachment => "ordered attachment",
            Self::TileImage => "tile image",
            Self::Interlock => "storage image under interlock",
            Self::Native => "native, with barriers",
            Self::Attachment => "attachment, with barriers",
            Self::Copy => "copy",
        }
    }

    /// Whether the shader blends, not fixed function.
    pub fn is_lowered(self) -> bool {
        match self {
            Self::FixedFunction | Self::NativeCoherent | Self::Native => false,
            Self::OrderedAttachment
            | Self::TileImage
            | Self::Interlock
            | Self::Attachment
            | Self::Copy => true,
        }
    }

    /// Whether overlapping primitives are ordered without barriers.
    pub fn is_ordered(self) -> bool {
        match self {
            Self::FixedFunction
            | Self::NativeCoherent
            | Self::OrderedAttachment
            | Self::TileImage
            | Self::Interlock => true,
            Self::Native | Self::Attachment | Self::Copy => false,
        }
    }
}

/// How attachments are blended. Equal states have equal plans, so a plan can be the key of a cache.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct BlendingPlan {
    /// The mechanism.
    pub path: BlendingPath,
    /// How overlapping primitives are ordered.
    pub order: BlendingOrder,
    /// The locations that the shader blends. Fixed function blends all other locations.
    pub lowered: Vec<u32>,
    /// The command that begins the pass.
    pub scope: PassScope,
    /// Changes to the pass, the pipeline and the images.
    pub changes: Vec<Change>,
    /// The command to record between draws, if one is needed.
    pub between: Option<Between>,
    /// The extensions that must be enabled.
    pub extensions: Vec<Extension>,
    /// The features that must be enabled.
    pub features: Vec<Feature>,
}

/// How overlapping primitives are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum BlendingOrder {
    /// Overlapping primitives are ordered within every draw and between draws, without barriers.
    Coherent,
    /// The [command between draws](BlendingPlan::between) orders primitives of different draws. Primitives **within**
    /// one draw are not ordered, but do not overlap in this state.
    BetweenDraws,
    /// The command between draws orders primitives of different draws, but primitives within one draw overlap. The
    /// host must split draws until no draw covers a pixel twice.
    SplitDraws,
}

/// A property that blending requires of the pass, the pipeline or an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Change {
    /// The pass is a render pass object, although the device has dynamic rendering.
    RenderPassObject,
    /// Fixed-function blending of this location is off.
    BlendingOff(u32),
    /// Alpha to coverage and alpha to one are off. They would use the blended alpha, and would not mask the shader's
    /// stores.
    AlphaUnchanged,
    /// The attachment at this location is loaded, or cleared by the load operation.
    Loaded(u32),
    /// The attachment is also an input attachment of the subpass. In dynamic rendering,
    /// `VkRenderingInputAttachmentIndexInfo` maps it.
    InputAttachment {
        /// The location of the colour attachment.
        location: u32,
        /// The index of the input attachment.
        index: u32,
    },
    /// The image also has this usage.
    Usage(Usage),
    /// The image has this layout during rendering.
    Layout(Layout),
    /// The subpass has a self-dependency with `VK_DEPENDENCY_BY_REGION_BIT`.
    SelfDependency(Scope, Scope),
    /// The subpass and the pipeline have the flags for rasterization-order access; in dynamic rendering, only the
    /// pipeline has them.
    RasterizationOrder,
    /// The shader runs once per sample. It cannot be lowered if it reads its sample mask or stores to memory.
    SampleShading,
    /// The image is bound as a storage image, and is not an attachment of the pass.
    StorageImage(u32),
    /// The blend equation is pipeline state, so each equation needs its own pipeline.
    PipelinePerEquation,
}

/// `VkImageUsageFlagBits`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Usage {
    InputAttachment,
    Storage,
    /// The attachment needs this usage. The image that it is copied to needs `TRANSFER_DST` and `SAMPLED`.
    TransferSource,
}

/// `VkImageLayout`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Layout {
    General,
    RenderingLocalRead,
}

/// A command between draws, and the draws that need it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Between {
    /// The draws before which the command is recorded.
    pub before: Before,
    /// The command.
    pub action: Action,
}

/// The draws before which a command is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Before {
    /// Each draw that covers pixels that were drawn, cleared or copied to since the last such command.
    OverlappingDraws,
    /// Only the first draw after a clear, a copy or draws without blending, because blended draws do not overlap.
    BlendedDraws,
}

/// A command, or commands, between draws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Action {
    /// A barrier inside the pass, with `VK_DEPENDENCY_BY_REGION_BIT`.
    Barrier(Scope, Scope),
    /// The pass ends, a barrier is recorded, and the pass resumes with its contents.
    BarrierBetweenPasses(Scope, Scope),
    /// The pass ends, its attachment is copied to the texture that the shader reads, and the pass resumes.
    Copy,
}

/// Plans how the attachments of a state are blended on a device.
///
/// # Errors
///
/// * `Options`: an advanced attachment without an equation; more attachments than the device supports.
/// * `Unsupported`: the device does not support the requested mechanism or, if none is requested, any mechanism. The
///   message gives the reason.
pub fn plan_blending(device: &Device, state: &BlendingState) -> Result<BlendingPlan, Error> {
    check(device, state)?;
    let path = choose(device, state)?;
    let lowered = lowered(device, state, path);
    let local = reads_locally(device, state, path);
    let scope = scope(device, state, path, local);
    let mut extensions = Vec::new();
    let mut features = Vec::new();
    if device.api == Api::Vulkan {
        extensions = needs::extensions(path, local);
        features = needs::features(path, state, local);
    }
    let order = match state.overlap {
        _ if path.is_ordered() => BlendingOrder::Coherent,
        Overlapping::WithinDraws => BlendingOrder::SplitDraws,
        Overlapping::BetweenDraws | Overlapping::Never => BlendingOrder::BetweenDraws,
    };
    let changes = changes(device, state, path, (&lowered, scope));
    let between = between(path, device.api, (scope, local)).map(|action| {
        let before = match state.overlap {
            Overlapping::Never => Before::BlendedDraws,
            Overlapping::WithinDraws | Overlapping::BetweenDraws => Before::OverlappingDraws,
        };
        Between { before, action }
    });
    Ok(BlendingPlan { path, order, lowered, scope, changes, between, extensions, features })
}

/// Rejects states that are invalid on every device.
fn check(device: &Device, state: &BlendingState) -> Result<(), Error> {
    let most = device.blending.max_attachments;
    if state.attachments.len() > most as usize {
        let count = state.attachments.len();
        return Err(Error::new(
            &code::PLAN_TOO_MANY_ATTACHMENTS,
            format!("cannot blend {count} attachments: maxColorAttachments is {most}"),
        ));
    }
    let advanced = state.attachments.iter().flatten().filter_map(AttachmentBlending::advanced);
    match { advanced }.any(|one| one.equations.is_empty()) {
        true => Err(Error::new(
            &code::PLAN_NO_EQUATION,
            "cannot blend an attachment: its list of advanced equations is empty",
        )),
        false => Ok(()),
    }
}

/// Returns the requested mechanism, or the first mechanism that the device supports.
fn choose(device: &Device, state: &BlendingState) -> Result<BlendingPath, Error> {
    if let Some(path) = state.path {
        return match needs::lacking(device, state, path) {
            None => Ok(path),
            Some(why) => {
                Err(Error::new(&code::PLAN_BLENDING_PATH, format!("{}: {why}", path.name())))
            }
        };
    }
    let is_there = |path: &BlendingPath| needs::lacking(device, state, *path).is_none();
    BlendingPath::ALL.into_iter().find(is_there).ok_or_else(|| {
        let why = needs::lacking(device, state, BlendingPath::Copy);
        Error::new(
            &code::PLAN_BLENDING_PATH,
            why.expect("a blending path that is not supported has a reason"),
        )
    })
}

/// Returns the locations that the shader blends: all with advanced equations, and others that fixed function cannot
/// blend.
fn lowered(device: &Device, state: &BlendingState, path: BlendingPath) -> Vec<u32> {
    if !path.is_lowered() {
        return Vec::new();
    }
    let blended = || state.attachments.iter().flatten();
    let is_fixed_function =
        |one: &AttachmentBlending| matches!(one, AttachmentBlending::FixedFunction(_));
    // Fixed-function blending is off for the locations that the shader blends, and stays on for other locations.
    let others_stay = device.blending.independent_blend
        && !blended().any(AttachmentBlending::is_logic)
        && blended().any(|one| one.advanced().is_some())
        && needs::one_pipeline(&device.blending, state, is_fixed_function).is_none();
    let is_lowered = |one: &AttachmentBlending| !others_stay || one.advanced().is_some();
    (0..)
        .zip(&state.attachments)
        .filter(|(_, one)| one.as_ref().is_some_and(is_lowered))
        .map(|(location, _)| location)
        .collect()
}

/// Whether attachments are read inside dynamic rendering, or an attachment barrier is recorded there.
fn reads_locally(device: &Device, state: &BlendingState, path: BlendingPath) -> bool {
    let has = &device.blending;
    wants_subpass(path)
        && device.pass_scope() == PassScope::Rendering
        && has.local_read
        && (has.local_read_multisampled || !state.multisampled)
}

/// Whether the shader reads attachments, or barriers for attachments are inside the pass.
fn wants_subpass(path: BlendingPath) -> bool {
    matches!(
        path,
        BlendingPath::OrderedAttachment | BlendingPath::Attachment | BlendingPath::Native
    )
}

fn scope(device: &Device, state: &BlendingState, path: BlendingPath, local: bool) -> PassScope {
    match device.pass_scope() {
        PassScope::Rendering if wants_subpass(path) && !local && !state.rendering_only => {
            PassScope::RenderPass
        }
        of_device => of_device,
    }
}

const WRITTEN: Scope =
    Scope { stages: Stages::COLOR_ATTACHMENT_OUTPUT, accesses: Accesses::COLOR_ATTACHMENT_WRITE };
const FETCHED: Scope =
    Scope { stages: Stages::FRAGMENT_SHADER, accesses: Accesses::INPUT_ATTACHMENT_READ };
const BLENDED: Scope = Scope {
    stages: Stages::COLOR_ATTACHMENT_OUTPUT,
    accesses: Accesses::COLOR_ATTACHMENT_READ_NONCOHERENT,
};

fn changes(
    device: &Device,
    state: &BlendingState,
    path: BlendingPath,
    (lowered, scope): (&[u32], PassScope),
) -> Vec<Change> {
    let mut changes = Vec::new();
    // First the changes that every mechanism needs, then the changes for the chosen mechanism.
    if scope == PassScope::RenderPass && device.pass_scope() != scope {
        changes.push(Change::RenderPassObject);
    }
    changes.extend(lowered.iter().map(|location| Change::BlendingOff(*location)));
    if lowered.contains(&0) || path == BlendingPath::Interlock {
        changes.push(Change::AlphaUnchanged);
    }
    if path.is_lowered() && path != BlendingPath::Interlock {
        changes.extend(lowered.iter().map(|location| Change::Loaded(*location)));
    }
    let several =
        |one: &AttachmentBlending| one.advanced().is_some_and(|one| one.equations.len() > 1);
    if matches!(path, BlendingPath::NativeCoherent | BlendingPath::Native)
        && state.attachments.iter().flatten().any(several)
    {
        changes.push(Change::PipelinePerEquation);
    }
    match path {
        BlendingPath::OrderedAttachment | BlendingPath::Attachment if device.api == Api::Vulkan => {
            let input =
                |location: &u32| Change::InputAttachment { location: *location, index: *location };
            changes.extend(lowered.iter().map(input));
            changes.push(Change::Usage(Usage::InputAttachment));
            let local = scope == PassScope::Rendering;
            let layout = if local { Layout::RenderingLocalRead } else { Layout::General };
            changes.push(Change::Layout(layout));
            if scope == PassScope::RenderPass {
                changes.push(Change::SelfDependency(WRITTEN, FETCHED));
            }
            if path == BlendingPath::OrderedAttachment {
                changes.push(Change::RasterizationOrder);
            }
        }
        BlendingPath::Native => {
            if scope == PassScope::RenderPass {
                changes.push(Change::SelfDependency(WRITTEN, BLENDED));
            }
        }
        BlendingPath::Interlock => {
            changes.extend(lowered.iter().map(|location| Change::StorageImage(*location)));
            changes.extend([Change::Usage(Usage::Storage), Change::Layout(Layout::General)]);
        }
        BlendingPath::Copy => changes.push(Change::Usage(Usage::TransferSource)),
        BlendingPath::FixedFunction
        | BlendingPath::NativeCoherent
        | BlendingPath::OrderedAttachment
        | BlendingPath::Attachment
        | BlendingPath::TileImage => {}
    }
    if path.is_lowered() && state.multisampled {
        changes.push(Change::SampleShading);
    }
    changes
}

/// Returns the command between draws, if the mechanism does not order overlapping primitives.
fn between(path: BlendingPath, api: Api, (scope, local): (PassScope, bool)) -> Option<Action> {
    let inside = scope == PassScope::RenderPass || local;
    match path {
        BlendingPath::FixedFunction
        | BlendingPath::NativeCoherent
        | BlendingPath::OrderedAttachment
        | BlendingPath::TileImage
        | BlendingPath::Interlock => None,
        BlendingPath::Attachment if api != Api::Vulkan => None,
        BlendingPath::Attachment => Some(Action::Barrier(WRITTEN, FETCHED)),
        BlendingPath::Native if inside => Some(Action::Barrier(WRITTEN, BLENDED)),
        BlendingPath::Native => Some(Action::BarrierBetweenPasses(WRITTEN, BLENDED)),
        BlendingPath::Copy => Some(Action::Copy),
    }
}
