//! The counter pass: its pipelines, and the lists of jobs that it executes before render passes.

use crate::driver::Driver;
use crate::emulation::memory::Piece;
use ash::vk::{self, AccessFlags, PipelineStageFlags as Stage, ShaderStageFlags};
use polyshade::transform_feedback::MAX_BUFFERS;
use polyshade_planner::counter_pass::{self, Job, List, Predicate, Shader};
use std::borrow::Cow;
use std::ops::Range;

pub(crate) struct CounterPass {
    pub(super) layout: vk::PipelineLayout,
    pub(super) keep: vk::Pipeline,
    pub(super) segments: vk::Pipeline,
    /// Copies the results of queries.
    pub(super) results: vk::Pipeline,
}

pub(super) const LOST: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

impl CounterPass {
    pub(crate) fn new(device: &Driver) -> Result<Self, vk::Result> {
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(ShaderStageFlags::COMPUTE)
            .size(counter_pass::PUSH_CONSTANTS)];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        let create = device.next.create_pipeline_layout.ok_or(LOST)?;
        let mut layout = vk::PipelineLayout::null();
        // SAFETY: the structure is valid.
        unsafe {
            create(device.handle, &raw const info, std::ptr::null(), &raw mut layout).result()?;
        }
        // On failure, the pipelines created so far are destroyed.
        let null = vk::Pipeline::null();
        let mut counter_pass = Self { layout, keep: null, segments: null, results: null };
        let results = words(include_bytes!("results.spv"));
        let made = pipeline(device, layout, Shader::Count.words()).and_then(|keep| {
            counter_pass.keep = keep;
            counter_pass.segments = pipeline(device, layout, Shader::Segments.words())?;
            counter_pass.results = pipeline(device, layout, &results)?;
            Ok(())
        });
        if let Err(error) = made {
            counter_pass.destroy(device);
            return Err(error);
        }
        Ok(counter_pass)
    }

    pub(crate) fn destroy(self, device: &Driver) {
        // SAFETY: nobody uses the objects any more; null handles are ignored.
        unsafe {
            for pipeline in [self.keep, self.segments, self.results] {
                if let Some(destroy) = device.next.destroy_pipeline {
                    destroy(device.handle, pipeline, std::ptr::null());
                }
            }
            if let Some(destroy) = device.next.destroy_pipeline_layout {
                destroy(device.handle, self.layout, std::ptr::null());
            }
        }
    }
}

/// Returns the words of a compiled shader.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

pub(super) fn pipeline(
    device: &Driver,
    layout: vk::PipelineLayout,
    words: &[u32],
) -> Result<vk::Pipeline, vk::Result> {
    let create = device.next.create_compute_pipelines.ok_or(LOST)?;
    let module = device.create_shader_module(words)?;
    let mut made = vk::Pipeline::null();
    // SAFETY: all structures are valid, and the module is destroyed only after the pipeline was created.
    unsafe {
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let cache = vk::PipelineCache::null();
        let result =
            create(device.handle, cache, 1, &raw const info, std::ptr::null(), &raw mut made);
        device.destroy_shader_module(module);
        result.result()?;
    }
    Ok(made)
}

/// The maximum number of executions of a secondary command buffer in one render pass that are captured. Each execution
/// needs its own copy of the draw parameters, but recorded commands contain fixed addresses. Therefore each capture is
/// recorded once per copy. Every execution runs all recorded captures; repeated stores write the same data.
pub(crate) const MOST_EXECUTIONS: u32 = 4;

/// The jobs of a render pass, or of a secondary command buffer inside one.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Jobs {
    words: Vec<u32>,
    /// The maximum number of draws in a job with primitive restart.
    restarted: u32,
    /// The executed secondary command buffers, in order.
    executed: Vec<Executed>,
}

/// An executed secondary command buffer, and the range of its jobs.
#[derive(Clone, PartialEq)]
struct Executed {
    commands: vk::CommandBuffer,
    jobs: Range<usize>,
    /// Whether the command buffer may be executed several times.
    repeats: bool,
}

impl Jobs {
    pub(crate) fn push(&mut self, job: &Job) {
        if let Some(draws) = job.draws.as_ref().filter(|draws| draws.segments.is_some()) {
            self.restarted = self.restarted.max(draws.count);
        }
        self.words.extend_from_slice(&job.words());
    }

    /// Ends the capture with this state in the last job, if that job belongs to the capture.
    pub(crate) fn end(&mut self, state: u64, counters: [u64; MAX_BUFFERS]) -> bool {
        let last = self.words.last_chunk_mut();
        last.is_some_and(|words| Job::end_capture(words, state, counters))
    }

    /// Appends the jobs of `other`. Returns whether each secondary command buffer has a copy for each of its
    /// executions.
    pub(crate) fn extend(&mut self, other: &Self) -> bool {
        let (mut fits, mut at) = (true, 0);
        // Jobs in `other` already skip the copies of earlier executions in `other`, so only executions in `self`
        // count.
        let before: Vec<u32> = other.executed.iter().map(|one| self.times(one.commands)).collect();
        for (one, before) in other.executed.iter().zip(before) {
            self.words.extend(&other.words[at..one.jobs.start]);
            at = one.jobs.end;
            let jobs = &other.words[one.jobs.clone()];
            fits &= self.add(one.commands, jobs, (before, one.repeats));
        }
        self.words.extend(&other.words[at..]);
        self.restarted = self.restarted.max(other.restarted);
        fits
    }

    /// Appends the jobs of an executed secondary command buffer. Returns whether it had an unused copy of its
    /// parameters.
    pub(super) fn execute(
        &mut self,
        commands: vk::CommandBuffer,
        (other, repeats): (&Self, bool),
        predicate: Option<Predicate>,
    ) -> bool {
        let mut jobs = other.words.clone();
        if let Some(predicate) = predicate {
            Job::inherit(&mut jobs, predicate);
        }
        self.restarted = self.restarted.max(other.restarted);
        self.add(commands, &jobs, (self.times(commands), repeats))
    }

    fn times(&self, commands: vk::CommandBuffer) -> u32 {
        self.executed.iter().filter(|one| one.commands == commands).count() as u32
    }

    fn add(
        &mut self,
        commands: vk::CommandBuffer,
        jobs: &[u32],
        (further, repeats): (u32, bool),
    ) -> bool {
        if self.times(commands) >= if repeats { MOST_EXECUTIONS } else { 1 } {
            return false;
        }
        let first = self.words.len();
        self.words.extend(jobs);
        Job::move_on(&mut self.words[first..], further);
        self.executed.push(Executed { commands, jobs: first..self.words.len(), repeats });
        true
    }

    /// Returns all jobs, followed by jobs that disable the copies for executions that do not occur.
    pub(super) fn whole(&self) -> Cow<'_, [u32]> {
        if !self.executed.iter().any(|one| one.repeats) {
            return Cow::Borrowed(&self.words);
        }
        let mut words = self.words.clone();
        for (number, one) in self.executed.iter().enumerate().filter(|(_, one)| one.repeats) {
            let mut behind = self.executed[number + 1..].iter();
            if behind.any(|other| other.commands == one.commands) {
                continue;
            }
            for further in 1..=MOST_EXECUTIONS - self.times(one.commands) {
                let first = words.len();
                words.extend(&self.words[one.jobs.clone()]);
                Job::move_on(&mut words[first..], further);
                Job::leave_out(&mut words[first..]);
            }
        }
        Cow::Owned(words)
    }

    /// Returns the list of these jobs, which are stored in `place` as `words`.
    pub(super) fn list(&self, words: &[u32], place: Piece) -> List {
        let count = words.len() as u32 / (Job::SIZE / 4);
        List { jobs: place.address, count, restarted: self.restarted }
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.executed.clear();
        self.restarted = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the number of jobs.
    pub(super) fn count(&self) -> u32 {
        self.words.len() as u32 / (Job::SIZE / 4)
    }
}

/// Records a global memory barrier.
///
/// # Safety
///
/// The command buffer belongs to the device and is being recorded.
pub(crate) unsafe fn barrier(
    device: &Driver,
    commands: vk::CommandBuffer,
    (src, written): (Stage, AccessFlags),
    (dst, access): (Stage, AccessFlags),
) {
    let memory = vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(access);
    let (flags, none) = (vk::DependencyFlags::empty(), std::ptr::null());
    if let Some(barrier) = device.next.cmd_pipeline_barrier {
        // SAFETY: guaranteed by the caller.
        unsafe {
            barrier(commands, src, dst, flags, 1, &raw const memory, 0, none, 0, std::ptr::null());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle as _;
    use polyshade::transform_feedback::Topology;
    use polyshade_planner::counter_pass::{Arguments, Draws};

    const BLOCK: u64 = 32;

    /// Returns a job with one draw. The draw's parameters and arguments are written to these addresses.
    fn job(blocks: u64, commands: u64) -> Job {
        let arguments = Arguments::Indirect { place: 8, stride: 16, count: 0, indexed: false };
        let draws = Draws {
            topology: Topology::PointList,
            arguments,
            count: 1,
            predicate: None,
            buffers: [(64, 4); MAX_BUFFERS],
            template: 16,
            param_count: 8,
            blocks,
            block_stride: BLOCK as u32,
            commands,
            groups: 0,
            segments: None,
            geometry: None,
        };
        Job { draws: Some(draws), ..Job::default() }
    }

    /// Returns the job for the execution with this number.
    fn time(number: u64) -> Vec<u32> {
        job(1024 + number * BLOCK, 4096 + number * u64::from(Job::COMMAND_SIZE)).words().to_vec()
    }

    fn left_out(number: u64) -> Vec<u32> {
        let mut words = time(number);
        Job::leave_out(&mut words);
        words
    }

    #[test]
    fn each_execution_has_words_of_its_own_also_in_what_others_resume() {
        let secondary = vk::CommandBuffer::from_raw(1);
        let mut own = Jobs::default();
        own.push(&job(1024, 4096));
        let plain = job(0, 64).words().to_vec();
        let executed = |times: usize| {
            let mut jobs = Jobs::default();
            jobs.push(&job(0, 64));
            for _ in 0..times {
                assert!(jobs.execute(secondary, (&own, true), None));
            }
            jobs
        };
        let twice = executed(2);
        assert_eq!(
            twice.whole(),
            [plain.clone(), time(0), time(1), left_out(2), left_out(3)].concat()
        );

        let mut joined = executed(1);
        assert!(joined.extend(&executed(2)));
        let expected = [plain.clone(), time(0), plain.clone(), time(1), time(2), left_out(3)];
        assert_eq!(joined.whole(), expected.concat());
        assert!(!joined.extend(&executed(2)), "there is room for one more");
        let expected = [&expected[..5], &[plain, time(3)]].concat();
        assert_eq!(joined.whole(), expected.concat());

        // A command buffer that is executed once has no disabled copies.
        let mut jobs = Jobs::default();
        assert!(jobs.execute(secondary, (&own, false), None));
        assert!(!jobs.execute(secondary, (&own, false), None));
        assert_eq!(jobs.whole(), time(0));
    }

    #[test]
    fn a_capture_ends_in_its_last_job() {
        let (draw, counters) = (Job { state: 16, ..job(1024, 4096) }, [64; MAX_BUFFERS]);
        let mut jobs = Jobs::default();
        assert!(!jobs.end(16, counters), "there is no job");
        jobs.push(&draw);
        assert!(!jobs.end(32, counters), "the job belongs to another capture");
        assert!(jobs.end(16, counters));
        assert_eq!(*jobs.whole(), Job { end: Some(counters), ..draw }.words());
        assert!(!jobs.end(16, counters), "the capture has ended");
    }
}
