//! NUnit's XML, both generations.
//!
//! 3: `test-run` with its counts, `test-case` with `fullname` and `result`
//! (<https://docs.nunit.org/articles/nunit/technical-notes/usage/Test-Result-XML-Format.html>); 2: `test-results`,
//! whose `test-case` has its full name in `name`.

use crate::dotnet::{Fault, Report};
use crate::machine::Out;
use crate::values::milliseconds;
use crate::xml::{self, Document, Element};
use bv_schemas::{Check, Counts, Failure, Kind, TestOutcome};

/// What a file is from outside.
pub const SHAPE: xml::Shape = xml::Shape {
    root: |text| text.find("<test-run ").or_else(|| text.find("<test-results ")),
    structure: &["test-run", "test-results", "test-suite", "results", "test-case", "failure", "assertions"],
    case: "test-case",
};

/// Says what is in a document.
pub fn say(document: &Document, out: &mut Out) {
    let Some((root, whole)) = Element::read(&document.text) else { return };
    let mut report = Report::default();
    let second = root.name == "test-results";
    let number = |name: &str| root.number(name);
    if second {
        let left_out = ["not-run", "inconclusive"].iter().filter_map(|name| number(name)).sum();
        let red = number("errors").unwrap_or(0) + number("failures").unwrap_or(0);
        let ran = number("total").unwrap_or(0);
        report.counts = Counts {
            passed: Some(ran.saturating_sub(red + number("inconclusive").unwrap_or(0))),
            failed: number("failures"),
            errored: number("errors"),
            skipped: Some(left_out),
        };
    } else {
        report.counts = Counts {
            // A test with a warning ran and did not fail.
            passed: number("passed").map(|passed| passed + number("warnings").unwrap_or(0)),
            failed: number("failed"),
            errored: None,
            skipped: number("skipped").map(|skipped| skipped + number("inconclusive").unwrap_or(0)),
        };
        report.duration_ms = root.attribute("duration").and_then(seconds);
    }
    report.is_red = root.attribute("result").is_some_and(|result| result.starts_with("Failed"));
    walk(&root, document, &mut report);
    report.say(whole, out);
}

fn walk(element: &Element, document: &Document, report: &mut Report) {
    for child in &element.children {
        match child.name.as_str() {
            "test-case" => case(child, document, report),
            "test-suite" => {
                suite(child, document, report);
                walk(child, document, report);
            }
            "results" => walk(child, document, report),
            _ => {}
        }
    }
}

fn case(case: &Element, document: &Document, report: &mut Report) {
    let name = case.attribute("fullname").or_else(|| case.attribute("name")).unwrap_or_default();
    let duration_ms = case.attribute("duration").or_else(|| case.attribute("time")).and_then(seconds);
    let label = case.attribute("label").unwrap_or_default();
    let outcome = match case.attribute("result").unwrap_or_default() {
        "Failed" | "Failure" | "Error" | "Cancelled" | "NotRunnable" => None,
        "Passed" | "Success" | "Warning" => Some(TestOutcome::Passed),
        _ if case.attribute("executed") == Some("True") && case.attribute("success") == Some("True") => {
            Some(TestOutcome::Passed)
        }
        _ => Some(TestOutcome::Skipped),
    };
    if let Some(outcome) = outcome {
        return report.ended(name, outcome, duration_ms);
    }
    let asserted = case.child("assertions");
    let failed = asserted.into_iter().flat_map(|list| list.children("assertion"));
    let failed: Vec<&Element> =
        failed.filter(|check| matches!(check.attribute("result"), Some("Failed" | "Error"))).collect();
    // With several checks `failure` holds them all as one text; they stand apart below `assertions`.
    let first = if failed.len() > 1 { failed.first().copied() } else { case.child("failure") };
    let fault = read(name, first.or(failed.first().copied()).or_else(|| case.child("reason")));
    let also = failed.iter().skip(1).map(|check| read(name, Some(check)).failure()).map(|failure| Check {
        line: failure.test.and_then(|place| place.line),
        message: failure.message,
        expected: failure.expected,
        observed: failure.observed,
    });
    let also: Vec<Check> = also.collect();
    let failure = report.failed(&fault, case, document);
    if !also.is_empty() {
        failure.also = also;
    }
    let by_fixture = case.attribute("site").is_some_and(|site| site != "Test");
    if by_fixture && failure.kind != Kind::Timeout {
        failure.kind = Kind::SetupError;
    } else if label == "Error" && failure.kind == Kind::Assertion {
        failure.kind = Kind::Exception;
    } else if label == "Invalid" {
        failure.kind = Kind::CollectionError;
    }
}

/// A fixture's own failure; that a test in it failed is no failure of its own.
fn suite(suite: &Element, document: &Document, report: &mut Report) {
    let Some(failure) = suite.child("failure") else { return invalid(suite, document, report) };
    let own = match suite.attribute("site") {
        Some(site) => matches!(site, "SetUp" | "TearDown"),
        // NUnit 2 writes none; a fixture that failed in itself is an error there.
        None => suite.attribute("result") == Some("Error") || suite.attribute("label") == Some("Error"),
    };
    if !own {
        return;
    }
    let name = suite.attribute("fullname").or_else(|| suite.attribute("name")).unwrap_or_default();
    let failure = Failure { kind: Kind::SetupError, ..read(name, Some(failure)).failure() };
    report.failed_beside(failure, suite, document);
}

/// An assembly that could not be loaded.
fn invalid(suite: &Element, document: &Document, report: &mut Report) {
    let invalid =
        suite.attribute("label") == Some("Invalid") || suite.attribute("result") == Some("NotRunnable");
    let Some(reason) = suite.child("reason").filter(|_| invalid) else { return };
    let name = suite.attribute("fullname").or_else(|| suite.attribute("name")).unwrap_or_default();
    let failure = Failure { kind: Kind::CollectionError, ..read(name, Some(reason)).failure() };
    report.failed_beside(failure, suite, document);
}

/// `failure`, `assertion` or `reason`: each holds `message`, and the first two `stack-trace`.
fn read(name: &str, element: Option<&Element>) -> Fault {
    let lines = |child: &str| {
        let text = element.and_then(|element| element.child(child)).map(|child| child.text.as_str());
        text.unwrap_or_default().lines().take(crate::dotnet::LINES_MAX).map(str::to_owned).collect()
    };
    Fault { name: name.to_owned(), message: lines("message"), stack: lines("stack-trace") }
}

fn seconds(text: &str) -> Option<u64> {
    milliseconds(text.replace(',', ".").parse().ok()?)
}
