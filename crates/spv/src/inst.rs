//! Instructions: handles that borrow their version of a module, and views with named operands.

use crate::grammar::{
    Capability, Decoration, ExecutionMode, ExecutionModel, Grammar, Op, StorageClass,
};
use crate::patch::Patch;
use crate::{Id, text};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Ties a handle to one version of a module. The lifetime is invariant: if it were covariant, a handle of a version
/// that lives longer would be accepted where a handle of this version is expected.
pub(crate) type Version<'m> = PhantomData<fn(&'m ()) -> &'m ()>;

/// One instruction of one version of a module.
///
/// A patch accepts only instructions of the version that it edits. This does not compile:
///
/// ```compile_fail,E0521
/// # let words = [0x0723_0203, 0x1_0000, 0, 1, 0, 0x3_000e, 0, 1];
/// # use polyshade_spv::Module;
/// let first = Module::parse(&words)?;
/// let old = first.instructions().next().expect("there is one");
/// let second = first.rewrite(|_, p| Ok(p.extension("SPV_KHR_multiview")))?.module;
/// second.rewrite(|_, p| Ok(p.remove(old)))?;
/// # Ok::<(), polyshade_spv::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Inst<'m> {
    words: &'m [u32],
    at: u32,
    version: Version<'m>,
}

/// One operand of an instruction in one version of a module: a word that can be overwritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand<'m> {
    inst: u32,
    word: u32,
    version: Version<'m>,
}

impl Operand<'_> {
    /// The offset of the word from the start of the module, in words.
    pub fn at(self) -> u32 {
        self.inst + self.word
    }

    /// The index of the word in its instruction; word 0 holds the word count and the opcode.
    pub fn word(self) -> usize {
        self.word as usize
    }
}

impl<'m> Inst<'m> {
    /// The instruction that starts at word `at` of a scanned module.
    #[inline]
    pub(crate) fn at_word(module: &'m [u32], at: u32) -> Self {
        let count = (module[at as usize] >> 16) as usize;
        Self { words: &module[at as usize..at as usize + count], at, version: PhantomData }
    }

    /// The opcode.
    #[inline]
    pub fn op(self) -> Op {
        Op(self.words[0] as u16)
    }

    /// The offset of the first word from the start of the module, in words.
    #[inline]
    pub fn at(self) -> u32 {
        self.at
    }

    /// The offset of the word after the last one.
    #[inline]
    pub fn end(self) -> u32 {
        self.at + self.words.len() as u32
    }

    /// All words, including the first one, which holds the word count and the opcode.
    #[inline]
    pub fn words(self) -> &'m [u32] {
        self.words
    }

    /// The operand in word `word`; word 0 holds the word count and the opcode.
    ///
    /// # Panics
    ///
    /// If the instruction has no such operand.
    #[inline]
    pub fn operand(self, word: usize) -> Operand<'m> {
        assert!((1..self.words.len()).contains(&word), "{self:?} has no operand in word {word}");
        Operand { inst: self.at, word: word as u32, version: PhantomData }
    }

    /// The result id.
    #[inline]
    pub fn result(self) -> Option<Id> {
        Grammar::of(self.op()).result_word().and_then(|word| Id::new(self.words[word]))
    }

    /// The result type.
    #[inline]
    pub fn result_type(self) -> Option<Id> {
        if Grammar::of(self.op()).has_type() { Id::new(self.words[1]) } else { None }
    }

    #[inline]
    pub(crate) fn id_at(self, word: usize) -> Id {
        Id::new(self.words[word])
            .expect("ids of known operands are checked when a module is scanned")
    }

    #[inline]
    pub(crate) fn ids_from(
        self,
        word: usize,
    ) -> impl ExactSizeIterator<Item = Id> + DoubleEndedIterator + 'm {
        let words = self.words.get(word..).unwrap_or_default();
        words.iter().map(|word| {
            Id::new(*word).expect("ids of known operands are checked when a module is scanned")
        })
    }
}

impl fmt::Debug for Inst<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at word {:#x}: {:x?}", self.op(), self.at, &self.words[1..])
    }
}

macro_rules! views {
    ($($(#[$doc:meta])* $view:ident = $($op:ident)|+ {$(
        $(#[$field_doc:meta])* $field:ident: $kind:ident @ $word:literal $(, $setter:ident)?;
    )*})*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $view<'m>(Inst<'m>);

        impl<'m> $view<'m> {
            /// Returns the view of `inst`, if its opcode matches.
            #[inline]
            pub fn of(inst: Inst<'m>) -> Option<Self> {
                matches!(inst.op(), $(Op::$op)|+).then_some(Self(inst))
            }

            /// The instruction.
            #[inline]
            pub fn inst(self) -> Inst<'m> {
                self.0
            }

            $(
                views!{@ $(#[$field_doc])* $field $kind $word}
                $(views!{= $setter $kind $word})?
            )*
        }
    )*};
    (= $setter:ident id $word:literal) => {
        /// Replaces this operand.
        pub fn $setter(self, p: &mut Patch<'m, '_>, id: Id) { p.overwrite(self.0.operand($word), id.word()); }
    };
    (= $setter:ident word $word:literal) => {
        /// Replaces this operand.
        pub fn $setter(self, p: &mut Patch<'m, '_>, word: u32) { p.overwrite(self.0.operand($word), word); }
    };
    (= $setter:ident $set:ident $word:literal) => {
        /// Replaces this operand.
        pub fn $setter(self, p: &mut Patch<'m, '_>, value: $set) { p.overwrite(self.0.operand($word), value.0); }
    };
    (@ $(#[$doc:meta])* $field:ident id $word:literal) => {
        $(#[$doc])* #[inline] pub fn $field(self) -> Id { self.0.id_at($word) }
    };
    (@ $(#[$doc:meta])* $field:ident optional_id $word:literal) => {
        $(#[$doc])* #[inline] pub fn $field(self) -> Option<Id> {
            self.0.words.get($word).and_then(|word| Id::new(*word))
        }
    };
    (@ $(#[$doc:meta])* $field:ident ids $word:literal) => {
        $(#[$doc])* #[inline]
        pub fn $field(self) -> impl ExactSizeIterator<Item = Id> + DoubleEndedIterator + 'm { self.0.ids_from($word) }
    };
    (@ $(#[$doc:meta])* $field:ident word $word:literal) => {
        $(#[$doc])* #[inline] pub fn $field(self) -> u32 { self.0.words[$word] }
    };
    (@ $(#[$doc:meta])* $field:ident words $word:literal) => {
        $(#[$doc])* #[inline] pub fn $field(self) -> &'m [u32] { self.0.words.get($word..).unwrap_or_default() }
    };
    (@ $(#[$doc:meta])* $field:ident text $word:literal) => {
        $(#[$doc])* pub fn $field(self) -> Cow<'m, str> { text::decode(&self.0.words[$word..]) }
    };
    (@ $(#[$doc:meta])* $field:ident $set:ident $word:literal) => {
        $(#[$doc])* #[inline] pub fn $field(self) -> $set { $set(self.0.words[$word]) }
    };
}

views! {
    /// `OpCapability`.
    CapabilityInst = CAPABILITY {
        /// The declared capability.
        capability: Capability @ 1;
    }
    /// `OpExtension`.
    Extension = EXTENSION {
        /// The name of the extension.
        name: text @ 1;
    }
    /// `OpModuleProcessed` or `OpSourceExtension`.
    Note = MODULE_PROCESSED | SOURCE_EXTENSION {
        /// The text.
        text: text @ 1;
    }
    /// `OpExtInstImport`.
    ExtInstImport = EXT_INST_IMPORT {
        /// The result id of the import.
        set: id @ 1;
        /// The name of the instruction set.
        name: text @ 2;
    }
    /// `OpExtInst`.
    ExtInst = EXT_INST {
        /// The instruction set.
        set: id @ 3;
        /// The number of the instruction in its set.
        number: word @ 4;
        /// The operands: ids in almost all sets.
        operands: words @ 5;
    }
    /// `OpExecutionMode` or `OpExecutionModeId`.
    Mode = EXECUTION_MODE | EXECUTION_MODE_ID {
        /// The function of the entry point.
        entry_point: id @ 1;
        /// The mode.
        mode: ExecutionMode @ 2;
        /// The operands of the mode.
        operands: words @ 3;
    }
    /// `OpName`.
    Name = NAME {
        /// The named id.
        target: id @ 1;
        /// The name.
        name: text @ 2;
    }
    /// `OpMemberName`.
    MemberName = MEMBER_NAME {
        /// The structure.
        target: id @ 1;
        /// The number of the member.
        member: word @ 2;
        /// The name.
        name: text @ 3;
    }
    /// `OpDecorate`, `OpDecorateId` or `OpDecorateString`.
    Decorate = DECORATE | DECORATE_ID | DECORATE_STRING {
        /// The decorated id.
        target: id @ 1;
        /// The decoration.
        decoration: Decoration @ 2;
        /// The operands of the decoration.
        operands: words @ 3;
    }
    /// `OpMemberDecorate` or `OpMemberDecorateString`.
    MemberDecorate = MEMBER_DECORATE | MEMBER_DECORATE_STRING {
        /// The structure.
        target: id @ 1;
        /// The number of the member.
        member: word @ 2;
        /// The decoration.
        decoration: Decoration @ 3;
        /// The operands of the decoration.
        operands: words @ 4;
    }
    /// `OpGroupDecorate`.
    GroupDecorate = GROUP_DECORATE {
        /// The group.
        group: id @ 1;
        /// The ids that the decorations of the group apply to.
        targets: ids @ 2;
    }
    /// `OpGroupMemberDecorate`.
    GroupMemberDecorate = GROUP_MEMBER_DECORATE {
        /// The group.
        group: id @ 1;
        /// Pairs of a structure and the number of a member.
        targets: words @ 2;
    }
    /// `OpTypePointer`.
    TypePointer = TYPE_POINTER {
        /// The pointer type.
        result: id @ 1;
        /// The storage class of the pointer.
        storage_class: StorageClass @ 2;
        /// The type that the pointer points to.
        pointee: id @ 3;
    }
    /// `OpVariable`.
    Variable = VARIABLE {
        /// The type of the variable: a pointer.
        pointer_type: id @ 1;
        /// The variable.
        result: id @ 2;
        /// The storage class of the variable.
        storage_class: StorageClass @ 3, set_storage_class;
        /// The initial value.
        initializer: optional_id @ 4;
    }
    /// `OpVariable` or `OpUntypedVariableKHR`.
    AnyVariable = VARIABLE | UNTYPED_VARIABLE_KHR {
        /// The type of the variable: a pointer.
        pointer_type: id @ 1;
        /// The variable.
        result: id @ 2;
        /// The storage class of the variable.
        storage_class: StorageClass @ 3;
    }
    /// `OpFunction`.
    Function = FUNCTION {
        /// The return type.
        return_type: id @ 1;
        /// The function.
        result: id @ 2;
        /// The `OpTypeFunction` of the function.
        function_type: id @ 4, set_function_type;
    }
    /// `OpFunctionCall`.
    FunctionCall = FUNCTION_CALL {
        /// The called function.
        function: id @ 3;
        /// The arguments.
        arguments: ids @ 4;
    }
    /// `OpLoad`.
    Load = LOAD {
        /// The pointer that is loaded from.
        pointer: id @ 3;
    }
    /// `OpStore`.
    Store = STORE {
        /// The pointer that is stored to.
        pointer: id @ 1;
        /// The stored value.
        object: id @ 2;
    }
    /// `OpCopyMemory` or `OpCopyMemorySized`.
    CopyMemory = COPY_MEMORY | COPY_MEMORY_SIZED {
        /// The pointer that is copied to.
        target: id @ 1;
        /// The pointer that is copied from.
        source: id @ 2;
    }
    /// `OpEmitStreamVertex`.
    EmitStreamVertex = EMIT_STREAM_VERTEX {
        /// The vertex stream: a constant.
        stream: id @ 1;
    }
    /// `OpEndStreamPrimitive`.
    EndStreamPrimitive = END_STREAM_PRIMITIVE {
        /// The vertex stream: a constant.
        stream: id @ 1;
    }
    /// `OpSelectionMerge` or `OpLoopMerge`.
    Merge = SELECTION_MERGE | LOOP_MERGE {
        /// The block after the construct.
        merge_block: id @ 1;
    }
    /// `OpLoopMerge`.
    LoopMerge = LOOP_MERGE {
        /// The block after the loop.
        merge_block: id @ 1;
        /// The start of the continue construct, which every iteration except the last runs.
        continue_target: id @ 2;
    }
    /// `OpBranch`.
    Branch = BRANCH {
        /// The next block.
        target: id @ 1;
    }
    /// `OpBranchConditional`.
    BranchConditional = BRANCH_CONDITIONAL {
        /// The condition: a boolean.
        condition: id @ 1;
        /// The next block if the condition is true.
        if_true: id @ 2;
        /// The next block if the condition is false.
        if_false: id @ 3;
    }
    /// `OpPhi`.
    Phi = PHI {
        /// Pairs of a value and its predecessor block.
        pairs: words @ 3;
    }
    /// `OpReturnValue`.
    ReturnValue = RETURN_VALUE {
        /// The returned value.
        value: id @ 1;
    }
    /// `OpArrayLength`.
    ArrayLength = ARRAY_LENGTH {
        /// A pointer to the structure whose last member is the array.
        structure: id @ 3;
        /// The number of the member.
        member: word @ 4, set_member;
    }
    /// An instruction with one result and two operands.
    Binary = I_ADD | I_SUB | LOGICAL_AND | LOGICAL_OR | I_EQUAL | I_NOT_EQUAL
        | U_LESS_THAN | S_LESS_THAN | U_LESS_THAN_EQUAL | S_LESS_THAN_EQUAL
        | U_GREATER_THAN | S_GREATER_THAN | U_GREATER_THAN_EQUAL | S_GREATER_THAN_EQUAL {
        /// The first operand.
        left: id @ 3;
        /// The second operand.
        right: id @ 4;
    }
    /// An instruction with one result and one operand.
    Unary = LOGICAL_NOT | COPY_OBJECT | BITCAST {
        /// The operand.
        operand: id @ 3;
    }
    /// `OpAccessChain` and similar instructions.
    AccessChain = ACCESS_CHAIN | IN_BOUNDS_ACCESS_CHAIN | PTR_ACCESS_CHAIN | IN_BOUNDS_PTR_ACCESS_CHAIN {
        /// The pointer that the chain starts from.
        base: id @ 3;
        /// The indices; `Ptr` chains have the element first.
        indices: ids @ 4;
    }
}

/// `OpEntryPoint`. Like an instruction, a view belongs to one version:
///
/// ```compile_fail,E0521
/// # let words = [0x0723_0203, 0x1_0000, 0, 1, 0, 0x3_000e, 0, 1];
/// # use polyshade_spv::{ExecutionModel, Id, Module};
/// let first = Module::parse(&words)?;
/// let old = first.entry_point("main", ExecutionModel::VERTEX)?;
/// let second = first.rewrite(|_, p| Ok(p.extension("SPV_KHR_multiview")))?.module;
/// second.rewrite(|_, p| Ok(p.join_interface(old, Id::new(1).expect("it is not 0"))))?;
/// # Ok::<(), polyshade_spv::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EntryPoint<'m>(Inst<'m>);

impl<'m> EntryPoint<'m> {
    /// Returns the view of `inst`, if it is an `OpEntryPoint`.
    pub fn of(inst: Inst<'m>) -> Option<Self> {
        (inst.op() == Op::ENTRY_POINT).then_some(Self(inst))
    }

    /// The instruction.
    pub fn inst(self) -> Inst<'m> {
        self.0
    }

    /// The execution model.
    pub fn model(self) -> ExecutionModel {
        ExecutionModel(self.0.words[1])
    }

    /// The function.
    pub fn function(self) -> Id {
        self.0.id_at(2)
    }

    /// The name.
    pub fn name(self) -> Cow<'m, str> {
        text::decode(&self.0.words[3..])
    }

    /// The variables of the interface.
    pub fn interface(self) -> impl ExactSizeIterator<Item = Id> + DoubleEndedIterator + 'm {
        self.0.ids_from(3 + text::word_count(&self.0.words[3..]))
    }
}
