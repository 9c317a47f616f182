//! What runs on the JVM prints whatever runner stands around it: stack traces, and the words of the
//! assertion libraries.
//!
//! Lines come in, typed parts go out. Which runner speaks, and where its blocks begin and end, is the
//! format's business.

mod compiler;
mod sides;
mod trace;

pub use compiler::compile_error;
pub use sides::sides;
pub use trace::{Frame, frame};

use crate::values::Sides;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Check, Failure, Kind, Place};

/// Longest message that is kept for its sides, in lines.
const MESSAGE_LINES_MAX: usize = 400;
/// Longest message that is put together from several lines.
const MESSAGE_BYTES_MAX: usize = 300;

/// An exception as printed: the one that surfaced, what caused it left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exception {
    /// Its class with its package; absent where the runner leaves it out.
    pub class: Option<String>,
    /// All lines of its message.
    pub message: Vec<String>,
    /// Innermost first.
    pub frames: Vec<Frame>,
}

impl Exception {
    /// Reads the lines of one trace.
    pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Exception {
        let mut lines = lines.into_iter().skip_while(|line| line.trim().is_empty());
        let Some(first) = lines.next() else { return Exception::default() };
        let (class, said) = match class_of(first) {
            Some((class, said)) => (Some(class.to_owned()), said),
            None => (None, first),
        };
        let mut exception = Exception { class, message: vec![said.to_owned()], frames: Vec::new() };
        for line in lines {
            if let Some(frame) = frame(line) {
                exception.frames.push(frame);
            } else if line.starts_with("Caused by: ") || line.trim_start().starts_with("Suppressed: ") {
                break;
            } else if exception.frames.is_empty() && exception.message.len() < MESSAGE_LINES_MAX {
                exception.message.push(line.to_owned());
            }
        }
        exception
    }

    /// The failure that it makes of a test `method` of `class`, both as far as the runner names them.
    pub fn failure(&self, class: Option<&str>, method: Option<&str>) -> Failure {
        let mut checks = self.checks();
        let sides = match checks.is_empty() {
            false => {
                let first = checks.remove(0);
                Sides { expected: first.expected, observed: first.observed }
            }
            true if self.asserts() => sides(&self.message.join("\n")),
            true => Sides::default(),
        };
        let mut failure = Failure {
            kind: self.kind(),
            message: self.first_words(),
            exception_type: self.class.clone(),
            expected: sides.expected,
            observed: sides.observed,
            also: checks,
            ..Failure::default()
        };
        self.place(&mut failure, class, method);
        failure
    }

    /// The first line that is not blank, or more where it only announces values below it.
    fn first_words(&self) -> Option<String> {
        let mut lines = self.message.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        let first = lines.next()?.to_owned();
        if !first.ends_with(':') {
            return Some(first);
        }
        // Spock draws the values below the condition.
        if first.starts_with("Condition not satisfied") {
            return lines.next().map(|condition| format!("{first} {condition}")).or(Some(first));
        }
        let whole = lines.fold(first.clone(), |whole, line| format!("{whole} {line}"));
        Some(if whole.len() <= MESSAGE_BYTES_MAX { whole } else { first })
    }

    /// The failures that JUnit 5's `assertAll` lists in its message.
    fn checks(&self) -> Vec<Check> {
        let several = self.class.as_deref().is_some_and(|class| class.contains("MultipleFailure"));
        let listed = self.message.iter().filter(|line| several && line.starts_with('\t'));
        let check = |(_, said): (&str, &str)| {
            let sides = sides(said);
            let message = (!said.is_empty()).then(|| said.to_owned());
            Check { line: None, message, expected: sides.expected, observed: sides.observed }
        };
        listed.filter_map(|line| class_of(line.trim())).map(check).collect()
    }

    /// Whether an assertion did not hold: by its class, or by its words where the class is left out.
    fn asserts(&self) -> bool {
        const CLASSES: &[&str] = &[
            "AssertionError",
            "AssertionFailedError",
            "ComparisonFailure",
            "ArrayComparisonFailure",
            "MultipleFailuresError",
            "MultipleFailureException",
            "ConditionNotSatisfiedError",
        ];
        match &self.class {
            None => true,
            Some(class) => {
                let name = class.rsplit(['.', '$']).next().unwrap_or(class);
                CLASSES.contains(&name)
                    || class.starts_with("org.mockito.exceptions.verification.")
                    || name.starts_with("Spock")
                    || name.ends_with("AssertionError")
            }
        }
    }

    fn kind(&self) -> Kind {
        let first = self.message.first().map_or("", String::as_str);
        let class = self.class.as_deref().unwrap_or_default();
        let timed_out = class.ends_with(".TestTimedOutException")
            || first.starts_with("test timed out after ")
            || first.starts_with("execution timed out after ")
            || first.starts_with("execution exceeded timeout of ")
            || class.ends_with(".TimeoutException") && first.contains(" timed out after ");
        match (timed_out, self.asserts()) {
            (true, _) => Kind::Timeout,
            (false, true) => Kind::Assertion,
            (false, false) => Kind::Exception,
        }
    }

    fn place(&self, failure: &mut Failure, class: Option<&str>, method: Option<&str>) {
        let user: Vec<&Frame> = self.frames.iter().filter(|frame| frame.is_user()).collect();
        let in_class = |frame: &&&Frame| class.is_some_and(|class| frame.in_class(class));
        let in_test = |frame: &&&Frame| in_class(frame) && method == frame.place.function.as_deref();
        let test = user.iter().rfind(in_test).or_else(|| user.iter().rfind(in_class)).or(user.last());
        failure.test = test.map(|frame| frame.place.clone());
        failure.fault =
            user.first().map(|frame| frame.place.clone()).filter(|at| Some(at) != failure.test.as_ref());
        if failure.test.is_none() && method.is_some() {
            failure.test = Some(Place { function: method.map(str::to_owned), ..Place::default() });
        }
        failure.frames = user.into_iter().take(FRAMES_MAX).map(|frame| frame.place.clone()).collect();
    }
}

/// `pkg.Type: words`, or `pkg.Type` alone.
pub fn class_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let (class, said) = match line.split_once(':') {
        Some((class, said)) if said.is_empty() || said.starts_with([' ', '\n']) => {
            (class, said.trim_start_matches(' '))
        }
        Some(_) => return None,
        None => (line, ""),
    };
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let last = class.rsplit('.').next().unwrap_or(class);
    let named = class.contains('.') && class.split('.').all(part) && last.starts_with(char::is_uppercase);
    // A class without a package says what it is by its end.
    let bare = part(class) && ["Error", "Exception", "Failure"].iter().any(|end| class.ends_with(end));
    (named || bare).then_some((class, said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Failure {
        Exception::read(text.lines()).failure(Some("shop.InvoiceTest"), Some("aTotal"))
    }

    fn at(file: &str, line: u64, function: &str) -> Option<Place> {
        Some(Place { file: Some(file.to_owned()), line: Some(line), function: Some(function.to_owned()) })
    }

    #[test]
    fn a_trace_is_one_failure() {
        let got = read(
            "java.lang.AssertionError: three pens expected:<361> but was:<360>\n\
             \tat org.junit.Assert.fail(Assert.java:89)\n\
             \tat shop.InvoiceTest.aTotal(InvoiceTest.java:25)\n\
             \t... 33 trimmed",
        );
        assert_eq!(got.exception_type.as_deref(), Some("java.lang.AssertionError"));
        assert_eq!((got.expected.as_deref(), got.observed.as_deref()), (Some("361"), Some("360")));
        assert_eq!((got.test, got.fault), (at("InvoiceTest.java", 25, "aTotal"), None));
        let got = read(
            "shop.Broken: a\nb\n\tat shop.Invoice.add(Invoice.java:12)\n\tat app//shop.InvoiceTest.aTotal(InvoiceTest.java:35)\n\
             Caused by: java.lang.Error: x\n\tat shop.Z.z(Z.java:1)",
        );
        assert_eq!((got.kind, got.message.as_deref()), (Kind::Exception, Some("a")));
        assert_eq!(
            (got.test, got.fault),
            (at("InvoiceTest.java", 35, "aTotal"), at("Invoice.java", 12, "add"))
        );
        let got = read("arrays first differed at element [1]; expected:<2> but was:<9>");
        assert_eq!((got.kind, got.exception_type), (Kind::Assertion, None));
        assert_eq!(got.test.unwrap().function.as_deref(), Some("aTotal"));
        let got =
            read("org.junit.runners.model.TestTimedOutException: test timed out after 100 milliseconds");
        assert_eq!(got.kind, Kind::Timeout);
    }

    #[test]
    fn classes() {
        for (line, want) in [
            ("java.lang.AssertionError", Some(("java.lang.AssertionError", ""))),
            ("java.lang.AssertionError: ", Some(("java.lang.AssertionError", ""))),
            ("shop.Cart$Broken: no: pen", Some(("shop.Cart$Broken", "no: pen"))),
            ("MyException: x", Some(("MyException", "x"))),
            ("arrays first differed: x", None),
            ("www.example.com: x", None),
            ("Note: x", None),
        ] {
            assert_eq!(class_of(line), want, "{line}");
        }
    }
}
