//! The GLSL stages of a pipeline that passes distances, and its pictures.

use crate::clip::arrays::{each_array, inputs};
use crate::clip::shape::{Chain, Form, Scalar, Shape, Style};
use crate::drivers::Driver;
use crate::glsl;
use crate::memory::bytes;
use polyshade::Module;
use polyshade::clip_cull::{
    DistanceCounts, DistanceKind, DistanceSemantic, GeometryClip, Normalize, Primitive, Step,
};
use polyshade::host;
use polyshade::recipe::{self, Recipe};
use polyshade::spv::Capability;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_tests::clip::{emulate, generate, take, to_registers};
use polyshade_tests::shader::{disassemble, validate};
use polyshade_vulkan::{Draw, Stage, Target, Work, vk};

/// The words of the stages of a pipeline, in order.
pub(crate) type Stages = Vec<(ShaderStage, Vec<u32>)>;

pub(crate) const SIZE: u32 = 24;
pub(crate) const TARGET: Target = Target::new(vk::Format::R32G32_UINT, SIZE, SIZE);

pub(crate) const HEADER: &str = "#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(push_constant) uniform P { uint seed; uint zero; } pc;
precise float blend(vec3 at, float a, float b, float c) { precise float r = at.x * a + at.y * b + at.z * c; return r; }
float noise(uint n) {
    n = (n ^ pc.seed) * 2654435761u; n ^= n >> 15; n *= 2246822519u; n ^= n >> 13;
    return float(n & 0xffffu) / 32768.0 - 1.0;
}
";

impl Shape {
    /// Returns the declaration of `gl_PerVertex`, for handwritten arrays.
    fn block(&self, style: Style, side: &str, instance: &str) -> String {
        if style == Style::Registers {
            return String::new();
        }
        let arrays = each_array(self.counts(), |name, count| format!(" float {name}[{count}];"));
        format!("{side} gl_PerVertex {{ vec4 gl_Position;{arrays} }}{instance};\n")
    }

    /// Returns a line of code for each distance and each ordinary value.
    fn each(
        &self,
        distance: impl Fn(usize, Scalar) -> String,
        fixed_function: impl Fn((u32, u32)) -> String,
    ) -> String {
        let distances = self.scalars().into_iter().enumerate().map(|(i, one)| distance(i, one));
        distances.chain(self.rest().into_iter().map(fixed_function)).collect()
    }

    fn vertex(&self, style: Style) -> String {
        // Write the distances and the ordinary values.
        let writes = self.each(
            |i, scalar| {
                let target = self.distance('o', "", scalar, style);
                let value = format!("noise(uint(gl_VertexIndex) * 97u + {i}u * 13u) + 0.25");
                match (self.sometimes == i, style) {
                    (false, _) => format!("    {target} = {value};\n"),
                    (true, Style::Registers) => {
                        format!("    if (gl_VertexIndex % 2 == 0) {{ {target} = {value}; }}\n")
                    }
                    (true, Style::Arrays) => {
                        format!("    {target} = gl_VertexIndex % 2 == 0 ? {value} : 0.0;\n")
                    }
                }
            },
            |at| {
                let target = self.fixed_function('o', "", at, style);
                format!("    {target} = noise({}u);\n", at.0 * 4 + at.1)
            },
        );
        // Disable planes, and use a function if wanted.
        let Chain { tessellation, geometry } = self.chain;
        let writes = writes + &self.turn_off(style, !tessellation && !geometry);
        let (function, call) = if self.callee {
            (format!("void put() {{\n{writes}}}\n"), "    put();\n".to_owned())
        } else {
            (String::new(), writes)
        };
        format!(
            "{HEADER}{}{}{function}void main() {{\n{call}
            uint v = uint(gl_VertexIndex) * 7u + 1000u;
            gl_Position = vec4(noise(v) * 1.2, noise(v + 1u) * 1.2, 0.5, 1.0 + 0.5 * noise(v + 2u));\n}}\n",
            self.declarations('o', "", style),
            self.block(style, "out", ""),
        )
    }

    fn control(&self, style: Style) -> String {
        let own = "[gl_InvocationID]";
        // Copy whole registers, or copy component by component.
        let copies = if self.form == Form::Whole && style == Style::Registers && !self.dynamic {
            let mut seen: Vec<u32> = self.parts.iter().map(|part| part.location).collect();
            seen.dedup();
            seen.iter().map(|at| format!("    o_{at}{own} = i_{at}{own};\n")).collect()
        } else {
            self.each(
                |_, scalar| {
                    let to = self.distance('o', own, scalar, style);
                    format!("    {to} = {};\n", self.distance('i', own, scalar, style))
                },
                |at| {
                    let to = self.fixed_function('o', own, at, style);
                    format!("    {to} = {};\n", self.fixed_function('i', own, at, style))
                },
            )
        };
        // Read other invocations' distances after the barrier.
        let first = self.scalars()[0];
        let of = |vertex: &str| self.distance('o', vertex, first, style);
        format!(
            "{HEADER}layout(vertices = 3) out;\n{}{}{}{}void main() {{\n{copies}
            gl_out{own}.gl_Position = gl_in{own}.gl_Position;
            barrier();
            gl_TessLevelInner[0] = 1.0;
            for (int i = 0; i < 3; ++i) gl_TessLevelOuter[i] = 1.0;
            if ({} < 0.0) gl_TessLevelInner[0] = 2.0;
            if ({} < {}) gl_TessLevelOuter[1] = 3.0;\n}}\n",
            self.declarations('i', "[]", style),
            self.declarations('o', "[]", style),
            self.block(style, "in", " gl_in[gl_MaxPatchVertices]"),
            self.block(style, "out", " gl_out[]"),
            of("[(gl_InvocationID + 1) % 3 * 0 + 1]"),
            of("[2]"),
            of("[0]"),
        )
    }

    fn evaluation(&self, style: Style) -> String {
        let blend = |of: &dyn Fn(&str) -> String| {
            format!("blend(gl_TessCoord, {}, {}, {})", of("[0]"), of("[1]"), of("[2]"))
        };
        let writes = self.each(
            |_, scalar| {
                let value = blend(&|vertex| self.distance('i', vertex, scalar, style));
                format!("    {} = {value};\n", self.distance('o', "", scalar, style))
            },
            |at| {
                let value = blend(&|vertex| self.fixed_function('i', vertex, at, style));
                format!("    {} = {value};\n", self.fixed_function('o', "", at, style))
            },
        );
        let writes = writes + &self.turn_off(style, !self.chain.geometry);
        format!(
            "{HEADER}layout(triangles, equal_spacing, ccw) in;\n{}{}{}{}void main() {{\n{writes}
            precise vec4 position = gl_TessCoord.x * gl_in[0].gl_Position
                + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
            gl_Position = position;\n}}\n",
            self.declarations('i', "[]", style),
            self.declarations('o', "", style),
            self.block(style, "in", " gl_in[gl_MaxPatchVertices]"),
            self.block(style, "out", ""),
        )
    }

    fn geometry(&self, style: Style) -> String {
        let writes = |vertex: &str, sign: &str| {
            self.each(
                |_, scalar| {
                    let from = self.distance('i', vertex, scalar, style);
                    format!("    {} = {sign}{from};\n", self.distance('o', "", scalar, style))
                },
                |at| {
                    let from = self.fixed_function('i', vertex, at, style);
                    format!("    {} = {from};\n", self.fixed_function('o', "", at, style))
                },
            ) + &self.turn_off(style, true)
        };
        format!(
            "{HEADER}layout(triangles) in;\nlayout(triangle_strip, max_vertices = 6) out;\n{}{}{}{}
            void put(int v) {{\n{}
                gl_Position = gl_in[v].gl_Position * vec4(0.5, 1, 1, 1)
                    - vec4(0.5 * gl_in[v].gl_Position.w, 0, 0, 0);
                EmitVertex();
            }}
            void main() {{
            for (int v = 0; v < 3; ++v) put(v);
            EndPrimitive();
            for (int v = 2; v >= 0; --v) {{\n{}
                gl_Position = gl_in[v].gl_Position * vec4(0.5, 1, 1, 1)
                    + vec4(0.5 * gl_in[v].gl_Position.w, 0, 0, 0);
                EmitVertex();
            }}\n}}\n",
            self.declarations('i', "[]", style),
            self.declarations('o', "", style),
            self.block(style, "in", " gl_in[]"),
            self.block(style, "out", ""),
            writes("[v]", ""),
            writes("[v]", "0.125 - "),
        )
    }

    fn fragment(&self, style: Style) -> String {
        let mut declarations = String::new();
        let rest = self.rest();
        // Declare the inputs that are read.
        if self.read || !rest.is_empty() {
            declarations += &self.declarations('i', "", style);
        }
        // Mix distances and ordinary values into the pixel.
        let mut mix = String::new();
        if self.read {
            for scalar in self.scalars() {
                mix += &format!(
                    "    bits = (bits << 5 | bits >> 27) ^ floatBitsToUint({});\n",
                    self.distance('i', "", scalar, style)
                );
            }
            if style == Style::Arrays {
                declarations += &inputs(self.counts());
            }
        }
        for at in rest {
            mix += &format!(
                "    other = other * 31u + floatBitsToUint({});\n",
                self.fixed_function('i', "", at, style)
            );
        }
        format!(
            "{HEADER}{declarations}layout(location = 0) out uvec2 pixel;
            void main() {{ uint bits = 1u; uint other = 1u;\n{mix}    pixel = uvec2(bits, other);\n}}\n"
        )
    }

    #[track_caller]
    pub(crate) fn stages(&self, style: Style) -> Stages {
        let Chain { tessellation, geometry } = self.chain;
        let mut sources = vec![(ShaderStage::Vertex, self.vertex(style))];
        if tessellation {
            sources.push((ShaderStage::TessellationControl, self.control(style)));
            sources.push((ShaderStage::TessellationEvaluation, self.evaluation(style)));
        }
        if geometry {
            sources.push((ShaderStage::Geometry, self.geometry(style)));
        }
        sources.push((ShaderStage::Fragment, self.fragment(style)));
        let compiled = |(stage, source): (ShaderStage, String)| {
            (stage, glsl::compiled(stage, &source, SpirvVersion::SPIRV1_0))
        };
        sources.into_iter().map(compiled).collect()
    }

    /// Returns the stages whose registers were converted to arrays.
    #[track_caller]
    pub(crate) fn normalized(&self) -> Stages {
        self.normalized_with(|semantic| semantic)
    }

    /// Returns the converted stages with changed semantics. Of two adjacent stages, only the first has semantics of
    /// its own.
    #[track_caller]
    pub(crate) fn normalized_with(
        &self,
        change: impl Fn(DistanceSemantic) -> DistanceSemantic,
    ) -> Stages {
        let semantics: Vec<DistanceSemantic> = self.semantics().map(change).collect();
        let stages = self.stages(Style::Registers);
        let options = |(stage, _): &(ShaderStage, Vec<u32>)| {
            let is_last = *stage == ShaderStage::Fragment;
            normalize(Vec::new(), if is_last { Vec::new() } else { semantics.clone() })
        };
        let options = stages.iter().map(options).collect();
        normalized(&stages, options)
    }

    /// Returns the stages with handwritten arrays that were converted to registers and back.
    #[track_caller]
    pub(crate) fn there_and_back(&self) -> Stages {
        let [clip, cull] = self.counts();
        let signature = Some(DistanceCounts { clip, cull });
        let mut options = Vec::new();
        let mut stages = self.stages(Style::Arrays);
        for (_, words) in &mut stages {
            let module = Module::parse(words).expect("glslang's words parse");
            let lowered = take(&module, to_registers(9, signature)).expect("it has room");
            let lowered = lowered.into_owned();
            assert!(!has_distances(&lowered.module));
            valid(lowered.module.words());
            let found = lowered.result.distances;
            options.push(normalize(found.inputs.registers, found.outputs.registers));
            *words = lowered.module.into_words();
        }
        normalized(&stages, options)
    }

    /// Returns the stages with handwritten arrays that were combined into one array and separated again.
    #[track_caller]
    pub(crate) fn combined_and_separated(&self) -> Stages {
        let clip = self.count(DistanceKind::Clip);
        let stages = self.stages(Style::Arrays).into_iter().map(|(stage, words)| {
            let module = Module::parse(&words).expect("glslang's words parse");
            let combine = Step::Combine { clip: Some(clip) };
            let combined = take(&module, combine).expect("it has room");
            valid(combined.module.words());
            let two = take(&combined.module, Step::Separate { clip }).expect("it has room");
            (stage, two.module.into_words())
        });
        stages.collect()
    }

    /// Returns the fragment stage, with arrays indexed from the end.
    #[track_caller]
    pub(crate) fn fragment_numbered_from_the_end(&self) -> Vec<u32> {
        let mut source = self.fragment(Style::Arrays);
        let names = ["gl_ClipDistance", "gl_CullDistance"];
        for (name, count) in names.into_iter().zip(self.counts()) {
            for number in 0..count {
                let (right, wrong) =
                    (format!("({name}[{number}]"), format!("({name}[{}u]", count - 1 - number));
                source = source.replace(&right, &wrong);
            }
        }
        glsl::compiled(ShaderStage::Fragment, &source, SpirvVersion::SPIRV1_0)
    }
}

/// Returns options with only these registers.
pub(crate) fn normalize(
    inputs: Vec<DistanceSemantic>,
    outputs: Vec<DistanceSemantic>,
) -> Normalize {
    let mut options = Normalize::default();
    (options.inputs, options.outputs) = (inputs, outputs);
    options
}

/// Converts the stages to arrays, with linked stages numbered alike.
#[track_caller]
fn normalized(stages: &Stages, options: Vec<Normalize>) -> Stages {
    let modules = stages.iter().map(|(_, words)| Module::parse(words));
    let modules = modules.collect::<Result<Vec<_>, _>>().expect("they parse");
    let given: Vec<_> = modules.iter().map(|one| (one, host::Target::new("main"))).collect();
    let models = modules.iter().flat_map(Module::entry_points).map(|entry| entry.model());
    let mut recipe = Recipe::default();
    recipe.normalize = Some(models.zip(options).collect());
    let lowered = recipe::lower(&given, &recipe).unwrap_or_else(|error| panic!("{error}"));
    let words = lowered.into_iter().map(|one| one.module.into_words());
    stages.iter().map(|(stage, _)| *stage).zip(words).collect()
}

/// Compiles a stage with `HEADER`, after replacing parts of the source.
#[track_caller]
pub(crate) fn with_header(stage: ShaderStage, source: &str, parts: &[(&str, &str)]) -> Vec<u32> {
    let source =
        parts.iter().fold(source.to_owned(), |source, (name, text)| source.replace(name, text));
    glsl::compiled(stage, &format!("{HEADER}{source}"), SpirvVersion::SPIRV1_3)
}

/// Returns the push constants that `HEADER` declares, made from a seed.
pub(crate) fn seeded(seed: u32) -> Vec<u8> {
    bytes(&[seed.wrapping_mul(0x9e37_79b9), 0])
}

#[track_caller]
pub(crate) fn valid(words: &[u32]) {
    validate(words).unwrap_or_else(|error| panic!("{error}\n{}", disassemble(words).unwrap()));
}

/// Lowers both stages so that the fragment stage discards fragments by their distances. Returns the lowered stages
/// and the numbers of distances.
#[track_caller]
pub(crate) fn emulated(stages: &Stages, location: u32) -> (Stages, DistanceCounts) {
    let [(_, last), (_, fragment)] = &stages[..] else { panic!("{} stages", stages.len()) };
    let last = take(&Module::parse(last).unwrap(), emulate(location, None)).unwrap().into_owned();
    let counts = last.result.distances.outputs.counts();
    let fragment = Module::parse(fragment).unwrap();
    let fragment = take(&fragment, emulate(location, Some(counts))).unwrap();
    for module in [&last.module, &fragment.module] {
        valid(module.words());
        assert!(!has_distances(module));
    }
    let words = [last.module.into_words(), fragment.module.into_words()];
    (stages.iter().map(|(stage, _)| *stage).zip(words).collect(), counts)
}

/// Returns the stages with a generated geometry stage before the fragment stage, which cuts what distances of the
/// stage before it would cut. Also returns the numbers of distances.
#[track_caller]
pub(crate) fn with_geometry(
    stages: &Stages,
    clip: GeometryClip,
    primitive: Primitive,
    location: u32,
) -> (Stages, DistanceCounts) {
    let mut stages = stages.clone();
    let last = stages.len() - 2;
    let module = Module::parse_owned(stages[last].1.clone()).unwrap();
    let made = take(&module, generate(clip, primitive, location)).unwrap();
    let geometry = made.result.geometry.expect("there are distances").module.into_words();
    let counts = made.result.distances.outputs.counts();
    stages[last].1 = made.module.into_words();
    valid(&stages[last].1);
    valid(&geometry);
    stages.insert(last + 1, (ShaderStage::Geometry, geometry));
    (stages, counts)
}

pub(crate) fn has_distances(module: &Module<'_>) -> bool {
    let all = [Capability::CLIP_DISTANCE, Capability::CULL_DISTANCE];
    all.into_iter().any(|capability| module.has_capability(capability))
}

const TRIANGLES: u32 = 5;

/// Returns the pictures of each pipeline with each seed, drawn in one submission.
#[track_caller]
pub(crate) fn pictures(driver: Driver, pipelines: &[Stages], seeds: &[u32]) -> Vec<Vec<u8>> {
    let draws = pipelines.iter().flat_map(|stages| {
        seeds.iter().map(|seed| draw(stages, 3 * TRIANGLES, bytes(&[*seed, 0])))
    });
    driver.run(&each(TARGET, draws)).targets
}

/// Returns a draw of triangles, or of patches if there are tessellation stages.
pub(crate) fn draw(stages: &Stages, vertices: u32, push_constants: Vec<u8>) -> Draw<'_> {
    let patches = stages.iter().any(|(stage, _)| *stage == ShaderStage::TessellationControl);
    let stages = stages.iter().map(|(stage, words)| Stage::new(glsl::flags(*stage), words));
    Draw {
        topology: match patches {
            true => vk::PrimitiveTopology::PATCH_LIST,
            false => vk::PrimitiveTopology::TRIANGLE_LIST,
        },
        patch_control_points: 3,
        push_constants,
        ..Draw::new(stages.collect(), 0..vertices)
    }
}

/// Returns a workload in which each draw renders to a separate target.
pub(crate) fn each<'a>(target: Target, draws: impl Iterator<Item = Draw<'a>>) -> Work<'a> {
    let draws = (0..).zip(draws).map(|(number, draw)| Draw { target: Some(number), ..draw });
    let draws: Vec<Draw<'a>> = draws.collect();
    Work { targets: vec![target; draws.len()], draws, ..Work::default() }
}
