//! SARIF 2.1.0, the report that most static checkers can write: one JSON document.
//!
//! The driver that wrote it is the runner. Its errors are findings; what a warning weighs is the tool's own
//! business, see [`TOOLS`]. Suppressed results, and those that a baseline says are gone, are left alone.
//! Defined by OASIS, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>.

use super::eslint;
use crate::document::{Document, Taken};
use crate::finding::{self, Findings, lint};
use crate::machine::{Format, Line, Machine, Out};
use bv_schemas::{Failure, Kind, Place, Reason};
use serde_json::Value;

/// A SARIF report.
pub const FORMAT: Format = Format {
    name: "sarif",
    commands: &[],
    needles: &["sarif-2.1.0", "sarif-schema-2.1.0"],
    new: || Box::<Sarif>::default(),
};

/// What is known of the tools that write such reports.
struct Tool {
    /// How `tool.driver.name` begins, in lower case.
    driver: &'static str,
    /// Its name as a runner.
    runner: &'static str,
    /// It fails over warnings, too.
    warnings_fail: bool,
    /// Its errors keep the program from being built.
    compiles: bool,
}

/// A tool that is not here fails over warnings: a report of them is not known to be a good one.
const TOOLS: &[Tool] = &[
    Tool { driver: "eslint", runner: "eslint", warnings_fail: false, compiles: false },
    Tool { driver: "ruff", runner: "ruff", warnings_fail: true, compiles: false },
    Tool { driver: "clippy", runner: "clippy", warnings_fail: false, compiles: false },
    Tool { driver: "shellcheck", runner: "shellcheck", warnings_fail: true, compiles: false },
    Tool { driver: "gnu ", runner: "gcc", warnings_fail: false, compiles: true },
    Tool { driver: "clang", runner: "clang", warnings_fail: false, compiles: true },
];

#[derive(Default)]
struct Sarif {
    document: Option<Document>,
    findings: Findings,
}

impl Machine for Sarif {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let taken = match &mut self.document {
            Some(document) => document.take(line.text, line.span),
            None if begins(line.text) => {
                self.findings.begin(out);
                let (document, taken) = Document::begin(line.text, line.span);
                self.document = Some(document);
                taken
            }
            None => return,
        };
        match taken {
            Taken::More => {}
            // A report that cannot be read never closes: nothing is known of the run.
            Taken::Broken => self.document = None,
            Taken::Whole(report) => {
                let span = self.document.take().map_or(line.span, |document| document.span);
                self.report(&report, span, out);
            }
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.findings.cut(out);
    }

    fn owns_lines(&self) -> bool {
        self.document.is_some()
    }
}

/// The line that names the schema, in the document's head.
fn begins(text: &str) -> bool {
    text.contains("\"$schema\"") && FORMAT.needles.iter().any(|needle| text.contains(needle))
}

impl Sarif {
    fn report(&mut self, report: &Value, span: [u64; 2], out: &mut Out) {
        let runs: Vec<&Value> = report["runs"].as_array().into_iter().flatten().collect();
        let (mut compiles, mut warned) = (false, false);
        for run in &runs {
            let tool = tool(run);
            if let Some(tool) = tool {
                out.runner(tool.runner);
            }
            for result in run["results"].as_array().into_iter().flatten() {
                if counts(result, run, tool) {
                    let failure = finding(result, span, tool);
                    compiles |= failure.kind == Kind::CompileError;
                    self.findings.push(failure, out);
                } else {
                    warned |= level(result, run) == "warning";
                }
            }
        }
        let whole = |run: &&Value| {
            let invocations = run["invocations"].as_array().into_iter().flatten();
            run["results"].is_array()
                && !invocations.into_iter().any(|invocation| invocation["executionSuccessful"] == false)
        };
        if compiles {
            self.findings.refuse(Reason::CompileError, "did not compile", out);
        } else if self.findings.is_empty() && (runs.is_empty() || !runs.iter().all(whole)) {
            self.findings.refuse(Reason::NotRunnable, "the checker did not run to its end", out);
        } else if self.findings.is_empty() && warned {
            self.findings.warned(out);
        } else {
            self.findings.close(None, out);
        }
    }
}

fn tool(run: &Value) -> Option<&'static Tool> {
    let driver = run["tool"]["driver"]["name"].as_str()?.to_lowercase();
    TOOLS.iter().find(|tool| driver.starts_with(tool.driver))
}

/// Whether a result is a finding that stands.
fn counts(result: &Value, run: &Value, tool: Option<&Tool>) -> bool {
    let suppressed = result["suppressions"].as_array().is_some_and(|all| {
        all.iter().any(|one| !matches!(one["status"].as_str(), Some("rejected" | "underReview")))
    });
    let judged = matches!(result["kind"].as_str(), None | Some("fail"));
    let gone = result["baselineState"] == "absent";
    let bad = match level(result, run) {
        "error" => true,
        "warning" => tool.is_none_or(|tool| tool.warnings_fail),
        _ => false,
    };
    bad && judged && !suppressed && !gone
}

/// The result's own level, else its rule's, else `warning` (section 3.27.10 of the specification).
fn level<'a>(result: &'a Value, run: &'a Value) -> &'a str {
    let rule = || {
        let rules = run["tool"]["driver"]["rules"].as_array()?;
        let by_index = result["ruleIndex"].as_u64().and_then(|at| rules.get(usize::try_from(at).ok()?));
        let by_id = || rules.iter().find(|rule| rule["id"] == result["ruleId"]);
        by_index.or_else(by_id)?["defaultConfiguration"]["level"].as_str()
    };
    result["level"].as_str().or_else(rule).unwrap_or("warning")
}

fn finding(result: &Value, span: [u64; 2], tool: Option<&Tool>) -> Failure {
    let message = result["message"]["text"].as_str().or(result["message"]["markdown"].as_str());
    let message = message.unwrap_or_default().lines().next().unwrap_or_default();
    let place = result["locations"][0]["physicalLocation"].as_object().and_then(|at| {
        let file = at.get("artifactLocation")?["uri"].as_str()?;
        place(file, at.get("region").and_then(|region| region["startLine"].as_u64()))
    });
    let rule = result["ruleId"].as_str();
    if tool.is_some_and(|tool| tool.runner == eslint::FORMAT.name) {
        return eslint::failure(place, message, rule, span);
    }
    let mut failure = lint(place, message, rule, span);
    if tool.is_some_and(|tool| tool.compiles) {
        failure.kind = Kind::CompileError;
        failure.rule = failure.rule.filter(|rule| rule != "error");
    }
    failure
}

/// A `file:` URI as the path it stands for, escapes taken out; anything else as it is.
fn place(uri: &str, line: Option<u64>) -> Option<Place> {
    let Some(path) = uri.strip_prefix("file://") else {
        return finding::place(uri, line);
    };
    // `file:///C:/w/a.py` on Windows.
    let drive = path.starts_with('/') && path.as_bytes().get(2) == Some(&b':');
    finding::place(&unescaped(if drive { &path[1..] } else { path }), line)
}

fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).filter(|_| first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places() {
        for (uri, want) in [
            ("file:///w/a%20b.py", "/w/a b.py"),
            ("file:///C:/w/a.py", "C:/w/a.py"),
            ("src/a.py", "src/a.py"),
            ("file:///w/100%", "/w/100%"),
        ] {
            assert_eq!(place(uri, Some(1)).and_then(|place| place.file).as_deref(), Some(want));
        }
    }

    #[test]
    fn what_counts() {
        let run = json!({"tool": {"driver": {"name": "X", "rules": [
            {"id": "a", "defaultConfiguration": {"level": "error"}}, {"id": "b"}, {"id": "c", "defaultConfiguration": {"level": "note"}}]}}});
        for (result, want) in [
            (json!({"ruleId": "a"}), true),
            (json!({"ruleIndex": 0}), true),
            (json!({"ruleId": "b"}), true),
            (json!({"ruleId": "c"}), false),
            (json!({"ruleId": "a", "level": "none"}), false),
            (json!({"level": "error", "kind": "pass"}), false),
            (json!({"level": "error", "suppressions": [{"kind": "inSource"}]}), false),
            (json!({"level": "error", "suppressions": [{"kind": "inSource", "status": "rejected"}]}), true),
            (json!({"level": "error", "suppressions": []}), true),
            (json!({"level": "error", "baselineState": "absent"}), false),
        ] {
            assert_eq!(counts(&result, &run, None), want, "{result}");
        }
        let eslint = TOOLS.iter().find(|tool| tool.runner == "eslint");
        assert!(!counts(&json!({"level": "warning"}), &run, eslint));
    }
}
