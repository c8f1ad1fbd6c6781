//! The capturing variants of pipelines, created when a draw first needs them and kept with the original pipeline.

use crate::driver::Driver;
use crate::emulation::dump::Dumped;
use crate::emulation::layouts::{Addresses, Layout};
use crate::emulation::lowered::{Emitted, Key, Lowered, lowered, topology};
use crate::emulation::pipeline_info::{
    Captured, Info, PipelineInfo, Raster, Shader, VertexInput, rate,
};
use crate::emulation::shader_params::{CaptureParam, PullingParam};
use crate::emulation::{Emulator, attributes};
use crate::log::Level;
use crate::recipes::Recipes;
use ash::vk::{self, DynamicState, Handle as _};
use polyshade::transform_feedback::MAX_BUFFERS;
use std::collections::HashMap;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// A graphics pipeline, or a library of some of its parts.
pub(crate) struct Graphics {
    pub(crate) info: PipelineInfo,
    /// The pipeline's number among the capturing pipelines, in the order of creation.
    number: u32,
    variants: Variants,
}

/// The reason why pipelines with tessellation or mesh stages are not captured.
pub(crate) const OTHER_STAGES: &str =
    "pipelines with tessellation or mesh stages are not captured yet";

/// A capturing pipeline, and the parameters of its shader.
pub(crate) struct Variant {
    pub(crate) pipeline: vk::Pipeline,
    /// The parameters of the capture, and the parameters of vertex pulling.
    pub(crate) words: Vec<CaptureParam>,
    pub(crate) pulled: Vec<PullingParam>,
    /// The number of bytes per vertex in each transform feedback buffer.
    pub(crate) strides: [u32; MAX_BUFFERS],
    /// The places of the captured 32-bit words in a vertex.
    pub(crate) captured: [Vec<u32>; MAX_BUFFERS],
    /// Whether the original draw is needed because the shader stores to memory, even if nothing is rasterized.
    pub(crate) stores: bool,
    /// The primitives of the geometry stage, if one captures. The layer then draws as the application does, not points.
    pub(crate) emitted: Option<Emitted>,
}

/// The variants of a pipeline. `None` marks a variant that could not be created; the layer does not try again.
type Variants = Mutex<HashMap<Key, Option<Arc<Variant>>>>;

impl Graphics {
    /// Returns the variant for a key, or `None` if the draw cannot be captured.
    pub(crate) fn variant(
        &self,
        (device, emulator): (&Driver, &Emulator),
        key: Key,
        pass: Option<(vk::RenderPass, u32)>,
    ) -> Option<Arc<Variant>> {
        // The setting `pipelines` may exclude this pipeline.
        let wanted = &emulator.debugging.pipelines;
        if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&self.number)) {
            return None;
        }
        let info = &self.info;
        let mut all = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(&key) {
            return known.clone();
        }
        // A failure is logged once and remembered.
        let made = caught(|| make((device, emulator), self, &key, pass));
        let made = made.and_then(|made| made).map(Arc::new).map_err(|why| {
            let captured = info.stages.iter().find_map(|stages| stages.captured.as_ref());
            let captured = captured.map_or(("vertex", 0), |captured| match &captured.geometry {
                Some(geometry) => ("geometry", geometry.words.len()),
                None => ("vertex", captured.vertex.words.len()),
            });
            let (stage, words) = captured;
            device.log.say(
                Level::Error,
                format_args!(
                    "a {stage} shader of {words} words draws, but captures nothing: {why}"
                ),
            );
        });
        let made = made.ok();
        all.insert(key, made.clone());
        made
    }

    /// Returns the reason why the pipeline cannot be captured, as far as the layer can tell before a draw.
    pub(crate) fn refusal(&self, recipes: Option<&Recipes>) -> Option<String> {
        let info = &self.info;
        let (Some(stages), Some(layout), Some((topology, _))) =
            (&info.stages, &info.layout, info.assembly)
        else {
            return None;
        };
        if stages.others_capture {
            return Some(OTHER_STAGES.to_owned());
        }
        let topology = topology.as_raw().cast_unsigned();
        let pulled = (layout.addresses == Some(Addresses::Bound))
            .then(|| info.input.as_deref().cloned().unwrap_or_default());
        let key = Key { topology, restarts: None, pulled };
        let captured = stages.captured.as_ref()?;
        caught(|| lowered(captured, layout, &key, recipes)).and_then(|lowered| lowered).err()
    }

    /// Destroys the pipelines of the variants. No pending commands may use them.
    pub(crate) fn destroy(&self, device: &Driver) {
        let mut all = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, variant) in all.drain() {
            let (Some(variant), Some(destroy)) = (variant, device.next.destroy_pipeline) else {
                continue;
            };
            // SAFETY: guaranteed by the application, which destroys the original pipeline.
            unsafe { destroy(device.handle, variant.pipeline, std::ptr::null()) };
        }
    }
}

/// Runs a function and turns a panic into an error, so that the application keeps running.
fn caught<T>(what: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(what)).map_err(|_| "a bug in polyshade".to_owned())
}

fn make(
    (device, emulator): (&Driver, &Emulator),
    graphics: &Graphics,
    key: &Key,
    pass: Option<(vk::RenderPass, u32)>,
) -> Result<Variant, String> {
    let info = &graphics.info;
    let captured = info.stages.as_ref().and_then(|stages| stages.captured.as_ref());
    let (Some(captured), Some(layout)) = (captured, &info.layout) else {
        return Err("its pipeline has no layout".to_owned());
    };
    let lowered = lowered(captured, layout, key, emulator.recipes.as_deref())?;
    // With the setting `dump`, write the shaders and the plan.
    if let Some(folder) = &emulator.debugging.dump {
        let written = dumped(graphics.number, captured, key, &lowered).dump(folder);
        if let Err(error) = written {
            device.fault(format_args!("setting dump: {}: {error}", folder.display()));
        }
    }
    let pipeline = pipeline((device, emulator), info, (captured, &lowered), layout, key, pass)
        .map_err(|error| format!("vkCreateGraphicsPipelines: {error}"))?;
    let Lowered { capture, pulled, strides, captured, stores, emitted, .. } = lowered;
    Ok(Variant { pipeline, words: capture, pulled, strides, captured, stores, emitted })
}

fn dumped<'c>(number: u32, captured: &'c Captured, key: &Key, lowered: &'c Lowered) -> Dumped<'c> {
    let Captured { vertex, geometry } = captured;
    let mut shaders = vec![("before", &vertex.words[..]), ("after", &lowered.vertex[..])];
    if let (Some(before), Some(after)) = (geometry, &lowered.geometry) {
        shaders.extend([("geometry.before", &before.words[..]), ("geometry.after", after)]);
    }
    Dumped {
        number,
        topology: topology(key.topology),
        restarts: key.restarts,
        pulls: key.pulled.is_some(),
        has_geometry: geometry.is_some(),
        entry: &geometry.as_ref().unwrap_or(vertex).entry,
        shaders,
        host: &lowered.host,
        strides: lowered.strides,
        stores: lowered.stores,
    }
}

/// The dynamic state that a capture changes, and restores for the application's draws.
pub(crate) const DISTURBED: [DynamicState; 3] = [
    DynamicState::PRIMITIVE_TOPOLOGY,
    DynamicState::PRIMITIVE_RESTART_ENABLE,
    DynamicState::RASTERIZER_DISCARD_ENABLE,
];

fn pipeline(
    (device, emulator): (&Driver, &Emulator),
    info: &PipelineInfo,
    (captured, lowered): (&Captured, &Lowered),
    layout: &Layout,
    key: &Key,
    pass: Option<(vk::RenderPass, u32)>,
) -> Result<vk::Pipeline, vk::Result> {
    let lost = vk::Result::ERROR_INITIALIZATION_FAILED;
    let create = device.next.create_graphics_pipelines.ok_or(lost)?;
    let shaders = ShaderModule::all(device, captured, lowered)?;
    let constants: Vec<_> = shaders.iter().map(ShaderModule::constants).collect();
    let stages: Vec<_> =
        shaders.iter().zip(&constants).map(|(shader, constants)| shader.stage(constants)).collect();
    let is_dynamic = info.discards_dynamically(emulator);
    let own = is_dynamic.then_some(DynamicState::RASTERIZER_DISCARD_ENABLE);
    let disturbed = match captured.geometry {
        Some(_) => &[DynamicState::RASTERIZER_DISCARD_ENABLE][..],
        None => &DISTURBED,
    };
    let kept = info.dynamic.iter().copied().filter(|state| !disturbed.contains(state));
    let dynamic: Vec<_> = kept.chain(own).collect();
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
    let input = match &key.pulled {
        None => info.input.as_deref().cloned().unwrap_or_default(),
        Some(_) if layout.addresses == Some(Addresses::Bound) => attributes::input(),
        Some(_) => VertexInput::default(),
    };
    let input = Input::new(&input);
    let mut divisors = vk::PipelineVertexInputDivisorStateCreateInfoKHR::default()
        .vertex_binding_divisors(&input.divisors);
    let state = input.info(&mut divisors);
    // A geometry stage takes the primitives of the application, other captures draw points.
    let (topology, restart) = match captured.geometry {
        Some(_) => info.assembly.unwrap_or_default(),
        None => Default::default(),
    };
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(topology)
        .primitive_restart_enable(restart);
    let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default();
    let rasterization = rasterization(info, &mut provoking);
    let formats = info.rendering.as_deref().cloned().unwrap_or_default();
    let raster = info.raster.unwrap_or_else(|| Raster::of_none(&formats));
    let multisample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(raster.samples);
    let viewports = viewports(info);
    let depth_state = vk::PipelineDepthStencilStateCreateInfo::default();
    let targets = vec![vk::PipelineColorBlendAttachmentState::default(); raster.targets as usize];
    let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
    let mut rendering = formats.chain();
    let mut made = vk::Pipeline::null();
    // SAFETY: all structures are valid, and the modules are destroyed only after the pipeline was created.
    unsafe {
        let mut graphics = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&state)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&rasterization)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth_state)
            .color_blend_state(&blending)
            .dynamic_state(&dynamic)
            .layout(layout.handle);
        graphics = match pass {
            Some((pass, subpass)) => graphics.render_pass(pass).subpass(subpass),
            None => rendering.add_to(graphics),
        };
        let cache = vk::PipelineCache::null();
        create(device.handle, cache, 1, &raw const graphics, std::ptr::null(), &raw mut made)
            .result()?;
    }
    device.log.say(Level::Debug, format_args!("pipeline {made:?} captures"));
    Ok(made)
}

/// A shader module of a pipeline that is being created.
struct ShaderModule<'s> {
    device: &'s Driver,
    stage: vk::ShaderStageFlags,
    module: vk::ShaderModule,
    entry: CString,
    shader: &'s Shader,
}

impl<'s> ShaderModule<'s> {
    /// Creates the modules of a variant.
    fn all(
        device: &'s Driver,
        captured: &'s Captured,
        lowered: &Lowered,
    ) -> Result<Vec<Self>, vk::Result> {
        let shaders = [
            Some((vk::ShaderStageFlags::VERTEX, &captured.vertex, &lowered.vertex)),
            captured
                .geometry
                .as_ref()
                .zip(lowered.geometry.as_ref())
                .map(|(shader, words)| (vk::ShaderStageFlags::GEOMETRY, shader, words)),
        ];
        let shaders = shaders.into_iter().flatten();
        let shaders = shaders.map(|(stage, shader, words)| Self::new(device, stage, shader, words));
        shaders.collect()
    }

    fn new(
        device: &'s Driver,
        stage: vk::ShaderStageFlags,
        shader: &'s Shader,
        words: &[u32],
    ) -> Result<Self, vk::Result> {
        let lost = vk::Result::ERROR_INITIALIZATION_FAILED;
        let entry = CString::new(shader.entry.as_str()).map_err(|_| lost)?;
        let module = device.create_shader_module(words)?;
        Ok(Self { device, stage, module, entry, shader })
    }

    fn constants(&self) -> vk::SpecializationInfo<'_> {
        let (entries, data) = &self.shader.constants;
        vk::SpecializationInfo::default().map_entries(entries).data(data)
    }

    fn stage<'c>(
        &'c self,
        constants: &'c vk::SpecializationInfo<'c>,
    ) -> vk::PipelineShaderStageCreateInfo<'c> {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(self.stage)
            .module(self.module)
            .name(&self.entry)
            .specialization_info(constants)
    }
}

impl Drop for ShaderModule<'_> {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need the module after their creation.
        unsafe { self.device.destroy_shader_module(self.module) };
    }
}

const VIEWPORT: [vk::Viewport; 1] =
    [vk::Viewport { x: 0.0, y: 0.0, width: 1.0, height: 1.0, min_depth: 0.0, max_depth: 1.0 }];
const SCISSOR: [vk::Rect2D; 1] = [vk::Rect2D {
    offset: vk::Offset2D { x: 0, y: 0 },
    extent: vk::Extent2D { width: 1, height: 1 },
}];

/// Returns the viewport state: one viewport and scissor, unless commands set their counts. Nothing is rasterized.
fn viewports(info: &PipelineInfo) -> vk::PipelineViewportStateCreateInfo<'static> {
    let mut state = vk::PipelineViewportStateCreateInfo::default();
    if !info.is_dynamic(DynamicState::VIEWPORT_WITH_COUNT) {
        state = state.viewports(&VIEWPORT);
    }
    if !info.is_dynamic(DynamicState::SCISSOR_WITH_COUNT) {
        state = state.scissors(&SCISSOR);
    }
    state
}

/// Returns the rasterization state, which discards all primitives. All pipelines in a render pass must have the same
/// provoking vertex mode, unless the device supports one for each pipeline.
fn rasterization<'p>(
    info: &PipelineInfo,
    provoking: &'p mut vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'p>,
) -> vk::PipelineRasterizationStateCreateInfo<'p> {
    let state = vk::PipelineRasterizationStateCreateInfo::default()
        .rasterizer_discard_enable(true)
        .line_width(1.0);
    // The structure's extension is enabled only if the application uses it.
    if !info.stages.as_ref().is_some_and(|stages| stages.provokes_last) {
        return state;
    }
    provoking.provoking_vertex_mode = vk::ProvokingVertexModeEXT::LAST_VERTEX;
    state.push_next(provoking)
}

/// The Vulkan structures of a vertex input state.
struct Input {
    attributes: Vec<vk::VertexInputAttributeDescription>,
    bindings: Vec<vk::VertexInputBindingDescription>,
    divisors: Vec<vk::VertexInputBindingDivisorDescriptionKHR>,
}

impl Input {
    fn info<'i>(
        &'i self,
        divisors: &'i mut vk::PipelineVertexInputDivisorStateCreateInfoKHR<'i>,
    ) -> vk::PipelineVertexInputStateCreateInfo<'i> {
        let state = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_attribute_descriptions(&self.attributes)
            .vertex_binding_descriptions(&self.bindings);
        if self.divisors.is_empty() { state } else { state.push_next(divisors) }
    }

    fn new(input: &VertexInput) -> Self {
        let attribute = |&(location, binding, format, offset): &_| {
            vk::VertexInputAttributeDescription { location, binding, format, offset }
        };
        let binding = |&(binding, stride, divisor): &(u32, u32, Option<u32>)| {
            let input_rate = rate(divisor);
            vk::VertexInputBindingDescription { binding, stride, input_rate }
        };
        let divisor = |&(binding, _, divisor): &(u32, u32, Option<u32>)| {
            let divisor = divisor.filter(|divisor| *divisor != 1)?;
            Some(vk::VertexInputBindingDivisorDescriptionKHR { binding, divisor })
        };
        Self {
            attributes: input.attributes.iter().map(attribute).collect(),
            bindings: input.bindings.iter().map(binding).collect(),
            divisors: input.bindings.iter().filter_map(divisor).collect(),
        }
    }
}

/// Registers the state of new pipelines.
///
/// # Safety
///
/// The structures are valid, and `pipelines` contains a pipeline or null for each structure.
pub(crate) unsafe fn register(emulator: &Emulator, infos: &[Info], pipelines: *const vk::Pipeline) {
    for (number, create_info) in infos.iter().enumerate() {
        // SAFETY: guaranteed by the caller.
        let (pipeline, info) =
            unsafe { (*pipelines.add(number), PipelineInfo::read(emulator, create_info)) };
        if pipeline != vk::Pipeline::null() {
            let captures = info.stages.as_ref().is_some_and(|stages| stages.captured.is_some());
            let number = emulator.capturing.fetch_add(u32::from(captures), Ordering::Relaxed);
            let known = Graphics { info, number, variants: Variants::default() };
            emulator.pipelines.insert(pipeline.as_raw(), Box::new(Arc::new(known)));
        }
    }
}
