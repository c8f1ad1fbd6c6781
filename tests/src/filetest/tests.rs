//! Each thing the harness checks, failing once: with shell scripts in the place of the program.

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

/// Runs a case with these directives on the shader; the program is a shell script in which `$1` is
/// `%s` and `$2` is `%t.spv`.
fn run_script(directives: &str, shader: &str, script: &str) -> Result<(), String> {
    // A child that another thread starts while the script is written holds it open, and then nobody can run it.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("polyshade");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let case = folder.path().join("case.spvasm");
    fs::write(&case, format!("{directives}\n{shader}")).unwrap();
    let blessed = run(&Harness { program: program.clone(), bless: true }, &case);
    let compared = run(&Harness { program, bless: false }, &case);
    blessed.and(compared)
}

fn fails_with(directives: &str, script: &str, why: &str) {
    let error = run_script(directives, SHADER, script).unwrap_err();
    assert!(error.contains(why), "{error}");
}

const WRITES: &str = "; RUN: polyshade %s %t.spv";
const PRINTS: &str = "; RUN: polyshade %s\n; CHECK: yes";
const REFUSES: &str = "; RUN: polyshade %s %t.spv\n; EXIT: 3\n; CHECK: no";

#[test]
fn good_runs_pass() {
    assert_eq!(run_script(WRITES, SHADER, "cp $1 $2"), Ok(()));
    assert_eq!(run_script(PRINTS, SHADER, "echo yes"), Ok(()));
    assert_eq!(run_script(REFUSES, SHADER, "echo no >&2; exit 3"), Ok(()));
}

#[test]
fn texts_are_outputs_too() {
    let writes = "; RUN: polyshade %s %t.spv %t.metal\n; KNOWN: a test\n; CHECK: yes";
    assert_eq!(
        run_script("; RUN: polyshade %f %t.metal\n; CHECK: yes", SHADER, "echo yes > $2"),
        Ok(())
    );
    fails_with("; RUN: polyshade %f %t.metal\n; CHECK: yes", "echo no > $2", "CHECK: yes");
    fails_with("; RUN: polyshade %f %t.metal\n; CHECK: yes", "echo yes", "did not write %t.metal");
    fails_with(writes, "cp $1 $2", "did not write %t.metal");
    let refuses = "; RUN: polyshade %f %t.metal\n; EXIT: 3\n; CHECK: no";
    fails_with(refuses, "echo x > $2; echo no >&2; exit 3", "left %t.metal behind");
    let own = "; RUN: polyshade %f\n; CHECK: OpMemoryModel Logical GLSL450";
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
    // The last 8 bytes are OpReturn and OpFunctionEnd; without the memory model, the module parses.
    let cut = "{ head -c 28 $1; tail -c +41 $1; } >$2";
    fails_with(WRITES, cut, "%t.spv: spirv-val:");
    fails_with(WRITES, "head -c -4 $1 >$2", "%t.spv: does not parse");
}

#[test]
fn inputs_are_validated_unless_the_case_says_why_not() {
    let invalid = SHADER.replace("OpMemoryModel Logical GLSL450\n", "");
    let error = run_script(WRITES, &invalid, "cp $1 $2").unwrap_err();
    assert!(error.contains("the input: spirv-val:"), "{error}");
    let said = format!("{WRITES}\n; INVALID: nobody minds");
    assert_eq!(run_script(&said, &invalid, "cp $1 $2"), Ok(()));
}

#[test]
fn changes_do_not_hide_in_what_is_not_printed() {
    // The fourth word of the header is the bound.
    let bound = "{ head -c 12 $1; printf '\\011\\000\\000\\000'; tail -c +17 $1; } >$2";
    fails_with(WRITES, bound, "prints as the input does, and has other words");
}

#[test]
fn unknown_instructions_are_carried_through() {
    // Without them, the words are 140 bytes.
    let sprinkled = "[ $(wc -c <$1) -gt 140 ]";
    fails_with(PRINTS, &format!("{sprinkled} || echo yes"), "with unknown instructions");
    fails_with(PRINTS, &format!("echo yes; ! {sprinkled}"), "ended with Some(1), not Some(0)");
    let cuts = format!("if {sprinkled}; then head -c -4 $1 >$2; else cp $1 $2; fi");
    fails_with(WRITES, &cuts, "differs in more than the unknown instructions");
}
