//! Features of pipelines that drivers lack: a recipe lowers the stages of each pipeline that uses them.
//!
//! Clip and cull distances become user-defined outputs, and the fragment stage discards the fragments that the driver
//! would clip or cull. For depths from -1 to 1, the last stage before rasterization converts its position.

use crate::registry::Registry;
use crate::spirv;
use ash::vk::{self, Handle as _, ShaderStageFlags};
use polyshade::Module;
use polyshade::clip_cull::Emulated;
use polyshade::clip_space;
use polyshade::host::{Device, Target};
use polyshade::recipe::{self, Recipe};
use polyshade::spv::{Capability, ExecutionModel};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A fragment shader without inputs and outputs: its entry point `main` returns.
#[rustfmt::skip]
const EMPTY_FRAGMENT: [u32; 32] = [
    0x0723_0203, 0x1_0000, 0, 5, 0, // the header
    2 << 16 | 17, 1, // OpCapability Shader
    3 << 16 | 14, 0, 1, // OpMemoryModel Logical GLSL450
    5 << 16 | 15, 4, 1, 0x6e69_616d, 0, // OpEntryPoint Fragment %1 "main"
    3 << 16 | 16, 1, 7, // OpExecutionMode %1 OriginUpperLeft
    2 << 16 | 19, 2, // %2 = OpTypeVoid
    3 << 16 | 33, 3, 2, // %3 = OpTypeFunction %2
    5 << 16 | 54, 2, 1, 0, 3, // %1 = OpFunction %2 None %3
    2 << 16 | 248, 4, // %4 = OpLabel
    1 << 16 | 253, // OpReturn
    1 << 16 | 56, // OpFunctionEnd
];

/// The pipeline features that the layer provides on a device.
#[derive(Clone, Copy, Default)]
pub(crate) struct Provided {
    pub(crate) distances: Option<Emulated>,
    /// `VK_EXT_depth_clip_control`.
    pub(crate) depth_clip: bool,
}

impl Provided {
    /// Returns the capabilities for distances that the driver lacks.
    fn lacking(self) -> &'static [Capability] {
        match self.distances {
            None => &[],
            Some(Emulated::Cull) => &[Capability::CULL_DISTANCE],
            Some(Emulated::All) => &[Capability::CLIP_DISTANCE, Capability::CULL_DISTANCE],
        }
    }
}

/// The lowering of pipelines on a device.
pub(crate) struct Recipes {
    pub(crate) provided: Provided,
    limits: Device,
    modules: Registry<Arc<[u32]>, 256>,
}

impl Recipes {
    /// Returns `None` if the layer provides no features of pipelines.
    pub(crate) fn new(
        provided: Provided,
        of_device: &vk::PhysicalDeviceLimits,
    ) -> Option<Arc<Self>> {
        if provided.distances.is_none() && !provided.depth_clip {
            return None;
        }
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
        Some(Arc::new(Self { provided, limits, modules: Registry::new() }))
    }

    pub(crate) fn provides_depth_clip(&self) -> bool {
        self.provided.depth_clip
    }

    /// Returns whether a module uses distances that the driver lacks.
    pub(crate) fn has_distances(&self, words: &[u32]) -> bool {
        spirv::has_capability(words, self.provided.lacking())
    }

    /// Stores the SPIR-V of a module for pipelines.
    pub(crate) fn keep(&self, module: vk::ShaderModule, words: Arc<[u32]>) {
        self.modules.insert(module.as_raw(), Box::new(words));
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

    /// Returns the module that the driver gets instead of one with capabilities that it lacks. No pipeline uses it.
    ///
    /// A module that also has compute or ray tracing stages is not replaced, because their pipelines use it.
    pub(crate) fn placeholder(&self, words: &[u32]) -> Option<&'static [u32]> {
        let is_replaced = self.has_distances(words) && spirv::has_only_graphics_stages(words);
        is_replaced.then_some(&EMPTY_FRAGMENT)
    }

    /// Lowers the stages of a pipeline. If the pipeline has distances and no fragment stage, one is added at the end.
    /// With `converts_depth`, the depths are from -1 to 1. The error is the reason.
    pub(crate) fn lower(
        &self,
        given: &[GivenStage],
        converts_depth: bool,
    ) -> Result<Vec<Vec<u32>>, String> {
        let has_distances = given.iter().any(|stage| self.has_distances(&stage.words));
        let is_fragment = |stage: &GivenStage| stage.stage == ShaderStageFlags::FRAGMENT;
        let added = (has_distances && !given.iter().any(is_fragment)).then(|| GivenStage {
            stage: ShaderStageFlags::FRAGMENT,
            words: EMPTY_FRAGMENT.to_vec(),
            entry: "main".to_owned(),
        });
        // Applications may give stages in any order. Recipes need that of the pipeline.
        let mut stages: Vec<_> = given.iter().chain(&added).enumerate().collect();
        stages.sort_by_key(|(_, stage)| (is_fragment(stage), stage.stage));
        let mut recipe = Recipe::default();
        recipe.emulate = self.provided.distances.filter(|_| has_distances);
        recipe.clip_space = converts_depth.then(|| clip_space::Options::new().depth(true));
        // A panic must not end the application.
        let made = catch_unwind(AssertUnwindSafe(|| {
            let modules = stages.iter().map(|(_, stage)| {
                let target = Target::new(stage.entry.as_str()).device(self.limits.clone());
                let target = stage.model().into_iter().fold(target, Target::stage);
                Module::parse(&stage.words).map(|module| (module, target))
            });
            let modules = modules.collect::<Result<Vec<_>, _>>()?;
            let modules: Vec<_> =
                modules.iter().map(|(module, target)| (module, target.clone())).collect();
            let lowered = recipe::lower(&modules, &recipe)?;
            let mut shaders = vec![Vec::new(); stages.len()];
            for ((number, _), made) in stages.iter().zip(lowered) {
                shaders[*number] = made.module.into_words();
            }
            Ok::<_, polyshade::Error>(shaders)
        }));
        match made {
            Ok(made) => made.map_err(|error| error.to_string()),
            Err(_) => Err("a bug in polyshade".to_owned()),
        }
    }
}

/// A stage of a pipeline.
pub(crate) struct GivenStage {
    pub(crate) stage: ShaderStageFlags,
    pub(crate) words: Vec<u32>,
    /// The name of the entry point.
    pub(crate) entry: String,
}

impl GivenStage {
    /// Returns the stage in SPIR-V. Recipes refuse other stages.
    fn model(&self) -> Option<ExecutionModel> {
        let models = [
            (ShaderStageFlags::VERTEX, ExecutionModel::VERTEX),
            (ShaderStageFlags::TESSELLATION_CONTROL, ExecutionModel::TESSELLATION_CONTROL),
            (ShaderStageFlags::TESSELLATION_EVALUATION, ExecutionModel::TESSELLATION_EVALUATION),
            (ShaderStageFlags::GEOMETRY, ExecutionModel::GEOMETRY),
            (ShaderStageFlags::FRAGMENT, ExecutionModel::FRAGMENT),
        ];
        models.into_iter().find_map(|(stage, model)| (stage == self.stage).then_some(model))
    }
}
