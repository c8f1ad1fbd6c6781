//! The position-only variant and its complement compute the same outputs as the full shader, bit for bit.

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::noise::Noise;
use crate::position_shaders::{TANGLED, Tangled};
use crate::storage::host_draw;
use polyshade::host::{Binding, Set};
use polyshade::position_only::{self, Options, Variant};
use polyshade::transform_feedback::{self, BufferRange, ProvokingVertex, Topology};
use polyshade::{Error, Module};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{Decoration, StorageClass};
use polyshade_vulkan::{
    Attribute, Descriptor, Draw, Place, Range, Resource, Variants, VertexBuffer, VertexLayout,
    Work, capture_draw, model, vk,
};

const VERTICES: u32 = 96;
const INSTANCES: u32 = 2;
/// The size of the uniform block and the size of a vertex's attributes, in bytes.
const UNIFORMS: usize = 64 + 48 + 64 + 256 + 16;
const STRIDE: u32 = 48;
pub(crate) const SEEDS: u64 = 3;

/// Returns a variant of a shader.
#[track_caller]
pub(crate) fn lowered<'m>(m: &'m Module<'_>, options: &Options) -> Module<'m> {
    let lowered = position_only::lower(m, "main", options);
    lowered.unwrap_or_else(|error| panic!("{options:?}: {error}")).module
}

pub(crate) fn module(tangled: &Tangled) -> Module<'static> {
    let words = glsl::vertex(&tangled.text(), "", SpirvVersion::SPIRV1_0);
    Module::parse_owned(words).expect("glslang's words parse")
}

/// Returns random inputs, most of them small. The last 16 bytes of the uniforms are integers.
pub(crate) fn inputs(seed: u64) -> Given {
    let mut noise = Noise::new();
    noise.skip(seed as u32 * 1000);
    let mut float = || (noise.below(4001) as f32 / 1000.0 - 2.0).to_ne_bytes();
    let attributes = (0..VERTICES * STRIDE / 4).flat_map(|_| float()).collect();
    let mut uniforms: Vec<u8> = (0..UNIFORMS / 4 - 4).flat_map(|_| float()).collect();
    uniforms.extend([seed as i32, 3 + seed as i32, 7, 1].iter().flat_map(|i| i.to_ne_bytes()));
    let range = Range { buffer: 1, offset: 0, size: uniforms.len() as u64 };
    Given {
        buffers: vec![attributes, uniforms],
        descriptors: vec![Descriptor::new(0, 0, Resource::UniformBuffer(range))],
        stride: STRIDE,
        attributes: (0..STRIDE / 16).map(attribute).collect(),
        vertices: VERTICES,
        instances: INSTANCES,
    }
}

fn attribute(location: u32) -> Attribute {
    Attribute { location, format: vk::Format::R32G32B32A32_SFLOAT, offset: location * 16 }
}

/// The inputs of a vertex shader; buffer 0 has the attributes.
pub(crate) struct Given {
    pub(crate) buffers: Vec<Vec<u8>>,
    pub(crate) descriptors: Vec<Descriptor>,
    pub(crate) stride: u32,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) vertices: u32,
    pub(crate) instances: u32,
}

impl Given {
    /// Returns a draw of `m` with the inputs that it reads.
    pub(crate) fn draw<'a>(&self, m: &Module<'_>) -> Draw<'a> {
        let mut draw = Draw {
            descriptors: self.descriptors.clone(),
            vertices: 0..self.vertices,
            instances: 0..self.instances,
            ..Draw::default()
        };
        self.bind(m, &mut draw);
        draw
    }

    /// Returns a draw with the vertex stage `vertex`.
    pub(crate) fn draw_with<'a>(&self, vertex: &[u32]) -> Draw<'a> {
        self.draw(&Module::parse(vertex).expect("glslang's words parse"))
    }

    /// Binds the attributes that `m` reads.
    fn bind(&self, m: &Module<'_>, draw: &mut Draw<'_>) {
        let inputs = m.variables().filter(|one| one.storage_class() == StorageClass::INPUT);
        let location = |id| m.decoration(id, Decoration::LOCATION).and_then(|words| words.first());
        let read: Vec<u32> = inputs.filter_map(|one| location(one.result())).copied().collect();
        let wanted = self.attributes.iter().filter(|one| read.contains(&one.location));
        let attributes: Vec<Attribute> = wanted.copied().collect();
        if !attributes.is_empty() {
            let rate = vk::VertexInputRate::VERTEX;
            let layout = VertexLayout { stride: self.stride, rate, attributes };
            draw.vertex_buffers =
                vec![VertexBuffer { place: Place { buffer: 0, offset: 0 }, layout }];
        }
    }
}

/// Returns the values that `m` writes to `outputs` for random inputs.
#[track_caller]
fn written(driver: Driver, m: &Module<'_>, outputs: &[&str], seed: u64) -> Vec<Vec<u8>> {
    let options = transform_feedback::Options::new()
        .separate(outputs.iter().copied())
        .into_storage(Set(3), Binding(0));
    let capture = Variants::new(m, "main", &options).unwrap_or_else(|e| panic!("{e}"));
    let (work, feedback) = capture_all(&capture, &inputs(seed)).expect("it fits");
    let buffers = driver.run(&work).buffers;
    feedback.into_iter().map(|buffer| buffers[buffer].clone()).collect()
}

/// Returns work that captures all vertices of a draw, and the indices of its feedback buffers.
fn capture_all<'a>(
    capture: &'a Variants<'_>,
    given: &Given,
) -> Result<(Work<'a>, Vec<usize>), Error> {
    let mut work = Work { buffers: given.buffers.clone(), ..Work::default() };
    let (mut ranges, mut feedback) = (Vec::new(), Vec::new());
    let (vertices, instances) = (given.vertices, given.instances);
    // The feedback buffers.
    for buffer in &capture.layout.buffers {
        let size = buffer.stride * vertices * instances;
        ranges.push(BufferRange { size, ..BufferRange::default() });
        feedback.push(Range { buffer: work.buffers.len(), offset: 0, size: size.into() });
        work.buffers.push(vec![0xa5; size as usize]);
    }

    // The capture pass, with the shader's inputs.
    let draw = host_draw(&model::Draw {
        topology: Topology::PointList,
        provoking_vertex: ProvokingVertex::First,
        vertices: 0..vertices,
        instances: 0..instances,
    });
    let mut pass = capture_draw(capture, &draw, &ranges, &feedback[..].into(), &mut work)?;
    given.bind(&capture.capture_only, &mut pass);
    pass.descriptors.extend(given.descriptors.iter().copied());
    work.draws.push(pass);
    Ok((work, feedback.iter().map(|range| range.buffer).collect()))
}

/// Returns whether `variant` and `m` write the same values to `outputs`.
fn equal(m: &Module<'_>, variant: &Module<'_>, outputs: &[&str]) -> bool {
    DRIVERS.iter().all(|driver| {
        (0..SEEDS).all(|seed| {
            outputs.chunks(4).all(|outputs| {
                written(*driver, m, outputs, seed) == written(*driver, variant, outputs, seed)
            })
        })
    })
}

#[test]
fn kept_outputs_are_the_full_shaders_bit_for_bit() {
    for tangled in &TANGLED {
        let m = module(tangled);
        let variant = lowered(&m, &Options::new());
        assert!(equal(&m, &variant, tangled.kept), "{}", tangled.name);
    }
}

#[test]
fn the_outputs_of_the_complement_are_the_full_shaders_bit_for_bit() {
    for tangled in &TANGLED {
        let m = module(tangled);
        let variant = lowered(&m, &Options::new().variant(Variant::Complement));
        assert!(equal(&m, &variant, tangled.others), "{}", tangled.name);
    }
}

#[test]
fn the_variants_are_what_the_others_are_not() {
    for tangled in &TANGLED {
        let m = module(tangled);
        let variant = lowered(&m, &Options::new());
        let complement = lowered(&m, &Options::new().variant(Variant::Complement));
        // Each variant has exactly the outputs that the other variant lacks.
        let has = |m: &Module<'_>, output: &str| {
            let entry = m.entry_points().next().expect("there is one");
            let outputs = transform_feedback::capturable(m, entry);
            let name = output.split('[').next().expect("a name");
            outputs.iter().any(|(varying, _)| varying.to_string().starts_with(name))
        };
        for output in tangled.kept {
            assert!(has(&variant, output) && !has(&complement, output), "{}", tangled.name);
        }
        for output in tangled.others {
            assert!(!has(&variant, output) && has(&complement, output), "{}", tangled.name);
        }
    }
}

#[test]
fn a_removal_of_too_much_is_noticed() {
    for (tangled, lost) in TANGLED.iter().zip(["OpMatrixTimesVector", "OpFNegate", "OpFMul"]) {
        let m = module(tangled);
        let variant = lowered(&m, &Options::new());
        let text = polyshade_tests::shader::disassemble(variant.words()).expect("it is valid");
        // Replace one computation by its last operand.
        let mut done = false;
        let broken = text.lines().map(|line| {
            let hit = line.contains(lost) && !std::mem::replace(&mut done, true);
            let Some((head, operands)) = line.split_once(lost).filter(|_| hit) else {
                return line.to_owned();
            };
            let mut words = operands.split_whitespace();
            let (ty, last) =
                (words.next().expect("a type"), words.next_back().expect("an operand"));
            format!("{head}OpCopyObject {ty} {last}")
        });
        let broken = broken.collect::<Vec<_>>().join("\n");
        let words = polyshade_tests::shader::assemble(&broken).expect("it is still a module");
        let broken = Module::parse_owned(words).expect("it is a module");
        assert!(!equal(&m, &broken, tangled.kept), "{}", tangled.name);
    }
}
