//! One line of TAP.

use crate::values::is_number;

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// `TAP version 14`
    Version,
    /// `1..4`, `1..0 # SKIP no database`
    Plan {
        /// Tests planned.
        tests: u64,
    },
    /// `not ok 2 - rounds half up # TODO later`
    Result(Outcome),
    /// `# Subtest: total`
    Subtest(String),
    /// `# tests 7`, without its mark.
    Comment(&'a str),
    /// `Bail out! no database`
    BailOut(&'a str),
    /// `---`
    YamlBegins,
    /// `}`, where Vitest ends a suite.
    BraceCloses,
    /// Anything else.
    Other,
}

/// A test's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// `ok`
    pub ok: bool,
    /// Its number, where one is printed.
    pub number: Option<u64>,
    /// Whether ` - ` stands before the description.
    pub dashed: bool,
    /// Without directive, time and escapes.
    pub description: String,
    /// `SKIP` or `TODO`.
    pub directive: Option<Directive>,
    /// `# time=65.04ms`
    pub duration_ms: Option<u64>,
    /// ` {`: the tests inside follow (Vitest).
    pub brace: bool,
}

/// What a directive says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// It did not run.
    Skip,
    /// It may fail.
    Todo,
}

/// Reads a line: its indentation in blanks, and what it is.
pub fn item(line: &str) -> (usize, Item<'_>) {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let text = text.trim_end();
    let item = match text.as_bytes() {
        [b'o', b'k', ..] => result(&text[2..], true),
        [b'n', b'o', b't', b' ', b'o', b'k', ..] => result(&text[6..], false),
        [b'1', b'.', b'.', ..] => plan(&text[3..]),
        [b'#', ..] => comment(&text[1..]),
        b"---" => Item::YamlBegins,
        b"}" => Item::BraceCloses,
        [b'T', b'A', b'P', ..] if text.strip_prefix("TAP version ").is_some_and(is_number) => Item::Version,
        [b'B', ..] => {
            text.strip_prefix("Bail out!").map_or(Item::Other, |reason| Item::BailOut(reason.trim()))
        }
        _ => Item::Other,
    };
    (indent, item)
}

fn plan(text: &str) -> Item<'_> {
    let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    match number.parse() {
        Ok(tests) if is_number(number) && (rest.is_empty() || rest.starts_with('#')) => Item::Plan { tests },
        _ => Item::Other,
    }
}

fn comment(text: &str) -> Item<'_> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    match text.strip_prefix("Subtest: ").or(text.strip_prefix("Subtest")) {
        Some(name) => Item::Subtest(unescaped(name.trim())),
        None => Item::Comment(text),
    }
}

fn result(rest: &str, ok: bool) -> Item<'_> {
    if !(rest.is_empty() || rest.starts_with(' ')) {
        return Item::Other;
    }
    let rest = rest.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    if digits > 0 && !(rest.is_empty() || rest.starts_with(' ')) {
        return Item::Other;
    }
    let rest = rest.trim_start();
    let dashed = rest == "-" || rest.starts_with("- ");
    // `ok - x` has no number; `ok x` is a word of prose as likely as not.
    if digits == 0 && !dashed {
        return Item::Other;
    }
    let rest = if dashed { rest[1..].trim_start() } else { rest };
    let (rest, brace) = rest.strip_suffix('{').map_or((rest, false), |text| (text.trim_end(), true));
    let (description, note) = cut(rest);
    Item::Result(Outcome {
        ok,
        number: number.parse().ok(),
        dashed,
        description: unescaped(description),
        directive: note.and_then(directive),
        duration_ms: note.and_then(time),
        brace,
    })
}

/// The description, and the directive or time behind the last `#` that is not escaped.
fn cut(text: &str) -> (&str, Option<&str>) {
    let starts = text.match_indices('#').map(|(at, _)| at).filter(|at| !text[..*at].ends_with('\\'));
    for at in starts {
        let note = text[at + 1..].trim();
        if directive(note).is_some() || time(note).is_some() {
            return (text[..at].trim_end(), Some(note));
        }
    }
    (text, None)
}

fn directive(note: &str) -> Option<Directive> {
    let word = note.get(..4)?;
    let ends = |at: usize| note[at..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    if word.eq_ignore_ascii_case("TODO") && ends(4) {
        return Some(Directive::Todo);
    }
    // `SKIP`, `SKIPPED`
    (word.eq_ignore_ascii_case("SKIP")).then_some(Directive::Skip)
}

fn time(note: &str) -> Option<u64> {
    let text = note.strip_prefix("time=")?;
    let text = text.split_whitespace().next()?;
    let (number, factor) = match text.strip_suffix("ms") {
        Some(number) => (number, 1.0),
        None => (text.strip_suffix('s')?, 1000.0),
    };
    number.parse::<f64>().ok().map(|n| (n * factor).max(0.0).round() as u64)
}

fn unescaped(text: &str) -> String {
    text.replace("\\#", "#").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, want: Item<'_>) {
        assert_eq!(item(line).1, want, "{line}");
    }

    fn outcome(ok: bool, number: Option<u64>, description: &str) -> Outcome {
        Outcome { ok, number, dashed: true, description: description.into(), ..Outcome::default() }
    }

    #[test]
    fn lines() {
        let skip = Some(Directive::Skip);
        let todo = Some(Directive::Todo);
        check("TAP version 14", Item::Version);
        check("1..4", Item::Plan { tests: 4 });
        check("1..0 # SKIP no database", Item::Plan { tests: 0 });
        check("1..x", Item::Other);
        check("ok 1 - a", Item::Result(outcome(true, Some(1), "a")));
        check("    not ok 2 - rounds \\# up", Item::Result(outcome(false, Some(2), "rounds # up")));
        check("ok - a", Item::Result(outcome(true, None, "a")));
        check(
            "ok 3 - b # SKIP later",
            Item::Result(Outcome { directive: skip, ..outcome(true, Some(3), "b") }),
        );
        check(
            "not ok 3 - b # todo",
            Item::Result(Outcome { directive: todo, ..outcome(false, Some(3), "b") }),
        );
        check(
            "ok 1 maze has an exit",
            Item::Result(Outcome { dashed: false, ..outcome(true, Some(1), "maze has an exit") }),
        );
        check("ok 2", Item::Result(Outcome { dashed: false, ..outcome(true, Some(2), "") }));
        check(
            "not ok 1 - t.js # time=65.04ms {",
            Item::Result(Outcome { duration_ms: Some(65), brace: true, ..outcome(false, Some(1), "t.js") }),
        );
        check("ok 4 - issue #12 is fixed", Item::Result(outcome(true, Some(4), "issue #12 is fixed")));
        check("ok  \texample.com/pkg 0.3s", Item::Other);
        check("okay 1", Item::Other);
        check("ok computer", Item::Other);
        check("# Subtest: \\#total()", Item::Subtest("#total()".into()));
        check("# tests 7", Item::Comment("tests 7"));
        check("Bail out! no database", Item::BailOut("no database"));
        check("  ---", Item::YamlBegins);
        check("}", Item::BraceCloses);
        check("Building", Item::Other);
        check("é", Item::Other);
    }
}
