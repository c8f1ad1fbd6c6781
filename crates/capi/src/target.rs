//! Targets of lowerings: the entry point, the reserved resources and the device.

use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi::{self, versioned};
use crate::place::{check_flags, stage};
use polyshade::host::{Binding, Device, Reserved, Set, Target, TransformFeedback};
use std::ffi::c_char;

/// The lowering gives no names to the objects that it adds.
pub const POLYSHADE_TARGET_WITHOUT_NAMES: u32 = 1;

/// A binding of a descriptor set. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_binding {
    pub set: u32,
    pub binding: u32,
}

/// The range of numbers from `first` to before `end`. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_span {
    pub first: u32,
    pub end: u32,
}

/// The features and limits of a device. `polyshade_device_defaults` writes the minimum of every Vulkan device. A
/// member that is set to 0 afterwards means 0, not the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_device {
    /// `sizeof(polyshade_device)`
    pub size: u32,
    /// `maxVertexOutputComponents`, or the corresponding limit of the lowered stage.
    pub output_components: u32,
    /// `maxClipDistances`
    pub max_clip_distances: u32,
    /// `maxCullDistances`
    pub max_cull_distances: u32,
    /// `maxCombinedClipAndCullDistances`
    pub max_combined_distances: u32,
    /// `maxGeometryOutputVertices`
    pub max_geometry_vertices: u32,
    /// `maxGeometryOutputComponents`
    pub max_geometry_components: u32,
    /// `maxGeometryTotalOutputComponents`
    pub max_geometry_total: u32,
    /// Whether the device has `VK_EXT_transform_feedback`; the following members are its limits.
    pub has_transform_feedback: u32,
    /// `maxTransformFeedbackStreams`
    pub max_streams: u32,
    /// `maxTransformFeedbackBuffers`
    pub max_buffers: u32,
    /// `maxTransformFeedbackStreamDataSize`
    pub max_stream_data: u32,
    /// `maxTransformFeedbackBufferDataSize`
    pub max_buffer_data: u32,
    /// `maxTransformFeedbackBufferDataStride`
    pub max_stride: u32,
    /// `maxTransformFeedbackBufferSize`
    pub max_buffer_size: u64,
    /// `transformFeedbackQueries`
    pub has_queries: u32,
    /// `transformFeedbackDraw`
    pub has_draw: u32,
    /// `geometryStreams`
    pub has_geometry_streams: u32,
    /// `transformFeedbackStreamsLinesTriangles`
    pub has_streams_lines_triangles: u32,
}

versioned!(polyshade_device, 80);

/// The entry point to lower, the resources to leave free, and the device. A struct of zeros, except for `size`, means
/// the entry point `main` of the only stage that has it, nothing reserved, and any Vulkan device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_target {
    /// `sizeof(polyshade_target)`
    pub size: u32,
    /// `POLYSHADE_TARGET_…`
    pub flags: u32,
    /// The name of the entry point; NULL means `main`.
    pub entry: *const c_char,
    /// `POLYSHADE_STAGE_…`; 0 means the only stage that has the entry point.
    pub stage: u32,
    /// Added instructions use no ids less than this.
    pub ids_below: u32,
    /// The descriptor sets to leave free.
    pub sets: *const u32,
    pub set_count: usize,
    /// The bindings to leave free.
    pub bindings: *const polyshade_binding,
    pub binding_count: usize,
    /// The locations to leave free.
    pub locations: *const u32,
    pub location_count: usize,
    /// The ids of specialization constants to leave free.
    pub constants: *const u32,
    pub constant_count: usize,
    /// The bytes of the push constants to leave free.
    pub push_constants: *const polyshade_span,
    pub push_constant_count: usize,
    /// The device; NULL means the minimum of every Vulkan device.
    pub device: *const polyshade_device,
}

versioned!(polyshade_target, 16 + 12 * size_of::<usize>());

/// The largest number of reserved resources of one kind.
const MAX_RESERVED: usize = 65_536;

/// Writes the minimum of every Vulkan device, without transform feedback, to `*device`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_device_defaults(
    device: *mut polyshade_device,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || ffi::answer(device, defaults()))
}

fn defaults() -> polyshade_device {
    let (device, feedback) = (Device::default(), TransformFeedback::default());
    polyshade_device {
        size: 0,
        output_components: device.output_components,
        max_clip_distances: device.max_clip_distances,
        max_cull_distances: device.max_cull_distances,
        max_combined_distances: device.max_combined_distances,
        max_geometry_vertices: device.max_geometry_vertices,
        max_geometry_components: device.max_geometry_components,
        max_geometry_total: device.max_geometry_total,
        has_transform_feedback: device.transform_feedback.is_some().into(),
        max_streams: feedback.max_streams,
        max_buffers: feedback.max_buffers,
        max_stream_data: feedback.max_stream_data,
        max_buffer_data: feedback.max_buffer_data,
        max_stride: feedback.max_stride,
        max_buffer_size: feedback.max_buffer_size,
        has_queries: feedback.queries.into(),
        has_draw: feedback.draw.into(),
        has_geometry_streams: feedback.geometry_streams.into(),
        has_streams_lines_triangles: feedback.streams_lines_triangles.into(),
    }
}

fn device(given: &polyshade_device) -> Device {
    let mut device = Device::default();
    device.output_components = given.output_components;
    device.max_clip_distances = given.max_clip_distances;
    device.max_cull_distances = given.max_cull_distances;
    device.max_combined_distances = given.max_combined_distances;
    device.max_geometry_vertices = given.max_geometry_vertices;
    device.max_geometry_components = given.max_geometry_components;
    device.max_geometry_total = given.max_geometry_total;
    device.transform_feedback = (given.has_transform_feedback != 0).then_some(TransformFeedback {
        max_streams: given.max_streams,
        max_buffers: given.max_buffers,
        max_buffer_size: given.max_buffer_size,
        max_stream_data: given.max_stream_data,
        max_buffer_data: given.max_buffer_data,
        max_stride: given.max_stride,
        queries: given.has_queries != 0,
        draw: given.has_draw != 0,
        geometry_streams: given.has_geometry_streams != 0,
        streams_lines_triangles: given.has_streams_lines_triangles != 0,
    });
    device
}

/// Reads the caller's target. NULL means a struct of zeros.
pub(crate) fn read(at: *const polyshade_target) -> Result<Target, Failure> {
    let Some(given) = ffi::get_optional(at)? else { return Ok(Target::new("main")) };
    check_flags(given.flags, POLYSHADE_TARGET_WITHOUT_NAMES, "the target")?;
    let entry = ffi::optional_text(given.entry, "the entry point")?.unwrap_or("main");
    let mut target = Target::new(entry).reserved(reserved(&given)?);
    target = target.names(given.flags & POLYSHADE_TARGET_WITHOUT_NAMES == 0);
    if let Some(model) = stage(given.stage)? {
        target = target.stage(model);
    }
    if !given.device.is_null() {
        target = target.device(device(&ffi::get_over(given.device, defaults())?));
    }
    Ok(target)
}

fn reserved(given: &polyshade_target) -> Result<Reserved, Failure> {
    let mut reserved = Reserved::new().ids_below(given.ids_below);
    for set in few(given.sets, given.set_count, "the reserved sets")? {
        reserved = reserved.set(Set(*set));
    }
    for one in few(given.bindings, given.binding_count, "the reserved bindings")? {
        reserved = reserved.binding(Set(one.set), Binding(one.binding));
    }
    for location in few(given.locations, given.location_count, "the reserved locations")? {
        reserved = reserved.location(*location);
    }
    for id in few(given.constants, given.constant_count, "the reserved constants")? {
        reserved = reserved.specialization(*id);
    }
    let spans = few(given.push_constants, given.push_constant_count, "the reserved bytes")?;
    for polyshade_span { first, end } in spans {
        reserved = reserved.push_constants(*first..*end);
    }
    Ok(reserved)
}

/// Borrows an array of the caller, and refuses a count so large that it must be a mistake.
fn few<'a, T: Copy>(at: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    if count > MAX_RESERVED {
        return Err(Failure::argument(format!("{what} are {count}, more than {MAX_RESERVED}")));
    }
    ffi::slice(at, count, what)
}
