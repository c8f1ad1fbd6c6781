//! Tests that a cache never changes results, regardless of which runs write to it and how these runs end.

use super::{shader, work};
use crate::work::{Work, exits, stderr};
use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};

/// Returns the number of results that the run reports as taken from the cache.
fn cached(output: &Output) -> usize {
    let printed = stderr(output);
    let line = printed.lines().find(|line| line.ends_with("came from the cache"));
    line.map_or(0, |line| line.split(' ').nth(1).unwrap().parse().unwrap())
}

fn files(work: &Work) -> Vec<PathBuf> {
    let folder = work.path("cache/.polyshade-batch/cache");
    work.tree("cache/.polyshade-batch/cache").into_keys().map(|file| folder.join(file)).collect()
}

#[test]
fn a_folder_from_the_cache_is_the_same() {
    let work = Work::with_shaders(30);
    work.write("in/b.frag", "#version 450\nvoid main() {}\n");
    exits(&work.batch("-o whole --report whole.json --variant both --reports"), 1);
    for (run, count) in [("first", 0), ("second", 28)] {
        let options = format!("-o {run} --report {run}.json --variant both --reports");
        let output = work.batch(&format!("{options} --cache cache"));
        exits(&output, 1);
        assert_eq!(cached(&output), count, "{}", stderr(&output));
        assert!(work.tree(run) == work.tree("whole"));
        assert_eq!(work.read(&format!("{run}.json")), work.read("whole.json"));
    }
    // Failures are not stored, so each run tries these shaders again.
    assert_eq!(files(&work).len(), 28);
    let forced = work.batch("-o second --variant both --reports --cache cache --force");
    assert_eq!(cached(&forced), 0);
}

#[test]
fn only_the_same_shader_with_the_same_options_is_taken() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    work.write("in/included.vert", &format!("{}// #include\n", shader(2)));
    exits(&work.batch("-o 1 --cache cache"), 0);
    assert_eq!(files(&work).len(), 1);
    let same = work.batch("-o 2 --cache cache");
    assert_eq!(cached(&same), 1);
    for (line, count) in [
        ("--set 5", 0),
        ("--variant both", 0),
        ("--isolate", 0),
        ("--name x/{path}", 0),
        ("--exclude none", 1),
    ] {
        let output = work.batch(&format!("-o 3 --cache cache --force {line}"));
        exits(&output, 0);
        fs::remove_dir_all(work.path("3")).unwrap();
        exits(&work.batch(&format!("-o 3 {line}")), 0);
        let (made, _) = (work.tree("3"), fs::remove_dir_all(work.path("3")).unwrap());
        // The forced run has stored this result in the cache.
        let again = work.batch(&format!("-o 3 --cache cache {line}"));
        assert_eq!(cached(&again), 1, "{line}");
        assert!(work.tree("3") == made, "{line}");
        assert!(count == 1 || work.tree("3") != work.tree("2") || line == "--isolate", "{line}");
    }

    // The extension determines how the text is interpreted, so the cached result does not apply.
    fs::rename(work.path("in/a.vert"), work.path("in/a.tese")).unwrap();
    assert_eq!(cached(&work.batch("-o 4 --cache cache")), 0);
    work.write("in/a.vert", &shader(3));
    fs::remove_file(work.path("in/a.tese")).unwrap();
    assert_eq!(cached(&work.batch("-o 4 --cache cache")), 0);
}

#[test]
fn what_is_damaged_is_told_and_made_anew() {
    let work = work();
    for number in 0..3 {
        work.write(&format!("in/{number}.vert"), &shader(number));
    }
    exits(&work.batch("-o whole --cache cache"), 0);
    let files = files(&work);
    let whole: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    fs::write(&files[0], &whole[0][..whole[0].len() / 2]).unwrap();
    fs::write(&files[1], &whole[2]).unwrap();
    let output = work.batch("-o out --cache cache");
    exits(&output, 0);
    assert_eq!(cached(&output), 1);
    assert!(stderr(&output).contains("2 results in the cache were damaged"), "{output:?}");
    assert!(work.tree("out") == work.tree("whole"));
    let mended: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(mended, whole);
}

#[test]
fn runs_beside_each_other_share_it_though_one_is_killed() {
    let work = Work::with_shaders(200);
    exits(&work.batch("-o whole --report whole.json"), 1);
    let start = |run: usize| {
        let line = format!(
            "batch in capture --varyings gl_Position -o out{run} --report {run}.json --cache cache -j 1"
        );
        let mut command = work.command(&line);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut runs: Vec<_> = (0..3).map(start).collect();
    work.wait_for("out0", &mut runs[0]);
    runs[0].kill().unwrap();
    for run in &mut runs {
        run.wait().unwrap();
    }
    assert!(!work.has("0.json"));
    start(0).wait().unwrap();
    let last = work.batch("-o out3 --report 3.json --cache cache");
    assert_eq!(cached(&last), 180, "{}", stderr(&last));
    for run in 0..4 {
        assert!(work.tree(&format!("out{run}")) == work.tree("whole"), "{run}");
        assert_eq!(work.read(&format!("{run}.json")), work.read("whole.json"), "{run}");
    }
}

#[test]
fn after_shards_one_run_takes_all_from_it() {
    let work = Work::with_shaders(20);
    for shard in 1..=3 {
        work.batch(&format!("-o out{shard} --shard {shard}/3 --cache cache"));
    }
    let whole = work.batch("-o whole --cache cache");
    assert_eq!(cached(&whole), 18);
    exits(&work.batch("-o alone"), 1);
    assert!(work.tree("whole") == work.tree("alone"));
}

#[test]
fn a_cache_has_no_more_bytes_than_it_may() {
    let work = Work::with_shaders(3);
    exits(&work.batch("-o 1 --cache cache --cache-size 1G"), 0);
    let all = files(&work).len();
    assert_eq!(all, 3);
    let largest = files(&work).iter().map(|file| fs::metadata(file).unwrap().len()).max();
    let one = format!("-o 2 --cache cache --cache-size {}", largest.unwrap());
    assert_eq!(cached(&work.batch(&one)), all);
    assert_eq!(files(&work).len(), 1);
    exits(&work.batch("-o 3 --cache cache --cache-size 0"), 0);
    assert!(files(&work).is_empty());
    work.fails(
        "batch in info -o 4 --cache cache --cache-size 2X",
        2,
        "a size is a number of bytes",
    );
    work.fails("batch in info -o 4 --cache-size 2M", 2, "--cache <DIR>");
}

#[test]
fn a_cache_among_the_shaders_is_not_read_as_shaders() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    let line = "-o out --cache in/cache --include * --report r.json";
    exits(&work.batch(line), 0);
    exits(&work.batch(line), 0);
    assert_eq!(work.json("r.json")["shaders"].as_array().map(Vec::len), Some(1));
    work.write("file", "");
    work.fails("batch in info -o out --cache file", 1, "file: ");
}
