//! Blending with formats of every class: clamping, missing components and rounding.

use super::equations::{COPY, sources, work_of};
use super::grid::{SIDE, pairs, range};
use super::{Mode, cover, lower};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::noise::Noise;
use polyshade::advanced_blend::{Alpha, ColorBlend as Blending, Equation, FormatClass, Options};
use polyshade::host::ParamSource;
use polyshade_tests::sample::sample;
use polyshade_vulkan::{Target, vk};

/// The encoding of a component.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Code {
    Unorm8,
    Srgb8,
    Unorm16,
    Snorm8,
    Half,
}

/// A format: its class, its components, and their encoding.
pub(super) struct Format {
    pub(super) format: vk::Format,
    pub(super) class: FormatClass,
    components: usize,
    code: Code,
}

const fn format(format: vk::Format, class: FormatClass, components: usize, code: Code) -> Format {
    Format { format, class, components, code }
}

pub(super) const FORMATS: [Format; 7] = [
    format(vk::Format::R8G8B8A8_UNORM, FormatClass::Unorm, 4, Code::Unorm8),
    format(vk::Format::R8G8B8A8_SRGB, FormatClass::Unorm, 4, Code::Srgb8),
    format(vk::Format::R16G16B16A16_UNORM, FormatClass::Unorm, 4, Code::Unorm16),
    format(vk::Format::R8G8B8A8_SNORM, FormatClass::Snorm, 4, Code::Snorm8),
    format(vk::Format::R16G16B16A16_SFLOAT, FormatClass::Float, 4, Code::Half),
    format(vk::Format::R8G8_UNORM, FormatClass::Unorm, 2, Code::Unorm8),
    format(vk::Format::R16_SFLOAT, FormatClass::Float, 1, Code::Half),
];

fn to_srgb(x: f64) -> f64 {
    if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

fn from_srgb(x: f64) -> f64 {
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

impl Code {
    fn width(self) -> usize {
        match self {
            Code::Unorm8 | Code::Srgb8 | Code::Snorm8 => 1,
            Code::Unorm16 | Code::Half => 2,
        }
    }

    /// Returns the values that a device may read for a stored colour. An sRGB conversion may be off by half a step.
    fn read_as(self, value: f64, is_alpha: bool) -> Vec<f64> {
        if self != Code::Srgb8 || is_alpha {
            return vec![value];
        }
        let steps = self.steps(value, false);
        [0.0, -0.5, 0.5].map(|off| from_srgb(((steps + off) / 255.0).clamp(0.0, 1.0))).into()
    }

    /// Decodes a component both in steps of the encoding and as a value.
    fn read(self, bits: &[u8], is_alpha: bool) -> (f64, f64) {
        let short = || u16::from_ne_bytes([bits[0], bits[1]]);
        match self {
            Code::Srgb8 if !is_alpha => (bits[0].into(), from_srgb(f64::from(bits[0]) / 255.0)),
            Code::Unorm8 | Code::Srgb8 => (bits[0].into(), f64::from(bits[0]) / 255.0),
            Code::Unorm16 => (short().into(), f64::from(short()) / 65535.0),
            Code::Snorm8 => {
                let steps = f64::from(bits[0].cast_signed()).max(-127.0);
                (steps, steps / 127.0)
            }
            Code::Half => {
                let magnitude = half(short() & 0x7fff);
                let value = if short() >> 15 == 0 { magnitude } else { -magnitude };
                (half_steps(value), value)
            }
        }
    }

    /// Returns the position of a value in steps of the encoding.
    fn steps(self, value: f64, is_alpha: bool) -> f64 {
        match self {
            Code::Srgb8 if !is_alpha => to_srgb(value.clamp(0.0, 1.0)) * 255.0,
            Code::Unorm8 | Code::Srgb8 => value.clamp(0.0, 1.0) * 255.0,
            Code::Unorm16 => value.clamp(0.0, 1.0) * 65535.0,
            Code::Snorm8 => value.clamp(-1.0, 1.0) * 127.0,
            Code::Half => half_steps(value),
        }
    }

    /// Encodes a value in [0, 1].
    fn bits(self, value: f64, is_alpha: bool) -> Vec<u8> {
        let steps = self.steps(value, is_alpha).round();
        match self {
            Code::Unorm8 | Code::Srgb8 | Code::Snorm8 => vec![steps as u8],
            Code::Unorm16 | Code::Half => (steps as u16).to_ne_bytes().to_vec(),
        }
    }
}

/// Decodes a 16-bit float that is not negative.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    match bits >> 10 {
        0 => fraction * 2_f64.powi(-24),
        31 => f64::INFINITY,
        exponent => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    }
}

/// Returns the number of 16-bit floats between 0 and a value, including the fraction of the last step.
fn half_steps(value: f64) -> f64 {
    let magnitude = value.abs();
    let exponent = magnitude.log2().floor().max(-14.0);
    let steps = (exponent + 14.0) * 1024.0 + magnitude / 2_f64.powf(exponent - 10.0);
    steps.copysign(value)
}

impl Format {
    /// Returns the size of a pixel, in bytes.
    pub(super) fn size(&self) -> usize {
        self.components * self.code.width()
    }

    /// Returns the largest accepted difference of fixed-function blending, in steps: lavapipe blends normalized formats
    /// in integers of their width, and rounds each source, each product and the sum by up to half a step.
    pub(super) fn tolerance(&self) -> f64 {
        match self.code {
            Code::Unorm8 | Code::Srgb8 | Code::Unorm16 => 3.0,
            Code::Snorm8 | Code::Half => 1.0,
        }
    }

    /// Returns the stored destination colours: the colour of each pair, with some noise.
    pub(super) fn destinations(&self, mode: Mode) -> Vec<u8> {
        let mut noise = Noise::new();
        let mut pixels = Vec::new();
        for (_, colour) in pairs(mode, FormatClass::Unorm) {
            let dim = 1.0 - f64::from(noise.below(64)) / 256.0;
            for (i, component) in colour.iter().enumerate().take(self.components) {
                let dim = if i == 3 { 1.0 } else { dim };
                pixels.extend(self.code.bits(f64::from(*component) * dim, i == 3));
            }
        }
        pixels
    }

    /// Decodes a pixel both in steps and as values. Missing components are 0, or 1 for alpha.
    pub(super) fn read(&self, pixel: &[u8]) -> ([f64; 4], [f64; 4]) {
        let (mut steps, mut values) = ([0.0; 4], [0.0, 0.0, 0.0, 1.0]);
        for (i, bits) in pixel.chunks_exact(self.code.width()).enumerate() {
            (steps[i], values[i]) = self.code.read(bits, i == 3);
        }
        (steps, values)
    }

    /// Returns whether a result matches one of the destinations that the device may have read.
    fn is_right(
        &self,
        equation: Equation,
        mode: Mode,
        source: [f32; 4],
        destination: [f64; 4],
        steps: [f64; 4],
    ) -> bool {
        let read = [0, 1, 2, 3].map(|i| self.code.read_as(destination[i], i == 3));
        let count: usize = read.iter().map(Vec::len).product();
        let mut whole = [[f64::INFINITY, f64::NEG_INFINITY]; 4];
        // Accept a result within the model's range for any destination that may have been read.
        (0..count).any(|mut number| {
            let mut destination = [0.0; 4];
            for (component, read) in destination.iter_mut().zip(&read) {
                *component = read[number % read.len()] as f32;
                number /= read.len();
            }
            let range = range(equation, mode, self.class, (source, destination));
            for (whole, [least, greatest]) in whole.iter_mut().zip(range) {
                *whole = [whole[0].min(least), whole[1].max(greatest)];
            }
            (0..self.components).all(|i| {
                let [least, greatest] = whole[i].map(|value| self.code.steps(value, i == 3));
                steps[i] >= least - 1.0 && steps[i] <= greatest + 1.0
            })
        })
    }

    /// Describes the first wrong pixel.
    fn wrong(&self, equation: Equation, mode: Mode, before: &[u8], after: &[u8]) -> Option<String> {
        let size = self.size();
        let pixels = before.chunks_exact(size).zip(after.chunks_exact(size));
        let mut all = pairs(mode, self.class).into_iter().zip(pixels);
        all.find_map(|((source, _), (before, after))| {
            let (_, destination) = self.read(before);
            let (steps, _) = self.read(after);
            let right = self.is_right(equation, mode, source, destination, steps);
            (!right).then(|| {
                let format = self.format;
                format!("{equation} {format:?} {mode:?} {source:?} {destination:?}: {steps:?}")
            })
        })
    }
}

#[test]
fn every_equation_is_right_in_every_class_of_formats() {
    let straight = Mode { source: Alpha::Straight, destination: Alpha::Straight, ..Mode::PLAIN };
    let vertex = cover();
    for format in sample(&FORMATS, 8) {
        for mode in [Mode::PLAIN, straight] {
            let blending = mode.of(Blending::new(Equation::ALL)).format(format.class);
            let words = Some(ParamSource::PushConstant { offset: 0 });
            let options = Options::new().every_target(blending).select(words);
            let fragment = lower(&glsl::fragment(COPY), &options);
            let before = format.destinations(mode);
            let target = Target::new(format.format, SIDE, SIDE);
            let sources = sources(&pairs(mode, format.class));
            let stages = [&vertex[..], &fragment];
            let work = work_of(stages, &Equation::ALL, sources, (target, &before));
            for driver in DRIVERS {
                // SwiftShader cannot render to formats of this class.
                if format.class == FormatClass::Snorm && driver == Driver::SwiftShader {
                    continue;
                }
                let after = driver.run(&work).targets;
                for (equation, after) in Equation::ALL.into_iter().zip(&after) {
                    let wrong = format.wrong(equation, mode, &before, after);
                    assert_eq!(wrong, None, "{driver:?}");
                }
            }
        }
    }
}
