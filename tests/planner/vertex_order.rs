//! The order in which a primitive's vertices are captured, and the draws for which the provoking vertex must be
//! known.

use crate::states::{anew, pipeline};
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_planner::{
    self as planner, Device, Emitted, Pipeline, Preset, ProvokingVertexModes, Topology, VertexOrder,
};

fn corners(modes: Option<ProvokingVertexModes>, pipeline: &Pipeline) -> VertexOrder {
    let device = Device { provoking_vertex: modes, ..Preset::Vulkan.into() };
    planner::plan(&device, pipeline, &anew()).expect("it has a plan").vertex_order
}

/// With a geometry stage, its output primitives are captured.
#[test]
fn a_geometry_stage_says_what_is_captured() {
    let of = |topology, geometry| Pipeline { topology, geometry, ..pipeline() };
    let fans = ProvokingVertexModes {
        preserved_by_capture_in_fans: true,
        ..ProvokingVertexModes::default()
    };
    let others =
        ProvokingVertexModes { preserved_by_capture: true, ..ProvokingVertexModes::default() };
    let triangles = Some(Emitted::TriangleStrips);
    for (modes, pipeline, expected) in [
        (None, of(Topology::PointList, None), VertexOrder::AsProvoked),
        (None, of(Topology::PointList, triangles), VertexOrder::AnyRotation),
        (None, of(Topology::TriangleList, Some(Emitted::Points)), VertexOrder::AsProvoked),
        (Some(fans), of(Topology::TriangleFan, None), VertexOrder::AsProvoked),
        (Some(fans), of(Topology::TriangleFan, triangles), VertexOrder::AnyRotation),
        (Some(others), of(Topology::TriangleFan, None), VertexOrder::AnyRotation),
        (Some(others), of(Topology::TriangleFan, triangles), VertexOrder::AsProvoked),
    ] {
        assert_eq!(corners(modes, &pipeline), expected, "{modes:?} {pipeline:?}");
    }
}

/// Without `VK_EXT_provoking_vertex`, the last-vertex mode matters only to rasterized flat values.
#[test]
fn only_what_is_rasterized_needs_the_mode() {
    let last = |topology, rasterizer_discard| Pipeline {
        topology,
        rasterizer_discard,
        provoking_vertex: ProvokingVertex::Last,
        ..pipeline()
    };
    assert_eq!(corners(None, &last(Topology::PointList, false)), VertexOrder::AsProvoked);
    assert_eq!(corners(None, &last(Topology::TriangleStrip, true)), VertexOrder::AnyRotation);
    let device = Device { provoking_vertex: None, ..Preset::Vulkan.into() };
    let error = planner::plan(&device, &last(Topology::TriangleStrip, false), &anew());
    let error = error.expect_err("flat inputs come from it").to_string();
    assert!(error.contains("cannot use the last vertex as the provoking vertex"), "{error}");
}
