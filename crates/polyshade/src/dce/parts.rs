//! Memory that only the invocation itself sees, divided into parts: variables, members and elements.

use super::index::{At, Call, Parameter, Part, Root, Table, Write};
use foldhash::HashMap;

/// The number of children of a part that are searched in a list; further children are in the map.
const FEW: usize = 8;

/// The place of a part in its parent: the number of a member or element, or any element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key(u32);

impl Key {
    /// Stands for any element, as the index is not a constant.
    pub(super) const ANY: Self = Self(u32::MAX);

    /// Returns the key of the member or element with this number.
    #[inline]
    pub(super) fn of(number: u32) -> Self {
        Self(number)
    }

    /// Returns the member's number, if it is below `count`.
    #[inline]
    pub(super) fn member(self, count: u32) -> Option<u32> {
        Some(self.0).filter(|number| *number < count)
    }
}

/// A variable, the pointee of a parameter, or a part of either.
#[derive(Clone, Copy)]
pub(super) struct PartRecord {
    /// The part that contains this one; `None` for a whole variable.
    parent: Option<Part>,
    root: Root,
    key: Key,
    pub(super) first_child: Option<Part>,
    pub(super) next_sibling: Option<Part>,
    /// The first write to exactly this part.
    writes: Option<Write>,
    /// Whether a live instruction reads all of this part, perhaps as part of something larger.
    whole: bool,
    /// Whether a live instruction reads this part or something inside it.
    read: bool,
    /// Whether every instruction that writes to this part is already live as a whole.
    settled: bool,
}

/// The owner of a whole variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// A variable of one function.
    Function,
    /// A global variable.
    Module,
    /// The pointee of a parameter.
    Parameter(Parameter),
}

/// An instruction that may write to a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writer {
    Inst(At),
    /// A call that passes a pointer to the part as the argument with this number.
    Call {
        call: Call,
        argument: u32,
    },
}

/// A possible write to a part, and the next write in the list.
#[derive(Clone, Copy)]
struct WriteRecord {
    by: Writer,
    next: Option<Write>,
}

/// Properties of a whole variable.
#[derive(Clone, Copy)]
pub(super) struct RootRecord {
    /// The whole variable as a part.
    pub(super) part: Part,
    pub(super) owner: Owner,
    /// Whether an index into the variable is not a constant.
    pub(super) indexed: bool,
    /// Whether the address is used by an instruction other than a load or a store of the whole variable.
    pub(super) addressed: bool,
}

/// All parts that pointers refer to.
#[derive(Default)]
pub(super) struct Parts {
    parts: Table<Part, PartRecord>,
    writes: Table<Write, WriteRecord>,
    roots: Table<Root, RootRecord>,
    /// Further children of parts with more than `FEW` children.
    children: HashMap<(Part, Key), Part>,
    /// Parts still to be visited during a read.
    open: Vec<Part>,
}

impl Parts {
    /// Returns empty tables with capacity for `parts` parts.
    pub(super) fn with_room(parts: usize) -> Self {
        let (writes, open) = (Table::with_capacity(parts), Vec::with_capacity(FEW));
        Self { parts: Table::with_capacity(parts), writes, open, ..Self::default() }
    }

    pub(super) fn add_root(&mut self, owner: Owner) -> Part {
        let (root, part) = (self.roots.next(), self.parts.next());
        self.roots.push(RootRecord { part, owner, indexed: false, addressed: false });
        self.add(None, root, Key::of(0))
    }

    fn add(&mut self, parent: Option<Part>, root: Root, key: Key) -> Part {
        self.parts.push(PartRecord {
            parent,
            root,
            key,
            first_child: None,
            next_sibling: None,
            writes: None,
            whole: false,
            read: false,
            settled: false,
        })
    }

    #[inline]
    pub(super) fn get(&self, part: Part) -> &PartRecord {
        &self.parts[part]
    }

    #[inline]
    pub(super) fn root(&self, part: Part) -> &RootRecord {
        &self.roots[self.parts[part].root]
    }

    #[inline]
    pub(super) fn root_mut(&mut self, part: Part) -> &mut RootRecord {
        &mut self.roots[self.parts[part].root]
    }

    /// Returns the child of `part` with the key `key`, and adds it if needed.
    pub(super) fn child(&mut self, part: Part, key: Key) -> Part {
        let (mut next, mut seen) = (self.parts[part].first_child, 0);
        while let Some(child) = next.filter(|_| seen < FEW) {
            let one = &self.parts[child];
            if one.key == key {
                return child;
            }
            (next, seen) = (one.next_sibling, seen + 1);
        }
        if seen == FEW
            && let Some(child) = self.children.get(&(part, key))
        {
            return *child;
        }
        let new = self.add(Some(part), self.parts[part].root, key);
        self.parts[new].next_sibling = self.parts[part].first_child.replace(new);
        // Add the child that is now after the first `FEW` in the list to the map.
        let last = (1..FEW).try_fold(new, |one, _| self.parts[one].next_sibling);
        if let Some(last) = last {
            self.children.insert((part, self.parts[last].key), last);
        }
        new
    }

    /// Returns the part of `other` at the place that `part` has in its own variable. If either variable is indexed by
    /// a value that is not a constant, the keys may differ, and all of `other` is returned.
    pub(super) fn corresponding(&mut self, part: Part, other: Part) -> Part {
        let root = *self.root(part);
        if root.indexed || self.root(other).indexed {
            return other;
        }
        let mut keys = Vec::new();
        let mut inner = part;
        while let PartRecord { parent: Some(parent), key, .. } = self.parts[inner] {
            keys.push(key);
            inner = parent;
        }
        keys.into_iter().rev().fold(other, |part, key| self.child(part, key))
    }

    /// Records that `by` may write to `part`.
    pub(super) fn add_write(&mut self, part: Part, by: Writer) {
        let next = self.parts[part].writes;
        self.parts[part].writes = Some(self.writes.push(WriteRecord { by, next }));
    }

    /// Returns the instructions that may write to exactly `part`.
    #[inline]
    pub(super) fn writers_of(&self, part: Part) -> impl Iterator<Item = Writer> {
        let first = self.parts[part].writes;
        let writes = std::iter::successors(first, |write| self.writes[*write].next);
        writes.map(|write| self.writes[write].by)
    }

    /// Whether all pointers into `part` point to it as a whole.
    pub(super) fn is_undivided(&self, part: Part) -> bool {
        self.parts[part].first_child.is_none()
    }

    /// Records that a live instruction reads `part`, and calls `f` for every instruction that may write to `part`. If
    /// the instruction writes a larger part, `f` gets the key of the read part within the larger part, and returns
    /// whether to call it again for reads of other keys.
    pub(super) fn read(&mut self, part: Part, mut f: impl FnMut(Writer, Option<Key>) -> bool) {
        // Writes to the parts around `part`, from the inside out.
        let mut inner = part;
        while !std::mem::replace(&mut self.parts[inner].read, true) {
            let PartRecord { parent: Some(above), key, .. } = self.parts[inner] else { break };
            let around = &self.parts[above];
            if !around.whole && !around.settled {
                let mut more = false;
                for by in self.writers_of(above) {
                    more |= f(by, Some(key));
                }
                self.parts[above].settled = !more;
            }
            inner = above;
        }
        // Writes to the part itself and to all parts inside it.
        self.open.push(part);
        while let Some(part) = self.open.pop() {
            if std::mem::replace(&mut self.parts[part].whole, true) {
                continue;
            }
            if !self.parts[part].settled {
                self.writers_of(part).for_each(|by| _ = f(by, None));
            }
            let mut next = self.parts[part].first_child;
            while let Some(child) = next {
                self.open.push(child);
                next = self.parts[child].next_sibling;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Owner, Parts, Writer};
    use crate::dce::index::{At, Index, Parameter, Part};

    /// Reads `part`, and returns the writers that were not reported before.
    fn read(parts: &mut Parts, part: Part) -> Vec<u32> {
        let mut by = Vec::new();
        parts.read(part, |write, _| {
            if let Writer::Inst(at) = write {
                by.push(at.word());
            }
            false
        });
        by.sort_unstable();
        by
    }

    #[test]
    fn reading_a_part_reads_what_is_around_and_inside_of_it_once() {
        let mut parts = Parts::default();
        let root = parts.add_root(Owner::Function);
        let (x, y) = (parts.child(root, Key::of(0)), parts.child(root, Key::of(1)));
        let inner = parts.child(x, Key::of(4));
        for (part, by) in [(root, 1), (x, 2), (y, 3), (inner, 4)] {
            parts.add_write(part, Writer::Inst(At::from_word(by)));
        }
        assert_eq!(parts.child(root, Key::of(1)), y);

        assert_eq!(read(&mut parts, x), [1, 2, 4]);
        assert_eq!(read(&mut parts, inner), []);
        assert_eq!(read(&mut parts, root), [3]);
        assert_eq!(read(&mut parts, root), []);
    }

    #[test]
    fn a_write_of_more_than_is_read_is_asked_for_each_part() {
        let mut parts = Parts::default();
        let root = parts.add_root(Owner::Function);
        let (x, y) = (parts.child(root, Key::of(0)), parts.child(root, Key::of(1)));
        parts.add_write(root, Writer::Inst(At::from_word(1)));
        let mut keys = Vec::new();
        for part in [x, y, x, root, y] {
            parts.read(part, |_, key| {
                keys.push(key);
                key.is_some()
            });
        }
        assert_eq!(keys, [Some(Key::of(0)), Some(Key::of(1)), None]);
    }

    #[test]
    fn a_part_of_one_variable_is_found_in_another() {
        let mut parts = Parts::default();
        let (one, other) =
            (parts.add_root(Owner::Function), parts.add_root(Owner::Parameter(Parameter::new(0))));
        let place = parts.child(one, Key::of(7));
        let part = parts.child(other, Key::of(2));
        let inner = parts.child(part, Key::of(5));
        let expected = parts.child(place, Key::of(2));
        let expected = parts.child(expected, Key::of(5));
        assert_eq!(
            [parts.corresponding(inner, place), parts.corresponding(other, place)],
            [expected, place]
        );
        parts.root_mut(one).indexed = true;
        assert_eq!(parts.corresponding(inner, place), place);
    }

    #[test]
    fn a_part_is_found_again_among_many() {
        let mut parts = Parts::default();
        let root = parts.add_root(Owner::Function);
        let all: Vec<Part> = (0..100).map(|key| parts.child(root, Key::of(key))).collect();
        assert!((0..100).all(|key| parts.child(root, Key::of(key)) == all[key as usize]));
    }
}
