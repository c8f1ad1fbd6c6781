//! Reads and writes the destination: the colour that the attachment holds.

use super::options::{ArrayLayerSource, Destination, Options};
use super::outputs::Numbers;
use crate::code::{self, refuse};
use crate::fragment_tests::{check_movable, check_per_sample};
use crate::host::{Binding, Reserved, Set};
use crate::rewrite;
use polyshade_spv::view::{AnyVariable, EntryPoint};
use polyshade_spv::{
    BuiltIn, Capability, Cursor, Decoration, Error, ExecutionMode, Id, Module, Op, Patch, Position,
    StorageClass, Type,
};

/// Values of `OpTypeImage` operands.
const DIM_2D: u32 = 1;
const DIM_SUBPASS_DATA: u32 = 6;
const DIM_TILE_IMAGE_DATA: u32 = 4173;
const SAMPLED: u32 = 1;
const NOT_SAMPLED: u32 = 2;
const UNKNOWN_FORMAT: u32 = 0;

/// Bits of image operands.
const LOD: u32 = 0x2;
const SAMPLE: u32 = 0x40;

/// The images that hold the destinations, and the fragment's coordinate in them.
pub(super) struct Fetch {
    destination: Destination,
    images: Vec<Image>,
    /// The coordinate in the images. Tile images need no coordinate.
    coordinate: Option<Id>,
    /// The sample index in a multisampled image.
    sample: Option<Id>,
}

/// The image that holds the destination of one location.
#[derive(Clone, Copy)]
struct Image {
    location: u32,
    variable: Id,
    ty: Id,
    numbers: Numbers,
}

impl Fetch {
    /// Adds the images for `locations` and their component types. Emits the fragment's coordinate at `at`.
    pub(super) fn add<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        (options, reserved): (&Options, &Reserved),
        locations: &[(u32, Numbers)],
        at: Position<'m>,
    ) -> Result<Self, Error> {
        let destination = options.destination;
        if options.multisampled {
            check_per_sample(m, entry)?;
        }
        // Add the images.
        let mut images = Vec::new();
        for (location, numbers) in locations.iter().copied() {
            let ty = image_type(p, destination, numbers, options.multisampled);
            let variable = add_image(m, p, entry, (options, reserved), ty, location)?;
            images.push(Image { location, variable, ty, numbers });
        }
        declare(m, p, entry, destination, options.multisampled)?;

        // Emit the fragment's coordinate in the images.
        let sample = options.multisampled.then(|| {
            p.capability(Capability::SAMPLE_RATE_SHADING);
            let int = p.int();
            rewrite::load_integer_builtin(m, p, entry, (BuiltIn::SAMPLE_ID, int), at)
        });
        let coordinate = match destination {
            Destination::InputAttachment { .. } => {
                let int = p.int();
                let pair = p.vector(int, 2);
                Some(p.null(pair))
            }
            Destination::Texture { layer, .. } => Some(coordinate(m, p, entry, layer, at)),
            Destination::StorageImage { .. } => {
                Some(coordinate(m, p, entry, ArrayLayerSource::One, at))
            }
            Destination::TileImage => None,
        };
        Ok(Self { destination, images, coordinate, sample })
    }

    /// Emits a read of the destination at `location`: four floats, or four unsigned integers.
    ///
    /// ```text
    /// %image       = OpLoad %image_type %polyshade_destination
    /// %destination = OpImageRead %v4float %image %coordinate Sample %sample     ; or OpImageFetch
    /// ```
    pub(super) fn read(&self, code: &mut Cursor<'_, '_, '_>, location: u32) -> Id {
        let image = self.image(location);
        let component = component(code.p, image.numbers);
        let texel = code.p.vector(component, 4);
        let read = self.read_as(code, image, texel);
        match image.numbers {
            Numbers::Floats | Numbers::Unsigned => read,
            Numbers::Signed => {
                let uint = code.p.uint();
                let bits = code.p.vector(uint, 4);
                code.bitcast(bits, read)
            }
        }
    }

    fn read_as(&self, code: &mut Cursor<'_, '_, '_>, image: Image, texel: Id) -> Id {
        let loaded = code.load(image.ty, image.variable);
        let mut operands = vec![loaded.word()];
        operands.extend(self.coordinate.map(Id::word));
        let op = match self.destination {
            Destination::TileImage => {
                operands.extend(self.sample.map(Id::word));
                return code.value(Op::COLOR_ATTACHMENT_READ_EXT, texel, &operands);
            }
            Destination::Texture { .. } => Op::IMAGE_FETCH,
            Destination::InputAttachment { .. } | Destination::StorageImage { .. } => {
                Op::IMAGE_READ
            }
        };
        match self.sample {
            Some(sample) => operands.extend([SAMPLE, sample.word()]),
            None if op == Op::IMAGE_FETCH => {
                let int = code.p.int();
                operands.extend([LOD, code.p.null(int).word()]);
            }
            None => {}
        }
        code.value(op, texel, &operands)
    }

    /// Emits a write of `color`, which has the type that a read returns, to a storage image.
    pub(super) fn write(&self, code: &mut Cursor<'_, '_, '_>, location: u32, color: Id) {
        let image = self.image(location);
        let loaded = code.load(image.ty, image.variable);
        let coordinate = self.coordinate.expect("a storage image has coordinates");
        let texel = match image.numbers {
            Numbers::Floats | Numbers::Unsigned => color,
            Numbers::Signed => {
                let int = code.p.int();
                let signed = code.p.vector(int, 4);
                code.bitcast(signed, color)
            }
        };
        let mut operands = vec![loaded.word(), coordinate.word(), texel.word()];
        operands.extend(self.sample.iter().flat_map(|sample| [SAMPLE, sample.word()]));
        code.emit(Op::IMAGE_WRITE, &operands);
    }

    fn image(&self, location: u32) -> Image {
        let found = self.images.iter().find(|image| image.location == location);
        *found.expect("an image was added for every target that is blended")
    }
}

/// Returns the set and binding of the image for `location`. A tile image has none.
pub(super) fn place(destination: Destination, location: u32) -> Option<(Set, Binding)> {
    match destination {
        Destination::InputAttachment { set, binding, .. }
        | Destination::Texture { set, binding, .. }
        | Destination::StorageImage { set, binding } => {
            Some((set, Binding(binding.0.saturating_add(location))))
        }
        Destination::TileImage => None,
    }
}

fn component(p: &mut Patch<'_, '_>, numbers: Numbers) -> Id {
    match numbers {
        Numbers::Floats => p.float(),
        Numbers::Signed => p.int(),
        Numbers::Unsigned => p.uint(),
    }
}

fn image_type(
    p: &mut Patch<'_, '_>,
    destination: Destination,
    numbers: Numbers,
    multisampled: bool,
) -> Id {
    let (dim, arrayed, sampled) = match destination {
        Destination::InputAttachment { .. } => (DIM_SUBPASS_DATA, false, NOT_SAMPLED),
        Destination::Texture { layer, .. } => (DIM_2D, layer != ArrayLayerSource::One, SAMPLED),
        Destination::TileImage => (DIM_TILE_IMAGE_DATA, false, NOT_SAMPLED),
        Destination::StorageImage { .. } => (DIM_2D, false, NOT_SAMPLED),
    };
    // The type of a tile image does not depend on the samples.
    let multisampled = multisampled && destination != Destination::TileImage;
    let component = component(p, numbers).word();
    let words = [component, dim, 0, arrayed.into(), multisampled.into(), sampled, UNKNOWN_FORMAT];
    p.declare(Op::TYPE_IMAGE, &words)
}

fn add_image<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    (options, reserved): (&Options, &Reserved),
    image: Id,
    location: u32,
) -> Result<Id, Error> {
    let name = format!("polyshade_destination_{location}");
    let Some((set, binding)) = place(options.destination, location) else {
        let variable = p.variable(StorageClass::TILE_IMAGE_EXT, image, None);
        p.decorate(variable, Decoration::LOCATION, &[location]);
        p.name(variable, &name);
        rewrite::add_to_interface(m, p, entry, variable);
        return Ok(variable);
    };
    // Input attachments also have an index. Storage images are accessed coherently.
    reserved.check(set, binding)?;
    let variable = rewrite::image_resource(m, p, entry, image, (set, binding), &name)?;
    match options.destination {
        Destination::InputAttachment { index, .. } => {
            let index = index.saturating_add(location);
            check_index(m, index)?;
            p.decorate(variable, Decoration::INPUT_ATTACHMENT_INDEX, &[index]);
        }
        Destination::StorageImage { .. } => p.decorate(variable, Decoration::COHERENT, &[]),
        Destination::Texture { .. } | Destination::TileImage => {}
    }
    Ok(variable)
}

/// Declares the capabilities, extensions and execution modes that the fetch needs.
fn declare<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    destination: Destination,
    multisampled: bool,
) -> Result<(), Error> {
    match destination {
        Destination::InputAttachment { .. } => p.capability(Capability::INPUT_ATTACHMENT),
        Destination::Texture { .. } => {}
        Destination::TileImage => {
            p.capability(Capability::TILE_IMAGE_COLOR_READ_ACCESS_EXT);
            p.extension("SPV_EXT_shader_tile_image");
        }
        Destination::StorageImage { .. } => {
            // The interlock orders the stores. Early tests prevent the stores of fragments that fail.
            let interlock = ExecutionMode::PIXEL_INTERLOCK_ORDERED_EXT.0
                ..=ExecutionMode::SHADING_RATE_INTERLOCK_UNORDERED_EXT.0;
            if m.modes(entry.function()).any(|mode| interlock.contains(&mode.mode().0)) {
                let message = "the shader already has a fragment shader interlock";
                return refuse(&code::BLEND_OWN_INTERLOCK, message, entry.function());
            }
            test_early(m, p, entry)?;
            if m.has_capability(Capability::VULKAN_MEMORY_MODEL) {
                let message = "storage images as destinations require the memory model GLSL450";
                return Err(Error::new(&code::BLEND_MEMORY_MODEL, message));
            }
            let (capability, mode) = if multisampled {
                p.capability(Capability::STORAGE_IMAGE_MULTISAMPLE);
                let mode = ExecutionMode::SAMPLE_INTERLOCK_ORDERED_EXT;
                (Capability::FRAGMENT_SHADER_SAMPLE_INTERLOCK_EXT, mode)
            } else {
                let mode = ExecutionMode::PIXEL_INTERLOCK_ORDERED_EXT;
                (Capability::FRAGMENT_SHADER_PIXEL_INTERLOCK_EXT, mode)
            };
            p.capability(capability);
            p.capability(Capability::STORAGE_IMAGE_READ_WITHOUT_FORMAT);
            p.capability(Capability::STORAGE_IMAGE_WRITE_WITHOUT_FORMAT);
            p.extension("SPV_EXT_fragment_shader_interlock");
            p.mode(entry.function(), mode, &[]);
        }
    }
    Ok(())
}

/// Makes fragment tests early, if that has no other effect. With late tests, a fragment that fails them would still
/// be stored.
fn test_early<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
) -> Result<(), Error> {
    let outputs = rewrite::interface(m, entry, StorageClass::OUTPUT);
    if let Some(mask) = outputs.into_iter().find(|id| m.builtin(*id) == Some(BuiltIn::SAMPLE_MASK))
    {
        let message = "samples that the shader's sample mask excludes would be stored anyway";
        return refuse(&code::BLEND_SAMPLE_MASK, message, mask);
    }
    if m.mode(entry.function(), ExecutionMode::EARLY_FRAGMENT_TESTS).is_some() {
        return Ok(());
    }
    check_movable(m, entry).map_err(|error| {
        error.help(
            "fragments can be stored only after early tests: declare EarlyFragmentTests in the shader if that is \
                intended",
        )
    })?;
    // Without early tests, this mode does not affect the mask that the shader reads. With them, it would.
    if let Some(mode) = m.mode(entry.function(), ExecutionMode::POST_DEPTH_COVERAGE) {
        p.remove(mode.inst());
    }
    p.mode(entry.function(), ExecutionMode::EARLY_FRAGMENT_TESTS, &[]);
    Ok(())
}

/// Fails if an input attachment of the shader already has the index `index`.
fn check_index(m: &Module<'_>, index: u32) -> Result<(), Error> {
    let has_it = |variable: &AnyVariable<'_>| {
        let first = m.decoration(variable.result(), Decoration::INPUT_ATTACHMENT_INDEX);
        let first = first.and_then(|words| words.first().copied());
        let length = match m.pointee(variable.result()).and_then(|ty| m.ty(ty)) {
            Some(Type::Array { length, .. }) => m.constant(length).unwrap_or(u32::MAX),
            _ => 1,
        };
        first.is_some_and(|first| (first..first.saturating_add(length)).contains(&index))
    };
    match m.resources().find(has_it) {
        Some(own) => {
            let message = format!("the shader already uses input attachment index {index}");
            refuse(&code::BLEND_INPUT_ATTACHMENT_TAKEN, message, own.result())
        }
        None => Ok(()),
    }
}

/// Emits the coordinate of the pixel, and of the layer if the image has several layers.
///
/// ```text
/// %fragment = OpLoad %v4float %gl_FragCoord
/// %place    = OpVectorShuffle %v2float %fragment %fragment 0 1
/// %pixel    = OpConvertFToS %v2int %place
/// ```
fn coordinate<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    layer: ArrayLayerSource,
    at: Position<'m>,
) -> Id {
    let (float, int) = (p.float(), p.int());
    let (vec2, vec4) = (p.vector(float, 2), p.vector(float, 4));
    let (ivec2, ivec3) = (p.vector(int, 2), p.vector(int, 3));
    let (fragment, _) = rewrite::input_builtin(m, p, entry, BuiltIn::FRAG_COORD, vec4);
    // The layer index comes from a built-in.
    let layer = match layer {
        ArrayLayerSource::One => None,
        ArrayLayerSource::Layer => {
            if !m.has_capability(Capability::SHADER_LAYER) {
                p.capability(Capability::GEOMETRY);
            }
            Some(rewrite::load_integer_builtin(m, p, entry, (BuiltIn::LAYER, int), at))
        }
        ArrayLayerSource::View => {
            p.capability(Capability::MULTI_VIEW);
            if m.version() < (1, 3) {
                p.extension("SPV_KHR_multiview");
            }
            Some(rewrite::load_integer_builtin(m, p, entry, (BuiltIn::VIEW_INDEX, int), at))
        }
    };
    let mut code = p.at(at);
    let fragment = code.load(vec4, fragment);
    let place = code.value(Op::VECTOR_SHUFFLE, vec2, &[fragment.word(), fragment.word(), 0, 1]);
    let pixel = code.value(Op::CONVERT_F_TO_S, ivec2, &[place.word()]);
    match layer {
        Some(layer) => code.construct(ivec3, &[pixel, layer]),
        None => pixel,
    }
}
