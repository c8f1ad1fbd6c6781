//! Options of the lowering of clip and cull distances: a list of steps.

use super::polyshade_options;
use crate::draw::provoking;
use crate::failure::Failure;
use crate::ffi::{self, versioned};
use crate::place::{check_flags, check_reserved, polyshade_param_source, polyshade_value};
use polyshade::clip_cull::{
    DistanceCounts, DistanceSemantic, Emulated, GeometryClip, Normalize, Options, Primitive,
    Registers, Step, UserPlanes,
};
use std::ffi::c_char;

/// Makes built-in arrays of registers. Reads `inputs`, `outputs`, `linked_inputs` and `linked_outputs`.
pub const POLYSHADE_CLIP_NORMALIZE: u32 = 1;
/// Adds clip planes of the host. Reads `planes`, `params` and `vertex`.
pub const POLYSHADE_CLIP_USER_PLANES: u32 = 2;
/// Keeps disabled planes from clipping. Reads `enabled` and `keep_at`.
pub const POLYSHADE_CLIP_MASK: u32 = 3;
/// Makes one array of both kinds. Reads `clip`.
pub const POLYSHADE_CLIP_COMBINE: u32 = 4;
/// Makes two arrays of one. Reads `clip`.
pub const POLYSHADE_CLIP_SEPARATE: u32 = 5;
/// Makes ordinary vectors of the arrays. Reads `read_at`, `location`, `clip` and `cull`.
pub const POLYSHADE_CLIP_TO_REGISTERS: u32 = 6;
/// Discards fragments. Reads `location`, `clip`, `cull` and `read_at`. The last stage before rasterization and the
/// fragment stage both need the step. The fragment stage needs `POLYSHADE_CLIP_SIGNATURE` and ignores `read_at`.
pub const POLYSHADE_CLIP_EMULATE: u32 = 7;
/// Clips and culls in a geometry stage. Reads `keep_at`, `read_at`, `clip`, `cull`, `flat`, `no_perspective`,
/// `provoking`, and with `POLYSHADE_CLIP_GENERATE` `primitive` and `location`. A generated stage is the second output.
pub const POLYSHADE_CLIP_IN_GEOMETRY: u32 = 8;

/// `UserSemantic` decorations are ignored.
pub const POLYSHADE_CLIP_WITHOUT_SEMANTICS: u32 = 1;
/// `linked_inputs` is valid.
pub const POLYSHADE_CLIP_LINKED_INPUTS: u32 = 2;
/// `linked_outputs` is valid.
pub const POLYSHADE_CLIP_LINKED_OUTPUTS: u32 = 4;
/// `clip` and `cull` are the numbers of distances of the signature.
pub const POLYSHADE_CLIP_SIGNATURE: u32 = 8;
/// `read_at` is valid.
pub const POLYSHADE_CLIP_READ_AT: u32 = 16;
/// `keep_at` is valid.
pub const POLYSHADE_CLIP_KEEP_AT: u32 = 32;
/// `vertex` is valid.
pub const POLYSHADE_CLIP_VERTEX: u32 = 64;
/// The device supports clip distances and lacks only cull distances.
pub const POLYSHADE_CLIP_NATIVE_CLIP: u32 = 128;
/// `primitive` is valid: the lowering generates a geometry stage.
pub const POLYSHADE_CLIP_GENERATE: u32 = 256;

const FLAGS: u32 = 511;

/// The primitives of a generated geometry stage.
pub const POLYSHADE_PRIMITIVE_POINTS: u32 = 0;
pub const POLYSHADE_PRIMITIVE_LINES: u32 = 1;
pub const POLYSHADE_PRIMITIVE_TRIANGLES: u32 = 2;

/// A change to the distances of a stage. A step ignores members that its constant does not name. The struct never
/// grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_clip_step {
    /// `POLYSHADE_CLIP_NORMALIZE`, …
    pub step: u32,
    /// Flags, `POLYSHADE_CLIP_WITHOUT_SEMANTICS` to `POLYSHADE_CLIP_GENERATE`, added up.
    pub flags: u32,
    /// The numbers of clip and cull distances of the signature between two stages.
    pub clip: u32,
    pub cull: u32,
    /// The first location of the distances that the stage writes as ordinary outputs.
    pub location: u32,
    /// The first location of the distances that the stage reads as ordinary inputs.
    pub read_at: u32,
    /// The first location at which the stage also writes its unchanged distances.
    pub keep_at: u32,
    /// The number of planes, at most 8.
    pub planes: u32,
    /// The location of a vec4 output; the planes are in its space, not in clip space.
    pub vertex: u32,
    /// `POLYSHADE_PRIMITIVE_…`
    pub primitive: u32,
    /// `POLYSHADE_PROVOKING_…`
    pub provoking: u32,
    /// 0
    pub reserved: u32,
    /// The source of the planes: four floats, 16 bytes, for each.
    pub params: polyshade_param_source,
    /// Bit `i` enables plane `i`.
    pub enabled: polyshade_value,
    /// 0
    pub padding: u32,
    /// Registers, as text: `clip=3`, `cull=4.xy`, `clip=3-4`.
    pub inputs: *const *const c_char,
    pub input_count: usize,
    pub outputs: *const *const c_char,
    pub output_count: usize,
    pub linked_inputs: *const *const c_char,
    pub linked_input_count: usize,
    pub linked_outputs: *const *const c_char,
    pub linked_output_count: usize,
    /// The locations that the fragment stage takes from the provoking vertex.
    pub flat: *const u32,
    pub flat_count: usize,
    /// The locations that the fragment stage interpolates linearly in screen space.
    pub no_perspective: *const u32,
    pub no_perspective_count: usize,
}

/// The steps of a stage, in their order.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_clip_options {
    /// The size, and `POLYSHADE_OPTIONS_CLIP_CULL`.
    pub base: polyshade_options,
    pub steps: *const polyshade_clip_step,
    pub step_count: usize,
}

versioned!(polyshade_clip_options, 8 + 2 * size_of::<usize>());

/// The largest number of steps of a stage.
const MAX_STEPS: usize = 64;

/// Reads the caller's steps.
pub(super) fn read(at: *const polyshade_clip_options) -> Result<Options, Failure> {
    let given = ffi::get(at)?;
    if given.step_count > MAX_STEPS {
        let message = format!("{} steps are more than {MAX_STEPS}", given.step_count);
        return Err(Failure::argument(message));
    }
    let steps = ffi::slice(given.steps, given.step_count, "the steps")?;
    Ok(steps.iter().map(read_step).collect::<Result<Vec<_>, _>>()?.into())
}

fn semantics(
    at: *const *const c_char,
    count: usize,
    what: &str,
) -> Result<Vec<DistanceSemantic>, Failure> {
    let texts = ffi::texts(at, count, what)?;
    Ok(texts.into_iter().map(str::parse).collect::<Result<_, _>>()?)
}

fn read_step(given: &polyshade_clip_step) -> Result<Step, Failure> {
    check_flags(given.flags, FLAGS, "the step")?;
    check_reserved(given.reserved, "the step")?;
    check_reserved(given.padding, "the step")?;
    // First the members that several steps use.
    let has = |flag| given.flags & flag != 0;
    let (location, clip) = (given.location, given.clip);
    let signature = has(POLYSHADE_CLIP_SIGNATURE).then_some(DistanceCounts::new(clip, given.cull));
    let read_at = has(POLYSHADE_CLIP_READ_AT).then_some(given.read_at);
    let emulated = match has(POLYSHADE_CLIP_NATIVE_CLIP) {
        true => Emulated::Cull,
        false => Emulated::All,
    };
    // Then the step itself.
    Ok(match given.step {
        POLYSHADE_CLIP_NORMALIZE => Step::Normalize(normalize(given)?),
        POLYSHADE_CLIP_USER_PLANES => Step::UserPlanes(UserPlanes {
            count: given.planes,
            params: given.params.needed("the parameters of the planes")?,
            vertex: has(POLYSHADE_CLIP_VERTEX).then_some(given.vertex),
        }),
        POLYSHADE_CLIP_MASK => Step::Mask {
            enabled: given.enabled.number("the planes")?,
            keep_original_at: has(POLYSHADE_CLIP_KEEP_AT).then_some(given.keep_at),
        },
        POLYSHADE_CLIP_COMBINE => Step::Combine { clip: signature.map(|counts| counts.clip) },
        POLYSHADE_CLIP_SEPARATE => Step::Separate { clip },
        POLYSHADE_CLIP_TO_REGISTERS => {
            let inputs = read_at.unwrap_or(location);
            Step::ToRegisters(Registers { inputs, outputs: location, signature })
        }
        POLYSHADE_CLIP_EMULATE => Step::Emulate { emulated, location, inputs: read_at, signature },
        POLYSHADE_CLIP_IN_GEOMETRY => {
            let mut options = GeometryClip::default();
            (options.emulated, options.read_at) = (emulated, read_at);
            (options.signature, options.location) = (signature, location);
            options.keep_at = has(POLYSHADE_CLIP_KEEP_AT).then_some(given.keep_at);
            let (flat, smooth) = (given.flat_count, given.no_perspective_count);
            options.flat.extend(ffi::slice(given.flat, flat, "the flat locations")?);
            let linear = ffi::slice(given.no_perspective, smooth, "the linear locations")?;
            options.no_perspective.extend(linear);
            options.provoking = provoking(given.provoking)?;
            if has(POLYSHADE_CLIP_GENERATE) {
                options.generate = Some(primitive(given.primitive)?);
            }
            Step::ClipInGeometry(options)
        }
        other => return Err(Failure::argument(format!("unknown step {other}"))),
    })
}

fn normalize(given: &polyshade_clip_step) -> Result<Normalize, Failure> {
    let has = |flag| given.flags & flag != 0;
    let mut options = Normalize::default();
    options.user_semantics = !has(POLYSHADE_CLIP_WITHOUT_SEMANTICS);
    options.inputs = semantics(given.inputs, given.input_count, "the inputs")?;
    options.outputs = semantics(given.outputs, given.output_count, "the outputs")?;
    if has(POLYSHADE_CLIP_LINKED_INPUTS) {
        let count = given.linked_input_count;
        options.linked_inputs = Some(semantics(given.linked_inputs, count, "the linked inputs")?);
    }
    if has(POLYSHADE_CLIP_LINKED_OUTPUTS) {
        let count = given.linked_output_count;
        options.linked_outputs =
            Some(semantics(given.linked_outputs, count, "the linked outputs")?);
    }
    Ok(options)
}

fn primitive(number: u32) -> Result<Primitive, Failure> {
    match number {
        POLYSHADE_PRIMITIVE_POINTS => Ok(Primitive::Points),
        POLYSHADE_PRIMITIVE_LINES => Ok(Primitive::Lines),
        POLYSHADE_PRIMITIVE_TRIANGLES => Ok(Primitive::Triangles),
        other => Err(Failure::argument(format!("unknown primitive {other}"))),
    }
}
