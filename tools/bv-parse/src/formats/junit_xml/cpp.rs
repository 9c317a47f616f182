//! JUnit XML of C++'s runners: GoogleTest's (`--gtest_output=xml:`) and Catch2's (`-r junit`), whose elements hold
//! the terminal's text.

use super::{Case, Dialect, Fault, Tag, dialect};
use crate::formats::{catch2, gtest};
use bv_schemas::{Failure, Kind};

/// GoogleTest names its root so in every version.
pub const GTEST: Dialect = dialect("gtest", |head| head.root == "AllTests", gtest);

/// Catch2 knows no host and says so; its root has no name.
pub const CATCH2: Dialect = dialect("catch2", |head| head.attribute("hostname") == Some("tbd"), catch2);

fn gtest(case: &Case, fault: &Fault) -> Failure {
    let text = if fault.text.trim().is_empty() { &fault.message } else { &fault.text };
    gtest::failure(&case.dotted(), &[gtest::Block::of_report(text)])
}

fn catch2(case: &Case, fault: &Fault) -> Failure {
    let mut failure = catch2::Block::of_report(&fault.text).failure().unwrap_or_default();
    if fault.tag == Tag::Error && failure.kind == Kind::Assertion {
        failure.kind = Kind::Exception;
    }
    let words = || Some(fault.message.clone()).filter(|message| !message.is_empty());
    failure.message = failure.message.or_else(words);
    failure.id = Some(case.dotted());
    failure
}
