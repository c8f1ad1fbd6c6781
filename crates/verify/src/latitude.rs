//! How far two implementations may be from each other in what a shader computes.
//!
//! Vulkan's appendix says how exact each instruction is; what comes of it hangs on what else the shader computes: a
//! difference of numbers that are nearly the same may have no digit left. So it is found by trying. Each component of
//! each result that is not known exactly is moved by itself, up and down, by twice of what one implementation may be
//! off (`doubt`), and by how much that moves an output is added up. An output that nothing moves has to be the same to
//! the bit; so has a whole number, and what is read of the bits of a float. Of one of these that is moved nothing can
//! be said.
//!
//! What is rounded correctly moves nothing, unless what is rounded is not known exactly: then it may be rounded the
//! other way, and that is added too.

mod bounds;
mod doubt;

use crate::Phase;
use crate::cases::FILL;
use crate::leaves::{Kind, Leaf};
use crate::record::{self, Recorder};
use crate::recording::{Recording, u32s};
use crate::run::{Original, cannot_run_original, unfinished};
use crate::verdict::{Equal, Stop, not_comparable};
use bounds::Source;
use doubt::{Doubt, Doubted};
use polyshade_vulkan::{Descriptor, Error, Range, Resource};

/// So many shaders in which all is moved at once are tried, each in two directions: what several may do together.
const TOGETHER: u32 = 8;

/// As many are drawn at once, up and down, unless what they write is larger.
const AT_ONCE: usize = 256;
const BYTES_AT_ONCE: usize = 1 << 26;

/// Where ranges of buffers may begin on every device.
const ALIGNMENT: usize = 256;

/// Finds for each word that `original` computes how far another implementation may be from it.
pub(crate) fn allow(
    original: &Original<'_>,
    recordings: &mut [Recording],
    equal: &mut Equal,
) -> Result<(), Stop> {
    let doubted = doubt::doubt(&original.plain, original.task.job);
    let doubted = doubted.map_err(|why| not_comparable(format!("how exact it is: {why}")))?;
    for recording in recordings {
        let leeway = leeway(original, &doubted, recording)?;
        let is_open = |leeway: &&f64| leeway.is_infinite();
        let open = leeway.iter().filter(is_open).count() as u64;
        let some = leeway.iter().filter(|leeway| **leeway > 0.0).count() as u64;
        equal.open += open;
        equal.rounded += some - open;
        recording.leeway = leeway;
    }
    Ok(())
}

/// How far each word of a recording may be from what it is.
fn leeway(
    original: &Original<'_>,
    doubted: &Doubted,
    recording: &Recording,
) -> Result<Vec<f64>, Stop> {
    let mut leeway = Leeway::of(&original.leaves, recording);
    if !doubted.sources.contains(&Source::Latitude) {
        return Ok(leeway.sum);
    }
    let recorder = record::record(&doubted.module, original.task.job, original.grid());
    let recorder = recorder.map_err(|why| not_comparable(format!("how exact it is: {why}")))?;
    let found = |doubts: &[Doubt]| {
        (original.task.report)(Phase::Original);
        run(original, (doubted, &recorder), recording, doubts).map_err(cannot_run_original)
    };
    if !leeway.is_base(&found(&[Doubt::Nothing])?[0]) {
        return Err(not_comparable("the original computes something else where it may be moved"));
    }

    let at_once = 2 * (BYTES_AT_ONCE / size(original, &recorder)).clamp(1, AT_ONCE);
    let numbered = || (0..).zip(&doubted.sources);
    let of = |wanted: Source| {
        let numbers = numbered().filter(move |(_, source)| **source == wanted);
        numbers.flat_map(|(number, _)| [1.0, -1.0].map(|sign| Doubt::One(number, sign)))
    };
    // The shader multiplies what is odd by what is odd, and looks at the uppermost bit.
    let seeds = (0..TOGETHER).map(|number| number.wrapping_mul(0x9e37_79b9) << 1 | 1);
    let together: Vec<Doubt> =
        seeds.flat_map(|seed| [1.0, -1.0].map(|sign| Doubt::All(seed, sign))).collect();
    leeway.take_most(&found(&together)?);
    let each: Vec<Doubt> = of(Source::Latitude).collect();
    for doubts in each.chunks(at_once) {
        leeway.add(&found(doubts)?);
    }
    if leeway.is_some() {
        let each: Vec<Doubt> = of(Source::Rounding).collect();
        for doubts in each.chunks(at_once) {
            leeway.add_where_moved(&found(doubts)?);
        }
    }
    Ok(leeway.finish())
}

/// The bytes that are written by a draw.
fn size(original: &Original<'_>, recorder: &Recorder) -> usize {
    4 * (recorder.stride() * original.grid().slots()) as usize
}

/// What the shader computes with each doubt.
fn run(
    original: &Original<'_>,
    (doubted, recorder): (&Doubted, &Recorder),
    recording: &Recording,
    doubts: &[Doubt],
) -> Result<Vec<Vec<u32>>, Error> {
    let placement = recording.placement;
    let size = size(original, recorder);
    let step = size.next_multiple_of(ALIGNMENT);
    let mut buffers = None;
    let work = original.inputs.work(0..doubts.len(), |number, inputs, work| {
        let (told, written) = *buffers.get_or_insert_with(|| {
            work.buffers.push(doubts.iter().flat_map(|doubt| doubt.bytes(ALIGNMENT)).collect());
            work.buffers.push(vec![FILL; step * doubts.len()]);
            (work.buffers.len() - 2, work.buffers.len() - 1)
        });
        let range = |buffer, step: usize, size: usize| Range {
            buffer,
            offset: (step * number) as u64,
            size: size as u64,
        };
        let mut draw = original.draw(&recorder.words, placement);
        recorder.bind(range(written, step, size), &mut draw);
        let (set, binding) = doubted.bound;
        let told = Resource::StorageBuffer(range(told, ALIGNMENT, ALIGNMENT));
        draw.descriptors.push(Descriptor::new(set.0, binding.0, told));
        inputs.give(&mut draw);
        draw
    });
    let outcome = original.task.device.run(&work)?;
    let (_, written) = buffers.expect("there is a doubt");
    let each = outcome.buffers[written].chunks_exact(step);
    let each =
        each.map(|bytes| recorder.outputs(placement, original.grid(), &u32s(&bytes[..size])));
    each.collect::<Option<_>>().ok_or_else(unfinished)
}

/// How far words are moved.
struct Leeway<'l> {
    /// The outputs of the words.
    leaves: Vec<&'l Leaf>,
    words: &'l [u32],
    /// By all that was tried, one after the other.
    sum: Vec<f64>,
    /// By several together at most.
    most: Vec<f64>,
}

impl<'l> Leeway<'l> {
    fn of(leaves: &'l [Leaf], recording: &'l Recording) -> Self {
        let each: Vec<&Leaf> = leaves
            .iter()
            .flat_map(|leaf| std::iter::repeat_n(leaf, leaf.words() as usize))
            .collect();
        let words = recording.words.as_slice();
        let none = vec![0.0; words.len()];
        Leeway { leaves: each, words, sum: none.clone(), most: none }
    }

    /// Whether nothing is moved.
    fn is_base(&self, found: &[u32]) -> bool {
        (0..self.words.len()).all(|word| self.moved(word, found) == 0.0)
    }

    /// By how much a word is moved: infinitely where it is no float, or not finite.
    fn moved(&self, word: usize, found: &[u32]) -> f64 {
        let (is, was) = (found[word], self.words[word]);
        if is == was {
            return 0.0;
        }
        let leaf = self.leaves[word % self.leaves.len()];
        if (leaf.kind, leaf.bits) != (Kind::Float, 32) {
            return f64::INFINITY;
        }
        let [is, was] = [is, was].map(|bits| f64::from(f32::from_bits(bits)));
        match is.is_finite() && was.is_finite() {
            true => (is - was).abs(),
            // No number stays none.
            false if is.is_nan() && was.is_nan() => 0.0,
            false => f64::INFINITY,
        }
    }

    /// The most of several words' moves.
    fn take_most(&mut self, all: &[Vec<u32>]) {
        for word in 0..self.words.len() {
            let moves = all.iter().map(|found| self.moved(word, found));
            self.most[word] = moves.fold(self.most[word], f64::max);
        }
    }

    /// Adds what each source moves, up or down.
    fn add(&mut self, all: &[Vec<u32>]) {
        for both in all.chunks_exact(2) {
            for word in 0..self.words.len() {
                self.sum[word] += self.moved(word, &both[0]).max(self.moved(word, &both[1]));
            }
        }
    }

    /// The same of words that something has moved before.
    fn add_where_moved(&mut self, all: &[Vec<u32>]) {
        let is_moved: Vec<bool> = (0..self.words.len()).map(|word| self.is_moved(word)).collect();
        for both in all.chunks_exact(2) {
            for (word, _) in is_moved.iter().enumerate().filter(|(_, is_moved)| **is_moved) {
                self.sum[word] += self.moved(word, &both[0]).max(self.moved(word, &both[1]));
            }
        }
    }

    fn is_moved(&self, word: usize) -> bool {
        self.sum[word] > 0.0 || self.most[word] > 0.0
    }

    fn is_some(&self) -> bool {
        (0..self.words.len()).any(|word| self.is_moved(word))
    }

    /// What one by one, or several together, may do; and a float that is moved at all is rounded once more.
    fn finish(self) -> Vec<f64> {
        let each = self.sum.iter().zip(&self.most).zip(self.words);
        each.map(|((sum, most), word)| match sum.max(*most) {
            0.0 => 0.0,
            leeway => {
                let value = f64::from(f32::from_bits(*word)).abs();
                leeway.max(value * f64::from(f32::EPSILON))
            }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaves::tests::leaf;
    use crate::record::Placement;

    const ONE: u32 = 1.0_f32.to_bits();

    fn recording(words: &[u32]) -> Recording {
        let slots = Placement { first_vertex: 0, vertices: 1, first_instance: 0, instances: 1 };
        Recording::new(slots, words.to_vec())
    }

    #[test]
    fn moves_are_added_up_and_together_count_at_most() {
        let leaves = [leaf("v", 2, (0, 0))];
        let recording = recording(&[ONE, ONE]);
        let mut leeway = Leeway::of(&leaves, &recording);
        let moved = |value: f32| vec![value.to_bits(), ONE];
        leeway.add(&[moved(1.5), moved(0.25), moved(1.0), moved(0.75)]);
        assert_eq!(leeway.sum, [1.0, 0.0]);
        leeway.take_most(&[moved(3.0)]);
        // What nothing moved is not rounded otherwise.
        leeway.add_where_moved(&[vec![ONE, ONE + 1], vec![ONE + 1, ONE]]);
        let found = leeway.finish();
        assert_eq!((found[0], found[1]), (2.0, 0.0));
    }

    #[test]
    fn numbers_that_are_moved_at_all_are_a_step_off() {
        let leaves = [leaf("v", 1, (0, 0))];
        let recording = recording(&[ONE]);
        let mut leeway = Leeway::of(&leaves, &recording);
        leeway.take_most(&[vec![ONE - 1]]);
        assert_eq!(leeway.finish(), [f64::from(f32::EPSILON)]);
    }

    #[test]
    fn whole_numbers_and_what_is_not_finite_are_open() {
        let whole = Leaf { kind: Kind::Uint, ..leaf("w", 1, (1, 0)) };
        let leaves = [leaf("v", 1, (0, 0)), whole];
        let recording = recording(&[ONE, 3]);
        let mut leeway = Leeway::of(&leaves, &recording);
        leeway.add(&[vec![f32::INFINITY.to_bits(), 3], vec![ONE, 4]]);
        assert_eq!(leeway.finish(), [f64::INFINITY, f64::INFINITY]);
    }
}
