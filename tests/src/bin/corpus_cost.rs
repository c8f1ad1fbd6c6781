//! Counts the instructions that every lowering takes on every shader below some folders, prints the most that each
//! takes a word, and fails where one takes more than the shader's size explains.

use std::process::ExitCode;

use polyshade_tests::cost::{is_counted, measure, table};
use polyshade_tests::{shader, tree};

fn main() -> ExitCode {
    match is_counted().and_then(|counted| if counted { Ok(()) } else { run() }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("corpus-cost: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let paths: Vec<_> = tree::named().iter().flat_map(|folder| tree::files(folder)).collect();
    if paths.is_empty() {
        return Err("there is no shader below these folders".to_owned());
    }
    let modules = paths.iter().map(|path| shader::read(path)).collect::<Result<Vec<_>, _>>()?;
    let costs = measure(&modules)?;
    if costs.is_empty() {
        return Err("nothing was counted".to_owned());
    }
    println!("{} modules\n\n{}", modules.len(), table(&costs));
    let told = |fault: String, module: usize| format!("{}: {fault}", paths[module].display());
    let faults: Vec<String> =
        costs.iter().filter_map(|cost| Some(told(cost.fault()?, cost.module))).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}
