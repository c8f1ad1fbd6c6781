//! The requirements of the lowered shader on the device and the host.

use super::options::{ArrayLayerSource, Destination, Options};
use super::{Plan, fetch};
use crate::host::{
    Descriptor, DescriptorKind, Extension, Feature, Ordering, Purpose, Requirements,
};
use polyshade_spv::{Capability, ExecutionModel, Module};

pub(super) fn requirements(m: &Module<'_>, options: &Options, plan: &Plan<'_>) -> Requirements {
    let mut needs = Requirements::default();
    if options.multisampled {
        needs.features.push(Feature::SampleRateShading);
    }
    let kind = destination(m, options, &mut needs);
    for blended in &plan.blended {
        let location = blended.location;
        let index = match options.destination {
            Destination::InputAttachment { index, .. } => Some(index.saturating_add(location)),
            _ => None,
        };
        let purpose = Purpose::Destination { location, index };
        let place = fetch::place(options.destination, location);
        needs.descriptors.extend(place.map(|(set, binding)| Descriptor {
            set,
            binding,
            kind,
            purpose,
            stage: ExecutionModel::FRAGMENT,
        }));
    }
    needs.read(&plan.words, ExecutionModel::FRAGMENT);
    needs
}

/// Adds the requirements for reading the destination. Returns the type of its descriptors, if it has any.
fn destination(m: &Module<'_>, options: &Options, needs: &mut Requirements) -> DescriptorKind {
    let (kind, ordering) = match options.destination {
        Destination::InputAttachment { .. } => {
            (DescriptorKind::InputAttachment, Ordering::AttachmentAccess)
        }
        Destination::Texture { layer, .. } => {
            needs.features.extend(match layer {
                ArrayLayerSource::One => None,
                ArrayLayerSource::Layer if m.has_capability(Capability::SHADER_LAYER) => {
                    Some(Feature::ShaderOutputLayer)
                }
                ArrayLayerSource::Layer => Some(Feature::GeometryShader),
                ArrayLayerSource::View => Some(Feature::Multiview),
            });
            (DescriptorKind::SampledImage, Ordering::Copy)
        }
        Destination::TileImage => {
            needs.extensions.push(Extension::ShaderTileImage);
            // Each sample is read by a separate invocation, so `shaderTileImageReadSampleFromPixelRateInvocation` is
            // not needed.
            needs.features.push(Feature::ShaderTileImageColorReadAccess);
            (DescriptorKind::InputAttachment, Ordering::TileImage)
        }
        Destination::StorageImage { .. } => {
            needs.extensions.push(Extension::FragmentShaderInterlock);
            needs.features.extend(interlock_features(options.multisampled));
            (DescriptorKind::StorageImage, Ordering::Interlock)
        }
    };
    needs.ordering = Some(ordering);
    kind
}

/// Returns the features for reading and writing a storage image under interlock, with one or several samples.
pub fn interlock_features(multisampled: bool) -> impl Iterator<Item = Feature> {
    let always = [
        Feature::FragmentStoresAndAtomics,
        Feature::ShaderStorageImageReadWithoutFormat,
        Feature::ShaderStorageImageWriteWithoutFormat,
    ];
    let by_samples: &[Feature] = match multisampled {
        true => &[Feature::FragmentShaderSampleInterlock, Feature::ShaderStorageImageMultisample],
        false => &[Feature::FragmentShaderPixelInterlock],
    };
    always.into_iter().chain(by_samples.iter().copied())
}
