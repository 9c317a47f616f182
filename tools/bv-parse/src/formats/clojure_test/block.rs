//! One failed check of `clojure.test`'s:
//!
//! ```text
//! ERROR in (ship) (core.clj:6)
//! ships
//! expected: (= "DE" (cart/ship nil))
//!   actual: clojure.lang.ExceptionInfo: nowhere to ship
//!  at cart.core$ship.invokeStatic (core.clj:6)
//!     cart.core_test$fn__185.invokeStatic (core_test.clj:13)
//! ```

use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one block.
const LINES_MAX: usize = 300;

/// A block that is being read.
pub struct Block {
    error: bool,
    id: String,
    place: Option<Place>,
    lines: Vec<String>,
    span: [u64; 2],
    /// `actual: ` came.
    told: bool,
}

impl Block {
    /// `FAIL in (total) (core_test.clj:6)`, `FAIL in cart.core-test/total (core_test.clj:6)`
    pub fn begins(text: &str, span: [u64; 2]) -> Option<Block> {
        let (error, rest) = match text.strip_prefix("FAIL in ") {
            Some(rest) => (false, rest),
            None => (true, text.strip_prefix("ERROR in ")?),
        };
        let (id, place) = rest.strip_suffix(')')?.rsplit_once(" (")?;
        let (file, line) = place.rsplit_once(':')?;
        let line = line.parse().ok()?;
        let id = id.strip_prefix('(').and_then(|id| id.strip_suffix(')')).unwrap_or(id);
        let place = Place { file: Some(file.to_owned()), line: Some(line), function: None };
        (!id.is_empty() && !file.contains(' ')).then(|| Block {
            error,
            id: id.to_owned(),
            place: Some(place).filter(|_| !file.is_empty()),
            lines: Vec::new(),
            span,
            told: false,
        })
    }

    /// Whether the full name that Leiningen prints is this test's.
    pub fn is_of(&self, full: &str) -> bool {
        full.rsplit_once('/').is_some_and(|(_, name)| self.id.split(' ').next_back() == Some(name))
    }

    /// With its full name, where that is known.
    pub fn named(self, full: Option<String>) -> Block {
        Block { id: full.unwrap_or(self.id), ..self }
    }

    /// Takes a line; false where the block is over. Once the actual side came, a line that is not indented ends it,
    /// but for a map of data below an exception.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        self.told |= is_actual(text);
        let goes_on = !self.told || is_actual(text) || text.starts_with([' ', '{', '}']);
        if goes_on {
            if self.lines.len() < LINES_MAX {
                self.lines.push(text.to_owned());
            }
            if !text.is_empty() {
                self.span[1] = span[1];
            }
        }
        goes_on
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let sides = lines.iter().position(|line| line.starts_with("expected: ") || *line == "Expected:");
        let words = &lines[..sides.unwrap_or(lines.len())];
        let mut failure = Failure {
            id: Some(self.id),
            kind: if self.error { Kind::Exception } else { Kind::Assertion },
            message: message(words),
            span: Some(self.span),
            ..Failure::default()
        };
        let actual = side(&lines, "actual: ", "Actual:");
        let thrown = actual.as_deref().and_then(|text| text.lines().next()).and_then(exception);
        if let Some((name, message)) = thrown.filter(|_| self.error) {
            failure.exception_type = Some(name.to_owned());
            failure.message =
                Some(message.to_owned()).filter(|message| !message.is_empty()).or(failure.message);
            locate(&lines, &mut failure);
        } else {
            failure.expected = side(&lines, "expected: ", "Expected:");
            failure.observed = actual;
        }
        // An error's place is the top of its stack, whoever's that is.
        if failure.test.is_none() && !self.error {
            failure.test = self.place;
        } else if failure.fault.is_none() && failure.test.is_none() {
            failure.fault = self.place.filter(|place| place.file.as_deref().is_some_and(is_clojure));
        }
        failure
    }
}

fn is_actual(text: &str) -> bool {
    text.starts_with("  actual: ") || text == "Actual:"
}

/// What stands above the two sides: contexts and, last, the check's own message; a heading between dashes is what a
/// spec's report says.
fn message(words: &[&str]) -> Option<String> {
    let heading = words.iter().find_map(|line| line.strip_prefix("-- ")?.strip_suffix('-'));
    let heading = heading.map(|line| line.trim_end_matches(['-', ' ']));
    let last = words.iter().rev().copied().find(|line| !line.is_empty());
    heading.or(last).filter(|line| *line != "Uncaught exception, not in assertion.").map(str::to_owned)
}

/// A side that stands behind its label, and goes on over lines that are indented deeper; or below it (kaocha).
fn side(lines: &[&str], label: &str, alone: &str) -> Option<String> {
    let found = |line: &&str| line.trim_start().strip_prefix(label).is_some();
    let value: Vec<&str> = if let Some(at) = lines.iter().position(found) {
        let first = lines[at].trim_start().strip_prefix(label).unwrap_or_default();
        let more = lines[at + 1..].iter().copied();
        let more = more
            .take_while(|line| line.starts_with("   ") || line.starts_with(" :") || line.starts_with(" ["));
        std::iter::once(first).chain(more.take_while(|line| !line.starts_with(" at "))).collect()
    } else {
        let at = lines.iter().position(|line| *line == alone)?;
        lines[at + 1..]
            .iter()
            .copied()
            .take_while(|line| line.starts_with("  "))
            .map(str::trim_start)
            .collect()
    };
    Some(value.join("\n").trim_end().to_owned()).filter(|text| !text.is_empty())
}

/// `java.lang.ArithmeticException: Divide by zero`
fn exception(text: &str) -> Option<(&str, &str)> {
    let (name, message) = text.split_once(": ").unwrap_or((text, ""));
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._$".contains(&byte));
    (plain && name.contains('.')).then_some((name, message))
}

/// The user's frames, of which the innermost is the fault's and the outermost the test's.
fn locate(lines: &[&str], failure: &mut Failure) {
    let mut frames: Vec<Place> = Vec::new();
    for frame in lines.iter().filter_map(|line| frame(line)) {
        // `invokeStatic` and `invoke` of one function.
        if frames.last().is_none_or(|last| last.function != frame.function) {
            frames.push(frame);
        }
    }
    let Some(test) = frames.last().cloned() else { return };
    failure.fault = frames.first().filter(|fault| **fault != test).cloned();
    failure.test = Some(test);
    if frames.len() > 1 {
        frames.truncate(FRAMES_MAX);
        failure.frames = frames;
    }
}

/// ` at cart.core$ship.invokeStatic (core.clj:6)`
fn frame(line: &str) -> Option<Place> {
    const LIBRARIES: &[&str] =
        &["clojure.", "user$eval", "leiningen.", "nrepl.", "kaocha.", "eftest.", "cognitect.", "clj_"];
    let text = line.strip_prefix(" at ").or_else(|| line.strip_prefix("    "))?;
    let (name, place) = text.strip_suffix(')')?.split_once(" (")?;
    if name.contains(' ') || LIBRARIES.iter().any(|library| name.starts_with(library)) {
        return None;
    }
    let (file, line) = place.rsplit_once(':')?;
    is_clojure(file).then_some(())?;
    let name = name.strip_suffix(".invokeStatic").or_else(|| name.strip_suffix(".invoke")).unwrap_or(name);
    // `core_test$fn__185` is a function without a name, here a test.
    let function = name.split_once('$').map(|(_, name)| name).filter(|name| !name.starts_with("fn__"));
    Some(Place {
        file: Some(file.to_owned()),
        line: Some(line.parse().ok()?),
        function: function.map(|name| name.split('$').next().unwrap_or(name).replace('_', "-")),
    })
}

fn is_clojure(file: &str) -> bool {
    [".clj", ".cljc", ".cljs", ".bb"].iter().any(|end| file.ends_with(end))
}
