//! Property tests over random groups of draws.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::fmt::Debug;

/// Returns a number from the environment, or a default.
fn number(name: &str, otherwise: u32) -> u32 {
    let Ok(text) = std::env::var(name) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number"))
}

/// Returns a strategy for lists of random numbers.
pub(crate) fn numbers(length: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), length)
}

/// Checks `count` groups, unless `POLYSHADE_GROUPS` is set, with the seed `POLYSHADE_SEED`. A failing group is
/// simplified as long as it still fails. `check` returns a description of the difference, if any.
pub(crate) fn check_groups<G: Debug>(
    (count, max_shrink_iters): (u32, u32),
    groups: impl Strategy<Value = G>,
    check: impl Fn(&G) -> Result<(), String>,
) {
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&number("POLYSHADE_SEED", 0).to_le_bytes());
    let (cases, failure_persistence) = (number("POLYSHADE_GROUPS", count), None);
    let config = Config { cases, failure_persistence, max_shrink_iters, ..Config::default() };
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let ran = TestRunner::new_with_rng(config, random)
        .run(&groups, |group| check(&group).map_err(TestCaseError::fail));
    match ran {
        Err(TestError::Fail(reason, group)) => panic!("{reason}\n{group:?}"),
        other => other.expect("nothing is passed over"),
    }
}
