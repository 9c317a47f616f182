//! The go command's words when it runs nothing at all.

use bv_schemas::Reason;

/// Why nothing can run, when this line says so.
pub fn reason(line: &str) -> Option<Reason> {
    const NOT_RUNNABLE: &[&str] = &[
        "go: go.mod file not found",
        "go: cannot find main module",
        "go: cannot find GOROOT",
        "go: errors parsing ",
        "go: updates to go.mod needed",
        "go: inconsistent vendoring",
        "go: unknown command",
        "go: no such tool",
        "go: directory ",
        "go: download ",
        "go: pattern ",
        "pattern ",
        "flag provided but not defined: ",
        "no Go files in ",
        "go: no module declaration",
        "go: module ",
    ];
    const NO_TESTS: &[&str] = &["no packages to test", "go: no packages to test", "no Go files in "];
    if NO_TESTS.iter().any(|words| line.starts_with(words)) {
        return Some(Reason::NoTests);
    }
    if line.starts_with("stat ") && line.ends_with(": directory not found") {
        return Some(Reason::NotRunnable);
    }
    let speaks = NOT_RUNNABLE.iter().any(|words| line.starts_with(words));
    // `go: downloading x v1.0.0` is progress.
    (speaks && !line.starts_with("go: downloading ")).then_some(Reason::NotRunnable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (line, want) in [
            (
                "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
                Some(Reason::NotRunnable),
            ),
            ("no Go files in /tmp/x", Some(Reason::NoTests)),
            ("go: downloading github.com/x/y v1.0.0", None),
            ("ok", None),
        ] {
            assert_eq!(reason(line), want, "{line}");
        }
    }
}
