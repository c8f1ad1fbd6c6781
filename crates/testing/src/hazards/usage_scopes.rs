//! WebGPU's usage scopes, implemented from the specification. If a storage binding writes a buffer anywhere in a pass
//! or dispatch, the buffer may have no other use there. A use of a range counts as a use of the whole buffer.

use super::host::{Item, dispatched};
use super::sequence::{Drawn, Used};
use polyshade_planner::{Path, Step, StorageRange, Use};
use std::collections::HashMap;

/// A buffer that a draw or dispatch uses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BufferUse {
    /// The buffer.
    pub buffer: u32,
    /// The kind of use.
    pub by: Use,
    /// The binding and range of a capture.
    pub range: Option<StorageRange>,
}

/// The draws of a pass, or a dispatch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UsageScope {
    /// Whether it is a dispatch.
    pub is_dispatch: bool,
    /// The buffers that each draw or the dispatch uses.
    pub commands: Vec<Vec<BufferUse>>,
}

impl UsageScope {
    /// Returns the number of commands that capture.
    pub fn captures(&self) -> usize {
        let captures = |uses: &&Vec<BufferUse>| uses.iter().any(|one| one.range.is_some());
        self.commands.iter().filter(captures).count()
    }

    /// Returns a buffer that is written and also has another use, if any.
    pub fn conflict(&self) -> Option<u32> {
        let mut written = HashMap::new();
        let conflict = self.commands.iter().flatten().find(|one| {
            let writes = matches!(one.by, Use::Store(_) | Use::Capture(_));
            *written.entry(one.buffer).or_insert(writes) != writes
        });
        conflict.map(|one| one.buffer)
    }
}

/// Returns the passes of these items, then their capturing dispatches.
pub fn usage_scopes(items: &[Item]) -> Vec<UsageScope> {
    let (mut passes, mut dispatches) = (Vec::new(), Vec::new());
    let mut pass = UsageScope::default();
    for item in items {
        let Item::Draw(drawn, plan) = item else {
            passes.push(std::mem::take(&mut pass));
            continue;
        };
        let mut stored = Vec::new();
        // Collect the uses of draws in the pass, and each dispatch as its own scope.
        for step in &plan.steps {
            match step {
                Step::BeginPass(_) | Step::EndPass(_) => passes.push(std::mem::take(&mut pass)),
                Step::BindPipeline(_) | Step::BindCompute(_) => stored.clear(),
                Step::BindStorage(range) => stored.push(*range),
                Step::Draw(_) => {
                    pass.commands.push(uses(drawn, &stored, drawn.reads.iter().copied()));
                }
                Step::Dispatch(_) => {
                    let commands = vec![uses(drawn, &stored, dispatched(drawn))];
                    dispatches.push(UsageScope { is_dispatch: true, commands });
                }
                _ => {}
            }
        }
    }
    // Drop empty passes.
    passes.push(pass);
    passes.retain(|pass| !pass.commands.is_empty());
    passes.append(&mut dispatches);
    passes
}

fn uses(
    drawn: &Drawn,
    stored: &[StorageRange],
    reads: impl Iterator<Item = Used>,
) -> Vec<BufferUse> {
    let captured = stored.iter().map(|range| BufferUse {
        buffer: drawn.captured[range.buffer as usize].buffer,
        by: Use::Capture(drawn.path),
        range: Some(*range),
    });
    let read = reads.map(|Used { by, cells }| BufferUse { buffer: cells.buffer, by, range: None });
    captured.chain(read).collect()
}

/// Removes the steps that begin and end passes from the plans of draws whose vertex stage stores.
pub fn without_ends(items: &mut [Item]) {
    for item in items {
        if let Item::Draw(drawn, plan) = item
            && drawn.path == Path::Storage
        {
            plan.steps.retain(|step| !matches!(step, Step::BeginPass(_) | Step::EndPass(_)));
        }
    }
}
