//! What PHPUnit prints of one failed test, whatever mode or report stands around it, and PHP's places.
//!
//! ```text
//! pen and book
//! Failed asserting that 1359 is identical to 1360.
//!
//! /tmp/ws/proj/tests/InvoiceTest.php:20
//! ```

mod words;

use crate::values::Sides;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Longest message that is put together from several lines.
const MESSAGE_BYTES_MAX: usize = 400;

/// What a block tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The class of an exception; PHP's own warnings have none, nor have failed assertions.
    pub class: Option<String>,
    /// One line.
    pub message: Option<String>,
    /// The two sides that an assertion names.
    pub sides: Sides,
    /// The block says that an assertion, or a mock's expectation, did not hold.
    pub asserts: bool,
    /// Innermost first.
    pub frames: Vec<Place>,
    /// The trace goes through a hook of the test's class.
    pub in_hook: bool,
}

/// Reads the lines of one failed test, without the title above them. What caused the exception is left out.
pub fn detail(lines: &[&str]) -> Detail {
    let ends = lines.iter().position(|line| *line == "Caused by").unwrap_or(lines.len());
    let (message, trace) = split_trace(&lines[..ends]);
    let first = message.iter().copied().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let (class, said) = match class_of(first) {
        Some((class, said)) => (Some(class.to_owned()), said),
        None => (None, first),
    };
    let words = words::read(&message);
    let stack = stack(lines);
    let mut frames: Vec<Place> = trace.iter().filter_map(|line| frame(line)).collect();
    let mut said = said.to_owned();
    if let Some((words, at)) = stack.as_ref().and_then(|_| place_behind(&said)) {
        frames = std::iter::once(at).chain(stack.clone().unwrap_or_default()).collect();
        said = words;
    } else if words.asserts && class.is_none() {
        said = words::sentence(&message, MESSAGE_BYTES_MAX).unwrap_or(said);
    }
    Detail {
        class,
        message: Some(said).filter(|said| !said.is_empty()),
        sides: words.sides,
        asserts: words.asserts,
        frames,
        in_hook: stack.is_some()
            && lines.iter().any(|line| line.contains("::setUp") || line.contains("::tearDown")),
    }
}

/// Puts the places of the test and of the fault into the failure. `test` is `Class::method`; only the
/// class' own file is sure to hold the method.
pub fn place(failure: &mut Failure, frames: &[Place], test: Option<&str>) {
    let mut frames: Vec<Place> =
        frames.iter().filter(|at| at.file.as_deref().is_some_and(is_user_file)).cloned().collect();
    let (class, method) = test.and_then(|test| test.split_once("::")).unzip();
    let method = method.map(|name| name.split(" with data set ").next().unwrap_or(name).to_owned());
    let own = class.map(|class| class.rsplit('\\').next().unwrap_or(class));
    let is_own = |at: &Place| own.is_some_and(|own| at.file.as_deref().map(stem) == Some(own));
    let at = frames.iter().rposition(is_own);
    if let Some(at) = at {
        frames[at].function = method.clone();
    }
    failure.test = at.map(|at| &frames[at]).or(frames.last()).cloned();
    failure.fault = frames.first().filter(|&first| Some(first) != failure.test.as_ref()).cloned();
    if failure.test.is_none() && method.is_some() {
        failure.test = Some(Place { function: method, ..Place::default() });
    }
    frames.truncate(FRAMES_MAX);
    failure.frames = frames;
}

impl Detail {
    /// The failure that a mode tells of which does not say whether an assertion failed.
    pub fn kind(&self) -> Kind {
        let library = self.class.as_deref().is_some_and(|class| class.starts_with("PHPUnit\\"));
        let raised = self.class.is_some() && !library;
        // PHP's own warnings carry no class; these are their commonest words.
        let warned = self.message.as_deref().is_some_and(|said| {
            ["Undefined ", "Trying to access ", "Array to string ", "Attempt to read "]
                .iter()
                .any(|w| said.starts_with(w))
        });
        if raised || warned { Kind::Exception } else { Kind::Assertion }
    }

    /// Puts all but the places into the failure.
    pub fn fill(self, failure: &mut Failure) {
        failure.message = self.message;
        failure.exception_type = self.class;
        failure.expected = self.sides.expected;
        failure.observed = self.sides.observed;
    }
}

/// A line of a trace: a path and a line number, and no more.
pub fn frame(line: &str) -> Option<Place> {
    let line = line.trim();
    let bytes = line.as_bytes();
    let rooted = line.starts_with('/')
        || line.starts_with("phar://")
        || line.starts_with("\\\\")
        || bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'\\' | b'/');
    if !rooted {
        return None;
    }
    let (file, number) = line.rsplit_once(':')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| Place { file: Some(file.to_owned()), line: number.parse().ok(), function: None })
}

/// Whether the file holds the user's own code.
pub fn is_user_file(path: &str) -> bool {
    const INSTALLED: &[&str] = &["phar://", "/vendor/", "\\vendor\\", "/PHPUnit/", "/phpunit/src/"];
    !(INSTALLED.iter().any(|text| path.contains(text))
        || path.ends_with("/phpunit")
        || path.starts_with("vendor/"))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".php").unwrap_or(name)
}

/// `Namespace\Type: words`; also `Type : words`, as the teamcity mode of PHPUnit 9 prints it.
pub fn class_of(line: &str) -> Option<(&str, &str)> {
    let (class, said) = match line.split_once(':') {
        Some((class, said)) if said.is_empty() || said.starts_with(' ') => (class, said.trim()),
        Some(_) => return None,
        None => return None,
    };
    let class = class.strip_suffix(' ').unwrap_or(class);
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let named = class.split('\\').all(part);
    // A bare word is a class only where it is named like one.
    let like = class.contains('\\')
        || ["Error", "Exception", "Throwable"].iter().any(|end| class.ends_with(end))
        || said.is_empty() && class.starts_with(char::is_uppercase);
    (named && (like || class.starts_with(char::is_uppercase) && !words::is_sentence(line)))
        .then_some((class, said))
}

/// The trace stands last; a message may hold places, too, and is asked where nothing stands last.
fn split_trace<'a>(lines: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let ends = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |at| at + 1);
    let lines = &lines[..ends];
    let begins = lines.iter().rposition(|line| frame(line).is_none()).map_or(0, |at| at + 1);
    let (message, trace) = lines.split_at(begins);
    if trace.is_empty() {
        let inside = message.iter().copied().filter(|line| frame(line).is_some()).collect();
        return (message.to_vec(), inside);
    }
    (message.to_vec(), trace.to_vec())
}

/// PHP's own stack, `#0 /x.php(3): f()`, where a message has one.
fn stack(lines: &[&str]) -> Option<Vec<Place>> {
    let begins = lines.iter().position(|line| *line == "Stack trace:")?;
    let place = |line: &&str| {
        let rest = line.strip_prefix('#')?.split_once(' ')?.1;
        let (file, rest) = rest.split_once('(')?;
        let number = rest.split_once("): ")?.0.parse().ok()?;
        Some(Place { file: Some(file.to_owned()), line: Some(number), function: None })
    };
    Some(lines[begins + 1..].iter().filter_map(place).collect())
}

/// `no db in /x.php:36`.
pub fn place_behind(said: &str) -> Option<(String, Place)> {
    let (words, at) = said.rsplit_once(" in ")?;
    let at = match at.rsplit_once(" on line ") {
        Some((file, line)) => frame(&format!("{file}:{line}")),
        None => frame(at),
    };
    Some((words.to_owned(), at?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Detail {
        detail(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn details() {
        let got = read(
            "RuntimeException: cannot\nsecond\n\n/p/src/Calc.php:5\n/p/tests/CalcTest.php:9\n\nCaused by\nE: x\n\n/p/z.php:1",
        );
        assert_eq!(
            (got.class.as_deref(), got.message.as_deref()),
            (Some("RuntimeException"), Some("cannot"))
        );
        assert_eq!((got.frames.len(), got.asserts), (2, false));
        let got = read("must be\nFailed asserting that false is true.\n\n/p/CalcTest.php:11");
        assert_eq!((got.class, got.message.as_deref()), (None, Some("must be")));
        assert_eq!(got.sides, Sides::both("true", "false"));
        let got = read(
            "RuntimeException: no db in /p/B.php:36\nStack trace:\n#0 /usr/share/php/PHPUnit/F.php(628): B::setUpBeforeClass()\n#1 {main}",
        );
        assert_eq!((got.message.as_deref(), got.in_hook), (Some("no db"), true));
        assert_eq!(got.frames[0], frame("/p/B.php:36").unwrap());
        assert_eq!(read("Undefined array key 4\n\n/p/A.php:3").class, None);
        assert_eq!(read("note: it is late\n\n/p/A.php:3").class, None);
    }

    #[test]
    fn places() {
        let at = |line| frame(line).unwrap();
        let frames = [at("/p/src/Calc.php:5"), at("/p/tests/CalcTest.php:9"), at("/p/vendor/x.php:1")];
        let mut failure = Failure::default();
        place(&mut failure, &frames, Some("App\\CalcTest::testSum with data set \"two\""));
        let test = Place { function: Some("testSum".into()), ..frames[1].clone() };
        assert_eq!((failure.test, failure.fault), (Some(test), Some(frames[0].clone())));
        let mut failure = Failure::default();
        place(&mut failure, &[], Some("CalcTest::testSum"));
        assert_eq!(failure.test.unwrap().function.as_deref(), Some("testSum"));
    }

    #[test]
    fn frames() {
        assert!(frame("C:\\w\\a.php:3").is_some());
        assert!(frame("a.php:3").is_none());
        assert!(frame("/a.php:x").is_none());
        assert!(frame("/is it: ").is_none());
    }
}
