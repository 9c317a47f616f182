//! A test's result and the details below it, read into a failure.

use crate::formats::ava;
use crate::formats::deno::body;
use crate::formats::mocha::list::is_hook;
use crate::formats::{bats, busted};
use crate::javascript::{
    self, Frame, Names, Naming, add, bare, died, error, locate, place, repeated, timed_out,
};
use crate::machine::Line;
use crate::tap::{Directive, Fields, Outcome};
use bv_schemas::{Failure, Kind, Place};

/// Text kept of one test's details.
const DETAILS_BYTES_MAX: usize = 256 << 10;

/// A result whose details may follow.
#[derive(Debug, Default)]
pub struct Pending {
    /// Of its line.
    pub indent: usize,
    /// The names around it and its own.
    pub id: String,
    /// Of its line and details.
    pub span: [u64; 2],
    /// Tests stand inside it.
    pub inside: bool,
    /// One of them failed.
    pub failed_inside: bool,
    /// Its line.
    pub outcome: Outcome,
    /// What a process wrote that died before.
    pub stderr: Option<String>,
    /// Its YAML block.
    pub fields: Fields,
    /// QUnit's further failed checks, a block each.
    pub more: Vec<Fields>,
    /// Details that are no YAML.
    pub text: String,
    /// Comments right below its line, without their `# `.
    pub comments: String,
    /// Past the last of them.
    pub comments_end: u64,
    /// Its name ends with the time that it took (`bats -T`).
    pub timed: bool,
}

impl Pending {
    /// Whether it failed; a TODO or skipped test does not.
    pub fn failed(&self) -> bool {
        !self.outcome.ok && !matches!(self.outcome.directive, Some(Directive::Todo | Directive::Skip))
    }

    /// Takes a block.
    pub fn take(&mut self, fields: Fields) {
        const MORE_MAX: usize = 50;
        if self.fields == Fields::default() {
            self.fields = fields;
        } else if self.more.len() < MORE_MAX {
            self.more.push(fields);
        }
    }

    /// Takes a line of details that are no YAML.
    pub fn push(&mut self, line: &Line<'_>) {
        if self.text.len() + line.text.len() < DETAILS_BYTES_MAX {
            self.text.push_str(line.text.get(self.indent + 2..).unwrap_or_default());
            self.text.push('\n');
        }
    }

    /// Takes a comment.
    pub fn comment(&mut self, line: &Line<'_>) {
        if self.failed() && self.comments.len() + line.text.len() < DETAILS_BYTES_MAX {
            let text = line.text.trim_start_matches('#');
            self.comments.push_str(text.strip_prefix(' ').unwrap_or(text).trim_end());
            self.comments.push('\n');
            self.comments_end = line.span[1];
        }
    }
}

/// The failure; `None` for a parent that failed only through a test inside it.
pub fn failure(pending: Pending) -> Option<Failure> {
    if let Some(failure) = commented(&pending) {
        return Some(failure);
    }
    let fields = &pending.fields;
    let reason = fields.get("failureType");
    let only_inside = match reason {
        Some(reason) => reason == "subtestsFailed",
        None => pending.failed_inside || is_deno(fields) && fields.get("message").is_some_and(is_for_steps),
    };
    if only_inside {
        return None;
    }
    let mut failure =
        match fields.any(&["error", "error.message", "message", "stack", "at", "expected", "diff"]) {
            None => plain(&pending.text),
            Some(_) if is_ava(fields) => ava::tap(fields),
            Some(_) if is_deno(fields) => deno(fields),
            Some(_) => told(fields),
        };
    pending.more.iter().for_each(|fields| add(&mut failure, told(fields)));
    if failure.message.as_deref() == Some("test failed") && fields.get("exitCode").is_some() {
        let told = died(&pending.id, pending.stderr.as_deref());
        failure = Failure { message: told.message.clone().or(failure.message), ..told };
    }
    let location = || fields.get("location").and_then(place).map(|(file, line, _)| at(file, Some(line)));
    if failure.test.is_none() {
        failure.test = location();
    }
    match reason {
        Some("testTimeoutFailure") => failure.kind = Kind::Timeout,
        Some("hookFailed") => failure.kind = Kind::SetupError,
        _ => {}
    }
    if is_hook(&pending.outcome.description) {
        failure.kind = Kind::SetupError;
    }
    separate(&mut failure, &pending.id);
    if failure.message.is_none() {
        failure.message = Some(pending.outcome.description.clone()).filter(|text| !text.is_empty());
    }
    failure.id = Some(pending.id).filter(|id| !id.is_empty());
    failure.span = Some(pending.span);
    Some(failure)
}

/// Details in the words of bats or busted: in comments, and bats' in its YAML too.
fn commented(pending: &Pending) -> Option<Failure> {
    let text = pending.fields.get("message").filter(|text| bats::details::begins(text));
    let lines: Vec<&str> = text.unwrap_or(&pending.comments).lines().collect();
    let span = [pending.span[0], pending.span[1].max(pending.comments_end)];
    if lines.iter().any(|line| busted::is_tap_message(line)) {
        return Some(busted::tap_failure(&pending.id, &lines, span));
    }
    let (id, late) = match pending.id.rsplit_once(" # timeout after ") {
        Some((id, _)) => (id, true),
        None => (pending.id.as_str(), false),
    };
    // Where bash could not read the file there is no stack.
    let unread = lines.last().is_some_and(|line| line.starts_with(bats::details::WARNING));
    (lines.first().is_some_and(|line| bats::details::begins(line)) || late || unread).then(|| {
        let id = if pending.timed { bats::details::in_words(id).unwrap_or(id) } else { id };
        bats::details::failure(id.to_owned(), &lines, span)
    })
}

/// AVA puts what it shows into a map, and says where an error was raised where there is nothing to show.
fn is_ava(fields: &Fields) -> bool {
    fields.get("name").is_some()
        && (fields.get("details").is_some()
            || fields.get("at").is_some_and(|at| at.contains("/node_modules/ava/"))
                && fields.get("stack").is_none())
}

/// Deno's message is all that it prints of an error; `at` is where the test is defined.
fn is_deno(fields: &Fields) -> bool {
    fields.get("severity").is_some() && fields.get("at.file").is_some()
}

/// `1 test step failed.`: Deno flattens steps inside of steps.
fn is_for_steps(message: &str) -> bool {
    message.ends_with(" test step failed.") || message.ends_with(" test steps failed.")
}

fn deno(fields: &Fields) -> Failure {
    let mut failure = body::failure(fields.get("message").unwrap_or_default());
    if failure.test.is_none() {
        let line = fields.get("at.line").and_then(|line| line.parse().ok());
        failure.test = fields.get("at.file").map(|file| at(file.to_owned(), line));
    }
    failure
}

fn at(file: String, line: Option<u64>) -> Place {
    Place { file: Some(file), line, function: None }
}

/// Details without YAML: a message and the error with its stack (Mocha).
fn plain(text: &str) -> Failure {
    let lines: Vec<&str> = text.lines().collect();
    let failure = repeated(&lines);
    if failure.message.is_none() { Failure::default() } else { failure }
}

/// Details in fields, by the names that Node, Vitest, node-tap and tape have for them.
fn told(fields: &Fields) -> Failure {
    let message = fields.any(&["error.message", "error", "message"]).unwrap_or_default();
    let stack = fields.get("stack").unwrap_or_default();
    // Node says `type: 'suite'`; node-tap puts the error's name there.
    let named = fields.get("type").filter(|name| javascript::is_error_name(name));
    let name = fields.any(&["error.name", "name"]).or(named);
    // Mocha's stack is the whole print of the error.
    let text = if stack.lines().next().is_some_and(|line| javascript::name_and_message(line).is_some()) {
        stack.to_owned()
    } else {
        match name {
            Some(name) => format!("{name}: {message}"),
            None => message.to_owned(),
        }
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut failure = error(&lines, Naming::Always, Names::Own);
    if failure.test.is_none() {
        let frames: Vec<Frame> = stack.lines().filter_map(bare).collect();
        locate(&frames, Names::Own, None, &mut failure);
    }
    if failure.test.is_none() {
        locate(&single(fields).into_iter().collect::<Vec<_>>(), Names::Own, None, &mut failure);
    }
    sides(fields, &mut failure);
    // Node names its failures' types; others name a type only where an error was thrown.
    let thrown = ["failureType", "tapCaught"].iter().any(|key| fields.get(key).is_some());
    if failure.kind == Kind::Exception && failure.exception_type.is_none() && !thrown {
        failure.kind = Kind::Assertion;
    }
    if timed_out(message) {
        failure.kind = Kind::Timeout;
    }
    failure
}

/// The place in `at`: `/w/a.js:12:28`, `f (/w/a.js:8:5)`, or a map of node-tap's.
fn single(fields: &Fields) -> Option<Frame> {
    if let (Some(file), Some(line)) = (fields.get("at.fileName"), fields.get("at.lineNumber")) {
        let function = fields.get("at.functionName").map(str::to_owned);
        return Some(Frame { function, file: file.to_owned(), line: line.parse().ok()?, ..Frame::default() });
    }
    let text = fields.get("at")?;
    bare(text).filter(|frame| !frame.file.is_empty())
}

fn sides(fields: &Fields, failure: &mut Failure) {
    // A diff in the message says more than two whole values.
    let shown = failure.expected.is_some() || failure.observed.is_some();
    let structured = |text: &str| text.contains('\n');
    let side = |keys: &[&str]| keys.iter().find_map(|key| fields.get(key).filter(|text| !text.is_empty()));
    let expected = side(&["expected", "wanted", "expect"]);
    let observed = side(&["actual", "found", "got"]);
    if let Some(diff) = fields.get("diff") {
        let side = |sign: char, header: &str| {
            let lines: Vec<&str> = diff
                .lines()
                .filter(|line| !line.starts_with(header))
                .filter_map(|line| line.strip_prefix(sign))
                .map(str::trim)
                .collect();
            Some(lines.join("\n")).filter(|text| !text.is_empty())
        };
        failure.expected = side('-', "--- ");
        failure.observed = side('+', "+++ ");
    } else if !(shown && (expected.is_some_and(structured) || observed.is_some_and(structured)))
        && (expected, observed) != (Some("~"), Some("~"))
    {
        failure.expected = expected.map(str::to_owned).or(failure.expected.take());
        failure.observed = observed.map(str::to_owned).or(failure.observed.take());
    }
}

/// A single place that is not in the test's file is the fault's; the file leads the name then.
fn separate(failure: &mut Failure, id: &str) {
    let Some((file, _)) = id.split_once(" > ").filter(|(file, _)| file.contains('.') && !file.contains(' '))
    else {
        return;
    };
    let printed = failure.test.as_ref().and_then(|place| place.file.as_deref());
    if failure.fault.is_none() && printed.is_some_and(|path| !path.ends_with(file)) {
        failure.fault = failure.test.take();
        failure.test = Some(at(file.to_owned(), None));
    }
}
