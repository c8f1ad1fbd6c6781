//! The limits of a device that lowerings and the planner use.

use super::LimitName;
use crate::code;
use polyshade_spv::Error;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The limits of a device for one stage that lowerings use. The default values are the minimums that Vulkan
/// guarantees for devices with the respective feature (Vulkan specification, "Required limits").
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Device {
    /// `maxVertexOutputComponents`, or the corresponding limit of another stage. Added outputs get locations below a
    /// quarter of it.
    pub output_components: u32,
    /// `maxClipDistances`.
    pub max_clip_distances: u32,
    /// `maxCullDistances`.
    pub max_cull_distances: u32,
    /// `maxCombinedClipAndCullDistances`.
    pub max_combined_distances: u32,
    /// `maxGeometryOutputVertices`.
    pub max_geometry_vertices: u32,
    /// `maxGeometryOutputComponents`.
    pub max_geometry_components: u32,
    /// `maxGeometryTotalOutputComponents`.
    pub max_geometry_total: u32,
    /// Limits of `VK_EXT_transform_feedback`. If `None`, the limits are not checked, and the requirements list the
    /// values that the device must support.
    pub transform_feedback: Option<TransformFeedback>,
}

impl Default for Device {
    fn default() -> Self {
        Self {
            output_components: 64,
            max_clip_distances: 8,
            max_cull_distances: 8,
            max_combined_distances: 8,
            max_geometry_vertices: 256,
            max_geometry_components: 64,
            max_geometry_total: 1024,
            transform_feedback: None,
        }
    }
}

impl Device {
    /// Fails if a limit for distances or geometry stages is exceeded. The error message begins with `what`.
    pub(crate) fn check(&self, what: &str, needed: &[(LimitName, u32)]) -> Result<(), Error> {
        for (name, count) in needed {
            let limit = match name {
                LimitName::MaxClipDistances => self.max_clip_distances,
                LimitName::MaxCullDistances => self.max_cull_distances,
                LimitName::MaxCombinedClipAndCullDistances => self.max_combined_distances,
                LimitName::MaxGeometryOutputVertices => self.max_geometry_vertices,
                LimitName::MaxGeometryOutputComponents => self.max_geometry_components,
                LimitName::MaxGeometryTotalOutputComponents => self.max_geometry_total,
                _ => u32::MAX,
            };
            if *count > limit {
                let message = format!("{what} {count} is more than {name}, {limit}");
                return Err(Error::new(&code::DEVICE_LIMIT, message));
            }
        }
        Ok(())
    }
}

/// The limits and features of `VK_EXT_transform_feedback`. The default values are the minimums that the extension
/// guarantees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct TransformFeedback {
    /// `maxTransformFeedbackStreams`.
    pub max_streams: u32,
    /// `maxTransformFeedbackBuffers`.
    pub max_buffers: u32,
    /// `maxTransformFeedbackBufferSize`.
    pub max_buffer_size: u64,
    /// `maxTransformFeedbackStreamDataSize`: the bytes per vertex in all buffers of a stream together.
    pub max_stream_data: u32,
    /// `maxTransformFeedbackBufferDataSize`: the bytes per vertex in one buffer.
    pub max_buffer_data: u32,
    /// `maxTransformFeedbackBufferDataStride`.
    pub max_stride: u32,
    /// `transformFeedbackQueries`.
    pub queries: bool,
    /// `transformFeedbackDraw`: a draw can read its vertex count from a counter buffer.
    pub draw: bool,
    /// `geometryStreams`: a geometry shader can emit vertices to streams other than 0.
    pub geometry_streams: bool,
    /// `transformFeedbackStreamsLinesTriangles`: geometry shaders with several streams can emit lines and triangles,
    /// too.
    pub streams_lines_triangles: bool,
}

impl Default for TransformFeedback {
    fn default() -> Self {
        Self {
            max_streams: 1,
            max_buffers: 1,
            max_buffer_size: 1 << 27,
            max_stream_data: 512,
            max_buffer_data: 512,
            max_stride: 512,
            queries: false,
            draw: false,
            geometry_streams: false,
            streams_lines_triangles: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_checked_by_name() {
        use LimitName as Name;
        for name in [
            Name::MaxClipDistances,
            Name::MaxCullDistances,
            Name::MaxCombinedClipAndCullDistances,
            Name::MaxGeometryOutputVertices,
            Name::MaxGeometryOutputComponents,
            Name::MaxGeometryTotalOutputComponents,
        ] {
            let device = Device::default();
            assert!(device.check("1 is", &[(name, 1)]).is_ok());
            let error = device.check("1025 are", &[(name, 1025)]).unwrap_err();
            assert!(error.to_string().contains(name.name()), "{error}");
        }
    }
}
