//! WebGPU's usage scopes, written from its specification: a buffer that is written through a storage binding anywhere
//! in a pass, or in a dispatch, has no other use there. A use is that of a whole buffer.

use polyshade_planner::{Api, Path, ShaderStage, Step, Use, Variant};
use polyshade_trials::Choices;
use polyshade_trials::hazards::{Drawn, Item, Telling, any_sequence, executed};
use std::collections::HashMap;

/// Whether each buffer is written to, which all uses of a scope agree on.
#[derive(Default)]
struct Scope(HashMap<u32, bool>);

impl Scope {
    fn uses(&mut self, buffer: u32, writes: bool) -> Result<(), String> {
        match *self.0.entry(buffer).or_insert(writes) == writes {
            true => Ok(()),
            false => Err(format!("buffer {buffer} is written to and used otherwise in one scope")),
        }
    }

    /// Adds the buffers that a command of the draw captures into, if it does, and those that the draw reads.
    fn command(
        &mut self,
        drawn: &Drawn,
        stored: &[u32],
        stages: &[ShaderStage],
    ) -> Result<(), String> {
        for number in stored {
            self.uses(drawn.captured[*number as usize].buffer, true)?;
        }
        for read in &drawn.reads {
            let is_meant = match read.by {
                Use::Uniform(stage)
                | Use::Storage(stage)
                | Use::Texels(stage)
                | Use::Store(stage) => stages.contains(&stage),
                _ => stages.contains(&ShaderStage::Vertex),
            };
            if is_meant {
                self.uses(read.cells.buffer, matches!(read.by, Use::Store(_)))?;
            }
        }
        Ok(())
    }
}

/// The first rule that is broken, and how many draws capture in a pass and how many in a dispatch.
fn walk(items: &[Item]) -> Result<[u32; 2], String> {
    let (mut scope, mut captures) = (Scope::default(), [0; 2]);
    for item in items {
        let Item::Draw(drawn, plan) = item else {
            scope = Scope::default();
            continue;
        };
        let (mut stored, mut variant) = (Vec::new(), Variant::Original);
        for step in &plan.steps {
            match step {
                Step::BeginPass(_) | Step::EndPass(_) => scope = Scope::default(),
                Step::BindPipeline(bind) => {
                    variant = bind.variant;
                    stored.clear();
                }
                Step::BindCompute(bound) => {
                    variant = *bound;
                    stored.clear();
                }
                Step::BindStorage(range) => stored.push(range.buffer),
                Step::Draw(_) => {
                    captures[0] += u32::from(variant.stores());
                    scope.command(drawn, &stored, &[ShaderStage::Vertex, ShaderStage::Fragment])?;
                }
                Step::Dispatch(_) => {
                    captures[1] += 1;
                    Scope::default().command(drawn, &stored, &[ShaderStage::Vertex])?;
                }
                _ => {}
            }
        }
    }
    Ok(captures)
}

#[test]
fn every_sequence_keeps_to_usage_scopes() {
    let mut choices = Choices::seeded(3);
    let mut captures = [0; 2];
    let mut broken_without_ends = 0;
    for _ in 0..20_000 {
        let sequence = any_sequence(&mut choices);
        if sequence.device.api != Api::WebGpu {
            continue;
        }
        for telling in Telling::ALL {
            let mut items = executed(&sequence, telling);
            let found = walk(&items).unwrap_or_else(|message| panic!("{message}\n{items:#?}"));
            captures = [captures[0] + found[0], captures[1] + found[1]];
            for item in &mut items {
                if let Item::Draw(drawn, plan) = item
                    && drawn.path == Path::Storage
                {
                    let is_end =
                        |step: &Step| matches!(step, Step::BeginPass(_) | Step::EndPass(_));
                    plan.steps.retain(|step| !is_end(step));
                }
            }
            broken_without_ends += u32::from(walk(&items).is_err());
        }
    }
    assert!(captures.iter().all(|count| *count > 2000), "{captures:?}");
    // A plan that goes on in the pass is noticed.
    assert!(broken_without_ends > 500, "{broken_without_ends}");
}
