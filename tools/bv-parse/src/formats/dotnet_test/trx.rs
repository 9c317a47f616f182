//! TRX, VSTest's result file, which Microsoft.Testing.Platform writes too
//! (`src/Microsoft.TestPlatform.Extensions.TrxLogger` in <https://github.com/microsoft/vstest>).
//!
//! The file's `Counters` say how many ran and did not pass; it counts none as skipped, so that those are the rest of
//! its total. Messages of the run (`RunInfos`) repeat failures, but for the death of the test host.

use super::vstest;
use crate::dotnet::{Fault, LINES_MAX, Report};
use crate::machine::Out;
use crate::values::milliseconds;
use crate::xml::{self, Document, Element};
use bv_schemas::{Counts, Kind, TestOutcome};

/// What a file is from outside.
pub const SHAPE: xml::Shape = xml::Shape {
    root: |text| text.find("<TestRun "),
    structure: &[
        "TestRun",
        "Results",
        "UnitTestResult",
        "Output",
        "ErrorInfo",
        "ResultSummary",
        "RunInfos",
        "InnerResults",
    ],
    case: "UnitTestResult",
};

/// Says what is in a document.
pub fn say(document: &Document, out: &mut Out) {
    let Some((root, whole)) = Element::read(&document.text) else { return };
    let mut report = Report::default();
    let results = root.children("Results").flat_map(|results| &results.children);
    results.for_each(|result| ended(result, document, &mut report));
    if let Some(summary) = root.child("ResultSummary") {
        report.is_red = matches!(
            summary.attribute("outcome"),
            Some("Failed" | "Error" | "Aborted" | "Timeout" | "Disconnected")
        );
        if let Some(counters) = summary.child("Counters") {
            report.counts = counts(counters);
        }
        for info in summary.children("RunInfos").flat_map(|infos| infos.children("RunInfo")) {
            let text = info.child("Text").map(|text| text.text.trim()).unwrap_or_default();
            if let Some(reason) = text.strip_prefix("The active test run was aborted. Reason: ") {
                let reason = reason.lines().next().unwrap_or(reason);
                report.failed_beside(vstest::death(reason, [0, 0]), info, document);
                report.is_red = true;
            }
        }
    }
    let whole = whole && root.child("ResultSummary").is_some();
    report.say(whole, out);
}

fn counts(counters: &Element) -> Counts {
    let of = |name: &str| counters.number(name);
    let red = ["failed", "error", "timeout", "aborted"].iter().filter_map(|name| of(name)).sum::<u64>();
    let passed = of("passed").unwrap_or(0);
    Counts {
        passed: Some(passed),
        failed: Some(red),
        errored: None,
        skipped: of("total").map(|total| total.saturating_sub(passed + red)),
    }
}

fn ended(result: &Element, document: &Document, report: &mut Report) {
    // A test with data has one result a row inside; its own only sums them up.
    if let Some(rows) = result.child("InnerResults") {
        rows.children.iter().for_each(|row| ended(row, document, report));
        return;
    }
    let name = result.attribute("testName").unwrap_or_default();
    let outcome = result.attribute("outcome").unwrap_or_default();
    let duration_ms = result.attribute("duration").and_then(clock);
    match outcome {
        "Failed" | "Error" | "Timeout" | "Aborted" | "Disconnected" | "NotRunnable" => {
            let info = result.child("Output").and_then(|output| output.child("ErrorInfo"));
            let lines = |child: &str| {
                let text = info.and_then(|info| info.child(child)).map(|child| child.text.as_str());
                text.unwrap_or_default()
                    .lines()
                    .take(LINES_MAX)
                    .map(|line| line.trim_end().to_owned())
                    .collect()
            };
            let fault =
                Fault { name: name.to_owned(), message: lines("Message"), stack: lines("StackTrace") };
            let failure = report.failed(&fault, result, document);
            if outcome == "Timeout" {
                failure.kind = Kind::Timeout;
            }
        }
        "Passed" | "PassedButRunAborted" | "Warning" | "Completed" => {
            report.ended(name, TestOutcome::Passed, duration_ms);
        }
        _ => report.ended(name, TestOutcome::Skipped, duration_ms),
    }
}

/// `00:00:00.1084258`
fn clock(text: &str) -> Option<u64> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    milliseconds(seconds)
}
