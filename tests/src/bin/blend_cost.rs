//! Measures what blending in the shader costs a driver, beside ordinary and native advanced blending: nanoseconds a
//! pixel and layer, of full-screen layers drawn in one draw.
//!
//!     cargo run --release -p polyshade-tests --bin blend-cost
//!
//! Drivers are those that `VK_DRIVER_FILES` names.

use polyshade::Module;
use polyshade::advanced_blend::{self, Equation, Options};
use polyshade::host::Place;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::processor;
use polyshade_vulkan::{
    Blend, BlendTerm, Constant, Descriptor, Device, Draw, Resource, Stage, Target, Work, vk,
};
use std::error::Error;

const SIDE: u32 = 512;
const LAYERS: u32 = 33;
/// Each is measured this often, and the shortest time counts: others share the machine.
const RUNS: u32 = 4;

const COVER: &str = "#version 450
    layout(location = 0) flat out vec4 v_colour;
    void main() {
        v_colour = vec4(0.1, 0.2, 0.3, 0.5) + 0.001 * gl_InstanceIndex;
        gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
    }";

const FLAT: &str = "#version 450
    layout(location = 0) flat in vec4 v_colour;
    layout(location = 0) out vec4 colour;
    void main() { colour = v_colour; }";

fn main() -> Result<(), Box<dyn Error>> {
    let vertex = compile(COVER, ShaderStage::Vertex, SpirvVersion::SPIRV1_0)?;
    let plain = compile(FLAT, ShaderStage::Fragment, SpirvVersion::SPIRV1_0)?;
    let module = Module::parse(&plain)?;
    let one = Options::new().equations([Equation::SoftLight]);
    let words = Some(Place::PushConstant { offset: 0 });
    let constant = advanced_blend::lower(&module, "main", &one)?;
    let selected = advanced_blend::lower(&module, "main", &Options::new().all().select(words))?;
    let words = Some(Place::Specialization { first_id: 0 });
    let specialized = advanced_blend::lower(&module, "main", &Options::new().all().select(words))?;
    let [constant, selected, specialized] =
        [&constant, &selected, &specialized].map(|lowered| lowered.module.words());

    let term = BlendTerm {
        source: vk::BlendFactor::ONE,
        destination: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        operation: vk::BlendOp::ADD,
    };
    let ordinary = Blend { terms: Some([term; 2]), ..Blend::default() };
    let native = Blend::advanced(vk::BlendOp::SOFTLIGHT_EXT);
    for (name, device) in processor::devices()? {
        println!("{name}");
        let time =
            |fragment: &[u32], blend: Option<Blend>| measure(&device, [&vertex, fragment], blend);
        println!("  no blending                     {:7.2}", time(&plain, None)?);
        println!("  ordinary, source over           {:7.2}", time(&plain, Some(ordinary))?);
        if device.capabilities().blending.native.is_some() {
            println!("  native soft light               {:7.2}", time(&plain, Some(native))?);
        }
        println!("  soft light in the shader        {:7.2}", time(constant, None)?);
        println!("  by a specialization constant    {:7.2}", time(specialized, None)?);
        println!("  by a push constant, among all   {:7.2}", time(selected, None)?);
    }
    Ok(())
}

/// Nanoseconds a pixel and layer: what many layers take longer than one.
fn measure(
    device: &Device,
    stages: [&[u32]; 2],
    blend: Option<Blend>,
) -> Result<f64, Box<dyn Error>> {
    let reads = Module::parse(stages[1])?
        .variables()
        .any(|variable| variable.storage_class() == polyshade::spv::StorageClass::UNIFORM_CONSTANT);
    let mut fragment = Stage::fragment(stages[1]);
    fragment.specialization = vec![(0, Constant::Bits32(Equation::SoftLight.word()))];
    let attachment = Descriptor::new(3, 0, Resource::InputAttachment(0));
    let work = |layers| Work {
        targets: vec![Target::new(vk::Format::R8G8B8A8_UNORM, SIDE, SIDE)],
        draws: vec![Draw {
            stages: vec![Stage::vertex(stages[0]), fragment.clone()],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            descriptors: if reads { vec![attachment] } else { Vec::new() },
            push_constants: Equation::SoftLight.word().to_ne_bytes().to_vec(),
            blends: blend.into_iter().collect(),
            target: Some(0),
            vertices: 0..3,
            instances: 0..layers,
            ..Draw::default()
        }],
        ..Work::default()
    };
    let shortest = |layers| processor::of_draws(device, &work(layers), RUNS);
    let (one, many) = (shortest(1)?, shortest(LAYERS)?);
    let pixels = f64::from(SIDE) * f64::from(SIDE) * f64::from(LAYERS - 1);
    Ok(many.saturating_sub(one).as_nanos() as f64 / pixels)
}
