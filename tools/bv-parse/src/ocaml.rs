//! What OCaml prints of an exception whoever runs the tests: its backtrace.

use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Place};

/// Modules that are no user's: the test libraries and the standard one.
const LIBRARIES: &[&str] =
    &["Stdlib", "Alcotest", "OUnit", "CamlinternalLazy", "QCheck", "Lwt", "Dune_engine"];

/// Puts the user's frames of a backtrace into the failure: the innermost is the fault's, the outermost the test's.
pub fn locate(lines: &[&str], failure: &mut Failure) {
    let frames: Vec<Place> = lines.iter().filter_map(|line| frame(line.trim_start())).collect();
    let Some(outermost) = frames.last().cloned() else { return };
    if failure.test.is_none() {
        failure.fault = frames.first().filter(|fault| **fault != outermost).cloned();
        failure.test = Some(outermost);
    } else {
        failure.fault = frames.first().cloned();
    }
    if frames.len() > 1 {
        failure.frames = frames.into_iter().take(FRAMES_MAX).collect();
    }
}

/// Whether the line is one of a backtrace.
pub fn is_frame(line: &str) -> bool {
    ["Raised at ", "Called from ", "Re-raised at ", "Raised by primitive operation at "]
        .iter()
        .any(|word| line.starts_with(word))
}

/// `Called from Dune__exe__Test_cart.ship in file "test_cart.ml", line 8, characters 10-28`
fn frame(line: &str) -> Option<Place> {
    if !is_frame(line) {
        return None;
    }
    let (head, place) = line.split_once(" in file \"").or_else(|| line.split_once(" file \""))?;
    let name = head.rsplit(' ').next().unwrap_or_default();
    // Dune puts an executable's modules into one of its own.
    let name = name.strip_prefix("Dune__exe__").unwrap_or(name);
    let name = name.trim_end_matches(".(fun)");
    if LIBRARIES.iter().any(|library| name.starts_with(library)) {
        return None;
    }
    let (file, rest) = place.split_once('"')?;
    let line = number_after(rest, ", line ")?;
    let function = Some(name.to_owned()).filter(|name| name.contains('.'));
    Some(Place { file: Some(file.to_owned()), line: Some(line), function })
}

/// `File "test_cart.ml", line 5, character 23:`
pub fn place(line: &str) -> Option<Place> {
    let (file, rest) = line.strip_prefix("File \"")?.split_once('"')?;
    Some(Place { file: Some(file.to_owned()), line: Some(number_after(rest, ", line ")?), function: None })
}

fn number_after(text: &str, label: &str) -> Option<u64> {
    let rest = text.strip_prefix(label).or_else(|| text.split_once(label).map(|(_, rest)| rest))?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

/// The type of a printed exception: `Cart.No_stock("mug")`, `Stdlib.Failure`.
pub fn exception_type(text: &str) -> Option<&str> {
    let name = text.split(['(', ' ']).next()?;
    let last = name.rsplit('.').next()?;
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._'".contains(&byte));
    (plain && last.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        for (line, want) in [
            (
                "Raised at Cart.ship in file \"cart.ml\", line 5, characters 12-33",
                Some(("cart.ml", 5, Some("Cart.ship"))),
            ),
            (
                "Called from Dune__exe__Unit.ship.(fun) in file \"unit.ml\", line 6, characters 20-40",
                Some(("unit.ml", 6, Some("Unit.ship"))),
            ),
            ("Called from file \"unit.ml\", line 6, characters 20-40", Some(("unit.ml", 6, None))),
            ("Raised at Stdlib.failwith in file \"stdlib.ml\", line 29, characters 17-33", None),
            ("Called from here", None),
        ] {
            let got = frame(line);
            let got = got
                .as_ref()
                .map(|p| (p.file.as_deref().unwrap_or(""), p.line.unwrap_or(0), p.function.as_deref()));
            assert_eq!(got, want, "{line}");
        }
    }

    #[test]
    fn types() {
        for (text, want) in [
            ("Cart.No_stock(\"mug\")", Some("Cart.No_stock")),
            ("Not_found", Some("Not_found")),
            ("expected: 8 but got: 9", None),
            ("not equal", None),
        ] {
            assert_eq!(exception_type(text), want, "{text}");
        }
    }
}
