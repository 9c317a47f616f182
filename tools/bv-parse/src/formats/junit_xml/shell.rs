//! JUnit XML of bats-core (`--formatter junit`): a suite a file, the details as in its TAP.

use super::{Case, Dialect, Fault, dialect};
use crate::formats::bats::details;
use bv_schemas::Failure;

/// Each suite is named for its file.
pub const BATS: Dialect = dialect("bats", |head| head.suite.ends_with(".bats"), bats);

fn bats(case: &Case, fault: &Fault) -> Failure {
    let lines: Vec<&str> = fault.text.lines().collect();
    let failure = details::failure(case.name.clone(), &lines, [0, 0]);
    Failure { id: Some(case.dotted()), span: None, ..failure }
}
