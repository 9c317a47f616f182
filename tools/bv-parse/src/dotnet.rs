//! What runs on .NET prints whatever runner stands around it: stack traces, and the words of the assertion
//! libraries (xUnit.net, NUnit, MSTest, FluentAssertions, Shouldly).
//!
//! Lines come in, typed parts go out. Which runner speaks, and where its blocks begin and end, is the
//! format's business.

mod report;
mod sides;
mod trace;

pub use report::Report;
pub use trace::frame;

use sides::checks;
use trace::Frame;

use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Check, Failure, Kind};
use serde_json::{Map, Value};

/// Lines kept of one test's message and stack.
pub const LINES_MAX: usize = 400;

/// What a runner prints of one failed test.
#[derive(Clone, Debug, Default)]
pub struct Fault {
    /// The test's full name with its arguments, as printed.
    pub name: String,
    /// All lines of the message.
    pub message: Vec<String>,
    /// All lines of the stack.
    pub stack: Vec<String>,
}

impl Fault {
    /// The failure; its span is the caller's.
    pub fn failure(&self) -> Failure {
        let words: Vec<&str> = self.message.iter().map(String::as_str).collect();
        let mut checks = checks(&words).into_iter();
        let first = checks.next().unwrap_or_default();
        let head = words.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
        let thrown = thrown(&words);
        let class = thrown.map(|(class, _)| class.to_owned());
        let kind = kind(head, thrown.is_some_and(|(class, _)| !is_assertion(class)), self.is_timeout());
        let message = match thrown {
            Some((_, said)) if !said.is_empty() && kind != Kind::SetupError => Some(said.to_owned()),
            _ => first.message.clone(),
        };
        // A class that only says that a check failed is not worth a name.
        let class = class.filter(|class| !is_assertion(class));
        let mut failure = Failure {
            id: Some(self.name.clone()).filter(|name| !name.is_empty()),
            kind,
            message,
            exception_type: class,
            expected: first.expected,
            observed: first.observed,
            counterexample: arguments(&self.name),
            also: checks.collect::<Vec<Check>>(),
            ..Failure::default()
        };
        self.place(&mut failure);
        failure
    }

    fn is_timeout(&self) -> bool {
        self.message.iter().take(3).any(|line| {
            line.contains(" exceeded execution timeout")
                || line.contains(" exceeded Timeout value of ")
                || line.starts_with("Test execution timed out after ")
                || line.starts_with("Test '") && line.contains("' timed out after ")
        })
    }

    /// The innermost user's frame is the fault, the outermost the test's own line.
    fn place(&self, failure: &mut Failure) {
        // An inner exception's stack stands in the same text, behind its own heading.
        let whole = self.stack.iter().take_while(|line| !line.contains("--- Inner Stack Trace"));
        let frames: Vec<Frame> = whole.filter_map(|line| frame(line)).filter(Frame::is_user).collect();
        let own = frames.iter().rposition(|frame| frame.belongs_to(&self.name));
        let test = own.or_else(|| frames.len().checked_sub(1));
        failure.test = test.map(|at| frames[at].place());
        failure.fault = frames.first().map(Frame::place).filter(|fault| Some(fault) != failure.test.as_ref());
        failure.frames = match frames.len() {
            0 | 1 => Vec::new(),
            _ => frames.iter().take(FRAMES_MAX).map(Frame::place).collect(),
        };
    }
}

fn kind(head: &str, thrown: bool, timeout: bool) -> Kind {
    const SETUP: &[&str] = &[
        "OneTimeSetUp: ",
        "SetUp : ",
        "TestFixtureSetUp failed",
        "TearDown : ",
        "OneTimeTearDown: ",
        "Initialization method ",
        "Class Initialization method ",
        "Assembly Initialization method ",
        "TestInitialize method ",
        "TestCleanup method ",
        "Class fixture type ",
        "Collection fixture type ",
        "[Test Class Cleanup Failure",
        "[Test Collection Cleanup Failure",
        "[Test Assembly Cleanup Failure",
    ];
    match () {
        () if timeout => Kind::Timeout,
        () if SETUP.iter().any(|words| head.starts_with(words)) => Kind::SetupError,
        () if thrown => Kind::Exception,
        () => Kind::Assertion,
    }
}

/// `System.ArgumentException : message`, NUnit's `SetUp : System.X : message`, and MSTest's second line below
/// `Test method N threw exception: `.
fn thrown<'a>(message: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let mut lines = message.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let mut head = lines.next()?;
    if head.ends_with(" threw exception:") {
        head = lines.next()?;
    } else if let Some((_, rest)) = head.split_once(" threw exception. ") {
        head = rest;
    }
    let head = ["OneTimeSetUp: ", "SetUp : ", "TearDown : ", "OneTimeTearDown: "]
        .iter()
        .find_map(|label| head.strip_prefix(label))
        .unwrap_or(head);
    let (class, said) = match head.split_once(" : ") {
        Some(parts) if is_class(parts.0) => parts,
        _ => head.split_once(": ").or_else(|| head.split_once(" :")).unwrap_or((head, "")),
    };
    is_class(class).then(|| (class, said.trim()))
}

/// `System.Collections.Generic.KeyNotFoundException`, `MyError`: one name without blanks that ends as those do.
fn is_class(text: &str) -> bool {
    let name = text.rsplit(['.', '+']).next().unwrap_or(text).split('`').next().unwrap_or(text);
    (name.ends_with("Exception") || name.ends_with("Error") && text.contains('.'))
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '`' | '[' | ']' | ','))
}

fn is_assertion(class: &str) -> bool {
    let name = class.rsplit(['.', '+']).next().unwrap_or(class);
    name.starts_with("Assert") && name.ends_with("Exception")
        || name.ends_with("AssertionException")
        || name.ends_with("AssertException")
        || name.ends_with("AssertFailedException")
        || class.starts_with("Xunit.Sdk.")
        || class.starts_with("NUnit.Framework.")
}

/// The arguments that a theory's name shows with their names: `Adds(a: 1, b: "x")`.
fn arguments(name: &str) -> Option<Map<String, Value>> {
    let open = name.find('(')?;
    let inner = name[open + 1..].strip_suffix(')')?;
    let mut found = Map::new();
    let mut rest = inner;
    while !rest.is_empty() {
        let (key, value) = rest.split_once(": ")?;
        let is_name = key.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@')
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '@'));
        if !is_name {
            return None;
        }
        let end = value_end(value);
        let (value, after) = (&value[..end], value[end..].trim_start_matches(", "));
        let typed = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        found.insert(key.to_owned(), typed);
        rest = after;
    }
    (!found.is_empty()).then_some(found)
}

/// Where a printed value ends: at the comma that stands in no string and no bracket.
fn value_end(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 && text[at..].starts_with(", ") => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(name: &str, message: &str, stack: &str) -> Failure {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        Fault { name: name.into(), message: lines(message), stack: lines(stack) }.failure()
    }

    #[test]
    fn kinds_and_classes() {
        for (message, want) in [
            ("Assert.Equal() Failure: Values differ\nExpected: 5\nActual:   4", (Kind::Assertion, None)),
            (
                "System.DivideByZeroException : Attempted",
                (Kind::Exception, Some("System.DivideByZeroException")),
            ),
            (
                "Test method A.B threw exception: \nSystem.X.OopsException: no",
                (Kind::Exception, Some("System.X.OopsException")),
            ),
            ("Shouldly.ShouldAssertException : x\n    should be\n5\n    but was\n4", (Kind::Assertion, None)),
            (
                "OneTimeSetUp: System.InvalidOperationException : no database",
                (Kind::SetupError, Some("System.InvalidOperationException")),
            ),
            (
                "Initialization method A.B threw exception. System.Exception: no.",
                (Kind::SetupError, Some("System.Exception")),
            ),
            ("Test exceeded Timeout value of 50ms", (Kind::Timeout, None)),
            ("Test method threw an exception", (Kind::Assertion, None)),
            ("expected no Exception : here", (Kind::Assertion, None)),
        ] {
            let got = fault("A.B", message, "");
            assert_eq!((got.kind, got.exception_type.as_deref()), want, "{message}");
        }
    }

    #[test]
    fn the_innermost_users_frame_is_the_fault() {
        let got = fault(
            "Shop.Tests.CartTests.Refuses",
            "System.ArgumentException : no",
            "   at Shop.Cart.Total(Int32 a) in /w/Cart.cs:line 6\n   at Shop.Tests.CartTests.Refuses() in /w/CartTests.cs:line 16\n   at System.Reflection.MethodBaseInvoker.InvokeWithNoArgs(Object obj)",
        );
        let at = |place: Option<bv_schemas::Place>| place.and_then(|place| Some((place.file?, place.line?)));
        assert_eq!(at(got.test), Some(("/w/CartTests.cs".into(), 16)));
        assert_eq!(at(got.fault), Some(("/w/Cart.cs".into(), 6)));
    }

    #[test]
    fn named_arguments_are_a_counterexample() {
        for (name, want) in [
            ("A.Adds(a: 1, b: \"x, y: z\")", Some("{\"a\":1,\"b\":\"x, y: z\"}")),
            ("A.Is(list: [1, 2])", Some("{\"list\":[1,2]}")),
            ("A.Is(when: 2020-01-01T00:00:00)", Some("{\"when\":\"2020-01-01T00:00:00\"}")),
            ("A.Adds(1, 2)", None),
            ("A.Adds", None),
            ("A.Adds()", None),
        ] {
            let got = arguments(name).map(|map| Value::Object(map).to_string());
            assert_eq!(got.as_deref(), want, "{name}");
        }
    }
}
