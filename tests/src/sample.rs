//! Samples the cases of tests that would otherwise take too long.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Returns one of `one_in` cases, and at least one case, in order. The choice changes with each commit, because
/// `cargo xtask test` derives `POLYSHADE_SAMPLE` from the commit. If `POLYSHADE_WHOLE` is set, all cases are
/// returned.
pub fn sample<T>(cases: impl IntoIterator<Item = T>, one_in: usize) -> impl Iterator<Item = T> {
    sample_by((), cases, one_in)
}

/// Returns a sample that also depends on `key`, so that callers with the same cases can choose different samples.
pub fn sample_by<T>(
    key: impl Hash,
    cases: impl IntoIterator<Item = T>,
    one_in: usize,
) -> impl Iterator<Item = T> {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let cases: Vec<T> = cases.into_iter().collect();
    let whole = env::var_os("POLYSHADE_WHOLE").is_some();
    let seed = env::var("POLYSHADE_SAMPLE").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let seed = hasher.finish().wrapping_add(seed);
    let chosen = chosen(cases.len(), if whole { 1 } else { one_in }, seed);
    cases.into_iter().zip(chosen).filter_map(|(case, chosen)| chosen.then_some(case))
}

/// Returns, for each of `count` cases, whether it is chosen.
fn chosen(count: usize, one_in: usize, seed: u64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&case| mixed(seed.wrapping_add(mixed(case as u64))));
    let mut chosen = vec![false; count];
    for &case in &order[..count.div_ceil(one_in)] {
        chosen[case] = true;
    }
    chosen
}

/// The finalizer of the random number generator `SplitMix64`.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_choose_every_case_and_each_seed_one_in_so_many() {
        let mut times = [0; 40];
        for seed in 0..400 {
            let chosen = chosen(40, 8, seed);
            assert_eq!(chosen.iter().filter(|&&one| one).count(), 5);
            chosen.iter().zip(&mut times).for_each(|(&one, times)| *times += u32::from(one));
        }
        assert!(times.iter().all(|times| (20..90).contains(times)), "{times:?}");
        assert_eq!(chosen(3, 8, 1).iter().filter(|&&one| one).count(), 1);
        assert_eq!(chosen(3, 1, 1), [true; 3]);
        assert_eq!(chosen(0, 8, 1), [false; 0]);
    }
}
