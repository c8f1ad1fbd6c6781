//! Checks the bindings and host parameters that a capture requires, binds the buffers and fills them.

use super::StoresRun;
use crate::cases::{Case, FILL, GUARD, Indices, LEAD};
use crate::compare::{Comparison, Expected, strides};
use crate::inputs;
use crate::record::Placement;
use crate::verdict::{Part, Stop, broken, not_comparable};
use polyshade::host::Purpose;
use polyshade::spv::StorageClass;
use polyshade::transform_feedback::{self, BufferRange, Segments};
use polyshade::{Error, Module};
use polyshade_vulkan::{
    CaptureBuffers, Captured, Draw, Range, Work, bind_capture, dispatch_capture,
};

impl StoresRun<'_> {
    /// Checks the descriptors of the requirements against the layout and the resources of the original.
    pub(super) fn check_requirements(&self) -> Result<(), Stop> {
        let wrong = |message: String| Err(broken(Part::Host, message));
        let words_at = self.capture.words.source.descriptor();
        let descriptors = &self.capture.requirements.descriptors;
        for one in descriptors {
            let (set, binding) = (one.set.0, one.binding.0);
            let is_there = match one.purpose {
                Purpose::Feedback(number) => {
                    let is_captured = (number as usize) < self.layout.len();
                    is_captured && !self.original.inputs.binds(set, binding)
                }
                Purpose::Indices | Purpose::Segments => self.pulled.is_some(),
                Purpose::Outputs => self.capture.spilled.is_some(),
                purpose => {
                    purpose == Purpose::HostParams && words_at == Some((one.set, one.binding))
                }
            };
            if !is_there {
                return wrong(format!(
                    "the requirements list set {set}, binding {binding} without need"
                ));
            }
        }
        // The descriptors must include every captured buffer and the host parameters.
        let has = |purpose| descriptors.iter().any(|one| one.purpose == purpose);
        for (number, buffer) in (0..).zip(&self.layout) {
            let is_bound = !buffer.pieces.is_empty() && !self.capture.words.source.is_address();
            if is_bound && !has(Purpose::Feedback(number)) {
                return wrong(format!("the requirements lack feedback buffer {number}"));
            }
        }
        match words_at.is_none() || has(Purpose::HostParams) {
            true => Ok(()),
            false => wrong("the requirements lack the host parameters".to_owned()),
        }
    }

    /// Checks that each resource of a variant is in the original or, unless the variant is raster-only, in the
    /// requirements.
    pub(super) fn check_descriptors(&self, part: Part, module: &Module<'_>) -> Result<(), Stop> {
        for variable in module.variables() {
            let id = variable.result();
            let is_resource = matches!(
                variable.storage_class(),
                StorageClass::UNIFORM
                    | StorageClass::UNIFORM_CONSTANT
                    | StorageClass::STORAGE_BUFFER
            );
            let place = inputs::place(module, id).filter(|_| is_resource);
            let Some((set, binding)) = place else { continue };
            let pulled =
                self.pulled.iter().flat_map(|pulled| &pulled.made.requirements.descriptors);
            let mut added = self.capture.requirements.descriptors.iter().chain(pulled);
            let added = added.any(|one| (one.set.0, one.binding.0) == (set, binding));
            let is_own = self.original.inputs.binds(set, binding) || !inputs::is_used(module, id);
            if !is_own && (part == Part::RasterOnly || !added) {
                let place = format!("set {set}, binding {binding}");
                return Err(broken(
                    part,
                    format!("it uses {place}, which the requirements do not list"),
                ));
            }
        }
        Ok(())
    }

    /// Whether the variants support this draw. If the host declares how much fits, a wrong declaration makes it
    /// undefined how much of the last primitive is stored. With buffer addresses, no binding limits the stores.
    pub(super) fn is_meant(&self, case: &Case) -> bool {
        let counts_itself = self.capture.words.number("limit").is_none();
        let by_address = self.capture.words.source.is_address();
        self.host_params(case).is_ok()
            && (counts_itself || !case.is_misstated())
            && !(by_address && case.overstates_memory())
    }

    /// Returns the host parameters that the layout computes for a case.
    fn host_params(&self, case: &Case) -> Result<Vec<u32>, Error> {
        self.capture.layout.host_params(&host_draw(case), &self.declared_ranges(case))
    }

    /// Binds feedback buffers and host parameters for a case. Adds the buffers to `work` and returns their indices.
    pub(super) fn bind(
        &self,
        case: &Case,
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) -> Result<Vec<usize>, Stop> {
        let (buffers, ranges) = self.feedback(case, work);
        let words = self.host_params(case).map_err(not_comparable)?;
        dispatch_capture(self.capture, &host_draw(case), draw).map_err(not_comparable)?;
        let mut bound = CaptureBuffers::from(&ranges[..]);
        if let Some(indices) = &case.indices {
            bound.indices = Some(add(index_bytes(indices), work));
            let table = segments(case, indices);
            let table = table.table().iter().flat_map(|word| word.to_ne_bytes());
            bound.segments = Some(add(table.collect(), work));
        }
        bind_capture(self.capture, &words, &bound, draw, work);
        if let Some(pulled) = &self.pulled {
            pulled.bind(draw, work);
        }
        Ok(buffers)
    }

    /// Binds everything that a capturing variant needs, with empty feedback buffers.
    pub(super) fn bind_nothing(
        &self,
        placement: Placement,
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) {
        let (_, ranges) = self.feedback(&Case::of_nothing(placement), work);
        // Parameters that are all 0 declare empty ranges, whichever parameters they are.
        let words = vec![0; self.capture.words.params.len()];
        bind_capture(self.capture, &words, &ranges[..].into(), draw, work);
    }

    /// Adds the feedback buffers of a case. Returns their indices and the bound ranges.
    fn feedback(&self, case: &Case, work: &mut Work<'_>) -> (Vec<usize>, Vec<Range>) {
        let bound = case.buffers(&strides(&self.layout)).into_iter().map(|buffer| {
            let size = (LEAD + buffer.range.len() + case.tail()) as u64;
            work.buffers.push(buffer.memory);
            let index = work.buffers.len() - 1;
            (index, Range { buffer: index, offset: GUARD as u64, size })
        });
        bound.unzip()
    }

    fn declared_ranges(&self, case: &Case) -> Vec<BufferRange> {
        case.buffers(&strides(&self.layout)).iter().map(|buffer| case.range(buffer)).collect()
    }

    /// Compares the counts and counters that the layout computes for a case with the values that the specification
    /// requires.
    pub(super) fn check_counts(
        &self,
        expected: &Expected<'_>,
        comparison: &Comparison<'_>,
    ) -> Result<(), Stop> {
        let case = expected.case;
        if case.is_misstated() {
            return Ok(());
        }
        let (draw, ranges) = (host_draw(case), self.declared_ranges(case));
        let host = Comparison { part: Part::Host, ..comparison.clone() };
        let wrong = |error: Error| host.wrong(case, error.to_string());
        let written = self.capture.layout.primitives_written(&draw, &ranges).map_err(wrong)?;
        let after = self.capture.layout.advance(&draw, &ranges).map_err(wrong)?;
        let counts = Captured { needed: draw.primitives(), written };
        let reached = after.iter().map(|range| range.counter);
        host.counts(expected, counts, reached)
    }
}

/// Adds a buffer and returns its range.
fn add(mut bytes: Vec<u8>, work: &mut Work<'_>) -> Range {
    bytes.resize(bytes.len().next_multiple_of(4).max(4), FILL);
    let range = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
    work.buffers.push(bytes);
    range
}

fn index_bytes(indices: &Indices) -> Vec<u8> {
    let size = indices.index_type.bytes() as usize;
    indices.all.iter().flat_map(|index| index.to_le_bytes().into_iter().take(size)).collect()
}

/// Returns the host's segment table for the indices that restart primitives.
fn segments(case: &Case, indices: &Indices) -> Segments {
    let (bytes, Placement { first_vertex, vertices, .. }) = (index_bytes(indices), case.placement);
    Segments::find(case.topology, indices.index_type, &bytes, first_vertex, vertices)
        .expect("a case has only a few indices")
}

fn declared_indices(case: &Case) -> Option<transform_feedback::Indices> {
    let indices = case.indices.as_ref()?;
    let table = indices.restart.then(|| segments(case, indices));
    Some(transform_feedback::Indices {
        index_type: indices.index_type,
        address: 0,
        offset: 0,
        size: index_bytes(indices).len() as u32,
        vertex_offset: indices.vertex_offset,
        restarted: table.as_ref().map(Segments::primitives),
        table_address: 0,
        table_size: table.map_or(0, |table| 4 * table.table().len() as u32),
    })
}

fn host_draw(case: &Case) -> transform_feedback::Draw {
    let Placement { first_vertex, vertices, first_instance, instances } = case.placement;
    transform_feedback::Draw {
        topology: case.topology,
        provoking_vertex: case.provoking_vertex,
        first_vertex,
        vertex_count: vertices,
        first_instance,
        instance_count: instances,
        draw_index: 0,
        indices: declared_indices(case),
    }
}
