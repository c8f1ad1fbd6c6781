//! Measures captures into storage buffers: the time per vertex compared with the native feature, and the processor
//! time of the first draw with a new pipeline compared with the original shader.

use crate::drawable::Drawable;
use crate::scene::{HEAVY, Scene, Step, TRIVIAL, known, options};
use crate::{Result, row, time, vertex};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{Options, Topology, capturable, decorate, strip};
use polyshade::{Module, position_only};
use polyshade_vulkan::{Device, Variants};
use std::ops;
use std::path::Path;
use std::time::Duration;

/// The lengths of the measured corpus shaders, in words.
const LENGTHS: ops::Range<usize> = 200..2000;

pub(crate) fn measure(device: &Device, paths: &[String]) -> Result<()> {
    for (name, text) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
        vertices(device, name, &vertex(text)?)?;
    }
    let read = |path: &String| Drawable::read(Path::new(path), LENGTHS);
    let shaders: Vec<Drawable> = paths.iter().filter_map(read).collect();
    if shaders.is_empty() { Ok(()) } else { first_draws(device, &shaders) }
}

/// Prints the time per vertex of a shader with `xfb_*` decorations, in nanoseconds.
fn vertices(device: &Device, name: &str, decorated: &[u32]) -> Result<()> {
    let decorating = Module::parse(decorated)?;
    let module = strip(&decorating, 0)?;
    let any = Variants::new(&module, "main", &options("captured".into()))?;
    for topology in [Topology::PointList, Topology::TriangleList, Topology::TriangleStrip] {
        let known = Variants::new(&module, "main", &known("captured".into(), topology))?;
        let time = |step| Scene::new(topology).measure(device, &[step]);
        let mut times = vec![("not captured", time(Step::Plain(module.words()))?)];
        if device.capabilities().transform_feedback.is_some() {
            times.push(("by the driver", time(Step::Native(decorated))?));
        }
        times.push(("by stores", time(Step::Capture(&any))?));
        times.push(("by stores, with fixed draw options", time(Step::Capture(&known))?));
        row(&format!("{name}, {topology:?}"), &times);
    }
    Ok(())
}

/// Prints the average time of the first draw of three vertices with a new pipeline: pipeline creation and shader
/// compilation, minus the time of an empty shader.
fn first_draws(device: &Device, shaders: &[Drawable]) -> Result<()> {
    let nothing = vertex("#version 450\nvoid main() { gl_Position = vec4(0); }")?;
    // Shaders that cannot be captured or run are skipped.
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

/// Returns the times of the original and of its variants. The original comes first.
fn first_draw(
    device: &Device,
    shader: &Drawable,
    nothing: &[u32],
) -> Result<Vec<(&'static str, Duration)>> {
    // Capture the first output that can be captured.
    let module = Module::parse(&shader.words)?;
    let outputs = capturable(&module, module.entry_point("main", ExecutionModel::VERTEX)?);
    let first = outputs.into_iter().find(|(_, components)| components.is_ok());
    let (varying, _) = first.ok_or("the shader has no output that can be captured")?;
    let least = |topology, step: Step<'_>| -> Result<Duration> {
        let mut work = Scene::new(topology).work(&[step], 3, 3)?;
        let mut draw = work.draws.pop().ok_or("every step is a draw")?;
        shader.bind(&mut work, &mut draw);
        work.draws = vec![draw];
        Ok(time::of_processor(|| device.run(&work).map(drop))?)
    };
    // The original shader and the native feature.
    let (list, strip) = (Topology::TriangleList, Topology::TriangleStrip);
    let plain = |words| least(list, Step::Plain(words));
    let mut times = vec![("original", plain(&shader.words)?)];
    if device.capabilities().transform_feedback.is_some() {
        let options = Options::new().interleaved([varying.clone()]);
        let decorated = decorate(&module, "main", &options)?;
        let native = Step::Native(decorated.module.words());
        times.push(("captured by the driver", least(list, native)?));
    }
    // The capture-only variants, then the variants that are drawn.
    let any = options(varying.clone());
    for (name, topology, options) in [
        ("capture-only, any draw", list, any.clone()),
        ("the same, one limit", list, any.clone().limit_in_vertices()),
        ("a list, one limit", list, any.clone().topologies([list]).limit_in_vertices()),
        ("a list, one limit, one instance", list, known(varying.clone(), list)),
        ("a strip, one limit", strip, any.clone().topologies([strip]).limit_in_vertices()),
    ] {
        let variants = Variants::new(&module, "main", &options)?;
        times.push((name, least(topology, Step::Capture(&variants))?));
    }
    let variants = Variants::new(&module, "main", &any)?;
    times.push(("raster-only", plain(variants.raster_only.words())?));
    let position = position_only::lower(&module, "main", &position_only::Options::new())?;
    times.push(("position-only", plain(position.module.words())?));

    // Subtract the time of an empty shader.
    let empty = plain(nothing)?;
    let own = times.into_iter().map(|(name, time)| (name, time.saturating_sub(empty)));
    Ok(own.collect())
}
