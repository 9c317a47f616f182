//! What a candidate says to one input.

use crate::words::{head, one_line};
use bv_schemas::{Place, vector};
use std::ops::Range;

/// Longest answer that is read. A failure's record repeats a part of it at most.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;

/// An answer that follows the protocol, or nearly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The output's JSON as it was written.
    Output(String),
    /// An output that holds what no JSON number is; the whole of it, and the word.
    NotFinite { output: String, word: &'static str },
    /// It could not be computed.
    Exception {
        /// As the candidate's language names it.
        exception_type: Option<String>,
        /// Its message, on one line.
        message: Option<String>,
        /// Where it was raised.
        place: Place,
    },
}

/// Reads one answer.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(bytes: &[u8]) -> Result<Answer, String> {
    let garbled = |what: &str| format!("{what}: {}", shown(bytes));
    let text = std::str::from_utf8(bytes).map_err(|_| garbled("not UTF-8"))?.trim();
    if !text.starts_with('{') {
        return Err(garbled("no answer"));
    }
    if let Ok(answer) = serde_json::from_str::<vector::Answer<'_>>(text) {
        return decided(answer).map_err(garbled);
    }
    let Some((finite, word)) = with_finite_numbers(text) else {
        return Err(garbled("no answer"));
    };
    let answer: vector::Answer<'_> = serde_json::from_str(&finite).map_err(|_| garbled("no answer"))?;
    match answer.output.map(|output| within(&finite, output.get())) {
        Some(place) => Ok(Answer::NotFinite { output: word_whole(text, place).to_owned(), word }),
        None => decided(answer).map_err(garbled),
    }
}

/// The beginning of an answer, fit for a message.
pub fn shown(bytes: &[u8]) -> String {
    const SHOWN_BYTES_MAX: usize = 200;
    let start = &bytes[..bytes.len().min(4 * SHOWN_BYTES_MAX)];
    let text = one_line(&String::from_utf8_lossy(start)).unwrap_or_default();
    head(&text, SHOWN_BYTES_MAX)
}

fn decided(answer: vector::Answer<'_>) -> Result<Answer, &'static str> {
    let failed = answer.exception_type.is_some() || answer.exception_msg.is_some();
    match answer.output {
        Some(output) if failed && output.get() != "null" => Err("both an output and an exception"),
        _ if failed => {
            let words = |text: Option<String>| text.as_deref().and_then(one_line);
            let file = words(answer.file);
            Ok(Answer::Exception {
                exception_type: words(answer.exception_type),
                message: words(answer.exception_msg),
                place: Place {
                    line: answer.line.filter(|_| file.is_some()),
                    function: words(answer.function),
                    file,
                },
            })
        }
        Some(output) => match crate::filter::value(output.get()) {
            Ok(_) => Ok(Answer::Output(output.get().to_owned())),
            Err(_) => Err("an output that cannot be read"),
        },
        None => Err("neither an output nor an exception"),
    }
}

/// What programs print for a number that is none.
const NOT_FINITE: &[&str] = &["NaN", "Infinity", "nan", "inf"];

/// The same text with zeros and blanks in the place of each, so that all offsets stay, and the first of them;
/// `None` where there is none outside strings.
fn with_finite_numbers(text: &str) -> Option<(String, &'static str)> {
    let mut finite = text.as_bytes().to_vec();
    let (mut at, mut first) = (0, None);
    let mut in_string = false;
    while at < finite.len() {
        match finite[at] {
            b'"' => in_string = !in_string,
            b'\\' if in_string => at += 1,
            _ if in_string => {}
            _ => {
                if let Some(word) = NOT_FINITE.iter().find(|word| finite[at..].starts_with(word.as_bytes())) {
                    finite[at..at + word.len()].fill(b' ');
                    finite[at] = b'0';
                    first.get_or_insert(*word);
                    at += word.len() - 1;
                }
            }
        }
        at += 1;
    }
    Some((String::from_utf8(finite).ok()?, first?))
}

fn within(whole: &str, part: &str) -> Range<usize> {
    let from = part.as_ptr() as usize - whole.as_ptr() as usize;
    from..from + part.len()
}

/// The text at `place`, and the rest of the word that it ends in: of `NaN`, only a digit was left to see.
fn word_whole(text: &str, place: Range<usize>) -> &str {
    let rest = &text[place.end..];
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    &text[place.start..place.end + letters]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<Answer, &str>) {
        assert_eq!(
            read(line.as_bytes()).as_ref().map_err(String::as_str),
            expected.as_ref().map_err(|e| *e),
            "{line}"
        );
    }

    fn output(text: &str) -> Result<Answer, &str> {
        Ok(Answer::Output(text.into()))
    }

    #[test]
    fn outputs_keep_their_text() {
        check(r#"{"output":1.50}"#, output("1.50"));
        check(
            r#" {"output": {"a": 12345678901234567890123} , "ms": 3}  "#,
            output(r#"{"a": 12345678901234567890123}"#),
        );
        check(r#"{"output":null}"#, output("null"));
        check(r#"{"output":"NaN","exception_type":null,"file":null}"#, output(r#""NaN""#));
    }

    #[test]
    fn exceptions_come_with_their_place() {
        let place = Place { file: Some("a.py".into()), line: Some(3), function: Some("f".into()) };
        let exception = |kind: &str, message: Option<&str>, place: &Place| {
            let message = message.map(str::to_owned);
            Ok(Answer::Exception { exception_type: Some(kind.into()), message, place: place.clone() })
        };
        check(
            r#"{"exception_type":"E","exception_msg":"a\n b","file":"a.py","line":3,"function":"f"}"#,
            exception("E", Some("a b"), &place),
        );
        check(r#"{"output":null,"exception_type":"E","line":3}"#, exception("E", None, &Place::default()));
    }

    #[test]
    fn numbers_that_are_none_are_told_from_garbage() {
        let not_finite = |output: &str, word| Ok(Answer::NotFinite { output: output.into(), word });
        check(r#"{"output": NaN}"#, not_finite("NaN", "NaN"));
        check(
            r#"{"output": {"a \" NaN": [1, -Infinity]}}"#,
            not_finite(r#"{"a \" NaN": [1, -Infinity]}"#, "Infinity"),
        );
        check(r#"{"output":-nan,"ms":3}"#, not_finite("-nan", "nan"));
        check(r#"{"output": Nan}"#, Err(r#"no answer: {"output": Nan}"#));
    }

    #[test]
    fn what_is_no_answer_is_said() {
        check("", Err("no answer: "));
        check("hello", Err("no answer: hello"));
        check("[1]", Err("no answer: [1]"));
        check("{}", Err("neither an output nor an exception: {}"));
        check(r#"{"output":1}{"output":2}"#, Err(r#"no answer: {"output":1}{"output":2}"#));
        check(
            r#"{"output":1,"exception_type":"E"}"#,
            Err(r#"both an output and an exception: {"output":1,"exception_type":"E"}"#),
        );
        check(r#"{"output":1,"output":2}"#, Err(r#"no answer: {"output":1,"output":2}"#));
        assert_eq!(read(b"{\"output\":\"\xff\"}"), Err("not UTF-8: {\"output\":\"\u{fffd}\"}".into()));
        let deep = format!(
            "{{\"output\":{}{}}}",
            "[".repeat(crate::filter::DEPTH_MAX + 1),
            "]".repeat(crate::filter::DEPTH_MAX + 1)
        );
        assert!(read(deep.as_bytes()).is_err());
    }
}
