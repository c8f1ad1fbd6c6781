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
            "attachments of several samples are read sample by sample, and sampleRateShading is not there",
        );
    }
    match path {
        BlendingPath::FixedFunction => fixed_function(&device.blending, state),
        BlendingPath::NativeCoherent => native(device, state).or_else(|| {
            not_coherent(&device.blending).then_some("advancedBlendCoherentOperations is not there")
        }),
        BlendingPath::Native => native(device, state),
        BlendingPath::OrderedAttachment => {
            let unordered = match device.api {
                Api::Metal => !device.blending.framebuffer_fetch,
                Api::Vulkan | Api::WebGpu => !device.blending.ordered_attachments,
            };
            attachments(device, state)
                .or(unordered.then_some("reads of attachments do not come in primitive order"))
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
    ordinary(has, state, |_| true)
}

/// Returns why one pipeline cannot blend all attachments for which `is_there` is true by fixed function, if so.
pub(super) fn ordinary(
    has: &Blending,
    state: &BlendingState,
    is_there: impl Fn(&AttachmentBlending) -> bool,
) -> Option<&'static str> {
    let of = |one: &Option<AttachmentBlending>| one.clone().filter(|one| is_there(one));
    let there: Vec<Option<AttachmentBlending>> = state.attachments.iter().map(of).collect();
    let blended = || there.iter().flatten();
    let logic = blended().filter(|one| one.is_logic()).count();
    if logic > 0 && !has.logic_operations {
        return Some("logicOp is not there");
    }
    if logic > 0 && (logic < there.len() || !are_alike(&there)) {
        return Some("a logic operation is that of all attachments, which then are not blended");
    }
    if blended().any(AttachmentBlending::has_second_source)
        && state.attachments.len() > has.second_source_attachments as usize
    {
        return Some("a second source is for fewer attachments, or not there");
    }
    if !has.independent_blend && !are_alike(&there) {
        return Some("attachments are blended in several ways, and independentBlend is not there");
    }
    None
}

fn are_alike<T: PartialEq>(all: &[T]) -> bool {
    all.windows(2).all(|pair| pair[0] == pair[1])
}

/// Returns why `VK_EXT_blend_operation_advanced` cannot blend the attachments.
fn native(device: &Device, state: &BlendingState) -> Option<&'static str> {
    if device.api != Api::Vulkan {
        return Some("only Vulkan has equations of its own");
    }
    let Some(has) = device.blending.native else {
        return Some("VK_EXT_blend_operation_advanced is not there");
    };
    if state.attachments.len() > has.max_attachments as usize {
        return Some("advancedBlendMaxColorAttachments are fewer attachments than the subpass has");
    }
    // Limits of the advanced equations.
    let advanced = || state.attachments.iter().flatten().filter_map(AttachmentBlending::advanced);
    if let Some(why) = advanced().find_map(|one| equation(&has, one)) {
        return Some(why);
    }
    if state.attachments.iter().flatten().any(AttachmentBlending::is_logic) {
        return Some("a logic operation turns blending off");
    }
    // State that all attachments must share.
    let all: Vec<_> = advanced().collect();
    let alphas = |one: &AdvancedBlending| (one.overlap, one.source, one.destination);
    if !are_alike(&all.iter().map(|one| alphas(one)).collect::<Vec<_>>()) {
        return Some("overlap and kinds of alpha are those of all attachments");
    }
    if !has.independent && !are_alike(&state.attachments) {
        return Some(
            "attachments have several equations, and advancedBlendIndependentBlend is not there",
        );
    }
    ordinary(&device.blending, state, |one| one.advanced().is_none())
}

/// Returns why the extension does not support the equations of one attachment.
fn equation(has: &NativeBlending, wanted: &AdvancedBlending) -> Option<&'static str> {
    let beyond = |equation: &Equation| !Equation::KHR.contains(equation);
    if !has.all_operations && wanted.equations.iter().any(beyond) {
        return Some("advancedBlendAllOperations is not there");
    }
    if !has.straight_source && wanted.source == Alpha::Straight {
        return Some("advancedBlendNonPremultipliedSrcColor is not there");
    }
    if !has.straight_destination && wanted.destination == Alpha::Straight {
        return Some("advancedBlendNonPremultipliedDstColor is not there");
    }
    if !has.correlated_overlap && wanted.overlap != Overlap::Uncorrelated {
        return Some("advancedBlendCorrelatedOverlap is not there");
    }
    if !has.clamped_results && wanted.clamp_results {
        return Some("extendedDynamicState3ColorBlendAdvanced, which clamps results, is not there");
    }
    None
}

/// Returns why the shader cannot read the attachments.
fn attachments(device: &Device, state: &BlendingState) -> Option<&'static str> {
    let has = &device.blending;
    match device.api {
        Api::WebGpu => return Some("WebGPU's shaders do not read attachments"),
        Api::Metal if !has.framebuffer_fetch => {
            return Some("the device's shaders do not read attachments");
        }
        Api::Metal => return None,
        Api::Vulkan => {}
    }
    if state.attachments.iter().flatten().count() > has.max_input_attachments as usize {
        return Some("maxPerStageDescriptorInputAttachments are fewer than are blended");
    }
    let local = has.local_read && (has.local_read_multisampled || !state.multisampled);
    if state.rendering_only && !local {
        return Some("dynamic rendering reads attachments with dynamicRenderingLocalRead only");
    }
    None
}

fn tile_image(device: &Device) -> Option<&'static str> {
    if !device.blending.tile_images || device.api != Api::Vulkan {
        return Some("VK_EXT_shader_tile_image is not there");
    }
    (!device.dynamic_rendering).then_some("tile images are of dynamic rendering")
}

fn interlock(device: &Device, state: &BlendingState) -> Option<&'static str> {
    let Some(has) = device.blending.interlock.filter(|_| device.api == Api::Vulkan) else {
        return Some("VK_EXT_fragment_shader_interlock is not there");
    };
    match state.multisampled {
        true if !has.sample => return Some("fragmentShaderSampleInterlock is not there"),
        false if !has.pixel => return Some("fragmentShaderPixelInterlock is not there"),
        _ => {}
    }
    if state.layered {
        return Some("storage images of several layers are not stored to");
    }
    if !state.early_tests {
        return Some("a fragment that fails its tests late would be stored all the same");
    }
    if !state.plain_attachments {
        return Some("a storage image has no write mask, and no sRGB");
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
