//! Decorations by what they decorate, groups resolved.

use crate::grammar::{BuiltIn, Decoration, Op};
use crate::inst::{Decorate, GroupDecorate, GroupMemberDecorate, Inst, MemberDecorate};
use crate::scan::Section;
use crate::{Id, Module};
use foldhash::{HashSet, HashSetExt};

/// Where the decorations are, sorted by what they decorate.
///
/// A group's members refer to the group, so that the list is as long as the annotations, not as groups times members.
#[derive(Clone, Debug)]
pub struct Decorations(Vec<Entry>);

/// Sorted by target, then by member (the target as a whole first), then in the order of the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Entry {
    target: Id,
    member: Option<u32>,
    at: u32,
    /// The group whose decorations apply; otherwise the instruction at `at` is the decoration.
    group: Option<Id>,
}

/// One decoration as it applies to an id or a member of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'m> {
    /// The member it applies to; `None` for the id as a whole.
    pub member: Option<u32>,
    /// Which decoration.
    pub decoration: Decoration,
    /// Its operands: literals, ids or a string.
    pub operands: &'m [u32],
    /// The instruction that says so; for members of a group the group's.
    pub inst: Inst<'m>,
    /// Whether it comes by way of a decoration group.
    pub by_group: bool,
}

impl Decorations {
    pub(crate) fn new(module: &Module<'_>) -> Self {
        let mut entries = Vec::new();
        for inst in module.section(Section::Annotations) {
            let at = inst.at();
            if let Some(decorate) = Decorate::of(inst) {
                entries.push(Entry { target: decorate.target(), member: None, at, group: None });
            } else if let Some(decorate) = MemberDecorate::of(inst) {
                let member = Some(decorate.member());
                entries.push(Entry { target: decorate.target(), member, at, group: None });
            } else if let Some(group) = GroupDecorate::of(inst) {
                let entry = |target| Entry { target, member: None, at, group: Some(group.group()) };
                entries.extend(group.targets().map(entry));
            } else if let Some(group) = GroupMemberDecorate::of(inst) {
                for pair in group.targets().chunks_exact(2) {
                    let target =
                        Id::new(pair[0]).expect("ids are checked when a module is scanned");
                    entries.push(Entry {
                        target,
                        member: Some(pair[1]),
                        at,
                        group: Some(group.group()),
                    });
                }
            }
        }
        // Producers write them nearly sorted, which the sort makes use of.
        entries.sort();
        // A target that a group lists twice is in it once.
        let group = |entry: &Entry| entry.group.map(|group| (entry.target, entry.member, group));
        let mut applied = HashSet::new();
        entries.retain(|entry| group(entry).is_none_or(|group| applied.insert(group)));
        Self(entries)
    }

    fn of(&self, target: Id) -> &[Entry] {
        let start = self.0.partition_point(|entry| entry.target < target);
        let count = self.0[start..].partition_point(|entry| entry.target == target);
        &self.0[start..start + count]
    }

    /// Those of `target` as a whole, or of one of its members.
    fn of_member(&self, target: Id, member: Option<u32>) -> &[Entry] {
        let key = |entry: &Entry| (entry.target, entry.member);
        let start = self.0.partition_point(|entry| key(entry) < (target, member));
        let count = self.0[start..].partition_point(|entry| key(entry) == (target, member));
        &self.0[start..start + count]
    }
}

impl Module<'_> {
    /// All decorations of `id` and of its members.
    pub fn decorations_of(&self, id: Id) -> impl Iterator<Item = Applied<'_>> {
        self.decorations().of(id).iter().flat_map(move |entry| self.applied_by(entry))
    }

    fn applied_by(&self, entry: &Entry) -> impl Iterator<Item = Applied<'_>> {
        let member = entry.member;
        let direct = entry.group.is_none().then(|| self.applied(entry.at, member, false));
        // A group that contains a group is invalid; it is not followed, so this ends.
        let group = entry.group.map_or(&[][..], |group| self.decorations().of(group));
        let of_group = group
            .iter()
            .filter(|inner| inner.group.is_none() && inner.member.is_none())
            .map(move |inner| self.applied(inner.at, member, true));
        direct.into_iter().chain(of_group).flatten()
    }

    fn applied(&self, at: u32, member: Option<u32>, by_group: bool) -> Option<Applied<'_>> {
        let inst = self.inst_at(at);
        let (decoration, operands) = match Decorate::of(inst) {
            Some(decorate) => (decorate.decoration(), decorate.operands()),
            None => MemberDecorate::of(inst)
                .map(|decorate| (decorate.decoration(), decorate.operands()))?,
        };
        Some(Applied { member, decoration, operands, inst, by_group })
    }

    /// Operands of `decoration` on `id` as a whole, if it has it.
    pub fn decoration(&self, id: Id, decoration: Decoration) -> Option<&[u32]> {
        self.find_decoration(self.decorations().of_member(id, None), decoration)
    }

    /// Operands of `decoration` on member `member` of the structure `id`, if it has it.
    pub fn member_decoration(&self, id: Id, member: u32, decoration: Decoration) -> Option<&[u32]> {
        self.find_decoration(self.decorations().of_member(id, Some(member)), decoration)
    }

    fn find_decoration(&self, entries: &[Entry], decoration: Decoration) -> Option<&[u32]> {
        let found = |applied: Applied<'_>| applied.decoration == decoration;
        entries
            .iter()
            .find_map(|entry| match entry.group {
                // Nearly all are direct (benchmark `corpus-cost`).
                None => self.applied(entry.at, entry.member, false).filter(|one| found(*one)),
                Some(_) => self.applied_by(entry).find(|one| found(*one)),
            })
            .map(|applied| applied.operands)
    }

    /// The built-in that the variable `id` is.
    pub fn builtin(&self, id: Id) -> Option<BuiltIn> {
        self.decoration(id, Decoration::BUILT_IN)?.first().map(|word| BuiltIn(*word))
    }

    /// The built-in that member `member` of the structure `id` is.
    pub fn member_builtin(&self, id: Id, member: u32) -> Option<BuiltIn> {
        self.member_decoration(id, member, Decoration::BUILT_IN)?.first().map(|word| BuiltIn(*word))
    }

    /// Whether `id` or one of its members is decorated.
    pub fn is_decorated(&self, id: Id) -> bool {
        !self.decorations().of(id).is_empty()
    }

    /// Offsets of every instruction that decorates exactly `id` or its members, and of the groups it is in.
    pub(crate) fn decoration_instructions(&self, id: Id) -> impl Iterator<Item = Inst<'_>> {
        self.decorations().of(id).iter().map(|entry| self.inst_at(entry.at))
    }

    /// Whether `op` is one of the instructions that attach decorations to a group's members.
    pub(crate) fn is_group_decorate(op: Op) -> bool {
        matches!(op, Op::GROUP_DECORATE | Op::GROUP_MEMBER_DECORATE)
    }
}
