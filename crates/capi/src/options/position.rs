//! Options of lowerings that change the position: position-only variants, clip space and rasterizer discard.

use super::capture::side_effects;
use super::{Switch, polyshade_options, switched};
use crate::failure::Failure;
use crate::ffi::{self, versioned};
use crate::place::{check_flags, check_reserved, polyshade_value};
use polyshade::position_only::{Keep, Options, Variant};
use polyshade::{clip_space, rasterizer_discard};
use std::ffi::c_char;

/// Outputs that the variant does not keep stay in the interface.
pub const POLYSHADE_POSITION_ONLY_KEEP_INTERFACE: u32 = 1;
/// The kept outputs are `Invariant`.
pub const POLYSHADE_POSITION_ONLY_INVARIANT: u32 = 2;
/// The arithmetic from which the kept outputs are computed is `NoContraction`.
pub const POLYSHADE_POSITION_ONLY_PRECISE: u32 = 4;
/// The position-only variant captures by transform feedback, if the shader is decorated for it. Without this flag
/// only the full shader captures.
pub const POLYSHADE_POSITION_ONLY_CAPTURES: u32 = 8;

const FLAGS: u32 = 15;

/// The flags that turn something on and have no value.
const SWITCHES: [Switch<Options>; 4] = [
    (POLYSHADE_POSITION_ONLY_KEEP_INTERFACE, Options::keep_interface),
    (POLYSHADE_POSITION_ONLY_INVARIANT, Options::invariant),
    (POLYSHADE_POSITION_ONLY_PRECISE, Options::precise),
    (POLYSHADE_POSITION_ONLY_CAPTURES, Options::capture_in_position_only),
];

/// The variant with the outputs that decide coverage.
pub const POLYSHADE_POSITION_ONLY_VARIANT_POSITION_ONLY: u32 = 0;
/// The complement: the variant with exactly the other outputs.
pub const POLYSHADE_POSITION_ONLY_VARIANT_COMPLEMENT: u32 = 1;
/// The variant with all outputs, to be drawn together with the position-only variant.
pub const POLYSHADE_POSITION_ONLY_VARIANT_FULL: u32 = 2;

/// Options of a position-only variant, or of one that is drawn together with it and must have equal other members.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_position_only_options {
    /// The size, and `POLYSHADE_OPTIONS_POSITION_ONLY`.
    pub base: polyshade_options,
    /// `POLYSHADE_POSITION_ONLY_VARIANT_…`
    pub variant: u32,
    /// 0
    pub reserved: u32,
    /// `POLYSHADE_POSITION_ONLY_…`, added up.
    pub flags: u32,
    /// `POLYSHADE_SIDE_EFFECTS_…`
    pub side_effects: u32,
    /// The kept outputs: `position`, `point-size`, `clip-distance` and so on, `location=3`, or a name. An empty list
    /// means the outputs that the rasterizer needs.
    pub keep: *const *const c_char,
    pub keep_count: usize,
}

versioned!(polyshade_position_only_options, 24 + 2 * size_of::<usize>());

/// Options of the conversion of clip space: depth range, Y and rotation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_clip_space_options {
    /// The size, and `POLYSHADE_OPTIONS_CLIP_SPACE`.
    pub base: polyshade_options,
    /// Whether the shader's depth range is -w … w, to be converted to 0 … w.
    pub depth: polyshade_value,
    /// Whether Y is negated.
    pub flip_y: polyshade_value,
    /// The number of quarter turns by which the image is rotated clockwise, after the flip of Y.
    pub rotation: polyshade_value,
}

versioned!(polyshade_clip_space_options, 68);

/// Options of rasterizer discard.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_rasterizer_discard_options {
    /// The size, and `POLYSHADE_OPTIONS_RASTERIZER_DISCARD`.
    pub base: polyshade_options,
    /// Whether the stage discards all primitives; a fixed 1 discards them always.
    pub when: polyshade_value,
}

versioned!(polyshade_rasterizer_discard_options, 28);

/// Reads the options of a position-only variant.
pub(super) fn read(at: *const polyshade_position_only_options) -> Result<Options, Failure> {
    let given = ffi::get(at)?;
    check_flags(given.flags, FLAGS, "the position")?;
    check_reserved(given.reserved, "the position")?;
    let mut options = Options::new().variant(match given.variant {
        POLYSHADE_POSITION_ONLY_VARIANT_POSITION_ONLY => Variant::PositionOnly,
        POLYSHADE_POSITION_ONLY_VARIANT_COMPLEMENT => Variant::Complement,
        POLYSHADE_POSITION_ONLY_VARIANT_FULL => Variant::Full,
        other => return Err(Failure::argument(format!("unknown variant {other}"))),
    });
    if given.keep_count > 0 {
        let keep = ffi::texts(given.keep, given.keep_count, "the keep-list")?;
        let keep = keep.into_iter().map(str::parse).collect::<Result<Vec<Keep>, _>>()?;
        options = options.keep(keep);
    }
    let options = options.side_effects(side_effects(given.side_effects)?);
    Ok(switched(options, given.flags, &SWITCHES))
}

/// Reads the options of the conversion of clip space.
pub(super) fn read_depth(
    at: *const polyshade_clip_space_options,
) -> Result<clip_space::Options, Failure> {
    let given = ffi::get(at)?;
    let options = clip_space::Options::new().depth(given.depth.boolean("the depth range")?);
    let options = options.flip_y(given.flip_y.boolean("the flipped Y")?);
    Ok(options.rotation(given.rotation.rotation("the rotation")?))
}

/// Reads the options of rasterizer discard.
pub(super) fn read_discard(
    at: *const polyshade_rasterizer_discard_options,
) -> Result<rasterizer_discard::Options, Failure> {
    let given = ffi::get(at)?;
    Ok(rasterizer_discard::Options::new().when(given.when.boolean("the discard")?))
}
