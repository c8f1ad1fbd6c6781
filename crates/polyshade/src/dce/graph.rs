//! Blocks, and the constructs that contain them in structured control flow.
//!
//! A *construct* is the body of a function, a selection or a loop: the blocks between a header and its merge block.
//! If nothing in a construct is live, the whole construct is removed, and its header branches to its merge block.

use super::index::{At, Block, Construct, Exit, Index, Table, all_of};
use super::kinds::{Kind, kind};
use polyshade_spv::view::{Branch, BranchConditional, LoopMerge, Merge};
use polyshade_spv::{Id, Module};

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRecord {
    pub(super) label: At,
    pub(super) merge: Option<At>,
    pub(super) terminator: At,
    /// The innermost construct that contains the block.
    pub(super) inside: Option<Construct>,
    pub(super) heads: Option<Construct>,
    /// The construct that this block is the merge block of, and the loop that it is the continue target of.
    merges: Option<Construct>,
    continues: Option<Construct>,
    /// The next block directly inside the same construct.
    pub(super) next: Option<Block>,
    /// The block's place in the order of the function's blocks.
    pub(super) order: Order,
}

/// The place of a block in an order of its function's blocks. In this order, the blocks of every construct are
/// contiguous.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Order(u32);

impl Order {
    /// Marks a block that no path from the entry reaches.
    pub(super) const UNREACHED: Self = Self(u32::MAX);
    /// Marks a block that the search has reached but not yet ordered.
    const SEEN: Self = Self(u32::MAX - 1);
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ConstructRecord {
    /// The construct around this one; `None` for the body of a function.
    pub(super) parent: Option<Construct>,
    /// The header block; `None` for the body of a function.
    pub(super) header: Option<Block>,
    pub(super) merge: Option<Block>,
    /// The first block directly inside the construct.
    pub(super) first: Option<Block>,
    /// The first loop directly inside the construct, and the next loop in the same parent.
    pub(super) loops: Option<Construct>,
    pub(super) next_loop: Option<Construct>,
    /// The first branch from a nested construct that leaves or continues this construct.
    pub(super) exits: Option<Exit>,
    /// The continue target of a loop; `None` for other constructs.
    pub(super) continue_target: Option<Block>,
    /// The places of the construct's blocks in the order. The header of a selection is not included.
    start: Order,
    end: Order,
    pub(super) live: bool,
}

impl ConstructRecord {
    /// Whether the block at this place is in the construct.
    pub(super) fn holds(&self, order: Order) -> bool {
        (self.start..self.end).contains(&order)
    }

    pub(super) fn is_loop(&self) -> bool {
        self.continue_target.is_some()
    }
}

/// The blocks and constructs of all visited functions.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) blocks: Table<Block, BlockRecord>,
    pub(super) constructs: Table<Construct, ConstructRecord>,
    /// Each branch that leaves a construct: its block, and the next branch that leaves the same construct.
    pub(super) exits: Table<Exit, (Block, Option<Exit>)>,
    scratch: Scratch,
}

/// Buffers for the search of one function; the next search reuses them.
#[derive(Default)]
struct Scratch {
    /// For each block of the function, the start of its successors in `targets`, followed by the end of the last
    /// block's successors.
    offsets: Vec<usize>,
    targets: Vec<Block>,
    /// The blocks in an order in which the blocks of every construct are contiguous.
    order: Vec<Block>,
    /// The blocks on the path to the current one, each with the number of the next step to take from it.
    path: Vec<(Block, usize)>,
}

impl Graph {
    /// Returns an empty graph with capacity for `blocks` blocks.
    pub(super) fn with_room(blocks: usize) -> Self {
        let constructs = Table::with_capacity(blocks);
        Self { blocks: Table::with_capacity(blocks), constructs, ..Self::default() }
    }

    pub(super) fn begin_block(&mut self, label: At) -> Block {
        self.blocks.push(BlockRecord {
            label,
            merge: None,
            terminator: label,
            inside: None,
            heads: None,
            merges: None,
            continues: None,
            next: None,
            order: Order::UNREACHED,
        })
    }

    fn construct(
        &mut self,
        parent: Option<Construct>,
        header: Option<Block>,
        start: Order,
    ) -> Construct {
        self.constructs.push(ConstructRecord {
            parent,
            header,
            merge: None,
            first: None,
            loops: None,
            next_loop: None,
            exits: None,
            continue_target: None,
            start,
            end: Order::UNREACHED,
            live: false,
        })
    }

    /// Finds the constructs of the function with the first block `first`. Returns the body of the function, and
    /// whether the control flow is structured. `block_of` maps a label to its block.
    ///
    /// If control flow is not structured, all blocks are directly inside the body, and no block heads a construct.
    pub(super) fn structure(
        &mut self,
        m: &Module<'_>,
        first: Block,
        block_of: impl Fn(Id) -> Option<Block>,
    ) -> (Construct, bool) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let body = self.construct(None, None, Order(0));
        scratch.find_targets(m, self.blocks.rows_from(first), &block_of);
        scratch.find_order(m, &mut self.blocks, first, &block_of);
        let structured =
            self.nest(m, &scratch, body, &block_of) && self.find_exits(&scratch, first, body);
        if !structured {
            self.flatten(first, body);
        }
        self.constructs[body].end = Order::UNREACHED;
        for block in all_of(first..self.blocks.next()).rev() {
            let inside = *self.blocks[block].inside.get_or_insert(body);
            self.blocks[block].next = self.constructs[inside].first.replace(block);
        }
        self.scratch = scratch;
        (body, structured)
    }

    /// Puts each block into the innermost construct that contains it. Returns `false` if constructs do not nest.
    fn nest(
        &mut self,
        m: &Module<'_>,
        scratch: &Scratch,
        body: Construct,
        block_of: &impl Fn(Id) -> Option<Block>,
    ) -> bool {
        let mut innermost = body;
        for (order, block) in scratch.order.iter().enumerate() {
            let (order, block) = (Order(order as u32), *block);
            while let ConstructRecord { merge: Some(merge), parent: Some(parent), .. } =
                self.constructs[innermost]
                && merge == block
            {
                self.constructs[innermost].end = order;
                innermost = parent;
            }
            // Reject a merge block of a construct that is not the innermost.
            let merges = self.blocks[block].merges;
            if merges.is_some_and(|merged| self.constructs[merged].end != order) {
                return false;
            }
            let inst = self.blocks[block].merge.map(|at| m.inst_at(at.word()));
            let Some(merge) = inst.and_then(Merge::of) else {
                self.blocks[block].inside = Some(innermost);
                continue;
            };
            let Some(target) = block_of(merge.merge_block()) else { return false };
            let is_loop = inst.and_then(LoopMerge::of);
            let start = Order(order.0 + u32::from(is_loop.is_none()));
            let construct = self.construct(Some(innermost), Some(block), start);
            let target_block = &mut self.blocks[target];
            if target_block.merges.is_some() || target_block.order <= order {
                return false;
            }
            target_block.merges = Some(construct);
            self.constructs[construct].merge = Some(target);
            self.blocks[block].heads = Some(construct);
            self.blocks[block].inside = Some(innermost);
            if let Some(merge) = is_loop {
                let Some(next) = block_of(merge.continue_target()) else { return false };
                self.constructs[construct].continue_target = Some(next);
                self.blocks[next].continues = Some(construct);
                self.blocks[block].inside = Some(construct);
                let beside = self.constructs[innermost].loops.replace(construct);
                self.constructs[construct].next_loop = beside;
            }
            innermost = construct;
        }
        innermost == body
    }

    /// Finds the branches that leave a construct to a block other than its merge block. Returns `false` for a branch
    /// that structured control flow does not allow.
    fn find_exits(&mut self, scratch: &Scratch, first: Block, body: Construct) -> bool {
        for block in &scratch.order {
            let BlockRecord { inside, heads, .. } = self.blocks[*block];
            let Some(from) = heads.or(inside) else { return false };
            for target in scratch.targets_of(*block, first) {
                match self.left_by(from, *target) {
                    Left::Nothing => {}
                    Left::Construct(left) if left == from || left == body => {}
                    Left::Construct(left) => {
                        let next = self.constructs[left].exits;
                        self.constructs[left].exits = Some(self.exits.push((*block, next)));
                    }
                    Left::Invalid => return false,
                }
            }
        }
        true
    }

    /// Returns the construct that a branch from directly inside `from` to `target` leaves or continues.
    fn left_by(&self, from: Construct, target: Block) -> Left {
        let BlockRecord { inside, heads, merges, continues, .. } = self.blocks[target];
        let around = |outer: &Construct| {
            let (outer, inner) = (&self.constructs[*outer], &self.constructs[from]);
            outer.start <= inner.start && inner.end <= outer.end
        };
        if let Some(merged) = merges.filter(around) {
            return Left::Construct(merged);
        }
        if let Some(continued) = continues.filter(|one| *one != from).filter(around) {
            return Left::Construct(continued);
        }
        // A loop contains its own header, which is entered from the parent and reached again from inside the loop.
        let entered = heads.filter(|_| heads == inside);
        let is_entered = entered.is_some_and(|one| self.constructs[one].parent == Some(from));
        if inside == Some(from) || is_entered {
            return Left::Nothing;
        }
        entered.filter(around).map_or(Left::Invalid, Left::Construct)
    }

    fn flatten(&mut self, first: Block, body: Construct) {
        self.constructs.truncate(Construct::new(body.number() + 1));
        self.constructs[body].exits = None;
        self.constructs[body].loops = None;
        for block in self.blocks.rows_from_mut(first) {
            (block.inside, block.heads) = (None, None);
        }
    }
}

/// The construct that a branch leaves or continues.
enum Left {
    /// The branch stays inside its construct.
    Nothing,
    /// The branch leaves or continues this construct.
    Construct(Construct),
    /// Structured control flow does not allow the branch.
    Invalid,
}

impl Scratch {
    fn find_targets(
        &mut self,
        m: &Module<'_>,
        blocks: &[BlockRecord],
        block_of: &impl Fn(Id) -> Option<Block>,
    ) {
        self.offsets.clear();
        self.targets.clear();
        for block in blocks {
            self.offsets.push(self.targets.len());
            let inst = m.inst_at(block.terminator.word());
            let mut add = |id| self.targets.extend(block_of(id));
            if let Some(branch) = Branch::of(inst) {
                add(branch.target());
            } else if let Some(branch) = BranchConditional::of(inst) {
                add(branch.if_true());
                add(branch.if_false());
            } else if kind(inst.op()) == Kind::Branch || kind(inst.op()) == Kind::Unknown {
                // The selector of a switch is not a label, so `add` ignores it.
                m.for_each_operand(inst, |_, id, _| add(id));
            }
        }
        self.offsets.push(self.targets.len());
    }

    /// Returns the successors of `block`. The first block of its function is `first`.
    fn targets_of(&self, block: Block, first: Block) -> &[Block] {
        let number = block.number() - first.number();
        &self.targets[self.offsets[number]..self.offsets[number + 1]]
    }

    /// Orders the blocks by a depth-first search that visits the merge block first and the continue target second. In
    /// reverse postorder, these two thus come last.
    fn find_order(
        &mut self,
        m: &Module<'_>,
        blocks: &mut Table<Block, BlockRecord>,
        first: Block,
        block_of: &impl Fn(Id) -> Option<Block>,
    ) {
        self.order.clear();
        if blocks.next() == first {
            return;
        }
        self.path.push((first, 0));
        blocks[first].order = Order::SEEN;
        // For each block, steps 0 and 1 visit its merge block and continue target, later steps its successors.
        while let Some((block, step)) = self.path.last().copied() {
            let inst = blocks[block].merge.map(|at| m.inst_at(at.word()));
            let next = match step {
                0 => inst.and_then(Merge::of).and_then(|merge| block_of(merge.merge_block())),
                1 => {
                    inst.and_then(LoopMerge::of).and_then(|merge| block_of(merge.continue_target()))
                }
                step => match self.targets_of(block, first).get(step - 2) {
                    Some(target) => Some(*target),
                    None => {
                        self.order.push(block);
                        self.path.pop();
                        continue;
                    }
                },
            };
            self.path.last_mut().expect("the path contains the current block").1 += 1;
            if let Some(next) = next.filter(|next| blocks[*next].order == Order::UNREACHED) {
                blocks[next].order = Order::SEEN;
                self.path.push((next, 0));
            }
        }
        // Reverse the postorder.
        self.order.reverse();
        for (order, block) in self.order.iter().enumerate() {
            blocks[*block].order = Order(order as u32);
        }
    }
}
