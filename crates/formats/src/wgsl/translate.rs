//! Calls naga.

use super::{Bound, BoundKind, PointSize, Text, Wgsl, WgslResource};
use super::{
    arrays, comparing, copy_logical, dropped_operands, interface, known, layers, layout, modulo,
    packed, places, point_size, push_constants, row_major, samplers, signedness, specified,
    strides, texel_offsets,
};
use crate::{Error, SpirvVersion, gather_offsets, wide_arithmetic};
use naga::back::spv::WriterFlags;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{SourceLocation, back, front};
use polyshade_spv::Module;
use std::collections::BTreeSet;
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

pub(super) fn write(words: &[u32], options: &Wgsl) -> Result<Text, Error> {
    // naga reports modules that cannot be parsed.
    let Ok(module) = Module::parse(words) else {
        return Ok(Text { source: text(words)?, bound: Vec::new() });
    };
    let unsupported = |error: polyshade_spv::Error| {
        // Offsets and ids would refer to the rewritten module.
        Error::Unsupported(error.without_place().to_string())
    };
    let arrays = arrays::arrays(&module).map_err(Error::Unsupported)?;
    let resources = arrays.iter().flat_map(|array| array.resources()).collect();
    let elements = places::places(&module, &resources, options)?;
    let module = arrays::split(&module, &elements).map_err(unsupported)?;
    if let Some(why) = row_major::exchanged(&module) {
        return Err(Error::Unsupported(why.to_owned()));
    }
    let combined = samplers::combined(&module).map_err(Error::Unsupported)?;
    let has_constants = push_constants::variables(&module).next().is_some();
    let mut resources: BTreeSet<_> = combined.into_iter().map(WgslResource::Sampler).collect();
    resources.extend(has_constants.then_some(WgslResource::PushConstants));
    let places = places::places(&module, &resources, options)?;

    let program = Module::parse_owned(known::reworded(&module)).map_err(unsupported)?;
    let is_point_size_written = point_size::is_written(&program);
    let program = point_size::drop(&program).map_err(unsupported)?;
    let program = interface::flatten(&program).map_err(unsupported)?;
    let program = copy_logical::expand(&program).map_err(unsupported)?;
    let program = samplers::split(&program, &places).map_err(unsupported)?;
    let program = computed(&program).map_err(unsupported)?;
    if let Some(why) = dropped_operands::refused(&program) {
        return Err(Error::Unsupported(why));
    }
    let program = packed::into_vectors(&program).map_err(unsupported)?;
    let program = strides::widen(&program).map_err(unsupported)?;
    let written = |kind| match places.get(&WgslResource::PushConstants) {
        Some(place) => {
            let program = push_constants::to_buffer(&program, *place, kind).map_err(unsupported)?;
            text(program.words())
        }
        None => text(program.words()),
    };
    let (source, buffer) = match written(BoundKind::Uniform) {
        Ok(source) => (source, BoundKind::Uniform),
        // Only naga knows whether a uniform buffer can have the layout.
        Err(_) if has_constants => {
            (written(BoundKind::ReadOnlyStorage)?, BoundKind::ReadOnlyStorage)
        }
        Err(error) => return Err(error),
    };
    // This check is last, so that the error suggests dropping the size only if that is the only obstacle.
    if is_point_size_written && options.point_size == PointSize::Refuse {
        let message = "the shader writes PointSize, which WebGPU does not have";
        return Err(Error::PointSize(message.to_owned()));
    }
    let bound = elements.into_iter().chain(places).map(|(resource, place)| {
        let kind = match resource {
            WgslResource::Element { .. } => BoundKind::Element,
            WgslResource::Sampler(_) => BoundKind::Sampler,
            WgslResource::PushConstants => buffer,
        };
        Bound { resource, place, kind }
    });
    Ok(Text { source, bound: bound.collect() })
}

/// Returns the module with instructions replaced that naga computes differently from SPIR-V.
fn computed(module: &Module<'_>) -> Result<Module<'static>, polyshade_spv::Error> {
    let module = wide_arithmetic::expand(module)?;
    let module = modulo::expand(&module)?;
    let module = signedness::cast(&module)?;
    let module = texel_offsets::add(&module)?;
    let module = gather_offsets::split(&module)?;
    layers::round(&module)
}

/// Translates the module with naga.
fn text(words: &[u32]) -> Result<String, Error> {
    let options =
        front::spv::Options { adjust_coordinate_space: false, ..front::spv::Options::default() };
    let cannot = |error: &dyn StdError| Error::Unsupported(chain(error));
    let parse = || front::spv::Frontend::new(words.iter().copied(), &options).parse();
    let mut module = guarded(parse)?.map_err(|error| cannot(&error))?;
    comparing::retype(&mut module);
    if let Some(why) = specified::refused(&module) {
        return Err(Error::Unsupported(why.to_owned()));
    }
    let info: ModuleInfo =
        guarded(|| validator().validate(&module).map_err(|error| cannot(error.as_inner())))??;
    let flags = back::wgsl::WriterFlags::empty();
    let text = guarded(|| back::wgsl::write_string(&module, &info, flags))?;
    let text = text.map_err(|error| cannot(&error))?;
    let text = guarded(|| layout::with_holes(text, &module))??;
    Ok(specified::reworded(&text, &module))
}

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), Capabilities::all())
}

/// Converts panics to errors: naga panics on some modules.
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        Error::Unsupported(format!("naga panics on this module: {line}"))
    })
}

fn place(location: Option<SourceLocation>, name: &str) -> String {
    location.map_or_else(String::new, |place| {
        format!("{name}:{}:{}: ", place.line_number, place.line_position)
    })
}

/// An error and its causes, on one line.
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
        let text = write(&words, &Wgsl::default()).expect("WGSL has all that it has").source;
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
        assert!(matches!(write(&[1, 2, 3], &Wgsl::default()), Err(Error::Unsupported(_))));
        assert!(guarded(|| panic!("as naga does")).is_err_and(|_: Error| true));
    }
}
