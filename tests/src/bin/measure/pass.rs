//! Measures when it is faster to run the shader of a captured and rasterized draw once, with its outputs in a buffer,
//! than to run it twice. The cost of the shader and the size of its outputs vary.

use crate::scene::{Scene, Step, known};
use crate::{Result, row, vertex};
use polyshade::Module;
use polyshade::transform_feedback::Topology;
use polyshade_vulkan::{Device, Variants};

/// The number of iterations of a loop with about 18 instructions.
const TURNS: [u32; 5] = [0, 8, 32, 64, 200];
/// The number of vectors in addition to the position.
const VECTORS: [u32; 3] = [1, 4, 12];

pub(crate) fn measure(device: &Device) -> Result<()> {
    for vectors in VECTORS {
        for turns in TURNS {
            shader_once_or_twice(device, turns, vectors)?;
        }
    }
    Ok(())
}

/// Returns a shader with this many iterations and output vectors. The first vector is captured.
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

fn shader_once_or_twice(device: &Device, turns: u32, vectors: u32) -> Result<()> {
    let words = vertex(&shader(turns, vectors))?;
    let module = Module::parse(&words)?;
    let options = known("v0".into(), Topology::TriangleList);
    let twice = Variants::new(&module, "main", &options)?;
    let once = Variants::new(&module, "main", &options.spill_outputs())?;
    let [_, spilled] = once.spilled.as_ref().ok_or("the options request spilled outputs")?;
    let (plain, twice, once) = (Step::Plain(&words), Step::Capture(&twice), Step::Capture(&once));
    let time = |steps: &[Step<'_>]| Scene::new(Topology::TriangleList).measure(device, steps);
    let by_two = time(&[twice, plain])?;
    let by_passing = time(&[once, Step::ReloadOutputs(spilled.words())])?;
    let times = [
        ("not captured", time(&[plain])?),
        ("twice", by_two),
        ("the capture alone", time(&[twice])?),
        ("once", by_passing),
        ("the capture alone", time(&[once])?),
        ("ratio", by_passing / by_two),
    ];
    row(&format!("{vectors} vectors, {turns} iterations"), &times);
    Ok(())
}
