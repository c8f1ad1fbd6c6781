//! Options of vertex pulling.

use super::polyshade_options;
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, POLYSHADE_NONE, polyshade_status};
use crate::ffi::{self, versioned};
use crate::place::{check_flags, check_reserved, polyshade_param_source};
use polyshade::host::{Binding, Set};
use polyshade::vertex_pulling::{Attribute, Buffer, Format, Options, Rate, Robustness};
use std::ffi::c_char;

/// `set` is valid.
pub const POLYSHADE_VERTEX_PULLING_HAS_SET: u32 = 1;
/// `binding` is valid.
pub const POLYSHADE_VERTEX_PULLING_HAS_BINDING: u32 = 2;
/// Reads out of bounds behave as with `robustBufferAccess`, not as with `robustBufferAccess2`.
pub const POLYSHADE_VERTEX_PULLING_ROBUST_ACCESS: u32 = 4;
/// An attribute may extend beyond the stride of its buffer.
pub const POLYSHADE_VERTEX_PULLING_BEYOND_STRIDE: u32 = 8;
/// The shader reads the first instance from `BaseInstance`, not from a host parameter.
pub const POLYSHADE_VERTEX_PULLING_BASE_INSTANCE: u32 = 16;

const FLAGS: u32 = 31;

/// The buffer advances with vertices.
pub const POLYSHADE_RATE_VERTEX: u32 = 0;
/// The buffer advances with instances.
pub const POLYSHADE_RATE_INSTANCE: u32 = 1;

/// A vertex attribute. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_attribute {
    pub location: u32,
    /// The number of its vertex buffer.
    pub buffer: u32,
    /// The offset in bytes; `POLYSHADE_NONE`: a host parameter.
    pub offset: u32,
    /// 0
    pub reserved: u32,
    /// Vulkan's name of the format, such as `VK_FORMAT_R32G32B32_SFLOAT`; NULL: host parameters.
    pub format: *const c_char,
}

/// A vertex buffer. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_vertex_buffer {
    pub number: u32,
    /// The stride in bytes; `POLYSHADE_NONE`: a host parameter.
    pub stride: u32,
    /// `POLYSHADE_RATE_…`; `POLYSHADE_NONE`: a host parameter.
    pub rate: u32,
    /// The number of instances that read one element.
    pub divisor: u32,
}

/// Options of vertex pulling: the attributes and the vertex buffers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_vertex_pulling_options {
    /// The size, and `POLYSHADE_OPTIONS_VERTEX_PULLING`.
    pub base: polyshade_options,
    /// `POLYSHADE_VERTEX_PULLING_…`, added up.
    pub flags: u32,
    /// The descriptor set of the vertex buffers.
    pub set: u32,
    /// The binding of the first vertex buffer.
    pub binding: u32,
    /// 0
    pub reserved: u32,
    /// The source of host parameters; `POLYSHADE_SOURCE_NONE`: a storage buffer one binding after the vertex buffers.
    pub params: polyshade_param_source,
    pub attributes: *const polyshade_attribute,
    pub attribute_count: usize,
    pub buffers: *const polyshade_vertex_buffer,
    pub buffer_count: usize,
}

versioned!(polyshade_vertex_pulling_options, 40 + 4 * size_of::<usize>());

/// A description of a vertex format.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_vertex_format {
    /// `sizeof(polyshade_vertex_format)`
    pub size: u32,
    /// The bytes of an element.
    pub bytes: u32,
    /// The alignment of elements, in bytes.
    pub alignment: u32,
    /// The values of the host parameters that select the format.
    pub words: [u32; 2],
}

versioned!(polyshade_vertex_format, 20);

/// Describes the vertex format with a name such as `VK_FORMAT_R8G8B8A8_UNORM` in `*format`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_vertex_format_info(
    name: *const c_char,
    format: *mut polyshade_vertex_format,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let found: Format = ffi::text(name, "the format")?.parse()?;
        let (bytes, alignment, words) = (found.size(), found.alignment(), found.words());
        ffi::answer(format, polyshade_vertex_format { size: 0, bytes, alignment, words })
    })
}

/// Reads the options of vertex pulling.
pub(super) fn read(at: *const polyshade_vertex_pulling_options) -> Result<Options, Failure> {
    let given = ffi::get(at)?;
    check_flags(given.flags, FLAGS, "vertex pulling")?;
    check_reserved(given.reserved, "vertex pulling")?;
    let has = |flag| given.flags & flag != 0;
    let set = has(POLYSHADE_VERTEX_PULLING_HAS_SET).then_some(Set(given.set));
    let binding = has(POLYSHADE_VERTEX_PULLING_HAS_BINDING).then_some(Binding(given.binding));
    // First the place of the buffers and host parameters.
    let mut options = Options::new().storage(set, binding);
    if let Some(place) = given.params.read("the parameters of vertex pulling")? {
        options = options.params(place);
    }
    if has(POLYSHADE_VERTEX_PULLING_ROBUST_ACCESS) {
        options = options.robustness(Robustness::Access);
    }
    options = options.access_beyond_stride(has(POLYSHADE_VERTEX_PULLING_BEYOND_STRIDE));
    options = options.base_instance(has(POLYSHADE_VERTEX_PULLING_BASE_INSTANCE));
    // Then the attributes and vertex buffers.
    for one in ffi::slice(given.attributes, given.attribute_count, "the attributes")? {
        check_reserved(one.reserved, "an attribute")?;
        let format = ffi::optional_text(one.format, "the format of an attribute")?;
        let format = format.map(str::parse).transpose()?;
        let attribute = Attribute { buffer: one.buffer, offset: known(one.offset), format };
        options = options.attribute(one.location, attribute);
    }
    for one in ffi::slice(given.buffers, given.buffer_count, "the vertex buffers")? {
        let rate = match one.rate {
            POLYSHADE_RATE_VERTEX => Some(Rate::Vertex),
            POLYSHADE_RATE_INSTANCE => Some(Rate::Instance { divisor: one.divisor }),
            POLYSHADE_NONE => None,
            other => return Err(Failure::argument(format!("unknown vertex rate {other}"))),
        };
        options = options.buffer(one.number, Buffer { stride: known(one.stride), rate });
    }
    Ok(options)
}

fn known(number: u32) -> Option<u32> {
    (number != POLYSHADE_NONE).then_some(number)
}
