//! The capturing variants of pipelines, created when a draw first needs them and kept with the original pipeline.

use crate::driver::Driver;
use crate::emulation::dump::Captured;
use crate::emulation::layouts::{Addresses, Layout};
use crate::emulation::pipeline_info::{Info, PipelineInfo, Raster, VertexInput, VertexStage, rate};
use crate::emulation::shader_params::{CaptureParam, PullingParam};
use crate::emulation::{Emulator, attributes};
use crate::log::Level;
use ash::vk::{self, DynamicState, Handle as _};
use polyshade::host::{self, AddressSource, ParamSource, SideEffects, Target};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{self, MAX_BUFFERS, Topology, Variant as CaptureVariant};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Format, Rate};
use polyshade::{Error, Module};
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

/// The reason why pipelines with tessellation, geometry or mesh stages are not captured.
pub(crate) const OTHER_STAGES: &str = "tessellation, geometry and mesh stages are not captured yet";

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) topology: u32,
    /// For indexed draws, whether primitive restart is enabled.
    pub(crate) restarts: Option<bool>,
    /// The vertex input state, if the shader pulls its attributes.
    pub(crate) pulled: Option<VertexInput>,
}

/// A capturing pipeline, and the parameters of its shader.
pub(crate) struct Variant {
    pub(crate) pipeline: vk::Pipeline,
    /// The parameters of the capture, and the parameters of vertex pulling.
    pub(crate) words: Vec<CaptureParam>,
    pub(crate) pulled: Vec<PullingParam>,
    /// The number of bytes per vertex in each transform feedback buffer.
    pub(crate) strides: [u32; MAX_BUFFERS],
    /// Whether the original draw is needed because the shader stores to memory, even if nothing is rasterized.
    pub(crate) stores: bool,
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
            let words = info.stages.iter().flat_map(|one| &one.vertex).map(|one| one.words.len());
            let words = words.sum::<usize>();
            device.log.say(
                Level::Error,
                format_args!("a vertex shader of {words} words draws, but captures nothing: {why}"),
            );
        });
        let made = made.ok();
        all.insert(key, made.clone());
        made
    }

    /// Returns the reason why the pipeline cannot be captured, as far as the layer can tell before a draw.
    pub(crate) fn refusal(&self) -> Option<String> {
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
        let stage = stages.vertex.as_ref()?;
        caught(|| lowered(stage, layout, &key)).and_then(|lowered| lowered).err()
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

struct Lowered {
    words: Vec<u32>,
    /// The host parameters of the capture, then the host parameters of vertex pulling.
    host: Vec<host::HostParams>,
    capture: Vec<CaptureParam>,
    pulled: Vec<PullingParam>,
    strides: [u32; MAX_BUFFERS],
    stores: bool,
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
    let stage = info.stages.as_ref().and_then(|one| one.vertex.as_ref());
    let (Some(stage), Some(layout)) = (stage, &info.layout) else {
        return Err("its pipeline has no layout".to_owned());
    };
    let lowered = lowered(stage, layout, key)?;
    // With the setting `dump`, write the shaders and the plan.
    if let Some(folder) = &emulator.debugging.dump {
        let captured = Captured {
            number: graphics.number,
            topology: topology(key.topology),
            restarts: key.restarts,
            pulls: key.pulled.is_some(),
            entry: &stage.entry,
            shaders: [&stage.words, &lowered.words],
            host: &lowered.host,
            strides: lowered.strides,
            stores: lowered.stores,
        };
        let written = captured.dump(folder);
        if let Err(error) = written {
            device.fault(format_args!("setting dump: {}: {error}", folder.display()));
        }
    }
    let pipeline = pipeline((device, emulator), info, stage, layout, &lowered.words, key, pass)
        .map_err(|error| format!("vkCreateGraphicsPipelines: {error}"))?;
    let Lowered { capture, pulled, strides, stores, .. } = lowered;
    Ok(Variant { pipeline, words: capture, pulled, strides, stores })
}

/// Lowers the shader for captures. Fails if the pipeline layout has no place for the addresses.
fn lowered(stage: &VertexStage, layout: &Layout, key: &Key) -> Result<Lowered, String> {
    let addresses = layout.addresses.ok_or(
        "the push constants have no 16 free bytes, and portability drivers do not support vertex buffers with stride 0",
    )?;
    lower(stage, key, addresses).map_err(|error| error.to_string())
}

/// Lowers the shader. It reads two addresses: first the vertex-pulling parameters, then the capture parameters.
fn lower(stage: &VertexStage, key: &Key, addresses: Addresses) -> Result<Lowered, Error> {
    let address = |number| {
        ParamSource::Address(match addresses {
            Addresses::Pushed(at) => AddressSource::PushConstant { offset: at + 8 * number },
            Addresses::Bound => AddressSource::Attribute { location: number },
        })
    };
    let target = Target::new(stage.entry.as_str()).stage(ExecutionModel::VERTEX).names(false);
    let module = Module::parse(&stage.words)?;
    let (mut pulled, mut host) = (Vec::new(), Vec::new());
    let fetched = match &key.pulled {
        None => None,
        Some(input) => {
            let options = pulling(input)?.params(address(0));
            let fetched = vertex_pulling::lower(&module, &target, &options)?;
            pulled = fetched.params.first().map_or_else(Vec::new, PullingParam::all);
            host.extend(fetched.params.iter().cloned());
            Some(fetched)
        }
    };
    let module = fetched.as_ref().map_or(&module, |fetched| &fetched.module);
    let topology = topology(key.topology);
    let mut options = transform_feedback::Options::new()
        .decorated()
        .topologies([topology])
        .unbound_buffers()
        .limit_in_vertices()
        .params(address(1));
    if let Some(restart) = key.restarts {
        options = options.indexed(None).constant_attributes([0]);
        if restart {
            options = options.restart();
        }
    }
    let captured = |options: &_| {
        let prepared = transform_feedback::prepare(module, &target, options)?;
        let variant = prepared.variant(CaptureVariant::CaptureOnly)?;
        Ok::<_, Error>((variant.into_owned(), prepared.params().clone()))
    };
    // If the shader itself stores to memory, only the original draw does these stores.
    let (variant, stores) = match captured(&options) {
        Ok(variant) => (variant, false),
        Err(_) => (captured(&options.side_effects(SideEffects::InSecondPass))?, true),
    };
    let (variant, words) = variant;
    let mut strides = [0; MAX_BUFFERS];
    for (stride, buffer) in strides.iter_mut().zip(&variant.result.buffers) {
        *stride = if buffer.captured.is_empty() { 0 } else { buffer.stride };
    }
    let capture = CaptureParam::all(&words, topology);
    host.insert(0, words);
    Ok(Lowered { words: variant.module.into_words(), host, capture, pulled, strides, stores })
}

/// Returns the vertex-pulling options for a vertex input state.
fn pulling(input: &VertexInput) -> Result<vertex_pulling::Options, Error> {
    let mut options = vertex_pulling::Options::new().access_beyond_stride(true);
    for &(location, buffer, format, offset) in &input.attributes {
        let format: Format = format!("{format:?}").parse()?;
        let attribute = Attribute { buffer, format: Some(format), offset: Some(offset) };
        options = options.attribute(location, attribute);
    }
    for &(number, stride, divisor) in &input.bindings {
        let rate = divisor.map_or(Rate::Vertex, |divisor| Rate::Instance { divisor });
        options = options.buffer(number, Buffer { rate: Some(rate), stride: Some(stride) });
    }
    Ok(options)
}

/// Returns the topology for a `VkPrimitiveTopology` value.
pub(crate) fn topology(number: u32) -> Topology {
    let found = Topology::ALL.into_iter().find(|one| *one as u32 == number);
    found.unwrap_or(Topology::PointList)
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
    stage: &VertexStage,
    layout: &Layout,
    words: &[u32],
    key: &Key,
    pass: Option<(vk::RenderPass, u32)>,
) -> Result<vk::Pipeline, vk::Result> {
    let lost = vk::Result::ERROR_INITIALIZATION_FAILED;
    let create_module = device.next.create_shader_module.ok_or(lost)?;
    let create = device.next.create_graphics_pipelines.ok_or(lost)?;
    let entry = CString::new(stage.entry.as_str()).map_err(|_| lost)?;
    let (entries, data) = &stage.constants;
    let constants = vk::SpecializationInfo::default().map_entries(entries).data(data);
    let is_dynamic = info.discards_dynamically(emulator);
    let own = is_dynamic.then_some(DynamicState::RASTERIZER_DISCARD_ENABLE);
    let kept = info.dynamic.iter().copied().filter(|state| !DISTURBED.contains(state));
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
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default();
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
    let code = vk::ShaderModuleCreateInfo::default().code(words);
    let (mut module, mut made) = (vk::ShaderModule::null(), vk::Pipeline::null());
    // SAFETY: all structures are valid, and the module is destroyed only after the pipeline was created.
    unsafe {
        create_module(device.handle, &raw const code, std::ptr::null(), &raw mut module)
            .result()?;
        let stages = [vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::VERTEX)
            .module(module)
            .name(&entry)
            .specialization_info(&constants)];
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
        let result =
            create(device.handle, cache, 1, &raw const graphics, std::ptr::null(), &raw mut made);
        if let Some(destroy) = device.next.destroy_shader_module {
            destroy(device.handle, module, std::ptr::null());
        }
        result.result()?;
    }
    device.log.say(Level::Debug, format_args!("pipeline {made:?} captures"));
    Ok(made)
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
            let captures = info.stages.as_ref().is_some_and(|stages| stages.vertex.is_some());
            let number = emulator.capturing.fetch_add(u32::from(captures), Ordering::Relaxed);
            let known = Graphics { info, number, variants: Variants::default() };
            emulator.pipelines.insert(pipeline.as_raw(), Box::new(Arc::new(known)));
        }
    }
}
