//! Vertex pulling: `verify` finds it equal, and different if it has a deliberate fault.

use crate::subject::{self, DRIVERS, Driver, job, judge, vertex};
use polyshade::host::{AddressSource, ParamSource, Target};
use polyshade::spv::ExecutionModel;
use polyshade::vertex_pulling::{self, Attribute, Buffer, Options, Rate, Robustness};
use polyshade_tests::sample::sample_by;

use polyshade_verify::{Lowering, Part, Pulls, Verdict};

/// Matrices, arrays, shared locations, integers, per-instance inputs (locations 3 and 7), and an unused input.
const SHADER: &str = "layout(location = 0) in mat3x2 m;
    layout(location = 3) in vec4 of_instance;
    layout(location = 4) in vec2 array[2];
    layout(location = 6) in int first;
    layout(location = 6, component = 1) in ivec3 rest;
    layout(location = 7) in uvec3 number;
    layout(location = 8) in vec4 unused;
    layout(location = 0) out vec4 v_sum;
    layout(location = 1) flat out uvec4 v_numbers;
    void main() {
        v_sum = vec4(m[0] + m[1], m[2]) + vec4(array[0], array[1]);
        v_numbers = uvec4(number, first) + uvec4(rest, gl_InstanceIndex);
        gl_Position = of_instance;
    }";

#[track_caller]
fn verify(driver: Driver, options: &Options, given: Option<Vec<u32>>) -> Verdict {
    let words = vertex(SHADER);
    let module = subject::parsed(&words);
    let pulls = Pulls { target: &Target::new("main"), options };
    let mut job = job(&module, ExecutionModel::VERTEX, Lowering::Pull(pulls));
    job.given = given.into_iter().map(|words| (Part::Lowered, words)).collect();
    judge(driver, &job)
}

#[test]
fn what_is_fetched_is_what_the_fixed_function_fetches() {
    let by_address = ParamSource::Address(AddressSource::PushConstant { offset: 0 });
    let all = [
        Options::new(),
        Options::new().params(ParamSource::Uniform {
            set: polyshade::host::Set(1),
            binding: polyshade::host::Binding(0),
        }),
        Options::new().params(by_address).robustness(Robustness::Access),
    ];
    for options in all {
        for driver in sample_by(format!("{options:?}"), DRIVERS, DRIVERS.len()) {
            subject::equal((driver, &options), verify(driver, &options, None));
        }
    }
}

/// Shaders with a wrong stride, a wrong rate or two exchanged attributes are detected.
#[test]
fn what_is_fetched_from_elsewhere_is_different() {
    let words = vertex(SHADER);
    let module = subject::parsed(&words);
    // The layout that `verify` uses: one buffer for per-vertex attributes, and one for per-instance attributes.
    let formats = [
        "r32g32_sfloat",
        "r32g32_sfloat",
        "r32g32_sfloat",
        "r32g32b32a32_sfloat",
        "r32g32_sfloat",
        "r32g32_sfloat",
        "r32g32b32a32_sint",
        "r32g32b32_uint",
        "r32g32b32a32_sfloat",
    ];
    let mut options = Options::new();
    let mut ends = [0; 2];
    for (location, format) in (0..).zip(formats) {
        let format: vertex_pulling::Format = format.parse().expect("it is a format");
        let buffer = u32::from(location % 4 == 3);
        let end = &mut ends[buffer as usize];
        let attribute = Attribute { buffer, offset: Some(*end), format: Some(format) };
        options = options.attribute(location, attribute);
        *end += format.size();
    }
    let [stride, of_instance] = ends.map(|end: u32| end.next_multiple_of(8));
    let buffer = |stride, rate| Buffer { stride: Some(stride), rate: Some(rate) };
    let right = options
        .buffer(0, buffer(stride, Rate::Vertex))
        .buffer(1, buffer(of_instance, Rate::Instance { divisor: 1 }));
    let other_stride =
        right.clone().buffer(0, buffer(stride - 8, Rate::Vertex)).access_beyond_stride(true);
    let other_rate = right.clone().buffer(1, buffer(of_instance, Rate::Vertex));
    let swapped =
        right.clone().attribute(4, right.attributes()[&5]).attribute(5, right.attributes()[&4]);
    for (number, options) in [&right, &other_stride, &other_rate, &swapped].into_iter().enumerate()
    {
        let made = vertex_pulling::lower(&module, "main", options).expect("it is lowered");
        for driver in subject::sampled(&DRIVERS, made.module.words()) {
            let verdict = verify(driver, &Options::new(), Some(made.module.words().to_vec()));
            let is_equal = matches!(verdict, Verdict::Equal(_));
            assert_eq!(is_equal, number == 0, "{driver:?} {number}: {verdict:?}");
        }
    }
}
