//! Replaces the distances that a stage reads with ordinary inputs, for devices without distances.

use super::arrays::{RegisterPlace, add_registers, arrays, count, relocation, signature_of};
use super::limits::Emulated;
use super::options::{Distances, Registers, StageDistances};
use super::prepare::prepare_builtins;
use super::registers::has_distances;
use super::relocate::scalarize_vertices;
use super::semantics::DISTANCE_KINDS;
use crate::code;
use crate::rewrite::Frame;
use polyshade_spv::{Error, Module, StorageClass};

/// Returns a version that reads its distances from the registers `at`, if the device lacks any of the distances. The
/// previous stage, converted by [`to_registers`](super::to_registers), writes these registers. Input blocks that
/// declare distances are split.
pub(super) fn read_registers<'f>(
    frame: &'f Frame<'_>,
    lacking: Emulated,
    at: Option<Registers>,
) -> Result<(Module<'f>, StageDistances), Error> {
    let class = StorageClass::INPUT;
    if !has_distances(frame.model(), class) {
        return Ok((frame.isolated().borrowed(), StageDistances::default()));
    }
    let split = prepare_builtins(frame, frame.isolated(), &[class])?;
    let next = frame.rewrite(&split, |m, p, entry| {
        let found = arrays(m, p, entry, class)?;
        let own = DISTANCE_KINDS.map(|kind| count(&found, kind));
        let counts = signature_of(at.and_then(|at| at.signature), own)?;
        if found.is_empty() || !lacking.is_needed(counts) {
            return Ok(StageDistances { inputs: counts.into(), ..Default::default() });
        }
        let Some(Registers { inputs: location, .. }) = at else {
            let message = "the stage reads distances, which the device does not support: give the location at which \
                the previous stage exports them";
            return Err(Error::new(&code::CLIP_NO_LOCATION, message));
        };
        let vertices = found.iter().find_map(|array| array.register.vertices);
        let target = frame.target();
        let place = RegisterPlace { entry, class, target, location, interpolation: &[] };
        let (places, semantics) = add_registers(m, p, place, counts, vertices)?;
        let relocations: Vec<_> = found.iter().map(|array| relocation(array, &places)).collect();
        scalarize_vertices(m, p, entry, class, &relocations)?;
        Ok(StageDistances { inputs: Distances::new(counts, semantics), ..Default::default() })
    })?;
    Ok((next.module.into_owned(), next.value))
}
