//! cargo-nextest's JUnit XML: the class is the binary, the text holds the panic.

use super::{Case, Dialect, Fault, dialect};
use crate::rust_output::{self, About};
use bv_schemas::{Failure, Kind};

/// Its root is named so in every version.
pub const NEXTEST: Dialect = dialect("cargo-nextest", |head| head.root == "nextest-run", nextest);

fn nextest(case: &Case, fault: &Fault) -> Failure {
    let text = if fault.text.trim().is_empty() { &fault.message } else { &fault.text };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
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
