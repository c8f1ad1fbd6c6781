//! Counts the instructions of every lowering on every shader in some folders, and prints the maximum per word. Fails
//! if a lowering exceeds the limit for the shader's size, or if a call on shaders of a typical size exceeds the
//! benchmarks' limits for instructions, added words or allocations.

use std::path::PathBuf;
use std::process::ExitCode;

use polyshade_testing::allocations::Counting;
use polyshade_testing::calls::sample;
use polyshade_tests::cost::{CALLS, LOWERINGS, is_counted, measure, table};
use polyshade_tests::program::exit;
use polyshade_tests::{calls, shader, tree};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    exit(
        "corpus-cost",
        is_counted(&[LOWERINGS, CALLS]).and_then(|counted| if counted { Ok(()) } else { run() }),
    )
}

fn run() -> Result<(), String> {
    let paths: Vec<_> = tree::named().iter().flat_map(|folder| tree::files(folder)).collect();
    if paths.is_empty() {
        return Err("these folders contain no shaders".to_owned());
    }
    let modules = paths.iter().map(|path| shader::read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut faults = check_calls(&paths, &modules)?;
    let costs = measure(&modules, LOWERINGS)?;
    if costs.is_empty() {
        return Err("nothing was counted".to_owned());
    }
    println!("{} modules\n\n{}", modules.len(), table(&costs));
    let described = |fault: String, module: usize| format!("{}: {fault}", paths[module].display());
    faults.extend(costs.iter().filter_map(|cost| Some(described(cost.fault()?, cost.module))));
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Compares the calls on the cases, and on the corpus if it exists, with their limits.
fn check_calls(paths: &[PathBuf], modules: &[Vec<u32>]) -> Result<Vec<String>, String> {
    let limits = tree::tests().join("../benches");
    let mut faults = Vec::new();
    for (name, folder) in [("cases", tree::tests().join("cases")), ("corpus", tree::corpus())] {
        // Paths on the command line may be relative.
        let Ok(folder) = folder.canonicalize() else { continue };
        let is_below =
            |path: &PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(&folder));
        let below = paths.iter().zip(modules).filter(|(path, _)| is_below(path));
        let modules = sample(&below.map(|(_, words)| words.clone()).collect::<Vec<_>>());
        if modules.is_empty() {
            continue;
        }
        let path = limits.join(format!("calls-on-{name}.txt"));
        let limits = std::fs::read_to_string(&path);
        let limits = limits.map_err(|error| format!("{}: {error}", path.display()))?;
        let (table, over) = calls::report(&calls::rows(&modules)?, &limits);
        println!("calls on {} modules of the {name}\n\n{table}", modules.len());
        faults.extend(over.into_iter().map(|fault| format!("on the {name}: {fault}")));
    }
    Ok(faults)
}
