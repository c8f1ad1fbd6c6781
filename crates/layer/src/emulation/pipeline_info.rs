//! The parts of graphics pipelines that captures depend on: shaders and state.

use crate::emulation::Emulator;
use crate::emulation::layouts::Layout;
use crate::pnext::find;
use crate::settings::slice;
use crate::spirv;
use ash::vk::{self, DynamicState, Handle as _, ShaderStageFlags};
use polyshade::transform_feedback::Options;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

/// The SPIR-V words of a shader module.
pub(crate) type Words = Arc<[u32]>;

/// The parts of a pipeline that captures depend on. A part is `None` in a pipeline library that lacks it.
#[derive(Clone, Default)]
pub(crate) struct PipelineInfo {
    pub(crate) layout: Option<Arc<Layout>>,
    pub(crate) input: Option<Arc<VertexInput>>,
    pub(crate) assembly: Option<(vk::PrimitiveTopology, bool)>,
    pub(crate) stages: Option<Stages>,
    pub(crate) rendering: Option<Arc<Rendering>>,
    pub(crate) raster: Option<Raster>,
    pub(crate) dynamic: Vec<DynamicState>,
}

/// The state of a pipeline that may rasterize.
#[derive(Clone, Copy)]
pub(crate) struct Raster {
    pub(crate) samples: vk::SampleCountFlags,
    /// The number of color attachments.
    pub(crate) targets: u32,
}

/// The pre-rasterization stages.
#[derive(Clone, Default)]
pub(crate) struct Stages {
    /// The shaders of a capture, if the last stage captures.
    pub(crate) captured: Option<Captured>,
    /// Whether stages after the vertex stage exist that are not in `captured`. Their outputs would be captured instead.
    pub(crate) has_others: bool,
    /// Whether one of these stages captures.
    pub(crate) others_capture: bool,
    pub(crate) discard: bool,
    pub(crate) provokes_last: bool,
}

/// The shaders of a capture. The last one captures.
#[derive(Clone)]
pub(crate) struct Captured {
    pub(crate) vertex: Arc<Shader>,
    pub(crate) geometry: Option<Arc<Shader>>,
}

pub(crate) struct Shader {
    pub(crate) words: Words,
    pub(crate) entry: String,
    /// The map entries and the data of the specialization constants.
    pub(crate) constants: (Vec<vk::SpecializationMapEntry>, Vec<u8>),
}

#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct VertexInput {
    /// Location, binding, format and offset of each attribute.
    pub(crate) attributes: Vec<(u32, u32, vk::Format, u32)>,
    /// Binding number, stride and, for a binding with instance rate, the divisor.
    pub(crate) bindings: Vec<(u32, u32, Option<u32>)>,
}

pub(super) fn rate(divisor: Option<u32>) -> vk::VertexInputRate {
    match divisor {
        None => vk::VertexInputRate::VERTEX,
        Some(_) => vk::VertexInputRate::INSTANCE,
    }
}

/// The attachment formats of dynamic rendering, and the other state that all pipelines in one rendering must share.
#[derive(Clone, Default)]
pub(crate) struct Rendering {
    flags: vk::PipelineCreateFlags,
    /// The locations of the color attachments, if not the default.
    locations: Option<Vec<u32>>,
    // The input attachment indices of color, then depth and stencil, if not the default.
    inputs: Option<(Vec<u32>, [Option<u32>; 2])>,
    view_mask: u32,
    colours: Vec<vk::Format>,
    depth: vk::Format,
    stencil: vk::Format,
}

pub(crate) type Info = vk::GraphicsPipelineCreateInfo<'static>;
type Part = vk::GraphicsPipelineLibraryFlagsEXT;

impl PipelineInfo {
    /// Reads the create info of a pipeline.
    ///
    /// # Safety
    ///
    /// The structure is valid.
    pub(crate) unsafe fn read(emulator: &Emulator, create_info: &Info) -> Self {
        type Parts = vk::GraphicsPipelineLibraryCreateInfoEXT<'static>;
        type Libraries = vk::PipelineLibraryCreateInfoKHR<'static>;
        let mut info = Self::default();
        // SAFETY: guaranteed by the caller. Pointers of absent parts are not followed.
        unsafe {
            let libraries = find::<Libraries>(create_info.p_next)
                .map_or(&[][..], |all| slice((*all).p_libraries, (*all).library_count));
            for library in libraries {
                if let Some(library) = emulator.pipelines.get(library.as_raw()) {
                    info.merge(&library.info);
                }
            }
            // A pipeline without libraries or flags contains all four parts.
            let all = if libraries.is_empty() { Part::from_raw(0xf) } else { Part::empty() };
            let parts = find::<Parts>(create_info.p_next).map_or(all, |parts| (*parts).flags);
            // Libraries may have contributed dynamic states.
            let dynamic = create_info
                .p_dynamic_state
                .as_ref()
                .map_or(&[][..], |all| slice(all.p_dynamic_states, all.dynamic_state_count));
            for state in dynamic {
                if !info.dynamic.contains(state) {
                    info.dynamic.push(*state);
                }
            }
            if let Some(layout) = emulator.layouts.get(create_info.layout.as_raw()) {
                info.layout = Some(Arc::clone(layout));
            }
            if parts.contains(Part::VERTEX_INPUT_INTERFACE) {
                info.read_input(create_info);
            }
            if parts.contains(Part::PRE_RASTERIZATION_SHADERS) {
                info.stages = Some(Stages::read(emulator, create_info));
            }
            // Without rasterization, Vulkan ignores the state of the fragment output.
            let of_outputs = parts.contains(Part::FRAGMENT_OUTPUT_INTERFACE);
            let discards = info.stages.as_ref().is_some_and(|stages| stages.discard);
            let ignored = discards && !info.is_dynamic(DynamicState::RASTERIZER_DISCARD_ENABLE);
            if of_outputs && !ignored {
                info.raster = Some(Raster::read(create_info));
            }
            if let Some(rendering) = Rendering::read(create_info, of_outputs)
                && (of_outputs || info.rendering.is_none())
            {
                info.rendering = Some(Arc::new(rendering));
            }
        }
        info
    }

    fn merge(&mut self, library: &Self) {
        let other = library.clone();
        self.layout = self.layout.take().or(other.layout);
        self.input = self.input.take().or(other.input);
        self.assembly = self.assembly.take().or(other.assembly);
        self.stages = self.stages.take().or(other.stages);
        self.raster = self.raster.take().or(other.raster);
        let has_colours = other.rendering.as_ref().is_some_and(|one| !one.colours.is_empty());
        if has_colours || self.rendering.is_none() {
            self.rendering = other.rendering.or(self.rendering.take());
        }
        for state in other.dynamic {
            if !self.dynamic.contains(&state) {
                self.dynamic.push(state);
            }
        }
    }

    unsafe fn read_input(&mut self, create_info: &Info) {
        // SAFETY: the structure is valid; state that is dynamic may be absent.
        unsafe {
            if !self.is_dynamic(DynamicState::VERTEX_INPUT_EXT) {
                let input = create_info.p_vertex_input_state.as_ref();
                self.input = input.map(|input| Arc::new(VertexInput::read(input)));
            }
            if let Some(assembly) = create_info.p_input_assembly_state.as_ref() {
                let restart = assembly.primitive_restart_enable == vk::TRUE;
                self.assembly = Some((assembly.topology, restart));
            }
        }
    }

    /// Returns whether a geometry stage captures.
    pub(crate) fn has_geometry(&self) -> bool {
        let captured = self.stages.as_ref().and_then(|stages| stages.captured.as_ref());
        captured.is_some_and(|captured| captured.geometry.is_some())
    }

    /// Returns whether a capture sets rasterizer discard by a command. lavapipe 22.3 forgets the application's
    /// dynamic state when a pipeline with static rasterizer discard is bound.
    pub(crate) fn discards_dynamically(&self, emulator: &Emulator) -> bool {
        self.raster.is_some() && emulator.has_dynamic_discard
            || self.is_dynamic(DynamicState::RASTERIZER_DISCARD_ENABLE)
    }

    pub(crate) fn is_dynamic(&self, state: DynamicState) -> bool {
        self.dynamic.contains(&state)
    }
}

impl Raster {
    /// Returns the state for a pipeline that never rasterizes. Its color attachments have the formats in `formats`.
    pub(crate) fn of_none(formats: &Rendering) -> Self {
        let samples = vk::SampleCountFlags::TYPE_1;
        Self { samples, targets: formats.colours.len() as u32 }
    }

    unsafe fn read(info: &Info) -> Self {
        // SAFETY: the structure is valid, and a pipeline that rasterizes has these states or null.
        let (samples, blending) =
            unsafe { (info.p_multisample_state.as_ref(), info.p_color_blend_state.as_ref()) };
        Self {
            samples: samples
                .map_or(vk::SampleCountFlags::TYPE_1, |state| state.rasterization_samples),
            targets: blending.map_or(0, |state| state.attachment_count),
        }
    }
}

impl Stages {
    unsafe fn read(emulator: &Emulator, info: &Info) -> Self {
        type Provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'static>;
        let mut stages = Self::default();
        // SAFETY: the structure is valid.
        unsafe {
            // The last stage before rasterization captures.
            let all = slice(info.p_stages, info.stage_count);
            let vertex = all.iter().find(|stage| stage.stage == ShaderStageFlags::VERTEX);
            let vertex = vertex.and_then(|stage| Shader::read(emulator, stage));
            let before = ShaderStageFlags::VERTEX | ShaderStageFlags::FRAGMENT;
            let others = all.iter().filter(|stage| !before.contains(stage.stage));
            let others: Vec<_> = others
                .map(|stage| {
                    let shader = Shader::read(emulator, stage);
                    (stage.stage, shader.filter(|shader| spirv::captures(&shader.words)))
                })
                .collect();
            stages.captured = match (&others[..], vertex) {
                ([], Some(vertex)) if spirv::captures(&vertex.words) => {
                    Some(Captured { vertex, geometry: None })
                }
                ([(ShaderStageFlags::GEOMETRY, Some(geometry))], Some(vertex)) => {
                    Some(Captured { vertex, geometry: Some(Arc::clone(geometry)) })
                }
                _ => {
                    stages.has_others = !others.is_empty();
                    stages.others_capture = others.iter().any(|(_, shader)| shader.is_some());
                    None
                }
            };
            if let Some(state) = info.p_rasterization_state.as_ref() {
                stages.discard = state.rasterizer_discard_enable == vk::TRUE;
                stages.provokes_last = find::<Provoking>(state.p_next).is_some_and(|mode| {
                    (*mode).provoking_vertex_mode == vk::ProvokingVertexModeEXT::LAST_VERTEX
                });
            }
        }
        stages
    }
}

impl Shader {
    /// Gives `options` the values of the specialization constants that the shader has.
    pub(crate) fn specialized(&self, options: Options) -> Options {
        let (entries, data) = &self.constants;
        let known = entries.iter().filter(|one| spirv::specializes(&self.words, one.constant_id));
        known.fold(options, |options, one| {
            let bytes = data.get(one.offset as usize..).unwrap_or_default();
            let bytes = bytes.iter().take(one.size.min(8));
            let bits = bytes.rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            options.specialize(one.constant_id, bits)
        })
    }

    /// Returns a shader if its words are kept: it captures, or may precede a capture.
    ///
    /// # Safety
    ///
    /// The structure is valid.
    unsafe fn read(
        emulator: &Emulator,
        stage: &vk::PipelineShaderStageCreateInfo<'static>,
    ) -> Option<Arc<Self>> {
        type Code = vk::ShaderModuleCreateInfo<'static>;
        // SAFETY: the structure is valid.
        unsafe {
            let inline = find::<Code>(stage.p_next).map(|code| spirv::words(&*code));
            let words = match inline.filter(|_| stage.module == vk::ShaderModule::null()) {
                Some(words) if emulator.keeps(words) => words.into(),
                Some(_) => return None,
                None => Arc::clone(emulator.modules.get(stage.module.as_raw())?),
            };
            let entry = CStr::from_ptr(stage.p_name).to_string_lossy().into_owned();
            let constants = stage.p_specialization_info.as_ref().map(|info| {
                let entries = slice(info.p_map_entries, info.map_entry_count).to_vec();
                (entries, slice(info.p_data.cast::<u8>(), info.data_size as u32).to_vec())
            });
            Some(Arc::new(Self { words, entry, constants: constants.unwrap_or_default() }))
        }
    }
}

impl VertexInput {
    unsafe fn read(state: &vk::PipelineVertexInputStateCreateInfo<'_>) -> Self {
        type Divisors = vk::PipelineVertexInputDivisorStateCreateInfoKHR<'static>;
        // SAFETY: the structure is valid.
        unsafe {
            // The divisor of a binding with instance rate is 1 by default.
            let divisors = find::<Divisors>(state.p_next).map_or(&[][..], |all| {
                slice((*all).p_vertex_binding_divisors, (*all).vertex_binding_divisor_count)
            });
            let divisor = |binding| {
                let found = divisors.iter().find(|one| one.binding == binding);
                found.map_or(1, |one| one.divisor)
            };
            let bindings =
                slice(state.p_vertex_binding_descriptions, state.vertex_binding_description_count);
            let attributes = slice(
                state.p_vertex_attribute_descriptions,
                state.vertex_attribute_description_count,
            );
            let binding = |one: &vk::VertexInputBindingDescription| {
                let of_instances = one.input_rate == vk::VertexInputRate::INSTANCE;
                (one.binding, one.stride, of_instances.then(|| divisor(one.binding)))
            };
            let attribute = |one: &vk::VertexInputAttributeDescription| {
                (one.location, one.binding, one.format, one.offset)
            };
            Self {
                attributes: attributes.iter().map(attribute).collect(),
                bindings: bindings.iter().map(binding).collect(),
            }
        }
    }
}

/// The flags that a pipeline must have for the attachments of dynamic rendering.
const OF_ATTACHMENTS: vk::PipelineCreateFlags = vk::PipelineCreateFlags::from_raw(
    vk::PipelineCreateFlags::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR.as_raw()
        | vk::PipelineCreateFlags::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT.as_raw(),
);

/// The `pNext` structures of a pipeline for dynamic rendering.
pub(crate) struct RenderingChain<'r> {
    formats: vk::PipelineRenderingCreateInfo<'r>,
    locations: Option<vk::RenderingAttachmentLocationInfoKHR<'r>>,
    inputs: Option<vk::RenderingInputAttachmentIndexInfoKHR<'r>>,
    flags: vk::PipelineCreateFlags,
}

impl<'r> RenderingChain<'r> {
    /// Adds the structures to the create info of a pipeline.
    pub(crate) fn add_to(
        &'r mut self,
        mut info: vk::GraphicsPipelineCreateInfo<'r>,
    ) -> vk::GraphicsPipelineCreateInfo<'r> {
        info = info.push_next(&mut self.formats).flags(self.flags);
        if let Some(locations) = &mut self.locations {
            info = info.push_next(locations);
        }
        if let Some(inputs) = &mut self.inputs {
            info = info.push_next(inputs);
        }
        info
    }
}

impl Rendering {
    pub(crate) fn chain(&self) -> RenderingChain<'_> {
        let formats = vk::PipelineRenderingCreateInfo::default()
            .view_mask(self.view_mask)
            .color_attachment_formats(&self.colours)
            .depth_attachment_format(self.depth)
            .stencil_attachment_format(self.stencil);
        let locations = self.locations.as_ref().map(|locations| {
            vk::RenderingAttachmentLocationInfoKHR::default().color_attachment_locations(locations)
        });
        let inputs = self.inputs.as_ref().map(|(colours, others)| {
            let [depth, stencil] = others
                .each_ref()
                .map(|one| one.as_ref().map_or(std::ptr::null(), std::ptr::from_ref));
            vk::RenderingInputAttachmentIndexInfoKHR {
                p_depth_input_attachment_index: depth,
                p_stencil_input_attachment_index: stencil,
                ..Default::default()
            }
            .color_attachment_input_indices(colours)
        });
        RenderingChain { formats, locations, inputs, flags: self.flags }
    }

    unsafe fn read(info: &Info, of_outputs: bool) -> Option<Self> {
        type Formats = vk::PipelineRenderingCreateInfo<'static>;
        type Locations = vk::RenderingAttachmentLocationInfoKHR<'static>;
        type Inputs = vk::RenderingInputAttachmentIndexInfoKHR<'static>;
        // SAFETY: the structure is valid. Libraries without the fragment output interface may lack the formats.
        unsafe {
            let formats = &*find::<Formats>(info.p_next)?;
            if !of_outputs {
                return Some(Self { view_mask: formats.view_mask, ..Self::default() });
            }
            let flags = create_flags(info.p_next, info.flags);
            let locations = find::<Locations>(info.p_next).map(|all| {
                indices((*all).p_color_attachment_locations, (*all).color_attachment_count)
            });
            let inputs = find::<Inputs>(info.p_next).map(|all| {
                let all = &*all;
                let (depth, stencil) =
                    (all.p_depth_input_attachment_index, all.p_stencil_input_attachment_index);
                (
                    indices(all.p_color_attachment_input_indices, all.color_attachment_count),
                    [depth, stencil].map(|one| one.as_ref().copied()),
                )
            });
            Some(Self {
                flags: flags & OF_ATTACHMENTS,
                locations,
                inputs,
                view_mask: formats.view_mask,
                colours: slice(formats.p_color_attachment_formats, formats.color_attachment_count)
                    .to_vec(),
                depth: formats.depth_attachment_format,
                stencil: formats.stencil_attachment_format,
            })
        }
    }
}

/// Returns the flags of a pipeline. Flags in the chain replace the flags of the create info.
///
/// # Safety
///
/// The chain is valid.
pub(crate) unsafe fn create_flags(
    chain: *const c_void,
    flags: vk::PipelineCreateFlags,
) -> vk::PipelineCreateFlags {
    type Flags = vk::PipelineCreateFlags2CreateInfoKHR<'static>;
    // SAFETY: guaranteed by the caller.
    let newer = unsafe { find::<Flags>(chain).map(|newer| (*newer).flags) };
    // The older flags are the lower half of the newer flags.
    newer.map_or(flags, |newer| vk::PipelineCreateFlags::from_raw(newer.as_raw() as u32))
}

/// Returns the attachment indices of an array, or 0, 1, 2… if the pointer is null.
unsafe fn indices(first: *const u32, count: u32) -> Vec<u32> {
    match first.is_null() {
        true => (0..count).collect(),
        // SAFETY: the caller passes `count` indices.
        false => unsafe { slice(first, count) }.to_vec(),
    }
}
