//! The harness around `main`: exit status, broken pipes and error lines, the same in every tool.

use crate::exit;
use std::io;
use std::process::ExitCode;

/// Turns a tool's result into its exit status.
///
/// A closed pipe downstream ends the stage quietly with 0; any other error becomes the one line
/// `tool: what went wrong` on stderr and exit 2.
pub fn finish(tool: &str, result: io::Result<u8>) -> ExitCode {
    match result {
        Ok(code) => ExitCode::from(code),
        Err(wrong) if wrong.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(exit::PASSED),
        Err(wrong) => {
            eprintln!("{tool}: {wrong}");
            ExitCode::from(exit::USAGE)
        }
    }
}
