//! Plans for clip and cull distances on each kind of device.

use crate::goldens::{add, golden};
use polyshade::{Error, ErrorKind};
use polyshade_planner::{
    self as planner, Capture, Device, DistanceForm, DistancePlan, DistanceStep, DistanceSupport,
    DistanceWay, Distances, Emitted, Pipeline, Preset, Topology,
};
use std::collections::HashSet;

/// Returns devices with different support for distances.
fn devices() -> Vec<(&'static str, Device)> {
    let vulkan = DistanceSupport::from(Preset::Vulkan);
    let with = |distances| Device { distances, ..Device::default() };
    vec![
        ("all", with(vulkan)),
        ("no cull distances", with(DistanceSupport { cull: 0, ..vulkan })),
        ("geometry alone", with(DistanceSupport { clip: 0, cull: 0, combined: 0, ..vulkan })),
        ("nothing", with(DistanceSupport::default())),
        ("Metal", Device::from(Preset::Metal)),
        ("WebGPU", Device::from(Preset::WebGpu)),
    ]
}

/// Returns pipelines that allow different steps.
fn pipelines() -> Vec<(&'static str, Pipeline, u32)> {
    let plain = Pipeline::default();
    let capture = Some(Capture::default());
    vec![
        ("vertex stage", plain.clone(), 0),
        (
            "geometry stage",
            Pipeline { geometry: Some(Emitted::TriangleStrips), ..plain.clone() },
            4,
        ),
        (
            "tessellation",
            Pipeline { tessellation: true, topology: Topology::PatchList, ..plain.clone() },
            0,
        ),
        ("captured", Pipeline { capture, ..plain }, 0),
    ]
}

const KINDS: [(&str, u32, u32); 4] =
    [("clip", 2, 0), ("cull", 0, 2), ("both", 2, 2), ("too many", 6, 6)];

#[test]
fn every_device_and_pipeline() {
    let mut text = String::new();
    for (device_name, device) in devices() {
        for (pipeline_name, pipeline, emitted_vertices) in pipelines() {
            for (kind, clip, cull) in KINDS {
                for approximate in [false, true] {
                    let wanted = Distances {
                        clip,
                        cull,
                        emitted_vertices,
                        approximate,
                        ..Distances::default()
                    };
                    let how = if approximate { ", approximately" } else { "" };
                    let heading = format!("{device_name}, {pipeline_name}, {kind}{how}");
                    add(&mut text, &heading, planner::distances(&device, &pipeline, &wanted));
                }
            }
        }
    }
    golden("distances.txt", &text);
}

fn plan(device: &Device, wanted: Distances) -> Result<DistancePlan, Error> {
    planner::distances(device, &Pipeline::default(), &wanted)
}

#[test]
fn forms_masks_and_readers_take_steps_of_their_own() {
    let vulkan = Device::from(Preset::Vulkan);
    let wanted = Distances { clip: 2, cull: 1, ..Distances::default() };
    assert_eq!(plan(&vulkan, wanted).unwrap().steps, []);
    let registers = Distances { form: DistanceForm::Registers, planes_off: true, ..wanted };
    let steps = plan(&vulkan, registers).unwrap().steps;
    assert_eq!(steps, [DistanceStep::Normalize, DistanceStep::Enable]);
    let combined = Distances { form: DistanceForm::Combined, ..wanted };
    assert_eq!(plan(&vulkan, combined).unwrap().steps, [DistanceStep::Separate]);
    // Metal's fragment stage reads ordinary inputs.
    let read = Distances { clip: 2, fragment_reads: true, ..Distances::default() };
    let steps = plan(&Device::from(Preset::Metal), read).unwrap().steps;
    assert_eq!(steps, [DistanceStep::HandOn, DistanceStep::ReadRegisters]);
    let nothing = Distances { form: DistanceForm::Registers, ..Distances::default() };
    assert_eq!(plan(&vulkan, nothing).unwrap().steps, []);
}

#[test]
fn each_limit_has_its_name_in_the_reason() {
    let all = DistanceSupport::from(Preset::Vulkan);
    let device = |distances| Device { distances, ..Device::default() };
    let cases = [
        (DistanceSupport { clip: 1, ..all }, [2, 0], "maxClipDistances, 1"),
        (DistanceSupport { cull: 1, ..all }, [0, 2], "maxCullDistances, 1"),
        (DistanceSupport { combined: 3, ..all }, [2, 2], "maxCombinedClipAndCullDistances, 3"),
    ];
    for (support, [clip, cull], name) in cases {
        let wanted = Distances { clip, cull, ..Distances::default() };
        let plan = plan(&device(support), wanted).unwrap();
        assert!(plan.reasons.iter().any(|reason| reason.contains(name)), "{plan}");
        assert_eq!(plan.clip.max(plan.cull), DistanceWay::Geometry, "{plan}");
    }
    let few = DistanceSupport { clip: 0, geometry_vertices: 4, ..all };
    let wanted = Distances { clip: 2, ..Distances::default() };
    let error = plan(&device(few), wanted).unwrap_err();
    assert!(error.to_string().contains("maxGeometryOutputVertices, 4"), "{error}");
}

#[test]
fn primitives_that_are_captured_or_counted_are_not_dropped() {
    let device = Device {
        distances: DistanceSupport { geometry_vertices: 256, ..DistanceSupport::default() },
        ..Device::default()
    };
    let wanted = Distances { cull: 1, ..Distances::default() };
    let way =
        |wanted, pipeline: &Pipeline| planner::distances(&device, pipeline, &wanted).unwrap().cull;
    assert_eq!(way(wanted, &Pipeline::default()), DistanceWay::Geometry);
    let counted = Distances { counted: true, ..wanted };
    assert_eq!(way(counted, &Pipeline::default()), DistanceWay::Fragment);
    let captured = Pipeline { capture: Some(Capture::default()), ..Pipeline::default() };
    assert_eq!(way(wanted, &captured), DistanceWay::Fragment);
    let adjacent =
        Pipeline { topology: Topology::TriangleListWithAdjacency, ..Pipeline::default() };
    assert_eq!(way(wanted, &adjacent), DistanceWay::Fragment);
}

#[test]
fn contradictions_are_errors_of_the_options() {
    let device = Device::default();
    let wanted = Distances { emitted_vertices: 3, ..Distances::default() };
    let error = planner::distances(&device, &Pipeline::default(), &wanted).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Options);
    let patches = Pipeline { tessellation: true, ..Pipeline::default() };
    let error = planner::distances(&device, &patches, &Distances::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Options);
}

/// For any numbers of distances, there is a plan within the device's limits or a reason, reproducibly.
#[test]
fn any_state_gives_a_plan_that_the_device_can_do_or_a_reason() {
    let mut seen = HashSet::new();
    let numbers = [0, 1, 4, 8, 9, u32::MAX];
    for clip in numbers {
        for cull in numbers {
            for (_, device) in devices() {
                for (_, pipeline, emitted_vertices) in pipelines() {
                    for bits in 0..16_u32 {
                        let is = |bit: u32| bits >> bit & 1 == 1;
                        let wanted = Distances {
                            clip,
                            cull,
                            emitted_vertices,
                            approximate: is(0),
                            fragment_reads: is(1),
                            counted: is(2),
                            planes_off: is(3),
                            form: DistanceForm::Registers,
                        };
                        // The result is reproducible.
                        let found = planner::distances(&device, &pipeline, &wanted);
                        let again = planner::distances(&device, &pipeline, &wanted);
                        match (&found, &again) {
                            (Ok(one), Ok(other)) => assert_eq!(one, other),
                            (Err(one), Err(other)) => {
                                assert_eq!(one.to_string(), other.to_string())
                            }
                            _ => panic!("{wanted:?}: {found:?}, then {again:?}"),
                        }
                        // The plan stays within the limits.
                        let Ok(plan) = found else { continue };
                        let has = device.distances;
                        let native =
                            |way, count| if way == DistanceWay::Native { count } else { 0 };
                        let [own_clip, own_cull] =
                            [native(plan.clip, clip), native(plan.cull, cull)];
                        assert!(own_clip <= has.clip && own_cull <= has.cull, "{plan}");
                        assert!(own_clip.saturating_add(own_cull) <= has.combined, "{plan}");
                        assert!(plan.clip != DistanceWay::Fragment || wanted.approximate, "{plan}");
                        let geometry = plan.clip.max(plan.cull) == DistanceWay::Geometry;
                        assert!(
                            !geometry || (has.geometry_vertices > 0 && !wanted.counted),
                            "{plan}"
                        );
                        seen.insert(plan);
                    }
                }
            }
        }
    }
    assert!(seen.len() > 30, "{}", seen.len());
}
