//! Makes the vertex stage that loads the spilled outputs of a geometry stage.

use super::Stage;
use crate::code::{self, refuse};
use crate::rewrite;
use crate::transform_feedback::emit::spill_outputs::Spilled;
use crate::transform_feedback::emit::write_point_size;
use crate::transform_feedback::geometry::{Behind, Prepared};
use crate::transform_feedback::spilled_output::{OutputPlace, SpilledOutput};
use crate::transform_feedback::{Topology, native_xfb};
use foldhash::HashSet;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Decoration, Error, ExecutionModel, Id, Module, Patch, StorageClass};

/// Makes `Raster`. The vertex stage keeps the outputs of stream 0, and has no inputs except its number.
pub(in super::super) fn raster<'m, 'w>(
    m: &'m Module<'w>,
    p: &mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    let plan = &prepared.plan;
    if plan.spilled.is_empty() {
        let message = "cannot rasterize: the options do not spill outputs";
        return refuse(&code::CAPTURE_SPILL_NOT_REQUESTED, message, entry.function());
    }
    let at = rewrite::replace_body(m, p, entry);
    let spilled: HashSet<Id> =
        plan.spilled.iter().map(|one| one.piece.leaf.part.variable).collect();
    let outputs = rewrite::interface(m, entry, StorageClass::OUTPUT);
    let (kept, taken): (Vec<Id>, Vec<Id>) =
        outputs.into_iter().partition(|id| spilled.contains(id));
    // Vertex stages have no streams, and this one does not capture.
    let structures = kept.iter().filter_map(|id| Some(m.innermost_element(m.pointee(*id)?)));
    let decorated: HashSet<Id> = structures.chain(kept.iter().copied()).collect();
    for id in decorated {
        p.undecorate(id, |_, decoration| decoration == Decoration::STREAM);
    }
    if native_xfb::others_capture(m, entry) {
        native_xfb::strip_outputs(m, p, entry);
    }
    let stage = Stage::without(m, p, (entry, prepared), taken, false)?;
    p.overwrite(entry.inst().operand(1), ExecutionModel::VERTEX.0);
    let block = stage.buffer(p, Behind::Outputs, "polyshade_outputs")?;
    let stride = plan.layout.outputs_stride() / 4;
    let uint = p.uint();
    let index = rewrite::add_input_builtin(p, entry, BuiltIn::VERTEX_INDEX, uint);
    let number = p.at(at).load(uint, index);
    Spilled { block, stores: &plan.spilled, stride }.load(p, at, number);

    // A point without a size has size 1.
    let is_size = |output: &SpilledOutput| {
        matches!(output.place, OutputPlace::BuiltIn { builtin: BuiltIn::POINT_SIZE, .. })
    };
    if plan.emitted.strips == Topology::PointList && !plan.layout.spilled.iter().any(is_size) {
        write_point_size(m, p, entry, at);
    }
    Ok(())
}
