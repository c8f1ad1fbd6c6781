//! Indexed captures, topologies with adjacency, and compute stages: equal, and different with a deliberate fault.

use crate::subject::{DRIVERS, Driver, LOST_BITS, Subject, edited, losing_bits, sampled, vertex};
use polyshade::host::{AddressSource, ParamSource};
use polyshade::transform_feedback::{IndexType, Options, Topology};
use polyshade_verify::{Part, Verdict};

const SHADER: &str = "layout(location = 0) in vec4 a;
    layout(location = 1) in ivec2 b;
    layout(set = 0, binding = 2) uniform U { vec4 scale; };
    layout(location = 0) out vec4 v;
    layout(location = 1) flat out ivec3 w;
    void main() {
        v = a * scale;
        w = ivec3(b, gl_VertexIndex * 7 + gl_InstanceIndex);
        gl_Position = a;
    }";

/// A shader without attributes, so that vertex pulling is not necessary before the capture.
const PLAIN: &str = "layout(location = 0) flat out ivec2 v;
    void main() {
        v = ivec2(gl_VertexIndex * 7, gl_InstanceIndex);
        gl_Position = vec4(v, 0, 1);
    }";

fn subject(shader: &str, list: &str, with: impl FnOnce(Options) -> Options) -> Subject {
    let mut subject = Subject::interleaved(vertex(shader), list);
    subject.options = with(subject.options);
    subject
}

#[test]
fn draws_with_indices_are_equal() {
    let by_address = ParamSource::Address(AddressSource::PushConstant { offset: 0 });
    subject(SHADER, "v w", |options| options.indexed(None)).is_equal_by_stores();
    subject(SHADER, "w gl_NextBuffer v", |options| options.indexed(None).restart())
        .is_equal_by_stores();
    let known = |options: Options| {
        options.indexed(Some(IndexType::Uint16)).restart().limit_in_vertices().params(by_address)
    };
    subject(SHADER, "v", known).is_equal_by_stores();
}

#[test]
fn captures_in_compute_stages_are_equal() {
    let by_address = ParamSource::Address(AddressSource::PushConstant { offset: 0 });
    subject(SHADER, "v w", |options| options.compute()).is_equal_by_stores();
    subject(SHADER, "w", |options| options.compute().one_instance()).is_equal_by_stores();
    let known =
        |options: Options| options.compute().indexed(None).limit_in_vertices().params(by_address);
    subject(SHADER, "w gl_NextBuffer v", known).is_equal_by_stores();
}

#[test]
fn topologies_with_adjacency_are_equal() {
    let topologies = [
        Topology::LineListWithAdjacency,
        Topology::LineStripWithAdjacency,
        Topology::TriangleListWithAdjacency,
        Topology::TriangleStripWithAdjacency,
    ];
    subject(PLAIN, "v", |options| options.topologies(topologies)).is_equal_by_stores();
}

/// Replaces a line of the capture-only variant.
type Break = fn(&str) -> Option<String>;

#[test]
fn broken_captures_are_different() {
    let breaks: [(&str, Break); 4] = [
        ("the index goes nowhere", |line| {
            line.contains("OpStore %gl_VertexIndex").then(String::new)
        }),
        ("a segment begins behind its first vertex", |line| {
            let line = line.replace("OpULessThanEqual %bool", "OpULessThan %bool");
            (line.contains("OpULessThan %bool")).then_some(line)
        }),
        ("indices have other words", |line| {
            line.contains("= OpFunctionCall %uint %word_at")
                .then(|| line.replacen("OpFunctionCall %uint %word_at", "OpIAdd %uint", 1))
                .map(|line| {
                    let mut words: Vec<&str> = line.split_whitespace().collect();
                    let last = *words.last().expect("it has operands");
                    words.truncate(4);
                    [&words[..], &[last, last]].concat().join(" ")
                })
        }),
        ("nothing is stored", |line| {
            line.contains("OpFunctionCall %void %store_to_slot").then(String::new)
        }),
    ];
    are_different(&subject(PLAIN, "v", |options| options.indexed(None).restart()), &breaks);
}

#[test]
fn broken_captures_in_compute_stages_are_different() {
    let breaks: [(&str, Break); 4] = [
        ("every instance is the first", |line| {
            line.contains("OpStore %gl_InstanceIndex").then(String::new)
        }),
        ("instances are counted as vertices", |line| {
            line.contains("OpUDiv %uint").then(|| line.replace("OpUDiv", "OpUMod"))
        }),
        ("those without a vertex capture, and no others", |line| {
            let is_of_guard = line.contains("OpULessThan %bool");
            is_of_guard.then(|| line.replace("OpULessThan", "OpUGreaterThanEqual"))
        }),
        ("work groups are smaller than they are counted", |line| {
            line.contains("LocalSize 64 1 1").then(|| line.replace("64 1 1", "4 1 1"))
        }),
    ];
    are_different(&subject(PLAIN, "v", |options| options.compute()), &breaks);
}

#[test]
fn numbers_of_vertices_and_instances_that_lose_bits() {
    let drawn = subject(PLAIN, "v", |options| options);
    let both = drawn.rewrite(|variants| {
        [Part::CaptureOnly, Part::RasterOnly, Part::Both].map(|part| {
            let module = match part {
                Part::CaptureOnly => &variants.capture_only,
                Part::RasterOnly => &variants.raster_only,
                _ => variants.both.as_ref().expect("lists are captured and rasterized"),
            };
            (part, module.words().to_vec())
        })
    });
    for (part, words) in both {
        for lost in LOST_BITS {
            let broken = drawn.clone().given(part, edited(&words, |line| losing_bits(line, lost)));
            let verdict = broken.verify(Driver::Lavapipe);
            assert!(matches!(verdict, Verdict::Different(_)), "{part} {lost:?}: {verdict:?}");
        }
    }
}

/// Checks that the subject's capture is equal, and different with each fault.
#[track_caller]
fn are_different(right: &Subject, breaks: &[(&str, Break)]) {
    let words = right.rewrite(|variants| variants.capture_only.words().to_vec());
    for driver in sampled(&DRIVERS, &words) {
        let whole = right.clone().given(Part::CaptureOnly, words.clone()).verify(driver);
        assert!(matches!(whole, Verdict::Equal(_)), "{driver:?}: {whole:?}");
        for (what, break_it) in breaks {
            let broken = right.clone().given(Part::CaptureOnly, edited(&words, break_it));
            let verdict = broken.verify(driver);
            assert!(matches!(verdict, Verdict::Different(_)), "{driver:?} {what}: {verdict:?}");
        }
    }
}
