//! JUnit XML of JavaScript's runners: jest-junit, Vitest's, Bun's and Node's `junit`, Mocha's `xunit`, and any other
//! whose texts hold V8's stacks.

use super::{Case, Dialect, Fault, dialect};
use crate::formats::deno::body;
use crate::formats::mocha::list::is_hook;
use crate::javascript::{Names, Naming, error, frame, name_and_message, repeated};
use bv_schemas::{Failure, Kind, Place};

/// jest-junit, whose root is named so unless configured.
pub const JEST: Dialect = dialect("jest", |head| head.root == "jest tests", jest);

/// Vitest's `junit` reporter.
pub const VITEST: Dialect = dialect("vitest", |head| head.root == "vitest tests", vitest);

/// Mocha's `xunit` reporter, and mocha-junit-reporter.
pub const MOCHA: Dialect = dialect("mocha", |head| [head.root, head.suite].contains(&"Mocha Tests"), mocha);

/// Bun's `junit` reporter.
pub const BUN: Dialect = dialect("bun", |head| head.root == "bun test", bun);

/// `deno test --reporter=junit`.
pub const DENO: Dialect = dialect("deno", |head| head.root == "deno test", deno);

/// By default class and name are both the full name.
fn jest(case: &Case, fault: &Fault) -> Failure {
    let id = match case.name.starts_with(&case.classname) {
        true => case.name.clone(),
        false => case.dotted(),
    };
    let mut failure = read(&text(fault), Names::Mapped);
    if case.classname == "Test suite failed to run" {
        failure.kind = Kind::CollectionError;
    }
    placed(failure, id, case.file.as_deref())
}

/// The class is the file.
fn vitest(case: &Case, fault: &Fault) -> Failure {
    let id = match case.classname == case.name {
        true => vec![case.name.as_str()],
        false => vec![case.classname.as_str(), case.name.as_str()],
    };
    let id = id.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" > ");
    let mut failure = read(&text(fault), Names::Own);
    if case.classname == case.name {
        failure.kind = Kind::CollectionError;
    }
    placed(failure, id, Some(&case.classname))
}

/// The class is the titles above.
fn mocha(case: &Case, fault: &Fault) -> Failure {
    let id = match case.name.starts_with(&case.classname) {
        true => case.name.clone(),
        false => format!("{} {}", case.classname, case.name),
    };
    let mut failure = read(&text(fault), Names::Own);
    if is_hook(&case.name) {
        failure.kind = Kind::SetupError;
    }
    placed(failure, id, case.file.as_deref())
}

/// The class is the titles above, innermost first.
fn bun(case: &Case, fault: &Fault) -> Failure {
    let mut titles: Vec<&str> = case.classname.split(" > ").filter(|title| !title.is_empty()).collect();
    titles.reverse();
    titles.push(&case.name);
    let mut failure = read(&text(fault), Names::Own);
    if fault.kind == "TimeoutError" {
        (failure.kind, failure.message) = (Kind::Timeout, None);
    } else if case.name == "(unnamed)" {
        failure.kind = Kind::SetupError;
    }
    placed(failure, titles.join(" > "), case.file.as_deref())
}

/// The class is the file, the name the test's, its step's behind it.
fn deno(case: &Case, fault: &Fault) -> Failure {
    let failure = body::failure(&text(fault));
    placed(failure, case.name.clone(), Some(&case.classname))
}

/// A report of another runner, where the text holds a stack of V8's, or Node's own words for what went wrong.
pub fn other(case: &Case, fault: &Fault) -> Option<Failure> {
    const NODE: &[&str] = &[
        "testCodeFailure",
        "testTimeoutFailure",
        "cancelledByParent",
        "hookFailed",
        "subtestsFailed",
        "uncaughtException",
        "unhandledRejection",
    ];
    let node = case.classname == "test" && NODE.contains(&fault.kind.as_str());
    let text = fault.text.as_str();
    if !node && !text.lines().any(|line| frame(line).is_some_and(|frame| frame.column.is_some())) {
        return None;
    }
    // Node's reporter names no class.
    let id = if node { case.name.clone() } else { case.dotted() };
    let failure = match cause(text) {
        Some(cause) => read(&cause, Names::Own),
        None if node => read(&fault.message, Names::Own),
        None => read(text, Names::Own),
    };
    Some(placed(failure, id, case.file.as_deref()))
}

/// Node wraps the error that a test raised: it stands behind `cause: `, two further in.
fn cause(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with("cause: "));
    let first = lines.next()?.trim_start().strip_prefix("cause: ")?;
    name_and_message(first)?;
    let rest = lines.map(|line| line.strip_prefix("  ").unwrap_or(line));
    Some(std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n"))
}

/// The element's text, or its message where there is none.
fn text(fault: &Fault) -> String {
    if !fault.text.trim().is_empty() {
        return fault.text.clone();
    }
    match fault.kind.as_str() {
        "" => fault.message.clone(),
        kind => format!("{kind}: {}", fault.message),
    }
}

fn read(text: &str, names: Names) -> Failure {
    let lines: Vec<&str> = text.lines().collect();
    match names {
        Names::Mapped => error(&lines, Naming::Always, names),
        Names::Own => repeated(&lines),
    }
}

fn placed(mut failure: Failure, id: String, file: Option<&str>) -> Failure {
    if failure.test.is_none() {
        let file = file.filter(|file| file.contains('.') && !file.contains(' '));
        failure.test = file.map(|file| Place { file: Some(file.to_owned()), ..Place::default() });
    }
    failure.id = Some(id);
    failure
}
