//! Options of captures.

use super::{Storage, Switch, Tessellation, polyshade_options, switched};
use crate::draw::topologies;
use crate::failure::Failure;
use crate::ffi::{self, versioned};
use crate::place::{check_flags, check_reserved, polyshade_param_source};
use polyshade::host::{Binding, Set, SideEffects};
use polyshade::transform_feedback::{
    Options, StreamOutputEntry, Variant, Varying, WORK_GROUP_SIZE,
};
use std::ffi::c_char;

/// One buffer; `gl_NextBuffer` among the names begins the next one.
pub const POLYSHADE_CAPTURE_INTERLEAVED: u32 = 0;
/// One buffer for each varying.
pub const POLYSHADE_CAPTURE_SEPARATE: u32 = 1;
/// Stream output entries of Direct3D: `SEMANTIC0.xy`, `1:SEMANTIC0`, `$SKIP.xyz`.
pub const POLYSHADE_CAPTURE_STREAM_OUTPUT: u32 = 2;
/// The transform feedback decorations of the module.
pub const POLYSHADE_CAPTURE_DECORATED: u32 = 3;

/// `set` is valid.
pub const POLYSHADE_CAPTURE_HAS_SET: u32 = 1;
/// `binding` is valid.
pub const POLYSHADE_CAPTURE_HAS_BINDING: u32 = 2;
/// A varying that is named twice is captured twice; without this flag it is an error.
pub const POLYSHADE_CAPTURE_ALLOW_DUPLICATES: u32 = 4;
/// The host parameters are in a uniform buffer, at the binding after the last feedback buffer.
pub const POLYSHADE_CAPTURE_PARAMS_IN_UNIFORM: u32 = 8;
/// `POLYSHADE_VARIANT_CAPTURE_ONLY` does not write `PointSize`.
pub const POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE: u32 = 16;
/// No draw has more than one instance.
pub const POLYSHADE_CAPTURE_ONE_INSTANCE: u32 = 32;
/// One host parameter limits the captured vertices, instead of the sizes of the ranges.
pub const POLYSHADE_CAPTURE_LIMIT_IN_VERTICES: u32 = 64;
/// Feedback buffers may be unbound.
pub const POLYSHADE_CAPTURE_UNBOUND_BUFFERS: u32 = 128;
/// Draws have indices, of any type. The shader must not have vertex attributes other than `constant_attributes`:
/// apply vertex pulling first.
pub const POLYSHADE_CAPTURE_INDEXED: u32 = 256;
/// Indices may restart primitives; implies `POLYSHADE_CAPTURE_INDEXED`.
pub const POLYSHADE_CAPTURE_RESTART: u32 = 512;
/// `POLYSHADE_VARIANT_CAPTURE_ONLY` is a compute stage, which the host dispatches. The shader must not have vertex
/// attributes: apply vertex pulling first. `POLYSHADE_VARIANT_BOTH` is not available, and
/// `POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE` has no effect.
pub const POLYSHADE_CAPTURE_COMPUTE: u32 = 1024;
/// The variants `POLYSHADE_VARIANT_SPILL_OUTPUTS` and `POLYSHADE_VARIANT_RELOAD_OUTPUTS` are available; for a geometry
/// stage, the step `POLYSHADE_GEOMETRY_RASTER`.
pub const POLYSHADE_CAPTURE_SPILL_OUTPUTS: u32 = 2048;
/// For `POLYSHADE_OPTIONS_TESSELLATION`: the origin of the domain is at the lower left, as in OpenGL. Only
/// `POLYSHADE_TESSELLATION_TESSELLATE` depends on it.
pub const POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN: u32 = 4096;

/// The invocations of a work group of the compute stage, in x.
pub const POLYSHADE_WORK_GROUP_SIZE: u32 = 64;

// The header needs a literal number.
const _: () = assert!(POLYSHADE_WORK_GROUP_SIZE == WORK_GROUP_SIZE);

const FLAGS: u32 = 4095;

/// The flags that turn something on and have no value.
const SWITCHES: [Switch<Options>; 8] = [
    (POLYSHADE_CAPTURE_ALLOW_DUPLICATES, Options::allow_duplicates),
    (POLYSHADE_CAPTURE_ONE_INSTANCE, Options::one_instance),
    (POLYSHADE_CAPTURE_LIMIT_IN_VERTICES, Options::limit_in_vertices),
    (POLYSHADE_CAPTURE_UNBOUND_BUFFERS, Options::unbound_buffers),
    (POLYSHADE_CAPTURE_INDEXED, |options| options.indexed(None)),
    (POLYSHADE_CAPTURE_RESTART, Options::restart),
    (POLYSHADE_CAPTURE_COMPUTE, Options::compute),
    (POLYSHADE_CAPTURE_SPILL_OUTPUTS, Options::spill_outputs),
];

/// Captures, and has no outputs but `PointSize`; drawn as points, not rasterized. The default if `variants` is 0.
pub const POLYSHADE_VARIANT_CAPTURE_ONLY: u32 = 1;
/// Has the stage outputs and does not capture.
pub const POLYSHADE_VARIANT_RASTER_ONLY: u32 = 2;
/// Captures and has the stage outputs; for lists and strips.
pub const POLYSHADE_VARIANT_BOTH: u32 = 4;
/// Captures, and stores all outputs in a buffer; needs `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
pub const POLYSHADE_VARIANT_SPILL_OUTPUTS: u32 = 16;
/// Reads the outputs that `POLYSHADE_VARIANT_SPILL_OUTPUTS` stored; needs `POLYSHADE_CAPTURE_SPILL_OUTPUTS`.
pub const POLYSHADE_VARIANT_RELOAD_OUTPUTS: u32 = 32;

const VARIANTS: [(u32, Variant); 5] = [
    (POLYSHADE_VARIANT_CAPTURE_ONLY, Variant::CaptureOnly),
    (POLYSHADE_VARIANT_RASTER_ONLY, Variant::RasterOnly),
    (POLYSHADE_VARIANT_BOTH, Variant::Both),
    (POLYSHADE_VARIANT_SPILL_OUTPUTS, Variant::SpillOutputs),
    (POLYSHADE_VARIANT_RELOAD_OUTPUTS, Variant::ReloadOutputs),
];

/// Shaders with stores or atomics are unsupported.
pub const POLYSHADE_SIDE_EFFECTS_REFUSE: u32 = 0;
/// The shader's stores and atomics stay in the pass that captures, or in the position-only variant.
pub const POLYSHADE_SIDE_EFFECTS_FIRST: u32 = 1;
/// The shader's stores and atomics stay in the pass that rasterizes, or in the complement.
pub const POLYSHADE_SIDE_EFFECTS_SECOND: u32 = 2;

/// The value of a specialization constant. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_constant {
    /// Its `SpecId`.
    pub id: u32,
    /// 0
    pub reserved: u32,
    /// The bits of the value.
    pub bits: u64,
}

/// Options of a capture. For tessellation, only the bindings, the source of host parameters, the specialization
/// constants, `patch_control_points` and `POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN` have a meaning; the others must be 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_capture_options {
    /// The size, and `POLYSHADE_OPTIONS_CAPTURE_STORAGE`, `…_CAPTURE_EXTENSION` or `…_TESSELLATION`.
    pub base: polyshade_options,
    /// `POLYSHADE_CAPTURE_…`, added up.
    pub flags: u32,
    /// The mode: `POLYSHADE_CAPTURE_INTERLEAVED`, `…_SEPARATE`, `…_STREAM_OUTPUT` or `…_DECORATED`.
    pub mode: u32,
    /// The captured outputs: names as in OpenGL, `location=3.xy` or `id=20`; in the stream output mode its entries.
    pub varyings: *const *const c_char,
    pub varying_count: usize,
    /// The strides of the slots in the stream output mode, in bytes.
    pub strides: *const u32,
    pub stride_count: usize,
    /// Specialization constants that the lowering replaces by these values.
    pub constants: *const polyshade_constant,
    pub constant_count: usize,
    /// The descriptor set of the feedback buffers.
    pub set: u32,
    /// The binding of the first feedback buffer.
    pub binding: u32,
    /// The source of host parameters; `POLYSHADE_SOURCE_NONE`: a storage buffer one binding after the feedback buffers.
    pub params: polyshade_param_source,
    /// `POLYSHADE_SIDE_EFFECTS_…`
    pub side_effects: u32,
    /// The topologies that draws may have: bits `1 << POLYSHADE_TOPOLOGY_…`; 0 allows all without adjacency, or all
    /// that form the input primitive of a geometry stage.
    pub topologies: u32,
    /// `POLYSHADE_VARIANT_…`, added up: one output for each, in the order of their values. 0 for other kinds than
    /// `POLYSHADE_OPTIONS_CAPTURE_STORAGE`, and for `polyshade_lower_geometry`.
    pub variants: u32,
    /// The vertex attributes that are the same for all vertices, which indexed draws may have: bits `1 << location`.
    pub constant_attributes: u32,
    /// For `POLYSHADE_OPTIONS_TESSELLATION`: the number of vertices of a patch of the draw, 1 to 32. Only
    /// `POLYSHADE_TESSELLATION_CONTROL` reads it.
    pub patch_control_points: u32,
    /// 0
    pub reserved: u32,
}

versioned!(polyshade_capture_options, 56 + 6 * size_of::<usize>());

/// Returns the bit of a variant.
pub(crate) fn variant_bit(variant: Variant) -> u32 {
    VARIANTS.iter().find(|(_, one)| *one == variant).map_or(0, |(bit, _)| *bit)
}

/// Reads the caller's struct, and its options except for the variants.
fn read(
    at: *const polyshade_capture_options,
    flags: u32,
) -> Result<(polyshade_capture_options, Options), Failure> {
    let given = ffi::get(at)?;
    check_flags(given.flags, flags, "the capture")?;
    check_reserved(given.reserved, "the capture")?;
    let has = |flag| given.flags & flag != 0;
    // First the captured outputs and the bindings of their buffers.
    let mut options = varyings(&given)?;
    if has(POLYSHADE_CAPTURE_HAS_SET) {
        options = options.into_set(Set(given.set));
    }
    if has(POLYSHADE_CAPTURE_HAS_BINDING) {
        options = options.at_binding(Binding(given.binding));
    }
    // Then the host parameters, constants and side effects.
    if let Some(place) = given.params.read("the parameters of the capture")? {
        options = options.params(place);
    } else if has(POLYSHADE_CAPTURE_PARAMS_IN_UNIFORM) {
        options = options.params_in_uniform();
    }
    for constant in ffi::slice(given.constants, given.constant_count, "the constants")? {
        check_reserved(constant.reserved, "a constant")?;
        options = options.specialize(constant.id, constant.bits);
    }
    options = options.side_effects(side_effects(given.side_effects)?);
    // Last the draws that the variants are made for.
    options = options.point_size(!has(POLYSHADE_CAPTURE_WITHOUT_POINT_SIZE));
    if given.topologies != 0 {
        options = options.topologies(topologies(given.topologies)?);
    }
    let constant = (0..u32::BITS).filter(|location| given.constant_attributes & 1 << location != 0);
    options = options.constant_attributes(constant);
    Ok((given, switched(options, given.flags, &SWITCHES)))
}

/// Reads `POLYSHADE_SIDE_EFFECTS_…`.
pub(super) fn side_effects(number: u32) -> Result<SideEffects, Failure> {
    match number {
        POLYSHADE_SIDE_EFFECTS_REFUSE => Ok(SideEffects::Refuse),
        POLYSHADE_SIDE_EFFECTS_FIRST => Ok(SideEffects::InFirstPass),
        POLYSHADE_SIDE_EFFECTS_SECOND => Ok(SideEffects::InSecondPass),
        other => Err(Failure::argument(format!("unknown side effects {other}"))),
    }
}

fn varyings(given: &polyshade_capture_options) -> Result<Options, Failure> {
    let texts = ffi::texts(given.varyings, given.varying_count, "the varyings")?;
    let parsed = || texts.iter().map(|text| text.parse()).collect::<Result<Vec<Varying>, _>>();
    let strides = ffi::slice(given.strides, given.stride_count, "the strides")?;
    Ok(match given.mode {
        POLYSHADE_CAPTURE_INTERLEAVED => Options::new().interleaved(parsed()?),
        POLYSHADE_CAPTURE_SEPARATE => Options::new().separate(parsed()?),
        POLYSHADE_CAPTURE_STREAM_OUTPUT => {
            let entries = texts.iter().map(|text| text.parse::<StreamOutputEntry>());
            let entries = entries.collect::<Result<Vec<_>, _>>()?;
            Options::new().stream_output(entries, strides.iter().copied())
        }
        POLYSHADE_CAPTURE_DECORATED => Options::new().decorated(),
        other => return Err(Failure::argument(format!("unknown capture mode {other}"))),
    })
}

/// Reads the options of a capture by the extension, which has no variants.
pub(super) fn read_extension(at: *const polyshade_capture_options) -> Result<Options, Failure> {
    let (given, options) = read(at, FLAGS)?;
    check_unused(given.variants, "a capture by the extension has no variants")?;
    check_unused(given.patch_control_points, "a capture has no patches")?;
    Ok(options)
}

/// Reads the options of a capture into storage buffers, with its variants.
pub(super) fn read_storage(at: *const polyshade_capture_options) -> Result<Storage, Failure> {
    let (given, options) = read(at, FLAGS)?;
    check_unused(given.patch_control_points, "a capture has no patches")?;
    let known = VARIANTS.iter().map(|(bit, _)| bit).sum();
    check_flags(given.variants, known, "the variants")?;
    let wanted = match given.variants {
        0 => POLYSHADE_VARIANT_CAPTURE_ONLY,
        variants => variants,
    };
    let variants = VARIANTS.iter().filter(|(bit, _)| wanted & bit != 0).map(|(_, one)| *one);
    Ok(Storage { variants: variants.collect(), options })
}

/// Reads the options of tessellation, which has no variants.
pub(super) fn read_tessellation(
    at: *const polyshade_capture_options,
) -> Result<Tessellation, Failure> {
    let (given, options) = read(at, FLAGS | POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN)?;
    check_unused(given.variants, "tessellation has no variants")?;
    let lower_left_origin = given.flags & POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN != 0;
    let patch_control_points = given.patch_control_points;
    Ok(Tessellation { patch_control_points, lower_left_origin, options })
}

/// Checks that a member without a meaning for the kind of options is 0.
fn check_unused(member: u32, message: &str) -> Result<(), Failure> {
    if member == 0 { Ok(()) } else { Err(Failure::argument(message)) }
}
