//! Capture layouts: where varyings are stored, the host parameters of a draw, and the numbers of its primitives. A
//! layout does not need its module: it can be saved next to the SPIR-V and loaded without it.

use crate::code;
use crate::draw::{self, polyshade_draw, polyshade_range};
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, POLYSHADE_NONE, c_text, element, polyshade_status};
use crate::ffi::{self, versioned};
use polyshade::transform_feedback::{BufferLayout, Layout, MAX_BUFFERS, MAX_STRIDE};
use serde::{Deserialize, Serialize};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// A capture layout: where varyings are stored. It is immutable, and any number of threads may use it at once.
pub struct polyshade_layout {
    pub(crate) layout: Layout,
    names: Vec<Vec<CString>>,
}

/// A description of a layout.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_layout_info {
    /// `sizeof(polyshade_layout_info)`
    pub size: u32,
    /// The number of feedback buffers.
    pub buffer_count: u32,
    /// The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`.
    pub topologies: u32,
    /// Whether feedback buffers may be unbound.
    pub takes_unbound: u32,
    /// Whether the stage is a compute stage, which the host dispatches.
    pub is_dispatched: u32,
    /// The size in bytes of the spilled outputs of one vertex; 0 if outputs are not spilled.
    pub outputs_stride: u32,
    /// The topology of the primitives that a geometry stage or tessellation emits: `POLYSHADE_TOPOLOGY_…`, a list.
    /// `POLYSHADE_NONE` for a vertex stage, and for a control stage that does not state the domain.
    pub emitted_topology: u32,
    /// Whether a geometry stage needs the steps that count, and the table of counts.
    pub needs_counts: u32,
    /// For a geometry stage that emits constant numbers of primitives: the number that all its invocations together
    /// emit to each vertex stream for one input primitive. Otherwise 0.
    pub primitives_per_input: [u32; 4],
    /// The size in bytes of a patch of tessellation; 0 without tessellation.
    pub patch_stride: u32,
    /// For a geometry stage that stores its primitives sparsely: the maximum number of primitives that all its
    /// invocations together emit to each vertex stream for one input primitive. Otherwise 0.
    pub sparse_primitives: [u32; 4],
    /// The number of invocations of a geometry stage for each input primitive; 1 for other stages.
    pub invocations_per_input: u32,
}

versioned!(polyshade_layout_info, 16);

/// The contents of one feedback buffer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_buffer_layout {
    /// `sizeof(polyshade_buffer_layout)`
    pub size: u32,
    /// The bytes from one vertex to the next.
    pub stride: u32,
    /// The bytes from the start of a vertex to the end of its last captured varying, or 0.
    pub data: u32,
    /// The number of captured varyings.
    pub captured_count: u32,
    /// The vertex stream that the buffer captures; 0 without a geometry stage.
    pub stream: u32,
}

versioned!(polyshade_buffer_layout, 16);

/// One captured varying.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_captured {
    /// `sizeof(polyshade_captured)`
    pub size: u32,
    /// The bytes from the start of the vertex.
    pub offset: u32,
    /// The number of 32-bit components; a 64-bit component counts as two.
    pub components: u32,
    /// 0
    pub reserved: u32,
    /// The name by which the options requested it. It is valid as long as the layout.
    pub name: *const c_char,
}

versioned!(polyshade_captured, 16 + size_of::<usize>());

/// The saved form of a layout.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    /// `polyshade-layout`
    format: String,
    /// 1
    version: u32,
    layout: Layout,
}

const FORMAT: &str = "polyshade-layout";
const VERSION: u32 = 1;

/// The largest size of a saved layout, in bytes.
const MAX_SAVED: usize = 1 << 20;

impl polyshade_layout {
    pub(crate) fn new(layout: Layout) -> Arc<Self> {
        let names = |buffer: &BufferLayout| {
            buffer.captured.iter().map(|captured| c_text(&captured.name)).collect()
        };
        let names = layout.buffers.iter().map(names).collect();
        Arc::new(Self { layout, names })
    }

    fn buffer(&self, number: u32) -> Result<&BufferLayout, Failure> {
        element(&self.layout.buffers, number, "feedback buffer")
    }
}

/// Checks a layout that was read from text, before anything is computed from it.
fn check(layout: &Layout) -> Result<(), Failure> {
    let refuse = |why: String| Err(Failure::new(&code::C_API_LAYOUT, why));
    if layout.buffers.len() > MAX_BUFFERS {
        return refuse(format!("the layout has {} buffers", layout.buffers.len()));
    }
    let spilled = layout.outputs_stride();
    if spilled > MAX_STRIDE || !spilled.is_multiple_of(4) {
        return refuse(format!("the stride of the spilled outputs is {spilled}"));
    }
    if !layout.patch_stride().is_multiple_of(4) {
        return refuse(format!("the size of a patch is {}", layout.patch_stride()));
    }
    for (number, buffer) in layout.buffers.iter().enumerate() {
        let BufferLayout { stride, data, captured } = buffer;
        if *stride > MAX_STRIDE || !stride.is_multiple_of(4) {
            return refuse(format!("the stride of buffer {number} is {stride}"));
        }
        // The number of vertices that fit is computed from the stride.
        if *data > *stride || *stride == 0 && !captured.is_empty() {
            return refuse(format!(
                "buffer {number} has {data} bytes of data in a stride of {stride}"
            ));
        }
    }
    Ok(())
}

/// Increments the reference count of a layout, and returns the layout. NULL returns NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_retain(
    layout: *mut polyshade_layout,
) -> *mut polyshade_layout {
    ffi::retain(layout);
    layout
}

/// Decrements the reference count of a layout, and frees the layout with the last reference. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_release(layout: *mut polyshade_layout) {
    guard_value((), || ffi::release(layout));
}

/// Saves a layout as bytes to `buffer`, for any machine and for later versions of the library. `*byte_count` is the
/// capacity of `buffer`, and becomes the number of bytes. If `buffer` is NULL, only the number is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_save(
    layout: *const polyshade_layout,
    buffer: *mut u8,
    byte_count: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = ffi::handle(layout, "layout")?.layout.clone();
        let saved = Saved { format: FORMAT.to_owned(), version: VERSION, layout };
        let bytes = serde_json::to_vec(&saved).expect("all keys are strings");
        ffi::fill(&bytes, buffer, byte_count)
    })
}

/// Loads a layout from the bytes of a `polyshade_layout_save` call. The caller must release `*layout`; it is NULL on
/// failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_load(
    bytes: *const u8,
    byte_count: usize,
    layout: *mut *mut polyshade_layout,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::clear_out(layout, "layout")?;
        if byte_count > MAX_SAVED {
            let message = format!("{byte_count} bytes are too many for a layout");
            return Err(Failure::argument(message));
        }
        let bytes = ffi::slice(bytes, byte_count, "bytes")?;
        let saved: Saved =
            serde_json::from_slice(bytes).map_err(|error| Failure::json("the layout", &error))?;
        if (saved.format.as_str(), saved.version) != (FORMAT, VERSION) {
            let message =
                format!("the format is {} {}, not {FORMAT} 1", saved.format, saved.version);
            return Err(Failure::new(&code::C_API_LAYOUT, message));
        }
        check(&saved.layout)?;
        ffi::hand_out(layout, polyshade_layout::new(saved.layout));
        Ok(())
    })
}

/// Describes a layout in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_describe(
    layout: *const polyshade_layout,
    info: *mut polyshade_layout_info,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        let described = polyshade_layout_info {
            size: 0,
            buffer_count: layout.buffers.len() as u32,
            topologies: draw::topology_bits(layout.topologies()),
            takes_unbound: layout.takes_unbound_buffers().into(),
            is_dispatched: layout.is_dispatched().into(),
            outputs_stride: layout.outputs_stride(),
            emitted_topology: layout
                .emitted_topology()
                .map_or(POLYSHADE_NONE, draw::topology_number),
            needs_counts: layout.needs_counts().into(),
            primitives_per_input: layout.primitives_per_input().unwrap_or_default(),
            patch_stride: layout.patch_stride(),
            sparse_primitives: layout.sparse_primitives().unwrap_or_default(),
            invocations_per_input: layout.invocations_per_input(),
        };
        ffi::answer(info, described)
    })
}

/// Describes a feedback buffer in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_buffer(
    layout: *const polyshade_layout,
    buffer: u32,
    info: *mut polyshade_buffer_layout,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let (layout, number) = (ffi::handle(layout, "layout")?, buffer);
        let buffer = layout.buffer(number)?;
        let described = polyshade_buffer_layout {
            size: 0,
            stride: buffer.stride,
            data: buffer.data,
            captured_count: buffer.captured.len() as u32,
            stream: layout.layout.stream(number as usize),
        };
        ffi::answer(info, described)
    })
}

/// Describes a captured varying of a feedback buffer in `*captured`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_captured(
    layout: *const polyshade_layout,
    buffer: u32,
    index: u32,
    captured: *mut polyshade_captured,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = ffi::handle(layout, "layout")?;
        let found = element(&layout.buffer(buffer)?.captured, index, "captured varying")?;
        let described = polyshade_captured {
            size: 0,
            offset: found.offset,
            components: found.components,
            reserved: 0,
            name: layout.names[buffer as usize][index as usize].as_ptr(),
        };
        ffi::answer(captured, described)
    })
}

/// Writes the host parameters of a draw that captures into `ranges`, one for each feedback buffer, to `buffer`. For a
/// geometry stage with `sparse_primitives`, the range of the table of counts follows those of the buffers.
/// `*word_count` is the capacity of `buffer`, and becomes the number of parameters. If `buffer` is NULL, only the
/// number is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_host_params(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    ranges: *const polyshade_range,
    range_count: usize,
    buffer: *mut u32,
    word_count: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        let (draw, ranges) = (draw::read(draw)?, draw::ranges(ranges, range_count)?);
        ffi::fill(&layout.host_params(&draw, &ranges)?, buffer, word_count)
    })
}

/// Writes the numbers of work groups in x, y and z of the dispatch that captures a draw. A work group has
/// `POLYSHADE_WORK_GROUP_SIZE` × 1 × 1 invocations. Returns `POLYSHADE_ERROR_OPTIONS` if the variants are drawn, not
/// dispatched, or were not made for such a draw.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_work_groups(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    groups: *mut [u32; 3],
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        ffi::set(groups, layout.work_groups(&draw::read(draw)?)?, "groups")
    })
}

/// Writes the size in bytes of the buffer for the spilled outputs of a draw. Returns `POLYSHADE_ERROR_OPTIONS` if the
/// variants were made without `POLYSHADE_CAPTURE_SPILL_OUTPUTS` or not for such a draw.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_outputs_size(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    size: *mut u64,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        ffi::set(size, layout.outputs_size(&draw::read(draw)?)?, "size")
    })
}

/// Writes the number of primitives of a draw that fit into all ranges, and are stored, to `*written`, and the number
/// of all its primitives to `*generated`. Either pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_primitives(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    ranges: *const polyshade_range,
    range_count: usize,
    written: *mut u64,
    generated: *mut u64,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        let (draw, ranges) = (draw::read(draw)?, draw::ranges(ranges, range_count)?);
        let fitting = layout.primitives_written(&draw, &ranges)?;
        if !written.is_null() {
            ffi::set(written, fitting, "written")?;
        }
        if !generated.is_null() {
            ffi::set(generated, draw.primitives(), "generated")?;
        }
        Ok(())
    })
}

/// Advances the counters (`counter`) of the `range_count` elements of `ranges` by the bytes that a draw stores. If
/// the call fails, the counters do not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_advance(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    ranges: *mut polyshade_range,
    range_count: usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        let (draw, given) = (draw::read(draw)?, draw::ranges(ranges, range_count)?);
        draw::replace(ranges, layout.advance(&draw, &given)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<(), Failure> {
        let saved: Saved =
            serde_json::from_str(text).map_err(|error| Failure::json("it", &error))?;
        check(&saved.layout)
    }

    fn saved(buffers: &str) -> String {
        format!(r#"{{"format":"x","version":1,"layout":{{"buffers":[{buffers}]}}}}"#)
    }

    #[test]
    fn layouts_that_say_nonsense_are_refused() {
        let captured = r#"[{"name":"v","offset":0,"components":4}]"#;
        let buffer = |stride: u32, data: u32, captured: &str| {
            format!(r#"{{"stride":{stride},"data":{data},"captured":{captured}}}"#)
        };
        load(&saved(&buffer(16, 16, captured))).expect("it holds");
        load(&saved(&buffer(16, 0, "[]"))).expect("a buffer may hold nothing");
        for buffers in [
            buffer(0, 0, captured),
            buffer(12, 16, captured),
            buffer(18, 16, captured),
            buffer(65_540, 16, captured),
            [(); 5].map(|()| buffer(16, 16, captured)).join(","),
        ] {
            load(&saved(&buffers)).expect_err(&buffers);
        }
        for stride in [6, 65_540] {
            let text = saved("").replace("[]", &format!("[],\"outputs_stride\":{stride}"));
            load(&text).expect_err("the stride is wrong");
        }
    }
}
