//! Checks which modules a device can run. A driver may do anything with an unsupported module, so this check comes
//! first.

mod table;

use crate::capabilities::Capabilities;
use crate::features::is_at_least;
use crate::interface::array_length;
use ash::{ext, google, khr, vk};
use polyshade::spv::{
    self, Capability, Decoration, ExecutionModel, Module, StorageClass,
    view::{CapabilityInst, ExtInstImport, Extension, Mode, Variable},
};
use std::ffi::CStr;

/// The Vulkan version or extension with which a device supports a SPIR-V extension.
enum Source {
    /// This version of Vulkan, or a later one.
    Version(u32),
    /// This extension of Vulkan.
    Extension(&'static CStr),
    /// This version, or this extension.
    Either(u32, &'static CStr),
}

/// The SPIR-V extensions that this crate knows.
const EXTENSIONS: &[(&str, Source)] = &[
    ("SPV_KHR_16bit_storage", Source::Version(vk::API_VERSION_1_1)),
    ("SPV_KHR_device_group", Source::Version(vk::API_VERSION_1_1)),
    ("SPV_KHR_multiview", Source::Version(vk::API_VERSION_1_1)),
    ("SPV_KHR_shader_draw_parameters", Source::Version(vk::API_VERSION_1_1)),
    ("SPV_KHR_storage_buffer_storage_class", Source::Version(vk::API_VERSION_1_1)),
    ("SPV_KHR_variable_pointers", Source::Version(vk::API_VERSION_1_1)),
    ("SPV_KHR_8bit_storage", Source::Version(vk::API_VERSION_1_2)),
    ("SPV_KHR_float_controls", Source::Version(vk::API_VERSION_1_2)),
    ("SPV_KHR_physical_storage_buffer", Source::Version(vk::API_VERSION_1_2)),
    ("SPV_EXT_physical_storage_buffer", Source::Version(vk::API_VERSION_1_2)),
    ("SPV_KHR_vulkan_memory_model", Source::Version(vk::API_VERSION_1_2)),
    ("SPV_EXT_descriptor_indexing", Source::Version(vk::API_VERSION_1_2)),
    (
        "SPV_EXT_shader_viewport_index_layer",
        Source::Either(vk::API_VERSION_1_2, ext::shader_viewport_index_layer::NAME),
    ),
    ("SPV_EXT_demote_to_helper_invocation", Source::Version(vk::API_VERSION_1_3)),
    ("SPV_KHR_integer_dot_product", Source::Version(vk::API_VERSION_1_3)),
    ("SPV_KHR_terminate_invocation", Source::Version(vk::API_VERSION_1_3)),
    (
        "SPV_KHR_non_semantic_info",
        Source::Either(vk::API_VERSION_1_3, khr::shader_non_semantic_info::NAME),
    ),
    ("SPV_KHR_shader_ballot", Source::Extension(ext::shader_subgroup_ballot::NAME)),
    ("SPV_KHR_subgroup_vote", Source::Extension(ext::shader_subgroup_vote::NAME)),
    ("SPV_EXT_shader_stencil_export", Source::Extension(ext::shader_stencil_export::NAME)),
    ("SPV_GOOGLE_decorate_string", Source::Extension(google::decorate_string::NAME)),
    ("SPV_GOOGLE_hlsl_functionality1", Source::Extension(google::hlsl_functionality1::NAME)),
    ("SPV_GOOGLE_user_type", Source::Extension(google::user_type::NAME)),
];

impl Capabilities {
    /// Returns the names of everything in a module that the device cannot run or that this crate does not know.
    ///
    /// This includes the module's version, capabilities, extensions and floating-point modes. The result is empty if
    /// the device can run the module.
    pub fn missing(&self, m: &Module<'_>) -> Vec<String> {
        let mut missing = Vec::new();
        let (version, newest) = (m.version(), self.spirv_version());
        if version > newest {
            missing.push(format!(
                "SPIR-V {}.{} (the device supports {}.{})",
                version.0, version.1, newest.0, newest.1
            ));
        }
        for inst in m.section(spv::Section::Capabilities).filter_map(CapabilityInst::of) {
            missing.extend(self.missing_capability(m, inst.capability()));
        }
        for extension in m.section(spv::Section::Extensions).filter_map(Extension::of) {
            missing.extend(self.missing_extension(&extension.name()));
        }
        for set in m.section(spv::Section::Imports).filter_map(ExtInstImport::of) {
            missing.extend(self.missing_set(&set.name()));
        }
        for mode in m.section(spv::Section::ExecutionModes).filter_map(Mode::of) {
            missing.extend(self.missing_mode(mode));
        }
        missing.extend(self.missing_second_source(m));
        missing
    }

    fn missing_second_source(&self, m: &Module<'_>) -> Option<String> {
        let outputs = || {
            let of_class = |one: &Variable<'_>| one.storage_class() == StorageClass::OUTPUT;
            m.variables().filter(of_class).map(|variable| variable.result())
        };
        if !outputs().any(|id| m.decoration(id, Decoration::INDEX) == Some(&[1])) {
            return None;
        }
        if self.features.dual_src_blend != vk::TRUE {
            return Some("dual-source blending (dualSrcBlend)".to_owned());
        }
        let behind = |id| {
            let [location] = m.decoration(id, Decoration::LOCATION)? else { return None };
            let length = m.pointee(id).map_or(1, |ty| array_length(m, ty));
            Some(location.saturating_add(length))
        };
        let targets = outputs().filter_map(behind).max().unwrap_or(0);
        (targets > self.targets_beside_second_sources())
            .then(|| format!("dual-source blending with {targets} targets"))
    }

    /// The newest SPIR-V version that the device supports.
    fn spirv_version(&self) -> (u8, u8) {
        let versions = [
            (vk::API_VERSION_1_3, (1, 6)),
            (vk::API_VERSION_1_2, (1, 5)),
            (vk::API_VERSION_1_1, (1, 3)),
        ];
        let found = versions.iter().find(|version| is_at_least(self.api_version, version.0));
        found.map_or((1, 0), |version| version.1)
    }

    fn missing_capability(&self, m: &Module<'_>, capability: Capability) -> Option<String> {
        let Some(known) = spirv::Capability::from_u32(capability.0) else {
            return Some(format!("capability {} (unknown)", capability.0));
        };
        if let Some(operation) = subgroup_operation(known) {
            return self
                .missing_subgroups(m, operation)
                .map(|why| format!("capability {known:?} ({why})"));
        }
        match self.feature_of(known) {
            None => Some(format!("capability {known:?} (unknown)")),
            Some((_, true)) => None,
            Some((feature, false)) => Some(format!("capability {known:?} ({feature})")),
        }
    }

    /// Returns the reason why a module's entry points cannot use a subgroup operation.
    fn missing_subgroups(
        &self,
        m: &Module<'_>,
        operation: vk::SubgroupFeatureFlags,
    ) -> Option<&'static str> {
        let has = &self.properties.vulkan_1_1;
        if !has.subgroup_supported_operations.contains(operation) {
            return Some("subgroupSupportedOperations");
        }
        let in_stage = |model: ExecutionModel| {
            stage(model).is_some_and(|s| has.subgroup_supported_stages.contains(s))
        };
        let everywhere = m.entry_points().all(|entry| in_stage(entry.model()));
        (!everywhere).then_some("subgroupSupportedStages")
    }

    fn missing_extension(&self, name: &str) -> Option<String> {
        let known = EXTENSIONS.iter().find(|known| known.0 == name);
        let Some((_, source)) = known else { return Some(format!("{name} (unknown)")) };
        let version = |version| is_at_least(self.api_version, version);
        let extension = |extension| self.extensions.contains(&extension);
        let there = match source {
            Source::Version(wanted) => version(*wanted),
            Source::Extension(wanted) => extension(*wanted),
            Source::Either(from, wanted) => version(*from) || extension(*wanted),
        };
        (!there).then(|| name.to_owned())
    }

    fn missing_set(&self, name: &str) -> Option<String> {
        if name == "GLSL.std.450" {
            return None;
        }
        let ignored = name.starts_with("NonSemantic.")
            && self.missing_extension("SPV_KHR_non_semantic_info").is_none();
        (!ignored).then(|| format!("instruction set {name}"))
    }

    fn missing_mode(&self, mode: Mode<'_>) -> Option<String> {
        let known = spirv::ExecutionMode::from_u32(mode.mode().0)?;
        let widths = self.float_widths(known)?;
        let width = mode.operands().first().copied().unwrap_or(0);
        let there = [16, 32, 64].iter().zip(widths).any(|(has, there)| *has == width && there);
        (!there).then(|| format!("execution mode {known:?} of {width} bits"))
    }

    /// The 16, 32 and 64 bits for which an execution mode is supported, if it is a floating-point mode.
    pub(crate) fn float_widths(&self, mode: spirv::ExecutionMode) -> Option<[bool; 3]> {
        use spirv::ExecutionMode as Mode;
        let has = &self.properties.vulkan_1_2;
        let widths = match mode {
            Mode::DenormPreserve => [
                has.shader_denorm_preserve_float16,
                has.shader_denorm_preserve_float32,
                has.shader_denorm_preserve_float64,
            ],
            Mode::DenormFlushToZero => [
                has.shader_denorm_flush_to_zero_float16,
                has.shader_denorm_flush_to_zero_float32,
                has.shader_denorm_flush_to_zero_float64,
            ],
            Mode::SignedZeroInfNanPreserve => [
                has.shader_signed_zero_inf_nan_preserve_float16,
                has.shader_signed_zero_inf_nan_preserve_float32,
                has.shader_signed_zero_inf_nan_preserve_float64,
            ],
            Mode::RoundingModeRTE => [
                has.shader_rounding_mode_rte_float16,
                has.shader_rounding_mode_rte_float32,
                has.shader_rounding_mode_rte_float64,
            ],
            Mode::RoundingModeRTZ => [
                has.shader_rounding_mode_rtz_float16,
                has.shader_rounding_mode_rtz_float32,
                has.shader_rounding_mode_rtz_float64,
            ],
            _ => return None,
        };
        Some(widths.map(|width| width == vk::TRUE))
    }
}

pub(crate) fn stage(model: ExecutionModel) -> Option<vk::ShaderStageFlags> {
    use vk::ShaderStageFlags as Stage;
    match model {
        ExecutionModel::VERTEX => Some(Stage::VERTEX),
        ExecutionModel::TESSELLATION_CONTROL => Some(Stage::TESSELLATION_CONTROL),
        ExecutionModel::TESSELLATION_EVALUATION => Some(Stage::TESSELLATION_EVALUATION),
        ExecutionModel::GEOMETRY => Some(Stage::GEOMETRY),
        ExecutionModel::FRAGMENT => Some(Stage::FRAGMENT),
        ExecutionModel::GL_COMPUTE => Some(Stage::COMPUTE),
        _ => None,
    }
}

fn subgroup_operation(capability: spirv::Capability) -> Option<vk::SubgroupFeatureFlags> {
    use spirv::Capability as C;
    use vk::SubgroupFeatureFlags as Operation;
    match capability {
        C::GroupNonUniform => Some(Operation::BASIC),
        C::GroupNonUniformVote => Some(Operation::VOTE),
        C::GroupNonUniformArithmetic => Some(Operation::ARITHMETIC),
        C::GroupNonUniformBallot => Some(Operation::BALLOT),
        C::GroupNonUniformShuffle => Some(Operation::SHUFFLE),
        C::GroupNonUniformShuffleRelative => Some(Operation::SHUFFLE_RELATIVE),
        C::GroupNonUniformClustered => Some(Operation::CLUSTERED),
        C::GroupNonUniformQuad => Some(Operation::QUAD),
        _ => None,
    }
}
