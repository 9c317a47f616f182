//! The message of a Rust assertion, taken apart: what it says, and its two sides.
//!
//! Read are `assert_eq!` and its like in both of std's forms, and what pretty_assertions,
//! similar_asserts, assert_matches, insta and googletest print. Left is taken as observed and right as
//! expected, as the panics of std and most authors have it; snapshots say which is which.

use crate::rust_panic::position;

/// A panic's message, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// What it says, one line.
    pub message: String,
    /// The right side.
    pub expected: Option<String>,
    /// The left side.
    pub observed: Option<String>,
}

/// Bytes of a message that are kept; the sides keep all that the reader kept.
const MESSAGE_BYTES_MAX: usize = 2_000;

/// Takes a panic's message lines apart.
pub fn sides(lines: &[String]) -> Sides {
    let labels = labels(lines);
    let pair = labels.as_ref().and_then(|(left, right)| labelled(lines, left, right));
    let head = match &pair {
        Some(pair) => pair.at,
        None => paragraph(lines),
    };
    let mut message = join(&lines[..head]);
    let mut sides = Sides::default();
    if let Some(pair) = pair {
        if let Some(tail) = &pair.tail {
            message = format!("{message}: {tail}");
        }
        (sides.observed, sides.expected) = (Some(pair.left), Some(pair.right));
    } else if let Some((observed, expected)) = changed(lines) {
        (sides.observed, sides.expected) = (observed, expected);
    } else if let Some(both) = lines.iter().position(|l| l == "Both sides:") {
        let value = join_lines(until_blank(&lines[both + 1..]));
        (sides.observed, sides.expected) = (Some(value.clone()), Some(value));
    } else if let Some((value, pattern)) = unmatched(&message) {
        (sides.observed, sides.expected) = (Some(value.to_owned()), Some(pattern.to_owned()));
    }
    // similar_asserts closes a quote that it never opened.
    if lines.iter().any(|l| l.starts_with("Differences (-")) && message.ends_with('\'') {
        message.pop();
    }
    sides.message = message;
    sides
}

/// Whether a message is an assertion's own, whatever the author added to it.
pub fn is_assertion(message: &str) -> bool {
    message.starts_with("assertion failed: ") || message.starts_with("assertion `")
}

/// Lines joined to one by single spaces, blank ones left out, cut at a named length.
pub fn join<S: AsRef<str>>(lines: &[S]) -> String {
    let mut message = String::new();
    for line in lines {
        let line = line.as_ref().trim();
        if line.is_empty() {
            continue;
        }
        if message.len() + line.len() >= MESSAGE_BYTES_MAX {
            message.push_str(if message.is_empty() { head(line) } else { " …" });
            break;
        }
        if !message.is_empty() {
            message.push(' ');
        }
        message.push_str(line);
    }
    message
}

fn head(line: &str) -> &str {
    let mut end = line.len().min(MESSAGE_BYTES_MAX);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

/// How many lines the first paragraph has.
fn paragraph(lines: &[String]) -> usize {
    let blank = lines.iter().position(|line| line.trim().is_empty());
    blank.unwrap_or(lines.len())
}

fn until_blank(lines: &[String]) -> &[String] {
    &lines[..paragraph(lines)]
}

fn join_lines(lines: &[String]) -> String {
    lines.join("\n")
}

/// The names of the two sides: `left` and `right`, or what similar_asserts was told to call them.
fn labels(lines: &[String]) -> Option<(String, String)> {
    let first = lines.first()?;
    let inner = first.strip_prefix("assertion failed: `(").or_else(|| first.strip_prefix("assertion `"))?;
    let mut words = inner.split([' ', ')', '`']);
    let left = words.next()?;
    let right = match words.next()? {
        "matches" => "right",
        _ => words.next()?,
    };
    let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_alphanumeric() || c == '_');
    (word(left) && word(right)).then(|| (left.to_owned(), right.to_owned()))
}

struct Labelled {
    left: String,
    right: String,
    /// The author's message, which the old form prints behind the right side.
    tail: Option<String>,
    /// Index of the left side's first line.
    at: usize,
}

/// `  left: …` and ` right: …`, each of which may go on over further lines.
fn labelled(lines: &[String], left: &str, right: &str) -> Option<Labelled> {
    let value = |line: &String, label: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix(label)?.strip_prefix(':')?;
        Some(rest.strip_prefix(' ').unwrap_or(rest).to_owned())
    };
    let at = lines.iter().position(|line| value(line, left).is_some())?;
    let turn = at + 1 + lines[at + 1..].iter().position(|line| value(line, right).is_some())?;
    let mut first = vec![value(&lines[at], left)?];
    first.extend(lines[at + 1..turn].iter().cloned());
    let mut second = vec![value(&lines[turn], right)?];
    second.extend(until_blank(&lines[turn + 1..]).iter().cloned());
    let (left, _) = unquoted(join_lines(&first));
    let (right, tail) = unquoted(join_lines(&second));
    Some(Labelled { left, right, tail, at })
}

/// The old form quotes a side with backticks and puts the author's message behind the second.
fn unquoted(text: String) -> (String, Option<String>) {
    if let Some(inner) = text.strip_prefix('`')
        && let Some((value, tail)) = inner.rsplit_once('`')
    {
        let tail = tail.strip_prefix(": ").filter(|tail| !tail.is_empty());
        return (value.to_owned(), tail.map(|tail| join(&[tail])));
    }
    (text, None)
}

/// The changed lines of a printed difference: pretty_assertions marks them with `<` and `>`,
/// similar_asserts with `-` and `+`.
fn changed(lines: &[String]) -> Option<(Option<String>, Option<String>)> {
    let (at, signs) = lines.iter().enumerate().find_map(|(at, line)| {
        if line.starts_with("Diff < left / right > :") {
            Some((at, ['<', '>']))
        } else if line.starts_with("Differences (-") {
            Some((at, ['-', '+']))
        } else {
            None
        }
    })?;
    let side = |sign: char| {
        let marked = lines[at + 1..].iter().filter_map(|line| line.strip_prefix(sign));
        let text: Vec<&str> = marked.map(str::trim_start).collect();
        (!text.is_empty()).then(|| text.join("\n"))
    };
    Some((side(signs[0]), side(signs[1])))
}

/// ``assertion failed: `VALUE` does not match `PATTERN` ``
fn unmatched(message: &str) -> Option<(&str, &str)> {
    let inner = message.strip_prefix("assertion failed: `")?;
    let (value, rest) = inner.split_once("` does not match `")?;
    Some((value, rest.rsplit_once('`')?.0))
}

/// A snapshot that differs, as insta prints it above its panic.
#[derive(Debug, PartialEq, Eq)]
pub struct Snapshot<'a> {
    /// File and line of the assertion.
    pub source: Option<(&'a str, u64)>,
    /// Changed lines of the old snapshot.
    pub expected: Option<String>,
    /// Changed lines of the new result.
    pub observed: Option<String>,
}

/// Finds insta's last summary in a test's output.
pub fn snapshot(lines: &[String]) -> Option<Snapshot<'_>> {
    let at = lines.iter().rposition(|line| line.contains(" Snapshot Summary "))?;
    let source = lines[at..].iter().find_map(|line| line.strip_prefix("Source: "));
    let side = |sign: char| {
        let marked = lines[at..].iter().filter_map(|line| {
            let (numbers, rest) = line.split_once('│')?;
            let gutter = numbers.chars().all(|c| c == ' ' || c.is_ascii_digit());
            gutter.then(|| rest.strip_prefix(sign)).flatten()
        });
        let text: Vec<&str> = marked.map(str::trim_start).collect();
        (!text.is_empty()).then(|| text.join("\n"))
    };
    Some(Snapshot { source: source.and_then(position), expected: side('-'), observed: side('+') })
}

/// One failed check of googletest: `Value of: …`, `Expected: …`, `Actual: …`, `  at file:line:column`.
#[derive(Debug, PartialEq, Eq)]
pub struct Matched<'a> {
    /// What was checked, and what of it.
    pub sides: Sides,
    /// File and line.
    pub place: Option<(&'a str, u64)>,
}

/// All failed checks of googletest in a test's output.
pub fn matched(lines: &[String]) -> Vec<Matched<'_>> {
    let mut found: Vec<Matched<'_>> = Vec::new();
    for line in lines {
        let line = line.strip_prefix("Error: ").unwrap_or(line);
        if line.starts_with("Value of: ") {
            let sides = Sides { message: head(line).to_owned(), ..Sides::default() };
            found.push(Matched { sides, place: None });
        }
        let Some(last) = found.last_mut().filter(|last| last.place.is_none()) else { continue };
        if let Some(expected) = line.strip_prefix("Expected: ") {
            last.sides.expected = Some(expected.to_owned());
        } else if let Some(observed) = line.strip_prefix("Actual: ") {
            last.sides.observed = Some(observed.strip_suffix(',').unwrap_or(observed).to_owned());
        } else if let Some(shown) = line.strip_prefix("  at ") {
            last.place = position(shown);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn sides_of_every_assertion() {
        let check = |text: &str, message: &str, observed: Option<&str>, expected: Option<&str>| {
            let want = Sides {
                message: message.into(),
                observed: observed.map(str::to_owned),
                expected: expected.map(str::to_owned),
            };
            assert_eq!(sides(&lines(text)), want, "{text}");
        };
        let eq = "assertion `left == right` failed";
        check("assertion `left == right` failed\n  left: 1\n right: 2", eq, Some("1"), Some("2"));
        check(
            "assertion `left == right` failed: a\nb\n  left: D {\n  v: 1\n}\n right: D {\n  v: 2\n}\n\nmore",
            "assertion `left == right` failed: a b",
            Some("D {\n  v: 1\n}"),
            Some("D {\n  v: 2\n}"),
        );
        check(
            "assertion `left matches right` failed\n  left: Err(3)\n right: Ok(_)",
            "assertion `left matches right` failed",
            Some("Err(3)"),
            Some("Ok(_)"),
        );
        let old = "assertion failed: `(left == right)`";
        check("assertion failed: `(left == right)`\n  left: `1`,\n right: `2`", old, Some("1"), Some("2"));
        check(
            "assertion failed: `(left == right)`\n  left: `\"a`b\"`,\n right: `2`: why: so",
            "assertion failed: `(left == right)`: why: so",
            Some("\"a`b\""),
            Some("2"),
        );
        check(
            "assertion failed: `(left == right)`: row\n\nDiff < left / right > :\n Row {\n<    a: 1,\n<    b: 1,\n>    a: 2,\n }\n\n",
            "assertion failed: `(left == right)`: row",
            Some("a: 1,\nb: 1,"),
            Some("a: 2,"),
        );
        check(
            "assertion failed: `(left != right)`\n\nBoth sides:\n100\n\n",
            "assertion failed: `(left != right)`",
            Some("100"),
            Some("100"),
        );
        check(
            "assertion failed: `(got == want)`: five'\n  got: `\"2\"`\n want: `\"3\"`\n\nDifferences (-got|+want):\n-2\n+3",
            "assertion failed: `(got == want)`: five",
            Some("\"2\""),
            Some("\"3\""),
        );
        check(
            "assertion failed: `(left == right)`'\n\nDifferences (-left|+right):\n a\n-b\n+c",
            old,
            Some("b"),
            Some("c"),
        );
        check(
            "assertion failed: `Err(1)` does not match `Ok(3)`",
            "assertion failed: `Err(1)` does not match `Ok(3)`",
            Some("Err(1)"),
            Some("Ok(3)"),
        );
        check("one\n  two\n\nthree", "one two", None, None);
        check("", "", None, None);
    }

    #[test]
    fn a_snapshot_names_its_source_and_the_changed_lines() {
        let text = "━━ Snapshot Summary ━━\nSource: tests/s.rs:4\n──\n-old snapshot\n+new results\n───┬──\n    1     1 │ a\n    2       │-    b\n          2 │+    c\n          3 │+d\n";
        let expected = Snapshot {
            source: Some(("tests/s.rs", 4)),
            expected: Some("b".into()),
            observed: Some("c\nd".into()),
        };
        assert_eq!(snapshot(&lines(text)), Some(expected));
        assert_eq!(snapshot(&lines("a │-b")), None);
    }

    #[test]
    fn checks_of_googletest_each_have_their_place() {
        let text = "Value of: f(2)\nExpected: is equal to 3\nActual: 2,\n  which isn't equal to 3\n  at tests/d.rs:71:5\n";
        let text = lines(text);
        let sides = Sides {
            message: "Value of: f(2)".into(),
            expected: Some("is equal to 3".into()),
            observed: Some("2".into()),
        };
        assert_eq!(matched(&text), [Matched { sides, place: Some(("tests/d.rs", 71)) }]);
    }
}
