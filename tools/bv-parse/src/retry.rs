//! Wrappers that run a failed command again and say so.

use crate::values::is_number;

/// Texts of which one stands in each announcement.
pub const NEEDLES: &[&str] = &["failed. Retrying, ", " failed. Reason: "];

/// Whether this line announces that the command before it is run again.
///
/// Travis' `travis_retry` (`The command "CMD" failed. Retrying, 2 of 3.`,
/// <https://github.com/travis-ci/travis-build>, `lib/travis/build/bash/travis_retry.bash`) and the GitHub
/// action `nick-fields/retry` (`Attempt 1 failed. Reason: …`, as a warning command).
pub fn announced(line: &str) -> bool {
    let line = line.trim_ascii();
    if let Some(rest) = line.strip_prefix("The command \"") {
        let Some((_, tail)) = rest.rsplit_once("\" failed. Retrying, ") else {
            return false;
        };
        let Some((attempt, of)) = tail.trim_end_matches('.').split_once(" of ") else {
            return false;
        };
        return is_number(attempt) && is_number(of);
    }
    let line = line.strip_prefix("##[warning]").or(line.strip_prefix("::warning::")).unwrap_or("");
    line.strip_prefix("Attempt ")
        .and_then(|rest| rest.split_once(" failed. Reason: "))
        .is_some_and(|(attempt, _)| is_number(attempt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements() {
        for (line, want) in [
            ("The command \"pytest -q\" failed. Retrying, 2 of 3.", true),
            ("The command \"echo \"a\" failed. Retrying, 1 of 2.\" failed. Retrying, 2 of 3.", true),
            ("##[warning]Attempt 1 failed. Reason: Child_process exited with error code 1", true),
            ("::warning::Attempt 12 failed. Reason: Timeout of 5000ms hit", true),
            ("The command \"pytest -q\" failed 3 times.", false),
            ("The command \"pytest -q\" failed. Retrying, now.", false),
            ("Attempt 1 failed. Reason: whatever", false),
            ("log: The command \"x\" failed. Retrying, 2 of 3.", false),
        ] {
            assert_eq!(announced(line), want, "{line}");
        }
    }
}
