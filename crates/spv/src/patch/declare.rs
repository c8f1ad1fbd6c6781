//! Declares types, constants and module-scope variables.

use super::Patch;
use crate::code;
use crate::grammar::{Capability, Grammar, Op, StorageClass};
use crate::types::is_shared;
use crate::{Decoration, Error, Id, Section};

impl Patch<'_, '_> {
    /// Returns the type or constant with opcode `op` and these operands, without the result id. If there is none,
    /// declares it directly after the last of its operands. Existing declarations with decorations are not reused;
    /// see [`declare_new`](Self::declare_new).
    pub fn declare(&mut self, op: Op, operands: &[u32]) -> Id {
        let key = self.module.declared().key(op, operands);
        if let Some(id) = self.queue.declared.find(&self.queue.pool, &key) {
            return id;
        }
        if let Some(inst) = self.module.declared().find(self.module, &key) {
            return inst.result().expect("types and constants have results");
        }
        assert!(is_shared(op), "{op:?} is neither a type nor a constant");
        // With `Kernel`, the signedness of `OpTypeInt` must be 0 (SPIR-V specification, 2.16.2).
        if op == Op::TYPE_INT && operands[1] != 0 && self.module.has_capability(Capability::KERNEL)
        {
            let message =
                "cannot declare a signed integer type: the module declares the capability Kernel";
            self.fail(Error::new(&code::SPIRV_KERNEL_SIGNEDNESS, message));
        }
        let start = self.queue.pool.len() as u32;
        let id = self.declare_new(op, operands);
        // No instruction was inserted if the limit is exceeded.
        if self.queue.pool.len() > start as usize {
            self.queue.declared.add(start, &key);
        }
        id
    }

    /// Declares a new type or (specialization) constant, even if an equal one exists. The caller can then decorate
    /// it.
    pub fn declare_new(&mut self, op: Op, operands: &[u32]) -> Id {
        let id = self.id();
        let mut words = std::mem::take(&mut self.queue.scratch);
        declaration(&mut words, op, operands, id.word());
        let position = self.behind_operands(&words);
        self.insert(position, op, &words[1..]);
        self.queue.scratch = words;
        // If the ids run out, all calls return the last id.
        if self.queue.declared_at.last().is_none_or(|(last, _)| *last < id) {
            self.queue.declared_at.push((id, position.order));
        }
        id
    }

    /// `void`.
    pub fn void(&mut self) -> Id {
        self.declare(Op::TYPE_VOID, &[])
    }

    /// `bool`.
    pub fn bool(&mut self) -> Id {
        self.declare(Op::TYPE_BOOL, &[])
    }

    /// The 32-bit unsigned integer type.
    pub fn uint(&mut self) -> Id {
        if let Some(uint) = self.uint {
            return uint;
        }
        let uint = self.declare(Op::TYPE_INT, &[32, 0]);
        self.uint = Some(uint);
        uint
    }

    /// The 32-bit signed integer type.
    pub fn int(&mut self) -> Id {
        self.declare(Op::TYPE_INT, &[32, 1])
    }

    /// The 32-bit float type.
    pub fn float(&mut self) -> Id {
        if let Some(float) = self.float {
            return float;
        }
        let float = self.declare(Op::TYPE_FLOAT, &[32]);
        self.float = Some(float);
        float
    }

    /// A vector type of `count` components.
    pub fn vector(&mut self, component: Id, count: u32) -> Id {
        self.declare(Op::TYPE_VECTOR, &[component.word(), count])
    }

    /// An array type of `length` elements, without a stride.
    pub fn array(&mut self, element: Id, length: u32) -> Id {
        let length = self.uint_constant(length);
        self.declare(Op::TYPE_ARRAY, &[element.word(), length.word()])
    }

    /// A pointer type to `pointee`, for use in functions and by added variables.
    pub fn pointer(&mut self, class: StorageClass, pointee: Id) -> Id {
        if let Some((last, id)) = self.last_pointer
            && last == (class, pointee)
        {
            return id;
        }
        let id = self.declare(Op::TYPE_POINTER, &[class.0, pointee.word()]);
        self.last_pointer = Some(((class, pointee), id));
        id
    }

    /// A pointer type to `pointee` that is declared before word `at`, where the caller uses it.
    pub fn pointer_before(&mut self, class: StorageClass, pointee: Id, at: u32) -> Id {
        self.declare_before(Op::TYPE_POINTER, &[class.0, pointee.word()], at)
    }

    /// [`declare`](Self::declare) for a use at word `at`, which follows the declarations of `operands`. If the
    /// existing declaration is after `at`, it is moved to directly after its operands.
    pub fn declare_before(&mut self, op: Op, operands: &[u32], at: u32) -> Id {
        let id = self.declare(op, operands);
        let Some(inst) = self.module.definition(id) else { return id };
        if inst.at() >= at && !self.queue.hoisted.contains(&id) {
            self.queue.hoisted.push(id);
            let mut words = Vec::new();
            declaration(&mut words, op, operands, 0);
            let position = self.behind_operands(&words);
            self.remove(inst);
            self.insert(position, op, &inst.words()[1..]);
        }
        id
    }

    /// A function type.
    pub fn function_type(&mut self, return_type: Id, parameters: &[Id]) -> Id {
        let mut operands = std::mem::take(&mut self.queue.operands);
        operands.clear();
        operands.push(return_type.word());
        operands.extend(parameters.iter().map(|parameter| parameter.word()));
        let ty = self.declare(Op::TYPE_FUNCTION, &operands);
        self.queue.operands = operands;
        ty
    }

    /// The `uint` constant `value`.
    pub fn uint_constant(&mut self, value: u32) -> Id {
        if let Some(Some(constant)) = self.small_constants.get(value as usize) {
            return *constant;
        }
        let uint = self.uint();
        let constant = self.declare(Op::CONSTANT, &[uint.word(), value]);
        if let Some(small) = self.small_constants.get_mut(value as usize) {
            *small = Some(constant);
        }
        constant
    }

    /// The `float` constant `value`.
    pub fn float_constant(&mut self, value: f32) -> Id {
        let float = self.float();
        self.declare(Op::CONSTANT, &[float.word(), value.to_bits()])
    }

    /// A composite constant of type `ty`.
    pub fn composite_constant(&mut self, ty: Id, constituents: &[Id]) -> Id {
        let mut operands = std::mem::take(&mut self.queue.operands);
        operands.clear();
        operands.push(ty.word());
        operands.extend(constituents.iter().map(|constituent| constituent.word()));
        let constant = self.declare(Op::CONSTANT_COMPOSITE, &operands);
        self.queue.operands = operands;
        constant
    }

    /// The null constant of type `ty`.
    pub fn null(&mut self, ty: Id) -> Id {
        self.declare(Op::CONSTANT_NULL, &[ty.word()])
    }

    /// Declares a `uint` specialization constant with the `SpecId` `number` and this default.
    pub fn spec_constant(&mut self, number: u32, default: u32) -> Id {
        let uint = self.uint();
        let id = self.declare_new(Op::SPEC_CONSTANT, &[uint.word(), default]);
        self.decorate(id, Decoration::SPEC_ID, &[number]);
        id
    }

    /// Declares a boolean specialization constant with the `SpecId` `number` and this default.
    pub fn spec_constant_bool(&mut self, number: u32, default: bool) -> Id {
        let bool = self.bool();
        let op = if default { Op::SPEC_CONSTANT_TRUE } else { Op::SPEC_CONSTANT_FALSE };
        let id = self.declare_new(op, &[bool.word()]);
        self.decorate(id, Decoration::SPEC_ID, &[number]);
        id
    }

    /// Declares a new structure with members of these types.
    pub fn structure(&mut self, members: &[Id]) -> Id {
        let operands: Vec<u32> = members.iter().map(|member| member.word()).collect();
        self.declare_new(Op::TYPE_STRUCT, &operands)
    }

    /// Declares a module-scope variable, after all types and constants. It is not added to any interface.
    pub fn variable(&mut self, class: StorageClass, ty: Id, initializer: Option<Id>) -> Id {
        let pointer = self.pointer(class, ty);
        let id = self.id();
        self.insert_with(self.end_of(Section::Globals), Op::VARIABLE, |words| {
            words.extend([pointer.word(), id.word(), class.0]);
            words.extend(initializer.map(Id::word));
        });
        id
    }

    /// Adds an `OpString`.
    pub fn string(&mut self, text: &str) -> Id {
        let id = self.id();
        self.insert_text(self.end_of(Section::Sources), Op::STRING, &[id.word()], text);
        id
    }
}

/// Sets `words` to the words after the first of a declaration with these operands and the result id `result`.
fn declaration(words: &mut Vec<u32>, op: Op, operands: &[u32], result: u32) {
    let result_word = Grammar::of(op).result_word().expect("types and constants have results");
    words.clear();
    words.push((operands.len() as u32 + 2) << 16 | u32::from(op.0));
    words.extend_from_slice(&operands[..result_word - 1]);
    words.push(result);
    words.extend_from_slice(&operands[result_word - 1..]);
}
