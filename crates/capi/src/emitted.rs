//! Sizes, primitives and counters of draws whose primitives a geometry stage or tessellation emits.

use crate::draw::{self, polyshade_draw, polyshade_range};
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi::{self, versioned};
use crate::layout::polyshade_layout;
use polyshade::Error;
use polyshade::code;
use polyshade::transform_feedback::Layout;

/// The offset in the table of counts of the numbers of primitives that a geometry stage has emitted: four 32-bit
/// integers, one for each vertex stream. A `VkDrawIndirectCommand` is at the start of the table.
pub const POLYSHADE_COUNTS_EMITTED_OFFSET: u32 = 16;
/// The offset in the table of tessellation of the `VkDispatchIndirectCommand` of a compute stage with one invocation
/// for each index. A `VkDrawIndexedIndirectCommand` is at the start of the table.
pub const POLYSHADE_TESSELLATION_DISPATCH_OFFSET: u32 = 20;
/// The offset in the table of tessellation of the numbers of points and of indices that the draw needs: two 32-bit
/// integers, 2^32 - 1 at most.
pub const POLYSHADE_TESSELLATION_NEEDED_OFFSET: u32 = 36;

// The header needs literal numbers.
const _: () = assert!(POLYSHADE_COUNTS_EMITTED_OFFSET == Layout::EMITTED_OFFSET);
const _: () = assert!(POLYSHADE_TESSELLATION_DISPATCH_OFFSET == Layout::DISPATCH_OFFSET);
const _: () = assert!(POLYSHADE_TESSELLATION_NEEDED_OFFSET == Layout::NEEDED_OFFSET);

/// The number of vertex streams.
const STREAMS: u32 = 4;

/// The sizes of the buffers of tessellation, in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_tessellation_sizes {
    /// `sizeof(polyshade_tessellation_sizes)`
    pub size: u32,
    /// 0
    pub reserved: u32,
    /// The buffer with the purpose `POLYSHADE_PURPOSE_PATCHES`.
    pub patches: u64,
    /// The buffer with the purpose `POLYSHADE_PURPOSE_COUNTS`.
    pub table: u64,
    /// The buffer with the purpose `POLYSHADE_PURPOSE_POINTS`. With a smaller one, fewer patches are drawn.
    pub points: u64,
    /// The buffer with the purpose `POLYSHADE_PURPOSE_INDICES`. With a smaller one, fewer patches are drawn.
    pub indices: u64,
}

versioned!(polyshade_tessellation_sizes, 40);

/// Writes the size in bytes of the table of counts of a geometry stage for a draw; 0 if there is no table. Returns
/// `POLYSHADE_ERROR_OPTIONS` if the stage was not made for such a draw.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_counts_size(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    size: *mut u64,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        ffi::set(size, layout.counts_size(&draw::read(draw)?)?, "size")
    })
}

/// Writes the numbers of primitives that a draw with a geometry stage emits to the four vertex streams to the four
/// elements of `emitted`, 2^32 - 1 at most. Returns `POLYSHADE_ERROR_UNSUPPORTED` if only the device knows them: then
/// the table of counts has them (`needs_counts`), or the number of each invocation (`sparse_primitives`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_emitted(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    emitted: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        let found = layout.primitives_emitted(&draw::read(draw)?)?;
        let unknown = || {
            let message = "the draw does not state how many primitives are emitted";
            Error::new(&code::GEOMETRY_UNKNOWN_COUNT, message)
        };
        ffi::set(emitted.cast::<[u32; 4]>(), found.ok_or_else(unknown)?, "emitted")
    })
}

/// Writes the number of primitives that a draw with a geometry stage stores, of the `emitted` ones of the vertex
/// stream `stream`: those that fit into all ranges of the buffers that capture this stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_primitives_of(
    layout: *const polyshade_layout,
    stream: u32,
    emitted: u32,
    ranges: *const polyshade_range,
    range_count: usize,
    written: *mut u64,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        if stream >= STREAMS {
            let message = format!("vertex stream {stream} does not exist: there are {STREAMS}");
            return Err(Failure::argument(message));
        }
        let ranges = draw::ranges(ranges, range_count)?;
        ffi::set(written, layout.primitives_written_of(stream, emitted, &ranges)?, "written")
    })
}

/// Advances the counters (`counter`) of the `range_count` elements of `ranges` by the bytes that a draw with a geometry
/// stage stores. The four elements of `emitted` are the numbers of primitives that the draw has emitted to the vertex
/// streams. The table of counts has no element in `ranges`. If the call fails, the counters do not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_advance_by(
    layout: *const polyshade_layout,
    emitted: *const u32,
    ranges: *mut polyshade_range,
    range_count: usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        let emitted = ffi::handle(emitted.cast::<[u32; 4]>(), "emitted")?;
        let given = draw::ranges(ranges, range_count)?;
        draw::replace(ranges, layout.advance_by(*emitted, &given)?)
    })
}

/// Writes the sizes of the buffers of tessellation for a draw to `*sizes`, whose `size` must be set, if no level of a
/// patch exceeds `level`; 64 is the maximum. `layout` is that of a step after the control stage. The sizes are 0
/// without tessellation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_layout_tessellation_sizes(
    layout: *const polyshade_layout,
    draw: *const polyshade_draw,
    level: f32,
    sizes: *mut polyshade_tessellation_sizes,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let layout = &ffi::handle(layout, "layout")?.layout;
        let [patches, table, points, indices] =
            layout.tessellation_sizes(&draw::read(draw)?, level);
        let found =
            polyshade_tessellation_sizes { size: 0, reserved: 0, patches, table, points, indices };
        ffi::answer(sizes, found)
    })
}
