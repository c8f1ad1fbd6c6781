//! Compares the program's assembly of a module with that of SPIRV-Tools.

use polyshade_formats::tools::{assembly, listing};

use crate::shader::disassemble_numbers;

/// Returns the faults of the program's assembly. If SPIRV-Tools can print the module, the program must print the
/// same tokens, and SPIRV-Tools must read them as the same words.
pub fn check(words: &[u32]) -> Vec<String> {
    let Ok(theirs) = disassemble_numbers(words) else { return Vec::new() };
    let ours = match assembly(words) {
        Ok(ours) => ours,
        Err(error) => return vec![format!("assembly: {error}")],
    };
    let tokens = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let theirs = theirs.lines().map(tokens);
    let ours = ours.lines().filter(|line| !line.starts_with(';')).map(tokens);
    let differ = ours.zip(theirs).filter(|(ours, theirs)| ours != theirs && !has_forms(ours));
    let mut faults: Vec<String> = differ
        .map(|(ours, theirs)| format!("assembly: `{ours}`, not `{theirs}`"))
        .take(3)
        .collect();
    faults.extend(listing(words).err().map(|error| format!("listing: {error}")));
    faults
}

/// Returns whether a line may have several forms, because floats do and words may print as numbers. Only its parsed
/// words count.
fn has_forms(line: &str) -> bool {
    line.contains("Constant ") || line.contains('!')
}
