//! What a lowered stage hands on, vertex by vertex: every component is there and has its value, and there are no
//! others.

use super::expected::{Expected, Key, Right, Setting, components};
use crate::leaves::{Kind, Leaf};
use crate::verdict::{Difference, Part, Stop, Value};
use std::collections::BTreeMap;
use std::iter;

/// The outputs of a lowered stage, and what they must be.
pub(super) struct Outputs<'o> {
    expected: &'o Expected,
    found: BTreeMap<Key, usize>,
    /// For each word of a vertex.
    kinds: Vec<Kind>,
}

impl<'o> Outputs<'o> {
    /// Those that `leaves` are; one that should not be there is a difference.
    pub(super) fn new(expected: &'o Expected, leaves: &[Leaf]) -> Result<Self, Stop> {
        let found = components(leaves);
        let Expected { components: wanted, left, .. } = expected;
        let is_known = |key: &&Key| wanted.contains_key(key) || left.contains(key);
        if let Some(key) = found.keys().find(|key| !is_known(key)) {
            let message = format!("it has the output {}, and should not", key.title());
            return Err(Difference::new(Part::Lowered, message).into());
        }
        let of = |leaf: &Leaf| iter::repeat_n(leaf.kind, leaf.words() as usize);
        Ok(Outputs { expected, found, kinds: leaves.iter().flat_map(of).collect() })
    }

    /// Compares a vertex with that of the original.
    pub(super) fn check(
        &self,
        original: &[u32],
        vertex: &[u32],
        setting: &Setting,
    ) -> Result<(), Box<Difference>> {
        for (key, source) in &self.expected.components {
            let right = source.value(original, setting);
            let word = self.found.get(key);
            // What is never written need not be there.
            let bits = word.map_or(0, |word| vertex[*word]);
            let is_float = word.is_none_or(|word| self.kinds[*word] == Kind::Float);
            if right.is(bits, is_float) {
                continue;
            }
            let message = match word {
                Some(_) => "an output has another value".to_owned(),
                None => format!("it lacks the output {}", key.title()),
            };
            return Err(Box::new(Difference {
                draw: Some(format!("{setting:?}")),
                varying: Some(key.title()),
                expected: Some(value(right)),
                found: word.map(|_| value(Right::Bits(bits))),
                ..Difference::new(Part::Lowered, message)
            }));
        }
        Ok(())
    }
}

fn value(right: Right) -> Value {
    match right {
        Right::Bits(bits) => {
            let number = format!("{:?}", f32::from_bits(bits));
            Value { bits: vec![bits], number }
        }
        Right::Near(number, error) => Value {
            bits: vec![(number as f32).to_bits()],
            number: format!("{number:?} ± {error:e}"),
        },
    }
}
