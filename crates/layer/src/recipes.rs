//! Clip and cull distances for drivers that lack them: a recipe lowers the stages of each pipeline that uses them, so
//! that the fragment stage discards what the driver would clip or cull.

use crate::registry::Registry;
use crate::spirv;
use ash::vk::{self, Handle as _};
use polyshade::Module;
use polyshade::clip_cull::Emulated;
use polyshade::host::{Device, Target};
use polyshade::recipe::{self, Recipe};
use polyshade::spv::Capability;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A fragment shader without inputs and outputs: its entry point `main` returns.
const EMPTY_FRAGMENT: [u32; 32] = [
    0x0723_0203,
    0x1_0000,
    0,
    5,
    0, // the header
    2 << 16 | 17,
    1, // OpCapability Shader
    3 << 16 | 14,
    0,
    1, // OpMemoryModel Logical GLSL450
    5 << 16 | 15,
    4,
    1,
    0x6e69_616d,
    0, // OpEntryPoint Fragment %1 "main"
    3 << 16 | 16,
    1,
    7, // OpExecutionMode %1 OriginUpperLeft
    2 << 16 | 19,
    2, // %2 = OpTypeVoid
    3 << 16 | 33,
    3,
    2, // %3 = OpTypeFunction %2
    5 << 16 | 54,
    2,
    1,
    0,
    3, // %1 = OpFunction %2 None %3
    2 << 16 | 248,
    4,             // %4 = OpLabel
    1 << 16 | 253, // OpReturn
    1 << 16 | 56,  // OpFunctionEnd
];

/// The emulation of distances on a device.
pub(crate) struct Distances {
    emulated: Emulated,
    limits: Device,
    modules: Registry<Arc<[u32]>, 256>,
}

impl Distances {
    pub(crate) fn new(emulated: Emulated, of_device: &vk::PhysicalDeviceLimits) -> Self {
        // The distances become inputs and outputs of any stage.
        let components = [
            of_device.max_vertex_output_components,
            of_device.max_tessellation_control_per_vertex_input_components,
            of_device.max_tessellation_control_per_vertex_output_components,
            of_device.max_tessellation_evaluation_input_components,
            of_device.max_tessellation_evaluation_output_components,
            of_device.max_geometry_input_components,
            of_device.max_geometry_output_components,
            of_device.max_fragment_input_components,
        ];
        let mut limits = Device::default();
        // A device without a stage has limits of 0 for it.
        let components = components.into_iter().filter(|limit| *limit > 0);
        limits.output_components = components.min().unwrap_or(limits.output_components);
        Self { emulated, limits, modules: Registry::new() }
    }

    /// Returns whether a module uses distances that the driver lacks.
    pub(crate) fn are_in(&self, words: &[u32]) -> bool {
        let lacking: &[_] = match self.emulated {
            Emulated::Cull => &[Capability::CULL_DISTANCE],
            Emulated::All => &[Capability::CLIP_DISTANCE, Capability::CULL_DISTANCE],
        };
        spirv::has_capability(words, lacking)
    }

    /// Stores the SPIR-V of a module for pipelines.
    pub(crate) fn keep(&self, module: vk::ShaderModule, words: &[u32]) {
        self.modules.insert(module.as_raw(), Box::new(words.into()));
    }

    pub(crate) fn forget(&self, module: vk::ShaderModule) {
        self.modules.remove(module.as_raw());
    }

    /// Returns the SPIR-V of a module.
    ///
    /// # Safety
    ///
    /// The module is not destroyed while the result is used.
    pub(crate) unsafe fn module<'m>(&self, module: vk::ShaderModule) -> Option<&'m [u32]> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.modules.get(module.as_raw()) }.map(|words| &words[..])
    }

    /// Returns the module that the driver gets instead of one that it does not support. Pipelines use neither.
    pub(crate) fn placeholder(&self, words: &[u32]) -> Option<&'static [u32]> {
        self.are_in(words).then_some(&EMPTY_FRAGMENT)
    }

    /// Lowers the stages of a pipeline, each with the name of its entry point. If the pipeline has no fragment stage,
    /// one is added at the end. The error is the reason.
    pub(crate) fn lower(
        &self,
        stages: &[(Vec<u32>, &str)],
        has_fragment: bool,
    ) -> Result<Vec<Vec<u32>>, String> {
        // A panic must not end the application.
        let made = catch_unwind(AssertUnwindSafe(|| {
            let added = (!has_fragment).then_some((&EMPTY_FRAGMENT[..], "main"));
            let all = stages.iter().map(|(words, entry)| (&words[..], *entry)).chain(added);
            let modules = all.map(|(words, entry)| {
                let target = Target::new(entry).device(self.limits.clone());
                Module::parse(words).map(|module| (module, target))
            });
            let modules = modules.collect::<Result<Vec<_>, _>>()?;
            let stages: Vec<_> =
                modules.iter().map(|(module, target)| (module, target.clone())).collect();
            let mut recipe = Recipe::default();
            recipe.emulate = Some(self.emulated);
            let lowered = recipe::lower(&stages, &recipe)?;
            Ok::<_, polyshade::Error>(
                lowered.into_iter().map(|stage| stage.module.into_words()).collect(),
            )
        }));
        match made {
            Ok(made) => made.map_err(|error| error.to_string()),
            Err(_) => Err("a bug in polyshade".to_owned()),
        }
    }
}
