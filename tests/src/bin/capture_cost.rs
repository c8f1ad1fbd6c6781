//! Measures what a capture into storage buffers costs a driver: of a vertex, beside the driver's own feature, in the
//! device's time; and of the first draw with a new pipeline, beside the shader as it is, in processor time.
//!
//!     MESA_SHADER_CACHE_DISABLE=true cargo run --release -p polyshade-tests --bin capture-cost [SHADER.spv…]
//!
//! Drivers are those that `VK_DRIVER_FILES` names. The shaders are those of a corpus; all that can be bound and are not
//! short or long are taken.

use polyshade::host::{Binding, Place, Set};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{
    self, BufferRange, Options, ProvokingVertex, Topology, Varying, capturable, decorate, strip,
};
use polyshade::{Error as Refused, Module, position_only};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::drawable::Drawable;
use polyshade_tests::processor;
use polyshade_vulkan::{
    CaptureBuffers, Descriptor, Device, Draw, Place as At, Range, Resource, Stage,
    TransformFeedback, Variants, VertexBuffer, VertexLayout, Work, capture_draw, vk,
};
use std::error::Error;
use std::ops;
use std::path::Path;
use std::time::Duration;

/// Vertices of a small and of a large draw: what the large takes longer is the vertices' own.
const FEW: u32 = 3 << 8;
const MANY: u32 = 3 << 17;
/// Each is measured this often, and the shortest time counts: others share the machine.
const RUNS: u32 = 8;

/// The shaders that are taken of a corpus, in words.
const LENGTHS: ops::Range<usize> = 200..2000;

/// Shaders of which a vector of four components is captured; the benchmark of the layer draws with them, too.
const TRIVIAL: &str = include_str!("../../../crates/layer/benches/shaders/trivial.vert");
const HEAVY: &str = include_str!("../../../crates/layer/benches/shaders/heavy.vert");

/// Bytes of a vector.
const VECTOR: usize = 16;

/// Where the feedback buffers and the words of the host go. Shaders that use them are not compared.
const SET: u32 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let read = |path: &String| Drawable::read(Path::new(path), LENGTHS);
    let shaders: Vec<Drawable> = paths.iter().filter_map(read).collect();
    for (name, device) in processor::devices()? {
        println!("{name}");
        for (what, text) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
            let words = compile(text, ShaderStage::Vertex, SpirvVersion::SPIRV1_0)?;
            vertices(&device, what, &words)?;
        }
        by_hand(&device)?;
        if !shaders.is_empty() {
            first_draws(&device, &shaders)?;
        }
    }
    Ok(())
}

fn options(varying: Varying) -> Options {
    let options = Options::new().interleaved([varying]).into_storage(Set(SET), Binding(0));
    options.words(Place::StorageBuffer { set: Set(SET), binding: Binding(8) })
}

/// Of draws of which all is known.
fn known(varying: Varying, topology: Topology) -> Options {
    options(varying).topologies([topology]).one_instance().one_limit()
}

/// Prints nanoseconds a vertex, without rasterization, of a shader that says what is captured.
fn vertices(device: &Device, what: &str, decorated: &[u32]) -> Result<(), Box<dyn Error>> {
    let decorating = Module::parse(decorated)?;
    let module = strip(&decorating)?;
    let varying = || Varying::from("captured");
    let has_feature = device.capabilities().transform_feedback.is_some();
    for (name, topology, drawn) in [
        ("points", Topology::PointList, vk::PrimitiveTopology::POINT_LIST),
        ("triangle list", Topology::TriangleList, vk::PrimitiveTopology::TRIANGLE_LIST),
        ("triangle strip", Topology::TriangleStrip, vk::PrimitiveTopology::TRIANGLE_STRIP),
    ] {
        let any = Variants::new(&module, "main", &options(varying()))?;
        let known = Variants::new(&module, "main", &known(varying(), topology))?;
        let alone = measure(device, |scene, count| {
            scene.plain(module.words(), drawn, count);
            Ok(())
        })?;
        print!("  {what}, {name}: not captured {alone:.3}");
        if has_feature {
            let native = measure(device, |scene, count| {
                scene.plain(decorated, drawn, count);
                scene.by_the_driver();
                Ok(())
            })?;
            print!(", by the driver {native:.3}");
        }
        let any = measure(device, |scene, count| scene.captured(&any, topology, count))?;
        let known = measure(device, |scene, count| scene.captured(&known, topology, count))?;
        println!(", by stores {any:.3}, by stores of which all is known {known:.3}");
    }
    Ok(())
}

/// Prints nanoseconds a vertex of stores that a shader of points makes by itself: without a look at what is bound, word
/// by word as captures do, and as vectors.
fn by_hand(device: &Device) -> Result<(), Box<dyn Error>> {
    for (what, ty, store) in [
        (
            "words",
            "uint",
            "for (int i = 0; i < 4; ++i) captured[4 * gl_VertexIndex + i] = bits[i];",
        ),
        ("a vector", "uvec4", "captured[gl_VertexIndex] = bits;"),
    ] {
        let text = format!(
            "#version 450
            layout(location = 0) in vec4 position;
            layout(set = {SET}, binding = 0) writeonly buffer Feedback {{ {ty} captured[]; }};
            void main() {{
                uvec4 bits = floatBitsToUint(position);
                {store}
                gl_Position = position;
                gl_PointSize = 1;
            }}"
        );
        let words = compile(&text, ShaderStage::Vertex, SpirvVersion::SPIRV1_0)?;
        let time = measure(device, |scene, count| {
            scene.plain(&words, vk::PrimitiveTopology::POINT_LIST, count);
            let feedback = Resource::StorageBuffer(scene.feedback());
            scene.draw.descriptors = vec![Descriptor::new(SET, 0, feedback)];
            Ok(())
        })?;
        println!("  points that store {what} by themselves: {time:.3}");
    }
    Ok(())
}

/// The buffers of a scene: attributes, and what is captured.
const ATTRIBUTES: usize = 0;
const FEEDBACK: usize = 1;

/// A draw, and what it is bound to.
struct Scene<'a> {
    work: Work<'a>,
    draw: Draw<'a>,
}

impl<'a> Scene<'a> {
    /// With attributes for so many vertices, and room for three vectors of each: those of strips are captured thrice.
    fn new(vertices: u32) -> Self {
        let number =
            |i: u32| ((i.wrapping_mul(2_654_435_761) >> 16) as f32 / 65536.0).to_ne_bytes();
        let attributes = (0..4 * vertices).flat_map(number).collect();
        let feedback = vec![0; 3 * VECTOR * vertices as usize];
        let work = Work { buffers: vec![attributes, feedback], ..Work::default() };
        Self { work, draw: Draw::default() }
    }

    /// Three vertices of a shader as it is.
    fn of(words: &'a [u32]) -> Self {
        let mut scene = Self::new(3);
        scene.plain(words, vk::PrimitiveTopology::TRIANGLE_LIST, 3);
        scene
    }

    fn feedback(&self) -> Range {
        Range { buffer: FEEDBACK, offset: 0, size: self.work.buffers[FEEDBACK].len() as u64 }
    }

    fn plain(&mut self, words: &'a [u32], topology: vk::PrimitiveTopology, count: u32) {
        self.draw = Draw { topology, ..Draw::new(vec![Stage::vertex(words)], 0..count) };
    }

    /// Has the driver capture what the shader's decorations say.
    fn by_the_driver(&mut self) {
        let feedback = TransformFeedback { buffers: vec![self.feedback()], ..Default::default() };
        self.draw.transform_feedback = Some(feedback);
    }

    /// The capture pass of `count` vertices.
    fn captured(
        &mut self,
        variants: &'a Variants<'_>,
        topology: Topology,
        count: u32,
    ) -> Result<(), Refused> {
        let draw = transform_feedback::Draw {
            topology,
            provoking_vertex: ProvokingVertex::First,
            first_vertex: 0,
            vertex_count: count,
            first_instance: 0,
            instance_count: 1,
            indices: None,
        };
        let ranges = [self.feedback()];
        let range = BufferRange { size: ranges[0].size as u32, ..BufferRange::default() };
        let buffers = CaptureBuffers::from(&ranges[..]);
        self.draw = capture_draw(variants, &draw, &[range], &buffers, &mut self.work)?;
        Ok(())
    }
}

/// Nanoseconds a vertex of what `make` makes of a scene and a number of vertices.
fn measure<'a>(
    device: &Device,
    make: impl Fn(&mut Scene<'a>, u32) -> Result<(), Refused>,
) -> Result<f64, Box<dyn Error>> {
    let least = |count| -> Result<Duration, Box<dyn Error>> {
        let mut scene = Scene::new(MANY);
        make(&mut scene, count)?;
        let layout = VertexLayout::vectors([(0, vk::Format::R32G32B32A32_SFLOAT)]);
        let place = At { buffer: ATTRIBUTES, offset: 0 };
        scene.draw.vertex_buffers = vec![VertexBuffer { place, layout }];
        scene.work.draws = vec![scene.draw];
        Ok(processor::of_draws(device, &scene.work, RUNS)?)
    };
    let (few, many) = (least(FEW)?, least(MANY)?);
    Ok(many.saturating_sub(few).as_nanos() as f64 / f64::from(MANY - FEW))
}

/// Prints what the first draw of three vertices with a new pipeline takes, on average: making the pipeline and
/// compiling the shader, without what a shader of nothing takes.
fn first_draws(device: &Device, shaders: &[Drawable]) -> Result<(), Box<dyn Error>> {
    let nothing = compile(NOTHING, ShaderStage::Vertex, SpirvVersion::SPIRV1_0)?;
    // What cannot be captured, or not be run, is not compared.
    let times = shaders.iter().filter_map(|shader| first_draw(device, shader, &nothing).ok());
    let times: Vec<Vec<(&str, Duration)>> = times.collect();
    println!("  first draws with {} shaders:", times.len());
    let Some(first) = times.first() else { return Ok(()) };
    let sum = |row: usize| times.iter().map(|times| times[row].1.as_secs_f64()).sum::<f64>();
    for (row, (name, _)) in first.iter().enumerate() {
        let each = sum(row) * 1e3 / times.len() as f64;
        println!("    {name:<40} {each:6.2} ms {:6.2} ×", sum(row) / sum(0));
    }
    Ok(())
}

const NOTHING: &str = "#version 450
    void main() { gl_Position = vec4(0); }";

/// The times of the original, which comes first, and of what is made of it.
fn first_draw(
    device: &Device,
    shader: &Drawable,
    nothing: &[u32],
) -> Result<Vec<(&'static str, Duration)>, Box<dyn Error>> {
    let module = Module::parse(&shader.words)?;
    let outputs = capturable(&module, module.entry_point("main", ExecutionModel::VERTEX)?);
    let first = outputs.into_iter().find(|(_, components)| components.is_ok());
    let (varying, _) = first.ok_or("nothing can be captured")?;
    let least = |scene: Scene<'_>| -> Result<Duration, Box<dyn Error>> {
        let Scene { mut work, mut draw } = scene;
        shader.bind(&mut work, &mut draw);
        work.draws = vec![draw];
        Ok(processor::least(RUNS, || device.run(&work).map(drop))?)
    };
    let mut times = vec![("original", least(Scene::of(&shader.words))?)];
    if device.capabilities().transform_feedback.is_some() {
        let options = Options::new().interleaved([varying.clone()]);
        let decorated = decorate(&module, "main", &options)?;
        let mut scene = Scene::of(decorated.module.words());
        scene.by_the_driver();
        times.push(("captured by the driver", least(scene)?));
    }
    let (list, strip) = (Topology::TriangleList, Topology::TriangleStrip);
    let any = options(varying.clone());
    for (name, topology, options) in [
        ("capture-only, any draw", list, any.clone()),
        ("the same, one limit", list, any.clone().one_limit()),
        ("a list, one limit", list, any.clone().topologies([list]).one_limit()),
        ("a list, one limit, one instance", list, known(varying.clone(), list)),
        ("a strip, one limit", strip, any.clone().topologies([strip]).one_limit()),
    ] {
        let variants = Variants::new(&module, "main", &options)?;
        let mut scene = Scene::new(3);
        scene.captured(&variants, topology, 3)?;
        times.push((name, least(scene)?));
    }
    let variants = Variants::new(&module, "main", &any)?;
    times.push(("raster-only", least(Scene::of(variants.raster_only.words()))?));
    let position = position_only::derive(&module, "main", &position_only::Options::new())?;
    times.push(("position-only", least(Scene::of(position.module.words()))?));

    let empty = least(Scene::of(nothing))?;
    let own = times.into_iter().map(|(name, time)| (name, time.saturating_sub(empty)));
    Ok(own.collect())
}
