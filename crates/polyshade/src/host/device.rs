//! What a device offers, as far as lowerings heed its limits and the planner decides by it.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// What `VK_EXT_transform_feedback` offers. The default is the least that it guarantees.
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
    /// `maxTransformFeedbackStreamDataSize`: bytes of a vertex in all buffers of a stream together.
    pub max_stream_data: u32,
    /// `maxTransformFeedbackBufferDataSize`: bytes of a vertex in one buffer.
    pub max_buffer_data: u32,
    /// `maxTransformFeedbackBufferDataStride`.
    pub max_stride: u32,
    /// `transformFeedbackQueries`.
    pub queries: bool,
    /// `transformFeedbackDraw`: a draw can take its vertex count from a counter.
    pub draw: bool,
    /// `geometryStreams`: a geometry shader can emit to streams beyond 0.
    pub geometry_streams: bool,
    /// `transformFeedbackStreamsLinesTriangles`: with several streams, of lines and triangles too.
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
