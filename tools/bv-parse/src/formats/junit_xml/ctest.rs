//! CTest's JUnit XML (`ctest --output-junit`): it says that a test failed, never why; what the test printed is
//! all there is.

use super::{Case, Dialect, Fault, dialect};
use crate::formats::ctest::tell;
use bv_schemas::{Failure, Kind};

/// The root is the suite itself, and counts disabled tests.
pub const CTEST: Dialect =
    dialect("ctest", |head| !head.wrapped && head.attribute("disabled").is_some(), ctest);

fn ctest(case: &Case, fault: &Fault) -> Failure {
    let mut failure = Failure { id: Some(case.name.clone()), kind: Kind::Assertion, ..Failure::default() };
    failure.message = Some(fault.message.clone()).filter(|message| !message.is_empty());
    tell(&case.output, &mut failure);
    failure
}
