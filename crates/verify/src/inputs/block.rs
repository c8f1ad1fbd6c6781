//! The contents of a block: small numbers at the offsets of its members.

use super::RUNTIME_ELEMENTS;
use super::control_inputs::ControlUse;
use crate::constants::{self, Specialization};
use crate::random::Random;
use polyshade::Module;
use polyshade::spv::{Decoration, Id, Op, StorageClass, Type};

/// The largest block that is filled, in bytes.
const LARGEST: usize = 1 << 20;
/// The maximum nesting of types: SPIR-V's limit for structures (2.17).
const DEEPEST: u32 = 255;

/// Makes a block of type `ty`, filled with small numbers, or returns why that is impossible.
pub(crate) fn fill(
    m: &Module<'_>,
    ty: Id,
    specialization: &Specialization,
    integers: Integers,
    random: &mut Random,
) -> Result<Vec<u8>, String> {
    let mut block = Block { m, specialization, integers, random, last: 0, bytes: Vec::new() };
    block.part(ty, At { offset: 0, matrix_stride: 0, is_row_major: false, depth: DEEPEST })?;
    block.bytes.resize(block.bytes.len().next_multiple_of(16).max(16), 0);
    Ok(block.bytes)
}

/// The values that 32-bit integers get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Integers {
    Small,
    /// The bits of floats.
    Floats,
    /// Zero, which is small, and whose bits are not a denormal.
    Zero,
}

impl Integers {
    /// Returns values that are small for control inputs, and are not the bits of denormals.
    pub(crate) fn normal(control_use: ControlUse) -> Integers {
        match control_use {
            ControlUse { is_float: false, .. } => Integers::Small,
            ControlUse { controls: false, .. } => Integers::Floats,
            _ => Integers::Zero,
        }
    }
}

struct Block<'b, 'm> {
    m: &'b Module<'m>,
    specialization: &'b Specialization,
    integers: Integers,
    random: &'b mut Random,
    /// The previous number.
    last: u32,
    bytes: Vec<u8>,
}

/// The place of a part, the layout of its matrices, and the remaining nesting levels.
#[derive(Clone, Copy)]
struct At {
    offset: u32,
    matrix_stride: u32,
    is_row_major: bool,
    depth: u32,
}

impl Block<'_, '_> {
    fn part(&mut self, ty: Id, at: At) -> Result<(), String> {
        let at = At { depth: at.depth.checked_sub(1).ok_or("is nested too deeply")?, ..at };
        match self.m.ty(ty) {
            Some(Type::Struct { id }) => self.structure(id, at),
            Some(Type::Array { element, length }) => {
                let length = constants::value(self.m, length, self.specialization)
                    .ok_or("has an array whose length is not known")?;
                self.elements(ty, element, length, at)
            }
            Some(Type::Other(Op::TYPE_RUNTIME_ARRAY)) => {
                self.elements(ty, super::held(self.m, ty), RUNTIME_ELEMENTS, at)
            }
            Some(Type::Matrix { column, count }) => self.matrix(column, count, at),
            Some(Type::Vector { component, count }) => {
                let size = self.size(component)?;
                self.vector(component, count, at.offset, size)
            }
            Some(Type::Pointer { class: StorageClass::PHYSICAL_STORAGE_BUFFER, .. }) => {
                Err("holds a buffer's address".into())
            }
            _ => self.scalar(ty, at.offset),
        }
    }

    fn structure(&mut self, id: Id, at: At) -> Result<(), String> {
        for (member, ty) in (0..).zip(self.m.members(id)) {
            let literal = |kind| self.m.member_decoration(id, member, kind)?.first().copied();
            let own = literal(Decoration::OFFSET).ok_or("has a member without an offset")?;
            let offset = at.offset.saturating_add(own);
            let is_row_major =
                self.m.member_decoration(id, member, Decoration::ROW_MAJOR).is_some();
            let matrix_stride = literal(Decoration::MATRIX_STRIDE).unwrap_or(0);
            self.part(ty, At { offset, matrix_stride, is_row_major, ..at })?;
        }
        Ok(())
    }

    fn elements(&mut self, array: Id, element: Id, length: u32, at: At) -> Result<(), String> {
        let stride = self.m.decoration(array, Decoration::ARRAY_STRIDE);
        let stride = stride.and_then(|words| words.first().copied());
        let stride = stride.ok_or("has an array without a stride")?;
        for index in 0..length {
            let offset = at.offset.saturating_add(stride.saturating_mul(index));
            if offset as usize >= LARGEST {
                return Err(format!("has more than {LARGEST} bytes"));
            }
            self.part(element, At { offset, ..at })?;
        }
        Ok(())
    }

    fn matrix(&mut self, column: Id, count: u32, at: At) -> Result<(), String> {
        let Some(Type::Vector { component, count: rows }) = self.m.ty(column) else {
            return Err("has a matrix without columns".into());
        };
        if at.matrix_stride == 0 {
            return Err("has a matrix without a stride".into());
        }
        let (size, stride) = (self.size(component)?, at.matrix_stride);
        let [of_column, of_row] = if at.is_row_major { [size, stride] } else { [stride, size] };
        (0..count).try_for_each(|number| {
            let offset = at.offset.saturating_add(number.saturating_mul(of_column));
            self.vector(component, rows, offset, of_row)
        })
    }

    fn vector(&mut self, scalar: Id, count: u32, offset: u32, stride: u32) -> Result<(), String> {
        (0..count).try_for_each(|number| {
            self.scalar(scalar, offset.saturating_add(number.saturating_mul(stride)))
        })
    }

    fn size(&self, scalar: Id) -> Result<u32, String> {
        match self.m.ty(scalar) {
            Some(Type::Float { width } | Type::Int { width, .. }) => Ok(width / 8),
            _ => Err("is not made of numbers".into()),
        }
    }

    fn scalar(&mut self, ty: Id, offset: u32) -> Result<(), String> {
        // Some numbers are equal to the previous number.
        let number = if self.random.below(4) == 0 { self.last } else { self.random.below(5) };
        self.last = number;
        let zero = (self.random.below(16) == 0).then_some(-0.0);
        let float = self.random.colour().or(zero).unwrap_or(number as f32 - 1.0);
        let bytes = match self.m.ty(ty) {
            // From -1 to 3 as 16-bit floats.
            Some(Type::Float { width: 16 }) => {
                [0xbc00_u16, 0, 0x3c00, 0x4000, 0x4200][number as usize].to_ne_bytes().to_vec()
            }
            Some(Type::Float { width: 32 }) => float.to_ne_bytes().to_vec(),
            Some(Type::Float { width: 64 }) => f64::from(float).to_ne_bytes().to_vec(),
            Some(Type::Int { width: 8, .. }) => vec![number as u8 & 3],
            Some(Type::Int { width: 16, .. }) => (number as u16 & 3).to_ne_bytes().to_vec(),
            Some(Type::Int { width: 32, .. }) => {
                let bits = match self.integers {
                    Integers::Small => number & 3,
                    Integers::Floats => float.to_bits(),
                    Integers::Zero => 0,
                };
                bits.to_ne_bytes().to_vec()
            }
            Some(Type::Int { width: 64, .. }) => u64::from(number & 3).to_ne_bytes().to_vec(),
            _ => return Err("is not made of numbers".into()),
        };
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        if end > LARGEST {
            return Err(format!("has more than {LARGEST} bytes"));
        }
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[start..end].copy_from_slice(&bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polyshade_formats::{ShaderStage, SpirvVersion, compile};

    /// Returns the contents of a buffer with these members.
    fn filled(layout: &str, members: &str) -> Result<Vec<u8>, String> {
        let source = format!(
            "#version 450
            #extension GL_EXT_buffer_reference : require
            layout(buffer_reference) buffer Other {{ float f; }};
            layout({layout}, binding = 0) buffer B {{ {members} }} b;
            void main() {{ gl_Position = vec4(b.end); }}"
        );
        let words = compile(&source, ShaderStage::Vertex, SpirvVersion::SPIRV1_3);
        let words = words.unwrap_or_else(|error| panic!("{error}"));
        let module = Module::parse(&words).expect("glslang writes modules");
        let is_block = |id: &Id| module.name(*id).is_some_and(|name| name == "b");
        let block = module.variables().find(|one| is_block(&one.result())).expect("b is declared");
        let (_, ty) = module.pointer(block.pointer_type()).expect("a variable is a pointer");
        fill(&module, ty, &[], Integers::Small, &mut Random::new(7, 7))
    }

    /// Returns the indices of nonzero words. They are in members, but some words of members may also be zero.
    fn members(layout: &str, members: &str) -> Vec<usize> {
        let bytes = filled(layout, members).expect("it can be filled");
        let words = bytes.chunks_exact(4).enumerate();
        words.filter(|(_, word)| word.iter().any(|byte| *byte != 0)).map(|(at, _)| at).collect()
    }

    #[test]
    fn members_are_filled_where_they_lie_and_padding_is_not() {
        // A float, a gap, then an array of `vec3` with a stride of 16 bytes.
        let filled = members("std430", "float a; vec3 b[8]; float end;");
        assert!(
            filled.iter().all(|at| *at == 0 || *at == 36 || (4..36).contains(at) && at % 4 != 3)
        );
        assert!(filled.len() > 12, "{filled:?}");
        // Three rows of two components with a stride of 8 bytes. A column-major matrix would have two columns with a
        // stride of 16.
        let rows = members("std430, row_major", "mat2x3 m[8]; float end;");
        assert!(rows.iter().all(|at| *at <= 48), "{rows:?}");
        let columns = members("std430", "mat2x3 m[8]; float end;");
        assert!(columns.iter().all(|at| *at == 64 || at % 4 != 3), "{columns:?}");
    }

    #[test]
    fn arrays_without_a_length_have_elements() {
        let bytes = filled("std430", "float end; uint items[];").expect("it can be filled");
        assert_eq!(bytes.len(), (4 + 4 * RUNTIME_ELEMENTS as usize).next_multiple_of(16));
    }

    #[test]
    fn addresses_and_sizes_out_of_proportion_are_refused() {
        let address = filled("std430", "float end; Other other;");
        assert!(address.is_err_and(|why| why.contains("address")));
        let large = filled("std430", "float end; float items[0x100000];");
        assert!(large.is_err_and(|why| why.contains("bytes")));
    }
}
