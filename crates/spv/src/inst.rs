//! Instructions: handles that borrow the version they stand in, and views that name their operands.

use crate::grammar::{
    Capability, Decoration, ExecutionMode, ExecutionModel, Grammar, Op, StorageClass,
};
use crate::patch::Patch;
use crate::{Id, text};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Ties a handle to one version of a module. The lifetime is invariant: with a covariant one, a handle of another
/// version that lives longer would be taken for one of this version.
pub(crate) type Version<'m> = PhantomData<fn(&'m ()) -> &'m ()>;

/// One instruction of one version of a module.
///
/// A patch takes instructions of the version that it edits, and no others:
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

/// One operand of an instruction of one version of a module: a word that can be overwritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand<'m> {
    inst: u32,
    word: u32,
    version: Version<'m>,
}

impl Operand<'_> {
    /// Offset of the word, in words from the start of the module.
    pub fn at(self) -> u32 {
        self.inst + self.word
    }

    /// Number of the word in its instruction, where word 0 holds word count and opcode.
    pub fn word(self) -> usize {
        self.word as usize
    }
}

impl<'m> Inst<'m> {
    /// The instruction that starts at word `at`, in a module that has been scanned.
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

    /// Offset of the first word, in words from the start of the module.
    #[inline]
    pub fn at(self) -> u32 {
        self.at
    }

    /// Offset of the word behind the last one.
    #[inline]
    pub fn end(self) -> u32 {
        self.at + self.words.len() as u32
    }

    /// All words, with the first one that holds word count and opcode.
    #[inline]
    pub fn words(self) -> &'m [u32] {
        self.words
    }

    /// The operand in word `word`, where word 0 holds word count and opcode.
    ///
    /// # Panics
    ///
    /// Where the instruction has no such operand.
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
            /// The view of `inst`, if it is such an instruction.
            #[inline]
            pub fn of(inst: Inst<'m>) -> Option<Self> {
                matches!(inst.op(), $(Op::$op)|+).then_some(Self(inst))
            }

            /// The instruction itself.
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
        /// What the module uses.
        capability: Capability @ 1;
    }
    /// `OpExtension`.
    Extension = EXTENSION {
        /// Name of the extension.
        name: text @ 1;
    }
    /// `OpModuleProcessed` or `OpSourceExtension`.
    Note = MODULE_PROCESSED | SOURCE_EXTENSION {
        /// What is noted.
        text: text @ 1;
    }
    /// `OpExtInstImport`.
    ExtInstImport = EXT_INST_IMPORT {
        /// The instruction set.
        set: id @ 1;
        /// Name of the instruction set.
        name: text @ 2;
    }
    /// `OpExtInst`.
    ExtInst = EXT_INST {
        /// The instruction set.
        set: id @ 3;
        /// Number of the instruction in its set.
        number: word @ 4;
        /// The operands: ids in all sets but a few.
        operands: words @ 5;
    }
    /// `OpExecutionMode` or `OpExecutionModeId`.
    Mode = EXECUTION_MODE | EXECUTION_MODE_ID {
        /// Function of the entry point.
        entry_point: id @ 1;
        /// The mode.
        mode: ExecutionMode @ 2;
        /// Its operands.
        operands: words @ 3;
    }
    /// `OpName`.
    Name = NAME {
        /// What is named.
        target: id @ 1;
        /// The name.
        name: text @ 2;
    }
    /// `OpMemberName`.
    MemberName = MEMBER_NAME {
        /// The structure.
        target: id @ 1;
        /// Number of the member.
        member: word @ 2;
        /// The name.
        name: text @ 3;
    }
    /// `OpDecorate`, `OpDecorateId` or `OpDecorateString`.
    Decorate = DECORATE | DECORATE_ID | DECORATE_STRING {
        /// What is decorated.
        target: id @ 1;
        /// The decoration.
        decoration: Decoration @ 2;
        /// Its operands.
        operands: words @ 3;
    }
    /// `OpMemberDecorate` or `OpMemberDecorateString`.
    MemberDecorate = MEMBER_DECORATE | MEMBER_DECORATE_STRING {
        /// The structure.
        target: id @ 1;
        /// Number of the member.
        member: word @ 2;
        /// The decoration.
        decoration: Decoration @ 3;
        /// Its operands.
        operands: words @ 4;
    }
    /// `OpGroupDecorate`.
    GroupDecorate = GROUP_DECORATE {
        /// The group.
        group: id @ 1;
        /// What its decorations apply to.
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
        /// The type.
        result: id @ 1;
        /// Where it points into.
        storage_class: StorageClass @ 2;
        /// What it points to.
        pointee: id @ 3;
    }
    /// `OpVariable`.
    Variable = VARIABLE {
        /// Type of the variable: a pointer.
        pointer_type: id @ 1;
        /// The variable.
        result: id @ 2;
        /// Where it lies.
        storage_class: StorageClass @ 3, set_storage_class;
        /// What it holds at first.
        initializer: optional_id @ 4;
    }
    /// `OpVariable` or `OpUntypedVariableKHR`.
    AnyVariable = VARIABLE | UNTYPED_VARIABLE_KHR {
        /// Type of the variable: a pointer.
        pointer_type: id @ 1;
        /// The variable.
        result: id @ 2;
        /// Where it lies.
        storage_class: StorageClass @ 3;
    }
    /// `OpFunction`.
    Function = FUNCTION {
        /// What it returns.
        return_type: id @ 1;
        /// The function.
        result: id @ 2;
        /// `OpTypeFunction` of the function.
        function_type: id @ 4, set_function_type;
    }
    /// `OpFunctionCall`.
    FunctionCall = FUNCTION_CALL {
        /// The function that is called.
        function: id @ 3;
        /// The arguments.
        arguments: ids @ 4;
    }
    /// `OpLoad`.
    Load = LOAD {
        /// Where it is loaded from.
        pointer: id @ 3;
    }
    /// `OpStore`.
    Store = STORE {
        /// Where it is stored to.
        pointer: id @ 1;
        /// What is stored.
        object: id @ 2;
    }
    /// `OpCopyMemory` or `OpCopyMemorySized`.
    CopyMemory = COPY_MEMORY | COPY_MEMORY_SIZED {
        /// Where it is copied to.
        target: id @ 1;
        /// Where it is copied from.
        source: id @ 2;
    }
    /// `OpEmitStreamVertex`.
    EmitStreamVertex = EMIT_STREAM_VERTEX {
        /// The vertex stream: a constant.
        stream: id @ 1;
    }
    /// `OpSelectionMerge` or `OpLoopMerge`.
    Merge = SELECTION_MERGE | LOOP_MERGE {
        /// The block behind the construct.
        merge_block: id @ 1;
    }
    /// `OpLoopMerge`.
    LoopMerge = LOOP_MERGE {
        /// The block behind the loop.
        merge_block: id @ 1;
        /// The block that every iteration but the last ends with.
        continue_target: id @ 2;
    }
    /// `OpBranch`.
    Branch = BRANCH {
        /// The block that comes next.
        target: id @ 1;
    }
    /// `OpBranchConditional`.
    BranchConditional = BRANCH_CONDITIONAL {
        /// What decides.
        condition: id @ 1;
        /// The block that comes next where the condition is true.
        if_true: id @ 2;
        /// The block that comes next where it is false.
        if_false: id @ 3;
    }
    /// `OpPhi`.
    Phi = PHI {
        /// Pairs of a value and the block it comes from.
        pairs: words @ 3;
    }
    /// `OpReturnValue`.
    ReturnValue = RETURN_VALUE {
        /// What is returned.
        value: id @ 1;
    }
    /// `OpArrayLength`.
    ArrayLength = ARRAY_LENGTH {
        /// A pointer to the structure whose last member is the array.
        structure: id @ 3;
        /// Number of the member.
        member: word @ 4, set_member;
    }
    /// An instruction of one result and two operands.
    Binary = I_ADD | I_SUB | LOGICAL_AND | LOGICAL_OR | I_EQUAL | I_NOT_EQUAL
        | U_LESS_THAN | S_LESS_THAN | U_LESS_THAN_EQUAL | S_LESS_THAN_EQUAL
        | U_GREATER_THAN | S_GREATER_THAN | U_GREATER_THAN_EQUAL | S_GREATER_THAN_EQUAL {
        /// The first operand.
        left: id @ 3;
        /// The second operand.
        right: id @ 4;
    }
    /// An instruction of one result and one operand.
    Unary = LOGICAL_NOT | COPY_OBJECT | BITCAST {
        /// The operand.
        operand: id @ 3;
    }
    /// `OpAccessChain` and its relatives.
    AccessChain = ACCESS_CHAIN | IN_BOUNDS_ACCESS_CHAIN | PTR_ACCESS_CHAIN | IN_BOUNDS_PTR_ACCESS_CHAIN {
        /// What the chain starts from.
        base: id @ 3;
        /// The indices; of a `Ptr` chain, the element first.
        indices: ids @ 4;
    }
}

/// `OpEntryPoint`. Views belong to one version, as their instructions do:
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
    /// The view of `inst`, if it is such an instruction.
    pub fn of(inst: Inst<'m>) -> Option<Self> {
        (inst.op() == Op::ENTRY_POINT).then_some(Self(inst))
    }

    /// The instruction itself.
    pub fn inst(self) -> Inst<'m> {
        self.0
    }

    /// The stage.
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

    /// The variables that are listed as its interface.
    pub fn interface(self) -> impl ExactSizeIterator<Item = Id> + DoubleEndedIterator + 'm {
        self.0.ids_from(3 + text::word_count(&self.0.words[3..]))
    }
}
