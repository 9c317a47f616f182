//! TAP::Harness' own lines: one a file, the summary report, the numbers.

/// A file of the summary report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// As on the command line.
    pub name: String,
    /// Its exit status, where it is not 0.
    pub exit: Option<u64>,
    /// The signal that ended it, as printed.
    pub signal: Option<String>,
    /// Failed tests.
    pub failed: u64,
    /// How many tests were planned, and how many ran.
    pub plan: Option<(u64, u64)>,
    /// `No plan found in TAP output`, and other words of the parser.
    pub errors: Vec<String>,
}

/// Lines of a file's parse errors that are kept.
const ERRORS_MAX: usize = 10;
/// Files of a report that are kept.
const FILES_MAX: usize = 10_000;

/// Reads the summary report.
#[derive(Debug, Default)]
pub struct Report {
    begun: bool,
    files: Vec<File>,
}

impl Report {
    /// Takes a line; whether it is the report's.
    pub fn line(&mut self, text: &str) -> bool {
        if text == "Test Summary Report" {
            *self = Report { begun: true, files: Vec::new() };
            return true;
        }
        if !self.begun {
            return false;
        }
        if let Some(file) = file(text) {
            if self.files.len() < FILES_MAX {
                self.files.push(file);
            }
            return true;
        }
        let Some(file) = self.files.last_mut().filter(|_| text.starts_with("  ")) else {
            return text.bytes().all(|b| b == b'-');
        };
        let text = text.trim();
        let error = text.strip_prefix("Parse errors: ").unwrap_or(text);
        file.plan = file.plan.or_else(|| bad_plan(error));
        if text.starts_with("Parse errors: ") && file.errors.len() < ERRORS_MAX {
            file.errors.push(error.to_owned());
        }
        true
    }

    /// The files that it lists.
    pub fn take(&mut self) -> Vec<File> {
        std::mem::take(self).files
    }
}

impl File {
    /// Whether anything speaks against it; a passing test that was expected to fail is listed, too.
    pub fn has_failed(&self) -> bool {
        self.exit.is_some() || self.signal.is_some() || self.failed > 0 || !self.errors.is_empty()
    }

    /// The parser's words, or how it ended.
    pub fn words(&self) -> Option<String> {
        let ended = || self.exit.map(|exit| format!("Non-zero exit status: {exit}"));
        let killed = || self.signal.as_ref().map(|signal| format!("Signal: {signal}"));
        self.errors.first().cloned().or_else(ended).or_else(killed)
    }
}

/// `t/limit.t (Wstat: 65280 (exited 255) Tests: 4 Failed: 1)`; older ones print the wait status alone.
fn file(text: &str) -> Option<File> {
    let (name, rest) = text.split_once("(Wstat: ")?;
    let rest = rest.strip_suffix(')')?;
    let (status, numbers) = rest.split_once("Tests: ")?;
    let (_, failed) = numbers.split_once(" Failed: ")?;
    let wait: u64 = status.split(' ').next()?.parse().ok()?;
    let named =
        status.split_once("(Signal: ").map(|(_, signal)| signal.split([',', ')']).next().unwrap_or(signal));
    let signal = match (named, wait & 127) {
        (Some(name), _) => Some(name.to_owned()),
        (None, 0) => None,
        (None, number) => Some(number.to_string()),
    };
    Some(File {
        name: name.trim_end().to_owned(),
        exit: Some(wait >> 8).filter(|exit| *exit > 0),
        signal,
        failed: failed.parse().ok()?,
        ..File::default()
    })
}

/// `Bad plan.  You planned 5 tests but ran 2.`
fn bad_plan(text: &str) -> Option<(u64, u64)> {
    let rest = text.strip_prefix("Bad plan.  You planned ")?;
    let (planned, ran) = rest.trim_end_matches('.').split_once(" tests but ran ")?;
    Some((planned.parse().ok()?, ran.parse().ok()?))
}

/// `t/mean.t .. ok`: the file. With `--timer` the time stands before it.
pub fn file_line(text: &str) -> Option<&str> {
    let text = match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((time, rest)) if time.len() == 8 && time.bytes().all(|b| b.is_ascii_digit() || b == b':') => {
            rest
        }
        _ => text,
    };
    let (name, rest) = text.split_once(" ..")?;
    let rest = rest.trim_start_matches('.').trim_start();
    let state = rest.is_empty()
        || rest == "ok"
        || ["ok ", "skipped:", "skipped", "Failed ", "Dubious", "1/", "No subtests"]
            .iter()
            .any(|word| rest.starts_with(word));
    let named = !name.is_empty() && !name.contains(char::is_whitespace) && name.contains(['.', '/']);
    (state && named).then_some(name)
}

/// `Files=3, Tests=10,  1 wallclock secs ( … )`: the tests, and the milliseconds as far as whole seconds tell.
pub fn numbers(text: &str) -> Option<(u64, Option<u64>)> {
    let (files, rest) = text.strip_prefix("Files=")?.split_once(", Tests=")?;
    files.parse::<u64>().ok()?;
    let (tests, rest) = rest.split_once(',')?;
    let seconds = rest.trim_start().split(' ').next().and_then(|seconds| seconds.parse::<f64>().ok());
    Some((tests.parse().ok()?, seconds.and_then(crate::values::milliseconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_numbers() {
        for (text, want) in [
            ("t/mean.t .. ok", Some("t/mean.t")),
            ("t/limit.t .........", Some("t/limit.t")),
            ("[17:08:29] t/a.t .. ok       29 ms", Some("t/a.t")),
            ("t/x.t .. skipped: no database", Some("t/x.t")),
            ("wait .. what", None),
            ("see t/mean.t .. ok", None),
        ] {
            assert_eq!(file_line(text), want, "{text}");
        }
        assert_eq!(numbers("Files=3, Tests=10,  1 wallclock secs ( 0.04 usr )"), Some((10, Some(1000))));
        assert_eq!(numbers("Files=3"), None);
    }

    #[test]
    fn the_report() {
        let mut report = Report::default();
        for line in [
            "Test Summary Report",
            "-------------------",
            "t/limit.t (Wstat: 65280 (exited 255) Tests: 4 Failed: 1)",
            "  Failed test:  1",
            "  Non-zero exit status: 255",
            "  Parse errors: Bad plan.  You planned 5 tests but ran 4.",
            "t/segv.t      (Wstat: 11 (Signal: SEGV, dumped core) Tests: 1 Failed: 0)",
            "t/old.t (Wstat: 768 Tests: 2 Failed: 0)",
        ] {
            assert!(report.line(line), "{line}");
        }
        assert!(!report.line("Files=3, Tests=10"));
        let bad = "Bad plan.  You planned 5 tests but ran 4.".to_owned();
        let file = |name: &str| File { name: name.to_owned(), ..File::default() };
        let want = vec![
            File { exit: Some(255), failed: 1, plan: Some((5, 4)), errors: vec![bad], ..file("t/limit.t") },
            File { signal: Some("SEGV".to_owned()), ..file("t/segv.t") },
            File { exit: Some(3), ..file("t/old.t") },
        ];
        assert_eq!(report.take(), want);
    }
}
