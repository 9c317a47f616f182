//! The bound and the order of the cuts, over generated receipts.

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

/// What became of a field: never there, as it was, shorter, as short as the contract allows, or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Absent,
    Whole,
    Cut,
    Least,
    Gone,
}

fn dropped<T: PartialEq>(before: &T, after: &T, none: &T) -> Fate {
    match (before == none, before == after, after == none) {
        (true, _, _) => Fate::Absent,
        (_, true, _) => Fate::Whole,
        (_, _, true) => Fate::Gone,
        _ => Fate::Cut,
    }
}

/// A text that is too short to be cut is whole where it stays, and may stay whatever follows it is cut.
fn shortened(before: &Option<String>, after: &Option<String>, least: &str) -> Fate {
    match dropped(before, after, &None) {
        Fate::Whole if before.as_deref() == Some(least) => Fate::Absent,
        // The rule's id is cut further where nothing else is left to cut.
        Fate::Cut if after.as_ref().is_some_and(|after| after.len() <= least.len()) => Fate::Least,
        fate => fate,
    }
}

/// Spent when every value that can be cut is as short as it may be, or went with its name.
fn inputs(before: &Receipt, after: &Receipt) -> Fate {
    let (old, new) = (&before.minimal_counterexample, &after.minimal_counterexample);
    let (Some(old_inputs), Some(new_inputs)) = (old, new) else { return dropped(old, new, &None) };
    let is_spent = |(name, value): (&String, &Value)| match (cuttable(value), new_inputs.get(name)) {
        (Some(whole), Some(left)) => left.as_str() == Some(&cut::middle(&whole, TEXT_BYTES_MIN)),
        _ => true,
    };
    match (old == new, old_inputs.iter().all(is_spent)) {
        (_, true) => Fate::Absent,
        (true, false) => Fate::Whole,
        (false, false) => Fate::Cut,
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
        ("attempt", dropped(&before.attempt, &after.attempt, &None)),
        ("state", dropped(&before.state, &after.state, &None)),
        ("suspects", further_suspects(before, after)),
        ("distinct", dropped(&before.distinct, &after.distinct, &None)),
        ("trace", dropped(&before.trace, &after.trace, &None)),
        ("reason", dropped(&before.reason, &after.reason, &None)),
        ("skipped", dropped(&before.skipped, &after.skipped, &None)),
        ("vector_index", dropped(&before.vector_index, &after.vector_index, &None)),
        ("test_id", dropped(&before.test_id, &after.test_id, &None)),
        (
            "exception_msg",
            shortened(&before.exception_msg, &after.exception_msg, &middle(&before.exception_msg)),
        ),
        ("expected_invariant", shortened(expected, &after.expected_invariant, &least_expected)),
        ("observed_output", shortened(observed, &after.observed_output, &least_observed)),
        ("minimal_counterexample", inputs(before, after)),
        ("failed_rule_id", shortened(&before.failed_rule_id, &after.failed_rule_id, &rule)),
        ("asserted_at", dropped(&before.asserted_at, &after.asserted_at, &None)),
        ("first suspect", dropped(&before.suspects.first(), &after.suspects.first(), &None)),
        ("symbol", shortened(&old_symbol, &new_symbol, &middle(&old_symbol))),
    ]
}

fn further_suspects(before: &Receipt, after: &Receipt) -> Fate {
    let further = |receipt: &Receipt| receipt.suspects.get(1..).unwrap_or_default().to_vec();
    dropped(&further(before), &further(after), &Vec::new())
}

proptest! {
    #[test]
    fn every_receipt_fits_and_loses_what_matters_least_first(receipt in any_receipt(), bytes_max in BYTES_MIN..700) {
        let fitted = fit(receipt.clone(), bytes_max);
        prop_assert!(bytes(&fitted) <= bytes_max, "{} bytes of {bytes_max}: {fitted:?}", bytes(&fitted));
        if bytes(&receipt) <= bytes_max {
            prop_assert_eq!(&fitted, &receipt);
        }
        let fates = fates(&receipt, &fitted);
        let last_touched = fates.iter().rposition(|(_, fate)| !matches!(fate, Fate::Absent | Fate::Whole));
        for (name, fate) in &fates[..last_touched.unwrap_or(0)] {
            // The sides are one step: they are cut alike.
            let of_sides = matches!(*name, "expected_invariant") && fates[last_touched.unwrap_or(0)].0 == "observed_output";
            let is_spent = matches!(fate, Fate::Absent | Fate::Gone | Fate::Least);
            prop_assert!(is_spent || of_sides, "{name} is {fate:?} in {fates:?}");
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
