//! Executes plans for Metal by a small model of its encoders, with whatever runs single draws.
//!
//! What it knows of encoders: one is open at a time; what is written in one is seen by those that begin behind it, and
//! by none of its own draws, whose stores come in no order; pixels are drawn in order; each has to have its pipeline
//! bound. What Metal has no command for, or forbids in the encoder that is open, is an error.

use super::lower::{Call, Command, Lowered, Source, lower};
use super::{Executed, Sequence};
use crate::error::Error;
use crate::runner::Runner;
use crate::work::{Draw, Outcome, Place, Stage, Work};
use ash::vk;
use polyshade_planner::PassScope;
use std::collections::BTreeMap;

/// Executes a sequence that is planned for [`PassScope::Encoder`], draw by draw.
///
/// # Errors
///
/// Those of the runner; `Work` where a plan does what Metal forbids, or what comes out in no order; `Unsupported` of
/// draws whose arguments lie in buffers.
pub fn execute_in_encoders(
    runner: &dyn Runner,
    sequence: &Sequence<'_>,
) -> Result<Executed, Error> {
    if sequence.scope != PassScope::Encoder {
        return Err(forbidden("passes are begun otherwise than by encoders"));
    }
    let lowered = lower(runner.capabilities(), sequence)?;
    let targets = lowered.work.targets.iter().enumerate().map(|(number, target)| {
        let given = lowered.work.pixels.iter().find(|(other, _)| *other == number);
        let size = PIXEL * target.width as usize * target.height as usize;
        given.map_or_else(|| vec![0; size], |(_, pixels)| pixels.clone())
    });
    let mut model = Model {
        runner,
        buffers: lowered.work.buffers.clone(),
        targets: targets.collect(),
        bound: None,
        open: None,
    };
    for command in &lowered.commands {
        model.command(&lowered, command)?;
    }
    if model.open.is_some() {
        return Err(forbidden("an encoder is not ended"));
    }
    let Model { mut buffers, mut targets, .. } = model;
    buffers.truncate(sequence.work.buffers.len());
    targets.truncate(sequence.work.targets.len());
    let queries = lowered.queries.iter().filter_map(|source| match source {
        Source::Host(counted) => Some(*counted),
        // Whose beginning was refused.
        Source::Device(..) | Source::Kept(..) => None,
    });
    let queries = queries.collect();
    let captured = vec![None; lowered.work.draws.len()];
    let outcome = Outcome { buffers, textures: Vec::new(), targets, captured };
    Ok(Executed { outcome, queries })
}

/// The bytes of a pixel of the targets that are drawn to: of four components of 32 bits.
const PIXEL: usize = 16;

/// What has been done.
struct Model<'r> {
    runner: &'r dyn Runner,
    /// As encoders that have ended left them.
    buffers: Vec<Vec<u8>>,
    targets: Vec<Vec<u8>>,
    /// The draw that is bound, in the encoder that is open.
    bound: Option<usize>,
    /// What has been stored in the render encoder that is open.
    open: Option<Stored>,
}

/// What the draws of a render encoder have stored: bytes, by buffer and offset.
type Stored = BTreeMap<(usize, usize), u8>;

impl Model<'_> {
    fn command(&mut self, lowered: &Lowered<'_>, command: &Command) -> Result<(), Error> {
        match command {
            Command::BeginPass(_) => {
                self.check_apart("a render encoder")?;
                self.open = Some(Stored::new());
                self.bound = None;
            }
            Command::EndPass => {
                let stored = self.open.take();
                let stored =
                    stored.ok_or_else(|| forbidden("an encoder ends, and none is open"))?;
                for ((buffer, offset), byte) in stored {
                    self.buffers[buffer][offset] = byte;
                }
            }
            Command::Copy(from, to) => {
                self.check_apart("a blit encoder")?;
                let end = from.offset.saturating_add(from.size);
                let bytes = self.buffers.get(from.buffer);
                let bytes = bytes.and_then(|one| one.get(from.offset as usize..end as usize));
                let bytes = bytes.ok_or_else(nowhere)?.to_vec();
                self.write(*to, &bytes)?;
            }
            Command::Update(place, value) => {
                self.check_apart("a blit encoder")?;
                self.write(*place, &value.to_ne_bytes())?;
            }
            Command::Bind(draw) => self.bound = Some(*draw),
            Command::Draw(call) => self.draw(lowered, call)?,
            Command::Dispatch(_) => {
                self.check_apart("a compute encoder")?;
                let draw = self.bound(lowered)?.clone();
                self.buffers = self.run(lowered, draw)?.0.buffers;
                self.bound = None;
            }
            Command::Wait(_) => return Err(forbidden("encoders wait without barriers")),
            Command::BeginQuery(..) | Command::EndQuery(..) => {
                return Err(forbidden("Metal counts no primitives"));
            }
            Command::BindFeedback(_) | Command::BeginFeedback(_) | Command::EndFeedback(_) => {
                return Err(forbidden("Metal has no transform feedback"));
            }
            Command::Keep(..) => {
                return Err(forbidden(
                    "counters that the device keeps, which are planned for Vulkan",
                ));
            }
        }
        Ok(())
    }

    /// Fails where an encoder of another kind, or another one, begins in one.
    fn check_apart(&self, what: &str) -> Result<(), Error> {
        match self.open {
            Some(_) => Err(forbidden(&format!("{what} begins in a render encoder"))),
            None => Ok(()),
        }
    }

    fn bound<'l, 'w>(&self, lowered: &'l Lowered<'w>) -> Result<&'l Draw<'w>, Error> {
        let bound = self.bound.and_then(|draw| lowered.work.draws.get(draw));
        bound.ok_or_else(|| forbidden("a draw has no pipeline"))
    }

    fn draw(&mut self, lowered: &Lowered<'_>, call: &Call) -> Result<(), Error> {
        if self.open.is_none() {
            return Err(forbidden("a draw is in no render encoder"));
        }
        let mut draw = self.bound(lowered)?.clone();
        check_topology(draw.topology)?;
        match call {
            Call::Vertices(_) => draw.indices = None,
            Call::Indexed(indices, instances) => {
                if indices.index_type == vk::IndexType::UINT8_EXT {
                    return Err(forbidden("Metal has no indices of 8 bits"));
                }
                draw.indices = Some(*indices);
                draw.instances = instances.clone();
            }
            Call::Indirect(_) | Call::IndexedIndirect(..) => {
                let message = "arguments in buffers, in the model of encoders";
                return Err(Error::Unsupported(message.to_owned()));
            }
            Call::ByteCount(..) => return Err(forbidden("Metal has no draws of a byte count")),
        }
        let (outcome, drawn) = self.run(lowered, draw)?;
        let open = self.open.get_or_insert_default();
        for (buffer, (before, after)) in self.buffers.iter().zip(&outcome.buffers).enumerate() {
            let bytes = before.iter().zip(after).enumerate();
            for (offset, (_, byte)) in bytes.filter(|(_, (before, after))| before != after) {
                if open.insert((buffer, offset), *byte).is_some() {
                    return Err(forbidden(&format!(
                        "two draws of an encoder store to byte {offset} of buffer {buffer}, in no order"
                    )));
                }
            }
        }
        for (target, pixels) in drawn.into_iter().zip(outcome.targets) {
            self.targets[target] = pixels;
        }
        Ok(())
    }

    /// Runs a draw or a dispatch by itself, on what encoders before have left. Returns the targets that it draws to as
    /// well.
    fn run(
        &self,
        lowered: &Lowered<'_>,
        mut draw: Draw<'_>,
    ) -> Result<(Outcome, Vec<usize>), Error> {
        let is_fragment = |stage: &Stage<'_>| stage.stage == vk::ShaderStageFlags::FRAGMENT;
        let is_drawn = !draw.discard && draw.stages.iter().any(is_fragment);
        let first = draw.target.take().filter(|_| is_drawn);
        let drawn: Vec<usize> = first.into_iter().chain(draw.other_targets.drain(..)).collect();
        if is_drawn {
            draw.target = Some(0);
            draw.other_targets = (1..drawn.len()).collect();
        } else {
            draw.stages.retain(|stage| !is_fragment(stage));
        }
        let mut work = Work {
            buffers: self.buffers.clone(),
            textures: lowered.work.textures.clone(),
            ..Work::default()
        };
        for (number, target) in drawn.iter().enumerate() {
            work.targets.push(lowered.work.targets[*target]);
            work.pixels.push((number, self.targets[*target].clone()));
        }
        work.draws.push(draw);
        Ok((self.runner.run(&work)?, drawn))
    }

    fn write(&mut self, to: Place, bytes: &[u8]) -> Result<(), Error> {
        let first = to.offset as usize;
        let buffer = self.buffers.get_mut(to.buffer);
        let place = buffer.and_then(|one| one.get_mut(first..first.saturating_add(bytes.len())));
        place.ok_or_else(nowhere)?.copy_from_slice(bytes);
        Ok(())
    }
}

/// Fails of topologies that Metal has not.
fn check_topology(topology: vk::PrimitiveTopology) -> Result<(), Error> {
    use vk::PrimitiveTopology as Of;
    let has =
        [Of::POINT_LIST, Of::LINE_LIST, Of::LINE_STRIP, Of::TRIANGLE_LIST, Of::TRIANGLE_STRIP];
    match has.contains(&topology) {
        true => Ok(()),
        false => Err(forbidden(&format!("Metal draws no {topology:?}"))),
    }
}

fn forbidden(what: &str) -> Error {
    Error::Work(format!("Metal: {what}"))
}

fn nowhere() -> Error {
    forbidden("a copy reaches behind its buffer")
}
