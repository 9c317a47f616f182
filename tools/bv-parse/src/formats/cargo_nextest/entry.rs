//! One failed attempt of a test: its status line and what is printed below it, as a failure record.

use super::lines::Word;
use crate::rust_output::{About, Captured, bare, died, failure};
use crate::rust_panic::{bare_name, header, is_own, panics, position};
use bv_schemas::{Failure, Kind, Place};

/// What is known of one attempt.
#[derive(Debug, Default)]
pub struct Entry {
    /// `binary-id test::name`.
    pub id: String,
    /// How it failed.
    pub how: How,
    /// What the test printed.
    pub output: Captured,
    /// Whether it printed anything.
    pub has_output: bool,
    /// nextest's own words below the output: `test timed out`.
    pub aside: Option<String>,
    /// From the status line to the end of the block.
    pub span: [u64; 2],
}

/// How a test failed, by its status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// A code other than 0.
    #[default]
    Code,
    /// Out of time.
    Timeout,
    /// By a signal, whose name is as in `SIGSEGV`.
    Signal(String),
    /// Windows ended it.
    Abort,
    /// It could not be started.
    NotStarted,
    /// It held, and yet counts as failed: it leaked, or needed another attempt.
    Held,
}

impl How {
    /// What a red status word says.
    pub fn of(word: Word<'_>) -> How {
        match word {
            Word::Timeout => How::Timeout,
            Word::Signal(number) if number.starts_with(|c: char| c.is_ascii_digit()) => {
                How::Signal(format!("SIG {number}"))
            }
            Word::Signal(name) => How::Signal(format!("SIG{name}")),
            Word::Abort => How::Abort,
            Word::ExecFail => How::NotStarted,
            Word::LeakFail | Word::FlakyFail => How::Held,
            _ => How::Code,
        }
    }
}

impl Entry {
    /// Takes a line that the test printed.
    pub fn push(&mut self, text: &str) {
        self.has_output |= !text.trim().is_empty();
        self.output.push(text);
    }

    /// As the record.
    pub fn record(mut self) -> Failure {
        let lines = with_note_last(self.output.lines());
        let (binary, name) = self.id.split_once(' ').unwrap_or(("", &self.id));
        let root = root(binary, &lines);
        // A library's or a program's own tests stand beside product code.
        let unit = !binary.contains("::") || binary.contains("::bin/") || binary.contains("::proc-macro/");
        let about = About { id: name, root: root.as_deref(), unit };
        let mut record = match &self.how {
            How::Code => coded(&about, &lines, self.aside),
            How::Timeout => Failure {
                kind: Kind::Timeout,
                message: or_aside(self.aside, "test timed out"),
                ..bare(&about)
            },
            How::Signal(name) => {
                let signal = Some(name.clone());
                Failure { exception_type: signal, ..crashed(&about, &lines, self.aside) }
            }
            How::Abort => crashed(&about, &lines, self.aside),
            How::NotStarted => Failure { kind: Kind::SetupError, message: first(&lines), ..bare(&about) },
            How::Held => Failure { kind: Kind::Exception, message: self.aside, ..bare(&about) },
        };
        record.test = record.test.filter(|place| *place != Place::default());
        record.id = Some(self.id);
        record.span = Some(self.span);
        record
    }
}

fn or_aside(aside: Option<String>, words: &str) -> Option<String> {
    aside.or_else(|| Some(words.to_owned()))
}

fn first(lines: &[String]) -> Option<String> {
    lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).map(str::to_owned)
}

/// The process ended with a code: by a panic or an error as a rule, else the code is all there is.
fn coded(about: &About<'_>, lines: &[String], aside: Option<String>) -> Failure {
    let mut record = failure(about, lines);
    if record.message.is_none()
        && let Some(aside) = aside
    {
        record.kind = Kind::Crash;
        record.message = Some(aside);
    }
    record
}

/// A signal ended the process: after a panic that could not unwind, with the runtime's last words, or
/// without any.
fn crashed(about: &About<'_>, lines: &[String], aside: Option<String>) -> Failure {
    let own = |place: &Place| place.file.as_deref().is_some_and(is_own);
    let panic = panics(lines).into_iter().rfind(|panic| panic.place.as_ref().is_some_and(own));
    if let Some(panic) = panic.filter(|panic| panic.thread == about.id || aborts(lines)) {
        return died(about, &panic);
    }
    let fatal = lines.iter().rfind(|line| line.starts_with("fatal runtime error: "));
    let message = match (fatal, aside) {
        (Some(fatal), Some(aside)) => Some(format!("{fatal} ({aside})")),
        (fatal, aside) => aside.or(fatal.cloned()),
    };
    Failure { kind: Kind::Crash, message, ..bare(about) }
}

fn aborts(lines: &[String]) -> bool {
    lines.iter().any(|line| line == "thread caused non-unwinding panic. aborting.")
}

/// libtest prints its note on a test that must panic to stdout, which stands before the panic's text; its
/// reader takes the last note.
fn with_note_last(lines: &[String]) -> Vec<String> {
    const NOTES: &[&str] = &[
        "note: test did not panic as expected",
        "note: panic did not contain expected string",
        "note: expected panic with string value",
    ];
    let mut lines = lines.to_vec();
    let found = lines.iter().rposition(|line| NOTES.iter().any(|note| line.starts_with(note)));
    if let Some(at) = found {
        let end = lines[at..].iter().position(|line| line.is_empty()).map_or(lines.len(), |n| at + n);
        let note: Vec<String> = lines.drain(at..end).collect();
        lines.extend(note);
    }
    lines
}

/// The root file of a test binary, if its output names a file that the binary's id says may be the root.
fn root(binary: &str, lines: &[String]) -> Option<String> {
    let (_, target) = binary.split_once("::").unwrap_or((binary, ""));
    let roots = match target.split_once('/') {
        None if target.is_empty() => vec!["src/lib.rs".to_owned()],
        None => vec![format!("tests/{target}.rs"), format!("tests/{target}/main.rs")],
        Some(("bin", name)) => {
            let own = [format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs")];
            own.into_iter().chain(["src/main.rs".to_owned()]).collect()
        }
        Some(("example", name)) => vec![format!("examples/{name}.rs"), format!("examples/{name}/main.rs")],
        Some(("bench", name)) => vec![format!("benches/{name}.rs"), format!("benches/{name}/main.rs")],
        Some(_) => return None,
    };
    let named = |root: &String| {
        let is_it = |file: &str| {
            let file = file.replace('\\', "/");
            file.strip_suffix(root.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        lines.iter().any(|line| places(line).is_some_and(is_it))
    };
    roots.into_iter().find(named)
}

/// The file of a panic's head line or of a frame's second line.
fn places(line: &str) -> Option<&str> {
    if let Some(header) = header(line) {
        return header.place.map(|(file, _)| file);
    }
    position(line.trim_start().strip_prefix("at ")?).map(|(file, _)| file)
}

/// The record of a setup script that failed; `instance` is `id: command`.
pub fn script(instance: &str, aside: Option<String>, span: [u64; 2]) -> Failure {
    let id = instance.split(": ").next().unwrap_or(instance);
    Failure {
        id: Some(id.to_owned()),
        kind: Kind::SetupError,
        message: aside.or_else(|| Some(format!("setup script failed: {instance}"))),
        span: Some(span),
        ..Failure::default()
    }
}

/// The record of a test binary that could not list its tests; `said` is what it printed.
pub fn unlisted(message: &str, said: &[String], span: [u64; 2]) -> Failure {
    let panics = panics(said);
    let panic = panics.last();
    let words = panic.map(|panic| crate::rust_sides::join(&panic.message)).filter(|words| !words.is_empty());
    Failure {
        kind: Kind::CollectionError,
        message: words.or_else(|| Some(message.to_owned())),
        test: panic.and_then(|panic| panic.place.clone()).map(|place| Place {
            function: panic
                .and_then(|panic| bare_name(&panic.thread))
                .filter(|name| *name != "main")
                .map(str::to_owned),
            ..place
        }),
        span: Some(span),
        ..Failure::default()
    }
}
