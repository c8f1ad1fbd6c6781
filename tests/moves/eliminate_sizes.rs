//! What is left of the shaders of a corpus, beside what SPIRV-Tools' dead-code passes leave of them.

use crate::eliminate_corpus::corpus;
use polyshade::Module;
use polyshade::moves::{self, Copies};
use polyshade::position_only::{self, Options, SideEffects};
use polyshade_spv::{ExecutionModel, Id, Op, StorageClass};
use spirv_tools::TargetEnv;
use spirv_tools::opt::{Optimizer, Passes};

/// The most that a shader may be larger than what SPIRV-Tools leaves of it.
const MOST: f64 = 1.05;

/// Shaders that are larger, and known to be: values of a structure are needed whole here.
const LARGER: [&str; 1] = ["out_spv_interface.vertex.spvasm.vert.spv"];

fn instructions(words: &[u32]) -> usize {
    Module::parse(words).expect("it is valid").instructions().count()
}

/// The outputs of `main` that nothing rasterizes.
fn varyings(m: &Module<'_>, name: &str) -> Vec<Id> {
    let entry = m.entry_point(name, ExecutionModel::VERTEX).expect("it was just seen");
    let outputs = moves::interface(m, entry, StorageClass::OUTPUT);
    let is_builtin = |id: Id| {
        let block =
            m.type_of(id).and_then(|ty| m.pointer(ty)).map(|(_, ty)| m.innermost_element(ty));
        m.builtin(id).is_some() || block.is_some_and(|block| m.member_builtin(block, 0).is_some())
    };
    outputs.into_iter().filter(|id| !is_builtin(*id)).collect()
}

/// What SPIRV-Tools leaves when the varyings are no outputs any more.
fn by_spirv_tools(m: &Module<'_>, name: &str) -> Option<Vec<u32>> {
    let varyings = varyings(m, name);
    let without = m.rewrite(|m, p| {
        let entry = m.entry_point(name, ExecutionModel::VERTEX)?;
        moves::take_over(m, p, entry, &varyings, Copies::None).map(|_| ())
    });
    let mut optimizer = spirv_tools::opt::create(Some(TargetEnv::Universal_1_6));
    for pass in [
        Passes::EliminateDeadFunctions,
        Passes::AggressiveDCE,
        Passes::EliminateDeadMembers,
        Passes::AggressiveDCE,
        Passes::EliminateDeadConstant,
    ] {
        optimizer.register_pass(pass);
    }
    let without = without.ok()?.module.into_words();
    let reduced = optimizer.optimize(&without, &mut |_| {}, None).ok()?;
    Some(reduced.as_words().to_vec())
}

#[test]
fn corpus_is_as_small_as_spirv_tools_leaves_it() {
    let (mut ours, mut theirs, mut ratios) = (0, 0, Vec::new());
    let mut endless = 0;
    for (path, words) in corpus() {
        let m = Module::parse(&words).expect("it is valid");
        let mut vertex = m.entry_points().filter(|entry| entry.model() == ExecutionModel::VERTEX);
        let (Some(entry), None) = (vertex.next(), vertex.next()) else { continue };
        if m.entry_points().len() != 1 {
            continue;
        }
        let name = entry.name().into_owned();
        let options = Options::new(&name).side_effects(SideEffects::InPositionOnly);
        let Ok(variant) = position_only::derive(&m, &options) else { continue };
        let Some(reduced) = by_spirv_tools(&m, &name) else { continue };
        let (left, left_by_them) = (instructions(variant.words()), instructions(&reduced));
        ours += left;
        theirs += left_by_them;
        // They take out loops that may never end.
        let has_loop = |words| {
            let m = Module::parse(words).expect("it is valid");
            m.instructions().filter(|inst| inst.op() == Op::LOOP_MERGE).count()
        };
        if has_loop(variant.words()) > has_loop(&reduced) {
            endless += 1;
            continue;
        }
        ratios.push((left as f64 / left_by_them as f64, path, left, left_by_them));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let known = |path: &std::path::Path| LARGER.iter().any(|name| path.ends_with(name));
    let worst = ratios.iter().filter(|(ratio, path, ..)| *ratio > MOST && !known(path));
    let worst: Vec<String> = worst
        .map(|(ratio, path, left, them)| format!("{}: {ratio:.3} ({left}, {them})", path.display()))
        .collect();
    println!(
        "{endless} keep a loop that may not end; {} others: {ours} instructions, SPIRV-Tools {theirs}",
        ratios.len()
    );
    assert!(ours <= theirs, "{ours} instructions, SPIRV-Tools {theirs}");
    assert!(worst.is_empty(), "{} of {}\n{}", worst.len(), ratios.len(), worst.join("\n"));
}
