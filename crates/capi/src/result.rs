//! Results of lowerings: modules, descriptors, host parameters and requirements, as structs and as JSON.

use crate::code;
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, POLYSHADE_NONE, c_text, element, polyshade_status};
use crate::ffi::{self, versioned};
use crate::layout::polyshade_layout;
use crate::module::polyshade_module;
use crate::options::Kind;
use crate::place::{descriptor_type, polyshade_param_source, stage_bit};
use polyshade::host::{Descriptor, HostParams, Ordering, ParamSource, Purpose, Requirements};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::Layout;
use serde_json::{Value, json};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// The result of a lowering: one output or several. It is immutable, and any number of threads may use it at once.
pub struct polyshade_result {
    pub(crate) outputs: Vec<Output>,
}

/// No order between draws is needed.
pub const POLYSHADE_ORDERING_NONE: u32 = 0;
/// Attachment accesses in rasterization order, or a barrier between draws that overlap.
pub const POLYSHADE_ORDERING_ATTACHMENT_ACCESS: u32 = 1;
/// Coherent tile image reads.
pub const POLYSHADE_ORDERING_TILE_IMAGE: u32 = 2;
/// The fragment shader interlock of the shader orders the accesses.
pub const POLYSHADE_ORDERING_INTERLOCK: u32 = 3;
/// A copy of the attachment before each draw that overlaps an earlier one.
pub const POLYSHADE_ORDERING_COPY: u32 = 4;

/// A description of an output.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_output {
    /// `sizeof(polyshade_output)`
    pub size: u32,
    /// `POLYSHADE_STAGE_…`
    pub stage: u32,
    /// `POLYSHADE_VARIANT_…` for a capture into storage buffers, else 0.
    pub variant: u32,
    /// Whether the module differs from the input module.
    pub is_changed: u32,
    /// Whether the output has a capture layout.
    pub has_layout: u32,
    /// The number of host parameters.
    pub host_param_count: u32,
    /// The number of descriptors that the host binds.
    pub descriptor_count: u32,
    /// The number of extensions, features and limits that the device must have.
    pub need_count: u32,
    /// `POLYSHADE_ORDERING_…`
    pub ordering: u32,
    /// The location of an output that was added to the shader, or `POLYSHADE_NONE`.
    pub location: u32,
    /// The range of bytes of the push constants that the host fills in; empty if `push_constants_end` is 0.
    pub push_constants_first: u32,
    pub push_constants_end: u32,
    /// `POLYSHADE_GEOMETRY_…` or `POLYSHADE_TESSELLATION_…` for a step of `polyshade_lower_geometry` or
    /// `polyshade_lower_tessellation`, else 0.
    pub step: u32,
}

versioned!(polyshade_output, 48);

/// A host parameter: a 32-bit value that the host fills in.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_host_param {
    /// `sizeof(polyshade_host_param)`
    pub size: u32,
    /// Its index among the parameters of `source`: it is `4 * number` bytes after the start, or the specialization
    /// constant whose id is `number` greater than the first.
    pub number: u32,
    /// Where the shader reads it.
    pub source: polyshade_param_source,
    /// The name and the meaning are valid as long as the result.
    pub name: *const c_char,
    pub meaning: *const c_char,
}

versioned!(polyshade_host_param, 24 + 2 * size_of::<usize>());

/// A feedback buffer: `number` is its number.
pub const POLYSHADE_PURPOSE_FEEDBACK: u32 = 1;
/// A vertex buffer: `number` is its number.
pub const POLYSHADE_PURPOSE_VERTEX_BUFFER: u32 = 2;
/// Host parameters.
pub const POLYSHADE_PURPOSE_HOST_PARAMS: u32 = 3;
/// The destination of blending: `number` is the location, and `index` the `InputAttachmentIndex`.
pub const POLYSHADE_PURPOSE_DESTINATION: u32 = 4;
/// The index buffer: that of the draw, or that of `POLYSHADE_TESSELLATION_TESSELLATE`.
pub const POLYSHADE_PURPOSE_INDICES: u32 = 5;
/// The table of `polyshade_segments_find`.
pub const POLYSHADE_PURPOSE_SEGMENTS: u32 = 6;
/// The spilled outputs of vertices, for a second pass: `polyshade_layout_outputs_size` bytes.
pub const POLYSHADE_PURPOSE_OUTPUTS: u32 = 7;
/// The outputs of the vertex stage, which the next stage loads: the buffer for the spilled outputs of its layout.
pub const POLYSHADE_PURPOSE_INPUTS: u32 = 8;
/// The table of counts of a geometry stage, or the table of tessellation.
pub const POLYSHADE_PURPOSE_COUNTS: u32 = 9;
/// The patches of tessellation.
pub const POLYSHADE_PURPOSE_PATCHES: u32 = 10;
/// The points of tessellated patches.
pub const POLYSHADE_PURPOSE_POINTS: u32 = 11;

/// A descriptor that the host binds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_descriptor {
    /// `sizeof(polyshade_descriptor)`
    pub size: u32,
    pub set: u32,
    pub binding: u32,
    /// `VkDescriptorType`
    pub descriptor_type: u32,
    /// `POLYSHADE_STAGE_…`
    pub stage: u32,
    /// `POLYSHADE_PURPOSE_…`
    pub purpose: u32,
    /// The number that `purpose` describes.
    pub number: u32,
    /// The `InputAttachmentIndex`, or `POLYSHADE_NONE`.
    pub index: u32,
}

versioned!(polyshade_descriptor, 32);

/// An extension.
pub const POLYSHADE_NEED_EXTENSION: u32 = 1;
/// A feature.
pub const POLYSHADE_NEED_FEATURE: u32 = 2;
/// A limit of at least `at_least`.
pub const POLYSHADE_NEED_LIMIT: u32 = 3;

/// A requirement on the device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_need {
    /// `sizeof(polyshade_need)`
    pub size: u32,
    /// `POLYSHADE_NEED_…`
    pub kind: u32,
    /// The minimum of a limit; else 0.
    pub at_least: u32,
    /// 0
    pub reserved: u32,
    /// Its name in Vulkan. It is valid as long as the result.
    pub name: *const c_char,
}

versioned!(polyshade_need, 16 + size_of::<usize>());

/// The data that a lowering returns for one module.
pub(crate) struct Report {
    pub(crate) module: Arc<polyshade_module>,
    pub(crate) is_changed: bool,
    pub(crate) kind: &'static Kind,
    pub(crate) entry: String,
    pub(crate) params: Vec<HostParams>,
    pub(crate) requirements: Requirements,
    pub(crate) result: Value,
}

/// The same data as C structs need it.
pub(crate) struct Output {
    report: Report,
    stage: Option<ExecutionModel>,
    variant: u32,
    step: u32,
    location: Option<u32>,
    layout: Option<Arc<polyshade_layout>>,
    words: Vec<HostParamText>,
    needs: Vec<(u32, CString, u32)>,
}

struct HostParamText {
    place: ParamSource,
    number: u32,
    name: CString,
    meaning: CString,
}

impl Output {
    pub(crate) fn new(report: Report) -> Self {
        let entries = report.module.module.entry_points();
        let stage = entries.filter(|entry| entry.name() == report.entry).map(|one| one.model());
        let stage = stage.last();
        let words = report.params.iter().flat_map(|group| {
            group.params.iter().zip(0..).map(|(word, number)| HostParamText {
                place: group.source,
                number,
                name: c_text(&word.name),
                meaning: c_text(&word.meaning),
            })
        });
        let (words, needs) = (words.collect(), needs(&report.requirements));
        Self { report, stage, variant: 0, step: 0, location: None, layout: None, words, needs }
    }

    pub(crate) fn variant(mut self, variant: u32) -> Self {
        self.variant = variant;
        self
    }

    pub(crate) fn step(mut self, step: u32) -> Self {
        self.step = step;
        self
    }

    pub(crate) fn location(mut self, location: Option<u32>) -> Self {
        self.location = location;
        self
    }

    pub(crate) fn layout(mut self, layout: Layout) -> Self {
        self.layout = Some(polyshade_layout::new(layout));
        self
    }

    fn describe(&self) -> polyshade_output {
        let requirements = &self.report.requirements;
        let push_constants = requirements.push_constants.clone().unwrap_or_default();
        polyshade_output {
            size: 0,
            stage: self.stage.map_or(0, stage_bit),
            variant: self.variant,
            is_changed: self.report.is_changed.into(),
            has_layout: self.layout.is_some().into(),
            host_param_count: self.words.len() as u32,
            descriptor_count: requirements.descriptors.len() as u32,
            need_count: self.needs.len() as u32,
            ordering: ordering(requirements.ordering),
            location: self.location.unwrap_or(POLYSHADE_NONE),
            push_constants_first: push_constants.start,
            push_constants_end: push_constants.end,
            step: self.step,
        }
    }

    /// Returns the output as JSON, like the reports of the program.
    fn to_json(&self) -> String {
        let kind = self.report.kind;
        let report = json!({
            "version": 4,
            "lowering": kind.name,
            "lowering_version": kind.version,
            "entry_point": self.report.entry,
            "stage": self.stage,
            "result": self.report.result,
            "params": self.report.params,
            "requirements": self.report.requirements,
        });
        report.to_string()
    }
}

fn needs(requirements: &Requirements) -> Vec<(u32, CString, u32)> {
    let extensions = requirements.extensions.iter().map(|one| one.name());
    let extensions = extensions.map(|name| (POLYSHADE_NEED_EXTENSION, c_text(name), 0));
    let features = requirements.features.iter().map(|one| one.name());
    let features = features.map(|name| (POLYSHADE_NEED_FEATURE, c_text(name), 0));
    let limits = requirements.limits.iter();
    let limits =
        limits.map(|(limit, at_least)| (POLYSHADE_NEED_LIMIT, c_text(limit.name()), *at_least));
    extensions.chain(features).chain(limits).collect()
}

fn ordering(ordering: Option<Ordering>) -> u32 {
    match ordering {
        None => POLYSHADE_ORDERING_NONE,
        Some(Ordering::AttachmentAccess) => POLYSHADE_ORDERING_ATTACHMENT_ACCESS,
        Some(Ordering::TileImage) => POLYSHADE_ORDERING_TILE_IMAGE,
        Some(Ordering::Interlock) => POLYSHADE_ORDERING_INTERLOCK,
        Some(Ordering::Copy) => POLYSHADE_ORDERING_COPY,
    }
}

fn descriptor(of: &Descriptor) -> polyshade_descriptor {
    let (purpose, number, index) = match of.purpose {
        Purpose::Feedback(number) => (POLYSHADE_PURPOSE_FEEDBACK, number, None),
        Purpose::VertexBuffer(number) => (POLYSHADE_PURPOSE_VERTEX_BUFFER, number, None),
        Purpose::HostParams => (POLYSHADE_PURPOSE_HOST_PARAMS, 0, None),
        Purpose::Indices => (POLYSHADE_PURPOSE_INDICES, 0, None),
        Purpose::Segments => (POLYSHADE_PURPOSE_SEGMENTS, 0, None),
        Purpose::Outputs => (POLYSHADE_PURPOSE_OUTPUTS, 0, None),
        Purpose::Inputs => (POLYSHADE_PURPOSE_INPUTS, 0, None),
        Purpose::Counts => (POLYSHADE_PURPOSE_COUNTS, 0, None),
        Purpose::Patches => (POLYSHADE_PURPOSE_PATCHES, 0, None),
        Purpose::Points => (POLYSHADE_PURPOSE_POINTS, 0, None),
        Purpose::Destination { location, index } => {
            (POLYSHADE_PURPOSE_DESTINATION, location, index)
        }
        _ => (POLYSHADE_NONE, 0, None),
    };
    polyshade_descriptor {
        size: 0,
        set: of.set.0,
        binding: of.binding.0,
        descriptor_type: descriptor_type(of.kind),
        stage: stage_bit(of.stage),
        purpose,
        number,
        index: index.unwrap_or(POLYSHADE_NONE),
    }
}

fn output<'r>(result: *const polyshade_result, number: u32) -> Result<&'r Output, Failure> {
    element(&ffi::handle(result, "result")?.outputs, number, "output")
}

/// Increments the reference count of a result, and returns the result. NULL returns NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_retain(
    result: *mut polyshade_result,
) -> *mut polyshade_result {
    ffi::retain(result);
    result
}

/// Decrements the reference count of a result, and frees the result with the last reference. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_release(result: *mut polyshade_result) {
    guard_value((), || ffi::release(result));
}

/// Returns the number of outputs of a result; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_count(result: *const polyshade_result) -> u32 {
    guard_value(0, || ffi::handle(result, "result").map_or(0, |result| result.outputs.len() as u32))
}

/// Describes an output in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_output(
    result: *const polyshade_result,
    index: u32,
    info: *mut polyshade_output,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || ffi::answer(info, output(result, index)?.describe()))
}

/// Returns the module of an output. The caller must release `*module`; it is NULL on failure, and outlives the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_module(
    result: *const polyshade_result,
    index: u32,
    module: *mut *mut polyshade_module,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::clear_out(module, "module")?;
        ffi::hand_out(module, output(result, index)?.report.module.clone());
        Ok(())
    })
}

/// Returns the layout of an output. The caller must release `*layout`; it is NULL on failure, and outlives the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_layout(
    result: *const polyshade_result,
    index: u32,
    layout: *mut *mut polyshade_layout,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::clear_out(layout, "layout")?;
        let found = output(result, index)?.layout.clone();
        let none = || Failure::new(&code::C_API_NOT_FOUND, "the output captures nothing");
        ffi::hand_out(layout, found.ok_or_else(none)?);
        Ok(())
    })
}

/// Copies the words of an output's module to `buffer`. `*word_count` is the capacity of `buffer`, and becomes the
/// number of words. If `buffer` is NULL, only the number is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_copy_words(
    result: *const polyshade_result,
    index: u32,
    buffer: *mut u32,
    word_count: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::fill(output(result, index)?.report.module.module.words(), buffer, word_count)
    })
}

/// Describes a host parameter in `*word`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_host_param(
    result: *const polyshade_result,
    output_index: u32,
    index: u32,
    word: *mut polyshade_host_param,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let found = element(&output(result, output_index)?.words, index, "parameter")?;
        let described = polyshade_host_param {
            size: 0,
            number: found.number,
            source: polyshade_param_source::of(found.place),
            name: found.name.as_ptr(),
            meaning: found.meaning.as_ptr(),
        };
        ffi::answer(word, described)
    })
}

/// Describes a descriptor that the host binds in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_descriptor(
    result: *const polyshade_result,
    output_index: u32,
    index: u32,
    info: *mut polyshade_descriptor,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let all = &output(result, output_index)?.report.requirements.descriptors;
        ffi::answer(info, descriptor(element(all, index, "descriptor")?))
    })
}

/// Describes an extension, feature or limit that the device must have in `*need`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_need(
    result: *const polyshade_result,
    output_index: u32,
    index: u32,
    need: *mut polyshade_need,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let all = &output(result, output_index)?.needs;
        let (kind, name, at_least) = element(all, index, "requirement")?;
        let described = polyshade_need {
            size: 0,
            kind: *kind,
            at_least: *at_least,
            reserved: 0,
            name: name.as_ptr(),
        };
        ffi::answer(need, described)
    })
}

/// Writes an output as JSON, as in the program's reports, to `buffer`. `*length` is the capacity of `buffer`, and
/// becomes the length of the text with its terminating zero. If `buffer` is NULL, only the length is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_result_json(
    result: *const polyshade_result,
    index: u32,
    buffer: *mut c_char,
    length: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || ffi::fill_text(&output(result, index)?.to_json(), buffer, length))
}
