//! The two sides in the words of ScalaTest, specs2, ZIO Test and munit.

use crate::jvm;
use crate::values::{self, Sides, split_outside};

/// The sides that a message's first line names.
pub fn sides(message: &str) -> Sides {
    const SEEN_FIRST: &[&str] = &[" did not equal ", " was not equal to ", " is not equal to ", " != "];
    for words in SEEN_FIRST {
        if let Some((observed, expected)) = split_outside(message, words) {
            return Sides::both(expected.trim(), observed.trim());
        }
    }
    let pair = message.strip_prefix("Expected ").and_then(|rest| split_outside(rest, ", but got "));
    match pair {
        Some((expected, observed)) => Sides::both(expected, observed),
        None => jvm::sides(message),
    }
}

/// munit's `=> Obtained` and its diff, `-` expected and `+` obtained.
pub fn obtained<'a>(lines: &[&'a str]) -> Sides {
    let below = |label: &str| {
        let at = lines.iter().position(|line| line.starts_with(label))?;
        Some(
            lines[at + 1..]
                .iter()
                .take_while(|line| !line.starts_with("=> "))
                .copied()
                .collect::<Vec<&'a str>>(),
        )
    };
    if let Some(diff) = below("=> Diff") {
        let hunk = std::iter::once("@@ @@").chain(diff);
        return values::diff_sides(hunk);
    }
    let whole = |label| below(label).filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"));
    Sides { expected: whole("=> Expected"), observed: whole("=> Obtained") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sides() {
        for (message, want) in [
            ("6 did not equal 7", Sides::both("7", "6")),
            ("6 was not equal to 7", Sides::both("7", "6")),
            ("6 != 7", Sides::both("7", "6")),
            ("Expected 7, but got 6", Sides::both("7", "6")),
            ("\"a did not equal b\" did not equal \"c\"", Sides::both("\"c\"", "\"a did not equal b\"")),
            ("no", Sides::default()),
        ] {
            assert_eq!(sides(message), want, "{message}");
        }
        assert_eq!(
            obtained(&[
                "values are not the same",
                "=> Obtained",
                "6",
                "=> Diff (- expected, + obtained)",
                "-7",
                "+6"
            ]),
            Sides::both("7", "6")
        );
    }
}
