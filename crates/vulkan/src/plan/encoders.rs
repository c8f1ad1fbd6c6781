//! Executes plans for Metal in a small model of its encoders. Any runner can execute the single draws.
//!
//! In the model, one encoder is active at a time. Later encoders see its stores. Draws in the encoder itself do not
//! see the stores, and their order is undefined. Pixels are drawn in order. Each encoder must bind its pipeline. A
//! command that Metal lacks, or forbids in the active encoder, is an error.

use super::jobs::device_count;
use super::lower::{Call, Command, Groups, Lowered, Source, lower};
use super::{Executed, IndirectArguments, Sequence};
use crate::error::Error;
use crate::runner::Runner;
use crate::work::{Draw, Indices, Outcome, Place, ProvokingVertex, Stage, Work};
use ash::vk;
use polyshade_planner::PassScope;
use std::collections::BTreeMap;

/// Executes a sequence that was planned for [`PassScope::Encoder`] or [`PassScope::PassEncoder`], draw by draw.
///
/// [`PassScope::PassEncoder`] is for WebGPU, with the same rules for dispatches and for draws with rasterizer discard.
///
/// # Errors
///
/// The errors of the runner; `Work` if a plan does something that Metal forbids, or if results depend on an undefined
/// order.
pub fn execute_in_encoders(
    runner: &dyn Runner,
    sequence: &Sequence<'_>,
) -> Result<Executed, Error> {
    if !matches!(sequence.scope, PassScope::Encoder | PassScope::PassEncoder) {
        return Err(forbidden("the pass scope of the sequence is not an encoder"));
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
    let queries = lowered.queries.iter().filter_map(|source| match source {
        Source::Host(counted) => Some(*counted),
        Source::PlacedJob(query, place) => Some(device_count(*query, *place, &buffers)),
        // Not reached: the model rejects the beginning of such a query.
        Source::Device(..) => None,
    });
    let queries = queries.collect();
    buffers.truncate(sequence.work.buffers.len());
    targets.truncate(sequence.work.targets.len());
    let captured = vec![None; lowered.work.draws.len()];
    let outcome = Outcome { buffers, textures: Vec::new(), targets, captured };
    Ok(Executed { outcome, queries })
}

/// The size of a target's pixel in bytes: four components of 32 bits.
const PIXEL: usize = 16;

struct Model<'r> {
    runner: &'r dyn Runner,
    /// The contents after all encoders that have ended.
    buffers: Vec<Vec<u8>>,
    targets: Vec<Vec<u8>>,
    /// The draw that is bound in the active encoder.
    bound: Option<usize>,
    /// The stores of the active render encoder.
    open: Option<Stored>,
}

/// The bytes that the draws of a render encoder have stored, by buffer and offset.
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
                    stored.ok_or_else(|| forbidden("an encoder ends, but none is open"))?;
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
            Command::Dispatch(groups) => {
                let mut draw = self.bound(lowered)?.clone();
                draw.dispatch = Some(match *groups {
                    Groups::Known(groups) => groups,
                    Groups::Indirect(place) => self.words(place)?,
                });
                self.dispatch(lowered, draw)?;
            }
            Command::CounterPass(shader, job) => {
                let kept = &lowered.jobs[*job];
                let at = kept.dispatches[*shader as usize].filter(|_| kept.bound.is_some());
                let draw = at.and_then(|index| lowered.work.draws.get(index));
                let draw = draw.ok_or_else(|| forbidden("the counter pass has no addresses"))?;
                self.dispatch(lowered, draw.clone())?;
            }
            Command::Wait(_) => {
                return Err(forbidden("the plan has a barrier, which encoders do not need"));
            }
            Command::BeginQuery(..) | Command::EndQuery(..) => {
                return Err(forbidden("queries that count primitives are not supported"));
            }
            Command::BindFeedback(_) | Command::BeginFeedback(_) | Command::EndFeedback(_) => {
                return Err(forbidden("the API has no transform feedback"));
            }
        }
        Ok(())
    }

    /// Fails if a render encoder is active, because another encoder cannot begin inside it.
    fn check_apart(&self, what: &str) -> Result<(), Error> {
        match self.open {
            Some(_) => Err(forbidden(&format!("{what} begins inside a render encoder"))),
            None => Ok(()),
        }
    }

    fn bound<'l, 'w>(&self, lowered: &'l Lowered<'w>) -> Result<&'l Draw<'w>, Error> {
        let bound = self.bound.and_then(|draw| lowered.work.draws.get(draw));
        bound.ok_or_else(|| forbidden("a draw has no pipeline"))
    }

    /// Dispatches in a separate encoder.
    fn dispatch(&mut self, lowered: &Lowered<'_>, draw: Draw<'_>) -> Result<(), Error> {
        self.check_apart("a compute encoder")?;
        self.buffers = self.run(lowered, draw)?.0.buffers;
        self.bound = None;
        Ok(())
    }

    fn draw(&mut self, lowered: &Lowered<'_>, call: &Call) -> Result<(), Error> {
        if self.open.is_none() {
            return Err(forbidden("a draw is outside of a render encoder"));
        }
        let mut draw = self.bound(lowered)?.clone();
        check_assembly(&draw)?;
        // Indirect arguments become direct arguments, draw by draw.
        match call {
            Call::Vertices(_) => draw.indices = None,
            Call::Indexed(indices, instances) => {
                check_indices(&draw, indices)?;
                draw.indices = Some(*indices);
                draw.instances = instances.clone();
            }
            Call::Indirect(arguments) => {
                draw.indices = None;
                for place in one_by_one(arguments)? {
                    let [count, instances, first, first_instance] = self.words(place)?;
                    draw.vertices = first..first.saturating_add(count);
                    draw.instances = first_instance..first_instance.saturating_add(instances);
                    self.draw_once(lowered, draw.clone())?;
                }
                return Ok(());
            }
            Call::IndexedIndirect(indices, arguments) => {
                check_indices(&draw, indices)?;
                for place in one_by_one(arguments)? {
                    let [count, instances, first, offset, first_instance] = self.words(place)?;
                    let vertex_offset = offset.cast_signed();
                    draw.indices = Some(Indices { count, first, vertex_offset, ..*indices });
                    draw.instances = first_instance..first_instance.saturating_add(instances);
                    self.draw_once(lowered, draw.clone())?;
                }
                return Ok(());
            }
            Call::ByteCount(..) => {
                return Err(forbidden("draws with a byte count are not supported"));
            }
        }
        self.draw_once(lowered, draw)
    }

    fn draw_once(&mut self, lowered: &Lowered<'_>, draw: Draw<'_>) -> Result<(), Error> {
        let (outcome, drawn) = self.run(lowered, draw)?;
        let open = self.open.get_or_insert_default();
        for (buffer, (before, after)) in self.buffers.iter().zip(&outcome.buffers).enumerate() {
            let bytes = before.iter().zip(after).enumerate();
            for (offset, (_, byte)) in bytes.filter(|(_, (before, after))| before != after) {
                if open.insert((buffer, offset), *byte).is_some() {
                    return Err(forbidden(&format!(
                        "two draws of an encoder store to byte {offset} of buffer {buffer} unordered"
                    )));
                }
            }
        }
        for (target, pixels) in drawn.into_iter().zip(outcome.targets) {
            self.targets[target] = pixels;
        }
        Ok(())
    }

    /// Runs a single draw or dispatch on the contents after all ended encoders. Also returns the draw's targets.
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

    /// Reads words of a buffer from the contents after all ended encoders.
    fn words<const COUNT: usize>(&self, place: Place) -> Result<[u32; COUNT], Error> {
        let bytes = self.buffers.get(place.buffer).and_then(|one| one.get(place.offset as usize..));
        let words = bytes.and_then(|bytes| bytes.as_chunks::<4>().0.get(..COUNT));
        let words = words.ok_or_else(nowhere)?;
        Ok(std::array::from_fn(|number| u32::from_ne_bytes(words[number])))
    }

    fn write(&mut self, to: Place, bytes: &[u8]) -> Result<(), Error> {
        let first = to.offset as usize;
        let buffer = self.buffers.get_mut(to.buffer);
        let place = buffer.and_then(|one| one.get_mut(first..first.saturating_add(bytes.len())));
        place.ok_or_else(nowhere)?.copy_from_slice(bytes);
        Ok(())
    }
}

/// Returns the places of the arguments of all draws. Metal has one command for each draw.
fn one_by_one(arguments: &IndirectArguments) -> Result<impl Iterator<Item = Place>, Error> {
    let IndirectArguments { place, draws, stride, count } = *arguments;
    if count.is_some() {
        return Err(forbidden("the number of draws cannot come from a buffer"));
    }
    let at = move |number: u32| {
        let offset = u64::from(number) * u64::from(stride);
        Place { offset: place.offset + offset, ..place }
    };
    Ok((0..draws).map(at))
}

/// Rejects index types that Metal lacks, and primitive restart that differs from Metal's: always for strips, never for
/// lists.
fn check_indices(draw: &Draw<'_>, indices: &Indices) -> Result<(), Error> {
    use vk::PrimitiveTopology as Of;
    let is_strip = matches!(draw.topology, Of::LINE_STRIP | Of::TRIANGLE_STRIP);
    match indices.index_type {
        vk::IndexType::UINT8_EXT => Err(forbidden("8-bit indices are not supported")),
        _ if is_rasterized(draw) && is_strip != indices.restart => {
            Err(forbidden("primitive restart is always on for strips, and always off for lists"))
        }
        _ => Ok(()),
    }
}

/// Whether pixels depend on the assembly of vertices.
fn is_rasterized(draw: &Draw<'_>) -> bool {
    !draw.discard && draw.topology != vk::PrimitiveTopology::POINT_LIST
}

/// Rejects topologies and provoking vertex modes that Metal lacks.
fn check_assembly(draw: &Draw<'_>) -> Result<(), Error> {
    use vk::PrimitiveTopology as Of;
    let has =
        [Of::POINT_LIST, Of::LINE_LIST, Of::LINE_STRIP, Of::TRIANGLE_LIST, Of::TRIANGLE_STRIP];
    let topology = draw.topology;
    if !has.contains(&topology) {
        return Err(forbidden(&format!("the topology {topology:?} is not supported")));
    }
    match draw.provoking_vertex {
        ProvokingVertex::First => Ok(()),
        ProvokingVertex::Last => Err(forbidden("the last vertex cannot be the provoking vertex")),
    }
}

fn forbidden(what: &str) -> Error {
    Error::Work(format!("Metal: {what}"))
}

fn nowhere() -> Error {
    forbidden("a copy exceeds its buffer")
}
