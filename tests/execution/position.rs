//! What the variants compute is what the full shader computes, bit for bit.

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::noise::Noise;
use crate::position_shaders::{TANGLED, Tangled};
use polyshade::Module;
use polyshade::moves::{Binding, Set};
use polyshade::position_only::{self, Options};
use polyshade::transform_feedback::{self, BufferRange, ProvokingVertex, Topology};
use polyshade_formats::SpirvVersion;
use polyshade_spv::{Decoration, StorageClass};
use polyshade_vulkan::{
    Attribute, Descriptor, Place, Range, Resource, VertexBuffer, VertexLayout, Work, capture_draw,
    vk,
};

const VERTICES: u32 = 96;
const INSTANCES: u32 = 2;
/// Bytes of the uniform block, and of the attributes of a vertex.
const UNIFORMS: usize = 64 + 48 + 64 + 256 + 16;
const STRIDE: u32 = 48;
const SEEDS: u64 = 3;

pub(crate) fn module(tangled: &Tangled) -> Module<'static> {
    let words = glsl::vertex(&tangled.text(), "", SpirvVersion::SPIRV1_0);
    Module::parse_owned(words).expect("glslang's words parse")
}

/// Random numbers, most of them small; the last 16 bytes of the uniforms are integers.
fn inputs(seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut noise = Noise::new();
    for _ in 0..seed * 1000 {
        noise.bits();
    }
    let mut float = || (noise.below(4001) as f32 / 1000.0 - 2.0).to_ne_bytes();
    let attributes = (0..VERTICES * STRIDE / 4).flat_map(|_| float()).collect();
    let mut uniforms: Vec<u8> = (0..UNIFORMS / 4 - 4).flat_map(|_| float()).collect();
    uniforms.extend([seed as i32, 3 + seed as i32, 7, 1].iter().flat_map(|i| i.to_ne_bytes()));
    (attributes, uniforms)
}

/// The attributes that `m` reads.
fn attributes(m: &Module<'_>) -> Vec<Attribute> {
    let inputs = m.variables().filter(|one| one.storage_class() == StorageClass::INPUT);
    let location = |id| m.decoration(id, Decoration::LOCATION).and_then(|words| words.first());
    let locations = inputs.filter_map(|one| location(one.result()).copied());
    let format = vk::Format::R32G32B32A32_SFLOAT;
    locations.map(|location| Attribute { location, format, offset: location * 16 }).collect()
}

/// What `m` writes to `outputs`, on random inputs.
#[track_caller]
pub(crate) fn written(driver: Driver, m: &Module<'_>, outputs: &[&str], seed: u64) -> Vec<Vec<u8>> {
    let options = transform_feedback::Options::new("main")
        .separate(outputs.iter().copied())
        .into_storage(Set(3), Binding(0));
    let capture = transform_feedback::capture(m, &options).unwrap_or_else(|e| panic!("{e}"));
    let (vertices, uniforms) = inputs(seed);
    let uniform = Range { buffer: 1, offset: 0, size: uniforms.len() as u64 };
    let mut work = Work { buffers: vec![vertices, uniforms], ..Work::default() };
    let (mut ranges, mut feedback) = (Vec::new(), Vec::new());
    for buffer in &capture.layout.buffers {
        let size = buffer.stride * VERTICES * INSTANCES;
        ranges.push(BufferRange { offset: 0, size, reached: 0 });
        feedback.push(Range { buffer: work.buffers.len(), offset: 0, size: size.into() });
        work.buffers.push(vec![0xa5; size as usize]);
    }

    let draw = transform_feedback::Draw {
        topology: Topology::PointList,
        provoking_vertex: ProvokingVertex::First,
        first_vertex: 0,
        vertex_count: VERTICES,
        first_instance: 0,
        instance_count: INSTANCES,
    };
    let mut pass = capture_draw(&capture, &draw, &ranges, &feedback, &mut work).expect("it fits");
    let attributes = attributes(&capture.capture_only);
    if !attributes.is_empty() {
        let layout = VertexLayout { stride: STRIDE, rate: vk::VertexInputRate::VERTEX, attributes };
        pass.vertex_buffers = vec![VertexBuffer { place: Place { buffer: 0, offset: 0 }, layout }];
    }
    pass.descriptors.push(Descriptor::new(0, 0, Resource::UniformBuffer(uniform)));
    work.draws.push(pass);
    let buffers = driver.run(&work).buffers;
    feedback.iter().map(|range| buffers[range.buffer].clone()).collect()
}

/// Whether `variant` writes to `outputs` what `m` does.
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
        let variant = position_only::derive(&m, &Options::new("main")).expect(tangled.name);
        assert!(equal(&m, &variant, tangled.kept), "{}", tangled.name);
    }
}

#[test]
fn the_outputs_of_the_complement_are_the_full_shaders_bit_for_bit() {
    for tangled in &TANGLED {
        let m = module(tangled);
        let variant = position_only::complement(&m, &Options::new("main")).expect(tangled.name);
        assert!(equal(&m, &variant, tangled.others), "{}", tangled.name);
    }
}

#[test]
fn the_variants_are_what_the_others_are_not() {
    for tangled in &TANGLED {
        let m = module(tangled);
        let options = Options::new("main");
        let variant = position_only::derive(&m, &options).expect(tangled.name);
        let complement = position_only::complement(&m, &options).expect(tangled.name);
        let has = |m: &Module<'_>, output: &str| {
            let entry = m.entry_points().next().expect("there is one");
            let outputs = transform_feedback::capturable(m, entry);
            let name = output.split('[').next().expect("a name");
            outputs.iter().any(|one| one.varying.to_string().starts_with(name))
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
        let variant = position_only::derive(&m, &Options::new("main")).expect(tangled.name);
        let text = polyshade_tests::shader::disassemble(variant.words()).expect("it is valid");
        // One computation is replaced by its last operand.
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
