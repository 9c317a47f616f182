//! Finding a word in printed Python values, outside of their strings and brackets.

/// Where `word` stands first at the top level of `text`: in no string, in no bracket.
///
/// A quote opens a string only where one can begin, so that the apostrophe of a word (`don't`) or of
/// a value that a runner shortened in the middle opens none.
pub fn find_top(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut quote, mut at) = (0u32, None, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(open) => {
                if byte == b'\\' {
                    at += 1;
                } else if byte == open {
                    quote = None;
                }
            }
            None => {
                if depth == 0 && bytes[at..].starts_with(word.as_bytes()) {
                    return Some(at);
                }
                match byte {
                    b'\'' | b'"' if opens(bytes, at) => quote = Some(byte),
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
        at += 1;
    }
    None
}

/// `text` cut in two at the first top-level `word`, or, where brackets and quotes do not pair (a
/// runner shortened the values), at the only `word` there is.
pub fn split_top<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let at = find_top(text, word).or_else(|| {
        let at = text.find(word)?;
        (text.rfind(word) == Some(at) && !pairs(text)).then_some(at)
    })?;
    Some((&text[..at], &text[at + word.len()..]))
}

/// Whether all brackets and quotes of `text` are closed again.
fn pairs(text: &str) -> bool {
    // A byte that no cleaned line can hold stands at the top level only when all is closed.
    find_top(&format!("{text}\0"), "\0").is_some()
}

/// A string begins here: not inside a word, a prefix as in `b'…'` apart.
fn opens(bytes: &[u8], at: usize) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let before = |n: usize| at.checked_sub(n).map(|i| bytes[i]);
    match before(1) {
        None => true,
        Some(b'b' | b'B' | b'r' | b'R' | b'u' | b'U' | b'f' | b'F') => !before(2).is_some_and(word),
        Some(byte) => !word(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::split_top;

    #[test]
    fn a_word_is_found_outside_of_strings_and_brackets() {
        for (text, parts) in [
            ("1 == 2", Some(("1", "2"))),
            ("'a == b' == 'c'", Some(("'a == b'", "'c'"))),
            ("f(x == 1) == [2 == 3]", Some(("f(x == 1)", "[2 == 3]"))),
            ("'it\\'s == ' == b'\"'", Some(("'it\\'s == '", "b'\"'"))),
            ("don't == won't", Some(("don't", "won't"))),
            ("{'a': {'...'b': 7}}} == {}", Some(("{'a': {'...'b': 7}}}", "{}"))),
            ("[1, 2,... == 3", Some(("[1, 2,...", "3"))),
            ("(1 == 2)", None),
            ("'1 == 2'", None),
            ("é == ü", Some(("é", "ü"))),
            ("", None),
        ] {
            assert_eq!(split_top(text, " == "), parts, "{text}");
        }
    }
}
