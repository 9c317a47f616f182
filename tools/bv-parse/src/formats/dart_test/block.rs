//! What is printed of one error: the words, then the stack, as `package:stack_trace` writes it.

use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one error.
const LINES_MAX: usize = 400;

/// An error that is being read.
#[derive(Debug)]
pub struct Block {
    name: String,
    unfinished: bool,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Block {
    /// Begins below the line that names the test.
    pub fn new(name: &str, unfinished: bool, span: [u64; 2]) -> Block {
        Block { name: name.to_owned(), unfinished, lines: Vec::new(), span }
    }

    /// Takes a line that is indented by two; false when the block ended before it.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> bool {
        if !text.is_empty() && !text.starts_with("  ") {
            return false;
        }
        if self.lines.len() < LINES_MAX {
            self.lines.push(text.get(2..).unwrap_or_default().to_owned());
            self.span[1] = span[1];
        }
        true
    }

    /// All lines came.
    pub fn failure(self) -> Failure {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let mut failure =
            Failure { id: Some(self.name.clone()), span: Some(self.span), ..Failure::default() };
        let suite = self.name.split_once(".dart: ").map(|(path, _)| format!("{path}.dart"));
        tell(&mut failure, &lines, suite.as_deref());
        if let Some(path) = self.name.strip_prefix("loading ") {
            unloaded(&mut failure, &lines, path);
        } else if self.unfinished && failure.message.is_none() {
            failure.message = Some("did not complete".to_owned());
            failure.kind = Kind::Timeout;
        }
        failure
    }
}

/// Puts an error's words and stack into the failure; `suite` is the test's own file.
pub fn tell(failure: &mut Failure, lines: &[&str], suite: Option<&str>) {
    let stack = lines.iter().position(|line| frame(line).is_some()).unwrap_or(lines.len());
    let words = &lines[..stack];
    let first = words.iter().map(|line| line.trim()).find(|line| !line.is_empty());
    let (expected, observed) = sides(words);
    let class = first.and_then(class_of);
    failure.kind = match first {
        _ if expected.is_some() || observed.is_some() => Kind::Assertion,
        Some(first) if first.starts_with("TimeoutException after ") => Kind::Timeout,
        _ if fixture(failure.id.as_deref().unwrap_or_default()) => Kind::SetupError,
        Some(_) if class.is_some() => Kind::Exception,
        // `fail` and matchers throw from their own package; what is thrown elsewhere is no check.
        Some(_) if lines.get(stack).and_then(|line| frame(line)).is_some_and(|at| !is_check(&at)) => {
            Kind::Exception
        }
        _ => Kind::Assertion,
    };
    failure.message = first.map(str::to_owned);
    failure.expected = expected;
    failure.observed = observed;
    failure.exception_type = class.filter(|_| failure.kind != Kind::Assertion).map(str::to_owned);
    let frames: Vec<Place> = lines[stack..].iter().filter_map(|line| frame(line)).collect();
    place(failure, &frames, suite);
}

/// Puts the user's frames into the failure, innermost first.
pub fn place(failure: &mut Failure, frames: &[Place], suite: Option<&str>) {
    let own =
        |place: &&Place| place.line.is_some() && place.file.as_deref().is_some_and(|file| !is_library(file));
    let frames: Vec<&Place> = frames.iter().filter(own).collect();
    let same = |file: &str, suite: &str| {
        file == suite || file.ends_with(&format!("/{suite}")) || suite.ends_with(&format!("/{file}"))
    };
    let in_test = |place: &&Place| {
        let file = place.file.as_deref().unwrap_or_default();
        suite.is_some_and(|suite| same(file, suite)) || file.ends_with("_test.dart")
    };
    let test = frames.iter().position(in_test).or_else(|| frames.len().checked_sub(1));
    failure.test = test.map(|at| frames[at].clone());
    failure.fault =
        frames.first().map(|place| (*place).clone()).filter(|fault| Some(fault) != failure.test.as_ref());
    if frames.len() > 1 {
        failure.frames = frames.iter().take(FRAMES_MAX).map(|place| (*place).clone()).collect();
    }
}

fn is_check(at: &Place) -> bool {
    const PACKAGES: &[&str] = &[
        "package:matcher",
        "package:test_api",
        "package:checks",
        "package:flutter_test",
        "package:mocktail",
        "package:mockito",
    ];
    at.file.as_deref().is_some_and(|file| PACKAGES.iter().any(|package| file.starts_with(package)))
}

fn fixture(name: &str) -> bool {
    name.ends_with("(setUpAll)") || name.ends_with("(tearDownAll)")
}

/// The SDK's own files, and those of the packages that a test runs in.
fn is_library(file: &str) -> bool {
    const PACKAGES: &[&str] = &[
        "package:test/",
        "package:test_api/",
        "package:test_core/",
        "package:matcher/",
        "package:stack_trace/",
        "package:flutter/",
        "package:flutter_test/",
        "package:fake_async/",
        "package:async/",
        "package:checks/",
        "package:mockito/",
        "package:mocktail/",
    ];
    file.starts_with("dart:") || PACKAGES.iter().any(|package| file.starts_with(package))
}

/// `test/cart_test.dart 12:5  main.<fn>.<fn>`, `package:shop/cart.dart 4:5  Cart.total`, `dart:async  f`.
pub fn frame(line: &str) -> Option<Place> {
    let text = line.trim_start_matches(['│', ' ']);
    if let Some(rest) = text.strip_prefix('#') {
        return raw_frame(rest);
    }
    let (file, rest) = text.split_once(' ')?;
    if file.starts_with("package:") && !file.ends_with(".dart") || file.starts_with("dart:") {
        // A folded frame has no line.
        let function = rest.trim();
        return rest.starts_with(' ').then(|| Place {
            file: Some(file.to_owned()),
            line: None,
            function: Some(function.to_owned()),
        });
    }
    if !file.ends_with(".dart") {
        return None;
    }
    let (position, function) = rest.split_once("  ").unwrap_or((rest, ""));
    let (line, column) = position.trim().split_once(':')?;
    column.parse::<u64>().ok()?;
    let function = function.trim();
    Some(Place {
        file: Some(file.to_owned()),
        line: Some(line.parse().ok()?),
        function: Some(function.to_owned()).filter(|function| !function.is_empty()),
    })
}

/// `4      Cart.total (package:shop/cart.dart:4:5)`
fn raw_frame(rest: &str) -> Option<Place> {
    let (_, rest) = rest.split_once(' ')?;
    let (function, place) = rest.trim().rsplit_once(" (")?;
    let mut parts = place.strip_suffix(')')?.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    let file = file.strip_prefix("file://").unwrap_or(file);
    Some(Place {
        file: Some(file.to_owned()),
        line: Some(line.parse().ok()?),
        function: Some(function.to_owned()),
    })
}

/// `Expected: <2>` / `  Actual: <1>`, each over the lines that follow; `Which:` and reasons end them.
pub fn sides(words: &[&str]) -> (Option<String>, Option<String>) {
    let mut sides = [None::<String>, None];
    let mut open = None;
    for line in words {
        let text = line.trim();
        let found = ["Expected: ", "Actual: "].iter().position(|label| text.starts_with(label));
        if let Some(at) = found.filter(|&at| sides[at].is_none()) {
            sides[at] = text.split_once(": ").map(|(_, value)| value.to_owned());
            open = Some(at);
        } else if text.starts_with("Which: ") || text.is_empty() || !line.starts_with("  ") {
            open = None;
        } else if let Some(side) = open.and_then(|at| sides[at].as_mut()).filter(|side| side.len() < 8 << 10)
        {
            side.push('\n');
            side.push_str(text);
        }
    }
    let [expected, observed] = sides;
    (expected, observed)
}

/// `FormatException: words`, `RangeError (index): words`, `TimeoutException after …`.
fn class_of(words: &str) -> Option<&str> {
    let name = words.split([':', ' ', '(']).next()?;
    let known = name.ends_with("Exception")
        || name.ends_with("Error")
        || name.ends_with("Failure") && name.len() > "Failure".len();
    (known && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')).then_some(name)
}

/// `Failed to load "test/cart_test.dart":` and the compiler's or the loader's words.
fn unloaded(failure: &mut Failure, lines: &[&str], path: &str) {
    failure.kind = Kind::CollectionError;
    failure.exception_type = None;
    failure.id = None;
    let error = lines.iter().find_map(|line| {
        let (place, words) = line.trim().split_once(": Error: ")?;
        let mut parts = place.rsplitn(3, ':');
        let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        Some((file.to_owned(), line.parse().ok()?, words.to_owned()))
    });
    match error {
        Some((file, line, words)) => {
            failure.message = Some(words);
            failure.test = None;
            failure.fault = Some(Place { file: Some(file), line: Some(line), function: None });
        }
        None => {
            let rest = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
            let words: Vec<&str> = rest.take(2).collect();
            failure.message = Some(words.join(" ")).filter(|words| !words.is_empty());
            if failure.fault.is_none() && failure.test.is_none() {
                failure.fault = Some(Place { file: Some(path.to_owned()), line: None, function: None });
            }
        }
    }
}
