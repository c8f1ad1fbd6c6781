//! The planner refuses draws and bindings that Metal and WebGPU do not allow, although Vulkan does.

use crate::refusals::refused;
use crate::states::{anew, change, pipeline, with_storage};
use polyshade::host::Binding;
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_planner::{
    self as planner, Begin, Bound, Call, Device, Draw, End, Pipeline, Preset, Step, StoredIndices,
    Topology,
};

/// Pixels depend on the provoking vertex, whether or not the draw is captured. Discarded draws and points do not
/// depend on it.
#[test]
fn the_last_vertex_provokes_only_where_there_is_a_mode() {
    let last = Pipeline { provoking_vertex: ProvokingVertex::Last, ..pipeline() };
    let discarded = Pipeline { rasterizer_discard: true, ..last.clone() };
    let points = Pipeline { topology: Topology::PointList, ..last.clone() };
    let drawn = Draw::default();
    for preset in [Preset::Metal, Preset::WebGpu, Preset::WebGpuNative, Preset::VulkanMobile] {
        let device = Device::from(preset);
        for draw in [anew(), drawn.clone()] {
            refused(preset, &last, &draw, "cannot use the last vertex as the provoking vertex");
            for pipeline in [&discarded, &points] {
                let plan = planner::plan(&device, pipeline, &draw).expect("it has a plan");
                let binds = |step: &Step| match step {
                    Step::BindPipeline(bind) => bind.provoking_vertex == ProvokingVertex::Last,
                    _ => false,
                };
                assert!(!plan.steps.iter().any(binds), "{plan}");
            }
        }
    }
    assert!(planner::plan(&Preset::Vulkan.into(), &last, &anew()).is_ok());
}

/// Metal and WebGPU always restart strips and never lists.
#[test]
fn primitives_restart_as_the_api_has_it() {
    let indexed = Draw { call: Call::Indexed, ..Draw::default() };
    for (topology, restarts) in [
        (Topology::PointList, false),
        (Topology::LineList, false),
        (Topology::LineStrip, true),
        (Topology::TriangleList, false),
        (Topology::TriangleStrip, true),
    ] {
        let own = |primitive_restart| Pipeline { topology, primitive_restart, ..pipeline() };
        for preset in [Preset::Metal, Preset::WebGpu, Preset::WebGpuNative] {
            assert!(planner::plan(&preset.into(), &own(restarts), &indexed).is_ok());
            let hidden = Pipeline { rasterizer_discard: true, ..own(!restarts) };
            assert!(planner::plan(&preset.into(), &hidden, &indexed).is_ok());
            if topology != Topology::PointList {
                refused(preset, &own(!restarts), &indexed, "restart");
            }
        }
        assert!(planner::plan(&Preset::VulkanMobile.into(), &own(!restarts), &indexed).is_ok());
    }
}

/// A shader that reads `gl_DrawID` has a host parameter for it, after the vertex offset and before the others.
#[test]
fn words_of_any_draw_have_the_number_of_the_draw() {
    let names = |draw_index| {
        let indices = StoredIndices { buffer: Some(Binding(3)), draw_index, ..Default::default() };
        let pipeline = with_storage(|storage| storage.indices = Some(indices));
        let draw = Draw { call: Call::Indexed, ..anew() };
        let plan = planner::plan(&Preset::VulkanMobile.into(), &pipeline, &draw);
        let steps = plan.expect("it has a plan").steps;
        let words = steps.into_iter().find_map(|step| match step {
            Step::FillIn(words) => Some(words.names),
            _ => None,
        });
        words.expect("the host fills in words")
    };
    let (with, without) = (names(true), names(false));
    let at = with.iter().position(|name| name == "draw_index").expect("it has the word");
    assert_eq!(with[at - 1], "vertex_offset");
    assert_eq!([&with[..at], &with[at + 1..]].concat(), without);
}

/// Bindings begin at multiples of 256 bytes, so the bindings of separate ranges of one buffer may overlap.
#[test]
fn web_gpu_writes_to_no_bindings_that_overlap() {
    let draw = |buffer, buffer_sizes: [u64; 2], offset| {
        change(|active| {
            let bound =
                |buffer_size, offset| Some(Bound { buffer, buffer_size, offset, size: Some(1000) });
            active.begin = Begin::Anew;
            active.end = End::Forget;
            active.buffers = vec![bound(buffer_sizes[0], 0), bound(buffer_sizes[1], offset)];
        })
    };
    let reason = "cannot bind feedback ranges 0 and 1 of one buffer";
    for preset in [Preset::WebGpu, Preset::WebGpuNative] {
        for buffer in [None, Some(5)] {
            refused(preset, &pipeline(), &draw(buffer, [4096, 4096], 1000), reason);
        }
        let planned = |draw| planner::plan(&preset.into(), &pipeline(), &draw).is_ok();
        assert!(planned(draw(None, [4096, 4096], 1024)), "apart");
        assert!(planned(draw(None, [4096, 4096], 0)), "not of one buffer");
        assert!(planned(draw(None, [4096, 8192], 1000)), "of two buffers");
        refused(preset, &pipeline(), &draw(Some(5), [4096, 4096], 0), reason);
    }
    assert!(
        planner::plan(&Preset::Metal.into(), &pipeline(), &draw(None, [4096, 4096], 1000)).is_ok()
    );
}
