//! JUnit XML made of `go test`'s output, by gotestsum and go-junit-report: the element holds the test's log.

use super::{Case, Fault};
use crate::formats::go_test;
use bv_schemas::Failure;

/// A report of any tool, where the text is a log of go test's.
pub fn other(case: &Case, fault: &Fault) -> Option<Failure> {
    let is_log = |text: &str| {
        text.lines().any(|line| line.starts_with("--- FAIL: ") || crate::go::Entry::begins(line).is_some())
    };
    is_log(&fault.text).then(|| go(case, fault))
}

fn go(case: &Case, fault: &Fault) -> Failure {
    let id = case.dotted();
    let failure = go_test::failure(&case.name, &fault.text);
    Failure { id: Some(id), ..failure }
}
