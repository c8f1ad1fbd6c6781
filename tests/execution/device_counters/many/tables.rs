//! The tables of segments of many draws and indices.

use super::{ARGUMENTS, COUNTERS, EMPTY, MANY, OWN, dispatched};
use crate::drivers::{DRIVERS, Driver};
use crate::memory::{bytes, words};
use crate::noise::Noise;
use polyshade::transform_feedback::{self as feedback, IndexType, MAX_BUFFERS, Topology};
use polyshade_planner::counter_pass::{Arguments, Draws, Job, List, Segments, Shader, place_in};

/// Returns the segment tables of draws, made by this many groups from one job or from a list with a job per draw.
fn tables(
    driver: Driver,
    indices: &[u8],
    index_type: IndexType,
    draws: &[[u32; 2]],
    by_list: bool,
    groups: [u32; 3],
) -> Vec<Vec<u32>> {
    // The layout of tables, jobs and list.
    let most = draws.iter().map(|[_, count]| count * index_type.bytes()).max().unwrap_or(0);
    let table_size = Segments::table_size(index_type, most);
    let segments = Segments {
        index_type,
        indices: place_in(ARGUMENTS, 0),
        size: indices.len() as u32,
        tables: 0,
        table_size,
        pool: 0,
        is_built: false,
    };
    let jobs_at = List::SIZE.next_multiple_of(16);
    let job_count = if by_list { draws.len() as u32 } else { 1 };
    let tables_at = jobs_at + job_count * Job::SIZE;
    let draws_of_job = draws.len() as u32 / job_count;
    // Jobs with indirect draws that need only segment tables.
    let jobs = (0..job_count).flat_map(|number| {
        let tables = place_in(OWN, tables_at + number * table_size);
        let arguments = Arguments::Indirect {
            place: place_in(COUNTERS, 20 * number),
            stride: 20,
            count: 0,
            indexed: true,
        };
        let draws = Draws {
            topology: Topology::TriangleStrip,
            arguments,
            count: draws_of_job,
            predicate: None,
            buffers: [(0, 0); MAX_BUFFERS],
            template: 0,
            param_count: 0,
            blocks: 0,
            block_stride: 0,
            commands: 0,
            groups: 0,
            segments: Some(Segments { tables, ..segments }),
            geometry: None,
        };
        Job { draws: Some(draws), ..Job::default() }.words()
    });
    let jobs: Vec<u32> = jobs.collect();
    // Fill the memory and dispatch.
    let list = List { jobs: place_in(OWN, jobs_at), count: job_count, restarted: draws_of_job };
    let mut own = list.words().to_vec();
    own.resize(jobs_at as usize / 4, 0);
    own.extend(jobs);
    own.resize((tables_at + draws.len() as u32 * table_size) as usize / 4, EMPTY);
    let arguments: Vec<u32> =
        draws.iter().flat_map(|[first, count]| [*count, 1, *first, 0, 0]).collect();
    let buffers = vec![bytes(&own), vec![0; 4], indices.to_vec(), bytes(&arguments)];
    let push = if by_list { (0, List::COUNT) } else { (jobs_at, 1) };
    let own = words(&dispatched(driver, Shader::Segments, buffers, push, groups)[OWN as usize]);
    own[tables_at as usize / 4..].chunks(table_size as usize / 4).map(<[u32]>::to_vec).collect()
}

/// Checks that a table equals the table that the host makes for a draw.
#[track_caller]
fn is_table_of(found: &[u32], indices: &[u8], index_type: IndexType, [first, count]: [u32; 2]) {
    let topology = Topology::TriangleStrip;
    let right = feedback::Segments::find(topology, index_type, indices, first, count);
    let right = right.expect("the indices are there");
    assert!(found[..right.table().len()] == right.table()[..], "{index_type:?}");
}

#[test]
fn restarts_are_found_in_many_indices() {
    const INDICES: u32 = 4_300_000;
    let mut few: Vec<u16> = (0..INDICES).map(|number| (number % 50_000) as u16).collect();
    for at in [7, INDICES / 2, INDICES - 5] {
        few[at as usize] = u16::MAX;
    }
    let all = vec![u16::MAX; INDICES as usize];
    for driver in DRIVERS {
        for indices in [&few, &all] {
            let indices: Vec<u8> = indices.iter().flat_map(|one| one.to_ne_bytes()).collect();
            let (index_type, draw) = (IndexType::Uint16, [0, INDICES]);
            let found = tables(driver, &indices, index_type, &[draw], false, [1, 1, 1]);
            is_table_of(&found[0], &indices, index_type, draw);
        }
    }
}

/// One dimension of a dispatch has at most 65,535 groups, so further draws are in further rows. The first draw of
/// each row is checked, for one job and for a list of jobs.
#[test]
fn restarts_are_found_in_many_draws() {
    let mut noise = Noise::new();
    let of_any = |noise: &mut Noise| (noise.below(4) as u8).wrapping_sub(1);
    let indices: Vec<u8> = (0..1000).map(|_| of_any(&mut noise)).collect();
    let draws: Vec<[u32; 2]> = (0..MANY).map(|_| [noise.below(990), 2 + noise.below(9)]).collect();
    let list = List { count: MANY, restarted: 1, ..List::default() }.words();
    assert_eq!(list[List::SEGMENTS as usize / 4..], [65_535, 2, 1]);
    for (by_list, groups) in [(true, [1, 2, 1]), (false, [1, 1, 2])] {
        for driver in DRIVERS {
            let found = tables(driver, &indices, IndexType::Uint8, &draws, by_list, groups);
            let is_made = |table: &Vec<u32>| table[0] != EMPTY;
            let made: Vec<usize> = (0..found.len()).filter(|one| is_made(&found[*one])).collect();
            assert_eq!(made, [0, 65_535], "{driver:?} {by_list}");
            for number in made {
                is_table_of(&found[number], &indices, IndexType::Uint8, draws[number]);
            }
        }
    }
}
