//! The grammar of cargo-nextest's single lines.
//!
//! A status is right-aligned to twelve columns before a bracketed time; that and the order of the lines
//! are all that tells the runner's words from a test's.

use bv_schemas::Counts;

/// What a status line says of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// It held; also with a leak or past its time, where that is allowed.
    Pass,
    /// It held on a later attempt; in the recap alone.
    Flaky,
    /// It held on a later attempt and may not.
    FlakyFail,
    /// Its process ended with a code other than 0.
    Fail,
    /// It held, and left handles open.
    LeakFail,
    /// It ran out of time.
    Timeout,
    /// Its process could not be started.
    ExecFail,
    /// A signal ended its process; the name has no `SIG`. An unnamed one is a number.
    Signal(&'a str),
    /// Windows ended its process.
    Abort,
    /// It starts.
    Start,
    /// It was left out.
    Skip,
    /// It is slow, is being ended, or waits for its next attempt.
    Notice,
    /// A setup script starts.
    Setup,
    /// A setup script held.
    SetupPass,
    /// A setup script did not; how.
    SetupFail,
}

impl Word<'_> {
    /// Whether the test failed.
    pub fn is_red(self) -> bool {
        use Word::{Abort, ExecFail, Fail, FlakyFail, LeakFail, Signal, Timeout};
        matches!(self, Fail | FlakyFail | LeakFail | Timeout | ExecFail | Signal(_) | Abort)
    }
}

/// A status line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status<'a> {
    /// What it says.
    pub word: Word<'a>,
    /// `TRY 2 …`: which attempt.
    pub attempt: Option<u64>,
    /// Milliseconds that the attempt took.
    pub ms: Option<u64>,
    /// `binary-id test::name`; a setup script's `id: command`.
    pub id: &'a str,
}

/// Columns that a status is aligned to.
const WIDTH: usize = 12;

/// `        FAIL [   0.005s] (1/5) phys::step energy_drift`.
pub fn status(text: &str) -> Option<Status<'_>> {
    let open = text.bytes().take(4 * WIDTH).position(|b| b == b'[')?;
    let label = text.get(..open)?.strip_suffix(' ')?;
    let word = label.trim_start();
    let aligned = label.len() == WIDTH || label.len() > WIDTH && word.len() == label.len();
    if !aligned || !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let (time, rest) = text[open + 1..].split_once("] ")?;
    let (attempt, word) = match word.strip_prefix("TRY ").and_then(|rest| rest.split_once(' ')) {
        Some((attempt, word)) => (Some(attempt.parse().ok()?), word),
        None => (None, word),
    };
    let ms = clock(time);
    let word = match word_of(word, attempt.is_some(), time)? {
        word @ (Word::Start | Word::Skip | Word::Notice | Word::Setup) => word,
        word => ms.map(|_| word)?,
    };
    let id = instance(rest);
    (!id.is_empty()).then_some(Status { word, attempt, ms, id })
}

fn word_of<'a>(word: &'a str, short: bool, time: &str) -> Option<Word<'a>> {
    let running = time.starts_with('>');
    Some(match word {
        "PASS" | "LEAK" | "TIMEOUT-PASS" | "TMPASS" => Word::Pass,
        // The recap calls a test slow that has ended.
        "SLOW" if !running => Word::Pass,
        "SLOW + LEAK" | "SLOW+TMPASS" => Word::Pass,
        "FAIL" | "FAIL + LEAK" | "FL+LK" => Word::Fail,
        "LEAK-FAIL" | "LKFAIL" => Word::LeakFail,
        "TIMEOUT" | "TMT" => Word::Timeout,
        "XFAIL" => Word::ExecFail,
        "ABORT" => Word::Abort,
        "START" => Word::Start,
        "SKIP" => Word::Skip,
        "SLOW" | "TERMINATING" | "TRMNTG" | "SETUP SLOW" => Word::Notice,
        "SETUP" => Word::Setup,
        "SETUP PASS" | "SETUP LEAK" => Word::SetupPass,
        _ if word.starts_with("SETUP ") => Word::SetupFail,
        _ if word.starts_with("FLAKY ") => Word::Flaky,
        _ if word.starts_with("FLKY-FL ") => Word::FlakyFail,
        _ if word.starts_with("RETRY ") => Word::Notice,
        _ => Word::Signal(signal(word, short)?),
    })
}

/// `SIGSEGV`, `ABORT SIG 37`, and after `TRY n` in short `SEGV`, `SIG 37`.
fn signal(word: &str, short: bool) -> Option<&str> {
    let number = word.strip_prefix("ABORT SIG ").or(word.strip_prefix("SIG "));
    if let Some(number) = number {
        return digits(number).map(|_| number);
    }
    let name = match word.strip_prefix("SIG") {
        Some(name) => name,
        None if short => word,
        None => return None,
    };
    let named = name.len() >= 2 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    named.then_some(name)
}

/// `   0.005s`, `>  1.000s`.
fn clock(time: &str) -> Option<u64> {
    let seconds = time.trim_start_matches('>').trim_start().strip_suffix('s')?;
    let (whole, part) = seconds.split_once('.')?;
    Some(digits(whole)? * 1000 + digits(part).filter(|_| part.len() == 3)?)
}

/// The name without `[2/3]` of a stress run and the counter `( 1/48)` or `(─────)`.
fn instance(rest: &str) -> &str {
    let mut rest = rest.trim_start();
    for (open, close) in [('[', "] "), ('(', ") ")] {
        if let Some((counter, name)) = rest.strip_prefix(open).and_then(|inner| inner.split_once(close))
            && counter.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '/' | '─' | '-'))
        {
            rest = name.trim_start();
        }
    }
    rest.trim_end()
}

/// ` Nextest run ID 4e27… with nextest profile: default`.
pub fn is_run(text: &str) -> bool {
    text.starts_with(" Nextest run ID ")
}

/// `    Starting 5 tests across 3 binaries (1 test skipped)`: how many.
pub fn starting(text: &str) -> Option<u64> {
    let (count, rest) = text.strip_prefix("    Starting ")?.split_once(' ')?;
    rest.contains(" across ").then(|| digits(count)).flatten()
}

/// The rule before a run, a summary and an answer to a query.
pub fn is_rule(text: &str) -> bool {
    text == "────────────" || text == "------------"
}

/// The head of a block of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Whether the lines below it are indented by four.
    pub indented: bool,
}

/// `  stdout ───`, unindented `── stdout ──`, and as older versions have it
/// `--- STDOUT:              phys::step energy_drift ---` (with `TRY 1 ` before the stream, or a rule of `─`).
pub fn header(text: &str) -> Option<Header> {
    let line = |c: char| c == '─' || c == '-';
    let inner = text.trim_matches(line);
    if inner.len() == text.len() {
        return None;
    }
    if matches!(inner, "  stdout " | "  stderr " | "  output " | "  execfail ") {
        return Some(Header { indented: true });
    }
    if matches!(inner, " stdout " | " stderr " | " output " | " execfail ") && text.starts_with(line) {
        return Some(Header { indented: false });
    }
    let old = inner.strip_prefix(' ').filter(|_| text.starts_with("---") || text.starts_with("───"))?;
    let stream = match old.strip_prefix("TRY ").and_then(|rest| rest.split_once(' ')) {
        Some((attempt, stream)) => digits(attempt).map(|_| stream)?,
        None => old,
    };
    let named = ["STDOUT: ", "STDERR: ", "OUTPUT: "].iter().any(|name| stream.starts_with(name));
    named.then_some(Header { indented: false })
}

/// `    (test timed out)`, `    (script failed with exit code 7)`: the inner text.
pub fn aside(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("    (")?.strip_suffix(')')?;
    let (_, said) =
        inner.strip_prefix("test ").or(inner.strip_prefix("script ")).map(|said| (inner, said))?;
    let starts = ["failed", "aborted", "timed out", "passed with "];
    starts.iter().any(|start| said.starts_with(start)).then_some(inner)
}

/// `           - with code 0xc0000005: Access violation`: the inner text.
pub fn detail(text: &str) -> Option<&str> {
    text.strip_prefix("           - ")
}

/// The closing statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tests, or iterations of a stress run, that ran.
    pub finished: u64,
    /// Those that were to run.
    pub total: u64,
    /// It counts iterations of a stress run.
    pub stress: bool,
    /// Ran and held.
    pub passed: u64,
    /// Ran and did not hold.
    pub failed: u64,
    /// Could not be started, or timed out.
    pub errored: u64,
    /// Left out, where it says so.
    pub skipped: Option<u64>,
    /// Its own time.
    pub ms: Option<u64>,
}

impl Summary {
    /// Tests that did not hold.
    pub fn red(&self) -> u64 {
        self.failed + self.errored
    }

    /// As the runner reports them: it leaves out what there is none of.
    pub fn counts(&self) -> Counts {
        Counts {
            passed: Some(self.passed),
            failed: Some(self.failed),
            errored: Some(self.errored),
            skipped: self.skipped,
        }
    }
}

/// `     Summary [   0.063s] 5 tests run: 1 passed (1 slow), 4 failed, 1 skipped`.
pub fn summary(text: &str) -> Option<Summary> {
    let (time, rest) = text.strip_prefix("     Summary [")?.split_once("] ")?;
    let (head, parts) = rest.split_once(": ")?;
    let (counts, noun) = head.split_once(' ')?;
    let (finished, total) = match counts.split_once('/') {
        Some((finished, total)) => (digits(finished)?, digits(total)?),
        None => (digits(counts)?, digits(counts)?),
    };
    let stress = noun.starts_with("stress run ");
    if !stress && !noun.ends_with(" run") {
        return None;
    }
    let mut summary = Summary { finished, total, stress, ms: clock(time), ..Summary::default() };
    for part in parts.split("; ").next()?.split(", ") {
        // `12 passed (1 slow, 1 flaky)` is split inside its brackets, too.
        let Some((count, what)) = part.split_once(' ') else { continue };
        let Some(count) = digits(count) else { continue };
        match what.split(" (").next().unwrap_or(what) {
            "passed" => summary.passed = count,
            "failed" => summary.failed = count,
            "exec failed" | "timed out" => summary.errored += count,
            "skipped" => summary.skipped = Some(count),
            _ => {}
        }
    }
    Some(summary)
}

fn digits(text: &str) -> Option<u64> {
    let text = text.trim_start();
    (!text.is_empty() && text.len() < 16 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        let check = |text: &str, expected: Option<(Word<'_>, Option<u64>, Option<u64>, &str)>| {
            let expected = expected.map(|(word, attempt, ms, id)| Status { word, attempt, ms, id });
            assert_eq!(status(text), expected, "{text}");
        };
        check("        PASS [   0.005s] ( 1/48) a::b c::d", Some((Word::Pass, None, Some(5), "a::b c::d")));
        check("        PASS [   0.005s] a::b c::d", Some((Word::Pass, None, Some(5), "a::b c::d")));
        check("   FLAKY 2/2 [   2.000s] [2/3] (─────) a b", Some((Word::Flaky, None, Some(2000), "a b")));
        check(" FLKY-FL 2/2 [   1.000s] a b", Some((Word::FlakyFail, None, Some(1000), "a b")));
        check("TIMEOUT-PASS [ 240.000s] a b", Some((Word::Pass, None, Some(240_000), "a b")));
        check("  TRY 2 ABRT [   0.017s] (─────) a b", Some((Word::Signal("ABRT"), Some(2), Some(17), "a b")));
        check("     SIGSEGV [   1.000s] a b", Some((Word::Signal("SEGV"), None, Some(1000), "a b")));
        check("ABORT SIG 37 [   1.000s] a b", Some((Word::Signal("37"), None, Some(1000), "a b")));
        check("TRY 2 LKFAIL [   1.000s] a b", Some((Word::LeakFail, Some(2), Some(1000), "a b")));
        check("TRY 10 TRMNTG [>  1.000s] a b", Some((Word::Notice, Some(10), Some(1000), "a b")));
        check("        SLOW [>  1.000s] (───) a b", Some((Word::Notice, None, Some(1000), "a b")));
        check("        SLOW [   1.522s] (10/12) a b", Some((Word::Pass, None, Some(1522), "a b")));
        check("        SKIP [         ] (───) a b", Some((Word::Skip, None, None, "a b")));
        check("       SETUP [      1/2] db: ./db.sh", Some((Word::Setup, None, None, "db: ./db.sh")));
        check("  SETUP FAIL [   0.009s] db: ./db.sh", Some((Word::SetupFail, None, Some(9), "db: ./db.sh")));
        check("            FAIL [   0.010s] a b", None);
        check("    FAIL [   0.010s] a b", None);
        check("        FAIL [ soon ] a b", None);
        check("        Fine [   0.010s] a b", None);
        check("        FINE [   0.010s] a b", None);
        check("        FAIL [   0.010s] ", None);
    }

    #[test]
    fn headers() {
        let check = |text: &str, expected: Option<bool>| {
            assert_eq!(header(text).map(|header| header.indented), expected, "{text}");
        };
        check("  stdout ───", Some(true));
        check("  execfail ─", Some(true));
        check("  stderr ---", Some(true));
        check("── output ──", Some(false));
        check("--- STDOUT:              a::b c ---", Some(false));
        check("--- TRY 1 STDERR:        a::b c ---", Some(false));
        check("──── STDERR:             a::b c", Some(false));
        check("    stdout ───", None);
        check("---- c stdout ----", None);
        check("  stdout", None);
    }

    #[test]
    fn summaries() {
        let check = |text: &str, expected: Option<Summary>| assert_eq!(summary(text), expected, "{text}");
        let some = |finished, total, [passed, failed, errored]: [u64; 3], skipped| {
            Some(Summary { finished, total, stress: false, passed, failed, errored, skipped, ms: Some(2000) })
        };
        check("     Summary [   2.000s] 5 tests run: 5 passed, 0 skipped", some(5, 5, [5, 0, 0], Some(0)));
        check(
            "     Summary [   2.000s] 8/10 tests run: 5 passed (1 slow, 1 flaky, 1 leaky), 2 failed (1 due to being leaky), 1 exec failed, 3 timed out, 2 skipped",
            some(8, 10, [5, 2, 4], Some(2)),
        );
        check(
            "     Summary [   2.000s] 25/50 stress run iterations: 25 passed; cancelled due to interrupt",
            some(25, 50, [25, 0, 0], None).map(|summary| Summary { stress: true, ..summary }),
        );
        check("     Summary [   2.000s] many tests run: 5 passed", None);
        check("         Summary [   2.000s] 5 tests run: 5 passed", None);
    }
}
