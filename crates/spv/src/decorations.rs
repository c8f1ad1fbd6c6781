//! The decorations of each id, with groups resolved.

use crate::grammar::{BuiltIn, Decoration, Op};
use crate::inst::{Decorate, GroupDecorate, GroupMemberDecorate, Inst, MemberDecorate};
use crate::scan::Section;
use crate::{Id, Module};
use foldhash::{HashSet, HashSetExt};
use std::slice;

/// The decorations of a module, sorted by target.
///
/// An entry for a target of a group refers to the group. The memory is thus proportional to the annotations, not to
/// the number of groups times the number of targets.
#[derive(Clone, Debug)]
pub struct Decorations(Vec<Entry>);

/// An entry. Entries are sorted by target, then by member (the target as a whole first), then by position in the
/// module.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    at: u32,
    what: What,
}

/// A sort key: the target in the upper half; in the lower half, the member's number plus one, or 0 for the target as
/// a whole. A single number is fast to compare (benchmark `corpus-cost`).
type Key = u64;

fn key(target: Id, member: Option<u32>) -> Key {
    // The addition saturates only for member 2³² - 1, which no structure has: its instruction would be too long.
    u64::from(target.word()) << 32 | u64::from(member.map_or(0, |member| member.saturating_add(1)))
}

/// Either a decoration or the group that an entry refers to.
#[derive(Clone, Copy, Debug)]
enum What {
    /// The instruction has this decoration.
    Decoration(Decoration),
    /// The decorations of this group apply.
    Group(Id),
}

impl Entry {
    fn member(&self) -> Option<u32> {
        (self.key as u32).checked_sub(1)
    }
}

/// One decoration of an id or of a member of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'m> {
    /// The decorated member; `None` for the id as a whole.
    pub member: Option<u32>,
    /// The decoration.
    pub decoration: Decoration,
    /// The operands: literals, ids or a string.
    pub operands: &'m [u32],
    /// The instruction with the decoration. If it applies through a group, this is the instruction that decorates the
    /// group.
    pub inst: Inst<'m>,
    /// Whether the decoration applies through a decoration group.
    pub by_group: bool,
}

impl Decorations {
    pub(crate) fn new(module: &Module<'_>) -> Self {
        // Most annotations have four words.
        let mut entries = Vec::with_capacity(module.section_words(Section::Annotations) / 4);
        let mut has_groups = false;
        for inst in module.section(Section::Annotations) {
            let at = inst.at();
            if let Some(decorate) = Decorate::of(inst) {
                let what = What::Decoration(decorate.decoration());
                entries.push(Entry { key: key(decorate.target(), None), at, what });
            } else if let Some(decorate) = MemberDecorate::of(inst) {
                let key = key(decorate.target(), Some(decorate.member()));
                entries.push(Entry { key, at, what: What::Decoration(decorate.decoration()) });
            } else if let Some(group) = GroupDecorate::of(inst) {
                has_groups = true;
                let what = What::Group(group.group());
                entries.extend(group.targets().map(|target| Entry {
                    key: key(target, None),
                    at,
                    what,
                }));
            } else if let Some(group) = GroupMemberDecorate::of(inst) {
                has_groups = true;
                let what = What::Group(group.group());
                entries.extend(group.targets().chunks_exact(2).map(|pair| {
                    let target =
                        Id::new(pair[0]).expect("ids are checked when a module is scanned");
                    Entry { key: key(target, Some(pair[1])), at, what }
                }));
            }
        }
        // The sort must be stable. It is fast because producers write decorations in nearly sorted order.
        entries.sort_by_key(|entry| entry.key);
        if has_groups {
            // A group may list a target twice.
            let mut applied = HashSet::new();
            entries.retain(|entry| match entry.what {
                What::Decoration(_) => true,
                What::Group(group) => applied.insert((entry.key, group)),
            });
        }
        Self(entries)
    }

    /// The entries with keys from `first` to `last`. They are found lazily, because there may be thousands.
    fn within(&self, first: Key, last: Key) -> Within<'_> {
        let start = self.0.partition_point(|entry| entry.key < first);
        Within { entries: self.0[start..].iter(), last }
    }

    /// The entries of `target` and of its members.
    fn of(&self, target: Id) -> Within<'_> {
        let first = key(target, None);
        self.within(first, first | Key::from(u32::MAX))
    }

    /// The entries of `target` as a whole, or of one of its members.
    fn of_member(&self, target: Id, member: Option<u32>) -> Within<'_> {
        let key = key(target, member);
        self.within(key, key)
    }
}

/// Entries with keys up to `last`.
struct Within<'m> {
    entries: slice::Iter<'m, Entry>,
    last: Key,
}

impl<'m> Iterator for Within<'m> {
    type Item = &'m Entry;

    #[inline]
    fn next(&mut self) -> Option<&'m Entry> {
        self.entries.next().filter(|entry| entry.key <= self.last)
    }
}

/// The offset of the instruction with a decoration that applies; [`Applied`] adds the operands.
struct AppliedAt {
    at: u32,
    member: Option<u32>,
    decoration: Decoration,
    by_group: bool,
}

impl Module<'_> {
    /// All decorations of `id` and of its members.
    pub fn decorations_of(&self, id: Id) -> impl Iterator<Item = Applied<'_>> {
        self.find_applied(self.decorations().of(id)).map(|found| self.applied(found))
    }

    /// The decorations of `id` as a whole, or of its member `member`.
    pub fn decorations_of_member(
        &self,
        id: Id,
        member: Option<u32>,
    ) -> impl Iterator<Item = Applied<'_>> {
        self.find_applied(self.decorations().of_member(id, member)).map(|found| self.applied(found))
    }

    fn find_applied<'m>(&'m self, mut entries: Within<'m>) -> impl Iterator<Item = AppliedAt> {
        // The member that the current group applies to, and the remaining entries of the group.
        let mut group: (_, Option<Within<'_>>) = (None, None);
        std::iter::from_fn(move || {
            loop {
                // A group within a group is invalid. It is not followed, so the iterator always terminates.
                for entry in group.1.iter_mut().flatten() {
                    if let What::Decoration(decoration) = entry.what {
                        let (at, member) = (entry.at, group.0);
                        return Some(AppliedAt { at, member, decoration, by_group: true });
                    }
                }
                let entry = entries.next()?;
                let (at, member) = (entry.at, entry.member());
                match entry.what {
                    What::Decoration(decoration) => {
                        return Some(AppliedAt { at, member, decoration, by_group: false });
                    }
                    What::Group(id) => {
                        group = (member, Some(self.decorations().of_member(id, None)));
                    }
                }
            }
        })
    }

    fn applied(&self, found: AppliedAt) -> Applied<'_> {
        let AppliedAt { at, member, decoration, by_group } = found;
        let inst = self.inst_at(at);
        Applied { member, decoration, operands: operands(inst), inst, by_group }
    }

    /// The operands of `decoration` on `id` as a whole, if `id` has it.
    pub fn decoration(&self, id: Id, decoration: Decoration) -> Option<&[u32]> {
        self.find_decoration(self.decorations().of_member(id, None), decoration)
    }

    /// The operands of `decoration` on member `member` of the structure `id`, if the member has it.
    pub fn member_decoration(&self, id: Id, member: u32, decoration: Decoration) -> Option<&[u32]> {
        self.find_decoration(self.decorations().of_member(id, Some(member)), decoration)
    }

    fn find_decoration<'m>(&'m self, entries: Within<'m>, wanted: Decoration) -> Option<&'m [u32]> {
        let found = self.find_applied(entries).find(|found| found.decoration == wanted)?;
        Some(operands(self.inst_at(found.at)))
    }

    /// The built-in that the variable `id` is decorated with.
    pub fn builtin(&self, id: Id) -> Option<BuiltIn> {
        self.decoration(id, Decoration::BUILT_IN)?.first().map(|word| BuiltIn(*word))
    }

    /// The built-in that member `member` of the structure `id` is decorated with.
    pub fn member_builtin(&self, id: Id, member: u32) -> Option<BuiltIn> {
        self.member_decoration(id, member, Decoration::BUILT_IN)?.first().map(|word| BuiltIn(*word))
    }

    /// Whether `id` or one of its members is decorated.
    pub fn is_decorated(&self, id: Id) -> bool {
        self.decorations().of(id).next().is_some()
    }

    /// The instructions that decorate `id` or its members, or that add them to a group.
    pub(crate) fn decoration_instructions(&self, id: Id) -> impl Iterator<Item = Inst<'_>> {
        self.decorations().of(id).map(|entry| self.inst_at(entry.at))
    }

    /// Whether `op` applies the decorations of a group to targets.
    pub(crate) fn is_group_decorate(op: Op) -> bool {
        matches!(op, Op::GROUP_DECORATE | Op::GROUP_MEMBER_DECORATE)
    }
}

/// The operands of the decoration: the words after the target, the member number (if any) and the decoration.
fn operands(inst: Inst<'_>) -> &[u32] {
    match Decorate::of(inst) {
        Some(decorate) => decorate.operands(),
        None => MemberDecorate::of(inst).map_or(&[], MemberDecorate::operands),
    }
}
