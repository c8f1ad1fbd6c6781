//! Reads what gungraun printed as JSON, prints it per input word beside the committed limits, and
//! fails where a limit is exceeded.

use std::process::ExitCode;

use polyshade_benches::limits::report;

fn main() -> ExitCode {
    let summaries = match std::io::read_to_string(std::io::stdin()) {
        Ok(summaries) => summaries,
        Err(error) => return fail(&format!("standard input: {error}")),
    };
    match report(include_str!("../../limits.txt"), &summaries) {
        Ok((table, kept)) => {
            print!("{table}");
            if kept { ExitCode::SUCCESS } else { fail("slower than benches/limits.txt allows") }
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &str) -> ExitCode {
    eprintln!("report: {error}");
    ExitCode::FAILURE
}
