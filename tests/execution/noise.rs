//! Numbers without a pattern, the same in every run.

/// Marsaglia's xorshift with 32 bits.
pub(crate) struct Noise(u32);

impl Noise {
    /// From the beginning.
    pub(crate) fn new() -> Noise {
        Noise(0x9e37_79b9)
    }

    /// Passes over some numbers.
    pub(crate) fn skip(&mut self, count: u32) {
        (0..count).for_each(|_| {
            self.bits();
        });
    }

    /// Any number.
    pub(crate) fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.bits() % limit
    }

    /// A small number, a large one, or one beside a power of two.
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
