//! Removes dead code with SPIRV-Tools from a vertex shader after its varyings have become private variables.

use polyshade::Module;
use polyshade::rewrite::{self, Copies};
use polyshade_spv::{ExecutionModel, Id, StorageClass};
use spirv_tools::TargetEnv;
use spirv_tools::opt::compiled::CompiledOptimizer;
use spirv_tools::opt::{Optimizer, Passes};

/// Returns the outputs of entry point `name` that are not built-ins.
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

/// Returns `m` with the varyings of entry point `name` as private variables, or `None` if a rewrite tool refuses.
pub fn without(m: &Module<'_>, name: &str, varyings: &[Id]) -> Option<Vec<u32>> {
    let without = m.rewrite(|m, p| {
        let entry = m.entry_point(name, ExecutionModel::VERTEX)?;
        rewrite::demote_to_private(m, p, entry, varyings, Copies::None).map(|_| ())
    });
    Some(without.ok()?.module.into_words())
}

/// Runs SPIRV-Tools' passes that remove dead code.
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

/// Runs all passes of `-O`, which change arithmetic too.
pub fn optimize(words: &[u32]) -> Option<Vec<u32>> {
    optimized(words, |optimizer| {
        optimizer.register_performance_passes();
    })
}

/// Runs all passes of `-O`, removes names and compacts ids. Modules with equal results compute the same values.
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
