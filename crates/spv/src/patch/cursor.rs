//! A cursor that emits instructions at a position.

use super::{Patch, Position};
use crate::Id;
use crate::grammar::{GlslOp, Op, StorageClass};
use std::iter::once;

/// Emits instructions one after the other at a position in a function.
#[derive(Debug)]
pub struct Cursor<'p, 'm, 'w> {
    /// The patch, through which the caller declares the types and constants that the code needs.
    pub p: &'p mut Patch<'m, 'w>,
    at: Position<'m>,
}

impl<'p, 'm, 'w> Cursor<'p, 'm, 'w> {
    pub(super) fn new(p: &'p mut Patch<'m, 'w>, at: Position<'m>) -> Self {
        Self { p, at }
    }

    /// Emits an instruction without a result.
    pub fn emit(&mut self, op: Op, operands: &[u32]) {
        self.p.insert(self.at, op, operands);
    }

    /// Emits an instruction with a result of type `ty`; `operands` are the other operands.
    pub fn value(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        self.value_with(op, ty, operands.iter().copied())
    }

    fn value_with(&mut self, op: Op, ty: Id, operands: impl Iterator<Item = u32>) -> Id {
        let id = self.p.id();
        self.p.insert_with(self.at, op, |words| {
            words.push(ty.word());
            words.push(id.word());
            words.extend(operands);
        });
        id
    }

    /// Emits an `OpLoad`.
    pub fn load(&mut self, ty: Id, pointer: Id) -> Id {
        self.value(Op::LOAD, ty, &[pointer.word()])
    }

    /// Emits an `OpStore`.
    pub fn store(&mut self, pointer: Id, object: Id) {
        self.emit(Op::STORE, &[pointer.word(), object.word()]);
    }

    /// Emits an `OpAccessChain`; without indices, returns the base.
    pub fn access_chain(&mut self, pointer_type: Id, base: Id, indices: &[Id]) -> Id {
        if indices.is_empty() {
            return base;
        }
        let operands = once(base).chain(indices.iter().copied()).map(Id::word);
        self.value_with(Op::ACCESS_CHAIN, pointer_type, operands)
    }

    /// Emits an `OpAccessChain` to the part of `base` at `path`. The part has type `ty`, and `class` is the storage
    /// class. With an empty path, returns the base.
    pub fn part(&mut self, class: StorageClass, ty: Id, base: Id, path: &[u32]) -> Id {
        let mut indices = std::mem::take(&mut self.p.queue.operands);
        indices.clear();
        indices.extend(path.iter().map(|index| self.p.uint_constant(*index).word()));
        let pointer = self.p.pointer(class, ty);
        let part = match path {
            [] => base,
            _ => {
                let operands = once(base.word()).chain(indices.iter().copied());
                self.value_with(Op::ACCESS_CHAIN, pointer, operands)
            }
        };
        self.p.queue.operands = indices;
        part
    }

    /// Emits an `OpCompositeExtract`; without indices, returns the composite.
    pub fn extract(&mut self, ty: Id, composite: Id, indices: &[u32]) -> Id {
        if indices.is_empty() {
            return composite;
        }
        let operands = once(composite.word()).chain(indices.iter().copied());
        self.value_with(Op::COMPOSITE_EXTRACT, ty, operands)
    }

    /// Emits an `OpCompositeConstruct`.
    pub fn construct(&mut self, ty: Id, constituents: &[Id]) -> Id {
        self.value_with(Op::COMPOSITE_CONSTRUCT, ty, constituents.iter().map(|id| id.word()))
    }

    /// Emits an `OpBitcast`.
    pub fn bitcast(&mut self, ty: Id, value: Id) -> Id {
        self.value(Op::BITCAST, ty, &[value.word()])
    }

    /// Emits an instruction with one result and two operands.
    pub fn binary(&mut self, op: Op, ty: Id, left: Id, right: Id) -> Id {
        self.value(op, ty, &[left.word(), right.word()])
    }

    /// Emits an `OpExtInst` of `GLSL.std.450`.
    pub fn glsl(&mut self, op: GlslOp, ty: Id, operands: &[Id]) -> Id {
        let set = self.p.import(GlslOp::SET);
        let operands = [set.word(), op.0].into_iter().chain(operands.iter().map(|id| id.word()));
        self.value_with(Op::EXT_INST, ty, operands)
    }

    /// Emits an `OpSelect`.
    pub fn select(&mut self, ty: Id, condition: Id, then: Id, otherwise: Id) -> Id {
        self.value(Op::SELECT, ty, &[condition.word(), then.word(), otherwise.word()])
    }

    /// Emits an `OpFunctionCall`.
    pub fn call(&mut self, return_type: Id, function: Id, arguments: &[Id]) -> Id {
        let operands = once(function).chain(arguments.iter().copied()).map(Id::word);
        self.value_with(Op::FUNCTION_CALL, return_type, operands)
    }

    /// Begins the function `id` with its first block, and returns its parameters.
    pub fn begin_function(&mut self, id: Id, return_type: Id, parameters: &[Id]) -> Vec<Id> {
        let function_type = self.p.function_type(return_type, parameters);
        self.emit(Op::FUNCTION, &[return_type.word(), id.word(), 0, function_type.word()]);
        let ids =
            parameters.iter().map(|ty| self.value(Op::FUNCTION_PARAMETER, *ty, &[])).collect();
        let label = self.p.id();
        self.emit(Op::LABEL, &[label.word()]);
        ids
    }

    /// Returns from the function, with `value` if there is one, and ends it.
    pub fn end_function(&mut self, value: Option<Id>) {
        match value {
            Some(value) => self.emit(Op::RETURN_VALUE, &[value.word()]),
            None => self.emit(Op::RETURN, &[]),
        }
        self.emit(Op::FUNCTION_END, &[]);
    }
}
