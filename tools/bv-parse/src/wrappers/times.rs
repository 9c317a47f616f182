//! Clocks before each line.
//!
//! [`certain`] ones have a shape that no test's output has by chance; of the others [`clock`] says whether
//! a line begins with one.

/// Takes off a clock that is certain wherever it stands:
///
/// - GitHub Actions' raw logs, `2026-11-30T16:00:01.1201234Z `
/// - GitLab's (`FF_TIMESTAMPS`), `2026-11-30T16:00:01.120123Z 00O `, with `+` where a line goes on
/// - Taskcluster's, `[task 2026-11-30T16:00:01.120Z] `, and mozharness' behind it, `16:00:01     INFO - `
/// - Jenkins' Timestamper, `[2026-11-30T16:00:01.120Z] `
/// - Buildkite's, `_bk;t=1767225600123`, where the escape around it was lost
/// - Ant's task, `    [junit] `
pub fn certain(text: &str) -> Option<&str> {
    match text.as_bytes().first()? {
        b'0'..=b'9' => iso(text).map(gitlab_stream).or_else(|| mozharness(text)),
        b'[' => bracketed(text).or_else(|| ant(text)),
        b'_' => buildkite(text),
        b' ' => ant(text),
        _ => None,
    }
}

/// A clock that other text may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// moreutils `ts`: `Nov 30 16:00:01 `
    Ts,
    /// `ts '[%Y-%m-%d %H:%M:%S]'`: `[2026-11-30 16:00:01] `
    Bracketed,
    /// Jenkins' Timestamper: `16:00:01  `
    Jenkins,
    /// `ts -s`, `ts -i`: `00:00:01 `
    Elapsed,
}

/// The clock that a line begins with.
pub fn clock(text: &str) -> Option<Clock> {
    [Clock::Ts, Clock::Bracketed, Clock::Jenkins, Clock::Elapsed]
        .into_iter()
        .find(|clock| clock.strip(text).is_some())
}

impl Clock {
    /// The line without it; a line that is empty but for its clock may have lost the blank behind it.
    pub fn strip(self, text: &str) -> Option<&str> {
        match self {
            Clock::Ts => {
                let month = text.get(..4)?;
                let rest = MONTHS.contains(&month).then(|| &text[4..])?;
                after_blank(shaped(rest, b"?d dd:dd:dd")?)
            }
            Clock::Bracketed => after_blank(shaped(text, b"[dddd-dd-dd dd:dd:dd]")?),
            Clock::Jenkins => {
                let rest = shaped(text, b"dd:dd:dd")?;
                if rest.is_empty() { Some(rest) } else { rest.strip_prefix("  ") }
            }
            Clock::Elapsed => after_blank(shaped(text, b"dd:dd:dd")?),
        }
    }
}

const MONTHS: [&str; 12] =
    ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "];

/// What follows text of this shape: `d` is a digit, `?` a digit or a blank, anything else itself.
fn shaped<'a>(text: &'a str, shape: &[u8]) -> Option<&'a str> {
    let head = text.as_bytes().get(..shape.len())?;
    let fits = |(&b, &shape): (&u8, &u8)| match shape {
        b'd' => b.is_ascii_digit(),
        b'?' => b.is_ascii_digit() || b == b' ',
        _ => b == shape,
    };
    head.iter().zip(shape).all(fits).then(|| &text[shape.len()..])
}

fn after_blank(rest: &str) -> Option<&str> {
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

/// `2026-11-30T16:00:01.1201234Z `: with a fraction, which log lines of programs rarely have as well.
fn iso(text: &str) -> Option<&str> {
    after_blank(iso_bare(text)?)
}

fn iso_bare(text: &str) -> Option<&str> {
    let rest = shaped(text, b"dddd-dd-ddTdd:dd:dd.d")?;
    rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('Z')
}

/// GitLab's `00O ` (stdout) and `00E ` (stderr); `+` instead of the blank where the line before goes on.
fn gitlab_stream(text: &str) -> &str {
    match text.as_bytes() {
        [a, b, b'O' | b'E', b' ' | b'+', ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => &text[4..],
        _ => text,
    }
}

fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("[task ").or(text.strip_prefix('['))?;
    after_blank(iso_bare(inner)?.strip_prefix(']')?)
}

/// `16:00:01     INFO - `, one column for each level.
fn mozharness(text: &str) -> Option<&str> {
    let rest = shaped(text, b"dd:dd:dd ")?.trim_start_matches(' ');
    ["INFO", "WARNING", "ERROR", "CRITICAL", "DEBUG", "FATAL"]
        .iter()
        .find_map(|level| rest.strip_prefix(level)?.strip_prefix(" -"))
        .and_then(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') })
}

/// TeamCity's build log: `[16:00:01] :\t [Step 1/2] `, the letter of a level before the colon, a TAB a level of
/// its blocks.
pub fn teamcity(text: &str) -> Option<&str> {
    let rest = shaped(text, b"[dd:dd:dd]")?;
    let rest = rest.strip_prefix(|c| " iWEFD".contains(c))?.strip_prefix(':')?.trim_start_matches('\t');
    if rest.is_empty() {
        return Some(rest);
    }
    let rest = rest.strip_prefix(' ')?;
    let Some((step, after)) = rest.strip_prefix("[Step ").and_then(|rest| rest.split_once(']')) else {
        return Some(rest);
    };
    let is_step =
        step.split_once('/').is_some_and(|(n, of)| [n, of].iter().all(|n| n.parse::<u16>().is_ok()));
    let after = if after.is_empty() { Some(after) } else { after.strip_prefix(' ') };
    after.filter(|_| is_step).or(Some(rest))
}

/// The clock of a system's log, with the blank behind it: `Nov 30 16:00:01 `, also with a fraction, or ISO with
/// an offset, with a fraction or without.
pub fn logged(text: &str) -> Option<&str> {
    let digits = |c: char| c.is_ascii_digit();
    let bare = match text.get(..4).filter(|month| MONTHS.contains(month)) {
        Some(_) => shaped(&text[4..], b"?d dd:dd:dd")?,
        None => shaped(text, b"dddd-dd-ddTdd:dd:dd")?,
    };
    let bare = bare.strip_prefix('.').map_or(bare, |rest| rest.trim_start_matches(digits));
    let bare = bare
        .strip_prefix(['+', '-'])
        .and_then(|rest| shaped(rest, b"dd:dd").or_else(|| shaped(rest, b"dddd")))
        .or_else(|| bare.strip_prefix('Z'))
        .unwrap_or(bare);
    bare.strip_prefix(' ')
}

fn buildkite(text: &str) -> Option<&str> {
    shaped(text, b"_bk;t=ddddddddddddd")
}

/// Ant prefixes each line of a task with its name, right-aligned to ten columns.
fn ant(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(' ');
    let rest = rest.strip_prefix("[junit] ").or_else(|| rest.strip_prefix("[junitlauncher] "));
    rest.or_else(|| matches!(text.trim(), "[junit]" | "[junitlauncher]").then_some(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_clocks() {
        for (text, want) in [
            ("2026-11-30T16:00:01.1201234Z 2 passed", Some("2 passed")),
            ("2026-11-30T16:00:01.1201234Z ", Some("")),
            ("2026-11-30T16:00:01.1201234Z", Some("")),
            ("2026-11-30T16:00:01.120123Z 00O 2 passed", Some("2 passed")),
            ("2026-11-30T16:00:01.120123Z 01E+ more", Some(" more")),
            ("[task 2025-02-11T21:36:09.472Z] x", Some("x")),
            ("[2026-11-30T16:00:01.120Z] x", Some("x")),
            ("21:36:09     INFO - TEST-PASS", Some("TEST-PASS")),
            ("21:36:09    ERROR -", Some("")),
            ("    [junit] Testsuite: A", Some("Testsuite: A")),
            ("[junitlauncher] ok", Some("ok")),
            ("    [junit]", Some("")),
            ("2026-11-30 16:00:01.120 ERROR", None),
            ("2026-11-30T16:00:01Z x", None),
            ("21:36:09 INFOS - x", None),
            ("_bk;t=1767225600123text", Some("text")),
            ("_bk;t=1767text", None),
            ("    [javac] x", None),
            ("2 passed", None),
            ("", None),
        ] {
            assert_eq!(certain(text), want, "{text:?}");
        }
    }

    #[test]
    fn teamcitys_log() {
        for (text, want) in [
            ("[16:00:01] :\t [Step 1/2] 2 passed", Some("2 passed")),
            ("[16:00:01]W:\t\t [Step 1/2]   two", Some("  two")),
            ("[16:00:01]i: plain", Some("plain")),
            ("[16:00:01] :\t [Step 1/2]", Some("")),
            ("[16:00:01]E:", Some("")),
            ("[16:00:01] : [Step one] x", Some("[Step one] x")),
            ("[16:00:01] x", None),
            ("[16:00:01]: x", None),
        ] {
            assert_eq!(teamcity(text), want, "{text:?}");
        }
    }

    #[test]
    fn clocks_that_may_be_text() {
        for (text, want) in [
            ("Nov 30 16:00:01 x", Some((Clock::Ts, "x"))),
            ("Nov  3 16:00:01 x", Some((Clock::Ts, "x"))),
            ("Nov 30 16:00:01", Some((Clock::Ts, ""))),
            ("[2026-11-30 16:00:01] x", Some((Clock::Bracketed, "x"))),
            ("16:00:01  x", Some((Clock::Jenkins, "x"))),
            ("00:00:01 x", Some((Clock::Elapsed, "x"))),
            ("Now 30 16:00:01 x", None),
            ("Nö", None),
            ("1:2:3 x", None),
        ] {
            let got = clock(text).and_then(|clock| Some((clock, clock.strip(text)?)));
            assert_eq!(got, want, "{text:?}");
        }
    }
}
