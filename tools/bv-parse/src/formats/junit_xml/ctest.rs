//! CTest's JUnit XML (`ctest --output-junit`): it says that a test failed, never why; what the test printed is
//! all there is.

use super::{Case, Dialect, Fault, dialect};
use bv_schemas::{Failure, Kind, Place};

/// The root is the suite itself, and counts disabled tests.
pub const CTEST: Dialect =
    dialect("ctest", |head| !head.wrapped && head.attribute("disabled").is_some(), ctest);

fn ctest(case: &Case, fault: &Fault) -> Failure {
    let mut failure = Failure { id: Some(case.name.clone()), kind: Kind::Assertion, ..Failure::default() };
    let said = case.output.lines().find_map(placed);
    if let Some((place, message)) = said {
        // `step: expected 2.5, got 2`
        let sides = message.split_once("expected ").and_then(|(_, rest)| rest.split_once(", got "));
        if let Some((expected, observed)) = sides {
            failure.expected = Some(expected.to_owned());
            failure.observed = Some(observed.trim_end_matches('.').to_owned());
        }
        failure.message = Some(message.to_owned());
        failure.test = Some(place);
    } else if !fault.message.is_empty() {
        failure.message = Some(fault.message.clone());
    }
    failure
}

/// `test_step.c:10: step: expected 2.5, got 2`.
fn placed(line: &str) -> Option<(Place, &str)> {
    let (file, rest) = line.trim().split_once(':')?;
    let (number, message) = rest.split_once(": ")?;
    let source = file.contains('.') && !file.contains(char::is_whitespace);
    let number = number.split(':').next()?.parse().ok().filter(|_| source)?;
    Some((Place { file: Some(file.to_owned()), line: Some(number), function: None }, message))
}
