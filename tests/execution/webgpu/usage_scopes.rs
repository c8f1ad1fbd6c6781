//! The passes and dispatches of plans for WebGPU, checked by wgpu's validation: usage scopes, the number of storage
//! buffers per stage, and the alignment of bindings. wgpu 0.32 accepts overlapping writable bindings, so only the
//! planner's tests show that the planner refuses them.

use super::wgpu::answer;
use polyshade::host::{Binding, Set};
use polyshade_planner::{Api, Feedback, Path, ShaderStage, StorageRange, Use};
use polyshade_testing::Choices;
use polyshade_testing::hazards::{
    BufferUse, Command, DependencyMode, Sequence, UsageScope, any_sequence, executed, usage_scopes,
    without_ends,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The size of each buffer of the sequences.
const SIZE: u64 = 3072;

/// The number of buffers of the sequences. Stages that have not reached the limit of storage buffers read one more
/// buffer.
const BUFFERS: u32 = 4;

/// The limit of storage buffers per stage.
const STORAGE_BUFFERS: usize = 8;

/// The number of planned sequences, for any API.
const SEQUENCES: u32 = 1500;

/// Varies the offsets of feedback ranges, and gives stages as many storage buffers as possible.
fn vary(sequence: &mut Sequence) {
    for command in &mut sequence.commands {
        let Command::Draw(drawn) = command else { continue };
        let at = 4 * (drawn.group as u64 * 37 % 500);
        if let Feedback::Active(active) = &mut drawn.draw.feedback {
            for (number, bound) in (0..).zip(active.buffers.iter_mut().flatten()) {
                bound.offset = at + 100 * number;
            }
        }
        let capture = drawn.pipeline.capture.as_mut();
        if let Some(storage) = capture.and_then(|capture| capture.storage.as_mut()) {
            storage.storage_buffers = STORAGE_BUFFERS as u32;
        }
    }
}

/// Describes a pass or dispatch for the script.
fn scope_json(scope: &UsageScope) -> Value {
    let commands = scope.commands.iter().map(|uses| command_json(uses)).collect::<Vec<_>>();
    json!({ "dispatch": scope.is_dispatch, "commands": commands })
}

/// Describes the buffers of a draw or dispatch: captures at the plan's bindings, other buffers in group 0.
fn command_json(uses: &[BufferUse]) -> Value {
    let mut bindings = Vec::new();
    let mut bind = |one: &BufferUse, stage: ShaderStage, kind: &str| {
        let (group, binding, offset, size) = match one.range {
            Some(range) => (range.set.0, range.binding.0, range.offset, range.size),
            None => (0, bindings.len() as u32, 0, SIZE),
        };
        let visibility = format!("{stage:?}").to_uppercase();
        bindings.push(json!({
            "group": group,
            "layout": { "binding": binding, "visibility": visibility, "buffer": { "type": kind } },
            "buffer": one.buffer,
            "range": { "offset": offset, "size": size },
        }));
    };
    // Describe each use. A draw may have several index buffers and arguments: each is set, and so used in the pass.
    let (mut vertex_buffers, mut indices, mut indirect) = (Vec::new(), Vec::new(), Vec::new());
    let mut capturing = None;
    for one in uses {
        match one.by {
            Use::Vertices => vertex_buffers.push(one.buffer),
            Use::Indices => indices.push(one.buffer),
            Use::IndirectArguments => indirect.push(one.buffer),
            Use::Uniform(stage) => bind(one, stage, "uniform"),
            Use::Storage(stage) | Use::Texels(stage) => bind(one, stage, "read-only-storage"),
            Use::Store(stage) => bind(one, stage, "storage"),
            Use::Capture(path) => {
                let is_dispatched = path == Path::Compute;
                let stage = if is_dispatched { ShaderStage::Compute } else { ShaderStage::Vertex };
                bind(one, stage, "storage");
                capturing = Some(stage);
            }
            other => panic!("{other:?}"),
        }
    }
    // A capturing stage gets as many storage buffers as possible.
    if let Some(stage) = capturing {
        let is_in_stage = |by| match by {
            Use::Storage(of) | Use::Texels(of) => of == stage,
            by => matches!(by, Use::Capture(_)),
        };
        let bound = uses.iter().filter(|one| is_in_stage(one.by)).count();
        let other = BufferUse { buffer: BUFFERS, by: Use::Storage(stage), range: None };
        (bound..STORAGE_BUFFERS).for_each(|_| bind(&other, stage, "read-only-storage"));
    }
    json!({
        "bindings": bindings,
        "vertexBuffers": vertex_buffers,
        "indices": indices,
        "indirect": indirect,
    })
}

/// Returns the validation errors of passes and dispatches.
fn refusals(scopes: &[&UsageScope]) -> Vec<Option<String>> {
    let scopes = scopes.iter().map(|scope| scope_json(scope)).collect::<Vec<_>>();
    let sizes = [SIZE; BUFFERS as usize + 1];
    let answer = answer(&json!({ "sizes": sizes, "scopes": scopes }).to_string());
    assert_eq!(answer.error, None);
    answer.refusals
}

mod wgpu {
    use super::*;

    /// wgpu refuses exactly the passes with a conflict in a usage scope. Both the plans and the plans without ends of
    /// passes are checked.
    #[test]
    #[ignore = "slow: it needs Python's wgpu"]
    fn every_sequence_keeps_to_usage_scopes() {
        let mut choices = Choices::seeded(5);
        let mut scopes = BTreeMap::new();
        // Collect the scopes of plans, and of plans without the ends of passes.
        for _ in 0..SEQUENCES {
            let mut sequence = any_sequence(&mut choices);
            if sequence.device.api != Api::WebGpu {
                continue;
            }
            vary(&mut sequence);
            for mode in DependencyMode::ALL {
                let mut items = executed(&sequence, mode);
                let planned = usage_scopes(&items);
                assert!(planned.iter().all(|scope| scope.conflict().is_none()));
                without_ends(&mut items);
                let all = planned.into_iter().chain(usage_scopes(&items));
                scopes.extend(all.map(|scope| (scope_json(&scope).to_string(), scope)));
            }
        }
        let scopes = scopes.values().collect::<Vec<_>>();
        // wgpu refuses exactly the scopes with a conflict.
        let mut counts = [0; 4];
        for (scope, refusal) in scopes.iter().zip(refusals(&scopes)) {
            let conflicts = scope.conflict().is_some();
            assert_eq!(refusal.is_some(), conflicts, "{refusal:?} {scope:#?}");
            let names_it = refusal.is_none_or(|message| message.contains("conflicting usages"));
            assert!(names_it, "{scope:#?}");
            let is_offset = |one: &BufferUse| one.range.is_some_and(|range| range.offset > 0);
            let has = [
                conflicts,
                !conflicts && scope.is_dispatch,
                !conflicts && !scope.is_dispatch && scope.captures() > 0,
                scope.commands.iter().flatten().any(is_offset),
            ];
            counts.iter_mut().zip(has).for_each(|(count, has)| *count += u32::from(has));
        }
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
    }

    /// Bindings at offsets that are not multiples of 256 bytes, and one storage buffer too many, are refused.
    #[test]
    #[ignore = "slow: it needs Python's wgpu"]
    fn wrong_bindings_are_noticed() {
        let dispatch = |offset, buffers| {
            let (set, binding) = (Set(3), Binding(0));
            let range = Some(StorageRange { set, binding, buffer: 0, offset, size: 256 });
            let captured = BufferUse { buffer: 0, by: Use::Capture(Path::Compute), range };
            let by = Use::Storage(ShaderStage::Compute);
            let mut uses = vec![BufferUse { buffer: 1, by, range: None }; buffers];
            uses.push(captured);
            UsageScope { is_dispatch: true, commands: vec![uses] }
        };
        let scopes = [dispatch(256, 7), dispatch(128, 7), dispatch(256, 8)];
        let refusals = refusals(&scopes.each_ref());
        assert_eq!(refusals[0], None);
        for (refusal, reason) in refusals[1..].iter().zip(["offset_alignment", "Too many bindings"])
        {
            let message = refusal.as_ref().expect(reason);
            assert!(message.contains(reason), "{message}");
        }
    }
}
