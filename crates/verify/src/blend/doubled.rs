//! A variant of the original with doubled colours. It is the same computation in a form that a driver compiles
//! differently.
//!
//! llvmpipe keeps updating a value from a loop body that is used after the loop, even for pixels that have left the
//! loop. After `do colour += step; while (colour.x < end)` it writes the right `colour`, but computes `colour * 0.75`
//! one step too far for pixels that leave before others. The lowered shader computes with the colour, and so does
//! this variant.

use super::{Pixel, SourceColours};
use crate::leaves::ScalarKind;
use crate::record;
use crate::run::Task;
use crate::targets;
use crate::verdict::{Stop, not_comparable};
use polyshade::spv::{Op, StorageClass};
use polyshade::{Error, Module, rewrite};

/// Returns a variant of the original that writes each float output doubled.
///
/// ```text
/// %value = OpLoad %type %output
/// %twice = OpFAdd %type %value %value
///          OpStore %output %twice
/// ```
pub(super) fn doubled(task: &Task<'_>, original: &Module<'_>) -> Result<Module<'static>, Stop> {
    let (name, model) = (task.job.entry, task.job.stage);
    let failed =
        |error: Error| not_comparable(format!("cannot double the original's colours: {error}"));
    let isolated = rewrite::isolate(original, name, model).map_err(failed)?;
    let m = &isolated.module;
    let leaves = task.leaves(m, StorageClass::OUTPUT).map_err(not_comparable)?;
    let colours = leaves
        .iter()
        .filter(|leaf| (leaf.kind, leaf.bits) == (ScalarKind::Float, 32) && leaf.builtin.is_none());
    let rewritten = m.rewrite(|m, p| {
        let entry = m.entry_point(name, model)?;
        let at = rewrite::wrap(m, p, entry).epilogue;
        for leaf in colours {
            let mut code = p.at(at);
            let pointer = record::output(&mut code, leaf, None);
            let value = code.load(leaf.ty, pointer);
            let twice = code.binary(Op::F_ADD, leaf.ty, value, value);
            code.store(pointer, twice);
        }
        Ok(())
    });
    Ok(rewritten.map_err(failed)?.module.into_owned())
}

/// Marks pixels of `sources` as undefined if they are not half of the pixel in `doubled`. Returns whether there are
/// any.
pub(super) fn leave_out(
    target: &targets::ColourTarget,
    sources: &mut SourceColours,
    doubled: &[Pixel],
) -> bool {
    let mut is_any = false;
    for (one, twice) in sources.iter_mut().zip(doubled) {
        if *one != Pixel::Undefined && !is_twice(target, *one, *twice) {
            *one = Pixel::Undefined;
            is_any = true;
        }
    }
    is_any
}

fn is_twice(target: &targets::ColourTarget, one: Pixel, twice: Pixel) -> bool {
    let (Pixel::Covered(one), Pixel::Covered(twice)) = (one, twice) else { return one == twice };
    if target.kind() != Some(ScalarKind::Float) {
        return target.is_same(one, twice);
    }
    let parts = one.floats().into_iter().zip(twice.floats()).zip(target.written());
    // Drivers may flush denormals.
    let is_twice = |one: f32, twice: f32| 2.0 * one == twice || twice.abs() < f32::MIN_POSITIVE;
    parts.into_iter().all(|((one, twice), is_written)| !is_written || is_twice(one, twice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::Colour;
    use crate::targets::tests::target;

    #[test]
    fn what_is_not_doubled_is_left_out_and_nothing_else() {
        let covered = |parts| Pixel::Covered(Colour::of(parts));
        let sources = [
            covered([0.25, 0.5, 0.0, 1.0]),
            covered([0.25, 0.5, 0.0, 1.0]),
            covered([1e-39, 0.5, 0.0, 1.0]),
            Pixel::Uncovered,
            Pixel::Undefined,
        ];
        let doubled = [
            covered([0.5, 1.0, 0.0, 1.0]),
            covered([0.5, 1.5, 0.0, 1.0]),
            covered([0.0, 1.0, 0.0, 1.0]),
            Pixel::Uncovered,
            covered([0.5; 4]),
        ];
        let target = target(ScalarKind::Float, 2);
        let mut left = sources.to_vec();
        assert!(leave_out(&target, &mut left, &doubled));
        let mut right = sources.to_vec();
        right[1] = Pixel::Undefined;
        assert_eq!(left, right);
        assert!(!leave_out(&target, &mut left, &doubled));
    }
}
