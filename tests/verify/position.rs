//! Position-only variants: `verify` finds them equal, and different if they have a deliberate fault.

use crate::subject::{self, DRIVERS, Driver, job, judge_by, vertex};
use polyshade::Module;
use polyshade::host::{SideEffects, Target};
use polyshade::position_only::{self, Keep, Options, Variant};
use polyshade::spv::ExecutionModel;
use polyshade_tests::shader::{assemble, disassemble, validate};
use polyshade_verify::{Difference, Lowering, Part, Reduced, Verdict};
use polyshade_vulkan::Runner;

/// The position depends on a loop, an array and a uniform block. The other outputs depend on the same data and on an
/// attribute.
pub(crate) const SHADER: &str = "layout(location = 0) in vec4 a;
    layout(location = 1) in vec4 b;
    layout(set = 0, binding = 0) uniform Uniforms { mat4 m; vec4 colours[4]; int count; };
    layout(location = 0) out vec4 v_colour;
    layout(location = 1) out vec3 v_normal;
    layout(location = 2) flat out uint v_id;
    vec4 move(vec4 at) {
        vec4 offsets[2] = vec4[](at.yxzw, at * 0.5);
        return m * offsets[gl_VertexIndex & 1] + at;
    }
    void main() {
        vec4 at = move(a);
        for (int i = 0; i < count; ++i) at.x += 0.25;
        v_colour = colours[gl_VertexIndex & 3] * b;
        v_normal = normalize(b.xyz + at.xyz);
        v_id = uint(gl_InstanceIndex);
        gl_Position = vec4(at.xyz * 0.2, 1.0 + abs(at.w));
    }";

/// A case, with the modules that are verified instead of polyshade's variants.
pub(crate) struct Case {
    words: Vec<u32>,
    pub(crate) options: Options,
    keep: Vec<Keep>,
    captures: bool,
    given: Vec<(Part, Vec<u32>)>,
}

impl Case {
    pub(crate) fn new(words: Vec<u32>) -> Case {
        let options = Options::new();
        Case { words, options, keep: Vec::new(), captures: false, given: Vec::new() }
    }

    pub(crate) fn keep(mut self, keep: &str) -> Case {
        self.keep = keep.split(' ').map(|one| one.parse().expect("the tests know it")).collect();
        self.options = self.options.keep(self.keep.clone());
        self
    }

    fn given(mut self, part: Part, words: Vec<u32>) -> Case {
        self.given.push((part, words));
        self
    }

    #[track_caller]
    fn verify(&self, driver: Driver) -> Verdict {
        self.verify_by(&*driver.unwatched())
    }

    /// Verifies the case on any runner.
    #[track_caller]
    pub(crate) fn verify_by(&self, runner: &dyn Runner) -> Verdict {
        let module = subject::parsed(&self.words);
        let reduced = Reduced {
            target: &Target::new("main"),
            options: &self.options,
            keep: self.keep.clone(),
            captures: self.captures,
        };
        let lowering = Lowering::Position(reduced);
        let mut job = job(&module, ExecutionModel::VERTEX, lowering);
        job.given = self.given.clone();
        job.vertices = 32;
        judge_by(runner, &job)
    }

    /// Checks that the variants and their pictures are equal on one of the drivers.
    #[track_caller]
    fn is_equal(&self) {
        subject::sampled(&DRIVERS, &self.words).for_each(|driver| self.is_equal_on(driver));
    }

    #[track_caller]
    fn is_equal_on(&self, driver: Driver) {
        let equal = subject::equal(driver, self.verify(driver));
        assert!(equal.words > 0 && equal.pixels > 0, "{driver:?}: {equal:?}");
    }

    /// Checks that the variants are equal, without comparing pictures, because their coverage differs.
    #[track_caller]
    fn is_equal_but_not_drawn(&self, driver: Driver) {
        let equal = subject::equal(driver, self.verify(driver));
        assert!(equal.words > 0 && equal.pixels == 0, "{driver:?}: {equal:?}");
    }

    /// Returns the difference on one of the drivers.
    #[track_caller]
    fn difference(&self) -> Difference {
        let find = |driver| subject::difference(driver, self.verify(driver));
        let key = |one: &Difference| (one.part, one.varying.clone());
        subject::agreed(&DRIVERS, &self.words, find, key)
    }

    /// Edits lines of a variant, in the form that is verified, and adds the result to the case.
    #[track_caller]
    fn edited(
        self,
        part: Part,
        made: impl Fn(&Module<'_>, &Options) -> Vec<u32>,
        edit: impl Fn(&str) -> Option<String>,
    ) -> Case {
        let module = subject::initialised(&self.words);
        let words = made(&module, &self.options);
        self.given(part, subject::edited(&words, edit))
    }
}

fn derived(m: &Module<'_>, options: &Options) -> Vec<u32> {
    position_only::lower(m, "main", options).expect("it can be done").module.into_words()
}

fn complement(m: &Module<'_>, options: &Options) -> Vec<u32> {
    derived(m, &options.clone().variant(Variant::Complement))
}

/// The floating-point instructions of the specification's section "Arithmetic Instructions".
const ARITHMETIC: [(&str, &str); 14] = [
    ("vec4", "OpFNegate %vec4 %x"),
    ("vec4", "OpFAdd %vec4 %x %x"),
    ("vec4", "OpFSub %vec4 %x %x"),
    ("vec4", "OpFMul %vec4 %x %x"),
    ("vec4", "OpFDiv %vec4 %x %x"),
    ("vec4", "OpFRem %vec4 %x %x"),
    ("vec4", "OpFMod %vec4 %x %x"),
    ("vec4", "OpVectorTimesScalar %vec4 %x %one"),
    ("mat4", "OpMatrixTimesScalar %mat4 %m %one"),
    ("vec4", "OpVectorTimesMatrix %vec4 %x %m"),
    ("vec4", "OpMatrixTimesVector %vec4 %m %x"),
    ("mat4", "OpMatrixTimesMatrix %mat4 %m %m"),
    ("mat4", "OpOuterProduct %mat4 %x %x"),
    ("float", "OpDot %float %x %x"),
];

#[test]
fn the_lowering_and_its_judge_keep_drivers_from_contracting_what_the_specification_names() {
    for (ty, arithmetic) in ARITHMETIC {
        let vector = match ty {
            "vec4" => "OpCopyObject %vec4 %value",
            "mat4" => "OpCompositeExtract %vec4 %value 0",
            _ => "OpCompositeConstruct %vec4 %value %value %value %value",
        };
        // A shader with one arithmetic instruction.
        let text = format!("{HEAD}%value = {arithmetic}\n%position = {vector}\n{TAIL}");
        let words = assemble(&text).unwrap_or_else(|error| panic!("{arithmetic}: {error}"));
        validate(&words).unwrap_or_else(|error| panic!("{arithmetic}: {error}"));
        let m = Module::parse(&words).expect("the assembler writes modules");
        // Both variants must decorate the instruction.
        let lowered = derived(&m, &Options::new().precise().variant(Variant::Full));
        let judged =
            polyshade_verify::initialise(&m, polyshade_verify::Filler::Zero).expect("it is small");
        for (who, words) in [("the lowering", &lowered[..]), ("the judge", judged.words())] {
            let decorated = disassemble(words).expect("these words can be read");
            let count = decorated.matches("NoContraction").count();
            assert_eq!(count, 1, "{who}, {arithmetic}:\n{decorated}");
        }
    }
}

const HEAD: &str = "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Vertex %main \"main\" %in %out
    OpDecorate %in Location 0
    OpDecorate %out BuiltIn Position
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %vec4 = OpTypeVector %float 4
    %mat4 = OpTypeMatrix %vec4 4
    %one = OpConstant %float 1
    %int = OpTypeInt 32 1
    %two = OpConstant %int 2
    %ptr_in = OpTypePointer Input %vec4
    %ptr_out = OpTypePointer Output %vec4
    %in = OpVariable %ptr_in Input
    %out = OpVariable %ptr_out Output
    %main = OpFunction %void None %fn
    %label = OpLabel
    %x = OpLoad %vec4 %in
    %m = OpCompositeConstruct %mat4 %x %x %x %x
    %four = OpIAdd %int %two %two
    ";

const TAIL: &str = "OpStore %out %position
    OpReturn
    OpFunctionEnd
    ";

#[test]
fn variants_are_equal() {
    Case::new(vertex(SHADER)).is_equal();
    Case::new(vertex(SHADER)).keep("position v_normal").is_equal_on(Driver::Lavapipe);
    Case::new(vertex(SHADER)).keep("position location=2").is_equal_on(Driver::SwiftShader);
    let with = |options| Case { options, ..Case::new(vertex(SHADER)) };
    with(Options::new().invariant()).is_equal_on(Driver::Lavapipe);
    with(Options::new().keep_interface()).is_equal_on(Driver::SwiftShader);
}

#[test]
fn blocks_built_ins_and_distances_are_equal() {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
        layout(location = 0) out Block { vec4 colour; mat2 m; } block;
        layout(location = 4) out vec2 v_list[3];
        void main() {
            gl_Position = vec4(a.xyz * 0.1, 1.0);
            gl_PointSize = 1.0 + abs(a.x);
            gl_ClipDistance[0] = a.x;
            gl_ClipDistance[1] = a.y + 4.0;
            block.colour = a.wzyx;
            block.m = mat2(a);
            for (int i = 0; i < 3; ++i) v_list[i] = a.xy * float(i);
        }",
    );
    Case::new(words.clone()).is_equal();
    // Drop the clip distances.
    Case::new(words.clone()).keep("position Block").is_equal_but_not_drawn(Driver::Lavapipe);
    let by_location = Case::new(words.clone()).keep("position location=0");
    by_location.is_equal_but_not_drawn(Driver::SwiftShader);
    let by_name = Case::new(words).keep("position point-size v_list");
    by_name.is_equal_but_not_drawn(Driver::Lavapipe);
}

#[test]
fn side_effects_and_captures_go_where_they_are_wanted() {
    let words = vertex(
        "layout(xfb_buffer = 0, xfb_stride = 16) out;
        layout(location = 0) in vec4 a;
        layout(set = 0, binding = 0) buffer Log { uint last; };
        layout(location = 0, xfb_offset = 0) out vec4 v_captured;
        layout(location = 1) out vec4 v_other;
        void main() {
            last = 7u;
            v_captured = a * 2.0;
            v_other = a * 3.0;
            gl_Position = vec4(a.xyz * 0.1, 1.0);
        }",
    );
    let with = |driver: Driver, effects, captures: bool| {
        let mut options = Options::new().side_effects(effects);
        if captures {
            options = options.capture_in_position_only();
        }
        Case { options, captures, ..Case::new(words.clone()) }.is_equal_on(driver);
    };
    with(Driver::Lavapipe, SideEffects::InFirstPass, false);
    with(Driver::SwiftShader, SideEffects::InSecondPass, false);
    with(Driver::Lavapipe, SideEffects::InSecondPass, true);
    with(Driver::SwiftShader, SideEffects::InFirstPass, true);
}

#[test]
fn a_position_that_is_another() {
    let shorter = |line: &str| subject::copied(line, "OpMatrixTimesVector", "%v4float");
    let found = Case::new(vertex(SHADER)).edited(Part::PositionOnly, derived, shorter).difference();
    assert_eq!((found.part, found.varying.as_deref()), (Part::PositionOnly, Some("gl_Position")));
    assert!(found.expected != found.found);
}

#[test]
fn numbers_of_vertices_and_instances_that_lose_bits() {
    let words = vertex(
        "layout(location = 0) in vec4 a; layout(location = 0) out vec4 v;
        void main() {
            gl_Position = a + vec4(gl_VertexIndex, gl_InstanceIndex, 0.0, 0.0);
            v = a;
        }",
    );
    for lost in subject::LOST_BITS {
        let edit = |line: &str| subject::losing_bits(line, lost);
        let found = Case::new(words.clone()).edited(Part::PositionOnly, derived, edit).difference();
        assert_eq!(found.varying.as_deref(), Some("gl_Position"), "{lost:?}: {found}");
    }
}

#[test]
fn texels_of_another_level_and_without_their_signs() {
    type Break<'b> = &'b dyn Fn(&str) -> Option<String>;
    let words = vertex(
        "layout(location = 0) in vec4 a; layout(location = 0) out vec4 v;
        layout(binding = 0) uniform sampler2D s;
        layout(binding = 1) uniform isampler2D n;
        layout(binding = 2, rgba8_snorm) uniform readonly image2D i;
        void main() {
            ivec2 at = ivec2(gl_VertexIndex & 1, 1);
            vec4 texels = textureLod(s, a.xy, 0.0) + texelFetch(n, at, 0) + imageLoad(i, at);
            gl_Position = vec4(abs(a.xyz), 1.0) + 0.1 * texels;
            v = a;
        }",
    );
    let instead =
        |line: &str, from: &str, to: &str| line.contains(from).then(|| line.replace(from, to));
    // Use a different level, a different conversion, and absolute values.
    let breaks: [Break<'_>; 4] = [
        &|line| match line.trim() {
            "%float = OpTypeFloat 32" => Some(format!("{line}\n%level = OpConstant %float 1")),
            line => instead(line, "Lod %float_0", "Lod %level"),
        },
        &|line| instead(line, "Lod %int_0", "Lod %int_1"),
        &|line| instead(line, "OpConvertSToF", "OpConvertUToF"),
        &|line| {
            let (id, read) = line.trim().split_once(" = OpImageRead ")?;
            let absolute = format!("{id} = OpExtInst %v4float %1 FAbs %read");
            Some(format!("%read = OpImageRead {read}\n{absolute}"))
        },
    ];
    Case::new(words.clone()).is_equal();
    for edit in breaks {
        let found = Case::new(words.clone()).edited(Part::PositionOnly, derived, edit).difference();
        assert_eq!(found.varying.as_deref(), Some("gl_Position"), "{found}");
    }
}

#[test]
fn a_specialization_constant_with_another_number() {
    for constant in ["float", "int", "bool"] {
        let words = vertex(&format!(
            "layout(constant_id = 4) const {constant} chosen = {constant}(3);
            layout(location = 0) in vec4 a; layout(location = 0) out vec4 v;
            void main() {{ gl_Position = a * float(chosen); v = a; }}"
        ));
        let other =
            |line: &str| line.contains("SpecId 4").then(|| line.replace("SpecId 4", "SpecId 5"));
        let found = Case::new(words).edited(Part::PositionOnly, derived, other).difference();
        assert_eq!(found.varying.as_deref(), Some("gl_Position"), "{constant}: {found}");
    }
}

/// The initial value is part of a sum, even if the driver reorders the sum.
#[test]
fn a_sum_that_begins_with_anything() {
    let words = vertex(
        "layout(location = 0) in vec4 a; layout(location = 0) out vec4 v;
        void main() {
            float sum = 0.0;
            for (int i = 0; i < 4; ++i) sum += a[i];
            gl_Position = a * sum;
            v = vec4(sum);
        }",
    );
    let m = subject::parsed(&words);
    let edit = |line: &str| line.contains("OpStore %sum %float_0").then(|| "OpNop".to_owned());
    let other = subject::edited(&derived(&m, &Options::new()), edit);
    let found = Case::new(words).given(Part::PositionOnly, other).difference();
    assert_eq!(found.varying.as_deref(), Some("gl_Position"), "{found}");
}

#[test]
fn another_output_of_the_complement() {
    let case = Case::new(vertex(SHADER)).edited(Part::Complement, complement, |line| {
        let is_it = line.contains(" Normalize ");
        is_it.then(|| subject::copied(line, "OpExtInst", "%v3float")).flatten()
    });
    let found = case.difference();
    assert_eq!((found.part, found.varying.as_deref()), (Part::Complement, Some("v_normal")));
}

#[test]
fn outputs_that_are_too_many_or_too_few() {
    let words = vertex(SHADER);
    let module = subject::initialised(&words);
    let options = Options::new();
    let whole = Case::new(words.clone()).given(Part::PositionOnly, module.words().to_vec());
    assert!(whole.difference().message.contains("it has the unexpected output"));
    let swapped = Case::new(words.clone()).given(Part::Complement, derived(&module, &options));
    assert!(swapped.difference().message.contains("it has the unexpected output gl_Position"));
    let less = Options::new().keep([Keep::Position]);
    let more = Case::new(words).keep("position v_normal");
    let found = more.given(Part::PositionOnly, derived(&module, &less)).difference();
    assert_eq!(found.message, "it lacks the output v_normal");
}

#[test]
fn a_full_shader_that_is_another() {
    let full = |m: &Module<'_>, _: &Options| m.words().to_vec();
    let shorter = |line: &str| subject::copied(line, "OpMatrixTimesVector", "%v4float");
    let case = Case::new(vertex(SHADER)).edited(Part::Full, full, shorter);
    assert_eq!(case.difference().part, Part::Full);
}
