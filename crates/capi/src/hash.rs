//! A hash of options that is the same on every machine and in every version of the library, for caches that outlive
//! both.
//!
//! It is the SHA-256 of JSON without blanks, whose keys are sorted: `{"format":1,"lowering":…,"options":…,"target":…,
//! "version":…}`. Of options and targets, what is the default is left out, so that an option that is added changes no
//! hash. `version` is the lowering's: it grows where the same question has another answer.

use crate::border;
use crate::error::{guard, polyshade_error};
use crate::failure::polyshade_status;
use crate::options::{Asked, Kind, Storage, polyshade_options, read};
use crate::target::{self, polyshade_target};
use polyshade::host::Target;
use polyshade::recipe::Recipe;
use polyshade::{
    advanced_blend, clip_cull, depth_convention, position_only, rasterizer_discard,
    transform_feedback, vertex_pulling,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Hashes options and a target, which may be NULL: 32 bytes. The same question hashes the same however it is put, and
/// on every machine; another version of the lowering hashes otherwise. With `polyshade_module_hash` it is the key of
/// a cache; for a pipeline, with those of all stages.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_options_hash(
    options: *const polyshade_options,
    target: *const polyshade_target,
    hash: *mut u8,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let (asked, target) = (read(options)?, target::read(target)?);
        let digest = Sha256::digest(question(&asked, &target).as_bytes());
        border::set(hash.cast::<[u8; 32]>(), digest.into(), "hash")
    })
}

/// The text that is hashed.
fn question(asked: &Asked, target: &Target) -> String {
    let kind = asked.kind();
    let default_target = value(&Target::new("main"));
    let question = json!({
        "format": 1,
        "lowering": kind.name(),
        "version": kind.version(),
        "options": said(kind, asked.to_value()),
        "target": without(value(target), &default_target),
    });
    let mut text = String::new();
    write(&question, &mut text);
    text
}

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("options have no keys but strings and numbers")
}

/// What the options say, without what is the default of their kind.
fn said(kind: Kind, options: Value) -> Value {
    match kind {
        Kind::CaptureStorage => without(options, &value(&Storage::default())),
        Kind::CaptureExtension => without(options, &value(&transform_feedback::Options::default())),
        Kind::VertexPulling => without(options, &value(&vertex_pulling::Options::default())),
        Kind::PositionOnly | Kind::PositionComplement | Kind::PositionFull => {
            without(options, &value(&position_only::Options::default()))
        }
        Kind::DepthConvention => without(options, &value(&depth_convention::Options::default())),
        Kind::RasterizerDiscard => {
            without(options, &value(&rasterizer_discard::Options::default()))
        }
        Kind::AdvancedBlend => without(options, &value(&advanced_blend::Options::default())),
        Kind::ClipNormalize => without(options, &value(&clip_cull::Options::default())),
        Kind::Recipe => said_by_recipe(without(options, &value(&Recipe::default()))),
        Kind::ClipEnable
        | Kind::ClipPlanes
        | Kind::ClipCombine
        | Kind::ClipSeparate
        | Kind::ClipRegisters
        | Kind::ClipEmulateLast
        | Kind::ClipEmulateFragment
        | Kind::ClipCut
        | Kind::ClipGenerate
        | Kind::ClipRepair => options,
    }
}

/// The same of the options in a recipe's fields.
fn said_by_recipe(mut recipe: Value) -> Value {
    let fields: [(&[&str], Kind); 8] = [
        (&["capture", "extension"], Kind::CaptureExtension),
        (&["capture", "storage", "options"], Kind::CaptureExtension),
        (&["reduce", "position_only"], Kind::PositionOnly),
        (&["reduce", "complement"], Kind::PositionOnly),
        (&["reduce", "full"], Kind::PositionOnly),
        (&["depth"], Kind::DepthConvention),
        (&["discard"], Kind::RasterizerDiscard),
        (&["blend"], Kind::AdvancedBlend),
    ];
    for (path, kind) in fields {
        let field = path.iter().try_fold(&mut recipe, |value, key| value.get_mut(*key));
        if let Some(field) = field {
            *field = said(kind, field.take());
        }
    }
    for (_, stage) in
        recipe.get_mut("normalize").and_then(Value::as_object_mut).into_iter().flatten()
    {
        *stage = said(Kind::ClipNormalize, stage.take());
    }
    recipe
}

/// The value without the members that are the default's, in all objects that both have.
fn without(value: Value, default: &Value) -> Value {
    let (Value::Object(members), Value::Object(defaults)) = (&value, default) else {
        return value;
    };
    let said = members.iter().filter(|(key, member)| defaults.get(*key) != Some(member));
    let said = said.map(|(key, member)| match defaults.get(key) {
        Some(default) => (key.clone(), without(member.clone(), default)),
        None => (key.clone(), member.clone()),
    });
    Value::Object(said.collect::<Map<_, _>>())
}

/// Writes JSON whose keys are sorted, whatever the features of the library that holds it. Values nest as deep as
/// types of options do.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (number, (key, member)) in members.into_iter().enumerate() {
                text.push_str(if number == 0 { "" } else { "," });
                text.push_str(&Value::String(key.clone()).to_string());
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
        Value::Array(elements) => {
            text.push('[');
            for (number, element) in elements.iter().enumerate() {
                text.push_str(if number == 0 { "" } else { "," });
                write(element, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: Kind, text: &str) -> String {
        let asked = Asked::of_json(kind, text).expect("it is what is wanted");
        question(&asked, &Target::new("main"))
    }

    #[test]
    fn questions_are_written_without_what_is_default() {
        let version = depth_convention::VERSION;
        assert_eq!(
            asked(Kind::DepthConvention, r#"{"flip_y":{"fixed":false},"depth":{"fixed":true}}"#),
            format!(
                "{{\"format\":1,\"lowering\":\"depth_convention\",\
                 \"options\":{{\"depth\":{{\"fixed\":true}}}},\"target\":{{}},\"version\":{version}}}"
            )
        );
    }

    #[test]
    fn what_differs_hashes_otherwise() {
        let texts = [
            "{}",
            r#"{"normalize":{}}"#,
            r#"{"depth":{}}"#,
            r#"{"depth":{"depth":{"fixed":true}}}"#,
            r#"{"capture":{"storage":{"variant":"both","options":{}}}}"#,
            r#"{"capture":{"storage":{"variant":"both","options":{"repeats":true}}}}"#,
            r#"{"capture":{"extension":{}}}"#,
            r#"{"blend":{}}"#,
        ];
        let questions = texts.map(|text| asked(Kind::Recipe, text));
        for (number, question) in questions.iter().enumerate() {
            assert!(!questions[..number].contains(question), "{question}");
        }
        assert!(!questions[5].contains("point_size"), "{}", questions[5]);
    }
}
