//! Builds modules instruction by instruction, because assemblers refuse to write malformed modules.

use polyshade_spv::{Id, Module, Op};

pub(crate) const MAGIC: u32 = 0x0723_0203;

/// The words of a module under construction.
#[derive(Clone)]
pub(crate) struct Words(pub(crate) Vec<u32>);

impl Words {
    /// Creates the header of a module of SPIR-V 1.0.
    pub(crate) fn new(bound: u32) -> Self {
        Self(vec![MAGIC, 0x0001_0000, 0, bound, 0])
    }

    /// Appends an instruction and returns its word offset.
    pub(crate) fn inst(&mut self, op: Op, operands: &[u32]) -> usize {
        let at = self.0.len();
        self.0.push((operands.len() as u32 + 1) << 16 | u32::from(op.0));
        self.0.extend_from_slice(operands);
        at
    }

    /// Appends an instruction with a string among its operands.
    pub(crate) fn text(&mut self, op: Op, before: &[u32], text: &str, after: &[u32]) -> usize {
        let mut operands = before.to_vec();
        operands.extend(string(text));
        operands.extend_from_slice(after);
        self.inst(op, &operands)
    }

    /// Appends `void` (`%2`), a function type without parameters (`%3`), and an empty function (`%1`, block `%4`).
    pub(crate) fn empty_main(&mut self) {
        self.inst(Op::TYPE_VOID, &[2]);
        self.inst(Op::TYPE_FUNCTION, &[3, 2]);
        self.inst(Op::FUNCTION, &[2, 1, 0, 3]);
        self.inst(Op::LABEL, &[4]);
        self.inst(Op::RETURN, &[]);
        self.inst(Op::FUNCTION_END, &[]);
    }

    #[track_caller]
    pub(crate) fn parse(&self) -> Module<'_> {
        Module::parse(&self.0).expect("the module is well-formed")
    }
}

/// A vertex shader with an empty body: `%1` is its function, and all ids are below 5.
pub(crate) fn shader(bound: u32) -> Words {
    let mut words = Words::new(bound);
    words.inst(Op::CAPABILITY, &[1]);
    words.inst(Op::MEMORY_MODEL, &[0, 1]);
    words.text(Op::ENTRY_POINT, &[0, 1], "main", &[]);
    words.empty_main();
    words
}

/// The words of a string, with at least one zero byte at its end.
pub(crate) fn string(text: &str) -> Vec<u32> {
    let mut octets = text.as_bytes().to_vec();
    octets.resize((octets.len() / 4 + 1) * 4, 0);
    octets.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect()
}

pub(crate) fn id(word: u32) -> Id {
    Id::new(word).expect("tests name no id 0")
}

pub(crate) fn swapped(words: &[u32]) -> Vec<u32> {
    words.iter().map(|word| word.swap_bytes()).collect()
}

/// The instructions as pairs of opcode and operands.
pub(crate) fn listed<'m>(module: &'m Module<'_>) -> Vec<(Op, &'m [u32])> {
    module.instructions().map(|inst| (inst.op(), &inst.words()[1..])).collect()
}
