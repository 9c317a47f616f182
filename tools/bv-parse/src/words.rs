//! The two sides in one line of words, as tests without a check library say them: `f(2) = 3, want 4`,
//! `got 3, want 4` (<https://go.dev/wiki/TestComments>), `expected 4 but got 3`.

/// The two sides, as printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// What must hold.
    pub expected: String,
    /// What was seen.
    pub observed: String,
}

const SEEN: &[&str] = &["got", "actual", "have", "was", "received", "found"];
const WANTED: &[&str] = &["want", "wanted", "expected", "expect", "expecting", "wants"];

/// The sides that the line names, both, or none.
pub fn said(line: &str) -> Option<Sides> {
    not_equal(line).or_else(|| {
        let words = words(line);
        let wanted = words.iter().find(|word| WANTED.contains(&word.lower.as_str()))?;
        let seen = words.iter().find(|word| SEEN.contains(&word.lower.as_str()));
        let (expected, observed) = match seen {
            Some(seen) if seen.start < wanted.start => {
                (value_to_end(&line[wanted.end..]), value(&line[seen.end..wanted.start]))
            }
            Some(seen) => (value(&line[wanted.end..seen.start]), value_to_end(&line[seen.end..])),
            None => (value_to_end(&line[wanted.end..]), assigned(&line[..wanted.start])?),
        };
        let (expected, observed) = (expected?, observed?);
        Some(Sides { expected: expected.to_owned(), observed: observed.to_owned() })
    })
}

/// gotest.tools: `assertion failed: 3 (got int) != 4 (want int)`.
fn not_equal(line: &str) -> Option<Sides> {
    let text = line.strip_prefix("assertion failed: ").unwrap_or(line);
    let (left, right) = text.split_once(" != ")?;
    let labelled = |text: &str| {
        let (value, label) = text.rsplit_once(" (")?;
        let name = label.split([' ', ')']).next()?;
        Some((name.to_owned(), value.to_owned()))
    };
    let ((left_name, left), (right_name, right)) = (labelled(left)?, labelled(right)?);
    match (SEEN.contains(&left_name.as_str()), WANTED.contains(&right_name.as_str())) {
        (true, true) => Some(Sides { expected: right, observed: left }),
        _ if WANTED.contains(&left_name.as_str()) && SEEN.contains(&right_name.as_str()) => {
            Some(Sides { expected: left, observed: right })
        }
        _ => None,
    }
}

struct Word {
    lower: String,
    start: usize,
    end: usize,
}

/// The words outside of quotes.
fn words(line: &str) -> Vec<Word> {
    const LINE_BYTES_MAX: usize = 4 << 10;
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in outside_quotes(line).take_while(|(at, _)| *at < LINE_BYTES_MAX) {
        match (c.is_alphanumeric() || c == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push(Word { lower: line[from..at].to_ascii_lowercase(), start: from, end: at });
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        let end = from
            + line[from..].find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len() - from);
        found.push(Word { lower: line[from..end].to_ascii_lowercase(), start: from, end });
    }
    found
}

/// The characters that stand in no `"…"` or `` `…` ``; a blank stands for each that does.
fn outside_quotes(line: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quote, mut escaped) = (None, false);
    line.char_indices().map(move |(at, c)| {
        let inside = quote.is_some();
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '`') => quote = Some(c),
            _ => {}
        }
        (at, if inside || quote.is_some() { ' ' } else { c })
    })
}

/// The value between two labels: without the sign before it and the conjunction after it.
fn value(text: &str) -> Option<&str> {
    let mut text = value_to_end(text)?;
    loop {
        let before = text;
        for end in
            [" but", " and", " instead", " instead of", ", actually", " -", " while", " we", " then", "("]
        {
            text = text.strip_suffix(end).unwrap_or(text).trim_end();
        }
        text = text.trim_end_matches([',', ';', '.']).trim_end();
        if text == before {
            return (!text.is_empty()).then_some(text);
        }
    }
}

/// The value from a label to the line's end.
fn value_to_end(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = text.strip_prefix([':', '=']).unwrap_or(text).trim();
    let text = text.strip_prefix("value ").unwrap_or(text).trim_start_matches([':', '=']).trim();
    let closed = text.strip_suffix(')').filter(|rest| rest.matches('(').count() < text.matches(')').count());
    let text = closed.unwrap_or(text);
    (!text.is_empty() && !text.starts_with([',', ';', ')'])).then_some(text)
}

/// What an expression is said to be, before `, want …`: `f("a = b") = 3, `, `x is 3; `.
fn assigned(text: &str) -> Option<Option<&str>> {
    let text = text.trim_end().trim_end_matches('(').trim_end();
    let text = text.strip_suffix([',', ';', '.', ':']).unwrap_or(text);
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    for (at, c) in outside_quotes(text) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '=' if depth == 0 && at > 0 && bytes[at - 1] == b' ' && bytes.get(at + 1) == Some(&b' ') => {
                return Some(Some(text[at + 1..].trim()).filter(|value| !value.is_empty()));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_words() {
        for (line, want) in [
            ("Area(26, 0) = 0, want 3", Some(("3", "0"))),
            ("Total() = 1359, want 1360", Some(("1360", "1359"))),
            ("lines: got 2, want 3", Some(("3", "2"))),
            ("expected 2 but got 3", Some(("2", "3"))),
            ("Expected: 2, Actual: 3", Some(("2", "3"))),
            ("got = \"a want b\", want \"c\"", Some(("\"c\"", "\"a want b\""))),
            ("Join(\"a = b\") = \"x\"; want \"y\"", Some(("\"y\"", "\"x\""))),
            ("got 5 (want 6)", Some(("6", "5"))),
            ("want 5, got {A:1 B:[2 3]}", Some(("5", "{A:1 B:[2 3]}"))),
            ("Add() = 3, want 4", Some(("4", "3"))),
            ("Add() error = boom, wantErr false", None),
            ("unexpected error: not found", None),
            ("wanted nothing", None),
            ("got an unexpected value", None),
            ("we want ü", None),
            ("got ü, want ö", Some(("ö", "ü"))),
            ("", None),
        ] {
            let want = want.map(|(e, o)| Sides { expected: e.into(), observed: o.into() });
            assert_eq!(said(line), want, "{line}");
        }
    }
}
