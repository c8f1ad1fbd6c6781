//! Finds the captures that `Offset` decorations on existing outputs can express.

use crate::rewrite;
use crate::transform_feedback::MAX_BUFFERS;
use crate::transform_feedback::decorated;
use crate::transform_feedback::layout::{Layout, Stored};
use crate::transform_feedback::leaves::{Leaf, leaves};
use crate::transform_feedback::outputs::{Outputs, Part};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use polyshade_spv::{Decoration, Id, Module, Patch, Type};

/// A variable, or a member of a block, that a decoration captures as a whole.
pub(super) struct Target {
    variable: Id,
    /// The block type and the number of the member.
    member: Option<(Id, u32)>,
    buffer: u32,
    /// In bytes.
    offset: u32,
}

/// A captured piece and its buffer.
#[derive(Clone, Copy)]
pub(super) struct InBuffer<'s> {
    pub(super) buffer: u32,
    pub(super) stored: &'s Stored,
}

/// Finds the outputs that one decoration can capture as requested. Returns these targets and the pieces that need
/// shadow outputs, sorted by buffer, then in the order of the options. Each output is a target at most once.
pub(super) fn find<'s>(
    m: &Module<'_>,
    outputs: &Outputs<'_>,
    layout: &Layout,
    stores: &'s [Vec<Stored>],
) -> (Vec<Target>, Vec<InBuffer<'s>>) {
    let all: Vec<InBuffer<'s>> = (0..)
        .zip(stores)
        .flat_map(|(buffer, stores)| stores.iter().map(move |stored| InBuffer { buffer, stored }))
        .collect();
    let captured: HashSet<Id> = all.iter().map(|one| one.stored.piece.leaf.part.variable).collect();
    let mut search = Search::new(m, &all);
    let mut targets = Vec::new();
    let is_captured = |part: &&Part| captured.contains(&part.variable);
    for part in outputs.all.iter().map(|output| &output.part).filter(is_captured) {
        // In a decorated array of blocks, the elements are captured into consecutive buffers.
        let mut first = None;
        for elements in blocks(m, part) {
            let target = search.target(layout, &elements, first);
            first = first.or(target.as_ref().map(|target| target.buffer));
            targets.extend(target);
        }
        targets.extend(search.target(layout, std::slice::from_ref(part), None));
    }
    let rest = all.iter().zip(&search.decorated).filter(|(_, decorated)| !**decorated);
    (targets, rest.map(|(one, _)| *one).collect())
}

/// Returns the parts of an array of blocks, grouped by member: each group has that member of every element. For any
/// other output, returns nothing.
fn blocks(m: &Module<'_>, output: &Part) -> Vec<Vec<Part>> {
    let Some(Type::Array { element, length }) = m.ty(output.ty) else { return Vec::new() };
    let count = m.constant(length).filter(|count| (1..=MAX_BUFFERS as u32).contains(count));
    let Some(count) = count.filter(|_| m.decoration(element, Decoration::BLOCK).is_some()) else {
        return Vec::new();
    };
    let members = (0..).zip(m.members(element));
    let of_each = |(member, ty)| {
        (0..count).map(|index| output.inside(index, element).inside(member, ty)).collect()
    };
    members.map(of_each).collect()
}

struct Search<'m, 's> {
    m: &'m Module<'m>,
    all: &'s [InBuffer<'s>],
    /// For each piece in `all`, whether a decoration captures it.
    decorated: Vec<bool>,
    /// The index in `all` of each piece that is a whole leaf, by part, buffer and offset.
    places: HashMap<(&'s Part, u32, u32), usize>,
    /// The indices in `all` of the pieces that are whole leaves, by part.
    wholes: HashMap<&'s Part, Vec<usize>>,
    /// Structures that are also used in explicitly laid out memory, which needs their `Offset` decorations.
    laid_out: HashSet<Id>,
    /// For each structure, the number of variables that have it as type or innermost element type.
    sharing: HashMap<Id, u32>,
    /// The cached results of `has_offsets`.
    offsets: HashMap<Id, bool>,
}

impl<'m, 's> Search<'m, 's> {
    fn new(m: &'m Module<'_>, all: &'s [InBuffer<'s>]) -> Self {
        let (mut places, mut wholes) = (HashMap::new(), HashMap::<_, Vec<usize>>::new());
        for (number, InBuffer { buffer, stored }) in all.iter().enumerate() {
            let piece = &stored.piece;
            if piece.first == 0 && piece.count == piece.leaf.count {
                let part = &piece.leaf.part;
                places.insert((part, *buffer, stored.word), number);
                wholes.entry(part).or_default().push(number);
            }
        }
        let mut sharing = HashMap::new();
        for variable in m.variables() {
            let Some((_, ty)) = m.pointer(variable.pointer_type()) else { continue };
            *sharing.entry(m.innermost_element(ty)).or_default() += 1;
        }
        Self {
            m,
            all,
            decorated: vec![false; all.len()],
            places,
            wholes,
            laid_out: rewrite::laid_out_types(m),
            sharing,
            offsets: HashMap::new(),
        }
    }

    /// Returns the target for `units`, if a decoration can capture them as requested. `units` is one part, or the same
    /// member of each element of an array of blocks. The elements need consecutive buffers; if `wanted` is set, it is
    /// the first of these buffers.
    fn target(&mut self, layout: &Layout, units: &[Part], wanted: Option<u32>) -> Option<Target> {
        let m = self.m;
        let unit = units.first()?;
        let member = self.member(unit).ok()?;
        // A part without leaves, or with components of an unsupported size, cannot be captured as a whole.
        let leaves: Vec<Vec<Leaf>> =
            units.iter().map(|unit| leaves(m, unit, "", None).ok()).collect::<Option<_>>()?;
        let first = leaves.first()?.first()?;
        if leaves.iter().any(|leaves| decorated::is_ambiguous(leaves)) {
            return None;
        }
        let wide = leaves.iter().flatten().any(|leaf| leaf.width == 2);
        let starts = self.wholes.get(&first.part)?.clone();
        for start in starts.into_iter().filter(|start| !self.decorated[*start]) {
            let InBuffer { buffer, stored } = self.all[start];
            let buffers = layout.buffers.get(buffer as usize..buffer as usize + units.len());
            let Some(buffers) = buffers.filter(|_| wanted.is_none_or(|wanted| wanted == buffer))
            else {
                continue;
            };
            let stride = buffers[0].stride;
            if wide && !(stored.word.is_multiple_of(2) && stride.is_multiple_of(8))
                || buffers.iter().any(|other| other.stride != stride)
            {
                continue;
            }
            if let Some(found) = self.find(&leaves, buffer, stored.word) {
                found.iter().for_each(|number| self.decorated[*number] = true);
                let offset = stored.word * 4;
                return Some(Target { variable: unit.variable, member, buffer, offset });
            }
        }
        None
    }

    /// Returns the indices of all leaves if each leaf is captured at the offset that a decoration would give it. Each
    /// unit is captured into the next buffer.
    fn find(&self, leaves: &[Vec<Leaf>], buffer: u32, word: u32) -> Option<Vec<usize>> {
        let placed = (buffer..).zip(leaves).flat_map(|(buffer, leaves)| {
            let placed = decorated::place(leaves.clone(), word).into_iter();
            placed.map(move |(piece, word)| (piece, buffer, word))
        });
        placed
            .map(|(piece, buffer, word)| {
                self.places.get(&(&piece.leaf.part, buffer, word)).copied()
            })
            .collect()
    }

    /// Returns the block and member number if `unit` is a block member. Fails if the decoration would also affect
    /// something else.
    fn member(&mut self, unit: &Part) -> Result<Option<(Id, u32)>, NotAlone> {
        let m = self.m;
        let pointee = m.pointee(unit.variable).ok_or(NotAlone)?;
        let structure = m.innermost_element(unit.ty);
        let block = m.innermost_element(pointee);
        let alone = match unit.path.as_slice() {
            // In a block, the members are decorated, not the block itself. The structure's own offsets are removed
            // earlier.
            [] => {
                let is_block = m.decoration(structure, Decoration::BLOCK).is_some();
                let mut members = m.members(structure).map(|member| m.innermost_element(member));
                let stays = self.laid_out.contains(&structure);
                !is_block && !stays && !members.any(|member| self.has_offsets(member))
            }
            [_] | [_, _] => {
                let shared = self.sharing.get(&block).is_none_or(|count| *count > 1);
                !shared && !self.laid_out.contains(&block) && !self.has_offsets(structure)
            }
            _ => false,
        };
        match alone {
            true => Ok(unit.path.last().map(|member| (block, *member))),
            false => Err(NotAlone),
        }
    }

    /// Whether `ty` is or contains a structure with member offsets. A driver may mistake them for transform feedback
    /// offsets.
    fn has_offsets(&mut self, ty: Id) -> bool {
        let m = self.m;
        if let Some(known) = self.offsets.get(&ty) {
            return *known;
        }
        let (mut open, mut seen) = (vec![ty], HashSet::new());
        let mut found = false;
        while let Some(structure) = open.pop().filter(|_| !found) {
            if !matches!(m.ty(structure), Some(Type::Struct { .. })) || !seen.insert(structure) {
                continue;
            }
            let mut decorations = m.decorations_of(structure);
            found = self.laid_out.contains(&structure)
                || decorations.any(|applied| applied.decoration == Decoration::OFFSET);
            open.extend(m.members(structure).map(|member| m.innermost_element(member)));
        }
        self.offsets.insert(ty, found);
        found
    }
}

/// The error for a decoration that would also apply to another variable, or that already has another meaning on the
/// type.
struct NotAlone;

/// Decorates the targets. If all targets of a variable use the same buffer, `XfbBuffer` and `XfbStride` decorate the
/// variable, as in compiler output. Otherwise they decorate each member.
pub(super) fn decorate(p: &mut Patch<'_, '_>, layout: &Layout, targets: &[Target]) {
    let stride = |target: &Target| layout.buffers[target.buffer as usize].stride;
    for targets in targets.chunk_by(|one, other| one.variable == other.variable) {
        let first = &targets[0];
        let one_buffer = targets.iter().all(|target| target.buffer == first.buffer);
        if one_buffer {
            p.decorate(first.variable, Decoration::XFB_BUFFER, &[first.buffer]);
            p.decorate(first.variable, Decoration::XFB_STRIDE, &[stride(first)]);
        }
        for target in targets {
            let Some((block, member)) = target.member else {
                p.decorate(target.variable, Decoration::OFFSET, &[target.offset]);
                continue;
            };
            p.decorate_member(block, member, Decoration::OFFSET, &[target.offset]);
            if !one_buffer {
                p.decorate_member(block, member, Decoration::XFB_BUFFER, &[target.buffer]);
                p.decorate_member(block, member, Decoration::XFB_STRIDE, &[stride(target)]);
            }
        }
    }
}
