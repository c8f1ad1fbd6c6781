//! Suggests options of the program that correct errors of the library, which does not know these options.

use crate::Arguments;
use crate::failure::Failure;
use clap::CommandFactory;
use polyshade::code::*;
use polyshade::spv::Code;

/// For each error, the options that correct it. The help names only the options that the verb has.
const ADVICE: &[(&Code, &[&str])] = &[
    // Errors of any lowering.
    (&SIDE_EFFECTS_UNASSIGNED, &["--side-effects"]),
    (&INTERFACE_NO_FREE_LOCATION, &["--max-output-components"]),
    (&ENTRY_POINT_AMBIGUOUS_STAGE, &["--stage"]),
    (&PARAMS_SPECIALIZATION_RESERVED, &["--reserve-constant", "--params"]),
    (&PARAMS_PUSH_CONSTANTS_RESERVED, &["--reserve-push-constants", "--params"]),
    (&BINDING_RESERVED, &["--reserve", "--params"]),
    (&BINDING_TAKEN, SOURCES),
    (&BINDING_DUPLICATE, SOURCES),
    (&PARAMS_SPECIALIZATION_TAKEN, SOURCES),
    (&PARAMS_SPECIALIZATION_RANGE, SOURCES),
    (&PARAMS_PUSH_CONSTANTS_OFFSET, SOURCES),
    (&PARAMS_PUSH_CONSTANTS_SIZE, SOURCES),
    (&PARAMS_PUSH_CONSTANTS_OVERLAP, SOURCES),
    (&PARAMS_OVERLAP, SOURCES),
    (&PARAMS_ATTRIBUTE_STAGE, SOURCES),
    (&PARAMS_ATTRIBUTE_TAKEN, SOURCES),
    (&BINDING_WITH_ADDRESS, &["--set", "--binding", "--params"]),
    (&BINDING_OUT_OF_RANGE, &["--binding"]),
    (&BINDING_PARAMS_CONFLICT, &["--params", "--binding"]),
    (&BINDING_NONE_FREE, &["--set", "--binding", "--reserve"]),
    (&SPECIALIZATION_CONFLICTING_VALUES, &["--specialize"]),
    // Errors of `capture`.
    (&CAPTURE_NO_VARYINGS, &["--varyings", "--stream-output"]),
    (&CAPTURE_NO_XFB_MODE, &["--varyings", "--stream-output"]),
    (&CAPTURE_GAP_IN_SEPARATE, &["--separate"]),
    (&CAPTURE_AMBIGUOUS_LOCATION, &["--varyings"]),
    (&CAPTURE_AMBIGUOUS_NAME, &["--varyings"]),
    (&CAPTURE_SPLIT_COMPONENT, &["--varyings", "--stream-output"]),
    (&CAPTURE_TOO_MANY_BUFFERS, &["--varyings", "--separate", "--stream-output"]),
    (&CAPTURE_INVALID_STRIDE, &["--strides"]),
    (&CAPTURE_STRIDE_TOO_SMALL, &["--strides"]),
    (&CAPTURE_VERTEX_TOO_LARGE, &["--varyings", "--stream-output", "--specialize"]),
    (&CAPTURE_DUPLICATE_VARYING, &["--allow-duplicates"]),
    (&CAPTURE_OVERLAP, &["--varyings"]),
    (&CAPTURE_SPECIALIZED_SIZE, &["--specialize"]),
    (&CAPTURE_STREAMS_SHARE_BUFFER, &["--varyings"]),
    (&CAPTURE_NO_TOPOLOGY, &["--topologies"]),
    (&CAPTURE_SPILL_BY_ADDRESS, &["--spill-outputs", "--params"]),
    (&CAPTURE_SPILL_RESTART, &["--spill-outputs", "--restart"]),
    (&CAPTURE_SPILL_NOT_REQUESTED, &["--spill-outputs"]),
    (&CAPTURE_NEEDS_VERTEX_PULLING, &["--pull"]),
    (&CAPTURE_COMPUTE_ATTRIBUTE, &["--pull-params"]),
    // Errors of `blend`.
    (&BLEND_NO_SELECTOR, &["--select", "--equations"]),
    (&BLEND_NO_EQUATION, &["--equations", "--target"]),
    (&BLEND_NO_SECOND_SOURCE, &["--blend"]),
    (&BLEND_SAMPLE_COUNT, &["--alpha-to-coverage"]),
    (&BLEND_SAMPLE_COUNT_MISMATCH, &["--alpha-to-coverage", "--multisampled"]),
    (&BLEND_CONSTANTS_SOURCE, &["--blend-constants", "--select"]),
    (&BLEND_FORMAT_MISMATCH, &["--attachment-format", "--format-class"]),
    (&BLEND_INVALID_FORMAT, &["--attachment-format"]),
    (&BLEND_INPUT_ATTACHMENT_TAKEN, &["--index"]),
    (&BLEND_INTEGER_FORMAT, &["--attachment-format"]),
    (
        &BLEND_ADVANCED_ONLY,
        &["--overlap", "--source-alpha", "--destination-alpha", "--clamp-results"],
    ),
    (&GEOMETRY_TOPOLOGY, &["--topologies"]),
    (&GEOMETRY_LOCATION_TAKEN, &["--reserve-location"]),
    (&GEOMETRY_CONSTANT_COUNT, &["--variant"]),
    // Errors of `vertex-pulling`.
    (&VERTEX_PULLING_FORMAT_MISMATCH, &["--attribute"]),
    (&VERTEX_PULLING_BEYOND_STRIDE, &["--access-beyond-stride"]),
    (&VERTEX_PULLING_INVALID_STRIDE, &["--buffer"]),
    (&VERTEX_PULLING_UNUSED_BUFFER, &["--attribute"]),
    (&VERTEX_PULLING_BUFFER_NOT_DESCRIBED, &["--buffer"]),
    (&VERTEX_PULLING_INVALID_OFFSET, &["--attribute"]),
    // Errors of `clip`.
    (&CLIP_PRIMITIVE_MISMATCH, &["--primitive"]),
    (&CLIP_UNLINKED_DISTANCE, &["--signature", "--semantics"]),
    (&CLIP_CONFLICTING_SEMANTICS, &["--inputs", "--outputs", "--semantics"]),
    (&CLIP_TOO_MANY_REGISTERS, &["--inputs", "--outputs", "--semantics"]),
    (&CLIP_NO_PLANES, &["--planes"]),
    (&CLIP_ALREADY_SEPARATE, &["--to"]),
    (&CLIP_FEWER_DISTANCES, &["--signature"]),
    (&CLIP_NO_SIGNATURE, &["--signature"]),
    (&CLIP_LOCATION_OUT_OF_RANGE, &["--location"]),
    (&CLIP_LOCATION_TAKEN, &["--location", "--reserve-location"]),
    (&CLIP_NO_LOCATION, &["--location"]),
];

/// Options whose value is a source of host parameters or a binding.
const SOURCES: &[&str] = &[
    "--set",
    "--binding",
    "--params",
    "--select",
    "--range",
    "--flip-y",
    "--rotate",
    "--when",
    "--planes-at",
    "--planes-in",
    "--enable",
];

/// Adds advice that names the options of `verb` that correct the failure.
pub(crate) fn add(failure: Failure, verb: &str) -> Failure {
    let Some((_, options)) = ADVICE.iter().find(|(code, _)| *code == failure.code()) else {
        return failure;
    };
    let command = Arguments::command();
    let Some(command) = command.find_subcommand(verb) else { return failure };
    let is_there = |option: &str| {
        command.get_arguments().any(|one| one.get_long() == option.strip_prefix("--"))
    };
    // `capture --pull` has separate options for the bindings and sources of vertex buffers.
    let pulls = failure.step().is_some_and(|step| step.field == "vertex_pulling");
    let options = options.iter().map(|option| match option.strip_prefix("--") {
        Some(name) if pulls && is_there(&format!("--pull-{name}")) => format!("--pull-{name}"),
        _ => (*option).to_owned(),
    });
    let options: Vec<String> = options.filter(|option| is_there(option)).collect();
    let help = match (failure.suggestion(), options.join(", ")) {
        (_, options) if options.is_empty() => return failure,
        (Some(help), options) => format!("{help} ({options})"),
        (None, options) => format!("see {options}"),
    };
    failure.help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use polyshade::ErrorKind;
    use std::collections::BTreeSet;

    /// Errors about contradictory options that no option of the program can correct.
    const WITHOUT: &[(&str, &[&Code])] = &[
        (
            "`capture` neither draws nor dispatches",
            &[
                &CAPTURE_DRAW_MISMATCH,
                &CAPTURE_DRAW_TOO_LARGE,
                &CAPTURE_INDICES_MISALIGNED,
                &CAPTURE_NO_SEGMENT_TABLE,
                &CAPTURE_NOT_COMPUTE,
                &CAPTURE_RANGE_COUNT,
                &CAPTURE_RANGE_MISALIGNED,
                &CAPTURE_UNBOUND_BUFFER,
            ],
        ),
        ("the program refuses these options itself", &[&CAPTURE_DRAWS_WITH_EXTENSION]),
        ("the program sorts the stages", &[&PIPELINE_STAGE_ORDER]),
        ("the program prepares the stage before", &[&GEOMETRY_INPUTS, &TESSELLATION_INPUTS]),
        (
            "the message names the field of the recipe",
            &[&PIPELINE_MISSING_STAGE, &PIPELINE_NOT_RASTERIZED],
        ),
        (
            "clap names the option",
            &[
                &PARAMS_INVALID_SOURCE,
                &CAPTURE_INVALID_VARYING,
                &CAPTURE_INVALID_STREAM_OUTPUT,
                &POSITION_ONLY_INVALID_OUTPUT,
                &CLIP_INVALID_SEMANTIC,
                &VERTEX_PULLING_INVALID_FORMAT,
                &BLEND_UNKNOWN_NAME,
                &BLEND_INVALID_EXPRESSION,
            ],
        ),
    ];

    /// A new error code fails this test until the options that correct the error are listed.
    #[test]
    fn every_contradiction_has_advice_or_a_reason() {
        let advised = ADVICE.iter().map(|(code, _)| code.name());
        let others = WITHOUT.iter().flat_map(|(_, codes)| codes.iter().map(|code| code.name()));
        let known: Vec<&str> = advised.chain(others).collect();
        let unique: BTreeSet<&str> = known.iter().copied().collect();
        assert_eq!(known.len(), unique.len(), "a code is listed twice");
        let options = CODES.iter().filter(|code| code.kind() == ErrorKind::Options);
        let lacking: Vec<_> = options.filter(|code| !unique.contains(code.name())).collect();
        assert!(lacking.is_empty(), "{lacking:?}");
    }

    #[test]
    fn every_option_of_the_advice_is_one_of_a_verb() {
        let command = Arguments::command();
        let is_there = |option: &&str| {
            let mut all = command.get_subcommands().flat_map(clap::Command::get_arguments);
            all.any(|one| one.get_long() == option.strip_prefix("--"))
        };
        let options = ADVICE.iter().flat_map(|(_, options)| options.iter());
        let lost: Vec<_> = options.filter(|option| !is_there(option)).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}
