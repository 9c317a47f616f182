//! What JavaScript prints, whatever runner stands around it: V8's stacks, the text of an error, the two
//! sides of a failed assertion, fast-check's counterexamples.
//!
//! Lines come in without the runner's own indentation, typed parts go out. Which runner speaks, and where
//! its blocks begin and end, is the format's business.

mod dying;
mod error;
mod property;
pub mod report;
mod sides;
mod source;
mod stack;
pub mod words;

pub use dying::{Dying, died};
pub use error::{Naming, add, error, repeated, timed_out, uncaught, unloadable};
pub use stack::{Frame, Names, bare, frame, is_user_file, locate, place};

/// `Name: message`, `Name [CODE]: message`, `Name [Error]: message` taken apart.
///
/// V8 puts the error's name before the message; Node adds its code in brackets. `None` where the text does
/// not begin with a name in the manner of a class.
pub fn name_and_message(text: &str) -> Option<(&str, &str)> {
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) || name.ends_with('.') {
        return None;
    }
    let rest = match rest.strip_prefix(" [") {
        Some(code) => code.split_once(']')?.1,
        None => rest,
    };
    match rest.strip_prefix(':') {
        Some(message) => {
            Some((name, message.strip_prefix(' ').unwrap_or(message))).filter(|(_, m)| !m.starts_with(':'))
        }
        None => (rest.is_empty() && is_error_name(name)).then_some((name, "")),
    }
}

/// Whether a name is surely an error's, not a word of the message.
pub fn is_error_name(name: &str) -> bool {
    name.ends_with("Error") || name.ends_with("Exception")
}

#[cfg(test)]
mod tests {
    use super::name_and_message;

    #[test]
    fn an_errors_name_is_taken_off() {
        for (text, want) in [
            ("TypeError: x is not a function", Some(("TypeError", "x is not a function"))),
            ("AssertionError [ERR_ASSERTION]: 1 == 2", Some(("AssertionError", "1 == 2"))),
            ("RangeError [Error]: no tax", Some(("RangeError", "no tax"))),
            ("Oops: custom", Some(("Oops", "custom"))),
            ("assert.AssertionError: x", None),
            ("Error", Some(("Error", ""))),
            ("Error: ", Some(("Error", ""))),
            ("Received promise resolved", None),
            ("expect(received).toBe(expected)", None),
            ("Foo::bar failed", None),
            ("gave up", None),
            ("", None),
        ] {
            assert_eq!(name_and_message(text), want, "{text}");
        }
    }
}
