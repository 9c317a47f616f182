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

/// Whether a verdict may stand at the end of the line, glued to output that lacks its newline.
pub fn glued(text: &str) -> bool {
    let text = text.trim_end();
    WORDS.iter().any(|(word, _)| text.ends_with(word))
        || text.contains("skipped '")
        || text.contains("skipped \"")
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
    if let Some(title) = title_line(&text[..at]) {
        return Some(Start { title, rest });
    }
    // A docstring may hold the dots itself; the runner's are the last.
    let at = text.rfind(" ...").unwrap_or(at);
    let rest = text[at + 4..].trim_start();
    before.map(|title| Start { title: title.clone(), rest })
}

/// The whole line is a test's title.
pub fn title_line(text: &str) -> Option<Title> {
    if text.starts_with(' ') || !text.ends_with(')') {
        return None;
    }
    let title = Title::read(text);
    (title.function.is_some()).then_some(title)
}

/// `  test_t (m.T.test_t) [msg] (n=4) ... FAIL`: a subtest of the running test, since Python 3.11.
pub fn subtest(text: &str, running: &Title) -> Option<(Title, Verdict)> {
    let (title, word) = text.strip_prefix("  ")?.rsplit_once(" ... ")?;
    let title = Title::read(title);
    let verdict = verdict(word)?;
    (title.test == running.test && title.id != title.test).then_some((title, verdict))
}
