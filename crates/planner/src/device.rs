//! The capabilities of a device that captures and blending depend on.

mod support;

pub use support::{Blending, DistanceSupport, Interlock, NativeBlending};

use super::steps::PassScope;
use polyshade::host::TransformFeedback;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The API whose rules a device follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Api {
    /// Vulkan. Barriers are explicit, and none of the planner's barriers can be inside a pass.
    #[default]
    Vulkan,
    /// Metal. The stores of one pass are visible to the next pass, and there are no barriers inside a pass.
    Metal,
    /// WebGPU. Like Metal, but a buffer that a pass stores to cannot have another use in that pass.
    WebGpu,
}

impl Api {
    /// The name of the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "Vulkan",
            Self::Metal => "Metal",
            Self::WebGpu => "WebGPU",
        }
    }
}

/// The shaders for which rasterization can be turned off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum RasterizationOff {
    /// All shaders, because rasterizer discard is pipeline state.
    #[default]
    Always,
    /// Only shaders without stage outputs.
    WithoutOutputs,
    /// No shader, and each shader must output a position.
    Never,
}

/// The capabilities of a device that a plan depends on. The default is the minimum that Vulkan 1.0 guarantees.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Device {
    /// The API whose rules the device follows.
    pub api: Api,
    /// `VK_EXT_transform_feedback`, if the feature is supported.
    pub transform_feedback: Option<TransformFeedback>,
    /// `VK_EXT_provoking_vertex`, if it is supported.
    pub provoking_vertex: Option<ProvokingVertexModes>,
    /// `VK_EXT_primitives_generated_query`, if the feature is supported.
    pub primitives_generated: Option<PrimitivesGenerated>,
    /// Whether shaders can access buffers by address: `bufferDeviceAddress`.
    pub buffer_addresses: bool,
    /// Whether vertex stages can store to buffers: `vertexPipelineStoresAndAtomics`.
    pub vertex_stores: bool,
    /// Whether a vertex stage that stores may have stage outputs.
    pub stores_beside_outputs: bool,
    /// The shaders for which rasterization can be turned off.
    pub rasterization_off: RasterizationOff,
    /// Whether a pass may have no attachments.
    pub passes_without_attachments: bool,
    /// Whether passes begin with `vkCmdBeginRendering`, without a render pass object.
    pub dynamic_rendering: bool,
    /// Whether the API has triangle fans.
    pub triangle_fans: bool,
    /// `maxBoundDescriptorSets`.
    pub max_bound_sets: u32,
    /// `maxPerStageDescriptorStorageBuffers`. For Metal, 31 minus the number of the shader's vertex and uniform
    /// buffers.
    pub max_storage_buffers: u32,
    /// `maxStorageBufferRange`, in bytes. For Metal, `maxBufferLength`, which is at least 256 MiB.
    pub max_storage_range: u32,
    /// `minStorageBufferOffsetAlignment`, in bytes.
    pub storage_alignment: u32,
    /// `maxPushConstantsSize`, in bytes.
    pub max_push_constants: u32,
    /// The cost of writing outputs to a buffer and reading them in a second pass.
    pub spill_cost: SpillCostModel,
    /// The device's support for blending.
    pub blending: Blending,
    /// The device's support for clip and cull distances.
    pub distances: DistanceSupport,
}

impl Device {
    /// Returns the command with which passes begin.
    pub fn pass_scope(&self) -> PassScope {
        match self.api {
            Api::Vulkan if self.dynamic_rendering => PassScope::Rendering,
            Api::Vulkan => PassScope::RenderPass,
            Api::Metal => PassScope::Encoder,
            Api::WebGpu => PassScope::PassEncoder,
        }
    }
}

/// The cost of storing vertex outputs in one pass and reading them in the next, in vertex shader instructions. The
/// default was measured on SwiftShader (`docs/performance.md`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct SpillCostModel {
    /// The cost per draw: a barrier that interrupts the pass.
    pub draw: u32,
    /// The cost per vertex.
    pub vertex: u32,
    /// The cost per 32-bit value of a vertex's outputs.
    pub word: u32,
}

impl Default for SpillCostModel {
    fn default() -> Self {
        Self { draw: 20_000, vertex: 100, word: 25 }
    }
}

/// The features and properties of `VK_EXT_provoking_vertex`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct ProvokingVertexModes {
    /// `provokingVertexLast`.
    pub last: bool,
    /// `transformFeedbackPreservesProvokingVertex`.
    pub preserved_by_capture: bool,
    /// `transformFeedbackPreservesTriangleFanProvokingVertex`.
    pub preserved_by_capture_in_fans: bool,
}

/// The features of `VK_EXT_primitives_generated_query`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct PrimitivesGenerated {
    /// `primitivesGeneratedQueryWithRasterizerDiscard`.
    pub with_discard: bool,
    /// `primitivesGeneratedQueryWithNonZeroStreams`.
    pub with_streams: bool,
}

/// The capabilities of a typical device, for planning without a real device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Preset {
    /// Vulkan with `VK_EXT_transform_feedback`, as on desktop drivers.
    Vulkan,
    /// Vulkan 1.0 on a phone: the guaranteed limits, plus stores from the vertex stage.
    VulkanMobile,
    /// Metal with MSL 2.1 or later: a vertex stage that stores may have outputs, but there are no barriers inside a
    /// pass.
    Metal,
    /// WebGPU as specified: a vertex stage cannot store.
    WebGpu,
    /// A native implementation of WebGPU whose vertex stages can store, such as wgpu with `VERTEX_WRITABLE_STORAGE`.
    WebGpuNative,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 5] =
        [Self::Vulkan, Self::VulkanMobile, Self::Metal, Self::WebGpu, Self::WebGpuNative];

    /// The name of the preset.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::VulkanMobile => "vulkan-mobile",
            Self::Metal => "metal",
            Self::WebGpu => "webgpu",
            Self::WebGpuNative => "webgpu-native",
        }
    }
}

impl Default for Device {
    fn default() -> Self {
        Self {
            api: Api::Vulkan,
            transform_feedback: None,
            provoking_vertex: None,
            primitives_generated: None,
            buffer_addresses: false,
            vertex_stores: false,
            stores_beside_outputs: true,
            rasterization_off: RasterizationOff::Always,
            passes_without_attachments: true,
            dynamic_rendering: false,
            triangle_fans: true,
            max_bound_sets: 4,
            max_storage_buffers: 4,
            max_storage_range: 1 << 27,
            storage_alignment: 256,
            max_push_constants: 128,
            spill_cost: SpillCostModel::default(),
            blending: Blending::default(),
            distances: DistanceSupport::default(),
        }
    }
}

impl From<Preset> for Device {
    fn from(preset: Preset) -> Self {
        let device = match preset {
            Preset::Vulkan => vulkan(),
            Preset::VulkanMobile => Self { vertex_stores: true, ..Self::default() },
            Preset::Metal => metal(),
            Preset::WebGpu => web_gpu(),
            Preset::WebGpuNative => {
                Self { vertex_stores: true, stores_beside_outputs: true, ..web_gpu() }
            }
        };
        Self { distances: preset.into(), ..device }
    }
}

fn vulkan() -> Device {
    Device {
        transform_feedback: Some(TransformFeedback {
            max_streams: 4,
            max_buffers: 4,
            max_buffer_size: u64::from(u32::MAX),
            max_stream_data: 512,
            max_buffer_data: 512,
            max_stride: 2048,
            queries: true,
            draw: true,
            geometry_streams: true,
            streams_lines_triangles: false,
        }),
        provoking_vertex: Some(ProvokingVertexModes {
            last: true,
            preserved_by_capture: true,
            preserved_by_capture_in_fans: true,
        }),
        primitives_generated: Some(PrimitivesGenerated { with_discard: true, with_streams: true }),
        buffer_addresses: true,
        vertex_stores: true,
        dynamic_rendering: true,
        max_bound_sets: 8,
        max_storage_buffers: 16,
        storage_alignment: 64,
        blending: Blending {
            interlock: Some(Interlock { pixel: true, sample: true }),
            ..desktop()
        },
        ..Device::default()
    }
}

/// Returns the blending support of desktop devices.
fn desktop() -> Blending {
    Blending {
        sample_shading: true,
        independent_blend: true,
        logic_operations: true,
        second_source_attachments: 1,
        max_attachments: 8,
        max_input_attachments: 8,
        ..Blending::default()
    }
}

fn metal() -> Device {
    Device {
        api: Api::Metal,
        vertex_stores: true,
        rasterization_off: RasterizationOff::WithoutOutputs,
        passes_without_attachments: false,
        triangle_fans: false,
        max_storage_buffers: 31,
        max_storage_range: 1 << 28,
        storage_alignment: 4,
        max_push_constants: 4096,
        blending: Blending { framebuffer_fetch: true, logic_operations: false, ..desktop() },
        ..Device::default()
    }
}

fn web_gpu() -> Device {
    Device {
        api: Api::WebGpu,
        stores_beside_outputs: false,
        rasterization_off: RasterizationOff::Never,
        passes_without_attachments: false,
        triangle_fans: false,
        max_storage_buffers: 8,
        max_push_constants: 0,
        blending: Blending { logic_operations: false, second_source_attachments: 0, ..desktop() },
        ..Device::default()
    }
}
