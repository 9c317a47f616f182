//! Whether two JSON numbers are the same, or near enough.
//!
//! Whole numbers are compared digit by digit, whatever their size; others as the doubles that they stand for,
//! since programs print the same double in different lengths. `-0` is `0`, and `5.0` is `5`.

use bv_schemas::vector::Tolerance;
use jaq_json::Num;

/// Whether `observed` is `expected`, or as near to it as `tolerance` lets it be.
pub fn near(expected: &Num, observed: &Num, tolerance: Tolerance) -> bool {
    let (expected, observed) = (Number::of(expected), Number::of(observed));
    expected.same(&observed) || expected.within(&observed, tolerance)
}

/// A number as its text has it.
enum Number {
    /// Whole; no sign for zero.
    Whole(String),
    /// Anything else.
    Double { text: String, double: f64 },
}

impl Number {
    fn of(number: &Num) -> Number {
        let text = number.to_string();
        let whole = match text.split_once('.') {
            None => &text,
            Some((whole, zeros)) if zeros.bytes().all(|byte| byte == b'0') => whole,
            Some(_) => "",
        };
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let double = text.parse().unwrap_or(f64::NAN);
            return Number::Double { text, double };
        }
        let significant = digits.trim_start_matches('0');
        Number::Whole(match (significant, whole.len() > digits.len()) {
            ("", _) => "0".into(),
            (_, true) => format!("-{significant}"),
            (_, false) => significant.into(),
        })
    }

    fn double(&self) -> f64 {
        match self {
            Number::Whole(text) => text.parse().unwrap_or(f64::NAN),
            Number::Double { double, .. } => *double,
        }
    }

    /// Past the largest double all are infinite; only the text can tell them apart.
    fn same(&self, other: &Number) -> bool {
        match (self, other) {
            (Number::Whole(one), Number::Whole(other)) => one == other,
            (Number::Double { text: one, .. }, Number::Double { text: other, .. }) if one == other => true,
            _ => self.double() == other.double() && self.double().is_finite(),
        }
    }

    fn within(&self, observed: &Number, tolerance: Tolerance) -> bool {
        let (abs, rel) = (tolerance.abs.unwrap_or(0.0), tolerance.rel.unwrap_or(0.0));
        if let (Number::Whole(expected), Number::Whole(observed)) = (self, observed) {
            // As doubles, two of them would be nearer to each other than they are.
            let (Ok(expected), Ok(observed)) = (expected.parse::<i128>(), observed.parse::<i128>()) else {
                return false;
            };
            let difference = expected.abs_diff(observed) as f64;
            return difference <= abs.max(rel * expected.unsigned_abs() as f64);
        }
        let difference = (self.double() - observed.double()).abs();
        difference.is_finite() && difference <= abs.max(rel * self.double().abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jaq_json::{Val, read};

    fn number(text: &str) -> Num {
        match read::parse_single(text.as_bytes()) {
            Ok(Val::Num(number)) => number,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn check(expected: &str, observed: &str, tolerance: (f64, f64), same: bool) {
        let tolerance = Tolerance { abs: Some(tolerance.0), rel: Some(tolerance.1) };
        let got = near(&number(expected), &number(observed), tolerance);
        assert_eq!(got, same, "{expected} {observed} {tolerance:?}");
    }

    #[test]
    fn equal_whatever_the_spelling() {
        let exact = (0.0, 0.0);
        check("5", "5.0", exact, true);
        check("5", "5e0", exact, true);
        check("-0", "0", exact, true);
        check("-0.0", "0", exact, true);
        check("0.1", "0.1000000000000000055511151231257827", exact, true);
        check("0.3", "0.30000000000000004", exact, false);
        check("9007199254740993", "9007199254740992", exact, false);
        check("9007199254740993", "9007199254740993.0", exact, true);
        check("12345678901234567890123", "12345678901234567890124", exact, false);
        check("1e400", "1e500", exact, false);
        check("1e400", "1e400", exact, true);
        check("5", "-5", exact, false);
    }

    #[test]
    fn tolerances_are_bounds_themselves() {
        check("1", "1.5", (0.5, 0.0), true);
        check("1", "1.5000001", (0.5, 0.0), false);
        check("100", "101", (0.0, 0.01), true);
        check("100", "101.1", (0.0, 0.01), false);
        check("0.3", "0.30000000000000004", (1e-12, 0.0), true);
        check("-100", "-101", (0.0, 0.01), true);
        check("0", "1e-300", (0.0, 0.5), false);
        check("9007199254740993", "9007199254740992", (0.5, 0.0), false);
        check("1152921504606846976", "1152921504606847076", (1.0, 0.0), false);
        check("1e400", "1e500", (1.0, 1.0), false);
        check("1e400", "1", (1.0, 1.0), false);
        let beyond = "9".repeat(60);
        check(&beyond, &format!("{}8", &beyond[1..]), (1.0, 0.0), false);
    }
}
