//! Advanced blend equations in the lowered shader, compared with the double-precision model and with SwiftShader's
//! native equations, and fixed-function blending, compared with the drivers' fixed function.

mod coverage;
pub(crate) mod equations;
mod fixed_function;
mod formats;
mod grid;
mod logic;
mod mixed;
mod native;
mod order;
mod selection;
mod shaders;

use crate::drivers::Driver;
use crate::glsl;
use polyshade::Module;
use polyshade::advanced_blend::{
    self, Alpha, ColorBlend as Blending, FormatClass, Options, Overlap,
};
use polyshade_formats::SpirvVersion;
use polyshade_vulkan::blend_model::{Clamping, blend};
use polyshade_vulkan::{
    AdvancedBlend, Descriptor, Draw, Resource, Stage, Target, Texture, Work, vk,
};

/// Draws a triangle that covers every pixel.
pub(crate) const COVER: &str = r"
    #version 450
    void main() {
        gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
    }";

/// Spreads the four samples of each pixel over four pixels.
pub(crate) const SPREAD: &str = r"
    #version 450
    #extension GL_EXT_samplerless_texture_functions : require
    layout(set = 0, binding = 0) uniform texture2DMS samples;
    layout(location = 0) out vec4 colour;
    void main() {
        ivec2 at = ivec2(gl_FragCoord.xy);
        colour = texelFetch(samples, ivec2(at.x / 4, at.y), at.x % 4);
    }";

pub(crate) fn cover() -> Vec<u32> {
    glsl::vertex(COVER, "", SpirvVersion::SPIRV1_0)
}

#[track_caller]
pub(crate) fn lower(words: &[u32], options: &Options) -> Vec<u32> {
    let module = Module::parse(words).expect("glslang's words parse");
    let lowered = advanced_blend::lower(&module, "main", options);
    lowered.unwrap_or_else(|error| panic!("{error}")).module.into_words()
}

/// A blend mode, in terms that do not depend on the lowering.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub(crate) overlap: Overlap,
    pub(crate) source: Alpha,
    pub(crate) destination: Alpha,
}

pub(crate) fn modes() -> Vec<Mode> {
    let alphas = [Alpha::Premultiplied, Alpha::Straight];
    let mut modes = Vec::new();
    for overlap in [Overlap::Uncorrelated, Overlap::Disjoint, Overlap::Conjoint] {
        for source in alphas {
            modes.extend(alphas.map(|destination| Mode { overlap, source, destination }));
        }
    }
    modes
}

impl Mode {
    pub(crate) const PLAIN: Mode = Mode {
        overlap: Overlap::Uncorrelated,
        source: Alpha::Premultiplied,
        destination: Alpha::Premultiplied,
    };

    pub(crate) fn of(self, blending: Blending) -> Blending {
        blending.overlap(self.overlap).source(self.source).destination(self.destination)
    }

    pub(crate) fn native(self) -> AdvancedBlend {
        AdvancedBlend {
            source_premultiplied: self.source == Alpha::Premultiplied,
            destination_premultiplied: self.destination == Alpha::Premultiplied,
            overlap: match self.overlap {
                Overlap::Uncorrelated => vk::BlendOverlapEXT::UNCORRELATED,
                Overlap::Disjoint => vk::BlendOverlapEXT::DISJOINT,
                Overlap::Conjoint => vk::BlendOverlapEXT::CONJOINT,
            },
        }
    }
}

pub(crate) fn clamping(format: FormatClass) -> Clamping {
    match format {
        FormatClass::Snorm => Clamping::Snorm,
        FormatClass::Float => Clamping::Float,
        _ => Clamping::Unorm,
    }
}

/// Returns a draw over a whole target. If the shader reads the target, it is input attachment 0 at set 3, binding 0.
pub(crate) fn draw<'a>(stages: [&'a [u32]; 2], target: usize) -> Draw<'a> {
    Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        descriptors: vec![Descriptor::new(3, 0, Resource::InputAttachment(target))],
        target: Some(target),
        ..Draw::new(vec![Stage::vertex(stages[0]), Stage::fragment(stages[1])], 0..3)
    }
}

/// Draws pairs of a native draw and a lowered draw, each over a copy of the pixels `before`. The sources are texture 0
/// at set 1, binding 0. Returns the native and the lowered result of each pair.
pub(crate) fn run_both<'a>(
    driver: Driver,
    sources: Texture,
    (target, before): (Target, &[u8]),
    pairs: impl Iterator<Item = [Draw<'a>; 2]>,
) -> Vec<[Vec<u8>; 2]> {
    let mut draws: Vec<Draw<'a>> = pairs.flatten().collect();
    for (number, draw) in draws.iter_mut().enumerate() {
        draw.target = Some(number);
        draw.descriptors = vec![Descriptor::new(1, 0, Resource::Image(0))];
        if number % 2 == 1 {
            draw.descriptors.push(Descriptor::new(3, 0, Resource::InputAttachment(number)));
        }
    }
    let work = Work {
        textures: vec![sources],
        targets: vec![target; draws.len()],
        pixels: (0..draws.len()).map(|number| (number, before.to_vec())).collect(),
        draws,
        ..Work::default()
    };
    let targets = driver.run(&work).targets;
    targets.chunks(2).map(|both| [both[0].clone(), both[1].clone()]).collect()
}

/// Returns the model's result of an operation on floats.
pub(crate) fn modelled(
    operation: vk::BlendOp,
    mode: Mode,
    source: [f64; 4],
    destination: [f64; 4],
) -> [f64; 4] {
    let result = blend(operation, mode.native(), Clamping::Float, source, destination);
    result.expect("it is an advanced equation")
}

pub(crate) fn floats(width: u32, height: u32) -> Target {
    Target::new(vk::Format::R32G32B32A32_SFLOAT, width, height)
}

pub(crate) fn bytes(values: impl IntoIterator<Item = [f32; 4]>) -> Vec<u8> {
    values.into_iter().flatten().flat_map(f32::to_ne_bytes).collect()
}

pub(crate) fn colours(bytes: &[u8]) -> Vec<[f32; 4]> {
    let float = |at: &[u8]| f32::from_ne_bytes([at[0], at[1], at[2], at[3]]);
    let pixel = |at: &[u8]| [float(at), float(&at[4..]), float(&at[8..]), float(&at[12..])];
    bytes.chunks_exact(16).map(pixel).collect()
}
