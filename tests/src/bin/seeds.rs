//! Writes the words of every committed case to a folder, as seeds for the fuzz targets.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use polyshade_tests::{shader, tree};

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: seeds FOLDER")?.into();
    fs::create_dir_all(&folder)?;
    let cases = tree::files(&tree::tests().join("cases"));
    for (number, case) in cases.iter().enumerate() {
        let seed = folder.join(format!("{number}.spv"));
        fs::write(seed, shader::bytes(&shader::read(case)?))?;
    }
    println!("{} seeds in {}", cases.len(), folder.display());
    Ok(())
}
