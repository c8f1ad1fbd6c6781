//! Requirements, host parameters, specialization constants, dispatches and sizes of buffers.

use super::{CONTROL, EVALUATION, Step, VERTEX};
use super::{after, control, control_module, evaluation_module, example, steps};
use crate::geometry::DRAW;
use crate::shader::refused;
use polyshade::host::{Binding, LimitName, ParamSource, Purpose, Set, Target};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{Draw, Options, Topology};
use polyshade_tests::shader::disassemble;

/// Returns a draw of this many vertices and instances.
fn draw(vertex_count: u32, instance_count: u32) -> Draw {
    Draw { vertex_count, instance_count, ..DRAW }
}

#[test]
fn the_host_learns_descriptors_and_limits() {
    let made = example(&Options::new().into_storage(Set(2), Binding(10)));
    let [inputs, patches, table, points, indices] =
        [Purpose::Inputs, Purpose::Patches, Purpose::Counts, Purpose::Points, Purpose::Indices];
    let of_step = [
        (ExecutionModel::GL_COMPUTE, vec![(10, inputs), (11, patches), (15, Purpose::HostParams)]),
        (
            ExecutionModel::GL_COMPUTE,
            vec![
                (11, patches),
                (12, table),
                (13, points),
                (14, indices),
                (15, Purpose::HostParams),
            ],
        ),
        (ExecutionModel::GL_COMPUTE, vec![(11, patches), (12, table), (13, points), (14, indices)]),
        (ExecutionModel::VERTEX, vec![(11, patches), (12, table), (13, points)]),
    ];
    for (step, (stage, expected)) in made.iter().zip(of_step) {
        let found = &step.requirements.descriptors;
        assert!(found.iter().all(|one| one.stage == stage && one.set == Set(2)), "{found:?}");
        let found: Vec<_> = found.iter().map(|one| (one.binding.0, one.purpose)).collect();
        assert_eq!(found, expected);
        let storage = step.requirements.limits[&LimitName::MaxPerStageDescriptorStorageBuffers];
        assert_eq!(storage, found.len() as u32);
        let names: Vec<&str> =
            step.params.iter().flat_map(|one| &one.params).map(|one| &*one.name).collect();
        let has_params = found.iter().any(|(_, purpose)| *purpose == Purpose::HostParams);
        assert_eq!(names, if has_params { &["vertices", "instances"][..] } else { &[] });
    }
    let shared =
        |step: &Step| step.requirements.limits.get(&LimitName::MaxComputeSharedMemorySize).copied();
    // Four vectors, four blocks of built-ins, levels and a vector of the patch.
    let bytes = 4 * 16 + 4 * 32 + 16 + 8 + 8;
    assert_eq!(made.each_ref().map(shared), [Some(bytes), None, None, None]);
    // A stage that does not read the number of the patch does not read the table.
    let unnumbered = EVALUATION.replace("gl_PrimitiveID", "1");
    let [.., drawn] =
        steps([control_module(CONTROL), evaluation_module(&unnumbered)], VERTEX, &Options::new());
    let purposes: Vec<_> = drawn.requirements.descriptors.iter().map(|one| one.purpose).collect();
    assert_eq!(purposes, [patches, points]);
}

#[test]
fn host_params_are_where_the_host_wants_them() {
    for source in [
        ParamSource::Uniform { set: Set(0), binding: Binding(1) },
        ParamSource::StorageBuffer { set: Set(0), binding: Binding(1) },
        ParamSource::PushConstant { offset: 8 },
        ParamSource::Specialization { first_id: 5 },
    ] {
        let [control, allocate, ..] = example(&Options::new().params(source));
        for step in [control, allocate] {
            assert_eq!(step.params[0].source, source);
            let needed = step.requirements;
            match source {
                ParamSource::PushConstant { .. } => assert_eq!(needed.push_constants, Some(8..16)),
                ParamSource::Specialization { .. } => {
                    assert_eq!(needed.specialization.first(), Some(&(5..7)))
                }
                _ => assert!(needed.descriptors.iter().any(|one| one.set == Set(0))),
            }
        }
    }
}

#[test]
fn the_host_learns_sizes_and_dispatches() {
    let [control, .., drawn] = example(&Options::new());
    let layout = drawn.result;
    // Levels and `c_patch`; for each vertex, its value and its position.
    assert_eq!((layout.patch_stride(), control.result.patch_stride()), (24 + 8 + 4 * 32, 160));
    assert_eq!(layout.emitted_topology(), Some(Topology::TriangleList));
    assert_eq!(layout.host_params(&draw(10, 2), &[]), Ok(vec![10, 2]));
    // Three patches of each instance, and a vertex too many.
    assert_eq!(layout.work_groups(&draw(10, 2)), Ok([6, 1, 1]));
    let sizes = layout.tessellation_sizes(&draw(10, 2), 4.0);
    assert_eq!(sizes, [6 * 160, 64 + 8 * (6 + 65), 6 * 12 * 25, 6 * 4 * 3 * 25]);
    let of_any_level = layout.tessellation_sizes(&draw(10, 2), 64.0);
    assert_eq!(layout.tessellation_sizes(&draw(10, 2), f32::NAN), of_any_level);
    assert_eq!(layout.tessellation_sizes(&draw(2, 9), 4.0)[2], 0);
    assert_eq!(layout.work_groups(&draw(2, 9)).map(|groups| groups[0]), Ok(0));
    assert_eq!(layout.work_groups(&draw(3 << 16, 1)), Ok([65_535, 2, 1]));
    assert_eq!(layout.work_groups(&draw(3 * 65_535, 65_535)), Ok([65_535, 65_535, 1]));
    refused(layout.work_groups(&draw(3 * 65_536, 65_535)), "capture.draw-too-large");
}

/// A constant sets the size of an array of a patch, or a level.
#[test]
fn constants_are_specialized() {
    let source = CONTROL
        .replace("out vec2 c_patch", "out vec2 c_patch[n]")
        .replace("c_patch =", "c_patch[n - 1] =")
        .replace("450", "450\nlayout(constant_id = 3) const uint n = 2;");
    let made = |constant| control(control_module(&source), &Options::new().specialize(3, constant));
    for count in [1, 2, 5] {
        let layout = made(count).expect("it is made").result;
        assert_eq!(u64::from(layout.patch_stride()), 24 + 8 * count + 4 * 32);
    }
    let level = CONTROL
        .replace("float[](1, 2, 3, 4)", "float[](n, n, n, n)")
        .replace("450", "450\nlayout(constant_id = 3) const uint n = 2;");
    let made =
        control(control_module(&level), &Options::new().specialize(3, 7)).expect("it is made");
    let text = disassemble(made.module.words()).expect("it is a module");
    assert!(!text.contains("SpecId") && text.contains("OpConstant %uint 7"), "{text}");
}

const DOMAINS: [&str; 3] = ["triangles", "quads", "isolines"];
const SPACINGS: [&str; 3] = ["equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"];

/// Returns the number of segments of an edge (Vulkan, "Tessellator Spacing").
fn segments(level: u32, spacing: usize) -> u64 {
    u64::from(match spacing {
        0 => level.clamp(1, 64),
        1 => level.clamp(2, 64).next_multiple_of(2),
        _ => level.clamp(1, 63) | 1,
    })
}

/// The numbers of points and of primitives of a patch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Numbers {
    points: u64,
    primitives: u64,
}

/// Adds up triangles by rings: each segment of two adjacent rings forms a triangle with a point of the other ring.
fn triangles(outer: u64, inner: u64) -> Numbers {
    let (mut points, mut primitives) = (3 * outer, 0);
    let (mut around, mut side) = (outer, inner);
    while side >= 2 {
        side -= 2;
        primitives += 3 * (around + side);
        points += (3 * side).max(1);
        around = side;
    }
    Numbers { points, primitives: primitives + side }
}

/// Adds up quads by rings of `width` and `height`; the innermost one is a line or a strip of triangles.
fn quads(outer: u64, mut width: u64, mut height: u64) -> Numbers {
    let (mut points, mut primitives) = (4 * outer, 0);
    let mut around = 4 * outer;
    while width.min(height) >= 2 {
        (width, height) = (width - 2, height - 2);
        let inside = 2 * (width + height);
        primitives += around + inside;
        points += if width.min(height) == 0 { width.max(height) + 1 } else { inside };
        around = inside;
    }
    Numbers { points, primitives: primitives + 2 * width.min(height) * width.max(height) }
}

/// Returns the numbers of a patch with these outer and inner levels.
fn numbers(domain: usize, spacing: usize, [outer, u, v]: [u32; 3]) -> Numbers {
    let around = segments(outer, spacing);
    if domain == 2 {
        // The number of lines does not depend on the spacing.
        let lines = segments(outer, 0);
        return Numbers { points: lines * (around + 1), primitives: lines * around };
    }
    // An inner level of 1 becomes a bit larger, unless all levels are 1.
    let is_one = around == 1 && u == 1 && (v == 1 || domain == 0);
    let inner = |level| match (segments(level, spacing), spacing) {
        (1, 0) if !is_one => 2,
        (1, 2) if !is_one => 3,
        (segments, _) => segments,
    };
    match domain {
        0 => triangles(around, inner(u)),
        _ => quads(around, inner(u), inner(v)),
    }
}

#[test]
fn sizes_suffice_for_all_levels() {
    let control = control(control_module(CONTROL), &Options::new()).expect("it is made").result;
    for (domain, spacing, points) in (0..18).map(|one| (one / 6, one % 6 / 2, one % 2 == 1)) {
        let mode = if points { ", point_mode" } else { "" };
        let source = format!(
            "#version 450\nlayout({}, {}{mode}) in;\nvoid main() {{}}",
            DOMAINS[domain], SPACINGS[spacing]
        );
        let main = Target::new("main");
        let m = evaluation_module(&source);
        let [layout, ..] = after(m, &main, &control, &Options::new()).expect("it is made");
        let each = if points { 1 } else { [3, 3, 2][domain] };
        assert_eq!(
            u64::from(
                layout.result.emitted_topology().expect("it is stated").vertices_per_primitive()
            ),
            each
        );
        for largest in 1..=64 {
            let sizes = layout.result.tessellation_sizes(&draw(3, 1), largest as f32);
            let levels = (1..=largest).flat_map(|one| {
                let others = [1, one, largest];
                [
                    [largest, one, others[0]],
                    [largest, one, others[1]],
                    [one, largest, others[0]],
                    [one, largest, others[1]],
                    [one, largest, others[2]],
                ]
            });
            for levels in levels {
                let needed = numbers(domain, spacing, levels);
                let indices = if points { needed.points } else { each * needed.primitives };
                let is_enough = 12 * needed.points <= sizes[2] && 4 * indices <= sizes[3];
                assert!(is_enough, "{source}: {levels:?}: {needed:?}, but {sizes:?}");
            }
        }
    }
}

/// Shared memory has the sizes of std430: vectors of three components take four.
#[test]
fn the_host_learns_the_size_of_shared_memory() {
    let source = "#version 450
        layout(vertices = 32) out;
        layout(location = 0) in vec4 v_value[];
        layout(location = 0) out vec3 c_value[];
        void main() {
            c_value[gl_InvocationID] = v_value[0].xyz;
            gl_out[gl_InvocationID].gl_Position = vec4(0);
            gl_TessLevelOuter[0] = 1.0;
        }";
    let made = control(control_module(source), &Options::new()).expect("it is made");
    let bytes = made.requirements.limits[&LimitName::MaxComputeSharedMemorySize];
    // The built-ins of a vertex are a position, a size and two distances. There are four outer levels.
    assert_eq!(bytes, 32 * 16 + 32 * 32 + 16);
}

/// A vertex stage that draws points must state their size.
#[test]
fn points_have_a_size() {
    for (mode, expected) in [("", false), (", point_mode", true)] {
        let source = EVALUATION.replace(", ccw", mode);
        let steps =
            steps([control_module(CONTROL), evaluation_module(&source)], VERTEX, &Options::new());
        let text = disassemble(steps[3].module.words()).expect("it is a module");
        let stores_one = |line: &str| line.contains("OpStore") && line.ends_with(" %float_1");
        assert_eq!(text.lines().any(stores_one), expected, "{text}");
    }
}
