//! Tests that each check of the harness can fail. Shell scripts replace the program.

use super::*;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Mutex, PoisonError};

const SHADER: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 \"main\"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%1 = OpFunction %2 None %3
%4 = OpLabel
OpReturn
OpFunctionEnd
";

/// Runs a case with these directives on the shader. The program is a shell script in which `$1` is `%s` and `$2` is
/// `%t.spv`, because the verb is removed.
fn run_script(directives: &str, shader: &str, script: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let run = |bless| run_in(folder.path(), bless, &format!("{directives}\n{shader}"), script);
    let blessed = run(true);
    blessed.and(run(false))
}

/// Runs a case with this text, with the diffs and versions in `folder`.
fn run_in(folder: &Path, bless: bool, case: &str, script: &str) -> Result<(), String> {
    // A child process that another thread starts may hold the script open for writing, and then the script cannot be
    // executed.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let program = folder.join("polyshade");
    fs::write(&program, format!("#!/bin/sh\nshift\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.join("case.spvasm");
    fs::write(&path, case).unwrap();
    let (cases, versions) = (folder.to_owned(), folder.join("versions"));
    run(&Harness { program, cases, versions, bless }, &path)
}

fn fails_with(directives: &str, script: &str, why: &str) {
    let error = run_script(directives, SHADER, script).unwrap_err();
    assert!(error.contains(why), "{error}");
}

const WRITES: &str = "; RUN: polyshade convert %s %t.spv";
const PRINTS: &str = "; RUN: polyshade convert %s\n; CHECK: yes";
const REFUSES: &str = "; RUN: polyshade convert %s %t.spv\n; EXIT: 3\n; CHECK: no";

#[test]
fn good_runs_pass() {
    assert_eq!(run_script(WRITES, SHADER, "cp $1 $2"), Ok(()));
    assert_eq!(run_script(PRINTS, SHADER, "echo yes"), Ok(()));
    assert_eq!(run_script(REFUSES, SHADER, "echo no >&2; exit 3"), Ok(()));
}

#[test]
fn texts_are_outputs_too() {
    let writes = "; RUN: polyshade convert %s %t.spv %t.metal\n; KNOWN: a test\n; CHECK: yes";
    assert_eq!(
        run_script("; RUN: polyshade convert %f %t.metal\n; CHECK: yes", SHADER, "echo yes > $2"),
        Ok(())
    );
    fails_with("; RUN: polyshade convert %f %t.metal\n; CHECK: yes", "echo no > $2", "CHECK: yes");
    fails_with(
        "; RUN: polyshade convert %f %t.metal\n; CHECK: yes",
        "echo yes",
        "did not write %t.metal",
    );
    fails_with(writes, "cp $1 $2", "did not write %t.metal");
    let refuses = "; RUN: polyshade convert %f %t.metal\n; EXIT: 3\n; CHECK: no";
    fails_with(refuses, "echo x > $2; echo no >&2; exit 3", "left %t.metal behind");
    let own = "; RUN: polyshade convert %f\n; CHECK: OpMemoryModel Logical GLSL450";
    assert_eq!(run_script(own, SHADER, "cat $1"), Ok(()));
}

#[test]
fn exit_codes_are_compared() {
    fails_with(WRITES, "cp $1 $2; echo why >&2; exit 1", "exit code 1, not 0; it printed:\nwhy");
    fails_with(REFUSES, "echo no >&2", "exit code 0, not 3");
    fails_with(PRINTS, "kill -9 $$", "ended with a signal");
}

#[test]
fn outputs_are_written_and_only_on_success() {
    fails_with(WRITES, "true", "did not write %t.spv");
    fails_with(REFUSES, "cp $1 $2; echo no >&2; exit 3", "left %t.spv behind");
}

#[test]
fn checks_are_made_on_what_was_printed_or_written() {
    fails_with(PRINTS, "echo no; echo yes >&2", "CHECK: yes: not found");
    fails_with(REFUSES, "echo no; exit 3", "CHECK: no: not found");
    fails_with(&format!("{WRITES}\n; CHECK: OpKill"), "cp $1 $2", "CHECK: OpKill: not found");
    let passes = format!("{WRITES}\n; CHECK: OpReturn");
    assert_eq!(run_script(&passes, SHADER, "cp $1 $2"), Ok(()));
}

#[test]
fn outputs_are_validated() {
    // The last 8 bytes are OpReturn and OpFunctionEnd; without the memory model, the module still parses.
    let cut = "{ head -c 28 $1; tail -c +41 $1; } >$2";
    fails_with(WRITES, cut, "%t.spv: spirv-val:");
    fails_with(WRITES, "head -c -4 $1 >$2", "%t.spv: does not parse");
}

#[test]
fn inputs_are_validated_unless_the_case_says_why_not() {
    let invalid = SHADER.replace("OpMemoryModel Logical GLSL450\n", "");
    let error = run_script(WRITES, &invalid, "cp $1 $2").unwrap_err();
    assert!(error.contains("the input: spirv-val:"), "{error}");
    let script = format!("{WRITES}\n; INVALID: nobody minds");
    assert_eq!(run_script(&script, &invalid, "cp $1 $2"), Ok(()));
}

#[test]
fn changes_do_not_hide_in_what_is_not_printed() {
    // The fourth word of the header is the bound.
    let bound = "{ head -c 12 $1; printf '\\011\\000\\000\\000'; tail -c +17 $1; } >$2";
    fails_with(WRITES, bound, "has the same disassembly as the input, but other words");
}

#[test]
fn unknown_instructions_are_carried_through() {
    // Without the unknown instructions, the module has 140 bytes.
    let sprinkled = "[ $(wc -c <$1) -gt 140 ]";
    fails_with(PRINTS, &format!("{sprinkled} || echo yes"), "with unknown instructions");
    fails_with(PRINTS, &format!("echo yes; ! {sprinkled}"), "ended with Some(1), not Some(0)");
    let cuts = format!("if {sprinkled}; then head -c -4 $1 >$2; else cp $1 $2; fi");
    fails_with(WRITES, &cuts, "differs in more than the unknown instructions");
}

#[test]
fn words_do_not_change_without_the_version() {
    let folder = tempfile::tempdir().unwrap();
    let run = |bless, case: &str, script: &str| run_in(folder.path(), bless, case, script);
    let other = folder.path().join("other.spv");
    let larger = SHADER.replace("LocalSize 1", "LocalSize 2");
    fs::write(&other, shader::bytes(&shader::assemble(&larger).unwrap())).unwrap();
    let (writes_same, writes_other) = ("cp $1 $2", format!("cp {} $2", other.display()));
    let case =
        format!("; RUN: polyshade clip-space %s %t.spv\n; KNOWN: the answer is fixed\n{SHADER}");
    let versions = folder.path().join("versions/clip_space.txt");
    let lines = || fs::read_to_string(&versions).unwrap();

    // Blessing records the first answer.
    let missing = run(false, &case, writes_same).unwrap_err();
    assert!(missing.contains("no line for case.spvasm"), "{missing}");
    assert_eq!(run(true, &case, writes_same), Ok(()));
    assert_eq!(run(false, &case, writes_same), Ok(()));
    let blessed = lines();

    // Another answer to the same question is refused.
    for bless in [false, true] {
        let refused = run(bless, &case, &writes_other).unwrap_err();
        assert!(
            refused.contains("gives different words for case.spvasm: raise the version"),
            "{refused}"
        );
        assert!(refused.contains("case.spvasm.diff differs from the current result"), "{refused}");
        assert_eq!(lines(), blessed);
    }
    // A different question is recorded separately.
    let asked_otherwise = case.replace("%s %t", "%s -v %t");
    assert_eq!(run(true, &asked_otherwise, "cp $1 $3"), Ok(()));
    assert!(lines().lines().count() == 2 && lines().contains(&blessed));

    // Wrong answers and unknown verbs are not recorded.
    let faulty = case.replace("; KNOWN", "; CHECK: OpKill\n; KNOWN");
    fs::remove_file(&versions).unwrap();
    assert!(run(true, &faulty, writes_same).is_err());
    assert!(!versions.exists(), "a wrong result is not recorded");
    let unknown = case.replace("clip-space", "frobnicate");
    assert!(
        run(true, &unknown, writes_same).unwrap_err().contains("`frobnicate` is not in the table")
    );
}

#[test]
fn a_move_is_held_to_its_golden_diff() {
    let folder = tempfile::tempdir().unwrap();
    let case = format!("; RUN: rewrite wrap\n{SHADER}");
    let run = |bless| run_in(folder.path(), bless, &case, "");
    assert_eq!((run(true), run(false)), (Ok(()), Ok(())));

    let golden = folder.path().join("case.spvasm.diff");
    let right = fs::read_to_string(&golden).unwrap();
    let wrong = right.replace("OpStore %counter %uint_2", "OpStore %counter %uint_1");
    assert_ne!(wrong, right);
    fs::write(&golden, wrong).unwrap();
    assert!(run(false).unwrap_err().contains("differs from the current result"));
}

#[test]
fn a_move_that_is_refused_ends_as_the_program_would() {
    let refused = "; RUN: rewrite replace-uses a b\n; EXIT: 1\n; CHECK: a is not the name of exactly one id: []";
    assert_eq!(run_script(refused, SHADER, ""), Ok(()));
    fails_with(&refused.replace("1", "3"), "", "exit code 1, not 3");
    fails_with("; RUN: rewrite unwrap", "", "unknown edit or wrong arguments: unwrap");
}

#[test]
fn what_is_valid_before_legalization_is_not_afterwards() {
    let path = crate::tree::tests().join("cases/rewrite/replace-uses/copies.spvasm");
    let text = fs::read_to_string(path).unwrap();
    let shader: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    let run = |rules| run_script(&format!("; RUN: rewrite wrap\n{rules}"), &shader.join("\n"), "");
    assert_eq!(run("; BEFORE-LEGALIZATION: a test"), Ok(()));
    assert!(run("; LEGALIZED: a test").unwrap_err().starts_with("%t.spv: spirv-val:"));
    assert!(run("").unwrap_err().starts_with("the input: spirv-val:"));
}
