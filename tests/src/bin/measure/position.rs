//! Measures a vertex-bound position-only pass, and compares the time to derive the variant with SPIRV-Tools' passes.

use crate::{Result, fragment, row, time, vertex};
use polyshade::Module;
use polyshade::host::{Lowered, SideEffects};
use polyshade::position_only::{self, Options};
use polyshade::spv::ExecutionModel;
use polyshade_tests::{dead_code, shader};
use polyshade_vulkan::{
    Attribute, DepthTest, Device, Draw, Place, Stage, Target, VertexBuffer, VertexLayout, Work, vk,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// The number of vertices of a draw, and of instances in a large and a small draw. Their difference in time is the
/// vertices' cost.
const VERTICES: u32 = 3 << 16;
const MANY: u32 = 129;
const FEW: u32 = 1;

/// A surface with per-vertex lighting. All triangles are outside the view, so only vertices are shaded.
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

/// Prints the time per vertex, in nanoseconds.
pub(crate) fn measure(device: &Device) -> Result<()> {
    let (full, fragment) = (vertex(LIT)?, fragment(FRAGMENT)?);
    let module = Module::parse(&full)?;
    let variant = position_only::lower(&module, "main", &Options::new())?;
    let interface = position_only::lower(&module, "main", &Options::new().keep_interface())?;
    let time = |words, fragment, locations| instances(device, words, fragment, locations);
    let times = [
        ("full shader", time(&full, Some(&fragment[..]), 4)?),
        ("depth only", time(&full, None, 4)?),
        ("position only, all inputs bound", time(interface.module.words(), None, 4)?),
        ("position only, only its stream bound", time(variant.module.words(), None, 1)?),
    ];
    row("nanoseconds per vertex", &times);
    Ok(())
}

/// Returns the time per vertex in nanoseconds, with attributes at the first `locations` locations.
fn instances(
    device: &Device,
    vertex: &[u32],
    fragment: Option<&[u32]>,
    locations: u32,
) -> Result<f64> {
    // Lay out random attributes.
    let stride = 16 * locations;
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 16) as f32 / 65536.0;
    let attributes: Vec<u8> =
        (0..VERTICES * 4 * locations).flat_map(|i| number(i).to_ne_bytes()).collect();
    let format = vk::Format::R32G32B32A32_SFLOAT;
    let attribute = |location| Attribute { location, format, offset: location * 16 };
    let layout = VertexLayout {
        stride,
        rate: vk::VertexInputRate::VERTEX,
        attributes: (0..locations).map(attribute).collect(),
    };
    let place = Place { buffer: 0, offset: 0 };
    let target = |format| Target::new(format, 64, 64);
    let mut stages = vec![Stage::vertex(vertex)];
    stages.extend(fragment.map(Stage::fragment));
    // Draw few and many instances; the difference is the time of the vertices.
    let work = |instances| Work {
        buffers: vec![attributes.clone()],
        targets: [vk::Format::R8G8B8A8_UNORM, vk::Format::D32_SFLOAT].map(target).to_vec(),
        draws: vec![Draw {
            stages: stages.clone(),
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            vertex_buffers: vec![VertexBuffer { place, layout: layout.clone() }],
            push_constants: (0..16).flat_map(|i| number(i).to_ne_bytes()).collect(),
            target: fragment.map(|_| 0),
            depth: Some(DepthTest::nearest(1)),
            vertices: 0..VERTICES,
            instances: 0..instances,
            ..Draw::default()
        }],
        ..Work::default()
    };
    let vertices = f64::from((MANY - FEW) * VERTICES);
    time::per_unit(device, [&work(FEW), &work(MANY)], vertices)
}

/// Prints the times and resulting instruction counts of the derivation and of SPIRV-Tools' equivalent passes. Shaders
/// with more than one entry point are skipped.
pub(crate) fn against_spirv_tools(shaders: &[String]) -> Result<()> {
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let (mut words_in, mut left, mut left_by_them, mut count) = (0, 0, [0; 2], 0);
    for path in shaders {
        // Skip shaders that cannot be compared.
        let words = shader::read(Path::new(path))?;
        let Ok(m) = Module::parse(&words) else { continue };
        let mut entries = m.entry_points();
        let (Some(entry), None) = (entries.next(), entries.next()) else { continue };
        if entry.model() != ExecutionModel::VERTEX || shader::validate(&words).is_err() {
            continue;
        }
        let name = entry.name().into_owned();
        let options = Options::new().side_effects(SideEffects::InFirstPass);
        let without = dead_code::without(&m, &name, &dead_code::varyings(&m, &name));
        let Some(without) = without else { continue };
        let Ok(variant) = position_only::lower(&m, name.as_str(), &options) else { continue };
        let Some(reduced) = dead_code::remove(&without) else { continue };
        let Some(optimized) = dead_code::optimize(&without) else { continue };
        // Count the instructions of both results.
        let instructions = |words: &[u32]| Module::parse(words).map(|m| m.instructions().count());
        left += instructions(variant.module.words())?;
        left_by_them[0] += instructions(&reduced)?;
        left_by_them[1] += instructions(&optimized)?;
        words_in += words.len();
        count += 1;
        // Measure both.
        ours += shortest(|| {
            let m = Module::parse(&words)?;
            position_only::lower(&m, name.as_str(), &options).map(Lowered::into_owned)
        });
        theirs += shortest(|| dead_code::remove(&without));
    }
    // Print the results, per 10 kB of SPIR-V.
    let per_10kb = |time: Duration| time.as_secs_f64() * 1e6 * 2500.0 / words_in.max(1) as f64;
    println!("{count} shaders with {words_in} words in total, reduced to their positions");
    println!("  polyshade     {:9.1} µs per 10 kB, {left} instructions left", per_10kb(ours));
    println!(
        "  SPIRV-Tools   {:9.1} µs per 10 kB, {} instructions left",
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
    (0..time::RUNS).map(run).min().unwrap_or_default()
}
