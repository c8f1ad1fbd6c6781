//! Where options come from.

/// A source of choices: always the first one, or any.
#[derive(Clone, Copy, Debug)]
pub struct Choices(Option<u64>);

impl Choices {
    /// Always the first: what somebody would ask for who has no special wishes.
    pub fn plain() -> Self {
        Self(None)
    }

    /// Any, the same for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Some(seed))
    }

    /// A number below `end`, which is at least 1.
    pub fn below(&mut self, end: u32) -> u32 {
        let Some(state) = &mut self.0 else { return 0 };
        // Knuth's multiplier spreads the bits that a fuzzer flips over the whole word.
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 33) as u32 % end
    }

    /// Any number, mostly small.
    pub fn number(&mut self) -> u32 {
        match self.below(8) {
            7 => self.below(u32::MAX) + 1,
            6 => self.below(1 << 16),
            _ => self.below(8),
        }
    }

    /// A multiple of 4, mostly small.
    pub fn offset(&mut self) -> u32 {
        self.number().wrapping_mul(4)
    }

    /// No, or maybe.
    pub fn maybe(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Seldom.
    pub fn rarely(&mut self) -> bool {
        self.below(16) == 15
    }

    /// Any number.
    pub fn word(&mut self) -> u32 {
        self.below(1 << 16) << 16 | self.below(1 << 16)
    }

    /// Something, or nothing.
    pub fn perhaps<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.maybe().then(|| value(self))
    }

    /// A list of up to `most`.
    pub fn list<T>(&mut self, most: u32, mut value: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| value(self)).collect()
    }

    /// One of some.
    pub fn of<T: Clone>(&mut self, some: &[T]) -> T {
        some[self.below(some.len() as u32) as usize].clone()
    }

    /// Some of these, in their order: all of them, if the choice is the first.
    pub fn some<T>(&mut self, all: impl IntoIterator<Item = T>) -> Vec<T> {
        all.into_iter().filter(|_| self.below(4) < 3).collect()
    }
}
