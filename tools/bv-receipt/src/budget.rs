//! The byte budget: the one place that shortens a receipt.
//!
//! In comes a receipt of any length, out goes one whose JSON is within the bound. The steps below are
//! taken in their order until it fits. The first are those of the contract: what matters least is dropped,
//! then long strings are cut to `head…tail`, 12 bytes of each kept at least. `status`, `failures`, numbers, the
//! file and the line are never touched by them. A bound of 160 bytes can still be too small for what is left (a
//! path of 5,000 bytes, forty inputs): the last steps drop whole fields, and at the very end keep the tails
//! of the rule's id and of the file, so that the bound holds for every receipt.

use crate::cut;
use bv_schemas::Receipt;
use serde_json::Value;
use std::io;

/// Shortens `receipt` until its JSON has at most `bytes_max` bytes.
///
/// Always possible from [`bv_schemas::receipt::BYTES_MIN`] on, as long as lines have at most ten digits,
/// which the reading of the stream sees to.
pub fn fit(mut receipt: Receipt, bytes_max: usize) -> Receipt {
    for step in STEPS {
        if bytes(&receipt) <= bytes_max {
            break;
        }
        step(&mut receipt, bytes_max);
    }
    receipt
}

/// Length of the receipt's JSON in bytes, escapes as they are written.
fn bytes(receipt: &Receipt) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, written: &[u8]) -> io::Result<usize> {
            self.0 += written.len();
            Ok(written.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, receipt) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

const STEPS: &[fn(&mut Receipt, usize)] = &[
    |receipt, _| receipt.attempt = None,
    |receipt, _| receipt.state = None,
    |receipt, _| receipt.suspects.clear(),
    |receipt, _| receipt.distinct = None,
    |receipt, _| receipt.trace = None,
    cut_reason,
    |receipt, _| receipt.reason = None,
    |receipt, _| receipt.skipped = None,
    |receipt, _| receipt.asserted_at = None,
    |receipt, _| receipt.vector_index = None,
    |receipt, _| receipt.test_id = None,
    |receipt, max| cut_text(receipt, max, |receipt| receipt.exception_msg.as_mut()),
    cut_sides,
    cut_counterexample,
    |receipt, max| cut_id(receipt, max, cut::PIECE_BYTES_MIN),
    |receipt, max| cut_text(receipt, max, |receipt| receipt.ast_location.as_mut()?.symbol.as_mut()),
    // From here on the last resort.
    |receipt, max| cut_text(receipt, max, |receipt| receipt.exception_type.as_mut()),
    drop_inputs,
    |receipt, _| receipt.exception_msg = None,
    |receipt, _| receipt.observed_output = None,
    |receipt, _| receipt.expected_invariant = None,
    |receipt, _| receipt.exception_type = None,
    drop_symbol,
    |receipt, max| cut_file(receipt, max, cut::PIECE_BYTES_MIN),
    |receipt, max| cut_id(receipt, max, 1),
    |receipt, max| cut_file(receipt, max, 1),
];

/// Bytes of each of two sides that are kept at least: their ends and the difference.
const SIDE_BYTES_MIN: usize = 3 * cut::PIECE_BYTES_MIN;
const TEXT_BYTES_MIN: usize = 2 * cut::PIECE_BYTES_MIN;

fn cut_reason(receipt: &mut Receipt, bytes_max: usize) {
    cut_text(receipt, bytes_max, |receipt| receipt.reason.as_mut());
}

fn cut_text(receipt: &mut Receipt, bytes_max: usize, text: impl Fn(&mut Receipt) -> Option<&mut String>) {
    let Some(whole) = text(receipt).cloned() else { return };
    cut_to_fit(receipt, bytes_max, TEXT_BYTES_MIN, whole.len(), |receipt, kept| {
        if let Some(text) = text(receipt) {
            *text = cut::middle(&whole, kept);
        }
    });
}

/// Cuts both sides so that the part in which they first differ is seen in both.
fn cut_sides(receipt: &mut Receipt, bytes_max: usize) {
    let (expected, observed) = match (receipt.expected_invariant.clone(), receipt.observed_output.clone()) {
        (Some(expected), Some(observed)) => (expected, observed),
        (Some(_), None) => {
            return cut_text(receipt, bytes_max, |receipt| receipt.expected_invariant.as_mut());
        }
        (None, Some(_)) => return cut_text(receipt, bytes_max, |receipt| receipt.observed_output.as_mut()),
        (None, None) => return,
    };
    let longest = expected.len().max(observed.len());
    cut_to_fit(receipt, bytes_max, SIDE_BYTES_MIN, longest, |receipt, kept| {
        let (expected, observed) = sides(&expected, &observed, kept);
        receipt.expected_invariant = Some(expected);
        receipt.observed_output = Some(observed);
    });
}

/// Both sides with at most about `kept` bytes of each, the place where they first differ kept in both.
pub fn sides(expected: &str, observed: &str, kept: usize) -> (String, String) {
    let at = cut::first_difference(expected, observed);
    (cut::around(expected, at, kept), cut::around(observed, at, kept))
}

/// Cuts the values one by one, the one with the longest JSON first.
fn cut_counterexample(receipt: &mut Receipt, bytes_max: usize) {
    let mut done = Vec::new();
    while let Some(inputs) = receipt.minimal_counterexample.as_ref() {
        let longest = inputs
            .iter()
            .filter(|(name, _)| !done.contains(*name))
            .filter_map(|(name, value)| Some((cuttable(value)?, name)))
            // The first of equals, so that the same stream is cut the same way.
            .rev()
            .max_by_key(|(text, _)| text.len());
        let Some((whole, name)) = longest else { return };
        let name = name.clone();
        cut_to_fit(receipt, bytes_max, TEXT_BYTES_MIN, whole.len(), |receipt, kept| {
            if let Some(value) =
                receipt.minimal_counterexample.as_mut().and_then(|inputs| inputs.get_mut(&name))
            {
                *value = Value::String(cut::middle(&whole, kept));
            }
        });
        if bytes(receipt) <= bytes_max {
            return;
        }
        done.push(name);
    }
}

/// The text of a value that can be cut: a string, or an array's or object's JSON; a number never is.
fn cuttable(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    (text.len() > TEXT_BYTES_MIN + cut::ELLIPSIS.len()).then_some(text)
}

fn cut_id(receipt: &mut Receipt, bytes_max: usize, least: usize) {
    let Some(whole) = receipt.failed_rule_id.clone() else { return };
    cut_to_fit(receipt, bytes_max, least, whole.len(), |receipt, kept| {
        receipt.failed_rule_id = Some(cut::start(&whole, kept));
    });
}

/// Drops inputs from the last on; the first ones tell most.
fn drop_inputs(receipt: &mut Receipt, bytes_max: usize) {
    while bytes(receipt) > bytes_max {
        let Some(inputs) = receipt.minimal_counterexample.as_mut() else { return };
        let last = inputs.keys().next_back().cloned();
        match last {
            Some(name) if inputs.len() > 1 => drop(inputs.shift_remove(&name)),
            _ => receipt.minimal_counterexample = None,
        }
    }
}

/// The range goes with the symbol whose range it is.
fn drop_symbol(receipt: &mut Receipt, _: usize) {
    if let Some(location) = receipt.ast_location.as_mut() {
        location.symbol = None;
        location.lines = None;
    }
}

fn cut_file(receipt: &mut Receipt, bytes_max: usize, least: usize) {
    let Some(whole) = receipt.ast_location.as_ref().map(|location| location.file.clone()) else { return };
    cut_to_fit(receipt, bytes_max, least, whole.len(), |receipt, kept| {
        if let Some(location) = receipt.ast_location.as_mut() {
            location.file = cut::start(&whole, kept);
        }
    });
}

/// Applies `cut` with the largest number of kept bytes from `least` to `most` with which the receipt fits,
/// or with `least` where none does.
fn cut_to_fit(
    receipt: &mut Receipt,
    bytes_max: usize,
    least: usize,
    most: usize,
    cut: impl Fn(&mut Receipt, usize),
) {
    let (mut fits, mut over) = (least, most.max(least) + 1);
    while over - fits > 1 {
        let kept = fits + (over - fits) / 2;
        cut(receipt, kept);
        if bytes(receipt) <= bytes_max {
            fits = kept;
        } else {
            over = kept;
        }
    }
    cut(receipt, fits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bv_schemas::{Location, State, Status, receipt::BYTES_MIN};
    use proptest::prelude::*;
    use serde_json::{Map, json};

    /// Text of any script, quotes and backslashes among it, because JSON writes those as two bytes.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![4 => "[ -~]{0,90}", 2 => r#"["\\a]{0,60}"#, 2 => "\\PC{0,60}", 1 => "[a-z/]{300,900}"]
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            text().prop_map(Value::from),
            prop::collection::vec(any::<u16>(), 0..40).prop_map(|items| json!(items)),
        ]
    }

    fn maybe<T: std::fmt::Debug>(some: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
        prop::option::weighted(0.7, some)
    }

    prop_compose! {
        fn location()(file in text(), symbol in maybe(text()), line in maybe(1..u64::from(u32::MAX)), inferred in any::<bool>())
            -> Location {
            Location { file, symbol, lines: line.map(|line| [line, line]), line, inferred: inferred.then_some(true) }
        }
    }

    prop_compose! {
        fn any_receipt()(
            texts in prop::collection::vec(maybe(text()), 8),
            suspects in prop::collection::vec(text(), 0..4),
            inputs in maybe(prop::collection::vec(("[a-z]{1,8}", value()), 1..9)),
            ast_location in maybe(location()),
            numbers in prop::collection::vec(maybe(any::<u32>().prop_map(u64::from)), 4),
            failures in maybe(any::<u64>()),
            state in maybe(Just(State::Still)),
        ) -> Receipt {
            let [rule, observed, expected, exception, message, reason, asserted_at, test_id] =
                <[_; 8]>::try_from(texts).expect("eight were asked for");
            Receipt {
                status: Status::RefusedPrecondition,
                skipped: numbers[0],
                failed_rule_id: Some(rule.unwrap_or_default()),
                minimal_counterexample: inputs.map(Map::from_iter),
                observed_output: observed,
                expected_invariant: expected,
                exception_type: exception,
                exception_msg: message,
                reason,
                ast_location,
                asserted_at,
                suspects,
                test_id,
                failures,
                distinct: numbers[1],
                vector_index: numbers[2],
                state,
                attempt: numbers[3],
                trace: Some("0123456789ab".into()),
                ..Receipt::default()
            }
        }
    }

    /// What became of a field: as it was, shorter, as short as the contract allows, or gone.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Fate {
        Whole,
        Cut,
        Least,
        Gone,
    }

    fn dropped<T: PartialEq>(before: &T, after: &T, is_gone: bool) -> Fate {
        match (before == after, is_gone) {
            (_, true) => Fate::Gone,
            (true, false) => Fate::Whole,
            (false, false) => Fate::Cut,
        }
    }

    fn shortened(before: &Option<String>, after: &Option<String>, least: &str) -> Fate {
        match after.as_deref() {
            None => Fate::Gone,
            Some(after) if after == least => Fate::Least,
            Some(after) if Some(after) == before.as_deref() => Fate::Whole,
            Some(_) => Fate::Cut,
        }
    }

    /// The fates of the fields in the contract's order.
    fn fates(before: &Receipt, after: &Receipt) -> Vec<(&'static str, Fate)> {
        let text = |receipt: &Receipt, f: fn(&Receipt) -> Option<String>| f(receipt);
        let middle = |text: &Option<String>| cut::middle(text.as_deref().unwrap_or_default(), TEXT_BYTES_MIN);
        let (expected, observed) = (&before.expected_invariant, &before.observed_output);
        let (least_expected, least_observed) = match (expected, observed) {
            (Some(expected), Some(observed)) => sides(expected, observed, SIDE_BYTES_MIN),
            _ => (middle(expected), middle(observed)),
        };
        let symbol: fn(&Receipt) -> Option<String> = |receipt| receipt.ast_location.as_ref()?.symbol.clone();
        let (old_symbol, new_symbol) = (text(before, symbol), text(after, symbol));
        let rule = cut::start(before.failed_rule_id.as_deref().unwrap_or_default(), cut::PIECE_BYTES_MIN);
        vec![
            ("attempt", dropped(&before.attempt, &after.attempt, after.attempt.is_none())),
            ("state", dropped(&before.state, &after.state, after.state.is_none())),
            ("suspects", dropped(&before.suspects, &after.suspects, after.suspects.is_empty())),
            ("distinct", dropped(&before.distinct, &after.distinct, after.distinct.is_none())),
            ("trace", dropped(&before.trace, &after.trace, after.trace.is_none())),
            ("reason", dropped(&before.reason, &after.reason, after.reason.is_none())),
            ("skipped", dropped(&before.skipped, &after.skipped, after.skipped.is_none())),
            ("asserted_at", dropped(&before.asserted_at, &after.asserted_at, after.asserted_at.is_none())),
            (
                "vector_index",
                dropped(&before.vector_index, &after.vector_index, after.vector_index.is_none()),
            ),
            ("test_id", dropped(&before.test_id, &after.test_id, after.test_id.is_none())),
            (
                "exception_msg",
                shortened(&before.exception_msg, &after.exception_msg, &middle(&before.exception_msg)),
            ),
            ("expected_invariant", shortened(expected, &after.expected_invariant, &least_expected)),
            ("observed_output", shortened(observed, &after.observed_output, &least_observed)),
            ("failed_rule_id", shortened(&before.failed_rule_id, &after.failed_rule_id, &rule)),
            ("symbol", shortened(&old_symbol, &new_symbol, &middle(&old_symbol))),
        ]
    }

    proptest! {
        #[test]
        fn every_receipt_fits_and_loses_what_matters_least_first(receipt in any_receipt(), bytes_max in BYTES_MIN..700) {
            let fitted = fit(receipt.clone(), bytes_max);
            prop_assert!(bytes(&fitted) <= bytes_max, "{} bytes of {bytes_max}: {fitted:?}", bytes(&fitted));
            if bytes(&receipt) <= bytes_max {
                prop_assert_eq!(&fitted, &receipt);
            }
            // The sides are one step: both are cut alike.
            let fates = fates(&receipt, &fitted);
            let last_touched = fates.iter().rposition(|(_, fate)| *fate == Fate::Cut);
            for (name, fate) in &fates[..last_touched.unwrap_or(0)] {
                let of_sides = matches!(*name, "expected_invariant" | "observed_output");
                prop_assert!(matches!(fate, Fate::Gone | Fate::Least) || of_sides, "{name} is {fate:?} in {fates:?}");
            }
        }

        #[test]
        fn what_is_never_cut_is_whole(receipt in any_receipt(), bytes_max in BYTES_MIN..700) {
            let fitted = fit(receipt.clone(), bytes_max);
            prop_assert_eq!(fitted.status, receipt.status);
            prop_assert_eq!(fitted.failures, receipt.failures);
            let place = |receipt: &Receipt| receipt.ast_location.as_ref().map(|at| (at.line, at.inferred));
            prop_assert_eq!(place(&fitted), place(&receipt));
            let file = |receipt: &Receipt| receipt.ast_location.as_ref().map(|at| at.file.clone());
            if file(&fitted) != file(&receipt) {
                let kept = Receipt {
                    status: receipt.status,
                    failures: receipt.failures,
                    failed_rule_id: fitted.failed_rule_id.clone(),
                    ast_location: fitted.ast_location.clone(),
                    ..Receipt::default()
                };
                prop_assert_eq!(fitted, kept, "the file was cut before something else was dropped");
            }
        }
    }

    #[test]
    fn a_path_of_thousands_of_bytes_keeps_its_tail() {
        let file = format!("{}/the_end.py", "deep/".repeat(1000));
        let location = Location { file, line: Some(7), lines: Some([7, 7]), ..Location::default() };
        let receipt = Receipt {
            status: Status::RuntimeException,
            failed_rule_id: Some("tests/a.py::test_b".into()),
            exception_msg: Some("x".repeat(1000)),
            ast_location: Some(location),
            failures: Some(41),
            ..Receipt::default()
        };
        let text = serde_json::to_string(&fit(receipt, BYTES_MIN)).expect("a receipt is JSON");
        let expected = "{\"status\":\"runtime_exception\",\"failed_rule_id\":\"…a.py::test_b\",\"ast_location\":{\"file\":\"\
                        …/deep/deep/deep/deep/deep/deep//the_end.py\",\"line\":7},\"failures\":41}";
        assert_eq!(text, expected);
    }

    #[test]
    fn both_sides_show_where_they_differ() {
        let side = |c: char| format!("{}{c}{}", "a".repeat(300), "b".repeat(300));
        let (expected, observed) = sides(&side('X'), &side('Y'), 40);
        assert_eq!(expected, "aaaaaaaaaaaa…aaaaaXbbbbbbbbbb…bbbbbbbbbbbb");
        assert_eq!(observed, "aaaaaaaaaaaa…aaaaaYbbbbbbbbbb…bbbbbbbbbbbb");
    }
}
