//! Tessellation by other stages: refusals, the made modules, the host's sizes, and the matching of inputs and outputs.

mod host;
mod matching;

use crate::shader::refused;
use polyshade::host::{AddressSource, Binding, Lowered, ParamSource, Reserved, Set, Target};
use polyshade::spv::view::Mode;
use polyshade::spv::{
    BuiltIn, Capability, ExecutionMode, ExecutionModel, Id, Op, Section, StorageClass,
};
use polyshade::transform_feedback::{self, Layout, Options, Topology, tessellation};
use polyshade::{Error, Module};
use polyshade_formats::glsl::{Language, SourceText};
use polyshade_tests::shader::{ShaderStage, assemble, compile, disassemble, validate};

type Step = Lowered<'static, Layout>;

const VERTEX: &str = "#version 450
    layout(location = 0) out vec4 v_value;
    void main() { v_value = vec4(1); gl_Position = vec4(2); }";

const CONTROL: &str = "#version 450
    layout(vertices = 4) out;
    layout(location = 0) in vec4 v_value[];
    layout(location = 0) out vec4 c_value[];
    layout(location = 4) patch out vec2 c_patch;
    void main() {
        c_value[gl_InvocationID] = v_value[gl_InvocationID % gl_PatchVerticesIn];
        gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position;
        barrier();
        if (gl_InvocationID == 0) {
            c_patch = c_value[2].xy + vec2(gl_PrimitiveID);
            gl_TessLevelOuter = float[](1, 2, 3, 4);
            gl_TessLevelInner = float[](2, 3);
        }
    }";

const EVALUATION: &str = "#version 450
    layout(triangles, equal_spacing, ccw) in;
    layout(location = 0) in vec4 c_value[];
    layout(location = 4) patch in vec2 c_patch;
    layout(location = 0) out vec2 e_value;
    void main() {
        e_value = c_patch + gl_TessCoord.xy + vec2(gl_PrimitiveID, gl_PatchVerticesIn);
        gl_Position = gl_in[0].gl_Position + c_value[1];
    }";

fn parse(words: Vec<u32>) -> &'static Module<'static> {
    Box::leak(Box::new(Module::parse(words.leak()).expect("the words parse")))
}

#[track_caller]
fn module(source: &str, stage: ShaderStage) -> &'static Module<'static> {
    parse(compile(source, stage).unwrap_or_else(|error| panic!("{error}\n{source}")))
}

fn control_module(source: &str) -> &'static Module<'static> {
    module(source, ShaderStage::TessellationControl)
}

fn evaluation_module(source: &str) -> &'static Module<'static> {
    module(source, ShaderStage::TessellationEvaluation)
}

/// Returns the module with edits of its assembly. The text of an edit must occur.
#[track_caller]
fn edited(module: &Module<'_>, edits: &[(&str, &str)]) -> &'static Module<'static> {
    let mut text = disassemble(module.words()).expect("it is a module");
    for (from, to) in edits {
        assert!(text.contains(from), "`{from}` in\n{text}");
        text = text.replace(from, to);
    }
    parse(assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// Returns the layout of a vertex stage that spills its outputs.
fn before(source: &str) -> Layout {
    let options = Options::new().compute().spill_outputs();
    let vertex = module(source, ShaderStage::Vertex);
    transform_feedback::prepare(vertex, "main", &options).expect("prepared").layout().clone()
}

/// The number of vertices of a patch that is drawn.
const POINTS: u32 = 3;

fn control(m: &'static Module<'static>, options: &Options) -> Result<Step, Error> {
    tessellation::control(m, "main", &before(VERTEX), POINTS, options)
}

/// Makes the steps `allocate`, `tessellate` and `evaluation`.
fn after(
    m: &'static Module<'static>,
    target: &Target,
    layout: &Layout,
    options: &Options,
) -> Result<[Step; 3], Error> {
    let steps = [
        tessellation::allocate(m, target, layout, options),
        tessellation::tessellate(m, target, layout, options),
        tessellation::evaluation(m, target, layout, options),
    ];
    let codes = steps.each_ref().map(|step| step.as_ref().err().map(Error::code));
    assert_eq!(codes[0], codes[1]);
    let [allocate, tessellate, evaluation] = steps;
    Ok([allocate?, tessellate?, evaluation?])
}

/// Makes all steps, in the order in which the host runs them, and validates them.
#[track_caller]
fn steps([c, e]: [&'static Module<'static>; 2], before: &str, options: &Options) -> [Step; 4] {
    let control = tessellation::control(c, "main", &self::before(before), POINTS, options);
    let control = control.unwrap_or_else(|error| panic!("{error}"));
    let after = after(e, &Target::new("main"), &control.result, options);
    let [allocate, tessellate, evaluation] = after.unwrap_or_else(|error| panic!("{error}"));
    let steps = [control, allocate, tessellate, evaluation];
    for step in &steps {
        let text = || disassemble(step.module.words()).expect("it is a module");
        validate(step.module.words()).unwrap_or_else(|error| panic!("{error}\n{}", text()));
    }
    steps
}

/// Returns the steps of the shaders above.
fn example(options: &Options) -> [Step; 4] {
    steps([control_module(CONTROL), evaluation_module(EVALUATION)], VERTEX, options)
}

#[track_caller]
fn refused_after(m: &'static Module<'static>, options: &Options, code: &str) {
    let control = control(control_module(CONTROL), options).expect("it is made").result;
    refused(after(m, &Target::new("main"), &control, options), code);
}

#[test]
fn control_shaders_that_a_compute_stage_cannot_run_are_refused() {
    let m = control_module(CONTROL);
    let pulled = module(VERTEX, ShaderStage::Vertex);
    let kept = transform_feedback::Options::new().interleaved(["v_value"]);
    let kept = transform_feedback::prepare(pulled, "main", &kept).expect("it is prepared");
    refused(
        tessellation::control(m, "main", kept.layout(), POINTS, &Options::new()),
        "tessellation.inputs",
    );
    refused(control(pulled, &Options::new()), "entry-point.unsupported-stage");

    let view = CONTROL.replace("vec2(gl_PrimitiveID)", "vec2(gl_ViewIndex)");
    let view = view.replace("450", "450\n#extension GL_EXT_multiview : enable");
    refused(control(control_module(&view), &Options::new()), "tessellation.built-in");
    let vertices = ("OpExecutionMode %main OutputVertices 4\n", "");
    refused(control(edited(m, &[vertices]), &Options::new()), "tessellation.modes");
    let more = (vertices.0, "OpExecutionMode %main OutputVertices 33\n");
    refused(control(edited(m, &[more]), &Options::new()), "tessellation.modes");
    let null = "%c_patch = OpVariable %_ptr_Output_v2float Output";
    let with_null = format!("%null = OpConstantNull %v2float\n{null} %null");
    let initialized = edited(m, &[(null, &with_null)]);
    refused(control(initialized, &Options::new()), "interface.initialized-output");
}

#[test]
fn evaluation_shaders_that_a_vertex_stage_cannot_run_are_refused() {
    let m = evaluation_module(EVALUATION);
    refused_after(control_module(CONTROL), &Options::new(), "entry-point.unsupported-stage");
    let layer = edited(m, &[("BuiltIn TessCoord", "BuiltIn BaryCoordKHR")]);
    refused_after(layer, &Options::new(), "tessellation.built-in");
    let domain = ("OpExecutionMode %main Triangles\n", "");
    refused_after(edited(m, &[domain]), &Options::new(), "tessellation.modes");
}

/// Either stage may state each mode, but both must not state different ones.
#[test]
fn stages_that_state_different_modes_are_refused() {
    let [c, e] = [control_module(CONTROL), evaluation_module(EVALUATION)];
    let vertices = "OpExecutionMode %main OutputVertices 4\n";
    let stated = |mode: &str| {
        let with_mode = format!("{vertices}OpExecutionMode %main {mode}\n");
        control(edited(c, &[(vertices, &with_mode)]), &Options::new()).expect("it is made").result
    };
    let main = Target::new("main");
    for mode in ["Quads", "SpacingFractionalOdd", "VertexOrderCw"] {
        refused(after(e, &main, &stated(mode), &Options::new()), "tessellation.modes");
    }
    for (mode, topology) in [
        ("Triangles", Topology::TriangleList),
        ("SpacingEqual", Topology::TriangleList),
        ("PointMode", Topology::PointList),
    ] {
        let [_, _, drawn] = after(e, &main, &stated(mode), &Options::new()).expect("it is made");
        assert_eq!(drawn.result.emitted_topology(), Some(topology), "{mode}");
    }
    let none = ["Triangles", "SpacingEqual", "VertexOrderCcw"];
    let none = none.map(|mode| format!("OpExecutionMode %main {mode}\n"));
    let none = edited(e, &none.each_ref().map(|line| (line.as_str(), "")));
    let [_, _, drawn] =
        after(none, &main, &stated("Isolines"), &Options::new()).expect("it is made");
    assert_eq!(drawn.result.emitted_topology(), Some(Topology::LineList));
}

#[test]
fn names_and_bindings_in_use_are_refused() {
    let [c, e] = [control_module(CONTROL), evaluation_module(EVALUATION)];
    let entry = |stage| format!("OpEntryPoint {stage} %main \"main\"\n");
    let taken = |m, from: &str, stage| {
        let line = format!("{}OpEntryPoint {from}", entry(stage));
        edited(m, &[(&format!("OpEntryPoint {from}"), &line)])
    };
    let before = before(VERTEX);
    let stage = Target::new("main").stage(ExecutionModel::TESSELLATION_CONTROL);
    let compute = taken(c, "TessellationControl", "GLCompute");
    refused(
        tessellation::control(compute, stage, &before, POINTS, &Options::new()),
        "capture.entry-point-taken",
    );
    let layout = control(c, &Options::new()).expect("it is made").result;
    let vertex = taken(e, "TessellationEvaluation", "Vertex");
    let stage = Target::new("main").stage(ExecutionModel::TESSELLATION_EVALUATION);
    tessellation::allocate(vertex, &stage, &layout, &Options::new()).expect("only a vertex stage");
    refused(
        tessellation::evaluation(vertex, &stage, &layout, &Options::new()),
        "capture.entry-point-taken",
    );

    let stored = Options::new().into_storage(Set(1), Binding(2));
    let reserved = Target::new("main").reserved(Reserved::new().binding(Set(1), Binding(6)));
    refused(tessellation::control(c, &reserved, &before, POINTS, &stored), "binding.reserved");
    refused(after(e, &reserved, &layout, &stored), "binding.reserved");
    let used = "layout(set = 1, binding = 3) buffer B { float b; }; void main() { b = 1;";
    let used = control_module(&CONTROL.replace("void main() {", used));
    refused(control(used, &stored), "binding.taken");
    let shared = stored.params(ParamSource::Uniform { set: Set(1), binding: Binding(4) });
    refused(control(c, &shared), "binding.params-conflict");
    let address = AddressSource::PushConstant { offset: 0 };
    let address = Options::new().params(ParamSource::Address(address));
    refused(control(c, &address), "tessellation.option");
    refused(after(e, &Target::new("main"), &layout, &address), "tessellation.option");
    refused(control(c, &Options::new().specialize(7, 1)), "specialization.not-found");
}

/// Checks that nothing is left of tessellation stages, and returns the number of invocations of a compute stage.
#[track_caller]
fn check_stage(m: &Module<'_>) -> Option<u32> {
    let text = disassemble(m.words()).expect("it is a module");
    let of_patches = [" Patch", " Tess", " InvocationId", " PrimitiveId"];
    let decorations = text.lines().filter(|line| line.contains("Decorate "));
    let has_any = |line: &&str| of_patches.iter().any(|one| line.contains(one));
    assert_eq!(decorations.clone().find(has_any), None);
    assert!(decorations.count() > 0, "{text}");
    assert!(!m.has_capability(Capability::TESSELLATION));
    assert!(!m.has_capability(Capability::TESSELLATION_POINT_SIZE));
    let modes: Vec<Mode<'_>> = m.section(Section::ExecutionModes).filter_map(Mode::of).collect();
    let entry = m.entry_point("main", ExecutionModel::GL_COMPUTE);
    if entry.is_err() {
        m.entry_point("main", ExecutionModel::VERTEX).expect("it is a vertex stage");
        assert!(modes.is_empty());
        return None;
    }
    let of_compute = [
        BuiltIn::WORKGROUP_ID,
        BuiltIn::LOCAL_INVOCATION_ID,
        BuiltIn::LOCAL_INVOCATION_INDEX,
        BuiltIn::NUM_WORKGROUPS,
    ];
    let shown = [StorageClass::INPUT, StorageClass::OUTPUT];
    for variable in m.variables().filter(|one| shown.contains(&one.storage_class())) {
        let builtin = m.builtin(variable.result());
        assert!(builtin.is_some_and(|one| of_compute.contains(&one)), "{builtin:?}\n{text}");
    }
    let [mode] = modes[..] else { panic!("{text}") };
    assert_eq!((mode.mode(), &mode.operands()[1..]), (ExecutionMode::LOCAL_SIZE, &[1, 1][..]));
    Some(mode.operands()[0])
}

const VULKAN_MEMORY: &str = "\n#pragma use_vulkan_memory_model\n";

/// `memoryBarrier` has another scope than `barrier`, and `gl_PointSize` needs a capability.
#[test]
fn modules_of_all_versions_are_valid() {
    let control = CONTROL.replace(
        "barrier();",
        "memoryBarrier(); barrier(); gl_out[gl_InvocationID].gl_PointSize = 2;",
    );
    for (minor, memory) in
        (0..=6).map(|minor| (minor, "")).chain((3..=6).map(|m| (m, VULKAN_MEMORY)))
    {
        let head = format!("450\n// Version: 1.{minor}{memory}");
        let [vertex, control, evaluation] =
            [VERTEX, &control, EVALUATION].map(|source| source.replacen("450", &head, 1));
        let stages = [control_module(&control), evaluation_module(&evaluation)];
        let steps = steps(stages, &vertex, &Options::new());
        let sizes = steps.each_ref().map(|step| check_stage(&step.module));
        assert_eq!(sizes, [Some(4), Some(64), Some(64), None], "{head}");
        assert!(steps.iter().all(|step| step.module.words()[1] == minor << 8 | 1 << 16));
        check_barriers(&steps[0].module);
    }
}

/// Barriers order accesses to shared memory within the work group.
fn check_barriers(m: &Module<'_>) {
    let semantics = if m.has_capability(Capability::VULKAN_MEMORY_MODEL) { 0x6108 } else { 0x108 };
    let barriers = m.instructions().filter(|inst| inst.op() == Op::CONTROL_BARRIER);
    let operands = barriers.map(|inst| {
        let ids = inst.words()[1..].iter().map(|word| Id::new(*word));
        ids.map(|id| m.constant(id.expect("it is an id"))).collect::<Vec<_>>()
    });
    let operands: Vec<_> = operands.collect();
    assert_eq!(operands, vec![[2, 2, semantics].map(Some).to_vec(); 2]);
}

/// A barrier has one order of accesses, whatever the shader states.
#[test]
fn barriers_of_any_order_give_valid_modules() {
    let head = format!("450{VULKAN_MEMORY}#extension GL_KHR_memory_scope_semantics : enable\n");
    for semantics in ["Acquire", "Release", "AcquireRelease"] {
        let call = format!(
            "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | \
             gl_StorageSemanticsOutput, gl_Semantics{semantics});"
        );
        let source = CONTROL.replacen("450", &head, 1).replace("barrier();", &call);
        let source = source.replacen("450", "450\n// Version: 1.3", 1);
        let made = control(control_module(&source), &Options::new()).expect("it is made").module;
        validate(made.words()).unwrap_or_else(|error| panic!("{semantics}: {error}"));
    }
}

/// The module keeps a control stage, whose barriers differ from those of a compute stage.
#[test]
fn barriers_of_other_entry_points_are_kept() {
    let text = disassemble(control_module(CONTROL).words()).expect("it is a module");
    let entry = text.lines().find(|line| line.contains("OpEntryPoint")).expect("there is one");
    let with_other = format!("{}\n{entry}", entry.replace("\"main\"", "\"other\""));
    let m = edited(control_module(CONTROL), &[(entry, &with_other)]);
    let made = control(m, &Options::new()).expect("it is made").module;
    validate(made.words()).unwrap_or_else(|error| panic!("{error}"));
}

const HULL: &str = "
    struct Input { float4 p : P; };
    struct Point { float4 p : P; float2 t : T; };
    struct Constants { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float3 s : S; };
    Constants constants(OutputPatch<Point, 3> points, uint number : SV_PrimitiveID) {
        Constants c;
        c.e[0] = c.e[1] = c.e[2] = number;
        c.i = 2;
        c.s = points[1].p.xyz + points[2].p.xyz;
        return c;
    }
    [domain(\"tri\")] [partitioning(\"fractional_odd\")] [outputtopology(\"triangle_cw\")]
    [outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]
    Point main(InputPatch<Input, 3> v, uint i : SV_OutputControlPointID) {
        Point o;
        o.p = v[i].p;
        o.t = v[(i + 1) % 3].p.xy;
        return o;
    }";

const DOMAIN: &str = "
    struct Point { float4 p : P; float2 t : T; };
    struct Constants { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float3 s : S; };
    struct Output { float4 p : SV_Position; };
    [domain(\"tri\")]
    Output main(Constants c, float3 at : SV_DomainLocation, const OutputPatch<Point, 3> points) {
        Output o;
        o.p = points[0].p * at.x + points[1].p * at.y + points[2].p * at.z + float4(c.s, c.e[1]);
        o.p.xy += points[2].t * c.i;
        return o;
    }";

/// A hull shader states the modes. Its patch-constant function reads outputs of other invocations.
#[test]
fn hull_and_domain_shaders_are_run() {
    let stages =
        [(HULL, ShaderStage::TessellationControl), (DOMAIN, ShaderStage::TessellationEvaluation)];
    let stages = stages.map(|(source, stage)| {
        parse(SourceText::new(source, Language::Hlsl, stage).compile().expect("it compiles"))
    });
    let steps = steps(stages, VERTEX, &Options::new());
    let sizes = steps.each_ref().map(|step| check_stage(&step.module));
    assert_eq!(sizes, [Some(3), Some(64), Some(64), None]);
    check_barriers(&steps[0].module);
    let layout = &steps[3].result;
    assert_eq!(
        (layout.emitted_topology(), layout.patch_stride()),
        (Some(Topology::TriangleList), 36 + 3 * 24)
    );
    // All inputs are found: the levels, the sum, and two vectors of each vertex.
    assert_eq!(loaded(&steps[3].module, "load_patch"), [0, 1, 2, 4, 6, 7, 8]);
    assert_eq!(loaded(&steps[3].module, "load_vertex"), [0, 1, 2, 3, 4, 5]);
}

/// Returns the offsets, in 32-bit units, of the loads in a function of the made module.
fn loaded(m: &Module<'_>, name: &str) -> Vec<u32> {
    let mut functions = m.functions();
    let function = functions.find(|one| m.name(one.id()).as_deref() == Some(name));
    let instructions = function.into_iter().flat_map(|one| one.instructions());
    // The first sum is the start of the patch or of its vertices.
    let sums = instructions.filter(|inst| inst.op() == Op::I_ADD).skip(1);
    sums.filter_map(|inst| m.constant(Id::new(inst.words()[4])?)).collect()
}
