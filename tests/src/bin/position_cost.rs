//! Measures what a position-only pass costs a driver beside the full shader, in a scene bound by its vertices; and how
//! long making the variant takes beside SPIRV-Tools' passes for the same.
//!
//!     cargo run --release -p polyshade-tests --bin position-cost [SHADER.spv…]
//!
//! Drivers are those that `VK_DRIVER_FILES` names. The shaders are those of a corpus, of one vertex entry point each.

use polyshade::Module;
use polyshade::host::Lowered;
use polyshade::position_only::{self, Options, SideEffects};
use polyshade::spv::ExecutionModel;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::{dead_code, processor, shader};
use polyshade_vulkan::{
    Attribute, DepthTest, Device, Draw, Place, Stage, Target, VertexBuffer, VertexLayout, Work, vk,
};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

/// Vertices of a draw, and instances of the large draw and of the small one: what the large takes longer is the
/// vertices' own.
const VERTICES: u32 = 3 << 16;
const MANY: u32 = 129;
const FEW: u32 = 1;
/// Each is measured this often, and the shortest time counts: others share the machine.
const RUNS: u32 = 3;

/// A surface lit at its vertices. Its triangles are far to the side: nothing is shaded but vertices.
const LIT: &str = "#version 450
    layout(location = 0) in vec4 a_place;
    layout(location = 1) in vec4 a_normal;
    layout(location = 2) in vec4 a_tangent;
    layout(location = 3) in vec4 a_colour;
    layout(location = 0) out vec3 v_normal;
    layout(location = 1) out vec3 v_tangent;
    layout(location = 2) out vec4 v_colour;
    layout(push_constant) uniform P { mat4 m; };
    void main() {
        gl_Position = m * a_place + vec4(4.0, 0.0, 0.0, 1.0);
        v_normal = normalize(mat3(m) * a_normal.xyz);
        v_tangent = normalize(a_tangent.xyz - v_normal * dot(v_normal, a_tangent.xyz));
        vec4 light = vec4(0.1);
        for (int i = 0; i < 8; ++i) {
            vec3 to = vec3(i, 2.0 - i, 1.0) - a_place.xyz;
            float near = inversesqrt(dot(to, to) + 0.1);
            light += a_colour * max(dot(v_normal, to * near), 0.0) * near;
        }
        v_colour = light;
    }";

const FRAGMENT: &str = "#version 450
    layout(location = 0) in vec3 v_normal;
    layout(location = 1) in vec3 v_tangent;
    layout(location = 2) in vec4 v_colour;
    layout(location = 0) out vec4 colour;
    void main() { colour = v_colour + vec4(v_normal + v_tangent, 0.0); }";

fn main() -> Result<(), Box<dyn Error>> {
    let shaders: Vec<String> = std::env::args().skip(1).collect();
    if !shaders.is_empty() {
        against_spirv_tools(&shaders)?;
    }
    let full = compile(LIT, ShaderStage::Vertex, SpirvVersion::SPIRV1_0)?;
    let fragment = compile(FRAGMENT, ShaderStage::Fragment, SpirvVersion::SPIRV1_0)?;
    let module = Module::parse(&full)?;
    let variant = position_only::lower(&module, "main", &Options::new())?;
    let interface = position_only::lower(&module, "main", &Options::new().keep_interface())?;
    for (name, device) in processor::devices()? {
        println!("{name}: nanoseconds a vertex");
        let time = |vertex: &[u32], fragment: Option<&[u32]>, locations: u32| {
            measure(&device, vertex, fragment, locations)
        };
        let whole = time(&full, Some(&fragment), 4)?;
        println!("  full shader                          {whole:7.2}");
        for (what, words, locations) in [
            ("full shader, depth only", &full[..], 4),
            ("position only, all inputs bound", interface.module.words(), 4),
            ("position only, its own stream bound", variant.module.words(), 1),
        ] {
            let one = time(words, None, locations)?;
            println!("  {what:<36} {one:7.2}  {:4.0} %", one / whole * 100.0);
        }
    }
    Ok(())
}

/// Nanoseconds a vertex with attributes at the first `locations`: what many instances take longer than one.
fn measure(
    device: &Device,
    vertex: &[u32],
    fragment: Option<&[u32]>,
    locations: u32,
) -> Result<f64, Box<dyn Error>> {
    let stride = 16 * locations;
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 16) as f32 / 65536.0;
    let attributes = (0..VERTICES * 4 * locations).flat_map(|i| number(i).to_ne_bytes()).collect();
    let format = vk::Format::R32G32B32A32_SFLOAT;
    let attribute = |location| Attribute { location, format, offset: location * 16 };
    let layout = VertexLayout {
        stride,
        rate: vk::VertexInputRate::VERTEX,
        attributes: (0..locations).map(attribute).collect(),
    };
    let target = |format| Target::new(format, 64, 64);
    let mut stages = vec![Stage::vertex(vertex)];
    stages.extend(fragment.map(Stage::fragment));
    let mut work = Work {
        buffers: vec![attributes],
        targets: [vk::Format::R8G8B8A8_UNORM, vk::Format::D32_SFLOAT].map(target).to_vec(),
        draws: vec![Draw {
            stages,
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            vertex_buffers: vec![VertexBuffer { place: Place { buffer: 0, offset: 0 }, layout }],
            push_constants: (0..16).flat_map(|i| number(i).to_ne_bytes()).collect(),
            target: fragment.map(|_| 0),
            depth: Some(DepthTest::nearest(1)),
            vertices: 0..VERTICES,
            ..Draw::default()
        }],
        ..Work::default()
    };
    let mut shortest = |instances| {
        work.draws[0].instances = 0..instances;
        processor::of_draws(device, &work, RUNS)
    };
    let (few, many) = (shortest(FEW)?, shortest(MANY)?);
    let vertices = f64::from((MANY - FEW) * VERTICES);
    Ok(many.saturating_sub(few).as_nanos() as f64 / vertices)
}

/// How long both take for the same shaders, one after the other, and what is left of them.
fn against_spirv_tools(shaders: &[String]) -> Result<(), Box<dyn Error>> {
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let (mut words_in, mut left, mut left_by_them, mut count) = (0, 0, [0; 2], 0);
    for path in shaders {
        let words = shader::read(Path::new(path))?;
        let Ok(m) = Module::parse(&words) else { continue };
        let mut entries = m.entry_points();
        let (Some(entry), None) = (entries.next(), entries.next()) else { continue };
        if entry.model() != ExecutionModel::VERTEX || shader::validate(&words).is_err() {
            continue;
        }
        let name = entry.name().into_owned();
        let options = Options::new().side_effects(SideEffects::InPositionOnly);
        let without = dead_code::without(&m, &name, &dead_code::varyings(&m, &name));
        let Some(without) = without else { continue };
        let Ok(variant) = position_only::lower(&m, name.as_str(), &options) else { continue };
        let Some(reduced) = dead_code::remove(&without) else { continue };
        let Some(optimized) = dead_code::optimize(&without) else { continue };
        let instructions = |words: &[u32]| Module::parse(words).map(|m| m.instructions().count());
        left += instructions(variant.module.words())?;
        left_by_them[0] += instructions(&reduced)?;
        left_by_them[1] += instructions(&optimized)?;
        words_in += words.len();
        count += 1;
        ours += shortest(|| {
            let m = Module::parse(&words)?;
            position_only::lower(&m, name.as_str(), &options).map(Lowered::into_owned)
        });
        theirs += shortest(|| dead_code::remove(&without));
    }
    let per_10kb = |time: Duration| time.as_secs_f64() * 1e6 * 2500.0 / words_in.max(1) as f64;
    println!("{count} shaders of {words_in} words in all, reduced to their positions");
    println!("  polyshade     {:9.1} µs a 10 kB, {left} instructions left", per_10kb(ours));
    println!(
        "  SPIRV-Tools   {:9.1} µs a 10 kB, {} instructions left",
        per_10kb(theirs),
        left_by_them[0]
    );
    println!("  with -O                               {} instructions left", left_by_them[1]);
    println!("  ratio         {:9.1}", theirs.as_secs_f64() / ours.as_secs_f64());
    Ok(())
}

fn shortest<T>(mut work: impl FnMut() -> T) -> Duration {
    let run = |_| {
        let started = Instant::now();
        std::hint::black_box(work());
        started.elapsed()
    };
    (0..RUNS).map(run).min().unwrap_or_default()
}
