//! Memory that only the shader's own invocation sees, part by part: variables, their members and their elements.

use super::index::{At, Call, Parameter, Part, Root, Table, Write};
use foldhash::HashMap;

/// How many parts of one are looked through before a map is asked.
const FEW: usize = 8;

/// Which part of another a part is: the number of a member or an element, or any element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key(u32);

impl Key {
    /// Any element: some index is not a constant.
    pub(super) const ANY: Self = Self(u32::MAX);

    /// The member or element with this number.
    #[inline]
    pub(super) fn of(number: u32) -> Self {
        Self(number)
    }

    /// The number of the member, if it is one of the first `count`.
    #[inline]
    pub(super) fn member(self, count: u32) -> Option<u32> {
        Some(self.0).filter(|number| *number < count)
    }
}

/// A variable, what a parameter points to, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct PartRecord {
    /// The part it is part of; `None` for a whole variable.
    parent: Option<Part>,
    root: Root,
    key: Key,
    pub(super) first_child: Option<Part>,
    pub(super) next_sibling: Option<Part>,
    /// The first of what may write to exactly this part.
    writes: Option<Write>,
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
    Parameter(Parameter),
}

/// What may write to a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writer {
    Inst(At),
    /// A call that is passed a pointer to it, as the argument with this number.
    Call {
        call: Call,
        argument: u32,
    },
}

/// One of those that may write to a part, and the next.
#[derive(Clone, Copy)]
struct WriteRecord {
    by: Writer,
    next: Option<Write>,
}

/// What is known of a whole variable.
#[derive(Clone, Copy)]
pub(super) struct RootRecord {
    /// All of it.
    pub(super) part: Part,
    pub(super) owner: Owner,
    /// Some index into it is not a constant.
    pub(super) indexed: bool,
    /// Something other than a load or a store of all of it uses its address.
    pub(super) addressed: bool,
}

/// All parts that anything points to.
#[derive(Default)]
pub(super) struct Parts {
    parts: Table<Part, PartRecord>,
    writes: Table<Write, WriteRecord>,
    roots: Table<Root, RootRecord>,
    /// Of parts of which there are many beside each other.
    children: HashMap<(Part, Key), Part>,
    /// What is still to be visited while something is marked.
    open: Vec<Part>,
}

impl Parts {
    /// Nothing yet, with room for as many parts.
    pub(super) fn with_room(parts: usize) -> Self {
        let (writes, open) = (Table::with_capacity(parts), Vec::with_capacity(FEW));
        Self { parts: Table::with_capacity(parts), writes, open, ..Self::default() }
    }

    /// Adds a whole variable.
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

    /// The part of `part` that has this key.
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
        // The last of those that are looked through is pushed out.
        let last = (1..FEW).try_fold(new, |one, _| self.parts[one].next_sibling);
        if let Some(last) = last {
            self.children.insert((part, self.parts[last].key), last);
        }
        new
    }

    /// The part that lies in `other` where `part` lies in its whole variable; all of `other`, where an index that is
    /// not a constant has made the keys of one differ from those of the other.
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

    /// Notes that `by` may write to `part`.
    pub(super) fn add_write(&mut self, part: Part, by: Writer) {
        let next = self.parts[part].writes;
        self.parts[part].writes = Some(self.writes.push(WriteRecord { by, next }));
    }

    /// What may write to exactly `part`.
    #[inline]
    pub(super) fn writers_of(&self, part: Part) -> impl Iterator<Item = Writer> {
        let first = self.parts[part].writes;
        let writes = std::iter::successors(first, |write| self.writes[*write].next);
        writes.map(|write| self.writes[write].by)
    }

    /// Whether nothing but `part` as a whole is ever pointed to.
    pub(super) fn is_undivided(&self, part: Part) -> bool {
        self.parts[part].first_child.is_none()
    }

    /// Notes that something live reads `part`, and calls `f` for whatever may have written what it reads: with the
    /// key of what is read, where more than that was written. `f` says whether it asks to be called for others beside.
    pub(super) fn read(&mut self, part: Part, mut f: impl FnMut(Writer, Option<Key>) -> bool) {
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

    /// Reads `part`, and says who is known to have written to it that was not known before.
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
