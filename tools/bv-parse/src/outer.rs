//! What a CI system or a build tool says of the command whose output it shows: its own word that it failed.

/// Texts of which one stands in each such line.
pub const NEEDLES: &[&str] = &[
    "##[error]Process completed with exit code ",
    "\" exited with ",
    " FAILED in ",
    " TIMEOUT in ",
    " FAILED TO BUILD",
    " fails locally.",
    " fails remotely.",
    " fail locally.",
    " fail remotely.",
];

/// Whether this line says that the command exited with another status than 0.
///
/// GitHub Actions ends a failed step with `##[error]Process completed with exit code 1.`; Travis says of each
/// command of the script `The command "make test" exited with 1.` Bazel sums up its test targets, whose own
/// output may be another runner's: `//shop:cart_test   FAILED in 0.3s`, `Executed 3 out of 3 tests: 1 fails
/// locally.` (`TestSummaryPrinter` and `TerminalTestResultNotifier` in <https://github.com/bazelbuild/bazel>).
pub fn says_failed(line: &str) -> bool {
    let line = line.trim_ascii();
    if line.starts_with("//") || line.starts_with('@') || line.starts_with("Executed ") {
        return bazel(line);
    }
    let github = line.strip_prefix("##[error]Process completed with exit code ");
    let travis = line.strip_prefix("The command \"").and_then(|rest| rest.rsplit_once("\" exited with "));
    let code = github.or(travis.map(|(_, code)| code)).and_then(|code| code.strip_suffix('.'));
    code.is_some_and(|code| !code.is_empty() && code != "0" && code.bytes().all(|b| b.is_ascii_digit()))
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

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ci_systems_word_on_a_command() {
        for (line, want) in [
            ("##[error]Process completed with exit code 1.", true),
            ("##[error]Process completed with exit code 127.", true),
            ("##[error]Process completed with exit code 0.", false),
            ("Process completed with exit code 1.", false),
            ("The command \"ruby test.rb --seed 1\" exited with 1.", true),
            ("The command \"make test\" exited with 0.", false),
            ("//shop:cart_test                                   FAILED in 0.3s", true),
            ("//shop:cart_test  FAILED in 1 out of 2 in 0.3s", true),
            ("@@shop//:cart_test  TIMEOUT in 60.1s", true),
            ("//shop:cart_test  FAILED TO BUILD", true),
            ("//shop:cart_test  PASSED in 0.3s", false),
            ("//shop:cart_test  FLAKY, failed in 1 out of 2 in 0.3s", false),
            ("Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.", true),
            ("Executed 3 out of 3 tests: 3 tests pass.", false),
            ("// the old way FAILED in 0.3s", false),
            ("The command \"make test\" exited with grace.", false),
            ("log: The command \"make\" exited with 1.", false),
        ] {
            assert_eq!(says_failed(line), want, "{line}");
        }
    }
}
