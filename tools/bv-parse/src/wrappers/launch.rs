//! Multiplexers that put a source's name before a line and announce no names: that one of them runs is known
//! from its command line, in the `bv-run:` line or as npm and yarn print it, or from the first line of text.

use crate::exit_line;

/// What is known of them so far.
#[derive(Debug, Default)]
pub struct Launch {
    /// concurrently, npm-run-all: `[name] text`.
    labels: bool,
    /// The first line of text has a number in brackets, as concurrently's lines have unless asked otherwise.
    numbers: Option<bool>,
    /// GNU parallel: `argument<TAB>text`.
    tags: bool,
    /// The first line of text is a system journal's.
    journal: Option<bool>,
}

/// Bytes of a name at most.
const NAME_BYTES_MAX: usize = 64;

impl Launch {
    /// The source that the line names, and the line without it.
    pub fn named<'a>(&mut self, text: &'a str) -> Option<(&'a str, &'a str)> {
        if self.numbers.is_none() && !text.trim_ascii().is_empty() && !text.starts_with("bv-run: ") {
            self.numbers = Some(label(text).is_some_and(|(name, _)| is_number(name)));
            self.journal = Some(is_journal(text));
        }
        if self.tags
            && let Some(tagged) = text.split_once('\t')
        {
            return Some(tagged);
        }
        if (self.labels || self.numbers == Some(true))
            && let Some((name, rest)) = label(text)
            && (self.labels || is_number(name))
        {
            return Some((name, rest));
        }
        if self.journal == Some(true) { journal(text) } else { None }
    }

    /// Whether lines are labelled, and a label's own last line says how its command ended.
    pub fn labels(&self) -> bool {
        self.labels || self.numbers == Some(true)
    }

    /// Takes a command line: of bv-run, or behind the `> ` of npm and pnpm or the `$ ` of yarn.
    pub fn listen(&mut self, text: &str) {
        let shell = text.strip_prefix("> ").or_else(|| text.strip_prefix("$ "));
        let words = match shell {
            Some(line) => vec![line.to_owned()],
            None => exit_line::command(text).unwrap_or_default(),
        };
        let words: Vec<&str> = words.iter().flat_map(|word| word.split_whitespace()).collect();
        let program = |names: &[&str]| words.iter().any(|word| names.contains(&base(word)));
        let flag = |flags: &[&str]| words.iter().any(|word| flags.contains(word));
        if program(&["concurrently"])
            || program(&["npm-run-all", "run-p", "run-s"]) && flag(&["-l", "--print-label"])
        {
            self.labels = true;
        }
        if program(&["parallel"]) && flag(&["--tag"]) {
            self.tags = true;
        }
    }
}

/// A program's name without its folder.
fn base(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// `[name] text`; npm-run-all fills names up to one width.
fn label(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('[')?.split_once(']')?;
    let name = name.trim_end();
    let fits = !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b":._-@/ ".contains(&b));
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    fits.then_some((name, rest))
}

fn is_number(name: &str) -> bool {
    name.len() <= 3 && name.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a line is a system journal's.
pub fn is_journal(text: &str) -> bool {
    journal(text).is_some()
}

/// `Nov 30 16:00:01 host program[123]: text`, as syslog and `journalctl` write, its ISO forms, and those with
/// fractions of a second: program and process name the source.
fn journal(text: &str) -> Option<(&str, &str)> {
    let rest = super::times::logged(text)?;
    let (host, rest) = rest.split_once(' ')?;
    let (tag, rest) = rest.split_once(':')?;
    let (program, process) = tag.strip_suffix(']')?.split_once('[')?;
    let plain =
        |text: &str| !text.is_empty() && text.len() <= NAME_BYTES_MAX && !text.contains(char::is_whitespace);
    let fits =
        plain(host) && plain(program) && !process.is_empty() && process.bytes().all(|b| b.is_ascii_digit());
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    fits.then_some((tag, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(announced: &[&str], lines: &[&str], want: &[Option<(&str, &str)>]) {
        let mut launch = Launch::default();
        announced.iter().for_each(|line| launch.listen(line));
        let got: Vec<_> = lines.iter().map(|line| launch.named(line)).collect();
        assert_eq!(got, want, "{announced:?} {lines:?}");
    }

    #[test]
    fn labels() {
        for line in [
            r#"bv-run: ["npx","concurrently","-n","api,web","npm:test:*"]"#,
            r#"bv-run: ["sh","-c","concurrently a b"]"#,
            "> concurrently -n api,web a b",
            "$ node_modules/.bin/concurrently a b",
            "> run-p -l test:*",
        ] {
            check(
                &[line],
                &["x", "[api] 2 passed", "[web   ] ok", "[web]"],
                &[None, Some(("api", "2 passed")), Some(("web", "ok")), Some(("web", ""))],
            );
        }
        for line in ["> run-p test:*", "> vitest run", "concurrently a"] {
            check(&[line], &["x", "[api] 2 passed"], &[None, None]);
        }
    }

    #[test]
    fn numbers_must_be_on_the_first_line() {
        check(&[], &["", "[0] a", "[1] b", "[x] c"], &[None, Some(("0", "a")), Some(("1", "b")), None]);
        check(&[], &["a", "[0] a"], &[None, None]);
        check(&[], &["[INFO] a", "[0] a"], &[None, None]);
    }

    #[test]
    fn tags() {
        let line = r#"bv-run: ["parallel","--tag","pytest","{}",":::","a","b"]"#;
        check(
            &[line],
            &["a\t2 passed", "b\tFAIL\tx", "plain"],
            &[Some(("a", "2 passed")), Some(("b", "FAIL\tx")), None],
        );
        check(&[r#"bv-run: ["parallel","go","test"]"#], &["ok  \tx\t0.1s"], &[None]);
    }

    #[test]
    fn journals() {
        let first = "Nov 30 16:00:01 ci1 bash[812]: start";
        check(
            &[],
            &[first, "Nov 30 16:00:02 ci1 systemd[1]: Started.", "Nov 30 16:00:03 ci1 kernel: x"],
            &[Some(("bash[812]", "start")), Some(("systemd[1]", "Started.")), None],
        );
        for line in [
            "2026-11-30T16:00:01+0000 ci1 bash[812]: x",
            "2026-11-30T16:00:01.123456+01:00 ci1 bash[812]: x",
            "Nov 30 16:00:01.123456 ci1 bash[812]: x",
        ] {
            check(&[], &[line], &[Some(("bash[812]", "x"))]);
        }
        check(&[], &["start", first], &[None, None]);
        check(&[], &["Nov 30 16:00:01 tests/a.py FAILED: x"], &[None]);
    }
}
