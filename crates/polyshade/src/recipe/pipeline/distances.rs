//! Lowerings of the distances that one stage passes to the next.

use super::{END_OF_LOCATIONS, Pipeline, Stage};
use crate::clip_cull::{
    self, DistanceCounts, EMULATED_LOCATIONS, Emulated, Registers, Runs, StageDistances, Step,
};
use crate::code;
use crate::host::{Lowered, Target};
use crate::recipe::Masks;
use crate::rewrite;
use polyshade_spv::{Error, ExecutionModel, StorageClass};
use std::iter;

/// The number of locations that eight distances take. No stage has more distances.
const REGISTERS: u32 = 2;

impl Pipeline<'_> {
    /// Applies one lowering to the distances of a stage.
    pub(super) fn clip_step(
        &mut self,
        number: usize,
        field: &'static str,
        step: Step,
    ) -> Result<StageDistances, Error> {
        let options = clip_cull::Options::from([step]);
        let made = self.step(number, field, |m, target| clip_cull::lower(m, target, &options))?;
        Ok(made.distances)
    }

    pub(super) fn mask(&mut self, last: usize, masks: Masks) -> Result<(), Error> {
        let field = "masks";
        let location = match masks.keep_original {
            true => Some(self.free_locations(last, field, REGISTERS)?),
            false => None,
        };
        let step = Step::Mask { enabled: masks.enabled, keep_original_at: location };
        let made = self.clip_step(last, field, step)?;
        let clip = made.outputs.clip;
        self.made(last).masks = Some(made);
        let (Some(location), Some(fragment), 1..) = (location, self.fragment, clip) else {
            return Ok(());
        };
        let signature = Some(DistanceCounts::new(clip, 0));
        let registers = Registers { inputs: location, outputs: location, signature };
        let made = self.clip_step(fragment, field, Step::ToRegisters(registers))?;
        self.made(fragment).original = Some(made);
        Ok(())
    }

    pub(super) fn emulate(
        &mut self,
        last: usize,
        fragment: usize,
        emulated: Emulated,
        runs: Runs,
    ) -> Result<(), Error> {
        let field = "emulate";
        let location = self.free_locations(last, field, EMULATED_LOCATIONS)?;
        let registers = self.hand_between(last, field, emulated, location)?;
        let Registers { inputs, signature, .. } = registers;
        let step = Step::Emulate { emulated, location, inputs: Some(inputs), signature };
        let made = self.clip_step(last, field, step)?;
        let signature = Some(made.outputs.counts());
        self.made(last).emulated = Some(made);
        let read = Registers { inputs: location, signature, ..registers };
        let made = self.step(fragment, field, |m, target| {
            clip_cull::emulate_fragment(m, &target, emulated, read, runs)
        })?;
        self.made(fragment).emulated = Some(made);
        Ok(())
    }

    /// Turns distances between the stages before the last into ordinary values, if the device lacks any of them. The
    /// last stage writes its distances at `location`; returns its registers.
    fn hand_between(
        &mut self,
        last: usize,
        field: &'static str,
        emulated: Emulated,
        location: u32,
    ) -> Result<Registers, Error> {
        let is_task = |model| matches!(model, ExecutionModel::TASK_NV | ExecutionModel::TASK_EXT);
        let before: Vec<usize> =
            (0..last).filter(|number| !is_task(self.stages[*number].model)).collect();
        let mut registers = Registers { inputs: 0, outputs: location, signature: None };
        if before.is_empty() {
            return Ok(registers);
        }
        registers.inputs = self.free_between(&before, last, field)?;
        let own = Registers { outputs: registers.inputs, ..registers };

        // Count the distances of each interface, to find out whether the device supports them.
        let mut linked = [0, 0];
        let mut join = |DistanceCounts { clip, cull }: DistanceCounts| {
            let counts = iter::zip(&mut linked, [clip, cull]);
            counts.for_each(|(most, count)| *most = count.max(*most));
        };
        let mut changing = Vec::new();
        for number in before {
            let counts = self.distances(number, field, own)?;
            counts.into_iter().for_each(&mut join);
            if counts != [DistanceCounts::default(); 2] {
                changing.push(number);
            }
        }
        let [inputs, _] = self.distances(last, field, registers)?;
        join(inputs);
        if !emulated.is_needed(linked) {
            return Ok(registers);
        }
        // All stages must have the same signature.
        let signature = Some(DistanceCounts::new(linked[0], linked[1]));
        let own = Registers { signature, ..own };
        for number in changing {
            let made = self.clip_step(number, field, Step::ToRegisters(own))?;
            self.made(number).emulated = Some(made);
        }
        Ok(Registers { signature, ..registers })
    }

    /// Returns the numbers of clip and cull distances that a stage reads, then the numbers of distances that it
    /// writes.
    fn distances(
        &self,
        number: usize,
        field: &'static str,
        at: Registers,
    ) -> Result<[DistanceCounts; 2], Error> {
        let module = &self.stages[number].lowered.module;
        let made = clip_cull::to_registers(module, &self.target(number), at);
        let StageDistances { inputs, outputs, .. } =
            made.map_err(|error| self.about(number, field, &error))?.result;
        Ok([inputs.counts(), outputs.counts()])
    }

    /// Returns the first of `count` consecutive locations that are free in all stages from the last stage to the
    /// fragment stage.
    fn free_locations(&self, last: usize, field: &'static str, count: u32) -> Result<u32, Error> {
        let target = self.target(last);
        let Stage { lowered: Lowered { module, .. }, model, .. } = &self.stages[last];
        let entry = module.entry_point(target.entry_name(), *model)?;
        let end = end_of_locations(&target);
        let fragment = self.fragment.map(|fragment| self.stages[fragment].target.reservations());
        let free = rewrite::free_output_locations(module, entry, target.reservations(), end);
        let free =
            free.filter(|location| fragment.is_none_or(|one| one.is_free_location(*location)));
        in_a_row(free, count).ok_or_else(|| self.no_locations(last, field, (count, end)))
    }

    /// Returns the first of [`REGISTERS`] consecutive locations that are free in the interfaces between the stages
    /// `before` and the last stage.
    fn free_between(
        &self,
        before: &[usize],
        last: usize,
        field: &'static str,
    ) -> Result<u32, Error> {
        let (mut taken, mut targets) = (Vec::new(), Vec::new());
        for number in before.iter().copied().chain([last]) {
            let target = self.target(number);
            let Stage { lowered: Lowered { module, .. }, model, .. } = &self.stages[number];
            let entry = module.entry_point(target.entry_name(), *model)?;
            // The inputs of the first stage and the outputs of the last stage are not part of these interfaces.
            if number != before[0] {
                taken.extend(rewrite::locations(module, entry, StorageClass::INPUT));
            }
            if number != last {
                taken.extend(rewrite::locations(module, entry, StorageClass::OUTPUT));
            }
            targets.push(target);
        }
        let end = targets.iter().map(end_of_locations).min().unwrap_or(END_OF_LOCATIONS);
        let is_free = |location: &u32| {
            !taken.iter().any(|range| range.contains(location))
                && targets.iter().all(|target| target.reservations().is_free_location(*location))
        };
        in_a_row((0..end).filter(is_free), REGISTERS)
            .ok_or_else(|| self.no_locations(last, field, (REGISTERS, end)))
    }

    fn no_locations(&self, number: usize, field: &'static str, (count, end): (u32, u32)) -> Error {
        let message = format!("no {count} consecutive locations below {end} are free");
        let error = Error::new(&code::INTERFACE_NO_FREE_LOCATION, message);
        self.about(number, field, &error.help("specify the device's limit of output components"))
    }
}

fn end_of_locations(target: &Target) -> u32 {
    (target.device_limits().output_components / 4).min(END_OF_LOCATIONS)
}

/// Returns the first of `count` consecutive locations in `free`, which is in ascending order.
fn in_a_row(free: impl Iterator<Item = u32>, count: u32) -> Option<u32> {
    let (mut first, mut next) = (0, 0);
    for location in free {
        first = if location == next { first } else { location };
        next = location + 1;
        if next - first == count {
            return Some(first);
        }
    }
    None
}
