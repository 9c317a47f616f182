//! cargo-nextest's JUnit XML: the class is the binary, the text holds the panic.

use super::{Case, Dialect, Fault, dialect};
use crate::rust_output::{self, About};
use bv_schemas::{Failure, Kind};

/// Its root is named so in every version.
pub const NEXTEST: Dialect = dialect("cargo-nextest", |head| head.root == "nextest-run", nextest);

fn nextest(case: &Case, fault: &Fault) -> Failure {
    let text = if fault.text.trim().is_empty() { &fault.message } else { &fault.text };
    let lines = unindented(text);
    // `package::binary` is a file of tests; a library's own tests stand in `package`.
    let about = About { id: &case.name, root: None, unit: !case.classname.contains("::") };
    let mut failure = rust_output::failure(&about, &lines);
    let words = || text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    failure.message = failure.message.or_else(words);
    if fault.kind == "test timeout" {
        failure.kind = Kind::Timeout;
    } else if fault.kind.contains("abort") || fault.kind.contains("signal") {
        failure.kind = Kind::Crash;
    }
    failure.id = Some(case.dotted());
    failure
}

/// Tools that print the file anew indent the text by its depth; what a panic says has a form of its own.
fn unindented(text: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let depth = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let side = |line: &str| match line {
        _ if depth < 4 => line.to_owned(),
        _ if line.starts_with("left: ") => format!("  {line}"),
        _ if line.starts_with("right: ") => format!(" {line}"),
        _ => line.to_owned(),
    };
    let lines = text.lines().enumerate();
    lines.map(|(at, line)| side(line.get(if at == 0 { 0 } else { depth }..).unwrap_or_default())).collect()
}
