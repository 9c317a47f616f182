//! What a CI system, a build tool or a wrapper says of the command whose output it shows: its own word that it failed.
//!
//! A CI system's word is the last one. A wrapper may go on after it (`make -k`, concurrently's `--success`), so
//! its word counts only where the exit status is not known to be 0.

use crate::values::is_number;

/// Texts of which one stands in each such line.
pub const NEEDLES: &[&str] = &[
    "##[error]Process completed with exit code ",
    "##[error]The process '",
    "\" exited with ",
    "xited with code ",
    "Error: The command exited with status ",
    "ERROR: Job failed: exit ",
    "ERROR: script returned exit code ",
    "CircleCI received exit code ",
    "make: *** [",
    "]: *** [",
    "lerna ERR! ",
    "ERROR: command finished with error: command (",
    "NX   Running target ",
    " FAILED in ",
    " TIMEOUT in ",
    " FAILED TO BUILD",
    " fails locally.",
    " fails remotely.",
    " fail locally.",
    " fail remotely.",
];

/// Whose word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The CI system's: the step failed.
    System,
    /// A wrapper's, of one of the commands that it ran.
    Wrapper,
}

/// Whose word this line is, where it says that the command exited with another status than 0.
///
/// Of systems: GitHub Actions (`##[error]Process completed with exit code 1.`), Travis (`The command "make test"
/// exited with 1.`), Azure Pipelines (`##[error]Bash exited with code '1'.`, `##[error]The process '/bin/npm'
/// failed with exit code 1`), Buildkite (`🚨 Error: The command exited with status 1`), GitLab (`ERROR: Job
/// failed: exit code 1`), Jenkins (`ERROR: script returned exit code 1`), CircleCI (`Exited with code exit status
/// 1`). Bazel sums up its test targets, whose own output may be another runner's: `//shop:cart_test   FAILED in
/// 0.3s`, `Executed 3 out of 3 tests: 1 fails locally.` (`TestSummaryPrinter` and `TerminalTestResultNotifier` in
/// <https://github.com/bazelbuild/bazel>). Of wrappers: make, npm-run-all, lerna, turbo, nx.
pub fn failed(line: &str) -> Option<Whose> {
    let line = line.trim_ascii();
    if line.starts_with("//") || line.starts_with('@') || line.starts_with("Executed ") {
        return bazel(line).then_some(Whose::System);
    }
    let is = |found: Option<&str>| found.is_some_and(is_failure);
    let between = |head: &str, tail: &str| line.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
    let after = |head: &str| line.strip_prefix(head);
    let task = line.strip_prefix("##[error]").and_then(|rest| {
        let shell =
            rest.split_once(" exited with code '").map(|(_, code)| code.trim_end_matches(['\'', '.']));
        let process =
            rest.strip_prefix("The process '").and_then(|rest| rest.rsplit_once("' failed with exit code "));
        shell.or(process.map(|(_, code)| code))
    });
    let travis = after("The command \"")
        .and_then(|rest| rest.rsplit_once("\" exited with "))
        .and_then(|(_, code)| code.strip_suffix('.'));
    let job = after("ERROR: Job failed: exit code ").or_else(|| after("ERROR: Job failed: exit status "));
    let agent = line.trim_start_matches(['🚨', ' ']).strip_prefix("Error: The command exited with status ");
    let circle = after("Exited with code exit status ").or_else(|| after("CircleCI received exit code "));
    if is(between("##[error]Process completed with exit code ", "."))
        || [task, travis, job, agent, circle, after("ERROR: script returned exit code ")].into_iter().any(is)
    {
        return Some(Whose::System);
    }
    let script =
        between("ERROR: \"", ".").and_then(|rest| rest.rsplit_once("\" exited with ")).map(|(_, code)| code);
    let package = after("lerna ERR! ")
        .and_then(|rest| rest.split_once(" exited ")?.1.split_once(" in '"))
        .map(|(code, _)| code);
    let task = after("ERROR: command finished with error: command (")
        .and_then(|rest| rest.rsplit_once(" exited ("))
        .and_then(|(_, code)| code.strip_suffix(')'));
    let nx = line.trim_start_matches(['>', '✖', ' ']).strip_prefix("NX   Running target ");
    if [rule(line), script, package, task].into_iter().any(is)
        || nx.is_some_and(|rest| rest.ends_with(" failed"))
    {
        return Some(Whose::Wrapper);
    }
    None
}

/// The name and status of a command that a multiplexer says ended badly: `app-1 exited with code 1`. A status that
/// is a signal's is how the multiplexer itself ends the others.
pub fn ended(line: &str) -> Option<&str> {
    let (name, code) = line.trim_ascii().rsplit_once(" exited with code ")?;
    let code: u8 = code.parse().ok()?;
    (1..128).contains(&code).then_some(name)
}

/// make: `make[1]: *** [Makefile:3: test] Error 1`.
fn rule(line: &str) -> Option<&str> {
    let (make, rest) = line.split_once(": *** [")?;
    let make = make.split_once('[').map_or(make, |(make, _)| make);
    let (_, code) = rest.rsplit_once("] Error ")?;
    matches!(make.rsplit('/').next(), Some("make" | "gmake")).then_some(code)
}

fn is_failure(code: &str) -> bool {
    code != "0" && is_number(code)
}

/// A target that failed, or the count of those that did.
fn bazel(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix("Executed ") {
        let fails = |word: &str| line.ends_with(&format!("{word}."));
        let counted =
            rest.split_once(" out of ").is_some_and(|(n, rest)| is_number(n) && rest.contains(" test"));
        return counted
            && ["fails locally", "fails remotely", "fail locally", "fail remotely"].into_iter().any(fails);
    }
    let Some((target, status)) = line.split_once(' ') else { return false };
    let target = target.split_once("//").is_some_and(|(_, label)| label.contains(':'));
    let status = status.trim_start();
    let timed = |word: &str| {
        let spent = status.strip_prefix(word).and_then(|rest| rest.split(' ').next()?.strip_suffix('s'));
        spent.is_some_and(|seconds| seconds.parse::<f64>().is_ok())
    };
    target && (status == "FAILED TO BUILD" || timed("FAILED in ") || timed("TIMEOUT in "))
        || target && status.starts_with("FAILED in ") && status.contains(" out of ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_on_a_command() {
        let (system, wrapper) = (Some(Whose::System), Some(Whose::Wrapper));
        for (line, want) in [
            ("##[error]Process completed with exit code 1.", system),
            ("##[error]Process completed with exit code 127.", system),
            ("##[error]Process completed with exit code 0.", None),
            ("Process completed with exit code 1.", None),
            ("The command \"ruby test.rb --seed 1\" exited with 1.", system),
            ("The command \"make test\" exited with 0.", None),
            ("The command \"make test\" exited with grace.", None),
            ("log: The command \"make\" exited with 1.", None),
            ("##[error]Bash exited with code '1'.", system),
            ("##[error]Bash exited with code '0'.", None),
            ("##[error]The process '/usr/bin/npm' failed with exit code 1", system),
            ("🚨 Error: The command exited with status 1", system),
            ("Error: The command exited with status 2", system),
            ("ERROR: Job failed: exit code 1", system),
            ("ERROR: Job failed: exit status 1", system),
            ("ERROR: Job failed: canceled", None),
            ("ERROR: script returned exit code 2", system),
            ("Exited with code exit status 1", system),
            ("CircleCI received exit code 1", system),
            ("CircleCI received exit code 0", None),
            ("make: *** [Makefile:3: test] Error 1", wrapper),
            ("make[2]: *** [test] Error 2", wrapper),
            ("make: [Makefile:3: test] Error 1 (ignored)", None),
            ("cake: *** [test] Error 2", None),
            ("ERROR: \"test:unit\" exited with 1.", wrapper),
            ("lerna ERR! npm run test exited 1 in '@scope/core'", wrapper),
            ("ERROR: command finished with error: command (/x/web) npm run test exited (1)", wrapper),
            (" NX   Running target test for 2 projects failed", wrapper),
            (" NX   Running target test for 2 projects:", None),
            ("", None),
            ("//shop:cart_test                                   FAILED in 0.3s", system),
            ("//shop:cart_test  FAILED in 1 out of 2 in 0.3s", system),
            ("@@shop//:cart_test  TIMEOUT in 60.1s", system),
            ("//shop:cart_test  FAILED TO BUILD", system),
            ("//shop:cart_test  PASSED in 0.3s", None),
            ("//shop:cart_test  FLAKY, failed in 1 out of 2 in 0.3s", None),
            ("Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.", system),
            ("Executed 3 out of 3 tests: 3 tests pass.", None),
            ("// the old way FAILED in 0.3s", None),
        ] {
            assert_eq!(failed(line), want, "{line}");
        }
    }

    #[test]
    fn a_command_among_others() {
        for (line, want) in [
            ("app-1 exited with code 1", Some("app-1")),
            ("npm run test exited with code 2", Some("npm run test")),
            ("db-1 exited with code 0", None),
            ("db-1 exited with code 137", None),
            ("npm run serve exited with code SIGTERM", None),
        ] {
            assert_eq!(ended(line), want, "{line}");
        }
    }

    #[test]
    fn each_word_holds_a_needle() {
        for line in [
            "##[error]Bash exited with code '1'.",
            "Exited with code exit status 1",
            "🚨 Error: The command exited with status 1",
            "ERROR: Job failed: exit status 1",
            "make[2]: *** [test] Error 2",
            "gmake: *** [test] Error 2",
            "ERROR: \"test:unit\" exited with 1.",
            "app-1 exited with code 1",
            "//shop:cart_test  FAILED in 0.3s",
            "Executed 3 out of 3 tests: 1 fails locally.",
        ] {
            assert!(NEEDLES.iter().any(|needle| line.contains(needle)), "{line}");
        }
    }
}
