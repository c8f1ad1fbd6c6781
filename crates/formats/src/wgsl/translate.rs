//! Calls naga.

use crate::{Error, SpirvVersion};
use naga::back::spv::WriterFlags;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{SourceLocation, back, front};
use polyshade_spv::{Id, Inst, Module, Op, Section, decode_text};
use std::error::Error as StdError;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) fn read(source: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    let module = front::wgsl::parse_str(source).map_err(|error| {
        let notes = error.notes().map(|note| format!("\nnote: {note}")).collect::<String>();
        Error::Faulty(format!("{}{error}{notes}", place(error.location(source), name)))
    })?;
    let info = validator().validate(&module).map_err(|error| {
        let place = place(error.location(source), name);
        Error::Faulty(format!("{place}{}", chain(error.as_inner())))
    })?;
    let options = back::spv::Options {
        lang_version: (1, version.minor()),
        flags: WriterFlags::DEBUG | WriterFlags::LABEL_VARYINGS,
        ..back::spv::Options::default()
    };
    guarded(|| back::spv::write_vec(&module, &info, &options, None))?
        .map_err(|error| Error::Unsupported(chain(&error)))
}

pub(super) fn write(words: &[u32]) -> Result<String, Error> {
    let words = &prepared(words)?;
    let options =
        front::spv::Options { adjust_coordinate_space: false, ..front::spv::Options::default() };
    let cannot = |error: &dyn StdError| Error::Unsupported(chain(error));
    let parse = || front::spv::Frontend::new(words.iter().copied(), &options).parse();
    let module = guarded(parse)?.map_err(|error| cannot(&error))?;
    let info: ModuleInfo =
        guarded(|| validator().validate(&module).map_err(|error| cannot(error.as_inner())))??;
    guarded(|| back::wgsl::write_string(&module, &info, back::wgsl::WriterFlags::empty()))?
        .map_err(|error| cannot(&error))
}

/// The module without what only debuggers read, which naga takes for unknown instructions.
///
/// # Errors
///
/// What WGSL does not have, where naga's own words do not say so.
fn prepared(words: &[u32]) -> Result<Vec<u32>, Error> {
    // What cannot be parsed is naga's to say.
    let Ok(module) = Module::parse(words) else { return Ok(words.to_vec()) };
    if let Some(variable) =
        module.variables().find(|variable| is_combined(&module, variable.result()))
    {
        let id = variable.result();
        let name = module.name(id).map_or_else(|| id.to_string(), |name| format!("`{name}`"));
        let message = format!("WGSL has textures and samplers apart, and {name} is both in one");
        return Err(Error::Unsupported(message));
    }
    let sets: Vec<Id> = module.section(Section::Imports).filter_map(non_semantic).collect();
    let is_debug = |inst: Inst<'_>| match inst.op() {
        Op::LINE | Op::NO_LINE => true,
        Op::EXT_INST => Id::new(inst.words()[3]).is_some_and(|set| sets.contains(&set)),
        Op::EXT_INST_IMPORT => non_semantic(inst).is_some(),
        _ => false,
    };
    let mut kept = module.words()[..HEADER].to_vec();
    for inst in module.instructions().filter(|inst| !is_debug(*inst)) {
        kept.extend_from_slice(inst.words());
    }
    Ok(kept)
}

/// Words of a module's header.
const HEADER: usize = 5;

/// The set of instructions that `import` imports, if they mean nothing to the program.
fn non_semantic(import: Inst<'_>) -> Option<Id> {
    let name = decode_text(import.words().get(2..)?);
    import.result().filter(|_| name.starts_with("NonSemantic."))
}

/// Whether a variable is a texture with its sampler, or an array of them.
fn is_combined(module: &Module<'_>, variable: Id) -> bool {
    let mut ty = module.pointee(variable);
    while let Some(inst) = ty.and_then(|ty| module.definition(ty)) {
        match inst.op() {
            Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY => ty = Id::new(inst.words()[2]),
            op => return op == Op::TYPE_SAMPLED_IMAGE,
        }
    }
    false
}

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), Capabilities::all())
}

/// naga panics on some modules that it cannot represent.
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(call))
        .map_err(|_| Error::Unsupported("naga gives up on this module".to_owned()))
}

fn place(location: Option<SourceLocation>, name: &str) -> String {
    location.map_or_else(String::new, |place| {
        format!("{name}:{}:{}: ", place.line_number, place.line_position)
    })
}

/// An error and what caused it, on one line.
fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(text, ": {error}");
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHADER: &str = "\
struct Varyings { @builtin(position) position: vec4<f32>, @location(0) colour: vec3<f32> }\n\
@vertex fn transform(@location(0) at: vec4<f32>) -> Varyings {\n\
    return Varyings(at * 2.0, at.xyz);\n\
}\n";

    #[test]
    fn a_shader_becomes_spirv_and_wgsl_again() {
        let words = read(SHADER, "a.wgsl", SpirvVersion::SPIRV1_3).expect("it is right");
        assert_eq!(words[1], 0x0001_0300);
        let text = write(&words).expect("WGSL has all that it has");
        assert!(text.contains("@vertex"), "{text}");
        assert!(!text.contains("-("), "the position is flipped: {text}");
        read(&text, "b.wgsl", SpirvVersion::SPIRV1_0).expect("it was written");
    }

    #[test]
    fn faults_are_reported_with_their_place() {
        let fault = |source: &str| read(source, "a.wgsl", SpirvVersion::SPIRV1_3).unwrap_err();
        let syntax = fault("@vertex fn f()\n  nonsense").to_string();
        assert!(syntax.starts_with("a.wgsl:2:3: "), "{syntax}");
        let type_error = fault("fn f() -> f32 {\n  return vec2<f32>();\n}").to_string();
        assert!(type_error.starts_with("a.wgsl:"), "{type_error}");
        let no_position = fault("@vertex fn f() -> @location(0) f32 { return 1.0; }").to_string();
        assert!(no_position.contains("position"), "{no_position}");
    }

    #[test]
    fn what_is_not_spirv_is_refused() {
        assert!(matches!(write(&[1, 2, 3]), Err(Error::Unsupported(_))));
        assert!(guarded(|| panic!("as naga does")).is_err_and(|_: Error| true));
    }
}
