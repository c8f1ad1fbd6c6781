//! Captured geometry stages: refusals, capabilities, and the host's sizes and counters.

use crate::shader::refused;
use polyshade::host::{
    AddressSource, Binding, Device, Feature, LimitName, Lowered, ParamSource, Purpose, Reserved,
    Set, SideEffects, Target,
};
use polyshade::spv::{Capability, ExecutionModel};
use polyshade::transform_feedback::{
    self, BufferRange, Draw, IndexType, Layout, Options, ProvokingVertex, Topology, geometry,
};
use polyshade::{Error, Module};
use polyshade_tests::shader::{ShaderStage, assemble, compile, disassemble, module, validate};
use std::collections::{BTreeMap, BTreeSet};

const VERTEX: &str = "#version 450
    layout(location = 2, component = 1) out vec3 v_colour;
    out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
    void main() { v_colour = vec3(1); gl_Position = vec4(0); gl_ClipDistance = float[](1, 2); }";

const HEAD: &str = "#version 450
    layout(triangles) in; layout(triangle_strip, max_vertices = 4) out;
    layout(location = 2, component = 1) in vec3 v_colour[];
    layout(location = 0) out vec2 g_colour;";

const BODY: &str =
    "void main() { if (gl_PrimitiveIDIn > 2) { g_colour = v_colour[1].xy; EmitVertex(); } }";

/// Emits one triangle.
const CONSTANT: &str =
    "void main() { for (int i = 0; i < 3; ++i) { g_colour = v_colour[i].xy; EmitVertex(); } }";

/// Returns the layout of the vertex stage.
fn before() -> Layout {
    let module = module(VERTEX, ShaderStage::Vertex);
    let options = Options::new().compute().spill_outputs();
    transform_feedback::prepare(&module, "main", &options).expect("it is prepared").layout().clone()
}

/// Makes the stage that captures, and passes the result to `check`.
fn made<T>(
    source: &str,
    options: &Options,
    check: impl FnOnce(Result<Lowered<'_, Layout>, Error>) -> T,
) -> T {
    let module = module(source, ShaderStage::Geometry);
    check(geometry::capture(&module, "main", &before(), options))
}

fn captured() -> Options {
    drawn().compute()
}

/// The options for a stage that stays a geometry stage.
fn drawn() -> Options {
    Options::new().interleaved(["g_colour"])
}

/// Checks that the stage is refused with this error code.
#[track_caller]
fn source_refused(source: &str, options: &Options, code: &str) -> Error {
    made(source, options, |one| refused(one, code))
}

#[test]
fn options_without_a_meaning_are_refused() {
    let source = format!("{HEAD}{BODY}");
    let address = ParamSource::Address(AddressSource::PushConstant { offset: 0 });
    for options in [
        captured().limit_in_vertices(),
        captured().indexed(Some(IndexType::Uint16)),
        captured().constant_attributes([1]),
        captured().params(address),
    ] {
        source_refused(&source, &options, "geometry.option");
    }
    let lines = captured().topologies([Topology::LineStrip]);
    let error = source_refused(&source, &lines, "geometry.topology");
    assert_eq!(error.message(), "a line strip has no triangles, which the geometry stage takes");
    source_refused(&source, &Options::new().compute(), "capture.no-varyings");
    // A stage that is drawn reads neither indices nor spilled outputs.
    for options in [drawn().spill_outputs(), drawn().indexed(None).restart()] {
        source_refused(&source, &options, "geometry.option");
    }
    // The layout is of a stage that spills its outputs.
    source_refused(&source, &drawn(), "geometry.inputs");
    let lines = source.replace("triangles)", "lines)");
    let looped = drawn().one_instance().topologies([Topology::LineLoop]);
    source_refused(&lines, &looped, "geometry.topology");
}

#[test]
fn shaders_that_other_stages_cannot_run_are_refused() {
    let streams = "#version 450
        layout(points) in; layout(points, max_vertices = 2) out;
        layout(location = 0, stream = 0) out float s; layout(location = 1, stream = 1) out float t;
        void main() { s = 1.0; EmitStreamVertex(0); t = 2.0; EmitStreamVertex(1); }";
    let both = Options::new().compute().interleaved(["s", "t"]);
    source_refused(streams, &both, "capture.streams-share-buffer");
    let layer = format!("{HEAD} void main() {{ gl_Layer = 1; g_colour = vec2(0); EmitVertex(); }}");
    source_refused(&layer, &captured().spill_outputs(), "geometry.raster-output");
    made(&layer, &captured(), |one| one.map(|_| ()).expect("only its raster form is refused"));
    let subgroups = format!(
        "{} void main() {{ g_colour = vec2(gl_ViewIndex); EmitVertex(); }}",
        HEAD.replacen('\n', "\n#extension GL_EXT_multiview : enable\n", 1)
    );
    source_refused(&subgroups, &captured(), "capture.compute-built-in");
}

#[test]
fn stages_need_no_capability_of_geometry_stages() {
    let module = module(&format!("{HEAD}{BODY}"), ShaderStage::Geometry);
    let (before, options) = (before(), captured().spill_outputs());
    let compute = ExecutionModel::GL_COMPUTE;
    let count = geometry::count(&module, "main", &before, &options);
    let text = disassemble(count.as_ref().expect("it is made").module.words());
    for (made, stage) in [
        (count, compute),
        (geometry::sum(&module, "main", &before, &options), compute),
        (geometry::capture(&module, "main", &before, &options), compute),
        (geometry::raster(&module, "main", &before, &options), ExecutionModel::VERTEX),
    ] {
        let made = made.expect("it is made").module;
        assert!(!made.has_capability(Capability::GEOMETRY));
        made.entry_point("main", stage).expect("the stage has changed");
    }
    // The count needs no inputs, and has no code for outputs.
    let text = text.expect("it is a module");
    assert!(!text.contains("polyshade_inputs") && !text.contains("g_colour"), "{text}");
}

#[test]
fn stages_without_spilled_outputs_are_refused() {
    let module = module(&format!("{HEAD}{BODY}"), ShaderStage::Geometry);
    refused(
        geometry::raster(&module, "main", &before(), &captured()),
        "capture.spill-not-requested",
    );
    let layout = made(&format!("{HEAD}{BODY}"), &captured(), |one| one.expect("made").result);
    refused(geometry::count(&module, "main", &layout, &captured()), "geometry.inputs");
}

/// A draw of 10 triangles.
pub(crate) const DRAW: Draw = Draw {
    topology: Topology::TriangleStrip,
    provoking_vertex: ProvokingVertex::First,
    first_vertex: 0,
    vertex_count: 7,
    first_instance: 7,
    instance_count: 2,
    draw_index: 0,
    indices: None,
};

/// Sizes, dispatches and counters of a draw with 2 invocations for each triangle.
#[test]
fn the_host_learns_sizes_and_counters() {
    let source = format!("{}{BODY}", HEAD.replace("(triangles)", "(triangles, invocations = 2)"));
    let layout = made(&source, &captured().spill_outputs(), |one| one.expect("made").result);
    assert_eq!(layout.work_groups(&DRAW), Ok([1, 1, 1]));
    assert_eq!(layout.counts_size(&DRAW), Ok(32 + 4 * (20 + 1 + 64)));
    // Four vertices form two triangles; a vertex is a vec2 and a position.
    assert_eq!(layout.outputs_size(&DRAW), Ok(20 * 2 * 3 * u64::from(layout.outputs_stride())));
    let range = BufferRange { size: 100, counter: 4, ..BufferRange::default() };
    assert_eq!(layout.primitives_written_of(0, 9, &[range]), Ok(4));
    let advanced = layout.advance_by([9, 0, 0, 0], &[range]).expect("the range fits");
    assert_eq!(advanced[0].counter, 4 + 4 * 3 * 8);
    refused(layout.primitives_written(&DRAW, &[range]), "geometry.unknown-count");
    let large = Draw { vertex_count: u32::MAX, ..DRAW };
    refused(layout.work_groups(&large), "capture.draw-too-large");
}

#[test]
fn the_target_may_name_the_stage() {
    let source = format!("{HEAD}{BODY}");
    let module = module(&source, ShaderStage::Geometry);
    let target = Target::new("main").stage(ExecutionModel::VERTEX);
    refused(geometry::count(&module, target, &before(), &captured()), "entry-point.not-found");
}

/// A component that no location has, and the vertex stream of a block member.
#[test]
fn unusual_decorations_give_valid_modules() {
    let source = format!("{HEAD}{BODY}");
    let words = compile(&source, ShaderStage::Geometry).expect("the shader compiles");
    let text = disassemble(&words).expect("it is a module");
    for (from, to) in [
        ("OpDecorate %v_colour Component 1", "OpDecorate %v_colour Component 4294967295"),
        (
            "OpDecorate %g_colour Location 0",
            "OpDecorate %g_colour Location 0\nOpDecorate %g_colour Stream 0",
        ),
    ] {
        assert!(text.contains(from), "{text}");
        let text =
            text.replace(from, to).replace("OpCapability Geometry", "OpCapability GeometryStreams");
        let words = assemble(&text).expect("it is a module");
        let module = Module::parse(&words).expect("it is a module");
        let options = captured().spill_outputs();
        for made in [
            geometry::capture(&module, "main", &before(), &options),
            geometry::raster(&module, "main", &before(), &options),
        ] {
            let made = made.expect("it is made").module;
            validate(made.words()).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// What every invocation emits alike is not counted.
#[test]
fn constant_numbers_need_no_count() {
    let source = format!("{HEAD}{CONSTANT}").replace("(triangles)", "(triangles, invocations = 2)");
    let module = module(&source, ShaderStage::Geometry);
    let range = BufferRange { size: 100, ..BufferRange::default() };
    let one = Draw { instance_count: 1, ..DRAW };
    for options in [captured(), drawn().one_instance()] {
        for made in [
            geometry::count(&module, "main", &before(), &options),
            geometry::sum(&module, "main", &before(), &options),
        ] {
            refused(made, "geometry.constant-count");
        }
        let made = geometry::capture(&module, "main", &before(), &options).expect("it is made");
        let purposes = made.requirements.descriptors.iter().map(|one| one.purpose);
        assert!(!purposes.into_iter().any(|one| one == Purpose::Counts), "{options:?}");
        let layout = made.result;
        assert_eq!(layout.counts_size(&one), Ok(0));
        assert_eq!(layout.primitives_emitted(&one), Ok(Some([10, 0, 0, 0])));
        let [each, ..] = layout.primitives_per_input().expect("the numbers are constant");
        assert_eq!(u64::from(each) * one.primitives(), 10);
        assert_eq!(layout.primitives_written_of(0, 20, &[range]), Ok(4));
        let most = Draw { vertex_count: 1 << 30, ..one };
        assert_eq!(layout.primitives_emitted(&most), Ok(Some([(1 << 31) - 4, 0, 0, 0])));
    }
}

/// A stage that is drawn has no outputs. It needs the numbers of primitives and instances only to number invocations.
#[test]
fn drawn_stages_stay_geometry_stages() {
    let of_vertex = module(VERTEX, ShaderStage::Vertex);
    let vertex = |options: &Options| geometry::vertex(&of_vertex, "main", options).expect("made");
    let text = |words: &[u32]| disassemble(words).expect("it is a module");
    // The vertex stage has an output at a free location.
    let passed = vertex(&drawn());
    assert!(text(passed.module.words()).contains("OpDecorate %polyshade_instance Location 0"));
    let alone = vertex(&drawn().one_instance());
    assert!(!text(alone.module.words()).contains("polyshade_instance"));

    let host = |body: &str, options: &Options, before: &Layout| {
        let instance_count = if *options == drawn() { 2 } else { 1 };
        let draw = Draw { instance_count, ..DRAW };
        let module = module(&format!("{HEAD}{body}"), ShaderStage::Geometry);
        let made = geometry::capture(&module, "main", before, options).expect("it is made");
        validate(made.module.words()).unwrap_or_else(|error| panic!("{error}"));
        made.module.entry_point("main", ExecutionModel::GEOMETRY).expect("it stays one");
        assert_eq!(made.requirements.features, [Feature::VertexPipelineStoresAndAtomics]);
        assert!(made.result.work_groups(&draw).is_err());
        let text = text(made.module.words());
        assert!(!text.contains("OpEmitVertex") && text.contains("%v_colour"), "{text}");
        let params = made.params[0].params.iter().map(|param| param.name.clone().into_owned());
        let values = made.result.host_params(&draw, &[BufferRange::default()]).expect("a draw");
        params.zip(values).take_while(|(name, _)| name != "offset_0").collect::<Vec<_>>()
    };
    let of_draw = |all: &[(&str, u32)]| {
        all.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect::<Vec<_>>()
    };
    let [flags, count] = [("flags", 0), ("primitive_count", 5)];
    let [instances, first] = [("instance_count", 2), ("first_instance", 7)];
    let one = drawn().one_instance();
    assert_eq!(host(BODY, &drawn(), &passed.result), of_draw(&[flags, count, instances, first]));
    assert_eq!(host(BODY, &one, &alone.result), of_draw(&[flags, count]));
    assert_eq!(host(CONSTANT, &drawn(), &passed.result), of_draw(&[flags, count, first]));
    assert_eq!(host(CONSTANT, &one, &alone.result), of_draw(&[flags]));

    // An input that the vertex stage does not write is at the location of the added output.
    let taken = format!("{HEAD}layout(location = 0) in float early[];{BODY}");
    let taken = module(&taken, ShaderStage::Geometry);
    refused(geometry::capture(&taken, "main", &passed.result, &drawn()), "geometry.location-taken");
    refused(geometry::vertex(&of_vertex, "main", &captured()), "geometry.option");
}

/// Returns the limits and the layout of a vertex stage with these outputs.
fn passing_instance(
    outputs: &str,
    target: Target,
) -> Result<(BTreeMap<LimitName, u32>, Layout), Error> {
    let source = format!("#version 450\n{outputs}\nvoid main() {{ gl_Position = vec4(0); }}");
    let module = module(&source, ShaderStage::Vertex);
    let made = geometry::vertex(&module, target, &drawn())?;
    Ok((made.requirements.limits, made.result))
}

/// The number of the instance takes the first free location within the limits of the device.
#[test]
fn instances_are_passed_at_free_locations() {
    let main = || Target::new("main");
    let vertex = LimitName::MaxVertexOutputComponents;
    let gap = "layout(location = 0) out vec4 a[3]; layout(location = 4) out vec4 b[12];";
    let unknown = "layout(constant_id = 0) const uint n = 2; layout(location = 1) out float v[n];";
    let reserved = main().reserved(Reserved::new().location(3));
    for (outputs, target, location) in
        [(gap, main(), Some(3)), (unknown, main(), Some(0)), (gap, reserved, None)]
    {
        let made = passing_instance(outputs, target).map(|(limits, _)| limits);
        match location {
            Some(location) => {
                let limits = made.expect("it is made");
                assert_eq!(limits, BTreeMap::from([(vertex, 4 * (location + 1))]), "{outputs}");
            }
            None => {
                let error = made.expect_err("no location is free");
                assert_eq!(error.code().name(), "interface.no-free-location", "{outputs}");
            }
        }
    }
    // With 16 vectors, only some devices have a location more.
    let full = "layout(location = 0) out vec4 v[16];";
    passing_instance(full, main()).expect_err("no location is free");
    let mut device = Device::default();
    device.output_components = 68;
    let (limits, before) = passing_instance(full, main().device(device)).expect("it is made");
    assert_eq!(limits[&vertex], 68);
    let module = module(&format!("{HEAD}{BODY}"), ShaderStage::Geometry);
    let made = geometry::capture(&module, "main", &before, &drawn()).expect("it is made");
    assert_eq!(made.requirements.limits[&LimitName::MaxGeometryInputComponents], 68);
}

/// Both stages of a draw share one pipeline layout.
#[test]
fn drawn_stages_share_no_resources() {
    let source = VERTEX.replace(
        "void main() {",
        "layout(set = 3, binding = 0) uniform sampler2D image;
        layout(set = 2, binding = 1) uniform B { float b; };
        layout(push_constant) uniform P { layout(offset = 16) vec4 c; };
        void main() { gl_Position = textureLod(image, vec2(b), 0) * c;",
    );
    let of_vertex = module(&source, ShaderStage::Vertex);
    let before = geometry::vertex(&of_vertex, "main", &drawn()).expect("it is made").result;
    let module = module(&format!("{HEAD}{BODY}"), ShaderStage::Geometry);
    let at = |options: &Options| {
        let made = geometry::capture(&module, "main", &before, options)?;
        Ok::<_, Error>(made.requirements.descriptors.iter().map(|one| one.set.0).collect())
    };
    // The last set that no stage uses is free, and in other sets the bindings that no stage uses.
    let found = |options| -> BTreeSet<u32> { at(&options).expect("it is made") };
    assert_eq!(found(drawn()), BTreeSet::from([1]));
    assert_eq!(found(drawn().into_set(Set(3))), BTreeSet::from([3]));
    let offset = |offset| ParamSource::PushConstant { offset };
    assert_eq!(found(drawn().params(offset(32))), BTreeSet::from([1]));
    for (options, code) in [
        (drawn().into_storage(Set(3), Binding(0)), "binding.reserved"),
        (drawn().params(offset(16)), "params.push-constants-reserved"),
    ] {
        assert_eq!(at(&options).expect_err("it is taken").code().name(), code, "{options:?}");
    }
}

/// Stores of a vertex stage stay in the original draw.
#[test]
fn side_effects_of_the_vertex_stage_are_not_repeated() {
    let source = VERTEX
        .replace("void main() {", "layout(binding = 0) buffer B { uint b; }; void main() { b = 1;");
    let module = module(&source, ShaderStage::Vertex);
    let made = |kept| geometry::vertex(&module, "main", &drawn().one_instance().side_effects(kept));
    for kept in [SideEffects::Refuse, SideEffects::InFirstPass] {
        refused(made(kept), "side-effects.unassigned");
    }
    let stores =
        |words: &[u32]| disassemble(words).expect("it is a module").matches("OpStore").count();
    let made = made(SideEffects::InSecondPass).expect("it is made").module;
    assert_eq!(stores(made.words()), stores(module.words()) - 1);
}

/// A stage that is drawn finds its buffers by addresses.
#[test]
fn buffers_with_addresses_have_no_bindings() {
    let constant = format!("{HEAD}{CONSTANT}");
    let address = |source| drawn().one_instance().params(ParamSource::Address(source));
    let pushed = address(AddressSource::PushConstant { offset: 8 });
    let module = module(&constant, ShaderStage::Geometry);
    let made = geometry::capture(&module, "main", &before(), &pushed).expect("it is made");
    validate(made.module.words()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(made.requirements.descriptors, []);
    let names: Vec<&str> = made.params[0].params.iter().map(|param| &*param.name).collect();
    assert_eq!(names, ["flags", "address_low_0", "address_high_0", "size_0", "counter_0"]);
    let attribute = address(AddressSource::Attribute { location: 0 });
    source_refused(&constant, &attribute, "params.attribute-stage");
}

/// With addresses, primitives whose number varies are stored sparsely.
#[test]
fn varying_numbers_of_primitives_are_stored_sparsely() {
    let source = format!("layout(invocations = 5) in; {BODY}");
    let module = module(&format!("{HEAD}{source}"), ShaderStage::Geometry);
    let pushed = ParamSource::Address(AddressSource::PushConstant { offset: 8 });
    let options = drawn().one_instance().params(pushed);
    let made = geometry::capture(&module, "main", &before(), &options).expect("it is made");
    validate(made.module.words()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(made.requirements.descriptors, []);
    let names: Vec<&str> = made.params[0].params.iter().map(|param| &*param.name).collect();
    let of_counts = ["counts_address_low", "counts_address_high", "counts_size"];
    let of_buffer = ["address_low_0", "address_high_0", "size_0", "counter_0"];
    assert_eq!(names, [&["flags"], &of_counts[..], &of_buffer].concat());

    // Two triangles fit into four vertices.
    let layout = &made.result;
    assert_eq!(layout.sparse_primitives(), Some([10, 0, 0, 0]));
    assert_eq!(layout.invocations_per_input(), 5);
    assert!(!layout.needs_counts());
    let draw = Draw { instance_count: 1, ..DRAW };
    assert_eq!(layout.counts_size(&draw).expect("it is a draw"), 5 * 5 * 16);
    let range = |address, size| BufferRange { address, size, ..BufferRange::default() };
    let ranges = [range(1 << 32 | 16, 48), range(2 << 32 | 32, 240)];
    let values = layout.host_params(&draw, &ranges).expect("it is a draw");
    assert_eq!(values, [0, 32, 2, 240, 16, 1, 48, 0]);
    refused(layout.host_params(&draw, &ranges[..1]), "capture.range-count");

    // The other steps are not needed.
    for step in [geometry::count, geometry::sum] {
        refused(step(&module, "main", &before(), &options), "geometry.constant-count");
    }
}
