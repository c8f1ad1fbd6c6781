//! A set of small numbers.

/// A bit for each number.
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// None of the numbers below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self(vec![0; count / 64 + 1])
    }

    #[inline]
    pub(super) fn contains(&self, number: u32) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 != 0
    }

    /// Whether `number` is new.
    #[inline]
    pub(super) fn insert(&mut self, number: u32) -> bool {
        let word = &mut self.0[number as usize / 64];
        let bit = 1 << (number % 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }
}
