//! Stages that a lowering has made, and their draws and dispatches.

use crate::shader::validate;
use polyshade::host::{self, HostParams, Lowered, Purpose};
use polyshade::transform_feedback::{self, ProvokingVertex, Topology};
use polyshade_vulkan::{Descriptor, Draw, Range, Resource, Stage, Work, place_words, vk};

/// A stage that a lowering has made.
pub struct Made {
    /// The module.
    pub words: Vec<u32>,
    /// The bindings of its buffers.
    pub descriptors: Vec<host::Descriptor>,
}

impl Made {
    /// Returns the stage of a lowered module.
    ///
    /// # Panics
    ///
    /// If the module is invalid.
    pub fn of<T>(lowered: &Lowered<'_, T>) -> Self {
        let words = lowered.module.words().to_vec();
        validate(&words).unwrap_or_else(|error| panic!("{error}"));
        Self { words, descriptors: lowered.requirements.descriptors.clone() }
    }

    /// Returns a draw with the stage and its buffers.
    pub fn bind<'a>(&'a self, stage: vk::ShaderStageFlags, bound: &[(Purpose, Range)]) -> Draw<'a> {
        let mut draw = Draw { stages: vec![Stage::new(stage, &self.words)], ..Draw::default() };
        for one in &self.descriptors {
            if let Some((_, range)) = bound.iter().find(|(purpose, _)| *purpose == one.purpose) {
                let resource = Resource::StorageBuffer(*range);
                draw.descriptors.push(Descriptor::new(one.set.0, one.binding.0, resource));
            }
        }
        draw
    }

    /// Returns a draw with the stage, its buffers and its host parameters.
    pub fn draw<'a>(
        &'a self,
        stage: vk::ShaderStageFlags,
        (params, values): (&HostParams, &[u32]),
        bound: &[(Purpose, Range)],
        work: &mut Work<'a>,
    ) -> Draw<'a> {
        let mut draw = self.bind(stage, bound);
        place_words(params.source, values, 0, &mut draw, work);
        draw
    }
}

/// Returns a draw without indices whose vertices and instances begin at 0.
pub fn host_draw(
    topology: Topology,
    vertex_count: u32,
    instance_count: u32,
) -> transform_feedback::Draw {
    transform_feedback::Draw {
        topology,
        provoking_vertex: ProvokingVertex::First,
        first_vertex: 0,
        vertex_count,
        first_instance: 0,
        instance_count,
        draw_index: 0,
        indices: None,
    }
}
