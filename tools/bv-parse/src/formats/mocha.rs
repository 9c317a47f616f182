//! Mocha: the reporters that end with its epilogue (`spec`, `dot`, `min`, `list`, …), `json` and `json-stream`.
//!
//! A section opens with the epilogue (`2 passing (181ms)`), which all counts stand in; the failures follow it
//! as a numbered list. A green epilogue ends with a blank line: until that has come, `failing` may follow.

mod epilogue;
pub mod list;
mod report;

use crate::document::{Document, Taken};
use crate::javascript::uncaught;
use crate::machine::{Closing, Format, HELD_MAX, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason};
use epilogue::Epilogue;
use list::List;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "mocha",
    commands: &["mocha", "_mocha"],
    needles: &[
        " passing (",
        " Exception during run: ",
        "Error: No test files found",
        "\"stats\": {",
        "{\"stats\":{\"suites\":",
        "[\"start\",{\"total\":",
    ],
    new: || Box::new(Mocha::default()),
};

/// Lines kept of an error that kept the tests from being loaded.
const LOAD_LINES_MAX: usize = 500;

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
enum Mocha {
    #[default]
    Idle,
    /// The epilogue's lines come.
    Epilogue(Epilogue),
    /// The list of failures comes.
    List(Box<List>, Epilogue),
    /// An error while the tests were loaded.
    Loading(Vec<String>, [u64; 2]),
    /// A document of the `json` reporter; it is one for sure once its second line came.
    Document { document: Document, sure: bool },
    /// Events of the `json-stream` reporter.
    Stream(Vec<Failure>),
}

impl Machine for Mocha {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        match self {
            Mocha::Idle => self.begin(line, out),
            Mocha::Epilogue(epilogue) => match epilogue.line(line.text) {
                epilogue::Part::More => {}
                epilogue::Part::Ended => {
                    let epilogue = std::mem::take(epilogue);
                    if epilogue.failing > 0 {
                        *self = Mocha::List(Box::new(List::new(epilogue.failing)), epilogue);
                    } else {
                        out.close(epilogue.closing());
                        *self = Mocha::Idle;
                    }
                }
            },
            Mocha::List(list, _) => {
                if !list.line(line) {
                    self.close(out);
                    self.begin(line, out);
                }
            }
            Mocha::Loading(lines, span) => {
                let ended = lines.len() == LOAD_LINES_MAX
                    || line.text.is_empty() && lines.iter().any(|line| line.trim_start().starts_with("at "));
                if ended {
                    self.refuse(out);
                } else {
                    span[1] = line.span[1];
                    lines.push(line.text.to_owned());
                }
            }
            Mocha::Document { .. } => self.document_line(line, out),
            Mocha::Stream(_) => self.event(line.text, out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        match self {
            Mocha::List(..) => self.close(out),
            Mocha::Loading(..) => self.refuse(out),
            Mocha::Stream(failures) => failures.drain(..).for_each(|failure| out.failure(failure)),
            // A `failing` line may have been cut off: the section stays open.
            Mocha::Idle | Mocha::Epilogue(_) | Mocha::Document { .. } => {}
        }
    }

    fn owns_lines(&self) -> bool {
        matches!(self, Mocha::List(..) | Mocha::Loading(..) | Mocha::Document { .. })
    }
}

impl Mocha {
    fn begin(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if line.overwritten || !matches!(text.as_bytes(), [b' ' | b'E' | b'{' | b'[', ..]) {
            return;
        }
        if let Some(epilogue) = Epilogue::begins(text) {
            out.open();
            *self = Mocha::Epilogue(epilogue);
        } else if let Some(words) = text.strip_prefix(" Exception during run: ") {
            out.open();
            *self = Mocha::Loading(vec![words.to_owned()], line.span);
        } else if text.starts_with("Error: No test files found") {
            let message = Some(text["Error: ".len()..].to_owned());
            out.close(Closing {
                says: Says::Refused(Reason::NoTests),
                counts: Counts::default(),
                duration_ms: None,
                message,
            });
        } else if let Some(first) = report::start(text) {
            let (document, taken) = Document::begin(first, line.span);
            *self = Mocha::Document { document, sure: false };
            self.settle(text, taken, out);
        } else if text.starts_with("[\"start\",{\"total\":") {
            out.open();
            *self = Mocha::Stream(Vec::new());
        }
    }

    fn close(&mut self, out: &mut Out) {
        let Mocha::List(list, epilogue) = std::mem::take(self) else { return };
        let failures = list.failures();
        let unnamed = epilogue.failing.saturating_sub(failures.len() as u64);
        failures.into_iter().for_each(|failure| out.failure(failure));
        out.unnamed(unnamed);
        out.close(epilogue.closing());
    }

    fn refuse(&mut self, out: &mut Out) {
        let Mocha::Loading(lines, span) = std::mem::take(self) else { return };
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let failure = uncaught(&lines);
        let message = failure.message.clone();
        let id = failure
            .test
            .as_ref()
            .and_then(|place| place.file.as_deref())
            .map(|file| under_root(file, &lines));
        out.failure(Failure { id, kind: Kind::CollectionError, span: Some(span), ..failure });
        let says = Says::Refused(Reason::CollectionError);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
    }

    fn document_line(&mut self, line: &Line<'_>, out: &mut Out) {
        let Mocha::Document { document, sure } = self else { return };
        if !*sure && !line.text.contains("\"suites\":") {
            // Another document.
            *self = Mocha::Idle;
            return;
        }
        let taken = document.take(line.text, line.span);
        self.settle(line.text, taken, out);
    }

    fn settle(&mut self, text: &str, taken: Taken, out: &mut Out) {
        if let Mocha::Document { sure, .. } = self
            && !*sure
            && text.contains("\"suites\":")
        {
            *sure = true;
            out.open();
        }
        match taken {
            Taken::More => {}
            // What was opened stays open: nothing is known of the run.
            Taken::Broken => *self = Mocha::Idle,
            Taken::Whole(value) => {
                *self = Mocha::Idle;
                let Some(report) = report::report(&value) else { return };
                report.say(out);
            }
        }
    }

    /// One event a line; between them stands what tests print.
    fn event(&mut self, text: &str, out: &mut Out) {
        let Mocha::Stream(failures) = self else { return };
        match report::event(text) {
            Some(report::Event::Passed(test)) => {
                out.tests_seen += 1;
                out.test(test);
            }
            Some(report::Event::Failed(failure)) => {
                out.tests_seen += 1;
                if failures.len() < HELD_MAX {
                    failures.push(*failure);
                }
            }
            Some(report::Event::Ended(closing)) => {
                failures.drain(..).for_each(|failure| out.failure(failure));
                out.close(closing);
                *self = Mocha::Idle;
            }
            None => {}
        }
    }
}

/// A path without the folder that Mocha itself is installed in, which is the project's.
fn under_root(file: &str, lines: &[&str]) -> String {
    let mocha = lines.iter().find_map(|line| line.find("/node_modules/mocha/").map(|at| &line[..at]));
    let root = mocha.map(|head| head.rsplit(['(', ' ']).next().unwrap_or(head).trim_start_matches("file://"));
    let relative = root.and_then(|root| file.strip_prefix(root)?.strip_prefix('/'));
    relative.unwrap_or(file).to_owned()
}
