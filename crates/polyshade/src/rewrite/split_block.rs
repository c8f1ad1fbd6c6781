//! Splits an interface block into one variable per member, so that members can be added and removed.

use super::{is_per_vertex, member_locations};
use crate::code::{self, refuse, refuse_at};
use polyshade_spv::view::{AccessChain, EntryPoint, Variable};
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Op, Patch, StorageClass, Type, is_known};

/// A member of a block, and the variable that replaces it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitMember {
    /// The number of the member in the block.
    pub member: u32,
    /// The new variable.
    pub variable: Id,
}

/// Splits `block`, an input or output of `entry`, into one variable per member that is used. Unused members are
/// removed. For a per-vertex array of blocks, the new variables are arrays. Returns the variables in the order of the
/// members.
///
/// Each variable gets the decorations of its member and of the block, and the member's location.
///
/// # Errors
///
/// `Unsupported`: the block has an initializer, or is used by anything but access chains to its members; it is an
/// array, but not per-vertex; an unknown instruction may use it.
pub fn split_block<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    block: Id,
) -> Result<Vec<SplitMember>, Error> {
    let shape = Shape::of(m, block)?;
    // In an array that is not per-vertex, each element has all members, at consecutive locations, so the array cannot
    // be split.
    if shape.length.is_some() && !is_per_vertex(entry.model(), shape.variable.storage_class()) {
        return refuse(&code::BLOCK_ARRAYED, "an array of blocks cannot be split", block);
    }
    let chains = shape.chains(m, block)?;
    for chain in &chains {
        chain.check(m)?;
    }

    let locations = locations(m, block, shape.structure);
    let mut split = Vec::new();
    for ((member, ty), location) in (0..).zip(m.members(shape.structure)).zip(locations) {
        if chains.iter().all(|chain| chain.member != member) {
            continue;
        }
        let ty = match shape.length {
            Some(length) => p.declare(Op::TYPE_ARRAY, &[ty.word(), length.word()]),
            None => ty,
        };
        let variable = p.variable(shape.variable.storage_class(), ty, None);
        let name = m.member_name(shape.structure, member);
        p.name(variable, name.as_deref().unwrap_or("polyshade_member"));
        decorate(m, p, block, (shape.structure, member), variable);
        if let Some(location) = location {
            p.decorate(variable, Decoration::LOCATION, &[location]);
        }
        p.join_interface(entry, variable);
        split.push(SplitMember { member, variable });
    }

    for chain in &chains {
        let new = split.iter().find(|new| new.member == chain.member);
        chain.rewrite(m, p, new.expect("a used member became a variable").variable);
    }
    p.remove_definition(block);
    Ok(split)
}

/// A block, or an array of blocks.
struct Shape<'m> {
    variable: Variable<'m>,
    structure: Id,
    /// The length of the array, if it is one.
    length: Option<Id>,
}

impl<'m> Shape<'m> {
    fn of(m: &'m Module<'_>, block: Id) -> Result<Self, Error> {
        let variable = m.definition(block).and_then(Variable::of);
        let ty = variable.and_then(|variable| m.pointer(variable.pointer_type()));
        let (Some(variable), Some((_, ty))) = (variable, ty) else {
            return refuse(
                &code::INTERFACE_NOT_A_VARIABLE,
                "the id to split is not a variable",
                block,
            );
        };
        if variable.initializer().is_some() {
            return refuse(
                &code::BLOCK_INITIALIZER,
                "a block with an initialiser cannot be split",
                block,
            );
        }
        let (length, structure) = match m.ty(ty) {
            Some(Type::Array { element, length }) => (Some(length), element),
            _ => (None, ty),
        };
        match m.ty(structure) {
            Some(Type::Struct { .. }) => Ok(Self { variable, structure, length }),
            _ => {
                refuse(&code::BLOCK_NOT_A_STRUCTURE, "the variable to split is not a block", block)
            }
        }
    }

    /// Returns the access chains that use the block. Fails if anything else in a function uses it.
    fn chains(&self, m: &'m Module<'_>, block: Id) -> Result<Vec<Chain<'m>>, Error> {
        let members = m.members(self.structure).len() as u32;
        let uses = m.uses_of(block).filter(|inst| m.function_around(inst.at()).is_some());
        let chain = |inst: Inst<'m>| {
            let chain = AccessChain::of(inst).filter(|chain| chain.base() == block)?;
            let ptr = matches!(inst.op(), Op::PTR_ACCESS_CHAIN | Op::IN_BOUNDS_PTR_ACCESS_CHAIN);
            let indices: Vec<Id> = chain.indices().collect();
            let at = usize::from(self.length.is_some());
            let member = m.constant(*indices.get(at)?)?;
            (!ptr && member < members).then_some(Chain { inst, indices, at, member })
        };
        let chains = uses.map(|inst| {
            chain(inst).ok_or_else(|| {
                let message = "cannot split the block: it is used as a whole";
                Error::new(&code::BLOCK_USED_AS_A_WHOLE, message).about(block).at(inst.at())
            })
        });
        chains.collect()
    }
}

/// An access chain from the block to a member.
struct Chain<'m> {
    inst: Inst<'m>,
    indices: Vec<Id>,
    /// The position of the member's number among the indices of the chain.
    at: usize,
    member: u32,
}

impl<'m> Chain<'m> {
    fn result(&self) -> Id {
        self.inst.result().expect("an access chain has a result")
    }

    fn check(&self, m: &Module<'_>) -> Result<(), Error> {
        let unknown = || m.uses_of(self.result()).find(|inst| !is_known(inst.op()));
        match unknown().filter(|_| self.indices.len() == 1) {
            Some(inst) => {
                let message = "cannot split the block: an unknown instruction uses it";
                refuse_at(&code::SPIRV_UNKNOWN_INSTRUCTION, message, self.result(), inst)
            }
            None => Ok(()),
        }
    }

    /// Makes the chain start at `variable`. A chain without further indices is replaced with the variable.
    fn rewrite(&self, m: &'m Module<'_>, p: &mut Patch<'m, '_>, variable: Id) {
        let mut indices = self.indices.clone();
        indices.remove(self.at);
        if indices.is_empty() {
            let in_function = |inst: &Inst<'_>| m.function_around(inst.at()).is_some();
            for inst in m.uses_of(self.result()).filter(in_function) {
                if inst.op() == Op::EXT_INST {
                    p.replace_extended(inst, self.result(), variable);
                } else {
                    p.replace(inst, self.result(), variable);
                }
            }
            p.remove_definition(self.result());
            return;
        }
        let mut operands = self.inst.words()[1..4].to_vec();
        operands[2] = variable.word();
        operands.extend(indices.iter().map(|index| index.word()));
        p.remove(self.inst);
        p.insert(self.inst.after(), self.inst.op(), &operands);
    }
}

/// Copies the decorations of a member and of its block, except `Block` and `Location`. `Offset` makes transform
/// feedback capture an output, and has no effect on an input.
fn decorate<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    block: Id,
    (structure, member): (Id, u32),
    variable: Id,
) {
    let class = m.definition(block).and_then(Variable::of).map(|variable| variable.storage_class());
    let stays = |decoration| match decoration {
        Decoration::BLOCK | Decoration::LOCATION => false,
        Decoration::OFFSET => class == Some(StorageClass::OUTPUT),
        _ => true,
    };
    let of_member = m.decorations_of_member(structure, Some(member));
    let mut seen = Vec::new();
    for applied in of_member.chain(m.decorations_of(block)) {
        if stays(applied.decoration) && !seen.contains(&applied.decoration) {
            seen.push(applied.decoration);
            p.copy_decoration(variable, None, &applied);
        }
    }
}

/// Returns the location of each member: the one that it is decorated with, or the next after the previous member. The
/// location of built-ins is `None`.
fn locations(m: &Module<'_>, block: Id, structure: Id) -> Vec<Option<u32>> {
    let first = m.decoration(block, Decoration::LOCATION).and_then(|words| words.first().copied());
    let locations = member_locations(m, structure, first).map(|(member, _, taken)| {
        Some(taken?.start).filter(|_| m.member_builtin(structure, member).is_none())
    });
    locations.collect()
}
