//! JUnit XML of Ruby's runners: `RspecJunitFormatter`, and minitest-reporters' `JUnitReporter`.

use super::{Case, Dialect, Fault, Tag, dialect};
use crate::ruby::{self, Exception};
use crate::values::is_number;
use bv_schemas::{Failure, Kind, Place};

/// `rspec --format RspecJunitFormatter`; parallel runs add their number to the suite's name.
pub const RSPEC: Dialect = dialect(
    "rspec",
    |head| head.suite == "rspec" || head.suite.starts_with("rspec") && is_number(&head.suite[5..]),
    rspec,
);

/// minitest-reporters.
pub const MINITEST: Dialect = dialect(
    "minitest",
    |head| head.attribute("filepath").is_some_and(|path| path.ends_with(".rb")),
    minitest,
);

/// The name is the full description; the text is the terminal's, without its indentation.
fn rspec(case: &Case, fault: &Fault) -> Failure {
    let lines: Vec<&str> = fault.text.lines().collect();
    let read = ruby::exception(&lines);
    let class = Some(fault.kind.as_str()).filter(|class| !class.is_empty());
    let own = class.is_none_or(Exception::is_own);
    let mut failure = Failure {
        id: Some(case.name.clone()),
        kind: if own { Kind::Assertion } else { Kind::Exception },
        message: read.message,
        exception_type: class.map(str::to_owned),
        expected: read.sides.expected,
        observed: read.sides.observed,
        ..Failure::default()
    };
    ruby::place(&mut failure, read.frames, case.file.as_deref().map(|file| (file, None)));
    failure
}

/// The text is the terminal's block; its second line names the test and the place.
fn minitest(case: &Case, fault: &Fault) -> Failure {
    let lines: Vec<&str> = fault.text.lines().collect();
    let words = ruby::words(lines.get(2..).unwrap_or_default());
    let place = lines.get(1).and_then(|line| line.strip_suffix("]:")?.rsplit_once('[')?.1.rsplit_once(':'));
    let place = place.and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)));
    Failure {
        id: Some(case.dotted()),
        kind: if fault.tag == Tag::Failure { Kind::Assertion } else { Kind::Exception },
        message: words.message.or_else(|| fault.message.lines().next().map(str::to_owned)),
        expected: words.sides.expected,
        observed: words.sides.observed,
        test: place.map(|(file, line)| Place {
            file: Some(file),
            line: Some(line),
            function: Some(case.name.clone()),
        }),
        ..Failure::default()
    }
}
