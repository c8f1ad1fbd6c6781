//! Options of transform feedback.

use super::{Storage, polyshade_options};
use crate::border::{self, versioned};
use crate::draw::topologies;
use crate::failure::Failure;
use crate::place::{check_flags, check_reserved, polyshade_param_source};
use polyshade::host::{Binding, Set, SideEffects};
use polyshade::transform_feedback::{
    Options, StreamOutputEntry, Variant, Varying, WORK_GROUP_SIZE,
};
use std::ffi::c_char;

/// One buffer, until `gl_NextBuffer` says otherwise.
pub const POLYSHADE_CAPTURE_INTERLEAVED: u32 = 0;
/// A buffer for each varying.
pub const POLYSHADE_CAPTURE_SEPARATE: u32 = 1;
/// Direct3D's entries: `SEMANTIC0.xy`, `1:SEMANTIC0`, `$SKIP.xyz`.
pub const POLYSHADE_CAPTURE_STREAM_OUTPUT: u32 = 2;
/// What the module's own decorations say.
pub const POLYSHADE_CAPTURE_DECORATED: u32 = 3;

/// `set` is meant.
pub const POLYSHADE_CAPTURE_HAS_SET: u32 = 1;
/// `binding` is meant.
pub const POLYSHADE_CAPTURE_HAS_BINDING: u32 = 2;
/// What is named twice is captured twice.
pub const POLYSHADE_CAPTURE_ALLOW_DUPLICATES: u32 = 4;
/// The host parameters are in a uniform buffer behind the last feedback buffer.
pub const POLYSHADE_CAPTURE_PARAMS_IN_UNIFORM: u32 = 8;
/// The variant that only captures does not write `PointSize`.
pub const POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE: u32 = 16;
/// No draw has more than one instance.
pub const POLYSHADE_CAPTURE_ONE_INSTANCE: u32 = 32;
/// One word says how much fits, rather than the sizes of the ranges.
pub const POLYSHADE_CAPTURE_LIMIT_IN_VERTICES: u32 = 64;
/// Feedback buffers may be unbound.
pub const POLYSHADE_CAPTURE_UNBOUND_BUFFERS: u32 = 128;
/// Draws have indices, of any type; the shader has no attributes but such as it pulls.
pub const POLYSHADE_CAPTURE_INDEXED: u32 = 256;
/// Indices may restart primitives; implies `POLYSHADE_CAPTURE_INDEXED`.
pub const POLYSHADE_CAPTURE_RESTART: u32 = 512;
/// The variant that only captures is a compute stage, which is dispatched; the shader has no attributes but such as it
/// pulls, there is no variant that does both, and `POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE` means nothing.
pub const POLYSHADE_CAPTURE_COMPUTE: u32 = 1024;
/// There are a variant that also stores all outputs, and one that reads them back.
pub const POLYSHADE_CAPTURE_SPILL_OUTPUTS: u32 = 2048;

/// The invocations of a work group of that stage, in x.
pub const POLYSHADE_WORK_GROUP_SIZE: u32 = 64;

// The header has numbers alone.
const _: () = assert!(POLYSHADE_WORK_GROUP_SIZE == WORK_GROUP_SIZE);

const FLAGS: u32 = 4095;

/// Stores, and has no output; drawn as points with rasterization off. What is made where `variants` is 0.
pub const POLYSHADE_VARIANT_CAPTURE_ONLY: u32 = 1;
/// Has the outputs and stores nothing.
pub const POLYSHADE_VARIANT_RASTER_ONLY: u32 = 2;
/// Does both; for lists and strips.
pub const POLYSHADE_VARIANT_BOTH: u32 = 4;
/// Stores as the first, and all outputs; with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
pub const POLYSHADE_VARIANT_SPILL_OUTPUTS: u32 = 16;
/// Has the outputs that the variant before stored; with `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
pub const POLYSHADE_VARIANT_RELOAD_OUTPUTS: u32 = 32;

const VARIANTS: [(u32, Variant); 5] = [
    (POLYSHADE_VARIANT_CAPTURE_ONLY, Variant::CaptureOnly),
    (POLYSHADE_VARIANT_RASTER_ONLY, Variant::RasterOnly),
    (POLYSHADE_VARIANT_BOTH, Variant::Both),
    (POLYSHADE_VARIANT_SPILL_OUTPUTS, Variant::SpillOutputs),
    (POLYSHADE_VARIANT_RELOAD_OUTPUTS, Variant::ReloadOutputs),
];

/// A shader with stores and atomics of its own is refused.
pub const POLYSHADE_SIDE_EFFECTS_REFUSE: u32 = 0;
/// They stay in the pass that captures, or in the position-only variant.
pub const POLYSHADE_SIDE_EFFECTS_FIRST: u32 = 1;
/// They stay in the pass that rasterizes, or in the complement.
pub const POLYSHADE_SIDE_EFFECTS_SECOND: u32 = 2;

/// The value of a specialization constant. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_constant {
    /// Its `SpecId`.
    pub id: u32,
    /// 0
    pub reserved: u32,
    /// Its bits.
    pub bits: u64,
}

/// What to capture, and how.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_capture_options {
    /// The size, and `POLYSHADE_OPTIONS_CAPTURE_STORAGE` or `POLYSHADE_OPTIONS_CAPTURE_EXTENSION`.
    pub base: polyshade_options,
    /// `POLYSHADE_CAPTURE_…`, added up.
    pub flags: u32,
    /// `POLYSHADE_CAPTURE_INTERLEAVED` and its like.
    pub mode: u32,
    /// What is captured: OpenGL's names, `location=3.xy`, `id=20`; for a stream output its entries.
    pub varyings: *const *const c_char,
    pub varying_count: usize,
    /// The strides of a stream output's slots, in bytes.
    pub strides: *const u32,
    pub stride_count: usize,
    /// Specialization constants that become plain constants.
    pub constants: *const polyshade_constant,
    pub constant_count: usize,
    /// The set of the feedback buffers.
    pub set: u32,
    /// The binding of the first.
    pub binding: u32,
    /// Where the host parameters are; `POLYSHADE_SOURCE_NONE`: in a storage buffer behind the last feedback buffer.
    pub params: polyshade_param_source,
    /// `POLYSHADE_SIDE_EFFECTS_…`
    pub side_effects: u32,
    /// The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`; 0 is all without adjacency.
    pub topologies: u32,
    /// `POLYSHADE_VARIANT_…`, added up: an output each, in this order. Only into storage buffers.
    pub variants: u32,
    /// The vertex attributes that are the same for all vertices, which draws with indices may have: bits
    /// `1 << location`.
    pub constant_attributes: u32,
}

versioned!(polyshade_capture_options, 56 + 6 * size_of::<usize>());

/// The number of a variant.
pub(crate) fn variant_bit(variant: Variant) -> u32 {
    VARIANTS.iter().find(|(_, one)| *one == variant).map_or(0, |(bit, _)| *bit)
}

/// The caller's struct and what it asks for, but for the variants.
pub(super) fn read(
    at: *const polyshade_capture_options,
) -> Result<(polyshade_capture_options, Options), Failure> {
    let given = border::get(at)?;
    check_flags(given.flags, FLAGS, "the capture")?;
    let has = |flag| given.flags & flag != 0;
    let mut options = varyings(&given)?;
    if has(POLYSHADE_CAPTURE_HAS_SET) {
        options = options.into_set(Set(given.set));
    }
    if has(POLYSHADE_CAPTURE_HAS_BINDING) {
        options = options.at_binding(Binding(given.binding));
    }
    if has(POLYSHADE_CAPTURE_ALLOW_DUPLICATES) {
        options = options.allow_duplicates();
    }
    if let Some(place) = given.params.read("the words of the capture")? {
        options = options.params(place);
    } else if has(POLYSHADE_CAPTURE_PARAMS_IN_UNIFORM) {
        options = options.params_in_uniform();
    }
    for constant in border::slice(given.constants, given.constant_count, "the constants")? {
        check_reserved(constant.reserved, "a constant")?;
        options = options.specialize(constant.id, constant.bits);
    }
    options = options.side_effects(match given.side_effects {
        POLYSHADE_SIDE_EFFECTS_REFUSE => SideEffects::Refuse,
        POLYSHADE_SIDE_EFFECTS_FIRST => SideEffects::InFirstPass,
        POLYSHADE_SIDE_EFFECTS_SECOND => SideEffects::InSecondPass,
        other => return Err(Failure::argument(format!("there are no side effects {other}"))),
    });
    options = options.point_size(!has(POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE));
    if given.topologies != 0 {
        options = options.topologies(topologies(given.topologies)?);
    }
    if has(POLYSHADE_CAPTURE_ONE_INSTANCE) {
        options = options.one_instance();
    }
    if has(POLYSHADE_CAPTURE_LIMIT_IN_VERTICES) {
        options = options.limit_in_vertices();
    }
    if has(POLYSHADE_CAPTURE_UNBOUND_BUFFERS) {
        options = options.unbound_buffers();
    }
    if has(POLYSHADE_CAPTURE_INDEXED) {
        options = options.indexed(None);
    }
    if has(POLYSHADE_CAPTURE_RESTART) {
        options = options.restart();
    }
    let constant = (0..u32::BITS).filter(|location| given.constant_attributes & 1 << location != 0);
    options = options.constant_attributes(constant);
    if has(POLYSHADE_CAPTURE_COMPUTE) {
        options = options.compute();
    }
    if has(POLYSHADE_CAPTURE_SPILL_OUTPUTS) {
        options = options.spill_outputs();
    }
    Ok((given, options))
}

fn varyings(given: &polyshade_capture_options) -> Result<Options, Failure> {
    let texts = border::texts(given.varyings, given.varying_count, "the varyings")?;
    let parsed = || texts.iter().map(|text| text.parse()).collect::<Result<Vec<Varying>, _>>();
    let strides = border::slice(given.strides, given.stride_count, "the strides")?;
    Ok(match given.mode {
        POLYSHADE_CAPTURE_INTERLEAVED => Options::new().interleaved(parsed()?),
        POLYSHADE_CAPTURE_SEPARATE => Options::new().separate(parsed()?),
        POLYSHADE_CAPTURE_STREAM_OUTPUT => {
            let entries = texts.iter().map(|text| text.parse::<StreamOutputEntry>());
            let entries = entries.collect::<Result<Vec<_>, _>>()?;
            Options::new().stream_output(entries, strides.iter().copied())
        }
        POLYSHADE_CAPTURE_DECORATED => Options::new().decorated(),
        other => return Err(Failure::argument(format!("there is no capture mode {other}"))),
    })
}

/// A capture into storage buffers.
pub(super) fn read_storage(at: *const polyshade_capture_options) -> Result<Storage, Failure> {
    let (given, options) = read(at)?;
    let known = VARIANTS.iter().map(|(bit, _)| bit).sum();
    check_flags(given.variants, known, "the variants")?;
    let wanted = match given.variants {
        0 => POLYSHADE_VARIANT_CAPTURE_ONLY,
        variants => variants,
    };
    let variants = VARIANTS.iter().filter(|(bit, _)| wanted & bit != 0).map(|(_, one)| *one);
    Ok(Storage { variants: variants.collect(), options })
}
