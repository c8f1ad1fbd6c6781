//! Measures what a capture into storage buffers costs a driver: of a vertex, beside the driver's own feature, in the
//! device's time; and of the first draw with a new pipeline, beside the shader as it is, in processor time.
//!
//!     MESA_SHADER_CACHE_DISABLE=true cargo run --release -p polyshade-tests --bin capture-cost [SHADER.spv…]
//!
//! Drivers are those that `VK_DRIVER_FILES` names. The shaders are those of a corpus; all that can be bound and are not
//! short or long are taken.

use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{Options, Topology, Varying, capturable, decorate, strip};
use polyshade::{Module, position_only};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::drawable::Drawable;
use polyshade_tests::processor;
use polyshade_tests::scene::{HEAVY, RUNS, SET, Scene, TRIVIAL, known, measure, options};
use polyshade_vulkan::{Descriptor, Device, Resource, Variants, vk};
use std::error::Error;
use std::ops;
use std::path::Path;
use std::time::Duration;

/// The shaders that are taken of a corpus, in words.
const LENGTHS: ops::Range<usize> = 200..2000;

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
        let Scene { mut work, mut draw, .. } = scene;
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
    let position = position_only::lower(&module, "main", &position_only::Options::new())?;
    times.push(("position-only", least(Scene::of(position.module.words()))?));

    let empty = least(Scene::of(nothing))?;
    let own = times.into_iter().map(|(name, time)| (name, time.saturating_sub(empty)));
    Ok(own.collect())
}
