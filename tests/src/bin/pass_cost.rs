//! Measures when it pays that a draw which is captured and rasterized runs its shader once: what vertices hand on then
//! passes through a buffer. Beside it, the shader twice; in processor time a vertex,
//! over the cost of the shader, what it hands on, and the vertices of a draw. Nothing is rasterized, which would cost
//! all of them the same.
//!
//!     MESA_SHADER_CACHE_DISABLE=true cargo run --release -p polyshade-tests --bin pass-cost
//!
//! Drivers are those that `VK_DRIVER_FILES` names.

use polyshade::Module;
use polyshade::transform_feedback::{Options, Topology};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::processor;
use polyshade_tests::scene::{RUNS, Scene, known};
use polyshade_vulkan::{Device, Place, Variants, VertexBuffer, vk};
use std::error::Error;

/// Turns of a loop of some 18 instructions.
const TURNS: [u32; 5] = [0, 8, 32, 64, 200];
/// Vectors beside the position.
const VECTORS: [u32; 3] = [1, 4, 12];
/// Vertices of a draw.
const VERTICES: [u32; 4] = [999, 9_999, 99_999, 999_999];
/// As many of all draws of a run.
const MOST: u32 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    for (name, device) in processor::devices()? {
        println!("{name}: ns a vertex");
        for vectors in VECTORS {
            for turns in TURNS {
                measure(&device, turns, vectors, 99_999)?;
            }
        }
        for turns in [0, 200] {
            for vertices in VERTICES {
                measure(&device, turns, 1, vertices)?;
            }
        }
    }
    Ok(())
}

/// A shader that computes for so many turns and hands on so many vectors, of which the first is captured.
fn shader(turns: u32, vectors: u32) -> String {
    let declare = |at: u32| format!("layout(location = {at}) out vec4 v{at};\n");
    let store = |at: u32| format!("v{at} = value * {}.0;\n", at + 1);
    let declared: String = (0..vectors).map(declare).collect();
    let stored: String = (0..vectors).map(store).collect();
    format!(
        "#version 450
        layout(location = 0) in vec4 position;
        {declared}
        void main() {{
            vec4 value = position;
            for (int i = 0; i < {turns}; ++i)
                value = fract(value.yzwx * 1.7 + sqrt(abs(value)) * 0.3);
            {stored}
            gl_Position = value;
            gl_PointSize = 1;
        }}"
    )
}

fn measure(device: &Device, turns: u32, vectors: u32, vertices: u32) -> Result<(), Box<dyn Error>> {
    let words = compile(&shader(turns, vectors), ShaderStage::Vertex, SpirvVersion::SPIRV1_3)?;
    let module = Module::parse(&words)?;
    let topology = Topology::TriangleList;
    let asked: Options = known("v0".into(), topology);
    let twice = Variants::new(&module, "main", &asked)?;
    let once = Variants::new(&module, "main", &asked.clone().pass_through())?;
    let [_, passing] = once.passing.as_ref().ok_or("it is asked for")?;

    let draws = (MOST / vertices).max(1) as usize;
    let native = vk::PrimitiveTopology::TRIANGLE_LIST;
    let least = |steps: &[Step<'_>]| -> Result<f64, Box<dyn Error>> {
        let mut scene = Scene::new(vertices);
        let mut all = Vec::new();
        for step in steps {
            match *step {
                Step::Plain(words) => scene.plain(words, native, vertices),
                Step::Capture(variants) => scene.captured(variants, topology, vertices)?,
                Step::PassThrough(words) => scene.passed_through(words, native),
            }
            let mut draw = scene.draw.clone();
            let is_fed = !matches!(step, Step::PassThrough(_));
            let layout = scene.layout.clone().filter(|_| is_fed);
            let place = Place { buffer: 0, offset: 0 };
            draw.vertex_buffers =
                layout.map(|layout| VertexBuffer { place, layout }).into_iter().collect();
            all.push(draw);
        }
        let least = |work: &_| processor::of_draws(device, work, RUNS);
        let empty = least(&scene.work)?;
        scene.work.draws = (0..draws).flat_map(|_| all.clone()).collect();
        let time = least(&scene.work)?.saturating_sub(empty);
        Ok(time.as_nanos() as f64 / (draws as f64 * f64::from(vertices)))
    };
    let alone = least(&[Step::Plain(&words)])?;
    let by_two = least(&[Step::Capture(&twice), Step::Plain(&words)])?;
    let capture_only = least(&[Step::Capture(&twice)])?;
    let capture = least(&[Step::Capture(&once)])?;
    let by_passing = least(&[Step::Capture(&once), Step::PassThrough(passing.words())])?;
    println!(
        "  {vertices:>7} vertices, {vectors:>2} vectors, {turns:>3} turns: not captured {alone:6.1}, \
         twice {by_two:6.1} (capture {capture_only:6.1}), once {by_passing:6.1} (capture {capture:6.1}), {:.2}",
        by_passing / by_two
    );
    Ok(())
}

/// A draw of a strategy.
#[derive(Clone, Copy)]
enum Step<'s> {
    Plain(&'s [u32]),
    Capture(&'s Variants<'s>),
    PassThrough(&'s [u32]),
}
