//! The cases in `tests/cases`, with one test for each case. If `../shared/corpus` exists, one slow test for each of
//! its folders checks the identity round trip of every module.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use polyshade_tests::corpus::{Tally, check};
use polyshade_tests::filetest::{self, Harness};
use polyshade_tests::tree::{corpus, files, folders, tests};
use polyshade_tests::{identity, program, shader};

/// The harness, which is created when the first case runs.
static HARNESS: LazyLock<Harness> = LazyLock::new(|| Harness {
    program: program::build(),
    cases: tests().join("cases"),
    versions: tests().join("versions"),
    bless: std::env::var_os("POLYSHADE_BLESS").is_some(),
});

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = files(&tests().join("cases")).into_iter().map(case).collect();
    trials.extend(folders(&corpus()).into_iter().map(round_trip));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn case(path: PathBuf) -> Trial {
    let name = path.strip_prefix(tests()).expect("a case lies in tests").display().to_string();
    Trial::test(name, move || {
        if path.extension().is_some_and(|extension| extension == "diff") {
            return orphan(&path);
        }
        Ok(filetest::run(&HARNESS, &path)?)
    })
}

/// Fails, because a diff has no case. When blessing, removes the diff instead.
fn orphan(path: &Path) -> Result<(), Failed> {
    match HARNESS.bless {
        true => Ok(fs::remove_file(path)?),
        false => Err("the diff of a case that is gone: run `cargo xtask bless`".into()),
    }
}

fn round_trip(folder: PathBuf) -> Trial {
    let name = folder.file_name().expect("a folder has a name").display().to_string();
    let modules = files(&folder);
    Trial::test(format!("corpus/{name}: {} modules", modules.len()), move || {
        let faults: Vec<String> = modules
            .iter()
            .filter_map(|path| {
                let checked = shader::read(path).and_then(|words| identity::check(&words));
                Some(format!("{}: {}", path.display(), checked.err()?))
            })
            .chain(modules.iter().flat_map(|path| check(path, &mut Tally::default())))
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
    })
    .with_ignored_flag(true)
}
