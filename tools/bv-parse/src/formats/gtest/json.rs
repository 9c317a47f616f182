//! The report of `--gtest_output=json:`: suites, tests, failed checks as texts.

use super::block::Block;
use crate::machine::{Closing, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Test, TestOutcome};
use serde_json::Value;

/// Says all that stands in the report, as one section.
pub fn say(report: &Value, out: &mut Out) {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    out.open();
    for test in list(report, "testsuites").flat_map(|suite| list(suite, "testsuite")) {
        let text = |key: &str| test[key].as_str().unwrap_or_default();
        let id = [text("classname"), ".", text("name")].concat();
        let blocks: Vec<Block> =
            list(test, "failures").filter_map(|f| f["failure"].as_str()).map(Block::of_report).collect();
        let duration_ms = millis(text("time"));
        if !blocks.is_empty() {
            failed += 1;
            let mut failure = super::failure(&id, &blocks);
            if let Some(value) = test["value_param"].as_str() {
                failure.counterexample.get_or_insert_default().insert("GetParam()".into(), value.into());
            }
            if let Some(value) = test["type_param"].as_str() {
                failure.counterexample.get_or_insert_default().insert("TypeParam".into(), value.into());
            }
            out.failure(failure);
        } else if text("result") == "SKIPPED" {
            skipped += 1;
            out.test(Test { id, outcome: TestOutcome::Skipped, duration_ms });
        } else if text("status") == "RUN" {
            passed += 1;
            out.test(Test { id, outcome: TestOutcome::Passed, duration_ms });
        }
        out.tests_seen += 1;
    }
    let says = Says::of(failed, passed);
    let counts = Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped: Some(skipped) };
    let duration_ms = report["time"].as_str().and_then(millis);
    out.close(Closing { says, counts, duration_ms, message: None });
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// `0.012s`.
fn millis(text: &str) -> Option<u64> {
    milliseconds(text.strip_suffix('s')?.parse().ok()?)
}
