//! Options of blending in the fragment shader.

use super::polyshade_options;
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, POLYSHADE_NONE, polyshade_status};
use crate::ffi::{self, versioned};
use crate::place::{check_flags, check_reserved, polyshade_param_source};
use polyshade::advanced_blend::{
    Alpha, ArrayLayerSource, BlendComponent, ColorBlend, Destination, Equation, Factor,
    FixedFunctionBlend, Format, FormatClass, LogicOperation, Operation, Options, Overlap,
};
use polyshade::host::{Binding, Set};

/// The attachments are multisampled.
pub const POLYSHADE_BLEND_MULTISAMPLED: u32 = 1;
/// The source alpha at location 0 is blended as 1.
pub const POLYSHADE_BLEND_ALPHA_TO_ONE: u32 = 2;

const BLEND_FLAGS: u32 = 3;

/// The destination is an input attachment.
pub const POLYSHADE_DESTINATION_INPUT_ATTACHMENT: u32 = 0;
/// The destination is a sampled texture that holds a copy of the attachment.
pub const POLYSHADE_DESTINATION_TEXTURE: u32 = 1;
/// The destination is a tile image of `VK_EXT_shader_tile_image`.
pub const POLYSHADE_DESTINATION_TILE_IMAGE: u32 = 2;
/// The destination is a storage image, under fragment shader interlock.
pub const POLYSHADE_DESTINATION_STORAGE_IMAGE: u32 = 3;

/// The texture has one layer.
pub const POLYSHADE_LAYER_ONE: u32 = 0;
/// The texture has layers, indexed by `gl_Layer`.
pub const POLYSHADE_LAYER_LAYER: u32 = 1;
/// The texture has layers, indexed by `gl_ViewIndex`.
pub const POLYSHADE_LAYER_VIEW: u32 = 2;

/// Blends with the advanced `equations`.
pub const POLYSHADE_BLENDING_EQUATIONS: u32 = 0;
/// Blends with the blend factors and operations of the fixed function.
pub const POLYSHADE_BLENDING_FIXED_FUNCTION: u32 = 1;
/// Applies a logic operation.
pub const POLYSHADE_BLENDING_LOGIC: u32 = 2;
/// Does not blend.
pub const POLYSHADE_BLENDING_NONE: u32 = 3;

/// The results of equations are clamped to 0 … 1.
pub const POLYSHADE_COLOR_CLAMPED: u32 = 1;
/// The attachment has no alpha, whatever its format has: destination alpha reads as 1.
pub const POLYSHADE_COLOR_WITHOUT_ALPHA: u32 = 2;

const COLOR_FLAGS: u32 = 3;

/// The class of a format.
pub const POLYSHADE_FORMAT_UNORM: u32 = 0;
pub const POLYSHADE_FORMAT_SNORM: u32 = 1;
pub const POLYSHADE_FORMAT_FLOAT: u32 = 2;
pub const POLYSHADE_FORMAT_SRGB: u32 = 3;
pub const POLYSHADE_FORMAT_UINT: u32 = 4;
pub const POLYSHADE_FORMAT_SINT: u32 = 5;

const CLASSES: [FormatClass; 6] = [
    FormatClass::Unorm,
    FormatClass::Snorm,
    FormatClass::Float,
    FormatClass::Srgb,
    FormatClass::Uint,
    FormatClass::Sint,
];

/// The blending of one color attachment. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_color_blend {
    /// The location of the output; `POLYSHADE_NONE`: every output that no other element names.
    pub location: u32,
    /// `POLYSHADE_BLENDING_…`
    pub blending: u32,
    /// `POLYSHADE_COLOR_…`, added up.
    pub flags: u32,
    /// `VkBlendOverlapEXT`
    pub overlap: u32,
    /// Whether the source color is not premultiplied by its alpha.
    pub straight_source: u32,
    /// Whether the destination color is not premultiplied by its alpha.
    pub straight_destination: u32,
    /// `POLYSHADE_FORMAT_…`
    pub format_class: u32,
    /// The bits of red, green, blue and alpha, one byte each, red in the lowest byte; 0 if they do not matter.
    pub format_bits: u32,
    /// The `VkBlendOp` of each equation; an empty list means all equations.
    pub equations: *const u32,
    pub equation_count: usize,
    /// `VkLogicOp`
    pub logic_op: u32,
    /// As in `VkPipelineColorBlendAttachmentState`.
    pub color_op: u32,
    pub source_color: u32,
    pub destination_color: u32,
    pub alpha_op: u32,
    pub source_alpha: u32,
    pub destination_alpha: u32,
    /// 0
    pub reserved: u32,
}

/// Options of blending: the targets, and the place of the destination.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_blend_options {
    /// The size, and `POLYSHADE_OPTIONS_ADVANCED_BLEND`.
    pub base: polyshade_options,
    /// `POLYSHADE_BLEND_…`, added up.
    pub flags: u32,
    /// The number of samples for alpha to coverage in the shader; 0 turns it off.
    pub coverage_samples: u32,
    /// `POLYSHADE_DESTINATION_…`
    pub destination: u32,
    /// The set, binding and `InputAttachmentIndex` of the attachment at location 0, if the destination has them.
    pub set: u32,
    pub binding: u32,
    pub index: u32,
    /// `POLYSHADE_LAYER_…`, for a texture.
    pub layer: u32,
    /// The blend constants, if `constants_in` is `POLYSHADE_SOURCE_NONE`.
    pub constants: [f32; 4],
    /// The source of the blend constants as host parameters; `POLYSHADE_SOURCE_NONE`: they are in `constants`.
    pub constants_in: polyshade_param_source,
    /// The host parameters that select equations; `POLYSHADE_SOURCE_NONE`: each target has one equation.
    pub select: polyshade_param_source,
    /// 0
    pub reserved: u32,
    /// The blending of the attachments.
    pub targets: *const polyshade_color_blend,
    pub target_count: usize,
}

versioned!(polyshade_blend_options, 88 + 2 * size_of::<usize>());

/// Writes the value of the host parameter that selects the equation of a `VkBlendOp` to `*word`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_blend_word(
    blend_op: u32,
    word: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || ffi::set(word, equation(blend_op)?.word(), "word"))
}

fn equation(blend_op: u32) -> Result<Equation, Failure> {
    let found = i32::try_from(blend_op).ok().and_then(Equation::from_blend_op);
    found.ok_or_else(|| {
        Failure::argument(format!("VkBlendOp {blend_op} is not an advanced blend equation"))
    })
}

/// Returns the element of a table for which `number` returns Vulkan's number.
fn of_vulkan<T: Copy>(
    all: &[T],
    number: impl Fn(T) -> i32,
    wanted: u32,
    what: &str,
) -> Result<T, Failure> {
    let found = all.iter().copied().find(|one| i64::from(number(*one)) == i64::from(wanted));
    found.ok_or_else(|| Failure::argument(format!("unknown {what} {wanted}")))
}

fn term(operation: u32, source: u32, destination: u32) -> Result<BlendComponent, Failure> {
    let factor = |number| of_vulkan(&Factor::ALL, Factor::blend_factor, number, "VkBlendFactor");
    Ok(BlendComponent {
        operation: of_vulkan(&Operation::ALL, Operation::blend_op, operation, "VkBlendOp")?,
        source: factor(source)?,
        destination: factor(destination)?,
    })
}

/// Reads the blending of one target; `None` if the target is not blended.
fn color_blend(given: &polyshade_color_blend) -> Result<Option<ColorBlend>, Failure> {
    let blend = match given.blending {
        POLYSHADE_BLENDING_EQUATIONS => ColorBlend::new(equations(given)?),
        POLYSHADE_BLENDING_FIXED_FUNCTION => ColorBlend::fixed_function(FixedFunctionBlend {
            color: term(given.color_op, given.source_color, given.destination_color)?,
            alpha: term(given.alpha_op, given.source_alpha, given.destination_alpha)?,
        }),
        POLYSHADE_BLENDING_LOGIC => {
            let all = &LogicOperation::ALL;
            let logic = of_vulkan(all, LogicOperation::logic_op, given.logic_op, "VkLogicOp")?;
            ColorBlend::logic(logic)
        }
        POLYSHADE_BLENDING_NONE => return Ok(None),
        other => return Err(Failure::argument(format!("unknown blending {other}"))),
    };
    // The members that apply to every way of blending.
    check_flags(given.flags, COLOR_FLAGS, "the target")?;
    check_reserved(given.reserved, "the target")?;
    let has = |flag| given.flags & flag != 0;
    let mut blend = blend.overlap(overlap(given.overlap)?);
    blend = blend.source(alpha(given.straight_source));
    blend = blend.destination(alpha(given.straight_destination));
    blend = blend.format(format(given)?);
    if has(POLYSHADE_COLOR_CLAMPED) {
        blend = blend.clamp_results();
    }
    if has(POLYSHADE_COLOR_WITHOUT_ALPHA) {
        blend = blend.without_alpha();
    }
    Ok(Some(blend))
}

fn equations(given: &polyshade_color_blend) -> Result<Vec<Equation>, Failure> {
    let numbers = ffi::slice(given.equations, given.equation_count, "the equations")?;
    if numbers.is_empty() {
        return Ok(Equation::ALL.to_vec());
    }
    numbers.iter().map(|number| equation(*number)).collect()
}

fn overlap(number: u32) -> Result<Overlap, Failure> {
    let all = [Overlap::Uncorrelated, Overlap::Disjoint, Overlap::Conjoint];
    let found = all.get(number as usize).copied();
    found.ok_or_else(|| Failure::argument(format!("unknown VkBlendOverlapEXT {number}")))
}

fn alpha(is_straight: u32) -> Alpha {
    if is_straight == 0 { Alpha::Premultiplied } else { Alpha::Straight }
}

fn format(given: &polyshade_color_blend) -> Result<Format, Failure> {
    let class = CLASSES.get(given.format_class as usize).copied();
    let none = || Failure::argument(format!("unknown format class {}", given.format_class));
    let class = class.ok_or_else(none)?;
    match given.format_bits.to_le_bytes() {
        [0, 0, 0, 0] => Ok(class.into()),
        bits => Ok(Format::new(class, bits)?),
    }
}

fn destination(given: &polyshade_blend_options) -> Result<Destination, Failure> {
    let (set, binding, index) = (Set(given.set), Binding(given.binding), given.index);
    Ok(match given.destination {
        POLYSHADE_DESTINATION_INPUT_ATTACHMENT => {
            Destination::InputAttachment { set, binding, index }
        }
        POLYSHADE_DESTINATION_TEXTURE => {
            let layer = [ArrayLayerSource::One, ArrayLayerSource::Layer, ArrayLayerSource::View]
                .get(given.layer as usize)
                .copied();
            let none = || Failure::argument(format!("unknown layer {}", given.layer));
            Destination::Texture { set, binding, layer: layer.ok_or_else(none)? }
        }
        POLYSHADE_DESTINATION_TILE_IMAGE => Destination::TileImage,
        POLYSHADE_DESTINATION_STORAGE_IMAGE => Destination::StorageImage { set, binding },
        other => return Err(Failure::argument(format!("unknown destination {other}"))),
    })
}

/// Reads the options of blending.
pub(super) fn read(at: *const polyshade_blend_options) -> Result<Options, Failure> {
    let given = ffi::get(at)?;
    check_flags(given.flags, BLEND_FLAGS, "the blending")?;
    check_reserved(given.reserved, "the blending")?;
    // First the state that all targets share.
    let mut options = Options::new().destination(destination(&given)?);
    if given.flags & POLYSHADE_BLEND_MULTISAMPLED != 0 {
        options = options.multisampled();
    }
    if given.flags & POLYSHADE_BLEND_ALPHA_TO_ONE != 0 {
        options = options.alpha_to_one();
    }
    if given.coverage_samples != 0 {
        options = options.alpha_to_coverage(given.coverage_samples);
    }
    options = match given.constants_in.read("the blend constants")? {
        Some(place) => options.blend_constants_in(place),
        None => options.blend_constants(given.constants),
    };
    options = options.select(given.select.read("the choice of the equation")?);
    // Then the targets.
    for target in ffi::slice(given.targets, given.target_count, "the targets")? {
        options = match (target.location, color_blend(target)?) {
            (POLYSHADE_NONE, Some(blend)) => options.every_target(blend),
            (POLYSHADE_NONE, None) => {
                return Err(Failure::argument("a target without a location must be blended"));
            }
            (location, Some(blend)) => options.target(location, blend),
            (location, None) => options.unblended(location),
        };
    }
    Ok(options)
}
