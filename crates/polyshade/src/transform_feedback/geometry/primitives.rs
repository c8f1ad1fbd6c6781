//! The primitives that a geometry stage takes and emits.

use super::constant;
use crate::code;
use crate::rewrite;
use crate::transform_feedback::Topology;
use crate::transform_feedback::draw_constraints::Draws;
use crate::transform_feedback::emitted::Geometry;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionMode, Module};
use std::collections::BTreeSet;

/// The input primitive of a geometry stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    Points,
    Lines,
    Triangles,
    LinesWithAdjacency,
    TrianglesWithAdjacency,
}

impl Input {
    const ALL: [(ExecutionMode, Self); 5] = [
        (ExecutionMode::INPUT_POINTS, Self::Points),
        (ExecutionMode::INPUT_LINES, Self::Lines),
        (ExecutionMode::TRIANGLES, Self::Triangles),
        (ExecutionMode::INPUT_LINES_ADJACENCY, Self::LinesWithAdjacency),
        (ExecutionMode::INPUT_TRIANGLES_ADJACENCY, Self::TrianglesWithAdjacency),
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Lines => "lines",
            Self::Triangles => "triangles",
            Self::LinesWithAdjacency => "lines with adjacency",
            Self::TrianglesWithAdjacency => "triangles with adjacency",
        }
    }

    /// Returns the number of vertices, including adjacent ones.
    pub(super) fn vertices(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
            Self::LinesWithAdjacency => 4,
            Self::TrianglesWithAdjacency => 6,
        }
    }

    /// Returns the topologies that form these primitives.
    pub(super) fn topologies(self) -> &'static [Topology] {
        match self {
            Self::Points => &[Topology::PointList],
            Self::Lines => &[Topology::LineList, Topology::LineStrip, Topology::LineLoop],
            Self::Triangles => {
                &[Topology::TriangleList, Topology::TriangleStrip, Topology::TriangleFan]
            }
            Self::LinesWithAdjacency => {
                &[Topology::LineListWithAdjacency, Topology::LineStripWithAdjacency]
            }
            Self::TrianglesWithAdjacency => {
                &[Topology::TriangleListWithAdjacency, Topology::TriangleStripWithAdjacency]
            }
        }
    }
}

/// The primitives that a geometry stage emits.
#[derive(Clone, Debug)]
pub(super) struct Emitted {
    pub(super) input: Input,
    /// The topology of the emitted vertices: points or strips.
    pub(super) strips: Topology,
    pub(super) invocations: u32,
    /// The maximum number of vertices that an invocation emits.
    most_vertices: u32,
    /// The vertex streams that the shader may emit to, in order.
    pub(super) streams: Vec<u32>,
    /// The numbers of primitives that every invocation emits to the four vertex streams, if they are constants.
    pub(super) constant: Option<[u32; 4]>,
}

impl Emitted {
    pub(super) fn find<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Result<Self, Error> {
        let mode = |mode| m.mode(entry.function(), mode);
        let number = |wanted| mode(wanted).and_then(|mode| mode.operands().first().copied());
        let missing = |what| {
            let message = format!("the geometry stage does not state {what}");
            Error::new(&code::GEOMETRY_MODES, message).about(entry.function())
        };
        let input = Input::ALL.into_iter().find(|(wanted, _)| mode(*wanted).is_some());
        let (_, input) = input.ok_or_else(|| missing("its input primitive"))?;
        let outputs = [
            (ExecutionMode::OUTPUT_POINTS, Topology::PointList),
            (ExecutionMode::OUTPUT_LINE_STRIP, Topology::LineStrip),
            (ExecutionMode::OUTPUT_TRIANGLE_STRIP, Topology::TriangleStrip),
        ];
        let strips = outputs.into_iter().find(|(wanted, _)| mode(*wanted).is_some());
        let (_, strips) = strips.ok_or_else(|| missing("its output primitive"))?;
        let most_vertices = number(ExecutionMode::OUTPUT_VERTICES)
            .ok_or_else(|| missing("how many vertices it emits"))?;
        let mut streams = BTreeSet::new();
        for inst in rewrite::emits_and_cuts(m, entry) {
            let stream = rewrite::vertex_stream(m, inst).filter(|stream| *stream < MOST_STREAMS);
            streams.insert(stream.ok_or_else(|| {
                let message = "the vertex stream is not a constant from 0 to 3";
                Error::new(&code::CAPTURE_SPECIALIZED_STREAM, message).at(inst.at())
            })?);
        }
        let invocations = number(ExecutionMode::INVOCATIONS).unwrap_or(1);
        let streams = if streams.is_empty() { vec![0] } else { streams.into_iter().collect() };
        let most = strips.primitives(most_vertices);
        let constant = constant::primitives(m, entry, strips, &streams);
        let constant = constant.filter(|each| each.iter().all(|one| *one <= most)).map(|each| {
            let mut of_streams = [0; MOST_STREAMS as usize];
            for (stream, each) in streams.iter().zip(each) {
                of_streams[*stream as usize] = each;
            }
            of_streams
        });
        Ok(Self { input, strips, invocations, most_vertices, streams, constant })
    }

    /// Returns the properties for the layout, in which the feedback buffers capture `streams`. Stages that read host
    /// parameters at an address need no table between two steps, so they store varying numbers of primitives sparsely.
    pub(super) fn properties(&self, streams: Vec<u32>, draws: &Draws) -> Geometry {
        let most = self.strips.primitives(self.most_vertices);
        let room = |stream| if self.streams.contains(&stream) { most } else { 0 };
        Geometry {
            streams,
            topology: match self.strips {
                Topology::PointList => Topology::PointList,
                Topology::LineStrip => Topology::LineList,
                _ => Topology::TriangleList,
            },
            invocations: self.invocations,
            most_primitives: most,
            emitted_streams: self.streams.len() as u32,
            constant: self.constant,
            sparse: (self.constant.is_none() && draws.by_address).then(|| [0, 1, 2, 3].map(room)),
        }
    }
}

/// The number of vertex streams that devices support, at most.
const MOST_STREAMS: u32 = 4;
