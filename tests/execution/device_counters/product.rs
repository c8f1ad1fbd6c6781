//! Captures with random combinations of options are correct. A failing group is simplified as long as it still fails.

use super::{BATCH, Case, Host, Kind, LISTS, Subject, any_draw, compare, on_path};
use crate::drivers::Driver;
use crate::noise::Noise;
use crate::property::{check_groups, numbers};
use crate::storage::HOSTS;
use polyshade::host::AddressSource;
use polyshade_planner::{CounterOwner, Path};
use polyshade_vulkan::vk;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The number of groups, unless `POLYSHADE_GROUPS` is set.
const GROUPS: u32 = 12;

/// Captures that are submitted together and share options.
#[derive(Debug, Clone)]
struct Group {
    counter_owner: CounterOwner,
    path: Path,
    host: Host,
    list: usize,
    format: Option<&'static str>,
    indexed: bool,
    restart: bool,
    limit_in_vertices: bool,
    again: u32,
    cases: Vec<Case>,
}

impl Group {
    /// Makes a group from random numbers for the shared options and for each capture.
    fn drawn((common, cases): (Vec<u32>, Vec<Vec<u32>>)) -> Group {
        let noise = &mut Noise::drawn(common);
        let counter_owner = [CounterOwner::Device, CounterOwner::Host][noise.below(2) as usize];
        let path = if noise.below(3) == 2 { Path::Compute } else { Path::Storage };
        let host = host(noise, counter_owner, path);
        let indexed = noise.below(3) > 0;
        let restart = indexed && noise.below(2) == 1;
        let list = noise.below(LISTS.len() as u32) as usize;
        let format =
            (noise.below(2) == 1).then(|| super::subject::FORMATS[noise.below(6) as usize]);
        let limit_in_vertices = noise.below(2) == 1;
        let one_by_one = !host.is_address() && looks_at_ranges();
        let again = match counter_owner {
            // The host's parameters would be the same in a second submission, so there is only one.
            CounterOwner::Host => 0,
            CounterOwner::Device => noise.below(2),
        };
        let buffers = Subject::buffers(LISTS[list]);
        let in_bounds = format.is_some();
        let kind = Kind { counter_owner, buffers, indexed, restart, in_bounds, one_by_one };
        let case = |numbers| Case::random(&mut Noise::drawn(numbers), kind);
        let cases = cases.into_iter().map(case).collect();
        Group {
            counter_owner,
            path,
            host,
            list,
            format,
            indexed,
            restart,
            limit_in_vertices,
            again,
            cases,
        }
    }

    /// Returns a description of the difference, if any.
    fn compare(&self) -> Result<(), String> {
        let subject = Subject::new(LISTS[self.list], self.format, self.host, |options| {
            let options = any_draw(options, self.indexed, self.restart);
            let options =
                if self.limit_in_vertices { options.limit_in_vertices() } else { options };
            on_path(options, self.path)
        });
        compare(&subject, (self.path, self.again), &self.cases)
    }
}

/// Chooses the source of host parameters. If the device owns the counters, the parameters are in memory.
fn host(noise: &mut Noise, counter_owner: CounterOwner, path: Path) -> Host {
    // Each draw with parameters in specialization constants is a separate pipeline.
    let is_special = noise.below(16) == 15;
    let has_memory = |place: &Host| {
        place.is_address() || matches!(place, Host::StorageBuffer { .. } | Host::Uniform { .. })
    };
    let is_possible = |place: &Host| {
        let special = matches!(
            place,
            Host::Specialization { .. } | Host::Address(AddressSource::Specialization { .. })
        );
        let is_attribute = matches!(place, Host::Address(AddressSource::Attribute { .. }));
        special == is_special
            && (counter_owner == CounterOwner::Host || has_memory(place))
            && (path != Path::Compute || !is_attribute)
    };
    let possible: Vec<Host> = HOSTS.into_iter().filter(is_possible).collect();
    possible[noise.below(possible.len() as u32) as usize]
}

/// Returns whether the validation layer reports unordered draws that store to overlapping ranges. Debian's layer does
/// not.
pub(super) fn looks_at_ranges() -> bool {
    let device = Driver::Lavapipe.device();
    device
        .validation_layer()
        .is_some_and(|layer| layer.spec_version > vk::make_api_version(0, 1, 3, 239))
}

#[test]
fn whatever_comes_together_is_captured() {
    let drawn = (numbers(16..=16), prop::collection::vec(numbers(80..=240), 1..=BATCH));
    let seen = std::cell::RefCell::new((0, 0, BTreeSet::new()));
    // Compare the groups, and record which combinations ran.
    check_groups((GROUPS, 4096), drawn.prop_map(Group::drawn), |group| {
        let mut seen = seen.borrow_mut();
        seen.0 += group.cases.len();
        seen.1 += 1;
        seen.2.insert(format!(
            "{:?} {:?} {} {}",
            group.counter_owner, group.path, group.indexed, group.again
        ));
        group.compare()
    });
    let (captures, groups, kinds) = seen.into_inner();
    println!("{captures} captures in {groups} groups");
    assert!(kinds.len() >= 6, "hardly anything came together: {kinds:?}");
}
