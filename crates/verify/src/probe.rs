//! Our own fragment stages that show what the stage before them hands on.

use crate::feeder::{variable, vector};
use crate::leaves::{Kind, Leaf};
use crate::library;
use crate::verdict::{Stop, not_comparable};
use polyshade::spv::{Decoration, ExecutionModel, Op, StorageClass};
use polyshade::{Error, Module, moves};

/// The outputs of `m` that a probe can show: those that are floats at locations by themselves.
pub(crate) fn shown(leaves: &[Leaf]) -> impl Iterator<Item = &Leaf> {
    leaves.iter().filter(|leaf| {
        (leaf.kind, leaf.bits) == (Kind::Float, 32)
            && leaf.builtin.is_none()
            && leaf.path.is_empty()
            && leaf.register.is_some()
    })
}

/// A fragment stage as `library/depth.frag`, with the sum of the components of an output in place of the depth: the
/// first once, the second twice, and so on. It is interpolated as `m`, the module that has it, says.
///
/// ```text
/// %value = OpLoad %v2float %input
/// %sum   = OpDot %float %value %weights
/// %pixel = OpCompositeConstruct %v2float %sum %float_1
///          OpStore %output %pixel
/// ```
pub(crate) fn probe(m: &Module<'_>, leaf: &Leaf) -> Result<Vec<u32>, Stop> {
    let (location, component) = leaf.register.unwrap_or((0, 0));
    let interpolation = [Decoration::FLAT, Decoration::NO_PERSPECTIVE]
        .map(|decoration| m.decoration(leaf.variable, decoration).map(|_| decoration));
    let base = Module::parse(&library::DEPTH).expect("glslang's words parse");
    let probe = base.rewrite(|m, p| {
        let entry = m.entry_point("main", ExecutionModel::FRAGMENT)?;
        let at = moves::wrap(m, p, entry).epilogue;
        let ty = vector(p, leaf.kind, leaf.count);
        let from = variable(p, StorageClass::INPUT, ty, (Decoration::LOCATION, location));
        if component > 0 {
            p.decorate(from, Decoration::COMPONENT, &[component]);
        }
        for decoration in interpolation.into_iter().flatten() {
            p.decorate(from, decoration, &[]);
        }
        p.join_interface(entry, from);
        let weights: Vec<_> = (1..=leaf.count).map(|at| p.float_constant(at as f32)).collect();
        let weights = (leaf.count > 1).then(|| p.composite_constant(ty, &weights));
        let (float, one) = (p.float(), p.float_constant(1.0));
        let pair = p.vector(float, 2);
        let output = m.variables().find(|one| one.storage_class() == StorageClass::OUTPUT);
        let output = output.expect("the stage has one output").result();
        let mut code = p.at(at);
        let value = code.load(ty, from);
        let sum = weights.map_or(value, |weights| code.binary(Op::DOT, float, value, weights));
        let pixel = code.construct(pair, &[sum, one]);
        code.store(output, pixel);
        Ok(())
    });
    let probe =
        probe.map_err(|error: Error| not_comparable(format!("the fragment stage: {error}")))?;
    Ok(probe.module.into_words())
}
