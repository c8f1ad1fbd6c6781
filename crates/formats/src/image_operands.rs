//! Image instructions with their optional operands, and the types of images.

use polyshade_spv::{Id, Inst, Module, Op};

/// The bits of the image operands mask.
pub(crate) const BIAS: u32 = 1 << 0;
pub(crate) const LOD: u32 = 1 << 1;
pub(crate) const GRAD: u32 = 1 << 2;
pub(crate) const CONST_OFFSET: u32 = 1 << 3;
pub(crate) const OFFSET: u32 = 1 << 4;
pub(crate) const CONST_OFFSETS: u32 = 1 << 5;
pub(crate) const MIN_LOD: u32 = 1 << 7;

/// An image instruction with its optional operands.
#[derive(Clone, Copy)]
pub(crate) struct ImageInst<'m> {
    inst: Inst<'m>,
    /// The index of the word with the mask, if the instruction has a mask.
    mask: usize,
}

impl<'m> ImageInst<'m> {
    /// Returns the view of `inst`, if it samples, fetches from, reads from or gathers from an image.
    pub(crate) fn of(inst: Inst<'m>) -> Option<Self> {
        let mask = match inst.op() {
            Op::IMAGE_SAMPLE_IMPLICIT_LOD
            | Op::IMAGE_SAMPLE_EXPLICIT_LOD
            | Op::IMAGE_SAMPLE_PROJ_IMPLICIT_LOD
            | Op::IMAGE_SAMPLE_PROJ_EXPLICIT_LOD
            | Op::IMAGE_FETCH
            | Op::IMAGE_READ => 5,
            op if compares(op) || op == Op::IMAGE_GATHER => 6,
            _ => return None,
        };
        Some(Self { inst, mask })
    }

    pub(crate) fn inst(self) -> Inst<'m> {
        self.inst
    }

    /// Returns the image, or the sampled image if the instruction samples.
    pub(crate) fn image(self) -> Option<Id> {
        Id::new(self.inst.words()[3])
    }

    /// The coordinates.
    pub(crate) fn coordinates(self) -> Option<Id> {
        Id::new(self.inst.words()[COORDINATES])
    }

    /// Whether the instruction compares with a reference value.
    pub(crate) fn compares(self) -> bool {
        compares(self.inst.op())
    }

    /// The image operands mask; 0 if there is none.
    pub(crate) fn mask(self) -> u32 {
        self.inst.words().get(self.mask).copied().unwrap_or(0)
    }

    /// Returns the first operand of the mask bit `bit`.
    pub(crate) fn operand(self, bit: u32) -> Option<Id> {
        let word = self.mask + 1 + count(self.mask() & (bit - 1));
        let there = self.mask() & bit != 0;
        self.inst.words().get(word).filter(|_| there).and_then(|word| Id::new(*word))
    }

    /// Returns all words after the first, with other coordinates and without the image operand `bit`, which must be a
    /// single id.
    pub(crate) fn without(self, bit: u32, coordinates: Id) -> Vec<u32> {
        let mut words = self.inst.words()[1..].to_vec();
        words[COORDINATES - 1] = coordinates.word();
        if self.mask() & bit != 0 {
            words.remove(self.mask + count(self.mask() & (bit - 1)));
            words[self.mask - 1] &= !bit;
        }
        words
    }

    /// Returns the operands after the result, with one constant offset instead of `ConstOffsets`.
    pub(crate) fn with_offset(self, offset: Id) -> Vec<u32> {
        let mut words = self.inst.words()[3..].to_vec();
        let mask = self.mask() & !CONST_OFFSETS | CONST_OFFSET;
        words[self.mask - 3] = mask;
        words[self.mask - 2 + count(mask & (CONST_OFFSET - 1))] = offset.word();
        words
    }
}

/// The index of the word with the coordinates.
pub(crate) const COORDINATES: usize = 4;

fn compares(op: Op) -> bool {
    matches!(
        op,
        Op::IMAGE_SAMPLE_DREF_IMPLICIT_LOD
            | Op::IMAGE_SAMPLE_DREF_EXPLICIT_LOD
            | Op::IMAGE_SAMPLE_PROJ_DREF_IMPLICIT_LOD
            | Op::IMAGE_SAMPLE_PROJ_DREF_EXPLICIT_LOD
            | Op::IMAGE_DREF_GATHER
    )
}

/// The number of operands for a mask. `Grad` has two operands.
fn count(mask: u32) -> usize {
    (mask.count_ones() + u32::from(mask & GRAD != 0)) as usize
}

/// The `OpTypeImage` of an image type or a sampled image type.
pub(crate) fn image_type<'m>(module: &'m Module<'_>, ty: Id) -> Option<Inst<'m>> {
    let inst = module.definition(ty)?;
    match inst.op() {
        Op::TYPE_SAMPLED_IMAGE => module.definition(Id::new(inst.words()[2])?),
        _ => Some(inst),
    }
    .filter(|inst| inst.op() == Op::TYPE_IMAGE)
}
