//! Reads what gungraun printed as JSON, prints it per input word beside the committed limits, and
//! fails where a limit is exceeded. With `shapes`, what was measured on shapes of two sizes: beside each other.

use std::process::ExitCode;

use polyshade_benches::limits::{report, report_shapes};

fn main() -> ExitCode {
    let summaries = match std::io::read_to_string(std::io::stdin()) {
        Ok(summaries) => summaries,
        Err(error) => return fail(&format!("standard input: {error}")),
    };
    let is_of_shapes = std::env::args().nth(1).as_deref() == Some("shapes");
    let reported = if is_of_shapes {
        report_shapes(&summaries)
    } else {
        report(include_str!("../../limits.txt"), &summaries)
    };
    match reported {
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
