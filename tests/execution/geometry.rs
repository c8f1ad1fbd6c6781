//! Geometry stages that run as compute stages capture and draw what lavapipe captures and draws natively, on both
//! drivers. Geometry stages that stay such stages capture the same on lavapipe.

pub(crate) mod pipeline;
mod random;
mod shaders;

use crate::controls::patch;
use crate::drivers::{DRIVERS, Driver};
use crate::extension;
use crate::feedback::{GUARD, native_draw};
use crate::glsl;
use crate::hostile::{bound, only_written_in};
use crate::indexed::Indexed;
use crate::memory;
use crate::noise::Noise;
use crate::shaders::{Shader, Varyings};
use crate::webgpu::{WebGpu, tests_in_webgpu};
use pipeline::{Draws, Item, Pipeline, drawn_options, options, run_native};
use polyshade::host::ParamSource;
use polyshade::transform_feedback::{IndexType, Topology};
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_vulkan::{Descriptor, Draw, Range, Resource, Stage, Target, Work, model, vk};
use shaders::{OUTPUTS, SCENE, SCENE_PIXELS, STREAMS, VERTEX, source};

const TWO_BUFFERS: Varyings =
    Varyings::Interleaved("gl_Position g_more gl_NextBuffer g_index g_values");

/// Emits strips of several lengths, one of them too short for a primitive.
const STRIPS: &str = r"
    void main() {
        for (uint strip = 0u; strip < 3u; ++strip) {
            for (uint k = 0u; k < 5u - 2u * strip; ++k) {
                write(k);
                EmitVertex();
            }
            EndPrimitive();
        }
    }";

/// Does the same, and the number of strips depends on the inputs.
const SOME_STRIPS: &str = r"
    void main() {
        for (uint strip = 0u; strip < 2u + (seed() & 1u); ++strip) {
            for (uint k = 0u; k < 5u - 2u * strip; ++k) {
                write(k);
                EmitVertex();
            }
            EndPrimitive();
        }
    }";

/// Returns a draw without indices, with room for all captured data.
fn item(topology: Topology, vertices: u32) -> Item {
    let mut indexed = Indexed::new(topology, IndexType::Uint32, vertices);
    indexed.case.draw.vertices = 3..3 + vertices;
    indexed.case.draw.instances = 1..3;
    indexed.case.room = vec![60 * vertices; 4];
    Item { draws: Draws::default(), indexed }
}

/// The comparison detects a wrong winding, a strip that does not end, a count of another invocation, vertices of
/// another primitive, and missing sums.
#[test]
fn faults_are_noticed() {
    let source = source(2, "triangle_strip", 2, SOME_STRIPS);
    let shader = Shader { source, outputs: OUTPUTS };
    let layout = shader.layout(TWO_BUFFERS);
    let items = [item(Topology::TriangleStrip, 7)];
    let native = run_native(&shader, TWO_BUFFERS, &items);
    let whole = || Pipeline::new(&shader, &options(TWO_BUFFERS), Draws::default());
    let driver = Driver::SwiftShader;
    assert!(whole().run(driver, &items, &layout) == native);
    let noticed = |stage: usize, fault: fn(&str) -> Option<String>| {
        let mut broken = whole();
        broken.stages[stage].words = patch(&broken.stages[stage].words, fault);
        broken.run(driver, &items, &layout) != native
    };
    assert!(noticed(2, |line| {
        let is_odd = line.contains("OpUMod %uint") && line.contains("%uint_3");
        is_odd.then(|| line.replace("OpUMod", "OpUDiv"))
    }));
    assert!(noticed(2, |line| without_call(line, "end_primitive")));
    assert!(noticed(0, |line| without_call(line, "end_primitive")));
    assert!(noticed(1, |line| without_call(line, "sum_counts")));
}

/// The comparison detects a drawn stage that numbers invocations without `firstInstance` or the number of primitives,
/// and wrong places of constant numbers of primitives.
#[test]
fn faults_in_places_are_noticed() {
    let items = [item(Topology::TriangleStrip, 7)];
    for body in [STRIPS, SOME_STRIPS] {
        let shader = Shader { source: source(2, "triangle_strip", 1, body), outputs: OUTPUTS };
        let layout = shader.layout(TWO_BUFFERS);
        let native = run_native(&shader, TWO_BUFFERS, &items);
        let words = shader.plain_stage(ShaderStage::Geometry);
        let drawn = || Pipeline::drawn(words.clone(), &drawn_options(TWO_BUFFERS));
        let check = |mut pipeline: Pipeline, fault: &mut dyn FnMut(&str) -> Option<String>| {
            assert!(pipeline.run(Driver::Lavapipe, &items, &layout) == native);
            let capture = pipeline.stages.last_mut().expect("it captures");
            capture.words = patch(&capture.words, fault);
            assert!(pipeline.run(Driver::Lavapipe, &items, &layout) != native);
        };
        check(drawn(), &mut adds_after_instance("OpISub"));
        check(drawn(), &mut adds_after_instance("OpIMul"));
        if body == STRIPS {
            let adds = |line: &str| {
                let call = "OpFunctionCall %uint %first_primitive";
                line.contains(call).then(|| line.replace(call, "OpIAdd %uint"))
            };
            check(drawn(), &mut { adds });
            let dispatched = Pipeline::new(&shader, &options(TWO_BUFFERS), Draws::default());
            check(dispatched, &mut { adds });
        }
    }
}

/// Replaces the first instruction `op` after the access to the number of the instance by an addition.
fn adds_after_instance(op: &str) -> impl FnMut(&str) -> Option<String> {
    let mut is_after = false;
    move |line| {
        is_after |= line.contains("OpAccessChain") && line.contains("%polyshade_instance");
        let found = is_after && line.contains(op);
        is_after &= !found;
        found.then(|| line.replace(op, "OpIAdd"))
    }
}

/// Drops a line that calls a function.
fn without_call(line: &str, name: &str) -> Option<String> {
    line.contains(&format!("OpFunctionCall %void %{name}")).then(String::new)
}

/// Each vertex stream goes to its buffers, and overflows alone.
#[test]
fn vertex_streams_go_to_their_buffers() {
    let varyings =
        Varyings::Interleaved("t_list t_index gl_NextBuffer s_list gl_NextBuffer s_index");
    let layout = STREAMS.layout(varyings);
    let pipeline = Pipeline::new(&STREAMS, &options(varyings), Draws::default());
    assert_eq!([0, 1, 2].map(|buffer| pipeline.layout.stream(buffer)), [1, 0, 0]);
    let mut items = Vec::new();
    for room in [[400; 4], [7, 400, 400, 0], [400, 9, 400, 0], [400, 400, 5, 0]] {
        let mut item = item(Topology::PointList, 6);
        item.indexed.case.room = room.to_vec();
        items.push(item);
    }
    let native = run_native(&STREAMS, varyings, &items);
    for driver in DRIVERS {
        let found = pipeline.run(driver, &items, &layout);
        assert!(found == native, "{driver:?}");
    }
    // The numbers of primitives of each stream, and the counters after them.
    let mut work = Work::default();
    let places = pipeline.add(&items[0], &layout, |_| (), &mut work);
    let outcome = Driver::SwiftShader.run(&work);
    let numbers = pipeline.emitted(&items[0], &outcome.buffers[places.counts]);
    assert_eq!(numbers, [12, 12 + 6 + 6, 0, 0]);
    let ranges = items[0].case().ranges(&layout);
    let advanced = pipeline.layout.advance_by(numbers, &ranges).expect("the ranges fit");
    let counters: Vec<u32> = advanced.iter().map(|range| range.counter).collect();
    let [t, s, i] = [0, 1, 2].map(|buffer: usize| layout[buffer].stride);
    assert_eq!(counters, [24 * t, 12 * s, 12 * i]);
}

/// Draws an item with the driver's geometry stage.
fn native_picture<'a>(stages: [&'a [u32]; 3], item: &Item, work: &mut Work<'a>) -> Draw<'a> {
    let [vertex, geometry, fragment] = stages;
    let mut draw = native_draw(vertex, &[], &item.indexed.case, work);
    draw.transform_feedback = None;
    draw.stages.push(Stage::new(vk::ShaderStageFlags::GEOMETRY, geometry));
    draw.stages.push(Stage::fragment(fragment));
    draw.target = Some(work.targets.len());
    work.targets.push(TARGET);
    draw
}

const TARGET: Target = Target::new(vk::Format::R32G32B32A32_UINT, 24, 16);

/// The emitted primitives are drawn as the driver's geometry stage draws them. Only lavapipe has geometry stages, and
/// rasterizers differ, so SwiftShader draws outputs that must equal lavapipe's to the bit.
#[test]
fn emitted_primitives_are_drawn() {
    let vertex = glsl::vertex(VERTEX, "", SpirvVersion::SPIRV1_3);
    let fragment = glsl::fragment(SCENE_PIXELS);
    for (output, list) in [
        ("points", Topology::PointList),
        ("line_strip", Topology::LineList),
        ("triangle_strip", Topology::TriangleList),
    ] {
        // The emitted numbers are constants for one of the shaders, and in tables for the others.
        let counted = output != "points";
        let body =
            if counted { SCENE.replace("3u;", "2u + state % 2u;") } else { SCENE.to_owned() };
        let text = source(2, output, 2, &body);
        let shader = Shader { source: text, outputs: OUTPUTS };
        let words = shader.plain_stage(ShaderStage::Geometry);
        let asked = options(Varyings::Interleaved("g_index")).spill_outputs();
        let pipeline = Pipeline::of_words(words.clone(), &asked, Draws::default());
        let layout = shader.layout(Varyings::Interleaved("g_index"));
        assert_eq!(pipeline.layout.emitted_topology(), Some(list));
        let item = item(Topology::TriangleStrip, 9);
        let mut native = Work::default();
        let draw = native_picture([&vertex, &words, &fragment], &item, &mut native);
        native.draws.push(draw);
        let expected = Driver::Lavapipe.run(&native).targets;
        assert!(expected[0].iter().any(|byte| *byte != 0), "{output}: the picture is empty");
        let mut outputs = Vec::new();
        for driver in DRIVERS {
            // The first run finds out how many vertices there are.
            let mut work = Work::default();
            let places = pipeline.add(&item, &layout, |_| (), &mut work);
            let buffers = driver.run(&work).buffers;
            let primitives = pipeline.emitted(&item, &buffers[places.counts])[0];
            let vertices = primitives * list.vertices_per_primitive();
            if counted {
                let command = memory::words(&buffers[places.counts][GUARD..][..16]);
                assert_eq!(command, [vertices, 1, 0, 0]);
            }
            let emitted = places.emitted.expect("outputs are spilled");
            outputs.push(buffers[emitted.buffer].clone());
            let mut draw = pipeline.raster(emitted, vertices, &mut work);
            draw.topology = model::native_topology(list).expect("it is a list");
            draw.stages.push(Stage::fragment(&fragment));
            draw.target = Some(0);
            work.targets.push(TARGET);
            work.draws.push(draw);
            let found = driver.run(&work).targets;
            match driver {
                Driver::Lavapipe => assert!(found == expected, "{output}"),
                Driver::SwiftShader => assert!(found[0].iter().any(|byte| *byte != 0), "{output}"),
            }
        }
        assert!(outputs[0] == outputs[1], "{output}: the outputs differ");
    }
}

/// Vulkan has no line loops: the oracle is a list with indices.
#[test]
fn line_loops_are_closed() {
    let shader = Shader { source: source(1, "line_strip", 1, STRIPS), outputs: OUTPUTS };
    let layout = shader.layout(TWO_BUFFERS);
    let mut list = Indexed::new(Topology::LineList, IndexType::Uint32, 10);
    list.indices = vec![0, 1, 1, 2, 2, 3, 3, 4, 4, 0];
    list.case.draw.instances = 1..3;
    list.case.room = vec![300; 4];
    let list = Item { draws: Draws { indexed: true, restart: false }, indexed: list };
    let native = run_native(&shader, TWO_BUFFERS, std::slice::from_ref(&list));
    let mut line_loop = list;
    line_loop.draws = Draws::default();
    line_loop.indexed.case.draw.topology = Topology::LineLoop;
    line_loop.indexed.case.draw.vertices = 0..5;
    let pipeline = Pipeline::new(&shader, &options(TWO_BUFFERS), Draws::default());
    for driver in DRIVERS {
        let found = pipeline.run(driver, std::slice::from_ref(&line_loop), &layout);
        assert!(found == native, "{driver:?}");
    }
}

/// The vertex stage of draws has a uniform buffer, push constants and an output at the last location.
#[test]
fn resources_of_the_vertex_stage_stay_its_own() {
    let head = "struct Pair { vec2 a; uint b; };";
    let resources = "layout(set = 3, binding = 0) uniform Factor { uint factor; };
        layout(push_constant) uniform Position { layout(offset = 16) float y; float z; };
        layout(location = 15) out vec4 v_last;";
    let vertex = VERTEX
        .replace(head, &format!("{head}\n{resources}"))
        .replace("* 3u", "* factor")
        .replace("vec4(f, 1, 2, 1)", "vec4(f, y, z, 1)");
    let shader = Shader { source: source(2, "triangle_strip", 2, SOME_STRIPS), outputs: OUTPUTS };
    let layout = shader.layout(TWO_BUFFERS);
    let items = [item(Topology::TriangleStrip, 7)];
    let native = run_native(&shader, TWO_BUFFERS, &items);
    let automatic = extension::options(TWO_BUFFERS);
    let pushed = automatic.clone().params(ParamSource::PushConstant { offset: 24 });
    for options in [automatic, pushed] {
        let words = shader.plain_stage(ShaderStage::Geometry);
        let pipeline = Pipeline::drawn_after(&vertex, words, &options);
        let bind = |work: &mut Work<'_>| {
            let range = Range { buffer: work.buffers.len(), offset: 0, size: 16 };
            work.buffers.push(memory::bytes(&[3, 0, 0, 0]));
            for draw in work.draws.iter_mut().filter(|draw| draw.dispatch.is_none()) {
                draw.descriptors.push(Descriptor::new(3, 0, Resource::UniformBuffer(range)));
                draw.push_constants.resize(draw.push_constants.len().max(24), 0);
                draw.push_constants[16..20].copy_from_slice(&1_f32.to_ne_bytes());
                draw.push_constants[20..24].copy_from_slice(&2_f32.to_ne_bytes());
            }
        };
        let found = pipeline.run_with(Driver::Lavapipe, &items, &layout, bind);
        assert!(found == native, "{options:?}");
    }
}

#[test]
fn every_version_of_spirv_is_lowered() {
    let text = source(1, "line_strip", 1, STRIPS);
    let shader = Shader { source: text, outputs: OUTPUTS };
    let layout = shader.layout(TWO_BUFFERS);
    let items = [item(Topology::LineStrip, 5)];
    let native = run_native(&shader, TWO_BUFFERS, &items);
    let defines: String = OUTPUTS.iter().map(|(name, _)| format!("#define XFB_{name}\n")).collect();
    for version in [SpirvVersion::SPIRV1_0, SpirvVersion::SPIRV1_4, SpirvVersion::SPIRV1_6] {
        let words = glsl::stage(ShaderStage::Geometry, text, &defines, version);
        let drawn = Pipeline::drawn(words.clone(), &drawn_options(TWO_BUFFERS));
        let dispatched = Pipeline::of_words(words, &options(TWO_BUFFERS), Draws::default());
        // SwiftShader runs no later version than 1.5.
        for pipeline in [dispatched, drawn] {
            assert!(pipeline.run(Driver::Lavapipe, &items, &layout) == native, "{version:?}");
        }
    }
}

/// For any host parameters, nothing outside the ranges is written.
#[test]
fn noise_about_the_draw_stays_in_the_ranges() {
    let spilled = options(TWO_BUFFERS).spill_outputs();
    for body in [STRIPS, SOME_STRIPS] {
        let shader = Shader { source: source(2, "triangle_strip", 2, body), outputs: OUTPUTS };
        let pipeline = Pipeline::new(&shader, &spilled, Draws::default());
        for driver in DRIVERS {
            stays_in_the_ranges(&shader, &pipeline, driver);
        }
        let words = shader.plain_stage(ShaderStage::Geometry);
        let drawn = Pipeline::drawn(words, &drawn_options(TWO_BUFFERS));
        stays_in_the_ranges(&shader, &drawn, Driver::Lavapipe);
    }
}

fn stays_in_the_ranges(shader: &Shader, pipeline: &Pipeline, driver: Driver) {
    let layout = shader.layout(TWO_BUFFERS);
    let names = ["offset_0", "offset_1", "size_0", "size_1"];
    let spared = names.map(|name| pipeline.params.number(name).expect("there is one") as usize);
    let mut noise = Noise::new();
    let mut work = Work::default();
    let mut places = Vec::new();
    for number in 0..40 {
        let topology = [Topology::TriangleList, Topology::TriangleFan][number % 2];
        let mut item = item(topology, 7);
        item.indexed.case.room = vec![7, 9, 0, 0];
        let change = |params: &mut Vec<u32>| {
            for (at, word) in params.iter_mut().enumerate() {
                if !spared.contains(&at) {
                    *word = if noise.below(2) == 0 { noise.bits() } else { noise.below(9) };
                }
            }
        };
        places.push((pipeline.add(&item, &layout, change, &mut work), item));
    }
    let buffers = driver.run(&work).buffers;
    for (places, item) in &places {
        let ranges = item.indexed.case.buffers(&layout).into_iter().map(|one| one.range);
        for (place, range) in places.feedback.iter().zip(ranges) {
            assert!(only_written_in(&buffers[*place], range), "{driver:?} {item:?}");
        }
        let emitted = places.emitted.map(|range| range.buffer);
        for place in [places.counts].into_iter().chain(emitted).chain(places.vertices) {
            let inside = bound(&buffers[place]);
            assert!(only_written_in(&buffers[place], inside), "{driver:?} {item:?}");
        }
    }
}

tests_in_webgpu!(captures_every_primitive_in_webgpu);

/// The shaders in WGSL capture the same bytes.
fn captures_every_primitive_in_webgpu(by: WebGpu) {
    let shader = Shader { source: source(2, "triangle_strip", 2, STRIPS), outputs: OUTPUTS };
    let layout = shader.layout(TWO_BUFFERS);
    let pipeline = Pipeline::new(&shader, &options(TWO_BUFFERS), Draws::default());
    let items = [item(Topology::TriangleStrip, 7), item(Topology::TriangleFan, 40)];
    let native = run_native(&shader, TWO_BUFFERS, &items);
    let mut work = Work::default();
    let add = |item: &Item| pipeline.add(item, &layout, |_| (), &mut work).feedback;
    let places: Vec<Vec<usize>> = items.iter().map(add).collect();
    let buffers = by.run(&work).buffers;
    for (places, native) in places.iter().zip(&native) {
        let found = places.iter().map(|one| buffers[*one].clone());
        assert!(found.eq(native.memory.iter().cloned()), "{by:?}");
    }
}
