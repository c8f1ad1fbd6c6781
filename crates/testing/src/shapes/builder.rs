//! Writes a vertex shader as words, section by section.

use crate::transformations::{push, text};
use polyshade::spv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use std::ops::Range;

pub(super) const INPUT: u32 = StorageClass::INPUT.0;
pub(super) const OUTPUT: u32 = StorageClass::OUTPUT.0;
pub(super) const PRIVATE: u32 = StorageClass::PRIVATE.0;
pub(super) const LOCATION: u32 = Decoration::LOCATION.0;

/// Ids that every shader here has.
pub(super) struct Ids {
    pub(super) void: u32,
    pub(super) float: u32,
    pub(super) uint: u32,
    vector: u32,
    pub(super) input_float: u32,
    pub(super) output_float: u32,
    pub(super) private_float: u32,
    /// The constants 0 of type `uint`, 1 of type `float`, and `true`.
    pub(super) zero: u32,
    pub(super) one: u32,
    pub(super) truth: u32,
    /// The constants 0 to 63 of type `uint`.
    pub(super) numbers: Vec<u32>,
    /// Variables: a `float` input and a `float` output at location 0, and the position.
    pub(super) input: u32,
    pub(super) output: u32,
    pub(super) position: u32,
    /// The label of `main`'s first block.
    pub(super) entry_block: u32,
    function_type: u32,
    pointer_function_type: u32,
    main: u32,
}

#[derive(Default)]
pub(super) struct Builder {
    bound: u32,
    interface: Vec<u32>,
    entry_points: Vec<String>,
    names: Vec<u32>,
    decorations: Vec<u32>,
    code: Vec<u32>,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self { bound: 1, entry_points: vec!["main".to_owned()], ..Self::default() }
    }

    pub(super) fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    pub(super) fn reserve(&mut self, count: u32) -> Range<u32> {
        self.bound += count;
        self.bound - count..self.bound
    }

    pub(super) fn reserve_ids<const N: usize>(&mut self) -> [u32; N] {
        std::array::from_fn(|_| self.id())
    }

    /// Reserves ids of interface variables.
    pub(super) fn reserve_interface<const N: usize>(&mut self) -> [u32; N] {
        let ids = self.reserve_ids();
        self.interface.extend(ids);
        ids
    }

    pub(super) fn join_interface(&mut self, id: u32) {
        self.interface.push(id);
    }

    pub(super) fn entry_point(&mut self, name: &str) {
        self.entry_points.push(name.to_owned());
    }

    pub(super) fn name(&mut self, id: u32, name: &str) {
        push(&mut self.names, Op::NAME, &[vec![id], text(name)].concat());
    }

    pub(super) fn member_name(&mut self, id: u32, member: u32, name: &str) {
        push(&mut self.names, Op::MEMBER_NAME, &[vec![id, member], text(name)].concat());
    }

    pub(super) fn decorate(&mut self, id: u32, decoration: &[u32]) {
        push(&mut self.decorations, Op::DECORATE, &[&[id], decoration].concat());
    }

    pub(super) fn decorate_member(&mut self, id: u32, member: u32, decoration: &[u32]) {
        push(&mut self.decorations, Op::MEMBER_DECORATE, &[&[id, member], decoration].concat());
    }

    pub(super) fn inst(&mut self, op: Op, operands: &[u32]) {
        push(&mut self.code, op, operands);
    }

    /// Appends an instruction with a result but without a type.
    pub(super) fn result(&mut self, op: Op, operands: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[id], operands].concat());
        id
    }

    /// Appends an instruction with a typed result.
    pub(super) fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[ty, id], operands].concat());
        id
    }

    pub(super) fn load(&mut self, ty: u32, pointer: u32) -> u32 {
        self.value(Op::LOAD, ty, &[pointer])
    }

    /// Appends a function that has neither parameters nor a result.
    pub(super) fn function(&mut self, ids: &Ids, function: u32, body: impl FnOnce(&mut Self)) {
        let label = self.id();
        self.inst(Op::FUNCTION, &[ids.void, function, 0, ids.function_type]);
        self.block(label, body);
    }

    /// Appends a function with a parameter that points to an output `float`.
    pub(super) fn function_of_pointer(
        &mut self,
        ids: &Ids,
        function: u32,
        body: impl FnOnce(&mut Self, u32),
    ) {
        let (parameter, label) = (self.id(), self.id());
        self.inst(Op::FUNCTION, &[ids.void, function, 0, ids.pointer_function_type]);
        self.inst(Op::FUNCTION_PARAMETER, &[ids.output_float, parameter]);
        self.block(label, |b| body(b, parameter));
    }

    /// Appends a function's only block, and the end of the function.
    fn block(&mut self, label: u32, body: impl FnOnce(&mut Self)) {
        self.inst(Op::LABEL, &[label]);
        body(self);
        self.inst(Op::RETURN, &[]);
        self.inst(Op::FUNCTION_END, &[]);
    }

    /// Returns the words of a shader with this body of `main`.
    pub(super) fn main(self, body: impl FnOnce(&mut Self, &Ids)) -> Vec<u32> {
        self.finish(|_, _| {}, body, |_, _| {})
    }

    /// Returns the words of a shader with other functions after `main`.
    pub(super) fn main_and(
        self,
        body: impl FnOnce(&mut Self, &Ids),
        functions: impl FnOnce(&mut Self, &Ids),
    ) -> Vec<u32> {
        self.finish(|_, _| {}, body, functions)
    }

    /// Returns the words of a shader with additional types, constants and variables.
    pub(super) fn with_globals(self, globals: impl FnOnce(&mut Self, &Ids)) -> Vec<u32> {
        self.finish(globals, |b, ids| b.inst(Op::STORE, &[ids.output, ids.one]), |_, _| {})
    }

    /// Returns the words of a shader with additional globals and this body of `main`.
    pub(super) fn with(
        self,
        globals: impl FnOnce(&mut Self, &Ids),
        body: impl FnOnce(&mut Self, &Ids),
    ) -> Vec<u32> {
        self.finish(globals, body, |_, _| {})
    }

    fn finish(
        mut self,
        globals: impl FnOnce(&mut Self, &Ids),
        body: impl FnOnce(&mut Self, &Ids),
        functions: impl FnOnce(&mut Self, &Ids),
    ) -> Vec<u32> {
        let ids = self.declarations();
        globals(&mut self, &ids);

        // The function `main` with its body, then the other functions.
        self.inst(Op::FUNCTION, &[ids.void, ids.main, 0, ids.function_type]);
        self.block(ids.entry_block, |b| {
            let vector = b.value(Op::COMPOSITE_CONSTRUCT, ids.vector, &[ids.one; 4]);
            b.inst(Op::STORE, &[ids.position, vector]);
            body(b, &ids);
        });
        functions(&mut self, &ids);

        // The header and the entry points.
        let mut words = vec![0x0723_0203, 0x1_0000, 0, self.bound, 0];
        push(&mut words, Op::CAPABILITY, &[Capability::SHADER.0]);
        push(&mut words, Op::MEMORY_MODEL, &[0, 1]);
        let interface =
            [&[ids.input, ids.output, ids.position], self.interface.as_slice()].concat();
        for name in &self.entry_points {
            let operands = [vec![0, ids.main], text(name), interface.clone()].concat();
            push(&mut words, Op::ENTRY_POINT, &operands);
        }
        [words, self.names, self.decorations, self.code].concat()
    }

    /// Emits the declarations that every shader here has.
    fn declarations(&mut self) -> Ids {
        // Names and decorations.
        let [main, entry_block, input, output, position] = self.reserve_ids();
        self.name(output, "v_output");
        self.name(position, "gl_Position");
        self.decorate(input, &[LOCATION, 0]);
        self.decorate(output, &[LOCATION, 0]);
        self.decorate(position, &[Decoration::BUILT_IN.0, BuiltIn::POSITION.0]);

        // Types, constants and variables.
        let void = self.result(Op::TYPE_VOID, &[]);
        let bool_type = self.result(Op::TYPE_BOOL, &[]);
        let float = self.result(Op::TYPE_FLOAT, &[32]);
        let uint = self.result(Op::TYPE_INT, &[32, 0]);
        let vector = self.result(Op::TYPE_VECTOR, &[float, 4]);
        let [input_float, output_float, private_float, output_vector] =
            [(INPUT, float), (OUTPUT, float), (PRIVATE, float), (OUTPUT, vector)]
                .map(|(class, ty)| self.result(Op::TYPE_POINTER, &[class, ty]));
        let numbers: Vec<u32> = (0..64).map(|n| self.value(Op::CONSTANT, uint, &[n])).collect();
        let one = self.value(Op::CONSTANT, float, &[1_f32.to_bits()]);
        let truth = self.value(Op::CONSTANT_TRUE, bool_type, &[]);
        let function_type = self.result(Op::TYPE_FUNCTION, &[void]);
        let pointer_function_type = self.result(Op::TYPE_FUNCTION, &[void, output_float]);
        self.inst(Op::VARIABLE, &[input_float, input, INPUT]);
        self.inst(Op::VARIABLE, &[output_float, output, OUTPUT]);
        self.inst(Op::VARIABLE, &[output_vector, position, OUTPUT]);
        let zero = numbers[0];
        Ids {
            void,
            float,
            uint,
            vector,
            input_float,
            output_float,
            private_float,
            zero,
            one,
            truth,
            numbers,
            input,
            output,
            position,
            entry_block,
            function_type,
            pointer_function_type,
            main,
        }
    }
}
