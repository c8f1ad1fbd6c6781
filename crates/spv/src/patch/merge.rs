//! Merges the queue: one linear walk that copies what is unmodified in runs.

use super::{EditKind, Patch};
use crate::grammar::Op;
use crate::inst::Inst;
use crate::{Error, ErrorKind, Id, Module, text};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::borrow::Cow;

/// Whether a rewrite changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The words are the very same.
    Unchanged,
    /// There is something new.
    Changed,
}

/// The next version, and what the edit returned.
#[derive(Debug)]
pub struct Rewritten<'m, T> {
    /// The next version; it borrows the words of the one before where nothing changed.
    pub module: Module<'m>,
    /// Whether anything changed.
    pub progress: Progress,
    /// What the edit returned.
    pub value: T,
}

impl<T> Rewritten<'_, T> {
    /// Whether the words are others than before.
    pub fn is_changed(&self) -> bool {
        self.progress == Progress::Changed
    }
}

/// Runs of words that are taken out: where they begin and end, in order and apart.
struct Removed(Vec<(u32, u32)>);

impl Removed {
    /// Whether the instruction at word `at` is taken out.
    fn contains(&self, at: u32) -> bool {
        let behind = self.0.partition_point(|(start, _)| *start <= at);
        self.0[..behind].last().is_some_and(|(_, end)| at < *end)
    }
}

impl<'m> Patch<'m, '_> {
    pub(crate) fn merge<T>(mut self, value: T) -> Result<Rewritten<'m, T>, Error> {
        self.finish_instructions()?;
        // Stable: what is inserted at one place stays in the order of insertion.
        self.edits.sort_by_key(|edit| edit.order);
        let words = if self.edits.is_empty() { None } else { Some(self.merged_words()?) };
        // Edits can come to nothing: an overwrite with the word that is there.
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

    /// Queues the instructions that are written once, however many edits there are; the first error of the queue.
    pub(crate) fn finish_instructions(&mut self) -> Result<(), Error> {
        if !self.ungrouped.is_empty() || !self.interfaces.is_empty() {
            let removed = self.removed();
            self.merge_groups(&removed);
            self.merge_interfaces(&removed)?;
        }
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// What is taken out.
    fn removed(&self) -> Removed {
        let ends = self.edits.iter().filter_map(|edit| match edit.kind() {
            EditKind::Remove { end } => Some((edit.at(), end)),
            EditKind::Insert { .. } | EditKind::Overwrite { .. } => None,
        });
        let mut runs: Vec<(u32, u32)> = ends.collect();
        runs.sort_unstable();
        // What is removed twice makes one run.
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
        let mut words = Vec::with_capacity(old.len() + self.pool.len());
        // Everything before this word is copied, overwritten or removed.
        let mut done = 0;
        let mut last_overwrite = None;
        for edit in &self.edits {
            let at = edit.at() as usize;
            if at > done {
                words.extend_from_slice(&old[done..at]);
                done = at;
            }
            match edit.kind() {
                EditKind::Insert { start, end, .. } => {
                    words.extend_from_slice(&self.pool[start as usize..end as usize]);
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

    /// Writes each instruction that applies a group anew, without the targets that left it; not at all where all did.
    fn merge_groups(&mut self, removed: &Removed) {
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

    /// Writes each entry point whose interface changes anew, once.
    fn merge_interfaces(&mut self, removed: &Removed) -> Result<(), Error> {
        let mut interfaces = std::mem::take(&mut self.interfaces);
        interfaces.retain(|at, _| !removed.contains(*at));
        for (at, changes) in interfaces {
            let inst = self.module.inst_at(at);
            let mut words = self.overwritten(inst)?;
            let first = 2 + text::word_count(&words[2..]);
            let mut interface = words.split_off(first);
            let left: HashSet<u32> =
                changes.iter().filter(|(_, joins)| !joins).map(|(id, _)| id.word()).collect();
            interface.retain(|id| !left.contains(id));
            let mut present: HashSet<u32> = interface.iter().copied().collect();
            let joining = changes.iter().filter(|(_, joins)| *joins).map(|(id, _)| id.word());
            interface.extend(joining.filter(|id| present.insert(*id)));
            words.extend(interface);
            if words != inst.words()[1..] {
                self.remove(inst);
                self.insert(inst.after(), inst.op(), &words);
            }
        }
        Ok(())
    }

    /// The words of `inst` behind the first, with what is overwritten in them.
    fn overwritten(&self, inst: Inst<'_>) -> Result<Vec<u32>, Error> {
        let mut words = inst.words()[1..].to_vec();
        let mut by_word = HashMap::new();
        for edit in &self.edits {
            let at = edit.at();
            if let EditKind::Overwrite { word } = edit.kind()
                && (inst.at() + 1..inst.end()).contains(&at)
            {
                let other = *by_word.entry(at).or_insert(word);
                if other != word {
                    return Err(contradiction(at, other, word));
                }
                words[(at - inst.at() - 1) as usize] = word;
            }
        }
        Ok(words)
    }
}

fn contradiction(at: u32, one: u32, other: u32) -> Error {
    let message = format!("two edits overwrite one word, with {one} and with {other}");
    Error::new(ErrorKind::Options, message).at(at)
}
