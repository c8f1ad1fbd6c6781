//! `cargo xtask distributed`: tests `examples/distributed` with one worker killed against the result of
//! a single machine.

use std::fs;
use std::path::Path;

use crate::command::{Incremental, built, program, run, target, workspace};
use crate::files;
use crate::python::{Dependencies, environment};

const REQUIREMENTS: &str = "examples/distributed/requirements.txt";

/// The number of shaders, which is large enough for a run of some seconds.
const SHADERS: u32 = 2000;

const VERB: [&str; 3] = ["capture", "--varyings", "v_position,v_velocity"];

/// Lowers shaders on three Dask workers, one of which is killed, and on a single machine. The outputs, the index and
/// the report must be equal, byte for byte.
pub(crate) fn run_distributed() -> Result<(), String> {
    let polyshade = built("polyshade", Incremental::ByHand)?.get_program().to_owned();
    let polyshade = polyshade.to_string_lossy();
    let folder = target().join("distributed");
    let python = environment(&folder.join("venv"), REQUIREMENTS, Dependencies::Named)?;
    let work = folder.join("work");
    let _ = fs::remove_dir_all(&work);
    let shaders = work.join("shaders");
    write_shaders(&shaders)?;

    let example = workspace().join("examples/distributed/shards.py");
    let mut dask = program(&python, [&example, &shaders, &work.join("dask")]);
    dask.arg("--report").arg(work.join("dask.json")).args(["--polyshade", &polyshade]);
    run(dask.args(["--workers", "3", "--kill-one", "--"]).args(VERB))?;
    let mut one = program(&polyshade, ["batch"]);
    one.arg(&shaders).arg("-o").arg(work.join("one")).arg("--report").arg(work.join("one.json"));
    run(one.args(VERB))?;
    for (ours, theirs) in [("dask", "one"), ("dask.json", "one.json")] {
        run(program("diff", ["-r"]).arg(work.join(ours)).arg(work.join(theirs)))?;
    }
    println!(
        "{SHADERS} shaders give the same bytes on three workers, one of them killed, as on one machine"
    );
    Ok(())
}

/// Writes shaders with different contents to several folders. Some are of a stage that the batch skips.
fn write_shaders(folder: &Path) -> Result<(), String> {
    let path = workspace().join("examples/particles.vert");
    let text = files::read(&path)?;
    let Some((head, body)) = text.split_once("void main() {") else {
        return Err("examples/particles.vert has no `main` to change".to_owned());
    };
    for number in 0..SHADERS {
        let folder = folder.join((number % 7).to_string());
        let (name, text) = match number % 100 {
            99 => {
                (format!("{number}.frag"), format!("#version 450\nvoid main() {{}} // {number}\n"))
            }
            _ => {
                let moved = format!("{head}const float NUMBER = {number}.0;\nvoid main() {{{body}");
                (format!("{number}.vert"), moved)
            }
        };
        files::write(&folder.join(name), text)?;
    }
    Ok(())
}
