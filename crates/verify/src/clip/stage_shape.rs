//! The input and output of stages between the vertex stage and the rasterizer, and how their output is recorded.

use crate::Job;
use crate::leaves::Leaf;
use crate::pass_through_tesc::{self, PassThroughTesc};
use crate::record::Recorder;
use crate::record::control;
use crate::record::emits::{self, Emit, Geometry};
use crate::record::evaluation::{self, Evaluation};
use polyshade::Module;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, Capability, ExecutionModel, StorageClass};
use polyshade_vulkan::vk;

/// A stage after the vertex stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StageShape {
    Geometry(Geometry),
    Evaluation(Evaluation),
    /// A tessellation control stage with this many output vertices.
    Control(u32),
}

/// The place of a vertex in the output, as in [`Emit`].
pub(super) type Strip = (u32, u32);

impl StageShape {
    /// Returns the shape of `entry`, or why it cannot be compared.
    pub(super) fn of(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<StageShape, String> {
        match entry.model() {
            ExecutionModel::GEOMETRY => Geometry::of(m, entry).map(StageShape::Geometry),
            ExecutionModel::TESSELLATION_CONTROL => {
                control::vertices(m, entry).map(StageShape::Control)
            }
            _ => Evaluation::of(m, entry).map(StageShape::Evaluation),
        }
    }

    pub(super) fn stage(self) -> vk::ShaderStageFlags {
        match self {
            StageShape::Geometry(_) => vk::ShaderStageFlags::GEOMETRY,
            StageShape::Evaluation(_) => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
            StageShape::Control(_) => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        }
    }

    /// Returns the topology of the stage's input, and the number of vertices of an input primitive.
    pub(super) fn takes(self) -> (vk::PrimitiveTopology, usize) {
        let StageShape::Geometry(geometry) = self else {
            return (vk::PrimitiveTopology::PATCH_LIST, pass_through_tesc::VERTICES as usize);
        };
        (geometry.takes, geometry.corners as usize)
    }

    /// Returns the number of primitives per run, and the number of slots per primitive.
    pub(super) fn slots(self) -> (usize, u32) {
        match self {
            StageShape::Geometry(geometry) => (24, geometry.slots()),
            StageShape::Evaluation(_) => (8, evaluation::PLACES),
            // There are more patches, because each patch has few invocations, and these branch depending on their
            // inputs.
            StageShape::Control(vertices) => (64, vertices),
        }
    }

    pub(super) fn record(self, module: &Module<'_>, job: &Job<'_>) -> Result<Recorder, String> {
        match self {
            StageShape::Geometry(geometry) => emits::record(module, job, geometry),
            StageShape::Evaluation(_) => evaluation::record(module, job),
            StageShape::Control(vertices) => control::record(module, job, vertices),
        }
    }

    /// Returns the output leaves of one vertex and of the patch. All vertices have the same outputs.
    pub(super) fn of_one_vertex(self, leaves: Vec<Leaf>) -> Vec<Leaf> {
        if let StageShape::Control(_) = self { control::of_one_vertex(leaves) } else { leaves }
    }

    /// Returns the contents of the slots, primitive by primitive; `None` if an invocation did not finish. Unfinished
    /// invocations of evaluation stages are not detected.
    pub(super) fn read(self, recorder: &Recorder, words: &[u32]) -> Option<Vec<Vec<Emit>>> {
        let (stride, (_, count)) = (recorder.stride() as usize, self.slots());
        let of_primitive = |words: &[u32]| {
            let slots: Vec<&[u32]> = words.chunks_exact(stride).collect();
            let places = (0..).zip(&slots).map(|(place, slot)| emits::emit(slot, |_| (place, 0)));
            match self {
                StageShape::Geometry(geometry) => emits::read(geometry, &slots),
                // A patch is evaluated at only some of the coordinates.
                StageShape::Evaluation(_) => Some(places.flatten().collect()),
                StageShape::Control(_) => places.collect(),
            }
        };
        words.chunks_exact(stride * count as usize).map(of_primitive).collect()
    }

    /// Whether an invocation emits too many vertices.
    pub(super) fn is_exceeded(self, emits: &[Emit]) -> bool {
        let StageShape::Geometry(geometry) = self else { return false };
        let mut of_invocations = emits.chunk_by(|one, other| one.strip.0 == other.strip.0);
        of_invocations.any(|emits| emits.len() > geometry.most as usize)
    }

    /// The place of a vertex in messages.
    pub(super) fn place(self, strip: Option<Strip>) -> String {
        let Some((one, other)) = strip else { return "no vertex".to_owned() };
        match self {
            StageShape::Geometry(_) => format!("invocation {one}, strip {other}"),
            StageShape::Evaluation(_) => format!("coordinate {:?}", Evaluation::coordinates(one)),
            StageShape::Control(_) => format!("control point {one}"),
        }
    }

    /// The parameters of the synthetic control stage, if there is one.
    pub(super) fn pass_through_tesc(self, m: &Module<'_>) -> Option<PassThroughTesc> {
        let StageShape::Evaluation(evaluation) = self else { return None };
        Some(PassThroughTesc {
            spacing: !evaluation.has_spacing,
            order: !evaluation.has_order,
            sizes: m.has_capability(Capability::TESSELLATION_POINT_SIZE),
        })
    }

    /// The topology for draws of recorded primitives. `None` if the outputs may differ when primitives are drawn
    /// separately and patches are not divided.
    pub(super) fn makes(self, m: &Module<'_>) -> Option<vk::PrimitiveTopology> {
        let of_others =
            [BuiltIn::PRIMITIVE_ID, BuiltIn::TESS_LEVEL_OUTER, BuiltIn::TESS_LEVEL_INNER];
        let inputs = m.variables().filter(|one| one.storage_class() == StorageClass::INPUT);
        let mut builtins = inputs.filter_map(|variable| m.builtin(variable.result()));
        if builtins.any(|builtin| of_others.contains(&builtin)) {
            return None;
        }
        match self {
            StageShape::Evaluation(evaluation) => evaluation.makes,
            // Points are excluded, because the stage writes their sizes.
            StageShape::Geometry(geometry) if !self.makes_points() => Some(geometry.makes),
            StageShape::Geometry(_) | StageShape::Control(_) => None,
        }
    }

    pub(super) fn makes_points(self) -> bool {
        matches!(
            self,
            StageShape::Geometry(Geometry { makes: vk::PrimitiveTopology::POINT_LIST, .. })
        )
    }

    /// Splits the output for one input primitive into primitives that share no vertices.
    pub(super) fn lists<V: Clone>(self, vertices: &[(Strip, V)]) -> Vec<Vec<V>> {
        match self {
            StageShape::Geometry(geometry) => {
                let strips = vertices.chunk_by(|(one, _), (other, _)| one == other);
                strips.flat_map(|strip| of_strip(geometry.makes, strip)).collect()
            }
            StageShape::Control(_) => Vec::new(),
            StageShape::Evaluation(evaluation) => {
                let at = |place: &u32| {
                    let vertex = vertices.iter().find(|(strip, _)| *strip == (*place, 0))?;
                    Some(vertex.1.clone())
                };
                evaluation.corners().iter().map(at).collect::<Option<_>>().into_iter().collect()
            }
        }
    }
}

fn of_strip<V: Clone>(makes: vk::PrimitiveTopology, strip: &[(Strip, V)]) -> Vec<Vec<V>> {
    let corners = if makes == vk::PrimitiveTopology::LINE_LIST { 2 } else { 3 };
    let primitives = strip.windows(corners).enumerate().map(|(number, window)| {
        let mut primitive: Vec<V> = window.iter().map(|(_, vertex)| vertex.clone()).collect();
        // Every second triangle of a strip has its last two vertices swapped.
        if number % 2 == 1 && corners == 3 {
            primitive.swap(1, 2);
        }
        primitive
    });
    primitives.collect()
}
