//! What SPIRV-Tools leaves of a vertex shader whose varyings are no outputs any more.

use polyshade::Module;
use polyshade::rewrite::{self, Copies};
use polyshade_spv::{ExecutionModel, Id, StorageClass};
use spirv_tools::TargetEnv;
use spirv_tools::opt::compiled::CompiledOptimizer;
use spirv_tools::opt::{Optimizer, Passes};

/// The outputs of `name` that nothing rasterizes.
pub fn varyings(m: &Module<'_>, name: &str) -> Vec<Id> {
    let Ok(entry) = m.entry_point(name, ExecutionModel::VERTEX) else { return Vec::new() };
    let outputs = rewrite::interface(m, entry, StorageClass::OUTPUT);
    let is_builtin = |id: Id| {
        let block =
            m.type_of(id).and_then(|ty| m.pointer(ty)).map(|(_, ty)| m.innermost_element(ty));
        m.builtin(id).is_some() || block.is_some_and(|block| m.member_builtin(block, 0).is_some())
    };
    outputs.into_iter().filter(|id| !is_builtin(*id)).collect()
}

/// `m` with the varyings of `name` as variables of its own; `None` where a move refuses.
pub fn without(m: &Module<'_>, name: &str, varyings: &[Id]) -> Option<Vec<u32>> {
    let without = m.rewrite(|m, p| {
        let entry = m.entry_point(name, ExecutionModel::VERTEX)?;
        rewrite::demote_to_private(m, p, entry, varyings, Copies::None).map(|_| ())
    });
    Some(without.ok()?.module.into_words())
}

/// What the passes that remove dead code leave.
pub fn remove(words: &[u32]) -> Option<Vec<u32>> {
    let passes = [
        Passes::EliminateDeadFunctions,
        Passes::AggressiveDCE,
        Passes::EliminateDeadMembers,
        Passes::AggressiveDCE,
        Passes::EliminateDeadConstant,
    ];
    optimized(words, |optimizer| {
        for pass in passes {
            optimizer.register_pass(pass);
        }
    })
}

/// What all passes of `-O` leave, which change arithmetic too.
pub fn optimize(words: &[u32]) -> Option<Vec<u32>> {
    optimized(words, |optimizer| {
        optimizer.register_performance_passes();
    })
}

/// What all passes of `-O` leave, without names and with ids by their order: modules of which this is the same compute
/// the same.
pub fn normalize(words: &[u32]) -> Option<Vec<u32>> {
    optimized(words, |optimizer| {
        optimizer
            .register_pass(Passes::StripDebugInfo)
            .register_performance_passes()
            .register_pass(Passes::EliminateDeadConstant)
            .register_pass(Passes::CompactIds);
    })
}

fn optimized(words: &[u32], register: impl FnOnce(&mut CompiledOptimizer)) -> Option<Vec<u32>> {
    let mut optimizer = CompiledOptimizer::with_env(TargetEnv::Universal_1_6);
    register(&mut optimizer);
    Some(optimizer.optimize(words, &mut |_| {}, None).ok()?.as_words().to_vec())
}
