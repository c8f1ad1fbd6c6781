//! What a shader costs, as far as its text says.

use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Id, Module, Op, Section, StorageClass, Type, is_known};
use std::collections::HashMap;
use std::fmt;

/// What one variant costs.
///
/// Instructions are those of the functions that the entry point reaches, each counted once, whether or not a loop
/// repeats it.
#[derive(Clone, Copy, PartialEq, Hash, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost {
    /// Instructions that compute: arithmetic, conversions, comparisons, selections, and what takes values apart and
    /// puts them together.
    pub arithmetic: u32,
    /// Loads, stores, atomics, and the pointers that they need.
    pub memory: u32,
    /// Instructions on images.
    pub texture: u32,
    /// Branches, calls, returns, phis.
    pub control: u32,
    /// Bytes that a vertex reads from attributes or from the stage before. Built-ins are not counted.
    pub input_bytes: u64,
    /// Bytes that a vertex writes, built-ins included.
    pub output_bytes: u64,
}

impl Cost {
    /// All instructions.
    pub fn instructions(&self) -> u32 {
        self.arithmetic + self.memory + self.texture + self.control
    }
}

/// What a shader and its variants cost.
#[derive(Clone, Copy, PartialEq, Hash, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// The shader itself.
    pub original: Cost,
    /// The variant of the first run.
    pub position_only: Cost,
    /// The variant with the other outputs.
    pub complement: Cost,
}

/// From this share on, a shader's position is most of its work.
const MOST: f64 = 0.75;

impl Report {
    /// The share of the original's instructions that the first run repeats, where the second runs the full shader: from
    /// 0 to 1, or a little more where the variant needs code of its own.
    pub fn repeated(&self) -> f64 {
        share(self.position_only.instructions(), self.original.instructions())
    }

    /// Whether the shader gains little, as its position needs most of its work.
    pub fn gains_little(&self) -> bool {
        self.repeated() > MOST
    }
}

fn share(part: u32, of: u32) -> f64 {
    if of == 0 { 0.0 } else { f64::from(part) / f64::from(of) }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = [&self.original, &self.position_only, &self.complement];
        writeln!(f, "{:<24} {:>10} {:>14} {:>12}", "", "original", "position only", "complement")?;
        let mut row = |name: &str, of: fn(&Cost) -> u64| {
            let [original, position_only, complement] = columns.map(of);
            writeln!(f, "{name:<24} {original:>10} {position_only:>14} {complement:>12}")
        };
        row("instructions", |cost| cost.instructions().into())?;
        row("  arithmetic", |cost| cost.arithmetic.into())?;
        row("  memory", |cost| cost.memory.into())?;
        row("  texture", |cost| cost.texture.into())?;
        row("  control", |cost| cost.control.into())?;
        row("input, bytes a vertex", |cost| cost.input_bytes)?;
        row("output, bytes a vertex", |cost| cost.output_bytes)?;
        let percent = (self.repeated() * 100.0).round();
        writeln!(f, "the first run repeats {percent} % of the original")?;
        if self.gains_little() {
            writeln!(
                f,
                "the position needs most of the shader's work: a run for it alone gains little"
            )?;
        }
        Ok(())
    }
}

/// What `entry` costs as it is.
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
    let sizes = sizes(m);
    let mut seen = std::collections::HashSet::new();
    for id in entry.interface().filter(|id| seen.insert(*id)) {
        let Some((class, pointee)) = m.type_of(id).and_then(|ty| m.pointer(ty)) else { continue };
        let bytes = sizes.get(&pointee).copied().unwrap_or(0);
        match class {
            StorageClass::INPUT if !is_builtin(m, id, pointee) => {
                cost.input_bytes = cost.input_bytes.saturating_add(bytes);
            }
            StorageClass::OUTPUT => cost.output_bytes = cost.output_bytes.saturating_add(bytes),
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

/// The class of an instruction in a function; `None` for what no device executes.
fn class(op: Op) -> Option<Class> {
    match op {
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

/// The size of every type in bytes, without padding: nothing pads what goes from stage to stage.
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
