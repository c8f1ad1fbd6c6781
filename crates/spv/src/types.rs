//! Types and constants: the type that an id declares, and a table of existing declarations.

use crate::grammar::{Grammar, Op, StorageClass};
use crate::inst::{Inst, TypePointer};
use crate::scan::Section;
use crate::{Id, Module};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// The type that an id declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// `OpTypeVoid`.
    Void,
    /// `OpTypeBool`.
    Bool,
    /// `OpTypeInt`.
    Int {
        /// The width in bits.
        width: u32,
        /// Whether the signedness is 1.
        signed: bool,
    },
    /// `OpTypeFloat`.
    Float {
        /// The width in bits.
        width: u32,
    },
    /// `OpTypeVector`.
    Vector {
        /// The type of the components.
        component: Id,
        /// The number of components.
        count: u32,
    },
    /// `OpTypeMatrix`.
    Matrix {
        /// The type of the columns: a vector.
        column: Id,
        /// The number of columns.
        count: u32,
    },
    /// `OpTypeArray`.
    Array {
        /// The type of the elements.
        element: Id,
        /// The number of elements: a constant, possibly a specialization constant.
        length: Id,
    },
    /// `OpTypeStruct`.
    Struct {
        /// The structure type, for [`Module::members`].
        id: Id,
    },
    /// `OpTypePointer`.
    Pointer {
        /// The storage class of the pointer.
        class: StorageClass,
        /// The type that the pointer points to.
        pointee: Id,
    },
    /// Any other type.
    Other(Op),
}

/// The maximum nesting of arrays that are followed: SPIR-V's limit for structures (2.17). Invalid modules may have
/// cycles.
const DEEPEST: u32 = 255;

impl Module<'_> {
    /// Returns the type that `id` declares; `None` if `id` is not a type.
    pub fn ty(&self, id: Id) -> Option<Type> {
        let inst = self.definition(id)?;
        let words = inst.words();
        Some(match inst.op() {
            Op::TYPE_VOID => Type::Void,
            Op::TYPE_BOOL => Type::Bool,
            Op::TYPE_INT => Type::Int { width: words[2], signed: words[3] != 0 },
            Op::TYPE_FLOAT => Type::Float { width: words[2] },
            Op::TYPE_VECTOR => Type::Vector { component: inst.id_at(2), count: words[3] },
            Op::TYPE_MATRIX => Type::Matrix { column: inst.id_at(2), count: words[3] },
            Op::TYPE_ARRAY => Type::Array { element: inst.id_at(2), length: inst.id_at(3) },
            Op::TYPE_STRUCT => Type::Struct { id },
            Op::TYPE_POINTER => {
                Type::Pointer { class: StorageClass(words[2]), pointee: inst.id_at(3) }
            }
            op if is_type(op) => Type::Other(op),
            _ => return None,
        })
    }

    /// The storage class and the pointee of the pointer type `id`.
    pub fn pointer(&self, id: Id) -> Option<(StorageClass, Id)> {
        let pointer = TypePointer::of(self.definition(id)?)?;
        Some((pointer.storage_class(), pointer.pointee()))
    }

    /// The types of the members of the structure `id`; empty if `id` is not a structure.
    pub fn members(&self, id: Id) -> impl ExactSizeIterator<Item = Id> + DoubleEndedIterator {
        let inst = self.definition(id).filter(|inst| inst.op() == Op::TYPE_STRUCT);
        let words: &[u32] = inst.map_or(&[], |inst| &inst.words()[2..]);
        words.iter().map(|word| Id::new(*word).expect("ids are checked when a module is scanned"))
    }

    /// The lower 32 bits of the integer constant `id`; `None` for specialization constants.
    pub fn constant(&self, id: Id) -> Option<u32> {
        let inst = self.definition(id)?;
        match inst.op() {
            Op::CONSTANT => inst.words().get(3).copied(),
            Op::CONSTANT_NULL => Some(0),
            _ => None,
        }
    }

    /// The innermost element type of an array of up to 255 dimensions; `ty` itself if it is not an array.
    pub fn innermost_element(&self, mut ty: Id) -> Id {
        for _ in 0..DEEPEST {
            let is_array =
                |inst: &Inst<'_>| matches!(inst.op(), Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY);
            let Some(array) = self.definition(ty).filter(is_array) else { break };
            ty = array.id_at(2);
        }
        ty
    }
}

pub(crate) fn is_type(op: Op) -> bool {
    Grammar::of(op).has_result() && !Grammar::of(op).has_type() && {
        !matches!(op, Op::EXT_INST_IMPORT | Op::STRING | Op::DECORATION_GROUP | Op::LABEL)
    }
}

/// The key of a declaration: its opcode and all operands except the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'k> {
    first: u32,
    /// The operands before and after the result.
    operands: (&'k [u32], &'k [u32]),
    hash: u32,
}

impl<'k> Key<'k> {
    fn new(first: u32, operands: (&'k [u32], &'k [u32]), seed: u64) -> Self {
        let mix = |hash: u64, word: &u32| {
            (hash.rotate_left(5) ^ u64::from(*word)).wrapping_mul(0x517c_c1b7_2722_0a95)
        };
        let hash = operands.0.iter().chain(operands.1).fold(mix(seed, &first), mix);
        Self { first, operands, hash: (hash >> 32) as u32 }
    }

    /// The index of the word that holds the result id.
    pub(crate) fn result_word(&self) -> usize {
        self.operands.0.len() + 1
    }

    pub(crate) fn hash(&self) -> u32 {
        self.hash
    }
}

fn result_word(op: Op) -> usize {
    Grammar::of(op).result_word().expect("types and constants have results")
}

/// Whether the declaration `words` has the key `key`.
#[inline]
pub(crate) fn has_key(words: &[u32], key: &Key<'_>) -> bool {
    let (before, behind) = key.operands;
    // The slices are too short for a `memcmp` call to pay off.
    words[0] == key.first
        && words[1..].iter().zip(before).all(|(one, other)| one == other)
        && words[key.result_word() + 1..].iter().zip(behind).all(|(one, other)| one == other)
}

/// Types and constants by their keys: an open-addressed table of word offsets.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// The number of slots is a power of two; 0 marks an empty slot.
    slots: Vec<u32>,
    /// The seed of the hash of keys.
    seed: u64,
}

/// The maximum number of slots for which the hash has no random seed. Larger tables have one: without it, a module
/// whose types all have the same hash would take quadratic time. Lookups return the same results with any seed.
const SLOTS_UNSEEDED: usize = 1 << 13;

impl Declared {
    pub(crate) fn new(module: &Module<'_>) -> Self {
        // Skip decorated types: a type with a decoration, such as a stride, differs from the type without.
        let shared = module.section(Section::Globals).filter(|inst| is_shared(inst.op()));
        // Every declaration that needs a slot has at least three words, except equal declarations, which share a
        // slot.
        let slots = (module.section_words(Section::Globals) / 2 + 4).next_power_of_two();
        let random = || RandomState::new().build_hasher().finish();
        let seed = if slots > SLOTS_UNSEEDED { random() } else { 0 };
        let mut declared = Self { slots: vec![0; slots], seed };
        for inst in shared {
            let decorated = may_be_decorated(inst.op())
                && module.is_decorated(inst.result().expect("types and constants have results"));
            if decorated {
                continue;
            }
            let (words, result) = (inst.words(), result_word(inst.op()));
            let key = Key::new(words[0], (&words[1..result], &words[result + 1..]), seed);
            if let Err(free) = declared.slot(module, &key) {
                declared.slots[free] = inst.at();
            }
        }
        declared
    }

    /// The key of a declaration, for lookups in this table and in the table of a patch.
    pub(crate) fn key<'k>(&self, op: Op, operands: &'k [u32]) -> Key<'k> {
        let first = (operands.len() as u32 + 2) << 16 | u32::from(op.0);
        Key::new(first, operands.split_at(result_word(op) - 1), self.seed)
    }

    /// Returns the slot of the declaration with the key `key`. If there is none, returns the free slot for it as the
    /// error.
    fn slot(&self, module: &Module<'_>, key: &Key<'_>) -> Result<usize, usize> {
        let mut slot = key.hash() as usize & (self.slots.len() - 1);
        while self.slots[slot] != 0 {
            if has_key(module.inst_at(self.slots[slot]).words(), key) {
                return Ok(slot);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        Err(slot)
    }

    /// The first declaration in `module` that has the key `key` and is not decorated.
    pub(crate) fn find<'m>(&self, module: &'m Module<'_>, key: &Key<'_>) -> Option<Inst<'m>> {
        let slot = self.slot(module, key).ok()?;
        Some(module.inst_at(self.slots[slot]))
    }
}

fn may_be_decorated(op: Op) -> bool {
    matches!(op, Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY | Op::TYPE_STRUCT | Op::TYPE_POINTER)
}

/// Whether two declarations with the opcode `op` and the same key are interchangeable.
pub(crate) fn is_shared(op: Op) -> bool {
    matches!(
        op,
        Op::CONSTANT
            | Op::CONSTANT_TRUE
            | Op::CONSTANT_FALSE
            | Op::CONSTANT_COMPOSITE
            | Op::CONSTANT_NULL
            | Op::UNDEF
    ) || is_type(op) && op != Op::TYPE_FORWARD_POINTER
}
