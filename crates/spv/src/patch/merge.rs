//! Merges the queue in one linear walk that copies unmodified words in runs.

use super::Patch;
use super::queue::{Edit, EditKind, Interface};
use crate::code;
use crate::grammar::Op;
use crate::inst::Inst;
use crate::{Error, Id, Module, text};
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;

/// Whether a rewrite changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The words are the same.
    Unchanged,
    /// The words differ.
    Changed,
}

/// The next version, and the value of the edit.
#[derive(Debug)]
pub struct Rewritten<'m, T> {
    /// The next version. It borrows the words of the previous version if nothing changed.
    pub module: Module<'m>,
    /// Whether anything changed.
    pub progress: Progress,
    /// The value that the edit returned.
    pub value: T,
}

impl<T> Rewritten<'_, T> {
    /// Whether the words differ from the previous version.
    pub fn is_changed(&self) -> bool {
        self.progress == Progress::Changed
    }
}

/// The removed ranges of words: start and end, sorted and disjoint.
struct Removed(Vec<(u32, u32)>);

impl Removed {
    /// Whether the instruction at word `at` is removed.
    fn contains(&self, at: u32) -> bool {
        let behind = self.0.partition_point(|(start, _)| *start <= at);
        self.0[..behind].last().is_some_and(|(_, end)| at < *end)
    }
}

impl<'m> Patch<'m, '_> {
    pub(crate) fn merge<T>(mut self, value: T) -> Result<Rewritten<'m, T>, Error> {
        self.finish_instructions()?;
        // The sort is stable, so insertions at one position keep their order.
        self.queue.edits.sort_by_key(|edit| edit.order);
        let words = if self.queue.edits.is_empty() { None } else { Some(self.merged_words()?) };
        self.queue.leave();
        // An edit may have no effect, such as an overwrite of a word with its own value.
        match words.filter(|words| words.as_slice() != self.module.words()) {
            None => {
                let module = self.module.borrowed();
                Ok(Rewritten { module, progress: Progress::Unchanged, value })
            }
            Some(words) => {
                let module = Module::unscanned(Cow::Owned(words));
                Ok(Rewritten { module, progress: Progress::Changed, value })
            }
        }
    }

    /// Returns the value of the edit, or the first error of the queue.
    pub(crate) fn finish<T>(mut self, value: T) -> Result<T, Error> {
        self.finish_instructions()?;
        self.queue.leave();
        Ok(value)
    }

    /// Rewrites the instructions that combine several edits, each once. Returns the first error of the queue.
    fn finish_instructions(&mut self) -> Result<(), Error> {
        self.merge_groups();
        self.merge_interfaces()?;
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The ranges that are removed.
    fn removed(&self) -> Removed {
        let ends = self.queue.edits.iter().filter_map(|edit| match edit.kind() {
            EditKind::Remove { end } => Some((edit.at(), end)),
            EditKind::Insert { .. } | EditKind::Overwrite { .. } => None,
        });
        let mut runs: Vec<(u32, u32)> = ends.collect();
        runs.sort_unstable();
        // Overlapping and adjacent removals become one range.
        runs.dedup_by(|next, run| {
            let meet = next.0 <= run.1;
            if meet {
                run.1 = run.1.max(next.1);
            }
            meet
        });
        Removed(runs)
    }

    fn merged_words(&self) -> Result<Vec<u32>, Error> {
        let old = self.module.words();
        let mut words = Vec::with_capacity(old.len() + self.queue.pool.len());
        // Words before this offset have been copied, overwritten or removed.
        let mut done = 0;
        let mut last_overwrite = None;
        for edit in &self.queue.edits {
            let at = edit.at() as usize;
            if at > done {
                words.extend_from_slice(&old[done..at]);
                done = at;
            }
            match edit.kind() {
                EditKind::Insert { start, end, .. } => {
                    words.extend_from_slice(&self.queue.pool[start as usize..end as usize]);
                }
                EditKind::Remove { end } => done = done.max(end as usize),
                EditKind::Overwrite { word } if done == at => {
                    words.push(word);
                    done = at + 1;
                    last_overwrite = Some((at, word));
                }
                EditKind::Overwrite { word } => {
                    if let Some((last, other)) = last_overwrite
                        && last == at
                        && other != word
                    {
                        return Err(contradiction(edit.at(), other, word));
                    }
                }
            }
        }
        words.extend_from_slice(&old[done..]);
        words[3] = self.next_id.max(old[3]);
        Ok(words)
    }

    /// Rewrites each instruction that applies a group, without the targets that leave the group. Removes the
    /// instruction if all targets leave.
    fn merge_groups(&mut self) {
        if self.ungrouped.is_empty() {
            return;
        }
        let removed = self.removed();
        let mut groups = std::mem::take(&mut self.ungrouped);
        groups.retain(|at, _| !removed.contains(*at));
        for (at, leaving) in groups {
            let inst = self.module.inst_at(at);
            let leaves =
                |word: u32, member| Id::new(word).is_some_and(|id| leaving.contains(&(id, member)));
            let mut words = vec![inst.words()[1]];
            if inst.op() == Op::GROUP_DECORATE {
                words.extend(inst.words()[2..].iter().filter(|word| !leaves(**word, None)));
            } else {
                let pairs = inst.words()[2..].chunks_exact(2);
                words.extend(pairs.filter(|pair| !leaves(pair[0], Some(pair[1]))).flatten());
            }
            self.remove(inst);
            if words.len() > 1 {
                self.insert(inst.after(), inst.op(), &words);
            }
        }
    }

    /// Rewrites each entry point whose interface changes, once.
    fn merge_interfaces(&mut self) -> Result<(), Error> {
        let mut changes = std::mem::take(&mut self.queue.interfaces);
        let mut words = std::mem::take(&mut self.queue.scratch);
        // The sort is stable, so variables join in the order of the calls that added them.
        changes.sort_by_key(|change| (change.at, change.joins));
        let edits = self.edits_of(&changes);
        for changes in changes.chunk_by_mut(|one, next| one.at == next.at) {
            let inst = self.module.inst_at(changes[0].at);
            let (left, joining) =
                changes.split_at_mut(changes.partition_point(|change| !change.joins));
            if overwritten(inst, &edits, &mut words)? {
                Self::change_interface(&mut words, left, joining);
                if words != inst.words()[1..] {
                    self.remove(inst);
                    self.insert(inst.after(), inst.op(), &words);
                }
            }
        }
        (self.queue.interfaces, self.queue.scratch) = (changes, words);
        Ok(())
    }

    /// Removes variables from an entry point's interface and adds others. `words` are the words of the entry point
    /// after the first.
    fn change_interface(words: &mut Vec<u32>, left: &mut [Interface], joining: &[Interface]) {
        let first = 2 + text::word_count(&words[2..]);
        left.sort_unstable_by_key(|change| change.variable);
        let leaves =
            |id: u32| left.binary_search_by_key(&id, |change| change.variable.word()).is_ok();
        let mut kept = first;
        for word in first..words.len() {
            if !leaves(words[word]) {
                words[kept] = words[word];
                kept += 1;
            }
        }
        words.truncate(kept);
        // Most joining variables have ascending new ids, above every id of the interface, so they need no search for
        // duplicates.
        let mut last = words[first..].iter().copied().max().unwrap_or(0);
        for id in joining.iter().map(|change| change.variable.word()) {
            if id > last || !words[first..].contains(&id) {
                words.push(id);
            }
            last = last.max(id);
        }
    }

    /// The overwrites and removals of the entry points whose interfaces change, in order. There are usually none.
    fn edits_of(&self, changes: &[Interface]) -> Vec<Edit> {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            return Vec::new();
        };
        let end = self.module.inst_at(last.at).end();
        let edits = self.queue.edits.iter().filter(|edit| match edit.kind() {
            EditKind::Remove { end: removed } => edit.at() < end && removed > first.at,
            EditKind::Overwrite { .. } => (first.at..end).contains(&edit.at()),
            EditKind::Insert { .. } => false,
        });
        edits.copied().collect()
    }
}

/// Replaces `words` by the words of `inst` after the first, with overwrites applied. Returns whether `inst` stays.
fn overwritten(inst: Inst<'_>, edits: &[Edit], words: &mut Vec<u32>) -> Result<bool, Error> {
    words.clear();
    words.extend_from_slice(&inst.words()[1..]);
    let mut by_word = HashMap::new();
    let mut wrong = None;
    for edit in edits {
        let at = edit.at();
        match edit.kind() {
            EditKind::Remove { end } if (at..end).contains(&inst.at()) => return Ok(false),
            EditKind::Overwrite { word } if (inst.at() + 1..inst.end()).contains(&at) => {
                let other = *by_word.entry(at).or_insert(word);
                if other != word {
                    wrong.get_or_insert(contradiction(at, other, word));
                }
                words[(at - inst.at() - 1) as usize] = word;
            }
            _ => {}
        }
    }
    wrong.map_or(Ok(true), Err)
}

fn contradiction(at: u32, one: u32, other: u32) -> Error {
    let message =
        format!("two edits overwrite the same word with different values: {one} and {other}");
    Error::new(&code::SPIRV_CONFLICTING_EDITS, message).at(at)
}
