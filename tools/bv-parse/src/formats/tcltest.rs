//! Tcl's `tcltest` 2 (`tcltest.tm`, procs `test`, `cleanupTests` and `runAllTests`).
//!
//! A section opens with the first failed test (`==== pop-1.2 pop from empty FAILED`) or the head of an
//! `all.tcl`, and closes with the tally (`stack.test: Total 3 Passed 1 Skipped 0 Failed 2`). tcltest exits
//! with 0 whatever failed. Blocks above a tally that counts no failure are what tests printed.

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Test, TestOutcome};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "tcltest",
    commands: &["tclsh", "tclsh8.6", "tclsh9.0", "wish"],
    needles: &[
        "\tTotal\t",
        // The title stands above these; it alone would be looked for in every rule of `=`.
        "==== Contents of test case:",
        "---- Result was:",
        "---- Test generated error; ",
        "---- Test completed normally; ",
        "---- Test setup failed:",
        "---- Test cleanup failed:",
        "---- Core file produced ",
        "Tests running in interp:  ",
        ": error: test failed: ",
    ],
    new: || Box::<Tcltest>::default(),
};

/// Behind a place, with `-debug`'s editor form of it; made once, for every line is asked.
static ERROR_LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(": error: test failed: "));

/// Lines kept of one failed test.
const LINES_MAX: usize = 500;

/// See the head of this file.
#[derive(Default)]
struct Tcltest {
    opened: bool,
    /// A block may begin: its title, which goes on over lines where a description does.
    title: Option<Title>,
    block: Option<Block>,
    /// The file that an `all.tcl` named last.
    file: Option<String>,
    /// The place of the block to come (`-verbose line`).
    place: Option<Place>,
    held: Held,
}

/// Lines of one title at most.
const TITLE_LINES_MAX: u32 = 8;

/// `==== pop-1.2 pop from empty FAILED`, as far as it came.
struct Title {
    text: String,
    lines: u32,
    span: [u64; 2],
}

/// From `==== name description FAILED` to `==== name FAILED`.
struct Block {
    /// The name and the description.
    title: String,
    place: Option<Place>,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Machine for Tcltest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(block) = &mut self.block {
            block.span[1] = line.span[1];
            match ended(text).filter(|name| block.is_of(name)) {
                Some(name) => self.failed(name),
                None if block.lines.len() < LINES_MAX => block.lines.push(text.to_owned()),
                None => {}
            }
            return;
        }
        if let Some(title) = self.title.take()
            && self.titled(title, text, line.span, out)
        {
            return;
        }
        match text.as_bytes().first() {
            Some(b'=') => {
                if let Some(text) = text.strip_prefix("==== ") {
                    self.title = Some(Title { text: text.to_owned(), lines: 1, span: line.span });
                }
            }
            Some(b'+') if self.opened => passed(text, out),
            Some(b'T') => self.head(text, line.span, out),
            Some(_) => {
                let bytes = text.as_bytes();
                if memchr::memchr(b'\t', bytes).is_some()
                    && let Some(counts) = tally(text)
                {
                    self.close(counts, out);
                } else if let Some(at) = ERROR_LINE.find(bytes) {
                    self.open(out);
                    self.place = crate::finding::position(&text[..at]).map(|(file, line)| Place {
                        file: Some(file.into()),
                        line: Some(line),
                        function: None,
                    });
                } else if self.opened && text.ends_with(".test") {
                    self.file = Some(text.to_owned());
                }
            }
            None => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        if let Some(block) = self.block.take() {
            // Without its last line its name cannot be told from its description.
            let title = block.title.clone();
            self.held.push(block.failure(None, &title));
        }
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Tcltest {
    fn open(&mut self, out: &mut Out) {
        if !self.opened {
            self.opened = true;
            out.open();
        }
    }

    /// Whether the line goes on with the title, or with the block below it.
    fn titled(&mut self, mut title: Title, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        if let Some(whole) = title.text.strip_suffix(" FAILED") {
            if !text.starts_with("==== Contents of test case:") && !text.starts_with("---- ") {
                return false;
            }
            self.open(out);
            let span = [title.span[0], span[1]];
            let place = self.place.take();
            self.block = Some(Block { title: whole.to_owned(), place, lines: vec![text.to_owned()], span });
            return true;
        }
        if title.lines == TITLE_LINES_MAX || text.starts_with("==== ") {
            return false;
        }
        title.text.push(' ');
        title.text.push_str(text);
        title.lines += 1;
        self.title = Some(title);
        false
    }

    /// What an `all.tcl` says of its files.
    fn head(&mut self, text: &str, span: [u64; 2], out: &mut Out) {
        if text.starts_with("Tests running in interp:  ") {
            self.open(out);
        } else if self.opened
            && let Some(message) = text.strip_prefix("Test file error: ")
        {
            let kind = Kind::CollectionError;
            let message = Some(message.to_owned());
            let id = self.file.clone();
            self.held.push(Failure { id, kind, message, span: Some(span), ..Failure::default() });
        } else if let Some(counts) = tally(text) {
            self.close(counts, out);
        }
    }

    fn failed(&mut self, name: &str) {
        if let Some(block) = self.block.take() {
            let title = block.title.clone();
            self.held.push(block.failure(Some(name), &title));
        }
    }

    fn close(&mut self, counts: Counts, out: &mut Out) {
        self.open(out);
        let failed = counts.failed.unwrap_or(0);
        out.tests_seen += failed + counts.passed.unwrap_or(0);
        if failed == 0 {
            self.held.forget(|failure| failure.kind != Kind::CollectionError);
        }
        let broken =
            self.held.iter_mut().filter(|failure| failure.kind == Kind::CollectionError).count() as u64;
        let says = match (failed + self.held.len(), counts.passed) {
            (1.., _) => Says::Red,
            (0, Some(1..)) => Says::Green,
            (0, _) => Says::NoTests,
        };
        let unnamed = failed.saturating_sub(self.held.len() - broken);
        self.held.say(out);
        out.unnamed(unnamed);
        out.close(Closing { says, counts, duration_ms: None, message: None });
        *self = Tcltest::default();
    }
}

impl Block {
    /// Whether the name is the first word of its title.
    fn is_of(&self, name: &str) -> bool {
        self.title.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    fn failure(self, name: Option<&str>, title: &str) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let part = |label: &str| part(&lines, label);
        let mut failure = Failure {
            id: name.map(str::to_owned),
            message: Some(format!("{title} FAILED")),
            test: self.place,
            span: Some(self.span),
            ..Failure::default()
        };
        let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
        for label in ["Test setup failed:", "Test cleanup failed:"] {
            if let Some(message) = part(label) {
                failure.kind = Kind::SetupError;
                failure.message = Some(first(message));
                return failure;
            }
        }
        if let Some(info) = part("errorInfo:") {
            failure.kind = Kind::Exception;
            failure.fault = procedure(&info);
            failure.message = Some(first(info));
            return failure;
        }
        if lines.iter().any(|line| line.starts_with("---- Core file produced while running test!")) {
            failure.kind = Kind::Crash;
        }
        let pairs = [
            ("Result should have been (", "Result was:"),
            ("Output should have been (", "Output was:"),
            ("Error output should have been (", "Error output was:"),
            ("Return code should have been one of:", "Test completed normally; Return code was:"),
            ("Return code should have been one of:", "Test generated "),
            ("Error code should have been:", "Error code was:"),
        ];
        for (expected, observed) in pairs {
            if let (Some(expected), Some(observed)) = (part(expected), part(observed)) {
                failure.expected = Some(expected);
                failure.observed = Some(observed);
                break;
            }
        }
        failure
    }
}

/// The innermost procedure of an `errorInfo`: `(procedure "stack::pop" line 3)`. The line is counted from its head.
fn procedure(info: &str) -> Option<Place> {
    let (_, rest) = info.split_once("(procedure \"")?;
    let (name, _) = rest.split_once('"')?;
    Some(Place { function: Some(name.to_owned()), ..Place::default() })
}

/// What stands behind a label (`---- Result was:`) on its line and below it, up to the next label.
fn part(lines: &[&str], label: &str) -> Option<String> {
    let (at, rest) = lines
        .iter()
        .enumerate()
        .find_map(|(at, line)| Some((at, line.strip_prefix("---- ")?.strip_prefix(label)?)))?;
    // The rest of a label that is given in part.
    let rest = match label.ends_with(':') {
        true => rest,
        false => rest.split_once(": ").map_or("", |(_, rest)| rest),
    };
    let below = lines[at + 1..].iter().take_while(|line| !line.starts_with("---- "));
    let all: Vec<&str> =
        std::iter::once(rest.trim()).filter(|rest| !rest.is_empty()).chain(below.copied()).collect();
    Some(all.join("\n"))
}

/// `==== pop-1.2 pop from empty FAILED`: what stands between.
fn ended(text: &str) -> Option<&str> {
    text.strip_prefix("==== ")?.strip_suffix(" FAILED").filter(|name| !name.is_empty())
}

/// `++++ push-1.1 PASSED` (`-verbose pass`), `++++ push-1.2 SKIPPED: unix`
fn passed(text: &str, out: &mut Out) {
    let Some(rest) = text.strip_prefix("++++ ") else { return };
    let (name, outcome) = match (rest.strip_suffix(" PASSED"), rest.split_once(" SKIPPED: ")) {
        (Some(name), _) => (name, TestOutcome::Passed),
        (None, Some((name, _))) => (name, TestOutcome::Skipped),
        (None, None) => return,
    };
    out.mine();
    out.test(Test { id: name.to_owned(), outcome, duration_ms: None });
}

/// `stack.test: Total 3 Passed 1 Skipped 0 Failed 2`
fn tally(text: &str) -> Option<Counts> {
    let (_, rest) = text.split_once(":\tTotal\t")?;
    let (_, rest) = rest.split_once("\tPassed\t")?;
    let (passed, rest) = rest.split_once("\tSkipped\t")?;
    let (skipped, failed) = rest.split_once("\tFailed\t")?;
    Some(Counts {
        passed: Some(passed.parse().ok()?),
        failed: Some(failed.parse().ok()?),
        errored: None,
        skipped: Some(skipped.parse().ok()?),
    })
}

#[cfg(test)]
mod tests;
