//! What a geometry stage takes and emits, and how much it may.

use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ErrorKind, ExecutionMode, Module};
use std::fmt;

/// What is drawn, and so what a geometry stage gets: strips and fans are lists by then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Primitive {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Triangles.
    Triangles,
}

/// All of them.
const PRIMITIVES: [Primitive; 3] = [Primitive::Points, Primitive::Lines, Primitive::Triangles];

impl Primitive {
    /// How many vertices it has.
    pub fn vertices(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }

    /// The mode of a geometry stage that gets such.
    pub(super) fn input_mode(self) -> ExecutionMode {
        match self {
            Self::Points => ExecutionMode::INPUT_POINTS,
            Self::Lines => ExecutionMode::INPUT_LINES,
            Self::Triangles => ExecutionMode::TRIANGLES,
        }
    }

    /// The mode of a geometry stage that emits such.
    pub(super) fn output_mode(self) -> ExecutionMode {
        match self {
            Self::Points => ExecutionMode::OUTPUT_POINTS,
            Self::Lines => ExecutionMode::OUTPUT_LINE_STRIP,
            Self::Triangles => ExecutionMode::OUTPUT_TRIANGLE_STRIP,
        }
    }

    /// How many vertices a geometry stage emits at most once `clip` planes [cut](super::cut()) it, where it emitted
    /// `before` at most.
    pub fn most_vertices(self, before: u32, clip: u32) -> u32 {
        let primitives = before.saturating_sub(self.vertices() - 1);
        match self {
            Self::Points => primitives,
            Self::Lines => primitives.saturating_mul(2),
            Self::Triangles => primitives.saturating_mul(3 + clip),
        }
    }

    /// How many slots vertices take while `clip` planes cut: each leaves two new vertices of a triangle, and all
    /// together two of a line.
    pub(super) fn slots(self, clip: u32) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 4,
            Self::Triangles => 3 + 2 * clip,
        }
    }

    /// The library's function for a vertex that the shader emits.
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

/// Which vertex of a primitive flat values come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Provoking {
    /// The first, as in Vulkan.
    #[default]
    First,
    /// The last, as in OpenGL, and with `VK_EXT_provoking_vertex`.
    Last,
}

impl Provoking {
    /// Its number among the vertices of a primitive.
    pub(super) fn corner(self, primitive: Primitive) -> u32 {
        match self {
            Self::First => 0,
            Self::Last => primitive.vertices() - 1,
        }
    }
}

/// How much a geometry stage of the device may emit, by Vulkan's names. The least that any device has that has the
/// stage at all, unless said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeometryLimits {
    /// `maxGeometryOutputVertices`.
    pub output_vertices: u32,
    /// `maxGeometryOutputComponents`.
    pub output_components: u32,
    /// `maxGeometryTotalOutputComponents`.
    pub total_output_components: u32,
}

impl Default for GeometryLimits {
    fn default() -> Self {
        Self { output_vertices: 256, output_components: 64, total_output_components: 1024 }
    }
}

impl GeometryLimits {
    /// An error where a stage emits more.
    pub(super) fn check(self, vertices: u32, components: u32) -> Result<(), Error> {
        let all = [
            ("maxGeometryOutputVertices", vertices, self.output_vertices),
            ("maxGeometryOutputComponents", components, self.output_components),
            (
                "maxGeometryTotalOutputComponents",
                vertices.saturating_mul(components),
                self.total_output_components,
            ),
        ];
        match all.into_iter().find(|(_, count, limit)| count > limit) {
            Some((name, count, limit)) => {
                let message = format!(
                    "{vertices} vertices of {components} components are emitted at most, which is {count} of {name}, \
                     of which there are {limit}"
                );
                Err(Error::new(ErrorKind::Unsupported, message))
            }
            None => Ok(()),
        }
    }
}

/// What a geometry stage emits; `None` where it does not say.
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

    #[test]
    fn each_limit_is_checked_by_name() {
        let limits = GeometryLimits {
            output_vertices: 20,
            output_components: 10,
            total_output_components: 99,
        };
        assert!(limits.check(9, 10).is_ok());
        for (vertices, components, name) in
            [(21, 1, "OutputVertices"), (1, 11, "maxGeometryOutputComponents"), (10, 10, "Total")]
        {
            let error = limits.check(vertices, components).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
