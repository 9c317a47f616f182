//! One line of a test: `  ✖ rounds half up (10.380109ms) # TODO reason`.

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `▶ name`: a suite begins; with a duration it ended.
    Suite,
    /// `✔`
    Passed,
    /// `✖`
    Failed,
    /// `﹣`
    Skipped,
}

/// A line of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What its mark says.
    pub mark: Mark,
    /// Suites around it.
    pub depth: usize,
    /// Its own name.
    pub name: String,
    /// The duration as printed; absent for a suite that begins and a test that never did.
    pub duration: Option<String>,
    /// `TODO`, or another directive.
    pub directive: Option<String>,
}

impl Entry {
    /// Whether the line is surely this runner's: no other prints fractions of a millisecond.
    pub fn opens(&self) -> bool {
        self.duration.as_ref().is_some_and(|duration| duration.contains('.'))
    }

    /// A failing test that is announced as such.
    pub fn is_todo(&self) -> bool {
        self.directive.as_deref().is_some_and(|words| words.starts_with("TODO"))
    }

    /// Milliseconds, rounded.
    pub fn duration_ms(&self) -> Option<u64> {
        self.duration.as_ref()?.parse::<f64>().ok().map(|ms| ms.max(0.0).round() as u64)
    }
}

/// Reads a line.
pub fn entry(line: &str) -> Option<Entry> {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let mark = match text.as_bytes() {
        [0xe2, 0x9c, 0x94, b' ', ..] => Mark::Passed,
        [0xe2, 0x9c, 0x96, b' ', ..] => Mark::Failed,
        [0xe2, 0x96, 0xb6, b' ', ..] => Mark::Suite,
        [0xef, 0xb9, 0xa3, b' ', ..] => Mark::Skipped,
        // A failing TODO test of newer versions.
        [0xe2, 0x9a, 0xa0, b' ', ..] => Mark::Failed,
        _ => return None,
    };
    let rest = text.get(4..)?;
    let timed = timed(rest);
    // A suite that begins has no duration, nor has a test that was cancelled before it began.
    let bare = mark == Mark::Suite || mark == Mark::Failed && rest != "failing tests:";
    if timed.is_none() && !bare {
        return None;
    }
    let (name, duration, directive) = timed.unwrap_or((rest, "", None));
    Some(Entry {
        mark,
        depth: indent / 2,
        name: name.to_owned(),
        duration: Some(duration.to_owned()).filter(|duration| !duration.is_empty()),
        directive: directive.map(str::to_owned),
    })
}

/// `name (10.380109ms) # TODO`: the last duration that only a directive follows.
fn timed(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let text = text.trim_end();
    let close = text.rmatch_indices("ms)").map(|(at, _)| at).find(|at| {
        let after = &text[at + 3..];
        after.is_empty() || after.starts_with(" # ")
    })?;
    let open = text[..close].rfind(" (")?;
    let duration = &text[open + 2..close];
    let is_number = !duration.is_empty() && duration.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    is_number.then(|| (&text[..open], duration, text[close + 3..].strip_prefix(" # ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Want = Option<(Mark, usize, &'static str, Option<&'static str>, Option<&'static str>)>;

    fn check(line: &str, want: Want) {
        let got = entry(line);
        let got = got
            .as_ref()
            .map(|e| (e.mark, e.depth, e.name.as_str(), e.duration.as_deref(), e.directive.as_deref()));
        assert_eq!(got, want, "{line}");
    }

    #[test]
    fn entries() {
        check("✔ pulls (1.588668ms)", Some((Mark::Passed, 0, "pulls", Some("1.588668"), None)));
        check("  ✖ is (5ms) late (10.38ms)", Some((Mark::Failed, 1, "is (5ms) late", Some("10.38"), None)));
        check(
            "✖ known (0.5ms) # TODO later",
            Some((Mark::Failed, 0, "known", Some("0.5"), Some("TODO later"))),
        );
        check(
            "    ﹣ applies (5.4ms) # SKIP",
            Some((Mark::Skipped, 2, "applies", Some("5.4"), Some("SKIP"))),
        );
        check("▶ Cart", Some((Mark::Suite, 0, "Cart", None, None)));
        check("▶ Cart (12.1ms)", Some((Mark::Suite, 0, "Cart", Some("12.1"), None)));
        check("  ✖ one", Some((Mark::Failed, 1, "one", None, None)));
        check("✖ failing tests:", None);
        check("✔ no time", None);
        check("- ✔ x (1ms)", None);
    }
}
