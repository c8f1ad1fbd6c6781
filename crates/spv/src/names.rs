//! Debug names.

use crate::inst::{MemberName, Name};
use crate::scan::Section;
use crate::{Id, Module};
use std::borrow::Cow;

/// The offsets of names, sorted by target and member.
#[derive(Clone, Debug)]
pub struct Names(Vec<(Id, Option<u32>, u32)>);

impl Names {
    pub(crate) fn new(module: &Module<'_>) -> Self {
        // Most names have at least four words.
        let mut names = Vec::with_capacity(module.section_words(Section::Names) / 4);
        names.extend(module.section(Section::Names).filter_map(|inst| {
            if let Some(name) = Name::of(inst) {
                return Some((name.target(), None, inst.at()));
            }
            MemberName::of(inst).map(|name| (name.target(), Some(name.member()), inst.at()))
        }));
        names.sort_unstable();
        Self(names)
    }

    fn first(&self, id: Id, member: Option<u32>) -> Option<u32> {
        let i = self.0.partition_point(|(target, number, _)| (*target, *number) < (id, member));
        self.0
            .get(i)
            .filter(|(target, number, _)| (*target, *number) == (id, member))
            .map(|(_, _, at)| *at)
    }

    /// The offsets of all names of `id` and its members.
    pub(crate) fn all_of(&self, id: Id) -> impl Iterator<Item = u32> {
        let start = self.0.partition_point(|(target, _, _)| *target < id);
        self.0[start..].iter().take_while(move |(target, _, _)| *target == id).map(|(_, _, at)| *at)
    }
}

impl Module<'_> {
    /// The debug name of `id`; `None` if the module is stripped, or the name is empty.
    pub fn name(&self, id: Id) -> Option<Cow<'_, str>> {
        let name = Name::of(self.inst_at(self.names().first(id, None)?))?.name();
        (!name.is_empty()).then_some(name)
    }

    /// The debug name of member `member` of the structure `id`.
    pub fn member_name(&self, id: Id, member: u32) -> Option<Cow<'_, str>> {
        let name = MemberName::of(self.inst_at(self.names().first(id, Some(member))?))?.name();
        (!name.is_empty()).then_some(name)
    }
}
