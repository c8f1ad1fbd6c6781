//! Memory that only the shader's own invocation sees, part by part: variables, their members and their elements.

use std::collections::HashMap;

/// No part, no store.
pub(super) const NONE: u32 = u32::MAX;
/// The key of any element, where some index is not a constant.
pub(super) const ANY: u32 = u32::MAX;

/// How many parts of one are looked through before a map is asked.
const FEW: u32 = 8;

/// A variable, what a parameter points to, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The part it is part of; `NONE` for a whole variable.
    parent: u32,
    /// The whole variable: a place in `Parts::roots`.
    root: u32,
    pub(super) key: u32,
    pub(super) first_child: u32,
    pub(super) next_sibling: u32,
    /// The first of what may write to exactly this part: a place in `Parts::writes`.
    writes: u32,
    /// Something live reads all of it, maybe as part of something larger.
    whole: bool,
    /// Something live reads it, or a part of it.
    read: bool,
    /// Whatever writes to it is live as a whole.
    settled: bool,
}

/// What a whole variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// A variable of one function.
    Function,
    /// A variable that all functions see.
    Module,
    /// What a parameter points to.
    Parameter(u32),
}

/// What may write to a part.
#[derive(Clone, Copy)]
pub(super) struct Write {
    /// The instruction, or the number of the call.
    pub(super) by: u32,
    /// `None` for an instruction; for a call the number of the argument.
    pub(super) argument: Option<u32>,
    pub(super) next: u32,
}

/// All parts that anything points to.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    pub(super) writes: Vec<Write>,
    /// By part and key, of parts of which there are many beside each other.
    children: HashMap<(u32, u32), u32>,
    roots: Vec<Root>,
    /// What is still to be visited while something is marked.
    open: Vec<u32>,
}

/// What is known of a whole variable.
#[derive(Clone, Copy)]
pub(super) struct Root {
    /// All of it.
    pub(super) part: u32,
    pub(super) owner: Owner,
    /// Some index into it is not a constant.
    pub(super) indexed: bool,
    /// Something other than a load or a store of all of it uses its address.
    pub(super) addressed: bool,
}

impl Parts {
    /// Nothing yet, with room for as many parts.
    pub(super) fn with_room(parts: usize) -> Self {
        let (writes, open) = (Vec::with_capacity(parts), Vec::with_capacity(FEW as usize));
        Self { parts: Vec::with_capacity(parts), writes, open, ..Self::default() }
    }

    /// Adds a whole variable.
    pub(super) fn add_root(&mut self, owner: Owner) -> u32 {
        let part = self.parts.len() as u32;
        self.add(NONE, self.roots.len() as u32, 0);
        self.roots.push(Root { part, owner, indexed: false, addressed: false });
        part
    }

    fn add(&mut self, parent: u32, root: u32, key: u32) {
        let (first_child, next_sibling, writes) = (NONE, NONE, NONE);
        let (whole, read, settled) = (false, false, false);
        self.parts.push(Part {
            parent,
            root,
            key,
            first_child,
            next_sibling,
            writes,
            whole,
            read,
            settled,
        });
    }

    pub(super) fn get(&self, part: u32) -> &Part {
        &self.parts[part as usize]
    }

    pub(super) fn root(&self, part: u32) -> &Root {
        &self.roots[self.get(part).root as usize]
    }

    pub(super) fn root_mut(&mut self, part: u32) -> &mut Root {
        let root = self.get(part).root;
        &mut self.roots[root as usize]
    }

    /// The part of `part` that has this key.
    pub(super) fn child(&mut self, part: u32, key: u32) -> u32 {
        let (mut child, mut seen) = (self.get(part).first_child, 0);
        while child != NONE && seen < FEW {
            let one = self.get(child);
            if one.key == key {
                return child;
            }
            (child, seen) = (one.next_sibling, seen + 1);
        }
        if seen == FEW
            && let Some(child) = self.children.get(&(part, key))
        {
            return *child;
        }
        let new = self.parts.len() as u32;
        self.add(part, self.get(part).root, key);
        let before = std::mem::replace(&mut self.parts[part as usize].first_child, new);
        self.parts[new as usize].next_sibling = before;
        // The last of those that are looked through is pushed out.
        let last = (1..FEW)
            .try_fold(new, |one, _| Some(self.get(one).next_sibling).filter(|next| *next != NONE));
        if let Some(last) = last {
            self.children.insert((part, self.get(last).key), last);
        }
        new
    }

    /// The part of `other` that lies in it where `part` lies in its whole variable; all of `other`, where an index that
    /// is not a constant has made the keys of one differ from those of the other.
    pub(super) fn alike(&mut self, part: u32, other: u32) -> u32 {
        let root = *self.root(part);
        if root.indexed || self.root(other).indexed {
            return other;
        }
        let mut keys = Vec::new();
        let mut inner = part;
        while inner != root.part {
            keys.push(self.get(inner).key);
            inner = self.get(inner).parent;
        }
        keys.into_iter().rev().fold(other, |part, key| self.child(part, key))
    }

    /// Notes that `by` may write to `part`.
    pub(super) fn add_write(&mut self, part: u32, by: u32, argument: Option<u32>) {
        self.writes.push(Write { by, argument, next: self.get(part).writes });
        self.parts[part as usize].writes = self.writes.len() as u32 - 1;
    }

    /// What may write to exactly `part`.
    pub(super) fn writes_of(&self, part: u32) -> impl Iterator<Item = Write> {
        let first = self.writes.get(self.get(part).writes as usize);
        std::iter::successors(first, |write| self.writes.get(write.next as usize)).copied()
    }

    /// Whether nothing but `part` as a whole is ever pointed to.
    pub(super) fn is_undivided(&self, part: u32) -> bool {
        self.get(part).first_child == NONE
    }

    /// Notes that something live reads `part`, and calls `f` for whatever may have written what it reads: with the
    /// key of what is read, where more than that was written. `f` says whether it asks to be called for others beside.
    pub(super) fn read(&mut self, part: u32, mut f: impl FnMut(Write, Option<u32>) -> bool) {
        let mut inner = part;
        while !std::mem::replace(&mut self.parts[inner as usize].read, true) {
            let Part { parent: above, key, .. } = self.parts[inner as usize];
            let Some(around) = self.parts.get(above as usize) else { break };
            if !around.whole && !around.settled {
                let mut more = false;
                for write in self.writes_of(above) {
                    more |= f(write, Some(key));
                }
                self.parts[above as usize].settled = !more;
            }
            inner = above;
        }
        self.open.push(part);
        while let Some(part) = self.open.pop() {
            if std::mem::replace(&mut self.parts[part as usize].whole, true) {
                continue;
            }
            if !self.parts[part as usize].settled {
                self.writes_of(part).for_each(|write| _ = f(write, None));
            }
            let mut child = self.get(part).first_child;
            while child != NONE {
                self.open.push(child);
                child = self.get(child).next_sibling;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Owner, Parts};

    /// Reads `part`, and says who is known to have written to it that was not known before.
    fn read(parts: &mut Parts, part: u32) -> Vec<u32> {
        let mut by = Vec::new();
        parts.read(part, |write, _| {
            by.push(write.by);
            false
        });
        by.sort_unstable();
        by
    }

    #[test]
    fn reading_a_part_reads_what_is_around_and_inside_of_it_once() {
        let mut parts = Parts::default();
        let root = parts.add_root(Owner::Function);
        let (x, y) = (parts.child(root, 0), parts.child(root, 1));
        let inner = parts.child(x, 4);
        for (part, by) in [(root, 1), (x, 2), (y, 3), (inner, 4)] {
            parts.add_write(part, by, None);
        }
        assert_eq!(parts.child(root, 1), y);

        assert_eq!(read(&mut parts, x), [1, 2, 4]);
        assert_eq!(read(&mut parts, inner), []);
        assert_eq!(read(&mut parts, root), [3]);
        assert_eq!(read(&mut parts, root), []);
    }

    #[test]
    fn a_write_of_more_than_is_read_is_asked_for_each_part() {
        let mut parts = Parts::default();
        let root = parts.add_root(Owner::Function);
        let (x, y) = (parts.child(root, 0), parts.child(root, 1));
        parts.add_write(root, 1, None);
        let mut keys = Vec::new();
        for part in [x, y, x, root, y] {
            parts.read(part, |_, key| {
                keys.push(key);
                key.is_some()
            });
        }
        assert_eq!(keys, [Some(0), Some(1), None]);
    }

    #[test]
    fn a_part_of_one_variable_is_found_in_another() {
        let mut parts = Parts::default();
        let (one, other) = (parts.add_root(Owner::Function), parts.add_root(Owner::Parameter(0)));
        let place = parts.child(one, 7);
        let part = parts.child(other, 2);
        let inner = parts.child(part, 5);
        let expected = parts.child(place, 2);
        let expected = parts.child(expected, 5);
        assert_eq!([parts.alike(inner, place), parts.alike(other, place)], [expected, place]);
        parts.root_mut(one).indexed = true;
        assert_eq!(parts.alike(inner, place), place);
    }

    #[test]
    fn a_part_is_found_again_among_many() {
        let mut parts = Parts::default();
        let root = parts.add_root(Owner::Function);
        let all: Vec<u32> = (0..100).map(|key| parts.child(root, key)).collect();
        assert!((0..100).all(|key| parts.child(root, key) == all[key as usize]));
    }
}
