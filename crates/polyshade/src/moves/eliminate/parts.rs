//! Memory that only the shader's own invocation sees, part by part: variables, their members and their elements.

use std::collections::HashMap;

/// No part, no store.
pub(super) const NONE: u32 = u32::MAX;
/// The key of any element, where some index is not a constant.
pub(super) const ANY: u32 = u32::MAX;

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
    /// By part and key.
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
    /// Adds a whole variable.
    pub(super) fn add_root(&mut self, owner: Owner) -> u32 {
        let part = self.parts.len() as u32;
        self.add(NONE, self.roots.len() as u32, 0);
        self.roots.push(Root { part, owner, indexed: false, addressed: false });
        part
    }

    fn add(&mut self, parent: u32, root: u32, key: u32) {
        let (first_child, next_sibling, writes) = (NONE, NONE, NONE);
        let (whole, read) = (false, false);
        self.parts.push(Part { parent, root, key, first_child, next_sibling, writes, whole, read });
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
        if let Some(child) = self.children.get(&(part, key)) {
            return *child;
        }
        let child = self.parts.len() as u32;
        self.add(part, self.get(part).root, key);
        self.parts[child as usize].next_sibling = self.get(part).first_child;
        self.parts[part as usize].first_child = child;
        self.children.insert((part, key), child);
        child
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

    /// Notes that something live reads `part`, and calls `f` for whatever may have written what it reads.
    pub(super) fn read(&mut self, part: u32, mut f: impl FnMut(Write)) {
        let mut above = part;
        while above != NONE && !self.parts[above as usize].read {
            self.parts[above as usize].read = true;
            if !self.parts[above as usize].whole {
                self.writes_of(above).for_each(&mut f);
            }
            above = self.parts[above as usize].parent;
        }
        self.open.push(part);
        while let Some(part) = self.open.pop() {
            if std::mem::replace(&mut self.parts[part as usize].whole, true) {
                continue;
            }
            if !self.parts[part as usize].read {
                self.writes_of(part).for_each(&mut f);
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
        parts.read(part, |write| by.push(write.by));
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
}
