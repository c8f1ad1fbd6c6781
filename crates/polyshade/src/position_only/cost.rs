//! Static cost estimates of shaders.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use polyshade_spv::view::{AccessChain, EntryPoint};
use polyshade_spv::{BuiltIn, Id, Module, Op, Section, StorageClass, Type, is_known};
use std::collections::BTreeSet;

/// The static cost of one variant.
///
/// Counts are over all functions that the entry point reaches. Each instruction counts once, even inside a loop.
#[derive(Clone, Copy, PartialEq, Hash, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost {
    /// Instructions that compute: arithmetic, conversions, comparisons, selections, and the composition and
    /// extraction of values.
    pub arithmetic: u32,
    /// Loads, stores, atomics, and the pointers that they need.
    pub memory: u32,
    /// Image instructions.
    pub texture: u32,
    /// Branches, calls, returns and phis.
    pub control: u32,
    /// Bytes that a vertex reads from attributes or from the previous stage, without built-ins.
    pub input_bytes: u64,
    /// Bytes that a vertex writes, including built-ins.
    pub output_bytes: u64,
}

impl Cost {
    /// Returns the total number of instructions.
    pub fn instructions(&self) -> u32 {
        self.arithmetic + self.memory + self.texture + self.control
    }

    /// Returns the number of instructions divided by the number in `whole`: 0 to 1, or slightly more if a variant
    /// needs extra code. For a position-only variant and its original, this is the share of the work that is repeated
    /// if the second run draws the full shader. If it is close to 1, a separate position run gains little.
    pub fn share_of(&self, whole: &Self) -> f64 {
        match whole.instructions() {
            0 => 0.0,
            all => f64::from(self.instructions()) / f64::from(all),
        }
    }
}

/// Estimates the cost of `entry`.
pub fn cost(m: &Module<'_>, entry: EntryPoint<'_>) -> Cost {
    let mut cost = Cost::default();
    for body in m.reachable(entry.function()).into_iter().filter_map(|id| m.function(id)) {
        for inst in body.instructions() {
            match class(inst.op()) {
                Some(Class::Arithmetic) => cost.arithmetic += 1,
                Some(Class::Memory) => cost.memory += 1,
                Some(Class::Texture) => cost.texture += 1,
                Some(Class::Control) => cost.control += 1,
                None => {}
            }
        }
    }
    // Bytes of inputs and outputs. Skip repetitions: an interface may list a variable twice.
    let sizes = sizes(m);
    let mut seen = HashSet::new();
    for id in entry.interface().filter(|id| seen.insert(*id)) {
        let Some((class, pointee)) = m.type_of(id).and_then(|ty| m.pointer(ty)) else { continue };
        let bytes = sizes.get(&pointee).copied().unwrap_or(0);
        match class {
            StorageClass::INPUT if !is_builtin(m, id, pointee) => {
                cost.input_bytes = cost.input_bytes.saturating_add(bytes);
            }
            StorageClass::OUTPUT => {
                let bytes = written_bytes(m, &sizes, id, pointee).unwrap_or(bytes);
                cost.output_bytes = cost.output_bytes.saturating_add(bytes);
            }
            _ => {}
        }
    }
    cost
}

#[derive(Clone, Copy)]
enum Class {
    Arithmetic,
    Memory,
    Texture,
    Control,
}

/// Returns the class of an instruction in a function; `None` if devices do not execute it.
fn class(op: Op) -> Option<Class> {
    match op {
        // Declarations and structural instructions are free.
        Op::FUNCTION | Op::FUNCTION_PARAMETER | Op::FUNCTION_END | Op::LABEL => None,
        Op::LINE | Op::NO_LINE | Op::NOP | Op::UNDEF | Op::VARIABLE => None,
        Op::SELECTION_MERGE | Op::LOOP_MERGE => None,
        Op::PHI | Op::FUNCTION_CALL | Op::KILL | Op::TERMINATE_INVOCATION => Some(Class::Control),
        Op(op) if (Op::BRANCH.0..=Op::UNREACHABLE.0).contains(&op) => Some(Class::Control),
        Op::EMIT_VERTEX | Op::END_PRIMITIVE | Op::EMIT_STREAM_VERTEX | Op::END_STREAM_PRIMITIVE => {
            Some(Class::Control)
        }
        Op(op) if (Op::IMAGE_TEXEL_POINTER.0..=Op::ARRAY_LENGTH.0).contains(&op) => {
            Some(Class::Memory)
        }
        Op(op) if (Op::ATOMIC_LOAD.0..=Op::ATOMIC_XOR.0).contains(&op) => Some(Class::Memory),
        Op::IN_BOUNDS_PTR_ACCESS_CHAIN => Some(Class::Memory),
        Op(op) if (Op::SAMPLED_IMAGE.0..=Op::IMAGE_QUERY_SAMPLES.0).contains(&op) => {
            Some(Class::Texture)
        }
        Op(op)
            if (Op::IMAGE_SPARSE_SAMPLE_IMPLICIT_LOD.0..=Op::IMAGE_SPARSE_TEXELS_RESIDENT.0)
                .contains(&op) =>
        {
            Some(Class::Texture)
        }
        op => is_known(op).then_some(Class::Arithmetic),
    }
}

fn is_builtin(m: &Module<'_>, variable: Id, pointee: Id) -> bool {
    let block = m.innermost_element(pointee);
    let of_block = |builtin: Option<BuiltIn>| builtin.is_some();
    of_block(m.builtin(variable)) || of_block(m.member_builtin(block, 0))
}

/// Returns the size of those members of a block of built-in outputs that the shader writes. Front ends declare more
/// built-ins than a shader uses. Returns `None` for other blocks, or if a member is not accessed by a constant index.
fn written_bytes(
    m: &Module<'_>,
    sizes: &HashMap<Id, u64>,
    variable: Id,
    pointee: Id,
) -> Option<u64> {
    let block = m.innermost_element(pointee);
    m.member_builtin(block, 0)?;
    let depth = usize::from(block != pointee);
    let mut written = BTreeSet::new();
    for inst in m.code_uses_of(variable) {
        written.insert(m.constant(AccessChain::of(inst)?.indices().nth(depth)?)?);
    }
    let members = (0..).zip(m.members(block)).filter(|(member, _)| written.contains(member));
    let bytes = members.map(|(_, ty)| sizes.get(&ty).copied().unwrap_or(0));
    Some(bytes.fold(0, u64::saturating_add))
}

/// Returns the size of every type in bytes, without padding, because values between stages are not padded.
fn sizes(m: &Module<'_>) -> HashMap<Id, u64> {
    let mut sizes: HashMap<Id, u64> = HashMap::new();
    for inst in m.section(Section::Globals) {
        let Some(id) = inst.result() else { continue };
        let size = |id: &Id| sizes.get(id).copied().unwrap_or(0);
        let bytes = match m.ty(id) {
            Some(Type::Bool) => 4,
            Some(Type::Int { width, .. } | Type::Float { width }) => u64::from(width / 8),
            Some(Type::Vector { component, count }) => {
                size(&component).saturating_mul(count.into())
            }
            Some(Type::Matrix { column, count }) => size(&column).saturating_mul(count.into()),
            Some(Type::Array { element, length }) => {
                size(&element).saturating_mul(m.constant(length).unwrap_or(1).into())
            }
            Some(Type::Struct { id }) => {
                m.members(id).fold(0_u64, |sum, member| sum.saturating_add(size(&member)))
            }
            _ => continue,
        };
        sizes.insert(id, bytes);
    }
    sizes
}
