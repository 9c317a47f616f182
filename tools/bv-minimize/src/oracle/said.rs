//! What an oracle prints, where it speaks our language: a stream of records, or a receipt.
//!
//! In: the first bytes of its stdout. Out: the failures that it names, each by its rule. Lines that are
//! neither are text and left alone; which of them mean what, only the oracle's author knows.

use bv_schemas::receipt::{Receipt, Status};
use bv_schemas::{Failure, Kind, Outcome, rule};
use serde_json::Value;

/// What was said. `Default`: nothing in our language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Whether a record or receipt was there.
    pub spoke: bool,
    /// The failures in their order.
    pub failures: Vec<Named>,
    /// The verdict of the `end` record or the receipt, the last one.
    pub outcome: Option<Outcome>,
}

/// A failure and its rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name by which it is the same failure or another.
    pub rule: String,
    /// What else is said of it.
    pub failure: Failure,
}

impl Said {
    /// Reads an oracle's stdout.
    pub fn read(stdout: &[u8]) -> Said {
        let mut said = Said::default();
        for line in stdout.split(|&b| b == b'\n') {
            if line.trim_ascii_start().starts_with(b"{")
                && let Ok(value) = serde_json::from_slice::<Value>(line)
            {
                said.take(value);
            }
        }
        said
    }

    /// The failure of this rule, or of the test of this id. A receipt may have cut its rule in the middle.
    pub fn of(&self, rule: &str) -> Option<&Named> {
        self.failures.iter().find(|named| {
            named.rule == rule || named.failure.id.as_deref() == Some(rule) || is_cut(&named.rule, rule)
        })
    }

    fn take(&mut self, value: Value) {
        match value.get("type").and_then(Value::as_str) {
            Some("failure") => self.failure(value),
            Some("end") => {
                let outcome = value.get("outcome").cloned().unwrap_or_default();
                self.spoke = true;
                self.outcome = Some(serde_json::from_value(outcome).unwrap_or_default());
            }
            _ => {
                if let Ok(receipt) = serde_json::from_value::<Receipt>(value) {
                    self.receipt(receipt);
                }
            }
        }
    }

    fn failure(&mut self, value: Value) {
        let failure = lenient(value);
        self.spoke = true;
        self.failures.push(Named { rule: rule::of(&failure), failure });
    }

    fn receipt(&mut self, receipt: Receipt) {
        self.spoke = true;
        self.outcome = Some(match receipt.status {
            Status::Passed => Outcome::Passed,
            Status::RefusedPrecondition => Outcome::Refused,
            Status::FailedAssertion | Status::RuntimeException => Outcome::Failed,
        });
        if self.outcome == Some(Outcome::Failed)
            && let Some(rule) = receipt.failed_rule_id
        {
            let exception = receipt.status == Status::RuntimeException;
            let failure = Failure {
                kind: if exception { Kind::Exception } else { Kind::Assertion },
                message: receipt.exception_msg,
                exception_type: receipt.exception_type,
                expected: receipt.expected_invariant,
                observed: receipt.observed_output,
                ..Failure::default()
            };
            self.failures.push(Named { rule, failure });
        }
    }
}

/// A failure; one with a field of the wrong type is a failure still, and keeps what names it.
pub fn lenient(value: Value) -> Failure {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let bare = Failure { id: text("id"), rule: text("rule"), message: text("message"), ..Failure::default() };
    serde_json::from_value(value).unwrap_or(bare)
}

/// Whether `cut` is `whole` with its middle replaced by an ellipsis.
fn is_cut(cut: &str, whole: &str) -> bool {
    cut.split_once('…').is_some_and(|(head, tail)| {
        head.len() + tail.len() < whole.len() && whole.starts_with(head) && whole.ends_with(tail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stdout: &str, expected: (bool, &[&str], Option<Outcome>)) {
        let said = Said::read(stdout.as_bytes());
        let rules: Vec<&str> = said.failures.iter().map(|named| named.rule.as_str()).collect();
        assert_eq!((said.spoke, &*rules, said.outcome), expected, "{stdout}");
    }

    #[test]
    fn streams_and_receipts_are_read_and_other_text_is_not() {
        check("", (false, &[], None));
        check("failed_assertion x\n{\"a\":1}\n[1]\n{", (false, &[], None));
        check(
            "warming up\n{\"type\":\"failure\",\"id\":\"t\",\"kind\":\"assertion\"}\n{\"type\":\"end\",\"outcome\":\"failed\"}\n",
            (true, &["t"], Some(Outcome::Failed)),
        );
        check(
            "{\"type\":\"failure\",\"id\":\"t\",\"rule\":\"R\",\"vector_index\":\"no number\"}\n{\"type\":\"later\"}",
            (true, &["R"], None),
        );
        check("{\"type\":\"end\",\"outcome\":\"passed\",\"new\":1}", (true, &[], Some(Outcome::Passed)));
        check("{\"type\":\"end\",\"outcome\":\"odd\"}", (true, &[], Some(Outcome::Refused)));
        check("{\"status\":\"passed\",\"vectors_verified\":3}", (true, &[], Some(Outcome::Passed)));
        check(
            "{\"status\":\"failed_assertion\",\"failed_rule_id\":\"R\",\"observed_output\":\"1\"}",
            (true, &["R"], Some(Outcome::Failed)),
        );
        check(
            "{\"status\":\"refused_precondition\",\"failed_rule_id\":\"bv.no_tests\"}",
            (true, &[], Some(Outcome::Refused)),
        );
    }

    #[test]
    fn a_rule_that_a_receipt_has_cut_is_the_same_rule() {
        let receipt = "{\"status\":\"failed_assertion\",\"failed_rule_id\":\"tests/te…ces_are_whole\"}";
        let said = Said::read(receipt.as_bytes());
        let found = [
            "tests/test_invoice.py::test_prices_are_whole",
            "tests/teces_are_whole",
            "tests/te…ces_are_whole",
        ]
        .map(|rule| said.of(rule).is_some());
        assert_eq!(found, [true, false, true]);
    }
}
