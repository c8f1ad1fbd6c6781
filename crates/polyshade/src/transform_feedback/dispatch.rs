//! Computes the size of the dispatch that captures a draw in a compute stage.

use super::draw::{Draw, WORK_GROUP_SIZE, grid};
use super::layout::Layout;
use crate::code;
use polyshade_spv::Error;

impl Layout {
    /// Whether [`CaptureOnly`](super::Variant::CaptureOnly) is a [compute stage](super::Options::compute).
    pub fn is_dispatched(&self) -> bool {
        self.draws.compute
    }

    /// Returns the numbers of work groups in x, y and z for the dispatch that captures `draw`. A work group has
    /// [`WORK_GROUP_SIZE`] × 1 × 1 invocations. If any number is 0, nothing is captured, and the dispatch can be
    /// skipped. For [tessellation](super::tessellation), there is one work group for each patch, for the stages
    /// `control` and `tessellate`. For a [geometry stage](super::geometry), these are the numbers for
    /// [`count`](super::geometry::count) and [`capture`](super::geometry::capture).
    ///
    /// # Errors
    ///
    /// `Options`: the variants have no [compute stage](super::Options::compute), or the draw violates the
    /// restrictions in the options.
    pub fn work_groups(&self, draw: &Draw) -> Result<[u32; 3], Error> {
        if !self.is_dispatched() {
            let message = "the variants are drawn, not dispatched";
            return Err(Error::new(&code::CAPTURE_NOT_COMPUTE, message));
        }
        if let Some(patches) = &self.tessellation {
            return patches.work_groups(draw);
        }
        if self.geometry.is_some() {
            return Ok(rows(self.invocations(draw)?));
        }
        self.draws.check(draw)?;
        Ok(rows(draw.vertices()))
    }
}

/// Returns the numbers of work groups for `invocations`, which must be at most the limit of vertices of a draw.
pub(super) fn rows(invocations: u64) -> [u32; 3] {
    grid(invocations.div_ceil(WORK_GROUP_SIZE.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform_feedback::draw_constraints::Draws;
    use crate::transform_feedback::{ProvokingVertex, Topology};

    fn draw(vertex_count: u32, instance_count: u32) -> Draw {
        Draw {
            topology: Topology::PointList,
            provoking_vertex: ProvokingVertex::First,
            first_vertex: 0,
            vertex_count,
            first_instance: 0,
            instance_count,
            draw_index: 0,
            indices: None,
        }
    }

    fn dispatched() -> Layout {
        let mut draws = Draws::default();
        draws.compute = true;
        Layout { draws, ..Layout::new(Vec::new()) }
    }

    #[test]
    fn there_are_enough_work_groups_and_no_row_is_too_long() {
        let counts = [0, 1, 63, 64, 65, 4_194_240, 4_194_241, 4_290_773_055, 4_290_773_056];
        for count in counts {
            let [x, y, z] =
                dispatched().work_groups(&draw(count, 1)).expect("it can be dispatched");
            assert!(x <= 65_535 && y <= 65_535 && z == 1, "{count}: {x} × {y} × {z}");
            let invocations = u64::from(x) * u64::from(y) * 64;
            assert!(
                invocations >= u64::from(count) && invocations <= 1 << 32,
                "{count}: {x} × {y}"
            );
        }
        let of_instances = dispatched().work_groups(&draw(6, 100)).expect("it can be dispatched");
        assert_eq!(of_instances, [10, 1, 1], "600 vertices");
    }

    #[test]
    fn more_vertices_than_can_be_numbered_are_refused() {
        for (vertices, instances) in [(u32::MAX, 1), (65_536, 65_536), (4_290_773_057, 1)] {
            let error = dispatched().work_groups(&draw(vertices, instances)).expect_err("too many");
            assert!(error.to_string().contains("vertices"), "{error}");
        }
    }

    #[test]
    fn what_is_drawn_has_no_work_groups() {
        let layout = Layout::new(Vec::new());
        layout.work_groups(&draw(3, 1)).expect_err("it is drawn");
    }
}
