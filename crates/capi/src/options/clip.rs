//! Options of clip and cull distances.

use super::{Enable, polyshade_options};
use crate::border::{self, versioned};
use crate::failure::Failure;
use crate::place::{check_flags, check_reserved, polyshade_place, polyshade_value};
use polyshade::clip_cull::{Linkage, Mark, Options, Planes};
use std::ffi::c_char;

/// Semantics say nothing: only what is marked is a distance.
pub const POLYSHADE_NORMALIZE_WITHOUT_SEMANTICS: u32 = 1;
/// `linked_inputs` are meant.
pub const POLYSHADE_NORMALIZE_LINKED_INPUTS: u32 = 2;
/// `linked_outputs` are meant.
pub const POLYSHADE_NORMALIZE_LINKED_OUTPUTS: u32 = 4;

const FLAGS: u32 = 7;

/// Which registers hold distances. A mark is text: `clip=3`, `cull=4.xy`, `clip=3-4`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_normalize_options {
    /// The size, and `POLYSHADE_OPTIONS_CLIP_NORMALIZE`.
    pub base: polyshade_options,
    /// `POLYSHADE_NORMALIZE_…`, added up.
    pub flags: u32,
    /// 0
    pub reserved: u32,
    /// Of the stage's inputs.
    pub inputs: *const *const c_char,
    pub input_count: usize,
    /// Of its outputs.
    pub outputs: *const *const c_char,
    pub output_count: usize,
    /// Of the outputs of the stage before.
    pub linked_inputs: *const *const c_char,
    pub linked_input_count: usize,
    /// Of the inputs of the stage behind.
    pub linked_outputs: *const *const c_char,
    pub linked_output_count: usize,
}

versioned!(polyshade_normalize_options, 16 + size_of::<[usize; 8]>());

/// `as_written` is meant.
pub const POLYSHADE_ENABLE_AS_WRITTEN: u32 = 1;

/// Which planes clip.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_enable_options {
    /// The size, and `POLYSHADE_OPTIONS_CLIP_ENABLE`.
    pub base: polyshade_options,
    /// `POLYSHADE_ENABLE_…`
    pub flags: u32,
    /// The location where what was written goes as well, unmasked.
    pub as_written: u32,
    /// Bit `i` is plane `i`.
    pub enabled: polyshade_value,
}

versioned!(polyshade_enable_options, 36);

/// `vertex` is meant.
pub const POLYSHADE_PLANES_HAS_VERTEX: u32 = 1;

/// Clip planes of the host's.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_planes_options {
    /// The size, and `POLYSHADE_OPTIONS_CLIP_PLANES`.
    pub base: polyshade_options,
    /// `POLYSHADE_PLANES_…`
    pub flags: u32,
    /// How many.
    pub count: u32,
    /// The location of the output that they are dotted with, rather than the position.
    pub vertex: u32,
    /// Where their floats are, 16 bytes a plane.
    pub words: polyshade_place,
}

versioned!(polyshade_planes_options, 36);

fn marks(at: *const *const c_char, count: usize, what: &str) -> Result<Vec<Mark>, Failure> {
    let texts = border::texts(at, count, what)?;
    Ok(texts.into_iter().map(str::parse).collect::<Result<_, _>>()?)
}

/// The registers that the caller means.
pub(super) fn read_normalize(at: *const polyshade_normalize_options) -> Result<Options, Failure> {
    let given = border::get(at)?;
    check_flags(given.flags, FLAGS, "the registers")?;
    check_reserved(given.reserved, "the registers")?;
    let has = |flag| given.flags & flag != 0;
    let mut options = Options::new().semantics(!has(POLYSHADE_NORMALIZE_WITHOUT_SEMANTICS));
    options = options.inputs(marks(given.inputs, given.input_count, "the inputs")?);
    options = options.outputs(marks(given.outputs, given.output_count, "the outputs")?);
    if has(POLYSHADE_NORMALIZE_LINKED_INPUTS) {
        let linked = marks(given.linked_inputs, given.linked_input_count, "the linked inputs")?;
        options = options.linked_inputs(Linkage::new(linked)?);
    }
    if has(POLYSHADE_NORMALIZE_LINKED_OUTPUTS) {
        let linked = marks(given.linked_outputs, given.linked_output_count, "the linked outputs")?;
        options = options.linked_outputs(Linkage::new(linked)?);
    }
    Ok(options)
}

/// The planes that clip.
pub(super) fn read_enable(at: *const polyshade_enable_options) -> Result<Enable, Failure> {
    let given = border::get(at)?;
    check_flags(given.flags, POLYSHADE_ENABLE_AS_WRITTEN, "the planes")?;
    let as_written = (given.flags != 0).then_some(given.as_written);
    Ok(Enable { enabled: given.enabled.number("the planes")?, as_written })
}

/// The planes of the host's.
pub(super) fn read_planes(at: *const polyshade_planes_options) -> Result<Planes, Failure> {
    let given = border::get(at)?;
    check_flags(given.flags, POLYSHADE_PLANES_HAS_VERTEX, "the planes")?;
    let vertex = (given.flags != 0).then_some(given.vertex);
    let words = given.words.needed("the words of the planes")?;
    Ok(Planes { count: given.count, words, vertex })
}
