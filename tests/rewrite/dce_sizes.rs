//! The sizes of a corpus's shaders after dead-code elimination, compared with SPIRV-Tools' dead-code passes.

use crate::dce_corpus::corpus;
use polyshade::Module;
use polyshade::host::SideEffects;
use polyshade::position_only::{self, Options};
use polyshade_spv::{ExecutionModel, Op};
use polyshade_tests::dead_code;

/// The largest accepted size, relative to the size after SPIRV-Tools' passes.
const MOST: f64 = 1.05;

fn instructions(words: &[u32]) -> usize {
    Module::parse(words).expect("it is valid").instructions().count()
}

#[test]
fn corpus_is_as_small_as_spirv_tools_leaves_it() {
    let (mut ours, mut theirs, mut ratios) = (0, 0, Vec::new());
    let mut left_by_optimizer = 0;
    let mut endless = 0;
    for (path, words) in corpus() {
        let m = Module::parse(&words).expect("it is valid");
        let mut vertex = m.entry_points().filter(|entry| entry.model() == ExecutionModel::VERTEX);
        let (Some(entry), None) = (vertex.next(), vertex.next()) else { continue };
        if m.entry_points().len() != 1 {
            continue;
        }
        let name = entry.name().into_owned();
        let options = Options::new().side_effects(SideEffects::InFirstPass);
        let Ok(variant) = position_only::lower(&m, name.as_str(), &options) else { continue };
        let without = dead_code::without(&m, &name, &dead_code::varyings(&m, &name));
        let Some(without) = without else { continue };
        let Some(reduced) = dead_code::remove(&without) else { continue };
        let Some(optimized) = dead_code::optimize(&without) else { continue };
        left_by_optimizer += instructions(&optimized);
        let (left, left_by_them) = (instructions(variant.module.words()), instructions(&reduced));
        ours += left;
        theirs += left_by_them;
        // SPIRV-Tools also removes loops that may never end.
        let has_loop = |words| {
            let m = Module::parse(words).expect("it is valid");
            m.instructions().filter(|inst| inst.op() == Op::LOOP_MERGE).count()
        };
        if has_loop(variant.module.words()) > has_loop(&reduced) {
            endless += 1;
            continue;
        }
        ratios.push((left as f64 / left_by_them as f64, path, left, left_by_them));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let worst = ratios.iter().filter(|(ratio, ..)| *ratio > MOST);
    let worst: Vec<String> = worst
        .map(|(ratio, path, left, them)| format!("{}: {ratio:.3} ({left}, {them})", path.display()))
        .collect();
    let average = ratios.iter().map(|one| one.0).sum::<f64>() / ratios.len().max(1) as f64;
    let largest = ratios.first().map_or(0.0, |one| one.0);
    println!(
        "{endless} keep a loop that may not end; {} others: of what SPIRV-Tools leaves {average:.3} on average, \
         {largest:.3} at most; in all {ours} instructions, SPIRV-Tools {theirs}, with -O {left_by_optimizer}",
        ratios.len()
    );
    assert!(ours <= theirs, "{ours} instructions, SPIRV-Tools {theirs}");
    assert!(average <= 1.0, "{average} of what SPIRV-Tools leaves");
    assert!(worst.is_empty(), "{} of {}\n{}", worst.len(), ratios.len(), worst.join("\n"));
}
