//! Blocks, and the constructs that structured control flow puts them in.
//!
//! A *construct* is a function's body, a selection or a loop: what stands between a header and its merge block. If
//! nothing in one is live, all of it goes, and its header branches to its merge block.

use super::kinds::{Kind, kind};
use polyshade_spv::view::{Branch, BranchConditional, LoopMerge, Merge};
use polyshade_spv::{Id, Module};

/// No block, no construct.
pub(super) const NONE: u32 = u32::MAX;

/// One block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Words at which its instructions begin: the label, the merge instruction (0 if there is none), the terminator.
    pub(super) label: u32,
    pub(super) merge: u32,
    pub(super) terminator: u32,
    /// The innermost construct that it stands in.
    pub(super) inside: u32,
    /// The construct that it heads.
    pub(super) heads: u32,
    /// The construct whose merge block it is, and the loop whose continue target it is.
    merges: u32,
    continues: u32,
    /// The next of the blocks that stand directly in the same construct.
    pub(super) next: u32,
    /// Its place among the function's blocks, in an order in which every construct is a run; `NONE` where no path
    /// leads to it.
    pub(super) order: u32,
}

/// One construct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Construct {
    /// The one around it; `NONE` for a body.
    pub(super) parent: u32,
    /// The block that heads it; `NONE` for a body.
    pub(super) header: u32,
    /// The block behind it.
    pub(super) merge: u32,
    /// The first of the blocks that stand directly in it.
    pub(super) first: u32,
    /// The first of the loops that stand directly in it, and the next of those around.
    pub(super) loops: u32,
    pub(super) next_loop: u32,
    /// The first of the branches that leave or continue it from inside of another: places in `Graph::exits`.
    pub(super) exits: u32,
    /// The continue target of a loop; `NONE` for others.
    pub(super) continue_target: u32,
    /// The orders of its blocks, the header of a selection left out.
    start: u32,
    end: u32,
    pub(super) live: bool,
}

impl Construct {
    /// Whether the block of this order stands in it.
    pub(super) fn holds(&self, order: u32) -> bool {
        (self.start..self.end).contains(&order)
    }

    pub(super) fn is_loop(&self) -> bool {
        self.continue_target != NONE
    }
}

/// The blocks and constructs of all functions that were walked through.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) blocks: Vec<Block>,
    pub(super) constructs: Vec<Construct>,
    /// A block that leaves a construct from inside of another, and the next such branch of the same construct.
    pub(super) exits: Vec<(u32, u32)>,
    scratch: Scratch,
}

/// What the search of one function needs, kept for the next.
#[derive(Default)]
struct Scratch {
    /// Where the successors of each block begin in `targets`; one more at the end.
    offsets: Vec<u32>,
    targets: Vec<u32>,
    /// Blocks in the order in which constructs are runs.
    order: Vec<u32>,
    path: Vec<(u32, u32)>,
}

impl Graph {
    /// Nothing yet, with room for as many blocks.
    pub(super) fn with_room(blocks: usize) -> Self {
        let constructs = Vec::with_capacity(blocks);
        Self { blocks: Vec::with_capacity(blocks), constructs, ..Self::default() }
    }

    /// Adds a block that begins at `label`.
    pub(super) fn begin_block(&mut self, label: u32) -> u32 {
        let (merge, terminator) = (0, label);
        let (inside, heads, merges, continues, next, order) = (NONE, NONE, NONE, NONE, NONE, NONE);
        self.blocks.push(Block {
            label,
            merge,
            terminator,
            inside,
            heads,
            merges,
            continues,
            next,
            order,
        });
        self.blocks.len() as u32 - 1
    }

    fn construct(&mut self, parent: u32, header: u32, start: u32) -> u32 {
        let (merge, first, exits, continue_target, end) = (NONE, NONE, NONE, NONE, NONE);
        let (loops, next_loop, live) = (NONE, NONE, false);
        self.constructs.push(Construct {
            parent,
            header,
            merge,
            first,
            loops,
            next_loop,
            exits,
            continue_target,
            start,
            end,
            live,
        });
        self.constructs.len() as u32 - 1
    }

    /// Finds the constructs of a function whose blocks are those from `first` on, and returns its body, and whether
    /// control flow is structured. `block_of` is the block that a label begins.
    ///
    /// Where it is not, every block stands directly in the body, and none heads a construct.
    pub(super) fn structure(
        &mut self,
        m: &Module<'_>,
        first: u32,
        block_of: impl Fn(Id) -> Option<u32>,
    ) -> (u32, bool) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let block_of = |id| block_of(id).filter(|block| *block >= first);
        let body = self.construct(NONE, NONE, 0);
        scratch.find_targets(m, &self.blocks[first as usize..], &block_of);
        scratch.find_order(m, &mut self.blocks, first, &block_of);
        let structured = self.nest(m, &scratch, first, body, &block_of)
            && self.find_exits(&scratch, first, body);
        if !structured {
            self.flatten(first, body);
        }
        self.constructs[body as usize].end = NONE;
        for block in (first..self.blocks.len() as u32).rev() {
            if self.blocks[block as usize].inside == NONE {
                self.blocks[block as usize].inside = body;
            }
            let inside = self.blocks[block as usize].inside as usize;
            self.blocks[block as usize].next = self.constructs[inside].first;
            self.constructs[inside].first = block;
        }
        self.scratch = scratch;
        (body, structured)
    }

    /// Puts each block into its construct; `false` where constructs do not nest.
    fn nest(
        &mut self,
        m: &Module<'_>,
        scratch: &Scratch,
        first: u32,
        body: u32,
        block_of: &impl Fn(Id) -> Option<u32>,
    ) -> bool {
        let mut innermost = body;
        for (order, block) in scratch.order.iter().enumerate() {
            let order = order as u32;
            while self.constructs[innermost as usize].merge == *block {
                self.constructs[innermost as usize].end = order;
                innermost = self.constructs[innermost as usize].parent;
            }
            // The merge block of a construct that is not the innermost one.
            let merges = self.blocks[*block as usize].merges;
            if merges != NONE && self.constructs[merges as usize].end != order {
                return false;
            }
            let inst = match self.blocks[*block as usize].merge {
                0 => None,
                at => Some(m.inst_at(at)),
            };
            let Some(merge) = inst.and_then(Merge::of) else {
                self.blocks[*block as usize].inside = innermost;
                continue;
            };
            let Some(target) = block_of(merge.merge_block()) else { return false };
            let is_loop = inst.and_then(LoopMerge::of);
            let start = if is_loop.is_some() { order } else { order + 1 };
            let construct = self.construct(innermost, *block, start);
            let target_block = &mut self.blocks[target as usize];
            if target_block.merges != NONE || target_block.order <= order || target < first {
                return false;
            }
            target_block.merges = construct;
            self.constructs[construct as usize].merge = target;
            self.blocks[*block as usize].heads = construct;
            self.blocks[*block as usize].inside = innermost;
            if let Some(merge) = is_loop {
                let Some(next) = block_of(merge.continue_target()) else { return false };
                self.constructs[construct as usize].continue_target = next;
                self.blocks[next as usize].continues = construct;
                self.blocks[*block as usize].inside = construct;
                self.constructs[construct as usize].next_loop =
                    self.constructs[innermost as usize].loops;
                self.constructs[innermost as usize].loops = construct;
            }
            innermost = construct;
        }
        innermost == body
    }

    /// Finds the branches that leave a construct for another block than its merge block; `false` for one that goes
    /// where none can.
    fn find_exits(&mut self, scratch: &Scratch, first: u32, body: u32) -> bool {
        for block in &scratch.order {
            let Block { inside, heads, .. } = self.blocks[*block as usize];
            let from = if heads != NONE { heads } else { inside };
            for target in scratch.targets_of(*block - first) {
                let Some(left) = self.left_by(from, *target) else { return false };
                if left != NONE && left != from && left != body {
                    let construct = &mut self.constructs[left as usize];
                    self.exits.push((*block, construct.exits));
                    construct.exits = self.exits.len() as u32 - 1;
                }
            }
        }
        true
    }

    /// The construct that a branch from directly inside of `from` to `target` leaves or continues; `NONE` if it stays;
    /// `None` if it goes where no branch can.
    fn left_by(&self, from: u32, target: u32) -> Option<u32> {
        let Block { inside, heads, merges, continues, .. } = self.blocks[target as usize];
        let around = |outer: u32| {
            let (outer, inner) =
                (&self.constructs[outer as usize], &self.constructs[from as usize]);
            outer.start <= inner.start && inner.end <= outer.end
        };
        if merges != NONE && around(merges) {
            return Some(merges);
        }
        if continues != NONE && continues != from && around(continues) {
            return Some(continues);
        }
        // A loop's header stands in its loop: it is entered from around, and returned to from inside.
        let is_loop = heads != NONE && heads == inside;
        let stays = inside == from || is_loop && self.constructs[heads as usize].parent == from;
        if stays { Some(NONE) } else { (is_loop && around(heads)).then_some(heads) }
    }

    /// Lets every block stand directly in the body.
    fn flatten(&mut self, first: u32, body: u32) {
        self.constructs.truncate(body as usize + 1);
        self.constructs[body as usize].exits = NONE;
        self.constructs[body as usize].loops = NONE;
        for block in &mut self.blocks[first as usize..] {
            (block.inside, block.heads) = (NONE, NONE);
        }
    }
}

impl Scratch {
    fn find_targets(
        &mut self,
        m: &Module<'_>,
        blocks: &[Block],
        block_of: &impl Fn(Id) -> Option<u32>,
    ) {
        self.offsets.clear();
        self.targets.clear();
        for block in blocks {
            self.offsets.push(self.targets.len() as u32);
            let inst = m.inst_at(block.terminator);
            let mut add = |id| self.targets.extend(block_of(id));
            if let Some(branch) = Branch::of(inst) {
                add(branch.target());
            } else if let Some(branch) = BranchConditional::of(inst) {
                add(branch.if_true());
                add(branch.if_false());
            } else if kind(inst.op()) == Kind::Branch || kind(inst.op()) == Kind::Unknown {
                // The selector of a switch is no label.
                m.for_each_operand(inst, |_, id, _| add(id));
            }
        }
        self.offsets.push(self.targets.len() as u32);
    }

    fn targets_of(&self, block: u32) -> &[u32] {
        let (start, end) = (self.offsets[block as usize], self.offsets[block as usize + 1]);
        &self.targets[start as usize..end as usize]
    }

    /// Searches depth first, merge block first and continue target second, so that in the reversed order of leaving
    /// they come last.
    fn find_order(
        &mut self,
        m: &Module<'_>,
        blocks: &mut [Block],
        first: u32,
        block_of: &impl Fn(Id) -> Option<u32>,
    ) {
        const SEEN: u32 = NONE - 1;
        self.order.clear();
        if blocks.len() as u32 == first {
            return;
        }
        self.path.push((first, 0));
        blocks[first as usize].order = SEEN;
        while let Some((block, step)) = self.path.last().copied() {
            let Block { merge, .. } = blocks[block as usize];
            let inst = (merge != 0).then(|| m.inst_at(merge));
            let next = match step {
                0 => inst.and_then(Merge::of).and_then(|merge| block_of(merge.merge_block())),
                1 => {
                    inst.and_then(LoopMerge::of).and_then(|merge| block_of(merge.continue_target()))
                }
                step => match self.targets_at(block - first, step - 2) {
                    Some(target) => Some(target),
                    None => {
                        self.order.push(block);
                        self.path.pop();
                        continue;
                    }
                },
            };
            self.path.last_mut().expect("it was just seen").1 += 1;
            if let Some(next) = next.filter(|next| blocks[*next as usize].order == NONE) {
                blocks[next as usize].order = SEEN;
                self.path.push((next, 0));
            }
        }
        self.order.reverse();
        for (order, block) in self.order.iter().enumerate() {
            blocks[*block as usize].order = order as u32;
        }
    }

    fn targets_at(&self, block: u32, number: u32) -> Option<u32> {
        self.targets_of(block).get(number as usize).copied()
    }
}
