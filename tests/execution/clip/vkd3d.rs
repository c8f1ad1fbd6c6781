//! Direct3D shaders with `SV_ClipDistance` and `SV_CullDistance`, compiled by Debian's `vkd3d-compiler`. The lowered
//! modules draw the same pictures as handwritten GLSL with built-in arrays.

use super::chain::{SIZE, Stages, draw};
use super::front_ends::{Case, are_different};
use crate::drivers::Driver;
use crate::glsl;
use crate::memory;
use crate::noise::Noise;
use polyshade::Module;
use polyshade::clip_cull::DistanceCounts;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_tests::clip::{take, to_registers};
use polyshade_tests::dxbc::{self, Element, Name};
use polyshade_tests::shader::{validate, words};
use polyshade_vulkan::{Draw, Place, Target, VertexBuffer, VertexLayout, Work, vk};
use std::fs;
use std::process::Command;

/// Distances of a Direct3D vertex shader, in the order of their registers 1 and 2.
struct Form(Vec<Element>);

fn forms() -> Vec<Form> {
    let distance = |name| move |index, register, mask| Element { name, index, register, mask };
    let (clip, cull) = (distance(Name::ClipDistance), distance(Name::CullDistance));
    let forms = [
        vec![clip(0, 1, 0b1111)],
        vec![clip(0, 1, 0b0001)],
        vec![clip(0, 1, 0b1111), clip(1, 2, 0b0011)],
        vec![clip(0, 1, 0b0111), clip(1, 2, 0b0001)],
        vec![cull(0, 1, 0b0001)],
        vec![cull(0, 1, 0b0111)],
        vec![clip(0, 1, 0b0011), cull(0, 2, 0b0001)],
        vec![clip(0, 1, 0b0011), cull(0, 1, 0b1100)],
        vec![clip(0, 1, 0b1111), cull(0, 2, 0b1111)],
    ];
    forms.map(Form).into()
}

/// Returns an attribute or an output that is not a distance.
fn value(name: Name, register: u32) -> Element {
    Element { name, index: register, register, mask: 0b1111 }
}

/// Compiles a shader with vkd3d.
#[track_caller]
fn compiled(container: &[u8]) -> Vec<u32> {
    let folder = tempfile::tempdir().expect("a folder");
    let [from, to] = ["shader.dxbc", "shader.spv"].map(|name| folder.path().join(name));
    fs::write(&from, container).expect("a file");
    let mut command = Command::new("vkd3d-compiler");
    let types = ["-x", "dxbc-tpf", "-b", "spirv-binary", "-o"];
    let output = command.args(types).args([&to, &from]).output();
    let output = output.expect("`cargo xtask setup` installs vkd3d-compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    words(&fs::read(to).expect("it is written")).expect("these are words")
}

#[track_caller]
fn compiled_glsl(stage: ShaderStage, source: &str) -> Vec<u32> {
    glsl::compiled(stage, &format!("#version 450\n{source}"), SpirvVersion::SPIRV1_3)
}

const FRAGMENT: &str = "layout(location = 0) out vec4 colour; void main() { colour = vec4(1.0); }";

fn with_fragment(vertex: Vec<u32>) -> Stages {
    let fragment = compiled_glsl(ShaderStage::Fragment, FRAGMENT);
    vec![(ShaderStage::Vertex, vertex), (ShaderStage::Fragment, fragment)]
}

impl Form {
    fn counts(&self) -> [u32; 2] {
        [Name::ClipDistance, Name::CullDistance].map(|name| {
            let of_kind = self.0.iter().filter(|element| element.name == name);
            of_kind.map(|element| element.mask.count_ones()).sum()
        })
    }

    #[track_caller]
    fn of_direct3d(&self) -> Stages {
        let inputs = [0, 1, 2].map(|register| value(Name::Undefined, register));
        let distances = self.0.iter().map(|element| (*element, element.register));
        let outputs: Vec<(Element, u32)> =
            [(value(Name::Position, 0), 0)].into_iter().chain(distances).collect();
        let vertex = compiled(&dxbc::shader(dxbc::Stage::Vertex, &inputs, &outputs));
        with_fragment(vertex)
    }

    #[track_caller]
    fn by_hand(&self) -> Stages {
        let (mut arrays, mut writes) = (String::new(), String::new());
        let names =
            [(Name::ClipDistance, "gl_ClipDistance"), (Name::CullDistance, "gl_CullDistance")];
        // Declare the arrays, and write their elements from the registers.
        for ((kind, name), count) in names.into_iter().zip(self.counts()) {
            if count > 0 {
                arrays += &format!(" float {name}[{count}];");
            }
            let components = self.0.iter().filter(|element| element.name == kind).flat_map(|one| {
                let has = |component: &u32| one.mask >> component & 1 != 0;
                (0..4).filter(has).map(|component| (one.register, component))
            });
            for (number, (register, component)) in components.enumerate() {
                writes += &format!("{name}[{number}] = v{register}[{component}];\n");
            }
        }
        let inputs: String =
            (0..3).map(|at| format!("layout(location = {at}) in vec4 v{at};\n")).collect();
        let source = format!(
            "{inputs}out gl_PerVertex {{ vec4 gl_Position;{arrays} }};\n\
            void main() {{\ngl_Position = v0;\n{writes}}}"
        );
        with_fragment(compiled_glsl(ShaderStage::Vertex, &source))
    }
}

/// Draws a picture of each of several triangles.
#[track_caller]
fn pictures(driver: Driver, stages: &Stages) -> Vec<Vec<u8>> {
    let layout = VertexLayout::vectors((0..3).map(|at| (at, vk::Format::R32G32B32A32_SFLOAT)));
    let mut noise = Noise::new();
    let mut number = || noise.below(1 << 16) as f32 / 32768.0 - 1.0;
    let mut work = Work::default();
    for _ in 0..96 {
        // A random triangle with distances in attributes.
        let mut floats = Vec::new();
        for _ in 0..3 {
            let w = 1.0 + 0.5 * number();
            floats.extend([number() * 0.9375 * w, number() * 0.9375 * w, 0.5 * w, w]);
            floats.extend([(); 8].map(|()| number() + 0.25));
        }
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        work.buffers.push(memory::floats(&floats));
        work.draws.push(Draw {
            vertex_buffers: vec![VertexBuffer { place, layout: layout.clone() }],
            target: Some(work.targets.len()),
            ..draw(stages, 3, Vec::new())
        });
        work.targets.push(Target::new(vk::Format::R32G32B32A32_SFLOAT, SIZE, SIZE));
    }
    driver.run(&work).targets
}

#[track_caller]
fn cases() -> Vec<Case> {
    let case = |form: Form| Case {
        title: format!("{:?}", form.0),
        own: form.of_direct3d(),
        by_hand: form.by_hand(),
        counts: DistanceCounts::new(form.counts()[0], form.counts()[1]),
        pictures,
    };
    forms().into_iter().map(case).collect()
}

#[test]
fn every_form_becomes_registers_and_one_array_and_is_drawn_the_same() {
    cases().iter().for_each(Case::takes_other_forms);
}

#[test]
fn every_form_is_cut_in_a_geometry_stage_as_the_device_cuts_it() {
    for case in cases() {
        let counts = case.is_cut_in_a_geometry_stage();
        assert_eq!(counts, case.counts, "{}", case.title);
    }
}

#[test]
fn cull_distances_of_every_form_are_emulated_in_the_fragment_stage() {
    cases().iter().for_each(Case::is_culled_in_the_fragment_stage);
}

/// Shows why no pixel shader is drawn: vkd3d 1.2 declares an input array of one element, and copies a vector from it.
#[test]
fn pixel_shaders_that_read_distances_are_not_valid_before_or_after() {
    for name in [Name::ClipDistance, Name::CullDistance] {
        let read = Element { name, index: 0, register: 1, mask: 0b1111 };
        let output = (value(Name::Undefined, 0), 1);
        let words = compiled(&dxbc::shader(dxbc::Stage::Pixel, &[read], &[output]));
        let error = validate(&words).expect_err("a vector is not an array");
        assert!(error.contains("type does not match"), "{error}");
        let module = Module::parse(&words).expect("it has the form of a module");
        let registers =
            take(&module, to_registers(5, None)).expect("the invalid array is not read");
        validate(registers.module.words()).expect_err("the invalid array is kept");
    }
}

#[test]
fn forms_that_are_mistaken_are_seen() {
    are_different(&cases());
}
