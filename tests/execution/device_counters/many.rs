//! The counter pass's shaders alone, with more draws, jobs and indices than one invocation can process on lavapipe,
//! which ends the loops of an invocation after 65,535 iterations in total. The results are compared with a serial
//! evaluator.

mod tables;

use crate::drivers::{DRIVERS, Driver};
use crate::memory::{bytes, words};
use crate::noise::Noise;
use polyshade::transform_feedback::{MAX_BUFFERS, Topology};
use polyshade_planner::ParamValue;
use polyshade_planner::counter_pass::{
    self as counter_pass, Arguments, Draws, Geometry, Job, Shader, place_in,
};
use polyshade_vulkan::{Descriptor, Draw, Range, Resource, Stage, Work, vk};

/// The number of draws, jobs or groups: more than a loop may have iterations, or a dispatch groups in one dimension.
const MANY: u32 = 70_000;

/// The buffers by binding: the counter pass's own memory, states, arguments, and counters followed by draw counts.
const OWN: u32 = 0;
const STATES: u32 = 1;
const ARGUMENTS: u32 = 2;
const COUNTERS: u32 = 3;

const STATE_COUNT: u32 = 3;
const QUERY_COUNT: u32 = 2;
const COUNTER_COUNT: u32 = 8;
/// The variants' host parameters, and the size in bytes of the block with one draw's parameters.
const WORDS: [ParamValue; 5] = [
    ParamValue::VertexCount,
    ParamValue::PrimitiveCount,
    ParamValue::Limit,
    ParamValue::DeviceCounter(0),
    ParamValue::DeviceCounter(1),
];
const BLOCK: u32 = 20;
/// The contents of memory that nothing has written.
const EMPTY: u32 = 0xcdcd_cdcd;

/// Returns the number of primitives of this many vertices.
type Primitives = fn(u32) -> u32;

const TOPOLOGIES: [(Topology, u32, Primitives); 5] = [
    (Topology::PointList, 1, |count| count),
    (Topology::LineList, 2, |count| count / 2),
    (Topology::LineStrip, 2, |count| count.saturating_sub(1)),
    (Topology::TriangleList, 3, |count| count / 3),
    (Topology::TriangleFan, 3, |count| count.saturating_sub(2)),
];

/// A job, independent of its encoding.
#[derive(Clone, Default)]
struct Meant {
    state: u32,
    query: Option<u32>,
    begin: Option<[Option<u32>; 2]>,
    end: Option<[Option<u32>; 2]>,
    topology: usize,
    geometry: Option<Geometry>,
    /// The number of primitives that each draw has emitted, if only the device knows it.
    emitted: Vec<u32>,
    /// The size and stride of each of two buffers.
    buffers: [(u32, u32); 2],
    /// Vertices and instances of each draw.
    draws: Vec<[u32; 2]>,
    /// The draw count in a buffer. If `None`, the job has one draw and contains the draw's parameters.
    counted: Option<u32>,
}

/// The contents of memory when all jobs are done.
#[derive(Default, PartialEq, Debug)]
struct Left {
    commands: Vec<[u32; 5]>,
    blocks: Vec<[u32; 5]>,
    counters: Vec<u32>,
    /// Written and needed primitives.
    queries: Vec<[u64; 2]>,
}

/// Returns the contents of memory after all jobs have run in order.
fn evaluated(jobs: &[Meant]) -> Left {
    let mut states = [[0_u32; 2]; STATE_COUNT as usize];
    let mut left = Left {
        counters: (0..COUNTER_COUNT).map(|number| 8 * number).collect(),
        queries: vec![[0; 2]; QUERY_COUNT as usize],
        ..Left::default()
    };
    for job in jobs {
        let filled = &mut states[job.state as usize];
        // Begin: read the counters.
        if let Some(begin) = job.begin {
            *filled = begin.map(|at| at.map_or(0, |at| left.counters[at as usize]));
        }
        let (_, mut vertices, primitives) = TOPOLOGIES[job.topology];
        let mut emitted = 1;
        if let Some(geometry) = job.geometry {
            let kinds = [Topology::PointList, Topology::LineList, Topology::TriangleList];
            let kind = kinds.into_iter().position(|kind| kind == geometry.topology);
            vertices = kind.expect("stages emit lists") as u32 + 1;
            emitted = u64::from(geometry.primitives);
        }
        // Capture each draw as far as all buffers have room.
        for (number, [count, instances]) in (0..).zip(&job.draws) {
            let is_drawn = job.counted.is_none_or(|counted| number < counted);
            let instances = if is_drawn { *instances } else { 0 };
            let needed = emitted * u64::from(primitives(*count)) * u64::from(instances);
            let needed = match job.emitted.get(number as usize) {
                Some(emitted) if primitives(*count) > 0 && instances > 0 => u64::from(*emitted),
                Some(_) => 0,
                None => needed,
            };
            let fits = job.buffers.iter().zip(&*filled).filter(|((_, stride), _)| *stride > 0);
            let fits = fits.map(|((size, stride), filled)| {
                u64::from(size.saturating_sub(*filled) / (stride * vertices))
            });
            let written = fits.fold(needed, u64::min);
            let limit = u32::try_from(written).expect("ranges are small") * vertices;
            // A geometry stage without primitives runs nevertheless, and its buffers are full.
            let is_lost = job.geometry.is_some() && primitives(*count) == 0;
            let [first, second] = if is_lost { [!3; 2] } else { *filled };
            left.blocks.push([*count, primitives(*count), limit, first, second]);
            left.commands.push([*count, instances, 0, 0, 0]);
            for (filled, (_, stride)) in filled.iter_mut().zip(job.buffers) {
                *filled += stride * limit;
            }
            if let Some(query) = job.query {
                let query = &mut left.queries[query as usize];
                *query = [query[0] + written, query[1] + needed];
            }
        }
        // End: write the counters.
        for (at, filled) in job.end.iter().flatten().zip(&*filled) {
            if let Some(at) = at {
                left.counters[*at as usize] = *filled;
            }
        }
    }
    left
}

/// The layout of the counter pass's own memory: the template, then queries, blocks, commands and jobs.
struct Places {
    queries: u32,
    blocks: u32,
    commands: u32,
    jobs: u32,
}

impl Places {
    fn new(draws: u32) -> Self {
        let queries = 128;
        let blocks = queries + QUERY_COUNT * Job::QUERY_SIZE;
        let commands = blocks + draws * BLOCK;
        Self { queries, blocks, commands, jobs: commands + draws * Job::COMMAND_SIZE }
    }

    fn job(&self, meant: &Meant, before: u32, [count_at, emitted_at]: [u32; 2]) -> Job {
        // Counters and arguments by their positions.
        let counters = |counters: [Option<u32>; 2]| {
            let mut places = [0; MAX_BUFFERS];
            for (place, at) in places.iter_mut().zip(counters) {
                *place = at.map_or(0, |at| place_in(COUNTERS, 4 * at));
            }
            places
        };
        let count = meant.draws.len() as u32;
        let arguments = match (meant.counted, meant.draws.first()) {
            (None, Some([count, instance_count])) => Arguments::Direct {
                count: *count,
                instance_count: *instance_count,
                first: 0,
                vertex_offset: 0,
                first_instance: 0,
            },
            _ => Arguments::Indirect {
                place: place_in(ARGUMENTS, 16 * before),
                stride: 16,
                count: place_in(COUNTERS, 4 * (COUNTER_COUNT + count_at)),
                indexed: false,
            },
        };
        let mut buffers = [(0, 0); MAX_BUFFERS];
        buffers[..2].copy_from_slice(&meant.buffers);
        // The draws and the job.
        let draws = Draws {
            topology: TOPOLOGIES[meant.topology].0,
            arguments,
            count,
            predicate: None,
            buffers,
            template: place_in(OWN, 0),
            param_count: WORDS.len() as u32,
            blocks: place_in(OWN, self.blocks + before * BLOCK),
            block_stride: BLOCK,
            commands: place_in(OWN, self.commands + before * Job::COMMAND_SIZE),
            groups: 0,
            segments: None,
            geometry: meant.geometry.map(|geometry| Geometry {
                emitted: if meant.emitted.is_empty() { 0 } else { place_in(OWN, emitted_at) },
                ..geometry
            }),
        };
        Job {
            state: place_in(STATES, meant.state * Job::STATE_SIZE),
            begin: meant.begin.map(counters),
            draws: (count > 0).then_some(draws),
            query: meant.query.map_or(0, |at| place_in(OWN, self.queries + at * Job::QUERY_SIZE)),
            end: meant.end.map(counters),
        }
    }
}

/// Dispatches a shader of the counter pass with these buffers, for a job list or for a number of jobs.
fn dispatched(
    driver: Driver,
    shader: Shader,
    mut buffers: Vec<Vec<u8>>,
    (first, count): (u32, u32),
    groups: [u32; 3],
) -> Vec<Vec<u8>> {
    buffers.resize(counter_pass::BUFFERS as usize, vec![0; 4]);
    let stage = Stage::new(vk::ShaderStageFlags::COMPUTE, shader.bound_words());
    let descriptors = buffers.iter().enumerate().map(|(buffer, bytes)| {
        let range = Range { buffer, offset: 0, size: bytes.len() as u64 };
        Descriptor::new(0, buffer as u32, Resource::StorageBuffer(range))
    });
    let place = place_in(OWN, first);
    let push_constants = bytes(&[place as u32, (place >> 32) as u32, count]);
    let draw = Draw {
        descriptors: descriptors.collect(),
        dispatch: Some(groups),
        push_constants,
        ..Draw::new(vec![stage], 0..0)
    };
    driver.run(&Work { buffers, draws: vec![draw], ..Work::default() }).buffers
}

/// Runs the counter pass on memory that initially contains a fill value.
fn kept(driver: Driver, jobs: &[Meant]) -> Left {
    // Fill the pass's own memory.
    let draws: Vec<[u32; 2]> = jobs.iter().flat_map(|job| &job.draws).copied().collect();
    let places = Places::new(draws.len() as u32);
    let mut own = vec![EMPTY; places.jobs as usize / 4];
    let template = counter_pass::template(&WORDS, |_| 0);
    own[..template.len()].copy_from_slice(&template);
    own[places.queries as usize / 4..places.blocks as usize / 4].fill(0);
    let mut counters: Vec<u32> = (0..COUNTER_COUNT).map(|number| 8 * number).collect();
    let (mut before, mut emitted) = (0, Vec::<u32>::new());
    // Append the jobs, the draw counts and the numbers of emitted primitives.
    let emitted_at = places.jobs + jobs.len() as u32 * Job::SIZE;
    for job in jobs {
        let count_at = counters.len() as u32 - COUNTER_COUNT;
        counters.extend(job.counted);
        let emitted_at = emitted_at + 4 * emitted.len() as u32;
        emitted.extend(&job.emitted);
        own.extend(places.job(job, before, [count_at, emitted_at]).words());
        before += job.draws.len() as u32;
    }
    own.extend(emitted);
    // Dispatch.
    let arguments: Vec<u32> =
        draws.iter().flat_map(|[count, many]| [*count, *many, 0, 0]).collect();
    let states = vec![0xab; (STATE_COUNT * Job::STATE_SIZE) as usize];
    let buffers =
        vec![bytes(&own), states, [bytes(&arguments), vec![0; 16]].concat(), bytes(&counters)];
    let of_jobs = (places.jobs, jobs.len() as u32);
    let buffers = dispatched(driver, Shader::Count, buffers, of_jobs, [1, 1, 1]);
    // Read the results back.
    let own = words(&buffers[OWN as usize]);
    let part = |from: u32, to: u32| &own[from as usize / 4..to as usize / 4];
    let by_five = |from: u32, to: u32| part(from, to).as_chunks::<5>().0.to_vec();
    let queries = part(places.queries, places.blocks).as_chunks::<4>().0;
    let queries = queries.iter().map(|[a, b, c, d]| {
        [[a, b], [c, d]].map(|[low, high]| u64::from(*low) | u64::from(*high) << 32)
    });
    Left {
        commands: by_five(places.commands, places.jobs),
        blocks: by_five(places.blocks, places.commands),
        counters: words(&buffers[COUNTERS as usize])[..COUNTER_COUNT as usize].to_vec(),
        queries: queries.collect(),
    }
}

#[track_caller]
fn has_device_counters(what: &str, jobs: &[Meant]) {
    let right = evaluated(jobs);
    for driver in DRIVERS {
        let found = kept(driver, jobs);
        let wrong = |found: &[[u32; 5]], right: &[[u32; 5]]| {
            found.iter().zip(right).position(|(found, right)| found != right)
        };
        assert_eq!(wrong(&found.commands, &right.commands), None, "{driver:?} {what}: commands");
        assert_eq!(wrong(&found.blocks, &right.blocks), None, "{driver:?} {what}: words");
        assert_eq!(found.counters, right.counters, "{driver:?} {what}");
        assert_eq!(found.queries, right.queries, "{driver:?} {what}");
    }
}

/// Returns a capture into two buffers, the first with room for this many vertices.
fn one_capture(room: u32) -> Meant {
    Meant {
        query: Some(1),
        begin: Some([Some(1), None]),
        end: Some([Some(2), Some(3)]),
        topology: 3,
        buffers: [(4 * room, 4), (1 << 30, 8)],
        ..Meant::default()
    }
}

/// A pass of many draws, each in its own job or all in one job, with room for all, some or none of the captured data.
#[test]
fn a_capture_of_many_draws_is_counted() {
    let mut noise = Noise::new();
    for room in [4 * MANY, MANY] {
        let draws: Vec<[u32; 2]> = (0..MANY).map(|_| [noise.below(5), noise.below(3)]).collect();
        let whole = one_capture(room);
        let jobs: Vec<Meant> = draws
            .iter()
            .map(|one| {
                let topology = [0, 3, 3, 4][noise.below(4) as usize];
                Meant { begin: None, end: None, topology, draws: vec![*one], ..whole.clone() }
            })
            .collect();
        let begin = Meant { end: None, query: None, ..whole.clone() };
        let end = Meant { begin: None, query: None, ..whole.clone() };
        has_device_counters(&format!("{room} jobs"), &[vec![begin], jobs, vec![end]].concat());
        let counted = Some(MANY);
        has_device_counters(&format!("{room} draws"), &[Meant { draws, counted, ..whole }]);
    }
}

/// Draws beyond the count in the buffer get no instances.
#[test]
fn what_a_count_leaves_out_is_not_drawn() {
    let draws = vec![[3, 1]; MANY as usize];
    has_device_counters("one is drawn", &[Meant { draws, counted: Some(1), ..one_capture(100) }]);
}

/// Captures that begin and end at counters repeatedly: each continues at the counter that the previous one wrote.
#[test]
fn captures_that_go_on_at_counters_are_walked() {
    let whole = Meant { end: Some([Some(1), None]), draws: vec![[3, 1]], ..one_capture(30_000) };
    has_device_counters("chain", &vec![whole; 12_000]);
}

/// Random jobs.
#[test]
fn jobs_are_done_in_their_order() {
    let mut noise = Noise::new();
    for number in 0..12 {
        let rare = 2 + noise.below(200);
        let jobs: Vec<Meant> = (0..noise.below(700))
            .map(|_| {
                let mut rarely = || noise.below(rare) == 0;
                let (begins, ends, is_other, is_counted) = (rarely(), rarely(), rarely(), rarely());
                let counter =
                    |noise: &mut Noise| (noise.below(3) > 0).then(|| noise.below(COUNTER_COUNT));
                let many = if is_counted { noise.below(400) } else { noise.below(2) };
                let emits = [Topology::PointList, Topology::LineList, Topology::TriangleList];
                let geometry = (noise.below(3) == 0).then(|| Geometry {
                    topology: emits[noise.below(3) as usize],
                    primitives: noise.below(4),
                    emitted: 0,
                    indexed: noise.below(2) == 0,
                    has_streams: noise.below(2) == 0,
                });
                let draws: Vec<_> = (0..many).map(|_| [noise.below(6), noise.below(3)]).collect();
                let is_known = geometry.is_none() || noise.below(2) == 0;
                let emitted = draws.iter().filter(|_| !is_known).map(|_| noise.below(9)).collect();
                Meant {
                    geometry,
                    emitted,
                    state: if is_other { noise.below(STATE_COUNT) } else { 0 },
                    query: if is_other { None } else { Some(noise.below(QUERY_COUNT * 40) / 79) },
                    begin: begins.then(|| [counter(&mut noise), counter(&mut noise)]),
                    end: ends.then(|| [counter(&mut noise), counter(&mut noise)]),
                    topology: noise.below(5) as usize,
                    buffers: [(4 * (500 + noise.below(2)), 4 * noise.below(3)), (4 * 900, 4)],
                    draws,
                    counted: is_counted.then(|| noise.below(450)),
                }
            })
            .collect();
        // States are undefined until captures begin in them.
        let starts = (0..STATE_COUNT).map(|state| Meant {
            state,
            begin: Some([None; 2]),
            ..Meant::default()
        });
        has_device_counters(&format!("random {number}"), &starts.chain(jobs).collect::<Vec<_>>());
    }
}
