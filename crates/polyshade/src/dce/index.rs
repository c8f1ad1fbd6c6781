//! Index types. Each table has its own type, so indices cannot be confused. `Option` expresses "none".

use polyshade_spv::Inst;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{self, Range};

/// The index of a row in a [`Table`], or of a bit in [`Bits`].
pub(super) trait Index: Copy {
    fn new(number: usize) -> Self;
    fn number(self) -> usize;
}

/// Declares index types. They store the index plus one, so that an `Option` takes only four bytes.
macro_rules! index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(super) struct $name(NonZeroU32);

        impl Index for $name {
            #[inline]
            fn new(number: usize) -> Self {
                Self(NonZeroU32::MIN.saturating_add(number as u32))
            }

            #[inline]
            fn number(self) -> usize {
                self.0.get() as usize - 1
            }
        }
    )*};
}

index! {
    /// A block of a function.
    Block;
    /// The body of a function, a selection or a loop.
    Construct;
    /// A branch that leaves a construct from inside a nested one.
    Exit;
    /// A function that an entry point reaches.
    Function;
    /// A parameter of a function.
    Parameter;
    /// A call of a function.
    Call;
    /// A variable, the pointee of a parameter, or a part of either.
    Part;
    /// A whole variable, or the whole pointee of a parameter.
    Root;
    /// A possible write to a part.
    Write;
    /// A structure that an instruction makes or stores, or a parameter that is passed by value.
    Value;
    /// A member of a structure, counted over all structures of the module.
    Member;
}

/// An instruction: the offset of its first word in the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct At(u32);

impl At {
    #[inline]
    pub(super) fn of(inst: Inst<'_>) -> Self {
        Self(inst.at())
    }

    /// Returns the instruction that begins at this word.
    #[inline]
    pub(super) fn from_word(word: u32) -> Self {
        Self(word)
    }

    #[inline]
    pub(super) fn word(self) -> u32 {
        self.0
    }
}

impl Index for At {
    #[inline]
    fn new(number: usize) -> Self {
        Self(number as u32)
    }

    #[inline]
    fn number(self) -> usize {
        self.0 as usize
    }
}

impl Member {
    /// Returns the member with this number, if `self` is the first member of a structure.
    #[inline]
    pub(super) fn plus(self, number: u32) -> Self {
        Self::new(self.number() + number as usize)
    }
}

/// A table of rows with its own index type.
pub(super) struct Table<I, T> {
    rows: Vec<T>,
    index: PhantomData<I>,
}

impl<I: Index, T> Table<I, T> {
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), index: PhantomData }
    }

    #[inline]
    pub(super) fn push(&mut self, row: T) -> I {
        let index = self.next();
        self.rows.push(row);
        index
    }

    /// Returns the index of the next row to be added.
    #[inline]
    pub(super) fn next(&self) -> I {
        I::new(self.rows.len())
    }

    #[inline]
    pub(super) fn get(&self, index: I) -> Option<&T> {
        self.rows.get(index.number())
    }

    pub(super) fn truncate(&mut self, end: I) {
        self.rows.truncate(end.number());
    }

    /// Returns all rows from `first` on.
    pub(super) fn rows_from(&self, first: I) -> &[T] {
        &self.rows[first.number()..]
    }

    pub(super) fn rows_from_mut(&mut self, first: I) -> &mut [T] {
        &mut self.rows[first.number()..]
    }

    pub(super) fn indices(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        all_of(I::new(0)..self.next())
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Self { rows: Vec::new(), index: PhantomData }
    }
}

impl<I: Index, T> ops::Index<I> for Table<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, index: I) -> &T {
        &self.rows[index.number()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for Table<I, T> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.rows[index.number()]
    }
}

/// Returns the indices in `range`.
pub(super) fn all_of<I: Index>(range: Range<I>) -> impl DoubleEndedIterator<Item = I> {
    (range.start.number()..range.end.number()).map(I::new)
}

/// A set of indices, with one bit per index.
pub(super) struct Bits<I> {
    words: Vec<u64>,
    index: PhantomData<I>,
}

impl<I: Index> Bits<I> {
    /// Returns an empty set for indices below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { words: vec![0; count / 64 + 1], index: PhantomData }
    }

    #[inline]
    pub(super) fn contains(&self, index: I) -> bool {
        let number = index.number();
        self.words[number / 64] >> (number % 64) & 1 != 0
    }

    /// Adds `index`; returns whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, index: I) -> bool {
        let number = index.number();
        let (word, bit) = (&mut self.words[number / 64], 1 << (number % 64));
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }
}
