//! The lines of `-v`: a title, ` ... `, and the verdict, at once or after the test's output.

use super::title::Title;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `ok`.
    Passed,
    /// `FAIL`.
    Failed,
    /// `ERROR`.
    Errored,
    /// `skipped 'why'`.
    Skipped,
    /// `expected failure`.
    Xfailed,
    /// `unexpected success`.
    Xpassed,
}

/// A line that begins a test.
pub struct Start<'a> {
    /// Whose.
    pub title: Title,
    /// What stands behind ` ... `.
    pub rest: &'a str,
}

/// Words that are a whole verdict; a skip has its reason behind it.
const WORDS: &[(&str, Verdict)] = &[
    ("ok", Verdict::Passed),
    ("FAIL", Verdict::Failed),
    ("ERROR", Verdict::Errored),
    ("expected failure", Verdict::Xfailed),
    ("unexpected success", Verdict::Xpassed),
];

/// The verdict, where the line is one and no more.
pub fn verdict(text: &str) -> Option<Verdict> {
    let text = text.trim_end();
    let skipped = || {
        let reason = text.strip_prefix("skipped ")?;
        reason.starts_with(['\'', '"']).then_some(Verdict::Skipped)
    };
    WORDS.iter().find(|(word, _)| *word == text).map(|(_, verdict)| *verdict).or_else(skipped)
}

/// The verdict behind a title, in the same line: nose and nose2 give a skip's reason without quotes.
pub fn verdict_at_once(text: &str) -> Option<Verdict> {
    verdict(text).or_else(|| super::who::of_skip(text).map(|_| Verdict::Skipped))
}

/// Whether a verdict may stand at the end of the line, glued to output that lacks its newline.
pub fn glued(text: &str) -> bool {
    let text = text.trim_end();
    WORDS.iter().any(|(word, _)| text.ends_with(word)) || text.contains("skipped ") || text.contains("SKIP: ")
}

/// A test begins in this line; its title may stand in the line before, the docstring in this one.
pub fn start<'a>(text: &'a str, before: Option<&Title>) -> Option<Start<'a>> {
    if text.starts_with(' ') {
        return None;
    }
    let at = text.find(" ...")?;
    let rest = &text[at + 4..];
    if !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let rest = rest.trim_start();
    if let Some(title) = title_line(&text[..at], None).or_else(|| Title::function(&text[..at])) {
        return Some(Start { title, rest });
    }
    // A docstring may hold the dots itself; the runner's are the last.
    let at = text.rfind(" ...").unwrap_or(at);
    let rest = text[at + 4..].trim_start();
    before.map(|title| Start { title: title.continued(&text[..at]).unwrap_or_else(|| title.clone()), rest })
}

/// The whole line is a test's title, or goes on with the one that began in the line before.
pub fn title_line(text: &str, before: Option<&Title>) -> Option<Title> {
    if let Some(title) = before.and_then(|title| title.continued(text)) {
        return Some(title);
    }
    match text.as_bytes() {
        [b' ', ..] => None,
        [.., b')'] => Some(Title::read(text)).filter(|title| title.function.is_some()),
        [.., b'0'..=b'9'] => Title::numbered(text).filter(Title::is_test),
        _ => None,
    }
}

/// `  test_t (m.T.test_t) [msg] (n=4) ... FAIL`: a subtest of the running test, since Python 3.11.
pub fn subtest(text: &str, running: &Title) -> Option<(Title, Verdict)> {
    let (title, word) = text.strip_prefix("  ")?.rsplit_once(" ... ")?;
    let title = Title::read(title);
    let verdict = verdict(word)?;
    (title.test == running.test && title.id != title.test).then_some((title, verdict))
}
