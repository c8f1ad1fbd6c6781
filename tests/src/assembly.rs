//! What the program prints of a module as assembly, against what SPIRV-Tools prints.

use polyshade_formats::tools::{assembly, listing};

use crate::shader::disassemble_numbers;

/// What is wrong with how the module is printed: where SPIRV-Tools prints it, the program prints the same tokens, which
/// SPIRV-Tools reads as the same words.
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

/// Numbers with a point have many forms, and words without a name that of a number: what counts is that the same words
/// are read.
fn has_forms(line: &str) -> bool {
    line.contains("Constant ") || line.contains('!')
}
