//! Checks, vertex by vertex, that a lowered stage has exactly the expected output components, with the expected
//! values.

use super::model::{Key, Model, Number, Vertex, components};
use crate::leaves::{Leaf, ScalarKind};
use crate::verdict::{Difference, Part, Stop, Value, broken};
use std::collections::BTreeMap;
use std::iter;

/// The outputs of a lowered stage, and the model that computes them.
pub(super) struct Outputs<'o> {
    model: &'o Model,
    found: BTreeMap<Key, usize>,
    /// The type of each word of a vertex.
    kinds: Vec<ScalarKind>,
}

impl<'o> Outputs<'o> {
    /// Makes the outputs `leaves`. An unexpected output is a difference. `originals` are the outputs of the original.
    pub(super) fn new(model: &'o Model, originals: &[Leaf], leaves: &[Leaf]) -> Result<Self, Stop> {
        let found = components(leaves);
        let all = components(originals).into_keys().map(|key| (key, Number::ZERO)).collect();
        let wanted = model.lowered(&all);
        let is_known = |key: &&Key| wanted.contains_key(key) || model.left.contains(key);
        if let Some(key) = found.keys().find(|key| !is_known(key)) {
            let message = format!("it has the unexpected output {}", key.title());
            return Err(broken(Part::Lowered, message));
        }
        let of = |leaf: &Leaf| iter::repeat_n(leaf.kind, leaf.words() as usize);
        Ok(Outputs { model, found, kinds: leaves.iter().flat_map(of).collect() })
    }

    /// Compares a vertex with the original's vertex. A reported difference names `draw` and the vertex `at`.
    pub(super) fn check(
        &self,
        original: &Vertex,
        vertex: &[u32],
        (draw, at): (String, (u32, u32)),
    ) -> Result<(), Stop> {
        for (key, right) in self.model.lowered(original) {
            let word = self.found.get(&key);
            // An output that is never written may be missing.
            let bits = word.map_or(0, |word| vertex[*word]);
            let is_float = word.is_none_or(|word| self.kinds[*word] == ScalarKind::Float);
            if right.is(bits, is_float) {
                continue;
            }
            let message = match word {
                Some(_) => "an output has a different value".to_owned(),
                None => format!("it lacks the output {}", key.title()),
            };
            return Err(Stop::from(Difference {
                draw: Some(draw),
                vertex: Some(at),
                varying: Some(key.title()),
                expected: Some(value(right)),
                found: word.map(|_| value(Number::Bits(bits))),
                ..Difference::new(Part::Lowered, message)
            }));
        }
        Ok(())
    }
}

fn value(right: Number) -> Value {
    let number = match right {
        Number::Near(number, error) | Number::Overflowing(number, error) => {
            format!("{number:?} ± {error:e}")
        }
        _ => format!("{:?}", right.float()),
    };
    Value { bits: vec![right.bits()], number }
}
