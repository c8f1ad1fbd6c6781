//! Plans as committed text, for every combination of API, feature, rasterizer discard and feedback, and for other
//! states.

use crate::states::{
    anew, byte_count, change, counters, pipeline, resumed, storage, with_capture, with_path,
};
use polyshade::Error;
use polyshade::host::{AddressSource, Binding, ParamSource, Set};
use polyshade_planner::{
    self as planner, ByteCount, Call, Counter, Device, Draw, Feedback, PassState, Path, Pipeline,
    Preset, Query, ShaderStage, Topology, TransformFeedback, Use, Uses,
};
use std::fmt::{Display, Write};
use std::fs;
use std::path::PathBuf;

/// Compares a text with the committed text, or replaces the committed text.
#[track_caller]
pub(crate) fn golden(name: &str, text: &str) {
    let text = text.trim_end().to_owned() + "\n";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("planner/goldens").join(name);
    if std::env::var_os("POLYSHADE_BLESS").is_some() {
        fs::write(&path, text).expect("the folder of the goldens is there");
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let diff = similar::TextDiff::from_lines(&committed, &text);
    assert!(
        committed == text,
        "planner/goldens/{name} differs from the current plan:\n{}\nif the current plan is right, run \
         `cargo xtask bless`, and read the diff",
        diff.unified_diff().header("committed", "now")
    );
}

/// Appends a plan, or the reason why there is none, under a heading.
pub(crate) fn section(
    text: &mut String,
    heading: &str,
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
) {
    add(text, heading, planner::plan(device, pipeline, draw));
}

/// Appends a plan of any kind, or the reason why there is none, under a heading.
pub(crate) fn add(text: &mut String, heading: &str, plan: Result<impl Display, Error>) {
    let _ = writeln!(text, "== {heading}");
    let _ = match plan {
        Ok(plan) => writeln!(text, "{plan}"),
        Err(error) => writeln!(text, "{:?}: {error}\n", error.kind()),
    };
}

/// Returns the device with and without native transform feedback. Only Vulkan uses the feature, even if others claim
/// it.
fn devices(preset: Preset) -> [(&'static str, Device); 2] {
    let base = Device::from(preset);
    let feature = base.transform_feedback.unwrap_or(TransformFeedback {
        max_buffers: 4,
        queries: true,
        draw: true,
        ..TransformFeedback::default()
    });
    [
        ("feature", Device { transform_feedback: Some(feature), ..base.clone() }),
        ("no-feature", Device { transform_feedback: None, ..base }),
    ]
}

#[test]
fn every_combination() {
    let presets =
        [Preset::Vulkan, Preset::VulkanMobile, Preset::Metal, Preset::WebGpu, Preset::WebGpuNative];
    for preset in presets {
        for (feature, device) in devices(preset) {
            let mut text = String::new();
            for (discard, rasterizer_discard) in [("discard off", false), ("discard on", true)] {
                let pipeline = Pipeline { rasterizer_discard, ..pipeline() };
                let inside =
                    |feedback| Draw { feedback, pass: PassState::Interruptible, ..Draw::default() };
                for (state, draw) in [
                    ("active", resumed()),
                    ("active anew, outside of a pass", anew()),
                    ("paused", inside(Feedback::Paused)),
                    ("inactive", inside(Feedback::Inactive)),
                    ("inactive, outside of a pass", Draw::default()),
                ] {
                    section(&mut text, &format!("{discard}, {state}"), &device, &pipeline, &draw);
                }
            }
            golden(&format!("{}-{feature}.txt", preset.name()), &text);
        }
    }
}

#[test]
fn topologies() {
    let topologies = [
        Topology::PointList,
        Topology::LineLoop,
        Topology::TriangleList,
        Topology::TriangleFan,
        Topology::TriangleStripWithAdjacency,
        Topology::PatchList,
    ];
    let mut text = String::new();
    for preset in [Preset::Vulkan, Preset::VulkanMobile, Preset::Metal, Preset::WebGpuNative] {
        for topology in topologies {
            let tessellation = topology == Topology::PatchList;
            let pipeline = Pipeline { topology, tessellation, ..pipeline() };
            let heading = format!("{}, {}", preset.name(), topology.name());
            section(&mut text, &heading, &preset.into(), &pipeline, &anew());
        }
    }
    golden("topologies.txt", &text);
}

fn counted(path: Path) -> Draw {
    let counter = Counter { buffer: 7, offset: 0 };
    let count = ByteCount { before: vec![Use::Save], ..byte_count(path, counter) };
    Draw {
        call: Call::ByteCount(count),
        reads: vec![Use::Vertices],
        before: Uses {
            inputs: Vec::new(),
            captured: vec![Use::Capture(path)],
            counters: Vec::new(),
        },
        ..Draw::default()
    }
}

#[test]
fn draws_of_captured_data() {
    let plain = Pipeline { capture: None, ..pipeline() };
    let mut text = String::new();
    for (preset, path) in [
        (Preset::Vulkan, Path::Extension),
        (Preset::VulkanMobile, Path::Storage),
        (Preset::VulkanMobile, Path::Extension),
        (Preset::Metal, Path::Storage),
        (Preset::WebGpu, Path::Compute),
    ] {
        let heading = format!("{}, {}", preset.name(), path.name());
        section(&mut text, &heading, &preset.into(), &plain, &counted(path));
    }
    golden("byte-count.txt", &text);
}

#[test]
fn dispatched_captures() {
    let mut text = String::new();
    for preset in Preset::ALL {
        let compute = with_path(Path::Compute);
        section(&mut text, preset.name(), &preset.into(), &compute, &resumed());
    }
    let mut drawn = resumed();
    drawn.pass = PassState::Interruptible;
    drawn.reads = vec![Use::Uniform(ShaderStage::Vertex), Use::Vertices];
    drawn.before.captured = vec![Use::Capture(Path::Compute)];
    drawn.next.captured = vec![Use::Vertices];
    section(&mut text, "inside", &Preset::VulkanMobile.into(), &with_path(Path::Compute), &drawn);
    let discarded = Pipeline { rasterizer_discard: true, ..with_path(Path::Compute) };
    section(&mut text, "discarded", &Preset::VulkanMobile.into(), &discarded, &drawn);
    drawn.pass = PassState::Uninterruptible;
    section(&mut text, "kept", &Preset::VulkanMobile.into(), &with_path(Path::Compute), &drawn);
    golden("dispatched.txt", &text);
}

#[test]
fn queries() {
    let queries = vec![Query::Stream(0), Query::PrimitivesGenerated(0)];
    let mut text = String::new();
    for preset in [Preset::Vulkan, Preset::VulkanMobile, Preset::Metal] {
        for (state, draw) in [("active", anew()), ("paused", Draw::default())] {
            let draw = Draw { queries: queries.clone(), ..draw };
            let heading = format!("{}, {state}", preset.name());
            section(&mut text, &heading, &preset.into(), &pipeline(), &draw);
        }
    }
    golden("queries.txt", &text);
}

#[test]
fn what_is_found_by_its_address() {
    let mut text = String::new();
    // Plan with every source of the address.
    for pointer in [
        AddressSource::PushConstant { offset: 120 },
        AddressSource::Uniform { set: Set(0), binding: Binding(7) },
        AddressSource::Specialization { first_id: 3 },
        AddressSource::Attribute { location: 5 },
    ] {
        let pipeline = with_capture(|capture| {
            capture.path = Some(Path::Storage);
            storage(capture).params_at = ParamSource::Address(pointer);
        });
        let heading = ParamSource::Address(pointer).to_string();
        section(&mut text, &heading, &Preset::Vulkan.into(), &pipeline, &resumed());
    }
    // Plan with an unbound buffer.
    let pipeline = with_capture(|capture| {
        capture.path = Some(Path::Storage);
        let storage = storage(capture);
        storage.params_at = ParamSource::Address(AddressSource::PushConstant { offset: 0 });
        storage.unbound_buffers = true;
    });
    let draw = change(|active| active.buffers[0] = None);
    section(&mut text, "a buffer is not bound", &Preset::Vulkan.into(), &pipeline, &draw);
    golden("addresses.txt", &text);
}

#[test]
fn counters_that_others_read() {
    let mut draw = resumed();
    draw.next.counters = vec![Use::CopySource];
    let mut text = String::new();
    for preset in [Preset::Vulkan, Preset::VulkanMobile, Preset::Metal] {
        section(&mut text, preset.name(), &preset.into(), &pipeline(), &draw);
    }
    let second = vec![None, counters()[1]];
    let sparse = change(|active| {
        active.begin = planner::Begin::Resume(second.clone());
        active.end = planner::End::Save(second);
    });
    section(&mut text, "vulkan, only of the second", &Preset::Vulkan.into(), &pipeline(), &sparse);
    golden("counters.txt", &text);
}
