//! The texts of lowered modules in other languages. If the original's text reads back, the text of each variant must
//! read back too, except for the exceptions below.
//!
//! glslang reads GLSL and HLSL, and naga reads WGSL. There is no compiler for MSL here, so MSL texts are searched for
//! constructs that MSL [lacks](msl::lacks).

pub mod msl;

use std::collections::BTreeMap;

use glslang::{
    Compiler, CompilerOptions, OpenGlVersion, Shader, ShaderInput, ShaderMessage, ShaderSource,
    SourceLanguage, Target as Client,
};
use polyshade::Module;
use polyshade_formats::cross::{
    self, Domain, EntryPoint, Glsl, Hlsl, Msl, PointSize, Rules, Target,
};
use polyshade_formats::glsl::{Language, SourceText};
use polyshade_formats::wgsl::{self, Wgsl};
use polyshade_formats::{Error, ShaderStage, SpirvVersion};
use polyshade_spv::ExecutionModel;
use serde::{Deserialize, Serialize};

use crate::corpus::attempts;
use crate::shader;

/// A language and its rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Format {
    GlslOfVulkan,
    GlslOfOpenGl,
    Hlsl,
    Wgsl,
    Msl,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] =
        [Self::GlslOfVulkan, Self::GlslOfOpenGl, Self::Hlsl, Self::Wgsl, Self::Msl];
}

/// A variant that may be refused or not read back, although its original does.
struct Exception {
    formats: &'static [Format],
    /// The prefix of the verb.
    verb: &'static str,
    /// Text that the error message contains.
    says: &'static str,
    #[expect(dead_code, reason = "it documents the table")]
    why: &'static str,
}

const fn exception(
    formats: &'static [Format],
    verb: &'static str,
    says: &'static str,
    why: &'static str,
) -> Exception {
    Exception { formats, verb, says, why }
}

const GLSL: &[Format] = &[Format::GlslOfVulkan, Format::GlslOfOpenGl];
const OPENGL: &[Format] = &[Format::GlslOfOpenGl];
const HLSL: &[Format] = &[Format::Hlsl];
const WGSL: &[Format] = &[Format::Wgsl];
const MSL: &[Format] = &[Format::Msl];

/// The exceptions: first for limits of the languages, then for limits of their printers and readers.
const EXCEPTIONS: [Exception; 31] = [
    exception(
        OPENGL,
        "",
        "and set 3 binding 0 would be the same resource",
        "the options choose a descriptor set, which only Vulkan has",
    ),
    exception(OPENGL, "", "and set 3 binding 1 would be the same resource", "the same"),
    exception(
        OPENGL,
        "capture --path compute",
        "OpenGL has no descriptor sets",
        "fetched buffers are bound in the first free set",
    ),
    exception(
        GLSL,
        "capture --path compute",
        "cannot be used in a compute shader",
        "an output that is in no interface stays an output",
    ),
    exception(
        GLSL,
        "capture",
        "unexpected IDENTIFIER",
        "SPIRV-Cross treats a variable as a block if another entry point does so with its type",
    ),
    exception(HLSL, "capture", "'declaration' : Expected", "the same"),
    exception(WGSL, "blend", "capability InputAttachment", "--destination texture is for WGSL"),
    exception(
        WGSL,
        "capture --path extension",
        "capability TransformFeedback",
        "WebGPU has no transform feedback",
    ),
    exception(WGSL, "", "must return a `@builtin(position)`", "the variant rasterizes nothing"),
    exception(WGSL, "", "builtin value: PointSize", "the shader's own, after its block is split"),
    exception(WGSL, "", "builtin value: CullDistance", "WGSL has only clip distances"),
    exception(WGSL, "clip --exact", "execution model %3", "WebGPU has no geometry stage"),
    exception(MSL, "clip --exact", "Metal has no Geometry stage", "neither has Metal"),
    exception(
        MSL,
        "capture",
        "MSL has no cull distances",
        "a captured output that the shader never writes is an output of the text",
    ),
    exception(
        MSL,
        "clip --separate",
        "MSL has no cull distances",
        "some of the clip distances have become cull distances",
    ),
    exception(
        MSL,
        "",
        "unsupported-built-in-type",
        "PositionPerViewNV, which SPIRV-Cross drops where it is in a block",
    ),
    exception(
        OPENGL,
        "blend",
        "GL_EXT_shader_framebuffer_fetch",
        "glslang supports the extension only in OpenGL ES",
    ),
    exception(OPENGL, "blend", "is not declared exactly once", "two sources of one attachment"),
    exception(GLSL, "capture --path extension", "stride is too large", "glslang's limit"),
    exception(
        GLSL,
        "capture",
        "2-component vector of uint",
        "SPIRV-Cross has no bit cast of a double to two words",
    ),
    exception(
        &[Format::GlslOfVulkan, Format::GlslOfOpenGl, Format::Hlsl],
        "capture --path extension",
        "not enough data provided for construction",
        "the same",
    ),
    exception(WGSL, "capture", "Invalid access into expression", "neither has naga"),
    exception(
        GLSL,
        "clip",
        "barrier() must be in main()",
        "the body is now a function, in which GLSL allows no barrier()",
    ),
    exception(
        GLSL,
        "clip --planes",
        "was not redeclared",
        "SPIRV-Cross declares only the original members of gl_PerVertex, not the added array",
    ),
    exception(
        GLSL,
        "clip --exact",
        "unexpected IDENTIFIER",
        "SPIRV-Cross prints an array of blocks wrongly",
    ),
    exception(HLSL, "clip --exact", "cannot apply to an array", "the same"),
    exception(
        GLSL,
        "clip --exact",
        "'invariant' : can only apply to an output",
        "SPIRV-Cross also prints it for the input block, though only the output is invariant",
    ),
    exception(GLSL, "clip --exact", "'max_vertices' : too large", "glslang's limit"),
    exception(
        GLSL,
        "",
        "Cannot use more than one builtin I/O block",
        "SPIRV-Cross counts the block that another entry point keeps",
    ),
    exception(
        &[Format::GlslOfVulkan, Format::GlslOfOpenGl, Format::Hlsl],
        "position-only",
        "function does not return a value",
        "unused values are not computed, and SPIRV-Cross prints no return of an undefined value",
    ),
    exception(
        HLSL,
        "position-only",
        "')' : Expected",
        "glslang's HLSL rejects the parameters of a geometry stage that emits nothing",
    ),
];

/// The number of texts that were read back and the number that were refused, by format and verb.
#[derive(Default, Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Vec<Row>", from = "Vec<Row>")]
pub struct Tally(BTreeMap<(Format, String), [usize; 2]>);

type Row = ((Format, String), [usize; 2]);

impl From<Vec<Row>> for Tally {
    fn from(rows: Vec<Row>) -> Self {
        Self(rows.into_iter().collect())
    }
}

impl From<Tally> for Vec<Row> {
    fn from(tally: Tally) -> Self {
        tally.0.into_iter().collect()
    }
}

impl Tally {
    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, counts) in &other.0 {
            let sums = self.0.entry(key.clone()).or_default();
            (0..2).for_each(|at| sums[at] += counts[at]);
        }
    }

    /// Returns the number of variants that were read back in a format.
    pub fn read(&self, format: Format) -> usize {
        self.0.iter().filter(|((one, _), _)| *one == format).map(|(_, counts)| counts[0]).sum()
    }

    /// Formats a Markdown table, with one row for each format and verb.
    pub fn table(&self) -> String {
        let rows = self.0.iter().map(|((format, verb), [read, refused])| {
            format!("| {format:?} | `{verb}` | {read} | {refused} |\n")
        });
        format!(
            "| Format | Verb | Texts that read back | refused |\n|---|---|---|---|\n{}",
            rows.collect::<String>()
        )
    }
}

/// Prints the result of each lowering of the module in these formats. Returns the results that do not read back
/// although the original does. A module that `spirv-val` does not accept is skipped.
pub fn check(words: &[u32], formats: &[Format], tally: &mut Tally) -> Vec<String> {
    let Ok(module) = Module::parse(words) else { return Vec::new() };
    if shader::validate(words).is_err() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for entry in module.entry_points() {
        let name = entry.name();
        let formats = readable(words, (&name, entry.model()), formats);
        if formats.is_empty() {
            continue;
        }
        for (verb, attempt) in attempts(&module, entry) {
            let Ok((_, variants)) = attempt() else { continue };
            // An unchanged variant equals the original, so it is skipped.
            let others = variants.iter().filter(|variant| *variant != words);
            let each = others.flat_map(|one| formats.iter().map(move |format| (one, *format)));
            for (variant, format) in each {
                let counts = tally.0.entry((format, verb.to_owned())).or_default();
                match fate(variant, (&name, entry.model()), format, verb) {
                    Ok(true) => counts[0] += 1,
                    Ok(false) => counts[1] += 1,
                    Err(fault) => faults.push(format!("{verb}, {format:?}: {fault}")),
                }
            }
        }
    }
    faults
}

/// Prints the module in a format, reads the text back, and ignores errors.
pub fn try_original(words: &[u32], format: Format) {
    let Ok(module) = Module::parse(words) else { return };
    for entry in module.entry_points() {
        readable(words, (&entry.name(), entry.model()), &[format]);
    }
}

/// Returns the faults of a variant: the formats in which only its original, a vertex shader `main`, reads back.
pub fn compare(original: &[u32], variant: &[u32]) -> Vec<String> {
    let entry = ("main", ExecutionModel::VERTEX);
    let formats = readable(original, entry, &Format::ALL);
    formats.into_iter().filter_map(|format| fate(variant, entry, format, "").err()).collect()
}

/// Returns the formats in which the text of a module reads back.
fn readable(words: &[u32], entry: (&str, ExecutionModel), formats: &[Format]) -> Vec<Format> {
    let is_readable = |format: &Format| {
        let text = print(words, entry, *format);
        text.is_ok_and(|text| reads_back(&text, entry.1, *format).is_ok())
    };
    formats.iter().copied().filter(is_readable).collect()
}

/// Returns `true` if a variant reads back, `false` if it is refused for a known reason, or the fault.
fn fate(
    words: &[u32],
    (name, model): (&str, ExecutionModel),
    format: Format,
    verb: &str,
) -> Result<bool, String> {
    // An added stage is a separate module, and a capture may change the stage.
    let module = Module::parse(words).map_err(|error| error.to_string())?;
    let other = || {
        let mut entries = module.entry_points();
        let named = module.entry_points().find(|one| one.name() == name);
        named.or_else(|| entries.next()).ok_or("the module has no entry point")
    };
    let entry = module.entry_point(name, model).or_else(|_| other())?;
    let (name, model) = (entry.name(), entry.model());
    let fault = match print(words, (&name, model), format) {
        Ok(text) => match reads_back(&text, model, format) {
            Ok(()) => return Ok(true),
            Err(fault) => format!("it does not read back: {fault}"),
        },
        Err(Error::Unsupported(reason) | Error::PointSize(reason)) => {
            format!("it is refused: {reason}")
        }
        Err(error) => return Err(format!("it fails: {error}")),
    };
    let is_known = |one: &Exception| {
        one.formats.contains(&format) && verb.starts_with(one.verb) && fault.contains(one.says)
    };
    if EXCEPTIONS.iter().any(is_known) { Ok(false) } else { Err(fault) }
}

fn print(
    words: &[u32],
    (name, model): (&str, ExecutionModel),
    format: Format,
) -> Result<String, Error> {
    let target = match format {
        Format::Wgsl => return wgsl::write(words, &Wgsl::default()).map(|text| text.source),
        Format::GlslOfVulkan => Target::Glsl(Glsl { rules: Rules::Vulkan, ..Glsl::default() }),
        Format::GlslOfOpenGl => Target::Glsl(Glsl::default()),
        Format::Hlsl => Target::Hlsl(Hlsl { point_size: PointSize::Drop, ..Hlsl::default() }),
        // Quads are the domain that has all tessellation levels.
        Format::Msl => Target::Msl(Msl { domain: Some(Domain::Quads), ..Msl::default() }),
    };
    cross::write(words, EntryPoint { name, model: model.0 }, &target).map(|text| text.source)
}

fn reads_back(text: &str, model: ExecutionModel, format: Format) -> Result<(), String> {
    let stage = stage(model).ok_or("the text formats have no such stage")?;
    let compile = |language| {
        let source = SourceText::new(text, language, stage).version(SpirvVersion::SPIRV1_5);
        source.compile().map(drop).map_err(|error| error.to_string())
    };
    match format {
        Format::GlslOfVulkan => compile(Language::Glsl),
        Format::GlslOfOpenGl => read_for_opengl(text, stage),
        Format::Hlsl => compile(Language::Hlsl),
        Format::Wgsl => {
            let words = wgsl::read(text, "text", SpirvVersion::SPIRV1_5);
            words.map(drop).map_err(|error| error.to_string())
        }
        Format::Msl => msl::lacks(text).map_or(Ok(()), Err),
    }
}

fn read_for_opengl(text: &str, stage: ShaderStage) -> Result<(), String> {
    let compiler = Compiler::acquire().ok_or("glslang cannot be set up")?;
    let options = CompilerOptions {
        source_language: SourceLanguage::GLSL,
        target: Client::OpenGL { version: OpenGlVersion::OpenGL4_5, spirv_version: None },
        version_profile: None,
        messages: ShaderMessage::DEFAULT,
    };
    let source = ShaderSource::from(text);
    let input = ShaderInput::new(&source, stage.into(), &options, None, None);
    let input = input.map_err(|error| error.to_string())?;
    Shader::new(compiler, input).parse().map(drop).map_err(|error| error.to_string())
}

fn stage(model: ExecutionModel) -> Option<ShaderStage> {
    Some(match model {
        ExecutionModel::VERTEX => ShaderStage::Vertex,
        ExecutionModel::TESSELLATION_CONTROL => ShaderStage::TessellationControl,
        ExecutionModel::TESSELLATION_EVALUATION => ShaderStage::TessellationEvaluation,
        ExecutionModel::GEOMETRY => ShaderStage::Geometry,
        ExecutionModel::FRAGMENT => ShaderStage::Fragment,
        ExecutionModel::GL_COMPUTE => ShaderStage::Compute,
        ExecutionModel::TASK_EXT => ShaderStage::Task,
        ExecutionModel::MESH_EXT => ShaderStage::Mesh,
        _ => return None,
    })
}
