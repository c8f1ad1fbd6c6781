//! A contact sheet of all advanced blend equations and overlap modes, drawn by a device and computed by the model.

use crate::blend::COVER;
use crate::{Result, fragment, vertex};
use embedded_graphics::framebuffer::{Framebuffer, buffer_size};
use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::FONT_5X8;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::pixelcolor::raw::{BigEndian, RawU24};
use embedded_graphics::prelude::*;
use embedded_graphics::text::{Baseline, Text};
use polyshade::Module;
use polyshade::advanced_blend::{self, ColorBlend, Equation, FormatClass, Options, Overlap};
use polyshade::host::ParamSource;
use polyshade_vulkan::blend_model::{Clamping, blend};
use polyshade_vulkan::{
    AdvancedBlend, Descriptor, Device, Draw, Resource, Stage, Target, Texture, Validation, Work, vk,
};
use std::fs::File;
use std::io::BufWriter;

/// The size of one picture.
const WIDTH: usize = 72;
const HEIGHT: usize = 54;
/// The space around each picture.
const GAP: usize = 2;
/// The height of the name above each row of pictures, and of the titles of columns.
const TITLE: usize = 10;
/// The number of equations in a block. The blocks are side by side.
const ROWS: usize = 23;

const OVERLAPS: [(Overlap, vk::BlendOverlapEXT); 3] = [
    (Overlap::Uncorrelated, vk::BlendOverlapEXT::UNCORRELATED),
    (Overlap::Disjoint, vk::BlendOverlapEXT::DISJOINT),
    (Overlap::Conjoint, vk::BlendOverlapEXT::CONJOINT),
];

type Colour = [f32; 4];

pub(crate) fn draw(path: &str) -> Result<()> {
    let (sources, destinations) = (picture(ball), picture(landscape));
    let mut sheet = with_titles();
    let mut worst = 0.0_f32;
    for (column, (overlap, native)) in OVERLAPS.into_iter().enumerate() {
        let drawn = by_device(overlap, &sources, &destinations)?;
        for (equation, drawn) in Equation::ALL.into_iter().zip(&drawn) {
            let model = model(equation, native, &sources, &destinations);
            let differences = drawn.iter().flatten().zip(model.iter().flatten());
            worst = differences.map(|(a, b)| (a - b).abs()).fold(worst, f32::max);
            place(&mut sheet, equation, column, drawn);
            place(&mut sheet, equation, OVERLAPS.len() + column, &model);
        }
    }
    write(&sheet, path)?;
    println!("the images differ by at most {worst:.1e}");
    if worst > 1.0 / 255.0 {
        return Err("the images differ from the model's".into());
    }
    Ok(())
}

/// Returns a picture of premultiplied colours from a function of x and y, both from -1 to 1.
fn picture(at: fn(f32, f32) -> Colour) -> Vec<Colour> {
    let place = |i: usize, size: usize| (i as f32 + 0.5) / size as f32 * 2.0 - 1.0;
    let pixels = (0..WIDTH * HEIGHT).map(|i| at(place(i % WIDTH, WIDTH), place(i / WIDTH, HEIGHT)));
    pixels.map(|[r, g, b, a]| [r * a, g * a, b * a, a]).collect()
}

/// A beach ball of six colours, which is more transparent on the right, over transparent black.
fn ball(x: f32, y: f32) -> Colour {
    let (x, y) = (x * WIDTH as f32 / HEIGHT as f32, y);
    let radius = (x * x + y * y).sqrt();
    if radius > 0.9 {
        return [0.0; 4];
    }
    let alpha = if x > 0.3 { 0.5 } else { 1.0 };
    if radius < 0.2 {
        return [1.0, 1.0, 1.0, alpha];
    }
    let sector = ((y.atan2(x) / std::f32::consts::TAU + 0.5) * 6.0) as usize;
    let [r, g, b] = [
        [0.9, 0.1, 0.1],
        [1.0, 0.85, 0.1],
        [0.1, 0.6, 0.2],
        [0.5, 0.5, 0.5],
        [0.1, 0.3, 0.9],
        [0.95, 0.5, 0.1],
    ][sector.min(5)];
    [r, g, b, alpha]
}

/// A sun over hills and a half-transparent lake. The left edge is transparent.
fn landscape(x: f32, y: f32) -> Colour {
    if x < -0.85 {
        return [0.0; 4];
    }
    let sun = ((x - 0.5) * 1.33).powi(2) + (y + 0.5).powi(2) < 0.06;
    let hill = y > 0.1 + 0.25 * (x * 3.0).sin();
    let band = ((y + 1.0) * 4.0).floor() / 8.0;
    match (sun, hill, y > 0.55) {
        (_, _, true) => [0.15, 0.35, 0.6, 0.5],
        (_, true, _) => [0.2, 0.45, 0.15, 1.0],
        (true, _, _) => [1.0, 0.95, 0.6, 1.0],
        _ => [0.35 + 0.4 * band, 0.6 + 0.2 * band, 0.95, 1.0],
    }
}

fn model(
    equation: Equation,
    overlap: vk::BlendOverlapEXT,
    sources: &[Colour],
    destinations: &[Colour],
) -> Vec<Colour> {
    let how =
        AdvancedBlend { source_premultiplied: true, destination_premultiplied: true, overlap };
    let operation = vk::BlendOp::from_raw(equation.blend_op());
    let one = |(s, d): (&Colour, &Colour)| {
        let [s, d] = [s, d].map(|colour| colour.map(f64::from));
        let result = blend(operation, how, Clamping::Float, s, d);
        result.expect("it is an advanced equation").map(|value| value as f32)
    };
    sources.iter().zip(destinations).map(one).collect()
}

const COPY: &str = "#version 450
    #extension GL_EXT_samplerless_texture_functions : require
    layout(set = 1, binding = 0) uniform texture2D sources;
    layout(location = 0) out vec4 colour;
    void main() { colour = texelFetch(sources, ivec2(gl_FragCoord.xy), 0); }";

/// Returns the pictures of all equations, in order, as a device draws them.
fn by_device(
    overlap: Overlap,
    sources: &[Colour],
    destinations: &[Colour],
) -> Result<Vec<Vec<Colour>>> {
    // Lower a shader with all equations.
    let (vertex, fragment) = (vertex(COVER)?, fragment(COPY)?);
    let target = ColorBlend::new(Equation::ALL);
    let options = Options::new()
        .every_target(target.overlap(overlap).format(FormatClass::Float))
        .select(ParamSource::PushConstant { offset: 0 });
    let module = Module::parse(&fragment)?;
    let lowered = advanced_blend::lower(&module, "main", &options)?;

    let format = vk::Format::R32G32B32A32_SFLOAT;
    let (width, height) = (WIDTH as u32, HEIGHT as u32);
    let bytes = |colours: &[Colour]| -> Vec<u8> {
        colours.iter().flatten().flat_map(|value| value.to_ne_bytes()).collect()
    };
    // Draw one target for each equation.
    let draws = Equation::ALL.iter().enumerate().map(|(target, equation)| Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        descriptors: vec![
            Descriptor::new(1, 0, Resource::Image(0)),
            Descriptor::new(3, 0, Resource::InputAttachment(target)),
        ],
        push_constants: equation.word().to_ne_bytes().to_vec(),
        target: Some(target),
        ..Draw::new(vec![Stage::vertex(&vertex), Stage::fragment(lowered.module.words())], 0..3)
    });
    let contents = bytes(sources);
    let work = Work {
        textures: vec![Texture { format, width, height, contents, ..Texture::default() }],
        targets: vec![Target::new(format, width, height); Equation::ALL.len()],
        pixels: (0..Equation::ALL.len()).map(|target| (target, bytes(destinations))).collect(),
        draws: draws.collect(),
        ..Work::default()
    };
    let outcome = Device::open("", Validation::Off)?.run(&work)?;
    let float = |at: &[u8]| f32::from_ne_bytes([at[0], at[1], at[2], at[3]]);
    let colour = |at: &[u8]| [0, 4, 8, 12].map(|i| float(&at[i..]));
    Ok(outcome.targets.iter().map(|pixels| pixels.chunks_exact(16).map(colour).collect()).collect())
}

/// The number of pictures of an equation: one by the device and one by the model for each overlap mode.
const COLUMNS: usize = 2 * OVERLAPS.len();
/// The size of an equation's row and of a block, and the number of blocks.
const ROW: usize = TITLE + HEIGHT + GAP;
const BLOCK: usize = COLUMNS * (WIDTH + GAP) + 4 * GAP;

const BLOCKS: usize = Equation::ALL.len().div_ceil(ROWS);

/// The pixels of the sheet.
type Sheet = Framebuffer<Rgb888, RawU24, BigEndian, SHEET_WIDTH, SHEET_HEIGHT, SHEET_SIZE>;
const SHEET_WIDTH: usize = BLOCKS * BLOCK;
const SHEET_HEIGHT: usize = TITLE + ROWS * ROW;
const SHEET_SIZE: usize = buffer_size::<Rgb888>(SHEET_WIDTH, SHEET_HEIGHT);

/// Returns a white sheet with the titles of columns.
fn with_titles() -> Box<Sheet> {
    let mut sheet = Box::new(Sheet::new());
    let Ok(()) = sheet.clear(Rgb888::WHITE);
    let titles = ["uncorrelated", "disjoint", "conjoint"].into_iter().chain(["as modelled"; 3]);
    for (column, title) in titles.enumerate() {
        let left = column * (WIDTH + GAP);
        (0..BLOCKS).for_each(|block| write_text(&mut sheet, (block * BLOCK + left, 0), title));
    }
    sheet
}

/// Draws a picture, over a chequered ground, into a column of its equation.
fn place(sheet: &mut Sheet, equation: Equation, column: usize, picture: &[Colour]) {
    let number = equation.word() as usize - 1;
    let (left, top) = (number / ROWS * BLOCK, TITLE + number % ROWS * ROW);
    write_text(sheet, (left, top), &format!("{} {equation}", equation.word()));
    for (i, [r, g, b, a]) in picture.iter().enumerate() {
        let (x, y) = (i % WIDTH, i / WIDTH);
        let ground = if (x / 6 + y / 6) % 2 == 0 { 1.0 } else { 0.8 };
        let over = |c: f32| {
            let shown = c + (1.0 - a.clamp(0.0, 1.0)) * ground;
            (shown.clamp(0.0, 1.0) * 255.0).round() as u8
        };
        let at = (left + column * (WIDTH + GAP) + x, top + TITLE + y);
        let colour = Rgb888::new(over(*r), over(*g), over(*b));
        sheet.set_pixel(Point::new(at.0 as i32, at.1 as i32), colour);
    }
}

fn write_text(sheet: &mut Sheet, (left, top): (usize, usize), text: &str) {
    let style = MonoTextStyle::new(&FONT_5X8, Rgb888::BLACK);
    let place = Point::new(left as i32, top as i32);
    let Ok(_) = Text::with_baseline(text, place, style, Baseline::Top).draw(sheet);
}

fn write(sheet: &Sheet, path: &str) -> Result<()> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, SHEET_WIDTH as u32, SHEET_HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(sheet.data())?;
    Ok(())
}
