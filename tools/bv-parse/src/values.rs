//! Printed values inside a runner's sentence: where one ends, and what a diff shows of the two sides.

use bv_schemas::Failure;

/// The two sides of a failed check, as printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// The side that must hold.
    pub expected: Option<String>,
    /// The side that was seen.
    pub observed: Option<String>,
}

impl Sides {
    /// Both sides.
    pub fn both(expected: &str, observed: &str) -> Sides {
        Sides { expected: Some(expected.to_owned()), observed: Some(observed.to_owned()) }
    }

    /// Whether neither side is known.
    pub fn is_empty(&self) -> bool {
        self.expected.is_none() && self.observed.is_none()
    }

    /// Itself, or nothing where neither side is known.
    pub fn some(self) -> Option<Sides> {
        (!self.is_empty()).then_some(self)
    }

    /// Puts them into the failure.
    pub fn fill(self, failure: &mut Failure) {
        failure.expected = self.expected;
        failure.observed = self.observed;
    }

    /// Printed structures of several lines without the lines in which they agree, as a diff shows them;
    /// strings and other values stay whole.
    pub fn changed_lines(self) -> Sides {
        let (Some(expected), Some(observed)) = (&self.expected, &self.observed) else { return self };
        let whole = |text: &str| text.starts_with(['\'', '"']) || !text.contains('\n');
        if whole(expected) || whole(observed) {
            return self;
        }
        let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), observed.lines().collect());
        let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
        let changed = |lines: &[&str]| joined(&lines[head..lines.len() - tail]);
        Sides { expected: changed(&a), observed: changed(&b) }
    }

    /// `self`, or the other where neither side is known.
    pub fn or_else(self, other: impl FnOnce() -> Sides) -> Sides {
        if self.is_empty() { other() } else { self }
    }
}

/// `text` cut in two at the first `word` that stands in no string, bracket or backticks; where the quotes
/// do not pair, at the only `word` there is.
pub fn split_outside<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let at = find_outside(text, word).or_else(|| {
        let at = text.find(word)?;
        (text.rfind(word) == Some(at)).then_some(at)
    })?;
    Some((&text[..at], &text[at + word.len()..]))
}

fn find_outside(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut quote, mut at) = (0u32, None, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if let Some(open) = quote {
            if byte == b'\\' {
                at += 1;
            } else if byte == open {
                quote = None;
            }
            at += 1;
            continue;
        }
        if depth == 0 && bytes[at..].starts_with(word.as_bytes()) {
            return Some(at);
        }
        match byte {
            b'"' | b'`' => quote = Some(byte),
            // An apostrophe inside a word opens nothing.
            b'\'' if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => quote = Some(byte),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The changed lines of a unified diff, `-` expected and `+` observed, from below its `@@` line on.
///
/// A file header (`--- Expected`, `+++ Actual`) above the first hunk is left out.
pub fn diff_sides<'a>(lines: impl IntoIterator<Item = &'a str>) -> Sides {
    let (mut expected, mut observed) = (Vec::new(), Vec::new());
    let mut in_hunk = false;
    for line in lines {
        if line.starts_with("@@ ") {
            in_hunk = true;
            continue;
        }
        if !in_hunk {
            continue;
        }
        if let Some(line) = line.strip_prefix('-') {
            expected.push(line);
        } else if let Some(line) = line.strip_prefix('+') {
            observed.push(line);
        }
    }
    Sides { expected: joined(&expected), observed: joined(&observed) }
}

/// Lines as one text; a single line loses the indentation that it has from its place in the diff.
fn joined(lines: &[&str]) -> Option<String> {
    match lines {
        [] => None,
        [one] => Some(one.trim().to_owned()),
        many => Some(many.join("\n")),
    }
}

/// Whether the text is a whole number: digits and nothing else.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Seconds as a runner prints them, in milliseconds; absent where they make no sense.
pub fn milliseconds(seconds: f64) -> Option<u64> {
    (0.0..1e12).contains(&seconds).then_some((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::{Sides, diff_sides, split_outside};

    #[test]
    fn a_word_is_found_outside_of_values() {
        for (text, want) in [
            ("5 to be odd", Some(("5", "be odd"))),
            ("\"5 to 6\" to eq 7", Some(("\"5 to 6\"", "eq 7"))),
            ("`from(1 to 2)` to be truthy", Some(("`from(1 to 2)`", "be truthy"))),
            ("[1 to 2] to be", Some(("[1 to 2]", "be"))),
            ("don't to b", Some(("don't", "b"))),
            ("[1, ... to be odd", Some(("[1, ...", "be odd"))),
            ("nothing", None),
            ("é to ü", Some(("é", "ü"))),
        ] {
            assert_eq!(split_outside(text, " to "), want, "{text}");
        }
    }

    #[test]
    fn structures_keep_what_differs() {
        let check = |expected: &str, observed: &str, want: Sides| {
            assert_eq!(Sides::both(expected, observed).changed_lines(), want);
        };
        check("A (\n  'x' => 1\n)", "A (\n  'x' => 2\n)", Sides::both("'x' => 1", "'x' => 2"));
        check("[\n  1\n]", "[\n]", Sides { expected: Some("1".into()), observed: None });
        check("'a\nb'", "'a\nc'", Sides::both("'a\nb'", "'a\nc'"));
        check("1", "2", Sides::both("1", "2"));
    }

    #[test]
    fn a_diff_has_two_sides() {
        let check = |text: &str, expected: Option<&str>, observed: Option<&str>| {
            let want = Sides { expected: expected.map(str::to_owned), observed: observed.map(str::to_owned) };
            assert_eq!(diff_sides(text.lines()), want, "{text}");
        };
        check("--- Expected\n+++ Actual\n@@ @@\n a\n-  b\n+  c", Some("b"), Some("c"));
        check("@@ -1,2 +1,2 @@\n-  a\n-  b\n c", Some("  a\n  b"), None);
        check("- a list\n+ of things", None, None);
    }
}
