//! The requirements of each blending mechanism on the device and on the state.

use super::BlendingPath;
use super::state::{AdvancedBlending, AttachmentBlending, BlendingState};
use crate::device::{Api, Blending, Device, NativeBlending};
use polyshade::advanced_blend::{Alpha, Equation, Overlap, interlock_features};
use polyshade::host::{Extension, Feature};

/// Returns why a mechanism cannot be used; `None` if it can.
pub(super) fn lacking(
    device: &Device,
    state: &BlendingState,
    path: BlendingPath,
) -> Option<&'static str> {
    if path.is_lowered() && state.multisampled && !device.blending.sample_shading {
        return Some(
            "multisampled attachments are read sample by sample, but sampleRateShading is not supported",
        );
    }
    match path {
        BlendingPath::FixedFunction => fixed_function(&device.blending, state),
        BlendingPath::NativeCoherent => native(device, state).or_else(|| {
            not_coherent(&device.blending)
                .then_some("advancedBlendCoherentOperations is not supported")
        }),
        BlendingPath::Native => native(device, state),
        BlendingPath::OrderedAttachment => {
            let unordered = match device.api {
                Api::Metal => !device.blending.framebuffer_fetch,
                Api::Vulkan | Api::WebGpu => !device.blending.ordered_attachments,
            };
            attachments(device, state)
                .or(unordered.then_some("reads of attachments are not in primitive order"))
        }
        BlendingPath::Attachment => attachments(device, state),
        BlendingPath::TileImage => tile_image(device),
        BlendingPath::Interlock => interlock(device, state),
        // WebGPU's passes have one layer, and WGSL has no multisampled array textures.
        BlendingPath::Copy => (device.api == Api::WebGpu && state.layered)
            .then_some("WebGPU draws to one layer at a time"),
    }
}

fn not_coherent(has: &Blending) -> bool {
    !has.native.is_some_and(|native| native.coherent)
}

/// Returns why fixed function cannot blend all attachments.
fn fixed_function(has: &Blending, state: &BlendingState) -> Option<&'static str> {
    let blended = || state.attachments.iter().flatten();
    if blended().any(|one| one.advanced().is_some()) {
        return Some("an attachment has an advanced equation");
    }
    one_pipeline(has, state, |_| true)
}

/// Returns why fixed function in one pipeline cannot blend all attachments for which `is_there` is true; `None` if it
/// can.
pub(super) fn one_pipeline(
    has: &Blending,
    state: &BlendingState,
    is_there: impl Fn(&AttachmentBlending) -> bool,
) -> Option<&'static str> {
    let of = |one: &Option<AttachmentBlending>| one.clone().filter(|one| is_there(one));
    let there: Vec<Option<AttachmentBlending>> = state.attachments.iter().map(of).collect();
    let blended = || there.iter().flatten();
    let logic = blended().filter(|one| one.is_logic()).count();
    if logic > 0 && !has.logic_operations {
        return Some("logicOp is not supported");
    }
    if logic > 0 && (logic < there.len() || !are_alike(&there)) {
        return Some("a logic operation applies to all attachments and disables blending");
    }
    if blended().any(AttachmentBlending::has_second_source)
        && state.attachments.len() > has.second_source_attachments as usize
    {
        return Some("dual-source blending is not supported for this many attachments");
    }
    if !has.independent_blend && !are_alike(&there) {
        return Some(
            "attachments are blended in different ways, but independentBlend is not supported",
        );
    }
    None
}

fn are_alike<T: PartialEq>(all: &[T]) -> bool {
    all.windows(2).all(|pair| pair[0] == pair[1])
}

/// Returns why `VK_EXT_blend_operation_advanced` cannot blend the attachments.
fn native(device: &Device, state: &BlendingState) -> Option<&'static str> {
    if device.api != Api::Vulkan {
        return Some("only Vulkan supports advanced equations natively");
    }
    let Some(has) = device.blending.native else {
        return Some("VK_EXT_blend_operation_advanced is not supported");
    };
    if state.attachments.len() > has.max_attachments as usize {
        return Some("the subpass has more attachments than advancedBlendMaxColorAttachments");
    }
    // Limits of the advanced equations.
    let advanced = || state.attachments.iter().flatten().filter_map(AttachmentBlending::advanced);
    if let Some(why) = advanced().find_map(|one| equation(&has, one)) {
        return Some(why);
    }
    if state.attachments.iter().flatten().any(AttachmentBlending::is_logic) {
        return Some("a logic operation disables blending");
    }
    // The state that all attachments must share.
    let all: Vec<_> = advanced().collect();
    let alphas = |one: &AdvancedBlending| (one.overlap, one.source, one.destination);
    if !are_alike(&all.iter().map(|one| alphas(one)).collect::<Vec<_>>()) {
        return Some("overlap and kinds of alpha must be the same for all attachments");
    }
    if !has.independent && !are_alike(&state.attachments) {
        return Some(
            "attachments have different equations, but advancedBlendIndependentBlend is not supported",
        );
    }
    one_pipeline(&device.blending, state, |one| one.advanced().is_none())
}

/// Returns why the extension does not support the equations of one attachment.
fn equation(has: &NativeBlending, wanted: &AdvancedBlending) -> Option<&'static str> {
    let beyond = |equation: &Equation| !Equation::KHR.contains(equation);
    if !has.all_operations && wanted.equations.iter().any(beyond) {
        return Some("advancedBlendAllOperations is not supported");
    }
    if !has.straight_source && wanted.source == Alpha::Straight {
        return Some("advancedBlendNonPremultipliedSrcColor is not supported");
    }
    if !has.straight_destination && wanted.destination == Alpha::Straight {
        return Some("advancedBlendNonPremultipliedDstColor is not supported");
    }
    if !has.correlated_overlap && wanted.overlap != Overlap::Uncorrelated {
        return Some("advancedBlendCorrelatedOverlap is not supported");
    }
    if !has.clamped_results && wanted.clamp_results {
        return Some(
            "extendedDynamicState3ColorBlendAdvanced, which clamps results, is not supported",
        );
    }
    None
}

/// Returns why the shader cannot read the attachments.
fn attachments(device: &Device, state: &BlendingState) -> Option<&'static str> {
    let has = &device.blending;
    match device.api {
        Api::WebGpu => return Some("WebGPU shaders cannot read attachments"),
        Api::Metal if !has.framebuffer_fetch => {
            return Some("shaders of the device cannot read attachments");
        }
        Api::Metal => return None,
        Api::Vulkan => {}
    }
    if state.attachments.iter().flatten().count() > has.max_input_attachments as usize {
        return Some("more attachments are blended than maxPerStageDescriptorInputAttachments");
    }
    let local = has.local_read && (has.local_read_multisampled || !state.multisampled);
    if state.rendering_only && !local {
        return Some("dynamic rendering can read attachments only with dynamicRenderingLocalRead");
    }
    None
}

fn tile_image(device: &Device) -> Option<&'static str> {
    if !device.blending.tile_images || device.api != Api::Vulkan {
        return Some("VK_EXT_shader_tile_image is not supported");
    }
    (!device.dynamic_rendering).then_some("tile images require dynamic rendering")
}

fn interlock(device: &Device, state: &BlendingState) -> Option<&'static str> {
    let Some(has) = device.blending.interlock.filter(|_| device.api == Api::Vulkan) else {
        return Some("VK_EXT_fragment_shader_interlock is not supported");
    };
    match state.multisampled {
        true if !has.sample => return Some("fragmentShaderSampleInterlock is not supported"),
        false if !has.pixel => return Some("fragmentShaderPixelInterlock is not supported"),
        _ => {}
    }
    if state.layered {
        return Some("stores to layered storage images are not supported");
    }
    if !state.early_tests {
        return Some("a fragment that fails late fragment tests would be stored anyway");
    }
    if !state.plain_attachments {
        return Some("storage images support neither write masks nor sRGB");
    }
    None
}

/// The features that a mechanism needs.
pub(super) fn features(path: BlendingPath, state: &BlendingState, local: bool) -> Vec<Feature> {
    let mut features: Vec<Feature> = match path {
        BlendingPath::FixedFunction | BlendingPath::Native | BlendingPath::Copy => Vec::new(),
        BlendingPath::NativeCoherent => vec![Feature::AdvancedBlendCoherentOperations],
        BlendingPath::OrderedAttachment => vec![Feature::RasterizationOrderColorAttachmentAccess],
        BlendingPath::Attachment => Vec::new(),
        BlendingPath::TileImage => vec![Feature::ShaderTileImageColorReadAccess],
        BlendingPath::Interlock => interlock_features(state.multisampled).collect(),
    };
    features.extend(local.then_some(Feature::DynamicRenderingLocalRead));
    features
        .extend((path.is_lowered() && state.multisampled).then_some(Feature::SampleRateShading));
    features
}

/// The extensions that a mechanism needs.
pub(super) fn extensions(path: BlendingPath, local: bool) -> Vec<Extension> {
    let own = match path {
        BlendingPath::FixedFunction | BlendingPath::Attachment | BlendingPath::Copy => None,
        BlendingPath::NativeCoherent | BlendingPath::Native => {
            Some(Extension::BlendOperationAdvanced)
        }
        BlendingPath::OrderedAttachment => Some(Extension::RasterizationOrderAttachmentAccess),
        BlendingPath::TileImage => Some(Extension::ShaderTileImage),
        BlendingPath::Interlock => Some(Extension::FragmentShaderInterlock),
    };
    own.into_iter().chain(local.then_some(Extension::DynamicRenderingLocalRead)).collect()
}
