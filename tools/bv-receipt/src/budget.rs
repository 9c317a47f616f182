//! The byte budget: the one place that shortens a receipt.
//!
//! In comes a receipt of any length, out goes one whose JSON is within the bound. The steps below are
//! taken in their order until it fits. The first are those of the contract: what matters least is dropped,
//! then long strings are cut to `head…tail`, 12 bytes of each kept at least. `status`, `failures`, numbers, the
//! file and the line are never touched by them. The printed place and the first suspect outlast the strings:
//! without them an inferred place could not be checked, and an unsure one would look sure. A bound of 160 bytes can still be too small for what is left (a
//! path of 5,000 bytes, forty inputs): the last steps drop whole fields, and at the very end keep the tails
//! of the rule's id and of the file, so that the bound holds for every receipt.

use crate::cut;
use bv_schemas::Receipt;
use serde_json::Value;
use std::io;

#[cfg(test)]
mod tests;

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
    |receipt, _| receipt.suspects.truncate(1),
    |receipt, _| receipt.distinct = None,
    |receipt, _| receipt.trace = None,
    cut_reason,
    |receipt, _| receipt.reason = None,
    |receipt, _| receipt.skipped = None,
    |receipt, _| receipt.vector_index = None,
    |receipt, _| receipt.test_id = None,
    |receipt, max| cut_text(receipt, max, |receipt| receipt.exception_msg.as_mut()),
    cut_sides,
    cut_counterexample,
    |receipt, max| cut_id(receipt, max, cut::PIECE_BYTES_MIN),
    |receipt, max| cut_text(receipt, max, |receipt| receipt.exception_type.as_mut()),
    |receipt, _| receipt.asserted_at = None,
    |receipt, _| receipt.suspects.clear(),
    |receipt, max| cut_text(receipt, max, |receipt| receipt.ast_location.as_mut()?.symbol.as_mut()),
    // From here on the last resort.
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
