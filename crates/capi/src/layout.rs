//! Capture layouts without their modules: what is stored where, what the host fills in for a draw, and what the draw
//! comes to. They are saved beside the SPIR-V, and loaded without it.

use crate::border::{self, versioned};
use crate::code;
use crate::draw::{self, polyshade_draw, polyshade_range};
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, c_text, missing, polyshade_status};
use polyshade::transform_feedback::{BufferLayout, Layout, MAX_BUFFERS, MAX_STRIDE};
use serde::{Deserialize, Serialize};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// What is captured where. It never changes, and any number of threads may use it at once.
pub struct polyshade_layout {
    layout: Layout,
    names: Vec<Vec<CString>>,
}

/// What a layout is like.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_layout_info {
    /// `sizeof(polyshade_layout_info)`
    pub size: u32,
    /// How many feedback buffers there are.
    pub buffer_count: u32,
    /// The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`.
    pub topologies: u32,
    /// Whether buffers may be unbound.
    pub takes_unbound: u32,
}

versioned!(polyshade_layout_info, 16);

/// What one feedback buffer holds for each vertex.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_buffer_layout {
    /// `sizeof(polyshade_buffer_layout)`
    pub size: u32,
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// Bytes of a vertex that are stored or lie before what is: 0 where nothing is.
    pub data: u32,
    /// How many varyings are stored.
    pub captured_count: u32,
}

versioned!(polyshade_buffer_layout, 16);

/// One captured varying.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_captured {
    /// `sizeof(polyshade_captured)`
    pub size: u32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    /// How many 32-bit components; one of 64 bits counts as two.
    pub components: u32,
    /// 0
    pub reserved: u32,
    /// What it was asked for by. It lives as long as the layout.
    pub name: *const c_char,
}

versioned!(polyshade_captured, 16 + size_of::<usize>());

/// A layout as it is saved.
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

/// The most bytes that a saved layout has.
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
        let found = self.layout.buffers.get(number as usize);
        found.ok_or_else(|| missing("feedback buffer", number))
    }
}

/// What is said of a layout must hold before anything is computed of it, as text can say anything.
fn check(layout: &Layout) -> Result<(), Failure> {
    let refuse = |why: String| Err(Failure::new(&code::C_API_LAYOUT, why));
    if layout.buffers.len() > MAX_BUFFERS {
        return refuse(format!("the layout has {} buffers", layout.buffers.len()));
    }
    for (number, buffer) in layout.buffers.iter().enumerate() {
        let BufferLayout { stride, data, captured } = buffer;
        if *stride > MAX_STRIDE || !stride.is_multiple_of(4) {
            return refuse(format!("the stride of buffer {number} is {stride}"));
        }
        // How many vertices fit is computed by the stride.
        if *data > *stride || *stride == 0 && !captured.is_empty() {
            return refuse(format!("of buffer {number}, {data} bytes are data of {stride}"));
        }
    }
    Ok(())
}

/// Counts one holder more, and gives the layout back. NULL stays NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_retain(
    layout: *mut polyshade_layout,
) -> *mut polyshade_layout {
    border::retain(layout);
    layout
}

/// Counts one holder less; behind the last one the layout is freed. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_release(layout: *mut polyshade_layout) {
    guard_value((), || border::release(layout));
}

/// Saves a layout as bytes, for any machine and for later versions of the library. Where `buffer` is NULL,
/// `*byte_count` becomes their number; else it says how many `buffer` holds, and becomes how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_save(
    layout: *const polyshade_layout,
    buffer: *mut u8,
    byte_count: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = border::handle(layout, "layout")?.layout.clone();
        let saved = Saved { format: FORMAT.to_owned(), version: VERSION, layout };
        let bytes = serde_json::to_vec(&saved).expect("a layout has no keys but strings");
        border::fill(&bytes, buffer, byte_count)
    })
}

/// Loads what was saved. `*layout` has to be released; it is NULL where the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_load(
    bytes: *const u8,
    byte_count: usize,
    layout: *mut *mut polyshade_layout,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        border::clear_out(layout, "layout")?;
        if byte_count > MAX_SAVED {
            let message = format!("{byte_count} bytes are more than a layout has");
            return Err(Failure::argument(message));
        }
        let bytes = border::slice(bytes, byte_count, "bytes")?;
        let saved: Saved =
            serde_json::from_slice(bytes).map_err(|error| Failure::json("the layout", &error))?;
        if (saved.format.as_str(), saved.version) != (FORMAT, VERSION) {
            let message = format!("it is {} {}, not {FORMAT} 1", saved.format, saved.version);
            return Err(Failure::new(&code::C_API_LAYOUT, message));
        }
        check(&saved.layout)?;
        border::hand_out(layout, polyshade_layout::new(saved.layout));
        Ok(())
    })
}

/// Says what a layout is like.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_describe(
    layout: *const polyshade_layout,
    info: *mut polyshade_layout_info,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &border::handle(layout, "layout")?.layout;
        border::answer(
            info,
            polyshade_layout_info {
                size: 0,
                buffer_count: layout.buffers.len() as u32,
                topologies: draw::topology_bits(layout.topologies()),
                takes_unbound: layout.takes_unbound_buffers().into(),
            },
        )
    })
}

/// Says what a feedback buffer holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_buffer(
    layout: *const polyshade_layout,
    buffer: u32,
    info: *mut polyshade_buffer_layout,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let buffer = border::handle(layout, "layout")?.buffer(buffer)?;
        border::answer(
            info,
            polyshade_buffer_layout {
                size: 0,
                stride: buffer.stride,
                data: buffer.data,
                captured_count: buffer.captured.len() as u32,
            },
        )
    })
}

/// Says where a varying of a feedback buffer is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_captured(
    layout: *const polyshade_layout,
    buffer: u32,
    index: u32,
    captured: *mut polyshade_captured,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = border::handle(layout, "layout")?;
        let found = layout.buffer(buffer)?.captured.get(index as usize);
        let found = found.ok_or_else(|| missing("captured varying", index))?;
        border::answer(
            captured,
            polyshade_captured {
                size: 0,
                offset: found.offset,
                components: found.components,
                reserved: 0,
                name: layout.names[buffer as usize][index as usize].as_ptr(),
            },
        )
    })
}

/// Fills in the host parameters for a draw that captures into `ranges`, one for each feedback buffer. Where
/// `buffer` is NULL, `*word_count` becomes their number; else it says how many `buffer` holds, and becomes how many
/// there are.
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
        let layout = &border::handle(layout, "layout")?.layout;
        let (draw, ranges) = (draw::read(draw)?, draw::ranges(ranges, range_count)?);
        border::fill(&layout.host_params(&draw, &ranges)?, buffer, word_count)
    })
}

/// Says how many work groups, in x, y and z, of `POLYSHADE_WORK_GROUP_SIZE` × 1 × 1 invocations each, the dispatch has
/// that captures a draw. `POLYSHADE_ERROR_OPTIONS`: the variants are drawn, not dispatched, or the draw is none of
/// those that they were made for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_work_groups(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    groups: *mut [u32; 3],
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &border::handle(layout, "layout")?.layout;
        border::set(groups, layout.work_groups(&draw::read(draw)?)?, "groups")
    })
}

/// The size in bytes of the buffer for the outputs of a draw. `POLYSHADE_ERROR_OPTIONS`: the
/// variants were not made with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`, or the draw is none of those that they were made for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_outputs_size(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    size: *mut u64,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &border::handle(layout, "layout")?.layout;
        border::set(size, layout.outputs_size(&draw::read(draw)?)?, "size")
    })
}

/// Says how many primitives of a draw fit into all ranges and are stored. Either pointer may be NULL: `*generated`
/// becomes how many the draw has.
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
        let layout = &border::handle(layout, "layout")?.layout;
        let (draw, ranges) = (draw::read(draw)?, draw::ranges(ranges, range_count)?);
        let fitting = layout.primitives_written(&draw, &ranges)?;
        if !written.is_null() {
            border::set(written, fitting, "written")?;
        }
        if !generated.is_null() {
            border::set(generated, draw.primitives(), "generated")?;
        }
        Ok(())
    })
}

/// Moves the counters of `ranges`, `range_count` of them, on by what a draw stores. Where the call fails they stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_advance(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    ranges: *mut polyshade_range,
    range_count: usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &border::handle(layout, "layout")?.layout;
        let (draw, given) = (draw::read(draw)?, draw::ranges(ranges, range_count)?);
        let advanced = layout.advance(&draw, &given)?.into_iter().map(draw::write);
        let (advanced, mut count) = (advanced.collect::<Vec<_>>(), range_count);
        if advanced.is_empty() {
            return Ok(());
        }
        border::fill(&advanced, ranges, &raw mut count)
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
    }
}
