//! The two sides of a failed assertion, read from what JavaScript's assertion libraries print below the message.
//!
//! Jest and Vitest print `Expected: A` and `Received: B` or a diff with `- Expected` and `+ Received`; chai, as
//! Mocha shows it, `+ expected - actual`; Node `+ actual - expected` and the error's own properties. Of a diff
//! the changed lines of each side are kept. A side that the text does not print is left out.

use crate::values::Sides;

/// The sides that the lines of a message show: a diff first, then labels.
pub fn shown(lines: &[&str]) -> Option<Sides> {
    diff(lines).or_else(|| labelled(lines))
}

/// A diff under its header.
fn diff(lines: &[&str]) -> Option<Sides> {
    (0..lines.len()).find_map(|at| {
        let (signs, skip) = header(&lines[at..])?;
        let below = &lines[at + skip..];
        // Bun's stands at the end.
        if at > 0 && below.iter().all(|line| line.trim().is_empty()) {
            let start = lines[..at].iter().position(|line| line.trim().is_empty())?;
            return changed(&lines[start..at], signs).some();
        }
        changed(below, signs).some()
    })
}

/// Which sign stands for which side, and in which column.
#[derive(Clone, Copy)]
struct Signs {
    expected: char,
    observed: char,
    column: usize,
}

/// A diff's header at the first of these lines, and how many lines it has.
fn header(lines: &[&str]) -> Option<(Signs, usize)> {
    let first = lines[0];
    let text = first.trim();
    let column = first.len() - first.trim_start().len();
    let jest = Signs { expected: '-', observed: '+', column };
    match text {
        "+ expected - actual" => return Some((Signs { expected: '+', observed: '-', column }, 1)),
        "+ actual - expected" => return Some((jest, 1)),
        "- Expected:" => return None,
        _ => {}
    }
    if text.starts_with("- Expected") || text.starts_with("- Snapshot") {
        let second = lines.get(1)?.trim();
        return second.starts_with("+ Received").then_some((jest, 2));
    }
    // Vitest shows each call of a spy as a diff of its own.
    let ordinal = text.strip_suffix(" call:")?;
    ordinal.starts_with(|c: char| c.is_ascii_digit()).then_some((Signs { column: 0, ..jest }, 1))
}

fn changed(lines: &[&str], signs: Signs) -> Sides {
    let (mut expected, mut observed) = (Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        // The same again, by another hand.
        if at > 0 && header(&lines[at..]).is_some() {
            break;
        }
        let Some(text) =
            line.get(signs.column..).filter(|_| line.as_bytes()[..signs.column].trim_ascii().is_empty())
        else {
            if line.trim().is_empty() {
                continue;
            }
            break;
        };
        if let Some(text) = text.strip_prefix(signs.expected) {
            expected.push(text);
        } else if let Some(text) = text.strip_prefix(signs.observed) {
            observed.push(text);
        } else if !(text.is_empty() || text.starts_with([' ', '@', '.'])) {
            break;
        }
    }
    Sides { observed: joined(&observed), expected: joined(&expected) }
}

/// Lines under one another, their common indentation taken off.
fn joined(lines: &[&str]) -> Option<String> {
    let indent = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min()?;
    let text: Vec<&str> =
        lines.iter().map(|line| line.get(common..).unwrap_or_default().trim_end()).collect();
    Some(text.join("\n"))
}

/// `Expected: A` and `Received: B`, with words between: `Expected number of calls: 2`.
fn labelled(lines: &[&str]) -> Option<Sides> {
    let mut sides = Sides::default();
    for (at, line) in lines.iter().enumerate() {
        let Some(label) = label(line) else { continue };
        let Some(value) = value(label.value, &lines[at + 1..]) else { continue };
        let side = if label.expected { &mut sides.expected } else { &mut sides.observed };
        // The value says more than the path to it.
        if side.is_none() || label.name == "value" {
            *side = Some(value);
        }
    }
    sides.some()
}

struct Label<'a> {
    expected: bool,
    /// The label without its first word.
    name: &'a str,
    value: &'a str,
}

fn label(line: &str) -> Option<Label<'_>> {
    const NAME_BYTES_MAX: usize = 60;
    let line = line.trim_start();
    let line = line.strip_prefix(['-', '+']).map_or(line, str::trim_start);
    let first = line.find([' ', ':'])?;
    let expected = match &line[..first] {
        "Expected" | "Snapshot" => true,
        "Received" | "Resolved" | "Rejected" => false,
        _ => return None,
    };
    let colon = first + line[first..].find(':')?;
    let name = line[first..colon].trim();
    let worded = name.bytes().all(|b| b.is_ascii_lowercase() || b == b' ') && name.len() <= NAME_BYTES_MAX;
    let other =
        ["precision", "difference", "hint", "properties", "name"].contains(&name) || name.starts_with("has ");
    (worded && !other).then(|| Label { expected, name, value: line[colon + 1..].trim() })
}

/// A value that begins behind its label or, indented, on the next line, and may go on over lines.
fn value(first: &str, below: &[&str]) -> Option<String> {
    const LINES_MAX: usize = 200;
    let mut text = first.to_owned();
    let below = below.iter().take(LINES_MAX);
    if first.is_empty() {
        let lines: Vec<&str> =
            below.take_while(|line| !line.trim().is_empty() && label(line).is_none()).copied().collect();
        return joined(&lines);
    }
    for line in below {
        // A blank line ends it, unless it stands inside a string.
        let open = text.starts_with('"') && (text.len() == 1 || !text.ends_with('"'));
        if label(line).is_some() || line.trim().is_empty() && !open || is_remark(line) {
            break;
        }
        text.push('\n');
        text.push_str(line.trim_end());
    }
    Some(text.trim_end().to_owned())
}

/// Words that follow the sides.
fn is_remark(line: &str) -> bool {
    const REMARKS: &[&str] = &["Number of ", "Difference:", "Message:", "Received ", "Expected "];
    let line = line.trim_start();
    REMARKS.iter().any(|remark| line.starts_with(remark))
}

/// The properties `actual` and `expected` in Node's print of an error, below the stack.
pub fn properties(lines: &[&str]) -> Option<Sides> {
    let property = |name: &str| {
        let start = lines
            .iter()
            .position(|line| line.trim_start().strip_prefix(name).is_some_and(|r| r.starts_with(": ")))?;
        let indent = lines[start].len() - lines[start].trim_start().len();
        let mut text = lines[start].trim_start()[name.len() + 2..].to_owned();
        for line in &lines[start + 1..] {
            let own = line.len() - line.trim_start().len();
            // A closing bracket stands where the property began.
            if own < indent || own == indent && !line.trim_start().starts_with(['}', ']', ')']) {
                break;
            }
            text.push('\n');
            text.push_str(line.get(indent..).unwrap_or_default());
        }
        let text = text.trim_end();
        Some(text.strip_suffix(',').unwrap_or(text).to_owned())
    };
    let sides = Sides { observed: property("actual"), expected: property("expected") };
    // `assert.fail()` compares nothing.
    let nothing = sides.observed == sides.expected && sides.observed.as_deref() == Some("undefined");
    (!nothing).then_some(sides)?.some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Option<(&str, &str)>) {
        let lines: Vec<&str> = text.lines().collect();
        let got = shown(&lines).or_else(|| properties(&lines));
        let got = got.map(|s| (s.observed.unwrap_or_default(), s.expected.unwrap_or_default()));
        assert_eq!(got, want.map(|(o, e)| (o.to_owned(), e.to_owned())), "{text}");
    }

    #[test]
    fn labels() {
        check("Expected: 1.19\nReceived: 1.18", Some(("1.18", "1.19")));
        check(
            "Expected pattern: not /[<>]/\nReceived string:      \"&lt;<\"",
            Some(("\"&lt;<\"", "not /[<>]/")),
        );
        check("Expected number of calls: 2\nReceived number of calls: 0", Some(("0", "2")));
        check(
            "Expected substring: \"gave up\"\n\nReceived function did not throw",
            Some(("", "\"gave up\"")),
        );
        check("Received promise resolved instead of rejected\nResolved to value: 7", Some(("7", "")));
        check(
            "Expected path: \"a.b\"\nReceived path: []\n\nExpected value: 3\nReceived value: {}",
            Some(("{}", "3")),
        );
        check(
            "Snapshot name: `label inline 1`\n\nSnapshot: \"Bob N\"\nReceived: \"Bob M\"",
            Some(("\"Bob M\"", "\"Bob N\"")),
        );
        check("Expected: \"a\n\nb\"\nReceived: \"c\"\n\nNumber of calls: 1", Some(("\"c\"", "\"a\n\nb\"")));
        check(
            "Expected value to strictly be equal to:\n  1.19\nReceived:\n  1.18\n\nMessage:\n  no",
            Some(("1.18", "1.19")),
        );
        check(
            "Expected: 0.3\nReceived: 0.1\n\nExpected precision: 2\nReceived difference: 0.2",
            Some(("0.1", "0.3")),
        );
        check("Expected behaviour is unclear", None);
    }

    #[test]
    fn diffs() {
        check("- Expected  - 1\n+ Received  + 0\n\n  [\n-     \"gift\",\n  ]", Some(("", "\"gift\",")));
        check("- Expected\n+ Received\n\n- 6\n+ 5", Some(("5", "6")));
        check(
            "- Snapshot  - 1\n+ Received  + 1\n\n@@ -1,7 +1,7 @@\n-   a\n-     b\n+   c",
            Some(("c", "a\n  b")),
        );
        check("      + expected - actual\n\n      -1.18\n      +1.19\n", Some(("1.18", "1.19")));
        check("+ actual - expected\n\n  {\n+   a: 1\n-   a: 2\n  }", Some(("a: 1", "a: 2")));
        check(
            "- Expected:\nError {\n  \"m\": 1,\n}\n\n+ Received:\n7",
            Some(("7", "Error {\n  \"m\": 1,\n}")),
        );
        check(
            "Received:\n\n  1st spy call:\n\n  [\n-   \"a\",\n+   \"b\",\n  ]\n\nNumber of calls: 1",
            Some(("\"b\",", "\"a\",")),
        );
        check("+ actual - expected\n\n+ 1\n- 2\n\n- Expected\n+ Received\n\n- 2\n+ 1", Some(("1", "2")));
        check(
            "expect(received).toEqual(expected)\n\n  {\n-   \"a\": 1,\n+   \"a\": 2,\n  }\n\n- Expected  - 1\n+ Received  + 1\n",
            Some(("\"a\": 2,", "\"a\": 1,")),
        );
        check("- a\n+ b", None);
    }

    #[test]
    fn node_properties() {
        check(
            "    code: 'E',\n    actual: 1.18,\n    expected: 1.19,\n    operator: 'strictEqual'\n  }",
            Some(("1.18", "1.19")),
        );
        check("  actual: {\n    a: 1\n  },\n  expected: [ 1 ]\n}", Some(("{\n  a: 1\n}", "[ 1 ]")));
        check("  actual: undefined,\n  expected: undefined,", None);
    }
}
