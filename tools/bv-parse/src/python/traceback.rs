//! Python's tracebacks: frames, the exception that finally surfaced, exception groups.

use super::{is_user_file, said};
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Place};

/// Nesting of exception groups that is followed; deeper ones are left out.
const GROUP_DEPTH_MAX: usize = 8;

/// A traceback as printed, the blocks of a chain before the last left out: the last one surfaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traceback {
    /// All frames, outermost first. A syntax error's place is the last of them, without a function.
    pub frames: Vec<Place>,
    /// The source line printed below the deepest frame.
    pub source: Option<String>,
    /// What was raised.
    pub exception: Option<Exception>,
    /// The first exception of a group.
    pub inner: Option<Box<Traceback>>,
}

/// An exception's name and words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exception {
    /// The type, with its module where Python prints one.
    pub name: String,
    /// The first line of the message.
    pub message: Option<String>,
    /// The lines below it: the rest of the message, notes, a diff.
    pub more: Vec<String>,
}

impl Traceback {
    /// Reads a block that holds a traceback, from its header or from its exception line on. What
    /// stands after the exception line is its message, up to the next block of the chain.
    pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Traceback {
        Reader::read(&mut lines.into_iter(), GROUP_DEPTH_MAX)
    }

    /// The deepest frame in the user's own code.
    pub fn fault(&self) -> Option<&Place> {
        let inner = self.inner.as_ref().and_then(|inner| inner.fault());
        inner.or_else(|| self.user_frames().next_back())
    }

    /// The frame inside the test: the deepest of that `function`, else the outermost of the user's.
    pub fn test(&self, function: Option<&str>) -> Option<&Place> {
        let named = |place: &&Place| function.is_some() && place.function.as_deref() == function;
        self.user_frames().rfind(named).or_else(|| self.user_frames().next())
    }

    /// Puts the places of the test and of the fault, and the user's frames, into the failure.
    pub fn place(&self, failure: &mut Failure, function: Option<&str>) {
        failure.test = self.test(function).cloned();
        failure.fault = self.fault().filter(|&fault| Some(fault) != failure.test.as_ref()).cloned();
        let inner = self.inner.iter().flat_map(|inner| inner.user_frames().rev());
        failure.frames = inner.chain(self.user_frames().rev()).take(FRAMES_MAX).cloned().collect();
    }

    /// Puts type, message and sides into the failure. A bare `assert` has no words but its own source.
    pub fn describe(&self, failure: &mut Failure) {
        let Some(exception) = &self.exception else { return };
        let more = || exception.more.iter().find(|line| !line.trim().is_empty()).cloned();
        let source = || self.source.clone().filter(|source| source.starts_with("assert "));
        failure.exception_type = Some(exception.name.clone());
        failure.message = exception.message.clone().or_else(more).or_else(source);
        if exception.name == "AssertionError" && !self.own_words() {
            let first = exception.message.as_deref().unwrap_or_default();
            if let Some(sides) = said(first, &exception.more) {
                sides.fill(failure);
            }
        }
    }

    /// The words are the author's own and may look like an assertion method's: those of
    /// `assert x, "…"`, `raise` and `fail`. The user's deepest frame calls an assertion method where
    /// that one wrote them, or a library's frames stand below it (mock).
    fn own_words(&self) -> bool {
        let own_frame = self.frames.last().and_then(|place| place.file.as_deref()).is_some_and(is_user_file);
        let calls = |source: &str| source.contains(".assert") || source.ends_with('(');
        own_frame && self.source.as_deref().is_some_and(|source| !calls(source))
    }

    fn user_frames(&self) -> impl DoubleEndedIterator<Item = &Place> {
        self.frames.iter().filter(|place| place.file.as_deref().is_some_and(is_user_file))
    }
}

/// A frame's line, `  File "x.py", line 3, in f`; a syntax error's lacks the function.
pub fn frame(line: &str) -> Option<Place> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let function = match &rest[digits..] {
        "" => None,
        rest => Some(rest.strip_prefix(", in ")?.to_owned()),
    };
    Some(Place { file: Some(file.to_owned()), line: Some(rest[..digits].parse().ok()?), function })
}

/// Whether a block of a traceback begins in this line, whatever stands before it.
pub fn header(line: &str) -> bool {
    line.ends_with("Traceback (most recent call last):")
}

/// Whether this line says that one exception led to the next.
pub fn chained(line: &str) -> bool {
    line == "The above exception was the direct cause of the following exception:"
        || line == "During handling of the above exception, another exception occurred:"
}

/// `pkg.Type: message`, or `Type` alone.
pub fn exception(line: &str) -> Option<Exception> {
    let (name, message) = match line.split_once(": ") {
        Some((name, message)) => (name, Some(message)),
        None => (line.trim_end().strip_suffix(':').unwrap_or(line.trim_end()), None),
    };
    let message = message.map(str::trim_end).filter(|message| !message.is_empty()).map(str::to_owned);
    is_type(name).then(|| Exception { name: name.to_owned(), message, more: Vec::new() })
}

/// A type's name as Python prints it: dotted, `<locals>` between; one of a module of its own starts
/// in upper case, so that `dtype: int64` below a printed value is none.
fn is_type(name: &str) -> bool {
    let part = |part: &str| {
        part == "<locals>"
            || part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let bare = |name: &str| name.trim_start_matches('_').starts_with(char::is_uppercase);
    name.split('.').all(part) && (name.contains('.') || bare(name))
}

/// Reads one block after the other; a new block of the chain replaces the one before.
#[derive(Default)]
struct Reader {
    now: Traceback,
    /// The header of this block was seen.
    headed: bool,
    /// The exception's message quotes a traceback: frames are text until the chain goes on.
    quoting: bool,
    /// The next line is the source of the last frame.
    source_next: bool,
}

impl Reader {
    fn read(lines: &mut dyn Iterator<Item = &str>, depth_left: usize) -> Traceback {
        let mut reader = Reader::default();
        let mut group = depth_left < GROUP_DEPTH_MAX;
        while let Some(line) = lines.next() {
            group |= line.ends_with("+ Exception Group Traceback (most recent call last):");
            if group && line.trim_start().starts_with("+-+-") {
                let section = Reader::section(lines);
                if reader.now.inner.is_none() && depth_left > 0 {
                    let inner = Reader::read(&mut section.into_iter(), depth_left - 1);
                    reader.now.inner = Some(Box::new(inner));
                }
                continue;
            }
            reader.line(if group { ungrouped(line) } else { line });
        }
        reader.now
    }

    /// The lines of a group's first exception, two columns to the left; the others are passed over.
    fn section<'a>(lines: &mut dyn Iterator<Item = &'a str>) -> Vec<&'a str> {
        let mut section = Vec::new();
        let mut first = true;
        for line in lines {
            if let Some(rest) = line.strip_prefix("    +-").filter(|rest| !rest.starts_with("+-")) {
                first = false;
                // A last ruler holds no number.
                if rest.bytes().all(|b| b == b'-') {
                    break;
                }
            } else if first {
                section.push(line.strip_prefix("  ").unwrap_or(line));
            }
        }
        section
    }

    fn line(&mut self, line: &str) {
        if chained(line) {
            *self = Reader::default();
        } else if header(line) && !self.quoting {
            self.header();
        } else if self.quoting {
            self.more(line);
        } else if let Some(place) = line.strip_prefix("  ").and_then(frame) {
            // What looked like the exception was a printed local's value.
            self.now.exception = None;
            self.now.frames.push(place);
            self.now.source = None;
            self.source_next = true;
        } else if std::mem::take(&mut self.source_next) && line.starts_with("    ") {
            self.now.source = Some(line.trim().to_owned());
        } else if self.now.exception.is_some() {
            self.more(line);
        } else if !line.starts_with(' ') {
            self.now.exception = exception(line);
        }
    }

    /// A header below an exception that has its own is a quotation in its message. unittest quotes
    /// the one that kept a module from loading below a headless `ImportError`: that one counts.
    fn header(&mut self) {
        if self.headed && self.now.exception.is_some() {
            self.quoting = true;
            return;
        }
        *self = Reader { headed: true, ..Reader::default() };
    }

    fn more(&mut self, line: &str) {
        if let Some(exception) = &mut self.now.exception {
            exception.more.push(line.to_owned());
        }
    }
}

/// A group's line without its margin (`  | `, `  + `).
fn ungrouped(line: &str) -> &str {
    let rest = line.strip_prefix("  ").and_then(|rest| rest.strip_prefix(['|', '+']));
    rest.map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::{Traceback, exception};

    /// Exception, message, fault and test in one line, to compare whole.
    fn told(text: &str) -> String {
        let read = Traceback::read(text.lines());
        let place = |place: Option<&bv_schemas::Place>| {
            place.map_or("-".to_owned(), |p| {
                let function = p.function.as_deref().unwrap_or("?");
                format!("{}:{}:{function}", p.file.as_deref().unwrap_or("?"), p.line.unwrap_or(0))
            })
        };
        let raised = read.exception.clone().unwrap_or_default();
        let message = raised.message.unwrap_or_default();
        format!(
            "{} | {message} | {} | {}",
            raised.name,
            place(read.test(Some("test_f"))),
            place(read.fault())
        )
    }

    #[test]
    fn the_exception_that_surfaced_and_its_places() {
        for (text, want) in [
            (
                "Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in test_f\n    g()\n    ~^^\n  File \"/a/m.py\", line 9, in g\n    return d[k]\nKeyError: 'zz'",
                "KeyError | 'zz' | /a/t.py:3:test_f | /a/m.py:9:g",
            ),
            (
                "Traceback (most recent call last):\n  File \"/a/m.py\", line 1, in h\n    x\nValueError: inner\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"/a/t.py\", line 3, in test_f\n    g()\n  File \"/a/m.py\", line 5, in g\n    raise E from e\nm.E: outer\nsecond line",
                "m.E | outer | /a/t.py:3:test_f | /a/m.py:5:g",
            ),
            (
                "Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in test_f\n    g()\n    df = a  b\n0  1\nName: x\n  File \"/a/m.py\", line 5, in g\n    raise E\n    x = 1\nE",
                "E |  | /a/t.py:3:test_f | /a/m.py:5:g",
            ),
            (
                "ImportError: Failed to import test module: t\nTraceback (most recent call last):\n  File \"/o/lib/python3.11/unittest/loader.py\", line 4, in x\n    y\n  File \"/a/t.py\", line 2\n    def (\n        ^\nSyntaxError: invalid syntax",
                "SyntaxError | invalid syntax | /a/t.py:2:? | /a/t.py:2:?",
            ),
            (
                "Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in test_f\n    g()\nRuntimeError: worker said:\nTraceback (most recent call last):\n  File \"/b/w.py\", line 1, in w\n    x\nKeyError: 1",
                "RuntimeError | worker said: | /a/t.py:3:test_f | /a/t.py:3:test_f",
            ),
            (
                "  + Exception Group Traceback (most recent call last):\n  |   File \"/a/t.py\", line 7, in test_f\n  |     async with x:\n  | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Exception Group Traceback (most recent call last):\n    |   File \"/a/n.py\", line 2, in g\n    |     raise\n    | ExceptionGroup: one (1 sub-exception)\n    +-+---------------- 1 ----------------\n      | Traceback (most recent call last):\n      |   File \"/a/m.py\", line 5, in h\n      | KeyError: 1\n      +------------------------------------\n    +---------------- 2 ----------------\n    | ValueError: no frames\n    +------------------------------------",
                "ExceptionGroup | two (2 sub-exceptions) | /a/t.py:7:test_f | /a/m.py:5:h",
            ),
            ("", " |  | - | -"),
        ] {
            assert_eq!(told(text), want, "{text}");
        }
    }

    #[test]
    fn an_exceptions_name_is_told_from_other_words() {
        for (line, name) in [
            ("KeyError: 'x'", Some("KeyError")),
            ("AssertionError", Some("AssertionError")),
            ("socket.timeout: timed out", Some("socket.timeout")),
            ("m.f.<locals>.Bad: x", Some("m.f.<locals>.Bad")),
            ("Größe: 3", Some("Größe")),
            ("dtype: int64", None),
            ("two words: x", None),
            ("", None),
        ] {
            assert_eq!(exception(line).map(|e| e.name).as_deref(), name, "{line}");
        }
    }
}
