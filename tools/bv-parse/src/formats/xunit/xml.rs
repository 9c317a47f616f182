//! xUnit.net's XML, version 2 of the format and its additions in 3 (<https://xunit.net/docs/format-xml-v2>).

use crate::dotnet::{Fault, LINES_MAX, Report};
use crate::machine::Out;
use crate::values::milliseconds;
use crate::xml::{self, Document, Element};
use bv_schemas::{Counts, Failure, Kind, TestOutcome};

/// What a file is from outside.
pub const SHAPE: xml::Shape = xml::Shape {
    root: |text| {
        let single = || text.find("<assembly ").filter(|_| text.contains(" test-framework=\"xUnit"));
        text.find("<assemblies").or_else(single)
    },
    structure: &["assemblies", "assembly", "collection", "test", "errors", "failure"],
    case: "test",
};

/// Says what is in a document.
pub fn say(document: &Document, out: &mut Out) {
    let Some((root, whole)) = Element::read(&document.text) else { return };
    let mut report = Report::default();
    let assemblies: Vec<&Element> = match root.name.as_str() {
        "assembly" => vec![&root],
        _ => root.children("assembly").collect(),
    };
    let mut seconds = None;
    for assembly in assemblies {
        report.counts.add(&Counts {
            passed: assembly.number("passed"),
            failed: assembly.number("failed"),
            errored: assembly.number("errors"),
            skipped: assembly.number("skipped"),
        });
        if let Some(time) = assembly.attribute("time").and_then(|time| time.parse::<f64>().ok()) {
            *seconds.get_or_insert(0.0) += time;
        }
        for collection in assembly.children("collection") {
            collection.children("test").for_each(|test| ended(test, document, &mut report));
        }
        for error in assembly.children("errors").flat_map(|errors| errors.children("error")) {
            report.failed(&fault(error), error, document).kind = Kind::SetupError;
        }
    }
    report.duration_ms = seconds.and_then(milliseconds);
    report.say(whole, out);
}

fn ended(test: &Element, document: &Document, report: &mut Report) {
    let name = test.attribute("name").unwrap_or_default();
    let duration_ms = test.attribute("time").and_then(|time| time.parse().ok()).and_then(milliseconds);
    let outcome = match test.attribute("result") {
        Some("Fail") => {
            let read = fault(test);
            let class = test.child("failure").and_then(|failure| failure.attribute("exception-type"));
            let failure: &mut Failure = report.failed(&read, test, document);
            // The message of an assertion has no class before it; the file names it all the same.
            if failure.kind == Kind::Exception && failure.exception_type.is_none() {
                failure.exception_type = class.map(str::to_owned);
            }
            return;
        }
        Some("Pass") => TestOutcome::Passed,
        _ => TestOutcome::Skipped,
    };
    report.ended(name, outcome, duration_ms);
}

fn fault(element: &Element) -> Fault {
    let failure = element.child("failure");
    let lines = |child: &str| {
        let text = failure.and_then(|failure| failure.child(child)).map(|child| child.text.as_str());
        text.unwrap_or_default().lines().take(LINES_MAX).map(str::to_owned).collect()
    };
    let name = element.attribute("name").unwrap_or_default().to_owned();
    Fault { name, message: lines("message"), stack: lines("stack-trace") }
}
