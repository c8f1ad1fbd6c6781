//! Checks that each command, structure and value of a Vulkan registry is handled, hidden, or needs no handling.

use super::own_command;
use crate::known::{COMMANDS, EXTENSIONS, has_command, has_extension, words};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::path::Path;

/// The tracked handle types, without `Vk`.
const HANDLES: &str =
    "Buffer CommandBuffer Pipeline PipelineLayout QueryPool RenderPass ShaderModule";

/// The extensible structures that create, change or use tracked objects, without `Vk`.
const EXTENDED: &str = "
BufferCreateInfo BufferMemoryBarrier BufferMemoryBarrier2 CommandBufferAllocateInfo CommandBufferBeginInfo
CommandBufferInheritanceInfo CommandBufferSubmitInfo ComputePipelineCreateInfo ConditionalRenderingBeginInfoEXT
DependencyInfo DeviceBufferMemoryRequirements GraphicsPipelineCreateInfo ImageMemoryBarrier ImageMemoryBarrier2
MemoryAllocateInfo MemoryBarrier MemoryBarrier2 PipelineColorBlendStateCreateInfo PipelineDynamicStateCreateInfo
PipelineInputAssemblyStateCreateInfo PipelineLayoutCreateInfo PipelineMultisampleStateCreateInfo
PipelineRasterizationStateCreateInfo PipelineShaderStageCreateInfo PipelineTessellationStateCreateInfo
PipelineVertexInputStateCreateInfo PipelineViewportStateCreateInfo PushConstantsInfo QueryPoolCreateInfo
RenderPassBeginInfo RenderPassCreateInfo RenderPassCreateInfo2 RenderingInfo ShaderModuleCreateInfo SubmitInfo
SubmitInfo2 SubpassBeginInfo SubpassDependency2 SubpassDescription2 SubpassEndInfo
";

/// The flags and enumerations that the layer reads, without `Vk`.
const ENUMERATIONS: &str = "
BufferUsageFlagBits BufferUsageFlagBits2 CommandBufferUsageFlagBits ConditionalRenderingFlagBitsEXT DependencyFlagBits
DynamicState IndexType PipelineLayoutCreateFlagBits PrimitiveTopology ProvokingVertexModeEXT QueryControlFlagBits
QueryPoolCreateFlagBits QueryResultFlagBits QueryType RenderingFlagBits SubpassContents VertexInputRate
";

/// Structures of reviewed extensions that extend the structures above, and are handled or need no handling.
const STRUCTURES: &str = "
AmigoProfilingSubmitInfoSEC BufferCollectionBufferCreateInfoFUCHSIA BufferDeviceAddressCreateInfoEXT
CommandBufferInheritanceConditionalRenderingInfoEXT CommandBufferInheritanceRenderPassTransformInfoQCOM
CommandBufferInheritanceViewportScissorInfoNV D3D12FenceSubmitInfoKHR DedicatedAllocationBufferCreateInfoNV
DedicatedAllocationMemoryAllocateInfoNV DepthBiasRepresentationInfoEXT ExportMemoryAllocateInfoNV
ExportMemoryWin32HandleInfoKHR ExportMemoryWin32HandleInfoNV ExportMetalObjectCreateInfoEXT ExternalFormatANDROID
ExternalMemoryAcquireUnmodifiedEXT FragmentShadingRateAttachmentInfoKHR FrameBoundaryEXT
GraphicsPipelineLibraryCreateInfoEXT ImportAndroidHardwareBufferInfoANDROID ImportMemoryBufferCollectionFUCHSIA
ImportMemoryFdInfoKHR ImportMemoryHostPointerInfoEXT ImportMemoryMetalHandleInfoEXT ImportMemoryWin32HandleInfoKHR
ImportMemoryWin32HandleInfoNV ImportMemoryZirconHandleInfoFUCHSIA ImportMetalBufferInfoEXT ImportScreenBufferInfoQNX
LatencySubmissionPresentIdNV MemoryBarrierAccessFlags3KHR MemoryPriorityAllocateInfoEXT
MultiviewPerViewAttributesInfoNVX MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM PerformanceQuerySubmitInfoKHR
PipelineColorBlendAdvancedStateCreateInfoEXT PipelineColorWriteCreateInfoEXT PipelineCompilerControlCreateInfoAMD
PipelineCoverageReductionStateCreateInfoNV PipelineCoverageToColorStateCreateInfoNV
PipelineDiscardRectangleStateCreateInfoEXT PipelineFragmentShadingRateEnumStateCreateInfoNV
PipelineFragmentShadingRateStateCreateInfoKHR PipelineLibraryCreateInfoKHR
PipelineRasterizationConservativeStateCreateInfoEXT PipelineRasterizationDepthClipStateCreateInfoEXT
PipelineRasterizationProvokingVertexStateCreateInfoEXT PipelineRasterizationStateRasterizationOrderAMD
PipelineRasterizationStateStreamCreateInfoEXT PipelineRepresentativeFragmentTestStateCreateInfoNV
PipelineSampleLocationsStateCreateInfoEXT PipelineViewportCoarseSampleOrderStateCreateInfoNV
PipelineViewportDepthClampControlCreateInfoEXT PipelineViewportDepthClipControlCreateInfoEXT
PipelineViewportExclusiveScissorStateCreateInfoNV PipelineViewportShadingRateImageStateCreateInfoNV
PipelineViewportSwizzleStateCreateInfoNV PipelineViewportWScalingStateCreateInfoNV QueryPoolCreateInfoINTEL
QueryPoolPerformanceCreateInfoKHR QueryPoolPerformanceQueryCreateInfoINTEL QueryPoolVideoEncodeFeedbackCreateInfoKHR
RenderPassCreationControlEXT RenderPassCreationFeedbackCreateInfoEXT RenderPassFragmentDensityMapCreateInfoEXT
RenderPassFragmentDensityMapOffsetEndInfoEXT RenderPassSampleLocationsBeginInfoEXT RenderPassStripeBeginInfoARM
RenderPassStripeSubmitInfoARM RenderPassSubpassFeedbackCreateInfoEXT RenderPassTransformBeginInfoQCOM
RenderingFragmentDensityMapAttachmentInfoEXT RenderingFragmentShadingRateAttachmentInfoKHR SampleLocationsInfoEXT
ShaderModuleValidationCacheCreateInfoEXT SubpassFragmentDensityMapOffsetEndInfoQCOM
SubpassShadingPipelineCreateInfoHUAWEI VideoDecodeAV1ProfileInfoKHR VideoDecodeH264ProfileInfoKHR
VideoDecodeH265ProfileInfoKHR VideoDecodeUsageInfoKHR VideoDecodeVP9ProfileInfoKHR VideoEncodeAV1ProfileInfoKHR
VideoEncodeH264ProfileInfoKHR VideoEncodeH265ProfileInfoKHR VideoEncodeUsageInfoKHR VideoProfileInfoKHR
VideoProfileListInfoKHR Win32KeyedMutexAcquireReleaseInfoKHR Win32KeyedMutexAcquireReleaseInfoNV
";

/// The values of reviewed extensions in the enumerations above that are handled or need no handling, without `VK_`.
const VALUES: &str = "
BUFFER_USAGE_2_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR
BUFFER_USAGE_2_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR BUFFER_USAGE_2_CONDITIONAL_RENDERING_BIT_EXT
BUFFER_USAGE_2_MICROMAP_BUILD_INPUT_READ_ONLY_BIT_EXT BUFFER_USAGE_2_MICROMAP_STORAGE_BIT_EXT
BUFFER_USAGE_2_SHADER_BINDING_TABLE_BIT_KHR BUFFER_USAGE_2_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT
BUFFER_USAGE_2_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT BUFFER_USAGE_2_VIDEO_DECODE_DST_BIT_KHR
BUFFER_USAGE_2_VIDEO_DECODE_SRC_BIT_KHR BUFFER_USAGE_2_VIDEO_ENCODE_DST_BIT_KHR
BUFFER_USAGE_2_VIDEO_ENCODE_SRC_BIT_KHR BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR
BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
BUFFER_USAGE_MICROMAP_BUILD_INPUT_READ_ONLY_BIT_EXT BUFFER_USAGE_MICROMAP_STORAGE_BIT_EXT
BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT
BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT BUFFER_USAGE_VIDEO_DECODE_DST_BIT_KHR
BUFFER_USAGE_VIDEO_DECODE_SRC_BIT_KHR BUFFER_USAGE_VIDEO_ENCODE_DST_BIT_KHR BUFFER_USAGE_VIDEO_ENCODE_SRC_BIT_KHR
DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR DEPENDENCY_FEEDBACK_LOOP_BIT_EXT
DEPENDENCY_QUEUE_FAMILY_OWNERSHIP_TRANSFER_USE_ALL_STAGES_BIT_KHR DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT
DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT
DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT
DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT DYNAMIC_STATE_COLOR_WRITE_MASK_EXT
DYNAMIC_STATE_CONSERVATIVE_RASTERIZATION_MODE_EXT DYNAMIC_STATE_COVERAGE_REDUCTION_MODE_NV
DYNAMIC_STATE_COVERAGE_TO_COLOR_ENABLE_NV DYNAMIC_STATE_COVERAGE_TO_COLOR_LOCATION_NV
DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT DYNAMIC_STATE_DEPTH_CLAMP_RANGE_EXT DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT
DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT
DYNAMIC_STATE_DISCARD_RECTANGLE_EXT DYNAMIC_STATE_DISCARD_RECTANGLE_MODE_EXT DYNAMIC_STATE_EXCLUSIVE_SCISSOR_ENABLE_NV
DYNAMIC_STATE_EXCLUSIVE_SCISSOR_NV DYNAMIC_STATE_EXTRA_PRIMITIVE_OVERESTIMATION_SIZE_EXT
DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT
DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT DYNAMIC_STATE_LOGIC_OP_EXT
DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT DYNAMIC_STATE_POLYGON_MODE_EXT DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT
DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT DYNAMIC_STATE_RASTERIZATION_STREAM_EXT
DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR DYNAMIC_STATE_REPRESENTATIVE_FRAGMENT_TEST_ENABLE_NV
DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT DYNAMIC_STATE_SAMPLE_MASK_EXT
DYNAMIC_STATE_SHADING_RATE_IMAGE_ENABLE_NV DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT DYNAMIC_STATE_VERTEX_INPUT_EXT
DYNAMIC_STATE_VIEWPORT_COARSE_SAMPLE_ORDER_NV DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV
DYNAMIC_STATE_VIEWPORT_SWIZZLE_NV DYNAMIC_STATE_VIEWPORT_W_SCALING_ENABLE_NV DYNAMIC_STATE_VIEWPORT_W_SCALING_NV
INDEX_TYPE_NONE_KHR PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT QUERY_POOL_CREATE_RESET_BIT_KHR
QUERY_RESULT_WITH_STATUS_BIT_KHR QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR
QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_NV
QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR
QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR
QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT QUERY_TYPE_MICROMAP_COMPACTED_SIZE_EXT
QUERY_TYPE_MICROMAP_SERIALIZATION_SIZE_EXT QUERY_TYPE_PERFORMANCE_QUERY_INTEL QUERY_TYPE_PERFORMANCE_QUERY_KHR
QUERY_TYPE_PRIMITIVES_GENERATED_EXT QUERY_TYPE_RESULT_STATUS_ONLY_KHR QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT
QUERY_TYPE_VIDEO_ENCODE_FEEDBACK_KHR RENDERING_CONTENTS_INLINE_BIT_KHR RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT
RENDERING_LOCAL_READ_CONCURRENT_ACCESS_CONTROL_BIT_KHR SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR
";

/// An XML tag, and the text after it.
struct Tag<'t> {
    name: &'t str,
    attributes: BTreeMap<&'t str, &'t str>,
    text: &'t str,
}

impl<'t> Tag<'t> {
    fn all(text: &'t str) -> impl Iterator<Item = Self> {
        // Comments may contain tags.
        let parts = text.split("<!--").enumerate().map(|(number, part)| match number {
            0 => part,
            _ => part.split_once("-->").map_or("", |(_, behind)| behind),
        });
        parts.flat_map(|part| part.split('<').skip(1)).map(|part| {
            let (tag, text) = part.split_once('>').unwrap_or((part, ""));
            let (name, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            let pieces: Vec<_> = rest.split('"').collect();
            let pairs = pieces.chunks_exact(2);
            let attributes = pairs.map(|pair| (pair[0].trim().trim_end_matches('='), pair[1]));
            Self { name, attributes: attributes.collect(), text }
        })
    }

    fn get(&self, attribute: &str) -> Option<&'t str> {
        self.attributes.get(attribute).copied()
    }

    /// Returns whether the attribute includes Vulkan, rather than only Vulkan SC.
    fn is_of_vulkan(&self, attribute: &str) -> bool {
        let apis = self.get(attribute);
        apis.is_none_or(|apis| apis.split(',').any(|api| ["vulkan", "vulkanbase"].contains(&api)))
    }
}

/// A name that a version or an extension defines.
struct Required<'t> {
    name: &'t str,
    /// The enumeration that the value extends.
    enumeration: Option<&'t str>,
    is_of_version: bool,
    /// The other versions and extensions on which the name depends.
    condition: &'t str,
}

/// The parts of a registry that the test needs.
#[derive(Default)]
struct Registry<'t> {
    commands: BTreeMap<&'t str, Vec<&'t str>>,
    /// The structures that each structure extends, separated by commas.
    structures: BTreeMap<&'t str, &'t str>,
    aliases: BTreeMap<&'t str, &'t str>,
    instance_extensions: BTreeSet<&'t str>,
    /// The names that reviewed versions and extensions define.
    required: Vec<Required<'t>>,
}

impl<'t> Registry<'t> {
    fn read(text: &'t str) -> Self {
        let mut registry = Self::default();
        let (definitions, requirements) = text.split_at(text.find("<feature ").unwrap_or(0));
        registry.define(definitions);
        registry.require(requirements);
        registry
    }

    fn define(&mut self, text: &'t str) {
        let mut command: Option<(Option<&str>, Vec<&str>)> = None;
        for tag in Tag::all(text) {
            match (tag.name, tag.get("name"), &mut command) {
                ("command" | "type", Some(name), _) => {
                    self.aliases.extend(tag.get("alias").map(|alias| (name, alias)));
                    self.structures.extend(tag.get("structextends").map(|all| (name, all)));
                }
                ("command", None, _) => command = Some((None, Vec::new())),
                ("name", _, Some((name, _))) => drop(name.get_or_insert(tag.text)),
                ("type", None, Some((_, types))) => types.push(tag.text),
                ("/command", ..) => {
                    let done = command.take();
                    self.commands.extend(done.and_then(|(name, types)| Some((name?, types))));
                }
                _ => {}
            }
        }
    }

    fn require(&mut self, text: &'t str) {
        let (mut is_reviewed, mut is_of_version, mut condition) = (false, false, None);
        for tag in Tag::all(text).take_while(|tag| tag.name != "/extensions") {
            match (tag.name, tag.get("name")) {
                // A `feature` tag for a structure member has no number.
                ("feature", _) if tag.get("number").is_some() => {
                    is_of_version = true;
                    is_reviewed = tag.is_of_vulkan("api") && tag.get("number") <= Some("1.4");
                }
                ("extension", Some(name)) => {
                    is_of_version = false;
                    let text = CString::new(name).expect("names have no 0");
                    is_reviewed = tag.is_of_vulkan("supported") && has_extension(&text);
                    let is_of_instances = tag.get("type") == Some("instance");
                    self.instance_extensions.extend(Some(name).filter(|_| is_of_instances));
                }
                ("require", _) => {
                    let all = ["depends", "extension", "feature"].map(|one| tag.get(one));
                    condition = all.into_iter().flatten().next().or(Some(""));
                    condition = condition.filter(|_| tag.is_of_vulkan("api") && is_reviewed);
                }
                ("command" | "type" | "enum", Some(name)) => {
                    // Values with an alias were promoted to a version.
                    let own = Some(()).filter(|()| tag.get("alias").is_none());
                    let enumeration = own.and(tag.get("extends"));
                    let required =
                        |condition| Required { name, enumeration, is_of_version, condition };
                    self.required.extend(condition.map(required));
                }
                _ => {}
            }
        }
    }

    fn root(&self, name: &'t str) -> &'t str {
        self.aliases.get(name).map_or(name, |alias| self.root(alias))
    }

    /// Evaluates a condition with all reviewed versions and extensions: `,` is *or*, `+` is *and*.
    fn holds(&self, condition: &str) -> bool {
        let (mut value, mut rest) = self.term(condition);
        while let Some(operator) = rest.chars().next() {
            let (other, behind) = self.term(&rest[1..]);
            value = if operator == ',' { value || other } else { value && other };
            rest = behind;
        }
        value
    }

    fn term<'c>(&self, condition: &'c str) -> (bool, &'c str) {
        if let Some((inner, behind)) =
            condition.strip_prefix('(').and_then(|rest| rest.split_once(')'))
        {
            return (self.holds(inner), behind);
        }
        let (name, rest) =
            condition.split_at(condition.find([',', '+']).unwrap_or(condition.len()));
        let text = CString::new(name).expect("names have no 0");
        let is_version = name.starts_with("VK_VERSION_") && name <= "VK_VERSION_1_4";
        let is_there = name.is_empty() || is_version || self.instance_extensions.contains(name);
        // A condition on a structure's feature counts as true, because the feature may be supported.
        (is_there || name.contains("::") || has_extension(&text), rest)
    }

    /// Returns the names that affect tracked state and are neither handled, hidden nor listed.
    fn unknown(&self) -> Vec<&'t str> {
        let of_versions = self.required.iter().filter(|one| one.is_of_version);
        let of_versions: BTreeSet<_> = of_versions.map(|one| self.root(one.name)).collect();
        let is_unknown = |one: &&Required<'_>| {
            let (name, root) = (one.name, self.root(one.name));
            if let Some(types) = self.commands.get(root) {
                let text = CString::new(name).expect("names have no 0");
                let touches = types.iter().any(|one| is_in(HANDLES, "Vk", one));
                return touches && own_command(&text).is_none() && !is_in(COMMANDS, "vk", name);
            }
            if let Some(extended) = self.structures.get(root) {
                let touches = extended.split(',').any(|one| is_in(EXTENDED, "Vk", one));
                let is_listed = of_versions.contains(root) || is_in(STRUCTURES, "Vk", name);
                return touches && !is_listed;
            }
            let touches = one.enumeration.is_some_and(|one| is_in(ENUMERATIONS, "Vk", one));
            touches && !one.is_of_version && !is_in(VALUES, "VK_", name)
        };
        let reachable = self.required.iter().filter(|one| self.holds(one.condition));
        let unknown: BTreeSet<_> = reachable.filter(is_unknown).map(|one| one.name).collect();
        unknown.into_iter().collect()
    }
}

fn is_in(list: &str, prefix: &str, name: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|name| words(list).any(|one| one == name))
}

/// Returns the installed registry: from `cargo xtask setup`, or else from Debian.
fn installed() -> String {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/vulkan-registry/vk.xml");
    let paths = [&target, Path::new("/usr/share/vulkan/registry/vk.xml")];
    let found = paths.into_iter().find_map(|path| std::fs::read_to_string(path).ok());
    found.expect("`cargo xtask setup` installs a registry")
}

#[test]
fn what_a_registry_has_is_handled_or_hidden_or_needs_nothing() {
    let text = installed();
    let registry = Registry::read(&text);
    assert!(registry.commands.len() > 500 && registry.structures.len() > 500);
    assert!(registry.required.len() > 5000, "{}", registry.required.len());
    // For each name that this prints, handle it in the layer or remove its extension from `EXTENSIONS`. If it affects
    // no state that the layer tracks, add it to the list of its kind.
    assert_eq!(registry.unknown(), [""; 0]);
}

#[test]
fn commands_that_are_handled_are_so_by_all_names() {
    let text = installed();
    let registry = Registry::read(&text);
    let names: BTreeSet<_> = registry.required.iter().map(|one| one.name).collect();
    let is_own = |name: &str| own_command(&CString::new(name).expect("names have no 0")).is_some();
    let handled: BTreeSet<_> =
        names.iter().filter(|name| is_own(name)).map(|name| registry.root(name)).collect();
    assert!(handled.len() > 80, "{}", handled.len());
    let missed = names.iter().filter(|name| handled.contains(registry.root(name)) && !is_own(name));
    assert_eq!(missed.collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn lists_have_each_name_once_and_nothing_that_is_handled() {
    for list in [EXTENSIONS, COMMANDS, STRUCTURES, VALUES] {
        assert!(words(list).is_sorted_by(|a, b| a < b));
    }
    let own = words(COMMANDS).map(|name| CString::new(format!("vk{name}")).expect("it has no 0"));
    assert_eq!(own.filter(|name| own_command(name).is_some()).count(), 0);
    assert!(has_command(c"vkCmdDispatch") && has_command(c"vkGetFenceStatus"));
    assert!(!has_command(c"vkCmdDrawTomorrowKHR"));
}

/// A registry with unknown names; only the first command, structure and value must be reported.
const OF_TOMORROW: &str = r#"
<type category="struct" name="VkTomorrow" structextends="VkOther,VkBufferCreateInfo"/>
<type category="struct" name="VkOfNothing" structextends="VkOther"/>
<!-- <command name="vkCmdNever" alias="vkCmdDraw"/> -->
<command><proto><type>void</type> <name>vkCmdTomorrow</name></proto>
<param><type>VkCommandBuffer</type> <name>commandBuffer</name></param></command>
<command><proto><type>void</type> <name>vkFree</name></proto>
<param><type>VkFence</type> <name>fence</name></param></command>
<command name="vkCmdDrawTomorrow" alias="vkCmdTomorrow"/>
<command name="vkCmdDrawKHR" alias="vkCmdTomorrow"/>
<feature api="vulkan" name="VK_VERSION_1_4" number="1.4"><require><command name="vkFree"/></require></feature>
<feature api="vulkan" name="VK_VERSION_1_5" number="1.5"><require><command name="vkCmdDrawKHR"/></require></feature>
<extensions>
<extension name="VK_KHR_swapchain" type="device" supported="vulkan">
<require><command name="vkCmdTomorrow"/><type name="VkOfNothing"/></require>
<require depends="(VK_EXT_of_tomorrow,VK_KHR_maintenance1)+VK_VERSION_1_1"><type name="VkTomorrow"/></require>
<require depends="VK_EXT_of_tomorrow+VK_VERSION_1_1"><command name="vkCmdDrawTomorrow"/></require>
<require><enum extends="VkQueryType" name="VK_QUERY_TYPE_TOMORROW"/>
<enum extends="VkFormat" name="VK_FORMAT_X"/></require>
</extension>
<extension name="VK_EXT_of_tomorrow" type="device" supported="vulkan">
<require><command name="vkCmdDrawTomorrow"/></require></extension>
</extensions>"#;

#[test]
fn what_nobody_has_reviewed_is_found() {
    let registry = Registry::read(OF_TOMORROW);
    assert_eq!(registry.unknown(), ["VK_QUERY_TYPE_TOMORROW", "VkTomorrow", "vkCmdTomorrow"]);
}
