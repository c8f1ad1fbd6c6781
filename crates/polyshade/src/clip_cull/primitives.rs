//! The primitives that a geometry stage reads and emits, and the number of emitted vertices.

use crate::transform_feedback::ProvokingVertex;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{ExecutionMode, Module};
use std::fmt;

/// The primitives that a geometry stage reads. It receives strips and fans as separate lines or triangles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Primitive {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Triangles.
    #[default]
    Triangles,
}

const PRIMITIVES: [Primitive; 3] = [Primitive::Points, Primitive::Lines, Primitive::Triangles];

impl Primitive {
    /// Returns the number of vertices per primitive.
    pub fn vertices(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }

    /// Returns the execution mode of a geometry stage that reads these primitives.
    pub(super) fn input_mode(self) -> ExecutionMode {
        match self {
            Self::Points => ExecutionMode::INPUT_POINTS,
            Self::Lines => ExecutionMode::INPUT_LINES,
            Self::Triangles => ExecutionMode::TRIANGLES,
        }
    }

    /// Returns the execution mode of a geometry stage that emits these primitives.
    pub(super) fn output_mode(self) -> ExecutionMode {
        match self {
            Self::Points => ExecutionMode::OUTPUT_POINTS,
            Self::Lines => ExecutionMode::OUTPUT_LINE_STRIP,
            Self::Triangles => ExecutionMode::OUTPUT_TRIANGLE_STRIP,
        }
    }

    /// Returns the maximum number of vertices that a geometry stage emits with clipping by `clip` planes, if it emits
    /// at most `before` vertices without clipping.
    pub fn most_vertices(self, before: u32, clip: u32) -> u32 {
        let primitives = before.saturating_sub(self.vertices() - 1);
        match self {
            Self::Points => primitives,
            Self::Lines => primitives.saturating_mul(2),
            Self::Triangles => primitives.saturating_mul(3 + clip),
        }
    }

    /// Returns the number of slots for clipping by `clip` planes. Each plane needs two slots for new vertices of a
    /// triangle. For a line, all planes together need two.
    pub(super) fn slots(self, clip: u32) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 4,
            Self::Triangles => 3 + 2 * clip,
        }
    }

    /// Returns the name of the library function that processes an emitted vertex.
    pub(super) fn emit(self) -> &'static str {
        match self {
            Self::Points => "emit_to_points",
            Self::Lines => "emit_to_lines",
            Self::Triangles => "emit_to_triangles",
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Points => "points",
            Self::Lines => "lines",
            Self::Triangles => "triangles",
        })
    }
}

/// Returns the number of the provoking vertex in a primitive. It provides the flat values.
pub(super) fn provoking_corner(provoking: ProvokingVertex, primitive: Primitive) -> u32 {
    match provoking {
        ProvokingVertex::First => 0,
        ProvokingVertex::Last => primitive.vertices() - 1,
    }
}

/// Returns the primitive that a geometry stage emits; `None` if no execution mode declares it.
pub(super) fn emitted<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Option<Primitive> {
    m.modes(entry.function()).find_map(|mode| {
        PRIMITIVES.into_iter().find(|primitive| primitive.output_mode() == mode.mode())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_plane_adds_a_corner_to_a_triangle() {
        assert_eq!(Primitive::Triangles.most_vertices(5, 2), 15);
        assert_eq!(Primitive::Lines.most_vertices(5, 2), 8);
        assert_eq!(Primitive::Points.most_vertices(5, 2), 5);
        assert_eq!(Primitive::Triangles.most_vertices(1, 2), 0);
    }
}
