//! A hash of options that is the same on every machine and in every version of the library, for persistent caches.
//!
//! It is the SHA-256 of JSON without blanks and with sorted keys:
//! `{"format":1,"lowering":…,"options":…,"target":…,"version":…}`. Options and members of the target that have their
//! default are left out, so a new option does not change existing hashes. `version` is that of the lowering, which
//! increases whenever equal inputs give other words.

use crate::error::{guard, polyshade_error};
use crate::failure::polyshade_status;
use crate::ffi;
use crate::options::{Asked, polyshade_options, read, value};
use crate::target::{self, polyshade_target};
use polyshade::clip_cull::Normalize;
use polyshade::host::Target;
use polyshade::{
    advanced_blend, clip_space, position_only, rasterizer_discard, transform_feedback,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Writes the 32-byte SHA-256 of options and a target, which may be NULL, to `hash`. Equal options have the same hash
/// on every machine, whether they are structs or JSON; a new version of the lowering changes it. With
/// `polyshade_module_hash`, or for a pipeline with the hashes of all its modules, it is the key of a cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_options_hash(
    options: *const polyshade_options,
    target: *const polyshade_target,
    hash: *mut u8,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let (asked, target) = (read(options)?, target::read(target)?);
        let digest = Sha256::digest(question(&asked, &target).as_bytes());
        ffi::set(hash.cast::<[u8; 32]>(), digest.into(), "hash")
    })
}

/// Returns the text that is hashed.
fn question(asked: &Asked, target: &Target) -> String {
    let kind = asked.kind();
    let default_target = value(&Target::new("main"));
    let options = without(asked.to_value(), &(kind.default)());
    let question = json!({
        "format": 1,
        "lowering": kind.name,
        "version": kind.version,
        "options": if matches!(asked, Asked::Recipe(_)) { of_recipe(options) } else { options },
        "target": without(value(target), &default_target),
    });
    let mut text = String::new();
    write(&question, &mut text);
    text
}

/// Removes the defaults of the options in a recipe's fields.
fn of_recipe(mut recipe: Value) -> Value {
    let capture = value(&transform_feedback::Options::default());
    let fields: [(&[&str], Value); 6] = [
        (&["capture", "extension"], capture.clone()),
        (&["capture", "storage", "options"], capture),
        (&["position_only"], value(&position_only::Options::default())),
        (&["clip_space"], value(&clip_space::Options::default())),
        (&["rasterizer_discard"], value(&rasterizer_discard::Options::default())),
        (&["blend"], value(&advanced_blend::Options::default())),
    ];
    for (path, default) in fields {
        let field = path.iter().try_fold(&mut recipe, |value, key| value.get_mut(*key));
        if let Some(field) = field {
            *field = without(field.take(), &default);
        }
    }
    let normalize = value(&Normalize::default());
    let stages = recipe.get_mut("normalize").and_then(Value::as_object_mut);
    for (_, stage) in stages.into_iter().flatten() {
        *stage = without(stage.take(), &normalize);
    }
    recipe
}

/// Removes members that are equal to the default, in all objects that both values have.
fn without(value: Value, default: &Value) -> Value {
    let (Value::Object(members), Value::Object(defaults)) = (&value, default) else {
        return value;
    };
    let changed = members.iter().filter(|(key, member)| defaults.get(*key) != Some(member));
    let changed = changed.map(|(key, member)| match defaults.get(key) {
        Some(default) => (key.clone(), without(member.clone(), default)),
        None => (key.clone(), member.clone()),
    });
    Value::Object(changed.collect::<Map<_, _>>())
}

/// Writes JSON with sorted keys, whichever features of `serde_json` are enabled. Recursion is as deep as the options.
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
    use crate::options::{Kind, POLYSHADE_OPTIONS_CLIP_SPACE, POLYSHADE_OPTIONS_RECIPE};

    fn asked(kind: u32, text: &str) -> String {
        let kind = Kind::of(kind).expect("there is such a kind");
        let asked = (kind.parse)(text).expect("they are options");
        question(&asked, &Target::new("main"))
    }

    #[test]
    fn questions_are_written_without_what_is_default() {
        let version = clip_space::VERSION;
        assert_eq!(
            asked(
                POLYSHADE_OPTIONS_CLIP_SPACE,
                r#"{"flip_y":{"fixed":false},"depth":{"fixed":true}}"#
            ),
            format!(
                "{{\"format\":1,\"lowering\":\"clip_space\",\
                 \"options\":{{\"depth\":{{\"fixed\":true}}}},\"target\":{{}},\"version\":{version}}}"
            )
        );
    }

    #[test]
    fn what_differs_hashes_otherwise() {
        let texts = [
            "{}",
            r#"{"normalize":{}}"#,
            r#"{"clip_space":{}}"#,
            r#"{"clip_space":{"depth":{"fixed":true}}}"#,
            r#"{"capture":{"storage":{"variant":"both","options":{}}}}"#,
            r#"{"capture":{"storage":{"variant":"both","options":{"allow_duplicates":true}}}}"#,
            r#"{"capture":{"extension":{}}}"#,
            r#"{"blend":{}}"#,
        ];
        let questions = texts.map(|text| asked(POLYSHADE_OPTIONS_RECIPE, text));
        for (number, question) in questions.iter().enumerate() {
            assert!(!questions[..number].contains(question), "{question}");
        }
        assert!(!questions[5].contains("point_size"), "{}", questions[5]);
    }
}
