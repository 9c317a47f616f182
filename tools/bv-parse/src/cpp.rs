//! What C++ test libraries print alike: a comparison with its values in place of its expressions.

use crate::values::{Sides, split_outside};

/// What a check compares with; the longer of two that begin alike first.
pub const OPERATORS: &[&str] = &["==", "!=", "<=", ">=", "<", ">"];

/// The sides of `-8 == -7`: the left one was seen, the right one is wanted, with the operator before it
/// unless that is equality.
pub fn sides(text: &str) -> Option<Sides> {
    OPERATORS.iter().find_map(|operator| {
        let (observed, wanted) = split_outside(text, &[" ", operator, " "].concat())?;
        Some(compared(observed.trim(), operator, wanted.trim()))
    })
}

/// The sides of a comparison whose parts are known.
pub fn compared(observed: &str, operator: &str, wanted: &str) -> Sides {
    match operator {
        "==" => Sides::both(wanted, observed),
        _ => Sides::both(&[operator, " ", wanted].concat(), observed),
    }
}

/// `spring_test.cpp:8`, Visual Studio's `spring_test.cpp(8)`.
pub fn place(text: &str) -> Option<(&str, u64)> {
    let (file, line) = match text.strip_suffix(')') {
        Some(text) => text.rsplit_once('(')?,
        None => text.rsplit_once(':')?,
    };
    (!file.is_empty()).then_some(())?;
    Some((file, line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_side_is_wanted() {
        let check = |text: &str, want: Option<(&str, &str)>| {
            let want = want.map(|(expected, observed)| Sides::both(expected, observed));
            assert_eq!(sides(text), want, "{text}");
        };
        check("-8 == -7", Some(("-7", "-8")));
        check("4 == Approx( 2 )", Some(("Approx( 2 )", "4")));
        check("5 < 3", Some(("< 3", "5")));
        check("\"a == b\" == \"c\"", Some(("\"c\"", "\"a == b\"")));
        check("true", None);
    }

    #[test]
    fn places() {
        assert_eq!(place("a/b.cpp:8"), Some(("a/b.cpp", 8)));
        assert_eq!(place("C:\\b.cpp(8)"), Some(("C:\\b.cpp", 8)));
        assert_eq!(place(":8"), None);
        assert_eq!(place("b.cpp:x"), None);
    }
}
