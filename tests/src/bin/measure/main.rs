//! Measures the cost of lowerings on the drivers that `VK_DRIVER_FILES` names, and draws the pictures of
//! docs/lowerings/advanced-blend.md.
//!
//! The shaders come from a corpus. Set `MESA_SHADER_CACHE_DISABLE=true` to make llvmpipe compile them each time.

mod blend;
mod capture;
mod drawable;
mod fetch;
mod pass;
mod position;
mod scene;
mod sheet;
mod stages;
mod time;

use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_vulkan::Device;
use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: measure blend|blend-sheet FILE|capture [SHADER.spv...]|fetch|pass|position|stages|\
    derive-position SHADER.spv...";

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or(USAGE)?;
    let paths: Vec<String> = arguments.collect();
    let on_device: fn(&Device, &[String]) -> Result<()> = match (name.as_str(), &paths[..]) {
        ("blend", []) => |device, _| blend::measure(device),
        ("capture", _) => capture::measure,
        ("fetch", []) => |device, _| fetch::measure(device),
        ("pass", []) => |device, _| pass::measure(device),
        ("position", []) => |device, _| position::measure(device),
        ("stages", []) => |device, _| stages::measure(device),
        ("blend-sheet", [path]) => return sheet::draw(path),
        ("derive-position", [_, ..]) => return position::against_spirv_tools(&paths),
        _ => return Err(USAGE.into()),
    };
    for (name, device) in time::devices()? {
        println!("{name}");
        on_device(&device, &paths)?;
    }
    Ok(())
}

fn vertex(text: &str) -> Result<Vec<u32>> {
    Ok(compile(text, ShaderStage::Vertex, SpirvVersion::SPIRV1_3)?)
}

fn fragment(text: &str) -> Result<Vec<u32>> {
    Ok(compile(text, ShaderStage::Fragment, SpirvVersion::SPIRV1_3)?)
}

/// Prints numbers with their names on one line.
fn row(name: &str, numbers: &[(&str, f64)]) {
    let numbers = numbers.iter().map(|(name, number)| format!("{name} {number:.3}"));
    println!("  {name}: {}", numbers.collect::<Vec<_>>().join(", "));
}
