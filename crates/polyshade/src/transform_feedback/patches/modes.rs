//! The execution modes of tessellation stages.

use crate::code::{self, refuse};
use crate::transform_feedback::Topology;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionMode, Module};

/// The execution modes that only tessellation stages have.
pub(in super::super) const TESSELLATION_MODES: [ExecutionMode; 10] = [
    ExecutionMode::OUTPUT_VERTICES,
    ExecutionMode::SPACING_EQUAL,
    ExecutionMode::SPACING_FRACTIONAL_EVEN,
    ExecutionMode::SPACING_FRACTIONAL_ODD,
    ExecutionMode::VERTEX_ORDER_CW,
    ExecutionMode::VERTEX_ORDER_CCW,
    ExecutionMode::POINT_MODE,
    ExecutionMode::TRIANGLES,
    ExecutionMode::QUADS,
    ExecutionMode::ISOLINES,
];

/// The domain of patches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(in super::super) enum Domain {
    Triangles,
    Quads,
    Isolines,
}

/// The spacing of points on an edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(in super::super) enum Spacing {
    Equal,
    FractionalEven,
    FractionalOdd,
}

/// The modes of the tessellator. Either stage may state each of them (Vulkan, "Tessellation").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in super::super) struct Modes {
    pub(in super::super) domain: Option<Domain>,
    pub(in super::super) spacing: Option<Spacing>,
    /// Whether triangles are clockwise.
    pub(in super::super) clockwise: Option<bool>,
    pub(in super::super) points: bool,
}

impl Modes {
    pub(in super::super) fn find(m: &Module<'_>, entry: EntryPoint<'_>) -> Self {
        let mut modes = Self::default();
        for mode in m.modes(entry.function()) {
            match mode.mode() {
                ExecutionMode::TRIANGLES => modes.domain = Some(Domain::Triangles),
                ExecutionMode::QUADS => modes.domain = Some(Domain::Quads),
                ExecutionMode::ISOLINES => modes.domain = Some(Domain::Isolines),
                ExecutionMode::SPACING_EQUAL => modes.spacing = Some(Spacing::Equal),
                ExecutionMode::SPACING_FRACTIONAL_EVEN => {
                    modes.spacing = Some(Spacing::FractionalEven);
                }
                ExecutionMode::SPACING_FRACTIONAL_ODD => {
                    modes.spacing = Some(Spacing::FractionalOdd);
                }
                ExecutionMode::VERTEX_ORDER_CW => modes.clockwise = Some(true),
                ExecutionMode::VERTEX_ORDER_CCW => modes.clockwise = Some(false),
                ExecutionMode::POINT_MODE => modes.points = true,
                _ => {}
            }
        }
        modes
    }

    /// Adds the modes of the other stage.
    pub(in super::super) fn join(self, other: Self) -> Result<Self, Error> {
        let differs = self.domain.zip(other.domain).is_some_and(|(one, other)| one != other)
            || self.spacing.zip(other.spacing).is_some_and(|(one, other)| one != other)
            || self.clockwise.zip(other.clockwise).is_some_and(|(one, other)| one != other);
        if differs {
            let message = "the control and the evaluation shader state different execution modes";
            return Err(Error::new(&code::TESSELLATION_MODES, message));
        }
        Ok(Self {
            domain: self.domain.or(other.domain),
            spacing: self.spacing.or(other.spacing),
            clockwise: self.clockwise.or(other.clockwise),
            points: self.points || other.points,
        })
    }

    /// Fails unless a stage has stated the domain.
    pub(in super::super) fn check(self, entry: EntryPoint<'_>) -> Result<(), Error> {
        match self.domain {
            Some(_) => Ok(()),
            None => {
                let message =
                    "neither the control nor the evaluation shader states the domain of patches";
                refuse(&code::TESSELLATION_MODES, message, entry.function())
            }
        }
    }

    pub(in super::super) fn topology(self) -> Topology {
        match self.domain {
            _ if self.points => Topology::PointList,
            Some(Domain::Isolines) => Topology::LineList,
            Some(Domain::Triangles | Domain::Quads) | None => Topology::TriangleList,
        }
    }
}

/// Fails if an evaluation stage states another number of vertices than its control stage.
pub(in super::super) fn check_output_vertices(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    vertices: u32,
) -> Result<(), Error> {
    let mode = m.mode(entry.function(), ExecutionMode::OUTPUT_VERTICES);
    match mode.and_then(|mode| mode.operands().first().copied()) {
        Some(stated) if stated != vertices => {
            let message = format!(
                "the evaluation shader states {stated} vertices, the control shader {vertices}"
            );
            refuse(&code::TESSELLATION_MODES, message, entry.function())
        }
        _ => Ok(()),
    }
}

/// Returns the number of output vertices of a control stage.
pub(in super::super) fn output_vertices(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
) -> Result<u32, Error> {
    let mode = m.mode(entry.function(), ExecutionMode::OUTPUT_VERTICES);
    let vertices = mode.and_then(|mode| mode.operands().first().copied());
    match vertices {
        Some(vertices @ 1..=32) => Ok(vertices),
        _ => {
            let message =
                "the control shader does not state a number of output vertices from 1 to 32";
            refuse(&code::TESSELLATION_MODES, message, entry.function())
        }
    }
}
