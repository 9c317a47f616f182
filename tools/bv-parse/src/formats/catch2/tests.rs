//! Whole texts of Catch2, and what is said of them.

use super::{FORMAT, RULE};
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

fn failure(names: &str, check: &str) -> String {
    let (rule, dots) = ("-".repeat(79), ".".repeat(79));
    format!("{rule}\n{names}\n{rule}\na.cpp:1\n{dots}\n\n{check}\n\n")
}

#[test]
fn totals() {
    check(&format!("{RULE}\nAll tests passed (4 assertions in 2 test cases)"), &["open", "green 2/0/-"]);
    check("All tests passed (4 assertions in 2 test cases)", &[]);
    check(&format!("{RULE}\nNo tests ran"), &["open", "notests -/-/-"]);
    let head = "t is a Catch2 v3.4.0 host application.\n";
    let failed = failure("energy\n  stretched", "a.cpp:3: FAILED:\n  CHECK( 1 == 2 )");
    check(
        &format!(
            "{head}{failed}{RULE}\ntest cases: 2 | 1 passed | 1 failed\nassertions: 3 | 2 passed | 1 failed"
        ),
        &["open", "assertion energy > stretched: CHECK( 1 == 2 )", "red 1/1/0"],
    );
    // What fails as expected is printed alike.
    check(
        &format!(
            "{head}{failed}{RULE}\ntest cases: 2 | 1 passed | 1 failed as expected\nassertions: 2 | 1 passed"
        ),
        &["open", "green 1/0/0"],
    );
    check(&format!("{head}{failed}"), &["open", "assertion energy > stretched: CHECK( 1 == 2 )"]);
    // A test prints what another runner would.
    check(
        &format!("{head}{failed}{RULE}\nAll tests passed (4 assertions in 2 test cases)"),
        &["open", "assertion energy > stretched: CHECK( 1 == 2 )"],
    );
}
