//! Pseudorandom numbers that are the same for the same seed.

/// A SplitMix64 generator, whose state is a counter.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
    values: Values,
}

/// The range of the numbers that a shader gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// Any numbers, including special values.
    Any,
    /// Like `Any`, without denormals and without numbers that one operation makes a denormal. Drivers flush denormals
    /// in some stages and keep them in others (llvmpipe: in vertex and compute stages).
    Normal,
    /// Like `Normal`, without infinities and numbers near them. Without `SignedZeroInfNanPreserve`, devices need not
    /// support infinities and NaNs, so two devices may differ.
    Moderate,
    /// Like `Any`, but all floats of one vertex are -0, and all floats of another vertex are NaNs, because distances
    /// are compared with 0.
    Distances,
    /// From 0 to 1, like colours.
    Colours,
}

impl Random {
    /// Makes a generator for one purpose: equal seeds and purposes give equal numbers.
    pub(crate) fn new(seed: u64, purpose: u64) -> Random {
        Random::of(Values::Any, seed, purpose)
    }

    /// Makes a generator for one purpose with numbers from this range.
    pub(crate) fn of(values: Values, seed: u64, purpose: u64) -> Random {
        let state = seed ^ purpose.wrapping_mul(0xd134_2543_de82_ef95);
        let mut random = Random { state, values };
        random.bits();
        random
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (self.bits() >> 32) as u32 % end
    }

    /// Returns one of `choices`, which must not be empty.
    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Whether denormals are excluded.
    pub(crate) fn is_of_normals(&self) -> bool {
        matches!(self.values, Values::Normal | Values::Moderate)
    }

    /// Whether both denormals and infinities are excluded.
    pub(crate) fn is_of_moderates(&self) -> bool {
        self.values == Values::Moderate
    }

    /// Returns the value of all floats of a vertex, if distances are tested and the vertex has a special value.
    pub(crate) fn distance(&self, vertex: u32) -> Option<f32> {
        match (self.values, vertex) {
            (Values::Distances, 8) => Some(-0.0),
            (Values::Distances, 9) => Some(f32::NAN),
            _ => None,
        }
    }

    pub(crate) fn is_of_colours(&self) -> bool {
        self.values == Values::Colours
    }

    /// Returns a colour component, if colours are tested. Some components are zeros of either sign.
    pub(crate) fn colour(&mut self) -> Option<f32> {
        self.is_of_colours().then(|| match self.below(65) {
            1 => -0.0,
            part => part as f32 / 64.0,
        })
    }

    /// Returns a number from -8 to 8 with a full mantissa.
    pub(crate) fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64 * 16.0 - 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn seeds_and_purposes_decide() {
        let first = |seed, purpose| Random::new(seed, purpose).bits();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(2, 2));
        assert_ne!(first(1, 2), first(1, 3));
        let mut random = Random::new(0, 0);
        assert!((0..1000).all(|_| (-8.0..8.0).contains(&random.number())));
    }
}
