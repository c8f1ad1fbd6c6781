//! The source of random options.

/// A source of choices, which always makes the first choice or makes random choices.
#[derive(Clone, Copy, Debug)]
pub struct Choices(Option<u64>);

impl Choices {
    /// Creates a source that always makes the first choice, as a user without special requirements would.
    pub fn plain() -> Self {
        Self(None)
    }

    /// Creates a source of random choices, which depend only on the seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Some(seed))
    }

    /// Returns a number below `end`, which is at least 1.
    pub fn below(&mut self, end: u32) -> u32 {
        let Some(state) = &mut self.0 else { return 0 };
        // Knuth's multiplier spreads the bits that a fuzzer flips over the whole state.
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 33) as u32 % end
    }

    /// Returns a random number, mostly small.
    pub fn number(&mut self) -> u32 {
        match self.below(8) {
            7 => self.below(u32::MAX) + 1,
            6 => self.below(1 << 16),
            _ => self.below(8),
        }
    }

    /// Returns a multiple of 4, mostly small.
    pub fn offset(&mut self) -> u32 {
        self.number().wrapping_mul(4)
    }

    /// Returns a random boolean, or `false` if choices are always the first.
    pub fn maybe(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Returns `true` with probability 1/16.
    pub fn rarely(&mut self) -> bool {
        self.below(16) == 15
    }

    /// Returns a random 32-bit number.
    pub fn word(&mut self) -> u32 {
        self.below(1 << 16) << 16 | self.below(1 << 16)
    }

    /// Returns a value or `None`.
    pub fn perhaps<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.maybe().then(|| value(self))
    }

    /// Returns a list of at most `most` values.
    pub fn list<T>(&mut self, most: u32, mut value: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| value(self)).collect()
    }

    /// Returns one element of `some`.
    pub fn of<T: Clone>(&mut self, some: &[T]) -> T {
        some[self.below(some.len() as u32) as usize].clone()
    }

    /// Returns some elements in order, or all elements if choices are always the first.
    pub fn some<T>(&mut self, all: impl IntoIterator<Item = T>) -> Vec<T> {
        all.into_iter().filter(|_| self.below(4) < 3).collect()
    }
}
