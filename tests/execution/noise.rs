//! Pseudorandom numbers that are the same in every run, or numbers from a property test.

/// A source of numbers.
pub(crate) enum Noise {
    /// Marsaglia's xorshift with 32 bits.
    Shifted(u32),
    /// These numbers, then 0.
    Drawn(std::vec::IntoIter<u32>),
}

impl Noise {
    /// Creates a source with the fixed seed.
    pub(crate) fn new() -> Noise {
        Noise::Shifted(0x9e37_79b9)
    }

    /// Creates a source of these numbers. Smaller numbers make simpler choices.
    pub(crate) fn drawn(numbers: Vec<u32>) -> Noise {
        Noise::Drawn(numbers.into_iter())
    }

    /// Skips some numbers.
    pub(crate) fn skip(&mut self, count: u32) {
        (0..count).for_each(|_| {
            self.bits();
        });
    }

    /// Returns a random 32-bit number.
    pub(crate) fn bits(&mut self) -> u32 {
        match self {
            Noise::Shifted(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 17;
                *state ^= *state << 5;
                *state
            }
            Noise::Drawn(numbers) => numbers.next().unwrap_or(0),
        }
    }

    /// Returns a number below a limit.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.bits() % limit
    }

    /// Returns a small number, a large one, or one near a power of two.
    pub(crate) fn word(&mut self) -> u32 {
        match self.below(5) {
            0 => self.bits(),
            1 => self.below(64),
            2 => self.below(64).wrapping_neg(),
            3 => (1 << self.below(32)) - self.below(2),
            _ => 4 * self.below(64),
        }
    }
}
