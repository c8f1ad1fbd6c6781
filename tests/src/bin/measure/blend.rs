//! Measures blending in the shader, compared with fixed-function blending and native advanced blending, in
//! full-screen layers.

use crate::{Result, fragment, row, time, vertex};
use polyshade::Module;
use polyshade::advanced_blend::{self, Equation, Options};
use polyshade::host::ParamSource;
use polyshade::spv::StorageClass;
use polyshade_vulkan::{
    Blend, BlendTerm, Constant, Descriptor, Device, Draw, Resource, Stage, Target, Work, vk,
};

const SIDE: u32 = 512;
const LAYERS: u32 = 33;

/// Draws a triangle that covers a target, with a colour for each instance.
pub(crate) const COVER: &str = "#version 450
    layout(location = 0) flat out vec4 v_colour;
    void main() {
        v_colour = vec4(0.1, 0.2, 0.3, 0.5) + 0.001 * gl_InstanceIndex;
        gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
    }";

const FLAT: &str = "#version 450
    layout(location = 0) flat in vec4 v_colour;
    layout(location = 0) out vec4 colour;
    void main() { colour = v_colour; }";

/// Prints the time per pixel and layer in nanoseconds.
pub(crate) fn measure(device: &Device) -> Result<()> {
    let (vertex, plain) = (vertex(COVER)?, fragment(FLAT)?);
    let module = Module::parse(&plain)?;
    let lower = |options: Options| advanced_blend::lower(&module, "main", &options);
    let selected = |place| lower(Options::new().all().select(Some(place)));
    let constant = lower(Options::new().equations([Equation::SoftLight]))?;
    let specialized = selected(ParamSource::Specialization { first_id: 0 })?;
    let pushed = selected(ParamSource::PushConstant { offset: 0 })?;

    let term = BlendTerm {
        source: vk::BlendFactor::ONE,
        destination: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        operation: vk::BlendOp::ADD,
    };
    let ordinary = Blend { terms: Some([term; 2]), ..Blend::default() };
    let time = |fragment: &[u32], blend| layers(device, [&vertex, fragment], blend);
    let mut times = vec![
        ("no blending", time(&plain, None)?),
        ("fixed-function, source over", time(&plain, Some(ordinary))?),
        ("soft light in the shader", time(constant.module.words(), None)?),
        ("by a specialization constant", time(specialized.module.words(), None)?),
        ("by a push constant, all equations", time(pushed.module.words(), None)?),
    ];
    if device.capabilities().blending.native.is_some() {
        let native = Blend::advanced(vk::BlendOp::SOFTLIGHT_EXT);
        times.push(("native soft light", time(&plain, Some(native))?));
    }
    row("nanoseconds per pixel and layer", &times);
    Ok(())
}

fn layers(device: &Device, stages: [&[u32]; 2], blend: Option<Blend>) -> Result<f64> {
    let reads = Module::parse(stages[1])?
        .variables()
        .any(|variable| variable.storage_class() == StorageClass::UNIFORM_CONSTANT);
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
    let pixels = f64::from(SIDE) * f64::from(SIDE) * f64::from(LAYERS - 1);
    time::per_unit(device, [&work(1), &work(LAYERS)], pixels)
}
