//! Stages and accesses of barriers, compared with the Vulkan specification's table of access types.

use polyshade_planner::{Accesses, Path, Resource, ShaderStage, Stages, Use, barrier};
use polyshade_vulkan::vk;

/// The numeric values are Vulkan's, so an executor of plans can pass them on unchanged.
#[test]
fn numbers_are_vulkans() {
    for (stage, name) in Stages::NAMES {
        let printed = format!("{:?}", vk::PipelineStageFlags::from_raw(stage.bits()));
        assert_eq!(printed.trim_end_matches("_EXT"), *name);
    }
    for (access, name) in Accesses::NAMES {
        let printed = format!("{:?}", vk::AccessFlags::from_raw(access.bits()));
        assert_eq!(printed.trim_end_matches("_EXT"), *name);
    }
}

#[track_caller]
fn waits(from: &[Use], to: &[Use], expected: &str) {
    let barrier = barrier(Resource::Captured, from, to);
    let text = barrier.map_or("nothing".to_owned(), |one| format!("{} -> {}", one.from, one.to));
    assert_eq!(text, expected, "{from:?} {to:?}");
}

#[test]
fn captured_data_is_waited_for() {
    let native = "TRANSFORM_FEEDBACK / TRANSFORM_FEEDBACK_WRITE";
    let stored = "VERTEX_SHADER / SHADER_WRITE";
    for (one, to) in [
        (Use::Vertices, "VERTEX_INPUT / VERTEX_ATTRIBUTE_READ"),
        (Use::Indices, "VERTEX_INPUT / INDEX_READ"),
        (Use::IndirectArguments, "DRAW_INDIRECT / INDIRECT_COMMAND_READ"),
        (Use::Uniform(ShaderStage::Fragment), "FRAGMENT_SHADER / UNIFORM_READ"),
        (Use::Storage(ShaderStage::Compute), "COMPUTE_SHADER / SHADER_READ"),
        (Use::Texels(ShaderStage::Geometry), "GEOMETRY_SHADER / SHADER_READ"),
        (Use::CopySource, "TRANSFER / TRANSFER_READ"),
        (Use::CopyDestination, "TRANSFER / TRANSFER_WRITE"),
        (Use::HostRead, "HOST / HOST_READ"),
    ] {
        waits(&[Use::Capture(Path::Extension)], &[one], &format!("{native} -> {to}"));
        waits(&[Use::Capture(Path::Storage)], &[one], &format!("{stored} -> {to}"));
    }
    waits(
        &[Use::Capture(Path::Storage)],
        &[Use::Capture(Path::Storage)],
        &format!("{stored} -> {stored}"),
    );
}

#[test]
fn counters_are_waited_for() {
    let saved = "TRANSFORM_FEEDBACK / TRANSFORM_FEEDBACK_COUNTER_WRITE";
    let resumed = "DRAW_INDIRECT | TRANSFORM_FEEDBACK / TRANSFORM_FEEDBACK_COUNTER_READ";
    let counted = "DRAW_INDIRECT / INDIRECT_COMMAND_READ";
    waits(&[Use::Save], &[Use::Resume], &format!("{saved} -> {resumed}"));
    waits(&[Use::Save], &[Use::ByteCount], &format!("{saved} -> {counted}"));
}

#[test]
fn what_was_read_is_overwritten_in_order() {
    let stored = "VERTEX_SHADER / none";
    waits(
        &[Use::Vertices],
        &[Use::Capture(Path::Storage)],
        &format!("VERTEX_INPUT / none -> {stored}"),
    );
    waits(&[Use::Vertices], &[Use::Indices, Use::CopySource], "nothing");
    waits(&[], &[Use::Capture(Path::Storage)], "nothing");
}
